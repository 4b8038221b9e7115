//! Legal plies by recognised forms: targets as sets, legality before generation, steps instead of clauses.
//!
//! Law: for a lane that qualifies (`Fast::of`), the plies found here are those the general engine finds, and
//! the positions made are those it makes. What cannot be shown to be safe by masks is made and looked at.

use std::cell::Cell;

use crate::act::Act;
use crate::attack::{Forces, PHANTOM, View};
use crate::engine::MAX_ACTS;
use crate::lane::{Gate, Guard, Lane, Op, Place, Reach, Shape, content};
use crate::position::{Layout, NOTHING, Position, Row};
use crate::program::{Const, NO_KIND, Program, Site, Type};
use crate::set::Set;
use crate::tables::{Common, Many, NO_SLOT, Sorted, Tables, Way, Ways};
use crate::value::Val;

/// No slot for a site that a ply keeps.
const NO_PLACES: i32 = i32::MIN;

/// What the numbers of a position become: `number & keep + add`.
#[derive(Clone, Copy, Debug)]
struct Change<L: Layout> {
    keep: L::Nums,
    add: L::Nums,
}

/// What a ply does besides the movement.
#[derive(Clone, Debug)]
pub(crate) struct Recipe<L: Layout> {
    pub(crate) kind: u8,
    pub(crate) act: u16,
    /// Whether, besides the movement, pieces are only moved about or exchanged where the piece comes to.
    moves_only: bool,
    /// Sites that may not be attacked before the ply.
    before: Vec<Place>,
    /// Without and with a capture.
    change: [Change<L>; 2],
    /// The slot of a site variable, and how far from where the piece came from its site is.
    site: (u16, i32),
    ops: Vec<(Guard, SetOp)>,
    pick_tos: L::Set,
    pick: Vec<u8>,
    pub(crate) binding: u16,
}

/// Steps that change sets.
#[derive(Clone, Debug)]
enum SetOp {
    LessChanged(usize),
    LessOwned(usize, usize),
    Join(usize, Place),
    Settle(usize, u16),
    Move(Place, Place),
    Put(u8, Place),
    PutChosen(Place),
    Remove(Place),
    Reset(usize),
    SetSite(usize, Place),
}

/// A ply as the fast paths know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ply {
    /// The way, by its place among those of the player.
    pub(crate) way: u16,
    /// Which of the ways with several conditions, `u16::MAX` for none.
    pub(crate) many: u16,
    pub(crate) from: Site,
    pub(crate) to: Site,
    /// The kind that was chosen, `NO_KIND` for none.
    pub(crate) chosen: u8,
}

/// The answers of the general engine that the fast paths ask for.
pub(crate) trait General<L: Layout> {
    /// The value that a clause gives to the only variable it sets, a set at a slot, in a position.
    fn settled(&self, clause: u16, slot: usize, position: &Position<L>) -> L::Set;
    /// Steps that are left; with none, nothing more is looked at and the answer means nothing.
    fn fuel(&self) -> &Cell<u64>;
}

/// The fast paths of a program.
#[derive(Clone, Debug)]
pub(crate) struct Fast<L: Layout> {
    pub(crate) tables: Tables<L>,
    recipes: [Vec<Recipe<L>>; 2],
    royal: [Option<u8>; 2],
    sorted: [Sorted<L::Set>; 2],
}

/// What is known about a position before plies are looked for.
pub(crate) struct Node<S> {
    me: usize,
    forces: Forces<S>,
    /// Sites by content, for every combination of content bits.
    targets: [S; 8],
    occupied: S,
    enemy: S,
    mode: Mode,
    royal: Site,
    /// Where a piece must go to answer an attack; everywhere if there is none.
    mask: S,
    /// Pieces that may only move along their line with the royal piece.
    pinned: S,
    /// The sites that matter to the royal piece.
    danger: S,
    attacked: bool,
    /// Whether `attacked` has been found out.
    knows: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Nothing is forbidden.
    Free,
    /// Legal targets are a mask.
    Masked,
    /// Two attackers at once: only the royal piece can help.
    Double,
    /// Plies that touch what matters are tried.
    Danger,
    /// Every ply is tried.
    Tried,
}

/// Who takes the plies that are found.
pub(crate) trait Visitor<L: Layout> {
    /// From one site to several.
    fn targets(&mut self, way: &Common<L::Set>, from: Site, targets: L::Set);
    /// From several sites to as many, all the same distance away.
    fn shifted(&mut self, way: &Common<L::Set>, targets: L::Set, places: i32);
    /// One way with several conditions.
    fn many(&mut self, way: &Common<L::Set>, from: Site, at: usize, many: &Many<L::Set>);
}

/// Finds where things go in the lanes of a program: `None` when one of them needs the general engine.
impl<L: Layout> Fast<L> {
    pub(crate) fn of(program: &Program) -> Option<Self> {
        let [first, second] = &program.lanes[..] else { return None };
        if !qualifies(first) || !qualifies(second) {
            return None;
        }
        let tables = Tables::<L>::of(&program.board, &program.lanes, &program.lookups);
        if tables.attacks.iter().any(|attacks| !attacks.complete) {
            return None;
        }
        let recipes =
            |lane: &Lane| lane.shapes.iter().map(|shape| recipe(program, shape)).collect::<Option<Vec<_>>>();
        let mut fast = Self {
            recipes: [recipes(first)?, recipes(second)?],
            royal: [first, second].map(|lane| lane.royal.map(|royal| royal.kind)),
            sorted: Default::default(),
            tables,
        };
        fast.resolve();
        Some(fast)
    }

