//! Terms prepared for one state: what follows from constants is worked out, and a definition that is given constants is
//! prepared for them.
//!
//! Invariant: a plan holds every definition that its keys reach, and is not made if one of them has a term that looks
//! at anything but tables, arguments and those who are tied.

use std::collections::HashMap;

use rulebook_model::RuleSet;
use rulebook_model::ruleset::{Builtin, Code, Context, Term};
use rulebook_syntax::ast::{Binary, Fold, Quantifier};

use super::run::binary;
use super::value::{List, Texts, Val};
use crate::state::State;

/// A prepared term.
pub(super) enum Node {
    Const(Val),
    Slot(u16),
    Tied,
    Call(Builtin, Vec<Self>),
    Apply(u16, Vec<Self>),
    Rows(u16),
    Field(Box<Self>, u16),
    List(Vec<Self>),
    Not(Box<Self>),
    Minus(Box<Self>),
    Binary(Binary, Box<Self>, Box<Self>),
    /// Whether a truth value is true.
    Holds(Box<Self>),
    IsEmpty(Box<Self>),
    If(Box<[Self; 3]>),
    Quantified(Quantifier, u16, Box<Loop>),
    Filtered(u16, Box<Loop>),
    Folded(Fold, u16, Box<Loop>),
}

/// What a loop goes through: the members of a collection that fulfil a condition, and what is asked of each.
pub(super) struct Loop {
    pub(super) domain: Node,
    /// How members that fulfil the condition are found without looking at all of them.
    pub(super) lookup: Option<Lookup>,
    pub(super) condition: Node,
    pub(super) body: Option<Node>,
}

/// Rows of a table whose field equals something that does not depend on the row.
pub(super) enum Lookup {
    Equal { table: u16, field: u16, what: Node },
    Either(Box<[Lookup; 2]>),
}

/// Most definitions of a plan: each of them comes once for each set of constants that it is given.
const MAX_BODIES: usize = 2000;

/// A definition, for some constants among its arguments.
pub(super) struct Body {
    pub(super) name: String,
    /// One term with its slots, or one for each player.
    pub(super) codes: Vec<(Node, usize)>,
    /// Whether what it gives is worth remembering: it looks through a collection, itself or with one argument only, and
    /// depends on nothing but its arguments.
    pub(super) kept: bool,
    /// The argument that is no constant, if there is just one.
    pub(super) only: Option<usize>,
    looks_through: bool,
    reads_tied: bool,
}

/// Everything that a ranking evaluates.
pub(super) struct Plan {
    /// The keys with their slots.
    pub(super) keys: Vec<(Node, usize)>,
    pub(super) bodies: Vec<Body>,
    /// All rows of each table as a list.
    pub(super) rows: Vec<Val>,
    /// The values of each table, row by row.
    pub(super) tables: Vec<Vec<Vec<Val>>>,
    pub(super) texts: Texts,
    pub(super) players: usize,
}

/// What is found out about a term while it is prepared.
#[derive(Default)]
struct Found {
    looks_through: bool,
    /// The same, not by way of another definition.
    loops: bool,
    reads_tied: bool,
}

struct Planner<'a> {
    rules: &'a RuleSet,
    state: &'a State,
    texts: Texts,
    bodies: Vec<Body>,
    /// Where a definition with some constants stands among the bodies.
    known: HashMap<(u16, Vec<Option<Val>>), u16>,
    indexed: bool,
}

/// The constants that the slots of a definition hold.
type Constants = [Option<Val>];

impl Plan {
    /// Prepares the keys of a ranking.
    pub(super) fn new(rules: &RuleSet, state: &State, keys: &[&Code], indexed: bool) -> Option<Self> {
        let (texts, bodies, known) = (Texts::default(), Vec::new(), HashMap::new());
        let mut planner = Planner { rules, state, texts, bodies, known, indexed };
        let mut prepared = Vec::new();
        for key in keys {
            prepared
                .push((planner.node(&key.term, &[], &mut Found::default())?, usize::from(key.slots).max(1)));
        }
        let mut tables = Vec::new();
        for table in state.tables.iter() {
            let mut rows = Vec::with_capacity(table.len());
            for row in table {
                let row: Option<Vec<Val>> = row.iter().map(|value| planner.texts.val(value)).collect();
                rows.push(row?);
            }
            tables.push(rows);
        }
        let all = |(at, table): (u16, &Vec<Vec<Val>>)| {
            Val::List(List::new((0..table.len() as u32).map(|row| Val::Row(at, row)).collect()))
        };
        let rows = (0..).zip(&tables).map(all).collect();
        let Planner { texts, bodies, .. } = planner;
        Some(Self { keys: prepared, bodies, rows, tables, texts, players: rules.players.len() })
    }
}

