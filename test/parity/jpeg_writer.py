"""Writes JPEG of any components and sampling factors from random coefficients: kinds that no encoder at hand makes."""

import math
import random
import struct

ZIGZAG_AC = 63
DC_SYMBOLS = list(range(12))
AC_SYMBOLS = [0x00, 0xF0] + [(run << 4) | size for run in range(16) for size in range(1, 8)]


def segment(marker, body):
    return bytes([0xFF, marker]) + struct.pack(">H", len(body) + 2) + body


def table(kind, destination, symbols):
    """Every symbol has a code of 8 bits, its place in the list."""
    counts = [0] * 7 + [len(symbols)] + [0] * 8
    return segment(0xC4, bytes([kind << 4 | destination] + counts + symbols))


class Bits:
    def __init__(self):
        self.out, self.held, self.count = bytearray(), 0, 0

    def put(self, value, count):
        self.held, self.count = (self.held << count) | value, self.count + count
        while self.count >= 8:
            self.count -= 8
            byte = (self.held >> self.count) & 255
            self.out += bytes([byte, 0]) if byte == 255 else bytes([byte])
        self.held &= (1 << self.count) - 1

    def value(self, number):
        size = abs(number).bit_length()
        return size, (number if number > 0 else number + (1 << size) - 1)

    def mark(self, marker=None):
        if self.count:
            self.put((1 << (8 - self.count)) - 1, 8 - self.count)
        if marker is not None:
            self.out += bytes([0xFF, marker])


def blocks(columns, rows, draw):
    """DC and a few AC values for each block, smooth enough to stay within 8 bits mostly."""
    return [[[draw.randrange(-60, 60)] + [draw.choice([0, 0, 0, 3, -2, 9]) for _ in range(9)]
             for _ in range(columns)] for _ in range(rows)]


def jpeg(width, height, factors, ids=None, adobe=None, restart=0, progressive=False, scans=None, seed=1):
    """`factors` = (across, down) for each component; `scans` = tuples of components, one of all by default."""
    draw = random.Random(seed)
    ids = ids or list(range(1, len(factors) + 1))
    across, down = max(h for h, _ in factors), max(v for _, v in factors)
    columns, rows = math.ceil(width / (8 * across)), math.ceil(height / (8 * down))
    planes = [blocks(columns * h, rows * v, draw) for h, v in factors]
    out = b"\xff\xd8"
    if adobe is not None:
        out += segment(0xEE, b"Adobe" + struct.pack(">HHHB", 100, 0, 0, adobe))
    out += segment(0xDB, bytes([0] + [8 + i // 4 for i in range(64)]))
    body = struct.pack(">BHHB", 8, height, width, len(factors))
    for name, (h, v) in zip(ids, factors):
        body += bytes([name, h << 4 | v, 0])
    out += segment(0xC2 if progressive else 0xC0, body)
    out += table(0, 0, DC_SYMBOLS) + table(1, 0, AC_SYMBOLS)
    if restart:
        out += segment(0xDD, struct.pack(">H", restart))
    shape = (width, height, across, down, columns, rows)
    for parts in scans or [tuple(range(len(factors)))]:
        for first, last, high, low in [(0, 0, 0, 1), (0, 0, 1, 0)] if progressive else [(0, 63, 0, 0)]:
            out += scan(parts, ids, factors, planes, shape, restart, first, last, high, low)
    if progressive:
        for part in range(len(factors)):
            out += scan((part,), ids, factors, planes, shape, restart, 1, 63, 0, 0)
    return out + b"\xff\xd9"


def scan(parts, ids, factors, planes, shape, restart, first, last, high, low):
    width, height, across, down, columns, rows = shape
    if len(parts) == 1:
        h, v = factors[parts[0]]
        columns, rows = math.ceil(math.ceil(width * h / across) / 8), math.ceil(math.ceil(height * v / down) / 8)
    header = bytes([len(parts)]) + b"".join(bytes([ids[part], 0]) for part in parts)
    bits, before = Bits(), {part: 0 for part in parts}
    for unit in range(columns * rows):
        if restart and unit and unit % restart == 0:
            bits.mark(0xD0 + (unit // restart - 1) % 8)
            before = {part: 0 for part in parts}
        row, column = divmod(unit, columns)
        for part in parts:
            h, v = (1, 1) if len(parts) == 1 else factors[part]
            for y in range(v):
                for x in range(h):
                    block = planes[part][row * v + y][column * h + x]
                    before[part] = write_block(bits, block, before[part], first, last, high, low)
    bits.mark()
    return segment(0xDA, header + bytes([first, last, high << 4 | low])) + bytes(bits.out)


def write_block(bits, block, before, first, last, high, low):
    if first == 0 and high:
        bits.put(block[0] & 1, 1)
        return before
    if first == 0:
        dc = block[0] >> low
        size, extra = bits.value(dc - before)
        bits.put(DC_SYMBOLS.index(size), 8)
        bits.put(extra, size)
        before = dc
    if last == 0:
        return before
    run = 0
    for number in block[1:]:
        if number == 0:
            run += 1
            continue
        size, extra = bits.value(number)
        bits.put(AC_SYMBOLS.index(run << 4 | size), 8)
        bits.put(extra, size)
        run = 0
    bits.put(0, 8)
    return before
