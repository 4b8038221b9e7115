//! Judgements: of a ply that somebody means, and of an event that is not a ply.
//!
//! Invariant: a verdict names the clauses that decided it, the deciding one first.

use crate::act::{Act, Clauses, State};
use crate::effects::Draft;
use crate::engine::{Engine, FUEL, Outcomes, Scene, Work};
use crate::position::Layout;
use crate::program::{Author, Form, Run};
use crate::value::{Few, Val};

/// Why something is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A clause forbids it.
    Forbidden,
    /// No clause grants it.
    NotGranted,
    /// The game has ended.
    GameOver,
    /// The condition of the clause does not hold.
    ConditionFails,
    /// This is not for this person to do.
    NotTheirs,
}

/// What comes of an act or an event.
#[derive(Clone, Debug)]
pub enum Verdict<L: Layout> {
    /// It is done.
    Done {
        /// The state after it, endings included.
        next: Box<State<L>>,
        /// The clauses that decided.
        clauses: Vec<u16>,
    },
    /// It is refused.
    Refused {
        /// Why.
        reason: Reason,
        /// The clauses that decided.
        clauses: Vec<u16>,
    },
}

/// Who does something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Person {
    /// A player.
    Player(u8),
    /// The arbiter.
    Arbiter,
}

/// A test on acts.
pub type Meant<'a, L> = &'a dyn Fn(&Act<L>) -> bool;

/// Clauses on an event, told apart.
#[derive(Default)]
struct Told {
    /// Those that apply, without those that yield to another one that does.
    applying: Vec<(u16, Run)>,
    /// With what happens when the condition fails.
    failing: Vec<(u16, Option<Run>)>,
    /// Those that belong to somebody else.
    wrong: Vec<u16>,
}

fn listed(clauses: &Clauses) -> Vec<u16> {
    clauses.iter().copied().collect()
}

impl<L: Layout> Engine<L> {
    /// Judges a ply that is meant by a test on acts: the legal one, or the reason why there is none. `grants`
    /// are the clauses that could grant such an act; they are named when none does.
    ///
    /// # Errors
    /// A fault of the program in this situation.
    pub fn judge(
        &self,
        state: &State<L>,
        meant: Meant<'_, L>,
        grants: &[u16],
        work: &mut Work<L>,
    ) -> Outcomes<Verdict<L>> {
        if let Some(end) = &state.ended {
            return Ok(Verdict::Refused { reason: Reason::GameOver, clauses: end.clauses.clone() });
        }
        work.begin(FUEL);
        let plies = self.plies(state, work)?;
        if let Some(ply) = plies.legal.into_iter().find(|ply| meant(&ply.act)) {
            let clauses = listed(&ply.clauses);
            let mut next = state.clone();
            next.play(ply);
            work.begin(FUEL);
            self.settle(&mut next, work)?;
            return Ok(Verdict::Done { next: Box::new(next), clauses });
        }
        if let Some(banned) = plies.banned.iter().find(|banned| meant(&banned.act)) {
            return Ok(Verdict::Refused { reason: Reason::Forbidden, clauses: listed(&banned.clauses) });
        }
        let clauses = self.why_not(state, meant, grants, work)?;
        Ok(Verdict::Refused { reason: Reason::NotGranted, clauses })
    }

