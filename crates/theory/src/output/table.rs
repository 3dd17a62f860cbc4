//! Columns that line up. The widths follow the first rows that are printed; of a long list, which comes in pieces, later rows may be
//! wider than their column, and nothing is cut off.

use super::paper;
use super::shown::shown;
use super::tone::Tone;

/// On which side a column's text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

/// What stands in one place of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cell {
    text: String,
    tone: Tone,
}

impl Cell {
    /// Text in a tone.
    pub(crate) fn toned(text: impl AsRef<str>, tone: Tone) -> Self {
        Self { text: shown(text.as_ref()), tone }
    }
}

impl<T: AsRef<str>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::toned(text, Tone::Plain)
    }
}

/// A table that is being printed.
#[derive(Debug)]
pub(crate) struct Table {
    columns: Vec<(&'static str, Side)>,
    rows: Vec<Vec<Cell>>,
    /// The width of each column, once the title is printed.
    widths: Option<Vec<usize>>,
}

impl Table {
    /// A table with these columns. The last one is never filled up, so what is long goes there.
    pub(crate) fn new(columns: &[(&'static str, Side)]) -> Self {
        Self { columns: columns.to_vec(), rows: Vec::new(), widths: None }
    }

    /// A table of so many columns that has these rows and no titles.
    pub(crate) fn bare(columns: usize, rows: Vec<Vec<Cell>>) -> Self {
        let columns = vec![("", Side::Left); columns];
        let widths = Some(widths(&columns, &rows));
        Self { columns, rows, widths }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: Vec<Cell>) {
        assert_eq!(cells.len(), self.columns.len(), "a row has a cell for each column");
        self.rows.push(cells);
    }

    /// Prints the rows that were added since the last time.
    pub(crate) fn print(&mut self) -> anyhow::Result<()> {
        paper::text_of(self.take())
    }

    /// The rows that were added since the last time, as text; before the first of them the titles.
    fn take(&mut self) -> String {
        let rows = std::mem::take(&mut self.rows);
        if rows.is_empty() {
            return String::new();
        }
        let mut text = String::new();
        if self.widths.is_none() {
            self.widths = Some(widths(&self.columns, &rows));
            let titles = self.columns.iter().map(|(title, _)| Cell::toned(title, Tone::Title)).collect();
            self.write(titles, &mut text);
        }
        for row in rows {
            self.write(row, &mut text);
        }
        text
    }

    fn write(&self, row: Vec<Cell>, text: &mut String) {
        let widths = self.widths.as_deref().unwrap_or_default();
        let last = row.len().saturating_sub(1);
        for (at, cell) in row.into_iter().enumerate() {
            let room = widths.get(at).copied().unwrap_or_default();
            let gap = " ".repeat(room.saturating_sub(cell.text.chars().count()));
            let painted = cell.tone.paint(&cell.text);
            match self.columns[at].1 {
                Side::Right => text.extend([gap.as_str(), painted.as_str()]),
                Side::Left if at == last => text.push_str(&painted),
                Side::Left => text.extend([painted.as_str(), gap.as_str()]),
            }
            if at < last {
                text.push_str("  ");
            }
        }
        text.truncate(text.trim_end_matches(' ').len());
        text.push('\n');
    }
}

fn widths(columns: &[(&'static str, Side)], rows: &[Vec<Cell>]) -> Vec<usize> {
    let width = |(at, (title, _)): (usize, &(&str, Side))| {
        let cells = rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.text.chars().count());
        cells.fold(title.chars().count(), usize::max)
    };
    columns.iter().enumerate().map(width).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_the_title_comes_once() {
        let mut table = Table::new(&[("STATE", Side::Left), ("AGE", Side::Right), ("URL", Side::Left)]);
        table.row(vec!["fresh".into(), "3m20s".into(), "/a".into()]);
        table.row(vec!["gone".into(), "1s".into(), "".into()]);
        assert_eq!(table.take(), "STATE    AGE  URL\nfresh  3m20s  /a\ngone      1s\n");
        table.row(vec!["regenerating".into(), "1s".into(), "/é\n".into()]);
        assert_eq!(table.take(), "regenerating     1s  /é\\u{a}\n");
        assert_eq!(table.take(), "");
    }
}
