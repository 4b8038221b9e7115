//! Walks the terms that clauses hold, definitions and patterns opened.
//!
//! Invariant: every term is seen once at most, and no depth of terms takes stack.

use crate::program::{Atom, Builtin, Clause, Code, Context, Effect, Form, Node, Program, Run};

/// What is still to be looked at.
enum Todo {
    Node(u32),
    Path(u32),
    Body(u16),
    Applied(u16),
}

/// A walk over the terms of a program.
struct Walk<'p> {
    program: &'p Program,
    todo: Vec<Todo>,
    nodes: Vec<bool>,
    paths: Vec<bool>,
    bodies: Vec<bool>,
    applied: Vec<bool>,
}

/// Marks a place; whether it was not marked before.
fn fresh(marks: &mut [bool], at: usize) -> bool {
    marks.get_mut(at).is_some_and(|mark| !std::mem::replace(mark, true))
}

impl<'p> Walk<'p> {
    fn of(program: &'p Program) -> Self {
        Self {
            program,
            todo: Vec::new(),
            nodes: vec![false; program.nodes.len()],
            paths: vec![false; program.paths.len()],
            bodies: vec![false; program.bodies.len()],
            applied: vec![false; program.clauses.len()],
        }
    }

    fn code(&mut self, code: Code) {
        self.todo.push(Todo::Node(code.root));
    }

    fn codes(&mut self, codes: impl IntoIterator<Item = Code>) {
        codes.into_iter().for_each(|code| self.code(code));
    }

    fn choices(&mut self, run: Run) {
        self.codes(run.of(&self.program.choices).iter().map(|choice| choice.domain));
    }

    /// Effects stand in effects before them only, and the verifier has limited how deep.
    fn effects(&mut self, run: Run) {
        for effect in run.of(&self.program.effects) {
            match effect {
                Effect::If(code, yes, no) => {
                    self.code(*code);
                    self.effects(*yes);
                    self.effects(*no);
                }
                Effect::For(_, code, body) => {
                    self.code(*code);
                    self.effects(*body);
                }
                Effect::Move(a, b) | Effect::Give(a, b) => self.codes([*a, *b]),
                Effect::Remove(code) | Effect::End(code) | Effect::Turn(code) | Effect::Restore(code) => {
                    self.code(*code);
                }
                Effect::Apply(clause, given) => {
                    self.codes(given.iter().copied());
                    self.todo.push(Todo::Applied(*clause));
                }
                Effect::Put(a, b, c) => self.codes([*a, *c].into_iter().chain(*b)),
                Effect::Again => {}
                Effect::Set(_, index, value) => self.codes(index.iter().copied().chain([*value])),
            }
        }
    }

    /// The terms of a clause about plies; those of others are left out.
    fn clause(&mut self, clause: &Clause) {
        match &clause.form {
            Form::Move { path, choices, then, .. } => {
                self.todo.push(Todo::Path(*path));
                self.choices(*choices);
                self.effects(*then);
            }
            Form::Act { choices, then, .. } | Form::After { choices, then, .. } => {
                self.choices(*choices);
                self.effects(*then);
            }
            Form::Forbid { banned: code, .. } | Form::Most { measure: code, .. } | Form::Turn(code) => {
                self.code(*code);
            }
            _ => return,
        }
        self.codes(clause.when.into_iter().chain(clause.unless));
    }

    /// Whether one of the terms fits, and all that they call.
    fn any(mut self, fits: impl Fn(&Node) -> bool) -> bool {
        while let Some(todo) = self.todo.pop() {
            match todo {
                Todo::Path(at) if fresh(&mut self.paths, at as usize) => {
                    let branches = self.program.paths.get(at as usize).map_or(Run::default(), |p| p.branches);
                    let items = branches.of(&self.program.branches).iter();
                    for item in items.flat_map(|branch| branch.of(&self.program.items)) {
                        match &item.atom {
                            Atom::Group(path) => self.todo.push(Todo::Path(*path)),
                            Atom::Test(code) => self.todo.push(Todo::Node(code.root)),
                            _ => {}
                        }
                    }
                }
                Todo::Body(at) if fresh(&mut self.bodies, at.into()) => {
                    let codes = self.program.bodies.get(usize::from(at)).map_or(&[][..], |body| &body.codes);
                    self.codes(codes.iter().copied());
                }
                Todo::Applied(at) if fresh(&mut self.applied, at.into()) => {
                    let Some(clause) = self.program.clauses.get(usize::from(at)) else { continue };
                    let Form::Applied { choices, then } = &clause.form else { continue };
                    self.choices(*choices);
                    self.codes(clause.when.into_iter().chain(clause.unless));
                    self.effects(*then);
                }
                Todo::Node(at) if fresh(&mut self.nodes, at as usize) => {
                    let Some(node) = self.program.nodes.get(at as usize) else { continue };
                    if fits(node) {
                        return true;
                    }
                    self.parts(node);
                }
                _ => {}
            }
        }
        false
    }

