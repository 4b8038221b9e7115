//! The main line of a game in PGN, found in one pass where the game is written plainly.
//!
//! Law: what is found here is what the grammar finds: the same texts of the main line, the same tags and the
//! same result. A game with anything that is not plain (variations, comments that begin another line with a
//! bracket, escaped lines, rare signs, an end without a result) is left to the grammar.

use rulebook_syntax::Span;

use super::{EVENT, Games, MAX_GAME_TEXT, MAX_TEXT, RESULT, RESULTS, clocks, is_blank, is_newline};

/// The main line of a game, as ranges of the text; used again from game to game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MainLine {
    /// The names and the values of the tags.
    pub tags: Vec<(Span, Span)>,
    /// What stands for moves.
    pub moves: Vec<Span>,
    /// For each of them the times that are told behind it, in milliseconds: what the clock shows, how long the move
    /// took, how long the game has taken.
    pub times: Vec<[Option<u64>; 3]>,
    /// Whether some time cannot be read.
    pub has_faults: bool,
    /// The result behind the moves.
    pub result: Span,
}

impl Games<'_> {
    /// Reads the next game if it is written plainly, and moves behind it; false, and no move, where the
    /// grammar must read it or where there is none.
    pub fn next_plain(&mut self, line: &mut MainLine) -> bool {
        let before = self.at;
        line.tags.clear();
        line.moves.clear();
        line.times.clear();
        line.has_faults = false;
        if self.source.text.len() > MAX_TEXT {
            return false;
        }
        self.skip_blank();
        match self.plain(line) {
            Some(end) => {
                self.at = end;
                true
            }
            None => {
                self.at = before;
                false
            }
        }
    }

    /// Where the game that begins here ends.
    fn plain(&self, line: &mut MainLine) -> Option<usize> {
        let bytes = self.source.text.as_bytes();
        let limit = bytes.len().min(self.at.saturating_add(MAX_GAME_TEXT));
        let bytes = bytes.get(..limit)?;
        let byte = |at: usize| bytes.get(at).copied();
        let skip = |mut at: usize, fits: fn(u8) -> bool| {
            while byte(at).is_some_and(fits) {
                at += 1;
            }
            at
        };
        let mut at = self.at;
        while byte(at) == Some(b'[') {
            // A second one of these begins another game.
            if !line.tags.is_empty() && bytes.get(at..)?.starts_with(EVENT.as_bytes()) {
                return None;
            }
            let name = skip(at + 1, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
            let quote = skip(name, |byte| byte == b' ');
            if name == at + 1 || quote == name || byte(quote) != Some(b'"') {
                return None;
            }
            let value =
                skip(quote + 1, |byte| !matches!(byte, b'"' | b'\\' | b'[' | b']') && !is_newline(byte));
            if byte(value) != Some(b'"') || byte(value + 1) != Some(b']') {
                return None;
            }
            line.tags.push((Span::new(at + 1, name), Span::new(quote + 1, value)));
            let next = skip(value + 2, is_space);
            // Every tag is on a line of its own, so that nobody takes the next one for the next game.
            if next == value + 2 || byte(next) == Some(b'%') {
                return None;
            }
            at = next;
        }
        loop {
            match byte(at)? {
                first if is_space(first) => {
                    at += 1;
                    // What a line begins with decides about brackets and escapes.
                    if is_newline(first) && matches!(byte(at), Some(b'%' | b'[')) {
                        return None;
                    }
                }
                b'0'..=b'9' => {
                    let end = skip(at, |byte| byte.is_ascii_digit());
                    match byte(end) {
                        Some(b'.') => {
                            at = skip(end, |byte| byte == b'.');
                            // What stands close behind is one word with it, and no result.
                            if byte(at).is_some_and(|next| next.is_ascii_digit()) {
                                return None;
                            }
                        }
                        Some(next) if is_space(next) => at = end,
                        _ => {
                            let end = skip(at, |byte| !is_space(byte));
                            line.result = Span::new(at, end);
                            let result = self.source.text.get(at..end)?;
                            return self.agrees(line, result).then_some(end);
                        }
                    }
                }
                b'*' => {
                    line.result = Span::new(at, at + 1);
                    return self.agrees(line, "*").then_some(at + 1);
                }
                b'A'..=b'Z' | b'a'..=b'z' => {
                    let end = skip(at, is_symbol);
                    line.moves.push(Span::new(at, end));
                    line.times.push([None; 3]);
                    at = skip(end, |byte| matches!(byte, b'!' | b'?'));
                    if at > end + 2 || !byte(at).is_some_and(|next| is_space(next) || next == b'{') {
                        return None;
                    }
                }
                b'{' => {
                    let end = skip(at, |byte| byte != b'}' && !is_newline(byte));
                    if byte(end) != Some(b'}') {
                        return None;
                    }
                    // What stands before the first move is about no move.
                    if let Some(times) = line.times.last_mut() {
                        line.has_faults |= !clocks::read(self.source.text.get(at + 1..end)?, times);
                    }
                    at = end + 1;
                }
                b'$' if !line.moves.is_empty() => {
                    let end = skip(at + 1, |byte| byte.is_ascii_digit());
                    if end == at + 1 || !byte(end).is_some_and(is_space) {
                        return None;
                    }
                    at = end;
                }
                _ => return None,
            }
        }
    }

    /// Whether a text is a result, and the tag says no other one.
    fn agrees(&self, line: &MainLine, result: &str) -> bool {
        let text = |span: &Span| self.source.text.get(span.start..span.end);
        let tag = line.tags.iter().find(|(name, _)| text(name) == Some(RESULT));
        let tag = tag.and_then(|(_, value)| text(value)).unwrap_or(result);
        RESULTS.contains(&result) && (tag == result || !RESULTS.contains(&tag))
    }
}

