//! Treatment of a program's output before an assistant reads it.

mod ask;
#[cfg(feature = "data")]
mod asked;
mod clean;
mod cut;
mod media;
mod prompt;
#[cfg(feature = "data")]
mod read;

pub use ask::{JsonRequest, chooses_look, json_flag, json_input};
#[cfg(feature = "data")]
pub use asked::asked_format;
pub use clean::{clean, mark_hidden};
pub use cut::{Cut, cut_around, cut_middle};
pub use media::MediaType;
pub use prompt::{answering_flag, waiting_line};
#[cfg(feature = "data")]
pub use read::{Format, Read, ReadOptions, read};

/// The key under which the elements of a list stand, because data is always an object.
pub const ITEMS_KEY: &str = "items";

/// The key of a single value that is neither an object nor a list.
pub const VALUE_KEY: &str = "value";
