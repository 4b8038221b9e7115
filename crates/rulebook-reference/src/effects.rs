//! Effects: how a ply or an event changes a state.
//!
//! Invariant: effects are done in the order in which they are written, each seeing the state that the one
//! before it left. A clause counts as having decided only if it changed something.

use std::cell::Cell as Counter;

use rulebook_model::ruleset::{Cell, Code, Effect, Form, Var};
use rulebook_model::types::Type;
use rulebook_model::{Site, Sites, Value};

use crate::engine::{Engine, Finding, Step, situation};
use crate::eval::{Fault, Outcomes, as_sites};
use crate::state::{Act, Ending, State};

/// A ply on its way: the state as changed so far.
#[derive(Clone)]
pub(crate) struct Draft {
    pub(crate) act: Act,
    pub(crate) state: State,
    pub(crate) clauses: Vec<u16>,
    pub(crate) assigned: Vec<u16>,
    pub(crate) again: bool,
    /// How many recorded positions are forgotten when the event is complete.
    pub(crate) restored: Option<usize>,
    /// Whether anything has changed since the flag was last cleared.
    pub(crate) dirty: bool,
    /// The steps so far; `None` when nobody asked for them.
    pub(crate) trace: Option<Vec<Step>>,
}

impl Engine {
    pub(crate) fn perform(&self, draft: &mut Draft, effects: &[Effect], fuel: &Counter<u64>) -> Outcomes<()> {
        for effect in effects {
            let mover = draft.state.mover;
            let run = |draft: &Draft, code: &Code| {
                self.evaluator(&draft.state, fuel).run(code, &situation(&draft.act, mover))
            };
            match effect {
                Effect::If(condition, yes, no) => {
                    let branch = if run(draft, condition)? == Value::Truth(true) { yes } else { no };
                    self.perform(draft, branch, fuel)?;
                }
                Effect::For(binding, domain, body) => {
                    let members = match run(draft, domain)? {
                        Value::Sites(sites) => sites.iter().map(Value::Site).collect(),
                        Value::List(values) => values,
                        _ => Vec::new(),
                    };
                    let known = draft.act.bound.len();
                    for member in members {
                        draft.act.bound.push((*binding, member));
                        self.perform(draft, body, fuel)?;
                        draft.act.bound.truncate(known);
                    }
                }
                Effect::Move(from, to) => {
                    if let (Value::Site(from), Value::Site(to)) = (run(draft, from)?, run(draft, to)?) {
                        let cell = draft.state.cell(from);
                        draft.write(from, Cell::EMPTY);
                        draft.write(to, cell);
                    }
                }
                Effect::Remove(sites) => {
                    for site in as_sites(&run(draft, sites)?).iter() {
                        draft.write(site, Cell::EMPTY);
                    }
                }
                Effect::Put(kind, player, sites) => {
                    let owner = match player {
                        Some(player) => run(draft, player)?,
                        None => Value::Player(mover),
                    };
                    let (kind, sites) = (run(draft, kind)?, as_sites(&run(draft, sites)?));
                    if let (Value::Kind(kind), Value::Player(owner)) = (kind, owner) {
                        for site in sites.iter() {
                            draft.write(site, Cell::piece(kind, owner));
                        }
                    }
                }
                Effect::Give(sites, player) => {
                    let (sites, player) = (as_sites(&run(draft, sites)?), run(draft, player)?);
                    if let Value::Player(owner) = player {
                        for site in sites.iter() {
                            if let Some(kind) = draft.state.cell(site).kind() {
                                draft.write(site, Cell::piece(kind, owner));
                            }
                        }
                    }
                }
                Effect::Again => (draft.again, draft.dirty) = (true, true),
                Effect::Turn(player) => {
                    if let Value::Player(player) = run(draft, player)? {
                        draft.dirty |= draft.state.mover != player;
                        draft.state.mover = player;
                    }
                }
                Effect::Apply(at, given) => {
                    let Some(clause) = self.rules.clauses.get(usize::from(*at)) else { continue };
                    let Form::Applied { choices, then } = &clause.form else { continue };
                    let given: Outcomes<Vec<Value>> = given.iter().map(|code| run(draft, code)).collect();
                    let known = draft.act.bound.len();
                    let names = choices.iter().map(|choice| choice.binding);
                    draft.act.bound.extend(names.zip(given?));
                    let evaluator = self.evaluator(&draft.state, fuel);
                    let at_hand = situation(&draft.act, mover);
                    if evaluator.admits(choices, &at_hand)?
                        && evaluator.applies(clause.when.as_ref(), clause.unless.as_ref(), &at_hand)?
                    {
                        // The clause that applies another one stays the latest, for what it does after that.
                        let outer = draft.clauses.pop();
                        draft.clauses.push(*at);
                        self.perform(draft, then, fuel)?;
                        draft.clauses.extend(outer);
                    }
                    draft.act.bound.truncate(known);
                }
                Effect::Restore(plies) => {
                    if let Value::Number(plies) = run(draft, plies)? {
                        draft.restore(plies.to_whole(), &self.rules.vars);
                    }
                }
                Effect::Set(var, index, value) => {
                    let value = run(draft, value)?;
                    // A variable for sets holds a set, whatever stands for one.
                    let known = self.rules.vars.get(usize::from(*var));
                    let is_set = |var: &Var| var.ty == Type::Sites && var.each.len() == index.len();
                    let value =
                        if known.is_some_and(is_set) { Value::sites(as_sites(&value)) } else { value };
                    let members: Outcomes<Vec<Value>> = index.iter().map(|code| run(draft, code)).collect();
                    let place = self.evaluator(&draft.state, fuel).place(*var, &members?);
                    draft.assigned.push(*var);
                    let Some(slot) = draft.state.vars.get_mut(usize::from(*var)) else { continue };
                    let slot = match (place, slot) {
                        (_, slot) if index.is_empty() => Some(slot),
                        (Some(place), Value::List(values)) => values.get_mut(place),
                        _ => None,
                    };
                    if let Some(slot) = slot {
                        if matches!(&value, Value::Number(number) if !number.can_be_kept()) {
                            return Err(Fault::Number);
                        }
                        draft.dirty |= *slot != value;
                        *slot = value;
                    }
                }
                Effect::End(outcome) => {
                    if let Value::Outcome(outcome) = run(draft, outcome)? {
                        let mut clauses: Vec<u16> = draft.clauses.last().copied().into_iter().collect();
                        clauses.dedup();
                        draft.dirty = true;
                        draft.state.ended = Some(Ending { outcome, clauses });
                    }
                }
            }
        }
        Ok(())
    }
}

