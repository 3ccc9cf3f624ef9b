//! Values: functions, globals, constants, instructions.

use super::{Bitcode, Opcode, Ordering, RmwBinOp, Type, TypeKind, borrowed, chain, owned};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{
    LLVMAttributeFunctionIndex, LLVMInlineAsmDialect, LLVMIntPredicate, LLVMLinkage, LLVMTailCallKind,
    LLVMValueKind,
};
use std::ffi::CStr;
use std::marker::PhantomData;

/// llvm-sys 221.1.2 declares the second parameter as a number; it is a pointer.
mod fixed {
    unsafe extern "C" {
        pub(super) fn LLVMGetRawDataValues(
            constant: llvm_sys::prelude::LLVMValueRef,
            size: *mut usize,
        ) -> *const std::ffi::c_char;
    }
}

/// A value of the module; basic blocks are values, too.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Value<'m>(LLVMValueRef, PhantomData<&'m Bitcode>);

/// What a value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Argument,
    Instruction,
    Block,
    Function,
    Global,
    Alias,
    /// A function that a resolver chooses when the program starts.
    Resolved,
    /// An integer constant.
    Integer,
    /// A floating-point constant.
    Float,
    /// A null pointer, or an aggregate of zeros.
    Zero,
    /// `undef` or `poison`.
    Undefined,
    /// An array or vector of numbers.
    Data,
    /// A struct, array or vector of constants.
    Aggregate,
    /// A constant expression.
    Expression,
    InlineAsm,
    /// The address of a label.
    BlockAddress,
    /// Metadata, …
    Other,
}

/// Between whom an atomic access or a fence is one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scope {
    /// All threads.
    All,
    /// Its own thread and the signal handlers that run in it.
    Thread,
    /// Some threads, as the target defines it.
    Some,
}

impl<'m> Value<'m> {
    /// `raw` is null or a valid value of a module that outlives `'m`.
    pub(super) fn new(raw: LLVMValueRef) -> Option<Value<'m>> {
        (!raw.is_null()).then_some(Value(raw, PhantomData))
    }

    fn some(raw: LLVMValueRef) -> Value<'m> {
        Value::new(raw).expect("LLVM has a value here")
    }

    pub(super) fn raw(self) -> LLVMValueRef {
        self.0
    }

    pub(crate) fn kind(self) -> Kind {
        use LLVMValueKind::*;
        // SAFETY: a valid value.
        match unsafe { LLVMGetValueKind(self.0) } {
            LLVMArgumentValueKind => Kind::Argument,
            LLVMInstructionValueKind => Kind::Instruction,
            LLVMBasicBlockValueKind => Kind::Block,
            LLVMFunctionValueKind => Kind::Function,
            LLVMGlobalVariableValueKind => Kind::Global,
            LLVMGlobalAliasValueKind => Kind::Alias,
            LLVMGlobalIFuncValueKind => Kind::Resolved,
            LLVMConstantIntValueKind => Kind::Integer,
            LLVMConstantFPValueKind => Kind::Float,
            LLVMConstantPointerNullValueKind | LLVMConstantAggregateZeroValueKind => Kind::Zero,
            LLVMUndefValueValueKind | LLVMPoisonValueKind => Kind::Undefined,
            LLVMConstantDataArrayValueKind | LLVMConstantDataVectorValueKind => Kind::Data,
            LLVMConstantStructValueKind | LLVMConstantArrayValueKind | LLVMConstantVectorValueKind => {
                Kind::Aggregate
            }
            LLVMConstantExprValueKind => Kind::Expression,
            LLVMInlineAsmValueKind => Kind::InlineAsm,
            LLVMBlockAddressValueKind => Kind::BlockAddress,
            _ => Kind::Other,
        }
    }

    pub(crate) fn ty(self) -> Type<'m> {
        // SAFETY: a valid value.
        Type::new(unsafe { LLVMTypeOf(self.0) })
    }

    pub(crate) fn name(self) -> String {
        let mut length = 0;
        // SAFETY: a valid value; the name is copied.
        unsafe {
            let start = LLVMGetValueName2(self.0, &mut length);
            borrowed(start, length)
        }
    }

    /// As LLVM prints it.
    pub(crate) fn text(self) -> String {
        // SAFETY: a valid value; the text is ours.
        unsafe { owned(LLVMPrintValueToString(self.0)) }
    }

    /// The operands of an instruction or a constant.
    pub(crate) fn operands(self) -> Vec<Value<'m>> {
        (0..self.operand_count()).map(|i| self.operand(i)).collect()
    }

    pub(crate) fn operand_count(self) -> u32 {
        assert!(self.is_user());
        // SAFETY: a user has operands.
        unsafe { LLVMGetNumOperands(self.0) as u32 }
    }

    pub(crate) fn operand(self, index: u32) -> Value<'m> {
        assert!(index < self.operand_count());
        // SAFETY: a user, and the index is checked.
        Value::some(unsafe { LLVMGetOperand(self.0, index) })
    }

    fn is_user(self) -> bool {
        !matches!(
            self.kind(),
            Kind::Argument | Kind::Block | Kind::InlineAsm | Kind::BlockAddress | Kind::Other
        )
    }

    /// The one instruction that uses its result, if there is one and no more.
    pub(crate) fn only_user(self) -> Option<Value<'m>> {
        // SAFETY: a valid value; a use that is not null has a user, and a next use or null.
        unsafe {
            let first = LLVMGetFirstUse(self.0);
            (!first.is_null() && LLVMGetNextUse(first).is_null()).then(|| Value::some(LLVMGetUser(first)))
        }
    }

    /// The instructions and constants that use it.
    pub(crate) fn users(self) -> impl Iterator<Item = Value<'m>> {
        // SAFETY: a valid value; a use that is not null has a user, and a next use or null.
        let mut at = unsafe { LLVMGetFirstUse(self.0) };
        std::iter::from_fn(move || {
            // SAFETY: as above.
            (!at.is_null()).then(|| unsafe {
                let user = Value::some(LLVMGetUser(at));
                at = LLVMGetNextUse(at);
                user
            })
        })
    }

    /// Whether its result is used anywhere.
    pub(crate) fn is_used(self) -> bool {
        // SAFETY: a valid value.
        unsafe { !LLVMGetFirstUse(self.0).is_null() }
    }
}

