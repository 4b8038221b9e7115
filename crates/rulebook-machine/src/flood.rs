//! What a player attacks by leaps and along lines, all sites at once, on boards of one word.
//!
//! Law: the sites found are those that are struck one by one. Each direction has a place of its own in a row of
//! eight, so that all directions go side by side; there is no look-up, and no branch depends on what stands where.

#![expect(clippy::needless_range_loop, reason = "rows of a fixed length go side by side")]

use crate::lane::{Attack, Offset};
use crate::program::{Board, Site};
use crate::tables::{LEAPS, LINES, Lines, RAYS};

/// Directions side by side.
type Eight = [u64; 8];

/// How far every site moves in each direction, and the sites that are come to so.
#[derive(Clone, Copy, Debug, Default)]
struct Steps {
    turns: Eight,
    tos: Eight,
}

/// How a player attacks, direction by direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flood {
    leaps: [Steps; LEAPS],
    leap_count: usize,
    lines: Steps,
    /// For each family of lines, all sites in the places of its directions.
    families: [Eight; RAYS],
    ray_count: usize,
    /// How often the reach must be doubled until it is that of the longest line.
    doublings: u32,
}

impl Steps {
    /// Adds a step, in its place, to the sites for which `may` holds.
    fn add(&mut self, board: &Board, place: usize, (files, ranks): Offset, may: impl Fn(Site, Site) -> bool) {
        let (Some(turn), Some(tos)) = (self.turns.get_mut(place), self.tos.get_mut(place)) else { return };
        let places = i64::from(ranks) * i64::from(board.files) + i64::from(files);
        *turn = places.rem_euclid(64).unsigned_abs();
        for from in 0..board.len() as Site {
            let to = board.step(from, (i16::from(files), i16::from(ranks)));
            if let Some(to) = to.filter(|to| may(from, *to)) {
                *tos |= 1 << (to & 63);
            }
        }
    }

    /// Adds to each place where the sites of a set come to.
    #[inline(always)]
    fn add_gone(&self, set: u64, sites: &mut Eight) {
        for at in 0..8 {
            sites[at] |= set.rotate_left(self.turns[at] as u32) & self.tos[at];
        }
    }
}

impl Flood {
    /// Nothing is attacked.
    pub(crate) fn none(board: &Board) -> Self {
        let longest = u32::from(board.files.max(board.ranks));
        Self {
            leaps: [Steps::default(); LEAPS],
            leap_count: 0,
            lines: Steps::default(),
            families: [[0; 8]; RAYS],
            ray_count: 0,
            doublings: longest.next_power_of_two().trailing_zeros(),
        }
    }

    /// Adds a group of leaps from some sites to others; `None` when there are too many.
    pub(crate) fn leap(
        &mut self,
        board: &Board,
        attack: &Attack,
        steps: &[Offset],
        may: impl Fn(Site, Site) -> bool,
    ) -> Option<()> {
        let group = self.leaps.get_mut(self.leap_count)?;
        let known = attack.victims.is_none() && steps.len() <= 8;
        for (at, step) in steps.iter().enumerate() {
            group.add(board, at, *step, &may);
        }
        self.leap_count += 1;
        known.then_some(())
    }

    /// Adds a family of lines, which are those that are seen from what is attacked.
    pub(crate) fn lines(&mut self, board: &Board, lines: Lines) -> Option<()> {
        let family = self.families.get_mut(self.ray_count)?;
        let both = lines.both.iter().take(lines.count.into()).fold(0_u8, |bits, line| bits | 1 << line);
        for (line, (files, ranks)) in LINES.into_iter().enumerate() {
            // What looks up along a line is attacked down along it.
            for (place, looks, step) in [
                (2 * line, both | lines.uppers, (-files, -ranks)),
                (2 * line + 1, both | lines.lowers, (files, ranks)),
            ] {
                if looks >> line & 1 == 1 {
                    *family.get_mut(place)? = u64::MAX;
                    self.lines.add(board, place, step, |_, _| true);
                }
            }
        }
        self.ray_count += 1;
        Some(())
    }

