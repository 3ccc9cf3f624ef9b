//! Words with numbers: the names of locations and threads, and the ids of events that are no numbers.
//!
//! All text is in one buffer, and a word costs no allocation of its own. The table is open addressing with a fixed hash
//! function: words are numbered in the order in which they come, and nothing ever walks through the table.

use rustc_hash::FxHasher;
use std::hash::Hasher;

/// Words, numbered from 0 in the order in which they came.
#[derive(Clone, Default, Debug)]
pub(crate) struct Words {
    text: String,
    /// Per word where it ends in `text`.
    ends: Vec<usize>,
    /// A power of two of slots, at least twice as many as there are words; a slot has a word's number plus 1, or 0.
    slots: Vec<u32>,
}

impl Words {
    /// The word's number, a new one if it has none.
    pub(crate) fn intern(&mut self, word: &str) -> u32 {
        if self.slots.len() <= 2 * self.ends.len() {
            self.grow();
        }
        let slot = self.slot(word);
        match self.slots[slot] {
            0 => {
                self.text.push_str(word);
                self.ends.push(self.text.len());
                self.slots[slot] = u32::try_from(self.ends.len()).expect("less words than events");
                self.slots[slot] - 1
            }
            number => number - 1,
        }
    }

    /// The word with this number.
    pub(crate) fn word(&self, number: u32) -> &str {
        let number = number as usize;
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.text[start..self.ends[number]]
    }

    /// How many words.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Where the word is, or where it can be put. There is always a free slot.
    fn slot(&self, word: &str) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash(word.as_bytes()) as usize & mask;
        while self.slots[slot] != 0 && self.word(self.slots[slot] - 1) != word {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self) {
        self.slots = vec![0; (4 * self.ends.len()).next_power_of_two().max(64)];
        for number in 0..self.ends.len() as u32 {
            let slot = self.slot(self.word(number));
            self.slots[slot] = number + 1;
        }
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_keeps_its_number_while_the_table_grows() {
        let mut words = Words::default();
        for round in 0..2 {
            for number in 0..5000 {
                assert_eq!(words.intern(&format!("word{number}")), number, "round {round}");
            }
        }
        assert_eq!((words.len(), words.word(0), words.word(4999)), (5000, "word0", "word4999"));
        assert_eq!(words.intern(""), 5000);
        assert_eq!(words.word(5000), "");
    }
}
