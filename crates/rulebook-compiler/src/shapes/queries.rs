//! Conditions and sets as questions: short programs on a stack of sets.
//!
//! Law: the answer to a question is the value of its term, in every position and for every ply for which the
//! names in it have a value. A term for which that cannot be said becomes no question.

use rulebook_machine::lane::{Ask, Guard, MAX_STACK, Order, Place, Query};
use rulebook_machine::program::Type;
use rulebook_model::ruleset::{Builtin, Context, Term};
use rulebook_model::{Sites, Value};
use rulebook_syntax::ast::{Binary, Quantifier};

use super::Recogniser;
use crate::simplify::{Known, constant, constant_sites, simplify};
use crate::templates::words;

/// Most steps of a question.
const MOST: usize = 200;

/// The name of the site that a condition is about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    /// A local name.
    Slot(u16),
    /// A choice or a mark.
    Bound(u16),
}

impl Recogniser<'_> {
    /// The place of a question among those of the lane; one that is asked twice stands there once.
    pub(super) fn keep(&self, query: Query) -> Option<u16> {
        let mut depth = 0_usize;
        for ask in &query {
            let (takes, leaves) = ask.effect();
            depth = depth.checked_sub(takes)? + leaves;
            (depth <= MAX_STACK).then_some(())?;
        }
        (depth == 1 && query.len() <= MOST && self.passes.queries).then_some(())?;
        let mut queries = self.queries.borrow_mut();
        let at = queries.iter().position(|known| *known == query).unwrap_or_else(|| {
            queries.push(query);
            queries.len() - 1
        });
        u16::try_from(at).ok()
    }

    /// A condition as a question.
    pub(super) fn condition(&self, term: &Term, known: &Known) -> Option<Query> {
        let mut writer = Writer { recogniser: self, known, query: Vec::new() };
        writer.truth(term)?;
        Some(writer.query)
    }

    /// A set as a question.
    pub(super) fn sites_asked(&self, term: &Term, known: &Known) -> Option<Query> {
        let mut writer = Writer { recogniser: self, known, query: Vec::new() };
        writer.set(term)?;
        Some(writer.query)
    }

    /// Those sites of a set for which conditions on a name hold, as a question.
    pub(super) fn sites_where(
        &self,
        domain: &Term,
        name: Name,
        conditions: &[Term],
        known: &Known,
    ) -> Option<Query> {
        let mut writer = Writer { recogniser: self, known, query: Vec::new() };
        writer.set(domain)?;
        conditions.iter().try_for_each(|condition| writer.filter(name, condition))?;
        Some(writer.query)
    }

    /// What a guard asks, as a question.
    pub(super) fn guard_asked(&self, guard: Guard) -> Option<Query> {
        Some(match guard {
            Guard::Always => vec![Ask::Truth(true)],
            Guard::Taken => vec![Ask::Taken, Ask::Some],
            Guard::NotTaken => vec![Ask::Taken, Ask::Some, Ask::Not],
            Guard::Holds(slot) => vec![Ask::Holds(slot)],
            _ => return None,
        })
    }

    /// The directions in which two sites see each other, if a condition on them says no more than that they
    /// do: it never holds for sites of no common line among these, and for all others it asks that what lies
    /// between them is empty.
    pub(super) fn sees(&self, a: u16, b: u16, body: &Term, known: &Known) -> Option<Vec<(i8, i8)>> {
        let board = &self.rules.board;
        let sites = board.len() as u16;
        let mut directions: Vec<((i8, i8), bool)> = Vec::new();
        for x in 0..sites {
            let first = known.with(a, Value::Site(x));
            let half = simplify(self.rules, body, &first);
            for y in (0..sites).filter(|y| *y != x) {
                let found = simplify(self.rules, &half, &known.with(b, Value::Site(y)));
                let files = board.file(y) as i16 - board.file(x) as i16;
                let ranks = board.rank(y) as i16 - board.rank(x) as i16;
                let aligned = files == 0 || ranks == 0 || files.abs() == ranks.abs();
                let clear = match &found {
                    Term::Const(Value::Truth(false)) => false,
                    Term::Const(Value::Truth(true)) if board.between(x, y).is_empty() => true,
                    Term::IsEmpty(inner) => match &**inner {
                        Term::Binary(Binary::Both, set, other) => {
                            matches!(**other, Term::Call(Builtin::Occupied, _))
                                && constant_sites(set)? == board.between(x, y)
                        }
                        _ => return None,
                    },
                    _ => return None,
                };
                if !aligned {
                    (!clear).then_some(())?;
                    continue;
                }
                let direction = (files.signum() as i8, ranks.signum() as i8);
                match directions.iter().find(|(known, _)| *known == direction) {
                    Some((_, known)) => (*known == clear).then_some(())?,
                    None => directions.push((direction, clear)),
                }
            }
        }
        let seen: Vec<(i8, i8)> =
            directions.into_iter().filter(|(_, clear)| *clear).map(|(d, _)| d).collect();
        (!seen.is_empty()).then_some(seen)
    }

    /// Whether a question looks at something that is not what it was, or not yet known, when it is asked
    /// once more about the complete ply: a variable that lasts one ply, or what has changed so far.
    pub(super) fn is_passing(&self, query: &Query) -> bool {
        let fleeting = |slot: u16, sets: bool| {
            self.program.vars.iter().any(|var| {
                var.fleeting
                    && (var.ty == Type::Sites) == sets
                    && (var.slot..var.slot + var.count).contains(&slot)
            })
        };
        query.iter().any(|ask| match ask {
            Ask::Changed => true,
            Ask::Within(slot) => fleeting(*slot, true),
            Ask::At(slot) | Ask::Holds(slot) | Ask::Number(slot, ..) => fleeting(*slot, false),
            _ => false,
        })
    }
}