    /// Finds the sites that the steps of ways with several conditions are about.
    fn resolve(&mut self) {
        let mut ways = std::mem::take(&mut self.tables.ways);
        for (player, list) in ways.iter_mut().enumerate() {
            for way in list.iter_mut() {
                let recipe = &self.recipes[player][usize::from(way.shape)];
                let Ways::Many(froms) = &mut way.reach else { continue };
                for (from, list) in froms.iter_mut().enumerate() {
                    for many in list {
                        let from = from as Site;
                        let site = |place: &Place| self.site(*place, from, many.to, Some(many));
                        let before: Vec<Site> = recipe.before.iter().filter_map(site).collect();
                        let mut left = L::Set::one(from) | many.takes;
                        let mut come = L::Set::one(many.to);
                        let mut known = recipe.moves_only;
                        for (_, op) in &recipe.ops {
                            if let SetOp::Move(a, b) = op {
                                match (site(a), site(b)) {
                                    (Some(a), Some(b)) => {
                                        left |= L::Set::one(a);
                                        known &= !come.has(a);
                                        come |= L::Set::one(b);
                                    }
                                    _ => known = false,
                                }
                            }
                        }
                        many.moved = known.then_some((left, come));
                        many.before = before;
                    }
                }
            }
            self.sorted[player] = Sorted::of(list, self.royal[player]);
        }
        self.tables.ways = ways;
    }

    /// Whether the numbers of a position are such that the steps may be used.
    pub(crate) fn fits(program: &Program, position: &Position<L>) -> bool {
        program.vars.iter().all(|var| {
            var.ty != Type::Number
                || (0..var.count).all(|at| position.nums.get(usize::from(var.slot + at)) & 0xffff == 1)
        })
    }

    #[inline(always)]
    pub(crate) fn node(&self, position: &Position<L>) -> Node<L::Set> {
        let me = usize::from(position.mover & 1);
        let (own, enemy) = (position.owners.get(me), position.owners.get(1 - me));
        let occupied = own | enemy;
        let board = self.tables.board();
        let empty = board.less(occupied);
        let targets = [L::Set::EMPTY, empty, enemy, empty | enemy, own, empty | own, occupied, board];
        let mut node = Node {
            me,
            forces: self.tables.forces(position, 1 - me),
            targets,
            occupied,
            enemy,
            mode: Mode::Free,
            royal: 0,
            mask: board,
            pinned: L::Set::EMPTY,
            danger: L::Set::EMPTY,
            attacked: false,
            knows: false,
        };
        let Some(kind) = self.royal[me] else { return node };
        let royals = position.kinds.get(usize::from(kind)) & own;
        let Some(royal) = royals.first() else { return node };
        if royals.several() {
            node.mode = Mode::Tried;
            return node;
        }
        node.royal = royal;
        node.knows = true;
        if !self.tables.attacks[1 - me].simple {
            let view = View { position, by: 1 - me, occupied, attackers: enemy };
            node.mode = Mode::Danger;
            node.danger = self.tables.danger(royal, view);
            node.attacked = self.tables.is_attacked(royal, 1 << kind, view);
            return node;
        }
        node.mode = Mode::Masked;
        let mut attackers = self.tables.leapers(royal, 1 - me, &node.forces);
        let mut block = L::Set::EMPTY;
        let row = usize::from(royal) * self.tables.sites;
        for source in self.tables.snipers(royal, 1 - me, &node.forces).sites() {
            let between = self.tables.between[row + usize::from(source)];
            let standing = between & occupied;
            if standing.is_empty() {
                attackers |= L::Set::one(source);
                block |= between;
            } else if !standing.several() {
                node.pinned |= standing;
            }
        }
        if !attackers.is_empty() {
            node.attacked = true;
            node.mask = attackers | block;
            if attackers.several() {
                node.mode = Mode::Double;
            }
        }
        node
    }

    /// Whether the royal piece of a player is attacked.
    fn is_royal_attacked(&self, position: &Position<L>, player: usize) -> bool {
        let Some(kind) = self.royal[player & 1] else { return false };
        let (own, enemy) = (position.owners.get(player), position.owners.get(1 - player));
        let view = View { position, by: 1 - player, occupied: own | enemy, attackers: enemy };
        (position.kinds.get(usize::from(kind)) & own)
            .sites()
            .any(|site| self.tables.is_attacked(site, 1 << kind, view))
    }

