//! Strings that nobody would write: every entry point ends soon, never panics, and points into the text.

use std::time::{Duration, Instant};

use rulebook_syntax::Span;
use rulebook_syntax::parse::{self, MAX_LENGTH, SyntaxError, Text};

/// Parses a text by one entry point: the error, and the largest place that was asked for.
type Entry = fn(&str) -> Option<SyntaxError>;

fn entry<T>(text: &str, parse: fn(&Text<'_>) -> Result<T, SyntaxError>) -> Option<SyntaxError> {
    parse(&Text { text, locate: &Span::new }).err()
}

const ENTRIES: [(&str, Entry); 7] = [
    ("expression", |text| entry(text, parse::expression)),
    ("pattern", |text| entry(text, parse::pattern)),
    ("effects", |text| entry(text, parse::effects)),
    ("choices", |text| entry(text, parse::choices)),
    ("directions", |text| entry(text, parse::directions)),
    ("signature", |text| entry(text, parse::signature)),
    ("control", |text| entry(text, parse::control)),
];

fn try_all(text: &str) {
    for (name, parse) in ENTRIES {
        let begin = Instant::now();
        let error = parse(text);
        assert!(begin.elapsed() < Duration::from_secs(5), "{name} takes too long: {text}");
        if let Some(error) = error {
            assert!(text.get(error.span.start..error.span.end).is_some(), "{name}: {error:?}: {text}");
            assert!(!error.message.is_empty() && !error.message.ends_with('.'), "{name}: {error:?}");
        }
    }
}

#[test]
fn long_repetitions() {
    for part in [
        "(",
        "[",
        "{",
        ")",
        "not ",
        "-",
        "a of ",
        "a.",
        "if ",
        "if a then ",
        "any x in ",
        "those x in y where ",
        "sum of ",
        "trace(a, ",
        "trace(a, [",
        "step ",
        "step (",
        "mark a ",
        "(step)",
        "step [",
        "step{1,",
        "a|",
        "a,",
        "a;",
        "a;b:=",
        "for x in y do ",
        "(again;",
        "move a to ",
        "put a for ",
        "give ",
        "a := ",
        "'",
        "\"",
        "a in ",
        "1:00 + 1 s, then ",
        "a + ",
        "a is empty and ",
        "1..",
        "f(",
        "f(a,",
        "将",
        "\u{0}",
        "\n",
        "a(b)",
        "x in [",
        "not in ",
        "a not in b or ",
        "jump (1,2) ",
        "face a+",
        "a+",
        "1 ",
    ] {
        try_all(&part.repeat(MAX_LENGTH / part.len()));
        try_all(&format!("{}a", part.repeat(60)));
        try_all(&format!("a {} b", part.repeat(3)));
    }
}

#[test]
fn random_words() {
    const WORDS: &[&str] = &[
        "a",
        "b(c)",
        "of",
        "in",
        "not",
        "any",
        "where",
        "have",
        "those",
        "sum of",
        "for",
        "if",
        "then",
        "else",
        "[",
        "]",
        "(",
        ")",
        "step",
        "jump",
        "(1,2)",
        "face",
        "veer",
        "take",
        "mark m",
        "back m",
        "*",
        "+",
        "?",
        "{1,2}",
        "|",
        ",",
        ";",
        ":=",
        "+=",
        "put",
        "at",
        "move",
        "to",
        "remove",
        "give",
        "again",
        "do",
        "1",
        "2.5",
        "1:30",
        "30 s",
        "is empty",
        "is not empty",
        "..",
        "=",
        "!=",
        "<=",
        "and",
        "or",
        "mod",
        "&",
        "-",
        ".",
        "'t'",
        "true",
        "none",
        "trace(",
        "moves",
        "delay",
        "repeating",
        "é",
    ];
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut below = |bound: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        usize::try_from(seed >> 33).unwrap_or(0) % bound
    };
    for _ in 0..20_000 {
        let count = 1 + below(14);
        let text: Vec<&str> = (0..count).map(|_| WORDS[below(WORDS.len())]).collect();
        try_all(&text.join(if below(4) == 0 { "" } else { " " }));
    }
}

#[test]
fn numbers_are_not_units_of_effects() {
    for text in ["for n in 1..3 do again", "move 3 to 4", "put a at 3"] {
        assert_eq!(entry(text, parse::effects), None, "{text}");
    }
}

#[test]
fn names_and_words() {
    assert_eq!(parse::is_name("long_name2"), (true, true));
    assert_eq!(parse::is_name("any"), (true, false));
    for wrong in ["", "Name", "two words", "3a", "a-b", "é", "a "] {
        assert_eq!(parse::is_name(wrong), (false, false), "{wrong}");
    }
}
