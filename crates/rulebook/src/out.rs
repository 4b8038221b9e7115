//! Standard output: lines for people or one JSON document, never a panic.
//!
//! Invariant: once the reader has closed the pipe nothing more is written, and that is no failure; any
//! other fault of the stream is kept and told at the end.

use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal as _, Stdout, Write as _};

use comfy_table::{ContentArrangement, Table, TableStyle};
use serde::Serialize;

/// Columns of text when the output is not a terminal.
pub(crate) const WIDTH: u16 = 110;

/// Where answers go.
pub(crate) struct Out {
    stream: BufWriter<Stdout>,
    fault: Option<io::Error>,
    json: bool,
}

impl Out {
    /// Standard output, for people or as JSON.
    pub(crate) fn new(json: bool) -> Self {
        Self { stream: BufWriter::new(io::stdout()), fault: None, json }
    }

    /// Whether the answer is one JSON document.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Whether colours are welcome.
    pub(crate) fn colours() -> bool {
        io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
    }

    fn keep(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            self.fault.get_or_insert(error);
        }
    }

    /// Writes a line.
    pub(crate) fn line(&mut self, text: impl Display) {
        if self.fault.is_none() {
            let result = writeln!(self.stream, "{text}");
            self.keep(result);
        }
    }

    /// Writes a heading, with a blank line before it.
    pub(crate) fn heading(&mut self, text: impl Display) {
        self.line("");
        self.line(text);
    }

    /// Writes a table, without the blanks at the ends of its lines.
    pub(crate) fn table(&mut self, table: &Table) {
        for line in table.lines() {
            self.line(line.trim_end());
        }
    }

    /// Writes the JSON document.
    pub(crate) fn document(&mut self, document: &impl Serialize) {
        if self.fault.is_none() {
            let result = serde_json::to_writer_pretty(&mut self.stream, document).map_err(io::Error::from);
            self.keep(result);
            self.line("");
        }
    }

    /// Sends what is still held back.
    ///
    /// # Errors
    /// The stream failed, other than by being closed by its reader.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        let flushed = if self.fault.is_none() { self.stream.flush() } else { Ok(()) };
        self.keep(flushed);
        // What a broken stream still holds must not be tried again when it is dropped.
        let (_, _) = self.stream.into_parts();
        match self.fault {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
            _ => Ok(()),
        }
    }
}

/// A table without heavy borders.
pub(crate) fn table(header: &[&str]) -> Table {
    let style = TableStyle::new().header_separator(comfy_table::LineStyle::new('─', '─', '─', '─'));
    let mut table = Table::new();
    table.load_style(style).set_content_arrangement(ContentArrangement::Dynamic);
    if !io::stdout().is_terminal() {
        table.set_width(WIDTH);
    }
    if !header.is_empty() {
        table.set_header(header.to_vec());
    }
    table
}
