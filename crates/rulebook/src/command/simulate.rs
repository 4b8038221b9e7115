//! `simulate`: a tournament by lot, paired by a rule set, as a report.

use std::path::PathBuf;

use clap::Args;
use rulebook::notation::trf;
use rulebook::pairing::Failure as Unpaired;
use rulebook::simulated::{SimulationError, Wishes, simulate};
use serde::Serialize;

use super::{Answer, Given, engine};
use crate::failure::Failure;
use crate::out::Out;

/// Arguments of `simulate`.
#[derive(Args)]
pub(super) struct Arguments {
    /// A rule file, or the id of a built-in rule set, with clauses about pairings.
    file: String,
    /// How many entries there are.
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    players: u16,
    /// How many rounds there are.
    #[arg(long, value_name = "NUMBER", default_value_t = 9)]
    rounds: u16,
    /// What the lots come from: the same number gives the same tournament.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// How many of a hundred games of equals are drawn.
    #[arg(long, value_name = "PERCENT", default_value_t = 30, value_parser = clap::value_parser!(u8).range(0..=100))]
    draws: u8,
    /// How many of a hundred games are not played because somebody does not come.
    #[arg(long, value_name = "PERCENT", default_value_t = 2, value_parser = clap::value_parser!(u8).range(0..=100))]
    forfeits: u8,
    /// How many of a hundred entries ask for a bye in a round, once each at most.
    #[arg(long, value_name = "PERCENT", default_value_t = 2, value_parser = clap::value_parser!(u8).range(0..=100))]
    byes: u8,
    /// How many of a hundred entries leave before a round.
    #[arg(long, value_name = "PERCENT", default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=100))]
    withdrawals: u8,
    /// How many of a hundred entries come after the first round.
    #[arg(long, value_name = "PERCENT", default_value_t = 2, value_parser = clap::value_parser!(u8).range(0..=100))]
    late: u8,
    /// Write the report to a file instead of standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// The JSON answer of `simulate`.
#[derive(Serialize)]
struct Answered {
    /// The id of the rule set.
    rules: String,
    /// The number of entries.
    players: u16,
    /// The number of rounds.
    rounds: u16,
    /// The seed.
    seed: u64,
    /// Games that were played.
    games: usize,
    /// Games that were not played.
    forfeits: usize,
    /// Byes of all kinds, and rounds of those who were away.
    byes: usize,
    /// The file that was written.
    file: Option<String>,
    /// The report, where no file was written.
    report: Option<String>,
}

/// Runs `simulate`.
pub(super) fn run(arguments: &Arguments, given: &Given, out: &mut Out) -> Result<Answer, Failure> {
    let mut rules = engine(&arguments.file, given)?.rules().clone();
    // The number of rounds is that of the tournament, wherever the rule set wants to know it.
    let rounds =
        rules.notation.trf.as_ref().and_then(|trf| trf.terms.iter().find(|(what, _)| what == "rounds"));
    if let Some((_, name)) = rounds
        && given.iter().all(|(known, _)| known != name)
    {
        let rounds = (name.clone(), arguments.rounds.to_string());
        let given: Vec<(String, String)> = given.iter().cloned().chain([rounds]).collect();
        rules = engine(&arguments.file, &given)?.rules().clone();
    }
    let wishes = Wishes {
        entries: arguments.players,
        rounds: arguments.rounds,
        seed: arguments.seed,
        draws: arguments.draws,
        forfeits: arguments.forfeits,
        byes: arguments.byes,
        withdrawals: arguments.withdrawals,
        late: arguments.late,
    };
    let made = simulate(&rules, &wishes).map_err(|error| {
        let failure = Failure::new(error.to_string());
        match error {
            SimulationError::Round { reason: Unpaired::NoPairing, .. } => {
                failure.help("give a rule set with a section `pairing`, such as `tournament/dutch-2026`")
            }
            SimulationError::Round { reason: Unpaired::Impossible { .. }, .. } => {
                failure.help("fewer rounds, more entries, or another seed may help")
            }
            _ => failure,
        }
    })?;
    let text = trf::write(&made.report);
    let mut file = None;
    if let Some(path) = &arguments.out {
        std::fs::write(path, &text)
            .map_err(|error| Failure::new(format!("`{}` cannot be written: {error}", path.display())))?;
        file = Some(path.display().to_string());
    }
    if out.is_json() {
        let report = if file.is_none() { Some(text) } else { None };
        out.document(&Answered {
            rules: rules.id.clone(),
            players: arguments.players,
            rounds: arguments.rounds,
            seed: arguments.seed,
            games: made.games,
            forfeits: made.forfeits,
            byes: made.byes,
            file,
            report,
        });
    } else if let Some(file) = file {
        let (games, forfeits, byes) = (made.games, made.forfeits, made.byes);
        out.line(format!("{games} games, {forfeits} forfeits and {byes} byes written to {file}"));
    } else {
        text.lines().for_each(|line| out.line(line.trim_end_matches('\r')));
    }
    Ok(Answer::Good)
}
