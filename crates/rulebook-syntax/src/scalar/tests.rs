//! Random scalars: our decoding equals the reader's, and characters map to themselves.

use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_yaml::granit_parser::{Event, Parser, ScalarStyle};

use super::{Map, Scalar, Style};
use crate::span::{Source, Span};
use crate::yaml::{Limits, Node, Value, parse};

/// Where the scalar stands; the text before and after it must not matter.
#[derive(Clone, Copy, Debug)]
enum Place {
    Root,
    Value,
    Key,
    Item,
    Deep,
    Flow,
}

/// A file and the style of the scalar it was written around.
#[derive(Clone, Debug)]
struct Written {
    file: String,
    style: Style,
}

const BLANK: &str = "[ \t]{0,3}";

/// A word of characters that no style gives a meaning to.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z0-9é]{1,4}",
        1 => "[a-zα棋😀\u{85}\u{2028}\u{301}]{1,3}",
        1 => Just("x#y".to_owned()),
        1 => Just("it's".to_owned()),
        1 => Just("a:b".to_owned()),
        1 => Just("n=\\n".to_owned()),
    ]
}

/// A line of words with blanks between them.
fn words() -> impl Strategy<Value = String> {
    (word(), prop::collection::vec(("[ \t]{1,2}", word()), 0..4))
        .prop_map(|(first, rest)| rest.into_iter().fold(first, |line, (blank, word)| line + &blank + &word))
}

fn plain() -> impl Strategy<Value = Vec<String>> {
    let line = words().prop_map(|line| {
        if line.starts_with(|c: char| c.is_alphanumeric()) { line } else { format!("w{line}") }
    });
    prop::collection::vec(prop_oneof![5 => line, 1 => Just(String::new())], 1..5).prop_map(|mut lines| {
        // A plain scalar has words on its first and last line.
        for end in [0, lines.len() - 1] {
            if lines[end].is_empty() {
                lines[end] = "end".to_owned();
            }
        }
        lines
    })
}

fn single() -> impl Strategy<Value = Vec<String>> {
    let part = prop_oneof![
        4 => words().prop_map(|line| line.replace('\'', "''")),
        1 => Just("''".to_owned()),
        1 => Just("\"".to_owned()),
        1 => Just("# : -".to_owned()),
        1 => BLANK.prop_map(|blank| blank),
    ];
    let line = prop::collection::vec(part, 0..3).prop_map(|parts| parts.concat());
    prop::collection::vec(line, 1..5).prop_map(|lines| quoted(lines, "'"))
}

fn double() -> impl Strategy<Value = Vec<String>> {
    let escape = prop_oneof![
        "\\\\[0abtnvfre \"/\\\\N_LP\t]",
        "\\\\x[0-9a-fA-F]{2}",
        "\\\\u[0-9a-c][0-9a-fA-F]{3}",
        "\\\\U000[0-9][0-9a-f]{4}",
        Just("\\ud83d\\uDE00".to_owned()),
    ];
    let part = prop_oneof![
        4 => words().prop_map(|line| line.replace('\\', "\\\\")),
        3 => escape,
        1 => Just("'".to_owned()),
        1 => Just("# : -".to_owned()),
        1 => BLANK.prop_map(|blank| blank),
    ];
    let line = (prop::collection::vec(part, 0..4), prop::bool::weighted(0.2));
    prop::collection::vec(line, 1..5).prop_map(|lines| {
        let last = lines.len() - 1;
        let lines = lines.into_iter().enumerate().map(|(index, (parts, continued))| {
            let end = if continued && index < last { "\\" } else { "" };
            parts.concat() + end
        });
        quoted(lines.collect(), "\"")
    })
}

fn quoted(mut lines: Vec<String>, quote: &str) -> Vec<String> {
    lines[0].insert_str(0, quote);
    lines.last_mut().expect("a line").push_str(quote);
    lines
}

