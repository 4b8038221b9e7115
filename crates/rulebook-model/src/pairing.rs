//! How entries are paired: what is paired, and what pairings are chosen by.
//!
//! Invariant: tables, fields and clauses that are named here exist, and every code has the slots that are
//! stated beside it. How a pairing is found is not known here.

use crate::ruleset::Code;

/// What is paired.
#[derive(Clone, Debug)]
pub struct Pairing {
    /// The table of those who are paired.
    pub entries: u16,
    /// The table of what was played.
    pub games: u16,
    /// Its field that is the number of the round.
    pub round: u16,
    /// Its fields that are the two sides, in the order of the players.
    pub sides: [u16; 2],
    /// Whether an entry is to be paired. Slots: entry, round.
    pub present: Code,
    /// Whether a row of the round that is to be paired was there before. Slots: row, round.
    pub known: Option<Code>,
    /// The keys of the order before pairing, larger being better. Slots: entry, round.
    pub order: Vec<Code>,
    /// The number whose equals form a bracket, the greatest first. Slots: entry, round.
    pub bracket: Code,
}

/// What a clause says about pairings.
#[derive(Clone, Debug)]
pub enum PairingForm {
    /// Two who cannot be paired. Slots: the one placed higher, the other one, round.
    Forbid(Code),
    /// What is measured on pairs. Slots: as above, bracket.
    Pair(Measure),
    /// Who cannot be left alone. Slots: entry, round.
    NotAlone(Code),
    /// What is measured on the one who is left alone. Slots: as above, and bracket unless it is for the round.
    Alone {
        /// The measure.
        measure: Measure,
        /// Whether it is judged for the round as a whole, before any bracket is paired.
        whole: bool,
    },
    /// What is measured on those who leave a bracket unpaired. Slots: entry, round, bracket.
    Leaves(Measure),
    /// All who are not yet paired can be paired.
    Completes,
    /// What other clauses measure on those who leave is measured in the next bracket.
    Next(Vec<u16>),
    /// Which of equal pairings comes first.
    Prefer(Preference),
    /// The side of the one placed higher, or none if the clause does not decide. Slots: as for what is forbidden.
    Side(Code),
}

/// What is measured, and how measures are compared.
#[derive(Clone, Debug)]
pub struct Measure {
    /// The number.
    pub code: Code,
    /// Whether more is better.
    pub most: bool,
    /// Whether the numbers are compared one by one from the greatest, and not summed up.
    pub each: bool,
}

/// Which of equal pairings comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preference {
    /// That in which those who were moved here are paired, in their order.
    MovedPaired,
    /// That in which those who were moved here meet the best placed others, in their order.
    MovedOpponents,
    /// That in which the fewest of the higher placed of a pair are not of the upper half.
    FewestExchanged,
    /// That in which the places of the higher placed of a pair sum up to least.
    NearestExchanged,
    /// That in which the last of the upper half are not the higher placed of a pair.
    LastOfUpper,
    /// That in which the first of the lower half are the higher placed of a pair.
    FirstOfLower,
    /// That in which the higher placed of a pair meet the best placed others, in their order.
    Opponents,
}

impl Preference {
    /// The preferences with their words.
    pub const WORDS: [(&'static str, Self); 7] = [
        ("moved paired", Self::MovedPaired),
        ("opponents of moved", Self::MovedOpponents),
        ("fewest exchanged", Self::FewestExchanged),
        ("nearest exchanged", Self::NearestExchanged),
        ("last of upper half", Self::LastOfUpper),
        ("first of lower half", Self::FirstOfLower),
        ("opponents of leaders", Self::Opponents),
    ];

    /// Its words.
    pub fn words(self) -> &'static str {
        Self::WORDS.iter().find(|(_, known)| *known == self).map_or("", |(words, _)| words)
    }
}
