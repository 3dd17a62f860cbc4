//! Items that time to live removed from a table, kept in an object store: each written once, listed by day, restored as they were.
