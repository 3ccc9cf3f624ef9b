//! Estimated numbers for people: rounded to two digits, with commas.

use explore::Estimate;

/// A number of executions, with the interval that it is in.
pub(crate) fn estimated(Estimate { executions, low, high }: Estimate) -> String {
    if low == high {
        return format!("{} executions", with_commas(executions));
    }
    let (low, about, high) = (rounded_down(low), rounded(executions), rounded_up(high));
    let [low, about, high] = [low, about, high].map(with_commas);
    format!("about {about} executions (between {low} and {high})")
}

/// The number that its first two digits are multiplied with.
fn unit(number: u64) -> u64 {
    10_u64.pow(number.checked_ilog10().unwrap_or(0).saturating_sub(1))
}

fn rounded_down(number: u64) -> u64 {
    number / unit(number) * unit(number)
}

fn rounded_up(number: u64) -> u64 {
    number.div_ceil(unit(number)).saturating_mul(unit(number))
}

fn rounded(number: u64) -> u64 {
    rounded_down(number.saturating_add(unit(number) / 2))
}

fn with_commas(number: u64) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(|group| String::from_utf8_lossy(group));
    groups.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_rounded_outwards() {
        let text = estimated(Estimate { executions: 12_345, low: 8_190, high: 18_901 });
        assert_eq!(text, "about 12,000 executions (between 8,100 and 19,000)");
        let text = estimated(Estimate { executions: 1_250_000, low: 999, high: u64::MAX });
        assert_eq!(text, "about 1,300,000 executions (between 990 and 18,446,744,073,709,551,615)");
        assert_eq!(
            estimated(Estimate { executions: 7, low: 1, high: 9 }),
            "about 7 executions (between 1 and 9)"
        );
    }

    #[test]
    fn an_exact_number_is_not_rounded() {
        let text = estimated(Estimate { executions: 12_345, low: 12_345, high: 12_345 });
        assert_eq!(text, "12,345 executions");
    }
}
