//! Who a client is: by its token, by the user at the other end of a socket, or whoever is on this machine.

use std::sync::Arc;

use charmer_run::{LOCAL, Permissions};

/// Somebody whom calls belong to, and what they may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Principal {
    pub(super) name: Arc<str>,
    pub(super) permissions: Permissions,
}

impl Principal {
    pub(super) fn new(name: impl Into<Arc<str>>, permissions: Permissions) -> Self {
        Self {
            name: name.into(),
            permissions,
        }
    }

    /// Whoever is on this machine.
    pub(super) fn local() -> Self {
        Self::new(LOCAL, Permissions::all())
    }

    /// The user of this number on this machine, by name where it has one.
    #[cfg(unix)]
    pub(super) fn of_user(id: u32) -> Self {
        let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
        let name = user_name(&users, id).filter(|name| super::tokens::is_name(name));
        let name = name.map_or_else(|| format!("uid-{id}"), str::to_owned);
        Self::new(name, Permissions::all())
    }
}

/// The name of a user, in the system's own list of them.
#[cfg(unix)]
fn user_name(users: &str, id: u32) -> Option<&str> {
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        let number = fields.nth(1)?;
        (number.parse() == Ok(id)).then_some(name)
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_user_is_known_by_name() {
        let users = "root:x:0:0::/root:/bin/sh\nann:x:1000:1000:Ann:/home/ann:/bin/sh\nbroken\n";
        assert_eq!(user_name(users, 1000), Some("ann"));
        assert_eq!(user_name(users, 0), Some("root"));
        assert_eq!(user_name(users, 7), None);
    }
}
