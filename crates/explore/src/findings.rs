//! The findings of an exploration so far: numbers of executions, violations, loops that were cut.

use crate::core::construction::Construction;
use crate::core::leaks::{self, Leak};
use crate::core::shape::Shape;
use crate::core::stuck;
use crate::core::threads::Status;
use crate::outcome::{ALLOCATION, Execution, Executions, StopReason, Unmodelled, Violation, ViolationPlace};
use crate::reductions::Rooms;
use crate::{Ending, Options, replay, snapshot};
use base::{Site, ThreadId};
use live::EventRef;
use program::{Blocker, Check, Checks, FaultKind, Hint, Request, owner_of_mutex};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The findings so far.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Findings {
    pub(crate) executions: Executions,
    /// The executions that a [`crate::Control`] was told of.
    pub(crate) told: Executions,
    pub(crate) violations: Vec<Violation>,
    /// The instructions at which the unroll bound stopped threads.
    pub(crate) cut: BTreeSet<Site>,
    /// The instructions at which time was taken to stand still.
    pub(crate) clocks: BTreeSet<Site>,
    /// The first complete execution.
    pub(crate) example: Option<Execution>,
    /// Whether `main` has ended in an execution that is not complete.
    main_has_ended: bool,
    /// The errors that are violations.
    checks: Checks,
    /// The violations known already: each is reported once.
    known: BTreeSet<(FaultKind, Vec<Site>)>,
    /// Hashes of all executions, if duplicates are counted.
    seen: Option<BTreeSet<u64>>,
    want_example: bool,
    /// How the first loop met the step limit, if one did.
    pub(crate) unbounded: Option<StopReason>,
    /// What threads have reached that is not modelled.
    pub(crate) unmodelled: BTreeSet<Unmodelled>,
}

impl Findings {
    pub(crate) fn new(options: &Options) -> Findings {
        Findings {
            executions: Executions::default(),
            told: Executions::default(),
            violations: Vec::new(),
            cut: BTreeSet::new(),
            clocks: BTreeSet::new(),
            example: None,
            main_has_ended: false,
            checks: options.checks,
            known: BTreeSet::new(),
            seen: options.count_duplicates.then(BTreeSet::new),
            want_example: options.keep_example,
            unbounded: None,
            unmodelled: BTreeSet::new(),
        }
    }

    /// The exploration starts again: violations stay found, executions are counted anew.
    pub(crate) fn again(self, options: &Options) -> Findings {
        let Findings { violations, known, unbounded, .. } = self;
        Findings { violations, known, unbounded, ..Findings::new(options) }
    }

    /// Add the findings of the next part, which has started with none. Each violation counts once, where it was found first.
    pub(crate) fn append(&mut self, part: Findings) {
        let Findings { executions, violations, example, main_has_ended, seen, unbounded, unmodelled, .. } =
            part;
        for violation in violations {
            if self.known.insert(key(violation.kind, &violation.places)) {
                let number = self.executions.total() + violation.number;
                self.violations.push(Violation { number, ..violation });
            }
        }
        self.executions = self.executions.and(executions);
        if let (Some(seen), Some(more)) = (&mut self.seen, seen) {
            self.executions.duplicate += more.into_iter().filter(|&hash| !seen.insert(hash)).count() as u64;
        }
        self.cut.extend(part.cut);
        self.clocks.extend(part.clocks);
        self.example = self.example.take().or(example);
        self.want_example &= self.example.is_none();
        self.main_has_ended |= main_has_ended;
        self.unbounded = self.unbounded.take().or(unbounded);
        self.unmodelled.extend(unmodelled);
    }

    /// The reason for no verdict, if threads have reached something that is not modelled. Not everything else was explored
    /// because of `also`.
    pub(crate) fn unmodelled(&self, also: Option<StopReason>) -> Option<StopReason> {
        let reached: Vec<Unmodelled> = self.unmodelled.iter().cloned().collect();
        (!reached.is_empty()).then(|| StopReason::Unmodelled { reached, also: also.map(Box::new) })
    }

    /// Whether `main` has ended in no execution so far.
    pub(crate) fn are_vacuous(&self) -> bool {
        self.executions.complete == 0 && !self.main_has_ended
    }

