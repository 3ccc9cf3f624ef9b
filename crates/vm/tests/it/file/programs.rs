//! Modules to write and to read: one with everything that bytecode has, and one that does something.

use base::{FenceOrder, Place, ReadOrder, RmwOrder, Site, WriteOrder};
use std::sync::Arc;
use vm::bytecode::*;
use vm::{Builtin, SyncCall};

fn register(number: u16) -> Operand {
    Operand::Reg(Reg(number))
}

/// All instructions that a file can have, most of them in one go.
pub(crate) fn every_op() -> Vec<Op> {
    let (dst, a, b) = (Reg(3), register(1), Operand::Const(0));
    let (arguments, results) = (List { first: 1, len: 2 }, List { first: 0, len: 1 });
    let (function, result) = (FunctionId(1), Some(Reg(2)));
    let mut ops = vec![
        Op::Move { dst, a },
        Op::Trunc { width: 7, dst, a },
        Op::SignExtend { from: 8, to: 64, dst, a },
        Op::Select { dst, condition: a, a, b },
        Op::Index { dst, base: a, index: b, scale: -3 },
        Op::InBounds { address: dst, base: b, size: u32::MAX },
        Op::Float { op: FloatOp::Add, width: 64, dst, a, b },
        Op::FloatCmp { op: FloatCmp(5), width: 32, dst, a, b },
        Op::Load { size: 3, order: ReadOrder::NotAtomic, partial: true, dst, address: a },
        Op::Alloca { dst, size: 24, align: 16, count: b },
        Op::Lifetime { address: a, start: true },
        Op::Lifetime { address: a, start: false },
        Op::ThreadLocal { dst, global: GlobalId(1) },
        Op::Jump(2),
        Op::Branch { condition: a, then: 0, otherwise: 3 },
        Op::Switch { value: a, table: 0 },
        Op::Unroll { counter: dst },
        Op::Call { function, arguments, results },
        Op::CallIndirect { callee: a, arguments, results },
        Op::Landing { normal: 0, pad: 3, clauses: b, exception: dst, selector: Reg(4) },
        Op::Unreachable,
        Op::Refuse(1),
    ];
    ops.extend(BIN_OPS.map(|op| Op::Bin { op, width: 33, dst, a, b }));
    ops.extend(OVERFLOW_OPS.map(|op| Op::Overflow { op, width: 32, dst, overflow: Reg(4), a, b }));
    ops.extend(UNARY_OPS.map(|op| Op::Unary { op, width: 16, dst, a }));
    ops.extend(CMP_OPS.map(|op| Op::Cmp { op, width: 64, dst, a, b }));
    ops.extend(FLOAT_OPS.map(|op| Op::Float { op, width: 32, dst, a, b }));
    ops.extend(FLOAT_CASTS.map(|op| Op::FloatCast { op, from: 64, to: 32, dst, a }));
    ops.extend(READ_ORDERS.map(|order| Op::Load { size: 4, order, partial: false, dst, address: a }));
    ops.extend(WRITE_ORDERS.map(|order| Op::Store { size: 8, order, address: a, value: b }));
    for (order, failure) in RMW_ORDERS.into_iter().zip(READ_ORDERS.into_iter().cycle()) {
        let (success, expected, new) = (Reg(5), a, b);
        let weak = order == RmwOrder::Relaxed;
        ops.extend(RMW_KINDS.map(|kind| Op::Rmw { kind, size: 2, order, dst, address: a, value: b }));
        ops.push(Op::CompareExchange {
            size: 1,
            order,
            failure,
            weak,
            dst,
            success,
            address: a,
            expected,
            new,
        });
    }
    ops.extend(FENCE_ORDERS.map(Op::Fence));
    ops.extend(BUILTINS.map(|builtin| Op::Builtin { builtin, arguments, result }));
    let last = Builtin::Sync(SyncCall::BarrierDestroy);
    ops.push(Op::Builtin { builtin: last, arguments: List::default(), result: None });
    ops.push(Op::Return { values: List { first: 0, len: 3 } });
    ops
}

