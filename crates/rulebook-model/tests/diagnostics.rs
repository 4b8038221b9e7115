//! Rule files that are broken on purpose: each says in comments what is wrong with it, and exactly that is reported.
//!
//! Under the offending line stands `#~ ^^^^ code::name`, the carets under the exact span; columns count characters.
//! Where carets cannot stand (in the first columns, for an empty span) columns do: `#~ 1..7 code::name`, the end
//! left out; `1..+2:7` ends two lines further down.
//! `-N` after the mark means a line N lines higher, for texts that no comment may interrupt.
//! `# help: text` below says what is advised.
//! A folder is one case: `case.yaml`, with bases beside it whose ids are their names.

#![expect(clippy::expect_used, clippy::panic, reason = "helpers of tests may fail loudly too")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rulebook_model::check;
use rulebook_syntax::{Diagnostic, Source, codes};

/// What is expected or found: file, line and column of the start, line and column of the end, code.
type Finding = (String, (usize, usize), (usize, usize), String);

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/diagnostics")
}

/// Every case: its name, and the file to check.
fn cases() -> Vec<(String, PathBuf)> {
    let mut cases: Vec<(String, PathBuf)> = fs::read_dir(folder())
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").path())
        .filter_map(|path| {
            let name = path.file_stem()?.to_str()?.to_owned();
            if path.is_dir() {
                return Some((name, path.join("case.yaml")));
            }
            (path.extension()?.to_str()? == "yaml").then_some((name, path))
        })
        .collect();
    cases.sort();
    cases
}

fn source(path: &Path) -> Option<Arc<Source>> {
    let name = path.file_name()?.to_str()?.to_owned();
    Some(Source::new(name, fs::read_to_string(path).ok()?))
}

/// Diagnostics of a case, and the sources that it is made of.
fn diagnose(path: &Path) -> (Vec<Arc<Source>>, Vec<Diagnostic>) {
    let library = rulebook_model::library::Library::default();
    let folder = path.parent().expect("a folder").to_owned();
    let is_folder = path.ends_with("case.yaml");
    let beside = |id: &str| is_folder.then(|| source(&folder.join(format!("{id}.yaml")))).flatten();
    let top = source(path).expect("the case is there");
    let found = check(&top, &|id| beside(id).or_else(|| library.find(id)), &[]).diagnostics;
    let mut sources = vec![top];
    if is_folder {
        let mut others: Vec<PathBuf> =
            fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
        others.sort();
        sources.extend(others.iter().filter(|other| *other != path).filter_map(|other| source(other)));
    }
    (sources, found)
}

fn is_note(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("#~") || line.starts_with("# help:")
}

fn column(text: &str) -> usize {
    text.trim().parse().unwrap_or_else(|_| panic!("`{text}` is no column"))
}

/// What the comments of a source announce, each with its help.
fn announced(source: &Source) -> Vec<(Finding, Option<String>)> {
    let lines: Vec<&str> = source.text.lines().collect();
    let mut all: Vec<(Finding, Option<String>)> = Vec::new();
    let mut real: Vec<usize> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if !is_note(line) {
            real.push(at + 1);
            continue;
        }
        if let Some(help) = line.trim_start().strip_prefix("# help:") {
            all.last_mut().expect("help follows a mark").1 = Some(help.trim().to_owned());
            continue;
        }
        let mark = line.find("#~").expect("a mark") + 2;
        let mut words = line[mark..].split_whitespace().peekable();
        let up = match words.peek().and_then(|word| word.strip_prefix('-')) {
            Some(up) => {
                words.next();
                column(up)
            }
            None => 0,
        };
        let target = real[real.len() - 1 - up];
        let place = words.next().expect("a place");
        let (start, end) = if place.starts_with('^') {
            let before = line.find('^').expect("carets");
            let start = line[..before].chars().count() + 1;
            ((target, start), (target, start + place.len()))
        } else {
            let (start, end) = place.split_once("..").expect("columns");
            let end = match end.strip_prefix('+').and_then(|end| end.split_once(':')) {
                Some((down, end)) => (target + column(down), column(end)),
                None => (target, column(end)),
            };
            ((target, column(start)), end)
        };
        let code = words.next().expect("a code").to_owned();
        assert!(codes::ALL.iter().any(|(known, _)| *known == code), "{}: unknown code {code}", source.name);
        all.push(((source.name.clone(), start, end, code), None));
    }
    all
}

fn finding(diagnostic: &Diagnostic) -> Finding {
    let label = &diagnostic.labels[0];
    (
        label.source.name.clone(),
        label.source.line_column(label.span.start),
        label.source.line_column(label.span.end),
        diagnostic.code.to_owned(),
    )
}

#[test]
fn every_case_is_reported_as_announced() {
    let mut wrong = Vec::new();
    for (name, path) in cases() {
        let (sources, diagnostics) = diagnose(&path);
        let announced: Vec<_> = sources.iter().flat_map(|source| announced(source)).collect();
        let mut expected: Vec<Finding> = announced.iter().map(|(finding, _)| finding.clone()).collect();
        let mut found: Vec<Finding> = diagnostics.iter().map(finding).collect();
        expected.sort();
        found.sort();
        for one in expected.iter().filter(|one| !found.contains(one)) {
            wrong.push(format!("{name}: not reported: {one:?}"));
        }
        for one in found.iter().filter(|one| !expected.contains(one)) {
            let messages: Vec<&str> =
                diagnostics.iter().filter(|d| finding(d) == *one).map(|d| d.message.as_str()).collect();
            wrong.push(format!("{name}: not announced: {one:?} {messages:?}"));
        }
        if expected.len() != found.len() {
            wrong.push(format!("{name}: {} announced, {} reported", expected.len(), found.len()));
        }
        for (one, help) in announced.iter().filter_map(|(one, help)| Some((one, help.as_ref()?))) {
            let given: Vec<&Option<String>> =
                diagnostics.iter().filter(|d| finding(d) == *one).map(|d| &d.help).collect();
            if !given.iter().any(|given| given.as_ref() == Some(help)) {
                wrong.push(format!("{name}: help is {given:?}, not {help:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

/// Every code that concerns rule files has a case, and there are enough cases.
#[test]
fn every_code_has_a_case() {
    let all: Vec<(String, Vec<Diagnostic>)> =
        cases().into_iter().map(|(name, path)| (name, diagnose(&path).1)).collect();
    assert!(all.len() >= 70, "{} cases", all.len());
    let of_files = |code: &str| !code.starts_with("record::") && !code.starts_with("explore::");
    for (code, _) in codes::ALL.iter().filter(|(code, _)| of_files(code)) {
        let has = all.iter().any(|(_, diagnostics)| diagnostics.iter().any(|d| d.code == *code));
        assert!(has, "no case for {code}");
    }
}

/// Every label lies in its source, on character boundaries, and the message is in the house style.
#[test]
fn every_diagnostic_is_well_made() {
    for (name, path) in cases() {
        for diagnostic in diagnose(&path).1 {
            for label in &diagnostic.labels {
                assert!(label.source.text.get(label.span.start..label.span.end).is_some(), "{name}");
            }
            assert!(!diagnostic.message.ends_with('.'), "{name}: {}", diagnostic.message);
            assert!(!diagnostic.message.starts_with(char::is_uppercase), "{name}: {}", diagnostic.message);
        }
    }
}
