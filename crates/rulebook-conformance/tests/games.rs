//! Games on the machine: what is taken back leaves no trace, and the number of a position tells what
//! `times(position)` tells.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails loudly")]

use rulebook_compiler::{Passes, compile};
use rulebook_machine::events::Person;
use rulebook_machine::front::{Game, Machine, PlainVerdict};
use rulebook_machine::plain::Plain;
use rulebook_machine::verify::verify;
use rulebook_model::library::Library;
use rulebook_syntax::Source;

/// A machine for a rule set that is asked besides how often its position has been.
fn machine(base: &str, passes: Passes) -> Machine {
    machine_of(&format!("extends: {base}\nanswers: [seen]\ndefine: {{ seen: times(position) }}\n"), passes)
}

fn machine_of(rest: &str, passes: Passes) -> Machine {
    let text = format!("rulebook: 1\nid: test/asked\n{rest}");
    let library = Library::default();
    let checked = rulebook_model::check(&Source::new("test", text), &|id| library.find(id), &[]);
    let (program, _) = compile(&checked.rules.unwrap(), passes).unwrap();
    Machine::new(verify(program).unwrap()).unwrap()
}

fn seen(game: &mut dyn Game) -> usize {
    match game.define("seen", &[]).unwrap() {
        Some(Plain::Number(count, 1)) => count as usize,
        other => panic!("the position has been {other:?}"),
    }
}

/// A source of numbers that gives the same ones every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit.max(1)
    }
}

/// Games in which players like to go back where they came from, so that positions come again.
fn positions_come_again(base: &str, passes: Passes, games: u64, plies: usize) -> usize {
    let machine = machine(base, passes);
    let mut repeated = 0;
    for seed in 0..games {
        let mut dice = Dice(seed);
        let mut game = machine.first();
        let mut hashes = vec![game.hash().unwrap()];
        let mut past: Vec<(Option<u16>, Option<u16>)> = Vec::new();
        for _ in 0..plies {
            let (legal, _) = game.plies().unwrap();
            if legal.is_empty() || game.ended().is_some() {
                break;
            }
            let back = past.len().checked_sub(2).and_then(|at| past.get(at)).copied();
            let returns = |at: &usize| {
                back.is_some_and(|(from, to)| {
                    from.is_some() && (legal[*at].act.from, legal[*at].act.to) == (to, from)
                })
            };
            let back = (0..legal.len()).find(returns).filter(|_| dice.below(4) > 0);
            let at = back.unwrap_or_else(|| dice.below(legal.len()));
            past.push((legal[at].act.from, legal[at].act.to));
            assert!(game.play(at).unwrap());
            hashes.push(game.hash().unwrap());
            let same = hashes.iter().filter(|hash| Some(*hash) == hashes.last()).count();
            assert_eq!(same, seen(&mut *game), "{base}, game {seed}, ply {}", past.len());
            repeated += usize::from(same > 1);
        }
    }
    repeated
}

#[test]
fn equal_numbers_are_equal_positions() {
    assert!(positions_come_again("chess/board", Passes::all(), 40, 60) > 100);
    assert!(positions_come_again("variants/makruk", Passes::all(), 10, 60) > 20);
    assert!(positions_come_again("variants/shogi", Passes::all(), 5, 40) > 5);
}

#[test]
fn numbers_need_no_fast_paths() {
    assert!(positions_come_again("chess/board", Passes::none(), 6, 40) > 10);
}

/// A variable that lasts one ply counts while a legal act depends on it, and only then.
#[test]
fn what_can_be_done_belongs_to_a_position() {
    let machine = machine("chess/board", Passes::all());
    let after = |acts: &[&str]| {
        let mut game = machine.first();
        for act in acts {
            let (legal, _) = game.plies().unwrap();
            let at = legal.iter().position(|ply| machine.show(&ply.act) == format!("move {act}")).unwrap();
            game.play(at).unwrap();
        }
        game.hash().unwrap()
    };
    // A pawn beside could take the one that passed: the position is another one.
    let shuffle = ["b1-c3", "b8-c6", "c3-b1", "c6-b8"];
    let passed = ["e2-e4", "a7-a6", "e4-e5", "d7-d5"];
    assert_ne!(after(&passed), after(&[&passed[..], &shuffle[..]].concat()));
    // Nobody could take it: the same position.
    let alone = ["e2-e4", "a7-a6", "h2-h3", "d7-d5"];
    assert_eq!(after(&alone), after(&[&alone[..], &shuffle[..]].concat()));
}

