//! From the draft of a file and those of its bases to one list of sections and clauses in force.
//!
//! Invariant: after layering each clause number is there once, and every clause that was replaced or
//! dropped is remembered with what replaced it. Nothing is resolved or typed here.

use std::sync::Arc;

use rulebook_syntax::{Diagnostic, Source, codes};

use crate::draft::{ClauseDraft, Draft, FormDraft, Loc, read, suggest};
use crate::ruleset::Replaced;

/// Finds the text of a rule file by its id.
pub type Resolve<'a> = &'a dyn Fn(&str) -> Option<Arc<Source>>;

/// The id of the file with the macros and definitions that every rule file may use.
pub const PRELUDE: &str = "prelude";

/// Most files in layers, the prelude included.
pub const MAX_LAYERS: usize = 16;

/// A clause with the file it stands in.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) clause: ClauseDraft,
    pub(crate) origin: String,
}

/// Files in layers, the base first, and the clauses in force.
#[derive(Debug)]
pub(crate) struct Layers {
    pub(crate) drafts: Vec<Draft>,
    pub(crate) clauses: Vec<Placed>,
    pub(crate) replaced: Vec<Replaced>,
    /// Clauses that have no place among those in force, by a fault that was reported. They are checked
    /// like the others, so that their own faults are told in the same run.
    pub(crate) unplaced: Vec<Placed>,
}

/// Reads a file and its bases and puts them in layers: each base with its own bases before the next one, and
/// a file that is reached twice where it was reached first.
pub(crate) fn stack(source: &Arc<Source>, resolve: Resolve<'_>) -> (Option<Layers>, Vec<Diagnostic>) {
    let mut stack = Stack { drafts: Vec::new(), path: Vec::new(), out: Vec::new(), resolve };
    let whole = stack.add(None, source).is_some();
    let Stack { drafts, mut out, .. } = stack;
    if !whole {
        return (None, out);
    }
    let mut layers = Layers { drafts, clauses: Vec::new(), replaced: Vec::new(), unplaced: Vec::new() };
    layers.merge(&mut out);
    (Some(layers), out)
}

/// Files on their way into layers.
struct Stack<'a> {
    drafts: Vec<Draft>,
    /// The files that stand on the one that is read.
    path: Vec<String>,
    out: Vec<Diagnostic>,
    resolve: Resolve<'a>,
}

impl Stack<'_> {
    /// Adds a file behind its bases. Without one of its layers nothing of a file can be judged, and its other
    /// faults are not known.
    fn add(&mut self, name: Option<&Loc>, source: &Arc<Source>) -> Option<()> {
        let (draft, mut faults) = read(source);
        self.out.append(&mut faults);
        let draft = draft?;
        if let Some(name) = name.filter(|name| name.text != draft.id.text) {
            let message = format!("the rule file `{}` calls itself `{}`", name.text, draft.id.text);
            let fault = name.error(codes::LAYER_UNKNOWN_BASE, message);
            self.out.push(fault.also(&draft.id.source, draft.id.span, "its id"));
            return None;
        }
        let mut bases = draft.extends.clone();
        if bases.is_empty() && draft.id.text != PRELUDE {
            bases.push(Loc { text: PRELUDE.into(), ..draft.id.clone() });
        }
        self.path.push(draft.id.text.clone());
        for base in &bases {
            self.base(base)?;
        }
        self.path.pop();
        self.drafts.push(draft);
        Some(())
    }

    fn base(&mut self, base: &Loc) -> Option<()> {
        if self.path.contains(&base.text) {
            let message = format!("`{}` extends itself in a circle", base.text);
            self.out.push(base.error(codes::LAYER_CYCLE, message));
            return None;
        }
        if self.drafts.iter().any(|draft| draft.id.text == base.text) {
            return Some(());
        }
        if self.drafts.len() + self.path.len() >= MAX_LAYERS {
            let message = format!("a rule file stands on at most {MAX_LAYERS} layers");
            self.out.push(base.error(codes::LIMIT_EXCEEDED, message));
            return None;
        }
        match (self.resolve)(&base.text) {
            Some(source) => self.add(Some(base), &source),
            None if base.text == PRELUDE => Some(()),
            None => {
                let message = format!("there is no rule file `{}`", base.text);
                self.out.push(base.error(codes::LAYER_UNKNOWN_BASE, message).help(
                    "a base is named by its id, which is its path below the rules folder without `.yaml`",
                ));
                None
            }
        }
    }
}

impl Layers {
    fn merge(&mut self, out: &mut Vec<Diagnostic>) {
        for draft in std::mem::take(&mut self.drafts) {
            for id in &draft.without {
                if let Some(at) = self.find(&id.text) {
                    let gone = self.clauses.remove(at);
                    self.replaced.push(Replaced {
                        id: gone.clause.id.text,
                        origin: gone.origin,
                        by: draft.id.text.clone(),
                    });
                } else {
                    out.push(self.dangling(id, "drops"));
                }
            }
            let circular = cycles(&draft, out);
            for clause in draft.clauses.iter().filter(|clause| !circular.contains(&clause.id.text)) {
                self.place(clause, &draft, out);
            }
            self.drafts.push(draft);
        }
    }

    fn find(&self, id: &str) -> Option<usize> {
        self.clauses.iter().position(|placed| placed.clause.id.text == id)
    }

