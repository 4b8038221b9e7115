//! The reference interpreter and the machine as engines under test.
//!
//! Invariant: what is answered is what the engine says, in the contract's words; nothing is corrected on the
//! way. A rule set is checked once for each set of parameters, however many cases use it.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use rulebook_model::library::Library;
use rulebook_model::types::Type;
use rulebook_model::{Number, RuleSet, Site, Sites, Value};
use rulebook_notation::{Judge, lines, moves, position};
use rulebook_pairing::Pairer;
use rulebook_reference::{Engine, Outcomes, State, Verdict};

use crate::driver::{Answer, Driver, Loaded, Question, Refused, Script, Step};
use crate::scenario::{Cell, Row};

mod bridge;
mod search;

pub use bridge::Bridge;

/// The engines that are asked, the first one first.
type Made = Result<Vec<Arc<dyn Judge>>, Refused>;
type Key = (String, Vec<(String, String)>);

/// The engines there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The reference interpreter.
    Reference,
    /// The machine.
    Machine,
    /// Both of them: where their answers differ, the difference is the answer.
    Both,
}

/// An engine over a folder of rule files.
pub struct Engines {
    library: Library,
    kind: Kind,
    made: Mutex<HashMap<Key, Made>>,
}

impl Engines {
    /// An engine over the rule files of a folder, and over no others if it has a prelude.
    pub fn at(kind: Kind, rules: impl Into<PathBuf>) -> Self {
        Self { library: Library::at(rules), kind, made: Mutex::new(HashMap::new()) }
    }

    /// An engine over the rule files of a library.
    pub fn over(kind: Kind, library: Library) -> Self {
        Self { library, kind, made: Mutex::new(HashMap::new()) }
    }

    fn make(&self, rules: &str, params: &[(String, String)]) -> Made {
        let Some(checked) = self.library.check(rules, params) else { return Err(Refused::Unknown) };
        if let Some(rules) = checked.rules {
            let rules = Arc::new(rules);
            let mut made: Vec<Arc<dyn Judge>> = Vec::new();
            if self.kind != Kind::Machine {
                made.push(Arc::new(Engine::new(Arc::clone(&rules))));
            }
            if self.kind != Kind::Reference {
                made.push(Arc::new(Bridge::new(rules).map_err(Refused::Unsupported)?));
            }
            return Ok(made);
        }
        let first = checked.diagnostics.iter().find(|found| found.severity == ERROR);
        let Some(found) = first else { return Err(Refused::Error("the rule set cannot be used".into())) };
        let place = found.labels.first().map(|label| {
            let (line, column) = label.source.line_column(label.span.start);
            format!("{}:{line}:{column}: ", label.source.name)
        });
        Err(Refused::Error(format!("{}{} [{}]", place.unwrap_or_default(), found.message, found.code)))
    }
}

const ERROR: rulebook_syntax::Severity = rulebook_syntax::Severity::Error;

impl Driver for Engines {
    fn name(&self) -> &str {
        match self.kind {
            Kind::Reference => "reference interpreter",
            Kind::Machine => "machine",
            Kind::Both => "reference interpreter and machine",
        }
    }

    fn load(&self, rules: &str, params: &[(String, String)]) -> Result<Box<dyn Loaded>, Refused> {
        let key = (rules.to_owned(), params.to_vec());
        let known = self.made.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        let made = known.unwrap_or_else(|| {
            let made = self.make(rules, params);
            self.made.lock().unwrap_or_else(PoisonError::into_inner).insert(key, made.clone());
            made
        });
        Ok(Box::new(Several(made?.into_iter().map(Ready).collect())))
    }
}

/// A rule set with its engines.
struct Several(Vec<Ready>);

impl Loaded for Several {
    fn answer(&self, script: &Script) -> Vec<Answer> {
        let mut all = self.0.iter().map(|ready| ready.answer(script));
        let Some(mut answers) = all.next() else { return Vec::new() };
        for others in all {
            for (answer, other) in answers.iter_mut().zip(others) {
                if *answer != other {
                    *answer = Answer::Error(format!("the engines differ: {answer:?} and {other:?}"));
                }
            }
        }
        answers
    }
}

/// A rule set with its engine.
struct Ready(Arc<dyn Judge>);

impl Loaded for Ready {
    fn answer(&self, script: &Script) -> Vec<Answer> {
        let mut state = match self.start(script) {
            Ok(state) => state,
            Err(message) => return vec![Answer::Error(message); script.steps.len()],
        };
        let mut answers = Vec::with_capacity(script.steps.len());
        for step in &script.steps {
            answers.push(match step {
                Step::Do(line) => {
                    let (answer, next) = self.line(&state, line);
                    if let Some(next) = next {
                        state = next;
                    }
                    answer
                }
                Step::Ask(question) => self.ask(&state, question),
            });
        }
        answers
    }
}

