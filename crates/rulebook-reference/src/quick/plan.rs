//! Terms prepared for one state.
//!
//! Invariant: a plan holds every definition that its keys reach, and is not made if one of them has a term that looks
//! at anything but tables, arguments and those who are tied.

use rulebook_model::RuleSet;
use rulebook_model::ruleset::{Builtin, Code, Context, Term};
use rulebook_syntax::ast::{Binary, Fold, Quantifier};

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

/// A definition.
pub(super) struct Body {
    pub(super) name: String,
    /// One term with its slots, or one for each player.
    pub(super) codes: Vec<(Node, usize)>,
    /// Whether what it gives is worth remembering: it looks through a collection, and depends on nothing but its
    /// arguments.
    pub(super) kept: bool,
    looks_through: bool,
    reads_tied: bool,
}

/// Everything that a ranking evaluates.
pub(super) struct Plan {
    /// The keys with their slots.
    pub(super) keys: Vec<(Node, usize)>,
    pub(super) bodies: Vec<Option<Body>>,
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
    reads_tied: bool,
}

struct Planner<'a> {
    rules: &'a RuleSet,
    state: &'a State,
    texts: Texts,
    bodies: Vec<Option<Body>>,
    indexed: bool,
}

impl Plan {
    /// Prepares the keys of a ranking.
    pub(super) fn new(rules: &RuleSet, state: &State, keys: &[&Code], indexed: bool) -> Option<Self> {
        let bodies = rules.bodies.iter().map(|_| None).collect();
        let mut planner = Planner { rules, state, texts: Texts::default(), bodies, indexed };
        let mut prepared = Vec::new();
        for key in keys {
            prepared.push((planner.node(&key.term, &mut Found::default())?, usize::from(key.slots).max(1)));
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
    fn nodes(&mut self, terms: &[Term], found: &mut Found) -> Option<Vec<Node>> {
        terms.iter().map(|term| self.node(term, found)).collect()
    }

    fn boxed(&mut self, term: &Term, found: &mut Found) -> Option<Box<Node>> {
        self.node(term, found).map(Box::new)
    }

    fn node(&mut self, term: &Term, found: &mut Found) -> Option<Node> {
        Some(match term {
            Term::Const(value) => Node::Const(self.texts.val(value)?),
            Term::Slot(slot) => Node::Slot(*slot),
            Term::Context(Context::Tied) => {
                found.reads_tied = true;
                Node::Tied
            }
            Term::Var(var, index) if index.is_empty() => {
                Node::Const(self.texts.val(self.state.vars.get(usize::from(*var))?)?)
            }
            Term::Call(builtin, arguments) if is_plain(*builtin) => {
                Node::Call(*builtin, self.nodes(arguments, found)?)
            }
            Term::Apply(body, arguments) => {
                self.body(*body)?;
                let of = self.bodies.get(usize::from(*body))?.as_ref()?;
                found.looks_through |= of.looks_through;
                found.reads_tied |= of.reads_tied;
                Node::Apply(*body, self.nodes(arguments, found)?)
            }
            Term::Rows(table) => Node::Rows(*table),
            Term::Field(row, field) => Node::Field(self.boxed(row, found)?, *field),
            Term::List(terms, false) => Node::List(self.nodes(terms, found)?),
            Term::Not(inner) => Node::Not(self.boxed(inner, found)?),
            Term::Minus(inner) => Node::Minus(self.boxed(inner, found)?),
            Term::Binary(operator, a, b) => {
                Node::Binary(*operator, self.boxed(a, found)?, self.boxed(b, found)?)
            }
            Term::IsEmpty(inner) => Node::IsEmpty(self.boxed(inner, found)?),
            Term::If(condition, yes, no) => Node::If(Box::new([
                self.node(condition, found)?,
                self.node(yes, found)?,
                self.node(no, found)?,
            ])),
            Term::Quantified(quantifier, slot, domain, body) => {
                let inner = self.looped(*slot, domain, body, None, found)?;
                Node::Quantified(*quantifier, *slot, inner)
            }
            Term::Filtered(slot, domain, condition) => {
                Node::Filtered(*slot, self.looped(*slot, domain, condition, None, found)?)
            }
            Term::Folded(fold, slot, parts) if *fold != Fold::Set => {
                let [body, domain, condition] = &**parts;
                Node::Folded(*fold, *slot, self.looped(*slot, domain, condition, Some(body), found)?)
            }
            _ => return None,
        })
    }

    fn looped(
        &mut self,
        slot: u16,
        domain: &Term,
        condition: &Term,
        body: Option<&Term>,
        found: &mut Found,
    ) -> Option<Box<Loop>> {
        found.looks_through = true;
        let lookup = match domain {
            Term::Rows(table) if self.indexed => self.lookup(*table, slot, condition, found),
            _ => None,
        };
        Some(Box::new(Loop {
            domain: self.node(domain, found)?,
            lookup,
            condition: self.node(condition, found)?,
            body: match body {
                Some(body) => Some(self.node(body, found)?),
                None => None,
            },
        }))
    }

    /// How the rows are found for which a condition can hold.
    fn lookup(&mut self, table: u16, slot: u16, condition: &Term, found: &mut Found) -> Option<Lookup> {
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
                Some(Lookup::Equal { table, field, what: self.node(what, found)? })
            }
            Binary::Or => {
                let (one, two) = (self.lookup(table, slot, a, found)?, self.lookup(table, slot, b, found)?);
                Some(Lookup::Either(Box::new([one, two])))
            }
            // Both must hold, so either finds them all.
            Binary::And => match self.lookup(table, slot, a, found) {
                None => self.lookup(table, slot, b, found),
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

    fn body(&mut self, at: u16) -> Option<()> {
        let at = usize::from(at);
        if self.bodies.get(at)?.is_some() {
            return Some(());
        }
        let rules = self.rules;
        let body = rules.bodies.get(at)?;
        let mut found = Found::default();
        let mut codes = Vec::new();
        for code in &body.codes {
            codes.push((self.node(&code.term, &mut found)?, usize::from(code.slots)));
        }
        let Found { looks_through, reads_tied } = found;
        let kept = looks_through && !reads_tied;
        *self.bodies.get_mut(at)? =
            Some(Body { name: body.name.clone(), codes, kept, looks_through, reads_tied });
        Some(())
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