    fn dangling(&self, id: &Loc, verb: &str) -> Diagnostic {
        if let Some(gone) = self.replaced.iter().find(|gone| gone.id == id.text) {
            let message =
                format!("this {verb} clause `{}`, which `{}` has already replaced", id.text, gone.by);
            return id.error(codes::LAYER_DANGLING, message);
        }
        let message = format!("this {verb} clause `{}`, which is in no base", id.text);
        let known = self.clauses.iter().map(|placed| placed.clause.id.text.as_str());
        suggest(id.error(codes::LAYER_DANGLING, message), &id.text, known)
    }

    /// A clause that gives another one a new number and sentence has the formal part of that one.
    fn renumbered(&self, clause: &ClauseDraft) -> ClauseDraft {
        let Some(FormDraft::Renumber(target)) = &clause.form else { return clause.clone() };
        let mut made = clause.clone();
        made.overrides = Some(target.clone());
        if let Some(base) = self.find(&target.text).and_then(|at| self.clauses.get(at)) {
            made = ClauseDraft {
                id: clause.id.clone(),
                title: clause.title.clone(),
                says: clause.says.clone(),
                cites: clause.cites.clone(),
                overrides: made.overrides,
                ..base.clause.clone()
            };
        }
        made
    }

    fn place(&mut self, clause: &ClauseDraft, draft: &Draft, out: &mut Vec<Diagnostic>) {
        let origin = draft.id.text.clone();
        let clause = &self.renumbered(clause);
        let placed = Placed { clause: clause.clone(), origin: origin.clone() };
        let twin = self.find(&clause.id.text);
        let Some(target) = &clause.overrides else {
            if let Some(twin) = twin.and_then(|at| self.clauses.get(at)) {
                let base = &twin.clause.id;
                let message = format!("clause `{}` is already in `{}`", clause.id.text, twin.origin);
                out.push(
                    clause
                        .id
                        .error(codes::LAYER_UNNAMED_OVERRIDE, message)
                        .also(&base.source, base.span, "the clause of the base")
                        .help(format!("add `overrides: \"{}\"`, or give it another number", clause.id.text)),
                );
                self.unplaced.push(placed);
                return;
            }
            self.clauses.push(placed);
            return;
        };
        if let (Some(at), true) = (twin, target.text != clause.id.text) {
            let base = &self.clauses[at].clause.id;
            let message = format!("clause `{}` is already in force", clause.id.text);
            out.push(clause.id.error(codes::LAYER_UNNAMED_OVERRIDE, message).also(
                &base.source,
                base.span,
                "this one",
            ));
            self.unplaced.push(placed);
            return;
        }
        match self.find(&target.text) {
            Some(at) if self.clauses[at].origin != origin => {
                let gone = std::mem::replace(&mut self.clauses[at], placed);
                self.replaced.push(Replaced {
                    id: gone.clause.id.text,
                    origin: gone.origin,
                    by: clause.id.text.clone(),
                });
            }
            Some(at) => {
                let first = &self.clauses[at].clause;
                let twice = first.overrides.as_ref().is_some_and(|other| other.text == target.text);
                let (code, message) = if twice {
                    (codes::LAYER_DOUBLE_OVERRIDE, format!("two clauses override `{}`", target.text))
                } else {
                    (codes::LAYER_DANGLING, format!("clause `{}` is of this same file", target.text))
                };
                out.push(target.error(code, message).also(&first.id.source, first.id.span, "this one"));
                self.unplaced.push(placed);
            }
            None => {
                let rival = self.clauses.iter().find(|placed| {
                    placed.origin == origin
                        && placed.clause.overrides.as_ref().is_some_and(|other| other.text == target.text)
                });
                out.push(match rival {
                    Some(rival) => {
                        let message = format!("two clauses override `{}`", target.text);
                        let id = &rival.clause.id;
                        target.error(codes::LAYER_DOUBLE_OVERRIDE, message).also(
                            &id.source,
                            id.span,
                            "the other one",
                        )
                    }
                    None => self.dangling(target, "overrides"),
                });
                self.unplaced.push(placed);
            }
        }
    }
}

/// Clauses of one file that override each other in a circle; each circle is reported once.
fn cycles(draft: &Draft, out: &mut Vec<Diagnostic>) -> Vec<String> {
    let target = |id: &str| {
        let clause = draft.clauses.iter().find(|clause| clause.id.text == id)?;
        clause.overrides.as_ref().filter(|target| target.text != clause.id.text)
    };
    let mut circular: Vec<String> = Vec::new();
    for clause in draft.clauses.iter().filter(|clause| clause.overrides.is_some()) {
        let mut path: Vec<&str> = Vec::new();
        let mut at = Some(clause.id.text.as_str());
        while let Some(id) = at.filter(|id| !path.contains(id) && !circular.iter().any(|known| known == id)) {
            path.push(id);
            at = target(id).map(|loc| loc.text.as_str());
        }
        if at != Some(clause.id.text.as_str()) || circular.contains(&clause.id.text) {
            continue;
        }
        let message = format!("clause `{}` overrides itself in a circle", clause.id.text);
        let place = clause.overrides.as_ref().unwrap_or(&clause.id);
        out.push(place.error(codes::LAYER_OVERRIDE_CYCLE, message));
        circular.extend(path.into_iter().map(str::to_owned));
    }
    circular
}
