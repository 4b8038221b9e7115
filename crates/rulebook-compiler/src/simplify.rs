//! What a term comes to when the player, the kind and the act are known.
//!
//! Law: the simplified term has the value of the term in every situation in which the given names have the
//! given values. Definitions are opened, conditions with a known outcome are decided, constant parts are
//! computed; what cannot be computed here stays as it is written.

use rulebook_model::ruleset::{Builtin, Context, RuleSet, Term};
use rulebook_model::{Number, Site, Sites, Value};
use rulebook_syntax::ast::Binary;

/// What is known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// The player who moves.
    pub(crate) mover: Option<u8>,
    /// The kind that moves.
    pub(crate) piece: Option<u8>,
    /// Where the piece comes from and goes to.
    pub(crate) ends: Option<(Site, Site)>,
    /// The kind that stood where the piece goes to.
    pub(crate) goal: Option<u8>,
    /// Names bound by marks, choices and loops.
    pub(crate) bound: Vec<(u16, Value)>,
    /// The act is no movement: there is no site it comes from or goes to, and no kind that moves.
    pub(crate) absent: bool,
    /// The name that is bound to the site an act that is no movement puts a piece on.
    pub(crate) cell: Option<u16>,
    /// Marks of a way that lie at fixed distances from where it begins; `None` where the way knows them itself.
    pub(crate) marks: Option<Vec<(u16, (i8, i8))>>,
    /// What stood on the captured site that a name is bound to.
    pub(crate) victim: Option<(u16, u8)>,
    /// Whether the site that a name is bound to is in a set variable.
    pub(crate) inside: Option<(u16, u16, bool)>,
    /// Variables that have their first values.
    pub(crate) asleep: Vec<u16>,
    /// Local names that stand for terms.
    pub(crate) slots: Vec<Option<Term>>,
    /// Local names that stand for values, in terms that are simplified once more.
    pub(crate) locals: Vec<(u16, Value)>,
}

impl Known {
    pub(crate) fn of(mover: u8, piece: Option<u8>) -> Self {
        Self { mover: Some(mover), piece, ..Self::default() }
    }

    /// The same with a local name that stands for a value.
    pub(crate) fn with(&self, slot: u16, value: Value) -> Self {
        let mut known = self.clone();
        known.locals.push((slot, value));
        known
    }

    /// The same with a choice, a mark or a loop that is bound to a value.
    pub(crate) fn and(&self, binding: u16, value: Value) -> Self {
        let mut known = self.clone();
        known.bound.push((binding, value));
        known
    }
}

/// Simplifies a term.
pub(crate) fn simplify(rules: &RuleSet, term: &Term, known: &Known) -> Term {
    // Names that are free in a term that was simplified before must not be given to others.
    let mut fresh = 1000;
    rules.visit(term, &mut |part| {
        if let Term::Slot(slot)
        | Term::Quantified(_, slot, ..)
        | Term::Filtered(slot, ..)
        | Term::Folded(_, slot, _) = part
        {
            fresh = fresh.max(slot.saturating_add(1));
        }
    });
    Simplifier { rules, fresh: &mut fresh }.term(term, known)
}

struct Simplifier<'a> {
    rules: &'a RuleSet,
    /// The next free local name: binders of opened definitions are renamed, so that none hides another.
    fresh: &'a mut u16,
}

fn truth(value: bool) -> Term {
    Term::Const(Value::Truth(value))
}

/// The value of a term that is a constant.
pub(crate) fn constant(term: &Term) -> Option<&Value> {
    match term {
        Term::Const(value) => Some(value),
        _ => None,
    }
}

/// The sites of a term that is a constant set.
pub(crate) fn constant_sites(term: &Term) -> Option<Sites> {
    match constant(term)? {
        Value::Sites(sites) => Some(**sites),
        Value::Site(site) => Some(Sites::one(*site)),
        Value::List(values) if values.is_empty() => Some(Sites::EMPTY),
        _ => None,
    }
}

