//! Events that leave no choice: fences, the creation and the end of threads, objects that are published and freed.

use crate::core::construction::{Construction, Trouble};
use crate::core::memory::{is_private_elsewhere, refuse_disguised};
use crate::core::shape::Shape;
use crate::ledger::Assumption;
use base::{FenceOrder, ThreadId, Value};
use live::{EventRef, Kind, LocationId};
use program::{Block, Fault, Hint, MAX_THREADS, Refusal, Request, Storage};

/// Append an event that leaves no choice.
pub(crate) fn push_other<P: Hint, C: Shape>(
    build: &mut Construction<'_, P, C>,
    thread: ThreadId,
) -> Result<EventRef, Trouble<P::State>> {
    match build.threads.get(thread).request {
        Request::Fence(order) => Ok(push_fence(build, thread, order)),
        Request::Create { .. } => push_create(build, thread),
        Request::Join { thread: child } => push_join(build, thread, child),
        Request::Publish(_) => Ok(push_publish(build, thread)),
        Request::Notify { .. } => Ok(push_notification(build, thread)),
        Request::Free { address, storage } => push_free(build, thread, address, storage),
        ref request => unreachable!("{request:?} is no event without choices"),
    }
}

fn push_fence<P: Hint, C: Shape>(
    build: &mut Construction<'_, P, C>,
    thread: ThreadId,
    order: FenceOrder,
) -> EventRef {
    let sc = build.graph.rules().global.has_sc_events() && order == FenceOrder::SeqCst;
    let f = build.push(thread, Kind::FENCE.with_sc(sc), LocationId::NONE);
    let (acquires, releases) = build.graph.rules().orders.fence(order);
    build.graph.sync_fence(f, acquires, releases);
    build.answer(f, Some(0));
    f
}

fn push_create<P: Hint, C: Shape>(
    build: &mut Construction<'_, P, C>,
    thread: ThreadId,
) -> Result<EventRef, Trouble<P::State>> {
    if build.graph.thread_count() >= MAX_THREADS {
        return Err(build.refuse(thread, Refusal::of_too_many_threads()));
    }
    let child = build.threads.next_child(thread).unwrap_or_else(|| {
        let child = build.add_thread();
        if let Some(names) = build.threads.name_child(thread, child) {
            build.notes.refute(Assumption::Threads(names));
        }
        child
    });
    let e = build.push(thread, Kind::CREATION, LocationId::NONE);
    build.graph.set_value(e, Value::from(child.0));
    build.graph.sync_create(e, child);
    build.answer(e, Some(Value::from(child.0)));
    build.enter(e, None);
    Ok(e)
}

fn push_join<P: Hint, C: Shape>(
    build: &mut Construction<'_, P, C>,
    thread: ThreadId,
    child: ThreadId,
) -> Result<EventRef, Trouble<P::State>> {
    let Some(value) = build.threads.finished(child) else {
        return Err(build.fault(thread, Fault::of_unknown_join()));
    };
    if let Some(&join) = build.graph.joins_of(child).first() {
        let fault = Fault::of_second_join().related_to(Some(build.site(join)));
        return Err(build.fault(thread, fault));
    }
    let e = build.push(thread, Kind::JOIN, LocationId::NONE);
    build.graph.sync_join(e, child);
    build.answer(e, Some(value));
    Ok(e)
}

fn push_publish<P: Hint, C: Shape>(build: &mut Construction<'_, P, C>, thread: ThreadId) -> EventRef {
    let e = build.push(thread, Kind::OTHER, LocationId::NONE);
    // The thread may ask for the size of an object that it has published.
    build.enter(e, None);
    build.answer(e, Some(0));
    e
}

/// A notification orders nothing; `reductions/sleeping.rs` has its meaning for threads that sleep.
fn push_notification<P: Hint, C: Shape>(build: &mut Construction<'_, P, C>, thread: ThreadId) -> EventRef {
    let e = build.push(thread, Kind::OTHER, LocationId::NONE);
    build.answer(e, Some(0));
    e
}

fn push_free<P: Hint, C: Shape>(
    build: &mut Construction<'_, P, C>,
    thread: ThreadId,
    address: u64,
    storage: Storage,
) -> Result<EventRef, Trouble<P::State>> {
    if build.objects.starting_at(address).is_none() && is_private_elsewhere(build, thread, address) {
        return Err(refuse_disguised(build, thread));
    }
    let fault = match build.objects.starting_at(address) {
        Some((_, found, None)) if found == storage => {
            note_freed(build, address, storage);
            let e = build.push(thread, Kind::OTHER, LocationId::NONE);
            build.answer(e, Some(0));
            build.enter(e, None);
            return Ok(e);
        }
        Some((_, _, Some(freed))) => Fault::of_double_free(address).related_to(Some(build.site(freed))),
        _ => Fault::of_invalid_free(address, build.objects.inside(address)),
    };
    Err(build.fault(thread, fault))
}

/// Tell the program of a heap block that is about to be freed: others could allocate it again, unless its thread is
/// alone for good.
fn note_freed<P: Hint, C: Shape>(build: &Construction<'_, P, C>, address: u64, storage: Storage) {
    if storage == Storage::Heap && (build.threads.unfinished() > 1 || build.facts.creates_after_join) {
        build.program.note_freed(Block { address, size: build.objects.size_of(address) });
    }
}
