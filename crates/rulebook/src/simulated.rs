//! Tournaments that nobody played: ratings, results, byes and withdrawals by lot, pairings by a rule set.
//!
//! Invariant: the same wishes under the same rule set give the same report, sign by sign, on every machine: lots come
//! from a seed, and what is computed with fractions uses only operations that are exact everywhere.

use rulebook_model::{Number, RuleSet};
use rulebook_notation::trf::{self, Cell, Colour, Line, Mark, Player, Report};
use rulebook_pairing::{Failure, Pairer};
use rulebook_syntax::Source;

/// The most entries of a simulated tournament.
pub const MAX_ENTRIES: u16 = 2000;
/// The most rounds of a simulated tournament.
pub const MAX_SIMULATED_ROUNDS: u16 = 99;

/// What a simulated tournament is like; the rates are in hundredths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wishes {
    /// How many entries there are.
    pub entries: u16,
    /// How many rounds there are.
    pub rounds: u16,
    /// What the lots come from.
    pub seed: u64,
    /// How many games of equals are drawn.
    pub draws: u8,
    /// How many games are not played because somebody does not come.
    pub forfeits: u8,
    /// How often an entry asks for a bye in a round.
    pub byes: u8,
    /// How often an entry leaves before a round, for good.
    pub withdrawals: u8,
    /// How many entries come after the first round.
    pub late: u8,
}

/// What came of a simulation.
#[derive(Clone, Debug)]
pub struct Simulated {
    /// The report.
    pub report: Report,
    /// Games that were played.
    pub games: usize,
    /// Games that were not played.
    pub forfeits: usize,
    /// Byes of all kinds, and rounds of those who were away.
    pub byes: usize,
}

/// Why there is no simulation.
#[derive(Debug, thiserror::Error)]
pub enum SimulationError {
    /// A round cannot be paired, or the rule set does not pair.
    #[error("round {round} cannot be paired: {reason}")]
    Round {
        /// The round.
        round: u16,
        /// Why.
        reason: Failure,
    },
    /// The rule set has no tables for a report.
    #[error("{0}")]
    Tables(String),
    /// The sizes are out of range.
    #[error(
        "a tournament is simulated with 2 to {MAX_ENTRIES} entries and 1 to {MAX_SIMULATED_ROUNDS} rounds"
    )]
    Size,
}

/// Lots from a seed.
struct Lots(u64);

impl Lots {
    /// The next number, by a known generator with a good mix of its bits.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, sides: u64) -> u64 {
        self.next() % sides.max(1)
    }

    fn happens(&mut self, hundredths: u8) -> bool {
        self.below(100) < u64::from(hundredths)
    }
}

/// Simulates a tournament whose rounds a rule set pairs.
///
/// # Errors
/// A round cannot be paired, or the sizes are out of range.
pub fn simulate(rules: &RuleSet, wishes: &Wishes) -> Result<Simulated, SimulationError> {
    let Wishes { entries, rounds, .. } = *wishes;
    if !(2..=MAX_ENTRIES).contains(&entries) || !(1..=MAX_SIMULATED_ROUNDS).contains(&rounds) {
        return Err(SimulationError::Size);
    }
    let mut lots = Lots(wishes.seed);
    let mut made = Simulated { report: first(rules, wishes, &mut lots), games: 0, forfeits: 0, byes: 0 };
    // From which round each entry is there, and whether it still is.
    let last_coming = u64::from(rounds.min(3));
    let mut comes: Vec<u16> = (0..entries)
        .map(|_| if rounds > 1 && lots.happens(wishes.late) { 1 + lots.below(last_coming) as u16 } else { 1 })
        .collect();
    if comes.iter().filter(|round| **round == 1).count() < 2 {
        comes.fill(1);
    }
    let mut gone = vec![false; usize::from(entries)];
    let mut rested = gone.clone();
    let source = Source::new("the simulated tournament", "");
    for round in 1..=rounds {
        absences(&mut made, round, wishes, &comes, (&mut gone, &mut rested), &mut lots);
        let wrong = |reason| SimulationError::Round { round, reason };
        let state = trf::tables(rules, &made.report, &source).map_err(|faults| {
            SimulationError::Tables(faults.first().map(|fault| fault.message.clone()).unwrap_or_default())
        })?;
        let settled =
            Pairer::new(rules).and_then(|pairer| pairer.pair(&state, round.into())).map_err(wrong)?;
        for pair in &settled.pairs {
            play(&mut made, pair.rows, round, wishes, &mut lots);
        }
        if let Some(alone) = settled.alone {
            made.byes += 1;
            put(&mut made.report, alone, round, Cell { mark: Some(Mark::Allocated), ..Cell::default() });
        }
    }
    finish(&mut made.report);
    Ok(made)
}

