//! Text of strangers on a terminal: addresses and tags were chosen by whoever sent them, and must not move the cursor, change
//! colours or turn the direction of a line.

/// The text with everything that a terminal would obey written out.
pub(crate) fn shown(text: &str) -> String {
    if !text.chars().any(is_obeyed) {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match is_obeyed(character) {
            true => shown.extend(character.escape_unicode()),
            false => shown.push(character),
        }
    }
    shown
}

/// Controls, and the marks that turn or hide what follows them.
fn is_obeyed(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_stranger_is_obeyed() {
        assert_eq!(shown("/news/é 日本?a=1"), "/news/é 日本?a=1");
        assert_eq!(shown("a\x1b[2Jb\n\u{202e}c"), "a\\u{1b}[2Jb\\u{a}\\u{202e}c");
        assert_eq!(shown("\u{9b}31m"), "\\u{9b}31m");
    }
}
