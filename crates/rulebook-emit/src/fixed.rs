//! The parts of a specialised module that are the same for every rule set, as text.
//!
//! Invariant: the text is formatted as rustfmt formats it, and uses only names that a module has.

/// Sets of sites, and visitors of plies. `Set`, `WIDTH` and `SITES` stand before it.
pub(crate) const SETS: &str = r#"
/// No site, kind or player.
const NONE: u8 = u8::MAX;

#[inline(always)]
fn one(site: usize) -> Set {
    1 << (site & (WIDTH - 1))
}

#[inline(always)]
fn has(set: Set, site: usize) -> bool {
    set >> (site & (WIDTH - 1)) & 1 == 1
}

#[inline(always)]
#[allow(dead_code, reason = "not every rule set asks for all of it")]
fn first(set: Set) -> usize {
    set.trailing_zeros() as usize & (WIDTH - 1)
}

#[inline(always)]
#[allow(dead_code, reason = "not every rule set asks for all of it")]
fn several(set: Set) -> bool {
    set & set.wrapping_sub(1) != 0
}

#[inline(always)]
#[allow(dead_code, reason = "not every rule set asks for all of it")]
fn len(set: Set) -> u64 {
    u64::from(set.count_ones())
}

/// The sites of a set in order.
#[derive(Clone, Copy)]
struct Sites(Set);

impl Iterator for Sites {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let site = first(self.0);
        self.0 &= self.0.wrapping_sub(1);
        Some(site)
    }
}

/// A way of moving.
#[allow(dead_code, reason = "not every rule set asks for all of it")]
trait Way {
    /// Its number.
    const NUMBER: u16;
    /// Whose it is.
    const SIDE: usize;
    /// The name of the act.
    const ACT: u16;
    /// The kind that moves.
    const KIND: u8;
    /// How far it goes where it goes equally far from everywhere, as the number of a site.
    const PLACES: usize;
    /// Whether it can capture.
    const TAKES: bool;
    /// Where a kind is chosen.
    const PICKED: Set;
    /// The kinds to choose from, and the name the choice is bound to.
    const KINDS: &'static [u8];
    const BINDING: u16;
    /// Ways that are listed one by one.
    const ROWS: &'static [Row];

    /// The position after a ply; `TAKEN` says whether it captures where it ends.
    fn make<const TAKEN: bool>(
        tables: &Tables,
        position: &Position,
        from: usize,
        to: usize,
        chosen: u8,
    ) -> Position;

    /// The position after a ply that is listed.
    fn make_row(tables: &Tables, position: &Position, row: &Row, chosen: u8) -> Position;
}

/// That no piece has come to any site.
#[allow(dead_code, reason = "not every rule set asks for all of it")]
const NOBODY: (usize, u8) = (SITES, NONE);

/// A condition on one site.
#[allow(dead_code, reason = "not every rule set has such ways")]
struct Asked {
    site: u8,
    content: u8,
    kinds: u128,
}

/// A step of what a clause does after a movement.
#[allow(dead_code, reason = "not every rule set has such ways")]
enum Step {
    Move(u8, u8),
    Put(u8, u8),
    Remove(u8),
}

/// A way between two given sites.
#[allow(dead_code, reason = "not every rule set has such ways")]
struct Row {
    from: u8,
    to: u8,
    empty: Set,
    enemy: Set,
    own: Set,
    within: Set,
    is: u8,
    asked: &'static [Asked],
    takes: Set,
    marks: &'static [u8],
    before: Set,
    closed: bool,
    first: &'static [Step],
    known: bool,
    left: Set,
    come: Set,
    royal: u8,
}

#[allow(dead_code, reason = "not every rule set has such ways")]
impl Row {
    #[inline(always)]
    fn mark(&self, at: usize) -> usize {
        usize::from(self.marks.get(at).copied().unwrap_or(NONE))
    }

    /// Whether what stands on the board allows it.
    #[inline(always)]
    fn stands(&self, position: &Position, own: Set, enemy: Set) -> bool {
        self.empty & (own | enemy) == 0
            && self.own & !own == 0
            && self.enemy & !enemy == 0
            && self
                .asked
                .iter()
                .all(|asked| asked.holds(position, own, enemy, NOBODY))
    }
}

