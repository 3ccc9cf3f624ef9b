//! Words that threads await, against brute force: each execution once, and no blocked one but deadlocks.

use crate::campaign::{Subject, check, check_random};
use explore::{Equivalence, Model};
use testkit::awaits::random_awaits;
use testkit::effort;

/// Random programs for each model and equivalence, in a full run.
const PROGRAMS: u64 = 600;

fn campaign(subject: Subject) {
    let programs = effort::of(PROGRAMS) as usize;
    let executions: usize = check_random(subject, programs, random_awaits, check).iter().sum();
    assert!(executions > 2 * programs, "{executions} executions");
}

#[test]
fn up_to_co() {
    for model in Model::ALL {
        campaign(Subject { model, equivalence: Equivalence::Co });
    }
}

#[test]
fn up_to_rf() {
    for model in Model::ALL {
        campaign(Subject { model, equivalence: Equivalence::Rf });
    }
}
