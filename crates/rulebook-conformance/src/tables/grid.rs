//! Boards as lines of signs: the smallest thing that tables and positions have in common.
//!
//! It counts areas by plain flood fill, so that a published count can be told from one that first takes
//! something off the board. No rule of any game is known here.

/// A board, row by row from the top; `.` is an empty site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Grid {
    rows: Vec<Vec<char>>,
}

impl Grid {
    /// A board from its rows; `None` if they are not equally long.
    pub(super) fn new<'t>(rows: impl Iterator<Item = &'t str>) -> Option<Self> {
        let rows: Vec<Vec<char>> = rows.map(|row| row.trim().chars().collect()).collect();
        let width = rows.first()?.len();
        (width > 0 && rows.iter().all(|row| row.len() == width)).then_some(Self { rows })
    }

    /// An empty board.
    pub(super) fn empty((files, ranks): (usize, usize)) -> Self {
        Self { rows: vec![vec!['.'; files]; ranks] }
    }

    /// Files and ranks.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.rows.first().map_or(0, Vec::len), self.rows.len())
    }

    /// The sign on a site.
    pub(super) fn sign(&self, file: usize, row: usize) -> Option<char> {
        self.rows.get(row)?.get(file).copied()
    }

    /// The same board with other signs; those that are not named stay.
    pub(super) fn with(&self, signs: &[(char, char)]) -> Self {
        let other = |sign: &char| signs.iter().find(|(from, _)| from == sign).map_or(*sign, |(_, to)| *to);
        Self { rows: self.rows.iter().map(|row| row.iter().map(other).collect()).collect() }
    }

    /// For each empty site the only sign that its region touches, `.` elsewhere. With `shared`, a region counts only
    /// if no piece of its border is connected, through pieces of the same sign and regions that touch no other one,
    /// with a region between both signs.
    pub(super) fn owners(&self, signs: [char; 2], shared: bool) -> Self {
        let (files, ranks) = self.size();
        let mut found = Self::empty((files, ranks));
        let mut seen = vec![false; files * ranks];
        for start in 0..files * ranks {
            if self.sign(start % files, start / files) != Some('.') || seen.get(start) == Some(&true) {
                continue;
            }
            let before = seen.clone();
            let (_, borders) = self.region(start, &mut seen);
            let &[only] = &borders[..] else { continue };
            if !signs.contains(&only) || shared && self.reaches_shared(start, only) {
                continue;
            }
            let new = (0..files * ranks).filter(|at| before.get(*at) != seen.get(*at));
            new.for_each(|at| found.put(at, only));
        }
        found
    }

    /// Whether a region is connected through pieces of one sign, and regions of that sign, with one between both.
    fn reaches_shared(&self, start: usize, only: char) -> bool {
        let (files, ranks) = self.size();
        let mut seen = vec![false; files * ranks];
        let mut open = vec![start];
        while let Some(at) = open.pop() {
            let sign = self.sign(at % files, at / files);
            let Some(slot) = seen.get_mut(at).filter(|slot| !**slot) else { continue };
            if sign != Some('.') && sign != Some(only) {
                continue;
            }
            *slot = true;
            if sign == Some('.') {
                let (_, borders) = self.region(at, &mut vec![false; files * ranks]);
                if borders.len() > 1 {
                    return true;
                }
            }
            open.extend(self.beside(at));
        }
        false
    }

    /// The sites beside one.
    fn beside(&self, at: usize) -> impl Iterator<Item = usize> + use<> {
        let (files, ranks) = self.size();
        let (file, row) = (at % files, at / files);
        let sides = [
            (file > 0).then(|| at - 1),
            (file + 1 < files).then_some(at + 1),
            at.checked_sub(files),
            (row + 1 < ranks).then_some(at + files),
        ];
        sides.into_iter().flatten()
    }

    /// Puts a sign on the n-th site, counted row by row from the top.
    pub(super) fn put(&mut self, at: usize, sign: char) {
        let (files, _) = self.size();
        let slot = at.checked_div(files).and_then(|row| self.rows.get_mut(row)?.get_mut(at % files));
        slot.into_iter().for_each(|slot| *slot = sign);
    }

    /// The placement field of a position text.
    pub(super) fn placement(&self) -> String {
        let row = |row: &Vec<char>| {
            let (mut text, mut blanks) = (String::new(), 0);
            for sign in row.iter().chain(&['/']) {
                if *sign == '.' {
                    blanks += 1;
                    continue;
                }
                if blanks > 0 {
                    text.push_str(&blanks.to_string());
                    blanks = 0;
                }
                text.push(*sign);
            }
            text.trim_end_matches('/').to_owned()
        };
        self.rows.iter().map(row).collect::<Vec<String>>().join("/")
    }

    /// For each sign, how many sites have it or lie in an empty region that touches no other sign.
    pub(super) fn areas<const N: usize>(&self, signs: [char; N]) -> [usize; N] {
        let (files, ranks) = self.size();
        let mut counts = [0; N];
        let mut seen = vec![false; files * ranks];
        for at in 0..files * ranks {
            let (file, row) = (at % files, at / files);
            match self.sign(file, row) {
                Some('.') if seen.get(at) == Some(&false) => {
                    let (size, borders) = self.region(at, &mut seen);
                    if let [only] = borders[..] {
                        counts
                            .iter_mut()
                            .zip(signs)
                            .filter(|(_, s)| *s == only)
                            .for_each(|(n, _)| *n += size);
                    }
                }
                Some(sign) => {
                    counts.iter_mut().zip(signs).filter(|(_, s)| *s == sign).for_each(|(n, _)| *n += 1);
                }
                None => {}
            }
        }
        counts
    }

    /// The size of an empty region, and the signs that it touches.
    fn region(&self, start: usize, seen: &mut [bool]) -> (usize, Vec<char>) {
        let (files, _) = self.size();
        let (mut size, mut borders, mut open) = (0, Vec::new(), vec![start]);
        while let Some(at) = open.pop() {
            let (file, row) = (at % files, at / files);
            match self.sign(file, row) {
                Some('.') => {
                    let Some(slot) = seen.get_mut(at).filter(|slot| !**slot) else { continue };
                    *slot = true;
                    size += 1;
                    open.extend(self.beside(at));
                }
                Some(sign) if !borders.contains(&sign) => borders.push(sign),
                _ => {}
            }
        }
        (size, borders)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_counted_by_flood_fill() {
        let grid = Grid::new(".XO./.XO./XX.O".split('/')).unwrap();
        assert_eq!(grid.areas(['X', 'O']), [6, 5]);
        assert_eq!(Grid::empty((3, 2)).areas(['X', 'O']), [0, 0]);
    }

    #[test]
    fn owners_are_those_of_the_only_border() {
        let grid = Grid::new(".XO./.XO./XX.O".split('/')).unwrap();
        assert_eq!(grid.owners(['X', 'O'], false), Grid::new("X..O/X..O/....".split('/')).unwrap());
        // Both sides touch the site between them, so neither has a site of its own without being shared.
        assert_eq!(grid.owners(['X', 'O'], true), Grid::empty((4, 3)));
        let grid = Grid::new(".XO./.XO./XXOO".split('/')).unwrap();
        assert_eq!(grid.owners(['X', 'O'], true), Grid::new("X..O/X..O/....".split('/')).unwrap());
        assert_eq!(grid.with(&[('X', '.')]), Grid::new("..O./..O./..OO".split('/')).unwrap());
    }

    #[test]
    fn blanks_are_numbers() {
        let mut grid = Grid::empty((12, 2));
        grid.put(11, 'X');
        grid.put(12, 'O');
        assert_eq!(grid.placement(), "11X/O11");
        assert_eq!(Grid::new(["..", "."].into_iter()), None);
    }
}
