//! One to one lowering: each term, definition, pattern, effect and clause of a rule set as an entry of a pool.
//!
//! Invariant: children stand before parents, nothing is simplified and nothing is left out that an answer
//! could depend on; the same rule set always gives the same program.

use std::collections::HashMap;

use rulebook_machine::engine::{fits, room};
use rulebook_machine::position::{Huge, pack};
use rulebook_machine::program as flat;
use rulebook_machine::program::{NodeId, Program, Run};
use rulebook_model::ruleset::{
    ActFilter, ActText, Atom, Author, Builtin, Choice, Clause, Code, Context, Effect, Form, Index, Path,
    RuleSet, Term,
};
use rulebook_model::types::Type;
use rulebook_model::{Outcome, Phrase, Value};
use rulebook_syntax::ast::{Binary, Fold, Quantifier};

/// Why a rule set has no program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported(pub String);

impl std::fmt::Display for Unsupported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unsupported {}

type Lowered<T> = Result<T, Unsupported>;

fn unsupported<T>(what: impl Into<String>) -> Lowered<T> {
    Err(Unsupported(what.into()))
}

/// Most entries of a pool, so that their numbers have room.
const MAX_POOL: usize = 1 << 20;

/// The program of a rule set.
///
/// # Errors
/// The rule set needs more room than a machine has; the text says of what.
pub fn lower(rules: &RuleSet) -> Result<Program, Unsupported> {
    let mut lowering = Lowering { rules, program: Program::default(), known: HashMap::new() };
    lowering.head()?;
    lowering.vars()?;
    for body in &rules.bodies {
        let codes = lowering.codes(&body.codes)?;
        lowering.program.bodies.push(flat::Body { name: body.name.clone(), codes });
    }
    for (at, body) in rules.bodies.iter().enumerate() {
        let answers = &mut lowering.program.answers;
        match answers.iter_mut().find(|(name, _)| *name == body.name) {
            Some((_, bodies)) => bodies.push(at as u16),
            None => answers.push((body.name.clone(), vec![at as u16])),
        }
    }
    for clause in &rules.clauses {
        let clause = lowering.clause(clause)?;
        lowering.program.clauses.push(clause);
    }
    for text in rules.notation.names.iter().chain(&rules.notation.suffixes) {
        let remark = text.when.as_ref().map(|code| lowering.code(code)).transpose()?;
        lowering.program.remarks.push(remark);
    }
    lowering.finish()
}

/// Where a text of the notation section stands among the remarks of a program.
pub fn remark_of(rules: &RuleSet, text: &ActText) -> Option<usize> {
    let mut texts = rules.notation.names.iter().chain(&rules.notation.suffixes);
    texts.position(|known| std::ptr::eq(known, text))
}

struct Lowering<'r> {
    rules: &'r RuleSet,
    program: Program,
    /// Constants by value, so that each stands there once.
    known: HashMap<Value, u32>,
}

fn phrase(phrase: &Phrase) -> flat::Phrase {
    flat::Phrase { en: phrase.en.clone(), zh: phrase.zh.clone() }
}

/// An outcome as the machine knows it.
pub fn outcome(outcome: Outcome) -> flat::Outcome {
    match outcome {
        Outcome::Win(player) => flat::Outcome::Win(player),
        Outcome::Lose(player) => flat::Outcome::Lose(player),
        Outcome::Draw => flat::Outcome::Draw,
        Outcome::Void => flat::Outcome::Void,
        Outcome::AllLose => flat::Outcome::AllLose,
    }
}

