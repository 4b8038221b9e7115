//! `moves`: the legal acts of a position, and on demand those that a clause forbids.

use clap::Args;
use rulebook::Engine;
use rulebook::notation::moves::{write_short, write_unique};
use rulebook::notation::position::{picture, write_position};
use rulebook::{Lang, Plies, State};
use serde::Serialize;

use super::{Answer, Given, Language, engine, position};
use crate::describe::{self, say};
use crate::failure::Failure;
use crate::json::ClauseRef;
use crate::out::{Out, table};

/// Arguments of `moves`.
#[derive(Args)]
pub(super) struct Arguments {
    /// A rule file, or the id of a built-in rule set.
    file: String,
    /// Where to look, in the notation of the rule set.
    #[arg(long)]
    position: Option<String>,
    /// Show also what a clause forbids, with the clause.
    #[arg(long)]
    banned: bool,
    #[command(flatten)]
    language: Language,
}

/// The JSON answer of `moves`.
#[derive(Serialize)]
struct Report {
    /// The id of the rule set.
    rules: String,
    /// The position.
    position: String,
    /// Who has the turn.
    turn: String,
    /// How the game has ended here, if it has.
    ended: Option<Ended>,
    /// The legal acts.
    legal: Vec<Legal>,
    /// With `--banned`: what a clause forbids.
    banned: Option<Vec<Banned>>,
}

/// How a game ended.
#[derive(Serialize)]
struct Ended {
    /// The outcome.
    outcome: String,
    /// The clauses that decided.
    clauses: Vec<ClauseRef>,
}

/// A legal act.
#[derive(Serialize)]
struct Legal {
    /// In full; no other act here has this text.
    act: String,
    /// In the notation of records.
    short: String,
    /// The kind of piece that moves, if one does.
    piece: Option<String>,
    /// The ids of the clause that allows it and of those that take effect.
    clauses: Vec<String>,
}

/// A forbidden act.
#[derive(Serialize)]
struct Banned {
    /// In full.
    act: String,
    /// The ban, then the clause that would allow the act.
    clauses: Vec<ClauseRef>,
}

/// Runs `moves`.
pub(super) fn run(arguments: &Arguments, given: &Given, out: &mut Out) -> Result<Answer, Failure> {
    let engine = engine(&arguments.file, given)?;
    let rules = engine.rules();
    let state = position(&engine, arguments.position.as_deref())?;
    let plies = match &state.ended {
        None => engine.plies(&state).map_err(|fault| Failure::fault(rules, &fault))?,
        Some(_) => Plies::default(),
    };
    let report = report(&engine, &state, &plies, arguments.banned)?;
    if out.is_json() {
        out.document(&report);
    } else {
        draw(&engine, &state, &report, arguments.language.get(), out);
    }
    Ok(Answer::Good)
}

fn report(engine: &Engine, state: &State, plies: &Plies, banned: bool) -> Result<Report, Failure> {
    let rules = engine.rules();
    let mut legal = Vec::new();
    for ply in &plies.legal {
        let ids = describe::clauses(rules, &ply.clauses);
        let act = write_unique(rules, &ply.act, plies);
        let short = if rules.notation.records.is_empty() {
            act.clone()
        } else {
            write_short(engine, state, &ply.act, &ply.next).map_err(|fault| Failure::fault(rules, &fault))?
        };
        legal.push(Legal {
            act,
            short,
            piece: ply.act.piece.and_then(|kind| rules.kinds.get(usize::from(kind)).cloned()),
            clauses: ids.into_iter().map(|clause| clause.id.clone()).collect(),
        });
    }
    let banned = banned.then(|| {
        let acts = plies.banned.iter().map(|banned| Banned {
            act: write_unique(rules, &banned.act, plies),
            clauses: ClauseRef::all(rules, &banned.clauses),
        });
        acts.collect()
    });
    Ok(Report {
        rules: rules.id.clone(),
        position: write_position(rules, state),
        turn: rules.players.get(usize::from(state.mover)).cloned().unwrap_or_default(),
        ended: state.ended.as_ref().map(|end| Ended {
            outcome: rules.show_outcome(end.outcome),
            clauses: ClauseRef::all(rules, &end.clauses),
        }),
        legal,
        banned,
    })
}

fn draw(engine: &Engine, state: &State, report: &Report, lang: Lang, out: &mut Out) {
    let rules = engine.rules();
    if !rules.board.is_empty() {
        out.line(picture(rules, state));
        out.line("");
    }
    if let Some(end) = &state.ended {
        out.line(describe::outcome(rules, end.outcome, lang));
        for clause in describe::clauses(rules, &end.clauses) {
            out.line(format!("  {}", describe::clause(clause, lang)));
        }
        return;
    }
    let number = report.legal.len();
    let turn = &report.turn;
    out.line(match lang {
        Lang::En => format!("{turn} has the turn and {}", describe::count(number, "legal act")),
        Lang::Zh => format!("轮到 {turn}，合法着法 {number} 种"),
    });
    out.line("");
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for legal in &report.legal {
        let kind = legal.piece.as_deref().unwrap_or("");
        match groups.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, acts)) => acts.push(&legal.short),
            None => groups.push((kind, vec![&legal.short])),
        }
    }
    let mut rows = table(&[]);
    for (kind, acts) in groups {
        rows.add_row([kind.to_owned(), acts.join("  ")]);
    }
    out.table(&rows);
    let Some(banned) = &report.banned else { return };
    out.heading(match (banned.len(), lang) {
        (0, _) => say(lang, "nothing is forbidden by a clause", "没有被条文禁止的着法").to_owned(),
        (some, Lang::En) => format!("{} forbidden", describe::count(some, "act")),
        (some, Lang::Zh) => format!("被条文禁止的着法 {some} 种"),
    });
    let mut bans: Vec<(&str, Vec<&str>)> = Vec::new();
    for banned in banned {
        let ban = banned.clauses.first().map_or("", |clause| clause.id.as_str());
        match bans.iter_mut().find(|(known, _)| *known == ban) {
            Some((_, acts)) => acts.push(&banned.act),
            None => bans.push((ban, vec![&banned.act])),
        }
    }
    for (ban, acts) in bans {
        out.line(rules.clause(ban).map_or_else(String::new, |clause| describe::clause(clause, lang)));
        let mut rows = table(&[]);
        rows.add_row([acts.join("  ")]);
        out.table(&rows);
    }
}
