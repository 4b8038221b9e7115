//! Reads and writes TRF, the report file of tournaments: who takes part, and what each round gave.
//!
//! For everything that ranks, pairs or shows recorded tournaments. The editions of 2006, 2016 and 2026 are read, and
//! the codes that pairing programs have added. Invariant: fields stand at fixed columns and every one keeps its
//! place; what cannot be read, and what two lines say differently, is an error, all errors of a text are reported, and
//! what is assumed is a warning. Lines that say nothing about entries and rounds are kept as they are, so that a
//! report that is read and written again reads the same. Which rules a tournament follows is not looked at.

use std::sync::Arc;

use rulebook_model::Number;
use rulebook_syntax::codes::{LIMIT_EXCEEDED, SGF_REPAIRED, TRF_SYNTAX};
use rulebook_syntax::{Diagnostic, Source, Span};

mod agree;
mod columns;
pub mod encoding;
mod facts;
mod read;
mod scoring;
mod tables;
pub mod terms;
mod write;

#[cfg(test)]
mod tests;

pub use facts::{Adjusted, Bonus, Bye, Facts, Forbidden, Team};
pub use scoring::Scoring;
pub use tables::{from_tables, tables};
pub use write::write;

/// The longest text that is read, in bytes.
pub const MAX_TEXT: usize = 16 << 20;
/// The longest line, in bytes.
pub const MAX_LINE: usize = 16 << 10;
/// The most entries: their numbers have four digits.
pub const MAX_PLAYERS: usize = 9999;
/// The most rounds.
pub const MAX_ROUNDS: usize = 500;
/// No more errors than these are reported of one text, and no more warnings.
pub const MAX_ERRORS: usize = 100;

/// A report of a tournament.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The entries, in the order of the text.
    pub players: Vec<Player>,
    /// All other lines, in the order of the text.
    pub lines: Vec<Line>,
    /// What these lines say about rounds, points and pairings.
    pub facts: Facts,
}

/// A line that is not that of an entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Its code, such as `012`; `###` for a comment.
    pub code: String,
    /// What stands behind the code, without the one blank between them and blanks at the end.
    pub text: String,
    /// Its place.
    pub span: Span,
    /// Whether it stands before the first entry.
    pub above: bool,
}

/// An entry, and what each round gave it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Player {
    /// The number by which others name it.
    pub number: u16,
    /// One letter, or nothing.
    pub sex: String,
    /// The title.
    pub title: String,
    /// The name.
    pub name: String,
    /// The rating; zero if there is none.
    pub rating: u16,
    /// The federation.
    pub federation: String,
    /// The number in the list of the federation.
    pub id: String,
    /// The date of birth as written.
    pub birth: String,
    /// The points as written.
    pub points: Option<Number>,
    /// The rank as written.
    pub rank: Option<u16>,
    /// What each round gave, from the first one on.
    pub rounds: Vec<Cell>,
    /// Where the number stands.
    pub span: Span,
    /// Where the points stand.
    pub points_span: Span,
}

/// What a round gave an entry; nothing at all if the columns are blank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// The number of the opponent.
    pub opponent: Option<u16>,
    /// The colour.
    pub colour: Option<Colour>,
    /// The result.
    pub mark: Option<Mark>,
    /// Its place.
    pub span: Span,
}

impl Cell {
    /// Whether the columns are blank.
    pub fn is_blank(&self) -> bool {
        self.opponent.is_none() && self.mark.is_none()
    }

    /// Whether this is what pairing a round gives: an opponent, or the bye that is left over.
    pub fn is_paired(&self) -> bool {
        self.opponent.is_some() || self.mark == Some(Mark::Allocated)
    }
}

/// A colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Colour {
    /// The first one.
    White,
    /// The second one.
    Black,
}

impl Colour {
    /// The letter of a round.
    pub const fn letter(self) -> char {
        match self {
            Self::White => 'w',
            Self::Black => 'b',
        }
    }

    /// The other one.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }

    /// From a letter, capital or small.
    pub const fn from_letter(letter: char) -> Option<Self> {
        match letter {
            'w' | 'W' => Some(Self::White),
            'b' | 'B' => Some(Self::Black),
            _ => None,
        }
    }
}

/// A result as one sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mark {
    /// `1`
    Win,
    /// `=`
    Draw,
    /// `0`
    Loss,
    /// `W`: a win that is not rated.
    UnratedWin,
    /// `D`: a draw that is not rated.
    UnratedDraw,
    /// `L`: a loss that is not rated.
    UnratedLoss,
    /// `+`: the opponent did not come.
    ForfeitWin,
    /// `-`: did not come.
    ForfeitLoss,
    /// `H`: a bye for half of the points.
    Half,
    /// `F`: a bye for all of the points.
    Full,
    /// `U`: the bye of who is left over when a round is paired.
    Allocated,
    /// `Z`: a bye for no points.
    Zero,
}

