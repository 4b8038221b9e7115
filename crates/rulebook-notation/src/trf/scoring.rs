//! What a result is worth.
//!
//! Invariant: a report that says nothing counts one, one half and nothing; a bye is worth what the result is worth
//! that it stands for, until the report says otherwise.

use rulebook_model::Number;

use super::{Cell, Colour, Mark};

/// The points of each result, by colour where they may differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scoring {
    /// A win over the board, as White and as Black.
    pub win: [Number; 2],
    /// A draw over the board.
    pub draw: [Number; 2],
    /// A loss over the board.
    pub loss: [Number; 2],
    /// A win because the opponent did not come.
    pub forfeit_win: Number,
    /// Not having come.
    pub forfeit_loss: Number,
    /// A bye for half of the points.
    pub half: Number,
    /// A bye for all of the points.
    pub full: Number,
    /// A bye for no points.
    pub zero: Number,
    /// The bye of who is left over; without it a win.
    pub allocated: Option<Number>,
    /// Whether the report says anything about points.
    pub said: bool,
}

impl Default for Scoring {
    fn default() -> Self {
        let half = Number::fraction(1, 2).unwrap_or(Number::ZERO);
        Self {
            win: [Number::ONE; 2],
            draw: [half; 2],
            loss: [Number::ZERO; 2],
            forfeit_win: Number::ONE,
            forfeit_loss: Number::ZERO,
            half,
            full: Number::ONE,
            zero: Number::ZERO,
            allocated: None,
            said: false,
        }
    }
}

impl Scoring {
    /// What a round was worth.
    pub fn points(&self, cell: &Cell) -> Number {
        let by_colour = |[white, black]: [Number; 2]| match cell.colour {
            Some(Colour::Black) => black,
            _ => white,
        };
        match cell.mark {
            None => Number::ZERO,
            Some(Mark::Win | Mark::UnratedWin) => by_colour(self.win),
            Some(Mark::Draw | Mark::UnratedDraw) => by_colour(self.draw),
            Some(Mark::Loss | Mark::UnratedLoss) => by_colour(self.loss),
            Some(Mark::ForfeitWin) => self.forfeit_win,
            Some(Mark::ForfeitLoss) => self.forfeit_loss,
            Some(Mark::Half) => self.half,
            Some(Mark::Full) => self.full,
            Some(Mark::Zero) => self.zero,
            Some(Mark::Allocated) => self.allocated.unwrap_or(self.win[0]),
        }
    }

    /// Sets what a code of some program says; false if there is no such code.
    ///
    /// One letter is a code of the format itself, `BBW` and its like are those of one program, the others those of
    /// another one.
    pub(super) fn set(&mut self, code: &str, value: Number) -> bool {
        match code {
            "W" => {
                (self.win, self.forfeit_win, self.full) = ([value; 2], value, value);
            }
            "D" => (self.draw, self.half) = ([value; 2], value),
            "L" | "BBL" => self.loss = [value; 2],
            "A" => (self.zero, self.forfeit_loss) = (value, value),
            "P" | "PAB" | "BBU" => self.allocated = Some(value),
            "BBW" => (self.win, self.forfeit_win, self.full) = ([value; 2], value, value),
            "BBD" => (self.draw, self.half) = ([value; 2], value),
            "BBZ" | "ZPB" => self.zero = value,
            "BBF" | "FL" => self.forfeit_loss = value,
            "FW" => self.forfeit_win = value,
            "HPB" => self.half = value,
            "FPB" => self.full = value,
            "WW" => self.win[0] = value,
            "BW" => self.win[1] = value,
            "WD" => self.draw[0] = value,
            "BD" => self.draw[1] = value,
            "WL" => self.loss[0] = value,
            "BL" => self.loss[1] = value,
            // A result that is not known yet; such a game is not counted.
            "X" => {}
            _ => return false,
        }
        self.said = true;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byes_follow_what_they_stand_for() {
        let mut scoring = Scoring::default();
        assert!(scoring.set("W", Number::whole(3)) && scoring.set("BW", Number::whole(4)));
        assert!(!scoring.set("Q", Number::ONE));
        let worth =
            |mark, colour| scoring.points(&Cell { mark: Some(mark), colour, ..Cell::default() }).to_string();
        assert_eq!(worth(Mark::Allocated, None), "3");
        assert_eq!(worth(Mark::Win, Some(Colour::Black)), "4");
        assert_eq!(worth(Mark::Half, None), "0.5");
    }
}
