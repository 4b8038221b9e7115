//! The program that a compiled file holds: everything flat, every reference an index.
//!
//! Invariant (checked by the verifier before a machine is made, see `verify`): every index is in range, a
//! node, constant, effect or path refers only to earlier ones of its pool, and definitions do not call
//! each other in a circle. So nothing here can recurse without end.

use serde::{Deserialize, Serialize};

/// A site of the board: file plus rank times the number of files, from the bottom left corner.
pub type Site = u16;
/// No site.
pub const NO_SITE: Site = u16::MAX;
/// No kind.
pub const NO_KIND: u8 = u8::MAX;

/// An index into `Program::nodes`.
pub type NodeId = u32;

/// A run of entries in one of the pools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// The first entry.
    pub start: u32,
    /// How many.
    pub len: u32,
}

impl Run {
    /// The entries of a pool.
    pub fn of<T>(self, pool: &[T]) -> &[T] {
        let end = self.start.saturating_add(self.len);
        pool.get(self.start as usize..end as usize).unwrap_or(&[])
    }
    /// The indexes.
    pub fn indexes(self) -> std::ops::Range<u32> {
        self.start..self.start.saturating_add(self.len)
    }
}

/// A text in the languages of the rule files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phrase {
    /// English.
    pub en: String,
    /// Chinese.
    pub zh: String,
}

/// A language of texts for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// English.
    En,
    /// Chinese.
    Zh,
}

impl Phrase {
    /// The text in a language.
    pub fn get(&self, language: Language) -> &str {
        match language {
            Language::En => &self.en,
            Language::Zh => &self.zh,
        }
    }
}

/// A compiled rule set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: Phrase,
    /// Names of the players, in the order of their turns.
    pub players: Vec<String>,
    /// Who has the first turn.
    pub begins: u8,
    /// Names of the kinds.
    pub kinds: Vec<String>,
    /// Names of the acts (plies).
    pub acts: Vec<String>,
    /// Names of the events.
    pub events: Vec<String>,
    /// Names bound by choices and marks.
    pub bindings: Vec<String>,
    /// Tables of records: names with the names of their fields.
    pub tables: Vec<(String, Vec<String>)>,
    /// The board.
    pub board: Board,
    /// State variables.
    pub vars: Vec<Var>,
    /// Variables that belong to the identity of a position for good.
    pub identity: Vec<u16>,
    /// Variables that belong to it only while some legal act depends on them.
    pub fleeting: Vec<u16>,
    /// What stands where at the start: kind and owner.
    pub setup: Vec<Option<(u8, u8)>>,
    /// Texts.
    pub texts: Vec<String>,
    /// Constants.
    pub consts: Vec<Const>,
    /// Terms.
    pub nodes: Vec<Node>,
    /// Arguments of calls and members of lists: runs of node indexes.
    pub lists: Vec<NodeId>,
    /// Bodies of definitions.
    pub bodies: Vec<Body>,
    /// Items of patterns.
    pub items: Vec<Item>,
    /// Branches of patterns: runs of items.
    pub branches: Vec<Run>,
    /// Patterns.
    pub paths: Vec<Path>,
    /// Effects.
    pub effects: Vec<Effect>,
    /// Choices.
    pub choices: Vec<Choice>,
    /// The clauses, in force order.
    pub clauses: Vec<Clause>,
    /// Definitions that can be asked for by name: the name and the bodies made of it.
    pub answers: Vec<(String, Vec<u16>)>,
    /// Conditions that are asked from outside, such as those of names and suffixes in records; what has no
    /// condition always holds.
    pub remarks: Vec<Option<Code>>,
    /// What the passes recognised, for each player; empty when a rule set runs by the general engine alone.
    pub lanes: Vec<crate::lane::Lane>,
    /// Multipliers for looking up what is seen along lines, on boards of one word.
    pub lookups: Vec<Lookup>,
    /// A game of placing pieces that take what they enclose, where the whole of it was recognised.
    pub surround: Option<crate::surround::Surround>,
}

