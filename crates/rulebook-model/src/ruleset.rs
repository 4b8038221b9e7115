//! The checked rule set: what every engine executes.
//!
//! Invariant: a `RuleSet` is only made by the checker, so every index in it is in range, every term is
//! well typed, and definitions do not call each other in a circle. How it is executed is not known here.

use std::sync::Arc;

use rulebook_syntax::ast::{Binary, Fold, Period, Quantifier};
use rulebook_syntax::{Source, Span};

use crate::board::{Board, Direction};
use crate::exchange::{GtpTerms, SgfTerms, SizeTerms, TrfTerms};
use crate::pairing::{Pairing, PairingForm};
use crate::types::{Type, Unit};
use crate::value::{Number, Site, Value};

/// A text in the languages of the rule files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phrase {
    /// English.
    pub en: String,
    /// Chinese.
    pub zh: String,
}

impl Phrase {
    /// The text in a language, the other one where it is missing.
    pub fn get(&self, lang: Lang) -> &str {
        let (first, second) = match lang {
            Lang::En => (&self.en, &self.zh),
            Lang::Zh => (&self.zh, &self.en),
        };
        if first.is_empty() { second } else { first }
    }
}

/// The languages of the rule files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Chinese.
    Zh,
}

/// A checked, layered, typed rule set.
#[derive(Clone, Debug)]
pub struct RuleSet {
    /// Its id, its path below the rules folder.
    pub id: String,
    /// Its title.
    pub title: Phrase,
    /// The ids of the files it is layered from, the base first.
    pub lineage: Vec<String>,
    /// Sources that clauses cite, by key.
    pub sources: Vec<(String, Phrase)>,
    /// Names of the players, in the order of their turns.
    pub players: Vec<String>,
    /// Names of units, by number.
    pub units: Vec<String>,
    /// Names of the phases of a game, the first one first; empty when there are none.
    pub phases: Vec<String>,
    /// Names of the kinds of pieces.
    pub kinds: Vec<String>,
    /// The board; empty when there is none.
    pub board: Board,
    /// Parameters with their values.
    pub params: Vec<Param>,
    /// State variables.
    pub vars: Vec<Var>,
    /// What stands where at the start.
    pub setup: Vec<Cell>,
    /// Who has the first turn.
    pub begins: u8,
    /// Bodies of definitions, one for each tuple of argument types they are used with.
    pub bodies: Vec<Body>,
    /// Names bound by choices and marks.
    pub bindings: Vec<String>,
    /// Names of acts (plies).
    pub acts: Vec<String>,
    /// Names of events that are not plies.
    pub events: Vec<String>,
    /// What each event comes with: the names that are bound, and their types.
    pub arguments: Vec<Option<Vec<(u16, Type)>>>,
    /// Tables of records.
    pub tables: Vec<Table>,
    /// How entries are paired, if they are.
    pub pairing: Option<Pairing>,
    /// The clauses, in force order.
    pub clauses: Vec<Clause>,
    /// Clauses of bases that a layer replaced or dropped: what was there, and why it is gone.
    pub replaced: Vec<Replaced>,
    /// Variables that belong to the identity of a position for good.
    pub identity: Vec<VarId>,
    /// Variables that belong to it only while some legal act depends on them.
    pub fleeting: Vec<VarId>,
    /// How positions and acts are written.
    pub notation: Notation,
    /// The time control of each player, if one is declared.
    pub clock: Vec<Vec<Period>>,
    /// Definitions that can be asked for by name, with their signatures.
    pub definitions: Vec<Definition>,
}

impl RuleSet {
    /// The clause with an id.
    pub fn clause(&self, id: &str) -> Option<&Clause> {
        self.clauses.iter().find(|clause| clause.id == id)
    }

    /// Calls a function on every term of a term, definitions opened, each once.
    pub fn visit(&self, term: &Term, visit: &mut dyn FnMut(&Term)) {
        crate::check::walk(self, term, visit);
    }

    /// The same for every term of a clause.
    pub fn visit_clause(&self, clause: &Clause, visit: &mut dyn FnMut(&Term)) {
        crate::check::walk_clause(self, clause, visit);
    }