struct Writer<'a, 'r> {
    recogniser: &'a Recogniser<'r>,
    known: &'a Known,
    query: Query,
}

/// Whether a name stands in a term.
fn mentions(term: &Term, name: Name) -> bool {
    let any = |terms: &[Term]| terms.iter().any(|term| mentions(term, name));
    match term {
        Term::Slot(slot) => name == Name::Slot(*slot),
        Term::Bound(binding) => name == Name::Bound(*binding),
        Term::Not(a) | Term::Minus(a) | Term::IsEmpty(a) | Term::Field(a, _) => mentions(a, name),
        Term::Binary(_, a, b) | Term::Quantified(_, _, a, b) | Term::Filtered(_, a, b) => {
            mentions(a, name) || mentions(b, name)
        }
        Term::If(a, b, c) => mentions(a, name) || mentions(b, name) || mentions(c, name),
        Term::Folded(_, _, parts) => any(&parts[..]),
        Term::Var(_, terms) | Term::Call(_, terms) | Term::List(terms, _) | Term::Apply(_, terms) => {
            any(terms)
        }
        // A pattern may name it anywhere.
        Term::Traced(..) => true,
        _ => false,
    }
}

impl Writer<'_, '_> {
    fn put(&mut self, asks: impl IntoIterator<Item = Ask>) -> Option<()> {
        self.query.extend(asks);
        (self.query.len() <= MOST).then_some(())
    }

    fn simplified(&self, term: &Term, known: &Known) -> Term {
        simplify(self.recogniser.rules, term, known)
    }

    fn given(&self, name: Name, value: Value) -> Known {
        match name {
            Name::Slot(slot) => self.known.with(slot, value),
            Name::Bound(binding) => self.known.and(binding, value),
        }
    }

    /// The slot of a number, a truth or a site.
    fn slot(&self, var: u16, index: &[Term], ty: Type) -> Option<u16> {
        let declared = self.recogniser.program.vars.get(usize::from(var))?;
        (declared.ty == ty).then_some(())?;
        Some(declared.slot + self.recogniser.offset(var, index)?)
    }

