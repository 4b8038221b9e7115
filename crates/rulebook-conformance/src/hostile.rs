//! Compiled files with mistakes in them: made from good ones, loaded, and run if they load.
//!
//! Invariant: the same seed and number give the same mutant of the same files. A mutant may be refused, and a
//! program that is let through may have no answer; it may neither panic nor run beyond its allowance.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rulebook_compiler::{Passes, compile, sources};
use rulebook_machine::engine::Outcomes;
use rulebook_machine::events::Person;
use rulebook_machine::file::{self, CHECKSUM, ENTRY, HEADER, LoadError};
use rulebook_machine::plain::Plain;
use rulebook_machine::record::{RecordName, Sought};
use rulebook_model::library::Library;

use crate::diff::Dice;

/// Steps that all questions to one mutant may take together.
const ALLOWANCE: u64 = 20_000;
/// Longest time for one mutant.
pub const LIMIT: Duration = Duration::from_secs(10);
/// How often somebody looks whether a mutant takes too long.
const LOOK: Duration = Duration::from_millis(200);
/// Numbers that are written over bytes: the ends of ranges, as single bytes and as long varints.
const EXTREMES: [&[u8]; 10] = [
    &[0],
    &[1],
    &[0x7f],
    &[0x80],
    &[0xff],
    &[0xff, 0x01],
    &[0xff, 0xff, 0x03],
    &[0x80, 0x80, 0x04],
    &[0xff, 0xff, 0xff, 0xff, 0x0f],
    &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
];

/// A compiled file taken apart: what stands before the table of sections, and the sections.
#[derive(Clone, Debug)]
struct Parts {
    head: Vec<u8>,
    sections: Vec<Vec<u8>>,
}

impl Parts {
    fn of(bytes: &[u8]) -> Result<Self, LoadError> {
        let outline = file::outline(bytes)?;
        let section = |section: &file::Section| {
            bytes.get(section.offset..section.offset + section.length).unwrap_or(&[]).to_vec()
        };
        let head = bytes.get(..HEADER).unwrap_or(&[]).to_vec();
        Ok(Self { head, sections: outline.sections.iter().map(section).collect() })
    }

    fn joined(&self) -> Vec<u8> {
        let mut bytes = self.head.clone();
        let mut offset = HEADER + ENTRY * self.sections.len();
        for (section, id) in self.sections.iter().zip(1_u32..) {
            for number in [id, offset as u32, section.len() as u32] {
                bytes.extend_from_slice(&number.to_le_bytes());
            }
            offset += section.len();
        }
        self.sections.iter().for_each(|section| bytes.extend_from_slice(section));
        bytes.extend_from_slice(&file::checksum(&bytes).to_le_bytes());
        bytes
    }
}

/// Good files to make mutants of.
#[derive(Clone, Debug, Default)]
pub struct Stock(Vec<(String, Parts)>);

impl Stock {
    /// Compiles rule sets, each with all passes and with none.
    ///
    /// # Errors
    /// Says which rule set cannot be compiled, and why.
    pub fn compile(library: &Library, ids: &[&str]) -> Result<Self, String> {
        let mut stock = Self::default();
        for id in ids {
            let checked = library.check(id, &[]).ok_or_else(|| format!("there is no rule set `{id}`"))?;
            let rules = checked.rules.ok_or_else(|| format!("the rule set `{id}` has errors"))?;
            for passes in [Passes::all(), Passes::none()] {
                let (program, _) = compile(&rules, passes).map_err(|error| format!("{id}: {error}"))?;
                let bytes = file::encode(&program, &sources([], [])).map_err(|error| error.to_string())?;
                stock.add(id, &bytes).map_err(|error| error.to_string())?;
            }
        }
        Ok(stock)
    }

    fn add(&mut self, name: &str, bytes: &[u8]) -> Result<(), LoadError> {
        self.0.push((name.to_owned(), Parts::of(bytes)?));
        Ok(())
    }

