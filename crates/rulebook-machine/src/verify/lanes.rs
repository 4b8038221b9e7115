//! Whether the lanes and lookups of a program are ones that the fast paths may use.
//!
//! Invariant: in lanes that pass, every clause is of the form that the lane says, every slot is the place of
//! a declared variable of the right type, every word, site and distance stays on a board, and no number can
//! make a variable hold what the general engine could not have put there. The parts are so few that tables
//! of them are made at once. Whether a lane says the same as its clauses is not asked: it could be no worse
//! than clauses that say so.

use super::{Checked, MAX_KINDS, MAX_NUMS, MAX_SETS, Refusal, each, need, step};
use crate::lane::{
    Attack, Before, Gate, Guard, Instance, Lane, Need, Offset, Op, Pick, Place, Reach, Shape, Step, Template,
    content,
};
use crate::position::unpack;
use crate::program::{Form, Lookup, Program, Type};

/// Most shapes of a player, and most ways of capturing.
const MAX_SHAPES: usize = 256;
/// Most parts of all shapes of all players together.
const MAX_PARTS: usize = 1 << 17;
/// Most that may be added to a number at once.
const MAX_ADDED: u64 = 1 << 46;
/// Most sites of a board with lookups.
const MAX_LOOKED: usize = 64;
/// Every content of a site.
const ANY: u8 = content::EMPTY | content::ENEMY | content::OWN;

/// Checks the lanes and lookups of a program whose other parts have passed.
pub(super) fn lanes(program: &Program) -> Result<(), Refusal> {
    if !program.lanes.is_empty() {
        let fine = program.lanes.len() == 2 && program.players.len() == 2 && !program.board.is_empty();
        need(fine, "there is not one lane for each of two players on a board").map_err(wrong)?;
    }
    let mut checker = Lanes::of(program);
    each("lanes", &program.lanes, |_, lane| checker.lane(lane))?;
    lookups(program)
}

fn wrong(what: &'static str) -> Refusal {
    Refusal { pool: "lanes", index: 0, what }
}

fn lookups(program: &Program) -> Result<(), Refusal> {
    let sites = program.board.len();
    let mut used = 0_u8;
    each("lookups", &program.lookups, |_, Lookup { lines, multipliers }| {
        need(sites <= MAX_LOOKED, "the board has more than one word")?;
        need((1..=15).contains(lines) && lines.count_ones() <= 2, "there is no such family of lines")?;
        need(used & lines == 0, "a line belongs to two families")?;
        used |= lines;
        need(multipliers.len() == sites, "there is not one multiplier for each site")
    })
}

struct Lanes<'p> {
    program: &'p Program,
    /// Where sets are kept.
    sets: [bool; MAX_SETS],
    /// Where all else is kept, and of which type it is.
    nums: [Option<Type>; MAX_NUMS],
    /// Parts met so far.
    parts: usize,
}

impl<'p> Lanes<'p> {
    fn of(program: &'p Program) -> Self {
        let (mut sets, mut nums) = ([false; MAX_SETS], [None; MAX_NUMS]);
        for var in &program.vars {
            for at in usize::from(var.slot)..usize::from(var.slot) + usize::from(var.count) {
                if var.ty != Type::Sites {
                    if let Some(place) = nums.get_mut(at) {
                        *place = Some(var.ty);
                    }
                } else if let Some(place) = sets.get_mut(at) {
                    *place = true;
                }
            }
        }
        Self { program, sets, nums, parts: 0 }
    }

    /// Counts parts.
    fn count(&mut self, parts: usize) -> Checked {
        self.parts = self.parts.saturating_add(parts);
        need(self.parts <= MAX_PARTS, "there are too many parts")
    }

    fn lane(&mut self, lane: &Lane) -> Checked {
        need(lane.shapes.len() <= MAX_SHAPES, "there are too many shapes")?;
        lane.shapes.iter().try_for_each(|shape| self.shape(shape))?;
        need(lane.acts.len() <= self.program.clauses.len(), "there are too many acts")?;
        for at in &lane.acts {
            need(matches!(self.form(*at)?, Form::Act { .. }), "a clause is no act of its own")?;
        }
        if let Some(attacks) = &lane.attacks {
            need(attacks.len() <= MAX_SHAPES, "there are too many ways of capturing")?;
            attacks.iter().try_for_each(|attack| self.attack(attack))?;
        }
        let Some(royal) = lane.royal else { return Ok(()) };
        self.kind(royal.kind)?;
        let bans = matches!(self.form(royal.clause)?, Form::Forbid { before: false, .. });
        need(bans, "a clause is no ban on the position after a ply")
    }

    fn form(&self, clause: u16) -> Result<&'p Form, &'static str> {
        self.program.clauses.get(usize::from(clause)).map(|clause| &clause.form).ok_or("no such clause")
    }

