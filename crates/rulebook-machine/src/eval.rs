//! The value of a term in a situation.
//!
//! Invariant: evaluation changes nothing but the buffers of its question and always ends: terms refer to
//! earlier ones only, collections are finite, and every step burns fuel. What has no value is a fault.

use std::sync::Arc;

use crate::engine::{Engine, NUMBER, Outcomes, Scene, WORK, Work};
use crate::position::{Layout, Row};
use crate::program::{Builtin, Code, Context, Fold, Node, NodeId, Operator, Quantifier, Run, Site, Type};
use crate::set::Set;
use crate::value::{Num, Val};

/// Longest list that a range makes, less one.
const MAX_RANGE: i64 = 100_000;
/// Longest list of all.
const MAX_LIST: usize = 1 << 20;

/// What a quantifier, a filter or a fold goes over.
pub(crate) enum Members<S> {
    Sites(S),
    List(Arc<Vec<Val<S>>>, usize),
    Numbers(i64, i64),
    Players(u8, u8),
    Rows(u16, u32, u32),
    None,
}

impl<S: Set> Members<S> {
    pub(crate) fn of(value: Val<S>) -> Self {
        match value {
            Val::Sites(sites) => Self::Sites(sites),
            Val::Site(site) => Self::Sites(S::one(site)),
            Val::List(values) => Self::List(values, 0),
            _ => Self::None,
        }
    }

    pub(crate) fn next(&mut self) -> Option<Val<S>> {
        match self {
            Self::None => None,
            Self::Sites(sites) => {
                let site = sites.first()?;
                *sites = sites.rest();
                Some(Val::Site(site))
            }
            Self::List(values, at) => {
                let value = values.get(*at).cloned();
                *at += 1;
                value
            }
            Self::Numbers(next, last) => {
                let number = *next;
                (number <= *last).then(|| {
                    // The ends of a range are far from the ends of 64 bits, or there is only one number.
                    *next = number.saturating_add(1);
                    if *next == number {
                        *last = i64::MIN;
                    }
                    Val::Number(Num::whole(number))
                })
            }
            Self::Players(next, count) => {
                let player = *next;
                (player < *count).then(|| {
                    *next += 1;
                    Val::Player(player)
                })
            }
            Self::Rows(table, next, count) => {
                let row = *next;
                (row < *count).then(|| {
                    *next += 1;
                    Val::Row(*table, row)
                })
            }
        }
    }
}

/// The whole numbers of a range, first and last; `None` if one end is not whole.
fn range(from: Num, to: Num) -> Outcomes<Option<(i64, i64)>> {
    let (Some(from), Some(to)) = (from.to_whole(), to.to_whole()) else { return Ok(None) };
    if to.saturating_sub(from) > MAX_RANGE { Err(WORK) } else { Ok(Some((from, to))) }
}

impl<L: Layout> Engine<L> {
    /// Does something in a frame of local names that begins at `start` on top of the others.
    #[inline(always)]
    fn framed<T>(
        work: &mut Work<L>,
        start: usize,
        size: usize,
        inside: impl FnOnce(&mut Work<L>) -> Outcomes<T>,
    ) -> Outcomes<T> {
        let outer = (work.base, work.size);
        if work.slots.len() != start + size {
            work.slots.resize(start + size, Val::Nothing);
        }
        (work.base, work.size) = (start, size);
        let value = inside(work)?;
        work.slots.truncate(start);
        (work.base, work.size) = outer;
        Ok(value)
    }

    /// The value of a code.
    ///
    /// # Errors
    /// A fault of the program in this situation.
    pub fn run(&self, code: Code, scene: &Scene<'_, L>, work: &mut Work<L>) -> Outcomes<Val<L::Set>> {
        let start = work.slots.len();
        Self::framed(work, start, usize::from(code.slots), |work| self.eval(code.root, scene, work))
    }

    /// Whether a code holds.
    ///
    /// # Errors
    /// A fault of the program in this situation.
    #[inline]
    pub fn truth(&self, code: Code, scene: &Scene<'_, L>, work: &mut Work<L>) -> Outcomes<bool> {
        let start = work.slots.len();
        Self::framed(work, start, usize::from(code.slots), |work| self.holds(code.root, scene, work))
    }

    /// The sites that a code means.
    pub(crate) fn run_sites(&self, code: Code, scene: &Scene<'_, L>, work: &mut Work<L>) -> Outcomes<L::Set> {
        let start = work.slots.len();
        Self::framed(work, start, usize::from(code.slots), |work| self.sites(code.root, scene, work))
    }

