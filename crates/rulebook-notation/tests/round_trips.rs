//! What is written can be read back: positions, snapshots and acts, over random play of every rule set
//! that comes with the program.
#![expect(clippy::expect_used, clippy::panic, reason = "a test fails loudly")]

use std::sync::Arc;

use rulebook_model::library::{BUILT_IN, Library};
use rulebook_notation::{moves, position, snapshot};
use rulebook_reference::Engine;

/// A small generator, so that a failure can be repeated from its seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides.max(1) as u64) as usize
    }
}

fn engines() -> Vec<Engine> {
    let mut engines = Vec::new();
    for (id, _) in BUILT_IN {
        let given =
            if id.starts_with("go/") { vec![("size".to_owned(), "5".to_owned())] } else { Vec::new() };
        let checked = Library::default().check(id, &given).expect("built-in files are found");
        let rules = checked.rules.unwrap_or_else(|| panic!("{id}: {:?}", checked.diagnostics));
        if !rules.board.is_empty() {
            engines.push(Engine::new(Arc::new(rules)));
        }
    }
    assert!(engines.len() > 10, "the rule files are embedded");
    engines
}

#[test]
fn positions_snapshots_and_acts() {
    for engine in engines() {
        let rules = engine.rules();
        for seed in 1..=2_u64 {
            let mut dice = Dice(seed * 0x9e37_79b9);
            let mut state = engine.first();
            for _ in 0..30 {
                let text = position::write_position(rules, &state);
                let back = position::read_position(rules, &text)
                    .unwrap_or_else(|e| panic!("{} {text}: {e}", rules.id));
                assert_eq!(back.cells, state.cells, "{} {text}", rules.id);
                assert_eq!(position::write_position(rules, &back), text, "{}", rules.id);

                let written = snapshot::write(rules, &state);
                let read =
                    snapshot::read(rules, &written).unwrap_or_else(|e| panic!("{} {written}: {e}", rules.id));
                assert!(read.agrees(&state), "{} {written}", rules.id);
                assert_eq!(snapshot::hash(rules, &read), snapshot::hash(rules, &state));

                let plies = engine.plies(&state).expect("no fault");
                if plies.legal.is_empty() {
                    break;
                }
                // Of very many acts some are enough, and so is one position that has them.
                let many = plies.legal.len() > 300;
                for ply in plies.legal.iter().step_by(1 + plies.legal.len() / 30) {
                    let text = moves::write_unique(rules, &ply.act, &plies);
                    let meant = moves::read_act(rules, &state, &text)
                        .unwrap_or_else(|| panic!("{} {text}", rules.id));
                    let found: Vec<_> =
                        plies.legal.iter().filter(|p| meant.is(&engine, &state, &p.act)).collect();
                    assert_eq!(found.len(), 1, "{} {text}", rules.id);
                    assert!(found[0].act.same(&ply.act), "{} {text}", rules.id);
                }
                let chosen = &plies.legal[dice.roll(plies.legal.len())];
                let short = moves::write_short(&engine, &state, &chosen.act, &chosen.next).expect("no fault");
                let meant =
                    moves::read_act(rules, &state, &short).unwrap_or_else(|| panic!("{} {short}", rules.id));
                let found: Vec<_> =
                    plies.legal.iter().filter(|p| meant.is(&engine, &state, &p.act)).collect();
                // A short text may need its captured sites to be unique.
                assert!(found.iter().any(|p| p.act.same(&chosen.act)), "{} {short}", rules.id);
                if !rules.notation.records.is_empty() {
                    assert_eq!(found.len(), 1, "{} {short}", rules.id);
                }
                state = chosen.next.clone();
                engine.settle(&mut state).expect("no fault");
                if many || state.ended.is_some() {
                    break;
                }
            }
        }
    }
}

#[test]
fn wrong_positions_are_errors_at_their_place() {
    let checked = Library::default().check("chess/board", &[]).expect("it is built in");
    let rules = checked.rules.expect("it has no errors");
    for (text, wrong) in [
        ("", ""),
        ("8/8/8/8/8/8/8 w - - 0 1", "8/8/8/8/8/8/8"),
        ("9/8/8/8/8/8/8/8 w - - 0 1", "9"),
        ("8/8/8/8/8/8/8/8x w - - 0 1", "x"),
        ("4k3/8/8/8/8/8/8/4K3 x - - 0 1", "x"),
        ("4k3/8/8/8/8/8/8/4K3 w K - 0 1", "K"),
        ("4k3/8/8/8/8/8/8/4K3 w - e9 0 1", "e9"),
        ("4k3/8/8/8/8/8/8/4K3 w - - x 1", "x"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 -1", "-1"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1 more", "more"),
        ("99999999999999999999/8/8/8/8/8/8/8 w", "99999999999999999999"),
    ] {
        let error = position::read_position(&rules, text).expect_err(text);
        assert_eq!(text.get(error.start..error.end), Some(wrong), "{text}");
    }
}

#[test]
fn errors_in_a_placement_point_at_the_rank_or_the_letter() {
    let checked = Library::default().check("chess/board", &[]).expect("built-in files are found");
    let rules = checked.rules.expect("no errors");
    let under = |text: &'static str| {
        let error = position::read_position(&rules, text).expect_err("it does not fit");
        text.get(error.start..error.end).unwrap_or_default()
    };
    assert_eq!(under("rnbqkbnr/pppppppp/8/7/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), "7");
    assert_eq!(under("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPPP/RNBQKBNR w KQkq - 0 1"), "PPPPPPPPP");
    assert_eq!(under("rnbqkbnr/pppppppp/8/8/3x4/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), "x");
    assert_eq!(under("8/8 w - - 0 1"), "8/8");
}
