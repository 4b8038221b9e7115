//! Legal acts, next states and verdicts: the meaning of a rule set.
//!
//! A ply is made in one order: the grant's own effects, then the consequences as they stand in the file, then
//! the bans are judged on the result, then the turn passes and the position is recorded, then endings
//! are looked at. Invariant: nothing is remembered from one question to the next.

use std::cell::Cell as Counter;
use std::sync::Arc;

use rulebook_model::ruleset::{
    Atom, Author, Builtin, Choice, Clause, Code, Context, Effect, Form, Path, RuleSet, Term,
};
use rulebook_model::{Outcome, Site, Value};
use rulebook_syntax::ast::Binary;

use crate::effects::Draft;
use crate::eval::{Evaluator, FUEL, Fault, MAX_ACTS, Outcomes, Situation};
use crate::state::{Act, Ending, Past, State};

/// Interprets one rule set.
#[derive(Clone, Debug)]
pub struct Engine {
    pub(crate) rules: Arc<RuleSet>,
    /// For each kind, the clauses by which it can capture on the site it comes to.
    captures: Vec<Vec<usize>>,
    /// Consequences of plies, in order.
    pub(crate) following: Vec<usize>,
    /// Bans that ask whether a ply can be answered.
    asking: Vec<usize>,
    /// Endings, in order; those that stop the counting of sequences come with a flag.
    endings: Vec<(usize, bool)>,
    tracing: bool,
}

/// Deepest count of sequences of plies.
pub const MAX_DEPTH: u32 = 200;

/// A legal ply.
#[derive(Clone, Debug)]
pub struct Ply {
    /// What is done.
    pub act: Act,
    /// The state after it; endings are not yet looked at.
    pub next: State,
    /// The clause that grants it and those that took effect.
    pub clauses: Vec<u16>,
    /// Every clause that was looked at, when the engine traces.
    pub trace: Vec<Step>,
}

/// A ply that some clause grants and another one forbids.
#[derive(Clone, Debug)]
pub struct Banned {
    /// What would have been done.
    pub act: Act,
    /// The ban, then the clause that grants the act.
    pub clauses: Vec<u16>,
    /// Every clause that was looked at, when the engine traces.
    pub trace: Vec<Step>,
}

/// One step of the making of a ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The clause that was looked at.
    pub clause: u16,
    /// What came of it.
    pub finding: Finding,
}

/// What came of looking at a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// It grants the act.
    Grants,
    /// Its condition does not hold, or its exception does.
    DoesNotApply,
    /// It took effect.
    TakesEffect,
    /// It applied and changed nothing.
    ChangesNothing,
    /// It is a ban and does not forbid the act.
    Allows,
    /// It forbids the act.
    Forbids,
    /// It says whose turn is next.
    PassesTurn,
}

/// All plies that clauses grant.
#[derive(Clone, Debug, Default)]
pub struct Plies {
    /// The legal ones.
    pub legal: Vec<Ply>,
    /// Those that a clause forbids.
    pub banned: Vec<Banned>,
}

/// Why something is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A clause forbids it.
    Forbidden,
    /// No clause grants it.
    NotGranted,
    /// It is another player's turn.
    NotOnTurn,
    /// The game has ended.
    GameOver,
    /// The condition of the clause does not hold.
    ConditionFails,
    /// This is not for this person to do.
    NotTheirs,
}

impl Reason {
    /// Its name for programs, such as `not-granted`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Forbidden => "forbidden",
            Self::NotGranted => "not-granted",
            Self::NotOnTurn => "not-on-turn",
            Self::GameOver => "game-over",
            Self::ConditionFails => "condition-fails",
            Self::NotTheirs => "not-theirs",
        }
    }
}

