//! Finds matchings of greatest weight in general graphs, exactly, for weights of any width, and proves them.
//!
//! A matching is a set of edges no two of which meet.
//! Weights are ordered additive values: plain integers, or [`Wide`] ones in which many criteria stand one below the
//! other ([`Fields`]), so that the greatest sum is the best by the first criterion, among these the best by the
//! second, and so on.
//!
//! - [`Matcher`] holds a graph, finds a best matching, and after changes of weights goes on from there.
//! - [`Proof`] shows that no matching is better, and is checked without searching.
//!
//! The search is Edmonds' algorithm with the dual adjustment of Galil; see `search.rs` for the papers and for what is
//! done otherwise.
//! With n vertices and m edges it takes time in O(n m log n) at worst, and on most graphs far less, times the words
//! of a weight; memory is that of the edges.
//! Of graphs in which every pair is an edge, only some edges come into the search
//! ([`Matcher::solve_complete`]).
//!
//! The crate knows vertices, edges and weights, and nothing of what they stand for.

mod complete;
mod fields;
mod graph;
mod heap;
mod matcher;
mod nest;
mod proof;
mod refusal;
mod search;
mod state;
mod weight;
mod wide;

pub use fields::Fields;
pub use matcher::{Goal, Matcher};
pub use proof::{Blossom, Flaw, Proof};
pub use refusal::Refusal;
pub use weight::Weight;
pub use wide::Wide;
