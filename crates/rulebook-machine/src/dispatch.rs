//! Which clauses are looked at: lists by the phase of the game, and within a phase by event.
//!
//! Law: a clause is left out of the lists of a phase only where it says itself that it is not in force there,
//! so that looking at it would find that it does not apply. The order is that of the program.

use crate::program::{Clause, Code, Const, Form, Node, Operator, Program, Type};

/// The variable that holds the phase of the game, where there are phases: the first of all.
const PHASE: u16 = 0;

/// The clauses by what they do, in the order of the program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sorted {
    /// Ways of moving and other plies.
    pub(crate) grants: Vec<u16>,
    /// Consequences of plies.
    pub(crate) following: Vec<u16>,
    pub(crate) bans_before: Vec<u16>,
    pub(crate) bans_after: Vec<u16>,
    pub(crate) most: Vec<u16>,
    pub(crate) turns: Vec<u16>,
    pub(crate) endings: Vec<u16>,
    /// For each event, the clauses that are about it.
    pub(crate) events: Vec<Vec<u16>>,
    pub(crate) ranks: Vec<u16>,
    /// For each kind, the ways by which it can capture on the site it comes to.
    pub(crate) captures: Vec<Vec<u16>>,
}

impl Sorted {
    /// The clauses of a program that some test lets pass.
    fn of(program: &Program, passes: impl Fn(&Clause) -> bool) -> Self {
        let mut sorted = Self {
            captures: vec![Vec::new(); program.kinds.len()],
            events: vec![Vec::new(); program.events.len()],
            ..Self::default()
        };
        for (at, clause) in program.clauses.iter().enumerate().filter(|(_, clause)| passes(clause)) {
            let at = at as u16;
            match &clause.form {
                Form::Move { kinds, .. } => {
                    sorted.grants.push(at);
                    for kind in kinds.iter().filter(|_| clause.captures) {
                        if let Some(list) = sorted.captures.get_mut(usize::from(*kind)) {
                            list.push(at);
                        }
                    }
                }
                Form::Act { .. } => sorted.grants.push(at),
                Form::After { .. } => sorted.following.push(at),
                Form::Forbid { before: true, .. } => sorted.bans_before.push(at),
                Form::Forbid { before: false, .. } => sorted.bans_after.push(at),
                Form::Most { .. } => sorted.most.push(at),
                Form::Turn(_) => sorted.turns.push(at),
                Form::Ends { .. } => sorted.endings.push(at),
                Form::Event { event, .. } => {
                    if let Some(list) = sorted.events.get_mut(usize::from(*event)) {
                        list.push(at);
                    }
                }
                Form::Rank(..) => sorted.ranks.push(at),
                Form::Advice | Form::Applied { .. } | Form::List { .. } => {}
            }
        }
        sorted
    }

    fn without(&mut self, clause: u16) {
        self.following.retain(|at| *at != clause);
    }
}

/// The lists of a program.
#[derive(Clone, Debug)]
pub(crate) struct Dispatch {
    /// All clauses, whatever the phase.
    pub(crate) all: Sorted,
    /// The slot of the phase, and the lists of each phase that some clause names.
    phases: Option<(usize, Vec<(i64, Sorted)>)>,
    /// The lists where no clause that names phases is in force.
    other: Sorted,
}

impl Dispatch {
    pub(crate) fn of(program: &Program) -> Self {
        let all = Sorted::of(program, |_| true);
        let Some(slot) = slot(program) else {
            return Self { all: all.clone(), phases: None, other: all };
        };
        let of = |phase: i64| Sorted::of(program, |clause| is_in(program, clause, phase));
        let phases =
            named(program).into_iter().map(|phase| (i64::from(phase), of(i64::from(phase)))).collect();
        Self { all, phases: Some((slot, phases)), other: of(-1) }
    }

    /// The slot of the phase, where there is one.
    #[inline(always)]
    pub(crate) fn slot(&self) -> Option<usize> {
        self.phases.as_ref().map(|(slot, _)| *slot)
    }

    /// The lists of a phase.
    pub(crate) fn phase(&self, phase: i64) -> &Sorted {
        let phases = self.phases.as_ref().map_or(&[][..], |(_, phases)| phases);
        phases.iter().find(|(known, _)| *known == phase).map_or(&self.other, |(_, sorted)| sorted)
    }

