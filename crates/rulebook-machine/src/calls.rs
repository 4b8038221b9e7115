//! Built-in functions: of the board, of what stands on it, of the past, of numbers.
//!
//! Invariant: an argument that is not what a function is about gives nothing, never a fault.

use crate::engine::{Engine, NUMBER, Outcomes, Scene, Work};
use crate::eval::Members;
use crate::position::{Layout, Row};
use crate::program::{Builtin, Run, Site};
use crate::set::{self, Set};
use crate::value::{Num, Val};

/// The sites that touch some sites and are not among them.
pub(crate) fn neighbours<S: Set>(near: &[S], set: S) -> S {
    let mut all = S::EMPTY;
    for (at, word) in set.words().enumerate() {
        let mut word = word;
        while word != 0 {
            let site = at * 64 + word.trailing_zeros() as usize;
            word &= word - 1;
            if let Some(near) = near.get(site) {
                all |= *near;
            }
        }
    }
    all.less(set)
}

/// The sites of `within` that are connected, inside it, with a site of `seeds`.
pub(crate) fn connected<S: Set>(near: &[S], seeds: S, within: S) -> S {
    let mut found = seeds & within;
    let mut open = found;
    while let Some(site) = open.first() {
        open = open.rest();
        if let Some(near) = near.get(usize::from(site)) {
            let new = (*near & within).less(found);
            found |= new;
            open |= new;
        }
    }
    found
}

/// The connected parts of a set, in the order of their first sites.
pub(crate) fn groups<S: Set>(near: &[S], set: S) -> Vec<S> {
    let mut rest = set;
    let mut groups = Vec::new();
    while let Some(site) = rest.first() {
        let group = connected(near, S::one(site), rest);
        rest = rest.less(group);
        groups.push(group);
    }
    groups
}

impl<L: Layout> Engine<L> {
    /// The sites strictly between two sites of one straight line; none when there is no such line.
    fn between(&self, a: Site, b: Site) -> L::Set {
        let place = |site: Site| self.places.get(usize::from(site)).copied().unwrap_or_default();
        let ((a_file, a_rank), (b_file, b_rank)) = (place(a), place(b));
        let (files, ranks) = (b_file - a_file, b_rank - a_rank);
        let length = files.abs().max(ranks.abs());
        if length == 0 || (files != 0 && ranks != 0 && files.abs() != ranks.abs()) {
            return L::Set::EMPTY;
        }
        set::collect((1..length).filter_map(|n| self.step(a, files / length * n, ranks / length * n)))
    }

    fn argument(
        &self,
        arguments: Run,
        at: usize,
        scene: &Scene<'_, L>,
        work: &mut Work<L>,
    ) -> Outcomes<Val<L::Set>> {
        match self.list(arguments).get(at) {
            Some(argument) => self.eval(*argument, scene, work),
            None => Ok(Val::Nothing),
        }
    }

    fn argument_sites(
        &self,
        arguments: Run,
        at: usize,
        scene: &Scene<'_, L>,
        work: &mut Work<L>,
    ) -> Outcomes<L::Set> {
        match self.list(arguments).get(at) {
            Some(argument) => self.sites(*argument, scene, work),
            None => Ok(L::Set::EMPTY),
        }
    }

