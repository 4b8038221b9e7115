//! A tour of the machine: a compiled file loaded, acts listed and done, verdicts with their clauses, acts taken
//! back, positions told apart by their numbers, sequences counted.
//!
//! `cargo run -p rulebook-machine --example tour` prints it, and the tests run it.
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;

use rulebook_machine::events::Person;
use rulebook_machine::file;
use rulebook_machine::front::{Game, Machine, PlainVerdict};
use rulebook_machine::plain::PlainAct;
use rulebook_machine::program::Language;

/// What `rulebook compile` wrote.
const FILE: &[u8] = include_bytes!("three.rules");

fn main() -> Result<(), Box<dyn Error>> {
    println!("{}", tour()?.join("\n"));
    Ok(())
}

fn tour() -> Result<Vec<String>, Box<dyn Error>> {
    let mut lines = Vec::new();
    let machine = file::load(FILE)?;
    lines.push(format!("{}: {}", machine.program().id, machine.program().title.get(Language::En)));

    // Legal acts, in words.
    let mut game = machine.first();
    let (legal, _) = game.plies()?;
    let acts: Vec<String> = legal.iter().take(3).map(|ply| machine.show(&ply.act)).collect();
    lines.push(format!("{} legal acts: {}, …", legal.len(), acts.join(", ")));

    // Acts, each with its verdict. The last one is refused: the cell is taken.
    for cell in ["a1", "b2", "a2", "b2"] {
        let verdict = place(&machine, &mut *game, cell)?;
        lines.push(format!("place {cell}: {}", said(&machine, &verdict)));
    }

    // What is taken back is as if it had never been.
    let (before, position) = (game.hash()?, game.position());
    lines.push(format!("place b1: {}", said(&machine, &place(&machine, &mut *game, "b1")?)));
    game.undo();
    lines.push(format!("taken back: {}", game.hash()? == before && game.position() == position));

    // The order of the acts makes no difference to the position.
    let mut other = machine.first();
    for cell in ["a2", "b2", "a1"] {
        place(&machine, &mut *other, cell)?;
    }
    lines.push(format!("the same by another way: {}", other.hash()? == before));

    // An event is no act of a player on turn.
    let resign = machine.event("resign").ok_or("there is no such event")?;
    let verdict = game.cause(resign, &[], Person::Player(0))?;
    lines.push(format!("resign: {}", said(&machine, &verdict)));

    lines.push(format!("sequences of 5: {}", machine.first().perft(5)?));
    Ok(lines)
}

/// Places on a cell: of all acts the one whose only choice is this site.
fn place(machine: &Machine, game: &mut dyn Game, cell: &str) -> Result<PlainVerdict, Box<dyn Error>> {
    let wanted = format!("place cell={cell}");
    let meant = |act: &PlainAct| machine.show(act) == wanted;
    // The clause to name if nothing grants such an act.
    let grants: Vec<u16> = (0..1).collect();
    Ok(game.attempt(&meant, &grants)?)
}

/// A verdict with the clauses that decided.
fn said(machine: &Machine, verdict: &PlainVerdict) -> String {
    let (what, clauses) = match verdict {
        PlainVerdict::Refused { reason, clauses } => (format!("refused, {reason:?}"), clauses.clone()),
        PlainVerdict::Done { ended: Some(end), clauses, .. } => {
            // What ends the game at once stands in both lists.
            let more = end.clauses.iter().filter(|at| !clauses.contains(at));
            let all = clauses.iter().chain(more).copied().collect();
            (format!("done, and the game ends with {}", machine.show_outcome(end.outcome)), all)
        }
        PlainVerdict::Done { clauses, .. } => ("done".to_owned(), clauses.clone()),
    };
    let clauses = clauses.iter().filter_map(|at| machine.clause(*at));
    let clauses = clauses.map(|clause| format!("{} {}", clause.id, clause.says.get(Language::En)));
    format!("{what} [{}]", clauses.collect::<Vec<_>>().join("; "))
}

#[test]
fn the_tour_is_as_described() -> Result<(), Box<dyn Error>> {
    let lines = tour()?;
    let expected = include_str!("tour.txt");
    assert_eq!(lines.join("\n") + "\n", expected);
    Ok(())
}
