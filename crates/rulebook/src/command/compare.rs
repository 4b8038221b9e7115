//! `compare`: one record under several rule sets, side by side: where they differ, and by which clauses.
//!
//! Invariant: each rule set replays the record by itself, as far as it goes along; no rule set is the right one.

use clap::Args;
use rulebook::notation::replay::{self, Replay, Script, Stop};
use rulebook::notation::{clocked, pgn, sgf};
use rulebook::{Engine, Lang, Outcome};
use serde::Serialize;

use super::{Answer, Given, Language, clocked_game, engine, record};
use crate::describe::{self, say};
use crate::failure::{Failure, warn};
use crate::json::ClauseRef;
use crate::out::{Out, table};

/// Arguments of `compare`.
#[derive(Args)]
pub(super) struct Arguments {
    /// The record: `.pgn`, `.sgf` (their first games), or a text with one act or event a line.
    game: String,
    /// Rule files, or ids of built-in rule sets, joined by commas.
    #[arg(long, value_delimiter = ',', required = true, num_args = 1..)]
    rules: Vec<String>,
    #[command(flatten)]
    language: Language,
}

/// The JSON answer of `compare`.
#[derive(Serialize)]
struct Report {
    /// The verdict under each rule set, in the order in which they were given.
    verdicts: Vec<Verdict>,
    /// Whether all of them come to the same.
    agree: bool,
}

/// What comes of the record under one rule set.
#[derive(Serialize)]
struct Verdict {
    /// The id of the rule set.
    rules: String,
    /// How many lines of the record it goes along with.
    lines: usize,
    /// How it ended, if it did.
    ended: Option<String>,
    /// The line that was refused or has no meaning, if there is one.
    stopped: Option<Stopped>,
    /// The clauses that decided the end or the refusal.
    clauses: Vec<ClauseRef>,
}

/// A line at which a replay stopped.
#[derive(Serialize)]
struct Stopped {
    /// As the record has it.
    written: String,
    /// Why: a stable word; none when the line has no meaning under these rules.
    reason: Option<&'static str>,
}

struct Run {
    engine: Engine,
    script: Script,
    replay: Replay,
}

impl Run {
    /// What it comes to, for comparison: the end, or the line that stopped it.
    fn result(&self) -> (Option<Outcome>, Option<usize>) {
        let stop = self.replay.stop.as_ref().map(|stop| {
            let (Stop::Refused { line, .. } | Stop::Unreadable { line, .. }) = stop;
            *line
        });
        (self.replay.end().ended.as_ref().map(|end| end.outcome), stop)
    }

    fn clauses(&self) -> &[u16] {
        match (&self.replay.stop, &self.replay.end().ended) {
            (Some(Stop::Refused { clauses, .. }), _) => clauses,
            (None, Some(end)) => &end.clauses,
            _ => &[],
        }
    }

    /// The verdict in a few words.
    fn words(&self, lang: Lang) -> String {
        let rules = self.engine.rules();
        let line = |at: &usize| self.script.lines.get(*at).map_or("", |line| line.text.as_str());
        match (&self.replay.stop, &self.replay.end().ended) {
            (Some(Stop::Refused { line: at, reason, .. }), _) => {
                let refused = describe::about(say(lang, "refused:", "不允许："), line(at));
                format!("{refused} ({})", describe::reason(*reason, lang))
            }
            (Some(Stop::Unreadable { line: at, .. }), _) => {
                describe::about(say(lang, "unknown here:", "此处无此规定："), line(at))
            }
            (None, Some(end)) => describe::outcome(rules, end.outcome, lang),
            (None, None) => say(lang, "goes on", "对局继续").to_owned(),
        }
    }
}

