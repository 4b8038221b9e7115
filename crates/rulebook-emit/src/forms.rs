//! What the lanes of a program come to on its board: ways with their sites worked out, and how each player
//! attacks.
//!
//! Invariant: nothing here depends on what stands where. What cannot be said in these forms is a reason to leave
//! the whole rule set to the machine; nothing is left out silently.

use rulebook_machine::lane::{
    Attack, Gate, Instance, Lane, Need, Offset, Op, Place, Reach, Shape, Template, content,
};
use rulebook_machine::program::{Board, Program, Site};

/// A set of sites.
pub(crate) type Bits = u128;

/// Why a rule set is left to the machine: the clause, if it is one, and the reason.
pub(crate) type Reason = (Option<u16>, String);

/// The four lines through a site, by the direction of their upper half.
pub(crate) const LINES: [Offset; 4] = [(1, 0), (-1, 1), (0, 1), (1, 1)];

/// The set of one site.
pub(crate) fn one(site: Site) -> Bits {
    1_u128.checked_shl(site.into()).unwrap_or(0)
}

/// The sites of a set in order.
pub(crate) fn sites(set: Bits) -> impl Iterator<Item = Site> {
    (0..128).filter(move |site| set >> site & 1 == 1)
}

/// The set of some words.
pub(crate) fn of_words(words: &[u64]) -> Bits {
    words.iter().take(2).rev().fold(0, |set, word| set << 64 | Bits::from(*word))
}

/// All sites of a board.
pub(crate) fn all(board: &Board) -> Bits {
    (0..board.len() as Site).fold(0, |set, site| set | one(site))
}

/// Directions along lines: both halves of a line, or one of them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Lines {
    /// The lines of which both halves are used, as bits.
    pub(crate) both: u8,
    /// The lines of which only the upper or only the lower half is used, as bits.
    pub(crate) upper: u8,
    pub(crate) lower: u8,
}

impl Lines {
    fn of(directions: &[Offset]) -> Option<Self> {
        let (mut up, mut down) = (0_u8, 0_u8);
        for (files, ranks) in directions {
            match LINES.iter().position(|line| line == &(*files, *ranks)) {
                Some(line) => up |= 1 << line,
                None => down |= 1 << LINES.iter().position(|line| line == &(-files, -ranks))?,
            }
        }
        Some(Self { both: up & down, upper: up & !down, lower: down & !up })
    }

    /// The opposite directions.
    pub(crate) fn back(&self) -> Self {
        Self { both: self.both, upper: self.lower, lower: self.upper }
    }

    /// The sites of the lines from a site on an empty board.
    pub(crate) fn full(&self, board: &Board, site: Site) -> Bits {
        let mut set = 0;
        for (line, (files, ranks)) in LINES.iter().enumerate() {
            let halves = [(self.both | self.upper, 1), (self.both | self.lower, -1)];
            for (_, sign) in halves.into_iter().filter(|(lines, _)| lines >> line & 1 == 1) {
                let mut here = site;
                while let Some(next) = board.step(here, (i16::from(*files) * sign, i16::from(*ranks) * sign))
                {
                    set |= one(next);
                    here = next;
                }
            }
        }
        set
    }
}

/// A condition on one site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) site: Site,
    pub(crate) content: u8,
    pub(crate) kinds: u128,
}

/// A way between two given sites, under conditions on several others.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) from: Site,
    pub(crate) to: Site,
    pub(crate) empty: Bits,
    pub(crate) enemy: Bits,
    pub(crate) own: Bits,
    /// These must be in the set variable of the way.
    pub(crate) within: Bits,
    /// This must be the value of the site variable of the way.
    pub(crate) is: Option<Site>,
    pub(crate) asked: Vec<Asked>,
    pub(crate) takes: Bits,
    pub(crate) marks: Vec<(u16, Site)>,
    /// These may not be attacked before the ply.
    pub(crate) before: Vec<Site>,
    /// What the clause itself does after the movement.
    pub(crate) first: Vec<Op>,
    /// The sites that are left and those that are come to, where that is known.
    pub(crate) moved: Option<(Bits, Bits)>,
    /// Where the royal piece is after the ply, if it is the one that moves.
    pub(crate) royal: Option<Site>,
    /// Whether the royal piece comes to a site that is asked about before the ply, and nothing that leaves opens
    /// a line to it: then it is attacked after the ply only if that site was attacked before.
    pub(crate) closed: bool,
}