    /// The value of a built-in function.
    #[inline(never)]
    pub(crate) fn call(
        &self,
        builtin: Builtin,
        arguments: Run,
        scene: &Scene<'_, L>,
        work: &mut Work<L>,
    ) -> Outcomes<Val<L::Set>> {
        let position = scene.position;
        Ok(match builtin {
            Builtin::Empties => Val::Sites(self.all.less(self.occupied(scene))),
            Builtin::Occupied => Val::Sites(self.occupied(scene)),
            Builtin::AllSites => Val::Sites(self.all),
            Builtin::Owned => match self.argument(arguments, 0, scene, work)? {
                Val::Player(player) => Val::Sites(self.owned(scene, player)),
                _ => Val::Sites(L::Set::EMPTY),
            },
            Builtin::Pieces => {
                let kind = self.argument(arguments, 0, scene, work)?;
                let player = self.argument(arguments, 1, scene, work)?;
                Val::Sites(match (kind, player) {
                    (Val::Kind(kind), Val::Player(player))
                        if player < self.players && usize::from(kind) < self.program.kinds.len() =>
                    {
                        self.uncovered(scene, position.pieces(kind, player))
                    }
                    _ => L::Set::EMPTY,
                })
            }
            Builtin::Kind => match self.argument(arguments, 0, scene, work)? {
                Val::Site(site) => self.kind_at(scene, site).map_or(Val::Nothing, Val::Kind),
                _ => Val::Nothing,
            },
            Builtin::Owner => match self.argument(arguments, 0, scene, work)? {
                Val::Site(site) => self.owner_at(scene, site).map_or(Val::Nothing, Val::Player),
                _ => Val::Nothing,
            },
            // The last recorded position is the one in which the ply began.
            Builtin::Was => match (self.argument(arguments, 0, scene, work)?, scene.ground.story.latest()) {
                (Val::Site(site), Some(past)) => {
                    self.kind_of(&past.position.kinds, site).map_or(Val::Nothing, Val::Kind)
                }
                _ => Val::Nothing,
            },
            Builtin::WasOwner => {
                match (self.argument(arguments, 0, scene, work)?, scene.ground.story.latest()) {
                    (Val::Site(site), Some(past)) => {
                        past.position.owner(site).map_or(Val::Nothing, Val::Player)
                    }
                    _ => Val::Nothing,
                }
            }
            Builtin::Owners => {
                let sites = self.argument_sites(arguments, 0, scene, work)?;
                let found = (0..self.players).filter(|player| sites.meets(self.owned(scene, *player)));
                Val::list(found.map(Val::Player).collect())
            }
            Builtin::Kinds => {
                let sites = self.argument_sites(arguments, 0, scene, work)?;
                let sites = self.uncovered(scene, sites);
                let kinds = position.kinds.slice().iter().take(self.program.kinds.len()).enumerate();
                let found = kinds.filter(|(_, set)| sites.meets(**set));
                Val::list(found.map(|(kind, _)| Val::Kind(kind as u8)).collect())
            }
            Builtin::File | Builtin::Rank => match self.argument(arguments, 0, scene, work)? {
                Val::Site(site) => {
                    let (file, rank) = self.places.get(usize::from(site)).copied().unwrap_or_default();
                    let line = if builtin == Builtin::File { file } else { rank };
                    Val::Number(Num::whole(line.into()))
                }
                _ => Val::Nothing,
            },
            Builtin::At => {
                let file = self.argument(arguments, 0, scene, work)?;
                let rank = self.argument(arguments, 1, scene, work)?;
                match (file, rank) {
                    (Val::Number(file), Val::Number(rank)) => {
                        let place = file.to_whole().zip(rank.to_whole());
                        Val::site(place.and_then(|(file, rank)| self.program.board.at(file, rank)))
                    }
                    _ => Val::Nothing,
                }
            }
            Builtin::Ranks | Builtin::Files => {
                let lines = if builtin == Builtin::Ranks { &self.ranks } else { &self.files };
                let mut sites = L::Set::EMPTY;
                for at in 0..self.list(arguments).len() {
                    let Val::Number(number) = self.argument(arguments, at, scene, work)? else { continue };
                    let at = number.to_whole().and_then(|n| usize::try_from(n).ok());
                    let line = at.and_then(|n| n.checked_sub(1)).and_then(|n| lines.get(n));
                    sites |= line.copied().unwrap_or_default();
                }
                Val::Sites(sites)
            }
            Builtin::Neighbours => {
                Val::Sites(neighbours(&self.near, self.argument_sites(arguments, 0, scene, work)?))
            }
            Builtin::Connected => {
                let seeds = self.argument_sites(arguments, 0, scene, work)?;
                let within = self.argument_sites(arguments, 1, scene, work)?;
                Val::Sites(connected(&self.near, seeds, within))
            }
            Builtin::Groups => {
                let groups = groups(&self.near, self.argument_sites(arguments, 0, scene, work)?);
                work.burn(groups.len() as u64)?;
                Val::list(groups.into_iter().map(Val::Sites).collect())
            }
            Builtin::Between => {
                let a = self.argument(arguments, 0, scene, work)?;
                match (a, self.argument(arguments, 1, scene, work)?) {
                    (Val::Site(a), Val::Site(b)) => Val::Sites(self.between(a, b)),
                    _ => Val::Sites(L::Set::EMPTY),
                }
            }
            Builtin::Count => Val::count(match self.argument(arguments, 0, scene, work)? {
                Val::Sites(sites) => sites.len(),
                Val::List(values) => values.len(),
                Val::Site(_) => 1,
                _ => 0,
            }),
            Builtin::Only => {
                let mut members = Members::of(self.argument(arguments, 0, scene, work)?);
                match (members.next(), members.next()) {
                    (Some(only), None) => only,
                    _ => Val::Nothing,
                }
            }
            Builtin::Attacked | Builtin::Attackers => {
                let targets = self.argument_sites(arguments, 0, scene, work)?;
                let Val::Player(player) = self.argument(arguments, 1, scene, work)? else {
                    return Ok(Val::Nothing);
                };
                let all = builtin == Builtin::Attackers;
                let found = self.attackers(targets, player, all, position, scene.ground, work)?;
                if all { Val::Sites(found) } else { Val::Truth(!found.is_empty()) }
            }
            Builtin::Restores => match self.argument(arguments, 0, scene, work)? {
                Val::Number(number) => {
                    let back = number.to_whole().and_then(|n| usize::try_from(n).ok());
                    let back = back.and_then(|n| n.checked_sub(1));
                    let past = back.and_then(|back| scene.ground.story.back(back));
                    Val::Truth(past.is_some_and(|past| crate::act::same_board(&past.position, position)))
                }
                _ => Val::Truth(false),
            },
            Builtin::Next => match self.argument(arguments, 0, scene, work)? {
                Val::Player(player) => Val::Player(self.next_player(player)),
                _ => Val::Nothing,
            },
            _ => self.plain_call(builtin, arguments, scene, work)?,
        })
    }

