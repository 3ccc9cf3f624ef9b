//! Peeling: reads and their sources, writes and their places, sweeps and revisits. `explorer.rs` describes the
//! algorithm.

use crate::core::explorer::{Explorer, Go};
use crate::core::frame::{Frame, Read, ReadStage, Revisit, RevisitStage, Sweep, Write, WriteStage};
use crate::core::shape::Shape;
use crate::core::threads::Status;
use crate::reductions::Rooms;
use base::ThreadId;
use live::{EventRef, LocationId};
use program::{Blocker, Hint};

impl<P: Hint, C: Shape> Explorer<'_, P, C> {
    // --- reads ----------------------------------------------------------------------------------------------------

    #[inline(always)]
    pub(super) fn begin_read(&mut self, thread: ThreadId, location: LocationId) -> Go {
        let r = self.build.push_read(thread, location);
        if C::HAS_BLOCKS && self.options.audit {
            self.build.audit_read(r);
        }
        let u = self.build.graph.first_source(r);
        self.read(Read { r, u, clash: EventRef::NONE, oldest: u32::MAX, stage: ReadStage::Bind })
    }

    pub(super) fn read(&mut self, mut read: Read) -> Go {
        loop {
            match read.stage {
                ReadStage::Bind => {
                    if let Some(go) = self.bind_forward(&mut read) {
                        return go;
                    }
                }
                ReadStage::Place => {
                    if read.clash.is_none() {
                        self.build.place(read.u, read.r);
                        read.stage = ReadStage::Undo { placed: true };
                        self.note_update(read.r);
                        if self.is_refuted() {
                            return Go::Continue;
                        }
                        if self.build.hooks().is_canonical(read.r) && self.build.admits_update(read.r) {
                            self.stack.push(Frame::Read(read));
                            return self.enter(read.r);
                        }
                    } else {
                        read.stage = ReadStage::Undo { placed: false };
                    }
                }
                ReadStage::Undo { placed } => {
                    if placed {
                        self.build.unplace(read.r);
                    }
                    self.build.unbind(read.r);
                    if !self.next_source(&mut read) {
                        self.build.pop(read.r);
                        return Go::Continue;
                    }
                }
            }
        }
    }

    /// Bind `r` to `u`. Returns the next move; `None` if the next stage makes it.
    #[inline(always)]
    fn bind_forward(&mut self, read: &mut Read) -> Option<Go> {
        let &mut Read { r, u, .. } = read;
        read.clash = self.build.graph.update_of(u);
        if !C::HAS_CO {
            // Only `clash` itself decides whether to prune.
        } else if read.clash.is_some() {
            // `clash` must become co-last in a sweep: everything co-after it must be younger. Pruning only.
            let stamp = self.build.graph.event(read.clash).stamp;
            // (Among symmetric threads, an event that is not co-last may be peeled, too.)
            let stuck = stamp > read.oldest && !self.build.reductions.symmetry.any();
            read.oldest = read.oldest.min(stamp);
            if stuck && self.build.would_write(r, u) {
                if !self.next_source(read) {
                    self.build.pop(r);
                    return Some(Go::Continue);
                }
                return None;
            }
        } else if let next = self.build.graph.co_next(u)
            && next.is_some()
        {
            read.oldest = read.oldest.min(self.build.graph.event(next).stamp);
        }
        if self.bind(r, u) {
            read.stage = ReadStage::Place;
            if !self.build.admits_pending(r) {
                read.stage = ReadStage::Undo { placed: false };
                return None;
            }
            // Two read-modify-writes read `u`: that is no execution, but `r` may revisit the other one, or an older
            // read; not if the other one is in its own prefix.
            let hopeless = read.clash.is_some() && self.build.graph.is_stuck(read.clash, r);
            if !hopeless && self.build.graph.has_read_outside(r) {
                self.stack.push(Frame::Read(*read));
                return Some(self.begin_sweep(r, read.clash));
            }
            return None;
        }
        read.stage = ReadStage::Undo { placed: false };
        if self.build.hooks().is_canonical(r) && (self.build.graph.is_top(u) || self.build.admits(r, r)) {
            self.check_race(r);
            if !self.drops(r, u) {
                self.stack.push(Frame::Read(*read));
                return Some(self.go_on(Go::Visit));
            }
        }
        None
    }

    /// On to the next source, unless the current one is the last.
    #[inline(always)]
    fn next_source(&mut self, read: &mut Read) -> bool {
        let next = self.build.graph.next_source(read.r, read.u);
        read.stage = ReadStage::Bind;
        if next.is_some() {
            read.u = next;
        }
        next.is_some()
    }

    /// The graph with `e`, which has its source and its place, is consistent: look for races and visit it.
    #[inline(always)]
    fn enter(&mut self, e: EventRef) -> Go {
        self.check_race(e);
        self.go_on(Go::Visit)
    }

    /// The read-modify-write `e` got its place.
    #[inline(always)]
    fn note_update(&self, e: EventRef) {
        self.build.hooks().note_place(e);
        self.build.hooks().note_write(e);
    }

    /// Let `r` read from `u`; whether it writes. A source that the observer forbids blocks the thread.
    #[inline(always)]
    fn bind(&mut self, r: EventRef, u: EventRef) -> bool {
        let writes = self.build.bind(r, u);
        if self.forbids && !u.is_init() {
            let (reader, writer) = (self.build.graph.event(r).thread, self.build.graph.event(u).thread);
            if self.observer.forbids(reader, writer) {
                self.build.block(r);
            }
        }
        writes
    }

    /// Drop the choice of `r` if it is pointless, and note the loop that the unroll bound cuts there; whether it is
    /// dropped.
    #[inline(always)]
    fn drops(&mut self, r: EventRef, source: EventRef) -> bool {
        let drops = self.build.hooks().is_pointless(r, source);
        let now = self.build.threads.get(self.build.graph.event(r).thread);
        if drops && now.status == Status::Blocked(Blocker::Unroll) {
            self.findings.cut(self.build.program.site(&now.state));
        }
        drops
    }

    // --- writes ---------------------------------------------------------------------------------------------------

    #[inline(always)]
    pub(super) fn begin_write(&mut self, thread: ThreadId, location: LocationId) -> Go {
        let w = self.build.push_write(thread, location);
        self.build.hooks().note_write(w);
        if self.is_refuted() {
            self.build.pop(w);
            return Go::Continue;
        }
        let p = self.build.graph.tail(location);
        if self.build.race(w).is_some() {
            // Wherever it goes in co: last is always consistent.
            self.build.place(p, w);
            self.check_race(w);
            self.build.unplace(w);
        }
        let write = Write { w, p, stage: WriteStage::Place };
        if self.end.is_none() && self.build.graph.has_read_outside(w) {
            self.stack.push(Frame::Write(write));
            return self.begin_sweep(w, EventRef::NONE);
        }
        self.write(write)
    }

    pub(super) fn write(&mut self, mut write: Write) -> Go {
        loop {
            let Write { w, p, stage } = write;
            if let WriteStage::Undo = stage {
                self.build.unplace(w);
            } else if self.build.graph.update_of(p).is_none() {
                self.build.place(p, w);
                if self.build.hooks().is_canonical(w)
                    && (self.build.graph.is_top(w) || self.build.admits(w, w))
                {
                    self.stack.push(Frame::Write(Write { stage: WriteStage::Undo, ..write }));
                    return self.go_on(Go::Visit);
                }
                self.build.unplace(w);
            }
            let next = self.build.graph.next_place(w, p);
            if next.is_none() {
                self.build.pop(w);
                return Go::Continue;
            }
            write = Write { w, p: next, stage: WriteStage::Place };
        }
    }

    // --- sweeps ---------------------------------------------------------------------------------------------------

    #[inline(always)]
    fn begin_sweep(&mut self, w: EventRef, clash: EventRef) -> Go {
        let base = self.peeled.len() as u32;
        self.sweep(Sweep { w, clash, base, revisited: EventRef::NONE })
    }

    /// Peel, and revisit every read that can be revisited. `w` is in the graph, but not in co.
    pub(super) fn sweep(&mut self, mut sweep: Sweep) -> Go {
        let location = self.build.graph.event(sweep.w).location;
        if sweep.revisited.is_some() {
            self.peel(sweep.revisited);
            sweep.revisited = EventRef::NONE;
        }
        let mut is_worth_it = self.build.graph.has_read_outside(sweep.w);
        while is_worth_it {
            let e = self.build.graph.youngest_outside(sweep.w);
            if !self.build.leaves(e, sweep.w) {
                break;
            }
            if e == sweep.clash {
                sweep.clash = EventRef::NONE;
                if self.build.waiting().displaces(sweep.w, e) {
                    self.peel(e);
                    self.stack.push(Frame::Sweep(sweep));
                    return self.displace(e, sweep.w);
                }
            }
            let event = self.build.graph.event(e);
            let reads_here = event.kind.reads() && event.location == location;
            if reads_here && sweep.clash.is_none() {
                self.stack.push(Frame::Sweep(Sweep { revisited: e, ..sweep }));
                return self.begin_revisit(e, sweep.w);
            }
            self.peel(e);
            is_worth_it = !reads_here || self.build.graph.has_read_outside(sweep.w);
        }
        while self.peeled.len() > sweep.base as usize {
            let (e, after) = self.peeled.pop().expect("more events than at the beginning");
            self.build.restore(e, after);
            self.build.come_back(e);
        }
        Go::Continue
    }

    #[inline(always)]
    pub(super) fn peel(&mut self, e: EventRef) {
        let after = self.build.remove(e);
        self.peeled.push((e, after));
    }

    // --- revisits -------------------------------------------------------------------------------------------------

    /// The graph that is left is the one to revisit in, and `r` is the last event of its thread.
    #[inline(always)]
    fn begin_revisit(&mut self, r: EventRef, w: EventRef) -> Go {
        self.build.reductions.waiting.hide(&self.build.graph, r, w, self.stack.len());
        let detached = self.build.detach(r);
        self.detached.push(detached);
        let p = self.build.graph.first_revisit_place(r, w);
        if p.is_none() {
            self.end_revisit(r);
            return Go::Continue;
        }
        self.revisit(Revisit { r, w, p, stage: RevisitStage::Take })
    }

    fn end_revisit(&mut self, r: EventRef) {
        let detached = self.detached.pop().expect("every revisit has detached its read");
        self.build.attach(r, detached);
        self.build.reductions.waiting.show(self.stack.len());
    }

    pub(super) fn revisit(&mut self, mut revisit: Revisit) -> Go {
        loop {
            let Revisit { r, w, p, stage } = revisit;
            match stage {
                RevisitStage::Take => {
                    if self.build.graph.update_of(p).is_none()
                        && let Some(go) = self.take(revisit)
                    {
                        return go;
                    }
                }
                RevisitStage::Place => {
                    self.build.place(w, r);
                    self.stack.push(Frame::Revisit(Revisit {
                        stage: RevisitStage::Undo { writes: true },
                        ..revisit
                    }));
                    return if self.build.hooks().is_canonical(r) { self.enter(r) } else { Go::Continue };
                }
                RevisitStage::Undo { writes } => {
                    if writes {
                        self.build.unplace(r);
                    }
                    self.build.unbind(r);
                    self.build.unplace(w);
                }
            }
            let next = self.build.graph.next_revisit_place(r, w, p);
            if next.is_none() {
                self.end_revisit(r);
                return Go::Continue;
            }
            revisit = Revisit { r, w, p: next, stage: RevisitStage::Take };
        }
    }

    /// Put `w` after `p` and let `r` read from it. Returns the next move; `None` if that is inconsistent or pointless,
    /// and then it is undone already.
    #[inline(always)]
    fn take(&mut self, revisit: Revisit) -> Option<Go> {
        let Revisit { r, w, p, .. } = revisit;
        self.build.place(p, w);
        match self.build.graph.event(w).kind.is_update() {
            // It may have had no place before.
            true => self.note_update(w),
            false => self.build.hooks().note_place(w),
        }
        if self.is_refuted() {
            return Some(Go::Continue);
        }
        let top = self.build.graph.is_top(w);
        let writes = self.bind(r, w);
        if writes {
            self.build.place(w, r);
            self.build.hooks().note_write(r);
            if self.is_refuted() {
                return Some(Go::Continue);
            }
        }
        // A read-modify-write that is not canonical sweeps all the same.
        let canonical = self.build.hooks().is_canonical(w) && (writes || self.build.hooks().is_canonical(r));
        let consistent = canonical && (top || self.build.admits(r, w));
        if consistent {
            if self.build.graph.event(w).kind.is_update() {
                // Unlike a store, it may have no place in the graph that it revisits from, and so not be checked there.
                self.check_race(w);
            }
            if !writes {
                self.check_race(r);
            }
            if writes || !self.drops(r, w) {
                if writes && self.build.graph.has_read_outside(r) {
                    // Its write is new, too: it sweeps before it has a place.
                    self.build.unplace(r);
                    self.stack.push(Frame::Revisit(Revisit { stage: RevisitStage::Place, ..revisit }));
                    return Some(self.begin_sweep(r, EventRef::NONE));
                }
                self.stack.push(Frame::Revisit(Revisit { stage: RevisitStage::Undo { writes }, ..revisit }));
                if writes && !self.build.hooks().is_canonical(r) {
                    return Some(Go::Continue);
                }
                return Some(if writes { self.enter(r) } else { self.go_on(Go::Visit) });
            }
        }
        if writes {
            self.build.unplace(r);
        }
        self.build.unbind(r);
        self.build.unplace(w);
        None
    }

    // --- locks that wait (reductions/waiting.rs) ------------------------------------------------------------------

    /// Lock `w` takes the mutex that lock `r`, which was just peeled, had taken.
    fn displace(&mut self, r: EventRef, w: EventRef) -> Go {
        self.build.reductions.waiting.hide(&self.build.graph, r, w, self.stack.len());
        self.build.reductions.waiting.mark(&self.build.graph, r, w);
        self.build.place(self.build.graph.event(w).rf, w);
        self.note_update(w);
        if self.is_refuted() {
            return Go::Continue;
        }
        self.stack.push(Frame::Displaced(w));
        let waits = self.build.graph.event(r).thread;
        let canonical = self.build.hooks().is_canonical(w) && self.build.symmetry().is_viable(waits);
        if canonical && self.build.admits_update(w) { self.enter(w) } else { Go::Continue }
    }

    pub(super) fn end_displacement(&mut self, w: EventRef) -> Go {
        self.build.unplace(w);
        self.build.reductions.waiting.unmark();
        self.build.reductions.waiting.show(self.stack.len());
        Go::Continue
    }

    /// No thread can step. Threads from `first` on that wait for a mutex sweep as if they had got it; after them, this
    /// is the end of the execution.
    pub(super) fn wait(&mut self, first: ThreadId) -> Go {
        let next = self.build.waiting().threads().find(|&(thread, _)| thread >= first);
        if let Some((thread, location)) = next {
            self.stack.push(Frame::Waiting(ThreadId(thread.0 + 1)));
            return self.begin_read(thread, location);
        }
        let mut waiting = Vec::new();
        if first != ThreadId::MAIN {
            // At the first look, one was waiting.
            waiting.extend(self.build.waiting().threads());
        }
        let reads: Vec<EventRef> =
            waiting.into_iter().map(|(thread, location)| self.build.push_waiting(thread, location)).collect();
        self.emit();
        for &r in reads.iter().rev() {
            self.build.unbind(r);
            self.build.pop(r);
        }
        Go::Continue
    }
}
