//! Manifests: every dependency has a reason, and every version is written once, in the root.
//!
//! The lines are read as they stand, without a TOML reader: the house form of a manifest is one line for each entry.

use super::tree::File;
use super::{Finding, Tree};

/// The comment that must stand directly above a dependency of the workspace.
const REASON: &str = "# why: ";

/// Every dependency of the workspace that is not one of its crates says why it is there.
pub(super) fn dependencies_say_why(tree: &Tree) -> Vec<Finding> {
    let Some(root) = tree.file("Cargo.toml") else {
        return vec![Finding::new("Cargo.toml", 1, "the manifest of the workspace is missing")];
    };
    let mut findings = Vec::new();
    let mut above = "";
    for (section, number, line) in entries(root) {
        if section == "workspace.dependencies" && is_entry(line) && !line.contains("path = ") {
            let reason = above.strip_prefix(REASON).unwrap_or("");
            if reason.trim().is_empty() {
                let message = format!("no `{}` line directly above the dependency", REASON.trim());
                findings.push(Finding::new(&root.path, number, message));
            }
        }
        above = line;
    }
    findings
}

/// The manifests of the members take every dependency from the workspace.
pub(super) fn members_inherit(tree: &Tree) -> Vec<Finding> {
    // A manifest that begins a workspace of its own has nothing to inherit from.
    let own = |file: &&File| file.text.lines().any(|line| line == "[workspace]");
    let manifests = tree.code().filter(|file| file.path.ends_with("/Cargo.toml") && !own(file));
    manifests.flat_map(member).collect()
}

fn member(manifest: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (section, number, line) in entries(manifest) {
        let of_one = section.contains("dependencies.");
        let own = section.ends_with("dependencies") && is_entry(line) && !is_inherited(line);
        if own || (of_one && line.starts_with('[')) {
            let message = "a dependency of a member is written `name.workspace = true`";
            findings.push(Finding::new(&manifest.path, number, message));
        }
    }
    findings
}

/// The lines of a manifest with their numbers and the section that each one is in.
fn entries(manifest: &File) -> impl Iterator<Item = (&str, usize, &str)> {
    manifest.lines().scan("", |section, (number, line)| {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            *section = name;
        }
        Some((*section, number, line))
    })
}

fn is_entry(line: &str) -> bool {
    line.starts_with(|c: char| c.is_alphanumeric() || c == '"') && line.contains('=')
}

fn is_inherited(line: &str) -> bool {
    line.split_once('=').is_some_and(|(name, value)| {
        (name.trim().ends_with(".workspace") && value.trim() == "true") || value.contains("workspace = true")
    })
}
