//! States, acts and values without a layout, for everybody who asks a machine from outside.
//!
//! Invariant: nothing here is meant to be fast; it is what stands at the border, and converting there and
//! back gives the same state.

use std::collections::HashMap;
use std::sync::Arc;

use crate::act::{Act, Ending, History, Past, State, Tables};
use crate::engine::{Engine, NUMBER, Outcomes, Scene};
use crate::position::{Layout, Position, Row};
use crate::program::{Outcome, Site, Type};
use crate::set::{Set, collect};
use crate::value::{Num, Val};

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Plain {
    /// No site, player, kind or row.
    Nothing,
    /// A truth value.
    Truth(bool),
    /// A fraction.
    Number(i64, i64),
    /// A text.
    Text(String),
    /// A player.
    Player(u8),
    /// A kind.
    Kind(u8),
    /// A site.
    Site(Site),
    /// A set of sites, in order.
    Sites(Vec<Site>),
    /// A list.
    List(Vec<Plain>),
    /// A row of a table, by table and row number.
    Row(u16, u32),
    /// An outcome.
    Outcome(Outcome),
}

/// What stands on a site: kind and owner.
pub type Cell = Option<(u8, u8)>;

/// What stands where, whose turn it is, and the variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlainPosition {
    /// What stands where.
    pub cells: Vec<Cell>,
    /// Who has the turn.
    pub mover: u8,
    /// Variables: one value each, or a list with one for each player.
    pub vars: Vec<Plain>,
    /// Plies played.
    pub played: u32,
}

/// A ply as it was or could be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainAct {
    /// Its name, an index into the acts of the program.
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
    pub taken: Vec<Site>,
    /// Every site whose content changed.
    pub changed: Vec<Site>,
    /// Choices and marks, by binding.
    pub bound: Vec<(u16, Plain)>,
    /// Which of the bound values are choices of the mover.
    pub choices: Vec<u16>,
}

/// A recorded position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlainPast {
    /// The position.
    pub position: PlainPosition,
    /// The act that led to it.
    pub act: Option<PlainAct>,
    /// The clauses that decided it.
    pub clauses: Vec<u16>,
}

/// A state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlainState {
    /// What stands where, the turn, the variables.
    pub position: PlainPosition,
    /// The time of the latest ply or event in seconds, as a fraction; one without a denominator is zero.
    pub now: (i64, i64),
    /// How the game ended.
    pub ended: Option<Ending>,
    /// The recorded positions, the first one first; the present one is the last.
    pub past: Vec<PlainPast>,
    /// Tables of records, row by row; none stands for empty ones.
    pub tables: Vec<Vec<Vec<Plain>>>,
}

/// Texts by number: those of the program, then further ones.
pub(crate) struct Texts<'e> {
    known: &'e HashMap<String, u32>,
    more: Vec<String>,
}

impl<'e> Texts<'e> {
    pub(crate) fn new(known: &'e HashMap<String, u32>, more: Vec<String>) -> Self {
        Self { known, more }
    }

    pub(crate) fn into_more(self) -> Vec<String> {
        self.more
    }

    fn number(&mut self, text: &str) -> u32 {
        if let Some(at) = self.known.get(text) {
            return *at;
        }
        let at = self.more.iter().position(|known| known == text).unwrap_or_else(|| {
            self.more.push(text.to_owned());
            self.more.len() - 1
        });
        self.known.len() as u32 + at as u32
    }

    /// A value as an engine knows it.
    pub(crate) fn value<L: Layout>(&mut self, engine: &Engine<L>, value: &Plain) -> Val<L::Set> {
        let program = engine.program();
        let inside = |site: &Site| usize::from(*site) < program.board.len();
        match value {
            Plain::Nothing => Val::Nothing,
            Plain::Truth(truth) => Val::Truth(*truth),
            Plain::Number(numerator, denominator) => {
                let number = Num::fraction((*numerator).into(), (*denominator).into());
                number.map_or(Val::Nothing, Val::Number)
            }
            Plain::Text(text) => Val::Text(self.number(text)),
            Plain::Player(player) if usize::from(*player) < program.players.len() => Val::Player(*player),
            Plain::Kind(kind) if usize::from(*kind) < program.kinds.len() => Val::Kind(*kind),
            Plain::Player(_) | Plain::Kind(_) => Val::Nothing,
            Plain::Site(site) => Val::site(Some(*site).filter(inside)),
            Plain::Sites(sites) => Val::Sites(collect(sites.iter().copied().filter(inside))),
            Plain::List(values) => Val::list(values.iter().map(|value| self.value(engine, value)).collect()),
            Plain::Row(table, row) => Val::Row(*table, *row),
            Plain::Outcome(outcome) => Val::Outcome(*outcome),
        }
    }

    fn act<L: Layout>(&mut self, engine: &Engine<L>, act: &PlainAct) -> Act<L> {
        Act {
            name: act.name,
            actor: act.actor,
            from: act.from,
            to: act.to,
            piece: act.piece,
            taken: collect(act.taken.iter().copied()),
            changed: collect(act.changed.iter().copied()),
            bound: act.bound.iter().map(|(at, value)| (*at, self.value(engine, value))).collect(),
            choices: act.choices.iter().copied().collect(),
        }
    }
}

impl<L: Layout> Engine<L> {
    pub(crate) fn act_of(&self, act: &PlainAct, texts: &mut Texts<'_>) -> Act<L> {
        texts.act(self, act)
    }

