//! Progress notifications: while a call runs, its client hears of it often enough not to give up.

use std::time::{Duration, Instant};

use charmer_core::text::shorten;
use charmer_run::{Progress, Redactor, Snapshot};
use serde_json::json;
use tokio::{sync::watch, task::JoinHandle};
use tokio_util::sync::CancellationToken;

use crate::{
    background,
    protocol::{Addressee, RequestContext, RequestId},
};

/// News is sent at most this often.
const PACE: Duration = Duration::from_millis(500);
/// Without news a sign of life is sent this often; clients give up after 60 seconds.
const HEARTBEAT: Duration = Duration::from_secs(5);
const LINE_LIMIT: usize = 200;

/// Reports on one call until it is told to finish.
pub(crate) struct Reporter {
    progress: Progress,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Reporter {
    /// Begins to report, if the client of this request wants to hear of it. `began` is when the request came: what is told
    /// must grow, whoever reported on it before.
    pub(crate) fn start(
        context: &RequestContext,
        redactor: Redactor,
        began: Instant,
    ) -> Option<Self> {
        let token = context.progress.clone()?;
        let (progress, news) = Progress::watched();
        let stop = CancellationToken::new();
        let client = (context.clone(), token);
        let task = background::begin(report(client, redactor, began, news, stop.clone()));
        Some(Self {
            progress,
            stop,
            task,
        })
    }

    /// The receiver of the call's reports.
    pub(crate) fn progress(&self) -> Progress {
        self.progress.clone()
    }

    /// Ends the reporting; a notification that is on its way is waited for, so that none follows the result.
    pub(crate) async fn finish(self) {
        self.stop.cancel();
        // A panic in it has been reported already, and the result matters more.
        let _ = self.task.await;
    }
}

async fn report(
    (context, token): (RequestContext, RequestId),
    redactor: Redactor,
    began: Instant,
    mut news: watch::Receiver<Snapshot>,
    stop: CancellationToken,
) {
    let mut told = 0.0;
    loop {
        let due = async {
            tokio::time::sleep(PACE).await;
            // Either there is news by now, or the heartbeat is due before there is.
            let _ = tokio::time::timeout(HEARTBEAT - PACE, news.changed()).await;
        };
        tokio::select! {
            () = due => {}
            () = stop.cancelled() => return,
        }
        let line = news.borrow_and_update().line.clone();
        let elapsed = began.elapsed();
        let message = if line.is_empty() {
            format!("running for {} s", elapsed.as_secs())
        } else {
            shorten(&redactor.text(&line), LINE_LIMIT)
        };
        // Seconds, and strictly more than last time whatever the clock says.
        told = elapsed.as_secs_f64().max(told + 0.001);
        let params = json!({"progressToken": token, "progress": told, "message": message});
        let about = Addressee::About(context.id.clone());
        let notified = context
            .peer
            .notify(about, "notifications/progress", Some(params));
        if notified.await.is_err() {
            return;
        }
    }
}
