//! The thread that writes the audit log, and what it does when it cannot.

use std::{
    fs::File,
    io::{self, Write},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc as blocking,
    },
    time::Duration,
};

use tokio::sync::{
    mpsc::{self, OwnedPermit},
    oneshot,
};

use super::{
    LineFields,
    file::{AuditFile, OpenAudit},
};

/// The number of lines that may wait for the disk.
const QUEUE: usize = 1024;
/// The number of lines after which the file is let go of, so that other servers that write to it get their turn.
const BURST: usize = 256;
/// The time that the end of a log waits for its last lines to be written.
const FAREWELL: Duration = Duration::from_secs(2);

/// Is told when lines are lost, and when they are written again.
pub(super) type ReportProblem = Arc<dyn Fn(&str) + Send + Sync>;

/// A job for the thread.
pub(super) enum WriterJob {
    /// A line, and who wants to know that it was written.
    Line(LineFields, Option<oneshot::Sender<Result<(), String>>>),
    /// Says that everything before it was dealt with.
    Flush(blocking::Sender<()>),
}

/// The way to the thread. When the last clone goes, the thread writes what waits and ends.
#[derive(Clone)]
pub(super) struct AuditWriter(Arc<WriterParts>);

struct WriterParts {
    jobs: Option<mpsc::Sender<WriterJob>>,
    /// Disconnected when the thread has ended.
    ended: std::sync::Mutex<blocking::Receiver<()>>,
    losses: Arc<Losses>,
}

/// Lines that could not be written.
struct Losses {
    total: AtomicU64,
    /// Those that no line tells of yet.
    untold: AtomicU64,
    /// It was reported that lines are being lost.
    reported: AtomicBool,
    report: ReportProblem,
}

impl Losses {
    fn add(&self, reason: &str) {
        self.total.fetch_add(1, Ordering::Relaxed);
        self.untold.fetch_add(1, Ordering::Relaxed);
        if !self.reported.swap(true, Ordering::Relaxed) {
            (self.report)(&format!("the audit log loses lines: {reason}"));
        }
    }
}

impl AuditWriter {
    pub(super) fn start(file: AuditFile, report: ReportProblem) -> Self {
        let (jobs, given) = mpsc::channel(QUEUE);
        let (ends, ended) = blocking::channel();
        let losses = Arc::new(Losses {
            total: AtomicU64::new(0),
            untold: AtomicU64::new(0),
            reported: AtomicBool::new(false),
            report,
        });
        let mut log = LogFile {
            file,
            torn: false,
            losses: Arc::clone(&losses),
        };
        // Without a thread the channel is closed, and every line is a lost one.
        let _ = std::thread::Builder::new()
            .name("charmer-audit".into())
            .spawn(move || {
                let _ends = ends;
                log.work(given);
            });
        Self(Arc::new(WriterParts {
            jobs: Some(jobs),
            ended: std::sync::Mutex::new(ended),
            losses,
        }))
    }

    /// Gives the thread a line, and never waits.
    pub(super) fn log(&self, line: LineFields) {
        if let Err(error) = self.jobs().try_send(WriterJob::Line(line, None)) {
            self.0.losses.add(match error {
                mpsc::error::TrySendError::Full(_) => "the disk is too slow",
                mpsc::error::TrySendError::Closed(_) => "its thread is not there",
            });
        }
    }

    /// Waits until a line is written, or until it is known that it cannot be.
    pub(super) async fn record(&self, line: LineFields) -> Result<(), String> {
        let (tell, written) = oneshot::channel();
        let gone = "the thread of the audit log is not there";
        self.jobs()
            .send(WriterJob::Line(line, Some(tell)))
            .await
            .map_err(|_| gone.to_owned())?;
        written.await.unwrap_or_else(|_| Err(gone.into()))
    }

    /// Waits for room for one line.
    pub(super) async fn reserve(&self) -> Result<OwnedPermit<WriterJob>, String> {
        let jobs = self.jobs().clone();
        jobs.reserve_owned()
            .await
            .map_err(|_| "the thread of the audit log is not there".into())
    }

    pub(super) fn lost(&self) -> u64 {
        self.0.losses.total.load(Ordering::Relaxed)
    }

