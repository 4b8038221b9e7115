//! Tables of records from text: the entries, results and whatever else a rule set declares.
//!
//! A text is YAML (a mapping from the names of tables to lists of rows) or, by the end of its name,
//! values parted by commas or tabs. Invariant: the result has a row for each row of the text and a value
//! of the declared type for each field; whatever does not fit is an error at its place, and all errors of
//! a text are reported. Which tables there are is the rule set's affair.

use std::collections::HashMap;
use std::sync::Arc;

use rulebook_model::ruleset::{RuleSet, SECONDS, Table};
use rulebook_model::types::Type;
use rulebook_model::{Number, Sites, Value};
use rulebook_reference::State;
use rulebook_syntax::yaml::{self, Limits, Node};
use rulebook_syntax::{Diagnostic, Source, Span, codes};

mod rows;

/// The largest text that is read, in bytes.
pub const MAX_TEXT: usize = 16 << 20;
/// The most values, rows and names of a text.
pub const MAX_NODES: usize = 1_000_000;

/// A value as written.
#[derive(Clone, Debug)]
enum Raw {
    One(String),
    Many(Vec<(String, Span)>),
    Absent,
}

/// A row as written: its place, and its fields by name.
#[derive(Clone, Debug)]
struct RawRow {
    span: Span,
    fields: Vec<(String, Span, Raw, Span)>,
}

/// A table as written, with the place of its name.
#[derive(Clone, Debug)]
struct RawTable {
    name: String,
    span: Span,
    rows: Vec<RawRow>,
}

/// Reads tables into the first state of a rule set.
///
/// # Errors
/// Everything that does not fit the tables that the rule set declares.
pub fn read(rules: &RuleSet, source: &Arc<Source>) -> Result<State, Vec<Diagnostic>> {
    let whole = Span::new(0, 0);
    if rules.tables.is_empty() {
        let message = format!("the rule set `{}` declares no tables", rules.id);
        return Err(vec![Diagnostic::error(codes::FILE_SHAPE, source, whole, message)]);
    }
    if source.text.len() > MAX_TEXT {
        let message = format!("the text has {} bytes; at most {MAX_TEXT} are read", source.text.len());
        return Err(vec![Diagnostic::error(codes::LIMIT_EXCEEDED, source, whole, message)]);
    }
    let mut reader = Reader { rules, source, out: Vec::new() };
    let lower = source.name.to_lowercase();
    let raw = if lower.ends_with(".csv") || lower.ends_with(".tsv") {
        let first = rules.tables.first().map_or("", |table| &table.name);
        rows::read(source, first, &mut reader.out)
    } else {
        let limits = Limits { bytes: MAX_TEXT, nodes: MAX_NODES, ..Limits::default() };
        reader.yaml(&yaml::parse(source, &limits)?)
    };
    let tables = reader.tables(raw);
    if !reader.out.is_empty() {
        reader.out.sort_by_key(|fault| fault.labels.first().map(|label| label.span));
        return Err(reader.out);
    }
    let mut state = State::first(rules);
    state.tables = Arc::new(tables);
    Ok(state)
}

