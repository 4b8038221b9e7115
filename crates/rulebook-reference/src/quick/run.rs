//! The evaluation of prepared terms.
//!
//! Invariant: every step is that of the plain evaluation, and burns fuel like it.

use rulebook_model::Number;
use rulebook_model::ruleset::Builtin;
use rulebook_syntax::ast::{Binary, Fold, Quantifier};

use super::plan::{Lookup, Loop, Node, Plan};
use super::story::{MAX_TOLD, MAX_TOLD_DEPTH, Told};
use super::value::{List, Map, Val};
use super::{number, odd};
use crate::eval::{Fault, MAX_RANGE, Outcomes, TABLE_FUEL};

/// Rows of a table by the value of a field.
type Index = Map<Val, Vec<u32>>;

/// One ranking.
pub(super) struct Run<'p> {
    plan: &'p Plan,
    /// The frames of the definitions that are being evaluated, one behind the other.
    stack: Vec<Val>,
    fuel: u64,
    /// What each definition gave for some arguments.
    memo: Vec<Map<Box<[Val]>, Val>>,
    /// The same for those whose only argument is a row, by its number.
    by_row: Vec<Vec<Option<Val>>>,
    /// How many more values may be remembered.
    room: usize,
    indexes: Map<(u16, u16), Index>,
    tied: Val,
    /// What was asked at each depth, if somebody listens.
    story: Option<Vec<Vec<Told>>>,
    told: usize,
}

/// The members that a loop goes through.
enum Members {
    List(List),
    Rows(u16, Vec<u32>),
}

impl Members {
    fn len(&self) -> usize {
        match self {
            Self::List(list) => list.all().len(),
            Self::Rows(_, rows) => rows.len(),
        }
    }

    fn get(&self, at: usize) -> Val {
        match self {
            Self::List(list) => list.all().get(at).cloned().unwrap_or(Val::Nothing),
            Self::Rows(table, rows) => rows.get(at).map_or(Val::Nothing, |row| Val::Row(*table, *row)),
        }
    }
}

impl<'p> Run<'p> {
    pub(super) fn new(plan: &'p Plan, room: usize) -> Self {
        let memo = plan.bodies.iter().map(|_| Map::default()).collect();
        let tied = Val::List(List::new(Vec::new()));
        Self {
            plan,
            stack: Vec::new(),
            fuel: TABLE_FUEL,
            memo,
            by_row: plan.bodies.iter().map(|_| Vec::new()).collect(),
            room,
            indexes: Map::default(),
            tied,
            story: None,
            told: 0,
        }
    }

    /// Sets the entries that are tied.
    pub(super) fn tie(&mut self, rows: &[u32]) {
        self.tied = Val::List(List::new(rows.iter().map(|row| Val::Row(0, *row)).collect()));
    }

    /// Writes down what is asked from now on.
    pub(super) fn listen(&mut self) {
        self.story = Some(vec![Vec::new()]);
    }

    /// What has been asked.
    pub(super) fn told(&mut self) -> Vec<Told> {
        self.story.take().and_then(|mut story| story.pop()).unwrap_or_default()
    }

    /// The value of a key for an entry.
    pub(super) fn key(&mut self, key: usize, row: u32) -> Outcomes<Number> {
        let plan = self.plan;
        let Some((node, slots)) = plan.keys.get(key) else { return Ok(Number::ZERO) };
        self.stack.clear();
        self.stack.resize(*slots, Val::Nothing);
        if let Some(first) = self.stack.first_mut() {
            *first = Val::Row(0, row);
        }
        let value = self.eval(node, 0)?;
        Ok(number(&plan.texts.value(&value)))
    }

    fn holds(&mut self, node: &'p Node, base: usize) -> Outcomes<bool> {
        Ok(self.eval(node, base)? == Val::Truth(true))
    }

