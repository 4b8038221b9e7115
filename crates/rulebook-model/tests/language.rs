//! The language reference against the language: its examples, its tables, its completeness.

#![expect(clippy::panic, reason = "helpers of tests may fail loudly too")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use rulebook_model::check;
use rulebook_model::library::{BUILT_IN, Library};
use rulebook_syntax::parse::{self, SyntaxError, Text};
use rulebook_syntax::yaml::Limits;
use rulebook_syntax::{Severity, Source, Span, codes};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn page() -> String {
    read("rules/LANGUAGE.md")
}

/// The fenced blocks of a page: the line of the fence, what it says, the text.
fn blocks(page: &str) -> Vec<(usize, String, String)> {
    let mut found = Vec::new();
    let mut open: Option<(usize, String, String)> = None;
    for (at, line) in page.lines().enumerate() {
        match (line.strip_prefix("```"), open.take()) {
            (Some(info), None) => open = Some((at + 1, info.to_owned(), String::new())),
            (Some(_), Some(block)) => found.push(block),
            (None, Some((at, info, text))) => open = Some((at, info, text + line + "\n")),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block is not closed");
    found
}

fn errors(name: &str, text: &str) -> Vec<(&'static str, String)> {
    let library = Library::default();
    let found = check(&Source::new(name, text), &|id| library.find(id), &[]).diagnostics;
    let errors = found.into_iter().filter(|one| one.severity == Severity::Error);
    errors.map(|one| (one.code, one.message)).collect()
}

#[test]
fn examples_are_rule_files() {
    let handbook = blocks(&read("rules/README.md"));
    for (line, info, text) in blocks(&page()).into_iter().chain(handbook) {
        let found = errors("example.yaml", &text);
        match info.as_str() {
            "yaml" => assert!(found.is_empty(), "line {line}: {found:?}"),
            info if info.starts_with("yaml error=") => {
                let code = info.trim_start_matches("yaml error=");
                assert!(
                    found.iter().all(|(found, _)| *found == code) && found.len() == 1,
                    "line {line}: {found:?}"
                );
            }
            _ => {}
        }
    }
}

fn parses<T>(line: usize, text: &str, parse: fn(&Text<'_>) -> Result<T, SyntaxError>) {
    let parsed = parse(&Text { text, locate: &Span::new });
    assert!(parsed.is_ok(), "line {line}: {text}: {:?}", parsed.err());
}

#[test]
fn fragments_parse() {
    for (line, info, text) in blocks(&page()) {
        for text in text.lines() {
            match info.as_str() {
                "expr" => parses(line, text, parse::expression),
                "pattern" => parses(line, text, parse::pattern),
                "effect" => parses(line, text, parse::effects),
                "choices" => parses(line, text, parse::choices),
                "control" => parses(line, text, parse::control),
                info => assert!(info.starts_with("yaml"), "line {line}: what is `{info}`?"),
            }
        }
    }
}

/// The rows of the table whose head begins with some words, split into cells.
fn table(page: &str, head: &str) -> Vec<Vec<String>> {
    let mut lines = page.lines().skip_while(|line| !line.starts_with(head)).skip(2);
    let mut rows = Vec::new();
    for line in lines.by_ref().take_while(|line| line.starts_with('|')) {
        let bare = |cell: &str| {
            let cell = cell.trim();
            let code = cell.strip_prefix('`').and_then(|rest| rest.strip_suffix('`'));
            code.filter(|code| !code.contains("` or `")).unwrap_or(cell).to_owned()
        };
        rows.push(line.trim_matches('|').split(" | ").map(bare).collect());
    }
    assert!(!rows.is_empty(), "no table `{head}`");
    rows
}

#[test]
fn codes_are_listed() {
    let listed: Vec<(String, String)> =
        table(&page(), "| code |").into_iter().map(|row| (row[0].clone(), row[1].clone())).collect();
    let known: Vec<(String, String)> = codes::ALL
        .iter()
        .map(|(code, text)| ((*code).to_owned(), text.split_whitespace().collect::<Vec<_>>().join(" ")))
        .collect();
    assert_eq!(listed, known);
}

/// The value of a constant in the source text of some file.
fn constant(file: &str, name: &str) -> u64 {
    let limits = Limits::default();
    match name {
        "bytes" => return limits.bytes as u64,
        "depth" => return limits.depth as u64,
        "nodes" => return limits.nodes as u64,
        "aliases" => return limits.aliases as u64,
        _ => {}
    }
    let folders =
        ["rulebook-syntax/src", "rulebook-model/src", "rulebook-model/src/check", "rulebook-reference/src"];
    let paths = folders.iter().map(|folder| root().join("crates").join(folder).join(file));
    let text: String = paths.filter_map(|path| fs::read_to_string(path).ok()).collect();
    let value = text.split(&format!("const {name}: ")).nth(1).and_then(|rest| rest.split(['=', ';']).nth(1));
    let value = value.unwrap_or_else(|| panic!("no constant {name} in {file}"));
    value.trim().replace('_', "").parse().unwrap_or_else(|_| panic!("{name} is `{value}`"))
}

#[test]
fn limits_are_those_of_the_code() {
    for row in table(&page(), "| what | limit |") {
        let (file, name) = row[2].split_once("` `").expect("a file and a constant");
        assert_eq!(row[1].parse::<u64>().expect("a number"), constant(file, name), "{}", row[0]);
    }
}

/// The words in quotes of a constant list of a source file.
fn words_of(file: &str, list: &str) -> BTreeSet<String> {
    let text = read(file);
    let body = text.split(&format!("const {list}")).nth(1).unwrap_or_else(|| panic!("no {list}"));
    let body = body.split("\n];").next().unwrap_or(body);
    let body = body.split(";\n").next().unwrap_or(body);
    body.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn every_key_is_described() {
    let page = page();
    let reader = "crates/rulebook-model/src/draft/read.rs";
    let clause = "crates/rulebook-model/src/draft/read/clause.rs";
    for (file, list) in [(reader, "FILE_KEYS"), (clause, "TEXT_KEYS"), (clause, "FORMS")] {
        for key in words_of(file, list) {
            assert!(
                page.contains(&format!("`{key}`")) || page.contains(&format!("`{key}: true`")),
                "the key `{key}`"
            );
        }
    }
}

#[test]
fn every_name_of_the_language_is_described() {
    let page = page();
    let names = "crates/rulebook-model/src/check/names.rs";
    for name in words_of(names, "CONTEXTS").into_iter().chain(words_of(names, "BARE")) {
        assert!(page.contains(&format!("`{name}`")), "the name `{name}`");
    }
    for name in words_of("crates/rulebook-model/src/check/functions.rs", "FUNCTIONS") {
        assert!(page.contains(&format!("`{name}(")), "the function `{name}`");
    }
}

/// The macros of the prelude stand in the reference as they are.
#[test]
fn macros_are_those_of_the_prelude() {
    let prelude = read("rules/prelude.yaml");
    let macros = prelude.split("macros:\n").nth(1).expect("macros");
    let known: Vec<(String, String)> = macros
        .lines()
        .take_while(|line| line.starts_with("  "))
        .filter_map(|line| line.trim().split_once(": "))
        .map(|(head, body)| (head.split('(').next().unwrap_or(head).to_owned(), body.to_owned()))
        .collect();
    let listed = table(&page(), "| macro | pattern |");
    let listed: Vec<(String, String)> = listed
        .iter()
        .map(|row| (row[0].split(' ').next().unwrap_or("").to_owned(), row[1].replace("(a, b)", "v")))
        .collect();
    assert_eq!(listed, known);
}

#[test]
fn one_sentence_stands_on_one_line() {
    for path in ["rules/LANGUAGE.md", "rules/README.md"] {
        let mut inside = false;
        for (at, line) in read(path).lines().enumerate() {
            inside ^= line.starts_with("```");
            if inside || line.starts_with('|') {
                continue;
            }
            let plain: String = line.split('`').step_by(2).collect();
            let again = plain
                .match_indices(". ")
                .any(|(at, _)| plain[at + 2..].starts_with(char::is_uppercase) && plain[..at].contains(' '));
            assert!(!again, "{path}:{}: two sentences on one line", at + 1);
        }
    }
}

/// The rules of the grammar, in the order of its file, and whether a reader needs to know them.
fn grammar_rules() -> Vec<String> {
    let pest = read("crates/rulebook-syntax/src/expr.pest");
    let mut found = Vec::new();
    for line in pest.lines() {
        let Some((name, rest)) = line.split_once('=') else { continue };
        let name = name.trim();
        let is_rule = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if is_rule && rest.trim_start().starts_with(['{', '_', '@', '$']) {
            found.push(name.to_owned());
        }
    }
    found
}

#[test]
fn the_grammar_page_has_every_rule() {
    let grammar = read("rules/GRAMMAR.md");
    let rules = grammar_rules();
    assert!(rules.len() > 80, "{} rules", rules.len());
    for rule in rules {
        let word = rule.strip_prefix("k_").unwrap_or(&rule);
        let defined = grammar.lines().any(|line| line.split_whitespace().next() == Some(rule.as_str()));
        let is_word = rule.starts_with("k_") && grammar.contains(&format!("\"{word}\""));
        assert!(defined || is_word || grammar.contains(&format!("`{rule}`")), "the rule `{rule}`");
    }
}

#[test]
fn rule_files_have_no_errors() {
    for (id, text) in BUILT_IN {
        assert_eq!(errors(&format!("{id}.yaml"), text), [], "{id}");
    }
}
