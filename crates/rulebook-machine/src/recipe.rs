//! What a ply does besides the movement, put together once when a program is loaded.
//!
//! Law: a recipe does to a position what the clauses that follow the ply do, in their order. A step for which
//! that cannot be said leaves the shape to the general engine.

use crate::lane::{Ask, Drop, Guard, Lane, NO_SLOT, Op, Place, Reach, Shape, Step, Tally, content};
use crate::position::{Layout, NOTHING, Position, Row};
use crate::program::{Const, Program, Type};
use crate::set::Set;

/// Steps that change sets.
#[derive(Clone, Debug)]
pub(crate) enum SetOp {
    LessChanged(usize),
    LessOwned(usize, usize),
    Join(usize, Place),
    Settle(usize, u16),
    Move(Place, Place),
    Put(u8, Place),
    PutChosen(Place),
    Remove(Place),
    /// The sites of an answer are cleared.
    Clear(u16),
    /// A set becomes an answer.
    SetTo(usize, u16),
    /// A truth value becomes an answer.
    Answer(usize, u16),
    Tally(Tally),
    Reset(usize),
    SetSite(usize, Place),
    /// A number becomes a value, packed.
    SetNum(usize, i64),
    /// A whole number is added, packed.
    AddNum(usize, i64),
    /// A whole clause, by the general engine.
    General(u16),
}

/// What the numbers of a position become: `number & keep + add`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change<L: Layout> {
    pub(crate) keep: L::Nums,
    pub(crate) add: L::Nums,
}

/// All that a ply without a choice does besides, where that is to narrow set variables.
///
/// Law: what narrows a variable by the changed sites or by an owner's may come in any order; what settles it comes
/// last.
#[derive(Clone, Debug)]
pub(crate) struct Narrow<L: Layout> {
    /// Set variables that lose the changed sites.
    changed: L::Sets,
    /// Set variables that lose the sites of the first player, and of the second.
    owned: [L::Sets; 2],
    /// The bits of those that are settled then.
    bits: u32,
    /// Their slots, with the clauses.
    pub(crate) settles: Vec<(usize, u16)>,
}

impl<L: Layout> Narrow<L> {
    /// The steps of a ply without a choice in this form, if they have it.
    fn of(ops: &[(Guard, SetOp)]) -> Option<Self> {
        let none = L::Sets::all(L::Set::EMPTY);
        let mut narrow = Self { changed: none, owned: [none; 2], bits: 0, settles: Vec::new() };
        for (guard, op) in ops {
            let slot = match (guard, op) {
                (Guard::Picked | Guard::Chosen(_), _) => continue,
                (Guard::Always, SetOp::LessChanged(slot)) => {
                    *narrow.changed.slot(*slot) = !L::Set::EMPTY;
                    *slot
                }
                (Guard::Always, SetOp::LessOwned(slot, player)) => {
                    *narrow.owned.get_mut(*player)?.slot(*slot) = !L::Set::EMPTY;
                    *slot
                }
                // What was settled stays so unless something on its sites changes, which must be seen.
                (Guard::Always, SetOp::Settle(slot, clause)) if !narrow.changed.get(*slot).is_empty() => {
                    narrow.bits |= settled_bit(*slot);
                    narrow.settles.push((*slot, *clause));
                    continue;
                }
                _ => return None,
            };
            if narrow.settles.iter().any(|(settled, _)| *settled == slot) {
                return None;
            }
        }
        Some(narrow)
    }

    /// Narrows the variables of a position after a movement that changed some sites; false if some of them have
    /// to be settled then.
    #[inline(always)]
    pub(crate) fn apply(&self, next: &mut Position<L>, before: &Position<L>, changed: L::Set) -> bool {
        let [first, second] = &self.owned;
        let owners = [next.owners.get(0), next.owners.get(1)];
        let rows = self.changed.slice().iter().zip(first.slice()).zip(second.slice());
        let mut touched = L::Set::EMPTY;
        for ((new, old), ((watched, first), second)) in
            next.sets.slice_mut().iter_mut().zip(before.sets.slice()).zip(rows)
        {
            let gone = *watched & changed | *first & owners[0] | *second & owners[1];
            touched |= *old & gone;
            *new = old.less(gone);
        }
        self.bits == 0 || (touched.is_empty() && before.settled & self.bits == self.bits)
    }
}

