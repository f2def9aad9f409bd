#!/usr/bin/env node
// Starts the program `charmer` from the package of this platform, which npm chose among this package's optional
// dependencies when it installed it. Nothing is downloaded here, and no script runs at installation.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const path = require("node:path");

const { name, optionalDependencies } = require("./package.json");

const platform = `${process.platform}-${process.arch}`;
const windows = process.platform === "win32";

// The programs that are installed and may fit. Where a package manager does not know the C library it may install both;
// the one for the other library then fails to start, and the next is tried.
function installed() {
  const found = [];
  for (const variant of [platform, `${platform}-musl`]) {
    try {
      const folder = path.dirname(require.resolve(`${name}-${variant}/package.json`));
      found.push(path.join(folder, "bin", windows ? "charmer.exe" : "charmer"));
    } catch (error) {
      if (error.code !== "MODULE_NOT_FOUND") throw error;
    }
  }
  return found;
}

function fail(message) {
  process.stderr.write(`${name}: ${message}\n`);
  process.exitCode = 1;
}

function nothingFits() {
  const known = Object.keys(optionalDependencies).map((each) => each.slice(name.length + 1));
  if (known.includes(platform)) {
    fail(
      `the package ${name}-${platform} is missing, which holds the program. It is an optional dependency: install ${name} ` +
        "again, on this machine, without --omit=optional",
    );
  } else {
    fail(
      `there is no program for ${platform}; there is one for ${known.join(", ")}. From a checkout, ` +
        "`cargo install --path crates/charmer-cli` builds it",
    );
  }
}

const forwarded = windows ? ["SIGINT", "SIGBREAK"] : ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR1", "SIGUSR2"];
let child;

// Ends as the program did: a shell or a client sees the same code or the same signal.
function endAs(code, signal) {
  if (signal === null) process.exit(code);
  for (const each of forwarded) process.removeAllListeners(each);
  process.kill(process.pid, signal);
  // Node ignores some signals; a shell's way to say it is left then.
  setTimeout(() => process.exit(128 + constants.signals[signal]), 100);
}

function start([program, ...others]) {
  if (program === undefined) return nothingFits();
  child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
  child.on("exit", endAs);
  child.on("error", (error) => {
    if (others.length > 0) return start(others);
    fail(`${program} could not be started: ${error.message}`);
  });
}

// What this process is told, the program is told. On Windows the console tells both, and passing it on would kill. Before
// the program is started: it may be told to end as soon as it is there.
for (const signal of forwarded) process.on(signal, () => windows || child?.kill(signal));
start(installed());
