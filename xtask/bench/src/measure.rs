//! Samples of how long a piece of work takes, and what they come to.
//!
//! Time is that of the thread on the processor, so that a busy machine disturbs it little. Invariant: every sample
//! is the time of one repetition, and a sample lasts long enough for the clock.

use std::time::Duration;

use cpu_time::ThreadTime;

/// The least time that a sample lasts.
pub(crate) const SAMPLE: Duration = Duration::from_millis(200);

/// The most repetitions in a sample.
const MOST: u32 = 1_000_000;

/// How often work that takes so long is repeated in a sample.
pub(crate) fn repetitions(once: Duration) -> u32 {
    let wanted = SAMPLE.as_nanos() / once.as_nanos().max(1) + 1;
    u32::try_from(wanted).unwrap_or(MOST).min(MOST)
}

/// Does some work and says how long it took.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let begun = ThreadTime::now();
    let made = work();
    (made, begun.elapsed())
}

/// The samples of one side, in seconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Samples(Vec<f64>);

impl Samples {
    /// Adds a sample of several repetitions.
    pub(crate) fn add(&mut self, whole: Duration, repeated: u32) {
        self.0.push(whole.as_secs_f64() / f64::from(repeated.max(1)));
        self.0.sort_by(f64::total_cmp);
    }

    /// The sample in the middle.
    pub(crate) fn median(&self) -> f64 {
        self.0.get(self.0.len() / 2).copied().unwrap_or(f64::NAN)
    }

    /// The distance from the shortest to the longest one, as a part of the median.
    pub(crate) fn spread(&self) -> f64 {
        match (self.0.first(), self.0.last()) {
            (Some(first), Some(last)) => (last - first) / self.median(),
            _ => f64::NAN,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle() {
        let mut samples = Samples::default();
        for seconds in [9, 1, 4, 2, 5] {
            samples.add(Duration::from_secs(seconds * 2), 2);
        }
        assert!((samples.median() - 4.0).abs() < 1e-9);
        assert!((samples.spread() - 2.0).abs() < 1e-9);
    }
}
