//! What follows from the clauses without being written: which variables belong to a position.
//!
//! Two positions are the same when everything that can still make a difference to play is the same. A
//! variable can make a difference when some clause about plies reads it. Variables that last one ply make
//! one only while a legal act depends on them, which the engine decides for each position. What events set and
//! plies do not is conduct, and no part of a position.

use std::collections::BTreeSet;

use crate::ruleset::{Atom, Clause, Code, Effect, Form, Path, RuleSet, Term};

/// Calls a function on every term of a code, opening each definition once.
pub(crate) fn walk(rules: &RuleSet, term: &Term, visit: &mut dyn FnMut(&Term)) {
    open(rules, term, &mut BTreeSet::new(), visit);
}

fn open(rules: &RuleSet, term: &Term, seen: &mut BTreeSet<u16>, visit: &mut dyn FnMut(&Term)) {
    visit(term);
    let mut each = |terms: &[&Term]| terms.iter().for_each(|term| open(rules, term, seen, visit));
    match term {
        Term::Field(a, _) | Term::Not(a) | Term::Minus(a) | Term::IsEmpty(a) => each(&[a]),
        Term::Binary(_, a, b) | Term::Quantified(_, _, a, b) | Term::Filtered(_, a, b) => each(&[a, b]),
        Term::If(a, b, c) => each(&[a, b, c]),
        Term::Able(_, before, after, _) => {
            before.iter().chain(after).for_each(|term| open(rules, term, seen, visit));
        }
        Term::Folded(_, _, parts) => each(&[&parts[0], &parts[1], &parts[2]]),
        Term::Var(_, terms) | Term::Call(_, terms) | Term::List(terms, _) => {
            terms.iter().for_each(|term| open(rules, term, seen, visit));
        }
        Term::Apply(body, terms) => {
            terms.iter().for_each(|term| open(rules, term, seen, visit));
            if let Some(made) = rules.bodies.get(usize::from(*body)).filter(|_| seen.insert(*body)) {
                made.codes.iter().for_each(|code| open(rules, &code.term, seen, visit));
            }
        }
        Term::Traced(origin, path) => {
            open(rules, origin, seen, visit);
            open_path(rules, path, seen, visit);
        }
        _ => {}
    }
}

fn walk_path(rules: &RuleSet, path: &Path, visit: &mut dyn FnMut(&Term)) {
    open_path(rules, path, &mut BTreeSet::new(), visit);
}

fn open_path(rules: &RuleSet, path: &Path, seen: &mut BTreeSet<u16>, visit: &mut dyn FnMut(&Term)) {
    for item in path.branches.iter().flatten() {
        match &item.atom {
            Atom::Group(path) => open_path(rules, path, seen, visit),
            Atom::Test(code) => open(rules, &code.term, seen, visit),
            _ => {}
        }
    }
}

fn walk_effects(rules: &RuleSet, effects: &[Effect], visit: &mut dyn FnMut(&Term)) {
    for effect in effects {
        let mut each = |codes: &[&Code]| codes.iter().for_each(|code| walk(rules, &code.term, visit));
        match effect {
            Effect::If(code, yes, no) => {
                each(&[code]);
                walk_effects(rules, yes, visit);
                walk_effects(rules, no, visit);
            }
            Effect::For(_, code, body) => {
                each(&[code]);
                walk_effects(rules, body, visit);
            }
            Effect::Move(a, b) | Effect::Give(a, b) => each(&[a, b]),
            Effect::Remove(a) | Effect::End(a) | Effect::Turn(a) | Effect::Restore(a) => each(&[a]),
            Effect::Put(a, b, c) => {
                each(&[a, c]);
                b.iter().for_each(|code| walk(rules, &code.term, visit));
            }
            Effect::Again => {}
            Effect::Apply(_, given) => given.iter().for_each(|code| walk(rules, &code.term, visit)),
            Effect::Set(_, index, value) => {
                each(&[value]);
                index.iter().for_each(|code| walk(rules, &code.term, visit));
            }
        }
    }
}

