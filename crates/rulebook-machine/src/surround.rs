//! Games of placing pieces that take what they enclose, run on connected groups that are kept from ply to ply.
//!
//! Law: where a program has such a part, every ply of it is a placement on an empty site or one that leaves
//! the board alone, and legality, positions and repetition are those of its clauses. Groups count their open
//! sides: pairs of one of their pieces and an empty site that it touches. A group without any has no empty
//! neighbour, and that is all the clauses ask. Boards are looked up by a hash, and a hit is compared in full.

mod groups;
mod play;
mod seen;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::act::{Act, State};
use crate::endings::{Followed, MAX_DEPTH};
use crate::engine::{Outcomes, WORK, Work};
use crate::lane::Op;
use crate::position::{Layout, Position, Row};
use crate::program::{Program, Site, Type};
use crate::random::Playout;
use crate::set::Set;
use crate::value::Val;

use play::Play;

/// What was recognised.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Surround {
    /// The clause that grants placements.
    pub clause: u16,
    /// Their act.
    pub act: u16,
    /// The name that binds the site.
    pub binding: u16,
    /// The clause by which groups of the other player without an empty neighbour are taken.
    pub takes: u16,
    /// What becomes of the own group that has none then.
    pub own: Own,
    /// Which boards may not come again.
    pub past: Past,
    /// What a placement does to numbers.
    pub steps: Vec<Op>,
    /// Plies that leave the board alone.
    pub others: Vec<Other>,
    /// When sequences are not counted on.
    pub ends: Vec<End>,
}

/// What becomes of a group of the mover's without an empty neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Own {
    /// It stays.
    Stays,
    /// The placement is forbidden by a clause.
    Forbidden(u16),
    /// A clause takes it off; where it is a single piece, another one may forbid the placement.
    Removed(u16, Option<u16>),
}

/// Which boards a placement may not bring back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Past {
    /// None.
    Free,
    /// Any recorded one; the clause.
    Board(u16),
    /// Any that was recorded with the same player to move.
    Turn(u16),
    /// The one before the latest ply, if that was a placement.
    Latest(u16),
    /// Those recorded no more plies ago than the number variable at a slot says, and some more.
    Window(u16, u16, u16),
}

/// A ply that leaves the board alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Other {
    /// The clause that grants it.
    pub clause: u16,
    /// Its act.
    pub act: u16,
    /// What it does to numbers.
    pub steps: Vec<Op>,
}

/// An ending: the number variable at a slot has come to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// The clause.
    pub clause: u16,
    /// The slot.
    pub slot: u16,
    /// The least value that ends the game.
    pub least: i64,
}

/// Numbers beyond this are left to the general engine, which knows what to do when one leaves its range.
const MAX_NUMBER: i64 = 1 << 40;

/// A game as it stands when something is asked: no layout, only words.
struct Start {
    /// Words of the sites of the one player, then of the other.
    board: Vec<u64>,
    mover: u8,
    nums: Vec<i64>,
    /// The act of the latest ply.
    last: Option<u16>,
    /// The recorded boards with who had the turn, as far as anything asks for them.
    past: Vec<(Vec<u64>, u8)>,
}

/// What a game has come to.
struct Stand {
    board: Vec<u64>,
    nums: Vec<i64>,
    mover: u8,
}

/// A game on a board of some size.
trait Plays: Send + Sync + std::fmt::Debug {
    /// Counts sequences of plies; nothing, if that takes more work than is allowed.
    fn perft(&self, start: &Start, depth: u32, bulk: bool, fuel: u64) -> Option<u64>;
    /// Counts the games that can be played to an end; nothing, if that takes more work than is allowed.
    fn games(&self, start: &Start, fuel: u64) -> Option<u64>;
    /// Plays at random, each legal ply being as likely as any other.
    fn playout(&self, start: &Start, seed: u64, most: u32) -> Playout;
    /// All legal plies, by their site or else their place among the plies that leave the board alone.
    fn plies(&self, start: &Start) -> Vec<(Result<Site, usize>, Stand)>;
}

/// The recognised part of a program made ready.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    form: Surround,
    /// Words of a set of sites.
    words: usize,
    game: Arc<dyn Plays>,
}

