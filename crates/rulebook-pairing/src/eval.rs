//! The value of a term over tables, remembered where it is asked for again.
//!
//! Tables do not change while a round is paired, so a definition with the same arguments has the same value: each is
//! worked out once.
//! Where the rows of a table are sought that have a certain value in a field, they are looked up.
//! Invariant: every value is that of the reference interpreter; terms about boards and plies have no value here.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use rulebook_model::ruleset::{Builtin, RuleSet, Term};
use rulebook_model::{Number, Value};
use rulebook_reference::{Fault, TABLE_FUEL};
use rulebook_syntax::ast::{Binary, Fold, Quantifier};

use crate::value::{Map, Val};

/// What comes of an evaluation.
pub(crate) type Outcome<T> = Result<T, Fault>;

/// The values of a definition, by row.
type OfRows = Map<(u16, u16), Vec<Option<Val>>>;

/// The rows with a value in a field.
type Lookup = Rc<Map<Val, Rc<[Val]>>>;

/// Evaluates terms over tables.
pub(crate) struct Evaluator<'a> {
    rules: &'a RuleSet,
    tables: Vec<Vec<Vec<Val>>>,
    /// The values of definitions, by body and arguments.
    known: RefCell<Map<(u16, Vec<Val>), Val>>,
    /// The values of definitions of one row, by body, table and row.
    of_rows: RefCell<OfRows>,
    lookups: RefCell<Map<(u16, u16), Lookup>>,
    all: RefCell<Map<u16, Val>>,
    texts: RefCell<Map<String, Val>>,
    fuel: Cell<u64>,
}

impl<'a> Evaluator<'a> {
    pub(crate) fn new(rules: &'a RuleSet, tables: &[Vec<Vec<Value>>]) -> Self {
        let row = |row: &Vec<Value>| row.iter().map(Val::from).collect();
        Self {
            rules,
            tables: tables.iter().map(|rows| rows.iter().map(row).collect()).collect(),
            known: RefCell::default(),
            of_rows: RefCell::default(),
            lookups: RefCell::default(),
            all: RefCell::default(),
            texts: RefCell::default(),
            fuel: Cell::new(TABLE_FUEL),
        }
    }

    fn burn(&self) -> Outcome<()> {
        self.fuel.set(self.fuel.get().checked_sub(1).ok_or(Fault::TooMuchWork)?);
        Ok(())
    }

    pub(crate) fn eval(&self, term: &Term, slots: &mut Vec<Val>) -> Outcome<Val> {
        self.burn()?;
        Ok(match term {
            Term::Const(Value::Text(text)) => {
                if let Some(known) = self.texts.borrow().get(text) {
                    return Ok(known.clone());
                }
                let made = Val::Text(text.as_str().into());
                self.texts.borrow_mut().insert(text.clone(), made.clone());
                made
            }
            Term::Const(value) => Val::from(value),
            Term::Slot(slot) => slots.get(usize::from(*slot)).cloned().unwrap_or(Val::Nothing),
            Term::Apply(body, arguments) => self.apply(*body, arguments, slots)?,
            Term::Rows(table) => self.rows(*table),
            Term::Field(row, field) => match self.eval(row, slots)? {
                Val::Row(table, row) => self.field(table, row, *field),
                _ => Val::Nothing,
            },
            Term::List(terms, _) => {
                let values: Outcome<Vec<Val>> = terms.iter().map(|term| self.eval(term, slots)).collect();
                Val::List(values?.into())
            }
            Term::Not(inner) => Val::Truth(!self.holds(inner, slots)?),
            Term::Minus(inner) => match self.eval(inner, slots)? {
                Val::Number(number) => Val::Number(number.negate().ok_or(Fault::Number)?),
                _ => Val::Nothing,
            },
            Term::Binary(Binary::And, a, b) => Val::Truth(self.holds(a, slots)? && self.holds(b, slots)?),
            Term::Binary(Binary::Or, a, b) => Val::Truth(self.holds(a, slots)? || self.holds(b, slots)?),
            Term::Binary(operator, a, b) => {
                let (a, b) = (self.eval(a, slots)?, self.eval(b, slots)?);
                binary(*operator, a, b)?
            }
            Term::IsEmpty(inner) => Val::Truth(self.eval(inner, slots)?.members().is_empty()),
            Term::If(condition, yes, no) => {
                let branch = if self.holds(condition, slots)? { yes } else { no };
                self.eval(branch, slots)?
            }
            Term::Quantified(quantifier, slot, domain, body) => {
                let wanted = *quantifier != Quantifier::All;
                let plain = Term::Const(Value::Truth(true));
                let sought = if wanted { &**body } else { &plain };
                let mut found = false;
                for member in self.domain(domain, *slot, sought, slots)?.members() {
                    set(slots, *slot, member.clone());
                    if self.holds(body, slots)? == wanted {
                        found = true;
                        break;
                    }
                }
                Val::Truth(found == (*quantifier == Quantifier::Any))
            }
            Term::Filtered(slot, domain, body) => {
                let mut kept = Vec::new();
                for member in self.domain(domain, *slot, body, slots)?.members() {
                    set(slots, *slot, member.clone());
                    if self.holds(body, slots)? {
                        kept.push(member.clone());
                    }
                }
                Val::List(kept.into())
            }
            Term::Folded(fold, slot, parts) => {
                let [body, domain, condition] = &**parts;
                let mut values = Vec::new();
                for member in self.domain(domain, *slot, condition, slots)?.members() {
                    set(slots, *slot, member.clone());
                    if self.holds(condition, slots)? {
                        values.push(self.eval(body, slots)?);
                    }
                }
                folded(*fold, values)?
            }
            Term::Call(builtin, arguments) => {
                let values: Outcome<Vec<Val>> =
                    arguments.iter().map(|argument| self.eval(argument, slots)).collect();
                self.call(*builtin, &values?)?
            }
            _ => Val::Nothing,
        })
    }

