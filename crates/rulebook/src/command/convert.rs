//! `convert`: a record in PGN as a text with one act or event a line, which `judge` reads.
//!
//! Invariant: every game of the record is converted, whatever is wrong with the others; what a record shows and the
//! rules do not give is told as a comment.

use clap::Args;
use rulebook::Engine;
use rulebook::notation::pgn;
use rulebook::notation::replay::{Script, Start};
use rulebook::syntax::Source;
use serde::Serialize;
use std::sync::Arc;

use super::{Answer, Given, clocked_game, engine, text};
use crate::failure::{Body, Failure};
use crate::out::Out;

/// Arguments of `convert`.
#[derive(Args)]
pub(super) struct Arguments {
    /// The record, in PGN.
    game: String,
    /// A rule file, or the id of a built-in rule set.
    #[arg(long, value_name = "RULES")]
    rules: String,
    /// Only the game with this number, from one.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    number: Option<u32>,
}

/// The JSON answer of `convert`.
#[derive(Serialize)]
struct Report {
    /// The id of the rule set.
    rules: String,
    /// The games of the record, in order.
    games: Vec<Game>,
}

/// A game: an error, or its lines.
#[derive(Serialize)]
#[serde(untagged)]
enum Game {
    /// It cannot be read.
    Failed {
        /// Why.
        error: Body,
    },
    /// It was converted.
    Lines(Lines),
}

/// A converted game.
#[derive(Serialize)]
struct Lines {
    /// What the record says about itself: names and values in its order.
    tags: Vec<(String, String)>,
    /// The parameters that the record sets.
    terms: Vec<(String, String)>,
    /// What the record shows and the rules do not give, and what was left out.
    warnings: Vec<String>,
    /// The position at the start, if the record has one.
    position: Option<String>,
    /// What happens, line by line.
    lines: Vec<String>,
}

/// Runs `convert`.
pub(super) fn run(arguments: &Arguments, given: &Given, out: &mut Out) -> Result<Answer, Failure> {
    let engine = engine(&arguments.rules, given)?;
    let source = text(&arguments.game, pgn::MAX_TEXT)?;
    let mut report = Report { rules: engine.rules().id.clone(), games: Vec::new() };
    let mut answer = Answer::Good;
    let mut found = 0_usize;
    for (number, game) in (1_u32..).zip(pgn::games(&source)) {
        if arguments.number.is_some_and(|wanted| wanted != number) {
            continue;
        }
        found += 1;
        let game = game.map_err(|error| Failure::new("the game cannot be read").at(vec![error]));
        match game.and_then(|game| lines(&engine, arguments, given, &source, &game)) {
            Ok(lines) if out.is_json() => report.games.push(Game::Lines(lines)),
            Ok(lines) => {
                if found > 1 {
                    out.line("");
                }
                draw(&lines, out);
            }
            Err(failure) => {
                answer = Answer::Bad;
                if out.is_json() {
                    report.games.push(Game::Failed { error: failure.body() });
                } else {
                    failure.report(out);
                }
            }
        }
    }
    if found == 0 {
        let which = arguments.number.map(|number| format!(" with the number {number}")).unwrap_or_default();
        return Err(Failure::new(format!("there is no game{which} in `{}`", arguments.game)));
    }
    if out.is_json() {
        out.document(&report);
    }
    Ok(answer)
}

fn lines(
    engine: &Engine,
    arguments: &Arguments,
    given: &Given,
    source: &Arc<Source>,
    game: &pgn::Game,
) -> Result<Lines, Failure> {
    let (_, script, terms) = clocked_game(engine, &arguments.rules, given, source, game)?;
    let Script { tags, start, lines, warnings, .. } = script;
    let position = match start {
        Start::Position(text, _) => Some(text),
        Start::First | Start::Placed { .. } => None,
    };
    let lines = lines.into_iter().map(|line| line.text).collect();
    Ok(Lines { tags, terms, warnings, position, lines })
}

fn draw(game: &Lines, out: &mut Out) {
    for (name, value) in &game.tags {
        out.line(format!("# {name}: {value}"));
    }
    for (name, value) in &game.terms {
        out.line(format!("# judge with --given '{name}={value}'"));
    }
    for warning in &game.warnings {
        out.line(format!("# note: {warning}"));
    }
    if let Some(position) = &game.position {
        out.line(format!("position: {position}"));
    }
    for line in &game.lines {
        out.line(line);
    }
}
