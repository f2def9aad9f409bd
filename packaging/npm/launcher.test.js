// The launcher against a program that only says what it was given: `node --test packaging/npm`.
"use strict";

const assert = require("node:assert");
const { spawn, spawnSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { after, test } = require("node:test");

const platform = `${process.platform}-${process.arch}`;
const room = fs.mkdtempSync(path.join(os.tmpdir(), "launcher-"));
after(() => fs.rmSync(room, { recursive: true }));

// An installation in a folder of its own: the launcher, and packages that hold these scripts, by their variant.
function install(known, packages) {
  const modules = path.join(fs.mkdtempSync(path.join(room, "x")), "node_modules");
  const front = path.join(modules, "charmer-mcp");
  fs.mkdirSync(front, { recursive: true });
  fs.copyFileSync(path.join(__dirname, "launcher.js"), path.join(front, "launcher.js"));
  const optionalDependencies = Object.fromEntries(known.map((each) => [`charmer-mcp-${each}`, "1.0.0"]));
  fs.writeFileSync(path.join(front, "package.json"), JSON.stringify({ name: "charmer-mcp", optionalDependencies }));
  for (const [variant, script] of Object.entries(packages)) {
    const folder = path.join(modules, `charmer-mcp-${variant}`);
    fs.mkdirSync(path.join(folder, "bin"), { recursive: true });
    fs.writeFileSync(path.join(folder, "package.json"), "{}");
    fs.writeFileSync(path.join(folder, "bin/charmer"), script, { mode: 0o755 });
  }
  return path.join(front, "launcher.js");
}

function launch(launcher, words = [], input = "") {
  return spawnSync(process.execPath, [launcher, ...words], { input, encoding: "utf8" });
}

test("words, streams and the exit code are the program's", () => {
  const script = '#!/bin/sh\nfor word; do printf "<%s>" "$word"; done; cat; echo oops >&2; exit 42\n';
  const done = launch(install([platform], { [platform]: script }), ["a b", "", '"*$HOME', "--", "é"], "input");
  assert.strictEqual(done.stdout, '<a b><><"*$HOME><--><é>input');
  assert.strictEqual(done.stderr, "oops\n");
  assert.strictEqual(done.status, 42);
});

for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"]) {
  test(`${signal} reaches the program, which ends as it likes`, async () => {
    // It ends by itself after a minute, so that a signal that is lost leaves nothing running.
    const wait = "for i in $(seq 1200); do sleep 0.05; done";
    const script = `#!/bin/sh\ntrap 'exit 7' ${signal.slice(3)}\necho ready\n${wait}\n`;
    const child = spawn(process.execPath, [install([platform], { [platform]: script })]);
    child.stdout.once("data", () => child.kill(signal));
    const ended = await new Promise((resolve) => child.on("exit", (...how) => resolve(how)));
    assert.deepStrictEqual(ended, [7, null]);
  });
}

test("a program that a signal ended is seen to have been", () => {
  for (const signal of ["KILL", "TERM"]) {
    const script = `#!/bin/sh\nkill -${signal} $$\n`;
    assert.strictEqual(launch(install([platform], { [platform]: script })).signal, `SIG${signal}`);
  }
});

test("a program for another C library gives way to the one that starts", () => {
  const packages = { [platform]: "#!/no/such/loader\n", [`${platform}-musl`]: "#!/bin/sh\necho musl\n" };
  assert.strictEqual(launch(install([platform], packages)).stdout, "musl\n");
});

test("where no program starts, it is said why", () => {
  const done = launch(install([platform], { [platform]: "#!/no/such/loader\n" }));
  assert.match(done.stderr, /bin\/charmer could not be started: .*ENOENT/);
  assert.strictEqual(done.status, 1);
});

test("where the platform's package is missing, it is named, with what to do", () => {
  const done = launch(install([platform], {}));
  assert.match(done.stderr, new RegExp(`charmer-mcp-${platform} is missing.*without --omit=optional`));
  assert.strictEqual(done.status, 1);
});

test("where no package fits the platform, those that there are are named", () => {
  const done = launch(install(["plan9-x64", "beos-x64"], {}));
  assert.match(done.stderr, new RegExp(`no program for ${platform}; there is one for plan9-x64, beos-x64`));
  assert.strictEqual(done.status, 1);
});
