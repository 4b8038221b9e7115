//! The compiled file: a program as bytes, and the way back, which trusts nothing.
//!
//! Invariant: nothing of a file is used before its size, format, checksum and table of sections are known to
//! be right, no claimed length allocates more than the bytes behind it could fill, and what comes out has
//! passed the verifier. Nothing is executed while loading. The same program gives the same bytes.
//!
//! The layout, byte by byte, is described in `docs/compiled-file.md`.

use serde::{Deserialize, Serialize};

use crate::front::Machine;
use crate::program::{Clause, Code, Form, Phrase, Program};
use crate::verify::{Refusal, Verified, verify};

/// What every compiled file begins with.
pub const MAGIC: [u8; 8] = *b"RULEBOOK";
/// The format that is written and read here.
pub const FORMAT: u16 = 1;
/// Largest file that is read, in bytes.
pub const MAX_FILE: usize = 4 * 1024 * 1024;
/// Bytes before the table of sections.
pub const HEADER: usize = 48;
/// Bytes of an entry of the table of sections.
pub const ENTRY: usize = 12;
/// Bytes of the checksum at the end.
pub const CHECKSUM: usize = 4;

/// What a reader must be able to do to make use of a file, as bits.
pub mod features {
    /// Positions on a board.
    pub const BOARD: u32 = 1;
    /// Plies.
    pub const PLIES: u32 = 1 << 1;
    /// Events that are not plies.
    pub const EVENTS: u32 = 1 << 2;
    /// Tables of records: rankings and lists.
    pub const TABLES: u32 = 1 << 3;
    /// All that this machine can do.
    pub const KNOWN: u32 = BOARD | PLIES | EVENTS | TABLES;
}

/// The SHA-256 of the texts that a program was compiled from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sources(pub [u8; 32]);

impl std::fmt::Display for Sources {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A section of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// Its number.
    pub id: u32,
    /// What it holds.
    pub name: &'static str,
    /// Its first byte.
    pub offset: usize,
    /// How many bytes it has.
    pub length: usize,
}

impl Section {
    fn of(self, bytes: &[u8]) -> &[u8] {
        bytes.get(self.offset..self.offset.saturating_add(self.length)).unwrap_or(&[])
    }
}

/// What a file says about itself before the program begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// The format.
    pub format: u16,
    /// What a reader must be able to do, as bits.
    pub features: u32,
    /// What the program was compiled from.
    pub sources: Sources,
    /// The sections, in order.
    pub sections: Vec<Section>,
    /// The checksum.
    pub checksum: u32,
}

/// Why a file is not loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadError {
    /// It has more bytes than are read.
    TooLarge(usize),
    /// It does not begin as a compiled file does.
    Foreign,
    /// It is of another format.
    Format(u16),
    /// Its checksum is not that of its bytes, or it ends too early.
    Damaged,
    /// It needs what this machine cannot do: the unknown bits.
    Features(u32),
    /// The header or the table of sections is wrong.
    Table(&'static str),
    /// A section is wrong.
    Section {
        /// Which.
        name: &'static str,
        /// What is wrong with it.
        what: &'static str,
    },
    /// The verifier refuses the program.
    Refused(Refusal),
}

impl std::fmt::Display for LoadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TooLarge(bytes) => write!(f, "this file has {bytes} bytes; at most {MAX_FILE} are read"),
            Self::Foreign => f.write_str("this is not a compiled rule set"),
            Self::Format(format) => {
                write!(f, "this file is of format {format}; this machine reads {FORMAT}")
            }
            Self::Damaged => f.write_str("this file is damaged: its checksum is not that of its bytes"),
            Self::Features(bits) => {
                f.write_str("this file needs features that this machine does not have, by number:")?;
                (0..32).filter(|bit| bits >> bit & 1 == 1).try_for_each(|bit| write!(f, " {bit}"))
            }
            Self::Table(what) => write!(f, "this file has a wrong table of sections: {what}"),
            Self::Section { name, what } => write!(f, "this file has a wrong section `{name}`: {what}"),
            Self::Refused(refusal) => write!(f, "this file holds a program that may not run: {refusal}"),
        }
    }
}

impl std::error::Error for LoadError {}

impl From<Refusal> for LoadError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// What people read of a clause.
#[derive(Serialize, Deserialize)]
struct Sentence {
    id: String,
    title: Phrase,
    says: Phrase,
    cites: Vec<String>,
    origin: String,
}

