//! What the lines beside the entries say: rounds, points, teams, byes asked for, who may not meet.
//!
//! Invariant: a line with a code that is read here says something or is an error; every other line is kept and says
//! nothing. Numbers of entries are checked where all of them are known.

use rulebook_model::Number;
use rulebook_syntax::Span;

use super::columns::{Columns, Field};
use super::{Colour, Line, MAX_ROUNDS, Mark, Notes, Scoring};

/// What a report says besides its entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// How many rounds there will be.
    pub rounds: Option<(usize, Span)>,
    /// The colour that the first entry has in the first round.
    pub colour: Option<(Colour, Span)>,
    /// What results are worth.
    pub scoring: Scoring,
    /// The tie-breaks, in their order, each as its acronym and modifiers.
    pub ties: Vec<(String, Span)>,
    /// Teams.
    pub teams: Vec<Team>,
    /// Byes that have been asked for.
    pub byes: Vec<Bye>,
    /// Those who do not take part in the next round.
    pub absent: Vec<(u16, Span)>,
    /// Points that count for pairing only.
    pub bonuses: Vec<Bonus>,
    /// Those who may not meet.
    pub forbidden: Vec<Forbidden>,
    /// Points that differ from what results are worth.
    pub adjusted: Vec<Adjusted>,
    /// How many entries the report says it has.
    pub(super) count: Option<(usize, Span)>,
}

/// A team.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Team {
    /// Its number, if it has one.
    pub number: Option<u16>,
    /// Its name.
    pub name: String,
    /// The numbers of its entries, in the order of the boards.
    pub players: Vec<(u16, Span)>,
}

/// A bye that has been asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bye {
    /// Which one.
    pub mark: Mark,
    /// The round.
    pub round: usize,
    /// By whom.
    pub player: u16,
    /// Where that stands.
    pub span: Span,
}

/// Points that count for pairing only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bonus {
    /// How many.
    pub points: Number,
    /// The first round and the last one.
    pub rounds: (usize, usize),
    /// The first entry and the last one.
    pub players: (u16, u16),
    /// Where that stands.
    pub span: Span,
}

/// Entries none of whom may meet another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forbidden {
    /// The first round and the last one.
    pub rounds: (usize, usize),
    /// The entries.
    pub players: Vec<(u16, Span)>,
}

/// Points that differ from what a result is worth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adjusted {
    /// The result that is meant; without one the points are added.
    pub mark: Option<Mark>,
    /// The points.
    pub points: Number,
    /// The round; all of them without one.
    pub round: Option<usize>,
    /// The entries.
    pub players: Vec<(u16, Span)>,
    /// Where that stands.
    pub span: Span,
}

impl Facts {
    /// Every number of an entry that is named here, with its place. Teams name their own numbers in team events.
    pub(super) fn named(&self) -> Vec<(u16, Span)> {
        let mut named = self.absent.clone();
        named.extend(self.byes.iter().map(|bye| (bye.player, bye.span)));
        named.extend(self.teams.iter().flat_map(|team| &team.players));
        if self.teams.iter().all(|team| team.number.is_none()) {
            named.extend(self.forbidden.iter().flat_map(|forbidden| &forbidden.players));
            named.extend(self.adjusted.iter().flat_map(|adjusted| &adjusted.players));
        }
        named
    }

    pub(super) fn forget_places(&mut self) {
        let none = Span::default();
        let pairs = |pairs: &mut Vec<(u16, Span)>| pairs.iter_mut().for_each(|(_, span)| *span = none);
        if let Some((_, span)) = &mut self.rounds {
            *span = none;
        }
        if let Some((_, span)) = &mut self.colour {
            *span = none;
        }
        if let Some((_, span)) = &mut self.count {
            *span = none;
        }
        self.ties.iter_mut().for_each(|(_, span)| *span = none);
        self.teams.iter_mut().for_each(|team| pairs(&mut team.players));
        self.byes.iter_mut().for_each(|bye| bye.span = none);
        pairs(&mut self.absent);
        self.bonuses.iter_mut().for_each(|bonus| bonus.span = none);
        self.forbidden.iter_mut().for_each(|forbidden| pairs(&mut forbidden.players));
        for adjusted in &mut self.adjusted {
            adjusted.span = none;
            pairs(&mut adjusted.players);
        }
    }

