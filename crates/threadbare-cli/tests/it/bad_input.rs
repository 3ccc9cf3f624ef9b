//! Input that is wrong, or more than is modelled: a clear message, the right exit status, never a panic.

use crate::common::threadbare;

fn verify(test: &str, text: &str, more: &[&str]) -> crate::common::Answer {
    threadbare(test, text, &[&["verify", "t.c"], more].concat())
}

#[test]
fn a_missing_file() {
    let answer = threadbare("missing_file", "", &["verify", "nowhere.c"]);
    answer.expect(2, &[], &["error: cannot read nowhere.c: No such file"]);
    assert_eq!((&answer.stdout[..], answer.stderr.matches("No such file").count()), ("", 1), "{answer:#?}");
}

#[test]
fn a_directory_and_a_file_of_another_kind() {
    threadbare("directory", "", &["verify", "."]).expect(2, &[], &["error: "]);
    threadbare("other_kind", "", &["verify", "t.txt"]).expect(2, &[], &["t.txt"]);
}

#[test]
fn a_syntax_error_has_clangs_message() {
    let answer = verify("syntax_error", "int main(void) {\n  return 0\n}\n", &[]);
    answer.expect(2, &[], &["t.c:2:11: error: expected ';' after return statement"]);
    assert!(answer.stderr.starts_with("t.c:2:11:") && answer.stdout.is_empty(), "{answer:#?}");
}

#[test]
fn an_input_error_is_on_stderr_in_json_too() {
    let answer = verify("json_error", "int main(void) { return x; }\n", &["--format", "json"]);
    answer.expect(2, &[], &["undeclared identifier 'x'"]);
    assert_eq!(answer.stdout, "");
}

#[test]
fn no_main() {
    verify("no_main", "int f(void) { return 0; }\n", &[]).expect(2, &[], &["t.c", "main"]);
}

#[test]
fn errors_in_llvm_text_name_the_file() {
    let text = "define i32 @main() {\n  ret i32 %x\n}\n";
    let directory = crate::common::directory_with("bad_text", "broken.ll", text);
    let answer = crate::common::threadbare_in(&directory, &["verify", "broken.ll"]);
    answer.expect(2, &[], &["broken.ll:2:11: error: use of undefined value '%x'"]);
}

/// LLVM says what is damaged, without a name, and goes on without the places of the program.
#[test]
fn warnings_about_debug_information_name_the_file() {
    let text = "define i32 @main() !dbg !3 {\n  ret i32 0\n}\n!llvm.dbg.cu = !{!0}\n!llvm.module.flags = !{!2}\n\
                !0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1)\n\
                !1 = !DIFile(filename: \"a.c\", directory: \"\", checksumkind: CSK_MD5, checksum: \"short\")\n\
                !2 = !{i32 2, !\"Debug Info Version\", i32 3}\n\
                !3 = distinct !DISubprogram(name: \"main\", file: !1, line: 1, unit: !0)\n";
    let directory = crate::common::directory_with("bad_debug_information", "t.ll", text);
    let answer = crate::common::threadbare_in(&directory, &["verify", "t.ll"]);
    answer.expect(0, &["verified"], &["warning: t.ll: LLVM says: invalid checksum length"]);
}

#[test]
fn bitcode_that_is_none() {
    let directory = crate::common::directory_with("bad_bitcode", "broken.bc", "BC\u{0}nonsense");
    let file = directory.join("broken.bc");
    threadbare("bad_bitcode", "", &["verify", file.to_str().expect("text")]).expect(2, &[], &["broken.bc"]);
}

