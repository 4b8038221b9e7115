//! Diagnostics as people see them: the lines of the file, with labels under the exact characters.
//!
//! Invariant: a diagnostic is shown completely. The renderer draws labels of one text only, so labels in
//! other files follow as snippets of their own.

use std::io::{self, IsTerminal as _};
use std::path::Path;
use std::sync::Arc;

use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode, SourceSpan,
    ThemeCharacters, ThemeStyles,
};
use rulebook::syntax::{Diagnostic, Label, Severity, Source};

use crate::out::WIDTH;

/// A diagnostic, or the part of one that is about one text, as the renderer wants it.
#[derive(Debug)]
struct Report {
    code: Option<&'static str>,
    severity: miette::Severity,
    message: String,
    help: Option<String>,
    source: Option<NamedSource<String>>,
    labels: Vec<LabeledSpan>,
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Report {}

impl miette::Diagnostic for Report {
    fn code<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        self.code.map(|code| Box::new(code) as Box<dyn std::fmt::Display>)
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(self.severity)
    }

    fn help<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn std::fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|source| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        (!self.labels.is_empty())
            .then(|| Box::new(self.labels.iter().cloned()) as Box<dyn Iterator<Item = LabeledSpan>>)
    }
}

fn label(label: &Label, primary: bool) -> LabeledSpan {
    let length = label.span.end.saturating_sub(label.span.start);
    let span = SourceSpan::new(label.span.start.into(), length);
    let text = Some(label.text.clone()).filter(|text| !text.is_empty());
    if primary {
        LabeledSpan::new_primary_with_span(text, span)
    } else {
        LabeledSpan::new_with_span(text, span)
    }
}

/// The parts of a diagnostic, one for each text it is about.
fn reports(diagnostic: &Diagnostic) -> Vec<Report> {
    let severity = match diagnostic.severity {
        Severity::Error => miette::Severity::Error,
        Severity::Warning => miette::Severity::Warning,
    };
    let mut reports = vec![Report {
        // What is wrong with an argument or a record has no code.
        code: Some(diagnostic.code).filter(|code| !code.is_empty()),
        severity,
        message: diagnostic.message.clone(),
        help: diagnostic.help.clone(),
        source: None,
        labels: Vec::new(),
    }];
    let mut texts: Vec<&Arc<Source>> = Vec::new();
    for label in &diagnostic.labels {
        if !texts.contains(&&label.source) {
            texts.push(&label.source);
        }
    }
    for (number, text) in texts.into_iter().enumerate() {
        let here = diagnostic.labels.iter().enumerate().filter(|(_, label)| label.source == *text);
        let labels = here.map(|(at, found)| label(found, at == 0)).collect();
        let source = Some(NamedSource::new(name(text), drawn(text)));
        match reports.first_mut().filter(|_| number == 0) {
            Some(first) => {
                first.source = source;
                first.labels = labels;
            }
            None => reports.push(Report {
                code: None,
                severity: miette::Severity::Advice,
                message: format!("and in {}", name(text)),
                help: None,
                source,
                labels,
            }),
        }
    }
    reports
}

/// The text for the renderer, which knows no lines that end with a carriage return alone. Places stay.
fn drawn(source: &Source) -> String {
    let lines = source.lines().map(|(_, line)| match line.strip_suffix('\r') {
        Some(line) => format!("{line}\n"),
        None => line.to_owned(),
    });
    lines.collect()
}

/// The name of a text for people: below the current folder, as a path from there.
pub(crate) fn name(source: &Source) -> String {
    let folder = std::env::current_dir().ok();
    let path = Path::new(&source.name);
    let below = folder.as_ref().and_then(|folder| path.strip_prefix(folder).ok()).unwrap_or(path);
    below.display().to_string()
}

/// A diagnostic drawn in text.
pub(crate) fn diagnostic(diagnostic: &Diagnostic, colours: bool) -> String {
    let styles = if colours { ThemeStyles::ansi() } else { ThemeStyles::none() };
    let theme = GraphicalTheme { characters: ThemeCharacters::unicode(), styles };
    let handler = GraphicalReportHandler::new_themed(theme)
        .with_links(false)
        .with_width(usize::from(WIDTH))
        .with_context_lines(1);
    let mut text = String::new();
    for report in reports(diagnostic) {
        if handler.render_report(&mut text, &report).is_err() {
            // The renderer fails on places outside of a text; then the words must do.
            text.push_str(&format!("{report}\n"));
        }
    }
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n") + "\n"
}

/// Whether colours are welcome on the error stream.
pub(crate) fn colours_on_errors() -> bool {
    io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
