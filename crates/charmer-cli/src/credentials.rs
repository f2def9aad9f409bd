//! Secrets on a person's machine, and which programs they belong to: what a confined program is kept from, unless it is its
//! own.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

/// The place of a secret.
#[derive(Debug, Clone, Copy)]
enum SecretPlace {
    /// In the home folder.
    Home(&'static str),
    /// In the folder for configuration.
    Configuration(&'static str),
    /// Anywhere.
    System(&'static str),
}

use SecretPlace::{Configuration, Home, System};

/// The secrets, and besides a program of the same name the programs that they belong to.
#[rustfmt::skip]
const SECRETS: &[(SecretPlace, &[&str])] = &[
    (Home(".ssh"), &["scp", "sftp", "ssh-keygen", "ssh-add"]),
    (Home(".aws"), &["sam", "cdk"]),
    (Home(".gnupg"), &["gpg", "gpg2", "gpgv"]),
    (Home(".netrc"), &[]),
    (Home(".kube"), &["kubectl", "helm"]),
    (Home(".docker"), &["docker-compose"]),
    (Home(".azure"), &["az"]),
    (Home(".git-credentials"), &["git"]),
    (Home(".npmrc"), &["npm", "npx", "pnpm", "yarn"]),
    (Home(".yarnrc.yml"), &["yarn"]),
    (Home(".pypirc"), &["twine"]),
    (Home(".cargo/credentials"), &["cargo"]),
    (Home(".cargo/credentials.toml"), &["cargo"]),
    (Home(".gem/credentials"), &["gem"]),
    (Home(".m2/settings-security.xml"), &["mvn"]),
    (Home(".terraform.d/credentials.tfrc.json"), &["terraform"]),
    (Home(".vault-token"), &["vault"]),
    (Home(".pgpass"), &["psql", "pg_dump", "pg_restore", "pg_isready", "createdb", "dropdb"]),
    (Home(".my.cnf"), &["mysql", "mysqldump", "mysqladmin"]),
    (Home(".password-store"), &["pass", "gopass"]),
    (Home(".local/share/keyrings"), &[]),
    (Home(".mozilla"), &["firefox"]),
    (Home(".fly"), &["flyctl"]),
    (Home(".oci"), &[]),
    (Home(".boto"), &["gsutil"]),
    (Home(".s3cfg"), &["s3cmd"]),
    (Home(".databrickscfg"), &["databricks"]),
    (Home(".claude/.credentials.json"), &["claude"]),
    (Home(".codex/auth.json"), &["codex"]),
    (Home(".gemini/oauth_creds.json"), &["gemini"]),
    (Configuration("gh"), &[]),
    (Configuration("glab-cli"), &["glab"]),
    (Configuration("hub"), &[]),
    (Configuration("git/credentials"), &["git"]),
    (Configuration("gcloud"), &["gsutil", "bq"]),
    (Configuration("rclone"), &[]),
    (Configuration("helm/registry"), &["helm"]),
    (Configuration("containers/auth.json"), &["podman", "buildah", "skopeo"]),
    (Configuration("doctl"), &[]),
    (Configuration("op"), &[]),
    (Configuration("sops"), &[]),
    (Configuration("google-chrome"), &[]),
    (Configuration("chromium"), &[]),
    (Configuration("BraveSoftware"), &[]),
    (System("/etc/shadow"), &[]),
    (System("/etc/shadow-"), &[]),
    (System("/etc/gshadow"), &[]),
    (System("/etc/gshadow-"), &[]),
    (System("/etc/ssh/ssh_host_rsa_key"), &["sshd"]),
    (System("/etc/ssh/ssh_host_ecdsa_key"), &["sshd"]),
    (System("/etc/ssh/ssh_host_ed25519_key"), &["sshd"]),
    (System("/etc/sudoers"), &[]),
    (System("/etc/sudoers.d"), &[]),
    (System("/run/secrets"), &[]),
    (System("/var/run/secrets"), &[]),
];

/// Those of the names of variables that are most likely a program's own: they begin with its name, or with that of a folder
/// of secrets that belongs to it (`GH_TOKEN` of gh, `KUBECONFIG` of kubectl).
pub(crate) fn variables_of<'n>(program: &str, names: &'n [String]) -> Vec<&'n str> {
    let folders = SECRETS
        .iter()
        .filter(|(_, owners)| owners.contains(&program))
        .filter_map(|(place, _)| match place {
            Home(name) if !name.contains('/') => Some(name.trim_start_matches('.').to_uppercase()),
            _ => None,
        });
    let mut marks: Vec<String> = folders.collect();
    marks.push(format!(
        "{}_",
        program.to_uppercase().replace(['-', '.'], "_")
    ));
    let is_own = |name: &&String| marks.iter().any(|mark| name.starts_with(mark));
    names.iter().filter(is_own).map(String::as_str).collect()
}

/// The secrets that a program must not reach, and those among them that are its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ProgramSecrets {
    pub(crate) hidden: Vec<PathBuf>,
    /// Files and folders within hidden ones that are the program's own.
    pub(crate) shown: Vec<PathBuf>,
}

