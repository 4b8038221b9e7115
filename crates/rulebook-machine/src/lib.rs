//! Loads compiled rule sets and runs them.
//!
//! A program is what a compiled file holds; a machine is a program that the verifier has passed. This crate
//! knows no source text and needs no file system.

pub mod lane;
pub mod position;
pub mod program;
pub mod set;
