//! The example of `docs/emit-rust.md`, which is run with every comparison.

use std::error::Error;

use rulebook_machine::engine::Fault;

/// The module that the build script wrote.
mod board {
    include!(concat!(env!("OUT_DIR"), "/board.rs"));
}

/// Counts, plays a ply, and asks the compiled file for a verdict with its clauses.
pub(crate) fn run() -> Result<(), Box<dyn Error>> {
    let first = board::Position::first()?;
    assert_eq!(first.perft(4)?, 197_281);

    let plies = first.plies()?;
    assert_eq!(plies.len(), 20);
    let Some(ply) = plies.first() else { return Err(Fault::Number(None).into()) };
    let next = first.play(ply);
    assert_eq!(next.turn(), 1);

    let machine = board::machine().map_err(Clone::clone)?;
    let mut game = machine.first();
    let (legal, refused) = game.plies()?;
    assert_eq!((legal.len(), refused.len()), (20, 0));
    Ok(())
}
