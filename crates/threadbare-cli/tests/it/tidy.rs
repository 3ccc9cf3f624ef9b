//! The source keeps its own promises: every paper that a module header cites is in the bibliography, the map is short, what
//! documents point to exists, the root of every larger crate has a table of its files, and mutations apply.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The map has two pages.
const WORDS_OF_THE_MAP: usize = 1600;

/// A crate with more files than these has a table of them.
const FILES_WITHOUT_TABLE: usize = 10;

/// What a path in a document begins with.
const FOLDERS: [&str; 5] = ["crates/", "docs/", "examples/", "scripts/", "tests/"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The entries of a directory, sorted.
fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).expect("a directory of ours can be read");
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.expect("and so can its entries").path()).collect();
    paths.sort();
    paths
}

/// Every Rust file below `directory`.
fn rust_files(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in entries(directory) {
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
    let papers = read(&root().join("docs/papers.md"));
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
            let missing = citations(&read(file)).into_iter().filter(|key| !known.contains(key.as_str()));
            missing.map(|key| format!("{}: [{key}]", file.display())).collect::<Vec<_>>()
        })
        .collect();
    assert!(unknown.is_empty(), "not defined in docs/papers.md:\n{}", unknown.join("\n"));
}

/// The Markdown files of a directory.
fn documents(directory: &str) -> Vec<PathBuf> {
    let mut files = entries(&root().join(directory));
    files.retain(|file| file.extension().is_some_and(|extension| extension == "md"));
    files
}

/// The paths in a text: what is in backquotes, outside of examples, and begins with a folder of ours or is a Rust file.
fn paths(text: &str) -> BTreeSet<&str> {
    let is_path =
        |word: &&str| FOLDERS.iter().any(|folder| word.starts_with(*folder)) || word.ends_with(".rs");
    let mut paths = BTreeSet::new();
    let mut in_example = false;
    for line in text.lines() {
        in_example ^= line.starts_with("```");
        if !in_example {
            paths.extend(line.split('`').skip(1).step_by(2).filter(is_path));
        }
    }
    paths
}

/// The files that a text links to: `[words](file#place)`, but nothing elsewhere.
fn links(text: &str) -> BTreeSet<&str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let files =
        targets.filter(|target| !target.contains("://")).filter_map(|target| target.split('#').next());
    files.filter(|file| !file.is_empty()).collect()
}

/// The files that the tables of a module header name, in their first column.
fn in_tables(text: &str) -> BTreeSet<&str> {
    let rows = text.lines().filter_map(|line| line.strip_prefix("//! | "));
    let columns = rows.filter_map(|row| row.split(" | ").next());
    columns.flat_map(|column| column.split('`').skip(1).step_by(2)).collect()
}

#[test]
fn paths_links_and_tables_are_found() {
    let text = "`crates/graph` [a](b.md#c) `lib.rs` `x/y` [d](https://e) [f](#g)\n```\n`tests/none`\n```\n";
    assert_eq!(paths(text), BTreeSet::from(["crates/graph", "lib.rs"]));
    assert_eq!(links(text), BTreeSet::from(["b.md"]));
    let header = "//! | file | `knows` |\n//! |---|---|\n//! | `a`, `b` | what `c` is |\n";
    assert_eq!(in_tables(header), BTreeSet::from(["a", "b"]));
}

#[test]
fn the_map_has_two_pages() {
    let words = read(&root().join("ARCHITECTURE.md")).split_whitespace().count();
    assert!(words <= WORDS_OF_THE_MAP, "ARCHITECTURE.md has {words} words: decisions are in docs/decisions");
}

#[test]
fn every_path_in_the_map_and_the_decisions_exists() {
    let mut files = documents("docs/decisions");
    assert!(files.len() > 20, "the test looks in the right place");
    files.extend(["ARCHITECTURE.md", "docs/glossary.md", "docs/reductions.md"].map(|file| root().join(file)));
    let mut missing = Vec::new();
    for file in &files {
        let text = read(file);
        let gone = paths(&text).into_iter().filter(|path| !root().join(path).exists());
        missing.extend(gone.map(|path| format!("{}: {path}", file.display())));
    }
    assert!(missing.is_empty(), "these do not exist:\n{}", missing.join("\n"));
}

/// The rows of the table of mutations: reduction, file, old text, new text, test.
fn mutations(table: &str) -> Vec<Vec<&str>> {
    table.lines().skip(1).map(|row| row.split('\t').collect()).collect()
}

#[test]
fn every_mutation_applies_to_one_line() {
    let table = read(&root().join("scripts/mutations.tsv"));
    let rows = mutations(&table);
    assert!(rows.len() >= 20, "the test looks in the right place");
    for row in rows {
        let [reduction, file, old, new, test] = row[..] else { panic!("a row has five columns: {row:?}") };
        let count = read(&root().join(file)).matches(old).count();
        assert_eq!(count, 1, "{file} has this so often, for {reduction}: {old}");
        assert!(old != new && test.contains(" --test "), "{row:?}");
    }
}

#[test]
fn every_link_between_documents_leads_to_a_file() {
    let mut missing = Vec::new();
    for file in ["", "docs", "docs/decisions"].into_iter().flat_map(documents) {
        let text = read(&file);
        let gone = links(&text).into_iter().filter(|link| !file.with_file_name(link).exists());
        missing.extend(gone.map(|link| format!("{}: {link}", file.display())));
    }
    assert!(missing.is_empty(), "these do not exist:\n{}", missing.join("\n"));
}

#[test]
fn every_larger_crate_has_a_table_of_its_files() {
    let mut missing = Vec::new();
    for source in entries(&root().join("crates")).iter().map(|directory| directory.join("src")) {
        let mut files = Vec::new();
        rust_files(&source, &mut files);
        let is_root = |file: &PathBuf| file.ends_with("src/lib.rs") || file.ends_with("src/main.rs");
        let text = read(files.iter().find(|file| is_root(file)).expect("a crate has a root"));
        let named = in_tables(&text);
        let is_missing = |file: &&PathBuf| {
            let name = file.file_stem().and_then(|name| name.to_str()).expect("a name that we gave");
            file.parent() == Some(&source) && !is_root(file) && !named.contains(name)
        };
        if files.len() > FILES_WITHOUT_TABLE {
            missing.extend(files.iter().filter(is_missing).map(|file| file.display().to_string()));
        }
    }
    assert!(missing.is_empty(), "not in the table of the root of their crate:\n{}", missing.join("\n"));
}
