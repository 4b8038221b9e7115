//! Acts as text: sites and choices (`e2e4`, `e7e8q`, `D4`, `pass`), and the short notation of records.
//!
//! Invariant: a text is read by comparing it with the texts of acts that clauses grant, so it never means
//! an act that the rule set does not know. An ambiguous text is an error that lists what it may mean.

use rulebook_model::ruleset::{ActText, RuleSet};
use rulebook_model::{Site, Sites, Value};
use rulebook_reference::{Act, Outcomes, Plies, State};

use crate::judge::Judge;

/// What a text of an act may mean.
#[derive(Clone, Debug)]
pub struct Meant {
    /// The kind of piece that is named, or that stands where the text begins.
    pub piece: Option<u8>,
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    Plain(String),
    /// An act named in the notation section.
    Named(String),
    Short {
        piece: u8,
        file: Option<u16>,
        rank: Option<u16>,
        to: Site,
        choice: Option<u8>,
    },
}

/// The sign between a kind and the site that it is put on.
const PUT: char = '@';

fn letters(rules: &RuleSet, value: &Value) -> String {
    match value {
        Value::Kind(kind) => {
            let letters = rules.notation.letters.get(usize::from(*kind));
            letters.and_then(|letters| letters.last()).map(|letter| letter.to_lowercase()).unwrap_or_default()
        }
        // Who chose none of several chose nothing that is written.
        Value::Nothing => String::new(),
        value => rules.show(value),
    }
}

/// Whether an act is the one that a bare site means: the first that chooses something.
fn is_usual(rules: &RuleSet, act: u16) -> bool {
    let choosing = rules.clauses.iter().find_map(|clause| match &clause.form {
        rulebook_model::ruleset::Form::Act { act, choices, .. } if !choices.is_empty() => Some(*act),
        _ => None,
    });
    choosing == Some(act)
}

/// Whether the choices of an act begin with a site, which in records alone means a movement to it.
fn is_taken_for_a_move(rules: &RuleSet, act: &Act) -> bool {
    let first = act.choices.iter().find_map(|choice| act.value(*choice));
    matches!(first, Some(Value::Site(_)))
        && rules.notation.records.iter().any(|(letter, _)| letter.is_empty())
}

/// An act in full: the sites it goes from and to, or its name, and its choices.
pub fn write_act(rules: &RuleSet, act: &Act) -> String {
    let name = |site: Site| rules.board.name(site);
    let mut text = match (act.from, act.to) {
        (Some(from), Some(to)) => {
            let numbers = name(from).starts_with(|c: char| c.is_ascii_digit());
            let parting = if !numbers {
                ""
            } else if act.taken.is_empty() {
                "-"
            } else {
                "x"
            };
            format!("{}{parting}{}", name(from), name(to))
        }
        _ => {
            let name = rules.acts.get(usize::from(act.name)).cloned().unwrap_or_default();
            let sites = act.choices.iter().any(|choice| matches!(act.value(*choice), Some(Value::Site(_))));
            if !sites {
                name
            } else if is_usual(rules, act.name) && !is_taken_for_a_move(rules, act) {
                String::new()
            } else {
                format!("{name} ")
            }
        }
    };
    let mut values = act.choices.iter().filter_map(|choice| act.value(*choice)).peekable();
    while let Some(value) = values.next() {
        let letters = letters(rules, value);
        match (value, values.peek()) {
            // A kind that is put on a site: the sign parts its letter from the name of the site.
            (Value::Kind(_), Some(Value::Site(_))) if act.from.is_none() => {
                text.push_str(&letters.to_uppercase());
                text.push(PUT);
            }
            _ => text.push_str(&letters),
        }
    }
    text
}

/// An act in full, with the captured sites when another act has the same text.
pub fn write_unique(rules: &RuleSet, act: &Act, plies: &Plies) -> String {
    let text = write_act(rules, act);
    let twins = plies.legal.iter().filter(|ply| write_act(rules, &ply.act) == text).count();
    if twins < 2 {
        return text;
    }
    let taken: Vec<String> = act.taken.iter().map(|site| rules.board.name(site)).collect();
    format!("{text}[{}]", taken.join(","))
}

/// A text as it is compared: small letters, no blanks, no marks of praise or check, no signs between two
/// sites. Where sites are numbers the sign between them is kept, since it parts them.
fn folded(rules: &RuleSet, text: &str) -> String {
    let text = text.trim().trim_end_matches(['+', '#', '!', '?']);
    let small: Vec<char> = text.chars().filter(|c| !c.is_whitespace() && *c != '=').collect();
    let small: Vec<char> = small.into_iter().flat_map(char::to_lowercase).collect();
    let numbers = rules.board.names == rulebook_model::board::SiteNames::Shaded;
    let mut folded = String::new();
    for (at, sign) in small.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| small.get(at)).is_some_and(char::is_ascii_digit);
        let after = small.get(at + 1);
        match sign {
            '-' | 'x' | ':' if numbers => folded.push('-'),
            // After a site the sign parts; a file may be called x, but then its rank follows.
            '-' | 'x' | ':' if before && after.is_some_and(char::is_ascii_alphabetic) => {}
            sign => folded.push(*sign),
        }
    }
    folded
}

