//! The exploration against brute force: on random programs it finds exactly the oracle's executions, each once.
//!
//! `make fuzz-long` is the same on ten times as many programs as in a full run, from other seeds. `THREADBARE_MIX=scf` takes
//! one mix only.

use crate::campaign::{Subject, campaign, named_programs};
use explore::{Equivalence, Model};

#[test]
fn named() {
    for model in Model::ALL {
        named_programs(Subject { model, equivalence: Equivalence::Co });
    }
}

#[test]
fn rc11() {
    campaign(Model::Rc11, Equivalence::Co, 20_000);
}

#[test]
fn c20() {
    campaign(Model::C20, Equivalence::Co, 20_000);
}

#[test]
fn sc() {
    campaign(Model::Sc, Equivalence::Co, 5_000);
}

#[test]
fn tso() {
    campaign(Model::Tso, Equivalence::Co, 5_000);
}

#[test]
fn sra() {
    campaign(Model::Sra, Equivalence::Co, 5_000);
}

#[test]
fn ra() {
    campaign(Model::Ra, Equivalence::Co, 5_000);
}

#[test]
fn wra() {
    campaign(Model::Wra, Equivalence::Co, 5_000);
}

#[test]
fn rc20() {
    campaign(Model::Rc20, Equivalence::Co, 5_000);
}

#[test]
fn relaxed() {
    campaign(Model::Relaxed, Equivalence::Co, 5_000);
}

#[test]
fn wrc11() {
    campaign(Model::Wrc11, Equivalence::Co, 5_000);
}
