//! Our side: games of the machine, the module that one rule set became, and how long rule files take to become one.
//!
//! Invariant: a count is asked of the public face of the machine, as any other program would ask.

use std::sync::Arc;
use std::time::Duration;

use rulebook_compiler::{Passes, compile, sources};
use rulebook_conformance::engines::Bridge;
use rulebook_machine::file;
use rulebook_machine::front::{Game, Machine};
use rulebook_machine::program::Program;
use rulebook_machine::verify::verify;
use rulebook_model::RuleSet;
use rulebook_model::layer::PRELUDE;
use rulebook_model::library::{BUILT_IN, Library};
use rulebook_notation::position::read_position;

use crate::measure::timed;
use crate::plan::Mode;

/// The module of a rule set, written by the build script.
mod generated {
    include!(concat!(env!("OUT_DIR"), "/board.rs"));
}

/// A position that is counted from.
pub(crate) enum Ours {
    /// On the machine.
    Machine(Box<dyn Game>),
    /// In the module.
    Generated(Box<generated::Position>),
}

impl Ours {
    /// Opens a game in a position.
    pub(crate) fn open(
        library: &Library,
        rules: &str,
        position: &str,
        generated: bool,
    ) -> Result<Self, String> {
        if generated && rules != generated::RULES {
            return Err(format!("no module was written for `{rules}`"));
        }
        let rules = Arc::new(checked(library, rules)?);
        let state =
            read_position(&rules, position).map_err(|error| format!("our position: {}", error.message))?;
        let bridge = Bridge::new(rules)?;
        let game = bridge
            .open(&state)
            .map_err(|fault| format!("the machine does not open the position: {fault:?}"))?;
        if !generated {
            return Ok(Self::Machine(game));
        }
        let opened = generated::Position::open(&game.state().position);
        opened
            .map(|position| Self::Generated(Box::new(position)))
            .map_err(|fault| format!("the module does not open the position: {fault:?}"))
    }

    /// Counts, so many times.
    pub(crate) fn count(&mut self, mode: Mode, depth: u32, times: u32) -> Result<(u64, Duration), String> {
        let (count, time) = timed(|| {
            let mut count = Ok(0);
            for _ in 0..times {
                count = match (&mut *self, mode) {
                    (Self::Machine(game), Mode::Bulk) => game.perft(depth),
                    (Self::Machine(game), Mode::Making) => game.perft_making(depth),
                    (Self::Generated(position), Mode::Bulk) => position.perft(depth),
                    (Self::Generated(position), Mode::Making) => position.perft_making(depth),
                };
            }
            count
        });
        Ok((count.map_err(|fault| format!("our side reports {fault:?}"))?, time))
    }
}

/// A game of the machine that is played at random.
pub(crate) struct Games(Box<dyn Game>);

impl Games {
    /// Opens a game in the first state.
    pub(crate) fn first(library: &Library, rules: &str, params: &[(&str, &str)]) -> Result<Self, String> {
        let params: Vec<(String, String)> =
            params.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let checked =
            library.check(rules, &params).ok_or_else(|| format!("there is no rule set `{rules}`"))?;
        let checked = checked.rules.ok_or_else(|| format!("the rule set `{rules}` has errors"))?;
        let (program, _) = compile(&checked, Passes::all()).map_err(|error| format!("{rules}: {error}"))?;
        let verified = verify(program).map_err(|refusal| refusal.to_string())?;
        Ok(Self(Machine::new(verified).map_err(|refusal| refusal.to_string())?.first()))
    }

    /// Plays games at random: the plies, and how long they took.
    pub(crate) fn play(&mut self, games: u64, most: u32) -> Result<(u64, Duration), String> {
        let (plies, time) = timed(|| {
            (0..games).try_fold(0_u64, |plies, seed| {
                self.0.playout(seed, most).map(|played| plies + u64::from(played.plies))
            })
        });
        Ok((plies.map_err(|fault| format!("the machine reports {fault:?}"))?, time))
    }
}

fn checked(library: &Library, id: &str) -> Result<RuleSet, String> {
    let checked = library.check(id, &[]).ok_or_else(|| format!("there is no rule set `{id}`"))?;
    checked.rules.ok_or_else(|| format!("the rule set `{id}` has errors"))
}

fn program(library: &Library, id: &str) -> Result<Program, String> {
    let (program, _) =
        compile(&checked(library, id)?, Passes::all()).map_err(|error| format!("{id}: {error}"))?;
    Ok(program)
}

/// From rule files to a machine.
pub(crate) fn machine(library: &Library, id: &str) -> Result<Machine, String> {
    let verified = verify(program(library, id)?).map_err(|refusal| refusal.to_string())?;
    Machine::new(verified).map_err(|refusal| refusal.to_string())
}

/// The compiled file of a rule set.
pub(crate) fn compiled(library: &Library, id: &str) -> Result<Vec<u8>, String> {
    file::encode(&program(library, id)?, &sources([], [])).map_err(|error| format!("{id}: {error}"))
}

/// Loads a compiled file.
pub(crate) fn load(bytes: &[u8]) -> Result<Machine, String> {
    file::load(bytes).map_err(|error| error.to_string())
}

/// The largest compiled file of all rule sets.
pub(crate) fn largest(library: &Library) -> Result<(&'static str, usize), String> {
    let mut largest = ("", 0);
    for (id, _) in BUILT_IN.iter().filter(|(id, _)| *id != PRELUDE) {
        let size = compiled(library, id)?.len();
        if size > largest.1 {
            largest = (id, size);
        }
    }
    Ok(largest)
}
