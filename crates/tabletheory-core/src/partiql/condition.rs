//! The condition of a `WHERE` clause: OR, AND, NOT, then comparisons, then operands and functions.

use super::cursor::Cursor;
use super::lexer::Lexeme;
use super::refusal::malformed;
use super::{literal, operand, path};
use crate::error::StoreError;
use crate::expr::{Comparator, Condition, Operand};
use crate::limits::IN_OPERANDS_MAX;
use crate::value::{Value, ValueType};

/// A condition.
pub(super) fn condition(cursor: &mut Cursor<'_>) -> Result<Condition, StoreError> {
    disjunction(cursor)?.condition()
}

/// What stands at some place of a condition. Parentheses may hold either, and a condition may be compared with a truth
/// value, so which one it is shows only afterwards.
enum Term {
    Operand(Operand),
    Condition(Condition),
}

impl Term {
    fn condition(self) -> Result<Condition, StoreError> {
        match self {
            Self::Condition(condition) => Ok(condition),
            Self::Operand(_) => Err(malformed("Expected condition")),
        }
    }

    fn operand(self, operator: &str) -> Result<Operand, StoreError> {
        match self {
            Self::Operand(operand) => Ok(operand),
            Self::Condition(_) => Err(operand::incorrect_type(operator, ValueType::Bool)),
        }
    }
}

fn disjunction(cursor: &mut Cursor<'_>) -> Result<Term, StoreError> {
    let mut left = conjunction(cursor)?;
    while cursor.take_word("or") {
        cursor.count_operator()?;
        cursor.expect_right_side()?;
        let right = conjunction(cursor)?;
        left = Term::Condition(left.condition()?.or(right.condition()?));
    }
    Ok(left)
}

fn conjunction(cursor: &mut Cursor<'_>) -> Result<Term, StoreError> {
    let mut left = negation(cursor)?;
    while cursor.take_word("and") {
        cursor.count_operator()?;
        cursor.expect_right_side()?;
        let right = negation(cursor)?;
        left = Term::Condition(left.condition()?.and(right.condition()?));
    }
    Ok(left)
}

fn negation(cursor: &mut Cursor<'_>) -> Result<Term, StoreError> {
    if !cursor.take_word("not") {
        return comparison(cursor);
    }
    cursor.count_operator()?;
    let negated = cursor.nested(negation)?.condition()?;
    Ok(Term::Condition(!negated))
}

/// What may follow an operand.
enum Infix {
    Compare(Comparator),
    Between,
    In,
    Is,
    Like,
}

fn comparison(cursor: &mut Cursor<'_>) -> Result<Term, StoreError> {
    let mut left = primary(cursor)?;
    loop {
        let negated = cursor.is_word_ahead(0, "not");
        let Some(infix) = infix(cursor, usize::from(negated)) else { return Ok(left) };
        if negated {
            if matches!(infix, Infix::Compare(_) | Infix::Is) {
                return Ok(left);
            }
            cursor.advance();
        }
        let place = cursor.place();
        cursor.advance();
        cursor.count_operator()?;
        cursor.expect_right_side()?;
        let condition = match infix {
            Infix::Compare(comparator) => compare(left, comparator, primary(cursor)?)?,
            Infix::Between => between(cursor, left)?,
            Infix::In => membership(cursor, left)?,
            Infix::Is => is(cursor, left)?,
            Infix::Like => {
                return Err(StoreError::validation(format!("Unsupported operator: LIKE at {place}")));
            }
        };
        left = Term::Condition(if negated { !condition } else { condition });
    }
}

