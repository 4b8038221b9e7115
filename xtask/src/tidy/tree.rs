//! The text files of the repository, read once for all checks.
//!
//! Invariant: paths are relative to the root, use `/`, and are sorted, so that findings come in a fixed order.
//! Files that git ignores are not part of the repository, and files that are not UTF-8 hold no text.

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A text file.
pub(super) struct File {
    /// The path from the root.
    pub(super) path: String,
    /// The whole text.
    pub(super) text: String,
}

impl File {
    /// The ending of the file name, without the dot.
    pub(super) fn extension(&self) -> &str {
        Path::new(&self.path).extension().and_then(|ending| ending.to_str()).unwrap_or("")
    }

    /// Whether the file is below one of these folders, each written with a slash at its end.
    pub(super) fn is_below(&self, folders: &[&str]) -> bool {
        folders.iter().any(|folder| self.path.starts_with(folder))
    }

    /// The lines, counted from one.
    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.text.lines())
    }

    /// The number of the first line for which the test holds, else the first line.
    pub(super) fn line_where(&self, test: impl Fn(&str) -> bool) -> usize {
        self.lines().find(|(_, line)| test(line)).map_or(1, |(number, _)| number)
    }
}

/// All text files of the repository, in the order of their paths.
pub(super) struct Tree {
    root: PathBuf,
    files: Vec<File>,
}

impl Tree {
    /// Reads the repository that this program was built from.
    pub(super) fn read() -> Result<Self, Box<dyn Error>> {
        let manifest = env::var_os("CARGO_MANIFEST_DIR").ok_or("run this as `cargo xtask tidy`")?;
        let root = Path::new(&manifest).parent().ok_or("the workspace has no root folder")?.to_owned();
        let paths = listed_by_git(&root).unwrap_or_else(|| found_by_walking(&root));
        let mut files = Vec::new();
        for path in paths {
            // A path that git still lists may be gone from the disk; bytes that are no text are not checked.
            if let Ok(text) = fs::read_to_string(root.join(&path)) {
                files.push(File { path, text });
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Self { root, files })
    }

    /// The folder that all paths start from.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// All files.
    pub(super) fn files(&self) -> &[File] {
        &self.files
    }

    /// The file at a path.
    pub(super) fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }

    /// The files of the Rust code: everything of `crates/` and `xtask/`.
    pub(super) fn code(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| file.is_below(&["crates/", "xtask/"]))
    }

    /// The YAML files below one folder, without those that are broken on purpose.
    pub(super) fn yaml(&self, folder: &str) -> impl Iterator<Item = &File> {
        self.files.iter().filter(move |file| {
            file.is_below(&[folder])
                && matches!(file.extension(), "yaml" | "yml")
                && !file.is_below(&[BROKEN_ON_PURPOSE, UNSOUND_ON_PURPOSE])
        })
    }
}

/// Rule files that are explored to find what is wrong with them: they are no scenarios.
pub(super) const UNSOUND_ON_PURPOSE: &str = "conformance/exploration/";

/// Inputs of diagnostics: every byte of them is part of a test, so no house rule holds there.
pub(super) const BROKEN_ON_PURPOSE: &str = "conformance/diagnostics/";

/// Tracked files and new files that are not ignored; nothing if this is not a git checkout.
fn listed_by_git(root: &Path) -> Option<Vec<String>> {
    let listing = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"])
        .current_dir(root)
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let paths = String::from_utf8(listing.stdout).ok()?;
    Some(paths.split_terminator('\0').map(str::to_owned).collect())
}

/// All files outside of build output and hidden folders, for a source archive without a history.
fn found_by_walking(root: &Path) -> Vec<String> {
    walkdir::WalkDir::new(root)
        .into_iter()
        .filter_entry(|entry| entry.file_name() != "target" && entry.file_name() != ".git")
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file())
        .filter_map(|entry| {
            entry.path().strip_prefix(root).ok()?.to_str().map(|path| path.replace('\\', "/"))
        })
        .collect()
}
