//! Why a matcher does not take what it is given.

use std::error::Error;
use std::fmt;

/// Why a matcher does not take what it is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Refusal {
    /// There are more vertices than can be numbered.
    TooManyVertices,
    /// There are more edges than can be numbered.
    TooManyEdges,
    /// A vertex has a number that none has.
    UnknownVertex,
    /// An edge begins where it ends.
    Loop,
    /// A weight has more bits than its type has room for in a search.
    TooWide {
        /// The bits of the weight.
        bits: u32,
        /// The bits that a weight may have here.
        widest: u32,
    },
    /// A list of values is not as long as the list of their criteria.
    WrongCount {
        /// How many values there should be.
        wanted: usize,
        /// How many there are.
        found: usize,
    },
    /// A value is not in the range that was stated for its criterion.
    OutOfRange {
        /// The number of the criterion, from 0 on.
        criterion: usize,
        /// The value.
        value: i64,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyVertices => f.write_str("there are too many vertices"),
            Self::TooManyEdges => f.write_str("there are too many edges"),
            Self::UnknownVertex => f.write_str("a vertex does not exist"),
            Self::Loop => f.write_str("an edge begins where it ends"),
            Self::TooWide { bits, widest } => {
                write!(f, "a weight has {bits} bits, and there is room for {widest}")
            }
            Self::WrongCount { wanted, found } => write!(f, "{found} values for {wanted} criteria"),
            Self::OutOfRange { criterion, value } => {
                write!(f, "the value {value} is not in the range of criterion {criterion}")
            }
        }
    }
}

impl Error for Refusal {}