impl Ready {
    fn rules(&self) -> &RuleSet {
        self.0.rules()
    }

    fn start(&self, script: &Script) -> Result<State, String> {
        let mut state = match &script.position {
            Some(text) => position::read_position(self.rules(), text)
                .map_err(|error| format!("the position cannot be read: {error}"))?,
            None => self.0.first(),
        };
        if !script.tables.is_empty() {
            state.tables = Arc::new(self.tables(&script.tables)?);
        }
        self.0.settle(&mut state).map_err(|fault| fault.to_string())?;
        Ok(state)
    }

    fn clauses(&self, numbers: &[u16]) -> Vec<String> {
        let named = numbers.iter().filter_map(|at| self.rules().clauses.get(usize::from(*at)));
        named.map(|clause| clause.id.clone()).collect()
    }

    fn line(&self, state: &State, line: &str) -> (Answer, Option<State>) {
        match lines::play(&*self.0, state, line).map(|done| done.verdict) {
            Ok(Verdict::Done { next, clauses }) => {
                let clauses = self.clauses(&clauses);
                (Answer::Verdict { accepted: true, reason: String::new(), clauses }, Some(*next))
            }
            Ok(Verdict::Refused { reason, clauses }) => {
                let (reason, clauses) = (reason.name().to_owned(), self.clauses(&clauses));
                (Answer::Verdict { accepted: false, reason, clauses }, None)
            }
            Err(error) => (Answer::Error(error.to_string()), None),
        }
    }

    fn ask(&self, state: &State, question: &Question) -> Answer {
        let answer = match question {
            Question::Would(line) => return self.line(state, line).0,
            Question::State => Ok(Answer::Text(position::write_position(self.rules(), state))),
            Question::Picture => Ok(Answer::Text(position::picture(self.rules(), state))),
            Question::Status => Ok(self.status(state)),
            Question::Moves => self.moves(state),
            Question::Closed => self.closed(state),
            Question::Perft(depth) => {
                // The question is about acts, and an ending that only counts plies does not stop them.
                let mut state = state.clone();
                state.ended = None;
                self.0.perft(&state, *depth).map(Answer::Count)
            }
            Question::Games => self.0.games(state).map(Answer::Count),
            Question::Steps(name) => search::steps(&*self.0, state, name),
            Question::Fillings(name) => search::fillings(&*self.0, state, name),
            Question::Value(name, arguments) => self.value(state, name, arguments),
            Question::Standings => self.standings(state),
            Question::List(name) => self.list(state, name),
            Question::Pairing(round) => return self.pairing(state, *round),
        };
        answer.unwrap_or_else(|fault| Answer::Error(fault.to_string()))
    }

    fn status(&self, state: &State) -> Answer {
        match &state.ended {
            None => Answer::Status { ended: None, clauses: Vec::new() },
            Some(ending) => Answer::Status {
                ended: Some(self.rules().show_outcome(ending.outcome)),
                clauses: self.clauses(&ending.clauses),
            },
        }
    }

    fn moves(&self, state: &State) -> Outcomes<Answer> {
        if state.ended.is_some() {
            return Ok(Answer::Acts(Vec::new()));
        }
        let plies = self.0.plies(state)?;
        let text = |ply: &rulebook_reference::Ply| moves::write_unique(self.rules(), &ply.act, &plies);
        Ok(Answer::Acts(plies.legal.iter().map(text).collect()))
    }

    fn closed(&self, state: &State) -> Outcomes<Answer> {
        let plies = self.0.plies(state)?;
        let mut open = Sites::EMPTY;
        for ply in plies.legal.iter().filter(|ply| ply.act.from.is_none()) {
            for choice in &ply.act.choices {
                if let Some(Value::Site(site)) = ply.act.value(*choice) {
                    open.insert(*site);
                }
            }
        }
        let sites = 0..state.cells.len() as Site;
        let closed = sites.filter(|site| state.cell(*site).is_empty() && !open.contains(*site));
        Ok(Answer::Acts(closed.map(|site| self.rules().board.name(site)).collect()))
    }

