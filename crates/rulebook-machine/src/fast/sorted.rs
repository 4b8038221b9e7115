//! The ways of one player, sorted by how they are looked for.
//!
//! Invariant: each way is in one list, but for those along lines, which stand in two: way by way, and once more
//! for counting, kinds that look along the same lines together.

use crate::lane::{Gate, NO_SLOT};
use crate::position::{Layout, NOTHING, Position, Row};
use crate::program::Site;
use crate::set::Set;
use crate::tables::{Common, Lines, Way, Ways};

/// Ways of one player, sorted by how they are looked for.
#[derive(Clone, Debug)]
pub(crate) struct Sorted<S> {
    pub(super) shifts: Vec<ShiftWay<S>>,
    pub(super) leaps: Vec<LeapWay<S>>,
    pub(super) rays: Vec<RayWay<S>>,
    /// The same as `rays`, where only the number of plies is of interest.
    pub(super) looks: Vec<LookWay<S>>,
    /// Steps of the royal piece.
    pub(super) royals: Vec<LeapWay<S>>,
    /// Ways with several conditions that depend on the sites of a set variable.
    pub(super) keyed: Vec<KeyedWay<S>>,
    /// All others.
    pub(super) rest: Vec<RestWay<S>>,
}

impl<S> Default for Sorted<S> {
    fn default() -> Self {
        Self {
            shifts: Vec::new(),
            leaps: Vec::new(),
            rays: Vec::new(),
            looks: Vec::new(),
            royals: Vec::new(),
            keyed: Vec::new(),
            rest: Vec::new(),
        }
    }
}

/// A step of the same distance from everywhere.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShiftWay<S> {
    pub(super) common: Common<S>,
    pub(super) places: i32,
    /// Distances of sites that must be empty; where there is no such site, all sites instead of the empty ones.
    pub(super) empty: [(i32, S); 2],
}

/// Steps from a table.
#[derive(Clone, Debug)]
pub(crate) struct LeapWay<S> {
    pub(super) common: Common<S>,
    pub(super) targets: Vec<S>,
}

/// Lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RayWay<S> {
    pub(super) common: Common<S>,
    pub(super) lines: Lines,
}

/// Lines along which one kind or two look in the same way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LookWay<S> {
    pub(super) kinds: [u8; 2],
    pub(super) common: Common<S>,
    pub(super) lines: Lines,
}

/// Ways with several conditions, known by the sites that must be in a set variable.
#[derive(Clone, Debug)]
pub(crate) struct KeyedWay<S> {
    pub(super) common: Common<S>,
    /// The slot of the set variable in which the piece must stand.
    pub(super) gate: Option<u16>,
    /// The slot of the set variable.
    pub(super) slot: u16,
    /// For each site, the sites of which one must be in it, with a piece of the mover's.
    pub(super) keys: Vec<S>,
    /// For each site, the ways from there.
    pub(super) ways: Vec<Vec<KeyedMany<S>>>,
}

/// A way with several conditions, of which most are known to hold.
#[derive(Clone, Debug)]
pub(crate) struct KeyedMany<S> {
    /// The site that must be in the set variable.
    pub(super) key: Site,
    /// The sites that must be empty.
    pub(super) empty: S,
    /// Its place among the ways from the site.
    pub(super) at: u16,
}

/// A way of any form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RestWay<S> {
    /// Its place among the ways.
    pub(super) at: u16,
    pub(super) kind: u8,
    pub(super) froms: S,
    pub(super) gate: Option<Gate>,
}

impl<S: Set> RestWay<S> {
    /// Whether there may be a ply.
    #[inline(always)]
    pub(super) fn is_open<L: Layout<Set = S>>(&self, position: &Position<L>, own: S) -> bool {
        let set = match self.gate {
            Some(Gate::Given(slot)) => return position.nums.get(usize::from(slot)) != NOTHING,
            Some(Gate::Within(slot)) => position.sets.get(usize::from(slot)),
            None => return true,
        };
        (position.kinds.get(usize::from(self.kind)) & self.froms & own).meets(set)
    }
}

impl<S: Set> KeyedWay<S> {
    /// The ways in this form, if they have it.
    fn of(way: &Way<S>, at: usize) -> Option<Self> {
        let Ways::Many(ways) = &way.reach else { return None };
        let gate = match way.gate {
            Some(Gate::Within(slot)) => Some(slot),
            None => None,
            Some(Gate::Given(_)) => return None,
        };
        let slot = way.keys.iter().map(|keys| keys.slot).find(|slot| *slot != NO_SLOT)?;
        let mut made = Self { common: way.common(at), gate, slot, keys: Vec::new(), ways: Vec::new() };
        for (keys, list) in way.keys.iter().zip(ways) {
            if !list.is_empty() && (keys.slot, keys.own) != (slot, true) {
                return None;
            }
            let mut known = Vec::new();
            for (key, many) in keys.sites.sites().flat_map(|site| {
                let ways = keys.ways.get(usize::from(site)).into_iter().flatten();
                ways.map(move |at| (site, *at))
            }) {
                let one = list.get(usize::from(many))?;
                known.push(KeyedMany { key, empty: one.empty, at: many });
            }
            made.keys.push(keys.sites);
            made.ways.push(known);
        }
        Some(made)
    }
}

impl<S: Set> Sorted<S> {
    pub(super) fn of(ways: &[Way<S>], royal: Option<u8>) -> Self {
        let mut sorted = Self::default();
        for (at, way) in ways.iter().enumerate() {
            let common = way.common(at);
            let simple = way.plain && way.gate.is_none();
            let is_royal = Some(way.kind) == royal;
            match &way.reach {
                Ways::Shift { places, empty, count, froms } if simple && !is_royal => {
                    let [first, second] = *empty;
                    let empty =
                        [(first, (!S::EMPTY).when(*count < 1)), (second, (!S::EMPTY).when(*count < 2))];
                    let common = Common { froms: *froms, ..common };
                    sorted.shifts.push(ShiftWay { common, places: *places, empty });
                }
                Ways::Leap(targets) if simple => {
                    let list = if is_royal { &mut sorted.royals } else { &mut sorted.leaps };
                    list.push(LeapWay { common, targets: targets.clone() });
                }
                Ways::Ray(lines) if simple && !is_royal => {
                    sorted.rays.push(RayWay { common, lines: *lines });
                }
                _ => match KeyedWay::of(way, at) {
                    Some(keyed) => sorted.keyed.push(keyed),
                    None => sorted.rest.push(RestWay {
                        at: at as u16,
                        kind: way.kind,
                        froms: way.froms,
                        gate: way.gate,
                    }),
                },
            }
        }
        for way in &sorted.rays {
            for lines in way.lines.parts() {
                let same = |known: &&mut LookWay<S>| {
                    let [first, second] = known.kinds;
                    let (a, b) = (&known.common, &way.common);
                    let alike = (a.ends, a.froms, a.tos) == (b.ends, b.froms, b.tos);
                    first == second
                        && known.lines == lines
                        && alike
                        && a.more | b.more == 0
                        && first != b.kind
                };
                match sorted.looks.iter_mut().find(same) {
                    Some(known) => known.kinds[1] = way.common.kind,
                    None => {
                        let kinds = [way.common.kind; 2];
                        sorted.looks.push(LookWay { kinds, common: way.common, lines });
                    }
                }
            }
        }
        sorted
    }
}
