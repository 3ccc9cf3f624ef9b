//! The bytecode, which the LLVM front end lowers to and the interpreter runs.
//!
//! A register machine. A register holds up to 64 bits, zero-extended: a value of `width` bits has the higher bits
//! clear, always. Pointers are 64-bit numbers. Phis are gone (moves on edges), `getelementptr` is arithmetic,
//! structs in registers are one register a scalar.
//!
//! Front ends make it, and `file` writes it and reads it. Some instructions and fields belong to the passes of `spin`
//! alone: no front end fills them, and no file has them.

pub use crate::shape::{Member, ObjectInfo, Shape, ShapeId};
pub use base::SiteInfo;
use base::{FenceOrder, Place, ReadOrder, RmwOrder, Site, WriteOrder};
use program::Role;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A register of the current frame.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Reg(pub u16);

/// An operand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Operand {
    /// A register.
    Reg(Reg),
    /// `Function::constants[i]`.
    Const(u16),
}

/// A function of the module.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct FunctionId(pub u32);

/// A global of the module.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct GlobalId(pub u32);

/// A whole program.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Module {
    /// The functions that have a body.
    pub functions: Vec<Function>,
    /// The global variables.
    #[serde(with = "crate::initial")]
    pub globals: Vec<Global>,
    /// `main`.
    pub main: Option<FunctionId>,
    /// The source information of each [`Site`].
    #[serde(with = "crate::source_map")]
    pub sites: Vec<SiteInfo>,
    /// The source files that sites are in, each once.
    pub files: Vec<SourceFile>,
    /// The shapes of objects.
    pub shapes: Vec<Shape>,
    /// The objects that sites make.
    pub objects: Vec<ObjectInfo>,
    /// Run before `main`, in this order (`__attribute__((constructor))`).
    pub constructors: Vec<FunctionId>,
    /// Run when `main` returns or calls `exit`, in this order (`__attribute__((destructor))`).
    pub destructors: Vec<FunctionId>,
    /// Whether some of it is C++ or Rust, and not all of it C. Their release sequences are those of C++20.
    pub is_cxx: bool,
    /// Bounds that the program itself sets (`__VERIFIER_loop_bound`): the places of [`Op::Unroll`] that close the loop, and
    /// how many iterations may start, the last test included.
    pub bounds: Vec<(Site, u32)>,
}

impl Module {
    /// Whether there is an access of the order `seq_cst`, executed or not.
    pub fn has_sc_access(&self) -> bool {
        let mut code = self.functions.iter().flat_map(|function| &function.code);
        code.any(|op| match *op {
            Op::Load { order, .. } => order == ReadOrder::SeqCst,
            Op::Store { order, .. } => order == WriteOrder::SeqCst,
            Op::Rmw { order, .. } => order == RmwOrder::SeqCst,
            Op::CompareExchange { order, failure, .. } => {
                order == RmwOrder::SeqCst || failure == ReadOrder::SeqCst
            }
            _ => false,
        })
    }

    /// Whether there is a fence of the order `seq_cst`, executed or not.
    pub fn has_sc_fence(&self) -> bool {
        let mut code = self.functions.iter().flat_map(|function| &function.code);
        code.any(|op| matches!(op, Op::Fence(FenceOrder::SeqCst)))
    }
}

/// A source file, as the debug information knows it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SourceFile {
    /// Its name, as places have it.
    pub name: Arc<str>,
    /// The MD5 checksum of the text that was compiled; `None` if there is none.
    pub md5: Option<[u8; 16]>,
}

/// A function.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Parameters are registers `0..parameters`.
    pub parameters: u16,
    /// How many registers a frame has.
    pub registers: u16,
    /// The constants that operands name.
    pub constants: Vec<Constant>,
    /// Instructions; execution starts at the first.
    pub code: Vec<Op>,
    /// The site of each instruction. (Those of a machine know no calls and no objects: `Machine::new` keeps these apart.)
    pub sites: Vec<Site>,
    /// Register and operand lists of calls, returns and switches: [`List`]s are ranges of these.
    pub operands: Vec<Operand>,
    /// Destination lists of calls.
    pub registers_list: Vec<Reg>,
    /// Switch tables.
    pub switches: Vec<Switch>,
    /// Texts of `Op::Refuse` and names for builtins.
    pub texts: Vec<String>,
    /// The loops that are watched. `spin` fills this and the next.
    #[serde(skip)]
    pub watches: Vec<Watch>,
    /// The instructions with a role, in their order.
    #[serde(skip)]
    pub roles: Vec<(u32, Role)>,
}