    /// The value of a code whose first local name has a value.
    pub(crate) fn run_with(
        &self,
        code: Code,
        first: Val<L::Set>,
        scene: &Scene<'_, L>,
        work: &mut Work<L>,
    ) -> Outcomes<Val<L::Set>> {
        let start = work.slots.len();
        work.slots.push(first);
        Self::framed(work, start, usize::from(code.slots).max(1), |work| self.eval(code.root, scene, work))
    }

    /// Whether a test of a pattern holds, in a copy of the frame around the pattern.
    pub(crate) fn test(&self, code: Code, scene: &Scene<'_, L>, work: &mut Work<L>) -> Outcomes<bool> {
        let start = work.slots.len();
        let (from, len) = scene.frame;
        for at in from..from + len {
            let value = work.slots.get(at).cloned().unwrap_or_default();
            work.slots.push(value);
        }
        let size = len.max(usize::from(code.slots));
        Self::framed(work, start, size, |work| self.holds(code.root, scene, work))
    }

    /// Whether a clause applies: its condition holds and its exception does not.
    #[inline]
    pub fn applies(
        &self,
        when: Option<Code>,
        unless: Option<Code>,
        scene: &Scene<'_, L>,
        work: &mut Work<L>,
    ) -> Outcomes<bool> {
        if let Some(code) = when
            && !self.truth(code, scene, work)?
        {
            return Ok(false);
        }
        match unless {
            Some(code) => Ok(!self.truth(code, scene, work)?),
            None => Ok(true),
        }
    }

    /// The value of a definition, its arguments standing at the top of the local names.
    pub(crate) fn apply(
        &self,
        body: u16,
        start: usize,
        count: usize,
        scene: &Scene<'_, L>,
        work: &mut Work<L>,
    ) -> Outcomes<Val<L::Set>> {
        let codes = self.program.bodies.get(usize::from(body)).map_or(&[][..], |body| &body.codes);
        let code = match (codes, work.slots.get(start)) {
            ([], _) => None,
            ([code], _) => Some(code),
            (codes, Some(Val::Player(player))) if count > 0 => codes.get(usize::from(*player)),
            _ => None,
        };
        let Some(code) = code else {
            work.slots.truncate(start);
            return Ok(Val::Nothing);
        };
        let size = count.max(usize::from(code.slots));
        Self::framed(work, start, size, |work| self.eval(code.root, scene, work))
    }

    /// Evaluates what needs more room on the stack than other terms.
    #[inline(always)]
    fn wide<T>(&self, work: &mut Work<L>, inside: impl FnOnce(&mut Work<L>) -> Outcomes<T>) -> Outcomes<T> {
        work.dive(3)?;
        let value = inside(work)?;
        work.surface(3);
        Ok(value)
    }

    fn set_slot(work: &mut Work<L>, slot: u16, value: Val<L::Set>) {
        let at = work.base + usize::from(slot);
        if let Some(slot) = work.slots.get_mut(at) {
            *slot = value;
        }
    }

    pub(crate) fn list(&self, run: Run) -> &[NodeId] {
        run.of(&self.program.lists)
    }

