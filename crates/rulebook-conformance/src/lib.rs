//! Turns scenario files and a driver into a report, without knowing which engine is under test.
//!
//! A corpus is read as a whole or not at all, its cases are put to a `Driver`, and a `Report` says what came
//! of them. The reference interpreter and the machine are drivers; they stand in their own module, and no other
//! one uses it.

pub mod case;
pub mod corpus;
pub mod coverage;
pub mod diff;
pub mod driver;
pub mod engines;
pub mod fuzz;
pub mod hostile;
pub mod judge;
pub mod mutation;
pub mod report;
pub mod run;
pub mod scenario;
pub mod select;

mod tables;

pub use corpus::{Corpus, Problem};
pub use engines::{Engines, Kind};
pub use report::Report;
pub use select::Selection;
