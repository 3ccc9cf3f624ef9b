//! Random executions, against the oracle and in the long run.

mod long;
mod oracle;