    /// Whether each thing that an event comes with is a member of its collection.
    pub(crate) fn admits(&self, choices: Run, scene: &Scene<'_, L>, work: &mut Work<L>) -> Outcomes<bool> {
        for choice in self.choices(choices) {
            let Some(given) = scene.act.and_then(|act| act.value(choice.binding)) else { return Ok(false) };
            if !self.run(choice.domain, scene, work)?.into_choices().contains(given) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Judges an event that is not a ply, with what it comes with.
    ///
    /// # Errors
    /// A fault of the program in this situation.
    pub fn event(
        &self,
        state: &State<L>,
        event: u16,
        with: &[Val<L::Set>],
        person: Person,
        work: &mut Work<L>,
    ) -> Outcomes<Verdict<L>> {
        if let Some(end) = &state.ended {
            return Ok(Verdict::Refused { reason: Reason::GameOver, clauses: end.clauses.clone() });
        }
        work.begin(FUEL);
        let actor = match person {
            Person::Player(player) => player,
            Person::Arbiter => state.position.mover,
        };
        let ground = self.ground(state);
        // First those of this phase alone: where one of them applies, no other clause matters.
        let here = self.sorted(&state.position).events.get(usize::from(event));
        let here = here.map_or(&[][..], Vec::as_slice);
        let all = self.dispatch.all.events.get(usize::from(event)).map_or(&[][..], Vec::as_slice);
        let mut act = Act::new(u16::MAX, actor);
        let mut told = self.told(here, person, with, &mut act, state, work)?;
        if told.applying.is_empty() && here.len() < all.len() {
            told = self.told(all, person, with, &mut act, state, work)?;
        }
        if let Some(last) = all.last() {
            self.bind(*last, with, &mut act);
        }
        let Told { applying, failing, wrong } = told;
        let chosen: Vec<(u16, Run)> = if applying.is_empty() {
            failing.iter().filter_map(|(at, otherwise)| Some((*at, (*otherwise)?))).collect()
        } else {
            applying
        };
        if chosen.is_empty() {
            let (reason, clauses) = if failing.is_empty() {
                (Reason::NotTheirs, wrong)
            } else {
                (Reason::ConditionFails, failing.into_iter().map(|(at, _)| at).collect())
            };
            return Ok(Verdict::Refused { reason, clauses });
        }
        let mut draft = Draft::new(act, state.position);
        for (at, effects) in &chosen {
            draft.clauses.push(*at);
            self.perform(&mut draft, *effects, ground, work)?;
        }
        let mut next = state.clone();
        next.position = draft.position;
        next.history.forget(draft.restored);
        next.ended = draft.ended;
        work.begin(FUEL);
        self.settle(&mut next, work)?;
        Ok(Verdict::Done { next: Box::new(next), clauses: listed(&draft.clauses) })
    }

    /// Binds what an event comes with to the names that a clause has for it.
    fn bind(&self, clause: u16, with: &[Val<L::Set>], act: &mut Act<L>) {
        act.bound = Few::default();
        if let Some(Form::Event { choices, .. }) = self.clause(clause).map(|clause| &clause.form) {
            for (choice, given) in self.choices(*choices).iter().zip(with) {
                act.bound.push((choice.binding, given.clone()));
            }
        }
    }

    /// Tells clauses on an event apart: those that apply and yield to none of them, those whose conditions fail,
    /// and those of others. What the event comes with is bound to the names that each clause has for it.
    fn told(
        &self,
        clauses: &[u16],
        person: Person,
        with: &[Val<L::Set>],
        act: &mut Act<L>,
        state: &State<L>,
        work: &mut Work<L>,
    ) -> Outcomes<Told> {
        let mut told = Told::default();
        for at in clauses {
            let Some(clause) = self.clause(*at) else { continue };
            let Form::Event { by, choices, then, otherwise, .. } = &clause.form else { continue };
            self.bind(*at, with, act);
            let scene = Scene::with(&state.position, self.ground(state), act);
            let theirs = match (by, person) {
                (Author::Anyone, Person::Player(_)) | (Author::Arbiter, Person::Arbiter) => true,
                (Author::Player(code), Person::Player(player)) => {
                    self.run(*code, &scene, work)? == Val::Player(player)
                }
                _ => false,
            };
            if !theirs {
                told.wrong.push(*at);
            } else if self.admits(*choices, &scene, work)?
                && self.applies(clause.when, clause.unless, &scene, work)?
            {
                told.applying.push((*at, *then));
            } else {
                told.failing.push((*at, *otherwise));
            }
        }
        let standing: Vec<u16> = told.applying.iter().map(|(at, _)| *at).collect();
        told.applying.retain(|(at, _)| {
            let yields = self.clause(*at).map_or(&[][..], |clause| &clause.yields);
            !yields.iter().any(|first| standing.contains(first))
        });
        Ok(told)
    }
}
