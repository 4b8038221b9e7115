//! The scenario format, contract 1, as types: what stands in a file, not yet what it means.
//!
//! Invariant: a key that is not listed here is an error with its place, so a scenario never passes because
//! an expectation of it was misspelt and skipped. Whether ids are unique is not known here.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_yaml::Spanned;

/// The version of the contract that this reader implements.
pub const CONTRACT: u32 = 1;

/// A scenario file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// The version of the contract.
    pub contract: Spanned<u32>,
    /// The id of the file.
    pub suite: Spanned<String>,
    /// The rule set of scenarios that name none.
    #[serde(default)]
    pub rules: Texts,
    /// What scenarios begin with, unless they say otherwise.
    #[serde(default)]
    pub given: Given,
    /// The scenarios.
    pub scenarios: Vec<Spanned<Scenario>>,
}

/// A scenario.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Its id.
    pub id: Spanned<String>,
    /// What it shows, in one line.
    pub title: String,
    /// The rule sets it runs under, if not those of the file.
    #[serde(default)]
    pub rules: Texts,
    /// Articles and rows of the ledger.
    pub cites: Texts,
    /// What an engine must be able to do.
    pub features: Vec<Spanned<String>>,
    /// Whether the text decides, or somebody had to.
    #[serde(default)]
    pub status: Standing,
    /// Where the expected values come from.
    pub source: Option<String>,
    /// What it begins with.
    #[serde(default)]
    pub given: Given,
    /// What is done, line by line.
    #[serde(default, rename = "do")]
    pub lines: Vec<Spanned<String>>,
    /// What must be true then.
    #[serde(default)]
    pub expect: Vec<Spanned<Expect>>,
    /// Whether the board after it is kept as a picture.
    #[serde(default)]
    pub picture: bool,
}

/// How sure an expected value is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// The text of the regulation decides.
    #[default]
    Settled,
    /// The text is open, and the source says who decided.
    Interpretation,
}

/// What a scenario begins with.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Given {
    /// A position, in the position text of the rule set.
    pub position: Option<String>,
    /// Values of parameters.
    #[serde(default)]
    pub params: Named<String>,
    /// Rows of tables.
    #[serde(default)]
    pub tables: Named<Vec<Row>>,
}

/// An expectation: one question with its answer.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expect {
    /// These acts or events are accepted.
    Legal(Texts),
    /// These are refused.
    Illegal(Refusals),
    /// The legal acts.
    Moves(Moves),
    /// The number of sequences of acts.
    Perft(Perft),
    /// The position.
    State(String),
    /// Whether the game goes on.
    Status(Status),
    /// Which events each player may cause.
    Claims(Claims),
    /// The score of each player.
    Score(Named<String>),
    /// The value of a definition.
    Value(Worth),
    /// The places.
    Standings(Vec<Texts>),
    /// A list that the rule set makes.
    List(Listing),
}

/// A refused act, with what else must be true of the refusal.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refusal {
    /// The act or event.
    pub act: String,
    /// The clause that decides.
    pub clause: Option<String>,
    /// Clauses that are among those that decide.
    #[serde(default)]
    pub clauses: Texts,
    /// The kind of refusal.
    pub reason: Option<String>,
}

/// Refused acts.
#[derive(Clone, Debug, Default)]
pub struct Refusals(pub Vec<Refusal>);

/// What is expected of the legal acts.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MoveSet {
    /// How many there are.
    pub count: Option<u64>,
    /// All of them.
    pub is: Option<Texts>,
    /// Some of them.
    #[serde(default)]
    pub include: Texts,
    /// None of them.
    #[serde(default)]
    pub exclude: Texts,
}

/// A number of legal acts, or more about them.
#[derive(Clone, Debug)]
pub struct Moves(pub MoveSet);

/// A number of sequences.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Perft {
    /// Their length.
    #[serde(deserialize_with = "bounded")]
    pub depth: u32,
    /// Their number.
    pub nodes: u64,
}

/// How a game ended.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ended {
    /// The outcome.
    pub ended: String,
    /// The clause that decides.
    pub clause: Option<String>,
    /// Clauses that are among those that decide.
    #[serde(default)]
    pub clauses: Texts,
}

/// Whether the game goes on.
#[derive(Clone, Debug)]
pub enum Status {
    /// It does.
    Ongoing,
    /// It has ended.
    Ended(Ended),
}

