//! Programs for XMM: the load-buffering families of \[XMM\] with their numbers of executions, the programs of its text
//! that must not have values out of thin air, and random ones.

use crate::program::{Condition, Expr, Instr, TestProgram};
use base::{FenceOrder, ReadOrder, RmwOrder, Rng, Value, WriteOrder};

/// A relaxed load.
pub fn load(dst: u8, loc: u8) -> Instr {
    Instr::Load { dst, loc, order: ReadOrder::Relaxed }
}

/// A relaxed store.
pub fn store(loc: u8, value: Expr) -> Instr {
    Instr::Store { loc, value, order: WriteOrder::Relaxed }
}

/// A relaxed store of a constant.
pub fn put(loc: u8, value: Value) -> Instr {
    store(loc, Expr::Const(value))
}

/// Go to `target` unless the register has this value.
pub fn unless(reg: u8, value: Value, target: u16) -> Instr {
    Instr::Branch { condition: Condition { reg, equal: false, value }, target }
}

/// A program with its numbers of executions under RC11 and under XMM.
#[derive(Clone, Debug)]
pub struct Family {
    /// Its name and size.
    pub name: String,
    /// The program.
    pub program: TestProgram,
    /// Executions under RC11.
    pub rc11: u64,
    /// Executions under XMM.
    pub xmm: u64,
    /// Those that the thesis' heuristic finds.
    pub heuristic: u64,
    /// How often a cycle is found again. \[XMM\] section 7.4 has 48,250 for LBn-pairs(14).
    pub duplicates: u64,
}

/// The families of \[XMM\] appendix B.4 with `n` threads, an even number.
pub fn families(n: u8) -> Vec<Family> {
    let all = 1 << n;
    let row = |name: &str, program, rc11, xmm, duplicates| Family {
        name: format!("{name}({n})"),
        program,
        rc11,
        xmm,
        heuristic: xmm,
        duplicates,
    };
    let power = |base: u64| base.pow(u32::from(n) / 2);
    let n_more = u64::from(n) - 1;
    vec![
        row("LBn", lbn(n), all - 1, all, n_more),
        row("LBn+data", lbn_data(n), all - 1, all, n_more),
        row("LBn+ctrl", lbn_ctrl(n), u64::from(n), u64::from(n) + 1, n_more),
        row("LBn-pairs", lbn_pairs(n), power(3), power(4), power(3) - power(2)),
    ]
}

/// `n` threads in a ring: each loads from its predecessor's location and stores 1 to its own.
pub fn lbn(n: u8) -> TestProgram {
    ring(n, |_| vec![put(0, 1)])
}

/// All threads but the first store what they loaded.
pub fn lbn_data(n: u8) -> TestProgram {
    ring(n, |thread| vec![if thread == 0 { put(0, 1) } else { store(0, Expr::Reg(0)) }])
}

/// All threads but the first store only if they loaded 1.
pub fn lbn_ctrl(n: u8) -> TestProgram {
    ring(n, |thread| if thread == 0 { vec![put(0, 1)] } else { vec![unless(0, 1, 3), put(0, 1)] })
}

/// A ring; `rest` is what comes after the load, with stores to location 0 that stand for the thread's own.
fn ring(n: u8, rest: impl Fn(u8) -> Vec<Instr>) -> TestProgram {
    let own = |thread: u8, instr: Instr| match instr {
        Instr::Store { value, order, .. } => Instr::Store { loc: thread, value, order },
        other => other,
    };
    let code = |thread: u8| {
        let stores = rest(thread).into_iter().map(move |instr| own(thread, instr));
        std::iter::once(load(0, (thread + n - 1) % n)).chain(stores).collect()
    };
    TestProgram::parallel(n, (0..n).map(code).collect())
}

/// `n / 2` independent pairs of threads, each a load-buffering test of its own.
pub fn lbn_pairs(n: u8) -> TestProgram {
    let pair = |pair: u8| {
        let (x, y) = (2 * pair, 2 * pair + 1);
        [vec![load(0, x), put(y, 1)], vec![load(0, y), put(x, 1)]]
    };
    TestProgram::parallel(n, (0..n / 2).flat_map(pair).collect())
}

