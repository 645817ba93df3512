"""Decoding of JPEG and PNG, sound and damaged, and resize."""

import base64
import random
import struct

import numpy as np
import tensorflow as tf

from golden_io import FIXTURES, reason, sha256, write_bytes, write_json
from png_writer import chunk, png

PHOTOS = FIXTURES / "photos"


def decoded(op, data, channels):
    """Shape and hash, and the pixels themselves where they are few; or the first line of TensorFlow's refusal."""
    try:
        image = op(data, channels=channels).numpy()
    except tf.errors.OpError as error:
        return {"error": reason(error)}
    result = {"shape": list(image.shape), "sha256": sha256(image.tobytes())}
    if image.size <= 400:
        result["pixels"] = base64.b64encode(image.tobytes()).decode()
    return result


def jpeg_cases():
    """(name, bytes): photos by name; others are written beside the golden values."""
    photo = (PHOTOS / "rocket" / "rocket-0.jpg").read_bytes()
    image = tf.io.decode_jpeg(photo, channels=3)[40:88, 30:94, :]
    grey = tf.image.rgb_to_grayscale(image)
    yield "rgb-444.jpg", tf.io.encode_jpeg(image, quality=90, chroma_downsampling=False).numpy()
    yield "rgb-420.jpg", tf.io.encode_jpeg(image[:47, :61], quality=75).numpy()
    yield "rgb-420-progressive.jpg", tf.io.encode_jpeg(image[:45, :33], quality=85, progressive=True).numpy()
    yield "grey.jpg", tf.io.encode_jpeg(grey, format="grayscale", quality=80).numpy()
    yield "one-pixel.jpg", tf.io.encode_jpeg(image[:1, :1]).numpy()
    cmyk = (FIXTURES / "cases/files/img/cmyk_app14_t0.jpg").read_bytes()
    transform = cmyk.index(b"Adobe") + 11
    yield "ycck.jpg", cmyk[:transform] + b"\x02" + cmyk[transform + 1 :]
    yield "wide.jpg", tf.io.encode_jpeg(image[:1, :64]).numpy()


