//! `gtp`: a referee for a controller on standard input and output.
//!
//! Invariant: each line is answered before the next one is read, and the answer has left the program by then. What is
//! for people goes to the error stream, so that a controller never reads it. A closed pipe ends the game in peace.

use std::io::{self, BufRead as _, Read as _, Write as _};

use clap::Args;
use rulebook::notation::gtp::MAX_LINE;
use rulebook::referee::Referee;

use super::{Answer, Given};
use crate::failure::{Failure, warn};
use crate::out::Out;

/// Arguments of `gtp`.
#[derive(Args)]
pub(super) struct Arguments {
    /// A rule file, or the id of a built-in rule set.
    file: String,
    /// Play at random where the controller asks for a move, beginning from this number; without it a referee does not
    /// know the words that ask for one.
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
}

/// Runs `gtp`.
pub(super) fn run(arguments: &Arguments, given: &Given, out: &mut Out) -> Result<Answer, Failure> {
    if out.is_json() {
        return Err(Failure::new("the protocol has answers of its own, and none in JSON"));
    }
    let mut referee = Referee::new(&arguments.file, given, arguments.seed)?;
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    let unreadable = |error: io::Error| Failure::new(format!("standard input cannot be read: {error}"));
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let read = input.by_ref().take(MAX_LINE as u64).read_until(b'\n', &mut bytes).map_err(unreadable)?;
        if read == 0 {
            return Ok(Answer::Good);
        }
        if read == MAX_LINE && bytes.last() != Some(&b'\n') {
            skip_line(&mut input).map_err(unreadable)?;
        }
        let line = String::from_utf8_lossy(&bytes);
        let Some(reply) = referee.answer(&line) else { continue };
        warn(&reply.repairs);
        if let Some(remark) = &reply.remark {
            // If nobody listens to errors, there is nobody to tell.
            let _ = writeln!(io::stderr(), "{remark}");
        }
        let sent = output.write_all(reply.text.as_bytes()).and_then(|()| output.flush());
        match sent {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                return Err(Failure::new(format!("standard output cannot be written: {error}")));
            }
            Err(_) => return Ok(Answer::Good),
            Ok(()) if reply.last => return Ok(Answer::Good),
            Ok(()) => {}
        }
    }
}

/// Passes over the rest of a line that is too long.
fn skip_line(input: &mut impl io::BufRead) -> io::Result<()> {
    loop {
        let (length, ended) = {
            let bytes = input.fill_buf()?;
            match bytes.iter().position(|byte| *byte == b'\n') {
                Some(at) => (at + 1, true),
                None => (bytes.len(), bytes.is_empty()),
            }
        };
        input.consume(length);
        if ended {
            return Ok(());
        }
    }
}
