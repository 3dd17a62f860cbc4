//! The service's first look at a request: members that must be there, names from a fixed set, numbers in their range. It
//! collects every complaint and tells them together, before anything else about the request is judged.

use std::fmt::Display;

use tabletheory_core::StoreError;

use crate::shape::{Integer, Text};

/// A fixed set of names, in the order in which the service lists them, and what each means.
pub(crate) type Names<T> = [(&'static str, T)];

/// More complaints than this help nobody.
const COMPLAINTS_MAX: usize = 10;

/// Complaints about one request.
#[derive(Debug, Default)]
pub(crate) struct Constraints {
    complaints: Vec<String>,
}

impl Constraints {
    /// A member that must be there. Without it the default stands in, and [`Constraints::finish`] refuses.
    pub(crate) fn required<T: Default>(&mut self, member: impl Display, value: Option<T>) -> T {
        value.unwrap_or_else(|| {
            self.complain(member, "null", "Member must not be null");
            T::default()
        })
    }

    /// A member whose text is one of a set.
    pub(crate) fn one_of<T: Copy>(
        &mut self,
        member: impl Display,
        text: Option<Text<'_>>,
        names: &Names<T>,
    ) -> Option<T> {
        let text = text?;
        let found = names.iter().find(|(name, _)| *name == text.as_str()).map(|(_, meaning)| *meaning);
        if found.is_none() {
            let set: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
            let constraint = format!("Member must satisfy enum value set: [{}]", set.join(", "));
            self.complain(member, format_args!("'{}'", text.as_str()), &constraint);
        }
        found
    }

    /// A member that counts something. What is above the bounds of the store's own type is cut down to them: the store
    /// refuses it in its own words or cannot reach it.
    pub(crate) fn count(&mut self, member: impl Display, least: u32, number: Option<Integer>) -> Option<u32> {
        let Integer(number) = number?;
        if number < i64::from(least) {
            let constraint = format!("Member must have value greater than or equal to {least}");
            self.complain(member, format_args!("'{number}'"), &constraint);
            return None;
        }
        Some(u32::try_from(number).unwrap_or(u32::MAX))
    }

    /// Refuses the request if there was a complaint.
    pub(crate) fn finish(self) -> Result<(), StoreError> {
        let count = self.complaints.len();
        if count == 0 {
            return Ok(());
        }
        let plural = if count == 1 { "" } else { "s" };
        let complaints = self.complaints.join("; ");
        Err(StoreError::validation(format!("{count} validation error{plural} detected: {complaints}")))
    }

    fn complain(&mut self, member: impl Display, value: impl Display, constraint: &str) {
        if self.complaints.len() == COMPLAINTS_MAX {
            return;
        }
        self.complaints
            .push(format!("Value {value} at '{member}' failed to satisfy constraint: {constraint}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_are_told_together() {
        let mut constraints = Constraints::default();
        let table: Text<'_> = constraints.required("tableName", None);
        assert_eq!(table, Text::default());
        assert_eq!(constraints.count("limit", 1, Some(Integer(0))), None);
        assert_eq!(constraints.count("limit", 1, Some(Integer(i64::MAX))), Some(u32::MAX));
        let message = "2 validation errors detected: Value null at 'tableName' failed to satisfy constraint: Member must \
                       not be null; Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than \
                       or equal to 1";
        assert_eq!(constraints.finish(), Err(StoreError::validation(message)));
    }

    #[test]
    fn a_name_outside_the_set_is_answered_with_the_set() {
        let mut constraints = Constraints::default();
        let text: Text<'_> = serde_json::from_str("\"SOME\"").expect("a text");
        assert_eq!(constraints.one_of("select", Some(text), &[("COUNT", 1), ("ALL", 2)]), None);
        let message = "1 validation error detected: Value 'SOME' at 'select' failed to satisfy constraint: Member must \
                       satisfy enum value set: [COUNT, ALL]";
        assert_eq!(constraints.finish(), Err(StoreError::validation(message)));
    }
}