#[test]
fn an_unknown_function_that_is_reached() {
    let text = "int mystery(int);\nint main(void) {\n  int x = 1;\n  return mystery(x);\n}\n";
    verify("unknown_function", text, &[]).expect(3, &["inconclusive", "mystery", "t.c:4"], &[]);
    let json = verify("unknown_function_json", text, &["--format", "json"]);
    json.expect(3, &[r#""verdict":"inconclusive""#, "mystery", "t.c:4"], &[]);
}

#[test]
fn an_unknown_function_that_is_not_reached() {
    let text =
        "int mystery(int);\nint main(int c, char **v) {\n  if (c > 100) return mystery(1);\n  return 0;\n}\n";
    verify("unreached_function", text, &[]).expect(0, &["verified"], &[]);
}

#[test]
fn inline_assembly() {
    let text = "int main(void) {\n  int x = 0;\n  __asm__ volatile(\"cpuid\" : \"+r\"(x));\n  return x;\n}\n";
    verify("assembly", text, &[]).expect(3, &["inconclusive", "assembly", "t.c:3"], &[]);
}

#[test]
fn wide_atomics() {
    let text = "_Atomic __int128 wide;\nint main(void) {\n  wide = 1;\n  return (int)wide;\n}\n";
    verify("wide_atomics", text, &[]).expect(3, &["inconclusive", "t.c:3"], &[]);
}

#[test]
fn unknown_flags_and_commands() {
    let text = "int main(void) { return 0; }\n";
    verify("unknown_flag", text, &["--nonsense"]).expect(2, &[], &["--nonsense"]);
    threadbare("unknown_command", text, &["nonsense"]).expect(2, &[], &["nonsense"]);
    threadbare("no_command", text, &[]).expect(2, &[], &["Usage"]);
    verify("unknown_model", text, &["--model", "x86"]).expect(2, &[], &["x86"]);
    verify("bad_number", text, &["--unroll", "many"]).expect(2, &[], &["many"]);
    verify("bad_time", text, &["--timeout", "-1"]).expect(2, &[], &["-1"]);
}

#[test]
fn what_is_not_in_this_version_names_what_is() {
    let text = "int main(void) { return 0; }\n";
    verify("xmm", text, &["--model", "xmm", "--equivalence", "rf"]).expect(2, &[], &["`xmm`", "co"]);
    verify("equivalence", text, &["--model", "wra", "--equivalence", "co"]).expect(2, &[], &["co", "rf"]);
    verify("sarif", text, &["--format", "sarif"]).expect(2, &[], &["sarif", "full, concise, json"]);
    verify("graph_png", text, &["--graph", "t.png"]).expect(2, &[], &["--graph", ".dot, .svg, .html"]);
}

#[test]
fn accepted_from_the_start() {
    let text = "int main(void) { return 0; }\n";
    for spin in ["none", "static", "dynamic", "all"] {
        verify("accepted", text, &["--no-symmetry", &format!("--spin={spin}"), "--jobs", "1"]).expect(
            0,
            &[],
            &[],
        );
    }
}

#[test]
fn flags_that_would_change_what_clang_makes() {
    let text = "int main(void) { return 0; }\n";
    let kept = crate::common::directory_with("output_flags", "keep.c", text).join("keep.c");
    for flags in [
        &["-c"][..],
        &["-o", "out"],
        &["-okeep.c"],
        &["-S"],
        &["-DX=1", "-E"],
        &["-emit-llvm"],
        &["-MFkeep.c"],
        &["-save-temps"],
        &["keep.c"],
        &["@keep.c"],
    ] {
        let flag = flags.iter().find(|flag| !flag.starts_with("-D")).expect("one is refused");
        for command in ["verify", "fuzz"] {
            let answer = threadbare("output_flags", text, &[&[command, "t.c", "--"], flags].concat());
            answer.expect(2, &[], &[&format!("error: `{flag}` after `--`")]);
            assert_eq!(answer.stdout, "");
        }
    }
    assert_eq!(std::fs::read_to_string(kept).expect("it is there"), text);
}

#[test]
fn a_bound_counts_iterations() {
    let text = "#include <assert.h>\nint __VERIFIER_nondet_bool(void), n;\nint main(void) {\n  \
                do {\n    __VERIFIER_nondet_bool();\n    n++;\n    if (n == 3) assert(0);\n  } while (1);\n}\n";
    verify("unroll_2", text, &["--unroll", "2"]).expect(3, &["nothing ran to its end", "t.c:8"], &[]);
    verify("unroll_3", text, &["--unroll", "3"]).expect(1, &["violated", "t.c:7"], &[]);
}

#[test]
fn an_endless_loop_names_its_line_and_the_way_out() {
    let text = "int x;\nint main(void) {\n  while (1)\n    x++;\n}\n";
    verify("endless_loop", text, &[]).expect(3, &["inconclusive", "t.c:", "--unroll"], &[]);
    verify("bounded_loop", text, &["--unroll", "3"]).expect(3, &["nothing ran to its end", "t.c:3"], &[]);
}

#[test]
fn an_endless_loop_of_events() {
    let text = "#include <pthread.h>\n#include <stdatomic.h>\natomic_int x;\n\
                void *f(void *a) { return a; }\n\
                int main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, f, 0);\n  \
                while (1)\n    atomic_store(&x, 1);\n}\n";
    verify("endless_events", text, &[]).expect(3, &["inconclusive", "t.c:", "--unroll"], &[]);
}

#[test]
fn no_threads() {
    let answer =
        verify("no_threads", "#include <assert.h>\nint main(void) { int x = 1; assert(x == 1); }\n", &[]);
    answer.expect(0, &["t.c: verified under RC11 — 1 execution, 0 blocked"], &[]);
}

#[test]
fn endless_recursion() {
    let text = "int f(int n) {\n  return f(n + 1) + n;\n}\nint main(void) { return f(0); }\n";
    verify("recursion", text, &[]).expect(3, &["inconclusive", "t.c:2"], &[]);
}

#[test]
fn huge_allocations() {
    let text = "#include <stdlib.h>\nint main(void) {\n  char *p = malloc(1ull << 50);\n  if (p) p[0] = 1;\n  free(p);\n}\n";
    let answer = verify("huge_malloc", text, &[]);
    answer.expect(3, &["inconclusive", "t.c:3"], &[]);
    let text = "char huge[1ull << 40];\nint main(void) { return huge[0]; }\n";
    let answer = verify("huge_global", text, &[]);
    assert!([2, 3].contains(&answer.status), "{answer:#?}");
    answer.expect(answer.status, &[], &[]);
}

#[test]
fn assembly_outside_of_functions_is_not_verified() {
    let text = "#include <assert.h>\nint x, y;\n\
        asm(\".data\\n.section .init_array,\\\"aw\\\"\\n.quad h\\n.text\\nh: movl $1, x(%rip)\\nret\\n\");\n\
        int main(void) { assert(x == 0); return 0; }\n";
    let answer = ["inconclusive", "assembly outside of all functions (`.data`) is not modelled"];
    verify("file_assembly", text, &[]).expect(3, &answer, &[]);
    verify("file_assembly_bounded", text, &["--unroll", "2"]).expect(3, &answer, &[]);
    let text = "asm(\".incbin \\\"/etc/passwd\\\"\");\nint main(){}";
    let answer = ["inconclusive", "(`.incbin \"/etc/passwd\"`) is not modelled"];
    verify("file_assembly_included", text, &[]).expect(3, &answer, &[]);
}

#[test]
fn the_time_is_up() {
    let text = "#include <pthread.h>\n#include <stdatomic.h>\natomic_int x;\n\
                void *f(void *a) { for (int i = 0; i < 8; i++) atomic_fetch_add(&x, 1); return a; }\n\
                int main(void) {\n  pthread_t t[4];\n  for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, f, 0);\n  \
                for (int i = 0; i < 4; i++) pthread_join(t[i], 0);\n}\n";
    verify("timeout", text, &["--timeout", "0.3"]).expect(3, &["inconclusive", "time", "--timeout"], &[]);
}

#[test]
fn a_replay_string_that_is_none() {
    let text = "int main(void) { return 0; }\n";
    verify("bad_replay", text, &["--replay", "nonsense"]).expect(2, &[], &["replay"]);
    let replay = format!("{}:nonsense", crate::common::replay_head("bad_replay", text, &[]));
    verify("bad_replay", text, &["--replay", &replay]).expect(2, &[], &["`nonsense` is no step"]);
    for steps in ["0é", "é", "0*é", "0r\u{1f980}", "\u{202e}0"] {
        verify("bad_replay", text, &["--replay", steps]).expect(2, &[], &["which program it belongs to"]);
        let replay = format!("{}:{steps}", &replay[..9]);
        verify("bad_replay", text, &["--replay", &replay]).expect(2, &[], &["is no step"]);
    }
}

#[test]
fn a_violation_before_the_first_event_can_be_replayed() {
    let text = "#include <assert.h>\nint main(){assert(0);}\n";
    for (command, options) in [("verify", &[][..]), ("fuzz", &["--spin=none"])] {
        let answer = threadbare("no_event", text, &[command, "t.c"]);
        answer.expect(1, &["assertion `0` failed", "= replay: threadbare verify t.c"], &[]);
        let replay = format!("{}:", crate::common::replay_head("no_event", text, options));
        assert!(answer.stdout.contains(&format!("--replay {replay}\n")), "{answer:#?}");
        let again = verify("no_event", text, &[options, &["--replay", &replay]].concat());
        again.expect(1, &["assertion `0` failed"], &[]);
    }
}
