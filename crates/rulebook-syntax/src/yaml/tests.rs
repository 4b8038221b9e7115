//! Shapes, places, refusals and limits.

use std::sync::Arc;

use super::{Limits, Node, Value, parse};
use crate::codes;
use crate::span::{Diagnostic, Source, Span};

fn read(text: &str) -> Result<Node, Vec<Diagnostic>> {
    parse(&Source::new("test.yaml", text), &Limits::default())
}

/// The tree on one line: scalars in their quotes, `-` for absent values.
fn show(node: &Node) -> String {
    match &node.value {
        Value::Null => "-".to_owned(),
        Value::Scalar(scalar) => format!("{:?}", scalar.text),
        Value::List(items) => format!("[{}]", items.iter().map(show).collect::<Vec<_>>().join(" ")),
        Value::Map(map) => {
            let entries = map.iter().map(|(key, value)| format!("{:?}:{}", key.text, show(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(" "))
        }
    }
}

fn shape(text: &str) -> String {
    read(text).map_or_else(|found| format!("refused: {found:?}"), |node| show(&node))
}

/// Code and the text under the first label of every finding, with its offset.
fn refusals(text: &str, limits: &Limits) -> Vec<(&'static str, usize, String)> {
    let found = parse(&Source::new("test.yaml", text), limits).expect_err("refused");
    for one in &found {
        let first = one.message.chars().next().expect("a message");
        assert!(!first.is_uppercase() && !one.message.ends_with('.'), "{}", one.message);
        for label in &one.labels {
            assert!(text.get(label.span.start..label.span.end).is_some(), "{label:?}");
        }
    }
    found
        .iter()
        .map(|one| {
            let span = one.labels[0].span;
            (one.code, span.start, text[span.start..span.end].to_owned())
        })
        .collect()
}

fn refused(text: &str, code: &'static str, start: usize, under: &str) {
    assert_eq!(refusals(text, &Limits::default()), [(code, start, under.to_owned())], "{text:?}");
}

fn at<'a>(node: &'a Node, path: &[&str]) -> &'a Node {
    path.iter().fold(node, |node, step| match &node.value {
        Value::Map(map) => &map.iter().find(|(key, _)| key.text == *step).expect("key").1,
        Value::List(items) => &items[step.parse::<usize>().expect("index")],
        _ => panic!("no child {step}"),
    })
}

fn under(text: &str, path: &[&str]) -> String {
    let root = read(text).expect("read");
    let Span { start, end } = at(&root, path).span;
    text[start..end].to_owned()
}

