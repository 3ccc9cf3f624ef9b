//! Data races: \[RCMC\] definition 3.10, with respect to the happens-before of any model.
//!
//! Two accesses race iff they are to the same location, one of them writes, one of them is plain, and neither
//! happens before the other. Remark 1 of the paper is then no special case: a read that can read from one write
//! only, because coherence rules out the others, races with it all the same if that order is not `hb`.
//!
//! Not here: accesses that race with the end of an object's life.

use crate::declarative::Relations;
use crate::relation::Relation;
use base::EventId;

/// The races, each once, the smaller event first, in order.
pub fn races(g: &Relations, hb: &Relation) -> Vec<(EventId, EventId)> {
    let e = &g.events;
    let conflicting = g.loc.restrict_dom(&e.writes).union(&g.loc.restrict_rng(&e.writes));
    let mut races = Vec::new();
    for (a, b) in conflicting.minus(hb).minus(&hb.inverse()).pairs() {
        // Initial writes are hb-before everything; the halves of a read-modify-write have one id.
        let (Some(first), Some(second)) = (e.ids[a], e.ids[b]) else { continue };
        if first < second && !(e.atomic.contains(a) && e.atomic.contains(b)) {
            races.push((first, second));
        }
    }
    races.sort();
    races.dedup();
    races
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rc11::hb;
    use graph::ExecutionGraph;

    fn racing(text: &str) -> Vec<String> {
        let g = Relations::of(&text.parse::<ExecutionGraph>().unwrap());
        races(&g, &hb(&g)).iter().map(|(a, b)| format!("{a} {b}")).collect()
    }

    #[test]
    fn message_passing_races_without_synchronisation() {
        let text = "thread 0\n  W na 0x8/8 = 1\n  W rel 0x10/8 = 1\n\
                    thread 1\n  R acq 0x10/8 = 1 rf 0:1\n  R na 0x8/8 = 1 rf 0:0\nco 0x8/8: 0:0\nco 0x10/8: 0:1\n";
        assert_eq!(racing(text), [""; 0]);
        assert_eq!(racing(&text.replace("rel", "rlx")), ["0:0 1:1"]);
    }

    #[test]
    fn remark_1() {
        let text = "thread 0\n  W rlx 0x8/8 = 1\nthread 1\n  R rlx 0x8/8 = 1 rf 0:0\n  R na 0x8/8 = 1 rf 0:0\n\
                    co 0x8/8: 0:0\n";
        assert_eq!(racing(text), ["0:0 1:1"]);
        assert_eq!(racing(&text.replace("R na", "R rlx")), [""; 0], "atomic accesses do not race");
        assert_eq!(racing(&text.replace("W rlx", "W rel").replace("R rlx", "R acq")), [""; 0]);
    }

    #[test]
    fn reads_do_not_race_with_reads_and_a_read_modify_write_races_once() {
        let reads = "thread 0\n  R na 0x8/8 = 0 rf init\nthread 1\n  R na 0x8/8 = 0 rf init\n";
        assert_eq!(racing(reads), [""; 0]);
        let rmw =
            "thread 0\n  RMW sc 0x8/8 = 0 -> 1 rf init\nthread 1\n  W na 0x8/8 = 1\nco 0x8/8: 0:0 1:0\n";
        assert_eq!(racing(rmw), ["0:0 1:0"]);
    }

    #[test]
    fn creation_and_join_order() {
        let text = "thread 0\n  W na 0x8/8 = 1\n  create 1\n  join 1\n  W na 0x8/8 = 3\nthread 1\n  W na 0x8/8 = 2\n\
                    co 0x8/8: 0:0 1:0 0:3\n";
        assert_eq!(racing(text), [""; 0]);
        let unjoined = "thread 0\n  W na 0x8/8 = 1\n  create 1\n  W na 0x8/8 = 3\nthread 1\n  W na 0x8/8 = 2\n\
                        co 0x8/8: 0:0 1:0 0:2\n";
        assert_eq!(racing(unjoined), ["0:2 1:0"]);
    }
}
