//! What `judge` shows to people: the course of the game, the last position, and how it ended and why.

use std::sync::Arc;

use rulebook::model::ruleset::{Clause, Form};
use rulebook::notation::lines::{self, LineError};
use rulebook::notation::position::{picture, write_position};
use rulebook::notation::replay::{Agreement, Cause, Step, Stop};
use rulebook::syntax::{Diagnostic, Source};
use rulebook::{Lang, Number, Person, Reason, RuleSet, Value};

use super::{Judged, within};
use crate::describe::{self, about, say};
use crate::failure::{Failure, warn};
use crate::out::{Out, table};

/// Tags that say which game it is.
const HEAD: [&str; 9] = ["Event", "Site", "Date", "White", "Black", "EV", "DT", "PB", "PW"];

/// Draws a game.
pub(super) fn draw(judged: &Judged, source: &Arc<Source>, lang: Lang, board: bool, out: &mut Out) {
    warn(&judged.script.repairs);
    head(judged, lang, out);
    if board {
        boards(judged, lang, out);
    } else {
        timeline(judged, lang, out);
    }
    let rules = judged.engine.rules();
    let end = judged.replay.end();
    if !rules.board.is_empty() {
        if !board || judged.replay.steps.is_empty() {
            out.line("");
            out.line(picture(rules, end));
        }
        out.line(write_position(rules, end));
        counted(judged, lang, out);
    }
    out.line("");
    match &judged.replay.stop {
        Some(stop) => stopped(judged, source, stop, lang, out),
        None => ended(judged, lang, out),
    }
}

/// The definition that says which sites count for a player at the end, where a rule set has it.
const COUNTED: &str = "counted_for";

/// The board once more, with the sites that counted for each player where nothing of theirs stands: the letter of their
/// first kind, small. Only a game that an ending has ended is counted.
fn counted(judged: &Judged, lang: Lang, out: &mut Out) {
    let (rules, end) = (judged.engine.rules(), judged.replay.end());
    let by_ending = end.ended.as_ref().is_some_and(|ended| {
        let clauses = describe::clauses(rules, &ended.clauses);
        clauses.iter().any(|clause| matches!(clause.form, Form::Ends { .. }))
    });
    if !by_ending {
        return;
    }
    let mut rows: Vec<Vec<char>> = picture(rules, end).lines().map(|line| line.chars().collect()).collect();
    let width = rules.board.ranks.to_string().len();
    let mut told = Vec::new();
    let mut all = 0;
    for player in 0..rules.players.len() as u8 {
        let sites = judged.engine.define(end, COUNTED, vec![Value::Player(player)]);
        let Ok(Some(Value::Sites(sites))) = sites else { return };
        let letter = rules.notation.letters.first().and_then(|letters| letters.get(usize::from(player)));
        let Some(letter) = letter.and_then(|letter| letter.chars().next()) else { return };
        let mark = letter.to_ascii_lowercase();
        for site in sites.iter().filter(|site| end.cell(*site).owner() != Some(player)) {
            let row = usize::from(rules.board.ranks - rules.board.rank(site));
            let column = width + 2 * usize::from(rules.board.file(site));
            let slot = rows.get_mut(row).and_then(|row| row.get_mut(column));
            slot.into_iter().for_each(|slot| *slot = mark);
        }
        let name = describe::person(rules, Person::Player(player), lang);
        told.push(match lang {
            Lang::En => format!("{name} {} ({mark})", sites.len()),
            Lang::Zh => format!("{name} {}（{mark}）", sites.len()),
        });
        all += sites.len();
    }
    out.line("");
    for row in rows {
        out.line(row.into_iter().collect::<String>());
    }
    let shared = usize::from(rules.board.files) * usize::from(rules.board.ranks) - all;
    told.push(format!("{} {shared}", say(lang, "neither", "双方之间")));
    out.line(about(say(lang, "counted:", "计数："), &told.join(say(lang, ", ", "，"))));
}

fn head(judged: &Judged, lang: Lang, out: &mut Out) {
    let rules = judged.engine.rules();
    out.line(format!("{}  {}", rules.id, rules.title.get(lang)));
    let told = HEAD.iter().filter_map(|name| {
        let (name, value) = judged.script.tags.iter().find(|(known, _)| known == name)?;
        (!matches!(value.as_str(), "" | "?" | "????.??.??")).then(|| format!("{name}: {value}"))
    });
    let told: Vec<String> = told.collect();
    if !told.is_empty() {
        out.line(told.join("   "));
    }
    if !judged.terms.is_empty() {
        let terms: Vec<String> =
            judged.terms.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        out.line(about(say(lang, "from the record:", "棋谱所定："), &terms.join(", ")));
    }
    for warning in &judged.script.warnings {
        out.line(about(say(lang, "note:", "注意："), warning));
    }
    out.line("");
}

/// A row of the timeline: acts with one number, one for each player, and what there is to remark.
struct Row {
    time: Option<Number>,
    number: u32,
    acts: Vec<String>,
    notes: Vec<String>,
    clocks: Vec<String>,
}

