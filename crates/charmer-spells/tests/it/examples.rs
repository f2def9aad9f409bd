//! The four examples of the format's document, as written and corrected, with the real commands. Those that need a program
//! which not every machine has are ignored by default; `.ci/run` runs them, and fails where one is missing.

use std::{
    fs,
    io::{Read, Write},
    net::TcpListener,
};

use serde_json::json;

use crate::support::{Project, call, code, nothing, stdout};

fn write(project: &Project, name: &str, text: &str) {
    fs::write(project.spells.join(format!("{name}.yaml")), text).expect("it can");
}

/// What is put behind a spell: nothing, and what has the system keep it from writing.
const READS: [&str; 2] = ["", "effect: read\n"];

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
    let project = Project::new();
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
#[ignore = "needs curl"]
async fn a_corrected_weather_spell_runs() {
    let server = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = server.local_addr().expect("an address");
    let answer = move || {
        let (mut client, _) = server.accept().expect("a client");
        let mut request = [0; 1024];
        let length = client.read(&mut request).expect("a request");
        client
            .write_all(b"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nsunny")
            .expect("it listens");
        String::from_utf8_lossy(&request[..length]).into_owned()
    };
    let answers = std::thread::spawn(move || [(); READS.len()].map(|()| answer()));
    let project = Project::new();
    let text = WEATHER
        .replace(
            "command: curl",
            &format!("command: curl -s --noproxy '*' http://{address}/weather"),
        )
        .replace("paths: []", "paths: [.]");
    let input = json!({
        "spell_name": "weather-api",
        "arguments": {"location": "New York"},
        "flags": ["-X", "GET"],
    });
    for more in READS {
        write(&project, "weather-api", &format!("{text}{more}"));
        let result = call(&project.book(), "cast_spell", input.clone()).await;
        assert_eq!(stdout(&result), "sunny");
    }
    let asked = answers.join().expect("it ends");
    assert!(asked.iter().all(|asked| asked.starts_with("GET /weather")));
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
#[ignore = "needs bash"]
async fn bash_as_written_has_nothing_to_run() {
    let project = Project::new();
    project.folder("scripts");
    write(
        &project,
        "my-script",
        &SCRIPT.replace("/home/user/scripts", "scripts"),
    );
    let book = project.book();
    let result = call(&book, "my-script", json!({"flags": ["-c"]})).await;
    assert_eq!(code(&result), "failed");
    assert!(
        result.text.contains("option requires an argument"),
        "{}",
        result.text
    );
    // Without it, bash reads its standard input, and that is empty: not the client's messages.
    let result = call(&book, "my-script", nothing()).await;
    assert_eq!(stdout(&result), "");
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
#[ignore = "needs bash"]
async fn a_corrected_script_runs() {
    let project = Project::new();
    let scripts = project.folder("scripts");
    fs::write(
        scripts.join("greet.sh"),
        "echo \"hello $SPELL_ARG_WHO from $(pwd -P)\"\n",
    )
    .expect("it can");
    let text = SCRIPT
        .replace("/home/user/scripts", "scripts")
        .replace("command: bash", "command: bash greet.sh");
    for more in READS {
        write(&project, "my-script", &format!("{text}{more}"));
        let result = project
            .call("my-script", json!({"arguments": {"who": "$(id)"}}))
            .await;
        assert_eq!(
            stdout(&result),
            format!("hello $(id) from {}\n", scripts.display())
        );
    }
}

const PROCESSOR: &str = "name: data-processor
description: Process data files with Python
command: python3
flags:
  - -u
paths:
  - /home/user/tools
timeout: 120
";

#[tokio::test]
#[ignore = "needs python3"]
async fn python_as_written_has_nothing_to_run() {
    let project = Project::new();
    project.folder("tools");
    let text = PROCESSOR.replace("/home/user/tools", "tools");
    write(&project, "data-processor", &text);
    // It reads its standard input, which is empty: not the client's messages.
    let result = project
        .call("data-processor", json!({"flags": ["-u"]}))
        .await;
    assert_eq!(stdout(&result), "");
    let result = project
        .call("data-processor", json!({"flags": ["-c", "print(1)"]}))
        .await;
    assert_eq!(code(&result), "not_permitted");
    let file = project.spells.join("data-processor.yaml");
    let report = charmer_spells::check(&file, &project.options()).expect("it is there");
    let shown = report.render(false);
    assert!(shown.contains("there is nothing to run"), "{shown}");
}

#[tokio::test]
#[ignore = "needs python3"]
async fn a_corrected_python_spell_runs() {
    let project = Project::new();
    let tools = project.folder("tools");
    fs::write(
        tools.join("process.py"),
        "import json, os\nprint(os.environ['SPELL_ARG_FILE'], json.loads(os.environ['SPELL_ARG_ROWS']))\n",
    )
    .expect("it can");
    let text = PROCESSOR
        .replace("/home/user/tools", "tools")
        .replace("command: python3", "command: python3 process.py");
    let input = json!({"arguments": {"file": "a b.csv", "rows": [1, "$(id)"]}});
    for more in READS {
        write(&project, "data-processor", &format!("{text}{more}"));
        let result = project.call("data-processor", input.clone()).await;
        assert_eq!(stdout(&result), "a b.csv [1, '$(id)']\n");
    }
}

/// As written, but for the folder that this machine does not have: it is the document's own text that is read.
#[test]
fn the_folders_of_the_document_are_missing_here_and_that_is_said() {
    let project = Project::new();
    for (name, text) in [("my-script", SCRIPT), ("data-processor", PROCESSOR)] {
        write(&project, name, text);
        let file = project.spells.join(format!("{name}.yaml"));
        let report = charmer_spells::check(&file, &project.options()).expect("it is there");
        assert!(report.is_ok(), "{}", report.render(false));
    }
    assert_eq!(project.book().spells().len(), 2);
}

#[tokio::test]
async fn pwd_runs_in_the_home_directory() {
    let project = Project::new();
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
