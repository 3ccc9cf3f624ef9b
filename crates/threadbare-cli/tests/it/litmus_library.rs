//! The litmus library keeps the rules of `docs/litmus.md` that can be checked without running a test: names, titles,
//! and no program twice.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

struct Litmus {
    file: PathBuf,
    text: String,
}

impl Litmus {
    fn name(&self) -> &str {
        self.text.lines().next().and_then(|line| line.strip_prefix("C ")).expect("the first line is `C NAME`")
    }

    fn title(&self) -> &str {
        self.text.lines().nth(1).unwrap_or_default()
    }

    /// Initial state and threads, without what can be written in several ways.
    fn program(&self) -> String {
        let after_title: Vec<&str> = self.text.lines().skip(2).collect();
        let is_condition = |line: &&&str| {
            ["locations", "filter", "exists", "~exists", "forall"].iter().any(|word| line.starts_with(word))
        };
        let program = after_title.iter().take_while(|line| !is_condition(line));
        program.filter(|line| !line.starts_with("(*")).flat_map(|line| line.split_whitespace()).collect()
    }
}

fn library() -> Vec<Litmus> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/litmus");
    let folders = entries(&root).into_iter().filter(|path| path.is_dir());
    let files = folders.flat_map(|folder| entries(&folder));
    let tests = files.filter(|file| file.extension().is_some_and(|extension| extension == "litmus"));
    let read = |file: PathBuf| Litmus { text: std::fs::read_to_string(&file).expect("a text"), file };
    let library: Vec<Litmus> = tests.map(read).collect();
    assert!(library.len() >= 170, "the test looks in the right place");
    library
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).expect("a directory of ours can be read");
    entries.map(|entry| entry.expect("and so can its entries").path()).collect()
}

#[test]
fn tests_are_called_as_their_files_and_have_titles() {
    for test in library() {
        let stem = test.file.file_stem().expect("a name").to_string_lossy();
        assert_eq!(stem, test.name(), "{}", test.file.display());
        let title = test.title();
        let quoted = title.len() > 2 && title.starts_with('"') && title.ends_with('"');
        assert!(quoted, "{}: the second line is a title in quotes", test.file.display());
    }
}

/// Output is keyed by name, and file systems that ignore case should be able to hold a folder with all of them.
#[test]
fn no_name_occurs_twice() {
    let library = library();
    let mut names = BTreeMap::new();
    for test in &library {
        if let Some(other) = names.insert(test.name().to_lowercase(), &test.file) {
            panic!("{} and {}: the same name", other.display(), test.file.display());
        }
    }
}

/// Two tests that vary only in their condition are one test.
#[test]
fn no_program_occurs_twice() {
    let library = library();
    let mut programs = BTreeMap::new();
    for test in &library {
        if let Some(other) = programs.insert(test.program(), &test.file) {
            panic!("{} and {}: the same program", other.display(), test.file.display());
        }
    }
}
