//! A crew: several explorers share the subtrees of a pass.
//!
//! Subtrees are taken in the order of the exploration, for it is the first end of a part that decides. As long as an explorer
//! has nothing to do, others give away what is left of their oldest graphs (`core/trail.rs`). The lock around the pass is
//! taken once for each subtree, and a subtree is worth milliseconds: so a list in order is enough, where deques that steal from
//! each other would know no order.
//!
//! Argument: what comes out is the same with any number of explorers, at any speed. It is a function of the parts in the order
//! of the exploration (`pass.rs`), wherever they were cut; an explorer stops early only if a part before its own has ended.

use crate::control::Control;
use crate::core::explorer::{End, Others};
use crate::core::shape::Shape;
use crate::core::threads::ThreadName;
use crate::observer::{Observer, PartObserver};
use crate::pass::{Common, ExploredPart, Folded, Pass, Start, explore_part, explorer_at};
use crate::record::Record;
use crate::subtree::{Path, Subtree};
use program::Hint;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::thread;

/// The explorers of a pass.
struct Crew<'a, S> {
    common: Common<'a>,
    board: Mutex<Board<'a, S>>,
    /// Something has changed for explorers that have nothing to do.
    changed: Condvar,
    /// How many have nothing to do.
    idle: AtomicUsize,
    /// How many subtrees nothing explores.
    left: AtomicUsize,
    /// Whether some parts do not matter any more.
    is_decided: AtomicBool,
}

/// How far they have come.
struct Board<'a, S> {
    pass: &'a mut Pass,
    /// Makes observers for parts.
    observer: Box<dyn PartObserver<S>>,
    /// Where the subtrees begin that are being explored.
    running: BTreeSet<Path>,
    /// The observers of parts that were explored and not folded.
    observers: BTreeMap<Path, Box<dyn PartObserver<S>>>,
    /// Those of parts that were folded, in order.
    folded: Vec<Box<dyn PartObserver<S>>>,
    /// Parts that begin after this one do not matter.
    decided: Option<Path>,
    /// How often parts were dropped, to be explored again.
    again: u64,
    /// How much of the exploration the subtrees are that nothing has explored, and those that are being explored, by where
    /// these begin: as far as it was asked for.
    shares: BTreeMap<Path, f64>,
    end: Option<Option<End>>,
}

/// A subtree that an explorer has taken.
struct Task<S> {
    subtree: Subtree,
    names: Option<Vec<ThreadName>>,
    recalled: Option<(usize, Record)>,
    observer: Box<dyn PartObserver<S>>,
    again: u64,
}

/// An explorer at work, as it sees the others.
struct Member<'c, 'a, P: Hint, C> {
    crew: &'c Crew<'a, P::State>,
    program: &'c P,
    start: Path,
    names: Option<&'c [ThreadName]>,
    again: u64,
    /// How often it was asked how much is left, when that was last told.
    told: Cell<u64>,
    shape: PhantomData<fn() -> C>,
}

impl<P: Hint, C: Shape> Member<'_, '_, P, C> {
    /// How much of the exploration the subtree is.
    fn share_of(&self, subtree: &Subtree) -> f64 {
        // What is noted and found on the way is of no interest, and nothing of it is told.
        let (control, mut nothing) = (Control::new(), ());
        let common = Common { control: &control, ..self.crew.common };
        let remarks = self.program.remarks();
        let share = explorer_at::<P, C>(self.program, common, self.names, &mut nothing).share_of(subtree);
        self.program.recall(&remarks);
        share
    }
}

impl<P: Hint, C: Shape> Others for Member<'_, '_, P, C> {
    fn let_pause(&self) -> bool {
        self.crew.common.control.is_pausing()
            || self.crew.is_decided.load(Ordering::Relaxed)
                && !self.crew.board().counts(&self.start, self.again)
    }

    fn are_waiting(&self) -> bool {
        self.crew.idle.load(Ordering::Relaxed) > self.crew.left.load(Ordering::Relaxed)
    }

    fn take(&self, subtree: Subtree, names: Vec<ThreadName>) {
        let share = (self.crew.common.control.asked() > 0).then(|| self.share_of(&subtree));
        let mut board = self.crew.board();
        if board.counts(&self.start, self.again) {
            board.pass.names.get_or_insert(names);
            board.shares.extend(share.map(|share| (subtree.start(), share)));
            board.pass.leave(subtree);
            self.crew.publish(&board);
        }
    }

    fn want_rest(&self) -> bool {
        self.told.get() < self.crew.common.control.asked()
    }

    fn tell_rest(&self, rest: &Subtree) {
        self.told.set(self.crew.common.control.asked());
        let share = self.share_of(rest);
        let mut board = self.crew.board();
        if board.counts(&self.start, self.again) {
            board.shares.insert(self.start.clone(), share);
            self.crew.common.control.set_share(1.0 - board.shares.values().sum::<f64>());
        }
    }
}

impl<S> Board<'_, S> {
    /// Whether a part matters that begins there, and was taken after parts were dropped so many times.
    fn counts(&self, start: &Path, again: u64) -> bool {
        let is_before = self.decided.as_ref().is_none_or(|decided| start <= decided);
        self.end.is_none() && self.again == again && is_before
    }

    /// Take the first subtree that nothing explores, if it matters.
    fn take(&mut self) -> Option<Task<S>> {
        let subtree = self.pass.left().iter().min_by_key(|subtree| subtree.start())?.clone();
        let start = subtree.start();
        if !self.counts(&start, self.again) {
            return None;
        }
        let observer = self.observer.for_part()?;
        self.pass.take(&subtree);
        self.running.insert(start);
        let (names, recalled) = (self.pass.names.clone(), self.pass.recalled());
        Some(Task { subtree, names, recalled, observer, again: self.again })
    }
}

