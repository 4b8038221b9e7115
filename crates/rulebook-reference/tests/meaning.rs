//! The meaning of single constructs, on rule sets as small as they can be.
#![expect(clippy::expect_used, clippy::panic, reason = "a test fails loudly")]

use std::sync::Arc;

use rulebook_model::ruleset::Form;
use rulebook_model::{Outcome, Value, check};
use rulebook_reference::{Engine, Finding, Person, Reason, State, Verdict};
use rulebook_syntax::Source;

/// The words that the small rule sets use; written out, so that they do not depend on the real prelude.
const WORDS: &str = "
rulebook: 1
id: prelude
sources: { T: test }
directions:
  north: [0, 1]
  east: [1, 0]
  south: [0, -1]
  west: [-1, 0]
  orthogonal: north + east + south + west
macros:
  walk(d): step d [not own]
";

const HEAD: &str = "
rulebook: 1
id: small
players: [first, second]
pieces: [token]
board: { files: 3, ranks: 1, adjacent: orthogonal }
notation: { letters: { token: t } }
";

fn engine(rest: &str) -> Engine {
    let source = Source::new("small.yaml", format!("{HEAD}{rest}"));
    let words = Source::new("prelude.yaml", WORDS);
    let checked = check(&source, &|id| (id == "prelude").then(|| Arc::clone(&words)), &[]);
    Engine::new(Arc::new(checked.rules.unwrap_or_else(|| panic!("{:#?}", checked.diagnostics))))
}

fn event(engine: &Engine, state: &State, name: &str, player: u8) -> Verdict {
    let at = engine.rules().events.iter().position(|event| event == name).expect("a known event");
    engine.event(state, at as u16, &[], Person::Player(player)).expect("no fault")
}

fn done(verdict: Verdict) -> State {
    match verdict {
        Verdict::Done { next, .. } => *next,
        Verdict::Refused { reason, .. } => panic!("refused: {reason:?}"),
    }
}

fn refused(verdict: Verdict) -> Reason {
    match verdict {
        Verdict::Done { .. } => panic!("it was done"),
        Verdict::Refused { reason, .. } => reason,
    }
}

fn play(engine: &Engine, state: &State, name: &str) -> State {
    let at = engine.rules().acts.iter().position(|act| act == name).expect("a known act");
    done(engine.judge(state, &|act| usize::from(act.name) == at, &[]).expect("no fault"))
}

#[test]
fn phases_decide_which_clauses_are_in_force() {
    let engine = engine(
        "
phases: [opening, middle]
clauses:
  a: { act: pass, in: opening, then: phase := middle }
  b: { on: stop, in: middle, then: draw }
",
    );
    let first = engine.first();
    assert_eq!(refused(event(&engine, &first, "stop", 0)), Reason::ConditionFails);
    let middle = play(&engine, &first, "pass");
    assert!(engine.plies(&middle).expect("no fault").legal.is_empty());
    assert_eq!(done(event(&engine, &middle, "stop", 1)).ended.map(|end| end.outcome), Some(Outcome::Draw));
}

#[test]
fn a_clause_that_is_an_exception_goes_first() {
    let engine = engine(
        "
clauses:
  a: { on: stop, then: lose(actor) }
  b: { on: stop, exception_to: a, when: actor = first, then: draw }
",
    );
    let outcome = |player| done(event(&engine, &engine.first(), "stop", player)).ended.map(|end| end.outcome);
    assert_eq!(outcome(0), Some(Outcome::Draw));
    assert_eq!(outcome(1), Some(Outcome::Lose(1)));
}

#[test]
fn a_wrong_claim_has_its_price() {
    let engine = engine(
        "
state: { price: count }
clauses:
  a: { on: claim, by: mover, when: played > 3 plies, then: draw, otherwise: price += 1 }
  b: { act: pass }
",
    );
    let first = engine.first();
    assert_eq!(refused(event(&engine, &first, "claim", 1)), Reason::NotTheirs);
    let after = done(event(&engine, &first, "claim", 0));
    assert_eq!(engine.rules().show(&after.vars[0]), "1");
    assert!(after.ended.is_none());
}

#[test]
fn bans_are_judged_after_all_consequences() {
    let text = "
clauses:
  a: { act: put, choose: 'site in empties', then: put token at site }
  b: { forbid: count(owned(mover)) > 0, after: put }
  c: { after: put, when: only(owned(mover)) != b1, then: remove site }
";
    let engine = engine(text);
    let plies = engine.plies(&engine.first()).expect("no fault");
    // The consequence stands behind the ban in the file and is done before it is judged all the same.
    assert_eq!((plies.legal.len(), plies.banned.len()), (2, 1));
    assert_eq!(engine.rules().clauses[usize::from(plies.banned[0].clauses[0])].id, "b");
}

