//! The four examples of the format's document, as written and corrected, with real commands. Where a machine lacks one,
//! the fixture stands in for it, last on the search path.

use std::{
    fs,
    io::{Read, Write},
    net::TcpListener,
    os::unix::fs::symlink,
};

use serde_json::json;

use crate::support::{Project, call, code, fixture, nothing, stdout};

/// A project whose search path ends with stand-ins.
fn project() -> Project {
    let project = Project::new();
    let tools = project.folder("stand-ins");
    for name in ["curl", "python3"] {
        symlink(fixture(), tools.join(name)).expect("it can");
    }
    symlink("/bin/sh", tools.join("bash")).expect("it can");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::env::split_paths(&path).chain([tools]);
    let path = std::env::join_paths(paths).expect("they come from one");
    project.set("PATH", path)
}

fn write(project: &Project, name: &str, text: &str) {
    fs::write(project.spells.join(format!("{name}.yaml")), text).expect("it can");
}

const WEATHER: &str = "name: weather-api
description: Get weather data using curl
command: curl
flags:
  - -X
  - GET
  - -H
paths: []
timeout: 30
";

#[tokio::test]
async fn the_weather_spell_as_written_is_refused_and_says_why() {
    let project = project();
    write(&project, "weather-api", WEATHER);
    let book = project.book();
    let input = json!({"spell_name": "weather-api", "arguments": {"location": "New York", "units": "metric"}});
    for result in [
        call(&book, "cast_spell", input).await,
        call(&book, "weather-api", nothing()).await,
    ] {
        assert_eq!(code(&result), "not_permitted");
        assert!(
            result.text.contains("`paths` is empty") && result.text.contains("paths: [.]"),
            "{}",
            result.text
        );
    }
    let report =
        charmer_spells::check(&project.spells.join("weather-api.yaml"), &project.options());
    let report = report.expect("it is there");
    assert!(report.is_ok(), "it is valid, it just cannot run");
    assert!(
        report.render(false).contains("can never run"),
        "{}",
        report.render(false)
    );
}

#[tokio::test]
async fn a_corrected_weather_spell_runs() {
    let server = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = server.local_addr().expect("an address");
    let answers = std::thread::spawn(move || {
        let (mut client, _) = server.accept().expect("a client");
        let mut request = [0; 1024];
        let length = client.read(&mut request).expect("a request");
        client
            .write_all(b"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nsunny")
            .expect("it listens");
        String::from_utf8_lossy(&request[..length]).into_owned()
    });
    let project = project();
    let text = WEATHER
        .replace(
            "command: curl",
            &format!("command: curl -s --noproxy '*' http://{address}/weather"),
        )
        .replace("paths: []", "paths: [.]");
    write(&project, "weather-api", &text);
    let input = json!({"spell_name": "weather-api", "arguments": {"location": "New York"}});
    let result = call(&project.book(), "cast_spell", input).await;
    assert_eq!(stdout(&result), "sunny");
    assert!(answers.join().expect("it ends").starts_with("GET /weather"));
}

const SCRIPT: &str = "name: my-script
description: Run custom script
command: bash
flags:
  - -c
paths:
  - /home/user/scripts
timeout: 60
";

#[tokio::test]
async fn bash_as_written_has_nothing_to_run() {
    let project = project();
    project.folder("scripts");
    write(
        &project,
        "my-script",
        &SCRIPT.replace("/home/user/scripts", "scripts"),
    );
    let book = project.book();
    let result = call(&book, "my-script", json!({"flags": ["-c"]})).await;
    assert_eq!(code(&result), "failed");
    let result = call(&book, "my-script", json!({"flags": ["-c", "id"]})).await;
    assert_eq!(code(&result), "not_permitted");
    let advice = charmer_spells::check(&project.spells.join("my-script.yaml"), &project.options());
    assert!(
        advice
            .expect("it is there")
            .render(false)
            .contains("no code is permitted")
    );
}

#[tokio::test]
async fn a_corrected_script_runs() {
    let project = project();
    let scripts = project.folder("scripts");
    fs::write(
        scripts.join("greet.sh"),
        "echo \"hello $SPELL_ARG_WHO from $(pwd -P)\"\n",
    )
    .expect("it can");
    let text = SCRIPT
        .replace("/home/user/scripts", "scripts")
        .replace("command: bash", "command: bash greet.sh");
    write(&project, "my-script", &text);
    let result = project
        .call("my-script", json!({"arguments": {"who": "$(id)"}}))
        .await;
    assert_eq!(
        stdout(&result),
        format!("hello $(id) from {}\n", scripts.display())
    );
}

#[tokio::test]
async fn a_corrected_python_spell_runs() {
    let project = project();
    let tools = project.folder("tools");
    fs::write(
        tools.join("process.py"),
        "import os\nprint('processed', os.environ['SPELL_ARG_FILE'])\n",
    )
    .expect("it can");
    let text = "name: data-processor
description: Process data files with Python
command: python3 -u process.py
flags:
  - -u
paths:
  - tools
timeout: 120
";
    write(&project, "data-processor", text);
    let result = project
        .call("data-processor", json!({"arguments": {"file": "a b.csv"}}))
        .await;
    assert_eq!(stdout(&result), "processed a b.csv\n");
    // As written there is no script, and nothing is read from the client's stream.
    write(
        &project,
        "data-processor",
        &text.replace(" -u process.py", ""),
    );
    let result = project
        .call("data-processor", json!({"flags": ["-u"]}))
        .await;
    assert!(!stdout(&result).contains("Traceback"));
}

#[tokio::test]
async fn pwd_runs_in_the_home_directory() {
    let project = project();
    let home = project.folder("home of somebody");
    let project = project.set("HOME", &home);
    write(
        &project,
        "pwd",
        "name: pwd
description: Print working directory
command: pwd
flags: []
paths:
  - ${HOME}
timeout: 10
",
    );
    let book = project.book();
    assert_eq!(
        stdout(&call(&book, "pwd", nothing()).await),
        format!("{}\n", home.display())
    );
    project.folder("home of somebody/sub");
    let result = call(&book, "pwd", json!({"path": "sub"})).await;
    assert_eq!(stdout(&result), format!("{}\n", home.join("sub").display()));
    assert_eq!(
        code(&call(&book, "pwd", json!({"path": "/"})).await),
        "not_permitted"
    );
    assert_eq!(
        code(&call(&book, "pwd", json!({"flags": ["-P"]})).await),
        "not_permitted"
    );
}
