//! How far a copy is, on stderr: a bar, hidden where that is no terminal.

use indicatif::{ProgressBar, ProgressStyle};
use theory_copy::Event;

const TEMPLATE: &str = "{msg} {bar:30} {human_pos}/{human_len} items  {per_sec}  {eta}";

/// The bar of a copy.
pub(super) struct Bar {
    bar: ProgressBar,
}

impl Bar {
    pub(super) fn new() -> Self {
        let bar = ProgressBar::new(0);
        bar.set_style(ProgressStyle::with_template(TEMPLATE).expect("the template is written by hand"));
        Self { bar }
    }

    /// Something else begins, of about so many items.
    pub(super) fn begin(&self, what: &str, items: u64) {
        self.bar.reset();
        self.bar.set_length(items);
        self.bar.set_message(what.to_owned());
    }

    pub(super) fn add(&self, items: u64) {
        self.bar.inc(items);
    }

    pub(super) fn tell(&self, event: &Event<'_>) {
        match event {
            Event::Table(table) => self.begin(&format!("copying {}", table.pair.from), table.items),
            Event::Copied(progress) => self.bar.set_position(progress.read),
            Event::Verifying(table) => {
                let items = self.bar.position().max(table.items);
                self.begin(&format!("comparing {}", table.pair.from), items.saturating_mul(2));
            }
            Event::Read(items) => self.add(*items),
            _ => {}
        }
    }

    pub(super) fn end(&self) {
        self.bar.finish_and_clear();
    }
}
