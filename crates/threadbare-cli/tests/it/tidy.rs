//! The source keeps its own promises: every paper that a module header cites is in the bibliography.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every Rust file below `directory`.
fn rust_files(directory: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(directory).expect("a directory of ours can be read");
    for entry in entries.map(|entry| entry.expect("and so can its entries").path()) {
        if entry.is_dir() {
            rust_files(&entry, files);
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            files.push(entry);
        }
    }
}

/// The keys in a text: `[Key]`, or `[Key, POPL'22]`, but no links, no code and no attributes.
fn citations(text: &str) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    let mut in_example = false;
    for line in text.lines().filter_map(|line| line.trim_start().strip_prefix("//!")) {
        in_example ^= line.trim_start().starts_with("```");
        if in_example {
            continue;
        }
        // What is in backquotes is code.
        let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        for (start, _) in prose.match_indices('[') {
            let rest = &prose[start + 1..];
            let Some(end) = rest.find(']') else { continue };
            let (inside, after) = (&rest[..end], &rest[end + 1..]);
            let key = inside.split(',').next().unwrap_or_default();
            let is_key = key.starts_with(|c: char| c.is_ascii_uppercase())
                && key.len() > 1
                && key.chars().all(|c| c.is_ascii_alphanumeric());
            if is_key && !after.starts_with('(') && !after.starts_with(':') {
                keys.insert(key.to_owned());
            }
        }
    }
    keys
}

#[test]
fn citations_are_found() {
    let text = "//! As in [TruSt, POPL'22] and [RCMC] section 3; see [`Link`], [text](there), [a; b].\n//! ```\n//! \
                #[Derive]\n//! ```\n// [Comment]\n";
    assert_eq!(citations(text), BTreeSet::from(["TruSt".to_owned(), "RCMC".to_owned()]));
}

#[test]
fn every_cited_paper_is_in_the_bibliography() {
    let papers = std::fs::read_to_string(root().join("docs/papers.md")).expect("docs/papers.md can be read");
    let known: BTreeSet<&str> = papers
        .lines()
        .filter_map(|line| line.strip_prefix("| `["))
        .filter_map(|line| line.split(']').next())
        .collect();
    let mut files = Vec::new();
    rust_files(&root().join("crates"), &mut files);
    assert!(files.len() > 20 && known.contains("RCMC"), "the test looks in the right place");
    let unknown: Vec<String> = files
        .iter()
        .flat_map(|file| {
            let text = std::fs::read_to_string(file).expect("a source file can be read");
            let missing = citations(&text).into_iter().filter(|key| !known.contains(key.as_str()));
            missing.map(|key| format!("{}: [{key}]", file.display())).collect::<Vec<_>>()
        })
        .collect();
    assert!(unknown.is_empty(), "not defined in docs/papers.md:\n{}", unknown.join("\n"));
}
