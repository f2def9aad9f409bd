//! The key `sources` of a file that includes another.

use std::{collections::BTreeMap, sync::Arc};

use charmer_core::model::{Effect, Network};

use super::{Narrowing, both, people::bare};
use crate::{
    ArgOverride, CommandOverride, Completion, Config, EnvironmentRules, FlagOverride, HookRules,
    Inherit, Knowledge, LimitSettings, Pinned, Redirects, SourceEntry, SourceKind,
};

/// The value of a variable that is sent through an environment to see whether it arrives.
const PROBE: &str = "handed on";

/// Returns true if programs see the server's own value of a variable.
pub(super) fn hands_on(environment: &EnvironmentRules, name: &str) -> bool {
    let rules = EnvironmentRules {
        set: BTreeMap::new(),
        ..environment.clone()
    };
    let seen = rules.resolve([(name.into(), PROBE.into())]);
    seen.get(name).is_some_and(|value| value == PROBE)
}

/// The name of a source in messages.
fn written(origin: &SourceKind) -> String {
    match origin {
        SourceKind::Binary(path) | SourceKind::Spells(path) => path.display().to_string(),
    }
}

/// Returns true if a network reaches nothing that the other does not.
pub(super) fn within_network(own: Network, base: Option<Network>) -> bool {
    matches!(base, None | Some(Network::All)) || own == Network::None || base == Some(own)
}

