"""Random augmentation: what Stoker draws for a key, by a second implementation of its generator, handed to TensorFlow's
deterministic ops."""

import base64
import math

import numpy as np
import tensorflow as tf

from golden_io import write_json

KEYS = [0, 1, 2, 3, 4, 5, 123456789, 4294967295]
MASK = 0xFFFFFFFF


def mix32(value):
    h = value & MASK
    h = ((h ^ (h >> 16)) * 0x85EBCA6B) & MASK
    h = ((h ^ (h >> 13)) * 0xC2B2AE35) & MASK
    return h ^ (h >> 16)


def key_of(*parts):
    key = 0x9E3779B9
    for part in parts:
        key = mix32(key ^ (part & MASK))
        key = mix32(key + (part >> 32) + 0x7F4A7C15)
    return key


class Draws:
    def __init__(self, key, seed):
        # Salt of the chain and number of the op in it are 0.
        op = key_of(key, 0, 0)
        self.key = op if seed is None else key_of(op, seed)
        self.n = 0

    def uniform(self):
        self.n += 1
        return key_of(self.key, self.n - 1) / 2**32

    def between(self, least, most):
        return least + (most - least) * self.uniform()

    def below(self, count):
        return math.floor(self.uniform() * count)


def js_round(value):
    return math.floor(value + 0.5)


def crop_box(draws, height, width, scale, ratio):
    for _ in range(10):
        area = height * width * draws.between(*scale)
        aspect = math.exp(draws.between(math.log(ratio[0]), math.log(ratio[1])))
        columns, rows = js_round(math.sqrt(area * aspect)), js_round(math.sqrt(area / aspect))
        if 0 < columns <= width and 0 < rows <= height:
            return draws.below(height - rows + 1), draws.below(width - columns + 1), rows, columns
    own = width / height
    rows = max(1, min(height, js_round(width / ratio[0]))) if own < ratio[0] else height
    columns = max(1, min(width, js_round(height * ratio[1]))) if own > ratio[1] else width
    return (height - rows) // 2, (width - columns) // 2, rows, columns


def resized_crop(image, draws, scale, ratio):
    box = crop_box(draws, image.shape[0], image.shape[1], scale, ratio)
    return tf.image.resize(tf.image.crop_to_bounding_box(image, *box), [6, 5], antialias=False)


def cutout(image, draws):
    height, width, _ = image.shape
    row, column = draws.below(height), draws.below(width)
    out = image.copy()
    out[max(0, row - 1) : row + 1, max(0, column - 2) : column + 2] = 100
    return out


OPS = {
    "randomFlipLeftRight": ({}, lambda x, d: tf.image.flip_left_right(x) if d.uniform() < 0.5 else x),
    "randomFlipUpDown": ({}, lambda x, d: tf.image.flip_up_down(x) if d.uniform() < 0.5 else x),
    "randomRotation90": ({}, lambda x, d: tf.image.rot90(x, d.below(4))),
    "randomCrop": ({"size": [4, 5]}, lambda x, d: tf.image.crop_to_bounding_box(x, d.below(7 - 4 + 1), d.below(9 - 5 + 1), 4, 5)),
    "randomResizedCrop": ({"size": [6, 5]}, lambda x, d: resized_crop(x, d, (0.08, 1), (3 / 4, 4 / 3))),
    # Ten tries in vain, then the largest central part.
    "randomResizedCrop ": ({"size": [6, 5], "scale": [1, 1], "ratio": [2, 2]}, lambda x, d: resized_crop(x, d, (1, 1), (2, 2))),
    "randomBrightness": ({"maxDelta": 0.4}, lambda x, d: tf.image.adjust_brightness(x, d.between(-0.4, 0.4))),
    "randomContrast": ({"lower": 0.3, "upper": 1.9}, lambda x, d: tf.image.adjust_contrast(x, d.between(0.3, 1.9))),
    "randomSaturation": ({"lower": 0.2, "upper": 2.5}, lambda x, d: tf.image.adjust_saturation(x, d.between(0.2, 2.5))),
    "randomHue": ({"maxDelta": 0.5}, lambda x, d: tf.image.adjust_hue(x, d.between(-0.5, 0.5))),
    "randomCutout": ({"maskSize": [2, 4], "constantValues": 100}, cutout),
}


def b64(array):
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()


def write():
    pixels = np.random.default_rng(8).integers(0, 256, (7, 9, 3)).astype(np.uint8)
    pixels[0, :3] = [[0, 0, 0], [255, 255, 255], [128, 128, 128]]
    cases = [{"op": "input", "shape": list(pixels.shape), "output": b64(pixels)}]
    for dtype in ["uint8", "float32"]:
        image = pixels if dtype == "uint8" else (pixels / np.float32(255)).astype(np.float32)
        for name, (params, op) in OPS.items():
            for key in KEYS if dtype == "uint8" else KEYS[2:5]:
                for seed in [None, 5000000001] if key < 2 else [None]:
                    output = np.asarray(op(image, Draws(key, seed)))
                    cases.append({"op": name.strip(), **params, "dtype": dtype, "key": key, "seed": seed,
                                  "shape": list(output.shape), "outputType": str(output.dtype), "output": b64(output)})
    write_json("augment.json", cases)
