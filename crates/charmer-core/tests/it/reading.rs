//! Output as data: random tables, values and texts. A reading is right or there is none.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use charmer_core::output::{Format, ReadOptions, read};
use proptest::{collection::vec, prelude::*};
use serde_json::{Map, Value};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

fn auto(text: &str) -> Option<charmer_core::output::Read> {
    read(text, &ReadOptions::default())
}

/// How the renderer of a table counts columns.
#[derive(Debug, Clone, Copy)]
enum Counting {
    Shown,
    Apart,
    Characters,
}

impl Counting {
    fn width(self, text: &str) -> usize {
        match self {
            Self::Shown => text.width(),
            Self::Apart => text.chars().map(|c| c.width().unwrap_or(0)).sum(),
            Self::Characters => text.chars().count(),
        }
    }
}

#[derive(Debug, Clone)]
struct Column {
    name: String,
    right: bool,
    /// By how much it is wider than its widest cell.
    extra: usize,
}

#[derive(Debug, Clone)]
struct Rendered {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
    padding: usize,
    counting: Counting,
    /// Whether the last column is padded, too.
    full: bool,
}

impl Rendered {
    fn text(&self) -> String {
        let widths: Vec<usize> = self
            .columns
            .iter()
            .enumerate()
            .map(|(index, column)| {
                let cells = self.rows.iter().map(|row| self.counting.width(&row[index]));
                let widest = cells
                    .max()
                    .unwrap_or(0)
                    .max(self.counting.width(&column.name));
                widest + column.extra
            })
            .collect();
        let names = self
            .columns
            .iter()
            .map(|column| column.name.clone())
            .collect();
        let mut text = String::new();
        for line in [&names].into_iter().chain(&self.rows) {
            let mut rendered = String::new();
            for (index, cell) in line.iter().enumerate() {
                let fill = " ".repeat(widths[index] - self.counting.width(cell));
                if self.columns[index].right {
                    rendered.push_str(&fill);
                    rendered.push_str(cell);
                } else {
                    rendered.push_str(cell);
                    rendered.push_str(&fill);
                }
                if index + 1 < line.len() {
                    rendered.push_str(&" ".repeat(self.padding));
                }
            }
            text.push_str(if self.full {
                &rendered
            } else {
                rendered.trim_end_matches(' ')
            });
            text.push('\n');
        }
        text
    }

    fn data(&self) -> Value {
        let rows = self.rows.iter().map(|row| {
            let names = self.columns.iter().map(|column| column.name.clone());
            Value::Object(Map::from_iter(
                names.zip(row.iter().map(|cell| cell.as_str().into())),
            ))
        });
        Value::Array(rows.collect())
    }
}

fn cell() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        6 => "[a-z0-9/:._<>-]{1,12}",
        1 => "[A-Z0-9]{1,4}",
        1 => "[港船日本語]{1,4}",
        1 => "[aeo]\u{301}[a-z]{0,3}",
        1 => Just("👍".to_owned()),
        1 => Just("👩\u{200d}💻".to_owned()),
    ];
    prop_oneof![
        1 => Just(String::new()),
        8 => vec(word, 1..4).prop_map(|words| words.join(" ")),
    ]
}

fn row(count: usize) -> impl Strategy<Value = Vec<String>> {
    vec(cell(), count).prop_filter("a row that prints", |row| {
        row.iter().any(|cell| !cell.is_empty())
    })
}

fn table(columns: impl Strategy<Value = usize>) -> impl Strategy<Value = Rendered> {
    let counting = prop_oneof![
        Just(Counting::Shown),
        Just(Counting::Apart),
        Just(Counting::Characters)
    ];
    columns.prop_flat_map(move |count| {
        let column = ("[A-Z]{1,8}( [A-Z]{1,4})?", any::<bool>(), 0..3_usize)
            .prop_map(|(name, right, extra)| Column { name, right, extra });
        (
            vec(column, count),
            vec(row(count), 1..6),
            1..4_usize,
            counting.clone(),
            any::<bool>(),
        )
            .prop_map(|(mut columns, rows, padding, counting, full)| {
                // Fixed widths and single spaces together cannot be told from names of two words.
                if padding == 1 {
                    columns.iter_mut().for_each(|column| column.extra = 0);
                }
                Rendered {
                    columns,
                    rows,
                    padding,
                    counting,
                    full,
                }
            })
    })
}

