//! A program's manual page on disk: beside the program's own prefix, else in the usual folders. Nothing is executed.

use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

use flate2::read::MultiGzDecoder;

/// The maximum number of bytes of a page that are read, unpacked: the longest pages have two million.
const LONGEST: u64 = 4 << 20;

/// Folders of manual pages that any program's page may be in.
const USUAL: [&str; 2] = ["/usr/share/man", "/usr/local/share/man"];

/// Sections with programs, the likelier first.
const SECTIONS: [&str; 3] = ["1", "8", "6"];

/// The source of a program's manual page. A link is asked for under its own name first, then under those that it leads to.
pub(super) fn source(program: &Path) -> Option<String> {
    let mut seen = vec![program.to_path_buf()];
    while let Some(next) = seen.last().and_then(|last| target(last)) {
        if seen.len() > 8 || seen.contains(&next) {
            break;
        }
        seen.push(next);
    }
    seen.iter().find_map(|program| {
        let name = program.file_name()?.to_str()?;
        roots(program).iter().find_map(|root| in_root(root, name))
    })
}

fn target(link: &Path) -> Option<PathBuf> {
    let target = std::fs::read_link(link).ok()?;
    Some(link.parent()?.join(target))
}

/// The folders in which a program's page may be: `PREFIX/share/man` and `PREFIX/man` for `PREFIX/bin/program`.
fn roots(program: &Path) -> Vec<PathBuf> {
    let prefix = program.parent().and_then(Path::parent);
    let own = prefix.into_iter().flat_map(|prefix| {
        let shared = prefix.join("share").join("man");
        [shared, prefix.join("man")]
    });
    let mut all: Vec<PathBuf> = own.collect();
    for usual in USUAL {
        if !all.iter().any(|root| root == Path::new(usual)) {
            all.push(usual.into());
        }
    }
    all
}

fn in_root(root: &Path, name: &str) -> Option<String> {
    SECTIONS.iter().find_map(|section| {
        let folder = root.join(format!("man{section}"));
        let text = page(&folder.join(format!("{name}.{section}")))?;
        // A page may only name another: `.so man1/other.1`.
        let other = text.trim().strip_prefix(".so ").map(str::trim);
        match other.filter(|other| !other.contains("..") && !other.contains('\n')) {
            Some(other) => page(&root.join(other)),
            None => Some(text),
        }
    })
}

/// A page, plain or packed.
fn page(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    if let Ok(file) = File::open(path) {
        file.take(LONGEST).read_to_end(&mut bytes).ok()?;
    } else {
        let mut packed = path.as_os_str().to_owned();
        packed.push(".gz");
        let file = File::open(packed).ok()?;
        let unpacked = MultiGzDecoder::new(file);
        unpacked.take(LONGEST).read_to_end(&mut bytes).ok()?;
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::Write;

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    #[test]
    fn a_page_beside_the_program_packed_or_named_by_another() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |path: &str| folder.path().join(path);
        std::fs::create_dir_all(at("bin")).expect("made");
        std::fs::create_dir_all(at("share/man/man8")).expect("made");
        std::fs::create_dir_all(at("share/man/man1")).expect("made");
        let page = File::create(at("share/man/man8/charmer-no-such.8.gz")).expect("made");
        let mut packed = GzEncoder::new(page, Compression::fast());
        packed.write_all(b".TH X 8\n").expect("written");
        packed.finish().expect("written");
        let other = at("share/man/man1/charmer-no-other.1");
        std::fs::write(other, ".so man8/charmer-no-such.8\n").expect("written");
        std::os::unix::fs::symlink("charmer-no-such", at("bin/charmer-no-link")).expect("linked");
        for name in ["charmer-no-such", "charmer-no-other", "charmer-no-link"] {
            let found = source(&at("bin").join(name));
            assert_eq!(found.as_deref(), Some(".TH X 8\n"), "{name}");
        }
        assert_eq!(source(&at("bin/charmer-no-page")), None);
    }
}
