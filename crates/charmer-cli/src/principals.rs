//! As whom calls run: what `principals` in the file makes of the tools, the command lines and the environment of each client.

use std::{
    collections::HashMap,
    ffi::OsString,
    fs::File,
    io::Read,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use charmer_config::{
    BadPrincipalName, Config, Pinned, PrincipalLimits, PrincipalRules, PrincipalValue,
};
use charmer_core::model::Cli;
use charmer_run::{
    CallError, CallService, ErrorCode, Redactor, ToolSet, into_service, layers::RateLimit,
    process::PrincipalVariables, wrap,
};
use charmer_server::{HttpListener, PrincipalTools};
use tokio::sync::Semaphore;
use tower::{Service, service_fn};

use crate::{
    args::Selection,
    assemble::Assembler,
    output,
    policy::unmatched_globs,
    problem::Problem,
    set::{self, SetFlag},
    settings::{ServedProgram, Settings},
};

/// The largest file that holds a secret.
const LARGEST: u64 = 64 << 10;

/// The selection of one principal, beside what the command line says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PrincipalSelection {
    pub(crate) name: String,
    pub(crate) allow: Vec<String>,
    pub(crate) deny: Vec<String>,
    /// The selection that an included file lets it run, and the flags that are pinned for it there.
    pub(crate) baseline: Option<Box<(Self, Vec<SetFlag>)>>,
}

impl PrincipalSelection {
    fn new(name: &str, rules: &PrincipalRules, everybodys: &Selection) -> Self {
        let baseline = rules.baseline.as_deref().map(|baseline| {
            let own = Self::new(name, baseline, everybodys);
            Box::new((own, pinned(everybodys, &baseline.set)))
        });
        Self {
            name: name.to_owned(),
            allow: rules.allow.clone(),
            deny: rules.deny.clone(),
            baseline,
        }
    }

    /// The lists of commands that it may run, each of which must have a command: that of the file, and those of the files
    /// that it includes.
    pub(crate) fn allow_lists(&self) -> impl Iterator<Item = &Vec<String>> {
        let all = std::iter::successors(Some(self), |own| {
            own.baseline.as_ref().map(|baseline| &baseline.0)
        });
        all.map(|own| &own.allow).filter(|allow| !allow.is_empty())
    }
}

/// The bounds of all calls of one principal together.
#[derive(Debug, Clone)]
pub(crate) struct PrincipalGate {
    pub(crate) name: Arc<str>,
    pub(crate) limits: PrincipalLimits,
    rate_limit: Option<RateLimit>,
    places: Option<Arc<Semaphore>>,
}

impl PrincipalGate {
    fn new(name: &str, limits: &PrincipalLimits) -> Self {
        Self {
            name: name.into(),
            rate_limit: limits.rate_limit.as_ref().map(|limit| limit.layer()),
            places: limits
                .concurrency
                .map(|most| Arc::new(Semaphore::new(most))),
            limits: limits.clone(),
        }
    }

    /// Puts it before a call path.
    pub(crate) fn before(&self, mut inner: CallService) -> CallService {
        if let Some(places) = self.places.clone() {
            let path = inner;
            inner = into_service(service_fn(move |call: charmer_run::Call| {
                let (mut path, places) = (path.clone(), Arc::clone(&places));
                async move {
                    let cancelled = call.cancel.clone();
                    let place = cancelled.run_until_cancelled(places.acquire_owned());
                    let _place = place.await.ok_or_else(|| {
                        CallError::new(
                            ErrorCode::Cancelled,
                            "the call was cancelled before it began",
                        )
                    })?;
                    path.call(call).await
                }
            }));
        }
        match &self.rate_limit {
            Some(limit) => wrap(limit, inner),
            None => inner,
        }
    }
}