    #[inline(always)]
    pub(crate) fn visit<V: Visitor<L>>(
        &self,
        position: &Position<L>,
        node: &Node<L::Set>,
        general: &dyn General<L>,
        visitor: &mut V,
    ) {
        let own = position.owners.get(node.me);
        let ways = &self.tables.ways[node.me];
        let sorted = &self.sorted[node.me];
        if matches!(node.mode, Mode::Free | Mode::Masked) {
            let pinned = node.pinned;
            for way in &sorted.shifts {
                let common = &way.common;
                let pieces = position.kinds.get(usize::from(common.kind)) & own & common.froms;
                let mut sources = pieces;
                for at in 0..way.count & 3 {
                    sources &= node.targets[1].shifted(-way.empty[usize::from(at & 1)]);
                }
                let allowed = node.targets[usize::from(common.ends & 7)] & common.tos & node.mask;
                visitor.shifted(common, sources.less(pinned).shifted(way.places) & allowed, way.places);
                for from in (sources & pinned).sites() {
                    let line =
                        self.tables.through[usize::from(node.royal) * self.tables.sites + usize::from(from)];
                    visitor.targets(common, from, L::Set::one(from).shifted(way.places) & allowed & line);
                }
            }
            for way in &sorted.leaps {
                let common = &way.common;
                let pieces = position.kinds.get(usize::from(common.kind)) & own & common.froms;
                let allowed = node.targets[usize::from(common.ends & 7)] & common.tos & node.mask;
                for from in pieces.less(pinned).sites() {
                    visitor.targets(common, from, way.targets[usize::from(from)] & allowed);
                }
                for from in (pieces & pinned).sites() {
                    let line =
                        self.tables.through[usize::from(node.royal) * self.tables.sites + usize::from(from)];
                    visitor.targets(common, from, way.targets[usize::from(from)] & allowed & line);
                }
            }
            for way in &sorted.rays {
                let common = &way.common;
                let pieces = position.kinds.get(usize::from(common.kind)) & own & common.froms;
                let allowed = node.targets[usize::from(common.ends & 7)] & common.tos & node.mask;
                for from in pieces.less(pinned).sites() {
                    visitor.targets(
                        common,
                        from,
                        self.tables.look(&way.lines, from, node.occupied) & allowed,
                    );
                }
                for from in (pieces & pinned).sites() {
                    let line =
                        self.tables.through[usize::from(node.royal) * self.tables.sites + usize::from(from)];
                    visitor.targets(
                        common,
                        from,
                        self.tables.look(&way.lines, from, node.occupied) & allowed & line,
                    );
                }
            }
            for at in &sorted.rest {
                self.visit_way(position, node, &ways[usize::from(*at)], usize::from(*at), general, visitor);
            }
        } else {
            for (at, way) in ways.iter().enumerate() {
                self.visit_way(position, node, way, at, general, visitor);
            }
        }
    }

    /// The plies of one way, whatever its form.
    #[inline(always)]
    fn visit_way<V: Visitor<L>>(
        &self,
        position: &Position<L>,
        node: &Node<L::Set>,
        way: &Way<L::Set>,
        index: usize,
        general: &dyn General<L>,
        visitor: &mut V,
    ) {
        let own = position.owners.get(node.me);
        let mut pieces = position.kinds.get(usize::from(way.kind)) & own & way.froms;
        match way.gate {
            Some(Gate::Within(slot)) => pieces &= position.sets.get(usize::from(slot)),
            Some(Gate::Given(slot)) => {
                let value = position.nums.get(usize::from(slot));
                if value == NOTHING {
                    return;
                }
                if let Some(given) = usize::try_from(value).ok().and_then(|at| way.given.get(at)) {
                    pieces &= *given;
                }
            }
            None => {}
        }
        if pieces.is_empty() {
            return;
        }
        let common = &way.common(index);
        let recipe = &self.recipes[node.me][usize::from(way.shape)];
        if let Ways::Many(ways) = &way.reach {
            for from in pieces.sites() {
                let list = &ways[usize::from(from)];
                let keys = way.keys.get(usize::from(from));
                for (at, many) in list.iter().enumerate() {
                    // Most ways fail at once, on a site that is not in the set it must be in.
                    if let Some((_, keys)) = keys
                        && !position.sets.get(usize::from(many.within.0)).has(keys[at])
                    {
                        continue;
                    }
                    if self.is_possible(position, node, many)
                        && self.is_allowed(position, node, recipe, from, many.to, Some(many), general)
                    {
                        visitor.many(common, from, at, many);
                    }
                }
            }
            return;
        }
        let ends = node.targets[usize::from(way.ends & 7)] & way.tos;
        if !way.plain || node.mode == Mode::Tried {
            for from in pieces.sites() {
                let mut kept = L::Set::EMPTY;
                for to in (self.reached(way, from, node) & ends).sites() {
                    if self.is_allowed(position, node, recipe, from, to, None, general) {
                        kept |= L::Set::one(to);
                    }
                }
                visitor.targets(common, from, kept);
            }
            return;
        }
        if node.mode != Mode::Free && Some(way.kind) == self.royal[node.me] {
            let from = node.royal;
            if !pieces.has(from) {
                return;
            }
            let mut kept = L::Set::EMPTY;
            for to in (self.reached(way, from, node) & ends).sites() {
                if !self.is_attacked_after(position, node, from, to, to) {
                    kept |= L::Set::one(to);
                }
            }
            visitor.targets(common, from, kept);
            return;
        }
        match node.mode {
            Mode::Double => {}
            Mode::Danger => self.dangerous(position, node, way, common, pieces, ends, visitor),
            _ => {
                let allowed = ends & node.mask;
                for from in pieces.less(node.pinned).sites() {
                    visitor.targets(common, from, self.reached(way, from, node) & allowed);
                }
                for from in (pieces & node.pinned).sites() {
                    let line =
                        self.tables.through[usize::from(node.royal) * self.tables.sites + usize::from(from)];
                    visitor.targets(common, from, self.reached(way, from, node) & allowed & line);
                }
            }
        }
    }