impl Lowering<'_> {
    fn head(&mut self) -> Lowered<()> {
        let rules = self.rules;
        let program = &mut self.program;
        program.id.clone_from(&rules.id);
        program.title = phrase(&rules.title);
        program.players.clone_from(&rules.players);
        program.begins = rules.begins;
        program.kinds.clone_from(&rules.kinds);
        program.acts.clone_from(&rules.acts);
        program.events.clone_from(&rules.events);
        program.bindings.clone_from(&rules.bindings);
        let fields = |table: &rulebook_model::ruleset::Table| {
            (table.name.clone(), table.fields.iter().map(|(name, _)| name.clone()).collect())
        };
        program.tables = rules.tables.iter().map(fields).collect();
        let board = &rules.board;
        program.board = flat::Board {
            files: board.files,
            ranks: board.ranks,
            adjacent: board.adjacent.iter().map(|d| (d.files, d.ranks)).collect(),
            flipped: board.flipped.clone(),
            names: (0..board.len()).map(|site| board.name(site as u16)).collect(),
        };
        program.setup = rules.setup.iter().map(|cell| cell.kind().zip(cell.owner())).collect();
        program.identity.clone_from(&rules.identity);
        program.fleeting.clone_from(&rules.fleeting);
        if rules.kinds.len() > 128 {
            return unsupported(format!("{} kinds of pieces, where 128 have room", rules.kinds.len()));
        }
        if rules.clauses.len() > 1 << 15 {
            return unsupported(format!("{} clauses, where {} have room", rules.clauses.len(), 1 << 15));
        }
        Ok(())
    }

    fn vars(&mut self) -> Lowered<()> {
        let rules = self.rules;
        let (mut sets, mut nums) = (0_usize, 0_usize);
        for var in &rules.vars {
            let ty = match &var.ty {
                Type::Truth => flat::Type::Truth,
                Type::Number(_) => flat::Type::Number,
                Type::Text | Type::Phase => flat::Type::Text,
                Type::Player => flat::Type::Player,
                Type::Kind => flat::Type::Kind,
                Type::Site => flat::Type::Site,
                Type::Sites => flat::Type::Sites,
                Type::Row(_) => flat::Type::Row,
                _ => {
                    return unsupported(format!(
                        "the variable `{}` has a type that none is kept in",
                        var.name
                    ));
                }
            };
            let count = rules.values(&var.each);
            let next = if ty == flat::Type::Sites { &mut sets } else { &mut nums };
            let slot = *next;
            *next += count;
            let start = match (&var.start, ty) {
                (Value::Number(number), flat::Type::Number) => {
                    let (numerator, denominator) = number.to_parts();
                    if pack(numerator, denominator).is_none() {
                        return unsupported(format!("the first value of `{}` is out of range", var.name));
                    }
                    var.start.clone()
                }
                (Value::Site(site), flat::Type::Sites) => Value::sites(rulebook_model::Sites::one(*site)),
                (Value::Nothing, flat::Type::Sites) => Value::sites(rulebook_model::Sites::EMPTY),
                (start, _) => start.clone(),
            };
            let start = self.constant(&start)?;
            self.program.vars.push(flat::Var {
                name: var.name.clone(),
                ty,
                each: var
                    .each
                    .iter()
                    .map(|index| match index {
                        Index::Player => flat::Index::Player,
                        Index::Kind => flat::Index::Kind,
                    })
                    .collect(),
                count: u16::try_from(count).unwrap_or(u16::MAX),
                fleeting: var.fleeting,
                kept: var.kept,
                start,
                slot: u16::try_from(slot).unwrap_or(u16::MAX),
            });
        }
        Ok(())
    }

    fn finish(self) -> Lowered<Program> {
        let program = self.program;
        if !fits::<Huge>(&program) {
            let (sets, nums) = room(&program);
            return unsupported(format!(
                "{} sites, {} kinds, {} players, {sets} sets of sites and {nums} other values of variables need \
                 more room than 640, 128, 16, 16 and 128",
                program.board.len(),
                program.kinds.len(),
                program.players.len()
            ));
        }
        let pools = [
            program.nodes.len(),
            program.lists.len(),
            program.consts.len(),
            program.items.len(),
            program.effects.len(),
            program.texts.len(),
        ];
        if pools.into_iter().any(|len| len > MAX_POOL) {
            return unsupported(format!("more than {MAX_POOL} terms or other parts"));
        }
        Ok(program)
    }

    fn text(&mut self, text: &str) -> u32 {
        let texts = &mut self.program.texts;
        let at = texts.iter().position(|known| known == text).unwrap_or_else(|| {
            texts.push(text.to_owned());
            texts.len() - 1
        });
        at as u32
    }

    fn constant(&mut self, value: &Value) -> Lowered<u32> {
        if let Some(known) = self.known.get(value) {
            return Ok(*known);
        }
        let constant = match value {
            Value::Nothing => flat::Const::Nothing,
            Value::Truth(truth) => flat::Const::Truth(*truth),
            Value::Number(number) => {
                let (numerator, denominator) = number.to_parts();
                flat::Const::Number(numerator, denominator)
            }
            Value::Text(text) => flat::Const::Text(self.text(text)),
            Value::Player(player) => flat::Const::Player(*player),
            Value::Kind(kind) => flat::Const::Kind(*kind),
            Value::Site(site) => flat::Const::Site(*site),
            Value::Sites(sites) => {
                let mut words = vec![0_u64; self.rules.board.len().div_ceil(64)];
                for site in sites.iter() {
                    if let Some(word) = words.get_mut(usize::from(site) / 64) {
                        *word |= 1 << (site % 64);
                    }
                }
                flat::Const::Sites(words)
            }
            Value::List(values) => {
                let members: Lowered<Vec<u32>> = values.iter().map(|value| self.constant(value)).collect();
                flat::Const::List(members?)
            }
            Value::Row(..) => return unsupported("a row of a table as a constant"),
            Value::Outcome(made) => flat::Const::Outcome(outcome(*made)),
        };
        let at = self.program.consts.len() as u32;
        self.program.consts.push(constant);
        self.known.insert(value.clone(), at);
        Ok(at)
    }

    fn codes(&mut self, codes: &[Code]) -> Lowered<Vec<flat::Code>> {
        codes.iter().map(|code| self.code(code)).collect()
    }

    fn code(&mut self, code: &Code) -> Lowered<flat::Code> {
        let mut slots = code.slots;
        let root = self.term(&code.term, &mut slots)?;
        Ok(flat::Code { root, slots })
    }

    fn optional(&mut self, code: Option<&Code>) -> Lowered<Option<flat::Code>> {
        code.map(|code| self.code(code)).transpose()
    }

    fn push(&mut self, node: flat::Node) -> Lowered<NodeId> {
        let at = self.program.nodes.len();
        if at >= MAX_POOL {
            return unsupported(format!("more than {MAX_POOL} terms"));
        }
        self.program.nodes.push(node);
        Ok(at as NodeId)
    }

    fn list(&mut self, terms: &[Term], slots: &mut u16) -> Lowered<Run> {
        let ids: Lowered<Vec<NodeId>> = terms.iter().map(|term| self.term(term, slots)).collect();
        let ids = ids?;
        let run = Run { start: self.program.lists.len() as u32, len: ids.len() as u32 };
        self.program.lists.extend(ids);
        Ok(run)
    }

    /// Lowers a term; `slots` grows to the number of local names it needs.
    fn term(&mut self, term: &Term, slots: &mut u16) -> Lowered<NodeId> {
        use flat::Node;
        let mut slot = |at: u16| *slots = (*slots).max(at.saturating_add(1));
        let node = match term {
            Term::Const(value) => Node::Const(self.constant(value)?),
            Term::Slot(at) => {
                slot(*at);
                Node::Slot(*at)
            }
            Term::Bound(at) => Node::Bound(*at),
            Term::Mark(mark) => Node::Mark(*mark),
            Term::Context(context) => Node::Context(self::context(*context)),
            Term::Var(var, index) => Node::Var(*var, self.list(index, slots)?),
            Term::Call(builtin, terms) => Node::Call(self::builtin(*builtin), self.list(terms, slots)?),
            Term::Apply(body, terms) => Node::Apply(*body, self.list(terms, slots)?),
            Term::Able(act, before, after, most) => {
                let conditions: Vec<Term> =
                    [before, after].into_iter().flatten().map(|term| (**term).clone()).collect();
                Node::Able(*act, self.list(&conditions, slots)?, *most)
            }
            Term::Last(act) => Node::Last(*act),
            Term::Times(features) => Node::Times(features.identity, features.turn),
            Term::Rows(table) => Node::Rows(*table),
            Term::Field(row, field) => Node::Field(self.term(row, slots)?, *field),
            Term::List(terms, set) => Node::List(self.list(terms, slots)?, *set),
            Term::Not(inner) => Node::Not(self.term(inner, slots)?),
            Term::Minus(inner) => Node::Minus(self.term(inner, slots)?),
            Term::Binary(operator, a, b) => {
                let (a, b) = (self.term(a, slots)?, self.term(b, slots)?);
                Node::Binary(self::operator(*operator), a, b)
            }
            Term::IsEmpty(inner) => Node::IsEmpty(self.term(inner, slots)?),
            Term::If(a, b, c) => {
                let (a, b, c) = (self.term(a, slots)?, self.term(b, slots)?, self.term(c, slots)?);
                Node::If(a, b, c)
            }
            Term::Quantified(quantifier, at, domain, body) => {
                slot(*at);
                let (domain, body) = (self.term(domain, slots)?, self.term(body, slots)?);
                let quantifier = match quantifier {
                    Quantifier::All => flat::Quantifier::All,
                    Quantifier::Any => flat::Quantifier::Any,
                    Quantifier::No => flat::Quantifier::No,
                };
                Node::Quantified(quantifier, *at, domain, body)
            }
            Term::Filtered(at, domain, body) => {
                slot(*at);
                let (domain, body) = (self.term(domain, slots)?, self.term(body, slots)?);
                Node::Filtered(*at, domain, body)
            }
            Term::Folded(fold, at, parts) => {
                slot(*at);
                let fold = match fold {
                    Fold::Sum => flat::Fold::Sum,
                    Fold::Most => flat::Fold::Most,
                    Fold::Least => flat::Fold::Least,
                    Fold::Set => flat::Fold::Set,
                    Fold::List => flat::Fold::List,
                };
                Node::Folded(fold, *at, self.list(&parts[..], slots)?)
            }
            Term::Traced(origin, path) => {
                let origin = self.term(origin, slots)?;
                Node::Traced(origin, self.path(path)?)
            }
        };
        self.push(node)
    }

    fn path(&mut self, path: &Path) -> Lowered<u32> {
        let mut branches = Vec::with_capacity(path.branches.len());
        for branch in &path.branches {
            let mut items = Vec::with_capacity(branch.len());
            for item in branch {
                let directions = |all: &[rulebook_model::board::Direction]| {
                    all.iter()
                        .map(|d| flat::Direction { files: d.files, ranks: d.ranks, relative: d.relative })
                        .collect::<Vec<_>>()
                };
                let atom = match &item.atom {
                    Atom::Group(path) => flat::Atom::Group(self.path(path)?),
                    Atom::Test(code) => flat::Atom::Test(self.code(code)?),
                    Atom::Ahead => flat::Atom::Ahead,
                    Atom::Step(all) => flat::Atom::Step(directions(all)),
                    Atom::Jump(distances) => flat::Atom::Jump(distances.clone()),
                    Atom::Face(all) => flat::Atom::Face(directions(all)),
                    Atom::Veer => flat::Atom::Veer,
                    Atom::Take => flat::Atom::Take,
                    Atom::Mark(mark) => flat::Atom::Mark(*mark),
                    Atom::Back(mark) => flat::Atom::Back(*mark),
                };
                items.push(flat::Item { atom, least: item.least, most: item.most });
            }
            branches.push(Run { start: self.program.items.len() as u32, len: items.len() as u32 });
            self.program.items.extend(items);
        }
        let run = Run { start: self.program.branches.len() as u32, len: branches.len() as u32 };
        self.program.branches.extend(branches);
        let at = self.program.paths.len();
        if at >= MAX_POOL {
            return unsupported(format!("more than {MAX_POOL} patterns"));
        }
        self.program.paths.push(flat::Path { branches: run, marks: path.marks.clone() });
        Ok(at as u32)
    }

    fn choices(&mut self, choices: &[Choice]) -> Lowered<Run> {
        let mut lowered = Vec::with_capacity(choices.len());
        for choice in choices {
            lowered.push(flat::Choice { binding: choice.binding, domain: self.code(&choice.domain)? });
        }
        let run = Run { start: self.program.choices.len() as u32, len: lowered.len() as u32 };
        self.program.choices.extend(lowered);
        Ok(run)
    }

    fn effects(&mut self, effects: &[Effect]) -> Lowered<Run> {
        let mut lowered = Vec::with_capacity(effects.len());
        for effect in effects {
            lowered.push(match effect {
                Effect::If(code, yes, no) => {
                    let code = self.code(code)?;
                    flat::Effect::If(code, self.effects(yes)?, self.effects(no)?)
                }
                Effect::For(binding, code, body) => {
                    let code = self.code(code)?;
                    flat::Effect::For(*binding, code, self.effects(body)?)
                }
                Effect::Move(a, b) => flat::Effect::Move(self.code(a)?, self.code(b)?),
                Effect::Remove(a) => flat::Effect::Remove(self.code(a)?),
                Effect::Put(a, b, c) => {
                    let (a, b) = (self.code(a)?, self.optional(b.as_ref())?);
                    flat::Effect::Put(a, b, self.code(c)?)
                }
                Effect::Give(a, b) => flat::Effect::Give(self.code(a)?, self.code(b)?),
                Effect::Again => flat::Effect::Again,
                Effect::Turn(player) => flat::Effect::Turn(self.code(player)?),
                Effect::Apply(clause, given) => {
                    let given = given.iter().map(|code| self.code(code)).collect::<Lowered<Vec<_>>>()?;
                    flat::Effect::Apply(*clause, given)
                }
                Effect::Restore(plies) => flat::Effect::Restore(self.code(plies)?),
                Effect::Set(var, index, value) => {
                    let index = index.iter().map(|code| self.code(code)).collect::<Lowered<Vec<_>>>()?;
                    flat::Effect::Set(*var, index, self.code(value)?)
                }
                Effect::End(code) => flat::Effect::End(self.code(code)?),
            });
        }
        let run = Run { start: self.program.effects.len() as u32, len: lowered.len() as u32 };
        self.program.effects.extend(lowered);
        Ok(run)
    }

    fn clause(&mut self, clause: &Clause) -> Lowered<flat::Clause> {
        let rules = self.rules;
        let when = self.optional(clause.when.as_ref())?;
        let unless = self.optional(clause.unless.as_ref())?;
        let form = self.form(&clause.form)?;
        let mut reads: Vec<u16> = Vec::new();
        rules.visit_clause(clause, &mut |term| {
            if let Term::Var(var, _) = term {
                reads.push(*var);
            }
        });
        reads.sort_unstable();
        reads.dedup();
        Ok(flat::Clause {
            id: clause.id.clone(),
            title: phrase(&clause.title),
            says: phrase(&clause.says),
            cites: clause.cites.clone(),
            origin: clause.origin.clone(),
            when,
            unless,
            yields: clause.yields.clone(),
            captures: matches!(&clause.form, Form::Move { path, .. } if ends_on_pieces(path)),
            reads,
            form,
        })
    }

    fn form(&mut self, form: &Form) -> Lowered<flat::Form> {
        let filter = |acts: &ActFilter| match acts {
            ActFilter::Any => flat::Filter::Any,
            ActFilter::Only(acts) => flat::Filter::Only(acts.clone()),
        };
        Ok(match form {
            Form::Advice => flat::Form::Advice,
            Form::Move { kinds, act, path, choices, then } => flat::Form::Move {
                kinds: kinds.clone(),
                act: *act,
                path: self.path(path)?,
                choices: self.choices(choices)?,
                then: self.effects(then)?,
            },
            Form::Act { act, choices, then } => {
                flat::Form::Act { act: *act, choices: self.choices(choices)?, then: self.effects(then)? }
            }
            Form::Event { event, by, choices, then, otherwise } => flat::Form::Event {
                event: *event,
                by: match by {
                    Author::Anyone => flat::Author::Anyone,
                    Author::Arbiter => flat::Author::Arbiter,
                    Author::Player(code) => flat::Author::Player(self.code(code)?),
                },
                choices: self.choices(choices)?,
                then: self.effects(then)?,
                otherwise: otherwise.as_ref().map(|effects| self.effects(effects)).transpose()?,
            },
            Form::Applied { choices, then } => {
                let choices = self.choices(choices)?;
                flat::Form::Applied { choices, then: self.effects(then)? }
            }
            Form::After { acts, choices, then } => flat::Form::After {
                acts: filter(acts),
                choices: self.choices(choices)?,
                then: self.effects(then)?,
            },
            Form::Forbid { acts, before, banned } => {
                let mut asks = false;
                self.rules.visit(&banned.term, &mut |term| {
                    asks |= matches!(term, Term::Context(Context::Answerable));
                });
                flat::Form::Forbid { acts: filter(acts), before: *before, banned: self.code(banned)?, asks }
            }
            Form::Most { acts, measure } => {
                flat::Form::Most { acts: filter(acts), measure: self.code(measure)? }
            }
            Form::Turn(code) => flat::Form::Turn(self.code(code)?),
            Form::Ends { condition, result } => flat::Form::Ends {
                condition: self.code(condition)?,
                result: self.code(result)?,
                stops: is_plain(self.rules, &condition.term) && !is_draw(self.rules, &result.term),
            },
            Form::Rank(code) => {
                let mut tied = false;
                self.rules.visit(&code.term, &mut |term| {
                    tied |= matches!(term, Term::Context(Context::Tied));
                });
                flat::Form::Rank(self.code(code)?, tied)
            }
            // Pairings are chosen by an engine of their own.
            Form::Pairing(_) => flat::Form::Advice,
            Form::List { name, choices, columns } => {
                let choices = self.choices(choices)?;
                let columns: Lowered<Vec<(String, flat::Code)>> =
                    columns.iter().map(|(name, code)| Ok((name.clone(), self.code(code)?))).collect();
                flat::Form::List { name: name.clone(), choices, columns: columns? }
            }
        })
    }
}

