//! Endings, and counts of sequences of plies.
//!
//! Invariant: a game that has ended is not looked at again, and endings that contradict each other are a
//! fault and not an outcome.

use crate::act::{Act, Ending, Past, State};
use crate::engine::{Engine, FUEL, Fault, Ground, MAX_ACTS, Outcomes, Scene, WORK, Work, blame};
use crate::fast::Fast;
use crate::memo::Asked;
use crate::position::{Layout, NO_ACT, Position};
use crate::program::{Form, Outcome};
use crate::surround::Field;
use crate::value::{Few, Val};

/// Deepest count of sequences of plies.
pub const MAX_DEPTH: u32 = 200;

/// Plies with the positions after them.
pub type Followed<L> = Vec<(Act<L>, Position<L>)>;

/// The position of a state, with the name of the act that led to it.
pub(crate) fn led<L: Layout>(state: &State<L>) -> Position<L> {
    let last = state.history.entries().last().and_then(|past| past.act.as_ref());
    Position { last: last.map_or(NO_ACT, |act| act.name), ..state.position }
}

impl<L: Layout> Engine<L> {
    /// Looks whether the game has ended, and writes it into the state.
    ///
    /// # Errors
    /// Endings that contradict each other, or another fault of the program.
    pub fn settle(&self, state: &mut State<L>, work: &mut Work<L>) -> Outcomes<()> {
        if state.ended.is_none() {
            state.ended = self.ending(&state.position, self.ground(state), false, work)?;
        }
        Ok(())
    }

    /// The ending of a position, by all endings or by those that stop the counting of sequences.
    ///
    /// # Errors
    /// Endings that contradict each other, or another fault of the program.
    pub fn ending(
        &self,
        position: &Position<L>,
        ground: Ground<'_, L>,
        stops_only: bool,
        work: &mut Work<L>,
    ) -> Outcomes<Option<Ending>> {
        let scene = Scene::of(position, ground);
        let mut holding: Few<(u16, Option<Outcome>), 4> = Few::default();
        for at in &self.sorted(position).endings {
            let Some(clause) = self.clause(*at) else { continue };
            let Form::Ends { condition, result, stops } = &clause.form else { continue };
            if stops_only && !stops {
                continue;
            }
            if blame(*at, self.applies(clause.when, clause.unless, &scene, work))?
                && blame(*at, self.truth(*condition, &scene, work))?
                && let Val::Outcome(outcome) = self.run(*result, &scene, work)?
            {
                holding.push((*at, Some(outcome)));
            }
        }
        let yields = |at: u16| {
            let yields = self.clause(at).map_or(&[][..], |clause| &clause.yields);
            holding.iter().any(|(first, _)| yields.contains(first))
        };
        let standing: Vec<(u16, Outcome)> = holding
            .iter()
            .filter(|(at, _)| !yields(*at))
            .filter_map(|(at, outcome)| Some((*at, (*outcome)?)))
            .collect();
        let Some((_, outcome)) = standing.first().copied() else { return Ok(None) };
        let clauses: Vec<u16> = standing.iter().map(|(at, _)| *at).collect();
        if standing.iter().any(|(_, other)| *other != outcome) {
            return Err(Fault::Conflict(clauses.into()));
        }
        Ok(Some(Ending { outcome, clauses }))
    }

    /// Whether a game has ended otherwise than only by endings that do not stop the counting.
    pub(crate) fn is_over(&self, ended: Option<&Ending>) -> bool {
        let stops = |at: &u16| {
            let form = self.clause(*at).map(|clause| &clause.form);
            !matches!(form, Some(Form::Ends { stops: false, .. }))
        };
        ended.is_some_and(|end| end.clauses.iter().any(stops))
    }

