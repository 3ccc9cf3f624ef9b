//! The effects of requests in a run: events, answers and faults.
//!
//! `program/meaning.rs` says what a request reads, writes and answers; a run takes one of the possible ways, not all.
//! Condition variables are simpler here: a thread that sleeps is woken up by a notification that comes later in the
//! run, or without reason.

use crate::choices::Of;
use crate::location::{INIT, Write};
use crate::memory::{Choice, LocationIndex, Other, Place};
use crate::run::{For, Run, Status, Stop};
use crate::trail::{Chosen, event_id};
use base::{Access, FenceOrder, ReadOrder, RmwOrder, ThreadId, Value, WriteOrder};
use graph::{Label, Source};
use program::{
    Check, Departure, Fault, FaultKind, Gate, Hint, MAX_THREADS, MUTEX_DESTROYED, Reading, Refusal, Request,
    Storage, Wakes,
};

type Done = Result<(), Stop>;

impl<P: Hint> Run<'_, P> {
    /// Make the step that a thread asks for.
    #[inline]
    pub(crate) fn step(&mut self, thread: usize) -> Done {
        match self.threads[thread].request {
            Request::Read { at, order } => self.load(thread, at, order),
            Request::Write { at, value, order } => self.store(thread, at, value, order),
            Request::Rmw { at, .. } | Request::Lock { at } | Request::Await { at, .. } => {
                self.modify(thread, at)
            }
            Request::Unlock { at } => self.unlock(thread, at),
            Request::Depart(departure) => self.depart(thread, departure),
            Request::Fence(FenceOrder::SeqCst) if self.memory.sc_fence_is_update() => {
                let location = self.objects.always(&mut self.memory, model::ra::SC_FENCE);
                self.read(thread, location, self.newest(location))
            }
            Request::Fence(order) => {
                self.memory.fence(thread, order);
                self.done_with(thread, Label::Fence(order), Chosen::Greedy, 0)
            }
            Request::Choose { values } => {
                let values = usize::try_from(program::tried(values)).unwrap_or(usize::MAX);
                let number = self.choices.pick(values, Of::Others);
                self.chosen = number as u32;
                self.memory.other(thread);
                let number = number as u64;
                self.done_with(thread, Label::Choose(number), number_or_greedy(number), number)
            }
            Request::Sleep { on, again, timed } => {
                let wakes = self.threads[thread].notified || !timed || again;
                let answer = if wakes { u64::from(again) } else { 1 };
                self.memory.other(thread);
                self.done_with(thread, Label::Sleep(on, answer), number_or_greedy(answer), answer)
            }
            Request::Notify { on, wakes } => self.notify(thread, on, wakes),
            Request::Create { function, argument } => self.create(thread, function, argument),
            Request::Join { thread: child } => self.join(thread, child),
            Request::Publish(ref objects) => {
                let objects = objects.clone();
                let position = self.memory.other(thread);
                self.objects.publish(Other { thread, position }, &objects);
                let label =
                    Label::Publish(objects.iter().map(|o| (o.address, o.bytes.len() as u64)).collect());
                self.done_with(thread, label, Chosen::Greedy, 0)
            }
            Request::Free { address, storage } => self.free(thread, address, storage),
            ref request => unreachable!("{request:?} is no step"),
        }
    }

    /// An event without a location is made: write it to the trail and answer the thread.
    fn done_with(&mut self, thread: usize, label: Label, chosen: Chosen, answer: Value) -> Done {
        self.events += 1;
        if let Some(trail) = &mut self.trail {
            trail.step(thread, chosen);
            trail.event(thread, label, None);
        }
        self.answer(thread, answer);
        Ok(())
    }

    // --- reads ----------------------------------------------------------------------------------------------------

    #[inline]
    fn load(&mut self, thread: usize, at: Access, order: ReadOrder) -> Done {
        let location = self.locate(thread, at, order == ReadOrder::NotAtomic)?;
        let is_sc = order == ReadOrder::SeqCst;
        if is_sc {
            self.memory.expect_sc();
        }
        let first = self.memory.first(thread, location, is_sc);
        let newest = self.newest(location);
        let source = if first < newest && self.memory.has_psc() {
            self.source(thread, location).expect("the co-last write can be read")
        } else {
            let back = self.pick(newest - first + 1, Of::Sources);
            self.chosen = back as u32;
            newest - back
        };
        let value = self.value(location, source);
        self.read_event(thread, location, source, Reading::read(order, value))?;
        self.answer(thread, value);
        Ok(())
    }

    /// A read-modify-write, or a read that may have to wait.
    fn modify(&mut self, thread: usize, at: Access) -> Done {
        let location = self.locate(thread, at, false)?;
        match self.threads[thread].request {
            Request::Rmw { order, failure, .. }
                if order == RmwOrder::SeqCst || failure == ReadOrder::SeqCst =>
            {
                self.memory.expect_sc();
            }
            Request::Lock { .. } if self.newest_value(location) == MUTEX_DESTROYED => {
                let newest = self.newest(location);
                self.read_event(thread, location, newest, self.reading(thread, location, newest))?;
                return Err(self.found(thread, Fault::of_destroyed_lock()));
            }
            _ => {}
        }
        match self.source(thread, location) {
            Some(source) => self.read(thread, location, source),
            None => self.wait(location),
        }
    }

    /// Let a thread read this write, which does not make it wait, and give it the answer.
    fn read(&mut self, thread: usize, location: LocationIndex, source: usize) -> Done {
        let reading = self.reading(thread, location, source);
        self.read_event(thread, location, source, reading)?;
        self.answer(thread, reading.answer.expect("the thread goes on"));
        Ok(())
    }

    /// A thread that leaves a barrier reads the slots of all, once all have arrived.
    fn depart(&mut self, thread: usize, departure: Departure) -> Done {
        let slot = |address: u64| self.objects.known(Access { address, size: 1 });
        match departure.gate(|address| slot(address).map_or(0, |slot| self.newest_value(slot))) {
            Gate::Crowded => Err(Stop::Refused(Refusal::of_crowded_barrier())),
            Gate::Shut => Err(Stop::Waits(For::Others)),
            Gate::Open(address) => {
                let slot = slot(address).expect("a thread has arrived there");
                self.read(thread, slot, self.newest(slot))
            }
        }
    }

    /// The choice of one of `n` writes; the newest in a sequential run.
    #[inline]
    fn pick(&mut self, n: usize, of: Of) -> usize {
        self.choices.pick(if self.sequential { n.min(1) } else { n }, of)
    }

    fn wait<T>(&mut self, location: LocationIndex) -> Result<T, Stop> {
        self.memory.locations[location].waited_for = true;
        Err(Stop::Waits(For::Location(location)))
    }

    fn value(&self, location: LocationIndex, source: usize) -> Value {
        self.memory.locations[location].writes[source].value.unwrap_or(0)
    }

    /// The co-last write of a location.
    #[inline]
    fn newest(&self, location: LocationIndex) -> usize {
        self.memory.locations[location].writes.len() - 1
    }

    pub(crate) fn newest_value(&self, location: LocationIndex) -> Value {
        self.value(location, self.newest(location))
    }

    /// The read or read-modify-write that the request of a thread becomes if it reads this write.
    fn reading(&self, thread: usize, location: LocationIndex, source: usize) -> Reading {
        let address = self.memory.locations[location].access.address;
        let value = self.value(location, source);
        self.threads[thread].request.reading(ThreadId(thread as u32), value, || address)
    }

    /// One of the writes that a thread can read without having to wait, if there is one.
    fn source(&mut self, thread: usize, location: LocationIndex) -> Option<usize> {
        let mut firsts = [None; 2];
        let mut first = |is_sc: bool| {
            *firsts[usize::from(is_sc)].get_or_insert_with(|| self.memory.first(thread, location, is_sc))
        };
        let earliest = first(false);
        let (request, reader) = (&self.threads[thread].request, ThreadId(thread as u32));
        let at = &self.memory.locations[location];
        let has_psc = self.memory.has_psc();
        let mut fits = |source: usize| {
            let write = &at.writes[source];
            let reading = request.reading(reader, write.value.unwrap_or(0), || at.access.address);
            let Reading { order, written, answer: Some(_) } = reading else { return false };
            let (is_left, choice) = match written {
                None => (true, Choice::Read(order)),
                Some(_) => (!write.updated, Choice::Update(request.update_order())),
            };
            is_left
                && source >= first(order == ReadOrder::SeqCst)
                && (!has_psc || self.memory.allows(thread, location, source, choice))
        };
        self.scratch.clear();
        self.scratch.extend((earliest..at.writes.len()).rev().filter(|&source| fits(source)));
        let back = self.pick(self.scratch.len(), Of::Sources);
        self.chosen = back as u32;
        self.scratch.get(back).copied()
    }

    /// Make the event of a read that reads this write.
    #[inline]
    fn read_event(
        &mut self,
        thread: usize,
        location: LocationIndex,
        source: usize,
        reading: Reading,
    ) -> Done {
        let site = self.program.site(&self.threads[thread].state);
        let place = Place { thread, location, site };
        let at = &self.memory.locations[location];
        let (access, newest) = (at.access, at.writes.len() - 1);
        let write = &at.writes[source];
        let (value, from) = (write.value, source_of(write));
        self.cover(place, source);
        let read = value.unwrap_or(0);
        let Reading { order, written, .. } = reading;
        let (is_plain, writes) = (order == ReadOrder::NotAtomic, written.is_some());
        self.changed = written.is_some_and(|(written, _)| written != read);
        let label = match written {
            None => {
                self.memory.read(place, source, order);
                Label::Read { at: access, order, value: read }
            }
            Some((written, _)) => {
                let order = self.threads[thread].request.update_order();
                self.memory.update(place, source, written, order);
                Label::Rmw { at: access, order, read, written }
            }
        };
        self.events += 1;
        self.accessed = Some((access, writes));
        if let Some(trail) = &mut self.trail {
            trail.step(thread, if source == newest { Chosen::Greedy } else { Chosen::From(from) });
            trail.event(thread, label, Some(from));
            trail.read(thread, (site, location, read), self.changed);
            if writes {
                trail.place(thread, access, from);
            }
        }
        if writes {
            self.written(location);
        }
        self.check_race(place, is_plain, writes)?;
        if value.is_none() && !self.program.is_copy(&self.threads[thread].state) {
            return Err(self.found(thread, Fault::of_uninitialised_read(access.size)));
        }
        Ok(())
    }

    /// Count the source of a read for the coverage, if there is one.
    #[inline]
    fn cover(&mut self, place: Place, source: usize) {
        let Some(seen) = self.seen.as_deref_mut() else { return };
        let write = &self.memory.locations[place.location].writes[source];
        let reader = &self.memory.threads[place.thread];
        let is_known = write.thread == INIT || reader.known.hb.get(write.thread as usize) >= write.position;
        let (reads, wrote) = ((place.thread as u32, reader.events), (write.thread, write.position));
        seen.read(reads, place.site, wrote, write.site, is_known);
    }

    // --- writes ---------------------------------------------------------------------------------------------------

    #[inline]
    fn store(&mut self, thread: usize, at: Access, value: Value, order: WriteOrder) -> Done {
        let location = self.locate(thread, at, order == WriteOrder::NotAtomic)?;
        self.write_event(thread, location, value, order)?;
        self.answer(thread, 0);
        Ok(())
    }

    fn unlock(&mut self, thread: usize, at: Access) -> Done {
        let location = self.locate(thread, at, false)?;
        let word = self.memory.locations[location].writes.last().and_then(|write| write.value);
        if let Some(fault) = Fault::of_unlock(ThreadId(thread as u32), word) {
            return Err(self.failed(thread, fault));
        }
        let (value, order) = self.threads[thread].request.writing();
        self.write_event(thread, location, value, order)?;
        self.answer(thread, 0);
        Ok(())
    }

    #[inline]
    fn write_event(
        &mut self,
        thread: usize,
        location: LocationIndex,
        value: Value,
        order: WriteOrder,
    ) -> Done {
        let site = self.program.site(&self.threads[thread].state);
        let place = Place { thread, location, site };
        if order == WriteOrder::SeqCst {
            self.memory.expect_sc();
        }
        let first = self.memory.first(thread, location, order == WriteOrder::SeqCst);
        let memory = &self.memory;
        let at = &memory.locations[location];
        let (access, newest) = (at.access, at.writes.len() - 1);
        let mut after = newest;
        if first < newest {
            let has_psc = memory.has_psc();
            let open = |&place: &usize| {
                !at.writes[place].updated
                    && (!has_psc || memory.allows(thread, location, place, Choice::Write(order)))
            };
            self.scratch.clear();
            self.scratch.extend((first..=newest).rev().filter(open));
            let n = if self.sequential { 1 } else { self.scratch.len() };
            let back = self.choices.pick(n, Of::Places);
            self.chosen = back as u32;
            after = self.scratch[back];
        }
        let previous = source_of(&at.writes[after]);
        self.memory.write(place, after, value, order);
        self.events += 1;
        self.accessed = Some((access, true));
        if let Some(trail) = &mut self.trail {
            trail.step(thread, if after == newest { Chosen::Greedy } else { Chosen::After(previous) });
            trail.event(thread, Label::Write { at: access, order, value }, None);
            trail.place(thread, access, previous);
        }
        self.written(location);
        self.check_race(place, order == WriteOrder::NotAtomic, true)
    }

    /// There is a new write: threads that wait for it try again, and old writes may be dropped.
    #[inline]
    fn written(&mut self, location: LocationIndex) {
        let at = &mut self.memory.locations[location];
        let size = at.access.size;
        if std::mem::take(&mut at.waited_for) {
            self.release(For::Location(location));
        }
        if size == 1 {
            self.release(For::Others);
        }
        if self.memory.locations[location].is_full() {
            let alive = self.alive();
            self.memory.prune(location, &alive);
        }
    }

    #[inline]
    fn check_race(&mut self, place: Place, is_plain: bool, writes: bool) -> Done {
        if !self.limits.checks.has(Check::Race) {
            return Ok(());
        }
        let Place { thread, location, .. } = place;
        let init = self.objects.unordered_init(&self.memory, thread, location);
        match init.or_else(|| self.memory.race(place, is_plain, writes)) {
            None => Ok(()),
            Some(other) => {
                let name = event_id(other.thread as u32, other.position);
                let message = format!("access races with event {name}");
                Err(self.found(thread, Fault { kind: FaultKind::DataRace, message, related: None }))
            }
        }
    }

    // --- everything else ------------------------------------------------------------------------------------------

    fn notify(&mut self, thread: usize, on: u64, wakes: Wakes) -> Done {
        let sleeps = |run: &Self, &sleeper: &usize| matches!(run.threads[sleeper].request, Request::Sleep { on: other, .. } if other == on);
        let sleepers: Vec<usize> = self.asleep.iter().copied().filter(|s| sleeps(self, s)).collect();
        match wakes {
            Wakes::All => sleepers.iter().for_each(|&sleeper| self.wake(sleeper, true)),
            Wakes::One if sleepers.is_empty() => {}
            Wakes::One => {
                let one = self.choices.pick(sleepers.len(), Of::Others);
                self.chosen = one as u32;
                self.wake(sleepers[one], true);
            }
        }
        self.memory.other(thread);
        self.done_with(thread, Label::Notify(on), Chosen::Greedy, 0)
    }

    fn create(&mut self, thread: usize, function: Value, argument: Value) -> Done {
        if self.threads.len() >= MAX_THREADS {
            return Err(Stop::Refused(Refusal::of_too_many_threads()));
        }
        let child = ThreadId(self.threads.len() as u32);
        self.memory.other(thread);
        self.done_with(thread, Label::Create(child), Chosen::Greedy, Value::from(child.0))?;
        let state = self.program.start(child, function, argument);
        self.start(Some(thread), state).map_err(Stop::End)
    }

    fn join(&mut self, thread: usize, child: ThreadId) -> Done {
        let Some(now) = self.threads.get(child.index()) else {
            return Err(self.failed(thread, Fault::of_unknown_join()));
        };
        let Status::Finished(value) = now.status else {
            return Err(Stop::Waits(For::Thread(child.index())));
        };
        if now.joined {
            return Err(self.failed(thread, Fault::of_second_join()));
        }
        self.threads[child.index()].joined = true;
        self.memory.other(thread);
        self.memory.join(thread, child.index());
        self.done_with(thread, Label::Join(child), Chosen::Greedy, value)
    }

    fn free(&mut self, thread: usize, address: u64, storage: Storage) -> Done {
        let fault = match self.objects.starting_at(address) {
            Some((found, false)) if found == storage => {
                let site = self.program.site(&self.threads[thread].state);
                self.memory.other(thread);
                let race = self.objects.free(&mut self.memory, thread, address);
                self.release_all();
                self.done_with(thread, Label::Free(address), Chosen::Greedy, 0)?;
                if race.is_some() {
                    let message = "free races with an access".to_owned();
                    let fault = Fault { kind: FaultKind::UseAfterFree, message, related: None };
                    return Err(self.found_at(thread, site, fault));
                }
                return Ok(());
            }
            None if self.is_private_elsewhere(thread, address) => {
                return Err(Stop::Refused(Refusal::of_disguised_pointer()));
            }
            Some((_, true)) => Fault::of_double_free(address),
            _ => Fault::of_invalid_free(address, self.objects.inside(address)),
        };
        Err(self.failed(thread, fault))
    }

    /// Show a deadlock in the trail: a thread that waits for a mutex or the like with the value that it reads, a thread
    /// that sleeps with the answer that it does not wake up.
    pub(crate) fn show_waiting(&mut self) {
        for thread in 0..self.threads.len() {
            let (status, request) = (self.threads[thread].status, &self.threads[thread].request);
            let Some(trail) = &mut self.trail else { return };
            match (status, request) {
                (Status::Waits(For::Location(location)), _) => {
                    let at = &self.memory.locations[location];
                    let newest = at.writes.last().expect("there is always a write");
                    let value = newest.value.unwrap_or(0);
                    let order = request.reading(ThreadId(thread as u32), value, || at.access.address).order;
                    trail.step(thread, Chosen::Greedy);
                    let label = Label::Read { at: at.access, order, value };
                    trail.event(thread, label, Some(source_of(newest)));
                }
                (Status::Asleep, &Request::Sleep { on, again, .. }) => {
                    let answer = u64::from(!again);
                    trail.step(thread, number_or_greedy(answer));
                    trail.event(thread, Label::Sleep(on, answer), None);
                }
                _ => {}
            }
        }
    }
}

fn source_of(write: &Write) -> Source {
    if write.thread == INIT { Source::Init } else { Source::Event(event_id(write.thread, write.position)) }
}

fn number_or_greedy(number: u64) -> Chosen {
    if number == 0 { Chosen::Greedy } else { Chosen::Number(number) }
}
