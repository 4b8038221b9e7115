//! What is true at one moment of a game: board, turn, variables, and the positions before.
//!
//! Invariant: a state is a plain value. The past is shared, never changed, so keeping a state is cheap.

use std::sync::Arc;

use rulebook_model::ruleset::{Cell, RuleSet};
use rulebook_model::{Number, Outcome, Site, Sites, Value};

/// A state of a game.
#[derive(Clone, Debug)]
pub struct State {
    /// What stands where.
    pub cells: Vec<Cell>,
    /// Who has the turn.
    pub mover: u8,
    /// Variables: one value each, or a list with one for each player.
    pub vars: Vec<Value>,
    /// Plies played.
    pub played: u32,
    /// The time of the latest ply or event, in seconds.
    pub now: Number,
    /// How the game ended.
    pub ended: Option<Ending>,
    /// The recorded positions, the latest first; the present one is recorded once a ply is complete.
    pub past: Option<Arc<Past>>,
    /// Whether a ply is being made: its effects have begun and the turn has not passed.
    pub mid_ply: bool,
    /// Whether this state is only supposed, to see whether a ply can be answered: bans that ask so are left
    /// aside here.
    pub supposed: bool,
    /// Tables of records, for rule sets of competitions.
    pub tables: Arc<Vec<Vec<Vec<Value>>>>,
}

/// A recorded position.
#[derive(Debug)]
pub struct Past {
    /// What stood where.
    pub cells: Vec<Cell>,
    /// Who had the turn.
    pub mover: u8,
    /// Variables.
    pub vars: Vec<Value>,
    /// The act that led here; `None` for the first position.
    pub act: Option<Act>,
    /// The clauses that decided it.
    pub clauses: Vec<u16>,
    /// The position before.
    pub before: Option<Arc<Past>>,
}

impl Drop for Past {
    /// Long games are long chains: they are taken apart one by one, not by recursion.
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(past) = next {
            next = Arc::into_inner(past).and_then(|mut past| past.before.take());
        }
    }
}

impl State {
    /// The first state of a rule set.
    pub fn first(rules: &RuleSet) -> Self {
        let vars = rules.vars.iter().map(|var| var.start.clone());
        let mut state = Self {
            cells: rules.setup.clone(),
            mover: rules.begins,
            vars: vars.collect(),
            played: 0,
            now: Number::ZERO,
            ended: None,
            past: None,
            mid_ply: false,
            supposed: false,
            tables: Arc::new(vec![Vec::new(); rules.tables.len()]),
        };
        state.record(None, Vec::new());
        state
    }

    /// Forgets the past and records the present position as the first one.
    pub fn restart(&mut self) {
        self.past = None;
        self.ended = None;
        self.record(None, Vec::new());
    }

    /// Records the present position, with the act and the clauses that led to it: for a ply, and for
    /// rebuilding a past that was written down.
    pub fn record(&mut self, act: Option<Act>, clauses: Vec<u16>) {
        self.past = Some(Arc::new(Past {
            cells: self.cells.clone(),
            mover: self.mover,
            vars: self.vars.clone(),
            act,
            clauses,
            before: self.past.take(),
        }));
    }

    /// Forgets the latest recorded positions, but for the first one.
    pub fn forget(&mut self, count: usize) {
        for _ in 0..count {
            let Some(before) = self.past.as_ref().and_then(|past| past.before.clone()) else { return };
            self.past = Some(before);
        }
    }

    /// The recorded positions, the latest first.
    pub fn history(&self) -> impl Iterator<Item = &Past> {
        std::iter::successors(self.past.as_deref(), |past| past.before.as_deref())
    }

    /// What stands on a site.
    pub fn cell(&self, site: Site) -> Cell {
        self.cells.get(usize::from(site)).copied().unwrap_or_default()
    }

    /// Whether two states agree in all that can be written down: board, turn, variables, end.
    pub fn agrees(&self, other: &Self) -> bool {
        self.cells == other.cells
            && self.mover == other.mover
            && self.vars == other.vars
            && self.ended.as_ref().map(|end| end.outcome) == other.ended.as_ref().map(|end| end.outcome)
    }
}

/// How a game ended, and the clauses that decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The outcome.
    pub outcome: Outcome,
    /// The clauses, the deciding one first.
    pub clauses: Vec<u16>,
}

/// A ply as it was or could be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Act {
    /// Its name, an index into the acts of the rule set.
    pub name: u16,
    /// Who makes it.
    pub actor: u8,
    /// The site a piece leaves.
    pub from: Option<Site>,
    /// The site it comes to.
    pub to: Option<Site>,
    /// The kind that moves.
    pub piece: Option<u8>,
    /// The sites whose pieces are captured by the movement itself.
    pub taken: Sites,
    /// Every site whose content changed.
    pub changed: Sites,
    /// Choices and marks, by binding.
    pub bound: Vec<(u16, Value)>,
    /// How many of the bound values are choices of the mover, the rest being marks.
    pub choices: Vec<u16>,
}

impl Act {
    /// An act without any detail.
    pub fn new(name: u16, actor: u8) -> Self {
        Self {
            name,
            actor,
            from: None,
            to: None,
            piece: None,
            taken: Sites::EMPTY,
            changed: Sites::EMPTY,
            bound: Vec::new(),
            choices: Vec::new(),
        }
    }

    /// The value of a binding.
    pub fn value(&self, binding: u16) -> Option<&Value> {
        self.bound.iter().rev().find(|(known, _)| *known == binding).map(|(_, value)| value)
    }

    /// Whether two acts are one and the same to the players: same name, sites, captures and choices.
    pub fn same(&self, other: &Self) -> bool {
        (self.name, self.from, self.to, self.taken) == (other.name, other.from, other.to, other.taken)
            && self.choices == other.choices
            && self.choices.iter().all(|choice| self.value(*choice) == other.value(*choice))
    }
}
