//! Lines of `mdoc` pages: `Fl n Ar count` is `-n <count>`.

use super::roff::{arguments, plain};

/// Returns true if a name is one of the macros that put words into a text.
pub(super) fn is_macro(name: &str) -> bool {
    is_word_macro(name) || matches!(name, "Nd")
}

fn is_word_macro(name: &str) -> bool {
    matches!(
        name,
        "Fl" | "Ar"
            | "Op"
            | "Oo"
            | "Oc"
            | "Nm"
            | "Cm"
            | "Ic"
            | "Pa"
            | "Ns"
            | "No"
            | "Li"
            | "Dq"
            | "Sq"
            | "Ql"
            | "Qq"
            | "Pq"
            | "Em"
            | "Sy"
            | "Xr"
            | "Ev"
            | "Va"
            | "Dv"
            | "Ux"
            | "Aq"
            | "Bq"
            | "Ad"
            | "Fn"
            | "Tn"
            | "Sx"
            | "Er"
            | "Sm"
            | "Ta"
            | "Xo"
            | "Xc"
            | "Brq"
            | "Bro"
            | "Brc"
    )
}

/// The text of a line of macros and their words.
pub(super) fn line(text: &str) -> String {
    let words: Vec<String> = arguments(text);
    let mut out = Out::default();
    let mut closes: Vec<&'static str> = Vec::new();
    let mut flag = false;
    let mut argument = false;
    for word in &words {
        match word.as_str() {
            "Fl" => {
                // `Fl Fl all` is `--all`.
                if flag {
                    out.glue();
                }
                out.word("-");
                out.glue();
                (flag, argument) = (true, false);
                continue;
            }
            "Ar" => {
                out.release();
                (flag, argument) = (false, true);
                continue;
            }
            "Op" | "Bq" => {
                out.release();
                out.word("[");
                out.glue();
                closes.push("]");
            }
            "Oo" => {
                out.word("[");
                out.glue();
            }
            "Bro" => {
                out.word("{");
                out.glue();
            }
            "Oc" => {
                out.glue();
                out.word("]");
            }
            "Brc" => {
                out.glue();
                out.word("}");
            }
            "Ns" => {
                out.glue();
                continue;
            }
            "Nd" => out.word("-"),
            word if is_word_macro(word) => {
                out.release();
            }
            word => {
                let word = plain(word);
                let mark = matches!(word.as_str(), "," | "." | ":" | ";" | ")" | "|" | "]");
                match argument && !mark {
                    true => out.word(&format!("<{word}>")),
                    false if mark && word != "|" => {
                        out.glue();
                        out.word(&word);
                    }
                    false => out.word(&word),
                }
                // Words behind a flag's own are its neighbours', each with a dash: `Fl a b`.
                flag = false;
                continue;
            }
        }
        (flag, argument) = (false, false);
    }
    for close in closes.into_iter().rev() {
        out.glue();
        out.word(close);
    }
    out.text
}

/// Words with spaces between them, but where they are glued.
#[derive(Default)]
struct Out {
    text: String,
    glued: bool,
}

impl Out {
    fn word(&mut self, word: &str) {
        if !self.glued && !self.text.is_empty() {
            self.text.push(' ');
        }
        self.glued = false;
        self.text.push_str(word);
    }

    fn glue(&mut self) {
        self.glued = true;
    }

    /// Takes back the glue of a flag that has no word.
    fn release(&mut self) {
        if self.text.ends_with('-') {
            self.glued = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_macros() {
        for (text, expected) in [
            ("Fl n Ar count", "-n <count>"),
            ("Fl Fl all", "--all"),
            ("Op Fl 46AaC", "[-46AaC]"),
            (
                "Op Fl D Oo Ar address : Oc Ns Ar port",
                "[-D [<address>:]<port>]",
            ),
            ("Ar destination ,", "<destination>,"),
            ("Nm hop", "hop"),
            ("Nd hops far", "- hops far"),
            ("Op Ar command Op Ar word ...", "[<command> [<word> <...>]]"),
        ] {
            assert_eq!(line(text), expected, "{text}");
        }
    }
}
