"""A CloudFormation on this machine that really creates alarms, on a free port, ended by its process id."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["LocalCloud", "local_cloud"]

_SERVICES = "cloudwatch,cloudformation,sns,logs,events,iam,sts,s3,kms,ssm,secretsmanager"
_READY_S = 120


class LocalCloud:
    """One running local cloud, spoken to through `client.py`.

    Args:
        client: The client process.
    """

    def __init__(self, client: subprocess.Popen[str]) -> None:
        self._client = client

    def call(self, function: str, *, account: str, region: str, **arguments: Any) -> Any:
        """Call one function of `client.py` in an account and Region.

        Raises:
            RuntimeError: The local cloud refused; the message is its own.
        """
        assert self._client.stdin is not None
        assert self._client.stdout is not None
        request = {"call": function, "where": {"account": account, "region": region}, "arguments": arguments}
        self._client.stdin.write(json.dumps(request) + "\n")
        self._client.stdin.flush()
        line = self._client.stdout.readline()
        answer = json.loads(line) if line else {"error": "the client ended"}
        if "error" in answer:
            raise RuntimeError(f"{function}: {answer['error']}")
        return answer["ok"]


@contextmanager
def local_cloud(*, python: Path, folder: Path) -> Iterator[LocalCloud]:
    """Start a local cloud and a client to it; stop both by process id at the end.

    Args:
        python: Python of the environment that holds it.
        folder: Writable folder for its files and log.
    """
    port = _free_port()
    endpoint = f"http://127.0.0.1:{port}"
    environment = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")} | {
        "GATEWAY_LISTEN": f"127.0.0.1:{port}",
        "SERVICES": _SERVICES,
        "FS_ROOT": str(folder),
        "SKIP_SSL_CERT_DOWNLOAD": "1",
        "DISABLE_EVENTS": "1",
        "DNS_ADDRESS": "0",
        "PYTHONWARNINGS": "ignore",
    }
    environment.pop("PYTHONPATH", None)
    with (folder / "localstack.log").open("w") as log:
        server = subprocess.Popen(
            [str(python), "-m", "localstack.runtime.main"],
            env=environment,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            _wait_until_ready(server, endpoint=endpoint, log=folder / "localstack.log")
            client = subprocess.Popen(
                [str(python), str(Path(__file__).with_name("client.py")), endpoint],
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            try:
                yield LocalCloud(client)
            finally:
                client.communicate(timeout=30)
        finally:
            _stop(server)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_ready(server: subprocess.Popen[bytes], *, endpoint: str, log: Path) -> None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    until = time.monotonic() + _READY_S
    while time.monotonic() < until:
        if server.poll() is not None:
            break
        try:
            with opener.open(f"{endpoint}/_localstack/health", timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.5)  # the process is starting: nothing else can be asked yet
    raise RuntimeError(f"the local cloud did not start:\n{log.read_text()[-3000:]}")


def _stop(server: subprocess.Popen[bytes]) -> None:
    if server.poll() is None:
        os.killpg(server.pid, signal.SIGTERM)
        try:
            server.wait(timeout=20)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)
            server.wait(timeout=20)