#[allow(dead_code, reason = "not every rule set has such conditions")]
impl Asked {
    /// Whether it holds, as the player of some pieces sees it; a piece of some kind may have come to a site.
    fn holds(&self, position: &Position, own: Set, enemy: Set, came: (usize, u8)) -> bool {
        let site = usize::from(self.site);
        let stands = || {
            if came.0 == site {
                came.1
            } else {
                position.kind(site)
            }
        };
        let (content, kind) = match (has(own, site), has(enemy, site)) {
            (true, _) => (4, stands()),
            (_, true) => (2, stands()),
            _ => (1, NONE),
        };
        self.content & content != 0 && (content == 1 || self.kinds >> (kind & 127) & 1 == 1)
    }
}

/// A way on which nothing depends.
#[allow(dead_code, reason = "not every rule set has such ways")]
const ROW: Row = Row {
    from: 0,
    to: 0,
    empty: 0,
    enemy: 0,
    own: 0,
    within: 0,
    is: NONE,
    asked: &[],
    takes: 0,
    marks: &[],
    before: 0,
    closed: false,
    first: &[],
    known: false,
    left: 0,
    come: 0,
    royal: NONE,
};

/// Who takes the plies that are found.
#[allow(dead_code, reason = "not every rule set asks for all of it")]
trait Visitor {
    /// Whether it only counts, so that kinds that go alike need not be told apart.
    const COUNTS: bool = false;
    /// From one site to several.
    fn set<W: Way>(&mut self, from: usize, targets: Set);
    /// To several sites, all equally far from where the pieces come from.
    fn shift<W: Way>(&mut self, targets: Set);
    /// One that is listed.
    fn row<W: Way>(&mut self, at: usize, row: &'static Row);
}

/// Counts plies.
struct Count(u64);

impl Count {
    #[inline(always)]
    fn add<W: Way>(&mut self, targets: Set) {
        self.0 = self.0.wrapping_add(len(targets));
        if W::KINDS.len() > 1 {
            let more = W::KINDS.len() as u64 - 1;
            self.0 = self
                .0
                .wrapping_add(len(targets & W::PICKED).wrapping_mul(more));
        }
    }
}

impl Visitor for Count {
    const COUNTS: bool = true;

    #[inline(always)]
    fn set<W: Way>(&mut self, _: usize, targets: Set) {
        self.add::<W>(targets);
    }

    #[inline(always)]
    fn shift<W: Way>(&mut self, targets: Set) {
        self.add::<W>(targets);
    }

    #[inline(always)]
    fn row<W: Way>(&mut self, _: usize, row: &'static Row) {
        self.add::<W>(one(usize::from(row.to)));
    }
}

/// Makes plies and counts what follows them.
struct Deeper<'a, const BULK: bool> {
    tables: &'a Tables,
    position: &'a Position,
    depth: u32,
    count: u64,
}

impl<const BULK: bool> Deeper<'_, BULK> {
    #[inline(always)]
    fn after<W: Way>(&mut self, next: &Position) {
        let count = if W::SIDE == 0 {
            perft_1::<BULK>(self.tables, next, self.depth)
        } else {
            perft_0::<BULK>(self.tables, next, self.depth)
        };
        self.count = self.count.wrapping_add(count);
    }

    #[inline(always)]
    fn each<W: Way>(&mut self, targets: Set, from: impl Fn(usize) -> usize) {
        let (tables, position) = (self.tables, self.position);
        let enemy = if W::TAKES {
            position.owners[1 - W::SIDE]
        } else {
            0
        };
        for to in Sites(targets & !W::PICKED & !enemy) {
            self.after::<W>(&W::make::<false>(tables, position, from(to), to, NONE));
        }
        if W::TAKES {
            for to in Sites(targets & !W::PICKED & enemy) {
                self.after::<W>(&W::make::<true>(tables, position, from(to), to, NONE));
            }
        }
        if W::PICKED != 0 {
            for to in Sites(targets & W::PICKED) {
                for kind in W::KINDS {
                    self.after::<W>(&made::<W>(tables, position, from(to), to, *kind));
                }
            }
        }
    }
}

impl<const BULK: bool> Visitor for Deeper<'_, BULK> {
    #[inline(always)]
    fn set<W: Way>(&mut self, from: usize, targets: Set) {
        self.each::<W>(targets, |_| from);
    }

    #[inline(always)]
    fn shift<W: Way>(&mut self, targets: Set) {
        self.each::<W>(targets, |to| to.wrapping_sub(W::PLACES));
    }

    fn row<W: Way>(&mut self, _: usize, row: &'static Row) {
        let (tables, position) = (self.tables, self.position);
        if W::PICKED != 0 && has(W::PICKED, usize::from(row.to)) {
            for kind in W::KINDS {
                self.after::<W>(&W::make_row(tables, position, row, *kind));
            }
        } else {
            self.after::<W>(&W::make_row(tables, position, row, NONE));
        }
    }
}

