//! LLVM, behind handles that are safe to use: the only place that calls it.
//!
//! A [`Bitcode`] owns a context and a module. [`Value`], [`Type`] and [`Metadata`] are pointers into it that borrow
//! it, so that they cannot outlive it or survive a pass. LLVM's C interface trusts its callers (a wrong kind of
//! value is undefined behaviour there), so every accessor checks the kind first and panics when it is wrong.
//!
//! The version of `llvm-sys` is the version of LLVM: its enums have exactly the values of that version.

mod debug;
mod types;
mod value;

pub(crate) use debug::Metadata;
pub(crate) use llvm_sys::{
    LLVMAtomicOrdering as Ordering, LLVMAtomicRMWBinOp as RmwBinOp, LLVMIntPredicate as IntPredicate,
    LLVMOpcode as Opcode,
};
pub(crate) use types::{Type, TypeKind};
pub(crate) use value::{Kind, Scope, Value};

use llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use llvm_sys::bit_reader::LLVMParseBitcodeInContext2;
use llvm_sys::bit_writer::LLVMWriteBitcodeToMemoryBuffer;
use llvm_sys::core::*;
use llvm_sys::debuginfo::LLVMInstructionGetDebugLoc;
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMGetErrorMessage};
use llvm_sys::ir_reader::LLVMParseIRInContext2;
use llvm_sys::linker::LLVMLinkModules2;
use llvm_sys::prelude::*;
use llvm_sys::target::{
    LLVMByteOrder, LLVMByteOrdering, LLVMGetModuleDataLayout, LLVMPointerSize, LLVMTargetDataRef,
};
use llvm_sys::transforms::pass_builder::{
    LLVMCreatePassBuilderOptions, LLVMDisposePassBuilderOptions, LLVMRunPasses,
};
use llvm_sys::{LLVMAttributeFunctionIndex, LLVMLinkage, LLVMTypeKind};
use std::collections::BTreeSet;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr;

unsafe extern "C" {
    /// Of the C++ runtime, which LLVM is linked with.
    fn __cxa_demangle(
        name: *const c_char,
        buffer: *mut c_char,
        length: *mut usize,
        status: *mut c_int,
    ) -> *mut c_char;

    fn free(memory: *mut c_void);
}

/// A C++ name as the source has it; any other name as it is.
pub(crate) fn demangled(name: &str) -> String {
    let Some(mangled) = CString::new(name).ok().filter(|_| name.starts_with("_Z")) else {
        return name.to_owned();
    };
    let mut status = 0;
    // SAFETY: the name ends with a zero; without a buffer the function returns memory of `malloc`, or null.
    unsafe {
        let text = __cxa_demangle(mangled.as_ptr(), ptr::null_mut(), ptr::null_mut(), &raw mut status);
        if text.is_null() {
            return name.to_owned();
        }
        let demangled = CStr::from_ptr(text).to_string_lossy().into_owned();
        free(text.cast());
        demangled
    }
}

/// A module and the context it lives in.
///
/// Both pointers are valid and owned; they are disposed of once, in `drop`.
#[derive(Debug)]
pub(crate) struct Bitcode {
    context: LLVMContextRef,
    module: LLVMModuleRef,
}

impl Drop for Bitcode {
    fn drop(&mut self) {
        // SAFETY: both are owned by `self`, and no handle outlives it; the module goes before its context.
        unsafe {
            LLVMDisposeModule(self.module);
            LLVMContextDispose(self.context);
        }
    }
}

