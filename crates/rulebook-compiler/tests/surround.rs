//! Games of placing and enclosing: what is recognised as one, what must not be, and that it makes no
//! difference to any answer.

#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use rulebook_compiler::{Note, Passes, compile};
use rulebook_machine::front::{Game, Machine};
use rulebook_machine::program::Program;
use rulebook_machine::surround::{Own, Past};
use rulebook_machine::verify::verify;
use rulebook_model::check;
use rulebook_model::library::Library;
use rulebook_syntax::Source;

fn params(params: &[(&str, &str)]) -> Vec<(String, String)> {
    params.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn compiled(id: &str, given: &[(&str, &str)], passes: Passes) -> (Program, Vec<Note>) {
    let rules = Library::default().check(id, &params(given)).unwrap().rules.unwrap();
    compile(&rules, passes).unwrap()
}

/// A rule set of clauses on top of a board for this game.
fn layered(clauses: &str) -> (Program, Vec<Note>) {
    let head = "rulebook: 1\nid: test/layer\nedition: 2026-11-30\nextends: go/board\nclauses:\n";
    let source = Source::new("test/layer.yaml", format!("{head}{clauses}"));
    let library = Library::default();
    let checked = check(&source, &|id| library.find(id), &params(&[("size", "5")]));
    let messages: Vec<&str> = checked.diagnostics.iter().map(|found| &*found.message).collect();
    assert!(checked.rules.is_some(), "{messages:?}");
    compile(&checked.rules.unwrap(), Passes::all()).unwrap()
}

fn game(program: Program) -> Box<dyn Game> {
    Machine::new(verify(program).unwrap()).unwrap().first()
}

#[test]
fn each_rule_of_suicide_and_of_repetition_has_its_form() {
    let form = |id: &str, given: &[(&str, &str)]| {
        let form = compiled(id, given, Passes::all()).0.surround.unwrap();
        (form.own, form.past)
    };
    let small = ("size", "5");
    assert!(matches!(form("go/board", &[small]), (Own::Forbidden(_), Past::Board(_))));
    assert!(matches!(
        form("go/board", &[small, ("suicide", "'any'")]),
        (Own::Removed(_, None), Past::Board(_))
    ));
    assert!(matches!(form("go/board", &[small, ("suicide", "'multi'")]), (Own::Removed(_, Some(_)), _)));
    assert!(matches!(form("go/situational", &[small]), (_, Past::Turn(_))));
    assert!(matches!(form("go/simple-ko", &[small]), (_, Past::Latest(_))));
    assert!(matches!(form("go/spight", &[small]), (_, Past::Window(_, _, 1))));
}

#[test]
fn two_passes_end_it() {
    let form = compiled("go/board", &[("size", "5")], Passes::all()).0.surround.unwrap();
    assert_eq!(form.others.len(), 1);
    assert_eq!(form.ends.iter().map(|end| end.least).collect::<Vec<i64>>(), [2]);
}

#[test]
fn what_differs_a_little_is_not_recognised() {
    let says = "title: { en: A, zh: 甲 }, says: { en: A., zh: 甲。 }, cites: S0-001";
    for (clauses, what) in [
        // Groups in atari go, too.
        (
            format!(
                "  x: {{ after: place, then: remove set of chain(n) for n in neighbours(point) & owned(opponent) where count(liberties(chain(n))) = 1, {says} }}\n"
            ),
            "another taking",
        ),
        (format!("  x: {{ forbid: point = a1, after: place, {says} }}\n"), "another ban"),
        (format!("  x: {{ act: swap, then: give owned(opponent) to mover, {says} }}\n"), "another ply"),
        (
            format!(
                "  x: {{ overrides: \"7.1\", ends: count(owned(black)) >= 9, result: win(black), {says} }}\n"
            ),
            "another ending",
        ),
        (format!("  x: {{ forbid: passes > 0, after: pass, {says} }}\n"), "a ban on the other ply"),
    ] {
        let (program, notes) = layered(&clauses);
        assert_eq!(program.surround, None, "{what}");
        assert!(notes.iter().any(|note| note.text.contains("in the way")), "{what}: {notes:?}");
    }
    assert_eq!(compiled("go/button", &[("size", "5")], Passes::all()).0.surround, None);
    assert_eq!(compiled("games/othello6", &[], Passes::all()).0.surround, None);
}

#[test]
fn counts_and_games_are_the_same_without_it() {
    for (id, given) in [
        ("go/board", &[("width", "3"), ("height", "2")][..]),
        ("go/board", &[("width", "3"), ("height", "2"), ("suicide", "'multi'")]),
        ("go/simple-ko", &[("width", "4"), ("height", "1")]),
        ("go/situational", &[("width", "2"), ("height", "2"), ("suicide", "'any'")]),
        ("go/spight", &[("width", "3"), ("height", "1")]),
    ] {
        let mut with = game(compiled(id, given, Passes::all()).0);
        let mut without = game(compiled(id, given, Passes::without("surround").unwrap()).0);
        for depth in 1..=5 {
            let count = without.perft(depth).unwrap();
            assert_eq!(with.perft(depth).unwrap(), count, "{id} {given:?} {depth}");
            assert_eq!(with.perft_making(depth).unwrap(), count, "{id} {given:?} {depth}");
        }
    }
    let given = [("width", "3"), ("height", "1")];
    let mut with = game(compiled("go/board", &given, Passes::all()).0);
    let mut without = game(compiled("go/board", &given, Passes::without("surround").unwrap()).0);
    assert_eq!((with.games().unwrap(), without.games().unwrap()), (907, 907));
}

/// How often each first ply of a game is played at random, told apart by the length of the game it leads to.
#[test]
fn random_games_end_as_games_do() {
    for passes in [Passes::all(), Passes::none()] {
        let mut game = game(compiled("go/board", &[("width", "2"), ("height", "1")], passes).0);
        // Nine games: one of 2 plies, two of 3, four of 4 and two of 5, with the odds of their plies.
        let mut lengths = [0_u32; 8];
        for seed in 0..6000 {
            let played = game.playout(seed, 100).unwrap();
            assert!(played.over);
            lengths[played.plies as usize % 8] += 1;
        }
        assert_eq!(lengths.iter().sum::<u32>(), lengths[2..=5].iter().sum::<u32>());
        // Both pass at once in one of nine games: 2000 of 6000 begin with a pass, a third of them end there.
        assert!((560..=770).contains(&lengths[2]), "{lengths:?}");
        assert!(game.playout(1, 2).unwrap().plies <= 2);
        assert_eq!(game.playout(7, 50).unwrap(), game.playout(7, 50).unwrap());
    }
}