/// Header and lines; the lines get `indent` blanks later, and empty ones may have fewer.
fn block() -> impl Strategy<Value = (Style, Vec<String>, usize, Vec<usize>)> {
    let line = prop_oneof![
        5 => ("[ ]{0,3}", words()).prop_map(|(deeper, line)| deeper + &line),
        1 => ("\t{0,1}", words()).prop_map(|(deeper, line)| deeper + &line),
        1 => words().prop_map(|line| format!("# {line}")),
        1 => words().prop_map(|line| format!("{line}  ")),
        3 => Just(String::new()),
    ];
    let comment = prop_oneof![3 => Just(""), 1 => Just("  "), 1 => Just(" # note | >"), 1 => Just("\t# é")];
    let header = (
        prop::bool::ANY,
        prop::sample::select(vec!["", "-", "+"]),
        prop::bool::ANY,
        prop::bool::ANY,
        comment,
    );
    (header, 1..5usize, prop::collection::vec(line, 0..7), prop::collection::vec(0..6usize, 7)).prop_map(
        |((folded, chomp, explicit, first, comment), indent, mut lines, blanks)| {
            let opening = lines.iter().find(|line| !line.is_empty());
            let explicit = explicit || opening.is_some_and(|line| line.starts_with([' ', '\t']));
            let digit = if explicit { indent.to_string() } else { String::new() };
            let mark = if folded { ">" } else { "|" };
            let marks = if first { format!("{digit}{chomp}") } else { format!("{chomp}{digit}") };
            lines.insert(0, format!("{mark}{marks}{comment}"));
            (if folded { Style::Folded } else { Style::Literal }, lines, indent, blanks)
        },
    )
}

/// Puts the lines of a scalar into a file. `indents` are the blanks before its further lines.
fn write(place: Place, style: Style, lines: &[String], indents: &[usize], crlf: bool, end: bool) -> Written {
    let (before, base, after) = match place {
        Place::Root => ("# é\n--- ", 0, ""),
        Place::Value => ("é: 1\nk: ", 0, "\n# c\nz: 1"),
        Place::Key => ("KEY: b\n? ", 0, "\n: v"),
        Place::Item => ("- '|'\n- ", 0, "\n- >\n  z"),
        Place::Deep => ("a:\n  - b: |\n      x\n    k: ", 4, "\n  # c\n  - z"),
        Place::Flow => ("{'é': [1], k: ", 0, " , z: 1}"),
    };
    let mut file = before.to_owned();
    for (index, line) in lines.iter().enumerate() {
        if index > 0 {
            file.push('\n');
            file.push_str(&" ".repeat(base + indents[(index - 1) % indents.len()]));
        }
        file.push_str(line);
    }
    file.push_str(after);
    if end {
        file.push('\n');
    }
    if crlf {
        file = file.replace('\n', "\r\n");
    }
    Written { file, style }
}

fn written() -> impl Strategy<Value = Written> {
    let flow_lines = prop_oneof![
        plain().prop_map(|lines| (Style::Plain, lines)),
        single().prop_map(|lines| (Style::Single, lines)),
        double().prop_map(|lines| (Style::Double, lines)),
    ];
    let place = prop::sample::select(vec![
        Place::Root,
        Place::Value,
        Place::Key,
        Place::Item,
        Place::Deep,
        Place::Flow,
    ]);
    let more = (prop::bool::ANY, prop::bool::weighted(0.8));
    let flow = (flow_lines, place, prop::collection::vec(1..5usize, 4), more).prop_map(
        |((style, lines), place, indents, (crlf, end))| write(place, style, &lines, &indents, crlf, end),
    );
    let place = prop::sample::select(vec![Place::Root, Place::Value, Place::Key, Place::Item, Place::Deep]);
    let blocks = (block(), place, more).prop_map(|((style, lines, indent, blanks), place, (crlf, end))| {
        let indents: Vec<usize> = lines
            .iter()
            .skip(1)
            .zip(blanks)
            .map(|(line, blank)| if line.is_empty() { blank.min(indent) } else { indent })
            .chain([0])
            .collect();
        write(place, style, &lines, &indents, crlf, end)
    });
    prop_oneof![flow, blocks]
}

/// Every scalar of the tree, in the order of the file.
fn scalars<'a>(node: &'a Node, into: &mut Vec<&'a Scalar>) {
    match &node.value {
        Value::Null => {}
        Value::Scalar(scalar) => into.push(scalar),
        Value::List(items) => items.iter().for_each(|item| scalars(item, into)),
        Value::Map(map) => map.iter().for_each(|(key, value)| {
            into.push(key);
            scalars(value, into);
        }),
    }
}

