//! How much memory there is, how much this process has and ever had, and how much it may have.

use std::fmt;
use std::fs;
use std::str::FromStr;

/// A number of bytes, as people write it: `512M`, `2G`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Bytes(pub(crate) u64);

const UNITS: [(&str, u32); 4] = [("T", 40), ("G", 30), ("M", 20), ("K", 10)];

/// With less, not even the compiler starts.
const LEAST: Bytes = Bytes(64 << 20);

impl FromStr for Bytes {
    type Err = String;

    fn from_str(text: &str) -> Result<Bytes, String> {
        let unit = |&(name, shift): &(&'static str, u32)| Some((text.strip_suffix(name)?, shift));
        let (digits, shift) = UNITS.iter().find_map(unit).unwrap_or((text, 0));
        let number: u64 = digits.parse().map_err(|_| "expected a number of bytes: 512M, 2G".to_owned())?;
        let bytes = Bytes(number.checked_mul(1 << shift).ok_or("no machine has that much memory")?);
        if bytes < LEAST {
            return Err(format!("the compiler alone needs more: give at least {LEAST}"));
        }
        Ok(bytes)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = |&&(_, shift): &&(&str, u32)| self.0 >= 1 << shift && self.0.is_multiple_of(1 << shift);
        match UNITS.iter().find(whole) {
            Some((name, shift)) => write!(f, "{}{name}", self.0 >> shift),
            None => write!(f, "{}", self.0),
        }
    }
}

/// Three quarters of what the machine has, or the container that this runs in.
pub(crate) fn usual_limit() -> Bytes {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| total(&text));
    let container = fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let container = container.and_then(|text| text.trim().parse().ok());
    Bytes(machine.into_iter().chain(container).min().map_or(u64::MAX, |bytes: u64| bytes / 4 * 3))
}

fn total(meminfo: &str) -> Option<u64> {
    kilobytes(meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?)
}

/// What this process has in memory now.
pub(crate) fn resident() -> Bytes {
    let pages = fs::read_to_string("/proc/self/statm").ok().and_then(|text| resident_pages(&text));
    Bytes(pages.unwrap_or(0) * rustix::param::page_size() as u64)
}

/// The most that this process ever had in memory, in bytes; 0 where the system does not tell.
pub(crate) fn peak_bytes() -> u64 {
    fs::read_to_string("/proc/self/status").ok().and_then(|status| high_water_mark(&status)).unwrap_or(0)
}

/// From the line `VmHWM: 1234 kB`.
fn high_water_mark(status: &str) -> Option<u64> {
    kilobytes(status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?)
}

/// `1234 kB`, in bytes.
fn kilobytes(text: &str) -> Option<u64> {
    Some(text.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
}

fn resident_pages(statm: &str) -> Option<u64> {
    statm.split(' ').nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_read_and_shown() {
        for (text, bytes) in [("64M", 64 << 20), ("2G", 2 << 30), ("1T", 1 << 40), ("100000000", 100_000_000)]
        {
            let read: Bytes = text.parse().expect("a size");
            assert_eq!((read, read.to_string().as_str()), (Bytes(bytes), text));
        }
        assert_eq!("65536K".parse(), Ok(LEAST));
        assert_eq!(LEAST.to_string(), "64M");
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "M", "-1G", "1.5G", "2 G", "2g", "99999999999T", "1", "63M", "é"] {
            assert!(text.parse::<Bytes>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_kernel_says_how_much_it_was() {
        let status = "VmPeak:\t 99 kB\nVmHWM:\t    1234 kB\nVmRSS:\t 1 kB\n";
        assert_eq!(high_water_mark(status), Some(1234 * 1024));
        assert_eq!(high_water_mark("VmPeak:\t 99 kB\n"), None);
    }

    #[test]
    fn the_kernel_says_what_there_is() {
        assert_eq!(total("MemTotal:       24649872 kB\nMemFree: 1 kB\n"), Some(24_649_872 << 10));
        assert_eq!(resident_pages("1000 200 30 4 0 5 0\n"), Some(200));
        let (has, may) = (resident(), usual_limit());
        assert!(has > Bytes(1 << 20) && has < may, "{has} of {may}");
    }
}
