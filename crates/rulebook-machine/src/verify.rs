//! Whether a program is one that an engine may run.
//!
//! Invariant: nothing but this module makes a `Verified`. In a verified program every index and run is in
//! range, everything refers to earlier entries of its pool only, definitions and patterns do not call each
//! other in a circle, and every number of local names suffices; what the lanes and lookups refer to is there
//! and of the right sort. Verifying takes time and memory in
//! proportion to the program, and neither panics nor recurses.

mod lanes;
mod surround;

use std::collections::HashSet;
use std::ops::Deref;

use crate::program::{
    Atom, Author, Code, Const, Effect, Filter, Form, Index, Node, NodeId, Outcome, Phrase, Program, Run,
    Site, Type, Var,
};
use crate::value::Val;

/// Most sites of a board.
pub const MAX_SITES: usize = 640;
/// Most files, and most ranks.
const MAX_SIDE: u16 = 40;
/// Most kinds.
const MAX_KINDS: usize = 128;
/// Most players.
const MAX_PLAYERS: usize = 16;
/// Most variables, and most places for them.
const MAX_VARS: usize = 256;
const MAX_SETS: usize = 16;
const MAX_NUMS: usize = 128;
/// Most entries of a pool.
const MAX_POOL: usize = 1 << 20;
/// Most names of a sort, and most clauses.
const MAX_NAMES: usize = 1 << 15;
/// Most local names at once.
const MAX_SLOTS: u16 = 1 << 12;
/// Longest text, and all texts together.
const MAX_TEXT: usize = 1 << 16;
const MAX_TEXTS: usize = 1 << 24;
/// Most references of all entries together, a run counting as many as it has entries.
const MAX_REFERENCES: usize = 1 << 23;
/// Most members of a constant list, those of its members included.
const MAX_MEMBERS: usize = 1 << 18;
/// Most marks of a pattern.
const MAX_MARKS: u8 = 8;

/// A program that an engine may run.
#[derive(Clone, Debug, PartialEq)]
pub struct Verified(Program);

impl Deref for Verified {
    type Target = Program;
    fn deref(&self) -> &Program {
        &self.0
    }
}

impl Verified {
    /// The program.
    pub fn into_program(self) -> Program {
        self.0
    }
}

/// Why a program may not be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The pool in which something is wrong.
    pub pool: &'static str,
    /// Which entry of the pool.
    pub index: usize,
    /// What is wrong with it.
    pub what: &'static str,
}

impl Refusal {
    /// Something wrong with the program as a whole.
    pub fn whole(what: &'static str) -> Self {
        Self { pool: "program", index: 0, what }
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "entry {} of `{}`: {}", self.index, self.pool, self.what)
    }
}

impl std::error::Error for Refusal {}

type Checked = Result<(), &'static str>;

fn need(fine: bool, what: &'static str) -> Checked {
    if fine { Ok(()) } else { Err(what) }
}

/// Checks each entry of a pool; the refusal names the entry.
fn each<'t, T>(
    pool: &'static str,
    entries: &'t [T],
    mut check: impl FnMut(usize, &'t T) -> Checked,
) -> Result<(), Refusal> {
    for (index, entry) in entries.iter().enumerate() {
        check(index, entry).map_err(|what| Refusal { pool, index, what })?;
    }
    Ok(())
}

/// Passes a program, or says which entry of which pool is wrong.
///
/// # Errors
/// The first entry that is wrong.
pub fn verify(program: Program) -> Result<Verified, Refusal> {
    Verifier { program: &program, references: 0, needs: Vec::new() }.all()?;
    Ok(Verified(program))
}

struct Verifier<'p> {
    program: &'p Program,
    /// References met so far.
    references: usize,
    /// How many local names each node needs.
    needs: Vec<u16>,
}

