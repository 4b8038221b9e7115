//! What may be tried in a state: every event by everybody whose it may be, with what it may come with, now and at
//! some later times.
//!
//! Invariant: where all of it is too much, every event is still tried, with a part of what it may come with.

use std::cell::Cell as Counter;

use rulebook_model::ruleset::{Author, Choice, Form};
use rulebook_model::{Number, Outcome, Value};

use super::shape::Shape;
use super::{Deed, Random, What};
use crate::effects::Draft;
use crate::engine::{Engine, Person, situation};
use crate::eval::{Evaluator, FUEL, Fault};
use crate::state::{Act, State};

/// Most things that one event is tried with in one state.
const WITH: usize = 12;
/// Most attempts in one state before only a part of them is made.
const WIDTH: usize = 300;
/// How many things an event is then tried with.
const SAMPLE: usize = 2;
/// Most things that one event is tried with where nothing may be missed.
const EVERY: usize = 100;
/// Most later times.
const TIMES: usize = 4;

/// Attempts in a state.
pub(super) struct Tries {
    /// What to try.
    pub(super) deeds: Vec<Deed>,
    /// Whether that is all there is.
    pub(super) all: bool,
}

/// A clause with its fault.
type Blamed = (u16, Fault);

impl Tries {
    /// What to try in a state.
    pub(super) fn new(
        engine: &Engine,
        shape: &Shape,
        state: &State,
        random: &mut Random,
    ) -> Result<Self, Blamed> {
        let mut times = vec![state.now];
        if shape.timed {
            let mut later = times_of(shape, state);
            while later.len() > TIMES {
                later.swap_remove(random.below(later.len()));
            }
            times.extend(later);
        }
        let mut tries = Self { deeds: Vec::new(), all: true };
        let offers = offers(engine, state, WITH, random, &mut tries.all)?;
        let wide = offers.len() * times.len() > WIDTH;
        if !wide {
            for (event, person, with) in offers {
                for time in &times {
                    let what = What::Event(event, with.clone(), person);
                    tries.deeds.push(Deed { time: *time, what });
                }
            }
            return Ok(tries);
        }
        tries.all = false;
        let mut rest = offers.as_slice();
        while let Some((event, person, _)) = rest.first() {
            let same = rest.iter().take_while(|(other, who, _)| (other, who) == (event, person)).count();
            let (group, after) = rest.split_at(same);
            for _ in 0..SAMPLE.min(same) {
                let time = times.get(random.below(times.len() * 2)).copied().unwrap_or(state.now);
                if let Some((_, _, with)) = group.get(random.below(same)) {
                    tries.deeds.push(Deed { time, what: What::Event(*event, with.clone(), *person) });
                }
            }
            rest = after;
        }
        Ok(tries)
    }

    /// Everything that can be tried, as far as there is an end to it; at once, only what is near.
    pub(super) fn every(
        engine: &Engine,
        shape: &Shape,
        state: &State,
        at_once: bool,
    ) -> Result<Vec<Deed>, Blamed> {
        let mut times = vec![state.now];
        if shape.timed && !at_once {
            times.extend(times_of(shape, state));
        }
        let most = if at_once { WITH } else { EVERY };
        let offers = offers(engine, state, most, &mut Random(1), &mut true)?;
        let deeds = offers.into_iter().flat_map(|(event, person, with)| {
            let deed =
                move |time: &Number| Deed { time: *time, what: What::Event(event, with.clone(), person) };
            times.iter().map(deed).collect::<Vec<Deed>>()
        });
        Ok(deeds.collect())
    }
}

