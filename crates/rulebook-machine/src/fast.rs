//! Legal plies by recognised forms: targets as sets, legality before generation, steps instead of clauses.
//!
//! Law: for a lane that qualifies (`Fast::of`), the plies found here are those the general engine finds, and
//! the positions made are those it makes. What cannot be shown to be safe by masks is made and looked at.

mod make;

use std::cell::Cell;

use crate::act::Act;
use crate::attack::{Forces, View};
use crate::lane::{Gate, Guard, Lane, Place, Reach, Shape, content};
use crate::position::{Layout, NOTHING, Position, Row};
use crate::program::{Form, NO_KIND, NO_SITE, Program, Site, Type};
use crate::recipe::{Recipe, recipe};
use crate::set::Set;
use crate::tables::{Common, Many, NO_SLOT, SetOp, Sorted, Tables, Way, Ways};
use crate::value::Val;
use crate::visit::{Count, Deeper, Gather};

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
    /// The plies that a clause grants to the pieces on some sites, with the positions after them.
    fn granted(&self, clause: u16, pieces: L::Set, position: &Position<L>) -> Vec<(Act<L>, Position<L>)>;
    /// Does what a clause that follows a ply says; the sites whose content has changed.
    fn follow(&self, clause: u16, before: &Position<L>, now: &mut Position<L>, act: Act<L>) -> L::Set;
    /// Whether the game has ended in a position, so that sequences of plies are not counted on.
    fn stops(&self, position: &Position<L>) -> bool;
}

/// The fast paths of a program.
#[derive(Clone, Debug)]
pub(crate) struct Fast<L: Layout> {
    pub(crate) tables: Tables<L>,
    pub(crate) recipes: [Vec<Recipe<L>>; 2],
    royal: [Option<u8>; 2],
    sorted: [Sorted<L::Set>; 2],
    /// For each player, the ways that the general engine looks after: clause and kind, none for other acts.
    general: [Vec<Left<L::Set>>; 2],
    pub(crate) stops: bool,
}

/// The sites that are left and those that are come to, where that can be said.
type Moved<S> = Option<(S, S)>;

/// A clause that is left to the general engine.
#[derive(Clone, Copy, Debug)]
struct Left<S> {
    clause: u16,
    kind: Option<u8>,
    froms: S,
    gate: Option<Gate>,
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
    /// Plies of the general engine.
    fn whole(&mut self, plies: Vec<(Act<L>, Position<L>)>);
}

