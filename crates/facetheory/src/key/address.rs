//! The address of a page, for people: lists and logs show it, and nothing is found by it.

use std::borrow::Cow;

use super::PageKey;

/// The longest address. It is written with each page, and a table is paid for by the byte.
const BYTES_MAX: usize = 1024;

impl PageKey {
    /// Host, path and query, as far as they fit into 1 KB. Values of headers and cookies are not in it: they may be secrets.
    /// Nothing for a key that has no path.
    ///
    /// ```
    /// use facetheory::PageKey;
    ///
    /// let news = PageKey::path("/news").host("example.com").query("page", "2").cookie("session", "secret");
    /// assert_eq!(news.address().as_deref(), Some("example.com/news?page=2"));
    /// assert_eq!(PageKey::raw("default::/news").address(), None);
    /// ```
    #[must_use]
    pub fn address(&self) -> Option<String> {
        let path = self.page_path()?;
        let mut address = String::new();
        push(&mut address, self.page_host().unwrap_or_default());
        push(&mut address, path);
        for (place, (name, value)) in self.page_query().enumerate() {
            push(&mut address, if place == 0 { b"?" } else { b"&" });
            push(&mut address, name);
            if !value.is_empty() {
                push(&mut address, b"=");
                push(&mut address, value);
            }
            if address.len() > BYTES_MAX {
                break;
            }
        }
        Some(cut(address))
    }
}

/// Adds bytes as text. What would move a cursor or hide a part of it in a terminal is replaced.
fn push(address: &mut String, bytes: &[u8]) {
    let bytes = &bytes[..bytes.len().min(BYTES_MAX + 1)];
    let text: Cow<'_, str> = String::from_utf8_lossy(bytes);
    let is_shown = |character: char| !character.is_control();
    address.extend(text.chars().map(|character| if is_shown(character) { character } else { '\u{fffd}' }));
}

fn cut(mut address: String) -> String {
    const MORE: char = '…';
    if address.len() > BYTES_MAX {
        let end = address.floor_char_boundary(BYTES_MAX - MORE.len_utf8());
        address.truncate(end);
        address.push(MORE);
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(key: PageKey, expected: &str) {
        assert_eq!(key.address().as_deref(), Some(expected));
    }

    #[test]
    fn an_address_is_host_path_and_query() {
        check(PageKey::path("/"), "/");
        check(PageKey::path("/a").host("b.example"), "b.example/a");
        check(PageKey::path("/a").query("y", "2").query("x", "1").query("z", ""), "/a?x=1&y=2&z");
    }

    #[test]
    fn values_of_headers_and_cookies_are_not_in_it() {
        let key = PageKey::path("/a").header("authorization", "secret").cookie("session", "secret");
        check(key.variant("theme", "secret"), "/a");
    }

    #[test]
    fn what_a_terminal_would_obey_is_replaced() {
        check(PageKey::path(b"/\x1b[2J\n\xff"), "/\u{fffd}[2J\u{fffd}\u{fffd}");
    }

    #[test]
    fn it_ends_after_a_kilobyte_between_two_characters() {
        for filler in ["a", "ä", "€", "𝄞"] {
            let long = PageKey::path(format!("/{}", filler.repeat(2000))).query("q", "x".repeat(5000));
            let address = long.address().unwrap();
            assert!(address.len() <= BYTES_MAX && address.len() > BYTES_MAX - 8, "{}", address.len());
            assert!(address.ends_with('…'));
        }
        let most = PageKey::path(format!("/{}", "a".repeat(BYTES_MAX - 1)));
        assert!(!most.address().unwrap().ends_with('…'));
    }
}
