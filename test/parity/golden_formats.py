"""Text lines and CSV rows as TensorFlow reads them; values of variable length, sequences and raw bytes as it parses them."""

import base64
import pathlib
import random
import struct
import tempfile

import numpy as np
import tensorflow as tf
import zstandard

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


def write():
    write_texts()
    write_tables()
    write_zstd()


if __name__ == "__main__":
    write()