    /// The variables that events set and plies do not: conduct, by which no two positions are told apart.
    pub fn conduct(&self) -> Vec<VarId> {
        crate::check::conduct(self).into_iter().collect()
    }

    /// How many values there are for each member of an index.
    pub fn width(&self, index: Index) -> usize {
        match index {
            Index::Player => self.players.len(),
            Index::Kind => self.kinds.len(),
        }
    }

    /// How many values a variable has.
    pub fn values(&self, each: &[Index]) -> usize {
        each.iter().map(|index| self.width(*index)).product()
    }

    /// The place of one value among those of a variable, the last index running fastest.
    pub fn place(&self, each: &[Index], members: &[Value]) -> Option<usize> {
        let mut place = 0;
        for (at, index) in each.iter().enumerate() {
            let member = match (index, members.get(at)?) {
                (Index::Player, Value::Player(member)) | (Index::Kind, Value::Kind(member)) => *member,
                _ => return None,
            };
            place = place * self.width(*index) + usize::from(member);
        }
        Some(place)
    }

    /// The number of a player by name.
    pub fn player(&self, name: &str) -> Option<u8> {
        self.players.iter().position(|player| player == name).map(|index| index as u8)
    }

    /// The player after a player.
    pub fn next_player(&self, player: u8) -> u8 {
        let count = self.players.len().max(1);
        ((usize::from(player) + 1) % count) as u8
    }

    /// How a value is written for people.
    pub fn show(&self, value: &Value) -> String {
        match value {
            Value::Nothing => "none".into(),
            Value::Truth(truth) => truth.to_string(),
            Value::Number(number) => number.to_string(),
            Value::Text(text) => text.clone(),
            Value::Player(player) => self.players.get(usize::from(*player)).cloned().unwrap_or_default(),
            Value::Kind(kind) => self.kinds.get(usize::from(*kind)).cloned().unwrap_or_default(),
            Value::Site(site) => self.board.name(*site),
            Value::Sites(sites) => {
                let names: Vec<String> = sites.iter().map(|site| self.board.name(site)).collect();
                format!("[{}]", names.join(", "))
            }
            Value::List(values) => {
                let texts: Vec<String> = values.iter().map(|value| self.show(value)).collect();
                format!("[{}]", texts.join(", "))
            }
            Value::Row(table, row) => {
                let table = self.tables.get(usize::from(*table)).map_or("row", |table| &table.name);
                format!("{table} {}", row + 1)
            }
            Value::Outcome(outcome) => self.show_outcome(*outcome),
        }
    }

    /// How an outcome is written, such as `white wins`.
    pub fn show_outcome(&self, outcome: crate::value::Outcome) -> String {
        use crate::value::Outcome;
        let name = |player: u8| self.players.get(usize::from(player)).cloned().unwrap_or_default();
        match outcome {
            Outcome::Win(player) => format!("{} wins", name(player)),
            Outcome::Lose(player) if self.players.len() == 2 => format!("{} wins", name(1 - player.min(1))),
            Outcome::Lose(player) => format!("{} loses", name(player)),
            Outcome::Draw => "draw".into(),
            Outcome::Void => "void".into(),
            Outcome::AllLose => "all lose".into(),
        }
    }
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its name.
    pub name: String,
    /// Its value in this rule set.
    pub value: Value,
    /// Its type.
    pub ty: Type,
    /// What it cites.
    pub cites: Vec<String>,
    /// Since when the value holds, as written.
    pub since: String,
    /// The file that gave the value.
    pub origin: String,
}

/// Index of a state variable.
pub type VarId = u16;

/// A state variable.
#[derive(Clone, Debug)]
pub struct Var {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// What there is one of it for: nothing, each player, each kind, or each pair of them.
    pub each: Vec<Index>,
    /// Whether it returns to its first value at every ply.
    pub fleeting: bool,
    /// Whether it stays as it is when an earlier position returns.
    pub kept: bool,
    /// Its first value; a list in the order of `RuleSet::place` where there are several.
    pub start: Value,
}

/// What the values of a variable are told apart by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Index {
    /// A player.
    Player,
    /// A kind of piece.
    Kind,
}

