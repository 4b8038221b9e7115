//! Counts of everything there is: all ways to fill a board, all plies from one to another.
//!
//! Plain enumerations that are only fit for small boards; who asks decides how small.

use std::collections::HashSet;

use rulebook_model::Value;
use rulebook_model::ruleset::Cell;
use rulebook_notation::Judge;
use rulebook_reference::{Outcomes, State};

use crate::driver::Answer;

/// The number of ways to fill the board, each site with any piece or none, for which a definition holds.
pub(crate) fn fillings(engine: &dyn Judge, state: &State, name: &str) -> Outcomes<Answer> {
    let mut count = 0;
    let fault = each(engine, state, name, &mut |_| {
        count += 1;
        Ok(())
    })?;
    Ok(fault.unwrap_or(Answer::Count(count)))
}

/// The number of pairs of such ways of which one follows from another by a ply of either player that changes
/// what stands where.
pub(crate) fn steps(engine: &dyn Judge, state: &State, name: &str) -> Outcomes<Answer> {
    let mut count = 0;
    let players = engine.rules().players.len() as u8;
    let fault = each(engine, state, name, &mut |filled| {
        let mut after: HashSet<Vec<Cell>> = HashSet::new();
        for mover in 0..players {
            let mut filled = State { mover, ..filled.clone() };
            filled.restart();
            after.extend(engine.plies(&filled)?.legal.into_iter().map(|ply| ply.next.cells));
        }
        after.remove(&filled.cells);
        count += after.len() as u64;
        Ok(())
    })?;
    Ok(fault.unwrap_or(Answer::Count(count)))
}

/// Calls a function for each way to fill the board for which a definition holds; an answer instead, if the
/// definition is no condition.
fn each(
    engine: &dyn Judge,
    state: &State,
    name: &str,
    found: &mut dyn FnMut(&State) -> Outcomes<()>,
) -> Outcomes<Option<Answer>> {
    let rules = engine.rules();
    let mut signs = vec![Cell::EMPTY];
    for kind in 0..rules.kinds.len() as u8 {
        signs.extend((0..rules.players.len() as u8).map(|player| Cell::piece(kind, player)));
    }
    let mut state = state.clone();
    let mut wheels = vec![0_usize; state.cells.len()];
    loop {
        for (cell, wheel) in state.cells.iter_mut().zip(&wheels) {
            *cell = signs.get(*wheel).copied().unwrap_or_default();
        }
        state.restart();
        match engine.define(&state, name, Vec::new())? {
            Some(Value::Truth(true)) => found(&state)?,
            Some(Value::Truth(false)) => {}
            _ => return Ok(Some(Answer::Error(format!("`{name}` is not a condition without arguments")))),
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
            return Ok(None);
        }
    }
}
