//! What is known about a position before plies are looked for: masks, pins, what matters to whom.
//!
//! Law: a plain movement within the masks is legal, and one outside of them is not.

use super::Fast;
use crate::attack::{Forces, View};
use crate::position::{Layout, Position, Row};
use crate::program::{NO_KIND, NO_SITE, Site};
use crate::set::Set;

/// What is known about a position before plies are looked for.
#[derive(Clone)]
pub(crate) struct Node<S> {
    pub(super) me: usize,
    pub(super) forces: Forces<S>,
    /// Sites by content, for every combination of content bits.
    pub(super) targets: [S; 8],
    pub(super) empty: S,
    pub(super) occupied: S,
    pub(super) enemy: S,
    pub(super) mode: Mode,
    pub(super) royal: Site,
    /// Where a piece must go to answer an attack; everywhere if there is none.
    pub(super) mask: S,
    /// Pieces that may only move along their line with the royal piece.
    pub(super) pinned: S,
    /// The sites that matter to the royal piece.
    pub(super) danger: S,
    pub(super) attacked: bool,
    /// Whether `attacked` has been found out.
    pub(super) knows: bool,
    pub(super) only: Only,
    /// Whether the royal piece is safe where it stands, whatever attacks it.
    pub(super) touching: bool,
    /// The sites on which it would be.
    pub(super) spared: S,
    /// The piece of the other player that may not be attacked.
    pub(super) calm: Option<Calm<S>>,
}

/// A piece of the other player that may not be attacked, and is not.
#[derive(Clone, Copy)]
pub(super) struct Calm<S> {
    pub(super) quarry: Site,
    /// The sites that matter to whether it is attacked, as the pieces stand.
    pub(super) sight: S,
    pub(super) forces: Forces<S>,
}

/// Which plies are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Only {
    All,
    Captures,
    Others,
}

impl<S: Set> Node<S> {
    /// A place for what is known about a position.
    #[inline(always)]
    pub(crate) fn none() -> Self {
        Self {
            me: 0,
            forces: Forces::none(),
            targets: [S::EMPTY; 8],
            empty: S::EMPTY,
            occupied: S::EMPTY,
            enemy: S::EMPTY,
            mode: Mode::Free,
            royal: 0,
            mask: S::EMPTY,
            pinned: S::EMPTY,
            danger: S::EMPTY,
            attacked: false,
            knows: false,
            only: Only::All,
            touching: false,
            spared: S::EMPTY,
            calm: None,
        }
    }

    /// The same position, looked at for some plies only.
    pub(super) fn only(&self, only: Only) -> Self
    where
        Self: Clone,
    {
        let mut node = self.clone();
        node.only = only;
        for targets in &mut node.targets {
            *targets = if only == Only::Captures { *targets & self.enemy } else { targets.less(self.enemy) };
        }
        node
    }

    pub(super) fn wants(&self, captures: bool) -> bool {
        match self.only {
            Only::All => true,
            Only::Captures => captures,
            Only::Others => !captures,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Nothing is forbidden.
    Free,
    /// Legal targets are a mask.
    Masked,
    /// Two attackers at once: only the royal piece can help.
    Double,
    /// Plies that touch what matters are tried.
    Danger,
    /// Every ply is tried.
    Tried,
}

impl<L: Layout> Fast<L> {
    /// Looks at a position.
    pub(crate) fn node(&self, position: &Position<L>) -> Node<L::Set> {
        let mut node = Node::none();
        self.look(position, &mut node);
        node
    }

    /// The same in a place that holds what was known about any position.
    #[inline(always)]
    pub(crate) fn look(&self, position: &Position<L>, node: &mut Node<L::Set>) {
        let me = usize::from(position.mover & 1);
        let (own, enemy) = (position.owners.get(me), position.owners.get(1 - me));
        let occupied = own | enemy;
        let board = self.tables.board();
        let empty = board.less(occupied);
        node.me = me;
        node.targets = [L::Set::EMPTY, empty, enemy, empty | enemy, own, empty | own, occupied, board];
        (node.empty, node.occupied, node.enemy) = (empty, occupied, enemy);
        (node.only, node.mode, node.royal) = (Only::All, Mode::Free, 0);
        (node.mask, node.pinned, node.danger) = (board, L::Set::EMPTY, L::Set::EMPTY);
        (node.attacked, node.knows, node.touching) = (false, false, false);
        node.spared = L::Set::EMPTY;
        node.calm = None;
        let kind = self.royal[me];
        let royals = kind.map_or(L::Set::EMPTY, |kind| position.kinds.get(usize::from(kind)) & own);
        let royal = royals.first().unwrap_or(0);
        let (leapers, snipers) = self.tables.muster(&mut node.forces, position, 1 - me, royal);
        if let Some(kind) = self.calm[me] {
            let quarries = position.kinds.get(usize::from(kind)) & enemy;
            if let Some(quarry) = quarries.first() {
                if quarries.several() || !self.tables.struck(quarries, me, position, None).is_empty() {
                    node.mode = Mode::Tried;
                    return;
                }
                let view = View { position, by: me, occupied, attackers: own, come: (NO_SITE, NO_KIND) };
                let sight = self.tables.danger(quarry, view);
                node.calm = Some(Calm { quarry, sight, forces: self.tables.forces(position, me) });
            }
        }
        let Some(kind) = kind else { return };
        if royals.is_empty() {
            if self.spared[me].is_some() {
                node.mode = Mode::Tried;
            }
            return;
        }
        if royals.several() {
            node.mode = Mode::Tried;
            return;
        }
        node.royal = royal;
        if let Some((_, other)) = self.spared[me] {
            let others = position.kinds.get(usize::from(other)) & enemy;
            if others.is_empty() {
                return;
            }
            node.spared = others.sites().fold(L::Set::EMPTY, |all, site| all | self.tables.near(site));
            node.touching = node.spared.has(royal);
            if node.touching {
                return;
            }
        }
        node.knows = true;
        if !self.tables.attacks[1 - me].simple {
            let view = View { position, by: 1 - me, occupied, attackers: enemy, come: (NO_SITE, NO_KIND) };
            node.mode = Mode::Danger;
            node.danger = self.tables.danger(royal, view);
            node.attacked = self.tables.is_attacked(royal, 1 << kind, view);
            return;
        }
        node.mode = Mode::Masked;
        let mut attackers = leapers;
        let mut block = L::Set::EMPTY;
        let row = usize::from(royal) * self.tables.sites;
        for source in snipers.sites() {
            let between = self.tables.between[row + usize::from(source)];
            let standing = between & occupied;
            if standing.is_empty() {
                attackers |= L::Set::one(source);
                block |= between;
            } else if !standing.several() {
                node.pinned |= standing;
            }
        }
        if !attackers.is_empty() {
            node.attacked = true;
            node.mask = attackers | block;
            if attackers.several() {
                node.mode = Mode::Double;
            }
        }
    }
}
