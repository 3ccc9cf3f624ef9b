//! The mutator: one input out of others, changed in a few places.
//!
//! A mutant depends on nothing but its seeds, its words and its number, so that a failure can be made again.

use base::Rng;

/// Bytes that end, begin or escape something somewhere, and the borders of encodings.
const BYTES: [u8; 16] = [0, 1, 9, 10, 13, 27, b'"', b'\'', b'*', b'@', b'\\', 0x7f, 0x80, 0xc3, 0xfe, 0xff];

/// Words that hardly any reader expects.
const WORDS: [&str; 20] = [
    "-1",
    "0",
    "4294967295",
    "4294967296",
    "18446744073709551616",
    "99999999999999999999999",
    "0x",
    "1e999",
    "*",
    "@",
    "%",
    "\"",
    "'",
    "\\",
    "\u{1b}[31m",
    "\u{202e}",
    "\u{feff}",
    "é",
    "\u{0}",
    "\r\n",
];

/// Brackets, to be nested.
const BRACKETS: [(&str, &str); 4] = [("(", ")"), ("{", "}"), ("[", "]"), ("<", ">")];

/// What mutants are made of.
#[derive(Debug)]
pub(crate) struct Material {
    /// Inputs that are right.
    seeds: Vec<Vec<u8>>,
    /// Words of the input's language.
    words: Vec<&'static str>,
    /// Is it text? What is not has no words, and single bits mean more in it.
    is_text: bool,
}

impl Material {
    /// Texts of a language with these words (`words.rs`).
    pub(crate) fn text(seeds: Vec<Vec<u8>>, words: &'static str) -> Material {
        Material { seeds, words: words.split(" | ").collect(), is_text: true }
    }

    /// Files that are no texts.
    pub(crate) fn bytes(seeds: Vec<Vec<u8>>) -> Material {
        Material { seeds, words: Vec::new(), is_text: false }
    }

    /// The mutant of this number.
    pub(crate) fn mutant(&self, number: u64) -> Vec<u8> {
        let mut rng = Rng::new(number);
        let mut input = self.seed(&mut rng).to_vec();
        // Mostly one: of more, the first to be read hides the others.
        for _ in 0..rng.pick(&[1, 1, 1, 2, 2, 4]) {
            match rng.below(10) {
                0..4 if self.is_text => change_lines(&mut input, &mut rng),
                4..8 if self.is_text => self.change_words(&mut input, &mut rng),
                _ => self.change_bytes(&mut input, &mut rng),
            }
        }
        input
    }

    fn seed(&self, rng: &mut Rng) -> &[u8] {
        &self.seeds[rng.index(self.seeds.len())]
    }

    fn change_bytes(&self, input: &mut Vec<u8>, rng: &mut Rng) {
        let (from, to) = range(input, rng);
        match rng.below(if self.is_text { 9 } else { 18 }) {
            0 => drop(input.drain(from..to)),
            1 => {
                let part = input[from..to].repeat(1 + rng.below(3) as usize);
                insert(input, to, &part);
            }
            2 => {
                let part: Vec<u8> = input.drain(from..to).collect();
                let at = position(input, rng);
                insert(input, at, &part);
            }
            3 => {
                let other = self.seed(rng);
                let (start, end) = range(other, rng);
                input.splice(from..to, other[start..end].iter().copied());
            }
            4 => {
                let other = self.seed(rng);
                input.truncate(from);
                input.extend(&other[position(other, rng)..]);
            }
            5 => input.truncate(from),
            6 => insert(input, from, &[rng.pick(&BYTES)]),
            7 if !input.is_empty() => {
                let at = rng.index(input.len());
                input[at] = rng.pick(&BYTES);
            }
            _ if input.is_empty() => {}
            8..12 => {
                let at = rng.index(input.len());
                input[at] ^= 1 << rng.below(8);
            }
            // The next number, or the one before.
            _ => {
                let at = rng.index(input.len());
                input[at] = input[at].wrapping_add(rng.pick(&[1, 1, 2, 255]));
            }
        }
    }

    fn change_words(&self, input: &mut Vec<u8>, rng: &mut Rng) {
        let words = words(input);
        let (from, to) = if words.is_empty() { (0, 0) } else { rng.pick(&words) };
        let new = if rng.percent(50) { rng.pick(&WORDS) } else { rng.pick(&self.words) };
        match rng.below(18) {
            0 | 1 => drop(input.splice(from..to, new.bytes())),
            2 => insert(input, from, format!("{new} ").as_bytes()),
            3 => drop(input.drain(from..to)),
            4..15 => {
                let like: Vec<_> = words.into_iter().filter(|&word| is_like(input, word, from)).collect();
                let (start, end) = if like.is_empty() { (0, 0) } else { rng.pick(&like) };
                let word = input[start..end].to_vec();
                input.splice(from..to, word);
            }
            // Types then fit each other.
            15 | 16 => {
                let old = input[from..to].to_vec();
                replace_everywhere(input, &old, new.as_bytes());
            }
            _ => {
                let (open, close) = rng.pick(&BRACKETS);
                let depth = rng.pick(&[2, 50, 3000]);
                insert(input, to, close.repeat(depth).as_bytes());
                insert(input, from, open.repeat(depth).as_bytes());
            }
        }
    }
}

/// Leave out a line, or have it again elsewhere, or there instead of another: most texts stay close to right.
fn change_lines(input: &mut Vec<u8>, rng: &mut Rng) {
    let mut lines: Vec<&[u8]> = input.split(|&byte| byte == b'\n').collect();
    let mut any = || rng.index(lines.len());
    let (here, there) = (any(), any());
    match rng.below(4) {
        0 => drop(lines.remove(here)),
        1 => lines.insert(here, lines[there]),
        2 => lines[here] = lines[there],
        _ => lines.swap(here, there),
    }
    *input = lines.join(&b'\n');
}

/// Another word in all places.
fn replace_everywhere(input: &mut Vec<u8>, old: &[u8], new: &[u8]) {
    for (from, to) in words(input).into_iter().rev() {
        if &input[from..to] == old {
            input.splice(from..to, new.iter().copied());
        }
    }
}

/// Somewhere in it, or its end.
fn position(input: &[u8], rng: &mut Rng) -> usize {
    rng.index(input.len() + 1)
}

/// A part of it: mostly short.
fn range(input: &[u8], rng: &mut Rng) -> (usize, usize) {
    let from = position(input, rng);
    let length = rng.pick(&[1, 1, 4, 4, 16, 64, 400]);
    (from, (from + 1 + rng.below(length) as usize).min(input.len()))
}

fn insert(input: &mut Vec<u8>, at: usize, part: &[u8]) {
    input.splice(at..at, part.iter().copied());
}

/// Does the word begin as the one at `at`, and is the same sign before it? One number for another, or one name for another, is
/// often still read.
fn is_like(input: &[u8], (start, _): (usize, usize), at: usize) -> bool {
    let sign =
        |at: usize| at.checked_sub(1).map(|before| input[before]).filter(|byte| b"%@!#".contains(byte));
    let class = |at: usize| (input[at].is_ascii_digit(), input[at].is_ascii_alphabetic(), sign(at));
    class(start) == class(at)
}

/// Where words and single characters start and end.
fn words(input: &[u8]) -> Vec<(usize, usize)> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let mut words = Vec::new();
    let mut at = 0;
    while at < input.len() {
        let length = input[at..].iter().take_while(|byte| is_word(byte)).count().max(1);
        if !input[at].is_ascii_whitespace() {
            words.push((at, at + length));
        }
        at += length;
    }
    words
}