    fn eval(&mut self, node: &'p Node, base: usize) -> Outcomes<Val> {
        self.fuel = self.fuel.checked_sub(1).ok_or(Fault::TooMuchWork)?;
        let plan = self.plan;
        Ok(match node {
            Node::Const(value) => value.clone(),
            Node::Slot(slot) => self.stack.get(base + usize::from(*slot)).cloned().unwrap_or(Val::Nothing),
            Node::Tied => self.tied.clone(),
            Node::Rows(table) => match plan.rows.get(usize::from(*table)) {
                Some(rows) => rows.clone(),
                None => Val::List(List::new(Vec::new())),
            },
            Node::Field(row, field) => match self.eval(row, base)? {
                Val::Row(table, row) => {
                    let row = plan.tables.get(usize::from(table)).and_then(|rows| rows.get(row as usize));
                    row.and_then(|row| row.get(usize::from(*field))).cloned().unwrap_or(Val::Nothing)
                }
                _ => Val::Nothing,
            },
            Node::Apply(body, arguments) => self.apply(*body, arguments, base)?,
            Node::Call(builtin, arguments) => {
                let mut values = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    values.push(self.eval(argument, base)?);
                }
                self.call(*builtin, values)?
            }
            Node::List(nodes) => {
                let mut values = Vec::with_capacity(nodes.len());
                for node in nodes {
                    values.push(self.eval(node, base)?);
                }
                Val::List(List::new(values))
            }
            Node::Not(inner) => Val::Truth(!self.holds(inner, base)?),
            Node::Minus(inner) => match self.eval(inner, base)? {
                Val::Number(number) => Val::Number(number.negate().ok_or(Fault::Number)?),
                _ => Val::Nothing,
            },
            Node::Binary(Binary::And, a, b) => Val::Truth(self.holds(a, base)? && self.holds(b, base)?),
            Node::Binary(Binary::Or, a, b) => Val::Truth(self.holds(a, base)? || self.holds(b, base)?),
            Node::Binary(operator, a, b) => {
                let (a, b) = (self.eval(a, base)?, self.eval(b, base)?);
                binary(*operator, &a, &b)?
            }
            Node::Holds(inner) => Val::Truth(self.holds(inner, base)?),
            Node::IsEmpty(inner) => Val::Truth(match self.eval(inner, base)? {
                Val::List(list) => list.all().is_empty(),
                _ => true,
            }),
            Node::If(parts) => {
                let [condition, yes, no] = &**parts;
                let branch = if self.holds(condition, base)? { yes } else { no };
                self.eval(branch, base)?
            }
            Node::Quantified(quantifier, slot, inner) => {
                // For all members it is asked whether one of them fails, and only some of them can hold.
                let all = *quantifier == Quantifier::All;
                let members = self.members(inner, base, !all)?;
                let mut found = false;
                for at in 0..members.len() {
                    self.set(base, *slot, members.get(at));
                    if self.holds(&inner.condition, base)? != all {
                        found = true;
                        break;
                    }
                }
                Val::Truth(found == (*quantifier == Quantifier::Any))
            }
            Node::Filtered(slot, inner) => {
                let members = self.members(inner, base, true)?;
                let mut kept = Vec::new();
                for at in 0..members.len() {
                    let member = members.get(at);
                    self.set(base, *slot, member.clone());
                    if self.holds(&inner.condition, base)? {
                        kept.push(member);
                    }
                }
                Val::List(List::new(kept))
            }
            Node::Folded(fold, slot, inner) => {
                let members = self.members(inner, base, true)?;
                let mut values = Vec::new();
                for at in 0..members.len() {
                    self.set(base, *slot, members.get(at));
                    if self.holds(&inner.condition, base)?
                        && let Some(body) = &inner.body
                    {
                        values.push(self.eval(body, base)?);
                    }
                }
                folded(*fold, values)?
            }
        })
    }

    fn set(&mut self, base: usize, slot: u16, value: Val) {
        let at = base + usize::from(slot);
        if self.stack.len() <= at {
            self.stack.resize(at + 1, Val::Nothing);
        }
        if let Some(slot) = self.stack.get_mut(at) {
            *slot = value;
        }
    }

    /// The members of a loop; where only those count that fulfil its condition, perhaps found in an index.
    fn members(&mut self, inner: &'p Loop, base: usize, only: bool) -> Outcomes<Members> {
        if only
            && let Some(lookup) = &inner.lookup
            && let Node::Rows(table) = inner.domain
        {
            return Ok(Members::Rows(table, self.found(lookup, base)?));
        }
        Ok(match self.eval(&inner.domain, base)? {
            Val::List(list) => Members::List(list),
            _ => Members::List(List::new(Vec::new())),
        })
    }

    #[expect(clippy::mutable_key_type, reason = "what changes in a list is its hash, from unknown to known")]
    fn found(&mut self, lookup: &'p Lookup, base: usize) -> Outcomes<Vec<u32>> {
        match lookup {
            Lookup::Either(sides) => {
                let [one, two] = &**sides;
                let mut rows = self.found(one, base)?;
                rows.extend(self.found(two, base)?);
                rows.sort_unstable();
                rows.dedup();
                Ok(rows)
            }
            Lookup::Equal { table, field, what } => {
                let what = self.eval(what, base)?;
                let plan = self.plan;
                let index = self.indexes.entry((*table, *field)).or_insert_with(|| {
                    let mut index = Index::default();
                    for (at, row) in (0..).zip(plan.tables.get(usize::from(*table)).into_iter().flatten()) {
                        let value = row.get(usize::from(*field)).cloned().unwrap_or(Val::Nothing);
                        index.entry(value).or_default().push(at);
                    }
                    index
                });
                Ok(index.get(&what).cloned().unwrap_or_default())
            }
        }
    }

    fn apply(&mut self, at: u16, arguments: &'p [Node], base: usize) -> Outcomes<Val> {
        let plan = self.plan;
        let frame = self.stack.len();
        for argument in arguments {
            let value = self.eval(argument, base)?;
            self.stack.push(value);
        }
        let Some(body) = plan.bodies.get(usize::from(at)) else {
            self.stack.truncate(frame);
            return Ok(Val::Nothing);
        };
        let given = self.stack.get(frame..).unwrap_or(&[]);
        // A definition is prepared for the types of its arguments, so that all these rows are of one table.
        let row = match body.only.and_then(|only| given.get(only)) {
            Some(Val::Row(_, row)) => Some(*row as usize),
            _ => None,
        };
        let known = match row {
            _ if !body.kept || self.story.is_some() => None,
            Some(row) => self.by_row.get(usize::from(at)).and_then(|rows| rows.get(row)?.clone()),
            None => self.memo.get(usize::from(at)).and_then(|memo| memo.get(given).cloned()),
        };
        if let Some(known) = known {
            self.stack.truncate(frame);
            return Ok(known);
        }
        let code = match (body.codes.len(), given.first()) {
            (0, _) => None,
            (1, _) => body.codes.first(),
            (_, Some(Val::Player(player))) => body.codes.get(usize::from(*player)),
            _ => None,
        };
        let Some((node, slots)) = code else {
            self.stack.truncate(frame);
            return Ok(Val::Nothing);
        };
        self.stack.resize(frame + arguments.len().max(*slots), Val::Nothing);
        if let Some(story) = &mut self.story {
            story.push(Vec::new());
        }
        let value = self.eval(node, frame)?;
        let given = self.stack.get(frame..frame + arguments.len()).unwrap_or(&[]);
        if let Some(story) = &mut self.story {
            let asked = story.pop().unwrap_or_default();
            let depth = story.len();
            if self.told < MAX_TOLD
                && depth <= MAX_TOLD_DEPTH
                && let Some(around) = story.last_mut()
            {
                self.told += 1;
                let given = given.iter().map(|value| plan.texts.value(value)).collect();
                around.push(Told { name: body.name.clone(), given, gave: plan.texts.value(&value), asked });
            }
        } else if body.kept && self.room > 0 {
            let key: Box<[Val]> = if row.is_some() { Box::default() } else { given.into() };
            if let (Some(row), Some(rows)) = (row, self.by_row.get_mut(usize::from(at))) {
                self.room -= 1;
                if rows.len() <= row {
                    rows.resize(row + 1, None);
                }
                if let Some(slot) = rows.get_mut(row) {
                    *slot = Some(value.clone());
                }
            } else if let Some(memo) = self.memo.get_mut(usize::from(at)) {
                self.room -= 1;
                memo.insert(key, value.clone());
            }
        }
        self.stack.truncate(frame);
        Ok(value)
    }

    fn call(&self, builtin: Builtin, values: Vec<Val>) -> Outcomes<Val> {
        let players = self.plan.players;
        let mut values = values.into_iter();
        let mut next = || values.next().unwrap_or(Val::Nothing);
        let whole = |number: usize| Val::Number(Number::whole(i64::try_from(number).unwrap_or(i64::MAX)));
        Ok(match builtin {
            Builtin::Count => whole(match next() {
                Val::List(list) => list.all().len(),
                _ => 0,
            }),
            Builtin::Only => match next() {
                Val::List(list) => match list.all() {
                    [member] => member.clone(),
                    _ => Val::Nothing,
                },
                _ => Val::Nothing,
            },
            Builtin::Players => {
                Val::List(List::new((0..players).map(|player| Val::Player(player as u8)).collect()))
            }
            Builtin::Next => match next() {
                Val::Player(player) => Val::Player(((usize::from(player) + 1) % players.max(1)) as u8),
                _ => Val::Nothing,
            },
            Builtin::Min | Builtin::Max => match (next(), next()) {
                (Val::Number(a), Val::Number(b)) if builtin == Builtin::Min => Val::Number(a.min(b)),
                (Val::Number(a), Val::Number(b)) => Val::Number(a.max(b)),
                _ => Val::Nothing,
            },
            Builtin::Abs => match next() {
                Val::Number(number) if number < Number::ZERO => {
                    Val::Number(number.negate().ok_or(Fault::Number)?)
                }
                value => value,
            },
            Builtin::Floor => match next() {
                Val::Number(number) => Val::Number(number.floor()),
                value => value,
            },
            _ => Val::Nothing,
        })
    }
}

