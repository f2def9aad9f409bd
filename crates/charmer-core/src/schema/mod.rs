//! Schemas of outputs: from any JSON Schema to one that every client accepts, and data checked against it.
//!
//! A schema that was derived from a type or written by hand may use all of JSON Schema. Clients do not take all of it
//! (one schema that they reject can end a session), so it goes out in the portable dialect: no references, no
//! combinators, no lists of types, no booleans in the place of schemas. [`convert`] writes the same in that dialect as
//! far as it goes, and what it cannot say becomes less, never something else: **whatever is valid under the original
//! is valid under the converted one**, after nulls that stand for nothing are removed ([`OutputSchema::prepare`]).
//! What was lost is in the [notes](OutputSchema::notes).
//!
//! | in the original | what becomes of it |
//! |---|---|
//! | `$ref` to `$defs`, `definitions` or any place in the document | written out where it is used |
//! | a reference that leads nowhere or out of the document | no constraint, and a note; nothing is fetched |
//! | a type that contains itself | written out `RECURSION_LIMIT` times, then only its type: a generic object |
//! | very large or deep schemas | cut at [`NODE_LIMIT`], [`REPEAT_LIMIT`] and `DEPTH_LIMIT` |
//! | `Option<T>` as a property | `T`, not required; a null is left out of the data |
//! | `Option<T>` in a list or a map | no constraint, because the null has to stay |
//! | maps | an object with `additionalProperties` of the value's type |
//! | enums of strings, also one `const` each | `enum`, with what each means in the description |
//! | enums of numbers | the least and the greatest of them; the list in the description |
//! | tagged enums, alternatives of objects | one object; what not all of them have is not required |
//! | alternatives of different types | no constraint; the types in the description |
//! | `allOf`, flattened structs | merged |
//! | tuples | a list of whatever its elements may be, with its length |
//! | formats | those that clients know; others in the description |
//! | bounds | kept up to 2^53; exclusive ones of fractions become inclusive |
//! | `pattern` | kept where all languages read it alike |
//! | `default` | kept where it is valid |
//! | `not`, `if`, `contains`, `uniqueItems` and their like | left out, with a note |
//!
//! One thing is read more narrowly than JSON Schema does: a root that has properties and does not say its type is
//! taken for an object, because that is what its author meant.
//!
//! The root of an output is an object. A type that is none is put under a field: a list under `items`, everything else
//! under `value`, or under a name that is set ([`Converter::field`]).

#![cfg_attr(
    not(feature = "schema"),
    expect(dead_code, reason = "what the converter shares with the check")
)]

mod check;
#[cfg(feature = "schema")]
mod convert;
#[cfg(feature = "schema")]
mod describe;
mod format;
#[cfg(feature = "full-check")]
mod full;
#[cfg(feature = "schema")]
mod intersect;
mod note;
mod nulls;
mod number;
mod output;
#[cfg(feature = "schema")]
mod pattern;
mod pointer;
#[cfg(feature = "schema")]
mod read;
#[cfg(feature = "schema")]
mod read_scalar;
#[cfg(feature = "schema")]
mod read_structure;
mod rebase;
#[cfg(feature = "schema")]
mod reference;
#[cfg(feature = "schema")]
mod shape;
#[cfg(feature = "schema")]
mod union;
#[cfg(feature = "schema")]
mod write;

pub use check::{MISMATCH_LIMIT, Mismatch, check};
#[cfg(feature = "schema")]
pub use convert::{Converter, LIST_FIELD, VALUE_FIELD, convert};
pub use note::{NOTE_LIMIT, Note};
pub use nulls::remove as remove_nulls;
pub use output::{Dialect, OutputSchema};

/// The number of times that a type is written out inside of itself.
pub(crate) const RECURSION_LIMIT: usize = 3;
/// The number of schemas that are read in one conversion; whatever comes after that is not constrained.
pub const NODE_LIMIT: usize = 50_000;
/// The maximum number of nodes in definitions that were written out before; after that only their type is said.
pub const REPEAT_LIMIT: usize = 5_000;
/// The depth to which schemas may be nested, where a value inside of another counts two and a reference or an
/// alternative one; deeper values are not constrained. A hundred optional structs inside of each other are well within.
pub(crate) const DEPTH_LIMIT: usize = 420;
