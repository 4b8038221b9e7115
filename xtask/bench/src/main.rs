//! The bench: the machine against peers, measured in turn in one run; started by `cargo xtask bench`.
//!
//! Invariant: our side and each peer are sampled alternately, so that whatever disturbs the machine disturbs all of
//! them, and a ratio is only given where the counts of both sides are equal.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line talks on the terminal")]

mod apart;
mod board;
#[cfg(feature = "cozy")]
mod cozy;
mod games;
mod measure;
mod ours;
mod plan;
mod rankings;
mod records;
mod scores;
mod table;

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Duration;

use clap::Parser;
use rulebook_conformance::select::matches;
use rulebook_model::library::Library;

use apart::Fairy;
use games::Random;
use measure::{Samples, repetitions, timed};
use ours::{Games, Ours};
use plan::{Count, Mode, Peer};
use rankings::Ranking;
use records::Records;
use scores::{Counted, Histories, Judged};
use table::{Circumstances, Found, Row, Side};

/// What is measured, and where the answers go.
#[derive(Parser)]
#[command(name = "rulebook-bench")]
struct Args {
    /// The folder of the repository.
    #[arg(long)]
    root: PathBuf,
    /// The program for shakmaty, or nothing where it could not be built.
    #[arg(long)]
    shakmaty: Option<PathBuf>,
    /// Measure only the rows whose name matches.
    #[arg(long)]
    filter: Option<String>,
    /// Write the rows as JSON.
    #[arg(long)]
    json: Option<PathBuf>,
    /// Write the page that is kept.
    #[arg(long)]
    save: bool,
    /// Samples of each side.
    #[arg(long, default_value_t = 5)]
    samples: u32,
    /// The most seconds for one count of ours; a deeper one is left out.
    #[arg(long, default_value_t = 20.0)]
    longest: f64,
}

fn main() -> ExitCode {
    run(&Args::parse()).unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::FAILURE
    })
}

fn run(args: &Args) -> Result<ExitCode, Box<dyn Error>> {
    let mut bench = Bench {
        args,
        library: Library::at(args.root.join("rules")),
        fairy: Fairy::start(),
        load: vec![load()],
        rows: Vec::new(),
    };
    for count in plan::counts() {
        bench.count(&count);
    }
    for random in games::RANDOM {
        bench.random(random);
    }
    bench.records();
    bench.scores();
    bench.histories();
    bench.judged();
    for (name, reason) in plan::NOT_MEASURED {
        if bench.wanted(name) {
            bench.not_measured((*name).to_owned(), "", None, reason);
        }
    }
    bench.files();
    let circumstances = bench.circumstances();
    let rows = bench.rows;
    if let Some(path) = &args.json {
        let facts: serde_json::Map<_, _> = circumstances
            .facts
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.as_str().into()))
            .collect();
        let rows: Vec<_> = rows.iter().map(Row::json).collect();
        let json = serde_json::json!({ "circumstances": facts, "rows": rows });
        fs::write(path, format!("{json:#}\n"))?;
    }
    if args.save {
        fs::write(args.root.join("docs/benchmarks.md"), table::page(&circumstances, &rows))?;
    }
    let number = |test: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| test(row)).count();
    let differ = number(&Row::differs);
    let missing = number(&|row| matches!(row.found, Found::NotMeasured(_)));
    let below = number(&Row::is_below);
    println!("{} rows, {missing} not measured, {below} below their bar, {differ} failed", rows.len());
    Ok(if differ == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A run of the bench.
struct Bench<'a> {
    args: &'a Args,
    library: Library,
    fairy: Result<Fairy, String>,
    load: Vec<String>,
    rows: Vec<Row>,
}

/// A peer while a count is sampled.
struct Sampled {
    peer: Peer,
    bar: f64,
    times: u32,
    /// What it counts with its samples, or why it does not.
    found: Result<(u64, Samples), String>,
}

