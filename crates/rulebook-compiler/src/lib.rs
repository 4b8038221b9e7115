//! Turns a checked rule set into a program for the machine.
//!
//! Invariant: a program means what its rule set means; the reference interpreter is the judge of that.

mod lookups;
pub mod lower;
mod passes;
mod plan;
mod shapes;
mod simplify;
mod sources;
mod surround;
mod templates;
pub mod text;
mod values;

use rulebook_machine::program::Program;
use rulebook_model::RuleSet;

pub use lower::{Unsupported, lower};
pub use passes::Passes;
pub use plan::{Line, Plan, plan};
pub use shapes::Note;
pub use sources::sources;
pub use values::plain;

/// Compiles a rule set: lowers it, then runs the passes. The notes say what became of which clause.
///
/// # Errors
/// The rule set needs more room than any layout has.
pub fn compile(rules: &RuleSet, passes: Passes) -> Result<(Program, Vec<Note>), Unsupported> {
    let mut program = lower(rules)?;
    let (lanes, mut notes) = shapes::lanes(rules, &program, passes);
    if passes.lookups {
        program.lookups = lookups::lookups(&program.board, &lanes);
    }
    program.lanes = lanes;
    if passes.surround {
        match surround::surround(rules, &program) {
            Ok((form, found)) => {
                program.surround = Some(form);
                notes.retain(|note| found.iter().all(|new| new.clause != note.clause));
                notes.extend(found);
            }
            Err(hindered) => notes.extend(hindered),
        }
    }
    Ok((program, notes))
}
