//! Words that threads await, against brute force: each execution once, and no blocked one but deadlocks.

use crate::campaign::{Subject, check, check_random};
use explore::{Equivalence, Model};
use testkit::awaits::random_awaits;

/// Random programs for each model and equivalence.
const PROGRAMS: usize = 600;

fn campaign(subject: Subject) {
    let executions: usize = check_random(subject, PROGRAMS, random_awaits, check).iter().sum();
    assert!(executions > 2 * PROGRAMS, "{executions} executions");
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
