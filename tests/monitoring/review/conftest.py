"""The moto server of the live tests."""

from tests.monitoring.live.conftest import aws, moto_endpoint

__all__ = ["aws", "moto_endpoint"]