/// What the reader alone makes of the file.
fn expected(file: &str) -> Option<Vec<(Style, String)>> {
    let mut found = Vec::new();
    for event in Parser::new_from_str(file) {
        if let (Event::Scalar(text, style, ..), span) = event.ok()? {
            if style == ScalarStyle::Plain && span.is_empty() {
                continue; // an absent value
            }
            let style = match style {
                ScalarStyle::Plain => Style::Plain,
                ScalarStyle::SingleQuoted => Style::Single,
                ScalarStyle::DoubleQuoted => Style::Double,
                ScalarStyle::Literal => Style::Literal,
                ScalarStyle::Folded => Style::Folded,
            };
            found.push((style, text.into_owned()));
        }
    }
    Some(found)
}

fn check(file: &str, scalar: &Scalar) -> Result<(), TestCaseError> {
    let mut before = Span::new(0, 0);
    for (at, c) in scalar.text.char_indices() {
        let span = scalar.locate(at, at + c.len_utf8());
        let raw = file.get(span.start..span.end);
        prop_assert!(raw.is_some(), "{c:?} at {span:?}");
        let raw = raw.unwrap_or_default();
        let broken = raw.contains(['\n', '\r']) && raw.trim_matches([' ', '\t', '\n', '\r', '\\']).is_empty();
        let mapped = raw.starts_with(c)
            || (scalar.style == Style::Double && raw.starts_with('\\'))
            || (scalar.style == Style::Single && c == '\'' && raw == "''")
            || (matches!(c, ' ' | '\n') && broken)
            || (c == '\n' && raw.is_empty() && span.end == file.len());
        prop_assert!(mapped, "{c:?} is mapped to {raw:?}");
        prop_assert!(span.start >= before.end || (broken && span == before), "{c:?}: {before:?} {span:?}");
        let inside = scalar.span.start <= span.start && span.end <= scalar.span.end;
        prop_assert!(inside || c == '\n', "{c:?} at {span:?} outside {:?}", scalar.span);
        // An empty range lies before its character, and halves of characters give whole ones.
        prop_assert_eq!(scalar.locate(at, at), Span::new(span.start, span.start));
        prop_assert_eq!(scalar.locate(at + c.len_utf8() - 1, at + c.len_utf8()), span);
        before = span;
    }
    let len = scalar.text.len();
    let end = scalar.locate(len, len);
    prop_assert!(end.start == end.end && end.start >= before.end);
    if len > 0 {
        let whole = scalar.locate(0, len);
        prop_assert_eq!(whole, scalar.locate(0, 1).join(scalar.locate(len - 1, len)));
        prop_assert_eq!(whole, scalar.locate(0, usize::MAX));
    }
    Ok(())
}

/// 2,000 in everyday tests; more when asked for.
fn cases() -> u32 {
    std::env::var("RULEBOOK_SCALARS").ok().and_then(|cases| cases.parse().ok()).unwrap_or(2_000)
}