/// Rows of table 7.1 of \[XMM\] whose programs are known, with the complete numbers where the thesis' tool misses some.
pub fn table_7_1() -> Vec<Family> {
    let row = |name: &str, program, rc11, xmm, heuristic| Family {
        name: name.to_owned(),
        program,
        rc11,
        xmm,
        heuristic,
        duplicates: 0,
    };
    vec![
        row("LB+coh-cyc", coh_cyc(false), 5, 8, 6),
        row("LB+coh-cyc+Wd", coh_cyc(true), 10, 16, 12),
        row("java-test10", java_test_10(), 5, 8, 8),
        row("java-test5", java_test_5(), 20, 28, 28),
        row("java-test19", java_test_19(false), 14, 20, 20),
        row("java-test20", java_test_19(true), 14, 20, 20),
        row("LB+equals", equals(), 9, 10, 10),
        row("R-bot-multi-matching", multi_matching(), 15, 21, 21),
    ]
}

/// `X := 2; a := X; if (a ≠ 2) Y := 1 ‖ X := 1; b := X; c := Y; if (c = 1) X := 3`; and, `with_read`, a read in the second
/// thread of what a third one writes.
fn coh_cyc(with_read: bool) -> TestProgram {
    let (x, y, w) = (0, 1, 2);
    let is_two = Instr::Branch { condition: Condition { reg: 0, equal: true, value: 2 }, target: 4 };
    let first = vec![put(x, 2), load(0, x), is_two, put(y, 1)];
    let mut second = vec![put(x, 1), load(0, x)];
    second.extend(with_read.then(|| load(2, w)));
    let end = second.len() as u16 + 3;
    second.extend([load(1, y), unless(1, 1, end), put(x, 3)]);
    let third = with_read.then(|| vec![put(w, 1)]);
    TestProgram::parallel(3, [first, second].into_iter().chain(third).collect())
}

/// `a := X; if (a = 1) Y := 1 ‖ b := Y; if (b = 1) X := 1 ‖ Z := 1 ‖ c := Z; if (c = 1) X := 1`
fn java_test_10() -> TestProgram {
    let control = |from, to| vec![load(0, from), unless(0, 1, 3), put(to, 1)];
    TestProgram::parallel(3, vec![control(0, 1), control(1, 0), vec![put(2, 1)], control(2, 0)])
}

/// `a := X; Y := a ‖ b := Y; X := b ‖ Z := 1 ‖ c := Z; X := c`
fn java_test_5() -> TestProgram {
    let copy = |from, to| vec![load(0, from), store(to, Expr::Reg(0))];
    TestProgram::parallel(3, vec![copy(0, 1), copy(1, 0), vec![put(2, 1)], copy(2, 0)])
}

/// `a := X; Y := a ‖ b := Y; X := b ‖ c := X; if (c ≠ 2) X := 2`, or `if (c = 0)`: tests 19 and 20 without their joins, and
/// with 2 for 42.
fn java_test_19(only_zero: bool) -> TestProgram {
    let copy = |from, to| vec![load(0, from), store(to, Expr::Reg(0))];
    let is_two = Instr::Branch { condition: Condition { reg: 0, equal: true, value: 2 }, target: 3 };
    let skip = if only_zero { unless(0, 0, 3) } else { is_two };
    TestProgram::parallel(2, vec![copy(0, 1), copy(1, 0), vec![load(0, 0), skip, put(0, 2)]])
}

/// `a := X; b := Y; if (a = b) Z := 1 ‖ c := Z; X := c ‖ d := Z; Y := d`
fn equals() -> TestProgram {
    let (x, y, z) = (0, 1, 2);
    let when = |value, target| Instr::Branch { condition: Condition { reg: 0, equal: true, value }, target };
    let first =
        vec![load(0, x), load(1, y), when(1, 5), unless(1, 0, 7), when(0, 6), unless(1, 1, 7), put(z, 1)];
    let copy = |from, to| vec![load(0, from), store(to, Expr::Reg(0))];
    TestProgram::parallel(3, vec![first, copy(z, x), copy(z, y)])
}

/// Section 6.5: `Z := 1 ‖ a := Z; M := 1; M := 1; b := X; if (a = 0 ∨ b = 1) Y := 1 ‖ c := M; d := Y; X := d`
fn multi_matching() -> TestProgram {
    let (x, y, z, m) = (0, 1, 2, 3);
    let is_zero = Instr::Branch { condition: Condition { reg: 0, equal: true, value: 0 }, target: 6 };
    let second = vec![load(0, z), put(m, 1), put(m, 1), load(1, x), is_zero, unless(1, 1, 7), put(y, 1)];
    let third = vec![load(0, m), load(1, y), store(x, Expr::Reg(1))];
    TestProgram::parallel(4, vec![vec![put(z, 1)], second, third])
}