/// The definition that says how much time a player has left, where a rule set has it.
const REMAINING: &str = "remaining";

/// The clock of each player in a state; nothing where no clock is kept.
fn clocks(judged: &Judged, step: &Step) -> Vec<String> {
    let players = 0..judged.engine.rules().players.len() as u8;
    let clock = |player| {
        let left = judged.engine.define(&step.next, REMAINING, vec![Value::Player(player)]);
        match left {
            Ok(Some(Value::Number(left))) => Some(lines::clock(left)),
            _ => None,
        }
    };
    players.filter_map(clock).collect()
}

fn rows(judged: &Judged, lang: Lang) -> Vec<Row> {
    let rules = judged.engine.rules();
    let players = rules.players.len().max(1);
    let mut rows: Vec<Row> = Vec::new();
    let mut seen: Vec<u16> = Vec::new();
    // With times each act has a row of its own, with the clocks after it.
    let timed = judged.replay.steps.iter().any(|step| step.time.is_some());
    for (at, step) in judged.replay.steps.iter().enumerate() {
        let notes = remarks(rules, step, &mut seen, lang);
        let number = judged.replay.before(at).played / players as u32 + 1;
        let row = |number, notes| Row {
            time: step.time,
            number,
            acts: vec![String::new(); players],
            notes,
            clocks: if timed { clocks(judged, step) } else { Vec::new() },
        };
        let (Person::Player(player), Some(_)) = (step.person, &step.act) else {
            rows.push(row(0, notes));
            continue;
        };
        let player = usize::from(player);
        let free =
            |row: &Row| !timed && row.number == number && row.acts.iter().skip(player).all(String::is_empty);
        if !rows.last().is_some_and(free) {
            rows.push(row(number, Vec::new()));
        }
        let Some(row) = rows.last_mut() else { continue };
        if let Some(slot) = row.acts.get_mut(player) {
            slot.clone_from(&step.text);
        }
        row.notes.extend(notes);
    }
    rows
}

/// What is remarkable about a step: an event, an act with a name of its own, a capture somewhere else,
/// and a consequence that is new in this game or was chosen.
fn remarks(rules: &RuleSet, step: &Step, seen: &mut Vec<u16>, lang: Lang) -> Vec<String> {
    let named = |clause: &Clause| match clause.title.get(lang) {
        "" => clause.id.clone(),
        title => format!("{title} ({})", clause.id),
    };
    let mut notes = Vec::new();
    for at in &step.clauses {
        let Some(clause) = rules.clauses.get(usize::from(*at)) else { continue };
        let fresh = !seen.contains(at);
        seen.push(*at);
        let remarkable = match &clause.form {
            Form::Event { .. } => true,
            Form::Move { act, .. } => {
                let elsewhere =
                    step.act.as_ref().is_some_and(|act| act.taken.iter().any(|site| Some(site) != act.to));
                elsewhere || rules.notation.names.iter().any(|name| name.act == Some(*act))
            }
            Form::After { choices, .. } => {
                !choices.is_empty() || fresh && (clause.when.is_some() || clause.unless.is_some())
            }
            _ => false,
        };
        if remarkable {
            notes.push(named(clause));
        }
    }
    if step.act.is_none() {
        let who = describe::person(rules, step.person, lang);
        return vec![format!("{who}: {} — {}", step.text, notes.join(", "))];
    }
    notes
}

fn timeline(judged: &Judged, lang: Lang, out: &mut Out) {
    let rules = judged.engine.rules();
    let rows = rows(judged, lang);
    if rows.is_empty() {
        out.line(say(lang, "nothing was done", "没有着法"));
        return;
    }
    let timed = rows.iter().any(|row| row.time.is_some());
    let kept = rows.iter().any(|row| !row.clocks.is_empty());
    let mut header = if timed { vec![say(lang, "time", "时间"), ""] } else { vec![""] };
    header.extend(rules.players.iter().map(String::as_str));
    let noted = rows.iter().any(|row| !row.notes.is_empty());
    if noted {
        header.push("");
    }
    let of_clock = |player: &String| about(say(lang, "clock of", "剩余时间："), player);
    let titles: Vec<String> = rules.players.iter().filter(|_| kept).map(of_clock).collect();
    header.extend(titles.iter().map(String::as_str));
    let mut drawn = table(&header);
    for row in rows {
        let number = if row.number == 0 { String::new() } else { format!("{}.", row.number) };
        let first = row.acts.iter().position(|act| !act.is_empty());
        let acts = row.acts.iter().enumerate().map(|(at, act)| match first {
            // Who does not begin left out his turn.
            Some(first) if at < first => "…".to_owned(),
            _ => act.clone(),
        });
        let time = timed.then(|| row.time.map_or_else(String::new, lines::clock));
        let mut cells: Vec<String> = time.into_iter().chain([number]).chain(acts).collect();
        if noted {
            cells.push(row.notes.join("; "));
        }
        cells.extend(row.clocks);
        drawn.add_row(cells);
    }
    super::super::perft::align(&mut drawn, 0);
    out.table(&drawn);
}

