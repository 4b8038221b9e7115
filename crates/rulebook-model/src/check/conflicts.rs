//! Clauses that decide the same thing differently, and clauses that others leave no room.
//!
//! Invariant: two endings with different results, or two clauses on one event, are either exclusive as
//! written, or one of them names the other. Exclusion is found in the words of the conditions: one has
//! a condition that the other negates. It is not guessed from what the conditions mean.

use rulebook_syntax::{Diagnostic, codes};

use crate::ruleset::{Author, Clause, Form, RuleSet, Term};
use rulebook_syntax::ast::Binary;

/// Reports conflicts and unreachable clauses.
pub(super) fn check(rules: &RuleSet, out: &mut Vec<Diagnostic>) {
    for (at, second) in rules.clauses.iter().enumerate() {
        for (before, first) in rules.clauses.iter().enumerate().take(at) {
            if !rival(first, second) || exclusive(rules, first, second) {
                continue;
            }
            let yields = second.yields.contains(&(before as u16));
            if yields && covers(rules, first, second) {
                out.push(shadowed(second, first));
            } else if first.yields.contains(&(at as u16)) && covers(rules, second, first) {
                out.push(shadowed(first, second));
            } else if !yields && !first.yields.contains(&(at as u16)) {
                let what = match &second.form {
                    Form::Event { event, .. } => {
                        let event = rules.events.get(usize::from(*event)).map_or("", String::as_str);
                        format!("the event `{event}`")
                    }
                    Form::Turn(_) => "whose turn it is".into(),
                    _ => "the end of the game".into(),
                };
                let message = format!(
                    "clauses `{}` and `{}` both decide {what}, without an order",
                    first.id, second.id
                );
                out.push(
                    Diagnostic::error(codes::CLAUSE_CONFLICT, &second.source, second.span, message)
                        .also(&first.source, first.span, "the other clause")
                        .help(format!(
                            "add `yields: \"{}\"` to the one that goes second, or an `unless` that tells them apart",
                            first.id
                        )),
                );
            }
        }
    }
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
fn rival(first: &Clause, second: &Clause) -> bool {
    match (&first.form, &second.form) {
        (Form::Event { event: a, by: x, .. }, Form::Event { event: b, by: y, .. }) => {
            a == b && !different_authors(x, y)
        }
        (Form::Ends { result: a, .. }, Form::Ends { result: b, .. }) => {
            format!("{:?}", a.term) != format!("{:?}", b.term)
        }
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

/// What must hold for a clause to apply: conditions, and negated conditions.
fn conditions(rules: &RuleSet, clause: &Clause) -> (Vec<String>, Vec<Vec<String>>) {
    let (mut holds, mut fails) = (Vec::new(), Vec::new());
    let ends = match &clause.form {
        Form::Ends { condition, .. } => Some(condition),
        _ => None,
    };
    for code in ends.into_iter().chain(&clause.when) {
        conjuncts(rules, &code.term, &mut holds, &mut fails);
    }
    if let Some(code) = &clause.unless {
        denied(rules, &code.term, &mut fails);
    }
    (holds, fails)
}

/// What follows when a term does not hold: of an `or`, neither side does.
fn denied(rules: &RuleSet, term: &Term, fails: &mut Vec<Vec<String>>) {
    if let Term::Binary(Binary::Or, a, b) = term {
        denied(rules, a, fails);
        denied(rules, b, fails);
        return;
    }
    let (mut parts, mut rest) = (Vec::new(), Vec::new());
    conjuncts(rules, term, &mut parts, &mut rest);
    fails.push(if rest.is_empty() { parts } else { vec![text(term)] });
}

fn text(term: &Term) -> String {
    format!("{term:?}")
}

fn conjuncts(rules: &RuleSet, term: &Term, holds: &mut Vec<String>, fails: &mut Vec<Vec<String>>) {
    match term {
        Term::Binary(Binary::And, a, b) => {
            conjuncts(rules, a, holds, fails);
            conjuncts(rules, b, holds, fails);
        }
        Term::Not(inner) => denied(rules, inner, fails),
        Term::Apply(body, arguments) if arguments.is_empty() => {
            match rules.bodies.get(usize::from(*body)).map(|body| body.codes.as_slice()) {
                Some([code]) => conjuncts(rules, &code.term, holds, fails),
                _ => holds.push(text(term)),
            }
        }
        term => holds.push(text(term)),
    }
}

fn exclusive(rules: &RuleSet, first: &Clause, second: &Clause) -> bool {
    let ((a, not_a), (b, not_b)) = (conditions(rules, first), conditions(rules, second));
    let denies = |fails: &[Vec<String>], holds: &[String]| {
        fails.iter().any(|parts| !parts.is_empty() && parts.iter().all(|part| holds.contains(part)))
    };
    denies(&not_a, &b) || denies(&not_b, &a)
}

/// Whether the first applies wherever the second does.
fn covers(rules: &RuleSet, first: &Clause, second: &Clause) -> bool {
    let ((a, not_a), (b, _)) = (conditions(rules, first), conditions(rules, second));
    not_a.is_empty() && a.iter().all(|part| b.contains(part))
}
