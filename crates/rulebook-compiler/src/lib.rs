//! Turns a checked rule set into a program for the machine.

mod lookups;
mod passes;
mod shapes;
mod simplify;
mod templates;

pub use passes::Passes;
pub use shapes::Note;

/// Probe.
pub fn probe(rules: &rulebook_model::RuleSet) -> (rulebook_machine::program::Program, Vec<Note>) {
    use rulebook_machine::program::{Const, Program, Type, Var};
    use rulebook_model::Value;
    use rulebook_model::types::Type as T;
    let mut p = Program::default();
    p.board.files = rules.board.files;
    p.board.ranks = rules.board.ranks;
    p.board.flipped = rules.board.flipped.clone();
    p.setup = rules.setup.iter().map(|c| Some((c.kind()?, c.owner()?))).collect();
    let (mut sets, mut nums) = (0, 0);
    for var in &rules.vars {
        let ty = match var.ty {
            T::Truth => Type::Truth,
            T::Number(_) => Type::Number,
            T::Site => Type::Site,
            T::Sites => Type::Sites,
            _ => Type::Text,
        };
        let count = if var.each_player { 2 } else { 1 };
        let slot = if ty == Type::Sites {
            let s = sets;
            sets += count;
            s
        } else {
            let s = nums;
            nums += count;
            s
        };
        let c = match &var.start {
            Value::Truth(t) => Const::Truth(*t),
            Value::Number(n) => Const::Number(n.to_parts().0, n.to_parts().1),
            Value::Sites(s) => Const::Sites(templates::words(s)),
            _ => Const::Nothing,
        };
        p.consts.push(c);
        p.vars.push(Var {
            name: var.name.clone(),
            ty,
            count,
            indexed: var.each_player,
            fleeting: var.fleeting,
            start: p.consts.len() as u32 - 1,
            slot,
        });
    }
    let (lanes, notes) = shapes::lanes(rules, &p, Passes::all());
    let t = std::time::Instant::now();
    p.lookups = lookups::lookups(&p.board, &lanes);
    eprintln!("lookups {:?}", t.elapsed());
    p.lanes = lanes;
    (p, notes)
}
