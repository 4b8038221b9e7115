//! YAML for the checks: a tree whose every node knows its line, and the same data as JSON.
//!
//! This reader is deliberately not that of the product: a schema describes plain YAML, and a check that shares
//! the code under test would share its faults.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use serde_yaml::Spanned;

/// A value of YAML.
pub(super) enum Node {
    /// Anything that is not a collection.
    Scalar(Value),
    /// A sequence.
    List(Vec<Spanned<Node>>),
    /// A mapping, in the order of the text.
    Map(Vec<(Spanned<String>, Spanned<Node>)>),
}

/// Reads one document; only `true` and `false` are booleans, so that `on` and `no` stay words.
pub(super) fn parse(text: &str) -> Result<Spanned<Node>, serde_yaml::Error> {
    serde_yaml::from_str_with_options(
        text,
        serde_yaml::options! { strict_booleans: true, with_snippet: false },
    )
}

impl Node {
    /// The entries of a mapping; none for anything else.
    pub(super) fn entries(&self) -> &[(Spanned<String>, Spanned<Node>)] {
        if let Self::Map(entries) = self { entries } else { &[] }
    }

    /// The value of a key of a mapping.
    pub(super) fn get(&self, key: &str) -> Option<&Spanned<Node>> {
        self.entries().iter().find(|(name, _)| name.value == key).map(|(_, node)| node)
    }

    /// The same data as JSON.
    pub(super) fn to_json(&self) -> Value {
        match self {
            Self::Scalar(value) => value.clone(),
            Self::List(items) => items.iter().map(|item| item.value.to_json()).collect(),
            Self::Map(entries) => {
                let entries = entries.iter().map(|(key, node)| (key.value.clone(), node.value.to_json()));
                Value::Object(entries.collect::<Map<_, _>>())
            }
        }
    }

    /// Every string in this value, at any depth, with its line.
    pub(super) fn strings<'a>(node: &'a Spanned<Self>, out: &mut Vec<(usize, &'a str)>) {
        match &node.value {
            Self::Scalar(Value::String(text)) => out.push((line(node), text)),
            Self::Scalar(_) => {}
            Self::List(items) => items.iter().for_each(|item| Self::strings(item, out)),
            Self::Map(entries) => entries.iter().for_each(|(_, item)| Self::strings(item, out)),
        }
    }

    /// The line of the value at a JSON pointer, or of the nearest value around it that is there.
    pub(super) fn line_at(&self, pointer: &str) -> usize {
        let mut here = self;
        let mut found = 1;
        for step in pointer.split('/').skip(1) {
            let step = step.replace("~1", "/").replace("~0", "~");
            let next = match here {
                Self::Scalar(_) => None,
                Self::List(items) => {
                    step.parse().ok().and_then(|at: usize| items.get(at)).map(|item| (line(item), item))
                }
                Self::Map(entries) => {
                    entries.iter().find(|(key, _)| key.value == step).map(|(key, item)| (line(key), item))
                }
            };
            let Some((number, item)) = next else { break };
            found = number;
            here = &item.value;
        }
        found
    }
}

/// The line that a value starts on, counted from one.
pub(super) fn line<T>(value: &Spanned<T>) -> usize {
    usize::try_from(value.referenced.line()).unwrap_or(1).max(1)
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyNode)
    }
}

struct AnyNode;

impl<'de> Visitor<'de> for AnyNode {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of YAML")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Scalar(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Scalar(Value::Bool(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Scalar(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Scalar(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        // JSON has no word for infinity; the text of the number lets the schema refuse it.
        let number = Number::from_f64(value);
        Ok(Node::Scalar(number.map_or_else(|| Value::String(value.to_string()), Value::Number)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Scalar(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Node::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Node, A::Error> {
        let mut map = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            map.push(entry);
        }
        Ok(Node::Map(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const TEXT: &str =
        "id: on\n\"3.1\":\n  cites: [S0-001,\n    S0-002]\n  size: 0x10\n  half: .5\n1: no\n~: ~\n";

    #[test]
    fn scalars_are_read_strictly() {
        let expected = json!({
            "id": "on",
            "3.1": { "cites": ["S0-001", "S0-002"], "size": 16, "half": 0.5 },
            "1": "no",
            "~": null,
        });
        assert_eq!(parse(&TEXT.replace("~:", "\"~\":")).unwrap().value.to_json(), expected);
    }

    #[test]
    fn pointers_lead_to_lines() {
        let root = parse(&TEXT.replace("~:", "\"a/b\":")).unwrap();
        let lines = ["", "/id", "/3.1", "/3.1/cites/0", "/3.1/cites/1", "/3.1/size/none", "/1", "/a~1b"];
        assert_eq!(lines.map(|pointer| root.value.line_at(pointer)), [1, 1, 2, 3, 4, 5, 7, 8]);
    }

    #[test]
    fn a_key_stands_once() {
        assert!(parse("a: 1\na: 2\n").is_err());
    }
}
