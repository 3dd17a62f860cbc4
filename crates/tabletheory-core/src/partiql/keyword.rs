//! The words a statement cannot use as bare names. Inside double quotes every word is a name.

/// The keyword that `word` is, in lower case, if it is one. Case does not matter.
pub(super) fn keyword(word: &str) -> Option<&'static str> {
    let word = word.to_ascii_lowercase();
    KEYWORDS.binary_search(&word.as_str()).ok().map(|at| KEYWORDS[at])
}

/// Whether a keyword stands between operands, so that none can begin with it.
pub(super) fn is_operator(keyword: &str) -> bool {
    matches!(keyword, "and" | "between" | "in" | "is" | "like" | "or" | "not")
}

/// The reserved words of SQL-92 and PartiQL's own clauses, sorted. SQL-92's parts of a date (`year`, `day`, …) are
/// missing on purpose: the service takes them as names.
#[rustfmt::skip]
const KEYWORDS: &[&str] = &[
    "absolute", "action", "add", "all", "allocate", "alter", "and", "any", "are", "as", "asc", "assertion", "at",
    "authorization", "avg", "begin", "between", "bit", "bit_length", "by", "cascade", "cascaded", "case", "cast",
    "catalog", "char", "char_length", "character", "character_length", "check", "close", "coalesce", "collate",
    "collation", "column", "commit", "connect", "connection", "constraint", "constraints", "continue", "convert",
    "corresponding", "count", "create", "cross", "current", "current_date", "current_time", "current_timestamp",
    "current_user", "cursor", "date", "deallocate", "dec", "decimal", "declare", "default", "deferrable", "deferred",
    "delete", "desc", "describe", "descriptor", "diagnostics", "disconnect", "distinct", "domain", "double", "drop",
    "else", "end", "escape", "except", "exception", "exec", "execute", "exists", "external", "extract", "false",
    "fetch", "first", "float", "for", "foreign", "found", "from", "full", "get", "global", "go", "goto", "grant",
    "group", "having", "identity", "immediate", "in", "indicator", "initially", "inner", "input", "insensitive",
    "insert", "int", "integer", "intersect", "interval", "into", "is", "isolation", "join", "key", "language", "last",
    "left", "level", "like", "limit", "local", "lower", "match", "max", "min", "missing", "module", "names",
    "national", "natural", "nchar", "next", "no", "not", "null", "nullif", "numeric", "octet_length", "of", "on",
    "only", "open", "option", "or", "order", "outer", "output", "overlaps", "pad", "partial", "pivot", "position",
    "precision", "prepare", "preserve", "primary", "prior", "privileges", "procedure", "public", "read", "real",
    "references", "relative", "remove", "restrict", "returning", "revoke", "right", "rollback", "rows", "schema",
    "scroll", "section", "select", "session", "session_user", "set", "size", "smallint", "some", "space", "sql",
    "sqlcode", "sqlerror", "sqlstate", "substring", "sum", "system_user", "table", "temporary", "then", "time",
    "timestamp", "to", "transaction", "translate", "translation", "trim", "true", "union", "unique", "unknown",
    "unpivot", "update", "upper", "usage", "user", "using", "value", "values", "varchar", "varying", "view", "when",
    "whenever", "where", "with", "work", "write", "zone",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_so_that_it_can_be_searched() {
        assert!(KEYWORDS.is_sorted());
    }

    #[test]
    fn a_keyword_is_one_in_any_case() {
        for (word, expected) in [("SELECT", Some("select")), ("inner", Some("inner")), ("Pad", Some("pad"))] {
            assert_eq!(keyword(word), expected);
        }
        for name in ["year", "status", "attribute_exists", "", "selects"] {
            assert_eq!(keyword(name), None, "{name}");
        }
    }
}