    /// Takes in what a line says.
    pub(super) fn take(&mut self, line: &Line, columns: &Columns<'_>, notes: &mut Notes<'_>) {
        let text = columns.rest(4);
        match line.code.as_str() {
            "062" => self.count = number(text, "a number of entries", notes).map(|n| (n, text.span)),
            "142" | "XXR" => self.take_rounds(text, notes),
            "152" => {
                let mut signs = text.text.chars();
                match (signs.next().and_then(Colour::from_letter), signs.next()) {
                    (Some(colour), None) => self.take_colour(colour, text.span, notes),
                    _ => notes.error(text.span, format!("`{}` is not `W` or `B`", text.text)),
                }
            }
            "XXC" => self.take_configuration(text, notes),
            "162" => self.take_points(text, notes),
            "XXS" => self.take_codes(text, notes),
            "BBW" | "BBD" | "BBL" | "BBZ" | "BBF" | "BBU" => {
                if let Some(value) = points(text, notes) {
                    self.scoring.set(&line.code, value);
                }
            }
            // The second one says more: where points stand among the tie-breaks.
            "202" if !self.ties.is_empty() => {}
            "202" => {
                self.ties = vec![("PTS".to_owned(), text.span)];
                self.ties.extend(ties(text));
            }
            "212" => self.ties = ties(text),
            "013" => self.take_team(columns, (5, 36), 37, notes),
            "310" => self.take_team(columns, (9, 40), 74, notes),
            "240" => self.take_bye(columns, notes),
            "250" => self.take_bonus(columns, notes),
            "260" => self.take_forbidden(columns, notes),
            "299" => self.take_adjusted(columns, notes),
            "XXA" => self.take_bonuses(text, notes),
            "XXP" => {
                let players = players(text, notes);
                if players.len() == 1 {
                    notes.error(text.span, "one entry alone cannot be kept from meeting anybody");
                }
                self.forbidden.push(Forbidden { rounds: (1, MAX_ROUNDS), players });
            }
            "XXZ" => self.absent.extend(players(text, notes)),
            _ => {}
        }
    }

    fn take_rounds(&mut self, text: Field<'_>, notes: &mut Notes<'_>) {
        let Some(rounds) = number(text, "a number of rounds", notes) else { return };
        if rounds == 0 || rounds > MAX_ROUNDS {
            notes.error(text.span, format!("a tournament has from 1 to {MAX_ROUNDS} rounds, not {rounds}"));
            return;
        }
        match self.rounds {
            Some((known, span)) if known != rounds => {
                let message = format!("{rounds} rounds here, but {known} before");
                notes.contradiction(text.span, message, span, "the other number");
            }
            _ => self.rounds = Some((rounds, text.span)),
        }
    }

    fn take_colour(&mut self, colour: Colour, span: Span, notes: &mut Notes<'_>) {
        match self.colour {
            Some((known, other)) if known != colour => {
                notes.contradiction(
                    span,
                    "this is not the colour that was said before",
                    other,
                    "the other one",
                );
            }
            _ => self.colour = Some((colour, span)),
        }
    }

    fn take_configuration(&mut self, text: Field<'_>, notes: &mut Notes<'_>) {
        for word in text.words() {
            match word.text.to_ascii_lowercase().as_str() {
                "white1" => self.take_colour(Colour::White, word.span, notes),
                "black1" => self.take_colour(Colour::Black, word.span, notes),
                "rank" => {}
                _ => notes.warning(word.span, format!("`{}` says nothing that is known here", word.text)),
            }
        }
    }