    /// Movements where an attack may depend on more than lines: those that touch what matters are tried.
    #[expect(clippy::too_many_arguments, reason = "the parts of one loop body")]
    fn dangerous<V: Visitor<L>>(
        &self,
        position: &Position<L>,
        node: &Node<L::Set>,
        way: &Way<L::Set>,
        common: &Common<L::Set>,
        pieces: L::Set,
        ends: L::Set,
        visitor: &mut V,
    ) {
        for from in pieces.sites() {
            let reached = self.reached(way, from, node) & ends;
            let leaves = node.danger.has(from);
            let (safe, tried) = match (node.attacked, leaves) {
                (false, false) => (reached.less(node.danger), reached & node.danger),
                (true, false) => (L::Set::EMPTY, reached & node.danger),
                (_, true) => (L::Set::EMPTY, reached),
            };
            let mut kept = safe;
            for to in tried.sites() {
                if !self.is_attacked_after(position, node, from, to, node.royal) {
                    kept |= L::Set::one(to);
                }
            }
            visitor.targets(common, from, kept);
        }
    }

    /// Whether the royal piece, then on a site, is attacked after a plain movement.
    #[inline(always)]
    fn is_attacked_after(
        &self,
        position: &Position<L>,
        node: &Node<L::Set>,
        from: Site,
        to: Site,
        royal: Site,
    ) -> bool {
        let (gone, come) = (L::Set::one(from), L::Set::one(to));
        let (occupied, attackers) = (node.occupied.less(gone) | come, node.enemy.less(come));
        if self.tables.attacks[1 - node.me].simple {
            return self.tables.is_struck(royal, 1 - node.me, &node.forces, occupied, attackers);
        }
        let kind = self.royal[node.me].unwrap_or(0);
        self.tables.is_attacked(royal, 1 << kind, View { position, by: 1 - node.me, occupied, attackers })
    }

    /// The sites a way leads to, whatever may stand there.
    #[inline(always)]
    fn reached(&self, way: &Way<L::Set>, from: Site, node: &Node<L::Set>) -> L::Set {
        let at = usize::from(from);
        match &way.reach {
            Ways::Shift { .. } => shifted(&way.reach, L::Set::one(from), node),
            Ways::Leap(table) => table[at],
            Ways::Ray(lines) => self.tables.look(lines, from, node.occupied),
            Ways::Screen(lines) => {
                let halves = &self.tables.lines[at];
                let open = lines.seen(halves, node.occupied);
                let beyond = node.occupied.less(open & node.occupied);
                lines.seen(halves, beyond).less(open)
            }
            Ways::Lame(table) => {
                let mut set = L::Set::EMPTY;
                for (to, empty) in &table[at] {
                    if !empty.meets(node.occupied) {
                        set |= L::Set::one(*to);
                    }
                }
                set
            }
            Ways::Many(_) => L::Set::EMPTY,
        }
    }

    #[inline(always)]
    fn is_possible(&self, position: &Position<L>, node: &Node<L::Set>, many: &Many<L::Set>) -> bool {
        let own = position.owners.get(node.me);
        if many.is.0 != NO_SLOT && position.nums.get(usize::from(many.is.0)) != i64::from(many.is.1) {
            return false;
        }
        if many.within.0 != NO_SLOT
            && !many.within.1.less(position.sets.get(usize::from(many.within.0))).is_empty()
        {
            return false;
        }
        !many.empty.meets(node.occupied)
            && many.own.less(own).is_empty()
            && many.enemy.less(node.enemy).is_empty()
            && many.needs.iter().all(|need| {
                let bits = if own.has(need.site) {
                    content::OWN
                } else if node.enemy.has(need.site) {
                    content::ENEMY
                } else {
                    content::EMPTY
                };
                bits & need.content != 0
                    && (bits == content::EMPTY || need.kinds >> (position.kind(need.site) & 127) & 1 == 1)
            })
    }

