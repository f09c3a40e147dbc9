"""Pictures of pages made small: the colours that matter, one byte a dot."""

import base64
import struct
import zlib
from typing import Any

_REDUCE = """async (url) => {
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height), pen = canvas.getContext("2d");
  pen.drawImage(image, 0, 0);
  const dots = pen.getImageData(0, 0, image.width, image.height).data, counts = new Map();
  const key = (at) => (dots[at] << 16) | (dots[at + 1] << 8) | dots[at + 2];
  for (let at = 0; at < dots.length; at += 4) {
    const found = counts.get(key(at));
    if (found) found[0]++; else counts.set(key(at), [1, dots[at], dots[at + 1], dots[at + 2]]);
  }
  const kept = [...counts.values()].sort((a, b) => b[0] - a[0]).slice(0, 256);
  const far = (a, b) => (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2 + (a[3] - b[3]) ** 2;
  const place = new Map();
  for (const [dot, colour] of counts) {
    place.set(dot, kept.reduce((best, one, number) => far(one, colour) < far(kept[best], colour) ? number : best, 0));
  }
  let told = "";
  for (let at = 0; at < dots.length; at += 4) told += String.fromCharCode(place.get(key(at)));
  const palette = kept.map((one) => one.slice(1)).flat();
  return { width: image.width, height: image.height, palette, dots: btoa(told) };
}"""


def small_png(page: Any, picture: bytes) -> bytes:
    """Return a picture with 256 colours at most; `page` is an empty one of a browser, which reads it."""
    read = page.evaluate(_REDUCE, f"data:image/png;base64,{base64.b64encode(picture).decode()}")
    width, height, dots = read["width"], read["height"], base64.b64decode(read["dots"])
    lines = b"".join(b"\0" + dots[row * width : (row + 1) * width] for row in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"PLTE", bytes(read["palette"])), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in chunks)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
