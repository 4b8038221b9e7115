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

    fn sign(&self, file: usize, row: usize) -> Option<char> {
        self.rows.get(row)?.get(file).copied()
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
        let (files, ranks) = self.size();
        let (mut size, mut borders, mut open) = (0, Vec::new(), vec![start]);
        while let Some(at) = open.pop() {
            let (file, row) = (at % files, at / files);
            match self.sign(file, row) {
                Some('.') => {
                    let Some(slot) = seen.get_mut(at).filter(|slot| !**slot) else { continue };
                    *slot = true;
                    size += 1;
                    open.extend((file > 0).then(|| at - 1));
                    open.extend((file + 1 < files).then_some(at + 1));
                    open.extend(at.checked_sub(files));
                    open.extend((row + 1 < ranks).then_some(at + files));
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
    fn blanks_are_numbers() {
        let mut grid = Grid::empty((12, 2));
        grid.put(11, 'X');
        grid.put(12, 'O');
        assert_eq!(grid.placement(), "11X/O11");
        assert_eq!(Grid::new(["..", "."].into_iter()), None);
    }
}
