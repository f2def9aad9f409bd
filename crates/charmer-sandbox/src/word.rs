//! Words of the operating system in JSON: as text where they are text, which is short and nearly always, and byte by byte
//! where they are not.

use std::ffi::{OsStr, OsString};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A word that is written.
struct WrittenWord<'a>(&'a OsStr);

impl Serialize for WrittenWord<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.to_str() {
            Some(text) => text.serialize(serializer),
            None => self.0.serialize(serializer),
        }
    }
}

/// A word that was read.
#[derive(Deserialize)]
#[serde(untagged)]
enum ReadWord {
    Text(String),
    Bytes(OsString),
}

impl From<ReadWord> for OsString {
    fn from(word: ReadWord) -> Self {
        match word {
            ReadWord::Text(text) => text.into(),
            ReadWord::Bytes(word) => word,
        }
    }
}

pub(crate) fn serialize<S: Serializer>(
    word: &impl AsRef<OsStr>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    WrittenWord(word.as_ref()).serialize(serializer)
}

pub(crate) fn deserialize<'de, W: From<OsString>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<W, D::Error> {
    Ok(OsString::from(ReadWord::deserialize(deserializer)?).into())
}

/// The same for lists of words.
pub(crate) mod list {
    use super::{Deserialize, Deserializer, OsStr, OsString, ReadWord, Serializer, WrittenWord};

    pub(crate) fn serialize<S: Serializer>(
        words: &[impl AsRef<OsStr>],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(words.iter().map(|word| WrittenWord(word.as_ref())))
    }

    pub(crate) fn deserialize<'de, W: From<OsString>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<W>, D::Error> {
        let words = Vec::<ReadWord>::deserialize(deserializer)?;
        Ok(words
            .into_iter()
            .map(|word| OsString::from(word).into())
            .collect())
    }
}

/// The same for lists of names and values.
pub(crate) mod pairs {
    use super::{Deserialize, Deserializer, OsString, ReadWord, Serializer, WrittenWord};

    pub(crate) fn serialize<S: Serializer>(
        pairs: &[(OsString, OsString)],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let pairs = pairs.iter();
        serializer.collect_seq(pairs.map(|(name, value)| (WrittenWord(name), WrittenWord(value))))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<(OsString, OsString)>, D::Error> {
        let pairs = Vec::<(ReadWord, ReadWord)>::deserialize(deserializer)?;
        let pairs = pairs.into_iter();
        Ok(pairs
            .map(|(name, value)| (name.into(), value.into()))
            .collect())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use crate::Program;

    use super::*;

    #[test]
    fn words_that_are_no_text_survive() {
        let words = [
            &b"plain"[..],
            b"",
            b"\xff\xfe and \"more\"\n",
            "é".as_bytes(),
        ];
        let words = words.map(|bytes| OsString::from_vec(bytes.to_vec()));
        for word in &words {
            let program = Program {
                program: word.into(),
                argv: words.to_vec(),
                environment: vec![("plain".into(), word.clone())],
                folder: word.into(),
                folder_id: None,
            };
            let sent = serde_json::to_string(&program).expect("it is made of words");
            assert!(!sent.contains('\n'), "a message is one line: {sent}");
            let got: Program = serde_json::from_str(&sent).expect("a program");
            assert_eq!(got, program);
        }
    }
}
