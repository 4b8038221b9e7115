//! Records read with pgn-reader and replayed with shakmaty.
//!
//! Invariant: every move of every game is found among the legal ones and played; only this is timed.

use std::hint::black_box;
use std::io::Cursor;
use std::ops::ControlFlow;

use cpu_time::ThreadTime;
use pgn_reader::{Reader, SanPlus, Visitor};
use shakmaty::{Chess, Position};

/// Replays a game and counts its moves; none if one of them is not legal.
struct Replay;

impl Visitor for Replay {
    type Tags = ();
    type Movetext = (Chess, u64);
    type Output = Option<u64>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Self::Tags> {
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, (): Self::Tags) -> ControlFlow<Self::Output, Self::Movetext> {
        ControlFlow::Continue((Chess::default(), 0))
    }

    fn san(&mut self, (position, count): &mut Self::Movetext, san: SanPlus) -> ControlFlow<Self::Output> {
        let Ok(found) = san.san.to_move(position) else { return ControlFlow::Break(None) };
        position.play_unchecked(found);
        *count += 1;
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, (position, count): Self::Movetext) -> Self::Output {
        black_box(&position);
        Some(count)
    }
}

/// Reads a file of records, so many times: the moves of it, and the nanoseconds of all times together.
pub fn read(file: &str, times: u32) -> Result<(u64, u128), String> {
    let bytes = std::fs::read(file).map_err(|error| format!("{file}: {error}"))?;
    let begun = ThreadTime::now();
    let mut count = 0;
    for _ in 0..times {
        count = 0;
        let mut reader = Reader::new(Cursor::new(black_box(&bytes)));
        while let Some(game) = reader.read_game(&mut Replay).map_err(|error| error.to_string())? {
            count += game.ok_or("a move is not legal")?;
        }
    }
    Ok((count, begun.elapsed().as_nanos()))
}
