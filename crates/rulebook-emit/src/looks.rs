//! What is seen along lines, as functions of a module, and the tables that they need.
//!
//! Invariant: a multiplier with which two different answers would share a place is not used; the lines
//! themselves then give the answer.

use rulebook_machine::program::{Board, Lookup, Site};

use crate::forms::{Bits, LINES, Lines, one};
use crate::text::{Page, Text};

/// The looks of a module.
pub(crate) struct Looks<'p> {
    /// The families of lines that are looked up by multiplication.
    lookups: Vec<&'p Lookup>,
    /// The lines that are looked along, in the order of their functions.
    lines: Vec<Lines>,
    /// Whether something is looked for beyond the first piece.
    screens: bool,
    sites: usize,
    bits: u32,
}

/// The halves of the lines through a site.
fn halves(board: &Board, site: Site, line: usize) -> [Bits; 2] {
    let (files, ranks) = LINES.get(line).copied().unwrap_or_default();
    [-1, 1].map(|sign: i16| {
        let mut set = 0;
        let mut here = site;
        while let Some(next) = board.step(here, (i16::from(files) * sign, i16::from(ranks) * sign)) {
            set |= one(next);
            here = next;
        }
        set
    })
}

/// The sites of some lines whose content matters: all but the last ones.
fn mask(board: &Board, site: Site, lines: u8) -> u64 {
    let mut mask = 0;
    for line in (0..4).filter(|line| lines >> line & 1 == 1) {
        let [lower, upper] = halves(board, site, line);
        let last = if upper == 0 { 0 } else { 1 << (127 - upper.leading_zeros()) };
        mask |= (lower | upper) & !(last | lower & lower.wrapping_neg());
    }
    mask as u64
}

/// What is seen along a line.
fn seen([lower, upper]: [Bits; 2], occupied: Bits) -> Bits {
    let (below, above) = (lower & occupied, upper & occupied);
    let floor = (1_u128 << 127) >> (below | 1).leading_zeros();
    (above ^ above.wrapping_sub(1)) & upper | floor.wrapping_neg() & lower
}

/// Whether no two different answers share a place.
fn fits(board: &Board, lookup: &Lookup) -> bool {
    lookup.multipliers.len() >= board.len()
        && lookup.multipliers.iter().zip(0..board.len() as Site).all(|(multiplier, site)| {
            let mask = mask(board, site, lookup.lines);
            let bits = mask.count_ones();
            if bits > 14 {
                return false;
            }
            let lines: Vec<[Bits; 2]> = (0..4)
                .filter(|line| lookup.lines >> line & 1 == 1)
                .map(|line| halves(board, site, line))
                .collect();
            let mut places: Vec<Option<Bits>> = vec![None; 1 << bits];
            let mut occupied = 0_u64;
            loop {
                let at = occupied.wrapping_mul(*multiplier).checked_shr(64 - bits).unwrap_or(0);
                let answer = lines.iter().fold(0, |set, line| set | seen(*line, occupied.into()));
                match places.get_mut(at as usize) {
                    Some(place) if place.is_none_or(|known| known == answer) => *place = Some(answer),
                    _ => return false,
                }
                occupied = occupied.wrapping_sub(mask) & mask;
                if occupied == 0 {
                    return true;
                }
            }
        })
}

impl<'p> Looks<'p> {
    /// The looks of a module about a program.
    pub(crate) fn new(page: &Page<'p>) -> Self {
        let (program, board) = (page.program, &page.program.board);
        let lookups: Vec<&Lookup> = if page.width == 64 {
            program.lookups.iter().filter(|lookup| fits(board, lookup)).collect()
        } else {
            Vec::new()
        };
        let sizes = lookups.iter().flat_map(|lookup| {
            (0..board.len() as Site).map(|site| 1_u32 << mask(board, site, lookup.lines).count_ones())
        });
        let bits = sizes.sum::<u32>().next_power_of_two().trailing_zeros();
        Self { lookups, lines: Vec::new(), screens: false, sites: board.len(), bits }
    }

