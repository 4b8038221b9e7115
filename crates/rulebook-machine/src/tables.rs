//! Tables over the sites of a board, made once when a program is loaded.
//!
//! Invariant: a table says for every site of the board what a lane says for all of them; nothing in it
//! depends on what stands where.

#![expect(clippy::needless_range_loop, reason = "rows of a fixed length go side by side")]

use crate::flood::Flood;
use crate::lane::{Attack, Drop, Gate, Lane, NO_SLOT, Need, Offset, Op, Reach, Shape, Template, content};
use crate::lookup::Lookups;
use crate::position::Layout;
use crate::program::{Board, Lookup, NO_SITE, Site};
use crate::recipe::SetOp;
use crate::set::Set;

/// The four lines through a site, by the direction of their upper half.
pub(crate) const LINES: [Offset; 4] = [(1, 0), (-1, 1), (0, 1), (1, 1)];

/// The two halves of a line through a site.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Halves<S> {
    pub(crate) lower: S,
    pub(crate) upper: S,
}

/// Tables of the board and of both lanes.
#[derive(Clone, Debug)]
pub(crate) struct Tables<L: Layout> {
    /// Number of sites.
    pub(crate) sites: usize,
    /// Number of files.
    pub(crate) files: i32,
    /// All sites.
    all: L::Set,
    /// What is seen along lines, where it can be looked up.
    pub(crate) lookups: Lookups,
    /// The sites that touch each site, `near[site]`.
    near: Vec<L::Set>,
    /// The lines through each site, `lines[site]`.
    pub(crate) lines: Vec<[Halves<L::Set>; 4]>,
    /// The sites strictly between two sites of a line, `between[a * sites + b]`; empty for wide boards.
    pub(crate) between: Vec<L::Set>,
    /// The whole line through two sites.
    pub(crate) through: Vec<L::Set>,
    /// For each player, how it captures.
    pub(crate) attacks: [Attacks<L::Set>; 2],
    /// For each player, how it moves.
    pub(crate) ways: [Vec<Way<L::Set>>; 2],
}

/// Lines of which a piece uses both halves, or one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lines {
    /// Both halves of these, packed to the front.
    pub(crate) both: [u8; 4],
    pub(crate) count: u8,
    /// Only the upper or the lower half of these: bits.
    pub(crate) uppers: u8,
    pub(crate) lowers: u8,
    /// The families of lines that can be looked up and are just these lines; none if there are no such.
    pub(crate) families: [u8; 2],
    pub(crate) family_count: u8,
}

impl Lines {
    pub(crate) fn of(directions: &[Offset]) -> Option<Self> {
        let (mut up, mut down) = (0_u8, 0_u8);
        for direction in directions {
            let opposite = (-direction.0, -direction.1);
            match (LINES.iter().position(|d| d == direction), LINES.iter().position(|d| *d == opposite)) {
                (Some(line), _) => up |= 1 << line,
                (_, Some(line)) => down |= 1 << line,
                _ => return None,
            }
        }
        let mut lines = Self { uppers: up & !down, lowers: down & !up, ..Self::default() };
        for line in 0..4_u8 {
            if up & down & 1 << line != 0 {
                if let Some(place) = lines.both.get_mut(usize::from(lines.count)) {
                    *place = line;
                }
                lines.count += 1;
            }
        }
        Some(lines)
    }

    /// Finds the families of lines that are just these lines.
    fn find(&mut self, families: &[u8]) {
        let wanted = self.both.iter().take(self.count.into()).fold(0, |bits, line| bits | 1 << line);
        let mut covered = 0;
        let mut found = Self { families: [0; 2], family_count: 0, ..*self };
        for (at, lines) in families.iter().enumerate().filter(|(_, lines)| wanted & **lines == **lines) {
            let Some(place) = found.families.get_mut(usize::from(found.family_count)) else { return };
            *place = at as u8;
            found.family_count += 1;
            covered |= lines;
        }
        if covered == wanted && self.uppers | self.lowers == 0 {
            *self = found;
        }
    }

    /// The same lines, parted so that one look-up is enough for each part, where there are look-ups.
    pub(crate) fn parts(self) -> impl Iterator<Item = Self> {
        let parted = usize::from(self.family_count);
        let part = move |at: usize| match self.families.get(at) {
            Some(family) if parted > 0 => {
                // The lines themselves are not looked at then.
                Self { families: [*family; 2], family_count: 1, ..Self::default() }
            }
            _ => self,
        };
        (0..parted.max(1)).map(part)
    }

