"""tf.cast between all element types, special values included."""

import numpy as np
import tensorflow as tf

from golden_io import write_json

DTYPES = ["uint8", "int8", "uint16", "int16", "int32", "int64", "float32", "float64", "bool"]
FLOATS = [
    "0", "-0.0", "0.1", "0.5", "-0.5", "0.999999", "1.5", "2.5", "-1.5", "126.9", "127.5", "128", "-128.9", "-129",
    "254.5", "255", "255.9", "256", "300.7", "-1", "-300.7", "32767.5", "32768", "-32769", "65535.9", "65536", "100000.5",
    "2147483520", "2147483648", "-2147483648", "-2147483904", "3000000000", "4294967296", "1e10", "-1e10", "9.2e18",
    "9223372036854775808", "-9223372036854775808", "1e20", "-1e20", "inf", "-inf", "nan", "16777217", "3.4e38", "1e-40",
]
INTS = {
    "uint8": [0, 1, 2, 127, 128, 255],
    "int8": [0, 1, -1, 127, -128],
    "uint16": [0, 1, 255, 256, 32767, 32768, 65535],
    "int16": [0, 1, -1, 255, 256, 32767, -32768, -129],
    "int32": [0, 1, -1, 255, 256, 65535, 65536, -32769, 16777217, 2147483647, -2147483648],
    "int64": [0, 1, -1, 255, 256, 65536, 2147483647, 2147483648, -2147483649, 4294967296, 16777217,
              9007199254740993, -9007199254740993, 9223372036854775807, -9223372036854775808],
    "bool": [0, 1],
}


def spell(array):
    """Floats by their bits, so that -0, NaN and rounding are seen; whole numbers as decimal strings."""
    if array.dtype == np.float32:
        return ["%08x" % bits for bits in array.view(np.uint32)]
    if array.dtype == np.float64:
        return ["%016x" % bits for bits in array.view(np.uint64)]
    return [str(int(value)) for value in array]


def write():
    cases = []
    for source in DTYPES:
        values = FLOATS if source.startswith("float") else INTS[source]
        with np.errstate(all="ignore"):
            given = np.array([np.dtype(source).type(value) for value in values])
        for target in DTYPES:
            whole = tf.cast(given, target).numpy()
            # Vectorised and single code paths differ where C++ leaves the result open: say where.
            single = np.array([tf.cast(tf.constant(value), target).numpy() for value in given])
            cases.append(
                {
                    "from": source,
                    "to": target,
                    "input": spell(given),
                    "output": spell(whole),
                    "differsAlone": [i for i, (a, b) in enumerate(zip(spell(whole), spell(single))) if a != b],
                }
            )
    write_json("cast.json", cases)
