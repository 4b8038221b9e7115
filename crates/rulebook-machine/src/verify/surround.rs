//! Whether the recognised part of a game of placing and enclosing is one that may be used.
//!
//! Invariant: every clause is of the form that the part says, every number is kept where a number variable is
//! declared and stays small, and the board is one on which two players have pieces of a single kind. Whether
//! the part says the same as its clauses is not asked: it could be no worse than clauses that say so.

use super::{Checked, Refusal, need};
use crate::lane::Op;
use crate::position::unpack;
use crate::program::{Form, Program, Type};
use crate::surround::{Own, Past, Surround};

/// Most parts of one list.
const MAX_PARTS: usize = 64;
/// Most that may be added to a number, or given to it.
const MAX_NUMBER: i64 = 1 << 20;
/// Most neighbours of a site.
const MAX_NEIGHBOURS: usize = 8;

/// Checks the part of a program whose other parts have passed.
pub(super) fn surround(program: &Program) -> Result<(), Refusal> {
    let Some(surround) = &program.surround else { return Ok(()) };
    Checker { program }.surround(surround).map_err(|what| Refusal { pool: "surround", index: 0, what })
}

struct Checker<'p> {
    program: &'p Program,
}

impl Checker<'_> {
    fn surround(&self, form: &Surround) -> Checked {
        let program = self.program;
        need(program.players.len() == 2, "there are not two players")?;
        need(program.kinds.len() == 1, "there is not one kind")?;
        need(!program.board.is_empty(), "there is no board")?;
        need(program.board.adjacent.len() <= MAX_NEIGHBOURS, "sites have too many neighbours")?;
        need(usize::from(form.binding) < program.bindings.len(), "no such binding")?;
        self.grants(form.clause, form.act)?;
        self.clause(form.takes, |form| matches!(form, Form::After { .. }))?;
        let ban =
            |clause: u16| self.clause(clause, |form| matches!(form, Form::Forbid { before: false, .. }));
        match form.own {
            Own::Stays => {}
            Own::Forbidden(clause) => ban(clause)?,
            Own::Removed(clause, lone) => {
                self.clause(clause, |form| matches!(form, Form::After { .. }))?;
                lone.map_or(Ok(()), ban)?;
            }
        }
        match form.past {
            Past::Free => {}
            Past::Board(clause) | Past::Turn(clause) | Past::Latest(clause) => ban(clause)?,
            Past::Window(clause, slot, _) => {
                ban(clause)?;
                self.number(slot)?;
            }
        }
        self.steps(&form.steps)?;
        need(form.others.len() <= MAX_PARTS && form.ends.len() <= MAX_PARTS, "there are too many parts")?;
        for other in &form.others {
            self.grants(other.clause, other.act)?;
            self.steps(&other.steps)?;
        }
        for end in &form.ends {
            self.clause(end.clause, |form| matches!(form, Form::Ends { .. }))?;
            self.number(end.slot)?;
        }
        Ok(())
    }

    fn clause(&self, clause: u16, is: impl Fn(&Form) -> bool) -> Checked {
        let clause = self.program.clauses.get(usize::from(clause)).ok_or("no such clause")?;
        need(is(&clause.form), "a clause is not of this form")
    }

    fn grants(&self, clause: u16, name: u16) -> Checked {
        self.clause(clause, |form| matches!(form, Form::Act { act, .. } if *act == name))
    }

    fn number(&self, slot: u16) -> Checked {
        let holds = self.program.vars.iter().any(|var| {
            var.ty == Type::Number && (var.slot..var.slot.saturating_add(var.count)).contains(&slot)
        });
        need(holds, "no number is kept there")
    }

    fn steps(&self, steps: &[Op]) -> Checked {
        need(steps.len() <= MAX_PARTS, "there are too many steps")?;
        steps.iter().try_for_each(|step| match step {
            Op::Set(slot, packed) => {
                let (value, one) = unpack(*packed);
                need(one == 1 && value.abs() < MAX_NUMBER, "a number is too large")?;
                self.number(*slot)
            }
            Op::Add(slot, value) => {
                need(value.checked_abs().is_some_and(|value| value < MAX_NUMBER), "a number is too large")?;
                self.number(*slot)
            }
            _ => Err("a step is none on a number"),
        })
    }
}
