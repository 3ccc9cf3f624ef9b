//! Flags for clang, which come after `--`. They are trusted, but for one thing: clang gives bitcode to Threadbare, and
//! neither anything else nor to anybody else.
//!
//! Without this, a flag out of somebody's compile line, `-o main.o` or `-MF main.d`, writes files, and a flag like
//! `-emit-ast` makes something of the program that is not the program. These flags were found by trying those of
//! clang 22 one by one, but for warnings and targets. Let through: texts on stderr, the cache of `-fmodules`, and
//! plugins, which may do as they like.

use anyhow::bail;
use std::path::Path;

/// How a flag is recognised, without the dashes that it starts with.
#[derive(Clone, Copy, Debug)]
enum Name {
    /// By all of it.
    All(&'static str),
    /// By how it begins: a value may follow.
    Start(&'static str),
}
use Name::{All, Start};

/// Flags that clang writes or prints something else for than the bitcode; those of its inner command, which
/// `-Xclang` leads to, among them.
const ABOUT_OUTPUT: &[Name] = &[
    // Which kind of output.
    All("c"),
    All("S"),
    All("E"),
    All("Eonly"),
    All("compile"),
    All("assemble"),
    All("preprocess"),
    All("precompile"),
    All("fsyntax-only"),
    All("fdriver-only"),
    All("fmodule-header"),
    Start("fmodule-header="),
    Start("emit-"),
    Start("analyze"),
    Start("ast-"),
    Start("extract-"),
    Start("rewrite-"),
    All("init-only"),
    All("sycl-link"),
    Start("templight-dump"),
    // The source file, changed.
    Start("fixit"),
    // Dependencies.
    Start("M"),
    All("dependencies"),
    All("user-dependencies"),
    All("write-dependencies"),
    All("write-user-dependencies"),
    Start("dependency-"),
    // Files beside the output.
    Start("output"),
    Start("save-temps"),
    Start("save-stats"),
    Start("stats-file"),
    Start("serialize-diagnostic"),
    Start("diagnostic-log-file"),
    Start("header-include-file"),
    Start("index-store"),
    Start("fmodule-output"),
    Start("foptimization-record"),
    Start("fsave-optimization-record"),
    Start("opt-record"),
    Start("ftime-trace"),
    Start("fproc-stat-report"),
    Start("fcrash-diagnostics"),
    Start("gen-"),
    Start("info-output-file"),
    Start("pass-remarks-output"),
    // Texts instead of an output.
    All("###"),
    All("version"),
    Start("help"),
    Start("dump"),
    Start("print-"),
    Start("ccc-"),
    Start("autocomplete"),
    Start("compiler-options-dump"),
    Start("module-file-info"),
    Start("module-dependency-dir"),
];

/// Flags that lead clang to other flags or another program than those that the user sees here.
const ELSEWHERE: &[Name] = &[Start("config"), Start("working-directory"), All("filelist")];

/// Flags whose value is the next word, if it is not part of the same one.
const WITH_VALUE: &[&str] = &[
    "-A",
    "-B",
    "-D",
    "-F",
    "-G",
    "-I",
    "-L",
    "-T",
    "-U",
    "-Xanalyzer",
    "-Xassembler",
    "-Xclang",
    "-Xlinker",
    "-Xpreprocessor",
    "-arch",
    "-b",
    "-cxx-isystem",
    "-e",
    "-fdebug-compilation-dir",
    "-framework",
    "-ftrapv-handler",
    "-idirafter",
    "-iframework",
    "-imacros",
    "-imultilib",
    "-include",
    "-include-pch",
    "-iprefix",
    "-iquote",
    "-isysroot",
    "-isystem",
    "-isystem-after",
    "-ivfsoverlay",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-iwithsysroot",
    "-l",
    "-mllvm",
    "-mthread-model",
    "-resource-dir",
    "-rpath",
    "-stdlib++-isystem",
    "-target",
    "-u",
    "-x",
    "-z",
    "--define-macro",
    "--force-link",
    "--imacros",
    "--include",
    "--include-directory",
    "--include-prefix",
    "--include-with-prefix",
    "--language",
    "--library-directory",
    "--param",
    "--prefix",
    "--std",
    "--sysroot",
    "--system-header-prefix",
    "--undefine-macro",
    "--vfsoverlay",
];

/// Flags whose value is a flag for a part of clang.
const LEADS_ON: &[&str] = &["-Xclang", "-Xpreprocessor", "-mllvm"];

/// Refuses flags that make clang write or print something else than the bitcode, and files beside the program.
pub(crate) fn refuse_output(cflags: &[String]) -> anyhow::Result<()> {
    let mut words = cflags.iter();
    while let Some(flag) = words.next() {
        refuse_file(flag)?;
        refuse_flag(flag)?;
        let joined = LEADS_ON.iter().find_map(|part| flag.strip_prefix(part)?.strip_prefix('='));
        joined.map_or(Ok(()), refuse_flag)?;
        if WITH_VALUE.contains(&flag.as_str()) {
            let Some(value) = words.next() else {
                bail!("`{flag}` after `--` needs a value, and none follows")
            };
            if LEADS_ON.contains(&flag.as_str()) {
                refuse_flag(value)?;
            }
        }
    }
    Ok(())
}

/// Flags that name a file to read in the same word.
const READS: &[&str] = &["-include", "--include=", "-imacros", "--imacros="];

/// The files that a run reads, as far as the command line names them.
pub(crate) fn inputs(cflags: &[String]) -> impl Iterator<Item = &Path> {
    let named = cflags.iter().flat_map(|word| {
        let joined = READS.iter().filter_map(|reads| word.strip_prefix(reads));
        joined.filter(|value| !value.is_empty()).chain([word.as_str()])
    });
    named.map(Path::new)
}

/// Flags about dependencies or outputs whose value is the next word.
const OUTPUTS_WITH_VALUE: &[&str] =
    &["-o", "-MF", "-MT", "-MQ", "-MJ", "--serialize-diagnostics", "-dependency-file"];

/// The flags without those that only say where outputs and dependencies go.
pub(crate) fn without_output(flags: &[String]) -> Vec<String> {
    let (mut kept, mut words) = (Vec::new(), flags.iter());
    while let Some(flag) = words.next() {
        if OUTPUTS_WITH_VALUE.contains(&flag.as_str()) {
            words.next();
        } else if WITH_VALUE.contains(&flag.as_str()) {
            kept.push(flag.clone());
            kept.extend(words.next().cloned());
        } else if flag != "--" && !is_about_output(flag) {
            kept.push(flag.clone());
        }
    }
    kept
}

/// Flags by which clang runs code of somebody else.
const CODE: &[Name] =
    &[Start("fplugin"), Start("fpass-plugin"), Start("load"), Start("plugin"), All("add-plugin")];

/// Refuses flags that load code into clang, wherever they stand.
pub(crate) fn refuse_code(flags: &[String]) -> anyhow::Result<()> {
    let named = |flag: &&String| {
        let joined = LEADS_ON.iter().find_map(|part| flag.strip_prefix(part)?.strip_prefix('='));
        is_one_of(CODE, joined.unwrap_or(flag))
    };
    match flags.iter().find(named) {
        Some(flag) => bail!("`{flag}` would load code into clang: compile that file to bitcode yourself"),
        None => Ok(()),
    }
}

fn refuse_file(word: &str) -> anyhow::Result<()> {
    if word.starts_with('@') {
        bail!("`{word}` after `--` stands for a file of flags: write them out");
    }
    if !word.starts_with('-') || word == "-" || word == "--" {
        bail!(
            "`{word}` after `--` is no flag: files of the program come before `--`, and the value of a flag follows it in the \
             same word"
        );
    }
    Ok(())
}

fn refuse_flag(flag: &str) -> anyhow::Result<()> {
    if is_one_of(ELSEWHERE, flag) {
        bail!("`{flag}` after `--` would lead clang to other flags or files: write them out");
    }
    if is_about_output(flag) {
        bail!(
            "`{flag}` after `--` would make clang write or print something else than the program that is to be run: leave \
             it out"
        );
    }
    // Flags for the preprocessor, in one word.
    flag.strip_prefix("-Wp,").map_or(Ok(()), |flags| flags.split(',').try_for_each(refuse_flag))
}

fn is_about_output(flag: &str) -> bool {
    // Only with one dash: there is also `--optimize`.
    let is_output = flag.starts_with("-o") || flag.starts_with("--output");
    is_output || is_one_of(ABOUT_OUTPUT, flag)
}

fn is_one_of(names: &[Name], flag: &str) -> bool {
    let Some(flag) = flag.strip_prefix('-') else { return false };
    let flag = flag.strip_prefix('-').unwrap_or(flag);
    names.iter().any(|name| match name {
        All(name) => flag == *name,
        Start(name) => flag.starts_with(name),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(flags: &str) -> Option<String> {
        let flags: Vec<String> = flags.split_whitespace().map(str::to_owned).collect();
        refuse_output(&flags).err().map(|error| error.to_string())
    }

    /// Each of these made clang 22 write a file, print a text or make something other than bitcode.
    #[test]
    fn flags_about_the_output_are_refused() {
        let flags = "-c -S -E -o -okeep.c --output --output=x --compile --assemble --preprocess --precompile -M -MM -MD \
             -MMD -MF -MFx.d -MT -MQ -MJx -MP -MG --dependencies --user-dependencies --write-dependencies \
             --write-user-dependencies -save-temps -save-temps=obj --save-temps --save-stats -emit-llvm -emit-ast \
             -emit-interface-stubs --emit-static-lib -fsyntax-only -fdriver-only -fmodule-header -### --version -version \
             --help --help-hidden -dumpversion -dumpmachine -dumpdir -print-search-dirs --print-targets \
             --print-file-name=x -ccc-print-phases --autocomplete=- -ftime-trace -ftime-trace=x \
             -fproc-stat-report=x -fcrash-diagnostics-dir=x -gen-reproducer -gen-cdb-fragment-path \
             -serialize-diagnostics --serialize-diagnostics -foptimization-record-file=x -fsave-optimization-record \
             -foptimization-record-passes=x -fmodule-output=x -index-store-path --analyze -extract-api \
             -dependency-file -dependency-dot -Wp,-MD,x.d -Wp,-P,-MMD,x";
        for flag in flags.split_whitespace() {
            let refused = refusal(flag).unwrap_or_else(|| panic!("{flag} passed"));
            assert!(refused.starts_with('`') && refused.contains("leave it out"), "{refused}");
            let after_others = refusal(&format!("-DX -I include {flag}"));
            assert!(after_others.is_some(), "{flag}");
        }
        for flag in "-E -S -ast-dump -ast-print -emit-obj -emit-pch -fixit -fixit=x -rewrite-test -dump-tokens -o \
             -print-preamble -opt-record-file -diagnostic-log-file -header-include-file -stats-file=x -init-only \
             -templight-dump -compiler-options-dump -analyze -serialize-diagnostic-file -Eonly"
            .split_whitespace()
        {
            assert!(refusal(&format!("-Xclang {flag}")).is_some(), "{flag}");
            assert!(refusal(&format!("-Xclang={flag}")).is_some(), "{flag}");
        }
        assert!(refusal("-Xpreprocessor -MD -Xpreprocessor x").is_some());
        assert!(refusal("-mllvm -info-output-file=x").is_some());
        assert!(refusal("-mllvm=-info-output-file=x").is_some());
        assert!(refusal("-Xarch_host -save-temps").is_some());
    }

    #[test]
    fn what_is_included_is_read() {
        let flags = ["-include", "a.h", "-includeb.h", "--include=c.h", "-imacrosd.h"].map(str::to_owned);
        let inputs: Vec<&Path> = inputs(&flags).collect();
        for file in ["a.h", "b.h", "c.h", "d.h"] {
            assert!(inputs.contains(&Path::new(file)), "{file} is not in {inputs:?}");
        }
    }

    #[test]
    fn other_flags_are_not() {
        for flags in [
            "-DN=3 -Iinclude -std=c11 -O2 -Wall -Werror -pthread -g0 -fno-inline -march=native -mcx16 -pedantic",
            "-D N -U N -I dir -include x.h -isystem dir -iquote dir -Xclang -disable-O0-optnone -mllvm -inline-threshold=9",
            "-x c++ --std c++20 --sysroot / -target x86_64-linux-gnu -L . -l pthread",
            "-fplugin=x.so -Xclang -load -Xclang plugin.so -Xclang -plugin -Xclang name -fmodules",
            "-Wp,-DX=1,-UY -Wl,-o,x --optimize -Ofast -v -ferror-limit=1 -coverage -cl-std=CL3.0 -mms-bitfields",
            "-fcolor-diagnostics -fopenmp -mssse3 -fms-extensions",
        ] {
            assert_eq!(refusal(flags), None, "{flags}");
        }
    }

    #[test]
    fn files_are_refused_and_flags_without_their_value() {
        for (flags, part) in [
            ("b.c", "`b.c` after `--` is no flag"),
            ("-DX b.c", "`b.c`"),
            ("-D X b.c", "`b.c`"),
            ("-", "`-` after"),
            ("-- b.c", "`--` after"),
            ("@flags", "`@flags` after `--` stands for a file of flags"),
            ("-I", "`-I` after `--` needs a value"),
            ("-DX -include", "`-include` after `--` needs a value"),
            ("--config=x", "lead clang to other flags"),
            ("--config x", "lead clang to other flags"),
            ("-filelist x", "lead clang to other flags or files"),
            ("-working-directory=x", "lead clang to other flags or files"),
        ] {
            let refused = refusal(flags).unwrap_or_else(|| panic!("{flags} passed"));
            assert!(refused.contains(part), "{refused}");
        }
    }

    #[test]
    fn the_values_of_flags_are_inputs() {
        let flags = ["-include".to_owned(), "x.h".to_owned()];
        assert!(inputs(&flags).eq(["-include", "x.h"].map(Path::new)));
    }
}
