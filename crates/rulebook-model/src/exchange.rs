//! What other programs call the terms of a rule set: records of games, and controllers that attach to a referee.
//!
//! Invariant: every parameter and definition that is named here is one of the rule set.

use crate::value::Number;

/// The parameters that the size of the board is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SizeTerms {
    /// The side of a square board.
    pub square: Option<String>,
    /// The number of files.
    pub files: Option<String>,
    /// The number of ranks.
    pub ranks: Option<String>,
}

/// What game records call things.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SgfTerms {
    /// The number of the game.
    pub game: String,
    /// Parameters by the property that holds them.
    pub terms: Vec<(String, String)>,
    /// A property that some programs write in hundredths.
    pub hundredths: Option<Hundredths>,
    /// Results in words with what they mean: a beginning, and what comes somewhere behind it.
    pub results: Vec<(String, String, String)>,
}

impl SgfTerms {
    /// What a result in words means.
    pub fn result(&self, text: &str) -> Option<&str> {
        let fits = |(first, then, _): &&(String, String, String)| {
            text.strip_prefix(first.as_str()).is_some_and(|rest| rest.contains(then.as_str()))
        };
        self.results.iter().find(fits).map(|(.., meaning)| meaning.as_str())
    }
}

/// A property that some programs write in hundredths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hundredths {
    /// The property.
    pub of: String,
    /// Beginnings of the names of the programs.
    pub by: Vec<String>,
    /// Numbers of hundredths that are halves of what is meant.
    pub doubled: Vec<Number>,
}

/// What a report of a tournament tells: how many rounds there will be and how many have been paired, the colour of
/// the first entry in the first round, and what results are worth.
pub const TRF_TERMS: [&str; 12] = [
    "rounds",
    "played",
    "colour",
    "win",
    "draw",
    "loss",
    "half",
    "full",
    "zero",
    "allocated",
    "forfeit_win",
    "forfeit_loss",
];

/// What reports of tournaments call things.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrfTerms {
    /// Parameters by what a report tells.
    pub terms: Vec<(String, String)>,
    /// The parameters that are the keys of a ranking, in their order; each is a list of words.
    pub keys: Vec<String>,
    /// The words that such a key may be made of.
    pub words: Vec<String>,
}

/// What controllers call things.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GtpTerms {
    /// Parameters by the command that sets them.
    pub terms: Vec<(String, String)>,
    /// The parameter that is the number of pieces given in advance.
    pub handicap: Option<String>,
    /// The definition of the lead of a player, perhaps with a set of sites that do not count.
    pub score: Option<String>,
    /// The definition of the sites that lie between the players, perhaps with that set.
    pub between: Option<String>,
    /// How the ids of the rule sets begin that controllers name.
    pub named: String,
    /// Options that controllers may set.
    pub options: Vec<OptionTerms>,
}

/// An option that controllers may set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OptionTerms {
    /// Its name.
    pub name: String,
    /// The parameter.
    pub param: String,
    /// Words, and the values that they mean; without any the value is the word.
    pub words: Vec<(String, String)>,
}
