//! Every reduction against brute force: one campaign of random programs each, that reach it.
//!
//! For every program, with all reductions, with one and those it stands on, and with all but that one, the exploration finds what
//! brute force finds ([`compare`]), whatever the order of the threads and the policy ([`campaign`]). The programs of a campaign
//! take turns with all models and equivalences: where a reduction is not exact, it must be off.
//!
//! A binary of its own, without XMM: `make mutations` compiles it anew for every mutation.

mod campaign;
mod compare;

use base::{ReadOrder, RmwOrder, Rng, WriteOrder};
use campaign::{Campaign, Subject};
use compare::Compare;
use explore::Reduction;
use testkit::attempts::{Failing, random_attempts};
use testkit::awaits::{random_awaits, random_waiting_loads};
use testkit::build::{exchange, write};
use testkit::exchanges::random_exchanges;
use testkit::pairs::random_pairs;
use testkit::program::{Condition, Expr, Instr, Modify, REGISTERS};
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
    let random = move |seed: u64| match seed % 3 {
        0 => of_mixes(&mixes, seed),
        _ => random_waiting_loads(seed),
    };
    Campaign { programs: 20_000, random, compare: Compare::Executions }.run(Reduction::Awaits);
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
    Campaign { programs: 20_000, random: random_pairs, compare: Compare::Pairs }.run(Reduction::Pairs);
}

/// The load of the pair races with the plain write. The compare-exchange does not, for it acquires the store after that; and the
/// writes are one chain, so that the thread waits at the load until it is let through.
#[test]
fn pairs_with_a_load_that_races() {
    let (x, y) = (2, 3);
    let new = Modify::Cas(Expr::Reg(x), Expr::Plus(x, 1));
    let writer = vec![
        exchange(0, 0, RmwOrder::Relaxed),
        write(0, 0, WriteOrder::NotAtomic),
        write(0, 1, WriteOrder::Release),
    ];
    let pair = vec![
        Instr::Load { dst: x, loc: 0, order: ReadOrder::Relaxed },
        Instr::Assume(Condition { reg: x, equal: true, value: 1 }),
        Instr::Rmw { dst: y, loc: 0, op: new, order: RmwOrder::Acquire, failure: ReadOrder::Relaxed },
        Instr::AssumeSame(x, y),
    ];
    let program = TestProgram { pairs: true, ..TestProgram::parallel(1, vec![writer, pair]) };
    Campaign { programs: 1, random: |_| program.clone(), compare: Compare::Pairs }
        .run_directed(Reduction::Pairs);
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

/// Symmetric threads that make attempts: symmetry is on only where these are not made.
#[test]
fn symmetry_of_attempts() {
    let random = |seed| {
        let mut program = random_attempts(seed, Failing::AtOnce);
        program.codes = vec![program.codes[0].clone(); program.codes.len()];
        program
    };
    Campaign { programs: 3_000, random, compare: Compare::States }.run(Reduction::Symmetry);
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
