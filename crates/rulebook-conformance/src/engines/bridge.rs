//! The machine behind the types of the reference interpreter.
//!
//! A state with its past is handed to the machine, the machine is asked, and its answer is put into the same
//! words. Invariant: nothing is decided here; what the machine does not say, the answer does not hold.

use std::sync::Arc;

use rulebook_compiler::lower::{outcome, remark_of};
use rulebook_compiler::{Passes, compile, plain};
use rulebook_machine::act::Ending as MachineEnding;
use rulebook_machine::engine::Fault as MachineFault;
use rulebook_machine::events::{Person as MachinePerson, Reason as MachineReason};
use rulebook_machine::front::{Game, Machine, PlainBanned, PlainPly, PlainVerdict};
use rulebook_machine::plain::{Plain, PlainAct, PlainPast, PlainPosition, PlainState};
use rulebook_machine::program::Outcome as MachineOutcome;
use rulebook_machine::verify::verify;
use rulebook_model::ruleset::{ActText, Cell, RuleSet};
use rulebook_model::{Number, Outcome, Sites, Value};
use rulebook_notation::Judge;
use rulebook_reference::{
    Act, Banned, Ending, Fault, Listed, Outcomes, Person, Plies, Ply, Ranked, Reason, State, Verdict,
};

/// A rule set on the machine.
#[derive(Debug)]
pub struct Bridge {
    rules: Arc<RuleSet>,
    machine: Machine,
}

impl Bridge {
    /// Compiles a rule set.
    ///
    /// # Errors
    /// Says why the machine cannot run it.
    pub fn new(rules: Arc<RuleSet>) -> Result<Self, String> {
        Self::with(rules, Passes::all())
    }

    /// Compiles a rule set with some of the passes.
    ///
    /// # Errors
    /// Says why the machine cannot run it.
    pub fn with(rules: Arc<RuleSet>, passes: Passes) -> Result<Self, String> {
        let (program, _) = compile(&rules, passes).map_err(|error| error.to_string())?;
        let verified = verify(program).map_err(|refusal| refusal.to_string())?;
        let machine = Machine::new(verified).map_err(|refusal| refusal.to_string())?;
        Ok(Self { rules, machine })
    }

    /// The machine.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// A game of the machine in a state.
    ///
    /// # Errors
    /// A variable holds what the machine cannot keep.
    pub fn open(&self, state: &State) -> Outcomes<Box<dyn Game>> {
        self.machine.open(&plain_state(state)).map_err(|fault| self.fault(fault))
    }

    /// The legal plies of a state as the fast paths of the machine find them.
    ///
    /// # Errors
    /// A fault of the rule set in this situation.
    pub fn swift(&self, state: &State) -> Outcomes<Option<Vec<(Act, State)>>> {
        let found = self.ask(state, |game| game.swift())?;
        Ok(found.map(|plies| {
            let made = |ply: PlainPly| {
                let act = from_plain_act(&ply.act);
                let next = self.follow(state, Some((act.clone(), &[])), ply.next);
                (act, next)
            };
            plies.into_iter().map(made).collect()
        }))
    }

    fn ask<T>(
        &self,
        state: &State,
        ask: impl FnOnce(&mut dyn Game) -> Result<T, MachineFault>,
    ) -> Outcomes<T> {
        let mut game = self.open(state)?;
        ask(&mut *game).map_err(|fault| self.fault(fault))
    }

    fn fault(&self, fault: MachineFault) -> Fault {
        let of = |clause: Option<u16>, fault: Fault| {
            let known = clause.and_then(|at| self.rules.clauses.get(usize::from(at)));
            match known {
                Some(clause) => Fault::Clause(clause.id.clone(), Box::new(fault)),
                None => fault,
            }
        };
        match fault {
            MachineFault::Number(clause) => of(clause, Fault::Number),
            MachineFault::TooMuchWork(clause) => of(clause, Fault::TooMuchWork),
            MachineFault::Conflict(clauses) => Fault::Conflict(clauses.into_vec()),
        }
    }

    /// A state after a ply, which follows another one.
    fn follow(&self, state: &State, act: Option<(Act, &[u16])>, next: PlainPosition) -> State {
        let mut made = state.clone();
        put(&mut made, next);
        made.mid_ply = false;
        if let Some((act, clauses)) = act {
            made.record(Some(act), clauses.to_vec());
        }
        made
    }