    fn value(&self, state: &State, name: &str, arguments: &[Cell]) -> Outcomes<Answer> {
        let arguments: Result<Vec<Value>, String> =
            arguments.iter().map(|argument| self.argument(state, argument)).collect();
        let arguments = match arguments {
            Ok(arguments) => arguments,
            Err(message) => return Ok(Answer::Error(message)),
        };
        Ok(match self.0.define(state, name, arguments)? {
            None => Answer::Error(format!("there is no definition `{name}` with such arguments in use")),
            Some(value) => self.shown(&value),
        })
    }

    fn shown(&self, value: &Value) -> Answer {
        let rules = self.rules();
        match value {
            Value::Sites(sites) => Answer::Values {
                ordered: false,
                values: sites.iter().map(|site| rules.board.name(site)).collect(),
            },
            Value::List(values) => Answer::Values {
                ordered: true,
                values: values.iter().map(|value| rules.show(value)).collect(),
            },
            value => Answer::Value(rules.show(value)),
        }
    }

    fn standings(&self, state: &State) -> Outcomes<Answer> {
        let name = |row: u32| self.key(state, 0, row as usize).unwrap_or_else(|| (row + 1).to_string());
        let groups = self.0.rank(state)?;
        let groups = groups.iter().map(|group| group.iter().map(|ranked| name(ranked.row)).collect());
        Ok(Answer::Groups(groups.collect()))
    }

    fn list(&self, state: &State, name: &str) -> Outcomes<Answer> {
        let Some((_, rows)) = self.0.list(state, name)? else {
            return Ok(Answer::Error(format!("there is no list `{name}`")));
        };
        let shown = rows.iter().map(|row| row.iter().map(|value| self.cell(state, value)).collect());
        Ok(Answer::Rows(shown.collect()))
    }

    fn pairing(&self, state: &State, round: u32) -> Answer {
        let rules = self.rules();
        let settled = Pairer::new(rules)
            .and_then(|pairer| pairer.before(state, round).and_then(|before| pairer.pair(&before, round)));
        let settled = match settled {
            Ok(settled) => settled,
            Err(failure) => return Answer::Error(failure.to_string()),
        };
        let table = rules.pairing.as_ref().map_or(0, |section| section.entries);
        let name = |row: u32| self.key(state, table, row as usize).unwrap_or_else(|| (row + 1).to_string());
        let mut rows: Vec<Vec<String>> =
            settled.pairs.iter().map(|pair| pair.rows.map(name).to_vec()).collect();
        rows.extend(settled.alone.map(|row| vec![name(row), "-".to_owned()]));
        rows.sort();
        Answer::Rows(rows)
    }

    /// A value in a list: a row is named by its first field.
    fn cell(&self, state: &State, value: &Value) -> String {
        let named = match value {
            Value::Row(table, row) => self.key(state, *table, *row as usize),
            _ => None,
        };
        named.unwrap_or_else(|| self.rules().show(value))
    }

    /// The first field of a row.
    fn key(&self, state: &State, table: u16, row: usize) -> Option<String> {
        let value = state.tables.get(usize::from(table))?.get(row)?.first()?;
        Some(self.rules().show(value))
    }

    fn row(&self, state: &State, table: u16, key: &str) -> Option<Value> {
        let rows = state.tables.get(usize::from(table))?;
        let known =
            |at: &usize| self.key(state, table, *at).is_some_and(|k| crate::judge::same_value(&k, key));
        (0..rows.len()).find(known).map(|at| Value::Row(table, at as u32))
    }

    /// An argument of a definition: a number, a row of the first table, a player, a site, a kind, or a text.
    fn argument(&self, state: &State, cell: &Cell) -> Result<Value, String> {
        let rules = self.rules();
        Ok(match cell {
            Cell::Nothing => Value::Nothing,
            Cell::List(cells) => {
                let values: Result<Vec<Value>, String> =
                    cells.iter().map(|cell| self.argument(state, cell)).collect();
                let values = values?;
                let sites = values.iter().map(|value| match value {
                    Value::Site(site) => Some(*site),
                    _ => None,
                });
                match sites.collect::<Option<Sites>>() {
                    // Without a board there are no sites, so that an empty list is one of something else.
                    Some(sites) if !values.is_empty() || !rules.board.is_empty() => Value::sites(sites),
                    _ => Value::List(values),
                }
            }
            Cell::Row(table, key) => {
                let at = rules.tables.iter().position(|known| known.name == *table);
                let row = at.and_then(|at| self.row(state, at as u16, key));
                row.ok_or_else(|| format!("there is no row `{key}` in a table `{table}`"))?
            }
            Cell::Text(text) => {
                if let Some(number) = Number::parse(text) {
                    Value::Number(number)
                } else if text == "true" || text == "false" {
                    Value::Truth(text == "true")
                } else if let Some(row) = self.row(state, 0, text) {
                    row
                } else if let Some(player) = rules.player(text) {
                    Value::Player(player)
                } else if let Some(site) = rules.board.site(text) {
                    Value::Site(site)
                } else if let Some(kind) = rules.kinds.iter().position(|kind| kind == text) {
                    Value::Kind(kind as u8)
                } else {
                    Value::Text(text.clone())
                }
            }
        })
    }