    pub(super) fn flush(&self, patience: Duration) -> bool {
        let (done, flushed) = blocking::channel();
        let deadline = std::time::Instant::now() + patience;
        let mut job = WriterJob::Flush(done);
        // A full queue has no waiting that is not async; it is emptied within moments, or the disk is stuck.
        while let Err(error) = self.jobs().try_send(job) {
            let mpsc::error::TrySendError::Full(back) = error else {
                return false;
            };
            if std::time::Instant::now() > deadline {
                return false;
            }
            job = back;
            std::thread::sleep(Duration::from_millis(1));
        }
        let left = deadline.saturating_duration_since(std::time::Instant::now());
        flushed.recv_timeout(left).is_ok()
    }

    fn jobs(&self) -> &mpsc::Sender<WriterJob> {
        self.0.jobs.as_ref().expect("it is only taken at the end")
    }
}

impl Drop for WriterParts {
    fn drop(&mut self) {
        // The thread ends with the last line; a disk that is stuck does not keep the process.
        self.jobs = None;
        if let Ok(ended) = self.ended.get_mut() {
            let _ = ended.recv_timeout(FAREWELL);
        }
    }
}

/// The thread's own view.
struct LogFile {
    file: AuditFile,
    /// The last line was cut off by an error, so that the next must not be glued to it.
    torn: bool,
    losses: Arc<Losses>,
}

impl LogFile {
    fn work(&mut self, mut jobs: mpsc::Receiver<WriterJob>) {
        while let Some(first) = jobs.blocking_recv() {
            // Open for one burst only: between two the file may be moved away.
            let mut file = None;
            let mut lines = 0;
            let mut next = Some(first);
            while let Some(job) = next {
                match job {
                    WriterJob::Line(line, tell) => {
                        lines += 1;
                        if lines % BURST == 0 {
                            file = file.filter(|file: &OpenAudit| !file.is_locked);
                        }
                        let written = self.write(&mut file, line);
                        if let Some(tell) = tell {
                            // Whoever asked may have gone.
                            let _ = tell.send(written);
                        }
                    }
                    WriterJob::Flush(done) => {
                        file = None;
                        // Whoever asked may have given up.
                        let _ = done.send(());
                    }
                }
                next = jobs.try_recv().ok();
            }
        }
        let untold = self.losses.untold.load(Ordering::Relaxed);
        if untold > 0 {
            (self.losses.report)(&format!(
                "the audit log {} ends without its last {untold} lines",
                self.file.path().display()
            ));
        }
    }

    fn write(&mut self, file: &mut Option<OpenAudit>, mut line: LineFields) -> Result<(), String> {
        let untold = self.losses.untold.swap(0, Ordering::Relaxed);
        if untold > 0 {
            line.insert("lostBefore".into(), untold.into());
        }
        match self.append(file, &line) {
            Ok(()) => {
                if untold > 0 && self.losses.reported.swap(false, Ordering::Relaxed) {
                    (self.losses.report)(&format!(
                        "the audit log is written again; {untold} lines were lost"
                    ));
                }
                Ok(())
            }
            Err(error) => {
                *file = None;
                self.losses.untold.fetch_add(untold, Ordering::Relaxed);
                let reason = format!("{}: {error}", self.file.path().display());
                self.losses.add(&reason);
                Err(reason)
            }
        }
    }

    fn append(&mut self, file: &mut Option<OpenAudit>, line: &LineFields) -> io::Result<()> {
        let open = match file {
            Some(file) => file,
            None => file.insert(self.file.open()?),
        };
        let (mut bytes, link) = open.line(line)?;
        if self.torn {
            bytes.insert(0, b'\n');
        }
        bytes.push(b'\n');
        let mut written = 0;
        let file: &mut File = &mut open.file;
        // By hand, because it must be known whether a part of the line is in the file.
        while written < bytes.len() {
            match file.write(&bytes[written..]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => {
                    written += count;
                    self.torn = written < bytes.len();
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        open.link = link;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_not_glued_to_one_that_was_cut_off() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("log");
        std::fs::write(&path, r#"{"time":"#).expect("it can be written");
        let losses = Losses {
            total: AtomicU64::new(1),
            untold: AtomicU64::new(1),
            reported: AtomicBool::new(true),
            report: Arc::new(|_| ()),
        };
        let mut log = LogFile {
            file: AuditFile::new(path.clone()),
            torn: true,
            losses: Arc::new(losses),
        };
        for _ in 0..2 {
            log.write(&mut None, LineFields::new())
                .expect("it can be written");
        }
        let text = std::fs::read_to_string(&path).expect("it is there");
        assert_eq!(text, "{\"time\":\n{\"lostBefore\":1}\n{}\n");
    }
}
