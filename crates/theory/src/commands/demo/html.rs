//! The pages of the demo's shop.

use tabletheory_core::Timestamp;

const PRODUCTS: [(&str, &str); 6] = [
    ("1", "A lamp that remembers"),
    ("2", "A chair for waiting"),
    ("3", "A clock that is slow"),
    ("4", "A table, typed"),
    ("5", "A lease for a cottage"),
    ("6", "A kettle, idempotent"),
];

const STYLE: &str = "
:root { color-scheme: light dark; --ink: light-dark(#1d2330, #e8ebf2); --soft: light-dark(#5b6476, #9aa4b8);
  --paper: light-dark(#fbfbfd, #14171d); --card: light-dark(#fff, #1c2028); --line: light-dark(#dfe3ea, #2c323d);
  --accent: light-dark(#2b59c3, #86a9ff); }
body { margin: 0 auto; max-width: 44rem; padding: 2.5rem 1.25rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.6 system-ui, sans-serif; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .5rem; } p { margin: .6rem 0; }
a { color: var(--accent); } nav { margin-bottom: 1.5rem; display: flex; gap: 1rem; flex-wrap: wrap; font-size: .95rem; }
.made { border: 1px solid var(--line); border-radius: .6rem; background: var(--card); padding: .8rem 1rem; margin: 1.4rem 0;
  color: var(--soft); font-variant-numeric: tabular-nums; } .made b { color: var(--ink); }
table { border-collapse: collapse; width: 100%; } td, th { text-align: left; padding: .45rem .6rem .45rem 0;
  border-bottom: 1px solid var(--line); vertical-align: top; } th { color: var(--soft); font-weight: 500; font-size: .9rem; }
";

/// A product that there is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Product(&'static str, &'static str);

/// The product with this number.
pub(super) fn product_of(id: &str) -> Option<Product> {
    PRODUCTS.into_iter().find(|(known, _)| *known == id).map(|(id, name)| Product(id, name))
}

fn page(title: &str, content: &str, number: u64, at: Timestamp) -> String {
    let (seconds, millis) = (at.seconds().rem_euclid(86_400), at.millis().rem_euclid(1000));
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!(
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\">\
         <title>{title}</title><style>{STYLE}</style>\
         <nav><a href=/>Shop</a><a href=/news>News</a><a href=/products/1>A product</a><a href=/flaky>Flaky</a>\
         <a href=/slow>Slow</a><a href=/account>Account</a></nav>\
         <main><h1>{title}</h1>{content}\
         <p class=made>Made by the shop as its render <b data-render>{number}</b> at \
         <b>{hour:02}:{minute:02}:{second:02}.{millis:03}</b> UTC. Reload: as long as this line does not change, the shop \
         did nothing.</p></main></html>"
    )
}

pub(super) fn home(number: u64, at: Timestamp) -> String {
    let rows: String = PRODUCTS
        .iter()
        .map(|(id, name)| format!("<tr><td><a href=/products/{id}>{name}</a><td>400 ms"))
        .collect();
    let content = format!(
        "<p>Every page of this shop takes its time to render. The gateway in front of it keeps what was rendered, shows it to \
         everybody, and has it rendered again beside that: once, however many ask.</p>\
         <table><tr><th>page<th>takes\
         <tr><td><a href=/news>News</a>, fresh for 5 seconds<td>800 ms\
         <tr><td><a href=/slow>Slow</a>, fresh for 20 seconds<td>3 s\
         <tr><td><a href=/flaky>Flaky</a>, two of three renders fail<td>300 ms\
         <tr><td><a href=/broken>Broken</a>, never works<td>200 ms\
         <tr><td><a href=/account>Account</a>, private, never kept<td>100 ms{rows}</table>"
    );
    page("The slow shop", &content, number, at)
}

pub(super) fn news(number: u64, at: Timestamp) -> String {
    let content = "<p>Fresh for five seconds. Afterwards the next visitor still gets this page at once, and it is rendered \
                   again beside that.</p>";
    page("News", content, number, at)
}

pub(super) fn slow(number: u64, at: Timestamp) -> String {
    page("Slow", "<p>Three seconds, for the first visitor only.</p>", number, at)
}

pub(super) fn flaky(number: u64, at: Timestamp) -> String {
    let content = "<p>Two of three renders of this page fail. Visitors see the last one that worked.</p>";
    page("Flaky", content, number, at)
}

pub(super) fn account(number: u64, at: Timestamp) -> String {
    let content = "<p>This page is yours alone: it sets a cookie and says <code>private</code>, so it is never kept.</p>";
    page("Your account", content, number, at)
}

pub(super) fn product(Product(id, name): Product, number: u64, at: Timestamp) -> String {
    let content = format!(
        "<p>Product {id}. Purge it with the tags <code>products</code> or <code>product-{id}</code>.</p>"
    );
    page(name, &content, number, at)
}

pub(super) fn not_found() -> String {
    "<!doctype html><title>Not found</title><h1>There is no such page in the shop</h1>".to_owned()
}

pub(super) fn sitemap() -> String {
    let pages = ["/".to_owned(), "/news".to_owned()].into_iter();
    let pages = pages.chain(PRODUCTS.iter().map(|(id, _)| format!("/products/{id}")));
    let urls: String = pages.map(|page| format!("<url><loc>{page}</loc></url>")).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{urls}</urlset>"
    )
}