/// What a text may mean in a state. `None` if it has no form of an act at all.
pub fn read_act(rules: &RuleSet, state: &State, text: &str) -> Option<Meant> {
    let text = text.trim();
    let plain = folded(rules, text);
    if plain.is_empty() {
        return None;
    }
    if plain.contains(PUT) {
        return Some(Meant { piece: None, form: Form::Plain(plain) });
    }
    let bare = text.trim_end_matches(['+', '#', '!', '?']);
    let zeroes = bare.replace('0', "O");
    let named = rules.notation.names.iter().find(|name| name.text == bare || name.text == zeroes);
    if let Some(name) = named {
        let form = Form::Named(name.text.clone());
        return Some(Meant { piece: None, form });
    }
    if let Some(short) = read_short(rules, bare) {
        let Form::Short { piece, .. } = short else { return None };
        return Some(Meant { piece: Some(piece), form: short });
    }
    if let Some(from) = leading_site(rules, &plain) {
        return Some(Meant { piece: state.cell(from).kind(), form: Form::Plain(plain) });
    }
    let known = rules.acts.iter().any(|act| plain.starts_with(&folded(rules, act)));
    let site = rules.board.site(&plain).is_some();
    (known || site).then_some(Meant { piece: None, form: Form::Plain(plain) })
}

/// The site at the beginning of a text that names two.
fn leading_site(rules: &RuleSet, text: &str) -> Option<Site> {
    let parts: Vec<&str> = text.split('-').collect();
    if let [first, rest @ ..] = &parts[..]
        && !rest.is_empty()
    {
        return rules.board.site(first);
    }
    let end = text.char_indices().skip(1).find(|(at, c)| {
        c.is_ascii_alphabetic()
            && text.get(..*at).is_some_and(|head| head.ends_with(|c: char| c.is_ascii_digit()))
    })?;
    rules.board.site(text.get(..end.0)?)
}

/// Short notation: letter of the kind, where it comes from as far as needed, capture sign, site, choice.
fn read_short(rules: &RuleSet, text: &str) -> Option<Form> {
    let records = &rules.notation.records;
    if records.is_empty() {
        return None;
    }
    let kind_of = |letter: &str| records.iter().find(|(known, _)| known == letter).map(|(_, kind)| *kind);
    let (body, choice) = match text.split_once('=') {
        Some((body, letter)) => (body, Some(kind_of(letter)?)),
        None => match text.chars().last().filter(|c| c.is_ascii_uppercase()) {
            Some(last) if text.len() > 2 => (text.get(..text.len() - 1)?, Some(kind_of(&last.to_string())?)),
            _ => (text, None),
        },
    };
    let first: String = body.chars().take(1).filter(char::is_ascii_uppercase).collect();
    let piece = kind_of(&first)?;
    let rest = body.get(first.len()..)?.replace(['x', ':', '-'], "");
    if !rest.is_ascii() {
        return None;
    }
    // The last letter with the digits after it is the site.
    let split = rest.rfind(|c: char| c.is_ascii_lowercase())?;
    let (head, site) = rest.split_at_checked(split)?;
    let to = rules.board.site(site)?;
    let digits: String = head.chars().filter(char::is_ascii_digit).collect();
    let file: String = head.chars().filter(|c| !c.is_ascii_digit()).collect();
    // A full site before another one, without the letter of a kind, is not short notation.
    if first.is_empty() && !file.is_empty() && !digits.is_empty() {
        return None;
    }
    let file =
        if file.is_empty() { None } else { Some(rules.board.file(rules.board.site(&format!("{file}1"))?)) };
    let rank = if digits.is_empty() { None } else { Some(digits.parse().ok()?) };
    Some(Form::Short { piece, file, rank, to, choice })
}

impl Meant {
    /// The clauses that could grant such an act: those of the named act, of the kind of piece, or, where a
    /// text names neither, those that choose something.
    pub fn grants(&self, rules: &RuleSet) -> Vec<u16> {
        use rulebook_model::ruleset::Form as Clause;
        let named: Vec<u16> = match &self.form {
            Form::Named(text) => rules
                .notation
                .names
                .iter()
                .filter(|name| name.text == *text)
                .filter_map(|name| name.act)
                .collect(),
            _ => Vec::new(),
        };
        let could = |form: &Clause| match (form, self.piece) {
            (Clause::Move { act, .. } | Clause::Act { act, .. }, _) if !named.is_empty() => {
                named.contains(act)
            }
            (Clause::Move { kinds, .. }, Some(piece)) => kinds.contains(&piece),
            (Clause::Act { .. }, None) => true,
            _ => false,
        };
        let clauses = rules.clauses.iter().enumerate();
        clauses.filter(|(_, clause)| could(&clause.form)).map(|(at, _)| at as u16).collect()
    }