    fn position_of(&self, plain: &PlainPosition, texts: &mut Texts<'_>) -> Outcomes<Position<L>> {
        let mut position = Position::<L>::empty();
        let program = self.program();
        let players = program.players.len();
        for (site, cell) in plain.cells.iter().enumerate().take(program.board.len()) {
            let known = cell.filter(|(kind, owner)| {
                usize::from(*kind) < program.kinds.len() && usize::from(*owner) < players
            });
            if let Some((kind, owner)) = known {
                *position.kinds.slot(usize::from(kind)) |= L::Set::one(site as Site);
                *position.owners.slot(usize::from(owner)) |= L::Set::one(site as Site);
            }
        }
        position.mover = if usize::from(plain.mover) < players { plain.mover } else { 0 };
        position.played = plain.played;
        for (at, var) in program.vars.iter().enumerate() {
            self.reset(&mut position, at as u16);
            let values = match plain.vars.get(at) {
                Some(Plain::List(values)) if !var.each.is_empty() => values.as_slice(),
                Some(value) => std::slice::from_ref(value),
                None => &[],
            };
            for (value, slot) in values.iter().take(var.count.into()).zip(usize::from(var.slot)..) {
                let value = texts.value(self, value);
                if var.ty == Type::Sites {
                    *position.sets.slot(slot) = value.as_sites();
                } else {
                    *position.nums.slot(slot) = value.packed(var.ty).ok_or(NUMBER)?;
                }
            }
        }
        Ok(position)
    }

    /// A state as this engine knows it.
    pub(crate) fn state_of(&self, plain: &PlainState, known: &HashMap<String, u32>) -> Outcomes<State<L>> {
        let mut texts = Texts::new(known, Vec::new());
        let mut history = History::default();
        for past in &plain.past {
            history.push(Past {
                position: self.position_of(&past.position, &mut texts)?,
                act: past.act.as_ref().map(|act| texts.act(self, act)),
                clauses: past.clauses.iter().copied().collect(),
            });
        }
        let position = self.position_of(&plain.position, &mut texts)?;
        let row = |row: &Vec<Plain>, texts: &mut Texts<'_>| -> Vec<Val<L::Set>> {
            row.iter().map(|value| texts.value(self, value)).collect()
        };
        let tables = (0..self.program().tables.len())
            .map(|at| plain.tables.get(at).map_or(&[][..], Vec::as_slice))
            .map(|rows| rows.iter().map(|fields| row(fields, &mut texts)).collect())
            .collect();
        let tables = Arc::new(Tables { rows: tables, texts: texts.into_more() });
        let (numerator, denominator) = plain.now;
        let now = Num::fraction(numerator.into(), denominator.into()).unwrap_or(Num::ZERO);
        Ok(State { position, now, ended: plain.ended.clone(), history, tables })
    }

    pub(crate) fn plain_value(&self, value: &Val<L::Set>, tables: &Tables<L>) -> Plain {
        match value {
            Val::Nothing => Plain::Nothing,
            Val::Truth(truth) => Plain::Truth(*truth),
            Val::Number(number) => {
                let (numerator, denominator) = number.parts();
                Plain::Number(numerator, denominator)
            }
            Val::Text(at) => {
                let texts = &self.program().texts;
                let more = || tables.texts.get((*at as usize).checked_sub(texts.len())?);
                Plain::Text(texts.get(*at as usize).or_else(more).cloned().unwrap_or_default())
            }
            Val::Player(player) => Plain::Player(*player),
            Val::Kind(kind) => Plain::Kind(*kind),
            Val::Site(site) => Plain::Site(*site),
            Val::Sites(sites) => Plain::Sites(sites.sites().collect()),
            Val::List(values) => {
                Plain::List(values.iter().map(|value| self.plain_value(value, tables)).collect())
            }
            Val::Row(table, row) => Plain::Row(*table, *row),
            Val::Outcome(outcome) => Plain::Outcome(*outcome),
        }
    }

    pub(crate) fn plain_act(&self, act: &Act<L>, tables: &Tables<L>) -> PlainAct {
        PlainAct {
            name: act.name,
            actor: act.actor,
            from: act.from,
            to: act.to,
            piece: act.piece,
            taken: act.taken.sites().collect(),
            changed: act.changed.sites().collect(),
            bound: act.bound.iter().map(|(at, value)| (*at, self.plain_value(value, tables))).collect(),
            choices: act.choices.iter().copied().collect(),
        }
    }

    pub(crate) fn plain_position(&self, position: &Position<L>, tables: &Tables<L>) -> PlainPosition {
        let scene = Scene::of(position, self.bare_ground(tables));
        let var = |at: usize| self.plain_value(&self.read(&scene, at as u16, None), tables);
        PlainPosition {
            cells: (0..self.program().board.len()).map(|site| position.cell(site as Site)).collect(),
            mover: position.mover,
            vars: (0..self.program().vars.len()).map(var).collect(),
            played: position.played,
        }
    }

    pub(crate) fn plain_state(&self, state: &State<L>) -> PlainState {
        let tables = &state.tables;
        let past = |past: &Past<L>| PlainPast {
            position: self.plain_position(&past.position, tables),
            act: past.act.as_ref().map(|act| self.plain_act(act, tables)),
            clauses: past.clauses.iter().copied().collect(),
        };
        let row = |row: &Vec<Val<L::Set>>| row.iter().map(|value| self.plain_value(value, tables)).collect();
        PlainState {
            position: self.plain_position(&state.position, tables),
            now: state.now.parts(),
            ended: state.ended.clone(),
            past: state.history.entries().iter().map(past).collect(),
            tables: tables.rows.iter().map(|rows| rows.iter().map(row).collect()).collect(),
        }
    }
}