impl ProgramSecrets {
    /// Those of others than a program of this name. Its own are those that are called after it, that a variable of its
    /// environment points to, that it was given, and that hold the folder it works in.
    pub(crate) fn of_others<'v>(
        program: &str,
        home: &Path,
        environment: impl IntoIterator<Item = (&'v OsStr, &'v OsStr)>,
        given: &[PathBuf],
        folder: &Path,
    ) -> Self {
        let mut configuration = vec![home.join(".config")];
        let mut own: Vec<PathBuf> = given.to_vec();
        for (name, value) in environment {
            // Where a person has been says nothing of the program.
            let name = name.to_string_lossy();
            if name.ends_with("PWD") || name.ends_with("PATH") {
                continue;
            }
            let mut paths = std::env::split_paths(value).filter(|path| path.is_absolute());
            if name == "XDG_CONFIG_HOME" {
                configuration.extend(paths.next());
            } else {
                own.extend(paths);
            }
        }
        let mut secrets = Self::default();
        for (place, owners) in SECRETS {
            let (paths, name) = match place {
                Home(name) => (vec![home.join(name)], *name),
                Configuration(name) => {
                    let folders = configuration.iter();
                    (folders.map(|folder| folder.join(name)).collect(), *name)
                }
                System(name) => (vec![PathBuf::from(name)], *name),
            };
            if name.trim_start_matches('.') == program || owners.contains(&program) {
                continue;
            }
            for path in paths {
                let is_given = given.iter().any(|given| path.starts_with(given));
                if is_given || folder.starts_with(&path) || own.contains(&path) {
                    continue;
                }
                let inside = own.iter().filter(|own| own.starts_with(&path));
                secrets.shown.extend(inside.cloned());
                secrets.hidden.push(path);
            }
        }
        secrets.shown.sort();
        secrets.shown.dedup();
        secrets
    }

    /// Those of others than the program of a spell, but for what the spell itself names. A folder that merely holds them is
    /// not enough.
    pub(crate) fn of_spell(program: &str, home: &Path, named: &[PathBuf]) -> Vec<PathBuf> {
        let others = Self::of_others(program, home, [], &[], Path::new("/"));
        let unnamed = others
            .hidden
            .into_iter()
            .filter(|path| !named.contains(path));
        unnamed.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(program: &str, variables: &[(&str, &str)], given: &[&str]) -> ProgramSecrets {
        let variables = variables.iter();
        let variables = variables.map(|(name, value)| (OsStr::new(*name), OsStr::new(*value)));
        let given: Vec<PathBuf> = given.iter().map(PathBuf::from).collect();
        let home = Path::new("/home/ann");
        ProgramSecrets::of_others(program, home, variables, &given, Path::new("/srv/work"))
    }

    fn hides(secrets: &ProgramSecrets, path: &str) -> bool {
        secrets
            .hidden
            .iter()
            .any(|hidden| hidden == Path::new(path))
    }

    #[test]
    fn variables_are_known_by_their_programs() {
        let names = ["GH_TOKEN", "KUBECONFIG", "PATH", "GHOST", "DOCKER_HOST"].map(str::to_owned);
        assert_eq!(variables_of("gh", &names), ["GH_TOKEN"]);
        assert_eq!(variables_of("kubectl", &names), ["KUBECONFIG"]);
        assert_eq!(variables_of("docker", &names), ["DOCKER_HOST"]);
        assert!(variables_of("git", &names).is_empty());
    }

    #[test]
    fn a_program_reaches_its_own_and_nobody_elses() {
        let own = [
            ("aws", "/home/ann/.aws"),
            ("gh", "/home/ann/.config/gh"),
            ("docker", "/home/ann/.docker"),
            ("kubectl", "/home/ann/.kube"),
            ("helm", "/home/ann/.kube"),
            ("ssh", "/home/ann/.ssh"),
            ("git", "/home/ann/.git-credentials"),
        ];
        for (program, path) in own {
            assert!(!hides(&secrets(program, &[], &[]), path), "{program}");
            assert!(hides(&secrets("other", &[], &[]), path), "{path}");
            assert!(hides(&secrets(program, &[], &[]), "/etc/shadow"));
        }
    }

    #[test]
    fn a_variable_that_points_to_a_secret_shows_that_one() {
        let pointed = secrets(
            "k9s",
            &[("KUBECONFIG", "/home/ann/.kube/a:/home/ann/.kube/b")],
            &[],
        );
        assert!(hides(&pointed, "/home/ann/.kube"));
        assert_eq!(
            pointed.shown,
            ["/home/ann/.kube/a", "/home/ann/.kube/b"].map(PathBuf::from)
        );
        let folder = secrets("k9s", &[("KUBE_HOME", "/home/ann/.kube")], &[]);
        assert!(!hides(&folder, "/home/ann/.kube"));
        let visited = secrets(
            "k9s",
            &[("OLDPWD", "/home/ann/.kube"), ("PWD", "/home/ann/.ssh")],
            &[],
        );
        assert!(hides(&visited, "/home/ann/.kube") && hides(&visited, "/home/ann/.ssh"));
        // What merely holds secrets beside other things is no leave to read them.
        let home = secrets(
            "k9s",
            &[
                ("HOME", "/home/ann"),
                ("XDG_DATA_DIRS", "/home/ann/.config"),
            ],
            &[],
        );
        assert!(hides(&home, "/home/ann/.kube") && hides(&home, "/home/ann/.config/gh"));
        let moved = secrets("k9s", &[("XDG_CONFIG_HOME", "/data/config")], &[]);
        assert!(hides(&moved, "/data/config/gh") && hides(&moved, "/home/ann/.config/gh"));
    }

    #[test]
    fn a_spell_reaches_what_it_names_and_not_what_is_in_its_folders() {
        let home = Path::new("/home/ann");
        let hidden = |named: &str| ProgramSecrets::of_spell("cat", home, &[named.into()]);
        let ssh: PathBuf = "/home/ann/.ssh".into();
        assert!(hidden("/home/ann").contains(&ssh));
        assert!(!hidden("/home/ann/.ssh").contains(&ssh));
    }

    #[test]
    fn what_is_given_is_shown() {
        let given = secrets("git", &[], &["/home/ann/.ssh"]);
        assert!(!hides(&given, "/home/ann/.ssh"));
        let key = secrets("git", &[], &["/home/ann/.ssh/known_hosts"]);
        assert!(hides(&key, "/home/ann/.ssh"));
        assert_eq!(key.shown, ["/home/ann/.ssh/known_hosts"].map(PathBuf::from));
        let all = secrets("git", &[], &["/home/ann"]);
        assert!(!hides(&all, "/home/ann/.ssh") && hides(&all, "/etc/shadow"));
        let home = Path::new("/home/ann");
        let works_there = ProgramSecrets::of_others("ls", home, [], &[], &home.join(".aws/sso"));
        assert!(!hides(&works_there, "/home/ann/.aws"));
    }
}
