//! Scripts as words: commands, what they are given, and what they are expected to come to.

use std::time::Duration;

/// A word of a script.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Word {
    /// `news`, `/news`, `200`, `,`.
    Plain(String),
    /// `"v1"`.
    Text(String),
    /// `slow=5s`, `etag="1"`.
    Pair { name: String, value: String, quoted: bool },
}

/// One command of a script.
#[derive(Debug)]
pub(super) struct Command {
    pub(super) line: usize,
    pub(super) source: String,
    pub(super) words: Vec<Word>,
    /// What stands behind `=>`.
    pub(super) expected: Option<Vec<Word>>,
}

/// The commands of a script: one on each line, or several with `;` between them. `#` begins a comment.
pub(super) fn commands(script: &str) -> Vec<Command> {
    let mut commands = Vec::new();
    for (number, line) in script.lines().enumerate() {
        for words in
            words(line).split(|word| *word == Word::Plain(";".into())).filter(|words| !words.is_empty())
        {
            let mut parts = words.splitn(2, |word| *word == Word::Plain("=>".into()));
            let given = parts.next().unwrap_or_default().to_vec();
            let expected = parts.next().map(<[Word]>::to_vec);
            commands.push(Command {
                line: number + 1,
                source: line.trim().to_owned(),
                words: given,
                expected,
            });
        }
    }
    commands
}

fn words(line: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut chars = line.chars().peekable();
    while let Some(&next) = chars.peek() {
        match next {
            '#' => break,
            ',' | ';' => {
                chars.next();
                words.push(Word::Plain(next.to_string()));
            }
            '"' => {
                chars.next();
                words.push(Word::Text(chars.by_ref().take_while(|char| *char != '"').collect()));
            }
            space if space.is_whitespace() => {
                chars.next();
            }
            _ => words.push(bare(&mut chars)),
        }
    }
    words
}

fn bare(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Word {
    let mut text = String::new();
    let mut name: Option<String> = None;
    while let Some(&next) = chars.peek() {
        match next {
            ',' | ';' => break,
            space if space.is_whitespace() => break,
            '"' if name.is_some() && text.is_empty() => {
                chars.next();
                let value = chars.by_ref().take_while(|char| *char != '"').collect();
                return Word::Pair { name: name.unwrap_or_default(), value, quoted: true };
            }
            '=' if name.is_none() && !text.is_empty() => {
                chars.next();
                if chars.peek() == Some(&'>') {
                    panic!("write a space before `=>`");
                }
                name = Some(std::mem::take(&mut text));
            }
            _ => {
                chars.next();
                text.push(next);
            }
        }
    }
    match name {
        Some(name) => Word::Pair { name, value: text, quoted: false },
        None => Word::Plain(text),
    }
}

/// What a command is given, taken apart: plain words and texts in order, and options by name.
#[derive(Debug, Default)]
pub(super) struct Given {
    pub(super) plain: Vec<String>,
    pub(super) text: Option<String>,
    pub(super) pairs: Vec<(String, String, bool)>,
    /// `x 20`.
    pub(super) times: usize,
    /// `as b`.
    pub(super) worker: String,
}

impl Given {
    pub(super) fn of(words: &[Word]) -> Self {
        let mut given = Self { times: 1, worker: "a".to_owned(), ..Self::default() };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word {
                Word::Plain(x) if x == "x" => given.times = number(words.next()),
                Word::Plain(preposition) if preposition == "as" => given.worker = plain(words.next()),
                Word::Plain(word) => given.plain.push(word.clone()),
                Word::Text(text) => given.text = Some(text.clone()),
                Word::Pair { name, value, quoted } => {
                    given.pairs.push((name.clone(), value.clone(), *quoted));
                }
            }
        }
        given
    }

    /// Whether this word was given.
    pub(super) fn has(&self, word: &str) -> bool {
        self.plain.iter().any(|plain| plain == word)
    }

    /// The value of an option.
    pub(super) fn option(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(other, ..)| other == name).map(|(_, value, _)| value.as_str())
    }

    /// All values of an option.
    pub(super) fn all<'g, 'n: 'g>(&'g self, name: &'n str) -> impl Iterator<Item = &'g str> + use<'g, 'n> {
        self.pairs.iter().filter(move |(other, ..)| other == name).map(|(_, value, _)| value.as_str())
    }

    /// The plain word at this place.
    pub(super) fn at(&self, place: usize) -> &str {
        self.plain.get(place).unwrap_or_else(|| panic!("a word is missing behind {:?}", self.plain))
    }
}

pub(super) fn plain(word: Option<&Word>) -> String {
    match word {
        Some(Word::Plain(word)) => word.clone(),
        other => panic!("expected a word, found {other:?}"),
    }
}

pub(super) fn number(word: Option<&Word>) -> usize {
    plain(word).parse().expect("a number")
}

/// `90s`, `-90s`, `250ms`, `2m`, `3h`, `4d`; a bare number is seconds.
pub(super) fn milliseconds(text: &str) -> i64 {
    let digits = text.trim_end_matches(|char: char| char.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "ms" => 1,
        "" | "s" => 1000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        other => panic!("{other:?} is no unit of time"),
    };
    digits.trim_start_matches('+').parse::<i64>().expect("a number") * unit
}

pub(super) fn duration(text: &str) -> Duration {
    Duration::from_millis(u64::try_from(milliseconds(text)).expect("not negative"))
}

#[test]
fn a_line_is_taken_apart() {
    let commands = commands("# none\nget /a x 2 as b q=\"a, b\" => 200 \"v;1\" hit, busy ; settle # all");
    let [get, settle] = &commands[..] else { panic!("{commands:?}") };
    let given = Given::of(&get.words);
    assert_eq!((given.at(1), given.times, given.worker.as_str()), ("/a", 2, "b"));
    assert_eq!(given.option("q"), Some("a, b"));
    assert_eq!(get.expected.as_ref().map(Vec::len), Some(5));
    assert_eq!((settle.line, settle.words.len()), (2, 1));
    assert_eq!(milliseconds("-90s"), -90_000);
}
