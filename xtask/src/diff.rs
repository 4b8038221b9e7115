//! `cargo xtask diff`: random games on both engines, compared position by position.
//!
//! The exit code is 1 if the engines do not agree about a position.

use std::env;
use std::path::Path;
use std::process::ExitCode;

use comfy_table::{CellAlignment, Table, presets};
use indicatif::{ProgressBar, ProgressStyle};
use rulebook_compiler::Passes;
use rulebook_conformance::Corpus;
use rulebook_conformance::diff::{self, Amount, Compared};
use rulebook_conformance::select::matches;
use rulebook_model::layer::PRELUDE;
use rulebook_model::library::{BUILT_IN, Library};
use serde_json::json;

use crate::Outcome;

/// How much to play, and of what.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Games of each rule set.
    #[arg(long, default_value_t = 5)]
    games: usize,
    /// Most plies of a game.
    #[arg(long, default_value_t = 60)]
    plies: usize,
    /// The seed of the games.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Play only the rule sets whose id matches this pattern.
    #[arg(long, value_name = "GLOB")]
    rules: Option<String>,
    /// Leave out one pass of the compiler, or `all` of them.
    #[arg(long, value_name = "PASS", conflicts_with = "every")]
    without: Option<String>,
    /// Compare all settings at once: all passes, none, and each pass left out in turn.
    #[arg(long)]
    every: bool,
    /// Print what was counted as JSON.
    #[arg(long)]
    json: bool,
}

/// Plays the games.
pub(crate) fn run(args: Args) -> Outcome {
    let manifest = env::var_os("CARGO_MANIFEST_DIR").ok_or("run this as `cargo xtask diff`")?;
    let root = Path::new(&manifest).parent().ok_or("the workspace has no root folder")?;
    let corpus = Corpus::read(&root.join("conformance"), "conformance")
        .map_err(|problems| format!("{} problems in the corpus", problems.len()))?;
    let library = Library::at(root.join("rules"));
    let settings = match args.without.as_deref() {
        None if args.every => diff::every_setting(),
        None => vec![("with all passes".to_owned(), Passes::all())],
        Some("all") => vec![("without passes".to_owned(), Passes::none())],
        Some(name) => {
            let passes = Passes::without(name)
                .ok_or_else(|| format!("no such pass; there are {}", Passes::NAMES.join(", ")))?;
            vec![(format!("without {name}"), passes)]
        }
    };
    let amount = Amount { games: args.games, plies: args.plies, seed: args.seed };
    let wanted = |id: &str| args.rules.as_ref().is_none_or(|pattern| matches(pattern, id));
    let ids: Vec<&str> =
        BUILT_IN.iter().map(|(id, _)| *id).filter(|id| *id != PRELUDE && wanted(id)).collect();
    if ids.is_empty() {
        return Err("no such rule set".into());
    }
    let bar = ProgressBar::new((ids.len() * diff::shares_of(amount)) as u64);
    bar.set_style(ProgressStyle::with_template("{bar:32} {pos}/{len} {eta}")?);
    let compared = diff::compare_all(&library, &corpus, &ids, (&settings, amount), &|| bar.inc(1));
    bar.finish_and_clear();
    let sum: usize = compared.iter().map(|(_, compared)| compared.differences).sum();
    let code = if sum == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    if args.json {
        let row = |(id, compared): &(&str, Compared)| {
            let Compared { programs, games, positions, acts, swift, refused, differences, skipped, .. } =
                compared;
            json!({
                "rules": id, "programs": programs, "games": games, "positions": positions, "acts": acts,
                "swift": swift, "refused": refused, "differences": differences, "skipped": skipped,
                "shortest": compared.shortest.as_ref().map(|found| json!({
                    "params": found.start.params, "position": found.start.position, "line": found.line,
                    "what": found.what,
                })),
            })
        };
        let rows: Vec<_> = compared.iter().map(row).collect();
        println!("{}", serde_json::to_string_pretty(&rows)?);
        return Ok(code);
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header([
        "rule set",
        "programs",
        "games",
        "positions",
        "legal acts",
        "by fast paths",
        "refused acts",
        "differences",
        "",
    ]);
    for (id, compared) in compared {
        if let Some(shortest) = &compared.shortest {
            println!("{id}: the engines differ in {}", shortest.what);
            let params: Vec<String> =
                shortest.start.params.iter().map(|(name, value)| format!("{name}={value}")).collect();
            println!("  with {}", if params.is_empty() { "no parameters".into() } else { params.join(" ") });
            println!("  from {}", shortest.start.position.as_deref().unwrap_or("the first position"));
            println!("  after {}", shortest.line.join(" "));
        }
        let Compared { programs, games, positions, acts, swift, refused, differences, skipped, .. } =
            compared;
        let numbers =
            [programs, games, positions, acts, swift, refused, differences].map(|number| number.to_string());
        let mut row = vec![id.to_owned()];
        row.extend(numbers);
        row.push(skipped.unwrap_or_default());
        table.add_row(row);
    }
    for column in table.column_iter_mut().skip(1).take(7) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    println!("{table}");
    println!("{sum} differences");
    Ok(code)
}