    /// A truth value.
    fn truth(&mut self, term: &Term) -> Option<()> {
        match term {
            Term::Const(Value::Truth(value)) => self.put([Ask::Truth(*value)]),
            Term::Not(inner) => {
                self.truth(inner)?;
                self.put([Ask::Not])
            }
            Term::Last(act) => self.put([Ask::Last(*act)]),
            Term::IsEmpty(inner) => {
                if let Term::Filtered(slot, domain, body) = &**inner
                    && let Some(Value::List(members)) = constant(domain)
                {
                    self.any(*slot, &members.clone(), body)?;
                    return self.put([Ask::Not]);
                }
                self.set(inner)?;
                self.put([Ask::Some, Ask::Not])
            }
            Term::Var(var, index) => {
                let slot = self.slot(*var, index, Type::Truth)?;
                self.put([Ask::Holds(slot)])
            }
            Term::If(condition, yes, no) => self.either(condition, |w| w.truth(yes), |w| w.truth(no)),
            Term::Quantified(quantifier, slot, domain, body) => {
                self.quantified(*quantifier, *slot, domain, body)
            }
            Term::Call(Builtin::Attacked, arguments) => {
                let [which, Term::Const(Value::Player(by))] = &arguments[..] else { return None };
                self.set(which)?;
                self.put([Ask::Struck(*by), Ask::Some])
            }
            Term::Binary(Binary::And, a, b) => {
                self.truth(a)?;
                self.truth(b)?;
                self.put([Ask::Meet])
            }
            Term::Binary(Binary::Or, a, b) => {
                self.truth(a)?;
                self.truth(b)?;
                self.put([Ask::Union])
            }
            Term::Binary(operator, a, b) => self.comparison(*operator, a, b),
            _ => None,
        }
    }

    /// One of two things by a condition.
    fn either(
        &mut self,
        condition: &Term,
        yes: impl FnOnce(&mut Self) -> Option<()>,
        no: impl FnOnce(&mut Self) -> Option<()>,
    ) -> Option<()> {
        self.truth(condition)?;
        self.put([Ask::Twice])?;
        yes(self)?;
        self.put([Ask::Meet, Ask::Swap, Ask::Not])?;
        no(self)?;
        self.put([Ask::Meet, Ask::Union])
    }

    /// Whether a condition holds for one of some values.
    fn any(&mut self, slot: u16, members: &[Value], body: &Term) -> Option<()> {
        self.put([Ask::Truth(false)])?;
        for member in members {
            let body = self.simplified(body, &self.known.with(slot, member.clone()));
            self.truth(&body)?;
            self.put([Ask::Union])?;
        }
        Some(())
    }

    fn quantified(&mut self, quantifier: Quantifier, slot: u16, domain: &Term, body: &Term) -> Option<()> {
        if let Some(Value::List(members)) = constant(domain) {
            let members = members.clone();
            return match quantifier {
                Quantifier::Any => self.any(slot, &members, body),
                Quantifier::No => {
                    self.any(slot, &members, body)?;
                    self.put([Ask::Not])
                }
                Quantifier::All => {
                    self.any(slot, &members, &Term::Not(Box::new(body.clone())))?;
                    self.put([Ask::Not])
                }
            };
        }
        // One site sees another one.
        if let (Quantifier::Any | Quantifier::No, Term::Quantified(Quantifier::Any, other, goal, inner)) =
            (quantifier, body)
            && let Some(directions) = self.recogniser.sees(slot, *other, inner, self.known)
        {
            self.set(domain)?;
            self.put([Ask::Seen(directions)])?;
            self.set(goal)?;
            self.put([Ask::Meet, Ask::Some])?;
            return if quantifier == Quantifier::No { self.put([Ask::Not]) } else { Some(()) };
        }
        self.set(domain)?;
        match quantifier {
            Quantifier::Any => {
                self.filter(Name::Slot(slot), body)?;
                self.put([Ask::Some])
            }
            Quantifier::No => {
                self.filter(Name::Slot(slot), body)?;
                self.put([Ask::Some, Ask::Not])
            }
            Quantifier::All => {
                self.put([Ask::Twice])?;
                self.filter(Name::Slot(slot), body)?;
                self.put([Ask::Less, Ask::Some, Ask::Not])
            }
        }
    }

