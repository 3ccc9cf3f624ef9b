//! Every reduction against brute force: one campaign of random programs each, that reach it.
//!
//! For every program, with all reductions, with one and those it stands on, and with all but that one, the exploration finds what
//! brute force finds ([`compare`]), whatever the order of the threads and the policy ([`campaign`]). The programs of a campaign
//! take turns with all models and equivalences: where a reduction is not exact, it must be off.
//!
//! A binary of its own, without XMM: `make mutations` compiles it anew for every mutation.

mod campaign;
mod compare;

use base::{ReadOrder, Rng};
use campaign::{Campaign, Subject};
use compare::Compare;
use explore::Reduction;
use testkit::attempts::{Failing, random_attempts};
use testkit::awaits::random_awaits;
use testkit::exchanges::random_exchanges;
use testkit::pairs::random_pairs;
use testkit::program::{Condition, Instr, REGISTERS};
use testkit::rounds::{Loops, random_rounds};
use testkit::twins::random_twins;
use testkit::{Mix, TestProgram, random_program};

fn of_mixes(mixes: &[Mix], seed: u64) -> TestProgram {
    random_program(mixes[seed as usize / Subject::all().len() % mixes.len()], seed)
}

#[test]
fn blocked() {
    let random = |seed| of_mixes(&Mix::ORACLE, seed);
    Campaign { programs: 10_000, random, compare: Compare::Executions }.run(Reduction::Blocked);
}

#[test]
fn waiting() {
    let mixes = [Mix::Pure, Mix::PureSc, Mix::Locky, Mix::Spins, Mix::SpinsSc, Mix::SpinsWild, Mix::Locks];
    let random = move |seed: u64| match seed % 4 {
        0 => random_awaits(seed),
        _ => of_mixes(&mixes, seed),
    };
    Campaign { programs: 10_000, random, compare: Compare::Executions }.run(Reduction::Waiting);
}

#[test]
fn exchanges() {
    let random = random_exchanges;
    Campaign { programs: 10_000, random, compare: Compare::Executions }.run(Reduction::Exchanges);
}

#[test]
fn awaits() {
    let mixes = [Mix::Blocky, Mix::Rounds, Mix::Pure, Mix::Spins, Mix::SpinsSc, Mix::SpinsWild];
    let random = move |seed| of_mixes(&mixes, seed);
    Campaign { programs: 5_000, random, compare: Compare::Executions }.run(Reduction::Awaits);
}

#[test]
fn confirming() {
    let random = |seed| of_mixes(&[Mix::Rounds], seed);
    Campaign { programs: 3_000, random, compare: Compare::Executions }.run(Reduction::Confirming);
}

#[test]
fn confirming_in_loops() {
    let random = |seed| random_rounds(seed, Loops::Confirming);
    Campaign { programs: 4_000, random, compare: Compare::States }.run(Reduction::Confirming);
}

#[test]
fn pairs() {
    Campaign { programs: 30_000, random: random_pairs, compare: Compare::Pairs }.run(Reduction::Pairs);
}

#[test]
fn attempts() {
    let random = |seed| random_attempts(seed, Failing::AtOnce);
    Campaign { programs: 3_000, random, compare: Compare::States }.run(Reduction::Attempts);
}

#[test]
fn undoing() {
    let random = |seed| random_attempts(seed, Failing::Later);
    Campaign { programs: 3_000, random, compare: Compare::States }.run(Reduction::Undoing);
}

#[test]
fn symmetry() {
    let mixes = [Mix::Rmws, Mix::Plain, Mix::Wide, Mix::Ties, Mix::Locks, Mix::Pure, Mix::Spins, Mix::Rounds];
    let random = move |seed: u64| random_twins(mixes[seed as usize / 16 % mixes.len()], seed);
    Campaign { programs: 4_000, random, compare: Compare::Orbits }.run(Reduction::Symmetry);
}

#[test]
fn epilogue() {
    Campaign { programs: 5_000, random: ending, compare: Compare::Numbers }.run(Reduction::Epilogue);
}

/// A program whose `main` waits for all threads and looks at every location then, some of the time with an assumption about it.
fn ending(seed: u64) -> TestProgram {
    let mut rng = Rng::new(seed ^ 0x0065_6e64);
    let mut program =
        random_program(rng.pick(&[Mix::General, Mix::Ties, Mix::Wide, Mix::NotAtomic, Mix::Pure]), seed);
    program = program.joined();
    let mut dst = 0;
    for loc in 0..program.locations {
        let order = rng.pick(&[ReadOrder::Relaxed, ReadOrder::NotAtomic]);
        program.main.push(Instr::Load { dst, loc, order });
        if rng.one_in(3) {
            let condition = Condition { reg: dst, equal: rng.one_in(2), value: rng.below(3) };
            program.main.push(Instr::Assume(condition));
        }
        dst = (dst + 1) % REGISTERS as u8;
    }
    program
}

/// Rounds that are left out have no switch: a program that leaves them out is compared with one that does not.
#[test]
fn left_out() {
    let random = |seed| random_rounds(seed, Loops::Looking);
    Campaign { programs: 30_000, random, compare: Compare::States }.run_cuts();
}
