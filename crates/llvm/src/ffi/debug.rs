//! Debug information: locations, scopes, variables, types.
//!
//! The C interface has getters for lines and offsets but none for names: those are read as operands of the
//! metadata node, at the positions that LLVM 22 writes them.

use super::{Bitcode, Kind, Value, borrowed};
use llvm_sys::LLVMDbgRecordKind;
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;
use std::marker::PhantomData;
use std::path::Path;
use std::ptr;

/// A metadata node. Both pointers are valid.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Metadata<'m>(LLVMMetadataRef, LLVMContextRef, PhantomData<&'m Bitcode>);

/// Positions of operands in nodes.
const FILE_CHECKSUM: usize = 2;
const VARIABLE_SCOPE: usize = 0;
const VARIABLE_NAME: usize = 1;
const VARIABLE_TYPE: usize = 3;
const SUBPROGRAM_NAME: usize = 2;
const BLOCK_PARENT: usize = 1;
const TYPE_NAME: usize = 2;
const TYPE_BASE: usize = 5;
const TYPE_ELEMENTS: usize = 6;
const RANGE_COUNT: usize = 0;

/// Blocks inside each other are not followed further: in a file that is made up, they may go round in circles.
const MOST_BLOCKS: usize = 10_000;

impl<'m> Metadata<'m> {
    fn new(raw: LLVMMetadataRef, context: LLVMContextRef) -> Option<Metadata<'m>> {
        (!raw.is_null()).then_some(Metadata(raw, context, PhantomData))
    }

    fn kind(self) -> LLVMMetadataKind {
        // SAFETY: a valid node.
        unsafe { LLVMGetMetadataKind(self.0) }
    }

    fn is_type(self) -> bool {
        use LLVMMetadataKind::*;
        matches!(
            self.kind(),
            LLVMDIBasicTypeMetadataKind | LLVMDIDerivedTypeMetadataKind | LLVMDICompositeTypeMetadataKind
        )
    }

    /// The operands of a node, as values.
    fn operands(self) -> Vec<LLVMValueRef> {
        // SAFETY: a node of this context; there is room for as many operands as it has.
        unsafe {
            let value = LLVMMetadataAsValue(self.1, self.0);
            let mut operands = vec![ptr::null_mut(); LLVMGetMDNodeNumOperands(value) as usize];
            LLVMGetMDNodeOperands(value, operands.as_mut_ptr());
            operands
        }
    }

    fn node(self, index: usize) -> Option<Metadata<'m>> {
        let operand = *self.operands().get(index)?;
        // SAFETY: an operand is null or a value that wraps metadata.
        (!operand.is_null()).then(|| unsafe { Metadata::new(LLVMValueAsMetadata(operand), self.1) })?
    }

    fn string(self, index: usize) -> Option<String> {
        let operand = *self.operands().get(index)?;
        let mut length = 0;
        // SAFETY: an operand is null or a value; for anything but a string the answer is null.
        unsafe {
            let start = if operand.is_null() { ptr::null() } else { LLVMGetMDString(operand, &mut length) };
            (!start.is_null()).then(|| borrowed(start, length as usize))
        }
    }
}

/// Locations and scopes.
impl<'m> Metadata<'m> {
    fn expect_location(self) {
        assert!(matches!(self.kind(), LLVMMetadataKind::LLVMDILocationMetadataKind));
    }

    /// The line and the column of a location.
    pub(crate) fn position(self) -> (u32, u32) {
        self.expect_location();
        // SAFETY: a location.
        unsafe { (LLVMDILocationGetLine(self.0), LLVMDILocationGetColumn(self.0)) }
    }