/// The bit that says that the set variable at a slot is settled.
#[inline(always)]
pub(crate) fn settled_bit(slot: usize) -> u32 {
    1 << (slot as u32 & 31)
}

/// What a ply does besides the movement.
#[derive(Clone, Debug)]
pub(crate) struct Recipe<L: Layout> {
    pub(crate) kind: u8,
    pub(crate) act: u16,
    /// Whether, besides the movement, pieces are only moved about or exchanged where the piece comes to.
    pub(crate) moves_only: bool,
    /// Whether, besides the movement, no site changes.
    pub(crate) stays: bool,
    /// Sites that may not be attacked before the ply.
    pub(crate) before: Vec<Place>,
    /// Questions before the ply that forbid it.
    pub(crate) asks: Vec<u16>,
    /// Questions after the ply that forbid it.
    pub(crate) after: Vec<u16>,
    /// A question before the ply; while its answer is no, those after it are not asked.
    pub(crate) spare: Option<u16>,
    /// Whether nothing is put or moved.
    pub(crate) bare: bool,
    /// What is chosen by a ply that is no movement: names, and kinds; none for the site.
    pub(crate) choices: Vec<(u16, Option<u8>)>,
    /// Without and with a capture.
    pub(crate) change: [Change<L>; 2],
    /// All sites in the row of the kind, none in the others.
    pub(crate) kinds: L::Kinds,
    /// For each player, all sites in his row, none in the others.
    pub(crate) owners: [L::Owners; 2],
    /// Number variables that become the site the piece came from, or one at a distance from it, which then is
    /// what `change` adds: all bits, and none for the others.
    pub(crate) origin: L::Nums,
    pub(crate) ops: Vec<(Guard, SetOp)>,
    /// The same for plies without a choice, where that is to narrow set variables.
    pub(crate) narrow: Option<Narrow<L>>,
    pub(crate) pick_tos: L::Set,
    pub(crate) pick: Vec<u8>,
    pub(crate) binding: u16,
}

impl<L: Layout> Recipe<L> {
    /// A ply that does nothing besides.
    pub(crate) fn nothing(shape: &Shape) -> Self {
        let plain: Change<L> = Change { keep: L::Nums::all(-1), add: L::Nums::all(0) };
        Self {
            kind: shape.kind,
            act: shape.act,
            moves_only: true,
            stays: true,
            before: Vec::new(),
            asks: Vec::new(),
            after: Vec::new(),
            spare: None,
            bare: false,
            choices: Vec::new(),
            change: [plain; 2],
            kinds: only(usize::from(shape.kind)),
            owners: [only(0), only(1)],
            origin: L::Nums::all(0),
            ops: Vec::new(),
            narrow: None,
            pick_tos: L::Set::EMPTY,
            pick: Vec::new(),
            binding: 0,
        }
    }
}

/// All sites in one row, none in the others.
fn only<S: Set, R: Row<S>>(at: usize) -> R {
    let mut rows = R::all(S::EMPTY);
    *rows.slot(at) = !S::EMPTY;
    rows
}

/// An act that puts a piece on an empty site, as if the piece came from nowhere.
pub(crate) fn drop_shape(drop: &Drop) -> Shape {
    Shape {
        clause: drop.clause,
        act: drop.act,
        kind: drop.kind,
        reach: Reach::Leap(Vec::new()),
        ends: content::EMPTY,
        froms: None,
        tos: Some(drop.tos.clone()),
        gate: None,
        tested: false,
        before: Vec::new(),
        after: drop.after.clone(),
        spare: None,
        plain: drop.plain,
        recipe: drop.recipe.clone(),
        choice: None,
        instances: Vec::new(),
    }
}

