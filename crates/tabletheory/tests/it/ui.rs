//! What the compiler says about models: programs that must compile, and messages for those that must not. After a change of
//! the compiler the messages are written again with `TRYBUILD=overwrite`.

#[test]
fn mistakes_are_told_where_they_stand() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/pass/*.rs");
    cases.compile_fail("tests/ui/fail/*.rs");
}
