"""Decoding of GIF, BMP, WebP, four-component JPEG and 16 bit PNG. The WebP files are kept: TensorFlow writes none."""

import base64
import random
import struct

import tensorflow as tf

from gif_writer import cases as gif_cases
from golden_io import GOLDEN, reason, sha256, write_bytes, write_json
from jpeg_writer import jpeg

OPS = {
    "decodeImage": lambda data, **options: tf.io.decode_image(data, expand_animations=False, **options),
    "decodeJpeg": tf.io.decode_jpeg,
    "decodePng": tf.io.decode_png,
    "decodeBmp": tf.io.decode_bmp,
}


def decoded(op, data, **options):
    """What TensorFlow gives; the hash is of the little-endian bytes."""
    row = {"op": op, **options}
    try:
        image = OPS[op](data, **options).numpy()
    except tf.errors.OpError as error:
        return {**row, "error": reason(error)}
    return {**row, "dtype": str(image.dtype), "shape": list(image.shape), "sha256": sha256(image.tobytes())}


def bmp(width, height, bits, seed=1, palette=0, extra=0, header=40):
    """Rows of random pixels; `height` below 0 stores them top-down, `extra` bytes at the end are more or less than needed."""
    draw = random.Random(seed)
    row = (bits * width + 31) // 32 * 4
    start = 14 + header + 4 * palette
    pixels = bytes(draw.randrange(256) for _ in range(row * abs(height)))
    info = struct.pack("<IiiHHIIiiII", header, width, height, 1, bits, 0, len(pixels), 0, 0, palette, 0)
    colours = bytes(draw.randrange(256) for _ in range(4 * palette))
    whole = b"BM" + struct.pack("<IHHI", start + len(pixels), 0, 0, start) + info.ljust(header, b"\0") + colours + pixels
    return whole + bytes(extra) if extra >= 0 else whole[:extra]


def bmp_cases():
    for bits in (8, 24, 32):
        for width in (1, 5, 8):
            yield f"{bits}-{width}", bmp(width, 3, bits, seed=bits + width)
        yield f"{bits}-top-down", bmp(5, -3, bits)
    yield "8-palette", bmp(6, 4, 8, palette=256)
    yield "32-v5", bmp(3, 2, 32, header=124)
    yield "1", bmp(9, 3, 1, palette=2)
    yield "16", bmp(5, 3, 16)
    yield "long", bmp(5, 3, 24, extra=2)
    yield "short", bmp(5, 3, 24, extra=-1)
    yield "header-only", bmp(5, 3, 24)[:30]
    yield "no-width", bmp(0, 3, 24)
    yield "huge", bmp(5, 3, 24)[:18] + struct.pack("<ii", 60000, 60000) + bmp(5, 3, 24)[26:]


ONES = [(1, 1)] * 4
YCCK_420 = [(2, 2), (1, 1), (1, 1), (2, 2)]


def cmyk_cases():
    yield "cmyk", jpeg(29, 21, ONES)
    yield "cmyk-adobe", jpeg(29, 21, ONES, adobe=0)
    yield "cmyk-restart", jpeg(45, 37, ONES, restart=3, seed=2)
    yield "cmyk-progressive", jpeg(29, 21, ONES, adobe=0, progressive=True, seed=3)
    yield "cmyk-scans", jpeg(29, 21, ONES, scans=[(0,), (1, 2), (3,)], seed=4)
    yield "cmyk-422", jpeg(29, 21, [(2, 1), (1, 1), (1, 1), (2, 1)], seed=5)
    yield "ycck", jpeg(29, 21, ONES, adobe=2, seed=6)
    yield "ycck-420", jpeg(37, 23, YCCK_420, adobe=2, seed=7)
    yield "ycck-420-restart", jpeg(61, 47, YCCK_420, adobe=2, restart=2, seed=8)
    yield "ycck-420-progressive", jpeg(37, 23, YCCK_420, adobe=2, progressive=True, seed=9)
    yield "ycck-422", jpeg(37, 23, [(2, 1), (1, 1), (1, 1), (2, 1)], adobe=2, seed=10)
    yield "ycck-scans", jpeg(37, 23, YCCK_420, adobe=2, scans=[(0, 1, 2), (3,)], seed=11)
    yield "ycck-ids", jpeg(29, 21, ONES, ids=[67, 77, 89, 75], adobe=2, seed=12)


def exif(data, orientation, order):
    """An EXIF segment behind the start of a JPEG, in either byte order."""
    mark = "<" if order == "II" else ">"
    tiff = order.encode() + struct.pack(mark + "HIH", 42, 8, 1) + struct.pack(mark + "HHIHHI", 0x0112, 3, 1, orientation, 0, 0)
    body = b"Exif\0\0" + tiff
    return data[:2] + b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body + data[2:]


def turned(image, orientation):
    """EXIF's eight orientations by tf.image: what a viewer shows."""
    steps = {
        1: [], 2: ["flip_left_right"], 3: ["rot90", "rot90"], 4: ["flip_up_down"], 5: ["transpose"],
        6: ["rot90"] * 3, 7: ["transpose", "rot90", "rot90"], 8: ["rot90"],
    }
    for step in steps[orientation]:
        image = getattr(tf.image, step)(image)
    return image.numpy()


def orientation_cases():
    data = (GOLDEN / "jpeg/rgb-420.jpg").read_bytes()
    for orientation in range(1, 9):
        image = turned(tf.io.decode_jpeg(data), orientation)
        order = "II" if orientation % 2 else "MM"
        segment = exif(data, orientation, order)[2 : 2 + 40]
        yield {"orientation": orientation, "segment": base64.b64encode(segment[: struct.unpack(">H", segment[2:4])[0] + 2]).decode(),
               "shape": list(image.shape), "sha256": sha256(image.tobytes())}


def row(name, data, calls):
    return {"name": name, "data": base64.b64encode(data).decode(), "results": [decoded(op, data, **o) for op, o in calls]}


def channels_of(op, *numbers):
    return [(op, {"channels": number}) for number in numbers]


def write():
    every = channels_of("decodeImage", 0, 1, 3, 4)
    wide = [("decodeImage", {"dtype": "uint16"}), ("decodeImage", {"dtype": "float32"})]
    write_json("gif.json", [row(name, data, every + channels_of("decodeJpeg", 0, 3)) for name, data in gif_cases()])
    write_json("bmp.json", [row(name, data, every + channels_of("decodeBmp", 0, 3) + channels_of("decodeJpeg", 0)) for name, data in bmp_cases()])
    write_json("cmyk.json", [row(name, data, channels_of("decodeJpeg", 0, 1, 3) + wide) for name, data in cmyk_cases()])
    write_json("orientation.json", list(orientation_cases()))
    webp = []
    for path in sorted((GOLDEN / "webp").glob("*.webp")):
        webp.append({"file": f"webp/{path.name}", "results": [decoded(op, path.read_bytes(), **o) for op, o in every]})
    write_json("webp.json", webp)
    pngs = []
    for path in sorted((GOLDEN / "png").glob("*.png")):
        data = path.read_bytes()
        calls = [("decodePng", {"channels": c, "dtype": "uint16"}) for c in (0, 1, 3, 4)] + [("decodeImage", {"dtype": "float32"})]
        pngs.append({"file": f"png/{path.name}", "results": [decoded(op, data, **o) for op, o in calls]})
    write_json("png16.json", pngs)
    photo = (GOLDEN / "jpeg/rgb-420.jpg").read_bytes()
    write_json("jpeg-dtypes.json", [row("rgb-420", photo, wide)])