/// The numbers that must be changed one after the other, in the order of the steps: those that something
/// looks at in between, and those that change under a condition that is not known beforehand.
fn ordered(lane: &Lane, steps: &[Step]) -> Option<Vec<usize>> {
    let mut slots: Vec<usize> = Vec::new();
    let asked = |query: u16, slots: &mut Vec<usize>| {
        for ask in lane.queries.get(usize::from(query)).into_iter().flatten() {
            if let Ask::Number(slot, ..) | Ask::Holds(slot) | Ask::At(slot) = ask {
                slots.push(usize::from(*slot));
            }
        }
    };
    for step in steps {
        let known = match step.guard {
            Guard::Always | Guard::Taken | Guard::NotTaken => true,
            Guard::Holds(slot) => {
                slots.push(usize::from(slot));
                false
            }
            Guard::Asked(query) => {
                asked(query, &mut slots);
                false
            }
            Guard::Picked | Guard::Chosen(_) | Guard::Still | Guard::Else => false,
        };
        match &step.op {
            Op::Set(slot, _) | Op::Add(slot, _) | Op::SetSite(slot, _) if !known => {
                slots.push(usize::from(*slot));
            }
            Op::Unset(slot) => slots.push(usize::from(*slot)),
            // A site is set all at once only where nothing else is.
            Op::SetSite(slot, _) if steps.iter().filter(|step| step.op.sets(*slot)).count() > 1 => {
                slots.push(usize::from(*slot));
            }
            Op::Answer(slot, query) => {
                slots.push(usize::from(*slot));
                asked(*query, &mut slots);
            }
            Op::Clear(query) | Op::SetTo(_, query) => asked(*query, &mut slots),
            Op::Tally(Tally { slots: first, within }) => {
                let others = within.iter().flat_map(|(_, others)| others);
                let all = first.iter().chain(others).filter(|slot| **slot != NO_SLOT);
                slots.extend(all.map(|slot| usize::from(*slot)));
            }
            // It may look at everything.
            Op::General => return None,
            _ => {}
        }
    }
    Some(slots)
}

