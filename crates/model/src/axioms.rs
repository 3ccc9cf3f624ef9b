//! The axioms that several models share, each once, and `eco`, in which some of them are written.
//!
//! Implements figure 2 of \[RF\] and \[RCMC\] section 3.2. Coherence is a function of `hb`: the models differ in that.
//!
//! Differs: a read-modify-write is one event in \[RF\] and two here, its read and its write, related by `rmw`. What
//! leads to it leads to its read, what leads from it leads from its write, and `po` leads from one to the other; so
//! the formulas are the same, except where a cycle closes at a read-modify-write. There `rmw` is written out.

use crate::declarative::Relations;
use crate::relation::Relation;

/// `acyclic(po ∪ rf ∪ asw)`: no values out of thin air. PO-RF of \[RF\], SBRF of \[RCMC\].
pub fn porf(g: &Relations) -> bool {
    porf_order(g).is_acyclic()
}

/// `po ∪ rf ∪ asw`
pub fn porf_order(g: &Relations) -> Relation {
    g.po.union(&g.rf).union(&g.asw)
}

/// `empty(rmw ∩ (fr ; co))`: nothing comes between the read and the write of a read-modify-write.
///
/// \[RF\] writes `irr(fr ; mo)`, which is this where the two are one event, \[RCMC\] 3.2.3
/// `irreflexive(rf ; rmw ; mo⁻¹ ; mo⁻¹)`, which is the same cycle from another start.
pub fn atomicity(g: &Relations) -> bool {
    g.rmw.intersect(&g.fr.compose(&g.co)).is_empty()
}

/// `∀ u₁ ≠ u₂ ∈ RMW. rf⁻¹(u₁) ≠ rf⁻¹(u₂)`: no two read-modify-writes read the same write. Where `co` is total,
/// atomicity says so, too.
pub fn weak_atomicity(g: &Relations) -> bool {
    let updates = g.rf.compose(&g.rmw);
    updates.inverse().compose(&updates).pairs().all(|(first, second)| first == second)
}

/// Wcoh: `irr(co ; rf? ; hb?)`. A write is not co-after what happens after it or after a read of it.
pub fn wcoh(g: &Relations, hb: &Relation) -> bool {
    g.co.compose(&g.rf.opt()).compose(&hb.opt()).is_irreflexive()
}

/// Rcoh: `irr(fr ; rf? ; hb)`. A read does not read something older than what its thread knows of.
pub fn rcoh(g: &Relations, hb: &Relation) -> bool {
    g.fr.compose(&g.rf.opt()).compose(hb).is_irreflexive()
}

/// Extended coherence order: `(co ∪ rf ∪ fr)⁺`.
pub fn eco(g: &Relations) -> Relation {
    g.co.union(&g.rf).union(&g.fr).plus()
}

#[cfg(test)]
mod tests {
    use super::*;
    use graph::ExecutionGraph;

    /// One write and two read-modify-writes of one location, with every `rf` and `co` of them.
    fn updates() -> Vec<Relations> {
        let sources = ["init", "0:0", "1:0", "2:0"];
        let orders =
            ["0:0 1:0 2:0", "0:0 2:0 1:0", "1:0 0:0 2:0", "1:0 2:0 0:0", "2:0 0:0 1:0", "2:0 1:0 0:0"];
        let mut all = Vec::new();
        for first in sources {
            for second in sources {
                for co in orders {
                    let text = format!(
                        "thread 0\n  W rlx 0x8/8 = 0\nthread 1\n  RMW rlx 0x8/8 = 0 -> 0 rf {first}\n\
                         thread 2\n  RMW rlx 0x8/8 = 0 -> 0 rf {second}\nco 0x8/8: {co}\n"
                    );
                    all.push(Relations::of(&text.parse::<ExecutionGraph>().unwrap()));
                }
            }
        }
        all
    }

    #[test]
    fn the_two_forms_of_atomicity_are_one() {
        let mut atomic = 0;
        for g in updates() {
            let co_inv = g.co.inverse();
            let other = g.rf.compose(&g.rmw).compose(&co_inv).compose(&co_inv);
            assert_eq!(atomicity(&g), other.is_irreflexive());
            atomic += usize::from(atomicity(&g));
        }
        assert!(atomic > 0 && atomic < updates().len());
    }

    #[test]
    fn coherent_and_atomic_is_weakly_atomic() {
        let coherent = |g: &Relations| porf(g) && wcoh(g, &g.po);
        let (mut atomic, mut weakly) = (0, 0);
        for g in updates().into_iter().filter(coherent) {
            assert!(weak_atomicity(&g) || !atomicity(&g));
            atomic += usize::from(atomicity(&g));
            weakly += usize::from(weak_atomicity(&g));
        }
        assert!(0 < atomic && atomic < weakly, "{atomic} {weakly}");
    }
}
