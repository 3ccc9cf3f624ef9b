//! What is shown on stderr while a long run goes on, if anybody looks.
//!
//! The lines have no colours, and none of them is left when the run is done. A line that counts seconds has a thread of its
//! own: the run does not pay for it.

use crate::clock::Timer;
use engine::Control;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};
use std::sync::Arc;
use std::time::Duration;

/// Ends when it is dropped, and takes its line away.
#[derive(Debug)]
pub(crate) struct Progress {
    _timer: Option<Timer>,
}

/// How often the line changes; work that is done sooner shows none.
const TICK: Duration = Duration::from_secs(1);

impl Progress {
    /// Show how far the exploration is and how long it takes, if anybody looks at stderr.
    pub(crate) fn show(control: &Arc<Control>, about: Option<u64>) -> Progress {
        let control = Arc::clone(control);
        Progress::line(move |seconds| {
            let executions = control.executions().total();
            how_far(executions, seconds, control.share(), about, control.restarts())
        })
    }

    /// Show this text, given the seconds that have passed, if anybody looks at stderr.
    pub(crate) fn line(text: impl Fn(u64) -> String + Send + 'static) -> Progress {
        let bar = bar(None, "{wide_msg}");
        let show = move || bar.set_message(text(bar.elapsed().as_secs()));
        Progress { _timer: is_watched().then(|| Timer::every(TICK, show)) }
    }
}

/// The line: executions, of about how many, the share that is done, how many a second, the time that is left if it goes on like
/// this and the time that is over, and how often the exploration has started again. The share is that of an estimate; without
/// one, or if there are more executions than it said, that of the tree, in which each branching splits its parent's weight.
fn how_far(executions: u64, seconds: u64, share: Option<f64>, about: Option<u64>, restarts: u64) -> String {
    let about = about.filter(|&about| about > executions);
    let estimated = about.map(|about| executions as f64 / about as f64);
    let of = about.map_or_else(String::new, |about| format!(" of about {about}"));
    let mut line = format!("{executions}{of} executions");
    if let Some(share) = estimated.or(share).filter(|share| *share > 0.0) {
        let left = (seconds as f64 * (1.0 - share) / share).round() as u64;
        line += &format!(", {:.1} %, {} left", share * 100.0, duration(left));
    }
    if let Some(rate) = executions.checked_div(seconds) {
        line += &format!(", {rate}/s");
    }
    line += &format!(", {}", duration(seconds));
    match restarts {
        0 => line,
        1 => line + ", started again once",
        _ => line + &format!(", started again {restarts} times"),
    }
}

/// As people say it: 59 s, 12 min, 3 h 20 min, 40 days.
fn duration(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h {} min", seconds / 3_600, seconds / 60 % 60),
        _ => format!("{} days", seconds / 86_400),
    }
}

/// Whether stderr is a terminal, so that a person may look at it.
fn is_watched() -> bool {
    !ProgressDrawTarget::stderr().is_hidden()
}

/// A line on stderr, taken away when it is dropped.
fn bar(all: Option<u64>, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template).expect("the template is right").progress_chars("# ");
    let target = ProgressDrawTarget::stderr_with_hz(10);
    ProgressBar::with_draw_target(all, target).with_style(style).with_finish(ProgressFinish::AndClear)
}

/// A line on stderr that counts what is done, if anybody looks; taken away when it is dropped.
#[derive(Debug)]
pub(crate) struct Counter(ProgressBar);

impl Counter {
    /// Of that many; none if there is but one.
    pub(crate) fn new(all: usize) -> Counter {
        let bar = if all > 1 {
            bar(Some(all as u64), "[{bar:30}] {pos}/{len} tests")
        } else {
            ProgressBar::hidden()
        };
        Counter(bar)
    }

    /// That many are done.
    pub(crate) fn update(&self, done: usize) {
        self.0.set_position(done as u64);
    }

    /// The line is away while others write.
    pub(crate) fn without<T>(&self, write: impl FnOnce() -> T) -> T {
        self.0.suspend(write)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_far_it_is() {
        assert_eq!(how_far(10, 0, None, None, 0), "10 executions, 0 s");
        assert_eq!(
            how_far(3_000, 30, Some(0.25), None, 1),
            "3000 executions, 25.0 %, 90 s left, 100/s, 30 s, started again once"
        );
        let far = "100 of about 1000 executions, 10.0 %, 90 s left, 10/s, 10 s, started again 2 times";
        assert_eq!(how_far(100, 10, Some(0.001), Some(1_000), 2), far);
        let farther = "2000 executions, 50.0 %, 10 s left, 200/s, 10 s";
        assert_eq!(
            how_far(2_000, 10, Some(0.5), Some(1_000), 0),
            farther,
            "there are more than was estimated"
        );
    }

    #[test]
    fn times_are_said_as_people_say_them() {
        let said = [59, 150, 12_000, 400_000].map(duration);
        assert_eq!(said, ["59 s", "2 min", "3 h 20 min", "4 days"]);
    }
}