/// The steps of a shape, put together; `None` when one of them needs the general engine.
pub(crate) fn recipe<L: Layout>(program: &Program, lane: &Lane, shape: &Shape) -> Option<Recipe<L>> {
    let mut made: Recipe<L> = Recipe::nothing(shape);
    made.before = shape.before.iter().filter_map(|ban| ban.attacked.clone()).flatten().collect();
    made.asks =
        shape.before.iter().filter(|ban| ban.attacked.is_none()).filter_map(|ban| ban.query).collect();
    made.after.clone_from(&shape.after);
    made.spare = shape.spare;
    if let Some(pick) = &shape.choice {
        made.pick_tos = L::Set::from_words(&pick.tos);
        made.pick.clone_from(&pick.kinds);
        made.binding = pick.binding;
        if made.pick.is_empty() && !Set::is_empty(made.pick_tos) {
            return None;
        }
    }
    // Numbers are changed all at once where nothing looks at them in between.
    let ordered = ordered(lane, shape.recipe.as_deref().unwrap_or_default());
    let in_order = |slot: u16| ordered.as_ref().is_none_or(|slots| slots.contains(&usize::from(slot)));
    let mut written: Vec<(bool, usize)> = Vec::new();
    for step in shape.recipe.iter().flatten() {
        let with = match step.guard {
            Guard::Always => [true, true],
            Guard::Taken => [false, true],
            Guard::NotTaken => [true, false],
            _ => [false, false],
        };
        let op = match &step.op {
            Op::Set(slot, value) if in_order(*slot) => {
                written.push((false, usize::from(*slot)));
                SetOp::SetNum(usize::from(*slot), *value)
            }
            Op::Add(slot, value) if in_order(*slot) => {
                written.push((false, usize::from(*slot)));
                SetOp::AddNum(usize::from(*slot), value.wrapping_shl(16))
            }
            Op::Set(slot, value) | Op::Add(slot, value) => {
                let slot = usize::from(*slot);
                for (change, applies) in made.change.iter_mut().zip(with) {
                    if !applies {
                        continue;
                    }
                    if matches!(step.op, Op::Set(..)) {
                        *Row::slot(&mut change.keep, slot) = 0i64;
                        *change.add.slot(slot) = *value;
                    } else {
                        let add = change.add.slot(slot);
                        *add = add.wrapping_add(value.wrapping_shl(16));
                    }
                }
                written.push((false, slot));
                continue;
            }
            Op::SetSite(slot, Place::Beside((files, ranks)))
                if step.guard == Guard::Always && !in_order(*slot) =>
            {
                let slot = usize::from(*slot);
                let places = i32::from(*ranks) * i32::from(program.board.files) + i32::from(*files);
                *made.origin.slot(slot) = -1;
                for change in &mut made.change {
                    *Row::slot(&mut change.keep, slot) = 0i64;
                    *change.add.slot(slot) = i64::from(places);
                }
                written.push((false, slot));
                continue;
            }
            Op::SetSite(slot, place) => {
                written.push((false, usize::from(*slot)));
                SetOp::SetSite(usize::from(*slot), *place)
            }
            Op::LessChanged(slot) => SetOp::LessChanged(usize::from(*slot)),
            Op::LessOwned(slot, player) => SetOp::LessOwned(usize::from(*slot), usize::from(*player)),
            Op::Join(slot, place) => SetOp::Join(usize::from(*slot), *place),
            Op::Clear(query) => SetOp::Clear(*query),
            Op::SetTo(slot, query) => SetOp::SetTo(usize::from(*slot), *query),
            Op::Answer(slot, query) => {
                written.push((false, usize::from(*slot)));
                SetOp::Answer(usize::from(*slot), *query)
            }
            Op::Unset(slot) => {
                written.push((false, usize::from(*slot)));
                SetOp::SetNum(usize::from(*slot), NOTHING)
            }
            Op::Tally(tally) => SetOp::Tally(tally.clone()),
            Op::Settle(slot) => SetOp::Settle(usize::from(*slot), step.clause),
            Op::Move(a, b) => SetOp::Move(*a, *b),
            Op::Put(kind, place) => SetOp::Put(*kind, *place),
            Op::PutChosen(place) => SetOp::PutChosen(*place),
            Op::Remove(place) => SetOp::Remove(*place),
            Op::General => SetOp::General(step.clause),
        };
        match &op {
            SetOp::LessChanged(slot)
            | SetOp::LessOwned(slot, _)
            | SetOp::Join(slot, _)
            | SetOp::SetTo(slot, _)
            | SetOp::Settle(slot, _) => {
                written.push((true, *slot));
            }
            _ => {}
        }
        made.moves_only &= match &op {
            SetOp::Move(..) => step.guard == Guard::Always,
            SetOp::Put(_, place) | SetOp::PutChosen(place) => *place == Place::To,
            SetOp::Remove(_) | SetOp::Clear(_) => false,
            // It may do anything, unless the shape is known to be plain.
            SetOp::General(_) => shape.plain,
            _ => true,
        };
        made.stays &= match &op {
            SetOp::Put(..) | SetOp::PutChosen(_) => false,
            SetOp::Move(..) | SetOp::Remove(_) | SetOp::Clear(_) => false,
            SetOp::General(_) => shape.plain,
            _ => true,
        };
        made.ops.push((step.guard, op));
    }
    // What lasts one ply and was not set fades.
    for var in program.vars.iter().filter(|var| var.fleeting) {
        for at in 0..var.count {
            let start = match program.consts.get(var.start as usize)? {
                Const::List(values) if !var.each.is_empty() => {
                    program.consts.get(*values.get(usize::from(at))? as usize)?
                }
                one => one,
            };
            let start = match start {
                Const::Nothing => NOTHING,
                Const::Truth(value) => i64::from(*value),
                Const::Number(a, b) => crate::position::pack(*a, *b)?,
                Const::Sites(words) if words.iter().all(|word| *word == 0) => 0,
                _ => return None,
            };
            let slot = usize::from(var.slot + at);
            if written.contains(&(var.ty == Type::Sites, slot)) {
                continue;
            }
            if var.ty == Type::Sites {
                made.ops.push((Guard::Always, SetOp::Reset(slot)));
                continue;
            }
            if in_order(slot as u16) {
                made.ops.push((Guard::Always, SetOp::SetNum(slot, start)));
                continue;
            }
            for change in &mut made.change {
                *Row::slot(&mut change.keep, slot) = 0i64;
                *change.add.slot(slot) = start;
            }
        }
    }
    made.narrow = Narrow::of(&made.ops);
    Some(made)
}
