//! The words that commands are called by, and what each lets one expect; data only, with the lookup.
//!
//! A word stands where its most harmful common meaning puts it: a command that is wrongly called reading can be served
//! to someone who was promised that nothing changes, while one that is wrongly called unknown is only asked about.

use std::{collections::HashMap, sync::LazyLock};

/// The class of command that a word lets one expect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// A verb that looks and leaves alone: `list`.
    Read,
    /// A thing to look at, which counts as a command's whole word or its last part: `history`, `cluster-info`.
    ReadNoun,
    /// It looks, if the help says so too: `lint`.
    Weak,
    /// It adds or changes.
    Write,
    /// It deletes or overwrites.
    Destroy,
    /// It runs what it is told to, or what lies in a project.
    Run,
    /// It deals in credentials.
    Secret,
    /// It looks or acts depending on its arguments, or on the program.
    Unsure,
}

const WORDS: &[(Class, &str)] = &[
    (
        Class::Read,
        "list ls ll lst lsof show display describe get view print cat inspect search find grep locate count read
         head tail peek examine explain summarize summarise which whereis whoami who compare diff sdiff cmp
         blame enumerate lookup look observe monitor wait poll parse is has can does exists contains
         dump ping traceroute whois dig nslookup",
    ),
    (
        Class::ReadNoun,
        "log logs logtail shortlog status stat stats statistics info information about version versions
         history events event top ps images tree metadata outdated why df du usage disk-usage size sizes
         port ports uptime health healthz readiness summary details detail contents
         topology inventory changelog releases commits authors contributors dependencies deps dependents rdeps
         capabilities help",
    ),
    (
        Class::Weak,
        "lint validate vet verify analyze analyse review scan doctor diagnose estimate
         graph visualize visualise",
    ),
    (
        Class::Write,
        "add create new make mk mkdir touch init initialize initialise setup set put post patch update upgrade
         upsert edit modify change alter write append insert save store record commit amend apply install reinstall
         enable disable activate deactivate start restart resume pause unpause suspend stop halt reload refresh reset
         restore rollback revert undo redo recover repair fix heal push pull fetch download upload send publish
         unpublish release deploy redeploy promote demote build compile bundle package pack unpack repack archive
         unarchive compress decompress extract zip unzip tar untar import load ingest seed migrate convert transform
         translate generate gen gendoc gendocs genman autogen codegen scaffold copy cp sync synchronize synchronise mirror replicate clone fork
         checkout switch use rename move mv link symlink mount bind
         detach connect disconnect join leave invite approve deny accept reject merge rebase squash
         cherry-pick am stage unstage register unregister deregister subscribe unsubscribe assign unassign grant
         allow permit authorize authorise block unblock ban unban label unlabel annotate comment reply react star
         unstar pin unpin lock unlock freeze thaw mask unmask cordon uncordon taint untaint
         drain scale resize autoscale expose forward port-forward tunnel proxy serve server listen host daemon up
         schedule unschedule queue enqueue dequeue trigger dispatch retry rerun replay rotate
         renew sign unsign encrypt backup snapshot checkpoint vendor configure reconfigure tune format fmt
         reformat rewrite transfer relocate ship resolve emit notify email mail submit donate buy order pay charge bump
         increment decrement increase decrease adjust correct complete close reopen mark unmark ready draft
         transition boot poweron wake enter reconcile provision bootstrap prepare
         preset reenable isolate hold unhold autoupdate login logout signin signout signup log-in log-out
         read-tree collect reserve allocate lease acquire bless adopt associate disassociate
         remember track untrack ignore unignore optimize optimise index reindex warm prefetch prime
         swap override",
    ),
    (
        Class::Destroy,
        "delete del remove rm rmi rmdir erase destroy drop purge prune wipe clean cleanup clear flush truncate empty
         discard uninstall unset unlink kill terminate abort cancel nuke shred trash evict expire expunge
         revoke gc collect-garbage vacuum compact zap overwrite replace force-unlock down decommission
         deprovision teardown poweroff shutdown reboot yank strip forget filter-branch mkfs reap",
    ),
    (
        Class::Run,
        "run exec execute eval evaluate shell sh bash zsh ssh sudo su attach console repl tty terminal term spawn
         invoke call launch script x dlx npx test tests bench debug debugger trace strace time watch hook hooks
         sql difftool mergetool foreach for-each for-each-repo xargs batch play task dev develop
         interactive bisect chroot nsenter with rpc",
    ),
    (
        Class::Secret,
        "token tokens secret secrets password passwords passwd passphrase credential credentials creds keychain
         keyring reveal decrypt unseal kubeconfig print-access-token get-token askpass otp totp
         mfa access-token apikey api-key api-keys private-key",
    ),
    (
        Class::Unsure,
        "branch tag tags remote stash config configuration settings setting option options alias aliases context
         contexts profile environment env printenv manage control admin api request query graphql export open browse
         web docs doc home check plan preview output outputs default hostname date timezone locale level
         log-level log-target audit notes worktree submodule reflog alternatives owner owners
         access team policy plugin plugins extension extensions cache worktrees state workspace read-only readonly ui gui dashboard
         tui handle process work do perform operate interact ensure",
    ),
];