    fn comparison(&mut self, operator: Binary, a: &Term, b: &Term) -> Option<()> {
        let negated = matches!(operator, Binary::Ne | Binary::NotIn);
        match operator {
            Binary::Eq | Binary::Ne | Binary::In | Binary::NotIn => {}
            Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge => return self.ordered(operator, a, b),
            _ => return None,
        }
        let member = matches!(operator, Binary::In | Binary::NotIn);
        match (a, b) {
            (Term::Call(Builtin::Kind, arguments), Term::Const(value)) => {
                self.of_kind(arguments.first()?, value, Ask::Kind)?;
            }
            (Term::Call(Builtin::Was, arguments), Term::Const(value)) => {
                self.of_kind(arguments.first()?, value, Ask::Was)?;
            }
            (Term::Call(Builtin::Owner, arguments), Term::Const(Value::Player(player))) => {
                self.set(arguments.first()?)?;
                self.put([Ask::Owned(*player), Ask::Meet, Ask::Some])?;
            }
            (Term::Call(Builtin::Owner, arguments), Term::Const(Value::Nothing)) => {
                self.set(arguments.first()?)?;
                self.put([Ask::Occupied, Ask::Meet, Ask::Some, Ask::Not])?;
            }
            (Term::Bound(_), Term::Const(Value::Kind(kind))) if !member => self.put([Ask::Chosen(*kind)])?,
            (number, Term::Const(Value::Number(value))) if !member => {
                self.number(number, Order::Equal, value.to_whole()?)?;
            }
            (a, b) if member => {
                self.set(a)?;
                self.set(b)?;
                self.put([Ask::Meet, Ask::Some])?;
            }
            (a, b) => {
                // Two sets are equal if neither has what the other one lacks.
                self.set(a)?;
                self.set(b)?;
                self.put([Ask::Less])?;
                self.set(b)?;
                self.set(a)?;
                self.put([Ask::Less, Ask::Union, Ask::Some, Ask::Not])?;
            }
        }
        if negated { self.put([Ask::Not]) } else { Some(()) }
    }

    /// Whether what stands, or stood, on a site is of a kind, or of one of several.
    fn of_kind(&mut self, site: &Term, value: &Value, ask: fn(u8) -> Ask) -> Option<()> {
        let kinds: Vec<u8> = match value {
            Value::Kind(kind) => vec![*kind],
            Value::List(values) => values
                .iter()
                .map(|value| match value {
                    Value::Kind(kind) => Some(*kind),
                    _ => None,
                })
                .collect::<Option<_>>()?,
            _ => return None,
        };
        self.put([Ask::Truth(false)])?;
        for kind in kinds {
            self.put([ask(kind), Ask::Union])?;
        }
        self.set(site)?;
        self.put([Ask::Meet, Ask::Some])
    }

    fn ordered(&mut self, operator: Binary, a: &Term, b: &Term) -> Option<()> {
        let (number, value, operator) = match (a, b) {
            (number, Term::Const(Value::Number(value))) => (number, value, operator),
            (Term::Const(Value::Number(value)), number) => {
                let turned = match operator {
                    Binary::Lt => Binary::Gt,
                    Binary::Le => Binary::Ge,
                    Binary::Gt => Binary::Lt,
                    _ => Binary::Le,
                };
                (number, value, turned)
            }
            _ => return None,
        };
        let (order, negated) = match operator {
            Binary::Lt => (Order::Below, false),
            Binary::Le => (Order::Above, true),
            Binary::Gt => (Order::Above, false),
            _ => (Order::Below, true),
        };
        self.number(number, order, value.to_whole()?)?;
        if negated { self.put([Ask::Not]) } else { Some(()) }
    }

