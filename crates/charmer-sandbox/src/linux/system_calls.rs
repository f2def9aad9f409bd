//! The system calls that a confined program may make: an allow-list, enforced by seccomp.
//!
//! Landlock decides on files; this decides on what Landlock does not see. What changes modes, owners, times or attributes
//! is answered with "not permitted", which programs know. What is on no list does not exist for the program: most fall
//! back to an older call then. Of calls that do many things only some are let through: commands for devices (`ioctl`)
//! are listed one by one, sockets are of the families that the network allows, and settings of processes are a process's
//! own.

use std::collections::BTreeMap;

use libc::{EACCES, ENOSYS, EPERM};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Width, SeccompCmpOp as Is,
    SeccompCondition as Condition, SeccompFilter, SeccompRule as Rule, TargetArch, apply_filter,
};

use crate::{NetworkRight, Rights};

use super::call_list::{
    ALLOWED, CONTROLS, METADATA, OWN_ONLY, PRIVILEGED, TERMINAL_CONTROLS, UNIX_FAMILY,
};

/// System calls by number, with what their arguments must be like: one of the rules, or nothing where there is none.
type Calls = BTreeMap<i64, Vec<Rule>>;

/// Every kind of new namespace that a call of `clone` could ask for.
const NEW_NAMESPACES: u64 = (libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET) as u64;
/// The bits of a socket's type that say of what kind it is; the others are flags.
const KIND_OF_SOCKET: u32 = 0xf;
/// The command of `fcntl` that keeps others from opening a file.
const SET_LEASE: u64 = 1024;
/// The argument that asks `personality` for the present one.
const PRESENT_PERSONALITY: u64 = 0xffff_ffff;

/// The things that are the process's own, so that it may do with them as it likes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Own {
    /// All terminals that it can see.
    pub(super) terminals: bool,
    /// Its network, which reaches nothing.
    pub(super) network: bool,
}

/// Leaves this thread, and all that it starts, only the system calls that go with these rights.
pub(super) fn restrict(rights: &Rights, own: Own) -> Result<(), String> {
    // Where several filters object, the answer is that of the one which was added last. So the general one comes first.
    let mut filters = vec![
        only(allowed(own.terminals)?, ENOSYS)?,
        never(privileged()?, EPERM)?,
        never(sockets(rights.network, own.network)?, EACCES)?,
    ];
    if !rights.metadata {
        // An error of no number is the answer that all went well.
        let answer = if rights.pretends_metadata { 0 } else { EPERM };
        filters.push(never(every(METADATA), answer)?);
    }
    filters
        .iter()
        .try_for_each(|filter| apply_filter(filter).map_err(failed))
}

/// A filter that lets only these calls through.
fn only(calls: Calls, otherwise: i32) -> Result<BpfProgram, String> {
    filter(
        calls,
        SeccompAction::Errno(otherwise.unsigned_abs()),
        SeccompAction::Allow,
    )
}

/// A filter that lets all but these calls through.
fn never(calls: Calls, instead: i32) -> Result<BpfProgram, String> {
    filter(
        calls,
        SeccompAction::Allow,
        SeccompAction::Errno(instead.unsigned_abs()),
    )
}

fn filter(
    calls: Calls,
    otherwise: SeccompAction,
    on_match: SeccompAction,
) -> Result<BpfProgram, String> {
    let machine = TargetArch::try_from(std::env::consts::ARCH).map_err(failed)?;
    let filter = SeccompFilter::new(calls, otherwise, on_match, machine).map_err(failed)?;
    filter.try_into().map_err(failed)
}

fn failed(error: impl std::fmt::Display) -> String {
    format!("system calls cannot be filtered: {error}")
}

fn every(calls: &[i64]) -> Calls {
    calls.iter().map(|call| (*call, Vec::new())).collect()
}

fn privileged() -> Result<Calls, String> {
    let mut calls = every(PRIVILEGED);
    calls.insert(libc::SYS_fcntl, vec![rule([is(1, Is::Eq, SET_LEASE)?])?]);
    Ok(calls)
}

