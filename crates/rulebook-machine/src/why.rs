//! Why an act is not granted: what has taken the right to it away.
//!
//! An act that needs a right (a mark in a variable) is looked for in the past: had the variable kept its
//! value, would the act be granted now? Invariant: the answer is found by asking the engine again with the
//! other value, so it is no guess about the rules.

use std::collections::BTreeSet;

use crate::act::State;
use crate::engine::{Engine, FUEL, Ground, Outcomes, Work};
use crate::events::Meant;
use crate::position::{Layout, Position};
use crate::program::{Effect, Form, Run};

/// How many plies back a lost right is looked for.
const MAX_PLIES: usize = 1000;

impl<L: Layout> Engine<L> {
    /// The clauses to name for an act that none of some clauses grants: the one that took the right to it
    /// away, then the one that would grant it; without a lost right, all that could grant it.
    pub(crate) fn why_not(
        &self,
        state: &State<L>,
        meant: Meant<'_, L>,
        grants: &[u16],
        work: &mut Work<L>,
    ) -> Outcomes<Vec<u16>> {
        let clauses = grants.iter().filter_map(|at| self.clause(*at));
        let vars: BTreeSet<u16> = clauses.flat_map(|clause| clause.reads.iter().copied()).collect();
        for var in vars {
            if let Some(clauses) = self.lost(state, var, meant, work)? {
                return Ok(clauses);
            }
        }
        Ok(grants.to_vec())
    }

    /// The clause by which the act lost the right that a variable holds.
    fn lost(
        &self,
        state: &State<L>,
        var: u16,
        meant: Meant<'_, L>,
        work: &mut Work<L>,
    ) -> Outcomes<Option<Vec<u16>>> {
        let writers: Vec<u16> =
            self.dispatch.all.following.iter().copied().filter(|at| self.writes(*at, var)).collect();
        let entries = state.history.entries();
        for at in (1..entries.len()).rev().take(MAX_PLIES) {
            let (Some(now), Some(before)) = (entries.get(at), entries.get(at - 1)) else { break };
            if !self.same_var(&now.position, &before.position, var)
                && let Some(grant) = self.granted_with(state, var, &before.position, meant, work)?
            {
                let mut clauses: Vec<u16> =
                    now.clauses.iter().copied().filter(|at| writers.contains(at)).collect();
                clauses.push(grant);
                return Ok(Some(clauses));
            }
            for writer in writers.iter().filter(|at| now.clauses.iter().any(|known| known == *at)) {
                let other = self.again(state, *writer, at, work)?;
                if let Some(other) = other
                    && !self.same_var(&other, &now.position, var)
                    && let Some(grant) = self.granted_with(state, var, &other, meant, work)?
                {
                    return Ok(Some(vec![*writer, grant]));
                }
            }
        }
        Ok(None)
    }

    /// The clause that grants the act when a variable has the value that it has in another position.
    fn granted_with(
        &self,
        state: &State<L>,
        var: u16,
        from: &Position<L>,
        meant: Meant<'_, L>,
        work: &mut Work<L>,
    ) -> Outcomes<Option<u16>> {
        let mut position = state.position;
        self.copy_var(from, &mut position, var);
        work.begin(FUEL);
        let plies = self.generate(&position, self.ground(state), None, false, work)?;
        let legal = plies.legal.iter().find(|ply| meant(&ply.act)).and_then(|ply| ply.clauses.get(0));
        // Of a forbidden act the ban comes first, then the clause that grants it.
        let banned = plies.banned.iter().find(|ply| meant(&ply.act)).and_then(|ply| ply.clauses.get(1));
        Ok(legal.or(banned).copied())
    }

    /// The position after a recorded ply when it is made again without one of the clauses that follow plies.
    fn again(
        &self,
        state: &State<L>,
        without: u16,
        at: usize,
        work: &mut Work<L>,
    ) -> Outcomes<Option<Position<L>>> {
        let entries = state.history.entries();
        let (Some(now), Some(before)) = (entries.get(at), entries.get(at - 1)) else { return Ok(None) };
        let Some(act) = &now.act else { return Ok(None) };
        let mut other = self.clone();
        other.dispatch.forget(without);
        let story = state.history.story().first(at);
        // The tables are those of no event: what has been played is asked again with the board alone.
        let ground = Ground { story, mid_ply: false, ..self.bare_ground(self.first_tables()) };
        let position = Position { played: 0, ..before.position };
        work.begin(FUEL);
        let plies = other.generate(&position, ground, None, false, work)?;
        Ok(plies.legal.into_iter().find(|ply| ply.act.same(act)).map(|ply| ply.next))
    }

    fn writes(&self, clause: u16, var: u16) -> bool {
        match self.clause(clause).map(|clause| &clause.form) {
            Some(Form::After { then, .. }) => self.run_writes(*then, var),
            _ => false,
        }
    }

    fn run_writes(&self, effects: Run, var: u16) -> bool {
        effects.of(&self.program.effects).iter().any(|effect| match effect {
            Effect::Set(written, ..) => *written == var,
            Effect::If(_, yes, no) => self.run_writes(*yes, var) || self.run_writes(*no, var),
            Effect::For(_, _, body) => self.run_writes(*body, var),
            _ => false,
        })
    }
}
