//! Where DynamoDB Local of January 2020 and the service are known to differ, and we do as the service: one table.

mod fault;
mod faults;

use serde_json::Value as Json;

use super::answer::{Answer, Reason, Refusal};
use super::generate::Operation;
use super::tables::{IndexShape, Projection, TableShape};
use fault::Fault;

/// One operation with both answers, which differ.
#[derive(Debug, Clone, Copy)]
pub(super) struct Case<'c> {
    pub operation: &'c Operation,
    pub local: &'c Answer,
    pub ours: &'c Answer,
}

/// A difference that is known.
struct Known {
    name: &'static str,
    /// Why Local is wrong, or why it does not matter.
    reason: &'static str,
    explains: fn(&Case<'_>) -> bool,
}

const KNOWN: &[Known] = &[
    Known {
        name: "empty values",
        reason: "until May 2020 no attribute could be an empty string or empty bytes",
        explains: |case| case.local_fault("empty value") && case.has_empty_value(),
    },
    Known {
        name: "no item with a failed condition",
        reason: "ReturnValuesOnConditionCheckFailure of single writes came in 2023",
        explains: |case| match case.refusals() {
            Some((local, ours)) => {
                let without = Refusal { item: None, ..ours.clone() };
                ours.item.is_some() && *local == without && case.asks("ReturnValuesOnConditionCheckFailure")
            }
            None => false,
        },
    },
    Known {
        name: "nothing is made by taking away",
        reason: "an update that only removes makes no item in the service; Local makes one of the key alone, and looks for \
                 the paths in it",
        explains: |case| {
            let makes = case.ours.is_done() && case.local.is_done();
            let goes_on = case.ours.is_done() || case.our_class("TransactionCanceledException");
            let looks = goes_on && case.local_fault("path missing");
            case.only_takes_away() && (makes || looks)
        },
    },
    Known {
        name: "whole attributes of UPDATED_OLD and UPDATED_NEW",
        reason: "the service returns the changed parts of documents; Local returns the attributes whole when other \
                 attributes are changed too",
        explains: |case| match (case.local, case.ours) {
            (Answer::Done(local), Answer::Done(ours)) => {
                let returns = case.operation.body["ReturnValues"].as_str().unwrap_or_default();
                returns.starts_with("UPDATED_") && is_part_of(&ours["Attributes"], &local["Attributes"])
            }
            _ => false,
        },
    },
    Known {
        name: "update of nothing",
        reason: "an update without actions that asks for UPDATED_OLD or UPDATED_NEW breaks Local",
        explains: |case| {
            let body = &case.operation.body;
            let has_actions =
                ["UpdateExpression", "AttributeUpdates"].iter().any(|name| body.get(name).is_some());
            case.local_class("InternalFailure") && case.operation.name == "UpdateItem" && !has_actions
        },
    },
    Known {
        name: "index keys of the wrong type",
        reason: "Local takes updates that give an index key another type",
        explains: |case| {
            let among_others = case.refusals().is_some_and(|(local, ours)| {
                let as_many = !ours.reasons.is_empty() && local.reasons.len() == ours.reasons.len();
                let mut pairs = local.reasons.iter().zip(&ours.reasons);
                as_many && pairs.all(|(local, ours)| is_ordered(local, ours) || is_unseen(local, ours))
            });
            case.our_fault("index key") && (case.local.is_done() || among_others)
        },
    },
    Known {
        name: "Local breaks",
        reason: "numbers too large in a transaction, index keys of the wrong type, and NULL as a key condition are internal \
                 failures there",
        explains: |case| case.local_class("InternalFailure") && !case.ours.is_done(),
    },
    Known {
        name: "the word size",
        reason: "SIZE is a reserved word; Local takes it as a name, because it is a function too",
        explains: |case| match case.ours {
            Answer::Refused(refusal) => refusal.message.ends_with("reserved keyword: size"),
            Answer::Done(_) => false,
        },
    },
    Known {
        name: "attributes asked for twice",
        reason: "the service refuses a name twice in AttributesToGet; Local only when it gets items by key",
        explains: |case| case.local.is_done() && case.our_fault("attribute named twice"),
    },
    Known {
        name: "projection beyond a global index",
        reason: "the service refuses what a global index does not carry; Local reads the table instead",
        explains: |case| case.local.is_done() && case.our_fault("projection beyond the index"),
    },
    Known {
        name: "ALL_ATTRIBUTES of a global index",
        reason: "the service refuses it where the index does not carry all; Local reads the table instead",
        explains: |case| match case.ours {
            Answer::Refused(refusal) => {
                let words = "Select type ALL_ATTRIBUTES is not supported for global secondary index";
                case.local.is_done() && refusal.message.contains(words)
            }
            Answer::Done(_) => false,
        },
    },
    Known {
        name: "scan filter beyond an index",
        reason: "a filter sees what the index carries; Local's filter sees the whole item",
        explains: |case| {
            let filters = case.asks("FilterExpression") || case.asks("ScanFilter");
            let partial = case.index().is_some_and(|index| !matches!(index.projection, Projection::All));
            case.operation.name == "Scan" && case.local.is_done() && case.ours.is_done() && filters && partial
        },
    },
    Known {
        name: "a prefix of the highest bytes",
        reason: "no bytes come after those that begin with 255; Local returns all",
        explains: |case| {
            let text = case.operation.body.to_string();
            let prefix = text.contains("begins_with") || text.contains("BEGINS_WITH");
            let both = case.local.is_done() && case.ours.is_done();
            case.operation.name == "Query" && both && prefix && text.contains(r#"{"B":"/w=="}"#)
        },
    },
    Known {
        name: "both kinds of parameters in one batch",
        reason: "each table of a batch has parameters of its own; Local counts them together",
        explains: |case| {
            case.operation.name == "BatchGetItem" && case.local_fault("both kinds of parameters")
        },
    },
    Known {
        name: "key paths of a ConditionCheck",
        reason: "a key has no inside; Local does not look for such paths in the condition of a ConditionCheck",
        explains: |case| {
            let checks = case.operation.body.to_string().contains(r#"{"ConditionCheck":"#);
            case.local.is_done() && case.our_fault("nested key") && checks
        },
    },
    Known {
        name: "key paths of a projection",
        reason: "a key has no inside; Local sees that of a projection only after it has looked at what the index carries",
        explains: |case| {
            let is_late = case.local_fault("projection beyond the index") && case.our_fault("nested key");
            is_late && case.asks("ProjectionExpression")
        },
    },
    Known {
        name: "the end of a range",
        reason: "the service says where it stopped whenever it stopped at a limit; Local knows that nothing lies behind an \
                 inclusive bound, and refuses to start there",
        explains: |case| match (case.local, case.ours) {
            (Answer::Done(Json::Array(local)), Answer::Done(Json::Array(ours))) => {
                matches!(ours.split_last(), Some((last, rest)) if last["ScannedCount"] == 0 && rest == local)
            }
            (Answer::Refused(_), Answer::Done(Json::Array(ours))) => {
                case.local_fault("starting key") && ours.iter().all(|page| page["ScannedCount"] == 0)
            }
            _ => false,
        },
    },
    Known {
        name: "reasons of a transaction",
        reason: "what an item does not allow cancels a transaction, with a reason for each operation; Local answers with \
                 the error of the one operation it came to, or without reasons",
        explains: |case| match case.refusals() {
            Some((local, ours)) => {
                let without = ours.class == "TransactionCanceledException" && local.reasons.is_empty();
                let mut reasons = ours.reasons.iter().filter_map(|reason| reason.message.as_deref());
                // Which of several bad actions of an update is named is nowhere said.
                let same = |reason: &str| {
                    let mut faults = Fault::of(&local.message);
                    faults.any(|one| {
                        Fault::of(reason).any(|two| one.name == two.name || Fault::explains(one, two))
                    })
                };
                without && reasons.any(same)
            }
            None => false,
        },
    },
    Known {
        name: "other words",
        reason: "the jar's messages are those of 2020 or its own",
        explains: |case| match case.refusals() {
            Some((local, ours)) => {
                let same_items = |(one, two): (&Reason, &Reason)| {
                    let words = [one, two].map(|reason| reason.message.as_deref().unwrap_or_default());
                    one.code == two.code && one.item == two.item && Fault::is_same(words[0], words[1])
                };
                let as_many = local.reasons.len() == ours.reasons.len();
                let reasons = as_many && local.reasons.iter().zip(&ours.reasons).all(same_items);
                let words = !ours.reasons.is_empty() || Fault::is_same(&local.message, &ours.message);
                local.class == ours.class && local.item == ours.item && reasons && words
            }
            None => false,
        },
    },
    Known {
        name: "two faults of one operation",
        reason: "of two faults each store names the one it looks for first",
        explains: |case| match case.refusals() {
            Some((local, ours)) if local.reasons.is_empty() && ours.reasons.is_empty() => {
                let ours = Fault::all(ours);
                Fault::all(local).iter().any(|one| ours.iter().any(|two| Fault::explains(one, two)))
            }
            // Of a transaction, each operation may have two.
            Some((local, ours)) if local.reasons.len() == ours.reasons.len() => {
                local.reasons.iter().zip(&ours.reasons).all(|(local, ours)| is_ordered(local, ours))
            }
            _ => false,
        },
    },
    Known {
        name: "faults of several operations",
        reason: "the service reads all operations of a transaction or batch before it begins with one; Local finishes one \
                 after the other",
        explains: |case| {
            let many = case.asks("TransactItems") || case.asks("RequestItems");
            let known = |refusal: &Refusal| !Fault::all(refusal).is_empty();
            match case.refusals() {
                Some((local, ours)) => {
                    let early = Fault::all(ours).iter().any(|fault| fault.is_of_request());
                    many && known(local) && early && ours.reasons.is_empty()
                }
                None => false,
            }
        },
    },
];

/// Whether the reasons are for the same fault, or for two of which each store names the one it looks for first.
fn is_ordered(local: &Reason, ours: &Reason) -> bool {
    let [local, ours] = [local, ours].map(|reason| reason.message.as_deref().unwrap_or_default());
    let mut faults = Fault::of(local);
    Fault::is_same(local, ours) || faults.any(|one| Fault::of(ours).any(|two| Fault::explains(one, two)))
}

/// Whether Local saw nothing where we saw an index key of the wrong type.
fn is_unseen(local: &Reason, ours: &Reason) -> bool {
    let message = ours.message.as_deref().unwrap_or_default();
    local.code == "None" && Fault::of(message).any(|fault| fault.name == "index key")
}

/// The name of the known difference that explains this case.
pub(super) fn explain(case: &Case<'_>) -> Option<&'static str> {
    KNOWN.iter().find(|known| (known.explains)(case)).map(|known| known.name)
}

/// What a refusal for which both stores have other words is for.
pub(super) fn fault_name(case: &Case<'_>) -> Option<&'static str> {
    let (local, ours) = case.refusals()?;
    let ours = Fault::all(ours);
    Fault::all(local).into_iter().find(|one| ours.iter().any(|two| one.name == two.name)).map(|one| one.name)
}

/// Why the difference of this name does not count.
pub(super) fn reason(name: &str) -> &'static str {
    KNOWN.iter().find(|known| known.name == name).map_or("", |known| known.reason)
}

/// Whether it is known that the operation leaves other items in Local, although both answered the same.
pub(super) fn explain_items(operation: &Operation) -> Option<&'static str> {
    let writes = operation.body["TransactItems"].as_array();
    let takes_away = |body: &Json| body.get("Key").is_some() && only_takes_away(body);
    let any = match writes {
        Some(writes) => writes.iter().any(|write| write.get("Update").is_some_and(takes_away)),
        None => operation.name == "UpdateItem" && takes_away(&operation.body),
    };
    any.then_some("nothing is made by taking away")
}

impl Case<'_> {
    /// What kind of difference this is, for counting.
    pub(super) fn class(&self) -> String {
        let brief = |answer: &Answer| match answer {
            Answer::Done(_) => "done".to_owned(),
            Answer::Refused(refusal) => {
                let start: String = refusal.message.chars().take(90).collect();
                format!("{} {:?} {start}", refusal.class, refusal.codes())
            }
        };
        format!("{}: local {} / ours {}", self.operation.name, brief(self.local), brief(self.ours))
    }

    /// The whole case, for reading.
    pub(super) fn shown(&self) -> String {
        format!("  request {}\n  local {:?}\n  ours  {:?}", self.operation.body, self.local, self.ours)
    }

    fn refusals(&self) -> Option<(&Refusal, &Refusal)> {
        match (self.local, self.ours) {
            (Answer::Refused(local), Answer::Refused(ours)) => Some((local, ours)),
            _ => None,
        }
    }

    fn local_class(&self, class: &str) -> bool {
        matches!(self.local, Answer::Refused(refusal) if refusal.class == class)
    }

    fn our_class(&self, class: &str) -> bool {
        matches!(self.ours, Answer::Refused(refusal) if refusal.class == class)
    }

    fn local_fault(&self, name: &str) -> bool {
        has_fault(self.local, name)
    }

    fn our_fault(&self, name: &str) -> bool {
        has_fault(self.ours, name)
    }

    fn asks(&self, parameter: &str) -> bool {
        self.operation.body.get(parameter).is_some()
    }

    fn has_empty_value(&self) -> bool {
        let text = self.operation.body.to_string();
        text.contains(r#"{"S":""}"#) || text.contains(r#"{"B":""}"#)
    }

    fn only_takes_away(&self) -> bool {
        explain_items(self.operation).is_some()
    }

    fn index(&self) -> Option<&'static IndexShape> {
        let table = TableShape::named(self.operation.body["TableName"].as_str()?)?;
        table.index(self.operation.body["IndexName"].as_str()?)
    }
}

fn has_fault(answer: &Answer, name: &str) -> bool {
    match answer {
        Answer::Refused(refusal) => Fault::all(refusal).iter().any(|fault| fault.name == name),
        Answer::Done(_) => false,
    }
}

/// Whether an update has no action that gives an attribute a value.
fn only_takes_away(body: &Json) -> bool {
    if let Some(text) = body["UpdateExpression"].as_str() {
        let text = text.to_lowercase();
        return !text.contains("set ") && !text.contains("add ");
    }
    match body["AttributeUpdates"].as_object() {
        Some(updates) => updates.values().all(|update| update["Action"] == "DELETE"),
        None => false,
    }
}

/// Whether every value in `part` is in `whole` at the same place.
fn is_part_of(part: &Json, whole: &Json) -> bool {
    match (part, whole) {
        (Json::Object(part), Json::Object(whole)) => {
            part.iter().all(|(name, value)| whole.get(name).is_some_and(|other| is_part_of(value, other)))
        }
        (Json::Array(part), Json::Array(whole)) => {
            part.iter().all(|value| whole.iter().any(|other| is_part_of(value, other)))
        }
        (Json::Null, _) => true,
        _ => part == whole,
    }
}
