//! A position as sets of sites and small numbers, and the layouts it comes in.
//!
//! Invariant: a site is in the set of at most one owner and of at most one kind, and in one of either only
//! if in one of both. A position is a plain value: it is copied, never shared.

use std::fmt::Debug;
use std::hash::Hash;

use crate::program::{NO_KIND, Site};
use crate::set::{Set, Wide};

/// A row of a fixed power of two of values; an index beyond it wraps, so that no check is needed. The
/// verifier sees to it that no index is beyond it.
pub trait Row<T>: Copy + Eq + Hash + Debug + Send + Sync + 'static {
    /// How many values.
    const LEN: usize;
    /// A row of one value.
    fn all(value: T) -> Self;
    /// A value.
    fn get(&self, at: usize) -> T;
    /// Where a value is kept.
    fn slot(&mut self, at: usize) -> &mut T;
    /// All values.
    fn slice(&self) -> &[T];
    /// All values, to change.
    fn slice_mut(&mut self) -> &mut [T];
}

macro_rules! rows {
    ($($n:literal)*) => {$(
        impl<T: Copy + Eq + Hash + Debug + Send + Sync + 'static> Row<T> for [T; $n] {
            const LEN: usize = $n;
            #[inline(always)]
            fn all(value: T) -> Self {
                [value; $n]
            }
            #[inline(always)]
            fn get(&self, at: usize) -> T {
                self[at & ($n - 1)]
            }
            #[inline(always)]
            fn slot(&mut self, at: usize) -> &mut T {
                &mut self[at & ($n - 1)]
            }
            #[inline(always)]
            fn slice(&self) -> &[T] {
                self
            }
            #[inline(always)]
            fn slice_mut(&mut self) -> &mut [T] {
                self
            }
        }
    )*};
}
rows!(1 2 4 8 16 32 64 128 256);

/// How much room a position has.
pub trait Layout: Copy + Eq + Hash + Debug + Send + Sync + 'static {
    /// Sets of sites.
    type Set: Set;
    /// One set for each kind.
    type Kinds: Row<Self::Set>;
    /// One set for each player.
    type Owners: Row<Self::Set>;
    /// Set variables.
    type Sets: Row<Self::Set>;
    /// All other variables.
    type Nums: Row<i64>;
    /// Whether there are fast paths.
    const FAST: bool = Self::Set::CAPACITY <= 128;
}

macro_rules! layouts {
    ($($(#[$doc:meta])* $name:ident: $set:ty, $kinds:literal, $owners:literal, $sets:literal, $nums:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name;
        impl Layout for $name {
            type Set = $set;
            type Kinds = [$set; $kinds];
            type Owners = [$set; $owners];
            type Sets = [$set; $sets];
            type Nums = [i64; $nums];
        }
    )*};
}

layouts! {
    /// Up to 64 sites, few kinds and fewest variables.
    Tiny: u64, 8, 2, 1, 4;
    /// Up to 64 sites, few kinds and variables.
    Small: u64, 8, 2, 2, 16;
    /// Up to 64 sites, two players.
    Middle: u64, 32, 2, 4, 128;
    /// Up to 128 sites, two players.
    Large: u128, 16, 2, 4, 32;
    /// Up to 384 sites, two players.
    Broad: Wide<6>, 16, 2, 8, 64;
    /// Everything the language allows.
    Huge: Wide<10>, 128, 16, 16, 256;
}

/// What a variable holds when it holds nothing.
pub const NOTHING: i64 = i64::MIN;

/// No act.
pub const NO_ACT: u16 = u16::MAX;

/// A position.
#[derive(Clone, Copy, Debug)]
pub struct Position<L: Layout> {
    /// The sites of each kind, whoever owns them.
    pub kinds: L::Kinds,
    /// The sites of each player.
    pub owners: L::Owners,
    /// Set variables.
    pub sets: L::Sets,
    /// All other variables.
    pub nums: L::Nums,
    /// Who has the turn.
    pub mover: u8,
    /// Plies played.
    pub played: u32,
    /// Bits for set variables that are known to be settled: what narrows them would change nothing. Not a
    /// part of what the position is.
    pub settled: u32,
    /// The name of the act that led here, `NO_ACT` where that is not known: kept by the fast paths only, and
    /// not a part of what the position is.
    pub last: u16,
}

impl<L: Layout> PartialEq for Position<L> {
    fn eq(&self, other: &Self) -> bool {
        (self.kinds, self.owners, self.sets) == (other.kinds, other.owners, other.sets)
            && (self.nums, self.mover, self.played) == (other.nums, other.mover, other.played)
    }
}

impl<L: Layout> Eq for Position<L> {}

impl<L: Layout> Position<L> {
    /// An empty board.
    pub fn empty() -> Self {
        Self {
            kinds: L::Kinds::all(L::Set::EMPTY),
            owners: L::Owners::all(L::Set::EMPTY),
            sets: L::Sets::all(L::Set::EMPTY),
            nums: L::Nums::all(0),
            mover: 0,
            played: 0,
            settled: 0,
            last: NO_ACT,
        }
    }

    /// The sites with a piece.
    #[inline(always)]
    pub fn occupied(&self) -> L::Set {
        self.owners.slice().iter().fold(L::Set::EMPTY, |all, set| all | *set)
    }

    /// The sites of a kind of a player.
    #[inline(always)]
    pub fn pieces(&self, kind: u8, player: u8) -> L::Set {
        self.kinds.get(usize::from(kind)) & self.owners.get(usize::from(player))
    }

    /// Who owns what stands on a site.
    pub fn owner(&self, site: Site) -> Option<u8> {
        self.owners.slice().iter().position(|set| set.has(site)).map(|owner| owner as u8)
    }

    /// The kind that stands on a site, `NO_KIND` for none.
    pub fn kind(&self, site: Site) -> u8 {
        self.kinds.slice().iter().position(|set| set.has(site)).map_or(NO_KIND, |kind| kind as u8)
    }

    /// What stands on a site: kind and owner.
    pub fn cell(&self, site: Site) -> Option<(u8, u8)> {
        Some((self.kind(site), self.owner(site)?))
    }

    /// Clears sites.
    #[inline(always)]
    pub fn clear(&mut self, sites: L::Set) {
        let keep = !sites;
        for set in self.kinds.slice_mut() {
            *set &= keep;
        }
        for set in self.owners.slice_mut() {
            *set &= keep;
        }
    }

    /// Puts something on a site, whatever stood there.
    #[inline(always)]
    pub fn put(&mut self, site: Site, cell: Option<(u8, u8)>) {
        let one = L::Set::one(site);
        self.clear(one);
        if let Some((kind, owner)) = cell {
            *self.kinds.slot(usize::from(kind)) |= one;
            *self.owners.slot(usize::from(owner)) |= one;
        }
    }
}

/// A number variable: the numerator above 16 bits of denominator. Numbers kept in variables stay below
/// 2^47 and denominators below 2^16; both engines refuse what does not fit.
pub fn pack(numerator: i64, denominator: i64) -> Option<i64> {
    let fits = numerator.unsigned_abs() < 1 << 47 && (1..1 << 16).contains(&denominator);
    fits.then_some(numerator << 16 | denominator)
}

/// Numerator and denominator of a packed number.
pub fn unpack(packed: i64) -> (i64, i64) {
    (packed >> 16, packed & 0xffff)
}
