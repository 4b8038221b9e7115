//! Counts of everything there is: all games, all ways to fill a board.
//!
//! Plain enumerations that are only fit for small boards; who asks decides how small.

use rulebook_model::Value;
use rulebook_model::ruleset::Cell;
use rulebook_notation::Judge;
use rulebook_reference::{Outcomes, State};

use crate::driver::Answer;

/// The number of games from here to their ends.
pub(crate) fn games(engine: &dyn Judge, state: &State) -> Outcomes<u64> {
    if state.ended.is_some() {
        return Ok(1);
    }
    let mut count = 0;
    for ply in engine.plies(state)?.legal {
        let mut next = ply.next;
        engine.settle(&mut next)?;
        count += games(engine, &next)?;
    }
    Ok(count)
}

/// The number of ways to fill the board, each site with any piece or none, for which a definition holds.
pub(crate) fn fillings(engine: &dyn Judge, state: &State, name: &str) -> Outcomes<Answer> {
    let rules = engine.rules();
    let mut signs = vec![Cell::EMPTY];
    for kind in 0..rules.kinds.len() as u8 {
        signs.extend((0..rules.players.len() as u8).map(|player| Cell::piece(kind, player)));
    }
    let mut state = state.clone();
    let mut wheels = vec![0_usize; state.cells.len()];
    let mut count = 0;
    loop {
        for (cell, wheel) in state.cells.iter_mut().zip(&wheels) {
            *cell = signs.get(*wheel).copied().unwrap_or_default();
        }
        state.restart();
        match engine.define(&state, name, Vec::new())? {
            Some(Value::Truth(true)) => count += 1,
            Some(Value::Truth(false)) => {}
            _ => return Ok(Answer::Error(format!("`{name}` is not a condition without arguments"))),
        }
        // Counts on by one, with the first site as the fastest wheel.
        let mut carried = true;
        for wheel in &mut wheels {
            *wheel += 1;
            carried = *wheel == signs.len();
            if !carried {
                break;
            }
            *wheel = 0;
        }
        if carried {
            return Ok(Answer::Count(count));
        }
    }
}
