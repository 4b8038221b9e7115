//! What the fast paths ask of the general engine, and the answers that are kept.
//!
//! Law: a kept answer is given only for the very same values it depends on; they are compared, not only
//! their hash.

use std::cell::{Cell, RefCell};

use crate::act::{Act, Past, Plies};
use crate::effects::Draft;
use crate::engine::Fault;
use crate::engine::{Engine, FUEL, Ground, Scene, WORK, Work};
use crate::fast::General;
use crate::position::{Layout, NO_ACT, Position, Row};
use crate::program::{Effect, Form};
use crate::set::Set;

/// How many answers are kept.
const KEPT: usize = 256;

/// An answer with all that it depends on: the clause, the set, and what stands on its sites.
#[derive(Clone)]
struct Answer<L: Layout> {
    /// None for no answer.
    clause: Option<u16>,
    set: L::Set,
    kinds: L::Kinds,
    owners: L::Owners,
    answer: L::Set,
}

impl<L: Layout> Answer<L> {
    fn none() -> Self {
        let (kinds, owners) = (L::Kinds::all(L::Set::EMPTY), L::Owners::all(L::Set::EMPTY));
        Self { clause: None, set: L::Set::EMPTY, kinds, owners, answer: L::Set::EMPTY }
    }

    /// Whether it is the answer for a set in a position.
    #[inline(always)]
    fn is_for(&self, clause: u16, set: L::Set, position: &Position<L>) -> bool {
        let kinds = self.kinds.slice().iter().zip(position.kinds.slice());
        let owners = self.owners.slice().iter().zip(position.owners.slice());
        let differs = |all: L::Set, (known, row): (&L::Set, &L::Set)| all | (*known ^ (*row & set));
        let differs = owners.fold(kinds.fold(self.set ^ set, differs), differs);
        differs.is_empty() && self.clause == Some(clause)
    }
}

/// The general engine, as the fast paths see it.
pub(crate) struct Asked<'a, L: Layout> {
    engine: &'a Engine<L>,
    /// Steps that are left for the fast paths.
    fuel: Cell<u64>,
    inner: RefCell<Inner<'a, L>>,
}

/// Answers that are kept.
pub(crate) struct Kept<L: Layout>(Vec<Answer<L>>);

impl<L: Layout> Default for Kept<L> {
    fn default() -> Self {
        Self(vec![Answer::none(); KEPT])
    }
}

struct Inner<'a, L: Layout> {
    work: &'a mut Work<L>,
    kept: Vec<Answer<L>>,
    fault: Option<Fault>,
}

impl<'a, L: Layout> Asked<'a, L> {
    pub(crate) fn of(engine: &'a Engine<L>, work: &'a mut Work<L>) -> Self {
        Self::with(engine, work, Kept::default())
    }

    /// The same with answers that were kept before, of the same engine.
    pub(crate) fn with(engine: &'a Engine<L>, work: &'a mut Work<L>, kept: Kept<L>) -> Self {
        let fuel = Cell::new(work.allowance());
        Self { engine, fuel, inner: RefCell::new(Inner { work, kept: kept.0, fault: None }) }
    }

    /// The answers, to be kept for the next time.
    pub(crate) fn into_kept(self) -> Kept<L> {
        Kept(self.inner.into_inner().kept)
    }

    /// A fault that came up on the way: what was counted then means nothing.
    pub(crate) fn fault(&self) -> Option<Fault> {
        let spent = (self.fuel.get() == 0).then_some(WORK);
        self.inner.borrow().fault.clone().or(spent)
    }
}

/// A position as one that is recorded: of the act that led to it only the name is known.
fn led_to<L: Layout>(position: &Position<L>) -> Past<L> {
    let act = (position.last != NO_ACT).then(|| Act::new(position.last, position.mover));
    Past { position: *position, act, clauses: Default::default() }
}

