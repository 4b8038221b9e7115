//! Reads PGN: game after game, as tags and as tokens with their byte ranges.
//!
//! For everything that replays recorded games. A cheap scanner first cuts the text into single games,
//! then the grammar in `pgn.pest` reads one piece at a time, so that memory is bounded by the largest
//! game and an error never reaches beyond the game it is in. Invariant: every span is the exact range
//! of its token in the source, and no input makes this module panic, recurse deeper than
//! `MAX_VARIATION_DEPTH`, or take more than time linear in its length. It deliberately does not
//! interpret anything: what stands for a move is kept as written, no tag is checked but `Result`, which
//! must not contradict the result behind the moves, and comments before the first move or after the result are
//! dropped. A `[%clk h:mm:ss]` in a comment, and its like, are the one exception: they become the times of the move
//! before it.

use std::sync::Arc;

use pest::Parser as _;
use pest::error::{ErrorVariant, InputLocation};
use pest::iterators::Pair;
use rulebook_syntax::codes::{LIMIT_EXCEEDED, PGN_SYNTAX};
use rulebook_syntax::{Diagnostic, Source, Span};

use grammar::{Grammar, Rule};

mod clocks;
mod quick;

pub use quick::MainLine;

mod grammar {
    #[derive(pest_derive::Parser)]
    #[grammar = "pgn.pest"]
    pub(super) struct Grammar;
}

/// The longest text that is read, in bytes.
pub const MAX_TEXT: usize = 256 << 20;
/// The longest single game, in bytes.
pub const MAX_GAME: usize = 1 << 20;
/// The longest single game without the insides of its comments, in bytes. It keeps the work of the
/// grammar for one game below two million calls, the limit that other grammars of the process set.
pub const MAX_GAME_TEXT: usize = 64 << 10;
/// How deep variations may nest.
pub const MAX_VARIATION_DEPTH: usize = 64;
/// `parse` gives up after this many games with an error.
pub const MAX_ERRORS: usize = 100;

/// One game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Game {
    /// The tag pairs in the order of the text, repeated names included.
    pub tags: Vec<Tag>,
    /// The main line.
    pub moves: Vec<Move>,
    /// The termination marker, when there is one.
    pub result: Option<Token>,
    /// From the first character of the game to the last.
    pub span: Span,
}

impl Game {
    /// The value of the first tag with this name.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|tag| tag.name == name).map(|tag| tag.value.as_str())
    }
}

/// One tag pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// The name before the quotes.
    pub name: String,
    /// The text between the quotes, escapes resolved.
    pub value: String,
    /// The range of the value as written, without the quotes.
    pub span: Span,
    /// The range of the name.
    pub name_span: Span,
}

/// A token as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The text.
    pub text: String,
    /// Its range.
    pub span: Span,
}

/// One move of a line, with everything that is attached to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Move {
    /// The token as written, without suffixes such as `!?`.
    pub text: String,
    /// The range of `text`.
    pub span: Span,
    /// The time of the last `[%clk h:mm:ss.f]` after the move, in milliseconds.
    pub clock_ms: Option<u64>,
    /// The time of the last `[%emt h:mm:ss.f]`, which the move took, in milliseconds.
    pub spent_ms: Option<u64>,
    /// The time of the last `[%egt h:mm:ss.f]`, which the game has taken, in milliseconds.
    pub elapsed_ms: Option<u64>,
    /// Where the last of these times stands.
    pub time_span: Option<Span>,
    /// Those of these commands whose times cannot be read.
    pub time_faults: Vec<Token>,
    /// The comments after the move, trimmed, without the times that could be read; empty ones are dropped.
    pub comments: Vec<String>,
    /// Numeric annotation glyphs; `!`, `?`, `!!`, `??`, `!?` and `?!` count as 1 to 6.
    pub nags: Vec<u8>,
    /// The variations that replace this move, each as its own line; a line may be empty.
    pub variations: Vec<Vec<Self>>,
}