/// Which events would be accepted now, by player; under `not`, which would be refused.
#[derive(Clone, Debug, Default)]
pub struct Claims {
    /// Accepted ones.
    pub accepted: Vec<(String, Texts)>,
    /// Refused ones.
    pub refused: Vec<(String, Texts)>,
}

/// A definition, its arguments, and its value.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Worth {
    /// The name of the definition.
    pub of: String,
    /// Its arguments.
    #[serde(default)]
    pub args: Vec<Cell>,
    /// The value.
    pub is: Cell,
}

/// A list with some or all of its rows.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listing {
    /// The name of the list.
    pub name: String,
    /// All rows, in order.
    pub rows: Option<Vec<Texts>>,
    /// Some rows.
    #[serde(default)]
    pub contains: Vec<Texts>,
}

/// One text, or a list of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts(pub Vec<String>);

/// Names with values, in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named<T>(pub Vec<(String, T)>);

impl<T> Default for Named<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// A row of a table: a value for each field by name, or for the first fields in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Row {
    /// By name.
    Fields(Vec<(String, Cell)>),
    /// In order.
    Columns(Vec<Cell>),
}

/// A value as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// Nothing.
    Nothing,
    /// A text, a number or a truth value.
    Text(String),
    /// A list.
    List(Vec<Cell>),
    /// The row of a table whose first field has this value.
    Row(String, String),
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("none"),
            Self::Text(text) => f.write_str(text),
            Self::List(cells) => {
                let texts: Vec<String> = cells.iter().map(Self::to_string).collect();
                write!(f, "[{}]", texts.join(", "))
            }
            Self::Row(table, key) => write!(f, "{table} {key}"),
        }
    }
}

/// Reads a value that is written in one of several shapes.
struct Shaped<T>(&'static str, PhantomData<T>);

trait Shape<'de>: Sized {
    const SHAPES: &'static str;
    fn text(_: String) -> Option<Self> {
        None
    }
    fn number(_: u64) -> Option<Self> {
        None
    }
    fn nothing() -> Option<Self> {
        None
    }
    fn list<A: SeqAccess<'de>>(_: A) -> Option<Result<Self, A::Error>> {
        None
    }
    fn map<A: MapAccess<'de>>(_: A) -> Option<Result<Self, A::Error>> {
        None
    }
}

impl<'de, T: Shape<'de>> Visitor<'de> for Shaped<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
        T::text(text.to_owned()).ok_or_else(|| E::invalid_type(serde::de::Unexpected::Str(text), &self))
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<T, E> {
        let made = T::number(number).or_else(|| T::text(number.to_string()));
        made.ok_or_else(|| E::invalid_type(serde::de::Unexpected::Unsigned(number), &self))
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<T, E> {
        match u64::try_from(number) {
            Ok(number) => self.visit_u64(number),
            Err(_) => self.visit_str(&number.to_string()),
        }
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_bool<E: serde::de::Error>(self, truth: bool) -> Result<T, E> {
        self.visit_str(&truth.to_string())
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<T, E> {
        T::nothing().ok_or_else(|| E::invalid_type(serde::de::Unexpected::Unit, &self))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<T, A::Error> {
        T::list(items)
            .unwrap_or_else(|| Err(serde::de::Error::invalid_type(serde::de::Unexpected::Seq, &self)))
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<T, A::Error> {
        T::map(entries)
            .unwrap_or_else(|| Err(serde::de::Error::invalid_type(serde::de::Unexpected::Map, &self)))
    }
}

fn members<'de, T: Deserialize<'de>, A: SeqAccess<'de>>(mut items: A) -> Result<Vec<T>, A::Error> {
    let mut list = Vec::new();
    while let Some(item) = items.next_element()? {
        list.push(item);
    }
    Ok(list)
}

fn entries<'de, T: Deserialize<'de>, A: MapAccess<'de>>(mut map: A) -> Result<Vec<(String, T)>, A::Error> {
    let mut list = Vec::new();
    while let Some(entry) = map.next_entry()? {
        list.push(entry);
    }
    Ok(list)
}

macro_rules! shaped {
    ($($name:ty),*) => {$(
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(Shaped(<Self as Shape<'de>>::SHAPES, PhantomData))
            }
        }
    )*};
}
shaped!(Texts, Refusals, Moves, Status, Claims, Row, Cell);

impl<'de> Shape<'de> for Texts {
    const SHAPES: &'static str = "a text or a list of texts";
    fn text(text: String) -> Option<Self> {
        Some(Self(vec![text]))
    }
    fn list<A: SeqAccess<'de>>(items: A) -> Option<Result<Self, A::Error>> {
        Some(members(items).map(Self))
    }
}

impl<'de> Shape<'de> for Refusals {
    const SHAPES: &'static str = "an act, `{ act: …, clause: … }`, or a list of these";
    fn text(act: String) -> Option<Self> {
        Some(Self(vec![Refusal { act, ..Refusal::default() }]))
    }
    fn list<A: SeqAccess<'de>>(items: A) -> Option<Result<Self, A::Error>> {
        let items: Result<Vec<Self>, A::Error> = members(items);
        Some(items.map(|items| Self(items.into_iter().flat_map(|item| item.0).collect())))
    }
    fn map<A: MapAccess<'de>>(entries: A) -> Option<Result<Self, A::Error>> {
        let one = Refusal::deserialize(MapAccessDeserializer::new(entries));
        Some(one.map(|one| Self(vec![one])))
    }
}