#[test]
fn what_stood_there_can_be_asked_after_the_ply() {
    let text = "
setup: { board: Tt1 }
state: { caught: player }
clauses:
  a: { piece: token, move: walk orthogonal }
  b: { after: move, when: 'was(to) = token and was_owner(to) = second', then: caught := was_owner(to) }
";
    let engine = engine(text);
    let plies = engine.plies(&engine.first()).expect("no fault");
    assert_eq!(plies.legal.len(), 1);
    assert_eq!(engine.rules().show(&plies.legal[0].next.vars[0]), "second");
}

#[test]
fn a_way_that_goes_nowhere_is_no_movement() {
    let engine = engine("\nsetup: { board: T2 }\nclauses:\n  a: { piece: token, move: (step east)* }\n");
    assert_eq!(engine.plies(&engine.first()).expect("no fault").legal.len(), 2);
}

#[test]
fn an_exception_to_all_goes_before_every_rival() {
    let text = "
clauses:
  a: { act: pass }
  b: { ends: played >= 1 ply, result: draw }
  c: { ends: played >= 1 ply, result: win(first), exception_to: all }
";
    let engine = engine(text);
    assert_eq!(play(&engine, &engine.first(), "pass").ended.map(|end| end.outcome), Some(Outcome::Win(0)));
}

#[test]
fn variables_of_one_ply_fade() {
    let engine = engine(
        "
state: { mark: { type: site, lasts: one ply } }
clauses:
  a: { act: note, then: mark := b1 }
  b: { act: pass, when: mark = b1 }
",
    );
    let noted = play(&engine, &engine.first(), "note");
    let passed = play(&engine, &noted, "pass");
    assert_eq!(engine.rules().show(&passed.vars[0]), "none");
    assert_eq!(engine.plies(&passed).expect("no fault").legal.len(), 1, "only `note` is left");
}

#[test]
fn the_identity_of_a_position_is_derived() {
    let engine = engine(
        "
setup: { board: t1T }
state: { right: sites, hint: { type: site, lasts: one ply }, counter: count }
clauses:
  a: { piece: token, move: walk orthogonal }
  b: { piece: token, act: leap, move: 'step east [here in right]' }
  c: { piece: token, act: hint, move: 'step east [here = hint]' }
  d: { after: ply, then: counter += 1 }
  e: { ends: times(position) >= 3, result: draw }
",
    );
    let names = |list: &[u16]| {
        list.iter().map(|at| engine.rules().vars[usize::from(*at)].name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&engine.rules().identity), ["right"], "a counter that no act reads is no part of it");
    assert_eq!(names(&engine.rules().fleeting), ["hint"]);
}

#[test]
fn a_maximum_over_acts_leaves_only_the_best() {
    let engine = engine(
        "
setup: { board: 2T }
clauses:
  a: { piece: token, move: (step west)+ }
  b: { most: 'count(between(from, to))', after: ply }
",
    );
    let plies = engine.plies(&engine.first()).expect("no fault");
    assert_eq!((plies.legal.len(), plies.banned.len()), (1, 1));
    assert_eq!(plies.legal[0].act.to, Some(0));
}

#[test]
fn contradicting_endings_are_a_fault_not_a_guess() {
    let source = "
state: { flag: truth }
clauses:
  a: { act: pass }
  b: { ends: played >= 1 ply, result: draw }
  c: { ends: played >= 1 ply and not flag, yields: b, result: win(first) }
";
    let engine = engine(source);
    assert_eq!(play(&engine, &engine.first(), "pass").ended.map(|end| end.outcome), Some(Outcome::Draw));
}

#[test]
fn every_step_can_be_traced() {
    let engine = engine(
        "
state: { counter: count }
clauses:
  a: { act: pass }
  b: { after: pass, when: mover = second, then: counter += 1 }
  c: { forbid: counter > 9, after: pass }
  d: { after: pass, then: counter += 1 }
  e: { turn: next(mover) }
",
    )
    .traced();
    let plies = engine.plies(&engine.first()).expect("no fault");
    let found: Vec<(u16, Finding)> =
        plies.legal[0].trace.iter().map(|step| (step.clause, step.finding)).collect();
    assert_eq!(
        found,
        [
            (0, Finding::Grants),
            (1, Finding::DoesNotApply),
            (3, Finding::TakesEffect),
            (2, Finding::Allows),
            (4, Finding::PassesTurn)
        ]
    );
}

