//! The memory that a thread is about to access: its location, or what is wrong with the access.

use crate::core::construction::{Construction, Trouble};
use crate::core::shape::Shape;
use base::{Access, ThreadId};
use live::{EventRef, LocationId};
use program::{Conflict, Fault, Hint, Missing, Refusal};

/// The location that the thread is about to access. If that is not possible, the thread stops.
#[inline(always)]
pub(crate) fn locate<P: Hint, C: Shape>(
    build: &mut Construction<'_, P, C>,
    thread: ThreadId,
    at: Access,
    plain: bool,
) -> Result<LocationId, Trouble<P::State>> {
    match build.objects.locate(&mut build.graph, at) {
        Ok(location) => {
            build.objects.note_access(location, plain);
            build.reach(location);
            Ok(location)
        }
        Err(missing) => Err(trouble(build, thread, at, plain, missing)),
    }
}

#[cold]
fn trouble<P: Hint, C: Shape>(
    build: &mut Construction<'_, P, C>,
    thread: ThreadId,
    at: Access,
    plain: bool,
    missing: Missing<EventRef>,
) -> Trouble<P::State> {
    let site = build.program.site(&build.threads.get(thread).state);
    if matches!(missing, Missing::Nowhere | Missing::OutOfBounds { .. })
        && is_private_elsewhere(build, thread, at.address)
    {
        return refuse_disguised(build, thread);
    }
    if let Missing::Overlaps(old) = missing {
        let location = build.objects.known(old).expect("what overlaps is known");
        let conflict =
            Conflict { old: (old, build.objects.is_ever_atomic(location)), new: (at, !plain), site };
        return Trouble::Conflict(conflict, thread);
    }
    let freed = if let Missing::Freed(event) = missing { Some(build.site(event)) } else { None };
    let fault = Fault::of_missing(at, &missing).expect("it does not overlap");
    build.fault(thread, fault.related_to(freed))
}

/// The thread is about to use memory that only another thread should know of.
pub(crate) fn refuse_disguised<P: Hint, C: Shape>(
    build: &mut Construction<'_, P, C>,
    thread: ThreadId,
) -> Trouble<P::State> {
    build.refuse(thread, Refusal::of_disguised_pointer())
}

pub(crate) fn is_private_elsewhere<P: Hint, C: Shape>(
    build: &Construction<'_, P, C>,
    thread: ThreadId,
    address: u64,
) -> bool {
    let mut others = build.threads.existing().filter(|&(t, _)| t != thread);
    others.any(|(_, now)| build.program.is_private(&now.state, address))
}
