//! Loads compiled rule sets and runs them.
//!
//! A program is what a compiled file holds; a machine is a program that the verifier has passed. This crate
//! knows no source text and needs no file system.

mod attack;
mod fast;
pub mod lane;
pub mod lookup;
pub mod position;
pub mod program;
pub mod set;
mod tables;

/// Probe.
pub mod probe {
    use crate::fast::{Fast, General};
    use crate::position::{Layout, Position, Row};
    use crate::program::{Const, Program, Type};
    use crate::set::Set;

    struct None_;
    impl<L: Layout> General<L> for None_ {
        fn settled(&self, _: u16, position: &Position<L>) -> L::Set {
            position.sets.get(0)
        }
    }
    /// start
    pub fn start<L: Layout>(program: &Program) -> Position<L> {
        let mut p = Position::<L>::empty();
        for (site, cell) in program.setup.iter().enumerate() {
            p.put(site as u16, *cell);
        }
        for var in &program.vars {
            for at in 0..var.count {
                let slot = usize::from(var.slot + at);
                match &program.consts[var.start as usize] {
                    Const::Sites(words) => *p.sets.slot(slot) = L::Set::from_words(words),
                    Const::Truth(t) => *p.nums.slot(slot) = i64::from(*t),
                    Const::Number(a, b) => *p.nums.slot(slot) = crate::position::pack(*a, *b).unwrap_or(0),
                    _ => *p.nums.slot(slot) = crate::position::NOTHING,
                }
                let _ = Type::Sites;
            }
        }
        p
    }
    /// load
    pub fn load<L: Layout>(program: &Program) -> Option<impl Fn(&Position<L>, u32, bool) -> u64> {
        let fast = Fast::<L>::of(program)?;
        Some(move |p: &Position<L>, depth, bulk| fast.perft(p, depth, bulk, &None_))
    }
    /// perft
    pub fn perft<L: Layout>(program: &Program, p: &Position<L>, depth: u32, bulk: bool) -> Option<u64> {
        let fast = Fast::<L>::of(program)?;
        Some(fast.perft(p, depth, bulk, &None_))
    }
}
