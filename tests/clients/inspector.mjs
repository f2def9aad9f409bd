// The MCP Inspector's command line against a server made by Charmer, in both eras of the protocol, on stdio and over HTTP.
//
//     node inspector.mjs INSPECTOR_FOLDER TODO [CLI...]
//
// INSPECTOR_FOLDER is where package.json was installed. TODO is the built example `derive`, a to-do list that is called
// for good and for ill; every other CLI is only listed. Each is started as `CLI mcp start`; over HTTP, one server with
// `--http` answers all checks of a CLI.
//
// The exit code is the Inspector's verdict: 0 is fine, 1 a failed request, 5 a tool's error, 6 a schema that some client
// cannot read. It must also have nothing to say on standard error, where its warnings go.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const KINDS = ["stdio", "http"];
const ERAS = { legacy: /^2025-|^2024-/, modern: /^2026-/ };
const SECONDS = 60;

const [folder, todo, ...others] = process.argv.slice(2);
if (!todo) {
  console.error("usage: node inspector.mjs INSPECTOR_FOLDER TODO [CLI...]");
  process.exit(2);
}
const inspector = resolve(folder, "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js");
// The Inspector keeps a catalogue and logins under the home folder: it gets one of its own, and finds none of ours.
const home = mkdtempSync(join(tmpdir(), "charmer-inspector-"));
process.on("exit", () => rmSync(home, { recursive: true, force: true }));

/** The servers on HTTP that were started, by their CLIs. */
const listening = new Map();
process.on("exit", () => listening.forEach(({ child }) => child.kill()));

/** Starts a server on a free port, and says its URL. */
function serve(cli) {
  const child = spawn(cli, ["mcp", "start", "--prompts", "--http", "127.0.0.1:0"], { stdio: ["ignore", "ignore", "pipe"] });
  const server = { child, err: "" };
  server.ended = new Promise((ended) => child.on("close", (code, signal) => ended(code ?? signal)));
  server.url = new Promise((done, fail) => {
    child.on("error", fail);
    child.on("close", () => fail(new Error(`the server does not listen: ${server.err}`)));
    child.stderr.on("data", (chunk) => {
      server.err += chunk;
      const url = server.err.match(/^listening on (.*)\n/m)?.[1];
      if (url) done(url);
    });
  });
  return server;
}

/** The words by which the Inspector finds the server of a CLI. */
async function target({ cli, kind }, ...more) {
  if (kind === "stdio") return [cli, "mcp", "start", ...more];
  if (!listening.has(cli)) listening.set(cli, serve(cli));
  return [await listening.get(cli).url];
}

/** Runs the Inspector once; `command` is how the server is started, or its URL. */
function inspect(command, era, ...options) {
  const words = [inspector, "--cli", "--protocol-era", era, "--format", "json", ...options, ...command];
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, words, {
      env: { ...process.env, HOME: home },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: SECONDS * 1000,
    });
    let out = "";
    let err = "";
    child.stdout.on("data", (chunk) => (out += chunk));
    child.stderr.on("data", (chunk) => (err += chunk));
    child.on("error", fail);
    child.on("close", (code, signal) => {
      // Of a CLI that is meant to be difficult, the bridge has something to say, and the Inspector passes it on.
      if (command[0] !== resolve(todo)) err = err.replaceAll(/^charmer: warning: .*\n/gm, "");
      const told = `code ${code ?? signal}\nstdout: ${out}\nstderr: ${err}`;
      // An error, too, comes as one JSON object, on standard error.
      const parse = (text) => {
        try {
          return JSON.parse(text);
        } catch {
          return undefined;
        }
      };
      done({ code, told, err: err.trim(), result: parse(out)?.result, error: parse(err)?.error });
    });
  });
}

const call = async (server, era, tool, args) =>
  inspect(
    await target(server), era, "--method", "tools/call", "--tool-name", tool, "--tool-args-json", JSON.stringify(args),
  );

async function negotiates(server, era) {
  const run = await inspect(await target(server), era, "--method", "initialize");
  assert.equal(run.code, 0, run.told);
  assert.equal(run.err, "", run.told);
  assert.match(run.result.protocolVersion, ERAS[era], run.told);
}

async function listsPortableSchemas(server, era) {
  const run = await inspect(await target(server), era, "--method", "tools/list", "--strict");
  assert.equal(run.code, 0, run.told);
  // The exit code counts errors only; a warning, such as a `type` that is an array, stands here alone.
  assert.equal(run.err, "", run.told);
  assert.ok(run.result.tools.length > 0, run.told);
}