    /// The sites seen along the lines.
    #[inline(always)]
    pub(crate) fn seen<S: Set>(self, halves: &[Halves<S>; 4], occupied: S) -> S {
        let mut seen = S::EMPTY;
        for at in 0..self.count & 7 {
            let half = halves[usize::from(self.both[usize::from(at & 3)] & 3)];
            seen |= S::seen(half.lower, half.upper, occupied);
        }
        if self.uppers | self.lowers != 0 {
            for line in 0..4_usize {
                let half = halves[line];
                if self.uppers >> line & 1 == 1 {
                    seen |= S::seen(half.lower, half.upper, occupied) & half.upper;
                }
                if self.lowers >> line & 1 == 1 {
                    seen |= S::seen(half.lower, half.upper, occupied) & half.lower;
                }
            }
        }
        seen
    }
}

/// Most groups of leaping attackers of a player.
pub(crate) const LEAPS: usize = 8;
/// Most families of lines on which a player attacks.
pub(crate) const RAYS: usize = 4;

/// How a player captures, looked at from the site that is captured on.
#[derive(Clone, Debug)]
pub(crate) struct Attacks<S> {
    /// Whether everything is in here.
    pub(crate) complete: bool,
    /// Whether leaps and plain rays are all there is.
    pub(crate) simple: bool,
    /// Groups of pieces that capture whatever stands between.
    pub(crate) leaps: [Kinds; LEAPS],
    pub(crate) leap_victims: [u128; LEAPS],
    pub(crate) leap_count: usize,
    /// From where each site is attacked, group by group.
    pub(crate) leap_from: Vec<[S; LEAPS]>,
    /// Families of pieces that capture along lines.
    pub(crate) rays: [Ray; RAYS],
    pub(crate) ray_count: usize,
    /// The sites of the lines through each site on an empty board, family by family.
    pub(crate) ray_full: Vec<[S; RAYS]>,
    /// Lines beyond one piece, and lines for which only some sites or victims count.
    pub(crate) special: Vec<RayAttack<S>>,
    pub(crate) others: Vec<OtherAttack<S>>,
    /// The same for all sites at once, where leaps and plain rays are all there is and the board has one word.
    pub(crate) flood: Option<Flood>,
}

impl<S> Default for Attacks<S> {
    fn default() -> Self {
        Self {
            complete: false,
            simple: false,
            leaps: [Kinds::default(); LEAPS],
            leap_victims: [u128::MAX; LEAPS],
            leap_count: 0,
            leap_from: Vec::new(),
            rays: [Ray::default(); RAYS],
            ray_count: 0,
            ray_full: Vec::new(),
            special: Vec::new(),
            others: Vec::new(),
            flood: None,
        }
    }
}

/// Kinds that capture along the same lines.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ray {
    pub(crate) kinds: Kinds,
    pub(crate) lines: Lines,
}

/// Pieces that capture along lines, with a restriction.
#[derive(Clone, Debug)]
pub(crate) struct RayAttack<S> {
    pub(crate) kinds: Kinds,
    pub(crate) victims: u128,
    pub(crate) lines: Lines,
    /// The sites of the lines on an empty board.
    pub(crate) full: Vec<S>,
    /// Only attackers on these sites.
    pub(crate) froms: S,
    /// Only targets on these sites.
    pub(crate) tos: S,
    /// Whether exactly one piece must stand between.
    pub(crate) screen: bool,
}

/// Pieces that capture under conditions on other sites.
#[derive(Clone, Debug)]
pub(crate) struct OtherAttack<S> {
    pub(crate) kinds: Kinds,
    pub(crate) victims: u128,
    /// For each site the ways in which it is attacked.
    pub(crate) ways: Vec<Vec<Source<S>>>,
}

/// One way in which a site is attacked.
#[derive(Clone, Debug)]
pub(crate) struct Source<S> {
    /// From where.
    pub(crate) from: Site,
    /// These must be empty.
    pub(crate) empty: S,
    /// Something must stand on all of these.
    pub(crate) filled: S,
    /// What else must hold.
    pub(crate) needs: Vec<Instance>,
    /// All sites that matter.
    pub(crate) matters: S,
}

