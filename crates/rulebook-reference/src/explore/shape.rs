//! What can be read off a rule set before it is explored: which clauses answer which event, which ones others
//! apply, whether anything depends on the time, and lengths of time that may matter.

use std::collections::{BTreeMap, BTreeSet};

use rulebook_model::Value;
use rulebook_model::ruleset::{Author, Builtin, Code, Context, Effect, Form, RuleSet, SECONDS, Term};
use rulebook_model::types::Type;

use super::each_effect;

/// What the exploration knows of a rule set.
pub(super) struct Shape {
    /// The event of each clause that answers one.
    pub(super) events: BTreeMap<u16, u16>,
    /// Clauses that end the game by themselves.
    pub(super) endings: BTreeSet<u16>,
    /// Clauses that grant plies.
    pub(super) grants: Vec<u16>,
    /// For each clause that others apply, those others.
    pub(super) applied_by: BTreeMap<u16, Vec<u16>>,
    /// Clauses by id.
    pub(super) ids: BTreeMap<String, u16>,
    /// Whether the time matters.
    pub(super) timed: bool,
    /// Whether more of the past matters than the latest ply.
    pub(super) historic: bool,
    /// Whether the number of plies matters.
    pub(super) counted: bool,
    /// Lengths of time that the rule set names, in seconds.
    pub(super) spans: Vec<i64>,
    /// Variables that are times.
    pub(super) clocks: Vec<usize>,
}

impl Shape {
    pub(super) fn of(rules: &RuleSet) -> Self {
        let mut shape = Self {
            events: BTreeMap::new(),
            endings: BTreeSet::new(),
            grants: Vec::new(),
            applied_by: BTreeMap::new(),
            ids: BTreeMap::new(),
            timed: false,
            historic: false,
            counted: false,
            spans: spans(rules),
            clocks: Vec::new(),
        };
        for (at, var) in rules.vars.iter().enumerate() {
            if var.ty == Type::Number(SECONDS) {
                shape.clocks.push(at);
            }
        }
        for (at, clause) in (0_u16..).zip(&rules.clauses) {
            shape.ids.insert(clause.id.clone(), at);
            let mut effects: Vec<&[Effect]> = Vec::new();
            let mut codes: Vec<&Code> = clause.when.iter().chain(&clause.unless).collect();
            match &clause.form {
                Form::Event { event, by, choices, then, otherwise } => {
                    shape.events.insert(at, *event);
                    codes.extend(choices.iter().map(|choice| &choice.domain));
                    if let Author::Player(code) = by {
                        codes.push(code);
                    }
                    effects.push(then);
                    effects.extend(otherwise.as_deref());
                }
                Form::Applied { choices, then } => {
                    codes.extend(choices.iter().map(|choice| &choice.domain));
                    effects.push(then);
                }
                Form::Ends { condition, result } => {
                    shape.endings.insert(at);
                    codes.extend([condition, result]);
                }
                Form::Move { then, .. } | Form::Act { then, .. } => {
                    shape.grants.push(at);
                    effects.push(then);
                }
                Form::After { then, .. } => effects.push(then),
                _ => {}
            }
            let mut owned: Vec<Code> = Vec::new();
            for effects in effects {
                each_effect(effects, &mut |effect| match effect {
                    Effect::Apply(other, given) => {
                        shape.applied_by.entry(*other).or_default().push(at);
                        owned.extend(given.iter().cloned());
                    }
                    Effect::Restore(_) => shape.historic = true,
                    Effect::Set(_, index, value) => {
                        owned.push(value.clone());
                        owned.extend(index.iter().cloned());
                    }
                    Effect::If(code, ..) | Effect::For(_, code, _) | Effect::End(code) => {
                        owned.push(code.clone());
                    }
                    _ => {}
                });
            }
            let mut look = |term: &Term| match term {
                Term::Context(Context::Now) => shape.timed = true,
                Term::Context(Context::Played) => shape.counted = true,
                Term::Times(_) | Term::Call(Builtin::Restores, _) => shape.historic = true,
                _ => {}
            };
            rules.visit_clause(clause, &mut look);
            for code in codes.into_iter().chain(&owned) {
                rules.visit(&code.term, &mut look);
            }
        }
        shape
    }

    /// The first clause of an event.
    pub(super) fn first(&self, event: u16) -> Vec<u16> {
        self.events.iter().find(|(_, known)| **known == event).map(|(at, _)| *at).into_iter().collect()
    }
}

/// Lengths of time in parameters and in the time controls.
fn spans(rules: &RuleSet) -> Vec<i64> {
    let mut spans = BTreeSet::new();
    for param in &rules.params {
        if let (Value::Number(number), Type::Number(SECONDS)) = (&param.value, &param.ty) {
            spans.extend(number.to_whole());
        }
    }
    for period in rules.clock.iter().flatten() {
        spans.extend([period.seconds, period.increment, period.delay, period.back]);
    }
    spans.into_iter().filter(|span| *span > 0).collect()
}
