//! The peer in this process, in the way its own example counts.
//!
//! Invariant: the same position and the same way of counting as ours; nothing is kept from one count to the next.

use std::time::Duration;

use cozy_chess::{Board, PieceMoves};

use crate::board::Dice;
use crate::measure::timed;
use crate::plan::Mode;

/// Counts in a position, so many times.
pub(crate) fn count(fen: &str, mode: Mode, depth: u32, times: u32) -> Result<(u64, Duration), String> {
    let board = Board::from_fen(fen, false).map_err(|error| error.to_string())?;
    Ok(timed(|| {
        let mut count = 0;
        for _ in 0..times {
            count = match mode {
                Mode::Bulk => bulk(std::hint::black_box(&board), depth),
                Mode::Making => making(std::hint::black_box(&board), depth),
            };
        }
        count
    }))
}

fn bulk(board: &Board, depth: u32) -> u64 {
    let mut nodes = 0;
    if depth == 0 {
        return 1;
    }
    board.generate_moves(|moves| {
        if depth == 1 {
            nodes += moves.len() as u64;
        } else {
            for one in moves {
                let mut board = board.clone();
                board.play_unchecked(one);
                nodes += bulk(&board, depth - 1);
            }
        }
        false
    });
    nodes
}

fn making(board: &Board, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut nodes = 0;
    board.generate_moves(|moves| {
        for one in moves {
            let mut board = board.clone();
            board.play_unchecked(one);
            nodes += making(&board, depth - 1);
        }
        false
    });
    nodes
}

/// Plays at random until no move is left or so many have been played; the number of moves. The move is picked
/// from the sets that the generator hands out, without a list of moves.
pub(crate) fn playout(seed: u64, most: u32) -> u32 {
    let mut dice = Dice(seed);
    let mut board = Board::default();
    let mut sets: Vec<PieceMoves> = Vec::with_capacity(32);
    for plies in 0..most {
        sets.clear();
        let mut count = 0;
        board.generate_moves(|moves| {
            count += moves.len() as u32;
            sets.push(moves);
            false
        });
        if count == 0 {
            return plies;
        }
        let mut left = dice.below(count) as usize;
        for moves in &sets {
            if left < moves.len() {
                if let Some(one) = moves.into_iter().nth(left) {
                    board.play_unchecked(one);
                }
                break;
            }
            left -= moves.len();
        }
    }
    most
}
