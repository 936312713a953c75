//! How much memory a process takes, from `/proc`.

/// The most resident memory of this process so far, in bytes; `None` where the system does not tell.
pub(crate) fn peak() -> Option<u64> {
    peak_in(&std::fs::read_to_string("/proc/self/status").ok()?)
}

/// The same, from the text of a status file.
pub(crate) fn peak_in(status: &str) -> Option<u64> {
    field(status, "VmHWM:")
}

/// The resident memory now, in bytes.
pub(crate) fn resident() -> Option<u64> {
    field(&std::fs::read_to_string("/proc/self/status").ok()?, "VmRSS:")
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
    fn reads_the_status_file() {
        assert_eq!(peak_in("Name:\tx\nVmHWM:\t  1234 kB\n"), Some(1234 * 1024));
        assert_eq!(peak_in("VmHWM:\t many\n"), None);
        assert_eq!(peak_in(""), None);
    }
}