/// Verbs that are nouns as often: in the middle of a sentence they count only before an article, and as a command that
/// holds others (`run list`, `build logs`) not at all.
const ALSO_NOUNS: &str = "commit tag branch build run change update patch release clone fork lock push pull merge
    import mount reset restore backup schedule start stop restart upgrade scale set fix test tests bench record store
    package bundle archive index label comment order queue mail email format host server daemon proxy mark link star
    snapshot checkpoint copy use mirror trigger hold task script shell ssh console terminal debug time watch call
    batch hook hooks block draft order sign switch checkout review stage post pack replay rollback deploy sync cache
    notes process work control exit repair download upload transfer report process up down clean empty default
    plugin track access x with sql plan lease swap override charge invite play dev trace seed exec";

/// Words that mean something else in a sentence than as a command.
const IN_PROSE: &[(Class, &str)] = &[
    (
        Class::Read,
        "output return retrieve tell query visualize visualise outline pretty-print prints",
    ),
    (Class::Write, "tag stash"),
    (
        Class::Unsure,
        "manage control manipulate work interact operate configure handle administer maintain
         browse",
    ),
];

/// Words that say nothing in a sentence, though they do as a command (`Fetch the logs of a job`).
const NOTHING_IN_PROSE: &str =
    "fetch stream follow block check verify scan analyze analyse x with use
    is has can does exit index host daemon server time batch queue review";

type VerbTable = HashMap<&'static str, Class>;

fn table(rows: &[(Class, &'static str)]) -> VerbTable {
    rows.iter()
        .flat_map(|(class, words)| words.split_whitespace().map(move |word| (word, *class)))
        .collect()
}

static NAMES: LazyLock<VerbTable> = LazyLock::new(|| table(WORDS));
static PROSE: LazyLock<VerbTable> = LazyLock::new(|| {
    let mut words = NAMES.clone();
    for word in NOTHING_IN_PROSE.split_whitespace() {
        words.remove(word);
    }
    // Things are not verbs, though commands are named after them.
    words.retain(|_, class| !matches!(class, Class::ReadNoun | Class::Unsure | Class::Secret));
    words.extend(table(IN_PROSE));
    words
});
static NOUNS: LazyLock<VerbTable> = LazyLock::new(|| table(&[(Class::ReadNoun, ALSO_NOUNS)]));

/// The class of effects that a command's word, or a part of it, suggests.
pub(crate) fn named(word: &str) -> Option<Class> {
    NAMES.get(word).copied()
}

/// Returns true if a verb is a noun as often.
pub(crate) fn also_noun(word: &str) -> bool {
    NOUNS.contains_key(word)
}

/// The class of effects that a word suggests where a sentence has its verb, with the form that it stands under here:
/// `removes` is `remove`.
pub(crate) fn in_prose(word: &str) -> Option<(Class, &'static str)> {
    bases(word).find_map(|base| {
        PROSE
            .get_key_value(base.as_str())
            .map(|(key, class)| (*class, *key))
    })
}

/// A verb and the forms that it may come from: `copies` from `copy`, `stopping` from `stop`.
fn bases(word: &str) -> impl Iterator<Item = String> {
    let mut forms = vec![word.to_owned()];
    let mut add = |stem: &str, end: &str| {
        if stem.len() > 1 {
            forms.push(format!("{stem}{end}"));
        }
    };
    if let Some(stem) = word.strip_suffix("ies") {
        add(stem, "y");
    }
    if let Some(stem) = word.strip_suffix("es") {
        add(stem, "");
    }
    if let Some(stem) = word.strip_suffix('s') {
        add(stem, "");
    }
    if let Some(stem) = word.strip_suffix("ing") {
        add(stem, "");
        add(stem, "e");
        let mut letters = stem.chars();
        if let (Some(last), Some(before)) = (letters.next_back(), letters.next_back())
            && last == before
        {
            add(&stem[..stem.len() - last.len_utf8()], "");
        }
    }
    forms.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_stands_in_two_classes() {
        let mut seen = HashMap::new();
        for (class, words) in WORDS {
            for word in words.split_whitespace() {
                let before = seen.insert(word, *class);
                assert_eq!(before, None, "`{word}` stands twice");
            }
        }
        assert!(seen.len() > 400, "{} words", seen.len());
    }

    #[test]
    fn verbs_are_known_in_their_forms() {
        for (form, base) in [
            ("copies", "copy"),
            ("removes", "remove"),
            ("stopping", "stop"),
            ("creating", "create"),
            ("pushes", "push"),
            ("list", "list"),
        ] {
            assert_eq!(in_prose(form).map(|(_, word)| word), Some(base), "{form}");
        }
        assert_eq!(in_prose("things"), None);
    }
}
