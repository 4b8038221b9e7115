//! A movement pattern as the list of its ways: where each ends, and what must hold on which site.
//!
//! Law: a piece that stands anywhere on the board can go a way of the pattern if and only if it can go one of
//! the templates that stay on the board. A pattern for which that cannot be shown is not turned into
//! templates; the automaton walks it.

use rulebook_machine::lane::{Need, Offset, Template, content};
use rulebook_model::Sites;
use rulebook_model::Value;
use rulebook_model::board::Direction;
use rulebook_model::ruleset::{Atom, Builtin, Context, Item, Path, RuleSet, Term};
use rulebook_syntax::ast::Binary;

use crate::simplify::{Known, constant, constant_sites, simplify};

/// Most templates of one pattern.
const MOST: usize = 1500;
const ANY: u8 = content::EMPTY | content::ENEMY | content::OWN;

/// A way on its way.
#[derive(Clone, Debug, PartialEq)]
struct Walker {
    here: (i16, i16),
    heading: (i8, i8),
    needs: Vec<((i16, i16), Need)>,
    takes: Vec<(i16, i16)>,
    marks: Vec<(u8, (i16, i16))>,
}

/// Where state variables are kept, for conditions on them.
pub(crate) trait Slots {
    /// The slot of a set variable.
    fn set(&self, var: u16) -> Option<u16>;
    /// The slot of a site variable.
    fn site(&self, var: u16) -> Option<u16>;
}

/// The templates of a pattern for a player and a kind, or why there are none.
pub(crate) fn templates(
    rules: &RuleSet,
    path: &Path,
    known: &Known,
    slots: &dyn Slots,
) -> Result<Vec<Template>, &'static str> {
    let begin =
        Walker { here: (0, 0), heading: (0, 0), needs: Vec::new(), takes: Vec::new(), marks: Vec::new() };
    let mover = known.mover.unwrap_or(0);
    let unroller = Unroller { rules, known, slots, mover };
    let mut made = Vec::new();
    for walker in unroller.path(path, vec![begin])? {
        let small = |(files, ranks): (i16, i16)| -> Option<Offset> {
            Some((files.try_into().ok()?, ranks.try_into().ok()?))
        };
        let template = (|| {
            Some(Template {
                to: small(walker.here)?,
                needs: walker
                    .needs
                    .iter()
                    .map(|(at, need)| Some((small(*at)?, need.clone())))
                    .collect::<Option<_>>()?,
                takes: walker.takes.iter().map(|at| small(*at)).collect::<Option<_>>()?,
                marks: walker
                    .marks
                    .iter()
                    .filter_map(|(mark, at)| Some((*path.marks.get(usize::from(*mark))?, at)))
                    .map(|(binding, at)| Some((binding, small(*at)?)))
                    .collect::<Option<_>>()?,
            })
        })();
        let template = template.ok_or("it reaches too far")?;
        if !made.contains(&template) {
            made.push(template);
        }
    }
    Ok(made)
}

struct Unroller<'a> {
    rules: &'a RuleSet,
    known: &'a Known,
    slots: &'a dyn Slots,
    mover: u8,
}

