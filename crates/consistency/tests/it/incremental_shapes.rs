//! The incremental checker on executions that were thought up: the smallest that tell the corrected lines of algorithm 5
//! from the printed ones, and shapes that are hard on chains and clocks.

use base::Order::{self, Acquire, NotAtomic, Relaxed, Release, SeqCst};
use consistency::incremental::{Incremental, Read, Rejected};
use consistency::{Event, Location, Op, Source, Thread, Unsupported};
use model::Model;

const MODELS: [Model; 5] = [Model::Ra, Model::Rc20, Model::Rc11, Model::C20, Model::Relaxed];

/// A checker with a short way to say what happens. Locations are numbers, threads too.
struct Script {
    checker: Incremental,
}

impl Script {
    fn new(model: Model) -> Script {
        Script { checker: Incremental::new(model).unwrap() }
    }

    fn write(&mut self, thread: u32, location: u32) -> Source {
        self.write_as(thread, location, Release)
    }

    fn write_as(&mut self, thread: u32, location: u32, order: Order) -> Source {
        Source::Event(self.checker.push(Thread(thread), order, Location(location)).unwrap())
    }

    fn fence(&mut self, thread: u32, order: Order) {
        self.checker.fence(Thread(thread), order).unwrap();
    }

    fn read(&mut self, thread: u32, location: u32, source: Source) -> Result<(), Rejected> {
        self.read_as(thread, location, source, Acquire)
    }

    fn read_as(&mut self, thread: u32, location: u32, source: Source, order: Order) -> Result<(), Rejected> {
        let read = Read { thread: Thread(thread), op: Op::Read, order, location: Location(location) };
        self.checker.bind(read, source).map(drop)
    }

    fn update(&mut self, thread: u32, location: u32, source: Source) -> Result<Source, Rejected> {
        let read = Read { thread: Thread(thread), op: Op::Rmw, order: Relaxed, location: Location(location) };
        self.checker.bind(read, source).map(Source::Event)
    }

    fn candidates(&mut self, thread: u32, op: Op, location: u32) -> Vec<Source> {
        let read = Read { thread: Thread(thread), op, order: Relaxed, location: Location(location) };
        self.checker.candidates(read).iter().collect()
    }
}

fn is_overwritten(result: Result<(), Rejected>) -> bool {
    matches!(result, Err(Rejected::Overwritten { .. }))
}

#[test]
fn line_24_the_thread_learns_what_its_source_knew() {
    for model in [Model::Ra, Model::Rc20, Model::Rc11, Model::C20] {
        let mut script = Script::new(model);
        let data = script.write(0, 0);
        let flag = script.write(0, 1);
        script.read(1, 1, flag).unwrap();
        let Source::Event(by) = data else { unreachable!("is a write") };
        assert_eq!(script.read(1, 0, Source::Init), Err(Rejected::Overwritten { by }));
        assert_eq!(script.candidates(1, Op::Read, 0), [data]);
    }
}

#[test]
fn no_two_read_modify_writes_read_the_same_write() {
    for model in MODELS {
        let mut script = Script::new(model);
        let first = script.update(0, 0, Source::Init).unwrap();
        assert_eq!(script.update(1, 0, Source::Init), Err(Rejected::Taken { by: Event(0) }));
        assert_eq!(script.candidates(1, Op::Rmw, 0), [first]);
        assert_eq!(script.candidates(1, Op::Read, 0).len(), 2);
    }
}

#[test]
fn line_12_a_thread_may_read_its_own_chain() {
    for model in MODELS {
        let mut script = Script::new(model);
        let first = script.write(0, 0);
        let second = script.update(0, 0, first).unwrap();
        let third = script.update(0, 0, second).unwrap();
        assert!(is_overwritten(script.read(0, 0, second)));
        script.read(0, 0, third).unwrap();
        script.update(0, 0, third).unwrap();
    }
}

#[test]
fn initial_writes_are_before_all_others() {
    for model in MODELS {
        let mut script = Script::new(model);
        script.write(0, 0);
        assert!(is_overwritten(script.read(0, 0, Source::Init)));
        // The chain of the initial write is before every other one.
        let update = script.update(1, 0, Source::Init).unwrap();
        assert!(is_overwritten(script.read(0, 0, update)));
        script.read(1, 0, update).unwrap();
    }
}

#[test]
fn relaxed_reads_count_as_seen() {
    for model in MODELS {
        let mut script = Script::new(model);
        let write = script.write_as(1, 0, Relaxed);
        script.read_as(0, 0, write, Relaxed).unwrap();
        assert!(is_overwritten(script.read_as(0, 0, Source::Init, Relaxed)));
        // What was seen is before what is written then.
        let later = script.write_as(0, 0, Relaxed);
        script.read_as(2, 0, later, Relaxed).unwrap();
        assert!(is_overwritten(script.read_as(2, 0, write, Relaxed)));
    }
}

#[test]
fn a_long_chain_through_all_threads() {
    const LENGTH: usize = 100_000;
    for model in MODELS {
        let mut script = Script::new(model);
        let mut chain = vec![script.write(0, 0)];
        for number in 1..LENGTH {
            let next = script.update(number as u32 % 4, 0, chain[number - 1]).unwrap();
            chain.push(next);
        }
        assert!(is_overwritten(script.read(0, 0, chain[LENGTH / 2])));
        // Nothing is known to a new thread, and nobody updates the initial write.
        assert_eq!(script.candidates(4, Op::Rmw, 0), [chain[LENGTH - 1], Source::Init]);
        assert_eq!(script.candidates(4, Op::Read, 0).len(), LENGTH + 1);
        script.read_as(4, 0, chain[LENGTH - 2], Relaxed).unwrap();
        assert_eq!(script.candidates(4, Op::Read, 0), chain[LENGTH - 2..]);
        assert_eq!(script.checker.witness().co[0].len(), LENGTH);
    }
}

