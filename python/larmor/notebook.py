"""Results in a notebook: an image, three numbers, and warnings."""
from __future__ import annotations

import base64
import html
import struct
import zlib
from typing import Any

import numpy as np


def png(levels: np.ndarray) -> bytes:
    """A picture of 8-bit levels of gray [y, x]."""
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = np.pad(levels, ((0, 0), (1, 0))).astype(np.uint8)  # each begins with its filter: none
    header = struct.pack(">2I5B", levels.shape[1], levels.shape[0], 8, 0, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows.tobytes()))
            + chunk(b"IEND", b""))


def as_html(title: str, images: Any, numbers: dict[str, str], warnings: list[str]) -> str:
    """The magnitude of the middle one of images [..., y, x], from 0 to its 99.5th percentile."""
    lines = [f"<b>{html.escape(title)}</b>"]
    if images.ndim >= 2 and images.size > 0:
        images = images.reshape(-1, *images.shape[-2:])
        magnitude = np.abs(np.nan_to_num(images[len(images) // 2]))
        levels = np.clip(255 / max(np.percentile(magnitude, 99.5), np.finfo(np.float32).tiny) * magnitude, 0, 255)
        picture = base64.b64encode(png(levels)).decode()
        lines.append(f'<img src="data:image/png;base64,{picture}" style="min-width:16em;image-rendering:pixelated">')
    lines.append(html.escape(", ".join(f"{name} {number}" for name, number in numbers.items())))
    lines.extend(f"⚠ {html.escape(warning)}" for warning in warnings)
    return "<br>".join(lines)


__all__ = ["png", "as_html"]