/// Makes plies and counts them.
struct Leaves<'a> {
    tables: &'a Tables,
    position: &'a Position,
    count: u64,
}

impl Leaves<'_> {
    #[inline(always)]
    fn leaf(&mut self, next: Position) {
        // The position must be made, whatever is done with it.
        std::hint::black_box(&next);
        self.count = self.count.wrapping_add(1);
    }

    #[inline(always)]
    fn each<W: Way>(&mut self, targets: Set, from: impl Fn(usize) -> usize) {
        let (tables, position) = (self.tables, self.position);
        let enemy = if W::TAKES {
            position.owners[1 - W::SIDE]
        } else {
            0
        };
        for to in Sites(targets & !W::PICKED & !enemy) {
            self.leaf(W::make::<false>(tables, position, from(to), to, NONE));
        }
        if W::TAKES {
            for to in Sites(targets & !W::PICKED & enemy) {
                self.leaf(W::make::<true>(tables, position, from(to), to, NONE));
            }
        }
        if W::PICKED != 0 {
            for to in Sites(targets & W::PICKED) {
                for kind in W::KINDS {
                    self.leaf(made::<W>(tables, position, from(to), to, *kind));
                }
            }
        }
    }
}

impl Visitor for Leaves<'_> {
    #[inline(always)]
    fn set<W: Way>(&mut self, from: usize, targets: Set) {
        self.each::<W>(targets, |_| from);
    }

    #[inline(always)]
    fn shift<W: Way>(&mut self, targets: Set) {
        self.each::<W>(targets, |to| to.wrapping_sub(W::PLACES));
    }

    fn row<W: Way>(&mut self, _: usize, row: &'static Row) {
        let (tables, position) = (self.tables, self.position);
        if W::PICKED != 0 && has(W::PICKED, usize::from(row.to)) {
            for kind in W::KINDS {
                self.leaf(W::make_row(tables, position, row, *kind));
            }
        } else {
            self.leaf(W::make_row(tables, position, row, NONE));
        }
    }
}

/// Keeps plies.
struct Gather(Vec<Ply>);

impl Gather {
    fn one<W: Way>(&mut self, from: usize, to: usize, row: u16) {
        let ply = Ply {
            way: W::NUMBER,
            row,
            from: from as u8,
            to: to as u8,
            chosen: NONE,
        };
        if has(W::PICKED, to) {
            self.0.extend(W::KINDS.iter().map(|kind| Ply {
                chosen: *kind,
                ..ply
            }));
        } else {
            self.0.push(ply);
        }
    }
}

impl Visitor for Gather {
    fn set<W: Way>(&mut self, from: usize, targets: Set) {
        for to in Sites(targets) {
            self.one::<W>(from, to, u16::MAX);
        }
    }

    fn shift<W: Way>(&mut self, targets: Set) {
        for to in Sites(targets) {
            self.one::<W>(to.wrapping_sub(W::PLACES), to, u16::MAX);
        }
    }

    fn row<W: Way>(&mut self, at: usize, row: &'static Row) {
        self.one::<W>(usize::from(row.from), usize::from(row.to), at as u16);
    }
}

/// The position after a ply, whether it captures or not.
fn made<W: Way>(
    tables: &Tables,
    position: &Position,
    from: usize,
    to: usize,
    chosen: u8,
) -> Position {
    if W::TAKES && has(position.owners[1 - W::SIDE], to) {
        W::make::<true>(tables, position, from, to, chosen)
    } else {
        W::make::<false>(tables, position, from, to, chosen)
    }
}

/// The position after a ply that was found in it.
fn played<W: Way>(tables: &Tables, position: &Position, ply: Ply) -> Position {
    match W::ROWS.get(usize::from(ply.row)) {
        Some(row) => W::make_row(tables, position, row, ply.chosen),
        None => {
            let from = usize::from(ply.from) & (WIDTH - 1);
            let to = usize::from(ply.to) & (WIDTH - 1);
            made::<W>(tables, position, from, to, ply.chosen)
        }
    }
}

