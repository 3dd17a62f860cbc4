//! The habits.

fn main() {}
