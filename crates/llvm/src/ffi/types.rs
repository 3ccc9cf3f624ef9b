//! Types and their layout.

use super::{Bitcode, owned};
use llvm_sys::LLVMTypeKind;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::*;
use std::marker::PhantomData;

/// A type of the module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Type<'m>(LLVMTypeRef, PhantomData<&'m Bitcode>);

/// What a type is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TypeKind {
    Void,
    /// With its number of bits.
    Integer(u32),
    Float,
    Double,
    Pointer,
    /// A pointer to another address space than the ordinary one.
    ForeignPointer,
    Struct,
    Array,
    Vector,
    Function,
    /// What no register holds: other floats, labels, metadata, tokens, …
    Other,
}

impl<'m> Type<'m> {
    /// `raw` is a valid type of a context that outlives `'m`.
    pub(super) fn new(raw: LLVMTypeRef) -> Type<'m> {
        assert!(!raw.is_null());
        Type(raw, PhantomData)
    }

    pub(crate) fn kind(self) -> TypeKind {
        // SAFETY: `self` is a valid type; the width is asked of integers only, the address space of pointers only.
        unsafe {
            match LLVMGetTypeKind(self.0) {
                LLVMTypeKind::LLVMVoidTypeKind => TypeKind::Void,
                LLVMTypeKind::LLVMIntegerTypeKind => TypeKind::Integer(LLVMGetIntTypeWidth(self.0)),
                LLVMTypeKind::LLVMFloatTypeKind => TypeKind::Float,
                LLVMTypeKind::LLVMDoubleTypeKind => TypeKind::Double,
                LLVMTypeKind::LLVMPointerTypeKind if LLVMGetPointerAddressSpace(self.0) == 0 => {
                    TypeKind::Pointer
                }
                LLVMTypeKind::LLVMPointerTypeKind => TypeKind::ForeignPointer,
                LLVMTypeKind::LLVMStructTypeKind => TypeKind::Struct,
                LLVMTypeKind::LLVMArrayTypeKind => TypeKind::Array,
                LLVMTypeKind::LLVMVectorTypeKind => TypeKind::Vector,
                LLVMTypeKind::LLVMFunctionTypeKind => TypeKind::Function,
                _ => TypeKind::Other,
            }
        }
    }

    /// The members of a struct; for an array or a vector, its element type as often as it has elements.
    pub(crate) fn members(self) -> Vec<Type<'m>> {
        match self.kind() {
            // SAFETY: a struct, and indices below its number of elements.
            TypeKind::Struct => unsafe {
                let count = LLVMCountStructElementTypes(self.0);
                (0..count).map(|i| Type::new(LLVMStructGetTypeAtIndex(self.0, i))).collect()
            },
            TypeKind::Array | TypeKind::Vector => vec![self.element(); self.length() as usize],
            _ => Vec::new(),
        }
    }

    /// The member of a struct.
    pub(crate) fn member(self, index: u32) -> Type<'m> {
        assert_eq!(self.kind(), TypeKind::Struct);
        // SAFETY: a struct, and the index is checked.
        unsafe {
            assert!(index < LLVMCountStructElementTypes(self.0));
            Type::new(LLVMStructGetTypeAtIndex(self.0, index))
        }
    }

    /// The element type of an array or a vector.
    pub(crate) fn element(self) -> Type<'m> {
        assert!(matches!(self.kind(), TypeKind::Array | TypeKind::Vector));
        // SAFETY: an array or a vector.
        Type::new(unsafe { LLVMGetElementType(self.0) })
    }

    /// The number of elements of an array or a vector.
    pub(crate) fn length(self) -> u64 {
        match self.kind() {
            // SAFETY: an array.
            TypeKind::Array => unsafe { LLVMGetArrayLength2(self.0) },
            // SAFETY: a vector.
            TypeKind::Vector => u64::from(unsafe { LLVMGetVectorSize(self.0) }),
            other => panic!("{other:?} has no length"),
        }
    }

    /// What a function of this type returns.
    pub(crate) fn result(self) -> Type<'m> {
        assert_eq!(self.kind(), TypeKind::Function);
        // SAFETY: a function type.
        Type::new(unsafe { LLVMGetReturnType(self.0) })
    }

    /// As LLVM prints it.
    pub(crate) fn text(self) -> String {
        // SAFETY: a valid type; the text is ours.
        unsafe { owned(LLVMPrintTypeToString(self.0)) }
    }

    fn is_sized(self) -> bool {
        // SAFETY: a valid type.
        unsafe { LLVMTypeIsSized(self.0) != 0 }
    }

    /// The integer type of `bits` bits in the same context.
    pub(super) fn integer(self, bits: u32) -> LLVMTypeRef {
        // SAFETY: a valid type has a context.
        unsafe { LLVMIntTypeInContext(LLVMGetTypeContext(self.0), bits) }
    }
}

impl Bitcode {
    /// How many bytes an object of this type takes, padding at the end included; 0 for a type without a size.
    pub(crate) fn size_of(&self, ty: Type<'_>) -> u64 {
        // SAFETY: sized types only.
        if ty.is_sized() { unsafe { LLVMABISizeOfType(self.layout(), ty.0) } } else { 0 }
    }

    /// How many bytes a store of this type writes.
    pub(crate) fn store_size_of(&self, ty: Type<'_>) -> u64 {
        // SAFETY: sized types only.
        if ty.is_sized() { unsafe { LLVMStoreSizeOfType(self.layout(), ty.0) } } else { 0 }
    }

    /// The number of bits of a value of this type.
    pub(crate) fn bits_of(&self, ty: Type<'_>) -> u64 {
        // SAFETY: sized types only.
        if ty.is_sized() { unsafe { LLVMSizeOfTypeInBits(self.layout(), ty.0) } } else { 0 }
    }

    /// The alignment of an object of this type.
    pub(crate) fn align_of(&self, ty: Type<'_>) -> u64 {
        // SAFETY: sized types only.
        if ty.is_sized() { u64::from(unsafe { LLVMABIAlignmentOfType(self.layout(), ty.0) }) } else { 1 }
    }

    /// Where the member of a struct, the element of an array or of a vector begins.
    pub(crate) fn offset_of(&self, ty: Type<'_>, index: u64) -> u64 {
        match ty.kind() {
            TypeKind::Struct => {
                let index = index as u32;
                // SAFETY: a struct, and the index is checked.
                unsafe {
                    assert!(index < LLVMCountStructElementTypes(ty.0));
                    LLVMOffsetOfElement(self.layout(), ty.0, index)
                }
            }
            // Elements of a vector have no padding between them.
            TypeKind::Vector => index.wrapping_mul(self.bits_of(ty.element()) / 8),
            _ => index.wrapping_mul(self.size_of(ty.element())),
        }
    }
}
