//! Values while pairings are weighed: small, cheap to copy, fit to be keys.

use std::hash::{BuildHasherDefault, Hasher};
use std::rc::Rc;

use rulebook_model::{Number, Value};

/// A value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Val {
    Nothing,
    Truth(bool),
    Number(Number),
    Player(u8),
    Row(u16, u32),
    Text(Rc<str>),
    List(Rc<[Self]>),
}

impl Val {
    pub(crate) fn from(value: &Value) -> Self {
        match value {
            Value::Truth(truth) => Self::Truth(*truth),
            Value::Number(number) => Self::Number(*number),
            Value::Player(player) => Self::Player(*player),
            Value::Row(table, row) => Self::Row(*table, *row),
            Value::Text(text) => Self::Text(text.as_str().into()),
            Value::List(values) => Self::List(values.iter().map(Self::from).collect()),
            _ => Self::Nothing,
        }
    }

    pub(crate) fn whole(value: usize) -> Self {
        Self::Number(Number::whole(value as i64))
    }

    pub(crate) fn number(&self) -> Option<Number> {
        if let Self::Number(number) = self { Some(*number) } else { None }
    }

    pub(crate) fn is_true(&self) -> bool {
        *self == Self::Truth(true)
    }

    pub(crate) fn members(&self) -> &[Self] {
        if let Self::List(values) = self { values } else { &[] }
    }
}

/// A quick hash for keys that nobody from outside chooses.
#[derive(Clone, Copy, Default)]
pub(crate) struct Quick(u64);

impl Hasher for Quick {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }
    fn write_u8(&mut self, value: u8) {
        self.write_u64(value.into());
    }
    fn write_u16(&mut self, value: u16) {
        self.write_u64(value.into());
    }
    fn write_u32(&mut self, value: u32) {
        self.write_u64(value.into());
    }
    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }
    fn write_i64(&mut self, value: i64) {
        self.write_u64(value as u64);
    }
    fn write_isize(&mut self, value: isize) {
        self.write_u64(value as u64);
    }
}

/// A map with the quick hash.
pub(crate) type Map<K, V> = std::collections::HashMap<K, V, BuildHasherDefault<Quick>>;