    pub(crate) fn holds(&self, term: &Term, slots: &mut Vec<Val>) -> Outcome<bool> {
        Ok(self.eval(term, slots)?.is_true())
    }

    fn field(&self, table: u16, row: u32, field: u16) -> Val {
        let row = self.tables.get(usize::from(table)).and_then(|rows| rows.get(row as usize));
        row.and_then(|row| row.get(usize::from(field))).cloned().unwrap_or(Val::Nothing)
    }

    fn rows(&self, table: u16) -> Val {
        if let Some(known) = self.all.borrow().get(&table) {
            return known.clone();
        }
        let count = self.tables.get(usize::from(table)).map_or(0, Vec::len) as u32;
        let all = Val::List((0..count).map(|row| Val::Row(table, row)).collect());
        self.all.borrow_mut().insert(table, all.clone());
        all
    }

    fn apply(&self, body: u16, arguments: &[Term], slots: &mut Vec<Val>) -> Outcome<Val> {
        let mut frame = Vec::with_capacity(arguments.len() + 2);
        for argument in arguments {
            frame.push(self.eval(argument, slots)?);
        }
        if let [Val::Row(table, row)] = frame[..] {
            let known = self.of_rows.borrow().get(&(body, table)).and_then(|of| of[row as usize].clone());
            if let Some(known) = known {
                return Ok(known);
            }
            let value = self.body(body, frame)?;
            let count = self.tables.get(usize::from(table)).map_or(0, Vec::len);
            let mut of_rows = self.of_rows.borrow_mut();
            of_rows.entry((body, table)).or_insert_with(|| vec![None; count])[row as usize] =
                Some(value.clone());
            return Ok(value);
        }
        let small = |value: &Val| !matches!(value, Val::List(_));
        let worth = frame.iter().any(|value| matches!(value, Val::Row(..))) || frame.is_empty();
        if !worth || !frame.iter().all(small) {
            return self.body(body, frame);
        }
        let key = (body, frame);
        if let Some(known) = self.known.borrow().get(&key) {
            return Ok(known.clone());
        }
        let value = self.body(body, key.1.clone())?;
        self.known.borrow_mut().insert(key, value.clone());
        Ok(value)
    }