    /// Whether a term is the truth value that holds.
    pub(crate) fn holds(&self, id: NodeId, scene: &Scene<'_, L>, work: &mut Work<L>) -> Outcomes<bool> {
        let Some(node) = self.node(id) else { return Ok(false) };
        work.burn(1)?;
        work.dive(2)?;
        let truth = match *node {
            Node::Not(inner) => !self.holds(inner, scene, work)?,
            Node::Binary(Operator::And, a, b) => self.holds(a, scene, work)? && self.holds(b, scene, work)?,
            Node::Binary(Operator::Or, a, b) => self.holds(a, scene, work)? || self.holds(b, scene, work)?,
            Node::Binary(
                operator @ (Operator::Eq
                | Operator::Ne
                | Operator::Lt
                | Operator::Le
                | Operator::Gt
                | Operator::Ge),
                a,
                b,
            ) => {
                let (a, b) = (self.eval(a, scene, work)?, self.eval(b, scene, work)?);
                compare(operator, &a, &b)
            }
            Node::Binary(operator @ (Operator::In | Operator::NotIn), a, b) => {
                self.is_in(a, b, scene, work)? == (operator == Operator::In)
            }
            Node::IsEmpty(inner) => match self.eval(inner, scene, work)? {
                Val::Sites(sites) => sites.is_empty(),
                Val::List(values) => values.is_empty(),
                Val::Site(_) => false,
                _ => true,
            },
            Node::If(condition, yes, no) => {
                let branch = if self.holds(condition, scene, work)? { yes } else { no };
                self.holds(branch, scene, work)?
            }
            Node::Quantified(quantifier, slot, domain, body) => {
                let wanted = quantifier != Quantifier::All;
                let mut found = false;
                let mut members = self.members(domain, scene, work)?;
                while let Some(member) = members.next() {
                    Self::set_slot(work, slot, member);
                    if self.holds(body, scene, work)? == wanted {
                        found = true;
                        break;
                    }
                }
                found == (quantifier == Quantifier::Any)
            }
            Node::Context(Context::Empty) => {
                scene.walk.is_some_and(|walk| self.owner_at(scene, walk.here).is_none())
            }
            Node::Context(Context::Enemy) => {
                let owner = scene.walk.and_then(|walk| self.owner_at(scene, walk.here));
                owner.is_some_and(|owner| owner != scene.mover)
            }
            Node::Context(Context::Answerable) => scene.answerable,
            Node::Context(Context::Own) => {
                scene.walk.and_then(|walk| self.owner_at(scene, walk.here)) == Some(scene.mover)
            }
            Node::Context(Context::Stuck) => match scene.ground.stuck {
                Some(stuck) => stuck,
                None => !self.has_ply(scene.position, scene.ground, None, work)?,
            },
            Node::Able(act, Run { len: 0, .. }, _) => {
                self.has_ply(scene.position, scene.ground, act, work)?
            }
            Node::Able(act, conditions, None) => self.is_able(act, conditions, scene, work)?,
            Node::Able(act, conditions, Some(most)) => {
                self.is_reachable(act, conditions, most, scene, work)?
            }
            Node::Last(act) => {
                let last = scene.ground.story.latest().and_then(|past| past.act.as_ref());
                last.is_some_and(|last| last.name == act)
            }
            Node::Const(at) => self.consts.get(at as usize).is_some_and(Val::holds),
            Node::Slot(slot) => work.slots.get(work.base + usize::from(slot)).is_some_and(Val::holds),
            _ => self.eval_other(id, *node, scene, work)?.holds(),
        };
        work.surface(2);
        Ok(truth)
    }

    /// Whether the value of a term is a member of that of another one.
    fn is_in(&self, a: NodeId, b: NodeId, scene: &Scene<'_, L>, work: &mut Work<L>) -> Outcomes<bool> {
        let a = self.eval(a, scene, work)?;
        match self.node(b) {
            // Short lists that are written out are not made.
            Some(Node::List(members, false)) => {
                work.burn(1)?;
                let mut found = false;
                for member in self.list(*members) {
                    found |= self.eval(*member, scene, work)?.equals(&a);
                }
                return Ok(found);
            }
            Some(Node::Binary(Operator::Range, from, to)) => {
                work.burn(1)?;
                let ends = (self.eval(*from, scene, work)?, self.eval(*to, scene, work)?);
                if let (Val::Number(from), Val::Number(to)) = ends {
                    let ends = range(from, to)?;
                    let Val::Number(a) = a else { return Ok(false) };
                    let within = |(from, to): (i64, i64)| a.to_whole().is_some_and(|a| from <= a && a <= to);
                    return Ok(ends.is_some_and(within));
                }
                return Ok(a.equals(&Val::Nothing) && a != Val::Nothing);
            }
            _ => {}
        }
        Ok(match self.eval(b, scene, work)? {
            Val::Sites(sites) => matches!(a, Val::Site(site) if sites.has(site)),
            Val::List(values) => values.iter().any(|value| value.equals(&a)),
            other => other.equals(&a) && a != Val::Nothing,
        })
    }

