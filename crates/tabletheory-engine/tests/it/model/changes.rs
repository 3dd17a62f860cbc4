//! Parts of a walk that change what tables, indexes and streams there are.

use tabletheory_core::schema::{StreamView, TableDescription};
use tabletheory_core::store::op::{
    CreateTable, DeleteTable, GlobalIndexUpdate, StreamUpdate, UpdateTable, UpdateTimeToLive,
};

use super::definitions::{self, TTL};
use super::table::{Index, Table};
use super::walk::Walk;

impl Walk {
    pub(super) fn change_tables(&mut self) {
        let table = self.author().table();
        let Some(known) = self.model.tables.get(&table) else { return self.create_table(&table) };
        if known.indexes.iter().any(|index| index.filling) && self.dice.chance(70) {
            return self.upkeep();
        }
        match self.dice.below(20) {
            0..10 => {
                let index = *self.dice.pick(&["extra", "wide"]);
                self.switch_index(&table, index);
            }
            10..15 => self.switch_ttl(&table),
            15..19 => {
                // Off and on again at the same moment, sometimes.
                self.switch_stream(&table);
                if self.dice.chance(40) {
                    self.switch_stream(&table);
                }
            }
            _ => {
                self.delete_table(&table);
                if self.dice.chance(40) {
                    self.create_table(&table);
                }
            }
        }
    }

    pub(super) fn create_table(&mut self, name: &str) {
        let request = definitions::table(name);
        let output = self.perform(request.clone()).expect("the table can be made");
        let again = self.perform::<CreateTable>(request.clone());
        assert_eq!(again.expect_err("the table is there").code(), "ResourceInUseException");
        let mut table = Table::new(&request);
        table.stream = request.stream.map(|view| self.begin_stream(name, view, &output.table));
        self.model.tables.insert(name.to_owned(), table);
        if name == "pairs" || name == "words" {
            self.switch_ttl(name);
        }
    }

    fn begin_stream(&mut self, name: &str, view: StreamView, described: &TableDescription) -> usize {
        let stream = described.stream.as_ref().expect("a stream was asked for");
        assert!(stream.enabled && stream.view == view, "the stream is as it was asked for");
        self.model.history.begin(name, view, stream.arn.clone())
    }

    fn delete_table(&mut self, name: &str) {
        self.perform(DeleteTable { table: name.to_owned() }).expect("the table can be deleted");
        let table = self.model.tables.remove(name).expect("the caller looked");
        if let Some(stream) = table.stream {
            self.model.history.streams[stream].ended = Some(self.model.now);
        }
    }

    fn update_table(&mut self, request: UpdateTable) -> Option<TableDescription> {
        let filling = self.model.tables[&request.table].indexes.iter().any(|index| index.filling);
        let answer = self.perform(request);
        if filling {
            assert_eq!(answer.expect_err("an index is being filled").code(), "ResourceInUseException");
            return None;
        }
        Some(answer.expect("the table can be changed").table)
    }

    /// Adds the index if it is not there, and removes it if it is.
    pub(super) fn switch_index(&mut self, name: &str, index: &str) {
        let there = self.model.tables[name].index(index).is_some();
        let definition = definitions::later_index(index);
        let update = if there {
            GlobalIndexUpdate::Delete { name: index.to_owned() }
        } else {
            GlobalIndexUpdate::Create(definition.clone())
        };
        let attributes = definitions::definitions(&definition.keys);
        let request = UpdateTable {
            table: name.to_owned(),
            attributes: attributes.clone(),
            global_indexes: vec![update],
            ..UpdateTable::default()
        };
        if self.update_table(request).is_none() {
            return;
        }
        let table = self.model.tables.get_mut(name).expect("the caller looked");
        if there {
            table.indexes.retain(|known| known.name != index);
        } else {
            table.kinds.extend(attributes.into_iter().map(|known| (known.name, known.kind)));
            table.indexes.push(Index {
                name: index.to_owned(),
                global: true,
                keys: definition.keys,
                projection: definition.projection,
                filling: true,
            });
        }
    }

    fn switch_ttl(&mut self, name: &str) {
        let enabled = self.model.tables[name].ttl.is_none();
        let request = UpdateTimeToLive { table: name.to_owned(), attribute: TTL.to_owned(), enabled };
        self.perform(request).expect("the time to live can be switched");
        let table = self.model.tables.get_mut(name).expect("the caller looked");
        table.ttl = enabled.then(|| TTL.to_owned());
    }

    fn switch_stream(&mut self, name: &str) {
        let views =
            [StreamView::KeysOnly, StreamView::NewImage, StreamView::OldImage, StreamView::NewAndOldImages];
        let view = *self.dice.pick(&views);
        let recording = self.model.tables[name].stream;
        let stream =
            Some(if recording.is_some() { StreamUpdate::Disable } else { StreamUpdate::Enable(view) });
        let request = UpdateTable { table: name.to_owned(), stream, ..UpdateTable::default() };
        let Some(described) = self.update_table(request) else { return };
        let stream = match recording {
            None => Some(self.begin_stream(name, view, &described)),
            Some(stream) => {
                self.model.history.streams[stream].ended = Some(self.model.now);
                None
            }
        };
        self.model.tables.get_mut(name).expect("the caller looked").stream = stream;
    }
}