const BIN_OPS: [BinOp; 17] = {
    use BinOp::*;
    [Add, Sub, Mul, UDiv, SDiv, URem, SRem, And, Or, Xor, Shl, LShr, AShr, UMin, UMax, SMin, SMax]
};
const OVERFLOW_OPS: [OverflowOp; 6] = {
    use OverflowOp::*;
    [UAdd, SAdd, USub, SSub, UMul, SMul]
};
const UNARY_OPS: [UnaryOp; 6] = {
    use UnaryOp::*;
    [PopCount, LeadingZeros, TrailingZeros, ByteSwap, BitReverse, Abs]
};
const CMP_OPS: [CmpOp; 6] = {
    use CmpOp::*;
    [Eq, Ne, Ult, Ule, Slt, Sle]
};
const FLOAT_OPS: [FloatOp; 7] = {
    use FloatOp::*;
    [Add, Sub, Mul, Div, Rem, Neg, Abs]
};
const FLOAT_CASTS: [FloatCast; 5] = {
    use FloatCast::*;
    [ToSigned, ToUnsigned, FromSigned, FromUnsigned, Float]
};
const RMW_KINDS: [RmwKind; 12] = {
    use RmwKind::*;
    [Exchange, Replace, Add, Sub, And, Or, Xor, Nand, Max, Min, UMax, UMin]
};
const READ_ORDERS: [ReadOrder; 4] =
    [ReadOrder::NotAtomic, ReadOrder::Relaxed, ReadOrder::Acquire, ReadOrder::SeqCst];
const WRITE_ORDERS: [WriteOrder; 4] =
    [WriteOrder::NotAtomic, WriteOrder::Relaxed, WriteOrder::Release, WriteOrder::SeqCst];
const RMW_ORDERS: [RmwOrder; 5] =
    [RmwOrder::Relaxed, RmwOrder::Acquire, RmwOrder::Release, RmwOrder::AcqRel, RmwOrder::SeqCst];
const FENCE_ORDERS: [FenceOrder; 4] =
    [FenceOrder::Acquire, FenceOrder::Release, FenceOrder::AcqRel, FenceOrder::SeqCst];
/// The first, the last, and those with something in them.
const BUILTINS: [Builtin; 5] = [
    Builtin::Malloc,
    Builtin::OutputFormat(2),
    Builtin::OutputList(1),
    Builtin::Sync(SyncCall::CondTimedWait),
    Builtin::Returned,
];

/// Everything that bytecode has.
pub(crate) fn everything() -> Module {
    let code = every_op();
    let main = Function {
        name: "main".into(),
        parameters: 2,
        registers: 6,
        constants: vec![
            Constant::Value(8),
            Constant::Global(GlobalId(0), -8),
            Constant::Function(FunctionId(1)),
            Constant::External(0),
        ],
        sites: (0..code.len() as u32).map(|i| Site(i % 3)).collect(),
        code,
        operands: vec![register(0), register(1), Operand::Const(0), Operand::Const(3)],
        registers_list: vec![Reg(4), Reg(5)],
        switches: vec![Switch { cases: vec![(0, 1), (u64::MAX, 2)], default: 0 }],
        texts: vec!["unknown".into(), "not modelled: é".into()],
        ..Function::default()
    };
    Module {
        functions: vec![main, helper()],
        globals: globals(),
        main: Some(FunctionId(0)),
        sites: [sites(), vec![SiteInfo { object: Some(0), ..sites()[2].clone() }]].concat(),
        files: vec![
            SourceFile { name: "a.c".into(), md5: Some(*b"sixteen bytes...") },
            SourceFile { name: "b.h".into(), md5: None },
        ],
        shapes: vec![
            Shape::Scalar(4),
            Shape::Array { element: ShapeId(0), stride: 4, count: 2 },
            Shape::Record {
                size: 8,
                members: vec![Member { name: "a".into(), start: 0, bits: 64, shape: ShapeId(1) }],
            },
        ],
        objects: vec![ObjectInfo { name: "q".into(), shape: Some(ShapeId(2)) }],
        constructors: vec![FunctionId(1)],
        destructors: vec![FunctionId(1), FunctionId(1)],
        is_cxx: true,
        bounds: vec![(Site(1), 3)],
    }
}

fn helper() -> Function {
    let code = vec![Op::Return { values: List::default() }];
    Function { name: "helper".into(), sites: vec![Site(1)], code, ..Function::default() }
}

fn globals() -> Vec<Global> {
    let relocations = vec![
        (0, Relocation::Global(GlobalId(0), i64::MIN)),
        (8, Relocation::Function(FunctionId(1))),
        (16, Relocation::External("outside".into())),
    ];
    let place = Some(Place { file: "a.c".into(), line: 3, column: 5 });
    let table =
        Global { name: "table".into(), bytes: vec![7; 24], relocations, align: 8, ..Global::default() };
    let (shape, thread_local) = (Some(ShapeId(1)), true);
    let own = Global { name: "own".into(), thread_local, place, shape, align: 4096, ..Global::default() };
    let text = Global { name: ".str".into(), bytes: b"text\0".into(), constant: true, ..Global::default() };
    let unmodelled = Some("it is weak".to_owned());
    let outside = Global { name: "environ".into(), external: true, unmodelled, ..Global::default() };
    vec![table, own, text, outside]
}

