//! The lists of system calls and of commands for devices. They began with what forty-odd reading commands of common
//! programs use; what reads, or changes only the program itself, was added.

use libc::*;

/// The family of sockets that local services have.
pub(super) const UNIX_FAMILY: i32 = AF_UNIX;

/// Calls that have one number on every machine, and no name in the crate yet.
mod newer {
    pub(super) const CACHESTAT: i64 = 451;
    pub(super) const FCHMODAT2: i64 = 452;
    pub(super) const MAP_SHADOW_STACK: i64 = 453;
    pub(super) const FUTEX_WAKE: i64 = 454;
    pub(super) const FUTEX_WAIT: i64 = 455;
    pub(super) const FUTEX_REQUEUE: i64 = 456;
    pub(super) const STATMOUNT: i64 = 457;
    pub(super) const LISTMOUNT: i64 = 458;
    pub(super) const MSEAL: i64 = 462;
    pub(super) const SETXATTRAT: i64 = 463;
    pub(super) const GETXATTRAT: i64 = 464;
    pub(super) const LISTXATTRAT: i64 = 465;
    pub(super) const REMOVEXATTRAT: i64 = 466;
    pub(super) const FILE_GETATTR: i64 = 468;
    pub(super) const FILE_SETATTR: i64 = 469;
}

