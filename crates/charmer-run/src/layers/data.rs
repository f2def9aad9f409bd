//! Data as it may go out: without what must not be seen, and no more of it than an assistant takes.

use std::{borrow::Cow, io, sync::Arc};

use charmer_core::output::{ITEMS_KEY, clean, mark_hidden};
use serde_json::Value;
use tower_service::Service;

use crate::{Call, CallError, CallService, Outcome, Redactor, process::Captured};

use super::{Around, entries::map_entries};

/// The step of a handler whose output is not read as data: what it gives as data is treated like all else that goes out.
#[derive(Debug, Clone)]
pub(crate) struct GivenData(pub(crate) Redactor);

impl Around for GivenData {
    async fn around(
        self: Arc<Self>,
        call: Call,
        mut inner: CallService,
    ) -> Result<Outcome, CallError> {
        let most = call.limits.output_chars;
        let mut outcome = inner.call(call).await?;
        if let Some(data) = outcome.data.take() {
            let mut data = plain(data, &self.0, &mut false);
            match fit(&mut data, most) {
                Some(cut) => {
                    outcome.items = cut;
                    outcome.data = Some(data);
                }
                None => outcome.stdout = Captured::whole(data.to_string()),
            }
        }
        Ok(outcome)
    }
}

/// Without what must not be seen: an escape in JSON can stand for a character that is invisible, or for a part of a
/// secret. Says whether there was any. All else in strings and keys stays as it is.
pub(super) fn plain(value: Value, redactor: &Redactor, hidden: &mut bool) -> Value {
    let text = |text: &str, hidden: &mut bool| {
        let drawn = clean(text);
        let plain = match redactor.text(&drawn) {
            // A terminal would have drawn a secret, though it does not stand there as it is.
            Cow::Owned(redacted) => redacted,
            Cow::Borrowed(_) => redactor.text(&mark_hidden(text)).into_owned(),
        };
        *hidden |= plain != text;
        plain
    };
    match value {
        Value::String(string) => text(&string, hidden).into(),
        Value::Array(items) => items
            .into_iter()
            .map(|item| plain(item, redactor, hidden))
            .collect(),
        Value::Object(entries) => {
            let mut hidden_in_keys = false;
            let entries = map_entries(
                entries,
                |key| text(key, &mut hidden_in_keys),
                |value| plain(value, redactor, hidden),
            );
            *hidden |= hidden_in_keys;
            entries.into()
        }
        other => other,
    }
}

/// Cuts the list in some data until an assistant can take it, and says how long it was if it had to. `None` where
/// nothing can be cut and it is too long.
pub(super) fn fit(data: &mut Value, most: usize) -> Option<Option<usize>> {
    let all = size(data);
    if all <= most {
        return Some(None);
    }
    let Some(Value::Array(items)) = data.get_mut(ITEMS_KEY) else {
        return None;
    };
    let mut left =
        most.saturating_sub(all - items.iter().map(|item| size(item) + 1).sum::<usize>());
    let total = items.len();
    let fitting = items.iter().take_while(|item| {
        let size = size(item) + 1;
        let fits = size <= left;
        left = left.saturating_sub(size);
        fits
    });
    let kept = fitting.count();
    if kept == 0 {
        return None;
    }
    items.truncate(kept);
    Some(Some(total))
}

/// The number of bytes of a value as JSON.
fn size(value: &Value) -> usize {
    struct Counter(usize);
    impl io::Write for Counter {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut counter = Counter(0);
    match serde_json::to_writer(&mut counter, value) {
        Ok(()) => counter.0,
        Err(_) => usize::MAX / 2,
    }
}