/// Where a way leads.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    /// From any of some sites to the site a number of places on; those at the other distances must be empty.
    Shift { places: i32, empty: Vec<i32>, froms: Bits },
    /// To these sites, by the site it starts from.
    Leap(Vec<Bits>),
    /// To these sites, each with those that must be empty.
    Lame(Vec<Vec<(Site, Bits)>>),
    /// Along lines up to the first piece.
    Ray(Lines),
    /// Along lines beyond exactly one piece.
    Screen(Lines),
    /// Ways one by one.
    Rows { rows: Vec<Row>, within: Option<u16>, is: Option<u16> },
}

/// One way of moving.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    /// The shape it comes from, by its place in the lane.
    pub(crate) shape: usize,
    pub(crate) kind: u8,
    /// Other kinds that are looked at together with it, by whoever only counts.
    pub(crate) alike: u128,
    pub(crate) ends: u8,
    /// Whether masks are enough to tell legal targets.
    pub(crate) plain: bool,
    pub(crate) froms: Bits,
    pub(crate) tos: Bits,
    pub(crate) gate: Option<Gate>,
    pub(crate) form: Form,
    /// Where a kind is chosen, and which there are.
    pub(crate) picked: Bits,
    pub(crate) kinds: Vec<u8>,
}

/// Kinds that attack along the same lines.
#[derive(Clone, Debug)]
pub(crate) struct Family {
    pub(crate) kinds: u128,
    pub(crate) lines: Lines,
}

/// Pieces that attack along lines with a restriction.
#[derive(Clone, Debug)]
pub(crate) struct Special {
    pub(crate) kinds: u128,
    pub(crate) victims: u128,
    pub(crate) lines: Lines,
    pub(crate) froms: Bits,
    pub(crate) tos: Bits,
    pub(crate) screen: bool,
}

/// One way in which a site is attacked under conditions on other sites.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) from: Site,
    pub(crate) empty: Bits,
    pub(crate) filled: Bits,
    pub(crate) asked: Vec<Asked>,
    pub(crate) matters: Bits,
}

/// Pieces that attack by leaps, from where each site is attacked.
#[derive(Clone, Debug)]
pub(crate) struct Leaps {
    pub(crate) kinds: u128,
    pub(crate) victims: u128,
    pub(crate) from: Vec<Bits>,
}

/// Pieces that attack under conditions on other sites; for each site the ways in which it is attacked.
#[derive(Clone, Debug)]
pub(crate) struct Conditional {
    pub(crate) kinds: u128,
    pub(crate) victims: u128,
    pub(crate) ways: Vec<Vec<Source>>,
}

/// How a player captures on the site it comes to, looked at from that site.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attacks {
    pub(crate) leaps: Vec<Leaps>,
    pub(crate) families: Vec<Family>,
    pub(crate) specials: Vec<Special>,
    pub(crate) conditional: Vec<Conditional>,
}

impl Attacks {
    /// Whether leaps and plain lines against any piece are all there is.
    pub(crate) fn is_simple(&self) -> bool {
        self.specials.is_empty()
            && self.conditional.is_empty()
            && self.leaps.iter().all(|leaps| leaps.victims == u128::MAX)
    }
}

/// One player.
#[derive(Clone, Debug)]
pub(crate) struct Side {
    pub(crate) ways: Vec<Way>,
    pub(crate) shapes: Vec<Shape>,
    pub(crate) royal: Option<u8>,
    /// How this player attacks; nothing where nobody asks.
    pub(crate) attacks: Option<Attacks>,
}

fn wide((files, ranks): Offset) -> (i16, i16) {
    (i16::from(files), i16::from(ranks))
}

fn step(board: &Board, site: Site, offset: Offset) -> Option<Site> {
    board.step(site, wide(offset))
}

/// How many places on a site at a distance is.
pub(crate) fn places(board: &Board, (files, ranks): Offset) -> i32 {
    i32::from(ranks) * i32::from(board.files) + i32::from(files)
}

