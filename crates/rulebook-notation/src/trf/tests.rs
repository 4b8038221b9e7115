//! Tests of the reader and the writer of reports.

use std::sync::{Arc, OnceLock};

use proptest::prelude::*;
use rulebook_model::library::Library;
use rulebook_model::{RuleSet, Value};

use super::*;

/// Three entries and two rounds; line 1 is the first one.
const SMALL: &str = "\
012 Small
001    1 m GM First                             2500 GER     4600001 1990/01/31  1.5    1     2 w 1     3 b =
001    2 w    Second                            2400                             1.0    2     1 b 0  0000 - U
001    3      Third                             2300                             1.5    3  0000 - U     1 w =
XXR 2
";

fn read(text: &str) -> Result<(Report, Vec<String>), Vec<String>> {
    let source = Source::new("t.trf", text);
    // Every place is a range of the text.
    let shown = |found: &Diagnostic| {
        for label in &found.labels {
            assert!(source.text.get(label.span.start..label.span.end).is_some(), "{found:?}");
        }
        let (line, column) = source.line_column(found.labels[0].span.start);
        format!("{line}:{column} {}", found.message)
    };
    match parse(&source) {
        Ok((report, warnings)) => Ok((report, warnings.iter().map(shown).collect())),
        Err(errors) => Err(errors.iter().map(shown).collect()),
    }
}

#[track_caller]
fn fails(text: &str, wanted: &[&str]) {
    assert_eq!(read(text).map(|_| ()).unwrap_err(), wanted, "{text}");
}

#[track_caller]
fn warns(text: &str, wanted: &[&str]) -> Report {
    let (report, warnings) = read(text).unwrap();
    assert_eq!(warnings, wanted, "{text}");
    report
}

#[test]
fn entries_and_rounds_are_read() {
    let report = warns(SMALL, &[]);
    assert_eq!((report.players.len(), report.played(), report.facts.rounds.map(|(n, _)| n)), (3, 2, Some(2)));
    let first = &report.players[0];
    assert_eq!((first.title.as_str(), first.rating, first.federation.as_str()), ("GM", 2500, "GER"));
    assert_eq!((first.id.as_str(), first.birth.as_str(), first.rank), ("4600001", "1990/01/31", Some(1)));
    assert_eq!(first.rounds[0].opponent, Some(2));
    assert_eq!(first.rounds[1].colour, Some(Colour::Black));
    assert_eq!(report.players[2].rounds[0].mark, Some(Mark::Allocated));
}

#[test]
fn lines_may_end_in_three_ways_and_begin_with_a_mark() {
    let plain = read(SMALL).unwrap().0.without_places();
    for text in [SMALL.replace('\n', "\r"), SMALL.replace('\n', "\r\n"), format!("\u{FEFF}{SMALL}\u{1A}")] {
        assert_eq!(read(&text).unwrap().0.without_places(), plain);
    }
}

#[test]
fn both_sides_of_a_game_agree() {
    fails(&SMALL.replace("1 b 0", "1 b 1"), &["3:95 1 has `1` against 2 in round 1, but 2 has `1`"]);
    fails(&SMALL.replace("1 b 0", "1 w 0"), &["3:95 1 and 2 have the same colour in round 1"]);
    fails(
        &SMALL.replace("     1 b 0", "     3 b 0"),
        &["2:95 1 meets 2 in round 1, but 2 meets 3", "3:95 2 meets 3 in round 1, but 3 meets nobody"],
    );
}

#[test]
fn all_errors_of_a_text_are_told_in_order() {
    let text = "\
01
001    x
001    1      A                                 25o0                             1.0    1     9 w 1     1 b 0     2 w U
001    1      B
XXR many
152 green
";
    fails(
        text,
        &[
            "1:1 a line begins with a code of three letters or digits and a blank",
            "2:8 `x` is not the number of an entry, from 1 to 9999",
            "3:49 `25o0` is not a rating",
            "3:95 there is no entry 9",
            "3:105 1 meets itself in round 2",
            "3:115 there is no entry 2",
            "3:119 `U` is a bye, but there is an opponent",
            "4:8 two entries have the number 1",
            "5:5 `many` is not a number of rounds",
            "6:5 `green` is not `W` or `B`",
        ],
    );
}

#[test]
fn what_is_assumed_is_a_warning() {
    warns(
        &SMALL.replace("1990/01/31  1.5", "1990/01/31  2.5"),
        &["2:82 1 has 2.5 points here, but the rounds add up to 1.5"],
    );
    warns(&SMALL.replace("1 b 0", "1 - 0"), &["3:95 a colour is missing; it is the one that 1 has not"]);
    let report = warns(
        &SMALL.replacen("0000 - U", "0000 - =", 1),
        &[
            "3:82 2 has 1 points here, but the rounds add up to 0.5",
            "3:109 `=` without an opponent is read as `H`, a bye",
        ],
    );
    assert_eq!(report.players[1].rounds[1].mark, Some(Mark::Half));
    warns(&SMALL.replace("XXR 2", "062 4"), &["5:5 4 entries here, but there are 3"]);
}

