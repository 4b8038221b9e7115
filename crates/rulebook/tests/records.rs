//! Records that are read fast: every answer is that of a full replay, and what is not plain is left to one.
#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::sync::Arc;

use rulebook::notation::replay::{self, Agreement};
use rulebook::notation::{clocked, moves, pgn};
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
    whole(&engine, &game, script)
}

/// The same with the clocks of a game, under the time control that it names.
fn in_full_with_times(id: &str, text: &str) -> Option<Brief> {
    let source = Source::new("test.pgn", text.to_owned());
    let game = pgn::games(&source).next()?.ok()?;
    let terms = clocked::terms(&rules(id), &source, &game).unwrap();
    let engine = Engine::new(Arc::new(open(id, &terms).unwrap()));
    let script = clocked::script(&engine, &source, &game).unwrap();
    whole(&engine, &game, script)
}

fn whole(engine: &Engine, game: &pgn::Game, script: replay::Script) -> Option<Brief> {
    let rules = engine.rules();
    let replay = replay::replay(engine, engine.first(), &script.lines).unwrap();
    let ended = replay.end().ended.as_ref().map(|end| (end.outcome, end.clauses.clone()));
    let claim = script.claim?;
    let agreement = replay::compare(rules, Some(&claim), replay.end());
    let (plies, done) = (game.moves.len(), replay.steps.len());
    replay.stop.is_none().then_some(Brief { plies, done, ended, claim, agreement })
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

/// What is read fast of the first game of a text with clocks.
fn fast_with_times(id: &str, text: &str) -> Option<Brief> {
    let source = Source::new("test.pgn", text.to_owned());
    let mut games = pgn::games(&source);
    let controls = |control: &str| open(id, &[("clock".to_owned(), control.to_owned())]).ok().map(Arc::new);
    match Reader::new(rules(id)).unwrap().with_controls(Arc::new(controls)).next(&source, &mut games) {
        Some(Next::Brief(brief)) => Some(brief),
        _ => None,
    }
}

/// The words of a game with what is told about the time of each.
fn timed(words: &[&str], head: &str, times: &[String], result: &str) -> String {
    let moves = words.iter().zip(times).map(|(word, time)| format!("{word} {{{time}}} "));
    format!("{head}\n{}{result}\n", moves.collect::<String>())
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

/// A few words that make a game without an end.
const WORDS: [&str; 20] = [
    "e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Ba4", "Nf6", "O-O", "Be7", "Re1", "b5", "Bb3", "d6", "c3", "O-O",
    "h3", "Nb8", "d4", "Nbd7",
];

/// Clocks that are told ply by ply, under time controls of each kind.
#[test]
fn records_with_clocks_are_read_as_they_are_judged() {
    let id = "chess/conduct/laws-old";
    let mut dice = 5_u64;
    let mut read = 0;
    for control in ["180+2", "4/40:30+1", "3/20", "*60", "60", "7/9:2/8:100", "-"] {
        for (result, cause) in [("*", ""), ("1-0", "time forfeit"), ("0-1", "Normal"), ("1/2-1/2", "")] {
            let times: Vec<String> = WORDS
                .iter()
                .enumerate()
                .map(|(at, _)| {
                    dice =
                        dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    match (dice >> 33) % 9 {
                        0 => String::new(),
                        1 => format!("[%egt 0:00:{:02}]", at * 3 % 60),
                        spent => format!("[%eval 0.1] [%emt 0:00:0{spent}.{}]", dice >> 61),
                    }
                })
                .collect();
            let head =
                format!("[TimeControl \"{control}\"]\n[Termination \"{cause}\"]\n[Result \"{result}\"]\n");
            let text = timed(&WORDS, &head, &times, result);
            if let Some(quick) = fast_with_times(id, &text) {
                read += 1;
                assert_eq!(Some(quick), in_full_with_times(id, &text), "{text}");
            }
        }
    }
    // A flag may fall on the way, and then the game is judged in full.
    assert!(read >= 20, "{read}");
}

/// What a clock shows gives the time of the ply, also where the rules leave less than it shows.
#[test]
fn what_clocks_show_is_found_again() {
    let head = "[TimeControl \"180+2\"]\n[Termination \"time forfeit\"]\n[Result \"0-1\"]\n";
    for id in ["chess/conduct/laws-old", "chess/conduct/laws-2000"] {
        for shown in [[178, 182], [190, 182], [183, 3], [3, 182], [2, 182], [0, 180]] {
            let left = |at: usize| shown[at % 2] + (at as u64 / 2) * 2;
            let times: Vec<String> =
                (0..6).map(|at| format!("[%clk 0:{:02}:{:02}]", left(at) / 60, left(at) % 60)).collect();
            let text = timed(&WORDS[..6], head, &times, "0-1");
            let whole = in_full_with_times(id, &text);
            let quick = fast_with_times(id, &text);
            assert!(quick.is_none() || quick == whole, "{text}");
            // With two seconds that were added after it, nothing was left before.
            assert_eq!(quick.is_some(), shown[0] > 2, "{id}: {text}");
        }
    }
}

/// The game is over with the mate, so that the clock is not stopped after it; and a time that cannot be read is
/// told by the full replay.
#[test]
fn the_last_clock_is_that_of_the_end() {
    let id = "chess/conduct/laws-old";
    let mate = "1. f3 {[%clk 0:29:00]} e5 {[%clk 0:28:00]} 2. g4 {[%clk 0:27:00]} Qh4# {[%clk 0:26:00]} 0-1";
    let quick = fast_with_times(id, mate).unwrap();
    assert_eq!((quick.plies, quick.done, quick.agreement), (4, 8, Agreement::Same));
    assert_eq!(Some(quick), in_full_with_times(id, mate));
    assert_eq!(fast_with_times(id, &mate.replace("0:26:00", "0:26")), None);
    // Without clocks nobody starts one.
    let plain = fast_with_times(id, MATE).unwrap();
    assert_eq!((plain.plies, plain.done), (4, 4));
}
