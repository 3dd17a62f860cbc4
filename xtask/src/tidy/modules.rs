//! The files of a crate form a DAG. Edges follow paths to the file that defines the name, through re-exports, so that a
//! parent which only re-exports its children does not count as using them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use super::finding::Finding;
use super::paths::{self, Kind, Outline, Usage};

/// Re-exports of re-exports are followed this far; a chain that is longer goes in a circle.
const HOPS_MAX: usize = 8;

/// Edges that stand for one recursive type told in two files, which no third noun can part.
const RECURSIVE: [(&str, &str, &str); 1] = [
    // A value can be a map, and a map is an item.
    ("crates/tabletheory-core/src", "value.rs", "item.rs"),
];

/// Checks the crate whose sources lie below `src`.
pub(super) fn check(src: &Path, files: &[(PathBuf, String)], complaints: &mut Vec<Finding>) {
    let graph = Graph::new(src, files);
    for cycle in graph.cycles() {
        let (first, _) = cycle[0];
        let steps: Vec<String> = cycle
            .iter()
            .map(|(module, line)| format!("{} (line {line})", graph.modules[*module].file.display()))
            .collect();
        let text = format!("files need each other, a third noun is waiting: {} → back", steps.join(" → "));
        complaints.push(Finding::of(&src.join(&graph.modules[first].file), text));
    }
}

struct Module {
    /// Its path inside the crate; the root's is empty.
    path: Vec<String>,
    /// Its file, from `src`.
    file: PathBuf,
    outline: Outline,
}

struct Graph {
    /// The crate's folder of sources.
    src: PathBuf,
    modules: Vec<Module>,
    by_path: BTreeMap<Vec<String>, usize>,
}

/// Edges of a module: the modules it uses, and a line where it does.
type Edges = BTreeMap<usize, usize>;

impl Graph {
    fn new(src: &Path, files: &[(PathBuf, String)]) -> Self {
        let has_library = files.iter().any(|(path, _)| *path == src.join("lib.rs"));
        let mut modules = Vec::new();
        for (path, text) in files {
            if let Ok(file) = path.strip_prefix(src)
                && let Some(path) = module_path(file, has_library)
            {
                modules.push(Module { path, file: file.to_owned(), outline: paths::outline(text) });
            }
        }
        let by_path = modules.iter().enumerate().map(|(at, module)| (module.path.clone(), at)).collect();
        Self { src: src.to_owned(), modules, by_path }
    }

    /// One shortest cycle for each knot of files that reach each other, as modules with the line that leads on.
    fn cycles(&self) -> Vec<Vec<(usize, usize)>> {
        let edges: Vec<Edges> = (0..self.modules.len()).map(|module| self.edges(module)).collect();
        let mut told = BTreeSet::new();
        let mut cycles = Vec::new();
        for start in 0..edges.len() {
            if told.contains(&start) {
                continue;
            }
            if let Some(cycle) = shortest_cycle(&edges, start) {
                told.extend(knot(&edges, start));
                cycles.push(cycle);
            }
        }
        cycles
    }

    fn edges(&self, module: usize) -> Edges {
        let mut edges = Edges::new();
        for usage in &self.modules[module].outline.usages {
            for target in self.targets(module, usage) {
                let is_own_child = self.modules[target].path.starts_with(&self.modules[module].path);
                let gathers = usage.is_reexport() && is_own_child;
                if target != module && !gathers && !self.is_recursive(module, target) {
                    edges.entry(target).or_insert(usage.line);
                }
            }
        }
        edges
    }

    fn is_recursive(&self, from: usize, to: usize) -> bool {
        let file = |module: usize| self.modules[module].file.as_path();
        RECURSIVE.iter().any(|(src, user, used)| {
            self.src == Path::new(src) && file(from) == Path::new(user) && file(to) == Path::new(used)
        })
    }

    /// The files a path leads to.
    fn targets(&self, module: usize, usage: &Usage) -> Vec<usize> {
        let Some(path) = self.locate(module, usage, 0) else { return Vec::new() };
        if let (Kind::Glob { .. }, Some(whole)) = (&usage.kind, self.by_path.get(&path))
            && self.modules[*whole].outline.definitions.is_empty()
        {
            // A file that only gathers others stands for all of them.
            let gathered = self.modules[*whole].outline.usages.iter().filter(|usage| usage.is_reexport());
            let paths = gathered.filter_map(|usage| self.locate(*whole, usage, 0));
            return paths.filter_map(|path| self.target(&path, 0)).collect();
        }
        self.target(&path, 0).into_iter().collect()
    }