impl Simplifier<'_> {
    /// The first value of a variable whose indices are known.
    fn start(&self, var: u16, index: &[Term]) -> Option<Value> {
        let var = self.rules.vars.get(usize::from(var))?;
        if var.each.is_empty() {
            return Some(var.start.clone());
        }
        let members: Option<Vec<Value>> = index.iter().map(|term| constant(term).cloned()).collect();
        match (&var.start, self.rules.place(&var.each, &members?)) {
            (Value::List(values), Some(place)) => values.get(place).cloned(),
            _ => None,
        }
    }

    fn terms(&mut self, terms: &[Term], known: &Known) -> Vec<Term> {
        terms.iter().map(|term| self.term(term, known)).collect()
    }

    /// A term whose local name at a slot ranges over a collection.
    fn bound(&mut self, slot: u16, terms: &[&Term], known: &Known) -> (u16, Vec<Term>) {
        let new = *self.fresh;
        *self.fresh = self.fresh.saturating_add(1);
        let mut inner = known.clone();
        inner.locals.retain(|(known, _)| *known != slot);
        let at = usize::from(slot);
        inner.slots.resize(inner.slots.len().max(at + 1), None);
        if let Some(place) = inner.slots.get_mut(at) {
            *place = Some(Term::Slot(new));
        }
        (new, terms.iter().map(|term| self.term(term, &inner)).collect())
    }

    fn term(&mut self, term: &Term, known: &Known) -> Term {
        match term {
            Term::Bound(binding) => {
                let known = known.bound.iter().rev().find(|(name, _)| name == binding);
                known.map_or_else(|| term.clone(), |(_, value)| Term::Const(value.clone()))
            }
            Term::Context(Context::From | Context::To | Context::Piece) if known.absent => {
                Term::Const(Value::Nothing)
            }
            Term::Context(Context::Taken) if known.absent => Term::Const(Value::sites(Sites::EMPTY)),
            Term::Context(Context::From) if known.ends.is_some() => {
                Term::Const(known.ends.map_or(Value::Nothing, |(from, _)| Value::Site(from)))
            }
            Term::Context(Context::To) if known.ends.is_some() => {
                Term::Const(known.ends.map_or(Value::Nothing, |(_, to)| Value::Site(to)))
            }
            Term::Const(_)
            | Term::Mark(_)
            | Term::Able(..)
            | Term::Last(_)
            | Term::Times(_)
            | Term::Rows(_)
            | Term::Traced(..) => term.clone(),
            Term::Slot(slot) => {
                if let Some((_, value)) = known.locals.iter().rev().find(|(local, _)| local == slot) {
                    return Term::Const(value.clone());
                }
                known.slots.get(usize::from(*slot)).cloned().flatten().unwrap_or_else(|| term.clone())
            }
            Term::Context(Context::Mover | Context::Actor) => {
                known.mover.map_or_else(|| term.clone(), |player| Term::Const(Value::Player(player)))
            }
            Term::Context(Context::Piece) => {
                known.piece.map_or_else(|| term.clone(), |kind| Term::Const(Value::Kind(kind)))
            }
            Term::Context(_) => term.clone(),
            Term::Var(var, index) => {
                let index = self.terms(index, known);
                let start = known.asleep.contains(var).then(|| self.start(*var, &index)).flatten();
                start.map_or(Term::Var(*var, index), Term::Const)
            }
            Term::Call(builtin, arguments) => {
                let arguments = self.terms(arguments, known);
                if let (Builtin::Was, Some(kind), Some((_, to))) = (builtin, known.goal, known.ends)
                    && arguments.first().and_then(constant) == Some(&Value::Site(to))
                {
                    return Term::Const(Value::Kind(kind));
                }
                if let (Builtin::Was, Some((binding, kind)), Some(Term::Bound(name))) =
                    (builtin, known.victim, arguments.first())
                    && binding == *name
                {
                    return Term::Const(Value::Kind(kind));
                }
                self.call(*builtin, arguments)
            }
            Term::Apply(at, arguments) => {
                let arguments = self.terms(arguments, known);
                let Some(body) = self.rules.bodies.get(usize::from(*at)) else { return term.clone() };
                let code = match (body.codes.len(), arguments.first().and_then(constant)) {
                    (1, _) => body.codes.first(),
                    (_, Some(Value::Player(player))) => body.codes.get(usize::from(*player)),
                    _ => None,
                };
                match code {
                    Some(code) => {
                        let slots = arguments.into_iter().map(Some).collect();
                        self.term(&code.term, &Known { slots, locals: Vec::new(), ..known.clone() })
                    }
                    None => Term::Apply(*at, arguments),
                }
            }
            Term::Field(row, field) => Term::Field(Box::new(self.term(row, known)), *field),
            Term::List(members, set) => {
                let members = self.terms(members, known);
                if members.iter().all(|member| constant(member).is_some()) {
                    let values: Vec<Value> = members.iter().filter_map(constant).cloned().collect();
                    if !*set {
                        return Term::Const(Value::List(values));
                    }
                    if let Some(sites) = united(&values) {
                        return Term::Const(Value::sites(sites));
                    }
                }
                Term::List(members, *set)
            }
            Term::Not(inner) => match self.term(inner, known) {
                Term::Const(Value::Truth(value)) => truth(!value),
                inner => Term::Not(Box::new(inner)),
            },
            Term::Minus(inner) => match self.term(inner, known) {
                Term::Const(Value::Number(number)) => number
                    .negate()
                    .map_or_else(|| Term::Minus(Box::new(Term::Const(Value::Number(number)))), number_term),
                inner => Term::Minus(Box::new(inner)),
            },
            Term::Binary(operator, a, b) => {
                let (a, b) = (self.term(a, known), self.term(b, known));
                // A movement has both ends.
                if let (Term::Context(Context::From | Context::To), Term::Const(Value::Nothing)) = (&a, &b)
                    && known.piece.is_some()
                    && matches!(operator, Binary::Eq | Binary::Ne)
                {
                    return truth(*operator == Binary::Ne);
                }
                if let (Some((binding, var, inside)), Term::Bound(name), Term::Var(other, index)) =
                    (known.inside, &a, &b)
                    && (binding, var) == (*name, *other)
                    && index.is_empty()
                    && matches!(operator, Binary::In | Binary::NotIn)
                {
                    return truth(inside == (*operator == Binary::In));
                }
                binary(*operator, a, b)
            }
            Term::IsEmpty(inner) => {
                let inner = self.term(inner, known);
                match (&inner, constant_sites(&inner)) {
                    (Term::Const(Value::Nothing), _) => truth(true),
                    (_, Some(sites)) => truth(sites.is_empty()),
                    _ => Term::IsEmpty(Box::new(inner)),
                }
            }
            Term::If(condition, yes, no) => match self.term(condition, known) {
                Term::Const(Value::Truth(true)) => self.term(yes, known),
                Term::Const(_) => self.term(no, known),
                condition => Term::If(
                    Box::new(condition),
                    Box::new(self.term(yes, known)),
                    Box::new(self.term(no, known)),
                ),
            },
            Term::Quantified(quantifier, slot, domain, body) => {
                let domain = self.term(domain, known);
                let (slot, body) = self.bound(*slot, &[body], known);
                let body = body.into_iter().next().unwrap_or_else(|| truth(false));
                Term::Quantified(*quantifier, slot, Box::new(domain), Box::new(body))
            }
            Term::Filtered(slot, domain, body) => {
                let domain = self.term(domain, known);
                let (slot, body) = self.bound(*slot, &[body], known);
                let body = body.into_iter().next().unwrap_or_else(|| truth(false));
                Term::Filtered(slot, Box::new(domain), Box::new(body))
            }
            Term::Folded(fold, slot, parts) => {
                let [body, domain, condition] = &**parts;
                let domain = self.term(domain, known);
                let (slot, inner) = self.bound(*slot, &[body, condition], known);
                let mut inner = inner.into_iter();
                let (Some(body), Some(condition)) = (inner.next(), inner.next()) else { return term.clone() };
                Term::Folded(*fold, slot, Box::new([body, domain, condition]))
            }
        }
    }

    fn call(&self, builtin: Builtin, arguments: Vec<Term>) -> Term {
        let values: Option<Vec<&Value>> = arguments.iter().map(constant).collect();
        let found = values.and_then(|values| self.compute(builtin, &values));
        found.map_or_else(|| Term::Call(builtin, arguments), Term::Const)
    }

    /// The functions that depend on nothing but their arguments and the board's shape.
    fn compute(&self, builtin: Builtin, values: &[&Value]) -> Option<Value> {
        let board = &self.rules.board;
        Some(match (builtin, values) {
            (Builtin::AllSites, _) => Value::sites(Sites::first(board.len())),
            (Builtin::Ranks | Builtin::Files, wanted) => {
                let on = |site: &Site| {
                    let line = if builtin == Builtin::Ranks { board.rank(*site) } else { board.file(*site) };
                    wanted.contains(&&Value::whole(line.into()))
                };
                Value::sites((0..board.len() as Site).filter(on).collect())
            }
            (Builtin::File, [Value::Site(site)]) => Value::whole(board.file(*site).into()),
            (Builtin::Rank, [Value::Site(site)]) => Value::whole(board.rank(*site).into()),
            (Builtin::At, [Value::Number(file), Value::Number(rank)]) => {
                let site = board.at(file.to_whole()?, rank.to_whole()?);
                site.map_or(Value::Nothing, Value::Site)
            }
            (Builtin::Neighbours, [Value::Sites(sites)]) => Value::sites(board.neighbours(sites)),
            (Builtin::Neighbours, [Value::Site(site)]) => Value::sites(board.neighbours(&Sites::one(*site))),
            (Builtin::Between, [Value::Site(a), Value::Site(b)]) => Value::sites(board.between(*a, *b)),
            (Builtin::Count, [Value::Sites(sites)]) => Value::whole(sites.len()),
            (Builtin::Count, [Value::List(values)]) => Value::whole(values.len()),
            (Builtin::Next, [Value::Player(player)]) => Value::Player(self.rules.next_player(*player)),
            (Builtin::Players, []) => {
                Value::List((0..self.rules.players.len() as u8).map(Value::Player).collect())
            }
            (Builtin::Min, [Value::Number(a), Value::Number(b)]) => Value::Number(*a.min(b)),
            (Builtin::Max, [Value::Number(a), Value::Number(b)]) => Value::Number(*a.max(b)),
            _ => return None,
        })
    }
}

