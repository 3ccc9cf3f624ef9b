//! The searches for SRA, SC and TSO on executions that were thought up, and on long ones.

use base::Order::{self, Relaxed, SeqCst};
use base::Rng;
use consistency::{Answer, Event, Op, Reason, Source, check};
use model::Model;
use testkit::traces::item::{Item, Mix, partial_execution};

const MODELS: [Model; 3] = [Model::Sra, Model::Sc, Model::Tso];

/// An execution with a short way to write it down.
#[derive(Clone, Default)]
struct Script {
    items: Vec<Item>,
}

impl Script {
    fn add(&mut self, thread: u32, op: Op, order: Order, location: u32, source: Source) -> Source {
        self.items.push(Item { thread, op, order, location, source });
        Source::Event(Event(self.items.len() as u32 - 1))
    }

    fn write(&mut self, thread: u32, location: u32) -> Source {
        self.add(thread, Op::Write, Relaxed, location, Source::Init)
    }

    fn read(&mut self, thread: u32, location: u32, source: Source) {
        self.add(thread, Op::Read, Relaxed, location, source);
    }

    fn update(&mut self, thread: u32, location: u32, source: Source) -> Source {
        self.add(thread, Op::Rmw, Relaxed, location, source)
    }

    fn check(&self, model: Model) -> Answer {
        check(&partial_execution(&self.items), model).unwrap()
    }

    fn is_consistent(&self, model: Model) -> bool {
        matches!(self.check(model), Answer::Consistent(_))
    }
}

/// Which of SRA, SC and TSO allow it.
fn allowed(script: &Script) -> [bool; 3] {
    MODELS.map(|model| script.is_consistent(model))
}

#[test]
fn the_models_differ_where_they_should() {
    let mut store_buffering = Script::default();
    store_buffering.write(0, 0);
    store_buffering.read(0, 1, Source::Init);
    store_buffering.write(1, 1);
    store_buffering.read(1, 0, Source::Init);
    assert_eq!(allowed(&store_buffering), [true, false, true]);

    let mut fenced = Script::default();
    for thread in [0, 1] {
        fenced.write(thread, thread);
        fenced.add(thread, Op::Fence, SeqCst, 0, Source::Init);
        fenced.read(thread, 1 - thread, Source::Init);
    }
    assert_eq!(allowed(&fenced), [false, false, false]);

    let mut independent = Script::default();
    let (x, y) = (independent.write(0, 0), independent.write(1, 1));
    independent.read(2, 0, x);
    independent.read(2, 1, Source::Init);
    independent.read(3, 1, y);
    independent.read(3, 0, Source::Init);
    assert_eq!(allowed(&independent), [true, false, false]);

    let mut own_buffer = Script::default();
    for thread in [0, 1] {
        let own = own_buffer.write(thread, thread);
        own_buffer.read(thread, thread, own);
        own_buffer.read(thread, 1 - thread, Source::Init);
    }
    assert_eq!(allowed(&own_buffer), [true, false, true]);
}

#[test]
fn a_cycle_out_of_thin_air_is_shown() {
    let mut script = Script::default();
    script.read(0, 0, Source::Event(Event(3)));
    script.write(0, 1);
    script.read(1, 1, Source::Event(Event(1)));
    script.write(1, 0);
    for model in MODELS {
        let Answer::Inconsistent(Reason::Cycle(steps)) = script.check(model) else { panic!("{model:?}") };
        assert_eq!(steps.len(), 4, "{model:?} {steps:?}");
    }
}

#[test]
fn long_chains_and_reads_of_them() {
    for model in MODELS {
        let mut script = Script::default();
        let mut last = script.write(0, 0);
        let mut middle = last;
        for number in 1..60_000 {
            last = script.update(number % 4, 0, last);
            if number == 30_000 {
                middle = last;
            }
        }
        script.read(4, 0, middle);
        assert!(script.is_consistent(model), "{model:?}");
        // Who is in the chain later on does not go back.
        script.read(0, 0, middle);
        assert!(matches!(script.check(model), Answer::Inconsistent(Reason::Cycle(_))), "{model:?}");
    }
}

