//! Counts sequences of moves with shakmaty: `peer-shakmaty VARIANT FEN DEPTH bulk|making TIMES`; or reads records
//! and replays them: `peer-shakmaty pgn FILE TIMES`.
//!
//! Prints the count and the nanoseconds on the processor for all times together. Invariant: only the counting is
//! timed, on the concrete type of the variant, and nothing is kept from one count to the next.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line talks on the terminal")]

use std::hint::black_box;
use std::process::ExitCode;

mod records;

use cpu_time::ThreadTime;
use shakmaty::fen::Fen;
use shakmaty::variant::{Antichess, Atomic, Crazyhouse, Horde, RacingKings};
use shakmaty::{CastlingMode, Chess, FromSetup, Position, perft};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match answer(&arguments) {
        Ok((count, nanoseconds)) => {
            println!("{count} {nanoseconds}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn answer(arguments: &[String]) -> Result<(u64, u128), String> {
    if let [mode, file, times] = arguments
        && mode == "pgn"
    {
        let times = times.parse().map_err(|error| format!("`{times}`: {error}"))?;
        return records::read(file, times);
    }
    let [variant, fen, depth, mode, times] = arguments else {
        return Err("usage: peer-shakmaty VARIANT FEN DEPTH bulk|making TIMES".into());
    };
    let fen: Fen = fen.parse().map_err(|error| format!("{error}"))?;
    let number = |text: &str| text.parse::<u32>().map_err(|error| format!("`{text}`: {error}"));
    let (depth, times) = (number(depth)?, number(times)?);
    let making = match mode.as_str() {
        "bulk" => false,
        "making" => true,
        _ => return Err(format!("no mode `{mode}`")),
    };
    match variant.as_str() {
        "chess" => run::<Chess>(fen, depth, making, times),
        "crazyhouse" => run::<Crazyhouse>(fen, depth, making, times),
        "atomic" => run::<Atomic>(fen, depth, making, times),
        "antichess" => run::<Antichess>(fen, depth, making, times),
        "racingkings" => run::<RacingKings>(fen, depth, making, times),
        "horde" => run::<Horde>(fen, depth, making, times),
        _ => Err(format!("no variant `{variant}`")),
    }
}

fn run<P: Position + FromSetup + Clone>(
    fen: Fen,
    depth: u32,
    making: bool,
    times: u32,
) -> Result<(u64, u128), String> {
    let start: P = fen.into_position(CastlingMode::Standard).map_err(|error| format!("{error}"))?;
    let begun = ThreadTime::now();
    let mut count = 0;
    for _ in 0..times {
        count = if making { made(black_box(&start), depth) } else { perft(black_box(&start), depth) };
    }
    Ok((count, begun.elapsed().as_nanos()))
}

/// Like `perft` of shakmaty, every position being made that is counted.
fn made<P: Position + Clone>(position: &P, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut count = 0;
    for &one in &position.legal_moves() {
        let mut child = position.clone();
        child.play_unchecked(one);
        count += made(&child, depth - 1);
    }
    count
}