#[test]
fn what_an_arbiter_may_give_stands() {
    let both = SMALL.replace("2 w 1", "2 w 0").replace("1990/01/31  1.5", "1990/01/31  0.5");
    warns(&both, &["2:95 `0` against `0` is unusual; it is read as it stands"]);
    let forfeit = SMALL.replace("2 w 1", "2 w -").replace("1 b 0", "1 b -").replace("31  1.5", "31  0.5");
    warns(&forfeit, &[]);
}

#[test]
fn lines_that_say_something_are_understood() {
    let text = format!(
        "{SMALL}152 B\n162  W 3.0   D 1.0   L 0.0\n212 PTS,BH/C1, DE\n240 H 003    2    3\n250 0000 01.0 001 002 0001 0002\n260 001 002    1    3\nXXP 2 3\nXXZ 3\nXXA    2  0.0  1.0\n299           0.5  000    1\n013 Team                            1    2    3\n"
    );
    // The points of the text are those of another way of counting.
    let (report, _) = read(&text).unwrap();
    let facts = &report.facts;
    assert_eq!(facts.colour.map(|(colour, _)| colour), Some(Colour::Black));
    assert_eq!(facts.scoring.win, [Number::whole(3); 2]);
    let ties: Vec<&str> = facts.ties.iter().map(|(tie, _)| tie.as_str()).collect();
    assert_eq!(ties, ["PTS", "BH/C1", "DE"]);
    let byes: Vec<(u16, usize)> = facts.byes.iter().map(|bye| (bye.player, bye.round)).collect();
    assert_eq!(byes, [(2, 3), (3, 3)]);
    let bonuses: Vec<((usize, usize), (u16, u16))> =
        facts.bonuses.iter().map(|bonus| (bonus.rounds, bonus.players)).collect();
    assert_eq!(bonuses, [((1, 2), (1, 2)), ((2, 2), (2, 2))]);
    assert_eq!(facts.forbidden.len(), 2);
    assert_eq!(facts.absent.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [3]);
    let adjusted: Vec<String> = facts.adjusted.iter().map(|adjusted| adjusted.points.to_string()).collect();
    assert_eq!(adjusted, ["0.5"]);
    assert_eq!(facts.teams[0].name, "Team");
    assert_eq!(facts.teams[0].players.len(), 3);
}

#[test]
fn numbers_that_nobody_has_are_found_wherever_they_stand() {
    fails(
        &format!("{SMALL}XXP 1 7\n240 H 003    8\n"),
        &["6:7 there is no entry 7", "7:14 there is no entry 8"],
    );
}

#[test]
fn sizes_are_bounded() {
    let long = format!("{SMALL}012 {}\n", "x".repeat(MAX_LINE));
    assert_eq!(read(&long).unwrap_err().len(), 1);
    let many: String = (0..300).map(|_| "001    x\n").collect();
    assert_eq!(read(&many).unwrap_err().len(), MAX_ERRORS);
    assert_eq!(read("012 Nobody\n").unwrap_err(), ["2:1 there is no entry here: no line begins with `001`"]);
    assert_eq!(
        read("001\t1").unwrap_err()[0],
        "1:4 a tab; fields stand at fixed columns, with blanks between them"
    );
}

#[test]
fn names_are_cut_by_bytes_where_a_program_wrote_them_so() {
    let name = format!("{:<33}", "Müller, Jörg");
    let by_bytes = format!("{:<31}", "Müller, Jörg");
    let line = |name: &str| format!("001    1      {name} 2500                            0.0    1\n");
    for text in [line(&name), line(&by_bytes)] {
        let report = warns(&text, &[]);
        assert_eq!((report.players[0].name.as_str(), report.players[0].rating), ("Müller, Jörg", 2500));
    }
}

fn rules() -> Arc<RuleSet> {
    static RULES: OnceLock<Arc<RuleSet>> = OnceLock::new();
    let open = || Arc::new(Library::default().check("tournament/tie-breaks", &[]).unwrap().rules.unwrap());
    Arc::clone(RULES.get_or_init(open))
}

#[test]
fn tables_are_those_of_the_rule_set() {
    let (report, _) = read(SMALL).unwrap();
    let rules = rules();
    let source = Source::new("t.trf", SMALL);
    let state = tables(&rules, &report, &source).unwrap();
    let shown: Vec<String> = state.tables[1]
        .iter()
        .map(|row| {
            let cells = row.iter().take(7).map(|value| match value {
                Value::Row(_, row) => format!("#{row}"),
                Value::Number(number) => number.to_string(),
                Value::Truth(truth) => truth.to_string(),
                Value::Text(text) => format!("'{text}'"),
                _ => "none".into(),
            });
            cells.collect::<Vec<_>>().join(" ")
        })
        .collect();
    assert_eq!(
        shown,
        [
            "1 #0 #1 1 0 true ''",
            "1 #2 none 1 none false 'paired'",
            "2 #2 #0 0.5 0.5 true ''",
            "2 #1 none 1 none false 'paired'",
        ]
    );
    let (terms, warnings) = terms::terms(&rules, &report, &source);
    let terms: Vec<(String, String)> = terms.iter().map(crate::sgf::terms::Term::given).collect();
    assert_eq!((terms, warnings.len()), (vec![("rounds".to_owned(), "2".to_owned())], 0));
}

