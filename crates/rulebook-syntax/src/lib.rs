//! Turns YAML and the small languages inside its strings into trees whose every node has a byte range.
//!
//! This crate knows no word of the rule language: what a key or a name means is the model's affair.

pub mod ast;
pub mod codes;
pub mod parse;
pub mod scalar;
pub mod span;
pub mod yaml;

pub use span::{Diagnostic, Label, Severity, Source, Span};
