//! Compares modules that rule sets became with the machine: known counts of sequences, and random games position by
//! position; started by `cargo xtask emitted`.
//!
//! Invariant: the same seed gives the same games, and a difference ends the run with a code that is not zero.
#![expect(clippy::print_stdout, reason = "a command line talks on the terminal")]

mod example;
mod modules;

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use rulebook_compiler::{Passes, compile, plain};
use rulebook_conformance::diff::Dice;
use rulebook_conformance::select::matches;
use rulebook_machine::front::Machine;
use rulebook_machine::plain::{Plain, PlainAct, PlainPast, PlainPosition, PlainState};
use rulebook_machine::verify::verify;
use rulebook_model::RuleSet;
use rulebook_model::library::Library;
use rulebook_notation::position::read_position;

use modules::{ALL, Open};

/// What is compared.
#[derive(Parser)]
#[command(name = "rulebook-emitted")]
struct Args {
    /// The folder of the repository.
    #[arg(long)]
    root: PathBuf,
    /// Compare only the rule sets whose id matches.
    #[arg(long)]
    filter: Option<String>,
    /// Count up to two hundred million sequences in a row of the table instead of two million.
    #[arg(long)]
    slow: bool,
    /// Random games of each rule set.
    #[arg(long, default_value_t = 10)]
    games: usize,
    /// Most plies of a game.
    #[arg(long, default_value_t = 60)]
    plies: usize,
    /// The seed of the games.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A known count.
struct Row {
    line: usize,
    position: Option<String>,
    depth: u32,
    nodes: u64,
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let args = Args::parse();
    example::run()?;
    let library = Library::at(args.root.join("rules"));
    let table = fs::read_to_string(args.root.join("conformance/tables/perft/perft.tsv"))?;
    let mut failed = 0;
    for (id, open) in ALL.iter().filter(|(id, _)| args.filter.as_ref().is_none_or(|glob| matches(glob, id))) {
        let checked = library.check(id, &[]).and_then(|checked| checked.rules);
        let rules = Arc::new(checked.ok_or_else(|| format!("`{id}` cannot be used"))?);
        let machine =
            Machine::new(verify(compile(&rules, Passes::all())?.0).map_err(|error| error.to_string())?)
                .map_err(|error| error.to_string())?;
        let rows = rows(&table, id, if args.slow { 200_000_000 } else { 2_000_000 })?;
        let both = Both { rules, machine, module: open() };
        let mut found = Vec::new();
        for row in &rows {
            if let Some(what) = both.row(row) {
                found.push(format!("line {}: {what}", row.line));
            }
        }
        let mut dice = Dice::new(args.seed, id);
        let (mut positions, mut plies) = (0, 0);
        for game in 0..args.games {
            let at = if game == 0 { None } else { rows.get(dice.below(rows.len())) };
            let start = at.and_then(|row| row.position.as_deref());
            match both.game(start, args.plies, &mut dice) {
                Ok((more, acts)) => (positions, plies) = (positions + more, plies + acts),
                Err(what) => found.push(what),
            }
        }
        println!(
            "{id}: {} rows of the table, {positions} positions with {plies} plies in games, {} differences",
            rows.len(),
            found.len()
        );
        found.iter().take(3).for_each(|what| println!("  {what}"));
        failed += found.len();
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The rows of the table about a rule set that are not too long.
fn rows(table: &str, id: &str, most: u64) -> Result<Vec<Row>, Box<dyn Error>> {
    let mut rows = Vec::new();
    for (at, line) in table.lines().enumerate().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [_, fen, depth, nodes, _, rules, position, budget] = cells[..] else {
            return Err(format!("line {} of the table has other columns", at + 1).into());
        };
        let (depth, nodes) = (depth.parse()?, nodes.parse()?);
        if rules == id && nodes <= most && budget != "duplicate" {
            let position = match position {
                "" => Some(fen.to_owned()),
                "first" => None,
                text => Some(text.to_owned()),
            };
            rows.push(Row { line: at + 1, position, depth, nodes });
        }
    }
    Ok(rows)
}

/// A rule set as a module and on the machine.
struct Both {
    rules: Arc<RuleSet>,
    machine: Machine,
    module: Box<dyn Open>,
}

impl Both {
    /// A position of the rule set, as the machine knows it.
    fn position(&self, text: Option<&str>) -> Result<PlainPosition, String> {
        let Some(text) = text else { return Ok(self.machine.first().state().position) };
        let state = read_position(&self.rules, text).map_err(|error| error.message)?;
        Ok(PlainPosition {
            cells: state.cells.iter().map(|cell| cell.kind().zip(cell.owner())).collect(),
            mover: state.mover,
            vars: state.vars.iter().map(plain).collect(),
            played: state.played,
        })
    }

