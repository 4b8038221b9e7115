//! Numbers of sequences of acts: one row for each position and depth.
//!
//! A row names its rule set and its budget itself; a row without a rule set waits.

use super::Table;
use crate::case::{Tier, Wanted};
use crate::driver::Question;

/// The columns, by name.
const COLUMNS: [&str; 8] = ["variant", "fen", "depth", "nodes", "source", "rules", "position", "budget"];

/// Depths of a run that an engine without tables can answer.
const ALWAYS: &str = "reference";
/// Rows for an engine with tables.
const MACHINE: &str = "machine";
/// Rows that take long on any engine.
const FAST: &str = "fast engine";
/// Rows that say again what an earlier one says.
const AGAIN: &str = "duplicate";

pub(super) fn read(table: &mut Table<'_>, text: &str) {
    let mut rows = super::lines(text);
    let Some((_, head)) = rows.next() else { return table.problem(1, "the table is empty") };
    if head.split('\t').ne(COLUMNS) {
        return table.problem(1, format!("the columns are {}", COLUMNS.join(", ")));
    }
    for (line, row) in rows {
        let cells: Vec<&str> = row.split('\t').collect();
        let Ok([variant, fen, depth, nodes, _, rules, position, budget]) = <[&str; 8]>::try_from(cells)
        else {
            table.problem(line, format!("a row has {} columns", COLUMNS.len()));
            continue;
        };
        let (Ok(depth), Ok(nodes)) = (depth.parse::<u32>(), nodes.parse::<u64>()) else {
            table.problem(line, "depth and nodes are numbers");
            continue;
        };
        if budget == AGAIN {
            continue;
        }
        let mut case = table.case(&line.to_string(), line, format!("{variant} to depth {depth}: {fen}"));
        case.rules = rules.to_owned();
        case.script.position = match position {
            "" => Some(fen.to_owned()),
            "first" => None,
            text => Some(text.to_owned()),
        };
        case.tier = match budget {
            _ if rules.is_empty() => Tier::Waiting("no rule set says how this variant is played".into()),
            ALWAYS => Tier::WhenEncoded,
            MACHINE => Tier::Fast,
            FAST if nodes > table.declared.limits.slow => {
                Tier::Waiting("too many to be counted by a slow engine".into())
            }
            FAST => Tier::Slow,
            _ => {
                table.problem(line, format!("the budget is `{ALWAYS}`, `{MACHINE}`, `{FAST}` or `{AGAIN}`"));
                continue;
            }
        };
        case.cost = nodes.max(1);
        case.ask(line, Question::Perft(depth), Wanted::Count(nodes));
        table.push(case);
    }
}