/// Later times at which something may be different: a second from now, a length of time that the rule set or a
/// variable has from now, and what a variable says.
fn times_of(shape: &Shape, state: &State) -> Vec<Number> {
    let one = Number::ONE;
    let mut spans: Vec<Number> = shape.spans.iter().map(|span| Number::whole(*span)).collect();
    let mut times: Vec<Number> = Vec::new();
    for at in &shape.clocks {
        let values: &[Value] = match state.vars.get(*at) {
            Some(Value::List(values)) => values,
            Some(value) => std::slice::from_ref(value),
            None => &[],
        };
        for value in values {
            if let Value::Number(number) = value {
                spans.push(*number);
                times.push(*number);
            }
        }
    }
    for span in spans {
        times.extend(state.now.plus(span));
        times.extend(state.now.plus(span).and_then(|time| time.minus(one)));
    }
    times.extend(state.now.plus(one));
    times.retain(|time| *time > state.now && time.can_be_kept());
    times.sort();
    times.dedup();
    times
}

/// Every event, by everybody whose it may be, with what it may come with, at most so much of that.
fn offers(
    engine: &Engine,
    state: &State,
    most: usize,
    random: &mut Random,
    all: &mut bool,
) -> Result<Vec<(u16, Person, Vec<Value>)>, Blamed> {
    let fuel = Counter::new(FUEL);
    let evaluator = engine.evaluator(state, &fuel);
    let players = 0..engine.rules.players.len() as u8;
    let mut offers: Vec<(u16, Person, Vec<Value>)> = Vec::new();
    for (at, clause) in (0_u16..).zip(&engine.rules.clauses) {
        let Form::Event { event, by, choices, .. } = &clause.form else { continue };
        let persons: Vec<Person> = match by {
            Author::Anyone => players.clone().map(Person::Player).collect(),
            Author::Arbiter => vec![Person::Arbiter],
            Author::Player(code) => {
                let none = Act::new(u16::MAX, state.mover);
                match evaluator.run(code, &situation(&none, state.mover)).map_err(|fault| (at, fault))? {
                    Value::Player(player) => vec![Person::Player(player)],
                    _ => Vec::new(),
                }
            }
        };
        for person in persons {
            let actor = match person {
                Person::Player(player) => player,
                Person::Arbiter => state.mover,
            };
            let withs = withs(&evaluator, choices, Act::new(u16::MAX, actor), most, random, all);
            for with in withs.map_err(|fault| (at, fault))? {
                let offer = (*event, person, with);
                if !offers.contains(&offer) {
                    offers.push(offer);
                }
            }
        }
    }
    offers.sort_by_key(|(event, person, _)| {
        let person = if let Person::Player(player) = person { u16::from(*player) } else { u16::MAX };
        (*event, person)
    });
    Ok(offers)
}

/// What an event may come with: all of it, or a part that is chosen at random.
fn withs(
    evaluator: &Evaluator<'_>,
    choices: &[Choice],
    act: Act,
    most: usize,
    random: &mut Random,
    all: &mut bool,
) -> Result<Vec<Vec<Value>>, Fault> {
    let mut ways = vec![act.clone()];
    let mut few = true;
    for choice in choices {
        let mut longer = Vec::new();
        for way in &ways {
            for member in members(evaluator, choice, way)? {
                longer.push(bound(way, choice, member));
                if longer.len() > most {
                    few = false;
                    break;
                }
            }
            if !few {
                break;
            }
        }
        ways = longer;
        if !few {
            break;
        }
    }
    if !few {
        *all = false;
        ways.clear();
        'tries: for _ in 0..most {
            let mut way = act.clone();
            for choice in choices {
                let mut members = members(evaluator, choice, &way)?;
                if members.is_empty() {
                    continue 'tries;
                }
                let member = members.swap_remove(random.below(members.len()));
                way = bound(&way, choice, member);
            }
            ways.push(way);
        }
    }
    Ok(ways.into_iter().map(|way| way.bound.into_iter().map(|(_, value)| value).collect()).collect())
}

fn members(evaluator: &Evaluator<'_>, choice: &Choice, act: &Act) -> Result<Vec<Value>, Fault> {
    Ok(match evaluator.run(&choice.domain, &situation(act, evaluator.state.mover))? {
        Value::Sites(sites) => sites.iter().map(Value::Site).collect(),
        Value::List(values) => values,
        _ => Vec::new(),
    })
}

