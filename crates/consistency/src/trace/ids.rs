//! The ids of a trace's events, and the lines that they are on.
//!
//! An id `eN` whose number is not much larger than the number of events is looked up in a table, others in a map; all
//! other words are interned. What an event's id and line were is kept in runs: where ids and lines count up with the
//! events, as in most traces, they cost nothing.

use super::words::Words;
use crate::execution::Event;
use std::collections::BTreeMap;

/// An id in short: `eN` is the number N, another word its number among the words, counted from [`FIRST_WORD`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Id(u64);

const FIRST_WORD: u64 = 1 << 63;
const NONE: u32 = u32::MAX;

/// Which events have which ids.
#[derive(Clone, Default, Debug)]
pub(crate) struct Ids {
    words: Words,
    /// Per number of an id `eN` its event.
    dense: Vec<u32>,
    /// The same for numbers that were too large for the table when they came.
    sparse: BTreeMap<u64, u32>,
    /// Per word its event.
    named: Vec<u32>,
    /// Per event its id.
    of_events: Runs,
}

impl Ids {
    /// The id that this word is.
    pub(crate) fn id(&mut self, word: &str) -> Id {
        match number(word) {
            Some(number) => Id(number),
            None => Id(FIRST_WORD + u64::from(self.words.intern(word))),
        }
    }

    /// Give the id to the next event; the event that has it already, if there is one.
    pub(crate) fn define(&mut self, id: Id, event: Event) -> Result<(), Event> {
        if let Some(other) = self.event(id) {
            return Err(other);
        }
        self.of_events.push(event, id.0);
        if id.0 >= FIRST_WORD {
            set(&mut self.named, (id.0 - FIRST_WORD) as usize, event);
        } else if id.0 <= 4 * u64::from(event.0) + 1024 {
            set(&mut self.dense, id.0 as usize, event);
        } else {
            self.sparse.insert(id.0, event.0);
        }
        Ok(())
    }

    /// The event with this id.
    pub(crate) fn event(&self, id: Id) -> Option<Event> {
        let (table, index) =
            if id.0 >= FIRST_WORD { (&self.named, id.0 - FIRST_WORD) } else { (&self.dense, id.0) };
        let found = usize::try_from(index).ok().and_then(|index| table.get(index)).filter(|&&e| e != NONE);
        found.or_else(|| self.sparse.get(&id.0)).copied().map(Event)
    }

    /// The word that this event has for an id.
    pub(crate) fn of(&self, event: Event) -> String {
        self.text(Id(self.of_events.value(event)))
    }

    /// The word that this id is.
    pub(crate) fn text(&self, id: Id) -> String {
        match id.0.checked_sub(FIRST_WORD) {
            Some(word) => self.words.word(word as u32).to_owned(),
            None => format!("e{}", id.0),
        }
    }
}

/// The number of an id `eN`, if it is written in the one way.
fn number(word: &str) -> Option<u64> {
    let digits = word.strip_prefix('e')?;
    let canonical = digits == "0" || !digits.starts_with('0');
    let is_number = (1..=18).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    if canonical && is_number { digits.parse().ok() } else { None }
}

fn set(table: &mut Vec<u32>, index: usize, event: Event) {
    if table.len() <= index {
        table.resize(index + 1, NONE);
    }
    table[index] = event.0;
}

/// A number per event, which mostly grows by one from event to event.
#[derive(Clone, Default, Debug)]
pub(crate) struct Runs {
    /// From this event on the numbers count up from this one.
    starts: Vec<(u32, u64)>,
}

impl Runs {
    /// The number of the next event.
    pub(crate) fn push(&mut self, event: Event, value: u64) {
        let continues =
            self.starts.last().is_some_and(|&(first, start)| start + u64::from(event.0 - first) == value);
        if !continues {
            self.starts.push((event.0, value));
        }
    }

    /// The event's number.
    ///
    /// # Panics
    /// If the event was never pushed.
    pub(crate) fn value(&self, event: Event) -> u64 {
        let run = self.starts.partition_point(|&(first, _)| first <= event.0) - 1;
        let (first, start) = self.starts[run];
        start + u64::from(event.0 - first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &[&str]) -> Ids {
        let mut ids = Ids::default();
        for (event, word) in words.iter().enumerate() {
            let id = ids.id(word);
            assert_eq!(ids.event(id), None, "{word}");
            assert_eq!(ids.define(id, Event(event as u32)), Ok(()), "{word}");
        }
        for (event, word) in words.iter().enumerate() {
            let (event, id) = (Event(event as u32), ids.id(word));
            assert_eq!((ids.event(id), ids.define(id, Event(99))), (Some(event), Err(event)), "{word}");
            assert_eq!(ids.of(event), *word);
        }
        ids
    }

    #[test]
    fn any_word_is_an_id() {
        check(&["e0", "e1", "e2", "e7", "e3", "main.write", "e", "e01", "e-1", "e+1", "é", "e10", "e11"]);
        // Numbers that no table could hold, one that is no number of 64 bits, and small ones again.
        check(&["e999999999999999999", "e4000000000", "e99999999999999999999", "e1", "e0", "E0"]);
    }

    #[test]
    fn counting_ids_are_one_run() {
        let words: Vec<String> = (0..3000).map(|number| format!("e{}", number + 5)).collect();
        let ids = check(&words.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!((ids.of_events.starts.len(), ids.sparse.len()), (1, 0));
    }

    #[test]
    fn an_id_that_was_too_large_is_found_when_the_table_has_grown_past_it() {
        let mut words = vec!["e3000".to_owned()];
        words.extend((0..2000).map(|number| format!("e{number}")));
        let ids = check(&words.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(ids.sparse.len(), 1);
    }
}