    fn parts(&mut self, node: &Node) {
        let mut push = |id: u32| self.todo.push(Todo::Node(id));
        match *node {
            Node::Var(_, run)
            | Node::Able(_, run, _)
            | Node::Call(_, run)
            | Node::List(run, _)
            | Node::Folded(_, _, run) => {
                run.of(&self.program.lists).iter().copied().for_each(push);
            }
            Node::Apply(body, run) => {
                run.of(&self.program.lists).iter().copied().for_each(push);
                self.todo.push(Todo::Body(body));
            }
            Node::Field(a, _) | Node::Not(a) | Node::Minus(a) | Node::IsEmpty(a) => push(a),
            Node::Binary(_, a, b) | Node::Quantified(_, _, a, b) | Node::Filtered(_, a, b) => {
                [a, b].into_iter().for_each(push);
            }
            Node::If(a, b, c) => [a, b, c].into_iter().for_each(push),
            Node::Traced(origin, path) => {
                push(origin);
                self.todo.push(Todo::Path(path));
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
}

/// Where in `lists` the conditions on plies begin that mention no ply.
pub(crate) fn quick_conditions(program: &Program) -> Vec<u32> {
    let conditions = program.nodes.iter().filter_map(|node| match node {
        Node::Able(None, run, _) if run.len > 0 => Some(*run),
        _ => None,
    });
    let quick = conditions.filter(|run| !mention_plies(program, run.of(&program.lists)));
    quick.map(|run| run.start).collect()
}

/// Whether terms mention the ply at hand: its sites and pieces, what it changed, what was chosen and marked.
fn mention_plies(program: &Program, terms: &[u32]) -> bool {
    let mut walk = Walk::of(program);
    walk.todo.extend(terms.iter().map(|term| Todo::Node(*term)));
    let of_plies =
        [Context::Actor, Context::From, Context::To, Context::Piece, Context::Taken, Context::Changed];
    walk.any(|node| match node {
        Node::Bound(_) | Node::Mark(_) | Node::Last(_) => true,
        Node::Context(context) => of_plies.contains(context),
        _ => false,
    })
}

/// Whether plies may depend on what was played before, or on how much: besides the position then counts how it
/// came about.
pub(crate) fn plies_read_past(program: &Program) -> bool {
    let mut walk = Walk::of(program);
    program.clauses.iter().for_each(|clause| walk.clause(clause));
    walk.any(|node| {
        matches!(
            node,
            Node::Times(..)
                | Node::Last(_)
                | Node::Context(Context::Played | Context::Now)
                | Node::Call(Builtin::Restores, _)
        )
    })
}

/// A walk over the terms of endings.
fn walk_endings(program: &Program) -> Walk<'_> {
    let mut walk = Walk::of(program);
    for clause in &program.clauses {
        if let Form::Ends { condition, result, .. } = &clause.form {
            walk.codes([*condition, *result].into_iter().chain(clause.when).chain(clause.unless));
        }
    }
    walk
}

/// Whether endings may depend on something of the situation.
pub(crate) fn endings_read(program: &Program, context: Context) -> bool {
    walk_endings(program).any(|node| *node == Node::Context(context))
}

/// Whether endings may depend on what was played before.
pub(crate) fn endings_read_past(program: &Program) -> bool {
    walk_endings(program).any(|node| {
        let past = [Builtin::Restores, Builtin::Was, Builtin::WasOwner];
        match node {
            Node::Times(..) | Node::Last(_) => true,
            Node::Call(builtin, _) => past.contains(builtin),
            _ => false,
        }
    })
}

/// Whether a condition looks at nothing but where a ply begins and ends.
pub(crate) fn is_about_ends(program: &Program, code: Code) -> bool {
    let mut walk = Walk::of(program);
    walk.code(code);
    !walk.any(|node| {
        let known = match node {
            Node::Context(context) => matches!(context, Context::From | Context::To),
            Node::Call(builtin, _) => matches!(
                builtin,
                Builtin::File
                    | Builtin::Rank
                    | Builtin::At
                    | Builtin::Files
                    | Builtin::Ranks
                    | Builtin::Between
                    | Builtin::Count
                    | Builtin::Min
                    | Builtin::Max
                    | Builtin::Abs
                    | Builtin::Floor
            ),
            Node::Const(_)
            | Node::List(..)
            | Node::Not(_)
            | Node::Minus(_)
            | Node::Binary(..)
            | Node::IsEmpty(_)
            | Node::If(..) => true,
            _ => false,
        };
        !known
    })
}
