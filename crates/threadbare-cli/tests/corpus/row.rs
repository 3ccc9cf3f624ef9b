//! A row of a table: one run of a program and its expectation.

use std::fmt;

const MODELS: [&str; 11] = ["sc", "tso", "sra", "ra", "wra", "rc11", "c20", "wrc11", "rc20", "relaxed", XMM];
/// The model that is explored up to `co` only, and may find the cyclic part of an execution more than once.
pub(crate) const XMM: &str = "xmm";
/// The models that have `rf` only.
const WITHOUT_CO: [&str; 2] = ["wra", "wrc11"];
/// This follows the model in a row that is explored up to reads-from.
const UP_TO_RF: &str = "/rf";
/// Every verdict with its exit status.
const VERDICTS: [(&str, i32); 4] = [("verified", 0), ("bounded", 0), ("violated", 1), ("inconclusive", 3)];
/// Up to this many executions are searched for duplicates, which takes memory for each.
const DUPLICATES_COUNTED: u64 = 50_000;
/// Up to this many executions, the verdict up to `rf` is compared with that up to `co`.
const COMPARED_UP_TO_RF: u64 = 2_000;
/// Up to this many executions, the verdict with symmetry is compared with that without.
const COMPARED_WITH_SYMMETRY: u64 = 50_000;
/// Bounds loops that nothing cuts: this and a number.
const BOUND: &str = "--unroll=";
/// The kinds of cutting: each cuts all that those before it cut.
pub(crate) const KINDS: [&str; 4] = ["--spin=none", "--spin=static", "--spin=dynamic", "--spin=all"];
/// What allocations do.
const ALLOCATIONS: [&str; 4] = ["--alloc=fresh", "--alloc=reuse", "--alloc=fail", "--alloc=reuse,fail"];
/// Explored up to `co` only.
const LIVENESS: &str = "--check-liveness";
/// What is a violation: this and a list.
const CHECK: &str = "--check=";
/// In such a list, this is explored up to `co` only, too.
const LEAK: &str = "leak";
/// No option of the command: the default, which rows do without unless they have this.
const SYMMETRY: &str = "--symmetry";
/// Critical sections without their order, up to `rf`.
const LOCK_ORDER: &str = "--with=lock-order";
/// What the thesis' tool finds under XMM.
const HEURISTIC: &str = "--xmm=heuristic";
/// The last word of a row that runs in `make test-long` only.
const LONG: &str = "long";

/// The heads of the columns.
pub(crate) const COLUMNS: [&str; 6] = ["# args", "model", "verdict", "complete", "blocked", ""];

/// Complete and blocked executions.
pub(crate) type Counts = (u64, u64);

/// One run.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) options: Vec<String>,
    /// For clang.
    pub(crate) flags: Vec<String>,
    pub(crate) model: String,
    pub(crate) verdict: String,
    pub(crate) complete: Option<u64>,
    blocked: Option<u64>,
    /// Too large for `make test`.
    pub(crate) is_long: bool,
}

/// As in the name of a test: `rc11/rf --spin=all -DN=2`.
impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.model)?;
        self.options.iter().chain(&self.flags).try_for_each(|word| write!(f, " {word}"))
    }
}

impl Row {
    /// Reads a row of the table; options and flags are all before the last four columns.
    pub(crate) fn parse(text: &str) -> Result<Row, String> {
        let mut words: Vec<&str> = text.split_whitespace().collect();
        let is_long = words.pop_if(|word| *word == LONG).is_some();
        if words.len() < 5 {
            return Err("a row has five columns".to_owned());
        }
        let columns = words.split_off(words.len() - 4);
        let (model, verdict) = (columns[0], columns[1]);
        if !MODELS.contains(&model.strip_suffix(UP_TO_RF).unwrap_or(model)) {
            return Err(format!("unknown model `{model}`"));
        }
        if !VERDICTS.iter().any(|(name, _)| *name == verdict) {
            return Err(format!("unknown verdict `{verdict}`"));
        }
        let words = words.into_iter().filter(|word| *word != "-").map(str::to_owned);
        let (options, flags): (Vec<String>, Vec<String>) = words.partition(|word| word.starts_with("--"));
        if let Some(option) = options.iter().find(|option| !is_known(option)) {
            return Err(format!("unknown option `{option}`"));
        }
        Ok(Row {
            options,
            flags,
            model: model.to_owned(),
            verdict: verdict.to_owned(),
            complete: pinned(columns[2])?,
            blocked: pinned(columns[3])?,
            is_long,
        })
    }