/// Constants.
impl<'m> Value<'m> {
    /// The value of an integer constant of up to 64 bits, zero-extended.
    pub(crate) fn integer(self) -> Option<u64> {
        match self.ty().kind() {
            TypeKind::Integer(bits) if self.kind() == Kind::Integer && bits <= 64 => {
                // SAFETY: an integer constant of at most 64 bits.
                Some(unsafe { LLVMConstIntGetZExtValue(self.0) })
            }
            _ => None,
        }
    }

    /// The same, sign-extended.
    pub(crate) fn signed(self) -> Option<i64> {
        // SAFETY: `integer` says that it is an integer constant of at most 64 bits.
        self.integer().map(|_| unsafe { LLVMConstIntGetSExtValue(self.0) })
    }

    /// The low 128 bits of an integer or floating-point constant of `bits` bits.
    pub(crate) fn number_bits(self, bits: u64) -> Option<u128> {
        let integer = match self.kind() {
            Kind::Integer => self,
            // A bitcast of a constant folds; the bits of a float have no other getter.
            // SAFETY: source and destination have the same number of bits.
            Kind::Float => unsafe { Value::some(LLVMConstBitCast(self.0, self.ty().integer(bits as u32))) },
            _ => return None,
        };
        // There is no getter for integers of more than 64 bits but the printed form.
        integer.integer().map(u128::from).or_else(|| {
            let text = integer.text();
            text.rsplit(' ').next()?.parse::<i128>().ok().map(i128::cast_unsigned)
        })
    }

    /// The bytes of a constant array or vector of numbers.
    pub(crate) fn data(self) -> Vec<u8> {
        assert_eq!(self.kind(), Kind::Data);
        let mut size = 0;
        // SAFETY: a constant of numbers; `size` bytes can be read from where they start.
        unsafe {
            let start = fixed::LLVMGetRawDataValues(self.0, &mut size);
            std::slice::from_raw_parts(start.cast::<u8>(), size).to_vec()
        }
    }

