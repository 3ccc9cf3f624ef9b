//! Executions as short texts, and back.
//!
//! A text is a list of steps in an order in which every read comes after its source: `2` is a step of thread 2, `2*5`
//! are five. By default a read reads the co-last write, a write goes last in co and a choice is 0; `2r1.4` reads from
//! the fifth event of thread 1, `2ri` from the initial value, `2w1.4` goes right after that write in co, `2wi` right
//! after the initial one, `2c3` chooses 3. Steps are joined by `-`. Replays know no pairs (`reductions/pairs.rs`).
//! Before the steps there may be `k` and the memory whose rounds are kept (`reductions/left_out.rs`), and `s` and the
//! order of atomic sections (`program::SectionOrder`).

use crate::core::construction::{Construction, Trouble};
use crate::core::events::push_other;
use crate::core::memory::locate;
use crate::core::shape::Shape;
use crate::core::stuck;
use crate::core::threads::Status;
use crate::findings::Findings;
use crate::outcome::{Outcome, StopReason};
use crate::reductions::Rooms;
use crate::{Control, Cut, Ending, Options, snapshot};
use base::{Access, FenceOrder, ThreadId};
use live::{EventRef, LocationId};
use model::Rules;
use program::{Check, Checks, Conflict, Departure, Gate, Hint, Refinements, Refusal, Request, SectionOrder};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A step of a replay.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Step {
    thread: ThreadId,
    choice: Choice,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Choice {
    /// Read the tail, go last, choose 0.
    Greedy,
    /// Read from.
    From(Target),
    /// Go right after.
    After(Target),
    /// Choose.
    Number(u64),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Target {
    Init,
    Event(u32, u32),
}

/// Why a text cannot be replayed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReplayError {
    /// It is no list of steps.
    #[error("this replay does not fit the program: {0}")]
    Text(String),
    /// The program cannot take these steps.
    #[error("this replay does not fit the program: {0}")]
    Steps(String),
    /// The replay was stopped from outside.
    #[error("the replay was stopped before its end")]
    Cut(Cut),
}

impl ReplayError {
    pub(crate) fn is_about_steps(&self) -> bool {
        matches!(self, ReplayError::Steps(_))
    }
}

// --- writing ---------------------------------------------------------------------------------------------------------

/// The execution under construction as a text.
pub(crate) fn write<P: Hint, C: Shape>(build: &Construction<'_, P, C>) -> String {
    let mut steps: Vec<Step> = Vec::new();
    // How far each thread got, and which writes have their place.
    let count = build.graph.thread_count();
    let mut done = vec![0usize; count];
    let mut placed: Vec<Placed> = build.coherence_orders().into_iter().map(Placed::new).collect();
    loop {
        let next = (0..count).find_map(|t| {
            let e = *build.graph.po(ThreadId(t as u32)).get(done[t])?;
            can_come(build, e, &done).then_some(e)
        });
        let Some(e) = next else { break };
        let thread = build.graph.event(e).thread;
        done[thread.index()] += 1;
        let choice = choice(build, e, &mut placed);
        // A pair is replayed as the two events that it stands for; they read the same.
        steps.extend(build.pairs().sites(e).map(|_| Step { thread, choice }));
    }
    // A thread that failed in a step made no event: the step is tried again.
    let failed = build.threads.existing().filter(|(_, now)| now.status == Status::Failed);
    steps.extend(failed.map(|(thread, _)| Step { thread, choice: Choice::Greedy }));
    kept(&build.refinements) + &sections(&build.refinements) + &print(&steps)
}

/// How the text begins for a program that keeps rounds.
fn kept(refinements: &Refinements) -> String {
    let range = |range: &Range<u64>| format!("{:x}+{:x}", range.start, range.end - range.start);
    let ranges: Vec<String> = refinements.kept.iter().map(range).collect();
    if ranges.is_empty() { String::new() } else { format!("k{}-", ranges.join(".")) }
}

/// A text, taken apart.
#[derive(Clone, Debug)]
pub(crate) struct Replayed<'t> {
    /// How the program is refined, as the beginning of the text says.
    pub(crate) refinements: Refinements,
    pub(crate) steps: &'t str,
}

