//! What records set in a rule set, and what is made of numbers that servers write in their own way.
#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a test may fail loudly")]

use std::sync::Arc;

use rulebook_model::RuleSet;
use rulebook_model::library::Library;
use rulebook_notation::replay::{self, Start};
use rulebook_notation::sgf::terms::terms;
use rulebook_notation::sgf::{self, Record};
use rulebook_reference::Engine;
use rulebook_syntax::Source;

fn rules(id: &str, given: &[(&str, &str)]) -> Arc<RuleSet> {
    let given: Vec<(String, String)> =
        given.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Arc::new(Library::default().check(id, &given).unwrap().rules.expect("the rule set has no errors"))
}

fn record(text: &str) -> (Record, Arc<Source>) {
    let source = Source::new("t.sgf", text);
    (sgf::parse(&source).unwrap().remove(0), source)
}

/// The value that a record gives a parameter, and how many warnings it takes.
fn value(text: &str, name: &str) -> (Option<String>, usize) {
    let (record, source) = record(text);
    let (terms, warnings) = terms(&rules("go/chinese", &[]), &record, &source);
    (terms.into_iter().find(|term| term.name == name).map(|term| term.value), warnings.len())
}

/// Public reports of servers: online-go/goban PR 205, lightvector/KataGo PR 1118, wimi321/lizzieyzy-next 262,
/// aki65/aki65.github.io 161.
#[test]
fn hundredths_of_servers_are_understood() {
    for (written, meant) in [
        ("KM[375]HA[0]RU[Chinese]AP[foxwq]", "7.5 points"),
        ("KM[650]AP[foxwq]", "6.5 points"),
        ("KM[325]AP[foxwq]", "6.5 points"),
        ("KM[550]AP[foxwq]", "5.5 points"),
        ("KM[275]AP[foxwq]", "5.5 points"),
        ("KM[750]AP[SGFC:2.0]", "7.5 points"),
        ("KM[350]AP[SGFC:2.0]", "7 points"),
        ("KM[700]AP[SGFC:2.0]", "7 points"),
        ("KM[50]HA[2]AP[foxwq]", "0.5 points"),
        ("KM[375]HA[1]AP[foxwq]", "0 points"),
        // Nobody writes a number of points like this, whatever the program.
        ("KM[375]", "7.5 points"),
    ] {
        assert_eq!(value(&format!("(;{written})"), "komi"), (Some(meant.to_owned()), 1), "{written}");
    }
}

#[test]
fn plain_numbers_stay_as_they_are() {
    for (written, meant) in [
        ("KM[7.5]", "7.5 points"),
        ("KM[6.50]AP[foxwq]", "6.5 points"),
        ("KM[0]AP[foxwq]", "0 points"),
        ("KM[50]", "50 points"),
        ("KM[-5.5]", "-5.5 points"),
        ("KM[101]", "101 points"),
    ] {
        assert_eq!(value(&format!("(;{written})"), "komi"), (Some(meant.to_owned()), 0), "{written}");
    }
}

#[test]
fn what_is_no_number_is_left_to_the_rule_set() {
    assert_eq!(value("(;KM[])", "komi"), (None, 1));
    assert_eq!(value("(;KM[seven])", "komi"), (None, 1));
    assert_eq!(value("(;KM[6,5])", "komi"), (Some("6.5 points".to_owned()), 1));
    assert_eq!(value("(;B[aa])", "komi"), (None, 0));
}

#[test]
fn sizes_are_one_side_or_two() {
    assert_eq!(value("(;SZ[9])", "size"), (Some("9".to_owned()), 0));
    assert_eq!(value("(;SZ[7:5])", "width"), (Some("7".to_owned()), 0));
    assert_eq!(value("(;SZ[7:5])", "height"), (Some("5".to_owned()), 0));
    assert_eq!(value("(;SZ[7:5])", "size"), (None, 0));
}

