//! What clauses say about pairs, worked out once for all pairs that are alike.
//!
//! An expression about a pair falls apart into what concerns one of the two, what asks whether something of one is in
//! a list of the other, and what is made of these.
//! Entries with the same values of the first sort are of one class, and the rest is worked out once for two classes.
//! Invariant: the value is that of the expression itself; how it falls apart makes no difference.

use std::cell::RefCell;
use std::rc::Rc;

use rulebook_model::Number;
use rulebook_model::ruleset::{Code, RuleSet, Term};
use rulebook_reference::Fault;
use rulebook_syntax::ast::Binary;

use crate::eval::{Evaluator, Outcome, visit};
use crate::value::{Map, Val};

const FIRST: u16 = 0;
const SECOND: u16 = 1;

/// What stands in place of a part of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leaf {
    /// What concerns the first, by number.
    First(usize),
    /// What concerns the second.
    Second(usize),
    /// Whether a value of the one is in a list of the other.
    Member(usize),
}

/// A question whether a value of one is in a list of the other.
struct Member {
    value: Term,
    list: Term,
    /// Whether the list is that of the first.
    list_of_first: bool,
}

/// Expressions about pairs, taken apart.
pub(crate) struct Split {
    skeletons: Vec<Term>,
    leaves: Vec<(u16, Leaf)>,
    firsts: Vec<Term>,
    seconds: Vec<Term>,
    members: Vec<Member>,
    slots: u16,
}

impl Split {
    /// Takes expressions apart whose slots 0 and 1 are the pair.
    pub(crate) fn new<'c>(rules: &RuleSet, codes: impl Iterator<Item = &'c Code>) -> Self {
        let mut split = Self {
            skeletons: Vec::new(),
            leaves: Vec::new(),
            firsts: Vec::new(),
            seconds: Vec::new(),
            members: Vec::new(),
            slots: 16,
        };
        for code in codes {
            let mut next = code.slots.max(16);
            let open: Vec<Term> = (0..code.slots).map(Term::Slot).collect();
            let term = inline(rules, &code.term, &open, &mut next);
            split.slots = split.slots.max(next);
            let skeleton = split.part(term, &mut Vec::new());
            split.skeletons.push(skeleton);
        }
        // Leaves come behind all local names.
        let from = split.slots;
        for (at, leaf) in split.leaves.iter_mut().enumerate() {
            leaf.0 = from + at as u16;
        }
        let leaves = split.leaves.len() as u16;
        for skeleton in &mut split.skeletons {
            shift(skeleton, from);
        }
        split.slots += leaves;
        split
    }

    fn leaf(&mut self, leaf: Leaf) -> Term {
        let at = self.leaves.iter().position(|(_, known)| *known == leaf).unwrap_or_else(|| {
            self.leaves.push((0, leaf));
            self.leaves.len() - 1
        });
        // Marked by a number beyond all slots until these are counted.
        Term::Mark(at as u8)
    }

    fn part(&mut self, term: Term, bound: &mut Vec<u16>) -> Term {
        let (first, second, local) = concerns(&term, bound);
        if !local && matches!(term, Term::Const(_)) {
            return term;
        }
        if !local && first && !second && self.leaves.len() < 250 {
            let at = intern(&mut self.firsts, term);
            return self.leaf(Leaf::First(at));
        }
        if !local && second && !first && self.leaves.len() < 250 {
            let at = intern(&mut self.seconds, swapped(term));
            return self.leaf(Leaf::Second(at));
        }
        if let Term::Binary(operator @ (Binary::In | Binary::NotIn), a, b) = &term {
            let (of_a, of_b) = (concerns(a, bound), concerns(b, bound));
            let apart = match (of_a, of_b) {
                ((false, true, false), (true, false, false)) => Some(true),
                ((true, false, false), (false, true, false)) => Some(false),
                _ => None,
            };
            if let Some(list_of_first) = apart.filter(|_| self.leaves.len() < 250 && self.members.len() < 8) {
                let own = |term: &Term, first: bool| if first { term.clone() } else { swapped(term.clone()) };
                let member =
                    Member { value: own(a, !list_of_first), list: own(b, list_of_first), list_of_first };
                self.members.push(member);
                let leaf = self.leaf(Leaf::Member(self.members.len() - 1));
                return if *operator == Binary::In { leaf } else { Term::Not(Box::new(leaf)) };
            }
        }
        map(term, bound, &mut |term, bound| self.part(term, bound))
    }
}

fn intern(list: &mut Vec<Term>, term: Term) -> usize {
    list.iter().position(|known| *known == term).unwrap_or_else(|| {
        list.push(term);
        list.len() - 1
    })
}

/// Whether a term reads the first, the second, or a name that is bound around it.
fn concerns(term: &Term, bound: &[u16]) -> (bool, bool, bool) {
    let (mut first, mut second, mut local) = (false, false, false);
    visit(term, &mut |term| {
        if let Term::Slot(slot) = term {
            first |= *slot == FIRST;
            second |= *slot == SECOND;
            local |= bound.contains(slot);
        }
    });
    (first, second, local)
}

