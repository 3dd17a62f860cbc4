//! Who makes the pages of a route: the application, asked from the key. Which of its answers are kept is judged by `facetheory`;
//! here an answer only learns what the route knows of it.

use std::sync::Arc;

use facetheory::render::{Render, Rendered, Renderer, Rendering};
use http::header::{CACHE_CONTROL, HeaderValue};
use http::{HeaderMap, Response};
use matchit::Router;

use super::site::SiteAtWork;
use super::{directives, request, vary};
use crate::settings::{PageRoute, beginning};

/// A page has not more tags.
const TAGS_MAX: usize = 200;

/// A tag is not longer.
const TAG_BYTES_MAX: usize = 256;

/// Makes the pages of a route.
pub(super) struct OriginRenderer {
    pub(super) site: Arc<SiteAtWork>,
    pub(super) route: Arc<PageRoute>,
    /// The route's pattern alone, so that a page's tags can be made from its key.
    pub(super) pattern: Router<()>,
}

impl Renderer for OriginRenderer {
    fn render(&self, render: Render) -> Rendering<'_> {
        Box::pin(async move {
            let request = request::of(&self.site, &render.key)?;
            let path = request.uri().path().to_owned();
            let answer = self.site.upstream().fetch(request).await?;
            Ok(self.rendered(&path, answer))
        })
    }
}

impl OriginRenderer {
    fn rendered(&self, path: &str, answer: Response<bytes::Bytes>) -> Rendered {
        let (parts, body) = answer.into_parts();
        let mut rendered = Rendered::new(parts.status, parts.headers, body);
        rendered.tags = self.tags(path, &rendered.headers);
        if self.route.follow_origin {
            rendered.revalidate = directives::shared_for(&rendered.headers);
        }
        if let Some(name) = &self.route.tag_header {
            rendered.headers.remove(name);
        }
        if directives::is_forbidden(&rendered.headers) {
            rendered.headers.append(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        }
        if !vary::is_covered(&self.route, &rendered.headers) {
            vary::mark(&mut rendered.headers);
        }
        rendered
    }

    /// What the page can be purged by: the route's tags for this path, and what the application adds.
    fn tags(&self, path: &str, headers: &HeaderMap) -> Vec<String> {
        let captures = self.pattern.at(path).ok();
        let params = captures.as_ref().map(|found| &found.params);
        let mut tags: Vec<String> =
            self.route.tags.iter().map(|tag| filled(tag, |name| params?.get(name))).collect();
        if let Some(name) = &self.route.tag_header {
            let lines = headers.get_all(name).iter().filter_map(|line| line.to_str().ok());
            let words = lines.flat_map(|line| line.split([',', ' ', '\t'])).filter(|word| !word.is_empty());
            tags.extend(words.map(str::to_owned));
        }
        tags.retain(|tag| tag.len() <= TAG_BYTES_MAX);
        tags.truncate(TAGS_MAX);
        tags.sort_unstable();
        tags.dedup();
        tags
    }
}

/// The tag with `{name}` replaced by what stands there in the path.
fn filled<'p>(tag: &str, capture: impl Fn(&str) -> Option<&'p str>) -> String {
    let mut text = String::with_capacity(tag.len());
    let mut rest = tag;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let Some((name, behind)) = after.split_once('}') else {
            text.push('{');
            rest = after;
            continue;
        };
        text.push_str(capture(name.trim_start_matches('*')).unwrap_or_default());
        rest = behind;
    }
    text.push_str(rest);
    text
}

/// The pattern of a route, alone.
///
/// # Errors
/// If it is no pattern.
pub(super) fn pattern(text: &str) -> Result<Router<()>, matchit::InsertError> {
    let mut router = Router::new();
    router.insert(text, ())?;
    if let Some(beginning) = beginning(text) {
        router.insert(beginning, ())?;
    }
    Ok(router)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(tag: &str, expected: &str) {
        let router = pattern("/blog/{slug}/{*rest}").unwrap();
        let found = router.at("/blog/one/two/three").unwrap();
        assert_eq!(filled(tag, |name| found.params.get(name)), expected, "{tag}");
    }

    #[test]
    fn the_beginning_of_a_path_has_its_parts_too() {
        let router = pattern("/blog/{slug}/{*rest}").unwrap();
        let found = router.at("/blog/one/").unwrap();
        assert_eq!(filled("post:{slug}", |name| found.params.get(name)), "post:one");
    }

    #[test]
    fn parts_of_the_path_stand_in_tags() {
        check("posts", "posts");
        check("post:{slug}", "post:one");
        check("{slug}-{*rest}-{rest}", "one-two/three-two/three");
        check("{other}", "");
        check("a{b", "a{b");
    }
}