    /// No thread can take a step: count the execution.
    #[inline(always)]
    pub(crate) fn count<P: Hint, C: Shape>(
        &mut self,
        build: &Construction<'_, P, C>,
        complete: bool,
    ) -> Ending {
        if self.want_example || self.seen.is_some() {
            self.keep(build);
        }
        if build.facts.looks_at_clocks {
            self.clocks
                .extend(build.threads.existing().flat_map(|(_, now)| build.program.clocks(&now.state)));
        }
        if complete {
            self.executions.complete += 1;
            return Ending::Complete;
        }
        for (_, now) in
            build.threads.existing().filter(|(_, now)| now.status == Status::Blocked(Blocker::Unroll))
        {
            self.cut.insert(build.program.site(&now.state));
        }
        let ending = stuck::ending(build);
        let is_wrong = ending == Ending::Spinning && self.checks.has(Check::Liveness);
        let is_over = !is_wrong && stuck::is_over(build);
        *(if is_over { &mut self.executions.complete } else { &mut self.executions.blocked }) += 1;
        self.main_has_ended |= stuck::main_has_ended(build);
        ending
    }

    #[cold]
    fn keep<P: Hint, C: Shape>(&mut self, build: &Construction<'_, P, C>) {
        if self.want_example {
            self.example = Some(snapshot::execution(build));
            self.want_example = false;
        }
        if let Some(seen) = &mut self.seen {
            // The hash stands for the graph: two graphs with one hash would count as duplicates, so this is the careful
            // hasher of the standard library, not a quick one for tables.
            let mut hasher = DefaultHasher::new();
            match C::OPENS_LOCKS {
                // What is left of the graph without the order of sections is the class.
                true => snapshot::graph_without_co(build).hash(&mut hasher),
                false => snapshot::graph(build).hash(&mut hasher),
            }
            if !seen.insert(hasher.finish()) {
                self.executions.duplicate += 1;
            }
        }
    }

    /// A loop was cut in a choice that is not explored.
    pub(crate) fn cut(&mut self, site: Site) {
        self.cut.insert(site);
    }

    /// `a` and `b` race. True if that is new.
    #[cold]
    pub(crate) fn race<P: Hint, C: Shape>(
        &mut self,
        build: &Construction<'_, P, C>,
        a: EventRef,
        b: EventRef,
    ) -> bool {
        // In the order of their names: it is an accident which one was added first.
        let (a, b) = if build.pairs().id(a) < build.pairs().id(b) { (a, b) } else { (b, a) };
        let places = [(a, b), (b, a)].map(|(e, other)| race_place(build, e, other));
        let message = format!("{} races with {}", places[0].role, places[1].role);
        self.report(build, FaultKind::DataRace, message, places.into())
    }

    /// `free` frees the memory that `access` accesses, and nothing orders them.
    #[cold]
    pub(crate) fn free_race<P: Hint, C: Shape>(
        &mut self,
        build: &Construction<'_, P, C>,
        access: EventRef,
        free: EventRef,
    ) -> bool {
        let place_of_access = match (build.graph.event(access).kind.is_access(), &build.before(free).request)
        {
            (false, &Request::Free { address, .. }) => {
                allocation_place(build, access, build.objects.never_written(address))
            }
            _ => place(build, access, describe(build, access)),
        };
        let message = format!("free races with {}", place_of_access.role);
        let places = vec![place_of_access, place(build, free, "freed here".to_owned())];
        self.report(build, FaultKind::UseAfterFree, message, places)
    }

    /// Threads that have done something wrong. True if something is new.
    pub(crate) fn faults<P: Hint, C: Shape>(&mut self, build: &Construction<'_, P, C>) -> bool {
        let mut new = false;
        for (thread, now) in build.threads.existing() {
            let Request::Fault(fault) = &now.request else { continue };
            let site = build.program.site(&now.state);
            let mut places = vec![ViolationPlace { thread, event: None, site, role: "here".to_owned() }];
            if let Some(related) = fault.related {
                let event = made_at(build, related).filter(|_| fault.kind != FaultKind::UncaughtException);
                let other = ViolationPlace {
                    thread: event.map_or(thread, |e| build.graph.event(e).thread),
                    event: event.map(|e| build.pairs().id(e)),
                    site: related,
                    role: related_role(fault.kind).to_owned(),
                };
                // An exception is told of where it was thrown; where it ends the program comes after that.
                let first = fault.kind == FaultKind::UncaughtException;
                places.insert(if first { 0 } else { places.len() }, other);
            }
            new |= self.report(build, fault.kind, fault.message.clone(), places);
        }
        new
    }

