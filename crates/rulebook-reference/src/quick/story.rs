//! What was asked while a key was evaluated.
//!
//! Invariant: what is told is what the evaluation did, in its order; a story that would be too long is cut, never the
//! evaluation.

use rulebook_model::Value;

/// A definition that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// Its name.
    pub name: String,
    /// What it was given.
    pub given: Vec<Value>,
    /// What it gave.
    pub gave: Value,
    /// What it asked itself.
    pub asked: Vec<Self>,
}

/// Most definitions in one story.
pub(super) const MAX_TOLD: usize = 50_000;
/// Deepest definition in a story.
pub(super) const MAX_TOLD_DEPTH: usize = 24;
