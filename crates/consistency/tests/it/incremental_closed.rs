//! The incremental checker against a reference whose order is always transitively closed: the same sources are
//! accepted.

use base::{Order, Rng};
use consistency::incremental::{Incremental, Read};
use consistency::{Event, Location, Op, Source, Thread};
use model::Model;
use testkit::traces::closed_mo::ClosedMo;

#[test]
fn the_twin_accepts_the_same_sources() {
    let mut random = Rng::new(0xc105ed);
    let (mut accepted, mut rejected) = (0, 0);
    for _ in 0..400 {
        let (threads, locations) = (2 + random.below(4), 1 + random.below(2));
        let rmws = random.pick(&[0, 30, 70]);
        let mut checker = Incremental::new(Model::Ra).expect("RA is supported");
        let mut twin = ClosedMo::new(threads as usize, locations as usize);
        let mut writes: Vec<(Location, Event)> = Vec::new();
        for _ in 0..50 {
            let thread = Thread(random.below(threads) as u32);
            let location = Location(random.below(locations) as u32);
            if random.percent(35) {
                let event = checker.push(thread, Order::Release, location).expect("RA is supported");
                assert_eq!(twin.push(thread, location), event);
                writes.push((location, event));
                continue;
            }
            let op = if random.percent(rmws) { Op::Rmw } else { Op::Read };
            let read = Read { thread, op, order: Order::AcqRel, location };
            let here = writes.iter().filter(|write| write.0 == location);
            let sources: Vec<Source> =
                std::iter::once(Source::Init).chain(here.map(|write| Source::Event(write.1))).collect();
            let mut allowed = Vec::new();
            for &source in &sources {
                let expected = checker.clone().bind(read, source).is_ok();
                assert_eq!(twin.clone().bind(thread, op, location, source).is_ok(), expected, "{source:?}");
                allowed.extend(expected.then_some(source));
            }
            accepted += allowed.len();
            rejected += sources.len() - allowed.len();
            let source = random.pick(&allowed);
            let event = checker.bind(read, source).expect("it is allowed");
            assert_eq!(twin.bind(thread, op, location, source), Ok(event));
            if op == Op::Rmw {
                writes.push((location, event));
            }
        }
    }
    assert!(accepted > 10_000 && rejected > 10_000, "{accepted} {rejected}");
}
