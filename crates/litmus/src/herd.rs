//! Answers in herd's format, line by line, and in one line.
//!
//! Differs from herd's: a data race is `Flag race` (herd's rc11.cat says `Flag *undef*`); other faults are flags, too; and
//! there is no `Hash=` line.

use crate::condition::Quantifier;
use crate::run::Answer;
use crate::state::state_line;
use crate::test::Test;
use engine::Verdict;
use std::fmt::Write;

impl Test {
    /// The answer as herd prints it, with an empty line after it.
    pub fn herd(&self, answer: &Answer, seconds: f64) -> String {
        let name = self.name();
        let mut text = format!("Test {name} {}\nStates {}\n", self.quantifier().kind(), answer.states.len());
        for line in self.state_lines(answer) {
            text += &line;
            text.push('\n');
        }
        let cut = if matches!(answer.outcome.verdict(), Verdict::Bounded(_)) { "Loop " } else { "" };
        let (positive, negative) = self.witnesses(answer);
        let _ = write!(text, "{cut}{}\nWitnesses\n", self.result(answer));
        let _ = writeln!(text, "Positive: {positive} Negative: {negative}");
        for flag in answer.flags() {
            let _ = writeln!(text, "Flag {flag}");
        }
        let _ = writeln!(text, "Condition {}", self.condition());
        let (holds, fails) = (answer.holds, answer.fails);
        let _ = writeln!(text, "Observation {name} {} {holds} {fails}", answer.observation());
        let _ = write!(text, "Time {name} {seconds:.2}\n\n");
        text
    }

    /// The answer in one line: `MP.litmus: MP Ok Sometimes 1 3, 4 states`.
    pub fn concise(&self, answer: &Answer) -> String {
        let mut text = format!(
            "{}: {} {} {} {} {}, {} states",
            base::escaped(self.file()),
            self.name(),
            self.result(answer),
            answer.observation(),
            answer.holds,
            answer.fails,
            answer.states.len(),
        );
        for flag in answer.flags() {
            let _ = write!(text, ", {flag}");
        }
        if matches!(answer.outcome.verdict(), Verdict::Bounded(_)) {
            text += ", bounded";
        }
        text.push('\n');
        text
    }

    /// The states as lines: `0:r0=1; [x]=2;`.
    pub fn state_lines(&self, answer: &Answer) -> Vec<String> {
        let variables = self.variables();
        answer.states.keys().map(|state| state_line(&variables, state)).collect()
    }

    /// How many executions are as the condition says, and how many are not.
    pub fn witnesses(&self, answer: &Answer) -> (u64, u64) {
        match self.quantifier() {
            Quantifier::Exists | Quantifier::Forall => (answer.holds, answer.fails),
            Quantifier::NotExists => (answer.fails, answer.holds),
        }
    }

    /// `Ok`: it is as the condition says; `No`: it is not; `Undef`: the program has no meaning.
    pub fn result(&self, answer: &Answer) -> &'static str {
        if !answer.outcome.violations.is_empty() {
            return "Undef";
        }
        if self.quantifier().holds(answer.holds, answer.fails) { "Ok" } else { "No" }
    }
}