/// Calls allowed with any arguments. Files that are created, written or removed are Landlock's to judge.
#[rustfmt::skip]
pub(super) const ALLOWED: &[i64] = &[
    // Files.
    SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_pwrite64, SYS_preadv, SYS_pwritev, SYS_preadv2,
    SYS_pwritev2, SYS_openat, SYS_openat2, SYS_close, SYS_close_range, SYS_lseek, SYS_fstat, SYS_newfstatat, SYS_statx,
    SYS_statfs, SYS_fstatfs, SYS_faccessat, SYS_faccessat2, SYS_readlinkat, SYS_getdents64, SYS_getcwd, SYS_chdir,
    SYS_fchdir, SYS_umask, SYS_dup, SYS_dup3, SYS_pipe2, SYS_fcntl, SYS_flock, SYS_ftruncate, SYS_truncate,
    SYS_fallocate, SYS_fadvise64, SYS_readahead, SYS_sync, SYS_fsync, SYS_fdatasync, SYS_sync_file_range, SYS_syncfs,
    SYS_mkdirat, SYS_unlinkat, SYS_renameat2, SYS_linkat, SYS_symlinkat, SYS_mknodat, SYS_copy_file_range, SYS_splice,
    SYS_tee, SYS_vmsplice, SYS_sendfile, SYS_getxattr, SYS_lgetxattr, SYS_fgetxattr, SYS_listxattr, SYS_llistxattr,
    SYS_flistxattr, SYS_name_to_handle_at, newer::CACHESTAT, newer::STATMOUNT, newer::LISTMOUNT, newer::GETXATTRAT,
    newer::LISTXATTRAT, newer::FILE_GETATTR,
    // Memory.
    SYS_mmap, SYS_munmap, SYS_mprotect, SYS_mremap, SYS_madvise, SYS_mincore, SYS_msync, SYS_mlock, SYS_mlock2,
    SYS_munlock, SYS_mlockall, SYS_munlockall, SYS_brk, SYS_membarrier, SYS_memfd_create, SYS_pkey_alloc,
    SYS_pkey_free, SYS_pkey_mprotect, SYS_get_mempolicy, SYS_set_mempolicy, SYS_mbind, newer::MAP_SHADOW_STACK,
    newer::MSEAL,
    // Processes and threads. Whom a signal reaches is decided by Landlock and the process namespace.
    SYS_execve, SYS_execveat, SYS_exit, SYS_exit_group, SYS_wait4, SYS_waitid, SYS_set_tid_address,
    SYS_set_robust_list, SYS_get_robust_list, SYS_rseq, SYS_futex, SYS_futex_waitv, newer::FUTEX_WAKE,
    newer::FUTEX_WAIT, newer::FUTEX_REQUEUE, SYS_getpid, SYS_getppid, SYS_gettid, SYS_getuid, SYS_geteuid, SYS_getgid,
    SYS_getegid, SYS_getresuid, SYS_getresgid, SYS_getgroups, SYS_getpgid, SYS_getsid, SYS_getpriority, SYS_getrusage,
    SYS_times, SYS_sysinfo, SYS_uname, SYS_getcpu, SYS_capget, SYS_capset, SYS_prctl, SYS_setuid, SYS_setgid,
    SYS_setreuid, SYS_setregid, SYS_setresuid, SYS_setresgid, SYS_setfsuid, SYS_setfsgid, SYS_setgroups, SYS_setpgid,
    SYS_setsid, SYS_sched_getaffinity, SYS_sched_yield, SYS_sched_getparam, SYS_sched_getscheduler,
    SYS_sched_get_priority_max, SYS_sched_get_priority_min, SYS_sched_rr_get_interval, SYS_sched_getattr,
    SYS_ioprio_get, SYS_getrlimit, SYS_setrlimit, SYS_getrandom, SYS_seccomp, SYS_landlock_create_ruleset,
    SYS_landlock_add_rule, SYS_landlock_restrict_self, SYS_pidfd_open, SYS_pidfd_send_signal, SYS_restart_syscall,
    // Signals and time.
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigpending, SYS_rt_sigsuspend,
    SYS_rt_sigtimedwait, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_sigaltstack, SYS_kill, SYS_tkill, SYS_tgkill,
    SYS_nanosleep, SYS_clock_nanosleep, SYS_clock_gettime, SYS_clock_getres, SYS_gettimeofday, SYS_timer_create,
    SYS_timer_settime, SYS_timer_gettime, SYS_timer_getoverrun, SYS_timer_delete, SYS_timerfd_create,
    SYS_timerfd_settime, SYS_timerfd_gettime, SYS_getitimer, SYS_setitimer,
    // Waiting.
    SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait, SYS_epoll_pwait2, SYS_eventfd2, SYS_signalfd4,
    SYS_inotify_init1, SYS_inotify_add_watch, SYS_inotify_rm_watch, SYS_ppoll, SYS_pselect6,
    // Sockets, once they are there: which may be made is decided apart.
    SYS_socket, SYS_socketpair, SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_connect, SYS_getsockname,
    SYS_getpeername, SYS_sendto, SYS_recvfrom, SYS_setsockopt, SYS_getsockopt, SYS_shutdown, SYS_sendmsg, SYS_recvmsg,
    SYS_sendmmsg, SYS_recvmmsg,
    // The same as above under older names.
    #[cfg(not(target_arch = "riscv64"))] SYS_renameat,
    #[cfg(target_arch = "x86_64")] SYS_arch_prctl,
    #[cfg(target_arch = "x86_64")] SYS_open,
    #[cfg(target_arch = "x86_64")] SYS_creat,
    #[cfg(target_arch = "x86_64")] SYS_stat,
    #[cfg(target_arch = "x86_64")] SYS_lstat,
    #[cfg(target_arch = "x86_64")] SYS_access,
    #[cfg(target_arch = "x86_64")] SYS_pipe,
    #[cfg(target_arch = "x86_64")] SYS_dup2,
    #[cfg(target_arch = "x86_64")] SYS_poll,
    #[cfg(target_arch = "x86_64")] SYS_select,
    #[cfg(target_arch = "x86_64")] SYS_epoll_create,
    #[cfg(target_arch = "x86_64")] SYS_epoll_wait,
    #[cfg(target_arch = "x86_64")] SYS_eventfd,
    #[cfg(target_arch = "x86_64")] SYS_signalfd,
    #[cfg(target_arch = "x86_64")] SYS_inotify_init,
    #[cfg(target_arch = "x86_64")] SYS_readlink,
    #[cfg(target_arch = "x86_64")] SYS_mkdir,
    #[cfg(target_arch = "x86_64")] SYS_rmdir,
    #[cfg(target_arch = "x86_64")] SYS_unlink,
    #[cfg(target_arch = "x86_64")] SYS_rename,
    #[cfg(target_arch = "x86_64")] SYS_link,
    #[cfg(target_arch = "x86_64")] SYS_symlink,
    #[cfg(target_arch = "x86_64")] SYS_mknod,
    #[cfg(target_arch = "x86_64")] SYS_getdents,
    #[cfg(target_arch = "x86_64")] SYS_fork,
    #[cfg(target_arch = "x86_64")] SYS_vfork,
    #[cfg(target_arch = "x86_64")] SYS_getpgrp,
    #[cfg(target_arch = "x86_64")] SYS_pause,
    #[cfg(target_arch = "x86_64")] SYS_alarm,
    #[cfg(target_arch = "x86_64")] SYS_time,
    #[cfg(target_arch = "x86_64")] SYS_ustat,
];