/// The sides of a program, or why it is left to the machine.
pub(crate) fn sides(program: &Program) -> Result<[Side; 2], Vec<Reason>> {
    let board = &program.board;
    let [first, second] = &program.lanes[..] else {
        return Err(vec![(None, "there are not two players on a board, or no forms were looked for".into())]);
    };
    if board.len() > 128 {
        return Err(vec![(None, "the board has more than 128 sites".into())]);
    }
    let mut reasons = Vec::new();
    for lane in [first, second] {
        refused(program, lane, &mut reasons);
    }
    let mut asked = [false; 2];
    for (lane, asked) in [first, second].into_iter().zip(asked.iter_mut().rev()) {
        *asked = lane.royal.is_some()
            || lane.shapes.iter().any(|shape| !shape.before.is_empty() || !shape.instances.is_empty());
    }
    let mut sides = [first, second].map(|lane| Side {
        ways: Vec::new(),
        shapes: lane.shapes.clone(),
        royal: lane.royal.map(|royal| royal.kind),
        attacks: lane.attacks.as_deref().and_then(|attacks| attacked(board, attacks)),
    });
    for (side, asked) in sides.iter_mut().zip(asked) {
        if asked && side.attacks.is_none() {
            reasons.push((None, "some way of capturing was not recognised".into()));
        }
        for (at, shape) in side.shapes.iter().enumerate() {
            match ways(board, at, shape, side.royal) {
                Some(ways) => side.ways.extend(ways),
                None => {
                    reasons.push((Some(shape.clause), "its conditions are about different variables".into()))
                }
            }
        }
    }
    reasons.sort();
    reasons.dedup();
    if reasons.is_empty() { Ok(sides) } else { Err(reasons) }
}

/// What in a lane is left to the general engine.
fn refused(program: &Program, lane: &Lane, reasons: &mut Vec<Reason>) {
    for (holds, why) in [
        (lane.guarded.is_some() || lane.calm.is_some(), "a ban is about more than the attack of a piece"),
        (lane.measured, "a ban or a measure must be judged on the position after a ply"),
        (lane.doubles, "two ways may grant one and the same act"),
        (!lane.asleep.is_empty(), "plies look at what only events set"),
        (!lane.passes_turn, "the turn does not always pass to the next player"),
    ] {
        if holds {
            reasons.push((None, why.into()));
        }
    }
    for at in &lane.acts {
        reasons.push((Some(*at), "a ply that is no movement of a piece".into()));
    }
    for shape in &lane.shapes {
        let unclear =
            |choice: &rulebook_machine::lane::Pick| choice.kinds.is_empty() && of_words(&choice.tos) != 0;
        let many = matches!(shape.reach, Reach::Templates(_));
        for (holds, why) in [
            (shape.tested, "its condition is no plain one"),
            (shape.reach == Reach::Walk, "its pattern is walked"),
            (shape.recipe.is_none(), "what follows it is no list of steps"),
            (
                shape.before.iter().any(|ban| ban.attacked.is_none()),
                "a ban before it is none on attacked sites",
            ),
            (shape.choice.as_ref().is_some_and(unclear), "it asks for a choice of unknown kinds"),
            (!shape.after.is_empty(), "a ban is judged on the position after it"),
            (
                shape.instances.iter().any(|instance| !instance.asks.is_empty()),
                "a ban before it is a question",
            ),
            (!many && shape.ends & content::OWN != 0, "it may end on a piece of its own player"),
        ] {
            if holds {
                reasons.push((Some(shape.clause), why.into()));
            }
        }
    }
    if program.vars.iter().any(|var| var.ty == rulebook_machine::program::Type::Row) {
        reasons.push((None, "a variable holds a row of a table".into()));
    }
}

fn set_of(words: Option<&[u64]>, board: &Board) -> Bits {
    words.map_or_else(|| all(board), |words| of_words(words) & all(board))
}