    /// The functions of numbers, players and outcomes.
    fn plain_call(
        &self,
        builtin: Builtin,
        arguments: Run,
        scene: &Scene<'_, L>,
        work: &mut Work<L>,
    ) -> Outcomes<Val<L::Set>> {
        use crate::program::Outcome;
        let a = self.argument(arguments, 0, scene, work)?;
        Ok(match (builtin, a) {
            (Builtin::Players, _) => {
                Val::list((0..self.program.players.len() as u8).map(Val::Player).collect())
            }
            (Builtin::Win, Val::Player(player)) => Val::Outcome(Outcome::Win(player)),
            (Builtin::Lose, Val::Player(player)) => Val::Outcome(Outcome::Lose(player)),
            (Builtin::Draw, _) => Val::Outcome(Outcome::Draw),
            (Builtin::Void, _) => Val::Outcome(Outcome::Void),
            (Builtin::AllLose, _) => Val::Outcome(Outcome::AllLose),
            (Builtin::Plies, Val::Number(number)) => {
                Val::Number(number.times(Num::whole(self.players.into())).ok_or(NUMBER)?)
            }
            (Builtin::Moves, Val::Number(number)) => {
                Val::Number(number.over(Num::whole(self.players.into())).ok_or(NUMBER)?.floor())
            }
            (Builtin::Min | Builtin::Max, a) => match (a, self.argument(arguments, 1, scene, work)?) {
                (Val::Number(a), Val::Number(b)) if builtin == Builtin::Min => Val::Number(a.min(b)),
                (Val::Number(a), Val::Number(b)) => Val::Number(a.max(b)),
                _ => Val::Nothing,
            },
            (Builtin::Abs, Val::Number(number)) if number < Num::ZERO => {
                Val::Number(number.negate().ok_or(NUMBER)?)
            }
            (Builtin::Floor, Val::Number(number)) => Val::Number(number.floor()),
            (Builtin::Abs | Builtin::Floor, value) => value,
            _ => Val::Nothing,
        })
    }
}
