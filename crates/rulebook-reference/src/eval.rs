//! The value of a term in a situation.
//!
//! Invariant: evaluation changes nothing and always ends: terms have no recursion, collections are
//! finite, and every step burns fuel. What has no value (a number out of range) is a fault, not a guess.

use std::cell::Cell as Counter;
use std::collections::{HashSet, VecDeque};

use rulebook_model::ruleset::{Builtin, Cell, Choice, Code, Context, Features, RuleSet, Term};
use rulebook_model::{Number, Outcome, Site, Sites, Value};
use rulebook_syntax::ast::{Binary, Fold, Quantifier};

use crate::engine::Ply;
use crate::state::{Act, State};

/// Why a situation has no verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A number left the range of 64 bits, or was divided by zero.
    Number,
    /// A question needed more work than is allowed.
    TooMuchWork,
    /// Clauses give different results at once, and none goes before the others.
    Conflict(Vec<u16>),
    /// A fault of one clause, by its id.
    Clause(String, Box<Fault>),
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Clause(id, fault) => return write!(f, "clause `{id}`: {fault}"),
            Self::Number => "a number left its range, or was divided by zero",
            Self::TooMuchWork => "this question needs more work than is allowed",
            Self::Conflict(_) => "two clauses decide differently, and none goes before the other",
        })
    }
}

impl std::error::Error for Fault {}

/// The result of a computation that may have no value.
pub type Outcomes<T> = Result<T, Fault>;

/// Steps of evaluation allowed for one question about a position.
pub const FUEL: u64 = 50_000_000;

/// Steps of evaluation allowed for one ranking or list: a question about a whole event.
pub const TABLE_FUEL: u64 = 5_000_000_000;

/// Most acts that one question may bring forth.
pub(crate) const MAX_ACTS: usize = 100_000;

/// What terms refer to besides the state.
#[derive(Clone, Copy, Default)]
pub(crate) struct Situation<'a> {
    pub(crate) mover: u8,
    pub(crate) actor: u8,
    pub(crate) act: Option<&'a Act>,
    /// The walking pattern: where it is, what it took, its marks.
    pub(crate) walk: Option<&'a crate::walk::Walker>,
    /// A site that counts as empty while its piece walks.
    pub(crate) lifted: Option<Site>,
    /// A piece that is imagined on a site.
    pub(crate) phantom: Option<(Site, Cell)>,
    /// Whether the ply at hand can be answered, where a ban asks.
    pub(crate) answerable: bool,
    pub(crate) tied: Option<&'a [Value]>,
    /// Local names around a pattern that stands in an expression; its tests may use them.
    pub(crate) frame: &'a [Value],
}

/// Evaluates terms in one state.
pub(crate) struct Evaluator<'a> {
    pub(crate) rules: &'a RuleSet,
    pub(crate) engine: &'a crate::Engine,
    pub(crate) state: &'a State,
    pub(crate) fuel: &'a Counter<u64>,
}

pub(crate) fn as_sites(value: &Value) -> Sites {
    match value {
        Value::Sites(sites) => **sites,
        Value::Site(site) => Sites::one(*site),
        Value::List(values) => values.iter().fold(Sites::EMPTY, |set, value| set.union(&as_sites(value))),
        _ => Sites::EMPTY,
    }
}

fn members(value: Value) -> Vec<Value> {
    match value {
        Value::Sites(sites) => sites.iter().map(Value::Site).collect(),
        Value::List(values) => values,
        Value::Site(site) => vec![Value::Site(site)],
        _ => Vec::new(),
    }
}

fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Sites(_), _) | (_, Value::Sites(_)) => as_sites(a) == as_sites(b),
        _ => a == b,
    }
}

impl<'a> Evaluator<'a> {
    pub(crate) fn burn(&self, steps: u64) -> Outcomes<()> {
        let left = self.fuel.get().checked_sub(steps).ok_or(Fault::TooMuchWork)?;
        self.fuel.set(left);
        Ok(())
    }

    pub(crate) fn cell(&self, site: Site, situation: &Situation<'_>) -> Cell {
        match (situation.phantom, situation.lifted) {
            (Some((at, cell)), _) if at == site => cell,
            (_, Some(at)) if at == site => Cell::EMPTY,
            _ => self.state.cell(site),
        }
    }