/// Two chains, of x and of y, that go through both threads and are never complete at the same time.
fn interleaved(length: u32) -> Script {
    let mut script = Script::default();
    let (mut x, mut y) = (script.write(0, 0), script.write(1, 1));
    for number in 0..length {
        x = script.update(number % 2, 0, x);
        y = script.update(1 - number % 2, 1, y);
    }
    script
}

#[test]
fn two_interleaved_chains() {
    for model in MODELS {
        let mut script = interleaved(5_000);
        assert!(script.is_consistent(model), "{model:?}");
        // Other chains of the same locations must be before or after.
        for thread in [2, 3] {
            let (x, y) = (script.write(thread, 0), script.write(thread, 1));
            script.update(5 - thread, 1, y);
            script.update(5 - thread, 0, x);
        }
        assert!(script.is_consistent(model), "{model:?}");
    }
}

/// A write that must be between the two writes of a chain, by orders of writes to other locations: those are told by
/// `observe`d reads. No cycle of `hb` and lemma 3.2 shows it.
fn in_the_middle(observe: bool) -> Script {
    let mut script = Script::default();
    let top = script.write(0, 0);
    let y1 = script.write(0, 1);
    let y2 = script.write(1, 1);
    script.write(1, 0);
    let z1 = script.write(1, 2);
    let z2 = script.write(2, 2);
    script.update(2, 0, top);
    script.read(3, 1, y1);
    script.read(3, 1, y2);
    script.read(3, 2, z1);
    if observe {
        script.read(3, 2, z2);
    }
    script
}

#[test]
fn only_the_last_event_makes_it_inconsistent() {
    for model in MODELS {
        assert!(in_the_middle(false).is_consistent(model), "{model:?}");
        assert!(!in_the_middle(true).is_consistent(model), "{model:?}");
    }
    // The search finds it out; what can be said of it afterwards is more where there is one order of all accesses.
    assert_eq!(in_the_middle(true).check(Model::Sra), Answer::Inconsistent(Reason::Exhausted));
    for model in [Model::Sc, Model::Tso] {
        let Answer::Inconsistent(Reason::Cycle(steps)) = in_the_middle(true).check(model) else { panic!() };
        assert_eq!(steps.len(), 3, "{model:?} {steps:?}");
    }
    // A cycle of hb and lemma 3.2 that needs the very last read, at any length.
    for model in MODELS {
        let mut script = interleaved(1_000);
        let (a, b) = (script.write(2, 2), script.write(3, 2));
        script.read(2, 2, b);
        assert!(script.is_consistent(model), "{model:?}");
        script.read(3, 2, a);
        assert!(matches!(script.check(model), Answer::Inconsistent(Reason::Cycle(_))), "{model:?}");
    }
}

#[test]
fn long_interleavings_need_no_alternatives() {
    let mut random = Rng::new(7);
    let mix = Mix { threads: 8, locations: 200, writes: 35, rmws: 15, fences: 2, plain: 20, sc: false };
    let mut latest = vec![Source::Init; mix.locations as usize];
    let mut script = Script::default();
    for number in 0..100_000 {
        let mut item = mix.draw(&mut random);
        if item.op != Op::Fence {
            item.source = latest[item.location as usize];
        }
        if item.writes() {
            latest[item.location as usize] = Source::Event(Event(number));
        }
        script.items.push(item);
    }
    // As they were executed, and as a recorder mixes them up a bit: then the interleaving has to be found.
    for items in [script.items.clone(), by_thread_in_windows(&script.items)] {
        let execution = partial_execution(&items);
        for model in MODELS {
            let answer = check(&execution, model).unwrap();
            let Answer::Consistent(witness) = answer else { panic!("{model:?} {answer:?}") };
            let writes = items.iter().filter(|item| item.writes()).count();
            assert_eq!(witness.co.iter().map(Vec::len).sum::<usize>(), writes, "{model:?}");
        }
    }
}

/// The same events, of each sixteen one thread after the other.
fn by_thread_in_windows(items: &[Item]) -> Vec<Item> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|&number| (number / 16, items[number].thread));
    let mut place = vec![0; items.len()];
    order.iter().enumerate().for_each(|(new, &old)| place[old] = new as u32);
    let renamed = |source| match source {
        Source::Init => Source::Init,
        Source::Event(event) => Source::Event(Event(place[event.index()])),
    };
    order.iter().map(|&number| Item { source: renamed(items[number].source), ..items[number] }).collect()
}
