//! Bytes with numbers to be filled in: a request, or what its answer must contain. All fields have a fixed width, so a
//! request is prepared once and only digits change; the generator has to stay far cheaper than the servers it measures.

/// A number in a template. Its place is marked by a run of its letter as wide as the number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    /// The number of a partition.
    Partition,
    /// The number of a sort key.
    Sort,
    /// The number of the sort key before.
    SortBefore,
}

impl Field {
    const ALL: [Self; 3] = [Self::Partition, Self::Sort, Self::SortBefore];

    /// The text that marks its place.
    pub(crate) fn mark(self) -> &'static str {
        match self {
            Self::Partition => "@@@@@@@@@@",
            Self::Sort => "^^^^^^",
            Self::SortBefore => "~~~~~~",
        }
    }
}

/// Bytes with places for numbers.
#[derive(Debug, Clone)]
pub(crate) struct Template {
    bytes: Vec<u8>,
    places: Vec<(Field, usize)>,
}

impl Template {
    /// Finds the marks in a text.
    pub(crate) fn new(text: String) -> Self {
        let bytes = text.into_bytes();
        let places = Field::ALL
            .into_iter()
            .flat_map(|field| {
                let found = memchr::memmem::find_iter(&bytes, field.mark()).map(move |at| (field, at));
                found.collect::<Vec<_>>()
            })
            .collect();
        Self { bytes, places }
    }

    /// Writes a number wherever the field stands.
    pub(crate) fn fill(&mut self, field: Field, number: u64) {
        let width = field.mark().len();
        for (_, at) in self.places.iter().filter(|(other, _)| *other == field) {
            write_digits(&mut self.bytes[*at..at + width], number);
        }
    }

    /// The bytes as they are now.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

fn write_digits(place: &mut [u8], number: u64) {
    let mut rest = number;
    for digit in place.iter_mut().rev() {
        *digit = b'0' + u8::try_from(rest % 10).expect("a digit is below ten");
        rest /= 10;
    }
    assert!(rest == 0, "{number} is wider than its place");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_goes_wherever_its_field_stands() {
        let mut template = Template::new("P#@@@@@@@@@@ S#^^^^^^ P#@@@@@@@@@@ S#~~~~~~".to_owned());
        template.fill(Field::Partition, 42);
        template.fill(Field::Sort, 7);
        template.fill(Field::SortBefore, 6);
        assert_eq!(template.bytes(), b"P#0000000042 S#000007 P#0000000042 S#000006");
        template.fill(Field::Sort, 999_999);
        assert_eq!(template.bytes(), b"P#0000000042 S#999999 P#0000000042 S#000006");
    }

    #[test]
    #[should_panic(expected = "wider than its place")]
    fn a_number_that_does_not_fit_is_refused() {
        Template::new("^^^^^^".to_owned()).fill(Field::Sort, 1_000_000);
    }
}