/// The same term about the second as if it were the first.
fn swapped(term: Term) -> Term {
    if term == Term::Slot(SECOND) {
        return Term::Slot(FIRST);
    }
    map(term, &mut Vec::new(), &mut |term, _| swapped(term))
}

/// Puts slots in the place of marked leaves.
fn shift(term: &mut Term, from: u16) {
    if let Term::Mark(at) = term {
        *term = Term::Slot(from + u16::from(*at));
        return;
    }
    let taken = std::mem::replace(term, Term::Slot(0));
    *term = map(taken, &mut Vec::new(), &mut |mut term, _| {
        shift(&mut term, from);
        term
    });
}

/// A term with definitions opened. Every local name gets a slot of its own.
fn inline(rules: &RuleSet, term: &Term, frame: &[Term], next: &mut u16) -> Term {
    match term {
        Term::Slot(slot) => frame.get(usize::from(*slot)).cloned().unwrap_or(Term::Slot(*slot)),
        Term::Apply(body, arguments) => {
            let arguments: Vec<Term> =
                arguments.iter().map(|argument| inline(rules, argument, frame, next)).collect();
            let alone = |term: &Term| {
                let (first, second, _) = concerns(term, &[]);
                !(first && second)
            };
            let code = rules.bodies.get(usize::from(*body)).filter(|body| body.codes.len() == 1);
            // What concerns one of the two stays closed, so that it is remembered; local names may be in it.
            let whole = Term::Apply(*body, arguments.clone());
            match code.and_then(|body| body.codes.first()) {
                Some(code) if !alone(&whole) && *next < 4000 => inline(rules, &code.term, &arguments, next),
                _ => whole,
            }
        }
        Term::Quantified(quantifier, slot, domain, body) => {
            let domain = inline(rules, domain, frame, next);
            let (slot, frame) = fresh(*slot, frame, next);
            let body = inline(rules, body, &frame, next);
            Term::Quantified(*quantifier, slot, Box::new(domain), Box::new(body))
        }
        Term::Filtered(slot, domain, body) => {
            let domain = inline(rules, domain, frame, next);
            let (slot, frame) = fresh(*slot, frame, next);
            let body = inline(rules, body, &frame, next);
            Term::Filtered(slot, Box::new(domain), Box::new(body))
        }
        Term::Folded(fold, slot, parts) => {
            let [body, domain, condition] = &**parts;
            let domain = inline(rules, domain, frame, next);
            let (slot, frame) = fresh(*slot, frame, next);
            let body = inline(rules, body, &frame, next);
            let condition = inline(rules, condition, &frame, next);
            Term::Folded(*fold, slot, Box::new([body, domain, condition]))
        }
        other => map(other.clone(), &mut Vec::new(), &mut |term, _| inline(rules, &term, frame, next)),
    }
}

fn fresh(slot: u16, frame: &[Term], next: &mut u16) -> (u16, Vec<Term>) {
    let mut frame = frame.to_vec();
    let own = *next;
    *next += 1;
    for at in frame.len()..=usize::from(slot) {
        frame.push(Term::Slot(at as u16));
    }
    frame[usize::from(slot)] = Term::Slot(own);
    (own, frame)
}

/// A term with a function done to each of its parts; the function learns which names are bound there.
fn map(term: Term, bound: &mut Vec<u16>, f: &mut dyn FnMut(Term, &mut Vec<u16>) -> Term) -> Term {
    let mut boxed = |term: Box<Term>, bound: &mut Vec<u16>| Box::new(f(*term, bound));
    match term {
        Term::Field(a, field) => Term::Field(boxed(a, bound), field),
        Term::Not(a) => Term::Not(boxed(a, bound)),
        Term::Minus(a) => Term::Minus(boxed(a, bound)),
        Term::IsEmpty(a) => Term::IsEmpty(boxed(a, bound)),
        Term::Binary(operator, a, b) => Term::Binary(operator, boxed(a, bound), boxed(b, bound)),
        Term::If(a, b, c) => Term::If(boxed(a, bound), boxed(b, bound), boxed(c, bound)),
        Term::Quantified(quantifier, slot, a, b) => {
            let a = boxed(a, bound);
            bound.push(slot);
            let b = boxed(b, bound);
            bound.pop();
            Term::Quantified(quantifier, slot, a, b)
        }
        Term::Filtered(slot, a, b) => {
            let a = boxed(a, bound);
            bound.push(slot);
            let b = boxed(b, bound);
            bound.pop();
            Term::Filtered(slot, a, b)
        }
        Term::Folded(fold, slot, parts) => {
            let [body, domain, condition] = *parts;
            let domain = f(domain, bound);
            bound.push(slot);
            let (body, condition) = (f(body, bound), f(condition, bound));
            bound.pop();
            Term::Folded(fold, slot, Box::new([body, domain, condition]))
        }
        Term::Call(builtin, terms) => {
            Term::Call(builtin, terms.into_iter().map(|term| f(term, bound)).collect())
        }
        Term::List(terms, set) => Term::List(terms.into_iter().map(|term| f(term, bound)).collect(), set),
        Term::Apply(body, terms) => Term::Apply(body, terms.into_iter().map(|term| f(term, bound)).collect()),
        other => other,
    }
}

