//! Loads compiled rule sets and runs them.
//!
//! A program is what a compiled file holds; a machine is a program that the verifier has passed. This crate
//! knows no source text and needs no file system.

mod able;
pub mod act;
mod attack;
pub mod calls;
pub mod clockwork;
pub mod collect;
pub mod dispatch;
pub mod effects;
pub mod endings;
pub mod engine;
pub mod eval;
pub mod events;
mod fast;
pub mod file;
mod flood;
pub mod front;
mod identity;
pub mod lane;
pub mod lookup;
mod memo;
pub mod plain;
pub mod plies;
pub mod position;
pub mod program;
mod query;
pub mod random;
mod recipe;
pub mod record;
pub mod set;
mod sieve;
pub mod surround;
mod tables;
mod terms;
pub mod value;
pub mod verify;
mod visit;
pub mod walk;
pub mod why;
