//! One ply that is known but for where it begins: only the ways of one kind or one act are looked at.
//!
//! Law: of the legal plies of a position just those are found that go one of the ways to the site.

use super::node::Only;
use super::{Fast, General, Node, Ply, Visitor};
use crate::act::Act;
use crate::position::{Layout, Position};
use crate::program::{NO_KIND, Site};
use crate::recipe::SetOp;
use crate::set::Set;
use crate::tables::{Common, Many, Way, Ways};

/// What is known of a ply.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known<S> {
    /// Where it comes to; none for anywhere.
    pub(crate) to: Option<Site>,
    /// From where it may come.
    pub(crate) froms: S,
    /// The kind that is chosen, `NO_KIND` for none.
    pub(crate) choice: u8,
}

/// Keeps the plies that fit what is known.
struct Fitting<'a, S> {
    known: Known<S>,
    found: &'a mut Vec<Ply>,
}

impl<S: Set> Fitting<'_, S> {
    #[inline(always)]
    fn one(&mut self, way: &Common<S>, from: Site, to: Site, many: u16) {
        let chosen = self.known.choice;
        if self.known.froms.has(from) && way.pick_tos.has(to) == (chosen != NO_KIND) {
            self.found.push(Ply { way: way.way, many, from, to, chosen });
        }
    }

    #[inline(always)]
    fn each(&mut self, way: &Common<S>, targets: S, from: impl Fn(Site) -> Site) {
        match self.known.to {
            Some(to) if targets.has(to) => self.one(way, from(to), to, u16::MAX),
            Some(_) => {}
            None => targets.sites().for_each(|to| self.one(way, from(to), to, u16::MAX)),
        }
    }
}

impl<L: Layout> Visitor<L> for Fitting<'_, L::Set> {
    #[inline(always)]
    fn targets(&mut self, way: &Common<L::Set>, from: Site, targets: L::Set) {
        self.each(way, targets, |_| from);
    }
    #[inline(always)]
    fn shifted(&mut self, way: &Common<L::Set>, targets: L::Set, places: i32) {
        self.each(way, targets, |to| i32::from(to).wrapping_sub(places) as Site);
    }
    #[inline(always)]
    fn many(&mut self, way: &Common<L::Set>, from: Site, at: usize, many: &Many<L::Set>) {
        if self.known.to.is_none_or(|to| to == many.to) {
            self.one(way, from, many.to, at as u16);
        }
    }
    fn whole(&mut self, _: Vec<(Act<L>, Position<L>)>) {}
}

impl<L: Layout> Fast<L> {
    /// Whether plies can be found one by one: that a capture is due is a matter of all plies.
    pub(crate) fn finds(&self) -> bool {
        self.forced == [false; 2]
    }

    /// The ways of a player by which a kind moves; none where the general engine has a part in them.
    pub(crate) fn ways_of(&self, player: usize, kind: u8) -> Option<Vec<u16>> {
        let left = self.general[player & 1].iter().any(|left| left.kind == Some(kind));
        let ways = self.tables.ways[player & 1].iter().enumerate();
        let ways = ways.filter(|(_, way)| way.kind == kind && !matches!(way.reach, Ways::Drop(_)));
        self.known_ways(player, ways.map(|(at, _)| at as u16)).filter(|_| !left)
    }

    /// The ways of a player that make an act of a name; none where the general engine has a part in them.
    pub(crate) fn ways_named(&self, player: usize, act: u16) -> Option<Vec<u16>> {
        let whole = !self.general[player & 1].is_empty();
        let ways = self.tables.ways[player & 1].iter().enumerate();
        let ways = ways.filter(|(_, way)| {
            let recipe = self.recipes[player & 1].get(usize::from(way.shape));
            recipe.is_some_and(|recipe| recipe.act == act) && !matches!(way.reach, Ways::Drop(_))
        });
        self.known_ways(player, ways.map(|(at, _)| at as u16)).filter(|_| !whole)
    }

    fn known_ways(&self, player: usize, ways: impl Iterator<Item = u16>) -> Option<Vec<u16>> {
        let known = |way: &u16| {
            let way = self.tables.ways[player & 1].get(usize::from(*way))?;
            let recipe = self.recipes[player & 1].get(usize::from(way.shape))?;
            recipe.ops.iter().all(|(_, op)| !matches!(op, SetOp::General(_))).then_some(())
        };
        let ways: Vec<u16> = ways.collect();
        ways.iter().map(known).collect::<Option<()>>()?;
        Some(ways)
    }

    /// The name of the act that a ply is.
    pub(crate) fn act_name(&self, player: usize, ply: Ply) -> Option<u16> {
        let way = self.tables.ways[player & 1].get(usize::from(ply.way))?;
        self.recipes[player & 1].get(usize::from(way.shape)).map(|recipe| recipe.act)
    }

    /// From where a way may lead to a site, or more.
    #[inline(always)]
    fn sources(&self, way: &Way<L::Set>, to: Site, node: &Node<L::Set>) -> L::Set {
        match &way.reach {
            Ways::Shift { places, .. } => match Site::try_from(i32::from(to).wrapping_sub(*places)) {
                Ok(from) if usize::from(from) < self.tables.sites => L::Set::one(from),
                _ => L::Set::EMPTY,
            },
            // Who sees along both halves of lines is seen along them.
            Ways::Ray(lines) if (lines.uppers, lines.lowers) == (0, 0) => {
                self.tables.look(lines, to, node.occupied)
            }
            _ => !L::Set::EMPTY,
        }
    }

    /// The legal plies that go one of some ways and fit what is known.
    pub(crate) fn find(
        &self,
        position: &Position<L>,
        ways: &[u16],
        known: Known<L::Set>,
        general: &dyn General<L>,
        found: &mut Vec<Ply>,
    ) {
        found.clear();
        let mut node: Node<L::Set> = self.node(position);
        if let Some(to) = known.to {
            for targets in &mut node.targets {
                *targets &= L::Set::one(to);
            }
        }
        debug_assert!(node.only == Only::All, "nothing else is left out");
        let mut fitting = Fitting { known, found };
        for at in ways {
            let Some(way) = self.tables.ways[node.me].get(usize::from(*at)) else { continue };
            let among = known.froms & known.to.map_or(!L::Set::EMPTY, |to| self.sources(way, to, &node));
            self.visit_way(position, &node, way, usize::from(*at), among, general, &mut fitting);
        }
        if known.choice != NO_KIND {
            let picks = |ply: &Ply| {
                let way = self.tables.ways[node.me].get(usize::from(ply.way));
                let recipe = way.and_then(|way| self.recipes[node.me].get(usize::from(way.shape)));
                recipe.is_some_and(|recipe| recipe.pick.contains(&ply.chosen))
            };
            found.retain(picks);
        }
    }
}
