"""AWS as far as the live commands see it: an HTTP server on loopback that speaks each service's protocol, and fails on demand.

Answers are checked against the service models of botocore, so a test cannot rest on a field that AWS does not have; requests
are checked by the client itself. Faults come before the answer: throttled, 5xx, slow, cut off.
"""

from __future__ import annotations

import io
import json
import re
import struct
import threading
import zlib
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlparse

import botocore.session
from botocore.parsers import RpcV2CBORParser
from botocore.serialize import RpcV2CBORSerializer
from botocore.validate import validate_parameters

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

__all__ = ["ACCOUNT", "REGION", "Call", "FakeAws", "Refused", "moment", "serving", "use"]

ACCOUNT = "111122223333"
REGION = "us-east-1"
SIGNING = {"monitoring": "cloudwatch", "servicequotas": "service-quotas"}
_SESSION = botocore.session.get_session()


def moment(second: float) -> datetime:
    """Return a timestamp as answers hold it."""
    return datetime.fromtimestamp(second, tz=UTC)


class Refused(Exception):  # noqa: N818 - what AWS does, not what a program did wrong
    """An error answer: code, message, HTTP status."""

    def __init__(self, code: str, message: str = "no", *, status: int = 400) -> None:
        self.code, self.message, self.status = code, message, status
        super().__init__(code)


@dataclass
class Call:
    """One request: service, operation, parameters, and the id that its answer carries."""

    service: str
    operation: str
    parameters: dict[str, Any]
    request_id: str = ""


@dataclass
class FakeAws:
    """Answers by `service.Operation`; an operation without answer is refused as denied.

    Attributes:
        answers: A dict, a Refused, or a function of the parameters that returns or raises one.
        faults: Of an operation, or "*": faults for its next requests, then none: throttle, 500, slow, cut.
        calls: What was asked, in order of arrival.
    """

    answers: dict[str, Any] = field(default_factory=dict)
    faults: dict[str, list[str]] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    url: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)
    closing: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.answers.setdefault(
            "sts.GetCallerIdentity",
            {"Account": ACCOUNT, "Arn": f"arn:aws:sts::{ACCOUNT}:assumed-role/reader/me", "UserId": "AIDA"},
        )

    def asked(self, operation: str) -> list[dict[str, Any]]:
        """Return the parameters of every request of `service.Operation`."""
        return [call.parameters for call in self.calls if f"{call.service}.{call.operation}" == operation]

    def fault(self, name: str) -> str | None:
        """Take the next fault of an operation."""
        with self.lock:
            for key in (name, "*"):
                if self.faults.get(key):
                    return self.faults[key].pop(0)
        return None

    def answer(self, call: Call) -> dict[str, Any]:
        """Return the answer to a request, checked against the service model."""
        with self.lock:
            self.calls.append(call)
            call.request_id = f"request-{len(self.calls)}"
        name = f"{call.service}.{call.operation}"
        if name not in self.answers:
            raise Refused("AccessDeniedException", f"not authorized to perform {name}")
        found = self.answers[name]
        value = found(call.parameters) if callable(found) else found
        if isinstance(value, Exception):
            raise value
        shape = _SESSION.get_service_model(call.service).operation_model(call.operation).output_shape
        plain = {
            key: each for key, each in value.items() if not (call.operation == "ConverseStream" and key == "stream")
        }
        if shape is not None:
            validate_parameters(_first(plain), shape)
        return dict(value)


def _first(value: Any) -> Any:
    """Return an answer with the first entries of each list: a day of points need not all be looked at."""
    if isinstance(value, dict):
        return {key: _first(each) for key, each in value.items()}
    return [_first(each) for each in value[:20]] if isinstance(value, list) else value


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    fake: FakeAws

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002, ARG002 - of the base class
        return

    def do_GET(self) -> None:
        self._serve(b"")

    def do_POST(self) -> None:
        self._serve(self.rfile.read(int(self.headers.get("Content-Length") or 0)))

    def _serve(self, body: bytes) -> None:
        signed = re.search(r"Credential=[^/]+/\d+/[^/]+/([^/]+)/aws4_request", self.headers.get("Authorization", ""))
        signing = signed[1] if signed else ""
        service = SIGNING.get(signing, signing)
        if service == "bedrock" and self.path.startswith("/model/"):
            service = "bedrock-runtime"
        model = _SESSION.get_service_model(service)
        call = Call(service, *_request(model, method=self.command, path=self.path, headers=self.headers, body=body))
        fault = self.fake.fault(f"{call.service}.{call.operation}")
        if fault == "slow":
            self.fake.closing.wait(5)
            self.close_connection = True
            return
        try:
            if fault == "throttle":
                raise Refused("ThrottlingException", "Rate exceeded", status=400)  # noqa: TRY301 - the same path as an answer
            if fault == "500":
                raise Refused("InternalFailure", "no", status=500)  # noqa: TRY301
            status, kind, content = _rendered(model, call.operation, self.fake.answer(call))
        except Refused as refused:
            status, kind, content = _error(model, refused)
        self.send_response(status)
        self.send_header("Content-Type", kind)
        if kind == "application/cbor":
            self.send_header("smithy-protocol", "rpc-v2-cbor")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("x-amzn-RequestId", call.request_id)
        if fault == "cut":
            self.close_connection = True
            content = content[: len(content) // 2]
        if fault == "garbled":
            content = b"<" * len(content)
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def serving(fake: FakeAws) -> Iterator[FakeAws]:
    """Serve on a free port of loopback until the block ends."""
    handler = type("Handler", (_Handler,), {"fake": fake})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    fake.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield fake
    finally:
        fake.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()


def use(url: str, monkeypatch: pytest.MonkeyPatch, *, read_timeout: float = 5) -> None:
    """Send every client there, with credentials of nobody, and let retries follow each other without a pause."""
    from botocore.config import Config

    from monitoring.live import session

    for name in ("AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_SESSION_TOKEN", "AWS_CONFIG_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_ENDPOINT_URL", url)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "nobody")
    monkeypatch.setenv("AWS_DEFAULT_REGION", REGION)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")
    monkeypatch.setattr(
        "botocore.retries.standard.ExponentialBackoff.delay_amount", lambda _self, _context: 0.0, raising=True
    )
    quick = Config(retries={"mode": "standard", "max_attempts": 4}, connect_timeout=2, read_timeout=read_timeout)
    monkeypatch.setattr(session, "_config", lambda: quick)