    /// The sites that the value of a term means.
    pub(crate) fn sites(&self, id: NodeId, scene: &Scene<'_, L>, work: &mut Work<L>) -> Outcomes<L::Set> {
        let Some(node) = self.node(id) else { return Ok(L::Set::EMPTY) };
        work.burn(1)?;
        work.dive(2)?;
        let sites = match *node {
            Node::Binary(Operator::Plus, a, b) => self.sites(a, scene, work)? | self.sites(b, scene, work)?,
            Node::Binary(Operator::Less, a, b) => {
                self.sites(a, scene, work)?.less(self.sites(b, scene, work)?)
            }
            Node::Binary(Operator::Both, a, b) => self.sites(a, scene, work)? & self.sites(b, scene, work)?,
            Node::List(members, _) => {
                let mut sites = L::Set::EMPTY;
                for member in self.list(members) {
                    sites |= self.sites(*member, scene, work)?;
                }
                sites
            }
            Node::If(condition, yes, no) => {
                let branch = if self.holds(condition, scene, work)? { yes } else { no };
                self.sites(branch, scene, work)?
            }
            Node::Const(at) => self.consts.get(at as usize).map_or(L::Set::EMPTY, Val::as_sites),
            _ => self.eval_other(id, *node, scene, work)?.as_sites(),
        };
        work.surface(2);
        Ok(sites)
    }

    /// The members of a collection, one after another.
    fn members(&self, id: NodeId, scene: &Scene<'_, L>, work: &mut Work<L>) -> Outcomes<Members<L::Set>> {
        Ok(match self.node(id) {
            Some(Node::Binary(Operator::Range, from, to)) => {
                work.burn(1)?;
                match (self.eval(*from, scene, work)?, self.eval(*to, scene, work)?) {
                    (Val::Number(from), Val::Number(to)) => match range(from, to)? {
                        Some((from, to)) => Members::Numbers(from, to),
                        None => Members::None,
                    },
                    _ => Members::None,
                }
            }
            Some(Node::Call(Builtin::Players, _)) => Members::Players(0, self.program.players.len() as u8),
            Some(Node::Rows(table)) => Members::Rows(*table, 0, rows(scene, *table)),
            _ => Members::of(self.eval(id, scene, work)?),
        })
    }

    /// The value of a term.
    pub(crate) fn eval(&self, id: NodeId, scene: &Scene<'_, L>, work: &mut Work<L>) -> Outcomes<Val<L::Set>> {
        let Some(node) = self.node(id) else { return Ok(Val::Nothing) };
        match *node {
            Node::Const(at) => {
                work.burn(1)?;
                return Ok(self.constant(at));
            }
            Node::Slot(slot) => {
                work.burn(1)?;
                return Ok(work.slots.get(work.base + usize::from(slot)).cloned().unwrap_or_default());
            }
            // What is true or false is found out where no value is made.
            Node::Not(_)
            | Node::IsEmpty(_)
            | Node::Quantified(..)
            | Node::Able(..)
            | Node::Last(_)
            | Node::Context(
                Context::Empty | Context::Enemy | Context::Own | Context::Stuck | Context::Answerable,
            )
            | Node::Binary(
                Operator::And
                | Operator::Or
                | Operator::Eq
                | Operator::Ne
                | Operator::Lt
                | Operator::Le
                | Operator::Gt
                | Operator::Ge
                | Operator::In
                | Operator::NotIn,
                ..,
            ) => return self.holds(id, scene, work).map(Val::Truth),
            _ => {}
        }
        work.burn(1)?;
        work.dive(3)?;
        let value = self.eval_other(id, *node, scene, work)?;
        work.surface(3);
        Ok(value)
    }