fn infix(cursor: &Cursor<'_>, ahead: usize) -> Option<Infix> {
    Some(match cursor.peek_ahead(ahead)? {
        Lexeme::Symbol("=") => Infix::Compare(Comparator::Eq),
        Lexeme::Symbol("<>" | "!=") => Infix::Compare(Comparator::Ne),
        Lexeme::Symbol("<") => Infix::Compare(Comparator::Lt),
        Lexeme::Symbol("<=") => Infix::Compare(Comparator::Le),
        Lexeme::Symbol(">") => Infix::Compare(Comparator::Gt),
        Lexeme::Symbol(">=") => Infix::Compare(Comparator::Ge),
        Lexeme::Keyword("between") => Infix::Between,
        Lexeme::Keyword("in") => Infix::In,
        Lexeme::Keyword("is") => Infix::Is,
        Lexeme::Keyword("like") => Infix::Like,
        _ => return None,
    })
}

fn compare(left: Term, comparator: Comparator, right: Term) -> Result<Condition, StoreError> {
    match (left, right) {
        (Term::Operand(left), Term::Operand(right)) => {
            if operand::orders(comparator) {
                operand::check_ordered(&left, comparator.symbol())?;
                operand::check_ordered(&right, comparator.symbol())?;
            }
            Ok(Condition::Compare(left, comparator, right))
        }
        // `attribute_exists(a) = true`. A condition has no place among operands, but this one needs none.
        (Term::Condition(condition), Term::Operand(Operand::Value(Value::Bool(truth))))
        | (Term::Operand(Operand::Value(Value::Bool(truth))), Term::Condition(condition))
            if !operand::orders(comparator) =>
        {
            Ok(if truth == (comparator == Comparator::Eq) { condition } else { !condition })
        }
        _ => Err(operand::incorrect_type(comparator.symbol(), ValueType::Bool)),
    }
}

fn between(cursor: &mut Cursor<'_>, left: Term) -> Result<Condition, StoreError> {
    let tested = left.operand("BETWEEN")?;
    let low = primary(cursor)?.operand("BETWEEN")?;
    cursor.expect_word("and")?;
    cursor.expect_right_side()?;
    let high = primary(cursor)?.operand("BETWEEN")?;
    for operand in [&tested, &low, &high] {
        operand::check_ordered(operand, "BETWEEN")?;
    }
    Ok(Condition::Between(tested, low, high))
}

/// `IN [a, b]` and `IN (a, b)`.
fn membership(cursor: &mut Cursor<'_>, left: Term) -> Result<Condition, StoreError> {
    let tested = left.operand("IN")?;
    let (close, name) = if cursor.take_symbol("[") {
        ("]", "RIGHT_BRACKET")
    } else if cursor.take_symbol("(") {
        (")", "RIGHT_PAREN")
    } else {
        return Err(cursor.unexpected());
    };
    let mut candidates = Vec::new();
    loop {
        candidates.push(primary(cursor)?.operand("IN")?);
        if !cursor.take_symbol(",") {
            break;
        }
    }
    cursor.expect_symbol(close, name)?;
    if candidates.len() > IN_OPERANDS_MAX {
        return Err(StoreError::validation(format!(
            "The IN operator is provided with too many operands; number of operands: {}",
            candidates.len()
        )));
    }
    Ok(Condition::In(tested, candidates))
}

/// `IS [NOT] MISSING`, `IS [NOT] NULL` and `IS [NOT]` a type.
fn is(cursor: &mut Cursor<'_>, left: Term) -> Result<Condition, StoreError> {
    let path = operand::document_path(left.operand("IS")?, "IS")?;
    let negated = cursor.take_word("not");
    if cursor.take_word("missing") {
        let missing = Condition::AttributeNotExists(path.clone());
        return Ok(if negated { Condition::AttributeExists(path) } else { missing });
    }
    let kind = type_name(cursor).ok_or_else(|| malformed("Expected type name"))?;
    let typed = Condition::AttributeType(path, Value::s(kind.name()).into());
    Ok(if negated { !typed } else { typed })
}