    fn body(&self, body: u16, mut frame: Vec<Val>) -> Outcome<Val> {
        let Some(body) = self.rules.bodies.get(usize::from(body)) else { return Ok(Val::Nothing) };
        let code = match (body.codes.len(), frame.first()) {
            (0, _) => None,
            (1, _) => body.codes.first(),
            (_, Some(Val::Player(player))) => body.codes.get(usize::from(*player)),
            _ => None,
        };
        let Some(code) = code else { return Ok(Val::Nothing) };
        frame.resize(frame.len().max(usize::from(code.slots)), Val::Nothing);
        self.eval(&code.term, &mut frame)
    }

    /// The members of a collection for which a condition can hold: all, unless it asks for rows with a certain value
    /// in a field.
    fn domain(&self, domain: &Term, slot: u16, condition: &Term, slots: &mut Vec<Val>) -> Outcome<Val> {
        if let Term::Rows(table) = domain
            && let Some(found) = self.sought(*table, slot, condition, slots)?
        {
            return Ok(Val::List(found));
        }
        self.eval(domain, slots)
    }

    fn sought(
        &self,
        table: u16,
        slot: u16,
        condition: &Term,
        slots: &mut Vec<Val>,
    ) -> Outcome<Option<Rc<[Val]>>> {
        match condition {
            Term::Binary(Binary::Eq, a, b) => {
                let (field, value) = match (&**a, &**b) {
                    (Term::Field(row, field), value) if **row == Term::Slot(slot) => (*field, value),
                    (value, Term::Field(row, field)) if **row == Term::Slot(slot) => (*field, value),
                    _ => return Ok(None),
                };
                if reads(value, slot) {
                    return Ok(None);
                }
                let value = self.eval(value, slots)?;
                Ok(Some(self.lookup(table, field).get(&value).cloned().unwrap_or_default()))
            }
            Term::Binary(Binary::And, a, b) => match self.sought(table, slot, a, slots)? {
                Some(found) => Ok(Some(found)),
                None => self.sought(table, slot, b, slots),
            },
            Term::Binary(Binary::Or, a, b) => {
                let Some(one) = self.sought(table, slot, a, slots)? else { return Ok(None) };
                let Some(other) = self.sought(table, slot, b, slots)? else { return Ok(None) };
                let mut both: Vec<Val> = one.iter().chain(&*other).cloned().collect();
                both.sort_by_key(|row| if let Val::Row(_, row) = row { *row } else { 0 });
                both.dedup();
                Ok(Some(both.into()))
            }
            _ => Ok(None),
        }
    }

    fn lookup(&self, table: u16, field: u16) -> Lookup {
        if let Some(known) = self.lookups.borrow().get(&(table, field)) {
            return Rc::clone(known);
        }
        let mut found: Map<Val, Vec<Val>> = Map::default();
        for (at, row) in self.tables.get(usize::from(table)).into_iter().flatten().enumerate() {
            let value = row.get(usize::from(field)).cloned().unwrap_or(Val::Nothing);
            found.entry(value).or_default().push(Val::Row(table, at as u32));
        }
        let made: Lookup = Rc::new(found.into_iter().map(|(value, rows)| (value, rows.into())).collect());
        self.lookups.borrow_mut().insert((table, field), Rc::clone(&made));
        made
    }

    fn call(&self, builtin: Builtin, values: &[Val]) -> Outcome<Val> {
        let number = |at: usize| values.get(at).and_then(Val::number);
        Ok(match builtin {
            Builtin::Count => Val::whole(values.first().map_or(0, |list| list.members().len())),
            Builtin::Only => match values.first().map(Val::members) {
                Some([member]) => member.clone(),
                _ => Val::Nothing,
            },
            Builtin::Next => match values.first() {
                Some(Val::Player(player)) => Val::Player(self.rules.next_player(*player)),
                _ => Val::Nothing,
            },
            Builtin::Players => Val::List((0..self.rules.players.len() as u8).map(Val::Player).collect()),
            Builtin::Min | Builtin::Max => match (number(0), number(1)) {
                (Some(a), Some(b)) => Val::Number(if builtin == Builtin::Min { a.min(b) } else { a.max(b) }),
                _ => Val::Nothing,
            },
            Builtin::Abs => match number(0) {
                Some(a) if a < Number::ZERO => Val::Number(a.negate().ok_or(Fault::Number)?),
                Some(a) => Val::Number(a),
                None => Val::Nothing,
            },
            Builtin::Floor => number(0).map_or(Val::Nothing, |a| Val::Number(a.floor())),
            _ => Val::Nothing,
        })
    }
}