/// All games of a text, or what is wrong with it: at most one diagnostic for each game.
pub fn parse(source: &Arc<Source>) -> Result<Vec<Game>, Vec<Diagnostic>> {
    let mut read = Vec::new();
    let mut errors = Vec::new();
    for game in games(source) {
        match game {
            Ok(game) if errors.is_empty() => read.push(game),
            Ok(_) => {}
            Err(error) => {
                read.clear();
                errors.push(error);
            }
        }
        if errors.len() >= MAX_ERRORS {
            break;
        }
    }
    if errors.is_empty() { Ok(read) } else { Err(errors) }
}

/// The games of a text one at a time, for texts whose games should not all be in memory.
pub fn games(source: &Arc<Source>) -> Games<'_> {
    Games { source, at: 0 }
}

/// The iterator behind [`games`]: a game that cannot be read is one error, the next one follows.
#[derive(Clone, Debug)]
pub struct Games<'a> {
    source: &'a Arc<Source>,
    at: usize,
}

impl Iterator for Games<'_> {
    type Item = Result<Game, Diagnostic>;

    fn next(&mut self) -> Option<Self::Item> {
        let length = self.source.text.len();
        if length > MAX_TEXT {
            let fresh = self.at == 0;
            self.at = length;
            let message = format!("the text has {length} bytes; at most {MAX_TEXT} are read");
            return fresh
                .then(|| Err(Diagnostic::error(LIMIT_EXCEEDED, self.source, Span::new(0, 0), message)));
        }
        loop {
            let piece = self.next_piece()?;
            if let Some(problem) = piece.problem {
                return Some(Err(problem));
            }
            if piece.content {
                return Some(read_game(self.source, piece.span));
            }
        }
    }
}

/// The range of one game, before it is read.
struct Piece {
    span: Span,
    /// Whether there is anything but comments in it.
    content: bool,
    /// What the scanner already knows to be wrong.
    problem: Option<Diagnostic>,
}

const EVENT: &str = "[Event \"";
/// The tag that repeats the termination marker.
const RESULT: &str = "Result";
/// All termination markers; any other value of the tag says nothing.
const RESULTS: [&str; 4] = ["1-0", "0-1", "1/2-1/2", "*"];

impl<'a> Games<'a> {
    /// The games from an offset on, where one begins.
    #[must_use]
    pub fn from(self, at: usize) -> Self {
        Self { at, ..self }
    }

    /// Where the next game begins, or the end of the text.
    pub fn at(&mut self) -> usize {
        self.skip_blank();
        self.at
    }

    /// Offsets of a text, each the next one after so many bytes more, at which a game seems to begin.
    pub fn seams(source: &'a Source, every: usize) -> Vec<usize> {
        let mut seams = Vec::new();
        let mut at = every;
        while let Some(rest) = source.text.as_bytes().get(at..) {
            let event = EVENT.as_bytes();
            let begins = rest.windows(event.len() + 1).position(|window| {
                window.first().copied().is_some_and(is_newline) && window.ends_with(event)
            });
            let Some(begins) = begins else { break };
            seams.push(at + begins + 1);
            at += begins + 1 + every;
        }
        seams
    }
}

