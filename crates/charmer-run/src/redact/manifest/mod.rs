//! Credentials that are known by where they stand: the data of a Kubernetes `Secret`, and the tokens and keys of a
//! kubeconfig, in YAML and in JSON, also in JSON that stands escaped in a string.
//!
//! Nothing is parsed until a [marker] is seen: a key such as `data`, `kind` or `users`. From there a *watch* follows the
//! text, of JSON byte by byte and of YAML line by line, as far as the object goes that the key stands in. Keys come
//! sorted, so the data of a `Secret` stands before its kind: a watch that has seen `data` keeps it back until the kind
//! is known. A watch never looks back, so the outcome is the same however the text is cut into pieces.

mod flow;
mod json;
mod marker;
#[cfg(test)]
mod tests;
mod yaml;

use std::borrow::Cow;

use charmer_core::order;

use super::REDACTED;
use json::JsonWatch;
use marker::{SecretKeys, SeenKey, held_tail, is_in_flow, may_hold_credentials};
use yaml::YamlWatch;

/// The amount that is kept back at most. A `Secret` holds up to 1 MiB, and a third more in base64.
const LARGEST: usize = 2 << 20;
/// The maximum number of watches; they nest as JSON in strings of JSON does.
const MOST_WATCHES: usize = 32;
/// A credential in YAML, where brackets alone would make a list.
const REDACTED_IN_YAML: &str = "\"[redacted]\"";
/// A comment among the credentials, which stays one.
const REDACTED_COMMENT: &str = "# [redacted]";

/// A part of the text that is replaced. Places count from the start of the stream.
#[derive(Debug, Clone, Copy)]
struct Mask {
    start: usize,
    end: usize,
    shown: &'static str,
}

/// The watch that follows the text from a marker on.
#[derive(Debug)]
enum ManifestWatch {
    Json(JsonWatch),
    Yaml(YamlWatch),
}

/// Masks credentials in a stream, piece by piece.
#[derive(Debug)]
pub(super) struct ManifestStream {
    /// The bytes that were not given on yet.
    pending: Vec<u8>,
    /// Their place in the stream.
    base: usize,
    /// It begins a line.
    begins_line: bool,
    /// The text before it ends within a mapping of YAML in flow style.
    in_flow: bool,
    /// The place up to which markers were looked for.
    scanned: usize,
    watches: Vec<ManifestWatch>,
    masks: Vec<Mask>,
}

/// Text without such credentials.
pub(super) fn masked(text: &str) -> Cow<'_, str> {
    if !may_hold_credentials(text.as_bytes()) {
        return Cow::Borrowed(text);
    }
    let mut stream = ManifestStream::new();
    let mut out = stream.feed(text.as_bytes()).into_owned();
    out.extend(stream.finish());
    if out == text.as_bytes() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(
        String::from_utf8(out)
            .unwrap_or_else(|bad| String::from_utf8_lossy(bad.as_bytes()).into_owned()),
    )
}

impl ManifestStream {
    pub(super) fn new() -> Self {
        Self {
            pending: Vec::new(),
            base: 0,
            begins_line: true,
            in_flow: false,
            scanned: 0,
            watches: Vec::new(),
            masks: Vec::new(),
        }
    }

