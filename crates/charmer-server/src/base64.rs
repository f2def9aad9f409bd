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

/// The bytes of a text that is base64 with padding; `None` if it is not.
#[cfg(feature = "http")]
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (groups, rest) = text.as_bytes().as_chunks::<4>();
    let last = groups.len().checked_sub(1);
    for (at, group) in groups.iter().enumerate() {
        let padding = group.iter().rev().take_while(|byte| **byte == b'=').count();
        if padding > 2 || padding > 0 && Some(at) != last {
            return None;
        }
        let mut bits = 0_u32;
        for byte in &group[..4 - padding] {
            let digit = ALPHABET.iter().position(|known| known == byte)?;
            bits = bits << 6 | u32::try_from(digit).ok()?;
        }
        bits <<= 6 * padding;
        let [_, one, two, three] = bits.to_be_bytes();
        let unused = [0, three, 0][padding] | [0, 0, two | three][padding];
        if unused != 0 {
            return None;
        }
        bytes.extend_from_slice(&[one, two, three][..3 - padding]);
    }
    rest.is_empty().then_some(bytes)
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

        #[test]
        #[cfg(feature = "http")]
        fn texts_are_read_as_elsewhere(text in "[A-Ca-c+/=0-9]{0,12}") {
            prop_assert_eq!(super::decode(&text), STANDARD.decode(&text).ok());
        }
    }
}
