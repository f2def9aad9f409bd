//! The key `drafts` of a file that includes another.

use charmer_core::model::Effect;
use charmer_run::{Applier, DraftRules};

use super::Narrowing;
use crate::{Config, DraftSettings, DraftedCalls, SourceEntry};

impl Narrowing<'_> {
    /// The key of a source. `base` is the source that it narrows, in this file.
    pub(super) fn drafted(
        &mut self,
        at: &str,
        (file, base): (&Config, Option<&SourceEntry>),
        own: Option<DraftedCalls>,
    ) -> Option<DraftedCalls> {
        let Some(own) = own else {
            // What the including file says of all calls is stricter than an exception of the included one.
            let base = base.and_then(|base| base.drafts);
            return base.filter(|_| !self.said(&["drafts"]));
        };
        let known = file.drafted(base);
        if known.is_some_and(|known| own.effect().is_none_or(|own| own > known)) {
            let known = known.map_or("never", Effect::name);
            let message = format!(
                "by `{}` calls of it are drafts from `{known}` on",
                self.base
            );
            self.widens(&["sources", at, "drafts"], message);
        }
        Some(own)
    }

    /// More calls are drafts, and less of them may be applied.
    pub(super) fn drafts(&mut self, base: &DraftSettings, own: DraftSettings) -> DraftSettings {
        let DraftSettings {
            effect,
            at_most,
            never,
            apply,
            disk,
            lifetime,
        } = own;
        let usual = DraftRules::default();
        let at = |key: &'static str| ["drafts", key];
        let effect = match (base.effect, effect) {
            (Some(base), Some(own)) if own > base => {
                let message = format!(
                    "by `{}` calls are drafts from `{}` on",
                    self.base,
                    base.name()
                );
                self.widens(&at("effect"), message);
                Some(base)
            }
            (base, own) => own.or(base),
        };
        let mut forbidden = base.never.clone();
        if let Some(never) = never {
            let all = forbidden.get_or_insert_with(|| usual.never.clone());
            for glob in never {
                if glob.starts_with('!') {
                    let message =
                        format!("`{glob}` is an exception to what `{}` forbids", self.base);
                    self.widens(&["drafts", "never", &glob], message);
                } else if !all.contains(&glob) {
                    all.push(glob);
                }
            }
        }
        if apply == Some(Applier::Assistant) && base.apply != apply {
            let message = format!("by `{}` an assistant does not apply all drafts", self.base);
            self.widens(&at("apply"), message);
        }
        DraftSettings {
            effect,
            at_most: self.number(&at("at_most"), (base.at_most, None), at_most),
            never: forbidden,
            apply: apply.or(base.apply),
            disk: self.size(&at("disk"), (base.disk, Some(usual.disk_bytes)), disk),
            lifetime: self.duration(
                &at("lifetime"),
                (base.lifetime, Some(usual.lifetime)),
                lifetime,
            ),
        }
    }
}