struct Reader<'a> {
    rules: &'a RuleSet,
    source: &'a Arc<Source>,
    out: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn fault(&mut self, code: &'static str, span: Span, message: impl Into<String>) {
        self.out.push(Diagnostic::error(code, self.source, span, message));
    }

    fn unknown(&mut self, span: Span, message: String, word: &str, known: &[&str]) {
        let fault = Diagnostic::error(codes::FILE_UNKNOWN_KEY, self.source, span, message);
        self.out.push(match crate::closest(word, known.iter().copied()) {
            Some(similar) => fault.help(format!("did you mean `{similar}`?")),
            None => fault.help(format!("there are {}", known.join(", "))),
        });
    }

    fn yaml(&mut self, node: &Node) -> Vec<RawTable> {
        let yaml::Value::Map(entries) = &node.value else {
            self.fault(
                codes::FILE_SHAPE,
                node.span,
                "tables are a mapping from their names to lists of rows",
            );
            return Vec::new();
        };
        let mut tables = Vec::new();
        for (key, node) in entries {
            let rows = match &node.value {
                yaml::Value::List(rows) => rows.as_slice(),
                yaml::Value::Null => &[],
                _ => {
                    self.fault(
                        codes::FILE_SHAPE,
                        node.span,
                        format!("`{}` must be a list of rows", key.text),
                    );
                    &[]
                }
            };
            let rows = rows.iter().filter_map(|row| self.yaml_row(row)).collect();
            tables.push(RawTable { name: key.text.clone(), span: key.span, rows });
        }
        tables
    }

    fn yaml_row(&mut self, node: &Node) -> Option<RawRow> {
        let yaml::Value::Map(entries) = &node.value else {
            self.fault(codes::FILE_SHAPE, node.span, "a row is a mapping from fields to values");
            return None;
        };
        let mut fields = Vec::new();
        for (key, node) in entries {
            let raw = match &node.value {
                yaml::Value::Null => Raw::Absent,
                yaml::Value::Scalar(scalar) => Raw::One(scalar.text.clone()),
                yaml::Value::List(items) => {
                    let texts = items.iter().filter_map(|item| match &item.value {
                        yaml::Value::Scalar(scalar) => Some((scalar.text.clone(), item.span)),
                        _ => None,
                    });
                    let texts: Vec<(String, Span)> = texts.collect();
                    if texts.len() != items.len() {
                        self.fault(codes::FILE_SHAPE, node.span, "a list here holds texts and numbers only");
                    }
                    Raw::Many(texts)
                }
                yaml::Value::Map(_) => {
                    self.fault(codes::FILE_SHAPE, node.span, "a value is a text, a number or a list of them");
                    Raw::Absent
                }
            };
            fields.push((key.text.clone(), key.span, raw, node.span));
        }
        Some(RawRow { span: node.span, fields })
    }

    /// The tables of the rule set, in its order.
    fn tables(&mut self, raw: Vec<RawTable>) -> Vec<Vec<Vec<Value>>> {
        let names: Vec<&str> = self.rules.tables.iter().map(|table| table.name.as_str()).collect();
        let mut found: Vec<Option<RawTable>> = vec![None; names.len()];
        for table in raw {
            let Some(at) = names.iter().position(|name| *name == table.name) else {
                let message = format!("the rule set has no table `{}`", table.name);
                self.unknown(table.span, message, &table.name, &names);
                continue;
            };
            match found.get_mut(at) {
                Some(Some(_)) => {
                    self.fault(codes::NAME_DUPLICATE, table.span, format!("`{}` is here twice", table.name));
                }
                Some(slot) => *slot = Some(table),
                None => {}
            }
        }
        let keys: Vec<HashMap<String, u32>> = found
            .iter()
            .zip(&self.rules.tables)
            .enumerate()
            .map(|(at, (raw, table))| self.keys(at, raw.as_ref(), table))
            .collect();
        let mut tables = Vec::new();
        for (raw, table) in found.into_iter().zip(&self.rules.tables) {
            let rows = raw.map_or_else(Vec::new, |raw| raw.rows);
            tables.push(rows.iter().map(|row| self.row(row, table, &keys)).collect());
        }
        tables
    }

    /// The rows of a table by the text of their first field. It must part them if rows are referred to.
    fn keys(&mut self, at: usize, raw: Option<&RawTable>, table: &Table) -> HashMap<String, u32> {
        let mut keys = HashMap::new();
        let wanted = Type::Row(at as u16);
        let refers = |ty: &Type| *ty == wanted || *ty == Type::List(Box::new(wanted.clone()));
        let needed = self.rules.tables.iter().flat_map(|table| &table.fields).any(|(_, ty)| refers(ty));
        let (Some(raw), Some((first, _)), true) = (raw, table.fields.first(), needed) else { return keys };
        for (number, row) in raw.rows.iter().enumerate() {
            for (name, _, value, span) in &row.fields {
                let Raw::One(text) = value else { continue };
                if name == first && keys.insert(text.trim().to_owned(), number as u32).is_some() {
                    let message = format!("two rows of `{}` are called `{}`", table.name, text.trim());
                    self.fault(codes::NAME_DUPLICATE, *span, message);
                }
            }
        }
        keys
    }

    fn row(&mut self, raw: &RawRow, table: &Table, keys: &[HashMap<String, u32>]) -> Vec<Value> {
        let names: Vec<&str> = table.fields.iter().map(|(name, _)| name.as_str()).collect();
        for (name, span, ..) in &raw.fields {
            if !names.contains(&name.as_str()) {
                let message = format!("`{}` has no field `{name}`", table.name);
                self.unknown(*span, message, name, &names);
            }
        }
        let mut values = Vec::new();
        for (name, ty) in &table.fields {
            let field = raw.fields.iter().find(|(known, ..)| known == name);
            let (value, span) = field.map_or((&Raw::Absent, raw.span), |(_, _, value, span)| (value, *span));
            values.push(match (value, ty) {
                (Raw::Absent, Type::Player | Type::Kind | Type::Site | Type::Row(_)) => Value::Nothing,
                (Raw::Absent, Type::Sites) => Value::sites(Sites::EMPTY),
                (Raw::Absent, Type::List(_)) => Value::List(Vec::new()),
                (Raw::Absent, _) => {
                    let message = format!("this row of `{}` lacks `{name}`", table.name);
                    self.fault(codes::FILE_MISSING_KEY, span, message);
                    Value::Nothing
                }
                (value, ty) => self.value(value, ty, span, keys),
            });
        }
        values
    }

    fn value(&mut self, raw: &Raw, ty: &Type, span: Span, keys: &[HashMap<String, u32>]) -> Value {
        let many = match raw {
            Raw::One(text) => match ty {
                Type::List(_) | Type::Sites => vec![(text.clone(), span)],
                ty => return self.single(text.trim(), ty, span, keys),
            },
            Raw::Many(many) => many.clone(),
            Raw::Absent => Vec::new(),
        };
        match ty {
            Type::List(member) => {
                let values = many.iter().map(|(text, span)| self.single(text.trim(), member, *span, keys));
                Value::List(values.collect())
            }
            Type::Sites => {
                let values = many.iter().map(|(text, span)| self.single(text, &Type::Site, *span, keys));
                let sites = values.filter_map(|value| match value {
                    Value::Site(site) => Some(site),
                    _ => None,
                });
                Value::sites(sites.collect())
            }
            _ => {
                self.fault(codes::FILE_SHAPE, span, "one value is wanted here, not a list");
                Value::Nothing
            }
        }
    }

    fn single(&mut self, text: &str, ty: &Type, span: Span, keys: &[HashMap<String, u32>]) -> Value {
        let rules = self.rules;
        let optional = matches!(ty, Type::Player | Type::Kind | Type::Site | Type::Row(_));
        // A number may be missing too, such as the score of nobody, but only if that is said.
        let missing = matches!(ty, Type::Number(_)) && text == "none";
        if missing || optional && matches!(text, "" | "-" | "none" | "~" | "null") {
            return Value::Nothing;
        }
        let (value, wanted) = match ty {
            Type::Truth => (text.parse().ok().map(Value::Truth), "`true` or `false`".to_owned()),
            Type::Number(unit) => {
                (number(text, *unit == SECONDS).map(Value::Number), "a number such as 3, 0.5 or 1/2".into())
            }
            Type::Text | Type::Unknown => (Some(Value::Text(text.to_owned())), String::new()),
            Type::Player => (rules.player(text).map(Value::Player), rules.players.join(" or ")),
            Type::Kind => {
                let at = rules.kinds.iter().position(|kind| kind == text);
                (at.map(|at| Value::Kind(at as u8)), rules.kinds.join(" or "))
            }
            Type::Site => (rules.board.site(text).map(Value::Site), "a site".into()),
            Type::Row(table) => {
                let at = usize::from(*table);
                let found = keys.get(at).and_then(|keys| keys.get(text));
                let name = rules.tables.get(at).map_or("", |table| &table.name);
                (found.map(|row| Value::Row(*table, *row)), format!("the name of a row of `{name}`"))
            }
            Type::Nothing | Type::Outcome | Type::Phase | Type::Sites | Type::List(_) => {
                (None, "what no text can say".into())
            }
        };
        if let Some(value) = value {
            return value;
        }
        let code = if matches!(ty, Type::Row(_)) { codes::NAME_UNKNOWN } else { codes::TYPE_MISMATCH };
        let mut fault = Diagnostic::error(code, self.source, span, format!("`{text}` is not {wanted}"));
        if let Type::Row(table) = ty {
            let mut known: Vec<&str> = keys
                .get(usize::from(*table))
                .map_or_else(Vec::new, |keys| keys.keys().map(String::as_str).collect());
            known.sort_unstable();
            if let Some(similar) = crate::closest(text, known) {
                fault = fault.help(format!("did you mean `{similar}`?"));
            }
        }
        self.out.push(fault);
        Value::Nothing
    }
}

/// Reads a number; halves may be written as one character, durations as `1:30:00`.
fn number(text: &str, seconds: bool) -> Option<Number> {
    if let Some(whole) = text.strip_suffix('½') {
        let half = Number::fraction(1, 2)?;
        let minus = whole.starts_with('-');
        let whole =
            if whole.trim_start_matches('-').is_empty() { Some(Number::ZERO) } else { Number::parse(whole) }?;
        return if minus { whole.minus(half) } else { whole.plus(half) };
    }
    if seconds && text.contains(':') {
        let sixty = Number::whole(60);
        return text
            .split(':')
            .try_fold(Number::ZERO, |sum, part| sum.times(sixty)?.plus(Number::parse(part)?));
    }
    Number::parse(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_people_write_them() {
        let shown = |text, seconds| number(text, seconds).map(|number| number.to_string());
        assert_eq!(shown("½", false).as_deref(), Some("0.5"));
        assert_eq!(shown("2½", false).as_deref(), Some("2.5"));
        assert_eq!(shown("1/2", false).as_deref(), Some("0.5"));
        assert_eq!(shown("1:30:00", true).as_deref(), Some("5400"));
        assert_eq!(shown("1:30:00", false), None);
    }
}