    /// The columns, to be written back.
    pub(crate) fn columns(&self) -> [String; 6] {
        let words: Vec<&str> = self.options.iter().chain(&self.flags).map(String::as_str).collect();
        let words = if words.is_empty() { "-".to_owned() } else { words.join(" ") };
        let long = if self.is_long { LONG } else { "" };
        let (model, verdict) = (self.model.clone(), self.verdict.clone());
        [words, model, verdict, column(self.complete), column(self.blocked), long.to_owned()]
    }

    /// Is it the same run, whatever its expectation?
    pub(crate) fn is_same_run(&self, other: &Row) -> bool {
        let run = |row: &Row| (row.options.clone(), row.flags.clone(), row.model.clone());
        run(self) == run(other)
    }

    /// The options of `threadbare verify`, without the file and the flags for clang.
    pub(crate) fn arguments(&self) -> Vec<&str> {
        let mut arguments = self.model_options();
        if !self.is_symmetric() {
            arguments.push("--no-symmetry");
        }
        arguments.extend(self.options.iter().map(String::as_str).filter(|option| *option != SYMMETRY));
        arguments
    }

    fn model_options(&self) -> Vec<&str> {
        match self.model.strip_suffix(UP_TO_RF) {
            Some(model) => vec!["--model", model, "--equivalence", "rf"],
            None if !self.has_co() => vec!["--model", &self.model],
            None => vec!["--model", &self.model, "--equivalence", "co"],
        }
    }

    fn has_co(&self) -> bool {
        !self.model.ends_with(UP_TO_RF) && !WITHOUT_CO.contains(&self.model.as_str())
    }

    fn is_symmetric(&self) -> bool {
        self.options.iter().any(|option| option == SYMMETRY)
    }

    /// Are its executions searched for one that comes twice?
    pub(crate) fn counts_duplicates(&self) -> bool {
        self.complete.is_some_and(|complete| complete <= DUPLICATES_COUNTED)
    }

    /// The same up to `rf`, if it is up to `co` and not too large.
    pub(crate) fn up_to_rf(&self) -> Option<Row> {
        let has_both = self.has_co() && self.model != XMM;
        let small = self.complete.is_none_or(|complete| complete <= COMPARED_UP_TO_RF);
        // With symmetry there may be more up to `rf`: less of it is seen there.
        let is_possible = |option: &String| {
            option != LIVENESS && option != SYMMETRY && !option.strip_prefix(CHECK).is_some_and(has_leak)
        };
        let is_possible = self.options.iter().all(is_possible);
        (has_both && small && is_possible)
            .then(|| Row { model: format!("{}{UP_TO_RF}", self.model), ..self.clone() })
    }

    /// The same up to `rf`, and with critical sections without their order.
    pub(crate) fn with_lock_order(&self) -> Option<Row> {
        let mut row = self.up_to_rf()?;
        row.options.push(LOCK_ORDER.to_owned());
        Some(row)
    }

    /// The same with symmetry, if it is without and not too large.
    pub(crate) fn with_symmetry(&self) -> Option<Row> {
        let small = self.complete.is_none_or(|complete| complete <= COMPARED_WITH_SYMMETRY);
        let mut row = self.clone();
        row.options.push(SYMMETRY.to_owned());
        (self.has_co() && self.model != XMM && small && !self.is_symmetric()).then_some(row)
    }

