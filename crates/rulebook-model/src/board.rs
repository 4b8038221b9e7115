//! The geometry of a board: a rectangle of sites, named directions, adjacency.
//!
//! Invariant: sites are numbered file + rank * files from the bottom left corner; a step never leaves
//! the rectangle. What stands on the sites is not known here.

use crate::value::{Site, Sites};

/// A direction as a step of files and ranks, as seen by the first player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Direction {
    /// Files to the right.
    pub files: i8,
    /// Ranks up.
    pub ranks: i8,
    /// Whether the direction turns with the player: up becomes down for a player who plays downwards.
    pub relative: bool,
}

/// How site names are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SiteNames {
    /// `a1`, with every letter.
    #[default]
    Letters,
    /// `A1`, the letter I left out.
    LettersWithoutI,
    /// Numbers of every second site from the top left, as on boards where only one shade is played on.
    Shaded,
}

/// A board.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Board {
    /// Number of files; zero when the rule set has no board.
    pub files: u16,
    /// Number of ranks.
    pub ranks: u16,
    /// Neighbours: the steps from a site to the sites it touches.
    pub adjacent: Vec<Direction>,
    /// Players for whom up is down, by number.
    pub flipped: Vec<bool>,
    /// How sites are written.
    pub names: SiteNames,
}

impl Board {
    /// Number of sites.
    pub fn len(&self) -> usize {
        usize::from(self.files) * usize::from(self.ranks)
    }

    /// Whether there is no board.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The site at a file and a rank, both counted from one.
    pub fn at(&self, file: i64, rank: i64) -> Option<Site> {
        ((1..=i64::from(self.files)).contains(&file) && (1..=i64::from(self.ranks)).contains(&rank))
            .then(|| (file - 1 + (rank - 1) * i64::from(self.files)) as Site)
    }

    /// The file of a site, counted from one.
    pub fn file(&self, site: Site) -> u16 {
        site % self.files.max(1) + 1
    }

    /// The rank of a site, counted from one.
    pub fn rank(&self, site: Site) -> u16 {
        site / self.files.max(1) + 1
    }

    /// The site a step away.
    pub fn step(&self, site: Site, files: i16, ranks: i16) -> Option<Site> {
        self.at(i64::from(self.file(site)) + i64::from(files), i64::from(self.rank(site)) + i64::from(ranks))
    }

    /// A direction as the given player goes it.
    pub fn orient(&self, direction: Direction, player: u8) -> (i8, i8) {
        let flipped = direction.relative && self.flipped.get(usize::from(player)) == Some(&true);
        (direction.files, if flipped { -direction.ranks } else { direction.ranks })
    }

    /// The sites that touch a set and are not in it.
    pub fn neighbours(&self, set: &Sites) -> Sites {
        set.iter()
            .flat_map(|site| {
                self.adjacent.iter().filter_map(move |d| self.step(site, d.files.into(), d.ranks.into()))
            })
            .collect::<Sites>()
            .difference(set)
    }

    /// The sites of `within` that are connected, inside `within`, with a site of `seeds`.
    pub fn connected(&self, seeds: &Sites, within: &Sites) -> Sites {
        let mut found = seeds.intersection(within);
        let mut frontier = found;
        while !frontier.is_empty() {
            frontier = self.neighbours(&frontier).intersection(within).difference(&found);
            found = found.union(&frontier);
        }
        found
    }

    /// The connected parts of a set, in the order of their first sites.
    pub fn groups(&self, set: &Sites) -> Vec<Sites> {
        let mut rest = *set;
        let mut groups = Vec::new();
        while let Some(site) = rest.iter().next() {
            let group = self.connected(&Sites::one(site), &rest);
            rest = rest.difference(&group);
            groups.push(group);
        }
        groups
    }

