//! Turns a checked rule set into a program for the machine.

mod passes;
mod shapes;
mod simplify;
mod templates;

pub use passes::Passes;
pub use shapes::Note;
