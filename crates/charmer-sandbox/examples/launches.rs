//! A process that launches a shell in a sandbox and does nothing else, for tests that kill it:
//! `launches CONFINED FOLDER SCRIPT`.

use std::{error::Error, fs::File, sync::mpsc};

use charmer_sandbox::{Program, Rights, Sandbox, SandboxCommand, Streams};

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args_os().skip(1);
    let mut word = || words.next().ok_or("a word is missing");
    let command = SandboxCommand {
        program: word()?.into(),
        args: Vec::new(),
    };
    let program = Program {
        folder: word()?.into(),
        argv: vec!["-c".into(), word()?],
        folder_id: None,
        program: "/bin/sh".into(),
        environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
    };
    let mut rights = Rights::default();
    rights.folders = vec![program.folder.clone()];
    let sandbox = Sandbox::start(&command, &rights)?;
    let streams = Streams {
        stdin: File::open("/dev/null")?.into(),
        stdout: File::create("/dev/null")?.into(),
        stderr: File::create("/dev/null")?.into(),
    };
    let (tell, end) = mpsc::channel();
    let _program = sandbox.launch(&program, streams, Box::new(move |end| drop(tell.send(end))));
    end.recv()?.map_err(|failure| format!("{failure:?}"))?;
    Ok(())
}