impl Bitcode {
    /// Read bitcode, or the text form, and check that it is well-formed. The error is LLVM's own text, with places in the
    /// file of this name.
    pub(crate) fn parse(name: &Path, bytes: &[u8]) -> Result<Bitcode, String> {
        let name = CString::new(name.as_os_str().as_encoded_bytes()).unwrap_or_default();
        // SAFETY: the buffer is copied and then owned by the parser; the module is only used if parsing succeeded,
        // and the context is disposed of if it did not.
        unsafe {
            let context = LLVMContextCreate();
            // Without a handler LLVM prints diagnostics itself, and ends the process on an error.
            LLVMContextSetDiagnosticHandler(context, Some(ignore), ptr::null_mut());
            let buffer =
                LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes.as_ptr().cast(), bytes.len(), name.as_ptr());
            let (mut module, mut message) = (ptr::null_mut(), ptr::null_mut());
            if LLVMParseIRInContext2(context, buffer, &mut module, &mut message) != 0 {
                let text = owned(message);
                LLVMContextDispose(context);
                return Err(text);
            }
            let bitcode = Bitcode { context, module };
            bitcode.verify()?;
            Ok(bitcode)
        }
    }

    /// Make what `other` defines part of this program. The error is LLVM's own text.
    pub(crate) fn link(&mut self, other: &Bitcode) -> Result<(), String> {
        let mut message = String::new();
        // SAFETY: the other module is copied into this context through its bitcode, and the copy is consumed by linking; the
        // handler writes to the message while it lives.
        unsafe {
            let buffer = LLVMWriteBitcodeToMemoryBuffer(other.module);
            let mut copy = ptr::null_mut();
            let failed = LLVMParseBitcodeInContext2(self.context, buffer, &mut copy) != 0;
            LLVMDisposeMemoryBuffer(buffer);
            assert!(!failed, "bitcode that LLVM wrote can be read");
            LLVMContextSetDiagnosticHandler(self.context, Some(keep), (&raw mut message).cast());
            let failed = LLVMLinkModules2(self.module, copy) != 0;
            LLVMContextSetDiagnosticHandler(self.context, Some(ignore), ptr::null_mut());
            if failed { Err(message) } else { Ok(()) }
        }
    }

    /// Let other definitions of the same names go before those of this module.
    pub(crate) fn weaken_definitions(&self) {
        let values = self.functions().chain(self.globals()).filter(|it| !it.is_declaration());
        for value in values.filter(|it| !it.is_local()) {
            // SAFETY: a global value of this module that has a definition.
            unsafe { LLVMSetLinkage(value.raw(), LLVMLinkage::LLVMWeakAnyLinkage) };
        }
    }

    /// Keep these definitions of this module to itself.
    pub(crate) fn hide_definitions(&self, names: &BTreeSet<String>) {
        let values = self.functions().chain(self.globals()).filter(|it| !it.is_declaration());
        for value in values.filter(|it| !it.is_local() && names.contains(&it.name())) {
            // SAFETY: a global value of this module that has a definition.
            unsafe { LLVMSetLinkage(value.raw(), LLVMLinkage::LLVMInternalLinkage) };
        }
    }

    /// Give the functions with a body this attribute, and let them stay functions of their own, but for those that are always
    /// inlined.
    pub(crate) fn mark_functions(&self, attribute: &str) {
        let (key, length) = (attribute.as_ptr().cast(), attribute.len() as u32);
        let index = LLVMAttributeFunctionIndex;
        for function in self.functions().filter(|it| !it.is_declaration()) {
            // SAFETY: a function of this module and attributes of its context; names are as long as is said.
            unsafe {
                let mark = LLVMCreateStringAttribute(self.context, key, length, c"".as_ptr(), 0);
                LLVMAddAttributeAtIndex(function.raw(), index, mark);
                let [always, never] = [c"alwaysinline", c"noinline"]
                    .map(|name| LLVMGetEnumAttributeKindForName(name.as_ptr(), name.count_bytes()));
                if LLVMGetEnumAttributeAtIndex(function.raw(), index, always).is_null() {
                    let never = LLVMCreateEnumAttribute(self.context, never, 0);
                    LLVMAddAttributeAtIndex(function.raw(), index, never);
                }
            }
        }
    }

    /// The compilers that have made it, as they name themselves.
    pub(crate) fn producers(&self) -> Vec<String> {
        let name = c"llvm.ident".as_ptr();
        // SAFETY: there is room for as many nodes, and for as many operands of each, as there are; an operand that is no string
        // is null as a string, which is no text.
        unsafe {
            let mut nodes =
                vec![ptr::null_mut(); LLVMGetNamedMetadataNumOperands(self.module, name) as usize];
            LLVMGetNamedMetadataOperands(self.module, name, nodes.as_mut_ptr());
            let mut texts = Vec::new();
            for node in nodes {
                let mut operands = vec![ptr::null_mut(); LLVMGetMDNodeNumOperands(node) as usize];
                LLVMGetMDNodeOperands(node, operands.as_mut_ptr());
                for operand in operands.into_iter().filter(|operand| !operand.is_null()) {
                    let mut length = 0;
                    let start = LLVMGetMDString(operand, &mut length);
                    texts.push(borrowed(start, length as usize));
                }
            }
            texts.sort();
            texts.dedup();
            texts
        }
    }

    /// The functions that are used and have no body of their own, weak ones among them.
    pub(crate) fn lacking(&self) -> BTreeSet<String> {
        let is_lacking = |it: &Value<'_>| it.is_declaration() || it.is_defined_elsewhere();
        self.functions().filter(|it| is_lacking(it) && it.is_used()).map(|it| it.name()).collect()
    }

    /// The names that other modules can use.
    pub(crate) fn defined(&self) -> Vec<String> {
        let is_own = |it: &Value<'_>| !it.is_declaration() && !it.is_defined_elsewhere() && !it.is_local();
        self.functions().chain(self.globals()).filter(is_own).map(|it| it.name()).collect()
    }

    /// The names that are used and not defined.
    pub(crate) fn missing(&self) -> BTreeSet<String> {
        let values = self.functions().chain(self.globals());
        let is_missing = |it: &Value<'_>| it.is_declaration() && it.is_used() && !it.is_undefined_weak();
        values.filter(is_missing).map(|it| it.name()).collect()
    }

    fn verify(&self) -> Result<(), String> {
        let mut message = ptr::null_mut();
        // SAFETY: the module is valid; the message is ours to dispose of in either case.
        unsafe {
            let action = LLVMVerifierFailureAction::LLVMReturnStatusAction;
            let broken = LLVMVerifyModule(self.module, action, &mut message) != 0;
            let text = owned(message);
            if broken { Err(text) } else { Ok(()) }
        }
    }

    /// Run passes, given as text. All handles are gone by then: `self` is borrowed mutably.
    pub(crate) fn run_passes(&mut self, passes: &str) -> Result<(), String> {
        let passes = CString::new(passes).expect("pass names have no NUL");
        // SAFETY: the module is valid, a null target machine is accepted, and the error is consumed by reading it.
        unsafe {
            let options = LLVMCreatePassBuilderOptions();
            let error = LLVMRunPasses(self.module, passes.as_ptr(), ptr::null_mut(), options);
            LLVMDisposePassBuilderOptions(options);
            if error.is_null() {
                return Ok(());
            }
            let message = LLVMGetErrorMessage(error);
            let text = CStr::from_ptr(message).to_string_lossy().into_owned();
            LLVMDisposeErrorMessage(message);
            Err(text)
        }
    }

    /// Let these functions do nothing and return this number. All handles are gone by then: `self` is borrowed mutably.
    pub(crate) fn answer(&mut self, names: &[String], number: u64) {
        for name in names.iter().filter_map(|name| CString::new(name.as_str()).ok()) {
            // SAFETY: the function is one of this module, and the one that takes its place has its type and a body that ends;
            // the builder is disposed of. A function that is erased is used no more.
            unsafe {
                let old = LLVMGetNamedFunction(self.module, name.as_ptr());
                if old.is_null() {
                    continue;
                }
                let signature = LLVMGlobalGetValueType(old);
                let new = LLVMAddFunction(self.module, c"".as_ptr(), signature);
                LLVMSetLinkage(new, LLVMLinkage::LLVMInternalLinkage);
                let builder = LLVMCreateBuilderInContext(self.context);
                let block = LLVMAppendBasicBlockInContext(self.context, new, c"entry".as_ptr());
                LLVMPositionBuilderAtEnd(builder, block);
                let result = LLVMGetReturnType(signature);
                match LLVMGetTypeKind(result) {
                    LLVMTypeKind::LLVMVoidTypeKind => LLVMBuildRetVoid(builder),
                    _ => LLVMBuildRet(builder, LLVMConstInt(result, number, 0)),
                };
                LLVMDisposeBuilder(builder);
                LLVMReplaceAllUsesWith(old, new);
                LLVMDeleteFunction(old);
            }
        }
    }

    /// Let the comparisons of a function with this number be comparisons with another one.
    pub(crate) fn compare_with(&self, function: Value<'_>, number: u64, other: u64) {
        let comparisons = function.blocks().into_iter().flat_map(|block| block.instructions());
        let is_with = |it: &Value<'_>| it.is(Opcode::LLVMICmp) && it.operand(1).integer() == Some(number);
        for comparison in comparisons.filter(is_with) {
            // SAFETY: the second operand of a comparison is replaced by a constant of its type.
            unsafe {
                let ty = LLVMTypeOf(LLVMGetOperand(comparison.raw(), 1));
                LLVMSetOperand(comparison.raw(), 1, LLVMConstInt(ty, other, 0));
            }
        }
    }

    /// Insert a call of the external function `name(ptr)` with each of the pointers, right after the instruction
    /// that makes it.
    pub(crate) fn insert_calls(&self, name: &CStr, pointers: &[Value<'_>]) {
        // SAFETY: the pointers are instructions of this module that have a successor in their block (an `alloca` is
        // no terminator), so there is a next instruction to insert before; the builder is disposed of.
        unsafe {
            let mut parameter = LLVMPointerTypeInContext(self.context, 0);
            let void = LLVMVoidTypeInContext(self.context);
            let signature = LLVMFunctionType(void, &mut parameter, 1, 0);
            let function = match LLVMGetNamedFunction(self.module, name.as_ptr()) {
                known if !known.is_null() => known,
                _ => LLVMAddFunction(self.module, name.as_ptr(), signature),
            };
            let builder = LLVMCreateBuilderInContext(self.context);
            for pointer in pointers {
                pointer.expect(Opcode::LLVMAlloca);
                LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(pointer.raw()));
                let mut argument = pointer.raw();
                LLVMBuildCall2(builder, signature, function, &mut argument, 1, c"".as_ptr());
            }
            LLVMDisposeBuilder(builder);
        }
    }

    /// Insert a call of the external function `name()` before an instruction, with the place of another one.
    pub(crate) fn insert_call_before(&self, name: &CStr, before: Value<'_>, place: Option<Value<'_>>) {
        assert_eq!(before.kind(), Kind::Instruction);
        // SAFETY: an instruction of this module to insert before; a place is that of an instruction, or null, which clears it; the
        // builder is disposed of.
        unsafe {
            let signature = LLVMFunctionType(LLVMVoidTypeInContext(self.context), ptr::null_mut(), 0, 0);
            let function = match LLVMGetNamedFunction(self.module, name.as_ptr()) {
                known if !known.is_null() => known,
                _ => LLVMAddFunction(self.module, name.as_ptr(), signature),
            };
            let builder = LLVMCreateBuilderInContext(self.context);
            LLVMPositionBuilderBefore(builder, before.raw());
            let place = place.map_or(ptr::null_mut(), |at| LLVMInstructionGetDebugLoc(at.raw()));
            LLVMSetCurrentDebugLocation2(builder, place);
            LLVMBuildCall2(builder, signature, function, ptr::null_mut(), 0, c"".as_ptr());
            LLVMDisposeBuilder(builder);
        }
    }

    /// Take out the calls that were inserted. All handles are gone by then: `self` is borrowed mutably.
    pub(crate) fn remove_calls(&mut self, name: &CStr) {
        // SAFETY: the module is valid; the list of uses is read before any of the users goes, a call uses the function
        // once, and nobody uses the result of a call that has none.
        unsafe {
            let function = LLVMGetNamedFunction(self.module, name.as_ptr());
            let mut calls = Vec::new();
            let mut at = if function.is_null() { ptr::null_mut() } else { LLVMGetFirstUse(function) };
            while !at.is_null() {
                calls.push(LLVMGetUser(at));
                at = LLVMGetNextUse(at);
            }
            for call in calls.into_iter().filter(|&call| !LLVMIsACallInst(call).is_null()) {
                LLVMInstructionEraseFromParent(call);
            }
        }
    }

    /// All functions, with a body or without.
    pub(crate) fn functions(&self) -> impl Iterator<Item = Value<'_>> {
        // SAFETY: the module is valid, and its list of functions does not change while `self` is borrowed.
        chain(unsafe { LLVMGetFirstFunction(self.module) }, |f| unsafe { LLVMGetNextFunction(f) })
    }

    /// All global variables.
    pub(crate) fn globals(&self) -> impl Iterator<Item = Value<'_>> {
        // SAFETY: as for functions.
        chain(unsafe { LLVMGetFirstGlobal(self.module) }, |g| unsafe { LLVMGetNextGlobal(g) })
    }

    /// All functions that a resolver chooses when the program starts.
    pub(crate) fn resolved(&self) -> impl Iterator<Item = Value<'_>> {
        // SAFETY: as for functions.
        chain(unsafe { LLVMGetFirstGlobalIFunc(self.module) }, |f| unsafe { LLVMGetNextGlobalIFunc(f) })
    }

    /// The assembly of the file, outside of all functions.
    pub(crate) fn file_assembly(&self) -> String {
        let mut length = 0;
        // SAFETY: the module is valid; the text is copied.
        unsafe {
            let start = LLVMGetModuleInlineAsm(self.module, &mut length);
            borrowed(start, length)
        }
    }

    /// What debug information says about each file that was compiled, as LLVM writes it: `distinct !DICompileUnit(language: …`.
    pub(crate) fn compile_units(&self) -> Vec<String> {
        let name = c"llvm.dbg.cu".as_ptr();
        // SAFETY: the module is valid; there is room for as many operands as there are, which are nodes; texts are ours.
        unsafe {
            let mut units =
                vec![ptr::null_mut(); LLVMGetNamedMetadataNumOperands(self.module, name) as usize];
            LLVMGetNamedMetadataOperands(self.module, name, units.as_mut_ptr());
            units.into_iter().map(|unit| owned(LLVMPrintValueToString(unit))).collect()
        }
    }

    /// Whether the program is for an x86 processor.
    pub(crate) fn is_x86(&self) -> bool {
        let target = self.target();
        ["x86_64", "i386", "i486", "i586", "i686"].iter().any(|name| target.starts_with(name))
    }

    /// The target, as clang names it: `x86_64-pc-linux-gnu`. Empty if the module does not say.
    pub(crate) fn target(&self) -> String {
        // SAFETY: the module is valid; the text is copied.
        unsafe { CStr::from_ptr(LLVMGetTarget(self.module)).to_string_lossy().into_owned() }
    }

    /// The size of a pointer in bytes.
    pub(crate) fn pointer_size(&self) -> u32 {
        // SAFETY: the layout is that of the module.
        unsafe { LLVMPointerSize(self.layout()) }
    }

    /// Whether the low byte of a number is the first in memory.
    pub(crate) fn is_little_endian(&self) -> bool {
        // SAFETY: the layout is that of the module.
        matches!(unsafe { LLVMByteOrder(self.layout()) }, LLVMByteOrdering::LLVMLittleEndian)
    }

    fn layout(&self) -> LLVMTargetDataRef {
        // SAFETY: the module is valid; its layout lives as long.
        unsafe { LLVMGetModuleDataLayout(self.module) }
    }
}