impl Games<'_> {
    fn byte(&self, at: usize) -> Option<u8> {
        self.source.text.as_bytes().get(at).copied()
    }

    fn starts_with(&self, at: usize, what: &str) -> bool {
        self.source.text.as_bytes().get(at..).is_some_and(|rest| rest.starts_with(what.as_bytes()))
    }

    /// Whether `at` is the first column of a line.
    fn first_column(&self, at: usize) -> bool {
        at.checked_sub(1).and_then(|before| self.byte(before)).is_none_or(is_newline)
    }

    fn skip_line(&mut self) {
        while self.byte(self.at).is_some_and(|byte| !is_newline(byte)) {
            self.at += 1;
        }
    }

    /// Skips what may stand between games: white space, byte order marks, escaped lines.
    fn skip_blank(&mut self) {
        loop {
            if self.starts_with(self.at, "\u{FEFF}") {
                self.at += '\u{FEFF}'.len_utf8();
            }
            match self.byte(self.at) {
                Some(byte) if is_newline(byte) || is_blank(byte) => self.at += 1,
                Some(b'%') if self.first_column(self.at) => self.skip_line(),
                _ if self.starts_with(self.at, "\u{FEFF}") => {}
                _ => return,
            }
        }
    }

    /// Moves behind the brace comment that begins here. False when it is not closed before the end
    /// or before a line that can only be the start of another game; then that is where we stand.
    fn skip_comment(&mut self) -> bool {
        while let Some(byte) = self.byte(self.at) {
            if byte == b'[' && self.first_column(self.at) && self.starts_with(self.at, EVENT) {
                return false;
            }
            self.at += 1;
            if byte == b'}' {
                return true;
            }
        }
        false
    }

    /// Moves behind the tag that begins here, or to where it visibly stopped being one. True when
    /// that is the beginning of a line.
    fn skip_tag(&mut self) -> bool {
        self.at += 1;
        let (mut quoted, mut fresh) = (false, false);
        while let Some(byte) = self.byte(self.at) {
            match byte {
                b'\\' if quoted && matches!(self.byte(self.at + 1), Some(b'"' | b'\\')) => self.at += 1,
                b'"' => quoted = !quoted,
                b'[' if fresh => return true,
                b']' if !quoted => {
                    self.at += 1;
                    return false;
                }
                _ if is_newline(byte) && quoted => return false,
                _ => {}
            }
            fresh = is_newline(byte) || fresh && is_blank(byte);
            self.at += 1;
        }
        false
    }

    /// Whether the bracket here opens a tag rather than being a stray one.
    fn at_tag(&self) -> bool {
        let after = (self.at + 1..).find_map(|at| match self.byte(at) {
            Some(byte) if is_blank(byte) => None,
            other => Some(other),
        });
        after.flatten().is_some_and(|byte| byte.is_ascii_alphabetic())
    }

    /// Cuts the next game off the text.
    fn next_piece(&mut self) -> Option<Piece> {
        self.skip_blank();
        let start = self.at;
        let (mut tags, mut moves, mut fresh) = (false, false, false);
        let mut unclosed = None;
        let mut too_deep = None;
        let (mut depth, mut comments) = (0_usize, 0);
        let mut opens = Vec::new();
        while let Some(byte) = self.byte(self.at) {
            let here = self.at;
            match byte {
                b'%' if self.first_column(here) => self.skip_line(),
                b';' => {
                    self.skip_line();
                    comments += self.at - here - 1;
                }
                b'{' => {
                    if !self.skip_comment() {
                        unclosed = Some(here);
                        break;
                    }
                    comments += self.at - here - 2;
                }
                b'[' if fresh && (moves && self.at_tag() || tags && self.starts_with(here, EVENT)) => break,
                b'[' if !moves => {
                    tags = true;
                    fresh = self.skip_tag();
                    continue;
                }
                b'(' => {
                    moves = true;
                    depth += 1;
                    if depth <= MAX_VARIATION_DEPTH {
                        opens.push(here);
                    } else if too_deep.is_none() {
                        too_deep = Some(here);
                    }
                    self.at += 1;
                }
                b')' => {
                    moves = true;
                    depth = depth.saturating_sub(1);
                    opens.truncate(depth);
                    self.at += 1;
                }
                b'*' | b'[' | b']' | b'}' => {
                    moves = true;
                    self.at += 1;
                    if byte == b'*' && depth == 0 {
                        break;
                    }
                }
                _ if is_newline(byte) || is_blank(byte) => self.at += 1,
                _ => {
                    moves = true;
                    while self.byte(self.at).is_some_and(|byte| !ends_token(byte)) {
                        self.at += 1;
                    }
                    let word = self.source.text.get(here..self.at);
                    if depth == 0 && matches!(word, Some("1-0" | "0-1" | "1/2-1/2")) {
                        break;
                    }
                }
            }
            fresh = is_newline(byte) || fresh && is_blank(byte);
        }
        let text = self.source.text.get(start..self.at).filter(|text| !text.is_empty())?;
        let span = Span::new(start, start + text.trim_end().len());
        let error = |code, at: usize, message: String| {
            Diagnostic::error(code, self.source, Span::new(at, at + 1), message)
        };
        let problem = if let Some(at) = unclosed {
            Some(error(PGN_SYNTAX, at, "this comment is never closed, expected `}`".to_owned()))
        } else if let Some(at) = too_deep {
            Some(error(LIMIT_EXCEEDED, at, format!("variations nest deeper than {MAX_VARIATION_DEPTH}")))
        } else if let Some(at) = opens.pop() {
            Some(error(PGN_SYNTAX, at, "this variation is never closed, expected `)`".to_owned()))
        } else if text.len() > MAX_GAME || text.len() - comments > MAX_GAME_TEXT {
            let message = format!(
                "this game has {} bytes, {comments} of them in comments; at most {MAX_GAME} are read, and \
                 {MAX_GAME_TEXT} outside comments",
                text.len()
            );
            Some(Diagnostic::error(LIMIT_EXCEEDED, self.source, Span::new(start, start), message))
        } else {
            None
        };
        Some(Piece { span, content: tags || moves, problem })
    }
}

