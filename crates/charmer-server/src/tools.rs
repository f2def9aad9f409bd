//! The tools that a server offers right now: they can be replaced, and while they are still being found out a client
//! that asks waits a little rather than being told that there are none.

use std::{
    fmt,
    pin::Pin,
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::{Duration, Instant},
};

use charmer_run::{CallError, ErrorCode, Permissions, Progress, Resolved, Standing, ToolSet};
use serde_json::{Map, Value};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::ToolList;

/// The time that requests wait for tools that are still being found out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    /// Those for a list: clients give up on a server whose list takes them longer than 5 seconds, or less.
    pub(crate) lists: Duration,
    /// Those about one tool or more, such as a call: clients give up on a call after 60 seconds.
    pub(crate) calls: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            lists: Duration::from_secs(2),
            calls: Duration::from_secs(45),
        }
    }
}

/// The shortest time between two notices to a client that a set that is not complete yet has grown.
const PACE: Duration = Duration::from_secs(5);

/// A list that a client can ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum List {
    Tools,
    Resources,
    Prompts,
}

/// The offer of a moment.
#[derive(Debug, Clone)]
pub(crate) struct Offer {
    pub(crate) tools: Arc<ToolSet>,
    /// The list as it is going to be, while the tools themselves are still being put together.
    shown_early: Option<ToolList>,
    /// No more tools are expected.
    pub(crate) settled: bool,
    /// Counts the lists of tools that were offered.
    revision: u64,
    /// Counts the sets that were offered, also those whose list had been shown early.
    sets: u64,
}

impl Offer {
    fn revision(&self, list: List) -> u64 {
        match list {
            List::Tools => self.revision,
            // They are never shown early.
            List::Resources | List::Prompts => self.sets,
        }
    }

    /// Returns the tool that a call is for, or that it is for nothing there is; `None` as long as that may change.
    fn resolve(&self, name: &str, input: &Map<String, Value>) -> Option<Option<Resolved>> {
        let found = self.tools.resolve(name, input.clone());
        let is_certain = |found: &Resolved| found.certain && found.fits();
        let certain = self.settled || found.as_ref().is_some_and(is_certain);
        certain.then_some(found)
    }
}

/// Replaces the tools of a running server; clients are told. Clones speak for the same server.
///
/// ```
/// use charmer_run::{ToolSet, process::Engine};
/// use charmer_server::{Server, ServerInfo};
///
/// let server = Server::pending(ServerInfo::new("git", "2.39"), Engine::default());
/// let tools = server.tools();
/// // As more is found out:
/// tools.grow(ToolSet::default());
/// // And in the end:
/// tools.replace(ToolSet::default());
/// ```
#[derive(Debug, Clone)]
pub struct ToolsHandle {
    offer: Arc<watch::Sender<Offer>>,
    /// The progress of finding out the tools, in words.
    reading: Arc<watch::Sender<String>>,
    /// Cancelled when a client has been given a list of tools, or has asked for more.
    asked: CancellationToken,
    narrowed: Narrowed,
}

impl ToolsHandle {
    pub(crate) fn new(tools: ToolSet, settled: bool) -> Self {
        let offer = Offer {
            tools: Arc::new(tools),
            shown_early: None,
            settled,
            revision: 0,
            sets: 0,
        };
        Self {
            offer: Arc::new(watch::channel(offer).0),
            reading: Arc::new(watch::channel(String::new()).0),
            asked: CancellationToken::new(),
            narrowed: Narrowed::default(),
        }
    }

    /// Waits until a client has been given a list of tools, or has called one: what is not needed for a list can be
    /// done from then on.
    pub async fn asked(&self) {
        self.asked.cancelled().await;
    }

    /// Has everything put together that waits for a client to ask.
    #[cfg(feature = "http")]
    pub(crate) fn be_asked(&self) {
        self.asked.cancel();
    }

    /// Answers with this list from now on. Calls wait until the tools themselves are there; if their list turns out to
    /// be another one, clients are told.
    pub fn show_early(&self, listing: ToolList) {
        self.offer.send_modify(|offer| {
            offer.shown_early = Some(listing);
            offer.revision += 1;
        });
    }

    /// Answers calls of these tools at once while a list is shown early; others wait, as they did. It must be certain that
    /// they answer as the tools themselves will.
    pub fn call_early(&self, tools: ToolSet) {
        self.offer.send_modify(|offer| {
            if offer.shown_early.is_some() && !offer.settled {
                offer.tools = Arc::new(tools);
            }
        });
    }

