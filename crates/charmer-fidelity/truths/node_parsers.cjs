// Prints the true tree of a Node program as JSON: the commander parser that it builds, walked from inside.
//
//     node --require ./node_parsers.cjs PROGRAM --help
//
// The program is started as a person starts it; the moment it hands its arguments to its parser, the parser is walked and
// the process ends. Nothing that it prints is read.
"use strict";

const fs = require("node:fs");
const { createRequire } = require("node:module");

const program = fs.realpathSync(process.argv[1]);
const load = createRequire(program);

function answer(tree) {
    fs.writeSync(1, JSON.stringify(tree));
    process.exit(0);
}

function find(name) {
    try {
        return load(name);
    } catch {
        return null;
    }
}

function commanderFlag(option) {
    const flag = { type: "bool", required: Boolean(option.mandatory) };
    if (option.required || option.optional) {
        flag.type = "value";
        // A function of the program's own may keep one value or all.
        if (!option.parseArg) flag.repeat = Boolean(option.variadic);
        if (option.optional) flag.optional_value = true;
        if (option.argChoices) flag.enum = option.argChoices.map(String);
    }
    if (option.hidden) flag.hidden = true;
    return flag;
}

function walkCommander(command, words, tree) {
    const flags = {};
    for (const option of command.options) {
        const name = option.long ?? option.short;
        const flag = commanderFlag(option);
        if (option.long && option.short) {
            // Two long names are allowed since version 13.
            if (option.short.startsWith("--")) flag.aliases = [option.short];
            else flag.short = option.short;
        }
        if (option.long === "--version" || name === "-V") flag.hidden = true;
        flags[name] = flag;
    }
    const entry = { flags };
    if (command._hidden) entry.hidden = true;
    const aliases = command.aliases?.() ?? (command._alias ? [command._alias] : []);
    if (words.length && aliases.length) entry.aliases = aliases.map((one) => [...words.slice(0, -1), one].join(" "));
    tree[words.join(" ")] = entry;
    for (const child of command.commands) walkCommander(child, [...words, child.name()], tree);
}

function catchCommander(commander) {
    for (const method of ["parse", "parseAsync"]) {
        if (!commander.Command.prototype[method]) continue;
        commander.Command.prototype[method] = function () {
            const tree = {};
            let root = this;
            while (root.parent) root = root.parent;
            walkCommander(root, [], tree);
            answer(tree);
        };
    }
}

const commander = find("commander");
if (commander) catchCommander(commander);