#[test]
fn scalars_are_their_text() {
    let words = "no on yes true ~ null 3.10 0o17 0x1F 1_000 1e999 .inf -.INF .nan 12:30:45 2024-01-01 -7 +5 007 \
                 99999999999999999999999999 1e5 - a";
    for word in words.split(' ').filter(|word| *word != "-") {
        let text = format!("{word}: {word}\nx: [{word}]\n");
        assert_eq!(shape(&text), format!("{{{word:?}:{word:?} \"x\":[{word:?}]}}"));
        let root = read(&text).expect("read");
        let Value::Scalar(scalar) = &at(&root, &["x", "0"]).value else { panic!("scalar") };
        assert!(scalar.is_plain());
        assert_eq!(&text[scalar.whole().start..scalar.whole().end], word);
        assert_eq!(scalar.locate(0, 1), Span::new(scalar.span.start, scalar.span.start + 1));
    }
    assert_eq!(shape("a: '3.10'\nb: \"~\"\n"), r#"{"a":"3.10" "b":"~"}"#);
}

#[test]
fn absent_values_are_null() {
    assert_eq!(shape("a:\nb: ~\nc: \nd: ''\n"), r#"{"a":- "b":"~" "c":- "d":""}"#);
    assert_eq!(shape("-\n- a\n-\n"), r#"[- "a" -]"#);
    assert_eq!(shape("{a, b: , c: 1}"), r#"{"a":- "b":- "c":"1"}"#);
    assert_eq!(under("a:\nb: 1\n", &["a"]), ":");
    assert_eq!(under("- a\n-\n", &["1"]), "-");
}

#[test]
fn shapes() {
    for (text, expected) in [
        ("x", r#""x""#),
        ("--- x\n", r#""x""#),
        ("---\nx: y\n...\n", r#"{"x":"y"}"#),
        ("\u{feff}a: b\n", r#"{"a":"b"}"#),
        ("a: b\r\nc:\r\n  - d\r\n", r#"{"a":"b" "c":["d"]}"#),
        ("a: b\rc: d\r", r#"{"a":"b" "c":"d"}"#),
        ("a:\t b\t# c\n", r#"{"a":"b"}"#),
        ("- - a\n  - b\n- c: d\n  e: f\n", r#"[["a" "b"] {"c":"d" "e":"f"}]"#),
        ("[a: b, {c: d}, [], {}, 'e', ]", r#"[{"a":"b"} {"c":"d"} [] {} "e"]"#),
        ("? a\n: b\n? 'c'\n", r#"{"a":"b" "c":-}"#),
        ("? |\n  a\n: b\n", r#"{"a\n":"b"}"#),
        ("a: # ] & ! c\n  # * d\n  b\n", r#"{"a":"b"}"#),
        ("a: x#y & !z *\n", r#"{"a":"x#y & !z *"}"#),
        ("'<<': 1\n", r#"{"<<":"1"}"#),
        (
            "a: |\nb: |+\n\n\nc: >-\n\n\n  x\n\n   y\nd: |2-\n    z\n",
            r#"{"a":"" "b":"\n\n" "c":"\n\nx\n\n y" "d":"  z"}"#,
        ),
        ("a: |", r#"{"a":""}"#),
        ("a: |+\n\n", r#"{"a":"\n"}"#),
        ("a: |+\n  ", r#"{"a":"\n"}"#),
        ("--- |\nfoo\n...\n", r#""foo\n""#),
        ("|\nfoo: bar\n", r#""foo: bar\n""#),
    ] {
        assert_eq!(shape(text), expected, "{text:?}");
    }
}

#[test]
fn many_comments_are_no_problem() {
    let text = format!("a:\n{}  b: c\n", "  # note\n".repeat(5_000));
    assert_eq!(shape(&text), r#"{"a":{"b":"c"}}"#);
}

#[test]
fn places() {
    let text = "é: [1, {b: 'it''s'}, ] # ]\nc:\n  - x y\n  - |\n    one\n\n  # no\nd: {}\n";
    assert_eq!(under(text, &["é"]), "[1, {b: 'it''s'}, ]");
    assert_eq!(under(text, &["é", "1"]), "{b: 'it''s'}");
    assert_eq!(under(text, &["é", "1", "b"]), "'it''s'");
    assert_eq!(under(text, &["c"]), "x y\n  - |\n    one");
    assert_eq!(under(text, &["c", "1"]), "one");
    assert_eq!(under(text, &["d"]), "{}");
    assert_eq!(under(text, &[]), text.trim_end());
    assert_eq!(under("\u{feff}a: b\n", &["a"]), "b");
}

#[test]
fn repeated_keys_are_all_found() {
    let text = "a: 1\nb:\n  x: 1\n  'x': 2\n\"a\": 2\na: {q: 1, q: 2}\n";
    let found = read(text).expect_err("refused");
    let labels = |one: &Diagnostic| one.labels.iter().map(|label| label.span.start).collect::<Vec<_>>();
    assert!(found.iter().all(|one| one.code == codes::YAML_DUPLICATE_KEY));
    assert_eq!(found.iter().map(labels).collect::<Vec<_>>(), [[17, 10], [24, 0], [31, 0], [41, 35]]);
    assert_eq!(found[0].message, "the key `x` is there twice");
    assert_eq!(found[0].labels[1].text, "first here");
}

#[test]
fn what_the_rule_language_leaves_out() {
    let code = codes::YAML_FORBIDDEN;
    refused("a: &x 1\n", code, 3, "&x");
    refused("a: &x\n  b: 1\n", code, 3, "&x");
    refused("a: &x\n", code, 3, "&x");
    refused("[&x,b]", code, 1, "&x");
    refused("a: !!str 3\n", code, 3, "!!str");
    refused("a: !!int x\n", code, 3, "!!int");
    refused("a: !!binary '*'\n", code, 3, "!!binary");
    refused("a: !t [b]\n", code, 3, "!t");
    refused("!<tag:x,1> a: b\n", code, 0, "!<tag:x,1>");
    refused("a: !e!x 3\n", code, 3, "!e!x");
    refused("a: *x\n", code, 3, "*x");
    refused("a: {<<: {b: c}}\n", code, 4, "<<");
    refused("a: &x [*x]\n", code, 7, "*x");
    refused("a: b\n---\nc: d\n", code, 5, "---");
    refused("a: b\n...\n---\n", code, 9, "---");
    refused("%YAML 1.2\n---\na: b\n", code, 0, "%YAML 1.2");
    refused("? [a]\n: b\n", code, 2, "[a]");
    let several = refusals("a: &x 1\nb: !t 2\nc: 1\nc: 2\n", &Limits::default());
    assert_eq!(several.iter().map(|one| one.1).collect::<Vec<_>>(), [3, 11, 21]);
    let used = refusals("a: &x 1\nb: *x\n", &Limits::default());
    assert_eq!(used, [(code, 11, "*x".to_owned())]);
}

#[test]
fn bad_yaml() {
    let code = codes::YAML_SYNTAX;
    for (text, start, under) in [
        ("", 0, ""),
        ("# c\n", 0, ""),
        ("---\n", 0, ""),
        ("a: \"x\n", 3, "\""),
        ("a: 'x\n", 3, "'"),
        ("a: [1\n", 3, "["),
        ("é: [1\n", 4, "["),
        ("\u{feff}é: [1\n", 7, "["),
        ("a: 1\r\né: [1\r\n", 10, "["),
        ("a: 1\ré: [1\r", 9, "["),
        ("a: [1}\n", 3, "["),
        ("a: ]\n", 3, "]"),
        ("a: b: c\n", 4, ":"),
        ("a: b\n  c: d\n", 8, ":"),
        ("a:\n  - b\n c: d\n", 10, "c"),
        ("a:\n\tb: c\n", 3, "\t"),
        ("a: - b\n", 3, "-"),
        ("a: 'x' y\n", 7, "y"),
        ("@a: b\n", 0, "@"),
        ("a: `b`\n", 3, "`"),
        ("a: \"\\\\ \\q\"\n", 7, "\\q"),
        ("a: \0b\n", 3, "\0"),
        ("a: 'x\0y'\n", 5, "\0"),
        ("a: b # \0\nc: d", 7, "\0"),
        ("a: \u{7}\n", 3, "\u{7}"),
        ("a: \u{feff}b\n", 3, "\u{feff}"),
        (": x\n", 0, ":"),
    ] {
        refused(text, code, start, under);
    }
}

#[test]
fn brackets_in_a_flow_mapping_want_quotes() {
    let help = |text: &str| {
        let found = parse(&Source::new("test.yaml", text), &Limits::default()).unwrap_err();
        found.into_iter().find_map(|found| found.help)
    };
    let wanted = Some("inside of `{ … }` a text that holds a bracket needs quotes");
    assert_eq!(help("a: { move: step [own] }\n").as_deref(), wanted);
    assert_eq!(help("a: { b: x {c} }\n").as_deref(), wanted);
}

#[test]
fn limit_of_bytes() {
    let limits = Limits { bytes: 8, ..Limits::default() };
    let parse = |text: &str| parse(&Source::new("test.yaml", text), &limits);
    assert!(parse("abc: def").is_ok());
    assert_eq!(refusals("abc: defg", &limits), [(codes::LIMIT_EXCEEDED, 8, "g".to_owned())]);
    assert_eq!(refusals("abc: dé\n", &limits), [(codes::LIMIT_EXCEEDED, 8, String::new())]);
    assert_eq!(refusals("abc: deé", &limits), [(codes::LIMIT_EXCEEDED, 7, "é".to_owned())]);
}

#[test]
fn limit_of_depth() {
    let limits = Limits::default();
    let flow = |depth: usize| format!("{}x{}", "[".repeat(depth), "]".repeat(depth));
    assert!(read(&flow(limits.depth)).is_ok());
    assert_eq!(refusals(&flow(limits.depth + 1), &limits), [(codes::LIMIT_EXCEEDED, 32, "[".to_owned())]);
    let block = |depth: usize| {
        (0..depth).fold(String::new(), |text, level| format!("{text}{}a:\n", " ".repeat(level)))
    };
    assert!(read(&block(limits.depth)).is_ok());
    let [(code, start, under)] = &refusals(&block(limits.depth + 1), &limits)[..] else { panic!("one") };
    assert_eq!(
        (*code, *start, under.as_str()),
        (codes::LIMIT_EXCEEDED, block(limits.depth + 1).len() - 3, "a")
    );
    let dashes = |depth: usize| format!("{}x\n", "- ".repeat(depth));
    assert!(read(&dashes(limits.depth)).is_ok());
    assert_eq!(refusals(&dashes(limits.depth + 1), &limits)[0].0, codes::LIMIT_EXCEEDED);
}

#[test]
fn limit_of_nodes() {
    let limits = Limits { nodes: 10, ..Limits::default() };
    let list = |items: usize| format!("[{}]", vec!["x"; items].join(","));
    assert!(parse(&Source::new("test.yaml", list(9)), &limits).is_ok());
    assert_eq!(refusals(&list(10), &limits), [(codes::LIMIT_EXCEEDED, 19, "x".to_owned())]);
    let limits = Limits::default();
    assert!(read(&list(limits.nodes - 1)).is_ok());
    assert_eq!(refusals(&list(limits.nodes), &limits)[0].0, codes::LIMIT_EXCEEDED);
}

#[test]
fn aliases_where_they_are_allowed() {
    let limits = Limits { aliases: 2, ..Limits::default() };
    let text = "a: &x {k: |\n    one\n  }\n";
    assert!(parse(&Source::new("test.yaml", text), &limits).is_err(), "a block inside brackets");
    let text = "a: &x\n  k: |\n    one\n  l: [3.10]\nb: *x\nc: [ *x ]\n";
    let root = parse(&Source::new("test.yaml", text), &limits).expect("read");
    let inner = r#"{"k":"one\n" "l":["3.10"]}"#;
    assert_eq!(show(&root), format!(r#"{{"a":{inner} "b":{inner} "c":[{inner}]}}"#));
    assert_eq!(at(&root, &["b"]).span, Span::new(36, 38));
    assert_eq!(at(&root, &["b", "k"]).span, at(&root, &["a", "k"]).span);
    assert_eq!(at(&root, &["b", "l"]).span, at(&root, &["a", "l"]).span);
    assert_eq!(at(&root, &["c"]).span, Span::new(42, 48));
    let more = format!("{text}d: *x\n");
    assert_eq!(refusals(&more, &limits), [(codes::LIMIT_EXCEEDED, 52, "*x".to_owned())]);
    assert_eq!(refusals("a: *q\n", &limits), [(codes::YAML_SYNTAX, 3, "*q".to_owned())]);
    assert_eq!(refusals("a: &x [*x]\n", &limits), [(codes::YAML_SYNTAX, 7, "*x".to_owned())]);
    assert_eq!(refusals("a: &x {k: 1}\nb: {<<: *x}\n", &limits)[0].0, codes::YAML_FORBIDDEN);
}

#[test]
fn hostile_texts_are_refused_quickly() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let before = format!("*a{}", level - 1);
        bomb.push_str(&format!("a{level}: &a{level} [{}]\n", [before.as_str(); 9].join(", ")));
    }
    let all = Limits { aliases: usize::MAX, ..Limits::default() };
    let wide = format!("{}a: b\n", "k: v\n".repeat(40_000));
    let quotes = "'".repeat(100_001);
    let long = format!("\"{}\"", "\\u00e9 \\\n  ".repeat(40_000));
    let texts = [
        "[".repeat(100_000),
        "{a: ".repeat(100_000),
        "- ".repeat(100_000),
        "? ".repeat(100_000),
        "&a ".repeat(1000),
        quotes,
        wide,
        bomb,
        long,
    ];
    let start = std::time::Instant::now();
    for text in texts {
        let text: Arc<Source> = Source::new("test.yaml", text);
        for limits in [all, Limits::default()] {
            drop(parse(&text, &limits));
        }
    }
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}
