//! Prints what discovery finds: `show PROGRAM [PATH...]` (interim).
fn main() {
    let mut args = std::env::args().skip(1);
    let program = args.next().expect("a program");
    let path: charmer_core::model::CommandPath = args.collect();
    let program = std::path::PathBuf::from(program);
    let rt = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("rt");
    let t = std::time::Instant::now();
    let found = rt.block_on(charmer_discover::discover(&program, &Default::default()));
    match found {
        Ok(found) => {
            let mut commands = 0;
            let mut flags = 0;
            found.cli.walk(&mut |p, l| {
                let c = l.last().expect("c");
                commands += 1;
                flags += c.flags.len();
                if path.is_root() {
                    println!(
                        "{p} [{}]{} {}",
                        c.flags.len(),
                        if c.runnable { "" } else { " group" },
                        c.same_as
                            .as_ref()
                            .map(|p| format!("= {p}"))
                            .unwrap_or_default()
                    );
                }
            });
            if !path.is_root() {
                println!(
                    "{}",
                    serde_json::to_string_pretty(found.cli.command(&path).expect("command"))
                        .expect("json")
                );
                println!(
                    "{}",
                    serde_json::to_string(found.provenance.command(&path).expect("c"))
                        .expect("json")
                );
            }
            for w in &found.warnings {
                println!("! {}: {}", w.path, w.message);
            }
            println!(
                "{} {commands} commands {flags} flags {} spawns {:?}",
                found.family,
                found.spawned,
                t.elapsed()
            );
            if let Ok(f) = std::env::var("DUMP") {
                std::fs::write(f, serde_json::to_string(&found.cli).expect("json")).expect("w");
            }
        }
        Err(e) => println!("error: {e}"),
    }
}
