//! `cargo xtask coverage`: which rows of the ledger have clauses and scenarios, and which have not.
//!
//! The exit code is 1 while a row lacks something, and 2 if the corpus or the ledger is wrong.

use std::collections::BTreeMap;
use std::env;
use std::path::Path;
use std::process::ExitCode;

use comfy_table::{CellAlignment, Table, presets};
use rulebook_conformance::Corpus;
use rulebook_conformance::coverage::{self, Row};
use rulebook_conformance::select::matches;
use rulebook_model::layer::PRELUDE;
use rulebook_model::library::{BUILT_IN, Library};

use crate::Outcome;

/// Which rows, and how to print them.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only rows whose id matches this pattern, such as `S0-*`.
    #[arg(long, value_name = "GLOB")]
    rows: Option<String>,
    /// Only rows of this kind, such as `draw` or `go-*`.
    #[arg(long, value_name = "GLOB")]
    kind: Option<String>,
    /// Answer with one JSON document.
    #[arg(long)]
    json: bool,
    /// Name every row that lacks something, not only the first ones.
    #[arg(long)]
    all: bool,
}

/// Rows that are named before the rest is only counted.
const NAMED: usize = 20;

/// Counts.
pub(crate) fn run(args: &Args) -> Outcome {
    let manifest = env::var_os("CARGO_MANIFEST_DIR").ok_or("run this as `cargo xtask coverage`")?;
    let root = Path::new(&manifest).parent().ok_or("the workspace has no root folder")?;
    let folder = root.join("conformance");
    let corpus = match Corpus::read(&folder, "conformance") {
        Ok(corpus) => corpus,
        Err(problems) => {
            problems.iter().for_each(|problem| eprintln!("{problem}"));
            return Ok(ExitCode::from(2));
        }
    };
    let library = Library::at(root.join("rules"));
    let ids = BUILT_IN.iter().map(|(id, _)| *id).filter(|id| *id != PRELUDE);
    let rules: Vec<_> = ids.filter_map(|id| library.check(id, &[])?.rules).collect();
    let rows = match coverage::rows(&folder, &corpus, &rules) {
        Ok(rows) => rows,
        Err(problem) => {
            eprintln!("conformance/{problem}");
            return Ok(ExitCode::from(2));
        }
    };
    let wanted =
        |pattern: &Option<String>, text: &str| pattern.as_ref().is_none_or(|pattern| matches(pattern, text));
    let rows: Vec<Row> =
        rows.into_iter().filter(|row| wanted(&args.rows, &row.id) && wanted(&args.kind, &row.kind)).collect();
    let lacking: Vec<&Row> = rows.iter().filter(|row| !row.is_accounted() || row.lacks_scenarios()).collect();
    if args.json {
        println!("{}", serde_json::to_string_pretty(&rows)?);
    } else {
        print(&rows);
        let shown = if args.all { lacking.len() } else { NAMED.min(lacking.len()) };
        for row in lacking.iter().take(shown) {
            println!("{} {} ({}): lacks {}", row.id, row.locator, row.kind, what(row).join(", "));
        }
        if shown < lacking.len() {
            println!("… and {} more; `--all` names them", lacking.len() - shown);
        }
    }
    Ok(if lacking.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What a row lacks.
fn what(row: &Row) -> Vec<&'static str> {
    let missing = [
        (!row.is_accounted(), "a clause"),
        (row.lacks_scenarios() && row.positive == 0, "a scenario for it"),
        (row.lacks_scenarios() && row.negative == 0, "a scenario against it"),
    ];
    missing.into_iter().filter_map(|(is, what)| is.then_some(what)).collect()
}

fn print(rows: &[Row]) {
    let mut groups: BTreeMap<(&str, &str), Vec<&Row>> = BTreeMap::new();
    for row in rows {
        groups.entry((&row.document, &row.kind)).or_default().push(row);
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["text", "kind", "rows", "accounted for", "to be shown", "for", "against", "both"]);
    let all: Vec<&Row> = rows.iter().collect();
    let groups = groups.into_iter().chain([(("all", ""), all)]);
    for ((document, kind), rows) in groups {
        let count = |of: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| of(row)).count();
        let shown = |row: &Row| row.decided == "yes" && row.exception.is_none();
        let numbers = [
            rows.len(),
            count(&Row::is_accounted),
            count(&shown),
            count(&|row| shown(row) && row.positive > 0),
            count(&|row| shown(row) && row.negative > 0),
            count(&|row| shown(row) && !row.lacks_scenarios()),
        ];
        let mut cells = vec![document.to_owned(), kind.to_owned()];
        cells.extend(numbers.map(|number| number.to_string()));
        table.add_row(cells);
    }
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    println!("{table}");
}