    /// An element of a constant aggregate, if it has one there.
    pub(crate) fn element(self, index: u32) -> Option<Value<'m>> {
        assert!(matches!(self.kind(), Kind::Aggregate | Kind::Data | Kind::Zero | Kind::Undefined));
        // SAFETY: a constant; an index that is too large gives null.
        Value::new(unsafe { LLVMGetAggregateElement(self.0, index) })
    }

    /// The block whose address it is.
    pub(crate) fn addressed_block(self) -> Value<'m> {
        assert_eq!(self.kind(), Kind::BlockAddress);
        // SAFETY: the address of a block.
        Value::some(unsafe { LLVMBasicBlockAsValue(LLVMGetBlockAddressBasicBlock(self.0)) })
    }

    /// What a constant expression computes.
    pub(crate) fn expression(self) -> Opcode {
        assert_eq!(self.kind(), Kind::Expression);
        // SAFETY: a constant expression.
        unsafe { LLVMGetConstOpcode(self.0) }
    }
}

/// Functions and globals.
impl<'m> Value<'m> {
    /// Whether it has no body, or no initialiser.
    pub(crate) fn is_declaration(self) -> bool {
        assert!(matches!(self.kind(), Kind::Function | Kind::Global));
        // SAFETY: a global value.
        unsafe { LLVMIsDeclaration(self.0) != 0 }
    }