/// A condition on one site.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instance {
    pub(crate) site: Site,
    pub(crate) content: u8,
    pub(crate) kinds: u128,
}

/// A few kinds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Kinds {
    /// Behind the last one the first one stands again.
    pub(crate) list: [u8; 8],
    pub(crate) count: u8,
    bits: u128,
}

impl Kinds {
    /// Whether a kind is among them.
    #[inline(always)]
    pub(crate) fn has(&self, kind: u8) -> bool {
        self.bits >> (kind & 127) & 1 == 1
    }

    fn of(bits: u128) -> Self {
        let mut kinds = Self { bits, ..Self::default() };
        for kind in (0..128_u8).filter(|kind| bits >> kind & 1 == 1) {
            if let Some(place) = kinds.list.get_mut(usize::from(kinds.count)) {
                *place = kind;
            }
            kinds.count = kinds.count.saturating_add(1);
        }
        let (count, first) = (usize::from(kinds.count), kinds.list[0]);
        kinds.list.iter_mut().skip(count).for_each(|place| *place = first);
        kinds
    }
}

/// One way of moving, for each site.
#[derive(Clone, Debug)]
pub(crate) struct Way<S> {
    /// The shape it comes from, by its place in the lane.
    pub(crate) shape: u16,
    pub(crate) kind: u8,
    pub(crate) ends: u8,
    /// Whether the masks are enough to tell legal targets.
    pub(crate) plain: bool,
    /// A question before the ply: while its answer is no, the masks are enough.
    pub(crate) spare: Option<u16>,
    /// How many plies a movement makes where a kind is chosen, less one.
    pub(crate) more: u8,
    /// Where a kind is chosen.
    pub(crate) pick_tos: S,
    pub(crate) gate: Option<Gate>,
    pub(crate) froms: S,
    pub(crate) tos: S,
    pub(crate) reach: Ways<S>,
    /// By the value of the site variable without which there is no way: from where there is one.
    pub(crate) given: Vec<S>,
    /// For ways with several conditions: by the site they start from, the sites that must be in a set
    /// variable, and the ways by these; none if some way has no such condition.
    pub(crate) keys: Vec<Keys<S>>,
}

/// Ways with several conditions from one site, by a site that must be in a set variable.
#[derive(Clone, Debug)]
pub(crate) struct Keys<S> {
    /// The slot of the variable.
    pub(crate) slot: u16,
    /// The sites.
    pub(crate) sites: S,
    /// Whether a piece of the mover's must stand there, too.
    pub(crate) own: bool,
    /// For each site of the board, the ways that need it.
    pub(crate) ways: Vec<Vec<u16>>,
}

impl<S: Set> Keys<S> {
    fn of(from: Site, list: &[Many<S>], count: usize) -> Option<Self> {
        let slot = list.first().map_or(NO_SLOT, |many| many.within.0);
        let mut keys = Self { slot, sites: S::EMPTY, own: true, ways: vec![Vec::new(); count] };
        for (at, many) in list.iter().enumerate() {
            let site = many.within.1.sites().find(|site| *site != from).filter(|_| many.within.0 == slot)?;
            keys.sites |= S::one(site);
            keys.own &= many.own.has(site);
            keys.ways.get_mut(usize::from(site))?.push(at as u16);
        }
        Some(keys)
    }
}

impl<S: Set> Way<S> {
    /// What the sorted ways know of it.
    pub(crate) fn common(&self, at: usize) -> Common<S> {
        Common {
            way: at as u16,
            kind: self.kind,
            ends: self.ends & 7,
            more: self.more,
            froms: self.froms,
            tos: self.tos,
            pick_tos: self.pick_tos,
        }
    }
}

/// Where a way leads.
#[derive(Clone, Debug)]
pub(crate) enum Ways<S> {
    /// From any site of a set to the site a number of places on; the sites at the other distances must be
    /// empty.
    Shift { places: i32, empty: [i32; 2], count: u8, froms: S },
    /// To these sites, by the site it starts from.
    Leap(Vec<S>),
    /// To these sites, each with those that must be empty.
    Lame(Vec<Vec<(Site, S)>>),
    /// Along lines.
    Ray(Lines),
    /// Along lines, beyond exactly one piece.
    Screen(Lines),
    /// Ways with conditions on several sites.
    Many(Vec<Vec<Many<S>>>),
    /// From outside of the board to an empty site.
    Drop(Dropped<S>),
}

