"""Ops on decoded images: colour, geometry, pad, resize methods. Inputs are those of golden_images' resize cases and smaller ones."""

import base64

import numpy as np
import tensorflow as tf

from golden_io import GOLDEN, sha256, write_json

METHODS = ["nearest", "area", "bilinear", "bicubic", "lanczos3", "lanczos5", "gaussian", "mitchellcubic"]


def encoded(array):
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()


def inputs():
    """Small images of each kind, edge colours (black, white, primaries, equal channels) included."""
    draw = np.random.RandomState(21)
    rgb = draw.randint(0, 256, (5, 4, 3)).astype("uint8")
    rgb[0, :, :] = [[0, 0, 0], [255, 255, 255], [255, 0, 0], [0, 0, 255]]
    rgb[1, :2, :] = [[128, 128, 128], [7, 200, 200]]
    rgb[2, :2, :] = [[200, 7, 200], [0, 255, 0]]
    return {
        "rgb": rgb,
        "rgbFloat": (rgb / np.float32(255)).astype("float32"),
        "wideFloat": (draw.rand(4, 5, 3) * 300 - 40).astype("float32"),
        "grey": draw.randint(0, 256, (3, 4, 1)).astype("uint8"),
        "rgb16": draw.randint(0, 65536, (3, 4, 3)).astype("uint16"),
        "rgb32": draw.randint(0, 2**31 - 1, (2, 3, 3)).astype("int32"),
        "double": draw.rand(3, 2, 3),
        "flat": np.full((4, 4, 3), 17, "uint8"),
    }


def large():
    """The files that golden_images writes for resize."""
    for name in ["37x23x3.uint8", "100x90x3.uint8", "100x90x3.float32", "28x28x1.uint8"]:
        shape, dtype = name.split(".")
        data = (GOLDEN / "resize" / name).read_bytes()
        yield name, np.frombuffer(data, dtype).reshape([int(side) for side in shape.split("x")])


def pads(image, top, bottom, left, right, value=0, mode="constant"):
    return tf.pad(image, [[top, bottom], [left, right], [0, 0]], mode.upper(), constant_values=value)


def colour_calls():
    """(op, parameters as Stoker spells them, function, whether it takes whole numbers)."""
    for delta in (0.1, -0.3, 0.7):
        yield "adjustBrightness", {"delta": delta}, lambda x, d=delta: tf.image.adjust_brightness(x, d), True
    for factor in (0.0, 0.4, 1.9, -1.0):
        yield "adjustContrast", {"contrastFactor": factor}, lambda x, f=factor: tf.image.adjust_contrast(x, f), True
    for gamma, gain in ((0.5, 1.0), (2.2, 1.1), (1.0, 1.0)):
        yield "adjustGamma", {"gamma": gamma, "gain": gain}, lambda x, g=gamma, n=gain: tf.image.adjust_gamma(x, g, n), True
    for delta in (0.2, -0.45, 1.0):
        yield "adjustHue", {"delta": delta}, lambda x, d=delta: tf.image.adjust_hue(x, d), True
    for factor in (0.0, 0.5, 3.0):
        yield "adjustSaturation", {"saturationFactor": factor}, lambda x, f=factor: tf.image.adjust_saturation(x, f), True
    yield "rgbToGrayscale", {}, tf.image.rgb_to_grayscale, True
    yield "perImageStandardization", {}, tf.image.per_image_standardization, True
    yield "rgbToHsv", {}, tf.image.rgb_to_hsv, False
    yield "hsvToRgb", {}, tf.image.hsv_to_rgb, False


def geometry_calls():
    yield "flipLeftRight", {}, tf.image.flip_left_right
    yield "flipUpDown", {}, tf.image.flip_up_down
    yield "transpose", {}, tf.image.transpose
    for k in (1, 2, 3, 4, -1):
        yield "rot90", {"k": k}, lambda x, k=k: tf.image.rot90(x, k % 4)
    for fraction in (0.1, 0.5, 0.7, 0.875, 1.0):
        yield "centralCrop", {"fraction": fraction}, lambda x, f=fraction: tf.image.central_crop(x, f)
    yield "crop", {"offset": [1, 2], "size": [2, 1]}, lambda x: tf.image.crop_to_bounding_box(x, 1, 2, 2, 1)
    for mode in ("constant", "reflect", "symmetric"):
        yield "pad", {"top": 1, "left": 2, "bottom": 2, "mode": mode}, lambda x, m=mode: pads(x, 1, 2, 2, 0, 0, m)
    yield "pad", {"right": 1, "value": 9}, lambda x: pads(x, 0, 0, 0, 1, 9)
    for size in ([3, 7], [8, 8], [1, 2], [7, 3]):
        yield "resizeWithCropOrPad", {"size": size}, lambda x, s=size: tf.image.resize_with_crop_or_pad(x, *s)


