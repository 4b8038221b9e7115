//! Finds rule files: in the folder a file stands in, and among those that come with the program.
//!
//! Invariant: an id never leads out of the rules folder. Files are read here and nowhere else in the
//! stages from text to rule set.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use rulebook_syntax::Source;

use crate::layer::PRELUDE;
use crate::{Checked, check};

/// The rule files that come with the program, by id.
pub const BUILT_IN: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/library.rs"));

/// Largest rule file that is read, in bytes.
pub const MAX_FILE: u64 = 4 * 1024 * 1024;

/// A folder of rule files.
#[derive(Clone, Debug, Default)]
pub struct Library {
    root: Option<PathBuf>,
    /// Texts that go before those of the files.
    own: Vec<(String, Arc<Source>)>,
}

impl Library {
    /// The files of one folder, then the built-in ones.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: Some(root.into()), own: Vec::new() }
    }

    /// The folder above a file that holds the prelude, if there is one.
    pub fn around(file: &Path) -> Self {
        let prelude = format!("{PRELUDE}.yaml");
        let file = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
        let root = file.ancestors().skip(1).find(|folder| folder.join(&prelude).is_file());
        Self { root: root.map(Path::to_owned).or_else(|| root_by_id(&file)), own: Vec::new() }
    }

    /// The same with another text for one of the files.
    #[must_use]
    pub fn with(mut self, id: &str, source: Arc<Source>) -> Self {
        self.own.retain(|(known, _)| known != id);
        self.own.push((id.to_owned(), source));
        self
    }

    /// The text of a rule file.
    pub fn find(&self, id: &str) -> Option<Arc<Source>> {
        let fine = |c: char| c.is_ascii_alphanumeric() || "/_-".contains(c);
        if id.is_empty() || id.starts_with('/') || !id.chars().all(fine) {
            return None;
        }
        if let Some((_, source)) = self.own.iter().find(|(known, _)| known == id) {
            return Some(Arc::clone(source));
        }
        if let Some(root) = &self.root {
            let path = root.join(format!("{id}.yaml"));
            if let Ok(source) = read(&path) {
                return Some(source);
            }
        }
        let (id, text) = BUILT_IN.iter().find(|(known, _)| *known == id)?;
        Some(Source::new(format!("{id}.yaml"), *text))
    }

    /// Checks a rule file by id; `None` when there is none.
    pub fn check(&self, id: &str, given: &[(String, String)]) -> Option<Checked> {
        let source = self.find(id)?;
        Some(check(&source, &|id| self.find(id), given))
    }
}

/// The folder that a file's own id is counted from: `mine/game.yaml` with the id `mine/game` stands in a
/// rules folder even when there is no prelude in it.
fn root_by_id(file: &Path) -> Option<PathBuf> {
    let text = read(file).ok()?.text.clone();
    let id =
        text.split(['\n', '\r']).find_map(|line| line.strip_prefix("id:"))?.trim().trim_matches(['"', '\'']);
    let mut root = file.with_extension("");
    for part in id.rsplit('/') {
        if root.file_name()?.to_str()? != part {
            return None;
        }
        root.pop();
    }
    Some(root)
}

/// Reads a file as text.
///
/// # Errors
/// The file cannot be read, is too large, or is not UTF-8.
pub fn read(path: &Path) -> io::Result<Arc<Source>> {
    let about = fs::metadata(path)?;
    if !about.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "this is not an ordinary file"));
    }
    let size = about.len();
    if size > MAX_FILE {
        let message = format!("the file has {size} bytes; at most {MAX_FILE} are read");
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    let bytes = fs::read(path)?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        io::Error::new(io::ErrorKind::InvalidData, format!("the file is not UTF-8 at byte {at}"))
    })?;
    Ok(Source::new(path.display().to_string(), text))
}

/// Checks a rule file by path, with the library around it.
///
/// # Errors
/// The file cannot be read.
pub fn check_file(path: &Path, given: &[(String, String)]) -> io::Result<Checked> {
    let library = Library::around(path);
    let source = read(path)?;
    Ok(check(&source, &|id| library.find(id), given))
}