    /// The call that gives the sites seen from a site.
    pub(crate) fn see(&mut self, lines: &Lines, site: &str, occupied: &str) -> String {
        let at = self.lines.iter().position(|known| known == lines).unwrap_or_else(|| {
            self.lines.push(lines.clone());
            self.lines.len() - 1
        });
        format!("sees_{at}(tables, {site}, {occupied})")
    }

    /// The call that gives the sites beyond exactly one piece.
    pub(crate) fn beyond(&mut self, lines: &Lines, site: &str, occupied: &str) -> String {
        self.screens = true;
        let call = self.see(lines, site, occupied);
        call.replace("sees_", "beyond_")
    }

    /// Whether what is seen along some lines is found by one multiplication.
    pub(crate) fn is_short(&self, lines: &Lines) -> bool {
        self.families(lines).is_some_and(|families| families.len() == 1)
    }

    /// The families that make up some lines.
    fn families(&self, lines: &Lines) -> Option<Vec<usize>> {
        if lines.upper | lines.lower != 0 {
            return None;
        }
        let find = |wanted: u8| self.lookups.iter().position(|lookup| lookup.lines == wanted);
        if let Some(one) = find(lines.both) {
            return Some(vec![one]);
        }
        (1..lines.both)
            .filter(|part| part & lines.both == *part)
            .find_map(|part| Some(vec![find(part)?, find(lines.both & !part)?]))
    }

    /// The functions, and the tables with what fills them. `pairs` says whether the sites between two sites
    /// are asked for.
    pub(crate) fn write(&self, page: &Page<'_>, pairs: bool) -> String {
        let mut text = Text::default();
        let used: Vec<usize> = self.lines.iter().filter_map(|lines| self.families(lines)).flatten().collect();
        let halves = self.lines.iter().any(|lines| self.screens || self.families(lines).is_none());
        let magic = !used.is_empty();
        let empty = !halves && !pairs && !magic;
        text.lines(0, if empty { TABLES_HEAD.replace('{', "{}") } else { TABLES_HEAD.to_owned() });
        if halves {
            text.line(1, "/// The lower and the upper halves of the lines through each site.");
            text.line(1, "lines: Box<[[[Set; 2]; 4]; WIDTH]>,");
        }
        if pairs {
            text.line(1, "/// The sites between two sites of a line.");
            text.line(1, "between: Box<[Set; WIDTH * WIDTH]>,");
            text.line(1, "/// The whole line through two sites.");
            text.line(1, "through: Box<[Set; WIDTH * WIDTH]>,");
        }
        if magic {
            text.line(1, "/// Where the answers for each family of lines and each site begin.");
            text.line(1, format!("looks: Box<[[Look; WIDTH]; {}]>,", self.lookups.len()));
            text.line(1, "answers: Box<[Set; ANSWERS]>,");
        }
        if !empty {
            text.line(0, "}");
        }
        text.lines(0, LINES_OF);
        if pairs {
            text.lines(0, PAIR);
        }
        if magic {
            self.magic(page, &mut text);
        }
        text.line(0, "");
        text.line(0, "impl Tables {");
        text.line(1, "fn new() -> Self {");
        if halves || magic {
            text.line(2, "let mut lines = table::<[[Set; 2]; 4], WIDTH>();");
            text.line(2, "for (site, row) in lines.iter_mut().enumerate().take(SITES) {");
            text.line(3, "*row = lines_of(site);");
            text.line(2, "}");
        }
        if pairs {
            text.line(2, "let mut between = table::<Set, { WIDTH * WIDTH }>();");
            text.line(2, "let mut through = table::<Set, { WIDTH * WIDTH }>();");
            text.line(2, "for site in 0..SITES {");
            text.line(3, "for [lower, upper] in lines_of(site) {");
            text.line(4, "for other in Sites(lower | upper) {");
            text.line(5, "let (low, high) = (site.min(other), site.max(other));");
            text.line(5, "let inside = (one(high) - 1) & !(one(low) | (one(low) - 1));");
            text.line(5, "between[pair(site, other)] = (lower | upper) & inside;");
            text.line(5, "through[pair(site, other)] = lower | upper | one(site);");
            text.line(4, "}");
            text.line(3, "}");
            text.line(2, "}");
        }
        if magic {
            text.lines(2, FILL);
        }
        let fields: Vec<&str> =
            [(halves, "lines"), (pairs, "between"), (pairs, "through"), (magic, "looks"), (magic, "answers")]
                .into_iter()
                .filter_map(|(has, name)| has.then_some(name))
                .collect();
        if fields.is_empty() {
            text.line(2, "Self {}");
        } else if fields.join(", ").len() <= 18 {
            text.line(2, format!("Self {{ {} }}", fields.join(", ")));
        } else {
            text.line(2, "Self {");
            for field in fields {
                text.line(3, format!("{field},"));
            }
            text.line(2, "}");
        }
        text.line(1, "}");
        text.line(0, "}");
        text.lines(0, GET);
        for (at, lines) in self.lines.iter().enumerate() {
            self.function(at, lines, &mut text);
        }
        text.0
    }