fn number_term(number: Number) -> Term {
    Term::Const(Value::Number(number))
}

fn united(values: &[Value]) -> Option<Sites> {
    values.iter().try_fold(Sites::EMPTY, |set, value| match value {
        Value::Site(site) => Some(set.union(&Sites::one(*site))),
        Value::Sites(sites) => Some(set.union(sites)),
        Value::Nothing => Some(set),
        _ => None,
    })
}

fn binary(operator: Binary, a: Term, b: Term) -> Term {
    match (operator, &a, &b) {
        (Binary::And, Term::Const(Value::Truth(true)), _) => return b,
        (Binary::And, _, Term::Const(Value::Truth(true))) => return a,
        (Binary::And, Term::Const(_), _) | (Binary::And, _, Term::Const(_)) => return truth(false),
        (Binary::Or, Term::Const(Value::Truth(true)), _)
        | (Binary::Or, _, Term::Const(Value::Truth(true))) => {
            return truth(true);
        }
        (Binary::Or, Term::Const(_), _) => return b,
        (Binary::Or, _, Term::Const(_)) => return a,
        // What is not there is in nothing but lists.
        (Binary::In | Binary::NotIn, Term::Const(Value::Nothing), Term::Var(..)) => {
            return truth(operator == Binary::NotIn);
        }
        (Binary::Both, Term::Const(Value::Sites(sites)), _)
        | (Binary::Both, _, Term::Const(Value::Sites(sites)))
            if sites.is_empty() =>
        {
            return Term::Const(Value::sites(Sites::EMPTY));
        }
        (_, Term::Const(x), Term::Const(y)) => {
            if let Some(value) = computed(operator, x, y) {
                return Term::Const(value);
            }
        }
        _ => {}
    }
    Term::Binary(operator, Box::new(a), Box::new(b))
}

