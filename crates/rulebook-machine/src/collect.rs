//! Questions about tables: rankings and lists.
//!
//! Invariant: entries that no key parts share a place; the order in which they are written means nothing.

use std::cmp::Reverse;

use crate::act::{Act, State};
use crate::engine::{Engine, Outcomes, Scene, TABLE_FUEL, Work, blame};
use crate::position::Layout;
use crate::program::{Code, Form};
use crate::value::{Num, Val};

/// An entry in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranked {
    /// The row of the first table.
    pub row: u32,
    /// The keys that were looked at, by clause, with their values.
    pub keys: Vec<(u16, Num)>,
    /// The clause that parted this entry from those it was tied with last.
    pub decided: Option<u16>,
}

/// A list: the names of its columns, and its rows.
pub type Listed<S> = (Vec<String>, Vec<Vec<Val<S>>>);

impl<L: Layout> Engine<L> {
    /// Ranks the entries of the first table: groups of entries that share a place, best first, each
    /// entry with the value of every key that was looked at.
    ///
    /// # Errors
    /// A fault of the program for these tables.
    pub fn rank(&self, state: &State<L>, work: &mut Work<L>) -> Outcomes<Vec<Vec<Ranked>>> {
        work.begin(TABLE_FUEL);
        let entries = state.tables.rows.first().map_or(0, Vec::len) as u32;
        let mut groups: Vec<Vec<Ranked>> =
            vec![(0..entries).map(|row| Ranked { row, keys: Vec::new(), decided: None }).collect()];
        for at in &self.dispatch.all.ranks {
            let Some(Form::Rank(code, again)) = self.clause(*at).map(|clause| &clause.form) else { continue };
            let mut done: Vec<Vec<Ranked>> = Vec::new();
            let mut open: Vec<Vec<Ranked>> = groups.into_iter().rev().collect();
            while let Some(group) = open.pop() {
                let parted = blame(*at, self.part(state, *at, *code, group, work))?;
                // A key that looks at the entries that are tied looks again when some of them are parted.
                if *again && parted.len() > 1 {
                    open.extend(parted.into_iter().rev());
                } else {
                    done.extend(parted);
                }
            }
            groups = done;
        }
        Ok(groups.into_iter().filter(|group| !group.is_empty()).collect())
    }

    /// Parts tied entries by one key, best first.
    fn part(
        &self,
        state: &State<L>,
        clause: u16,
        code: Code,
        group: Vec<Ranked>,
        work: &mut Work<L>,
    ) -> Outcomes<Vec<Vec<Ranked>>> {
        let tied: Vec<Val<L::Set>> = group.iter().map(|ranked| Val::Row(0, ranked.row)).collect();
        let scene = Scene::of(&state.position, self.ground(state));
        let scene = Scene { mover: 0, actor: 0, tied: Some(&tied), ..scene };
        let mut valued: Vec<(Num, Ranked)> = Vec::new();
        for mut ranked in group {
            let value = self.run_with(code, Val::Row(0, ranked.row), &scene, work)?;
            let number = if let Val::Number(number) = value { number } else { Num::ZERO };
            match ranked.keys.last_mut().filter(|(known, _)| *known == clause) {
                Some(last) => last.1 = number,
                None => ranked.keys.push((clause, number)),
            }
            valued.push((number, ranked));
        }
        valued.sort_by_key(|(number, _)| Reverse(*number));
        let split = valued.first().map(|(number, _)| *number) != valued.last().map(|(number, _)| *number);
        let mut groups: Vec<Vec<Ranked>> = Vec::new();
        let mut last: Option<Num> = None;
        for (number, mut ranked) in valued {
            if split {
                ranked.decided = Some(clause);
            }
            match groups.last_mut().filter(|_| last == Some(number)) {
                Some(group) => group.push(ranked),
                None => groups.push(vec![ranked]),
            }
            last = Some(number);
        }
        Ok(groups)
    }

    /// The rows of a list that the rule set makes: column names, and values row by row.
    ///
    /// # Errors
    /// A fault of the program.
    pub fn list_named(
        &self,
        state: &State<L>,
        name: &str,
        work: &mut Work<L>,
    ) -> Outcomes<Option<Listed<L::Set>>> {
        work.begin(TABLE_FUEL);
        for clause in &self.program.clauses {
            let Form::List { name: known, choices, columns } = &clause.form else { continue };
            if known != name {
                continue;
            }
            let ground = self.ground(state);
            let mut rows = Vec::new();
            let begin = Act::new(u16::MAX, 0);
            for act in self.choose(self.choices(*choices), begin, &state.position, ground, work)? {
                let scene = Scene::with(&state.position, ground, &act);
                let mut row = Vec::with_capacity(columns.len());
                for (_, code) in columns {
                    row.push(self.run(*code, &scene, work)?);
                }
                rows.push(row);
            }
            return Ok(Some((columns.iter().map(|(name, _)| name.clone()).collect(), rows)));
        }
        Ok(None)
    }
}