    /// The same without a reduction: the same violations, and counts that are not known.
    pub(crate) fn without(&self, reduction: &str) -> Row {
        let mut row = Row { complete: None, blocked: None, ..self.clone() };
        row.options.push(format!("--without={reduction}"));
        row
    }

    /// The exit status that belongs to the verdict.
    pub(crate) fn status(&self) -> Option<i32> {
        VERDICTS.iter().find(|(name, _)| *name == self.verdict).map(|&(_, status)| status)
    }

    /// Are these the counts that are pinned?
    pub(crate) fn agrees(&self, (complete, blocked): Counts) -> bool {
        self.complete.is_none_or(|it| it == complete) && self.blocked.is_none_or(|it| it == blocked)
    }

    /// Pins these counts, where counts are pinned.
    pub(crate) fn pin(&mut self, (complete, blocked): Counts) {
        self.complete = self.complete.map(|_| complete);
        self.blocked = self.blocked.map(|_| blocked);
    }

    /// The counts as the table has them.
    pub(crate) fn counts(&self) -> String {
        format!("{} {}", column(self.complete), column(self.blocked))
    }
}

fn has_leak(checks: &str) -> bool {
    checks.split(',').any(|check| check == LEAK)
}

fn is_known(option: &str) -> bool {
    let bound = option.strip_prefix(BOUND).map(str::parse::<u32>);
    option == LIVENESS
        || option == SYMMETRY
        || option == LOCK_ORDER
        || option == HEURISTIC
        || option.starts_with(CHECK)
        || ALLOCATIONS.contains(&option)
        || KINDS.contains(&option)
        || bound.is_some_and(|bound| bound.is_ok())
}

fn pinned(word: &str) -> Result<Option<u64>, String> {
    match word {
        "-" => Ok(None),
        _ => word.parse().map(Some).map_err(|_| format!("`{word}` is neither a number nor `-`")),
    }
}

fn column(count: Option<u64>) -> String {
    count.map_or("-".to_owned(), |count| count.to_string())
}

/// A row is read, written back, and becomes arguments; a wrong one is refused.
pub(crate) fn rows_are_read() {
    let row = |text| Row::parse(text).expect("a row");
    let it = row("-DN=5 -DREVERSED  rc11  verified  64  -");
    assert_eq!(it.columns().join(" ").trim(), "-DN=5 -DREVERSED rc11 verified 64 -");
    assert!(it.agrees((64, 3)) && !it.agrees((65, 0)) && !it.is_long);
    let it = row("-  rc11/rf  verified  5  0");
    assert_eq!(it.arguments(), ["--model", "rc11", "--equivalence", "rf", "--no-symmetry"]);
    let it = row("--symmetry  wra  verified  5  0  long");
    assert_eq!((it.arguments(), it.is_long), (vec!["--model", "wra"], true));
    assert_eq!(it.columns().join(" "), "--symmetry wra verified 5 0 long");
    let it = row("--spin=none --unroll=4 -DN=2  rc11  bounded  1  2");
    assert_eq!((it.options.len(), it.flags.len()), (2, 1));
    assert_eq!(it.to_string(), "rc11 --spin=none --unroll=4 -DN=2");
    assert!(Row::parse("--spin=some  rc11  verified  1  0").is_err(), "unknown option");
    let it = row("--check=assertion,leak  rc11  violated  -  -");
    assert!(it.up_to_rf().is_none() && row("--check=race  rc11  violated  -  -").up_to_rf().is_some());
    assert!(Row::parse("--unroll=few  rc11  bounded  1  0").is_err(), "no number");
    assert!(Row::parse("-  power  verified  1  0").is_err(), "unknown model");
    assert!(Row::parse("-  rc11  fine  1  0").is_err(), "unknown verdict");
    assert!(Row::parse("-  rc11  verified  1  0  short").is_err(), "unknown mark");
    assert!(Row::parse("rc11  verified  1  0").is_err(), "a column is missing");
    assert!(Row::parse("rc11  verified  1  0  long").is_err(), "a column is missing");
}