    /// The type of a function or of the contents of a global.
    pub(crate) fn value_type(self) -> Type<'m> {
        assert!(matches!(self.kind(), Kind::Function | Kind::Global | Kind::Alias));
        // SAFETY: a global value.
        Type::new(unsafe { LLVMGlobalGetValueType(self.0) })
    }

    pub(crate) fn initialiser(self) -> Option<Value<'m>> {
        assert_eq!(self.kind(), Kind::Global);
        // SAFETY: a global variable; null if it has none.
        Value::new(unsafe { LLVMGetInitializer(self.0) })
    }

    pub(crate) fn is_constant_global(self) -> bool {
        assert_eq!(self.kind(), Kind::Global);
        // SAFETY: a global variable.
        unsafe { LLVMIsGlobalConstant(self.0) != 0 }
    }

    pub(crate) fn is_thread_local(self) -> bool {
        // SAFETY: asked of global variables only.
        self.kind() == Kind::Global && unsafe { LLVMIsThreadLocal(self.0) != 0 }
    }

    /// Whether it is declared weak and defined nowhere. Then its address is null.
    pub(crate) fn is_undefined_weak(self) -> bool {
        assert!(matches!(self.kind(), Kind::Function | Kind::Global));
        // SAFETY: a global value.
        matches!(unsafe { LLVMGetLinkage(self.0) }, LLVMLinkage::LLVMExternalWeakLinkage)
    }

    /// Whether it has a body only so that it can be inlined: another module has the one that counts.
    pub(crate) fn is_defined_elsewhere(self) -> bool {
        assert!(matches!(self.kind(), Kind::Function | Kind::Global));
        // SAFETY: a global value.
        matches!(unsafe { LLVMGetLinkage(self.0) }, LLVMLinkage::LLVMAvailableExternallyLinkage)
    }

    /// Whether it may be defined by several modules, each of which has the same definition, as what C++ has in headers.
    pub(crate) fn is_of_header(self) -> bool {
        assert!(matches!(self.kind(), Kind::Function | Kind::Global));
        // SAFETY: a global value.
        let linkage = unsafe { LLVMGetLinkage(self.0) };
        matches!(linkage, LLVMLinkage::LLVMLinkOnceODRLinkage | LLVMLinkage::LLVMWeakODRLinkage)
    }

    /// Whether no other module can name it.
    pub(crate) fn is_local(self) -> bool {
        assert!(matches!(self.kind(), Kind::Function | Kind::Global));
        // SAFETY: a global value.
        let linkage = unsafe { LLVMGetLinkage(self.0) };
        matches!(linkage, LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage)
    }

    /// Whether the variable starts with another value than its initialiser.
    pub(crate) fn is_externally_initialised(self) -> bool {
        assert_eq!(self.kind(), Kind::Global);
        // SAFETY: a global variable.
        unsafe { LLVMIsExternallyInitialized(self.0) != 0 }
    }

    /// The section that a function or variable is put into; empty if the source does not say.
    pub(crate) fn section(self) -> String {
        assert!(matches!(self.kind(), Kind::Function | Kind::Global));
        // SAFETY: a global object; its section is null or a NUL-terminated string, which is copied.
        unsafe {
            let section = LLVMGetSection(self.0);
            if section.is_null() {
                String::new()
            } else {
                CStr::from_ptr(section).to_string_lossy().into_owned()
            }
        }
    }

    /// Whether a function begins with data that is executed before its first instruction.
    pub(crate) fn has_prologue_data(self) -> bool {
        assert_eq!(self.kind(), Kind::Function);
        // SAFETY: a function.
        unsafe { LLVMHasPrologueData(self.0) != 0 }
    }

    /// Whether a function has this attribute, which is a string.
    pub(crate) fn has_attribute(self, name: &str) -> bool {
        assert_eq!(self.kind(), Kind::Function);
        let length = name.len() as u32;
        // SAFETY: a function; the name is as long as it says, a missing attribute is null.
        unsafe {
            let found = LLVMGetStringAttributeAtIndex(
                self.0,
                LLVMAttributeFunctionIndex,
                name.as_ptr().cast(),
                length,
            );
            !found.is_null()
        }
    }

    /// What an alias stands for.
    pub(crate) fn aliasee(self) -> Value<'m> {
        assert_eq!(self.kind(), Kind::Alias);
        // SAFETY: an alias.
        Value::some(unsafe { LLVMAliasGetAliasee(self.0) })
    }

    pub(crate) fn parameters(self) -> Vec<Value<'m>> {
        assert_eq!(self.kind(), Kind::Function);
        // SAFETY: a function, and indices below its number of parameters.
        unsafe { (0..LLVMCountParams(self.0)).map(|i| Value::some(LLVMGetParam(self.0, i))).collect() }
    }

    /// The basic blocks of a function; the first is its entry.
    pub(crate) fn blocks(self) -> Vec<Value<'m>> {
        assert_eq!(self.kind(), Kind::Function);
        let mut blocks = Vec::new();
        // SAFETY: a function; its list of blocks does not change while the module is borrowed.
        unsafe {
            let mut block = LLVMGetFirstBasicBlock(self.0);
            while !block.is_null() {
                blocks.push(Value::some(LLVMBasicBlockAsValue(block)));
                block = LLVMGetNextBasicBlock(block);
            }
        }
        blocks
    }

    /// The instructions of a basic block.
    pub(crate) fn instructions(self) -> impl Iterator<Item = Value<'m>> {
        assert_eq!(self.kind(), Kind::Block);
        // SAFETY: a basic block; its list of instructions does not change while the module is borrowed, except
        // that calls are inserted behind an `alloca`, which keeps the links.
        let first = unsafe { LLVMGetFirstInstruction(LLVMValueAsBasicBlock(self.0)) };
        // SAFETY: an instruction of the block.
        chain(first, |i| unsafe { LLVMGetNextInstruction(i) })
    }

    /// The last instruction of a basic block.
    pub(crate) fn terminator(self) -> Value<'m> {
        assert_eq!(self.kind(), Kind::Block);
        // SAFETY: a basic block; a verified module has a terminator in each.
        Value::some(unsafe { LLVMGetBasicBlockTerminator(LLVMValueAsBasicBlock(self.0)) })
    }

    /// The alignment of a global variable, an `alloca` or an access; 0 if it is not given.
    pub(crate) fn align(self) -> u64 {
        assert!(
            self.kind() == Kind::Global
                || matches!(self.opcode(), Opcode::LLVMAlloca | Opcode::LLVMLoad | Opcode::LLVMStore)
        );
        // SAFETY: one of the kinds that have an alignment.
        u64::from(unsafe { LLVMGetAlignment(self.0) })
    }
}

