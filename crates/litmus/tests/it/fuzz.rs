//! Mutated tests: whatever the text, the parser answers, without a panic and within a second.
//!
//! Texts from the golden tests, the dialect and the library; `make fuzz-litmus` makes more of them. The texts depend on
//! nothing but their number, which a failure names.

#![expect(clippy::disallowed_methods, reason = "the time that the parser takes is what is tested")]

use base::Rng;
use engine::Control;
use litmus::Test;
use model::Model;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};
use testkit::effort;

/// How many texts in a full run.
const TEXTS: u64 = 5000;
/// A parser that takes longer on a page of text has a bug.
const LIMIT: Duration = Duration::from_secs(1);

/// Pieces of tests, to be put where they do not belong.
const PIECES: [&str; 56] = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ":",
    ",",
    "=",
    "*",
    "&",
    "(*",
    "*)",
    "/*",
    "*/",
    "//",
    "/\\",
    "\\/",
    "=>",
    "~",
    "not",
    "exists",
    "forall",
    "locations",
    "filter",
    "true",
    "P0",
    "P1",
    "P99999999999999999999",
    "0",
    "1",
    "0xffffffffffffffff",
    "99999999999999999999",
    "-",
    "++",
    "+=",
    "<<",
    "&&",
    "if",
    "else",
    "while",
    "for",
    "do",
    "break",
    "return",
    "int",
    "unsigned",
    "atomic_int",
    "_Atomic(",
    "void",
    "NULL",
    "memory_order_consume",
    "atomic_compare_exchange_weak(",
    "\u{e9}",
    "\"",
];

fn collect(directory: &Path, seeds: &mut Vec<Vec<u8>>) {
    let entries = std::fs::read_dir(directory).expect("a directory of ours can be read");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, seeds);
        } else if path.extension().is_some_and(|extension| extension == "litmus") {
            seeds.push(std::fs::read(path).expect("a test can be read"));
        }
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut seeds = Vec::new();
    for directory in [here.join("tests"), here.join("../../tests/litmus")] {
        collect(&directory, &mut seeds);
    }
    seeds
}

/// Where words start and end.
fn words(text: &[u8]) -> Vec<(usize, usize)> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let mut words = Vec::new();
    let mut position = 0;
    while position < text.len() {
        let length = text[position..].iter().take_while(|byte| is_word(byte)).count().max(1);
        if !text[position].is_ascii_whitespace() {
            words.push((position, position + length));
        }
        position += length;
    }
    words
}

fn mutate(text: &mut Vec<u8>, other: &[u8], rng: &mut Rng) {
    let words = words(text);
    let (start, end) = if words.is_empty() { (0, 0) } else { words[rng.index(words.len())] };
    let word = text[start..end].to_vec();
    let piece = PIECES[rng.index(PIECES.len())].as_bytes();
    let at = rng.index(text.len().max(1));
    match rng.below(10) {
        0 if !text.is_empty() => text[at] ^= 1 << rng.below(8),
        1 => text.insert(at, rng.below(256) as u8),
        2 => drop(text.drain(at..(at + rng.index(20)).min(text.len()))),
        3 => {
            let copy = text[at..(at + rng.index(200)).min(text.len())].to_vec();
            text.splice(at..at, copy.repeat(1 + rng.index(30)));
        }
        4 => drop(text.drain(start..end)),
        5 => drop(text.splice(start..start, [&word[..], b" "].concat())),
        6 => drop(text.splice(start..end, piece.iter().copied())),
        7 => drop(text.splice(start..start, [piece, b" "].concat())),
        8 => {
            let from = rng.index(other.len().max(1));
            let part = other[from..(from + rng.index(100)).min(other.len())].to_vec();
            text.splice(at..at, part);
        }
        _ => text.truncate(at),
    }
}

fn text(number: u64, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut rng = Rng::new(number);
    let mut text = seeds[rng.index(seeds.len())].clone();
    for _ in 0..=rng.index(6) {
        let other = &seeds[rng.index(seeds.len())];
        mutate(&mut text, other, &mut rng);
    }
    text
}

/// Parses it, and if it is a test, sees that its bytecode is well-formed. True if it is a test.
fn check(number: u64, text: &[u8]) -> bool {
    let start = Instant::now();
    let parsed = catch_unwind(AssertUnwindSafe(|| match Test::parse("t.litmus", text) {
        Ok(test) => {
            let control = Control::new();
            control.stop(engine::Cut::Time);
            test.run(Model::Sc, vm::Options { unroll: Some(2), ..vm::Options::default() }, &control);
            true
        }
        Err(error) => {
            assert!(error.to_string().contains("^"));
            false
        }
    }));
    let shown = String::from_utf8_lossy(text);
    let is_test = parsed.unwrap_or_else(|_| panic!("text {number} makes the parser panic:\n{shown}"));
    assert!(start.elapsed() < LIMIT, "text {number} takes {:?}:\n{shown}", start.elapsed());
    is_test
}

#[test]
fn no_text_breaks_the_parser() {
    let seeds = seeds();
    assert!(seeds.len() >= 10, "the test looks in the right place");
    let tests = effort::seeds(TEXTS).filter(|&number| check(number, &text(number, &seeds))).count() as u64;
    let texts = effort::of(TEXTS);
    assert!(tests > 0 && tests < texts, "some texts are tests and some are not: {tests} of {texts}");
}
