// A server with a schema that no portable client should be given, to prove that inspector.mjs would notice one.
// It answers what the Inspector needs to list tools in the legacy era, and nothing more.

import { createInterface } from "node:readline";

const tool = {
  name: "unportable",
  inputSchema: {
    type: "object",
    properties: { anything: true, perhaps: { type: ["string", "null"] } },
  },
};
const answers = {
  initialize: (params) => ({
    protocolVersion: params.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "unportable", version: "1.0.0" },
  }),
  "tools/list": () => ({ tools: [tool] }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = answers[method]
    ? { result: answers[method](params) }
    : { error: { code: -32601, message: `${method} is not known here` } };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
}