/// Plays at the beginning that stand for pieces given in advance: wimi321/lizzieyzy-next PR 73.
#[test]
fn leading_plays_of_one_player_are_a_setup() {
    let rules = rules("go/board", &[("size", "9")]);
    let script = |text: &str| {
        let (record, source) = record(text);
        replay::from_sgf(&rules, &record, &source).unwrap()
    };
    let given = script("(;SZ[9]HA[2];B[cc];B[gg];W[ee])");
    assert_eq!((given.lines.len(), given.repairs.len()), (1, 1));
    assert!(matches!(given.start, Start::Placed { mover: 1, .. }));
    // Without the number, with a setup, or with the other player in between, plays are plays.
    for text in [
        "(;SZ[9];B[cc];B[gg];W[ee])",
        "(;SZ[9]HA[2]AB[aa][bb];B[cc];B[gg])",
        "(;SZ[9]HA[2];B[cc];W[gg];B[ee])",
    ] {
        let script = script(text);
        assert_eq!(script.repairs, vec![], "{text}");
        assert!(script.lines.len() >= 2);
    }
}

#[test]
fn results_that_are_not_in_the_format_are_left_open() {
    let rules = rules("go/board", &[]);
    let claim = |text: &str| {
        let (record, source) = record(text);
        let script = replay::from_sgf(&rules, &record, &source).unwrap();
        (script.claim.and_then(|claim| claim.outcome).is_some(), script.repairs.len())
    };
    assert_eq!(claim("(;RE[won by black])"), (false, 1));
    assert_eq!(claim("(;RE[黑中盘胜])"), (true, 1));
    assert_eq!(claim("(;RE[B+R])"), (true, 0));
    assert_eq!(claim("(;RE[W+3.5])"), (true, 0));
    assert_eq!(claim("(;RE[0])"), (true, 0));
    assert_eq!(claim("(;RE[?])"), (false, 0));
    assert_eq!(claim("(;RE[])"), (false, 0));
}

/// A record that is written and read again has the same setup, turn, plays and terms.
#[test]
fn what_is_written_is_read_again() {
    let text = "(;GM[1]SZ[7:5]KM[3.5]PB[A \\] b]AB[aa][gc]AW[bb]PL[W];W[ca];B[];W[ge])";
    let (first, source) = record(text);
    let rules = rules("go/board", &[("width", "7"), ("height", "5"), ("komi", "3.5 points")]);
    let engine = Engine::new(Arc::clone(&rules));
    let script = replay::from_sgf(&rules, &first, &source).unwrap();
    let start = replay::start(&engine, &script).unwrap();
    let replayed = replay::replay(&engine, start, &script.lines).unwrap();
    assert!(replayed.stop.is_none());
    let sheet = sgf::write::sheet(&engine, &script, &replayed);
    let written = sgf::write::write(engine.rules(), &replayed.start, &sheet).unwrap();
    let (second, _) = record(&written);
    let mut setups = [first.setup.clone(), second.setup.clone()];
    setups.iter_mut().for_each(|setup| setup.sort());
    assert_eq!(setups[0], setups[1]);
    let plays = |record: &Record| -> Vec<(String, Option<(u16, u16)>)> {
        record.moves.iter().map(|play| (play.color.clone(), play.point)).collect()
    };
    assert_eq!(plays(&first), plays(&second));
    for name in ["KM", "PB", "PL"] {
        assert_eq!(first.root(name).map(|(text, _)| text), second.root(name).map(|(text, _)| text), "{name}");
    }
    assert_eq!((second.size, second.warnings.len()), ((7, 5), 0));
}

/// What moves from one site to another is no play at a point.
#[test]
fn games_of_moving_pieces_are_refused() {
    let rules = rules("chess/board", &[]);
    let engine = Engine::new(Arc::clone(&rules));
    let refused = sgf::write::write(&rules, &engine.first(), &sgf::write::Sheet::default());
    assert_eq!(refused.unwrap_err(), "such records are of two players with pieces of one kind on a board");
}