    fn kind(&self, kind: u8) -> Checked {
        need(usize::from(kind) < self.program.kinds.len(), "no such kind")
    }

    fn kinds(&self, bits: u128) -> Checked {
        let beyond = bits.checked_shr(self.program.kinds.len() as u32).unwrap_or(0);
        need(beyond == 0, "no such kind")
    }

    fn binding(&self, binding: u16) -> Checked {
        need(usize::from(binding) < self.program.bindings.len(), "no such binding")
    }

    /// A set of sites of the board.
    fn words(&self, words: &[u64]) -> Checked {
        let sites = self.program.board.len();
        need(words.len() <= sites.div_ceil(64), "the set is too large")?;
        let beyond = |(at, word): (usize, &u64)| {
            let room = sites.saturating_sub(at * 64);
            room < 64 && word >> room != 0
        };
        need(!words.iter().enumerate().any(beyond), "the set has sites beyond the board")
    }

    fn set(&self, slot: u16) -> Checked {
        need(self.sets.get(usize::from(slot)) == Some(&true), "there is no set variable in this place")
    }

    fn num(&self, slot: u16) -> Result<Type, &'static str> {
        self.nums.get(usize::from(slot)).copied().flatten().ok_or("there is no variable in this place")
    }

    fn typed(&self, slot: u16, ty: Type) -> Checked {
        need(self.num(slot)? == ty, "the variable in this place is of another type")
    }

    fn offset(&self, (files, ranks): Offset) -> Checked {
        need(step(files, ranks), "the step is too long")
    }

    fn offsets(&mut self, offsets: &[Offset]) -> Checked {
        self.count(offsets.len())?;
        offsets.iter().try_for_each(|at| self.offset(*at))
    }

    /// Directions of lines.
    fn directions(&mut self, directions: &[Offset]) -> Checked {
        self.count(directions.len())?;
        let line = |(files, ranks): &Offset| {
            (-1..=1).contains(files) && (-1..=1).contains(ranks) && (*files, *ranks) != (0, 0)
        };
        need(directions.len() <= 8 && directions.iter().all(line), "there is no line in this direction")
    }

    fn shape(&mut self, shape: &Shape) -> Checked {
        self.count(1)?;
        self.kind(shape.kind)?;
        let Form::Move { kinds, act, .. } = self.form(shape.clause)? else {
            return Err("a clause is no way of moving");
        };
        need(*act == shape.act && kinds.contains(&shape.kind), "a clause grants another act")?;
        self.reach(&shape.reach)?;
        need(shape.ends & !ANY == 0, "there is no such content")?;
        shape.froms.iter().chain(&shape.tos).try_for_each(|words| self.words(words))?;
        match shape.gate {
            Some(Gate::Within(slot)) => self.set(slot)?,
            Some(Gate::Given(slot)) => self.typed(slot, Type::Site)?,
            None => {}
        }
        self.count(shape.before.len())?;
        shape.before.iter().try_for_each(|ban| self.before(ban))?;
        if let Some(steps) = &shape.recipe {
            self.count(steps.len())?;
            steps.iter().try_for_each(|step| self.step(shape, step))?;
        }
        shape.choice.iter().try_for_each(|pick| self.pick(pick))?;
        shape.instances.iter().try_for_each(|instance| self.instance(shape, instance))
    }

    fn instance(&mut self, shape: &Shape, instance: &Instance) -> Checked {
        self.count(1 + instance.before.len() + instance.first.len())?;
        let sites = self.program.board.len();
        let on_board = |site: &u16| usize::from(*site) < sites;
        let Reach::Templates(templates) = &shape.reach else { return Err("there are no templates") };
        need(usize::from(instance.template) < templates.len(), "no such template")?;
        need(on_board(&instance.from) && instance.before.iter().all(on_board), "no such site")?;
        self.words(&instance.empty)?;
        instance.first.iter().try_for_each(|op| {
            let cells = matches!(op, Op::Move(..) | Op::Put(..) | Op::Remove(_));
            need(cells, "the step changes no site")?;
            let step = Step { clause: shape.clause, guard: Guard::Always, op: op.clone() };
            self.step(shape, &step)
        })
    }

    fn reach(&mut self, reach: &Reach) -> Checked {
        match reach {
            Reach::Leap(steps) => self.offsets(steps),
            Reach::Lame(steps) => {
                self.count(steps.len())?;
                steps.iter().try_for_each(|(to, empty)| {
                    self.offset(*to)?;
                    self.offsets(empty)
                })
            }
            Reach::Ray(directions) | Reach::Screen(directions) => self.directions(directions),
            Reach::Templates(templates) => {
                self.count(templates.len())?;
                templates.iter().try_for_each(|template| self.template(template))
            }
            Reach::Walk => Ok(()),
        }
    }

    fn template(&mut self, template: &Template) -> Checked {
        self.offset(template.to)?;
        self.count(template.needs.len() + template.marks.len())?;
        for (at, need) in &template.needs {
            self.offset(*at)?;
            self.need(need)?;
        }
        // Two conditions on different variables of a sort would be taken for one.
        let slots = |of: fn(&Need) -> Option<u16>| {
            let mut slots = template.needs.iter().filter_map(move |(_, need)| of(need));
            slots.next().is_none_or(|first| slots.all(|slot| slot == first))
        };
        need(slots(|need| need.within) && slots(|need| need.is), "two variables in one way")?;
        self.offsets(&template.takes)?;
        template.marks.iter().try_for_each(|(binding, at)| {
            self.binding(*binding)?;
            self.offset(*at)
        })
    }

    fn need(&self, wanted: &Need) -> Checked {
        need(wanted.content & !ANY == 0, "there is no such content")?;
        wanted.among.iter().try_for_each(|words| self.words(words))?;
        wanted.within.iter().try_for_each(|slot| self.set(*slot))?;
        wanted.is.iter().try_for_each(|slot| self.typed(*slot, Type::Site))
    }

    fn attack(&mut self, attack: &Attack) -> Checked {
        self.count(1)?;
        need(attack.kinds != 0, "nothing captures in this way")?;
        self.kinds(attack.kinds)?;
        // What is asked of whatever stands somewhere, as here of victims, may name kinds that there are not.
        attack.froms.iter().chain(&attack.tos).try_for_each(|words| self.words(words))?;
        self.reach(&attack.reach)
    }

    fn before(&mut self, ban: &Before) -> Checked {
        let bans = matches!(self.form(ban.clause)?, Form::Forbid { before: true, .. });
        need(bans, "a clause is no ban on the position before a ply")?;
        if let Some(places) = &ban.attacked {
            self.count(places.len())?;
            places.iter().try_for_each(|place| self.place(*place))?;
        }
        Ok(())
    }

    fn place(&self, place: Place) -> Checked {
        match place {
            Place::From | Place::To => Ok(()),
            Place::Bound(binding) => self.binding(binding),
            Place::Beside(at) => self.offset(at),
            Place::At(site) => need(usize::from(site) < self.program.board.len(), "no such site"),
        }
    }

    fn pick(&self, pick: &Pick) -> Checked {
        let asks = matches!(self.form(pick.clause)?, Form::After { choices, .. } if choices.len > 0);
        need(asks, "a clause asks for no choice")?;
        self.binding(pick.binding)?;
        self.words(&pick.tos)?;
        need(pick.kinds.len() <= MAX_KINDS, "there are too many kinds")?;
        need(
            !pick.kinds.is_empty() || pick.tos.iter().all(|word| *word == 0),
            "there is nothing to choose from",
        )?;
        pick.kinds.iter().try_for_each(|kind| self.kind(*kind))
    }

    fn step(&self, shape: &Shape, step: &Step) -> Checked {
        let follows = matches!(self.form(step.clause)?, Form::After { .. });
        need(follows || step.clause == shape.clause, "a clause does not follow a ply")?;
        match step.guard {
            Guard::Always | Guard::Taken | Guard::NotTaken | Guard::Picked => {}
            Guard::Chosen(kind) => self.kind(kind)?,
            Guard::Holds(slot) => self.typed(slot, Type::Truth)?,
        }
        match &step.op {
            Op::Move(a, b) => {
                self.place(*a)?;
                self.place(*b)
            }
            Op::Put(kind, place) => {
                self.kind(*kind)?;
                self.place(*place)
            }
            Op::PutChosen(place) | Op::Remove(place) => self.place(*place),
            Op::Set(slot, value) => match self.num(*slot)? {
                Type::Truth => need((0..=1).contains(value), "this is no truth value"),
                Type::Number => need(unpack(*value).1 == 1, "this is no whole number"),
                _ => Err("the variable in this place is of another type"),
            },
            Op::Add(slot, value) => {
                self.typed(*slot, Type::Number)?;
                need(value.unsigned_abs() <= MAX_ADDED, "the number is too large")
            }
            Op::SetSite(slot, place) => {
                self.typed(*slot, Type::Site)?;
                self.place(*place)
            }
            Op::LessChanged(slot) | Op::Settle(slot) => self.set(*slot),
            Op::LessOwned(slot, player) => {
                need(usize::from(*player) < self.program.players.len(), "no such player")?;
                self.set(*slot)
            }
            Op::Join(slot, place) => {
                self.set(*slot)?;
                self.place(*place)
            }
            Op::General => Ok(()),
        }
    }
}
