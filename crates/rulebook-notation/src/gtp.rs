//! The Go Text Protocol, version 2: lines of controllers, answers, and the points of pieces given in advance.
//!
//! Invariant: every line is a command, or nothing; what a command means is not known here. An answer ends with an
//! empty line and has none inside of it, so that the next one begins where a controller looks for it.

use rulebook_model::Site;
use rulebook_model::board::Board;

/// The longest line that is read, in bytes; what is longer is cut.
pub const MAX_LINE: usize = 1 << 16;

/// A line of a controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The number by which the answer is known.
    pub id: Option<u32>,
    /// What is wanted.
    pub name: String,
    /// The rest, by words.
    pub arguments: Vec<String>,
    /// The rest as it stands.
    pub rest: String,
}

/// Reads a line; `None` when nothing stands on it but blanks and a comment.
pub fn read(line: &str) -> Option<Command> {
    let line = line.split('#').next().unwrap_or("");
    let line: String = line
        .chars()
        .map(|sign| if sign == '\t' { ' ' } else { sign })
        .filter(|sign| !sign.is_control() && *sign != '\u{FEFF}')
        .collect();
    let mut text = line.trim();
    let mut id = None;
    let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
    if first.bytes().all(|byte| byte.is_ascii_digit())
        && let Ok(number) = first.parse()
    {
        (id, text) = (Some(number), rest.trim_start());
    }
    if text.is_empty() && id.is_none() {
        return None;
    }
    let (name, rest) = text.split_once(' ').unwrap_or((text, ""));
    let rest = rest.trim();
    Some(Command {
        id,
        name: name.to_owned(),
        arguments: rest.split_whitespace().map(str::to_owned).collect(),
        rest: rest.to_owned(),
    })
}

/// An answer as the protocol has it.
pub fn write(id: Option<u32>, answer: &Result<String, String>) -> String {
    let (sign, text) = match answer {
        Ok(text) => ('=', text),
        Err(text) => ('?', text),
    };
    let id = id.map(|id| id.to_string()).unwrap_or_default();
    // An empty line would end the answer too early.
    let lines: Vec<&str> = text
        .trim_end()
        .lines()
        .enumerate()
        .map(|(at, line)| if line.is_empty() && at > 0 { " " } else { line })
        .collect();
    format!("{sign}{id} {}\n\n", lines.join("\n"))
}

/// The points where so many pieces stand that are given in advance, as the protocol fixes them; `None` where it
/// does not.
pub fn fixed_points(board: &Board, count: usize) -> Option<Vec<Site>> {
    let (files, ranks) = (i64::from(board.files), i64::from(board.ranks));
    let edge = |side: i64| (side >= 7).then_some(if side >= 13 { 4 } else { 3 });
    let (left, low) = (edge(files)?, edge(ranks)?);
    let (right, high) = (files + 1 - left, ranks + 1 - low);
    let middles = files % 2 == 1 && ranks % 2 == 1;
    let most = if middles && files > 7 && ranks > 7 { 9 } else { 4 };
    if !(2..=most).contains(&count) {
        return None;
    }
    let (x, y) = ((files + 1) / 2, (ranks + 1) / 2);
    let mut points = vec![(left, low), (right, high), (left, high), (right, low)];
    if count >= 6 {
        points.extend([(left, y), (right, y)]);
    }
    if count >= 8 {
        points.extend([(x, low), (x, high)]);
    }
    points.truncate(count);
    if count >= 5 && count % 2 == 1 {
        points.truncate(count - 1);
        points.push((x, y));
    }
    points.into_iter().map(|(file, rank)| board.at(file, rank)).collect()
}

