//! The reason of a violation in words, and what to do about it.
//!
//! For a race it is the missing happens-before; for a use after free who freed and what does not order the two; for a
//! deadlock who waits for whom; for a failed assertion the reads that saw an old value although there was a newer one.

use crate::deadlock;
use crate::notation::{Notation, line_of, spelled};
use crate::stack::in_line;
use crate::sync::{Hop, broken_hops, read_order, write_order};
use base::{EventId, Order};
use explore::outcome::{Violation, ViolationPlace};
use graph::{Label, Source};
use model::{Orders, Rules};
use program::FaultKind;

/// What a diagnostic says below its places.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Explanation {
    pub(crate) why: Vec<String>,
    pub(crate) help: Option<String>,
}

impl Explanation {
    fn help(help: &str) -> Explanation {
        Explanation { why: Vec::new(), help: Some(help.to_owned()) }
    }
}

/// How many stale reads are told; more of them confuse.
const STALE_READS: usize = 2;

/// How many pairs of a read and a newer write are looked at in search of them.
const STALE_CANDIDATES: usize = 64;

pub(crate) fn explain(notation: &Notation<'_>, violation: &Violation, rules: &Rules) -> Explanation {
    match violation.kind {
        FaultKind::DataRace => match violation.places.as_slice() {
            [one, other, ..] => {
                let race = race(notation, position(notation, one), position(notation, other), rules);
                let is_volatile = |place: &ViolationPlace| notation.map.site(place.site).volatile;
                if is_volatile(one) || is_volatile(other) { volatile_race(race) } else { race }
            }
            [] | [_] => Explanation::default(),
        },
        FaultKind::UseAfterFree => match violation.places.as_slice() {
            [access, freed, ..] => after_free(notation, access, freed, rules),
            [] | [_] => Explanation::help("keep the object alive until the last thread is done with it"),
        },
        FaultKind::Deadlock => deadlock::explain(notation),
        FaultKind::Liveness => deadlock::explain_liveness(notation),
        FaultKind::Assertion | FaultKind::UncaughtException | FaultKind::Panic => {
            stale_reads(notation, violation, rules)
        }
        FaultKind::DoubleFree => Explanation::help("free an object exactly once"),
        FaultKind::InvalidFree => {
            Explanation::help("free only what malloc, calloc, realloc or aligned_alloc returned")
        }
        FaultKind::UninitialisedRead => {
            Explanation::help("write the memory before it is read, in every execution")
        }
        FaultKind::UnlockNotOwned => {
            Explanation::help("unlock a mutex in the thread that has locked it, once")
        }
        FaultKind::Leak => Explanation::help("free the object while something still points to it"),
        FaultKind::InvalidAccess => Explanation::default(),
    }
}

/// The event of a place; for an instruction that made none, the one that its thread would make next.
fn position(notation: &Notation<'_>, place: &ViolationPlace) -> EventId {
    let events = notation.execution.graph.threads.get(place.thread.index()).map_or(0, Vec::len);
    place.event.unwrap_or(EventId { thread: place.thread, index: events as u32 })
}

/// Two accesses without happens-before: the way between them, if there is one, and what breaks it.
fn race(notation: &Notation<'_>, one: EventId, other: EventId, rules: &Rules) -> Explanation {
    if rules.orders == Orders::Ignored {
        return Explanation {
            why: vec![
                "no happens-before between (1) and (2): under this model only program order, creating a thread and \
                 joining it order accesses"
                    .to_owned(),
            ],
            help: Some("a model that knows release and acquire, such as rc11, may see no race here".to_owned()),
        };
    }
    let hops = broken_hops(notation, one, other, rules).or_else(|| broken_hops(notation, other, one, rules));
    match hops {
        None => Explanation {
            why: vec![
                "nothing orders (1) and (2): no chain of reads-from leads from one to the other".to_owned(),
            ],
            help: Some(
                "protect both with a mutex, publish the write with release and acquire, or make them atomic"
                    .to_owned(),
            ),
        },
        Some(hops) if hops.is_empty() => {
            Explanation { why: vec!["no happens-before between (1) and (2)".to_owned()], help: None }
        }
        Some(hops) => {
            let mut explanation = blame(notation, &hops);
            if let Some(first) = explanation.why.first_mut() {
                *first = format!("no happens-before between (1) and (2): {first}");
            }
            explanation
        }
    }
}

