//! The part of libstdc++ that is in its library and not in its headers, written in C++.
//!
//! A file is compiled with the headers that the program is compiled with: with the flags that say where these are, and anew
//! when they change. So the layout of everything is that of the installed version, and templates that the library has an
//! instance of are instantiated from its own headers. Names are known by how they begin, for most of them are many: all
//! constructors of a class, all instances of a function.
//!
//! Not modelled: libc++ and others, which programs go on lacking; streams of strings and files; pools of `std::pmr`.
//! Cost: a run of the preprocessor on one header, to know the library, for each program that lacks something; the first time
//! up to a second of clang for each file.

use super::{Language, Source};
use crate::clang;
use crate::{CompileError, CompileRequest};

/// What every file begins with.
pub(super) const HEADER: &str = include_str!("../../runtime/runtime.hpp");

macro_rules! source {
    ($name:literal: $($defines:literal)*) => {
        Source {
            name: $name,
            text: include_str!(concat!("../../runtime/", $name)),
            defines: &[$($defines),*],
            language: Language::Cxx,
        }
    };
}

/// Which file defines what.
pub(super) const SOURCES: &[Source] = &[
    source!("chrono.cpp": "_ZNSt6chrono3_V212steady_clock3nowEv" "_ZNSt6chrono3_V212system_clock3nowEv"),
    source!("condition_variable.cpp": "_ZNSt18condition_variable*" "_ZSt25notify_all_at_thread_exit*"),
    source!("future.cpp": "_ZNSt13__future_base12_Result_base*" "_ZNSt28__atomic_futex_unsigned_base*"
        "_ZTINSt13__future_base12_Result_baseE" "_ZTVNSt13__future_base12_Result_baseE"),
    source!("hashtable.cpp": "_ZNKSt8__detail20_Prime_rehash_policy*" "_ZSt11_Hash_bytes*" "_ZSt15_Fnv_hash_bytes*"),
    source!("list.cpp": "_ZNSt8__detail15_List_node_base*"),
    source!("memory_resource.cpp": "_ZNSt3pmr*" "_ZTINSt3pmr*" "_ZTVNSt3pmr*"),
    source!("new.cpp": "_ZSt15get_new_handlerv" "_ZSt15set_new_handlerPFvvE" "_ZSt7nothrow" "_Zda*" "_Zdl*" "_Zna*" "_Znw*"),
    source!("once.cpp": "_ZSt11__once_call" "_ZSt15__once_callable" "__once_proxy"),
    source!("output.cpp": "_ZNSo*" "_ZNSt8ios_base4Init*" "_ZSt16__ostream_insert*" "_ZSt4cerr" "_ZSt4clog" "_ZSt4cout"
        "_ZSt4endl*" "_ZSt4ends*" "_ZSt5flush*" "_ZStls*"),
    source!("random_device.cpp": "_ZNKSt13random_device*" "_ZNSt13random_device*"),
    source!("shared_ptr.cpp": "_ZNSt10_Sp_locker*" "_ZNSt19_Sp_make_shared_tag*"),
    source!("string.cpp": "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE*"
        "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE*"),
    source!("system_error.cpp": "_ZNKSt3_V214error_category*" "_ZNSt3_V214error_category*" "_ZNSt3_V215system_categoryEv"
        "_ZNSt3_V216generic_categoryEv" "_ZSt15future_categoryv" "_ZTINSt3_V214error_categoryE"
        "_ZTVNSt3_V214error_categoryE"),
    source!("thread.cpp": "_ZNSt6thread15_M_start_threadESt10unique_ptr*"
        "_ZNSt6thread20hardware_concurrencyEv" "_ZNSt6thread4joinEv" "_ZNSt6thread6_State*" "_ZNSt6thread6detachEv"
        "_ZTINSt6thread6_StateE" "_ZTVNSt6thread6_StateE"),
    source!("tree.cpp": "_ZSt18_Rb_tree_decrement*" "_ZSt18_Rb_tree_increment*" "_ZSt28_Rb_tree_rebalance_for_erase*"
        "_ZSt29_Rb_tree_insert_and_rebalance*"),
    source!("exception.cpp": "_ZNKSt15__exception_ptr13exception_ptr*" "_ZNSt15__exception_ptr13exception_ptr*"
        "_ZNSt16nested_exception*" "_ZSt10unexpectedv" "_ZSt13get_terminatev" "_ZSt13set_terminatePFvvE"
        "_ZSt14get_unexpectedv" "_ZSt14set_unexpectedPFvvE" "_ZSt17current_exceptionv" "_ZSt17rethrow_exception*"
        "_ZSt18uncaught_exceptionv" "_ZSt19uncaught_exceptionsv" "_ZSt9terminatev" "_ZTISt16nested_exception"
        "_ZTVSt16nested_exception" "__cxa_allocate_exception" "__cxa_begin_catch" "__cxa_call_unexpected"
        "__cxa_current_exception_type" "__cxa_deleted_virtual" "__cxa_end_catch" "__cxa_free_exception"
        "__cxa_get_exception_ptr" "__cxa_init_primary_exception" "__cxa_pure_virtual" "__cxa_rethrow" "__cxa_throw"
        "__cxa_uncaught_exception" "__cxa_uncaught_exceptions" "__threadbare_takes"),
    source!("stdexcept.cpp": "_ZNKSt10bad_typeid4whatEv" "_ZNKSt11logic_error4whatEv" "_ZNKSt12bad_weak_ptr4whatEv"
        "_ZNKSt13bad_exception4whatEv" "_ZNKSt13runtime_error4whatEv" "_ZNKSt17bad_function_call4whatEv"
        "_ZNKSt20bad_array_new_length4whatEv" "_ZNKSt8bad_cast4whatEv" "_ZNKSt9bad_alloc4whatEv"
        "_ZNKSt9exception4whatEv" "_ZNSt10bad_typeidD*" "_ZNSt11logic_error*" "_ZNSt11range_error*"
        "_ZNSt12bad_weak_ptrD*" "_ZNSt12domain_error*" "_ZNSt12length_error*" "_ZNSt12out_of_range*"
        "_ZNSt13bad_exceptionD*" "_ZNSt13runtime_error*" "_ZNSt14overflow_error*" "_ZNSt15underflow_error*"
        "_ZNSt16invalid_argument*" "_ZNSt17bad_function_callD*" "_ZNSt20bad_array_new_lengthD*" "_ZNSt8bad_castD*"
        "_ZNSt9bad_allocD*" "_ZNSt9exceptionD*" "_ZTISt10bad_typeid" "_ZTISt11logic_error" "_ZTISt11range_error"
        "_ZTISt12bad_weak_ptr" "_ZTISt12domain_error" "_ZTISt12length_error" "_ZTISt12out_of_range"
        "_ZTISt13bad_exception" "_ZTISt13runtime_error" "_ZTISt14overflow_error" "_ZTISt15underflow_error"
        "_ZTISt16invalid_argument" "_ZTISt17bad_function_call" "_ZTISt20bad_array_new_length" "_ZTISt8bad_cast"
        "_ZTISt9bad_alloc" "_ZTISt9exception" "_ZTVSt10bad_typeid" "_ZTVSt11logic_error" "_ZTVSt11range_error"
        "_ZTVSt12bad_weak_ptr" "_ZTVSt12domain_error" "_ZTVSt12length_error" "_ZTVSt12out_of_range"
        "_ZTVSt13bad_exception" "_ZTVSt13runtime_error" "_ZTVSt14overflow_error" "_ZTVSt15underflow_error"
        "_ZTVSt16invalid_argument" "_ZTVSt17bad_function_call" "_ZTVSt20bad_array_new_length" "_ZTVSt8bad_cast"
        "_ZTVSt9bad_alloc" "_ZTVSt9exception"),
    source!("throw.cpp": "_ZSt16__throw_bad_castv" "_ZSt17__throw_bad_allocv" "_ZSt18__throw_bad_typeidv"
        "_ZSt19__throw_logic_error*" "_ZSt19__throw_range_error*" "_ZSt20__throw_domain_error*"
        "_ZSt20__throw_length_error*" "_ZSt20__throw_out_of_rangePKc" "_ZSt21__throw_bad_exceptionv"
        "_ZSt21__throw_runtime_error*" "_ZSt22__throw_overflow_error*" "_ZSt23__throw_underflow_error*"
        "_ZSt24__throw_invalid_argument*" "_ZSt24__throw_out_of_range_fmt*" "_ZSt25__throw_bad_function_callv"
        "_ZSt28__throw_bad_array_new_lengthv" "__cxa_bad_cast" "__cxa_bad_typeid" "__cxa_throw_bad_array_new_length"),
    source!("throw_error.cpp": "_ZNKSt12future_error*" "_ZNSt12future_error*" "_ZNSt12system_error*"
        "_ZSt19__throw_ios_failure*" "_ZSt20__throw_future_error*" "_ZSt20__throw_system_error*"
        "_ZTISt12future_error" "_ZTISt12system_error" "_ZTVSt12future_error" "_ZTVSt12system_error"),
    source!("type_info.cpp": "_ZTIDi" "_ZTIDn" "_ZTIDs" "_ZTIDu" "_ZTIa" "_ZTIb" "_ZTIc" "_ZTId" "_ZTIe" "_ZTIf"
        "_ZTIg" "_ZTIh" "_ZTIi" "_ZTIj" "_ZTIl" "_ZTIm" "_ZTIn" "_ZTIo" "_ZTIs" "_ZTIt" "_ZTIv" "_ZTIw" "_ZTIx"
        "_ZTIy" "_ZTIN10__cxxabiv1*" "_ZTIP*" "_ZTVN10__cxxabiv1*" "__dynamic_cast" "__threadbare_catches"),
    source!("unwind.cpp": "_Unwind_*" "__gxx_personality_v0"),
];

