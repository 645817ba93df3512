"""Tar shards as webdataset reads them, folders of images as Keras lists them, tables as pyarrow writes them."""

import base64
import gzip
import io
import pathlib
import tarfile
import tempfile

import keras
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import tensorflow as tf
import webdataset as wds
import zstandard

from golden_formats import spelled
from golden_io import FIXTURES, sha256, write_bytes, write_json

# --- webdataset -------------------------------------------------------------------------------------------------------


def member(tar, name, data=b"", kind=None, link="", **pax):
    info = tarfile.TarInfo(name)
    info.mtime = 1700000000
    info.size = len(data)
    if kind is not None:
        info.type, info.size, info.linkname = kind, 0, link
    info.pax_headers = {key.replace("_", "."): value for key, value in pax.items()}
    tar.addfile(info, io.BytesIO(data))


def tar_of(members, form=tarfile.PAX_FORMAT, **options):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form, **options) as tar:
        for name, data, *rest in members:
            member(tar, name, data, **(rest[0] if rest else {}))
    return out.getvalue()


LONG = "a folder of a long name/" * 8
FILES = [("0001.jpg", b"one"), ("0001.cls", b"1"), ("0002.JPG", b"two" * 300), ("0002.cls", b"2")]
TARS = {
    "ustar": tar_of(FILES, tarfile.USTAR_FORMAT),
    "gnu": tar_of(FILES, tarfile.GNU_FORMAT),
    "pax": tar_of(FILES),
    "ustar names in two parts": tar_of(
        [("p" * 90 + "/" + "n" * 90 + ext, ext.encode()) for ext in (".a", ".b")], tarfile.USTAR_FORMAT
    ),
    "gnu long names": tar_of([(LONG + "x.jpg", b"1"), (LONG + "x.cls", b"2"), (LONG + "y.jpg", b"3")], tarfile.GNU_FORMAT),
    "pax long names": tar_of([(LONG + "x.jpg", b"1"), (LONG + "x.cls", b"2"), (LONG + "y.jpg", b"3")]),
    "letters": tar_of([("größe/部分.txt", b"1"), ("größe/部分.ÄÖ", b"2"), ("größe/b.txt", b"3")]),
    "letters in gnu": tar_of([("größe/部分.txt", b"1"), ("größe/部分.json", b"2")], tarfile.GNU_FORMAT),
    "pax records": tar_of([("a.txt", b"1", {"SCHILY_xattr": "x=y\n", "comment": "= 12 "}), ("a.cls", b"2")]),
    "folders and links": tar_of(
        [
            ("d", b"", {"kind": tarfile.DIRTYPE}),
            ("d/a.jpg", b"1"),
            ("d/b.lnk", b"", {"kind": tarfile.SYMTYPE, "link": "a.jpg"}),
            ("d/a.hard", b"", {"kind": tarfile.LNKTYPE, "link": "d/a.jpg"}),
            ("d/a.cls", b"2"),
            ("d/fifo.x", b"", {"kind": tarfile.FIFOTYPE}),
        ]
    ),
    "names": tar_of(
        [
            (name, name.encode())
            for name in [
                "__meta__.json",
                "__meta__/x.jpg",
                "__index__",
                "__half.jpg",
                "noext",
                ".hidden",
                ".hidden.jpg",
                "d.v1/noext",
                "d.v1/.hidden.jpg",
                "./a.jpg",
                "./a.cls",
                "a.jpg",
                "b.",
                "b.tar.gz",
                "c/__d__/e.jpg",
                "c.d/e.f/g.h.i",
                "c.d/e.f/g.j",
            ]
        ]
    ),
    "empty files": tar_of([("a.txt", b""), ("a.cls", b""), ("b.txt", b"")]),
    "whole blocks": tar_of([("a.bin", b"x" * 512), ("b.bin", b"y" * 1024), ("b.cls", b"")]),
    "no samples": tar_of([("readme", b"x")]),
    "nothing": tar_of([]),
    "no end mark": tar_of(FILES, tarfile.USTAR_FORMAT)[: 512 * 9],
    "one zero block and more": tar_of(FILES, tarfile.USTAR_FORMAT)[: 512 * 4] + bytes(512) + tar_of(FILES),
    "old tar": tar_of([("a.txt", b"1"), ("a.cls", b"2")], tarfile.USTAR_FORMAT),
}