/// Diagnostics come back as error texts as well: nothing to do.
extern "C" fn ignore(_: LLVMDiagnosticInfoRef, _: *mut c_void) {}

/// Keep the text of the last diagnostic in the `String` that the handler was set with.
extern "C" fn keep(info: LLVMDiagnosticInfoRef, message: *mut c_void) {
    // SAFETY: LLVM gives a valid diagnostic, whose text is ours; `link` gives a string that lives as long as the handler.
    unsafe { *message.cast::<String>() = owned(LLVMGetDiagInfoDescription(info)) };
}

/// The values from `first` on, in the order of `next`, until it says null.
fn chain<'m>(
    first: LLVMValueRef,
    next: impl Fn(LLVMValueRef) -> LLVMValueRef,
) -> impl Iterator<Item = Value<'m>> {
    let mut at = first;
    std::iter::from_fn(move || {
        let value = Value::new(at)?;
        at = next(at);
        Some(value)
    })
}

/// Take over a message of LLVM's.
///
/// # Safety
/// `message` is null or a message that LLVM gave to us and that nobody else disposes of.
unsafe fn owned(message: *mut c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: by the contract, a NUL-terminated string that is ours.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        text
    }
}

/// Copy a string that LLVM keeps.
///
/// # Safety
/// `start` is null, or `length` bytes from it can be read.
unsafe fn borrowed(start: *const c_char, length: usize) -> String {
    if start.is_null() {
        return String::new();
    }
    // SAFETY: by the contract.
    let bytes = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), length) };
    String::from_utf8_lossy(bytes).into_owned()
}