    fn pick(&self, dice: &mut Dice) -> Parts {
        let at = dice.below(self.0.len());
        self.0.get(at).map_or(Parts { head: Vec::new(), sections: Vec::new() }, |(_, parts)| parts.clone())
    }

    /// The mutant of a seed and a number.
    pub fn mutant(&self, seed: u64, number: u64) -> Vec<u8> {
        let mut dice = Dice::new(seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15), "mutant");
        let mut parts = self.pick(&mut dice);
        for _ in 0..1 + dice.below(3) {
            self.change(&mut parts, &mut dice);
        }
        let mut bytes = parts.joined();
        match dice.below(40) {
            // A cut that nobody has repaired.
            0 => bytes.truncate(dice.below(bytes.len())),
            // A number of the header or the table, the checksum repaired.
            1 | 2 => {
                let at = dice.below(HEADER + ENTRY * parts.sections.len());
                let extreme = EXTREMES.get(dice.below(EXTREMES.len())).copied().unwrap_or(&[0]);
                write(&mut bytes, at, extreme);
                repair(&mut bytes);
            }
            // A flipped bit that nobody has repaired.
            3 => {
                let at = dice.below(bytes.len());
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << dice.below(8);
                }
            }
            // Bytes after the end, or a cut, the checksum repaired.
            4 => {
                bytes.truncate(bytes.len().saturating_sub(CHECKSUM + dice.below(64)));
                bytes.extend(std::iter::repeat_n(0, dice.below(3) * CHECKSUM + CHECKSUM));
                repair(&mut bytes);
            }
            _ => {}
        }
        bytes
    }

    /// One mistake in a section, or between sections.
    fn change(&self, parts: &mut Parts, dice: &mut Dice) {
        let count = parts.sections.len();
        let at = dice.below(count);
        let other = dice.below(count);
        match dice.below(16) {
            0 => parts.sections.swap(at, other),
            1 | 2 => {
                // The same section of another file.
                let donor = self.pick(dice);
                if let (Some(to), Some(from)) = (parts.sections.get_mut(at), donor.sections.get(at)) {
                    to.clone_from(from);
                }
            }
            3 | 4 => {
                // A piece of the same section of another file.
                let donor = self.pick(dice);
                if let (Some(to), Some(from)) = (parts.sections.get_mut(at), donor.sections.get(at)) {
                    let start = dice.below(from.len());
                    let len = 1 + dice.below(24);
                    let piece = from.get(start..from.len().min(start + len)).unwrap_or(&[]);
                    let place = dice.below(to.len().max(1));
                    let end = to.len().min(place + dice.below(2) * piece.len());
                    let place = place.min(end);
                    to.splice(place..end, piece.iter().copied());
                }
            }
            kind => {
                let Some(section) = parts.sections.get_mut(at).filter(|section| !section.is_empty()) else {
                    return;
                };
                let place = dice.below(section.len());
                match kind {
                    5 => section.truncate(place),
                    6 => {
                        section.remove(place);
                    }
                    7 => section.insert(place, dice.below(256) as u8),
                    8 | 9 => {
                        let extreme = EXTREMES.get(dice.below(EXTREMES.len())).copied().unwrap_or(&[0]);
                        // In the place of one number, so that what follows still stands where it did.
                        let end = (place..section.len())
                            .find(|at| section.get(*at).is_some_and(|byte| byte & 0x80 == 0))
                            .map_or(section.len(), |last| last + 1);
                        section.splice(place..end, extreme.iter().copied());
                    }
                    10 | 11 => {
                        // A small step up or down.
                        if let Some(byte) = section.get_mut(place) {
                            *byte = byte.wrapping_add([1, 2, 0xff, 0xfe][dice.below(4)]);
                        }
                    }
                    _ => {
                        for _ in 0..1 + dice.below(2) {
                            let place = dice.below(section.len());
                            if let Some(byte) = section.get_mut(place) {
                                *byte ^= 1 << dice.below(8);
                            }
                        }
                    }
                }
            }
        }
    }
}