impl Draft {
    /// Does what a clause says; the clause counts as one that decided if it changed anything.
    pub(crate) fn effect(
        &mut self,
        clause: u16,
        perform: impl FnOnce(&mut Self) -> Outcomes<()>,
    ) -> Outcomes<()> {
        self.dirty = false;
        self.clauses.push(clause);
        perform(self)?;
        if !self.dirty {
            self.clauses.pop();
        }
        self.note(clause, if self.dirty { Finding::TakesEffect } else { Finding::ChangesNothing });
        Ok(())
    }

    /// Lets the position return that was recorded so many plies ago, all but the variables that always last;
    /// nothing happens if there is none.
    fn restore(&mut self, plies: Option<i64>, vars: &[Var]) {
        let Some(back) = plies.and_then(|plies| usize::try_from(plies).ok()) else { return };
        let past = self.state.past.clone();
        let mut chain = std::iter::successors(past.as_deref(), |past| past.before.as_deref());
        let Some(past) = chain.nth(back) else { return };
        self.state.cells.clone_from(&past.cells);
        self.state.mover = past.mover;
        self.state.played = self.state.played.saturating_sub(back as u32);
        let vars = self.state.vars.iter_mut().zip(&past.vars).zip(vars);
        vars.filter(|(_, var)| !var.kept).for_each(|((now, then), _)| now.clone_from(then));
        self.restored = Some(back);
        self.dirty = true;
    }

    pub(crate) fn note(&mut self, clause: u16, finding: Finding) {
        if let Some(trace) = &mut self.trace {
            trace.push(Step { clause, finding });
        }
    }

    pub(crate) fn write(&mut self, site: Site, cell: Cell) {
        if let Some(slot) = self.state.cells.get_mut(usize::from(site)) {
            self.dirty |= *slot != cell;
            *slot = cell;
            self.act.changed.insert(site);
        }
    }

    /// The movement itself: the piece leaves, captures are cleared, the piece arrives.
    pub(crate) fn displace(&mut self) {
        let (Some(from), Some(to)) = (self.act.from, self.act.to) else { return };
        let cell = self.state.cell(from);
        let taken: Sites = self.act.taken;
        self.write(from, Cell::EMPTY);
        for site in taken.iter() {
            self.write(site, Cell::EMPTY);
        }
        self.write(to, cell);
    }
}