    fn magic(&self, page: &Page<'_>, text: &mut Text) {
        text.lines(0, LOOK);
        text.line(0, "");
        text.line(0, "/// How many answers there is room for.");
        text.line(0, format!("const ANSWERS: usize = 1 << {};", self.bits));
        text.line(0, "");
        text.line(0, "/// The lines of each family, as bits, and the multipliers by site.");
        text.line(0, "#[rustfmt::skip]");
        text.line(0, format!("static FAMILIES: [(u8, [u64; SITES]); {}] = [", self.lookups.len()));
        for lookup in &self.lookups {
            text.line(1, format!("({}, [", lookup.lines));
            for row in lookup.multipliers.get(..self.sites).unwrap_or(&[]).chunks(4) {
                let row: Vec<String> = row.iter().map(|word| page.set((*word).into())).collect();
                text.line(2, format!("{},", row.join(", ")));
            }
            text.line(1, "]),");
        }
        text.line(0, "];");
    }

    fn function(&self, at: usize, lines: &Lines, text: &mut Text) {
        text.line(0, "");
        text.line(0, "#[inline(always)]");
        text.line(0, format!("fn sees_{at}(tables: &Tables, site: usize, occupied: Set) -> Set {{"));
        match self.families(lines) {
            Some(families) => {
                let calls: Vec<String> =
                    families.iter().map(|family| format!("look(tables, {family}, site, occupied)")).collect();
                text.line(1, calls.join(" | "));
            }
            None => self.along(lines, text),
        }
        text.line(0, "}");
        if self.screens {
            text.line(0, "");
            text.line(0, "#[inline(always)]");
            text.line(0, "#[allow(dead_code, reason = \"not every line is looked along beyond a piece\")]");
            text.line(0, format!("fn beyond_{at}(tables: &Tables, site: usize, occupied: Set) -> Set {{"));
            text.line(1, format!("let open = sees_{at}(tables, site, occupied);"));
            text.line(1, format!("sees_{at}(tables, site, occupied & !open) & !open"));
            text.line(0, "}");
        }
    }

    fn along(&self, lines: &Lines, text: &mut Text) {
        text.line(1, "let lines = &tables.lines[site & (WIDTH - 1)];");
        let mut parts = Vec::new();
        for line in 0..4 {
            let seen = format!("seen(lines[{line}], occupied)");
            if lines.both >> line & 1 == 1 {
                parts.push(seen);
            } else if lines.upper >> line & 1 == 1 {
                parts.push(format!("{seen} & lines[{line}][1]"));
            } else if lines.lower >> line & 1 == 1 {
                parts.push(format!("{seen} & lines[{line}][0]"));
            }
        }
        text.line(1, format!("let mut sites = {};", parts.first().map_or("0", String::as_str)));
        for part in parts.iter().skip(1) {
            text.line(1, format!("sites |= {part};"));
        }
        text.line(1, "sites");
    }
}