/// What is asked of an act that puts a piece on an empty site.
#[derive(Clone, Debug)]
pub(crate) struct Dropped<S> {
    pub(crate) held: Vec<u16>,
    pub(crate) when: Option<u16>,
    pub(crate) sites: Option<u16>,
    pub(crate) bare: bool,
    /// Kinds with where they stand, and the sites that are barred then.
    pub(crate) bars: Vec<(u8, S, S)>,
    pub(crate) judged: crate::lane::Judged,
    pub(crate) clause: u16,
}

/// A way with conditions on several sites.
#[derive(Clone, Debug)]
pub(crate) struct Many<S> {
    pub(crate) to: Site,
    pub(crate) empty: S,
    pub(crate) enemy: S,
    pub(crate) own: S,
    /// These must be in the set variable at the slot.
    pub(crate) within: (u16, S),
    /// This must be the value of the site variable at the slot.
    pub(crate) is: (u16, Site),
    pub(crate) needs: Vec<Instance>,
    pub(crate) takes: S,
    pub(crate) marks: Vec<(u16, Site)>,
    /// The sites that may not be attacked before the ply.
    pub(crate) before: Vec<Site>,
    /// Questions before the ply that forbid it.
    pub(crate) asks: Vec<u16>,
    /// Whether both ends were known when it was made.
    pub(crate) instance: bool,
    /// What the clause itself does after the movement.
    pub(crate) first: Vec<SetOp>,
    /// Where the royal piece is after the ply, if it is the one that moves.
    pub(crate) royal: Site,
    /// What becomes of the occupied sites, where that can be said: those that are left and those that are
    /// come to.
    pub(crate) moved: Option<(S, S)>,
    /// The sites, all of them empty, of which none may be attacked before the ply, where it starts left out, if
    /// nothing else can forbid it.
    pub(crate) enough: Option<S>,
}

/// What is common to the sorted ways.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Common<S> {
    pub(crate) way: u16,
    pub(crate) kind: u8,
    pub(crate) ends: u8,
    /// How many plies a movement makes where a kind is chosen, less one.
    pub(crate) more: u8,
    pub(crate) froms: S,
    pub(crate) tos: S,
    pub(crate) pick_tos: S,
}

impl<L: Layout> Tables<L> {
    pub(crate) fn of(board: &Board, lanes: &[Lane], lookups: &[Lookup]) -> Self {
        let sites = board.len();
        let mut tables = Self {
            sites,
            files: i32::from(board.files),
            all: L::Set::first_sites(sites),
            lookups: Lookups::default(),
            near: (0..sites as Site).map(|site| near(board, site)).collect(),
            lines: (0..sites).map(|site| lines(board, site as Site)).collect(),
            between: Vec::new(),
            through: Vec::new(),
            attacks: Default::default(),
            ways: Default::default(),
        };
        if lanes.is_empty() {
            return tables;
        }
        if L::Set::CAPACITY <= 128 {
            tables.pairs();
        }
        for (lane, (attacks, ways)) in lanes.iter().zip(tables.attacks.iter_mut().zip(&mut tables.ways)) {
            *attacks = attack_tables::<L::Set>(board, lane.attacks.as_deref());
            for (at, shape) in lane.shapes.iter().enumerate() {
                ways.extend(way_tables(board, at as u16, shape));
            }
            let drops = lane.drops.iter().zip(lane.shapes.len() as u16..);
            ways.extend(drops.map(|(drop, at)| drop_table(at, drop)));
        }
        if L::Set::CAPACITY == 64 {
            let word = |half: &Halves<L::Set>| Halves { lower: half.lower.word(), upper: half.upper.word() };
            let words: Vec<[Halves<u64>; 4]> =
                tables.lines.iter().map(|row| row.map(|half| word(&half))).collect();
            if let Some(found) = Lookups::of(lookups, &words) {
                tables.find(&found.families);
                tables.lookups = found;
            }
        }
        tables
    }

    fn find(&mut self, families: &[u8]) {
        for attacks in &mut self.attacks {
            for ray in &mut attacks.rays {
                ray.lines.find(families);
            }
        }
        for way in self.ways.iter_mut().flatten() {
            if let Ways::Ray(lines) = &mut way.reach {
                lines.find(families);
            }
        }
    }

