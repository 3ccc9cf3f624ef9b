//! Atomic sections: the axioms of a model on an execution in which each section is one event.
//!
//! Implements: strong isolation of \[TXN\] section 3.3, `acyclic(stronglift(com))`, where `com = rf ∪ co ∪ fr`, and their way to
//! carry an axiom over to transactions: `stronglift(r) = s? ; (r \ s) ; s?` relates whole sections, where `s` relates the
//! events of one section, and an axiom `acyclic(r)` becomes `acyclic(stronglift(r))` (their TxnOrder). We do so for every axiom
//! of the model that is about an order. So a section of one access is that access, and under SC the executions are
//! those of the interleavings in which no other thread takes a step while one is in a section (`testkit/sections.rs` compares).
//!
//! That sections which conflict synchronise, in the order in which they come ([`synchronises`], `tsw` of \[TXN\] figure 9), is
//! part of happens-before: the exploration has it from mutexes that such sections take.
//!
//! Differs: \[TXN\] has no strong isolation for C++, where a race with a transaction is undefined behaviour; atomic accesses
//! outside of sections do not race, so it has a meaning here.
//! Cost: O(n³/64) for n events.

use crate::declarative::Relations;
use crate::relation::{EventSet, Relation};
use crate::{axioms, c20, rc11, sc};

/// Whether an execution obeys the axioms of a model if each section is one event. The second argument is `s`.
pub type Isolation = fn(&Relations, &Relation) -> bool;

/// `s? ; (r \ s) ; s?`
pub fn stronglift(r: &Relation, s: &Relation) -> Relation {
    s.opt().compose(&r.minus(s)).compose(&s.opt())
}

/// `tsw`: from every event of `ends` to every one of `begins` whose sections conflict, by `rf ∪ co ∪ fr ∪ co ; rf` between
/// them. `section`: per event the number of its section, also for what stands for its begin and its end.
pub fn synchronises(
    g: &Relations,
    section: &[Option<usize>],
    begins: &EventSet,
    ends: &EventSet,
) -> Relation {
    let com = g.rf.union(&g.co).union(&g.fr).union(&g.co.compose(&g.rf));
    let mut tsw = Relation::empty(g.len());
    for (a, b) in com.pairs() {
        let (Some(from), Some(to)) = (section[a], section[b]) else { continue };
        if from == to {
            continue;
        }
        let of = |set: &EventSet, wanted| {
            set.iter().filter(move |&e| section[e] == Some(wanted)).collect::<Vec<_>>()
        };
        for end in of(ends, from) {
            of(begins, to).into_iter().for_each(|begin| tsw.insert(end, begin));
        }
    }
    tsw
}

/// SC: `acyclic(stronglift(po ∪ asw ∪ com))`.
pub fn sc(g: &Relations, s: &Relation) -> bool {
    stronglift(&sc::global_order(g), s).is_acyclic()
}

/// RC11: strong isolation, and COHERENCE, SBRF and SC-ACYCLICITY with sections for events.
pub fn rc11(g: &Relations, s: &Relation) -> bool {
    rc11_over(g, s, &rc11::hb(g))
}

/// C20: the same with its `hb`.
pub fn c20(g: &Relations, s: &Relation) -> bool {
    rc11_over(g, s, &c20::hb(g))
}

fn rc11_over(g: &Relations, s: &Relation, hb: &Relation) -> bool {
    let eco = stronglift(&g.rf.union(&g.co).union(&g.fr), s).plus();
    let lifted_hb = stronglift(hb, s).plus();
    eco.is_irreflexive()
        && lifted_hb.compose(&eco.opt()).is_irreflexive()
        && stronglift(&axioms::porf_order(g), s).is_acyclic()
        && (g.events.sc.is_empty() || stronglift(&rc11::psc_over(g, hb), s).is_acyclic())
}

#[cfg(test)]
mod tests {
    use super::*;
    use graph::ExecutionGraph;

    /// Whether the two models allow the graph, if the first thread's events are one section. x is 0x8, y is 0x10.
    fn verdicts(text: &str) -> (bool, bool) {
        let graph: ExecutionGraph = text.parse().expect("is a graph");
        assert_eq!(crate::rc11::consistent(&graph), Ok(()), "without sections");
        let g = Relations::of(&graph);
        let mut first = EventSet::empty(g.len());
        let is_first = |e: &usize| g.events.ids[*e].is_some_and(|id| id.thread.0 == 0);
        (0..g.len()).filter(is_first).for_each(|e| first.insert(e));
        let mut s = Relation::empty(g.len());
        first.iter().for_each(|e| s.insert_all(e, &first));
        (sc(&g, &s), rc11(&g, &s))
    }

    #[test]
    fn nothing_comes_between_a_load_and_a_store() {
        let increment =
            "thread 0\n  R rlx 0x8/8 = 0 rf init\n  W rlx 0x8/8 = 1\nthread 1\n  W rlx 0x8/8 = 5\n";
        assert_eq!(verdicts(&format!("{increment}co 0x8/8: 1:0 0:1\n")), (false, false));
        assert_eq!(verdicts(&format!("{increment}co 0x8/8: 0:1 1:0\n")), (true, true));
    }

    #[test]
    fn program_order_of_others_counts() {
        // The section sees the second write of the other thread and misses the first one.
        let half = "thread 0\n  R rlx 0x8/8 = 1 rf 1:1\n  R rlx 0x10/8 = 0 rf init\n\
                    thread 1\n  W rlx 0x10/8 = 1\n  W rlx 0x8/8 = 1\nco 0x8/8: 1:1\nco 0x10/8: 1:0\n";
        assert_eq!(verdicts(half), (false, false));
    }

    #[test]
    fn causality_through_two_threads_counts() {
        let round = "thread 0\n  W rlx 0x8/8 = 1\n  R rlx 0x10/8 = 1 rf 2:1\n\
                     thread 1\n  R rlx 0x8/8 = 1 rf 0:0\n  W rlx 0x18/8 = 1\n\
                     thread 2\n  R rlx 0x18/8 = 1 rf 1:1\n  W rlx 0x10/8 = 1\n\
                     co 0x8/8: 0:0\nco 0x10/8: 2:1\nco 0x18/8: 1:1\n";
        assert_eq!(verdicts(round), (false, false));
    }

    #[test]
    fn sc_accesses_of_others_count() {
        // Store buffering of the other two threads leads from the section's read of x to its write of y.
        let text = |order: &str| {
            format!(
                "thread 0\n  R {order} 0x8/8 = 0 rf init\n  W {order} 0x10/8 = 1\n\
                 thread 1\n  W {order} 0x8/8 = 1\n  R {order} 0x18/8 = 0 rf init\n\
                 thread 2\n  W {order} 0x18/8 = 1\n  R {order} 0x10/8 = 0 rf init\n\
                 co 0x8/8: 1:0\nco 0x10/8: 0:1\nco 0x18/8: 2:0\n"
            )
        };
        assert_eq!(verdicts(&text("sc")), (false, false));
        assert_eq!(verdicts(&text("rlx")), (false, true));
    }

    #[test]
    fn a_section_of_one_access_is_that_access() {
        let buffering = "thread 0\n  W rlx 0x8/8 = 1\nthread 1\n  W rlx 0x10/8 = 1\n  R rlx 0x8/8 = 0 rf init\n\
                         thread 2\n  R rlx 0x8/8 = 1 rf 0:0\n  R rlx 0x10/8 = 0 rf init\n\
                         co 0x8/8: 0:0\nco 0x10/8: 1:0\n";
        assert_eq!(verdicts(buffering), (false, true));
    }
}
