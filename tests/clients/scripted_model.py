"""A model that makes the tool calls it was told to make, and remembers what it was given to read.

It speaks the two protocols that Claude Code (`/v1/messages`) and Codex (`/v1/responses`) speak with theirs, on an address of
this machine, so that the real assistants can be run to the end without an account. It is deaf to everything else.

    with ScriptedModel([lambda read: Call("run_read", {"command": "git_status"})]) as model:
        ...run the assistant against model.url...
    model.tools    the tools as the assistant gave them to its model, with the first request that had any of ours
    model.read     what the model read, one text for each call

A step is a function of what was read before, so that a script can go on from an id that it was given.
"""

import http.server
import json
import threading
from dataclasses import dataclass, field


# How often it is waited for servers that are still connecting.
MOST_WAITS = 20


@dataclass
class Call:
    """One call of a tool, by the name that its server gives it."""

    tool: str
    arguments: dict = field(default_factory=dict)


def text_of(content):
    """The text of a message's content, which is text or a list of blocks."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else [content]
    return "\n".join(block.get("text") or "" for block in blocks if isinstance(block, dict))


class Messages:
    """Claude Code's protocol. A tool of the server `git` is called `mcp__git__NAME`."""

    # The assistant's own tool, which a model calls while the servers are still connecting.
    WAIT = "WaitForMcpServers"

    @staticmethod
    def tools(body, server):
        begin = f"mcp__{server}__"
        ours = [tool for tool in body.get("tools") or [] if tool.get("name", "").startswith(begin)]
        return [{**tool, "name": tool["name"].removeprefix(begin)} for tool in ours]

    @staticmethod
    def read(body):
        blocks = [
            block
            for message in body.get("messages") or []
            if isinstance(message.get("content"), list)
            for block in message["content"]
        ]
        ours = [block for block in blocks if block.get("type") == "tool_result"]
        results = [block for block in ours if block["tool_use_id"].startswith("toolu_ours")]
        return [text_of(block.get("content") or "") for block in results]

    @staticmethod
    def events(body, server, call, number):
        message = {
            "id": f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "model": body.get("model") or "scripted",
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
        if call:
            waits = call.tool == Messages.WAIT
            name = call.tool if waits else f"mcp__{server}__{call.tool}"
            use = f"toolu_wait_{number}" if waits else f"toolu_ours_{number}"
            block = {"type": "tool_use", "id": use, "name": name, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(call.arguments)}
        else:
            block = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": "That is all."}
        reason = "tool_use" if call else "end_turn"
        end = {"stop_reason": reason, "stop_sequence": None}
        yield "message_start", {"message": message}
        yield "content_block_start", {"index": 0, "content_block": block}
        yield "content_block_delta", {"index": 0, "delta": delta}
        yield "content_block_stop", {"index": 0}
        yield "message_delta", {"delta": end, "usage": {"output_tokens": 1}}
        yield "message_stop", {}

    @staticmethod
    def whole(body, server, call, number):
        """The same for a request that wants no stream."""
        answer = None
        for kind, data in Messages.events(body, server, call, number):
            if kind == "message_start":
                answer = data["message"]
            elif kind == "content_block_start":
                answer["content"].append(dict(data["content_block"]))
            elif kind == "content_block_delta" and call:
                answer["content"][0]["input"] = call.arguments
            elif kind == "content_block_delta":
                answer["content"][0]["text"] = data["delta"]["text"]
            elif kind == "message_delta":
                answer |= data["delta"]
        return answer


class Responses:
    """Codex's protocol. The tools of the server `git` stand in the namespace `mcp__git`."""

    @staticmethod
    def tools(body, server):
        ours = [tool for tool in body.get("tools") or [] if Responses.is_of(tool, server)]
        return [inner for tool in ours for inner in tool.get("tools") or []]

    @staticmethod
    def is_of(tool, server):
        return tool.get("type") == "namespace" and tool.get("name", "").strip("_") == f"mcp__{server}"

    @staticmethod
    def read(body):
        items = body.get("input") or []
        results = [item for item in items if item.get("type") == "function_call_output"]
        return [text_of(item.get("output") or "") for item in results]

    @staticmethod
    def events(body, server, call, number):
        item = {
            "type": "message",
            "role": "assistant",
            "id": f"msg_{number}",
            "content": [{"type": "output_text", "text": "That is all."}],
        }
        if call:
            spaces = [tool["name"] for tool in body.get("tools") or [] if Responses.is_of(tool, server)]
            item = {
                "type": "function_call",
                "id": f"fc_{number}",
                "call_id": f"call_{number}",
                "name": call.tool,
                "namespace": spaces[0] if spaces else f"mcp__{server}",
                "arguments": json.dumps(call.arguments),
            }
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        yield "response.created", {"response": {"id": f"resp_{number}"}}
        yield "response.output_item.done", {"output_index": 0, "item": item}
        yield "response.completed", {"response": {"id": f"resp_{number}", "usage": usage}}


class ScriptedModel:
    """Serves on an address of this machine until the end of the `with`."""

    def __init__(self, server, steps):
        self.server, self.steps = server, steps
        self.tools, self.read = None, []
        self.trouble = None
        self.made = self.waited = 0
        self.lock = threading.Lock()

    def __enter__(self):
        model = self

        class Handler(Answering):
            def do_POST(self):
                self.answer(model)

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}"
        return self

    def __exit__(self, *_):
        self.http.shutdown()
        self.http.server_close()

    def next_call(self, protocol, body):
        """The call that follows on this request, if any: a request without our tools is about something else."""
        with self.lock:
            tools = protocol.tools(body, self.server)
            if not tools:
                names = [tool.get("name") for tool in body.get("tools") or []]
                if Messages.WAIT not in names or self.waited == MOST_WAITS:
                    return None, self.made
                self.waited += 1
                return Call(Messages.WAIT), self.waited
            self.tools = self.tools or tools
            read = protocol.read(body)
            # A request may be made again.
            if len(read) >= len(self.read):
                self.read = read
            if len(self.read) >= len(self.steps):
                return None, self.made
            self.made = len(self.read) + 1
            try:
                return self.steps[len(self.read)](self.read), self.made
            except Exception as error:  # noqa: BLE001 - said by whoever runs the script
                self.trouble = f"step {self.made} could not be made: {error!r}"
                return None, self.made


class Answering(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.send_response(200)
        self.end_headers()

    def do_GET(self):
        self.send_json({"object": "list", "data": []})

    def send_json(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def answer(self, model):
        length = int(self.headers.get("content-length") or 0)
        try:
            body = json.loads(self.rfile.read(length))
        except ValueError:
            body = {}
        path = self.path.split("?")[0]
        if path.endswith("/count_tokens"):
            return self.send_json({"input_tokens": 1})
        protocol = Responses if path.endswith("/responses") else Messages
        call, number = model.next_call(protocol, body)
        if protocol is Messages and not body.get("stream"):
            return self.send_json(Messages.whole(body, model.server, call, number))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for kind, data in protocol.events(body, model.server, call, number):
            event = json.dumps({"type": kind, **data})
            self.wfile.write(f"event: {kind}\ndata: {event}\n\n".encode())
        self.wfile.flush()