/// The settings of a server as one principal has them.
pub(crate) fn settings_of(settings: &Settings, name: &str, rules: &PrincipalRules) -> Settings {
    let mut own = settings.clone();
    let selection = &mut own.selection;
    selection.principal = Some(PrincipalSelection::new(name, rules, selection));
    selection.set = pinned(selection, &rules.set);
    for program in &mut own.programs {
        for (variable, value) in &rules.environment {
            // What is in files is asked for at each call.
            if let PrincipalValue::Text(value) = value {
                let set = &mut program.source.environment.set;
                set.insert(variable.clone(), value.clone());
            }
        }
        if rules.folder.is_some() {
            program.source.folder.clone_from(&rules.folder);
        }
    }
    if rules.folder.is_some() {
        // Nobody else says where its calls run.
        own.folders = Default::default();
    }
    own
}

/// The bounds of a principal's calls together.
pub(crate) fn gate_of(name: &str, rules: &PrincipalRules) -> PrincipalGate {
    PrincipalGate::new(name, &rules.limits)
}

/// The flags that are pinned for a principal, which go before those of everybody.
fn pinned(selection: &Selection, set: &std::collections::BTreeMap<String, Pinned>) -> Vec<SetFlag> {
    let bare = |name: &str| name.trim_start_matches('-').to_owned();
    let own = |flag: &&SetFlag| !set.keys().any(|name| bare(name) == bare(flag.flag()));
    let mut all: Vec<SetFlag> = selection.set.iter().filter(own).cloned().collect();
    for (flag, value) in set {
        let values = match value {
            Pinned::Switch(true) => vec![None],
            Pinned::Switch(false) => vec![Some("false".to_owned())],
            Pinned::Text(text) => vec![Some(text.clone())],
            Pinned::List(list) => list.iter().cloned().map(Some).collect(),
            _ => Vec::new(),
        };
        all.extend(values.into_iter().map(|value| SetFlag::of(flag, value)));
    }
    all
}

/// Makes sure that every principal's pinned flags are there; says which of its globs match nothing.
pub(crate) fn check(
    settings: &Settings,
    programs: &[ServedProgram],
    models: &[&Cli],
) -> Result<Vec<String>, Problem> {
    let mut warnings = Vec::new();
    for (name, rules) in &settings.config.principals {
        let own = settings_of(settings, name, rules).selection;
        let told = |problem: Problem| {
            let message = format!("the principal `{name}`: {}", problem.message());
            let again = Problem::mistake(message);
            match problem.next() {
                Some(hint) => again.hint(hint),
                None => again,
            }
        };
        set::check_programs(&own, programs).map_err(told)?;
        set::check_flags(&own, models).map_err(told)?;
        for (key, globs) in [("allow", &rules.allow), ("deny", &rules.deny)] {
            for glob in globs {
                let one = vec![glob.clone()];
                let unmatched = models.iter().map(|cli| unmatched_globs(cli, [(key, &one)]));
                let mut unmatched = unmatched.flatten();
                let first = unmatched.next();
                // One program that has it is enough.
                if unmatched.count() + 1 == models.len()
                    && let Some(first) = first
                    && settings.spells.is_none()
                {
                    warnings.push(format!("the principal `{name}`: {}", first.warning));
                }
            }
        }
    }
    Ok(warnings)
}

/// The variables of each principal. `strict` refuses calls of those who would use the server's own credentials.
pub(crate) fn variables(config: &Config, redactor: Redactor, strict: bool) -> PrincipalVariables {
    let config = config.clone();
    PrincipalVariables::new(move |name| {
        let rules = match config.principal(name) {
            Some(rules) => rules.map_err(|bad| refused(&bad))?,
            None => PrincipalRules::default(),
        };
        if strict && rules.environment.is_empty() {
            let message = format!("`{name}` has no credentials of its own on this server");
            return Err(CallError::refused(message)
                .hint("ask whoever runs it for an `environment` under `principals`"));
        }
        let values = rules.environment.iter().map(|(variable, value)| {
            let value = match value {
                PrincipalValue::Text(text) => text.reveal().to_owned(),
                PrincipalValue::File { file } => {
                    let secret = secret(file).map_err(|error| unread(variable, file, &error))?;
                    redactor.learn(&secret);
                    secret
                }
                _ => String::new(),
            };
            Ok((OsString::from(variable), OsString::from(value)))
        });
        values.collect()
    })
}