    /// The sites strictly between two sites of one straight line; empty when there is no such line.
    pub fn between(&self, a: Site, b: Site) -> Sites {
        let files = self.file(b) as i16 - self.file(a) as i16;
        let ranks = self.rank(b) as i16 - self.rank(a) as i16;
        let length = files.abs().max(ranks.abs());
        if length == 0 || (files != 0 && ranks != 0 && files.abs() != ranks.abs()) {
            return Sites::EMPTY;
        }
        (1..length).filter_map(|n| self.step(a, files / length * n, ranks / length * n)).collect()
    }

    /// The name of a site.
    pub fn name(&self, site: Site) -> String {
        if self.names == SiteNames::Shaded {
            let (file, row) = (self.file(site) - 1, self.ranks - self.rank(site));
            return (row * self.files.div_ceil(2) + file / 2 + 1).to_string();
        }
        let file = self.file(site) - 1;
        let letters = if self.names == SiteNames::Letters { 26 } else { 25 };
        let letter = |n: u16| {
            let skip = u16::from(letters == 25 && n >= 8);
            char::from(if letters == 25 { b'A' } else { b'a' } + (n + skip) as u8)
        };
        let mut name = String::new();
        if file >= letters {
            name.push(letter(file / letters - 1));
        }
        name.push(letter(file % letters));
        format!("{name}{}", self.rank(site))
    }

    /// The site of a name, in capitals or small letters.
    pub fn site(&self, name: &str) -> Option<Site> {
        if self.names == SiteNames::Shaded {
            let number: u16 = name.parse().ok()?;
            let width = self.files.div_ceil(2).max(1);
            let row = number.checked_sub(1)? / width;
            let rank = self.ranks.checked_sub(row)?;
            // The bottom left corner is a played-on site.
            let shift = (rank + 1) % 2;
            return self.at(i64::from((number - 1) % width * 2 + shift) + 1, i64::from(rank));
        }
        let split = name.find(|c: char| c.is_ascii_digit())?;
        let (letters, digits) = name.split_at_checked(split)?;
        if letters.is_empty() || letters.len() > 2 || digits.starts_with('0') || digits.len() > 3 {
            return None;
        }
        let base = if self.names == SiteNames::Letters { 26 } else { 25 };
        let mut file = 0_i64;
        for letter in letters.chars() {
            let letter = letter.to_ascii_lowercase();
            if !letter.is_ascii_lowercase() || (base == 25 && letter == 'i') {
                return None;
            }
            let index = i64::from(u32::from(letter) - u32::from('a'));
            file = file * base + index - i64::from(base == 25 && letter > 'i') + 1;
        }
        self.at(file, digits.parse().ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(files: u16, ranks: u16, names: SiteNames) -> Board {
        let step = |files, ranks| Direction { files, ranks, relative: false };
        let adjacent = vec![step(0, 1), step(1, 0), step(0, -1), step(-1, 0)];
        Board { files, ranks, adjacent, flipped: vec![false, true], names }
    }

    #[test]
    fn names_round_trip() {
        for names in [SiteNames::Letters, SiteNames::LettersWithoutI] {
            let board = board(25, 25, names);
            for site in 0..625 {
                assert_eq!(board.site(&board.name(site)), Some(site));
            }
        }
        let shaded = board(10, 10, SiteNames::Shaded);
        assert_eq!(shaded.name(shaded.site("1").unwrap()), "1");
        assert_eq!(shaded.site("46"), shaded.at(1, 1));
        assert_eq!(shaded.site("5"), shaded.at(10, 10));
        assert_eq!(shaded.site("51"), None);
        for wrong in ["", "a", "a0", "z9", "a01", "9", "é1"] {
            assert_eq!(board(8, 8, SiteNames::Letters).site(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn lines_and_groups() {
        let board = board(8, 8, SiteNames::Letters);
        let site = |name: &str| board.site(name).unwrap();
        assert_eq!(board.between(site("a1"), site("d4")).len(), 2);
        assert!(board.between(site("a1"), site("b3")).is_empty());
        let set: Sites = ["a1", "a2", "c1"].into_iter().map(site).collect();
        assert_eq!(board.groups(&set).len(), 2);
        assert_eq!(board.neighbours(&Sites::one(site("a1"))).len(), 2);
    }
}