/// A loop that is watched for rounds that change nothing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Watch {
    /// Whether its rounds may read memory plainly, themselves or in a call.
    pub reads_plainly: bool,
    /// The registers whose values at the header are compared. (Not those that no round can change.)
    pub live: Vec<Reg>,
    /// Memory that every round writes plainly before its first branch. Its contents at the header make no difference,
    /// unless it is read before.
    pub written: Vec<Span>,
    /// Memory that every round reads before its first branch.
    pub read: Vec<Span>,
}

impl Function {
    /// An element of a list of operands; `None` if it is shorter.
    #[inline]
    pub(crate) fn operand(&self, list: List, i: u16) -> Option<Operand> {
        (i < list.len).then(|| self.operands[list.first as usize + usize::from(i)])
    }
}

/// Some bytes of memory, in terms of registers at the header of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// Where they start, less the offset.
    pub base: Operand,
    /// Added to the base.
    pub offset: i64,
    /// How many they are.
    pub size: u8,
}

/// A constant, some of which are known only once addresses are given out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Constant {
    /// A number.
    Value(u64),
    /// The address of a global plus an offset. For a thread-local global: see `Op::ThreadLocal`.
    Global(GlobalId, i64),
    /// The address of a function (a number that `Op::CallIndirect` and thread creation understand).
    Function(FunctionId),
    /// The address of an external function with no model: calling it refuses with its name
    /// (`Module`-wide table not needed: the name is `Function::texts[i]`).
    External(u16),
}

/// A range of `Function::operands` or of `Function::registers_list`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct List {
    /// First element.
    pub first: u32,
    /// Number of elements.
    pub len: u16,
}

/// A switch: values and where they go.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Switch {
    /// Cases.
    pub cases: Vec<(u64, u32)>,
    /// Everything else.
    pub default: u32,
}

/// A global variable.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Global {
    /// Its source name.
    pub name: String,
    /// Initial bytes; their number is its size.
    #[serde(serialize_with = "crate::initial::without_zeros")]
    pub bytes: Vec<u8>,
    /// Pointers inside: offset into `bytes`, and the 8-byte constant that belongs there.
    pub relocations: Vec<(u64, Relocation)>,
    /// Alignment.
    pub align: u64,
    /// Never written: reads of it are no events.
    pub constant: bool,
    /// One copy a thread.
    pub thread_local: bool,
    /// Where it is declared.
    pub place: Option<Place>,
    /// Its shape.
    pub shape: Option<ShapeId>,
    /// An external variable that we know nothing of: an access refuses with its name.
    pub external: bool,
    /// Why nothing is known of an external variable; `None`: it is not part of the program.
    pub unmodelled: Option<String>,
}

/// A pointer in an initialiser.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Relocation {
    /// Global plus offset.
    Global(GlobalId, i64),
    /// Function.
    Function(FunctionId),
    /// A function without a body or a model.
    External(String),
}

/// Integer operations on `width` bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum BinOp {
    /// Wrapping.
    Add,
    /// Wrapping.
    Sub,
    /// Wrapping.
    Mul,
    /// Unsigned division; by zero is a fault.
    UDiv,
    /// Signed division; by zero, or the smallest number by -1, is a fault.
    SDiv,
    /// Unsigned remainder.
    URem,
    /// Signed remainder.
    SRem,
    /// Bitwise.
    And,
    /// Bitwise.
    Or,
    /// Bitwise.
    Xor,
    /// Left; by the width or more gives 0.
    Shl,
    /// Logical right; by the width or more gives 0.
    LShr,
    /// Arithmetic right; by the width or more gives the sign.
    AShr,
    /// Unsigned minimum.
    UMin,
    /// Unsigned maximum.
    UMax,
    /// Signed minimum.
    SMin,
    /// Signed maximum.
    SMax,
}

