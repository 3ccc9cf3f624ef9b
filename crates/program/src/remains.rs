//! What a thread leaves behind when an execution has ended, as far as the engine does not know it.

use crate::Object;
use base::Value;
use std::ops::Range;

/// The memory and the pointers that are left of a thread.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Remains {
    /// Objects of the heap that were never published and never freed.
    pub objects: Vec<Object>,
    /// Words of memory of the thread that is still there, and its registers: any of them may be a pointer.
    pub roots: Vec<Value>,
    /// The addresses of its local variables, if its functions have returned: those that were published are gone.
    pub gone: Option<Range<u64>>,
}