/// Points for so many pieces that may be placed at will: the fixed ones as far as they go, and then always the one
/// that is farthest from all others.
pub fn free_points(board: &Board, count: usize) -> Vec<Site> {
    let fixed = (2..=count.min(9)).rev().find_map(|count| fixed_points(board, count));
    let mut points = fixed.unwrap_or_default();
    let away = |a: Site, b: Site| {
        let files = board.file(a).abs_diff(board.file(b));
        files + board.rank(a).abs_diff(board.rank(b))
    };
    while points.len() < count {
        let rest = (0..board.len() as Site).filter(|site| !points.contains(site));
        let distance = |site: &Site| points.iter().map(|point| away(*point, *site)).min().unwrap_or(u16::MAX);
        // Of several the first one is taken.
        let Some(best) = rest.rev().max_by_key(distance) else { break };
        points.push(best);
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use rulebook_model::board::SiteNames;

    fn names(files: u16, ranks: u16, count: usize) -> Option<String> {
        let board = Board { files, ranks, names: SiteNames::LettersWithoutI, ..Board::default() };
        let points = fixed_points(&board, count)?;
        let names: Vec<String> = points.into_iter().map(|site| board.name(site)).collect();
        Some(names.join(" "))
    }

    /// The tables of the specification, section 4.1.1.
    #[test]
    fn fixed_points_are_those_of_the_specification() {
        assert_eq!(names(19, 19, 2).as_deref(), Some("D4 Q16"));
        assert_eq!(names(19, 19, 3).as_deref(), Some("D4 Q16 D16"));
        assert_eq!(names(19, 19, 5).as_deref(), Some("D4 Q16 D16 Q4 K10"));
        assert_eq!(names(19, 19, 6).as_deref(), Some("D4 Q16 D16 Q4 D10 Q10"));
        assert_eq!(names(19, 19, 7).as_deref(), Some("D4 Q16 D16 Q4 D10 Q10 K10"));
        assert_eq!(names(19, 19, 8).as_deref(), Some("D4 Q16 D16 Q4 D10 Q10 K4 K16"));
        assert_eq!(names(19, 19, 9).as_deref(), Some("D4 Q16 D16 Q4 D10 Q10 K4 K16 K10"));
        assert_eq!(names(9, 9, 5).as_deref(), Some("C3 G7 C7 G3 E5"));
        assert_eq!(names(13, 13, 4).as_deref(), Some("D4 K10 D10 K4"));
        // Even boards and those of seven have room for four, smaller ones for none.
        assert_eq!(names(8, 8, 4).as_deref(), Some("C3 F6 C6 F3"));
        for (side, count) in [(8, 5), (7, 5), (6, 2), (19, 1), (19, 10)] {
            assert_eq!(names(side, side, count), None, "{side} {count}");
        }
    }

    #[test]
    fn free_points_are_as_many_as_wanted() {
        let board = Board { files: 5, ranks: 3, names: SiteNames::LettersWithoutI, ..Board::default() };
        for count in 0..=15 {
            let mut points = free_points(&board, count);
            points.sort_unstable();
            points.dedup();
            assert_eq!(points.len(), count);
        }
        assert_eq!(free_points(&board, 20).len(), 15);
    }

    #[test]
    fn lines_are_read_as_the_protocol_says() {
        let command =
            |line: &str| read(line).map(|command| (command.id, command.name, command.arguments.join("|")));
        let plain = |id: Option<u32>, name: &str, rest: &str| Some((id, name.to_owned(), rest.to_owned()));
        assert_eq!(command("12 play\tB  d4 # a comment\r"), plain(Some(12), "play", "B|d4"));
        assert_eq!(command("name"), plain(None, "name", ""));
        assert_eq!(command("7"), plain(Some(7), "", ""));
        assert_eq!(command("99999999999 quit"), plain(None, "99999999999", "quit"));
        for nothing in ["", "  ", "# only a comment", "\r"] {
            assert_eq!(command(nothing), None);
        }
    }

    #[test]
    fn answers_end_with_an_empty_line_and_have_none_inside() {
        assert_eq!(write(None, &Ok(String::new())), "= \n\n");
        assert_eq!(write(Some(3), &Ok("a\n\nb\n".into())), "=3 a\n \nb\n\n");
        assert_eq!(write(Some(0), &Err("illegal move".into())), "?0 illegal move\n\n");
    }
}
