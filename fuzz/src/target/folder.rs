//! The files of an engine, damaged. A folder is made once; an input says which files are changed, and where. What stands there then is
//! not for the input to choose: bytes that pass a checksum are no damage.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use sha2::{Digest, Sha256};
use tabletheory_core::schema::{AttributeDefinition, BillingMode, KeyElement, KeyType};
use tabletheory_core::store::op::{CreateTable, DeleteItem, PutItem, Scan};
use tabletheory_core::{Item, StoreError, Value};
use tabletheory_engine::{Engine, Settings};
use tempfile::TempDir;

use crate::input::Input;

/// Everything that the table holds, by its key. A folder without the table has nothing.
type State = BTreeMap<String, Item>;

/// A folder as files in memory, and every state it had.
struct History {
    files: Vec<(PathBuf, Vec<u8>)>,
    states: Vec<State>,
}

static HISTORY: OnceLock<History> = OnceLock::new();

pub(crate) fn run(bytes: &[u8]) {
    let history = HISTORY.get_or_init(make);
    let folder = quick_folder();
    let mut files = history.files.clone();
    let mut input = Input::new(bytes);
    let mut noise = Sha256::digest(bytes).into_iter().cycle();
    for _ in 0..=input.choice(3) {
        let (_, content) = {
            let which = input.choice(files.len());
            &mut files[which]
        };
        let (kind, at, length) = (input.choice(3), input.wide() % content.len().max(1), 1 + input.choice(64));
        match kind {
            0 => content.truncate(at),
            1 => content.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << (length % 8)),
            _ => content.iter_mut().skip(at).take(length).for_each(|byte| *byte ^= noise.next().unwrap_or(1)),
        }
    }
    for (name, content) in &files {
        let path = folder.path().join(name);
        let parent = path.parent().expect("a file lies in a folder");
        fs::create_dir_all(parent).and_then(|()| fs::write(&path, content)).expect("the disk has room");
    }
    match read(folder.path()) {
        Ok(state) => {
            assert!(
                history.states.contains(&state),
                "a damaged folder has a state that it never had: {state:?}"
            );
        }
        Err(error) => {
            let name = folder.path().display().to_string();
            assert!(
                error.contains(&name) || error.contains("restore the folder"),
                "the error names no file: {error}"
            );
        }
    }
}

/// A folder whose fsync costs nothing where the system has one.
fn quick_folder() -> TempDir {
    TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).expect("there is room for a folder")
}

fn settings() -> Settings {
    Settings { upkeep_every: None, write_buffer_bytes: 24 * 1024, item_cache_bytes: 0, ..Settings::default() }
}

/// Three openings with writes in each, so that there are data files and a journal.
fn make() -> History {
    let folder = quick_folder();
    let mut states = vec![State::new()];
    let mut state = State::new();
    for round in 0..3_u8 {
        let engine = Engine::open(folder.path(), settings()).expect("a new folder opens");
        if round == 0 {
            engine.run(table()).expect("the table is a good one");
        }
        for number in 0..14_u8 {
            let key = format!("key {}", (number * 5 + round) % 9);
            if number % 5 == 4 {
                let delete = DeleteItem {
                    table: "tab".to_owned(),
                    key: Item::from([("p", Value::s(&*key))]),
                    ..DeleteItem::default()
                };
                engine.run(delete).expect("an item can be deleted");
                state.remove(&key);
            } else {
                let body = format!("{round} {number} ").repeat(1 + usize::from(number) * 9);
                let item = Item::from([("p", Value::s(&*key)), ("body", Value::s(body))]);
                let put = PutItem { table: "tab".to_owned(), item: item.clone(), ..PutItem::default() };
                engine.run(put).expect("an item can be put");
                state.insert(key, item);
            }
            states.push(state.clone());
        }
        engine.close().expect("the folder closes");
    }
    let mut files = Vec::new();
    collect(folder.path(), folder.path(), &mut files);
    files.retain(|(_, content)| !content.is_empty());
    assert_eq!(read(folder.path()).ok(), states.last().cloned(), "an undamaged folder has its last state");
    History { files, states }
}

fn table() -> CreateTable {
    CreateTable {
        table: "tab".to_owned(),
        attributes: vec![AttributeDefinition { name: "p".to_owned(), kind: KeyType::S }],
        keys: vec![KeyElement::hash("p")],
        billing: BillingMode::PayPerRequest,
        ..CreateTable::default()
    }
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<(PathBuf, Vec<u8>)>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .expect("a folder can be listed")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(root, &path, files);
        } else {
            let name = path.strip_prefix(root).expect("it lies below").to_owned();
            files.push((name, fs::read(&path).expect("a file can be read")));
        }
    }
}

/// Opens the folder and reads everything.
fn read(folder: &Path) -> Result<State, String> {
    let engine = Engine::open(folder, settings()).map_err(|error| error.to_string())?;
    let page = match engine.run(Scan { table: "tab".to_owned(), ..Scan::default() }) {
        Ok(page) => page,
        Err(StoreError::ResourceNotFound(_)) => return Ok(State::new()),
        Err(error) => return Err(error.to_string()),
    };
    assert_eq!(page.last_evaluated_key, None, "the table fits one page");
    let named = |item: Item| (item.get("p").and_then(Value::as_s).unwrap_or_default().to_owned(), item);
    Ok(page.items.unwrap_or_default().into_iter().map(named).collect())
}
