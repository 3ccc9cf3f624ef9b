//! The verdict in words: what it is, why it is not more, and what to do next.

use crate::notation::line_of;
use crate::numbers;
use crate::source_map::SourceMap;
use base::{Place, Site, ThreadId};
use explore::outcome::{Limits, StopReason, Unmodelled, Verdict};
use std::collections::BTreeMap;

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
    /// Whether there is nothing behind it, for `main` ended in no execution.
    pub vacuous: bool,
    /// Something is wrong, and this is why not everything was explored: there may be more.
    pub incomplete: Option<String>,
}

/// `stopped`: why not everything was explored.
pub(crate) fn answer(verdict: &Verdict, stopped: Option<&StopReason>, map: &dyn SourceMap) -> Answer {
    match verdict {
        Verdict::Verified { .. } => Answer::of("verified"),
        Verdict::Violated => {
            let incomplete = stopped.and_then(|reason| incomplete(reason, map));
            Answer { incomplete, ..Answer::of("violated") }
        }
        Verdict::Bounded(limits) => bounded(limits, map),
        Verdict::Inconclusive(reason) => inconclusive(reason, map),
    }
}

impl Answer {
    /// This word, and nothing else to say.
    pub fn of(word: &'static str) -> Answer {
        Answer { word, reason: None, places: Vec::new(), help: None, vacuous: false, incomplete: None }
    }
}

/// Why violations may be missing. A replay is one execution, and complete as that.
fn incomplete(reason: &StopReason, map: &dyn SourceMap) -> Option<String> {
    match reason {
        StopReason::Replayed | StopReason::Sampled => None,
        StopReason::Estimated(_) => Some("executions were only estimated, not explored".to_owned()),
        _ => inconclusive(reason, map).reason,
    }
}

fn bounded(limits: &Limits, map: &dyn SourceMap) -> Answer {
    let (calls, cut): (Vec<Site>, Vec<Site>) = limits.cut.iter().partition(|&&site| map.samples(site));
    let (mut reasons, mut help) = (Vec::new(), Vec::new());
    if !cut.is_empty() {
        let ((knife, raise), cut) = (knife(&cut, map), loops(&places_of(&cut, map)));
        reasons.push(format!("{knife} cut {cut}: longer runs were not explored"));
        help.push(format!("raise {raise} to look further"));
    }
    if !calls.is_empty() {
        let at = lines_of(&calls, map);
        reasons.push(format!("only some of the numbers that are possible{at} were tried"));
        help.push("combine `__VERIFIER_nondet_bool` to have every number tried".to_owned());
    }
    if !limits.clocks.is_empty() {
        let at = lines_of(&limits.clocks, map);
        reasons.push(format!("time was taken to stand still{at}"));
        let choice = "put a choice (`__VERIFIER_nondet_bool`) there";
        help.push(format!("to look at what happens when time passes, {choice}"));
    }
    Answer {
        reason: Some(reasons.join("; ")),
        places: [places_of(&limits.cut, map), places_of(&limits.clocks, map)].concat(),
        help: Some(help.join("; ")),
        ..Answer::of("bounded")
    }
}

/// The bounds that cut these loops, and what to raise: the option, or the bounds that the program sets.
fn knife(cut: &[Site], map: &dyn SourceMap) -> (&'static str, &'static str) {
    let is_set = |&site: &Site| map.has_bound(site);
    match (cut.iter().any(is_set), cut.iter().all(is_set)) {
        (false, _) => ("--unroll", "--unroll"),
        (true, true) => ("`__VERIFIER_loop_bound`", "the bounds in the program"),
        (true, false) => ("--unroll and `__VERIFIER_loop_bound`", "--unroll and the bounds in the program"),
    }
}

fn places_of(cut: &[Site], map: &dyn SourceMap) -> Vec<Place> {
    let mut places: Vec<Place> = cut.iter().filter_map(|&site| map.site(site).place).collect();
    places.sort();
    places.dedup();
    places
}

/// ` at mp.c:5, mp.c:10`; nothing if no place is known.
fn lines_of(sites: &[Site], map: &dyn SourceMap) -> String {
    let mut lines: Vec<String> = places_of(sites, map).iter().map(line_of).collect();
    lines.dedup();
    if lines.is_empty() { String::new() } else { format!(" at {}", lines.join(", ")) }
}

/// `the loops at mp.c:5, mp.c:10`
fn loops(places: &[Place]) -> String {
    let lines: Vec<String> = places.iter().map(line_of).collect();
    match lines.as_slice() {
        [] => "some loops".to_owned(),
        [only] => format!("the loop at {only}"),
        _ => format!("the loops at {}", lines.join(", ")),
    }
}