/// A ply as the machine describes it, without marks.
fn described<W: Way>(position: &Position, ply: Ply) -> PlainAct {
    let taken = one(usize::from(ply.to)) & position.owners[1 - W::SIDE];
    let takes = W::ROWS.get(usize::from(ply.row)).map_or(0, |row| row.takes);
    let choices = if ply.chosen == NONE {
        Vec::new()
    } else {
        vec![W::BINDING]
    };
    PlainAct {
        name: W::ACT,
        actor: W::SIDE as u8,
        from: Some(u16::from(ply.from)),
        to: Some(u16::from(ply.to)),
        piece: Some(W::KIND),
        taken: Sites(taken | takes).map(|site| site as u16).collect(),
        changed: Vec::new(),
        bound: choices
            .iter()
            .map(|binding| (*binding, Plain::Kind(ply.chosen)))
            .collect(),
        choices,
    }
}

#[allow(dead_code, reason = "not every rule set asks for all of it")]
impl Position {
    /// The kind that stands on a site.
    #[inline(always)]
    fn kind(&self, site: usize) -> u8 {
        let bit = one(site);
        self.kinds
            .iter()
            .position(|set| set & bit != 0)
            .map_or(NONE, |kind| kind as u8)
    }

    /// The owner of what stands on a site.
    #[inline(always)]
    fn owner(&self, site: usize) -> u8 {
        match (has(self.owners[0], site), has(self.owners[1], site)) {
            (true, _) => 0,
            (_, true) => 1,
            _ => NONE,
        }
    }

    #[inline(always)]
    fn clear(&mut self, sites: Set) {
        for set in self.kinds.iter_mut().chain(&mut self.owners) {
            *set &= !sites;
        }
    }

    /// Puts something on a site, whatever stood there.
    #[inline(always)]
    fn put(&mut self, site: usize, kind: u8, owner: u8) {
        let bit = one(site);
        self.clear(bit);
        if let (Some(kind), Some(owner)) = (
            self.kinds.get_mut(usize::from(kind)),
            self.owners.get_mut(usize::from(owner)),
        ) {
            *kind |= bit;
            *owner |= bit;
        }
    }

    /// Moves what stands on a site to another one.
    #[inline(always)]
    fn carry(&mut self, from: usize, to: usize) {
        let (kind, owner) = (self.kind(from), self.owner(from));
        self.clear(one(from));
        self.put(to, kind, owner);
    }
}
"#;

/// The sites that ways over empty sites lead to.
pub(crate) const LAME: &str = r"
fn lame(table: &[&[(u8, Set)]; SITES], from: usize, occupied: Set) -> Set {
    let ways = table.get(from).copied().unwrap_or_default();
    let open = ways.iter().filter(|(_, empty)| empty & occupied == 0);
    open.fold(EMPTY, |set, (to, _)| set | one(usize::from(*to)))
}";

/// The head of the position; its variables follow.
pub(crate) const POSITION: &str = r#"
/// What stands where, whose turn it is, and the variables.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    /// The sites of each kind, whoever owns them.
    kinds: [Set; $kinds],
    /// The sites of each player.
    owners: [Set; 2],
    /// Who has the turn.
    turn: u8,
    /// Plies played.
    plies: u32,
    /// Sets that are known to be settled, as bits; no part of what the position is.
    #[allow(dead_code, reason = "not every rule set has such sets")]
    settled: u32,"#;

/// A position to and from the machine, equality and the key.
pub(crate) const CONVERSIONS: &str = r#"
impl PartialEq for Position {
    fn eq(&self, other: &Self) -> bool {
        self.kinds == other.kinds
            && self.owners == other.owners
            && (self.turn, self.plies) == (other.turn, other.plies)
            $same
    }
}

impl Eq for Position {}

#[allow(dead_code, reason = "nobody needs all of it")]
impl Position {
    /// The first position.
    ///
    /// # Errors
    /// None: the signature is that of modules which ask the machine.
    pub fn first() -> Outcomes<Self> {
        Ok(FIRST)
    }

    /// A position of the machine.
    ///
    /// # Errors
    /// A variable holds a number that is not whole, or a text that the rule set does not know.
    pub fn open(plain: &PlainPosition) -> Outcomes<Self> {
        let mut made = Self {
            kinds: [0; _],
            owners: [0; 2],
            turn: if plain.mover < 2 { plain.mover } else { 0 },
            plies: plain.played,
            settled: 0,
            ..FIRST
        };
        for (site, cell) in plain.cells.iter().enumerate().take(SITES) {
            if let Some((kind, owner)) = cell {
                made.put(site, *kind, *owner);
            }
        }
        $opens
        Ok(made)
    }

