"""A Kubernetes API server, a Docker daemon and a forge on loopback that know a few invented things and change nothing.

They answer as much as the lists of `kubectl`, `docker` and `gh` ask for. What is asked for beyond that is not found.
"""

import json
import re
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from urllib.parse import parse_qs, urlsplit

Answer = dict | list | str | None
# From the path, the query and what kind of answer the client takes to the answer; none is "not found".
Answers = Callable[[str, dict[str, str], str], Answer]


class Daemon:
    """Serves on a free port of loopback while it is entered."""

    def __init__(self, answers: Answers) -> None:
        self.missed: list[str] = []
        daemon = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                address = urlsplit(self.path)
                query = {key: values[0] for key, values in parse_qs(address.query).items()}
                answer = answers(address.path, query, self.headers.get("Accept", ""))
                if answer is None:
                    daemon.missed.append(self.path)
                    failure = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound"}
                    self.send(404, failure | {"code": 404, "message": "there is no such thing"})
                else:
                    self.send(200, answer)

            do_HEAD = do_GET
            do_POST = do_GET

            def send(self, status: int, answer: Answer) -> None:
                text = isinstance(answer, str)
                body = (answer if text else json.dumps(answer)).encode()
                self.send_response(status)
                self.send_header("Content-Type", "text/plain" if text else "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Api-Version", "1.50")
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]

    def __enter__(self) -> "Daemon":
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, kind: type | None, problem: BaseException | None, trace: TracebackType | None) -> None:
        self.server.shutdown()
        self.server.server_close()


def pod(namespace: str, name: str, **more: object) -> dict:
    """A pod; `more` is what tables say of it: ready, status, restarts, age, ip, node and labels."""
    said: dict = {"ready": "1/1", "status": "Running", "restarts": "0", "age": "5d", "ip": "10.1.0.7", "node": "pier-1"} | more
    labels = said.pop("labels", {})
    metadata = {"name": name, "namespace": namespace, "labels": labels, "creationTimestamp": "2024-02-03T04:05:06Z"}
    ready, count = map(int, said["ready"].split("/"))
    statuses = [{"name": f"part-{index}", "ready": index < ready} for index in range(count)]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"nodeName": said["node"], "containers": [{"name": "main", "image": "harbour/crane:1"}]},
        "status": {"phase": "Running", "reason": said["status"], "podIP": said["ip"], "containerStatuses": statuses},
        "said": said,
    }


def service(name: str, kind: str, address: str, outside: str, ports: str) -> dict:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": "default", "labels": {}, "creationTimestamp": "2024-02-03T04:05:06Z"},
        "spec": {"type": kind, "clusterIP": address, "selector": {"app": name}},
        "said": {"type": kind, "address": address, "outside": outside, "ports": ports, "age": "412d"},
    }


def node(name: str, status: str, roles: str, system: str, outside: str) -> dict:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"pier": "north"}, "creationTimestamp": "2024-02-03T04:05:06Z"},
        "status": {"nodeInfo": {"kubeletVersion": "v1.32.4", "osImage": system, "kernelVersion": "6.1.0-31-amd64"}},
        "said": {"status": status, "roles": roles, "age": "2y121d", "outside": outside},
    }