def without_magic(tar):
    """As tars were before ustar: no magic, and the checksum counted anew."""
    blocks = bytearray(tar)
    for at in (0, 1024):
        blocks[at + 257 : at + 512] = bytes(255)
        blocks[at + 156] = 0
        blocks[at + 148 : at + 156] = b" " * 8
        blocks[at + 148 : at + 156] = b"%06o\0 " % sum(blocks[at : at + 512])
    return bytes(blocks)


TARS["old tar"] = without_magic(TARS["old tar"])


def base256(tar):
    """The size of the first file as GNU tar writes large ones."""
    blocks = bytearray(tar)
    blocks[124:136] = b"\x80" + (3).to_bytes(11, "big")
    blocks[148:156] = b" " * 8
    blocks[148:156] = b"%06o\0 " % sum(blocks[:512])
    return bytes(blocks)


TARS["size in base 256"] = base256(TARS["gnu"])


def samples_of(data):
    with tempfile.NamedTemporaryFile(suffix=".tar") as file:
        file.write(data)
        file.flush()
        out = []
        for sample in wds.WebDataset(file.name, shardshuffle=False, empty_check=False):
            fields = {k: [len(v), sha256(v)] for k, v in sample.items() if k not in ("__key__", "__url__", "__local_path__")}
            out.append({"key": sample["__key__"], "fields": fields})
        return out


def write_webdataset():
    cases = [
        {"name": name, "tar": base64.b64encode(gzip.compress(data, mtime=0)).decode(), "samples": samples_of(data)}
        for name, data in TARS.items()
    ]
    packed = zstandard.ZstdCompressor().compress(TARS["pax long names"])
    next(case for case in cases if case["name"] == "pax long names")["zstd"] = base64.b64encode(packed).decode()
    write_json("webdataset.json", cases)


# --- folders of images ------------------------------------------------------------------------------------------------

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
TREES = {
    "order": ["b/10.png", "b/2.png", "b/B.png", "b/a.png", "a/x.png", "Z/1.png", "ä/1.png", "～/1.png", "😀/1.png"],
    "prefixes": ["cat/1.png", "cat-2/1.png", "cat 3/1.png", "cat.d/1.png", "cat0/1.png"],
    "nested": ["a/b/1.png", "a/b.png", "a/b0.png", "a/a/z.png", "a/1.png", "b/c/d/1.png"],
    "other files": ["a/1.png", "a/notes.txt", "a/png", "a/2.PNG", "root.png", "b/1.Jpg", "b/x.jpg.txt", ".git/1.png"],
    "names": ["a b/1+1.png", "a%20b/2&3.png", "[c]/*.png", "d/100%.png"],
}


def listed(files, **options):
    with tempfile.TemporaryDirectory() as folder:
        for name in files:
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(PIXEL)
        data = keras.utils.image_dataset_from_directory(
            folder, shuffle=False, image_size=(1, 1), batch_size=1, verbose=False, **options
        )
        names = [str(pathlib.PurePath(path).relative_to(folder)) for path in data.file_paths]
        if options.get("labels", "inferred") is None:
            return {"files": names}
        return {
            "classNames": data.class_names,
            "files": names,
            "labels": [int(label) for _, label in data.unbatch()],
        }


def write_folders():
    cases = []
    for name, files in TREES.items():
        cases.append({"name": name, "tree": files, **listed(files)})
        cases.append({"name": f"{name}, no labels", "tree": files, "unlabelled": True, **listed(files, labels=None)})
    given = ["b", "a"]
    cases.append({"name": "given classes", "tree": TREES["order"], "given": given, **listed(TREES["order"], class_names=given)})
    write_json("image-folders.json", cases)


# --- parquet ----------------------------------------------------------------------------------------------------------

ROWS = 30
rng = np.random.default_rng(5)


def integers(dtype):
    info = np.iinfo(dtype)
    values = rng.integers(info.min, info.max, ROWS, dtype=dtype, endpoint=True)
    values[:2] = info.min, info.max
    return values


def floating(dtype):
    values = rng.standard_normal(ROWS).astype(dtype)
    values[:4] = np.nan, np.inf, -np.inf, -0.0
    return values