    /// Says how far finding out the tools is, such as `reading docker: 120 commands`: clients whose calls wait for them are
    /// told.
    pub fn reading(&self, how_far: impl Into<String>) {
        self.reading.send_replace(how_far.into());
    }

    /// Serves these tools from now on, and expects no more. Calls that are under way are not disturbed.
    pub fn replace(&self, tools: ToolSet) {
        self.offer(tools, true);
    }

    /// Serves these tools until more are known: a client that asks for the list still waits a little for the rest, and
    /// one that has a shorter list is told now and then.
    pub fn grow(&self, tools: ToolSet) {
        self.offer(tools, false);
    }

    /// Expects no more tools than there are.
    pub fn settle(&self) {
        self.offer.send_modify(|offer| offer.settled = true);
    }

    /// Has calls that wait for a tool's program look at it again, though the tools have not changed.
    pub fn look_again(&self) {
        self.offer.send_modify(|_| {});
    }

    /// Tells clients that the list has changed, though the tools have not.
    pub(crate) fn list_again(&self) {
        self.offer.send_modify(|offer| {
            offer.revision += 1;
            offer.sets += 1;
        });
    }

    fn offer(&self, tools: ToolSet, settled: bool) {
        // A long list takes a while to compare, and nobody should wait for the lock so long.
        let before = self.offer.borrow().clone();
        // While tools are still being found out, a list that stays the same is nothing new. Later somebody has changed
        // something, be it what a tool does.
        let expected = match &before.shown_early {
            Some(listing) => Some(listing.clone()),
            None => (!before.settled).then(|| ToolList::of(&before.tools)),
        };
        let known = expected.is_some_and(|expected| expected == ToolList::of(&tools));
        self.offer.send_modify(|offer| {
            *offer = Offer {
                tools: Arc::new(tools),
                // It holds as long as nothing else is found.
                shown_early: before.shown_early.filter(|_| known && !settled),
                settled,
                revision: offer.revision + u64::from(!known),
                sets: offer.sets + 1,
            };
        });
    }

    /// Returns true if all tools are known that there will be.
    #[cfg(feature = "http")]
    pub(crate) fn are_complete(&self) -> bool {
        self.offer.borrow().settled
    }

    /// The list of the tools that are offered now.
    pub fn listing(&self) -> ToolList {
        ToolList::of(&self.current())
    }

    pub(crate) fn current(&self) -> Arc<ToolSet> {
        Arc::clone(&self.offer.borrow().tools)
    }

    /// Has some principals see tools of their own. Once said, that stays.
    pub fn of_principals(&self, tools: impl PrincipalTools + 'static) {
        // Whoever said it first has said it.
        let _ = self.narrowed.0.of_principals.set(Box::new(tools));
    }

    /// The tools as a principal with these permissions sees them.
    pub(crate) fn view(
        &self,
        patience: Patience,
        principal: &Arc<str>,
        permissions: &Permissions,
    ) -> ToolsView {
        let own = self.narrowed.0.of_principals.get();
        let own = own.is_some_and(|tools| tools.has_own(principal));
        let narrowed = NarrowedView {
            principal: own.then(|| Arc::clone(principal)),
            permissions: permissions.clone(),
            sets: self.narrowed.clone(),
        };
        ToolsView {
            narrowed: (own || !permissions.is_all()).then_some(narrowed),
            offer: self.offer.subscribe(),
            reading: self.reading.subscribe(),
            asked: self.asked.clone(),
            lists: Arc::new([(); 3].map(|()| watch::channel(Lists::default()).0)),
            patience,
        }
    }
}

/// The state of a client's requests for a list.
#[derive(Debug, Clone, Copy, Default)]
struct Lists {
    /// The number of those who wait for more tools.
    waiting: usize,
    /// The newest revision that one was answered with.
    answered: Option<u64>,
}

/// The tools as the handler of one client sees them.
#[derive(Debug, Clone)]
pub(crate) struct ToolsView {
    offer: watch::Receiver<Offer>,
    reading: watch::Receiver<String>,
    asked: CancellationToken,
    /// One for each [`List`].
    lists: Arc<[watch::Sender<Lists>; 3]>,
    patience: Patience,
    /// The narrower view of the client, where something is withheld from it.
    narrowed: Option<NarrowedView>,
}

