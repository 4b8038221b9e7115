//! Rows, and what is made of them: lines, JSON and the page that is kept.
//!
//! Invariant: a line of a measured row ends in `ratio R bar B`, more being better; a row that was not measured holds
//! no number and says why.

use std::fmt;

use serde_json::{Value, json};

/// What one side did.
#[derive(Clone, Debug)]
pub(crate) struct Side {
    /// The figure in its unit.
    pub(crate) figure: f64,
    /// The distance from the lowest to the highest sample, as a part of the median.
    pub(crate) spread: f64,
}

/// What came of a row.
#[derive(Clone, Debug)]
pub(crate) enum Found {
    /// A ratio, more being better.
    Ratio {
        /// What was counted, or nothing.
        count: Option<u64>,
        /// Our side.
        ours: Side,
        /// The other side, or the limit.
        other: Side,
        /// The ratio.
        ratio: f64,
    },
    /// The sides count differently: a failure.
    Differ {
        /// Our count.
        ours: u64,
        /// The count of the other side.
        other: u64,
    },
    /// No number, for a reason.
    NotMeasured(String),
}

/// A row of the table.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// What is measured.
    pub(crate) name: String,
    /// Against what.
    pub(crate) against: String,
    /// The unit of both figures.
    pub(crate) unit: &'static str,
    /// The least ratio; none where none is set.
    pub(crate) bar: Option<f64>,
    /// What came of it.
    pub(crate) found: Found,
}

impl Row {
    /// Whether the sides count differently.
    pub(crate) fn differs(&self) -> bool {
        matches!(self.found, Found::Differ { .. })
    }

    /// Whether the row was measured and is below its bar.
    pub(crate) fn is_below(&self) -> bool {
        matches!((&self.found, self.bar), (Found::Ratio { ratio, .. }, Some(bar)) if *ratio < bar)
    }

    /// The row as JSON.
    pub(crate) fn json(&self) -> Value {
        let side = |side: &Side| json!({ "figure": side.figure, "spread": side.spread });
        let mut row =
            json!({ "row": self.name, "against": self.against, "unit": self.unit, "bar": self.bar });
        let found = match &self.found {
            Found::Ratio { count, ours, other, ratio } => {
                json!({ "count": count, "ours": side(ours), "other": side(other), "ratio": ratio })
            }
            Found::Differ { ours, other } => json!({ "counts_differ": { "ours": ours, "other": other } }),
            Found::NotMeasured(reason) => json!({ "not_measured": reason }),
        };
        if let (Value::Object(row), Value::Object(found)) = (&mut row, found) {
            row.extend(found);
        }
        row
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<38} {:<16}", self.name, self.against)?;
        let bar = self.bar.map_or_else(|| "none".to_owned(), |bar| format!("{bar:.1}"));
        match &self.found {
            Found::Ratio { count, ours, other, ratio } => {
                let count = count.map_or_else(String::new, |count| count.to_string());
                let side = |side: &Side| format!("{:>8.3} ±{:>4.1}%", side.figure, side.spread * 50.0);
                let (ours, other) = (side(ours), side(other));
                write!(f, "{count:>10} {ours} : {other} {:<4} ", self.unit)?;
                // Two figures that count, however small it is.
                let digits = if *ratio < 0.1 { 4 } else { 2 };
                let below = if self.is_below() { "below" } else { "" };
                write!(f, "{below:<5} ratio {ratio:.digits$} bar {bar}")
            }
            Found::Differ { ours, other } => {
                write!(f, "FAILED: we count {ours}, the peer {other}; bar {bar}")
            }
            Found::NotMeasured(reason) => write!(f, "not measured: {reason}"),
        }
    }
}

/// What the numbers were measured on, and with.
pub(crate) struct Circumstances {
    /// Name and value, in order.
    pub(crate) facts: Vec<(&'static str, String)>,
}

/// The page that is kept.
pub(crate) fn page(circumstances: &Circumstances, rows: &[Row]) -> String {
    let mut page = String::from(
        "# Benchmarks\n\n\
         Written by `cargo xtask bench --save`; not edited by hand.\n\n\
         Every line compares two sides that were measured in turn in one run, on one thread each, in time of that thread on the processor.\n\
         The figures are medians, `±` is half of the distance from the lowest to the highest sample, and a ratio is ours over the other side's, more being better.\n\
         For times and sizes the other side is the limit, and the ratio is the limit over what we measured.\n\
         `bulk` counts the last plies without making them, `leaves made` makes every position that it counts; M/s is a million sequences in a second.\n\
         A row in which the sides count differently is a failure.\n\n",
    );
    page.push_str("| what | value |\n|---|---|\n");
    for (name, value) in &circumstances.facts {
        page.push_str(&format!("| {name} | {value} |\n"));
    }
    page.push_str("\n```text\n");
    for row in rows {
        page.push_str(row.to_string().trim_end());
        page.push('\n');
    }
    page.push_str("```\n");
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(found: Found) -> Row {
        Row { name: "x".into(), against: "y".into(), unit: "M/s", bar: Some(1.2), found }
    }

    #[test]
    fn a_line_ends_in_the_ratio() {
        let side = Side { figure: 3.0, spread: 0.01 };
        let found = Found::Ratio { count: Some(20), ours: side.clone(), other: side, ratio: 1.0 };
        assert!(row(found).to_string().ends_with("below ratio 1.00 bar 1.2"));
    }

    #[test]
    fn other_counts_are_a_failure() {
        assert!(row(Found::Differ { ours: 20, other: 21 }).differs());
    }
}