impl Index {
    /// The type of its members.
    pub fn ty(self) -> Type {
        match self {
            Self::Player => Type::Player,
            Self::Kind => Type::Kind,
        }
    }
}

/// What stands on a site: a kind and its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Cell(u16);

impl Cell {
    /// Nothing stands here.
    pub const EMPTY: Self = Self(0);
    /// Some piece, of a kind that is left open, of the given player.
    pub const fn phantom(player: u8) -> Self {
        Self::piece(Self::ANY_KIND, player)
    }
    /// The kind of a phantom.
    pub const ANY_KIND: u8 = 0xfe;

    /// A piece.
    pub const fn piece(kind: u8, owner: u8) -> Self {
        Self(1 + (kind as u16) * 16 + owner as u16)
    }

    /// Whether nothing stands here.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The owner of what stands here.
    pub const fn owner(self) -> Option<u8> {
        if self.0 == 0 { None } else { Some(((self.0 - 1) % 16) as u8) }
    }

    /// The kind of what stands here; `None` for a phantom too.
    pub const fn kind(self) -> Option<u8> {
        if self.0 == 0 {
            return None;
        }
        let kind = ((self.0 - 1) / 16) as u8;
        if kind == Self::ANY_KIND { None } else { Some(kind) }
    }
}

/// A term with the number of slots its evaluation needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Code {
    /// The term.
    pub term: Term,
    /// Slots for local names.
    pub slots: u16,
}

/// A definition's body for one tuple of argument types.
#[derive(Clone, Debug)]
pub struct Body {
    /// The name of the definition.
    pub name: String,
    /// One code; or one for each player, chosen by the first argument.
    pub codes: Vec<Code>,
}

/// A definition that can be asked for by name.
#[derive(Clone, Debug)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub parameters: Vec<String>,
    /// Whether the rule set answers questions about it from outside.
    pub answer: bool,
}

/// Where a term takes a value from when it stands in an act, an event or a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Context {
    /// The player who has the turn.
    Mover,
    /// The player who did the act or event.
    Actor,
    /// The site a piece left.
    From,
    /// The site it came to.
    To,
    /// The kind that moved.
    Piece,
    /// The sites whose pieces were captured.
    Taken,
    /// The sites whose content the act has changed.
    Changed,
    /// Where a pattern stands.
    Here,
    /// Whether nothing stands there.
    Empty,
    /// Whether a piece of another player stands there.
    Enemy,
    /// Whether a piece of the moving player stands there.
    Own,
    /// Plies played.
    Played,
    /// The entries that are still tied.
    Tied,
    /// No legal ply is left to the mover.
    Stuck,
    /// In a ban: whether a legal ply is left to whoever has the turn next, bans that ask this left aside.
    Answerable,
    /// The time of the ply or event at hand.
    Now,
}

/// Expressions, resolved and typed.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// A constant.
    Const(Value),
    /// A local name.
    Slot(u16),
    /// A name bound by a choice or a mark.
    Bound(u16),
    /// A mark of the pattern that is being walked.
    Mark(u8),
    /// From the situation.
    Context(Context),
    /// A state variable, with one term for each index that it has.
    Var(VarId, Vec<Term>),
    /// A built-in function.
    Call(Builtin, Vec<Term>),
    /// A definition.
    Apply(u16, Vec<Term>),
    /// Whether the mover has a legal ply: of this name, if one is given; for which the first term holds, and
    /// the second on the position after it.
    Able(Option<u16>, Option<Box<Term>>, Option<Box<Term>>, Option<u32>),
    /// Whether the last ply was such an act.
    Last(u16),
    /// How often a position with these features has been recorded.
    Times(Features),
    /// All rows of a table.
    Rows(u16),
    /// A field of a row.
    Field(Box<Term>, u16),
    /// A list; the flag makes it a set of sites.
    List(Vec<Term>, bool),
    /// Negation of a truth value.
    Not(Box<Term>),
    /// The opposite number.
    Minus(Box<Term>),
    /// An operator.
    Binary(Binary, Box<Term>, Box<Term>),
    /// Emptiness.
    IsEmpty(Box<Term>),
    /// A conditional.
    If(Box<Term>, Box<Term>, Box<Term>),
    /// A quantifier over a collection, with the slot of its name.
    Quantified(Quantifier, u16, Box<Term>, Box<Term>),
    /// The members that satisfy a condition.
    Filtered(u16, Box<Term>, Box<Term>),
    /// A fold: body, slot, collection, condition.
    Folded(Fold, u16, Box<[Term; 3]>),
    /// The sites that a pattern takes from a site.
    Traced(Box<Term>, Arc<Path>),
}

