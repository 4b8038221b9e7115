//! What the passes of the compiler recognised: the ways of one player, as relations over sites.
//!
//! Invariant: a lane only says again, in a form that runs fast, what the clauses say. Everything in it can be
//! left out; the general engine then gives the same answers.

use serde::{Deserialize, Serialize};

/// The ways of one player.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lane {}
