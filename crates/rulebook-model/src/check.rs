//! From layered drafts to a checked rule set: names, types, units, conflicts.
//!
//! Invariant: the checker reports everything it can find in one run, each fault once. It makes a
//! `RuleSet` even of a faulty file, so that later checks can run; the caller throws that away.

mod clauses;
mod conflicts;
mod constants;
mod declare;
mod define;
mod derive;
mod effects;
mod exchange;
mod functions;
mod names;
mod notation;
mod operators;
mod pairing;
mod paths;
mod terms;

pub(crate) use derive::{conduct, walk, walk_clause};

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use rulebook_syntax::{Diagnostic, Severity, Source, Span, codes};

use crate::board::{Board, Direction};
use crate::draft::{DefineDraft, Draft, Loc, MacroDraft, suggest};
use crate::layer::{Layers, PRELUDE};
use crate::ruleset::{Definition, RuleSet, UNITS};
use crate::types::Type;
use names::Scope;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Player(u8),
    Kind(u8),
    Param(usize),
    Var(u16),
    Define(usize),
    Table(u16),
    Phase(usize),
}

/// A definition with the types of its arguments and the contexts that it is used in.
type Use = (usize, Vec<Type>, u32);

/// What is declared, on the way to a rule set.
struct Checker<'a> {
    out: &'a mut Vec<Diagnostic>,
    rules: RuleSet,
    units: Vec<String>,
    names: HashMap<String, (Meaning, Loc)>,
    defines: Vec<DefineDraft>,
    macros: Vec<MacroDraft>,
    directions: BTreeMap<String, Vec<Direction>>,
    /// Bodies made so far with their types and heights, by definition, argument types and contexts.
    instances: HashMap<Use, (u16, Type, usize)>,
    /// Definitions and macros that are being opened, each with the place of its use, to find circles.
    open: Vec<(String, Arc<Source>, Span)>,
    /// Definitions whose circles were reported.
    circular: BTreeSet<String>,
    used: BTreeSet<String>,
    /// Names whose declarations could not be read: reported there, and not again where they are used.
    lost: BTreeSet<String>,
    /// The type of the number whose equals form a bracket.
    bracket_type: Type,
    /// Whether the board, or the letters of a placement, are wrong, so that sites cannot be judged.
    no_sites: bool,
    no_letters: bool,
    /// Types of what choices and marks bind.
    bound: HashMap<u16, Type>,
    /// The clauses that effects apply, as they are named, and what they get.
    applied: Vec<(Loc, Vec<(Type, Span)>)>,
    /// What choices and marks of plies bind.
    of_plies: clauses::Bindings,
    /// How deep terms stand inside each other, definitions opened, and the deepest that was met.
    depth: usize,
    reach: usize,
    too_deep: bool,
    /// Items of patterns so far, macros expanded.
    items: usize,
    /// Clauses with a fault of their own.
    faulty: BTreeSet<String>,
    /// Files whose unused names are reported: only the one that was asked for.
    top: Arc<Source>,
}

/// Checks layered drafts.
pub(crate) fn run(
    top: &Arc<Source>,
    layers: Layers,
    given: &[(String, String)],
    out: &mut Vec<Diagnostic>,
) -> Option<RuleSet> {
    let id = layers.drafts.last()?.id.text.clone();
    let mut checker = Checker {
        out,
        rules: empty(id),
        units: UNITS.iter().map(|unit| (*unit).to_owned()).collect(),
        names: HashMap::new(),
        defines: Vec::new(),
        macros: Vec::new(),
        directions: BTreeMap::new(),
        instances: HashMap::new(),
        open: Vec::new(),
        circular: BTreeSet::new(),
        used: BTreeSet::new(),
        lost: layers.drafts.iter().flat_map(|draft| draft.lost.iter().cloned()).collect(),
        bracket_type: Type::Unknown,
        no_sites: false,
        no_letters: false,
        bound: HashMap::new(),
        applied: Vec::new(),
        of_plies: Vec::new(),
        depth: 0,
        reach: 0,
        too_deep: false,
        items: 0,
        faulty: BTreeSet::new(),
        top: Arc::clone(top),
    };
    checker.declare(&layers.drafts, given);
    checker.start(&layers.drafts);
    checker.pairing(&layers.drafts);
    checker.clauses(&layers);
    checker.notation(&layers.drafts);
    checker.exchange(&layers.drafts);
    checker.definitions(&layers.drafts);
    checker.foundations(&layers.drafts);
    // What is not used may be what a fault kept from being used.
    if checker.out.iter().all(|diagnostic| diagnostic.severity != Severity::Error) {
        checker.unused(&layers.drafts);
    }
    let mut rules = checker.rules;
    derive::identity(&mut rules);
    rules.replaced = layers.replaced;
    rules.units = checker.units;
    conflicts::check(&rules, &checker.faulty, checker.out);
    Some(rules)
}

