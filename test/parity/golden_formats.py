"""Text lines and CSV rows as TensorFlow reads them; values of variable length, sequences and raw bytes as it parses them."""

import base64
import pathlib
import random
import struct
import tempfile

import numpy as np
import tensorflow as tf
import zstandard
from tensorflow.core.framework import tensor_pb2

from golden_io import FIXTURES, reason, sha256, write_json
from golden_records import A, entry, example, floats, ints, part, strings, unpacked_ints, varint


def b64(data):
    return base64.b64encode(data).decode()


def spelled(value):
    """Elements, row-major: whole numbers as decimals, floats as their bits, bytes as base64."""
    array = np.asarray(value)
    if array.dtype == object or array.dtype.kind == "S":
        return [b64(item) for item in array.reshape(-1).tolist()]
    if array.dtype.kind == "f":
        digits = 2 * array.dtype.itemsize
        bits = array.reshape(-1).view(f"u{array.dtype.itemsize}")
        return ["nan" if np.isnan(v) else f"{int(b):0{digits}x}" for v, b in zip(array.reshape(-1), bits)]
    return [str(int(item)) for item in array.reshape(-1)]


def all_of(dataset):
    """What a data set gives until it ends: values, or the reason of a refusal after which it goes on."""
    iterator, out = iter(dataset), []
    for _ in range(100):
        try:
            out.append(next(iterator))
        except StopIteration:
            return out
        except tf.errors.OpError as error:
            out.append(reason(error))
    raise RuntimeError("it does not end")


def stored(folder, data):
    path = pathlib.Path(folder) / "file"
    path.write_bytes(data)
    return str(path)


# --- text lines -------------------------------------------------------------------------------------------------------

TEXTS = {
    "empty file": b"",
    "one LF": b"\n",
    "no final LF": b"a\nb",
    "final LF": b"a\nb\n",
    "empty lines": b"\n\na\n\n",
    "CRLF": b"a\r\n\r\nb\r\n",
    "lone CRs": b"a\rb\r\rc\n\rd",
    "only CRs": b"\r\r\r",
    "CRs after the last LF": b"a\n\r\r",
    "CR line before the last LF": b"a\n\r\r\n",
    "BOM": b"\xef\xbb\xbfa\nb",
    "BOM alone": b"\xef\xbb\xbf",
    "invalid UTF-8": b"\xff\xfe\n\xc3\n\x80ok",
    "NUL": b"a\x00b\n\x00\n",
    "line separators": "a\u2028b\u2029c\u0085d\x0be\x0cf\n".encode(),
    "long line": b"x" * 300000 + b"\ny",
}


def write_texts():
    cases = []
    for what, data in TEXTS.items():
        with tempfile.TemporaryDirectory() as folder:
            lines = all_of(tf.data.TextLineDataset(stored(folder, data)))
        spelt = [b64(line.numpy()) for line in lines] if len(data) < 1000 else [len(line.numpy()) for line in lines]
        cases.append({"what": what, "data": b64(data) if len(data) < 1000 else None, "tf": spelt})
    write_json("text-lines.json", cases)


# --- CSV --------------------------------------------------------------------------------------------------------------

