//! How long a thousand spells take to parse, to load, to look at again when nothing changed, and when one did; and how long it takes
//! until a watcher tells of a change.
//!
//! `cargo bench -p charmer-spells` prints it.

#![expect(clippy::print_stdout, reason = "a benchmark prints its numbers")]
#![expect(
    clippy::unwrap_used,
    reason = "a benchmark that cannot run says so by stopping"
)]

use std::{
    fs,
    path::Path,
    sync::mpsc::channel,
    time::{Duration, Instant},
};

use charmer_spells::{Context, Spell, SpellBook, SpellOptions, watch};

const SPELLS: usize = 1000;
const ROUNDS: usize = 20;

fn main() {
    // A test run only builds it.
    if !std::env::args().any(|word| word == "--bench") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let spells = folder.path().join("spells");
    fs::create_dir(&spells).unwrap();
    for n in 0..SPELLS {
        write(&spells, n, "one");
    }
    // Files that have just been written are read again, in case they change within the clock's tick.
    std::thread::sleep(Duration::from_millis(200));
    let open = || SpellBook::open(&spells, SpellOptions::new(std::env::vars_os()));
    let texts: Vec<String> = (0..SPELLS)
        .map(|n| fs::read_to_string(spells.join(format!("spell-{n}.yaml"))).unwrap())
        .collect();
    say("parse, on one core", || {
        for text in &texts {
            assert!(
                Spell::parse(text, "t.yaml", &Context::default())
                    .value
                    .is_some()
            );
        }
    });
    say("load", || drop(open()));
    let book = open();
    assert_eq!(book.spells().len(), SPELLS);
    say("look again", || assert!(!book.reload()));
    say("tools", || assert_eq!(book.tools().len(), SPELLS + 2));
    let mut n = 0;
    say("one changed", || {
        n += 1;
        write(&spells, 7, &n.to_string());
        assert!(book.reload());
    });
    let (told, changes) = channel();
    let _watch = watch(&book, move |_| told.send(()).unwrap()).unwrap();
    say("told of a change", || {
        n += 1;
        write(&spells, 7, &n.to_string());
        changes.recv().unwrap();
    });
}

fn write(spells: &Path, n: usize, word: &str) {
    let text = format!(
        "name: spell-{n}\ndescription: Spell number {n} says a word\ncommand: echo {word}\nflags: [-n, -e]\n\
         paths: [.]\ntimeout: 30\nargs:\n  - {{name: city, required: true, description: A city}}\n  \
         - {{name: count, type: integer, default: 3}}\nargv: ['--city={{{{city}}}}', '-n{{{{count}}}}']\neffect: read\n"
    );
    fs::write(spells.join(format!("spell-{n}.yaml")), text).unwrap();
}

fn say(what: &str, mut run: impl FnMut()) {
    let worked = processor_time();
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let began = Instant::now();
            run();
            began.elapsed()
        })
        .collect();
    times.sort();
    let work = worked.and_then(|before| Some((processor_time()? - before) / ROUNDS as u32));
    println!(
        "{what}: median {:.1?}, worst {:.1?}; of processors {}",
        times[ROUNDS / 2],
        times[ROUNDS - 1],
        work.map_or("unknown".into(), |work| format!("{work:.1?}"))
    );
}

/// How long processors have worked for this process, on all its threads: what a busy machine changes least. Linux tells.
fn processor_time() -> Option<Duration> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<u64>().ok();
    // In hundredths of a second, on every machine that there is.
    Some(Duration::from_millis(10 * (ticks(11)? + ticks(12)?)))
}
