//! Exit codes, JSON, and input that cannot be used: nothing makes the program panic.

mod common;

use std::fs;
use std::io::Read as _;
use std::process::Stdio;

use common::{command, run};
use serde_json::Value;

/// Runs a command with `--json`, and gives its code and its document.
fn json(arguments: &[&str]) -> (Option<i32>, Value) {
    let run = run(&[arguments, &["--json"]].concat());
    assert_eq!(run.err, "", "{arguments:?}");
    let document = serde_json::from_str(&run.out).unwrap_or(Value::Null);
    assert!(!document.is_null(), "{arguments:?}: {}", run.out);
    (run.code, document)
}

#[test]
fn codes_of_answers() {
    let cases: &[(&[&str], i32)] = &[
        (&["check", "race.yaml"], 0),
        (&["check", "race.yaml", "--strict"], 0),
        (&["check", "five-mistakes.yaml"], 2),
        (&["check", "race.yaml", "missing.yaml"], 2),
        (&["show", "five-mistakes.yaml"], 2),
        (&["judge", "race.yaml", "finish.txt"], 0),
        (&["judge", "race.yaml", "unreadable.txt"], 2),
        (&["judge", "relay.yaml", "rests.txt"], 1),
        (&["judge", "chess/board", "short.pgn"], 1),
        (&["explain", "name::unknwon"], 2),
        (&["explain", "no such clause"], 2),
        (&["rank", "league.yaml", "teams.yaml", "--explain", "Elm"], 2),
        (&["rank", "race.yaml", "teams.yaml"], 2),
        (&["list", "league.yaml", "round"], 2),
        (&["moves", "race.yaml", "--position", "8/8 w"], 2),
        (&["moves", "race.yaml", "--given", "lenght=4"], 2),
        (&["moves", "race.yaml", "--given", "length"], 2),
        (&["perft", "race.yaml", "--depth", "31"], 2),
        (&["perft", "race.yaml", "--depth", "99999999999999999999"], 2),
        (&["perft", "race.yaml", "--depth", "0"], 0),
        (&["perft", "race.yaml"], 2),
        (&["no-such-command"], 2),
        (&[], 2),
        (&["--help"], 0),
        (&["--version"], 0),
    ];
    for (arguments, code) in cases {
        let run = run(arguments);
        assert_eq!(run.code, Some(*code), "{arguments:?}\n{}\n{}", run.out, run.err);
    }
}

#[test]
fn failures_are_json_too() {
    let cases: &[&[&str]] = &[
        &["show", "missing.yaml"],
        &["show", "five-mistakes.yaml"],
        &["show", "."],
        &["perft", "race.yaml", "--depth", "x"],
        &["moves", "race.yaml", "--position", "?"],
        &["judge", "race.yaml", "missing.txt"],
        &["rank", "league.yaml", "broken-teams.yaml"],
    ];
    for arguments in cases {
        let (code, document) = json(arguments);
        assert_eq!(code, Some(2), "{arguments:?}");
        assert!(document["error"]["message"].is_string(), "{arguments:?}: {document}");
    }
}

#[test]
fn answers_are_json_too() {
    let (_, document) = json(&["check", "five-mistakes.yaml"]);
    assert_eq!(document["errors"], 5, "{document}");
    let (_, document) = json(&["moves", "race.yaml", "--banned"]);
    assert_eq!(document["turn"], "red");
    let (_, document) = json(&["perft", "chess/board", "--depth", "2", "--divide"]);
    assert_eq!(
        (document["count"].as_u64(), document["divide"].as_array().map(Vec::len)),
        (Some(400), Some(20))
    );
    let (code, document) = json(&["judge", "chess/board", "short.pgn"]);
    assert_eq!(code, Some(1));
    let games = document["games"].as_array().unwrap();
    assert_eq!(games[0]["ended"]["clauses"][0]["id"], "10.1");
    assert_eq!(games[0]["record"]["agreement"], "same");
    assert_eq!(games[1]["record"]["agreement"], "open");
    assert_eq!(games[2]["stop"]["reason"], "forbidden");
    let (_, document) = json(&["rank", "league.yaml", "teams.yaml", "--explain", "Ash"]);
    let places = document["entries"].as_array().unwrap().iter().map(|entry| entry["place"].as_u64());
    assert_eq!(places.collect::<Vec<_>>(), [Some(1), Some(2), Some(3), Some(3)]);
    let (_, document) = json(&["show", "relay.yaml"]);
    assert_eq!(document["replaced"].as_array().map(Vec::len), Some(2));
    let (_, document) = json(&["explain", "4", "--rules", "relay.yaml"]);
    assert_eq!(document["clauses"][0]["replaced_by"], "10");
    let (_, document) = json(&["list", "league.yaml", "rounds"]);
    assert_eq!(document["rows"].as_array().map(Vec::len), Some(3));
}

#[test]
fn hostile_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path.display().to_string()
    };
    let binary: Vec<u8> = (0..=255).cycle().take(5000).collect();
    let texts: &[(&str, &[u8])] = &[
        ("binary", &binary),
        ("empty", b""),
        ("nul", b"\0\0\0"),
        ("deep", &[b'['; 5000]),
        ("open", b"[Event \"x\n1. e4 ( ( {"),
        ("tree", b"(;SZ[0];B[zz"),
        ("words", "\u{202e}\u{feff}ééé: ???\r\n\r\nposition: \u{1F600}\n".as_bytes()),
    ];
    for (name, bytes) in texts {
        for ending in ["yaml", "pgn", "sgf", "txt", "csv"] {
            let file = write(&format!("{name}.{ending}"), bytes);
            for arguments in [
                ["check", &file, &file],
                ["judge", "race.yaml", &file],
                ["judge", "chess/board", &file],
                ["rank", "league.yaml", &file],
                ["show", &file, "--lang=zh"],
            ] {
                let run = run(&arguments);
                assert!(matches!(run.code, Some(0..=2)), "{arguments:?}\n{}\n{}", run.out, run.err);
                assert!(!run.err.contains("panicked"), "{arguments:?}\n{}", run.err);
            }
        }
    }
    for file in [".", "/", "", "\u{1F600}", "../../..", "chess/board.yaml"] {
        for verb in ["check", "show"] {
            assert_eq!(run(&[verb, file]).code, Some(2), "{verb} {file}");
        }
        assert_eq!(run(&["judge", "race.yaml", file]).code, Some(2), "{file}");
    }
}

#[test]
fn a_similar_name_is_suggested() {
    let run = run(&["show", "chess/bord"]);
    assert!(run.err.contains("did you mean `chess/board`?"), "{}", run.err);
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let mut child = command(&["show", "chess/board", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Closed before anything is read.
    drop(child.stdout.take());
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert_eq!((child.wait().unwrap().code(), err.as_str()), (Some(0), ""));
}