I32, I64, F32, F64, S = "int32", "int64", "float32", "float64", "string"
NUMBERS = {
    I64: ["1", " 1", "1 ", "\t1\v", "+1", "-0", "1.0", "1e3", "0x10", "-9223372036854775808", "9223372036854775807",
          "9223372036854775808", "007", "- 1", "1_000", "--1", "1 2", "", " ", "00000000000000000000000000005", "x"],
    I32: ["2147483647", "2147483648", "-2147483648", "-2147483649", "12345678901234567890123"],
    F32: ["1", " 1.5 ", "+1", ".5", "5.", "1e5", "1E-5", "nan", "NaN", "-nan", "inf", "-Inf", "+infinity", "0x10",
          "-0x1.8p3", "1e400", "1e39", "1e-400", "-0", "1d5", "1f", "1e", "e5", ".", "-", "-.5", "--1", "1 2", "1e+5", "?",
          "3.4028235677973366e38", "3.4028235677973365e38", "1.000000059604644775390625",
          "1.00000005960464477539062500000000001", "1.00000017881393432617187499999999999", "1e-45", "7e-46", "true",
          "-1.00000005960464477539062500000000001", "16777217", "0.1", "123456789.123456789"],
    F64: ["0.1", "1e309", "4.9e-324", "1.7976931348623157e308", "0x1p-3", "nan", "123456789.123456789", " 2 "],
}
TABLES = {
    "plain": (b"1,a\n2,b\n", [I64, S], {}),
    "no final LF": (b"1,a\n2,b", [I64, S], {}),
    "CRLF": (b"1,a\r\n2,b\r\n", [I64, S], {}),
    "CR alone": (b"1,a\r2,b\r", [I64, S], {}),
    "mixed line ends": (b"1,a\r2,b\n3,c\r\n4,d", [I64, S], {}),
    "header": (b"id,text\n1,a\n", [I64, S], {"header": True}),
    "header alone": (b"id,text", [I64, S], {"header": True}),
    "header with a line end in quotes": (b'id,"te\nxt"\n1,a\n', [I64, S], {"header": True}),
    "quotes": (b'1,"a,b"\n2,"c\r\nd"\n3,"e""f"""\n4,""\n5,""""\n', [I64, (S, "none")], {}),
    "quoted numbers": (b'"1","2.5"\n', [I64, F32], {}),
    "quoted last cell, no final LF": (b'1,"a"', [I64, S], {}),
    "empty cells": (b"1,\n,b\n,\n", [(I64, 7), (S, "none")], {}),
    "empty cell at the end": (b"1,", [I64, (S, "none")], {}),
    "empty cells without default": (b"1,\n2,b\n", [I64, S], {}),
    "empty lines": (b"1\n\n2\n\n", [(I64, 7)], {}),
    "empty lines of two columns": (b"1,a\n\n2,b\n", [I64, S], {}),
    "na value": (b"NA,NA\n1,b\n,\n", [(I64, 7), (S, "none")], {"na_value": "NA"}),
    "na value in quotes": (b'"NA",x\n', [(I64, 7), S], {"na_value": "NA"}),
    "tab": (b"1\ta,b\n2\tc\n", [I64, S], {"field_delim": "\t"}),
    "semicolon": (b'1;"a;b"\n', [I64, S], {"field_delim": ";"}),
    "space": (b"1 a\n", [I64, S], {"field_delim": " "}),
    "no quotes": (b'1,"a\n2,b"c\n', [I64, S], {"use_quote_delim": False}),
    "too many": (b"1,a,x\n2,b\n", [I64, S], {}),
    "too few": (b"1\n2,b\n", [I64, S], {}),
    "open quote": (b'1,a\n2,"b\n3,c\n', [I64, S], {}),
    "quote in quotes": (b'1,"a"b"\n2,c\n', [I64, S], {}),
    "quote in quotes, then a line end": (b'1,"a" \n2,c"\n3,d\n', [I64, S], {}),
    "quote in a plain cell": (b'1,a"b"\n2,c\n', [I64, S], {}),
    "blank before a quote": (b'1, "a"\n2,c\n', [I64, S], {}),
    "no value": (b"1,a\nx,b\n3,c\n", [I64, S], {}),
    "blanks are kept in text": (b"1, a \n", [I64, S], {}),
    "NUL and invalid UTF-8": (b"1,a\x00\xff\n", [I64, S], {}),
    "unicode": ("1,größe 😀 \u2028\n".encode(), [I64, S], {}),
    "one empty quoted cell": (b'""\n"x"\n', [(S, "none")], {}),
    "quotes doubled across": (b'"""",""""""\n', [S, S], {}),
    "selected": (b"1,a,2.5\n2,b,3.5\n", [I64, F32], {"select_cols": [0, 2]}),
}


def column(one):
    if isinstance(one, str):
        return tf.as_dtype(one)
    return tf.constant([one[1]], tf.as_dtype(one[0]))


def read_table(data, columns, options):
    with tempfile.TemporaryDirectory() as folder:
        dataset = tf.data.experimental.CsvDataset(stored(folder, data), [column(one) for one in columns], **options)
        rows = all_of(dataset)
    return [row if isinstance(row, str) else [spelled(cell.numpy())[0] for cell in row] for row in rows]


