//! What a program is written in, as far as its atomics depend on it: C, or C++ or Rust.
//!
//! Debug information says so of each file that was compiled. Where there is none, the names do: C++ and Rust mangle those of
//! nearly all functions, and C has no such names (they are reserved).

use crate::ffi::Bitcode;

/// Whether any of the program is C++, Rust, or another language that is not C.
pub(crate) fn is_cxx(program: &Bitcode) -> bool {
    let units = program.compile_units();
    let mut defined = program.functions().filter(|function| !function.is_declaration());
    units.iter().any(|unit| !is_c(unit))
        || defined.any(|function| ["_Z", "_R"].iter().any(|mangled| function.name().starts_with(mangled)))
}

/// Whether this compile unit is C: `DW_LANG_C` of any year.
fn is_c(unit: &str) -> bool {
    let words =
        |key: &str| unit.split_once(key).map(|(_, rest)| rest.split([',', ')']).next().unwrap_or(rest));
    match (words("language: DW_LANG_"), words("sourceLanguageName: DW_LNAME_")) {
        (Some(language), _) | (None, Some(language)) => {
            language.strip_prefix('C').is_some_and(|year| year.chars().all(|c| c.is_ascii_digit()))
        }
        // What has no language is no unit that was compiled.
        (None, None) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(text: &str) -> bool {
        is_cxx(&Bitcode::parse(std::path::Path::new("t.ll"), text.as_bytes()).expect("it is a module"))
    }

    fn unit(language: &str) -> String {
        format!(
            "define void @main() {{ ret void }}\n!llvm.dbg.cu = !{{!0}}\n!llvm.module.flags = !{{!2}}\n\
             !0 = distinct !DICompileUnit(language: {language}, file: !1, emissionKind: FullDebug)\n\
             !1 = !DIFile(filename: \"t\", directory: \"/\")\n!2 = !{{i32 2, !\"Debug Info Version\", i32 3}}\n"
        )
    }

    #[test]
    fn debug_information_says_what_it_is() {
        for c in ["DW_LANG_C", "DW_LANG_C89", "DW_LANG_C99", "DW_LANG_C11", "DW_LANG_C17"] {
            assert!(!verdict(&unit(c)), "{c}");
        }
        for other in ["DW_LANG_C_plus_plus", "DW_LANG_C_plus_plus_14", "DW_LANG_Rust", "DW_LANG_D"] {
            assert!(verdict(&unit(other)), "{other}");
        }
    }

    #[test]
    fn without_it_the_names_do() {
        assert!(!verdict("define void @main() { ret void }\n"));
        assert!(verdict("define void @_Z1fv() { ret void }\n"));
        assert!(verdict("define void @_RNvC1a1f() { ret void }\n"));
        assert!(!verdict("declare void @_Z1fv()\n"));
    }
}
