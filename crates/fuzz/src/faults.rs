//! Faults of requests: accesses to memory that is not there, wrong frees, and the end of a run by them.
//!
//! The kinds and the words are those of `explore/construction.rs`, which has the last word: a violation is replayed
//! there.

use crate::memory::LocationIndex;
use crate::objects::Missing;
use crate::run::{End, Found, Run, Stop};
use crate::trail::Chosen;
use base::{Access, Site, ThreadId};
use program::{Conflict, FaultKind, Hint, Storage};

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
    pub(crate) fn missing(&mut self, thread: usize, at: Access, is_plain: bool, missing: Missing) -> Stop {
        let site = self.program.site(&self.threads[thread].state);
        if matches!(missing, Missing::Nowhere | Missing::OutOfBounds { .. })
            && self.is_private_elsewhere(thread, at.address)
        {
            return self.disguised(thread);
        }
        let (kind, message) = match missing {
            Missing::Overlaps(old, atomic) => {
                let conflict = Conflict { old: (old, atomic), new: (at, !is_plain), site };
                return Stop::End(End::Conflict(conflict, ThreadId(thread as u32)));
            }
            Missing::Freed => {
                let message =
                    format!("access to {} bytes at {:#x} after they were freed", at.size, at.address);
                (FaultKind::UseAfterFree, message)
            }
            Missing::OutOfBounds { address, size } => {
                let offset = at.address - address;
                let message =
                    format!("access to {} bytes at offset {offset} of an object of {size} bytes", at.size);
                (FaultKind::InvalidAccess, message)
            }
            Missing::Nowhere if at.address < 4096 => {
                (FaultKind::InvalidAccess, "null pointer access".to_owned())
            }
            Missing::Nowhere => {
                let message =
                    format!("access to {} bytes at {:#x}, where there is no object", at.size, at.address);
                (FaultKind::InvalidAccess, message)
            }
        };
        self.failed(thread, kind, message)
    }

    pub(crate) fn is_private_elsewhere(&self, thread: usize, address: u64) -> bool {
        let mut others = self.threads.iter().enumerate().filter(|&(other, _)| other != thread);
        others.any(|(_, now)| self.program.is_private(&now.state, address))
    }

    pub(crate) fn disguised(&self, thread: usize) -> Stop {
        self.refused(
            thread,
            "a pointer has reached another thread in a form that is not followed (only eight bytes in a row are): its \
             object still counts as private to its thread",
        )
    }

    pub(crate) fn refused(&self, thread: usize, message: &str) -> Stop {
        let site = Some(self.program.site(&self.threads[thread].state));
        Stop::End(End::Unsupported { message: message.to_owned(), site, thread: ThreadId(thread as u32) })
    }

    /// The end of a run by a fault of the event that the thread has just made, before the thread gets its answer.
    #[cold]
    pub(crate) fn found(&self, thread: usize, kind: FaultKind, message: String) -> Stop {
        let site = self.program.site(&self.threads[thread].state);
        self.found_at(thread, site, kind, message)
    }

    pub(crate) fn found_at(&self, thread: usize, site: Site, kind: FaultKind, message: String) -> Stop {
        Stop::End(End::Violated(Found { kind, message, thread: ThreadId(thread as u32), site }))
    }

    /// The end of a run by a fault of a request, of which no event is made.
    #[cold]
    pub(crate) fn failed(&mut self, thread: usize, kind: FaultKind, message: String) -> Stop {
        if let Some(trail) = &mut self.trail {
            trail.step(thread, Chosen::Greedy);
        }
        self.found(thread, kind, message)
    }
}

/// Why an address cannot be freed.
pub(crate) fn invalid_free(inside: Option<Storage>, address: u64) -> String {
    match inside {
        Some(Storage::Heap) => "free of an address inside an object".to_owned(),
        Some(Storage::Static) => "free of a global variable".to_owned(),
        Some(Storage::Stack) => "free of a local variable".to_owned(),
        None => format!("free of {address:#x}, where there is no object"),
    }
}
