//! The commands and their arguments; one file each under `command/`.
//!
//! Invariant: a command reads its input, asks the library, and writes one answer; what it says about the
//! input that cannot be used is a `Failure`.

use clap::{Args, Parser, Subcommand};
use rulebook::machine::file::Outline;
use rulebook::machine::front::Machine;
use rulebook::model::library;
use rulebook::syntax::{Diagnostic, Source, Span, codes};
use rulebook::trf::ReportError;
use rulebook::{Engine, Lang, RuleSet, State, notation, tables};
use std::path::Path;
use std::sync::Arc;

use crate::describe::Tongue;
use crate::failure::Failure;
use crate::out::Out;

mod check;
mod compare;
mod compile;
mod convert;
mod emit_rust;
mod explain;
mod explore;
mod gtp;
mod inspect;
mod judge;
mod list;
mod moves;
mod pair;
mod perft;
mod plan;
mod rank;
mod show;
mod simulate;

/// Checks, explains and applies regulations of games and tournaments that are written as data.
#[derive(Parser)]
#[command(name = "rulebook", version, max_term_width = 100)]
pub(crate) struct Cli {
    /// Answer with one JSON document on standard output.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Another value for a parameter of the rule set; may be repeated.
    #[arg(long, global = true, value_name = "NAME=VALUE", value_parser = given)]
    pub(crate) given: Vec<(String, String)>,
    /// What to do.
    #[command(subcommand)]
    verb: Verb,
}

/// What to do.
#[derive(Subcommand)]
enum Verb {
    /// Tell everything that is wrong or doubtful in rule files.
    Check(check::Arguments),
    /// Explain a code of a diagnostic, or a clause.
    Explain(explain::Arguments),
    /// Try what players and the arbiter may do, and tell what cannot be right about a rule set.
    Explore(explore::Arguments),
    /// Show what is in force after layering: parameters, state, acts, clauses.
    Show(show::Arguments),
    /// Count sequences of legal acts.
    Perft(perft::Arguments),
    /// Show the legal acts of a position.
    Moves(moves::Arguments),
    /// Replay a record and tell what the rules say about it.
    Judge(judge::Arguments),
    /// Referee games for a controller that speaks the Go Text Protocol on standard input and output.
    Gtp(gtp::Arguments),
    /// Write a record in PGN as a text with one act or event a line, clock times included.
    Convert(convert::Arguments),
    /// Judge one record under several rule sets, side by side.
    Compare(compare::Arguments),
    /// Pair a round of a competition, or check how rounds were paired.
    Pair(pair::Arguments),
    /// Rank the entries of a table.
    Rank(rank::Arguments),
    /// Simulate a tournament by lot, paired by the rule set, and write its report.
    Simulate(simulate::Arguments),
    /// Show a list that the rule set makes.
    List(list::Arguments),
    /// Compile a rule set into one file that other programs load.
    Compile(compile::Arguments),
    /// Write a rule set as a Rust module that other programs are built with.
    EmitRust(emit_rust::Arguments),
    /// Show what a compiled file holds.
    Inspect(inspect::Arguments),
    /// Tell clause by clause how a rule set runs when it is compiled, and why.
    Plan(plan::Arguments),
}

/// The language of the answer.
#[derive(Args)]
struct Language {
    /// The language of titles and sentences.
    #[arg(long, value_enum, default_value_t)]
    lang: Tongue,
}

impl Language {
    fn get(&self) -> Lang {
        self.lang.into()
    }
}

/// What kind of answer was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Answer {
    /// All is well.
    Good,
    /// The rules say no.
    No,
    /// Some of the input cannot be used.
    Bad,
}

impl Answer {
    /// The exit code.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Good => 0,
            Self::No => 1,
            Self::Bad => 2,
        }
    }
}

