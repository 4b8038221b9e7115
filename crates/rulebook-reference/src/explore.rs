//! The event machine of a rule set, explored: states that can be reached, and what cannot be right about them.
//!
//! From some states on everything is tried that players and the arbiter may do, first in breadth, then along
//! random lines that begin where something new happened. Invariant: the same rule set, starts and limits give the
//! same findings in the same order, and every finding with a line is seen again when that line is done. What was
//! never seen is told together with how much was looked at; it is a proof only where the exploration was complete.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use rulebook_model::ruleset::{Cell, Effect, Form};
use rulebook_model::{Number, Outcome, Value};

use crate::engine::{Engine, Person, Verdict};
use crate::eval::{Fault, Outcomes};
use crate::state::{Act, State};

mod deeds;
mod shape;

use deeds::Tries;
use shape::Shape;

/// How much is explored.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most states that are looked at.
    pub states: usize,
    /// The longest line of acts and events.
    pub depth: usize,
    /// What random choices start from.
    pub seed: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { states: 2000, depth: 40, seed: 1 }
    }
}

/// Something that is done, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deed {
    /// The time.
    pub time: Number,
    /// What.
    pub what: What,
}

/// An act or an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A ply.
    Ply(Box<Act>),
    /// An event with what it comes with, and who causes it.
    Event(u16, Vec<Value>, Person),
}

/// What is wrong with a rule set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// No act is possible and the game has not ended.
    DeadEnd,
    /// Something ends the game in two ways.
    TwoEndings(Vec<Outcome>),
    /// There is no verdict.
    Fault(Fault),
    /// A clause never takes effect.
    NeverApplies,
    /// What a clause says about failure never happens.
    NeverFails,
    /// An event never succeeds.
    NeverSucceeds(u16),
}

/// A finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// What is wrong.
    pub flaw: Flaw,
    /// The clauses it is about, the first one first.
    pub clauses: Vec<u16>,
    /// From which of the starts the line goes.
    pub start: usize,
    /// The line that leads there; empty for what never happens.
    pub line: Vec<Deed>,
}

/// What an exploration has seen.
#[derive(Clone, Debug, Default)]
pub struct Explored {
    /// Findings: those with a line first, the shortest line first.
    pub found: Vec<Found>,
    /// How many states were looked at.
    pub states: usize,
    /// How many of them had ended.
    pub ended: usize,
    /// How many acts and events were tried.
    pub tried: usize,
    /// The length of the longest line.
    pub depth: usize,
    /// Whether there is nothing else that could have been looked at.
    pub complete: bool,
}

/// A state that was reached, and from where.
struct Node {
    state: State,
    from: Option<(usize, Deed)>,
    start: usize,
    depth: usize,
}

/// What tells states apart for the exploration. What only the past tells apart counts as one.
#[derive(PartialEq, Eq, Hash)]
struct Key(Vec<Cell>, u8, Vec<Value>, Number, u32, Option<u16>);

/// Most attempts to make one line shorter.
const MAX_SHORTENING: usize = 200;

struct Explorer<'e> {
    engine: &'e Engine,
    limits: Limits,
    shape: Shape,
    random: Random,
    nodes: Vec<Node>,
    seen: HashSet<Key>,
    /// Clauses of events that took effect, and those that said what failure does.
    applied: BTreeSet<u16>,
    failed: BTreeSet<u16>,
    /// Events that succeeded.
    succeeded: BTreeSet<u16>,
    /// Nodes at which something happened for the first time.
    novel: Vec<usize>,
    known: BTreeMap<(u8, Vec<u16>), usize>,
    out: Explored,
}

impl Engine {
    /// Explores the rule set from some states on.
    pub fn explore(&self, starts: &[State], limits: Limits) -> Explored {
        let mut explorer = Explorer {
            engine: self,
            limits,
            shape: Shape::of(&self.rules),
            random: Random(limits.seed),
            nodes: Vec::new(),
            seen: HashSet::new(),
            applied: BTreeSet::new(),
            failed: BTreeSet::new(),
            succeeded: BTreeSet::new(),
            novel: Vec::new(),
            known: BTreeMap::new(),
            out: Explored::default(),
        };
        explorer.run(starts);
        explorer.out
    }

