//! The cross table: what each round gave each entry.
//!
//! Invariant: it is drawn from the same tables as the ranking. Opponents stand by the number of their line in the
//! ranking, so that a reader finds them.

use rulebook::notation::trf::{self, Colour, Report};
use rulebook::{RuleSet, State};

use super::Placed;

/// The rounds of each entry, in the order of the ranking, or why there are none.
pub(super) fn rounds(rules: &RuleSet, state: &State, placed: &[Placed]) -> Result<Vec<Vec<String>>, String> {
    let report = trf::from_tables(rules, state, &Report::default())?;
    let mut line = vec![0; report.players.len()];
    for (at, entry) in placed.iter().enumerate() {
        if let Some(line) = line.get_mut(entry.row as usize) {
            *line = at + 1;
        }
    }
    let lines: std::collections::HashMap<u16, usize> =
        report.players.iter().zip(&line).map(|(player, line)| (player.number, *line)).collect();
    let count = report.players.iter().map(|player| player.rounds.len()).max().unwrap_or(0);
    let cells = |entry: &Placed| -> Vec<String> {
        let player = report.players.get(entry.row as usize);
        let cell = |round: usize| {
            let Some(cell) = player.and_then(|player| player.rounds.get(round)) else { return String::new() };
            let sign = cell.mark.map_or(' ', |mark| mark.sign());
            match cell.opponent {
                Some(opponent) => {
                    let line = lines.get(&opponent).copied().unwrap_or_default();
                    format!("{line}{}{sign}", cell.colour.map_or('-', Colour::letter))
                }
                None => sign.to_string().trim().to_owned(),
            }
        };
        (0..count).map(cell).collect()
    };
    Ok(placed.iter().map(cells).collect())
}
