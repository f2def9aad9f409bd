//! Bytes in base64, as results carry pictures and sounds.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The bytes as text, with padding.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let index = (bits >> (18 - 6 * at)) & 63;
            let given = at <= group.len();
            text.push(if given {
                char::from(ALPHABET[index as usize])
            } else {
                '='
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use ::base64::{Engine as _, engine::general_purpose::STANDARD};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bytes_are_told_as_elsewhere(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            prop_assert_eq!(super::encode(&bytes), STANDARD.encode(&bytes));
        }
    }
}
