//! Clauses that decide the same thing differently, and clauses that others leave no room.
//!
//! Invariant: two endings with different results, or two clauses on one event, are either exclusive as
//! written, or one of them names the other. Exclusion is found in the words of the conditions: one has
//! a condition that the other negates. It is not guessed from what the conditions mean.

use std::collections::BTreeSet;

use rulebook_syntax::{Diagnostic, codes};

use crate::ruleset::{Author, Clause, Form, RuleSet, Term};
use crate::value::Value;
use rulebook_syntax::ast::Binary;

/// Most rivals that are shown with one conflict.
const MAX_SHOWN: usize = 8;
/// Most definitions that are looked into for one condition.
const MAX_OPENED: usize = 500;

/// A clause that decides something, with what must hold for it to apply.
struct Decision<'a> {
    at: u16,
    clause: &'a Clause,
    holds: BTreeSet<String>,
    named: BTreeSet<String>,
    fails: Vec<Vec<String>>,
    phases: Option<&'a [Value]>,
    result: String,
}

/// Reports conflicts and unreachable clauses; those with a fault of their own are left out.
pub(super) fn check(rules: &RuleSet, faulty: &BTreeSet<String>, out: &mut Vec<Diagnostic>) {
    let decisions: Vec<Decision<'_>> = (0..)
        .zip(&rules.clauses)
        .filter(|(_, clause)| !faulty.contains(&clause.id))
        .filter_map(|(at, clause)| {
            let result = match &clause.form {
                Form::Ends { result, .. } => text(&result.term),
                Form::Event { .. } | Form::Turn(_) => String::new(),
                _ => return None,
            };
            let Conditions { holds, named, fails, .. } = Conditions::of(rules, clause);
            Some(Decision {
                at,
                clause,
                holds: holds.into_iter().collect(),
                named,
                fails,
                phases: phases(clause),
                result,
            })
        })
        .collect();
    for (at, second) in decisions.iter().enumerate() {
        let mut rivals: Vec<&Decision<'_>> = Vec::new();
        for first in decisions.iter().take(at) {
            let apart = denies(first, second) || denies(second, first) || other_phases(first, second);
            if apart || !rival(first, second) {
                continue;
            }
            let (yields, goes_first) =
                (second.clause.yields.contains(&first.at), first.clause.yields.contains(&second.at));
            if yields && covers(first, second) {
                out.push(shadowed(second.clause, first.clause));
            } else if goes_first && covers(second, first) {
                out.push(shadowed(first.clause, second.clause));
            } else if !yields && !goes_first {
                rivals.push(first);
            }
        }
        if let Some(first) = rivals.first() {
            let mut fault = conflict(rules, first.clause, second.clause);
            for rival in rivals.iter().skip(1).take(MAX_SHOWN) {
                fault = fault.also(&rival.clause.source, rival.clause.span, "another one");
            }
            out.push(fault);
        }
    }
}

fn conflict(rules: &RuleSet, first: &Clause, second: &Clause) -> Diagnostic {
    let what = match &second.form {
        Form::Event { event, .. } => {
            let event = rules.events.get(usize::from(*event)).map_or("", String::as_str);
            format!("the event `{event}`")
        }
        Form::Turn(_) => "whose turn it is".into(),
        _ => "the end of the game".into(),
    };
    let message = format!("clauses `{}` and `{}` both decide {what}, without an order", first.id, second.id);
    Diagnostic::error(codes::CLAUSE_CONFLICT, &second.source, second.span, message)
        .also(&first.source, first.span, "the other clause")
        .help(format!(
            "add `yields: \"{}\"` to the one that goes second, or an `unless` that tells them apart",
            first.id
        ))
}

fn shadowed(second: &Clause, first: &Clause) -> Diagnostic {
    let message = format!("clause `{}` can never apply: `{}` always goes before it", second.id, first.id);
    Diagnostic::warning(codes::CLAUSE_UNREACHABLE, &second.source, second.span, message).also(
        &first.source,
        first.span,
        "this one",
    )
}

/// Whether two clauses decide one thing, and differently.
fn rival(first: &Decision<'_>, second: &Decision<'_>) -> bool {
    match (&first.clause.form, &second.clause.form) {
        (Form::Event { event: a, by: x, .. }, Form::Event { event: b, by: y, .. }) => {
            a == b && !different_authors(x, y)
        }
        (Form::Ends { .. }, Form::Ends { .. }) => first.result != second.result,
        (Form::Turn(_), Form::Turn(_)) => true,
        _ => false,
    }
}

