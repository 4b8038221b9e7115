//! What a piece sees along lines on boards of one word, by one multiplication and one look.
//!
//! Invariant: every answer equals that of the lines themselves; a multiplier with which two different
//! answers would share a place is refused when the table is made.

use crate::program::{Lookup, Site};
use crate::set::Set;
use crate::tables::{Halves, LINES};

/// Where the answers for a site begin, and how to find them.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    mask: u64,
    multiplier: u64,
    shift: u32,
    start: u32,
}

/// Tables for families of lines.
#[derive(Clone, Debug)]
pub(crate) struct Lookups {
    /// The lines of each family, as bits.
    pub(crate) families: Vec<u8>,
    /// For each family, an entry for each site.
    entries: [Box<[Entry; 64]>; 4],
    answers: Vec<u64>,
}

impl Default for Lookups {
    fn default() -> Self {
        let entries = [(); 4].map(|()| Box::new([Entry::default(); 64]));
        Self { families: Vec::new(), entries, answers: Vec::new() }
    }
}

/// The subsets of the inner sites of a line, each with what is seen then.
fn views(half: Halves<u64>, inner: u64) -> Views {
    let mut found = Vec::with_capacity(64);
    let mut subset = 0_u64;
    loop {
        found.push((subset, u64::seen(half.lower, half.upper, subset)));
        subset = subset.wrapping_sub(inner) & inner;
        if subset == 0 {
            return found;
        }
    }
}

/// The sites of a line whose content matters: all but the last one of each half.
fn inner(half: Halves<u64>) -> u64 {
    let last = if half.upper == 0 { 0 } else { 1 << (63 - half.upper.leading_zeros()) };
    let first = half.lower & half.lower.wrapping_neg();
    (half.lower | half.upper) & !(last | first)
}

/// What stands on some sites, with what is seen then.
type Views = Vec<(u64, u64)>;

/// The lines through a site that count.
type Used = Vec<Halves<u64>>;

/// The lines of a family through a site, and the sites whose content matters for them.
fn used(halves: &[Halves<u64>; 4], lines: u8) -> (Used, u64) {
    let used: Used =
        (0..LINES.len()).filter(|line| lines >> line & 1 == 1).map(|line| halves[line]).collect();
    let mask = used.iter().fold(0, |mask, half| mask | inner(*half));
    (used, mask)
}

/// What is seen on some lines but the last one, for everything that can stand there, and the same for the last
/// one: any of the first with any of the second is an answer.
fn joined(used: &[Halves<u64>]) -> (Views, Views) {
    let Some((last, others)) = used.split_last() else { return (vec![(0, 0)], vec![(0, 0)]) };
    let mut outer: Views = vec![(0, 0)];
    for half in others {
        let views = views(*half, inner(*half));
        outer = outer.iter().flat_map(|(a, x)| views.iter().map(move |(b, y)| (a | b, x | y))).collect();
    }
    (outer, views(*last, inner(*last)))
}

impl Lookups {
    /// The tables for the multipliers that a program holds; `None` if one of them does not do.
    pub(crate) fn of(lookups: &[Lookup], lines: &[[Halves<u64>; 4]]) -> Option<Self> {
        let mut made = Self::default();
        let families: Vec<(&Lookup, Vec<(Used, u64)>)> = lookups
            .iter()
            .take(4)
            .map(|lookup| (lookup, lines.iter().map(|halves| used(halves, lookup.lines)).collect()))
            .collect();
        let sizes = families.iter().flat_map(|(_, sites)| sites).map(|(_, mask)| mask.count_ones());
        if sizes.clone().any(|bits| bits > 14) {
            return None;
        }
        made.answers.reserve_exact(sizes.map(|bits| 1 << bits).sum());
        for (family, (lookup, sites)) in families.into_iter().enumerate() {
            made.families.push(lookup.lines);
            for (site, (used, mask)) in sites.into_iter().enumerate() {
                let bits = mask.count_ones();
                let multiplier = *lookup.multipliers.get(site)?;
                let entry =
                    Entry { mask, multiplier, shift: (64 - bits) & 63, start: made.answers.len() as u32 };
                made.answers.resize(made.answers.len() + (1 << bits), 0);
                let place = made.answers.get_mut(entry.start as usize..)?;
                // The last line is not joined to the others before it is known where its answers go.
                let (outer, inner) = joined(&used);
                for (a, x) in &outer {
                    for (b, y) in &inner {
                        let (occupied, answer) = (a | b, x | y);
                        let at = if bits == 0 { 0 } else { occupied.wrapping_mul(multiplier) >> entry.shift };
                        let slot = place.get_mut(at as usize)?;
                        // A site from which nothing is seen has one answer only.
                        if *slot != 0 && *slot != answer {
                            return None;
                        }
                        *slot = answer;
                    }
                }
                if let Some(slot) = made.entries.get_mut(family).and_then(|row| row.get_mut(site)) {
                    *slot = entry;
                }
            }
        }
        Some(made)
    }

    #[inline(always)]
    pub(crate) fn look(&self, family: usize, site: Site, occupied: u64) -> u64 {
        let entry = &self.entries[family & 3][usize::from(site & 63)];
        let at = (occupied & entry.mask).wrapping_mul(entry.multiplier) >> (entry.shift & 63);
        self.answers[(entry.start as usize).wrapping_add(at as usize)]
    }
}

/// A multiplier with which what is seen from a site along some lines can be looked up, if the search finds
/// one within its bound. The search is the same on every run.
pub fn multiplier(files: u16, ranks: u16, site: Site, lines: u8) -> Option<u64> {
    let board = crate::program::Board { files, ranks, ..Default::default() };
    let halves: [Halves<u64>; 4] = crate::tables::lines(&board, site);
    let (used, mask) = used(&halves, lines);
    let bits = mask.count_ones();
    if bits == 0 {
        return Some(0);
    }
    if bits > 14 {
        return None;
    }
    let (outer, last) = joined(&used);
    let all: Vec<(u64, u64)> =
        outer.iter().flat_map(|(a, x)| last.iter().map(move |(b, y)| (a | b, x | y))).collect();
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64
        ^ (u64::from(site) << 8 | u64::from(lines)).wrapping_mul(0x2545_f491_4f6c_dd1d);
    let mut random = move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    let mut table: Vec<(u32, u64)> = vec![(0, 0); 1 << bits];
    for round in 1..=2_000_000_u32 {
        let candidate = random() & random() & random();
        if (mask.wrapping_mul(candidate) >> 56).count_ones() < 6 && bits > 6 {
            continue;
        }
        let fits = all.iter().all(|(occupied, answer)| {
            let at = (occupied.wrapping_mul(candidate) >> (64 - bits)) as usize;
            match table.get_mut(at) {
                Some(slot) if slot.0 == round => slot.1 == *answer,
                Some(slot) => {
                    *slot = (round, *answer);
                    true
                }
                None => false,
            }
        });
        if fits {
            return Some(candidate);
        }
    }
    None
}
