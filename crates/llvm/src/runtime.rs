//! The parts of the C library and of libstdc++ that are written in C and C++ (`crates/llvm/runtime`): what a program lacks of
//! them is linked with it.
//!
//! A file of the runtime is compiled by clang when a program lacks one of its functions or variables, once per clang, target
//! and, for C++, library: the bitcode is kept in the [cache](crate::cache). It has no debug information, so that what it does is
//! told of at the call in the program. The program's own definition of a name always wins, and the runtime does not see it.

mod cxx;
mod shortcuts;

use crate::clang;
use crate::ffi::Bitcode;
use crate::{CompileError, CompileRequest};
use cxx::Library;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The functions of the runtime have this attribute.
pub(crate) const ATTRIBUTE: &str = "threadbare-runtime";

/// What every file in C begins with.
const HEADER: &str = include_str!("../runtime/runtime.h");

/// A file of the runtime.
#[derive(Clone, Copy)]
struct Source {
    name: &'static str,
    text: &'static str,
    /// The names that programs can use. `name*`: all that begin so.
    defines: &'static [&'static str],
    language: Language,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    C,
    Cxx,
}

impl Source {
    fn defines(&self, name: &str) -> bool {
        self.defines.iter().any(|pattern| is_like(name, pattern))
    }

    fn whole_text(&self) -> String {
        let header = match self.language {
            Language::C => HEADER,
            Language::Cxx => cxx::HEADER,
        };
        [header, self.text].concat()
    }
}

/// Whether a name is the pattern, or begins as one that ends in `*`.
fn is_like(name: &str, pattern: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    }
}

macro_rules! source {
    ($name:literal: $($defines:ident)*) => {
        Source {
            name: $name,
            text: include_str!(concat!("../runtime/", $name)),
            defines: &[$(stringify!($defines)),*],
            language: Language::C,
        }
    };
}

/// Which file defines what.
const SOURCES: &[Source] = &[
    source!("atexit.c": __cxa_atexit __cxa_thread_atexit atexit),
    source!("await.c": __VERIFIER_load_await_aint __VERIFIER_xchg_await_aint),
    source!("compare.c": strcasecmp strcoll strncasecmp strncmp),
    source!("copy.c": memcpy_s mempcpy stpcpy stpncpy strcat strcpy strdup strlcat strlcpy strncat strncpy strndup),
    source!("ctype.c": __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc isalnum isalpha isascii isblank iscntrl
        isdigit isgraph islower isprint ispunct isspace isupper isxdigit toascii tolower toupper),
    source!("environment.c": getenv secure_getenv),
    source!("errors.c": __xpg_strerror_r strerror strerror_r),
    source!("format.c": __snprintf_chk __sprintf_chk __vsnprintf_chk __vsprintf_chk asprintf snprintf sprintf vasprintf
        vdprintf vfprintf vprintf vsnprintf vsprintf),
    source!("guard.c": __cxa_guard_abort __cxa_guard_acquire __cxa_guard_release),
    source!("integer.c": __isoc23_strtoimax __isoc23_strtol __isoc23_strtoll __isoc23_strtoul __isoc23_strtoull
        __isoc23_strtoumax abs atoi atol atoll div ffs ffsl ffsll imaxabs imaxdiv labs ldiv llabs lldiv strtoimax strtol
        strtoll strtoul strtoull strtoumax),
    source!("locale.c": setlocale),
    source!("name.c": prctl),
    source!("nondet.c": __VERIFIER_nondet_char __VERIFIER_nondet_int __VERIFIER_nondet_long __VERIFIER_nondet_longlong
        __VERIFIER_nondet_schar __VERIFIER_nondet_short __VERIFIER_nondet_size_t __VERIFIER_nondet_u16
        __VERIFIER_nondet_u32 __VERIFIER_nondet_u64 __VERIFIER_nondet_u8 __VERIFIER_nondet_uchar __VERIFIER_nondet_uint
        __VERIFIER_nondet_ulong __VERIFIER_nondet_ulonglong __VERIFIER_nondet_unsigned __VERIFIER_nondet_ushort),
    source!("object.c": __dso_handle __libc_single_threaded),
    source!("options.c": getopt optarg opterr optind optopt),
    source!("output.c": write),
    source!("random.c": rand rand_r random srand srandom),
    source!("real.c": atof strtod),
    source!("search.c": basename index memchr memmem memrchr rawmemchr rindex strchr strchrnul strcspn strnlen strpbrk
        strrchr strspn strstr),
    source!("sort.c": bsearch qsort qsort_r),
    source!("token.c": __strtok_r strsep strtok strtok_r),
];