impl Planner<'_> {
    fn nodes(&mut self, terms: &[Term], constants: &Constants, found: &mut Found) -> Option<Vec<Node>> {
        terms.iter().map(|term| self.node(term, constants, found)).collect()
    }

    fn node(&mut self, term: &Term, constants: &Constants, found: &mut Found) -> Option<Node> {
        Some(match term {
            Term::Const(value) => Node::Const(self.texts.val(value)?),
            Term::Slot(slot) => match constants.get(usize::from(*slot)) {
                Some(Some(constant)) => Node::Const(constant.clone()),
                _ => Node::Slot(*slot),
            },
            Term::Context(Context::Tied) => {
                found.reads_tied = true;
                Node::Tied
            }
            Term::Var(var, index) if index.is_empty() => {
                Node::Const(self.texts.val(self.state.vars.get(usize::from(*var))?)?)
            }
            Term::Call(builtin, arguments) if is_plain(*builtin) => {
                Node::Call(*builtin, self.nodes(arguments, constants, found)?)
            }
            Term::Apply(body, arguments) => {
                let arguments = self.nodes(arguments, constants, found)?;
                let body = self.body(*body, &arguments)?;
                let of = self.bodies.get(usize::from(body))?;
                found.looks_through |= of.looks_through;
                found.reads_tied |= of.reads_tied;
                Node::Apply(body, arguments)
            }
            Term::Rows(table) => Node::Rows(*table),
            Term::Field(row, field) => Node::Field(Box::new(self.node(row, constants, found)?), *field),
            Term::List(terms, false) => {
                let nodes = self.nodes(terms, constants, found)?;
                let values: Option<Vec<Val>> = nodes.iter().map(constant).collect();
                values.map_or(Node::List(nodes), |values| Node::Const(Val::List(List::new(values))))
            }
            Term::Not(inner) => match self.node(inner, constants, found)? {
                Node::Const(value) => Node::Const(Val::Truth(value != Val::Truth(true))),
                inner => Node::Not(Box::new(inner)),
            },
            Term::Minus(inner) => Node::Minus(Box::new(self.node(inner, constants, found)?)),
            Term::Binary(operator, a, b) => self.binary(*operator, a, b, constants, found)?,
            Term::IsEmpty(inner) => Node::IsEmpty(Box::new(self.node(inner, constants, found)?)),
            Term::If(condition, yes, no) => match self.node(condition, constants, found)? {
                // The other branch is never looked at.
                Node::Const(value) => {
                    let branch = if value == Val::Truth(true) { yes } else { no };
                    self.node(branch, constants, found)?
                }
                condition => Node::If(Box::new([
                    condition,
                    self.node(yes, constants, found)?,
                    self.node(no, constants, found)?,
                ])),
            },
            Term::Quantified(quantifier, slot, domain, body) => {
                let inner = self.looped(*slot, domain, (body, None), constants, found)?;
                Node::Quantified(*quantifier, *slot, inner)
            }
            Term::Filtered(slot, domain, condition) => {
                Node::Filtered(*slot, self.looped(*slot, domain, (condition, None), constants, found)?)
            }
            Term::Folded(fold, slot, parts) if *fold != Fold::Set => {
                let [body, domain, condition] = &**parts;
                let inner = self.looped(*slot, domain, (condition, Some(body)), constants, found)?;
                Node::Folded(*fold, *slot, inner)
            }
            _ => return None,
        })
    }

    /// An operator; what is known of constants is worked out.
    fn binary(
        &mut self,
        operator: Binary,
        a: &Term,
        b: &Term,
        constants: &Constants,
        found: &mut Found,
    ) -> Option<Node> {
        let a = self.node(a, constants, found)?;
        if let (Binary::And | Binary::Or, Node::Const(value)) = (operator, &a) {
            let holds = *value == Val::Truth(true);
            return Some(if holds == (operator == Binary::Or) {
                Node::Const(Val::Truth(holds))
            } else {
                match self.node(b, constants, found)? {
                    Node::Const(value) => Node::Const(Val::Truth(value == Val::Truth(true))),
                    b => Node::Holds(Box::new(b)),
                }
            });
        }
        let b = self.node(b, constants, found)?;
        if let (Node::Const(one), Node::Const(two)) = (&a, &b)
            && operator != Binary::Range
            && !matches!(operator, Binary::And | Binary::Or)
            && let Ok(value) = binary(operator, one, two)
        {
            return Some(Node::Const(value));
        }
        Some(Node::Binary(operator, Box::new(a), Box::new(b)))
    }

    fn looped(
        &mut self,
        slot: u16,
        domain: &Term,
        (condition, body): (&Term, Option<&Term>),
        constants: &Constants,
        found: &mut Found,
    ) -> Option<Box<Loop>> {
        (found.looks_through, found.loops) = (true, true);
        let lookup = match domain {
            Term::Rows(table) if self.indexed => self.lookup(*table, slot, condition, constants, found),
            _ => None,
        };
        Some(Box::new(Loop {
            domain: self.node(domain, constants, found)?,
            lookup,
            condition: self.node(condition, constants, found)?,
            body: match body {
                Some(body) => Some(self.node(body, constants, found)?),
                None => None,
            },
        }))
    }

    /// How the rows are found for which a condition can hold.
    fn lookup(
        &mut self,
        table: u16,
        slot: u16,
        condition: &Term,
        constants: &Constants,
        found: &mut Found,
    ) -> Option<Lookup> {
        let Term::Binary(operator, a, b) = condition else { return None };
        match operator {
            Binary::Eq => {
                let sides = [(a, b), (b, a)].into_iter().find_map(|(field, what)| match &**field {
                    Term::Field(row, field) if **row == Term::Slot(slot) && !self.reads(what, slot) => {
                        Some((*field, what))
                    }
                    _ => None,
                });
                let (field, what) = sides?;
                Some(Lookup::Equal { table, field, what: self.node(what, constants, found)? })
            }
            Binary::Or => {
                let one = self.lookup(table, slot, a, constants, found)?;
                let two = self.lookup(table, slot, b, constants, found)?;
                Some(Lookup::Either(Box::new([one, two])))
            }
            // Both must hold, so either finds them all.
            Binary::And => match self.lookup(table, slot, a, constants, found) {
                None => self.lookup(table, slot, b, constants, found),
                lookup => lookup,
            },
            _ => None,
        }
    }

    /// Whether a term reads a slot of its own frame, or names something anew: then nothing is said about it.
    fn reads(&self, term: &Term, slot: u16) -> bool {
        match term {
            Term::Slot(other) => *other == slot,
            Term::Field(row, _) => self.reads(row, slot),
            Term::Const(_) | Term::Rows(_) => false,
            Term::Apply(_, arguments) | Term::Call(_, arguments) => {
                arguments.iter().any(|argument| self.reads(argument, slot))
            }
            Term::Binary(_, a, b) => self.reads(a, slot) || self.reads(b, slot),
            _ => true,
        }
    }

    /// Where a definition stands that is given these arguments.
    fn body(&mut self, at: u16, arguments: &[Node]) -> Option<u16> {
        let mut constants: Vec<Option<Val>> = arguments.iter().map(constant).collect();
        if self.bodies.len() >= MAX_BODIES {
            constants.fill(None);
        }
        let key = (at, constants);
        if let Some(known) = self.known.get(&key) {
            return Some(*known);
        }
        let rules = self.rules;
        let body = rules.bodies.get(usize::from(at))?;
        let mut found = Found::default();
        let mut codes = Vec::new();
        for code in &body.codes {
            codes.push((self.node(&code.term, &key.1, &mut found)?, usize::from(code.slots)));
        }
        let Found { looks_through, loops: found_itself, reads_tied } = found;
        let open: Vec<usize> =
            key.1.iter().enumerate().filter(|(_, constant)| constant.is_none()).map(|(at, _)| at).collect();
        let only = if let [only] = open[..] { Some(only) } else { None };
        let kept = looks_through && !reads_tied && (found_itself || open.len() <= 1);
        let number = u16::try_from(self.bodies.len()).ok()?;
        self.bodies.push(Body { name: body.name.clone(), codes, kept, only, looks_through, reads_tied });
        self.known.insert(key, number);
        Some(number)
    }
}

/// The value of a node that is a constant.
fn constant(node: &Node) -> Option<Val> {
    match node {
        Node::Const(value) => Some(value.clone()),
        _ => None,
    }
}

/// Functions that look at nothing but what they are given.
fn is_plain(builtin: Builtin) -> bool {
    matches!(
        builtin,
        Builtin::Count
            | Builtin::Only
            | Builtin::Players
            | Builtin::Next
            | Builtin::Min
            | Builtin::Max
            | Builtin::Abs
            | Builtin::Floor
    )
}
