"""TFRecord shards that TensorFlow wrote, what it reads from damaged ones, and Example parsing."""

import base64
import gzip
import pathlib
import struct
import tempfile
import zlib

import numpy as np
import tensorflow as tf

from golden_io import reason, sha256, write_bytes, write_json


def b64(data):
    return base64.b64encode(data).decode()


# --- TFRecord ---------------------------------------------------------------------------------------------------------

PAYLOADS = [b"", b"a", b"hello", bytes(range(256)), b"\x00" * 1000, b"z" * 70000, b"", b"end"]


def read_shard(data, compression):
    """Payload lengths and hash of what TensorFlow delivers, and how it ends."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "shard"
        path.write_bytes(data)
        records, end = [], "end"
        try:
            for record in tf.data.TFRecordDataset(str(path), compression).as_numpy_iterator():
                records.append(record)
        except tf.errors.OpError as error:
            end = reason(error).replace(folder, "")
        return {"lengths": [len(r) for r in records], "sha256": sha256(b"".join(records)), "end": end}


def write_shards():
    with tempfile.TemporaryDirectory() as folder:
        plain = pathlib.Path(folder) / "plain"
        with tf.io.TFRecordWriter(str(plain)) as writer:
            for payload in PAYLOADS:
                writer.write(payload)
        data = plain.read_bytes()
    packed = gzip.compress(data, mtime=0)
    files = {
        "plain": (data, ""),
        "gzip": (packed, "GZIP"),
        "zlib": (zlib.compress(data), "ZLIB"),
        "gzip-two-members": (gzip.compress(data[:900], mtime=0) + gzip.compress(data[900:], mtime=0), "GZIP"),
        "gzip-empty": (gzip.compress(b"", mtime=0), "GZIP"),
        "gzip-cut": (packed[:-60], "GZIP"),
        "empty-as-gzip": (b"", "GZIP"),
        "empty": (b"", ""),
        "cut-header": (data[: 17 + 7], ""),
        "length-2-60": (data[:17] + frame_header(1 << 60) + b"abc", ""),
        "length-crc": (data[:25] + bytes([data[25] ^ 1]) + data[26:], ""),
        "text": (b"this is no TFRecord file at all\n", ""),
    }
    cases = []
    for name, (shard, compression) in files.items():
        write_bytes(f"tfrecord/{name}.bin", gzip.compress(shard, mtime=0))
        cases.append({"name": name, "compression": compression or "NONE", "tf": read_shard(shard, compression)})
    write_json("tfrecord.json", cases)


def frame_header(length):
    head = struct.pack("<Q", length)
    return head + struct.pack("<I", masked(crc32c(head)))


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 & -(crc & 1))
    return crc ^ 0xFFFFFFFF


def masked(crc):
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


# --- Example ----------------------------------------------------------------------------------------------------------


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def part(number, body):
    return varint(number << 3 | 2) + varint(len(body)) + body


def entry(name, feature):
    return part(1, part(1, name.encode()) + part(2, feature))


def example(*entries):
    return part(1, b"".join(entries))


def ints(*values):
    return part(3, part(1, b"".join(map(varint, values))))


def unpacked_ints(*values):
    return part(3, b"".join(varint(8) + varint(value) for value in values))


def floats(*values):
    return part(2, part(1, struct.pack(f"<{len(values)}f", *values)))


def unpacked_floats(*values):
    return part(2, b"".join(varint(13) + struct.pack("<f", value) for value in values))


def strings(*values):
    return part(1, b"".join(part(1, value) for value in values))


I, F, S = "int64", "float32", "string"
NONE = object()


def spec(**features):
    """name=(dtype, shape[, default]) as Stoker spells it."""
    out = {}
    for name, (dtype, shape, *default) in features.items():
        out[name] = {"kind": "fixedLen", "dtype": dtype, "shape": shape}
        if default:
            out[name]["default"] = default[0]
    return out


A = entry("a", ints(7))
CASES = [
    ("scalars of each kind", example(A, entry("b", floats(1.5)), entry("c", strings(b"xy\xff"))),
     spec(a=(I, []), b=(F, []), c=(S, []))),
    ("features not asked for", example(entry("z", strings(b"no")), A), spec(a=(I, []))),
    ("shapes", example(entry("a", ints(1, 2, 3, 4)), entry("b", floats(1, 2, 3)), entry("c", strings(b"p", b"", b"q"))),
     spec(a=(I, [2, 2]), b=(F, [3]), c=(S, [3]))),
    ("extremes", example(entry("a", ints(-1, -(1 << 63), (1 << 63) - 1, (1 << 53) + 1, -(1 << 53) - 1, 1 << 31))),
     spec(a=(I, [6]))),
    ("unpacked", example(entry("a", unpacked_ints(1, -1, 1 << 40)), entry("b", unpacked_floats(1.5, -2))),
     spec(a=(I, [3]), b=(F, [2]))),
    ("packed in two parts", example(entry("a", part(3, part(1, varint(1)) + part(1, varint(2) + varint(3))))),
     spec(a=(I, [3]))),
    ("packed and unpacked mixed", example(entry("a", part(3, part(1, varint(1)) + varint(8) + varint(2)))),
     spec(a=(I, [2]))),
    ("floats packed and unpacked mixed",
     example(entry("b", part(2, part(1, struct.pack("<f", 1)) + varint(13) + struct.pack("<f", 2)))), spec(b=(F, [2]))),
    ("missing", example(A), spec(b=(F, []))),
    ("missing with default", example(A), spec(a=(I, []), b=(F, [2], [0.5, 1.5]), c=(S, [], "d"), d=(I, [], -1))),
    ("empty record with default", b"", spec(a=(I, [], 3))),
    ("empty record", b"", spec(a=(I, []))),
    ("kind unset", example(entry("a", b"")), spec(a=(I, []))),
    ("kind unset with default", example(entry("a", b"")), spec(a=(I, [], 5))),
    ("empty int list with default", example(entry("a", part(3, b""))), spec(a=(I, [], 5))),
    ("empty packed int list", example(entry("a", part(3, part(1, b"")))), spec(a=(I, []))),
    ("empty float list with default", example(entry("b", part(2, b""))), spec(b=(F, [], 5.0))),
    ("empty bytes list with default", example(entry("c", part(1, b""))), spec(c=(S, [], "x"))),
    ("wrong type int for float", example(A), spec(a=(F, []))),
    ("wrong type int for string", example(A), spec(a=(S, []))),
    ("wrong type float for int", example(entry("a", floats(1))), spec(a=(I, []))),
    ("wrong type string for int", example(entry("a", strings(b"1"))), spec(a=(I, []))),
    ("wrong type with default", example(A), spec(a=(F, [], 1.0))),
    ("too many ints", example(entry("a", ints(1, 2, 3))), spec(a=(I, [2]))),
    ("too few ints", example(entry("a", ints(1))), spec(a=(I, [2]))),
    ("too many floats", example(entry("b", floats(1, 2, 3))), spec(b=(F, [2]))),
    ("too few floats", example(entry("b", floats(1))), spec(b=(F, [2]))),
    ("too many strings", example(entry("c", strings(b"x", b"y"))), spec(c=(S, []))),
    ("too few strings", example(entry("c", strings(b"x"))), spec(c=(S, [2]))),
    ("key twice", example(A, entry("a", ints(8))), spec(a=(I, []))),
    ("key twice, other type last", example(A, entry("a", floats(8))), spec(a=(F, []))),
    ("features twice", example(A) + example(entry("b", floats(2))), spec(a=(I, []), b=(F, []))),
    ("features twice, same key", example(A) + example(entry("a", ints(9))), spec(a=(I, []))),
    ("unknown field in Example", varint(5 << 3) + varint(300) + example(A), spec(a=(I, []))),
    ("unknown fields after", example(A) + part(9, b"abc"), spec(a=(I, []))),
    ("unknown field in Features", part(1, part(4, b"zz") + A), spec(a=(I, []))),
    ("fixed64 unknown", varint(6 << 3 | 1) + bytes(8) + example(A), spec(a=(I, []))),
    ("nan and inf", example(entry("b", floats(float("nan"), float("inf"), -0.0, 1e-40))), spec(b=(F, [4]))),
    ("unicode names", example(entry("größe/π", ints(4))), spec(**{"größe/π": (I, [])})),
    ("empty name", example(entry("", ints(4)), A), spec(a=(I, []))),
    ("cut in a varint", example(entry("a", ints(1 << 40)))[:-2], spec(a=(I, []))),
    ("cut in a string", example(entry("c", strings(b"abcdef")))[:-3], spec(c=(S, []))),
    ("length past the end", b"\x0a\xff\xff\xff\xff\x07abc", spec(a=(I, []))),
    ("eleven byte varint", b"\x80" * 11 + b"\x01", spec(a=(I, []))),
    ("packed floats of five bytes", example(entry("b", part(2, part(1, bytes(5))))), spec(b=(F, []))),
    ("no message", b"hello, world", spec(a=(I, []))),
    ("json", b'{"a": 7}', spec(a=(I, []))),
    ("field number 0", b"\x00\x01" + example(A), spec(a=(I, []))),
]


def parse(data, features):
    kinds = {I: tf.int64, F: tf.float32, S: tf.string}
    wanted = {}
    for name, feature in features.items():
        default = feature.get("default")
        wanted[name] = tf.io.FixedLenFeature(feature["shape"], kinds[feature["dtype"]], default)
    try:
        parsed = tf.io.parse_single_example(data, wanted)
    except UnicodeDecodeError:
        # TensorFlow puts the raw record into its message, which Python then cannot decode.
        return {"error": "Could not parse example input"}
    except (tf.errors.OpError, ValueError) as error:
        return {"error": reason(error)}
    values = {}
    for name, tensor in parsed.items():
        flat = tensor.numpy().reshape(-1) if tensor.shape.rank else np.array([tensor.numpy()])
        if tensor.dtype == tf.string:
            values[name] = [b64(value) for value in flat]
        elif tensor.dtype == tf.float32:
            values[name] = ["%08x" % bits for bits in flat.astype(np.float32).view(np.uint32)]
        else:
            values[name] = [str(value) for value in flat]
    return {"values": values}


def write_examples():
    write_json(
        "example.json",
        [
            {"what": what, "record": b64(data), "features": features, "tf": parse(data, features)}
            for what, data, features in CASES
        ],
    )


def write_encoded():
    """Bytes of one Example as TensorFlow's own protobuf serializes it, to show that its reader takes ours."""
    message = tf.train.Example()
    message.features.feature["label"].int64_list.value.extend([7, -1])
    message.features.feature["x"].float_list.value.extend([1.5, -2])
    message.features.feature["image"].bytes_list.value.extend([b"abc", b""])
    features = {"label": {"int64": ["7", "-1"]}, "x": {"float32": [1.5, -2]}, "image": {"bytes": [b64(b"abc"), ""]}}
    write_json("example-encoded.json", {"features": features, "record": b64(message.SerializeToString(deterministic=True))})


def write():
    write_shards()
    write_examples()
    write_encoded()