    /// Whether a ply is allowed: the bans before it, and the royal piece after it.
    #[expect(clippy::too_many_arguments, reason = "what makes up a ply")]
    fn is_allowed(
        &self,
        position: &Position<L>,
        node: &Node<L::Set>,
        recipe: &Recipe<L>,
        from: Site,
        to: Site,
        many: Option<&Many<L::Set>>,
        general: &dyn General<L>,
    ) -> bool {
        let (by, simple) = (1 - node.me, self.tables.attacks[1 - node.me].simple);
        let listed;
        let before: &[Site] = match many {
            Some(many) => &many.before,
            None if recipe.before.is_empty() => &[],
            None => {
                listed = recipe
                    .before
                    .iter()
                    .filter_map(|place| self.site(*place, from, to, many))
                    .collect::<Vec<_>>();
                &listed
            }
        };
        for site in before {
            let site = *site;
            if site == node.royal && node.knows && simple {
                // Whether the royal piece is attacked was asked before.
                if node.attacked {
                    return false;
                }
                continue;
            }
            let among = node.enemy.less(L::Set::one(site));
            if simple {
                if self.tables.is_struck(site, by, &node.forces, node.occupied, among) {
                    return false;
                }
                continue;
            }
            // A target that is empty or the attacker's own is judged as if a piece stood there.
            let own = position.owners.get(node.me).has(site);
            let victim = if own { 1 << (position.kind(site) & 127) } else { PHANTOM };
            let view = View { position, by, occupied: node.occupied, attackers: among };
            if self.tables.is_attacked(site, victim, view) {
                return false;
            }
        }
        let Some(royal) = self.royal[node.me] else { return true };
        if simple && node.knows && recipe.moves_only {
            let site = if recipe.kind == royal { to } else { node.royal };
            let moved = match many {
                Some(many) => many.moved,
                None => Some((L::Set::one(from), L::Set::one(to))),
            };
            if let Some((left, come)) = moved
                && (site == to || !(left | come).has(site))
            {
                let occupied = node.occupied.less(left) | come;
                return !self.tables.is_struck(
                    site,
                    by,
                    &node.forces,
                    occupied,
                    node.enemy.less(left | come),
                );
            }
        }
        let chosen = recipe.pick.first().copied().filter(|_| recipe.pick_tos.has(to));
        let next = self.make(position, recipe, from, to, many, chosen, general);
        !self.is_royal_attacked(&next, node.me)
    }

    #[inline(always)]
    fn site(&self, place: Place, from: Site, to: Site, many: Option<&Many<L::Set>>) -> Option<Site> {
        let found = match place {
            Place::From => Some(from),
            Place::To => Some(to),
            Place::At(site) => Some(site),
            Place::Bound(binding) => {
                many?.marks.iter().find(|(known, _)| *known == binding).map(|(_, site)| *site)
            }
            Place::Beside((files, ranks)) => {
                let places = i32::from(ranks) * self.tables.files + i32::from(files);
                Site::try_from(i32::from(from) + places).ok()
            }
        };
        found.filter(|site| usize::from(*site) < self.tables.sites)
    }

    /// The position after a ply. The ply must be one that was found in the position.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "what makes up a ply")]
    pub(crate) fn make(
        &self,
        position: &Position<L>,
        recipe: &Recipe<L>,
        from: Site,
        to: Site,
        many: Option<&Many<L::Set>>,
        chosen: Option<u8>,
        general: &dyn General<L>,
    ) -> Position<L> {
        let me = usize::from(position.mover & 1);
        let (gone, come) = (L::Set::one(from), L::Set::one(to));
        let mut next = *position;
        let enemy = position.owners.get(1 - me);
        let mut taken = come & enemy;
        let mut changed = gone | come;
        if let Some(many) = many {
            taken |= many.takes;
            changed |= taken;
            next.clear(changed);
        } else if !taken.is_empty() {
            next.clear(taken);
        }
        let kind = next.kinds.slot(usize::from(recipe.kind));
        *kind = kind.less(gone) | come;
        let own = next.owners.slot(me);
        *own = own.less(gone) | come;
        let change = &recipe.change[usize::from(!taken.is_empty())];
        for ((number, keep), add) in
            next.nums.slice_mut().iter_mut().zip(change.keep.slice()).zip(change.add.slice())
        {
            *number = (*number & keep).wrapping_add(*add);
        }
        if recipe.site.1 != NO_PLACES {
            *next.nums.slot(usize::from(recipe.site.0)) =
                i64::from(i32::from(from).wrapping_add(recipe.site.1));
        }
        for (guard, op) in &recipe.ops {
            let holds = match guard {
                Guard::Always => true,
                Guard::Taken => !taken.is_empty(),
                Guard::NotTaken => taken.is_empty(),
                Guard::Picked => chosen.is_some(),
                Guard::Chosen(kind) => chosen == Some(*kind),
                Guard::Holds(_) => false,
            };
            if holds {
                self.step(op, position, &mut next, &mut changed, (from, to, many, chosen), general);
            }
        }
        next.mover = 1 - position.mover;
        next.played = position.played.wrapping_add(1);
        next
    }

