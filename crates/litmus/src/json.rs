//! Answers for machines: the object of `verify`, with the states and what herd says about them.

use crate::run::Answer;
use crate::state::{Value, Variable};
use crate::test::Test;
use report::Report;
use serde::ser::{Serialize, SerializeMap, Serializer};

impl Test {
    /// The answer as one line of JSON; `report` is what there is to say about its outcome.
    pub fn json(&self, answer: &Answer, report: &Report) -> String {
        let (positive, negative) = self.witnesses(answer);
        let variables = self.variables();
        let states = answer.states.iter();
        let more = More {
            test: self.name(),
            states: states
                .map(|(values, &count)| StateObject { variables: &variables, values, count })
                .collect(),
            observation: answer.observation(),
            positive,
            negative,
            condition: self.condition(),
            flags: answer.flags().into_iter().collect(),
        };
        report::json_with(report, "litmus", &more)
    }
}

/// What `litmus` adds to the object.
#[derive(serde::Serialize)]
struct More<'a> {
    test: &'a str,
    states: Vec<StateObject<'a>>,
    observation: &'static str,
    positive: u64,
    negative: u64,
    condition: String,
    flags: Vec<&'static str>,
}

/// `{"0:r0": 1, "[x]": 2, "count": 3}`
struct StateObject<'a> {
    variables: &'a [Variable],
    values: &'a [Value],
    count: u64,
}

impl Serialize for StateObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.variables.len() + 1))?;
        for (variable, value) in self.variables.iter().zip(self.values) {
            match value {
                Value::Number(number) => map.serialize_entry(&variable.to_string(), number)?,
                Value::Address(name) => map.serialize_entry(&variable.to_string(), name)?,
            }
        }
        map.serialize_entry("count", &self.count)?;
        map.end()
    }
}
