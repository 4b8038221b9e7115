//! Values that are cheap to copy, to compare and to look up.
//!
//! Invariant: two values are equal here if and only if they are equal as values of the rule language.

use std::cell::{Cell, OnceCell};
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::rc::Rc;

use rulebook_model::{Number, Outcome, Value};

/// A value; texts are numbers of their texts.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Val {
    Nothing,
    Truth(bool),
    Number(Number),
    Text(u32),
    Player(u8),
    Kind(u8),
    Row(u16, u32),
    Outcome(Outcome),
    List(List),
}

/// A list that is shared by all who hold it.
#[derive(Clone)]
pub(super) struct List(Rc<Items>);

struct Items {
    all: Vec<Val>,
    /// Once asked for; zero before.
    hash: Cell<u64>,
    /// How often it was asked for a member, and the members once that was often.
    asked: Cell<u8>,
    members: OnceCell<HashSet<Val, BuildHasherDefault<Mixer>>>,
}

/// So many members are looked through each time; of more, a set is made when it has been asked for some.
const FEW: usize = 24;
/// So often a long list is looked through.
const SELDOM: u8 = 8;

impl List {
    pub(super) fn new(all: Vec<Val>) -> Self {
        Self(Rc::new(Items { all, hash: Cell::new(0), asked: Cell::new(0), members: OnceCell::new() }))
    }

    pub(super) fn all(&self) -> &[Val] {
        &self.0.all
    }

    /// Whether a value is a member.
    pub(super) fn contains(&self, value: &Val) -> bool {
        let Items { all, asked, members, .. } = &*self.0;
        if all.len() <= FEW || asked.get() < SELDOM {
            asked.set(asked.get().saturating_add(1));
            return all.contains(value);
        }
        members.get_or_init(|| all.iter().cloned().collect()).contains(value)
    }

    /// Another list behind this one.
    pub(super) fn and(&self, other: &Self) -> Self {
        Self::new(self.all().iter().chain(other.all()).cloned().collect())
    }

    fn number(&self) -> u64 {
        if self.0.hash.get() == 0 {
            let mut hasher = Mixer::default();
            self.0.all.hash(&mut hasher);
            self.0.hash.set(hasher.finish().max(1));
        }
        self.0.hash.get()
    }
}

impl PartialEq for List {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
            || (self.0.all.len() == other.0.all.len()
                && self.number() == other.number()
                && self.0.all == other.0.all)
    }
}

impl Eq for List {}

impl Hash for List {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.number());
    }
}

impl Hash for Val {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Nothing => state.write_u64(1),
            Self::Truth(truth) => state.write_u64(2 + u64::from(*truth)),
            Self::Number(number) => {
                let (numerator, denominator) = number.to_parts();
                state.write_u64(numerator as u64);
                state.write_u64(denominator as u64);
            }
            Self::Text(text) => state.write_u64(4 << 32 | u64::from(*text)),
            Self::Player(player) => state.write_u64(5 << 32 | u64::from(*player)),
            Self::Kind(kind) => state.write_u64(6 << 32 | u64::from(*kind)),
            Self::Row(table, row) => state.write_u64(7 << 32 | u64::from(*table) << 40 | u64::from(*row)),
            Self::Outcome(outcome) => outcome.hash(state),
            Self::List(list) => list.hash(state),
        }
    }
}

/// A hasher for short keys that nobody chooses to harm us: what collides is only slower, and work is bounded.
#[derive(Clone, Default)]
pub(super) struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 29
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64((*byte).into()));
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }
}

/// A map with that hasher.
pub(super) type Map<K, V> = HashMap<K, V, BuildHasherDefault<Mixer>>;

/// The texts that values are made of.
#[derive(Default)]
pub(super) struct Texts {
    numbers: HashMap<String, u32>,
    all: Vec<String>,
}

impl Texts {
    /// A value; none where it is a set of sites, which tables do not have.
    pub(super) fn val(&mut self, value: &Value) -> Option<Val> {
        Some(match value {
            Value::Nothing => Val::Nothing,
            Value::Truth(truth) => Val::Truth(*truth),
            Value::Number(number) => Val::Number(*number),
            Value::Text(text) => Val::Text(match self.numbers.get(text) {
                Some(known) => *known,
                None => {
                    let number = self.all.len() as u32;
                    self.numbers.insert(text.clone(), number);
                    self.all.push(text.clone());
                    number
                }
            }),
            Value::Player(player) => Val::Player(*player),
            Value::Kind(kind) => Val::Kind(*kind),
            Value::Row(table, row) => Val::Row(*table, *row),
            Value::Outcome(outcome) => Val::Outcome(*outcome),
            Value::List(values) => {
                let values: Option<Vec<Val>> = values.iter().map(|value| self.val(value)).collect();
                Val::List(List::new(values?))
            }
            Value::Site(_) | Value::Sites(_) => return None,
        })
    }

    /// The value of the rule language.
    pub(super) fn value(&self, val: &Val) -> Value {
        match val {
            Val::Nothing => Value::Nothing,
            Val::Truth(truth) => Value::Truth(*truth),
            Val::Number(number) => Value::Number(*number),
            Val::Text(text) => Value::Text(self.all.get(*text as usize).cloned().unwrap_or_default()),
            Val::Player(player) => Value::Player(*player),
            Val::Kind(kind) => Value::Kind(*kind),
            Val::Row(table, row) => Value::Row(*table, *row),
            Val::Outcome(outcome) => Value::Outcome(*outcome),
            Val::List(list) => Value::List(list.all().iter().map(|val| self.value(val)).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_equal_by_what_they_hold() {
        let mut texts = Texts::default();
        let list = |texts: &mut Texts, words: &[&str]| {
            let words = words.iter().map(|word| Value::Text((*word).into())).collect();
            texts.val(&Value::List(words)).unwrap()
        };
        let (one, two, other) =
            (list(&mut texts, &["a", "b"]), list(&mut texts, &["a", "b"]), list(&mut texts, &["b", "a"]));
        assert!(one == two && one != other);
        let hash = |val: &Val| {
            let mut mixer = Mixer::default();
            val.hash(&mut mixer);
            mixer.finish()
        };
        assert!(hash(&one) == hash(&two) && hash(&one) != hash(&other));
        assert_eq!(texts.value(&two), Value::List(vec![Value::Text("a".into()), Value::Text("b".into())]));
    }
}
