//! JSON pointers (RFC 6901).

/// Adds a step to a pointer.
pub(super) fn push(pointer: &mut String, key: &str) {
    pointer.push('/');
    for c in key.chars() {
        match c {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            c => pointer.push(c),
        }
    }
}

/// A pointer with one more step.
pub(super) fn join(pointer: &str, key: &str) -> String {
    let mut longer = String::with_capacity(pointer.len() + key.len() + 1);
    longer.push_str(pointer);
    push(&mut longer, key);
    longer
}

/// The key that a step stands for.
pub(super) fn unescaped(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}