def write_tables():
    cases = []
    for what, (data, columns, options) in TABLES.items():
        spelt = [{"dtype": c} if isinstance(c, str) else {"dtype": c[0], "default": c[1]} for c in columns]
        cases.append({"what": what, "data": b64(data), "columns": spelt, "options": options,
                      "tf": read_table(data, columns, options)})
    numbers = []
    for dtype, texts in NUMBERS.items():
        for text in texts:
            [row] = read_table(text.encode() + b",x\n", [dtype, S], {})
            numbers.append({"dtype": dtype, "text": text, "tf": None if isinstance(row, str) else row[0]})
    write_json("csv.json", cases)
    write_json("numbers.json", numbers)


# --- zstd, by the reference library ---------------------------------------------------------------------------------------


def write_zstd():
    text = "".join(f"line {i}: größe {i * i}\n" for i in range(250)).encode()
    noise = random.Random(7).randbytes(2000)

    def packed(data, level=3, **options):
        return zstandard.ZstdCompressor(level=level, **options).compress(data)

    def streamed(data, **options):
        engine = zstandard.ZstdCompressor(**options).compressobj()
        return engine.compress(data) + engine.flush()

    skippable = struct.pack("<II", 0x184D2A53, 9) + b"some note"
    window = zstandard.ZstdCompressionParameters.from_level(3, window_log=28)
    sums = {"write_checksum": True}
    files = {
        "one frame": (packed(text), text),
        "with checksum": (packed(text, **sums), text),
        "size not in the header": (streamed(text), text),
        "size not in the header, with checksum": (streamed(text, **sums), text),
        "fast": (packed(text, level=-5, **sums), text),
        "small": (packed(text, level=22, **sums), text),
        "two frames": (packed(text[:999], **sums) + streamed(text[999:]), text),
        "many small frames": (b"".join(packed(text[i : i + 10], **sums) for i in range(0, 500, 10)), text[:500]),
        "skippable frames": (skippable + packed(text[:99]) + skippable + packed(text[99:]) + skippable, text),
        "zeros at the end": (packed(text, **sums) + bytes(64), text),
        "raw blocks": (packed(noise, **sums), noise),
        "repeated byte": (packed(bytes(700000), **sums), bytes(700000)),
        "empty frame": (packed(b"", **sums), b""),
        "empty frame between": (packed(text[:10]) + packed(b"") + packed(text[10:]), text),
        "large window": (streamed(text, compression_params=window), None),
        "reserved block": (streamed(text)[:6] + b"\x06" + streamed(text)[7:], None),
    }
    shard = (FIXTURES / "cases/files/gz/plain_under_gz_name.tfrecord.gz").read_bytes()
    files["TFRecord shard of two frames"] = (packed(shard[:150], **sums) + streamed(shard[150:]), shard)
    dictionary = zstandard.train_dictionary(1024, [text[i : i + 60] for i in range(0, len(text) - 60, 30)])
    files["dictionary"] = (packed(text, dict_data=dictionary), None)
    damaged = bytearray(packed(noise, **sums))
    damaged[1500] ^= 1
    files["content that does not match its checksum"] = (bytes(damaged), None)
    write_json("zstd.json", [
        {"what": what, "packed": b64(data), "bytes": None if inner is None else len(inner),
         "sha256": None if inner is None else sha256(inner)}
        for what, (data, inner) in files.items()
    ])


# --- features of variable length --------------------------------------------------------------------------------------

TYPES = {"int64": tf.int64, "float32": tf.float32, "string": tf.string}


def var(dtype, **options):
    return {"kind": "varLen", "dtype": dtype, **options}


def seq(dtype, shape=(), **options):
    return {"kind": "fixedLenSequence", "dtype": dtype, "shape": list(shape), **options}


def fixed(dtype, shape=()):
    return {"kind": "fixedLen", "dtype": dtype, "shape": list(shape)}


def as_feature(one):
    dtype = TYPES[one["dtype"]]
    if one["kind"] == "varLen":
        return tf.io.VarLenFeature(dtype)
    if one["kind"] == "fixedLen":
        return tf.io.FixedLenFeature(one["shape"], dtype)
    return tf.io.FixedLenSequenceFeature(one["shape"], dtype, allow_missing=one.get("allowMissing", True))


