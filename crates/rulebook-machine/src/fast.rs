//! Legal plies by recognised forms: targets as sets, legality before generation, steps instead of clauses.
//!
//! Law: for a lane that qualifies (`Fast::of`), the plies found here are those the general engine finds, and
//! the positions made are those it makes. What cannot be shown to be safe by masks is made and looked at.

mod derive;
mod drops;
mod find;
mod make;
mod node;
mod resolve;
mod sorted;
mod swift;

use std::cell::Cell;

use self::derive::derive;
pub(crate) use self::find::Known;
pub(crate) use self::node::Node;
use self::node::{Calm, Mode, Only};
use self::sorted::Sorted;
use crate::act::Act;
use crate::attack::View;
use crate::lane::{Ask, Gate, Judged, Lane, NO_SLOT, Reach, Shape, content};
use crate::position::{Layout, NOTHING, Position, Row};
use crate::program::{Form, NO_KIND, NO_SITE, Program, Site, Type};
use crate::query::{Play, Word, ready};
use crate::recipe::{Recipe, SetOp, drop_shape, recipe};
use crate::set::Set;
use crate::tables::{Common, Many, Tables, Way, Ways};
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
    /// Whether an act that a clause grants is legal in a position.
    fn allows(&self, clause: u16, act: Act<L>, position: &Position<L>) -> bool;
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
    /// For each player, the ban on endangering the royal piece where it says more than that it may not be
    /// attacked: the question, and the kind by whose touch it is spared.
    spared: [Option<(u16, u8)>; 2],
    /// For each player, the kind of the other one that may not be attacked.
    calm: [Option<u8>; 2],
    /// For each player, the questions.
    pub(crate) queries: [Vec<Vec<Word<L::Set>>>; 2],
    /// For each player, the endings that stop the counting, where they are all questions.
    stopping: [Option<Vec<u16>>; 2],
    /// Whether a player who can capture must.
    forced: [bool; 2],
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
    tos: S,
    gate: Option<Gate>,
}