/// Makes the tools of principals that are others than everybody's.
pub trait PrincipalTools: Send + Sync {
    /// Returns true if a principal has tools of its own.
    fn has_own(&self, principal: &str) -> bool;

    /// The tools of such a principal, in the place of all these.
    fn tools(&self, principal: &str, all: &ToolSet) -> ToolSet;
}

/// One client's view of the tools.
#[derive(Debug, Clone)]
struct NarrowedView {
    /// The name by which it has tools of its own, if it has.
    principal: Option<Arc<str>>,
    permissions: Permissions,
    sets: Narrowed,
}

/// The sets of those who may not do everything, each made when it is first asked for. Clones share them.
#[derive(Debug, Clone, Default)]
struct Narrowed(Arc<NarrowedSets>);

#[derive(Default)]
struct NarrowedSets {
    known: Mutex<Vec<NarrowedSet>>,
    of_principals: OnceLock<Box<dyn PrincipalTools>>,
}

impl fmt::Debug for NarrowedSets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("NarrowedSets").field(&self.known).finish()
    }
}

/// So many sets are kept: each may be a large model of its own. Who uses the server least recently is put together again.
const MOST_SETS: usize = 64;

#[derive(Debug)]
struct NarrowedSet {
    principal: Option<Arc<str>>,
    permissions: Permissions,
    whole: Arc<ToolSet>,
    rest: Arc<ToolSet>,
}

impl Narrowed {
    /// Returns what is left of a set for a principal with these permissions.
    fn of(
        &self,
        whole: &Arc<ToolSet>,
        principal: Option<&Arc<str>>,
        permissions: &Permissions,
    ) -> Arc<ToolSet> {
        let sets = &self.0.known;
        let mut sets = sets.lock().unwrap_or_else(PoisonError::into_inner);
        // What was made of tools that have been replaced is of no more use.
        sets.retain(|set| Arc::ptr_eq(&set.whole, whole));
        let is_it = |set: &NarrowedSet| {
            set.principal.as_ref() == principal && set.permissions == *permissions
        };
        if let Some(at) = sets.iter().position(is_it) {
            sets[at..].rotate_left(1);
            return Arc::clone(&sets[sets.len() - 1].rest);
        }
        let own = principal.zip(self.0.of_principals.get());
        let own = own.map(|(principal, tools)| tools.tools(principal, whole));
        let rest = own.as_ref().unwrap_or(whole).permitted(permissions);
        let rest = Arc::new(rest);
        if sets.len() >= MOST_SETS {
            sets.remove(0);
        }
        sets.push(NarrowedSet {
            principal: principal.cloned(),
            permissions: permissions.clone(),
            whole: Arc::clone(whole),
            rest: Arc::clone(&rest),
        });
        rest
    }
}

/// A list request that waits; it counts until it is dropped.
struct Waiting<'a>(&'a watch::Sender<Lists>);

impl<'a> Waiting<'a> {
    fn new(lists: &'a watch::Sender<Lists>) -> Self {
        lists.send_modify(|lists| lists.waiting += 1);
        Self(lists)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|lists| lists.waiting -= 1);
    }
}

/// Says whether an offer is what somebody waits for.
type Enough<'a> = dyn FnMut(&Offer) -> bool + Send + 'a;

impl ToolsView {
    /// The list of all tools, or of those that are known when the client's patience ends.
    pub(crate) async fn to_list(
        &self,
        cancelled: &CancellationToken,
        ended: &CancellationToken,
    ) -> ToolList {
        // A list that is shown early says nothing of single rights.
        let whole = self.narrowed.is_none();
        let mut enough = |offer: &Offer| offer.settled || (whole && offer.shown_early.is_some());
        let offer = self.wait_to_list(List::Tools, cancelled, ended, &mut enough);
        let offer = offer.await;
        offer
            .shown_early
            .unwrap_or_else(|| ToolList::of(&offer.tools))
    }

    /// The tools themselves, for a list of what is made from them.
    pub(crate) async fn to_list_more(
        &self,
        list: List,
        cancelled: &CancellationToken,
        ended: &CancellationToken,
    ) -> Arc<ToolSet> {
        self.asked.cancel();
        let mut enough = |offer: &Offer| offer.settled;
        let offer = self.wait_to_list(list, cancelled, ended, &mut enough);
        offer.await.tools
    }