/// Programs whose executions must not read 1, by name: nothing but a cycle could justify it.
pub fn thin_air() -> Vec<(&'static str, TestProgram)> {
    let copy = |from, to| vec![load(0, from), store(to, Expr::Reg(0))];
    let control = |from, to| vec![load(0, from), unless(0, 1, 3), put(to, 1)];
    vec![
        ("figure 2.2, LB+deps", TestProgram::parallel(2, vec![copy(0, 1), copy(1, 0)])),
        ("LB+ctrls", TestProgram::parallel(2, vec![control(0, 1), control(1, 0)])),
        ("LB+data+ctrl", TestProgram::parallel(2, vec![copy(0, 1), control(1, 0)])),
        ("three copies", TestProgram::parallel(3, vec![copy(0, 1), copy(1, 2), copy(2, 0)])),
    ]
}

/// \[XMM\] section 6.8: `if (X == 0) Y := 1 else { V := 1; Y := U } ‖ X := Y; U := V`. The execution in which the second
/// branch is taken and everybody reads 1 is not stable.
pub fn unstable() -> TestProgram {
    let (x, y, u, v) = (0, 1, 2, 3);
    let first = vec![
        load(0, x),
        unless(0, 0, 4),
        put(y, 1),
        Instr::Branch { condition: Condition { reg: 0, equal: true, value: 0 }, target: 7 },
        put(v, 1),
        load(1, u),
        store(y, Expr::Reg(1)),
    ];
    let second = vec![load(0, y), store(x, Expr::Reg(0)), load(1, v), store(u, Expr::Reg(1))];
    TestProgram::parallel(4, vec![first, second])
}

/// What a random program is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taste {
    /// Relaxed loads and stores, copies, branches.
    Relaxed,
    /// Other orders and read-modify-writes, too.
    Mixed,
    /// As relaxed ones, with a mutex around a part of each thread.
    Locked,
}

/// A random program of 2 or 3 threads in which each thread loads first and stores last, more often than not to where
/// another one loads: most have a candidate for a cycle.
pub fn random(taste: Taste, seed: u64) -> TestProgram {
    let mut rng = Rng::new(seed ^ 0x0078_6d6d);
    let threads = if taste != Taste::Locked && rng.below(3) == 0 { 3 } else { 2 };
    let locations = if rng.below(4) == 0 { 3 } else { 2 };
    let most = if threads == 2 { 4 } else { 3 };
    let code = |rng: &mut Rng| {
        let length = 2 + rng.below(most - 1);
        let mut code: Vec<Instr> = Vec::new();
        for index in 0..length {
            let loads = if index == 0 { rng.below(8) > 0 } else { index + 1 < length && rng.below(2) == 0 };
            let instr =
                if loads { random_load(taste, rng, locations) } else { random_store(taste, rng, locations) };
            if index > 0 && taste != Taste::Locked && rng.below(5) == 0 {
                let condition =
                    Condition { reg: rng.below(2) as u8, equal: rng.below(2) == 0, value: rng.below(2) };
                let target = code.len() as u16 + 2;
                code.push(Instr::Branch { condition, target });
            }
            code.push(instr);
        }
        if taste == Taste::Locked { lock_a_part(code, locations as u8, rng) } else { code }
    };
    let words = locations + u64::from(taste == Taste::Locked);
    TestProgram::parallel(words as u8, (0..threads).map(|_| code(&mut rng)).collect())
}

/// Programs with an execution in which everybody reads 1 or more, for each a reason why threads do not synchronise although
/// releases and acquires of location 0 are on the cycle.
pub fn unsynchronised() -> Vec<(&'static str, TestProgram)> {
    let (word, data) = (0, 1);
    let release = |value| crate::build::write(word, value, WriteOrder::Release);
    let acquire = Instr::Load { dst: 0, loc: word, order: ReadOrder::Acquire };
    let exchange = |value, order| crate::build::exchange(word, value, order);
    let program = |codes| TestProgram::parallel(2, codes);
    let gives = vec![load(0, data), exchange(1, RmwOrder::Release)];
    let waits = vec![load(0, word), exchange(2, RmwOrder::Acquire), put(data, 1)];
    let relay = vec![load(0, word), put(word, 2)];
    vec![
        ("a store breaks the chain", program(vec![gives, waits, vec![put(word, 3)]])),
        ("a store hands nothing on", {
            program(vec![vec![load(0, data), release(1)], relay, vec![acquire, put(data, 1)]])
        }),
        ("the release comes before the read", {
            let early = vec![exchange(1, RmwOrder::Release), load(0, data), exchange(2, RmwOrder::Relaxed)];
            program(vec![early, vec![acquire, put(data, 1)]])
        }),
    ]
}

