//! The incremental checker against brute force over every coherence order and against the offline check, after every
//! single event.

use base::{Order, Rng};
use consistency::incremental::{Incremental, Read, Rejected};
use consistency::{Answer, Event, Location, Op, Source, Thread, check};
use model::Model;
use testkit::effort;
use testkit::traces::every_co::EveryCo;
use testkit::traces::item::{Item, Mix, partial_execution, show};

fn read(item: Item) -> Read {
    Read { thread: Thread(item.thread), op: item.op, order: item.order, location: Location(item.location) }
}

/// Add an event. An error if the execution would be inconsistent.
fn add(checker: &mut Incremental, item: Item) -> Result<Event, Rejected> {
    Ok(match item.op {
        Op::Read | Op::Rmw => checker.bind(read(item), item.source)?,
        Op::Write => checker.push(Thread(item.thread), item.order, Location(item.location))?,
        Op::Fence => checker.fence(Thread(item.thread), item.order)?,
    })
}

/// Everything that a read of the location could read from.
fn sources(items: &[Item], location: u32) -> Vec<Source> {
    let writes = items.iter().enumerate().filter(|(_, item)| item.writes() && item.location == location);
    std::iter::once(Source::Init).chain(writes.map(|(event, _)| Source::Event(Event(event as u32)))).collect()
}

/// What was compared.
#[derive(Default, Debug)]
struct Tally {
    executions: usize,
    events: usize,
    accepted: usize,
    rejected: usize,
}

/// One random execution: at every read every source is tried, by the checker and by brute force.
fn compare(model: Model, random: &mut Rng, mix: Mix, events: u64, tally: &mut Tally) {
    let mut checker = Incremental::new(model).unwrap();
    let mut every = EveryCo::new(model, mix.threads as usize);
    let mut items: Vec<Item> = Vec::new();
    for _ in 0..events {
        let mut item = mix.draw(random);
        if item.reads() {
            let mut allowed = Vec::new();
            for source in sources(&items, item.location) {
                item.source = source;
                let expected = every.with(item).orders() > 0;
                let bound = checker.clone().bind(read(item), source);
                assert_eq!(bound.is_ok(), expected, "{model:?}\n{}{item} {bound:?}", show(&items));
                compare_with_offline(model, &items, item, expected);
                *if expected { &mut tally.accepted } else { &mut tally.rejected } += 1;
                allowed.extend(expected.then_some(source));
            }
            let candidates = checker.candidates(read(item));
            let mut found: Vec<Source> = candidates.iter().collect();
            let numbered = (0..candidates.numbers()).filter_map(|number| candidates.get(number));
            assert_eq!(numbered.collect::<Vec<_>>(), found);
            found.sort_by_key(|&source| sort_key(source));
            assert_eq!(found, allowed, "{model:?}\n{}{item}", show(&items));
            item.source = random.pick(&allowed);
        }
        every = every.with(item);
        assert!(every.orders() > 0, "an event that is no read was rejected by brute force");
        let event = add(&mut checker, item).unwrap();
        assert_eq!(event.index(), items.len());
        items.push(item);
        tally.events += 1;
        assert!(
            every.accepts_witness(&checker.witness()),
            "{model:?}\n{}{:?}",
            show(&items),
            checker.witness()
        );
        if every.orders() > 150 {
            break;
        }
    }
    tally.executions += 1;
}

/// The offline check looks for an order of the SC fences where these are in several threads; here they have one.
fn compare_with_offline(model: Model, items: &[Item], item: Item, expected: bool) {
    let items = [items, &[item]].concat();
    let is_sc_fence = |item: &&Item| item.op == Op::Fence && item.order == Order::SeqCst;
    let one_order = model == Model::Relaxed || items.iter().filter(is_sc_fence).count() <= 1;
    let consistent = matches!(check(&partial_execution(&items), model), Ok(Answer::Consistent(_)));
    assert!(consistent == expected || (!one_order && consistent), "{model:?} {consistent}\n{}", show(&items));
}

fn sort_key(source: Source) -> usize {
    match source {
        Source::Init => 0,
        Source::Event(event) => event.index() + 1,
    }
}

fn agrees_with_every_co(model: Model, fences: &[u64], sc: bool) {
    let mut random = Rng::new(0x7ea0 + model.rules().name.len() as u64);
    let mut tally = Tally::default();
    while tally.executions < effort::of(50_000) as usize {
        let mix = Mix { sc, fences: random.pick(fences), ..Mix::random(&mut random) };
        let events = 3 + random.below(8);
        compare(model, &mut random, mix, events, &mut tally);
    }
    assert!(tally.rejected * 4 > tally.accepted, "too few of them can be wrong: {tally:?}");
}

#[test]
fn ra_agrees_with_every_co() {
    agrees_with_every_co(Model::Ra, &[0, 0, 10], true);
}

#[test]
fn rc20_agrees_with_every_co() {
    agrees_with_every_co(Model::Rc20, &[0, 10, 20], true);
}

#[test]
fn relaxed_agrees_with_every_co() {
    agrees_with_every_co(Model::Relaxed, &[0, 0, 10], true);
}

#[test]
fn rc11_without_sc_events_agrees_with_every_co() {
    agrees_with_every_co(Model::Rc11, &[0, 10, 20], false);
    agrees_with_every_co(Model::C20, &[0, 10, 20], false);
}