#[test]
fn decoded_text_is_the_readers_and_maps_to_itself() {
    let cases = cases();
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let (read, refused) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let counts: [AtomicUsize; 5] = Default::default();
    let result = runner.run(&written(), |Written { file, style }| {
        let source = Source::new("test.yaml", file.as_str());
        let parsed = parse(&source, &Limits::default());
        let Some(expected) = expected(&file) else {
            prop_assert!(parsed.is_err());
            refused.fetch_add(1, Ordering::Relaxed);
            return Ok(());
        };
        let root = parsed.map_err(|found| TestCaseError::fail(format!("{found:?}")))?;
        let mut found = Vec::new();
        scalars(&root, &mut found);
        let texts: Vec<_> = found.iter().map(|scalar| (scalar.style, scalar.text.clone())).collect();
        prop_assert_eq!(&texts, &expected);
        prop_assert!(texts.iter().any(|(found, _)| *found == style));
        for scalar in found {
            prop_assert!(scalar.map != Map::Whole, "not trusted: {:?}", scalar.text);
            check(&file, scalar)?;
        }
        counts[style as usize].fetch_add(1, Ordering::Relaxed);
        read.fetch_add(1, Ordering::Relaxed);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    let (read, refused) = (read.into_inner(), refused.into_inner());
    let counts = counts.map(AtomicUsize::into_inner);
    assert!(refused * 20 < read, "the generator writes too much that is no YAML: {refused} of {read}");
    assert!(counts.iter().all(|&count| count * 20 > read), "a style is rare: {counts:?}");
}

fn only(file: &str) -> Scalar {
    let root = parse(&Source::new("test.yaml", file), &Limits::default()).expect("read");
    let mut found = Vec::new();
    scalars(&root, &mut found);
    found.last().copied().cloned().expect("a scalar")
}

#[test]
fn places_inside_scalars() {
    for (file, word, expected) in [
        ("k: a fob c", "fob", "fob"),
        ("k: 'it''s fob'", "fob", "fob"),
        ("k: 'it''s fob'", "'s", "''s"),
        (r#"k: "\u00e9\t fob""#, "fob", "fob"),
        (r#"k: "\u00e9\t fob""#, "é\t", r"\u00e9\t"),
        ("k: >\n  a\n  fob\n", "a fob", "a\n  fob"),
        ("k: |\n  a\n    fob\n  c", "  fob\nc", "  fob\n  c"),
        ("k: a\r\n  fob", "fob", "fob"),
    ] {
        let scalar = only(file);
        let at = scalar.text.find(word).expect("the word");
        let span = scalar.locate(at, at + word.len());
        assert_eq!(&file[span.start..span.end], expected, "{file:?}");
    }
    let empty = only("k: ''");
    assert_eq!((empty.locate(0, 0), empty.whole()), (Span::new(4, 4), Span::new(3, 5)));
}

#[test]
fn an_untrusted_map_gives_the_whole_scalar() {
    let at = Span::new(3, 8);
    let scalar = super::read("k: a b c", at, None, Some("other".into()));
    assert_eq!((scalar.text.as_str(), scalar.locate(1, 2)), ("other", at));
    let scalar = super::read(r#"k: "\q\""#, at, None, None);
    assert_eq!((scalar.text.as_str(), scalar.locate(1, 2)), (r#""\q\""#, at));
}

/// Texts out of the characters that mean something to YAML, most of them wrong.
fn jumble() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec![
        "a", "b", "é", " ", "  ", "\n", "\n  ", "\r\n", "\t", "- ", "-", ": ", ":", "? ", "[", "]", "{", "}",
        ", ", "#", " # c", "'", "\"", "\\", "|", ">", "|+\n", ">-\n", "|2\n", "&x ", "*x", "!t ", "!!int ",
        "<<: ", "---", "...", "%Y", "~", "3.10", "k: ", "\n- ", "\nk: ", "\u{feff}", "\0", "@",
    ]);
    prop::collection::vec(part, 0..20).prop_map(|parts| parts.concat())
}

#[test]
fn any_text_is_read_or_refused() {
    let cases = cases();
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let (seen, untrusted) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let result = runner.run(&jumble(), |file| {
        for aliases in [0, 4] {
            let limits = Limits { aliases, ..Limits::default() };
            match parse(&Source::new("test.yaml", file.as_str()), &limits) {
                Ok(root) => {
                    let mut found = Vec::new();
                    scalars(&root, &mut found);
                    if aliases == 0 {
                        let texts = found.iter().map(|scalar| (scalar.style, scalar.text.clone()));
                        prop_assert_eq!(texts.collect::<Vec<_>>(), expected(&file).unwrap_or_default());
                    }
                    for scalar in found {
                        seen.fetch_add(1, Ordering::Relaxed);
                        if scalar.map == Map::Whole {
                            // The reader takes a comment after a tab for a part of a plain scalar.
                            untrusted.fetch_add(1, Ordering::Relaxed);
                            prop_assert_eq!(scalar.locate(0, 1), scalar.whole());
                        } else {
                            check(&file, scalar)?;
                        }
                    }
                }
                Err(found) => {
                    prop_assert!(!found.is_empty());
                    for label in found.iter().flat_map(|one| &one.labels) {
                        prop_assert!(file.get(label.span.start..label.span.end).is_some(), "{label:?}");
                    }
                }
            }
        }
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    assert!(untrusted.into_inner() * 1_000 <= seen.into_inner(), "too few maps are trusted");
}