    /// Letters with points, such as `W 3.0  D 1.0`, with or without blanks between them.
    fn take_points(&mut self, text: Field<'_>, notes: &mut Notes<'_>) {
        let mut rest = text;
        while let Some(letter) = rest.text.chars().next() {
            let skipped = letter.len_utf8();
            let after = part(rest, skipped, rest.text.len());
            let end = after.text.find(|sign: char| sign.is_alphabetic()).unwrap_or(after.text.len());
            let value = part(after, 0, end);
            let code = letter.to_ascii_uppercase();
            let place = Span::new(rest.span.start, rest.span.start + skipped);
            if let Some(value) = points(value, notes)
                && !(code.is_ascii_uppercase() && self.scoring.set(code.encode_utf8(&mut [0; 4]), value))
            {
                notes.error(place, format!("`{letter}` is none of the results W, D, L, A, P and X"));
            }
            rest = part(after, end, after.text.len());
        }
    }

    fn take_codes(&mut self, text: Field<'_>, notes: &mut Notes<'_>) {
        for word in text.words() {
            let Some((code, _)) = word.text.split_once('=') else {
                notes.error(
                    word.span,
                    format!("`{}` is no code with its points, such as `WW=3.0`", word.text),
                );
                continue;
            };
            let Some(value) = points(part(word, code.len() + 1, word.text.len()), notes) else { continue };
            if code.starts_with("BB") || !self.scoring.set(&code.to_ascii_uppercase(), value) {
                notes.error(word.span, format!("`{code}` is no code of a result"));
            }
        }
    }

    fn take_team(
        &mut self,
        columns: &Columns<'_>,
        name: (usize, usize),
        first: usize,
        notes: &mut Notes<'_>,
    ) {
        let field = columns.field(5, 7);
        let number = if first > 40 { number(field, "the number of a team", notes) } else { None };
        let mut team = Team {
            number: number.and_then(|number| u16::try_from(number).ok()),
            name: columns.field(name.0, name.1).text.to_owned(),
            players: Vec::new(),
        };
        let mut at = first;
        while at <= columns.len() {
            team.players.extend(players(columns.field(at, at + 3), notes));
            at += 5;
        }
        self.teams.push(team);
    }

    fn take_bye(&mut self, columns: &Columns<'_>, notes: &mut Notes<'_>) {
        let letter = columns.field(5, 5);
        let mark = letter.text.chars().next().and_then(Mark::from_sign);
        let mark = mark.filter(|mark| matches!(mark, Mark::Half | Mark::Full | Mark::Zero));
        let round = round(columns.field(7, 9), notes);
        let Some(mark) = mark else {
            notes.error(letter.span, format!("`{}` is none of the byes F, H and Z", letter.text));
            return;
        };
        let Some(round) = round else { return };
        for (player, span) in players(columns.rest(10), notes) {
            self.byes.push(Bye { mark, round, player, span });
        }
    }

    fn take_bonus(&mut self, columns: &Columns<'_>, notes: &mut Notes<'_>) {
        let (teams, entries) = (columns.field(5, 8), columns.field(10, 13));
        let value = if entries.text.is_empty() { teams } else { entries };
        let value = points(value, notes);
        let rounds = round(columns.field(15, 17), notes).zip(round(columns.field(19, 21), notes));
        let (first, last) = (columns.field(23, 26), columns.field(28, 31));
        let players = player(first, notes).zip(player(last, notes));
        if let (Some(points), Some(rounds), Some(players)) = (value, rounds, players) {
            let span = first.span.join(last.span);
            self.bonuses.push(Bonus { points, rounds, players, span });
        }
    }

    fn take_bonuses(&mut self, text: Field<'_>, notes: &mut Notes<'_>) {
        let mut words = text.words();
        let Some(first) = words.next() else {
            notes.error(text.span, "whose points are these?");
            return;
        };
        let Some(number) = player(first, notes) else { return };
        for (round, word) in (1..=MAX_ROUNDS).zip(words) {
            let Some(points) = points(word, notes) else { continue };
            if points != Number::ZERO {
                let (rounds, players) = ((round, round), (number, number));
                self.bonuses.push(Bonus { points, rounds, players, span: first.span });
            }
        }
    }

    fn take_forbidden(&mut self, columns: &Columns<'_>, notes: &mut Notes<'_>) {
        let rounds = round(columns.field(5, 7), notes).zip(round(columns.field(9, 11), notes));
        let text = columns.rest(12);
        let players = players(text, notes);
        if players.len() == 1 {
            notes.error(text.span, "one entry alone cannot be kept from meeting anybody");
        }
        if let Some(rounds) = rounds {
            self.forbidden.push(Forbidden { rounds, players });
        }
    }

