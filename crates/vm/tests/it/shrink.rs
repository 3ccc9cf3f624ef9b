//! Making a random program smaller.

/// Leave statements out as long as the program is still one of those that `is_wanted`.
pub(crate) fn shrink<P: Clone, S>(
    program: &P,
    threads: fn(&mut P) -> &mut Vec<Vec<S>>,
    is_wanted: impl Fn(&P) -> bool,
) -> P {
    let mut small = program.clone();
    let mut changed = true;
    while changed {
        changed = false;
        for t in 0..threads(&mut small).len() {
            for i in (0..threads(&mut small)[t].len()).rev() {
                let mut smaller = small.clone();
                threads(&mut smaller)[t].remove(i);
                if is_wanted(&smaller) {
                    (small, changed) = (smaller, true);
                }
            }
        }
    }
    small
}