/// Who takes the plies that are found.
pub(crate) trait Visitor<L: Layout> {
    /// Whether the number of plies is all it wants to know, and not which way they go or where they start.
    const COUNTS: bool = false;
    /// From one site to several.
    fn targets(&mut self, way: &Common<L::Set>, from: Site, targets: L::Set);
    /// From several sites to as many, all the same distance away.
    fn shifted(&mut self, way: &Common<L::Set>, targets: L::Set, places: i32);
    /// One way with several conditions.
    fn many(&mut self, way: &Common<L::Set>, from: Site, at: usize, many: &Many<L::Set>);
    /// Takes no more than the number of all plies, if that is all it wants to know.
    fn counted(&mut self, _plies: u64) -> bool {
        false
    }
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
        let mut lanes = program.lanes.clone();
        derive(&mut lanes, &program.board);
        // What is left to the general engine is taken out of the lanes.
        let mut general: [Vec<Left<L::Set>>; 2] = Default::default();
        let mut recipes: [Vec<Recipe<L>>; 2] = Default::default();
        for ((lane, general), recipes) in lanes.iter_mut().zip(&mut general).zip(&mut recipes) {
            let known = lane.clone();
            let mut made: Vec<Option<Recipe<L>>> = known
                .shapes
                .iter()
                .map(|shape| recipe(program, &known, shape).filter(|_| is_fast(shape)))
                .collect();
            // What the general engine finds for one way of a clause it finds for all of them.
            let whole = whole_ways(&known.shapes, &made);
            for (made, _) in made.iter_mut().zip(&whole).filter(|(_, whole)| **whole) {
                *made = None;
            }
            for ((shape, made), whole) in lane.shapes.iter_mut().zip(made).zip(whole) {
                if made.is_none() {
                    let froms = shape.froms.as_deref().map_or(!L::Set::EMPTY, L::Set::from_words);
                    let tos = shape.tos.as_deref().filter(|_| !whole);
                    let tos = tos.map_or(!L::Set::EMPTY, L::Set::from_words);
                    let gate = shape.gate.filter(|gate| matches!(gate, Gate::Within(_)));
                    let left = Left { clause: shape.clause, kind: Some(shape.kind), froms, tos, gate };
                    let same = |known: &&mut Left<L::Set>| {
                        whole && (known.clause, known.kind) == (left.clause, left.kind)
                    };
                    match general.iter_mut().find(same) {
                        Some(known) => {
                            known.froms |= left.froms;
                            known.gate = known.gate.filter(|gate| left.gate == Some(*gate));
                        }
                        None => general.push(left),
                    }
                    shape.reach = Reach::Walk;
                }
                recipes.push(made.unwrap_or_else(|| Recipe::nothing(shape)));
            }
            if lane.shapes.iter().all(|shape| shape.reach == Reach::Walk) && lane.drops.is_empty() {
                return None;
            }
            for drop in &mut lane.drops {
                let made = recipe(program, &known, &drop_shape(drop)).filter(|_| drop.recipe.is_some());
                let judged = made.is_none();
                let mut made = made.unwrap_or_else(|| Recipe::nothing(&drop_shape(drop)));
                made.choices.clone_from(&drop.choices);
                made.bare = drop.bare;
                recipes.push(made);
                // What the general engine must make it must find as well.
                if judged {
                    return None;
                }
            }
            let dropped: Vec<u16> = lane.drops.iter().map(|drop| drop.clause).collect();
            let acts = lane.acts.iter().filter(|at| !dropped.contains(at));
            general.extend(acts.map(|at| Left {
                clause: *at,
                kind: None,
                froms: L::Set::EMPTY,
                tos: !L::Set::EMPTY,
                gate: None,
            }));
            let follows =
                recipes.iter().any(|recipe| recipe.ops.iter().any(|(_, op)| matches!(op, SetOp::General(_))));
            let judged = lane.drops.iter().any(|drop| drop.judged != Judged::Never);
            if lane.reads_past && (follows || judged || !general.is_empty()) {
                return None;
            }
        }
        let tables = Tables::<L>::of(&program.board, &lanes, &program.lookups);
        let asked = lanes.iter().zip(tables.attacks.iter().rev()).any(|(lane, other)| {
            let before =
                lane.shapes.iter().any(|shape| !shape.before.is_empty() || !shape.instances.is_empty());
            !other.complete && (lane.royal.is_some() || lane.guarded.is_some() || before)
        });
        let strikes = |ask: &Ask| match ask {
            Ask::Struck(by) | Ask::Strikers(by) => {
                tables.attacks.get(usize::from(*by)).is_none_or(|other| !other.complete)
            }
            _ => false,
        };
        if asked || lanes.iter().flat_map(|lane| &lane.queries).flatten().any(strikes) {
            return None;
        }
        let all = tables.board();
        let mut queries: [Vec<Vec<Word<L::Set>>>; 2] = Default::default();
        for (ready_ones, lane) in queries.iter_mut().zip(&lanes) {
            *ready_ones = lane.queries.iter().map(|query| ready(query, all)).collect::<Option<_>>()?;
        }
        let mut fast = Self {
            recipes,
            royal: [&lanes[0], &lanes[1]].map(|lane| {
                let guarded = lane.guarded.as_ref().map(|guarded| guarded.kind);
                lane.royal.map(|royal| royal.kind).or(guarded)
            }),
            spared: [&lanes[0], &lanes[1]]
                .map(|lane| lane.guarded.as_ref().and_then(|guarded| Some((guarded.query, guarded.spared?)))),
            calm: [&lanes[0], &lanes[1]].map(|lane| lane.calm.as_ref().map(|calm| calm.kind)),
            sorted: Default::default(),
            general,
            queries,
            stopping: [first, second].map(|lane| lane.stops.clone()),
            forced: [first, second].map(|lane| lane.forced),
            stops: program.clauses.iter().any(|clause| matches!(clause.form, Form::Ends { stops: true, .. })),
            tables,
        };
        fast.resolve();
        Some(fast)
    }

    /// Whether the numbers of a position are such that the steps may be used.
    pub(crate) fn fits(program: &Program, position: &Position<L>) -> bool {
        program.vars.iter().all(|var| {
            var.ty != Type::Number
                || (0..var.count).all(|at| position.nums.get(usize::from(var.slot + at)) & 0xffff == 1)
        })
    }

    /// Whether the royal piece of a player is attacked.
    fn is_royal_attacked(&self, position: &Position<L>, player: usize) -> bool {
        let Some(kind) = self.royal[player & 1] else { return false };
        let (own, enemy) = (position.owners.get(player), position.owners.get(1 - player));
        let come = (NO_SITE, NO_KIND);
        let view = View { position, by: 1 - player, occupied: own | enemy, attackers: enemy, come };
        (position.kinds.get(usize::from(kind)) & own)
            .sites()
            .any(|site| self.tables.is_attacked(site, 1 << kind, view))
    }

    /// Hands all legal plies to a visitor.
    #[inline(always)]
    pub(crate) fn visit<V: Visitor<L>>(
        &self,
        position: &Position<L>,
        node: &Node<L::Set>,
        general: &dyn General<L>,
        visitor: &mut V,
    ) {
        if self.forced[node.me] {
            return self.visit_forced(position, node, general, visitor);
        }
        self.visit_some(position, node, general, visitor);
    }

    /// The same where who can capture must: what else there is counts only where there is no capture.
    #[inline(never)]
    fn visit_forced<V: Visitor<L>>(
        &self,
        position: &Position<L>,
        node: &Node<L::Set>,
        general: &dyn General<L>,
        visitor: &mut V,
    ) {
        let mut any = Count(0);
        let mut node = node.only(Only::Captures);
        self.visit_some(position, &node, general, &mut any);
        if any.0 == 0 {
            node = self.node(position).only(Only::Others);
        } else if visitor.counted(any.0) {
            return;
        }
        self.visit_some(position, &node, general, visitor);
    }

    #[inline(never)]
    fn visit_some<V: Visitor<L>>(
        &self,
        position: &Position<L>,
        node: &Node<L::Set>,
        general: &dyn General<L>,
        visitor: &mut V,
    ) {
        let ways = &self.tables.ways[node.me];
        if self.is_swift(node) {
            self.visit_swift(position, node, general, visitor);
        } else {
            for (at, way) in ways.iter().enumerate() {
                self.visit_way(position, node, way, at, !L::Set::EMPTY, general, visitor);
            }
        }
        for left in &self.general[node.me] {
            let mut pieces =
                left.kind.map_or(L::Set::EMPTY, |kind| position.pieces(kind, node.me as u8)) & left.froms;
            if let Some(Gate::Within(slot)) = left.gate {
                pieces &= position.sets.get(usize::from(slot));
            }
            if left.kind.is_none() || !pieces.is_empty() {
                let mut plies = general.granted(left.clause, pieces, position);
                if left.tos != !L::Set::EMPTY {
                    plies.retain(|(act, _)| act.to.is_none_or(|to| left.tos.has(to)));
                }
                if node.only != Only::All {
                    plies.retain(|(act, _)| node.wants(!act.taken.is_empty()));
                }
                for (act, next) in &mut plies {
                    next.last = act.name;
                }
                visitor.whole(plies);
            }
        }
    }

    /// The plies of one way, whatever its form, where few ways are left for it.
    #[inline(never)]
    fn visit_rest<V: Visitor<L>>(
        &self,
        position: &Position<L>,
        node: &Node<L::Set>,
        index: usize,
        general: &dyn General<L>,
        visitor: &mut V,
    ) {
        let way = &self.tables.ways[node.me][index];
        self.visit_way(position, node, way, index, !L::Set::EMPTY, general, visitor);
    }

    /// The plies of one way, whatever its form, of the pieces on some sites.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "the parts of one loop body")]
    fn visit_way<V: Visitor<L>>(
        &self,
        position: &Position<L>,
        node: &Node<L::Set>,
        way: &Way<L::Set>,
        index: usize,
        among: L::Set,
        general: &dyn General<L>,
        visitor: &mut V,
    ) {
        if let Ways::Drop(dropped) = &way.reach {
            let common = &way.common(index);
            let targets = self.dropped(position, node, way, dropped, general);
            if !targets.is_empty() {
                self.emit(node, common, NO_SITE, targets, visitor);
            }
            return;
        }
        let own = position.owners.get(node.me);
        let mut pieces = position.kinds.get(usize::from(way.kind)) & own & way.froms & among;
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
            let struck =
                |sites| self.tables.struck_of(sites, 1 - node.me, &node.forces, node.occupied) & sites;
            for from in pieces.sites() {
                let list = &ways[usize::from(from)];
                // Most ways fail at once, on a site that is not in the set it must be in.
                let Some(keys) = way.keys.get(usize::from(from)) else {
                    for (at, many) in list.iter().enumerate() {
                        self.visit_many(
                            position,
                            node,
                            recipe,
                            common,
                            (from, at, many),
                            &struck,
                            general,
                            visitor,
                        );
                    }
                    continue;
                };
                let mut live = position.sets.get(usize::from(keys.slot)) & keys.sites;
                if keys.own {
                    live &= own;
                }
                for at in live.sites().flat_map(|site| &keys.ways[usize::from(site)]) {
                    let at = usize::from(*at);
                    let many = (from, at, &list[at]);
                    self.visit_many(position, node, recipe, common, many, &struck, general, visitor);
                }
            }
            return;
        }
        let ends = node.targets[usize::from(way.ends & 7)] & way.tos;
        let spare = || way.spare.is_some_and(|query| !self.holds(node.me, query, &Play::none(position)));
        if node.mode == Mode::Tried || !(way.plain || spare()) {
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
        if (node.mode != Mode::Free || node.touching) && Some(way.kind) == self.royal[node.me] {
            let from = node.royal;
            if !pieces.has(from) {
                return;
            }
            let reached = self.reached(way, from, node) & ends;
            let mut kept = reached & node.spared;
            for to in reached.less(kept).sites() {
                if !self.is_attacked_after(position, node, way.kind, from, to, to) {
                    kept |= L::Set::one(to);
                }
            }
            self.emit(node, common, from, kept, visitor);
            return;
        }
        match node.mode {
            Mode::Double => {}
            Mode::Danger => self.dangerous(position, node, way, common, pieces, ends, visitor),
            _ => {
                let allowed = ends & node.mask;
                for from in pieces.less(node.pinned).sites() {
                    self.emit(node, common, from, self.reached(way, from, node) & allowed, visitor);
                }
                for from in (pieces & node.pinned).sites() {
                    let line =
                        self.tables.through[usize::from(node.royal) * self.tables.sites + usize::from(from)];
                    self.emit(node, common, from, self.reached(way, from, node) & allowed & line, visitor);
                }
            }
        }
    }

    /// One way with several conditions.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "the parts of one loop body")]
    fn visit_many<V: Visitor<L>>(
        &self,
        position: &Position<L>,
        node: &Node<L::Set>,
        recipe: &Recipe<L>,
        common: &Common<L::Set>,
        (from, at, many): (Site, usize, &Many<L::Set>),
        struck: &impl Fn(L::Set) -> L::Set,
        general: &dyn General<L>,
        visitor: &mut V,
    ) {
        if !self.is_possible(position, node, many)
            || (node.only != Only::All && !node.wants(node.enemy.has(many.to) || !many.takes.is_empty()))
        {
            return;
        }
        let allowed = match &many.enough {
            Some(sites) if node.knows => !node.attacked && struck(*sites).is_empty(),
            _ => self.is_allowed(position, node, recipe, from, many.to, Some(many), general),
        };
        if allowed {
            visitor.many(common, from, at, many);
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
                if !self.is_attacked_after(position, node, way.kind, from, to, node.royal) {
                    kept |= L::Set::one(to);
                }
            }
            self.emit(node, common, from, kept, visitor);
        }
    }

    /// Hands plain movements to a visitor, but for those that attack what may not be attacked.
    ///
    /// Law: while the piece is not attacked, a movement that neither leaves nor reaches a site that matters to
    /// that, nor reaches one from which the moving kind would attack it, does not attack it.
    #[inline(always)]
    fn emit<V: Visitor<L>>(
        &self,
        node: &Node<L::Set>,
        common: &Common<L::Set>,
        from: Site,
        targets: L::Set,
        visitor: &mut V,
    ) {
        match &node.calm {
            None => visitor.targets(common, from, targets),
            Some(calm) => visitor.targets(common, from, self.calmed(node, calm, common.kind, from, targets)),
        }
    }

    /// The targets of plain movements that do not attack what may not be attacked.
    #[inline(never)]
    fn calmed(
        &self,
        node: &Node<L::Set>,
        calm: &Calm<L::Set>,
        kind: u8,
        from: Site,
        targets: L::Set,
    ) -> L::Set {
        if targets.is_empty() {
            return targets;
        }
        let me = node.me;
        let strikers = self.tables.strikers(calm.quarry, me, kind, node.occupied);
        let strikers = strikers.unwrap_or(!L::Set::EMPTY);
        let mut kept = L::Set::EMPTY;
        if !calm.sight.has(from) {
            kept = targets.less(calm.sight | strikers);
        }
        let gone = L::Set::one(from);
        for to in targets.less(kept).sites() {
            let come = L::Set::one(to);
            let forces = calm.forces.moved(&self.tables.attacks[me], kind, gone, come);
            let occupied = node.occupied.less(gone) | come;
            if !self.tables.is_struck(calm.quarry, me, &forces, occupied, !L::Set::EMPTY) {
                kept |= come;
            }
        }
        kept
    }

    /// Whether the royal piece, then on a site, is attacked after a plain movement.
    #[inline(always)]
    fn is_attacked_after(
        &self,
        position: &Position<L>,
        node: &Node<L::Set>,
        moved: u8,
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
        let view = View { position, by: 1 - node.me, occupied, attackers, come: (to, moved) };
        self.tables.is_attacked(royal, 1 << kind, view)
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
            Ways::Many(_) | Ways::Drop(_) => L::Set::EMPTY,
        }
    }

    #[inline(always)]
    fn is_possible(&self, position: &Position<L>, node: &Node<L::Set>, many: &Many<L::Set>) -> bool {
        let own = position.owners.get(node.me);
        // Most ways that are left fail on sites that are not empty.
        if many.empty.meets(node.occupied) {
            return false;
        }
        if many.is.0 != NO_SLOT && position.nums.get(usize::from(many.is.0)) != i64::from(many.is.1) {
            return false;
        }
        if many.within.0 != NO_SLOT
            && !many.within.1.less(position.sets.get(usize::from(many.within.0))).is_empty()
        {
            return false;
        }
        many.own.less(own).is_empty()
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
        if self.stops && self.is_over(position, general) {
            return 0;
        }
        if depth == 1 && bulk {
            return self.count(position, general);
        }
        let mut node = Node::none();
        self.look(position, &mut node);
        let mut deeper = Deeper {
            fast: self,
            position,
            next: *position,
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

    /// Whether the game has ended, so that sequences of plies are not counted on.
    pub(crate) fn is_over(&self, position: &Position<L>, general: &dyn General<L>) -> bool {
        let me = usize::from(position.mover & 1);
        let Some(endings) = &self.stopping[me] else { return general.stops(position) };
        let play = Play::none(position);
        match endings.iter().filter(|query| self.holds(me, **query, &play)).count() {
            0 => false,
            1 => true,
            // They may contradict each other, which is a fault.
            _ => general.stops(position),
        }
    }

    /// How many legal plies there are.
    #[inline(never)]
    pub(crate) fn count(&self, position: &Position<L>, general: &dyn General<L>) -> u64 {
        let mut node = Node::none();
        self.look(position, &mut node);
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
        if matches!(way.reach, Ways::Drop(_)) {
            return drops::act(recipe, position.mover, ply.to);
        }
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
        let mut next = *position;
        self.after_in(&mut next, position, ply, general);
        next
    }

    /// The same in a place that holds any position.
    #[inline(always)]
    pub(crate) fn after_in(
        &self,
        next: &mut Position<L>,
        position: &Position<L>,
        ply: Ply,
        general: &dyn General<L>,
    ) {
        let me = usize::from(position.mover & 1);
        let way = &self.tables.ways[me][usize::from(ply.way)];
        let many = match &way.reach {
            Ways::Many(ways) => ways[usize::from(ply.from)].get(usize::from(ply.many)),
            _ => None,
        };
        let chosen = (ply.chosen != NO_KIND).then_some(ply.chosen);
        let recipe = &self.recipes[me][usize::from(way.shape)];
        self.make_in(next, position, recipe, ply.from, ply.to, many, chosen, general);
    }
}

#[inline(always)]
fn shifted<S: Set>(reach: &Ways<S>, pieces: S, node: &Node<S>) -> S {
    let Ways::Shift { places, empty, count, froms } = reach else { return S::EMPTY };
    let mut sources = pieces & *froms;
    for at in 0..count & 3 {
        sources &= node.empty.shifted(-empty[usize::from(at & 1)]);
    }
    sources.shifted(*places)
}

/// The shapes that belong to a clause and kind of which some way is left to the general engine and may end where
/// another one does: that engine looks after all of them.
fn whole_ways<R>(shapes: &[Shape], made: &[Option<R>]) -> Vec<bool> {
    let meet = |a: &Option<Vec<u64>>, b: &Option<Vec<u64>>| match (a, b) {
        (Some(a), Some(b)) => a.iter().zip(b).any(|(a, b)| a & b != 0),
        _ => true,
    };
    let same = |a: &Shape, b: &Shape| (a.clause, a.kind) == (b.clause, b.kind);
    let mixed = |(at, shape): (usize, &Shape)| {
        let left = made.get(at).is_some_and(Option::is_none);
        let mut others = shapes.iter().enumerate().filter(|(other, _)| *other != at);
        left && others.any(|(_, other)| {
            same(shape, other) && meet(&shape.froms, &other.froms) && meet(&shape.tos, &other.tos)
        })
    };
    let mixed: Vec<&Shape> =
        shapes.iter().enumerate().filter(|one| mixed(*one)).map(|(_, shape)| shape).collect();
    shapes.iter().map(|shape| mixed.iter().any(|other| same(shape, other))).collect()
}

/// Whether there is any use in a lane.
fn qualifies(lane: &Lane) -> bool {
    (!lane.measured || lane.forced) && !lane.doubles && lane.passes_turn
}

/// Whether a shape can do without the general engine.
fn is_fast(shape: &Shape) -> bool {
    !shape.tested
        && shape.reach != Reach::Walk
        && shape.recipe.is_some()
        && shape.before.iter().all(|ban| ban.attacked.is_some() || ban.query.is_some())
}
