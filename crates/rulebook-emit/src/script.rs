//! The entry point for build scripts: from a rule file to a module in the output folder.
//!
//! Invariant: a file is written as a whole or not at all, and only when its text has changed. Cargo is told every
//! rule file that was read, so that the script runs again when one of them changes.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{env, fs};

use rulebook_compiler::{Passes, compile, sources};
use rulebook_model::library::{self, Library};
use rulebook_syntax::Source;

use crate::{emit, file_name};

/// Why there is no module.
#[derive(Debug)]
pub enum BuildError {
    /// A file cannot be read or written.
    File(PathBuf, io::Error),
    /// The rule file has errors: the first one, with the place where it is.
    Wrong(String),
    /// The machine has no room for the rule set, or does not load it.
    Unsupported(String),
}

impl std::fmt::Display for BuildError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File(path, error) => write!(f, "`{}`: {error}", path.display()),
            Self::Wrong(what) | Self::Unsupported(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for BuildError {}

/// Writes the module of a rule file into a folder, `OUT_DIR` in a build script, and tells Cargo which files it was
/// made from. The path of the module comes back; its name is [`file_name`] of the rule set.
///
/// # Errors
/// A file cannot be read or written, the rule file has errors, or the machine cannot run it.
///
/// ```no_run
/// // build.rs
/// fn main() -> Result<(), Box<dyn std::error::Error>> {
///     rulebook_emit::build("rules/mine.yaml", std::env::var("OUT_DIR")?)?;
///     Ok(())
/// }
/// ```
pub fn build(rules: impl AsRef<Path>, out: impl AsRef<Path>) -> Result<PathBuf, BuildError> {
    build_with(rules, &[], out)
}

/// The same with other values for parameters of the rule set.
///
/// # Errors
/// Those of [`build`].
pub fn build_with(
    rules: impl AsRef<Path>,
    given: &[(String, String)],
    out: impl AsRef<Path>,
) -> Result<PathBuf, BuildError> {
    let (rules, out) = (rules.as_ref(), out.as_ref());
    let library = Library::around(rules);
    let source = library::read(rules).map_err(|error| BuildError::File(rules.to_owned(), error))?;
    let texts: RefCell<BTreeMap<String, Arc<Source>>> = RefCell::default();
    texts.borrow_mut().insert(String::new(), Arc::clone(&source));
    let find = |id: &str| {
        library.find(id).inspect(|source| {
            texts.borrow_mut().insert(id.to_owned(), Arc::clone(source));
        })
    };
    let checked = rulebook_model::check(&source, &find, given);
    let texts = texts.into_inner();
    tell(texts.values()).map_err(|error| BuildError::File(PathBuf::from("the standard output"), error))?;
    let Some(rules) = checked.rules else {
        let errors = checked.diagnostics.iter();
        let first =
            errors.filter(|found| found.severity == rulebook_syntax::Severity::Error).find_map(|found| {
                let place = found.labels.first()?;
                let (line, column) = place.source.line_column(place.span.start);
                Some(format!("{}:{line}:{column}: {}", place.source.name, found.message))
            });
        let what = first.unwrap_or_else(|| format!("`{}` has errors", rules.display()));
        return Err(BuildError::Wrong(what));
    };
    let unsupported = |what: String| BuildError::Unsupported(format!("`{}`: {what}", rules.id));
    let (program, _) = compile(&rules, Passes::all()).map_err(|error| unsupported(error.to_string()))?;
    let hash = sources(
        texts.iter().map(|(id, source)| (id.as_str(), source.text.as_str())),
        given.iter().map(|(name, value)| (name.as_str(), value.as_str())),
    );
    let emitted = emit(&program, &hash).map_err(|error| unsupported(error.to_string()))?;
    let path = out.join(file_name(&program));
    write(&path, &emitted.text).map_err(|error| BuildError::File(path.clone(), error))?;
    Ok(path)
}

/// Tells Cargo which files were read; the built-in ones are no files, and change with this crate only.
fn tell<'s>(texts: impl Iterator<Item = &'s Arc<Source>>) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    let folder = env::current_dir()?;
    for source in texts.filter(|source| folder.join(&source.name).is_file()) {
        writeln!(stdout, "cargo::rerun-if-changed={}", source.name)?;
    }
    stdout.flush()
}

/// Writes a text beside its place and moves it there, unless it is there already.
fn write(path: &Path, text: &str) -> io::Result<()> {
    if fs::read_to_string(path).is_ok_and(|known| known == text) {
        return Ok(());
    }
    let draft = path.with_extension(format!("rs.{}", std::process::id()));
    fs::write(&draft, text)?;
    fs::rename(&draft, path).inspect_err(|_| {
        // The draft is of no use; that it cannot be removed is no further fault.
        let _ = fs::remove_file(&draft);
    })
}