/// The type of DynamoDB behind one of PartiQL's, if its name comes next.
fn type_name(cursor: &mut Cursor<'_>) -> Option<ValueType> {
    const NAMES: [(&str, ValueType); 20] = [
        ("null", ValueType::Null),
        ("bool", ValueType::Bool),
        ("boolean", ValueType::Bool),
        ("string", ValueType::S),
        ("char", ValueType::S),
        ("varchar", ValueType::S),
        ("int", ValueType::N),
        ("int4", ValueType::N),
        ("int8", ValueType::N),
        ("integer", ValueType::N),
        ("smallint", ValueType::N),
        ("bigint", ValueType::N),
        ("float", ValueType::N),
        ("real", ValueType::N),
        ("decimal", ValueType::N),
        ("numeric", ValueType::N),
        ("blob", ValueType::B),
        ("list", ValueType::L),
        ("struct", ValueType::M),
        ("tuple", ValueType::M),
    ];
    for (first, second, kind) in
        [("double", "precision", ValueType::N), ("character", "varying", ValueType::S)]
    {
        if cursor.is_word_ahead(0, first) && cursor.is_word_ahead(1, second) {
            cursor.advance();
            cursor.advance();
            return Some(kind);
        }
    }
    NAMES.into_iter().find(|(name, _)| cursor.take_word(name)).map(|(_, kind)| kind)
}

fn primary(cursor: &mut Cursor<'_>) -> Result<Term, StoreError> {
    if cursor.take_symbol("(") {
        let term = cursor.nested(disjunction)?;
        cursor.expect_symbol(")", "RIGHT_PAREN")?;
        return Ok(term);
    }
    if literal::is_next(cursor) {
        return literal::value(cursor).map(Operand::Value).map(Term::Operand);
    }
    if let Some(function) = cursor.called_function() {
        return call(cursor, &function);
    }
    match path::path(cursor)? {
        Some(path) => Ok(Term::Operand(Operand::Path(path))),
        None => Err(cursor.unexpected()),
    }
}

fn call(cursor: &mut Cursor<'_>, function: &str) -> Result<Term, StoreError> {
    let wanted = match function {
        "attribute_exists" | "attribute_not_exists" | "size" => 1,
        "attribute_type" | "begins_with" | "contains" => 2,
        _ => {
            let place = cursor.place();
            return Err(StoreError::validation(format!("Unrecognized function: {function} at {place}")));
        }
    };
    cursor.count_operator()?;
    let arguments = arguments(cursor, function)?;
    if arguments.len() != wanted {
        return Err(StoreError::validation(format!(
            "Incorrect number of operands for operator or function; operator or function: {function}, \
             number of operands: {}",
            arguments.len()
        )));
    }
    let mut arguments = arguments.into_iter();
    let mut next = || arguments.next().expect("the arguments were counted");
    Ok(Term::Condition(match function {
        "attribute_exists" => Condition::AttributeExists(operand::document_path(next(), function)?),
        "attribute_not_exists" => Condition::AttributeNotExists(operand::document_path(next(), function)?),
        "attribute_type" => {
            let (path, kind) = (operand::document_path(next(), function)?, next());
            operand::check_type_name(&kind)?;
            Condition::AttributeType(path, kind)
        }
        "begins_with" => {
            let (text, prefix) = (next(), next());
            operand::check_prefix(&text, function)?;
            operand::check_prefix(&prefix, function)?;
            Condition::BeginsWith(text, prefix)
        }
        "contains" => Condition::Contains(next(), next()),
        _ => {
            let sized = next();
            operand::check_sized(&sized)?;
            return Ok(Term::Operand(Operand::Size(Box::new(sized))));
        }
    }))
}

/// The operands of a call whose name comes next.
fn arguments(cursor: &mut Cursor<'_>, function: &str) -> Result<Vec<Operand>, StoreError> {
    cursor.advance();
    cursor.advance();
    let mut arguments = Vec::new();
    while !(arguments.is_empty() && cursor.is_at_symbol(")")) {
        arguments.push(cursor.nested(disjunction)?.operand(function)?);
        if !cursor.take_symbol(",") {
            break;
        }
    }
    cursor.expect_symbol(")", "RIGHT_PAREN")?;
    Ok(arguments)
}
