//! `cargo xtask emitted`: builds modules that rule sets become, and compares them with the machine.
//!
//! The modules stand in a workspace of their own, for they are long to build; here it is only built and started.
//! Invariant: what is compiled was written by the build script of that workspace in the same run, by nobody's hand.

use std::env;
use std::path::Path;
use std::process::{Command, ExitCode};

use crate::Outcome;

/// What is compared.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Compare only the rule sets whose id matches this pattern.
    #[arg(long, value_name = "GLOB")]
    filter: Option<String>,
    /// Count up to two hundred million sequences in a row of the table instead of two million.
    #[arg(long)]
    slow: bool,
    /// Random games of each rule set.
    #[arg(long, default_value_t = 10)]
    games: usize,
}

/// Builds and compares.
pub(crate) fn run(args: &Args) -> Outcome {
    let manifest = env::var_os("CARGO_MANIFEST_DIR").ok_or("run this as `cargo xtask emitted`")?;
    let here = Path::new(&manifest);
    let root = here.parent().ok_or("the workspace has no root folder")?;
    let folder = here.join("emitted");
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["run", "--quiet", "--manifest-path"]).arg(folder.join("Cargo.toml"));
    command.arg("--target-dir").arg(folder.join("target"));
    command.arg("--").arg("--root").arg(root).args(["--games", &args.games.to_string()]);
    if let Some(pattern) = &args.filter {
        command.args(["--filter", pattern]);
    }
    if args.slow {
        command.arg("--slow");
    }
    let status = command.status().map_err(|error| format!("cargo cannot be started: {error}"))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