const TABLES_HEAD: &str = r#"
/// Tables over the sites of the board, made once.
#[allow(dead_code, reason = "not every rule set asks for all of it")]
struct Tables {"#;

const LINES_OF: &str = r#"
/// A table on the heap.
#[allow(dead_code, reason = "not every rule set asks for all of it")]
fn table<T: Copy + Default, const N: usize>() -> Box<[T; N]> {
    match vec![T::default(); N].into_boxed_slice().try_into() {
        Ok(table) => table,
        // It has just the length that is asked for.
        Err(_) => std::process::abort(),
    }
}

/// The halves of the lines through a site: along a rank, up and to the left, along a file, up and to the right.
#[allow(dead_code, reason = "not every rule set asks for all of it")]
fn lines_of(site: usize) -> [[Set; 2]; 4] {
    [(1, 0), (-1, 1), (0, 1), (1, 1)].map(|(files, ranks): (i64, i64)| {
        [-1, 1].map(|sign| {
            let mut half = 0;
            let (mut file, mut rank) = ((site % FILES) as i64, (site / FILES) as i64);
            loop {
                (file, rank) = (file + files * sign, rank + ranks * sign);
                let inside = 0..FILES as i64;
                if !inside.contains(&file) || !(0..(SITES / FILES) as i64).contains(&rank) {
                    break half;
                }
                half |= one(rank as usize * FILES + file as usize);
            }
        })
    })
}

/// What is seen along a line that is parted by its origin into two halves.
#[inline(always)]
#[allow(dead_code, reason = "not every rule set asks for all of it")]
fn seen([lower, upper]: [Set; 2], occupied: Set) -> Set {
    let (below, above) = (lower & occupied, upper & occupied);
    let last: Set = 1 << (WIDTH - 1);
    let floor = last >> ((below | 1).leading_zeros() as usize & (WIDTH - 1));
    (above ^ above.wrapping_sub(1)) & upper | floor.wrapping_neg() & lower
}"#;

const PAIR: &str = r"
/// The place of a pair of sites in a table.
#[inline(always)]
fn pair(a: usize, b: usize) -> usize {
    (a & (WIDTH - 1)) * WIDTH + (b & (WIDTH - 1))
}";

const LOOK: &str = r"
/// How the answer for a site is found.
#[derive(Clone, Copy, Default)]
struct Look {
    mask: u64,
    multiplier: u64,
    shift: u32,
    start: u32,
}

#[inline(always)]
fn look(tables: &Tables, family: usize, site: usize, occupied: Set) -> Set {
    let look = tables.looks[family][site & (WIDTH - 1)];
    let at = (occupied & look.mask).wrapping_mul(look.multiplier) >> (look.shift & 63);
    tables.answers[(look.start as usize).wrapping_add(at as usize) & (ANSWERS - 1)]
}";

const FILL: &str = r"let mut looks = Box::new([[Look::default(); WIDTH]; FAMILIES.len()]);
let mut answers = table::<Set, ANSWERS>();
let mut start = 0;
for (looks, (used, multipliers)) in looks.iter_mut().zip(&FAMILIES) {
    for (site, multiplier) in multipliers.iter().enumerate() {
        let halves = (0..4)
            .filter(|line| used >> line & 1 == 1)
            .map(|line| lines[site][line]);
        let mask = halves.clone().fold(0, |mask, [lower, upper]| {
            let last = Sites(upper).last().map_or(0, one);
            mask | (lower | upper) & !(last | lower & lower.wrapping_neg())
        });
        let bits = mask.count_ones();
        looks[site] = Look {
            mask,
            multiplier: if bits == 0 { 0 } else { *multiplier },
            shift: (64 - bits) & 63,
            start,
        };
        let mut occupied: Set = 0;
        loop {
            let at = occupied.wrapping_mul(looks[site].multiplier) >> looks[site].shift;
            let seen = halves.clone().map(|half| seen(half, occupied));
            let answer = seen.fold(0, |set, half| set | half);
            answers[(start as usize + at as usize) & (ANSWERS - 1)] = answer;
            occupied = occupied.wrapping_sub(mask) & mask;
            if occupied == 0 {
                break;
            }
        }
        start += 1 << bits;
    }
}";

const GET: &str = r"
static TABLES: OnceLock<Tables> = OnceLock::new();

/// The tables.
#[inline(always)]
fn tables() -> &'static Tables {
    TABLES.get_or_init(Tables::new)
}";