/// What a machine reads of a clause.
#[derive(Serialize, Deserialize)]
struct Rule {
    when: Option<Code>,
    unless: Option<Code>,
    yields: Vec<u16>,
    captures: bool,
    reads: Vec<u16>,
    form: Form,
}

/// The sections, each with the parts of a program that it holds, in the order of the file.
macro_rules! sections {
    ($($name:literal: $($field:ident)+;)*) => {
        /// The names of the sections in the order of the file; a section's number is its place, from one.
        pub const SECTIONS: &[&str] = &["sentences", "clauses", $($name),*];

        fn parts(program: &Program) -> postcard::Result<Vec<Vec<u8>>> {
            // Whoever adds a part to the program must say here in which section it goes.
            let Program { clauses, $($($field,)+)* } = program;
            let (sentences, rules) = taken_apart(clauses);
            Ok(vec![
                postcard::to_stdvec(&sentences)?,
                postcard::to_stdvec(&rules)?,
                $(postcard::to_stdvec(&($($field,)+))?,)*
            ])
        }

        fn joined(bytes: &[u8], sections: &[Section]) -> Result<Program, LoadError> {
            let mut rest = sections.iter();
            let sentences = next(bytes, &mut rest)?;
            let rules = next(bytes, &mut rest)?;
            $(let ($($field,)+) = next(bytes, &mut rest)?;)*
            Ok(Program { clauses: put_together(sentences, rules)?, $($($field,)+)* })
        }
    };
}

sections! {
    "names": id title players begins kinds acts events bindings tables;
    "board": board setup;
    "variables": vars identity fleeting;
    "constants": texts consts;
    "terms": nodes lists bodies answers remarks;
    "patterns": items branches paths;
    "effects": effects choices;
    "lanes": lanes;
    "lookups": lookups;
    "surround": surround;
}

fn taken_apart(clauses: &[Clause]) -> (Vec<Sentence>, Vec<Rule>) {
    let part = |clause: &Clause| {
        let Clause { id, title, says, cites, origin, when, unless, yields, captures, reads, form } =
            clause.clone();
        (Sentence { id, title, says, cites, origin }, Rule { when, unless, yields, captures, reads, form })
    };
    clauses.iter().map(part).unzip()
}

fn put_together(sentences: Vec<Sentence>, rules: Vec<Rule>) -> Result<Vec<Clause>, LoadError> {
    if sentences.len() != rules.len() {
        let what = "there is not one for each sentence";
        return Err(LoadError::Section { name: "clauses", what });
    }
    let whole = |(sentence, rule)| {
        let Sentence { id, title, says, cites, origin } = sentence;
        let Rule { when, unless, yields, captures, reads, form } = rule;
        Clause { id, title, says, cites, origin, when, unless, yields, captures, reads, form }
    };
    Ok(sentences.into_iter().zip(rules).map(whole).collect())
}

/// The next section, decoded to its last byte.
fn next<'b, T: Deserialize<'b>>(
    bytes: &'b [u8],
    sections: &mut std::slice::Iter<'_, Section>,
) -> Result<T, LoadError> {
    let section = *sections.next().ok_or(LoadError::Table("a section is missing"))?;
    let wrong = |what| LoadError::Section { name: section.name, what };
    // A vector takes no more room in advance than there are bytes left: the decoder sees to that.
    match postcard::take_from_bytes(section.of(bytes)) {
        Ok((value, [])) => Ok(value),
        Ok(_) => Err(wrong("it is longer than what it holds")),
        Err(_) => Err(wrong("it cannot be decoded")),
    }
}

/// What a reader must be able to do for a program.
fn needed(program: &Program) -> u32 {
    let has = |fits: fn(&Form) -> bool| program.clauses.iter().any(|clause| fits(&clause.form));
    [
        (features::BOARD, !program.board.is_empty()),
        (features::PLIES, has(|form| matches!(form, Form::Move { .. } | Form::Act { .. }))),
        (features::EVENTS, has(|form| matches!(form, Form::Event { .. }))),
        (features::TABLES, !program.tables.is_empty()),
    ]
    .iter()
    .fold(0, |bits, (bit, used)| if *used { bits | bit } else { bits })
}

/// The checksum of bytes.
pub fn checksum(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}