    fn number(&mut self, term: &Term, order: Order, value: i64) -> Option<()> {
        match term {
            Term::Var(var, index) => {
                let slot = self.slot(*var, index, Type::Number)?;
                self.put([Ask::Number(slot, order, value)])
            }
            Term::Call(Builtin::Count, arguments) => {
                self.set(arguments.first()?)?;
                self.put([Ask::Count(order, value)])
            }
            _ => None,
        }
    }

    /// A set of sites; a site is the set of it, and none is the empty set.
    fn set(&mut self, term: &Term) -> Option<()> {
        if let Some(sites) = constant_sites(term) {
            return self.put([Ask::Sites(words(&sites))]);
        }
        match term {
            Term::Const(Value::Nothing) => self.put([Ask::Truth(false)]),
            Term::Context(Context::From) => self.put([Ask::Place(Place::From)]),
            Term::Context(Context::To) => self.put([Ask::Place(Place::To)]),
            Term::Context(Context::Taken) => self.put([Ask::Taken]),
            Term::Context(Context::Changed) => self.put([Ask::Changed]),
            Term::Bound(binding) if self.known.cell == Some(*binding) => self.put([Ask::Place(Place::To)]),
            Term::Bound(binding) if self.recogniser.marks.contains(binding) => match &self.known.marks {
                None => self.put([Ask::Place(Place::Bound(*binding))]),
                Some(marks) => {
                    let (_, at) = marks.iter().find(|(known, _)| known == binding)?;
                    self.put([Ask::Place(Place::Beside(*at))])
                }
            },
            Term::Var(var, index) => {
                let declared = self.recogniser.program.vars.get(usize::from(*var))?;
                let slot = declared.slot + self.recogniser.offset(*var, index)?;
                match declared.ty {
                    Type::Sites => self.put([Ask::Within(slot)]),
                    Type::Site => self.put([Ask::At(slot)]),
                    _ => None,
                }
            }
            Term::Call(builtin, arguments) => match (builtin, &arguments[..]) {
                (Builtin::Empties, _) => self.put([Ask::Occupied, Ask::Not]),
                (Builtin::Occupied, _) => self.put([Ask::Occupied]),
                (Builtin::Owned, [Term::Const(Value::Player(player))]) => self.put([Ask::Owned(*player)]),
                (Builtin::Pieces, [Term::Const(Value::Kind(kind)), Term::Const(Value::Player(player))]) => {
                    self.put([Ask::Kind(*kind), Ask::Owned(*player), Ask::Meet])
                }
                (Builtin::Attackers, [which, Term::Const(Value::Player(by))]) => {
                    self.set(which)?;
                    self.put([Ask::Strikers(*by)])
                }
                (Builtin::Neighbours, [inner]) => {
                    self.set(inner)?;
                    self.put([Ask::Twice, Ask::Near, Ask::Swap, Ask::Less])
                }
                _ => None,
            },
            Term::Binary(operator @ (Binary::Plus | Binary::Less | Binary::Both), a, b) => {
                self.set(a)?;
                self.set(b)?;
                self.put([match operator {
                    Binary::Plus => Ask::Union,
                    Binary::Less => Ask::Less,
                    _ => Ask::Meet,
                }])
            }
            Term::List(members, true) => {
                self.put([Ask::Truth(false)])?;
                for member in members {
                    self.set(member)?;
                    self.put([Ask::Union])?;
                }
                Some(())
            }
            Term::If(condition, yes, no) => self.either(condition, |w| w.set(yes), |w| w.set(no)),
            Term::Filtered(slot, domain, body) => {
                self.set(domain)?;
                self.filter(Name::Slot(*slot), body)
            }
            _ => None,
        }
    }