/// Link what the program lacks and the runtime has. Without clang, as for a program that is bitcode, it goes on lacking it; so
/// it does if the headers of its C++ library are others than those that a file of the runtime is written for.
pub(crate) fn complete(program: &mut Bitcode, request: &CompileRequest) -> Result<(), CompileError> {
    shortcuts::shorten(program);
    let mut sources: Vec<&Source> = SOURCES.iter().chain(cxx::SOURCES).collect();
    let mut library = Library::new(request);
    while let Some(next) = first_needed(program, &sources) {
        let source = sources.remove(next);
        match bitcode_of(source, program, request, &mut library) {
            Ok(bytes) => add(program, source, &bytes)?,
            Err(CompileError::ClangNotFound { .. }) => return Ok(()),
            Err(CompileError::Clang { .. }) if source.language == Language::Cxx => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn first_needed(program: &Bitcode, sources: &[&Source]) -> Option<usize> {
    let lacking: BTreeSet<String> = program.lacking().into_iter().chain(program.missing()).collect();
    sources.iter().position(|source| lacking.iter().any(|name| source.defines(name)))
}

fn add(program: &mut Bitcode, source: &Source, bytes: &[u8]) -> Result<(), CompileError> {
    let file = PathBuf::from(source.name);
    let runtime = Bitcode::parse(Path::new(source.name), bytes)
        .map_err(|message| CompileError::NotBitcode { file: file.clone(), message })?;
    runtime.mark_functions(ATTRIBUTE);
    // Tables of the compiler, which have names of LLVM's own, are added to those of the program.
    let is_name = |name: &String| !name.starts_with("llvm.");
    let defined: BTreeSet<String> = program.defined().into_iter().filter(is_name).collect();
    runtime.hide_definitions(&defined);
    program.link(&runtime).map_err(|message| CompileError::Link { file, message })
}

/// The bitcode of a file for the target of the program, from the cache if it is there.
fn bitcode_of(
    source: &Source,
    program: &Bitcode,
    request: &CompileRequest,
    library: &mut Library,
) -> Result<Vec<u8>, CompileError> {
    let target = program.target();
    let text = source.whole_text();
    let flags = match source.language {
        Language::C => clang::RUNTIME_FLAGS.map(str::to_owned).to_vec(),
        Language::Cxx => library.flags(),
    };
    let make = || clang::compile_runtime(request, source.name, &text, &target, &flags);
    let Some(cache) = &request.cache else { return make() };
    let version = env!("CARGO_PKG_VERSION");
    let headers = match source.language {
        Language::C => String::new(),
        Language::Cxx => library.headers(request)?,
    };
    // The clang is the one that has just compiled the program, if it is none of another that was given as bitcode.
    let clang = program.producers().join("\n");
    let key = [version, &clang, &flags.join(" "), &target, &headers, source.name, &text].join("\0");
    cache.get_or_make(key.as_bytes(), make)
}

/// The files of the C runtime: name, text, and the names that programs can use.
pub fn runtime_sources() -> impl Iterator<Item = (&'static str, String, &'static [&'static str])> {
    SOURCES.iter().map(|source| (source.name, source.whole_text(), source.defines))
}

/// The files of the C++ runtime: name and text.
pub fn cxx_runtime_sources() -> impl Iterator<Item = (&'static str, String)> {
    cxx::SOURCES.iter().map(|source| (source.name, source.whole_text()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn defined_by(source: &Source) -> Vec<String> {
        let request = CompileRequest::new("");
        let flags = match source.language {
            Language::C => clang::RUNTIME_FLAGS.map(str::to_owned).to_vec(),
            Language::Cxx => Library::new(&request).flags(),
        };
        let text = source.whole_text();
        let bytes = clang::compile_runtime(&request, source.name, &text, "x86_64-pc-linux-gnu", &flags)
            .expect("it compiles");
        let bitcode = Bitcode::parse(Path::new(source.name), &bytes).expect("it is bitcode");
        let mut defined = bitcode.defined();
        defined.retain(|name| !name.starts_with("llvm."));
        defined.sort();
        defined
    }

    /// What the headers define in many files at once, as templates, is not meant.
    #[test]
    fn each_file_in_cxx_defines_all_that_the_table_says() {
        for source in cxx::SOURCES {
            let defined = defined_by(source);
            for pattern in source.defines {
                assert!(
                    defined.iter().any(|name| is_like(name, pattern)),
                    "{} has no {pattern}",
                    source.name
                );
            }
        }
    }

    #[test]
    fn each_file_defines_what_the_table_says() {
        for source in SOURCES {
            assert_eq!(defined_by(source), source.defines, "{}", source.name);
        }
    }

    #[test]
    fn no_name_is_defined_twice() {
        let mut names: Vec<&str> =
            SOURCES.iter().chain(cxx::SOURCES).flat_map(|source| source.defines).copied().collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
