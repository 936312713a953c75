//! Memory and processor time of a process, from `/proc`.

/// The unit of processor time in `/proc`: USER_HZ is 100 on Linux.
const TICKS_PER_SECOND: f64 = 100.0;

/// The peak resident memory of this process, in bytes; `None` if the system does not report it.
pub fn peak() -> Option<u64> {
    peak_in(&std::fs::read_to_string("/proc/self/status").ok()?)
}

/// The peak resident memory in the text of a status file.
pub fn peak_in(status: &str) -> Option<u64> {
    field(status, "VmHWM:")
}

/// The current resident memory, in bytes.
pub fn resident() -> Option<u64> {
    field(&std::fs::read_to_string("/proc/self/status").ok()?, "VmRSS:")
}

/// The processor time that this process has used so far, in seconds.
pub fn own_processor_time() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    parse_stat(&stat).map_or(0.0, |(_, seconds)| seconds)
}

/// State and processor time from `/proc/N/stat`, including reaped children. The second field is a name in parentheses
/// that may contain anything.
pub fn parse_stat(text: &str) -> Option<(char, f64)> {
    let (_, rest) = text.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let state = fields.first()?.chars().next()?;
    let ticks = |position: usize| fields.get(position)?.parse::<f64>().ok();
    Some((state, (11..=14).map(ticks).sum::<Option<f64>>()? / TICKS_PER_SECOND))
}

fn field(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_stat_file() {
        let text = "42 (a) b) R 1 42 42 0 -1 4194304 100 0 0 0 150 25 5 5 20 0 1 0 100 1000 10";
        assert_eq!(parse_stat(text), Some(('R', 1.85)));
        assert_eq!(parse_stat(""), None);
    }

    #[test]
    fn reads_the_status_file() {
        assert_eq!(peak_in("Name:\tx\nVmHWM:\t  1234 kB\n"), Some(1234 * 1024));
        assert_eq!(peak_in("VmHWM:\t many\n"), None);
        assert_eq!(peak_in(""), None);
    }
}
