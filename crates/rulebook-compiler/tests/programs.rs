//! Every rule set that comes with the program as a program: it passes the verifier, is the same every time,
//! and no change to its bytes brings the verifier or the machine to panic.

#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use rulebook_compiler::lower;
use rulebook_machine::front::Machine;
use rulebook_machine::program::{Code, Const, Node, Program, Run};
use rulebook_machine::verify::{Refusal, verify};
use rulebook_model::layer::PRELUDE;
use rulebook_model::library::{BUILT_IN, Library};

fn program(id: &str) -> Option<Program> {
    let rules = Library::default().check(id, &[])?.rules?;
    Some(lower(&rules).unwrap())
}

fn all() -> Vec<(&'static str, Program)> {
    let ids = BUILT_IN.iter().map(|(id, _)| *id).filter(|id| *id != PRELUDE);
    ids.filter_map(|id| Some((id, program(id)?))).collect()
}

#[test]
fn rule_sets_have_programs_that_may_be_run() {
    let programs = all();
    assert!(programs.len() > 15);
    for (id, program) in programs {
        let machine = Machine::new(verify(program).unwrap()).unwrap();
        let mut game = machine.first();
        assert_eq!(game.state().position.cells.len(), machine.program().board.len(), "{id}");
        game.settle().unwrap();
    }
}

#[test]
fn the_same_sources_give_the_same_bytes() {
    for ((id, a), (_, b)) in all().into_iter().zip(all()) {
        assert_eq!(postcard::to_allocvec(&a).unwrap(), postcard::to_allocvec(&b).unwrap(), "{id}");
    }
}

#[test]
fn bytes_hold_all_of_a_program() {
    for (id, program) in all() {
        let bytes = postcard::to_allocvec(&program).unwrap();
        assert_eq!(postcard::from_bytes::<Program>(&bytes).unwrap(), program, "{id}");
    }
}

fn refused(change: impl Fn(&mut Program)) -> Refusal {
    let mut program = program("games/othello6").unwrap();
    change(&mut program);
    verify(program).unwrap_err()
}

#[test]
fn refusals_name_the_pool_and_the_entry() {
    let last = |program: &Program| program.nodes.len() as u32;
    let refusal = refused(|p| p.nodes.push(Node::Not(last(p))));
    assert_eq!((refusal.pool, refusal.what), ("nodes", "a part is not before it"));
    let refusal = refused(|p| p.nodes.push(Node::Const(u32::MAX)));
    assert_eq!((refusal.pool, refusal.what), ("nodes", "no such constant"));
    let refusal = refused(|p| p.nodes.push(Node::List(Run { start: 0, len: u32::MAX }, false)));
    assert_eq!((refusal.pool, refusal.what), ("nodes", "a run is out of range"));
    let refusal = refused(|p| p.consts.push(Const::List(vec![p.consts.len() as u32])));
    assert_eq!(refusal.pool, "consts");
    let refusal = refused(|p| p.consts.push(Const::Number(2, 4)));
    assert_eq!(refusal.what, "the number is not in lowest terms");
    let refusal = refused(|p| {
        p.nodes.push(Node::Slot(7));
        let root = p.nodes.len() as u32 - 1;
        p.bodies
            .push(rulebook_machine::program::Body { name: "x".into(), codes: vec![Code { root, slots: 7 }] });
    });
    assert_eq!((refusal.pool, refusal.what), ("bodies", "the term needs more local names"));
    let refusal = refused(|p| p.board.files = 41);
    assert_eq!((refusal.pool, refusal.index), ("board", 0));
    assert!(refusal.to_string().contains("`board`"));
}

#[test]
fn definitions_in_a_circle_are_refused() {
    let refusal = refused(|p| {
        let body = p.bodies.len() as u16;
        p.nodes.push(Node::Apply(body, Run::default()));
        let code = Code { root: p.nodes.len() as u32 - 1, slots: 0 };
        p.bodies.push(rulebook_machine::program::Body { name: "x".into(), codes: vec![code] });
    });
    assert_eq!(refusal.what, "it calls itself, directly or through others");
}

#[test]
fn constants_cannot_unfold_without_end() {
    let refusal = refused(|p| {
        for _ in 0..64 {
            let last = p.consts.len() as u32 - 1;
            p.consts.push(Const::List(vec![last, last]));
        }
    });
    assert_eq!((refusal.pool, refusal.what), ("consts", "the list is too long"));
}

/// Whatever is nested, and however wide its sets are, the stack holds it.
#[test]
fn deep_terms_are_faults_and_not_the_end_of_the_stack() {
    use rulebook_machine::program::{Builtin, Fold, Operator};
    type Wrap = fn(&mut Program, u32) -> Node;
    let wraps: [Wrap; 7] = [
        |_, inner| Node::Minus(inner),
        |_, inner| Node::Not(inner),
        |_, inner| Node::Binary(Operator::Plus, inner, inner.min(1)),
        |_, inner| Node::If(0, inner, inner),
        |_, inner| Node::Filtered(0, inner, 0),
        |p, inner| {
            p.lists.push(inner);
            Node::Call(Builtin::Count, Run { start: p.lists.len() as u32 - 1, len: 1 })
        },
        |p, inner| {
            p.lists.extend([0, inner, 0]);
            Node::Folded(Fold::Set, 0, Run { start: p.lists.len() as u32 - 3, len: 3 })
        },
    ];
    for kinds in [1, 100] {
        for wrap in wraps {
            let mut program = program("games/othello6").unwrap();
            program.kinds.extend((1..kinds).map(|kind| format!("kind {kind}")));
            for _ in 0..5000 {
                let inner = program.nodes.len() as u32 - 1;
                let node = wrap(&mut program, inner);
                program.nodes.push(node);
            }
            let code = Code { root: program.nodes.len() as u32 - 1, slots: 1 };
            for clause in &mut program.clauses {
                clause.when = Some(code);
            }
            let machine = Machine::new(verify(program).unwrap()).unwrap();
            assert!(machine.first().plies().is_err());
        }
    }
}

/// A question inside of itself is a fault in time, not the end of the stack.
#[test]
fn questions_inside_of_themselves_end() {
    for kinds in [1, 100] {
        let mut program = program("games/othello6").unwrap();
        program.kinds.extend((1..kinds).map(|kind| format!("kind {kind}")));
        program.nodes.push(Node::Able(Some(0), Run::default(), None));
        let code = Code { root: program.nodes.len() as u32 - 1, slots: 0 };
        for clause in &mut program.clauses {
            clause.when = Some(code);
        }
        let machine = Machine::new(verify(program).unwrap()).unwrap();
        assert!(machine.first().plies().is_err());
    }
}

#[test]
fn changed_bytes_are_refused_or_run() {
    let bytes = postcard::to_allocvec(&program("games/othello6").unwrap()).unwrap();
    let mut dice = 1_u64;
    let mut next = |below: usize| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((dice >> 33) as usize) % below
    };
    let (mut run, mut read) = (0, 0);
    for _ in 0..20_000 {
        let mut changed = bytes.clone();
        for _ in 0..=next(3) {
            let at = next(changed.len());
            changed[at] = next(256) as u8;
        }
        let Ok(program) = postcard::from_bytes::<Program>(&changed) else { continue };
        read += 1;
        let Ok(verified) = verify(program) else { continue };
        // What may be run is run, though not each: a changed condition can make a question long.
        if next(16) == 0 {
            run += 1;
            let mut game = Machine::new(verified).unwrap().first();
            let _ = (game.plies(), game.settle(), game.perft(1));
        }
    }
    assert!(read > 1000 && run > 20, "{read} read, {run} run");
}