/// The entries before the first round, the strongest first.
fn first(rules: &RuleSet, wishes: &Wishes, lots: &mut Lots) -> Report {
    // The sum of several lots: most are near the middle.
    let mut ratings: Vec<u16> =
        (0..wishes.entries).map(|_| 1100 + (0..4).map(|_| lots.below(400) as u16).sum::<u16>()).collect();
    ratings.sort_unstable_by(|a, b| b.cmp(a));
    let player = |(number, rating): (u16, u16)| Player {
        number,
        name: format!("Entry {number:04}"),
        rating,
        ..Player::default()
    };
    let line =
        |code: &str, text: String| Line { code: code.to_owned(), text, above: true, ..Line::default() };
    let Wishes { entries, rounds, seed, .. } = wishes;
    Report {
        players: (1..).zip(ratings).map(player).collect(),
        lines: vec![
            line("012", format!("Simulated tournament, seed {seed}")),
            line("062", entries.to_string()),
            line("092", rules.id.clone()),
            line("142", rounds.to_string()),
            line("152", "W".into()),
        ],
        ..Report::default()
    }
}

/// Who is not there in a round: not yet, not any more, or by his own wish.
fn absences(
    made: &mut Simulated,
    round: u16,
    wishes: &Wishes,
    comes: &[u16],
    (gone, rested): (&mut [bool], &mut [bool]),
    lots: &mut Lots,
) {
    let mut there = comes.iter().zip(gone.iter()).filter(|(first, gone)| **first <= round && !**gone).count();
    for (at, ((first, gone), rested)) in (0..).zip(comes.iter().zip(gone.iter_mut()).zip(rested.iter_mut())) {
        let mut mark = None;
        if *first > round || *gone {
            mark = Some(Mark::Zero);
        } else if there > 2 && round > 1 && lots.happens(wishes.withdrawals) {
            *gone = true;
            there -= 1;
            mark = Some(Mark::Zero);
        } else if there > 2 && !*rested && lots.happens(wishes.byes) {
            *rested = true;
            there -= 1;
            mark = Some(Mark::Half);
        }
        if mark.is_some() {
            made.byes += 1;
            put(&mut made.report, at, round, Cell { mark, ..Cell::default() });
        }
    }
}

/// A game, or what comes of it when somebody does not come.
fn play(made: &mut Simulated, rows: [u32; 2], round: u16, wishes: &Wishes, lots: &mut Lots) {
    let [white, black] = rows.map(|row| made.report.players.get(row as usize).cloned().unwrap_or_default());
    let marks = if lots.happens(wishes.forfeits) {
        made.forfeits += 1;
        match lots.below(10) {
            0 => [Mark::ForfeitLoss; 2],
            lot if lot % 2 == 0 => [Mark::ForfeitWin, Mark::ForfeitLoss],
            _ => [Mark::ForfeitLoss, Mark::ForfeitWin],
        }
    } else {
        made.games += 1;
        let expected = expected(white.rating, black.rating);
        let drawn = f64::from(wishes.draws) / 100.0 * 4.0 * expected * (1.0 - expected);
        let drawn = drawn.min(2.0 * expected.min(1.0 - expected));
        let lot = lots.below(1_000_000) as f64 / 1e6;
        let won = expected - drawn / 2.0;
        if lot < won {
            [Mark::Win, Mark::Loss]
        } else if lot < won + drawn {
            [Mark::Draw; 2]
        } else {
            [Mark::Loss, Mark::Win]
        }
    };
    let seats = [(Colour::White, black.number), (Colour::Black, white.number)];
    for ((row, mark), (colour, opponent)) in rows.into_iter().zip(marks).zip(seats) {
        let cell =
            Cell { opponent: Some(opponent), colour: Some(colour), mark: Some(mark), ..Cell::default() };
        put(&mut made.report, row, round, cell);
    }
}

/// The score that is expected of the first one: a curve near that of the handbook, of a square root, which is the same
/// everywhere.
fn expected(own: u16, other: u16) -> f64 {
    let difference = f64::from(own) - f64::from(other);
    0.5 + 0.5 * difference / (difference * difference + 300.0 * 300.0).sqrt()
}

fn put(report: &mut Report, row: u32, round: u16, cell: Cell) {
    let Some(player) = report.players.get_mut(row as usize) else { return };
    let round = usize::from(round);
    player.rounds.resize(player.rounds.len().max(round), Cell::default());
    if let Some(slot) = player.rounds.get_mut(round - 1) {
        *slot = cell;
    }
}

/// Points, and ranks by points.
fn finish(report: &mut Report) {
    let sum = |player: &Player| {
        (0..player.rounds.len())
            .fold(Number::ZERO, |sum, round| sum.plus(report.worth(player, round)).unwrap_or(sum))
    };
    let sums: Vec<Number> = report.players.iter().map(sum).collect();
    for (player, own) in report.players.iter_mut().zip(&sums) {
        player.points = Some(*own);
        let above = sums.iter().filter(|other| *other > own).count();
        player.rank = u16::try_from(above + 1).ok();
    }
}