impl<'t> Replayed<'t> {
    /// Take a text apart.
    pub(crate) fn parse(text: &'t str) -> Result<Replayed<'t>, ReplayError> {
        let (kept, rest) = split_kept(text)?;
        let (sections, steps) = split_sections(rest)?;
        Ok(Replayed { refinements: Refinements { kept, sections, ..Refinements::default() }, steps })
    }
}

/// The memory whose rounds are kept, with which a text begins, and the rest.
fn split_kept(text: &str) -> Result<(Vec<Range<u64>>, &str), ReplayError> {
    let Some(rest) = text.strip_prefix('k') else { return Ok((Vec::new(), text)) };
    let (ranges, steps) = rest.split_once('-').unwrap_or((rest, ""));
    let ranges = ranges.split('.').map(parse_range).collect::<Option<Vec<Range<u64>>>>();
    Ok((ranges.ok_or_else(|| ReplayError::Text(format!("`k{rest}` is no memory")))?, steps))
}

fn parse_range(text: &str) -> Option<Range<u64>> {
    let (start, size) = text.split_once('+')?;
    let number = |digits| u64::from_str_radix(digits, 16).ok();
    let (start, size) = (number(start)?, number(size)?);
    Some(start..start.checked_add(size)?)
}

/// How the text begins for a program with atomic sections, some of which exclude each other.
fn sections(refinements: &Refinements) -> String {
    match refinements.sections.is_empty() {
        true => String::new(),
        false => format!("s{}-", refinements.sections.text()),
    }
}

/// The order of sections that a text begins with, and the rest.
fn split_sections(text: &str) -> Result<(SectionOrder, &str), ReplayError> {
    let Some(rest) = text.strip_prefix('s') else { return Ok((SectionOrder::default(), text)) };
    let (order, steps) = rest.split_once('-').unwrap_or((rest, ""));
    let order = SectionOrder::parse(order);
    Ok((order.ok_or_else(|| ReplayError::Text(format!("`s{rest}` is no order of sections")))?, steps))
}

/// The writes of a location in coherence order, and those of them that have come.
struct Placed {
    co: Vec<EventRef>,
    /// Where each write is in `co`.
    position: BTreeMap<EventRef, usize>,
    /// The positions of those that have come.
    come: BTreeSet<usize>,
}

impl Placed {
    fn new(co: Vec<EventRef>) -> Placed {
        let position = co.iter().enumerate().map(|(position, &w)| (w, position)).collect();
        Placed { co, position, come: BTreeSet::new() }
    }

    /// The co-last write so far.
    fn last(&self) -> Option<EventRef> {
        self.come.last().map(|&position| self.co[position])
    }