def resize_calls():
    for method in METHODS:
        for antialias in (False, True):
            for size in ([5, 8], [9, 3]):
                params = {"size": size, "method": method, "antialias": antialias}
                yield "resize", params, lambda x, s=size, m=method, a=antialias: tf.image.resize(x, s, m, antialias=a)
    for size in ([5, 50], [50, 7], [9, 9], [1, 1]):
        params = {"size": size, "preserveAspectRatio": True}
        yield "resize", params, lambda x, s=size: tf.image.resize(x, s, preserve_aspect_ratio=True)
    for size in ([8, 20], [20, 8], [9, 9], [2, 31]):
        for method in ("bilinear", "area", "bicubic"):
            params = {"size": size, "method": method}
            yield "resizeWithPad", params, lambda x, s=size, m=method: tf.image.resize_with_pad(x, *s, method=m)


def case(op, params, name, image, call, whole=True):
    """The output itself where it is small, and its hash."""
    out = call(tf.constant(image)).numpy()
    row = {"op": op, "params": params, "input": name, "dtype": str(out.dtype), "shape": list(out.shape)}
    row["output" if whole else "sha256"] = encoded(out) if whole else sha256(np.ascontiguousarray(out).tobytes())
    return row


def dtype_cases(images):
    for name in ("rgb", "rgbFloat", "wideFloat", "rgb16", "rgb32", "double"):
        for dtype in ("uint8", "int8", "uint16", "int16", "int32", "float32", "float64"):
            for saturate in (False, True):
                # Casts of floats that lie outside the type are left open by TensorFlow.
                if name == "wideFloat" and not saturate and not dtype.startswith("float"):
                    continue
                call = lambda x, d=dtype, s=saturate: tf.image.convert_image_dtype(x, d, saturate=s)
                yield case("convertImageDtype", {"dtype": dtype, "saturate": saturate}, name, images[name], call)


def write():
    images = inputs()
    cases = list(dtype_cases(images))
    for op, params, call, takes_whole in colour_calls():
        for name in ("rgb", "rgbFloat", "wideFloat", "rgb16"):
            if takes_whole or name in ("rgbFloat", "wideFloat"):
                cases.append(case(op, params, name, images[name], call))
    cases.append(case("rgbToHsv", {}, "double", images["double"], tf.image.rgb_to_hsv))
    cases.append(case("perImageStandardization", {}, "flat", images["flat"], tf.image.per_image_standardization))
    cases.append(case("grayscaleToRgb", {}, "grey", images["grey"], tf.image.grayscale_to_rgb))
    for op, params, call in geometry_calls():
        cases.append(case(op, params, "rgb", images["rgb"], call))
    for number, (op, params, call) in enumerate(resize_calls()):
        # Pixels, floats and grey in turn; write_large has every method on each.
        name = ("rgb", "wideFloat", "grey")[number % 3]
        cases.append(case(op, params, name, images[name], call))
    given = {name: {"dtype": str(x.dtype), "shape": list(x.shape), "data": encoded(x)} for name, x in images.items()}
    write_json("image-ops-inputs.json", given)
    write_json("image-ops.json", cases)
    write_large()


def write_large():
    cases = []
    for name, image in large():
        channels = image.shape[2]
        for op, params, call, takes_whole in colour_calls():
            if channels == 3 and (takes_whole or image.dtype == np.float32):
                cases.append(case(op, params, name, image, call, whole=False))
        for method in METHODS:
            for antialias in (False, True):
                params = {"size": [31, 40], "method": method, "antialias": antialias}
                call = lambda x, m=method, a=antialias: tf.image.resize(x, [31, 40], m, antialias=a)
                row = case("resize", params, name, image, call, whole=False)
                out = call(tf.constant(image)).numpy()
                row["mean"], row["first"] = float(out.mean(dtype=np.float64)), [float(v) for v in out[0, 0]]
                cases.append(row)
    write_json("image-ops-large.json", cases)
