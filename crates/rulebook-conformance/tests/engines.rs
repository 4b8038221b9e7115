//! The engines agree: in random games of the rule sets that come with the program, and in what they refuse.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails loudly")]

use std::path::Path;
use std::sync::Arc;

use rulebook_conformance::Corpus;
use rulebook_conformance::diff::{Amount, compare_all, every_setting};
use rulebook_conformance::engines::Bridge;
use rulebook_model::library::Library;
use rulebook_model::{Value, check};
use rulebook_notation::Judge;
use rulebook_reference::{Engine, Fault, Verdict};
use rulebook_syntax::{Severity, Source};

#[test]
fn random_games_are_the_same_on_both_engines() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let corpus = Corpus::read(&root.join("conformance"), "conformance").unwrap();
    let ids = [
        "chess/laws-2023",
        "chess/conduct/laws-2023",
        "games/draughts",
        "games/othello6",
        "games/hex-swap",
        "go/simple-ko",
        "go/tromp-taylor",
    ];
    let amount = Amount { games: 2, plies: 8, seed: 7 };
    // Each pass left out in turn is for the long comparison.
    let settings: Vec<_> = every_setting().into_iter().take(2).collect();
    for (id, compared) in compare_all(&Library::default(), &corpus, &ids, (&settings, amount), &|| ()) {
        assert_eq!(compared.differences, 0, "{id}: {:?}", compared.shortest);
        assert!(compared.positions > 2 && compared.acts > 0, "{id}: {compared:?}");
    }
}

fn both(rest: &str) -> (Engine, Bridge) {
    let head = "
rulebook: 1
id: small
players: [first, second]
pieces: [token, other]
board: { files: 3, ranks: 2, adjacent: orthogonal }
notation: { letters: { token: t, other: o } }
";
    let source = Source::new("small.yaml", format!("{head}{rest}"));
    let library = Library::default();
    let checked = check(&source, &|id| library.find(id), &[]);
    let errors = checked.diagnostics.iter().filter(|found| found.severity == Severity::Error);
    let errors: Vec<&str> = errors.map(|found| found.message.as_str()).collect();
    let rules = Arc::new(checked.rules.unwrap_or_else(|| panic!("{errors:?}")));
    (Engine::new(Arc::clone(&rules)), Bridge::new(rules).unwrap())
}

/// The same after some acts, each named.
fn same_after(rest: &str, acts: &[&str]) {
    let (reference, machine) = both(rest);
    let mut state = reference.first();
    assert!(state.agrees(&machine.first()), "the first states");
    for act in acts {
        let (a, b) = (reference.plies(&state).unwrap(), Judge::plies(&machine, &state).unwrap());
        let shown = |plies: &rulebook_reference::Plies| -> Vec<String> {
            let legal = plies.legal.iter().map(|ply| {
                let next = &ply.next;
                format!("{:?} {:?} {:?} {} {:?}", ply.act, ply.clauses, next.cells, next.mover, next.vars)
            });
            let banned = plies.banned.iter().map(|banned| format!("{:?} {:?}", banned.act, banned.clauses));
            legal.chain(banned).collect()
        };
        assert_eq!(shown(&a), shown(&b), "before {act}");
        let at = reference.rules().acts.iter().position(|name| name == act).unwrap();
        let ply = a.legal.into_iter().find(|ply| usize::from(ply.act.name) == at);
        state = ply.unwrap_or_else(|| panic!("{act} is not legal")).next;
        let mut other = state.clone();
        assert_eq!(reference.settle(&mut state), Judge::settle(&machine, &mut other));
        assert_eq!(state.ended, other.ended, "after {act}");
    }
}

#[test]
fn variables_of_every_type_are_kept() {
    same_after(
        "
state:
  right: sites
  each: { type: site, for: each player }
  who: player
  what: kind
  flag: truth
  word: text
  half: count
  brief: { type: sites, lasts: one ply }
clauses:
  a:
    act: go
    choose: s in empties
    then: >-
      put token at s; right += s; each(mover) := s; who := next(mover); what := token; flag := not flag;
      word := 'done'; half := half + 1 / 3; brief := neighbours(s)
  b: { act: undo, when: flag, then: 'right := []; who := none; what := none; each(mover) := none' }
  c: { ends: count(owned(first)) > 2, result: win(first) }
",
        &["go", "undo", "go", "go", "undo", "go"],
    );
}