def table():
    lengths = rng.integers(0, 5, ROWS)
    words = ["", "größe", "部分", "a" * 40, "b"]
    columns = {f"i{bits}": integers(f"int{bits}") for bits in (8, 16, 32, 64)}
    columns |= {f"u{bits}": integers(f"uint{bits}") for bits in (8, 16, 32)}
    columns |= {"f32": floating("float32"), "f64": floating("float64"), "flag": rng.integers(0, 2, ROWS).astype(bool)}
    columns["text"] = pa.array([words[i % 5] for i in range(ROWS)])
    columns["raw"] = pa.array([rng.bytes(i % 7) for i in range(ROWS)], pa.binary())
    columns["code"] = pa.array([rng.bytes(4) for _ in range(ROWS)], pa.binary(4))
    columns["day"] = pa.array(range(-5, ROWS - 5), pa.date32())
    columns["at"] = pa.array([2**53 + i for i in range(ROWS)], pa.timestamp("us"))
    columns["ids"] = pa.array([[2**60 + i] * n for i, n in enumerate(lengths)], pa.list_(pa.int64()))
    columns["box"] = pa.array([[i, i + 0.5] for i in range(ROWS)], pa.list_(pa.float32(), 2))
    columns["tags"] = pa.array([[words[(i + k) % 5] for k in range(n)] for i, n in enumerate(lengths)], pa.list_(pa.string()))
    columns["maybe"] = pa.array([None if i % 3 == 0 else i for i in range(ROWS)], pa.int32())
    columns["maybes"] = pa.array([None if i % 4 == 0 else [i] * (i % 3) for i in range(ROWS)], pa.list_(pa.int32()))
    columns["holes"] = pa.array([[i, None] if i % 5 == 0 else [i] for i in range(ROWS)], pa.list_(pa.int32()))
    columns["price"] = pa.array([None if i == 1 else i for i in range(ROWS)]).cast(pa.decimal128(30, 2))
    columns["u64"] = np.arange(ROWS, dtype="uint64") + np.uint64(2**63 - 3)
    columns["pair"] = pa.array([{"x": i, "y": str(i)} for i in range(ROWS)])
    return pa.table(columns)


WRITERS = {
    "plain": {"compression": "none", "use_dictionary": False},
    "snappy": {"compression": "snappy"},
    "gzip": {"compression": "gzip", "data_page_version": "2.0"},
    "brotli": {"compression": "brotli"},
    "zstd": {"compression": "zstd", "data_page_version": "2.0"},
    "lz4": {"compression": "lz4"},
    "encodings": {
        "compression": "none",
        "use_dictionary": False,
        "column_encoding": {
            **{f"i{bits}": "DELTA_BINARY_PACKED" for bits in (32, 64)},
            **{name: "BYTE_STREAM_SPLIT" for name in ("f32", "f64", "code")},
            "text": "DELTA_BYTE_ARRAY",
            "raw": "DELTA_LENGTH_BYTE_ARRAY",
            "flag": "RLE",
        },
    },
    "pages": {"compression": "snappy", "data_page_size": 64, "write_batch_size": 4, "write_page_index": True},
}


def cells(column):
    """Values of a column, row by row: elements as golden files spell them, null where there is no value."""
    out = []
    for value in column.to_pylist() if not pa.types.is_temporal(column.type) else column.cast(
        pa.int32() if pa.types.is_date(column.type) else pa.int64()
    ).to_pylist():
        if value is None or (isinstance(value, list) and None in value):
            out.append(None)
            continue
        kind = column.type.value_type if isinstance(value, list) else column.type
        items = value if isinstance(value, list) else [value]
        if pa.types.is_string(kind):
            items = np.array([item.encode() for item in items] + [b""], dtype=object)[:-1]
        elif pa.types.is_binary(kind) or pa.types.is_fixed_size_binary(kind):
            items = np.array(items + [b""], dtype=object)[:-1]
        else:
            items = np.array(items, dtype="int64" if pa.types.is_temporal(kind) else kind.to_pandas_dtype())
        out.append(spelled(items))
    return out


def write_parquet():
    data = table()
    for name, options in WRITERS.items():
        out = io.BytesIO()
        pq.write_table(data, out, row_group_size=13, **options)
        write_bytes(f"parquet/{name}.parquet", out.getvalue())
    readable = [name for name in data.column_names if name not in ("price", "pair", "u64")]
    write_json("parquet.json", [{"column": name, "rows": cells(data.column(name))} for name in readable])
    out = io.BytesIO()
    pq.write_table(data.slice(0, 0).select(["i64"]), out)
    write_bytes("parquet/empty.parquet", out.getvalue())


def write():
    write_webdataset()
    write_folders()
    write_parquet()
