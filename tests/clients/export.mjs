// What `charmer export` writes, in the hands of those it is written for.
//
//     node export.mjs CHARMER PACKAGES PYTHON
//
// CHARMER is the built program, PACKAGES where package.json was installed, PYTHON one that has linters.txt; git must be
// there. The bundle is checked and unpacked by the official tools of bundles, its manifest is filled in by their own
// function, and the server is started as that says, in `/` and with few variables, as clients with a window do. The
// server.json and the skill are held against the registry's schema and the rules for skills, and so is a wrong one of
// each, so that a check that has nothing to say shows.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const SECONDS = 120;
const [charmer, packages, python] = process.argv.slice(2).map((path) => resolve(path));
if (!python) {
  console.error("usage: node export.mjs CHARMER PACKAGES PYTHON");
  process.exit(2);
}
const tools = join(packages, "node_modules/@anthropic-ai/mcpb");
const { getMcpConfigForManifest } = await import(pathToFileURL(join(tools, "dist/node.js")));

const room = mkdtempSync(join(tmpdir(), "charmer-export-"));
process.on("exit", () => rmSync(room, { recursive: true, force: true }));

/** Runs a command; gives what it printed. `code` is how it must end. */
function run(words, { code = 0, cwd = room } = {}) {
  const done = spawnSync(words[0], words.slice(1), { cwd, encoding: "utf8", timeout: SECONDS * 1000 });
  const told = `${words.join(" ")}: ${done.status ?? done.signal}\n${done.stdout}${done.stderr}`;
  assert.equal(done.status, code, told);
  return done.stdout;
}

const exported = (...words) => run([charmer, "export", ...words]);
const mcpb = (...words) => run([process.execPath, join(tools, "dist/cli/cli.js"), ...words]);

/** Speaks with the server that a client would start by a configuration. */
async function speak(config) {
  const child = spawn(config.command, config.args, {
    cwd: "/",
    // Not more than a desktop gives; where charmer keeps what it reads is out of the way.
    env: { PATH: "/usr/bin:/bin", HOME: room, ...config.env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const limit = setTimeout(() => child.kill("SIGKILL"), SECONDS * 1000);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let next = 0;
  const request = async (method, params) => {
    const id = ++next;
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    for (;;) {
      const { value, done } = await lines.next();
      assert(!done, `the server ended without an answer to ${method}`);
      const message = JSON.parse(value);
      if (message.id === id) {
        assert(!message.error, value);
        return message.result;
      }
    }
  };
  const info = { name: "export.mjs", version: "0" };
  const greeting = await request("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: info,
  });
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  const end = async () => {
    const ended = new Promise((done) => child.on("close", done));
    child.stdin.end();
    assert.equal(await ended, 0, "the server ends with its client");
    clearTimeout(limit);
  };
  return { greeting, request, end };
}

async function bundle() {
  const report = JSON.parse(exported("mcpb", "git", "--read-only", "--env", "GIT_AUTHOR_NAME", "--json"));
  const folder = join(room, "unpacked");
  mcpb("unpack", "git.mcpb", folder);
  const told = mcpb("validate", join(folder, "manifest.json"));
  assert.match(told, /validation passes/);
  assert.match(mcpb("info", "git.mcpb"), /Size/);
  const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));

  const work = join(room, "work");
  mkdirSync(work);
  run(["git", "init", "--quiet", "--initial-branch=harbour", work]);
  const config = (userConfig) =>
    getMcpConfigForManifest({
      manifest,
      extensionPath: folder,
      systemDirs: { HOME: room },
      userConfig,
      pathSeparator: "/",
    });
  // Nothing is started before what is needed has been filled in.
  assert.equal(await config({}), undefined);
  const filled = await config({ program_git: "git", folder: work, git_author_name: "Jo" });
  assert(!JSON.stringify(filled).includes("${"), JSON.stringify(filled));
  assert.equal(filled.env.GIT_AUTHOR_NAME, "Jo");

  const server = await speak(filled);
  assert.equal(server.greeting.serverInfo.name, "git");
  // Whatever is asked about one command waits until the program has been read.
  await server.request("resources/read", { uri: "help://git/status" }).catch(() => {});
  const call = { name: "run_read", arguments: { command: "git_status" } };
  const result = await server.request("tools/call", call);
  assert(JSON.stringify(result).includes("On branch harbour"), JSON.stringify(result));
  const { tools: listed } = await server.request("tools/list", {});
  assert.deepEqual(
    manifest.tools.map((tool) => tool.name),
    listed.map((tool) => tool.name),
  );
  await server.end();

  // A manifest that is wrong is seen to be.
  const wrong = join(room, "wrong.json");
  writeFileSync(wrong, JSON.stringify({ ...manifest, author: "Jo" }));
  run([process.execPath, join(tools, "dist/cli/cli.js"), "validate", wrong], { code: 1 });
  console.log(`bundle: ${report.bytes} bytes, ${report.tools} tools, valid, started by its manifest and called`);
}

/** Lints a folder strictly; `code` is the verdict. */
function lint(folder, type, code = 0) {
  const words = [python, "-m", "skillsaw", "lint", "--strict", "--no-plugins", "--no-custom-rules", "--type", type];
  return run([...words, folder], { code });
}

function serverJson() {
  const forms = {
    bundle: ["--bundle", "git.mcpb", "--url", "https://example.com/git.mcpb"],
    npm: ["git", "--read-only", "--env", "GIT_AUTHOR_NAME", "--folder", room],
    pypi: ["git", "--package", "pypi", "--set", "no-pager"],
  };
  for (const [form, words] of Object.entries(forms)) {
    const folder = join(room, `registry-${form}`);
    mkdirSync(folder);
    const file = join(folder, "server.json");
    exported("server-json", ...words, "--name", "io.github.me/git", "-o", file);
    lint(folder, "mcp-registry");
    const server = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, JSON.stringify({ ...server, description: "x".repeat(101) }));
    lint(folder, "mcp-registry", 1);
  }
  console.log(`server.json: ${Object.keys(forms).join(", ")}: valid under its schema`);
}

function skill(program) {
  const folder = join(room, "skills", program);
  const report = JSON.parse(exported("skill", program, "--json", "-o", folder));
  assert(report.tokens <= 2000, JSON.stringify(report));
  lint(folder, "agentskills");
  const file = join(folder, "SKILL.md");
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace(`name: ${program}`, "name: Some Skill"));
  lint(folder, "agentskills", 1);
  const { named, commands, tokens } = report;
  console.log(`skill of ${program}: ${named} of ${commands} commands in ${tokens} tokens, valid`);
}

await bundle();
serverJson();
skill("git");
// These come from no registry, so they are tried where they are.
for (const program of ["docker", "kubectl"]) {
  if (spawnSync(program, ["--help"], { stdio: "ignore" }).status === 0) skill(program);
}