impl Unroller<'_> {
    fn on_some_board(&self, (files, ranks): (i16, i16)) -> bool {
        files.unsigned_abs() < self.rules.board.files && ranks.unsigned_abs() < self.rules.board.ranks
    }

    fn path(&self, path: &Path, walkers: Vec<Walker>) -> Result<Vec<Walker>, &'static str> {
        let mut ends = Vec::new();
        for branch in &path.branches {
            let mut current = walkers.clone();
            for item in branch {
                current = self.item(item, current)?;
            }
            ends.append(&mut current);
        }
        Ok(ends)
    }

    fn item(&self, item: &Item, walkers: Vec<Walker>) -> Result<Vec<Walker>, &'static str> {
        let mut current = walkers;
        for _ in 0..item.least {
            current = self.atom(&item.atom, current)?;
        }
        if item.most == Some(item.least) {
            return Ok(current);
        }
        let mut all = current.clone();
        let mut round = item.least;
        while !current.is_empty() && item.most.is_none_or(|most| round < most) {
            current = self.atom(&item.atom, current)?;
            current.retain(|walker| !all.contains(walker));
            all.extend(current.iter().cloned());
            round = round.saturating_add(1);
            if all.len() > MOST {
                return Err("it has too many ways");
            }
        }
        Ok(all)
    }

    fn atom(&self, atom: &Atom, walkers: Vec<Walker>) -> Result<Vec<Walker>, &'static str> {
        let orient = |direction: &Direction| self.rules.board.orient(*direction, self.mover);
        let step = |walker: &Walker, (files, ranks): (i8, i8)| {
            let here = (walker.here.0 + i16::from(files), walker.here.1 + i16::from(ranks));
            self.on_some_board(here).then(|| Walker { here, heading: (files, ranks), ..walker.clone() })
        };
        Ok(match atom {
            Atom::Group(path) => self.path(path, walkers)?,
            Atom::Test(code) => {
                let term = simplify(self.rules, &code.term, self.known);
                let mut kept = Vec::new();
                for walker in walkers {
                    self.test(&term, &walker, &mut kept)?;
                }
                kept
            }
            Atom::Ahead => walkers
                .iter()
                .filter(|walker| walker.heading != (0, 0))
                .filter_map(|walker| step(walker, walker.heading))
                .collect(),
            Atom::Step(directions) => walkers
                .iter()
                .flat_map(|walker| directions.iter().filter_map(|d| step(walker, orient(d))))
                .collect(),
            Atom::Jump(distances) => walkers
                .iter()
                .flat_map(|walker| {
                    distances.iter().filter_map(|(files, ranks)| {
                        let here = (walker.here.0 + files, walker.here.1 + ranks);
                        self.on_some_board(here).then(|| Walker { here, ..walker.clone() })
                    })
                })
                .collect(),
            Atom::Face(directions) => walkers
                .iter()
                .flat_map(|walker| directions.iter().map(|d| Walker { heading: orient(d), ..walker.clone() }))
                .collect(),
            Atom::Veer => walkers
                .iter()
                .flat_map(|walker| {
                    let at = RING.iter().position(|heading| *heading == walker.heading);
                    at.into_iter()
                        .flat_map(|at| [at + 1, at + 7])
                        .filter_map(|at| Some(Walker { heading: *RING.get(at % 8)?, ..walker.clone() }))
                })
                .collect(),
            Atom::Take => walkers
                .into_iter()
                .map(|mut walker| {
                    if !walker.takes.contains(&walker.here) {
                        walker.takes.push(walker.here);
                    }
                    walker
                })
                .collect(),
            Atom::Mark(mark) => walkers
                .into_iter()
                .map(|mut walker| {
                    walker.marks.retain(|(known, _)| known != mark);
                    walker.marks.push((*mark, walker.here));
                    walker
                })
                .collect(),
            Atom::Back(mark) => walkers
                .into_iter()
                .filter_map(|walker| {
                    let (_, here) = *walker.marks.iter().find(|(known, _)| known == mark)?;
                    Some(Walker { here, ..walker })
                })
                .collect(),
        })
    }

    /// Keeps the walker once for each alternative of a condition under which it holds.
    fn test(&self, term: &Term, walker: &Walker, kept: &mut Vec<Walker>) -> Result<(), &'static str> {
        // Where the piece came from may be asked anywhere on its way.
        if let Term::Binary(operator @ (Binary::In | Binary::NotIn), a, b) = term
            && matches!(**a, Term::Context(Context::From))
            && let Some(sites) = constant_sites(b)
        {
            let all = Sites::first(self.rules.board.len());
            let among = if *operator == Binary::In { sites } else { all.difference(&sites) };
            if !among.is_empty() {
                let mut walker = walker.clone();
                walker.needs.push(((0, 0), Need { among: Some(words(&among)), ..open() }));
                kept.push(walker);
            }
            return Ok(());
        }
        for need in self.needs(term, true)? {
            let Some(need) = need else { continue };
            let here = walker.here;
            let mut walker = walker.clone();
            if here == (0, 0) {
                // The piece that walks has left its site.
                if need.content & content::EMPTY == 0 {
                    continue;
                }
                let need = Need { content: ANY, kinds: None, ..need };
                if !is_open(&need) {
                    walker.needs.push((here, need));
                }
                kept.push(walker);
                continue;
            }
            let at = walker.needs.iter().position(|(known, _)| *known == here);
            match at.and_then(|at| walker.needs.get_mut(at)) {
                Some((_, known)) => match both(known, &need) {
                    Some(joined) => *known = joined,
                    None => continue,
                },
                None if is_open(&need) => {}
                None => walker.needs.push((here, need)),
            }
            kept.push(walker);
        }
        Ok(())
    }

    /// A condition on one site as alternatives, each a conjunction; `None` for one that never holds.
    fn needs(&self, term: &Term, wanted: bool) -> Result<Vec<Option<Need>>, &'static str> {
        let content = |bits: u8| {
            let bits = if wanted { bits } else { ANY & !bits };
            Ok(vec![(bits != 0).then(|| Need { content: bits, ..open() })])
        };
        match term {
            Term::Const(Value::Truth(value)) => Ok(vec![(*value == wanted).then(open)]),
            Term::Context(Context::Empty) => content(content::EMPTY),
            Term::Context(Context::Enemy) => content(content::ENEMY),
            Term::Context(Context::Own) => content(content::OWN),
            Term::Not(inner) => self.needs(inner, !wanted),
            Term::Binary(operator @ (Binary::And | Binary::Or), a, b) => {
                let (a, b) = (self.needs(a, wanted)?, self.needs(b, wanted)?);
                if (*operator == Binary::Or) == wanted {
                    // Alternatives; two that only look at the content are one.
                    if let ([Some(x)], [Some(y)]) = (&a[..], &b[..])
                        && is_plain(x)
                        && is_plain(y)
                    {
                        return Ok(vec![Some(Need { content: x.content | y.content, ..open() })]);
                    }
                    return Ok(a.into_iter().chain(b).collect());
                }
                let pairs = a.iter().flat_map(|x| b.iter().map(move |y| (x, y)));
                Ok(pairs.map(|(x, y)| x.as_ref().zip(y.as_ref()).and_then(|(x, y)| both(x, y))).collect())
            }
            Term::IsEmpty(inner) => {
                // `kind(here) is empty` and the like.
                match &**inner {
                    Term::Call(Builtin::Kind | Builtin::Owner, arguments) if is_here(arguments) => {
                        content(content::EMPTY)
                    }
                    _ => Err("a condition looks at more than one site"),
                }
            }
            Term::Binary(operator, a, b) => self.comparison(*operator, a, b, wanted),
            _ => Err("a condition looks at more than one site"),
        }
    }

    fn comparison(
        &self,
        operator: Binary,
        a: &Term,
        b: &Term,
        wanted: bool,
    ) -> Result<Vec<Option<Need>>, &'static str> {
        let other = Err("a condition looks at more than one site");
        let positive = match operator {
            Binary::Eq | Binary::In => wanted,
            Binary::Ne | Binary::NotIn => !wanted,
            _ => return other,
        };
        match a {
            Term::Call(Builtin::Kind, arguments) if is_here(arguments) => {
                let Some(kinds) = constant(b).and_then(kind_bits) else { return other };
                if positive {
                    return Ok(vec![Some(Need {
                        content: ANY & !content::EMPTY,
                        kinds: Some(kinds),
                        ..open()
                    })]);
                }
                Ok(vec![Some(Need { kinds: Some(!kinds), ..open() })])
            }
            Term::Call(Builtin::Owner, arguments) if is_here(arguments) => {
                let Some(Value::Player(player)) = constant(b) else { return other };
                let two = self.rules.players.len() == 2;
                let bits = match (*player == self.mover, two) {
                    (true, _) => content::OWN,
                    (false, true) => content::ENEMY,
                    _ => return other,
                };
                let bits = if positive { bits } else { ANY & !bits };
                Ok(vec![Some(Need { content: bits, ..open() })])
            }
            Term::Context(Context::Here) => {
                if let Some(sites) = constant_sites(b) {
                    let all = Sites::first(self.rules.board.len());
                    let among = if positive { sites } else { all.difference(&sites) };
                    return Ok(vec![
                        (!among.is_empty()).then(|| Need { among: Some(words(&among)), ..open() }),
                    ]);
                }
                if !positive {
                    return other;
                }
                match (operator, b) {
                    (Binary::In, Term::Var(var, index)) if index.is_empty() => {
                        let slot = self.slots.set(*var).ok_or("a condition looks at more than one site")?;
                        Ok(vec![Some(Need { within: Some(slot), ..open() })])
                    }
                    (Binary::Eq, Term::Var(var, index)) if index.is_empty() => {
                        let slot = self.slots.site(*var).ok_or("a condition looks at more than one site")?;
                        Ok(vec![Some(Need { is: Some(slot), ..open() })])
                    }
                    _ => other,
                }
            }
            _ => other,
        }
    }
}

