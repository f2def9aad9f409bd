//! Discovery on real processes.

#![cfg(unix)]

mod document;
mod endless;
#[cfg(target_os = "linux")]
mod grouped;
#[cfg(target_os = "linux")]
mod hand_on;
mod hostile;
#[cfg(target_os = "linux")]
mod large;
mod lasting;
#[cfg(target_os = "linux")]
mod long_value;
mod own_page;
mod probe;
#[cfg(target_os = "linux")]
mod sandbox;
mod stop;
mod support;
#[cfg(target_os = "linux")]
mod told_below;
#[cfg(target_os = "linux")]
mod value_trial;
