//! What makes positions the same, as one number.
//!
//! Invariant: positions that are the same for `times(position)` have equal numbers. The layout of positions
//! makes no difference to the number.

use crate::act::{Act, State};
use crate::engine::{Engine, FUEL, Ground, Outcomes, Work};
use crate::fast::Fast;
use crate::memo::Asked;
use crate::position::{Layout, Position, Row};
use crate::program::Type;
use crate::set::Set;

/// What a word is about, so that equal words in different places count differently.
const MOVER: u64 = 1;
const KINDS: u64 = 2;
const OWNERS: u64 = 3;
const VARIABLES: u64 = 4;

/// One word, mixed with its place.
fn mixed(part: u64, row: usize, at: usize, word: u64) -> u64 {
    let place = part << 48 | (row as u64) << 16 | at as u64;
    let mut mixed = word ^ place.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    mixed ^ (mixed >> 32)
}

/// A set, mixed with its place. Words without a site count nothing, so that wider sets change nothing.
fn mixed_set<S: Set>(part: u64, row: usize, set: S) -> u64 {
    let words = set.words().enumerate().filter(|(_, word)| *word != 0);
    words.fold(0, |sum: u64, (at, word)| sum.wrapping_add(mixed(part, row, at, word)))
}

impl<L: Layout> Engine<L> {
    /// A number for what the present position of a state is: equal for positions that are the same.
    ///
    /// # Errors
    /// A fault of the program in this situation.
    pub fn hash(&self, state: &State<L>, work: &mut Work<L>) -> Outcomes<u64> {
        let position = &state.position;
        let mut hash = mixed(MOVER, 0, 0, position.mover.into());
        let rows = position.kinds.slice().iter().take(self.program.kinds.len());
        for (row, set) in rows.enumerate() {
            hash = hash.wrapping_add(mixed_set(KINDS, row, *set));
        }
        let rows = position.owners.slice().iter().take(self.program.players.len());
        for (row, set) in rows.enumerate() {
            hash = hash.wrapping_add(mixed_set(OWNERS, row, *set));
        }
        for var in &self.program.identity {
            hash = hash.wrapping_add(self.variable_hash(position, *var));
        }
        if self.counts_fleeting(position, self.ground(state), work)? {
            for var in &self.program.fleeting {
                hash = hash.wrapping_add(self.variable_hash(position, *var));
            }
        }
        Ok(hash)
    }

    fn variable_hash(&self, position: &Position<L>, var: u16) -> u64 {
        let Some(known) = self.program.vars.get(usize::from(var)) else { return 0 };
        let slots = (0..usize::from(known.count)).map(|at| (at, usize::from(known.slot) + at));
        slots.fold(0, |sum: u64, (at, slot)| {
            let row = usize::from(var) << 16 | at;
            sum.wrapping_add(if known.ty == Type::Sites {
                mixed_set(VARIABLES, row, position.sets.get(slot))
            } else {
                mixed(VARIABLES, row, 0, position.nums.get(slot) as u64)
            })
        })
    }

    /// Whether variables that last one ply are a part of what a position is.
    ///
    /// Where plies depend on what was played before, the same values may matter in one game and not in
    /// another, and still the positions are the same; so there they never count.
    fn counts_fleeting(
        &self,
        position: &Position<L>,
        ground: Ground<'_, L>,
        work: &mut Work<L>,
    ) -> Outcomes<bool> {
        if self.reads_past || self.program.fleeting.is_empty() {
            return Ok(false);
        }
        let mut plain = *position;
        for var in &self.program.fleeting {
            self.reset(&mut plain, *var);
        }
        if self.program.fleeting.iter().all(|var| self.same_var(position, &plain, *var)) {
            return Ok(false);
        }
        let fast = self
            .fast
            .as_deref()
            .filter(|_| L::FAST && Fast::fits(&self.program, position) && self.sleeps(position));
        match fast {
            Some(fast) => self.differ(fast, position, &plain, work),
            None => self.depends(position, ground, work),
        }
    }

    /// Whether two positions have different legal acts, as the fast paths find them.
    fn differ(&self, fast: &Fast<L>, a: &Position<L>, b: &Position<L>, work: &mut Work<L>) -> Outcomes<bool> {
        work.begin(FUEL);
        let asked = Asked::of(self, work);
        let found = |position: &Position<L>| {
            let (mut plies, mut whole) = (Vec::new(), Vec::new());
            fast.plies(position, &asked, &mut plies, &mut whole);
            let whole: Vec<Act<L>> = whole.into_iter().map(|(act, _)| act).collect();
            (plies, whole)
        };
        let ((first, first_whole), (second, second_whole)) = (found(a), found(b));
        asked.fault().map_or(Ok(()), Err)?;
        if first == second && first_whole.len() == second_whole.len() {
            let mut pairs = first_whole.iter().zip(&second_whole);
            if pairs.all(|(first, second)| first.same(second)) {
                return Ok(false);
            }
        }
        if first.len() + first_whole.len() != second.len() + second_whole.len() {
            return Ok(true);
        }
        // Another way may lead to the same act.
        let acts = |position, plies: Vec<_>, whole| -> Vec<Act<L>> {
            plies.into_iter().map(|ply| fast.act(position, ply)).chain(whole).collect()
        };
        let (first, second) = (acts(a, first, first_whole), acts(b, second, second_whole));
        Ok(!first.iter().all(|act| second.iter().any(|other| other.same(act))))
    }
}