/// Instructions.
impl<'m> Value<'m> {
    pub(crate) fn opcode(self) -> Opcode {
        assert_eq!(self.kind(), Kind::Instruction);
        // SAFETY: an instruction.
        unsafe { LLVMGetInstructionOpcode(self.0) }
    }

    pub(crate) fn is(self, opcode: Opcode) -> bool {
        self.kind() == Kind::Instruction && self.opcode() == opcode
    }

    pub(crate) fn is_phi(self) -> bool {
        self.is(Opcode::LLVMPHI)
    }

    /// The basic block of an instruction.
    pub(crate) fn block(self) -> Value<'m> {
        assert_eq!(self.kind(), Kind::Instruction);
        // SAFETY: an instruction, in a block.
        Value::some(unsafe { LLVMBasicBlockAsValue(LLVMGetInstructionParent(self.0)) })
    }

    pub(super) fn expect(self, opcode: Opcode) {
        assert!(self.is(opcode), "not a {opcode:?}");
    }

    /// Where a terminator can go.
    pub(crate) fn successors(self) -> Vec<Value<'m>> {
        // SAFETY: a terminator has successors; for any other instruction this is refused by the first assertion.
        unsafe {
            assert!(!LLVMIsATerminatorInst(self.0).is_null(), "not a terminator");
            let count = LLVMGetNumSuccessors(self.0);
            (0..count).map(|i| Value::some(LLVMBasicBlockAsValue(LLVMGetSuccessor(self.0, i)))).collect()
        }
    }

    /// The condition of a conditional branch.
    pub(crate) fn condition(self) -> Option<Value<'m>> {
        self.expect(Opcode::LLVMBr);
        // SAFETY: a branch; the condition is asked of conditional ones.
        unsafe { (LLVMIsConditional(self.0) != 0).then(|| Value::some(LLVMGetCondition(self.0))) }
    }

    /// The cases of a switch: value and destination.
    pub(crate) fn cases(self) -> Vec<(Value<'m>, Value<'m>)> {
        self.expect(Opcode::LLVMSwitch);
        let destinations = self.successors();
        // SAFETY: a switch; successor 0 is the default, the others have a value.
        let value = |i: usize| Value::some(unsafe { LLVMGetSwitchCaseValue(self.0, i as u32) });
        destinations.into_iter().enumerate().skip(1).map(|(i, to)| (value(i), to)).collect()
    }

    /// The incoming values of a phi, and the blocks that they come from.
    pub(crate) fn incoming(self) -> Vec<(Value<'m>, Value<'m>)> {
        self.expect(Opcode::LLVMPHI);
        // SAFETY: a phi, and indices below its number of incoming values.
        unsafe {
            (0..LLVMCountIncoming(self.0))
                .map(|i| {
                    let block = LLVMBasicBlockAsValue(LLVMGetIncomingBlock(self.0, i));
                    (Value::some(LLVMGetIncomingValue(self.0, i)), Value::some(block))
                })
                .collect()
        }
    }

    /// The order of a load, store, read-modify-write or fence.
    pub(crate) fn ordering(self) -> Ordering {
        use Opcode::{LLVMAtomicRMW, LLVMFence, LLVMLoad, LLVMStore};
        assert!(matches!(self.opcode(), LLVMLoad | LLVMStore | LLVMAtomicRMW | LLVMFence));
        // SAFETY: one of the instructions that have one order.
        unsafe { LLVMGetOrdering(self.0) }
    }

    /// The orders of a compare-exchange: when it succeeds, and when it fails.
    pub(crate) fn exchange_orderings(self) -> (Ordering, Ordering) {
        self.expect(Opcode::LLVMAtomicCmpXchg);
        // SAFETY: a compare-exchange.
        unsafe { (LLVMGetCmpXchgSuccessOrdering(self.0), LLVMGetCmpXchgFailureOrdering(self.0)) }
    }

    pub(crate) fn is_weak(self) -> bool {
        self.expect(Opcode::LLVMAtomicCmpXchg);
        // SAFETY: a compare-exchange.
        unsafe { LLVMGetWeak(self.0) != 0 }
    }

    /// Whether a load or a store is `volatile`.
    pub(crate) fn is_marked_volatile(self) -> bool {
        assert!(self.is(Opcode::LLVMLoad) || self.is(Opcode::LLVMStore));
        // SAFETY: a memory access.
        unsafe { LLVMGetVolatile(self.0) != 0 }
    }

    pub(crate) fn rmw_operation(self) -> RmwBinOp {
        self.expect(Opcode::LLVMAtomicRMW);
        // SAFETY: a read-modify-write.
        unsafe { LLVMGetAtomicRMWBinOp(self.0) }
    }

    /// Between whom an atomic access or a fence is one.
    pub(crate) fn scope(self) -> Scope {
        // SAFETY: an instruction; the scope is asked of atomic ones only. The numbers of these two are LLVM's own.
        unsafe {
            match LLVMIsAtomic(self.0) != 0 {
                false => Scope::All,
                true => match LLVMGetAtomicSyncScopeID(self.0) {
                    0 => Scope::Thread,
                    1 => Scope::All,
                    _ => Scope::Some,
                },
            }
        }
    }

    pub(crate) fn allocated_type(self) -> Type<'m> {
        self.expect(Opcode::LLVMAlloca);
        // SAFETY: an `alloca`.
        Type::new(unsafe { LLVMGetAllocatedType(self.0) })
    }

    /// The type that a `getelementptr`, instruction or constant expression, indexes into.
    pub(crate) fn indexed_type(self) -> Type<'m> {
        match self.kind() {
            Kind::Expression => assert_eq!(self.expression(), Opcode::LLVMGetElementPtr),
            _ => self.expect(Opcode::LLVMGetElementPtr),
        }
        // SAFETY: a `getelementptr`.
        Type::new(unsafe { LLVMGetGEPSourceElementType(self.0) })
    }

    pub(crate) fn int_predicate(self) -> LLVMIntPredicate {
        self.expect(Opcode::LLVMICmp);
        // SAFETY: an integer comparison.
        unsafe { LLVMGetICmpPredicate(self.0) }
    }

    /// LLVM's number of a floating-point predicate: 1 equal, 2 greater, 4 less, 8 unordered, or-ed.
    pub(crate) fn float_predicate(self) -> u8 {
        self.expect(Opcode::LLVMFCmp);
        // SAFETY: a floating-point comparison.
        unsafe { LLVMGetFCmpPredicate(self.0) as u8 }
    }

    /// Per lane of the result of a `shufflevector` the lane of its operands that it is, if it is one.
    pub(crate) fn shuffle_mask(self) -> Vec<Option<usize>> {
        self.expect(Opcode::LLVMShuffleVector);
        // SAFETY: a `shufflevector`, and indices below the length of its mask; a negative element is undefined.
        unsafe {
            let count = LLVMGetNumMaskElements(self.0);
            (0..count).map(|index| usize::try_from(LLVMGetMaskValue(self.0, index)).ok()).collect()
        }
    }

    /// The indices of an `extractvalue` or `insertvalue`.
    pub(crate) fn indices(self) -> Vec<u32> {
        assert!(matches!(self.opcode(), Opcode::LLVMExtractValue | Opcode::LLVMInsertValue));
        // SAFETY: one of the instructions that have indices, as many as are counted.
        unsafe {
            let count = LLVMGetNumIndices(self.0) as usize;
            std::slice::from_raw_parts(LLVMGetIndices(self.0), count).to_vec()
        }
    }
}