/// Calls that change modes, owners, times and attributes.
#[rustfmt::skip]
pub(super) const METADATA: &[i64] = &[
    SYS_fchmod, SYS_fchmodat, SYS_fchown, SYS_fchownat, SYS_utimensat, SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr,
    SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr, newer::FCHMODAT2, newer::SETXATTRAT, newer::REMOVEXATTRAT,
    newer::FILE_SETATTR,
    #[cfg(target_arch = "x86_64")] SYS_chmod,
    #[cfg(target_arch = "x86_64")] SYS_chown,
    #[cfg(target_arch = "x86_64")] SYS_lchown,
    #[cfg(target_arch = "x86_64")] SYS_utime,
    #[cfg(target_arch = "x86_64")] SYS_utimes,
    #[cfg(target_arch = "x86_64")] SYS_futimesat,
];

/// Calls that are better answered with "not permitted" than with "no such call", because programs expect that.
#[rustfmt::skip]
pub(super) const PRIVILEGED: &[i64] = &[
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_unshare, SYS_setns, SYS_ptrace, SYS_open_by_handle_at,
];

/// Calls whose first argument is a process, which must be the caller.
pub(super) const OWN_ONLY: &[i64] = &[
    SYS_sched_setaffinity,
    SYS_sched_setattr,
    SYS_sched_setparam,
    SYS_sched_setscheduler,
];

/// Commands for devices, files and sockets that ask, or change only the caller's own descriptor.
#[rustfmt::skip]
pub(super) const CONTROLS: &[u32] = &[
    // Terminals: TCGETS, TCGETA, TIOCGPGRP, TIOCOUTQ, TIOCGWINSZ, TIOCGSID, TCGETS2, TIOCGPTN.
    0x5401, 0x5405, 0x540f, 0x5411, 0x5413, 0x5429, 0x802c_542a, 0x8004_5430,
    // Descriptors: FIONREAD, FIONBIO, FIONCLEX, FIOCLEX, FIOASYNC, FIOQSIZE.
    0x541b, 0x5421, 0x5450, 0x5451, 0x5452, 0x5460,
    // Files: FIGETBSZ, GETFLAGS, GETVERSION, FSGETXATTR, FIEMAP, GETFSLABEL; FICLONE and FICLONERANGE write only where
    // the descriptor may.
    0x2, 0x8008_6601, 0x8008_7601, 0x801c_581f, 0xc020_660b, 0x8100_9431, 0x4004_9409, 0x4020_940d,
    // Block devices: BLKROGET, BLKGETSIZE, BLKSSZGET, BLKGETSIZE64.
    0x125e, 0x1260, 0x1268, 0x8008_1272,
    // Network interfaces: SIOCATMARK, and SIOCGIF with NAME, CONF, FLAGS, ADDR, DSTADDR, BRDADDR, NETMASK, METRIC, MTU,
    // HWADDR, INDEX, TXQLEN, MAP.
    0x8905, 0x8910, 0x8912, 0x8913, 0x8915, 0x8917, 0x8919, 0x891b, 0x891d, 0x8921, 0x8927, 0x8933, 0x8942, 0x8970,
    // Namespaces: what they are and whose.
    0xb701, 0xb702, 0xb703, 0xb704,
];

/// Commands that change a terminal: TCSETS, TCSETSW, TCSETSF, TCSBRK, TCXONC, TCFLSH, TIOCSCTTY, TIOCSPGRP, TIOCSWINSZ,
/// TIOCPKT, TIOCNOTTY, TCSETS2, TCSETSW2, TCSETSF2, TIOCSPTLCK, TIOCGPTLCK, TIOCGPTPEER. Writing somebody's input for
/// them (TIOCSTI) is never allowed.
#[rustfmt::skip]
pub(super) const TERMINAL_CONTROLS: &[u32] = &[
    0x5402, 0x5403, 0x5404, 0x5409, 0x540a, 0x540b, 0x540e, 0x5410, 0x5414, 0x5420, 0x5422, 0x402c_542b, 0x402c_542c,
    0x402c_542d, 0x4004_5431, 0x8004_5439, 0x5441,
];