/// Runs a command.
pub(crate) fn run(cli: &Cli, out: &mut Out) -> Result<Answer, Failure> {
    match &cli.verb {
        Verb::Check(arguments) => check::run(arguments, &cli.given, out),
        Verb::Explain(arguments) => explain::run(arguments, &cli.given, out),
        Verb::Explore(arguments) => explore::run(arguments, &cli.given, out),
        Verb::Show(arguments) => show::run(arguments, &cli.given, out),
        Verb::Perft(arguments) => perft::run(arguments, &cli.given, out),
        Verb::Moves(arguments) => moves::run(arguments, &cli.given, out),
        Verb::Judge(arguments) => judge::run(arguments, &cli.given, out),
        Verb::Gtp(arguments) => gtp::run(arguments, &cli.given, out),
        Verb::Convert(arguments) => convert::run(arguments, &cli.given, out),
        Verb::Compare(arguments) => compare::run(arguments, &cli.given, out),
        Verb::Pair(arguments) => pair::run(arguments, &cli.given, out),
        Verb::Rank(arguments) => rank::run(arguments, &cli.given, out),
        Verb::Simulate(arguments) => simulate::run(arguments, &cli.given, out),
        Verb::List(arguments) => list::run(arguments, &cli.given, out),
        Verb::Compile(arguments) => compile::run(arguments, &cli.given, out),
        Verb::EmitRust(arguments) => emit_rust::run(arguments, &cli.given, out),
        Verb::Inspect(arguments) => inspect::run(arguments, out),
        Verb::Plan(arguments) => plan::run(arguments, &cli.given, out),
    }
}

/// Values of parameters by name.
type Given = [(String, String)];

fn given(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("write a parameter as `name=value`".to_owned()),
    }
}

/// The engine of a rule file.
fn engine(file: &str, given: &Given) -> Result<Engine, Failure> {
    Ok(Engine::new(Arc::new(rulebook::open(file, given)?)))
}

/// An engine, what a record comes to under it, and the terms that the record sets.
type Clocked = (Engine, notation::replay::Script, Vec<(String, String)>);

/// The script of a record with clock times, with the engine and the terms that the record asks for.
fn clocked_game(
    engine: &Engine,
    file: &str,
    given: &Given,
    source: &Arc<Source>,
    game: &notation::pgn::Game,
) -> Result<Clocked, Failure> {
    let wrong = |error| Failure::new("the clock times of the game cannot be used").at(vec![error]);
    let mut terms = notation::clocked::terms(engine.rules(), source, game).map_err(wrong)?;
    // What the caller says goes before what the record says.
    terms.retain(|(name, _)| given.iter().all(|(known, _)| known != name));
    let engine = if terms.is_empty() {
        engine.clone()
    } else {
        let given: Vec<(String, String)> = given.iter().chain(&terms).cloned().collect();
        self::engine(file, &given)?
    };
    let script = notation::clocked::script(&engine, source, game).map_err(wrong)?;
    Ok((engine, script, terms))
}

/// A compiled file, if the name is that of one.
fn compiled_file(file: &str) -> Result<Option<(Outline, Machine)>, Failure> {
    let path = Path::new(file);
    if !path.is_file() {
        return Ok(None);
    }
    let wrong = |error: String| Failure::new(format!("`{file}` cannot be read: {error}"));
    match rulebook::compiled::bytes(path).map_err(|error| wrong(error.to_string()))? {
        None => Ok(None),
        Some(bytes) => rulebook::compiled::load(&bytes).map(Some).map_err(|error| wrong(error.to_string())),
    }
}

/// A position from a text, or the first one; endings are looked at.
fn position(engine: &Engine, text: Option<&str>) -> Result<State, Failure> {
    let rules = engine.rules();
    let mut state = match text {
        None => engine.first(),
        Some(text) => notation::position::read_position(rules, text).map_err(|error| {
            let source = Source::new("the position", text);
            let place = Diagnostic::error("", &source, Span::new(error.start, error.end), error.message);
            Failure::new("the position cannot be read").at(vec![place])
        })?,
    };
    engine.settle(&mut state).map_err(|fault| Failure::fault(rules, &fault))?;
    Ok(state)
}

