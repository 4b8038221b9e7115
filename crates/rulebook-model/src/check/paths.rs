//! Movement patterns: macros are expanded, directions and marks are looked up, tests are typed.
//!
//! Invariant: a finished pattern holds no macro and no name; `back` only names marks set before it.

use std::sync::Arc;

use rulebook_syntax::ast::{self, Argument, Name};
use rulebook_syntax::{Diagnostic, Source, codes};

use super::Checker;
use super::names::Scope;
use crate::board::Direction;
use crate::draft::suggest;
use crate::ruleset::{Atom, Item, Path};
use crate::types::Type;

/// Most marks of one pattern.
const MAX_MARKS: usize = 8;
/// Most items of all patterns of a rule set, macros expanded.
const MAX_ITEMS: usize = 20_000;
/// How macros are told from definitions among what is open.
const MACRO: &str = "macro ";
/// The words of patterns, which no macro can be called by.
pub(super) const WORDS: [&str; 7] = ["step", "jump", "face", "veer", "take", "mark", "back"];

/// The parameter of the macro that is being expanded, with its argument.
type Bound<'a> = Option<(&'a str, &'a Given)>;

/// An argument, looked up.
enum Given {
    Vector(i16, i16),
    Dirs(Vec<Direction>),
}

impl Checker<'_> {
    /// Resolves a pattern. New marks are added to the scope.
    pub(super) fn path(&mut self, path: &ast::Path, scope: &mut Scope) -> Path {
        let mut inner = scope.inside_pattern();
        let made = self.branches(path, &mut inner, None);
        scope.marks = inner.marks;
        made
    }

    fn branches(&mut self, path: &ast::Path, scope: &mut Scope, bound: Bound<'_>) -> Path {
        let mut branches = Vec::new();
        for branch in &path.branches {
            let mut items = Vec::new();
            for item in branch {
                if !self.is_within_bounds(item, scope) {
                    return Path::default();
                }
                if let Some(atom) = self.atom(&item.atom, scope, bound) {
                    items.push(Item { atom, least: item.least, most: item.most });
                }
            }
            branches.push(items);
        }
        Path { branches, marks: Vec::new() }
    }

    /// Counts an item; the first one too many is reported where its macro is called.
    fn is_within_bounds(&mut self, item: &ast::Item, scope: &Scope) -> bool {
        self.items += 1;
        if self.items == MAX_ITEMS + 1 {
            let called = self.open.iter().find(|(name, ..)| name.starts_with(MACRO));
            let (source, span) =
                called.map_or((&scope.source, item.span), |(_, source, span)| (source, *span));
            let message = format!("patterns grow to more than {MAX_ITEMS} items here");
            self.out.push(Diagnostic::error(codes::LIMIT_EXCEEDED, source, span, message));
        }
        self.items <= MAX_ITEMS
    }

    fn atom(&mut self, atom: &ast::Atom, scope: &mut Scope, bound: Bound<'_>) -> Option<Atom> {
        Some(match atom {
            ast::Atom::Group(path) => Atom::Group(self.branches(path, scope, bound)),
            ast::Atom::Test(test) => Atom::Test(self.code(test, &Type::Truth, scope)),
            ast::Atom::Step(None) => Atom::Ahead,
            ast::Atom::Step(Some(dirs)) => Atom::Step(self.steps(dirs, scope, bound)),
            ast::Atom::Face(dirs) => Atom::Face(self.steps(dirs, scope, bound)),
            ast::Atom::Jump(a, b) => Atom::Jump(mirrorings(*a, *b)),
            ast::Atom::JumpNamed(name) => match bound {
                Some((parameter, Given::Vector(a, b))) if parameter == name.text => {
                    Atom::Jump(mirrorings(*a, *b))
                }
                _ => {
                    let message = format!("`{}` is not a distance such as `(1, 2)`", name.text);
                    self.fault(&scope.source, codes::NAME_UNKNOWN, name.span, message);
                    return None;
                }
            },
            ast::Atom::Veer => Atom::Veer,
            ast::Atom::Take => Atom::Take,
            ast::Atom::Mark(name) => {
                let at = scope.marks.iter().position(|mark| *mark == name.text).unwrap_or(scope.marks.len());
                if at == scope.marks.len() {
                    if at >= MAX_MARKS {
                        let message = format!("a pattern has at most {MAX_MARKS} marks");
                        self.fault(&scope.source, codes::LIMIT_EXCEEDED, name.span, message);
                        return None;
                    }
                    self.is_free(name, &scope.source);
                    scope.marks.push(name.text.clone());
                }
                Atom::Mark(at as u8)
            }
            ast::Atom::Back(name) => match scope.marks.iter().position(|mark| *mark == name.text) {
                Some(at) => Atom::Back(at as u8),
                None if self.lost.contains(&name.text) => return None,
                None => {
                    let message = format!("nothing was marked `{}` before", name.text);
                    let fault = Diagnostic::error(codes::NAME_UNKNOWN, &scope.source, name.span, message);
                    let known = scope.marks.iter().map(String::as_str);
                    self.out.push(suggest(fault, &name.text, known));
                    return None;
                }
            },
            ast::Atom::Expansion(name, argument) => {
                return self.expansion(name, argument.as_ref(), scope, bound).map(Atom::Group);
            }
        })
    }

    fn steps(&mut self, dirs: &[Name], scope: &Scope, bound: Bound<'_>) -> Vec<Direction> {
        let mut found = Vec::new();
        for name in dirs {
            match bound {
                Some((parameter, Given::Dirs(steps))) if parameter == name.text => found.extend(steps),
                _ => found.extend(self.dirs(std::slice::from_ref(name), &scope.source)),
            }
        }
        found
    }

    fn expansion(
        &mut self,
        name: &Name,
        argument: Option<&Argument>,
        scope: &mut Scope,
        bound: Bound<'_>,
    ) -> Option<Path> {
        let source = Arc::clone(&scope.source);
        let Some(made) = self.macros.iter().find(|made| made.head.name.text == name.text).cloned() else {
            self.unknown_macro(name, &source);
            return None;
        };
        let key = format!("{MACRO}{}", name.text);
        self.used.insert(key.clone());
        if self.open.iter().any(|(open, ..)| *open == key) {
            let message = format!("the macro `{}` contains itself", name.text);
            self.fault(&source, codes::DEFINE_CYCLE, name.span, message);
            return None;
        }
        let given = match argument {
            None => None,
            Some(Argument::Vector(a, b)) => Some(Given::Vector(*a, *b)),
            Some(Argument::Dirs(dirs)) => match bound {
                // A macro hands its own distance on to another one.
                Some((parameter, Given::Vector(a, b))) if dirs.iter().all(|dir| dir.text == parameter) => {
                    Some(Given::Vector(*a, *b))
                }
                _ => Some(Given::Dirs(self.steps(dirs, scope, bound))),
            },
        };
        let parameter = made.head.parameters.first().map(|name| name.text.as_str());
        if parameter.is_some() != given.is_some() || made.head.parameters.len() > 1 {
            let wanted = made.head.parameters.len();
            let message = format!("the macro `{}` takes {wanted} argument(s)", name.text);
            self.fault(&source, codes::TYPE_ARITY, name.span, message);
            return None;
        }
        self.open.push((key, Arc::clone(&source), name.span));
        scope.source = Arc::clone(&made.body.source);
        let path = self.deeper(name.span, &source, |this| {
            Some(this.branches(&made.body.it, scope, parameter.zip(given.as_ref())))
        });
        scope.source = source;
        self.open.pop();
        path
    }

    fn unknown_macro(&mut self, name: &Name, source: &Arc<Source>) {
        if self.lost.contains(&name.text) {
            return;
        }
        let message = format!("`{}` is neither a word of patterns nor a macro", name.text);
        let fault = Diagnostic::error(codes::NAME_UNKNOWN, source, name.span, message);
        let known = self.macros.iter().map(|made| made.head.name.text.as_str()).chain(WORDS);
        let fault = suggest(fault, &name.text, known);
        self.out.push(fault);
    }
}

/// All eight (or four) sites at a distance.
fn mirrorings(a: i16, b: i16) -> Vec<(i16, i16)> {
    let mut all: Vec<(i16, i16)> =
        [(a, b), (b, a)].into_iter().flat_map(|(x, y)| [(x, y), (-x, y), (x, -y), (-x, -y)]).collect();
    all.sort_unstable();
    all.dedup();
    all
}
