//! One rule file as written: its sections and clauses, every string parsed, nothing resolved.
//!
//! Invariant: reading never stops at the first fault; what is wrong is reported and left out.
//! A draft knows nothing of other files: layering is the next stage.

use std::collections::BTreeSet;
use std::sync::Arc;

use rulebook_syntax::ast::{Choice, Dirs, Effect, Expr, Head, Path, Period};
use rulebook_syntax::{Diagnostic, Source, Span, codes};

use crate::pairing::Preference;
use crate::ruleset::{Index, Phrase};

pub(crate) mod read;

/// A text with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loc {
    /// The text.
    pub text: String,
    /// Where it stands.
    pub span: Span,
    /// In which file.
    pub source: Arc<Source>,
}

impl Loc {
    /// An error at this place.
    pub fn error(&self, code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(code, &self.source, self.span, message)
    }

    /// A warning at this place.
    pub fn warning(&self, code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::warning(code, &self.source, self.span, message)
    }
}

/// Something with the file it stands in.
#[derive(Clone, Debug)]
pub struct In<T> {
    /// The thing.
    pub it: T,
    /// Its file.
    pub source: Arc<Source>,
}

/// A rule file as written.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The text.
    pub source: Arc<Source>,
    /// `id`
    pub id: Loc,
    /// `title`
    pub title: Phrase,
    /// `extends`: the bases, in order.
    pub extends: Vec<Loc>,
    /// `players`
    pub players: Vec<Loc>,
    /// `phases`
    pub phases: Vec<Loc>,
    /// `units`
    pub units: Vec<Loc>,
    /// `sources`
    pub sources: Vec<(Loc, Phrase)>,
    /// `params`
    pub params: Vec<ParamDraft>,
    /// `board`
    pub board: Option<BoardDraft>,
    /// `pieces`
    pub pieces: Vec<Loc>,
    /// `directions`
    pub directions: Vec<(Loc, DirectionDraft)>,
    /// `state`
    pub state: Vec<StateDraft>,
    /// `setup`
    pub setup: Vec<(Loc, SetupDraft)>,
    /// `define`
    pub define: Vec<DefineDraft>,
    /// `answers`
    pub answers: Vec<Loc>,
    /// `macros`
    pub macros: Vec<MacroDraft>,
    /// `tables`
    pub tables: Vec<(Loc, Vec<(Loc, Loc)>)>,
    /// `pairing`
    pub pairing: Option<PairingDraft>,
    /// `notation`
    pub notation: Option<NotationDraft>,
    /// `clock`: one time control, or one for each player.
    pub clock: Vec<(Option<Loc>, In<Vec<Period>>)>,
    /// `without`
    pub without: Vec<Loc>,
    /// `clauses`
    pub clauses: Vec<ClauseDraft>,
    /// Names whose declarations could not be read: already reported, so not unknown.
    pub lost: BTreeSet<String>,
}

/// A parameter as written.
#[derive(Clone, Debug)]
pub struct ParamDraft {
    /// Its name.
    pub name: Loc,
    /// Its value.
    pub value: In<Expr>,
    /// What it cites.
    pub cites: Vec<Loc>,
    /// Since when it holds.
    pub since: String,
}

/// A board as written.
#[derive(Clone, Debug)]
pub struct BoardDraft {
    /// The place of the section.
    pub at: Loc,
    /// Number of files.
    pub files: Option<In<Expr>>,
    /// Number of ranks.
    pub ranks: Option<In<Expr>>,
    /// Directions of touching sites.
    pub adjacent: Option<In<Dirs>>,
    /// Which way is forward, by player.
    pub forward: Vec<(Loc, Loc)>,
    /// How sites are named.
    pub names: Option<Loc>,
}

/// A direction as written.
#[derive(Clone, Debug)]
pub enum DirectionDraft {
    /// A step; the flag is set when it turns with the player.
    Step(i8, i8, bool),
    /// A union of others.
    Union(Dirs),
}

/// A state variable as written.
#[derive(Clone, Debug)]
pub struct StateDraft {
    /// Its name.
    pub name: Loc,
    /// Its type.
    pub ty: Loc,
    /// What there is one of it for.
    pub each: Vec<Index>,
    /// Whether it lasts one ply only.
    pub fleeting: bool,
    /// Whether it stays as it is when an earlier position returns.
    pub kept: bool,
    /// Its first value.
    pub start: Option<In<Expr>>,
}

/// An entry of `setup` as written.
#[derive(Clone, Debug)]
pub enum SetupDraft {
    /// What stands where, rank by rank from the top.
    Placement(Loc),
    /// The first value of a variable.
    Value(In<Expr>),
}

/// A definition as written.
#[derive(Clone, Debug)]
pub struct DefineDraft {
    /// Name and parameters.
    pub head: Head,
    /// The place of the head.
    pub at: Loc,
    /// One body, or one for each player.
    pub bodies: Vec<(Option<Loc>, In<Expr>)>,
}

/// A macro as written.
#[derive(Clone, Debug)]
pub struct MacroDraft {
    /// Name and parameter.
    pub head: Head,
    /// The place of the head.
    pub at: Loc,
    /// The pattern.
    pub body: In<Path>,
}

