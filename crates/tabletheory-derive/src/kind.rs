//! What the syntax of a type shows. Only for better messages and for `Option`: what a type can really do, the traits say.

use syn::{GenericArgument, PathArguments, Type};

const INTEGERS: [&str; 8] = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"];

/// Whether the type is written as an `Option`.
pub(crate) fn is_option(kind: &Type) -> bool {
    last(kind).is_some_and(|name| name == "Option")
}

/// Whether the type is written as an integer.
pub(crate) fn is_integer(kind: &Type) -> bool {
    last(kind).is_some_and(|name| INTEGERS.contains(&name.as_str()))
}

/// Whether the type is written as a `String`.
pub(crate) fn is_string(kind: &Type) -> bool {
    last(kind).is_some_and(|name| name == "String")
}

/// The type that is there if a value is: what an `Option` holds, or the type itself.
pub(crate) fn present(kind: &Type) -> &Type {
    if is_option(kind) { inner(kind).unwrap_or(kind) } else { kind }
}

/// What stands in the angle brackets of the type: the `T` of `Option<T>`.
pub(crate) fn inner(kind: &Type) -> Option<&Type> {
    let Type::Path(path) = kind else { return None };
    let PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else { return None };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(inner) => Some(inner),
        _ => None,
    })
}

/// The last name of a path.
pub(crate) fn last(kind: &Type) -> Option<String> {
    match kind {
        Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
        _ => None,
    }
}
