"""Training by Keras: epochs of fit() on small data for each optimizer, loss, metric, schedule, clipping and weight."""


import json
import math

import keras
import numpy as np

from golden_io import GOLDEN, write_json

BATCH, RECORDS, HELD, WIDTH, HIDDEN, CLASSES = 8, 20, 12, 5, 6, 4


def rounded(values):
    """float32 survives nine digits."""
    return [float("%.9g" % value) for value in np.asarray(values, np.float32).ravel()]


def draw(seed, *shape):
    return np.random.RandomState(seed).uniform(-1, 1, shape).astype(np.float32)


def data(records, seed):
    x = draw(seed, records, WIDTH)
    classes = (np.floor((x[:, 0] + x[:, 1] + 2) * CLASSES / 4)).astype(np.int32).clip(0, CLASSES - 1)
    return {
        "x": x,
        "class": classes,
        "oneHot": np.eye(CLASSES, dtype=np.float32)[classes],
        "binary": (x[:, 2] > 0.1).astype(np.float32)[:, None],
        "several": (x[:, :3] > 0).astype(np.float32),
        "value": (x @ draw(9, WIDTH, 2)).astype(np.float32),
        "weight": (0.5 + np.arange(records) % 3).astype(np.float32),
    }


def topology(units, activation):
    dense = lambda name, count, act, **more: {
        "class_name": "Dense",
        "config": {"name": name, "units": count, "activation": act, **more},
    }
    layers = [
        dense("hidden", HIDDEN, "tanh", batch_input_shape=[None, WIDTH]),
        dense("out", units, activation),
    ]
    return {"class_name": "Sequential", "config": {"name": "small", "layers": layers}}


def model_of(units, activation):
    model = keras.Sequential(
        [
            keras.Input((WIDTH,)),
            keras.layers.Dense(HIDDEN, activation="tanh", name="hidden"),
            keras.layers.Dense(units, activation=activation, name="out"),
        ]
    )
    start = [0.8 * draw(1, WIDTH, HIDDEN), 0.1 * draw(2, HIDDEN), 0.8 * draw(3, HIDDEN, units), 0.1 * draw(4, units)]
    model.set_weights(start)
    return model, start


SPARSE = {"label": "class", "units": CLASSES, "activation": "softmax", "loss": "sparseCategoricalCrossentropy"}
DEFAULT = {**SPARSE, "optimizer": {"type": "sgd", "learningRate": 0.1}, "metrics": ["accuracy"]}

OPTIMIZERS = {
    "sgd": {"type": "sgd", "learningRate": 0.2},
    "sgd with momentum": {"type": "sgd", "learningRate": 0.05, "momentum": 0.8},
    "momentum, nesterov": {"type": "momentum", "learningRate": 0.05, "nesterov": True},
    "adam": {"type": "adam", "learningRate": 0.02},
    "adam, its defaults": {"type": "adam"},
    "adam with amsgrad": {"type": "adam", "learningRate": 0.02, "beta1": 0.8, "beta2": 0.9, "epsilon": 1e-4, "amsgrad": True},
    "adamw": {"type": "adamw", "learningRate": 0.02, "weightDecay": 0.1, "excludeFromWeightDecay": ["bias"]},
    "adamw, its defaults": {"type": "adamw"},
    "rmsprop": {"type": "rmsprop", "learningRate": 0.01},
    "rmsprop, centered with momentum": {"type": "rmsprop", "learningRate": 0.01, "rho": 0.8, "momentum": 0.7, "centered": True},
    "sgd with weight decay": {"type": "sgd", "learningRate": 0.1, "weightDecay": 0.2},
    "clipValue": {"type": "sgd", "learningRate": 0.5, "clipValue": 0.02},
    "clipNorm": {"type": "sgd", "learningRate": 0.5, "clipNorm": 0.1},
    "globalClipNorm": {"type": "momentum", "learningRate": 0.5, "globalClipNorm": 0.1},
    "exponential": {"type": "sgd", "learningRate": {"type": "exponential", "learningRate": 0.5, "decaySteps": 2, "decayRate": 0.5}},
    "cosine after a warm-up": {
        "type": "adam",
        "learningRate": {"type": "cosine", "learningRate": 0.05, "decaySteps": 6, "alpha": 0.1, "warmup": {"steps": 3, "from": 0.001}},
    },
}