/// The letters of a kind: one for all players, or one for each.
pub type Letters = Vec<(Option<Loc>, Loc)>;

/// The pairing section as written.
#[derive(Clone, Debug)]
pub struct PairingDraft {
    /// The place of the section.
    pub at: Loc,
    /// The table of those who are paired.
    pub of: Option<Loc>,
    /// The table of what was played.
    pub games: Option<Loc>,
    /// Its field that is the number of the round.
    pub round: Option<Loc>,
    /// Its fields that are the sides.
    pub sides: Vec<Loc>,
    /// Whether an entry is to be paired.
    pub present: Option<In<Expr>>,
    /// Whether a row of the round was there before.
    pub known: Option<In<Expr>>,
    /// The keys of the order.
    pub order: Vec<In<Expr>>,
    /// The number whose equals form a bracket.
    pub bracket: Option<In<Expr>>,
}

/// The formal part of a clause about pairings as written.
#[derive(Clone, Debug)]
pub enum PairingClause {
    /// `pair` or, with one name, `alone` and `leaves`, with what is said of them.
    Of {
        /// The key.
        of: &'static str,
        /// The names.
        names: Vec<Loc>,
        /// `forbid`, `least`, `most` or `side`.
        says: &'static str,
        /// What is said.
        value: Expr,
        /// Whether numbers are compared one by one from the greatest.
        each: bool,
        /// Whether it is judged for the round as a whole.
        whole: bool,
    },
    /// `completes`
    Completes,
    /// `next`
    Next(Vec<Loc>),
    /// `prefer`
    Prefer(Preference),
}

/// The notation section as written.
#[derive(Clone, Debug)]
pub struct NotationDraft {
    /// The place of the section.
    pub at: Loc,
    /// Letters of kinds, by player where they differ.
    pub letters: Vec<(Loc, Letters)>,
    /// The variable of pieces in hand.
    pub hands: Option<Loc>,
    /// The variable of marked sites, and the sign.
    pub marks: Option<(Loc, Loc)>,
    /// Letters of turns.
    pub turn: Vec<(Loc, Loc)>,
    /// Fields of a position.
    pub fields: Vec<Loc>,
    /// The field of sides.
    pub sides: Option<SidesDraft>,
    /// Texts of acts.
    pub names: Vec<ActTextDraft>,
    /// Marks after acts.
    pub suffixes: Vec<ActTextDraft>,
    /// Letters of kinds in records.
    pub records: Vec<(Loc, Loc)>,
    /// The parameters that the size of the board is.
    pub size: Vec<(Loc, Loc)>,
    /// What game records call things.
    pub sgf: Option<SgfDraft>,
    /// What controllers call things.
    pub gtp: Option<GtpDraft>,
    /// What reports of tournaments call things.
    pub trf: Option<TrfDraft>,
    /// Events of the clock: what for, and the event.
    pub clock: Vec<(Loc, Loc)>,
    /// Events by which games end as records say.
    pub ends: Vec<EndDraft>,
}

/// What game records call things, as written.
#[derive(Clone, Debug, Default)]
pub struct SgfDraft {
    /// The number of the game.
    pub game: Option<Loc>,
    /// Parameters by property.
    pub terms: Vec<(Loc, Loc)>,
    /// Results in words, with what they mean.
    pub results: Vec<(Loc, Loc)>,
    /// The property that some programs write in hundredths.
    pub of: Option<Loc>,
    /// Beginnings of the names of these programs.
    pub by: Vec<Loc>,
    /// Numbers of hundredths that are halves of what is meant.
    pub doubled: Vec<Loc>,
}

/// What reports of tournaments call things, as written.
#[derive(Clone, Debug, Default)]
pub struct TrfDraft {
    /// Parameters by what a report tells.
    pub terms: Vec<(Loc, Loc)>,
    /// The parameters that are the keys of a ranking, in their order.
    pub keys: Vec<Loc>,
    /// The words that such a key may be made of.
    pub words: Vec<Loc>,
}

/// What controllers call things, as written.
#[derive(Clone, Debug, Default)]
pub struct GtpDraft {
    /// Parameters by the command that sets them.
    pub terms: Vec<(Loc, Loc)>,
    /// The parameter that is the number of pieces given in advance.
    pub handicap: Option<Loc>,
    /// The definition of the lead of a player.
    pub score: Option<Loc>,
    /// The definition of what lies between the players.
    pub between: Option<Loc>,
    /// How the ids of the rule sets begin that controllers name.
    pub named: Option<Loc>,
    /// Options: name, parameter, words and values.
    pub options: Vec<OptionDraft>,
}

/// An option of controllers as written.
#[derive(Clone, Debug)]
pub struct OptionDraft {
    /// Its name.
    pub name: Loc,
    /// The parameter.
    pub sets: Loc,
    /// Words, and the values that they mean.
    pub words: Vec<(Loc, Loc)>,
}

/// An event by which a game ends as a record says, as written.
#[derive(Clone, Debug)]
pub struct EndDraft {
    /// Words for the cause.
    pub cause: Option<Loc>,
    /// The kind of result.
    pub result: Loc,
    /// The event.
    pub event: Loc,
}