    fn tables(&self, given: &[(String, Vec<Row>)]) -> Result<Vec<Vec<Vec<Value>>>, String> {
        let rules = self.rules();
        let mut tables: Vec<Vec<Vec<Value>>> = vec![Vec::new(); rules.tables.len()];
        let mut written: Vec<&[Row]> = vec![&[]; rules.tables.len()];
        for (name, rows) in given {
            let Some(at) = rules.tables.iter().position(|table| table.name == *name) else {
                return Err(format!("`{}` has no table `{name}`", rules.id));
            };
            if let Some(slot) = written.get_mut(at) {
                *slot = rows;
            }
        }
        for (at, table) in rules.tables.iter().enumerate() {
            for row in written.get(at).copied().unwrap_or_default() {
                let cells = spread(row, &table.fields, &table.name)?;
                let values: Result<Vec<Value>, String> = table
                    .fields
                    .iter()
                    .zip(cells)
                    .map(|((_, ty), cell)| field(rules, ty, cell.unwrap_or(&Cell::Nothing), &written))
                    .collect();
                let values = values.map_err(|message| format!("table `{}`: {message}", table.name))?;
                tables.get_mut(at).into_iter().for_each(|rows| rows.push(values.clone()));
            }
        }
        Ok(tables)
    }
}

/// The cells of a row in the order of the fields.
fn spread<'r>(row: &'r Row, fields: &[(String, Type)], table: &str) -> Result<Vec<Option<&'r Cell>>, String> {
    let mut cells = vec![None; fields.len()];
    match row {
        Row::Columns(given) if given.len() > fields.len() => {
            return Err(format!("a row of `{table}` has {} fields, not {}", fields.len(), given.len()));
        }
        Row::Columns(given) => cells.iter_mut().zip(given).for_each(|(slot, cell)| *slot = Some(cell)),
        Row::Fields(given) => {
            for (name, cell) in given {
                let at = fields.iter().position(|(known, _)| known == name);
                let slot = at.and_then(|at| cells.get_mut(at));
                *slot.ok_or_else(|| format!("`{table}` has no field `{name}`"))? = Some(cell);
            }
        }
    }
    Ok(cells)
}

/// A field of a row, by its type; a row of another table is named by that row's first field.
fn field(rules: &RuleSet, ty: &Type, cell: &Cell, written: &[&[Row]]) -> Result<Value, String> {
    let wrong = |what: &str| Err(format!("`{cell}` is not {what}"));
    let text = match (cell, ty) {
        (Cell::Nothing, _) => return Ok(Value::Nothing),
        (Cell::List(cells), Type::List(member)) => {
            let values: Result<Vec<Value>, String> =
                cells.iter().map(|cell| field(rules, member, cell, written)).collect();
            return Ok(Value::List(values?));
        }
        (Cell::Text(text), _) => text,
        _ => return wrong("a single value"),
    };
    match ty {
        Type::Number(_) => Number::parse(text).map_or_else(|| wrong("a number"), |n| Ok(Value::Number(n))),
        Type::Truth if text == "true" || text == "false" => Ok(Value::Truth(text == "true")),
        Type::Truth => wrong("true or false"),
        Type::Player => rules.player(text).map_or_else(|| wrong("a player"), |p| Ok(Value::Player(p))),
        Type::Site => rules.board.site(text).map_or_else(|| wrong("a site"), |s| Ok(Value::Site(s))),
        Type::Row(table) => {
            let rows = written.get(usize::from(*table)).copied().unwrap_or_default();
            let fields = rules.tables.get(usize::from(*table)).map_or(&[][..], |table| &table.fields[..]);
            let first = |row: &Row| {
                let cells = spread(row, fields, "").unwrap_or_default();
                cells.first().copied().flatten().map(Cell::to_string)
            };
            let at = rows
                .iter()
                .position(|row| first(row).is_some_and(|key| crate::judge::same_value(&key, text)));
            at.map_or_else(|| wrong("the first field of a row"), |at| Ok(Value::Row(*table, at as u32)))
        }
        _ => Ok(Value::Text(text.clone())),
    }
}