impl Bench<'_> {
    fn wanted(&self, name: &str) -> bool {
        self.args.filter.as_ref().is_none_or(|pattern| matches(pattern, name))
    }

    fn push(&mut self, row: Row) {
        println!("{row}");
        self.rows.push(row);
    }

    fn not_measured(&mut self, name: String, against: &str, bar: Option<f64>, reason: &str) {
        let found = Found::NotMeasured(reason.to_owned());
        self.push(Row { name, against: against.to_owned(), unit: "", bar, found });
    }

    fn count(&mut self, count: &Count) {
        let mode = format!("{}{}", if count.generated { "generated " } else { "" }, count.mode.name());
        let full = format!("{} d{} {mode}", count.name, count.depth);
        if !self.wanted(&full) {
            return;
        }
        let opened = Ours::open(&self.library, count.rules, count.position, count.generated)
            .and_then(|mut ours| Ok((self.deepest(&mut ours, count)?, ours)));
        let ((depth, once, nodes), mut ours) = match opened {
            Ok(opened) => opened,
            Err(reason) => {
                for (peer, bar) in count.peers {
                    self.not_measured(full.clone(), peer.name(), Some(*bar), &reason);
                }
                return;
            }
        };
        let name = if depth == count.depth {
            full
        } else {
            format!("{} d{depth} (of d{}) {mode}", count.name, count.depth)
        };
        let mut peers: Vec<Sampled> = count
            .peers
            .iter()
            .map(|&(peer, bar)| {
                let once = self.peer(peer, count, depth, 1);
                let times = once.as_ref().map_or(1, |(_, time)| repetitions(*time));
                Sampled { peer, bar, times, found: once.map(|(count, _)| (count, Samples::default())) }
            })
            .collect();
        let times = repetitions(once);
        let mut samples = Samples::default();
        for _ in 0..self.args.samples.max(5) {
            if let Ok((_, time)) = ours.count(count.mode, depth, times) {
                samples.add(time, times);
            }
            for sampled in &mut peers {
                let Ok((counted, samples)) = &mut sampled.found else { continue };
                if *counted != nodes {
                    continue;
                }
                match self.peer(sampled.peer, count, depth, sampled.times) {
                    Ok((_, time)) => samples.add(time, sampled.times),
                    Err(reason) => sampled.found = Err(reason),
                }
            }
        }
        self.load.push(load());
        let side = |samples: &Samples| Side {
            figure: nodes as f64 / samples.median() / 1e6,
            spread: samples.spread(),
        };
        for Sampled { peer, bar, found, .. } in peers {
            let found = match found {
                Err(reason) => Found::NotMeasured(reason),
                Ok((other, _)) if other != nodes => Found::Differ { ours: nodes, other },
                Ok((_, theirs)) => {
                    let ratio = theirs.median() / samples.median();
                    Found::Ratio { count: Some(nodes), ours: side(&samples), other: side(&theirs), ratio }
                }
            };
            let (name, against) = (name.clone(), peer.name().to_owned());
            self.push(Row { name, against, unit: "M/s", bar: Some(bar), found });
        }
    }

    /// The wanted depth, or the deepest one that is not too slow, with its time and its count.
    fn deepest(&self, ours: &mut Ours, count: &Count) -> Result<(u32, Duration, u64), String> {
        let mut found = (0, Duration::ZERO, 1);
        let mut before = Duration::ZERO;
        for depth in 1..=count.depth {
            let (nodes, time) = ours.count(count.mode, depth, 1)?;
            let growth = time.as_secs_f64() / before.as_secs_f64().max(1e-6);
            found = (depth, time, nodes);
            before = time;
            // The first depths grow wildly, and are short.
            let next = time.as_secs_f64() * growth.clamp(10.0, 50.0);
            if next > self.args.longest {
                break;
            }
        }
        Ok(found)
    }

    fn peer(&mut self, peer: Peer, count: &Count, depth: u32, times: u32) -> Result<(u64, Duration), String> {
        let Count { variant, fen, mode, .. } = count;
        match peer {
            Peer::Cozy => cozy(fen, *mode, depth, times),
            Peer::Shakmaty => {
                let program = self.args.shakmaty.as_ref().ok_or("shakmaty could not be built")?;
                apart::shakmaty(program, variant, fen, *mode, depth, times)
            }
            Peer::Fairy => {
                let fairy = self.fairy.as_mut().map_err(|reason| reason.clone())?;
                fairy.count(variant, fen, depth, times)
            }
        }
    }

    /// A row of random games.
    fn random(&mut self, random: &Random) {
        let (name, against) = (random.name.to_owned(), random.peer.name());
        if !self.wanted(&name) {
            return;
        }
        let found = self.played(random).unwrap_or_else(Found::NotMeasured);
        self.load.push(load());
        self.push(Row { name, against: against.to_owned(), unit: "M/s", bar: Some(random.bar), found });
    }

    fn played(&self, random: &Random) -> Result<Found, String> {
        let mut ours = Games::first(&self.library, random.rules, random.params)?;
        let (mut mine, mut theirs) = (Samples::default(), Samples::default());
        let mut plies = (0, 0);
        for _ in 0..self.args.samples.max(5) {
            let (played, time) = ours.play(random.games, random.most)?;
            mine.add(time, 1);
            let (other, time) = random.peer.play(random)?;
            theirs.add(time, 1);
            plies = (played, other);
        }
        let side = |samples: &Samples, plies: u64| Side {
            figure: plies as f64 / samples.median() / 1e6,
            spread: samples.spread(),
        };
        let (ours, other) = (side(&mine, plies.0), side(&theirs, plies.1));
        let ratio = ours.figure / other.figure;
        Ok(Found::Ratio { count: Some(plies.0), ours, other, ratio })
    }

    /// The row of records.
    fn records(&mut self) {
        let kinds: [(&str, f64, fn(&Library) -> Result<Records, String>); 2] = [
            ("pgn reading", plan::RECORDS, Records::new),
            ("pgn with clocks judged", plan::CLOCKS, Records::with_clocks),
        ];
        for (name, bar, records) in kinds {
            if !self.wanted(name) {
                continue;
            }
            let found = self.read(records).unwrap_or_else(Found::NotMeasured);
            self.load.push(load());
            let against = "pgn-reader with shakmaty".to_owned();
            self.push(Row { name: name.to_owned(), against, unit: "M/s", bar: Some(bar), found });
        }
    }

    fn read(&self, records: fn(&Library) -> Result<Records, String>) -> Result<Found, String> {
        let program = self.args.shakmaty.as_ref().ok_or("shakmaty could not be built")?;
        let mut records = records(&self.library)?;
        let (ours, once) = records.read(1)?;
        let (other, apart) = records.peer(program, 1)?;
        if ours != other {
            return Ok(Found::Differ { ours, other });
        }
        let (times, theirs) = (repetitions(once), repetitions(apart));
        let (mut mine, mut peers) = (Samples::default(), Samples::default());
        for _ in 0..self.args.samples.max(5) {
            mine.add(records.read(times)?.1, times);
            peers.add(records.peer(program, theirs)?.1, theirs);
        }
        let side = |samples: &Samples| Side {
            figure: ours as f64 / samples.median() / 1e6,
            spread: samples.spread(),
        };
        let ratio = peers.median() / mine.median();
        Ok(Found::Ratio { count: Some(ours), ours: side(&mine), other: side(&peers), ratio })
    }

    /// The rows of counts of a last board.
    fn scores(&mut self) {
        for school in scores::SCHOOLS {
            if !self.wanted(school.name) {
                continue;
            }
            let row = self.counted(school);
            self.load.push(load());
            self.limit(school.name.to_owned(), "us", scores::COUNT, row);
        }
    }

    fn counted(&self, school: &scores::School) -> Result<Side, String> {
        let mut counted = Counted::open(&self.library, school)?;
        let (first, once) = counted.count(1)?;
        let times = repetitions(once);
        let mut samples = Samples::default();
        for _ in 0..self.args.samples.max(5) {
            let (count, time) = counted.count(times)?;
            if count != first {
                return Err("it counts differently when it is repeated".into());
            }
            samples.add(time, times);
        }
        Ok(Side { figure: samples.median() * 1e6, spread: samples.spread() })
    }

    /// The row of a move late in a game against one early in it.
    fn histories(&mut self) {
        let name = format!("go move after {} and after {} plies", scores::LONG, scores::SHORT);
        if !self.wanted(&name) {
            return;
        }
        let found = self.moves().unwrap_or_else(Found::NotMeasured);
        self.load.push(load());
        self.push(Row { name, against: "short history".into(), unit: "us", bar: Some(scores::GROWTH), found });
    }

    fn moves(&self) -> Result<Found, String> {
        let mut histories = Histories::new(&self.library)?;
        let (legal, once) = histories.moves(true, 1)?;
        let (other, _) = histories.moves(false, 1)?;
        let times = repetitions(once);
        let (mut long, mut short) = (Samples::default(), Samples::default());
        for _ in 0..self.args.samples.max(5) {
            long.add(histories.moves(true, times)?.1, times);
            short.add(histories.moves(false, times)?.1, times);
        }
        let side = |samples: &Samples, legal: u64| Side {
            figure: samples.median() * 1e6 / legal.max(1) as f64,
            spread: samples.spread(),
        };
        let (ours, other) = (side(&long, legal), side(&short, other));
        let ratio = other.figure / ours.figure;
        Ok(Found::Ratio { count: Some(legal), ours, other, ratio })
    }

    /// The row of judged records.
    fn judged(&mut self) {
        let name = "go judging of records";
        if !self.wanted(name) {
            return;
        }
        let found = self.judge().unwrap_or_else(Found::NotMeasured);
        self.load.push(load());
        let against = "sgfmill".to_owned();
        self.push(Row { name: name.to_owned(), against, unit: "g/s", bar: Some(1.0), found });
    }

    fn judge(&self) -> Result<Found, String> {
        let judged = Judged::new(&self.library)?;
        let (ours, _) = judged.judge()?;
        let (other, _) = judged.peer(1)?;
        if ours != other {
            return Ok(Found::Differ { ours, other });
        }
        let (mut mine, mut peers) = (Samples::default(), Samples::default());
        for _ in 0..self.args.samples.max(5) {
            mine.add(judged.judge()?.1, 1);
            peers.add(judged.peer(1)?.1, 1);
        }
        let side = |samples: &Samples| Side {
            figure: scores::JUDGED as f64 / samples.median(),
            spread: samples.spread(),
        };
        let ratio = peers.median() / mine.median();
        Ok(Found::Ratio { count: Some(ours), ours: side(&mine), other: side(&peers), ratio })
    }

    /// The rows about compiled files.

    /// The rows about compiled files and rankings, whose other side is a limit.
    fn files(&mut self) {
        let chess = "chess/board";
        let name = "chess from YAML to machine";
        if self.wanted(name) {
            let library = &self.library;
            let once = timed(|| ours::machine(library, chess));
            let row = self.time(once, |library| ours::machine(library, chess).is_ok());
            self.limit(name.to_owned(), "ms", plan::COMPILE, row);
        }
        let name = "chess load of a compiled file";
        if self.wanted(name) {
            let bytes = ours::compiled(&self.library, chess);
            let row = bytes.and_then(|bytes| {
                let once = timed(|| ours::load(&bytes));
                self.time(once, |_| ours::load(&bytes).is_ok())
            });
            self.limit(name.to_owned(), "ms", plan::LOAD, row);
        }
        let name = "ranking of 5000 entries, ten keys";
        if self.wanted(name) {
            let row = Ranking::new(&self.library).and_then(|ranking| {
                let once = timed(|| ranking.rank());
                self.time(once, |_| ranking.rank().is_ok())
            });
            self.limit(name.to_owned(), "ms", plan::RANKING, row);
        }
        let name = "largest compiled file";
        if self.wanted(name) {
            match ours::largest(&self.library) {
                Ok((id, size)) => {
                    let side = Side { figure: size as f64 / 1e6, spread: 0.0 };
                    let name = format!("{name}: {id}");
                    self.limit(name, "MB", plan::SIZE / 1e6, Ok(side));
                }
                Err(reason) => self.limit(name.to_owned(), "MB", plan::SIZE / 1e6, Err(reason)),
            }
        }
    }

    /// The milliseconds of some work, which has been done once.
    fn time<T>(
        &self,
        (once, first): (Result<T, String>, Duration),
        work: impl Fn(&Library) -> bool,
    ) -> Result<Side, String> {
        once?;
        let times = repetitions(first);
        let mut samples = Samples::default();
        for _ in 0..self.args.samples.max(5) {
            let (done, time) = timed(|| (0..times).all(|_| work(&self.library)));
            if !done {
                return Err("it fails when it is repeated".into());
            }
            samples.add(time, times);
        }
        Ok(Side { figure: samples.median() * 1e3, spread: samples.spread() })
    }

    fn limit(&mut self, name: String, unit: &'static str, limit: f64, side: Result<Side, String>) {
        let found = match side {
            Ok(ours) => {
                let ratio = limit / ours.figure;
                Found::Ratio { count: None, ours, other: Side { figure: limit, spread: 0.0 }, ratio }
            }
            Err(reason) => Found::NotMeasured(reason),
        };
        self.push(Row { name, against: "limit".into(), unit, bar: Some(1.0), found });
    }

    fn circumstances(&self) -> Circumstances {
        let said = |program: &str, arguments: &[&str]| {
            let output = Command::new(program).args(arguments).current_dir(&self.args.root).output();
            output.map_or_else(
                |_| "unknown".to_owned(),
                |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
            )
        };
        let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = cpus.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
        let cores = std::thread::available_parallelism().map_or(0, usize::from);
        let fairy = self.fairy.as_ref().map_or_else(String::clone, |fairy| fairy.name.clone());
        let shakmaty =
            if self.args.shakmaty.is_some() { "0.30.0, a program of its own" } else { "could not be built" };
        let (first, last) = (self.load.first(), self.load.last());
        let most = self.load.iter().max_by(|a, b| value(a).total_cmp(&value(b)));
        let or_not = |load: Option<&String>| load.cloned().unwrap_or_default();
        Circumstances {
            facts: vec![
                ("processor", format!("{}, {cores} cores", model.map_or("unknown", |(_, name)| name))),
                ("system", format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)),
                (
                    "load of the machine",
                    format!(
                        "{} at first, {} at last, {} at most; 1 would be the bench alone",
                        or_not(first),
                        or_not(last),
                        or_not(most)
                    ),
                ),
                (
                    "compiler",
                    format!(
                        "{}, native processor, fat LTO, overflow checks on in all Rust programs",
                        said("rustc", &["--version"])
                    ),
                ),
                ("commit", said("git", &["rev-parse", "--short=12", "HEAD"])),
                ("samples of each side", self.args.samples.max(5).to_string()),
                (
                    "cozy-chess",
                    if cfg!(feature = "cozy") { "0.3.4, in this process" } else { "could not be built" }
                        .to_owned(),
                ),
                ("shakmaty", shakmaty.to_owned()),
                ("fairy-stockfish", fairy),
            ],
        }
    }
}

#[cfg(feature = "cozy")]
fn cozy(fen: &str, mode: Mode, depth: u32, times: u32) -> Result<(u64, Duration), String> {
    cozy::count(fen, mode, depth, times)
}

#[cfg(not(feature = "cozy"))]
fn cozy(_: &str, _: Mode, _: u32, _: u32) -> Result<(u64, Duration), String> {
    Err("cozy-chess could not be built".into())
}

/// The load of the machine over the last minute.
fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or_default().to_owned()
}

fn value(load: &str) -> f64 {
    load.parse().unwrap_or(0.0)
}