impl Mark {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Win,
        Self::Draw,
        Self::Loss,
        Self::UnratedWin,
        Self::UnratedDraw,
        Self::UnratedLoss,
        Self::ForfeitWin,
        Self::ForfeitLoss,
        Self::Half,
        Self::Full,
        Self::Allocated,
        Self::Zero,
    ];

    /// Its sign.
    pub const fn sign(self) -> char {
        match self {
            Self::Win => '1',
            Self::Draw => '=',
            Self::Loss => '0',
            Self::UnratedWin => 'W',
            Self::UnratedDraw => 'D',
            Self::UnratedLoss => 'L',
            Self::ForfeitWin => '+',
            Self::ForfeitLoss => '-',
            Self::Half => 'H',
            Self::Full => 'F',
            Self::Allocated => 'U',
            Self::Zero => 'Z',
        }
    }

    /// From its sign; letters may be small.
    pub fn from_sign(sign: char) -> Option<Self> {
        Self::ALL.into_iter().find(|mark| mark.sign() == sign.to_ascii_uppercase())
    }

    /// Whether it stands without an opponent.
    pub const fn is_bye(self) -> bool {
        matches!(self, Self::Half | Self::Full | Self::Allocated | Self::Zero)
    }

    /// Whether a game has been played.
    pub const fn is_played(self) -> bool {
        !self.is_bye() && !matches!(self, Self::ForfeitWin | Self::ForfeitLoss)
    }

    /// What tables call a bye.
    pub const fn bye(self) -> &'static str {
        match self {
            Self::Half => "half",
            Self::Full => "full",
            Self::Allocated => "paired",
            Self::Zero => "zero",
            _ => "",
        }
    }

    /// From what tables call a bye.
    pub fn from_bye(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mark| mark.is_bye() && mark.bye() == word)
    }
}

impl Report {
    /// How many rounds have been paired: the last one in which an entry has an opponent or is left over.
    pub fn played(&self) -> usize {
        let last = |player: &Player| player.rounds.iter().rposition(Cell::is_paired).map_or(0, |at| at + 1);
        self.players.iter().map(last).max().unwrap_or(0)
    }

    /// The entry of a number.
    pub fn player(&self, number: u16) -> Option<&Player> {
        self.players.iter().find(|player| player.number == number)
    }

    /// The text of the first line with a code.
    pub fn line(&self, code: &str) -> Option<&str> {
        self.lines.iter().find(|line| line.code == code).map(|line| line.text.as_str())
    }

    /// Puts a line above the entries, in the place of the first one with its code if there is one. What it says
    /// counts when the report has been written and read.
    pub fn set_line(&mut self, code: &str, text: &str) {
        match self.lines.iter_mut().find(|line| line.code == code) {
            Some(line) => text.clone_into(&mut line.text),
            None => self.lines.push(Line {
                code: code.to_owned(),
                text: text.to_owned(),
                span: Span::default(),
                above: true,
            }),
        }
    }

    /// The same report without places, to compare what two texts say.
    #[must_use]
    pub fn without_places(mut self) -> Self {
        for player in &mut self.players {
            (player.span, player.points_span) = (Span::default(), Span::default());
            player.rounds.iter_mut().for_each(|cell| cell.span = Span::default());
        }
        self.lines.iter_mut().for_each(|line| line.span = Span::default());
        self.facts.forget_places();
        self
    }
}

/// Whether a text looks like a report, whatever its name is: a line of an entry, or one that such files begin with.
pub fn looks_like(text: &str) -> bool {
    let text = text.trim_start_matches('\u{FEFF}');
    let lines = text.split(['\n', '\r']).filter(|line| !line.trim().is_empty()).take(50);
    lines
        .clone()
        .next()
        .is_some_and(|line| starts_with_code(line, &["001", "012", "022", "032", "062", "XXR"]))
        && lines.clone().any(|line| starts_with_code(line, &["001", "012"]))
}

fn starts_with_code(line: &str, codes: &[&str]) -> bool {
    codes.iter().any(|code| line.strip_prefix(code).is_some_and(|rest| rest.starts_with(' ')))
}

/// Reads a report, with warnings about what was assumed.
///
/// # Errors
/// Everything that keeps the text from being a report that does not contradict itself, warnings included.
pub fn parse(source: &Arc<Source>) -> Result<(Report, Vec<Diagnostic>), Vec<Diagnostic>> {
    if source.text.len() > MAX_TEXT {
        let message = format!("the text has {} bytes; at most {MAX_TEXT} are read", source.text.len());
        return Err(vec![Diagnostic::error(LIMIT_EXCEEDED, source, Span::new(0, 0), message)]);
    }
    let mut notes = Notes { source, errors: Vec::new(), warnings: Vec::new() };
    let mut report = read::read(source, &mut notes);
    agree::agree(&mut report, &mut notes);
    notes.end(report)
}

/// What is found out about a text.
struct Notes<'a> {
    source: &'a Arc<Source>,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
}

impl Notes<'_> {
    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.push_error(Diagnostic::error(TRF_SYNTAX, self.source, span, message));
    }

    /// An error with a second place.
    fn contradiction(&mut self, span: Span, message: impl Into<String>, other: Span, text: &str) {
        let fault = Diagnostic::error(TRF_SYNTAX, self.source, span, message);
        self.push_error(fault.also(self.source, other, text));
    }

    fn push_error(&mut self, fault: Diagnostic) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(fault);
        }
    }

    fn warning(&mut self, span: Span, message: impl Into<String>) {
        if self.warnings.len() < MAX_ERRORS {
            self.warnings.push(Diagnostic::warning(SGF_REPAIRED, self.source, span, message));
        }
    }

    fn end(mut self, report: Report) -> Result<(Report, Vec<Diagnostic>), Vec<Diagnostic>> {
        let place = |found: &Diagnostic| found.labels.first().map(|label| label.span);
        self.warnings.sort_by_key(place);
        if self.errors.is_empty() {
            return Ok((report, self.warnings));
        }
        self.errors.extend(self.warnings);
        self.errors.sort_by_key(place);
        Err(self.errors)
    }
}
