"""Writes GIF files, odd ones included."""

import random
import struct

PALETTE = bytes([255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 8, 7])


def packed(indexes, bits, compress):
    """LZW; without `compress` a clear code comes before each code could grow."""
    clear = 1 << bits
    codes, size, table = [(clear, bits + 1)], bits + 1, {(i,): i for i in range(clear)}
    following, text = clear + 2, ()
    for index in indexes:
        if not compress:
            codes += [(index, size), (clear, size)]
        elif text + (index,) in table:
            text += (index,)
        else:
            codes.append((table[text], size))
            if following < 4096:
                table[text + (index,)] = following
                if following == 1 << size and size < 12:
                    size += 1
                following += 1
            text = (index,)
    if text:
        codes.append((table[text], size))
    codes.append((clear + 1, size))
    held = count = 0
    out = bytearray()
    for code, width in codes:
        held |= code << count
        count += width
        while count >= 8:
            out.append(held & 255)
            held, count = held >> 8, count - 8
    if count:
        out.append(held & 255)
    chunks = [bytes(out[at : at + 255]) for at in range(0, len(out), 255)]
    return bytes([bits]) + b"".join(bytes([len(part)]) + part for part in chunks) + b"\0"


def frame(x, y, width, height, indexes, clear=None, palette=None, interlaced=False, bits=2, compress=True):
    out = b"" if clear is None else b"\x21\xf9\x04\x01\0\0" + bytes([clear]) + b"\0"
    flags = (0x40 if interlaced else 0) | (0x80 | (len(palette) // 3).bit_length() - 2 if palette else 0)
    out += b"\x2c" + struct.pack("<HHHHB", x, y, width, height, flags) + (palette or b"")
    return out + packed(indexes, bits, compress)


def gif(width, height, frames, palette=PALETTE, background=0, version=b"GIF89a"):
    flags = 0x80 | (len(palette) // 3).bit_length() - 2 if palette else 0
    return version + struct.pack("<HHBBB", width, height, flags, background, 0) + (palette or b"") + b"".join(frames) + b"\x3b"


def cases():
    six = [0, 1, 2, 3, 0, 1]
    whole = frame(0, 0, 3, 2, six)
    draw = random.Random(8)
    wide = bytes(draw.randrange(256) for _ in range(768))
    many = [draw.choice([draw.randrange(256), 5, 6]) for _ in range(90 * 70)]
    yield "plain", gif(3, 2, [whole])
    yield "uncompressed", gif(3, 2, [frame(0, 0, 3, 2, six, compress=False)])
    yield "87a", gif(3, 2, [whole], version=b"GIF87a")
    yield "transparent", gif(3, 2, [frame(0, 0, 3, 2, six, clear=1)], background=2)
    yield "offset", gif(4, 3, [frame(1, 1, 3, 2, six)], background=2)
    yield "smaller-than-screen", gif(5, 5, [whole])
    yield "no-screen", gif(0, 0, [whole])
    yield "two", gif(3, 2, [whole, frame(1, 1, 1, 1, [2])])
    yield "second-larger", gif(3, 2, [frame(0, 0, 2, 1, [0, 1]), whole])
    yield "second-transparent", gif(3, 2, [whole, frame(0, 0, 3, 2, six, clear=3)])
    yield "local-palette", gif(3, 2, [frame(0, 0, 3, 2, six, palette=PALETTE[::-1])], palette=None)
    yield "interlaced", gif(2, 19, [frame(0, 0, 2, 19, [i % 4 for i in range(38)], interlaced=True)])
    yield "full-table", gif(90, 70, [frame(0, 0, 90, 70, many, bits=8)], palette=wide)
    yield "comment", gif(3, 2, [b"\x21\xfe\x03abc\0", whole])
    yield "junk-after", gif(3, 2, [whole]) + b"junk"
    yield "no-trailer", gif(3, 2, [whole])[:-1]
    yield "cut-in-second", gif(3, 2, [whole, frame(1, 1, 1, 1, [2])])[:-6]
    yield "too-many-indexes", gif(3, 2, [frame(0, 0, 3, 2, six + [1, 1])])
    yield "no-palette", gif(3, 2, [whole], palette=None)
    yield "past-palette", gif(3, 2, [whole], palette=PALETTE[:6])
    yield "too-few-indexes", gif(3, 2, [frame(0, 0, 3, 2, six[:4])])
    yield "cut", gif(3, 2, [whole])[:-5]
    yield "no-frame", gif(3, 2, [])
    yield "no-width", gif(3, 2, [frame(0, 0, 0, 2, [])])