/// A race of an access that its author may have taken for an atomic one.
fn volatile_race(mut race: Explanation) -> Explanation {
    race.why.push("a `volatile` access is not atomic in C".to_owned());
    let relaxed = "take `volatile` accesses for relaxed atomic ones with --volatile=relaxed";
    race.help = Some(race.help.map_or_else(|| relaxed.to_owned(), |help| format!("{help}; or {relaxed}")));
    race
}

/// What is wrong with each hop, and what would mend them all.
fn blame(notation: &Notation<'_>, hops: &[Hop]) -> Explanation {
    let remedies: Vec<String> = hops.iter().map(|hop| remedy(notation, hop)).collect();
    Explanation {
        why: hops.iter().map(|hop| fault_of(notation, hop)).collect(),
        help: (!remedies.is_empty()).then(|| remedies.join(", and ")),
    }
}

fn fault_of(notation: &Notation<'_>, hop: &Hop) -> String {
    let object = notation.event_object(hop.read);
    let (write_at, read_at) = (notation.event_place(hop.write), notation.event_place(hop.read));
    let (write, read) = (write_order(notation, hop.write), read_order(notation, hop.read));
    if write == Some(Order::NotAtomic) || read == Some(Order::NotAtomic) {
        return format!(
            "`{object}` is written at {write_at} and read at {read_at} with plain accesses, which never synchronise"
        );
    }
    let (write, read) = (write.map_or("?", spelled), read.map_or("?", spelled));
    match (hop.releases, hop.acquires) {
        (true, false) if write == "relaxed" => format!(
            "`{object}` is read with {read} at {read_at}, so reading what {write_at} writes after a release does \
             not synchronise"
        ),
        (true, false) => format!(
            "`{object}` is read with {read} at {read_at}, so reading from the {write} at {write_at} does not \
             synchronise"
        ),
        (false, true) => format!(
            "`{object}` is written with {write} at {write_at}, so the {read} at {read_at} that reads it does not \
             synchronise"
        ),
        (false, false) | (true, true) => format!(
            "`{object}` is written with {write} at {write_at} and read with {read} at {read_at}, so reading it does \
             not synchronise"
        ),
    }
}

fn remedy(notation: &Notation<'_>, hop: &Hop) -> String {
    let (write_at, read_at) = (notation.event_place(hop.write), notation.event_place(hop.read));
    let plain = |order| order == Some(Order::NotAtomic);
    if plain(write_order(notation, hop.write)) || plain(read_order(notation, hop.read)) {
        let object = notation.event_object(hop.read);
        return format!("make `{object}` atomic, with release at {write_at} and acquire at {read_at}");
    }
    let acquire = || stronger(notation, hop.read, acquiring(notation, hop.read));
    let release = || stronger(notation, hop.write, releasing(notation, hop.write));
    match (hop.releases, hop.acquires) {
        (true, _) => format!("make {}", acquire()),
        (false, true) => format!("make {}", release()),
        (false, false) => format!("make {} and {}", release(), acquire()),
    }
}

/// `the load at mp.c:11 acquire`. Where a function for several callers has it, this caller could use another one.
fn stronger(notation: &Notation<'_>, event: EventId, order: &str) -> String {
    let (noun, stack) = (noun(notation, event), notation.event_stack(event));
    let (Some(caller), [at, calls @ ..]) = (notation.event_caller(event), &stack[..]) else {
        return format!("the {noun} at {} {order}", notation.event_place(event));
    };
    let first = calls.first().map_or(&caller, |first| first);
    let from = match first.place == caller.place {
        true => String::new(),
        false => format!(", called from {}", line_of(&caller.place)),
    };
    let article = if order.starts_with('a') { "an" } else { "a" };
    let (at, first) = (line_of(&at.place), line_of(&first.place));
    format!("the {noun} at {at} {order} (or use {article} {order} {noun} at {first}{from})")
}

