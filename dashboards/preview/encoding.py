"""How do a hundred thousand points fit into a page? Float32, bytes sorted by significance, deflated, base64.

A chunk holds the series of one widget, so that a page decodes what it shows. Bytes of equal significance stand together: the sign
and exponent of neighbours are nearly equal, and counts have zeros in their low bytes. Equal series are stored once. A value past
the range of Float32 (CloudWatch takes up to 2^360) makes its series Float64.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Chunks"]

_FLOAT32_MAX = 3.0e38
_LEVEL = 6


class Chunks:
    """Collects series; `texts` gives the chunks for the page."""

    def __init__(self) -> None:
        self._parts: list[bytearray] = []
        self._known: dict[bytes, dict[str, Any]] = {}

    def open(self) -> None:
        """Start the chunk of another widget."""
        if not self._parts or self._parts[-1]:
            self._parts.append(bytearray())

    def add(self, values: NDArray[np.float64]) -> dict[str, Any]:
        """Store a series and return where it is: chunk `c`, byte offset `o`, number of points `n`, bytes of a point `w`."""
        if not self._parts:
            self.open()
        largest = np.nanmax(np.abs(values)) if np.isfinite(values).any() else 0.0
        width = 8 if largest > _FLOAT32_MAX else 4
        raw = values.astype("<f8" if width == 8 else "<f4")
        key = hashlib.blake2b(raw.tobytes(), digest_size=16).digest() + bytes([width])
        if key not in self._known:
            part = self._parts[-1]
            self._known[key] = {"c": len(self._parts) - 1, "o": len(part), "n": len(raw), "w": width}
            part += raw.view(np.uint8).reshape(len(raw), width).T.tobytes()
        return self._known[key]

    def texts(self) -> list[str]:
        """Return each chunk as base64 of raw deflate."""
        return [_packed(bytes(part)) for part in self._parts]


def _packed(raw: bytes) -> str:
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    return base64.b64encode(packer.compress(raw) + packer.flush()).decode("ascii")
