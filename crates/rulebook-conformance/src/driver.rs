//! What the runner asks of an engine, and what an engine may answer.
//!
//! Invariant: a question never contains the answer that is expected. Nothing here knows which engine is
//! under test; an engine is anything that implements `Driver`.

use crate::scenario::{Cell, Row};

/// An engine under test.
pub trait Driver: Sync {
    /// Its name, for reports.
    fn name(&self) -> &str;

    /// Makes a rule set ready, with values for some of its parameters.
    ///
    /// # Errors
    /// The engine has no such rule set, or cannot use it.
    fn load(&self, rules: &str, params: &[(String, String)]) -> Result<Box<dyn Loaded>, Refused>;
}

/// A rule set that an engine has made ready.
pub trait Loaded {
    /// Takes the steps of a script in order; one answer for each step.
    fn answer(&self, script: &Script) -> Vec<Answer>;
}

/// Why an engine does not make a rule set ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It has none of this name.
    Unknown,
    /// It has no means for such a rule set; the text says which.
    Unsupported(String),
    /// It failed.
    Error(String),
}

/// What a case begins with, and what is done and asked then.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// The first position; without it the rule set's own.
    pub position: Option<String>,
    /// Rows of tables.
    pub tables: Vec<(String, Vec<Row>)>,
    /// What is done and asked, in order.
    pub steps: Vec<Step>,
}

/// A step of a script.
#[derive(Clone, Debug)]
pub enum Step {
    /// Does what a line says, and answers with a verdict; an accepted line changes the state.
    Do(String),
    /// Asks, and changes nothing.
    Ask(Question),
}

/// The closed list of questions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// Would this line be accepted now? A verdict.
    Would(String),
    /// Which acts are legal now? Acts.
    Moves,
    /// On which sites without a piece can the player on turn not put one? Acts.
    Closed,
    /// How many sequences of this many acts are there? A count.
    Perft(u32),
    /// How many games are there from here to their ends? A count.
    Games,
    /// For how many ways to fill the board does this definition hold? A count.
    Fillings(String),
    /// In how many pairs of such ways does one follow from another by a ply of either player that changes what
    /// stands where? A count.
    Steps(String),
    /// The position as text. A text.
    State,
    /// The board as a picture of letters. A text.
    Picture,
    /// Has the game ended? A status.
    Status,
    /// The value of a definition. A value, or several.
    Value(String, Vec<Cell>),
    /// The places of the entries. Groups.
    Standings,
    /// The rows of a list that the rule set makes. Rows.
    List(String),
    /// How is this round paired, with what was known before it? Rows of two names, in their order.
    Pairing(u32),
}

impl Question {
    /// The word for this question in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Would(_) => "legal",
            Self::Moves => "moves",
            Self::Closed => "closed",
            Self::Perft(_) => "perft",
            Self::Games => "games",
            Self::Fillings(_) => "fillings",
            Self::Steps(_) => "steps",
            Self::State => "state",
            Self::Picture => "picture",
            Self::Status => "status",
            Self::Value(..) => "value",
            Self::Standings => "standings",
            Self::List(_) => "list",
            Self::Pairing(_) => "pairing",
        }
    }
}

/// The closed list of answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Whether a line is accepted.
    Verdict {
        /// Accepted.
        accepted: bool,
        /// The kind of refusal: `forbidden`, `not-granted`, `not-on-turn`, `game-over`, `condition-fails`
        /// or `not-theirs`; empty if accepted.
        reason: String,
        /// The clauses that decided, the first one first.
        clauses: Vec<String>,
    },
    /// Acts or sites, in any order.
    Acts(Vec<String>),
    /// A number.
    Count(u64),
    /// A text.
    Text(String),
    /// Whether the game has ended.
    Status {
        /// The outcome, if it has.
        ended: Option<String>,
        /// The clauses that decided.
        clauses: Vec<String>,
    },
    /// A value.
    Value(String),
    /// Several values.
    Values {
        /// Whether their order means something.
        ordered: bool,
        /// The values.
        values: Vec<String>,
    },
    /// Places, the first one first; entries that share a place share a group.
    Groups(Vec<Vec<String>>),
    /// Rows of a list.
    Rows(Vec<Vec<String>>),
    /// The engine does not answer such questions; the text says why.
    Unsupported(String),
    /// The engine failed over this question.
    Error(String),
}