    #[inline(always)]
    fn step(
        &self,
        op: &SetOp,
        before: &Position<L>,
        next: &mut Position<L>,
        changed: &mut L::Set,
        (from, to, many, chosen): (Site, Site, Option<&Many<L::Set>>, Option<u8>),
        general: &dyn General<L>,
    ) {
        let me = before.mover;
        match op {
            SetOp::LessChanged(slot) => {
                let set = next.sets.slot(*slot);
                *set = set.less(*changed);
            }
            SetOp::LessOwned(slot, player) => {
                let owned = next.owners.get(*player);
                let set = next.sets.slot(*slot);
                *set = set.less(owned);
            }
            SetOp::Settle(slot, clause) => {
                let value = next.sets.get(*slot);
                let bit = 1 << (*slot as u32 & 31);
                if before.settled & bit != 0 && value == before.sets.get(*slot) && !changed.meets(value) {
                    return;
                }
                let settled = general.settled(*clause, *slot, next);
                *next.sets.slot(*slot) = settled;
                if settled == value { next.settled |= bit } else { next.settled &= !bit }
            }
            SetOp::Join(slot, place) => {
                if let Some(site) = self.site(*place, from, to, many) {
                    *next.sets.slot(*slot) |= L::Set::one(site);
                }
            }
            SetOp::SetSite(slot, place) => {
                if let Some(site) = self.site(*place, from, to, many) {
                    *next.nums.slot(*slot) = i64::from(site);
                }
            }
            SetOp::Move(a, b) => {
                if let (Some(a), Some(b)) = (self.site(*a, from, to, many), self.site(*b, from, to, many)) {
                    let cell = next.cell(a);
                    next.put(a, None);
                    next.put(b, cell);
                    *changed |= L::Set::one(a) | L::Set::one(b);
                }
            }
            SetOp::Remove(place) => {
                if let Some(site) = self.site(*place, from, to, many) {
                    next.put(site, None);
                    *changed |= L::Set::one(site);
                }
            }
            SetOp::Put(kind, place) => {
                if let Some(site) = self.site(*place, from, to, many) {
                    next.put(site, Some((*kind, me)));
                    *changed |= L::Set::one(site);
                }
            }
            SetOp::PutChosen(place) => {
                if let (Some(site), Some(kind)) = (self.site(*place, from, to, many), chosen) {
                    next.put(site, Some((kind, me)));
                    *changed |= L::Set::one(site);
                }
            }
            SetOp::Reset(slot) => *next.sets.slot(*slot) = L::Set::EMPTY,
        }
    }

    /// How many sequences of plies there are.
    pub(crate) fn perft(
        &self,
        position: &Position<L>,
        depth: u32,
        bulk: bool,
        general: &dyn General<L>,
    ) -> u64 {
        if depth == 0 {
            return 1;
        }
        if depth == 1 && bulk {
            return self.count(position, general);
        }
        let node = self.node(position);
        let mut deeper = Deeper {
            fast: self,
            position,
            me: node.me,
            depth: depth.wrapping_sub(1),
            bulk,
            general,
            fuel: general.fuel(),
            cost: self.tables.ways[node.me].len() as u64,
            count: 0,
        };
        self.visit(position, &node, general, &mut deeper);
        deeper.count
    }

    /// How many legal plies there are.
    #[inline(never)]
    pub(crate) fn count(&self, position: &Position<L>, general: &dyn General<L>) -> u64 {
        let node = self.node(position);
        let mut count = Count(0);
        self.visit(position, &node, general, &mut count);
        count.0
    }

    /// All legal plies of a position.
    pub(crate) fn plies(&self, position: &Position<L>, general: &dyn General<L>, plies: &mut Vec<Ply>) {
        plies.clear();
        let node = self.node(position);
        self.visit(position, &node, general, &mut Gather { fast: self, me: node.me, plies });
    }

    /// A ply as the general engine would describe it, marks left out.
    pub(crate) fn act(&self, position: &Position<L>, ply: Ply) -> Act<L> {
        let me = usize::from(position.mover & 1);
        let way = &self.tables.ways[me][usize::from(ply.way)];
        let recipe = &self.recipes[me][usize::from(way.shape)];
        let mut act = Act::new(recipe.act, position.mover);
        (act.from, act.to, act.piece) = (Some(ply.from), Some(ply.to), Some(recipe.kind));
        act.taken = L::Set::one(ply.to) & position.owners.get(1 - me);
        if let Ways::Many(ways) = &way.reach
            && let Some(many) = ways[usize::from(ply.from)].get(usize::from(ply.many))
        {
            act.taken |= many.takes;
        }
        if ply.chosen != NO_KIND {
            act.bound.push((recipe.binding, Val::Kind(ply.chosen)));
            act.choices.push(recipe.binding);
        }
        act
    }

    /// The position after a ply that was found in it.
    pub(crate) fn after(&self, position: &Position<L>, ply: Ply, general: &dyn General<L>) -> Position<L> {
        let me = usize::from(position.mover & 1);
        let way = &self.tables.ways[me][usize::from(ply.way)];
        let many = match &way.reach {
            Ways::Many(ways) => ways[usize::from(ply.from)].get(usize::from(ply.many)),
            _ => None,
        };
        let chosen = (ply.chosen != NO_KIND).then_some(ply.chosen);
        self.make(
            position,
            &self.recipes[me][usize::from(way.shape)],
            ply.from,
            ply.to,
            many,
            chosen,
            general,
        )
    }
}

#[inline(always)]
fn shifted<S: Set>(reach: &Ways<S>, pieces: S, node: &Node<S>) -> S {
    let Ways::Shift { places, empty, count, froms } = reach else { return S::EMPTY };
    let mut sources = pieces & *froms;
    for at in 0..count & 3 {
        sources &= node.targets[1].shifted(-empty[usize::from(at & 1)]);
    }
    sources.shifted(*places)
}