fn allowed(own_terminals: bool) -> Result<Calls, String> {
    let mut calls = every(ALLOWED);
    // Whether these are allowed is decided by a filter of their own.
    calls.extend(every(METADATA));
    let controls = TERMINAL_CONTROLS.iter().filter(|_| own_terminals);
    let controls = CONTROLS.iter().chain(controls);
    let controls: Result<Vec<Rule>, String> = controls
        .map(|control| rule([is(1, Is::Eq, u64::from(*control))?]))
        .collect();
    calls.insert(libc::SYS_ioctl, controls?);
    // `clone3` hides its wishes in memory, where no filter sees them, so it is on no list: programs use `clone` then.
    let plain = Condition::new(0, Width::Qword, Is::MaskedEq(NEW_NAMESPACES), 0).map_err(failed)?;
    calls.insert(libc::SYS_clone, vec![rule([plain])?]);
    let personality = [0, PRESENT_PERSONALITY].map(|word| rule([is(0, Is::Eq, word)?]));
    calls.insert(
        libc::SYS_personality,
        personality.into_iter().collect::<Result<_, _>>()?,
    );
    // The kernel's log: to read all of it, and how much there is.
    let log = [3, 9, 10].map(|action| rule([is(0, Is::Eq, action)?]));
    calls.insert(libc::SYS_syslog, log.into_iter().collect::<Result<_, _>>()?);
    // Settings of a process: of the caller's own, which is called 0.
    for call in OWN_ONLY {
        calls.insert(*call, vec![rule([is(0, Is::Eq, 0)?])?]);
    }
    calls.insert(
        libc::SYS_setpriority,
        vec![rule([is(0, Is::Eq, 0)?, is(1, Is::Eq, 0)?])?],
    );
    // Limits of others may be read: then there are no new ones.
    let unread = Condition::new(2, Width::Qword, Is::Eq, 0).map_err(failed)?;
    let limits = vec![rule([is(0, Is::Eq, 0)?])?, rule([unread])?];
    calls.insert(libc::SYS_prlimit64, limits);
    Ok(calls)
}

/// The sockets that are not to be had.
fn sockets(network: NetworkRight, own_network: bool) -> Result<Calls, String> {
    let inet = [libc::AF_INET, libc::AF_INET6];
    let families: Vec<i32> = match network {
        NetworkRight::All => inet
            .into_iter()
            .chain([UNIX_FAMILY, libc::AF_NETLINK])
            .collect(),
        NetworkRight::Tcp => inet.into_iter().chain([libc::AF_NETLINK]).collect(),
        NetworkRight::Socket => vec![UNIX_FAMILY, libc::AF_NETLINK],
        // Some programs ask for their addresses as they start, and break down without an answer. In a network of their own
        // there are none to be told.
        NetworkRight::None if own_network => vec![libc::AF_NETLINK],
        NetworkRight::None => vec![],
    };
    let mut calls = Calls::new();
    // A pair of another kind can be sent through to any socket that has a path.
    if !families.contains(&UNIX_FAMILY) {
        let streams = [libc::SOCK_STREAM, libc::SOCK_SEQPACKET].map(i32::unsigned_abs);
        let others = (0..=KIND_OF_SOCKET).filter(|kind| !streams.contains(kind));
        let others = others.map(|kind| {
            let mask = Is::MaskedEq(KIND_OF_SOCKET.into());
            rule([is(1, mask, kind.into())?])
        });
        calls.insert(libc::SYS_socketpair, others.collect::<Result<_, _>>()?);
    }
    if families.is_empty() {
        calls.insert(libc::SYS_socket, Vec::new());
        return Ok(calls);
    }
    let other: Result<Vec<Condition>, String> = families
        .iter()
        .map(|family| is(0, Is::Ne, family.unsigned_abs().into()))
        .collect();
    // Of the kernel's own sockets, only that which tells of addresses and routes.
    let netlink = u64::from(libc::AF_NETLINK.unsigned_abs());
    let not_routes = [
        is(0, Is::Eq, netlink)?,
        is(2, Is::Ne, libc::NETLINK_ROUTE.unsigned_abs().into())?,
    ];
    calls.insert(libc::SYS_socket, vec![rule(other?)?, rule(not_routes)?]);
    Ok(calls)
}

/// A condition on an argument of 32 bits: the kernel looks at no more of it.
fn is(argument: u8, relation: Is, value: u64) -> Result<Condition, String> {
    Condition::new(argument, Width::Dword, relation, value).map_err(failed)
}

fn rule(conditions: impl IntoIterator<Item = Condition>) -> Result<Rule, String> {
    Rule::new(conditions.into_iter().collect()).map_err(failed)
}