fn refused(bad: &BadPrincipalName) -> CallError {
    CallError::refused(bad.to_string()).hint("ask whoever runs this server for another name")
}

fn unread(variable: &str, file: &Path, error: &str) -> CallError {
    output::warn(&format!("`{variable}`: `{}` {error}", file.display()));
    let message = format!("the credentials in `{variable}` cannot be read on the server");
    CallError::new(ErrorCode::NotStarted, message)
        .hint("whoever runs it finds the reason in its log")
}

/// The secret that a file holds, without the end of its line.
fn secret(file: &Path) -> Result<String, String> {
    let failed = |error: std::io::Error| format!("cannot be read: {error}");
    let opened = File::open(file).map_err(failed)?;
    if !opened.metadata().map_err(failed)?.is_file() {
        return Err("is no file".into());
    }
    let mut text = String::new();
    let read = opened.take(LARGEST + 1).read_to_string(&mut text);
    read.map_err(failed)?;
    if text.len() as u64 > LARGEST {
        return Err("is larger than 64 KiB".into());
    }
    let text = text.trim_end_matches(['\r', '\n']);
    match text.is_empty() || text.contains('\0') {
        true => Err("holds no value".into()),
        false => Ok(text.to_owned()),
    }
}

/// The tools of each principal that has an entry, put together when it first asks.
pub(crate) struct PrincipalOffers {
    everybody: Arc<Assembler>,
    known: Mutex<HashMap<String, Result<Arc<Assembler>, String>>>,
}

impl PrincipalOffers {
    pub(crate) fn new(everybody: Arc<Assembler>) -> Self {
        Self {
            everybody,
            known: Mutex::default(),
        }
    }

    fn assembler(&self, name: &str) -> Result<Arc<Assembler>, String> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let own = known.entry(name.to_owned()).or_insert_with(|| {
            match self.everybody.of_principal(name) {
                None => Ok(Arc::clone(&self.everybody)),
                Some(own) => own.map(Arc::new).map_err(|bad| bad.to_string()),
            }
        });
        own.clone()
    }
}

impl PrincipalTools for PrincipalOffers {
    fn has_own(&self, principal: &str) -> bool {
        self.everybody.has_principal(principal)
    }

    fn tools(&self, principal: &str, all: &ToolSet) -> ToolSet {
        let own = match self.assembler(principal) {
            Ok(own) => own,
            Err(why) => return all.refused(&why),
        };
        match own.assemble(&self.everybody.found()) {
            Ok(assembled) => own.offered(&assembled.tools, false).tools,
            Err(problem) => {
                output::warn(&format!("the principal `{principal}`: {problem}"));
                all.refused("the server's settings for you do not fit its programs")
            }
        }
    }
}

/// Refuses to serve people on other machines with the server's own credentials, unless the file says that this is meant.
/// Returns true if whoever has none of its own is to be refused.
pub(crate) fn check_credentials(listener: &HttpListener, config: &Config) -> Result<bool, Problem> {
    if !listener.is_reachable() {
        return Ok(false);
    }
    if config.http.shared_credentials {
        output::note(
            "`shared_credentials` is on: everybody who is let in uses the credentials of this server, as the same person",
        );
        return Ok(false);
    }
    let denies_all =
        |rules: &PrincipalRules| rules.deny.iter().any(|glob| ["*", "**"].contains(&&**glob));
    let without = |name: &Arc<str>| match config.principal(name) {
        Some(Ok(rules)) => rules.environment.is_empty() && !denies_all(&rules),
        // It is refused anyway.
        Some(Err(_)) => false,
        None => true,
    };
    let names = listener.principals();
    let Some(name) = names.iter().find(|name| without(name)) else {
        return Ok(true);
    };
    let message = format!(
        "{} can be reached from other machines, and `{name}` would use the credentials of this server, as everybody",
        listener.url()
    );
    Err(Problem::mistake(message).hint(
        "give each an `environment` of its own under `principals` in charmer.yaml, as in \
         `principals: {'*': {environment: {GH_TOKEN: {file: '/run/secrets/{principal}/gh'}}}}`, or write \
         `http: {shared_credentials: true}` if that is meant",
    ))
}