    /// What is seen from a site along lines.
    #[inline(always)]
    pub(crate) fn look(&self, lines: &Lines, site: Site, occupied: L::Set) -> L::Set {
        if L::Set::CAPACITY == 64 && lines.family_count != 0 {
            let occupied = occupied.word();
            let mut seen = self.lookups.look(usize::from(lines.families[0]), site, occupied);
            if lines.family_count > 1 {
                seen |= self.lookups.look(usize::from(lines.families[1]), site, occupied);
            }
            return L::Set::of_word(seen);
        }
        lines.seen(&self.lines[usize::from(site)], occupied)
    }

    /// The family by which alone lines can be looked up, if there is one.
    #[inline(always)]
    pub(crate) fn family(&self, lines: &Lines) -> Option<usize> {
        (L::Set::CAPACITY == 64 && lines.family_count == 1).then_some(usize::from(lines.families[0]))
    }

    /// The sites that touch a site.
    #[inline(always)]
    pub(crate) fn near(&self, site: Site) -> L::Set {
        self.near.get(usize::from(site)).copied().unwrap_or_default()
    }

    /// All sites of the board.
    pub(crate) fn board(&self) -> L::Set {
        self.all
    }

    fn pairs(&mut self) {
        let count = self.sites;
        self.between = vec![L::Set::EMPTY; count * count];
        self.through = vec![L::Set::EMPTY; count * count];
        for a in 0..count as Site {
            for line in self.lines.get(usize::from(a)).into_iter().flatten() {
                let whole = line.lower | line.upper | L::Set::one(a);
                for half in [line.lower, line.upper] {
                    for b in half.sites() {
                        let at = usize::from(a) * count + usize::from(b);
                        let inside = half.sites().filter(|site| (a.min(b) < *site) && (*site < a.max(b)));
                        if let Some(place) = self.between.get_mut(at) {
                            *place = crate::set::collect(inside);
                        }
                        if let Some(place) = self.through.get_mut(at) {
                            *place = whole;
                        }
                    }
                }
            }
        }
    }
}

fn near<S: Set>(board: &Board, site: Site) -> S {
    crate::set::collect(board.adjacent.iter().filter_map(|step| board.step(site, wide(*step))))
}

pub(crate) fn lines<S: Set>(board: &Board, site: Site) -> [Halves<S>; 4] {
    LINES.map(|(files, ranks)| {
        let half = |sign: i16| {
            let mut set = S::EMPTY;
            let mut here = site;
            while let Some(next) = board.step(here, (i16::from(files) * sign, i16::from(ranks) * sign)) {
                set |= S::one(next);
                here = next;
            }
            set
        };
        Halves { lower: half(-1), upper: half(1) }
    })
}

fn wide((files, ranks): Offset) -> (i16, i16) {
    (i16::from(files), i16::from(ranks))
}

fn back((files, ranks): Offset) -> (i16, i16) {
    (-i16::from(files), -i16::from(ranks))
}

fn set_of<S: Set>(words: Option<&[u64]>, sites: usize) -> S {
    words.map_or_else(|| S::first_sites(sites), S::from_words)
}

