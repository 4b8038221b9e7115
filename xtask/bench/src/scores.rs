//! Go beyond random games: what a count of a last board costs, what a long game costs a move, and records judged.
//!
//! Invariant: a count is asked of the public face of the machine, and its value is checked before it is timed; a peer
//! that is not installed is named, and its row holds no number.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use rulebook_compiler::{Passes, compile};
use rulebook_conformance::diff::Dice;
use rulebook_conformance::engines::Bridge;
use rulebook_machine::front::{Game, Machine, PlainVerdict};
use rulebook_machine::plain::{Plain, PlainAct};
use rulebook_machine::verify::verify;
use rulebook_model::RuleSet;
use rulebook_model::library::Library;
use rulebook_notation::position::read_position;
use rulebook_notation::{replay, sgf};
use rulebook_syntax::Source;

use crate::measure::timed;

/// A way to count a last board.
pub(crate) struct School {
    /// The name of the row.
    pub(crate) name: &'static str,
    /// The rule set.
    pub(crate) rules: &'static str,
    /// What stands behind the board in its positions.
    rest: &'static str,
}

/// The schools of counting.
pub(crate) const SCHOOLS: &[School] = &[
    School { name: "go count by area", rules: "go/board", rest: " b" },
    School { name: "go count by area with a tax", rules: "go/group-tax", rest: " b" },
    School { name: "go count of stones", rules: "go/stone-scoring", rest: " b" },
    School { name: "go count by territory", rules: "go/territory", rest: " b 3+5" },
    School { name: "go count by territory, seki", rules: "go/seki", rest: " b 3+5" },
];

/// The most time of a count, in microseconds.
pub(crate) const COUNT: f64 = 20.0;

/// A last board of 19 by 19 with groups of all kinds; conformance/tables/go/05b, `X013`.
const BOARD: &str = "X1O1OX7XO1OX1/XO2OX7XO2OX/O2OX9XO2O/2OX5O5XO2/OOX13XOO/XX15XX/19/2XX13XX/XXOOX6XXX2XOO/OO1OX3XXXOOOX1XO1/XOOOOX1XOOOOXOOXXOO/1XO1OX1XO1OX1XOXOO1/XOOOOX1XOOOOXOOXO1X/OOXXX3XXXOOOXXOO1/XX9XXX2XOO/XXX2XXX7XXXX/OOOXXOOOX3XXXOOOO/XXOOOXXOOX1XOOO1OXX/1XO1O1XO1OXXO1OOOX1";

/// A last board that is counted.
pub(crate) struct Counted(Box<dyn Game>);

impl Counted {
    /// Opens the board under a rule set.
    pub(crate) fn open(library: &Library, school: &School) -> Result<Self, String> {
        let checked = library.check(school.rules, &[]).and_then(|checked| checked.rules);
        let rules = Arc::new(checked.ok_or_else(|| format!("there is no rule set `{}`", school.rules))?);
        let state = read_position(&rules, &format!("{BOARD}{}", school.rest))
            .map_err(|error| format!("our position: {}", error.message))?;
        let game = Bridge::new(rules)?.open(&state);
        Ok(Self(game.map_err(|fault| format!("the machine does not open the position: {fault:?}"))?))
    }

    /// Counts so many times: how far the second player is ahead.
    pub(crate) fn count(&mut self, times: u32) -> Result<(Plain, Duration), String> {
        let arguments = [Plain::Player(1), Plain::Sites(Vec::new())];
        let (count, time) = timed(|| {
            let mut count = Ok(None);
            for _ in 0..times {
                count = self.0.define("lead", &arguments);
            }
            count
        });
        let count = count.map_err(|fault| format!("the machine reports {fault:?}"))?;
        Ok((count.ok_or("the rule set counts nothing")?, time))
    }
}

