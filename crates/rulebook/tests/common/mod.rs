//! Runs the program in the folder of the tests' data, as a person would.
#![expect(clippy::expect_used, reason = "a test may fail loudly")]

use std::process::{Command, Output};

/// What a run gave.
pub(crate) struct Run {
    /// The exit code; none after a signal.
    pub(crate) code: Option<i32>,
    /// Standard output.
    pub(crate) out: String,
    /// The error stream.
    pub(crate) err: String,
}

/// The program with arguments, ready to run.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rulebook"));
    command.args(arguments).current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data"));
    command
}

/// Runs the program.
pub(crate) fn run(arguments: &[&str]) -> Run {
    let Output { status, stdout, stderr } = command(arguments).output().expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("answers are text");
    Run { code: status.code(), out: text(stdout), err: text(stderr) }
}