    fn verdict(&self, state: &State, verdict: PlainVerdict) -> Verdict {
        match verdict {
            PlainVerdict::Refused { reason, clauses } => Verdict::Refused {
                reason: match reason {
                    MachineReason::Forbidden => Reason::Forbidden,
                    MachineReason::NotGranted => Reason::NotGranted,
                    MachineReason::GameOver => Reason::GameOver,
                    MachineReason::ConditionFails => Reason::ConditionFails,
                    MachineReason::NotTheirs => Reason::NotTheirs,
                },
                clauses,
            },
            PlainVerdict::Done { act, next, forgotten, ended, clauses } => {
                let act = act.as_ref().map(|act| (from_plain_act(act), clauses.as_slice()));
                let mut next = self.follow(state, act, *next);
                next.forget(forgotten);
                next.ended = ended.map(ending);
                Verdict::Done { next: Box::new(next), clauses }
            }
        }
    }
}

impl Judge for Bridge {
    fn rules(&self) -> &Arc<RuleSet> {
        &self.rules
    }

    fn first(&self) -> State {
        let plain = self.machine.first().state();
        let mut state = State::first(&self.rules);
        put(&mut state, plain.position);
        state.restart();
        state
    }

    fn plies(&self, state: &State) -> Outcomes<Plies> {
        let (legal, banned) = self.ask(state, |game| game.plies())?;
        let ply = |ply: PlainPly| {
            let act = from_plain_act(&ply.act);
            let mut next = self.follow(state, Some((act.clone(), &ply.clauses)), ply.next);
            next.ended = ply.ended.map(ending);
            Ply { act, next, clauses: ply.clauses, trace: Vec::new() }
        };
        let refused = |banned: PlainBanned| Banned {
            act: from_plain_act(&banned.act),
            clauses: banned.clauses,
            trace: Vec::new(),
        };
        Ok(Plies {
            legal: legal.into_iter().map(ply).collect(),
            banned: banned.into_iter().map(refused).collect(),
        })
    }

    fn judge(&self, state: &State, meant: &dyn Fn(&Act) -> bool, grants: &[u16]) -> Outcomes<Verdict> {
        let meant = |act: &PlainAct| meant(&from_plain_act(act));
        let verdict = self.ask(state, |game| game.judge(&meant, grants))?;
        Ok(self.verdict(state, verdict))
    }

    fn event(&self, state: &State, event: u16, with: &[Value], person: Person) -> Outcomes<Verdict> {
        let person = match person {
            Person::Player(player) => MachinePerson::Player(player),
            Person::Arbiter => MachinePerson::Arbiter,
        };
        let with: Vec<Plain> = with.iter().map(plain).collect();
        let verdict = self.ask(state, |game| game.event(event, &with, person))?;
        Ok(self.verdict(state, verdict))
    }

    fn settle(&self, state: &mut State) -> Outcomes<()> {
        let ended = self.ask(state, |game| {
            game.settle()?;
            Ok(game.ended().cloned())
        })?;
        state.ended = ended.map(ending);
        Ok(())
    }

    fn perft(&self, state: &State, depth: u32) -> Outcomes<u64> {
        self.ask(state, |game| game.perft(depth))
    }

    fn games(&self, state: &State) -> Outcomes<u64> {
        self.ask(state, |game| game.games())
    }

    fn define(&self, state: &State, name: &str, arguments: Vec<Value>) -> Outcomes<Option<Value>> {
        let arguments: Vec<Plain> = arguments.iter().map(plain).collect();
        Ok(self.ask(state, |game| game.define(name, &arguments))?.as_ref().map(from_plain))
    }

    fn text_holds(&self, state: &State, text: &ActText, act: Option<&Act>) -> Outcomes<bool> {
        let Some(remark) = remark_of(&self.rules, text) else { return Ok(false) };
        let act = act.map(plain_act);
        self.ask(state, |game| game.remark(remark, act.as_ref()))
    }

    fn turn_clauses(&self) -> Vec<u16> {
        self.machine.turn_clauses()
    }

    fn rank(&self, state: &State) -> Outcomes<Vec<Vec<Ranked>>> {
        let groups = self.ask(state, |game| game.rank())?;
        let number = |(clause, (n, d)): &(u16, (i64, i64))| {
            (*clause, Number::fraction((*n).into(), (*d).into()).unwrap_or(Number::ZERO))
        };
        let group = |group: Vec<rulebook_machine::front::PlainRanked>| {
            let ranked = group.into_iter().map(|ranked| Ranked {
                row: ranked.row,
                keys: ranked.keys.iter().map(number).collect(),
                decided: ranked.decided,
            });
            ranked.collect()
        };
        Ok(groups.into_iter().map(group).collect())
    }