/// How many plies are behind a move in the two positions that are compared.
pub(crate) const SHORT: usize = 50;
pub(crate) const LONG: usize = 500;
/// The least ratio of a move early to one late: no growth, but for what the samples differ by.
pub(crate) const GROWTH: f64 = 0.9;

/// Two games with one board: one with a short history, one with a long one.
pub(crate) struct Histories {
    short: Box<dyn Game>,
    long: Box<dyn Game>,
}

impl Histories {
    /// Plays a game at random; the short one begins with the board that it has some plies before its end.
    pub(crate) fn new(library: &Library) -> Result<Self, String> {
        let params = [("size".to_owned(), "19".to_owned())];
        let checked = library.check("go/board", &params).and_then(|checked| checked.rules);
        let checked = checked.ok_or("there is no rule set `go/board`")?;
        let (program, _) = compile(&checked, Passes::all()).map_err(|error| error.to_string())?;
        let verified = verify(program).map_err(|refusal| refusal.to_string())?;
        let machine = Machine::new(verified).map_err(|refusal| refusal.to_string())?;
        let mut long = machine.first();
        let mut dice = Dice::new(1, "histories");
        let mut cut = None;
        let mut acts = Vec::new();
        for number in 0..LONG {
            if number == LONG - SHORT {
                let mut state = long.state();
                state.past.clear();
                cut = Some(state);
            }
            let (plies, _) = long.plies().map_err(|fault| format!("{fault:?}"))?;
            // Nobody passes, so that the game goes on.
            let places: Vec<usize> = (0..plies.len())
                .filter(|at| plies.get(*at).is_some_and(|ply| !ply.act.choices.is_empty()))
                .collect();
            let at = *places.get(dice.below(places.len().max(1))).ok_or("nothing can be placed")?;
            if cut.is_some() {
                acts.extend(plies.get(at).map(|ply| ply.act.clone()));
            }
            long.play(at).map_err(|fault| format!("{fault:?}"))?;
        }
        let mut short =
            machine.open(&cut.ok_or("the game is too short")?).map_err(|fault| format!("{fault:?}"))?;
        for act in acts {
            let (plies, _) = short.plies().map_err(|fault| format!("{fault:?}"))?;
            let at = plies.iter().position(|ply| ply.act == act).ok_or("a ply is not there again")?;
            short.play(at).map_err(|fault| format!("{fault:?}"))?;
        }
        Ok(Self { short, long })
    }

    /// Makes and takes back a move so many times, among all that are legal: how many those are, and the time.
    pub(crate) fn moves(&mut self, long: bool, times: u32) -> Result<(u64, Duration), String> {
        let game = if long { &mut self.long } else { &mut self.short };
        let (legal, time) = timed(|| {
            let mut legal = 0;
            for _ in 0..times {
                legal = game.plies()?.0.len();
                game.play(0)?;
                game.undo();
            }
            Ok(legal)
        });
        let legal: Result<usize, rulebook_machine::engine::Fault> = legal;
        Ok((legal.map_err(|fault| format!("the machine reports {fault:?}"))? as u64, time))
    }
}

/// How many records are judged, of how many plies at most.
const GAMES: u64 = 200;
const PLIES: usize = 40;

/// What replays the records with sgfmill, and prints how many plies it made and how long it took.
const SGFMILL: &str = "\
import sys, time
from sgfmill import sgf, sgf_moves
text = open(sys.argv[1], 'rb').read()
games = [b'(' + part for part in text.split(b'(') if part.strip()]
begun = time.thread_time_ns()
plies = 0
for _ in range(int(sys.argv[2])):
    plies = 0
    for one in games:
        board, line = sgf_moves.get_setup_and_moves(sgf.Sgf_game.from_bytes(one))
        for colour, move in line:
            if move is not None:
                board.play(move[0], move[1], colour)
            plies += 1
print(plies, time.thread_time_ns() - begun)
";

/// Records in SGF, on a board of 19 by 19.
pub(crate) struct Judged {
    rules: Arc<RuleSet>,
    machine: Machine,
    source: Arc<Source>,
    file: PathBuf,
}

