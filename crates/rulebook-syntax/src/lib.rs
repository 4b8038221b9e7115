//! Turns YAML and the small languages inside its strings into trees whose every node has a byte range.
//!
//! This crate knows no word of the rule language: what a key or a name means is the model's affair.

pub mod codes;
pub mod span;

pub use span::{Diagnostic, Label, Severity, Source, Span};