    /// The sites that are attacked, whoever stands there, when these sites are occupied.
    #[inline(always)]
    pub(crate) fn struck(&self, leaps: &[u64; LEAPS], rays: &[u64; RAYS], occupied: u64) -> u64 {
        // Written out, since a loop over the groups would be taken for the one to go side by side.
        let mut struck: Eight = [0; 8];
        let [first, second, third, fourth, others @ ..] = leaps;
        let [steps, steps2, steps3, steps4, more @ ..] = &self.leaps;
        steps.add_gone(*first, &mut struck);
        steps2.add_gone(*second, &mut struck);
        steps3.add_gone(*third, &mut struck);
        steps4.add_gone(*fourth, &mut struck);
        if self.leap_count > 4 {
            let [first, second, third, fourth] = others;
            let [steps, steps2, steps3, steps4] = more;
            steps.add_gone(*first, &mut struck);
            steps2.add_gone(*second, &mut struck);
            steps3.add_gone(*third, &mut struck);
            steps4.add_gone(*fourth, &mut struck);
        }
        let [first, second, third, fourth] = rays;
        let [places, places2, places3, places4] = &self.families;
        let mut reached: Eight = [0; 8];
        for at in 0..8 {
            reached[at] =
                first & places[at] | second & places2[at] | third & places3[at] | fourth & places4[at];
        }
        let mut open: Eight = [0; 8];
        for at in 0..8 {
            open[at] = !occupied & self.lines.tos[at];
        }
        let mut turns = self.lines.turns;
        for _ in 0..self.doublings {
            for at in 0..8 {
                reached[at] |= open[at] & reached[at].rotate_left(turns[at] as u32);
                open[at] &= open[at].rotate_left(turns[at] as u32);
                turns[at] = turns[at].wrapping_add(turns[at]);
            }
        }
        for at in 0..8 {
            struck[at] |= reached[at].rotate_left(self.lines.turns[at] as u32) & self.lines.tos[at];
        }
        struck.iter().fold(0, |all, sites| all | sites)
    }
}

#[cfg(test)]
mod tests {
    use crate::lane::{Attack, Lane, Offset, Reach};
    use crate::position::{Position, Tiny};
    use crate::program::{Board, Site};
    use crate::random::Dice;
    use crate::set::Set;
    use crate::tables::{LINES, Tables};

    fn attack(kind: u32, reach: Reach) -> Attack {
        Attack { kinds: 1 << kind, reach, froms: None, tos: None, victims: None }
    }

    /// Leaps of both sorts, one of them from some sites to some, and lines of which some kinds use one half.
    fn attacks() -> Vec<Attack> {
        let jumps = vec![(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
        let around: Vec<Offset> = LINES.iter().flat_map(|(a, b)| [(*a, *b), (-a, -b)]).collect();
        let some = Attack {
            froms: Some(vec![0x0f0f_0f0f_0f0f_0f0f]),
            tos: Some(vec![0x00ff_ff00_00ff_ff00]),
            ..attack(2, Reach::Leap(vec![(-1, 1), (1, 1)]))
        };
        vec![
            attack(0, Reach::Leap(jumps)),
            attack(1, Reach::Leap(around.clone())),
            some,
            attack(3, Reach::Ray(vec![(0, 1), (1, 0), (0, -1), (-1, 0)])),
            attack(4, Reach::Ray(vec![(1, 1), (1, -1), (-1, -1), (-1, 1)])),
            attack(5, Reach::Ray(around)),
            attack(6, Reach::Ray(vec![(0, 1), (-1, -1)])),
        ]
    }

    #[test]
    fn all_sites_at_once_are_the_sites_one_by_one() {
        let mut dice = Dice(7);
        for (files, ranks) in [(8, 8), (5, 6), (9, 7), (4, 4), (2, 32), (64, 1)] {
            let board = Board { files, ranks, ..Board::default() };
            let lane = Lane { attacks: Some(attacks()), ..Lane::default() };
            let tables = Tables::<Tiny>::of(&board, &[lane.clone(), lane], &[]);
            assert!(tables.floods(0), "{files} by {ranks}");
            for _ in 0..200 {
                let mut position = Position::<Tiny>::empty();
                for site in 0..board.len() as Site {
                    if dice.below(3) == 0 {
                        position.put(site, Some((dice.below(7) as u8, dice.below(2) as u8)));
                    }
                }
                let (forces, occupied) = (tables.forces(&position, 0), position.occupied());
                let struck = tables.struck_of(!0, 0, &forces, occupied);
                for site in 0..board.len() as Site {
                    let one = tables.is_struck(site, 0, &forces, occupied, !0);
                    assert_eq!(struck.has(site), one, "{files} by {ranks}, {site}, {:?}", position.kinds);
                }
                assert!(struck.less(Set::first_sites(board.len())).is_empty());
            }
        }
    }

    #[test]
    fn what_only_some_kinds_can_be_captured_by_is_asked_one_by_one() {
        let board = Board { files: 8, ranks: 8, ..Board::default() };
        let picky = Attack { victims: Some(1), ..attack(0, Reach::Leap(vec![(0, 1)])) };
        let lane = |attack: Attack| Lane { attacks: Some(vec![attack]), ..Lane::default() };
        let lanes = [lane(picky), lane(attack(0, Reach::Screen(vec![(0, 1)])))];
        let tables = Tables::<Tiny>::of(&board, &lanes, &[]);
        assert!(!tables.floods(0) && !tables.floods(1));
    }
}