/// Flags that say which library a program has, and where its headers are.
const ABOUT_HEADERS: [&str; 9] = [
    "-stdlib=",
    "-stdlib++-isystem",
    "-cxx-isystem",
    "-nostdinc++",
    "--sysroot",
    "-isysroot",
    "--gcc-toolchain",
    "--gcc-install-dir",
    "-D_GLIBCXX_",
];

/// The C++ library of a program.
pub(super) struct Library {
    flags: Vec<String>,
    /// What its configuration says, once it was asked for.
    headers: Option<String>,
}

impl Library {
    pub(super) fn new(request: &CompileRequest) -> Library {
        let of_units = request.units.iter().flat_map(|unit| &unit.cflags);
        let flags = about_headers(of_units.chain(&request.cflags));
        Library { flags, headers: None }
    }

    /// The flags that the runtime is compiled with.
    pub(super) fn flags(&self) -> Vec<String> {
        let own = clang::CXX_RUNTIME_FLAGS.into_iter().map(str::to_owned);
        own.chain(self.flags.iter().cloned()).collect()
    }

    /// Its configuration, with its version and the places of its headers. An error of clang: it is not libstdc++.
    pub(super) fn headers(&mut self, request: &CompileRequest) -> Result<String, CompileError> {
        if let Some(known) = &self.headers {
            return Ok(known.clone());
        }
        let found = clang::preprocess(request, &self.flags(), "#include <bits/c++config.h>\n")?;
        let found = String::from_utf8_lossy(&found).into_owned();
        self.headers = Some(found.clone());
        Ok(found)
    }
}

/// These flags about headers, and the word after one that has its directory there.
fn about_headers<'a>(flags: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    let mut follows = false;
    for flag in flags {
        let is_one = ABOUT_HEADERS.iter().any(|start| flag.starts_with(start));
        if is_one || follows {
            kept.push(flag.clone());
        }
        follows = is_one && ABOUT_HEADERS[1..8].contains(&flag.as_str()) && flag != "-nostdinc++";
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_flags_about_headers_are_kept() {
        let flags = ["-O2", "-stdlib=libc++", "-isysroot", "/s", "-I", "x", "-D_GLIBCXX_DEBUG", "-DN=2"];
        let flags = flags.map(str::to_owned);
        assert_eq!(about_headers(flags.iter()), ["-stdlib=libc++", "-isysroot", "/s", "-D_GLIBCXX_DEBUG"]);
    }
}
