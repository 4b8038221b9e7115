//! Writes a compiled rule set as a Rust module that is specialised for it.
//!
//! A rule set whose plies were all recognised becomes straight code for each player, with the positions, the
//! tables and the steps of just this rule set. Every other one becomes a module with the same face that asks the
//! machine. Either way the module holds the compiled file, and verdicts with clauses come from there.
//!
//! Law: a module gives exactly the machine's answers. The same rule set gives the same text, byte for byte.

mod attacks;
mod fixed;
mod forms;
mod looks;
mod make;
mod module;
mod questions;
mod script;
mod terms;
mod text;
mod visit;
mod whole;

use rulebook_machine::file::{LoadError, Sources, encode, load};
use rulebook_machine::program::{Clause, Form, Program};

pub use script::{BuildError, build, build_with};

/// A module as text, and how it was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emitted {
    /// The module.
    pub text: String,
    /// Whether the plies are found and made by code for this rule set; otherwise the machine is asked.
    pub specialised: bool,
    /// What became of the clauses that plies are made of, in their order; a reason that is about no single
    /// clause comes first.
    pub notes: Vec<Note>,
}

/// What became of a clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The clause, by its place in the program; none for a reason that is about the whole rule set.
    pub clause: Option<u16>,
    /// Why it keeps the rule set from becoming code; none for one that could become code.
    pub left: Option<String>,
}

/// Writes a program as a module. `sources` names the texts that the program was compiled from.
///
/// # Errors
/// The program has no compiled file that the machine loads.
pub fn emit(program: &Program, sources: &Sources) -> Result<Emitted, LoadError> {
    let bytes = encode(program, sources)?;
    load(&bytes)?;
    let made = forms::sides(program).and_then(|sides| module::write(program, &sides));
    let (body, reasons) = match made {
        Ok(body) => (body, Vec::new()),
        Err(reasons) => (whole::TEXT.to_owned(), reasons),
    };
    let specialised = reasons.is_empty();
    let mut text = whole::head(program, sources, specialised);
    text.push_str(&body);
    text.push_str(&whole::tail(&bytes));
    Ok(Emitted { text, specialised, notes: notes(program, &reasons) })
}

/// The name of the file that a rule set's module is written to: the last part of its id, as Rust writes names.
pub fn file_name(program: &Program) -> String {
    let last = program.id.rsplit('/').next().unwrap_or("rules");
    let name = text::identifier(last);
    let begins = name.starts_with(|c: char| c.is_ascii_digit());
    if begins { format!("rules_{name}.rs") } else { format!("{name}.rs") }
}

fn notes(program: &Program, reasons: &[forms::Reason]) -> Vec<Note> {
    let whole = reasons.iter().filter(|(clause, _)| clause.is_none());
    let whole = whole.map(|(_, why)| Note { clause: None, left: Some(why.clone()) });
    let is_about_plies = |clause: &Clause| {
        matches!(
            clause.form,
            Form::Move { .. }
                | Form::Act { .. }
                | Form::After { .. }
                | Form::Forbid { .. }
                | Form::Most { .. }
                | Form::Turn(_)
                | Form::Ends { stops: true, .. }
        )
    };
    let clauses = program.clauses.iter().enumerate().filter(|(_, clause)| is_about_plies(clause));
    let clauses = clauses.map(|(at, _)| {
        let why: Vec<&str> = reasons
            .iter()
            .filter(|(clause, _)| *clause == Some(at as u16))
            .map(|(_, why)| why.as_str())
            .collect();
        Note { clause: Some(at as u16), left: (!why.is_empty()).then(|| why.join("; ")) }
    });
    whole.chain(clauses).collect()
}