/// What an operator gives.
pub(super) fn binary(operator: Binary, a: &Val, b: &Val) -> Outcomes<Val> {
    let truth = |truth: bool| Ok(Val::Truth(truth));
    match operator {
        Binary::Eq => return truth(a == b),
        Binary::Ne => return truth(a != b),
        Binary::In | Binary::NotIn => {
            let found = match b {
                Val::List(list) => list.contains(a),
                other => other == a && *a != Val::Nothing,
            };
            return truth(found == (operator == Binary::In));
        }
        _ => {}
    }
    if let (Val::Number(x), Val::Number(y)) = (a, b) {
        let number = match operator {
            Binary::Lt => return truth(x < y),
            Binary::Le => return truth(x <= y),
            Binary::Gt => return truth(x > y),
            Binary::Ge => return truth(x >= y),
            Binary::Range => return range(*x, *y),
            Binary::Plus => x.plus(*y),
            Binary::Less => x.minus(*y),
            Binary::Times => x.times(*y),
            Binary::Over => x.over(*y),
            Binary::Mod => x.modulo(*y),
            _ => None,
        };
        return number.map(Val::Number).ok_or(Fault::Number);
    }
    match (operator, a, b) {
        (Binary::Plus, Val::List(a), Val::List(b)) => Ok(Val::List(a.and(b))),
        // A comparison with what is not there never holds.
        (Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge, ..) => truth(false),
        // What is not there may stand for a set of sites.
        (_, Val::Nothing, _) | (Binary::Both, ..) => Err(odd()),
        _ => Ok(Val::Nothing),
    }
}

fn range(from: Number, to: Number) -> Outcomes<Val> {
    let (Some(from), Some(to)) = (from.to_whole(), to.to_whole()) else {
        return Ok(Val::List(List::new(Vec::new())));
    };
    if to.saturating_sub(from) > MAX_RANGE {
        return Err(Fault::TooMuchWork);
    }
    Ok(Val::List(List::new((from..=to).map(|n| Val::Number(Number::whole(n))).collect())))
}

fn folded(fold: Fold, values: Vec<Val>) -> Outcomes<Val> {
    let numbers = values.iter().filter_map(|value| match value {
        Val::Number(number) => Some(*number),
        _ => None,
    });
    Ok(match fold {
        Fold::Sum => {
            let mut sum = Number::ZERO;
            for number in numbers {
                sum = sum.plus(number).ok_or(Fault::Number)?;
            }
            Val::Number(sum)
        }
        Fold::Most => Val::Number(numbers.max().unwrap_or(Number::ZERO)),
        Fold::Least => Val::Number(numbers.min().unwrap_or(Number::ZERO)),
        Fold::List => Val::List(List::new(values)),
        Fold::Set => Val::Nothing,
    })
}
