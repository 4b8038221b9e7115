//! Random games: what the machine and its peers play in a time.
//!
//! Invariant: both sides choose among all legal plies, each as likely as any other, and stop after as many
//! plies at the latest. What is compared are plies in a second.

use std::time::Duration;

use crate::board::Board;
use crate::measure::timed;

/// What is played.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Random {
    /// The name of the row.
    pub(crate) name: &'static str,
    /// Our rule set.
    pub(crate) rules: &'static str,
    /// Its parameters.
    pub(crate) params: &'static [(&'static str, &'static str)],
    /// Against whom.
    pub(crate) peer: Player,
    /// Games of a sample.
    pub(crate) games: u64,
    /// Most plies of a game.
    pub(crate) most: u32,
    /// The least ratio.
    pub(crate) bar: f64,
}

/// The other side.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Player {
    /// The peer of the chess rows.
    Cozy,
    /// The board of this crate, of a size.
    Board(usize),
}

impl Player {
    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Cozy => "cozy-chess",
            Self::Board(_) => "board by hand",
        }
    }

    /// Plays games: the plies, and how long they took.
    pub(crate) fn play(self, random: &Random) -> Result<(u64, Duration), String> {
        match self {
            Self::Cozy => cozy(random),
            Self::Board(size) => {
                let begun = Board::empty(size);
                Ok(timed(|| {
                    let games = 0..random.games;
                    games.map(|seed| u64::from(begun.clone().playout(seed, random.most))).sum()
                }))
            }
        }
    }
}

#[cfg(feature = "cozy")]
fn cozy(random: &Random) -> Result<(u64, Duration), String> {
    Ok(timed(|| (0..random.games).map(|seed| u64::from(crate::cozy::playout(seed, random.most))).sum()))
}

#[cfg(not(feature = "cozy"))]
fn cozy(_: &Random) -> Result<(u64, Duration), String> {
    Err("cozy-chess could not be built".into())
}

/// Every row.
pub(crate) const RANDOM: &[Random] = &[
    Random {
        name: "chess random games",
        rules: "chess/board",
        params: &[],
        peer: Player::Cozy,
        games: 3000,
        most: 1000,
        bar: 1.0,
    },
    Random {
        name: "go 9x9 random games",
        rules: "go/board",
        params: &[("size", "9")],
        peer: Player::Board(9),
        games: 8000,
        most: 250,
        bar: 0.6,
    },
    Random {
        name: "go 19x19 random games",
        rules: "go/board",
        params: &[("size", "19")],
        peer: Player::Board(19),
        games: 2000,
        most: 1000,
        bar: 0.6,
    },
];
