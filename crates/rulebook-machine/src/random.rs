//! Games played at random.
//!
//! Law: of the legal plies of a position each is as likely as any other, whichever engine finds them. Games
//! go on until no ply is left or an ending holds that can be read off the position; what depends on
//! repetition, counting or agreement is not looked at, nor is an ending that can only be a draw.

use crate::act::{Act, Past, State};
use crate::endings::led;
use crate::engine::{Engine, FUEL, Outcomes, WORK, Work};
use crate::fast::{Fast, General, Ply, Visitor};
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

/// Plies that differ only in where they come to.
#[derive(Clone, Copy, Debug)]
struct Bunch<S> {
    ply: Ply,
    targets: S,
    /// How far the piece goes, where each target has a start of its own.
    places: Option<i32>,
    /// Targets that ask for a choice, and how many choices there are.
    picked: S,
    choices: u32,
}

/// Keeps the plies of a position in bunches.
struct Bunches<L: Layout> {
    bunches: Vec<Bunch<L::Set>>,
    whole: Vec<(Act<L>, Position<L>)>,
    count: u32,
}

impl<L: Layout> Bunches<L> {
    #[inline(always)]
    fn add(&mut self, way: &Common<L::Set>, from: Site, many: u16, targets: L::Set, places: Option<i32>) {
        if targets.is_empty() {
            return;
        }
        let picked = targets & way.pick_tos;
        let choices = u32::from(way.more) + 1;
        self.count += targets.len() as u32 + picked.len() as u32 * u32::from(way.more);
        let ply = Ply { way: way.way, many, from, to: 0, chosen: NO_KIND };
        self.bunches.push(Bunch { ply, targets, places, picked, choices });
    }
}

impl<L: Layout> Visitor<L> for Bunches<L> {
    #[inline(always)]
    fn targets(&mut self, way: &Common<L::Set>, from: Site, targets: L::Set) {
        self.add(way, from, u16::MAX, targets, None);
    }
    #[inline(always)]
    fn shifted(&mut self, way: &Common<L::Set>, targets: L::Set, places: i32) {
        self.add(way, 0, u16::MAX, targets, Some(places));
    }
    #[inline(always)]
    fn many(&mut self, way: &Common<L::Set>, from: Site, at: usize, many: &Many<L::Set>) {
        self.add(way, from, at as u16, L::Set::one(many.to), None);
    }
    fn whole(&mut self, mut plies: Vec<(Act<L>, Position<L>)>) {
        self.count += plies.len() as u32;
        self.whole.append(&mut plies);
    }
}

impl<S: Set> Bunch<S> {
    /// The n-th ply of the bunch, as the place of its target and its choice, or how many fewer are left.
    #[inline(always)]
    fn nth(&self, n: u32) -> Result<(Site, u32), u32> {
        let plain = self.targets.less(self.picked);
        let (few, many) = (plain.len() as u32, self.picked.len() as u32 * self.choices);
        if n < few {
            return Ok((plain.sites().nth(n as usize).unwrap_or(0), 0));
        }
        if n < few + many {
            let n = n - few;
            let to = self.picked.sites().nth((n / self.choices.max(1)) as usize);
            return Ok((to.unwrap_or(0), n % self.choices.max(1)));
        }
        Err(n - few - many)
    }
}

impl<L: Layout> Fast<L> {
    /// Plays at random from a position.
    fn playout(&self, position: &Position<L>, seed: u64, most: u32, general: &dyn General<L>) -> Playout {
        let mut dice = Dice(seed);
        let mut position = *position;
        let mut found: Bunches<L> = Bunches { bunches: Vec::with_capacity(64), whole: Vec::new(), count: 0 };
        let mut plies = 0;
        while plies < most {
            if self.stops && self.is_over(&position, general) {
                return Playout { plies, over: true };
            }
            found.bunches.clear();
            found.whole.clear();
            found.count = 0;
            let node = self.node(&position);
            self.visit(&position, &node, general, &mut found);
            if found.count == 0 {
                return Playout { plies, over: true };
            }
            let mut left = dice.below(found.count);
            let mut next = None;
            for bunch in &found.bunches {
                match bunch.nth(left) {
                    Err(fewer) => left = fewer,
                    Ok((to, choice)) => {
                        let from = match bunch.places {
                            Some(places) => i32::from(to).wrapping_sub(places) as Site,
                            None => bunch.ply.from,
                        };
                        let chosen = if bunch.picked.has(to) {
                            self.choice(&position, bunch.ply.way, choice)
                        } else {
                            NO_KIND
                        };
                        next = Some(self.after(&position, Ply { from, to, chosen, ..bunch.ply }, general));
                        break;
                    }
                }
            }
            let Some(next) = next.or_else(|| found.whole.get(left as usize).map(|(_, next)| *next)) else {
                break;
            };
            position = next;
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