    async fn wait_to_list(
        &self,
        list: List,
        cancelled: &CancellationToken,
        ended: &CancellationToken,
        enough: &mut Enough<'_>,
    ) -> Offer {
        let lists = &self.lists[list as usize];
        let _waiting = Waiting::new(lists);
        let patience = self.patience.lists;
        let offer = self.wait([cancelled, ended], patience, enough).await;
        if !cancelled.is_cancelled() {
            lists.send_modify(|lists| lists.answered = Some(offer.revision(list)));
        }
        offer
    }

    /// The tools, for a request about what is made from them.
    pub(crate) async fn to_read(
        &self,
        cancelled: &CancellationToken,
        ended: &CancellationToken,
    ) -> Arc<ToolSet> {
        self.asked.cancel();
        let patience = self.patience.calls;
        let mut enough = |offer: &Offer| offer.settled;
        let offer = self.wait([cancelled, ended], patience, &mut enough);
        offer.await.tools
    }

    /// The token to cancel when a list of tools is on its way to the client.
    pub(crate) fn asked(&self) -> CancellationToken {
        self.asked.clone()
    }

    /// Returns the tool that a call is for, if that is certain already.
    pub(crate) fn at_hand(&self, name: &str, input: &Map<String, Value>) -> Option<Resolved> {
        self.asked.cancel();
        let offer = self.offer.borrow().clone();
        if self.narrowed.is_some() && !offer.settled {
            return None;
        }
        let resolved = self.narrow(offer).resolve(name, input)??;
        // What is not must not be run: it waits for the tools of what its program has become.
        let stands = resolved.served.standing() == Standing::Current;
        stands.then_some(resolved)
    }

    /// Waits until it is certain what a call is for: a tool that stands for others waits until it knows the one that is
    /// meant, and one about the others waits for all of them. One whose program has changed waits until that has been
    /// read again, and is refused where that takes too long. Where there is no such tool when patience ends, what there is
    /// instead.
    pub(crate) async fn to_call(
        &self,
        name: &str,
        input: &Map<String, Value>,
        cancelled: &CancellationToken,
        ended: &CancellationToken,
    ) -> Result<Resolved, Offer> {
        self.asked.cancel();
        let mut found = None;
        let patience = self.patience.calls;
        let mut enough = |offer: &Offer| {
            if self.narrowed.is_some() && !offer.settled {
                return false;
            }
            let certain = self.narrow(offer.clone()).resolve(name, input);
            let is_certain = certain.as_ref().is_some_and(|found| {
                let standing = found.as_ref().map(|found| found.served.standing());
                standing != Some(Standing::Changed)
            });
            found = certain.flatten();
            is_certain
        };
        let offer = self.wait([cancelled, ended], patience, &mut enough);
        let offer = offer.await;
        // Whatever there is when patience ends is it.
        let found = found.or_else(|| offer.tools.resolve(name, input.clone()));
        let mut found = found.ok_or_else(|| offer.clone())?;
        if let Some(error) = changed(name, &found.served.standing()) {
            found.served = offer.tools.missing(name, error);
        }
        Ok(found)
    }

    /// Reports how far finding out the tools is. It never ends by itself.
    pub(crate) async fn report_reading(&self, progress: &Progress) {
        let mut reading = self.reading.clone();
        loop {
            let how_far = reading.borrow_and_update().clone();
            progress.report(0, Some(&how_far));
            if reading.changed().await.is_err() {
                return std::future::pending().await;
            }
        }
    }

    async fn wait(
        &self,
        [cancelled, ended]: [&CancellationToken; 2],
        patience: Duration,
        enough: &mut Enough<'_>,
    ) -> Offer {
        let mut offers = self.offer.clone();
        // Nobody who could offer more, the end of patience and cancellation all mean the same: what is there is it.
        tokio::select! {
            _ = offers.wait_for(|offer| enough(offer)) => {}
            () = tokio::time::sleep(patience) => {}
            () = cancelled.cancelled() => {}
            () = ended.cancelled() => {}
        }
        let offer = offers.borrow().clone();
        self.narrow(offer)
    }

    /// The offer without what is withheld from the client.
    fn narrow(&self, offer: Offer) -> Offer {
        match &self.narrowed {
            None => offer,
            Some(view) => Offer {
                tools: view
                    .sets
                    .of(&offer.tools, view.principal.as_ref(), &view.permissions),
                shown_early: None,
                ..offer
            },
        }
    }

