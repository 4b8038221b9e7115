//! Pairs the entries of a competition as the clauses of a rule set say.
//!
//! A rule set states what is paired, in which order and in which brackets, and clauses say what is forbidden, what is
//! measured, and which of equal pairings comes first.
//! The engine goes from bracket to bracket, makes one weight of all measures, and finds the best pairing by exact
//! matchings of greatest weight.
//!
//! The crate knows entries, brackets, pairs and sides, and nothing of any competition.

mod bracket;
mod completion;
mod criteria;
mod eval;
mod explain;
mod measure;
mod pair;
mod refine;
mod round;
#[cfg(test)]
mod scopes;
mod value;
mod weigh;

pub use explain::{Compared, Explained, WhyNot};
pub use pair::{Paired, Pairer, Settled};
pub use round::Failure;
