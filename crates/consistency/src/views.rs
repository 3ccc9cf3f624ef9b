//! Views: hb-timestamps that are kept because a thread may still acquire them.
//!
//! A view is a row of k numbers. It is shared by all that know the same, counts its holders, and is used again when
//! there is none: views are kept for the reads of recent writes, there is no row for every event.

/// A view, by its row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct View(u32);

impl View {
    /// As a plain number.
    pub(crate) fn number(self) -> u32 {
        self.0
    }

    /// From a plain number.
    pub(crate) fn from_number(number: u32) -> View {
        View(number)
    }
}

/// All views.
#[derive(Debug)]
pub(crate) struct Views {
    width: usize,
    rows: Vec<u32>,
    /// Per row how often it is held.
    holds: Vec<u32>,
    /// Rows that nobody holds.
    free: Vec<View>,
}

impl Views {
    pub(crate) fn new(width: usize) -> Views {
        Views { width, rows: Vec::new(), holds: Vec::new(), free: Vec::new() }
    }

    /// A new view, held so often.
    pub(crate) fn insert(&mut self, clock: &[u32], holds: u32) -> View {
        debug_assert!(holds > 0, "it would never be free");
        match self.free.pop() {
            Some(view) => {
                self.row_mut(view).copy_from_slice(clock);
                self.holds[view.0 as usize] = holds;
                view
            }
            None => {
                self.rows.extend_from_slice(clock);
                self.holds.push(holds);
                View(self.holds.len() as u32 - 1)
            }
        }
    }

    /// Hold it so often more.
    pub(crate) fn hold(&mut self, view: View, holds: u32) {
        self.holds[view.0 as usize] += holds;
    }

    /// Hold it once less.
    pub(crate) fn release(&mut self, view: View) {
        let holds = &mut self.holds[view.0 as usize];
        *holds -= 1;
        if *holds == 0 {
            self.free.push(view);
        }
    }

    pub(crate) fn row(&self, view: View) -> &[u32] {
        &self.rows[view.0 as usize * self.width..][..self.width]
    }

    /// Join another view into one.
    pub(crate) fn join(&mut self, view: View, other: View) {
        let (into, from) = (view.0 as usize * self.width, other.0 as usize * self.width);
        for thread in 0..self.width {
            self.rows[into + thread] = self.rows[into + thread].max(self.rows[from + thread]);
        }
    }

    fn row_mut(&mut self, view: View) -> &mut [u32] {
        &mut self.rows[view.0 as usize * self.width..][..self.width]
    }
}

/// Join a timestamp into another one.
#[inline]
pub(crate) fn join(into: &mut [u32], from: &[u32]) {
    into.iter_mut().zip(from).for_each(|(into, &from)| *into = (*into).max(from));
}