/// Multipliers for a family of lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lookup {
    /// The lines, as bits: along a rank, up and to the left, along a file, up and to the right.
    pub lines: u8,
    /// The multiplier for each site.
    pub multipliers: Vec<u64>,
}

/// The board's geometry.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Board {
    /// Number of files.
    pub files: u16,
    /// Number of ranks.
    pub ranks: u16,
    /// The steps from a site to the sites it touches.
    pub adjacent: Vec<(i8, i8)>,
    /// Players for whom up is down.
    pub flipped: Vec<bool>,
    /// The names of the sites.
    pub names: Vec<String>,
}

impl Board {
    /// Number of sites.
    pub fn len(&self) -> usize {
        usize::from(self.files) * usize::from(self.ranks)
    }

    /// Whether there is no board.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The site at a file and a rank, both counted from one.
    pub fn at(&self, file: i64, rank: i64) -> Option<Site> {
        ((1..=i64::from(self.files)).contains(&file) && (1..=i64::from(self.ranks)).contains(&rank))
            .then(|| (file - 1 + (rank - 1) * i64::from(self.files)) as Site)
    }

    /// The file of a site, counted from one.
    pub fn file(&self, site: Site) -> u16 {
        site % self.files.max(1) + 1
    }

    /// The rank of a site, counted from one.
    pub fn rank(&self, site: Site) -> u16 {
        site / self.files.max(1) + 1
    }

    /// The site a step away.
    pub fn step(&self, site: Site, (files, ranks): (i16, i16)) -> Option<Site> {
        self.at(i64::from(self.file(site)) + i64::from(files), i64::from(self.rank(site)) + i64::from(ranks))
    }

    /// A step as the given player goes it; relative ones turn with the player.
    pub fn orient(&self, direction: Direction, player: u8) -> (i8, i8) {
        let flipped = direction.relative && self.flipped.get(usize::from(player)) == Some(&true);
        (direction.files, if flipped { -direction.ranks } else { direction.ranks })
    }
}

/// A direction as a step of files and ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Direction {
    /// Files to the right.
    pub files: i8,
    /// Ranks up.
    pub ranks: i8,
    /// Whether the direction turns with the player.
    pub relative: bool,
}

/// What a variable holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Type {
    /// A truth value.
    Truth,
    /// A number.
    Number,
    /// A text, or a phase.
    Text,
    /// A player.
    Player,
    /// A kind.
    Kind,
    /// A site.
    Site,
    /// A set of sites.
    Sites,
    /// A row of a table.
    Row,
}

/// What the values of a variable are told apart by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Index {
    /// A player.
    Player,
    /// A kind.
    Kind,
}

/// A state variable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Var {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub ty: Type,
    /// What its values are told apart by; nothing where there is only one.
    pub each: Vec<Index>,
    /// How many values it has; the last index runs fastest.
    pub count: u16,
    /// Whether it returns to its first value at every ply.
    pub fleeting: bool,
    /// Whether it stays as it is when an earlier position returns.
    pub kept: bool,
    /// Its first value: a constant, a list where there are several.
    pub start: u32,
    /// Its first place, among the sets of a position for sets and among its numbers for all else.
    pub slot: u16,
}

/// A constant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Const {
    /// No site, player, kind or row.
    Nothing,
    /// A truth value.
    Truth(bool),
    /// A fraction in lowest terms.
    Number(i64, i64),
    /// A text.
    Text(u32),
    /// A player.
    Player(u8),
    /// A kind.
    Kind(u8),
    /// A site.
    Site(Site),
    /// A set of sites, as words.
    Sites(Vec<u64>),
    /// A list of earlier constants.
    List(Vec<u32>),
    /// An outcome.
    Outcome(Outcome),
}

/// How a game ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Outcome {
    /// The player wins, everyone else loses.
    Win(u8),
    /// The player loses; with two players the other one wins.
    Lose(u8),
    /// Nobody wins.
    Draw,
    /// The game does not count.
    Void,
    /// Every player loses.
    AllLose,
}