    /// The same position for the machine.
    pub fn plain(&self) -> PlainPosition {
        let cell = |site: usize| Some((self.kind(site), self.owner(site)));
        let stands = |cell: &(u8, u8)| cell.1 != NONE;
        PlainPosition {
            cells: (0..SITES).map(|site| cell(site).filter(stands)).collect(),
            mover: self.turn,
            vars: $vars,
            played: self.plies,
        }
    }

    /// A number that is equal for positions that are the same: what stands where, the turn, and the
    /// variables that belong to what a position is. Those that last one ply count as they are.
    pub fn key(&self) -> u64 {
        let mut key = u64::from(self.turn);
        for set in self.kinds.iter().chain(&self.owners) {
            key = mix_set(key, *set);
        }
        $keys
        key
    }

    /// Who has the turn.
    pub fn turn(&self) -> u8 {
        self.turn
    }

    /// How many sequences of plies there are of some length.
    ///
    /// # Errors
    /// None: the signature is that of modules which ask the machine.
    pub fn perft(&self, depth: u32) -> Outcomes<u64> {
        Ok(perft::<true>(self, depth))
    }

    /// The same, every position being made that is counted.
    ///
    /// # Errors
    /// None: the signature is that of modules which ask the machine.
    pub fn perft_making(&self, depth: u32) -> Outcomes<u64> {
        Ok(perft::<false>(self, depth))
    }

    /// The legal plies, always in the same order.
    ///
    /// # Errors
    /// None: the signature is that of modules which ask the machine.
    pub fn plies(&self) -> Outcomes<Vec<Ply>> {
        let list = if self.turn == 0 { plies_0 } else { plies_1 };
        Ok(list(tables(), self))
    }

    /// The position after a ply, which must be one of this position.
    pub fn play(&self, ply: &Ply) -> Self {
        after(tables(), self, *ply)
    }

    /// A ply of this position as the machine describes it; marks and changed sites are left out.
    pub fn act(&self, ply: &Ply) -> PlainAct {
        act(self, *ply)
    }
}

/// A legal ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ply {
    way: u16,
    row: u16,
    from: u8,
    to: u8,
    chosen: u8,
}

#[inline(always)]
fn mix(key: u64, value: u64) -> u64 {
    let key = (key.rotate_left(23) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    key ^ key >> 29
}

#[inline(always)]
#[allow(clippy::unnecessary_cast, reason = "boards differ in width")]
fn mix_set(key: u64, set: Set) -> u64 {
    let key = mix(key, set as u64);
    if WIDTH > 64 {
        mix(key, (set >> (WIDTH / 2)) as u64)
    } else {
        key
    }
}

/// The value that a plain position gives to a variable.
#[allow(dead_code, reason = "not every rule set has variables")]
fn given(plain: &PlainPosition, var: usize, each: bool, at: usize) -> Option<&Plain> {
    match plain.vars.get(var)? {
        Plain::List(values) if each => values.get(at),
        value => Some(value).filter(|_| at == 0),
    }
}

#[allow(dead_code, reason = "not every rule set has such variables")]
fn whole(value: &Plain) -> Outcomes<i64> {
    match value {
        Plain::Number(number, 1) if number.unsigned_abs() < 1 << 47 => Ok(*number),
        _ => Err(Fault::Number(None)),
    }
}

#[allow(dead_code, reason = "not every rule set has such variables")]
fn point(value: &Plain) -> u8 {
    match value {
        Plain::Player(at) | Plain::Kind(at) => *at,
        Plain::Site(site) if usize::from(*site) < SITES => *site as u8,
        _ => NONE,
    }
}

#[allow(dead_code, reason = "not every rule set has such variables")]
fn pointed(at: u8, plain: impl Fn(u8) -> Plain) -> Plain {
    if at == NONE {
        Plain::Nothing
    } else {
        plain(at)
    }
}

#[allow(dead_code, reason = "not every rule set has such variables")]
fn sites(value: &Plain) -> Set {
    match value {
        Plain::Site(site) if usize::from(*site) < SITES => one(usize::from(*site)),
        Plain::Sites(list) => {
            let inside = list.iter().map(|site| usize::from(*site));
            let inside = inside.filter(|site| *site < SITES);
            inside.fold(EMPTY, |set, site| set | one(site))
        }
        Plain::List(values) => values.iter().fold(EMPTY, |set, value| set | sites(value)),
        _ => EMPTY,
    }
}

#[allow(dead_code, reason = "not every rule set has such variables")]
fn listed(set: Set) -> Vec<u16> {
    Sites(set).map(|site| site as u16).collect()
}

/// The texts of the rule set, which are those of its machine.
#[allow(dead_code, reason = "not every rule set has such variables")]
fn texts() -> Outcomes<&'static [String]> {
    machine()
        .map(|machine| machine.program().texts.as_slice())
        .map_err(|_| Fault::Number(None))
}

