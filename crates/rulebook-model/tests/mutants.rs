//! Rule files with random bytes deleted, replaced or doubled: whatever comes of them, checking ends soon and never panics.
//!
//! `RULEBOOK_MUTANTS` says how many are made; the seed is fixed, so a failure comes again.

#![expect(clippy::expect_used, reason = "helpers of tests may fail loudly too")]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{env, fs, panic};

use rulebook_model::check;
use rulebook_model::library::{BUILT_IN, Library};
use rulebook_syntax::Source;

/// A small generator of random numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap_or(0) % bound.max(1)
    }
}

/// Pieces of text that mean something to YAML or to the small languages.
const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    ":",
    ": ",
    "- ",
    "\n",
    "\n  ",
    "|\n",
    ">-\n",
    "\"",
    "'",
    "#",
    "&a ",
    "*a",
    "!t ",
    "<<",
    "~",
    "\t",
    "\r\n",
    "\u{feff}",
    "\u{0}",
    "é",
    "将",
    "..",
    ":=",
    "+=",
    " of ",
    " in ",
    " is empty",
    " not ",
    " any x in ",
    "trace(a1, step any)",
    "mover",
    "stuck",
    "able(",
    "last(",
    "times(position)",
    "999999999999999999999",
    "1:99",
    "0x10",
    " mark m back m ",
    "{1,99999}",
    "*",
    "+",
    "?",
    "extends: chess/board\n",
    "none",
    "true",
    "%",
    "\\",
    "\\x4",
];

fn mutant(text: &str, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(4) {
        if bytes.is_empty() {
            break;
        }
        let at = random.below(bytes.len());
        let end = (at + 1 + random.below(12)).min(bytes.len());
        match random.below(5) {
            0 => drop(bytes.drain(at..end)),
            1 => bytes[at] = u8::try_from(random.below(128)).unwrap_or(b' '),
            2 => {
                let piece = PIECES[random.below(PIECES.len())];
                bytes.splice(at..at, piece.bytes());
            }
            3 => {
                let from = random.below(bytes.len());
                let part: Vec<u8> = bytes[from..(from + 40).min(bytes.len())].to_vec();
                bytes.splice(at..at, part);
            }
            _ => bytes.truncate(bytes.len() - random.below(40).min(bytes.len() - 1)),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn corpus() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/diagnostics");
    let mut broken: Vec<_> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    broken.sort();
    let broken = broken.iter().filter_map(|path| fs::read_to_string(path).ok());
    BUILT_IN.iter().map(|(_, text)| (*text).to_owned()).chain(broken).collect()
}

#[test]
fn mutants_are_checked_without_panic() {
    let count = env::var("RULEBOOK_MUTANTS").ok().and_then(|n| n.parse().ok()).unwrap_or(3_000);
    let corpus = corpus();
    let library = Library::default();
    let mut random = Random(0x5eed_0042);
    for number in 0..count {
        let text = mutant(&corpus[random.below(corpus.len())], &mut random);
        let source: Arc<Source> = Source::new("mutant.yaml", text.clone());
        let begin = Instant::now();
        let checked = panic::catch_unwind(|| check(&source, &|id| library.find(id), &[]));
        let Ok(checked) = checked else { panic!("mutant {number} panics:\n{text}") };
        assert!(begin.elapsed() < Duration::from_secs(10), "mutant {number} takes too long:\n{text}");
        for label in checked.diagnostics.iter().flat_map(|diagnostic| &diagnostic.labels) {
            let within = label.source.text.get(label.span.start..label.span.end).is_some();
            assert!(within, "mutant {number} has a label outside of its text: {label:?}\n{text}");
        }
    }
}