    fn list(&self, state: &State, name: &str) -> Outcomes<Option<Listed>> {
        let listed = self.ask(state, |game| game.list(name))?;
        Ok(listed.map(|(columns, rows)| {
            (columns, rows.iter().map(|row| row.iter().map(from_plain).collect()).collect())
        }))
    }
}

fn put(state: &mut State, position: PlainPosition) {
    let cell = |cell: &Option<(u8, u8)>| cell.map_or(Cell::EMPTY, |(kind, owner)| Cell::piece(kind, owner));
    state.cells = position.cells.iter().map(cell).collect();
    state.mover = position.mover;
    state.vars = position.vars.iter().map(from_plain).collect();
    state.played = position.played;
}

fn plain_state(state: &State) -> PlainState {
    let cells = |cells: &[Cell]| cells.iter().map(|cell| cell.kind().zip(cell.owner())).collect();
    let mut past: Vec<PlainPast> = state
        .history()
        .map(|past| PlainPast {
            position: PlainPosition {
                cells: cells(&past.cells),
                mover: past.mover,
                vars: past.vars.iter().map(plain).collect(),
                played: 0,
            },
            act: past.act.as_ref().map(plain_act),
            clauses: past.clauses.clone(),
        })
        .collect();
    past.reverse();
    PlainState {
        position: PlainPosition {
            cells: cells(&state.cells),
            mover: state.mover,
            vars: state.vars.iter().map(plain).collect(),
            played: state.played,
        },
        now: state.now.to_parts(),
        ended: state
            .ended
            .as_ref()
            .map(|end| MachineEnding { outcome: outcome(end.outcome), clauses: end.clauses.clone() }),
        past,
        tables: state
            .tables
            .iter()
            .map(|rows| rows.iter().map(|row| row.iter().map(plain).collect()).collect())
            .collect(),
    }
}

fn from_plain(value: &Plain) -> Value {
    match value {
        Plain::Nothing => Value::Nothing,
        Plain::Truth(truth) => Value::Truth(*truth),
        Plain::Number(numerator, denominator) => {
            let number = Number::fraction((*numerator).into(), (*denominator).into());
            number.map_or(Value::Nothing, Value::Number)
        }
        Plain::Text(text) => Value::Text(text.clone()),
        Plain::Player(player) => Value::Player(*player),
        Plain::Kind(kind) => Value::Kind(*kind),
        Plain::Site(site) => Value::Site(*site),
        Plain::Sites(sites) => Value::sites(sites.iter().copied().collect()),
        Plain::List(values) => Value::List(values.iter().map(from_plain).collect()),
        Plain::Row(table, row) => Value::Row(*table, *row),
        Plain::Outcome(made) => Value::Outcome(from_outcome(*made)),
    }
}

fn from_outcome(outcome: MachineOutcome) -> Outcome {
    match outcome {
        MachineOutcome::Win(player) => Outcome::Win(player),
        MachineOutcome::Lose(player) => Outcome::Lose(player),
        MachineOutcome::Draw => Outcome::Draw,
        MachineOutcome::Void => Outcome::Void,
        MachineOutcome::AllLose => Outcome::AllLose,
    }
}

fn ending(ending: MachineEnding) -> Ending {
    Ending { outcome: from_outcome(ending.outcome), clauses: ending.clauses }
}

fn plain_act(act: &Act) -> PlainAct {
    PlainAct {
        name: act.name,
        actor: act.actor,
        from: act.from,
        to: act.to,
        piece: act.piece,
        taken: act.taken.iter().collect(),
        changed: act.changed.iter().collect(),
        bound: act.bound.iter().map(|(at, value)| (*at, plain(value))).collect(),
        choices: act.choices.clone(),
    }
}

fn from_plain_act(act: &PlainAct) -> Act {
    Act {
        name: act.name,
        actor: act.actor,
        from: act.from,
        to: act.to,
        piece: act.piece,
        taken: act.taken.iter().copied().collect::<Sites>(),
        changed: act.changed.iter().copied().collect::<Sites>(),
        bound: act.bound.iter().map(|(at, value)| (*at, from_plain(value))).collect(),
        choices: act.choices.clone(),
    }
}