fn boards(judged: &Judged, lang: Lang, out: &mut Out) {
    let rules = judged.engine.rules();
    let players = rules.players.len().max(1) as u32;
    let mut seen = Vec::new();
    for (at, step) in judged.replay.steps.iter().enumerate() {
        let notes = remarks(rules, step, &mut seen, lang);
        if step.act.is_none() {
            out.line(notes.join("; "));
            continue;
        }
        let number = judged.replay.before(at).played / players + 1;
        let who = describe::person(rules, step.person, lang);
        let notes = if notes.is_empty() { String::new() } else { format!("   {}", notes.join("; ")) };
        if at > 0 {
            out.line("");
        }
        out.line(format!("{number}. {who}: {}{notes}", step.text));
        out.line(picture(rules, &step.next));
    }
}

fn stopped(judged: &Judged, source: &Arc<Source>, stop: &Stop, lang: Lang, out: &mut Out) {
    let rules = judged.engine.rules();
    let (Stop::Refused { line, .. } | Stop::Unreadable { line, .. }) = stop;
    let Some(line) = judged.script.lines.get(*line) else { return };
    let (row, _) = source.line_column(line.span.start);
    match stop {
        Stop::Refused { person, reason, clauses, .. } => {
            let who = describe::person(rules, *person, lang);
            let what = line.text.strip_prefix(&format!("{who}:")).unwrap_or(&line.text).trim();
            let why = describe::reason(*reason, lang);
            let players = rules.players.len().max(1) as u32;
            let number = judged.replay.end().played / players + 1;
            out.line(match lang {
                Lang::En => format!("refused: {number}. {who}: {what} (line {row}): {why}"),
                Lang::Zh => format!("不允许：{number}. {who}: {what}（第{row}行）：{why}"),
            });
            let many = *reason == Reason::NotGranted;
            if many && !clauses.is_empty() {
                out.line(say(lang, "the clauses that could allow it are", "可能允许它的条文："));
            }
            for clause in describe::clauses(rules, clauses) {
                out.line(format!("  {}", describe::clause(clause, lang)));
            }
        }
        Stop::Unreadable { error, .. } => match error {
            LineError::Fault(fault) => Failure::fault(rules, fault).report(out),
            LineError::Text(error) => {
                let span = within(source, line.span, &line.text, error.start, error.end);
                let place = Diagnostic::error("", source, span, error.message.clone());
                Failure::new("the record cannot be followed further").at(vec![place]).report(out);
            }
        },
    }
}

fn ended(judged: &Judged, lang: Lang, out: &mut Out) {
    let rules = judged.engine.rules();
    let end = judged.replay.end();
    match &end.ended {
        Some(end) => {
            out.line(format!(
                "{}{}",
                say(lang, "the game has ended: ", "对局结束："),
                describe::outcome(rules, end.outcome, lang)
            ));
            for clause in describe::clauses(rules, &end.clauses) {
                out.line(format!("  {}", describe::clause(clause, lang)));
            }
        }
        None if judged.agreement == Agreement::Open => {}
        None => {
            let turn = describe::person(rules, Person::Player(end.mover), lang);
            out.line(match lang {
                Lang::En => format!("the game has not ended; {turn} has the turn"),
                Lang::Zh => format!("对局未结束；轮到 {turn}"),
            });
        }
    }
    let Some(claim) = &judged.script.claim else { return };
    let cause = claim.cause.as_ref().map_or_else(String::new, |cause| match lang {
        Lang::En => format!(" ({cause})"),
        Lang::Zh => format!("（{cause}）"),
    });
    let result = format!("{}{cause}", claim.text);
    match (judged.agreement, lang) {
        (Agreement::NoClaim, _) => {}
        (Agreement::Same, Lang::En) => out.line(format!("the record says the same: {result}")),
        (Agreement::Same, Lang::Zh) => out.line(format!("棋谱所记相同：{result}")),
        (Agreement::Different, Lang::En) => out.line(format!("but the record says {result}")),
        (Agreement::Different, Lang::Zh) => out.line(format!("但棋谱记为 {result}")),
        (Agreement::Open, Lang::En) => {
            out.line(format!("the record says {result}; the rules of the board have not ended the game"));
        }
        (Agreement::Open, Lang::Zh) => {
            out.line(format!("棋谱记为 {result}；按棋盘上的规则对局尚未结束"));
        }
    }
    if judged.agreement == Agreement::Open {
        causes(rules, &judged.causes, lang, out);
    }
}

fn causes(rules: &RuleSet, causes: &[Cause], lang: Lang, out: &mut Out) {
    if causes.is_empty() {
        out.line(say(
            lang,
            "no event of the rules would give this result here",
            "规则中没有事件能在此产生该结果",
        ));
        return;
    }
    out.line(say(lang, "such a result can come from", "这样的结果可以来自"));
    for cause in causes {
        let titles = describe::clauses(rules, &cause.clauses).into_iter();
        let titles: Vec<String> =
            titles.map(|clause| format!("{} {}", clause.id, clause.title.get(lang))).collect();
        out.line(format!("  {} ({})", cause.lines.join(", "), titles.join(", ")));
    }
}
