//! Lines for a terminal: broken between words, never within one. Styles take no room.

use unicode_width::UnicodeWidthStr;

/// The columns that a text takes, whatever its style.
pub(crate) fn columns(text: &str) -> usize {
    anstream::adapter::strip_str(text).to_string().width()
}

/// The text in lines of at most `width` columns. What follows a break begins with `indent`, and with the spaces that
/// the broken line itself began with. A word that is longer than a line keeps a line to itself.
pub(crate) fn wrapped(text: &str, width: Option<usize>, indent: usize) -> String {
    let Some(width) = width else {
        return text.to_owned();
    };
    let lines: Vec<String> = text
        .split('\n')
        .map(|line| one(line, width, indent))
        .collect();
    lines.join("\n")
}

fn one(line: &str, width: usize, indent: usize) -> String {
    if columns(line) <= width {
        return line.to_owned();
    }
    let own = line.len() - line.trim_start_matches(' ').len();
    // Where hardly anything would fit behind it, an indent does more harm than good.
    let indent = " ".repeat((own + indent).min(width / 2));
    let mut text = " ".repeat(own);
    let mut used = own;
    let mut first = true;
    for word in line[own..].split(' ') {
        let wide = columns(word);
        if !first && used + 1 + wide > width {
            text.truncate(text.trim_end_matches(' ').len());
            text.push('\n');
            text.push_str(&indent);
            used = indent.len();
            // Spaces in a row are no beginning of a line.
            if word.is_empty() {
                first = true;
                continue;
            }
        } else if !first {
            text.push(' ');
            used += 1;
        }
        text.push_str(word);
        used += wide;
        first = false;
    }
    text
}

/// The picture of a line and what is said about it: what is said is wrapped, the line stays as it is.
pub(crate) fn wrapped_picture(text: &str, width: Option<usize>) -> String {
    let is_said = |line: &str| {
        let plain = anstream::adapter::strip_str(line).to_string();
        let margin = plain.trim_start_matches(|c: char| c == ' ' || c.is_ascii_digit());
        !margin.starts_with('|')
    };
    let lines = text.split('\n').map(|line| match is_said(line) {
        true => wrapped(line, width, 2),
        false => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// At most so many columns of a text, up to the end of a word, with an ellipsis where something is missing. A first word
/// that does not fit stays whole.
pub(crate) fn clipped(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut short = String::new();
    for word in text.split(' ') {
        let space = usize::from(!short.is_empty());
        if !short.is_empty() && short.width() + space + word.width() + 1 > columns {
            break;
        }
        if space > 0 {
            short.push(' ');
        }
        short.push_str(word);
    }
    if short.len() < text.len() {
        let end = short.trim_end_matches([',', ';', ':', '(']).len();
        short.truncate(end);
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_and_keep_their_indent() {
        let text = "warning: a rather long sentence\n  that goes on and on";
        assert_eq!(
            wrapped(text, Some(16), 0),
            "warning: a\nrather long\nsentence\n  that goes on\n  and on"
        );
        assert_eq!(wrapped("aaaa bbbb", Some(6), 2), "aaaa\n  bbbb");
        assert_eq!(wrapped(text, None, 0), text);
        let long = "see https://example.org/a/very/long/address now";
        assert_eq!(
            wrapped(long, Some(12), 0),
            "see\nhttps://example.org/a/very/long/address\nnow"
        );
    }

    #[test]
    fn styles_take_no_room() {
        let red = "\x1b[31merror:\x1b[0m it is so";
        assert_eq!(wrapped(red, Some(15), 0), red);
    }

    #[test]
    fn a_text_is_cut_behind_a_word() {
        assert_eq!(clipped("List all containers", 12), "List all…");
        assert_eq!(clipped("List, all containers", 8), "List…");
        assert_eq!(clipped("unbreakable", 4), "unbreakable");
        assert_eq!(clipped("容器 列表", 9), "容器 列表");
        assert_eq!(clipped("容器 列表", 6), "容器…");
    }
}