fn empty(id: String) -> RuleSet {
    RuleSet {
        id,
        title: Default::default(),
        lineage: Vec::new(),
        sources: Vec::new(),
        players: Vec::new(),
        phases: Vec::new(),
        units: Vec::new(),
        kinds: Vec::new(),
        board: Board::default(),
        params: Vec::new(),
        vars: Vec::new(),
        setup: Vec::new(),
        begins: 0,
        bodies: Vec::new(),
        bindings: Vec::new(),
        acts: Vec::new(),
        events: Vec::new(),
        arguments: Vec::new(),
        tables: Vec::new(),
        pairing: None,
        clauses: Vec::new(),
        replaced: Vec::new(),
        identity: Vec::new(),
        fleeting: Vec::new(),
        notation: Default::default(),
        clock: Vec::new(),
        definitions: Vec::new(),
    }
}

/// The index of a name in a list, which grows by it when it is new.
fn intern(list: &mut Vec<String>, name: &str) -> u16 {
    let at = list.iter().position(|known| known == name).unwrap_or_else(|| {
        list.push(name.to_owned());
        list.len() - 1
    });
    at as u16
}

impl Checker<'_> {
    fn fault(&mut self, source: &Arc<Source>, code: &'static str, span: Span, message: impl Into<String>) {
        self.out.push(Diagnostic::error(code, source, span, message));
    }

    /// Makes every definition without parameters available by name, and checks those never used.
    fn definitions(&mut self, drafts: &[Draft]) {
        for answer in drafts.iter().flat_map(|draft| &draft.answers) {
            if matches!(self.names.get(&answer.text), Some((Meaning::Define(_), _))) {
                self.used.insert(answer.text.clone());
            } else {
                let message = format!("there is no definition `{}`", answer.text);
                let known = self.defines.iter().map(|define| define.head.name.text.as_str());
                let fault = suggest(answer.error(codes::NAME_UNKNOWN, message), &answer.text, known);
                self.out.push(fault);
            }
        }
        for at in 0..self.defines.len() {
            let Some(define) = self.defines.get(at).cloned() else { continue };
            self.rules.definitions.push(Definition {
                name: define.head.name.text.clone(),
                parameters: define.head.parameters.iter().map(|name| name.text.clone()).collect(),
                answer: drafts
                    .iter()
                    .flat_map(|draft| &draft.answers)
                    .any(|answer| answer.text == define.head.name.text),
            });
            let never = !self.instances.keys().any(|(known, ..)| *known == at);
            if never {
                // Nobody fixed the types of its parameters: it is checked with open ones.
                let types = vec![Type::Unknown; define.head.parameters.len()];
                let scope = Scope::new(&define.at.source, names::ALL_CONTEXTS);
                self.instance(at, &types, &scope, define.at.span);
            }
        }
    }

    fn unused(&mut self, drafts: &[Draft]) {
        let Some(draft) = drafts.last().filter(|draft| draft.id.text != PRELUDE) else { return };
        let used = |name: &str| self.used.contains(name);
        let mut found = Vec::new();
        for define in &draft.define {
            let name = &define.head.name.text;
            if !used(name) {
                found.push(define.at.warning(codes::DEFINE_UNUSED, format!("`{name}` is used nowhere")));
            }
        }
        for made in &draft.macros {
            let name = &made.head.name.text;
            if !used(&format!("macro {name}")) {
                found.push(
                    made.at.warning(codes::DEFINE_UNUSED, format!("the macro `{name}` is used nowhere")),
                );
            }
        }
        for state in &draft.state {
            let name = &state.name.text;
            if !used(name) {
                found.push(state.name.warning(codes::DEFINE_UNUSED, format!("`{name}` is used nowhere")));
            }
        }
        for param in &draft.params {
            let name = &param.name.text;
            if !used(name) {
                let message = format!("the parameter `{name}` is used nowhere");
                found.push(param.name.warning(codes::PARAM_UNUSED, message));
            }
        }
        self.out.extend(found);
    }
}