#[test]
fn choices_of_consequences_loops_and_turns() {
    same_after(
        "
state: { seen: count }
clauses:
  a: { act: place, choose: s in empties, then: put token at s }
  b: { after: place, choose: 'k in [token, other]', then: 'for t in neighbours(s) & occupied do put k at t' }
  c: { after: ply, when: count(changed) > 2, then: seen += 1 }
  d: { after: ply, forbid: 'count(other(mover)) > 2' }
  e: { before: ply, forbid: played > 4 plies }
  f: { turn: 'if seen > 1 then mover else next(mover)' }
  g: { most: count(changed), after: place }
",
        &["place", "place", "place"],
    );
}

#[test]
fn numbers_that_are_not_kept_are_faults_of_both() {
    for (factor, times) in [("1000000", 3), ("1 / 1000", 2)] {
        let (reference, machine) = both(&format!(
            "
state: {{ big: {{ type: count, start: 1 }} }}
clauses:
  a: {{ act: grow, then: 'big := big * ({factor})' }}
"
        ));
        let mut state = reference.first();
        for _ in 1..times {
            let next = reference.plies(&state).unwrap().legal.remove(0).next;
            assert!(next.agrees(&Judge::plies(&machine, &state).unwrap().legal[0].next));
            state = next;
        }
        let (a, b) = (reference.plies(&state).unwrap_err(), Judge::plies(&machine, &state).unwrap_err());
        assert_eq!(a, Fault::Clause("a".into(), Box::new(Fault::Number)));
        assert_eq!(a, b);
    }
}

/// A token that two players move by turns along the lower row, which nobody leaves, has three places, and the turn
/// goes with them: three positions, all met.
#[test]
fn searches_end_at_what_can_be_reached_or_at_their_bound() {
    let (reference, machine) = both(
        "
setup: { board: '3/T2' }
define:
  rows: those s in sites where rank(s) = 1
  within(target): able(ply, true, owned(first) = target, 3)
  short(target): able(ply, true, owned(first) = target, 2)
  narrow(target): able(ply, s in rows - target, owned(first) = target, 3)
answers: [within, short, narrow]
clauses:
  a: { act: go, choose: 's in rows & empties', when: s in neighbours(owned(first)), then: 'remove owned(first); put token for first at s' }
",
    );
    let state = reference.first();
    let ask = |name: &str, site: u16| {
        let arguments = vec![Value::Site(site)];
        let a = reference.define(&state, name, arguments.clone()).unwrap();
        assert_eq!(a, Judge::define(&machine, &state, name, arguments).unwrap(), "{name} {site}");
        a == Some(Value::Truth(true))
    };
    let lower = 0..3;
    assert_eq!(lower.clone().map(|site| ask("within", site)).collect::<Vec<_>>(), [true; 3]);
    assert!(!ask("within", 4), "the upper row cannot be reached");
    assert!(ask("short", 4), "two positions are too few to exclude it");
    assert_eq!(lower.map(|site| ask("narrow", site)).collect::<Vec<_>>(), [false; 3], "without the last ply");
}

#[test]
fn clauses_are_applied_with_what_they_are_given() {
    let (reference, machine) = both(
        "
state: { marks: { type: count, for: each player, lasts: always } }
clauses:
  a: { act: pass }
  b: { on: fine, by: arbiter, choose: 'culprit in players, share in 1..3', then: \"apply 'c'(next(culprit), share); apply 'd'(culprit)\" }
  c: { choose: 'blamed in players, amount in 1..2', then: \"marks(blamed) += amount; apply 'd'(blamed)\" }
  d: { choose: blamed in players, when: blamed = second, then: marks(blamed) += 10 }
",
    );
    let state = reference.first();
    for (times, marks) in [(1, [0, 11]), (2, [0, 12]), (3, [0, 0])] {
        let with = [Value::Player(0), Value::whole(times)];
        let a = reference.event(&state, 0, &with, rulebook_reference::Person::Arbiter).unwrap();
        let b = Judge::event(&machine, &state, 0, &with, rulebook_reference::Person::Arbiter).unwrap();
        let (Verdict::Done { next: a, clauses }, Verdict::Done { next: b, clauses: same }) = (a, b) else {
            panic!("{times}: refused");
        };
        assert!(a.agrees(&b), "{times}");
        assert_eq!(clauses, same, "{times}");
        let marks = Value::List(marks.map(|mark| Value::whole(mark as usize)).to_vec());
        assert_eq!(a.vars.last(), Some(&marks), "{times}");
    }
}