fn attack_tables<S: Set>(board: &Board, attacks: Option<&[Attack]>) -> Attacks<S> {
    let mut tables = Attacks::default();
    let Some(attacks) = attacks else { return tables };
    tables.complete = true;
    let count = board.len();
    let mut flood = (S::CAPACITY == 64).then(|| Flood::none(board));
    tables.leap_from = vec![[S::EMPTY; LEAPS]; count];
    tables.ray_full = vec![[S::EMPTY; RAYS]; count];
    let all = S::first_sites(count);
    // For each half of each line, the kinds that use it without any restriction.
    let mut halves: Vec<(Offset, u128)> =
        LINES.iter().flat_map(|(files, ranks)| [((*files, *ranks), 0), ((-files, -ranks), 0)]).collect();
    for attack in attacks {
        let (froms, tos): (S, S) =
            (set_of(attack.froms.as_deref(), count), set_of(attack.tos.as_deref(), count));
        let kinds = Kinds::of(attack.kinds);
        tables.complete &= kinds.count <= 8;
        let victims = attack.victims.unwrap_or(u128::MAX);
        let from = |to: Site, step: Offset| {
            board.step(to, back(step)).filter(|from| froms.has(*from) && tos.has(to))
        };
        match &attack.reach {
            Reach::Leap(steps) => {
                let at = tables.leap_count;
                let (Some(place), Some(known)) = (tables.leaps.get_mut(at), tables.leap_victims.get_mut(at))
                else {
                    tables.complete = false;
                    continue;
                };
                (*place, *known) = (kinds, victims);
                for (to, row) in tables.leap_from.iter_mut().enumerate() {
                    let sites = steps.iter().filter_map(|step| from(to as Site, *step));
                    if let Some(set) = row.get_mut(at) {
                        *set = crate::set::collect(sites);
                    }
                }
                tables.leap_count += 1;
                flood = flood.and_then(|mut flood| {
                    flood.leap(board, attack, steps, |from, to| froms.has(from) && tos.has(to))?;
                    Some(flood)
                });
            }
            Reach::Ray(directions) if victims == u128::MAX && froms == all && tos == all => {
                for (files, ranks) in directions {
                    for (looked, bits) in &mut halves {
                        if *looked == (-files, -ranks) {
                            *bits |= attack.kinds;
                        }
                    }
                }
            }
            Reach::Ray(directions) | Reach::Screen(directions) => {
                let looked: Vec<Offset> = directions.iter().map(|(files, ranks)| (-files, -ranks)).collect();
                let Some(lines) = Lines::of(&looked) else {
                    tables.complete = false;
                    continue;
                };
                let full =
                    (0..count as Site).map(|site| lines.seen(&self::lines(board, site), S::EMPTY)).collect();
                let screen = matches!(attack.reach, Reach::Screen(_));
                tables.special.push(RayAttack { kinds, victims, lines, full, froms, tos, screen });
            }
            Reach::Lame(_) | Reach::Templates(_) => {
                let templates = match &attack.reach {
                    Reach::Lame(steps) => steps.iter().map(lame).collect(),
                    Reach::Templates(templates) => templates.clone(),
                    _ => Vec::new(),
                };
                let ways = (0..count as Site).map(|to| {
                    let sources = templates.iter().filter_map(|template| {
                        let from = from(to, template.to)?;
                        source(board, from, to, template)
                    });
                    sources.collect()
                });
                tables.others.push(OtherAttack { kinds, victims, ways: ways.collect() });
            }
            Reach::Walk => tables.complete = false,
        }
    }
    // One look serves every kind that uses the lines.
    let mut families: Vec<(u128, Vec<Offset>)> = Vec::new();
    for (direction, kinds) in halves.into_iter().filter(|(_, kinds)| *kinds != 0) {
        match families.iter_mut().find(|(known, _)| *known == kinds) {
            Some((_, directions)) => directions.push(direction),
            None => families.push((kinds, vec![direction])),
        }
    }
    for (bits, directions) in families {
        let at = tables.ray_count;
        let (Some(place), Some(lines)) = (tables.rays.get_mut(at), Lines::of(&directions)) else {
            tables.complete = false;
            continue;
        };
        *place = Ray { kinds: Kinds::of(bits), lines };
        tables.complete &= place.kinds.count <= 8;
        for (site, row) in tables.ray_full.iter_mut().enumerate() {
            if let Some(set) = row.get_mut(at) {
                *set = lines.seen(&self::lines(board, site as Site), S::EMPTY);
            }
        }
        tables.ray_count += 1;
        flood = flood.and_then(|mut flood| {
            flood.lines(board, lines)?;
            Some(flood)
        });
    }
    tables.simple = tables.complete
        && tables.special.is_empty()
        && tables.others.is_empty()
        && tables.leap_victims.iter().all(|victims| *victims == u128::MAX);
    tables.flood = flood.filter(|_| tables.simple);
    tables
}

fn lame((to, empty): &(Offset, Vec<Offset>)) -> Template {
    let need = |at: &Offset| {
        (*at, Need { content: content::EMPTY, kinds: None, among: None, within: None, is: None })
    };
    Template { to: *to, needs: empty.iter().map(need).collect(), ..Template::default() }
}

