//! Double reads: a version, the data, the version again.

use super::Statement;
use super::accesses::see;
use super::scope::Scope;

/// A reader or a writer.
pub(super) fn seqlock(scope: &mut Scope<'_>) -> Vec<Statement> {
    let (version, data) = (scope.atomic(), scope.atomic());
    if scope.takes_first_part() { writer(scope, &version, &data) } else { reader(scope, &version, &data) }
}

fn writer(scope: &mut Scope<'_>, version: &str, data: &str) -> Vec<Statement> {
    let (enter, value) = (scope.update("fetch_add", version, 1), scope.value());
    let body = vec![scope.store(data, value)];
    let leave = scope.update("fetch_add", version, 1);
    vec![Statement::block(format!("{enter};"), body, format!("{leave};"))]
}

fn reader(scope: &mut Scope<'_>, version: &str, data: &str) -> Vec<Statement> {
    let (before, value) = (scope.local(), scope.local());
    let (first, again, seen) = (scope.load(version), scope.load(version), scope.load(data));
    let odd = scope.rng.pick(&["", "", "({b} & 1) || "]).replace("{b}", &before);
    let round = format!("{before} = {first}; {value} = {seen};");
    let failed = format!("{odd}{again} != {before}");
    let line = match scope.rng.below(3) {
        0 => format!("int {before}, {value}; {round} if ({failed}) {value} = 9;"),
        1 => format!("int {before}, {value}; for (;;) {{ {round} if (!({failed})) break; }}"),
        _ => format!("int {before}, {value}; do {{ {round} }} while ({failed});"),
    };
    vec![Statement::line(line), see(value)]
}
