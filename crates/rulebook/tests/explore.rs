//! Explorations: rule files with a flaw, each of which must be found as it is marked, and rule sets without.
#![expect(clippy::expect_used, reason = "helpers of tests may fail loudly too")]

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rulebook::explored::{Limits, Profile, explore, profiles};
use rulebook::notation::replay;
use rulebook::syntax::Source;
use rulebook::{Engine, Library};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/exploration")
}

fn cases() -> Vec<PathBuf> {
    let entries = fs::read_dir(folder()).expect("the folder is there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "yaml"));
    paths.sort();
    paths
}

/// What the marks of a text announce: line, columns and code.
fn marks(text: &str) -> Vec<(usize, usize, usize, String)> {
    let mut marks = Vec::new();
    let mut above = 0;
    for (at, line) in text.lines().enumerate() {
        let Some(mark) = line.trim_start().strip_prefix("#~") else {
            above = at + 1;
            continue;
        };
        let (columns, code) = mark.trim().split_once(' ').expect("columns and a code");
        let (start, end) = columns.split_once("..").expect("two columns");
        let column = |text: &str| text.parse::<usize>().expect("a column");
        marks.push((above, column(start), column(end), code.trim().to_owned()));
    }
    marks
}

fn engine(path: &Path) -> Engine {
    let name = path.display().to_string();
    Engine::new(Arc::new(rulebook::open(&name, &[]).expect("the file has no errors")))
}

#[test]
fn every_flaw_is_found_as_marked() {
    let mut wrong = Vec::new();
    for path in cases() {
        let engine = engine(&path);
        let limits = Limits { states: 300, depth: 20, seed: 1 };
        let report = explore(&engine, &[engine.first()], limits);
        let mut found = Vec::new();
        for finding in &report.findings {
            let label = &finding.diagnostic.labels[0];
            let (line, start) = label.source.line_column(label.span.start);
            let (_, end) = label.source.line_column(label.span.end);
            found.push((line, start, end, finding.diagnostic.code.to_owned()));
        }
        found.sort();
        let mut expected = marks(&fs::read_to_string(&path).expect("a text"));
        expected.sort();
        if found != expected {
            wrong.push(format!("{}: found {found:?}, marked {expected:?}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn there_are_cases_for_every_code() {
    let texts: Vec<String> = cases().iter().map(|path| fs::read_to_string(path).expect("a text")).collect();
    assert!(texts.len() >= 15, "{} cases", texts.len());
    for (code, _) in rulebook::syntax::codes::ALL.iter().filter(|(code, _)| code.starts_with("explore::")) {
        assert!(texts.iter().any(|text| text.contains(&format!(" {code}"))), "no case for {code}");
    }
    assert!(texts.iter().any(|text| !text.contains("#~")), "no case without a flaw");
}

/// The line of a finding is a record: all but its end can be done again.
#[test]
fn lines_are_records() {
    for path in cases() {
        let engine = engine(&path);
        let start = engine.first();
        let report =
            explore(&engine, std::slice::from_ref(&start), Limits { states: 300, depth: 20, seed: 1 });
        for finding in report.findings.iter().filter(|finding| !finding.line.is_empty()) {
            let source = Source::new("line", finding.line.join("\n"));
            let script = replay::from_lines(&source);
            let replay =
                replay::replay(&engine, start.clone(), &script.lines).expect("no fault at the start");
            assert!(
                replay.steps.len() + 1 >= finding.line.len(),
                "{}: {:?}: {:?}",
                path.display(),
                finding.line,
                replay.stop
            );
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_findings() {
    let engine = engine(&folder().join("never-succeeds-late.yaml"));
    let run = |seed| {
        let report = explore(&engine, &[engine.first()], Limits { states: 200, depth: 20, seed });
        let told: Vec<String> = report.findings.iter().map(|one| one.diagnostic.message.clone()).collect();
        (told, report.explored.tried)
    };
    assert_eq!(run(1), run(1));
}

#[test]
fn profiles_have_no_dead_end_and_no_two_endings() {
    let text = fs::read_to_string(folder().join("profiles.tsv")).expect("the list of profiles");
    let library = Library::default();
    let mut wrong = Vec::new();
    for profile in profiles(&text).expect("a list of profiles") {
        let Profile { rules, limits, .. } = &profile;
        let (engine, starts) = profile.open(&library).expect("a rule set and its positions");
        let report = explore(&engine, &starts, *limits);
        for finding in report.findings.iter().filter(|finding| finding.is_grave()) {
            wrong.push(format!("{rules}: {} {:?}", finding.diagnostic.message, finding.line));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_command_says_what_is_found_and_how_much_was_looked_at() {
    let file = folder().join("two-endings-twice.yaml").display().to_string();
    let run = common::run(&["explore", &file, "--states", "50"]);
    assert_eq!(run.code, Some(1), "{}", run.err);
    assert!(run.out.contains("explore::two-endings"), "{}", run.out);
    assert!(run.out.contains("the line is `step`, `step`, `first: stop`"), "{}", run.out);
    let json = common::run(&["explore", &file, "--json"]).out;
    assert!(json.contains("\"complete\": true") && json.contains("\"first: stop\""), "{json}");
    let sound = folder().join("sound-flag.yaml").display().to_string();
    assert_eq!(common::run(&["explore", &sound, "--states", "200"]).code, Some(0));
    assert_eq!(common::run(&["explore", &sound, "--positions", "absent.txt"]).code, Some(2));
    assert_eq!(common::run(&["explore", &sound, "--states", "0"]).code, Some(2));
    assert_eq!(common::run(&["explain", "explore::dead-end"]).code, Some(0));
}
