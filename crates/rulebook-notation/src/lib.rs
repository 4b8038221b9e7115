//! Reads and writes positions, moves and game records, driven by the notation section of a rule file.
//!
//! This crate knows the shapes of records, not the rules: what a text means is asked of the engine.

pub mod clocked;
pub mod gtp;
pub mod judge;
pub mod lines;
pub mod moves;
pub mod pgn;
pub mod position;
pub mod replay;
pub mod sgf;
pub mod snapshot;
pub mod trf;

pub use judge::Judge;
