//! Records that are read fast: every answer is that of a full replay, and what is not plain is left to one.
#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::sync::Arc;

use rulebook::notation::replay::{self, Agreement};
use rulebook::notation::{moves, pgn};
use rulebook::records::{Brief, Next, Reader};
use rulebook::syntax::Source;
use rulebook::{Engine, Outcome, RuleSet, open};

fn rules(id: &str) -> Arc<RuleSet> {
    Arc::new(open(id, &[]).unwrap())
}

/// What a full replay says about the first game of a text, if nothing stops it.
fn in_full(rules: &Arc<RuleSet>, text: &str) -> Option<Brief> {
    let engine = Engine::new(Arc::clone(rules));
    let source = Source::new("test.pgn", text.to_owned());
    let game = pgn::games(&source).next()?.ok()?;
    let script = replay::from_pgn(rules, &game);
    let replay = replay::replay(&engine, engine.first(), &script.lines).unwrap();
    let ended = replay.end().ended.as_ref().map(|end| (end.outcome, end.clauses.clone()));
    let claim = script.claim?;
    let agreement = replay::compare(rules, Some(&claim), replay.end());
    replay.stop.is_none().then_some(Brief { plies: replay.steps.len(), ended, claim, agreement })
}

/// What is read fast of the first game of a text.
fn fast(rules: &Arc<RuleSet>, text: &str) -> Option<Brief> {
    let source = Source::new("test.pgn", text.to_owned());
    let mut games = pgn::games(&source);
    match Reader::new(Arc::clone(rules)).unwrap().next(&source, &mut games) {
        Some(Next::Brief(brief)) => Some(brief),
        _ => None,
    }
}

/// A game played at random, in the notation of its rule set.
fn played(rules: &Arc<RuleSet>, seed: u64, most: usize) -> String {
    let engine = Engine::new(Arc::clone(rules));
    let (mut state, mut text, mut dice) = (engine.first(), String::new(), seed);
    for number in 0..most {
        let plies = engine.plies(&state).unwrap();
        if plies.legal.is_empty() || state.ended.is_some() {
            break;
        }
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // Captures come more often, so that boards empty and games end.
        let takes = plies.legal.iter().filter(|ply| !ply.act.taken.is_empty());
        let takes: Vec<_> = takes.filter(|_| dice >> 62 != 0).collect();
        let roll = (dice >> 33) as usize;
        let ply =
            takes.get(roll % takes.len().max(1)).copied().unwrap_or(&plies.legal[roll % plies.legal.len()]);
        let mut next = ply.next.clone();
        engine.settle(&mut next).unwrap();
        if number % 2 == 0 {
            text.push_str(&format!("{}. ", number / 2 + 1));
        }
        text.push_str(&moves::write_short(&engine, &state, &ply.act, &next).unwrap());
        text.push(if number % 12 == 11 { '\n' } else { ' ' });
        state = next;
    }
    let result = match state.ended.as_ref().map(|end| end.outcome) {
        Some(Outcome::Win(0) | Outcome::Lose(1)) => "1-0",
        Some(Outcome::Win(_) | Outcome::Lose(_)) => "0-1",
        Some(_) => "1/2-1/2",
        None => "*",
    };
    format!("[Event \"{seed}\"]\n\n{text}{result}\n")
}

#[test]
fn random_games_are_read_as_they_are_replayed() {
    for (id, games) in [("chess/board", 6), ("chess/laws-2023", 2), ("variants/capablanca", 2)] {
        let rules = rules(id);
        for seed in 0..games {
            let text = played(&rules, seed, 70);
            let (quick, whole) = (fast(&rules, &text), in_full(&rules, &text));
            assert!(quick.is_some(), "{id}: {text}");
            assert_eq!(quick, whole, "{id}: {text}");
        }
    }
}

const MATE: &str = "1. f3 e5 2. g4 Qh4# 0-1";

#[test]
fn ends_are_found() {
    let rules = rules("chess/board");
    let mate = fast(&rules, MATE).unwrap();
    assert_eq!(mate.agreement, Agreement::Same);
    assert_eq!(Some(mate), in_full(&rules, MATE));
    let open = fast(&rules, "1. e4 1-0").unwrap();
    assert_eq!((open.agreement, open.ended), (Agreement::Open, None));
    let wrong = fast(&rules, &MATE.replace("0-1", "1-0")).unwrap();
    assert_eq!(wrong.agreement, Agreement::Different);
}

/// The same position for the fifth time ends a game by itself under these laws, and a game that goes on then is
/// not read fast, for the rules refuse it.
#[test]
fn repetitions_are_counted() {
    let rules = rules("chess/laws-2023");
    let round = "Nf3 Nf6 Ng1 Ng8 ";
    for rounds in 1..=4 {
        let text = round.repeat(rounds) + "*";
        let quick = fast(&rules, &text).unwrap();
        assert_eq!(quick.ended.is_some(), rounds == 4, "{rounds} rounds");
        assert_eq!(Some(quick), in_full(&rules, &text), "{rounds} rounds");
    }
    assert_eq!(fast(&rules, &(round.repeat(4) + "e4 *")), None);
    // By the rules of the board alone somebody must claim it.
    assert!(fast(&self::rules("chess/board"), &(round.repeat(6) + "e4 *")).unwrap().ended.is_none());
}

/// What is wrong, unclear or not plain is left to the full replay, which says what is wrong.
#[test]
fn what_is_not_sure_is_left_to_the_full_replay() {
    let rules = rules("chess/board");
    for text in [
        "1. e5 *",
        "1. Nf3 d5 2. Nd4 c5 3. Nb3 e5 4. d3 a6 5. Nd2 *",
        "1. f3 e5 2. g4 Qh4# 3. a3 0-1",
        "1. e4 e5 2. Nf3 d6 3. O-O *",
        "1. e4 d5 2. exd5 c5 3. dxc6 b6 4. c7 a6 5. cxb8 *",
        "1. e4 d5 2. e5 f5 3. exf6 d4 4. Ke2 Kf7 5. fxe7 d3 6. exd8=K *",
        "[FEN \"8/8/8/8/8/8/8/K1k5 w - - 0 1\"]\n\n1. Ka2 *",
        "1. e2e4 *",
        "1. e4 (1. d4) e5 *",
    ] {
        assert_eq!(fast(&rules, text), None, "{text}");
    }
    // Near them: the same with what was wrong or unclear put right.
    for text in [
        "1. e4 *",
        "1. Nf3 d5 2. Nd4 c5 3. Nb3 e5 4. d3 a6 5. N1d2 *",
        "1. f3 e5 2. g4 Qh4# 0-1",
        "1. e4 e5 2. Nf3 d6 3. Be2 Be6 4. O-O *",
        "1. e4 d5 2. exd5 c5 3. dxc6 b6 4. c7 a6 5. cxb8=N *",
        "1. e4 d5 2. e5 f5 3. exf6 d4 4. Ke2 Kf7 5. fxe7 d3+ 6. Ke1 Ke6 7. exd8=Q *",
        "1. d4 d5 2. Nc3 Nc6 3. Bf4 Bf5 4. Qd2 Qd7 5. O-O-O O-O-O *",
    ] {
        let quick = fast(&rules, text);
        assert!(quick.is_some(), "{text}");
        assert_eq!(quick, in_full(&rules, text), "{text}");
    }
}

/// A rule set in which a capture is due, one whose acts are no plain movements, and one without such records.
#[test]
fn rule_sets_that_need_more_are_left_alone() {
    for id in ["variants/antichess", "go/board", "games/othello"] {
        assert!(Reader::new(rules(id)).is_none(), "{id}");
    }
}
