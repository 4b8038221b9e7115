//! The meaning of a rule set: a plain, traced interpreter of legal acts, next states and verdicts.
//!
//! No caches, no tables, no tricks: a line here for a line of the language reference. Everything faster
//! must agree with it; `quick`, which ranks large tables, stands beside it and is compared with it.

mod collect;
mod effects;
mod engine;
mod eval;
pub mod explore;
pub mod pairing;
pub mod quick;
mod state;
mod walk;
mod why;

pub use collect::{Listed, Ranked};
pub use engine::{Banned, Engine, Finding, MAX_DEPTH, Person, Plies, Ply, Reason, Step, Verdict};
pub use eval::{FUEL, Fault, Outcomes, TABLE_FUEL};
pub use state::{Act, Ending, Past, State};