/// What comes of an act or an event.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// It is done.
    Done {
        /// The state after it, endings included.
        next: Box<State>,
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

impl Engine {
    /// An interpreter for a rule set.
    pub fn new(rules: Arc<RuleSet>) -> Self {
        let mut captures = vec![Vec::new(); rules.kinds.len()];
        let (mut following, mut asking, mut endings) = (Vec::new(), Vec::new(), Vec::new());
        for (at, clause) in rules.clauses.iter().enumerate() {
            match &clause.form {
                Form::Move { kinds, path, .. } if ends_on_pieces(path) => {
                    for kind in kinds {
                        if let Some(list) = captures.get_mut(usize::from(*kind)) {
                            list.push(at);
                        }
                    }
                }
                Form::After { .. } => following.push(at),
                Form::Forbid { banned, .. } if asks_answers(&rules, &banned.term) => asking.push(at),
                Form::Ends { condition, result } => {
                    let stops = is_plain(&rules, &condition.term) && !is_draw(&rules, &result.term);
                    endings.push((at, stops));
                }
                _ => {}
            }
        }
        Self { rules, captures, following, asking, endings, tracing: false }
    }

    /// The same, keeping with each ply every clause that was looked at.
    #[must_use]
    pub fn traced(mut self) -> Self {
        self.tracing = true;
        self
    }

    /// The rule set.
    pub fn rules(&self) -> &Arc<RuleSet> {
        &self.rules
    }

    /// The first state.
    pub fn first(&self) -> State {
        State::first(&self.rules)
    }

    /// The same result, a fault naming the clause it came up in.
    pub(crate) fn blame<T>(&self, clause: u16, result: Outcomes<T>) -> Outcomes<T> {
        result.map_err(|fault| match (fault, self.rules.clauses.get(usize::from(clause))) {
            (fault @ (Fault::Number | Fault::TooMuchWork), Some(clause)) => {
                Fault::Clause(clause.id.clone(), Box::new(fault))
            }
            (fault, _) => fault,
        })
    }

    pub(crate) fn captures(&self, kind: u8) -> &[usize] {
        self.captures.get(usize::from(kind)).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn evaluator<'a>(&'a self, state: &'a State, fuel: &'a Counter<u64>) -> Evaluator<'a> {
        Evaluator { rules: &self.rules, engine: self, state, fuel }
    }

    /// Every ply that clauses grant in a state, legal or forbidden. An ended game is not asked about.
    ///
    /// # Errors
    /// A fault of the rule set in this situation.
    pub fn plies(&self, state: &State) -> Outcomes<Plies> {
        self.generate(state, None, false, &Counter::new(FUEL))
    }

    /// The value of a code in a state, with no act at hand.
    ///
    /// # Errors
    /// A fault of the rule set in this situation.
    pub fn value(&self, state: &State, code: &Code) -> Outcomes<Value> {
        let fuel = Counter::new(FUEL);
        let situation = Situation { mover: state.mover, actor: state.mover, ..Situation::default() };
        self.evaluator(state, &fuel).run(code, &situation)
    }

    /// The value of a definition for some arguments; `None` when it is used nowhere with such arguments.
    ///
    /// # Errors
    /// A fault of the rule set in this situation.
    pub fn define(&self, state: &State, name: &str, arguments: Vec<Value>) -> Outcomes<Option<Value>> {
        let Some(at) = self.rules.bodies.iter().position(|body| body.name == name) else { return Ok(None) };
        let terms = arguments.into_iter().map(Term::Const).collect();
        self.value(state, &Code { term: Term::Apply(at as u16, terms), slots: 0 }).map(Some)
    }

    /// Whether a code holds for an act in a state: used for texts of acts.
    ///
    /// # Errors
    /// A fault of the rule set in this situation.
    pub fn holds_for(&self, state: &State, code: &Code, act: Option<&Act>) -> Outcomes<bool> {
        let fuel = Counter::new(FUEL);
        let actor = act.map_or(state.mover, |act| act.actor);
        let situation = Situation { mover: state.mover, actor, act, ..Situation::default() };
        self.evaluator(state, &fuel).truth(code, &situation)
    }

    pub(crate) fn is_able(&self, state: &State, act: Option<u16>, fuel: &Counter<u64>) -> Outcomes<bool> {
        Ok(!self.generate(state, act, true, fuel)?.legal.is_empty())
    }

    pub(crate) fn has_ply(&self, state: &State, fuel: &Counter<u64>) -> Outcomes<bool> {
        Ok(!self.generate(state, None, true, fuel)?.legal.is_empty())
    }

    /// The player whose turn it will be, or is.
    pub(crate) fn upcoming(&self, state: &State) -> u8 {
        if state.mid_ply { self.rules.next_player(state.mover) } else { state.mover }
    }

    pub(crate) fn generate(
        &self,
        state: &State,
        only: Option<u16>,
        first: bool,
        fuel: &Counter<u64>,
    ) -> Outcomes<Plies> {
        let evaluator = self.evaluator(state, fuel);
        let mut found = Plies::default();
        // With a maximum to reach, the first legal ply does not show that it is one of the best.
        let first =
            first && !self.rules.clauses.iter().any(|clause| matches!(clause.form, Form::Most { .. }));
        for (at, clause) in self.rules.clauses.iter().enumerate() {
            match &clause.form {
                Form::Move { kinds, act, choices, then, .. } if only.is_none_or(|only| only == *act) => {
                    for site in 0..state.cells.len() as Site {
                        let cell = state.cell(site);
                        if cell.owner() != Some(state.mover)
                            || !cell.kind().is_some_and(|k| kinds.contains(&k))
                        {
                            continue;
                        }
                        for act in self.blame(at as u16, evaluator.movements(at, site, state.mover, None))? {
                            self.blame(
                                at as u16,
                                self.grant(&evaluator, at, act, choices, then, &mut found),
                            )?;
                            if first && !found.legal.is_empty() {
                                return Ok(found);
                            }
                        }
                    }
                }
                Form::Act { act, choices, then } if only.is_none_or(|only| only == *act) => {
                    let act = Act::new(*act, state.mover);
                    self.blame(at as u16, self.grant(&evaluator, at, act, choices, then, &mut found))?;
                    if first && !found.legal.is_empty() {
                        return Ok(found);
                    }
                }
                _ => {}
            }
        }
        self.best(&mut found, fuel)?;
        let mut unique: Vec<Ply> = Vec::with_capacity(found.legal.len());
        for ply in found.legal {
            if !unique.iter().any(|known| known.act.same(&ply.act)) {
                unique.push(ply);
            }
        }
        found.legal = unique;
        Ok(found)
    }

    /// All ways to choose, one act each.
    pub(crate) fn choose(
        &self,
        evaluator: &Evaluator<'_>,
        choices: &[Choice],
        act: Act,
    ) -> Outcomes<Vec<Act>> {
        let mut acts = vec![act];
        for choice in choices {
            let mut more = Vec::new();
            for act in acts {
                let situation = situation(&act, evaluator.state.mover);
                let members = match evaluator.run(&choice.domain, &situation)? {
                    Value::Sites(sites) => sites.iter().map(Value::Site).collect(),
                    Value::List(values) => values,
                    _ => Vec::new(),
                };
                for member in members {
                    let mut act = act.clone();
                    act.bound.push((choice.binding, member));
                    act.choices.push(choice.binding);
                    more.push(act);
                    evaluator.burn(10)?;
                    if more.len() > MAX_ACTS {
                        return Err(Fault::TooMuchWork);
                    }
                }
            }
            acts = more;
        }
        Ok(acts)
    }

    fn grant(
        &self,
        evaluator: &Evaluator<'_>,
        at: usize,
        act: Act,
        choices: &[Choice],
        then: &[Effect],
        found: &mut Plies,
    ) -> Outcomes<()> {
        let Some(clause) = self.rules.clauses.get(at) else { return Ok(()) };
        for act in self.choose(evaluator, choices, act)? {
            // A movement was judged when its pattern was walked.
            if matches!(clause.form, Form::Act { .. }) {
                let situation = situation(&act, evaluator.state.mover);
                if !evaluator.applies(clause.when.as_ref(), clause.unless.as_ref(), &situation)? {
                    continue;
                }
            }
            if let Some(ban) = self.banned_before(evaluator, &act)? {
                let trace = [(at as u16, Finding::Grants), (ban, Finding::Forbids)];
                let trace = trace.map(|(clause, finding)| Step { clause, finding }).to_vec();
                found.banned.push(Banned { act, clauses: vec![ban, at as u16], trace });
                continue;
            }
            let mut draft = Draft {
                state: evaluator.state.clone(),
                restored: None,
                act,
                clauses: vec![at as u16],
                assigned: Vec::new(),
                again: false,
                dirty: false,
                trace: self.tracing.then(Vec::new),
            };
            draft.note(at as u16, Finding::Grants);
            draft.state.mid_ply = true;
            draft.displace();
            self.perform(&mut draft, then, evaluator.fuel)?;
            self.follow(draft, 0, evaluator.fuel, found)?;
        }
        Ok(())
    }

    fn banned_before(&self, evaluator: &Evaluator<'_>, act: &Act) -> Outcomes<Option<u16>> {
        let situation = situation(act, evaluator.state.mover);
        for (at, clause) in self.rules.clauses.iter().enumerate() {
            let Form::Forbid { acts, before: true, banned } = &clause.form else { continue };
            if acts.admits(act.name)
                && self.blame(at as u16, self.bans(evaluator, clause, banned, &situation))?
            {
                return Ok(Some(at as u16));
            }
        }
        Ok(None)
    }

    fn bans(
        &self,
        evaluator: &Evaluator<'_>,
        clause: &Clause,
        banned: &Code,
        situation: &Situation<'_>,
    ) -> Outcomes<bool> {
        Ok(evaluator.applies(clause.when.as_ref(), clause.unless.as_ref(), situation)?
            && evaluator.truth(banned, situation)?)
    }

    /// The consequences of a ply, from the n-th on; a choice among them makes several plies.
    fn follow(&self, mut draft: Draft, from: usize, fuel: &Counter<u64>, found: &mut Plies) -> Outcomes<()> {
        for (index, at) in self.following.iter().enumerate().skip(from) {
            let Some(clause) = self.rules.clauses.get(*at) else { continue };
            let Form::After { acts, choices, then } = &clause.form else { continue };
            if !acts.admits(draft.act.name) {
                continue;
            }
            let evaluator = self.evaluator(&draft.state, fuel);
            let at_hand = situation(&draft.act, draft.state.mover);
            let applies = evaluator.applies(clause.when.as_ref(), clause.unless.as_ref(), &at_hand);
            if !self.blame(*at as u16, applies)? {
                draft.note(*at as u16, Finding::DoesNotApply);
                continue;
            }
            if choices.is_empty() {
                self.blame(*at as u16, draft.effect(*at as u16, |draft| self.perform(draft, then, fuel)))?;
                continue;
            }
            for act in self.choose(&evaluator, choices, draft.act.clone())? {
                let mut way = Draft { act, ..draft.clone() };
                way.effect(*at as u16, |draft| self.perform(draft, then, fuel))?;
                self.follow(way, index + 1, fuel, found)?;
            }
            return Ok(());
        }
        self.allow(draft, fuel, found)
    }

    /// The bans, judged on the position with all consequences.
    fn allow(&self, mut draft: Draft, fuel: &Counter<u64>, found: &mut Plies) -> Outcomes<()> {
        for (at, clause) in self.rules.clauses.iter().enumerate() {
            let Form::Forbid { acts, banned, before: false } = &clause.form else { continue };
            if !acts.admits(draft.act.name) {
                continue;
            }
            let asking = self.asking.contains(&at);
            if asking && draft.state.supposed {
                continue;
            }
            let evaluator = self.evaluator(&draft.state, fuel);
            let mut at_hand = situation(&draft.act, draft.state.mover);
            if asking && evaluator.applies(clause.when.as_ref(), clause.unless.as_ref(), &at_hand)? {
                at_hand.answerable = self.is_answerable(&draft, fuel)?;
            }
            let bans = self.bans(&evaluator, clause, banned, &at_hand);
            if self.blame(at as u16, bans)? {
                let mut clauses = vec![at as u16];
                clauses.extend(draft.clauses.first());
                draft.note(at as u16, Finding::Forbids);
                let trace = draft.trace.unwrap_or_default();
                found.banned.push(Banned { act: draft.act, clauses, trace });
                return Ok(());
            }
            draft.note(at as u16, Finding::Allows);
        }
        if found.legal.len() >= MAX_ACTS {
            return Err(Fault::TooMuchWork);
        }
        found.legal.push(self.complete(draft, fuel)?);
        Ok(())
    }

    /// Whether whoever has the turn after a ply has a legal one, bans that ask this left aside.
    fn is_answerable(&self, draft: &Draft, fuel: &Counter<u64>) -> Outcomes<bool> {
        let mut next = self.complete(draft.clone(), fuel)?.next;
        next.supposed = true;
        self.has_ply(&next, fuel)
    }

    /// The turn passes, variables that last one ply fade, the position is recorded.
    fn complete(&self, mut draft: Draft, fuel: &Counter<u64>) -> Outcomes<Ply> {
        let mover = draft.state.mover;
        let mut next = if draft.again { mover } else { self.rules.next_player(mover) };
        if !draft.again
            && let Some((at, player)) = self.turn_after(&draft, fuel)?
        {
            next = player;
            draft.clauses.push(at);
            draft.note(at, Finding::PassesTurn);
        }
        for (at, var) in self.rules.vars.iter().enumerate() {
            if var.fleeting
                && !draft.assigned.contains(&(at as u16))
                && let Some(slot) = draft.state.vars.get_mut(at)
            {
                slot.clone_from(&var.start);
            }
        }
        draft.state.mover = next;
        draft.state.played += 1;
        draft.state.mid_ply = false;
        draft.state.record(Some(draft.act.clone()), draft.clauses.clone());
        Ok(Ply {
            act: draft.act,
            next: draft.state,
            clauses: draft.clauses,
            trace: draft.trace.unwrap_or_default(),
        })
    }

    /// Who has the turn after a ply, by the clause that goes before the others.
    fn turn_after(&self, draft: &Draft, fuel: &Counter<u64>) -> Outcomes<Option<(u16, u8)>> {
        let evaluator = self.evaluator(&draft.state, fuel);
        let at_hand = situation(&draft.act, draft.state.mover);
        let mut standing: Vec<(u16, u8, &[u16])> = Vec::new();
        for (at, clause) in self.rules.clauses.iter().enumerate() {
            let Form::Turn(code) = &clause.form else { continue };
            if evaluator.applies(clause.when.as_ref(), clause.unless.as_ref(), &at_hand)?
                && let Value::Player(player) = evaluator.run(code, &at_hand)?
            {
                standing.push((at as u16, player, &clause.yields));
            }
        }
        let applying: Vec<u16> = standing.iter().map(|(at, ..)| *at).collect();
        let first = standing.iter().find(|(.., yields)| !yields.iter().any(|first| applying.contains(first)));
        Ok(first.map(|(at, player, _)| (*at, *player)))
    }

    /// Keeps only the plies with the largest measure, clause by clause.
    fn best(&self, found: &mut Plies, fuel: &Counter<u64>) -> Outcomes<()> {
        for (at, clause) in self.rules.clauses.iter().enumerate() {
            let Form::Most { acts, measure } = &clause.form else { continue };
            let mut measures = Vec::new();
            for ply in &found.legal {
                let mut state = ply.next.clone();
                state.mover = ply.act.actor;
                let evaluator = self.evaluator(&state, fuel);
                let at_hand = situation(&ply.act, ply.act.actor);
                let measured = acts.admits(ply.act.name)
                    && evaluator.applies(clause.when.as_ref(), clause.unless.as_ref(), &at_hand)?;
                measures.push(match evaluator.run(measure, &at_hand)? {
                    Value::Number(number) if measured => Some(number),
                    _ => None,
                });
            }
            let Some(most) = measures.iter().flatten().max().copied() else { continue };
            let mut measures = measures.into_iter();
            let mut kept = Vec::new();
            for ply in std::mem::take(&mut found.legal) {
                if measures.next().flatten().is_none_or(|measure| measure >= most) {
                    kept.push(ply);
                } else {
                    let mut clauses = vec![at as u16];
                    clauses.extend(ply.clauses.first());
                    let mut trace = ply.trace;
                    if self.tracing {
                        trace.push(Step { clause: at as u16, finding: Finding::Forbids });
                    }
                    found.banned.push(Banned { act: ply.act, clauses, trace });
                }
            }
            found.legal = kept;
        }
        Ok(())
    }

    /// Looks whether the game has ended, and writes it into the state.
    ///
    /// # Errors
    /// Endings that contradict each other, or another fault of the rule set.
    pub fn settle(&self, state: &mut State) -> Outcomes<()> {
        self.look(state, false)
    }

    fn look(&self, state: &mut State, counting: bool) -> Outcomes<()> {
        if state.ended.is_some() {
            return Ok(());
        }
        let fuel = Counter::new(FUEL);
        let mut holding: Vec<(u16, Outcome)> = Vec::new();
        for (at, stops) in &self.endings {
            if counting && !stops {
                continue;
            }
            let Some(clause) = self.rules.clauses.get(*at) else { continue };
            let Form::Ends { condition, result } = &clause.form else { continue };
            let evaluator = self.evaluator(state, &fuel);
            let situation = Situation { mover: state.mover, actor: state.mover, ..Situation::default() };
            let holds = evaluator.applies(clause.when.as_ref(), clause.unless.as_ref(), &situation);
            if self.blame(*at as u16, holds)?
                && self.blame(*at as u16, evaluator.truth(condition, &situation))?
                && let Value::Outcome(outcome) = evaluator.run(result, &situation)?
            {
                holding.push((*at as u16, outcome));
            }
        }
        let standing: Vec<u16> = holding.iter().map(|(at, _)| *at).collect();
        let yields = |at: u16| {
            let clause = self.rules.clauses.get(usize::from(at));
            clause.is_some_and(|clause| clause.yields.iter().any(|first| standing.contains(first)))
        };
        holding.retain(|(at, _)| !yields(*at));
        if let Some((_, outcome)) = holding.first().copied() {
            let clauses: Vec<u16> = holding.iter().map(|(at, _)| *at).collect();
            if holding.iter().any(|(_, other)| *other != outcome) {
                return Err(Fault::Conflict(clauses));
            }
            state.ended = Some(Ending { outcome, clauses });
        }
        Ok(())
    }

    /// Judges a ply that is meant by a test on acts: the legal one, or the reason why there is none. `grants`
    /// are the clauses that could grant such an act; they are named when none does.
    ///
    /// # Errors
    /// A fault of the rule set in this situation.
    pub fn judge(&self, state: &State, meant: &dyn Fn(&Act) -> bool, grants: &[u16]) -> Outcomes<Verdict> {
        if let Some(end) = &state.ended {
            return Ok(Verdict::Refused { reason: Reason::GameOver, clauses: end.clauses.clone() });
        }
        let plies = self.plies(state)?;
        if let Some(ply) = plies.legal.into_iter().find(|ply| meant(&ply.act)) {
            let mut next = ply.next;
            self.settle(&mut next)?;
            return Ok(Verdict::Done { next: Box::new(next), clauses: ply.clauses });
        }
        if let Some(banned) = plies.banned.into_iter().find(|banned| meant(&banned.act)) {
            return Ok(Verdict::Refused { reason: Reason::Forbidden, clauses: banned.clauses });
        }
        let clauses = self.why_not(state, meant, grants)?;
        Ok(Verdict::Refused { reason: Reason::NotGranted, clauses })
    }

    /// The clauses on whose turn it is, for acts out of turn.
    pub fn turn_clauses(&self) -> Vec<u16> {
        let is_turn =
            |(at, clause): (usize, &Clause)| matches!(clause.form, Form::Turn(_)).then_some(at as u16);
        self.rules.clauses.iter().enumerate().filter_map(is_turn).collect()
    }

    /// What an event may come with: members of the collections of its clauses, at most so many combinations.
    /// One that comes with nothing has one.
    ///
    /// # Errors
    /// A fault of the rule set in this situation.
    pub fn offers(
        &self,
        state: &State,
        event: u16,
        person: Person,
        most: usize,
    ) -> Outcomes<Vec<Vec<Value>>> {
        let fuel = Counter::new(FUEL);
        let evaluator = self.evaluator(state, &fuel);
        let actor = match person {
            Person::Player(player) => player,
            Person::Arbiter => state.mover,
        };
        let mut found: Vec<Vec<Value>> = Vec::new();
        for clause in &self.rules.clauses {
            let Form::Event { event: known, choices, .. } = &clause.form else { continue };
            if *known != event {
                continue;
            }
            for act in self.choose(&evaluator, choices, Act::new(u16::MAX, actor))? {
                let with = act.bound.into_iter().map(|(_, value)| value).collect();
                if found.len() < most && !found.contains(&with) {
                    found.push(with);
                }
            }
        }
        Ok(found)
    }

    /// Judges an event that is not a ply, with what it comes with.
    ///
    /// # Errors
    /// A fault of the rule set in this situation.
    pub fn event(&self, state: &State, event: u16, with: &[Value], person: Person) -> Outcomes<Verdict> {
        if let Some(end) = &state.ended {
            return Ok(Verdict::Refused { reason: Reason::GameOver, clauses: end.clauses.clone() });
        }
        let fuel = Counter::new(FUEL);
        let actor = match person {
            Person::Player(player) => player,
            Person::Arbiter => state.mover,
        };
        let (mut wrong, mut failing) = (Vec::new(), Vec::new());
        let mut applying: Vec<(u16, &Clause, &[Effect])> = Vec::new();
        let evaluator = self.evaluator(state, &fuel);
        let mut act = Act::new(u16::MAX, actor);
        let names = self.rules.arguments.get(usize::from(event)).and_then(Option::as_ref);
        act.bound.extend(names.into_iter().flatten().map(|(at, _)| *at).zip(with.iter().cloned()));
        let situation = situation(&act, state.mover);
        for (at, clause) in self.rules.clauses.iter().enumerate() {
            let Form::Event { event: known, by, choices, then, otherwise } = &clause.form else { continue };
            if *known != event {
                continue;
            }
            let theirs = match (by, person) {
                (Author::Anyone, Person::Player(_)) | (Author::Arbiter, Person::Arbiter) => true,
                (Author::Player(code), Person::Player(player)) => {
                    evaluator.run(code, &situation)? == Value::Player(player)
                }
                _ => false,
            };
            if !theirs {
                wrong.push(at as u16);
            } else if evaluator.admits(choices, &situation)?
                && evaluator.applies(clause.when.as_ref(), clause.unless.as_ref(), &situation)?
            {
                applying.push((at as u16, clause, then));
            } else {
                failing.push((at as u16, otherwise.as_deref()));
            }
        }
        let standing: Vec<u16> = applying.iter().map(|(at, ..)| *at).collect();
        applying.retain(|(_, clause, _)| !clause.yields.iter().any(|first| standing.contains(first)));
        let (clauses, effects): (Vec<u16>, Vec<&[Effect]>) = if applying.is_empty() {
            failing.iter().filter_map(|(at, otherwise)| otherwise.map(|effects| (*at, effects))).unzip()
        } else {
            applying.into_iter().map(|(at, _, then)| (at, then)).unzip()
        };
        if clauses.is_empty() {
            let (reason, clauses) = if failing.is_empty() {
                (Reason::NotTheirs, wrong)
            } else {
                (Reason::ConditionFails, failing.into_iter().map(|(at, _)| at).collect())
            };
            return Ok(Verdict::Refused { reason, clauses });
        }
        let mut draft = Draft {
            act,
            state: state.clone(),
            restored: None,
            clauses: Vec::new(),
            assigned: Vec::new(),
            again: false,
            dirty: false,
            trace: None,
        };
        for (at, effects) in clauses.iter().zip(effects) {
            draft.clauses.push(*at);
            self.perform(&mut draft, effects, &fuel)?;
        }
        draft.state.forget(draft.restored.unwrap_or(0));
        self.settle(&mut draft.state)?;
        Ok(Verdict::Done { next: Box::new(draft.state), clauses: draft.clauses })
    }

    /// Counts sequences of plies. Endings by repetition, counting or agreement are not looked at, nor are
    /// those that can only be a draw; a game that has otherwise ended is not continued.
    ///
    /// # Errors
    /// A fault of the rule set in some situation.
    pub fn perft(&self, state: &State, depth: u32) -> Outcomes<u64> {
        if depth == 0 {
            return Ok(1);
        }
        if depth > MAX_DEPTH {
            return Err(Fault::TooMuchWork);
        }
        let mut node = state.clone();
        let stops =
            |at: &u16| !self.endings.iter().any(|(known, stops)| known == &usize::from(*at) && !stops);
        // What has ended only by endings that do not stop the counting goes on.
        node.ended = node.ended.filter(|end| end.clauses.iter().any(stops));
        self.look(&mut node, true)?;
        if node.ended.is_some() {
            return Ok(0);
        }
        let plies = self.plies(state)?.legal;
        if depth == 1 {
            return Ok(plies.len() as u64);
        }
        let mut count = 0_u64;
        for ply in plies {
            count += self.perft(&ply.next, depth - 1)?;
        }
        Ok(count)
    }

    /// Whether the present position is the same as a recorded one: board and turn, the variables that
    /// belong to a position, and of those that last one ply what some legal act depends on.
    pub(crate) fn same_position(&self, state: &State, past: &Past, fuel: &Counter<u64>) -> Outcomes<bool> {
        let same = |var: &u16| state.vars.get(usize::from(*var)) == past.vars.get(usize::from(*var));
        if !self.rules.identity.iter().all(same) {
            return Ok(false);
        }
        if self.rules.fleeting.iter().all(same) {
            return Ok(true);
        }
        // They differ as written; they are the same if neither makes a difference.
        let mut before = state.clone();
        before.vars.clone_from(&past.vars);
        before.past = past.before.clone();
        Ok(!self.depends(state, fuel)? && !self.depends(&before, fuel)?)
    }

    /// Whether some legal act depends on a variable that lasts one ply.
    fn depends(&self, state: &State, fuel: &Counter<u64>) -> Outcomes<bool> {
        let mut plain = state.clone();
        for var in &self.rules.fleeting {
            let start = self.rules.vars.get(usize::from(*var)).map(|var| var.start.clone());
            if let (Some(slot), Some(start)) = (plain.vars.get_mut(usize::from(*var)), start) {
                *slot = start;
            }
        }
        let (with, without) =
            (self.generate(state, None, false, fuel)?, self.generate(&plain, None, false, fuel)?);
        let within = |ply: &Ply| without.legal.iter().any(|other| other.act.same(&ply.act));
        Ok(with.legal.len() != without.legal.len() || !with.legal.iter().all(within))
    }
}

