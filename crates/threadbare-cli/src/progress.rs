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
    /// Show how long the exploration takes and how far it is, if anybody looks at stderr.
    pub(crate) fn show(control: &Arc<Control>, about: Option<u64>) -> Progress {
        let control = Arc::clone(control);
        let of = about.map_or_else(String::new, |about| format!(" of about {about}"));
        Progress::line(move |seconds| {
            format!("exploring: {}{of} executions, {seconds} s", control.executions().total())
        })
    }

    /// Show this text, given the seconds that have passed, if anybody looks at stderr.
    pub(crate) fn line(text: impl Fn(u64) -> String + Send + 'static) -> Progress {
        let bar = bar(None, "{wide_msg}");
        let show = move || bar.set_message(text(bar.elapsed().as_secs()));
        Progress { _timer: is_watched().then(|| Timer::every(TICK, show)) }
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