impl Verifier<'_> {
    fn all(mut self) -> Result<(), Refusal> {
        self.sizes()?;
        self.texts()?;
        self.board()?;
        self.consts()?;
        self.vars()?;
        self.nodes()?;
        self.bodies_and_paths()?;
        self.effects()?;
        self.clauses()?;
        self.acyclic()?;
        self.applications()?;
        lanes::lanes(self.program)?;
        surround::surround(self.program)
    }

    fn sizes(&self) -> Result<(), Refusal> {
        let p = self.program;
        let pools: [(&'static str, usize, usize); 21] = [
            ("players", p.players.len(), MAX_PLAYERS),
            ("kinds", p.kinds.len(), MAX_KINDS),
            ("acts", p.acts.len(), MAX_NAMES),
            ("events", p.events.len(), MAX_NAMES),
            ("bindings", p.bindings.len(), MAX_NAMES),
            ("tables", p.tables.len(), MAX_NAMES),
            ("vars", p.vars.len(), MAX_VARS),
            ("texts", p.texts.len(), MAX_POOL),
            ("consts", p.consts.len(), MAX_POOL),
            ("nodes", p.nodes.len(), MAX_POOL),
            ("lists", p.lists.len(), MAX_POOL),
            ("bodies", p.bodies.len(), usize::from(u16::MAX)),
            ("items", p.items.len(), MAX_POOL),
            ("branches", p.branches.len(), MAX_POOL),
            ("paths", p.paths.len(), MAX_POOL),
            ("effects", p.effects.len(), MAX_POOL),
            ("choices", p.choices.len(), MAX_POOL),
            ("clauses", p.clauses.len(), MAX_NAMES),
            ("answers", p.answers.len(), usize::from(u16::MAX)),
            ("remarks", p.remarks.len(), MAX_NAMES),
            ("board", p.board.adjacent.len(), MAX_SITES),
        ];
        for (pool, len, most) in pools {
            if len > most {
                return Err(Refusal { pool, index: most, what: "there are too many entries" });
            }
        }
        Ok(())
    }

    fn texts(&self) -> Result<(), Refusal> {
        let p = self.program;
        let mut total = 0_usize;
        let mut text = |text: &str| {
            total = total.saturating_add(text.len());
            need(text.len() <= MAX_TEXT && total <= MAX_TEXTS, "the text is too long")
        };
        let mut phrase = |phrase: &Phrase| {
            text(&phrase.en)?;
            text(&phrase.zh)
        };
        phrase(&p.title).map_err(Refusal::whole)?;
        each("clauses", &p.clauses, |_, clause| {
            phrase(&clause.title)?;
            phrase(&clause.says)
        })?;
        text(&p.id).map_err(Refusal::whole)?;
        for (pool, names) in [
            ("players", &p.players),
            ("kinds", &p.kinds),
            ("acts", &p.acts),
            ("events", &p.events),
            ("bindings", &p.bindings),
            ("texts", &p.texts),
            ("board", &p.board.names),
        ] {
            each(pool, names, |_, name| text(name))?;
        }
        each("tables", &p.tables, |_, (name, fields)| {
            text(name)?;
            need(fields.len() <= MAX_NAMES, "there are too many fields")?;
            fields.iter().try_for_each(|field| text(field))
        })?;
        each("vars", &p.vars, |_, var| text(&var.name))?;
        each("bodies", &p.bodies, |_, body| text(&body.name))?;
        each("answers", &p.answers, |_, (name, _)| text(name))?;
        each("clauses", &p.clauses, |_, clause| {
            text(&clause.id)?;
            text(&clause.origin)?;
            need(clause.cites.len() <= MAX_NAMES, "there are too many citations")?;
            clause.cites.iter().try_for_each(|cite| text(cite))?;
            match &clause.form {
                Form::List { name, columns, .. } => {
                    text(name)?;
                    need(columns.len() <= MAX_NAMES, "there are too many columns")?;
                    columns.iter().try_for_each(|(name, _)| text(name))
                }
                _ => Ok(()),
            }
        })?;
        // Texts are compared by their numbers, so each stands there once.
        let mut known = HashSet::new();
        each("texts", &p.texts, |_, text| need(known.insert(text), "the text stands there twice"))
    }

    fn board(&self) -> Result<(), Refusal> {
        let p = self.program;
        let board = &p.board;
        let sites = board.len();
        let fine = board.files <= MAX_SIDE && board.ranks <= MAX_SIDE && sites <= MAX_SITES;
        let wrong = |what| Refusal { pool: "board", index: 0, what };
        need(fine, "the board is too large").map_err(wrong)?;
        need(board.names.len() == sites, "there is not one name for each site").map_err(wrong)?;
        need(board.flipped.len() <= MAX_PLAYERS, "there are too many players").map_err(wrong)?;
        need(p.setup.len() == sites, "the setup is not one of this board").map_err(wrong)?;
        each("board", &board.adjacent, |_, (files, ranks)| {
            need(step(*files, *ranks), "the step is too long")
        })?;
        each("setup", &p.setup, |_, cell| {
            need(
                cell.is_none_or(|(kind, owner)| self.is_kind(kind) && self.is_player(owner)),
                "no such piece",
            )
        })
    }

    fn is_kind(&self, kind: u8) -> bool {
        usize::from(kind) < self.program.kinds.len()
    }

    fn is_player(&self, player: u8) -> bool {
        usize::from(player) < self.program.players.len()
    }

    fn consts(&self) -> Result<(), Refusal> {
        let p = self.program;
        let mut sizes: Vec<usize> = Vec::with_capacity(p.consts.len());
        let sites = p.board.len();
        each("consts", &p.consts, |at, constant| {
            let mut size = 1_usize;
            match constant {
                Const::Nothing | Const::Truth(_) => {}
                Const::Number(numerator, denominator) => {
                    let number = crate::value::Num::fraction((*numerator).into(), (*denominator).into());
                    let plain = number.map(crate::value::Num::parts) == Some((*numerator, *denominator));
                    need(plain, "the number is not in lowest terms")?;
                }
                Const::Text(text) => need((*text as usize) < p.texts.len(), "no such text")?,
                Const::Player(player) => need(self.is_player(*player), "no such player")?,
                Const::Kind(kind) => need(self.is_kind(*kind), "no such kind")?,
                Const::Site(site) => need(usize::from(*site) < sites, "no such site")?,
                Const::Sites(words) => {
                    need(words.len() <= MAX_SITES / 64, "the set is too large")?;
                    let beyond = |(at, word): (usize, &u64)| {
                        let room = sites.saturating_sub(at * 64);
                        room < 64 && word >> room != 0
                    };
                    need(!words.iter().enumerate().any(beyond), "the set has sites beyond the board")?;
                }
                Const::List(members) => {
                    for member in members {
                        need((*member as usize) < at, "the list has a member that is not before it")?;
                        size = size.saturating_add(sizes.get(*member as usize).copied().unwrap_or(0));
                    }
                    need(size <= MAX_MEMBERS, "the list is too long")?;
                }
                Const::Outcome(Outcome::Win(player) | Outcome::Lose(player)) => {
                    need(self.is_player(*player), "no such player")?;
                }
                Const::Outcome(_) => {}
            }
            sizes.push(size);
            Ok(())
        })?;
        let total = sizes.iter().fold(0_usize, |all, size| all.saturating_add(*size));
        need(total <= MAX_REFERENCES, "the constants are too large").map_err(Refusal::whole)
    }

    fn vars(&self) -> Result<(), Refusal> {
        let p = self.program;
        let (mut sets, mut nums) = ([false; MAX_SETS], [false; MAX_NUMS]);
        each("vars", &p.vars, |_, var| {
            need(var.each.len() <= 2, "too many indices")?;
            let width = |index: &Index| match index {
                Index::Player => p.players.len(),
                Index::Kind => p.kinds.len(),
            };
            let wanted: usize = var.each.iter().map(width).product();
            need(usize::from(var.count) == wanted, "the number of values is wrong")?;
            let places: &mut [bool] = if var.ty == Type::Sites { &mut sets } else { &mut nums };
            for at in usize::from(var.slot)..usize::from(var.slot) + usize::from(var.count) {
                let place = places.get_mut(at).ok_or("there is no room for it")?;
                need(!std::mem::replace(place, true), "another variable is kept there")?;
            }
            need(self.starts_well(var), "the first value does not fit")
        })?;
        let known = |_: usize, var: &u16| need(usize::from(*var) < p.vars.len(), "no such variable");
        each("identity", &p.identity, known)?;
        each("fleeting", &p.fleeting, known)
    }

    fn starts_well(&self, var: &Var) -> bool {
        let Some(start) = self.program.consts.get(var.start as usize) else { return false };
        let number = |n: &i64, d: &i64| crate::value::Num::fraction((*n).into(), (*d).into());
        if let (Const::List(values), false) = (start, var.each.is_empty()) {
            let one = |at: &u32| Var { start: *at, each: Vec::new(), ..var.clone() };
            return values.len() == usize::from(var.count)
                && values.iter().all(|at| self.starts_well(&one(at)));
        }
        match (var.ty, start) {
            (Type::Sites, Const::Sites(_)) | (_, Const::Nothing) => true,
            (Type::Number, Const::Number(n, d)) => {
                number(n, d).is_some_and(|number| Val::<u64>::Number(number).packed(Type::Number).is_some())
            }
            (Type::Truth, Const::Truth(_))
            | (Type::Text, Const::Text(_))
            | (Type::Player, Const::Player(_))
            | (Type::Kind, Const::Kind(_))
            | (Type::Site, Const::Site(_)) => true,
            _ => false,
        }
    }

    /// Counts references; a run counts as many as it has entries.
    fn refer(&mut self, count: usize) -> Checked {
        self.references = self.references.saturating_add(count);
        need(self.references <= MAX_REFERENCES, "there are too many references")
    }

    fn run(&mut self, run: Run, len: usize, before: usize) -> Checked {
        let end = (run.start as usize).saturating_add(run.len as usize);
        need(run.len == 0 || end <= len, "a run is out of range")?;
        need(run.len == 0 || end <= before, "a run has entries that are not before it")?;
        self.refer(run.len as usize)
    }

    fn nodes(&mut self) -> Result<(), Refusal> {
        let p = self.program;
        self.needs = Vec::with_capacity(p.nodes.len());
        each("nodes", &p.nodes, |at, node| {
            let needed = self.node(at, node)?;
            need(needed <= MAX_SLOTS, "there are too many local names")?;
            self.needs.push(needed);
            Ok(())
        })
    }

    /// Checks a node and says how many local names it needs.
    fn node(&mut self, at: usize, node: &Node) -> Result<u16, &'static str> {
        let p = self.program;
        let mut needed = 0_u16;
        let child = |this: &Self, id: NodeId, needed: &mut u16| {
            need((id as usize) < at, "a part is not before it")?;
            *needed = (*needed).max(this.needs.get(id as usize).copied().unwrap_or(0));
            Ok(())
        };
        let slot = |slot: u16, needed: &mut u16| *needed = (*needed).max(slot.saturating_add(1));
        let known = |at: u16, len: usize, what: &'static str| need(usize::from(at) < len, what);
        match *node {
            Node::Const(at) => need((at as usize) < p.consts.len(), "no such constant")?,
            Node::Slot(at) => slot(at, &mut needed),
            Node::Bound(at) => known(at, p.bindings.len(), "no such binding")?,
            Node::Mark(mark) => need(mark < MAX_MARKS, "no such mark")?,
            Node::Context(_) | Node::Times(..) => {}
            Node::Var(at, index) => {
                known(at, p.vars.len(), "no such variable")?;
                need(index.len <= 2, "too many indices")?;
                for id in index.indexes() {
                    let id = p.lists.get(id as usize).ok_or("no such list entry")?;
                    child(self, *id, &mut needed)?;
                }
            }
            Node::Call(_, run) | Node::Apply(_, run) | Node::List(run, _) => {
                if let Node::Apply(body, _) = node {
                    known(*body, p.bodies.len(), "no such definition")?;
                }
                self.run(run, p.lists.len(), p.lists.len())?;
                for id in run.of(&p.lists) {
                    child(self, *id, &mut needed)?;
                }
            }
            Node::Able(act, conditions, most) => {
                if let Some(act) = act {
                    known(act, p.acts.len(), "no such act")?;
                }
                need(conditions.len <= 2, "too many conditions")?;
                need(most.is_none() || conditions.len == 2, "nothing is sought")?;
                self.run(conditions, p.lists.len(), p.lists.len())?;
                for id in conditions.of(&p.lists) {
                    child(self, *id, &mut needed)?;
                }
            }
            Node::Last(act) => known(act, p.acts.len(), "no such act")?,
            Node::Rows(table) => known(table, p.tables.len(), "no such table")?,
            Node::Field(row, _) => child(self, row, &mut needed)?,
            Node::Not(a) | Node::Minus(a) | Node::IsEmpty(a) => child(self, a, &mut needed)?,
            Node::Binary(_, a, b) => {
                child(self, a, &mut needed)?;
                child(self, b, &mut needed)?;
            }
            Node::If(a, b, c) => {
                child(self, a, &mut needed)?;
                child(self, b, &mut needed)?;
                child(self, c, &mut needed)?;
            }
            Node::Quantified(_, at, domain, body) | Node::Filtered(at, domain, body) => {
                slot(at, &mut needed);
                child(self, domain, &mut needed)?;
                child(self, body, &mut needed)?;
            }
            Node::Folded(_, at, run) => {
                slot(at, &mut needed);
                need(run.len == 3, "a fold has three parts")?;
                self.run(run, p.lists.len(), p.lists.len())?;
                for id in run.of(&p.lists) {
                    child(self, *id, &mut needed)?;
                }
            }
            Node::Traced(origin, path) => {
                child(self, origin, &mut needed)?;
                need((path as usize) < p.paths.len(), "no such pattern")?;
            }
        }
        Ok(needed)
    }

    fn code(&mut self, code: Code) -> Checked {
        self.refer(1)?;
        let needed = self.needs.get(code.root as usize).copied().ok_or("no such term")?;
        need(code.slots <= MAX_SLOTS, "there are too many local names")?;
        need(needed <= code.slots, "the term needs more local names")
    }

    fn codes(&mut self, codes: impl IntoIterator<Item = Code>) -> Checked {
        codes.into_iter().try_for_each(|code| self.code(code))
    }

    fn bodies_and_paths(&mut self) -> Result<(), Refusal> {
        let p = self.program;
        each("bodies", &p.bodies, |_, body| {
            need(body.codes.len() <= MAX_PLAYERS, "there are too many codes")?;
            self.codes(body.codes.iter().copied())
        })?;
        each("answers", &p.answers, |_, (_, bodies)| {
            self.refer(bodies.len())?;
            need(bodies.iter().all(|body| usize::from(*body) < p.bodies.len()), "no such definition")
        })?;
        each("remarks", &p.remarks, |_, remark| self.codes(*remark))?;
        each("items", &p.items, |_, item| {
            need(item.most.is_none_or(|most| most >= item.least), "the repetition ends before it begins")?;
            match &item.atom {
                Atom::Group(path) => need((*path as usize) < p.paths.len(), "no such pattern"),
                Atom::Test(code) => self.code(*code),
                Atom::Step(directions) | Atom::Face(directions) => {
                    self.refer(directions.len())?;
                    need(directions.len() <= MAX_SITES, "there are too many directions")?;
                    need(directions.iter().all(|d| step(d.files, d.ranks)), "the step is too long")
                }
                Atom::Jump(distances) => {
                    self.refer(distances.len())?;
                    need(distances.len() <= 4 * MAX_SITES, "there are too many distances")
                }
                Atom::Mark(mark) | Atom::Back(mark) => need(*mark < MAX_MARKS, "no such mark"),
                Atom::Ahead | Atom::Veer | Atom::Take => Ok(()),
            }
        })?;
        each("branches", &p.branches, |_, run| self.run(*run, p.items.len(), p.items.len()))?;
        each("paths", &p.paths, |at, path| {
            need(path.marks.len() <= MAX_MARKS.into(), "there are too many marks")?;
            need(path.marks.iter().all(|mark| usize::from(*mark) < p.bindings.len()), "no such binding")?;
            self.run(path.branches, p.branches.len(), p.branches.len())?;
            for branch in path.branches.of(&p.branches) {
                self.refer(branch.len as usize)?;
                let earlier = |atom: &Atom| !matches!(atom, Atom::Group(group) if *group as usize >= at);
                let fine = branch.of(&p.items).iter().all(|item| earlier(&item.atom));
                need(fine, "a group is not before the pattern it stands in")?;
            }
            Ok(())
        })?;
        each("choices", &p.choices, |_, choice| {
            need(usize::from(choice.binding) < p.bindings.len(), "no such binding")?;
            self.code(choice.domain)
        })
    }

    fn effects(&mut self) -> Result<(), Refusal> {
        let p = self.program;
        // Runs inside of runs could unfold without end; what they unfold to is counted.
        let mut sizes: Vec<usize> = Vec::with_capacity(p.effects.len());
        let mut depths: Vec<u32> = Vec::with_capacity(p.effects.len());
        each("effects", &p.effects, |at, effect| {
            let (mut size, mut depth) = (1_usize, 1_u32);
            let mut inner = |this: &mut Self, run: Run| {
                this.run(run, p.effects.len(), at)?;
                for index in run.indexes() {
                    size = size.saturating_add(sizes.get(index as usize).copied().unwrap_or(0));
                    depth = depth.max(depths.get(index as usize).copied().unwrap_or(0).saturating_add(1));
                }
                need(size <= MAX_POOL && depth <= 128, "the effects are too many or too deep")
            };
            match effect {
                Effect::If(code, yes, no) => {
                    self.code(*code)?;
                    inner(self, *yes)?;
                    inner(self, *no)?;
                }
                Effect::For(binding, code, body) => {
                    need(usize::from(*binding) < p.bindings.len(), "no such binding")?;
                    self.code(*code)?;
                    inner(self, *body)?;
                }
                Effect::Move(a, b) | Effect::Give(a, b) => self.codes([*a, *b])?,
                Effect::Remove(a) | Effect::End(a) | Effect::Turn(a) | Effect::Restore(a) => self.code(*a)?,
                Effect::Put(a, b, c) => self.codes([*a, *c].into_iter().chain(*b))?,
                Effect::Again => {}
                Effect::Apply(clause, given) => {
                    self.codes(given.iter().copied())?;
                    let target = p.clauses.get(usize::from(*clause)).map(|target| &target.form);
                    let fine = matches!(target, Some(Form::Applied { choices, .. })
                        if choices.len as usize == given.len());
                    need(fine, "no such clause to be applied")?;
                }
                Effect::Set(var, index, value) => {
                    need(usize::from(*var) < p.vars.len(), "no such variable")?;
                    need(index.len() <= 2, "too many indices")?;
                    self.codes([*value].into_iter().chain(index.iter().copied()))?;
                }
            }
            sizes.push(size);
            depths.push(depth);
            Ok(())
        })
    }

    fn clauses(&mut self) -> Result<(), Refusal> {
        let p = self.program;
        let acts = p.acts.len();
        each("clauses", &p.clauses, |_, clause| {
            self.codes(clause.when.into_iter().chain(clause.unless))?;
            self.refer(clause.yields.len() + clause.reads.len())?;
            need(clause.yields.iter().all(|at| usize::from(*at) < p.clauses.len()), "no such clause")?;
            need(clause.reads.iter().all(|at| usize::from(*at) < p.vars.len()), "no such variable")?;
            let act = |act: u16| need(usize::from(act) < acts, "no such act");
            let filter = |filter: &Filter| match filter {
                Filter::Any => Ok(()),
                Filter::Only(named) => {
                    need(named.len() <= MAX_NAMES, "there are too many acts")?;
                    named.iter().try_for_each(|named| act(*named))
                }
            };
            let choices = |this: &mut Self, run: Run| this.run(run, p.choices.len(), p.choices.len());
            let effects = |this: &mut Self, run: Run| this.run(run, p.effects.len(), p.effects.len());
            match &clause.form {
                Form::Advice => {}
                Form::Move { kinds, act: named, path, choices: chosen, then } => {
                    need(kinds.len() <= MAX_KINDS, "there are too many kinds")?;
                    need(kinds.iter().all(|kind| self.is_kind(*kind)), "no such kind")?;
                    act(*named)?;
                    need((*path as usize) < p.paths.len(), "no such pattern")?;
                    choices(self, *chosen)?;
                    effects(self, *then)?;
                }
                Form::Act { act: named, choices: chosen, then } => {
                    act(*named)?;
                    choices(self, *chosen)?;
                    effects(self, *then)?;
                }
                Form::Event { event, by, choices: chosen, then, otherwise } => {
                    need(usize::from(*event) < p.events.len(), "no such event")?;
                    choices(self, *chosen)?;
                    if let Author::Player(code) = by {
                        self.code(*code)?;
                    }
                    effects(self, *then)?;
                    if let Some(otherwise) = otherwise {
                        effects(self, *otherwise)?;
                    }
                }
                Form::Applied { choices: chosen, then } => {
                    choices(self, *chosen)?;
                    effects(self, *then)?;
                }
                Form::After { acts, choices: chosen, then } => {
                    filter(acts)?;
                    choices(self, *chosen)?;
                    effects(self, *then)?;
                }
                Form::Forbid { acts, banned: code, .. } | Form::Most { acts, measure: code } => {
                    filter(acts)?;
                    self.code(*code)?;
                }
                Form::Turn(code) | Form::Rank(code, _) => self.code(*code)?,
                Form::Ends { condition, result, .. } => self.codes([*condition, *result])?,
                Form::List { choices: chosen, columns, .. } => {
                    choices(self, *chosen)?;
                    self.codes(columns.iter().map(|(_, code)| *code))?;
                }
            }
            Ok(())
        })
    }

    /// No clause is applied in a circle.
    fn applications(&self) -> Result<(), Refusal> {
        let clauses = &self.program.clauses;
        let mut calls: Vec<(u32, u32)> = Vec::new();
        for (at, clause) in clauses.iter().enumerate() {
            if let Form::Applied { then, .. } = &clause.form {
                self.applied(*then, &mut |target| calls.push((at as u32, u32::from(target))));
            }
        }
        match first_in_circle(clauses.len(), &mut calls) {
            Some(index) => Err(Refusal { pool: "clauses", index, what: "it is applied in a circle" }),
            None => Ok(()),
        }
    }

    /// The clauses that effects apply, those inside of others included.
    fn applied(&self, run: Run, visit: &mut dyn FnMut(u16)) {
        for effect in run.of(&self.program.effects) {
            match effect {
                Effect::Apply(clause, _) => visit(*clause),
                Effect::If(_, yes, no) => {
                    self.applied(*yes, visit);
                    self.applied(*no, visit);
                }
                Effect::For(_, _, body) => self.applied(*body, visit),
                _ => {}
            }
        }
    }

    /// Terms, patterns and definitions do not call each other in a circle: they can be put in an order in
    /// which each comes after all that it calls.
    fn acyclic(&self) -> Result<(), Refusal> {
        let p = self.program;
        let (nodes, paths) = (p.nodes.len(), p.paths.len());
        let path_vertex = |path: u32| nodes + path as usize;
        let body_vertex = |body: u16| nodes + paths + usize::from(body);
        let mut calls: Vec<(u32, u32)> = Vec::new();
        let mut call = |from: usize, to: usize| calls.push((from as u32, to as u32));
        for (at, node) in p.nodes.iter().enumerate() {
            match *node {
                Node::Var(_, run)
                | Node::Able(_, run, _)
                | Node::Call(_, run)
                | Node::List(run, _)
                | Node::Folded(_, _, run) => {
                    run.of(&p.lists).iter().for_each(|id| call(at, *id as usize));
                }
                Node::Apply(body, run) => {
                    run.of(&p.lists).iter().for_each(|id| call(at, *id as usize));
                    call(at, body_vertex(body));
                }
                Node::Field(a, _) | Node::Not(a) | Node::Minus(a) | Node::IsEmpty(a) => call(at, a as usize),
                Node::Binary(_, a, b) | Node::Quantified(_, _, a, b) | Node::Filtered(_, a, b) => {
                    [a, b].iter().for_each(|id| call(at, *id as usize));
                }
                Node::If(a, b, c) => [a, b, c].iter().for_each(|id| call(at, *id as usize)),
                Node::Traced(origin, path) => {
                    call(at, origin as usize);
                    call(at, path_vertex(path));
                }
                Node::Const(_)
                | Node::Slot(_)
                | Node::Bound(_)
                | Node::Mark(_)
                | Node::Context(_)
                | Node::Last(_)
                | Node::Times(..)
                | Node::Rows(_) => {}
            }
        }
        for (at, path) in p.paths.iter().enumerate() {
            for item in path.branches.of(&p.branches).iter().flat_map(|branch| branch.of(&p.items)) {
                match &item.atom {
                    Atom::Group(group) => call(nodes + at, path_vertex(*group)),
                    Atom::Test(code) => call(nodes + at, code.root as usize),
                    _ => {}
                }
            }
        }
        for (at, body) in p.bodies.iter().enumerate() {
            body.codes.iter().for_each(|code| call(nodes + paths + at, code.root as usize));
        }
        let count = nodes + paths + p.bodies.len();
        let Some(stuck) = first_in_circle(count, &mut calls) else { return Ok(()) };
        let (pool, index) = if stuck < nodes {
            ("nodes", stuck)
        } else if stuck < nodes + paths {
            ("paths", stuck - nodes)
        } else {
            ("bodies", stuck - nodes - paths)
        };
        Err(Refusal { pool, index, what: "it calls itself, directly or through others" })
    }
}