    /// `w` comes: the nearest write co-before it that has come already.
    fn insert(&mut self, w: EventRef) -> Option<EventRef> {
        let position = *self.position.get(&w).expect("every write has its place in co");
        let before = self.come.range(..position).next_back().map(|&before| self.co[before]);
        self.come.insert(position);
        before
    }
}

/// Whether all events that `e` depends on are done.
fn can_come<P: Hint, C: Shape>(build: &Construction<'_, P, C>, e: EventRef, done: &[usize]) -> bool {
    let threads = (0..done.len() as u32).map(ThreadId);
    let own = build.graph.event(e).thread;
    let has_arrived = match &build.before(e).request {
        Request::Depart(departure) => have_arrived(build, departure, own, done),
        _ => true,
    };
    has_arrived
        && threads.filter(|&t| t != own).all(|t| build.graph.porf_count(e, t) as usize <= done[t.index()])
}

/// Whether enough threads have arrived at a barrier as often as this thread, which leaves it, since it was initialised.
fn have_arrived<P: Hint, C: Shape>(
    build: &Construction<'_, P, C>,
    departure: &Departure,
    thread: ThreadId,
    done: &[usize],
) -> bool {
    let all = || (0..done.len() as u32).map(ThreadId);
    let is_reset = |&e: &EventRef| match build.before(e).request {
        Request::Write { at, value, .. } => at.address == departure.slots && value == 0,
        _ => false,
    };
    let events = |thread: ThreadId| build.graph.po(thread)[..done[thread.index()]].iter().copied();
    let resets: Vec<EventRef> = all().flat_map(events).filter(is_reset).collect();
    let arrivals = |thread: ThreadId| {
        let is_slot = |at: Access| {
            let slot = |odd| Departure { odd, ..*departure }.slot(u64::from(thread.0));
            at.address == slot(false) || at.address == slot(true)
        };
        let is_arrival = |&e: &EventRef| match build.before(e).request {
            Request::Write { at, value, .. } => is_slot(at) && value != 0,
            _ => false,
        };
        let is_old = |&e: &EventRef| {
            resets.iter().any(|&reset| build.graph.porf_count(reset, thread) > build.graph.event(e).index)
        };
        events(thread).filter(is_arrival).filter(|e| !is_old(e)).count()
    };
    all().filter(|&other| arrivals(other) >= arrivals(thread)).count() >= departure.needed as usize
}

fn choice<P: Hint, C: Shape>(build: &Construction<'_, P, C>, e: EventRef, placed: &mut [Placed]) -> Choice {
    let event = build.graph.event(e);
    if !event.kind.is_access() {
        let chosen = event.value > 0
            && matches!(build.before(e).request, Request::Choose { .. } | Request::Sleep { .. });
        return if chosen { Choice::Number(event.value) } else { Choice::Greedy };
    }
    let placed = &mut placed[event.location.index()];
    let tail = placed.last().unwrap_or(EventRef::init(event.location));
    if event.kind.writes() {
        let before = placed.insert(e).unwrap_or(EventRef::init(event.location));
        if !event.kind.reads() {
            return if before == tail { Choice::Greedy } else { Choice::After(target(build, before)) };
        }
    }
    if event.rf == tail { Choice::Greedy } else { Choice::From(target(build, event.rf)) }
}

fn target<P: Hint, C: Shape>(build: &Construction<'_, P, C>, w: EventRef) -> Target {
    if w.is_init() {
        return Target::Init;
    }
    let id = build.pairs().id(w);
    Target::Event(id.thread.0, id.index)
}

fn print(steps: &[Step]) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut rest = steps;
    while let Some(&first) = rest.first() {
        let same = rest.iter().take_while(|&&s| s == first && s.choice == Choice::Greedy).count().max(1);
        rest = &rest[same..];
        let thread = first.thread;
        words.push(match first.choice {
            Choice::Greedy if same > 1 => format!("{thread}*{same}"),
            Choice::Greedy => format!("{thread}"),
            Choice::From(target) => format!("{thread}r{}", print_target(target)),
            Choice::After(target) => format!("{thread}w{}", print_target(target)),
            Choice::Number(number) => format!("{thread}c{number}"),
        });
    }
    words.join("-")
}

fn print_target(target: Target) -> String {
    match target {
        Target::Init => "i".to_owned(),
        Target::Event(thread, index) => format!("{thread}.{index}"),
    }
}

// --- reading ---------------------------------------------------------------------------------------------------------

/// No execution has more steps of one thread in a row.
const MAX_STEPS: u64 = 10_000_000;

/// The steps, and how often each is taken in a row: the text may ask for more than there is memory for.
fn parse(text: &str) -> Result<Vec<(Step, u64)>, ReplayError> {
    let mut steps = Vec::new();
    for word in text.split('-').filter(|word| !word.is_empty()) {
        let bad = || ReplayError::Text(format!("`{word}` is no step"));
        let digits = word.find(|c: char| !c.is_ascii_digit()).unwrap_or(word.len());
        let thread = ThreadId(word[..digits].parse().map_err(|_| bad())?);
        let mut rest = word[digits..].chars();
        let (choice, times) = match (rest.next(), rest.as_str()) {
            (None, _) => (Choice::Greedy, 1),
            (Some('*'), rest) => {
                (Choice::Greedy, parse_number(rest).filter(|&times| times <= MAX_STEPS).ok_or_else(bad)?)
            }
            (Some('r'), rest) => (Choice::From(parse_target(rest).ok_or_else(bad)?), 1),
            (Some('w'), rest) => (Choice::After(parse_target(rest).ok_or_else(bad)?), 1),
            (Some('c'), rest) => (Choice::Number(parse_number(rest).ok_or_else(bad)?), 1),
            (Some(_), _) => return Err(bad()),
        };
        steps.push((Step { thread, choice }, times));
    }
    Ok(steps)
}

