//! Environment variables as a command line names them: `--env NAME[=VALUE]`.

use std::str::FromStr;

/// An environment variable that the programs need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Variable {
    pub(crate) name: String,
    /// Its value; a person is asked for one that has none, and that is kept as a secret.
    pub(crate) value: Option<String>,
}

impl FromStr for Variable {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (text, None),
        };
        let of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.is_empty()
            || name.starts_with(|c: char| c.is_ascii_digit())
            || !name.chars().all(of_name)
        {
            return Err("write the name of a variable, as in GH_TOKEN, or NAME=VALUE".into());
        }
        Ok(Self {
            name: name.to_owned(),
            value,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_have_names_that_a_shell_takes() {
        let asked: Variable = "GH_TOKEN".parse().expect("a name");
        assert_eq!((asked.name.as_str(), asked.value), ("GH_TOKEN", None));
        let given: Variable = "A=b=c".parse().expect("a name and a value");
        assert_eq!(given.value.as_deref(), Some("b=c"));
        for wrong in ["", "=x", "1A", "a-b", "a b=c"] {
            assert!(wrong.parse::<Variable>().is_err(), "{wrong}");
        }
    }
}