impl Field {
    pub(crate) fn of(program: &Program) -> Option<Self> {
        let form = program.surround.clone()?;
        let board = &program.board;
        // One place more than there are sites, for what is beyond the board.
        let game: Arc<dyn Plays> = match (board.len(), board.adjacent.len()) {
            (0..64, 0..=4) => Arc::new(Play::<64, 4>::of(&form, board)),
            (0..512, 0..=4) => Arc::new(Play::<512, 4>::of(&form, board)),
            (0..1024, 0..=8) => Arc::new(Play::<1024, 8>::of(&form, board)),
            _ => return None,
        };
        Some(Self { form, words: board.len().div_ceil(64), game })
    }

    /// Whether a position is one that the fast path may start from: all numbers are small and whole.
    pub(crate) fn fits<L: Layout>(program: &Program, position: &Position<L>) -> bool {
        program.vars.iter().filter(|var| var.ty == Type::Number).all(|var| {
            (0..var.count).all(|at| {
                let packed = position.nums.get(usize::from(var.slot + at));
                packed & 0xffff == 1 && (packed >> 16).abs() < MAX_NUMBER
            })
        })
    }

    fn board<L: Layout>(&self, position: &Position<L>) -> Vec<u64> {
        let mut board = Vec::with_capacity(2 * self.words);
        for player in 0..2 {
            board.extend(position.owners.get(player).words().take(self.words));
        }
        board
    }

    fn start<L: Layout>(&self, state: &State<L>) -> Start {
        let entries = state.history.entries();
        let asked = if self.form.past == Past::Free { &[][..] } else { entries };
        Start {
            board: self.board(&state.position),
            mover: state.position.mover & 1,
            nums: state.position.nums.slice().to_vec(),
            last: entries.last().and_then(|past| past.act.as_ref()).map(|act| act.name),
            past: asked.iter().map(|past| (self.board(&past.position), past.position.mover & 1)).collect(),
        }
    }

    /// The position after a ply, from the one before it and what the game has come to.
    fn position<L: Layout>(&self, begun: &Position<L>, stand: &Stand) -> Position<L> {
        let mut now = *begun;
        for player in 0..2 {
            let words = stand.board.get(player * self.words..(player + 1) * self.words);
            *now.owners.slot(player) = L::Set::from_words(words.unwrap_or(&[]));
        }
        *now.kinds.slot(0) = now.owners.get(0) | now.owners.get(1);
        now.nums.slice_mut().copy_from_slice(&stand.nums);
        (now.mover, now.played) = (stand.mover, begun.played.saturating_add(1));
        now
    }

    /// Counts sequences of plies from a state.
    pub(crate) fn perft<L: Layout>(
        &self,
        state: &State<L>,
        depth: u32,
        bulk: bool,
        work: &mut Work<L>,
    ) -> Outcomes<u64> {
        if depth > MAX_DEPTH {
            return Err(WORK);
        }
        self.game.perft(&self.start(state), depth, bulk, work.allowance()).ok_or(WORK)
    }

    /// Counts the games that can be played from a state to an end.
    pub(crate) fn games<L: Layout>(&self, state: &State<L>, work: &mut Work<L>) -> Outcomes<u64> {
        self.game.games(&self.start(state), work.allowance()).ok_or(WORK)
    }

    /// All legal plies with the positions after them.
    pub(crate) fn plies<L: Layout>(&self, state: &State<L>) -> Followed<L> {
        let position = &state.position;
        let named = |ply: Result<Site, usize>| match ply {
            Ok(site) => {
                let mut act = Act::new(self.form.act, position.mover);
                act.bound.push((self.form.binding, Val::Site(site)));
                act.choices.push(self.form.binding);
                act
            }
            Err(other) => Act::new(self.form.others.get(other).map_or(0, |other| other.act), position.mover),
        };
        let plies = self.game.plies(&self.start(state));
        plies.into_iter().map(|(ply, stand)| (named(ply), self.position(position, &stand))).collect()
    }

    /// Plays at random until the game is over or so many plies have been played.
    pub(crate) fn playout<L: Layout>(&self, state: &State<L>, seed: u64, most: u32) -> Playout {
        self.game.playout(&self.start(state), seed, most)
    }
}