/// A vertex that cannot be put in order, if there is one.
fn first_in_circle(count: usize, calls: &mut [(u32, u32)]) -> Option<usize> {
    // By callee: whoever waits for it.
    calls.sort_unstable_by_key(|(_, to)| *to);
    let mut waiting = vec![0_u32; count];
    for (from, _) in calls.iter() {
        if let Some(number) = waiting.get_mut(*from as usize) {
            *number += 1;
        }
    }
    let mut ready: Vec<usize> = (0..count).filter(|at| waiting.get(*at) == Some(&0)).collect();
    while let Some(done) = ready.pop() {
        let first = calls.partition_point(|(_, to)| (*to as usize) < done);
        let callers = calls.get(first..).unwrap_or(&[]).iter().take_while(|(_, to)| *to as usize == done);
        for (from, _) in callers {
            if let Some(number) = waiting.get_mut(*from as usize) {
                *number -= 1;
                if *number == 0 {
                    ready.push(*from as usize);
                }
            }
        }
    }
    waiting.iter().position(|number| *number > 0)
}

/// Whether a step stays within the length of the longest board.
fn step(files: i8, ranks: i8) -> bool {
    files.unsigned_abs() as u16 <= MAX_SIDE && ranks.unsigned_abs() as u16 <= MAX_SIDE
}

/// Whether a site is one of a program's board.
pub fn is_site(program: &Program, site: Site) -> bool {
    usize::from(site) < program.board.len()
}