/// Digits only: Rust's own numbers may have a sign.
fn parse_number(text: &str) -> Option<u64> {
    text.bytes().all(|c| c.is_ascii_digit()).then(|| text.parse().ok())?
}

fn parse_target(text: &str) -> Option<Target> {
    if text == "i" {
        return Some(Target::Init);
    }
    let (thread, index) = text.split_once('.')?;
    let number = |text| u32::try_from(parse_number(text)?).ok();
    Some(Target::Event(number(thread)?, number(index)?))
}

/// Replay a text: the outcome is that of this one execution.
pub(crate) fn run<P: Hint, C: Shape>(
    program: &P,
    rules: &'static Rules,
    replayed: &Replayed<'_>,
    control: &Control,
) -> Result<Outcome, ReplayRun> {
    let steps = parse(replayed.steps).map_err(ReplayRun::Error)?;
    let checks = Checks::default().with(Check::Liveness).with(Check::Leak);
    let options = Options { keep_going: true, checks, ..Options::default() };
    let build = Construction::<P, C>::unreduced(program, rules, replayed.refinements.clone());
    let mut replay = Replay { build, findings: Findings::new(&options) };
    let steps = steps.into_iter().flat_map(|(step, times)| (0..times).map(move |_| step));
    for step in steps {
        if let Some(cut) = control.cut() {
            return Err(ReplayRun::Error(ReplayError::Cut(cut)));
        }
        match replay.step(step) {
            // In another order of the same steps the thread went on, and the error was found when the other one came.
            Err(ReplayRun::Error(ReplayError::Steps(_))) if replay.has_failed() => break,
            done => done?,
        }
    }
    if replay.build.facts.has_sections
        && replay
            .build
            .sections()
            .isolation()
            .is_some_and(|isolation| !replay.build.sections().is_isolated(isolation))
    {
        let text = "another thread runs in the middle of an atomic section".to_owned();
        return Err(ReplayRun::Error(ReplayError::Steps(text)));
    }
    Ok(replay.finish())
}

/// How a replay ends early.
#[derive(Debug)]
pub(crate) enum ReplayRun {
    /// The text is wrong.
    Error(ReplayError),
    /// These accesses must be split first.
    Conflict(Conflict),
}

fn inconsistent(thread: ThreadId) -> String {
    format!("the model does not allow this step of thread {thread}")
}

struct Replay<'p, P: Hint, C> {
    build: Construction<'p, P, C>,
    findings: Findings,
}