async function callsATool(server, era) {
  const run = await call(server, era, "todo_add", { text: "buy milk", priority: 7 });
  assert.equal(run.code, 0, run.told);
  assert.equal(run.err, "", run.told);
  const said = 'added "buy milk" with priority 7';
  assert.deepEqual(run.result.content, [{ type: "text", text: said }], run.told);
  assert.deepEqual(run.result.structuredContent, { exitCode: 0, stdout: `${said}\n` }, run.told);
}

async function refusesABadArgument(server, era) {
  const run = await call(server, era, "todo_add", { text: "buy milk", priority: 700 });
  assert.equal(run.code, 5, run.told);
  assert.equal(run.error.code, "tool_is_error", run.told);
  assert.equal(run.result.isError, true, run.told);
  assert.match(run.result.content[0].text, /`priority`/, run.told);
}

async function readsResources(server, era) {
  const run = await inspect(await target(server), era, "--method", "resources/list");
  assert.equal(run.code, 0, run.told);
  assert.equal(run.err, "", run.told);
  assert.ok(run.result.resources.length > 1, run.told);
  const { uri } = run.result.resources.at(-1);
  const page = await inspect(await target(server), era, "--method", "resources/read", "--uri", uri);
  assert.equal(page.code, 0, page.told);
  assert.match(page.result.contents[0].text, /^# /, page.told);
  const none = await inspect(await target(server), era, "--method", "resources/read", "--uri", "help://no/such/command");
  assert.notEqual(none.code, 0, none.told);
}

async function getsPrompts(server, era) {
  const run = await inspect(await target(server, "--prompts"), era, "--method", "prompts/list");
  assert.equal(run.code, 0, run.told);
  assert.equal(run.err, "", run.told);
  assert.deepEqual(run.result.prompts.map(({ name }) => name), ["todo_add-1"], run.told);
  const got = await inspect(
    // The arguments go on until the next option.
    await target(server, "--prompts"), era, "--prompt-args", "text=milk", "--method", "prompts/get", "--prompt-name", "todo_add-1",
  );
  assert.equal(got.code, 0, got.told);
  assert.match(got.result.messages[0].content.text, /\ntodo add milk --priority 9\n/, got.told);
}

// The Inspector looks the name up in the list and never sends the call: this checks that the list is all there is, and
// the Python client checks the server's own answer.
async function findsNoUnknownTool(server, era) {
  const run = await call(server, era, "no_such_tool", {});
  assert.equal(run.code, 5, run.told);
  assert.equal(run.error.code, "tool_not_found", run.told);
}

// Nothing is proven by a linter that never complains: this server's schema has an error and a warning on purpose.
async function wouldReportABadSchema(_server, era) {
  const server = fileURLToPath(new URL("unportable_server.mjs", import.meta.url));
  const run = await inspect([process.execPath, server], era, "--method", "tools/list", "--strict");
  assert.equal(run.code, 6, run.told);
  assert.match(run.err, /1 error, 1 warning/, run.told);
}

const jobs = [];
for (const era of Object.keys(ERAS)) {
  const add = (cli, check) => KINDS.forEach((kind) => jobs.push({ cli, kind, era, check }));
  const checks = [
    negotiates,
    listsPortableSchemas,
    callsATool,
    refusesABadArgument,
    findsNoUnknownTool,
    readsResources,
    getsPrompts,
  ];
  for (const check of checks) {
    add(resolve(todo), check);
  }
  for (const cli of others) {
    for (const check of [negotiates, listsPortableSchemas, readsResources]) add(resolve(cli), check);
  }
}
jobs.push({ cli: "unportable", kind: "stdio", era: "legacy", check: wouldReportABadSchema });

let passed = 0;
let failed = 0;
async function work() {
  for (let job = jobs.shift(); job; job = jobs.shift()) {
    const words = job.check.name.replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`);
    const what = `${job.cli.split("/").at(-1)}, ${job.kind}, ${job.era}: ${words}`;
    try {
      await job.check(job, job.era);
      passed += 1;
      console.log(`ok    ${what}`);
    } catch (error) {
      failed += 1;
      console.log(`FAIL  ${what}\n      ${String(error.message ?? error).replaceAll("\n", "\n      ")}`);
    }
  }
}
// Most of a run is Node starting up: two at a time keep two cores busy.
await Promise.all([work(), work()]);
for (const [cli, server] of listening) {
  server.child.kill("SIGTERM");
  const code = await server.ended;
  const what = `${cli.split("/").at(-1)}, http: ends when it is told to`;
  if (code === 0) passed += 1;
  else failed += 1;
  console.log(code === 0 ? `ok    ${what}` : `FAIL  ${what}\n      code ${code}\n      ${server.err}`);
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