/// Whether a term reads a local name.
pub(crate) fn reads(term: &Term, slot: u16) -> bool {
    let mut found = false;
    visit(term, &mut |term| found |= *term == Term::Slot(slot));
    found
}

/// Calls a function on a term and all its parts, definitions left closed.
pub(crate) fn visit(term: &Term, f: &mut dyn FnMut(&Term)) {
    f(term);
    let mut each = |terms: &[&Term]| terms.iter().for_each(|term| visit(term, f));
    match term {
        Term::Field(a, _) | Term::Not(a) | Term::Minus(a) | Term::IsEmpty(a) => each(&[a]),
        Term::Binary(_, a, b) | Term::Quantified(_, _, a, b) | Term::Filtered(_, a, b) => each(&[a, b]),
        Term::If(a, b, c) => each(&[a, b, c]),
        Term::Folded(_, _, parts) => each(&[&parts[0], &parts[1], &parts[2]]),
        Term::Var(_, terms) | Term::Call(_, terms) | Term::List(terms, _) | Term::Apply(_, terms) => {
            terms.iter().for_each(|term| visit(term, f));
        }
        _ => {}
    }
}

fn set(slots: &mut Vec<Val>, slot: u16, value: Val) {
    let at = usize::from(slot);
    if slots.len() <= at {
        slots.resize(at + 1, Val::Nothing);
    }
    slots[at] = value;
}

pub(crate) fn binary(operator: Binary, a: Val, b: Val) -> Outcome<Val> {
    let truth = |truth: bool| Ok(Val::Truth(truth));
    match operator {
        Binary::Eq => return truth(a == b),
        Binary::Ne => return truth(a != b),
        Binary::In => return truth(b.members().contains(&a)),
        Binary::NotIn => return truth(!b.members().contains(&a)),
        _ => {}
    }
    if let (Val::Number(x), Val::Number(y)) = (&a, &b) {
        let (x, y) = (*x, *y);
        let number = match operator {
            Binary::Lt => return truth(x < y),
            Binary::Le => return truth(x <= y),
            Binary::Gt => return truth(x > y),
            Binary::Ge => return truth(x >= y),
            Binary::Range => return range(x, y),
            Binary::Plus => x.plus(y),
            Binary::Less => x.minus(y),
            Binary::Times => x.times(y),
            Binary::Over => x.over(y),
            Binary::Mod => x.modulo(y),
            _ => None,
        };
        return number.map(Val::Number).ok_or(Fault::Number);
    }
    match (operator, a, b) {
        (Binary::Plus, Val::List(a), Val::List(b)) => Ok(Val::List(a.iter().chain(&*b).cloned().collect())),
        (Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge, ..) => truth(false),
        _ => Ok(Val::Nothing),
    }
}

/// Longest list that a range makes.
const MAX_RANGE: i64 = 100_000;

fn range(from: Number, to: Number) -> Outcome<Val> {
    let (Some(from), Some(to)) = (from.to_whole(), to.to_whole()) else { return Ok(Val::List(Rc::new([]))) };
    if to.saturating_sub(from) > MAX_RANGE {
        return Err(Fault::TooMuchWork);
    }
    Ok(Val::List((from..=to).map(|n| Val::Number(Number::whole(n))).collect()))
}

fn folded(fold: Fold, values: Vec<Val>) -> Outcome<Val> {
    let numbers = values.iter().filter_map(Val::number);
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
        Fold::Set => Val::Nothing,
        Fold::List => Val::List(values.into()),
    })
}

impl Evaluator<'_> {
    /// Whether a condition holds for some values.
    pub(crate) fn ask(&self, code: &rulebook_model::ruleset::Code, values: &[Value]) -> Outcome<bool> {
        let mut slots: Vec<Val> = values.iter().map(Val::from).collect();
        slots.resize(slots.len().max(usize::from(code.slots)), Val::Nothing);
        self.holds(&code.term, &mut slots)
    }
}