def _request(model: Any, *, method: str, path: str, headers: Any, body: bytes) -> tuple[str, dict[str, Any]]:
    protocol = model.resolved_protocol
    if protocol == "smithy-rpc-v2-cbor":
        parser = RpcV2CBORParser()
        parsed = parser.parse_data_item(parser.get_peekable_stream_from_bytes(body)) if body else {}
        return path.rsplit("/", 1)[-1], parsed
    if protocol == "json":
        return headers["X-Amz-Target"].rsplit(".", 1)[-1], json.loads(body or b"{}")
    if protocol == "query":
        pairs = dict(parse_qsl(body.decode()))
        return pairs.pop("Action"), pairs
    url = urlparse(path)
    for name in model.operation_names:
        http = model.operation_model(name).http
        pattern = re.sub(r"\\{(\w+)\\\+?\\?\}", r"(?P<\1>[^/]+)", re.escape(http["requestUri"].split("?")[0]))
        pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", pattern)
        match = re.fullmatch(pattern, url.path)
        if match and http["method"] == method:
            found = {key: unquote(value) for key, value in match.groupdict().items()}
            return name, {**dict(parse_qsl(url.query)), **json.loads(body or b"{}"), **found}
    raise AssertionError(f"{method} {path}: no such operation")


def _rendered(model: Any, operation: str, value: dict[str, Any]) -> tuple[int, str, bytes]:
    shape = model.operation_model(operation).output_shape
    match model.resolved_protocol:
        case "smithy-rpc-v2-cbor":
            out = bytearray()
            if shape is not None:
                RpcV2CBORSerializer()._serialize_data_item(out, value, shape)
            return 200, "application/cbor", bytes(out)
        case "query":
            inner = "" if shape is None else _xml_members(shape, value)
            name = shape.serialization.get("resultWrapper", f"{operation}Result") if shape is not None else ""
            inner = f"<{name}>{inner}</{name}>" if name else inner
            return 200, "text/xml", f"<{operation}Response>{inner}</{operation}Response>".encode()
        case _ if "stream" in value:
            return 200, "application/vnd.amazon.eventstream", b"".join(_event(*each) for each in value["stream"])
        case _:
            return 200, "application/json", json.dumps(value, default=lambda at: at.timestamp()).encode()


def _error(model: Any, refused: Refused) -> tuple[int, str, bytes]:
    protocol = model.resolved_protocol
    if protocol == "query":
        text = f"<ErrorResponse><Error><Code>{refused.code}</Code><Message>{refused.message}</Message></Error></ErrorResponse>"
        return refused.status, "text/xml", text.encode()
    if protocol == "smithy-rpc-v2-cbor":
        pairs = {"__type": refused.code, "message": refused.message}
        return refused.status, "application/cbor", _cbor_texts(pairs)
    return refused.status, "application/json", json.dumps({"__type": refused.code, "message": refused.message}).encode()


def _cbor_texts(pairs: dict[str, str]) -> bytes:
    def text(value: str) -> bytes:
        raw = value.encode()
        return bytes([0x78, len(raw)]) + raw if len(raw) > 23 else bytes([0x60 + len(raw)]) + raw

    return bytes([0xA0 + len(pairs)]) + b"".join(text(key) + text(value) for key, value in pairs.items())


def _xml_members(shape: Any, value: dict[str, Any]) -> str:
    return "".join(_xml(name, shape.members[name], each) for name, each in value.items())


def _xml(name: str, shape: Any, value: Any) -> str:
    if shape.type_name == "structure":
        return f"<{name}>{_xml_members(shape, value)}</{name}>"
    if shape.type_name == "list":
        return f"<{name}>{''.join(_xml('member', shape.member, each) for each in value)}</{name}>"
    if shape.type_name == "map":
        pairs = "".join(f"<entry><key>{key}</key><value>{each}</value></entry>" for key, each in value.items())
        return f"<{name}>{pairs}</{name}>"
    text = value.isoformat() if isinstance(value, datetime) else value
    return f"<{name}>{str(text).lower() if isinstance(text, bool) else text}</{name}>"


def _event(kind: str, payload: dict[str, Any]) -> bytes:
    """Return one message of an event stream (prelude, headers, payload, checksums)."""
    headers = io.BytesIO()
    for key, value in ((":event-type", kind), (":content-type", "application/json"), (":message-type", "event")):
        headers.write(bytes([len(key)]) + key.encode() + b"\x07" + struct.pack(">H", len(value)) + value.encode())
    head, body = headers.getvalue(), json.dumps(payload).encode()
    prelude = struct.pack(">II", 16 + len(head) + len(body), len(head))
    message = prelude + struct.pack(">I", zlib.crc32(prelude)) + head + body
    return message + struct.pack(">I", zlib.crc32(message))
