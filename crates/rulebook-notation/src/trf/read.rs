//! From lines to entries.
//!
//! Invariant: each line is read by itself; whether lines agree with each other is looked at afterwards.

use std::sync::Arc;

use rulebook_syntax::codes::LIMIT_EXCEEDED;
use rulebook_syntax::{Diagnostic, Source, Span};

use super::columns::{Columns, Field};
use super::facts::{digits, points};
use super::{Cell, Colour, Line, MAX_LINE, MAX_PLAYERS, MAX_ROUNDS, Mark, Notes, Player, Report};

/// The columns between the fields of an entry, which are blank.
const GAPS: [usize; 10] = [4, 9, 14, 48, 53, 57, 69, 80, 85, 90];
/// The first column of the first round.
const FIRST: usize = 92;
/// How many columns a round has.
const WIDE: usize = 10;
/// Codes of lines that are known and only kept, besides those with two at their end.
const KEPT: [&str; 12] = ["013", "132", "240", "250", "260", "299", "300", "310", "320", "330", "801", "DAT"];

/// Reads all lines.
pub(super) fn read(source: &Arc<Source>, notes: &mut Notes<'_>) -> Report {
    let mut report = Report::default();
    for (start, whole) in source.lines() {
        let mut text = whole.trim_end_matches(['\r', '\n']);
        let mut start = start;
        if start == 0
            && let Some(rest) = text.strip_prefix('\u{FEFF}')
        {
            (start, text) = (text.len() - rest.len(), rest);
        }
        // Old programs end a file with this sign.
        if text.trim_matches(|sign: char| sign.is_whitespace() || sign == '\u{1A}').is_empty() {
            continue;
        }
        if text.len() > MAX_LINE {
            let message = format!("this line has {} bytes; at most {MAX_LINE} are read", text.len());
            let place = Span::new(start, start + text.chars().next().map_or(0, char::len_utf8));
            notes.push_error(Diagnostic::error(LIMIT_EXCEEDED, source, place, message));
            continue;
        }
        if let Some((at, sign)) = text.char_indices().find(|(_, sign)| sign.is_control()) {
            let place = Span::new(start + at, start + at + sign.len_utf8());
            let message = match sign {
                '\t' => "a tab; fields stand at fixed columns, with blanks between them",
                _ => "a sign that nobody can see; there is none in a report",
            };
            notes.error(place, message);
            continue;
        }
        line(text, start, &mut report, notes);
    }
    if report.players.is_empty() && notes.errors.is_empty() {
        let end = source.text.len();
        notes.error(Span::new(end, end), "there is no entry here: no line begins with `001`");
    }
    report
}

fn line(text: &str, start: usize, report: &mut Report, notes: &mut Notes<'_>) {
    let code = code(text);
    let Some(code) = code else {
        let end = text.char_indices().nth(3).map_or(text.len(), |(at, _)| at);
        let place = Span::new(start, start + end);
        notes.error(place, "a line begins with a code of three letters or digits and a blank");
        return;
    };
    let place = Span::new(start, start + 3);
    if code == "001" {
        if report.players.len() >= MAX_PLAYERS {
            let message = format!("more than {MAX_PLAYERS} entries");
            notes.push_error(Diagnostic::error(LIMIT_EXCEEDED, notes.source, place, message));
            return;
        }
        let columns = Columns::new(text, start, &GAPS);
        report.players.extend(player(&columns, place, notes));
        return;
    }
    let columns = Columns::new(text, start, &[4]);
    let known = code == "###"
        || code.ends_with('2')
        || KEPT.contains(&code)
        || code.starts_with("XX")
        || code.starts_with("BB")
        || code.bytes().all(|byte| byte.is_ascii_uppercase());
    if !known {
        notes.warning(place, format!("the code `{code}` is not known; the line is kept as it is"));
    }
    let rest = text.get(3..).unwrap_or("");
    let line = Line {
        code: code.to_owned(),
        text: rest.strip_prefix(' ').unwrap_or(rest).trim_end().to_owned(),
        span: Span::new(start, start + text.len()),
        above: report.players.is_empty(),
    };
    report.facts.take(&line, &columns, notes);
    report.lines.push(line);
}

/// The code of a line; behind a comment's no blank is needed.
fn code(text: &str) -> Option<&str> {
    let code = text.get(..3)?;
    let next = text.get(3..).and_then(|rest| rest.chars().next());
    let fine = code.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
    (code == "###" || fine && next.is_none_or(|next| next == ' ')).then_some(code)
}