/// What must agree for two recorded positions to be counted as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features {
    /// Everything that can still make a difference: the derived identity.
    pub identity: bool,
    /// Who has the turn.
    pub turn: bool,
}

/// Built-in functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    /// Sites without a piece.
    Empties,
    /// Sites with a piece.
    Occupied,
    /// All sites.
    AllSites,
    /// Sites with a piece of a player.
    Owned,
    /// Sites with a piece of a kind and a player.
    Pieces,
    /// The kind on a site.
    Kind,
    /// The owner of what stands on a site.
    Owner,
    /// The kind that stood on a site when the ply began.
    Was,
    /// The owner of what stood on a site when the ply began.
    WasOwner,
    /// The owners of what stands on some sites.
    Owners,
    /// The kinds of what stands on some sites.
    Kinds,
    /// The file of a site, from one.
    File,
    /// The rank of a site, from one.
    Rank,
    /// The site at a file and a rank.
    At,
    /// The sites of some ranks.
    Ranks,
    /// The sites of some files.
    Files,
    /// The sites that touch some sites.
    Neighbours,
    /// What is connected with the first set inside the second.
    Connected,
    /// The connected parts of a set.
    Groups,
    /// The sites between two sites.
    Between,
    /// The number of members.
    Count,
    /// The only member, or none.
    Only,
    /// Whether a player attacks one of some sites.
    Attacked,
    /// The sites from which a player attacks one of some sites.
    Attackers,
    /// Whether the board is now as it stood that many recorded positions ago.
    Restores,
    /// The next player.
    Next,
    /// All players.
    Players,
    /// A player wins.
    Win,
    /// A player loses.
    Lose,
    /// A draw.
    Draw,
    /// The game is void.
    Void,
    /// All lose.
    AllLose,
    /// Moves as plies.
    Plies,
    /// Plies as complete moves.
    Moves,
    /// The smaller number.
    Min,
    /// The larger number.
    Max,
    /// The number without its sign.
    Abs,
    /// The largest whole number that is not greater.
    Floor,
}

/// A movement pattern, macros expanded.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Path {
    /// Alternatives.
    pub branches: Vec<Vec<Item>>,
    /// Names of its marks, as bindings; only at the top of a pattern.
    pub marks: Vec<u16>,
}

/// An item of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// What is done.
    pub atom: Atom,
    /// At least this often.
    pub least: u16,
    /// At most this often.
    pub most: Option<u16>,
}

/// The atoms of patterns.
#[derive(Clone, Debug, PartialEq)]
pub enum Atom {
    /// A sub-pattern.
    Group(Path),
    /// A condition.
    Test(Code),
    /// A step along the heading.
    Ahead,
    /// A step in each of some directions, which become the heading.
    Step(Vec<Direction>),
    /// To a site at one of these distances.
    Jump(Vec<(i16, i16)>),
    /// Choose a heading.
    Face(Vec<Direction>),
    /// Turn the heading half a right angle to either side.
    Veer,
    /// Capture here.
    Take,
    /// Remember this site.
    Mark(u8),
    /// Return to a remembered site.
    Back(u8),
}

/// A choice that the acting player makes.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The name it binds.
    pub binding: u16,
    /// From what.
    pub domain: Code,
}

/// Effects, resolved and typed.
#[derive(Clone, Debug)]
pub enum Effect {
    /// Conditional effects.
    If(Code, Vec<Effect>, Vec<Effect>),
    /// For each member, bound to a binding.
    For(u16, Code, Vec<Effect>),
    /// Move what stands on one site to another.
    Move(Code, Code),
    /// Clear sites.
    Remove(Code),
    /// Put a kind, of a player, on sites.
    Put(Code, Option<Code>, Code),
    /// Change the owner of what stands on sites.
    Give(Code, Code),
    /// The mover keeps the turn.
    Again,
    /// A player has the turn from now on.
    Turn(Code),
    /// The position that was recorded so many plies ago returns.
    Restore(Code),
    /// What a clause says happens too, with what it comes with.
    Apply(u16, Vec<Code>),
    /// Set a variable, with one code for each index that it has.
    Set(VarId, Vec<Code>, Code),
    /// End the game.
    End(Code),
}