LOSSES = {
    "sparse, from logits": {**SPARSE, "activation": "linear", "loss": {"type": "sparseCategoricalCrossentropy", "fromLogits": True}},
    "categorical": {"label": "oneHot", "units": CLASSES, "activation": "softmax", "loss": "categoricalCrossentropy",
                    "metrics": ["accuracy", {"type": "topKAccuracy", "k": 2}, "auc", "mae"]},
    "categorical, smoothed": {"label": "oneHot", "units": CLASSES, "activation": "softmax",
                              "loss": {"type": "categoricalCrossentropy", "labelSmoothing": 0.2}},
    "sparse with its metrics": {**SPARSE, "metrics": ["accuracy", {"type": "topKAccuracy", "k": 2}]},
    "binary": {"label": "binary", "units": 1, "activation": "sigmoid", "loss": "binaryCrossentropy", "metrics": ["accuracy", "auc", "mae"]},
    "binary, from logits": {"label": "binary", "units": 1, "activation": "linear",
                            "loss": {"type": "binaryCrossentropy", "fromLogits": True, "labelSmoothing": 0.1}},
    "binary, several labels": {"label": "several", "units": 3, "activation": "sigmoid", "loss": "binaryCrossentropy",
                               "metrics": ["binaryAccuracy", "auc"]},
    "mse": {"label": "value", "units": 2, "activation": "linear", "loss": "mse", "metrics": ["mae", "mse"]},
    "mae": {"label": "value", "units": 2, "activation": "linear", "loss": "mae", "metrics": ["mse"]},
    "class weights": {"classWeight": {"0": 2, "2": 0.25}},
    "sample weights": {"sampleWeight": "weight"},
    "sample weights of mse": {"label": "value", "units": 2, "activation": "linear", "loss": "mse", "metrics": ["mae"], "sampleWeight": "weight"},
}


def schedule_of(spec):
    schedules = keras.optimizers.schedules
    kind, rate, steps = spec["type"], spec.get("learningRate"), spec.get("decaySteps")
    if kind == "exponential":
        return schedules.ExponentialDecay(rate, steps, spec["decayRate"], staircase=spec.get("staircase", False))
    if kind == "step":
        return schedules.ExponentialDecay(rate, steps, spec["decayRate"], staircase=True)
    if kind == "piecewise":
        return schedules.PiecewiseConstantDecay(spec["boundaries"], spec["values"])
    if kind == "polynomial":
        return schedules.PolynomialDecay(rate, steps, spec["endLearningRate"], spec["power"], spec.get("cycle", False))
    warmup = spec.get("warmup")
    if warmup:
        return schedules.CosineDecay(warmup["from"], steps, spec.get("alpha", 0), warmup_target=rate, warmup_steps=warmup["steps"])
    return schedules.CosineDecay(rate, steps, spec.get("alpha", 0))


SNAKE = {"learningRate": "learning_rate", "beta1": "beta_1", "beta2": "beta_2", "weightDecay": "weight_decay",
         "clipValue": "clipvalue", "clipNorm": "clipnorm", "globalClipNorm": "global_clipnorm"}


def optimizer_of(spec):
    given = {SNAKE.get(name, name): value for name, value in spec.items()}
    kind = given.pop("type")
    excluded = given.pop("excludeFromWeightDecay", None)
    if isinstance(given.get("learning_rate"), dict):
        given["learning_rate"] = schedule_of(given["learning_rate"])
    if kind == "momentum":
        given = {"momentum": 0.9, **given}
    classes = {"sgd": "SGD", "momentum": "SGD", "adam": "Adam", "adamw": "AdamW", "rmsprop": "RMSprop"}
    optimizer = getattr(keras.optimizers, classes[kind])(**given)
    if excluded:
        optimizer.exclude_from_weight_decay(var_names=excluded)
    return optimizer


def loss_of(spec):
    if isinstance(spec, str):
        spec = {"type": spec}
    options = {}
    if "fromLogits" in spec:
        options["from_logits"] = spec["fromLogits"]
    if "labelSmoothing" in spec:
        options["label_smoothing"] = spec["labelSmoothing"]
    names = {"mse": "MeanSquaredError", "mae": "MeanAbsoluteError"}
    kind = spec["type"]
    return getattr(keras.losses, names.get(kind) or kind[0].upper() + kind[1:])(**options)


def metric_of(spec, is_sparse):
    if isinstance(spec, dict):
        kind = keras.metrics.SparseTopKCategoricalAccuracy if is_sparse else keras.metrics.TopKCategoricalAccuracy
        return "top%dAccuracy" % spec["k"], kind(spec["k"], name="top%dAccuracy" % spec["k"])
    if spec == "auc":
        return "auc", keras.metrics.AUC(name="auc")
    return spec, {"binaryAccuracy": "binary_accuracy"}.get(spec, spec)


