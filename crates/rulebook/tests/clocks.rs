//! Records that say what clocks showed: converted into events, and judged as what they stand for.
//!
//! The race has a minute and five seconds more for each move, so a player who shows 0:50 after his first move has
//! thought for twenty seconds.

mod common;

use common::run;

/// The lines of one game of the record, without comments.
fn lines(number: &str) -> Vec<String> {
    let run = run(&["convert", "clocked.pgn", "--rules", "clocked.yaml", "--number", number]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    run.out.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
}

#[test]
fn clock_times_become_times_of_acts_and_presses() {
    let expected = [
        "0:00:00 arbiter: start clock",
        "0:00:20 a1a2",
        "0:00:20 red: press",
        "0:00:50 rest",
        "0:00:50 blue: press",
        "0:01:00 rest",
        "0:01:00 red: press",
        // 40 seconds were left to the one who was on turn.
        "0:01:40 blue: flag",
    ];
    assert_eq!(lines("1"), expected);
}

#[test]
fn time_of_the_game_and_a_cause_that_is_not_named() {
    // After 5 seconds 65 are left to blue; 60.5 after 9.5 of them and a bonus of five.
    let expected = [
        "0:00:00 arbiter: start clock",
        "0:00:05 a1a2",
        "0:00:05 red: press",
        "0:00:14.500 rest",
        "0:00:14.500 blue: press",
        "0:00:14.500 red: give up",
    ];
    assert_eq!(lines("2"), expected);
}

#[test]
fn what_the_rules_do_not_give_is_told() {
    let run = run(&["convert", "clocked.pgn", "--rules", "clocked.yaml", "--number", "3"]);
    assert!(run.out.contains("# judge with --given 'clock=0:01:00'"), "{}", run.out);
    let note = "# note: after `rest` the clock shows 0:01:05, and the rules leave 0:01:00";
    assert!(run.out.contains(note), "{}", run.out);
    assert!(run.out.ends_with("0:00:10 rest\n0:00:10 blue: press\n"), "{}", run.out);
}

#[test]
fn records_with_clocks_are_judged_as_events() {
    let run = run(&["judge", "clocked.yaml", "clocked.pgn"]);
    assert!(run.out.contains("blue: flag"), "{}", run.out);
    assert!(run.out.contains("F: Whose time is over has lost."), "{}", run.out);
    assert_eq!(run.code, Some(0), "{}\n{}", run.out, run.err);
    let json = common::run(&["convert", "clocked.pgn", "--rules", "clocked.yaml", "--json"]);
    assert!(json.out.contains("\"0:01:40 blue: flag\""), "{}", json.out);
}

#[test]
fn a_given_time_control_goes_before_that_of_the_record() {
    let with = |control: &str| {
        let given = format!("clock={control}");
        run(&["convert", "clocked.pgn", "--rules", "clocked.yaml", "--number", "1", "--given", &given])
    };
    // Without a bonus 15 seconds were needed to come from 65 to 50.
    assert!(with("1:05").out.contains("0:00:15 a1a2"), "{}", with("1:05").out);
    let wrong = with("one minute");
    assert_eq!(wrong.code, Some(2), "{}", wrong.out);
    assert!(wrong.err.contains("given clock"), "{}", wrong.err);
}

#[test]
fn faulty_times_have_places_and_the_next_game_is_read() {
    let run = run(&["convert", "clocked-broken.pgn", "--rules", "clocked.yaml"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("`[%clk 0:50]` has no time that can be read"), "{}", run.err);
    assert!(run.err.contains("clocked-broken.pgn:4:15"), "{}", run.err);
    assert!(run.err.contains("`a minute` is not a time control"), "{}", run.err);
    assert!(run.err.contains("clocked-broken.pgn:8:15"), "{}", run.err);
    assert!(run.out.contains("0:00:20 red: press") || run.out.contains("0:00:15 red: press"), "{}", run.out);
    // Under rules without a clock nobody needs the times.
    let judged = common::run(&["judge", "race.yaml", "clocked-broken.pgn", "--brief"]);
    assert_eq!(judged.code, Some(0), "{}", judged.err);
}

#[test]
fn clauses_are_explained_with_their_scenarios() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance");
    let clause = ["explain", "10.14", "--rules", "chess/conduct/laws-old", "--conformance", corpus];
    let run = run(&clause);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.contains("chess-conduct-old-time/old-flag"), "{}", run.out);
    assert!(run.out.contains("goes before") || run.out.contains("gives way to"), "{}", run.out);
    let json = common::run(&[&clause[..], &["--json"]].concat());
    assert!(json.out.contains("chess-conduct-old-time/old-flag-at-the-limit"), "{}", json.out);
    assert!(json.out.contains("\"against\": true") && json.out.contains("\"overridden_by\""), "{}", json.out);
    let absent = common::run(&["explain", "10", "--rules", "relay.yaml", "--conformance", "absent"]);
    assert_eq!(absent.code, Some(2), "{}", absent.out);
}
