//! Which positions may be the end of a game: a test of a few sets and numbers, made from the endings.
//!
//! Law: where a sieve lets nothing pass, no ending holds; where it lets something pass, the endings must be
//! looked at. Whether the player on turn is stuck is known beforehand, and there is one sieve for each answer.

use crate::position::{Layout, Position, Row};
use crate::program::{
    Atom, Builtin, Code, Const, Context, Effect, Form, Node, NodeId, Operator, Program, Quantifier, Run, Type,
};
use crate::set::Set;

/// Most sets that a sieve works out.
const MAX_SETS: usize = 32;
/// Most ways in which something may pass; with more, everything does.
const MAX_WAYS: usize = 32;
/// How deep terms are looked through.
const MAX_DEEP: u32 = 64;

/// Whose pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    Player(u8),
    Mover,
    Next,
}

/// A set, worked out from those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step<S> {
    Known(S),
    Occupied,
    Owned(Who),
    Pieces(u8, Who),
    /// The pieces of a kind, whoever owns them.
    Kind(u8),
    Within(u16),
    Union(usize, usize),
    Meet(usize, usize),
    Less(usize, usize),
}

/// A test. Numbers are whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Test {
    Empty(usize, bool),
    Count(usize, Compare, i64),
    Number(u16, Compare, i64),
    Holds(u16, bool),
    /// The board has been recorded so often at least.
    Repeated(i64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Compare {
    Equal,
    Unequal,
    Below,
    Above,
}

impl Compare {
    fn holds(self, a: i64, b: i64) -> bool {
        match self {
            Self::Equal => a == b,
            Self::Unequal => a != b,
            Self::Below => a < b,
            Self::Above => a > b,
        }
    }
}

/// The ways in which a condition may hold: one of them, every test of it.
type Ways = Vec<Vec<Test>>;

/// What lets positions pass that may be the end of a game.
#[derive(Clone, Debug)]
pub(crate) struct Sieve<S> {
    steps: Vec<Step<S>>,
    ways: Ways,
}

impl<S: Set> Sieve<S> {
    /// The sieve of a program's endings, where it is known whether the player on turn is stuck.
    pub(crate) fn of(program: &Program, stuck: bool) -> Self {
        let mut making = Making { program, stuck, steps: Vec::new(), changes: most_changed(program) };
        let mut ways = Ways::new();
        for clause in &program.clauses {
            let Form::Ends { condition, .. } = &clause.form else { continue };
            let mut found = making.code(*condition, true);
            if let Some(when) = clause.when {
                found = both(found, making.code(when, true));
            }
            if let Some(unless) = clause.unless {
                found = both(found, making.code(unless, false));
            }
            ways.extend(found);
        }
        if ways.len() > MAX_WAYS {
            ways = anything();
        }
        Self { steps: making.steps, ways }
    }

    /// Whether it asks how often a board has been recorded.
    pub(crate) fn asks_past(&self) -> bool {
        self.ways.iter().flatten().any(|test| matches!(test, Test::Repeated(_)))
    }

    /// Whether a position passes. `times` tells how often its board has been recorded, or more.
    #[inline(always)]
    pub(crate) fn passes<L: Layout<Set = S>>(
        &self,
        position: &Position<L>,
        times: impl Fn() -> usize,
    ) -> bool {
        if self.ways.is_empty() {
            return false;
        }
        let mover = position.mover;
        let owned = |who: Who| {
            let player = match who {
                Who::Player(player) => player,
                Who::Mover => mover,
                Who::Next => 1 - (mover & 1),
            };
            position.owners.get(usize::from(player))
        };
        let mut sets = [S::EMPTY; MAX_SETS];
        for (at, step) in self.steps.iter().enumerate() {
            sets[at % MAX_SETS] = match *step {
                Step::Known(set) => set,
                Step::Occupied => position.occupied(),
                Step::Owned(who) => owned(who),
                Step::Pieces(kind, who) => position.kinds.get(usize::from(kind)) & owned(who),
                Step::Kind(kind) => position.kinds.get(usize::from(kind)),
                Step::Within(slot) => position.sets.get(usize::from(slot)),
                Step::Union(a, b) => sets[a % MAX_SETS] | sets[b % MAX_SETS],
                Step::Meet(a, b) => sets[a % MAX_SETS] & sets[b % MAX_SETS],
                Step::Less(a, b) => sets[a % MAX_SETS].less(sets[b % MAX_SETS]),
            };
        }
        self.ways.iter().any(|way| {
            way.iter().all(|test| match *test {
                Test::Empty(set, empty) => sets[set % MAX_SETS].is_empty() == empty,
                Test::Count(set, compare, number) => compare.holds(sets[set % MAX_SETS].len() as i64, number),
                Test::Number(slot, compare, number) => {
                    compare.holds(position.nums.get(usize::from(slot)) >> 16, number)
                }
                Test::Holds(slot, holds) => (position.nums.get(usize::from(slot)) == 1) == holds,
                Test::Repeated(least) => times() as i64 >= least,
            })
        })
    }
}

/// What may always hold.
fn anything() -> Ways {
    vec![Vec::new()]
}

fn one(test: Test) -> Ways {
    vec![vec![test]]
}

fn truth(holds: bool) -> Ways {
    if holds { anything() } else { Ways::new() }
}

fn both(a: Ways, b: Ways) -> Ways {
    if a.len().saturating_mul(b.len()) > MAX_WAYS {
        // To leave tests out lets more pass, which is no mistake.
        return if a.len() < b.len() { a } else { b };
    }
    let joined = |a: &Vec<Test>, b: &Vec<Test>| a.iter().chain(b).copied().collect();
    a.iter().flat_map(|a| b.iter().map(move |b| joined(a, b))).collect()
}

fn either(mut a: Ways, b: Ways) -> Ways {
    a.extend(b);
    if a.len() > MAX_WAYS { anything() } else { a }
}

/// The most sites that a ply can change; `None` where that is not known.
fn most_changed(program: &Program) -> Option<i64> {
    let mut most = 0;
    let mut always = 0;
    for clause in &program.clauses {
        match &clause.form {
            Form::Move { path, then, .. } => {
                most = most.max(2 + taken(program, *path)? + written(program, *then, MAX_DEEP)?);
            }
            Form::Act { then, .. } => most = most.max(1 + written(program, *then, MAX_DEEP)?),
            Form::After { then, .. } => always += written(program, *then, MAX_DEEP)?,
            _ => {}
        }
    }
    Some(most + always)
}

/// The most sites that a pattern takes.
fn taken(program: &Program, path: u32) -> Option<i64> {
    let mut most = 0;
    for branch in program.paths.get(path as usize)?.branches.of(&program.branches) {
        let mut sum = 0;
        for item in branch.of(&program.items) {
            let once = match &item.atom {
                Atom::Take => 1,
                Atom::Group(inner) => taken(program, *inner)?,
                _ => 0,
            };
            if once > 0 {
                sum += once * i64::from(item.most?);
            }
        }
        most = most.max(sum);
    }
    Some(most)
}

/// The most sites that effects of a ply write, besides the one that a piece came to.
fn written(program: &Program, effects: Run, deep: u32) -> Option<i64> {
    let deep = deep.checked_sub(1)?;
    let site = |code: Code| match *program.nodes.get(code.root as usize)? {
        Node::Context(Context::To) => Some(0),
        Node::Context(Context::From) => Some(1),
        Node::Const(at) => matches!(program.consts.get(at as usize)?, Const::Site(_)).then_some(1),
        Node::Var(var, _) => (program.vars.get(usize::from(var))?.ty == Type::Site).then_some(1),
        Node::Call(Builtin::At, _) => Some(1),
        _ => None,
    };
    let mut sum = 0;
    for effect in effects.of(&program.effects) {
        sum += match effect {
            Effect::If(_, yes, no) => written(program, *yes, deep)?.max(written(program, *no, deep)?),
            Effect::For(_, _, body) => {
                let once = written(program, *body, deep)?;
                (once == 0).then_some(0)?
            }
            Effect::Move(..) => 2,
            Effect::Put(_, _, sites) | Effect::Remove(sites) | Effect::Give(sites, _) => site(*sites)?,
            Effect::Apply(at, _) => match &program.clauses.get(usize::from(*at))?.form {
                Form::Applied { then, .. } => written(program, *then, deep)?,
                _ => return None,
            },
            Effect::Restore(_) => return None,
            Effect::Again | Effect::Turn(_) | Effect::Set(..) | Effect::End(_) => 0,
        };
    }
    Some(sum)
}

/// What an argument is known to be.
#[derive(Clone, Copy, Debug)]
enum Arg {
    Player(Who),
    Unknown,
}

/// Where a term stands: the arguments of the definition around it, and whether it is about the position after some
/// ply, of which only so much is known as a ply can change.
#[derive(Clone, Copy)]
struct Place<'a> {
    arguments: &'a [Arg],
    after: bool,
    depth: u32,
}