/// Integer comparisons.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum CmpOp {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Unsigned less.
    Ult,
    /// Unsigned less or equal.
    Ule,
    /// Signed less.
    Slt,
    /// Signed less or equal.
    Sle,
}

/// One-operand integer operations on `width` bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum UnaryOp {
    /// Number of ones.
    PopCount,
    /// Leading zeros.
    LeadingZeros,
    /// Trailing zeros.
    TrailingZeros,
    /// Bytes reversed.
    ByteSwap,
    /// Bits reversed.
    BitReverse,
    /// Absolute value.
    Abs,
}

/// Arithmetic with an overflow bit: two results.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum OverflowOp {
    /// Unsigned add.
    UAdd,
    /// Signed add.
    SAdd,
    /// Unsigned subtract.
    USub,
    /// Signed subtract.
    SSub,
    /// Unsigned multiply.
    UMul,
    /// Signed multiply.
    SMul,
}

/// Floating point on 32 or 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum FloatOp {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient.
    Div,
    /// Remainder.
    Rem,
    /// `-a` (second operand ignored).
    Neg,
    /// `|a|` (second operand ignored).
    Abs,
}

/// Floating-point comparisons: `bits` as LLVM's predicate number (1 equal, 2 greater, 4 less, 8 unordered; or-ed).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct FloatCmp(pub u8);

/// Conversions with floating point.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum FloatCast {
    /// Float to signed integer.
    ToSigned,
    /// Float to unsigned integer.
    ToUnsigned,
    /// Signed integer to float.
    FromSigned,
    /// Unsigned integer to float.
    FromUnsigned,
    /// Between float widths.
    Float,
}

/// The operation of a read-modify-write on its operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum RmwKind {
    /// Exchange.
    Exchange,
    /// Exchange whose old value is not used: it may never have been written.
    Replace,
    /// Add.
    Add,
    /// Subtract.
    Sub,
    /// And.
    And,
    /// Or.
    Or,
    /// Exclusive or.
    Xor,
    /// Not and.
    Nand,
    /// Signed maximum.
    Max,
    /// Signed minimum.
    Min,
    /// Unsigned maximum.
    UMax,
    /// Unsigned minimum.
    UMin,
}