    /// Does something in a state; `None` if it is refused.
    ///
    /// # Errors
    /// A fault of the rule set in this situation.
    pub fn redo(&self, state: &State, deed: &Deed) -> Outcomes<Option<State>> {
        if state.ended.is_some() {
            return Ok(None);
        }
        let state = State { now: deed.time, ..state.clone() };
        match &deed.what {
            What::Ply(act) => {
                let ply = self.plies(&state)?.legal.into_iter().find(|ply| ply.act.same(act));
                let Some(mut next) = ply.map(|ply| ply.next) else { return Ok(None) };
                self.settle(&mut next)?;
                Ok(Some(next))
            }
            What::Event(event, with, person) => match self.event(&state, *event, with, *person)? {
                Verdict::Done { next, .. } => Ok(Some(*next)),
                Verdict::Refused { .. } => Ok(None),
            },
        }
    }
}

impl Explorer<'_> {
    fn run(&mut self, starts: &[State]) {
        self.out.complete = !self.shape.timed && !self.shape.historic;
        for (start, state) in starts.iter().enumerate() {
            if self.is_new(state) {
                self.nodes.push(Node { state: state.clone(), from: None, start, depth: 0 });
            }
        }
        let roots = self.nodes.len();
        if roots == 0 {
            return;
        }
        // Half of the states in breadth; all of them if there are no more.
        let mut at = 0;
        while at < self.nodes.len() && self.out.states < self.limits.states.div_ceil(2) {
            let children = self.expand(at);
            for (deed, state) in children {
                if self.depth(at) < self.limits.depth && self.is_new(&state) {
                    self.push(at, deed, state);
                } else if self.depth(at) >= self.limits.depth {
                    self.out.complete = false;
                }
            }
            at += 1;
        }
        if at < self.nodes.len() {
            self.out.complete = false;
        }
        while !self.out.complete && self.out.states < self.limits.states {
            self.walk(roots);
        }
        self.never();
        let shortest = |found: &Found| (found.line.is_empty() && !found.has_line(), found.line.len());
        self.out.found.sort_by_key(shortest);
    }

    /// One random line: from a start, or from where something happened for the first time.
    fn walk(&mut self, roots: usize) {
        let pool = roots + self.novel.len();
        let chosen = self.random.below(pool);
        let mut at = match chosen.checked_sub(roots) {
            None => chosen,
            Some(novel) => self.novel.get(novel).copied().unwrap_or(0),
        };
        loop {
            let children = self.expand(at);
            if self.out.states >= self.limits.states || self.depth(at) >= self.limits.depth {
                return;
            }
            // What is seldom is as likely as what is frequent: first a name, then one of that name.
            let mut names: Vec<Option<u16>> = children.iter().map(|(deed, _)| deed.name()).collect();
            names.sort_unstable();
            names.dedup();
            let plies = names.first() == Some(&None);
            let name = if plies && self.random.below(2) == 0 {
                None
            } else if let Some(name) = names.get(self.random.below(names.len())) {
                *name
            } else {
                return;
            };
            let mut of_name: Vec<(Deed, State)> =
                children.into_iter().filter(|(deed, _)| deed.name() == name).collect();
            if of_name.is_empty() {
                return;
            }
            let (deed, state) = of_name.swap_remove(self.random.below(of_name.len()));
            self.push(at, deed, state);
            at = self.nodes.len() - 1;
        }
    }

    fn push(&mut self, from: usize, deed: Deed, state: State) {
        let (start, depth) = self.nodes.get(from).map_or((0, 0), |node| (node.start, node.depth + 1));
        self.out.depth = self.out.depth.max(depth);
        self.nodes.push(Node { state, from: Some((from, deed)), start, depth });
    }

    fn depth(&self, at: usize) -> usize {
        self.nodes.get(at).map_or(0, |node| node.depth)
    }

    fn is_new(&mut self, state: &State) -> bool {
        let last = state.past.as_ref().and_then(|past| past.act.as_ref()).map(|act| act.name);
        let played = if self.shape.counted { state.played } else { 0 };
        let now = if self.shape.timed { state.now } else { Number::ZERO };
        self.seen.insert(Key(state.cells.clone(), state.mover, state.vars.clone(), now, played, last))
    }

    /// Tries everything in a state, or a part of it where that is much; gives what changes something.
    fn expand(&mut self, at: usize) -> Vec<(Deed, State)> {
        let Some(state) = self.nodes.get(at).map(|node| node.state.clone()) else { return Vec::new() };
        self.out.states += 1;
        if state.ended.is_some() {
            self.out.ended += 1;
            return Vec::new();
        }
        let mut children = Vec::new();
        let mut fresh = false;
        let plies = self.engine.plies(&state);
        let mut able = false;
        match plies {
            Err(fault) => {
                able = true;
                self.fault(at, None, fault);
            }
            Ok(plies) => {
                for ply in plies.legal {
                    able = true;
                    self.out.tried += 1;
                    let mut next = ply.next;
                    let deed = Deed { time: state.now, what: What::Ply(Box::new(ply.act)) };
                    match self.engine.settle(&mut next) {
                        Ok(()) => children.push((deed, next)),
                        Err(fault) => self.fault(at, Some((deed, ply.clauses)), fault),
                    }
                }
            }
        }
        let tries = Tries::new(self.engine, &self.shape, &state, &mut self.random);
        let tries = match tries {
            Ok(tries) => tries,
            Err((clause, fault)) => {
                self.fault(at, None, blamed(clause, fault, self.engine));
                return children;
            }
        };
        if !tries.all {
            self.out.complete = false;
        }
        for deed in tries.deeds {
            self.out.tried += 1;
            fresh |= self.cause(at, &state, deed, &mut children);
        }
        if fresh {
            self.novel.push(at);
        }
        if !able && self.is_dead(&state, 2) {
            let line = self.line(at);
            let clauses = self.reached_by(&line, at);
            self.report(Flaw::DeadEnd, clauses, at, None);
        }
        children
    }

    /// Tries an event; whether something happened for the first time.
    fn cause(&mut self, at: usize, state: &State, deed: Deed, children: &mut Vec<(Deed, State)>) -> bool {
        let What::Event(event, with, person) = &deed.what else { return false };
        let timed = State { now: deed.time, ..state.clone() };
        let (next, clauses) = match self.engine.event(&timed, *event, with, *person) {
            Ok(Verdict::Done { next, clauses }) => (*next, clauses),
            Ok(Verdict::Refused { .. }) => return false,
            Err(fault) => {
                let blamed = self.shape.first(*event);
                self.fault(at, Some((deed, blamed)), fault);
                return false;
            }
        };
        let failed = self.engine.has_failed(&timed, *event, with, *person, &clauses);
        let before = (self.applied.len(), self.failed.len(), self.succeeded.len());
        if failed {
            self.failed.extend(clauses.iter().filter(|at| self.shape.events.contains_key(at)));
            self.applied.extend(clauses.iter().filter(|at| !self.shape.events.contains_key(at)));
        } else {
            self.applied.extend(&clauses);
            self.succeeded.insert(*event);
        }
        let fresh = before != (self.applied.len(), self.failed.len(), self.succeeded.len());
        if let Some(end) = &next.ended
            && end.clauses.iter().any(|at| !self.shape.endings.contains(at))
        {
            let (outcomes, all) =
                self.engine.ends_of(&timed, (*event, with, *person), &clauses, failed, &next);
            if outcomes.len() > 1 {
                self.report(Flaw::TwoEndings(outcomes), all, at, Some(deed.clone()));
            }
        }
        let changes = next.cells != state.cells
            || next.mover != state.mover
            || next.vars != state.vars
            || next.ended.is_some();
        if changes {
            children.push((deed, next));
        }
        fresh
    }

    /// Whether nothing leads on from a state without plies: no events, as many as are looked ahead, after which
    /// there is a ply or the game has ended. To give up is no way on.
    fn is_dead(&self, state: &State, ahead: u8) -> bool {
        // What is near mostly shows a way on, and costs little.
        self.leads_nowhere(state, 1, true) && self.leads_nowhere(state, ahead, false)
    }

    fn leads_nowhere(&self, state: &State, ahead: u8, at_once: bool) -> bool {
        let Ok(tries) = Tries::every(self.engine, &self.shape, state, at_once) else { return false };
        let mut later: Vec<State> = Vec::new();
        for deed in tries {
            let What::Event(event, with, person) = &deed.what else { continue };
            let timed = State { now: deed.time, ..state.clone() };
            let Ok(Verdict::Done { next, .. }) = self.engine.event(&timed, *event, with, *person) else {
                continue;
            };
            match &next.ended {
                Some(end) if !gives_up(end.outcome, *person, self.engine.rules.players.len()) => {
                    return false;
                }
                Some(_) => {}
                None if next.agrees(state) => {}
                // Where nothing grants plies, as in what several games share, an event is all there can be.
                None if self.shape.grants.is_empty() => return false,
                None => {
                    if self.engine.plies(&next).is_ok_and(|plies| !plies.legal.is_empty()) {
                        return false;
                    }
                    if !later.iter().any(|known| known.agrees(&next)) {
                        later.push(*next);
                    }
                }
            }
        }
        ahead <= 1 || later.iter().take(20).all(|next| self.is_dead(next, ahead - 1))
    }

    /// The clauses by which a line came to its end; those that grant plies where it has not begun.
    fn reached_by(&self, line: &[Deed], at: usize) -> Vec<u16> {
        let by = self.nodes.get(at).and_then(|node| match line.last().map(|deed| &deed.what)? {
            What::Ply(_) => node.state.past.as_ref().map(|past| past.clauses.clone()),
            What::Event(event, ..) => Some(self.shape.first(*event)),
        });
        by.filter(|clauses| !clauses.is_empty()).unwrap_or_else(|| self.shape.grants.clone())
    }

    fn fault(&mut self, at: usize, deed: Option<(Deed, Vec<u16>)>, fault: Fault) {
        let (deed, by) = match deed {
            Some((deed, clauses)) => (Some(deed), clauses),
            None => (None, self.shape.grants.clone()),
        };
        match fault {
            Fault::Conflict(clauses) => {
                let outcomes = Vec::new();
                self.report(Flaw::TwoEndings(outcomes), clauses, at, deed);
            }
            fault => {
                let named = match &fault {
                    Fault::Clause(id, _) => self.shape.ids.get(id).copied(),
                    _ => None,
                };
                let clauses = named.map_or(by, |at| vec![at]);
                self.report(Flaw::Fault(fault), clauses, at, deed);
            }
        }
    }

    /// Keeps a finding, unless there is one like it with a line that is no longer.
    fn report(&mut self, flaw: Flaw, clauses: Vec<u16>, at: usize, deed: Option<Deed>) {
        let about =
            if flaw == Flaw::DeadEnd { clauses.iter().take(1).copied().collect() } else { clauses.clone() };
        let key = (flaw.rank(), about);
        if self.known.contains_key(&key) {
            return;
        }
        let start = self.nodes.get(at).map_or(0, |node| node.start);
        let mut line = self.line(at);
        line.extend(deed);
        let line = self.shortened(start, line, &flaw, &clauses);
        self.known.insert(key, self.out.found.len());
        self.out.found.push(Found { flaw, clauses, start, line });
    }

    fn line(&self, at: usize) -> Vec<Deed> {
        let mut line = Vec::new();
        let mut node = self.nodes.get(at);
        while let Some((from, deed)) = node.and_then(|node| node.from.as_ref()) {
            line.push(deed.clone());
            node = self.nodes.get(*from);
        }
        line.reverse();
        line
    }

    /// The line without what is not needed for the finding.
    fn shortened(&self, start: usize, line: Vec<Deed>, flaw: &Flaw, clauses: &[u16]) -> Vec<Deed> {
        let root = self.nodes.iter().find(|node| node.start == start && node.from.is_none());
        let Some(root) = root.map(|node| &node.state) else { return line };
        let mut line = line;
        let mut at = 0;
        for _ in 0..MAX_SHORTENING {
            if at >= line.len() {
                break;
            }
            let mut shorter = line.clone();
            shorter.remove(at);
            if self.shows(root, &shorter, flaw, clauses) {
                line = shorter;
            } else {
                at += 1;
            }
        }
        line
    }

    /// Whether a line shows a flaw.
    fn shows(&self, root: &State, line: &[Deed], flaw: &Flaw, clauses: &[u16]) -> bool {
        let mut state = root.clone();
        let head = match (flaw, line.split_last()) {
            (Flaw::DeadEnd, _) => line,
            (_, Some((_, head))) => head,
            (_, None) => return false,
        };
        for deed in head {
            match self.engine.redo(&state, deed) {
                Ok(Some(next)) if deed.time >= state.now => state = next,
                _ => return false,
            }
        }
        if *flaw == Flaw::DeadEnd {
            let able = self.engine.plies(&state).is_ok_and(|plies| plies.legal.is_empty());
            return state.ended.is_none() && able && self.is_dead(&state, 2);
        }
        let Some(last) = line.last().filter(|last| last.time >= state.now) else { return false };
        match (flaw, self.engine.redo(&state, last)) {
            (Flaw::TwoEndings(_), Err(Fault::Conflict(found))) => found == clauses,
            (Flaw::Fault(fault), Err(found)) => found == *fault,
            (Flaw::TwoEndings(outcomes), Ok(Some(next))) => {
                let What::Event(event, with, person) = &last.what else { return false };
                let timed = State { now: last.time, ..state };
                let Ok(Verdict::Done { clauses, .. }) = self.engine.event(&timed, *event, with, *person)
                else {
                    return false;
                };
                let failed = self.engine.has_failed(&timed, *event, with, *person, &clauses);
                let ends = self.engine.ends_of(&timed, (*event, with, *person), &clauses, failed, &next);
                ends.0.len() == outcomes.len() && next.ended.is_some()
            }
            _ => false,
        }
    }

    /// What was never seen, but for what follows from something else that was not.
    fn never(&mut self) {
        let clauses = &self.engine.rules.clauses;
        let acted = |at: &u16| self.applied.contains(at) || self.failed.contains(at);
        let mut dumb: BTreeSet<u16> = BTreeSet::new();
        for (at, clause) in (0_u16..).zip(clauses) {
            let found = match &clause.form {
                Form::Event { event, .. } if !self.succeeded.contains(event) => {
                    (dumb.insert(*event)).then_some(Flaw::NeverSucceeds(*event))
                }
                Form::Event { then, .. } if !then.is_empty() && !self.applied.contains(&at) => {
                    Some(Flaw::NeverApplies)
                }
                Form::Event { otherwise: Some(otherwise), .. }
                    if !otherwise.is_empty() && !self.failed.contains(&at) =>
                {
                    Some(Flaw::NeverFails)
                }
                Form::Applied { .. } if !self.applied.contains(&at) => {
                    let by = self.shape.applied_by.get(&at);
                    let idle = by.is_some_and(|by| !by.iter().any(acted));
                    (!idle).then_some(Flaw::NeverApplies)
                }
                _ => None,
            };
            if let Some(flaw) = found {
                self.out.found.push(Found { flaw, clauses: vec![at], start: 0, line: Vec::new() });
            }
        }
    }
}