    /// Note what threads have reached that is not modelled; they stop there, and the others go on. Returns a thread that only
    /// runs for too long, where, and why that is no end.
    pub(crate) fn refusals<P: Hint, C: Shape>(
        &mut self,
        build: &Construction<'_, P, C>,
    ) -> Option<(ThreadId, Site, StopReason)> {
        for (thread, now) in build.threads.existing() {
            let Request::Refuse(refusal) = &now.request else { continue };
            let site = refusal.site.unwrap_or_else(|| build.program.site(&now.state));
            let message = refusal.message.clone();
            if refusal.endless {
                return Some((thread, site, StopReason::Unsupported { message, site: Some(site), thread }));
            }
            self.unmodelled.insert(Unmodelled { site, message, thread });
        }
        None
    }

    /// The threads wait for each other. True if that is new.
    #[cold]
    pub(crate) fn deadlock<P: Hint, C: Shape>(&mut self, build: &Construction<'_, P, C>) -> bool {
        let unfinished = || build.threads.existing().filter(|(_, now)| now.status != Status::Finished);
        let places = unfinished().map(|(thread, now)| {
            let last = || build.graph.po(thread).last().map(|&e| build.pairs().id(e));
            let (event, role) = match now.status {
                Status::Locked => (last(), lock_role(build, thread)),
                Status::Blocked(Blocker::Sleep { .. }) => {
                    (last(), "waits on a condition variable, and nobody wakes it up".to_owned())
                }
                _ if stuck::spins(now) => (last(), "spins for ever".to_owned()),
                _ if matches!(now.request, Request::Depart(_)) => {
                    (last(), "waits at a barrier that others do not reach".to_owned())
                }
                _ => (None, join_role(&now.request)),
            };
            ViolationPlace { thread, event, site: build.program.site(&now.state), role }
        });
        // Threads that wait for a lock are the cause; those that spin or join them are the consequence.
        let spins = |place: &ViolationPlace| stuck::spins(build.threads.get(place.thread));
        let mut places: Vec<ViolationPlace> = places.collect();
        places.sort_by_key(|place| (spins(place), place.event.is_none()));
        self.report(build, FaultKind::Deadlock, "every unfinished thread waits".to_owned(), places)
    }

    /// Threads spin for ever. True if that is new.
    #[cold]
    pub(crate) fn liveness<P: Hint, C: Shape>(&mut self, build: &Construction<'_, P, C>) -> bool {
        let unfinished = || build.threads.existing().filter(|(_, now)| now.status != Status::Finished);
        let last = |thread| build.graph.po(thread).last().map(|&e| build.pairs().id(e));
        let places = unfinished().map(|(thread, now)| {
            let (event, role) = match now.status {
                Status::Blocked(Blocker::Sleep { .. }) => {
                    (last(thread), "waits on a condition variable, and nobody wakes it up".to_owned())
                }
                _ if stuck::spins(now) => (last(thread), "spins for ever".to_owned()),
                Status::Locked => (last(thread), lock_role(build, thread)),
                _ => (None, join_role(&now.request)),
            };
            ViolationPlace { thread, event, site: build.program.site(&now.state), role }
        });
        let mut places: Vec<ViolationPlace> = places.collect();
        let spins = |place: &ViolationPlace| stuck::spins(build.threads.get(place.thread));
        places.sort_by_key(|place| (!spins(place), place.event.is_none()));
        let message = "a thread spins for ever: nobody will write what it waits for".to_owned();
        self.report(build, FaultKind::Liveness, message, places)
    }

    /// Memory is lost. True if that is new.
    #[cold]
    pub(crate) fn leaks<P: Hint, C: Shape>(&mut self, build: &Construction<'_, P, C>) -> bool {
        let mut new = false;
        for Leak { site, thread, size } in leaks::leaks(build) {
            let place = ViolationPlace { thread, event: None, site, role: ALLOCATION.to_owned() };
            let message = format!("{size} bytes are never freed, and nothing points to them at the end");
            new |= self.report(build, FaultKind::Leak, message, vec![place]);
        }
        new
    }