impl Judged {
    /// Plays and writes the games.
    pub(crate) fn new(library: &Library) -> Result<Self, String> {
        let checked = library.check("go/simple-ko", &[]).and_then(|checked| checked.rules);
        let rules = Arc::new(checked.ok_or("there is no rule set `go/simple-ko`")?);
        let (program, _) = compile(&rules, Passes::all()).map_err(|error| error.to_string())?;
        let verified = verify(program).map_err(|refusal| refusal.to_string())?;
        let machine = Machine::new(verified).map_err(|refusal| refusal.to_string())?;
        let mut text = String::new();
        for seed in 0..GAMES {
            let mut game = machine.first();
            let mut dice = Dice::new(seed, "judged");
            text.push_str("(;GM[1]FF[4]SZ[19]");
            for number in 0..PLIES {
                let (plies, _) = game.plies().map_err(|fault| format!("{fault:?}"))?;
                let at = dice.below(plies.len());
                let Some(ply) = plies.get(at) else { break };
                let place = ply.act.bound.first().map(|(_, value)| value);
                let site = match place {
                    Some(Plain::Site(site)) => {
                        let (file, rank) = (rules.board.file(*site), rules.board.rank(*site));
                        let letter = |number: u16| char::from(b'a' + number as u8);
                        format!("{}{}", letter(file - 1), letter(rules.board.ranks - rank))
                    }
                    _ => String::new(),
                };
                text.push_str(&format!(";{}[{site}]", if number % 2 == 0 { 'B' } else { 'W' }));
                game.play(at).map_err(|fault| format!("{fault:?}"))?;
                if game.ended().is_some() {
                    break;
                }
            }
            text.push_str(")\n");
        }
        let file = std::env::temp_dir().join(format!("rulebook-bench-{}.sgf", std::process::id()));
        fs::write(&file, &text).map_err(|error| error.to_string())?;
        Ok(Self { rules, machine, source: Source::new("games.sgf", text), file })
    }

    /// Judges all games: the plies, and how long it took.
    pub(crate) fn judge(&self) -> Result<(u64, Duration), String> {
        let (plies, time) = timed(|| {
            let records = sgf::parse_line(&self.source, 1).map_err(|_| "the records cannot be read")?;
            let mut plies = 0;
            for record in &records {
                let script = replay::from_sgf(&self.rules, record, &self.source)?;
                let mut game = self.machine.first();
                for line in &script.lines {
                    let word = line.text.rsplit(' ').next().unwrap_or_default();
                    let site = self.rules.board.site(word);
                    let meant = |act: &PlainAct| match (site, act.bound.first()) {
                        (Some(site), Some((_, Plain::Site(placed)))) => site == *placed,
                        (None, None) => true,
                        _ => false,
                    };
                    match game
                        .attempt(&meant, &[])
                        .map_err(|fault| format!("the machine reports {fault:?}"))?
                    {
                        PlainVerdict::Refused { .. } => return Err(format!("`{word}` is refused")),
                        PlainVerdict::Done { .. } => plies += 1,
                    }
                }
            }
            Ok::<u64, String>(plies)
        });
        Ok((plies?, time))
    }

    /// The same by sgfmill, in a program of its own.
    pub(crate) fn peer(&self, times: u32) -> Result<(u64, Duration), String> {
        let mut command = Command::new("python3");
        let answer =
            crate::apart::numbers(command.args(["-c", SGFMILL]).arg(&self.file).arg(times.to_string()));
        answer.map_err(|error| {
            let missing = error.contains("No module named");
            if missing { "sgfmill is not installed".to_owned() } else { error }
        })
    }
}

/// The games of the records.
pub(crate) const JUDGED: u64 = GAMES;

impl Drop for Judged {
    fn drop(&mut self) {
        // A text that stays behind does no harm.
        drop(fs::remove_file(&self.file));
    }
}