/// An instruction. Jump targets are indices into `Function::code`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[expect(missing_docs, reason = "each instruction's own line says what its fields are")]
pub enum Op {
    /// `dst = a`
    Move { dst: Reg, a: Operand },
    /// Integer arithmetic.
    Bin { op: BinOp, width: u8, dst: Reg, a: Operand, b: Operand },
    /// Integer arithmetic with overflow bit.
    Overflow { op: OverflowOp, width: u8, dst: Reg, overflow: Reg, a: Operand, b: Operand },
    /// One-operand arithmetic.
    Unary { op: UnaryOp, width: u8, dst: Reg, a: Operand },
    /// Integer comparison: 0 or 1.
    Cmp { op: CmpOp, width: u8, dst: Reg, a: Operand, b: Operand },
    /// Keep the low `width` bits.
    Trunc { width: u8, dst: Reg, a: Operand },
    /// Sign-extend from `from` bits to `to` bits.
    SignExtend { from: u8, to: u8, dst: Reg, a: Operand },
    /// `dst = if condition { a } else { b }`
    Select { dst: Reg, condition: Operand, a: Operand, b: Operand },
    /// `dst = base + index * scale`, `index` a signed 64-bit number.
    Index { dst: Reg, base: Operand, index: Operand, scale: i32 },
    /// Fault (`invalid-access`) unless `address` is in `[base, base + size]`: an index computed into a global array.
    InBounds { address: Reg, base: Operand, size: u32 },
    /// Floating-point arithmetic.
    Float { op: FloatOp, width: u8, dst: Reg, a: Operand, b: Operand },
    /// Floating-point comparison.
    FloatCmp { op: FloatCmp, width: u8, dst: Reg, a: Operand, b: Operand },
    /// Floating-point conversion, from `from` bits to `to` bits.
    FloatCast { op: FloatCast, from: u8, to: u8, dst: Reg, a: Operand },
    /// Load `size` bytes (1, 2, 4 or 8; plain loads: 1 to 8). A load that covers both written and never-written bytes
    /// reads padding, which counts as 0; one of which no byte was ever written is a fault.
    Load {
        size: u8,
        order: ReadOrder,
        /// The value only goes back to where it came from, around a new bit-field: this is no read of the program, and
        /// bytes that were never written count as 0.
        partial: bool,
        dst: Reg,
        address: Operand,
    },
    /// Store `size` bytes.
    Store { size: u8, order: WriteOrder, address: Operand, value: Operand },
    /// Read-modify-write; `dst` gets the old value.
    Rmw { kind: RmwKind, size: u8, order: RmwOrder, dst: Reg, address: Operand, value: Operand },
    /// Compare-exchange; `dst` gets the old value, `success` 0 or 1.
    CompareExchange {
        size: u8,
        order: RmwOrder,
        failure: ReadOrder,
        /// May fail spuriously.
        weak: bool,
        dst: Reg,
        success: Reg,
        address: Operand,
        expected: Operand,
        new: Operand,
    },
    /// Fence.
    Fence(FenceOrder),
    /// A local variable of `size * count` bytes; lives until the function returns.
    Alloca { dst: Reg, size: u32, align: u8, count: Operand },
    /// The start or the end of the life of a local variable within its function. `address` is the register of its
    /// `Alloca`; a start may change it, to that of a new object, and makes the contents undefined.
    Lifetime { address: Operand, start: bool },
    /// The address of this thread's copy of a thread-local global.
    ThreadLocal { dst: Reg, global: GlobalId },
    /// Go to.
    Jump(u32),
    /// Conditional.
    Branch { condition: Operand, then: u32, otherwise: u32 },
    /// `Function::switches[table]`.
    Switch { value: Operand, table: u32 },
    /// Taken on every back edge of a loop when there is an unroll bound: counts up, and blocks when one iteration more
    /// than the bound allows would start.
    /// The counter is set to 0 by a `Move` where the loop is entered; to -1, if the first iteration is counted as well.
    Unroll { counter: Reg },
    /// Call; results go to `results`, in order.
    Call { function: FunctionId, arguments: List, results: List },
    /// Call through a pointer.
    CallIndirect { callee: Operand, arguments: List, results: List },
    /// Call of a function that has a model; at most one result.
    Builtin { builtin: crate::Builtin, arguments: List, result: Option<Reg> },
    /// Return.
    Return { values: List },
    /// LLVM's `unreachable`: the end of a path that undefined behaviour leads to.
    Unreachable,
    /// Something that is not modelled: `Function::texts[i]` names it.
    Refuse(u16),
    /// Right after a call, and nowhere else: where its thread goes on. The call has returned: at `normal`. An exception has
    /// left it, and lands here: at `pad`, with its address in `exception` and the number of the clause that takes it in
    /// `selector`. The machine knows nothing of `clauses`, a constant, but hands it to the code that raises exceptions.
    Landing { normal: u32, pad: u32, clauses: Operand, exception: Reg, selector: Reg },
    /// The header of a loop that is watched for rounds that change nothing (`Function::watches[watch]`). Front ends do
    /// not emit this and the next three: `spin` does. They stay last, so that files number the others without a gap.
    #[serde(skip)]
    LoopHead { watch: u16 },
    /// On a backedge of a watched loop, or at a place from which the round is certain to lead there: the thread goes no
    /// further if nothing has changed since the header.
    #[serde(skip)]
    SpinCheck { watch: u16 },
    /// The header of a loop with a `SpinAssume`: how many events the thread has made so far.
    #[serde(skip)]
    RoundStart { dst: Reg },
    /// In the place of a backedge whose rounds have no effect, or of code that leads there: the thread goes no further.
    #[serde(skip)]
    SpinAssume {
        /// How many events the thread had made when the round began.
        since: Reg,
        /// The round has more instructions, which are certain to make no difference.
        early: bool,
    },
}