    /// The value of a term that is neither constant nor a matter of truth.
    fn eval_other(
        &self,
        id: NodeId,
        node: Node,
        scene: &Scene<'_, L>,
        work: &mut Work<L>,
    ) -> Outcomes<Val<L::Set>> {
        Ok(match node {
            Node::Bound(binding) => scene.act.and_then(|act| act.value(binding)).cloned().unwrap_or_default(),
            Node::Mark(mark) => Val::site(scene.walk.and_then(|walk| walk.mark(mark))),
            Node::Context(context) => self.context(context, scene),
            Node::Var(var, run) => {
                let mut members = [Val::Nothing, Val::Nothing];
                for (member, id) in members.iter_mut().zip(self.list(run)) {
                    *member = self.eval(*id, scene, work)?;
                }
                self.read(scene, var, (run.len > 0).then_some(&members[..]))
            }
            Node::Call(builtin, arguments) => {
                self.wide(work, |work| self.call(builtin, arguments, scene, work))?
            }
            Node::Apply(body, arguments) => {
                let start = work.slots.len();
                let arguments = self.list(arguments);
                for argument in arguments {
                    let value = self.eval(*argument, scene, work)?;
                    work.slots.push(value);
                }
                self.apply(body, start, arguments.len(), scene, work)?
            }
            Node::Times(identity, turn) => Val::count(self.times(identity, turn, scene, work)?),
            Node::Rows(table) => {
                let rows = rows(scene, table);
                Val::list((0..rows).map(|row| Val::Row(table, row)).collect())
            }
            Node::Field(row, field) => match self.eval(row, scene, work)? {
                Val::Row(table, row) => field_of(scene, table, row, field),
                _ => Val::Nothing,
            },
            Node::List(members, true) => {
                let mut sites = L::Set::EMPTY;
                for member in self.list(members) {
                    sites |= self.sites(*member, scene, work)?;
                }
                Val::Sites(sites)
            }
            Node::List(members, false) => {
                let members = self.list(members);
                let mut values = Vec::with_capacity(members.len());
                for member in members {
                    values.push(self.eval(*member, scene, work)?);
                }
                Val::list(values)
            }
            Node::Minus(inner) => match self.eval(inner, scene, work)? {
                Val::Number(number) => Val::Number(number.negate().ok_or(NUMBER)?),
                _ => Val::Nothing,
            },
            Node::Binary(operator, a, b) => {
                let (a, b) = (self.eval(a, scene, work)?, self.eval(b, scene, work)?);
                binary(operator, a, b, work)?
            }
            Node::If(condition, yes, no) => {
                let branch = if self.holds(condition, scene, work)? { yes } else { no };
                self.eval(branch, scene, work)?
            }
            Node::Filtered(slot, domain, body) => {
                self.wide(work, |work| self.filtered(slot, domain, body, scene, work))?
            }
            Node::Folded(fold, slot, parts) => {
                self.wide(work, |work| self.folded(fold, slot, parts, scene, work))?
            }
            Node::Traced(origin, path) => match self.eval(origin, scene, work)? {
                Val::Site(site) => {
                    let inner = Scene { frame: (work.base, work.size), ..*scene };
                    Val::Sites(self.traced(path, site, &inner, work)?)
                }
                _ => Val::Sites(L::Set::EMPTY),
            },
            // All that is left is true or false or constant.
            _ => self.eval(id, scene, work)?,
        })
    }

    /// The value of a variable, for the members of its indices; without them all of its values.
    pub(crate) fn read(
        &self,
        scene: &Scene<'_, L>,
        var: u16,
        members: Option<&[Val<L::Set>]>,
    ) -> Val<L::Set> {
        let Some(var) = self.program.vars.get(usize::from(var)) else { return Val::Nothing };
        let one = |at: u16| {
            let at = usize::from(var.slot + at);
            if var.ty == Type::Sites {
                Val::Sites(scene.position.sets.get(at))
            } else {
                Val::unpacked(var.ty, scene.position.nums.get(at))
            }
        };
        match members {
            None if var.each.is_empty() => one(0),
            None => Val::list((0..var.count).map(one).collect()),
            Some(members) => self.place(var, members).map_or(Val::Nothing, one),
        }
    }

    fn context(&self, context: Context, scene: &Scene<'_, L>) -> Val<L::Set> {
        let act = scene.act;
        match context {
            Context::Mover => Val::Player(scene.mover),
            Context::Actor => Val::Player(scene.actor),
            Context::From => Val::site(act.and_then(|act| act.from)),
            Context::To => Val::site(act.and_then(|act| act.to)),
            Context::Piece => act.and_then(|act| act.piece).map_or(Val::Nothing, Val::Kind),
            Context::Taken => {
                let walked = scene.walk.map(|walk| walk.taken);
                Val::Sites(walked.or(act.map(|act| act.taken)).unwrap_or_default())
            }
            Context::Changed => Val::Sites(act.map(|act| act.changed).unwrap_or_default()),
            Context::Here => Val::site(scene.walk.map(|walk| walk.here)),
            Context::Played => Val::count(scene.position.played as usize),
            Context::Now => Val::Number(scene.ground.now),
            Context::Tied => Val::list(scene.tied.unwrap_or(&[]).to_vec()),
            // These are true or false, and found out where no value is made.
            Context::Empty | Context::Enemy | Context::Own | Context::Stuck | Context::Answerable => {
                Val::Nothing
            }
        }
    }