/// Runs `compare`.
pub(super) fn run(arguments: &Arguments, given: &Given, out: &mut Out) -> Result<Answer, Failure> {
    let lang = arguments.language.get();
    let (source, mut repairs) = record(&arguments.game, pgn::MAX_TEXT)?;
    let name = source.name.to_lowercase();
    let mut runs = Vec::new();
    for file in &arguments.rules {
        let mut engine = engine(file, given)?;
        let script = if name.ends_with(".pgn") {
            let game = pgn::games(&source).next();
            let game = game.ok_or_else(|| Failure::new("there is no game in the record"))?;
            let game = game.map_err(|error| Failure::new("the game cannot be read").at(vec![error]))?;
            if clocked::applies(engine.rules(), &game) {
                // The same game, told as the events that this rule set has for it.
                let (with, script, _) = clocked_game(&engine, file, given, &source, &game)?;
                engine = with;
                script
            } else {
                replay::from_pgn(engine.rules(), &game)
            }
        } else if name.ends_with(".sgf") {
            let records =
                sgf::parse(&source).map_err(|errors| Failure::new("the record cannot be read").at(errors))?;
            let record = records.first().ok_or_else(|| Failure::new("there is no game in the record"))?;
            let opened = rulebook::sgf::open_for(file, given, engine.rules(), record, &source)?;
            engine = opened.engine;
            let script = replay::from_sgf(engine.rules(), record, &source).map_err(Failure::new)?;
            for repair in script.repairs.iter().chain(&opened.repairs) {
                // What is wrong with the record is told once, not once for each rule set.
                if !repairs.contains(repair) {
                    repairs.push(repair.clone());
                }
            }
            script
        } else {
            replay::from_lines(&source)
        };
        let start = replay::start(&engine, &script).map_err(|error| Failure::new(error.message))?;
        let replay = replay::replay(&engine, start, &script.lines)
            .map_err(|fault| Failure::fault(engine.rules(), &fault))?;
        runs.push(Run { engine, script, replay });
    }
    if !out.is_json() {
        warn(&repairs);
    }
    let agree = runs.windows(2).all(|pair| matches!(pair, [a, b] if a.result() == b.result()));
    if out.is_json() {
        out.document(&Report { verdicts: runs.iter().map(verdict).collect(), agree });
    } else {
        draw(&runs, agree, lang, out);
    }
    Ok(Answer::Good)
}

fn verdict(run: &Run) -> Verdict {
    let rules = run.engine.rules();
    let written = |at: &usize| run.script.lines.get(*at).map_or_else(String::new, |line| line.text.clone());
    Verdict {
        rules: rules.id.clone(),
        lines: run.replay.steps.len(),
        ended: run.replay.end().ended.as_ref().map(|end| rules.show_outcome(end.outcome)),
        stopped: run.replay.stop.as_ref().map(|stop| match stop {
            Stop::Refused { line, reason, .. } => {
                Stopped { written: written(line), reason: Some(reason.name()) }
            }
            Stop::Unreadable { line, .. } => Stopped { written: written(line), reason: None },
        }),
        clauses: ClauseRef::all(rules, run.clauses()),
    }
}

fn draw(runs: &[Run], agree: bool, lang: Lang, out: &mut Out) {
    let mut drawn = table(&[
        say(lang, "rule set", "规则"),
        say(lang, "lines", "行数"),
        say(lang, "verdict", "裁决"),
        say(lang, "by", "依据"),
    ]);
    for run in runs {
        let rules = run.engine.rules();
        let by: Vec<String> = describe::clauses(rules, run.clauses())
            .into_iter()
            .map(|clause| format!("{} {}", clause.id, clause.title.get(lang)))
            .collect();
        drawn.add_row([rules.id.clone(), run.replay.steps.len().to_string(), run.words(lang), by.join("; ")]);
    }
    out.table(&drawn);
    out.line("");
    out.line(if agree {
        say(lang, "all of them come to the same", "结论一致")
    } else {
        say(lang, "they differ", "结论不同")
    });
    for run in runs {
        let rules = run.engine.rules();
        for clause in describe::clauses(rules, run.clauses()) {
            out.line(format!("  {}: {}", rules.id, describe::clause(clause, lang)));
        }
    }
}
