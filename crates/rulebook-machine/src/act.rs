//! Acts, what is remembered of a game, and a game at one moment.
//!
//! Invariant: a past is only added to at its end, and its hashes are those of its boards.

use std::sync::Arc;

use crate::position::{Layout, Position, Row};
use crate::program::{Outcome, Site};
use crate::set::Set;
use crate::value::{Few, Num, Val};

/// Clauses that decided something, by number.
pub type Clauses = Few<u16, 12>;

/// A ply as it was or could be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Act<L: Layout> {
    /// Its name, an index into the acts of the program.
    pub name: u16,
    /// Who makes it.
    pub actor: u8,
    /// The site a piece leaves.
    pub from: Option<Site>,
    /// The site it comes to.
    pub to: Option<Site>,
    /// The kind that moves.
    pub piece: Option<u8>,
    /// The sites whose pieces are captured by the movement itself.
    pub taken: L::Set,
    /// Every site whose content changed.
    pub changed: L::Set,
    /// Choices and marks, by binding.
    pub bound: Few<(u16, Val<L::Set>), 2>,
    /// Which of the bound values are choices of the mover, the rest being marks.
    pub choices: Few<u16, 4>,
}

impl<L: Layout> Act<L> {
    /// An act without any detail.
    pub fn new(name: u16, actor: u8) -> Self {
        Self {
            name,
            actor,
            from: None,
            to: None,
            piece: None,
            taken: L::Set::EMPTY,
            changed: L::Set::EMPTY,
            bound: Few::default(),
            choices: Few::default(),
        }
    }

    /// The value of a binding.
    pub fn value(&self, binding: u16) -> Option<&Val<L::Set>> {
        self.bound.iter().rev().find(|(known, _)| *known == binding).map(|(_, value)| value)
    }

    /// Whether two acts are one and the same to the players: same name, sites, captures and choices.
    pub fn same(&self, other: &Self) -> bool {
        (self.name, self.from, self.to, self.taken) == (other.name, other.from, other.to, other.taken)
            && self.choices == other.choices
            && self.choices.iter().all(|choice| self.value(*choice) == other.value(*choice))
    }
}

/// How a game ended, and the clauses that decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The outcome.
    pub outcome: Outcome,
    /// The clauses, the deciding one first.
    pub clauses: Vec<u16>,
}

/// A recorded position.
#[derive(Clone, Debug)]
pub struct Past<L: Layout> {
    /// The position.
    pub position: Position<L>,
    /// The act that led to it; `None` for the first one.
    pub act: Option<Act<L>>,
    /// The clauses that decided it.
    pub clauses: Clauses,
}

/// The recorded positions of a game, the first one first.
#[derive(Clone, Debug)]
pub struct History<L: Layout> {
    entries: Vec<Past<L>>,
    hashes: Vec<u64>,
}

impl<L: Layout> Default for History<L> {
    fn default() -> Self {
        Self { entries: Vec::new(), hashes: Vec::new() }
    }
}

impl<L: Layout> History<L> {
    /// Records a position.
    pub fn push(&mut self, past: Past<L>) {
        self.hashes.push(board_hash(&past.position));
        self.entries.push(past);
    }

    /// Forgets all but the first positions, so many of them.
    pub fn keep(&mut self, count: usize) {
        self.hashes.truncate(count);
        self.entries.truncate(count);
    }

    /// Forgets the latest position.
    pub fn pop(&mut self) {
        self.hashes.pop();
        self.entries.pop();
    }

    /// Forgets the latest positions but for the first one.
    pub fn forget(&mut self, count: usize) {
        let left = self.entries.len().saturating_sub(count).max(1);
        self.hashes.truncate(left);
        self.entries.truncate(left);
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.hashes.clear();
        self.entries.clear();
    }

    /// The recorded positions.
    pub fn entries(&self) -> &[Past<L>] {
        &self.entries
    }

    /// The past as questions see it.
    pub fn story(&self) -> Story<'_, L> {
        Story { entries: &self.entries, hashes: &self.hashes, extra: None }
    }
}

/// A past that is looked at: the first entries of a history, and perhaps one more after them.
#[derive(Clone, Copy, Debug)]
pub struct Story<'a, L: Layout> {
    entries: &'a [Past<L>],
    hashes: &'a [u64],
    extra: Option<&'a Past<L>>,
}

impl<'a, L: Layout> Story<'a, L> {
    /// No past at all.
    pub fn none() -> Self {
        Self { entries: &[], hashes: &[], extra: None }
    }

