//! Vector clocks of a run: the knowledge of threads and messages.
//!
//! A clock says for each thread how many of its events are included; missing lanes are 0. The knowledge of a thread is
//! a pair of clocks: the events that *happen before* its next event, which decide about races and are handed on by
//! synchronisation, and the events that coherence no longer lets it overlook, its *view*. They differ only after SC
//! fences of RC11, which constrain coherence without adding to `hb`; until there is one, a thread has no separate view.

use std::rc::Rc;

/// The number of included events, per thread.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Clock(Vec<u32>);

impl Clock {
    #[inline]
    pub(crate) fn get(&self, thread: usize) -> u32 {
        self.0.get(thread).copied().unwrap_or(0)
    }

    /// Include the first `upto` events of a thread. Returns whether that is more than before.
    #[inline]
    pub(crate) fn raise(&mut self, thread: usize, upto: u32) -> bool {
        if self.0.len() <= thread {
            self.0.resize(thread + 1, 0);
        }
        let more = self.0[thread] < upto;
        if more {
            self.0[thread] = upto;
        }
        more
    }

    /// Whether it includes everything that the other one includes.
    #[inline]
    fn includes(&self, other: &Clock) -> bool {
        other.0.iter().enumerate().all(|(thread, &theirs)| theirs <= self.get(thread))
    }

    /// Include everything that the other one includes. Returns whether that is more than before.
    #[inline]
    pub(crate) fn join(&mut self, other: &Clock) -> bool {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        let mut more = false;
        for (mine, &theirs) in self.0.iter_mut().zip(&other.0) {
            more |= *mine < theirs;
            *mine = (*mine).max(theirs);
        }
        more
    }
}

/// The events that coherence does not let a thread with this view overlook: of each thread, and in the order of SC
/// events.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct View {
    pub(crate) clock: Clock,
    /// How many SC events are included.
    pub(crate) sc: u32,
}

impl View {
    pub(crate) fn join(&mut self, other: &View) -> bool {
        let more = self.sc < other.sc;
        self.sc = self.sc.max(other.sc);
        self.clock.join(&other.clock) || more
    }
}

/// The knowledge of a thread or a message.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Known {
    /// The events that happen before.
    pub(crate) hb: Clock,
    /// The events that cannot be overlooked, if these are more.
    pub(crate) view: Option<View>,
}

impl Known {
    /// The clock and the number of SC events that coherence goes by.
    #[inline]
    pub(crate) fn coherence(&self) -> (&Clock, u32) {
        match &self.view {
            None => (&self.hb, 0),
            Some(view) => (&view.clock, view.sc),
        }
    }

    /// The view, made from `hb` if there is no separate one.
    pub(crate) fn view_mut(&mut self) -> &mut View {
        self.view.get_or_insert_with(|| View { clock: self.hb.clone(), sc: 0 })
    }

    #[inline]
    pub(crate) fn raise(&mut self, thread: usize, upto: u32) -> bool {
        if let Some(view) = &mut self.view {
            view.clock.raise(thread, upto);
        }
        self.hb.raise(thread, upto)
    }

    /// Learn everything that the other one knows. Returns whether that is more than before.
    pub(crate) fn join(&mut self, other: &Known) -> bool {
        let mut more = match (&mut self.view, &other.view) {
            (None, None) => false,
            (Some(view), Some(other)) => view.join(other),
            (Some(view), None) => view.clock.join(&other.hb),
            (None, Some(other)) => self.view_mut().join(other),
        };
        more |= self.hb.join(&other.hb);
        more
    }
}

/// The knowledge that an acquire of a write gets: that of the write's thread, with the thread's own lane raised to the
/// write.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) base: Rc<Known>,
    pub(crate) thread: usize,
    pub(crate) upto: u32,
}

impl Message {
    /// Add the message to `known`. Returns whether it was new.
    #[inline]
    pub(crate) fn teach(&self, known: &mut Known) -> bool {
        let more = known.join(&self.base);
        known.raise(self.thread, self.upto) || more
    }

    /// A message with the knowledge of both: one of them, if it includes the other.
    pub(crate) fn and(self, other: &Message) -> Message {
        let hb = &self.base.hb;
        let is_all = self.base.view.is_none() && other.base.view.is_none() && hb.includes(&other.base.hb);
        if is_all
            && (hb.get(other.thread) >= other.upto
                || (self.thread == other.thread && self.upto >= other.upto))
        {
            return self;
        }
        let mut both = (*self.base).clone();
        both.raise(self.thread, self.upto);
        if other.teach(&mut both) { Message { base: Rc::new(both), ..self } } else { self }
    }
}