const fn is_newline(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// White space within a line; 0x1A is how old files mark their end.
const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0B | 0x0C | 0x1A)
}

const fn ends_token(byte: u8) -> bool {
    is_newline(byte)
        || is_blank(byte)
        || matches!(byte, b'{' | b'}' | b'(' | b')' | b'[' | b']' | b';' | b'*')
}

/// Reads one piece of the text as a game.
fn read_game(source: &Arc<Source>, span: Span) -> Result<Game, Diagnostic> {
    let text = source.text.get(span.start..span.end).unwrap_or("");
    let mut game = Game { span, ..Game::default() };
    let pairs = Grammar::parse(Rule::game, text).map_err(|error| explain(source, span, text, &error))?;
    for pair in pairs.flat_map(Pair::into_inner) {
        match pair.as_rule() {
            Rule::tag => game.tags.extend(read_tag(pair, span.start)),
            Rule::line => game.moves = read_line(source, pair, span.start)?,
            Rule::result => game.result = Some(token(&pair, span.start)),
            _ => {}
        }
    }
    match (game.tags.iter().find(|tag| tag.name == RESULT), &game.result) {
        (Some(tag), Some(result)) if RESULTS.contains(&tag.value.as_str()) && tag.value != result.text => {
            let message = format!("the result `{}` contradicts the tag `{RESULT}`", result.text);
            let error = Diagnostic::error(PGN_SYNTAX, source, result.span, message);
            Err(error.also(source, tag.span, "the tag"))
        }
        _ => Ok(game),
    }
}

fn token(pair: &Pair<'_, Rule>, base: usize) -> Token {
    Token { text: pair.as_str().to_owned(), span: span_of(pair, base) }
}

fn span_of(pair: &Pair<'_, Rule>, base: usize) -> Span {
    let span = pair.as_span();
    Span::new(base + span.start(), base + span.end())
}

fn read_tag(pair: Pair<'_, Rule>, base: usize) -> Option<Tag> {
    let mut inner = pair.into_inner();
    let name = token(&inner.next()?, base);
    let raw = token(&inner.next()?.into_inner().next()?, base);
    let mut value = String::with_capacity(raw.text.len());
    let mut chars = raw.text.chars().peekable();
    while let Some(char) = chars.next() {
        let escaped = if char == '\\' { chars.next_if(|next| matches!(next, '"' | '\\')) } else { None };
        value.push(escaped.unwrap_or(char));
    }
    Some(Tag { name: name.text, value, span: raw.span, name_span: name.span })
}