    /// The path from the crate's root, or `None` if it leads out of the crate.
    fn locate(&self, module: usize, usage: &Usage, hops: usize) -> Option<Vec<String>> {
        let own = &self.modules[module].path;
        let (first, rest) = usage.segments.split_first()?;
        match first.as_str() {
            "crate" => Some(rest.to_vec()),
            "self" if usage.nesting == 0 => Some([own, rest].concat()),
            "super" => {
                let ups = usage.segments.iter().take_while(|segment| *segment == "super").count();
                let rest = &usage.segments[ups..];
                if ups < usage.nesting {
                    return None;
                }
                let kept = own.len().checked_sub(ups - usage.nesting)?;
                Some([&own[..kept], rest].concat())
            }
            _ if usage.nesting > 0 => None,
            _ => {
                let below = [own.as_slice(), &usage.segments[..1]].concat();
                if self.by_path.contains_key(&below) {
                    return Some([own.as_slice(), &usage.segments].concat());
                }
                let imported = self.import(module, first, usage)?;
                let base =
                    if hops < HOPS_MAX { self.locate(module, imported, hops + 1)? } else { return None };
                Some([base.as_slice(), rest].concat())
            }
        }
    }

    /// The import that brings `name` into a module, other than `usage` itself.
    fn import(&self, module: usize, name: &str, usage: &Usage) -> Option<&Usage> {
        self.modules[module].outline.usages.iter().find(|candidate| {
            matches!(&candidate.kind, Kind::Import { name: bound, .. } if bound == name)
                && *candidate != usage
                && candidate.nesting == 0
        })
    }

    /// The file that an absolute path leads to: the one that defines its first name below the modules.
    fn target(&self, path: &[String], hops: usize) -> Option<usize> {
        let depth = (0..=path.len()).rev().find(|depth| self.by_path.contains_key(&path[..*depth]))?;
        let module = self.by_path[&path[..depth]];
        match path.get(depth) {
            Some(name) => self.definer(module, name, hops).or(Some(module)),
            None => Some(module),
        }
    }

    /// The file that defines `name` as seen in `module`.
    fn definer(&self, module: usize, name: &str, hops: usize) -> Option<usize> {
        let outline = &self.modules[module].outline;
        if outline.definitions.contains(name) {
            return Some(module);
        }
        if hops == HOPS_MAX {
            return None;
        }
        outline.usages.iter().filter(|usage| usage.nesting == 0).find_map(|usage| match &usage.kind {
            Kind::Import { name: bound, .. } if bound == name => {
                self.target(&self.locate(module, usage, 0)?, hops + 1)
            }
            Kind::Glob { .. } => {
                let gathered = *self.by_path.get(&self.locate(module, usage, 0)?)?;
                self.definer(gathered, name, hops + 1)
            }
            _ => None,
        })
    }
}

/// The module a file is, or `None` if it is another program's.
fn module_path(file: &Path, has_library: bool) -> Option<Vec<String>> {
    if file.extension()? != "rs" || file.starts_with("bin") {
        return None;
    }
    let mut path: Vec<String> =
        file.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    match path.last()?.as_str() {
        "main" if path.len() == 1 && has_library => return None,
        "lib" | "main" if path.len() == 1 => path.clear(),
        "mod" => {
            path.pop();
        }
        _ => {}
    }
    Some(path)
}

/// The shortest way from `start` back to it, as modules with the line that leads on.
fn shortest_cycle(edges: &[Edges], start: usize) -> Option<Vec<(usize, usize)>> {
    let mut came_from: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(module) = queue.pop_front() {
        for (next, line) in &edges[module] {
            if !came_from.contains_key(next) {
                came_from.insert(*next, (module, *line));
                queue.push_back(*next);
            }
        }
    }
    let mut steps = vec![*came_from.get(&start)?];
    while steps.last().is_some_and(|(module, _)| *module != start) {
        let (module, _) = steps[steps.len() - 1];
        steps.push(came_from[&module]);
    }
    steps.reverse();
    Some(steps)
}

/// Every module on some cycle through `start`.
fn knot(edges: &[Edges], start: usize) -> Vec<usize> {
    let reached = reach(edges, start);
    reached.iter().copied().filter(|module| reach(edges, *module).contains(&start)).collect()
}