fn source<S: Set>(board: &Board, from: Site, to: Site, template: &Template) -> Option<Source<S>> {
    let mut made =
        Source { from, empty: S::EMPTY, filled: S::EMPTY, needs: Vec::new(), matters: S::one(from) };
    for (at, need) in &template.needs {
        let site = board.step(from, wide(*at))?;
        if need.among.as_deref().is_some_and(|words| !S::from_words(words).has(site)) {
            return None;
        }
        if site == to || site == from {
            continue;
        }
        made.matters |= S::one(site);
        match (need.content, need.kinds) {
            (content::EMPTY, _) => made.empty |= S::one(site),
            (bits, None) if bits == content::ENEMY | content::OWN => made.filled |= S::one(site),
            (content, kinds) => {
                made.needs.push(Instance { site, content, kinds: kinds.unwrap_or(u128::MAX) });
            }
        }
    }
    Some(made)
}

fn way_tables<S: Set>(board: &Board, at: u16, shape: &Shape) -> Vec<Way<S>> {
    let count = board.len();
    let (froms, tos): (S, S) = (set_of(shape.froms.as_deref(), count), set_of(shape.tos.as_deref(), count));
    let pick_tos = shape.choice.as_ref().map_or(S::EMPTY, |pick| S::from_words(&pick.tos));
    let way = |reach: Ways<S>| Way {
        shape: at,
        kind: shape.kind,
        ends: shape.ends,
        plain: shape.plain && shape.before.is_empty() && shape.after.is_empty(),
        spare: shape.spare.filter(|_| shape.plain && shape.before.is_empty()),
        more: shape.choice.as_ref().map_or(0, |pick| pick.kinds.len().saturating_sub(1) as u8),
        pick_tos,
        gate: shape.gate,
        froms,
        tos,
        reach,
        given: Vec::new(),
        keys: Vec::new(),
    };
    match &shape.reach {
        Reach::Leap(steps) if steps.len() <= 2 => {
            steps.iter().map(|step| way(shift(board, *step, &[], froms, tos))).collect()
        }
        Reach::Lame(steps) if steps.len() <= 2 && steps.iter().all(|(_, empty)| empty.len() <= 2) => {
            steps.iter().map(|(step, empty)| way(shift(board, *step, empty, froms, tos))).collect()
        }
        Reach::Leap(steps) => {
            let targets = (0..count as Site).map(|site| {
                let reached: S =
                    crate::set::collect(steps.iter().filter_map(|step| board.step(site, wide(*step))));
                reached & tos
            });
            vec![way(Ways::Leap(targets.collect()))]
        }
        Reach::Lame(steps) => {
            let targets = (0..count as Site).map(|site| {
                let ends = steps.iter().filter_map(|(step, empty)| {
                    let to = board.step(site, wide(*step)).filter(|to| tos.has(*to))?;
                    let sites = empty.iter().filter_map(|at| board.step(site, wide(*at)));
                    Some((to, crate::set::collect(sites)))
                });
                ends.collect()
            });
            vec![way(Ways::Lame(targets.collect()))]
        }
        Reach::Ray(directions) => {
            Lines::of(directions).map(|lines| way(Ways::Ray(lines))).into_iter().collect()
        }
        Reach::Screen(directions) => {
            Lines::of(directions).map(|lines| way(Ways::Screen(lines))).into_iter().collect()
        }
        Reach::Templates(templates) => {
            let mut ways: Vec<Vec<Many<S>>> = vec![Vec::new(); count];
            for instance in &shape.instances {
                let template = templates.get(usize::from(instance.template));
                let made = template.and_then(|template| many(board, instance.from, template));
                let (Some(mut made), Some(list)) = (made, ways.get_mut(usize::from(instance.from))) else {
                    continue;
                };
                made.empty |= S::from_words(&instance.empty);
                made.before.clone_from(&instance.before);
                made.asks.clone_from(&instance.asks);
                made.instance = true;
                made.first = instance.first.iter().filter_map(cell_op).collect();
                list.push(made);
            }
            if shape.instances.is_empty() {
                for (site, list) in ways.iter_mut().enumerate() {
                    let made = templates.iter().filter_map(|template| many(board, site as Site, template));
                    list.extend(made.filter(|many| tos.has(many.to)));
                }
            }
            let mut given = Vec::new();
            if let Some(Gate::Given(slot)) = shape.gate {
                given = vec![S::EMPTY; count];
                for (from, list) in ways.iter().enumerate() {
                    for many in list.iter().filter(|many| many.is.0 == slot) {
                        if let Some(set) = given.get_mut(usize::from(many.is.1)) {
                            *set |= S::one(from as Site);
                        }
                    }
                }
            }
            let keyed = ways.iter().enumerate().map(|(from, list)| Keys::of(from as Site, list, count));
            let keys = keyed.collect::<Option<Vec<_>>>().unwrap_or_default();
            vec![Way { given, keys, ..way(Ways::Many(ways)) }]
        }
        Reach::Walk => Vec::new(),
    }
}