const fn is_space(byte: u8) -> bool {
    is_newline(byte) || is_blank(byte)
}

/// What the grammar takes for a part of a move, without the letters of other scripts.
const fn is_symbol(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'+' | b'#' | b'=' | b':' | b'-' | b'@')
}

#[cfg(test)]
mod tests {
    use super::super::games;
    use super::*;
    use rulebook_syntax::Source;

    /// Reads a text by both ways; how many games were plain.
    fn plain(text: &str) -> usize {
        let source = Source::new("test.pgn", text.to_owned());
        let (mut quick, mut line, mut count) = (games(&source), MainLine::default(), 0);
        loop {
            let mut slow = quick.clone();
            if quick.next_plain(&mut line) {
                count += 1;
                let game = slow.next();
                let Some(Ok(game)) = game else { panic!("{text:?} is read plainly, and not by the grammar") };
                let spans: Vec<Span> = game.moves.iter().map(|mv| mv.span).collect();
                assert_eq!(spans, line.moves, "{text:?}");
                let times: Vec<_> =
                    game.moves.iter().map(|mv| [mv.clock_ms, mv.spent_ms, mv.elapsed_ms]).collect();
                assert_eq!(times, line.times, "{text:?}");
                let faults = game.moves.iter().any(|mv| !mv.time_faults.is_empty());
                assert_eq!(faults, line.has_faults, "{text:?}");
                let tags: Vec<_> = game.tags.iter().map(|tag| (tag.name_span, tag.span)).collect();
                assert_eq!(tags, line.tags, "{text:?}");
                assert_eq!(game.result.map(|token| token.span), Some(line.result), "{text:?}");
                assert_eq!(slow.at, quick.at, "{text:?}");
            } else if quick.next().is_none() {
                return count;
            }
        }
    }

    const GAME: &str =
        "[Event \"A\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 {a [%clk 0:01] b} Nc6 $1 3.Bb5 a6!? 1-0\n\n";

    #[test]
    fn plain_games_are_read_in_one_pass() {
        assert_eq!(plain(GAME), 1);
        assert_eq!(plain(&GAME.repeat(3)), 3);
        assert_eq!(plain("1. e4 *"), 1);
        assert_eq!(plain("e4 e5 1/2-1/2"), 1);
        assert_eq!(plain("1... e5 0-1 1. d4 *"), 2);
        assert_eq!(plain("[A \"b\"]\r\n\r\n1. e4\r\ne5 *\r\n"), 1);
    }

    #[test]
    fn what_is_not_plain_is_left_to_the_grammar() {
        for text in [
            "1. e4 (1. d4) e5 *",
            "1. e4 ; rest\ne5 *",
            "1. e4 {two\nlines} e5 *",
            "1. e4\n%escaped\ne5 *",
            "1. e4 e5",
            "1. e4 e5\n\n[Event \"b\"]\n\n1. d4 *",
            "[Result \"1-0\"]\n\n1. e4 0-1",
            "[A \"a\\\"b\"]\n\n1. e4 *",
            "1. e4 -- *",
            "1. 0-0 *",
            "1. e4! ! e5 *",
            "1. e4!!! *",
            "1. \u{2658}f3 *",
            "1. e4/e5 *",
            "1. e4 1-0x",
            "1. e4 12x *",
            "1. $1 e4 *",
            "1.0-1 e4",
            "[Event \"a\"]\n[Event \"b\"]\n",
        ] {
            assert_eq!(plain(text), usize::from(text.starts_with("1. e4 e5\n\n")), "{text:?}");
        }
    }

    #[test]
    fn whatever_is_written_both_ways_read_the_same() {
        let pieces = [
            "1.",
            " ",
            "\n",
            "e4",
            "Nf3+",
            "O-O",
            "{c}",
            "{[%clk 0:00:05]}",
            "{a [%eval 1] [%clk 1:02:03.4] [%emt 0:00:01]b}",
            "{[%clk 0:05]}",
            "{[%egt 0:00:01",
            "{",
            "}",
            "(",
            ")",
            "[Event \"A\"]",
            "[R \"*\"]",
            "1-0",
            "1/2-1/2",
            "*",
            "$3",
            "!?",
            "!",
            ";",
            "%",
            "[",
            "]",
            "\"",
            "--",
            "0-0",
            "1",
            "...",
            "\r\n",
            "=Q",
            "@",
            "[Result \"1-0\"]",
            "0-1",
            "\u{FEFF}",
            "é",
        ];
        let mut seed = 1_u64;
        let mut plainly = 0;
        for _ in 0..30_000 {
            let mut text = String::new();
            for _ in 0..(seed >> 40) % 12 + 1 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.push_str(pieces[(seed >> 33) as usize % pieces.len()]);
                if seed >> 61 != 0 {
                    text.push(' ');
                }
            }
            plainly += plain(&text);
        }
        assert!(plainly > 1000, "{plainly}");
    }
}
