//! The events of a random run, handed to the incremental consistency checker and to a reference whose order is always
//! transitively closed (\[RF\] table 2, last column): the same events with the same sources, under RA.
//!
//! The run is one of RA. Programs that need SC accesses or fences soon go wrong there; their run is one of SC, which RA
//! allows as well. Creating and joining threads is left out, so there is less to order, for both.

use base::{Access, EventId, Order};
use consistency::incremental::{Incremental, Read};
use consistency::{Event, Location, Op, Source, Thread};
use fuzz::{Options, Recorded};
use graph::Label;
use model::Model;
use std::collections::BTreeMap;
use std::path::Path;
use testkit::traces::closed_mo::ClosedMo;

/// So many events are compared, if the reference can do them in time.
const EVENTS: u64 = 1_000_000;
const SECONDS: f64 = 10.0;

/// How many seconds of processor time both took for as many events.
#[derive(Debug)]
pub(crate) struct Compared {
    pub(crate) model: Model,
    pub(crate) events: usize,
    pub(crate) lazy: f64,
    pub(crate) closed: f64,
}

#[derive(Clone, Copy, Debug)]
struct Step {
    thread: Thread,
    op: Op,
    location: Location,
    source: Source,
}

pub(crate) fn compare(file: &Path, cflags: &str) -> Option<Compared> {
    let cflags = cflags.split_whitespace().map(str::to_owned).collect();
    let request = llvm::CompileRequest { cflags, ..llvm::CompileRequest::new(file) };
    let module = llvm::compile(&request).ok()?.module;
    let options = vm::Options { spin: vm::Spin::None, has_co: true, ..vm::Options::default() };
    let mut machine = vm::Machine::new(module, options).ok()?;
    let mut run = |model| {
        let options = Options { events: EVENTS, ..Options::new(model) };
        Some((model, fuzz::record(&mut machine, &options, 0)?))
    };
    let whole = |(_, events): &(Model, Vec<Recorded>)| events.len() as u64 >= EVENTS;
    let (model, events) = run(Model::Ra).filter(whole).or_else(|| run(Model::Sc))?;
    let steps = steps(&events);
    let (events, closed) = closed(&steps);
    Some(Compared { model, events, lazy: incremental(&steps[..events]), closed })
}

/// The accesses, by number instead of by name.
fn steps(events: &[Recorded]) -> Vec<Step> {
    let mut locations: BTreeMap<Access, Location> = BTreeMap::new();
    let mut numbers: BTreeMap<EventId, Event> = BTreeMap::new();
    let mut steps = Vec::new();
    for Recorded { id, label, source } in events {
        let (at, op) = match *label {
            Label::Read { at, .. } => (at, Op::Read),
            Label::Write { at, .. } => (at, Op::Write),
            Label::Rmw { at, .. } => (at, Op::Rmw),
            _ => continue,
        };
        let next = Location(locations.len() as u32);
        let location = *locations.entry(at).or_insert(next);
        let source = match source {
            Some(graph::Source::Event(write)) => Source::Event(numbers[write]),
            Some(graph::Source::Init) | None => Source::Init,
        };
        if op != Op::Read {
            numbers.insert(*id, Event(steps.len() as u32));
        }
        steps.push(Step { thread: Thread(id.thread.0), op, location, source });
    }
    steps
}

fn incremental(steps: &[Step]) -> f64 {
    let start = own_seconds();
    let mut checker = Incremental::new(Model::Ra).expect("RA is supported");
    for &Step { thread, op, location, source } in steps {
        if op == Op::Write {
            checker.push(thread, Order::Release, location).expect("RA is supported");
        } else {
            let read = Read { thread, op, order: Order::AcqRel, location };
            checker.bind(read, source).expect("a run is consistent");
        }
    }
    own_seconds() - start
}

/// How many events it has done, and in which time.
fn closed(steps: &[Step]) -> (usize, f64) {
    let (threads, locations) = (
        steps.iter().map(|step| step.thread.0 as usize + 1).max().unwrap_or(0),
        steps.iter().map(|step| step.location.0 as usize + 1).max().unwrap_or(0),
    );
    let start = own_seconds();
    let mut twin = ClosedMo::new(threads, locations);
    for (number, &Step { thread, op, location, source }) in steps.iter().enumerate() {
        let taken = || own_seconds() - start;
        if number.is_multiple_of(1000) && taken() > SECONDS {
            return (number, taken());
        }
        match op {
            Op::Write => _ = twin.push(thread, location),
            _ => _ = twin.bind(thread, op, location, source).expect("a run is consistent"),
        }
    }
    (steps.len(), own_seconds() - start)
}

fn own_seconds() -> f64 {
    crate::processor_seconds(crate::Of::Itself).unwrap_or(0.0)
}