/// The field of sides as written.
#[derive(Clone, Debug)]
pub struct SidesDraft {
    /// The variable.
    pub state: Loc,
    /// The kind on the sites.
    pub of: Loc,
    /// The kind whose sides are meant.
    pub about: Loc,
    /// Letter towards the last file.
    pub east: Loc,
    /// Letter towards the first file.
    pub west: Loc,
}

/// A text for acts as written.
#[derive(Clone, Debug)]
pub struct ActTextDraft {
    /// The act.
    pub act: Option<Loc>,
    /// The condition.
    pub when: Option<In<Expr>>,
    /// The text.
    pub text: Loc,
}

/// A clause as written.
#[derive(Clone, Debug)]
pub struct ClauseDraft {
    /// The file that the formal part stands in.
    pub formal: Arc<Source>,
    /// Its number.
    pub id: Loc,
    /// A short name.
    pub title: Phrase,
    /// One sentence.
    pub says: Phrase,
    /// What it cites.
    pub cites: Vec<Loc>,
    /// The clause it replaces.
    pub overrides: Option<Loc>,
    /// Clauses that go before it.
    pub yields: Vec<Loc>,
    /// Clauses that it goes before where it applies.
    pub exception_to: Vec<Loc>,
    /// The phases in which it is in force; empty for all.
    pub within: Vec<Loc>,
    /// When it applies.
    pub when: Option<Expr>,
    /// When it does not.
    pub unless: Option<Expr>,
    /// Choices.
    pub choose: Vec<Choice>,
    /// Effects.
    pub then: Option<Vec<Effect>>,
    /// Effects where the condition fails.
    pub otherwise: Option<Vec<Effect>>,
    /// The leading part; `None` when it could not be read.
    pub form: Option<FormDraft>,
    /// Whether nothing of it could be read.
    pub unread: bool,
}

/// The leading part of a clause as written.
#[derive(Clone, Debug)]
pub enum FormDraft {
    /// `advisory: true`
    Advice,
    /// `renumbers`
    Renumber(Loc),
    /// `piece`, `move`, perhaps `act`
    Move(Vec<Loc>, Path, Option<Loc>),
    /// `act`
    Act(Loc),
    /// `on`, perhaps `by`
    Event(Loc, Option<In<Expr>>),
    /// What other clauses say happens.
    Applied,
    /// `after`
    After(Vec<Loc>),
    /// `forbid` with `after` or `before`
    Forbid {
        /// The condition.
        banned: Expr,
        /// The plies.
        acts: Vec<Loc>,
        /// Judged before the ply.
        before: bool,
    },
    /// `most`, perhaps `after`
    Most(Expr, Vec<Loc>),
    /// `turn`
    Turn(Expr),
    /// `ends` and `result`
    Ends(Expr, Expr),
    /// `rank`
    Rank(Expr),
    /// What pairings are chosen by.
    Pairing(PairingClause),
    /// `list`, `for`, `row`
    List(Loc, Vec<Choice>, Vec<(Loc, Expr)>),
}

/// The largest number of clauses in a file.
pub const MAX_CLAUSES: usize = 2000;
/// The largest number of entries in any other section of a file.
pub const MAX_ENTRIES: usize = 2000;
/// The largest number of choices in a clause.
pub const MAX_CHOICES: usize = 8;

/// Reads a file. The draft is `None` when nothing useful could be read.
pub fn read(source: &Arc<Source>) -> (Option<Draft>, Vec<Diagnostic>) {
    match rulebook_syntax::yaml::parse(source, &rulebook_syntax::yaml::Limits::default()) {
        Ok(node) => read::file(source, &node),
        Err(diagnostics) => (None, diagnostics),
    }
}

/// The closest of some words, for "did you mean".
pub(crate) fn closest<'a>(word: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    words
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= (word.len().max(candidate.len()) / 3).max(1))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Adds the closest known word as help.
pub(crate) fn suggest<'a>(
    diagnostic: Diagnostic,
    word: &str,
    words: impl IntoIterator<Item = &'a str>,
) -> Diagnostic {
    match closest(word, words) {
        Some(found) => diagnostic.help(format!("did you mean `{found}`?")),
        None => diagnostic,
    }
}

/// Whether YAML readers would take a plain scalar for a number.
pub(crate) fn looks_like_number(text: &str) -> bool {
    let digits = |prefix, radix| {
        text.strip_prefix(prefix).is_some_and(|rest: &str| {
            !rest.is_empty() && rest.chars().all(|digit: char| digit.is_digit(radix))
        })
    };
    let decimal = text.contains(|c: char| c.is_ascii_digit()) && text.parse::<f64>().is_ok();
    decimal || digits("0x", 16) || digits("0o", 8)
}

/// The fault of an article number without quotes.
pub(crate) fn unquoted(loc: &Loc) -> Diagnostic {
    loc.error(codes::CLAUSE_UNQUOTED, format!("the clause number `{}` is not quoted", loc.text)).help(
        format!("write \"{}\": without quotes YAML tools read a number, and 3.10 becomes 3.1", loc.text),
    )
}