    /// Counts sequences of plies. Endings by repetition, counting or agreement are not looked at, nor are
    /// those that can only be a draw; a game that has otherwise ended is not continued. With `bulk` the last plies are counted without making them.
    ///
    /// # Errors
    /// A fault of the program in some situation.
    pub fn perft(&self, state: &State<L>, depth: u32, bulk: bool, work: &mut Work<L>) -> Outcomes<u64> {
        if depth > MAX_DEPTH {
            return Err(WORK);
        }
        if depth > 0 && self.is_over(state.ended.as_ref()) {
            return Ok(0);
        }
        if let Some(field) = self.field.as_deref()
            && Field::fits(&self.program, &state.position)
        {
            return field.perft(state, depth, bulk, work);
        }
        if L::FAST
            && let Some(fast) = self.fast.as_deref()
            && Fast::fits(&self.program, &state.position)
            && self.sleeps(&state.position)
        {
            work.begin(FUEL);
            let asked = Asked::of(self, work);
            let count = fast.perft(&led(state), depth, bulk, &asked);
            return asked.fault().map_or(Ok(count), Err);
        }
        let mut state = state.clone();
        self.count(&mut state, depth, work)
    }

    /// Counts the games that can be played from a state to an end, all endings looked at. It is fit for games
    /// that are short whatever is played.
    ///
    /// # Errors
    /// A fault of the program in some situation, or a game of more than `MAX_DEPTH` plies.
    pub fn games(&self, state: &State<L>, work: &mut Work<L>) -> Outcomes<u64> {
        let draws =
            self.program.clauses.iter().any(|clause| matches!(clause.form, Form::Ends { stops: false, .. }));
        if let Some(field) = self.field.as_deref()
            && Field::fits(&self.program, &state.position)
            && state.ended.is_none()
            && !draws
        {
            return field.games(state, work);
        }
        self.finished(&mut state.clone(), MAX_DEPTH, work)
    }

    fn finished(&self, state: &mut State<L>, deeper: u32, work: &mut Work<L>) -> Outcomes<u64> {
        if state.ended.is_some() {
            return Ok(1);
        }
        let deeper = deeper.checked_sub(1).ok_or(WORK)?;
        let position = state.position;
        let mut count = 0_u64;
        work.begin(FUEL);
        for ply in self.plies(state, work)?.legal {
            state.position = ply.next;
            state.ended = ply.ended;
            state.history.push(Past { position: ply.next, act: Some(ply.act), clauses: ply.clauses });
            work.begin(FUEL);
            self.settle(state, work)?;
            count = count.saturating_add(self.finished(state, deeper, work)?);
            state.history.pop();
            (state.position, state.ended) = (position, None);
        }
        Ok(count)
    }

    /// The legal plies as the fast paths find them, with the positions after them; `None` where there are no
    /// fast paths.
    ///
    /// # Errors
    /// A fault of the program in this situation.
    pub fn swift(&self, state: &State<L>, work: &mut Work<L>) -> Outcomes<Option<Followed<L>>> {
        let position = &led(state);
        if let Some(field) = self.field.as_deref()
            && Field::fits(&self.program, position)
        {
            return Ok(Some(field.plies(state)));
        }
        if !L::FAST {
            return Ok(None);
        }
        let Some(fast) =
            self.fast.as_deref().filter(|_| Fast::fits(&self.program, position) && self.sleeps(position))
        else {
            return Ok(None);
        };
        work.begin(FUEL);
        let asked = Asked::of(self, work);
        let (mut plies, mut whole) = (Vec::new(), Vec::new());
        fast.plies(position, &asked, &mut plies, &mut whole);
        if plies.len() >= MAX_ACTS {
            return Err(WORK);
        }
        let made = plies.into_iter().map(|ply| (fast.act(position, ply), fast.after(position, ply, &asked)));
        let made = made.chain(whole).collect();
        asked.fault().map_or(Ok(Some(made)), Err)
    }

    /// The same, the past of the state growing and shrinking on the way.
    fn count(&self, state: &mut State<L>, depth: u32, work: &mut Work<L>) -> Outcomes<u64> {
        if depth == 0 {
            return Ok(1);
        }
        work.begin(FUEL);
        let position = state.position;
        if self.ending(&position, self.ground(state), true, work)?.is_some() {
            return Ok(0);
        }
        work.begin(FUEL);
        let plies = self.plies(state, work)?.legal;
        if depth == 1 {
            return Ok(plies.len() as u64);
        }
        let mut count = 0_u64;
        for ply in plies {
            if self.is_over(ply.ended.as_ref()) {
                continue;
            }
            state.position = ply.next;
            state.history.push(Past { position: ply.next, act: Some(ply.act), clauses: ply.clauses });
            count = count.saturating_add(self.count(state, depth - 1, work)?);
            state.history.pop();
        }
        state.position = position;
        Ok(count)
    }
}
