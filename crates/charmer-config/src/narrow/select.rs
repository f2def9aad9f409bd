//! The key `select` of a file that includes another: a command must be chosen by both, and both entries hold.

use std::sync::Arc;

use charmer_run::Limits;

use super::{Narrowing, source::within_network};
use crate::{Config, LimitSettings, SelectEntry, SourceEntry, units::format_duration};

impl Narrowing<'_> {
    /// Every entry of the including file within every entry of the other. The first that matches is made of the first
    /// of each that match, because those of the included file are counted through first.
    pub(super) fn product(
        &mut self,
        steps: &[&str],
        file: &Config,
        base: &SourceEntry,
        own: Vec<SelectEntry>,
        limits: &LimitSettings,
    ) -> Vec<SelectEntry> {
        if own.is_empty() && base.select.is_empty() {
            return Vec::new();
        }
        let outer: Vec<Arc<SelectEntry>> = match base.select.is_empty() {
            true => vec![Arc::new(SelectEntry::default())],
            false => base.select.iter().cloned().map(Arc::new).collect(),
        };
        let said = !own.is_empty();
        let inner = match said {
            true => own,
            false => vec![SelectEntry::default()],
        };
        let mut all = Vec::new();
        for outer in &outer {
            for (at, inner) in inner.iter().enumerate() {
                let at = at.to_string();
                let steps: Vec<&str> = steps.iter().copied().chain(["select", &at]).collect();
                let mut one = self.entry(&steps, (file, base), outer, inner.clone(), limits);
                if !said {
                    one.position = outer.position.clone();
                    one.number = outer.number;
                }
                all.push(one);
            }
        }
        all
    }

    fn entry(
        &mut self,
        steps: &[&str],
        (file, source): (&Config, &SourceEntry),
        base: &Arc<SelectEntry>,
        mut own: SelectEntry,
        limits: &LimitSettings,
    ) -> SelectEntry {
        self.bound(steps, base, [&file.limits, limits], &mut own);
        let SelectEntry {
            commands,
            flags,
            inherited_flags,
            timeout,
            grace,
            rate_limit,
            retry,
            concurrency,
            serialize,
            confirm,
            confirmed_by_person,
            stdin,
            validate,
            filter,
            hooks,
            ask,
            structure,
            max_items,
            expose,
            assume_effect,
            network,
            position,
            number,
            baseline: _,
        } = own;
        let at = |key: &'static str| -> Vec<&str> { steps.iter().copied().chain([key]).collect() };
        let retry = match (&base.retry, retry) {
            (Some(base), Some(own)) if own.times <= base.times => Some(own),
            (base, Some(_)) => {
                let message = format!("`{}` does not try again so often", self.base);
                self.widens(&at("retry"), message);
                base.clone()
            }
            (base, None) => base.clone(),
        };
        let serialize = match &base.serialize {
            Some(key) => Some(self.fixed(
                &at("serialize"),
                key,
                serialize.unwrap_or_else(|| key.clone()),
            )),
            None => serialize,
        };
        let granted = base.network.or(source.network);
        let network = match network {
            Some(own) if !within_network(own, granted) => {
                let known = granted.map_or("all", |network| network.name());
                let message = format!("`{own}` reaches more than the `{known}` of `{}`", self.base);
                self.widens(&at("network"), message);
                base.network
            }
            own => own.or(base.network),
        };
        SelectEntry {
            commands,
            flags,
            inherited_flags,
            timeout,
            grace,
            rate_limit,
            retry,
            concurrency: self.number(&at("concurrency"), (base.concurrency, None), concurrency),
            serialize,
            confirm: match confirm {
                Some(own) if base.confirm.as_ref() != Some(&own) => {
                    let message = format!("`{}` does not have `{own}` confirm these", self.base);
                    self.widens(&at("confirm"), message);
                    base.confirm.clone()
                }
                _ => base.confirm.clone(),
            },
            confirmed_by_person: confirmed_by_person || base.confirmed_by_person,
            stdin: {
                if stdin && !base.stdin {
                    let message = format!("`{}` gives them no standard input", self.base);
                    self.widens(&at("stdin"), message);
                }
                base.stdin
            },
            validate,
            filter,
            hooks,
            ask,
            structure: structure.or(base.structure),
            max_items,
            expose: match self.said(&at("expose")) {
                true => expose,
                false => base.expose,
            },
            assume_effect: self.effect(&at("assume_effect"), base.assume_effect, assume_effect),
            network,
            position,
            number,
            baseline: Some(Arc::clone(base)),
        }
    }

    /// The limits of an entry within those of the entry which it narrows, where the files say these for all.
    fn bound(
        &mut self,
        steps: &[&str],
        base: &SelectEntry,
        [file, own_file]: [&LimitSettings; 2],
        own: &mut SelectEntry,
    ) {
        let at = |key: &'static str| -> Vec<&str> { steps.iter().copied().chain([key]).collect() };
        let usual = Limits::default();
        own.timeout = self.within_file(
            &at("timeout"),
            [base.timeout, file.timeout, Some(usual.timeout)],
            (own.timeout, own_file.timeout),
            format_duration,
        );
        own.grace = self.within_file(
            &at("grace"),
            [base.grace, file.grace, Some(usual.grace)],
            (own.grace, own_file.grace),
            format_duration,
        );
        own.max_items = self.within_file(
            &at("max_items"),
            [base.max_items, file.max_items, None],
            (own.max_items, own_file.max_items),
            |items| items.to_string(),
        );
    }

    /// A limit of an entry: at most that of the entry which it narrows, of that one's file, or the usual one, in this order.
    /// Where the entry says nothing of it, what its file says for all narrows that of the other entry.
    fn within_file<T: Copy + Ord>(
        &mut self,
        steps: &[&str],
        [entry, file, usual]: [Option<T>; 3],
        (own, own_file): (Option<T>, Option<T>),
        shown: impl Fn(T) -> String,
    ) -> Option<T> {
        match own {
            Some(_) => self.at_most(steps, (entry.or(file), usual), own, shown),
            None => entry.map(|entry| own_file.map_or(entry, |file| entry.min(file))),
        }
    }

    /// An entry of a source that the included file does not bound by one of its own.
    pub(super) fn free_selector(
        &mut self,
        source: &str,
        entry: usize,
        limits: &LimitSettings,
        mut own: SelectEntry,
    ) -> SelectEntry {
        let entry = entry.to_string();
        let (nothing, unsaid) = (SelectEntry::default(), LimitSettings::default());
        let steps = ["sources", source, "select", &entry];
        self.bound(&steps, &nothing, [limits, &unsaid], &mut own);
        own
    }
}