impl<P: Hint, C: Shape> Replay<'_, P, C> {
    /// Whether a thread was stopped by an error.
    fn has_failed(&self) -> bool {
        self.build.threads.existing().any(|(_, now)| now.status == Status::Failed)
    }

    fn step(&mut self, step: Step) -> Result<(), ReplayRun> {
        let error = |text: String| Err(ReplayRun::Error(ReplayError::Steps(text)));
        let thread = step.thread;
        let Some(now) = self.build.threads.find(thread) else {
            return error(format!("there is no thread {thread}"));
        };
        let request = now.request.clone();
        let plain = request.is_plain();
        let done = match request {
            Request::Read { at, .. }
            | Request::Rmw { at, .. }
            | Request::Lock { at }
            | Request::Await { at, .. } => {
                locate(&mut self.build, thread, at, plain).map(|location| self.read(step, location))
            }
            Request::Fence(FenceOrder::SeqCst) if self.build.graph.rules().sc_fence_is_update() => {
                let location = self.build.fence_location();
                Ok(self.read(step, location))
            }
            Request::Write { at, .. } => {
                locate(&mut self.build, thread, at, plain).map(|location| self.write(step, location))
            }
            Request::Unlock { at } => locate(&mut self.build, thread, at, false).and_then(|location| {
                self.build.check_owner(thread, location)?;
                Ok(self.write(step, location))
            }),
            Request::Depart(departure) => match self.build.barriers().gate(&departure) {
                Gate::Open(slot) => {
                    let location = self.build.barriers().location(slot);
                    Ok(self.read(step, location))
                }
                Gate::Crowded => Err(self.build.refuse(thread, Refusal::of_crowded_barrier())),
                Gate::Shut => return error(format!("thread {thread} waits at a barrier")),
            },
            Request::Choose { values } => Ok(self.choose(step, program::tried(values))),
            Request::Sleep { .. } => Ok(self.choose(step, 2)),
            Request::Join { thread: child }
                if self.build.threads.find(child).is_some_and(|now| now.status != Status::Finished) =>
            {
                return error(format!("thread {thread} waits for thread {child}"));
            }
            Request::Block(_) | Request::Finish { .. } | Request::Fault(_) | Request::Refuse(_) => {
                return error(format!("thread {thread} goes no further"));
            }
            _ => push_other(&mut self.build, thread).map(|e| {
                if let Request::Free { address, .. } = self.build.before(e).request
                    && let Some(other) = self.build.race_of_free(e, address)
                {
                    self.findings.free_race(&self.build, other, e);
                }
                Ok(())
            }),
        };
        match done {
            Ok(Ok(())) | Err(Trouble::Stopped(..)) => Ok(()),
            Ok(Err(text)) => error(text),
            Err(Trouble::Conflict(conflict, _)) => Err(ReplayRun::Conflict(conflict)),
        }
    }

    fn choose(&mut self, step: Step, values: u64) -> Result<(), String> {
        let number = if let Choice::Number(number) = step.choice { number } else { 0 };
        if number >= values {
            return Err(format!("thread {} chooses {number} of {values}, counted from 0", step.thread));
        }
        let e = self.build.push_choice(step.thread);
        self.build.choose(e, number);
        Ok(())
    }

    fn read(&mut self, step: Step, location: LocationId) -> Result<(), String> {
        let u = match step.choice {
            Choice::From(target) => self.find(target, location)?,
            _ => self.build.graph.tail(location),
        };
        let r = self.build.push_read(step.thread, location);
        if !self.is_source(r, u) {
            return Err(inconsistent(step.thread));
        }
        if self.build.bind(r, u) {
            if self.build.graph.update_of(u).is_some() {
                return Err(format!(
                    "two read-modify-writes read the same write, step of thread {}",
                    step.thread
                ));
            }
            self.build.place(u, r);
        }
        self.admit(r)
    }

    fn write(&mut self, step: Step, location: LocationId) -> Result<(), String> {
        let p = match step.choice {
            Choice::After(target) => self.find(target, location)?,
            _ => self.build.graph.tail(location),
        };
        let w = self.build.push_write(step.thread, location);
        if !self.is_place(w, p) {
            return Err(inconsistent(step.thread));
        }
        self.build.place(p, w);
        self.admit(w)
    }

    /// Whether the exploration would try `u` for read `r`. A text may come from another model, or be mistyped: an
    /// execution that the model does not allow must not be shown as a violation under it.
    fn is_source(&self, r: EventRef, u: EventRef) -> bool {
        let mut source = self.build.graph.first_source(r);
        while source.is_some() && source != u {
            source = self.build.graph.next_source(r, source);
        }
        source == u
    }

    /// Whether the exploration would try to put `w` right after `p`. Without `co` all places are the same.
    fn is_place(&self, w: EventRef, p: EventRef) -> bool {
        let mut place = self.build.graph.tail(self.build.graph.event(w).location);
        while C::HAS_CO && place.is_some() && place != p {
            place = self.build.graph.next_place(w, place);
        }
        !C::HAS_CO || (place == p && self.build.graph.update_of(p).is_none())
    }

    /// Check that the graph with `e`, which has its source and its place, is consistent, and look for races. Every
    /// prefix of a consistent execution is consistent, and the steps of a text make prefixes only.
    fn admit(&mut self, e: EventRef) -> Result<(), String> {
        if !self.build.admits(e, e) {
            return Err(inconsistent(self.build.graph.event(e).thread));
        }
        self.check_race(e);
        Ok(())
    }

    fn check_race(&mut self, e: EventRef) {
        let first = self.build.race(e);
        // Atomic accesses alone do not race, and there may be very many of them.
        let location = self.build.graph.location(self.build.graph.event(e).location);
        let others = (location.plain > 0).then(|| self.build.racing_accesses(e));
        for other in first.into_iter().chain(others.into_iter().flatten()) {
            self.findings.race(&self.build, other, e);
        }
    }

    fn find(&self, target: Target, location: LocationId) -> Result<EventRef, String> {
        let Target::Event(thread, index) = target else { return Ok(EventRef::init(location)) };
        let known = (thread as usize) < self.build.graph.thread_count();
        let event =
            known.then(|| self.build.graph.po(ThreadId(thread)).get(index as usize).copied()).flatten();
        let event = event.filter(|&w| {
            let event = self.build.graph.event(w);
            event.kind.writes() && event.location == location
        });
        event.ok_or_else(|| format!("{thread}.{index} is no write to that location"))
    }

    fn finish(mut self) -> Outcome {
        // A thread that runs for too long does not matter for the steps of others, nor does one that has stopped.
        self.findings.refusals(&self.build);
        self.findings.faults(&self.build);
        let stuck = !self.build.threads.existing().any(|(t, _)| self.can_step(t));
        if stuck {
            let all = self.build.threads.existing().all(|(t, _)| self.build.threads.finished(t).is_some());
            match self.findings.count(&self.build, all) {
                ending if stuck::is_deadlock(&self.build, ending) => self.findings.deadlock(&self.build),
                // Only an exploration that looks for leaks writes the text of an execution without another error.
                _ if self.is_over(all) && self.findings.leaks(&self.build) => true,
                // Only an exploration that checks liveness writes the text of such an execution.
                Ending::Spinning => self.findings.liveness(&self.build),
                Ending::Complete | Ending::Blocked | Ending::Deadlock => false,
            };
        }
        let example = Some(snapshot::execution(&self.build));
        let unmodelled = self.findings.unmodelled(None).filter(|_| self.findings.violations.is_empty());
        let Findings { executions, violations, .. } = self.findings;
        let reason = unmodelled.unwrap_or(StopReason::Replayed);
        Outcome::cut_short(reason, executions, violations).with_example(example)
    }

    /// Whether the process has ended without an error so far.
    fn is_over(&self, all_have_finished: bool) -> bool {
        self.findings.violations.is_empty() && (all_have_finished || stuck::is_over(&self.build))
    }

    fn can_step(&self, thread: ThreadId) -> bool {
        let now = self.build.threads.get(thread);
        match now.request {
            Request::Join { thread } => self.build.threads.finished(thread).is_some(),
            Request::Depart(departure) => self.build.barriers().gate(&departure) != Gate::Shut,
            Request::Rmw { .. } if self.build.undoing().spins(thread) => false,
            _ => matches!(now.status, Status::Ready | Status::Awaiting),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_parsed() {
        let text = "0*3-1-1ri-2r1.4-0w2.0-0wi-3c7";
        let steps = parse(text).expect("steps").into_iter();
        let all: Vec<Step> = steps.flat_map(|(step, times)| (0..times).map(move |_| step)).collect();
        assert_eq!(print(&all), text);
        assert_eq!(parse("--0--"), parse("0"));
    }

    #[test]
    fn what_is_no_step_is_told() {
        let words = [
            "é",
            "0é",
            "0ré",
            "0*é",
            "0x1",
            "0r",
            "0r1",
            "0r1.",
            "0c+1",
            "4294967296",
            "0*18446744073709551616",
        ];
        for word in words {
            let told = ReplayError::Text(format!("`{word}` is no step"));
            assert_eq!(parse(&format!("0-{word}-1")), Err(told));
        }
    }
}
