//! Types and units.
//!
//! Invariant: numbers of different units never mix without a named conversion. `Unknown` is the type of
//! what was already reported as wrong; it agrees with everything, so that one fault is reported once.

/// A unit of numbers, an index into the units of a rule set; zero is a plain count.
pub type Unit = u16;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// Already reported.
    Unknown,
    /// The literal `none`.
    Nothing,
    /// A truth value.
    Truth,
    /// A number with a unit.
    Number(Unit),
    /// A text.
    Text,
    /// A player, or none.
    Player,
    /// A kind of piece, or none.
    Kind,
    /// A site, or none.
    Site,
    /// A set of sites.
    Sites,
    /// A list.
    List(Box<Type>),
    /// A row of a table.
    Row(u16),
    /// A phase of the game.
    Phase,
    /// An outcome.
    Outcome,
}

impl Type {
    /// Whether a value of the type `self` may stand where `wanted` is expected.
    pub fn fits(&self, wanted: &Self) -> bool {
        match (self, wanted) {
            (Self::Unknown, _) | (_, Self::Unknown) => true,
            (Self::Nothing, Self::Player | Self::Kind | Self::Site | Self::Sites | Self::Row(_)) => true,
            (Self::Site, Self::Sites) => true,
            (Self::List(a), Self::List(b)) => a.fits(b),
            (Self::List(a), Self::Sites) => **a == Self::Unknown,
            (a, b) => a == b,
        }
    }

    /// The type of both, where there is one.
    pub fn common(&self, other: &Self) -> Option<Self> {
        if self == &Self::Unknown || self.fits(other) {
            Some(other.clone())
        } else if other.fits(self) {
            Some(self.clone())
        } else {
            None
        }
    }

    /// The type of the members of a collection.
    pub fn member(&self) -> Option<Self> {
        match self {
            Self::Unknown => Some(Self::Unknown),
            Self::Sites => Some(Self::Site),
            Self::List(member) => Some((**member).clone()),
            _ => None,
        }
    }
}