struct Count(u64);

impl<L: Layout> Visitor<L> for Count {
    #[inline(always)]
    fn targets(&mut self, way: &Common<L::Set>, _: Site, targets: L::Set) {
        self.0 = self.0.wrapping_add(targets.len() as u64);
        if way.more != 0 {
            let more = (targets & way.pick_tos).len() as u64;
            self.0 = self.0.wrapping_add(more.wrapping_mul(u64::from(way.more)));
        }
    }
    #[inline(always)]
    fn shifted(&mut self, way: &Common<L::Set>, targets: L::Set, _: i32) {
        Visitor::<L>::targets(self, way, 0, targets);
    }
    #[inline(always)]
    fn many(&mut self, way: &Common<L::Set>, _: Site, _: usize, many: &Many<L::Set>) {
        let more = if way.pick_tos.has(many.to) { u64::from(way.more) } else { 0 };
        self.0 = self.0.wrapping_add(1 + more);
    }
}

struct Deeper<'a, L: Layout> {
    fast: &'a Fast<L>,
    position: &'a Position<L>,
    me: usize,
    depth: u32,
    bulk: bool,
    general: &'a dyn General<L>,
    fuel: &'a Cell<u64>,
    /// What looking at one position costs.
    cost: u64,
    count: u64,
}

impl<L: Layout> Deeper<'_, L> {
    #[inline(always)]
    fn one(
        &mut self,
        recipe: &Recipe<L>,
        from: Site,
        to: Site,
        many: Option<&Many<L::Set>>,
        chosen: Option<u8>,
    ) {
        let left = self.fuel.get();
        if left == 0 {
            return;
        }
        self.fuel.set(left.saturating_sub(self.cost));
        let next = self.fast.make(self.position, recipe, from, to, many, chosen, self.general);
        let count = if self.depth == 0 {
            // The position must be made, whatever is done with it.
            std::hint::black_box(&next);
            1
        } else {
            self.fast.perft(&next, self.depth, self.bulk, self.general)
        };
        self.count = self.count.wrapping_add(count);
    }

    #[inline(always)]
    fn each(
        &mut self,
        way: &Common<L::Set>,
        targets: L::Set,
        from: impl Fn(Site) -> Site,
        many: Option<&Many<L::Set>>,
    ) {
        let fast = self.fast;
        let shape = fast.tables.ways[self.me][usize::from(way.way)].shape;
        let recipe = &fast.recipes[self.me][usize::from(shape)];
        for to in targets.less(way.pick_tos).sites() {
            self.one(recipe, from(to), to, many, None);
        }
        for to in (targets & way.pick_tos).sites() {
            for kind in &recipe.pick {
                self.one(recipe, from(to), to, many, Some(*kind));
            }
        }
    }
}

impl<L: Layout> Visitor<L> for Deeper<'_, L> {
    #[inline(always)]
    fn targets(&mut self, way: &Common<L::Set>, from: Site, targets: L::Set) {
        self.each(way, targets, |_| from, None);
    }
    #[inline(always)]
    fn shifted(&mut self, way: &Common<L::Set>, targets: L::Set, places: i32) {
        self.each(way, targets, |to| i32::from(to).wrapping_sub(places) as Site, None);
    }
    #[inline(always)]
    fn many(&mut self, way: &Common<L::Set>, from: Site, _: usize, many: &Many<L::Set>) {
        self.each(way, L::Set::one(many.to), |_| from, Some(many));
    }
}

struct Gather<'a, L: Layout> {
    fast: &'a Fast<L>,
    me: usize,
    plies: &'a mut Vec<Ply>,
}

impl<L: Layout> Gather<'_, L> {
    #[inline(always)]
    fn one(&mut self, way: &Common<L::Set>, from: Site, to: Site, many: u16) {
        let ply = Ply { way: way.way, many, from, to, chosen: NO_KIND };
        if self.plies.len() >= MAX_ACTS {
            return;
        }
        if way.pick_tos.has(to) {
            let shape = self.fast.tables.ways[self.me][usize::from(way.way)].shape;
            let kinds = &self.fast.recipes[self.me][usize::from(shape)].pick;
            self.plies.extend(kinds.iter().map(|kind| Ply { chosen: *kind, ..ply }));
        } else {
            self.plies.push(ply);
        }
    }
}

impl<L: Layout> Visitor<L> for Gather<'_, L> {
    fn targets(&mut self, way: &Common<L::Set>, from: Site, targets: L::Set) {
        for to in targets.sites() {
            self.one(way, from, to, u16::MAX);
        }
    }
    fn shifted(&mut self, way: &Common<L::Set>, targets: L::Set, places: i32) {
        for to in targets.sites() {
            self.one(way, i32::from(to).wrapping_sub(places) as Site, to, u16::MAX);
        }
    }
    fn many(&mut self, way: &Common<L::Set>, from: Site, at: usize, many: &Many<L::Set>) {
        self.one(way, from, many.to, at as u16);
    }
}