/// A term and the number of slots its evaluation needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Code {
    /// The term.
    pub root: NodeId,
    /// Slots for local names.
    pub slots: u16,
}

/// The body of a definition: one code, or one for each player chosen by the first argument.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Body {
    /// The name of the definition.
    pub name: String,
    /// The codes.
    pub codes: Vec<Code>,
}

/// Where a term takes a value from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the words are those of the rule language, explained in its reference")]
pub enum Context {
    Mover,
    Actor,
    From,
    To,
    Piece,
    Taken,
    Changed,
    Here,
    Empty,
    Enemy,
    Own,
    Played,
    Tied,
    Stuck,
    Answerable,
    Now,
}

/// Built-in functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the words are those of the rule language, explained in its reference")]
pub enum Builtin {
    Empties,
    Occupied,
    AllSites,
    Owned,
    Pieces,
    Kind,
    Owner,
    Was,
    WasOwner,
    Owners,
    Kinds,
    File,
    Rank,
    At,
    Ranks,
    Files,
    Neighbours,
    Connected,
    Groups,
    Between,
    Count,
    Only,
    Attacked,
    Attackers,
    Restores,
    Next,
    Players,
    Win,
    Lose,
    Draw,
    Void,
    AllLose,
    Plies,
    Moves,
    Min,
    Max,
    Abs,
    Floor,
}

/// Operators of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the words are those of the rule language, explained in its reference")]
pub enum Operator {
    And,
    Or,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    In,
    NotIn,
    Range,
    Plus,
    Less,
    Times,
    Over,
    Mod,
    Both,
}

/// Quantifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the words are those of the rule language, explained in its reference")]
pub enum Quantifier {
    All,
    Any,
    No,
}

/// Folds of a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the words are those of the rule language, explained in its reference")]
pub enum Fold {
    Sum,
    Most,
    Least,
    Set,
    List,
}

/// A term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Node {
    /// A constant.
    Const(u32),
    /// A local name.
    Slot(u16),
    /// A name bound by a choice or a mark.
    Bound(u16),
    /// A mark of the pattern that is being walked.
    Mark(u8),
    /// From the situation.
    Context(Context),
    /// A state variable, with a term for each index in `lists`; without them all its values.
    Var(u16, Run),
    /// A built-in function; arguments in `lists`.
    Call(Builtin, Run),
    /// A definition; arguments in `lists`.
    Apply(u16, Run),
    /// Whether the mover has a legal ply: of this name, if one is given; for which the first term in `lists`
    /// holds, if there is one, and the second on the position after it.
    Able(Option<u16>, Run, Option<u32>),
    /// Whether the last ply was such an act.
    Last(u16),
    /// How often a position has been recorded that agrees in all that can still make a difference (the
    /// first flag) and in who has the turn (the second); without the flags only the board counts.
    Times(bool, bool),
    /// All rows of a table.
    Rows(u16),
    /// A field of a row.
    Field(NodeId, u16),
    /// A list, members in `lists`; the flag makes it a set of sites.
    List(Run, bool),
    /// Negation of a truth value.
    Not(NodeId),
    /// The opposite number.
    Minus(NodeId),
    /// An operator.
    Binary(Operator, NodeId, NodeId),
    /// Emptiness.
    IsEmpty(NodeId),
    /// A conditional.
    If(NodeId, NodeId, NodeId),
    /// A quantifier: the slot of its name, the collection, the body.
    Quantified(Quantifier, u16, NodeId, NodeId),
    /// The members that satisfy a condition: slot, collection, condition.
    Filtered(u16, NodeId, NodeId),
    /// A fold: slot; then body, collection and condition as three entries of `lists`.
    Folded(Fold, u16, Run),
    /// The sites that a pattern takes from a site.
    Traced(NodeId, u32),
}

/// A movement pattern: runs of `branches` as alternatives, and the bindings of its marks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Path {
    /// The alternatives: a run of `branches`.
    pub branches: Run,
    /// Names of its marks, as bindings.
    pub marks: Vec<u16>,
}