impl<'a, S> Crew<'a, S> {
    fn board(&self) -> MutexGuard<'_, Board<'a, S>> {
        self.board.lock().expect("nothing panics while it has the board")
    }

    /// Something has changed on the board.
    fn publish(&self, board: &Board<'_, S>) {
        self.left.store(board.pass.left().len(), Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// The next subtree to explore; `None` if there will be none.
    fn next(&self) -> Option<Task<S>> {
        let mut board = self.board();
        loop {
            let control = self.common.control;
            if board.end.is_some() || control.cut().is_some() || control.is_pausing() {
                return None;
            }
            if let Some(task) = board.take() {
                self.publish(&board);
                return Some(task);
            }
            if board.running.is_empty() {
                return None;
            }
            self.idle.fetch_add(1, Ordering::Relaxed);
            board = self.changed.wait(board).expect("nothing panics while it has the board");
            self.idle.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Explore subtrees as long as there are any.
    fn work<P: Hint<State = S>, C: Shape>(&self, program: &P) {
        while let Some(task) = self.next() {
            let Task { subtree, names, recalled, mut observer, again } = task;
            let start = subtree.start();
            let member = Member::<P, C> {
                crew: self,
                program,
                start: start.clone(),
                names: names.as_deref(),
                again,
                told: Cell::new(0),
                shape: PhantomData,
            };
            let how = Start {
                common: self.common,
                subtree: &subtree,
                names: names.as_deref(),
                recalled: recalled.as_ref(),
                visits_per_look: None,
            };
            let explored = explore_part::<P, C>(program, &how, &mut *observer, Some(&member));
            let mut board = self.board();
            // What comes in after the end is of no use.
            if board.again == again && board.end.is_none() {
                board.running.remove(&start);
                board.shares.remove(&start);
                self.put(&mut board, explored, observer);
            }
            self.publish(&board);
        }
    }

    /// Put an explored part on the board, and fold.
    fn put(&self, board: &mut Board<'_, S>, explored: ExploredPart, observer: Box<dyn PartObserver<S>>) {
        let ExploredPart { part, left, names } = explored;
        if let Some(names) = names {
            board.pass.names.get_or_insert(names);
        }
        left.into_iter().for_each(|subtree| board.pass.leave(subtree));
        if let Some(part) = part {
            let start = part.subtree.start();
            if part.has_ended() && board.decided.as_ref().is_none_or(|decided| start < *decided) {
                board.decided = Some(start.clone());
                self.is_decided.store(true, Ordering::Relaxed);
            }
            board.observers.insert(start, observer);
            if self.common.options.fast_fail && part.is_violated() && !board.pass.is_unit() {
                board.pass.end_with(part);
                board.end = Some(Some(End::Violated));
                return;
            }
            board.pass.add(part);
        }
        let Board { pass, folded, observers, running, .. } = board;
        let fold = |start: &Path| folded.extend(observers.remove(start));
        match pass.fold(running.first(), self.common, fold) {
            Folded::GoesOn => {}
            Folded::Again => {
                board.again += 1;
                board.running.clear();
                board.observers.clear();
                board.shares.clear();
                board.decided = None;
                self.is_decided.store(true, Ordering::Relaxed);
            }
            Folded::Ended(end) => {
                board.end = Some(end);
                self.is_decided.store(true, Ordering::Relaxed);
            }
        }
    }
}

/// Explore what is left of a pass. Returns its end; [`End::Paused`] if it is not over.
pub(crate) fn explore_together<P, C>(
    program: &P,
    common: Common<'_>,
    pass: &mut Pass,
    observer: &mut dyn Observer<P::State>,
    part_observer: Box<dyn PartObserver<P::State>>,
) -> Option<End>
where
    P: Hint + Clone + Send,
    P::State: Send,
    C: Shape,
{
    // A pass that was written down may be over, and its parts not folded.
    let end = match pass.fold(None, common, |_| {}) {
        Folded::Ended(end) => Some(end),
        Folded::GoesOn | Folded::Again => None,
    };
    let left = AtomicUsize::new(pass.left().len());
    let board = Board {
        pass,
        observer: part_observer,
        running: BTreeSet::new(),
        observers: BTreeMap::new(),
        folded: Vec::new(),
        decided: None,
        again: 0,
        shares: BTreeMap::new(),
        end,
    };
    let crew = Crew {
        common,
        board: Mutex::new(board),
        changed: Condvar::new(),
        idle: AtomicUsize::new(0),
        left,
        is_decided: AtomicBool::new(false),
    };
    thread::scope(|scope| {
        for _ in 1..common.options.jobs {
            let (program, crew) = (program.clone(), &crew);
            scope.spawn(move || crew.work::<P, C>(&program));
        }
        crew.work::<P, C>(program);
    });
    let board = crew.board.into_inner().expect("no explorer has panicked");
    board.folded.into_iter().for_each(|part| observer.append(part));
    match (board.end, common.control.cut()) {
        (Some(end), _) => board.pass.end(end, common.options),
        (None, Some(cut)) => Some(End::Stopped(cut.into())),
        (None, None) => Some(End::Paused),
    }
}