impl Found {
    /// Whether it is about a state that a line leads to.
    pub fn has_line(&self) -> bool {
        matches!(self.flaw, Flaw::DeadEnd | Flaw::TwoEndings(_) | Flaw::Fault(_))
    }
}

impl Flaw {
    fn rank(&self) -> u8 {
        match self {
            Self::DeadEnd => 0,
            Self::TwoEndings(_) => 1,
            Self::Fault(_) => 2,
            Self::NeverApplies => 3,
            Self::NeverFails => 4,
            Self::NeverSucceeds(_) => 5,
        }
    }
}

impl Deed {
    /// The event; none for plies.
    fn name(&self) -> Option<u16> {
        match &self.what {
            What::Ply(_) => None,
            What::Event(event, ..) => Some(*event),
        }
    }
}

/// Whether an outcome is the loss of the one who brought it about.
fn gives_up(outcome: Outcome, person: Person, players: usize) -> bool {
    match (outcome, person) {
        (Outcome::Lose(loser), Person::Player(player)) => loser == player,
        (Outcome::Win(winner), Person::Player(player)) => players == 2 && winner != player,
        _ => false,
    }
}

fn blamed(clause: u16, fault: Fault, engine: &Engine) -> Fault {
    engine.blame::<()>(clause, Err(fault)).err().unwrap_or(Fault::TooMuchWork)
}

/// Effects with those that stand inside of them.
fn each_effect(effects: &[Effect], visit: &mut dyn FnMut(&Effect)) {
    for effect in effects {
        visit(effect);
        match effect {
            Effect::If(_, yes, no) => {
                each_effect(yes, visit);
                each_effect(no, visit);
            }
            Effect::For(_, _, body) => each_effect(body, visit),
            _ => {}
        }
    }
}

/// Numbers that look random and are always the same.
pub(crate) struct Random(u64);

impl Random {
    /// A number below another one; zero below zero.
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        (mixed % (bound.max(1) as u64)) as usize
    }
}