/// Whether a pattern can end on a site where a piece stands: unless its last test asks for an empty one.
fn ends_on_pieces(path: &Path) -> bool {
    path.branches.iter().any(|branch| match branch.last().map(|item| &item.atom) {
        Some(Atom::Test(code)) => !asks_empty(&code.term),
        Some(Atom::Group(path)) => ends_on_pieces(path),
        _ => true,
    })
}

fn asks_empty(term: &Term) -> bool {
    match term {
        Term::Context(Context::Empty) => true,
        Term::Binary(Binary::And, a, b) => asks_empty(a) || asks_empty(b),
        _ => false,
    }
}

/// Whether a result is a draw whatever happens, definitions opened.
fn is_draw(rules: &RuleSet, term: &Term) -> bool {
    match term {
        Term::Const(value) => *value == Value::Outcome(Outcome::Draw),
        Term::If(_, yes, no) => is_draw(rules, yes) && is_draw(rules, no),
        Term::Apply(at, _) => rules.bodies.get(usize::from(*at)).is_some_and(|body| {
            !body.codes.is_empty() && body.codes.iter().all(|code| is_draw(rules, &code.term))
        }),
        _ => false,
    }
}

/// Whether a condition can be read off the board alone: no history, no counting of plies, no possible acts.
fn is_plain(rules: &RuleSet, term: &Term) -> bool {
    let mut plain = true;
    rules.visit(term, &mut |term| {
        plain &= !matches!(
            term,
            Term::Context(Context::Stuck | Context::Played | Context::Now)
                | Term::Able(..)
                | Term::Times(_)
                | Term::Last(_)
                | Term::Call(Builtin::Restores, _)
        );
    });
    plain
}

macro_rules! same_names {
    ($(#[$doc:meta])* $name:ident: $from:ty => $to:ty { $($variant:ident)* }) => {
        $(#[$doc])*
        fn $name(from: $from) -> $to {
            match from {
                $(<$from>::$variant => <$to>::$variant,)*
            }
        }
    };
}

same_names! { context: Context => flat::Context {
    Mover Actor From To Piece Taken Changed Here Empty Enemy Own Played Tied Stuck Answerable Now
} }

same_names! { operator: Binary => flat::Operator {
    And Or Eq Ne Lt Le Gt Ge In NotIn Range Plus Less Times Over Mod Both
} }

same_names! { builtin: Builtin => flat::Builtin {
    Empties Occupied AllSites Owned Pieces Kind Owner Was WasOwner Owners Kinds File Rank At Ranks Files
    Neighbours Connected Groups Between Count Only Attacked Attackers Restores Next Players Win Lose Draw Void
    AllLose Plies Moves Min Max Abs Floor
} }