    /// Whether an act in a state is meant.
    pub fn is(&self, engine: &dyn Judge, state: &State, act: &Act) -> bool {
        let rules = engine.rules();
        let named = || act_name(engine, state, act);
        match &self.form {
            Form::Plain(text) => {
                // Captured sites in brackets may stand in any order.
                let (text, listed) = match text.strip_suffix(']').and_then(|text| text.split_once('[')) {
                    Some((text, listed)) => (text, Some(listed)),
                    None => (text.as_str(), None),
                };
                if let Some(listed) = listed {
                    let sites: Option<Sites> = listed.split(',').map(|name| rules.board.site(name)).collect();
                    if sites != Some(act.taken) {
                        return false;
                    }
                }
                let full = folded(rules, &write_act(rules, act));
                let name = folded(rules, rules.acts.get(usize::from(act.name)).map_or("", String::as_str));
                text == full || text == format!("{name}{full}") || text == name
            }
            Form::Named(text) => named().as_deref() == Some(text),
            Form::Short { piece, file, rank, to, choice } => {
                let from = |of: fn(&rulebook_model::board::Board, Site) -> u16| {
                    act.from.map(|site| of(&rules.board, site))
                };
                act.piece == Some(*piece)
                    && act.to == Some(*to)
                    && file.is_none_or(|file| from(rulebook_model::board::Board::file) == Some(file))
                    && rank.is_none_or(|rank| from(rulebook_model::board::Board::rank) == Some(rank))
                    && *choice == chosen(act)
                    && named().is_none()
            }
        }
    }
}

/// The kind that was chosen in an act, such as the one a piece became.
fn chosen(act: &Act) -> Option<u8> {
    act.choices.iter().find_map(|choice| match act.value(*choice) {
        Some(Value::Kind(kind)) => Some(*kind),
        _ => None,
    })
}

fn first_text(engine: &dyn Judge, state: &State, texts: &[ActText], act: &Act) -> Outcomes<Option<String>> {
    for text in texts {
        let right = text.act.is_none_or(|name| name == act.name);
        if right && engine.text_holds(state, text, Some(act))? {
            return Ok(Some(text.text.clone()));
        }
    }
    Ok(None)
}

/// The name an act has in records, if it has one.
pub fn act_name(engine: &dyn Judge, state: &State, act: &Act) -> Option<String> {
    let names = &engine.rules().notation.names;
    if names.iter().all(|name| name.act != Some(act.name)) {
        return None;
    }
    first_text(engine, state, names, act).ok().flatten()
}

/// An act in the short notation of records, as far as the rule set has one; else in full.
///
/// # Errors
/// A fault of the rule set in this situation.
pub fn write_short(engine: &dyn Judge, state: &State, act: &Act, next: &State) -> Outcomes<String> {
    let rules = engine.rules();
    // The short notation has room for a kind that was chosen, and for nothing else.
    let room = |choice: &u16| matches!(act.value(*choice), Some(Value::Kind(_) | Value::Nothing) | None);
    if !act.choices.iter().all(room) {
        return Ok(write_act(rules, act));
    }
    let suffix = first_text(engine, next, &rules.notation.suffixes, act)?.unwrap_or_default();
    if let Some(name) = act_name(engine, state, act) {
        return Ok(name + &suffix);
    }
    let record = |kind: u8| {
        rules.notation.records.iter().find(|(_, known)| *known == kind).map(|(text, _)| text.clone())
    };
    let (Some(from), Some(to), Some(letter)) = (act.from, act.to, act.piece.and_then(record)) else {
        return Ok(write_act(rules, act));
    };
    let plies = engine.plies(state)?;
    let rivals: Vec<Site> = plies
        .legal
        .iter()
        .map(|ply| &ply.act)
        .filter(|other| other.piece == act.piece && other.to == act.to && other.from != act.from)
        .filter(|other| act_name(engine, state, other).is_none())
        .filter_map(|other| other.from)
        .collect();
    let board = &rules.board;
    let name = board.name(from);
    let file = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let rank = name.get(file.len()..).unwrap_or("");
    let captures = !act.taken.is_empty();
    let origin = if rivals.is_empty() {
        if letter.is_empty() && captures { file } else { "" }
    } else if rivals.iter().all(|site| board.file(*site) != board.file(from)) {
        file
    } else if rivals.iter().all(|site| board.rank(*site) != board.rank(from)) {
        rank
    } else {
        name.as_str()
    };
    let choice = chosen(act).and_then(record).map(|letter| format!("={letter}")).unwrap_or_default();
    let capture = if captures { "x" } else { "" };
    Ok(format!("{letter}{origin}{capture}{}{choice}{suffix}", board.name(to)))
}
