//! Which positions may be the end of a game: a test of a few sets and numbers, made from the endings.
//!
//! Law: where a sieve lets nothing pass, no ending holds; where it lets something pass, the endings must be
//! looked at. Whether the player on turn is stuck is known beforehand, and there is one sieve for each answer.

use crate::position::{Layout, Position, Row};
use crate::program::{Builtin, Code, Const, Context, Form, Node, NodeId, Operator, Program, Run, Type};
use crate::set::Set;

/// Most sets that a sieve works out.
const MAX_SETS: usize = 16;
/// Most ways in which something may pass; with more, everything does.
const MAX_WAYS: usize = 32;

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
        let mut making = Making { program, stuck, steps: Vec::new() };
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

/// A sieve that is being made.
struct Making<'p, S> {
    program: &'p Program,
    stuck: bool,
    steps: Vec<Step<S>>,
}

impl<S: Set> Making<'_, S> {
    fn node(&self, at: NodeId) -> Option<Node> {
        self.program.nodes.get(at as usize).copied()
    }

    fn argument(&self, run: Run, at: usize) -> Option<NodeId> {
        run.of(&self.program.lists).get(at).copied()
    }

    /// The body of a definition without parameters.
    fn body(&self, body: u16, run: Run) -> Option<Code> {
        let codes = &self.program.bodies.get(usize::from(body))?.codes;
        match codes[..] {
            [code] if run.len == 0 => Some(code),
            _ => None,
        }
    }

    fn code(&mut self, code: Code, wanted: bool) -> Ways {
        self.ways(code.root, wanted, 64)
    }

    /// The ways in which a term may be true, or may be false.
    fn ways(&mut self, at: NodeId, wanted: bool, depth: u32) -> Ways {
        let (Some(node), Some(depth)) = (self.node(at), depth.checked_sub(1)) else { return anything() };
        match node {
            Node::Const(at) => match self.program.consts.get(at as usize) {
                Some(Const::Truth(holds)) => truth(*holds == wanted),
                _ => anything(),
            },
            Node::Context(Context::Stuck) => truth(self.stuck == wanted),
            Node::Not(inner) => self.ways(inner, !wanted, depth),
            Node::Binary(Operator::And | Operator::Or, a, b) => {
                let (a, b) = (self.ways(a, wanted, depth), self.ways(b, wanted, depth));
                let all = matches!(node, Node::Binary(Operator::And, ..)) == wanted;
                if all { both(a, b) } else { either(a, b) }
            }
            Node::IsEmpty(inner) => match self.set(inner, depth) {
                Some(set) => one(Test::Empty(set, wanted)),
                None => anything(),
            },
            Node::Binary(operator, a, b) => self.compared(operator, a, b, wanted, depth),
            Node::Var(at, index) if index.len == 0 => match self.program.vars.get(usize::from(at)) {
                Some(var) if var.ty == Type::Truth && var.each.is_empty() => {
                    one(Test::Holds(var.slot, wanted))
                }
                _ => anything(),
            },
            Node::Apply(body, run) => match self.body(body, run) {
                Some(code) => self.ways(code.root, wanted, depth),
                None => anything(),
            },
            _ => anything(),
        }
    }

    /// The ways in which a comparison may hold.
    fn compared(&mut self, operator: Operator, a: NodeId, b: NodeId, wanted: bool, depth: u32) -> Ways {
        let (Some(left), Some(number)) = (self.node(a), self.number(b, depth)) else { return anything() };
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
                let set = self.argument(run, 0).and_then(|set| self.set(set, depth));
                set.map_or_else(anything, |set| one(Test::Count(set, compare, number)))
            }
            Node::Var(at, index) if index.len == 0 => match self.program.vars.get(usize::from(at)) {
                Some(var) if var.ty == Type::Number && var.each.is_empty() => {
                    one(Test::Number(var.slot, compare, number))
                }
                _ => anything(),
            },
            Node::Times(..) => match compare {
                Compare::Above => one(Test::Repeated(number.saturating_add(1))),
                Compare::Equal => one(Test::Repeated(number)),
                _ => anything(),
            },
            Node::Apply(body, run) => match self.body(body, run) {
                Some(code) if depth > 0 => self.compared(operator, code.root, b, wanted, depth - 1),
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

    fn player(&self, at: NodeId) -> Option<Who> {
        match self.node(at)? {
            Node::Const(at) => match self.program.consts.get(at as usize)? {
                Const::Player(player) => Some(Who::Player(*player)),
                _ => None,
            },
            Node::Context(Context::Mover) => Some(Who::Mover),
            Node::Call(Builtin::Next, run) if self.program.players.len() == 2 => {
                let of = self.argument(run, 0).and_then(|of| self.node(of));
                (of == Some(Node::Context(Context::Mover))).then_some(Who::Next)
            }
            _ => None,
        }
    }

    /// The place of a set among those that are worked out.
    fn set(&mut self, at: NodeId, depth: u32) -> Option<usize> {
        let depth = depth.checked_sub(1)?;
        let step = match self.node(at)? {
            Node::Const(at) => match self.program.consts.get(at as usize)? {
                Const::Sites(words) => Step::Known(S::from_words(words)),
                Const::Site(site) => Step::Known(S::one(*site)),
                _ => return None,
            },
            Node::Call(Builtin::Occupied, _) => Step::Occupied,
            Node::Call(Builtin::Owned, run) => Step::Owned(self.player(self.argument(run, 0)?)?),
            Node::Call(Builtin::Pieces, run) => {
                let Node::Const(kind) = self.node(self.argument(run, 0)?)? else { return None };
                let Const::Kind(kind) = self.program.consts.get(kind as usize)? else { return None };
                Step::Pieces(*kind, self.player(self.argument(run, 1)?)?)
            }
            Node::Var(at, index) if index.len == 0 => {
                let var = self.program.vars.get(usize::from(at))?;
                let plain = var.ty == Type::Sites && var.each.is_empty();
                Step::Within(plain.then_some(var.slot)?)
            }
            Node::Binary(operator, a, b) => {
                let (a, b) = (self.set(a, depth)?, self.set(b, depth)?);
                match operator {
                    Operator::Plus => Step::Union(a, b),
                    Operator::Less => Step::Less(a, b),
                    Operator::Both => Step::Meet(a, b),
                    _ => return None,
                }
            }
            Node::Apply(body, run) => return self.set(self.body(body, run)?.root, depth),
            _ => return None,
        };
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
