//! The exploration up to reads-from against brute force: it finds exactly the oracle's executions without their coherence
//! orders, each once, and shows each with a coherence order that the model accepts.
//!
//! The environment variables of `oracle.rs` work here, too.

mod campaign;

use campaign::{Subject, campaign, named_programs};
use explore::{Equivalence, Model};

#[test]
fn named() {
    for model in Model::ALL {
        named_programs(Subject { model, equivalence: Equivalence::Rf });
    }
}

#[test]
fn rc11() {
    campaign(Model::Rc11, Equivalence::Rf, 20_000);
}

#[test]
fn ra() {
    campaign(Model::Ra, Equivalence::Rf, 20_000);
}

#[test]
fn rc20() {
    campaign(Model::Rc20, Equivalence::Rf, 20_000);
}

#[test]
fn relaxed() {
    campaign(Model::Relaxed, Equivalence::Rf, 5_000);
}

#[test]
fn sc() {
    campaign(Model::Sc, Equivalence::Rf, 5_000);
}

#[test]
fn tso() {
    campaign(Model::Tso, Equivalence::Rf, 5_000);
}

#[test]
fn sra() {
    campaign(Model::Sra, Equivalence::Rf, 5_000);
}
