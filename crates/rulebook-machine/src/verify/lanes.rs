//! Whether the lanes and lookups of a program are ones that the fast paths may use.
//!
//! Invariant: in lanes that pass, every clause is of the form that the lane says, every slot is the place of
//! a declared variable of the right type, every word, site and distance stays on a board, and no number can
//! make a variable hold what the general engine could not have put there. The parts are so few that tables
//! of them are made at once. Whether a lane says the same as its clauses is not asked: it could be no worse
//! than clauses that say so.

use super::{Checked, MAX_KINDS, MAX_NUMS, MAX_SETS, Refusal, each, need, step};
use crate::lane::{
    Ask, Attack, Bar, Before, Drop, Gate, Guard, Instance, Judged, Lane, MAX_STACK, NO_SLOT, Need, Offset,
    Op, Pick, Place, Query, Reach, Shape, Step, Tally, Template, content,
};
use crate::position::unpack;
use crate::program::{Form, Lookup, Program, Type};

/// Most shapes of a player, and most ways of capturing.
const MAX_SHAPES: usize = 256;
/// Most parts of all shapes of all players together.
const MAX_PARTS: usize = 1 << 17;
/// Most steps of a question.
const MAX_ASKS: usize = 256;
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
    /// How many questions the lane has.
    queries: usize,
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
        Self { program, sets, nums, parts: 0, queries: 0 }
    }

    /// Counts parts.
    fn count(&mut self, parts: usize) -> Checked {
        self.parts = self.parts.saturating_add(parts);
        need(self.parts <= MAX_PARTS, "there are too many parts")
    }

    fn lane(&mut self, lane: &Lane) -> Checked {
        need(lane.shapes.len() <= MAX_SHAPES, "there are too many shapes")?;
        need(lane.queries.len() <= usize::from(u16::MAX), "there are too many questions")?;
        self.queries = lane.queries.len();
        lane.queries.iter().try_for_each(|query| self.query(query))?;
        lane.shapes.iter().try_for_each(|shape| self.shape(shape))?;
        need(lane.drops.len() <= MAX_SHAPES, "there are too many acts that put pieces")?;
        lane.drops.iter().try_for_each(|drop| self.drop(drop))?;
        if let Some(stops) = &lane.stops {
            self.count(stops.len())?;
            stops.iter().try_for_each(|query| self.asked(*query))?;
        }
        need(lane.asleep.len() <= self.program.vars.len(), "there are too many variables")?;
        let known = |var: &u16| usize::from(*var) < self.program.vars.len();
        need(lane.asleep.iter().all(known), "no such variable")?;
        need(!lane.forced || lane.measured, "there is no measure")?;
        need(lane.acts.len() <= self.program.clauses.len(), "there are too many acts")?;
        for at in &lane.acts {
            need(matches!(self.form(*at)?, Form::Act { .. }), "a clause is no act of its own")?;
        }
        if let Some(attacks) = &lane.attacks {
            need(attacks.len() <= MAX_SHAPES, "there are too many ways of capturing")?;
            attacks.iter().try_for_each(|attack| self.attack(attack))?;
        }
        if let Some(royal) = lane.royal {
            self.kind(royal.kind)?;
            self.bans(royal.clause)?;
        }
        need(lane.royal.is_none() || lane.guarded.is_none(), "there are two bans of one form")?;
        lane.guarded.iter().chain(&lane.calm).try_for_each(|guarded| {
            self.bans(guarded.clause)?;
            self.kind(guarded.kind)?;
            self.asked(guarded.query)?;
            guarded.spared.iter().try_for_each(|kind| self.kind(*kind))?;
            need(guarded.threats.len() <= MAX_SHAPES, "there are too many ways of capturing")?;
            guarded.threats.iter().try_for_each(|attack| self.attack(attack))
        })
    }

    fn form(&self, clause: u16) -> Result<&'p Form, &'static str> {
        self.program.clauses.get(usize::from(clause)).map(|clause| &clause.form).ok_or("no such clause")
    }

    fn bans(&self, clause: u16) -> Checked {
        let bans = matches!(self.form(clause)?, Form::Forbid { before: false, .. });
        need(bans, "a clause is no ban on the position after a ply")
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

    fn asked(&self, query: u16) -> Checked {
        need(usize::from(query) < self.queries, "no such question")
    }

    fn player(&self, player: u8) -> Checked {
        need(usize::from(player) < self.program.players.len(), "no such player")
    }

    /// A question: what it names is there, and its stack neither runs dry nor over.
    fn query(&mut self, query: &Query) -> Checked {
        self.count(query.len())?;
        need(query.len() <= MAX_ASKS, "a question is too long")?;
        let mut depth = 0_usize;
        for ask in query {
            let (takes, leaves) = ask.effect();
            depth = depth.checked_sub(takes).ok_or("the stack of a question runs dry")?;
            depth += leaves;
            need(depth <= MAX_STACK, "the stack of a question runs over")?;
            match ask {
                Ask::Sites(words) => self.words(words)?,
                Ask::Owned(player) | Ask::Struck(player) | Ask::Strikers(player) => self.player(*player)?,
                Ask::Kind(kind) | Ask::Was(kind) | Ask::Chosen(kind) => self.kind(*kind)?,
                Ask::Within(slot) => self.set(*slot)?,
                Ask::At(slot) => self.typed(*slot, Type::Site)?,
                Ask::Holds(slot) => self.typed(*slot, Type::Truth)?,
                Ask::Number(slot, ..) => self.typed(*slot, Type::Number)?,
                Ask::Place(place) => self.place(*place)?,
                Ask::Last(act) => need(usize::from(*act) < self.program.acts.len(), "no such act")?,
                Ask::Seen(directions) => self.directions(directions)?,
                _ => {}
            }
        }
        need(depth == 1, "a question has not one answer")
    }

    fn drop(&mut self, drop: &Drop) -> Checked {
        self.count(1 + drop.choices.len() + drop.held.len() + drop.bars.len() + drop.after.len())?;
        self.kind(drop.kind)?;
        let Form::Act { act, .. } = self.form(drop.clause)? else {
            return Err("a clause is no act of its own");
        };
        need(*act == drop.act, "a clause grants another act")?;
        for (binding, kind) in &drop.choices {
            self.binding(*binding)?;
            kind.iter().try_for_each(|kind| self.kind(*kind))?;
        }
        drop.held.iter().try_for_each(|slot| self.typed(*slot, Type::Number))?;
        drop.when.iter().chain(&drop.sites).chain(&drop.after).try_for_each(|query| self.asked(*query))?;
        self.words(&drop.tos)?;
        drop.bars.iter().try_for_each(|Bar { kind, zone, sites }| {
            self.kind(*kind)?;
            self.words(zone)?;
            self.words(sites)
        })?;
        if let Judged::Striking(kind) = drop.judged {
            self.kind(kind)?;
        }
        if let Some(steps) = &drop.recipe {
            self.count(steps.len())?;
            steps.iter().try_for_each(|step| self.step(drop.clause, step))?;
        }
        Ok(())
    }

    fn tally(&self, tally: &Tally) -> Checked {
        let slots = |slots: &[u16]| {
            need(slots.len() <= self.program.kinds.len(), "no such kind")?;
            let kept = slots.iter().filter(|slot| **slot != NO_SLOT);
            kept.copied().try_for_each(|slot| self.typed(slot, Type::Number))
        };
        slots(&tally.slots)?;
        let Some((set, others)) = &tally.within else { return Ok(()) };
        self.set(*set)?;
        slots(others)
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
            steps.iter().try_for_each(|step| self.step(shape.clause, step))?;
        }
        self.count(shape.after.len())?;
        shape.after.iter().chain(&shape.spare).try_for_each(|query| self.asked(*query))?;
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
        self.count(instance.asks.len())?;
        instance.asks.iter().try_for_each(|query| self.asked(*query))?;
        instance.first.iter().try_for_each(|op| {
            let cells = matches!(op, Op::Move(..) | Op::Put(..) | Op::Remove(_));
            need(cells, "the step changes no site")?;
            let step = Step { clause: shape.clause, guard: Guard::Always, op: op.clone() };
            self.step(shape.clause, &step)
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
        ban.query.iter().try_for_each(|query| self.asked(*query))?;
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

    fn step(&self, clause: u16, step: &Step) -> Checked {
        let follows = matches!(self.form(step.clause)?, Form::After { .. });
        need(follows || step.clause == clause, "a clause does not follow a ply")?;
        match step.guard {
            Guard::Always | Guard::Taken | Guard::NotTaken | Guard::Picked | Guard::Still | Guard::Else => {}
            Guard::Asked(query) => self.asked(query)?,
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
            Op::Clear(query) => self.asked(*query),
            Op::SetTo(slot, query) => {
                self.set(*slot)?;
                self.asked(*query)
            }
            Op::Answer(slot, query) => {
                self.typed(*slot, Type::Truth)?;
                self.asked(*query)
            }
            Op::Unset(slot) => self.typed(*slot, Type::Site),
            Op::Tally(tally) => self.tally(tally),
            Op::General => Ok(()),
        }
    }
}