/// What kubectl, docker and their like print: columns to the left, three spaces between them, a name in each row.
fn plain_table() -> impl Strategy<Value = Rendered> {
    table(2..7_usize).prop_map(|mut table| {
        table.padding = 3;
        for (index, column) in table.columns.iter_mut().enumerate() {
            column.right = false;
            column.name = format!("{}{}", column.name.replace(' ', ""), ["", " ID"][index % 2]);
            column.name.push_str(&"X".repeat(index));
        }
        for (index, row) in table.rows.iter_mut().enumerate() {
            row[0] = format!("name-{index}");
            row[1].push('x');
            for (column, cell) in row.iter_mut().enumerate() {
                cell.retain(|c| c.is_ascii());
                *cell = cell.split_whitespace().collect::<Vec<_>>().join(" ");
                // A space below that of a name, and no cell that runs over it, would be a reason to doubt.
                if index == 0 && column % 2 == 1 {
                    *cell = "x".repeat(20);
                }
            }
        }
        table
    })
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>()
            .prop_filter("finite", |number| number.is_finite())
            .prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::from),
            vec((".{0,6}", inner), 0..6)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_cell_of_a_table_is_lost_or_moved(table in table(2..6_usize)) {
        let text = table.text();
        if let Some(seen) = auto(&text) {
            prop_assert_eq!(seen.format, Format::Table);
            prop_assert_eq!(&seen.data["items"], &table.data(), "\n{}", text);
        }
    }

    #[test]
    fn tables_as_most_programs_print_them_are_read(table in plain_table()) {
        let text = table.text();
        let seen = auto(&text);
        prop_assert!(seen.is_some(), "\n{}", text);
        prop_assert_eq!(&seen.unwrap().data["items"], &table.data(), "\n{}", text);
    }
}

proptest! {
    #[test]
    fn json_comes_back_as_it_was(value in json_value(), pretty: bool) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
        let text = text.unwrap();
        let seen = auto(&text);
        match value {
            Value::Object(object) => prop_assert_eq!(seen.map(|seen| seen.data), Some(object)),
            Value::Array(_) => prop_assert_eq!(seen.map(|mut seen| seen.data.remove("items")), Some(Some(value))),
            _ => prop_assert_eq!(seen, None),
        }
    }

    #[test]
    fn json_lines_come_back_as_they_were(values in vec(json_value(), 2..5), limit in 0..6_usize) {
        let values: Vec<Value> = values.into_iter().map(|value| serde_json::json!([value])).collect();
        let text: String = values.iter().map(|value| format!("{value}\n")).collect();
        let seen = read(&text, &ReadOptions::default().max_items(limit)).unwrap();
        prop_assert_eq!(seen.format, Format::JsonLines);
        prop_assert_eq!(seen.total, (values.len() > limit).then_some(values.len()));
        prop_assert_eq!(seen.data["items"].as_array().unwrap(), &values[..limit.min(values.len())]);
    }

    #[test]
    fn json_is_yaml(value in json_value()) {
        // Strings that JSON escapes in a way of its own are not the point here.
        prop_assume!(value.is_object() || value.is_array());
        let text = value.to_string();
        prop_assume!(text.bytes().all(|byte| matches!(byte, b' '..=b'~')) && !text.contains('\\'));
        if let Some(seen) = read(&text, &ReadOptions::declared(Format::Yaml)) {
            let expected = read(&text, &ReadOptions::declared(Format::Json)).unwrap();
            prop_assert_eq!(seen.data, expected.data);
        }
    }

    #[test]
    fn prose_stays_text(text in "([A-Z][a-z]{1,8}( [a-z]{1,8}){2,9}[.!?:]( |\n|\n\n)){1,8}") {
        prop_assert_eq!(auto(&text), None);
    }

    #[test]
    fn nothing_panics(text in "[\\PC\\x00-\\x1f :\\-\n\tA{}\\[\\]\"0]{0,120}") {
        for format in [Format::Json, Format::JsonLines, Format::Yaml, Format::Table, Format::Blocks] {
            let _ = read(&text, &ReadOptions::declared(format));
        }
        let _ = auto(&text);
    }

    #[test]
    fn lines_of_few_signs_do_not_panic(text in "[A-C :\\-\n日\u{301}]{0,80}") {
        for format in [Format::Yaml, Format::Table, Format::Blocks] {
            let _ = read(&text, &ReadOptions::declared(format));
        }
        let _ = auto(&text);
    }
}
