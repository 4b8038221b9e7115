//! The modules, and one face for all of them.

use rulebook_machine::engine::Outcomes;
use rulebook_machine::plain::{PlainAct, PlainPosition};

/// A module that opens positions.
pub trait Open {
    /// The first position.
    ///
    /// # Errors
    /// A fault of the rule set.
    fn first(&self) -> Outcomes<Box<dyn Face>>;
    /// A position of the machine.
    ///
    /// # Errors
    /// The module has no room for it.
    fn open(&self, plain: &PlainPosition) -> Outcomes<Box<dyn Face>>;
}

/// A legal ply: what is done, the position after it, and the same position to go on from.
pub type Followed = (PlainAct, PlainPosition, Box<dyn Face>);

/// A position of a module.
#[expect(clippy::missing_errors_doc, reason = "each gives a fault of the rule set in this position")]
pub trait Face {
    /// The position as the machine knows it.
    fn plain(&self) -> PlainPosition;
    /// Its key.
    fn key(&self) -> u64;
    /// How many sequences of plies there are.
    fn perft(&self, depth: u32) -> Outcomes<u64>;
    /// The same, every position made.
    fn perft_making(&self, depth: u32) -> Outcomes<u64>;
    /// The legal plies.
    fn plies(&self) -> Outcomes<Vec<Followed>>;
}

macro_rules! face {
    ($module:ident) => {
        impl Face for $module::Position {
            fn plain(&self) -> PlainPosition {
                self.plain()
            }
            fn key(&self) -> u64 {
                self.key()
            }
            fn perft(&self, depth: u32) -> Outcomes<u64> {
                self.perft(depth)
            }
            fn perft_making(&self, depth: u32) -> Outcomes<u64> {
                self.perft_making(depth)
            }
            fn plies(&self) -> Outcomes<Vec<Followed>> {
                let followed = |ply: &$module::Ply| {
                    let next = self.play(ply);
                    (self.act(ply), next.plain(), Box::new(next) as Box<dyn Face>)
                };
                Ok(self.plies()?.iter().map(followed).collect())
            }
        }

        const _: () = {
            struct Opens;
            impl Open for Opens {
                fn first(&self) -> Outcomes<Box<dyn Face>> {
                    Ok(Box::new($module::Position::first()?))
                }
                fn open(&self, plain: &PlainPosition) -> Outcomes<Box<dyn Face>> {
                    Ok(Box::new($module::Position::open(plain)?))
                }
            }
            impl Named for $module::Position {
                fn opens() -> Box<dyn Open> {
                    Box::new(Opens)
                }
            }
        };
    };
}

/// From the type of a position to its module.
trait Named {
    fn opens() -> Box<dyn Open>;
}

include!(concat!(env!("OUT_DIR"), "/modules.rs"));