impl Narrowing<'_> {
    /// The sources of both. `limits` are the including file's own.
    pub(super) fn sources(
        &mut self,
        base: &Config,
        own: Vec<SourceEntry>,
        limits: &LimitSettings,
    ) -> Vec<SourceEntry> {
        if base.sources.is_empty() {
            let own = own.into_iter().enumerate();
            return own
                .map(|(at, source)| self.free_source(at, base, source))
                .collect();
        }
        if own.is_empty() {
            let all = base.sources.iter();
            return all
                .map(|source| self.unchanged(base, source, limits))
                .collect();
        }
        let mut taken = Vec::new();
        let mut all = Vec::new();
        for (at, source) in own.into_iter().enumerate() {
            let at = at.to_string();
            let key = match source.origin {
                SourceKind::Binary(_) => "binary",
                SourceKind::Spells(_) => "spells",
            };
            let steps = ["sources", &at, key];
            let is_it = |known: &&SourceEntry| {
                known.origin == source.origin
                    && (source.prefix.is_none() || source.prefix == known.prefix)
            };
            let mut of_base = base.sources.iter().filter(is_it);
            match (of_base.next(), of_base.next()) {
                (None, _) => {
                    let names: Vec<String> = base
                        .sources
                        .iter()
                        .map(|known| written(&known.origin))
                        .collect();
                    let message = format!(
                        "`{}` is not among the `sources` of `{}`",
                        written(&source.origin),
                        self.base
                    );
                    let hint = format!(
                        "it has `{}`: write one as it stands there, with its `prefix` if it has one, or add this one there",
                        names.join("`, `")
                    );
                    self.mistake(&steps, message, hint);
                }
                (Some(known), _) if taken.contains(&std::ptr::from_ref(known)) => {
                    let message = format!("`{}` stands here twice", written(&source.origin));
                    self.mistake(&steps, message, "put both entries together");
                }
                (Some(_), Some(_)) => {
                    let message = format!(
                        "`{}` has `{}` more than once",
                        self.base,
                        written(&source.origin)
                    );
                    self.mistake(&steps, message, "say which is meant by its `prefix`");
                }
                (Some(known), None) => {
                    taken.push(std::ptr::from_ref(known));
                    all.push(self.source(&at, base, known, source, limits));
                }
            }
        }
        all
    }

    /// A source of the included file that the including one says nothing of.
    fn unchanged(
        &mut self,
        file: &Config,
        base: &SourceEntry,
        limits: &LimitSettings,
    ) -> SourceEntry {
        SourceEntry {
            hooks: HookRules::default(),
            ask: Vec::new(),
            drafts: self.drafted("", (file, Some(base)), None),
            select: self.product(&["sources"], file, base, Vec::new(), limits),
            expect: Vec::new(),
            baseline: Some(Arc::new(base.clone())),
            ..base.clone()
        }
    }

    /// A source where the included file says nothing of programs: it is bounded by the rest of that file.
    fn free_source(&mut self, at: usize, base: &Config, mut own: SourceEntry) -> SourceEntry {
        let at = at.to_string();
        if own.confine != Default::default() {
            let steps = ["sources", &at, "confine"];
            own.confine = self.confine(&steps, &base.confine, own.confine);
        }
        own.drafts = self.drafted(&at, (base, None), own.drafts);
        let entries = own.select.into_iter().enumerate();
        own.select = entries
            .map(|(entry, own)| self.free_selector(&at, entry, &base.limits, own))
            .collect();
        own
    }

    fn source(
        &mut self,
        at: &str,
        file: &Config,
        base: &SourceEntry,
        own: SourceEntry,
        limits: &LimitSettings,
    ) -> SourceEntry {
        let SourceEntry {
            origin,
            prefix,
            layout,
            environment,
            folder,
            mcp_mode,
            completion,
            read_only,
            redirects,
            network,
            credentials,
            confine,
            set,
            undone_by,
            hooks,
            ask,
            drafts,
            known,
            overrides,
            select,
            position,
            expect,
            baseline: _,
        } = own;
        let steps = |key: &'static str| ["sources", at, key];
        if base.read_only && !read_only && self.said(&steps("read_only")) {
            let message = format!("`{}` offers only reading of it", self.base);
            self.widens(&steps("read_only"), message);
        }
        if mcp_mode && !base.mcp_mode && self.said(&steps("mcp_mode")) {
            let message = format!("`mcp_mode` is off in `{}`", self.base);
            self.widens(&steps("mcp_mode"), message);
        }
        if completion == Completion::Program && base.completion != completion {
            let message = format!("`{}` does not have the program asked", self.base);
            self.widens(&steps("completion"), message);
        }
        let network = match network {
            Some(own) if !within_network(own, base.network) => {
                let known = base.network.map_or("all", Network::name);
                let message = format!("`{own}` reaches more than the `{known}` of `{}`", self.base);
                self.widens(&steps("network"), message);
                base.network
            }
            own => own.or(base.network),
        };
        let held = base.confine.over(&file.confine);
        let confine = match confine == Default::default() {
            true => base.confine.clone(),
            false => self.confine(&steps("confine"), &held, confine),
        };
        SourceEntry {
            origin,
            // It was chosen by its prefix, if it has one here.
            prefix: prefix.or_else(|| base.prefix.clone()),
            layout: self.fixed(&steps("layout"), &base.layout, layout),
            environment: self.environment(at, &base.environment, environment),
            folder: match &base.folder {
                Some(fixed) => Some(self.fixed(
                    &steps("folder"),
                    fixed,
                    folder.unwrap_or_else(|| fixed.clone()),
                )),
                None => folder,
            },
            mcp_mode: base.mcp_mode && (mcp_mode || !self.said(&steps("mcp_mode"))),
            completion: match self.said(&steps("completion")) {
                true => completion,
                false => base.completion,
            },
            read_only: read_only || base.read_only,
            redirects: self.redirects(&steps("redirects"), &base.redirects, redirects),
            network,
            credentials: self.credentials(at, base, credentials),
            confine,
            set: self.pinned(at, &base.set, set),
            undone_by: self.undone(at, base, undone_by),
            hooks,
            ask,
            drafts: self.drafted(at, (file, Some(base)), drafts),
            known: self.known(at, &base.known, known),
            overrides: self.overrides(at, &base.overrides, overrides),
            select: self.product(&["sources", at], file, base, select, limits),
            position,
            expect,
            baseline: Some(Arc::new(base.clone())),
        }
    }

    fn environment(
        &mut self,
        at: &str,
        base: &EnvironmentRules,
        own: EnvironmentRules,
    ) -> EnvironmentRules {
        let EnvironmentRules {
            inherit,
            set,
            remove,
        } = own;
        let steps = |key: &'static str| ["sources", at, "environment", key];
        let mut merged = base.clone();
        if self.said(&steps("inherit")) {
            let more: Option<String> = match &inherit {
                Inherit::All => (base.inherit != Inherit::All).then(|| "all".to_owned()),
                Inherit::Only(names) => names.iter().find(|name| !hands_on(base, name)).cloned(),
            };
            match more {
                Some(name) => {
                    let message = format!("`{}` does not hand on `{name}`", self.base);
                    self.widens(&["sources", at, "environment", "inherit", &name], message);
                }
                None => merged.inherit = inherit,
            }
        }
        for (name, value) in set {
            let place = ["sources", at, "environment", "set", &name];
            match base.set.get(&name) {
                Some(known) if *known == value => {}
                Some(_) => {
                    let message = format!("`{}` sets `{name}` to something else", self.base);
                    self.widens(&place, message);
                }
                // Whoever starts the server could set it as well.
                None if hands_on(base, &name) => _ = merged.set.insert(name, value),
                None => {
                    let message = format!("`{}` does not let `{name}` in", self.base);
                    self.widens(&place, message);
                }
            }
        }
        for name in &remove {
            if base.set.contains_key(name) {
                let message = format!("`{}` sets `{name}`", self.base);
                self.widens(&["sources", at, "environment", "remove", name], message);
            }
        }
        merged.remove = both(&base.remove, remove);
        merged
    }

    fn redirects(&mut self, steps: &[&str], base: &Redirects, own: Redirects) -> Redirects {
        if !self.said(steps) {
            return base.clone();
        }
        let extra: Option<String> = match (base, &own) {
            (Redirects::All, _) | (_, Redirects::None) => None,
            (_, Redirects::All) => Some("all".to_owned()),
            (Redirects::None, Redirects::Only(names)) => names.first().cloned(),
            (Redirects::Only(known), Redirects::Only(names)) => names
                .iter()
                .find(|name| !known.iter().any(|one| bare(one) == bare(name)))
                .cloned(),
        };
        match (extra, own) {
            (Some(name), _) => {
                let message = format!("`{}` does not let `{name}` in", self.base);
                let steps: Vec<&str> = steps.iter().copied().chain([name.as_str()]).collect();
                self.widens(&steps, message);
                base.clone()
            }
            // An empty list, because a profile is asked where nothing is said.
            (None, Redirects::None) if *base != Redirects::None => Redirects::Only(Vec::new()),
            (None, own) => own,
        }
    }

    fn credentials(
        &mut self,
        at: &str,
        base: &SourceEntry,
        own: Option<Vec<std::path::PathBuf>>,
    ) -> Option<Vec<std::path::PathBuf>> {
        let known = base.credentials.clone().unwrap_or_default();
        for path in own.iter().flatten().filter(|path| !known.contains(path)) {
            let message = format!(
                "`{}` is not among the `credentials` of `{}`",
                path.display(),
                self.base
            );
            self.widens(&["sources", at, "credentials"], message);
        }
        own.or_else(|| base.credentials.clone())
    }

    /// Whether two names mean one flag, and whether a caller could give it, is seen when the program is known.
    fn pinned(
        &mut self,
        at: &str,
        base: &BTreeMap<String, Pinned>,
        own: BTreeMap<String, Pinned>,
    ) -> BTreeMap<String, Pinned> {
        let mut all = base.clone();
        for (name, value) in own {
            let same = base.iter().find(|(flag, _)| bare(flag) == bare(&name));
            match same {
                Some((_, known)) if *known == value => {}
                Some(_) => {
                    let message = format!("`{}` pins `{name}` to something else", self.base);
                    self.widens(&["sources", at, "set", &name], message);
                }
                None => _ = all.insert(name, value),
            }
        }
        all
    }

    fn undone(
        &mut self,
        at: &str,
        base: &SourceEntry,
        own: BTreeMap<String, Vec<String>>,
    ) -> BTreeMap<String, Vec<String>> {
        let mut all = base.undone_by.clone();
        for (pin, flags) in own {
            if base.set.keys().any(|name| bare(name) == bare(&pin)) && !all.contains_key(&pin) {
                // What a profile says of it would no longer count.
                let message = format!("`{}` pins `{pin}` and says what undoes it", self.base);
                self.widens(&["sources", at, "undone_by", &pin], message);
            } else {
                let known = all.entry(pin).or_default();
                *known = both(known, flags);
            }
        }
        all
    }

    /// Takes what is known of a program from the included file, but for how people find its commands.
    fn known(&mut self, at: &str, base: &Knowledge, own: Knowledge) -> Knowledge {
        let Knowledge {
            helpers,
            caches,
            prints_secrets,
            long_running,
            common,
            phrases,
            repeated,
            json,
            preview,
        } = own;
        let steps = |key: &'static str| ["sources", at, key];
        let mut merged = base.clone();
        self.fixed(&steps("helpers"), &base.helpers, helpers);
        self.fixed(&steps("caches"), &base.caches, caches);
        self.fixed(&steps("repeated"), &base.repeated, repeated);
        self.fixed(&steps("json"), &base.json, json);
        self.fixed(&steps("preview"), &base.preview, preview);
        if base.prints_secrets.is_empty() && !prints_secrets.is_empty() {
            // The list would take the place of a profile's.
            let message = format!("`{}` has no `prints_secrets` to add to", self.base);
            self.widens(&steps("prints_secrets"), message);
        }
        merged.prints_secrets = both(&base.prints_secrets, prints_secrets);
        merged.long_running = both(&base.long_running, long_running);
        if !common.is_empty() {
            merged.common = common;
        }
        for (command, said) in phrases {
            let known = merged.phrases.entry(command).or_default();
            *known = both(known, said);
        }
        merged
    }

    /// Corrections that leave something out, label something worse, or describe it.
    fn overrides(
        &mut self,
        at: &str,
        base: &BTreeMap<String, CommandOverride>,
        own: BTreeMap<String, CommandOverride>,
    ) -> BTreeMap<String, CommandOverride> {
        let mut all = base.clone();
        for (name, own) in own {
            let merged = all.entry(name.clone()).or_insert_with(|| CommandOverride {
                position: own.position.clone(),
                ..CommandOverride::default()
            });
            let before = merged.clone();
            *merged = self.correction(&["sources", at, "override", &name], &before, own);
        }
        all
    }

    fn correction(
        &mut self,
        steps: &[&str],
        base: &CommandOverride,
        own: CommandOverride,
    ) -> CommandOverride {
        let CommandOverride {
            position: _,
            add,
            optional,
            description,
            usage,
            examples,
            title,
            effect,
            network,
            idempotent,
            open_world,
            runnable,
            exclude,
            stdin,
            confirm,
            args,
            flags,
            output,
        } = own;
        let mut merged = base.clone();
        let at = |key: &'static str| -> Vec<&str> { steps.iter().copied().chain([key]).collect() };
        self.fixed(&at("add"), &base.add, add);
        self.fixed(&at("usage"), &base.usage, usage);
        self.fixed(&at("idempotent"), &base.idempotent, idempotent);
        self.fixed(&at("open_world"), &base.open_world, open_world);
        self.fixed(&at("runnable"), &base.runnable, runnable);
        self.fixed(&at("stdin"), &base.stdin, stdin);
        self.fixed(&at("confirm"), &base.confirm, confirm);
        self.fixed::<Option<Vec<ArgOverride>>>(&at("args"), &base.args, args);
        self.fixed(&at("network"), &base.network, network);
        if base.output.is_some() {
            self.fixed(&at("output"), &base.output, output);
        } else {
            merged.output = output;
        }
        merged.optional |= optional;
        merged.effect = self.effect(&at("effect"), base.effect, effect);
        merged.exclude = self.exclusion(&at("exclude"), base.exclude, exclude);
        merged.description = description.or(merged.description);
        merged.examples = examples.or(merged.examples);
        merged.title = title.or(merged.title);
        for (name, own) in flags {
            let place: Vec<&str> = steps.iter().copied().chain(["flags", &name]).collect();
            let known = merged.flags.get(&name).cloned().unwrap_or_default();
            let flag = self.flag(&place, &known, own);
            merged.flags.insert(name.clone(), flag);
        }
        merged
    }

    fn flag(&mut self, steps: &[&str], base: &FlagOverride, own: FlagOverride) -> FlagOverride {
        let FlagOverride {
            add,
            optional,
            value_type,
            description,
            required,
            choices,
            default,
            bare,
            repeat,
            short,
            global,
            exclude,
            effect,
            redirects,
        } = own;
        let mut merged = base.clone();
        let at = |key: &'static str| -> Vec<&str> { steps.iter().copied().chain([key]).collect() };
        self.fixed(&at("add"), &base.add, add);
        self.fixed(&at("type"), &base.value_type, value_type);
        self.fixed(&at("enum"), &base.choices, choices);
        self.fixed(&at("default"), &base.default, default);
        self.fixed(&at("bare"), &base.bare, bare);
        self.fixed(&at("repeat"), &base.repeat, repeat);
        self.fixed(&at("short"), &base.short, short);
        self.fixed(&at("global"), &base.global, global);
        self.fixed(&at("effect"), &base.effect, effect);
        merged.optional |= optional;
        merged.description = description.or(merged.description);
        merged.exclude = self.exclusion(&at("exclude"), base.exclude, exclude);
        merged.redirects = match redirects {
            Some(false) if base.redirects != Some(false) => {
                let message = format!("`{}` does not say that it redirects nothing", self.base);
                self.widens(&at("redirects"), message);
                base.redirects
            }
            own => own.or(base.redirects),
        };
        merged.required = match required {
            Some(false) if base.required != Some(false) => {
                let message = format!("`{}` does not say that it may be left out", self.base);
                self.widens(&at("required"), message);
                base.required
            }
            own => own.or(base.required),
        };
        merged
    }

    fn exclusion(&mut self, steps: &[&str], base: Option<bool>, own: Option<bool>) -> Option<bool> {
        if own == Some(false) && base != Some(false) {
            let message = format!("`{}` does not bring it back", self.base);
            self.widens(steps, message);
            return base;
        }
        own.or(base)
    }

    /// The worse of two labels. What the included file leaves to others to say can only be called the worst.
    pub(super) fn effect(
        &mut self,
        steps: &[&str],
        base: Option<Effect>,
        own: Option<Effect>,
    ) -> Option<Effect> {
        let Some(own) = own else { return base };
        if own < base.unwrap_or(Effect::Destroy) {
            let known = match base {
                Some(base) => format!("`{}` says `{}`", self.base, base.name()),
                None => format!("`{}` leaves it to what is known of the program", self.base),
            };
            self.widens(
                steps,
                format!("`{}` may be too little: {known}", own.name()),
            );
            return base;
        }
        Some(own)
    }
}
