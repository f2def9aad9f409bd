//! Interim prober (replaced by the real one).
#![allow(missing_docs)]
use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

#[derive(Clone, Debug)]
pub struct Prober(Arc<Inner>, Vec<(OsString, OsString)>);
#[derive(Debug)]
struct Inner {
    program: PathBuf,
    home: PathBuf,
    gate: tokio::sync::Semaphore,
    spawned: AtomicUsize,
    timeout: Duration,
}
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ProbeOptions {
    pub timeout: Duration,
    pub output: usize,
    pub parallel: Option<usize>,
    pub shim: Option<ShimCommand>,
    pub environment: Vec<(OsString, OsString)>,
}
impl Default for ProbeOptions {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(5),
            output: 4 << 20,
            parallel: None,
            shim: None,
            environment: vec![],
        }
    }
}
#[derive(Debug, Clone)]
pub struct ShimCommand {
    pub program: PathBuf,
    pub args: Vec<OsString>,
}
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ProbeError(String);
#[derive(Debug, Clone, Default)]
pub struct Answer {
    pub stdout: String,
    pub stderr: String,
    pub code: Option<i32>,
    pub timed_out: bool,
    pub cut: bool,
    pub started: bool,
}
impl Answer {
    pub fn succeeded(&self) -> bool {
        self.code == Some(0)
    }
}
impl Prober {
    pub fn new(program: PathBuf, options: ProbeOptions) -> Result<Self, ProbeError> {
        let home = std::env::temp_dir().join(format!("interim-probe-{}", std::process::id()));
        std::fs::create_dir_all(home.join("w/.git/objects"))
            .map_err(|e| ProbeError(e.to_string()))?;
        std::fs::create_dir_all(home.join("w/.git/refs")).map_err(|e| ProbeError(e.to_string()))?;
        std::fs::write(home.join("w/.git/HEAD"), "ref: refs/heads/main\n")
            .map_err(|e| ProbeError(e.to_string()))?;
        let inner = Inner {
            program,
            home,
            gate: tokio::sync::Semaphore::new(2),
            spawned: AtomicUsize::new(0),
            timeout: options.timeout,
        };
        Ok(Self(Arc::new(inner), Vec::new()))
    }
    pub async fn run<S: AsRef<OsStr>>(&self, argv: &[S]) -> Answer {
        let _pass = self.0.gate.acquire().await;
        self.0.spawned.fetch_add(1, Ordering::Relaxed);
        let real = std::env::var("HOME").unwrap_or_default();
        let run = tokio::process::Command::new(&self.0.program)
            .args(argv)
            .stdin(std::process::Stdio::null())
            .current_dir(self.0.home.join("w"))
            .env("HOME", &self.0.home)
            .env("RUSTUP_HOME", format!("{real}/.rustup"))
            .env("CARGO_HOME", format!("{real}/.cargo"))
            .env("NO_COLOR", "1")
            .env("PAGER", "cat")
            .env("COBRA_ACTIVE_HELP", "0")
            .env("COLUMNS", "200")
            .envs(self.1.iter().map(|(name, value)| (name, value)))
            .kill_on_drop(true)
            .output();
        match tokio::time::timeout(self.0.timeout, run).await {
            Ok(Ok(o)) => Answer {
                stdout: charmer_core::output::clean(&String::from_utf8_lossy(&o.stdout))
                    .into_owned(),
                stderr: charmer_core::output::clean(&String::from_utf8_lossy(&o.stderr))
                    .into_owned(),
                code: o.status.code(),
                timed_out: false,
                cut: false,
                started: true,
            },
            Ok(Err(_)) => Answer::default(),
            Err(_) => Answer {
                timed_out: true,
                started: true,
                ..Answer::default()
            },
        }
    }
    /// The same prober with these variables set as well.
    #[must_use]
    pub fn with_environment(&self, extra: Vec<(OsString, OsString)>) -> Self {
        Self(Arc::clone(&self.0), extra)
    }
    pub fn with_real_home(&self) -> Option<Self> {
        None
    }
    pub fn spawned(&self) -> usize {
        self.0.spawned.load(Ordering::Relaxed)
    }
    pub fn shortcomings(&self) -> Vec<String> {
        vec![]
    }
    pub fn program(&self) -> &Path {
        &self.0.program
    }
    pub fn home(&self) -> &Path {
        &self.0.home
    }
}