/// The eight headings around a site, in order.
const RING: [(i8, i8); 8] = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];

fn is_here(arguments: &[Term]) -> bool {
    matches!(arguments, [Term::Context(Context::Here)])
}

fn kind_bits(value: &Value) -> Option<u128> {
    match value {
        Value::Kind(kind) if *kind < 128 => Some(1 << kind),
        Value::List(values) => values.iter().try_fold(0, |bits, value| Some(bits | kind_bits(value)?)),
        _ => None,
    }
}

/// No condition.
pub(crate) fn open() -> Need {
    Need { content: ANY, kinds: None, among: None, within: None, is: None }
}

/// Whether nothing is asked for.
pub(crate) fn is_open(need: &Need) -> bool {
    *need == open()
}

/// Whether only the content is asked for.
pub(crate) fn is_plain(need: &Need) -> bool {
    *need == Need { content: need.content, ..open() }
}

/// Both conditions; `None` if they exclude each other.
fn both(a: &Need, b: &Need) -> Option<Need> {
    let one = |a: Option<u16>, b: Option<u16>| match (a, b) {
        (Some(x), Some(y)) if x != y => Err(()),
        (x, y) => Ok(x.or(y)),
    };
    let among = match (&a.among, &b.among) {
        (Some(x), Some(y)) => Some(x.iter().zip(y).map(|(x, y)| x & y).collect()),
        (x, y) => x.clone().or_else(|| y.clone()),
    };
    let kinds = match (a.kinds, b.kinds) {
        (Some(x), Some(y)) => Some(x & y),
        (x, y) => x.or(y),
    };
    let content = a.content & b.content;
    (content != 0).then_some(())?;
    Some(Need { content, kinds, among, within: one(a.within, b.within).ok()?, is: one(a.is, b.is).ok()? })
}

/// A set as words.
pub(crate) fn words(sites: &Sites) -> Vec<u64> {
    let mut words = Vec::new();
    for site in sites.iter() {
        let at = usize::from(site) / 64;
        words.resize(words.len().max(at + 1), 0);
        if let Some(word) = words.get_mut(at) {
            *word |= 1 << (site % 64);
        }
    }
    words
}