    fn take_adjusted(&mut self, columns: &Columns<'_>, notes: &mut Notes<'_>) {
        let letter = columns.field(5, 5);
        let mark = letter.text.chars().next().map(Mark::from_sign);
        let (teams, entries) = (columns.field(8, 11), columns.field(14, 17));
        let value = points(if entries.text.is_empty() { teams } else { entries }, notes);
        let number = columns.field(20, 22);
        let every = number.text.trim_start_matches('0').is_empty();
        let round = if every { Some(None) } else { round(number, notes).map(Some) };
        let players = players(columns.rest(23), notes);
        if mark == Some(None) {
            notes.error(letter.span, format!("`{}` is no result", letter.text));
        }
        if let (Some(points), Some(round)) = (value, round) {
            self.adjusted.push(Adjusted {
                mark: mark.flatten(),
                points,
                round,
                players,
                span: letter.span.join(number.span),
            });
        }
    }
}

/// A part of a field, without blanks around it.
fn part(field: Field<'_>, from: usize, to: usize) -> Field<'_> {
    let whole = field.text.get(from..to).unwrap_or("");
    let text = whole.trim();
    let begin = field.span.start + from + whole.find(text).unwrap_or(0);
    Field { text, span: Span::new(begin, begin + text.len()) }
}

fn ties(text: Field<'_>) -> Vec<(String, Span)> {
    let mut at = 0;
    let mut ties = Vec::new();
    for piece in text.text.split(',') {
        let field = part(text, at, at + piece.len());
        if !field.text.is_empty() {
            ties.push((field.text.to_owned(), field.span));
        }
        at += piece.len() + 1;
    }
    ties
}

/// Whole numbers as digits only, so that no sign and no blank is read over.
pub(super) fn digits(text: &str) -> Option<usize> {
    let fine = !text.is_empty() && text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit());
    fine.then(|| text.parse().ok()).flatten()
}

fn number(field: Field<'_>, what: &str, notes: &mut Notes<'_>) -> Option<usize> {
    let found = digits(field.text);
    if found.is_none() {
        notes.error(field.span, format!("`{}` is not {what}", field.text));
    }
    found
}

fn round(field: Field<'_>, notes: &mut Notes<'_>) -> Option<usize> {
    let found = number(field, "the number of a round", notes)?;
    if (1..=MAX_ROUNDS).contains(&found) {
        return Some(found);
    }
    notes.error(field.span, format!("the number of a round is from 1 to {MAX_ROUNDS}, not {found}"));
    None
}

fn player(field: Field<'_>, notes: &mut Notes<'_>) -> Option<u16> {
    let found = digits(field.text).and_then(|number| u16::try_from(number).ok());
    let found = found.filter(|number| (1..=9999).contains(number));
    if found.is_none() {
        notes.error(field.span, format!("`{}` is not the number of an entry, from 1 to 9999", field.text));
    }
    found
}

/// The numbers of entries in a field; a board or round without one has zeros.
fn players(field: Field<'_>, notes: &mut Notes<'_>) -> Vec<(u16, Span)> {
    let words = field.words().filter(|word| word.text != "0000");
    words.filter_map(|word| player(word, notes).map(|number| (number, word.span))).collect()
}

/// Points: digits with at most one point, perhaps with a sign.
pub(super) fn points(field: Field<'_>, notes: &mut Notes<'_>) -> Option<Number> {
    let text = field.text.strip_prefix('-').unwrap_or(field.text);
    let plain = text.len() <= 9
        && text.bytes().any(|byte| byte.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    // A number may begin with its point.
    let padded =
        if let Some(rest) = field.text.strip_prefix('.') { format!("0.{rest}") } else { field.text.into() };
    let found = if plain { Number::parse(&padded) } else { None };
    if found.is_none() {
        notes.error(field.span, format!("`{}` is no number of points, such as `7.5`", field.text));
    }
    found
}