    fn row(&self, row: &Row) -> Option<String> {
        let counted = self.position(row.position.as_deref()).and_then(|position| {
            let opened = self.module.open(&position).and_then(|opened| opened.perft(row.depth));
            opened.map_err(|fault| fault.to_string())
        });
        (counted != Ok(row.nodes)).then(|| format!("{} are known, and there are {counted:?}", row.nodes))
    }

    /// Plays a random game; how many positions and plies were alike, or the first difference.
    fn game(&self, start: Option<&str>, most: usize, dice: &mut Dice) -> Result<(usize, usize), String> {
        let fault = |fault: rulebook_machine::engine::Fault| fault.to_string();
        let mut position = self.position(start)?;
        let mut face = match start {
            None => self.module.first().map_err(fault)?,
            Some(_) => self.module.open(&position).map_err(fault)?,
        };
        let (mut positions, mut plies) = (0, 0);
        for _ in 0..most {
            if face.plain() != position {
                return Err(format!("a position: {:?} and {position:?}", face.plain()));
            }
            let again = self.module.open(&position).map_err(fault)?;
            if again.key() != face.key() {
                return Err(format!("the key of {position:?}"));
            }
            let past = vec![PlainPast { position: position.clone(), ..PlainPast::default() }];
            let state = PlainState { position: position.clone(), past, ..PlainState::default() };
            let mut game = self.machine.open(&state).map_err(fault)?;
            let depth = if positions % 8 == 0 { 2 } else { 1 };
            let counts = (face.perft(depth), face.perft_making(depth), game.perft(depth));
            if counts.0 != counts.1 || counts.0 != counts.2 {
                return Err(format!("how many sequences: {counts:?} of {position:?}"));
            }
            let (legal, _) = game.plies().map_err(fault)?;
            let mut theirs: Vec<String> = legal.iter().map(|ply| said(&ply.act, &ply.next)).collect();
            let mut found = face.plies().map_err(fault)?;
            let mut ours: Vec<String> = found.iter().map(|(act, next, _)| said(act, next)).collect();
            theirs.sort();
            ours.sort();
            if ours != theirs {
                let only = |these: &[String], those: &[String]| -> Vec<String> {
                    these.iter().filter(|text| !those.contains(text)).take(1).cloned().collect()
                };
                return Err(format!(
                    "a legal ply of {position:?}\n    only the module: {:?}\n    only the machine: {:?}",
                    only(&ours, &theirs),
                    only(&theirs, &ours)
                ));
            }
            positions += 1;
            plies += found.len();
            if found.is_empty() || counts.0 == Ok(0) {
                break;
            }
            (_, position, face) = found.swap_remove(dice.below(found.len()));
        }
        Ok((positions, plies))
    }
}

/// A ply as what can be compared: marks are left out.
fn said(act: &PlainAct, next: &PlainPosition) -> String {
    let chosen: Vec<Option<&Plain>> = act
        .choices
        .iter()
        .map(|choice| act.bound.iter().find(|(known, _)| known == choice).map(|(_, value)| value))
        .collect();
    let PlainAct { name, actor, from, to, piece, taken, .. } = act;
    format!("{name} {actor} {from:?} {to:?} {piece:?} {taken:?} {chosen:?}: {next:?}")
}
