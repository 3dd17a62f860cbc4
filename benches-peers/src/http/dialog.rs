//! What one connection says and what it must hear: the script of a workload, or the filling of a table.

use anyhow::{Result, ensure};

use super::request;
use super::template::{Field, Template};
use crate::record::{Key, PARTITION_ITEMS, Record};
use crate::workload::{COUNT, REPLACE, Script, Step, Workload};

/// The most that one BatchWriteItem takes.
const BATCH: usize = 25;

/// One side of a conversation, with one request at a time.
pub(crate) trait Dialog {
    /// The next request, or `None` if all is said.
    fn next(&mut self) -> Option<&[u8]>;

    /// Refuses a body that is not the right one. The status was 200.
    fn check(&self, body: &[u8]) -> Result<()>;
}

/// A writer or reader of a workload. It never ends by itself.
#[derive(Debug)]
pub(crate) struct Speaker {
    script: Script,
    request: Template,
    /// What an answer must contain.
    marks: Vec<Template>,
}

impl Speaker {
    /// The speaker with this number in a round.
    pub(crate) fn new(workload: Workload, round: u32, number: u64) -> Self {
        let item = Key { pk: format!("P#{}", Field::Partition.mark()), sk: sort(Field::Sort) };
        let own = |kind, sk| Key { sk, ..Key::of_writer(kind, round, number, 0) };
        let last = Key { sk: format!("S#{:06}", PARTITION_ITEMS - 1), ..item.clone() };
        let title = |key: &Key| Record::new(key.clone()).title.trim_end().to_owned();
        let (request, marks) = match workload {
            Workload::GetHot | Workload::Get { .. } | Workload::GetAmong { .. } => {
                (request::get(&item), vec![title(&item)])
            }
            Workload::Put { .. } => (request::put(&Record::new(item)), Vec::new()),
            Workload::Query { .. } => {
                (request::query(&item.pk), vec![format!("\"Count\":{PARTITION_ITEMS}"), title(&last)])
            }
            Workload::Replace => {
                let put = Record::new(own(REPLACE, sort(Field::Sort)));
                let token = format!("bench-{round:04}-{number:05}-{}", Field::Sort.mark());
                (request::replace(&put, &own(REPLACE, sort(Field::SortBefore)), &token), Vec::new())
            }
            Workload::Count => (request::count(&Key::of_writer(COUNT, round, number, 0)), Vec::new()),
        };
        let marks = marks.into_iter().map(Template::new).collect();
        Self { script: Script::new(workload, round, number), request: Template::new(request), marks }
    }

    fn fill(&mut self, field: Field, number: u64) {
        self.request.fill(field, number);
        self.marks.iter_mut().for_each(|mark| mark.fill(field, number));
    }
}

fn sort(field: Field) -> String {
    format!("S#{}", field.mark())
}

impl Dialog for Speaker {
    fn next(&mut self) -> Option<&[u8]> {
        match self.script.advance() {
            Step::Get(number) | Step::Put(number) => {
                self.fill(Field::Partition, number / PARTITION_ITEMS);
                self.fill(Field::Sort, number % PARTITION_ITEMS);
            }
            Step::Query(partition) => self.fill(Field::Partition, partition),
            Step::Replace(step) => {
                self.fill(Field::Sort, step);
                self.fill(Field::SortBefore, step - 1);
            }
            Step::Count(step) => self.marks = vec![Template::new(format!("{{\"N\":\"{step}\"}}"))],
        }
        Some(self.request.bytes())
    }

    fn check(&self, body: &[u8]) -> Result<()> {
        for mark in &self.marks {
            ensure!(
                memchr::memmem::find(body, mark.bytes()).is_some(),
                "no `{}` in the answer {}",
                String::from_utf8_lossy(mark.bytes()),
                String::from_utf8_lossy(body)
            );
        }
        Ok(())
    }
}

/// Fills a table in batches, and ends.
#[derive(Debug)]
pub(crate) struct Filler {
    records: Vec<Record>,
    request: String,
}

impl Filler {
    /// Shares the records among this many connections.
    pub(crate) fn share(records: impl Iterator<Item = Record>, connections: u64) -> Vec<Self> {
        let mut fillers: Vec<Self> =
            (0..connections).map(|_| Self { records: Vec::new(), request: String::new() }).collect();
        let count = fillers.len();
        for (number, record) in records.enumerate() {
            // Whole batches in turn, so that the table grows in the order of its keys.
            fillers[number / BATCH % count].records.push(record);
        }
        fillers.iter_mut().for_each(|filler| filler.records.reverse());
        fillers
    }
}

impl Dialog for Filler {
    fn next(&mut self) -> Option<&[u8]> {
        if self.records.is_empty() {
            return None;
        }
        let rest = self.records.len().saturating_sub(BATCH);
        let mut batch = self.records.split_off(rest);
        batch.reverse();
        self.request = request::batch(&batch);
        Some(self.request.as_bytes())
    }

    fn check(&self, body: &[u8]) -> Result<()> {
        ensure!(
            memchr::memmem::find(body, b"\"UnprocessedItems\":{}").is_some(),
            "a batch was not written whole: {}",
            String::from_utf8_lossy(body)
        );
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> String {
        String::from_utf8(bytes.to_vec()).expect("a request is text")
    }

    #[test]
    fn a_speaker_says_what_the_script_says() {
        let workload = Workload::Put { items: 1000 };
        let mut script = Script::new(workload, 2, 5);
        let mut speaker = Speaker::new(workload, 2, 5);
        for _ in 0..50 {
            let crate::contender::Operation::Put(record) = script.next() else { panic!("a put") };
            assert_eq!(text(speaker.next().expect("it never ends")), request::put(&record));
        }
    }

    #[test]
    fn a_replacement_over_http_deletes_what_the_one_before_put() {
        let mut script = Script::new(Workload::Replace, 1, 3);
        let mut speaker = Speaker::new(Workload::Replace, 1, 3);
        for step in 1..5 {
            let crate::contender::Operation::Replace { put, delete } = script.next() else { panic!("one") };
            let token = format!("bench-0001-00003-{step:06}");
            assert_eq!(text(speaker.next().expect("it never ends")), request::replace(&put, &delete, &token));
        }
    }

    #[test]
    fn a_wrong_answer_is_refused() {
        let mut speaker = Speaker::new(Workload::Count, 1, 1);
        speaker.next();
        speaker.next();
        assert!(speaker.check(br#"{"Attributes":{"hits":{"N":"2"}}}"#).is_ok());
        assert!(speaker.check(br#"{"Attributes":{"hits":{"N":"1"}}}"#).is_err());
        let mut speaker = Speaker::new(Workload::Query { items: 20 }, 1, 1);
        speaker.next();
        let whole = br#"{"Items":[{"title":{"S":"page S#000019 of P#0000000000"}}],"Count":20}"#;
        assert!(speaker.check(whole).is_ok());
        assert!(speaker.check(br#"{"Items":[],"Count":20}"#).is_err());
    }

    #[test]
    fn fillers_write_every_record_once() {
        let records = || (0..1003).map(Record::numbered);
        let mut said: Vec<String> = Vec::new();
        for mut filler in Filler::share(records(), 4) {
            while let Some(request) = filler.next() {
                said.push(text(request));
            }
        }
        assert_eq!(said.len(), 41, "forty full batches and one of three");
        for record in records() {
            assert_eq!(said.iter().filter(|request| request.contains(&record.title)).count(), 1);
        }
    }
}