    #[inline(never)]
    fn filtered(
        &self,
        slot: u16,
        domain: NodeId,
        body: NodeId,
        scene: &Scene<'_, L>,
        work: &mut Work<L>,
    ) -> Outcomes<Val<L::Set>> {
        let mut members = self.members(domain, scene, work)?;
        if let Members::Sites(sites) = members {
            let mut kept = L::Set::EMPTY;
            for site in sites.sites() {
                Self::set_slot(work, slot, Val::Site(site));
                if self.holds(body, scene, work)? {
                    kept |= L::Set::one(site);
                }
            }
            return Ok(Val::Sites(kept));
        }
        let mut kept = Vec::new();
        while let Some(member) = members.next() {
            Self::set_slot(work, slot, member.clone());
            if self.holds(body, scene, work)? {
                kept.push(member);
            }
        }
        Ok(Val::list(kept))
    }

    #[inline(never)]
    fn folded(
        &self,
        fold: Fold,
        slot: u16,
        parts: Run,
        scene: &Scene<'_, L>,
        work: &mut Work<L>,
    ) -> Outcomes<Val<L::Set>> {
        let [body, domain, condition] = *self.list(parts) else { return Ok(Val::Nothing) };
        let mut members = self.members(domain, scene, work)?;
        let mut best: Option<Num> = None;
        let mut sum = Num::ZERO;
        let mut sites = L::Set::EMPTY;
        let mut list = Vec::new();
        while let Some(member) = members.next() {
            Self::set_slot(work, slot, member);
            if !self.holds(condition, scene, work)? {
                continue;
            }
            match fold {
                Fold::Set => sites |= self.sites(body, scene, work)?,
                Fold::List => {
                    list.push(self.eval(body, scene, work)?);
                    if list.len() > MAX_LIST {
                        return Err(WORK);
                    }
                }
                Fold::Sum | Fold::Most | Fold::Least => {
                    let Val::Number(number) = self.eval(body, scene, work)? else { continue };
                    match fold {
                        Fold::Sum => sum = sum.plus(number).ok_or(NUMBER)?,
                        Fold::Most => best = Some(best.map_or(number, |best| best.max(number))),
                        _ => best = Some(best.map_or(number, |best| best.min(number))),
                    }
                }
            }
        }
        Ok(match fold {
            Fold::Sum => Val::Number(sum),
            Fold::Most | Fold::Least => Val::Number(best.unwrap_or(Num::ZERO)),
            Fold::Set => Val::Sites(sites),
            Fold::List => Val::list(list),
        })
    }

    /// How often a position like the present one has been recorded.
    #[inline(never)]
    fn times(&self, identity: bool, turn: bool, scene: &Scene<'_, L>, work: &mut Work<L>) -> Outcomes<usize> {
        let story = scene.ground.story;
        work.burn(story.len() as u64)?;
        // After a ply has been played and before it is complete, the turn is still the mover's; the
        // position to compare is the one with the next player to move.
        let mover =
            if scene.ground.mid_ply { self.next_player(scene.position.mover) } else { scene.position.mover };
        let mut count = 0;
        for (at, past) in story.alike(scene.position) {
            if turn && past.position.mover != mover {
                continue;
            }
            if !identity || self.same_position(scene.position, scene.ground, past, at, work)? {
                count += 1;
            }
        }
        Ok(count)
    }

    // What stands where, as a situation sees it.

    /// The owner of what stands on a site.
    #[inline]
    pub(crate) fn owner_at(&self, scene: &Scene<'_, L>, site: Site) -> Option<u8> {
        match (scene.phantom, scene.lifted) {
            (Some((at, owner)), _) if at == site => Some(owner),
            (_, Some(at)) if at == site => None,
            _ => self.owner_of(scene, site),
        }
    }

    #[inline]
    fn owner_of(&self, scene: &Scene<'_, L>, site: Site) -> Option<u8> {
        let owners = scene.position.owners.slice().iter().take(usize::from(self.players));
        owners.into_iter().position(|set| set.has(site)).map(|owner| owner as u8)
    }

    /// The kind of what stands on a site, if that is known.
    pub(crate) fn kind_at(&self, scene: &Scene<'_, L>, site: Site) -> Option<u8> {
        match (scene.phantom, scene.lifted) {
            (Some((at, _)), _) if at == site => None,
            (_, Some(at)) if at == site => None,
            _ => self.kind_of(&scene.position.kinds, site),
        }
    }