fn write(bytes: &mut [u8], at: usize, over: &[u8]) {
    for (to, from) in bytes.iter_mut().skip(at).zip(over) {
        *to = *from;
    }
}

/// Makes the checksum right.
fn repair(bytes: &mut [u8]) {
    if let Some((body, sum)) = bytes.split_last_chunk_mut::<CHECKSUM>() {
        *sum = file::checksum(body).to_le_bytes();
    }
}

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It was refused before its program was looked at.
    Unreadable,
    /// The verifier refused its program.
    Refused,
    /// It ran, and every question had an answer.
    Answered,
    /// It ran, and some question had no answer.
    Fault,
}

/// Loads a file as it is, and if it loads asks a game of it whatever can be asked.
pub fn exercise(bytes: &[u8]) -> Fate {
    let machine = match file::load(bytes) {
        Ok(machine) => machine,
        Err(LoadError::Refused(_)) => return Fate::Refused,
        Err(_) => return Fate::Unreadable,
    };
    let mut fault = false;
    let mut note = |failed: bool| fault |= failed;
    let program = machine.program();
    let mut game = machine.first();
    let fresh = |steps: u64| {
        let mut game = machine.first();
        game.allow(steps);
        game
    };
    note(fresh(ALLOWANCE).perft(2).is_err());
    note(fresh(ALLOWANCE).perft_making(1).is_err());
    note(fresh(ALLOWANCE).swift().is_err());
    game.allow(ALLOWANCE);
    let plies = game.plies();
    let last = plies.as_ref().map_or(0, |(legal, _)| legal.len().saturating_sub(1));
    note(plies.is_err());
    note(game.settle().is_err());
    for at in [last, 0] {
        note(game.play(at).is_err());
    }
    note(game.perft(1).is_err());
    for event in 0..program.events.len().min(4) as u16 {
        note(game.event(event, &[], Person::Player(0)).is_err());
        note(game.event(event, &[Plain::Site(0), Plain::Kind(0)], Person::Player(0)).is_err());
        note(game.event(event, &[Plain::Number(1, 1)], Person::Arbiter).is_err());
    }
    for (name, _) in program.answers.iter().take(4) {
        note(game.define(name, &[Plain::Player(0), Plain::Site(0)]).is_err());
    }
    note(game.hash().is_err());
    while game.undo() {}
    let names: Vec<RecordName> = (0..program.remarks.len().min(2))
        .map(|remark| RecordName { act: remark as u16, remark, name: 0 })
        .collect();
    for names in [&[][..], &names] {
        if let Some(mut records) = machine.records(names) {
            records.allow(ALLOWANCE);
            for site in 0..program.board.len().min(64) as u16 {
                let sought =
                    |piece| Sought::Short { piece, to: site, file: None, rank: None, choice: u8::MAX };
                let plies: Vec<Sought> = (0..program.kinds.len() as u8).map(sought).collect();
                note(records.play(&plies).is_none());
            }
            note(records.play(&[Sought::Named(0)]).is_none());
        }
    }
    let mut game = fresh(ALLOWANCE);
    note(game.rank().is_err());
    for at in 0..program.remarks.len().min(4) {
        note(game.remark(at, None).is_err());
    }
    let opened: Outcomes<()> = machine.open(&game.state()).map(drop);
    note(opened.is_err());
    if fault { Fate::Fault } else { Fate::Answered }
}

/// How long it takes to decode and verify a file, and to make a machine of it: the medians of many times.
pub fn load_times(bytes: &[u8]) -> [Duration; 2] {
    let median = |once: &dyn Fn()| {
        let mut times: Vec<Duration> = (0..101)
            .map(|_| {
                let begun = Instant::now();
                once();
                begun.elapsed()
            })
            .collect();
        times.sort_unstable();
        times.get(times.len() / 2).copied().unwrap_or_default()
    };
    [median(&|| drop(file::read(bytes))), median(&|| drop(file::load(bytes)))]
}

