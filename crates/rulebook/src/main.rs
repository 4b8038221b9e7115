//! The command line: reads the arguments, lets a command answer, and turns the answer into an exit code.
//!
//! Invariant: 0 is good, 1 is that the rules say no, 2 is input that cannot be used. This binary is the
//! only place of the project that prints; what it prints comes from the library.

mod command;
mod describe;
mod failure;
mod json;
mod out;
mod render;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    let cli = match command::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    let mut out = out::Out::new(cli.json);
    let code = match command::run(&cli, &mut out) {
        Ok(answer) => answer.code(),
        Err(failure) => {
            failure.report(&mut out);
            2
        }
    };
    // A closed pipe is no failure; a full disk is one.
    if out.finish().is_err() { ExitCode::from(2) } else { ExitCode::from(code) }
}

/// What the argument parser says: help and versions are answers, everything else is bad input.
fn refuse(error: &clap::Error) -> ExitCode {
    let json = std::env::args_os().any(|argument| argument == "--json");
    if error.use_stderr() && json {
        let mut out = out::Out::new(true);
        let text = error.render().to_string();
        failure::Failure::new(text.trim().trim_start_matches("error: ")).report(&mut out);
        // There is nobody left to tell about a failing output.
        let _ = out.finish();
        return ExitCode::from(2);
    }
    // As above: clap writes to a stream that may be closed.
    let _ = error.print();
    ExitCode::from(if error.use_stderr() { 2 } else { 0 })
}