def damaged(data):
    """Cuts, junk and flipped bytes of one file, by recipe."""
    for cut in [0, 1, 2, 3, 10, 100, 200, 600, len(data) - 700, len(data) - 300, len(data) - 100, len(data) - 10,
                len(data) - 3, len(data) - 2, len(data) - 1]:
        yield {"cut": cut}, data[:cut]
    for junk in [b"\x00", b"junk", b"\xff\xd9", b"\xff\xd8\xff\xe0" + bytes(40), bytes(5000)]:
        yield {"append": base64.b64encode(junk).decode()}, data + junk
    for at in [len(data) - 2, len(data) - 40, len(data) // 2]:
        yield {"insert": 7, "at": at}, data[:at] + b"\x07" + data[at:]
    draw = random.Random(3)
    for _ in range(120):
        at, xor = draw.randrange(2, len(data)), draw.randrange(1, 256)
        yield {"at": at, "xor": xor}, data[:at] + bytes([data[at] ^ xor]) + data[at + 1 :]


def write_jpegs():
    photos = []
    for path in sorted(PHOTOS.glob("*/*.jpg")):
        data = path.read_bytes()
        resized = tf.image.resize(tf.io.decode_jpeg(data, channels=3), [224, 224]).numpy()
        photos.append(
            {
                "file": str(path.relative_to(PHOTOS)),
                "rgb": decoded(tf.io.decode_jpeg, data, 3),
                "grey": decoded(tf.io.decode_jpeg, data, 1),
                "resize224": sha256(resized.tobytes()),
                "mean224": float(resized.mean(dtype=np.float64)),
            }
        )
    write_json("photos.json", photos)

    cases, faults = [], []
    for name, data in jpeg_cases():
        write_bytes(f"jpeg/{name}", data)
        case = {"file": f"jpeg/{name}"}
        for channels in (0, 1, 3):
            case[str(channels)] = decoded(tf.io.decode_jpeg, data, channels)
        case["png4"] = decoded(tf.io.decode_png, data, 4)
        case["png3"] = decoded(tf.io.decode_png, data, 3)
        accurate = tf.io.decode_jpeg(data, channels=3, dct_method="INTEGER_ACCURATE").numpy()
        case["accurate"] = sha256(accurate.tobytes())
        cases.append(case)
        if name in ("rgb-420.jpg", "rgb-420-progressive.jpg", "grey.jpg"):
            for recipe, broken in damaged(data):
                faults.append({"file": f"jpeg/{name}", **recipe, "result": decoded(tf.io.decode_jpeg, broken, 3)})
    write_json("jpeg.json", cases)
    for fault in faults:
        fault["result"].pop("pixels", None)
    write_json("jpeg-damaged.json", faults)


PALETTE = bytes(random.Random(5).randrange(256) for _ in range(3 * 16))
GAMMA = chunk(b"gAMA", struct.pack(">I", 45455))


def png_cases():
    for color, depths in {0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16]}.items():
        for depth in depths:
            for interlace in (0, 1):
                extra = {"palette": PALETTE, "limit": min(16, 1 << depth)} if color == 3 else {}
                name = f"c{color}-d{depth}-i{interlace}"
                yield name, png(9, 7, color, depth, interlace, seed=depth * 10 + color, **extra)
    yield "c3-d8-short-trns", png(9, 7, 3, 8, palette=PALETTE, limit=16, trns=bytes([0, 128, 200]))
    yield "c3-d4-trns", png(9, 7, 3, 4, palette=PALETTE, trns=bytes(range(0, 160, 10)))
    yield "c0-d8-trns", png(9, 7, 0, 8, limit=4, trns=struct.pack(">H", 2))
    yield "c0-d2-trns", png(9, 7, 0, 2, trns=struct.pack(">H", 2))
    yield "c0-d16-trns", png(9, 7, 0, 16, limit=3, trns=struct.pack(">H", 2))
    yield "c2-d8-trns", png(9, 7, 2, 8, limit=2, trns=struct.pack(">HHH", 1, 0, 1))
    yield "c2-d8-gamma", png(9, 7, 2, 8, extra=GAMMA)
    yield "c0-d8-gamma", png(9, 7, 0, 8, extra=GAMMA)
    yield "c6-d8-gamma", png(9, 7, 6, 8, extra=GAMMA)
    yield "c2-d8-srgb", png(9, 7, 2, 8, extra=chunk(b"sRGB", b"\0"))
    yield "c3-d8-gamma", png(9, 7, 3, 8, palette=PALETTE, limit=16, extra=GAMMA)
    yield "c0-d8-sbit", png(9, 7, 0, 8, extra=chunk(b"sBIT", b"\x05"))
    yield "c3-d8-past-palette", png(9, 7, 3, 8, palette=PALETTE[:12], limit=16)
    yield "c2-d8-plte", png(9, 7, 2, 8, palette=PALETTE)
    yield "c0-d8-split", png(9, 7, 0, 8, split=5)
    yield "c0-d8-1x1-i1", png(1, 1, 0, 8, 1)
    yield "c6-d8-3x2-i1", png(3, 2, 6, 8, 1)
    yield "c0-d1-17x3", png(17, 3, 0, 1)
    sound = png(9, 7, 0, 8, seed=9)
    at = sound.index(b"IDAT")
    yield "bad-idat-crc", sound[:-14] + bytes([sound[-14] ^ 1]) + sound[-13:]
    yield "bad-ihdr-crc", sound[:30] + bytes([sound[30] ^ 1]) + sound[31:]
    yield "cut-idat", sound[: at + 20]
    yield "cut-iend", sound[:-12]
    yield "cut-iend-crc", sound[:-2]
    yield "junk-after", sound + b"junk"
    yield "no-idat", sound[: at - 4] + sound[-12:]
    yield "unknown-ancillary", sound[: at - 4] + chunk(b"abCd", b"xyz") + sound[at - 4 :]
    yield "unknown-critical", sound[: at - 4] + chunk(b"ABCD", b"xyz") + sound[at - 4 :]
    yield "bad-ancillary-crc", sound[: at - 4] + chunk(b"tEXt", b"a\0b")[:-1] + b"\0" + sound[at - 4 :]
    yield "no-palette", png(9, 7, 3, 8, limit=16)
    yield "zero-width", sound[:16] + struct.pack(">I", 0) + sound[20:]
    body = bytearray(sound[16:29])
    body[8] = 3
    yield "bad-depth", sound[:8] + chunk(b"IHDR", bytes(body)) + sound[33:]
    tall = struct.pack(">IIBBBBB", 9, 9, 8, 0, 0, 0, 0)
    yield "too-few-rows", sound[:8] + chunk(b"IHDR", tall) + sound[33:]
    short = struct.pack(">IIBBBBB", 9, 5, 8, 0, 0, 0, 0)
    yield "too-many-rows", sound[:8] + chunk(b"IHDR", short) + sound[33:]
    bomb = struct.pack(">IIBBBBB", 60000, 60000, 8, 2, 0, 0, 0)
    yield "bomb", sound[:8] + chunk(b"IHDR", bomb) + sound[33:]


def write_pngs():
    cases = []
    for name, data in png_cases():
        write_bytes(f"png/{name}.png", data)
        case = {"file": f"png/{name}.png"}
        for channels in (0, 1, 3, 4):
            case[str(channels)] = decoded(tf.io.decode_png, data, channels)
        case["jpeg3"] = decoded(tf.io.decode_jpeg, data, 3)
        cases.append(case)
    write_json("png.json", cases)


def write_resizes():
    cases, draw = [], np.random.RandomState(11)
    shapes = [(1, 1, 1), (1, 7, 3), (2, 2, 1), (3, 5, 3), (28, 28, 1), (37, 23, 3), (20, 20, 4), (31, 64, 3), (100, 90, 3)]
    sizes = [(1, 1), (2, 3), (5, 7), (28, 28), (32, 32), (64, 31), (96, 100)]
    for shape in shapes:
        for dtype in ("uint8", "float32", "int32"):
            image = draw.randint(0, 256, shape).astype(dtype)
            if dtype == "float32":
                image = (image * 1.37 - 80).astype(dtype)
            for size in sizes:
                out = tf.image.resize(image, size).numpy()
                assert out.dtype == np.float32 or shape[:2] == size, out.dtype
                out = out.astype(np.float32)
                cases.append(
                    {
                        "dtype": dtype,
                        "shape": list(shape),
                        "input": base64.b64encode(image.tobytes()).decode() if image.size <= 600 else None,
                        "file": None,
                        "size": list(size),
                        "sha256": sha256(out.tobytes()),
                        "first": [float(value) for value in out.reshape(-1)[:4]],
                    }
                )
                if image.size > 600:
                    name = f"resize/{'x'.join(map(str, shape))}.{dtype}"
                    write_bytes(name, image.tobytes())
                    cases[-1]["file"] = name
    write_json("resize.json", cases)


def write():
    write_jpegs()
    write_pngs()
    write_resizes()
