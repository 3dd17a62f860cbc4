//! The functions of the language: their names, where they may stand and how many operands they take.

use super::super::kind::ExpressionKind;
use super::Parser;

/// A function. Names are case-sensitive, unlike keywords.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    AttributeExists,
    AttributeNotExists,
    AttributeType,
    BeginsWith,
    Contains,
    Size,
    IfNotExists,
    ListAppend,
}

impl Function {
    const ALL: [Self; 8] = [
        Self::AttributeExists,
        Self::AttributeNotExists,
        Self::AttributeType,
        Self::BeginsWith,
        Self::Contains,
        Self::Size,
        Self::IfNotExists,
        Self::ListAppend,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::AttributeExists => "attribute_exists",
            Self::AttributeNotExists => "attribute_not_exists",
            Self::AttributeType => "attribute_type",
            Self::BeginsWith => "begins_with",
            Self::Contains => "contains",
            Self::Size => "size",
            Self::IfNotExists => "if_not_exists",
            Self::ListAppend => "list_append",
        }
    }

    fn operands(self) -> usize {
        match self {
            Self::AttributeExists | Self::AttributeNotExists | Self::Size => 1,
            Self::AttributeType
            | Self::BeginsWith
            | Self::Contains
            | Self::IfNotExists
            | Self::ListAppend => 2,
        }
    }

    fn is_for_updates(self) -> bool {
        matches!(self, Self::IfNotExists | Self::ListAppend)
    }
}

impl Parser<'_, '_> {
    /// The function called `name`, if this kind of expression has it. Otherwise the fault is noted, and reading goes on
    /// only to see whether the text has an error that the service would name first.
    pub(super) fn function(&mut self, name: &str) -> Option<Function> {
        let Some(function) = Function::ALL.into_iter().find(|function| function.name() == name) else {
            self.faults.wording(|| format!("Invalid function name; function: {name}"));
            return None;
        };
        let updates = self.kind == ExpressionKind::Update;
        if function.is_for_updates() != updates {
            let place = if updates { "an update" } else { "a condition" };
            let complaint = format!("The function is not allowed in {place} expression; function: {name}");
            self.faults.wording(|| complaint);
            return None;
        }
        Some(function)
    }

    pub(super) fn misused(&mut self, function: Function) {
        let complaint = "The function is not allowed to be used this way in an expression;";
        self.faults.wording(|| format!("{complaint} function: {}", function.name()));
    }

    /// The operands as a pair, the second absent where the function takes one; `None` if their number is wrong.
    pub(super) fn operands<T>(&mut self, function: Function, operands: Vec<T>) -> Option<(T, Option<T>)> {
        let (wanted, count) = (function.operands(), operands.len());
        let mut operands = operands.into_iter();
        if let (true, Some(first)) = (count == wanted, operands.next()) {
            return Some((first, operands.next()));
        }
        self.faults.meaning(|| {
            let complaint = "Incorrect number of operands for operator or function;";
            format!("{complaint} operator or function: {}, number of operands: {count}", function.name())
        });
        None
    }

    pub(super) fn needs_path(&mut self, function: Function) {
        let complaint = "Operator or function requires a document path;";
        self.faults.meaning(|| format!("{complaint} operator or function: {}", function.name()));
    }
}
