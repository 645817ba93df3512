"""Whole chains of tf.data without shuffle: each spec is run here by TensorFlow, in the tests by Stoker."""

import random

import tensorflow as tf

from golden_io import write_json


def dataset(spec):
    """A tf.data.Dataset of dicts for a spec of the ops that need no file."""
    data = source(spec["source"])
    for stage in spec["stages"]:
        data = apply(data, stage)
    return data


def source(spec):
    if spec["type"] == "range":
        values = tf.data.Dataset.range(spec.get("start", 0), spec["stop"], spec.get("step", 1))
        return values.map(lambda value: {"value": value})
    inputs = [dataset(one) for one in spec["inputs"]]
    if spec["type"] == "zip":
        return tf.data.Dataset.zip(tuple(inputs)).map(lambda *rows: {k: v for row in rows for k, v in row.items()})
    data = inputs[0]
    for other in inputs[1:]:
        data = data.concatenate(other)
    return data


TESTS = {
    "lessThan": tf.less,
    "atMost": tf.less_equal,
    "greaterThan": tf.greater,
    "atLeast": tf.greater_equal,
    "equals": tf.equal,
    "notEquals": tf.not_equal,
}


def keeps(stage):
    tests = {name: tf.constant(bound, tf.int64) for name, bound in stage.items() if name in TESTS}
    return lambda row: tf.reduce_all([TESTS[name](row[stage["field"]], bound) for name, bound in tests.items()])


def apply(data, stage):
    op = stage["op"]
    if op == "take":
        return data.take(stage["count"])
    if op == "skip":
        return data.skip(stage["count"])
    if op == "shard":
        return data.shard(stage["numShards"], stage["index"])
    if op == "repeat":
        return data.repeat(stage.get("count"))
    if op == "filter":
        return data.filter(keeps(stage))
    if op == "rename":
        names = stage["names"]
        return data.map(lambda row: {names.get(name, name): value for name, value in row.items()})
    if op == "batch":
        return data.batch(stage["size"], drop_remainder=stage.get("dropRemainder", False))
    raise ValueError(op)


def random_stages(draw, depth):
    stages = []
    for _ in range(draw.randint(0, 1)):
        stages.append({"op": "filter", "field": "value", draw.choice(list(TESTS)): draw.randint(-5, 30)})
    for _ in range(draw.randint(0, 3 - depth)):
        stages.append(
            draw.choice(
                [
                    {"op": "take", "count": draw.randint(0, 25)},
                    {"op": "skip", "count": draw.randint(0, 8)},
                    {"op": "shard", "numShards": 3, "index": draw.randint(0, 2)},
                    {"op": "repeat", "count": draw.randint(1, 3)},
                ]
            )
        )
    if draw.random() < 0.15:
        stages += [{"op": "repeat"}, {"op": "take", "count": draw.randint(1, 30)}]
    return stages


def random_source(draw, depth):
    kind = draw.choice(["range", "range", "concatenate", "zip"]) if depth < 2 else "range"
    if kind == "range":
        start = draw.randint(-3, 3)
        return {"type": "range", "start": start, "stop": start + draw.randint(1, 30), "step": draw.randint(1, 3)}
    inputs = [random_chain(draw, depth + 1) for _ in range(draw.randint(1, 3))]
    if kind == "zip":
        # Inputs of a zip must not share a field; `value` stays, so that filters find it.
        inputs = [{"source": leaf(draw), "stages": random_stages(draw, depth + 1)} for _ in inputs]
        for number, one in enumerate(inputs[1:], 1):
            one["stages"].append({"op": "rename", "names": {"value": f"v{number}"}})
    return {"type": kind, "inputs": inputs}


def leaf(draw):
    return random_source(draw, 2)


def random_chain(draw, depth=0):
    spec = random_source(draw, depth)
    stages = random_stages(draw, depth)
    if spec["type"] != "range":
        stages = [stage for stage in stages if stage["op"] != "filter"]
    return {"source": spec, "stages": stages}


def flat_fields(spec):
    """Whether all inputs of a concatenate have the same fields."""
    try:
        return dataset(spec).element_spec
    except (TypeError, ValueError):
        return None


def write():
    draw = random.Random(11)
    cases = []
    while len(cases) < 120:
        spec = random_chain(draw)
        if flat_fields(spec) is None:
            continue
        batch = {"op": "batch", "size": draw.randint(1, 7), "dropRemainder": draw.random() < 0.3}
        after = []
        for _ in range(draw.randint(0, 2)):
            after.append(
                draw.choice(
                    [
                        {"op": "take", "count": draw.randint(0, 4)},
                        {"op": "skip", "count": draw.randint(0, 2)},
                        {"op": "shard", "numShards": 2, "index": draw.randint(0, 1)},
                    ]
                )
            )
        spec["stages"] = spec["stages"] + [batch] + after
        rows = [
            {name: value.tolist() for name, value in row.items()}
            for row in dataset(spec).take(200).as_numpy_iterator()
        ]
        cases.append({"pipeline": spec, "batches": rows})
    write_json("datasets.json", cases)
    write_json("padded.json", padded())


def padded():
    """padded_batch of rows of several lengths, in one and two dimensions."""
    rows = [[1, 2], [3], [], [4, 5, 6], [7, 8, 9, 10], [11]]
    lists = tf.data.Dataset.from_generator(
        lambda: ({"x": tf.constant(row, tf.int64)} for row in rows),
        output_signature={"x": tf.TensorSpec([None], tf.int64)},
    )
    cases = []
    for size, drop, shape, fill in [(2, False, None, 0), (4, False, None, -1), (4, True, 5, 7), (5, False, 4, 0)]:
        data = lists.padded_batch(
            size,
            padded_shapes={"x": [shape]},
            padding_values={"x": tf.constant(fill, tf.int64)},
            drop_remainder=drop,
        )
        batches = [row["x"].tolist() for row in data.as_numpy_iterator()]
        cases.append({"rows": rows, "size": size, "dropRemainder": drop, "shape": shape, "fill": fill, "batches": batches})
    return cases
