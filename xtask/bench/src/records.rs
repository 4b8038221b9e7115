//! Records: games played at random, written by our own notation, and read again by both sides.
//!
//! Invariant: both sides read the same text from memory and replay every move of it; what is compared are moves
//! in a second.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use rulebook::records::{Next, Reader};
use rulebook_conformance::diff::Dice;
use rulebook_conformance::engines::Bridge;
use rulebook_model::Outcome;
use rulebook_model::library::Library;
use rulebook_notation::{Judge as _, moves, pgn};
use rulebook_syntax::Source;

use crate::measure::timed;

/// The rule set, the one of the peer.
const RULES: &str = "chess/board";
/// The rule set that judges clocks too.
const CLOCKS: &str = "chess/conduct/laws-2023";
/// The time control of the records with clocks: in the words of records, and in seconds.
const CONTROL: (&str, u64, u64) = ("300+3", 300, 3);
/// How many different games are played, of how many plies at most, and how often the text repeats them.
const GAMES: u64 = 150;
const PLIES: usize = 100;
const REPEATS: usize = 10;
const CLOCK_REPEATS: usize = 134;

/// A text of records with our reader of it.
pub(crate) struct Records {
    source: Arc<Source>,
    reader: Reader<'static>,
    file: PathBuf,
}

impl Records {
    /// Plays and writes the games.
    pub(crate) fn new(library: &Library) -> Result<Self, String> {
        Self::of(library, RULES, REPEATS, false)
    }

    /// The same with clocks, 20,000 games and more.
    pub(crate) fn with_clocks(library: &Library) -> Result<Self, String> {
        Self::of(library, CLOCKS, CLOCK_REPEATS, true)
    }

    fn of(library: &Library, id: &str, repeats: usize, clocks: bool) -> Result<Self, String> {
        let open = |id: &str, given: &[(String, String)]| {
            let checked = library.check(id, given).and_then(|checked| checked.rules);
            checked.map(Arc::new).ok_or_else(|| format!("there is no rule set `{id}`"))
        };
        let control = ("clock".to_owned(), format!("{}:00 + {} s", CONTROL.1 / 60, CONTROL.2));
        let rules = open(id, if clocks { std::slice::from_ref(&control) } else { &[] })?;
        let bridge = Bridge::new(open(RULES, &[])?)?;
        let mut text = String::new();
        for seed in 0..GAMES {
            text.push_str(&game(&bridge, seed, clocks).map_err(|fault| fault.to_string())?);
        }
        let text = text.repeat(repeats);
        let file = std::env::temp_dir().join(format!("rulebook-bench-{}.pgn", std::process::id()));
        fs::write(&file, &text).map_err(|error| error.to_string())?;
        let reader = Reader::new(rules).ok_or("the machine has no reader for these records")?;
        Ok(Self { source: Source::new("games.pgn", text), reader, file })
    }

    /// Reads all games: the moves, and how long it took.
    pub(crate) fn read(&mut self, times: u32) -> Result<(u64, Duration), String> {
        let (read, time) = timed(|| {
            let mut read = 0;
            for _ in 0..times {
                read = 0;
                let mut games = pgn::games(&self.source);
                while let Some(next) = self.reader.next(&self.source, &mut games) {
                    match next {
                        Next::Brief(game) => read += game.plies as u64,
                        _ => return Err("a game needs to be replayed in full"),
                    }
                }
            }
            Ok(read)
        });
        Ok((read?, time))
    }

    /// The same by the program for the peer.
    pub(crate) fn peer(&self, program: &Path, times: u32) -> Result<(u64, Duration), String> {
        let mut command = Command::new(program);
        crate::apart::numbers(command.arg("pgn").arg(&self.file).arg(times.to_string()))
    }
}

impl Drop for Records {
    fn drop(&mut self) {
        // A text that stays behind does no harm.
        drop(fs::remove_file(&self.file));
    }
}

/// A game played at random, as a record.
fn game(bridge: &Bridge, seed: u64, clocks: bool) -> Result<String, rulebook_reference::Fault> {
    let mut dice = Dice::new(seed, "records");
    let mut state = bridge.first();
    let mut text = format!("[Event \"Game {seed}\"]\n[White \"?\"]\n[Black \"?\"]\n[Result \"*\"]\n");
    if clocks {
        text.push_str(&format!("[TimeControl \"{}\"]\n[Termination \"Normal\"]\n", CONTROL.0));
    }
    text.push('\n');
    let mut left = [CONTROL.1 + CONTROL.2; 2];
    let mut column = 0;
    for number in 0..PLIES {
        let plies = bridge.plies(&state)?;
        let Some(ply) = plies.legal.get(dice.below(plies.legal.len())) else { break };
        let mut next = ply.next.clone();
        // The past makes no difference to how a move is written, and much to how long it takes.
        next.restart();
        let mut word = moves::write_short(bridge, &state, &ply.act, &next)?;
        if number % 2 == 0 {
            word = format!("{}. {word}", number / 2 + 1);
        }
        if clocks && let Some(left) = left.get_mut(number % 2) {
            *left -= dice.below(5) as u64;
            word.push_str(&format!(" {{[%clk 0:{:02}:{:02}]}}", *left / 60, *left % 60));
            *left += CONTROL.2;
        }
        column += word.len() + 1;
        text.push_str(&word);
        text.push(if column > 72 { '\n' } else { ' ' });
        if column > 72 {
            column = 0;
        }
        bridge.settle(&mut next)?;
        if let Some(end) = &next.ended {
            let result = match end.outcome {
                Outcome::Win(0) | Outcome::Lose(1) => "1-0",
                Outcome::Win(_) | Outcome::Lose(_) => "0-1",
                _ => "1/2-1/2",
            };
            return Ok(text.replace("[Result \"*\"]", &format!("[Result \"{result}\"]")) + result + "\n\n");
        }
        state = next;
    }
    // Somebody resigns, where there is a clock to stop.
    let result = if clocks { ["1-0", "0-1"].get(seed as usize % 2).copied().unwrap_or("*") } else { "*" };
    Ok(text.replace("[Result \"*\"]", &format!("[Result \"{result}\"]")) + result + "\n\n")
}
