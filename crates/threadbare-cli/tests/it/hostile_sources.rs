//! Names and sources that nobody should trust: no file is shown that was not compiled, and no text reaches the terminal
//! that it would obey.

use crate::common::{Answer, directory_with, threadbare_in};
use base::is_hidden;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A directory of this test's own with the input of this name in it.
fn directory_with_input(test: &str, input: &str) -> PathBuf {
    let inputs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/hostile");
    let directory = directory_with(test, "mark", "");
    std::fs::copy(inputs.join(input), directory.join(input)).expect("an input can be copied");
    directory
}

/// Runs `threadbare` with little memory and time: a file without an end or a writer must not be read.
fn bounded(directory: &Path, arguments: &[&str]) -> Answer {
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -v 3000000; exec timeout 60 \"$@\"", "sh", env!("CARGO_BIN_EXE_threadbare")]);
    let output = command.args(arguments).current_dir(directory).output().expect("the command runs");
    Answer {
        status: output.status.code().expect("no signal ends the command"),
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8(output.stderr).expect("text"),
    }
}

/// Fails if a terminal would obey a character of the answer.
fn expect_visible(answer: &Answer) {
    let hidden = |c: char| c != '\n' && is_hidden(c);
    assert!(!answer.stdout.contains(hidden), "{answer:#?}");
    assert!(!answer.stderr.contains(hidden), "{answer:#?}");
}

/// Runs `verify` and `fuzz` in the formats for people; all of it can be seen.
fn visible_answers(directory: &Path, file: &str) -> Vec<Answer> {
    let commands = [
        &["verify", file][..],
        &["verify", file, "--format", "concise"],
        &["fuzz", file, "--runs", "50"],
        &["fuzz", file, "--runs", "50", "--format", "concise"],
    ];
    let answers: Vec<Answer> = commands.iter().map(|arguments| threadbare_in(directory, arguments)).collect();
    answers.iter().for_each(expect_visible);
    answers
}

// --- lines ------------------------------------------------------------------------------------------------------------

#[test]
fn the_line_of_a_program_that_was_compiled_is_shown() {
    let text = "#include <assert.h>\nint main(void) {\n  assert(0); // here\n}\n";
    let directory = directory_with("own_line", "t.c", text);
    let answer = threadbare_in(&directory, &["verify", "t.c"]);
    answer.expect(1, &["     3 |   assert(0); // here\n"], &[]);
    assert!(!answer.stdout.contains("note:"), "{answer:#?}");
    let outside = directory_with("own_line_from_elsewhere", "mark", "");
    let answer = threadbare_in(&outside, &["verify", "../own_line/t.c"]);
    answer.expect(1, &["     3 |   assert(0); // here\n"], &[]);
}

#[test]
fn no_line_of_a_file_that_a_directive_names() {
    let directory = directory_with_input("shadow", "line.c");
    let answer = bounded(&directory, &["verify", "line.c"]);
    let note = "\nnote: no line of /etc/shadow is shown: the debug information has no MD5 checksum of it\n";
    answer.expect(1, &["--> /etc/shadow:1:", note], &[]);
    assert!(!answer.stdout.contains("     1 |"), "{answer:#?}");
    let text = "#include <assert.h>\nint main(void) {\n#line 1 \"secret\"\n  assert(0);\n  assert(1);\n}\n";
    std::fs::write(directory.join("secret"), "SECRET\n").expect("a file can be written");
    std::fs::write(directory.join("t.c"), text).expect("a file can be written");
    for more in [&[][..], &["--graph", "t.html"], &["--format", "json"]] {
        let answer = bounded(&directory, &[&["verify", "t.c"], more].concat());
        answer.expect(1, &[], &[]);
        assert!(!answer.stdout.contains("SECRET"), "{answer:#?}");
    }
    let picture = std::fs::read_to_string(directory.join("t.html")).expect("the picture is there");
    assert!(!picture.contains("SECRET"), "{picture}");
}

