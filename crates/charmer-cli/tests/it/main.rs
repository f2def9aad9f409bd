//! The program `charmer` as people and clients use it.

#[cfg(target_os = "linux")]
mod approve;
#[cfg(target_os = "linux")]
mod attacks;
#[cfg(unix)]
mod audit;
mod cache;
mod call;
mod check;
mod clients;
mod code_knows_no_program;
mod confine;
#[cfg(target_os = "linux")]
mod confined;
#[cfg(target_os = "linux")]
mod confined_spells;
#[cfg(unix)]
mod doctor;
mod documents;
#[cfg(target_os = "linux")]
mod drafts;
mod dry_run;
mod export;
mod expose;
mod folder;
#[cfg(unix)]
mod fresh;
#[cfg(unix)]
mod hooks;
#[cfg(unix)]
mod http;
#[cfg(unix)]
mod include;
mod init;
mod input;
mod installing;
#[cfg(unix)]
mod jobs;
#[cfg(target_os = "linux")]
mod large;
mod launcher;
mod mistakes;
#[cfg(target_os = "linux")]
mod plugins;
mod profiles;
#[cfg(target_os = "linux")]
mod readme;
#[cfg(target_os = "linux")]
mod said;
mod serve;
mod shows;
mod spells;
#[cfg(unix)]
mod stop;
#[cfg(unix)]
mod structure;
mod support;
mod terminal;
#[cfg(unix)]
mod unread;
