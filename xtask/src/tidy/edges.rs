//! The direction of dependencies: which crate of the workspace may use which.
//!
//! `ALLOWED` is the only list; `crates/README.md` quotes it, and a check keeps the two equal.
//! Dependencies of tests count like any other, for a test that reaches upwards is a stage in the wrong place.

use std::env;
use std::process::Command;

use serde_json::Value;

use super::{Finding, Tree};

/// Each crate of the workspace with the crates that it may use, in the order of the stages.
const ALLOWED: &[(&str, &[&str])] = &[
    ("rulebook-syntax", &[]),
    ("rulebook-model", &["rulebook-syntax"]),
    ("rulebook-reference", &["rulebook-syntax", "rulebook-model"]),
    ("rulebook-machine", &[]),
    ("rulebook-matching", &[]),
    ("rulebook-pairing", &["rulebook-syntax", "rulebook-model", "rulebook-reference", "rulebook-matching"]),
    ("rulebook-compiler", &["rulebook-syntax", "rulebook-model", "rulebook-machine"]),
    ("rulebook-emit", &["rulebook-syntax", "rulebook-model", "rulebook-machine", "rulebook-compiler"]),
    ("rulebook-notation", &["rulebook-syntax", "rulebook-model", "rulebook-reference"]),
    (
        "rulebook-conformance",
        &[
            "rulebook-syntax",
            "rulebook-model",
            "rulebook-reference",
            "rulebook-machine",
            "rulebook-compiler",
            "rulebook-notation",
            "rulebook-pairing",
        ],
    ),
    (
        "rulebook",
        &[
            "rulebook-syntax",
            "rulebook-model",
            "rulebook-reference",
            "rulebook-machine",
            "rulebook-compiler",
            "rulebook-emit",
            "rulebook-notation",
            "rulebook-pairing",
        ],
    ),
    (
        "xtask",
        &[
            "rulebook-syntax",
            "rulebook-model",
            "rulebook-reference",
            "rulebook-machine",
            "rulebook-compiler",
            "rulebook-notation",
            "rulebook-conformance",
            "rulebook",
        ],
    ),
];

/// The architecture document.
const DOCUMENT: &str = "crates/README.md";

/// The heading of the document under which the table stands.
const HEADING: &str = "## Allowed edges";

/// Every dependency between two crates of the workspace is in `ALLOWED`.
pub(super) fn crates_depend_downwards(tree: &Tree) -> Vec<Finding> {
    match workspace_edges(tree) {
        Ok(crates) => crates.iter().flat_map(|edges| judge(tree, edges)).collect(),
        Err(message) => vec![Finding::new("Cargo.toml", 1, message)],
    }
}

/// A crate of the workspace, where its manifest is, and the crates of the workspace that it uses.
struct Edges {
    from: String,
    manifest: String,
    to: Vec<String>,
}

fn judge(tree: &Tree, edges: &Edges) -> Vec<Finding> {
    let Edges { from, manifest, to } = edges;
    let Some((_, allowed)) = ALLOWED.iter().find(|(name, _)| name == from) else {
        return vec![Finding::new(
            manifest,
            1,
            format!("`{from}` is missing from the table of allowed edges"),
        )];
    };
    let wrong = to.iter().filter(|name| !allowed.contains(&name.as_str()));
    wrong
        .map(|name| {
            let line = tree.file(manifest).map_or(1, |file| file.line_where(|line| key_is(line, name)));
            Finding::new(manifest, line, format!("`{from}` must not depend on `{name}`"))
        })
        .collect()
}

/// Whether a line of a manifest starts the entry of a dependency.
fn key_is(line: &str, name: &str) -> bool {
    line.strip_prefix(name).is_some_and(|rest| rest.starts_with(['.', ' ', '=']))
}

fn workspace_edges(tree: &Tree) -> Result<Vec<Edges>, String> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(tree.root())
        .output()
        .map_err(|error| format!("cannot run cargo metadata: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    let metadata: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("cargo metadata is not JSON: {error}"))?;
    let packages = list(&metadata, "packages");
    let members: Vec<&str> = packages.iter().map(|package| text(package, "name")).collect();
    let relative = |path: &str| {
        let path = path.strip_prefix(&*tree.root().to_string_lossy()).unwrap_or(path);
        path.replace('\\', "/").trim_start_matches('/').to_owned()
    };
    let edges = packages.iter().map(|package| Edges {
        from: text(package, "name").to_owned(),
        manifest: relative(text(package, "manifest_path")),
        to: list(package, "dependencies")
            .iter()
            .map(|dependency| text(dependency, "name"))
            .filter(|name| members.contains(name))
            .map(str::to_owned)
            .collect(),
    });
    Ok(edges.collect())
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or("")
}

/// The architecture document quotes `ALLOWED` row by row.
pub(super) fn document_lists_the_edges(tree: &Tree) -> Vec<Finding> {
    let Some(document) = tree.file(DOCUMENT) else {
        return vec![Finding::new(DOCUMENT, 1, "the architecture document is missing")];
    };
    let heading = document.line_where(|line| line == HEADING);
    let mut found = document
        .lines()
        .skip(heading)
        .skip_while(|(_, line)| !line.starts_with('|'))
        .take_while(|(_, line)| line.starts_with('|'));
    let mut findings = Vec::new();
    let mut last = heading;
    for row in table() {
        match found.next() {
            Some((number, line)) => {
                last = number;
                if line != row {
                    findings.push(Finding::new(
                        DOCUMENT,
                        number,
                        format!("the table should say here: {row}"),
                    ));
                }
            }
            None => findings.push(Finding::new(DOCUMENT, last, format!("the table lacks the row: {row}"))),
        }
    }
    findings.extend(found.map(|(number, _)| Finding::new(DOCUMENT, number, "the table should end before")));
    findings
}

/// The rows of `ALLOWED` as Markdown.
fn table() -> Vec<String> {
    let quoted = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
    };
    let head = ["| crate | may use |".to_owned(), "|---|---|".to_owned()];
    let rows = ALLOWED.iter().map(|(from, to)| format!("| `{from}` | {} |", quoted(to)));
    head.into_iter().chain(rows).collect()
}