PODS = [
    pod("default", "crane-0", labels={"app": "crane", "tier": "quay"}),
    pod(
        "default",
        "lighthouse-keeper-with-a-very-long-name-7c9d4b6f58-x2x9q",
        ready="0/2",
        status="CrashLoopBackOff",
        restarts="1312 (2m41s ago)",
        age="3h12m",
        labels={"app.kubernetes.io/name": "lighthouse", "app.kubernetes.io/part-of": "coast"},
    ),
    # Neither placed nor labelled: its wide row is mostly `<none>`.
    pod("default", "buoy", ready="0/1", status="Pending", age="9s", ip=None, node=None),
    pod("default", "tide-28391040-8kz6c", ready="0/1", status="Completed", age="47h", labels={"job": "tide"}),
    pod("harbour-north", "crane-0", ip="fd00:10:244::1f", labels={"app": "crane"}),
    pod("harbour-north", "pilot", status="Terminating", restarts="3 (8d ago)", age="<unknown>"),
    pod("lonely", "single"),
]
SERVICES = [
    service("crane", "ClusterIP", "10.96.0.17", "<none>", "80/TCP,443/TCP"),
    service("ferry", "LoadBalancer", "10.96.31.4", "<pending>", "8080:31234/TCP"),
    service("radio", "ExternalName", "<none>", "radio.coast.test", "<none>"),
]
NODES = [
    node("pier-1", "Ready", "control-plane", "Debian GNU/Linux 12 (bookworm)", "<none>"),
    node("pier-2", "Ready,SchedulingDisabled", "<none>", "Flatcar Container Linux by Kinvolk", "203.0.113.9"),
]

# Names of columns, each with what it says; those of `-o wide` come after None.
COLUMNS: dict[str, list[tuple[str, Callable[[dict], object]] | None]] = {
    "pods": [
        ("Name", lambda p: p["metadata"]["name"]),
        ("Ready", lambda p: p["said"]["ready"]),
        ("Status", lambda p: p["said"]["status"]),
        ("Restarts", lambda p: p["said"]["restarts"]),
        ("Age", lambda p: p["said"]["age"]),
        None,
        ("IP", lambda p: p["said"]["ip"] or "<none>"),
        ("Node", lambda p: p["said"]["node"] or "<none>"),
        ("Nominated Node", lambda _: "<none>"),
        ("Readiness Gates", lambda _: "<none>"),
    ],
    "services": [
        ("Name", lambda s: s["metadata"]["name"]),
        ("Type", lambda s: s["said"]["type"]),
        ("Cluster-IP", lambda s: s["said"]["address"]),
        ("External-IP", lambda s: s["said"]["outside"]),
        ("Port(s)", lambda s: s["said"]["ports"]),
        ("Age", lambda s: s["said"]["age"]),
        None,
        ("Selector", lambda s: ",".join(f"{key}={value}" for key, value in s["spec"]["selector"].items())),
    ],
    "nodes": [
        ("Name", lambda n: n["metadata"]["name"]),
        ("Status", lambda n: n["said"]["status"]),
        ("Roles", lambda n: n["said"]["roles"]),
        ("Age", lambda n: n["said"]["age"]),
        ("Version", lambda n: n["status"]["nodeInfo"]["kubeletVersion"]),
        None,
        ("Internal-IP", lambda _: "10.0.0.5"),
        ("External-IP", lambda n: n["said"]["outside"]),
        ("OS-Image", lambda n: n["status"]["nodeInfo"]["osImage"]),
        ("Kernel-Version", lambda n: n["status"]["nodeInfo"]["kernelVersion"]),
        ("Container-Runtime", lambda _: "containerd://2.0.5"),
    ],
}
THINGS = {"pods": PODS, "services": SERVICES, "nodes": NODES}
RESOURCES = [
    {"name": "pods", "singularName": "pod", "namespaced": True, "kind": "Pod", "shortNames": ["po"]},
    {"name": "services", "singularName": "service", "namespaced": True, "kind": "Service", "shortNames": ["svc"]},
    {"name": "nodes", "singularName": "node", "namespaced": False, "kind": "Node", "shortNames": ["no"]},
    {"name": "bindings", "singularName": "binding", "namespaced": True, "kind": "Binding"},
]