#[test]
fn a_file_is_noted_once() {
    let text = "#include <pthread.h>\nint x;\nvoid *f(void *a) {\n#line 1 \"secret\"\n  x = 1; return a; }\n\
                int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x = 2; pthread_join(t, 0); }\n";
    let answer = threadbare_in(&directory_with("noted_once", "t.c", text), &["verify", "t.c"]);
    answer.expect(1, &["--> secret:1:", "--> secret:2:"], &[]);
    assert_eq!(answer.stdout.matches("note:").count(), 1, "{answer:#?}");
    let concise =
        threadbare_in(&directory_with("noted_once", "t.c", text), &["verify", "t.c", "--format", "concise"]);
    assert!(!concise.stdout.contains("note:"), "{concise:#?}");
}

#[test]
fn a_file_without_an_end_is_not_read() {
    let directory = directory_with_input("zero", "line3.c");
    let note = "\nnote: no line of /dev/zero is shown: the debug information has no MD5 checksum of it\n";
    bounded(&directory, &["verify", "line3.c"]).expect(1, &["--> /dev/zero:1:", note], &[]);
    bounded(&directory, &["fuzz", "line3.c", "--runs", "1"]).expect(1, &["--> /dev/zero:1:", note], &[]);
}

#[test]
fn a_file_without_a_writer_is_not_waited_for() {
    let directory = directory_with_input("fifo", "line4.c");
    let _ = std::fs::remove_file(directory.join("fifo"));
    let made = Command::new("mkfifo").arg(directory.join("fifo")).status().expect("mkfifo runs");
    assert!(made.success());
    let note = "\nnote: no line of fifo is shown: the debug information has no MD5 checksum of it\n";
    bounded(&directory, &["verify", "line4.c"]).expect(1, &["--> fifo:1:", note], &[]);
}

/// A module whose debug information says what it likes about its file.
fn module(file: &str, checksum: &str) -> String {
    format!(
        "declare void @__VERIFIER_error()\n\
         define i32 @main() !dbg !3 {{\n  call void @__VERIFIER_error(), !dbg !5\n  ret i32 0, !dbg !5\n}}\n\
         !llvm.module.flags = !{{!0}}\n!llvm.dbg.cu = !{{!2}}\n\
         !0 = !{{i32 2, !\"Debug Info Version\", i32 3}}\n\
         !1 = !DIFile(filename: \"{file}\", directory: \"\"{checksum})\n\
         !2 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)\n\
         !3 = distinct !DISubprogram(name: \"main\", file: !1, line: 1, type: !4, unit: !2, spFlags: DISPFlagDefinition)\n\
         !4 = !DISubroutineType(types: !{{}})\n\
         !5 = !DILocation(line: 1, scope: !3)\n"
    )
}

fn verify_module(directory: &Path, file: &str, checksum: &str) -> Answer {
    std::fs::write(directory.join("t.ll"), module(file, checksum)).expect("a file can be written");
    bounded(directory, &["verify", "t.ll"])
}

#[test]
fn a_checksum_opens_its_own_file_only() {
    let directory = directory_with("checksums", "known.c", "abc");
    let is = |sum: &str| format!(", checksumkind: CSK_MD5, checksum: \"{sum}\"");
    let right = is("900150983cd24fb0d6963f7d28e17f72");
    let shown = verify_module(&directory, "known.c", &right);
    shown.expect(1, &["     1 | abc\n"], &[]);
    assert!(!shown.stdout.contains("note:"), "{shown:#?}");
    let none = verify_module(&directory, "known.c", "");
    let other = verify_module(&directory, "known.c", &is("900150983cd24fb0d6963f7d28e17f73"));
    let sha1 = ", checksumkind: CSK_SHA1, checksum: \"a9993e364706816aba3e25717850c26c9cd0d89d\"";
    let sha1 = verify_module(&directory, "known.c", sha1);
    none.expect(
        1,
        &["note: no line of known.c is shown: the debug information has no MD5 checksum of it\n"],
        &[],
    );
    sha1.expect(
        1,
        &["note: no line of known.c is shown: the debug information has no MD5 checksum of it\n"],
        &[],
    );
    other.expect(1, &["note: no line of known.c is shown: it has changed since it was compiled\n"], &[]);
    for answer in [none, other, sha1] {
        assert!(!answer.stdout.contains("abc"), "{answer:#?}");
    }
}