/// Finds where things go in the lanes of a program: `None` when one of them needs the general engine.
impl<L: Layout> Fast<L> {
    pub(crate) fn of(program: &Program) -> Option<Self> {
        let [first, second] = &program.lanes[..] else { return None };
        if !qualifies(first) || !qualifies(second) {
            return None;
        }
        // What is left to the general engine is taken out of the lanes.
        let mut lanes = program.lanes.clone();
        let mut general: [Vec<Left<L::Set>>; 2] = Default::default();
        let mut recipes: [Vec<Recipe<L>>; 2] = Default::default();
        for ((lane, general), recipes) in lanes.iter_mut().zip(&mut general).zip(&mut recipes) {
            for shape in &mut lane.shapes {
                let made = recipe(program, shape).filter(|_| is_fast(shape));
                if made.is_none() {
                    let froms = shape.froms.as_deref().map_or(!L::Set::EMPTY, L::Set::from_words);
                    let gate = shape.gate.filter(|gate| matches!(gate, Gate::Within(_)));
                    general.push(Left { clause: shape.clause, kind: Some(shape.kind), froms, gate });
                    shape.reach = Reach::Walk;
                }
                recipes.push(made.unwrap_or_else(|| Recipe::nothing(shape)));
            }
            if lane.shapes.iter().all(|shape| shape.reach == Reach::Walk) {
                return None;
            }
            let acts = lane.acts.iter();
            general.extend(acts.map(|at| Left { clause: *at, kind: None, froms: L::Set::EMPTY, gate: None }));
            let follows =
                recipes.iter().any(|recipe| recipe.ops.iter().any(|(_, op)| matches!(op, SetOp::General(_))));
            if lane.reads_past && (follows || !general.is_empty()) {
                return None;
            }
        }
        let tables = Tables::<L>::of(&program.board, &lanes, &program.lookups);
        let asked = lanes.iter().zip(tables.attacks.iter().rev()).any(|(lane, other)| {
            let before =
                lane.shapes.iter().any(|shape| !shape.before.is_empty() || !shape.instances.is_empty());
            !other.complete && (lane.royal.is_some() || before)
        });
        if asked {
            return None;
        }
        let mut fast = Self {
            recipes,
            royal: [first, second].map(|lane| lane.royal.map(|royal| royal.kind)),
            sorted: Default::default(),
            general,
            stops: program.clauses.iter().any(|clause| matches!(clause.form, Form::Ends { stops: true, .. })),
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
                        if !many.instance {
                            let before = recipe.before.iter().filter_map(site).collect();
                            many.before = before;
                        }
                        let (moved, royal) = self.moved(player, recipe, from, many);
                        many.moved = moved;
                        many.royal = royal;
                    }
                }
            }
            self.sorted[player] = Sorted::of(list, self.royal[player]);
        }
        self.tables.ways = ways;
    }

    /// What becomes of the occupied sites: those that are left and those that are come to; and where the royal
    /// piece is then, if it is the one that moves.
    fn moved(
        &self,
        player: usize,
        recipe: &Recipe<L>,
        from: Site,
        many: &Many<L::Set>,
    ) -> (Moved<L::Set>, Site) {
        let mut left = L::Set::one(from) | many.takes;
        let mut come = L::Set::one(many.to);
        let is_royal = Some(recipe.kind) == self.royal[player];
        let mut royal = if is_royal { many.to } else { NO_SITE };
        let mut known = recipe.moves_only;
        let site = |place: &Place| self.site(*place, from, many.to, Some(many));
        let always = recipe.ops.iter().filter(|(guard, _)| *guard == Guard::Always).map(|(_, op)| op);
        for op in many.first.iter().chain(always) {
            match op {
                SetOp::Move(a, b) => match (site(a), site(b)) {
                    (Some(a), Some(b)) => {
                        known &= !come.has(a);
                        left |= L::Set::one(a);
                        come |= L::Set::one(b);
                    }
                    _ => known = false,
                },
                SetOp::Remove(place) => {
                    if let Some(site) = site(place) {
                        come = come.less(L::Set::one(site));
                        left |= L::Set::one(site);
                        if site == royal {
                            royal = NO_SITE;
                        }
                    }
                }
                SetOp::Put(kind, place) => {
                    if let Some(site) = site(place) {
                        come |= L::Set::one(site);
                        if is_royal && *kind == recipe.kind {
                            royal = site;
                        }
                    }
                }
                _ => {}
            }
        }
        known &= !is_royal || royal != NO_SITE;
        (known.then_some((left, come)), royal)
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
        for left in &self.general[node.me] {
            let mut pieces =
                left.kind.map_or(L::Set::EMPTY, |kind| position.pieces(kind, node.me as u8)) & left.froms;
            if let Some(Gate::Within(slot)) = left.gate {
                pieces &= position.sets.get(usize::from(slot));
            }
            if left.kind.is_none() || !pieces.is_empty() {
                visitor.whole(general.granted(left.clause, pieces, position));
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

    /// A kind among those that a way lets choose.
    pub(crate) fn choice(&self, position: &Position<L>, way: u16, choice: u32) -> u8 {
        let me = usize::from(position.mover & 1);
        let shape = self.tables.ways[me].get(usize::from(way)).map_or(0, |way| way.shape);
        let picked = self.recipes[me].get(usize::from(shape)).map_or(&[][..], |recipe| &recipe.pick);
        picked.get(choice as usize).copied().unwrap_or(NO_KIND)
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
        if self.stops && general.stops(position) {
            return 0;
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

    /// All legal plies of a position: those of the fast paths, and those of the general engine with the
    /// positions after them.
    pub(crate) fn plies(
        &self,
        position: &Position<L>,
        general: &dyn General<L>,
        plies: &mut Vec<Ply>,
        whole: &mut Vec<(Act<L>, Position<L>)>,
    ) {
        plies.clear();
        whole.clear();
        let node = self.node(position);
        self.visit(position, &node, general, &mut Gather { fast: self, me: node.me, plies, whole });
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

/// Whether there is any use in a lane.
fn qualifies(lane: &Lane) -> bool {
    !lane.measured && !lane.doubles && lane.passes_turn
}

/// Whether a shape can do without the general engine.
fn is_fast(shape: &Shape) -> bool {
    !shape.tested
        && shape.reach != Reach::Walk
        && shape.recipe.is_some()
        && shape.before.iter().all(|ban| ban.attacked.is_some())
}
