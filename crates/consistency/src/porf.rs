//! PO-RF: an order of all events that agrees with `po` and `rf`, or a cycle.
//!
//! Line 1 of all the algorithms of \[RF\]. The rest of this crate wants every source before its readers, so
//! that one sweep over the events is enough; traces that were recorded while a program ran have that order
//! already.
//!
//! Idea: take the events as they arrive, and before a read whose source is still missing first the source's
//! thread as far as the source. Threads that wait for each other are on a stack; one that must wait for a
//! thread below it on the stack closes a cycle. Every event is taken as early as that allows, so the order
//! stays close to arrival.
//!
//! Cost: O(n), the stack is at most as deep as there are threads.

use crate::answer::{Step, Why};
use crate::execution::{Event, PartialExecution, Source, Thread};

/// An order of the events that agrees with `po` and `rf`: `None` if the order of arrival does.
pub(crate) fn linearise(execution: &PartialExecution) -> Result<Option<Vec<Event>>, Vec<Step>> {
    let in_order = |e: Event| !matches!(execution.source(e), Some(Source::Event(w)) if w >= e);
    if execution.events().all(in_order) {
        return Ok(None);
    }
    let mut sweep = Sweep {
        execution,
        taken: vec![0; execution.thread_count()],
        waits: vec![false; execution.thread_count()],
        stack: Vec::new(),
        order: Vec::with_capacity(execution.len()),
    };
    for e in execution.events() {
        sweep.take_up_to(e)?;
    }
    Ok(Some(sweep.order))
}

struct Sweep<'a> {
    execution: &'a PartialExecution,
    /// Per thread how many of its events have been taken.
    taken: Vec<u32>,
    /// Whether the thread is on the stack.
    waits: Vec<bool>,
    /// Events that are to be taken with everything po-before them, one of a thread.
    stack: Vec<Event>,
    order: Vec<Event>,
}

impl Sweep<'_> {
    fn take_up_to(&mut self, e: Event) -> Result<(), Vec<Step>> {
        self.push(e);
        while let Some(&goal) = self.stack.last() {
            let thread = self.execution.thread(goal);
            if self.is_taken(goal) {
                self.stack.pop();
                self.waits[thread.0 as usize] = false;
                continue;
            }
            let next = self.next(thread);
            match self.execution.source(next) {
                Some(Source::Event(source)) if !self.is_taken(source) => self.wait_for(source)?,
                _ => {
                    self.taken[thread.0 as usize] += 1;
                    self.order.push(next);
                }
            }
        }
        Ok(())
    }

    fn push(&mut self, goal: Event) {
        self.waits[self.execution.thread(goal).0 as usize] = true;
        self.stack.push(goal);
    }

    fn is_taken(&self, e: Event) -> bool {
        self.execution.position(e) < self.taken[self.execution.thread(e).0 as usize]
    }

    /// The first event of a thread that has not been taken.
    fn next(&self, thread: Thread) -> Event {
        self.execution.po(thread)[self.taken[thread.0 as usize] as usize]
    }

    fn wait_for(&mut self, source: Event) -> Result<(), Vec<Step>> {
        if self.waits[self.execution.thread(source).0 as usize] {
            return Err(self.cycle(source));
        }
        self.push(source);
        Ok(())
    }

    /// The reads at which the threads on the stack wait, from the one in `source`'s thread on. Each of them
    /// is, or is po-before, what the read below it waits for.
    fn cycle(&self, source: Event) -> Vec<Step> {
        let thread_of = |&goal: &Event| self.execution.thread(goal);
        let first = self.stack.iter().position(|goal| thread_of(goal) == self.execution.thread(source));
        let first = first.expect("it waits");
        let reads: Vec<Event> = self.stack[first..].iter().map(|goal| self.next(thread_of(goal))).collect();
        let mut steps = Vec::new();
        for (number, &to) in reads.iter().enumerate().rev() {
            let from = reads[(number + 1) % reads.len()];
            let Some(Source::Event(source)) = self.execution.source(to) else {
                unreachable!("it waits for it")
            };
            if from != source {
                steps.push(Step { from: Source::Event(from), to: Source::Event(source), why: Why::Po });
            }
            steps.push(Step { from: Source::Event(source), to: Source::Event(to), why: Why::Rf });
        }
        steps
    }
}