/// A program as the bytes of a file.
///
/// # Errors
/// The file would be larger than what is read; the error says how large.
pub fn encode(program: &Program, sources: &Sources) -> Result<Vec<u8>, LoadError> {
    let parts = parts(program).map_err(|_| LoadError::Table("the program cannot be written"))?;
    let mut offset = HEADER + parts.len() * ENTRY;
    let size = parts.iter().map(Vec::len).sum::<usize>() + offset + CHECKSUM;
    if size > MAX_FILE {
        return Err(LoadError::TooLarge(size));
    }
    let mut bytes = Vec::with_capacity(size);
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&FORMAT.to_le_bytes());
    bytes.extend_from_slice(&(parts.len() as u16).to_le_bytes());
    bytes.extend_from_slice(&needed(program).to_le_bytes());
    bytes.extend_from_slice(&sources.0);
    for (part, id) in parts.iter().zip(1_u32..) {
        for number in [id, offset as u32, part.len() as u32] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        offset += part.len();
    }
    parts.iter().for_each(|part| bytes.extend_from_slice(part));
    bytes.extend_from_slice(&checksum(&bytes).to_le_bytes());
    Ok(bytes)
}

/// The bytes at a place.
fn fixed<const N: usize>(bytes: &[u8], at: usize) -> Result<[u8; N], LoadError> {
    let slice = bytes.get(at..at.saturating_add(N)).ok_or(LoadError::Damaged)?;
    slice.try_into().map_err(|_| LoadError::Damaged)
}

fn number(bytes: &[u8], at: usize) -> Result<u32, LoadError> {
    Ok(u32::from_le_bytes(fixed(bytes, at)?))
}

/// Whether bytes begin as a compiled file of any format does.
pub fn is_compiled(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// What a file says about itself; the sections are not yet looked into.
///
/// # Errors
/// The file is too large, no compiled file, of another format, damaged, or wrong in its table of sections.
pub fn outline(bytes: &[u8]) -> Result<Outline, LoadError> {
    if bytes.len() > MAX_FILE {
        return Err(LoadError::TooLarge(bytes.len()));
    }
    if !is_compiled(bytes) {
        return Err(LoadError::Foreign);
    }
    let format = u16::from_le_bytes(fixed(bytes, 8)?);
    if format != FORMAT {
        return Err(LoadError::Format(format));
    }
    let (body, sum) = bytes.split_last_chunk::<CHECKSUM>().ok_or(LoadError::Damaged)?;
    let checksum = u32::from_le_bytes(*sum);
    if body.len() < HEADER || self::checksum(body) != checksum {
        return Err(LoadError::Damaged);
    }
    let features = number(body, 12)?;
    if features & !features::KNOWN != 0 {
        return Err(LoadError::Features(features & !features::KNOWN));
    }
    let sources = Sources(fixed(body, 16)?);
    let count = usize::from(u16::from_le_bytes(fixed(body, 10)?));
    if count != SECTIONS.len() {
        return Err(LoadError::Table("the number of sections is wrong"));
    }
    let mut sections = Vec::with_capacity(count);
    let mut end = HEADER + count * ENTRY;
    for (at, (name, wanted)) in SECTIONS.iter().zip(1_u32..).enumerate() {
        let entry = HEADER + at * ENTRY;
        let id = number(body, entry)?;
        let (offset, length) = (number(body, entry + 4)? as usize, number(body, entry + 8)? as usize);
        if id != wanted {
            return Err(LoadError::Table("the sections are not those of this format, in their order"));
        }
        if offset != end {
            return Err(LoadError::Table("there is a gap or an overlap between sections"));
        }
        end = end.saturating_add(length);
        if end > body.len() {
            return Err(LoadError::Table("a section goes beyond the end of the file"));
        }
        sections.push(Section { id, name, offset, length });
    }
    if end != body.len() {
        return Err(LoadError::Table("there is something after the last section"));
    }
    Ok(Outline { format, features, sources, sections, checksum })
}

/// The program of a file, verified, and what the file says about itself.
///
/// # Errors
/// What is wrong with the file, or why the verifier refuses its program.
pub fn read(bytes: &[u8]) -> Result<(Outline, Verified), LoadError> {
    let outline = outline(bytes)?;
    let program = joined(bytes, &outline.sections)?;
    if needed(&program) != outline.features {
        return Err(LoadError::Table("the features are not those that the program needs"));
    }
    Ok((outline, verify(program)?))
}

/// A machine from the bytes of a file.
///
/// # Errors
/// What is wrong with the file, or why the verifier refuses its program.
pub fn load(bytes: &[u8]) -> Result<Machine, LoadError> {
    Ok(Machine::new(read(bytes)?.1)?)
}
