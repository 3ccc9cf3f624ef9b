//! Words that threads await, against brute force: each execution once, and no blocked one but deadlocks.

use crate::campaign::{POLICIES, Subject, check};
use explore::{Equivalence, Model};
use testkit::{awaits::random_awaits, effort, show, shrink};

/// Random programs for each model and equivalence, in a full run.
const PROGRAMS: u64 = 600;

fn campaign(subject: Subject) {
    let programs = effort::of(PROGRAMS);
    let (mut checked, mut executions) = (0, 0);
    for seed in 0.. {
        if checked == programs {
            break;
        }
        let program = random_awaits(seed);
        let policy = POLICIES[seed as usize % POLICIES.len()];
        match check(&program, subject, policy) {
            None => {}
            Some(Ok(n)) => {
                checked += 1;
                executions += n;
            }
            Some(Err(difference)) => {
                let small = shrink(&program, &mut |p| matches!(check(p, subject, policy), Some(Err(_))));
                let why = check(&small, subject, policy).and_then(Result::err).unwrap_or(difference);
                panic!("{subject:?}, seed {seed}:\n{}\n{why}", show(&small));
            }
        }
    }
    assert!(executions as u64 > 2 * programs, "{executions} executions");
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
