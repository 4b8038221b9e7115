//! Turns a checked rule set into a program for the machine.
//!
//! Invariant: a program means what its rule set means; the reference interpreter is the judge of that.

pub mod lower;

pub use lower::{Unsupported, lower};