fn bound(act: &Act, choice: &Choice, member: Value) -> Act {
    let mut act = act.clone();
    act.bound.push((choice.binding, member));
    act
}

impl Engine {
    /// The act that stands for an event while it is judged.
    fn stand_in(&self, state: &State, event: u16, with: &[Value], person: Person) -> Act {
        let actor = match person {
            Person::Player(player) => player,
            Person::Arbiter => state.mover,
        };
        let mut act = Act::new(u16::MAX, actor);
        let names = self.rules.arguments.get(usize::from(event)).and_then(Option::as_ref);
        act.bound.extend(names.into_iter().flatten().map(|(at, _)| *at).zip(with.iter().cloned()));
        act
    }

    /// Whether an event that was answered has failed: by what clauses say where their conditions do not hold.
    pub(super) fn has_failed(
        &self,
        state: &State,
        event: u16,
        with: &[Value],
        person: Person,
        clauses: &[u16],
    ) -> bool {
        let fuel = Counter::new(FUEL);
        let evaluator = self.evaluator(state, &fuel);
        let act = self.stand_in(state, event, with, person);
        let at_hand = situation(&act, state.mover);
        let own = clauses.iter().filter_map(|at| self.rules.clauses.get(usize::from(*at)));
        let mut answering = own.filter_map(|clause| match &clause.form {
            Form::Event { choices, otherwise, .. } => Some((clause, choices, otherwise)),
            _ => None,
        });
        answering.all(|(clause, choices, otherwise)| {
            otherwise.is_some()
                && !(evaluator.admits(choices, &at_hand).unwrap_or(false)
                    && evaluator
                        .applies(clause.when.as_ref(), clause.unless.as_ref(), &at_hand)
                        .unwrap_or(false))
        })
    }

    /// All the outcomes that an event gives, each once, with the clauses that give them: by its effects one after
    /// another, and by the endings that hold after it.
    pub(super) fn ends_of(
        &self,
        state: &State,
        (event, with, person): (u16, &[Value], Person),
        clauses: &[u16],
        failed: bool,
        next: &State,
    ) -> (Vec<Outcome>, Vec<u16>) {
        let fuel = Counter::new(FUEL);
        let mut draft = Draft {
            act: self.stand_in(state, event, with, person),
            state: state.clone(),
            restored: None,
            clauses: Vec::new(),
            assigned: Vec::new(),
            again: false,
            dirty: false,
            trace: None,
        };
        let (mut outcomes, mut deciding): (Vec<Outcome>, Vec<u16>) = (Vec::new(), Vec::new());
        let mut note = |outcome: Outcome, clauses: &[u16]| {
            if !outcomes.contains(&outcome) {
                outcomes.push(outcome);
            }
            deciding.extend(clauses);
        };
        for at in clauses {
            let Some(clause) = self.rules.clauses.get(usize::from(*at)) else { continue };
            let Form::Event { event: known, then, otherwise, .. } = &clause.form else { continue };
            if *known != event {
                continue;
            }
            draft.clauses.push(*at);
            let effects = if failed { otherwise.as_deref().unwrap_or(&[]) } else { then };
            for effect in effects {
                draft.state.ended = None;
                if self.perform(&mut draft, std::slice::from_ref(effect), &fuel).is_err() {
                    break;
                }
                if let Some(end) = draft.state.ended.take() {
                    note(end.outcome, &end.clauses);
                }
            }
        }
        let mut after = State { ended: None, ..next.clone() };
        match self.settle(&mut after) {
            Ok(()) => {
                if let Some(end) = after.ended {
                    note(end.outcome, &end.clauses);
                }
            }
            Err(Fault::Conflict(clauses)) => deciding.extend(clauses),
            Err(_) => {}
        }
        deciding.dedup();
        (outcomes, deciding)
    }
}