/// What C programmers call the operation.
fn noun(notation: &Notation<'_>, event: EventId) -> &'static str {
    match notation.label(event) {
        Some(Label::Read { .. }) => "load",
        Some(Label::Write { .. }) => "store",
        _ => "read-modify-write",
    }
}

/// The weakest order that keeps what the operation has and acquires.
fn acquiring(notation: &Notation<'_>, event: EventId) -> &'static str {
    if write_order(notation, event) == Some(Order::Release) { "acq_rel" } else { "acquire" }
}

/// The weakest order that keeps what the operation has and releases.
fn releasing(notation: &Notation<'_>, event: EventId) -> &'static str {
    if read_order(notation, event) == Some(Order::Acquire) { "acq_rel" } else { "release" }
}

fn after_free(
    notation: &Notation<'_>,
    access: &ViolationPlace,
    freed: &ViolationPlace,
    rules: &Rules,
) -> Explanation {
    let (use_event, free_event) = (position(notation, access), position(notation, freed));
    let (thread, at) = (notation.thread(freed.thread), in_line(&notation.place_stack(freed)));
    let at = if at.is_empty() { "an unknown place".to_owned() } else { at };
    let who = format!("{thread} ends the object's life at {at}");
    let why = if broken_hops(notation, free_event, use_event, rules).is_some() {
        vec![format!("{who}, before this access")]
    } else {
        match broken_hops(notation, use_event, free_event, rules) {
            None => vec![format!("{who}, and nothing orders that after this access")],
            Some(hops) => {
                let mut why = vec![format!("{who}, and this access need not happen before that")];
                why.extend(blame(notation, &hops).why);
                why
            }
        }
    };
    Explanation { why, help: Some("keep the object alive until the last thread is done with it".to_owned()) }
}

/// Reads that saw an old value although a newer write is there, those of the failing thread first.
fn stale_reads(notation: &Notation<'_>, violation: &Violation, rules: &Rules) -> Explanation {
    let failing = violation.places.first().map(|place| place.thread);
    let mut reads: Vec<EventId> = notation.execution.graph.rf.keys().copied().collect();
    reads.sort_by_key(|read| (Some(read.thread) != failing, read.thread, std::cmp::Reverse(read.index)));
    let mut explanation = Explanation::default();
    let pairs =
        reads.into_iter().flat_map(|read| newer_writes(notation, read).map(move |write| (read, write)));
    let mut told = None;
    for (read, write) in pairs.take(STALE_CANDIDATES) {
        if explanation.why.len() == STALE_READS {
            break;
        }
        if told == Some(read) {
            continue;
        }
        if let Some(more) = stale(notation, read, write, rules) {
            told = Some(read);
            explanation.why.extend(more.why);
            explanation.help = explanation.help.or(more.help);
        }
    }
    explanation
}

/// The writes that are co-after the one that `read` reads, oldest first, itself left out.
fn newer_writes<'a>(notation: &'a Notation<'_>, read: EventId) -> impl Iterator<Item = EventId> + 'a {
    let graph = &notation.execution.graph;
    let co = notation
        .label(read)
        .and_then(Label::at)
        .and_then(|at| graph.co.get(&at))
        .map_or(&[][..], Vec::as_slice);
    let seen = match graph.rf.get(&read) {
        Some(Source::Event(write)) => co.iter().position(|event| event == write).map_or(0, |index| index + 1),
        Some(Source::Init) | None => 0,
    };
    co[seen..].iter().copied().filter(move |&write| write != read && write.thread != read.thread)
}

/// Why `read` may miss `write`; `None` if `write` comes after it anyway.
fn stale(notation: &Notation<'_>, read: EventId, write: EventId, rules: &Rules) -> Option<Explanation> {
    if broken_hops(notation, read, write, rules).is_some() {
        return None;
    }
    let (object, read_at, write_at) =
        (notation.event_object(read), notation.event_place(read), notation.event_place(write));
    let [reader, writer] = [read.thread, write.thread].map(|thread| notation.thread(thread));
    let missed = format!(
        "{reader} reads `{object}` at {read_at} without the write of {writer} at {write_at}, which need not happen \
         before it"
    );
    let Some(hops) = broken_hops(notation, write, read, rules) else {
        return Some(Explanation { why: vec![missed], help: None });
    };
    let Explanation { why, help } = blame(notation, &hops);
    Some(Explanation { why: vec![format!("{missed}: {}", why.first()?)], help })
}
