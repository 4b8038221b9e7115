//! Phases: which clauses are looked at in each of them, and that nothing is overlooked.

#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::path::Path;

use rulebook_compiler::{Passes, compile};
use rulebook_conformance::diff::{Amount, Start, compare, every_setting};
use rulebook_machine::dispatch::{Looked, looked_at};
use rulebook_model::library::Library;
use rulebook_syntax::Source;

/// Its clauses are of three phases; a ply that begins another phase is followed by the clauses of that one.
const RULES: &str = include_str!("data/phases/test/phases.yaml");

fn looked(text: &str) -> Vec<Looked> {
    let library = Library::default();
    let checked = rulebook_model::check(&Source::new("test", text), &|id| library.find(id), &[]);
    looked_at(&compile(&checked.rules.unwrap(), Passes::all()).unwrap().0)
}

#[test]
fn no_clause_of_another_phase_or_event_is_looked_at() {
    let rows = looked(RULES);
    let row = |phase: &str| rows.iter().find(|row| row.phase.as_deref() == Some(phase)).unwrap();
    let numbers = |row: &Looked| (row.grants, row.following, row.bans, row.turns, row.endings);
    assert_eq!(numbers(row("placing")), (1, 2, 0, 1, 0));
    assert_eq!(numbers(row("moving")), (1, 2, 1, 1, 1));
    assert_eq!(numbers(row("counting")), (2, 1, 1, 0, 1));
    // By event: offer, resign, count.
    assert_eq!(row("placing").events, [1, 1, 0]);
    assert_eq!(row("moving").events, [1, 1, 0]);
    assert_eq!(row("counting").events, [1, 1, 1]);
    // A phase that no clause names: what is bound to no phase.
    let other = rows.iter().find(|row| row.phase.is_none()).unwrap();
    assert_eq!((numbers(other), &other.events[..]), ((0, 0, 0, 0, 0), &[0, 1, 0][..]));
}

/// Without phases there is one list for all.
#[test]
fn without_phases_every_clause_is_looked_at() {
    let rows = looked("rulebook: 1\nid: test/plain\nextends: games/othello\n");
    assert_eq!(rows.len(), 1);
    assert_eq!((rows[0].phase.as_ref(), rows[0].grants, rows[0].turns), (None, 2, 1));
}

/// A condition that only looks like a phase at its end binds nothing: it must be asked first.
#[test]
fn conditions_that_ask_for_a_phase_later_bind_nothing() {
    let near = RULES.replace(
        r#""18": { in: counting, after: ply, then:"#,
        r#""18": { after: ply, when: slow > 0 plies and phase = counting, then:"#,
    );
    assert_ne!(near, RULES);
    let rows = looked(&near);
    let following: Vec<usize> = rows.iter().map(|row| row.following).collect();
    assert_eq!(following, [3, 3, 1, 1]);
}

#[test]
fn games_with_phases_are_the_same_on_both_engines() {
    let library = Library::at(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/phases"));
    for seed in [1, 2] {
        let amount = Amount { games: 12, plies: 24, seed };
        let compared = compare(&library, "test/phases", &[Start::default()], &every_setting(), amount);
        assert_eq!((compared.differences, compared.skipped.as_ref()), (0, None), "{:?}", compared.shortest);
        assert!(compared.positions > 100 && compared.refused > 100, "{compared:?}");
    }
}
