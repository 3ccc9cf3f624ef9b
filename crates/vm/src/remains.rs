//! What is left of a thread's private memory at the end of an execution, for the search for leaks.
//!
//! A thread that has finished has no local variables any more, nor registers; one that waits for ever has both, and so does
//! `main` if it has called `exit`. Globals, the thread-local variables of `main` and mappings are there until the process ends.

use crate::address::{REGION_BITS, stack_region};
use crate::builtin::Builtin;
use crate::bytecode::Op;
use crate::escape::words;
use crate::machine::Machine;
use crate::private::{Life, Private, PrivateObject};
use crate::state::ThreadState;
use base::Value;
use program::{Allocation, Object, Remains, Storage};

impl Machine {
    /// What is left of the thread, which has finished or waits for ever.
    pub(crate) fn remains_of(&self, state: &ThreadState, has_finished: bool) -> Remains {
        let has_returned = has_finished && !self.exits(state);
        let mut remains = Remains::default();
        if has_returned {
            let first = stack_region(state.thread()) << REGION_BITS;
            remains.gone = Some(first..first + (1 << REGION_BITS));
        } else {
            remains.roots.extend(state.all_registers());
        }
        if let Some(private) = &state.memory.private {
            add_private(private, has_returned, &mut remains);
        }
        remains
    }

    /// Whether the thread is about to end the process, with all its functions under way.
    fn exits(&self, state: &ThreadState) -> bool {
        let code = &self.module().functions[state.function as usize].code;
        let op = code.get(state.pc as usize);
        matches!(op, Some(Op::Builtin { builtin: Builtin::Exit | Builtin::ExitNow, .. }))
    }
}

fn add_private(private: &Private, has_returned: bool, remains: &mut Remains) {
    if let Some(globals) = &private.globals {
        remains.roots.extend(words(&globals.bytes));
    }
    remains.roots.extend(private.data.keys.iter().map(|&(_, value)| value));
    if !has_returned {
        remains.roots.extend(private.stack.iter().flat_map(words_of));
    }
    let is_thread_local =
        |object: &PrivateObject| private.thread_locals.iter().any(|&(_, address)| address == object.address);
    for object in private.heap.iter() {
        match object.storage {
            Storage::Heap => remains.objects.extend(left(object)),
            Storage::Stack if has_returned && is_thread_local(object) => {}
            Storage::Static | Storage::Stack => remains.roots.extend(words_of(object)),
        }
    }
}

fn words_of(object: &PrivateObject) -> impl Iterator<Item = Value> + '_ {
    let Life::Live(contents) = &object.life else { return None.into_iter().flatten() };
    Some(words(&contents.bytes)).into_iter().flatten()
}

fn left(object: &PrivateObject) -> Option<Object> {
    let Life::Live(contents) = &object.life else { return None };
    Some(Object {
        address: object.address,
        bytes: contents.bytes.clone(),
        defined: None,
        written: None,
        allocated: Some(Allocation { events: contents.born, site: object.site }),
        storage: Storage::Heap,
    })
}
