//! What one thread knows, and what its writes tell others: `hb` of the model, one event after the other.
//!
//! Implements: rseq, sw and hb of \[RCMC\] 3.2 as `graph/live_sync.rs` does, for an execution of which nothing is kept.
//! Consecutive messages of a thread that learnt nothing in between share their clocks.

use crate::clock::{Known, Message};
use std::rc::Rc;

/// What one thread knows.
#[derive(Clone, Debug, Default)]
pub(crate) struct ThreadView {
    thread: usize,
    /// How many events it has made.
    pub(crate) events: u32,
    pub(crate) known: Known,
    /// What its reads have read without acquiring it: a fence will.
    pending: Option<Known>,
    /// What its last release fence released.
    fence: Option<Message>,
    /// What it knows, shared by its messages, as long as it has learnt nothing new.
    snapshot: Option<Rc<Known>>,
}

impl ThreadView {
    /// A thread that starts with what its creator knows.
    pub(crate) fn new(thread: usize, known: Known) -> ThreadView {
        ThreadView { thread, known, ..ThreadView::default() }
    }

    /// It makes an event; its position, from 1.
    #[inline]
    pub(crate) fn step(&mut self) -> u32 {
        self.events += 1;
        self.known.raise(self.thread, self.events);
        self.events
    }

    /// It learns something.
    #[inline]
    pub(crate) fn learn(&mut self, known: &Known) {
        if self.known.join(known) {
            self.snapshot = None;
        }
    }

    /// It changes its view itself.
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

    /// It has read a message without acquiring it.
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

    /// All that it knows now.
    #[inline]
    pub(crate) fn message(&mut self) -> Message {
        let base = self.snapshot.get_or_insert_with(|| Rc::new(self.known.clone()));
        Message { base: Rc::clone(base), thread: self.thread, upto: self.events }
    }
}