/// Whether a lane can do without the general engine.
fn qualifies(lane: &Lane) -> bool {
    lane.acts.is_empty()
        && !lane.other_bans
        && !lane.doubles
        && lane.passes_turn
        && lane.shapes.iter().all(|shape| {
            !shape.tested
                && shape.reach != Reach::Walk
                && shape.recipe.is_some()
                && shape.before.iter().all(|ban| ban.attacked.is_some())
        })
}

/// The steps of a shape, put together; `None` when one of them needs the general engine.
fn recipe<L: Layout>(program: &Program, shape: &Shape) -> Option<Recipe<L>> {
    let plain: Change<L> = Change { keep: L::Nums::all(-1), add: L::Nums::all(0) };
    let mut made: Recipe<L> = Recipe {
        kind: shape.kind,
        act: shape.act,
        moves_only: true,
        before: shape.before.iter().filter_map(|ban| ban.attacked.clone()).flatten().collect(),
        change: [plain; 2],
        site: (0, NO_PLACES),
        ops: Vec::new(),
        pick_tos: L::Set::EMPTY,
        pick: Vec::new(),
        binding: 0,
    };
    if let Some(pick) = &shape.choice {
        made.pick_tos = L::Set::from_words(&pick.tos);
        made.pick.clone_from(&pick.kinds);
        made.binding = pick.binding;
        if made.pick.is_empty() && !Set::is_empty(made.pick_tos) {
            return None;
        }
    }
    let mut written: Vec<(bool, usize)> = Vec::new();
    for step in shape.recipe.iter().flatten() {
        let with = match step.guard {
            Guard::Always => [true, true],
            Guard::Taken => [false, true],
            Guard::NotTaken => [true, false],
            Guard::Picked | Guard::Chosen(_) => [false, false],
            Guard::Holds(_) => return None,
        };
        let op = match &step.op {
            Op::Set(slot, value) | Op::Add(slot, value) => {
                let slot = usize::from(*slot);
                if with == [false, false] {
                    return None;
                }
                for (change, applies) in made.change.iter_mut().zip(with) {
                    if !applies {
                        continue;
                    }
                    if matches!(step.op, Op::Set(..)) {
                        *Row::slot(&mut change.keep, slot) = 0i64;
                        *change.add.slot(slot) = *value;
                    } else {
                        let add = change.add.slot(slot);
                        *add = add.wrapping_add(value.wrapping_shl(16));
                    }
                }
                written.push((false, slot));
                continue;
            }
            Op::SetSite(slot, Place::Beside((files, ranks)))
                if step.guard == Guard::Always && made.site.1 == NO_PLACES =>
            {
                made.site = (*slot, i32::from(*ranks) * i32::from(program.board.files) + i32::from(*files));
                written.push((false, usize::from(*slot)));
                continue;
            }
            Op::SetSite(slot, place) => {
                written.push((false, usize::from(*slot)));
                SetOp::SetSite(usize::from(*slot), *place)
            }
            Op::LessChanged(slot) => SetOp::LessChanged(usize::from(*slot)),
            Op::LessOwned(slot, player) => SetOp::LessOwned(usize::from(*slot), usize::from(*player)),
            Op::Join(slot, place) => SetOp::Join(usize::from(*slot), *place),
            Op::Settle(slot) => SetOp::Settle(usize::from(*slot), step.clause),
            Op::Move(a, b) => SetOp::Move(*a, *b),
            Op::Put(kind, place) => SetOp::Put(*kind, *place),
            Op::PutChosen(place) => SetOp::PutChosen(*place),
            Op::Remove(place) => SetOp::Remove(*place),
            Op::General => return None,
        };
        match &op {
            SetOp::LessChanged(slot)
            | SetOp::LessOwned(slot, _)
            | SetOp::Join(slot, _)
            | SetOp::Settle(slot, _) => {
                written.push((true, *slot));
            }
            _ => {}
        }
        made.moves_only &= match &op {
            SetOp::Move(..) => step.guard == Guard::Always,
            SetOp::Put(_, place) | SetOp::PutChosen(place) => *place == Place::To,
            SetOp::Remove(_) => false,
            _ => true,
        };
        made.ops.push((step.guard, op));
    }
    // What lasts one ply and was not set fades.
    for var in program.vars.iter().filter(|var| var.fleeting) {
        for at in 0..var.count {
            let start = match program.consts.get(var.start as usize)? {
                Const::List(values) if !var.each.is_empty() => {
                    program.consts.get(*values.get(usize::from(at))? as usize)?
                }
                one => one,
            };
            let start = match start {
                Const::Nothing => NOTHING,
                Const::Truth(value) => i64::from(*value),
                Const::Number(a, b) => crate::position::pack(*a, *b)?,
                Const::Sites(words) if words.iter().all(|word| *word == 0) => 0,
                _ => return None,
            };
            let slot = usize::from(var.slot + at);
            if written.contains(&(var.ty == Type::Sites, slot)) {
                continue;
            }
            if var.ty == Type::Sites {
                made.ops.push((Guard::Always, SetOp::Reset(slot)));
                continue;
            }
            for change in &mut made.change {
                *Row::slot(&mut change.keep, slot) = 0i64;
                *change.add.slot(slot) = start;
            }
        }
    }
    Some(made)
}
