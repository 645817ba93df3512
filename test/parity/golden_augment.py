"""The deterministic ops that random augmentation ends in, at factors and places that Stoker draws."""

import base64

import numpy as np
import tensorflow as tf

from golden_io import write_json

FACTORS = [0.0, 0.25, 0.7310585, 1.0, 1.3333333, 1.9]
DELTAS = [-0.4999, -0.2, -0.0123, 0.0, 0.111, 0.3, 0.4999]


def b64(array):
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()


def write():
    draw = np.random.default_rng(8)
    base = draw.integers(0, 256, (7, 9, 3)).astype(np.uint8)
    base[0, :3] = [[0, 0, 0], [255, 255, 255], [128, 128, 128]]
    cases = []
    for dtype in ["uint8", "float32"]:
        image = base if dtype == "uint8" else (base / np.float32(255)).astype(np.float32)
        ops = [("brightness", DELTAS, tf.image.adjust_brightness), ("contrast", FACTORS, tf.image.adjust_contrast),
               ("saturation", FACTORS, tf.image.adjust_saturation), ("hue", DELTAS, tf.image.adjust_hue)]
        for name, values, op in ops:
            for value in values:
                cases.append({"op": name, "dtype": dtype, "value": value, "output": b64(op(image, value).numpy())})
        for top, left, rows, columns in [(0, 0, 7, 9), (2, 3, 4, 5), (1, 1, 1, 1), (3, 0, 2, 9)]:
            part = tf.image.crop_to_bounding_box(image, top, left, rows, columns)
            cases.append({"op": "resizedCrop", "dtype": dtype, "box": [top, left, rows, columns], "size": [6, 5],
                          "output": b64(tf.image.resize(part, [6, 5], antialias=False).numpy())})
        for turns in range(4):
            cases.append({"op": "rot90", "dtype": dtype, "value": turns, "output": b64(tf.image.rot90(image, turns).numpy())})
        cases.append({"op": "flipLeftRight", "dtype": dtype, "output": b64(tf.image.flip_left_right(image).numpy())})
        cases.append({"op": "flipUpDown", "dtype": dtype, "output": b64(tf.image.flip_up_down(image).numpy())})
    write_json("augment.json", [{"op": "input", "shape": list(base.shape), "output": b64(base)}, *cases])