    /// The same with one more entry, if there is none yet.
    #[must_use]
    pub fn with(self, past: &'a Past<L>) -> Self {
        Self { extra: Some(past), ..self }
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len() + usize::from(self.extra.is_some())
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The latest entry.
    pub fn latest(&self) -> Option<&'a Past<L>> {
        self.extra.or(self.entries.last())
    }

    /// The entry that many places before the latest one.
    pub fn back(&self, places: usize) -> Option<&'a Past<L>> {
        match (self.extra, places) {
            (Some(extra), 0) => Some(extra),
            (extra, places) => {
                let places = places - usize::from(extra.is_some());
                self.entries.get(self.entries.len().checked_sub(places.checked_add(1)?)?)
            }
        }
    }

    /// The first entries only.
    #[must_use]
    pub fn first(&self, count: usize) -> Self {
        if count >= self.len() {
            return *self;
        }
        let count = count.min(self.entries.len());
        Self {
            entries: self.entries.get(..count).unwrap_or(&[]),
            hashes: self.hashes.get(..count).unwrap_or(&[]),
            extra: None,
        }
    }

    /// The entries with the same board as a position, each with the number of entries before it, the latest
    /// first.
    pub fn alike<'b>(
        &self,
        position: &'b Position<L>,
    ) -> impl Iterator<Item = (usize, &'a Past<L>)> + use<'a, 'b, L> {
        let hash = if self.entries.is_empty() { 0 } else { board_hash(position) };
        let extra = self.extra.map(|past| (self.entries.len(), past));
        let (entries, hashes) = (self.entries, self.hashes);
        let hits = hashes.iter().enumerate().rev().filter(move |(_, known)| **known == hash);
        let hits = hits.filter_map(move |(at, _)| Some((at, entries.get(at)?)));
        extra.into_iter().chain(hits).filter(move |(_, past)| same_board(&past.position, position))
    }
}

/// Whether the same stands on the same sites.
pub fn same_board<L: Layout>(a: &Position<L>, b: &Position<L>) -> bool {
    a.owners.slice() == b.owners.slice() && a.kinds.slice() == b.kinds.slice()
}

/// A hash of what stands where. Equal boards have equal hashes.
pub fn board_hash<L: Layout>(position: &Position<L>) -> u64 {
    // Multiplication and rotation: a few instructions for each word, and boards differ in few words.
    let sets = position.owners.slice().iter().chain(position.kinds.slice());
    sets.flat_map(Set::words)
        .fold(0, |hash: u64, word| (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// Tables of records, row by row, and the texts in them that the program does not know.
#[derive(Clone, Debug)]
pub struct Tables<L: Layout> {
    /// The fields of each row of each table.
    pub rows: Vec<Vec<Vec<Val<L::Set>>>>,
    /// Further texts, numbered after those of the program.
    pub texts: Vec<String>,
}

impl<L: Layout> Default for Tables<L> {
    fn default() -> Self {
        Self { rows: Vec::new(), texts: Vec::new() }
    }
}

/// A game at one moment, between plies.
#[derive(Clone, Debug)]
pub struct State<L: Layout> {
    /// What stands where, the turn, the variables.
    pub position: Position<L>,
    /// The time of the latest ply or event, in seconds.
    pub now: Num,
    /// How the game ended.
    pub ended: Option<Ending>,
    /// The recorded positions; the present one is the last.
    pub history: History<L>,
    /// Tables of records.
    pub tables: Arc<Tables<L>>,
}

impl<L: Layout> State<L> {
    /// Goes on with a ply.
    pub fn play(&mut self, ply: Ply<L>) {
        self.position = ply.next;
        self.ended = ply.ended.or(self.ended.take());
        self.history.push(Past { position: ply.next, act: Some(ply.act), clauses: ply.clauses });
    }
}

/// A legal ply.
#[derive(Clone, Debug)]
pub struct Ply<L: Layout> {
    /// What is done.
    pub act: Act<L>,
    /// The position after it.
    pub next: Position<L>,
    /// How the ply itself ended the game; endings are not yet looked at.
    pub ended: Option<Ending>,
    /// The clause that grants it and those that took effect.
    pub clauses: Clauses,
}

/// A ply that some clause grants and another one forbids.
#[derive(Clone, Debug)]
pub struct Banned<L: Layout> {
    /// What would have been done.
    pub act: Act<L>,
    /// The ban, then the clause that grants the act.
    pub clauses: Clauses,
}

/// All plies that clauses grant.
#[derive(Clone, Debug)]
pub struct Plies<L: Layout> {
    /// The legal ones.
    pub legal: Vec<Ply<L>>,
    /// Those that a clause forbids.
    pub banned: Vec<Banned<L>>,
}

impl<L: Layout> Default for Plies<L> {
    fn default() -> Self {
        Self { legal: Vec::new(), banned: Vec::new() }
    }
}