/// Calls a function on every term of a clause.
pub(crate) fn walk_clause(rules: &RuleSet, clause: &Clause, visit: &mut dyn FnMut(&Term)) {
    for code in clause.when.iter().chain(&clause.unless) {
        walk(rules, &code.term, visit);
    }
    match &clause.form {
        Form::Move { path, choices, then, .. } => {
            walk_path(rules, path, visit);
            choices.iter().for_each(|choice| walk(rules, &choice.domain.term, visit));
            walk_effects(rules, then, visit);
        }
        Form::Act { choices, then, .. } | Form::After { choices, then, .. } => {
            choices.iter().for_each(|choice| walk(rules, &choice.domain.term, visit));
            walk_effects(rules, then, visit);
        }
        Form::Pairing(form) => {
            if let Some(code) = form.code() {
                walk(rules, &code.term, visit);
            }
        }
        Form::Forbid { banned: code, .. } | Form::Most { measure: code, .. } | Form::Turn(code) => {
            walk(rules, &code.term, visit);
        }
        _ => {}
    }
}

/// The variables that effects set.
fn set(effects: &[Effect], found: &mut BTreeSet<u16>) {
    for effect in effects {
        match effect {
            Effect::Set(var, ..) => {
                found.insert(*var);
            }
            Effect::If(_, yes, no) => {
                set(yes, found);
                set(no, found);
            }
            Effect::For(_, _, body) => set(body, found),
            _ => {}
        }
    }
}

/// The variables that events set and plies do not: conduct, by which no two positions are told apart.
pub(crate) fn conduct(rules: &RuleSet) -> BTreeSet<u16> {
    let (mut by_events, mut by_plies) = (BTreeSet::new(), BTreeSet::new());
    for clause in &rules.clauses {
        match &clause.form {
            Form::Event { then, otherwise, .. } => {
                set(then, &mut by_events);
                otherwise.iter().for_each(|effects| set(effects, &mut by_events));
            }
            Form::Applied { then, .. } => set(then, &mut by_events),
            Form::Move { then, .. } | Form::Act { then, .. } | Form::After { then, .. } => {
                set(then, &mut by_plies);
            }
            _ => {}
        }
    }
    by_events.difference(&by_plies).copied().collect()
}

/// Whether effects change the board, or one of some variables.
fn matters(effects: &[Effect], known: &BTreeSet<u16>) -> bool {
    effects.iter().any(|effect| match effect {
        Effect::Set(var, ..) => known.contains(var),
        Effect::If(_, yes, no) => matters(yes, known) || matters(no, known),
        Effect::For(_, _, body) => matters(body, known),
        Effect::End(_) => false,
        _ => true,
    })
}

/// Only the assignments to known variables count as reading.
fn read_effects(rules: &RuleSet, effects: &[Effect], known: &BTreeSet<u16>, visit: &mut dyn FnMut(&Term)) {
    for effect in effects {
        if matters(std::slice::from_ref(effect), known) {
            walk_effects(rules, std::slice::from_ref(effect), visit);
        }
    }
}

/// Finds the variables that belong to the identity of a position.
pub(super) fn identity(rules: &mut RuleSet) {
    let mut known: BTreeSet<u16> = BTreeSet::new();
    loop {
        let mut found = known.clone();
        let mut visit = |term: &Term| {
            if let Term::Var(var, _) = term {
                found.insert(*var);
            }
        };
        for clause in &rules.clauses {
            let (choices, then, always) = match &clause.form {
                Form::Move { choices, then, .. } | Form::Act { choices, then, .. } => (choices, then, true),
                Form::After { choices, then, .. } => {
                    (choices, then, !choices.is_empty() || matters(then, &known))
                }
                Form::Forbid { .. } | Form::Most { .. } | Form::Turn(_) => {
                    walk_clause(rules, clause, &mut visit);
                    continue;
                }
                _ => continue,
            };
            if always {
                for code in clause.when.iter().chain(&clause.unless) {
                    walk(rules, &code.term, &mut visit);
                }
                choices.iter().for_each(|choice| walk(rules, &choice.domain.term, &mut visit));
                read_effects(rules, then, &known, &mut visit);
            }
            if let Form::Move { path, .. } = &clause.form {
                walk_path(rules, path, &mut visit);
            }
        }
        if found == known {
            break;
        }
        known = found;
    }
    let conduct = conduct(rules);
    known.retain(|var| !conduct.contains(var));
    let fleeting = |var: &u16| rules.vars.get(usize::from(*var)).is_some_and(|var| var.fleeting);
    rules.fleeting = known.iter().copied().filter(fleeting).collect();
    rules.identity = known.iter().copied().filter(|var| !fleeting(var)).collect();
}