#[allow(dead_code, reason = "not every rule set has such variables")]
fn text(value: &Plain) -> Outcomes<u32> {
    let Plain::Text(text) = value else {
        return Ok(u32::MAX);
    };
    let place = texts()?.iter().position(|known| known == text);
    place.map_or(Err(Fault::Number(None)), |at| Ok(at as u32))
}

#[allow(dead_code, reason = "not every rule set has such variables")]
fn named(at: u32) -> Plain {
    let texts = texts().unwrap_or_default();
    let text = texts.get(at as usize);
    text.map_or(Plain::Nothing, |text| Plain::Text(text.clone()))
}
"#;

/// What a clause does after a listed movement.
pub(crate) const STEPS: &str = r#"
#[allow(dead_code, reason = "not every rule set has such steps")]
impl Position {
    /// Does a step; the sites that changed.
    fn step(&mut self, step: &Step, owner: u8) -> Set {
        match *step {
            Step::Move(from, to) => {
                self.carry(usize::from(from), usize::from(to));
                one(usize::from(from)) | one(usize::from(to))
            }
            Step::Put(site, kind) => {
                self.put(usize::from(site), kind, owner);
                one(usize::from(site))
            }
            Step::Remove(site) => {
                self.clear(one(usize::from(site)));
                one(usize::from(site))
            }
        }
    }
}
"#;

/// The functions of a player that count and list.
pub(crate) const COUNTING: &str = r#"
/// How many legal plies there are.
#[inline(never)]
fn count_$me(tables: &Tables, position: &Position) -> u64 {
    let mut count = Count(0);
    visit_$me::<_, false>(tables, position, &mut count);
    count.0
}

#[inline(never)]
fn leaves_$me(tables: &Tables, position: &Position) -> u64 {
    let mut leaves = Leaves {
        tables,
        position,
        count: 0,
    };
    visit_$me::<_, false>(tables, position, &mut leaves);
    leaves.count
}

/// How many sequences of plies there are.
fn perft_$me<const BULK: bool>(tables: &Tables, position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    $ended
    $royal
    if depth == 1 {
        return if BULK {
            count_$me(tables, position)
        } else {
            leaves_$me(tables, position)
        };
    }
    let mut deeper = Deeper::<BULK> {
        tables,
        position,
        depth: depth.wrapping_sub(1),
        count: 0,
    };
    visit_$me::<_, false>(tables, position, &mut deeper);
    deeper.count
}

/// The legal plies.
fn plies_$me(tables: &Tables, position: &Position) -> Vec<Ply> {
    let mut found = Gather(Vec::new());
    $listed
    visit_$me::<_, false>(tables, position, &mut found);
    found.0
}
"#;

/// The count of a player with several royal pieces.
pub(crate) const TRIED: &str = r#"
/// The same where every ply is tried, for there are several royal pieces.
#[cold]
fn tried_$me<const BULK: bool>(tables: &Tables, position: &Position, depth: u32) -> u64 {
    let plies = plies_$me(tables, position);
    if depth == 1 && BULK {
        return plies.len() as u64;
    }
    plies.iter().fold(0, |count, ply| {
        let next = after(tables, position, *ply);
        count + perft_$by::<BULK>(tables, &next, depth.wrapping_sub(1))
    })
}
"#;

/// From the number of a way to the position after a ply of it.
pub(crate) const AFTER: &str = r"
fn perft<const BULK: bool>(position: &Position, depth: u32) -> u64 {
    let tables = tables();
    if position.turn == 0 {
        perft_0::<BULK>(tables, position, depth)
    } else {
        perft_1::<BULK>(tables, position, depth)
    }
}

/// The position after a ply.
fn after(tables: &Tables, position: &Position, ply: Ply) -> Position {
    match ply.way {";

/// From the number of a way to the description of a ply of it.
pub(crate) const ACT: &str = r"
/// A ply as the machine describes it.
fn act(position: &Position, ply: Ply) -> PlainAct {
    match ply.way {";
