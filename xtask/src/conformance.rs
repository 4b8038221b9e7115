//! `cargo xtask conformance`: runs the conformance corpus and reports what failed.
//!
//! The exit code is 1 if a case failed, and 2 if the corpus itself is wrong and nothing was run.

use std::collections::BTreeSet;
use std::error::Error;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use comfy_table::{CellAlignment, Table, presets};
use indicatif::{ProgressBar, ProgressStyle};
use rulebook_conformance::case::{Case, Wanted};
use rulebook_conformance::driver::Driver;
use rulebook_conformance::report::Counts;
use rulebook_conformance::run::{self, Drivers, Finished};
use rulebook_conformance::{Corpus, Engines, Kind, Report, Selection};

use crate::Outcome;

/// The folder of the corpus, below the root.
const CORPUS: &str = "conformance";

/// The exit code for a corpus that cannot be used.
const BAD_CORPUS: u8 = 2;

/// Which scenarios to run, and what to do with the answers.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run only the scenarios whose path, suite or `suite/id` matches this pattern.
    #[arg(long, value_name = "GLOB")]
    filter: Option<String>,
    /// Run only the scenarios that cite this article.
    #[arg(long, value_name = "ID")]
    article: Option<String>,
    /// Write the report to this file, as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the pictures of boards into the snapshots instead of comparing them.
    #[arg(long)]
    bless: bool,
    /// Run the cases that take long, too.
    #[arg(long)]
    slow: bool,
    /// The engine to run them on.
    #[arg(long, value_enum, default_value_t)]
    engine: Which,
}

/// Which engine is under test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Which {
    /// The reference interpreter, and the machine for the cases that are too large for it.
    #[default]
    Fitting,
    /// The reference interpreter.
    Reference,
    /// The machine.
    Machine,
    /// Each of them; a difference is a failure.
    Both,
}

impl From<Which> for Kind {
    fn from(which: Which) -> Self {
        match which {
            Which::Fitting | Which::Reference => Self::Reference,
            Which::Machine => Self::Machine,
            Which::Both => Self::Both,
        }
    }
}

/// Runs the corpus.
pub(crate) fn run(args: Args) -> Outcome {
    let manifest = env::var_os("CARGO_MANIFEST_DIR").ok_or("run this as `cargo xtask conformance`")?;
    let root = Path::new(&manifest).parent().ok_or("the workspace has no root folder")?;
    let corpus = match Corpus::read(&root.join(CORPUS), CORPUS) {
        Ok(corpus) => corpus,
        Err(problems) => {
            for problem in &problems {
                println!("{problem}");
            }
            println!("{} problems in the corpus; nothing was run", problems.len());
            return Ok(ExitCode::from(BAD_CORPUS));
        }
    };
    let selection = Selection { filter: args.filter, article: args.article };
    let mut cases: Vec<&Case> = corpus.cases.iter().filter(|case| selection.admits(case)).collect();
    if args.bless {
        cases.retain(|case| pictures(case).next().is_some());
    }
    if cases.is_empty() {
        return Err(nothing(args.bless).into());
    }
    let driver = Engines::at(args.engine.into(), root.join("rules"));
    let machine = Engines::at(Kind::Machine, root.join("rules"));
    let (fast, name): (Option<&dyn Driver>, String) = match args.engine {
        Which::Fitting => (Some(&machine), format!("{}, {} for large cases", driver.name(), machine.name())),
        Which::Both => (Some(&machine), driver.name().to_owned()),
        Which::Machine => (Some(&driver), driver.name().to_owned()),
        Which::Reference => (None, driver.name().to_owned()),
    };
    let finished = put(&cases, Drivers { tested: &driver, fast, slow: args.slow });
    if args.bless {
        return bless(&root.join(CORPUS), &finished);
    }
    let report = Report::of(&name, &finished);
    if let Some(file) = &args.json {
        write_whole(file, &serde_json::to_string_pretty(&report)?)?;
    }
    print!("{}", report.failures());
    println!("{}", table(&report));
    for (reason, count) in &report.waiting {
        println!("waiting: {count} because {reason}");
    }
    println!("{}", report.last_line());
    Ok(if report.totals.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn nothing(bless: bool) -> &'static str {
    if bless {
        "no such scenario keeps a picture, and nothing else is ever written into the corpus"
    } else {
        "no such scenario"
    }
}

/// Puts the cases to the engine, with a progress bar if somebody is watching.
fn put<'c>(cases: &[&'c Case], drivers: Drivers<'_>) -> Vec<Finished<'c>> {
    let runs = |case: &&&Case| drivers.of(case).is_some();
    let weight = |case: &Case| case.cost.max(1);
    let bar = if std::io::stderr().is_terminal() {
        let total = cases.iter().filter(runs).map(|case| weight(case)).sum();
        ProgressBar::new(total).with_style(
            ProgressStyle::with_template("{wide_bar} {percent}% {elapsed}")
                .unwrap_or_else(|_| ProgressStyle::default_bar()),
        )
    } else {
        ProgressBar::hidden()
    };
    let finished = run::run(cases, drivers, &|case| {
        if runs(&&case) {
            bar.inc(weight(case));
        }
    });
    bar.finish_and_clear();
    finished
}

fn pictures(case: &Case) -> impl Iterator<Item = &str> {
    case.checks.iter().filter_map(|check| match &check.wanted {
        Wanted::Picture { file, .. } => Some(file.as_str()),
        _ => None,
    })
}

/// Writes the pictures that the engine drew into the corpus.
fn bless(folder: &Path, finished: &[Finished<'_>]) -> Outcome {
    let mut written = BTreeSet::new();
    for (file, text) in finished.iter().flat_map(|finished| &finished.pictures) {
        let path = folder.join(file);
        let text = format!("{}\n", text.trim_end());
        if fs::read_to_string(&path).ok().as_deref() != Some(&text) {
            write_whole(&path, &text)?;
            written.insert(file);
        }
    }
    for file in &written {
        println!("wrote {CORPUS}/{file}");
    }
    println!("{} pictures, {} written", finished.len(), written.len());
    Ok(ExitCode::SUCCESS)
}

/// Writes a file as a whole or not at all.
fn write_whole(path: &Path, text: &str) -> Result<(), Box<dyn Error>> {
    // What is no ordinary file, such as a device or a link, is written to and not replaced.
    if fs::symlink_metadata(path).is_ok_and(|known| !known.is_file()) {
        return Ok(fs::write(path, text)?);
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    fs::create_dir_all(folder)?;
    let mut builder = tempfile::Builder::new();
    // A temporary file is private; what is written here is for everyone, as far as the umask lets it.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(path)?;
    Ok(())
}

fn table(report: &Report) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["rule set", "passed", "failed", "unsupported", "waiting", "slow"]);
    let mut row = |name: &str, counts: &Counts| {
        let Counts { passed, failed, unsupported, waiting, slow } = counts;
        let mut cells = vec![name.to_owned()];
        cells.extend([passed, failed, unsupported, waiting, slow].map(|count| match count {
            0 => "·".to_owned(),
            count => count.to_string(),
        }));
        table.add_row(cells);
    };
    for (rules, counts) in &report.rules {
        row(rules, counts);
    }
    if report.rules.len() > 1 {
        row("all", &report.totals);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}
