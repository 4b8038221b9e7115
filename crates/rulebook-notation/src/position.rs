//! Positions as text: the fields that the notation section of a rule file lists.
//!
//! Invariant: what is written can be read back to the same state. A text that is too short leaves the
//! missing fields at their first values; a text that is wrong is an error at its place, never a guess.

use rulebook_model::placement;
use rulebook_model::ruleset::{Cell, Field, RuleSet, VarId};
use rulebook_model::{Number, Site, Sites, Value};
use rulebook_reference::State;

/// Why a text is not a position or an act.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TextError {
    /// First byte of the place in the text.
    pub start: usize,
    /// The byte after the last one.
    pub end: usize,
    /// What is wrong.
    pub message: String,
}

impl TextError {
    /// An error at a part of a text.
    pub fn at(text: &str, part: &str, message: impl Into<String>) -> Self {
        let start = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize).min(text.len());
        Self { start, end: (start + part.len()).min(text.len()), message: message.into() }
    }
}

/// Reads a position.
///
/// # Errors
/// Names the field that cannot be read, and why.
pub fn read_position(rules: &RuleSet, text: &str) -> Result<State, TextError> {
    let mut state = State::first(rules);
    let mut words = text.split_whitespace();
    let fields = &rules.notation.fields;
    if text.trim().is_empty() {
        return Err(TextError::at(text, text, "this position is empty"));
    }
    for field in fields {
        // A position text begins from nothing: what it does not say is not there.
        clear(rules, &mut state, field);
    }
    let mut number = None;
    for field in fields {
        let Some(word) = words.next() else { break };
        if matches!(field, Field::Board) {
            let made = placement::read(rules, word).map_err(|(at, message)| {
                TextError::at(text, word.get(at).filter(|part| !part.is_empty()).unwrap_or(word), message)
            })?;
            let mut store = |var: VarId, value: Value| {
                if let Some(slot) = state.vars.get_mut(usize::from(var)) {
                    *slot = value;
                }
            };
            if let Some(hands) = rules.notation.hands {
                store(hands, Value::List(made.hands.into_iter().map(Value::whole).collect()));
            }
            if let Some((marks, _)) = rules.notation.marks {
                store(marks, Value::sites(made.marked));
            }
            state.cells = made.cells;
            continue;
        }
        read_field(rules, &mut state, field, word, &mut number)
            .map_err(|message| TextError::at(text, word, message))?;
    }
    if let Some(extra) = words.next() {
        return Err(TextError::at(text, extra, "a position has no more fields than this"));
    }
    if let Some(number) = number {
        let players = rules.players.len().max(1) as u32;
        state.played = (number - 1) * players + u32::from(state.mover);
    } else {
        state.played = u32::from(state.mover);
    }
    state.restart();
    Ok(state)
}

fn clear(rules: &RuleSet, state: &mut State, field: &Field) {
    let mut nothing = |var: VarId, value: Value| {
        let each = rules.vars.get(usize::from(var)).map_or(&[][..], |var| &var.each);
        if let Some(slot) = state.vars.get_mut(usize::from(var)) {
            *slot = if each.is_empty() { value } else { Value::List(vec![value; rules.values(each)]) };
        }
    };
    match field {
        Field::Site(var) => nothing(*var, Value::Nothing),
        Field::Number(var) => nothing(*var, Value::Number(Number::ZERO)),
        Field::Sites(var) | Field::Sides { var, .. } => nothing(*var, Value::sites(Sites::EMPTY)),
        Field::Board => {
            if let Some(hands) = rules.notation.hands {
                nothing(hands, Value::Number(Number::ZERO));
            }
            if let Some((marks, _)) = rules.notation.marks {
                nothing(marks, Value::sites(Sites::EMPTY));
            }
            state.cells = vec![Cell::EMPTY; rules.board.len()];
        }
        Field::Turn | Field::Move => {}
    }
}

