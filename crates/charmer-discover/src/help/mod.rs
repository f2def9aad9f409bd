//! Reading help texts: sections under headings, rows of names and text, and what is said in prose.
//!
//! Everything here is a pure function of text that works on any text; the families say what a heading means.

mod commands;
mod counted;
mod flag_row;
mod further;
mod glued;
mod grouped;
mod prose;
mod rows;
mod sections;
mod shown_options;
mod usage;
mod value_sign;

pub(crate) use commands::{heads_commands, speaks_of_commands, speaks_of_options};
pub(crate) use counted::is_counted;
pub(crate) use flag_row::{FlagNames, flag_names};
pub(crate) use further::further_help;
pub(crate) use glued::apart;
pub(crate) use grouped::{GroupedRow, grouped_rows};
pub(crate) use prose::{
    choices_in, default_in, env_in, first_sentence, is_decimal, may_repeat, opposite_in,
    shows_twice, take_default,
};
pub(crate) use rows::{Row, expand_tabs, rows};
pub(crate) use sections::{Section, dedent, sections, with_colons};
pub(crate) use shown_options::{lost, shown_options};
pub(crate) use usage::{behind_path, says_usage, usage_statements};
pub(crate) use value_sign::tells_value;
