//! Jobs over HTTP: each belongs to its principal, and clients that know tasks get them as tasks.

use serde_json::{Value, json};

use super::client::{Ask, HttpServer};

const SOON: [&str; 2] = ["--background-after", "1s"];
const ANN: &str = "ann-may-do-everything";
const BOB: &str = "bob-may-do-everything";

fn result(server: &HttpServer, ask: Ask, token: &str) -> Value {
    server.send(&ask.token(token)).json()
}

/// The same as a client that knows tasks.
fn with_tasks(method: &str, mut params: Value) -> Ask {
    let capabilities = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities;
    Ask::modern(method, params)
}

#[test]
fn a_job_is_its_principals_alone_and_outlives_its_connection() {
    let server = HttpServer::indexed("", &SOON);
    let drift = json!({"command": "ship_drift", "background": true});
    let drift = result(&server, Ask::call("run_write", drift), ANN);
    let job = drift["result"]["structuredContent"]["job"].clone();
    assert!(job.is_string(), "{drift}");
    for action in ["wait", "output", "cancel"] {
        let ask = Ask::call("job", json!({"action": action, "id": job}));
        let refused = result(&server, ask, BOB);
        assert_eq!(refused["result"]["isError"], true, "{refused}");
    }
    let list = |token: &str| {
        let listed = result(&server, Ask::call("job", json!({"action": "list"})), token);
        listed["result"]["structuredContent"]["jobs"].clone()
    };
    assert_eq!(list(BOB), json!([]));
    assert_eq!(list(ANN)[0]["job"], job);
    assert_eq!(list(ANN)[0]["state"], "running");
    let task = with_tasks("tasks/get", json!({"taskId": job}));
    assert_eq!(result(&server, task, BOB)["error"]["code"], -32602);
    // It ends with the server, which says so if something is left.
    server.end();
}

#[test]
fn a_client_that_knows_tasks_gets_a_task_with_the_result_of_its_call() {
    let server = HttpServer::indexed("", &SOON);
    let drift = json!({"name": "ship_drift", "arguments": {}});
    let created = result(&server, with_tasks("tools/call", drift), ANN);
    let created = &created["result"];
    assert_eq!(created["resultType"], "task", "{created}");
    assert_eq!(created["status"], "working");
    let id = created["taskId"].clone();
    let ask = |method: &str| {
        let ask = with_tasks(method, json!({"taskId": id}));
        result(&server, ask, ANN)["result"].clone()
    };
    assert_eq!(ask("tasks/get")["status"], "working");
    let refused = result(
        &server,
        with_tasks("tasks/cancel", json!({"taskId": id})),
        BOB,
    );
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    assert_eq!(ask("tasks/cancel")["resultType"], "complete");
    while ask("tasks/get")["status"] == "working" {
        std::thread::yield_now();
    }
    assert_eq!(ask("tasks/get")["status"], "cancelled");

    let sink = json!({"name": "ship_sink", "arguments": {}});
    let sink = result(&server, with_tasks("tools/call", sink), ANN);
    assert_eq!(sink["result"]["resultType"], "complete", "{sink}");
    server.end();
}
