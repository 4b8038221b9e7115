//! Why an act is not granted: what has taken the right to it away.
//!
//! An act that needs a right (a mark in a variable) is looked for in the past: had the variable kept its
//! value, would the act be granted now? The clause that changed the value then is the one to name. The
//! answer is found by asking the engine again with the other value, so it is no guess about the rules.

use std::cell::Cell as Counter;
use std::collections::BTreeSet;
use std::sync::Arc;

use rulebook_model::Value;
use rulebook_model::ruleset::{Effect, Form, Term};

use crate::engine::Engine;
use crate::eval::{FUEL, Outcomes};
use crate::state::{Act, Past, State};

/// How many plies back a lost right is looked for.
const MAX_PLIES: usize = 1000;

impl Engine {
    /// The clauses to name for an act that none of some clauses grants: the one that took the right to it
    /// away, then the one that would grant it; without a lost right, all that could grant it.
    pub(crate) fn why_not(
        &self,
        state: &State,
        meant: &dyn Fn(&Act) -> bool,
        grants: &[u16],
    ) -> Outcomes<Vec<u16>> {
        let mut vars: BTreeSet<u16> = BTreeSet::new();
        for at in grants {
            if let Some(clause) = self.rules.clauses.get(usize::from(*at)) {
                self.rules.visit_clause(clause, &mut |term| {
                    if let Term::Var(var, _) = term {
                        vars.insert(*var);
                    }
                });
            }
        }
        for var in vars {
            if let Some(clauses) = self.lost(state, var, meant)? {
                return Ok(clauses);
            }
        }
        Ok(grants.to_vec())
    }

    /// The clause by which the act lost the right that a variable holds.
    fn lost(&self, state: &State, var: u16, meant: &dyn Fn(&Act) -> bool) -> Outcomes<Option<Vec<u16>>> {
        let value = |past: &Past| past.vars.get(usize::from(var)).cloned();
        let mut latest = state.past.as_ref();
        for _ in 0..MAX_PLIES {
            let Some(now) = latest else { break };
            let Some(before) = &now.before else { break };
            let writers: Vec<u16> =
                self.following.iter().map(|at| *at as u16).filter(|at| self.writes(*at, var)).collect();
            if value(now) != value(before)
                && let Some(grant) = self.granted(state, var, value(before), meant)?
            {
                let mut clauses: Vec<u16> =
                    now.clauses.iter().copied().filter(|at| writers.contains(at)).collect();
                clauses.push(grant);
                return Ok(Some(clauses));
            }
            for writer in writers.iter().filter(|at| now.clauses.contains(at)) {
                let other = self.without(*writer).again(before, now, var)?;
                if other != value(now)
                    && let Some(grant) = self.granted(state, var, other, meant)?
                {
                    return Ok(Some(vec![*writer, grant]));
                }
            }
            latest = Some(before);
        }
        Ok(None)
    }

    /// The clause that grants the act when a variable has another value.
    fn granted(
        &self,
        state: &State,
        var: u16,
        value: Option<Value>,
        meant: &dyn Fn(&Act) -> bool,
    ) -> Outcomes<Option<u16>> {
        let mut other = state.clone();
        if let (Some(slot), Some(value)) = (other.vars.get_mut(usize::from(var)), value) {
            *slot = value;
        }
        let plies = self.generate(&other, None, false, &Counter::new(FUEL))?;
        let legal = plies.legal.iter().find(|ply| meant(&ply.act)).and_then(|ply| ply.clauses.first());
        // Of a forbidden act the ban comes first, then the clause that grants it.
        let banned = plies.banned.iter().find(|ply| meant(&ply.act)).and_then(|ply| ply.clauses.get(1));
        Ok(legal.or(banned).copied())
    }

    /// The same engine without one of the clauses that follow plies.
    fn without(&self, clause: u16) -> Self {
        let mut other = self.clone();
        other.following.retain(|at| *at != usize::from(clause));
        other
    }

    /// The value a variable has when a recorded ply is made again.
    fn again(&self, before: &Arc<Past>, now: &Past, var: u16) -> Outcomes<Option<Value>> {
        let Some(act) = &now.act else { return Ok(None) };
        let mut state = State::first(&self.rules);
        state.cells.clone_from(&before.cells);
        state.mover = before.mover;
        state.vars.clone_from(&before.vars);
        state.past = Some(Arc::clone(before));
        let plies = self.generate(&state, None, false, &Counter::new(FUEL))?;
        let made = plies.legal.iter().find(|ply| ply.act.same(act));
        Ok(made.and_then(|ply| ply.next.vars.get(usize::from(var)).cloned()))
    }

    fn writes(&self, clause: u16, var: u16) -> bool {
        fn any(effects: &[Effect], var: u16) -> bool {
            effects.iter().any(|effect| match effect {
                Effect::Set(written, ..) => *written == var,
                Effect::If(_, yes, no) => any(yes, var) || any(no, var),
                Effect::For(_, _, body) => any(body, var),
                _ => false,
            })
        }
        self.rules.clauses.get(usize::from(clause)).is_some_and(|clause| match &clause.form {
            Form::After { then, .. } => any(then, var),
            _ => false,
        })
    }
}
