//! Project automation: the conformance runner, the comparison of engines and of modules,
//! hostile compiled files, the bench and the house rules, one module for each command.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line talks on the terminal")]

mod bench;
mod conformance;
mod coverage;
mod diff;
mod emitted;
mod explore;
mod mutate;
mod mutate_rules;
mod tidy;

use std::error::Error;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// What a command ends with: an exit code, or the reason why it could not do its work at all.
type Outcome = Result<ExitCode, Box<dyn Error>>;

#[derive(Parser)]
#[command(name = "xtask", about = "Project automation of Rulebook")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measure the machine against other programs.
    Bench(bench::Args),
    /// Run the conformance corpus.
    Conformance(conformance::Args),
    /// Count which articles have clauses and scenarios.
    Coverage(coverage::Args),
    /// Play random games on both engines and compare them.
    Diff(diff::Args),
    /// Compile the modules that rule sets become, and compare them with the machine.
    Emitted(emitted::Args),
    /// Explore rule sets, and tell dead ends and endings that contradict each other.
    Explore(explore::Args),
    /// Make mistakes in compiled files, and load and run what comes of it.
    MutateCompiled(mutate::Args),
    /// Make mistakes in rule files, and see whether a scenario notices.
    MutateRules(mutate_rules::Args),
    /// Check the house rules of the repository.
    Tidy(tidy::Args),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Bench(args) => bench::run(&args),
        Command::Conformance(args) => conformance::run(args),
        Command::Coverage(args) => coverage::run(&args),
        Command::Diff(args) => diff::run(args),
        Command::Emitted(args) => emitted::run(&args),
        Command::Explore(args) => explore::run(&args),
        Command::MutateCompiled(args) => mutate::run(&args),
        Command::MutateRules(args) => mutate_rules::run(&args),
        Command::Tidy(args) => tidy::run(args),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::FAILURE
    })
}