    fn filter(&self, situation: &Situation<'_>, keep: impl Fn(Cell) -> bool) -> Sites {
        (0..self.state.cells.len() as Site).filter(|site| keep(self.cell(*site, situation))).collect()
    }

    pub(crate) fn run(&self, code: &Code, situation: &Situation<'_>) -> Outcomes<Value> {
        let mut slots = vec![Value::Nothing; usize::from(code.slots)];
        self.eval(&code.term, situation, &mut slots)
    }

    /// A test of a pattern.
    pub(crate) fn test(&self, code: &Code, situation: &Situation<'_>) -> Outcomes<bool> {
        let mut slots = situation.frame.to_vec();
        slots.resize(slots.len().max(usize::from(code.slots)), Value::Nothing);
        Ok(self.eval(&code.term, situation, &mut slots)? == Value::Truth(true))
    }

    pub(crate) fn run_with(&self, code: &Code, first: Value, situation: &Situation<'_>) -> Outcomes<Value> {
        let mut slots = vec![Value::Nothing; usize::from(code.slots).max(1)];
        if let Some(slot) = slots.first_mut() {
            *slot = first;
        }
        self.eval(&code.term, situation, &mut slots)
    }

    /// With values for the first local names.
    pub(crate) fn run_all(&self, code: &Code, first: &[Value], situation: &Situation<'_>) -> Outcomes<Value> {
        let mut slots = first.to_vec();
        slots.resize(slots.len().max(usize::from(code.slots)), Value::Nothing);
        self.eval(&code.term, situation, &mut slots)
    }

    pub(crate) fn truth(&self, code: &Code, situation: &Situation<'_>) -> Outcomes<bool> {
        Ok(self.run(code, situation)? == Value::Truth(true))
    }

    /// Whether a clause applies: its condition holds and its exception does not.
    pub(crate) fn applies(
        &self,
        when: Option<&Code>,
        unless: Option<&Code>,
        situation: &Situation<'_>,
    ) -> Outcomes<bool> {
        Ok(when.map_or(Ok(true), |code| self.truth(code, situation))?
            && !unless.map_or(Ok(false), |code| self.truth(code, situation))?)
    }

