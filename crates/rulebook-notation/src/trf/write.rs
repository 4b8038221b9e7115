//! Writes a report.
//!
//! Invariant: every field stands at its columns, whatever it holds: a text that is too long is cut, a sign that would
//! end the line is a blank. A report that has been read says the same when it is written and read again.

use std::fmt::Write as _;

use rulebook_model::Number;

use super::{Cell, Player, Report};

/// The end of a line, as the format wants it.
const END: &str = "\r\n";

/// The text of a report.
pub fn write(report: &Report) -> String {
    let mut out = String::new();
    let lines = |out: &mut String, above: bool| {
        for line in report.lines.iter().filter(|line| line.above == above) {
            let text = plain(&line.text);
            let text = text.trim_end();
            let gap = if text.is_empty() { "" } else { " " };
            let _ = write!(out, "{}{gap}{text}{END}", line.code);
        }
    };
    lines(&mut out, true);
    for player in &report.players {
        self::player(&mut out, player);
    }
    lines(&mut out, false);
    out
}

fn player(out: &mut String, player: &Player) {
    let mut line = format!("001 {:>4} ", player.number);
    let left = |line: &mut String, text: &str, width: usize| {
        let text: String = plain(text).trim().chars().take(width).collect();
        let _ = write!(line, "{text:<width$}");
    };
    let right = |line: &mut String, text: &str, width: usize| {
        let text: String = plain(text).trim().chars().take(width).collect();
        let _ = write!(line, "{text:>width$}");
    };
    let gap = |line: &mut String| line.push(' ');
    left(&mut line, &player.sex, 1);
    right(&mut line, &player.title, 3);
    gap(&mut line);
    left(&mut line, &player.name, 33);
    gap(&mut line);
    right(&mut line, &if player.rating == 0 { String::new() } else { player.rating.to_string() }, 4);
    gap(&mut line);
    left(&mut line, &player.federation, 3);
    gap(&mut line);
    right(&mut line, &player.id, 11);
    gap(&mut line);
    left(&mut line, &player.birth, 10);
    gap(&mut line);
    right(&mut line, &player.points.map_or_else(String::new, shown), 4);
    gap(&mut line);
    right(&mut line, &player.rank.map_or_else(String::new, |rank| rank.to_string()), 4);
    for cell in &player.rounds {
        line.push_str("  ");
        self::cell(&mut line, cell);
    }
    out.push_str(line.trim_end());
    out.push_str(END);
}

fn cell(line: &mut String, cell: &Cell) {
    let sign = cell.mark.map_or(' ', |mark| mark.sign());
    match (cell.opponent, cell.mark) {
        (Some(opponent), _) => {
            let colour = cell.colour.map_or('-', |colour| colour.letter());
            let _ = write!(line, "{opponent:>4} {colour} {sign}");
        }
        (None, Some(_)) => {
            let _ = write!(line, "0000 - {sign}");
        }
        (None, None) => line.push_str("        "),
    }
}

/// Points with one decimal, as such files have them, or with as many as they need; nothing where they do not fit into
/// their columns, which is better than a part of them.
fn shown(points: Number) -> String {
    let (numerator, denominator) = points.to_parts();
    let value = numerator as f64 / denominator as f64;
    let places = if 10 % denominator == 0 {
        1
    } else if 100 % denominator == 0 {
        2
    } else {
        3
    };
    let text = format!("{value:.places$}");
    let short = match text.strip_suffix(".0").or_else(|| text.strip_prefix('0')) {
        Some(short) if text.len() > 4 => short,
        _ => &text,
    };
    if short.len() > 4 { String::new() } else { short.to_owned() }
}

/// A text without signs that would end its line or move its columns.
fn plain(text: &str) -> String {
    text.chars().map(|sign| if sign.is_control() { ' ' } else { sign }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Colour, Line, Mark};
    use super::*;

    #[test]
    fn fields_stand_at_their_columns() {
        let cell = Cell {
            opponent: Some(12),
            colour: Some(Colour::Black),
            mark: Some(Mark::Draw),
            ..Cell::default()
        };
        let entry = Player {
            number: 7,
            sex: "w".into(),
            title: "WGM".into(),
            name: "Lastname\n, Firstname".into(),
            rating: 2345,
            federation: "GER".into(),
            id: "4600001".into(),
            birth: "1990/01/31".into(),
            points: Number::fraction(1, 2),
            rank: Some(3),
            rounds: vec![cell, Cell::default(), Cell { mark: Some(Mark::Half), ..Cell::default() }],
            ..Player::default()
        };
        let line = Line { code: "012".into(), text: "Open".into(), above: true, ..Line::default() };
        let report = Report { players: vec![entry], lines: vec![line], ..Report::default() };
        assert_eq!(
            write(&report),
            "012 Open\r\n001    7 wWGM Lastname , Firstname              2345 GER     4600001 1990/01/31  0.5    3    12 b =            0000 - H\r\n"
        );
    }
}