fn read_line(source: &Arc<Source>, line: Pair<'_, Rule>, base: usize) -> Result<Vec<Move>, Diagnostic> {
    let mut moves: Vec<Move> = Vec::new();
    for pair in line.into_inner() {
        if pair.as_rule() == Rule::symbol {
            let Token { text, span } = token(&pair, base);
            moves.push(Move { text, span, ..Move::default() });
            continue;
        }
        let Some(last) = moves.last_mut() else { continue };
        match pair.as_rule() {
            Rule::brace | Rule::rest => {
                let text = pair.as_str();
                let inside = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
                let inside = inside.or_else(|| text.strip_prefix(';')).unwrap_or(text);
                let mut taken = clocks::take(inside, span_of(&pair, base).start + 1);
                let [clock, spent, elapsed] = taken.times;
                last.clock_ms = clock.or(last.clock_ms);
                last.spent_ms = spent.or(last.spent_ms);
                last.elapsed_ms = elapsed.or(last.elapsed_ms);
                last.time_span = taken.span.or(last.time_span);
                last.time_faults.append(&mut taken.faults);
                if !taken.rest.is_empty() {
                    last.comments.push(taken.rest);
                }
            }
            Rule::nag => {
                let number = pair.as_str().trim_start_matches('$').parse().map_err(|_| {
                    let message = format!(
                        "expected an annotation from `$0` to `$255`, found `{}`",
                        shorten(pair.as_str())
                    );
                    Diagnostic::error(PGN_SYNTAX, source, span_of(&pair, base), message)
                })?;
                last.nags.push(number);
            }
            Rule::suffix => last.nags.push(match pair.as_str() {
                "!" => 1,
                "?" => 2,
                "!!" => 3,
                "??" => 4,
                "!?" => 5,
                _ => 6,
            }),
            Rule::variation => {
                for line in pair.into_inner().filter(|inner| inner.as_rule() == Rule::line) {
                    last.variations.push(read_line(source, line, base)?);
                }
            }
            _ => {}
        }
    }
    Ok(moves)
}

/// What each rule is called in messages, in the order in which messages name them. Comments and move
/// numbers are left out: they may stand nearly everywhere.
const EXPECTED: [(&[Rule], &str); 11] = [
    (&[Rule::game, Rule::tag], "a tag pair such as `[Event \"…\"]`"),
    (&[Rule::tag_name], "a tag name"),
    (&[Rule::value], "a value in double quotes"),
    (&[Rule::quote_close], "a closing `\"`"),
    (&[Rule::tag_close], "`]`"),
    (&[Rule::game, Rule::symbol], "a move"),
    (&[Rule::nag, Rule::suffix], "an annotation"),
    (&[Rule::variation], "a variation"),
    (&[Rule::game, Rule::result], "a result"),
    (&[Rule::variation_close], "`)`"),
    (&[Rule::EOI], "the end of the game"),
];

/// Says in the words of the format where and why the grammar stopped.
fn explain(source: &Arc<Source>, span: Span, text: &str, error: &pest::error::Error<Rule>) -> Diagnostic {
    let (InputLocation::Pos(at) | InputLocation::Span((at, _))) = error.location;
    let ErrorVariant::ParsingError { positives, .. } = &error.variant else {
        return Diagnostic::error(LIMIT_EXCEEDED, source, span, "this game is too much work to read");
    };
    let rest = text.get(at..).unwrap_or("");
    let length = match rest.chars().next() {
        Some(char) if char.is_alphanumeric() => {
            rest.find(|char: char| !char.is_alphanumeric()).unwrap_or(rest.len())
        }
        Some('\r' | '\n') | None => 0,
        Some(char) => char.len_utf8(),
    };
    let found = match rest.get(..length) {
        Some("") | None if rest.is_empty() => "the end of the game".to_owned(),
        Some("") | None => "the end of the line".to_owned(),
        Some(word) => format!("`{}`", shorten(word)),
    };
    let others = positives
        .iter()
        .any(|rule| *rule != Rule::EOI && EXPECTED.iter().any(|(rules, _)| rules.contains(rule)));
    let names: Vec<&str> = EXPECTED
        .iter()
        .filter(|(rules, _)| {
            rules.iter().any(|rule| positives.contains(rule) && !(others && *rule == Rule::EOI))
        })
        .map(|(_, name)| *name)
        .collect();
    let expected = match names.as_slice() {
        [] => "a move".to_owned(),
        [one] => (*one).to_owned(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    };
    let place = Span::new(span.start + at, span.start + at + length);
    Diagnostic::error(PGN_SYNTAX, source, place, format!("expected {expected}, found {found}"))
}

/// At most the first twenty characters of a token, for messages.
fn shorten(word: &str) -> String {
    let mut chars = word.chars();
    let mut short: String = chars.by_ref().take(20).collect();
    if chars.next().is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests;
