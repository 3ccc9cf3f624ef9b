//! Faults of requests: accesses to memory that is not there, and the end of a run by a fault.
//!
//! The kinds and the words are those of `program/fault.rs`; a violation is replayed in `explore`, which has the last word.

use crate::memory::LocationIndex;
use crate::run::{End, Found, Run, Stop};
use crate::trail::Chosen;
use base::{Access, Site, ThreadId};
use program::{Conflict, Fault, Hint, Missing, Refusal};

impl<P: Hint> Run<'_, P> {
    #[inline]
    pub(crate) fn locate(
        &mut self,
        thread: usize,
        at: Access,
        is_plain: bool,
    ) -> Result<LocationIndex, Stop> {
        match self.objects.locate(&mut self.memory, at, is_plain) {
            Ok(location) => Ok(location),
            Err(missing) => Err(self.missing(thread, at, is_plain, missing)),
        }
    }

    #[cold]
    fn missing(&mut self, thread: usize, at: Access, is_plain: bool, missing: Missing<()>) -> Stop {
        if matches!(missing, Missing::Nowhere | Missing::OutOfBounds { .. })
            && self.is_private_elsewhere(thread, at.address)
        {
            return Stop::Refused(Refusal::of_disguised_pointer());
        }
        if let Missing::Overlaps(old) = missing {
            let site = self.program.site(&self.threads[thread].state);
            let location = self.objects.known(old).expect("an access that is overlapped is known");
            let is_atomic = self.objects.is_ever_atomic(location);
            let conflict = Conflict { old: (old, is_atomic), new: (at, !is_plain), site };
            return Stop::End(End::Conflict(conflict, ThreadId(thread as u32)));
        }
        let fault = Fault::of_missing(at, &missing).expect("it does not overlap");
        self.failed(thread, fault)
    }

    pub(crate) fn is_private_elsewhere(&self, thread: usize, address: u64) -> bool {
        let mut others = self.threads.iter().enumerate().filter(|&(other, _)| other != thread);
        others.any(|(_, now)| self.program.is_private(&now.state, address))
    }

    /// The end of a run by a fault of the event that the thread has just made, before the thread gets its answer.
    #[cold]
    pub(crate) fn found(&self, thread: usize, fault: Fault) -> Stop {
        let site = self.program.site(&self.threads[thread].state);
        self.found_at(thread, site, fault)
    }

    pub(crate) fn found_at(&self, thread: usize, site: Site, fault: Fault) -> Stop {
        let Fault { kind, message, .. } = fault;
        Stop::End(End::Violated(Found { kind, message, thread: ThreadId(thread as u32), site }))
    }

    /// The end of a run by a fault of a request, of which no event is made.
    #[cold]
    pub(crate) fn failed(&mut self, thread: usize, fault: Fault) -> Stop {
        if let Some(trail) = &mut self.trail {
            trail.step(thread, Chosen::Greedy);
        }
        self.found(thread, fault)
    }
}