    /// Leaves of the set on the stack the sites for which a condition on a name holds.
    fn filter(&mut self, name: Name, term: &Term) -> Option<()> {
        if !mentions(term, name) {
            self.truth(term)?;
            return self.put([Ask::Meet]);
        }
        let is_name = |term: &Term| match name {
            Name::Slot(slot) => matches!(term, Term::Slot(known) if *known == slot),
            Name::Bound(binding) => matches!(term, Term::Bound(known) if *known == binding),
        };
        match term {
            Term::Not(inner) => {
                self.put([Ask::Twice])?;
                self.filter(name, inner)?;
                self.put([Ask::Less])
            }
            Term::Binary(Binary::And, a, b) => {
                self.filter(name, a)?;
                self.filter(name, b)
            }
            Term::Binary(Binary::Or, a, b) => {
                self.put([Ask::Twice])?;
                self.filter(name, a)?;
                self.put([Ask::Swap])?;
                self.filter(name, b)?;
                self.put([Ask::Union])
            }
            Term::Binary(operator @ (Binary::In | Binary::NotIn | Binary::Eq | Binary::Ne), a, b)
                if is_name(a) && !mentions(b, name) =>
            {
                self.set(b)?;
                let kept = matches!(operator, Binary::In | Binary::Eq);
                self.put([if kept { Ask::Meet } else { Ask::Less }])
            }
            Term::Binary(operator @ (Binary::In | Binary::NotIn | Binary::Eq | Binary::Ne), a, b)
                if matches!(&**a, Term::Call(Builtin::Kind | Builtin::Was | Builtin::Owner, arguments)
                    if arguments.first().is_some_and(is_name)) =>
            {
                let Term::Call(builtin, _) = &**a else { return None };
                self.standing(*builtin, constant(b)?)?;
                let kept = matches!(operator, Binary::In | Binary::Eq);
                self.put([if kept { Ask::Meet } else { Ask::Less }])
            }
            Term::Call(Builtin::Attacked, arguments) => match &arguments[..] {
                [which, Term::Const(Value::Player(by))] if is_name(which) => self.put([Ask::Struck(*by)]),
                _ => None,
            },
            // Whether it touches a set: the same seen from the set, where touching is mutual.
            Term::IsEmpty(inner) => {
                let Term::Binary(Binary::Both, a, b) = &**inner else { return self.fixed(name, term) };
                let near = |term: &Term| {
                    matches!(term, Term::Call(Builtin::Neighbours, arguments)
                        if arguments.first().is_some_and(is_name))
                };
                let other = match (near(a), near(b)) {
                    (true, _) => b,
                    (_, true) => a,
                    _ => return self.fixed(name, term),
                };
                (!mentions(other, name) && self.mutual()).then_some(())?;
                self.set(other)?;
                self.put([Ask::Near, Ask::Less])
            }
            _ => self.fixed(name, term),
        }
    }

    /// The sites on which a kind or a player stands, or stood.
    fn standing(&mut self, builtin: Builtin, value: &Value) -> Option<()> {
        let values = match value {
            Value::List(values) => values.clone(),
            one => vec![one.clone()],
        };
        self.put([Ask::Truth(false)])?;
        for value in values {
            match (builtin, value) {
                (Builtin::Kind, Value::Kind(kind)) => self.put([Ask::Kind(kind)])?,
                (Builtin::Was, Value::Kind(kind)) => self.put([Ask::Was(kind)])?,
                (Builtin::Owner, Value::Player(player)) => self.put([Ask::Owned(player)])?,
                (Builtin::Kind | Builtin::Owner, Value::Nothing) => self.put([Ask::Occupied, Ask::Not])?,
                _ => return None,
            }
            self.put([Ask::Union])?;
        }
        Some(())
    }

    fn mutual(&self) -> bool {
        let adjacent = &self.recogniser.program.board.adjacent;
        adjacent.iter().all(|(files, ranks)| adjacent.contains(&(-files, -ranks)))
    }

    /// A condition that depends on nothing but the site.
    fn fixed(&mut self, name: Name, term: &Term) -> Option<()> {
        let mut kept = Sites::EMPTY;
        for site in 0..self.recogniser.rules.board.len() as u16 {
            match self.simplified(term, &self.given(name, Value::Site(site))) {
                Term::Const(Value::Truth(true)) => kept.insert(site),
                Term::Const(_) => {}
                _ => return None,
            }
        }
        self.put([Ask::Sites(words(&kept)), Ask::Meet])
    }
}