def dense(value, one):
    """A sparse value as Stoker gives it: tf.sparse.to_dense, and with a length a slice of it, padded."""
    if isinstance(value, tf.SparseTensor):
        pad = one.get("pad", "" if one["dtype"] == "string" else 0)
        value = tf.sparse.to_dense(value, default_value=tf.cast(int(pad), tf.int64) if one["dtype"] == "int64" else pad)
        if "length" in one:
            rank, length = len(value.shape), one["length"]
            value = value[..., :length]
            short = length - int(value.shape[-1])
            value = tf.pad(value, [[0, 0]] * (rank - 1) + [[0, short]],
                           constant_values=tf.cast(int(pad), tf.int64) if one["dtype"] == "int64" else pad)
    return value


def outcome(work, specs):
    try:
        parsed = work()
    except (tf.errors.OpError, ValueError) as error:
        return {"error": reason(error)}
    out = {}
    for name, one in specs.items():
        value = dense(parsed[name], one)
        out[name] = {"shape": [int(d) for d in value.shape], "values": spelled(value.numpy())}
    return {"values": out}


FEW = example(entry("a", ints(5, -6, 1 << 60)), entry("b", floats(1.5, float("nan"))), entry("c", strings(b"x", b"", b"\xff")))
VARIABLE = [
    ("each kind", FEW, {"a": var("int64"), "b": var("float32"), "c": var("string")}),
    ("missing", example(A), {"a": var("int64"), "b": var("float32"), "c": var("string")}),
    ("empty record", b"", {"a": var("int64")}),
    ("empty lists", example(entry("a", part(3, b"")), entry("b", part(2, part(1, b""))), entry("c", part(1, b""))),
     {"a": var("int64"), "b": var("float32"), "c": var("string")}),
    ("kind unset", example(entry("a", b"")), {"a": var("int64")}),
    ("wrong type", example(A), {"a": var("float32")}),
    ("unpacked", example(entry("a", unpacked_ints(1, -1, 1 << 40))), {"a": var("int64")}),
    ("packed in two parts", example(entry("a", part(3, part(1, varint(1)) + part(1, varint(2) + varint(3))))), {"a": var("int64")}),
    ("packed and unpacked mixed", example(entry("a", part(3, part(1, varint(1)) + varint(8) + varint(2)))), {"a": var("int64")}),
    ("floats packed and unpacked mixed",
     example(entry("b", part(2, part(1, struct.pack("<f", 1)) + varint(13) + struct.pack("<f", 2)))), {"b": var("float32")}),
    ("cut to a length", FEW, {"a": var("int64", length=2), "b": var("float32", length=1), "c": var("string", length=2)}),
    ("padded to a length", FEW, {"a": var("int64", length=5), "b": var("float32", length=4), "c": var("string", length=4)}),
    ("padded with values", FEW, {"a": var("int64", length=5, pad=-1), "b": var("float32", length=4, pad=0.5),
                                 "c": var("string", length=4, pad="<pad>")}),
    ("padded with a large value", FEW, {"a": var("int64", length=4, pad="9007199254740993")}),
    ("missing, padded", example(A), {"b": var("float32", length=2, pad=2.5)}),
    ("sequence", FEW, {"a": seq("int64"), "b": seq("float32"), "c": seq("string")}),
    ("sequence of pairs", example(entry("a", ints(1, 2, 3, 4)), entry("c", strings(b"p", b"q"))),
     {"a": seq("int64", [2]), "c": seq("string", [2])}),
    ("sequence of matrices", example(entry("a", ints(*range(12)))), {"a": seq("int64", [2, 3])}),
    ("sequence that is missing", example(A), {"b": seq("float32", [2]), "c": seq("string")}),
    ("sequence of no whole items", example(entry("a", ints(1, 2, 3))), {"a": seq("int64", [2])}),
    ("floats of no whole items", example(entry("b", floats(1, 2, 3))), {"b": seq("float32", [2])}),
    ("strings of no whole items", example(entry("c", strings(b"p", b"q", b"r"))), {"c": seq("string", [2])}),
    ("sequence of the wrong type", example(A), {"a": seq("string")}),
]


def feature_list(*steps):
    return b"".join(part(1, step) for step in steps)


def sequence_example(context=(), lists=()):
    return part(1, b"".join(context)) + part(2, b"".join(part(1, part(1, n.encode()) + part(2, v)) for n, v in lists))