def run(name, **given):
    spec = {**DEFAULT, **given}
    train, held = data(RECORDS, 7), data(HELD, 8)
    model, start = model_of(spec["units"], spec["activation"])
    is_sparse = spec["label"] == "class"
    metrics = [metric_of(one, is_sparse) for one in spec["metrics"]]
    model.compile(optimizer=optimizer_of(spec["optimizer"]), loss=loss_of(spec["loss"]), metrics=[m for _, m in metrics])
    weights = train["weight"] if "sampleWeight" in spec else None
    held_out = (held["x"], held[spec["label"]], *([held["weight"]] if "sampleWeight" in spec else []))
    class_weight = {int(key): value for key, value in spec.get("classWeight", {}).items()} or None
    history = model.fit(
        train["x"], train[spec["label"]], sample_weight=weights, class_weight=class_weight,
        batch_size=BATCH, epochs=2, shuffle=False, verbose=0, validation_data=held_out, validation_batch_size=BATCH,
    ).history
    keys = {n: (m if isinstance(m, str) else m.name) for n, m in metrics}
    epochs = [
        {
            "loss": rounded(history["loss"][at])[0],
            "valLoss": rounded(history["val_loss"][at])[0],
            "metrics": {n: rounded(history[k][at])[0] for n, k in keys.items()},
            "valMetrics": {n: rounded(history["val_" + k][at])[0] for n, k in keys.items()},
        }
        for at in range(2)
    ]
    fields = {key: spec[key] for key in ["label", "loss", "optimizer", "metrics", "classWeight", "sampleWeight"] if key in spec}
    return {
        "name": name,
        "train": fields,
        "topology": topology(spec["units"], spec["activation"]),
        "start": [rounded(values) for values in start],
        "epochs": epochs,
        "end": [rounded(values) for values in model.get_weights()],
    }


SCHEDULES = [
    {"type": "step", "learningRate": 0.1, "decaySteps": 3, "decayRate": 0.5},
    {"type": "exponential", "learningRate": 0.1, "decaySteps": 4, "decayRate": 0.9},
    {"type": "exponential", "learningRate": 0.1, "decaySteps": 4, "decayRate": 0.9, "staircase": True},
    {"type": "piecewise", "boundaries": [2, 5], "values": [1.0, 0.5, 0.1]},
    {"type": "polynomial", "learningRate": 0.1, "decaySteps": 6, "endLearningRate": 0.01, "power": 2.0},
    {"type": "polynomial", "learningRate": 0.1, "decaySteps": 6, "endLearningRate": 0.01, "power": 1.0, "cycle": True},
    {"type": "cosine", "learningRate": 0.1, "decaySteps": 7},
    {"type": "cosine", "learningRate": 0.1, "decaySteps": 7, "alpha": 0.2, "warmup": {"steps": 4, "from": 0.01}},
]


def auc_cases():
    cases = []
    for seed, count in [(1, 50), (2, 7), (3, 400)]:
        random = np.random.RandomState(seed)
        predictions = random.uniform(0, 1, count).astype(np.float32)
        # Values on the thresholds, and past both ends.
        predictions[: 5] = [0, 1, 0.5, 100 / 199, 1.5]
        labels = (random.uniform(0, 1, count) < predictions).astype(np.int32)
        metric = keras.metrics.AUC()
        metric.update_state(labels, predictions.clip(0, 1))
        cases.append({"predictions": rounded(predictions.clip(0, 1)), "labels": labels.tolist(), "auc": rounded(metric.result())[0]})
    return cases


STOPPINGS = [
    ({"monitor": "valLoss", "patience": 2}, [5, 4, 4, 3.9, 3.95, 4, 3]),
    ({"monitor": "valLoss"}, [5, 5, 4]),
    ({"monitor": "valLoss", "patience": 1, "minDelta": 0.5}, [5, 4.7, 4.4, 4.2, 4.1]),
    ({"monitor": "valAccuracy", "patience": 2}, [0.1, 0.3, 0.2, 0.3, 0.4]),
    ({"monitor": "valLoss", "patience": 1, "startFromEpoch": 3}, [1, 2, 3, 4, 3, 3, 3]),
    ({"monitor": "valLoss", "mode": "max", "patience": 3}, [1, 0.5, 0.4, 2, 1, 1, 1]),
    ({"monitor": "valLoss", "patience": 2}, [5, math.nan, 4, math.nan, math.nan, 3]),
]


