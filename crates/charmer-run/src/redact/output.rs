//! One stream of output on its way: credentials of manifests are masked first, then what was named as secret.

use std::borrow::Cow;

use super::{manifest::ManifestStream, stream::RedactedStream};

#[derive(Debug)]
pub(crate) struct RedactedOutput {
    manifests: ManifestStream,
    named: Option<RedactedStream>,
}

impl RedactedOutput {
    pub(super) fn new(named: Option<RedactedStream>) -> Self {
        Self {
            manifests: ManifestStream::new(),
            named,
        }
    }

    /// Takes a piece and gives what is safe to show.
    pub(crate) fn feed<'p>(&mut self, piece: &'p [u8]) -> Cow<'p, [u8]> {
        let masked = self.manifests.feed(piece);
        match &mut self.named {
            Some(named) => Cow::Owned(named.feed(&masked)),
            None => masked,
        }
    }

    /// Gives what is left.
    pub(crate) fn finish(&mut self) -> Vec<u8> {
        let masked = self.manifests.finish();
        let Some(named) = &mut self.named else {
            return masked;
        };
        let mut out = named.feed(&masked);
        out.extend(named.finish());
        out
    }
}