    /// Takes a piece and gives what is safe to show.
    pub(super) fn feed<'p>(&mut self, piece: &'p [u8]) -> Cow<'p, [u8]> {
        let is_idle = self.pending.is_empty() && self.watches.is_empty();
        if is_idle && SecretKeys::new(piece, 0).next().is_none() {
            let kept = held_tail(piece, self.begins_line, self.in_flow);
            let (given, held) = piece.split_at(piece.len() - kept);
            if let Some(&last) = given.last() {
                self.begins_line = last == b'\n';
            }
            self.in_flow = is_in_flow(given, self.in_flow);
            self.base += given.len();
            self.pending.extend_from_slice(held);
            self.scanned = self.base;
            return Cow::Borrowed(given);
        }
        self.pending.extend_from_slice(piece);
        Cow::Owned(self.advance(false))
    }

    /// Gives what is left.
    pub(super) fn finish(&mut self) -> Vec<u8> {
        self.advance(true)
    }

    /// The amount that is kept back at the moment.
    #[cfg(test)]
    fn held(&self) -> usize {
        self.pending.len()
    }

    fn advance(&mut self, is_end: bool) -> Vec<u8> {
        let undecided = self.look_for_markers(is_end);
        let end = self.base + self.pending.len();
        let Self {
            watches,
            pending,
            masks,
            base,
            ..
        } = self;
        watches.retain_mut(|watch| match watch {
            ManifestWatch::Json(watch) => watch.follow(pending, *base, masks, is_end),
            ManifestWatch::Yaml(watch) => watch.follow(pending, *base, masks, is_end),
        });
        let mut safe = end;
        if !is_end {
            let held = watches.iter().filter_map(|watch| match watch {
                ManifestWatch::Json(watch) => watch.holds_from(),
                ManifestWatch::Yaml(watch) => Some(watch.holds_from()),
            });
            safe = held.chain(undecided).fold(end, usize::min).max(*base);
        }
        self.give(safe)
    }

    /// Starts a watch for each marker. Returns where one may begin that is not there whole.
    fn look_for_markers(&mut self, is_end: bool) -> Option<usize> {
        let mut at = self.scanned - self.base;
        for (start, key) in SecretKeys::new(&self.pending, at) {
            at = start + key.len();
            let place = marker::KeyPlace {
                bytes: &self.pending,
                start,
                key,
                begins_line: self.begins_line,
                in_flow: self.in_flow,
            };
            match place.seen(is_end) {
                SeenKey::Nothing => {}
                SeenKey::Part(from) if self.pending.len() - from <= LARGEST => {
                    self.scanned = self.base + start;
                    return Some(self.base + from);
                }
                SeenKey::Part(_) => {}
                SeenKey::Whole(found) => {
                    let base = self.base;
                    self.masks
                        .extend(found.flow.iter().map(|(start, end)| Mask {
                            start: base + start,
                            end: base + end,
                            shown: REDACTED_IN_YAML,
                        }));
                    if self.watches.len() >= MOST_WATCHES {
                        continue;
                    }
                    let json = found.json.map(|found| JsonWatch::new(found, base));
                    let yaml = found.yaml.map(|found| YamlWatch::new(&found, base));
                    self.watches.extend(json.map(ManifestWatch::Json));
                    self.watches.extend(yaml.map(ManifestWatch::Yaml));
                }
            }
        }
        if is_end {
            return None;
        }
        let kept = held_tail(&self.pending, self.begins_line, self.in_flow);
        let from = self.base + self.pending.len() - kept;
        // What was looked at is not looked at again, or its watch would be started twice.
        self.scanned = from.max(self.base + at.min(self.pending.len()));
        Some(from)
    }

    /// Gives what comes before a place, with its credentials replaced.
    fn give(&mut self, mut end: usize) -> Vec<u8> {
        order::sort_by_key(&mut self.masks, |mask| (mask.start, mask.end));
        for mask in self.masks.iter().rev() {
            if mask.start < end && mask.end > end {
                end = mask.start;
            }
        }
        let mut out = Vec::with_capacity(end - self.base);
        let mut at = self.base;
        for mask in self.masks.iter().take_while(|mask| mask.end <= end) {
            if mask.start >= at {
                out.extend_from_slice(&self.pending[at - self.base..mask.start - self.base]);
                out.extend_from_slice(mask.shown.as_bytes());
            }
            at = at.max(mask.end);
        }
        out.extend_from_slice(&self.pending[at - self.base..end - self.base]);
        self.masks.retain(|mask| mask.end > end);
        if let Some(&last) = self.pending[..end - self.base].last() {
            self.begins_line = last == b'\n';
        }
        self.in_flow = is_in_flow(&self.pending[..end - self.base], self.in_flow);
        self.pending.drain(..end - self.base);
        self.base = end;
        self.scanned = self.scanned.max(end);
        out
    }
}