/// The attacks of a player; `None` if one of them has no form here.
fn attacked(board: &Board, attacks: &[Attack]) -> Option<Attacks> {
    let mut made = Attacks::default();
    let count = board.len() as Site;
    let mut halves: Vec<(Offset, u128)> =
        LINES.iter().flat_map(|(files, ranks)| [((*files, *ranks), 0), ((-files, -ranks), 0)]).collect();
    for attack in attacks {
        let froms = set_of(attack.froms.as_deref(), board);
        let tos = set_of(attack.tos.as_deref(), board);
        let (kinds, victims) = (attack.kinds, attack.victims.unwrap_or(u128::MAX));
        let from = |to: Site, (files, ranks): Offset| {
            let from = board.step(to, (-i16::from(files), -i16::from(ranks)));
            from.filter(|from| froms & one(*from) != 0 && tos & one(to) != 0)
        };
        match &attack.reach {
            Reach::Leap(steps) => {
                let reached = |to: Site| {
                    steps.iter().filter_map(|step| from(to, *step)).fold(0, |set, from| set | one(from))
                };
                made.leaps.push(Leaps { kinds, victims, from: (0..count).map(reached).collect() });
            }
            Reach::Ray(directions) if victims == u128::MAX && froms == all(board) && tos == all(board) => {
                for (files, ranks) in directions {
                    for (_, known) in halves.iter_mut().filter(|(looked, _)| looked == &(-files, -ranks)) {
                        *known |= kinds;
                    }
                }
            }
            Reach::Ray(directions) | Reach::Screen(directions) => {
                let looked: Vec<Offset> = directions.iter().map(|(files, ranks)| (-files, -ranks)).collect();
                let screen = matches!(attack.reach, Reach::Screen(_));
                made.specials.push(Special {
                    kinds,
                    victims,
                    lines: Lines::of(&looked)?,
                    froms,
                    tos,
                    screen,
                });
            }
            Reach::Lame(steps) => {
                let templates: Vec<Template> = steps.iter().map(lame).collect();
                made.conditional.push(conditional(board, kinds, victims, &templates, &from));
            }
            Reach::Templates(templates) => {
                made.conditional.push(conditional(board, kinds, victims, templates, &from));
            }
            Reach::Walk => return None,
        }
    }
    // One look serves every kind that uses the lines.
    let mut families: Vec<(u128, Vec<Offset>)> = Vec::new();
    for (direction, kinds) in halves.into_iter().filter(|(_, kinds)| *kinds != 0) {
        match families.iter_mut().find(|(known, _)| *known == kinds) {
            Some((_, directions)) => directions.push(direction),
            None => families.push((kinds, vec![direction])),
        }
    }
    for (kinds, directions) in families {
        made.families.push(Family { kinds, lines: Lines::of(&directions)? });
    }
    Some(made)
}

fn conditional(
    board: &Board,
    kinds: u128,
    victims: u128,
    templates: &[Template],
    from: &dyn Fn(Site, Offset) -> Option<Site>,
) -> Conditional {
    let ways = (0..board.len() as Site).map(|to| {
        let sources =
            templates.iter().filter_map(|template| source(board, from(to, template.to)?, to, template));
        sources.collect()
    });
    Conditional { kinds, victims, ways: ways.collect() }
}

fn lame((to, empty): &(Offset, Vec<Offset>)) -> Template {
    let need = |at: &Offset| {
        (*at, Need { content: content::EMPTY, kinds: None, among: None, within: None, is: None })
    };
    Template { to: *to, needs: empty.iter().map(need).collect(), ..Template::default() }
}

fn source(board: &Board, from: Site, to: Site, template: &Template) -> Option<Source> {
    let mut made = Source { from, empty: 0, filled: 0, asked: Vec::new(), matters: one(from) };
    for (at, need) in &template.needs {
        let site = step(board, from, *at)?;
        if need.among.as_deref().is_some_and(|words| of_words(words) & one(site) == 0) {
            return None;
        }
        if site == to || site == from {
            continue;
        }
        made.matters |= one(site);
        match (need.content, need.kinds) {
            (content::EMPTY, _) => made.empty |= one(site),
            (bits, None) if bits == content::ENEMY | content::OWN => made.filled |= one(site),
            (content, kinds) => made.asked.push(Asked { site, content, kinds: kinds.unwrap_or(u128::MAX) }),
        }
    }
    Some(made)
}

