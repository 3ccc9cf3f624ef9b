//! What herd's output says about a test, read from the text: it is the format that both tools print.
//!
//! ```text
//! Test MP Allowed
//! States 4
//! 1:r0=0; 1:r1=0;
//! …
//! Ok
//! Witnesses
//! Positive: 1 Negative: 3
//! Flag *undef*
//! ```
//! States are compared as sets of variable and value, so that the order in which variables are printed does not matter.

use std::collections::{BTreeMap, BTreeSet};

/// A final state: the values of the variables that the test mentions.
pub(crate) type State = BTreeMap<String, String>;

/// The answer to one test.
#[derive(Default, Debug)]
pub(crate) struct Answer {
    pub(crate) states: BTreeSet<State>,
    /// Executions that validate the condition, and executions that do not.
    pub(crate) positive: u64,
    pub(crate) negative: u64,
    /// Is there a data race, so that the program has no meaning?
    pub(crate) undefined: bool,
}

impl Answer {
    /// Consistent executions, up to rf and co.
    pub(crate) fn executions(&self) -> u64 {
        self.positive + self.negative
    }

    /// In what this answer differs from herd's.
    pub(crate) fn difference(&self, herds: &Answer) -> Option<String> {
        let mut parts = Vec::new();
        let witnesses = |answer: &Answer| format!("{}+{} executions", answer.positive, answer.negative);
        if (self.positive, self.negative) != (herds.positive, herds.negative) {
            parts.push(format!("{}, herd {}", witnesses(self), witnesses(herds)));
        }
        let only = |these: &Answer, those: &Answer| -> Vec<String> {
            these.states.difference(&those.states).map(line).collect()
        };
        for (who, states) in [("we", only(self, herds)), ("herd", only(herds, self))] {
            if !states.is_empty() {
                parts.push(format!("only {who}: {}", states.join(" | ")));
            }
        }
        if self.undefined != herds.undefined {
            parts.push(format!("a race for {} only", if self.undefined { "us" } else { "herd" }));
        }
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

/// The answers in herd's output, by the name of the test.
pub(crate) fn read_answers(output: &str) -> BTreeMap<String, Answer> {
    let mut answers = BTreeMap::new();
    let mut lines = output.lines();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("Test ").and_then(|rest| rest.split(' ').next()) {
            let answer = read_answer(&mut lines);
            assert!(answers.insert(name.to_owned(), answer).is_none(), "two tests are called {name}");
        }
    }
    answers
}

/// The lines of one test after its name, up to its `Observation`.
fn read_answer<'a>(lines: &mut impl Iterator<Item = &'a str>) -> Answer {
    let mut answer = Answer::default();
    while let Some(line) = lines.next() {
        if let Some(count) = line.strip_prefix("States ") {
            let count = count.parse().expect("a number of states");
            answer.states = lines.by_ref().take(count).map(state).collect();
        } else if let Some(counts) = line.strip_prefix("Positive: ") {
            let (positive, negative) = counts.split_once(" Negative: ").expect("two numbers");
            answer.positive = positive.parse().expect("a number of executions");
            answer.negative = negative.parse().expect("a number of executions");
        } else if line.starts_with("Flag ") {
            answer.undefined = true;
        } else if line.starts_with("Observation ") {
            break;
        }
    }
    answer
}

/// A line such as `1:r0=0; [x]=1;`.
fn state(line: &str) -> State {
    let pairs = line.split(';').map(str::trim).filter(|pair| !pair.is_empty());
    pairs.map(|pair| pair.split_once('=').expect("a variable and its value")).map(owned).collect()
}

fn owned((variable, value): (&str, &str)) -> (String, String) {
    (variable.trim_matches(['[', ']']).to_owned(), value.to_owned())
}

fn line(state: &State) -> String {
    state.iter().map(|(variable, value)| format!("{variable}={value};")).collect::<Vec<_>>().join(" ")
}