#[test]
fn what_is_no_regular_file_is_not_opened_whatever_its_checksum() {
    let directory = directory_with("irregular", "mark", "");
    let _ = std::fs::remove_file(directory.join("fifo"));
    assert!(Command::new("mkfifo").arg(directory.join("fifo")).status().expect("mkfifo runs").success());
    let _ = std::fs::remove_file(directory.join("link"));
    std::os::unix::fs::symlink("/dev/zero", directory.join("link")).expect("a link can be made");
    let sum = ", checksumkind: CSK_MD5, checksum: \"d41d8cd98f00b204e9800998ecf8427e\"";
    for file in ["fifo", "link", "/dev/zero", "/dev/null", "/dev/tty", "/"] {
        let note = format!("note: no line of {file} is shown: it is no regular file\n");
        verify_module(&directory, file, sum).expect(1, &[&note], &[]);
    }
    verify_module(&directory, "nowhere", sum).expect(
        1,
        &["note: no line of nowhere is shown: it cannot be read: No such file or directory"],
        &[],
    );
    let huge = std::fs::File::create(directory.join("huge")).expect("a file can be made");
    huge.set_len(1 << 40).expect("with a hole in it");
    verify_module(&directory, "huge", sum).expect(
        1,
        &["note: no line of huge is shown: it has more than 16 MiB\n"],
        &[],
    );
    std::fs::remove_file(directory.join("huge")).expect("it can be removed");
}

#[test]
fn a_line_that_the_file_does_not_have() {
    let text = "#include <assert.h>\nint main(void) {\n#line 2000000000\n  assert(0);\n}\n";
    let answer =
        threadbare_in(&directory_with("far_line", "t.c", text), &["verify", "t.c", "--graph", "t.html"]);
    answer.expect(1, &["note: no line of t.c is shown: it has no line 2000000000\n"], &[]);
}

// --- characters -------------------------------------------------------------------------------------------------------

