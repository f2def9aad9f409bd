//! Paths that a drafted command tried to write outside of its folders, as far as its own complaints tell.

/// The words of the system for what was kept from it.
const REFUSALS: [&str; 6] = [
    "read-only file system",
    "permission denied",
    "operation not permitted",
    "erofs",
    "eacces",
    "eperm",
];

/// The maximum number of them that are told.
const MOST: usize = 20;

/// The absolute paths in lines of this output that complain of a missing right.
pub(super) fn denied<'t>(output: impl IntoIterator<Item = &'t str>) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    let lines = output.into_iter().flat_map(str::lines);
    let complains = |line: &&str| {
        let line = line.to_lowercase();
        REFUSALS.iter().any(|words| line.contains(words))
    };
    for line in lines.filter(complains) {
        let words = line.split(|c: char| c.is_whitespace() || "'\"`‘’“”<>()=,;".contains(c));
        for word in words.map(|word| word.trim_end_matches([':', '.'])) {
            let is_path = word.len() > 1 && (word.starts_with('/') || word.starts_with("~/"));
            if is_path && paths.len() < MOST && !paths.iter().any(|path| path == word) {
                paths.push(word.to_owned());
            }
        }
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_name_what_was_tried() {
        let stderr = "touch: cannot touch '/etc/motd': Read-only file system\n\
                      fine: /usr/bin/x was read\n\
                      error: EACCES: permission denied, open '/home/ann/.npmrc'\n";
        assert_eq!(denied([stderr]), ["/etc/motd", "/home/ann/.npmrc"]);
    }
}