/// What is known of an entry.
struct Known {
    class: u32,
    /// For each question of membership: the number of the value, and the numbers in the list.
    members: Vec<(u32, Rc<[u32]>)>,
}

/// The values for a pair, by the classes of the two and the questions of membership.
type Alike = Map<(u32, u32, u8), Rc<[Val]>>;

/// The values of some expressions for pairs of some entries.
pub(crate) struct Pairs<'a> {
    split: &'a Split,
    evaluator: &'a Evaluator<'a>,
    known: Vec<Option<Known>>,
    /// What concerns the first and the second, by class.
    classes: RefCell<Vec<(Vec<Val>, Vec<Val>)>>,
    rest: Vec<Val>,
    values: RefCell<Alike>,
}

impl<'a> Pairs<'a> {
    /// `rest` are the slots behind the pair. Entries are rows of a table.
    pub(crate) fn new(
        split: &'a Split,
        evaluator: &'a Evaluator<'a>,
        rest: Vec<Val>,
        table: u16,
        entries: impl Iterator<Item = u32>,
    ) -> Outcome<Self> {
        let mut pairs = Self {
            split,
            evaluator,
            known: Vec::new(),
            classes: RefCell::default(),
            rest,
            values: RefCell::default(),
        };
        let mut classes: Map<(Vec<Val>, Vec<Val>), u32> = Map::default();
        let mut numbers: Map<Val, u32> = Map::default();
        for row in entries {
            let mut slots = pairs.slots(&Val::Row(table, row), &Val::Nothing);
            let mut all = |terms: &mut dyn Iterator<Item = &Term>| -> Outcome<Vec<Val>> {
                terms.map(|term| evaluator.eval(term, &mut slots)).collect()
            };
            let class = (all(&mut split.firsts.iter())?, all(&mut split.seconds.iter())?);
            let values = all(&mut split.members.iter().map(|member| &member.value))?;
            let lists = all(&mut split.members.iter().map(|member| &member.list))?;
            let mut number = |value: &Val| {
                let next = numbers.len() as u32;
                *numbers.entry(value.clone()).or_insert(next)
            };
            let members = values
                .iter()
                .zip(&lists)
                .map(|(value, list)| (number(value), list.members().iter().map(&mut number).collect()))
                .collect();
            let next = classes.len() as u32;
            let class = *classes.entry(class).or_insert(next);
            let at = row as usize;
            if pairs.known.len() <= at {
                pairs.known.resize_with(at + 1, || None);
            }
            pairs.known[at] = Some(Known { class, members });
        }
        let mut list: Vec<_> = classes.into_iter().collect();
        list.sort_by_key(|(_, at)| *at);
        pairs.classes = RefCell::new(list.into_iter().map(|(class, _)| class).collect());
        Ok(pairs)
    }

    fn slots(&self, first: &Val, second: &Val) -> Vec<Val> {
        let mut slots = vec![first.clone(), second.clone()];
        slots.extend(self.rest.iter().cloned());
        slots.resize(usize::from(self.split.slots), Val::Nothing);
        slots
    }

    /// The values for a pair, which are shared by all pairs that are alike.
    pub(crate) fn of(&self, first: u32, second: u32) -> Outcome<Rc<[Val]>> {
        let of = |row: u32| self.known.get(row as usize).and_then(Option::as_ref).ok_or(Fault::TooMuchWork);
        let (one, other) = (of(first)?, of(second)?);
        let mut bits = 0_u8;
        for (at, member) in self.split.members.iter().enumerate() {
            let (list, value) = if member.list_of_first { (one, other) } else { (other, one) };
            if list.members[at].1.contains(&value.members[at].0) {
                bits |= 1 << at;
            }
        }
        let key = (one.class, other.class, bits);
        if let Some(known) = self.values.borrow().get(&key) {
            return Ok(Rc::clone(known));
        }
        let mut slots = self.slots(&Val::Nothing, &Val::Nothing);
        let classes = self.classes.borrow();
        for (slot, leaf) in &self.split.leaves {
            slots[usize::from(*slot)] = match leaf {
                Leaf::First(at) => classes[one.class as usize].0[*at].clone(),
                Leaf::Second(at) => classes[other.class as usize].1[*at].clone(),
                Leaf::Member(at) => Val::Truth(bits >> at & 1 == 1),
            };
        }
        let values: Outcome<Rc<[Val]>> =
            self.split.skeletons.iter().map(|term| self.evaluator.eval(term, &mut slots)).collect();
        let values = values?;
        self.values.borrow_mut().insert(key, Rc::clone(&values));
        Ok(values)
    }
}

/// A measure: a number from zero up.
pub(crate) fn measure(value: &Val) -> Outcome<Number> {
    value.number().filter(|number| *number >= Number::ZERO).ok_or(Fault::Number)
}

impl Pairs<'_> {
    /// All values that pairs were found to have so far.
    pub(crate) fn all(&self) -> Vec<Rc<[Val]>> {
        self.values.borrow().values().map(Rc::clone).collect()
    }
}
