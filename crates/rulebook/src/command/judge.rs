//! `judge`: a record replayed, act by act, and what the rules say about its end.
//!
//! Invariant: every game of a record is judged, whatever is wrong with the others; a replay stops at the
//! first line that the rules refuse. What a record claims is told beside what the rules say, and neither
//! is made to fit the other.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use rulebook::Engine;
use rulebook::notation::replay::{Agreement, Script, Start, Stop};
use rulebook::notation::sgf::terms::Term;
use rulebook::notation::sgf::write;
use rulebook::notation::{clocked, pgn, replay, sgf};
use rulebook::syntax::{Diagnostic, Source, Span};

use super::{Answer, Given, Language, clocked_game, engine, record};
use crate::failure::Failure;
use crate::out::Out;

mod brief;
mod drawing;
mod many;
mod report;

/// Arguments of `judge`.
#[derive(Args)]
pub(super) struct Arguments {
    /// A rule file, or the id of a built-in rule set.
    file: String,
    /// The record: `.pgn`, `.sgf`, or a text with one act or event a line.
    game: String,
    /// Draw the board after every act.
    #[arg(long)]
    board: bool,
    /// One line for each game, without its course; records that are written plainly are read fast.
    #[arg(long, conflicts_with = "board")]
    brief: bool,
    /// Which line of a record in SGF is judged, counted from one as they end in the text.
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    variation: u32,
    /// Write the games, as far as the rules go along, as a record in SGF.
    #[arg(long, value_name = "FILE", conflicts_with = "brief")]
    to_sgf: Option<PathBuf>,
    #[command(flatten)]
    language: Language,
}

/// A game that was judged.
struct Judged {
    engine: Engine,
    script: Script,
    /// The parameters that the record sets.
    terms: Vec<(String, String)>,
    replay: replay::Replay,
    agreement: Agreement,
    /// What would end the game as the record says, if the rules have not ended it.
    causes: Vec<replay::Cause>,
}

impl Judged {
    /// The game as a record in SGF.
    fn sgf(&self) -> Result<String, Failure> {
        let sheet = write::sheet(&self.engine, &self.script, &self.replay);
        let written = write::write(self.engine.rules(), &self.replay.start, &sheet);
        written.map_err(|reason| Failure::new("the game cannot be written as SGF").help(reason))
    }

    fn answer(&self) -> Answer {
        match (&self.replay.stop, self.agreement) {
            (Some(Stop::Unreadable { .. }), _) => Answer::Bad,
            (Some(Stop::Refused { .. }), _) | (None, Agreement::Different) => Answer::No,
            (None, _) => Answer::Good,
        }
    }
}

/// Runs `judge`.
pub(super) fn run(arguments: &Arguments, given: &Given, out: &mut Out) -> Result<Answer, Failure> {
    let lang = arguments.language.get();
    let engine = engine(&arguments.file, given)?;
    let (source, assumed) = record(&arguments.game, pgn::MAX_TEXT)?;
    let name = source.name.to_lowercase();
    if arguments.variation > 1 && !name.ends_with(".sgf") {
        return Err(Failure::new("only records in SGF have lines to choose from"));
    }
    let mut written = String::new();
    let mut report = report::Report::new(&engine.rules().id);
    let mut briefly = brief::Report::new(&engine.rules().id);
    let mut answer = Answer::Good;
    let mut take = |game: Result<Judged, Failure>, out: &mut Out| {
        let this = match &game {
            Ok(judged) => judged.answer(),
            Err(_) => Answer::Bad,
        };
        answer = answer.max(this);
        let game = match (game, &arguments.to_sgf) {
            (Ok(judged), Some(_)) => match judged.sgf() {
                Ok(text) => {
                    written.push_str(&text);
                    Ok(judged)
                }
                Err(failure) => {
                    answer = Answer::Bad;
                    Err(failure)
                }
            },
            (game, _) => game,
        };
        match game {
            Ok(judged) if arguments.brief => briefly.judged(&judged, &source, lang, out),
            Err(failure) if arguments.brief => briefly.failed(failure, out),
            Ok(judged) if out.is_json() => report.push(&judged, &source),
            Ok(judged) => drawing::draw(&judged, &source, lang, arguments.board, out),
            Err(failure) if out.is_json() => report.fail(&failure),
            Err(failure) => failure.report(out),
        }
    };
    let mut number = 0;
    if name.ends_with(".pgn") && arguments.brief {
        return many::judge(&engine, arguments, given, &source, briefly, out);
    }
    if name.ends_with(".pgn") {
        for game in pgn::games(&source) {
            number += 1;
            separate(number, arguments, out);
            let game = game.map_err(|error| Failure::new("the game cannot be read").at(vec![error]));
            take(game.and_then(|game| pgn_game(&engine, arguments, given, &source, &game)), out);
        }
    } else if name.ends_with(".sgf") {
        let records = sgf::parse_line(&source, arguments.variation as usize)
            .map_err(|errors| Failure::new("the record cannot be read").at(errors))?;
        let mut assumed = Some(assumed);
        for record in &records {
            number += 1;
            separate(number, arguments, out);
            let assumed = assumed.take().unwrap_or_default();
            take(sgf_game(&engine, arguments, given, &source, record, assumed), out);
        }
    } else {
        number = 1;
        take(judge(engine.clone(), &source, replay::from_lines(&source), Vec::new()), out);
    }
    if number == 0 {
        return Err(Failure::new(format!("there is no game in `{}`", arguments.game)));
    }
    if let Some(path) = arguments.to_sgf.as_ref().filter(|_| !written.is_empty()) {
        let unwritable = |error| Failure::new(format!("`{}` cannot be written: {error}", path.display()));
        rulebook::compiled::write(path, written.as_bytes()).map_err(unwritable)?;
    }
    if out.is_json() && arguments.brief {
        out.document(&briefly);
    } else if out.is_json() {
        out.document(&report);
    }
    Ok(answer)
}