fn read_field(
    rules: &RuleSet,
    state: &mut State,
    field: &Field,
    word: &str,
    number: &mut Option<u32>,
) -> Result<(), String> {
    let mut store = |var: u16, value: Value| {
        if let Some(slot) = state.vars.get_mut(usize::from(var)) {
            *slot = value;
        }
    };
    match field {
        Field::Board => {}
        Field::Turn => {
            let at = rules.notation.turn.iter().position(|turn| turn == word);
            let Some(at) = at else {
                return Err(format!("the turn is {}, not `{word}`", rules.notation.turn.join(" or ")));
            };
            state.mover = at as u8;
        }
        Field::Move => {
            let value = word.parse::<u32>().ok().filter(|n| *n <= 100_000);
            let Some(value) = value else { return Err(format!("`{word}` is not the number of a move")) };
            // Some programs write 0 for the first move.
            *number = Some(value.max(1));
        }
        Field::Site(var) if word == "-" => store(*var, Value::Nothing),
        Field::Site(var) => match rules.board.site(word) {
            Some(site) => store(*var, Value::Site(site)),
            None => return Err(format!("`{word}` is not a site")),
        },
        Field::Number(var) => {
            let number = |word: &str| match word.parse::<u32>().ok().filter(|n| *n <= 100_000) {
                Some(value) => Ok(Value::whole(value as usize)),
                None => Err(format!("`{word}` is not a number")),
            };
            if rules.vars.get(usize::from(*var)).is_none_or(|var| var.each.is_empty()) {
                store(*var, number(word)?);
            } else {
                let numbers: Result<Vec<Value>, String> = word.split('+').map(number).collect();
                let numbers = numbers?;
                if numbers.len() != rules.players.len() {
                    return Err(format!("`{word}` is not a number for each player"));
                }
                store(*var, Value::List(numbers));
            }
        }
        Field::Sites(var) => {
            let mut sites = Sites::EMPTY;
            for name in word.split(',').filter(|_| word != "-") {
                sites.insert(rules.board.site(name).ok_or_else(|| format!("`{name}` is not a site"))?);
            }
            store(*var, Value::sites(sites));
        }
        Field::Sides { var, of, about, east, west } => {
            let sites = read_sides(rules, &state.cells, word, (*of, *about, *east, *west))?;
            if let Some(slot) = state.vars.get_mut(usize::from(*var)) {
                *slot = Value::sites(sites);
            }
        }
    }
    Ok(())
}

fn pieces(cells: &[Cell], kind: u8, player: u8) -> Vec<Site> {
    let wanted = Cell::piece(kind, player);
    (0..cells.len() as Site).filter(|site| cells.get(usize::from(*site)) == Some(&wanted)).collect()
}

fn read_sides(
    rules: &RuleSet,
    cells: &[Cell],
    word: &str,
    (of, about, east, west): (u8, u8, char, char),
) -> Result<Sites, String> {
    let board = &rules.board;
    let mut sites = Sites::EMPTY;
    if word == "-" {
        return Ok(sites);
    }
    for letter in word.chars() {
        let player = u8::from(!letter.is_ascii_uppercase());
        let small = letter.to_ascii_lowercase();
        let [centre] = pieces(cells, about, player)[..] else {
            return Err(format!("`{letter}` needs exactly one piece that it is about"));
        };
        let rank = board.rank(centre);
        let mut candidates = pieces(cells, of, player);
        candidates.retain(|site| board.rank(*site) == rank);
        let found = if small == east {
            candidates.into_iter().rfind(|site| *site > centre)
        } else if small == west {
            candidates.into_iter().find(|site| *site < centre)
        } else {
            candidates.into_iter().find(|site| board.name(*site).starts_with(small))
        };
        let Some(found) = found else {
            return Err(format!("there is no piece that `{letter}` could mean"));
        };
        sites.insert(found);
        sites.insert(centre);
    }
    Ok(sites)
}

/// Writes a position.
pub fn write_position(rules: &RuleSet, state: &State) -> String {
    let mut words = Vec::new();
    let var = |var: &u16| state.vars.get(usize::from(*var));
    for field in &rules.notation.fields {
        words.push(match field {
            Field::Board => write_placement(rules, state),
            Field::Turn => rules.notation.turn.get(usize::from(state.mover)).cloned().unwrap_or_default(),
            Field::Move => (state.played / rules.players.len().max(1) as u32 + 1).to_string(),
            Field::Site(at) => match var(at) {
                Some(Value::Site(site)) => rules.board.name(*site),
                _ => "-".into(),
            },
            Field::Number(at) => match var(at) {
                Some(Value::List(values)) => {
                    values.iter().map(|value| rules.show(value)).collect::<Vec<_>>().join("+")
                }
                value => value.map_or_else(|| "0".into(), |value| rules.show(value)),
            },
            Field::Sites(at) => match var(at) {
                Some(Value::Sites(sites)) if !sites.is_empty() => {
                    sites.iter().map(|site| rules.board.name(site)).collect::<Vec<_>>().join(",")
                }
                _ => "-".into(),
            },
            Field::Sides { var: at, of, about, east, west } => match var(at) {
                Some(Value::Sites(sites)) => write_sides(rules, state, sites, (*of, *about, *east, *west)),
                _ => "-".into(),
            },
        });
    }
    words.join(" ")
}

