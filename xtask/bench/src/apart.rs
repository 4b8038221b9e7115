//! The peers that are programs of their own.
//!
//! Invariant: a peer that is missing or fails is an error with its name, never a number; the time is the peer's own
//! on the processor, without the start of its program.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use crate::plan::Mode;

/// Counts by the program for shakmaty, which says count and nanoseconds.
pub(crate) fn shakmaty(
    program: &Path,
    variant: &str,
    fen: &str,
    mode: Mode,
    depth: u32,
    times: u32,
) -> Result<(u64, Duration), String> {
    let mode = if mode == Mode::Bulk { "bulk" } else { "making" };
    numbers(Command::new(program).args([variant, fen, &depth.to_string(), mode, &times.to_string()]))
}

/// What a program says that prints a count and nanoseconds.
pub(crate) fn numbers(command: &mut Command) -> Result<(u64, Duration), String> {
    let output = command.output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let mut numbers = text.split_whitespace().map(str::parse::<u64>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(count)), Some(Ok(nanoseconds))) => Ok((count, Duration::from_nanos(nanoseconds))),
        _ => Err(format!("it answers `{}`", text.trim())),
    }
}

/// Where Debian puts games, which is not always on the path.
const FAIRY: &[&str] = &["fairy-stockfish", "/usr/games/fairy-stockfish"];

/// A running Fairy-Stockfish.
pub(crate) struct Fairy {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// What it calls itself.
    pub(crate) name: String,
    variants: Vec<String>,
}

impl Fairy {
    /// Starts it.
    pub(crate) fn start() -> Result<Self, String> {
        let started = FAIRY.iter().find_map(|program| {
            Command::new(program)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .ok()
        });
        let mut child = started.ok_or("fairy-stockfish is not installed")?;
        let input = child.stdin.take().ok_or("fairy-stockfish has no input")?;
        let output = BufReader::new(child.stdout.take().ok_or("fairy-stockfish has no output")?);
        let mut fairy = Self { child, input, output, name: "fairy-stockfish".into(), variants: Vec::new() };
        fairy.say("uci")?;
        let lines = fairy.until(|line| line == "uciok")?;
        for line in &lines {
            if let Some(name) = line.strip_prefix("id name ") {
                name.clone_into(&mut fairy.name);
            } else if line.starts_with("option name UCI_Variant ") {
                fairy.variants = line.split(" var ").skip(1).map(|name| name.trim().to_owned()).collect();
            }
        }
        fairy.say("setoption name Threads value 1")?;
        Ok(fairy)
    }

    /// Counts in a position, so many times.
    pub(crate) fn count(
        &mut self,
        variant: &str,
        fen: &str,
        depth: u32,
        times: u32,
    ) -> Result<(u64, Duration), String> {
        if !self.variants.iter().any(|known| known == variant) {
            return Err(format!("this fairy-stockfish does not know `{variant}`"));
        }
        self.say(&format!("setoption name UCI_Variant value {variant}"))?;
        self.say(&format!("position fen {fen}"))?;
        self.say("isready")?;
        self.until(|line| line == "readyok")?;
        let (begun, before) = (Instant::now(), self.on_processor());
        let mut count = 0;
        for _ in 0..times {
            self.say(&format!("go perft {depth}"))?;
            let lines = self.until(|line| line.starts_with("Nodes searched"))?;
            let last = lines.last().and_then(|line| line.rsplit(' ').next());
            count = last.and_then(|number| number.parse().ok()).ok_or("fairy-stockfish gives no count")?;
        }
        let wall = begun.elapsed();
        let time = match (before, self.on_processor()) {
            (Some(before), Some(after)) => after.saturating_sub(before),
            _ => wall,
        };
        Ok((count, time))
    }

    fn say(&mut self, line: &str) -> Result<(), String> {
        writeln!(self.input, "{line}").and_then(|()| self.input.flush()).map_err(|error| error.to_string())
    }

    fn until(&mut self, last: impl Fn(&str) -> bool) -> Result<Vec<String>, String> {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            let read = self.output.read_line(&mut line).map_err(|error| error.to_string())?;
            if read == 0 {
                return Err("fairy-stockfish has stopped".into());
            }
            let line = line.trim().to_owned();
            let done = last(&line);
            lines.push(line);
            if done {
                return Ok(lines);
            }
        }
    }

    /// The time of all its threads on the processor; none where the system does not say.
    fn on_processor(&self) -> Option<Duration> {
        let mut whole = Duration::ZERO;
        for thread in fs::read_dir(format!("/proc/{}/task", self.child.id())).ok()? {
            let text = fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
            whole += Duration::from_nanos(text.split_whitespace().next()?.parse().ok()?);
        }
        Some(whole)
    }
}

impl Drop for Fairy {
    fn drop(&mut self) {
        let stopped = self.say("quit").and_then(|()| self.child.wait().map_err(|error| error.to_string()));
        if stopped.is_err() {
            // It is gone already, or the system takes it with us.
            drop(self.child.kill());
        }
    }
}
