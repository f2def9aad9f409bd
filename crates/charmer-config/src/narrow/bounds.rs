//! Numbers, durations and sizes that can only become smaller, and the keys under `http`.

use std::time::Duration;

use super::Narrowing;
use crate::{
    HttpCaps, HttpRules, RateLimitSettings,
    units::{format_duration, format_size},
};

/// The included file's bound, and the one that holds where it says nothing.
type FileBound<T> = (Option<T>, Option<T>);

impl Narrowing<'_> {
    /// The smaller one; it is a mistake if that is not the including file's.
    pub(super) fn at_most<T: Ord + Copy>(
        &mut self,
        steps: &[&str],
        (base, usual): FileBound<T>,
        own: Option<T>,
        show: impl Fn(T) -> String,
    ) -> Option<T> {
        let Some(own) = own else { return base };
        let bound = base.or(usual).filter(|bound| own > *bound);
        let Some(bound) = bound else { return Some(own) };
        let key = steps.last().copied().unwrap_or_default();
        let said = match base {
            Some(_) => format!("the {} of `{}`", show(bound), self.base),
            None => format!(
                "{}, the default, which `{}` leaves as it is",
                show(bound),
                self.base
            ),
        };
        self.widens(steps, format!("`{key}` is {}, more than {said}", show(own)));
        Some(bound)
    }

    pub(super) fn duration(
        &mut self,
        steps: &[&str],
        bound: FileBound<Duration>,
        own: Option<Duration>,
    ) -> Option<Duration> {
        self.at_most(steps, bound, own, format_duration)
    }

    pub(super) fn size(
        &mut self,
        steps: &[&str],
        bound: FileBound<u64>,
        own: Option<u64>,
    ) -> Option<u64> {
        self.at_most(steps, bound, own, format_size)
    }

    pub(super) fn number(
        &mut self,
        steps: &[&str],
        bound: FileBound<usize>,
        own: Option<usize>,
    ) -> Option<usize> {
        self.at_most(steps, bound, own, |number| number.to_string())
    }

    /// The slower rate; two that cannot be compared are a mistake.
    pub(super) fn rate(
        &mut self,
        steps: &[&str],
        base: Option<&RateLimitSettings>,
        own: Option<RateLimitSettings>,
    ) -> Option<RateLimitSettings> {
        let (Some(base), Some(own)) = (base, own.clone()) else {
            return base.cloned().or(own);
        };
        if own.calls <= base.calls && own.per >= base.per {
            return Some(own);
        }
        let message = format!(
            "{} calls in {} are not surely fewer than the {} in {} of `{}`",
            own.calls,
            format_duration(own.per),
            base.calls,
            format_duration(base.per),
            self.base
        );
        self.widens(steps, message);
        Some(base.clone())
    }

    pub(super) fn http(&mut self, base: &HttpRules, own: HttpRules) -> HttpRules {
        let HttpRules {
            allow_origins,
            allow_hosts,
            shared_credentials,
            max_body,
            header_timeout,
            body_timeout,
            write_timeout,
            idle_timeout,
            session_timeout,
            end_timeout,
            in_all,
            per_principal,
        } = own;
        let usual = HttpRules::defaults();
        if shared_credentials && !base.shared_credentials {
            let message = format!("`{}` does not let credentials be shared", self.base);
            self.widens(&["http", "shared_credentials"], message);
        }
        let shared_said = self.said(&["http", "shared_credentials"]);
        HttpRules {
            allow_origins: self.among("allow_origins", &base.allow_origins, allow_origins),
            allow_hosts: self.among("allow_hosts", &base.allow_hosts, allow_hosts),
            shared_credentials: base.shared_credentials && (shared_credentials || !shared_said),
            max_body: self.size(
                &["http", "max_body"],
                (base.max_body, usual.max_body),
                max_body,
            ),
            header_timeout: self.time(
                "header_timeout",
                (base.header_timeout, usual.header_timeout),
                header_timeout,
            ),
            body_timeout: self.time(
                "body_timeout",
                (base.body_timeout, usual.body_timeout),
                body_timeout,
            ),
            write_timeout: self.time(
                "write_timeout",
                (base.write_timeout, usual.write_timeout),
                write_timeout,
            ),
            idle_timeout: self.time(
                "idle_timeout",
                (base.idle_timeout, usual.idle_timeout),
                idle_timeout,
            ),
            session_timeout: self.time(
                "session_timeout",
                (base.session_timeout, usual.session_timeout),
                session_timeout,
            ),
            end_timeout: self.time(
                "end_timeout",
                (base.end_timeout, usual.end_timeout),
                end_timeout,
            ),
            in_all: self.caps(&["http"], &base.in_all, &usual.in_all, in_all),
            per_principal: self.caps(
                &["http", "per_principal"],
                &base.per_principal,
                &usual.per_principal,
                per_principal,
            ),
        }
    }

    fn time(
        &mut self,
        key: &str,
        bound: FileBound<Duration>,
        own: Option<Duration>,
    ) -> Option<Duration> {
        self.duration(&["http", key], bound, own)
    }

    /// The caps of a server, where `usual` holds what the included file does not say.
    pub(super) fn caps(
        &mut self,
        steps: &[&str],
        base: &HttpCaps,
        usual: &HttpCaps,
        own: HttpCaps,
    ) -> HttpCaps {
        let HttpCaps {
            max_connections,
            max_sessions,
            max_streams,
            max_calls,
        } = own;
        let mut cap = |key: &str, bound: FileBound<usize>, own: Option<usize>| {
            let steps: Vec<&str> = steps.iter().copied().chain([key]).collect();
            self.number(&steps, bound, own)
        };
        HttpCaps {
            max_connections: cap(
                "max_connections",
                (base.max_connections, usual.max_connections),
                max_connections,
            ),
            max_sessions: cap(
                "max_sessions",
                (base.max_sessions, usual.max_sessions),
                max_sessions,
            ),
            max_streams: cap(
                "max_streams",
                (base.max_streams, usual.max_streams),
                max_streams,
            ),
            max_calls: cap("max_calls", (base.max_calls, usual.max_calls), max_calls),
        }
    }

    /// A list under `http` that can only become shorter.
    fn among(&mut self, key: &str, base: &[String], own: Vec<String>) -> Vec<String> {
        if !self.said(&["http", key]) {
            return base.to_vec();
        }
        for one in &own {
            if !base.contains(one) {
                let message = format!("`{one}` is not among the `{key}` of `{}`", self.base);
                self.widens(&["http", key, one], message);
            }
        }
        own
    }
}