fn separate(number: usize, arguments: &Arguments, out: &mut Out) {
    if number > 1 && !out.is_json() && !arguments.brief {
        out.line("");
        out.line("─".repeat(40));
    }
}

fn pgn_game(
    engine: &Engine,
    arguments: &Arguments,
    given: &Given,
    source: &Arc<Source>,
    game: &pgn::Game,
) -> Result<Judged, Failure> {
    if !clocked::applies(engine.rules(), game) {
        return judge(engine.clone(), source, replay::from_pgn(engine.rules(), game), Vec::new());
    }
    let (engine, script, terms) = clocked_game(engine, &arguments.file, given, source, game)?;
    judge(engine, source, script, terms)
}

fn sgf_game(
    engine: &Engine,
    arguments: &Arguments,
    given: &Given,
    source: &Arc<Source>,
    record: &sgf::Record,
    assumed: Vec<Diagnostic>,
) -> Result<Judged, Failure> {
    let opened = rulebook::sgf::open_for(&arguments.file, given, engine.rules(), record, source)?;
    let engine = opened.engine;
    let mut script = replay::from_sgf(engine.rules(), record, source).map_err(Failure::new)?;
    script.repairs = assumed.into_iter().chain(script.repairs).chain(opened.repairs).collect();
    script.repairs.sort_by_key(|repair| repair.labels.first().map(|label| label.span));
    judge(engine, source, script, opened.terms.iter().map(Term::given).collect())
}

fn judge(
    engine: Engine,
    source: &Arc<Source>,
    script: Script,
    terms: Vec<(String, String)>,
) -> Result<Judged, Failure> {
    let rules = Arc::clone(engine.rules());
    let fault = |fault| Failure::fault(&rules, &fault);
    let start = replay::start(&engine, &script).map_err(|error| {
        let Start::Position(text, span) = &script.start else { return Failure::new(error.message) };
        let span = within(source, *span, text, error.start, error.end);
        let place = Diagnostic::error("", source, span, error.message);
        Failure::new("the position at the start cannot be read").at(vec![place])
    })?;
    let replay = replay::replay(&engine, start, &script.lines).map_err(fault)?;
    let agreement = match &replay.stop {
        None => replay::compare(&rules, script.claim.as_ref(), replay.end()),
        Some(_) => Agreement::NoClaim,
    };
    let outcome = script.claim.as_ref().and_then(|claim| claim.outcome);
    let causes = match outcome.filter(|_| agreement == Agreement::Open) {
        Some(outcome) => replay::causes(&engine, replay.end(), outcome).map_err(fault)?,
        None => Vec::new(),
    };
    Ok(Judged { engine, script, terms, replay, agreement, causes })
}

/// A range of a text that stands at a span of the source; the whole span if it is not written there as is.
fn within(source: &Source, span: Span, text: &str, start: usize, end: usize) -> Span {
    if source.text.get(span.start..span.end) == Some(text) {
        Span::new(span.start + start, span.start + end)
    } else {
        span
    }
}