    /// The kind on a site of a position.
    pub(crate) fn kind_of(&self, kinds: &L::Kinds, site: Site) -> Option<u8> {
        let kinds = kinds.slice().iter().take(self.program.kinds.len());
        kinds.into_iter().position(|set| set.has(site)).map(|kind| kind as u8)
    }

    /// A set of the position without the sites where the situation sees something else.
    #[inline]
    pub(crate) fn uncovered(&self, scene: &Scene<'_, L>, set: L::Set) -> L::Set {
        let mut set = set;
        if let Some(site) = scene.lifted {
            set = set.less(L::Set::one(site));
        }
        if let Some((site, _)) = scene.phantom {
            set = set.less(L::Set::one(site));
        }
        set
    }

    /// The sites with a piece.
    pub(crate) fn occupied(&self, scene: &Scene<'_, L>) -> L::Set {
        let set = self.uncovered(scene, scene.position.occupied());
        scene.phantom.map_or(set, |(site, _)| set | L::Set::one(site))
    }

    /// The sites with a piece of a player.
    pub(crate) fn owned(&self, scene: &Scene<'_, L>, player: u8) -> L::Set {
        if player >= self.players {
            return L::Set::EMPTY;
        }
        let set = self.uncovered(scene, scene.position.owners.get(usize::from(player)));
        match scene.phantom {
            Some((site, owner)) if owner == player => set | L::Set::one(site),
            _ => set,
        }
    }
}

fn rows<L: Layout>(scene: &Scene<'_, L>, table: u16) -> u32 {
    let rows = scene.ground.tables.rows.get(usize::from(table)).map_or(0, Vec::len);
    u32::try_from(rows).unwrap_or(u32::MAX)
}

fn field_of<L: Layout>(scene: &Scene<'_, L>, table: u16, row: u32, field: u16) -> Val<L::Set> {
    let rows = scene.ground.tables.rows.get(usize::from(table));
    let row = rows.and_then(|rows| rows.get(row as usize));
    row.and_then(|row| row.get(usize::from(field))).cloned().unwrap_or_default()
}

/// A comparison. One with what is not there never holds.
pub(crate) fn compare<S: Set>(operator: Operator, a: &Val<S>, b: &Val<S>) -> bool {
    match (operator, a, b) {
        (Operator::Eq, ..) => a.equals(b),
        (Operator::Ne, ..) => !a.equals(b),
        (_, Val::Number(a), Val::Number(b)) => match operator {
            Operator::Lt => a < b,
            Operator::Le => a <= b,
            Operator::Gt => a > b,
            _ => a >= b,
        },
        _ => false,
    }
}

/// An operator whose value is not a matter of truth.
#[inline(never)]
fn binary<L: Layout>(
    operator: Operator,
    a: Val<L::Set>,
    b: Val<L::Set>,
    work: &mut Work<L>,
) -> Outcomes<Val<L::Set>> {
    if let (Val::Number(x), Val::Number(y)) = (&a, &b) {
        let number = match operator {
            Operator::Range => {
                let numbers = range(*x, *y)?.map(|(from, to)| from..=to);
                let numbers = numbers.into_iter().flatten().map(|n| Val::Number(Num::whole(n)));
                return Ok(Val::list(numbers.collect()));
            }
            Operator::Plus => x.plus(*y),
            Operator::Less => x.minus(*y),
            Operator::Times => x.times(*y),
            Operator::Over => x.over(*y),
            Operator::Mod => x.modulo(*y),
            // An intersection of what is no set.
            _ => return Ok(Val::Sites(L::Set::EMPTY)),
        };
        return number.map(Val::Number).ok_or(NUMBER);
    }
    let is_set = matches!(a, Val::Sites(_) | Val::Site(_) | Val::Nothing);
    Ok(match (operator, a, b) {
        (Operator::Plus, Val::List(a), Val::List(b)) => {
            let len = a.len().saturating_add(b.len());
            work.burn(len as u64 / 8)?;
            if len > MAX_LIST {
                return Err(WORK);
            }
            let mut values = Arc::unwrap_or_clone(a);
            values.extend(b.iter().cloned());
            Val::list(values)
        }
        (Operator::Plus, a, b) if is_set => Val::Sites(a.as_sites() | b.as_sites()),
        (Operator::Less, a, b) if is_set => Val::Sites(a.as_sites().less(b.as_sites())),
        (Operator::Both, a, b) => Val::Sites(a.as_sites() & b.as_sites()),
        _ => Val::Nothing,
    })
}