impl Place<'_> {
    /// One level deeper; `None` where that is too deep.
    fn deeper(self) -> Option<Self> {
        Some(Self { depth: self.depth.checked_sub(1)?, ..self })
    }
}

/// A sieve that is being made.
struct Making<'p, S> {
    program: &'p Program,
    stuck: bool,
    steps: Vec<Step<S>>,
    /// The most sites that a ply can change.
    changes: Option<i64>,
}

impl<S: Set> Making<'_, S> {
    fn node(&self, at: NodeId) -> Option<Node> {
        self.program.nodes.get(at as usize).copied()
    }

    fn constant(&self, at: NodeId) -> Option<&Const> {
        match self.node(at)? {
            Node::Const(at) => self.program.consts.get(at as usize),
            _ => None,
        }
    }

    fn argument(&self, run: Run, at: usize) -> Option<NodeId> {
        run.of(&self.program.lists).get(at).copied()
    }

    /// The body of a definition, and what its arguments are known to be.
    fn body(&self, body: u16, run: Run, place: Place<'_>) -> Option<(Code, Vec<Arg>)> {
        let codes = &self.program.bodies.get(usize::from(body))?.codes;
        let known = |at: &NodeId| self.player(*at, place).map_or(Arg::Unknown, Arg::Player);
        let arguments: Vec<Arg> = run.of(&self.program.lists).iter().map(known).collect();
        let code = match (&codes[..], arguments.first()) {
            ([code], _) => *code,
            (codes, Some(Arg::Player(Who::Player(player)))) => *codes.get(usize::from(*player))?,
            _ => return None,
        };
        Some((code, arguments))
    }

    fn code(&mut self, code: Code, wanted: bool) -> Ways {
        self.ways(code.root, wanted, Place { arguments: &[], after: false, depth: MAX_DEEP })
    }

    /// A test, or what is left of it where a ply comes between.
    fn test(&self, test: Test, place: Place<'_>) -> Ways {
        if !place.after {
            return one(test);
        }
        let Some(changes) = self.changes else { return anything() };
        match test {
            Test::Empty(set, true) => one(Test::Count(set, Compare::Below, changes + 1)),
            Test::Count(set, compare, number) => {
                let below = Test::Count(set, Compare::Below, number.saturating_add(changes));
                let above = Test::Count(set, Compare::Above, number.saturating_sub(changes));
                match compare {
                    Compare::Below => one(below),
                    Compare::Above => one(above),
                    Compare::Equal => {
                        let most = number.saturating_add(changes).saturating_add(1);
                        one(Test::Count(set, Compare::Below, most))
                    }
                    Compare::Unequal => anything(),
                }
            }
            _ => anything(),
        }
    }

    /// The ways in which a term may be true, or may be false.
    fn ways(&mut self, at: NodeId, wanted: bool, place: Place<'_>) -> Ways {
        let (Some(node), Some(place)) = (self.node(at), place.deeper()) else { return anything() };
        match node {
            Node::Const(at) => match self.program.consts.get(at as usize) {
                Some(Const::Truth(holds)) => truth(*holds == wanted),
                _ => anything(),
            },
            Node::Context(Context::Stuck) if !place.after => truth(self.stuck == wanted),
            Node::Not(inner) => self.ways(inner, !wanted, place),
            Node::Binary(Operator::And | Operator::Or, a, b) => {
                let (a, b) = (self.ways(a, wanted, place), self.ways(b, wanted, place));
                let all = matches!(node, Node::Binary(Operator::And, ..)) == wanted;
                if all { both(a, b) } else { either(a, b) }
            }
            Node::IsEmpty(inner) => match self.set(inner, place) {
                Some(set) => self.test(Test::Empty(set, wanted), place),
                None => anything(),
            },
            Node::Binary(operator, a, b) => self.compared(operator, a, b, wanted, place),
            Node::Var(at, index) if index.len == 0 => match self.program.vars.get(usize::from(at)) {
                Some(var) if var.ty == Type::Truth && var.each.is_empty() => {
                    self.test(Test::Holds(var.slot, wanted), place)
                }
                _ => anything(),
            },
            Node::Apply(body, run) => match self.body(body, run, place) {
                Some((code, arguments)) => {
                    self.ways(code.root, wanted, Place { arguments: &arguments, ..place })
                }
                None => anything(),
            },
            Node::Quantified(Quantifier::No | Quantifier::Any, slot, domain, body) => {
                let none = matches!(node, Node::Quantified(Quantifier::No, ..)) == wanted;
                let kinds = self.kind_of(slot, body);
                let found = kinds.zip(self.set(domain, place));
                match found.and_then(|(kinds, domain)| Some((domain, self.of_kinds(&kinds)?))) {
                    Some((domain, kinds)) => match self.step(Step::Meet(domain, kinds)) {
                        Some(set) => self.test(Test::Empty(set, none), place),
                        None => anything(),
                    },
                    None => anything(),
                }
            }
            // Whoever is not stuck has a ply; if none leads to what is asked for, that one does not either.
            Node::Able(None, run, None) if !wanted && !self.stuck && !place.after => {
                match *run.of(&self.program.lists) {
                    [before, after] if self.always(before) => {
                        self.ways(after, false, Place { after: true, ..place })
                    }
                    _ => anything(),
                }
            }
            _ => anything(),
        }
    }

    /// Whether a term holds whatever the position.
    fn always(&self, at: NodeId) -> bool {
        match self.node(at) {
            Some(Node::Binary(Operator::Ge, a, b)) => {
                let played = self.node(a) == Some(Node::Context(Context::Played));
                played && self.number(b, MAX_DEEP).is_some_and(|number| number <= 0)
            }
            _ => matches!(self.constant(at), Some(Const::Truth(true))),
        }
    }

    /// The kinds, if a term says that what stands on the site of a local name is of one of them.
    fn kind_of(&self, slot: u16, body: NodeId) -> Option<Vec<u8>> {
        let Node::Binary(Operator::In, kind, kinds) = self.node(body)? else { return None };
        let Node::Call(Builtin::Kind, run) = self.node(kind)? else { return None };
        let of = self.argument(run, 0).and_then(|of| self.node(of));
        if of == Some(Node::Slot(slot)) { self.kinds(kinds) } else { None }
    }

    /// A list of kinds that is written out.
    fn kinds(&self, at: NodeId) -> Option<Vec<u8>> {
        let kind = |constant: &Const| match constant {
            Const::Kind(kind) => Some(*kind),
            _ => None,
        };
        match self.node(at)? {
            Node::List(run, false) => {
                let members = run.of(&self.program.lists).iter();
                members.map(|at| self.constant(*at).and_then(kind)).collect()
            }
            _ => match self.constant(at)? {
                Const::List(members) => {
                    let constant = |at: &u32| self.program.consts.get(*at as usize);
                    members.iter().map(|at| constant(at).and_then(kind)).collect()
                }
                _ => None,
            },
        }
    }

    /// The lists of kinds in a list that is written out, joined.
    fn all_kinds(&self, at: NodeId) -> Option<Vec<u8>> {
        match self.node(at)? {
            Node::List(run, false) => {
                let members = run.of(&self.program.lists).iter().map(|at| self.kinds(*at));
                members.collect::<Option<Vec<_>>>().map(|lists| lists.concat())
            }
            _ => None,
        }
    }

    /// The set of the pieces of some kinds.
    fn of_kinds(&mut self, kinds: &[u8]) -> Option<usize> {
        let mut all = self.step(Step::Known(S::EMPTY))?;
        for kind in kinds {
            let one = self.step(Step::Kind(*kind))?;
            all = self.step(Step::Union(all, one))?;
        }
        Some(all)
    }

    /// The ways in which all of a set is of some kinds.
    fn only_of(&mut self, set: NodeId, kinds: Option<Vec<u8>>, place: Place<'_>) -> Ways {
        let Some(kinds) = kinds else { return anything() };
        let (Some(set), Some(kinds)) = (self.set(set, place), self.of_kinds(&kinds)) else {
            return anything();
        };
        match self.step(Step::Less(set, kinds)) {
            Some(others) => self.test(Test::Empty(others, true), place),
            None => anything(),
        }
    }

    /// The ways in which a comparison may hold.
    fn compared(&mut self, operator: Operator, a: NodeId, b: NodeId, wanted: bool, place: Place<'_>) -> Ways {
        let Some(left) = self.node(a) else { return anything() };
        if let Node::Call(Builtin::Kinds, run) = left
            && let Some(set) = self.argument(run, 0)
        {
            return match (operator, wanted) {
                (Operator::Eq, true) | (Operator::Ne, false) => self.only_of(set, self.kinds(b), place),
                (Operator::In, true) | (Operator::NotIn, false) => {
                    self.only_of(set, self.all_kinds(b), place)
                }
                _ => anything(),
            };
        }
        let Some(number) = self.number(b, place.depth) else { return anything() };
        // Whole numbers: at least as much is more than one less.
        let (compare, number) = match (operator, wanted) {
            (Operator::Eq, true) | (Operator::Ne, false) => (Compare::Equal, number),
            (Operator::Eq, false) | (Operator::Ne, true) => (Compare::Unequal, number),
            (Operator::Lt, true) | (Operator::Ge, false) => (Compare::Below, number),
            (Operator::Gt, true) | (Operator::Le, false) => (Compare::Above, number),
            (Operator::Le, true) | (Operator::Gt, false) => (Compare::Below, number.saturating_add(1)),
            (Operator::Ge, true) | (Operator::Lt, false) => (Compare::Above, number.saturating_sub(1)),
            _ => return anything(),
        };
        match left {
            Node::Call(Builtin::Count, run) => {
                let set = self.argument(run, 0).and_then(|set| self.set(set, place));
                set.map_or_else(anything, |set| self.test(Test::Count(set, compare, number), place))
            }
            Node::Var(at, index) if index.len == 0 => match self.program.vars.get(usize::from(at)) {
                Some(var) if var.ty == Type::Number && var.each.is_empty() => {
                    self.test(Test::Number(var.slot, compare, number), place)
                }
                _ => anything(),
            },
            Node::Times(..) => match compare {
                Compare::Above => self.test(Test::Repeated(number.saturating_add(1)), place),
                Compare::Equal => self.test(Test::Repeated(number), place),
                _ => anything(),
            },
            Node::Apply(body, run) => match (self.body(body, run, place), place.deeper()) {
                (Some((code, arguments)), Some(deeper)) => {
                    let place = Place { arguments: &arguments, ..deeper };
                    self.compared(operator, code.root, b, wanted, place)
                }
                _ => anything(),
            },
            _ => anything(),
        }
    }

    /// A whole number that is known.
    fn number(&self, at: NodeId, depth: u32) -> Option<i64> {
        match self.node(at)? {
            Node::Const(at) => match self.program.consts.get(at as usize)? {
                Const::Number(number, 1) => Some(*number),
                _ => None,
            },
            Node::Call(Builtin::Plies, run) if depth > 0 => {
                let moves = self.number(self.argument(run, 0)?, depth - 1)?;
                moves.checked_mul(self.program.players.len() as i64)
            }
            _ => None,
        }
    }

    fn player(&self, at: NodeId, place: Place<'_>) -> Option<Who> {
        match self.node(at)? {
            Node::Const(at) => match self.program.consts.get(at as usize)? {
                Const::Player(player) => Some(Who::Player(*player)),
                _ => None,
            },
            // Who has the turn after a ply is not looked at here.
            Node::Context(Context::Mover) if !place.after => Some(Who::Mover),
            Node::Slot(slot) => match place.arguments.get(usize::from(slot))? {
                Arg::Player(who) => Some(*who),
                Arg::Unknown => None,
            },
            Node::Call(Builtin::Next, run) if self.program.players.len() == 2 => {
                match self.player(self.argument(run, 0)?, place.deeper()?)? {
                    Who::Player(player) => Some(Who::Player(1 - (player & 1))),
                    Who::Mover => Some(Who::Next),
                    Who::Next => Some(Who::Mover),
                }
            }
            _ => None,
        }
    }

    /// The place of a set among those that are worked out.
    fn set(&mut self, at: NodeId, place: Place<'_>) -> Option<usize> {
        let place = place.deeper()?;
        let step = match self.node(at)? {
            Node::Const(at) => match self.program.consts.get(at as usize)? {
                Const::Sites(words) => Step::Known(S::from_words(words)),
                Const::Site(site) => Step::Known(S::one(*site)),
                _ => return None,
            },
            Node::Call(Builtin::Occupied, _) => Step::Occupied,
            Node::Call(Builtin::Owned, run) => Step::Owned(self.player(self.argument(run, 0)?, place)?),
            Node::Call(Builtin::Pieces, run) => {
                let Const::Kind(kind) = self.constant(self.argument(run, 0)?)? else { return None };
                Step::Pieces(*kind, self.player(self.argument(run, 1)?, place)?)
            }
            Node::Var(at, index) if index.len == 0 && !place.after => {
                let var = self.program.vars.get(usize::from(at))?;
                let plain = var.ty == Type::Sites && var.each.is_empty();
                Step::Within(plain.then_some(var.slot)?)
            }
            Node::Binary(operator, a, b) => {
                let (a, b) = (self.set(a, place)?, self.set(b, place)?);
                match operator {
                    Operator::Plus => Step::Union(a, b),
                    Operator::Less => Step::Less(a, b),
                    Operator::Both => Step::Meet(a, b),
                    _ => return None,
                }
            }
            Node::Apply(body, run) => {
                let (code, arguments) = self.body(body, run, place)?;
                return self.set(code.root, Place { arguments: &arguments, ..place });
            }
            _ => return None,
        };
        self.step(step)
    }

    fn step(&mut self, step: Step<S>) -> Option<usize> {
        if let Some(known) = self.steps.iter().position(|known| *known == step) {
            return Some(known);
        }
        if self.steps.len() >= MAX_SETS {
            return None;
        }
        self.steps.push(step);
        Some(self.steps.len() - 1)
    }
}