/// An item of a pattern.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// What is done.
    pub atom: Atom,
    /// At least this often.
    pub least: u16,
    /// At most this often.
    pub most: Option<u16>,
}

/// The atoms of patterns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Atom {
    /// A sub-pattern: an earlier path.
    Group(u32),
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The name it binds.
    pub binding: u16,
    /// From what.
    pub domain: Code,
}

/// Effects. The runs are runs of `effects`, of earlier ones only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Effect {
    /// Conditional effects.
    If(Code, Run, Run),
    /// For each member, bound to a binding.
    For(u16, Code, Run),
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
    /// Set a variable, with a code for each index.
    Set(u16, Vec<Code>, Code),
    /// End the game.
    End(Code),
}

/// Which acts a clause follows or bans.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Filter {
    /// Every ply.
    Any,
    /// The named ones.
    Only(Vec<u16>),
}

impl Filter {
    /// Whether an act is meant.
    pub fn admits(&self, act: u16) -> bool {
        match self {
            Self::Any => true,
            Self::Only(acts) => acts.contains(&act),
        }
    }
}

/// Who may cause an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Author {
    /// Any player.
    Anyone,
    /// The arbiter.
    Arbiter,
    /// The player this evaluates to.
    Player(Code),
}

/// The formal part of a clause. Runs are runs of `choices` and of `effects`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Form {
    /// It changes no state.
    Advice,
    /// A way in which some kinds move.
    Move {
        /// The kinds.
        kinds: Vec<u8>,
        /// The name of the act.
        act: u16,
        /// The pattern.
        path: u32,
        /// Choices of the mover.
        choices: Run,
        /// What else happens.
        then: Run,
    },
    /// A ply that is not the movement of a piece.
    Act {
        /// The name of the act.
        act: u16,
        /// Choices of the mover.
        choices: Run,
        /// What happens.
        then: Run,
    },
    /// An event that is not a ply.
    Event {
        /// The name of the event.
        event: u16,
        /// Who may cause it.
        by: Author,
        /// What it comes with, and the collection of which each must be a member.
        choices: Run,
        /// What happens.
        then: Run,
        /// What happens when the condition fails; without it the event is then refused.
        otherwise: Option<Run>,
    },
    /// What happens when another clause applies it.
    Applied {
        /// What it comes with, and the collection of which each must be a member.
        choices: Run,
        /// What happens.
        then: Run,
    },
    /// A consequence of a ply.
    After {
        /// Which plies.
        acts: Filter,
        /// Choices of the mover.
        choices: Run,
        /// What happens.
        then: Run,
    },
    /// A ban.
    Forbid {
        /// Which plies.
        acts: Filter,
        /// Judged on the position before the ply; otherwise on the one after it.
        before: bool,
        /// When.
        banned: Code,
        /// Whether it asks if the ply can be answered.
        asks: bool,
    },
    /// Of all possible plies only those with the largest measure are allowed.
    Most {
        /// Which plies.
        acts: Filter,
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
        /// Whether it stops the counting of sequences: it can be read off the board and is not always a draw.
        stops: bool,
    },
    /// A key of the ranking; larger is better. Slot 0 holds the entry. The flag says that it looks at the
    /// entries that are still tied.
    Rank(Code, bool),
    /// A list that the rule set makes.
    List {
        /// Its name.
        name: String,
        /// What its rows range over.
        choices: Run,
        /// Its columns.
        columns: Vec<(String, Code)>,
    },
}

/// A clause.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// The condition under which it applies.
    pub when: Option<Code>,
    /// The exception under which it does not.
    pub unless: Option<Code>,
    /// Clauses that go before it when both decide.
    pub yields: Vec<u16>,
    /// Whether it can capture on the site it comes to (a way of moving only).
    pub captures: bool,
    /// The variables its terms read, definitions opened.
    pub reads: Vec<u16>,
    /// The formal part.
    pub form: Form,
}