def table(kind: str, things: list[dict]) -> dict:
    columns = COLUMNS[kind]
    wide_from = columns.index(None)
    named = [column for column in columns if column]
    definitions = [
        {"name": name, "type": "string", "format": "" if index else "name", "priority": int(index >= wide_from)}
        for index, (name, _) in enumerate(named)
    ]
    rows = []
    for thing in things:
        partial = {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": thing["metadata"]}
        rows.append({"cells": [says(thing) for _, says in named], "object": partial})
    meta = {"kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": {"resourceVersion": "1"}}
    return meta | {"columnDefinitions": definitions, "rows": rows}


def kubernetes(path: str, _: dict[str, str], accept: str) -> Answer:
    if path == "/api":
        return {"kind": "APIVersions", "versions": ["v1"]}
    if path == "/apis":
        return {"kind": "APIGroupList", "apiVersion": "v1", "groups": []}
    if path == "/version":
        return {"major": "1", "minor": "32", "gitVersion": "v1.32.4", "platform": "linux/amd64"}
    if path == "/api/v1":
        resources = [resource | {"verbs": ["get", "list"]} for resource in RESOURCES]
        return {"kind": "APIResourceList", "groupVersion": "v1", "resources": resources}
    place = re.fullmatch(r"/api/v1/(?:namespaces/([^/]+)/)?(pods|services|nodes)(?:/([^/]+))?", path)
    if place is None:
        return None
    namespace, kind, name = place.groups()
    things = [
        thing
        for thing in THINGS[kind]
        if namespace in (None, thing["metadata"].get("namespace")) and name in (None, thing["metadata"]["name"])
    ]
    if name and not things:
        return None
    if "as=Table" in accept:
        return table(kind, things)
    plain = [{key: value for key, value in thing.items() if key != "said"} for thing in things]
    if name:
        return plain[0]
    kinds = {resource["name"]: resource["kind"] for resource in RESOURCES}
    return {"kind": f"{kinds[kind]}List", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": plain}


def container(number: int, name: str, image: str, command: str, state: str, status: str, ports: list[dict]) -> dict:
    return {
        "Id": f"{number << 208:064x}",
        "Names": [f"/{name}"],
        "Image": image,
        "ImageID": f"sha256:{number << 208:064x}",
        "Command": command,
        "Created": 1_500_000_000,
        "State": state,
        "Status": status,
        "Ports": ports,
        "Labels": {"harbour": "港の船", "watch": "two, by night"},
        "NetworkSettings": {"Networks": {"bridge": {}}},
        "Mounts": [],
        "SizeRw": len(command) * 1000,
        "SizeRootFs": len(command) * 1_000_000,
    }


def port(inside: int, outside: int, address: str = "0.0.0.0") -> dict:
    return {"IP": address, "PrivatePort": inside, "PublicPort": outside, "Type": "tcp"}


CONTAINERS = [
    container(
        0xA1B2C3D4E5F6,
        "crane",
        "harbour/crane:1.4",
        "/usr/bin/crane --lift 12 --until 'all is ashore'",
        "running",
        "Up 3 weeks (healthy)",
        [port(80, 8080), port(80, 8080, "::"), port(443, 8443), {"PrivatePort": 9000, "Type": "tcp"}],
    ),
    container(0x99AA88BB77CC, "lighthouse_1", "lamp", "lamp", "exited", "Exited (137) 5 years ago", []),
    # Nothing but what every container has: no ports, no time, an image that has no name any more.
    container(0x0123456789AB, "buoy", "sha256:" + "4f" * 32, "", "created", "Created", []),
    container(0xBADC0FFEE000, "ferry", "registry.test:5000/coast/ferry@latest", "sh -c 'echo \"船が出る\" …'",
              "restarting", "Restarting (1) 4 seconds ago", []),
]


def image(number: int, tags: list[str], size: int) -> dict:
    return {
        "Id": f"sha256:{number << 208:064x}",
        "RepoTags": tags,
        "RepoDigests": [f"{tag.rsplit(':', 1)[0]}@sha256:{number:064x}" for tag in tags[:1]],
        "Created": 1_500_000_000,
        "Size": size,
        "SharedSize": -1,
        "Containers": -1,
        "ParentId": "",
        "Labels": None,
    }


IMAGES = [
    image(0xA1B2C3D4E5F6, ["harbour/crane:1.4", "harbour/crane:latest"], 187_654_321),
    image(0x4F4F4F4F4F4F, [], 1_234),
    image(0x99AA88BB77CC, ["registry.test:5000/coast/a-ferry-of-a-long-name:2024-11-rc.1"], 2_345_678_901),
]
VOLUMES = [
    {"Name": name, "Driver": driver, "Mountpoint": f"/volumes/{name}", "Scope": "local", "Labels": None, "Options": None}
    for name, driver in [("cargo", "local"), ("0f" * 32, "local"), ("charts", "coast/nfs:latest")]
]
NETWORKS = [
    {"Name": name, "Id": f"{number << 208:064x}", "Driver": driver, "Scope": scope, "Created": "2024-02-03T04:05:06Z",
     "EnableIPv6": False, "Internal": False, "Labels": {}, "Options": {}, "IPAM": {}}
    for name, number, driver, scope in [
        ("bridge", 0xA1B2C3D4E5F6, "bridge", "local"),
        ("none", 0x99AA88BB77CC, "null", "local"),
        ("coast_ingress", 0x4F4F4F4F4F4F, "overlay", "swarm"),
    ]
]


def docker(path: str, query: dict[str, str], _: str) -> Answer:
    path = re.sub(r"^/v1\.\d+(?=/)", "", path)
    filtered = json.loads(query.get("filters") or "{}")
    names = [name for name, wanted in filtered.get("name", {}).items() if wanted]
    if path == "/_ping":
        return "OK"
    if path == "/version":
        return {"Version": "28.2.2", "ApiVersion": "1.50", "MinAPIVersion": "1.24", "Os": "linux", "Arch": "amd64",
                "GoVersion": "go1.24.3", "GitCommit": "45873be", "KernelVersion": "6.1.0", "BuildTime": "2025-05-30"}
    if path == "/containers/json":
        found = [one for one in CONTAINERS if query.get("all") == "1" or one["State"] == "running"]
        found = [one for one in found if all(name in one["Names"][0] for name in names)]
        return found[: int(query.get("limit") or len(found))]
    if path == "/images/json":
        return IMAGES
    if path == "/volumes":
        return {"Volumes": VOLUMES, "Warnings": None}
    if path == "/networks":
        return NETWORKS
    if path == "/system/df":
        return {"LayersSize": 2_533_334_456, "Images": IMAGES, "Containers": CONTAINERS, "BuildCache": [],
                "Volumes": [volume | {"UsageData": {"RefCount": 0, "Size": 4096}} for volume in VOLUMES]}
    return None


LABELS = [
    {"name": "bug", "color": "d73a4a", "description": "It leaks, or will"},
    {"name": "help wanted 船", "color": "008672", "description": ""},
    {"name": "area: north pier", "color": "ffffff", "description": "  Where the cranes are"},
]
WORKFLOWS = [
    {"id": 7, "name": "Tide tables", "path": ".github/workflows/tide.yml", "state": "active"},
    {"id": 161335, "name": "storm", "path": ".github/workflows/storm.yml", "state": "active"},
]
VARIABLES = [
    {"name": name, "value": value, "created_at": "2024-02-03T04:05:06Z", "updated_at": "2024-02-03T04:05:06Z"}
    for name, value in [("BERTH", "12 north"), ("FLAG", "")]
]


def forge(path: str, _: dict[str, str], __: str) -> Answer:
    if path == "/repos/harbour/crane/actions/workflows":
        return {"total_count": len(WORKFLOWS), "workflows": WORKFLOWS}
    if path == "/repos/harbour/crane/actions/variables":
        return {"total_count": len(VARIABLES), "variables": VARIABLES}
    if path == "/graphql":
        labels = {"totalCount": len(LABELS), "nodes": LABELS, "pageInfo": {"hasNextPage": False, "endCursor": ""}}
        return {"data": {"repository": {"labels": labels}}}
    return None
