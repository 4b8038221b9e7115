//! Games played at random.
//!
//! Law: of the legal plies of a position each is as likely as any other, whichever engine finds them. Games
//! go on until no ply is left or an ending holds that can be read off the position; what depends on
//! repetition, counting or agreement is not looked at, nor is an ending that can only be a draw.

use crate::act::{Act, Past, State};
use crate::endings::led;
use crate::engine::{Engine, FUEL, Outcomes, WORK, Work};
use crate::fast::{Fast, General, Node, Ply, Visitor};
use crate::memo::Asked;
use crate::position::{Layout, Position};
use crate::program::{NO_KIND, Site};
use crate::set::Set;
use crate::surround::Field;
use crate::tables::{Common, Many};

/// What a game played at random came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Playout {
    /// Plies played.
    pub plies: u32,
    /// Whether it ended by itself.
    pub over: bool,
}

/// A source of random numbers that gives the same ones for the same seed: splitmix64.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// A number below a limit, nearly evenly; 0 for a limit of 0.
    #[inline(always)]
    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^= word >> 31;
        ((u64::from(limit) * (word >> 32)) >> 32) as u32
    }
}

/// Plies that differ only in where they come to, and in what is chosen.
#[derive(Clone, Copy, Debug)]
struct Bunch<S> {
    targets: S,
    /// How many plies.
    count: u32,
    /// Where the piece starts, or how far it goes where each target has a start of its own.
    from: Result<Site, i32>,
    way: u16,
    many: u16,
}

/// Keeps the plies of a position in bunches.
struct Bunches<L: Layout> {
    bunches: Vec<Bunch<L::Set>>,
    whole: Vec<(Act<L>, Position<L>)>,
    count: u32,
}

impl<L: Layout> Bunches<L> {
    /// An empty bunch does no harm, and to ask for it would cost more.
    #[inline(always)]
    fn add(&mut self, way: &Common<L::Set>, from: Result<Site, i32>, many: u16, targets: L::Set) {
        let mut count = targets.len() as u32;
        if way.more != 0 {
            count += (targets & way.pick_tos).len() as u32 * u32::from(way.more);
        }
        self.count += count;
        self.bunches.push(Bunch { targets, count, from, way: way.way, many });
    }
}

impl<L: Layout> Visitor<L> for Bunches<L> {
    #[inline(always)]
    fn targets(&mut self, way: &Common<L::Set>, from: Site, targets: L::Set) {
        self.add(way, Ok(from), u16::MAX, targets);
    }
    #[inline(always)]
    fn shifted(&mut self, way: &Common<L::Set>, targets: L::Set, places: i32) {
        self.add(way, Err(places), u16::MAX, targets);
    }
    #[inline(always)]
    fn many(&mut self, way: &Common<L::Set>, from: Site, at: usize, many: &Many<L::Set>) {
        self.add(way, Ok(from), at as u16, L::Set::one(many.to));
    }
    fn whole(&mut self, mut plies: Vec<(Act<L>, Position<L>)>) {
        self.count += plies.len() as u32;
        self.whole.append(&mut plies);
    }
}

impl<L: Layout> Fast<L> {
    /// The n-th ply of a bunch: first come those for which nothing is chosen.
    #[inline(always)]
    fn nth(&self, position: &Position<L>, bunch: &Bunch<L::Set>, n: u32) -> Ply {
        let me = usize::from(position.mover & 1);
        let (more, pick_tos) = self.tables.ways[me]
            .get(usize::from(bunch.way))
            .map_or((0, L::Set::EMPTY), |way| (u32::from(way.more), way.pick_tos));
        let (plain, picked) = (bunch.targets.less(pick_tos), bunch.targets & pick_tos);
        let (few, choices) = (plain.len() as u32, more + 1);
        let (to, chosen) = match n.checked_sub(few) {
            None => (plain.sites().nth(n as usize), NO_KIND),
            Some(n) => {
                let to = picked.sites().nth((n / choices) as usize);
                (to, self.choice(position, bunch.way, n % choices))
            }
        };
        let to = to.unwrap_or(0);
        let from = bunch.from.unwrap_or_else(|places| i32::from(to).wrapping_sub(places) as Site);
        Ply { way: bunch.way, many: bunch.many, from, to, chosen }
    }

    /// Plays at random from a position.
    fn playout(&self, position: &Position<L>, seed: u64, most: u32, general: &dyn General<L>) -> Playout {
        let mut dice = Dice(seed);
        // The position and the next one change places without being copied.
        let mut positions = [*position; 2];
        let mut turn = false;
        let mut node = Node::none();
        let mut found: Bunches<L> = Bunches { bunches: Vec::with_capacity(64), whole: Vec::new(), count: 0 };
        let mut plies = 0;
        while plies < most {
            let [first, second] = &mut positions;
            let (position, next) = if turn { (&*second, first) } else { (&*first, second) };
            if self.stops && self.is_over(position, general) {
                return Playout { plies, over: true };
            }
            found.bunches.clear();
            found.whole.clear();
            found.count = 0;
            self.look(position, &mut node);
            self.visit(position, &node, general, &mut found);
            if found.count == 0 {
                return Playout { plies, over: true };
            }
            let mut left = dice.below(found.count);
            let bunch = found.bunches.iter().find(|bunch| {
                let here = left < bunch.count;
                if !here {
                    left -= bunch.count;
                }
                here
            });
            match bunch {
                Some(bunch) => self.after_in(next, position, self.nth(position, bunch, left), general),
                None => match found.whole.get(left as usize) {
                    Some((_, made)) => *next = *made,
                    None => break,
                },
            }
            turn = !turn;
            plies += 1;
        }
        Playout { plies, over: false }
    }
}

impl<L: Layout> Engine<L> {
    /// Plays at random from a state, at most so many plies.
    ///
    /// # Errors
    /// A fault of the program in some situation.
    pub fn playout(&self, state: &State<L>, seed: u64, most: u32, work: &mut Work<L>) -> Outcomes<Playout> {
        if self.is_over(state.ended.as_ref()) {
            return Ok(Playout { plies: 0, over: true });
        }
        if let Some(field) = self.field.as_deref()
            && Field::fits(&self.program, &state.position)
        {
            return Ok(field.playout(state, seed, most));
        }
        if L::FAST
            && let Some(fast) = self.fast.as_deref()
            && Fast::fits(&self.program, &state.position)
            && self.sleeps(&state.position)
        {
            work.begin(FUEL);
            let asked = Asked::of(self, work);
            let played = fast.playout(&led(state), seed, most, &asked);
            return asked.fault().map_or(Ok(played), Err);
        }
        let mut state = state.clone();
        let mut dice = Dice(seed);
        for plies in 0..most {
            work.begin(FUEL);
            let ended = self.ending(&state.position, self.ground(&state), true, work)?.is_some();
            let mut found = if ended { Vec::new() } else { self.plies(&state, work)?.legal };
            if found.is_empty() {
                return Ok(Playout { plies, over: true });
            }
            let count = u32::try_from(found.len()).map_err(|_| WORK)?;
            let ply = found.swap_remove(dice.below(count) as usize);
            let over = self.is_over(ply.ended.as_ref());
            state.position = ply.next;
            state.history.push(Past { position: ply.next, act: Some(ply.act), clauses: ply.clauses });
            if over {
                return Ok(Playout { plies: plies + 1, over: true });
            }
        }
        Ok(Playout { plies: most, over: false })
    }
}
