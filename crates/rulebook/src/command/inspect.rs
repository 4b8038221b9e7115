//! `inspect`: what a compiled file holds.
//!
//! Invariant: what is shown comes from the file alone, which has been loaded as any machine loads it.

use std::path::Path;

use clap::Args;
use rulebook::machine::file::Outline;
use rulebook::machine::lane::{Lane, Reach};
use rulebook::machine::program::Program;
use serde::Serialize;

use super::perft::align;
use super::{Answer, compiled_file};
use crate::failure::Failure;
use crate::json::Words;
use crate::out::{Out, table};

/// Arguments of `inspect`.
#[derive(Args)]
pub(super) struct Arguments {
    /// A compiled file.
    file: String,
    /// Show the whole program as text, which `compile` reads again.
    #[arg(long)]
    program: bool,
}

/// The JSON answer of `inspect`.
#[derive(Serialize)]
struct Report {
    /// The format of the file.
    format: u16,
    /// What a reader must be able to do, as bits.
    features: u32,
    /// The hash of the texts it was made from.
    sources: String,
    /// The checksum of the file.
    checksum: String,
    /// The id of the rule set.
    rules: String,
    /// Its players.
    players: Vec<String>,
    /// Its kinds.
    kinds: Vec<String>,
    /// The sections.
    sections: Vec<Section>,
    /// The clauses.
    clauses: Vec<Clause>,
    /// For each player how many ways of moving have which form.
    forms: Vec<Forms>,
}

/// A section of the file.
#[derive(Serialize)]
struct Section {
    /// Its name.
    name: &'static str,
    /// Its first byte.
    offset: usize,
    /// How many bytes it has.
    length: usize,
}

/// A clause.
#[derive(Serialize)]
struct Clause {
    /// Its id.
    id: String,
    /// Its title.
    title: Words,
    /// The rule file it stands in.
    origin: String,
}

/// The recognised forms of a player.
#[derive(Serialize)]
struct Forms {
    /// The player.
    player: String,
    /// Forms with their numbers.
    ways: Vec<(&'static str, usize)>,
    /// Whether attacks on a piece that must not be left attacked are looked for from its site outwards.
    derived: bool,
}

/// Runs `inspect`.
pub(super) fn run(arguments: &Arguments, out: &mut Out) -> Result<Answer, Failure> {
    let Some((outline, machine)) = compiled_file(&arguments.file)? else {
        return Err(Failure::new(format!("`{}` is not a compiled rule set", arguments.file))
            .help("`rulebook compile` makes one from a rule file"));
    };
    if arguments.program {
        let text = rulebook::compiler::text::print(machine.program());
        let text = text.map_err(|reason| Failure::new(format!("`{}`: {reason}", arguments.file)))?;
        if out.is_json() {
            out.document(&text);
        } else {
            out.line(text.trim_end());
        }
        return Ok(Answer::Good);
    }
    let report = report(&outline, machine.program());
    if out.is_json() {
        out.document(&report);
    } else {
        draw(&report, Path::new(&arguments.file), out);
    }
    Ok(Answer::Good)
}

fn report(outline: &Outline, program: &Program) -> Report {
    let words =
        |phrase: &rulebook::machine::program::Phrase| Words { en: phrase.en.clone(), zh: phrase.zh.clone() };
    let section = |section: &rulebook::machine::file::Section| Section {
        name: section.name,
        offset: section.offset,
        length: section.length,
    };
    let clause = |clause: &rulebook::machine::program::Clause| Clause {
        id: clause.id.clone(),
        title: words(&clause.title),
        origin: clause.origin.clone(),
    };
    let forms = |(lane, player): (&Lane, &String)| Forms {
        player: player.clone(),
        ways: ways(lane),
        derived: lane.royal.is_some(),
    };
    Report {
        format: outline.format,
        features: outline.features,
        sources: outline.sources.to_string(),
        checksum: format!("{:08x}", outline.checksum),
        rules: program.id.clone(),
        players: program.players.clone(),
        kinds: program.kinds.clone(),
        sections: outline.sections.iter().map(section).collect(),
        clauses: program.clauses.iter().map(clause).collect(),
        forms: program.lanes.iter().zip(&program.players).map(forms).collect(),
    }
}

/// How many ways of moving have which form.
fn ways(lane: &Lane) -> Vec<(&'static str, usize)> {
    let mut found: Vec<(&'static str, usize)> = Vec::new();
    for shape in &lane.shapes {
        let name = match shape.reach {
            Reach::Leap(_) => "leap",
            Reach::Lame(_) => "leap over sites that must be empty",
            Reach::Ray(_) => "ray",
            Reach::Screen(_) => "ray beyond one piece",
            Reach::Templates(_) => "ways with conditions on several sites",
            Reach::Walk => "walked",
        };
        match found.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => found.push((name, 1)),
        }
    }
    found
}

fn draw(report: &Report, path: &Path, out: &mut Out) {
    out.line(format!("{} holds the rule set {}", path.display(), report.rules));
    out.line(format!(
        "format {}, features {:#x}, checksum {}",
        report.format, report.features, report.checksum
    ));
    out.line(format!("sources {}", report.sources));
    out.line(format!("players: {}", report.players.join(", ")));
    if !report.kinds.is_empty() {
        out.line(format!("kinds: {}", report.kinds.join(", ")));
    }
    out.line("");
    let mut rows = table(&["section", "offset", "bytes"]);
    for section in &report.sections {
        rows.add_row([section.name.to_owned(), section.offset.to_string(), section.length.to_string()]);
    }
    align(&mut rows, 1);
    align(&mut rows, 2);
    out.table(&rows);
    for forms in &report.forms {
        let ways: Vec<String> = forms.ways.iter().map(|(name, count)| format!("{count} {name}")).collect();
        let ways = if ways.is_empty() { "no movements".to_owned() } else { ways.join(", ") };
        out.heading(format!("forms of {}: {ways}", forms.player));
    }
    out.line("");
    let mut rows = table(&["clause", "title", "from"]);
    for clause in &report.clauses {
        rows.add_row([clause.id.clone(), clause.title.en.clone(), clause.origin.clone()]);
    }
    out.table(&rows);
}