/// Which acts a clause follows or bans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActFilter {
    /// Every ply.
    Any,
    /// The named ones.
    Only(Vec<u16>),
}

impl ActFilter {
    /// Whether an act is meant.
    pub fn admits(&self, act: u16) -> bool {
        match self {
            Self::Any => true,
            Self::Only(acts) => acts.contains(&act),
        }
    }
}

/// Who may cause an event.
#[derive(Clone, Debug)]
pub enum Author {
    /// Any player, at any time.
    Anyone,
    /// The arbiter.
    Arbiter,
    /// The player this evaluates to.
    Player(Code),
}

/// The formal part of a clause.
#[derive(Clone, Debug)]
pub enum Form {
    /// It changes no state: advice, definition of a term, conduct.
    Advice,
    /// A way in which some kinds move.
    Move {
        /// The kinds.
        kinds: Vec<u8>,
        /// The name of the act.
        act: u16,
        /// The pattern.
        path: Arc<Path>,
        /// Choices of the mover.
        choices: Vec<Choice>,
        /// What else happens.
        then: Vec<Effect>,
    },
    /// A ply that is not the movement of a piece.
    Act {
        /// The name of the act.
        act: u16,
        /// Choices of the mover.
        choices: Vec<Choice>,
        /// What happens.
        then: Vec<Effect>,
    },
    /// An event that is not a ply.
    Event {
        /// The name of the event.
        event: u16,
        /// Who may cause it.
        by: Author,
        /// What it comes with, and the collection of which each must be a member.
        choices: Vec<Choice>,
        /// What happens.
        then: Vec<Effect>,
        /// What happens when the condition fails; without it the event is then refused.
        otherwise: Option<Vec<Effect>>,
    },
    /// What happens when another clause applies it.
    Applied {
        /// What it comes with, and the collection of which each must be a member.
        choices: Vec<Choice>,
        /// What happens.
        then: Vec<Effect>,
    },
    /// A consequence of a ply.
    After {
        /// Which plies.
        acts: ActFilter,
        /// Choices of the mover, each making a different act.
        choices: Vec<Choice>,
        /// What happens.
        then: Vec<Effect>,
    },
    /// A ban.
    Forbid {
        /// Which plies.
        acts: ActFilter,
        /// Judged on the position before the ply; otherwise at its place among the consequences.
        before: bool,
        /// When.
        banned: Code,
    },
    /// Of all possible plies only those with the largest measure are allowed.
    Most {
        /// Which plies.
        acts: ActFilter,
        /// The measure.
        measure: Code,
    },
    /// Who has the turn after a ply.
    Turn(Code),
    /// The game ends by itself.
    Ends {
        /// When.
        condition: Code,
        /// How.
        result: Code,
    },
    /// A key of the ranking; larger is better. Slot 0 holds the entry.
    Rank(Code),
    /// What pairings are chosen by.
    Pairing(PairingForm),
    /// A list that the rule set makes.
    List {
        /// Its name.
        name: String,
        /// What its rows range over.
        choices: Vec<Choice>,
        /// Its columns.
        columns: Vec<(String, Code)>,
    },
}

/// A clause.
#[derive(Clone, Debug)]
pub struct Clause {
    /// The number it has in the regulation.
    pub id: String,
    /// A short name.
    pub title: Phrase,
    /// One sentence.
    pub says: Phrase,
    /// What it cites.
    pub cites: Vec<String>,
    /// The file it stands in.
    pub origin: String,
    /// The text of that file.
    pub source: Arc<Source>,
    /// Where its id stands.
    pub span: Span,
    /// The condition under which it applies.
    pub when: Option<Code>,
    /// The exception under which it does not.
    pub unless: Option<Code>,
    /// The clause it replaced.
    pub overrides: Option<String>,
    /// Clauses that go before it when both decide.
    pub yields: Vec<u16>,
    /// The formal part.
    pub form: Form,
}