STEPS = sequence_example(
    [A, entry("name", strings(b"n"))],
    [("ids", feature_list(ints(1), ints(2), ints(3))), ("box", feature_list(floats(1, 2), floats(3, 4))),
     ("words", feature_list(strings(b"a", b"b"), strings(), strings(b"c")))])
SEQUENCES = [
    ("each kind", STEPS, {"a": fixed("int64"), "name": fixed("string")},
     {"ids": seq("int64", allowMissing=False), "box": seq("float32", [2], allowMissing=False), "words": var("string")}),
    ("context of variable length", STEPS, {"a": var("int64"), "z": var("float32")}, {"ids": var("int64")}),
    ("words cut and padded", STEPS, {}, {"words": var("string", length=1), "ids": var("int64", length=3, pad=-1)}),
    ("missing, allowed", STEPS, {}, {"z": seq("int64", allowMissing=True), "y": var("float32"), "x": seq("string", [2], allowMissing=True)}),
    ("missing, not allowed", STEPS, {}, {"z": seq("int64", allowMissing=False)}),
    ("context missing", STEPS, {"z": fixed("int64")}, {"ids": var("int64")}),
    ("step of the wrong count", sequence_example([], [("ids", feature_list(ints(1), ints(2, 3)))]), {},
     {"ids": seq("int64", allowMissing=False)}),
    ("step of the wrong type", sequence_example([], [("ids", feature_list(ints(1), floats(2)))]), {},
     {"ids": seq("int64", allowMissing=False)}),
    ("step of the wrong type, variable", sequence_example([], [("ids", feature_list(ints(1), floats(2)))]), {}, {"ids": var("int64")}),
    ("step without a kind", sequence_example([], [("ids", feature_list(ints(1), b""))]), {}, {"ids": seq("int64", allowMissing=False)}),
    ("step without a kind, variable", sequence_example([], [("ids", feature_list(ints(1), b"", ints(4, 5)))]), {}, {"ids": var("int64")}),
    ("empty list", sequence_example([], [("ids", b"")]), {}, {"ids": seq("int64", allowMissing=False)}),
    ("no list at all", sequence_example([A], []), {"a": fixed("int64")}, {"ids": seq("int64", allowMissing=True)}),
    ("empty record", b"", {}, {"ids": seq("int64", allowMissing=True), "w": var("string")}),
    ("no message", b"hello, world", {}, {"ids": var("int64")}),
]


def write_features():
    cases = []
    for what, record, specs in VARIABLE:
        work = lambda: tf.io.parse_single_example(record, {n: as_feature(one) for n, one in specs.items()})
        cases.append({"what": what, "record": b64(record), "features": specs, "tf": outcome(work, specs)})
    write_json("example-variable.json", cases)
    cases = []
    for what, record, context, lists in SEQUENCES:
        def work():
            first, second = tf.io.parse_single_sequence_example(
                record, {n: as_feature(one) for n, one in context.items()}, {n: as_feature(one) for n, one in lists.items()})
            return {**first, **second}
        cases.append({"what": what, "record": b64(record), "context": context, "sequence": lists,
                      "tf": outcome(work, {**context, **lists})})
    write_json("sequence-example.json", cases)


# --- bytes as numbers ---------------------------------------------------------------------------------------------------

RAW = bytes(range(1, 25))
RAWS = [
    *((dtype, RAW, {}) for dtype in ["uint8", "int8", "uint16", "int16", "int32", "int64", "float32", "float64", "bool"]),
    *((dtype, RAW, {"littleEndian": False}) for dtype in ["uint8", "uint16", "int32", "int64", "float32", "float64"]),
    ("int32", RAW[:7], {}), ("int32", b"", {}), ("uint8", b"", {}),
    ("int16", RAW[:3], {"fixedLength": 8}), ("int32", RAW, {"fixedLength": 8}), ("uint8", RAW, {"fixedLength": 3}),
    ("float32", RAW[:5], {"fixedLength": 12, "littleEndian": False}),
]
BASE64 = ["", "YQ", "YQ==", "YWI", "YWI=", "YWJj", "-_-_", "+/+/", "YQ=", "Y", "YQ===", "Y Q", "YWJjZA", "YR", "=", "====", "YQ==YQ==", "YWJj===="]