    /// The changes from now on, of every list. `of_unlisted` says whether also of lists that the client never asked for;
    /// of its tools it is always told.
    pub(crate) fn changes(&self, of_unlisted: bool) -> Changes {
        let change = |list: List| {
            let mut offer = self.offer.clone();
            let lists = self.lists[list as usize].subscribe();
            // A client may have listed what has changed since, before its wish to be told got here.
            let listed = lists.borrow().answered;
            let known = listed.unwrap_or_else(|| offer.borrow_and_update().revision(list));
            ListChange {
                list,
                of_unlisted: of_unlisted || list == List::Tools,
                offer,
                lists,
                told: None,
                known,
            }
        };
        Changes([List::Tools, List::Resources, List::Prompts].map(change))
    }
}

/// The error for a tool that is not run because its program is not the one that it was made from.
fn changed(name: &str, standing: &Standing) -> Option<CallError> {
    let (message, hint) = match standing {
        Standing::Changed => (
            format!(
                "the program of `{name}` has changed since it was read, and is still being read again"
            ),
            "nothing was run; try again in a minute",
        ),
        Standing::Lost(reason) => (
            format!(
                "the program of `{name}` has changed since it was read, and cannot be read again: {reason}"
            ),
            "nothing was run; see that the program works, then try again",
        ),
        _ => return None,
    };
    Some(CallError::new(ErrorCode::ProgramChanged, message).hint(hint))
}

/// The changes that a client should be told of.
pub(crate) struct Changes([ListChange; 3]);

impl Changes {
    /// Waits until there is something in a list that the client does not know; `None` if there never will be. Can be
    /// dropped while it waits.
    pub(crate) async fn next(&mut self) -> Option<List> {
        let [tools, resources, prompts] = self.0.each_mut().map(ListChange::next);
        tokio::select! {
            changed = tools => changed,
            changed = resources => changed,
            changed = prompts => changed,
        }
    }
}

/// The changes of one list.
struct ListChange {
    list: List,
    of_unlisted: bool,
    offer: watch::Receiver<Offer>,
    lists: watch::Receiver<Lists>,
    told: Option<Instant>,
    /// The newest revision that the client was told of, has listed, or that was there from the start.
    known: u64,
}