#[test]
fn two_interleaved_chains_are_ordered_as_wholes() {
    for model in MODELS {
        let mut script = Script::new(model);
        let (mut first, mut second) = (script.write_as(0, 0, Relaxed), script.write_as(1, 0, Relaxed));
        let (old_first, old_second) = (first, second);
        // Somebody sees the first chain, then the second.
        script.read_as(2, 0, first, Relaxed).unwrap();
        script.read_as(2, 0, second, Relaxed).unwrap();
        for thread in [0, 4, 0, 5] {
            first = script.update(thread, 0, first).unwrap();
            second = script.update(thread + 10, 0, second).unwrap();
        }
        // What joined the chains later has the same order.
        script.read_as(3, 0, old_second, Relaxed).unwrap();
        assert!(is_overwritten(script.read_as(3, 0, first, Relaxed)));
        script.read_as(6, 0, first, Relaxed).unwrap();
        assert!(is_overwritten(script.read_as(6, 0, old_first, Relaxed)));
        script.read_as(6, 0, old_second, Relaxed).unwrap();
        let co = script.checker.witness().co[0].iter().map(|&event| Source::Event(event)).collect::<Vec<_>>();
        assert_eq!((co[4], co[9]), (first, second));
    }
}

#[test]
fn a_cycle_that_only_the_last_event_closes() {
    const THREADS: u32 = 40;
    for model in MODELS {
        for backwards in [false, true] {
            let mut script = Script::new(model);
            let writes: Vec<Source> =
                (0..THREADS).map(|thread| script.write_as(thread, 0, Relaxed)).collect();
            let mut order: Vec<u32> = (0..THREADS - 1).collect();
            if backwards {
                order.reverse();
            }
            // Every write is before that of the next thread; only the last one does not know it.
            for thread in order {
                script.read_as(thread, 0, writes[thread as usize + 1], NotAtomic).unwrap();
            }
            for &write in &writes[..THREADS as usize - 1] {
                assert!(is_overwritten(script.read_as(THREADS - 1, 0, write, NotAtomic)));
            }
            script.read_as(THREADS - 1, 0, writes[THREADS as usize - 1], NotAtomic).unwrap();
        }
    }
}

#[test]
fn old_writes_whose_writer_has_gone_on_learn_what_is_before_them() {
    // poPropagate: thread 0's second write comes after its first, so after what comes before that by a later read.
    for model in MODELS {
        let mut script = Script::new(model);
        let first = script.write_as(0, 0, Relaxed);
        let second = script.write_as(0, 0, Relaxed);
        let other = script.write_as(1, 0, Relaxed);
        script.read_as(1, 0, first, Relaxed).unwrap();
        script.read_as(2, 0, second, Relaxed).unwrap();
        assert!(is_overwritten(script.read_as(2, 0, other, Relaxed)));
    }
}

#[test]
fn fences_and_release_sequences_synchronise_as_the_model_says() {
    // Data, then a flag that is written again, relaxed; who acquires the second value knows the data only under RC11.
    for (model, knows) in [
        (Model::Rc20, false),
        (Model::C20, false),
        (Model::Rc11, true),
        (Model::Ra, true),
        (Model::Relaxed, false),
    ] {
        let mut script = Script::new(model);
        script.write(0, 0);
        script.write(0, 1);
        let again = script.write_as(0, 1, Relaxed);
        script.read(1, 1, again).unwrap();
        assert_eq!(is_overwritten(script.read(1, 0, Source::Init)), knows, "{model:?}");
    }
    for (model, knows) in
        [(Model::Rc20, true), (Model::Rc11, true), (Model::C20, true), (Model::Relaxed, false)]
    {
        let mut script = Script::new(model);
        script.write_as(0, 0, NotAtomic);
        script.fence(0, Release);
        let flag = script.write_as(0, 1, Relaxed);
        let flag = script.update(1, 1, flag).unwrap();
        script.read_as(2, 1, flag, Relaxed).unwrap();
        script.fence(2, Acquire);
        assert_eq!(is_overwritten(script.read_as(2, 0, Source::Init, NotAtomic)), knows, "{model:?}");
    }
}

#[test]
fn sc_fences_are_in_the_order_of_arrival() {
    for (model, ordered) in [(Model::Ra, true), (Model::Rc20, true), (Model::Relaxed, false)] {
        let mut script = Script::new(model);
        script.write_as(0, 0, Relaxed);
        script.fence(0, SeqCst);
        script.read_as(0, 1, Source::Init, Relaxed).unwrap();
        script.write_as(1, 1, Relaxed);
        script.fence(1, SeqCst);
        assert_eq!(is_overwritten(script.read_as(1, 0, Source::Init, Relaxed)), ordered, "{model:?}");
    }
}

#[test]
fn what_is_not_supported_is_refused() {
    for model in Model::ALL.into_iter().filter(|model| !MODELS.contains(model)) {
        assert!(matches!(Incremental::new(model), Err(Unsupported::Model)), "{model:?}");
    }
    for model in [Model::Rc11, Model::C20] {
        let mut script = Script::new(model);
        let refused = Err(Unsupported::ScEvents);
        assert_eq!(script.checker.push(Thread(0), SeqCst, Location(0)), refused);
        assert_eq!(script.checker.fence(Thread(0), SeqCst), refused);
        assert_eq!(
            script.read_as(0, 0, Source::Init, SeqCst),
            Err(Rejected::Unsupported(Unsupported::ScEvents))
        );
        assert!(script.checker.is_empty());
    }
}
