//! Observers of RC11's explorer: executions go on to another observer, those with load-buffering races are kept.

use crate::sources::Sources;
use explore::{Ending, Observer, PartObserver, View};
use graph::{ExecutionGraph, Label};
use model::xmm::Execution;
use std::any::Any;

/// Hands executions on, and keeps those that are sources.
pub(crate) struct Collector<'a, S> {
    observer: &'a mut dyn Observer<S>,
    pub(crate) sources: Sources,
    /// The number of threads in sources.
    pub(crate) threads: usize,
    /// Whether a thread other than `main` has created one.
    pub(crate) has_grandchildren: bool,
}

impl<'a, S> Collector<'a, S> {
    pub(crate) fn new(observer: &'a mut dyn Observer<S>) -> Self {
        Collector { observer, sources: Sources::default(), threads: 0, has_grandchildren: false }
    }
}

impl<S> Collector<'_, S> {
    fn add(&mut self, graph: ExecutionGraph) {
        self.threads = self.threads.max(graph.threads.len());
        let creates = |labels: &Vec<Label>| labels.iter().any(|label| matches!(label, Label::Create(_)));
        self.has_grandchildren |= graph.threads.iter().skip(1).any(creates);
        self.sources.add(graph, None);
    }
}

impl<S: 'static> Observer<S> for Collector<'_, S> {
    fn start(&mut self) {
        self.sources = Sources::default();
        self.observer.start();
    }

    fn wants_graphs(&self) -> bool {
        self.observer.wants_graphs()
    }

    fn wants_races(&self) -> bool {
        true
    }

    fn load_buffering(&mut self, view: &dyn View<S>) {
        self.add(view.graph());
    }

    fn execution(&mut self, ending: Ending, view: &dyn View<S>) {
        self.observer.execution(ending, view);
    }

    fn for_part(&self) -> Option<Box<dyn PartObserver<S>>> {
        Some(Box::new(CollectorOfPart { observer: self.observer.for_part()?, sources: Vec::new() }))
    }

    fn append(&mut self, part: Box<dyn Any>) {
        let part: Box<CollectorOfPart<S>> = part.downcast().expect("it was made here");
        part.sources.into_iter().for_each(|graph| self.add(graph));
        self.observer.append(part.observer);
    }
}

/// The same for a part of an exploration.
struct CollectorOfPart<S> {
    observer: Box<dyn PartObserver<S>>,
    sources: Vec<ExecutionGraph>,
}

impl<S: 'static> Observer<S> for CollectorOfPart<S> {
    fn wants_graphs(&self) -> bool {
        self.observer.wants_graphs()
    }

    fn wants_races(&self) -> bool {
        true
    }

    fn load_buffering(&mut self, view: &dyn View<S>) {
        self.sources.push(view.graph());
    }

    fn execution(&mut self, ending: Ending, view: &dyn View<S>) {
        self.observer.execution(ending, view);
    }

    fn for_part(&self) -> Option<Box<dyn PartObserver<S>>> {
        Some(Box::new(CollectorOfPart { observer: self.observer.for_part()?, sources: Vec::new() }))
    }
}

/// Hands executions on, and looks whether there are load-buffering races.
pub(crate) struct Watcher<'a, S> {
    observer: &'a mut dyn Observer<S>,
    pub(crate) has_races: bool,
}

impl<'a, S> Watcher<'a, S> {
    pub(crate) fn new(observer: &'a mut dyn Observer<S>) -> Self {
        Watcher { observer, has_races: false }
    }
}

impl<S: 'static> Observer<S> for Watcher<'_, S> {
    fn start(&mut self) {
        self.has_races = false;
        self.observer.start();
    }

    fn wants_graphs(&self) -> bool {
        self.observer.wants_graphs()
    }

    fn wants_races(&self) -> bool {
        !self.has_races
    }

    fn load_buffering(&mut self, view: &dyn View<S>) {
        self.has_races = self.has_races || Execution::of(&view.graph()).is_racy();
    }

    fn execution(&mut self, ending: Ending, view: &dyn View<S>) {
        self.observer.execution(ending, view);
    }

    fn for_part(&self) -> Option<Box<dyn PartObserver<S>>> {
        Some(Box::new(WatcherOfPart { observer: self.observer.for_part()?, has_races: false }))
    }

    fn append(&mut self, part: Box<dyn Any>) {
        let part: Box<WatcherOfPart<S>> = part.downcast().expect("it was made here");
        self.has_races |= part.has_races;
        self.observer.append(part.observer);
    }
}

/// The same for a part of an exploration.
struct WatcherOfPart<S> {
    observer: Box<dyn PartObserver<S>>,
    has_races: bool,
}

impl<S: 'static> Observer<S> for WatcherOfPart<S> {
    fn wants_graphs(&self) -> bool {
        self.observer.wants_graphs()
    }

    fn wants_races(&self) -> bool {
        !self.has_races
    }

    fn load_buffering(&mut self, view: &dyn View<S>) {
        self.has_races = self.has_races || Execution::of(&view.graph()).is_racy();
    }

    fn execution(&mut self, ending: Ending, view: &dyn View<S>) {
        self.observer.execution(ending, view);
    }

    fn for_part(&self) -> Option<Box<dyn PartObserver<S>>> {
        Some(Box::new(WatcherOfPart { observer: self.observer.for_part()?, has_races: false }))
    }
}
