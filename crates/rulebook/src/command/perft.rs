//! `perft`: how many sequences of legal acts there are, by depth or by first act.

use clap::Args;
use rulebook::compiler::Passes;
use rulebook::machine::front::Machine;
use rulebook::machine::plain::{PlainPast, PlainPosition, PlainState};
use rulebook::machine::verify::verify;
use rulebook::notation::moves::write_unique;
use rulebook::notation::position::write_position;
use rulebook::{Engine, State};
use serde::Serialize;

use super::{Answer, Given, compiled_file, engine, position};
use crate::failure::Failure;
use crate::out::{Out, table};

/// The largest depth: no more can be counted in the life of a person.
const DEEPEST: i64 = 30;

/// Arguments of `perft`.
#[derive(Args)]
pub(super) struct Arguments {
    /// A rule file, or the id of a built-in rule set.
    file: String,
    /// How many acts in a row.
    #[arg(long, value_parser = clap::value_parser!(u32).range(0..=DEEPEST))]
    depth: u32,
    /// Where to start, in the notation of the rule set.
    #[arg(long)]
    position: Option<String>,
    /// Count for each first act.
    #[arg(long)]
    divide: bool,
    /// Which engine counts: the machine, or the plain interpreter that says what a rule set means.
    #[arg(long, value_enum, default_value_t)]
    engine: Which,
}

/// An engine that counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Which {
    /// The rule set is compiled first.
    #[default]
    Machine,
    /// The interpreter.
    Reference,
}

/// Counts sequences with one of the engines.
struct Counter<'e> {
    engine: &'e Engine,
    machine: Option<Machine>,
}

impl<'e> Counter<'e> {
    /// The machine, unless the interpreter is asked for or the rule set needs more room than the machine has.
    fn of(engine: &'e Engine, which: Which) -> Self {
        let machine = (which == Which::Machine).then(|| {
            let (program, _) = rulebook::compiler::compile(engine.rules(), Passes::all()).ok()?;
            Machine::new(verify(program).ok()?).ok()
        });
        Self { engine, machine: machine.flatten() }
    }

    fn count(&self, state: &State, depth: u32) -> Result<u64, Failure> {
        let Some(machine) = &self.machine else {
            return self
                .engine
                .perft(state, depth)
                .map_err(|fault| Failure::fault(self.engine.rules(), &fault));
        };
        let counted = machine.open(&plain(state)).and_then(|mut game| game.perft(depth));
        counted.map_err(|fault| Failure::new(format!("the rule set has no answer here: {fault}")))
    }
}

/// A state as the machine takes it; the positions before it are not looked at in counting.
fn plain(state: &State) -> PlainState {
    let cells = state.cells.iter().map(|cell| cell.kind().zip(cell.owner())).collect();
    let vars = state.vars.iter().map(rulebook::compiler::plain).collect();
    let position = PlainPosition { cells, mover: state.mover, vars, played: state.played };
    let past = vec![PlainPast { position: position.clone(), act: None, clauses: Vec::new() }];
    PlainState { position, past, ..PlainState::default() }
}

/// The JSON answer of `perft`.
#[derive(Serialize)]
struct Report {
    /// The id of the rule set.
    rules: String,
    /// Where counting starts.
    position: String,
    /// How many acts in a row.
    depth: u32,
    /// How many sequences there are.
    count: u64,
    /// With `--divide`: how many begin with each act.
    divide: Option<Vec<Share>>,
}

/// How many sequences begin with an act.
#[derive(Serialize)]
struct Share {
    /// The act.
    act: String,
    /// How many there are.
    count: u64,
}

/// Runs `perft`.
pub(super) fn run(arguments: &Arguments, given: &Given, out: &mut Out) -> Result<Answer, Failure> {
    if let Some((_, machine)) = compiled_file(&arguments.file)? {
        return compiled(arguments, &machine, out);
    }
    let engine = engine(&arguments.file, given)?;
    let rules = engine.rules();
    let fault = |fault| Failure::fault(rules, &fault);
    let counter = Counter::of(&engine, arguments.engine);
    let state = position(&engine, arguments.position.as_deref())?;
    let mut report = Report {
        rules: rules.id.clone(),
        position: write_position(rules, &state),
        depth: arguments.depth,
        count: 0,
        divide: None,
    };
    if arguments.divide && arguments.depth > 0 {
        let mut shares = Vec::new();
        // A state that is won is not continued, and counting from above says whether it is.
        if counter.count(&state, 1)? > 0 {
            let plies = engine.plies(&state).map_err(fault)?;
            for ply in &plies.legal {
                let count = counter.count(&ply.next, arguments.depth - 1)?;
                shares.push(Share { act: write_unique(rules, &ply.act, &plies), count });
            }
        }
        shares.sort_by(|a, b| a.act.cmp(&b.act));
        report.count = shares.iter().map(|share| share.count).sum();
        if !out.is_json() {
            let mut rows = table(&["act", "count"]);
            for share in &shares {
                rows.add_row([share.act.clone(), share.count.to_string()]);
            }
            rows.add_row(["all".to_owned(), report.count.to_string()]);
            align(&mut rows, 1);
            out.table(&rows);
        }
        report.divide = Some(shares);
    } else {
        let mut rows = table(&["depth", "count"]);
        // People watch the numbers grow; programs want the last one only.
        let from = if out.is_json() { arguments.depth } else { 1.min(arguments.depth) };
        for depth in from..=arguments.depth {
            report.count = counter.count(&state, depth)?;
            rows.add_row([depth.to_string(), report.count.to_string()]);
        }
        if !out.is_json() {
            align(&mut rows, 0);
            align(&mut rows, 1);
            out.table(&rows);
        }
    }
    if out.is_json() {
        out.document(&report);
    }
    Ok(Answer::Good)
}

/// The same for a compiled file, which knows no notation.
fn compiled(arguments: &Arguments, machine: &Machine, out: &mut Out) -> Result<Answer, Failure> {
    if arguments.position.is_some() || arguments.divide {
        return Err(Failure::new("a compiled file knows no notation of positions and acts")
            .help("ask the rule file, or count from the first position"));
    }
    let id = machine.program().id.clone();
    let mut game = machine.first();
    let fault = |fault| Failure::new(format!("the rule set `{id}` has no answer here: {fault}"));
    game.settle().map_err(fault)?;
    let mut rows = table(&["depth", "count"]);
    let mut count = 0;
    let from = if out.is_json() { arguments.depth } else { 1.min(arguments.depth) };
    for depth in from..=arguments.depth {
        count = game.perft(depth).map_err(fault)?;
        rows.add_row([depth.to_string(), count.to_string()]);
    }
    if out.is_json() {
        let (position, depth) = (String::new(), arguments.depth);
        out.document(&Report { rules: id.clone(), position, depth, count, divide: None });
    } else {
        align(&mut rows, 0);
        align(&mut rows, 1);
        out.table(&rows);
    }
    Ok(Answer::Good)
}

/// Numbers stand at the right of their column.
pub(super) fn align(table: &mut comfy_table::Table, column: usize) {
    if let Some(column) = table.column_mut(column) {
        column.set_cell_alignment(comfy_table::CellAlignment::Right);
    }
}
