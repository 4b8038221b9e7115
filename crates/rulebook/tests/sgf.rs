//! Records in SGF through the program: repaired with the place of each assumption, in any line and character set, and
//! written again.
#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod common;

use std::fs;

use common::run;
use tempfile::TempDir;

/// A record in a folder of its own.
fn file(bytes: &[u8]) -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.sgf");
    fs::write(&path, bytes).unwrap();
    (folder, path.display().to_string())
}

/// The warnings about a record, as programs get them.
fn warnings(bytes: &[u8]) -> Vec<String> {
    let (_folder, path) = file(bytes);
    let run = run(&["judge", "go/chinese", &path, "--json"]);
    let document: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let all = document["games"][0]["warnings"].as_array().unwrap().iter();
    all.map(|warning| warning.as_str().unwrap().to_owned()).collect()
}

#[test]
fn assumptions_have_their_places() {
    let text = b"\n(;AP[foxwq]SZ[9]KM[375]\nUS[A[3d]]RE[\xe9\xbb\x91];B[aa]";
    assert_eq!(
        warnings(text),
        [
            "line 2, column 17: `375` is read as 7.5: some programs write hundredths of half of it",
            "line 3, column 8: a `]` that is not escaped is taken as a part of the text",
            "line 3, column 10: the result `黑` is not written as the format has it, and is left open",
            "line 3, column 21: a missing `)` at the end is added",
        ]
    );
}

/// A result in words: pnprog/goreviewpartner 71.
#[test]
fn results_in_words_are_read_as_the_rule_file_says() {
    let told = |result: &str| warnings(format!("(;SZ[9]RE[{result}];B[aa])").as_bytes());
    assert_eq!(told("黑中盘胜"), ["line 1, column 8: the result `黑中盘胜` is read as `B+`"]);
    assert_eq!(told("白胜2又3/4子"), ["line 1, column 8: the result `白胜2又3/4子` is read as `W+`"]);
    assert_eq!(told("黑超时负"), ["line 1, column 8: the result `黑超时负` is read as `W+`"]);
    assert_eq!(told("和棋"), ["line 1, column 8: the result `和棋` is read as `0`"]);
}

#[test]
fn people_see_the_place() {
    let (_folder, path) = file(b"(;SZ[9]KM[];B[aa])");
    let run = run(&["judge", "go/chinese", &path]);
    assert_eq!(run.code, Some(0));
    let told = "`KM` is empty; `komi` stays 5.5, as the rule set has it";
    assert!(run.err.contains(told) && run.err.contains("game.sgf:1:8"), "{}", run.err);
}

#[test]
fn another_character_set_is_read() {
    assert_eq!(warnings(b"(;SZ[9]CA[gb2312]PB[\xb8\xc5\x81\x5d];B[aa])"), Vec::<String>::new());
    let assumed = "the text is not UTF-8 and names no character set; it is read as gb18030";
    assert_eq!(warnings(b"(;SZ[9]PB[\xb0\xa1];B[aa])"), [format!("line 1, column 1: {assumed}")]);
}

#[test]
fn lines_are_chosen() {
    let (_folder, path) = file(b"(;SZ[9];B[aa](;W[bb])(;W[cc]))");
    let second = run(&["judge", "go/board", &path, "--variation", "2"]);
    assert_eq!(second.code, Some(0));
    assert!(second.out.contains("C7") && second.out.contains("one variation is left out"), "{}", second.out);
    let third = run(&["judge", "go/board", &path, "--variation", "3"]);
    assert_eq!(third.code, Some(2));
    assert!(third.err.contains("there is no line 3: this tree has 2 lines"), "{}", third.err);
    let other = run(&["judge", "chess/board", "short.pgn", "--variation", "2"]);
    assert_eq!(other.code, Some(2));
    assert!(other.err.contains("only records in SGF have lines to choose from"), "{}", other.err);
}

#[test]
fn judged_games_are_written() {
    let (folder, path) = file(b"(;SZ[3]KM[0]PB[Ann];B[bb];W[];B[])(;SZ[3]KM[2];B[aa];W[aa])");
    let made = folder.path().join("made.sgf").display().to_string();
    let run = run(&["judge", "go/board", &path, "--to-sgf", &made]);
    // The second game is written as far as the rules go along.
    assert_eq!(run.code, Some(1));
    let head = "(;GM[1]FF[4]CA[UTF-8]AP[Rulebook:0.1.0]SZ[3]RU[Go]";
    let games =
        [format!("{head}KM[0]PB[Ann]RE[B+9]\n;B[bb]\n;W[]\n;B[])\n"), format!("{head}KM[2]\n;B[aa])\n")];
    assert_eq!(fs::read_to_string(&made).unwrap(), games.concat());
    let again = common::run(&["judge", "go/board", &made]);
    assert_eq!((again.code, again.err.as_str()), (Some(0), ""));
    assert!(again.out.contains("the record says the same: B+9"), "{}", again.out);
}

#[test]
fn what_sgf_has_no_room_for_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let made = folder.path().join("made.sgf");
    let run = run(&["judge", "chess/board", "short.pgn", "--to-sgf", &made.display().to_string()]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("the game cannot be written as SGF"), "{}", run.err);
}

/// Both rule sets get the size and the compensation of the record, and what is assumed is told once.
#[test]
fn records_are_compared_under_their_terms() {
    let (_folder, path) = file(b"(;SZ[5]KM[375]AP[foxwq];B[cc];W[];B[])");
    let run = run(&["compare", &path, "--rules", "go/chinese,go/tromp-taylor"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert_eq!(run.err.matches("is read as 7.5").count(), 1, "{}", run.err);
    assert_eq!(run.out.matches("black wins").count(), 2, "{}", run.out);
}