/// Calls.
impl<'m> Value<'m> {
    /// Whether it is a call, which an exception may leave or not.
    pub(crate) fn is_call(self) -> bool {
        self.is(Opcode::LLVMCall) || self.is(Opcode::LLVMInvoke)
    }

    fn expect_call(self) {
        assert!(matches!(self.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke | Opcode::LLVMCallBr));
    }

    /// What is called: a function, an alias, inline assembly or a pointer.
    pub(crate) fn callee(self) -> Value<'m> {
        self.expect_call();
        // SAFETY: a call.
        Value::some(unsafe { LLVMGetCalledValue(self.0) })
    }

    pub(crate) fn arguments(self) -> Vec<Value<'m>> {
        self.expect_call();
        // SAFETY: a call, and indices below its number of arguments.
        unsafe {
            let count = LLVMGetNumArgOperands(self.0);
            (0..count).map(|i| Value::some(LLVMGetOperand(self.0, i))).collect()
        }
    }

    /// How many arguments of a call with variable arguments are none of them. `None`: it has no variable ones.
    pub(crate) fn named_arguments(self) -> Option<usize> {
        self.expect_call();
        // SAFETY: a call has a function type.
        unsafe {
            let ty = LLVMGetCalledFunctionType(self.0);
            (LLVMIsFunctionVarArg(ty) != 0).then(|| LLVMCountParamTypes(ty) as usize)
        }
    }

    /// Whether it is a call that a return must follow.
    pub(crate) fn is_must_tail(self) -> bool {
        // SAFETY: a call.
        self.is(Opcode::LLVMCall)
            && unsafe { LLVMGetTailCallKind(self.0) } == LLVMTailCallKind::LLVMTailCallKindMustTail
    }

    /// The type of an argument that is passed by value in memory (`byval`).
    pub(crate) fn by_value(self, argument: u32) -> Option<Type<'m>> {
        self.expect_call();
        // SAFETY: a call; attributes of arguments count from 1, a missing one is null, `byval` has a type.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(c"byval".as_ptr(), 5);
            let attribute = LLVMGetCallSiteEnumAttribute(self.0, argument + 1, kind);
            (!attribute.is_null()).then(|| Type::new(LLVMGetTypeAttributeValue(attribute)))
        }
    }

    /// The alignment that a call promises for an argument; 0 if it promises none.
    pub(crate) fn argument_align(self, argument: u32) -> u64 {
        self.expect_call();
        // SAFETY: a call; attributes of arguments count from 1, a missing one is null, `align` has a number.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(c"align".as_ptr(), 5);
            let attribute = LLVMGetCallSiteEnumAttribute(self.0, argument + 1, kind);
            if attribute.is_null() { 0 } else { LLVMGetEnumAttributeValue(attribute) }
        }
    }

    /// Whether a call takes more than its arguments.
    pub(crate) fn has_bundles(self) -> bool {
        self.expect_call();
        // SAFETY: a call.
        unsafe { LLVMGetNumOperandBundles(self.0) != 0 }
    }

    /// Whether a call takes the place of its function, whose local variables are gone by then.
    pub(crate) fn must_tail(self) -> bool {
        self.expect_call();
        self.is_must_tail()
    }

    /// The clauses of a landing pad: types that it catches, and arrays of those that it does not.
    pub(crate) fn clauses(self) -> Vec<Value<'m>> {
        self.expect(Opcode::LLVMLandingPad);
        // SAFETY: a landing pad, and indices below its number of clauses.
        unsafe { (0..LLVMGetNumClauses(self.0)).map(|i| Value::some(LLVMGetClause(self.0, i))).collect() }
    }

    /// Whether a landing pad is for exceptions that no clause of it takes, too.
    pub(crate) fn is_cleanup(self) -> bool {
        self.expect(Opcode::LLVMLandingPad);
        // SAFETY: a landing pad.
        unsafe { LLVMIsCleanup(self.0) != 0 }
    }

    /// Whether inline assembly is in the syntax of Intel.
    pub(crate) fn is_intel(self) -> bool {
        assert_eq!(self.kind(), Kind::InlineAsm);
        // SAFETY: inline assembly.
        matches!(unsafe { LLVMGetInlineAsmDialect(self.0) }, LLVMInlineAsmDialect::LLVMInlineAsmDialectIntel)
    }

    /// Inline assembly: its text and its constraints.
    pub(crate) fn assembly(self) -> (String, String) {
        assert_eq!(self.kind(), Kind::InlineAsm);
        let (mut text, mut constraints) = (0, 0);
        // SAFETY: inline assembly; both strings are copied.
        unsafe {
            let start = LLVMGetInlineAsmAsmString(self.0, &mut text);
            let text = borrowed(start, text);
            let start = LLVMGetInlineAsmConstraintString(self.0, &mut constraints);
            (text, borrowed(start, constraints))
        }
    }
}