fn reach(edges: &[Edges], start: usize) -> BTreeSet<usize> {
    let mut reached = BTreeSet::new();
    let mut waiting = vec![start];
    while let Some(module) = waiting.pop() {
        for next in edges[module].keys() {
            if reached.insert(*next) {
                waiting.push(*next);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_crate(files: &[(&str, &str)], expected: &[&str]) {
        let files: Vec<(PathBuf, String)> =
            files.iter().map(|(path, text)| (Path::new("src").join(path), (*text).to_owned())).collect();
        let mut complaints = Vec::new();
        check(Path::new("src"), &files, &mut complaints);
        let found: Vec<String> = complaints.iter().map(Finding::to_string).collect();
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (text, part) in found.iter().zip(expected) {
            assert!(text.contains(part), "{text} does not contain {part}");
        }
    }

    #[test]
    fn a_chain_is_fine() {
        let files = [
            ("lib.rs", "mod a; mod b; mod c; pub use c::C;"),
            ("a.rs", "pub struct A;"),
            ("b.rs", "use crate::a::A; pub struct B(A);"),
            ("c.rs", "use super::b::B; pub struct C(B);"),
        ];
        check_crate(&files, &[]);
    }

    #[test]
    fn two_files_that_need_each_other_are_refused() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "use crate::b::B;\npub struct A(B);"),
            ("b.rs", "\npub struct B;\nfn f() { crate::a::A; }"),
        ];
        check_crate(&files, &["a.rs (line 1) → b.rs (line 3) → back"]);
    }

    #[test]
    fn a_longer_circle_is_told_once() {
        let files = [
            ("lib.rs", "mod a; mod b; mod c;"),
            ("a.rs", "use crate::b::B; pub struct A;"),
            ("b.rs", "use crate::c::C; pub struct B;"),
            ("c.rs", "use super::a::A; pub struct C;"),
        ];
        check_crate(&files, &["a.rs (line 1) → b.rs (line 1) → c.rs (line 1) → back"]);
    }

    #[test]
    fn a_parent_that_reexports_is_not_part_of_a_circle() {
        let files = [
            ("lib.rs", "pub mod op; pub use op::get::Get;"),
            ("op/mod.rs", "pub mod get; pub mod put; pub use get::*; pub use put::Put;"),
            ("op/get.rs", "pub struct Get;"),
            // Through the root and through the parent, to the file beside it.
            ("op/put.rs", "use crate::Get; use super::Get as G; pub struct Put;"),
        ];
        check_crate(&files, &[]);
    }

    #[test]
    fn a_circle_through_a_reexport_is_seen() {
        let files = [
            ("lib.rs", "mod a; mod b; pub use b::B;"),
            ("a.rs", "use crate::B; pub struct A;"),
            ("b.rs", "use crate::a::A; pub struct B;"),
        ];
        check_crate(&files, &["a.rs (line 1) → b.rs (line 1)"]);
    }

    #[test]
    fn a_parent_and_a_child_that_work_with_each_other_are_refused() {
        let files = [
            ("lib.rs", "mod child; use child::run; pub struct Engine;"),
            ("child.rs", "use crate::Engine; pub fn run(engine: Engine) {}"),
        ];
        check_crate(&files, &["lib.rs (line 1) → child.rs (line 1)"]);
    }

    #[test]
    fn gathered_files_stand_behind_a_glob() {
        let files = [
            ("lib.rs", "mod request; mod op;"),
            ("request.rs", "use crate::op::*; pub enum Request { Get(Get) }"),
            ("op/mod.rs", "mod get; pub use get::*;"),
            ("op/get.rs", "use crate::request::Request; pub struct Get;"),
        ];
        check_crate(&files, &["request.rs (line 1) → op/get.rs (line 1)"]);
    }

    #[test]
    fn an_imported_module_leads_on() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a/mod.rs", "pub mod deep;"),
            ("a/deep.rs", "use crate::b::B; pub fn run() {}"),
            ("b.rs", "use crate::a; pub struct B; fn f() { a::deep::run() }"),
        ];
        check_crate(&files, &["a/deep.rs (line 1) → b.rs (line 1)"]);
    }

    #[test]
    fn tests_may_look_anywhere() {
        let files = [
            ("lib.rs", "mod a; use a::A; pub struct Engine;"),
            ("a.rs", "pub struct A; #[cfg(test)] mod tests { use super::*; use crate::Engine; }"),
        ];
        check_crate(&files, &[]);
    }
}