    /// The lists where there are no phases.
    #[inline(always)]
    pub(crate) fn plain(&self) -> &Sorted {
        &self.other
    }

    /// Forgets a consequence of plies.
    pub(crate) fn forget(&mut self, clause: u16) {
        self.all.without(clause);
        self.other.without(clause);
        for (_, sorted) in self.phases.iter_mut().flat_map(|(_, phases)| phases) {
            sorted.without(clause);
        }
    }
}

/// Where the phase is kept, if some clause depends on it.
fn slot(program: &Program) -> Option<usize> {
    let var = program.vars.get(usize::from(PHASE))?;
    let plain = var.ty == Type::Text && var.each.is_empty() && !named(program).is_empty();
    plain.then(|| usize::from(var.slot))
}

/// The phases that clauses name, as texts.
fn named(program: &Program) -> Vec<u32> {
    let mut named: Vec<u32> =
        program.clauses.iter().filter_map(|clause| phases(program, clause)).flatten().collect();
    named.sort_unstable();
    named.dedup();
    named
}

fn is_in(program: &Program, clause: &Clause, phase: i64) -> bool {
    phases(program, clause).is_none_or(|named| named.iter().any(|known| i64::from(*known) == phase))
}

/// The phases that a clause is bound to; none if it is in force in all of them.
fn phases(program: &Program, clause: &Clause) -> Option<Vec<u32>> {
    let bound = clause.when.and_then(|when| condition(program, when));
    // A turn is bound by what it says: in other phases it gives nobody the turn.
    bound.or_else(|| match &clause.form {
        Form::Turn(code) => match program.nodes.get(code.root as usize)? {
            Node::If(when, _, nobody) => {
                let is_nobody = match program.nodes.get(*nobody as usize)? {
                    Node::Const(at) => program.consts.get(*at as usize) == Some(&Const::Nothing),
                    _ => false,
                };
                is_nobody.then(|| condition(program, Code { root: *when, ..*code }))?
            }
            _ => None,
        },
        _ => None,
    })
}

/// The phases that a condition begins by asking for.
fn condition(program: &Program, code: Code) -> Option<Vec<u32>> {
    let node = |at: u32| program.nodes.get(at as usize);
    let membership = match node(code.root)? {
        Node::Binary(Operator::And, first, _) => node(*first)?,
        other => other,
    };
    let Node::Binary(Operator::In, var, list) = membership else { return None };
    let (Node::Var(PHASE, index), Node::Const(list)) = (node(*var)?, node(*list)?) else { return None };
    let Some(Const::List(members)) = program.consts.get(*list as usize) else { return None };
    let text = |at: &u32| match program.consts.get(*at as usize) {
        Some(Const::Text(text)) => Some(*text),
        _ => None,
    };
    members.iter().map(text).collect::<Option<Vec<u32>>>().filter(|_| index.len == 0)
}

/// How many clauses are looked at in a phase, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Looked {
    /// The phase; none where there are no phases, or where no clause names the phase.
    pub phase: Option<String>,
    /// Clauses that grant plies, and those that follow, forbid, pass the turn and end.
    pub grants: usize,
    /// Consequences of plies.
    pub following: usize,
    /// Bans, those before a ply and those after it.
    pub bans: usize,
    /// Clauses on the turn.
    pub turns: usize,
    /// Endings.
    pub endings: usize,
    /// For each event, by its number, the clauses that are about it.
    pub events: Vec<usize>,
}

/// How many clauses are looked at, phase by phase: first the phases that clauses name, then all others.
pub fn looked_at(program: &Program) -> Vec<Looked> {
    let dispatch = Dispatch::of(program);
    let row = |phase: Option<String>, sorted: &Sorted| Looked {
        phase,
        grants: sorted.grants.len(),
        following: sorted.following.len(),
        bans: sorted.bans_before.len() + sorted.bans_after.len(),
        turns: sorted.turns.len(),
        endings: sorted.endings.len(),
        events: sorted.events.iter().map(Vec::len).collect(),
    };
    let text = |at: i64| usize::try_from(at).ok().and_then(|at| program.texts.get(at)).cloned();
    let phases = dispatch.phases.iter().flat_map(|(_, phases)| phases);
    let mut rows: Vec<Looked> =
        phases.map(|(phase, sorted)| row(Some(text(*phase).unwrap_or_default()), sorted)).collect();
    rows.push(row(None, &dispatch.other));
    rows
}
