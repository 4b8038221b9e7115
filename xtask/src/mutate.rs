//! `cargo xtask mutate-compiled`: compiled files with mistakes in them are loaded, and run if they load.
//!
//! The exit code is 1 if one of them makes the machine panic or takes too long; that one is saved under
//! `target/mutants/`. The same seed makes the same mistakes.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use std::{env, fs, panic, process, thread};

use indicatif::{ProgressBar, ProgressStyle};
use rulebook_conformance::hostile::{self, Breach, Stock};
use rulebook_conformance::select::matches;
use rulebook_model::layer::PRELUDE;
use rulebook_model::library::{BUILT_IN, Library};

use crate::Outcome;

/// How many mistakes to make, and in what.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How many files to load.
    #[arg(long, default_value_t = 100_000)]
    count: u64,
    /// The seed of the mistakes.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only rule sets whose id matches this pattern.
    #[arg(long, value_name = "GLOB")]
    rules: Option<String>,
    /// How many threads; as many as there are cores if not said.
    #[arg(long)]
    threads: Option<usize>,
    /// Load and run one saved file.
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
}

/// Makes and runs the mutants.
pub(crate) fn run(args: &Args) -> Outcome {
    if let Some(path) = &args.replay {
        let bytes = fs::read(path)?;
        println!("{:?}", hostile::exercise(&bytes));
        let [decoded, loaded] = hostile::load_times(&bytes);
        println!("decoded and verified in {decoded:?}, a machine in {loaded:?}");
        return Ok(ExitCode::SUCCESS);
    }
    let manifest = env::var_os("CARGO_MANIFEST_DIR").ok_or("run this as `cargo xtask mutate-compiled`")?;
    let root = Path::new(&manifest).parent().ok_or("the workspace has no root folder")?;
    let wanted = |id: &str| args.rules.as_ref().is_none_or(|pattern| matches(pattern, id));
    let ids: Vec<&str> =
        BUILT_IN.iter().map(|(id, _)| *id).filter(|id| *id != PRELUDE && wanted(id)).collect();
    let stock = Stock::compile(&Library::at(root.join("rules")), &ids)?;
    let folder = root.join("target/mutants");
    let threads =
        args.threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, std::num::NonZero::get));
    let bar = ProgressBar::new(args.count);
    bar.set_style(ProgressStyle::with_template("{bar:40} {human_pos}/{human_len} {per_sec} {eta}")?);
    // A panic is told at the end, with the file that caused it.
    panic::set_hook(Box::new(|_| {}));
    let begun = Instant::now();
    let hang = |breach: Breach| {
        tell(&folder, &breach);
        process::exit(1);
    };
    let tally = hostile::run(&stock, (args.count, args.seed, threads), &|done| bar.set_position(done), &hang);
    bar.finish_and_clear();
    let _ = panic::take_hook();
    tally.breaches.iter().take(100).for_each(|breach| tell(&folder, breach));
    println!("{} unreadable", tally.unreadable);
    println!("{} refused by the verifier", tally.refused);
    println!("{} run with an answer to every question", tally.answered);
    println!("{} run without an answer to some question", tally.faults);
    println!("{} breaches", tally.breaches.len());
    let seconds = begun.elapsed().as_secs_f64();
    println!("the longest took {:?}; all took {seconds:.1} s on {threads} threads", tally.longest);
    Ok(if tally.breaches.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Saves a file that did what none may do, and says so.
fn tell(folder: &Path, breach: &Breach) {
    let path = folder.join(format!("{}.rules", breach.number));
    let saved = fs::create_dir_all(folder).and_then(|()| fs::write(&path, &breach.bytes));
    match saved {
        Ok(()) => println!("mutant {}: {}, saved as {}", breach.number, breach.what, path.display()),
        Err(error) => println!("mutant {}: {}, not saved: {error}", breach.number, breach.what),
    }
}
