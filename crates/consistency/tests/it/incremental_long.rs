//! The incremental checker against the offline one on executions that are too long for brute force: chains that grow
//! for a long time, clocks that were not closed for a long time.

use base::Rng;
use consistency::incremental::{Incremental, Read};
use consistency::{Answer, Event, Location, Op, Source, Thread, check};
use model::Model;
use testkit::traces::every_co::EveryCo;
use testkit::traces::item::{Item, Mix, partial_execution, show};

fn agrees_with_offline(model: Model, executions: usize) {
    let mut random = Rng::new(0x10e6);
    let (mut accepted, mut rejected) = (0, 0);
    for _ in 0..executions {
        let (threads, locations) = (3 + random.below(4), 1 + random.below(2));
        let mix = Mix { threads, locations, fences: random.pick(&[0, 10]), ..Mix::random(&mut random) };
        let newest = random.pick(&[0, 40, 80]);
        let mut checker = Incremental::new(model).unwrap();
        let mut items: Vec<Item> = Vec::new();
        for _ in 0..45 {
            let mut item = mix.draw(&mut random);
            if item.reads() {
                let candidates = compare(model, &mut checker, &items, item);
                accepted += candidates.len();
                rejected +=
                    items.iter().filter(|other| other.writes() && other.location == item.location).count()
                        + 1
                        - candidates.len();
                let last = candidates[candidates.len() - 1];
                item.source = if random.percent(newest) { last } else { random.pick(&candidates) };
            }
            add(&mut checker, item);
            items.push(item);
        }
        let execution = EveryCo::unchecked(model, threads as usize, &items);
        assert!(execution.accepts_witness(&checker.witness()), "{model:?}\n{}", show(&items));
    }
    assert!(rejected * 4 > accepted && accepted * 4 > rejected, "{accepted} {rejected}");
}

/// Every source of a new read, tried by both checks: those that are allowed, the newest last.
fn compare(model: Model, checker: &mut Incremental, items: &[Item], item: Item) -> Vec<Source> {
    let read = read(item);
    let candidates: Vec<Source> = checker.candidates(read).iter().collect();
    let writes =
        (0..items.len()).filter(|&other| items[other].writes() && items[other].location == item.location);
    let mut allowed = Vec::new();
    for source in std::iter::once(Source::Init).chain(writes.map(|event| Source::Event(Event(event as u32))))
    {
        let longer = partial_execution(&[items, &[Item { source, ..item }]].concat());
        let expected = matches!(check(&longer, model), Ok(Answer::Consistent(_)));
        let bound = checker.clone().bind(read, source);
        assert_eq!(bound.is_ok(), expected, "{model:?}\n{}{item} {source:?} {bound:?}", show(items));
        assert_eq!(candidates.contains(&source), expected, "{model:?}\n{}{item} {source:?}", show(items));
        allowed.extend(expected.then_some(source));
    }
    assert_eq!(candidates.len(), allowed.len(), "one of them is there twice");
    allowed
}

fn read(item: Item) -> Read {
    Read { thread: Thread(item.thread), op: item.op, order: item.order, location: Location(item.location) }
}

fn add(checker: &mut Incremental, item: Item) {
    let thread = Thread(item.thread);
    match item.op {
        Op::Read | Op::Rmw => drop(checker.bind(read(item), item.source).unwrap()),
        Op::Write => drop(checker.push(thread, item.order, Location(item.location)).unwrap()),
        Op::Fence => drop(checker.fence(thread, item.order).unwrap()),
    }
}

#[test]
fn long_executions_agree_with_the_offline_check() {
    for model in [Model::Ra, Model::Rc20, Model::Rc11, Model::C20, Model::Relaxed] {
        agrees_with_offline(model, 200);
    }
}