impl ListChange {
    /// Its type is forgotten: a server waits for three of them at once.
    fn next(&mut self) -> Pin<Box<dyn Future<Output = Option<List>> + Send + '_>> {
        Box::pin(async move {
            loop {
                let (list, known) = (self.list, self.known);
                // That no more is expected changes nothing by itself.
                let changed = |offer: &Offer| offer.revision(list) != known;
                self.offer.wait_for(changed).await.ok()?;
                if let Some(told) = self.told.filter(|_| !self.offer.borrow().settled) {
                    let rest = (told + PACE).saturating_duration_since(Instant::now());
                    // At the pace or at the end, whichever comes first.
                    let _ = tokio::time::timeout(rest, self.offer.wait_for(|offer| offer.settled))
                        .await;
                }
                // A list that still waits is going to hold the change.
                self.lists.wait_for(|lists| lists.waiting == 0).await.ok()?;
                self.known = self.offer.borrow().revision(list);
                let answered = self.lists.borrow().answered;
                let wanted = self.of_unlisted || answered.is_some();
                if wanted && answered != Some(self.known) {
                    self.told = Some(Instant::now());
                    return Some(list);
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use charmer_core::{
        model::{Cli, Command, Syntax},
        tool::{CatalogueOptions, catalogue},
    };
    use charmer_run::{Call, LOCAL, Limits, Outcome, ServedTool, StandingCheck, into_service};
    use tower::service_fn;

    use super::*;

    fn tools(names: &[&str]) -> ToolSet {
        let root = names
            .iter()
            .fold(Command::new("t").not_runnable(), |root, name| {
                root.command(Command::new(*name))
            });
        let found = catalogue(
            &Cli::new(root, Syntax::clap()),
            &CatalogueOptions::default(),
        );
        let service = into_service(service_fn(|_: Call| async {
            Ok::<_, CallError>(Outcome::success("ok"))
        }));
        ToolSet::new(
            found
                .tools
                .into_iter()
                .map(|tool| ServedTool::new(tool, service.clone(), Limits::default())),
        )
    }

    #[test]
    fn a_tool_that_is_foretold_itself_is_called_before_the_others_are_there() {
        let handle = ToolsHandle::new(ToolSet::default(), false);
        let view = handle.view(Patience::default(), &LOCAL.into(), &Permissions::all());
        let at_hand = |name: &str| view.at_hand(name, &Map::new()).is_some();
        handle.call_early(tools(&["a"]));
        assert!(!at_hand("t_a"), "nothing was listed");
        handle.show_early(ToolList::of(&tools(&["a", "b"])));
        handle.call_early(tools(&["a"]));
        assert!(at_hand("t_a") && !at_hand("t_b"));
        // The list stays the one that was shown early, and nothing is new.
        let mut changes = view.offer.clone();
        let before = changes.borrow_and_update().revision;
        handle.replace(tools(&["a", "b"]));
        assert_eq!(changes.borrow().revision, before);
        assert!(at_hand("t_b"));
        handle.call_early(ToolSet::default());
        assert!(at_hand("t_a"), "what is there is not replaced");
    }

    #[test]
    fn a_call_that_does_not_fit_yet_is_not_certain_before_all_is_known() {
        let handle = ToolsHandle::new(ToolSet::default(), false);
        let view = handle.view(Patience::default(), &LOCAL.into(), &Permissions::all());
        let is_certain = |input: Value| {
            let input = input.as_object().cloned().unwrap_or_default();
            view.at_hand("t_a", &input).is_some()
        };
        handle.grow(tools(&["a"]));
        assert!(is_certain(serde_json::json!({})));
        assert!(!is_certain(serde_json::json!({"deep": [1, 2]})));
        // Then it is refused by whoever runs it.
        handle.replace(tools(&["a"]));
        assert!(is_certain(serde_json::json!({"deep": [1, 2]})));
    }

    /// Tools whose program stands as the mutex says.
    fn standing(names: &[&str], now: &Arc<Mutex<Standing>>) -> ToolSet {
        let now = Arc::clone(now);
        let check = StandingCheck::new(move || now.lock().expect("not poisoned").clone());
        let tools = tools(names);
        let tools = tools.iter().cloned();
        ToolSet::new(tools.map(|served| served.stands_by(check.clone())))
    }

    fn patient(seconds: u64) -> Patience {
        Patience {
            calls: Duration::from_secs(seconds),
            ..Patience::default()
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_waits_for_the_tools_of_what_its_program_has_become() {
        let never = CancellationToken::new();
        let now = Arc::new(Mutex::new(Standing::Current));
        let handle = ToolsHandle::new(standing(&["a"], &now), true);
        let view = handle.view(patient(3600), &LOCAL.into(), &Permissions::all());
        let input = Map::new();
        assert!(view.at_hand("t_a", &input).is_some());

        *now.lock().expect("not poisoned") = Standing::Changed;
        assert!(view.at_hand("t_a", &input).is_none());
        let waits = view.to_call("t_a", &input, &never, &never);
        tokio::pin!(waits);
        let early = tokio::time::timeout(Duration::from_secs(60), &mut waits).await;
        assert!(early.is_err(), "it was run with the old model");
        // It was only touched, and is the same.
        *now.lock().expect("not poisoned") = Standing::Current;
        handle.look_again();
        let found = waits.await.expect("it is there");
        assert_eq!(found.served.tool.name.as_str(), "t_a");

        *now.lock().expect("not poisoned") = Standing::Changed;
        let waits = view.to_call("t_a", &input, &never, &never);
        handle.replace(tools(&["b"]));
        assert!(waits.await.is_err(), "there is no such tool any more");
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_of_a_program_that_has_changed_is_refused_in_the_end() {
        let never = CancellationToken::new();
        let cases = [
            (Standing::Changed, "is still being read again"),
            (Standing::Lost("no help".into()), "again: no help"),
        ];
        for (standing_now, said) in cases {
            let now = Arc::new(Mutex::new(standing_now));
            let handle = ToolsHandle::new(standing(&["a"], &now), true);
            let view = handle.view(patient(45), &LOCAL.into(), &Permissions::all());
            let found = view.to_call("t_a", &Map::new(), &never, &never).await;
            let found = found.expect("it is refused as it is called");
            let result = found.served.call(found.input, never.clone()).await;
            assert!(result.is_error);
            assert_eq!(result.structured["error"]["code"], "program_changed");
            assert!(result.text.contains(said), "{}", result.text);
        }
    }
}
