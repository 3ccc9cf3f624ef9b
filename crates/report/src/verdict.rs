//! The verdict in words: what it is, why it is not more, and what to do next.

use crate::notation::line_of;
use crate::source_map::SourceMap;
use base::{Place, Site, ThreadId};
use explore::Estimate;
use explore::outcome::{Outcome, StopReason, Verdict};

/// The answer of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// `verified`, `bounded`, `violated` or `inconclusive`.
    pub word: &'static str,
    /// Why it is bounded or inconclusive, with the place.
    pub reason: Option<String>,
    /// Where that is, for a pointer into the source.
    pub places: Vec<Place>,
    /// What to do next.
    pub help: Option<String>,
}

pub(crate) fn answer(outcome: &Outcome, map: &dyn SourceMap) -> Answer {
    let plain = |word| Answer { word, reason: None, places: Vec::new(), help: None };
    match &outcome.verdict {
        Verdict::Verified => plain("verified"),
        Verdict::Violated => plain("violated"),
        Verdict::Bounded { cut } => bounded(cut, map),
        Verdict::Inconclusive(reason) => inconclusive(reason, map),
    }
}

fn bounded(cut: &[Site], map: &dyn SourceMap) -> Answer {
    let mut places: Vec<Place> = cut.iter().filter_map(|&site| map.site(site).place).collect();
    places.sort();
    places.dedup();
    let lines: Vec<String> = places.iter().map(line_of).collect();
    let loops = match lines.as_slice() {
        [] => "some loops".to_owned(),
        [only] => format!("the loop at {only}"),
        _ => format!("the loops at {}", lines.join(", ")),
    };
    Answer {
        word: "bounded",
        reason: Some(format!("--unroll cut {loops}: longer runs were not explored")),
        places,
        help: Some("raise --unroll to look further".to_owned()),
    }
}

fn inconclusive(reason: &StopReason, map: &dyn SourceMap) -> Answer {
    let (reason, site, help) = match reason {
        StopReason::Timeout => {
            let help = "raise --timeout, or verify a smaller program: fewer threads, fewer iterations";
            ("the time was up before everything was explored".to_owned(), None, Some(help))
        }
        StopReason::Replayed => {
            ("this one execution was replayed, and nothing is wrong with it".to_owned(), None, None)
        }
        StopReason::Estimated(Estimate { executions, error, walks }) => {
            let reason = format!(
                "there are about {executions} executions, give or take {error} ({walks} random walks); nothing was wrong on the way"
            );
            (reason, None, Some("without --estimate they are explored"))
        }
        StopReason::StepLimit { site, thread, limit } => {
            let place = located(map, Some(*site), *thread);
            let reason = format!(
                "{place} made {limit} steps without an end: a loop or a recursion that does not stop?"
            );
            (
                reason,
                Some(*site),
                Some("bound the loops with --unroll N: at most N iterations of each are explored"),
            )
        }
        StopReason::Unsupported { message, site, thread } => {
            (format!("{}: {message}", located(map, *site, *thread)), *site, None)
        }
    };
    Answer {
        word: "inconclusive",
        reason: Some(reason),
        places: site.and_then(|site| map.site(site).place).into_iter().collect(),
        help: help.map(str::to_owned),
    }
}

/// `mp.c:7 (thread 1, in reader)`
fn located(map: &dyn SourceMap, site: Option<Site>, thread: ThreadId) -> String {
    let info = site.map(|site| map.site(site)).unwrap_or_default();
    let who = match &*info.function {
        "" => format!("thread {thread}"),
        function => format!("thread {thread}, in {function}"),
    };
    match info.place {
        Some(place) => format!("{} ({who})", line_of(&place)),
        None => who,
    }
}