/// The ways that a shape comes to; `None` where its conditions are about more than one variable.
fn ways(board: &Board, at: usize, shape: &Shape, royal: Option<u8>) -> Option<Vec<Way>> {
    let froms = set_of(shape.froms.as_deref(), board);
    let tos = set_of(shape.tos.as_deref(), board);
    let way = |form: Form| Way {
        shape: at,
        kind: shape.kind,
        alike: 0,
        ends: shape.ends,
        plain: shape.plain && shape.before.is_empty(),
        froms,
        tos,
        gate: shape.gate,
        form,
        picked: shape.choice.as_ref().map_or(0, |pick| of_words(&pick.tos)),
        kinds: shape.choice.as_ref().map_or(Vec::new(), |pick| pick.kinds.clone()),
    };
    let shift = |to: Offset, empty: &[Offset]| {
        let possible = |site: &Site| {
            froms & one(*site) != 0
                && step(board, *site, to).is_some_and(|to| tos & one(to) != 0)
                && empty.iter().all(|at| step(board, *site, *at).is_some())
        };
        let froms = (0..board.len() as Site).filter(possible).fold(0, |set, site| set | one(site));
        let empty = empty.iter().map(|at| places(board, *at)).collect();
        Form::Shift { places: places(board, to), empty, froms }
    };
    let count = board.len() as Site;
    Some(match &shape.reach {
        Reach::Leap(steps) if steps.len() <= 2 => steps.iter().map(|step| way(shift(*step, &[]))).collect(),
        Reach::Lame(steps) if steps.len() <= 2 => {
            steps.iter().map(|(step, empty)| way(shift(*step, empty))).collect()
        }
        Reach::Leap(steps) => {
            let reached = |site: Site| {
                steps.iter().filter_map(|to| step(board, site, *to)).fold(0, |set, to| set | one(to)) & tos
            };
            vec![way(Form::Leap((0..count).map(reached).collect()))]
        }
        Reach::Lame(steps) => {
            let reached = |site: Site| {
                let ends = steps.iter().filter_map(|(to, empty)| {
                    let to = step(board, site, *to).filter(|to| tos & one(*to) != 0)?;
                    let empty = empty.iter().filter_map(|at| step(board, site, *at));
                    Some((to, empty.fold(0, |set, site| set | one(site))))
                });
                ends.collect()
            };
            vec![way(Form::Lame((0..count).map(reached).collect()))]
        }
        Reach::Ray(directions) => vec![way(Form::Ray(Lines::of(directions)?))],
        Reach::Screen(directions) => vec![way(Form::Screen(Lines::of(directions)?))],
        Reach::Templates(templates) => vec![way(rows(board, shape, templates, tos, royal)?)],
        Reach::Walk => Vec::new(),
    })
}

/// The ways of some templates one by one.
fn rows(board: &Board, shape: &Shape, templates: &[Template], tos: Bits, royal: Option<u8>) -> Option<Form> {
    let mut rows = Vec::new();
    for Instance { from, template, empty, before, first, .. } in &shape.instances {
        let Some(mut row) =
            templates.get(usize::from(*template)).and_then(|template| row(board, *from, template))
        else {
            continue;
        };
        row.empty |= of_words(empty);
        row.before.clone_from(before);
        row.first.clone_from(first);
        rows.push(row);
    }
    if shape.instances.is_empty() {
        for from in 0..board.len() as Site {
            let found = templates.iter().filter_map(|template| row(board, from, template));
            for mut row in found.filter(|row| tos & one(row.to) != 0) {
                let bans = shape.before.iter().filter_map(|ban| ban.attacked.as_deref()).flatten();
                row.before = bans.filter_map(|place| row.site(board, *place)).collect();
                rows.push(row);
            }
        }
    }
    let froms = set_of(shape.froms.as_deref(), board);
    rows.retain(|row| froms & one(row.from) != 0);
    rows.sort_by_key(|row| (row.from, row.key()));
    let within = slot(templates, |need| need.within)?;
    let is = slot(templates, |need| need.is)?;
    for row in &mut rows {
        row.settle(board, shape, royal);
    }
    Some(Form::Rows { rows, within, is })
}

/// The one variable that the conditions of some templates are about, if they are about one.
fn slot(templates: &[Template], of: impl Fn(&Need) -> Option<u16>) -> Option<Option<u16>> {
    let mut found = templates.iter().flat_map(|template| &template.needs).filter_map(|(_, need)| of(need));
    let first = found.next();
    found.all(|slot| Some(slot) == first).then_some(first)
}