impl<L: Layout> General<L> for Asked<'_, L> {
    fn granted(&self, clause: u16, pieces: L::Set, position: &Position<L>) -> Vec<(Act<L>, Position<L>)> {
        let inner = &mut *self.inner.borrow_mut();
        let past = led_to(position);
        let bare = self.engine.bare_ground(self.engine.first_tables());
        let ground = Ground { story: bare.story.with(&past), ..bare };
        let mut found = Plies::default();
        inner.work.begin(FUEL);
        if let Err(fault) = self.engine.granted_by(clause, pieces, position, ground, inner.work, &mut found) {
            inner.fault.get_or_insert(fault);
            return Vec::new();
        }
        found.legal.into_iter().map(|ply| (ply.act, ply.next)).collect()
    }

    fn allows(&self, clause: u16, act: Act<L>, position: &Position<L>) -> bool {
        let inner = &mut *self.inner.borrow_mut();
        let past = led_to(position);
        let bare = self.engine.bare_ground(self.engine.first_tables());
        let ground = Ground { story: bare.story.with(&past), ..bare };
        let mut found = Plies::default();
        inner.work.begin(FUEL);
        if let Err(fault) = self.engine.make(clause, act, position, ground, inner.work, &mut found) {
            inner.fault.get_or_insert(fault);
        }
        !found.legal.is_empty()
    }

    fn follow(&self, clause: u16, before: &Position<L>, now: &mut Position<L>, act: Act<L>) -> L::Set {
        let inner = &mut *self.inner.borrow_mut();
        let past = led_to(before);
        let bare = self.engine.bare_ground(self.engine.first_tables());
        let ground = Ground { story: bare.story.with(&past), mid_ply: true, ..bare };
        let mut draft = Draft::new(act, *now);
        inner.work.begin(FUEL);
        match self.engine.follow_one(clause, &mut draft, ground, inner.work) {
            Ok(()) => *now = draft.position,
            Err(fault) => {
                inner.fault.get_or_insert(fault);
            }
        }
        draft.act.changed
    }

    fn stops(&self, position: &Position<L>) -> bool {
        let inner = &mut *self.inner.borrow_mut();
        let ground = self.engine.bare_ground(self.engine.first_tables());
        inner.work.begin(FUEL);
        match self.engine.ending(position, ground, true, inner.work) {
            Ok(ending) => ending.is_some(),
            Err(fault) => {
                inner.fault.get_or_insert(fault);
                true
            }
        }
    }

    fn fuel(&self) -> &Cell<u64> {
        &self.fuel
    }

    fn settled(&self, clause: u16, slot: usize, position: &Position<L>) -> L::Set {
        let set = position.sets.get(slot);
        // What stands on the sites seldom changes while the set stays the same.
        let hash = (set.folded() ^ u64::from(clause)).wrapping_mul(0x517c_c1b7_2722_0a95);
        let at = (hash >> 56) as usize % KEPT;
        let known = {
            let inner = self.inner.borrow();
            let kept = inner.kept.get(at).filter(|kept| kept.is_for(clause, set, position));
            kept.map(|kept| kept.answer)
        };
        known.unwrap_or_else(|| self.find(clause, set, position, at))
    }
}

impl<L: Layout> Asked<'_, L> {
    /// Finds the value that a clause gives to a set, and keeps it.
    #[inline(never)]
    fn find(&self, clause: u16, set: L::Set, position: &Position<L>, at: usize) -> L::Set {
        let inner = &mut *self.inner.borrow_mut();
        let code = self.engine.clause(clause).and_then(|clause| match &clause.form {
            Form::After { then, .. } => match then.of(&self.engine.program().effects) {
                [Effect::Set(_, _, code)] => Some(*code),
                _ => None,
            },
            _ => None,
        });
        let Some(code) = code else { return set };
        let tables = self.engine.first_tables();
        let act = Act::new(0, position.mover);
        let scene = Scene::with(position, self.engine.bare_ground(tables), &act);
        inner.work.begin(FUEL);
        let answer = match self.engine.run_sites(code, &scene, inner.work) {
            Ok(answer) => answer,
            Err(fault) => {
                inner.fault.get_or_insert(fault);
                L::Set::EMPTY
            }
        };
        if let Some(kept) = inner.kept.get_mut(at) {
            let (mut kinds, mut owners) = (position.kinds, position.owners);
            for row in kinds.slice_mut().iter_mut().chain(owners.slice_mut()) {
                *row &= set;
            }
            *kept = Answer { clause: Some(clause), set, kinds, owners, answer };
        }
        answer
    }
}
