"""A moto server and a fake AWS on loopback, and credentials that work nowhere else."""

from __future__ import annotations

import gc
import os
import warnings
from typing import TYPE_CHECKING

import pytest

from tests.monitoring.live.fake_aws import FakeAws, serving, use

if TYPE_CHECKING:
    from collections.abc import Iterator

REGION = "us-east-1"


@pytest.fixture(scope="session")
def moto_endpoint() -> Iterator[str]:
    """Address of a moto server that stops with the tests."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from moto.server import ThreadedMotoServer

        server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def aws(moto_endpoint: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Point the SDK at the moto server, with nothing left in it."""
    import urllib.request

    urllib.request.urlopen(urllib.request.Request(f"{moto_endpoint}/moto-api/reset", method="POST")).close()
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_ENDPOINT_URL", moto_endpoint)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", REGION)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")
    return moto_endpoint


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeAws]:
    """An AWS that answers nothing but who we are; give it answers and faults."""
    with serving(FakeAws()) as served:
        use(served.url, monkeypatch)
        yield served


@pytest.fixture
def _restored() -> Iterator[None]:
    """Put back the two process-wide switches that the command line sets."""
    before, threshold = dict(os.environ), gc.get_threshold()
    yield
    gc.set_threshold(*threshold)
    os.environ.clear()
    os.environ.update(before)