#[test]
fn the_name_of_a_file_in_a_directive() {
    let directory = directory_with_input("escape_line", "terminal-escape-line.c");
    let answers = visible_answers(&directory, "terminal-escape-line.c");
    for answer in &answers {
        answer.expect(1, &[r#"x"><script>alert(6)</script>\u{1b}[35m'&\n.c:3:"#, r"\u202e"], &[]);
    }
    let json = threadbare_in(&directory, &["verify", "terminal-escape-line.c", "--format", "json"]);
    json.expect(1, &[r#"x\"><script>alert(6)</script>\u001b[35m'&\n.c"#], &[]);
}

#[test]
fn a_line_of_the_source() {
    let directory = directory_with_input("escape_source", "terminal-escape-source.c");
    let answers = visible_answers(&directory, "terminal-escape-source.c");
    let line = "     3 | void*f(void*a){d=1;return 0;} /* \
                \\u{1b}[31mRED\\u{1b}]0;owned\\u{7} \\u{202e} rtl \u{fffd} */\n";
    answers[0].expect(1, &[line], &[]);
    answers[2].expect(1, &[line], &[]);
}

#[test]
fn the_names_of_variables_and_functions() {
    let directory = directory_with_input("odd_names", "odd-names.ll");
    let variable = r#"`<script>alert(1)</script>"'&\u{1b}[31m\n]]>-->`"#;
    for answer in visible_answers(&directory, "odd-names.ll") {
        answer.expect(1, &[variable], &[]);
    }
    let full = threadbare_in(&directory, &["verify", "odd-names.ll"]);
    full.expect(1, &[r"thread 1 (</script><img src=x onerror=alert(2)>\u{1b}[35m\n)"], &[]);
}

/// A name that says that all is well, on a line of its own.
const LIE: &str = "a\nb.c: verified under RC11\u{1b}[31m\u{202e}";

#[test]
fn the_name_of_the_program() {
    let told = r"a\nb.c: verified under RC11\u{1b}[31m\u{202e}";
    let directory = directory_with("odd_program", "mark", "");
    let text = "#include <assert.h>\nint main(void) { assert(0); }\n";
    let program = format!("{LIE}.c");
    std::fs::write(directory.join(&program), text).expect("a file can be written");
    for answer in visible_answers(&directory, &program) {
        answer.expect(1, &[&format!("{told}.c: ")], &[]);
    }
    let answer = threadbare_in(&directory, &["verify", &program]);
    answer.expect(
        1,
        &[r"threadbare verify $'a\nb.c: verified under RC11\x1b[31m\xe2\x80\xae.c' --replay"],
        &[],
    );
    std::fs::write(directory.join(&program), "int main(void) { return x; }\n")
        .expect("a file can be written");
    let answer = threadbare_in(&directory, &["verify", &program]);
    answer.expect(2, &[], &["undeclared identifier"]);
    expect_visible(&answer);
}

#[test]
fn the_name_of_what_cannot_be_read() {
    let directory = directory_with("odd_errors", "mark", "");
    let told = r"a\nb.c: verified under RC11\u{1b}[31m\u{202e}";
    for command in ["verify", "fuzz", "litmus", "check"] {
        let file = format!("{LIE}.c");
        let answer = threadbare_in(&directory, &[command, &file]);
        answer.expect(2, &[], &[&format!("cannot read {told}.c")]);
        expect_visible(&answer);
    }
    let file = format!("{LIE}.txt");
    std::fs::write(directory.join(&file), "").expect("a file can be written");
    let answer = threadbare_in(&directory, &["verify", &file]);
    answer.expect(2, &[], &[&format!("{told}.txt: not a C, C++ or LLVM file")]);
    expect_visible(&answer);
    for option in ["--graph", "--trace-out"] {
        let to = format!("nowhere/{LIE}.svg");
        let text = "#include <assert.h>\nint main(void) { assert(0); }\n";
        std::fs::write(directory.join("t.c"), text).expect("a file can be written");
        expect_visible(&threadbare_in(&directory, &["verify", "t.c", option, &to]));
    }
}

#[test]
fn an_argument_that_is_too_many() {
    let answer = threadbare_in(&directory_with("odd_argument", "mark", ""), &["check", "a.trace", LIE]);
    answer.expect(2, &[], &["unexpected argument", r"\u{202e}"]);
    expect_visible(&answer);
}

#[test]
fn a_litmus_test() {
    let text = "C MP\u{202e}\u{1b}[31m\n{ }\nP0(atomic_int* x) { atomic_store(x, 1); }\nexists (x=1)\n";
    let wrong =
        "C MP\n{ }\n/* \u{202e}\u{1b}[31m */ P0(atomic_int* x) { nonsense\u{202e}(x); }\nexists (x=1)\n";
    for (name, text) in [("name", text), ("wrong", wrong)] {
        let directory = directory_with("odd_litmus", &format!("{LIE}{name}.litmus"), text);
        for format in ["full", "concise"] {
            let file = format!("{LIE}{name}.litmus");
            let answer = threadbare_in(&directory, &["litmus", &file, "--format", format]);
            expect_visible(&answer);
            let lies = |text: &str| text.lines().any(|line| line.starts_with("b.c: verified"));
            assert!(!lies(&answer.stdout) && !lies(&answer.stderr), "{answer:#?}");
        }
    }
}

#[test]
fn a_trace() {
    let right =
        "# threadbare trace 1\ne0 t0 W rlx x\u{202e}\u{9b}31m\ne1 t0 R rlx x\u{202e}\u{9b}31m rf=init\n";
    let wrong = "# threadbare trace 1\ne0 t0 W acq\u{202e}\u{9b}31m x\n";
    for (text, status) in [(right, 1), (wrong, 2)] {
        let directory = directory_with("odd_trace", &format!("{LIE}.trace"), text);
        for format in ["full", "concise"] {
            let file = format!("{LIE}.trace");
            let answer = threadbare_in(&directory, &["check", &file, "--format", format]);
            answer.expect(status, &[], &[]);
            expect_visible(&answer);
            let lies = |text: &str| text.lines().any(|line| line.starts_with("b.c: verified"));
            assert!(!lies(&answer.stdout) && !lies(&answer.stderr), "{answer:#?}");
        }
    }
}

#[test]
fn a_name_that_is_no_text() {
    let directory = directory_with("no_text", "mark", "");
    let name = OsStr::from_bytes(b"\xff\xfe.c");
    std::fs::write(directory.join(name), "int main(void) { return 0; }\n").expect("a file can be written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
    let output = command.arg("verify").arg(name).current_dir(&directory).output().expect("the command runs");
    assert!(output.status.success(), "{output:?}");
    assert!(String::from_utf8(output.stdout).is_ok_and(|text| text.contains(": verified under RC11")));
}
