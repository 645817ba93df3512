"""Writes the golden batch with Python's own safetensors package. Run by hand when the test's case changes:

    python3 -m venv /tmp/golden && /tmp/golden/bin/pip install safetensors==0.6.2 numpy==2.2.6 google-crc32c==1.7.1
    /tmp/golden/bin/python libs/buffer/test/golden/make-golden.py

It also reads batch.stoker.base64 with that package; `npx vitest run -u libs/buffer/test/safetensors.test.ts` writes it.
"""

import base64
import json
import struct
import sys
from pathlib import Path
from tempfile import NamedTemporaryFile

import google_crc32c
import numpy as np
from safetensors import safe_open
from safetensors.numpy import load, save

HERE = Path(__file__).parent

TENSORS = {
    "image": (np.arange(2 * 3 * 5 * 3) % 251).astype(np.uint8).reshape(2, 3, 5, 3),
    "label": np.array([7, -3], dtype=np.int64),
    "weight": np.array([0.5, -1.25], dtype=np.float32),
    "x64": np.array([[1e300], [-2.5]], dtype=np.float64),
    "i32": np.array([2**31 - 1, -(2**31)], dtype=np.int32),
    "i16": np.array([-300, 300], dtype=np.int16),
    "u16": np.array([65535, 1], dtype=np.uint16),
    "i8": np.array([-128, 127], dtype=np.int8),
    "flag": np.array([True, False]),
    "empty": np.zeros((2, 0), dtype=np.float32),
}


def payload_of(data: bytes) -> bytes:
    (header_bytes,) = struct.unpack("<Q", data[:8])
    return data[8 + header_bytes :]


def metadata(crc32c: str) -> dict[str, str]:
    return {
        "crc32c": crc32c,
        "job": "golden",
        "epoch": "1",
        "batch": "4294967296",
        "records": "2",
        "planHash": "abc",
        "deferred": '{"image":[{"op":"cast","dtype":"float32"}]}',
    }


def main() -> None:
    # The payload does not depend on the metadata: save once to learn its CRC.
    crc = google_crc32c.value(payload_of(save(TENSORS, metadata("0" * 8))))
    (HERE / "batch.python.safetensors").write_bytes(save(TENSORS, metadata(f"{crc:08x}")))

    ours = base64.b64decode((HERE / "batch.stoker.base64").read_text())
    found = load(ours)
    assert sorted(found) == sorted(TENSORS), found.keys()
    for name, tensor in TENSORS.items():
        assert found[name].dtype == tensor.dtype and found[name].shape == tensor.shape, name
        assert found[name].tobytes() == tensor.tobytes(), name
    with NamedTemporaryFile(suffix=".safetensors") as file:
        file.write(ours)
        file.flush()
        with safe_open(file.name, framework="numpy") as batch:
            # The packages order tensors of equal width differently, so each payload has its own CRC.
            own = google_crc32c.value(payload_of(ours))
            assert batch.metadata() == metadata(f"{own:08x}"), batch.metadata()
    print("Python reads Stoker's batch:", len(found), "tensors", json.dumps({"crc32c": f"{own:08x}"}))


if __name__ == "__main__":
    sys.exit(main())
