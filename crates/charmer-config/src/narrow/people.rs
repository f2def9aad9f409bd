//! The key `principals` of a file that includes another: both entries of a principal hold.

use std::collections::{BTreeMap, BTreeSet};

use super::{Narrowing, both, source::hands_on};
use crate::{Config, HttpCaps, OTHERS, Pinned, PrincipalLimits, PrincipalRules, PrincipalValue};

impl Narrowing<'_> {
    /// For every name that one of the files has, what both say of it; `*` stands in where a file has no such name.
    pub(super) fn principals(
        &mut self,
        base: &Config,
        own: BTreeMap<String, PrincipalRules>,
    ) -> BTreeMap<String, PrincipalRules> {
        let names: BTreeSet<&String> = base.principals.keys().chain(own.keys()).collect();
        let mut all = BTreeMap::new();
        for name in names {
            let of_base = base
                .principals
                .get(name)
                .or_else(|| base.principals.get(OTHERS));
            let rules = match (of_base, own.get(name).or_else(|| own.get(OTHERS))) {
                (Some(of_base), None) => of_base.clone(),
                (of_base, Some(rules)) => {
                    let said = match own.contains_key(name) {
                        true => name.as_str(),
                        false => OTHERS,
                    };
                    let nothing = PrincipalRules::default();
                    let of_base = of_base.unwrap_or(&nothing);
                    self.principal(said, base, of_base, rules.clone())
                }
                (None, None) => continue,
            };
            all.insert(name.clone(), rules);
        }
        all
    }

    fn principal(
        &mut self,
        name: &str,
        file: &Config,
        base: &PrincipalRules,
        own: PrincipalRules,
    ) -> PrincipalRules {
        let PrincipalRules {
            environment,
            folder,
            set,
            allow,
            deny,
            limits,
            position,
            baseline: _,
        } = own;
        let at = |key: &'static str| ["principals", name, key];
        let folder = match &base.folder {
            Some(fixed) => Some(self.fixed(&at("folder"), fixed, folder.unwrap_or_default())),
            None => {
                if folder.is_some() {
                    self.folder_of_sources(file, &at("folder"));
                }
                folder
            }
        };
        PrincipalRules {
            environment: self.variables(name, file, base, environment),
            folder,
            set: self.pins(name, file, base, set),
            allow,
            deny: both(&base.deny, deny),
            limits: self.principal_limits(name, &base.limits, limits),
            position,
            baseline: Some(std::sync::Arc::new(base.clone())),
        }
    }

    /// A folder of a principal goes before those of sources.
    fn folder_of_sources(&mut self, file: &Config, steps: &[&str]) {
        if let Some(folder) = file
            .sources
            .iter()
            .find_map(|source| source.folder.as_ref())
        {
            let message = format!(
                "`{}` has a program run in `{}`, whoever calls",
                self.base,
                folder.display()
            );
            self.widens(steps, message);
        }
    }

    fn variables(
        &mut self,
        name: &str,
        file: &Config,
        base: &PrincipalRules,
        own: BTreeMap<String, PrincipalValue>,
    ) -> BTreeMap<String, PrincipalValue> {
        let mut all = base.environment.clone();
        for (variable, value) in own {
            let steps = ["principals", name, "environment", &variable];
            let withheld = file.sources.iter().any(|source| {
                let environment = &source.environment;
                !hands_on(environment, &variable) || environment.set.contains_key(&variable)
            });
            let hijacks = !hands_on(&Default::default(), &variable);
            match all.get(&variable) {
                Some(known) if *known == value => {}
                Some(_) => {
                    let message = format!("`{}` sets `{variable}` to something else", self.base);
                    self.widens(&steps, message);
                }
                None if hijacks => {
                    let message = format!(
                        "`{variable}` makes programs run something else, and `{}` does not ask for it",
                        self.base
                    );
                    self.widens(&steps, message);
                }
                None if withheld => {
                    let message = format!(
                        "`{}` does not let `{variable}` be handed to a program of its `sources`",
                        self.base
                    );
                    self.widens(&steps, message);
                }
                None => _ = all.insert(variable, value),
            }
        }
        all
    }

    /// Pinned flags by their names; whether two names mean one flag is seen when the program is known.
    fn pins(
        &mut self,
        name: &str,
        file: &Config,
        base: &PrincipalRules,
        own: BTreeMap<String, Pinned>,
    ) -> BTreeMap<String, Pinned> {
        let mut all = base.set.clone();
        for (flag, value) in own {
            let of_sources = file.sources.iter().flat_map(|source| &source.set);
            let mut known = base.set.iter().chain(of_sources);
            let other = known.any(|(pinned, pin)| bare(pinned) == bare(&flag) && *pin != value);
            if other {
                let message = format!("`{}` pins `{flag}` to something else", self.base);
                self.widens(&["principals", name, "set", &flag], message);
            } else if !all.keys().any(|pinned| bare(pinned) == bare(&flag)) {
                all.insert(flag, value);
            }
        }
        all
    }

    fn principal_limits(
        &mut self,
        name: &str,
        base: &PrincipalLimits,
        own: PrincipalLimits,
    ) -> PrincipalLimits {
        let PrincipalLimits {
            timeout,
            grace,
            capture,
            output,
            concurrency,
            rate_limit,
            http,
        } = own;
        let at = |key: &'static str| ["principals", name, "limits", key];
        PrincipalLimits {
            timeout: self.duration(&at("timeout"), (base.timeout, None), timeout),
            grace: self.duration(&at("grace"), (base.grace, None), grace),
            capture: self.size(&at("capture"), (base.capture, None), capture),
            output: self.number(&at("output"), (base.output, None), output),
            concurrency: self.number(&at("concurrency"), (base.concurrency, None), concurrency),
            rate_limit: self.rate(&at("rate_limit"), base.rate_limit.as_ref(), rate_limit),
            http: self.caps(
                &["principals", name, "limits"],
                &base.http,
                &HttpCaps::default(),
                http,
            ),
        }
    }
}

/// A flag's name without its dashes, and without the program that it is for.
pub(super) fn bare(name: &str) -> &str {
    let name = name.rsplit(':').next().unwrap_or(name);
    name.trim_start_matches('-')
}
