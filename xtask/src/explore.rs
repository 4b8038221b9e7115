//! `cargo xtask explore`: the rule sets of `conformance/exploration/profiles.tsv`, explored for long.
//!
//! The exit code is 1 if a dead end, two endings at once or a fault is found. What is never seen is told and is no
//! failure, for with few states much is not seen.

use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

use rayon::prelude::*;
use rulebook::explored::{self, Limits, Report};
use rulebook_conformance::select::matches;
use rulebook_model::library::Library;

use crate::Outcome;

/// The list, below the root.
const LIST: &str = "conformance/exploration/profiles.tsv";

/// Which rule sets, and how much of them.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How many states to look at in each rule set.
    #[arg(long, default_value_t = 20_000)]
    states: usize,
    /// The longest line; that of the list if not said.
    #[arg(long)]
    depth: Option<usize>,
    /// What random choices start from.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only rule sets whose id matches this pattern.
    #[arg(long, value_name = "GLOB")]
    rules: Option<String>,
    /// Name what was never seen, too.
    #[arg(long)]
    all: bool,
}

/// Explores.
pub(crate) fn run(args: &Args) -> Outcome {
    let manifest = env::var_os("CARGO_MANIFEST_DIR").ok_or("run this as `cargo xtask explore`")?;
    let root = Path::new(&manifest).parent().ok_or("the workspace has no root folder")?;
    let mut profiles = explored::profiles(&fs::read_to_string(root.join(LIST))?)
        .map_err(|error| format!("{LIST}: {error}"))?;
    profiles.retain(|profile| args.rules.as_ref().is_none_or(|pattern| matches(pattern, &profile.rules)));
    let library = Library::at(root.join("rules"));
    let reports: Vec<Result<Report, String>> = profiles
        .par_iter()
        .map(|profile| {
            let (engine, starts) = profile.open(&library)?;
            let depth = args.depth.unwrap_or(profile.limits.depth);
            Ok(explored::explore(&engine, &starts, Limits { states: args.states, depth, seed: args.seed }))
        })
        .collect();
    let mut grave = 0;
    for (profile, report) in profiles.iter().zip(reports) {
        let report = report.map_err(|error| format!("{LIST}: {error}"))?;
        let never = report.findings.iter().filter(|finding| !finding.is_grave()).count();
        let found = report.findings.len() - never;
        grave += found;
        println!(
            "{}: {} states, {} ended, {} tried, lines of up to {}: {found} found, {never} never seen",
            profile.rules,
            report.explored.states,
            report.explored.ended,
            report.explored.tried,
            report.explored.depth
        );
        for finding in report.findings.iter().filter(|finding| args.all || finding.is_grave()) {
            let diagnostic = &finding.diagnostic;
            println!("  {}: {}", diagnostic.code, diagnostic.message);
            if finding.is_grave() {
                println!("    {}", finding.line.join("; "));
            }
        }
    }
    println!("{grave} found in {} rule sets", profiles.len());
    Ok(if grave == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