/// Everything was explored, up to the unroll bound, which cut these loops; but `main` ended in no execution.
fn vacuous(cut: &[Site], map: &dyn SourceMap) -> Answer {
    let places = places_of(cut, map);
    let help = match cut {
        [] => "in every execution `main` waits, spins, or stops at an assumption that does not hold; \
               --check-liveness shows threads that spin for ever"
            .to_owned(),
        _ => format!("{} cut {}: raise it", knife(cut, map).0, loops(&places)),
    };
    let reason = Some("nothing ran to its end".to_owned());
    Answer { reason, places, help: Some(help), vacuous: true, ..Answer::of("inconclusive") }
}

fn inconclusive(reason: &StopReason, map: &dyn SourceMap) -> Answer {
    let (reason, site, help) = match reason {
        StopReason::NothingEnded { cut } => return vacuous(cut, map),
        StopReason::Unmodelled { reached, also } => return unmodelled(reached, also.as_deref(), map),
        StopReason::Timeout => {
            let help = "raise --timeout, or verify a smaller program: fewer threads, fewer iterations";
            ("the time was up before everything was explored".to_owned(), None, Some(help))
        }
        StopReason::Memory => {
            let help = "raise --memory, or verify a smaller program: fewer threads, fewer iterations";
            ("memory: the limit was met before everything was explored".to_owned(), None, Some(help))
        }
        StopReason::Interrupted => {
            ("it was interrupted before everything was explored".to_owned(), None, None)
        }
        StopReason::Paused => {
            let help = "`threadbare merge` adds results up; --resume goes on from a checkpoint";
            ("only a part of the executions was explored".to_owned(), None, Some(help))
        }
        StopReason::Replayed => {
            ("this one execution was replayed, and nothing is wrong with it".to_owned(), None, None)
        }
        StopReason::Sampled => {
            ("only random executions were looked at: that proves nothing".to_owned(), None, None)
        }
        StopReason::Estimated(estimate) => {
            let reason = format!("there are {}; nothing was wrong on the way", numbers::estimated(*estimate));
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
                Some(
                    "bound the loops with --unroll N, at most N iterations of each are explored; or raise --max-steps",
                ),
            )
        }
        StopReason::Unsupported { message, site, thread } => {
            (format!("{}: {message}", located(map, *site, *thread)), *site, None)
        }
    };
    Answer {
        reason: Some(reason),
        places: site.and_then(|site| map.site(site).place).into_iter().collect(),
        help: help.map(str::to_owned),
        ..Answer::of("inconclusive")
    }
}

/// Threads have stopped at these things that are not modelled: each once, by place, with all its threads.
fn unmodelled(reached: &[Unmodelled], also: Option<&StopReason>, map: &dyn SourceMap) -> Answer {
    type Where = (Option<Place>, Site);
    let mut things: BTreeMap<(Where, &str), Vec<ThreadId>> = BTreeMap::new();
    for Unmodelled { site, message, thread } in reached {
        things.entry(((map.site(*site).place, *site), message)).or_default().push(*thread);
    }
    let say = |(((_, site), message), threads): (&(Where, &str), &Vec<ThreadId>)| {
        format!("{}: {message}", located_all(map, Some(*site), threads))
    };
    let also = also.map(|reason| inconclusive(reason, map));
    let more = also.iter().filter_map(|answer| answer.reason.clone());
    let reason = things.iter().map(say).chain(more).collect::<Vec<String>>().join("; ");
    let mut places: Vec<Place> = things.keys().filter_map(|((place, _), _)| place.clone()).collect();
    places.dedup();
    places.extend(also.iter().flat_map(|answer| answer.places.clone()));
    let help = also.and_then(|answer| answer.help);
    Answer { reason: Some(reason), places, help, ..Answer::of("inconclusive") }
}

/// `mp.c:7 (thread 1, in reader)`
fn located(map: &dyn SourceMap, site: Option<Site>, thread: ThreadId) -> String {
    located_all(map, site, &[thread])
}

/// `mp.c:7 (threads 1, 2, in reader)`
fn located_all(map: &dyn SourceMap, site: Option<Site>, threads: &[ThreadId]) -> String {
    let info = site.map(|site| map.site(site)).unwrap_or_default();
    let names: Vec<String> = threads.iter().map(ThreadId::to_string).collect();
    let threads = format!("thread{} {}", if names.len() == 1 { "" } else { "s" }, names.join(", "));
    let who = match &*info.function {
        "" => threads,
        function => format!("{threads}, in {function}"),
    };
    match info.place {
        Some(place) => format!("{} ({who})", line_of(&place)),
        None => who,
    }
}