fn different_authors(a: &Author, b: &Author) -> bool {
    match (a, b) {
        (Author::Arbiter, Author::Arbiter) | (Author::Anyone, _) | (_, Author::Anyone) => false,
        (Author::Arbiter, _) | (_, Author::Arbiter) => true,
        (Author::Player(a), Author::Player(b)) => format!("{:?}", a.term) != format!("{:?}", b.term),
    }
}

/// What must hold for a clause to apply, and what must not.
#[derive(Default)]
struct Conditions {
    holds: Vec<String>,
    /// Definitions that hold, besides what they say.
    named: BTreeSet<String>,
    /// Of each group, not all parts hold.
    fails: Vec<Vec<String>>,
    /// Definitions looked into.
    opened: usize,
}

impl Conditions {
    fn of(rules: &RuleSet, clause: &Clause) -> Self {
        let mut conditions = Self::default();
        let ends = match &clause.form {
            Form::Ends { condition, .. } => Some(condition),
            _ => None,
        };
        for code in ends.into_iter().chain(&clause.when) {
            conditions.affirm(rules, &code.term);
        }
        if let Some(code) = &clause.unless {
            conditions.deny(rules, &code.term);
        }
        conditions
    }

    /// What follows when a term does not hold: of an `or`, neither side does.
    fn deny(&mut self, rules: &RuleSet, term: &Term) {
        if let Term::Binary(Binary::Or, a, b) = term {
            self.deny(rules, a);
            self.deny(rules, b);
            return;
        }
        let mut inner = Self { opened: self.opened, ..Self::default() };
        inner.affirm(rules, term);
        self.opened = inner.opened;
        self.fails.push(if inner.fails.is_empty() { inner.holds } else { vec![text(term)] });
    }

    /// What follows when a term holds: of an `and`, both sides do; a definition is what it says.
    fn affirm(&mut self, rules: &RuleSet, term: &Term) {
        match term {
            Term::Binary(Binary::And, a, b) => {
                self.affirm(rules, a);
                self.affirm(rules, b);
            }
            Term::Not(inner) => self.deny(rules, inner),
            Term::Apply(body, arguments) if arguments.is_empty() && self.opened < MAX_OPENED => {
                self.opened += 1;
                self.named.insert(text(term));
                match rules.bodies.get(usize::from(*body)).map(|body| body.codes.as_slice()) {
                    Some([code]) => self.affirm(rules, &code.term),
                    _ => self.holds.push(text(term)),
                }
            }
            term => self.holds.push(text(term)),
        }
    }
}

fn text(term: &Term) -> String {
    format!("{term:?}")
}

/// Whether something that must fail for the first must hold for the second.
fn denies(first: &Decision<'_>, second: &Decision<'_>) -> bool {
    let holds = |part: &String| second.holds.contains(part) || second.named.contains(part);
    let met = |parts: &Vec<String>| !parts.is_empty() && parts.iter().all(holds);
    first.fails.iter().any(met)
}

/// The phases that a clause is bound to.
fn phases(clause: &Clause) -> Option<&[Value]> {
    let term = &clause.when.as_ref()?.term;
    let term = if let Term::Binary(Binary::And, first, _) = term { first } else { term };
    match term {
        Term::Binary(Binary::In, phase, list) => match (&**phase, &**list) {
            (Term::Var(0, each), Term::Const(Value::List(phases))) if each.is_empty() => Some(phases),
            _ => None,
        },
        _ => None,
    }
}

fn other_phases(first: &Decision<'_>, second: &Decision<'_>) -> bool {
    let both = first.phases.zip(second.phases);
    both.is_some_and(|(first, second)| !first.iter().any(|phase| second.contains(phase)))
}

/// Whether the first applies wherever the second does.
fn covers(first: &Decision<'_>, second: &Decision<'_>) -> bool {
    let whoever = match (&first.clause.form, &second.clause.form) {
        (Form::Event { by: Author::Player(a), .. }, Form::Event { by: Author::Player(b), .. }) => {
            text(&a.term) == text(&b.term)
        }
        (Form::Event { by: Author::Anyone, .. }, _) => true,
        (Form::Event { by: Author::Arbiter, .. }, Form::Event { by, .. }) => matches!(by, Author::Arbiter),
        (Form::Event { .. }, _) => false,
        _ => true,
    };
    whoever && first.fails.is_empty() && first.holds.is_subset(&second.holds)
}
