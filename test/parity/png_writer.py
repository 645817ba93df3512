"""PNG files that no encoder at hand writes: every colour type, bit depth, interlace and filter. Source: RFC 2083."""

import random
import struct
import zlib

CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def pack_row(samples, depth):
    if depth == 16:
        return b"".join(struct.pack(">H", sample) for sample in samples)
    if depth == 8:
        return bytes(samples)
    out, bits, have = bytearray(), 0, 0
    for sample in samples:
        bits, have = bits << depth | sample, have + depth
        if have == 8:
            out.append(bits)
            bits, have = 0, 0
    if have:
        out.append(bits << (8 - have))
    return bytes(out)


def filtered(row, above, step, kind):
    out = bytearray([kind])
    for i, value in enumerate(row):
        left = row[i - step] if i >= step else 0
        up = above[i]
        corner = above[i - step] if i >= step else 0
        if kind == 0:
            guess = 0
        elif kind == 1:
            guess = left
        elif kind == 2:
            guess = up
        elif kind == 3:
            guess = (left + up) // 2
        else:
            p = left + up - corner
            guess = min((abs(p - left), 0, left), (abs(p - up), 1, up), (abs(p - corner), 2, corner))[2]
        out.append((value - guess) & 255)
    return bytes(out)


def scan(samples, width, height, depth, channels, draw):
    out, step = b"", max(1, depth * channels // 8)
    above = bytes((width * depth * channels + 7) // 8)
    for y in range(height):
        row = pack_row(samples[y], depth)
        out += filtered(row, above, step, draw.randrange(5))
        above = row
    return out


def png(width, height, color, depth, interlace=0, seed=1, palette=None, trns=None, extra=b"", limit=None, split=None):
    """A picture of random samples. `split` cuts IDAT in parts, `extra` are chunks before IDAT."""
    draw, channels = random.Random(seed), CHANNELS[color]
    top = limit or 1 << depth
    samples = [[draw.randrange(top) for _ in range(width * channels)] for _ in range(height)]
    if interlace:
        raw = b""
        for x0, y0, dx, dy in ADAM7:
            rows = [
                [row[x * channels + c] for x in range(x0, width, dx) for c in range(channels)]
                for row in samples[y0::dy]
            ]
            if rows and rows[0]:
                raw += scan(rows, len(rows[0]) // channels, len(rows), depth, channels, draw)
    else:
        raw = scan(samples, width, height, depth, channels, draw)
    packed = zlib.compress(raw, 9)
    parts = [packed[i : i + split] for i in range(0, len(packed), split)] if split else [packed]
    head = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlace)
    out = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + extra
    if palette:
        out += chunk(b"PLTE", palette)
    if trns:
        out += chunk(b"tRNS", trns)
    return out + b"".join(chunk(b"IDAT", part) for part in parts) + chunk(b"IEND", b"")
