//! Leaks: objects of the heap that were never freed, and that nothing points to when the process has ended.
//!
//! Reachable is what a variable of static storage points to, what a thread that has not returned from its functions points
//! to, or the result of a thread that no other thread has joined; and what a reachable object points to. A pointer is any
//! eight bytes, aligned or not, whose address, without a tag in its top bits, is in an object or one past its end. So memory
//! that is reachable in disguise only (xor-ed, compressed) counts as a leak, and a number that happens to look like an address
//! hides one.
//!
//! Which write is the last one, the coherence order says: the command explores up to `co`. Without one, whatever may be
//! last is taken for a pointer.
//! Cost: O(m log n) for each complete execution, for m bytes and n objects.

use crate::core::construction::Construction;
use crate::core::shape::Shape;
use crate::core::threads::Status;
use base::{Site, ThreadId, Value};
use program::{Hint, Object, Request, Storage, proper_address};
use std::collections::BTreeMap;

/// An object that is lost.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Leak {
    /// Where it was allocated.
    pub(crate) site: Site,
    /// The thread that has allocated it.
    pub(crate) thread: ThreadId,
    /// How many bytes it has.
    pub(crate) size: u64,
}

/// An object of the heap that is still there.
struct Left {
    leak: Leak,
    /// The words in it.
    words: Vec<Value>,
}

/// The leaks of an execution in which no thread can take a step, sorted.
pub(crate) fn leaks<P: Hint, C: Shape>(build: &Construction<'_, P, C>) -> Vec<Leak> {
    let (mut left, mut pointers) = (BTreeMap::new(), Vec::new());
    let mut gone = Vec::new();
    for (thread, now) in build.threads.existing() {
        let has_finished = now.status == Status::Finished;
        let remains = build.program.remains(&now.state, has_finished);
        pointers.extend(remains.roots);
        pointers.extend(result(&now.request).filter(|_| !is_joined(build, thread)));
        gone.extend(remains.gone);
        for object in &remains.objects {
            add(&mut left, object, thread, words(&object.bytes).collect());
        }
    }
    for (thread, object, words) in shared(build) {
        let address = proper_address(object.address);
        match object.storage {
            Storage::Heap => add(&mut left, object, thread, words),
            Storage::Stack if gone.iter().any(|gone| gone.contains(&address)) => {}
            Storage::Static | Storage::Stack => pointers.extend(words),
        }
    }
    while let Some(pointer) = pointers.pop() {
        let address = proper_address(pointer);
        let Some((&start, object)) = left.range(..=address).next_back() else { continue };
        if address - start <= object.leak.size {
            pointers.extend(left.remove(&start).into_iter().flat_map(|object| object.words));
        }
    }
    let mut leaks: Vec<Leak> = left.into_values().map(|object| object.leak).collect();
    leaks.sort_unstable();
    leaks
}

fn add(left: &mut BTreeMap<u64, Left>, object: &Object, thread: ThreadId, words: Vec<Value>) {
    let site = object.allocated.map_or_else(Site::default, |allocated| allocated.site);
    let leak = Leak { site, thread, size: object.bytes.len() as u64 };
    left.insert(proper_address(object.address), Left { leak, words });
}

/// The objects that were published and are there, with the thread that has published each, and the words in it at the end.
fn shared<'a, P: Hint, C: Shape>(
    build: &'a Construction<'_, P, C>,
) -> impl Iterator<Item = (ThreadId, &'a Object, Vec<Value>)> {
    build.objects.living().map(|(id, publication, object)| {
        let (mut bytes, mut others) = (object.bytes.clone(), Vec::new());
        for location in build.objects.locations(id) {
            let at = build.graph.location(location).access;
            let offset = (proper_address(at.address) - proper_address(object.address)) as usize;
            let writes = build.final_writes(location);
            let values: Vec<Value> = writes.iter().filter_map(|&w| build.graph.value(w)).collect();
            if let Some(value) = values.first() {
                let size = usize::from(at.size);
                bytes[offset..offset + size].copy_from_slice(&value.to_le_bytes()[..size]);
            }
            others.extend(values.into_iter().skip(1));
        }
        others.extend(words(&bytes));
        (build.graph.event(publication).thread, object, others)
    })
}

fn words(bytes: &[u8]) -> impl Iterator<Item = Value> + '_ {
    bytes.array_windows().map(|word: &[u8; 8]| Value::from_le_bytes(*word))
}

/// The result of a thread that has finished.
fn result(request: &Request) -> Option<Value> {
    match *request {
        Request::Finish { value } => Some(value),
        _ => None,
    }
}

fn is_joined<P: Hint, C: Shape>(build: &Construction<'_, P, C>, thread: ThreadId) -> bool {
    let is_join = |e| matches!(build.before(e).request, Request::Join { thread: other } if other == thread);
    build.graph.thread_ids().any(|t| build.graph.po(t).iter().any(|&e| is_join(e)))
}