#[test]
fn tie_breaks_that_a_report_names_are_the_keys() {
    let text = format!("{SMALL}202 BH/C1,XYZ,SB\n");
    let (report, _) = read(&text).unwrap();
    let (terms, warnings) = terms::terms(&rules(), &report, &Source::new("t.trf", text));
    let keys: Vec<String> = terms.into_iter().skip(1).take(4).map(|term| term.value).collect();
    assert_eq!(keys, ["['PTS']", "['BH', 'C1']", "['SB']", "['NONE']"]);
    let warnings: Vec<String> = warnings.into_iter().map(|warning| warning.message).collect();
    assert_eq!(warnings, ["the tie-break `XYZ` has no place in this rule set; it is left out"]);
}

/// A report in which everything agrees, from a list of numbers that decide everything.
fn tournament(players: usize, rounds: usize, choices: &[u8]) -> Report {
    let mut dice = choices.iter().copied().cycle();
    let mut roll = |sides: u8| dice.next().unwrap_or(0) % sides.max(1);
    let mut report = Report::default();
    for number in 1..=players as u16 {
        let rounds = vec![Cell::default(); rounds];
        report.players.push(Player {
            number,
            name: format!("Entry {number}"),
            rating: 1000 + number,
            rounds,
            ..Player::default()
        });
    }
    for round in 0..rounds {
        let mut free: Vec<usize> = (0..players).collect();
        while let Some(one) = free.pop() {
            let action = roll(8);
            let other = if free.is_empty() || action == 0 {
                None
            } else {
                Some(free.remove(usize::from(roll(255)) % free.len()))
            };
            let byes = [Mark::Half, Mark::Full, Mark::Zero, Mark::Allocated];
            let pairs = [
                (Mark::Win, Mark::Loss),
                (Mark::Draw, Mark::Draw),
                (Mark::ForfeitLoss, Mark::ForfeitWin),
                (Mark::ForfeitLoss, Mark::ForfeitLoss),
                (Mark::UnratedWin, Mark::UnratedLoss),
            ];
            let (first, second) = pairs[usize::from(roll(5))];
            let mark = other.map_or(byes[usize::from(roll(4))], |_| first);
            let seat = |opponent: Option<usize>, colour, mark| Cell {
                opponent: opponent.map(|at| at as u16 + 1),
                colour: opponent.map(|_| colour),
                mark: Some(mark),
                ..Cell::default()
            };
            report.players[one].rounds[round] = seat(other, Colour::White, mark);
            if let Some(other) = other {
                report.players[other].rounds[round] = seat(Some(one), Colour::Black, second);
            }
        }
    }
    report
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn what_is_written_reads_the_same(
        players in 1_usize..12,
        rounds in 0_usize..6,
        choices in prop::collection::vec(any::<u8>(), 1..40),
    ) {
        let made = tournament(players, rounds, &choices);
        let (read, _) = read(&write(&made)).unwrap();
        let cells = |report: &Report| -> Vec<Vec<Cell>> {
            let cells = |player: &Player| player.rounds.iter().map(|cell| Cell { span: Span::default(), ..*cell }).collect();
            report.players.iter().map(cells).collect()
        };
        prop_assert_eq!(cells(&read), cells(&made));
        let again = tests::read(&write(&read)).unwrap().0;
        prop_assert_eq!(again.without_places(), read.without_places());
    }

    #[test]
    fn tables_and_back(
        players in 1_usize..12,
        rounds in 1_usize..6,
        choices in prop::collection::vec(any::<u8>(), 1..40),
    ) {
        let (rules, mut made) = (rules(), tournament(players, rounds, &choices));
        // What is not rated is not among the fields of this rule set.
        for cell in made.players.iter_mut().flat_map(|player| &mut player.rounds) {
            cell.mark = cell.mark.map(|mark| match mark {
                Mark::UnratedWin => Mark::Win,
                Mark::UnratedLoss => Mark::Loss,
                mark => mark,
            });
        }
        let (report, _) = read(&write(&made)).unwrap();
        let source = Source::new("t.trf", "");
        let state = tables(&rules, &report, &source).unwrap();
        let back = from_tables(&rules, &state, &report).unwrap();
        let again = read(&write(&back)).unwrap().0;
        let second = tables(&rules, &again, &source).unwrap();
        prop_assert_eq!(&state.tables[0], &second.tables[0]);
        prop_assert_eq!(&state.tables[1], &second.tables[1]);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "(001|012|XXP|162|240|250|299|310|013) {0,3}[ -~é\n]{0,120}") {
        drop(read(&text));
    }

    #[test]
    fn changed_reports_are_read_or_refused(at in 0_usize..400, sign in any::<char>()) {
        let mut text = SMALL.to_owned();
        let at = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.insert(at, sign);
        if let Ok((report, _)) = read(&text) {
            let again = read(&write(&report)).unwrap().0;
            prop_assert_eq!(again.without_places(), report.without_places());
        }
    }
}
