//! Reports of tournaments on the command line: ranked, explained, drawn as a page, simulated.

mod common;

use common::run;

const RULES: &str = "tournament/tie-breaks";

#[test]
fn a_report_is_ranked_by_the_rounds_that_it_has() {
    let run = run(&["rank", RULES, "small.trf", "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let answer: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(answer["terms"]["rounds"], "2");
    let names: Vec<&str> =
        answer["entries"].as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap()).collect();
    assert_eq!((names.len(), names[2]), (3, "Second"));
}

#[test]
fn a_cross_table_names_opponents_by_their_lines() {
    let run = run(&["rank", RULES, "small.trf", "--json", "--cross"]);
    let answer: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    // The last one lost with Black against the one who stands on the line of First, and was left over.
    let entries = answer["entries"].as_array().unwrap();
    let first = entries.iter().position(|entry| entry["name"] == "First").unwrap() + 1;
    assert_eq!(entries[2]["rounds"], serde_json::json!([format!("{first}b0"), "U"]));
}

#[test]
fn an_explanation_tells_how_each_value_came_about() {
    let run = run(&["rank", RULES, "small.trf", "--explain", "First"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    for part in ["First", "= 1.5", "buchholz(First, [BH]) = 2.5", "adjusted(Third, [BH]) = 1.5"] {
        assert!(run.out.contains(part), "{part} is not in\n{}", run.out);
    }
}

#[test]
fn a_page_needs_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    let run = run(&["rank", RULES, "small.trf", "--html", path.to_str().unwrap()]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let page = std::fs::read_to_string(path).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.contains("<td class=\"name\">First</td>"));
    for foreign in ["<script", "http:", "https:", "<link", "<img"] {
        assert!(!page.contains(foreign), "{foreign}");
    }
}

#[test]
fn a_report_that_contradicts_itself_is_refused_with_its_places() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wrong.trf");
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/small.trf")).unwrap();
    std::fs::write(&path, text.replace("1 b 0", "1 b 1")).unwrap();
    let run = run(&["rank", RULES, path.to_str().unwrap(), "--json"]);
    assert_eq!(run.code, Some(2));
    let answer: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let found = &answer["error"]["diagnostics"][0];
    assert_eq!(found["code"], "record::trf");
    assert_eq!(found["message"], "1 has `1` against 2 in round 1, but 2 has `1`");
}

#[test]
fn a_list_takes_a_report() {
    let run = run(&["list", RULES, "own_record", "small.trf"]);
    assert!(run.code == Some(0) && run.out.contains("First"), "{}{}", run.out, run.err);
}

#[test]
fn a_simulation_is_the_same_each_time_and_can_be_ranked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("made.trf");
    let arguments = [
        "simulate",
        "tournament/dutch-2026",
        "--players",
        "11",
        "--rounds",
        "5",
        "--seed",
        "7",
        "--late",
        "20",
    ];
    let (one, two) = (run(&arguments), run(&arguments));
    assert_eq!(one.code, Some(0), "{}", one.err);
    assert_eq!(one.out, two.out);
    std::fs::write(&path, &one.out).unwrap();
    let ranked = run(&["rank", RULES, path.to_str().unwrap(), "--json"]);
    let answer: serde_json::Value = serde_json::from_str(&ranked.out).unwrap();
    assert_eq!((answer["entries"].as_array().unwrap().len(), &answer["notes"]), (11, &serde_json::json!([])));
    let paired = run(&["pair", "tournament/dutch-2026", path.to_str().unwrap(), "--check"]);
    assert_eq!(paired.code, Some(0), "{}{}", paired.out, paired.err);
}

#[test]
fn what_cannot_be_simulated_is_refused() {
    assert_eq!(run(&["simulate", "tournament/dutch-2026", "--players", "1"]).code, Some(2));
    let run = run(&["simulate", RULES]);
    assert!(run.code == Some(2) && run.err.contains("pairing"), "{}", run.err);
}
