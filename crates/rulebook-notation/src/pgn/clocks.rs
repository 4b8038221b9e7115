//! Times in comments: `[%clk h:mm:ss]`, what a clock shows, `[%emt h:mm:ss]`, how long the move took, and
//! `[%egt h:mm:ss]`, how long the game has taken.
//!
//! Invariant: a time that is read is taken out of its comment; one that cannot be read stays there and is kept with
//! its place, for those who need it.

use rulebook_syntax::Span;

use super::Token;

/// The commands, each with the place of its time in what is taken.
const COMMANDS: [&str; 3] = ["[%clk", "[%emt", "[%egt"];

/// What was taken out of a comment.
#[derive(Default)]
pub(super) struct Taken {
    /// The rest of the comment.
    pub(super) rest: String,
    /// The last time of each command, in milliseconds.
    pub(super) times: [Option<u64>; 3],
    /// Where the last one stands.
    pub(super) span: Option<Span>,
    /// Commands whose time cannot be read.
    pub(super) faults: Vec<Token>,
}

/// Takes every well-formed time out of a comment that stands at an offset.
pub(super) fn take(comment: &str, base: usize) -> Taken {
    let mut taken = Taken::default();
    let mut kept = String::new();
    let mut at = 0;
    while let Some((start, command)) = next_command(comment, at) {
        kept.push_str(comment.get(at..start).unwrap_or(""));
        let name = COMMANDS.get(command).copied().unwrap_or("");
        let after = comment.get(start + name.len()..).unwrap_or("");
        let closed = after.find(']');
        let time = closed.and_then(|end| milliseconds(after.get(..end)?));
        let length = name.len() + closed.map_or_else(|| after.trim_end().len(), |end| end + 1);
        let span = Span::new(base + start, base + start + length);
        match (time, taken.times.get_mut(command)) {
            (Some(time), Some(slot)) => {
                *slot = Some(time);
                taken.span = Some(span);
                kept.truncate(kept.trim_end().len());
                let rest = comment.get(start + length..).unwrap_or("");
                at = comment.len() - rest.trim_start().len();
                if !kept.is_empty() && at < comment.len() {
                    kept.push(' ');
                }
            }
            _ => {
                let text = comment.get(start..start + length).unwrap_or("").to_owned();
                taken.faults.push(Token { text, span });
                kept.push_str(name);
                at = start + name.len();
            }
        }
    }
    kept.push_str(comment.get(at..).unwrap_or(""));
    kept.trim().clone_into(&mut taken.rest);
    taken
}

/// Reads the times of a comment and leaves it as it is; false if one of them cannot be read.
pub(super) fn read(comment: &str, times: &mut [Option<u64>; 3]) -> bool {
    let mut at = 0;
    while let Some((start, command)) = next_command(comment, at) {
        let after = start + COMMANDS.get(command).map_or(0, |name| name.len());
        let rest = comment.get(after..).unwrap_or("");
        let Some(end) = rest.find(']') else { return false };
        let Some(time) = rest.get(..end).and_then(milliseconds) else { return false };
        if let Some(slot) = times.get_mut(command) {
            *slot = Some(time);
        }
        at = after + end + 1;
    }
    true
}

/// The next command from an offset on, and which one it is.
fn next_command(comment: &str, from: usize) -> Option<(usize, usize)> {
    let mut at = from;
    loop {
        at += comment.get(at..)?.find("[%")?;
        let rest = comment.get(at..)?;
        if let Some(which) = COMMANDS.iter().position(|name| rest.starts_with(name)) {
            return Some((at, which));
        }
        at += 2;
    }
}

/// `h:mm:ss` or `h:mm:ss.f`; digits beyond the third after the point are cut off.
pub(super) fn milliseconds(time: &str) -> Option<u64> {
    let number = |text: &str| -> Option<u64> {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| text.parse().ok()).flatten()
    };
    if !time.starts_with(|char: char| char.is_ascii_whitespace()) {
        return None;
    }
    let mut parts = time.trim().split(':');
    let (hours, minutes, seconds) = (parts.next()?, parts.next()?, parts.next()?);
    let (seconds, fraction) = seconds.split_once('.').unwrap_or((seconds, "0"));
    let (minutes, seconds) = (number(minutes)?, number(seconds)?);
    if parts.next().is_some() || minutes > 59 || seconds > 59 || fraction.is_empty() {
        return None;
    }
    let mut thousandths = 0;
    for (index, digit) in fraction.chars().enumerate() {
        let weight = [100, 10, 1].get(index).copied().unwrap_or(0);
        thousandths += u64::from(digit.to_digit(10)?) * weight;
    }
    number(hours)?.checked_mul(3_600_000)?.checked_add(minutes * 60_000 + seconds * 1000 + thousandths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_taken_and_faults_have_places() {
        let taken = take(" a [%clk 0:00:05] b [%emt 0:00:01.5] [%egt 0:1] c", 10);
        assert_eq!(taken.times, [Some(5000), Some(1500), None]);
        assert_eq!(taken.rest, "a b [%egt 0:1] c");
        let fault = &taken.faults[0];
        assert_eq!((fault.text.as_str(), fault.span), ("[%egt 0:1]", Span::new(47, 57)));
        let open = take("[%clk 0:00", 0);
        assert_eq!((open.rest.as_str(), open.faults[0].span), ("[%clk 0:00", Span::new(0, 10)));
    }
}