/// A clause that is no longer in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// Its id.
    pub id: String,
    /// The file it stood in.
    pub origin: String,
    /// The clause that took its place, or the file that dropped it.
    pub by: String,
}

/// A table of records.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Its fields.
    pub fields: Vec<(String, Type)>,
}

/// How positions and acts are written.
#[derive(Clone, Debug, Default)]
pub struct Notation {
    /// The sign of each kind for each player, `letters[kind][player]`: a letter, perhaps behind a `+`.
    pub letters: Vec<Vec<String>>,
    /// The numbers, one for each player and kind, that stand in brackets behind the board.
    pub hands: Option<VarId>,
    /// Sites whose pieces have a sign behind their letter, and the sign.
    pub marks: Option<(VarId, char)>,
    /// The letter of each player's turn.
    pub turn: Vec<String>,
    /// The fields of a position text, in order.
    pub fields: Vec<Field>,
    /// Names of acts in records.
    pub names: Vec<ActText>,
    /// Marks after a move in records, the first that holds.
    pub suffixes: Vec<ActText>,
    /// The number of a kind by the capital letter it has in records.
    pub records: Vec<(String, u8)>,
    /// The parameters that the size of the board is.
    pub size: Option<SizeTerms>,
    /// What game records call things.
    pub sgf: Option<SgfTerms>,
    /// What controllers call things.
    pub gtp: Option<GtpTerms>,
    /// What reports of tournaments call things.
    pub trf: Option<TrfTerms>,
    /// How records with clock times become events.
    pub clock: ClockEvents,
    /// The events by which a game ends as a record says, in the order in which they are tried.
    pub ends: Vec<EndEvent>,
}

/// The events of a clock, for records that say what it showed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockEvents {
    /// The clock is set going before the first act.
    pub start: Option<u16>,
    /// Whoever has made an act stops his clock.
    pub press: Option<u16>,
    /// A player has used up his time.
    pub fall: Option<u16>,
}

/// An event by which a game ends as a record says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndEvent {
    /// Words that the record has for the cause; empty if they do not matter.
    pub cause: String,
    /// Which results.
    pub result: ResultKind,
    /// The event.
    pub event: u16,
}

/// What kind of result a record names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultKind {
    /// One player wins.
    Win,
    /// Nobody does.
    Draw,
}

/// A field of a position text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field {
    /// What stands where, rank by rank from the top.
    Board,
    /// Who has the turn.
    Turn,
    /// The number of the move, from one.
    Move,
    /// A site variable, `-` for none.
    Site(VarId),
    /// A number variable; where each player has one, they are joined by `+`.
    Number(VarId),
    /// A set of sites, joined by commas, `-` for none.
    Sites(VarId),
    /// A set of sites, each written as a letter for its side of another piece.
    Sides {
        /// The variable.
        var: VarId,
        /// The kind on the sites.
        of: u8,
        /// The kind whose side is meant.
        about: u8,
        /// The letter for the outermost one towards the last file.
        east: char,
        /// The letter for the outermost one towards the first file.
        west: char,
    },
}

/// A text for acts for which a condition holds.
#[derive(Clone, Debug)]
pub struct ActText {
    /// For which act.
    pub act: Option<u16>,
    /// When.
    pub when: Option<Code>,
    /// The text.
    pub text: String,
}

/// Units that every rule set has.
pub const UNITS: [&str; 4] = ["count", "plies", "moves", "seconds"];
/// A plain number.
pub const COUNT: Unit = 0;
/// Plies: turns of one player.
pub const PLIES: Unit = 1;
/// Moves: a turn of every player.
pub const MOVES: Unit = 2;
/// Durations, in seconds.
pub const SECONDS: Unit = 3;

/// Words for durations with their length in seconds.
pub const TIMES: [(&str, i64); 3] = [("s", 1), ("min", 60), ("h", 3600)];

/// A number as a constant term.
pub fn number(value: i64) -> Term {
    Term::Const(Value::Number(Number::whole(value)))
}

/// A site as a constant term.
pub fn site(value: Site) -> Term {
    Term::Const(Value::Site(value))
}
