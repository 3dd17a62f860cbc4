//! One kind of request, counted.

use tabletheory::meter::Usage;

use crate::price;

/// What one request of a kind takes on average.
#[derive(Debug, Clone, PartialEq)]
pub struct Counted {
    /// The kind.
    pub what: &'static str,
    /// Calls of DynamoDB.
    pub calls: f64,
    /// Its read units.
    pub reads: f64,
    /// Its write units.
    pub writes: f64,
    /// Objects read from S3.
    pub gets: f64,
    /// Objects written to S3.
    pub puts: f64,
}

impl Counted {
    /// What the meter counted for this many requests. A write that is refused by its condition costs as much as one that is done,
    /// and its answer does not say so: `refused` is how many of the calls were such.
    pub(crate) fn of(what: &'static str, usage: Usage, requests: u32, refused: u32) -> Self {
        let requests = f64::from(requests);
        #[expect(clippy::cast_precision_loss, reason = "there are a few thousand calls")]
        let calls = usage.calls as f64;
        Self {
            what,
            calls: calls / requests,
            reads: usage.read_units / requests,
            writes: (usage.write_units + f64::from(refused)) / requests,
            gets: 0.0,
            puts: 0.0,
        }
    }

    /// With objects that it reads and writes.
    pub(crate) fn with_objects(self, gets: f64, puts: f64) -> Self {
        Self { gets, puts, ..self }
    }

    /// What a million of them cost.
    #[must_use]
    pub fn dollars(&self) -> f64 {
        self.reads * price::READ_UNITS
            + self.writes * price::WRITE_UNITS
            + self.gets * price::S3_GETS
            + self.puts * price::S3_PUTS
    }
}