fn computed(operator: Binary, a: &Value, b: &Value) -> Option<Value> {
    let simple = |value: &Value| {
        matches!(value, Value::Truth(_) | Value::Player(_) | Value::Kind(_) | Value::Site(_) | Value::Text(_))
    };
    let absent = |value: &Value| *value == Value::Nothing;
    Some(match (operator, a, b) {
        (Binary::Eq | Binary::Ne, Value::Number(x), Value::Number(y)) => {
            Value::Truth((x == y) == (operator == Binary::Eq))
        }
        (Binary::Eq | Binary::Ne, a, b) if (simple(a) || absent(a)) && (simple(b) || absent(b)) => {
            Value::Truth((a == b) == (operator == Binary::Eq))
        }
        (Binary::In | Binary::NotIn, Value::Nothing, Value::Sites(_)) => {
            Value::Truth(operator == Binary::NotIn)
        }
        (Binary::Plus, Value::List(x), Value::List(y)) => Value::List(x.iter().chain(y).cloned().collect()),
        (Binary::In | Binary::NotIn, a, Value::List(list)) if simple(a) && list.iter().all(simple) => {
            Value::Truth(list.contains(a) == (operator == Binary::In))
        }
        (Binary::In | Binary::NotIn, Value::Site(site), Value::Sites(sites)) => {
            Value::Truth(sites.contains(*site) == (operator == Binary::In))
        }
        (Binary::Plus, Value::Sites(_) | Value::Site(_), Value::Sites(_) | Value::Site(_)) => {
            Value::sites(united(&[a.clone(), b.clone()])?)
        }
        (Binary::Less, Value::Sites(x), y) => Value::sites(x.difference(&united(std::slice::from_ref(y))?)),
        (Binary::Both, Value::Sites(x), Value::Sites(y)) => Value::sites(x.intersection(y)),
        (_, Value::Number(x), Value::Number(y)) => match operator {
            Binary::Lt => Value::Truth(x < y),
            Binary::Le => Value::Truth(x <= y),
            Binary::Gt => Value::Truth(x > y),
            Binary::Ge => Value::Truth(x >= y),
            Binary::Plus => Value::Number(x.plus(*y)?),
            Binary::Less => Value::Number(x.minus(*y)?),
            Binary::Times => Value::Number(x.times(*y)?),
            Binary::Over => Value::Number(x.over(*y)?),
            Binary::Mod => Value::Number(x.modulo(*y)?),
            _ => return None,
        },
        _ => return None,
    })
}