impl<'de> Shape<'de> for Moves {
    const SHAPES: &'static str = "a number, or `{ is: […], include: […], exclude: […] }`";
    fn number(count: u64) -> Option<Self> {
        Some(Self(MoveSet { count: Some(count), ..MoveSet::default() }))
    }
    fn map<A: MapAccess<'de>>(entries: A) -> Option<Result<Self, A::Error>> {
        Some(MoveSet::deserialize(MapAccessDeserializer::new(entries)).map(Self))
    }
}

impl<'de> Shape<'de> for Status {
    const SHAPES: &'static str = "`ongoing`, or `{ ended: …, clause: … }`";
    fn text(text: String) -> Option<Self> {
        (text == "ongoing").then_some(Self::Ongoing)
    }
    fn map<A: MapAccess<'de>>(entries: A) -> Option<Result<Self, A::Error>> {
        Some(Ended::deserialize(MapAccessDeserializer::new(entries)).map(Self::Ended))
    }
}

impl<'de> Shape<'de> for Claims {
    const SHAPES: &'static str = "events by player, and under `not` those that are refused";
    fn map<A: MapAccess<'de>>(mut map: A) -> Option<Result<Self, A::Error>> {
        let mut read = || {
            let mut claims = Self::default();
            while let Some(key) = map.next_key::<String>()? {
                if key == "not" {
                    claims.refused.extend(map.next_value::<Named<Texts>>()?.0);
                } else {
                    claims.accepted.push((key, map.next_value()?));
                }
            }
            Ok(claims)
        };
        Some(read())
    }
}

impl<'de> Shape<'de> for Row {
    const SHAPES: &'static str = "a row: fields by name, or a list of values";
    fn list<A: SeqAccess<'de>>(items: A) -> Option<Result<Self, A::Error>> {
        Some(Vec::deserialize(SeqAccessDeserializer::new(items)).map(Self::Columns))
    }
    fn map<A: MapAccess<'de>>(map: A) -> Option<Result<Self, A::Error>> {
        Some(entries(map).map(Self::Fields))
    }
}

impl<'de> Shape<'de> for Cell {
    const SHAPES: &'static str = "a value, a list of values, or `{ table: key }`";
    fn text(text: String) -> Option<Self> {
        Some(if text == "none" { Self::Nothing } else { Self::Text(text) })
    }
    fn nothing() -> Option<Self> {
        Some(Self::Nothing)
    }
    fn list<A: SeqAccess<'de>>(items: A) -> Option<Result<Self, A::Error>> {
        Some(members(items).map(Self::List))
    }
    fn map<A: MapAccess<'de>>(map: A) -> Option<Result<Self, A::Error>> {
        let made = entries::<String, A>(map).and_then(|entries| match <[_; 1]>::try_from(entries) {
            Ok([(table, key)]) => Ok(Self::Row(table, key)),
            Err(_) => Err(serde::de::Error::custom("a row is named by one table and one key")),
        });
        Some(made)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
            type Value = Named<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("names with values")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Named<T>, A::Error> {
                entries(map).map(Named)
            }
        }
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

/// A depth that can be counted to.
fn bounded<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let depth = u32::deserialize(deserializer)?;
    if (1..=200).contains(&depth) {
        Ok(depth)
    } else {
        Err(serde::de::Error::custom("a depth is a number from 1 to 200"))
    }
}