fn row(board: &Board, from: Site, template: &Template) -> Option<Row> {
    let mut made = Row {
        from,
        to: step(board, from, template.to)?,
        empty: 0,
        enemy: 0,
        own: 0,
        within: 0,
        is: None,
        asked: Vec::new(),
        takes: 0,
        marks: Vec::new(),
        before: Vec::new(),
        first: Vec::new(),
        moved: None,
        royal: None,
        closed: false,
    };
    for (at, need) in &template.needs {
        let site = step(board, from, *at)?;
        if need.among.as_deref().is_some_and(|words| of_words(words) & one(site) == 0) {
            return None;
        }
        if need.within.is_some() {
            made.within |= one(site);
        }
        if need.is.is_some() {
            made.is = Some(site);
        }
        match (need.content, need.kinds) {
            (content::EMPTY, _) if site != from => made.empty |= one(site),
            (content::ENEMY, None) => made.enemy |= one(site),
            (content::OWN, None) => made.own |= one(site),
            (bits, None) if bits == content::EMPTY | content::ENEMY | content::OWN => {}
            (content, kinds) => made.asked.push(Asked { site, content, kinds: kinds.unwrap_or(u128::MAX) }),
        }
    }
    for at in &template.takes {
        made.takes |= one(step(board, from, *at)?);
    }
    for (binding, at) in &template.marks {
        made.marks.push((*binding, step(board, from, *at)?));
    }
    Some(made)
}

impl Row {
    /// The site besides the one it starts from that must be in the set variable, if there is just one.
    pub(crate) fn key(&self) -> Option<Site> {
        let rest = self.within & !one(self.from);
        sites(rest).next().filter(|_| rest.is_power_of_two())
    }

    /// Where a place is.
    pub(crate) fn site(&self, board: &Board, place: Place) -> Option<Site> {
        let found = match place {
            Place::From => Some(self.from),
            Place::To => Some(self.to),
            Place::At(site) => Some(site),
            Place::Bound(binding) => {
                self.marks.iter().find(|(known, _)| *known == binding).map(|(_, site)| *site)
            }
            Place::Beside(offset) => Site::try_from(i32::from(self.from) + places(board, offset)).ok(),
        };
        found.filter(|site| usize::from(*site) < board.len())
    }

    /// Finds out what becomes of the occupied sites and of the royal piece, where that can be said.
    fn settle(&mut self, board: &Board, shape: &Shape, royal: Option<u8>) {
        let is_royal = Some(shape.kind) == royal;
        let mut left = one(self.from) | self.takes;
        let mut come = one(self.to);
        self.royal = is_royal.then_some(self.to);
        let mut known = moves_only(shape);
        let always =
            shape.recipe.iter().flatten().filter(|step| step.guard == rulebook_machine::lane::Guard::Always);
        let ops: Vec<Op> = self.first.iter().cloned().chain(always.map(|step| step.op.clone())).collect();
        for op in ops {
            match op {
                Op::Move(a, b) => match (self.site(board, a), self.site(board, b)) {
                    (Some(a), Some(b)) => {
                        known &= come & one(a) == 0;
                        left |= one(a);
                        come |= one(b);
                    }
                    _ => known = false,
                },
                Op::Remove(place) => {
                    if let Some(site) = self.site(board, place) {
                        come &= !one(site);
                        left |= one(site);
                        if self.royal == Some(site) {
                            self.royal = None;
                        }
                    }
                }
                Op::Put(kind, place) => {
                    if let Some(site) = self.site(board, place) {
                        come |= one(site);
                        if is_royal && kind == shape.kind {
                            self.royal = Some(site);
                        }
                    }
                }
                _ => {}
            }
        }
        known &= !is_royal || self.royal.is_some();
        self.moved = known.then_some((left, come));
        self.closed = self.moved.is_some()
            && self.royal.is_some_and(|royal| {
                self.before.contains(&royal)
                    && LINES.iter().all(|line| closed(board, royal, *line, left, come))
            });
    }
}

/// Whether what leaves some sites opens no part of a line to a site: beyond it the line ends, or something has come.
fn closed(board: &Board, site: Site, (files, ranks): Offset, left: Bits, come: Bits) -> bool {
    [1, -1].into_iter().all(|sign| {
        let (mut here, mut open) = (site, false);
        while let Some(next) = board.step(here, (i16::from(files) * sign, i16::from(ranks) * sign)) {
            if come & one(next) != 0 {
                return true;
            }
            if open {
                return false;
            }
            open = left & one(next) != 0;
            here = next;
        }
        true
    })
}

/// Whether the steps of a shape only move pieces about or exchange the one that has moved.
pub(crate) fn moves_only(shape: &Shape) -> bool {
    shape.recipe.iter().flatten().all(|step| match &step.op {
        Op::Move(..) => step.guard == rulebook_machine::lane::Guard::Always,
        Op::Put(_, place) | Op::PutChosen(place) => *place == Place::To,
        Op::Remove(_) | Op::Clear(_) => false,
        Op::General => shape.plain,
        _ => true,
    })
}