fn write_placement(rules: &RuleSet, state: &State) -> String {
    let board = &rules.board;
    let marks = rules.notation.marks.and_then(|(var, sign)| match state.vars.get(usize::from(var)) {
        Some(Value::Sites(sites)) => Some((sites, sign)),
        _ => None,
    });
    let mut ranks = Vec::new();
    for rank in (1..=i64::from(board.ranks)).rev() {
        let (mut text, mut blanks) = (String::new(), 0);
        for file in 1..=i64::from(board.files) {
            let site = board.at(file, rank);
            match site.and_then(|site| letter(rules, state.cell(site))) {
                Some(letter) => {
                    if blanks > 0 {
                        text.push_str(&blanks.to_string());
                        blanks = 0;
                    }
                    text.push_str(letter);
                    if let (Some(site), Some((sites, sign))) = (site, &marks)
                        && sites.contains(site)
                    {
                        text.push(*sign);
                    }
                }
                None => blanks += 1,
            }
        }
        if blanks > 0 {
            text.push_str(&blanks.to_string());
        }
        ranks.push(text);
    }
    ranks.join("/") + &write_hands(rules, state)
}

/// The pieces in hand in brackets, where the notation has them.
fn write_hands(rules: &RuleSet, state: &State) -> String {
    let values = rules.notation.hands.and_then(|var| state.vars.get(usize::from(var)));
    let Some(Value::List(values)) = values else { return String::new() };
    let kinds = rules.kinds.len().max(1);
    let mut text = String::new();
    for (at, value) in values.iter().enumerate() {
        let cell = Cell::piece((at % kinds) as u8, (at / kinds) as u8);
        let held = match value {
            Value::Number(number) => number.to_whole().and_then(|number| usize::try_from(number).ok()),
            _ => None,
        };
        text.push_str(&letter(rules, cell).unwrap_or_default().repeat(held.unwrap_or(0)));
    }
    format!("[{text}]")
}

/// The letter of a piece, perhaps with a sign before it.
pub fn letter(rules: &RuleSet, cell: Cell) -> Option<&str> {
    let letters = rules.notation.letters.get(usize::from(cell.kind()?))?;
    letters.get(usize::from(cell.owner()?)).map(String::as_str).filter(|letter| !letter.is_empty())
}

fn write_sides(
    rules: &RuleSet,
    state: &State,
    sites: &Sites,
    (of, about, east, west): (u8, u8, char, char),
) -> String {
    let board = &rules.board;
    let mut text = String::new();
    for player in 0..rules.players.len() as u8 {
        let [centre] = pieces(&state.cells, about, player)[..] else { continue };
        let mut held: Vec<Site> = pieces(&state.cells, of, player);
        let all = held.clone();
        held.retain(|site| sites.contains(*site));
        held.sort_unstable_by(|a, b| b.cmp(a));
        for site in held {
            let same = |other: &&Site| board.rank(**other) == board.rank(centre);
            let outermost = if site > centre { all.iter().rfind(same) } else { all.iter().find(same) };
            let mut letter = if board.rank(site) != board.rank(centre) {
                text.push_str(&format!("({})", board.name(site)));
                continue;
            } else if outermost == Some(&site) {
                if site > centre { east } else { west }
            } else {
                board.name(site).chars().next().unwrap_or(east)
            };
            if player == 0 {
                letter = letter.to_ascii_uppercase();
            }
            text.push(letter);
        }
    }
    if text.is_empty() { "-".into() } else { text }
}

/// A picture of the board in text, with names of files and ranks.
pub fn picture(rules: &RuleSet, state: &State) -> String {
    let board = &rules.board;
    if board.is_empty() {
        return String::new();
    }
    let mut lines = Vec::new();
    let width = board.ranks.to_string().len();
    for rank in (1..=i64::from(board.ranks)).rev() {
        let mut line = format!("{rank:>width$} ");
        for file in 1..=i64::from(board.files) {
            let cell = board.at(file, rank).map(|site| state.cell(site)).unwrap_or_default();
            let letter = letter(rules, cell).unwrap_or(".");
            // A sign before a letter takes the place of the blank that parts it from the one before.
            line.push_str(if letter.starts_with('+') { "" } else { " " });
            line.push_str(letter);
        }
        lines.push(line);
    }
    let plain = rulebook_model::board::Board {
        names: match board.names {
            rulebook_model::board::SiteNames::LettersWithoutI => {
                rulebook_model::board::SiteNames::LettersWithoutI
            }
            _ => rulebook_model::board::SiteNames::Letters,
        },
        ..board.clone()
    };
    let files: Vec<String> = (1..=i64::from(board.files))
        .filter_map(|file| board.at(file, 1))
        .map(|site| plain.name(site).trim_end_matches(|c: char| c.is_ascii_digit()).to_owned())
        .collect();
    lines.push(format!("{:width$}  {}", "", files.join(" ")));
    lines.join("\n")
}