/// A random program of 2 or 3 threads that access the word of a lock, location 0, and data.
pub fn random_words(seed: u64) -> TestProgram {
    let mut rng = Rng::new(seed ^ 0x776f_7264);
    let threads = if rng.below(3) == 0 { 3 } else { 2 };
    let locations = 2 + rng.below(2);
    let only_updates = rng.below(4) > 0;
    let code = |rng: &mut Rng| {
        let length = if threads == 2 { 3 + rng.below(2) } else { 2 + rng.below(2) };
        let instrs = (0..length).map(|_| match rng.below(5) {
            0 => Instr::Load { dst: 0, loc: 0, order: read_order(rng) },
            1 | 2 => update(rng),
            3 => load(1, 1 + rng.below(locations - 1) as u8),
            _ if !only_updates && rng.below(3) == 0 => {
                Instr::Store { loc: 0, value: Expr::Const(2), order: write_order(rng) }
            }
            _ if rng.below(8) == 0 => Instr::Fence(fence_order(rng)),
            _ => put(1 + rng.below(locations - 1) as u8, 1),
        });
        instrs.collect::<Vec<Instr>>()
    };
    TestProgram::parallel(locations as u8, (0..threads).map(|_| code(&mut rng)).collect())
}

/// A read-modify-write of location 0.
fn update(rng: &mut Rng) -> Instr {
    let order = match rng.below(4) {
        0 => RmwOrder::Relaxed,
        1 => RmwOrder::Acquire,
        2 => RmwOrder::Release,
        _ => RmwOrder::AcqRel,
    };
    match rng.below(3) {
        0 => crate::build::fadd(0, order),
        1 => crate::build::exchange(0, 1, order),
        _ => crate::build::cas(0, rng.below(2), 1 + rng.below(2), order),
    }
}

fn read_order(rng: &mut Rng) -> ReadOrder {
    if rng.below(2) == 0 { ReadOrder::Acquire } else { ReadOrder::Relaxed }
}

fn write_order(rng: &mut Rng) -> WriteOrder {
    if rng.below(2) == 0 { WriteOrder::Release } else { WriteOrder::Relaxed }
}

fn fence_order(rng: &mut Rng) -> FenceOrder {
    if rng.below(2) == 0 { FenceOrder::Acquire } else { FenceOrder::Release }
}

/// The code with a mutex around some of its instructions, which do not branch.
fn lock_a_part(mut code: Vec<Instr>, mutex: u8, rng: &mut Rng) -> Vec<Instr> {
    let first = rng.index(code.len() + 1);
    let last = first + rng.below((code.len() - first) as u64 + 1) as usize;
    code.insert(last, Instr::Unlock(mutex));
    code.insert(first, Instr::Lock(mutex));
    code
}

fn random_load(taste: Taste, rng: &mut Rng, locations: u64) -> Instr {
    let (dst, loc) = (rng.below(2) as u8, rng.below(locations) as u8);
    match (taste, rng.below(6)) {
        (Taste::Mixed, 0) => Instr::Load { dst, loc, order: ReadOrder::Acquire },
        (Taste::Mixed, 1) => crate::build::fadd(loc, RmwOrder::Relaxed),
        (Taste::Mixed, 2) => Instr::Fence(FenceOrder::Acquire),
        _ => Instr::Load { dst, loc, order: ReadOrder::Relaxed },
    }
}

fn random_store(taste: Taste, rng: &mut Rng, locations: u64) -> Instr {
    let loc = rng.below(locations) as u8;
    let value = match rng.below(5) {
        0 | 1 => Expr::Const(1),
        2 => Expr::Const(2),
        _ => Expr::Reg(rng.below(2) as u8),
    };
    match (taste, rng.below(6)) {
        (Taste::Mixed, 0) => Instr::Store { loc, value, order: WriteOrder::Release },
        (Taste::Mixed, 1) => crate::build::exchange(loc, 1 + rng.below(2), RmwOrder::Relaxed),
        (Taste::Mixed, 2) => Instr::Fence(FenceOrder::Release),
        _ => store(loc, value),
    }
}