pub(crate) fn situation(act: &Act, mover: u8) -> Situation<'_> {
    Situation { mover, actor: act.actor, act: Some(act), ..Situation::default() }
}

/// Whether a pattern can end on a site where a piece stands: unless its last test asks for an empty one.
fn ends_on_pieces(path: &Path) -> bool {
    path.branches.iter().any(|branch| match branch.last().map(|item| &item.atom) {
        Some(Atom::Test(code)) => !asks_empty(&code.term),
        Some(Atom::Group(path)) => ends_on_pieces(path),
        _ => true,
    })
}

fn asks_empty(term: &Term) -> bool {
    match term {
        Term::Context(Context::Empty) => true,
        Term::Binary(Binary::And, a, b) => asks_empty(a) || asks_empty(b),
        _ => false,
    }
}

/// Whether a result is a draw whatever happens, definitions opened.
fn is_draw(rules: &RuleSet, term: &Term) -> bool {
    match term {
        Term::Const(value) => *value == Value::Outcome(Outcome::Draw),
        Term::If(_, yes, no) => is_draw(rules, yes) && is_draw(rules, no),
        Term::Apply(at, _) => rules.bodies.get(usize::from(*at)).is_some_and(|body| {
            !body.codes.is_empty() && body.codes.iter().all(|code| is_draw(rules, &code.term))
        }),
        _ => false,
    }
}

/// Whether a condition asks if a ply can be answered.
fn asks_answers(rules: &RuleSet, term: &Term) -> bool {
    let mut asks = false;
    rules.visit(term, &mut |term| asks |= matches!(term, Term::Context(Context::Answerable)));
    asks
}

/// Whether a condition can be read off the board alone: no history, no counting of plies, no possible acts.
fn is_plain(rules: &RuleSet, term: &Term) -> bool {
    let mut plain = true;
    rules.visit(term, &mut |term| {
        plain &= !matches!(
            term,
            Term::Context(Context::Stuck | Context::Played | Context::Now)
                | Term::Able(..)
                | Term::Times(_)
                | Term::Last(_)
                | Term::Call(Builtin::Restores, _)
        );
    });
    plain
}