#[test]
fn what_is_taken_back_leaves_no_trace() {
    for base in ["chess/board", "go/board", "games/othello", "variants/crazyhouse", "games/amazons"] {
        let machine = machine(base, Passes::all());
        let mut game = machine.first();
        let mut dice = Dice(7);
        let mut states = Vec::new();
        for _ in 0..24 {
            let (legal, _) = game.plies().unwrap();
            if legal.is_empty() {
                break;
            }
            states.push((game.state(), game.hash().unwrap()));
            let at = dice.below(legal.len());
            game.play(at).unwrap();
        }
        for (state, hash) in states.iter().rev() {
            assert!(game.undo(), "{base}");
            assert_eq!((game.state(), game.hash().unwrap()), (state.clone(), *hash), "{base}");
        }
        assert!(!game.undo(), "{base}");
        assert_eq!(game.state(), machine.first().state(), "{base}");
    }
}

#[test]
fn events_are_taken_back_too() {
    let machine = machine("chess/board", Passes::all());
    let mut game = machine.first();
    let first = game.state();
    let offer = machine.event("offer draw").unwrap();
    let resign = machine.event("resign").unwrap();
    assert!(matches!(game.cause(offer, &[], Person::Player(0)).unwrap(), PlainVerdict::Done { .. }));
    let offered = game.state();
    assert_ne!(offered, first);
    game.cause(resign, &[], Person::Player(1)).unwrap();
    assert!(game.ended().is_some());
    // What is refused changes nothing, and there is nothing of it to take back.
    assert!(matches!(game.cause(resign, &[], Person::Player(0)).unwrap(), PlainVerdict::Refused { .. }));
    assert!(game.undo());
    assert_eq!(game.state(), offered);
    assert!(game.undo());
    assert_eq!(game.state(), first);
    assert!(!game.undo());
}

/// Where an event lets an earlier position return, what was recorded since then comes back.
#[test]
fn what_an_event_takes_back_comes_back() {
    let event = "on: take back, by: arbiter, choose: amount in 1..4, then: restore amount * 1 ply";
    let clause = format!("\"T\": {{ {event}, cites: S0-001, says: {{ en: Back., zh: 恢复。 }} }}");
    let machine = machine_of(&format!("extends: chess/board\nclauses:\n  {clause}\n"), Passes::all());
    let mut game = machine.first();
    let mut states = vec![game.state()];
    for _ in 0..4 {
        game.play(0).unwrap();
        states.push(game.state());
    }
    let take_back = machine.event("take back").unwrap();
    let done = game.cause(take_back, &[Plain::Number(3, 1)], Person::Arbiter).unwrap();
    assert!(matches!(done, PlainVerdict::Done { forgotten: 3, .. }), "{done:?}");
    assert_eq!(game.state().past, states[1].past);
    game.play(1).unwrap();
    for state in [None, Some(4), Some(3)] {
        assert!(game.undo());
        let known = state.map(|at: usize| states[at].clone());
        assert!(known.is_none_or(|known| known == game.state()), "{state:?}");
    }
}

/// A question is no act: whoever only asks goes on with nothing.
#[test]
fn questions_go_on_with_nothing() {
    let machine = machine("chess/board", Passes::all());
    let mut game = machine.first();
    let first = game.state();
    let resign = machine.event("resign").unwrap();
    game.event(resign, &[], Person::Player(0)).unwrap();
    game.judge(&|act| machine.show(act) == "move e2-e4", &[]).unwrap();
    assert_eq!(game.state(), first);
    assert!(!game.undo());
    let done = game.attempt(&|act| machine.show(act) == "move e2-e4", &[]).unwrap();
    assert!(matches!(done, PlainVerdict::Done { .. }));
    assert!(game.undo());
    assert_eq!(game.state(), first);
}