fn sites() -> Vec<SiteInfo> {
    let (file, function): (Arc<str>, Arc<str>) = ("dir/a.c".into(), "main".into());
    let site = |line, operand: &str| SiteInfo {
        place: Some(Place { file: Arc::clone(&file), line, column: 0 }),
        function: Arc::clone(&function),
        operand: operand.into(),
        volatile: line == 1,
        caller: (line != 1).then_some(Site(1)),
        object: None,
    };
    vec![SiteInfo::default(), site(1, "x"), site(u32::MAX, "q.head")]
}

/// Two threads and `main` that waits for them: each takes a lock by a compare-exchange in a loop, counts in a local and in
/// a global variable, and the loop around it has a switch. `main` reads the count in the end and asserts that it is 2.
pub(crate) fn locked_counter() -> Module {
    let (lock, count) = (Operand::Const(0), Operand::Const(1));
    let (zero, one, two) = (Operand::Const(2), Operand::Const(3), Operand::Const(4));
    let builtin =
        |builtin, first, len, result| Op::Builtin { builtin, arguments: List { first, len }, result };
    let load = |order, dst, address| Op::Load { size: 4, order, partial: false, dst, address };
    let plain = (ReadOrder::NotAtomic, WriteOrder::NotAtomic);
    let worker = vec![
        Op::Alloca { dst: Reg(1), size: 8, align: 8, count: one },
        Op::Lifetime { address: register(1), start: true },
        Op::Store { size: 4, order: plain.1, address: register(1), value: zero },
        // 3: wait until it is free, and try.
        load(ReadOrder::Relaxed, Reg(2), lock),
        Op::Cmp { op: CmpOp::Ne, width: 32, dst: Reg(3), a: register(2), b: zero },
        Op::Branch { condition: register(3), then: 3, otherwise: 6 },
        Op::CompareExchange {
            size: 4,
            order: RmwOrder::Acquire,
            failure: ReadOrder::Relaxed,
            weak: false,
            dst: Reg(2),
            success: Reg(3),
            address: lock,
            expected: zero,
            new: one,
        },
        Op::Switch { value: register(3), table: 0 },
        load(plain.0, Reg(4), count),
        Op::Bin { op: BinOp::Add, width: 32, dst: Reg(4), a: register(4), b: one },
        Op::Store { size: 4, order: plain.1, address: count, value: register(4) },
        Op::Store { size: 4, order: WriteOrder::Release, address: lock, value: zero },
        load(plain.0, Reg(5), register(1)),
        Op::Unary { op: UnaryOp::LeadingZeros, width: 32, dst: Reg(5), a: register(5) },
        Op::Lifetime { address: register(1), start: false },
        Op::Return { values: List { first: 8, len: 1 } },
    ];
    let main = vec![
        Op::Alloca { dst: Reg(0), size: 16, align: 8, count: one },
        Op::Index { dst: Reg(1), base: register(0), index: one, scale: 8 },
        builtin(Builtin::PthreadCreate, 0, 4, Some(Reg(2))),
        builtin(Builtin::PthreadCreate, 4, 4, Some(Reg(2))),
        load(plain.0, Reg(3), register(0)),
        load(plain.0, Reg(4), register(1)),
        builtin(Builtin::PthreadJoin, 8, 2, Some(Reg(2))),
        builtin(Builtin::PthreadJoin, 10, 2, Some(Reg(2))),
        load(plain.0, Reg(5), count),
        Op::Cmp { op: CmpOp::Eq, width: 32, dst: Reg(2), a: register(5), b: two },
        Op::Branch { condition: register(2), then: 12, otherwise: 11 },
        builtin(Builtin::Abort, 0, 0, None),
        Op::Return { values: List { first: 9, len: 1 } },
    ];
    let create = |id| [register(id), zero, Operand::Const(5), zero];
    let join = |id| [register(id), zero];
    let function = |name: &str, code: Vec<Op>, operands: Vec<Operand>| Function {
        name: name.into(),
        registers: 6,
        constants: vec![
            Constant::Global(GlobalId(0), 0),
            Constant::Global(GlobalId(0), 4),
            Constant::Value(0),
            Constant::Value(1),
            Constant::Value(2),
            Constant::Function(FunctionId(1)),
        ],
        sites: (0..code.len() as u32).map(|i| Site(i % 3)).collect(),
        code,
        operands,
        switches: vec![Switch { cases: vec![(0, 3)], default: 8 }],
        ..Function::default()
    };
    let ids = [create(0).to_vec(), create(1).to_vec(), join(3).to_vec(), join(4).to_vec()].concat();
    let mut worker = function("worker", worker, vec![zero; 9]);
    worker.parameters = 1;
    let shared = Global { name: "shared".into(), bytes: vec![0; 8], align: 4, ..Global::default() };
    Module {
        functions: vec![function("main", main, ids), worker],
        globals: vec![shared],
        main: Some(FunctionId(0)),
        sites: sites(),
        ..Module::default()
    }
}
