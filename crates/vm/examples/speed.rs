//! What the interpreter costs: an instruction, a request, a clone. `cargo run --release -p threadbare-vm --example speed`

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measurement reads the clock and prints"
)]

use base::{ReadOrder, Site, ThreadId};
use program::{Program, Request};
use std::hint::black_box;
use std::time::Instant;
use vm::bytecode::{
    BinOp, CmpOp, Constant, Function, FunctionId, Global, GlobalId, List, Module, Op, Operand, Reg,
};
use vm::{Builtin, Machine, Options};

const ROUNDS: u64 = 20_000;

fn function(registers: u16, constants: Vec<Constant>, code: Vec<Op>) -> Function {
    let sites = vec![Site(0); code.len()];
    Function {
        name: "f".into(),
        registers,
        constants,
        code,
        sites,
        operands: [3, 3, 4, 3].map(Operand::Const).to_vec(),
        ..Function::default()
    }
}

fn reg(i: u16) -> Operand {
    Operand::Reg(Reg(i))
}

/// `do { body; i++; } while (i < ROUNDS); return i`; the body may use registers from 2 on.
fn repeat(body: &[Op]) -> Function {
    let constants = vec![
        Constant::Value(1),
        Constant::Value(ROUNDS),
        Constant::Global(GlobalId(0), 0),
        Constant::Value(0),
        Constant::Function(FunctionId(1)),
        Constant::Value(7),
    ];
    let mut code = body.to_vec();
    let next = code.len() as u32 + 3;
    code.push(Op::Bin { op: BinOp::Add, width: 64, dst: Reg(0), a: reg(0), b: Operand::Const(0) });
    code.push(Op::Cmp { op: CmpOp::Ult, width: 64, dst: Reg(1), a: reg(0), b: Operand::Const(1) });
    code.push(Op::Branch { condition: reg(1), then: 0, otherwise: next });
    code.push(Op::Return { values: List::default() });
    function(12, constants, code)
}

fn machine(main: Function, worker: Function) -> Machine {
    let x = Global { name: "x".into(), bytes: vec![0; 8], align: 8, ..Global::default() };
    let functions = vec![main, worker];
    let module = Module { functions, globals: vec![x], main: Some(FunctionId(0)), ..Module::default() };
    Machine::new(module, Options::default()).expect("well-formed")
}

/// The best of several runs, in nanoseconds a round.
fn best(rounds: u64, mut run: impl FnMut()) -> f64 {
    let times = (0..200).map(|_| {
        let start = Instant::now();
        run();
        start.elapsed().as_nanos() as f64 / rounds as f64
    });
    times.fold(f64::MAX, f64::min)
}

fn private_loop(name: &str, body: &[Op]) {
    let nothing = function(4, vec![Constant::Value(0); 6], vec![Op::Return { values: List::default() }]);
    let machine = machine(repeat(body), nothing);
    let time = best(ROUNDS, || {
        let mut state = machine.main();
        assert!(matches!(machine.resume(&mut state, 0), Request::Finish { .. }));
    });
    let instructions = body.len() + 3;
    println!("{name:44} {time:6.2} ns a round, {:5.2} ns an instruction", time / instructions as f64);
}

fn main() {
    private_loop("empty loop", &[]);
    let (width, a, b) = (32, reg(2), reg(0));
    private_loop(
        "arithmetic",
        &[
            Op::Bin { op: BinOp::Add, width, dst: Reg(2), a, b },
            Op::Bin { op: BinOp::Xor, width, dst: Reg(3), a: reg(2), b: reg(3) },
            Op::Bin { op: BinOp::Mul, width, dst: Reg(4), a: reg(3), b: reg(2) },
            Op::SignExtend { from: 32, to: 64, dst: Reg(5), a: reg(4) },
            Op::Index { dst: Reg(6), base: reg(5), index: reg(0), scale: 8 },
            Op::Trunc { width: 16, dst: Reg(7), a: reg(6) },
            Op::Cmp { op: CmpOp::Slt, width: 16, dst: Reg(8), a: reg(7), b: reg(3) },
            Op::Select { dst: Reg(9), condition: reg(8), a: reg(7), b: reg(4) },
        ],
    );
    let x = Operand::Const(2);
    private_loop(
        "increment of a private global",
        &[
            Op::Load { size: 4, order: ReadOrder::NotAtomic, partial: false, dst: Reg(2), address: x },
            Op::Bin { op: BinOp::Add, width, dst: Reg(3), a: reg(2), b: Operand::Const(0) },
            Op::Store { size: 4, order: base::WriteOrder::NotAtomic, address: x, value: reg(3) },
        ],
    );
    private_loop(
        "call and return",
        &[Op::Call { function: FunctionId(1), arguments: List::default(), results: List::default() }],
    );
    requests_and_clones();
}

fn requests_and_clones() {
    let worker = repeat(&[Op::Load {
        size: 4,
        order: ReadOrder::Relaxed,
        partial: false,
        dst: Reg(2),
        address: Operand::Const(2),
    }]);
    let create = Op::Builtin {
        builtin: Builtin::PthreadCreate,
        arguments: List { first: 0, len: 4 },
        result: Some(Reg(2)),
    };
    let machine = machine(repeat(&[create]), worker);
    let mut main = machine.main();
    let mut create = machine.resume(&mut main, 0);
    if let Request::Publish(_) = create {
        create = machine.resume(&mut main, 0);
    }
    let Request::Create { function, argument } = create else { panic!("{create:?}") };
    let mut worker = machine.start(ThreadId(1), function, argument);
    let time = best(10_000, || {
        for _ in 0..10_000 {
            black_box(machine.resume(black_box(&mut worker), 1));
        }
        worker = machine.start(ThreadId(1), function, argument);
    });
    println!("{:44} {time:6.2} ns", "request and resume, 4 instructions");
    let time = best(10_000, || {
        for _ in 0..10_000 {
            drop(black_box(black_box(&worker).clone()));
        }
    });
    println!("{:44} {time:6.2} ns", "clone and drop of a worker's state");
    println!("{:44} {:6} bytes", "size of a state", size_of_val(&worker));
}