    /// The call that the code at a location was inlined at.
    pub(crate) fn inlined_at(self) -> Option<Metadata<'m>> {
        self.expect_location();
        // SAFETY: a location.
        Metadata::new(unsafe { LLVMDILocationGetInlinedAt(self.0) }, self.1)
    }

    /// The scope of a location.
    pub(crate) fn scope(self) -> Metadata<'m> {
        self.expect_location();
        // SAFETY: a location has a scope.
        Metadata::new(unsafe { LLVMDILocationGetScope(self.0) }, self.1).expect("a location has a scope")
    }

    /// The name of the file of a scope, as the compiler was told it.
    pub(crate) fn scope_file(self) -> Option<String> {
        self.file_name(self.file())
    }

    /// The checksum of the file of a scope, in hexadecimal digits: 32 of them for MD5.
    pub(crate) fn scope_checksum(self) -> Option<String> {
        Metadata::new(self.file(), self.1)?.string(FILE_CHECKSUM)
    }

    /// The file of a scope, or null.
    fn file(self) -> LLVMMetadataRef {
        use LLVMMetadataKind::*;
        assert!(matches!(
            self.kind(),
            LLVMDISubprogramMetadataKind
                | LLVMDILexicalBlockMetadataKind
                | LLVMDILexicalBlockFileMetadataKind
                | LLVMDICompileUnitMetadataKind
        ));
        // SAFETY: a scope.
        unsafe { LLVMDIScopeGetFile(self.0) }
    }

    fn file_name(self, file: LLVMMetadataRef) -> Option<String> {
        let (mut length, mut directory_length) = (0, 0);
        // SAFETY: a file node, unless null.
        (!file.is_null()).then(|| unsafe {
            let name = LLVMDIFileGetFilename(file, &mut length);
            let directory = LLVMDIFileGetDirectory(file, &mut directory_length);
            path_from_here(borrowed(name, length as usize), &borrowed(directory, directory_length as usize))
        })
    }

    /// The name of the function that a scope is in.
    pub(crate) fn scope_function(self) -> Option<String> {
        use LLVMMetadataKind::*;
        let is_block = |scope: &Metadata<'_>| {
            matches!(scope.kind(), LLVMDILexicalBlockMetadataKind | LLVMDILexicalBlockFileMetadataKind)
        };
        let parent = |scope: &Metadata<'m>| scope.node(BLOCK_PARENT).filter(|_| is_block(scope));
        let scopes = std::iter::successors(Some(self), parent).take(MOST_BLOCKS);
        let function = scopes.last().filter(|scope| matches!(scope.kind(), LLVMDISubprogramMetadataKind))?;
        function.string(SUBPROGRAM_NAME)
    }
}

/// The path of a file as seen from the current directory.
///
/// Clang splits an absolute path after what it has in common with the current directory: from `/home/a`, the file
/// `/home/b/c.c` is `b/c.c` in `/home`, and the name alone leads nowhere. A file below the current directory is named
/// by its path from there, whichever way the compiler came to it.
fn path_from_here(name: String, directory: &str) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    if !name.starts_with('/') && (directory.is_empty() || here == Path::new(directory)) {
        return name;
    }
    let path = Path::new(directory).join(name);
    path.strip_prefix(&here).unwrap_or(&path).display().to_string()
}

/// Variables.
impl<'m> Metadata<'m> {
    fn expect_variable(self) {
        use LLVMMetadataKind::*;
        assert!(matches!(self.kind(), LLVMDILocalVariableMetadataKind | LLVMDIGlobalVariableMetadataKind));
    }

    pub(crate) fn variable_name(self) -> Option<String> {
        self.expect_variable();
        self.string(VARIABLE_NAME).filter(|name| !name.is_empty())
    }

    /// The file and the line that a variable is declared at.
    pub(crate) fn variable_place(self) -> Option<(String, u32)> {
        self.expect_variable();
        // SAFETY: a variable.
        let (file, line) = unsafe { (LLVMDIVariableGetFile(self.0), LLVMDIVariableGetLine(self.0)) };
        Some((self.file_name(file)?, line))
    }

    /// The file of the function or block that a local variable is in, also of one that the compiler has made, as `this`.
    pub(crate) fn variable_scope(self) -> Option<String> {
        use LLVMMetadataKind::*;
        self.expect_variable();
        let is_scope = |it: &Metadata<'_>| {
            matches!(it.kind(), LLVMDISubprogramMetadataKind | LLVMDILexicalBlockMetadataKind)
        };
        self.node(VARIABLE_SCOPE).filter(is_scope)?.scope_file()
    }

    pub(crate) fn variable_type(self) -> Option<Metadata<'m>> {
        self.expect_variable();
        self.node(VARIABLE_TYPE).filter(|ty| ty.is_type())
    }
}

/// Types.
impl<'m> Metadata<'m> {
    /// The DWARF tag of a type.
    pub(crate) fn tag(self) -> u16 {
        assert!(self.is_type());
        // SAFETY: a type is a debug information node.
        unsafe { LLVMGetDINodeTag(self.0) }
    }

    /// The name of a type or a member.
    pub(crate) fn type_name(self) -> Option<String> {
        assert!(self.is_type());
        self.string(TYPE_NAME).filter(|name| !name.is_empty())
    }

    /// The name of the file that a type is declared in.
    pub(crate) fn type_file(self) -> Option<String> {
        assert!(self.is_type());
        // SAFETY: a type is a scope; null if it has no file.
        self.file_name(unsafe { LLVMDIScopeGetFile(self.0) })
    }

