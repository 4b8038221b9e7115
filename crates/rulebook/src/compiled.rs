//! Compiled rule sets: made from rule files, written, and opened again.
//!
//! Invariant: what is written has been loaded once before, so that every file that is written can be read. A
//! file is replaced as a whole or not at all.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::sync::Arc;

use rulebook_compiler::{Note, Passes, Plan};
use rulebook_machine::file::{self, LoadError, Outline, Sources};
use rulebook_machine::front::Machine;
use rulebook_machine::program::Program;
use rulebook_model::RuleSet;

use crate::OpenError;

/// A rule set with its program.
#[derive(Debug)]
pub struct Compiled {
    /// The rule set.
    pub rules: RuleSet,
    /// The program.
    pub program: Program,
    /// What became of its clauses.
    pub notes: Vec<Note>,
    /// The hash of the texts it was made from.
    pub sources: Sources,
}

impl Compiled {
    /// How each clause runs.
    pub fn plan(&self) -> Plan {
        rulebook_compiler::plan(&self.program, &self.notes)
    }

    /// The bytes of a compiled file, which have been loaded once.
    ///
    /// # Errors
    /// The file would be too large, or the machine does not load it.
    pub fn bytes(&self) -> Result<Vec<u8>, LoadError> {
        let bytes = file::encode(&self.program, &self.sources)?;
        file::load(&bytes)?;
        Ok(bytes)
    }
}

/// Compiles a rule file by path, or a built-in one by id.
///
/// # Errors
/// There is no such rule file, it cannot be read, it has errors, or the machine has no room for it.
pub fn compile(name: &str, given: &[(String, String)]) -> Result<Compiled, OpenError> {
    let texts: RefCell<BTreeMap<String, String>> = RefCell::default();
    let show = |id: &str, source: &Arc<rulebook_syntax::Source>| {
        texts.borrow_mut().insert(id.to_owned(), source.text.to_string());
    };
    let rulebook_model::Checked { rules, diagnostics } = crate::checked(name, given, &show)?;
    let rules = rules.ok_or_else(|| OpenError::Wrong { name: name.to_owned(), diagnostics })?;
    let (program, notes) = rulebook_compiler::compile(&rules, Passes::all())
        .map_err(|error| OpenError::Unsupported { name: name.to_owned(), reason: error.to_string() })?;
    let texts = texts.into_inner();
    let sources = rulebook_compiler::sources(
        texts.iter().map(|(id, text)| (id.as_str(), text.as_str())),
        given.iter().map(|(name, value)| (name.as_str(), value.as_str())),
    );
    Ok(Compiled { rules, program, notes, sources })
}

/// A program in its text form, checked, with the bytes of its compiled file.
///
/// # Errors
/// Where the text is none of a program, or what the verifier or the loader refuses.
pub fn from_text(text: &str) -> Result<(Program, Sources, Vec<u8>), TextError> {
    let program = rulebook_compiler::text::parse(text).map_err(TextError::Text)?;
    let sources = rulebook_compiler::sources([("", text)], []);
    let bytes = file::encode(&program, &sources).map_err(TextError::Load)?;
    file::load(&bytes).map_err(TextError::Load)?;
    Ok((program, sources, bytes))
}

/// Why a text makes no compiled file.
#[derive(Debug)]
pub enum TextError {
    /// It is none of a program.
    Text(rulebook_compiler::text::Misread),
    /// The program may not be run.
    Load(LoadError),
}

/// Writes a file as a whole or not at all.
///
/// # Errors
/// The file system's reason.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut draft = tempfile::Builder::new().prefix(".rulebook-").tempfile_in(folder)?;
    draft.write_all(bytes)?;
    draft.as_file().sync_all()?;
    readable(draft.as_file())?;
    draft.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Drafts are private; the file is for everybody, as any other that is written.
#[cfg(unix)]
fn readable(file: &std::fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable(_: &std::fs::File) -> io::Result<()> {
    Ok(())
}

/// The bytes of a file, if they begin as those of a compiled one.
///
/// # Errors
/// The file system's reason.
pub fn bytes(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    // One byte more than is read shows that there are too many.
    std::fs::File::open(path)?.take(file::MAX_FILE as u64 + 1).read_to_end(&mut bytes)?;
    Ok(file::is_compiled(&bytes).then_some(bytes))
}

/// Loads a compiled file, with what it says about itself.
///
/// # Errors
/// What is wrong with the file.
pub fn load(bytes: &[u8]) -> Result<(Outline, Machine), LoadError> {
    let (outline, program) = file::read(bytes)?;
    Ok((outline, Machine::new(program)?))
}