    fn report<P: Hint, C: Shape>(
        &mut self,
        build: &Construction<'_, P, C>,
        kind: FaultKind,
        message: String,
        places: Vec<ViolationPlace>,
    ) -> bool {
        if !self.checks.count(kind) {
            if let Some(message) = self.checks.unknown_after(kind, &message) {
                let ViolationPlace { site, thread, .. } = places[0];
                self.unmodelled.insert(Unmodelled { site, message, thread });
            }
            return false;
        }
        if !self.known.insert(key(kind, &places)) {
            return false;
        }
        let execution = snapshot::execution(build);
        let number = self.executions.total() + 1;
        let replay = replay::write(build);
        self.violations.push(Violation { kind, message, places, execution, number, replay });
        true
    }
}

/// Violations with the same key are one.
fn key(kind: FaultKind, places: &[ViolationPlace]) -> (FaultKind, Vec<Site>) {
    let mut sites: Vec<Site> = places.iter().map(|place| place.site).collect();
    sites.sort();
    (kind, sites)
}

fn lock_role<P: Hint, C: Shape>(build: &Construction<'_, P, C>, thread: ThreadId) -> String {
    let read = build.graph.event(*build.graph.po(thread).last().expect("it has read the mutex"));
    if !matches!(build.threads.get(thread).request, Request::Lock { .. }) {
        return "waits until others give back what it needs".to_owned();
    }
    match build.graph.value(read.rf).and_then(owner_of_mutex) {
        Some(owner) if owner == thread => "waits for a mutex that it owns itself".to_owned(),
        Some(owner) => format!("waits for a mutex that thread {owner} owns"),
        None => "waits for a mutex".to_owned(),
    }
}

fn join_role(request: &Request) -> String {
    match request {
        Request::Join { thread } => format!("waits for thread {thread}"),
        _ => "waits".to_owned(),
    }
}

/// The role of the other place of a fault.
fn related_role(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::UseAfterFree | FaultKind::DoubleFree => "freed here",
        FaultKind::UncaughtException => "thrown here",
        _ => "before",
    }
}

/// An event that comes from this instruction.
fn made_at<P: Hint, C: Shape>(build: &Construction<'_, P, C>, site: Site) -> Option<EventRef> {
    let threads = build.graph.thread_ids();
    threads
        .flat_map(|t| build.graph.po(t).iter().copied())
        .find(|&e| matches!(build.before(e).request, Request::Free { .. }) && build.site(e) == site)
}

/// The place of `e`, which races with `other`.
fn race_place<P: Hint, C: Shape>(
    build: &Construction<'_, P, C>,
    e: EventRef,
    other: EventRef,
) -> ViolationPlace {
    if build.graph.event(e).kind.is_access() {
        return place(build, e, describe(build, e));
    }
    let location = build.graph.event(other).location;
    allocation_place(build, e, build.objects.unwritten(&build.graph, location))
}

/// The place of a publication that races: it stands for the write of the published bytes, or, if they were never
/// written, for their allocation at `unwritten`.
fn allocation_place<P: Hint, C: Shape>(
    build: &Construction<'_, P, C>,
    publication: EventRef,
    unwritten: Option<Site>,
) -> ViolationPlace {
    let place = |role| place(build, publication, role);
    match unwritten {
        Some(site) => ViolationPlace { site, ..place(ALLOCATION.to_owned()) },
        None => place(describe(build, publication)),
    }
}

fn place<P: Hint, C: Shape>(build: &Construction<'_, P, C>, e: EventRef, role: String) -> ViolationPlace {
    let id = build.pairs().id(e);
    ViolationPlace { thread: id.thread, event: Some(id), site: build.site(e), role }
}

/// An access in words.
fn describe<P: Hint, C: Shape>(build: &Construction<'_, P, C>, e: EventRef) -> String {
    let kind = build.graph.event(e).kind;
    if !kind.is_access() {
        return "initialisation before it was published".to_owned();
    }
    let what = match (kind.reads(), kind.writes()) {
        (true, true) => "read-modify-write",
        (false, _) => "write",
        (true, false) => "read",
    };
    if kind.is_plain() { what.to_owned() } else { format!("atomic {what}") }
}