#[test]
fn numbers_in_variables_have_less_room_than_others() {
    let engine = engine(
        "
state: { big: { type: count, start: 2351 * 4513 * 13264529 }, fine: { type: count, start: 1 / 65535 } }
clauses:
  a: { act: look, when: big * 60000 > fine / 2 }
  b: { act: back, then: 'big := 0 - big' }
  c: { act: more, when: big > 0, then: 'big += 1' }
",
    );
    let first = engine.first();
    let fault = engine.plies(&first).expect_err("one more has no room");
    assert_eq!(fault.to_string(), "clause `c`: a number left its range, or was divided by zero");
}

#[test]
fn turns_are_data() {
    let engine = engine(
        "
clauses:
  a: { act: pass }
  b: { act: more, then: again }
  c: { turn: 'if played = 1 ply then mover else next(mover)' }
",
    );
    let first = engine.first();
    assert_eq!(play(&engine, &first, "more").mover, 0);
    let second = play(&engine, &first, "pass");
    assert_eq!(second.mover, 1);
    assert_eq!(play(&engine, &second, "pass").mover, 1, "the clause lets the second player go twice");
    assert!(matches!(engine.rules().clauses[2].form, Form::Turn(_)));
}

#[test]
fn long_games_are_dropped_without_recursion() {
    let engine = engine("\nclauses:\n  a: { act: pass }\n");
    let mut state = engine.first();
    for _ in 0..200_000 {
        let mut plies = engine.plies(&state).expect("no fault");
        state = plies.legal.remove(0).next;
    }
    assert_eq!(state.history().count(), 200_001);
}

#[test]
fn an_ending_that_can_only_be_a_draw_does_not_stop_the_counting() {
    let counted = |result: &str, define: &str| {
        let text = format!(
            "
define: {{ quits: {define} }}
answers: quits
clauses:
  a: {{ act: pass }}
  b: {{ ends: count(occupied) = 0, result: {result} }}
"
        );
        let engine = engine(&text);
        engine.perft(&engine.first(), 3).expect("no fault")
    };
    assert_eq!(counted("draw", "draw"), 1);
    assert_eq!(counted("quits", "if mover = first then draw else draw"), 1, "definitions are opened");
    assert_eq!(counted("quits", "if mover = first then draw else win(first)"), 0);
    assert_eq!(counted("win(mover)", "draw"), 0);
    assert_eq!(counted("void", "draw"), 0);
}

#[test]
fn a_variable_may_be_there_for_each_player_and_kind() {
    let engine = engine(
        "
state: { hand: { type: count, for: each player and kind, start: 2 }, worth: { type: count, for: each kind } }
clauses:
  a: { act: drop, when: 'hand(mover, token) > 0', then: 'hand(mover, token) -= 1; worth(token) += hand(mover, token)' }
  b: { turn: mover }
",
    );
    let state = play(&engine, &play(&engine, &engine.first(), "drop"), "drop");
    assert!(engine.plies(&state).expect("no fault").legal.is_empty(), "nothing is left in hand");
    let numbers = |values: &[usize]| Value::List(values.iter().map(|value| Value::whole(*value)).collect());
    assert_eq!(state.vars, [numbers(&[0, 2]), numbers(&[1])]);
}

#[test]
fn the_setup_says_who_begins_and_what_is_in_hand() {
    let source = Source::new(
        "small.yaml",
        format!(
            "{}{}",
            HEAD.replace("letters: { token: t }", "letters: { token: t }, hands: hand"),
            "
state: { hand: { type: count, for: each player and kind }, passes: { type: count, for: each player } }
setup: { board: '1T1[TTt]', turn: second, passes: '[3, 4]' }
clauses:
  a: { act: pass, when: 'hand(mover, token) + passes(mover) > 0' }
"
        ),
    );
    let words = Source::new("prelude.yaml", WORDS);
    let checked = check(&source, &|id| (id == "prelude").then(|| Arc::clone(&words)), &[]);
    let state = State::first(&checked.rules.expect("no errors"));
    let numbers = |values: &[usize]| Value::List(values.iter().map(|value| Value::whole(*value)).collect());
    assert_eq!((state.mover, state.vars), (1, vec![numbers(&[2, 1]), numbers(&[3, 4])]));
}

#[test]
fn a_ban_may_ask_whether_a_ply_can_be_answered() {
    let engine = engine(
        "
state: { closed: truth }
clauses:
  a: { act: pass, unless: closed }
  b: { act: shut, unless: closed, then: closed := true }
  c: { forbid: not answerable, after: shut }
",
    );
    let plies = engine.plies(&engine.first()).expect("no fault");
    let names = |act: u16| engine.rules().acts[usize::from(act)].clone();
    let legal: Vec<String> = plies.legal.iter().map(|ply| names(ply.act.name)).collect();
    let banned: Vec<String> = plies.banned.iter().map(|ply| names(ply.act.name)).collect();
    assert_eq!((legal, banned), (vec!["pass".to_owned()], vec!["shut".to_owned()]));
}
