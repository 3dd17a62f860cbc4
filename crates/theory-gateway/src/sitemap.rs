//! The addresses that a sitemap names (sitemaps.org): its `<loc>` elements, whatever stands around them. Lists of sitemaps look the
//! same one level up.

/// More addresses of one file are not read; the protocol allows 50,000.
pub(crate) const ADDRESSES_MAX: usize = 50_000;

/// A sitemap, as far as it is of interest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sitemap {
    /// The addresses it names.
    pub(crate) addresses: Vec<String>,
    /// Whether they are those of further sitemaps.
    pub(crate) is_index: bool,
}

/// Reads a sitemap. A text that is none names nothing.
pub(crate) fn read(text: &str) -> Sitemap {
    let mut addresses = Vec::new();
    let mut rest = text;
    while addresses.len() < ADDRESSES_MAX
        && let Some((_, after)) = rest.split_once("<loc>")
        && let Some((address, further)) = after.split_once("</loc>")
    {
        let address = unescaped(content(address));
        if !address.is_empty() {
            addresses.push(address);
        }
        rest = further;
    }
    Sitemap { addresses, is_index: text.contains("<sitemapindex") }
}

fn content(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix("<![CDATA[").and_then(|text| text.strip_suffix("]]>")).unwrap_or(text).trim()
}

/// The five entities that the protocol knows. `&amp;` comes last, so that nothing is read twice.
fn unescaped(text: &str) -> String {
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    entities.iter().fold(text.to_owned(), |text, (entity, character)| text.replace(entity, character))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, addresses: &[&str], is_index: bool) {
        let map = read(text);
        assert_eq!(map.addresses, addresses);
        assert_eq!(map.is_index, is_index);
    }

    #[test]
    fn addresses_are_found_in_every_form_there_is() {
        check(
            "<urlset><url><loc>/a</loc></url><url>\n<loc>\n/b\n</loc></url></urlset>",
            &["/a", "/b"],
            false,
        );
        check("<sitemapindex><sitemap><loc>/one.xml</loc></sitemap></sitemapindex>", &["/one.xml"], true);
        let escaped = "<urlset><url><loc> http://a.example/?x=1&amp;y=2 </loc></url></urlset>";
        check(escaped, &["http://a.example/?x=1&y=2"], false);
        check("<loc><![CDATA[ /c?x=1&y=2 ]]></loc>", &["/c?x=1&y=2"], false);
        check("<loc>/d?t=&amp;lt;</loc>", &["/d?t=&lt;"], false);
    }

    #[test]
    fn what_is_no_sitemap_names_nothing() {
        check("", &[], false);
        check("<loc>", &[], false);
        check("<loc></loc>", &[], false);
        check("</loc><loc>", &[], false);
    }

    #[test]
    fn a_sitemap_without_end_is_cut_off() {
        let endless = "<loc>/a</loc>".repeat(ADDRESSES_MAX + 5);
        assert_eq!(read(&endless).addresses.len(), ADDRESSES_MAX);
    }
}