    /// Where a member begins, and how large a type or member is, in bits.
    pub(crate) fn extent(self) -> (u64, u64) {
        assert!(self.is_type());
        // SAFETY: a type.
        unsafe { (LLVMDITypeGetOffsetInBits(self.0), LLVMDITypeGetSizeInBits(self.0)) }
    }

    /// What a pointer, qualifier, name, member or array is made from.
    pub(crate) fn base_type(self) -> Option<Metadata<'m>> {
        assert!(self.is_type());
        self.node(TYPE_BASE).filter(|ty| ty.is_type())
    }

    /// The members of a struct or union.
    pub(crate) fn type_members(self) -> Vec<Metadata<'m>> {
        assert!(self.is_type());
        let Some(elements) = self.node(TYPE_ELEMENTS) else { return Vec::new() };
        let count = elements.operands().len();
        (0..count).filter_map(|i| elements.node(i)).filter(|member| member.is_type()).collect()
    }

    /// The number of elements in each dimension of an array; `None` where it is not a constant.
    pub(crate) fn dimensions(self) -> Vec<Option<u64>> {
        assert!(self.is_type());
        let Some(elements) = self.node(TYPE_ELEMENTS) else { return Vec::new() };
        let range = |i| elements.node(i).and_then(|range| range.integer(RANGE_COUNT));
        (0..elements.operands().len()).map(range).collect()
    }

    fn integer(self, index: usize) -> Option<u64> {
        let operand = *self.operands().get(index)?;
        // SAFETY: an operand is null or a value; a number is asked of integer constants only.
        unsafe {
            let is_integer = !operand.is_null() && !LLVMIsAConstantInt(operand).is_null();
            // A count of -1 is one that is not known.
            is_integer.then(|| LLVMConstIntGetSExtValue(operand)).and_then(|count| u64::try_from(count).ok())
        }
    }
}

impl<'m> Value<'m> {
    fn context(self) -> LLVMContextRef {
        // SAFETY: a valid value has a type, and that a context.
        unsafe { LLVMGetTypeContext(LLVMTypeOf(self.raw())) }
    }

    /// The location of an instruction.
    pub(crate) fn location(self) -> Option<Metadata<'m>> {
        assert_eq!(self.kind(), Kind::Instruction);
        // SAFETY: an instruction; null if it has none.
        Metadata::new(unsafe { LLVMInstructionGetDebugLoc(self.raw()) }, self.context())
    }

    /// The scope of a function.
    pub(crate) fn subprogram(self) -> Option<Metadata<'m>> {
        assert_eq!(self.kind(), Kind::Function);
        // SAFETY: a function; null if it has none.
        Metadata::new(unsafe { LLVMGetSubprogram(self.raw()) }, self.context())
    }

    /// The source variables that are said to have a value just before an instruction: variable and value.
    pub(crate) fn variables(self) -> Vec<(Metadata<'m>, Value<'m>)> {
        assert_eq!(self.kind(), Kind::Instruction);
        let mut found = Vec::new();
        // SAFETY: an instruction and its chain of records; labels have no variable; a value may be null.
        unsafe {
            let mut record = LLVMGetFirstDbgRecord(self.raw());
            while !record.is_null() {
                if !matches!(LLVMDbgRecordGetKind(record), LLVMDbgRecordKind::LLVMDbgRecordLabel) {
                    let variable = Metadata::new(LLVMDbgVariableRecordGetVariable(record), self.context());
                    let value = Value::new(LLVMDbgVariableRecordGetValue(record, 0));
                    found.extend(variable.zip(value));
                }
                record = LLVMGetNextDbgRecord(record);
            }
        }
        found
    }

    /// The source variable of a global.
    pub(crate) fn global_variable(self) -> Option<Metadata<'m>> {
        assert_eq!(self.kind(), Kind::Global);
        let mut count = 0;
        // SAFETY: a global; the entries are copied out and disposed of; a variable is asked of the right kind.
        unsafe {
            let entries = LLVMGlobalCopyAllMetadata(self.raw(), &mut count);
            let variable = (0..count as u32)
                .map(|i| LLVMValueMetadataEntriesGetMetadata(entries, i))
                .find(|&entry| {
                    let kind = LLVMGetMetadataKind(entry);
                    matches!(kind, LLVMMetadataKind::LLVMDIGlobalVariableExpressionMetadataKind)
                })
                .map(|entry| LLVMDIGlobalVariableExpressionGetVariable(entry));
            LLVMDisposeValueMetadataEntries(entries);
            Metadata::new(variable?, self.context())
        }
    }
}
