//! The token that is generated.

use crate::config::{TokenError, settle};
use crate::settings::{Secret, Token};

#[test]
fn a_generated_token_is_the_same_after_a_restart_and_only_the_owner_can_read_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("new").join("admin-token");
    let token = Token::Generated { file: file.clone() };
    let first = settle(&token).expect("it is made");
    assert_eq!(first.reveal().len(), 64);
    assert_eq!(settle(&token).expect("it is read"), first);
    assert_eq!(std::fs::read_to_string(&file).expect("a file").trim(), first.reveal());
    let left = std::fs::read_dir(folder.path().join("new")).expect("a folder").count();
    assert_eq!(left, 1, "no draft is left");
    let other = Token::Generated { file: folder.path().join("other") };
    assert_ne!(settle(&other).expect("it is made"), first);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode =
            |mode| std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).expect("a mode");
        assert_eq!(std::fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o600);
        mode(0o644);
        assert!(matches!(settle(&token), Err(TokenError::Exposed { .. })));
    }
}

#[test]
fn a_file_that_holds_something_else_is_not_taken_for_a_token() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("admin-token");
    let token = Token::Generated { file: file.clone() };
    settle(&token).expect("it is made");
    std::fs::write(&file, "").expect("it can be written");
    assert!(
        matches!(settle(&token), Err(TokenError::Foreign { .. })),
        "an empty token would let everybody in"
    );
}

#[cfg(unix)]
#[test]
fn a_link_is_not_followed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (file, target) = (folder.path().join("admin-token"), folder.path().join("target"));
    std::os::unix::fs::symlink(&target, &file).expect("a link");
    assert!(matches!(settle(&Token::Generated { file }), Err(TokenError::Exposed { .. })));
    assert!(!target.exists());
}

#[test]
fn several_processes_that_start_at_once_agree() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let token = Token::Generated { file: folder.path().join("admin-token") };
    let tokens: Vec<Secret> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| settle(&token).expect("a token"))).collect();
        threads.into_iter().map(|thread| thread.join().expect("it does not panic")).collect()
    });
    assert!(tokens.iter().all(|token| *token == tokens[0]));
}
