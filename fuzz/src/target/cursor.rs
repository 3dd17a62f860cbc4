//! Cursors: a text from a client.

use tabletheory::cursor::{Cursor, CursorKey};

pub(crate) fn run(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let key = CursorKey::new([7; 32]);
    // Nobody signed this. An empty text is the first page, whoever sends it.
    assert!(matches!(Cursor::open(text, &key, &["tenant-1"]), Err(_) | Ok(None)), "{text:?} was not signed");
    let Ok(Some(cursor)) = Cursor::decode(text) else { return };
    assert_eq!(
        Cursor::decode(&cursor.encode()),
        Ok(Some(cursor.clone())),
        "a cursor is the cursor of its text"
    );
    let signed = cursor.sign(&key, &["tenant-1"]);
    assert_eq!(Cursor::open(&signed, &key, &["tenant-1"]), Ok(Some(cursor)), "{signed}");
    assert!(Cursor::open(&signed, &key, &["tenant-2"]).is_err(), "a signature is for one scope");
    // The last character alone may be padding, which links lose.
    let end = signed.len() - 2;
    assert!(Cursor::open(&signed[..end], &key, &["tenant-1"]).is_err(), "a cut signature is none");
}