def attempt(work):
    try:
        return spelled(work().numpy())
    except (tf.errors.OpError, ValueError, TypeError):
        return None


def raw(dtype, data, options):
    little, length = options.get("littleEndian", True), options.get("fixedLength")
    return attempt(lambda: tf.io.decode_raw(tf.constant(data), tf.as_dtype(dtype), little_endian=little, fixed_length=length))


def tensor_protos():
    yield from ((f"{dtype} content", tf.io.serialize_tensor(tf.cast(tf.reshape(tf.range(6), [2, 3]), dtype)).numpy(), dtype)
                for dtype in ["uint8", "int8", "uint16", "int16", "int32", "int64", "float32", "float64", "bool"])
    yield "strings", tf.io.serialize_tensor(tf.constant([[b"a", b""], [b"\xff", b"long text"]])).numpy(), "string"
    yield "one string", tf.io.serialize_tensor(tf.constant(b"text")).numpy(), "string"
    yield "scalar", tf.io.serialize_tensor(tf.constant(-(1 << 53) - 1, tf.int64)).numpy(), "int64"
    yield "no element", tf.io.serialize_tensor(tf.zeros([0, 3])).numpy(), "float32"
    lists = {"float32": "float_val", "float64": "double_val", "int64": "int64_val", "bool": "bool_val"}
    for dtype in ["uint8", "int8", "uint16", "int16", "int32", "int64", "float32", "float64", "bool"]:
        proto = tensor_pb2.TensorProto(dtype=tf.as_dtype(dtype).as_datatype_enum)
        proto.tensor_shape.dim.add().size = 3
        getattr(proto, lists.get(dtype, "int_val")).extend([0 if dtype.startswith("u") else -1, 1, 0] if dtype != "bool" else [True, False, True])
        yield f"{dtype} list", proto.SerializeToString(), dtype
        yield f"{dtype} filled", tf.make_tensor_proto(True if dtype == "bool" else 1, dtype, shape=[2, 2]).SerializeToString(), dtype
    shape = part(2, part(2, varint(8) + varint(3)))
    yield "no values", varint(8) + varint(3) + shape, "int32"
    yield "last value goes on", varint(8) + varint(3) + shape + part(7, varint(4) + varint(5)), "int32"
    yield "unpacked values", varint(8) + varint(9) + shape + varint(10 << 3) + varint(-1) + varint(10 << 3) + varint(7), "int64"
    yield "too many values", varint(8) + varint(3) + shape + part(7, bytes([1, 2, 3, 4])), "int32"
    yield "content cut", varint(8) + varint(3) + shape + part(4, bytes(11)), "int32"
    yield "negative size", varint(8) + varint(3) + part(2, part(2, varint(8) + varint(-1))), "int32"
    yield "unknown rank", varint(8) + varint(3) + part(2, varint(3 << 3) + varint(1)), "int32"
    yield "other type", varint(8) + varint(3) + shape, "int64"
    yield "no message", b"hello, world", "int32"
    yield "no bytes", b"", "int32"


def write_bytes_as_numbers():
    write_json("decode-raw.json", [{"dtype": dtype, "bytes": b64(data), "options": options, "tf": raw(dtype, data, options)}
                                   for dtype, data, options in RAWS])
    write_json("base64.json", [{"text": text, "tf": attempt(lambda: tf.io.decode_base64(tf.constant(text)))} for text in BASE64])
    write_json("to-number.json", [
        {"dtype": dtype, "text": text, "tf": (attempt(lambda: tf.strings.to_number(tf.constant(text), tf.as_dtype(dtype))) or [None])[0]}
        for dtype, texts in NUMBERS.items() for text in texts])
    cases = []
    for what, data, dtype in tensor_protos():
        try:
            value = tf.io.parse_tensor(tf.constant(data), tf.as_dtype(dtype))
            result = {"shape": [int(d) for d in value.shape], "values": spelled(value.numpy())}
        except (tf.errors.OpError, ValueError):
            result = None
        cases.append({"what": what, "proto": b64(data), "dtype": dtype, "tf": result})
    write_json("tensor-proto.json", cases)


def write():
    write_texts()
    write_tables()
    write_zstd()
    write_features()
    write_bytes_as_numbers()


if __name__ == "__main__":
    write()