fn drop_table<S: Set>(at: u16, drop: &Drop) -> Way<S> {
    let bars = drop.bars.iter();
    let bars = bars.map(|bar| (bar.kind, S::from_words(&bar.zone), S::from_words(&bar.sites)));
    Way {
        shape: at,
        kind: drop.kind,
        ends: content::EMPTY,
        plain: drop.plain && drop.after.is_empty(),
        spare: None,
        more: 0,
        pick_tos: S::EMPTY,
        gate: None,
        froms: S::EMPTY,
        tos: S::from_words(&drop.tos),
        reach: Ways::Drop(Dropped {
            held: drop.held.clone(),
            when: drop.when,
            sites: drop.sites,
            bare: drop.bare,
            bars: bars.collect(),
            judged: drop.judged,
            clause: drop.clause,
        }),
        given: Vec::new(),
        keys: Vec::new(),
    }
}

/// A step that changes what stands on a site.
fn cell_op(op: &Op) -> Option<SetOp> {
    Some(match op {
        Op::Move(a, b) => SetOp::Move(*a, *b),
        Op::Put(kind, place) => SetOp::Put(*kind, *place),
        Op::Remove(place) => SetOp::Remove(*place),
        _ => return None,
    })
}

/// A step of the same distance from every site is a shift of the whole set.
fn shift<S: Set>(board: &Board, step: Offset, empty: &[Offset], froms: S, tos: S) -> Ways<S> {
    let places = |(files, ranks): Offset| i32::from(ranks) * i32::from(board.files) + i32::from(files);
    let possible = (0..board.len() as Site).filter(|site| {
        froms.has(*site)
            && board.step(*site, wide(step)).is_some_and(|to| tos.has(to))
            && empty.iter().all(|at| board.step(*site, wide(*at)).is_some())
    });
    let froms = crate::set::collect(possible);
    let mut distances = [0; 2];
    for (place, at) in distances.iter_mut().zip(empty) {
        *place = places(*at);
    }
    Ways::Shift { places: places(step), empty: distances, count: empty.len() as u8, froms }
}

fn many<S: Set>(board: &Board, from: Site, template: &Template) -> Option<Many<S>> {
    let to = board.step(from, wide(template.to))?;
    let mut made = Many {
        to,
        empty: S::EMPTY,
        enemy: S::EMPTY,
        own: S::EMPTY,
        within: (NO_SLOT, S::EMPTY),
        is: (NO_SLOT, NO_SITE),
        needs: Vec::new(),
        takes: S::EMPTY,
        marks: Vec::new(),
        before: Vec::new(),
        asks: Vec::new(),
        instance: false,
        first: Vec::new(),
        royal: NO_SITE,
        moved: None,
        enough: None,
    };
    for (at, need) in &template.needs {
        let site = board.step(from, wide(*at))?;
        if need.among.as_deref().is_some_and(|words| !S::from_words(words).has(site)) {
            return None;
        }
        if let Some(slot) = need.within {
            // Conditions on two different set variables are left to the walking automaton by the compiler.
            made.within = (slot, made.within.1 | S::one(site));
        }
        if let Some(slot) = need.is {
            made.is = (slot, site);
        }
        match (need.content, need.kinds) {
            (content::EMPTY, _) if site != from => made.empty |= S::one(site),
            (content::ENEMY, None) => made.enemy |= S::one(site),
            (content::OWN, None) => made.own |= S::one(site),
            (bits, None) if bits == content::EMPTY | content::ENEMY | content::OWN => {}
            (content, kinds) => {
                made.needs.push(Instance { site, content, kinds: kinds.unwrap_or(u128::MAX) });
            }
        }
    }
    for at in &template.takes {
        made.takes |= S::one(board.step(from, wide(*at))?);
    }
    for (binding, at) in &template.marks {
        made.marks.push((*binding, board.step(from, wide(*at))?));
    }
    Some(made)
}