/// A mutant that did what none may do.
#[derive(Clone, Debug)]
pub struct Breach {
    /// Its number.
    pub number: u64,
    /// The file.
    pub bytes: Vec<u8>,
    /// What it did.
    pub what: String,
}

/// What came of many mutants.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Refused before the program was looked at.
    pub unreadable: u64,
    /// Refused by the verifier.
    pub refused: u64,
    /// Ran with an answer to every question.
    pub answered: u64,
    /// Ran without an answer to some question.
    pub faults: u64,
    /// The longest time that one took.
    pub longest: Duration,
    /// Those that did what none may do.
    pub breaches: Vec<Breach>,
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.unreadable += other.unreadable;
        self.refused += other.refused;
        self.answered += other.answered;
        self.faults += other.faults;
        self.longest = self.longest.max(other.longest);
        self.breaches.extend(other.breaches);
    }

    fn one(&mut self, stock: &Stock, seed: u64, number: u64) {
        let bytes = stock.mutant(seed, number);
        let begun = Instant::now();
        let fate = catch_unwind(AssertUnwindSafe(|| exercise(&bytes)));
        let took = begun.elapsed();
        self.longest = self.longest.max(took);
        match fate {
            Ok(Fate::Unreadable) => self.unreadable += 1,
            Ok(Fate::Refused) => self.refused += 1,
            Ok(Fate::Answered) => self.answered += 1,
            Ok(Fate::Fault) => self.faults += 1,
            Err(_) => self.breaches.push(Breach { number, bytes, what: "it panics".into() }),
        }
        if took > LIMIT {
            let bytes = stock.mutant(seed, number);
            self.breaches.push(Breach { number, bytes, what: format!("it takes {took:?}") });
        }
    }
}

/// Makes and runs mutants on some threads. `look` is told now and then how many are done; `hang` is told of one
/// that does not come to an end, and should end the program.
pub fn run(
    stock: &Stock,
    (count, seed, threads): (u64, u64, usize),
    look: &dyn Fn(u64),
    hang: &dyn Fn(Breach),
) -> Tally {
    let (next, done) = (AtomicU64::new(0), AtomicU64::new(0));
    let total = Mutex::new(Tally::default());
    let busy: Vec<Mutex<Option<(u64, Instant)>>> = (0..threads.max(1)).map(|_| Mutex::new(None)).collect();
    let worker = |slot: &Mutex<Option<(u64, Instant)>>| {
        let mut tally = Tally::default();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                break;
            }
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some((number, Instant::now()));
            tally.one(stock, seed, number);
            done.fetch_add(1, Ordering::Relaxed);
        }
        *slot.lock().unwrap_or_else(PoisonError::into_inner) = None;
        total.lock().unwrap_or_else(PoisonError::into_inner).add(tally);
    };
    thread::scope(|scope| {
        let workers: Vec<_> = busy.iter().map(|slot| scope.spawn(|| worker(slot))).collect();
        while !workers.iter().all(thread::ScopedJoinHandle::is_finished) {
            thread::sleep(LOOK.min(Duration::from_micros(count * 20)));
            look(done.load(Ordering::Relaxed));
            for slot in &busy {
                let case = *slot.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some((number, _)) = case.filter(|(_, begun)| begun.elapsed() > LIMIT * 3) {
                    let what = "it does not come to an end".into();
                    hang(Breach { number, bytes: stock.mutant(seed, number), what });
                }
            }
        }
    });
    let mut tally = total.into_inner().unwrap_or_else(PoisonError::into_inner);
    tally.breaches.sort_by_key(|breach| breach.number);
    tally
}
