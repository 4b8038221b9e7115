//! `cargo xtask mutate-rules`: rule files with one mistake each, and whether a scenario notices.
//!
//! The exit code is 1 if fewer mistakes are noticed than wanted, and 2 if the corpus is wrong.

use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, panic};

use comfy_table::{CellAlignment, Table, presets};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use rulebook_conformance::case::{Case, Tier};
use rulebook_conformance::mutation::{self, Mutant};
use rulebook_conformance::run::{self, Drivers, Outcome as Came};
use rulebook_conformance::select::matches;
use rulebook_conformance::{Corpus, Engines, Kind};
use rulebook_model::layer::PRELUDE;
use rulebook_model::library::{BUILT_IN, Library};

use crate::Outcome;

/// What to change, and how much of it must be noticed.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only rule files whose path or id matches this: a folder, a file, or a pattern.
    #[arg(long, value_name = "PATH", default_value = "*")]
    rules: String,
    /// The share of mistakes that must be noticed in each file, in percent.
    #[arg(long, default_value_t = 90)]
    least: usize,
    /// Only every n-th mistake.
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// Answer with one JSON document.
    #[arg(long)]
    json: bool,
}

/// What came of a mutant.
enum Fate {
    /// A scenario fails.
    Noticed,
    /// The checker refuses it.
    Refused,
    /// Every scenario passes.
    Survived(Mutant),
}

/// What came of the mutants of a file.
#[derive(serde::Serialize)]
struct File {
    /// The id of the file.
    rules: String,
    /// How many mistakes the checker refuses.
    refused: usize,
    /// How many a scenario notices.
    noticed: usize,
    /// Those that nothing notices.
    survivors: Vec<Survivor>,
}

/// A mistake that nothing notices.
#[derive(serde::Serialize)]
struct Survivor {
    /// The line of the file.
    line: usize,
    /// The clause or entry.
    place: String,
    /// What was done.
    what: String,
}

impl File {
    /// The share of mistakes that were noticed, in percent, of those that the checker lets pass.
    fn share(&self) -> usize {
        let all = self.noticed + self.survivors.len();
        (self.noticed * 100).checked_div(all).unwrap_or(100)
    }
}

/// Makes the mistakes.
pub(crate) fn run(args: &Args) -> Outcome {
    let manifest = env::var_os("CARGO_MANIFEST_DIR").ok_or("run this as `cargo xtask mutate-rules`")?;
    let root = Path::new(&manifest).parent().ok_or("the workspace has no root folder")?;
    let corpus = match Corpus::read(&root.join("conformance"), "conformance") {
        Ok(corpus) => corpus,
        Err(problems) => {
            problems.iter().for_each(|problem| eprintln!("{problem}"));
            return Ok(ExitCode::from(2));
        }
    };
    let library = Library::at(root.join("rules"));
    let wanted = args.rules.trim_end_matches('/').trim_start_matches("rules/");
    let wanted = wanted.strip_suffix(".yaml").unwrap_or(wanted);
    let is_wanted =
        |id: &str| id.starts_with(&format!("{wanted}/")) || matches(wanted, id) || wanted == "rules";
    let ids: Vec<&str> =
        BUILT_IN.iter().map(|(id, _)| *id).filter(|id| *id != PRELUDE && is_wanted(id)).collect();
    if ids.is_empty() {
        return Err("no such rule file".into());
    }
    // Mistakes may bring the engine to panic in one case; that is noticed like any other difference.
    panic::set_hook(Box::new(|_| {}));
    let mut files = Vec::new();
    for id in ids {
        files.extend(file(id, &library, &corpus, args));
    }
    let _ = panic::take_hook();
    let enough = files.iter().all(|file| file.share() >= args.least);
    if args.json {
        println!("{}", serde_json::to_string_pretty(&files)?);
    } else {
        print(&files);
    }
    Ok(if enough { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The mutants of a file, put to the scenarios of all rule sets that stand on it.
fn file(id: &str, library: &Library, corpus: &Corpus, args: &Args) -> Option<File> {
    let source = library.find(id)?;
    let stands_on = |rules: &str| {
        let checked = library.check(rules, &[])?;
        Some(checked.rules?.lineage.iter().any(|layer| layer == id))
    };
    let mut sets: Vec<&str> = corpus.cases.iter().map(|case| case.rules.as_str()).collect();
    sets.sort_unstable();
    sets.dedup();
    sets.retain(|rules| stands_on(rules) == Some(true));
    let mut cases: Vec<&Case> = corpus.cases.iter().collect();
    cases.retain(|case| case.tier == Tier::Always && case.cost < MOST && sets.contains(&case.rules.as_str()));
    cases.sort_by_key(|case| case.cost);
    let mutants: Vec<Mutant> = mutation::mutants(&source).into_iter().step_by(args.every.max(1)).collect();
    let bar = ProgressBar::new(mutants.len() as u64);
    bar.set_style(ProgressStyle::with_template("{prefix} {bar:40} {pos}/{len} {eta}").ok()?);
    bar.set_prefix(id.to_owned());
    let done = AtomicUsize::new(0);
    let fates: Vec<Fate> = mutants
        .into_par_iter()
        .map(|mutant| {
            let fate = fate(id, mutant, library, &cases, &sets);
            bar.set_position(done.fetch_add(1, Ordering::Relaxed) as u64 + 1);
            fate
        })
        .collect();
    bar.finish_and_clear();
    let mut file = File { rules: id.to_owned(), refused: 0, noticed: 0, survivors: Vec::new() };
    for fate in fates {
        match fate {
            Fate::Refused => file.refused += 1,
            Fate::Noticed => file.noticed += 1,
            Fate::Survived(Mutant { line, place, what, .. }) => {
                file.survivors.push(Survivor { line, place, what });
            }
        }
    }
    Some(file)
}

/// Cases that cost more are left to the conformance run itself.
const MOST: u64 = 20_000;
/// How many cases are put before it is looked whether one has failed.
const CHUNK: usize = 32;

fn fate(id: &str, mutant: Mutant, library: &Library, cases: &[&Case], sets: &[&str]) -> Fate {
    let library = library.clone().with(id, mutant.source(id));
    // A mistake that no rule set can be made of was noticed by the checker.
    if sets.iter().any(|rules| library.check(rules, &[]).is_none_or(|checked| checked.rules.is_none())) {
        return Fate::Refused;
    }
    let engines = Engines::over(Kind::Reference, library);
    let drivers = Drivers { tested: &engines, fast: None, slow: false };
    for chunk in cases.chunks(CHUNK) {
        let finished = run::run(chunk, drivers, &|_| {});
        if finished.iter().any(|finished| matches!(finished.outcome, Came::Failed(_))) {
            return Fate::Noticed;
        }
    }
    Fate::Survived(mutant)
}

fn print(files: &[File]) {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["rule file", "refused by the checker", "noticed", "survived", "%"]);
    for file in files {
        let numbers = [file.refused, file.noticed, file.survivors.len(), file.share()];
        let mut cells = vec![file.rules.clone()];
        cells.extend(numbers.map(|number| number.to_string()));
        table.add_row(cells);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    println!("{table}");
    for file in files {
        for Survivor { line, place, what } in &file.survivors {
            println!("rules/{}.yaml:{line}: {place}: {what}", file.rules);
        }
    }
}