/// The text of a record or table, which may be larger than a rule file.
fn text(file: &str, largest: usize) -> Result<Arc<Source>, Failure> {
    let unreadable = |reason: String| Failure::new(format!("`{file}` cannot be read: {reason}"));
    let path = Path::new(file);
    let about = std::fs::metadata(path).map_err(|error| unreadable(error.to_string()))?;
    if about.is_dir() {
        return Err(unreadable("it is a folder".into()));
    }
    if about.len() > largest as u64 {
        return Err(unreadable(format!("it has {} bytes; at most {largest} are read", about.len())));
    }
    if about.len() <= library::MAX_FILE {
        return library::read(path).map_err(|error| unreadable(error.to_string()));
    }
    let text = std::fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
    Ok(Source::new(file, text))
}

/// The text of a game record: one in SGF may be written in another character set, and what was assumed about
/// that comes with it.
fn record(file: &str, largest: usize) -> Result<(Arc<Source>, Vec<Diagnostic>), Failure> {
    if !file.to_lowercase().ends_with(".sgf") {
        return Ok((text(file, largest)?, Vec::new()));
    }
    let unreadable = |error: std::io::Error| Failure::new(format!("`{file}` cannot be read: {error}"));
    rulebook::sgf::read(Path::new(file)).map_err(unreadable)
}

/// A rule set with tables from a file.
struct Tables {
    /// The engine, with the terms that a report sets.
    engine: Engine,
    /// The tables.
    state: State,
    /// The terms that a report sets.
    terms: Vec<(String, String)>,
    /// What was assumed or left out.
    repairs: Vec<Diagnostic>,
}

/// The tables of a file: YAML, lines of values, or a report of a tournament.
fn tables(file: &str, table: &str, given: &Given) -> Result<Tables, Failure> {
    let engine = engine(file, given)?;
    let misfit = |id: &str| format!("`{table}` does not fit the tables of `{id}`");
    let unreadable = |error: std::io::Error| Failure::new(format!("`{table}` cannot be read: {error}"));
    let (read, mut repairs) = rulebook::trf::read(Path::new(table)).map_err(unreadable)?;
    if !rulebook::trf::is_report(table, &read.text) {
        let source = text(table, tables::MAX_TEXT)?;
        let state = tables::read(engine.rules(), &source)
            .map_err(|faults| Failure::new(misfit(&engine.rules().id)).at(faults))?;
        return Ok(Tables { engine, state, terms: Vec::new(), repairs: Vec::new() });
    }
    let opened =
        rulebook::trf::open_for(file, given, engine.rules(), &read).map_err(|error| match error {
            ReportError::Rules(error) => error.into(),
            ReportError::Report(faults) if faults.iter().any(|fault| fault.code == codes::FILE_SHAPE) => {
                Failure::new(misfit(&engine.rules().id)).at(faults)
            }
            ReportError::Report(faults) => {
                Failure::new(format!("`{table}` cannot be read as the report of a tournament")).at(faults)
            }
        })?;
    repairs.extend(opened.repairs);
    let terms = opened.terms.iter().map(notation::sgf::terms::Term::given).collect();
    Ok(Tables { engine: opened.engine, state: opened.state, terms, repairs })
}

/// The value of an entry's first field: what people call it.
fn row_name(rules: &RuleSet, state: &State, table: u16, row: u32) -> String {
    let fields = state.tables.get(usize::from(table)).and_then(|rows| rows.get(row as usize));
    match fields.and_then(|fields| fields.first()) {
        Some(rulebook::Value::Row(other, _)) if *other == table => format!("{}", row + 1),
        Some(value) => cell(rules, state, value),
        None => format!("{}", row + 1),
    }
}

/// A value of a table for people; rows are named.
fn cell(rules: &RuleSet, state: &State, value: &rulebook::Value) -> String {
    use rulebook::Value;
    match value {
        Value::Nothing => "-".into(),
        Value::Row(table, row) => row_name(rules, state, *table, *row),
        Value::Number(number) => decimal(*number),
        Value::List(values) => {
            let texts: Vec<String> = values.iter().map(|value| cell(rules, state, value)).collect();
            texts.join(", ")
        }
        value => crate::describe::show(rules, value),
    }
}

/// A number as a decimal, rounded to four places where it has more.
fn decimal(number: rulebook::Number) -> String {
    let text = number.to_string();
    if !text.contains('/') {
        return text;
    }
    let (numerator, denominator) = number.to_parts();
    let text = format!("{:.4}", numerator as f64 / denominator as f64);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