    /// Whether each thing that an event comes with is a member of its collection.
    pub(crate) fn admits(&self, choices: &[Choice], situation: &Situation<'_>) -> Outcomes<bool> {
        for choice in choices {
            let Some(given) = situation.act.and_then(|act| act.value(choice.binding)) else {
                return Ok(false);
            };
            if !members(self.run(&choice.domain, situation)?).contains(given) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn holds(&self, term: &Term, situation: &Situation<'_>, slots: &mut Vec<Value>) -> Outcomes<bool> {
        Ok(self.eval(term, situation, slots)? == Value::Truth(true))
    }

    fn eval(&self, term: &Term, situation: &Situation<'_>, slots: &mut Vec<Value>) -> Outcomes<Value> {
        self.burn(1)?;
        Ok(match term {
            Term::Const(value) => value.clone(),
            Term::Slot(slot) => slots.get(usize::from(*slot)).cloned().unwrap_or(Value::Nothing),
            Term::Bound(binding) => {
                situation.act.and_then(|act| act.value(*binding)).cloned().unwrap_or(Value::Nothing)
            }
            Term::Mark(mark) => {
                situation.walk.and_then(|walk| walk.mark(*mark)).map_or(Value::Nothing, Value::Site)
            }
            Term::Context(context) => self.context(*context, situation)?,
            Term::Var(var, index) => {
                let value = self.state.vars.get(usize::from(*var));
                if index.is_empty() {
                    return Ok(value.cloned().unwrap_or(Value::Nothing));
                }
                let members: Outcomes<Vec<Value>> =
                    index.iter().map(|member| self.eval(member, situation, slots)).collect();
                let place = self.place(*var, &members?);
                match (place, value) {
                    (Some(place), Some(Value::List(values))) => {
                        values.get(place).cloned().unwrap_or(Value::Nothing)
                    }
                    _ => Value::Nothing,
                }
            }
            Term::Call(builtin, arguments) => {
                let values: Outcomes<Vec<Value>> =
                    arguments.iter().map(|argument| self.eval(argument, situation, slots)).collect();
                self.call(*builtin, values?, situation)?
            }
            Term::Apply(body, arguments) => {
                let mut frame = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    frame.push(self.eval(argument, situation, slots)?);
                }
                let Some(body) = self.rules.bodies.get(usize::from(*body)) else { return Ok(Value::Nothing) };
                let code = match (body.codes.len(), frame.first()) {
                    (0, _) => None,
                    (1, _) => body.codes.first(),
                    (_, Some(Value::Player(player))) => body.codes.get(usize::from(*player)),
                    _ => None,
                };
                let Some(code) = code else { return Ok(Value::Nothing) };
                frame.resize(frame.len().max(usize::from(code.slots)), Value::Nothing);
                self.eval(&code.term, situation, &mut frame)?
            }
            Term::Able(act, before, after, most) => {
                let conditions = [before.as_deref(), after.as_deref()];
                Value::Truth(match most {
                    Some(most) => self.is_reachable(*act, conditions, *most, situation, slots)?,
                    None => self.is_able(*act, conditions, situation, slots)?,
                })
            }
            Term::Last(act) => {
                let last = self.state.past.as_ref().and_then(|past| past.act.as_ref());
                Value::Truth(last.is_some_and(|last| last.name == *act))
            }
            Term::Times(features) => Value::whole(self.times(*features)?),
            Term::Rows(table) => {
                let rows = self.state.tables.get(usize::from(*table)).map_or(0, Vec::len);
                Value::List((0..rows as u32).map(|row| Value::Row(*table, row)).collect())
            }
            Term::Field(row, field) => match self.eval(row, situation, slots)? {
                Value::Row(table, row) => self.field(table, row, *field),
                _ => Value::Nothing,
            },
            Term::List(terms, set) => {
                let values: Outcomes<Vec<Value>> =
                    terms.iter().map(|term| self.eval(term, situation, slots)).collect();
                let list = Value::List(values?);
                if *set { Value::sites(as_sites(&list)) } else { list }
            }
            Term::Not(inner) => Value::Truth(!self.holds(inner, situation, slots)?),
            Term::Minus(inner) => match self.eval(inner, situation, slots)? {
                Value::Number(number) => Value::Number(number.negate().ok_or(Fault::Number)?),
                _ => Value::Nothing,
            },
            Term::Binary(Binary::And, a, b) => {
                Value::Truth(self.holds(a, situation, slots)? && self.holds(b, situation, slots)?)
            }
            Term::Binary(Binary::Or, a, b) => {
                Value::Truth(self.holds(a, situation, slots)? || self.holds(b, situation, slots)?)
            }
            Term::Binary(operator, a, b) => {
                let (a, b) = (self.eval(a, situation, slots)?, self.eval(b, situation, slots)?);
                binary(*operator, a, b)?
            }
            Term::IsEmpty(inner) => Value::Truth(match self.eval(inner, situation, slots)? {
                Value::Sites(sites) => sites.is_empty(),
                Value::List(values) => values.is_empty(),
                Value::Site(_) => false,
                _ => true,
            }),
            Term::If(condition, yes, no) => {
                let branch = if self.holds(condition, situation, slots)? { yes } else { no };
                self.eval(branch, situation, slots)?
            }
            Term::Quantified(quantifier, slot, domain, body) => {
                let wanted = *quantifier != Quantifier::All;
                let mut found = false;
                for member in members(self.eval(domain, situation, slots)?) {
                    set(slots, *slot, member);
                    if self.holds(body, situation, slots)? == wanted {
                        found = true;
                        break;
                    }
                }
                Value::Truth(found == (*quantifier == Quantifier::Any))
            }
            Term::Filtered(slot, domain, body) => {
                let domain = self.eval(domain, situation, slots)?;
                let as_set = matches!(domain, Value::Sites(_) | Value::Site(_));
                let mut kept = Vec::new();
                for member in members(domain) {
                    set(slots, *slot, member.clone());
                    if self.holds(body, situation, slots)? {
                        kept.push(member);
                    }
                }
                let kept = Value::List(kept);
                if as_set { Value::sites(as_sites(&kept)) } else { kept }
            }
            Term::Folded(fold, slot, parts) => {
                let [body, domain, condition] = &**parts;
                let mut values = Vec::new();
                for member in members(self.eval(domain, situation, slots)?) {
                    set(slots, *slot, member);
                    if self.holds(condition, situation, slots)? {
                        values.push(self.eval(body, situation, slots)?);
                    }
                }
                folded(*fold, values)?
            }
            Term::Traced(origin, path) => match self.eval(origin, situation, slots)? {
                Value::Site(site) => {
                    let inner = Situation { frame: &slots[..], ..*situation };
                    let ends = self.walk(path, site, &inner)?;
                    Value::sites(ends.iter().fold(Sites::EMPTY, |set, end| set.union(&end.taken)))
                }
                _ => Value::sites(Sites::EMPTY),
            },
        })
    }

    /// Whether there is a legal ply of a name for which conditions hold: one on the ply, one on the position
    /// after it. What the event at hand came with keeps its meaning in them.
    fn is_able(
        &self,
        act: Option<u16>,
        conditions: [Option<&Term>; 2],
        situation: &Situation<'_>,
        slots: &mut Vec<Value>,
    ) -> Outcomes<bool> {
        if conditions == [None, None] {
            return self.engine.is_able(self.state, act, self.fuel);
        }
        for ply in self.engine.generate(self.state, act, false, self.fuel)?.legal {
            if self.leads(ply, conditions, situation, slots)?.1 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Where a ply leads if the first condition holds for it, and whether the second one then holds, too.
    fn leads(
        &self,
        mut ply: Ply,
        [before, after]: [Option<&Term>; 2],
        situation: &Situation<'_>,
        slots: &mut Vec<Value>,
    ) -> Outcomes<(Option<State>, bool)> {
        let around = situation.act.map_or(&[][..], |act| &act.bound);
        ply.act.bound.splice(0..0, around.iter().cloned());
        let mover = self.state.mover;
        let at_hand = Situation { mover, actor: mover, act: Some(&ply.act), ..Situation::default() };
        if let Some(before) = before
            && !self.holds(before, &at_hand, slots)?
        {
            return Ok((None, false));
        }
        let Some(after) = after else { return Ok((Some(ply.next), true)) };
        let later = Evaluator { state: &ply.next, ..*self };
        let holds = later.holds(after, &Situation { mover: ply.next.mover, ..at_hand }, slots)?;
        Ok((Some(ply.next), holds))
    }

    /// Whether a sequence of plies, each of them of that name and with the first condition, leads to a position
    /// in which the second one holds. After so many positions without an end of the search it is so: it has not
    /// been excluded. Each position stands for itself, without what was played before.
    fn is_reachable(
        &self,
        act: Option<u16>,
        conditions: [Option<&Term>; 2],
        most: u32,
        situation: &Situation<'_>,
        slots: &mut Vec<Value>,
    ) -> Outcomes<bool> {
        let same = |state: &State| {
            let lasting = self.rules.identity.iter().chain(&self.rules.fleeting);
            let vars: Vec<Value> =
                lasting.filter_map(|var| state.vars.get(usize::from(*var)).cloned()).collect();
            (state.cells.clone(), state.mover, vars)
        };
        let mut first = self.state.clone();
        first.past = None;
        let mut seen = HashSet::from([same(&first)]);
        let mut waiting = VecDeque::from([first]);
        while let Some(state) = waiting.pop_front() {
            // A search may take as much for each position as another question does for one.
            self.fuel.set(self.fuel.get().max(FUEL));
            let here = Evaluator { state: &state, ..*self };
            for ply in self.engine.generate(&state, act, false, self.fuel)?.legal {
                let (next, found) = here.leads(ply, conditions, situation, slots)?;
                if found {
                    return Ok(true);
                }
                let Some(mut next) = next else { continue };
                next.past = None;
                if seen.insert(same(&next)) {
                    if seen.len() > most as usize {
                        return Ok(true);
                    }
                    waiting.push_back(next);
                }
            }
        }
        Ok(false)
    }

    /// The place of one value of a variable that has several.
    pub(crate) fn place(&self, var: u16, members: &[Value]) -> Option<usize> {
        let var = self.rules.vars.get(usize::from(var))?;
        self.rules.place(&var.each, members)
    }

    pub(crate) fn field(&self, table: u16, row: u32, field: u16) -> Value {
        let rows = self.state.tables.get(usize::from(table));
        let row = rows.and_then(|rows| rows.get(row as usize));
        row.and_then(|row| row.get(usize::from(field))).cloned().unwrap_or(Value::Nothing)
    }

    fn context(&self, context: Context, situation: &Situation<'_>) -> Outcomes<Value> {
        let site = |site: Option<Site>| site.map_or(Value::Nothing, Value::Site);
        let act = situation.act;
        let here = situation.walk.map(|walk| walk.here);
        let cell =
            |situation: &Situation<'_>| here.map(|site| self.cell(site, situation)).unwrap_or_default();
        Ok(match context {
            Context::Mover => Value::Player(situation.mover),
            Context::Actor => Value::Player(situation.actor),
            Context::From => site(act.and_then(|act| act.from)),
            Context::To => site(act.and_then(|act| act.to)),
            Context::Piece => act.and_then(|act| act.piece).map_or(Value::Nothing, Value::Kind),
            Context::Taken => {
                let walked = situation.walk.map(|walk| walk.taken);
                Value::sites(walked.or(act.map(|act| act.taken)).unwrap_or_default())
            }
            Context::Changed => Value::sites(act.map(|act| act.changed).unwrap_or_default()),
            Context::Here => site(here),
            Context::Empty => Value::Truth(here.is_some() && cell(situation).is_empty()),
            Context::Enemy => {
                Value::Truth(cell(situation).owner().is_some_and(|owner| owner != situation.mover))
            }
            Context::Own => Value::Truth(cell(situation).owner() == Some(situation.mover)),
            Context::Played => Value::whole(self.state.played as usize),
            Context::Now => Value::Number(self.state.now),
            Context::Tied => Value::List(situation.tied.unwrap_or(&[]).to_vec()),
            Context::Answerable => Value::Truth(situation.answerable),
            Context::Stuck => Value::Truth(!self.engine.has_ply(self.state, self.fuel)?),
        })
    }

    /// How often a position like the present one has been recorded.
    fn times(&self, features: Features) -> Outcomes<usize> {
        let mut count = 0;
        for past in self.state.history() {
            self.burn(1)?;
            // After a ply has been played and before it is complete, the turn is still the mover's;
            // the position to compare is the one with the next player to move.
            let mover = self.engine.upcoming(self.state);
            if past.cells != self.state.cells || (features.turn && past.mover != mover) {
                continue;
            }
            if !features.identity || self.engine.same_position(self.state, past, self.fuel)? {
                count += 1;
            }
        }
        Ok(count)
    }

    fn call(&self, builtin: Builtin, values: Vec<Value>, situation: &Situation<'_>) -> Outcomes<Value> {
        let board = &self.rules.board;
        let mut values = values.into_iter();
        let mut next = || values.next().unwrap_or(Value::Nothing);
        Ok(match builtin {
            Builtin::Empties => Value::sites(self.filter(situation, Cell::is_empty)),
            Builtin::Occupied => Value::sites(self.filter(situation, |cell| !cell.is_empty())),
            Builtin::AllSites => Value::sites(Sites::first(board.len())),
            Builtin::Owned => match next() {
                Value::Player(player) => {
                    Value::sites(self.filter(situation, |cell| cell.owner() == Some(player)))
                }
                _ => Value::sites(Sites::EMPTY),
            },
            Builtin::Pieces => match (next(), next()) {
                (Value::Kind(kind), Value::Player(player)) => {
                    Value::sites(self.filter(situation, |cell| cell == Cell::piece(kind, player)))
                }
                _ => Value::sites(Sites::EMPTY),
            },
            Builtin::Kind => match next() {
                Value::Site(site) => self.cell(site, situation).kind().map_or(Value::Nothing, Value::Kind),
                _ => Value::Nothing,
            },
            Builtin::Owner => match next() {
                Value::Site(site) => self.cell(site, situation).owner().map_or(Value::Nothing, Value::Player),
                _ => Value::Nothing,
            },
            Builtin::Was | Builtin::WasOwner => match next() {
                Value::Site(site) => {
                    // The last recorded position is the one in which the ply began.
                    let past = self.state.past.as_ref().and_then(|past| past.cells.get(usize::from(site)));
                    let cell = past.copied().unwrap_or_default();
                    if builtin == Builtin::Was {
                        cell.kind().map_or(Value::Nothing, Value::Kind)
                    } else {
                        cell.owner().map_or(Value::Nothing, Value::Player)
                    }
                }
                _ => Value::Nothing,
            },
            Builtin::Owners => {
                let owners = as_sites(&next()).iter().filter_map(|site| self.cell(site, situation).owner());
                let mut owners: Vec<u8> = owners.collect();
                owners.sort_unstable();
                owners.dedup();
                Value::List(owners.into_iter().map(Value::Player).collect())
            }
            Builtin::Kinds => {
                let kinds = as_sites(&next()).iter().filter_map(|site| self.cell(site, situation).kind());
                let mut kinds: Vec<u8> = kinds.collect();
                kinds.sort_unstable();
                kinds.dedup();
                Value::List(kinds.into_iter().map(Value::Kind).collect())
            }
            Builtin::File | Builtin::Rank => match next() {
                Value::Site(site) if builtin == Builtin::File => Value::whole(board.file(site).into()),
                Value::Site(site) => Value::whole(board.rank(site).into()),
                _ => Value::Nothing,
            },
            Builtin::At => match (next(), next()) {
                (Value::Number(file), Value::Number(rank)) => {
                    let site =
                        file.to_whole().zip(rank.to_whole()).and_then(|(file, rank)| board.at(file, rank));
                    site.map_or(Value::Nothing, Value::Site)
                }
                _ => Value::Nothing,
            },
            Builtin::Ranks | Builtin::Files => {
                let wanted: Vec<Value> = values.collect();
                let on = |site: &Site| {
                    let line = if builtin == Builtin::Ranks { board.rank(*site) } else { board.file(*site) };
                    wanted.contains(&Value::whole(line.into()))
                };
                Value::sites((0..board.len() as Site).filter(on).collect())
            }
            Builtin::Neighbours => Value::sites(board.neighbours(&as_sites(&next()))),
            Builtin::Connected => {
                let (seeds, within) = (as_sites(&next()), as_sites(&next()));
                Value::sites(board.connected(&seeds, &within))
            }
            Builtin::Groups => {
                let groups = board.groups(&as_sites(&next()));
                self.burn(groups.len() as u64)?;
                Value::List(groups.into_iter().map(Value::sites).collect())
            }
            Builtin::Between => match (next(), next()) {
                (Value::Site(a), Value::Site(b)) => Value::sites(board.between(a, b)),
                _ => Value::sites(Sites::EMPTY),
            },
            Builtin::Count => Value::whole(match next() {
                Value::Sites(sites) => sites.len(),
                Value::List(values) => values.len(),
                Value::Site(_) => 1,
                _ => 0,
            }),
            Builtin::Only => match &members(next())[..] {
                [member] => member.clone(),
                _ => Value::Nothing,
            },
            Builtin::Attacked | Builtin::Attackers => {
                let (targets, player) = (as_sites(&next()), next());
                let Value::Player(player) = player else { return Ok(Value::Nothing) };
                let all = builtin == Builtin::Attackers;
                let attackers = self.attackers(&targets, player, all)?;
                if all { Value::sites(attackers) } else { Value::Truth(!attackers.is_empty()) }
            }
            Builtin::Restores => match next() {
                Value::Number(number) => {
                    let back = number
                        .to_whole()
                        .and_then(|n| usize::try_from(n).ok())
                        .and_then(|n| n.checked_sub(1));
                    let past = back.and_then(|back| self.state.history().nth(back));
                    Value::Truth(past.is_some_and(|past| past.cells == self.state.cells))
                }
                _ => Value::Truth(false),
            },
            Builtin::Next => match next() {
                Value::Player(player) => Value::Player(self.rules.next_player(player)),
                _ => Value::Nothing,
            },
            Builtin::Players => Value::List((0..self.rules.players.len() as u8).map(Value::Player).collect()),
            Builtin::Win | Builtin::Lose => match next() {
                Value::Player(player) if builtin == Builtin::Win => Value::Outcome(Outcome::Win(player)),
                Value::Player(player) => Value::Outcome(Outcome::Lose(player)),
                _ => Value::Nothing,
            },
            Builtin::Draw => Value::Outcome(Outcome::Draw),
            Builtin::Void => Value::Outcome(Outcome::Void),
            Builtin::AllLose => Value::Outcome(Outcome::AllLose),
            Builtin::Plies | Builtin::Moves => match next() {
                Value::Number(number) => {
                    let players = Number::whole(self.rules.players.len().max(1) as i64);
                    let converted = if builtin == Builtin::Plies {
                        number.times(players)
                    } else {
                        number.over(players).map(Number::floor)
                    };
                    Value::Number(converted.ok_or(Fault::Number)?)
                }
                _ => Value::Nothing,
            },
            Builtin::Min | Builtin::Max => match (next(), next()) {
                (Value::Number(a), Value::Number(b)) if builtin == Builtin::Min => Value::Number(a.min(b)),
                (Value::Number(a), Value::Number(b)) => Value::Number(a.max(b)),
                _ => Value::Nothing,
            },
            Builtin::Abs => match next() {
                Value::Number(number) if number < Number::ZERO => {
                    Value::Number(number.negate().ok_or(Fault::Number)?)
                }
                value => value,
            },
            Builtin::Floor => match next() {
                Value::Number(number) => Value::Number(number.floor()),
                value => value,
            },
        })
    }
}

fn set(slots: &mut Vec<Value>, slot: u16, value: Value) {
    let at = usize::from(slot);
    if slots.len() <= at {
        slots.resize(at + 1, Value::Nothing);
    }
    if let Some(slot) = slots.get_mut(at) {
        *slot = value;
    }
}

fn binary(operator: Binary, a: Value, b: Value) -> Outcomes<Value> {
    let truth = |truth: bool| Ok(Value::Truth(truth));
    match operator {
        Binary::Eq => return truth(equal(&a, &b)),
        Binary::Ne => return truth(!equal(&a, &b)),
        Binary::In | Binary::NotIn => {
            let found = match &b {
                Value::Sites(sites) => matches!(a, Value::Site(site) if sites.contains(site)),
                Value::List(values) => values.iter().any(|value| equal(value, &a)),
                other => equal(other, &a) && a != Value::Nothing,
            };
            return truth(found == (operator == Binary::In));
        }
        _ => {}
    }
    if let (Value::Number(x), Value::Number(y)) = (&a, &b) {
        let number = match operator {
            Binary::Lt => return truth(x < y),
            Binary::Le => return truth(x <= y),
            Binary::Gt => return truth(x > y),
            Binary::Ge => return truth(x >= y),
            Binary::Range => return range(*x, *y),
            Binary::Plus => x.plus(*y),
            Binary::Less => x.minus(*y),
            Binary::Times => x.times(*y),
            Binary::Over => x.over(*y),
            Binary::Mod => x.modulo(*y),
            _ => None,
        };
        return number.map(Value::Number).ok_or(Fault::Number);
    }
    let sets = |value: &Value| matches!(value, Value::Sites(_) | Value::Site(_) | Value::Nothing);
    match (operator, a, b) {
        (Binary::Plus, Value::List(mut a), Value::List(b)) => {
            a.extend(b);
            Ok(Value::List(a))
        }
        (Binary::Plus, a, b) if sets(&a) => Ok(Value::sites(as_sites(&a).union(&as_sites(&b)))),
        (Binary::Less, a, b) if sets(&a) => Ok(Value::sites(as_sites(&a).difference(&as_sites(&b)))),
        (Binary::Both, a, b) => Ok(Value::sites(as_sites(&a).intersection(&as_sites(&b)))),
        // A comparison with what is not there never holds.
        (Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge, ..) => truth(false),
        _ => Ok(Value::Nothing),
    }
}

/// Longest list that a range makes.
pub(crate) const MAX_RANGE: i64 = 100_000;

fn range(from: Number, to: Number) -> Outcomes<Value> {
    let (Some(from), Some(to)) = (from.to_whole(), to.to_whole()) else { return Ok(Value::List(Vec::new())) };
    if to.saturating_sub(from) > MAX_RANGE {
        return Err(Fault::TooMuchWork);
    }
    Ok(Value::List((from..=to).map(|n| Value::Number(Number::whole(n))).collect()))
}

fn folded(fold: Fold, values: Vec<Value>) -> Outcomes<Value> {
    let numbers = |values: &[Value]| -> Vec<Number> {
        values
            .iter()
            .filter_map(|value| match value {
                Value::Number(number) => Some(*number),
                _ => None,
            })
            .collect()
    };
    Ok(match fold {
        Fold::Sum => {
            let mut sum = Number::ZERO;
            for number in numbers(&values) {
                sum = sum.plus(number).ok_or(Fault::Number)?;
            }
            Value::Number(sum)
        }
        Fold::Most => Value::Number(numbers(&values).into_iter().max().unwrap_or(Number::ZERO)),
        Fold::Least => Value::Number(numbers(&values).into_iter().min().unwrap_or(Number::ZERO)),
        Fold::Set => Value::sites(as_sites(&Value::List(values))),
        Fold::List => Value::List(values),
    })
}
