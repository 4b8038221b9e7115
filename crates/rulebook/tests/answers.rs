//! What people see: the answers of each command, as snapshots.

mod common;

use common::run;
use insta::assert_snapshot;

/// All that a run gives, as one text.
fn picture(arguments: &[&str]) -> String {
    let run = run(arguments);
    let mut text = format!("{}\nexit code: {:?}", run.out.trim_end(), run.code.unwrap_or(-1));
    if !run.err.is_empty() {
        text.push_str(&format!("\nerrors:\n{}", run.err.trim_end()));
    }
    text
}

#[test]
fn check_shows_every_mistake() {
    assert_snapshot!(picture(&["check", "five-mistakes.yaml"]));
}

#[test]
fn check_is_content() {
    assert_snapshot!(picture(&["check", "race.yaml", "relay.yaml", "league.yaml"]));
}

#[test]
fn show_of_a_layered_rule_set() {
    assert_snapshot!(picture(&["show", "relay.yaml"]));
}

#[test]
fn show_in_chinese_with_another_value() {
    assert_snapshot!(picture(&["show", "race.yaml", "--lang", "zh", "--given", "patience=9 moves"]));
}

#[test]
fn explain_a_clause() {
    assert_snapshot!(picture(&["explain", "10", "--rules", "relay.yaml"]));
}

#[test]
fn explain_a_replaced_clause() {
    assert_snapshot!(picture(&["explain", "4", "--rules", "relay.yaml", "--lang", "zh"]));
}

#[test]
fn explain_a_code() {
    assert_snapshot!(picture(&["explain", "name::unknown"]));
}

#[test]
fn moves_with_bans() {
    assert_snapshot!(picture(&["moves", "race.yaml", "--banned"]));
}

#[test]
fn perft_by_depth() {
    assert_snapshot!(picture(&["perft", "chess/board", "--depth", "3"]));
}

#[test]
fn perft_by_act() {
    assert_snapshot!(picture(&["perft", "race.yaml", "--depth", "2", "--divide"]));
}

#[test]
fn judge_a_record() {
    assert_snapshot!(picture(&["judge", "chess/board", "short.pgn"]));
}

#[test]
fn judge_a_record_in_chinese() {
    assert_snapshot!(picture(&["judge", "chess/board", "short.pgn", "--lang", "zh"]));
}

#[test]
fn judge_lines_with_boards() {
    assert_snapshot!(picture(&["judge", "race.yaml", "finish.txt", "--board"]));
}

#[test]
fn rank_and_explain() {
    assert_snapshot!(picture(&["rank", "league.yaml", "teams.yaml", "--explain", "Ash"]));
}

#[test]
fn rank_in_chinese_from_parted_values() {
    assert_snapshot!(picture(&["rank", "league.yaml", "teams.csv", "--explain", "Cedar", "--lang", "zh"]));
}

#[test]
fn rank_tells_every_mistake() {
    assert_snapshot!(picture(&["rank", "league.yaml", "broken-teams.yaml"]));
}

#[test]
fn list_rows() {
    assert_snapshot!(picture(&["list", "league.yaml", "rounds", "--given", "rounds=4"]));
}

#[test]
fn judge_refuses_what_a_layer_forbids() {
    assert_snapshot!(picture(&["judge", "relay.yaml", "rests.txt"]));
}

#[test]
fn judge_points_at_what_has_no_meaning() {
    assert_snapshot!(picture(&["judge", "race.yaml", "unreadable.txt"]));
}

#[test]
fn labels_in_two_files() {
    assert_snapshot!(picture(&["check", "twice.yaml"]));
}

#[test]
fn judge_records_of_plays_at_sites() {
    assert_snapshot!(picture(&["judge", "grid.yaml", "grid.sgf"]));
}

#[test]
fn judge_a_record_with_clocks() {
    assert_snapshot!(picture(&["judge", "clocked.yaml", "arbiter.txt"]));
}

/// Two passes have ended the game, and the sites that counted are marked.
#[test]
fn judge_a_counted_board() {
    let (rules, game) = ("../../../../rules/go/chinese.yaml", "../../../../rules/examples/counted.sgf");
    assert_snapshot!(picture(&["judge", rules, game]));
}

#[test]
fn judge_a_counted_board_in_chinese() {
    let (rules, game) = ("../../../../rules/go/chinese.yaml", "../../../../rules/examples/counted.sgf");
    assert_snapshot!(picture(&["judge", rules, game, "--lang", "zh"]));
}

/// Sending two and returning one, then a triple ko: three answers of four schools.
#[test]
fn compare_repetitions() {
    let game = "../../../../rules/examples/repetitions.sgf";
    assert_snapshot!(picture(&["compare", game, "--rules", "go/chinese,go/japanese,go/aga,go/tromp-taylor"]));
}

#[test]
fn compare_a_record() {
    assert_snapshot!(picture(&["compare", "flag.txt", "--rules", "clocked.yaml,race.yaml"]));
}