fn player(columns: &Columns<'_>, place: Span, notes: &mut Notes<'_>) -> Option<Player> {
    let field = columns.field(5, 8);
    let number = digits(field.text).and_then(|number| u16::try_from(number).ok());
    let Some(number) = number.filter(|number| *number > 0) else {
        let place = if field.text.is_empty() { place } else { field.span };
        let message = if field.text.is_empty() {
            "this entry has no number in columns 5 to 8".to_owned()
        } else {
            format!("`{}` is not the number of an entry, from 1 to 9999", field.text)
        };
        notes.error(place, message);
        return None;
    };
    if let Some(broken) = columns.broken(&GAPS) {
        let message =
            "this column stands between two fields and is not blank; are the fields where they belong?";
        notes.warning(broken.span, message);
    }
    let text = |first, last| columns.field(first, last).text.to_owned();
    let sex = columns.field(10, 10);
    if !matches!(sex.text, "" | "m" | "w" | "f" | "M" | "W" | "F") {
        notes.warning(sex.span, format!("`{}` is not `m` or `w`", sex.text));
    }
    let total = columns.field(81, 84);
    let rank = columns.field(86, 89);
    let mut player = Player {
        number,
        sex: sex.text.to_owned(),
        title: text(11, 13),
        name: text(15, 47),
        rating: whole(columns.field(49, 52), "a rating", notes).unwrap_or(0),
        federation: text(54, 56),
        id: text(58, 68),
        birth: text(70, 79),
        points: if total.text.is_empty() { None } else { points(total, notes) },
        rank: whole(rank, "a rank", notes),
        rounds: Vec::new(),
        span: field.span,
        points_span: total.span,
    };
    if player.name.is_empty() {
        notes.warning(field.span, "this entry has no name in columns 15 to 47");
    }
    let mut at = FIRST;
    while at <= columns.len() {
        if player.rounds.len() >= MAX_ROUNDS {
            let message = format!("more than {MAX_ROUNDS} rounds");
            let place = columns.rest(at).span;
            if !columns.rest(at).text.is_empty() {
                notes.push_error(Diagnostic::error(LIMIT_EXCEEDED, notes.source, place, message));
            }
            break;
        }
        player.rounds.push(cell(columns, at, notes));
        at += WIDE;
    }
    let used = player.rounds.iter().rposition(|cell| !cell.is_blank()).map_or(0, |at| at + 1);
    player.rounds.truncate(used);
    Some(player)
}

/// A number that may be missing.
fn whole(field: Field<'_>, what: &str, notes: &mut Notes<'_>) -> Option<u16> {
    if field.text.is_empty() {
        return None;
    }
    let found = digits(field.text).and_then(|number| u16::try_from(number).ok());
    if found.is_none() {
        notes.error(field.span, format!("`{}` is not {what}", field.text));
    }
    found
}

fn cell(columns: &Columns<'_>, at: usize, notes: &mut Notes<'_>) -> Cell {
    let span = columns.field(at, at + 7).span;
    let gaps = [at - 1, at + 4, at + 6];
    if let Some(broken) = columns.broken(&gaps) {
        notes.error(broken.span, "this column stands between two fields of a round and is not blank");
    }
    let (who, colour, result) =
        (columns.field(at, at + 3), columns.field(at + 5, at + 5), columns.field(at + 7, at + 7));
    let opponent = match who.text {
        "" | "0000" => None,
        text => {
            let number = digits(text).and_then(|number| u16::try_from(number).ok());
            if number.is_none() {
                notes.error(who.span, format!("`{text}` is not the number of an opponent"));
                // Not a bye either: nothing more is said about this round.
                return Cell { span, ..Cell::default() };
            }
            number.filter(|number| *number > 0)
        }
    };
    let mut cell = Cell { opponent, colour: None, mark: None, span };
    match colour.text {
        "" | "-" => {}
        text => {
            cell.colour = text.chars().next().and_then(Colour::from_letter);
            if cell.colour.is_none() {
                notes.error(colour.span, format!("`{text}` is not `w`, `b` or `-`"));
            }
        }
    }
    if let Some(sign) = result.text.chars().next() {
        cell.mark = Mark::from_sign(sign);
        if cell.mark.is_none() {
            let signs: Vec<String> = Mark::ALL.iter().map(|mark| mark.sign().to_string()).collect();
            notes.error(result.span, format!("`{sign}` is none of the results {}", signs.join(" ")));
            return Cell { span, ..Cell::default() };
        }
    }
    if cell.opponent.is_none() {
        cell.colour = None;
        cell.mark = bye(cell.mark, result, notes);
    } else if cell.mark.is_some_and(Mark::is_bye) {
        notes.error(result.span, format!("`{}` is a bye, but there is an opponent", result.text));
    }
    cell
}

/// A result without an opponent; older files have the signs of forfeits for byes.
fn bye(mark: Option<Mark>, field: Field<'_>, notes: &mut Notes<'_>) -> Option<Mark> {
    let meant = match mark? {
        Mark::ForfeitWin => Mark::Full,
        Mark::Draw => Mark::Half,
        Mark::ForfeitLoss => return Some(Mark::Zero),
        mark if mark.is_bye() => return Some(mark),
        _ => {
            notes.error(
                field.span,
                format!("`{}` is the result of a game, but there is no opponent", field.text),
            );
            return None;
        }
    };
    let message = format!("`{}` without an opponent is read as `{}`, a bye", field.text, meant.sign());
    notes.warning(field.span, message);
    Some(meant)
}
