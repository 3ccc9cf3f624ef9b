//! The knowledge of one thread, and the messages of its writes: `hb` of the model, one event after the other.
//!
//! Implements: rseq, sw and hb of \[RCMC\] 3.2 as `live/sync.rs` does, for an execution that is not kept.
//! Consecutive messages of a thread that learnt nothing in between share their clocks.

use crate::clock::{Known, Message};
use std::rc::Rc;

/// The knowledge of one thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct ThreadView {
    thread: usize,
    /// How many events it has made.
    pub(crate) events: u32,
    pub(crate) known: Known,
    /// The messages that it has read without acquiring them; an acquire fence will.
    pending: Option<Known>,
    /// The message of its last release fence.
    fence: Option<Message>,
    /// A copy of `known` that its messages share, as long as it has learnt nothing new.
    snapshot: Option<Rc<Known>>,
}

impl ThreadView {
    /// A thread that starts with the knowledge of its creator.
    pub(crate) fn new(thread: usize, known: Known) -> ThreadView {
        ThreadView { thread, known, ..ThreadView::default() }
    }

    /// Make an event. Returns its position, from 1.
    #[inline]
    pub(crate) fn step(&mut self) -> u32 {
        self.events += 1;
        self.known.raise(self.thread, self.events);
        self.events
    }

    /// Learn everything that `known` has.
    #[inline]
    pub(crate) fn learn(&mut self, known: &Known) {
        if self.known.join(known) {
            self.snapshot = None;
        }
    }

    /// The knowledge, to be changed directly.
    pub(crate) fn known_mut(&mut self) -> &mut Known {
        self.snapshot = None;
        &mut self.known
    }

    #[inline]
    pub(crate) fn acquire(&mut self, message: &Message) {
        if message.teach(&mut self.known) {
            self.snapshot = None;
        }
    }

    /// Put off a message that was read without acquiring it.
    pub(crate) fn put_off(&mut self, message: &Message) {
        message.teach(self.pending.get_or_insert_with(Known::default));
    }

    /// An acquire fence.
    pub(crate) fn acquire_pending(&mut self) {
        if let Some(pending) = self.pending.take() {
            self.learn(&pending);
        }
    }

    /// A release fence.
    pub(crate) fn release(&mut self) {
        self.fence = Some(self.message());
    }

    pub(crate) fn last_fence(&self) -> Option<&Message> {
        self.fence.as_ref()
    }

    /// A message with all its current knowledge.
    #[inline]
    pub(crate) fn message(&mut self) -> Message {
        let base = self.snapshot.get_or_insert_with(|| Rc::new(self.known.clone()));
        Message { base: Rc::clone(base), thread: self.thread, upto: self.events }
    }
}
