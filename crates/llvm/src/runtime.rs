//! The part of the C library that is written in C (`crates/llvm/runtime`): what a program lacks of it is linked with it.
//!
//! A file of the runtime is compiled by clang when a program lacks one of its functions, once per clang and target: the
//! bitcode is kept in the [cache](crate::cache). It has no debug information, so that what it does is told of at the call in the
//! program. The program's own definition of a name always wins, and the runtime does not see it.

use crate::clang;
use crate::ffi::Bitcode;
use crate::{CompileError, CompileRequest};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The functions of the runtime have this attribute.
pub(crate) const ATTRIBUTE: &str = "threadbare-runtime";

/// What every file begins with.
const HEADER: &str = include_str!("../runtime/runtime.h");

/// A file of the runtime.
struct Source {
    name: &'static str,
    text: &'static str,
    /// The names that programs can use.
    defines: &'static [&'static str],
}

macro_rules! source {
    ($name:literal: $($defines:ident)*) => {
        Source {
            name: $name,
            text: include_str!(concat!("../runtime/", $name)),
            defines: &[$(stringify!($defines)),*],
        }
    };
}

/// Which file defines what.
const SOURCES: &[Source] = &[
    source!("atexit.c": atexit),
    source!("compare.c": strcasecmp strcoll strncasecmp strncmp),
    source!("copy.c": mempcpy stpcpy stpncpy strcat strcpy strdup strlcat strlcpy strncat strncpy strndup),
    source!("ctype.c": __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc isalnum isalpha isascii isblank iscntrl
        isdigit isgraph islower isprint ispunct isspace isupper isxdigit toascii tolower toupper),
    source!("environment.c": getenv secure_getenv),
    source!("errors.c": __xpg_strerror_r strerror strerror_r),
    source!("format.c": __snprintf_chk __sprintf_chk __vsnprintf_chk __vsprintf_chk asprintf snprintf sprintf vasprintf
        vdprintf vfprintf vprintf vsnprintf vsprintf),
    source!("integer.c": __isoc23_strtoimax __isoc23_strtol __isoc23_strtoll __isoc23_strtoul __isoc23_strtoull
        __isoc23_strtoumax abs atoi atol atoll div ffs ffsl ffsll imaxabs imaxdiv labs ldiv llabs lldiv strtoimax strtol
        strtoll strtoul strtoull strtoumax),
    source!("output.c": write),
    source!("random.c": rand rand_r random srand srandom),
    source!("real.c": atof strtod),
    source!("search.c": basename index memchr memmem memrchr rawmemchr rindex strchr strchrnul strcspn strnlen strpbrk
        strrchr strspn strstr),
    source!("sort.c": bsearch qsort qsort_r),
    source!("token.c": __strtok_r strsep strtok strtok_r),
];

/// Link what the program lacks and the runtime has. Without clang, as for a program that is bitcode, it goes on lacking it.
pub(crate) fn complete(program: &mut Bitcode, request: &CompileRequest) -> Result<(), CompileError> {
    let mut sources: Vec<&Source> = SOURCES.iter().collect();
    while let Some(next) = first_needed(program, &sources) {
        let source = sources.remove(next);
        let bytes = match bitcode_of(source, program, request) {
            Err(CompileError::ClangNotFound { .. }) => return Ok(()),
            bytes => bytes?,
        };
        add(program, source, &bytes)?;
    }
    Ok(())
}

fn first_needed(program: &Bitcode, sources: &[&Source]) -> Option<usize> {
    let lacking = program.lacking();
    sources.iter().position(|source| source.defines.iter().any(|&name| lacking.contains(name)))
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
fn bitcode_of(source: &Source, program: &Bitcode, request: &CompileRequest) -> Result<Vec<u8>, CompileError> {
    let target = program.target();
    let text = [HEADER, source.text].concat();
    let make = || clang::compile_runtime(request, source.name, &text, &target);
    let Some(cache) = &request.cache else { return make() };
    let version = env!("CARGO_PKG_VERSION");
    let flags = clang::RUNTIME_FLAGS.join(" ");
    // The clang is the one that has just compiled the program, if it is none of another that was given as bitcode.
    let clang = program.producers().join("\n");
    let key = [version, &clang, &flags, &target, source.name, &text].join("\0");
    cache.get_or_make(key.as_bytes(), make)
}

/// The files of the C runtime: name, text, and the names that programs can use.
pub fn runtime_sources() -> impl Iterator<Item = (&'static str, String, &'static [&'static str])> {
    SOURCES.iter().map(|source| (source.name, [HEADER, source.text].concat(), source.defines))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_defines_what_the_table_says() {
        for source in SOURCES {
            let text = [HEADER, source.text].concat();
            let request = CompileRequest::new("");
            let bytes = clang::compile_runtime(&request, source.name, &text, "x86_64-pc-linux-gnu")
                .expect("it compiles");
            let bitcode = Bitcode::parse(Path::new(source.name), &bytes).expect("it is bitcode");
            let mut defined = bitcode.defined();
            defined.retain(|name| !name.starts_with("llvm."));
            defined.sort();
            assert_eq!(defined, source.defines, "{}", source.name);
        }
    }

    #[test]
    fn no_name_is_defined_twice() {
        let mut names: Vec<&str> = SOURCES.iter().flat_map(|source| source.defines).copied().collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