def stopping_cases():
    """Epoch after which keras.callbacks.EarlyStopping stops, and the best one, for a course of a monitored value."""
    cases = []
    for spec, values in STOPPINGS:
        given = {"min_delta": spec.get("minDelta", 0), "start_from_epoch": spec.get("startFromEpoch", 0)}
        # In auto mode Keras asks the model's metrics; the names that it knows decide as the model would.
        mode = spec.get("mode", "max" if "Accuracy" in spec["monitor"] else "min")
        stopping = keras.callbacks.EarlyStopping("value", patience=spec.get("patience", 0), mode=mode, restore_best_weights=True, **given)
        model, _ = model_of(1, None)
        stopping.set_model(model)
        model.stop_training = False
        stopping.on_train_begin()
        for epoch, value in enumerate(values):
            stopping.on_epoch_end(epoch, {"value": value})
            if model.stop_training:
                break
        best = stopping.best_epoch
        cases.append({"earlyStopping": spec, "values": [None if math.isnan(v) else v for v in values],
                      "stoppedAfter": epoch if model.stop_training else None, "best": best})
    return cases


def graph_model():
    """Two inputs, a skip connection, layers of one class at different depths, two outputs."""
    layers = keras.layers
    image = keras.Input((6, 6, 1), name="image")
    extra = keras.Input((3,), name="extra")
    x = layers.Conv2D(2, 3, padding="same", activation="relu", name="first")(image)
    y = layers.Conv2D(2, 3, padding="same", name="second")(x)
    y = layers.BatchNormalization(name="norm")(y)
    x = layers.Add(name="skip")([x, y])
    x = layers.GlobalAveragePooling2D(name="pool")(layers.LeakyReLU(0.1, name="leaky")(x))
    x = layers.Dropout(0.0, name="drop")(x)
    e = layers.Dense(4, activation="tanh", name="zebra")(extra)
    both = layers.Concatenate(name="both")([x, e])
    main = layers.Dense(3, activation="softmax", name="main")(both)
    side = layers.Dense(1, activation="sigmoid", name="side")(e)
    return keras.Model([image, extra], [main, side], name="graph")


def write_graph():
    """A Functional model of Keras 3: its file, two epochs of training with a loss for each output, and predictions."""
    keras.utils.set_random_seed(5)
    model = graph_model()
    GOLDEN.mkdir(parents=True, exist_ok=True)
    # The file holds its date: the same model is not written anew.
    if not (GOLDEN / "graph.keras").exists():
        model.save(GOLDEN / "graph.keras")
    records = 12
    x = {"image": draw(21, records, 6, 6, 1), "extra": draw(22, records, 3)}
    y = {"main": (np.arange(records) % 3).astype(np.int32), "side": (x["extra"][:, :1] > 0).astype(np.float32)}
    model.compile(
        optimizer=keras.optimizers.SGD(0.1),
        loss={"main": "sparse_categorical_crossentropy", "side": "binary_crossentropy"},
        loss_weights={"main": 1.0, "side": 0.3},
        metrics={"main": ["accuracy"], "side": ["accuracy"]},
    )
    history = model.fit(x, y, batch_size=6, epochs=2, shuffle=False, verbose=0).history
    main, side = model.predict(x, verbose=0)
    write_json(
        "training-graph.json",
        [
            {
                "topology": json.loads(model.to_json()),
                "x": {key: rounded(value) for key, value in x.items()},
                "y": {key: rounded(value) for key, value in y.items()},
                "history": {key: rounded(values) for key, values in history.items()},
                "main": rounded(main),
                "side": rounded(side),
            }
        ],
    )

def write():
    keras.utils.set_random_seed(1)
    cases = [run(name, optimizer=spec) for name, spec in OPTIMIZERS.items()]
    cases += [run(name, **spec) for name, spec in LOSSES.items()]
    schedules = [{"schedule": spec, "rates": rounded([schedule_of(spec)(step) for step in range(16)])} for spec in SCHEDULES]
    tables = {part: {key: {"shape": list(v.shape), "values": rounded(v)} for key, v in data(n, seed).items()}
              for part, n, seed in [("train", RECORDS, 7), ("held", HELD, 8)]}
    head = {"keras": keras.__version__, "batch": BATCH, "data": tables, "schedules": schedules, "auc": auc_cases(),
            "stopping": stopping_cases()}
    write_json("training.json", [head, *cases])
    write_graph()
