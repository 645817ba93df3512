"""Writes a compiled Keras model as a SavedModel that Stoker's trainer runs without Python.

    python export_model.py keras_model.py --out DIR [--dtype float32|uint8] [--sample-weight]

The script keras_model.py defines `model`, a compiled Keras model (optimizer, loss, metrics). Signatures written:

    train(x, y)     one optimiser step            -> loss, and each compiled metric, of this batch
    evaluate(x, y)  forward only                  -> loss, and each compiled metric, of this batch
    predict(x)                                    -> output
    save(path)      weights, optimiser and random state to the TensorFlow checkpoint `path`   -> path
    restore(path)   and back                                                                  -> path

A model with several inputs takes them under their Keras names in place of `x`; one with several outputs takes a label for
each, called `y_<output>`. With --sample-weight, train and evaluate take `sample_weight`, a float for each record. With --dtype uint8 the signatures take
bytes and the cast to the model's own type happens in the graph.
"""

import argparse
import os
import runpy
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("KERAS_BACKEND", "tensorflow")

import keras
import tensorflow as tf


class Trainable(tf.Module):
    """The model's variables and the functions over them, in the form SavedModel keeps."""

    def __init__(self, model, dtype, sample_weight=False):
        super().__init__()
        if not getattr(model, "compiled", False) or model.optimizer is None:
            raise ValueError("`model` is not compiled: call model.compile(optimizer=..., loss=..., metrics=[...])")
        if not model.built:
            raise ValueError("`model` is not built: give it an Input layer, or call model.build(shape)")
        # Behind a function, so that SavedModel does not follow it: it would write every Keras variable a second time.
        self._model = lambda: model
        model.optimizer.build(model.trainable_variables)
        names = [tensor.name for tensor in model.inputs]
        self._names = ["x"] if len(names) == 1 else names
        self._inputs = [
            tf.TensorSpec(tensor.shape, dtype or tensor.dtype, name) for tensor, name in zip(model.inputs, self._names)
        ]
        self._types = [tf.as_dtype(tensor.dtype) for tensor in model.inputs]
        self._outputs = output_names(model)
        self._labels = label_specs(model)
        self._weights = [tf.TensorSpec([None], tf.float32, "sample_weight")] if sample_weight else []
        # The first call makes the metrics' variables.
        specs = [*self._inputs, *self._labels, *self._weights]
        sample = [tf.zeros([1 if d is None else d for d in spec.shape], spec.dtype) for spec in specs]
        self._results(*sample, False)
        # Everything that a step reads and changes, so that a restored run goes on bitwise equal: weights, optimiser,
        # random generators of dropout. Metrics start anew in each batch.
        metrics = {id(v) for m in model.metrics for v in m.variables}
        kept = [v for v in [*model.variables, *model.optimizer.variables] if id(v) not in metrics]
        self.state = list({id(v.value): v.value for v in kept}.values())
        self.scratch = [v.value for m in model.metrics for v in m.variables]

    def _forward(self, values, training):
        cast = [tf.cast(value, to) for value, to in zip(values, self._types)]
        return self._model()(cast[0] if len(cast) == 1 else cast, training=training)

    def _split(self, values):
        """Inputs; the label, or a dictionary of them by output; weights of the records or None."""
        inputs, rest = values[: len(self._inputs)], values[len(self._inputs) :]
        labels, weights = rest[: len(self._labels)], rest[len(self._labels) :]
        label = labels[0] if len(labels) == 1 else dict(zip(self._outputs, labels))
        return list(inputs), label, weights[0] if weights else None

    def _results(self, *values_and_training):
        *values, training = values_and_training
        inputs, label, weights = self._split(values)
        return self._measure(inputs, label, weights, self._forward(inputs, training), training)

    def _measure(self, values, label, weights, output, training):
        x = values[0] if len(values) == 1 else list(values)
        # Losses of single outputs are metrics, too: computing the loss updates them.
        for metric in self._model().metrics:
            metric.reset_state()
        loss = self._model().compute_loss(x=x, y=label, y_pred=output, sample_weight=weights, training=training)
        found = self._model().compute_metrics(x=x, y=label, y_pred=output, sample_weight=weights)
        return {"loss": loss, **{name: value for name, value in found.items() if name != "loss"}}

    def _train(self, *values):
        inputs, label, sample_weights = self._split(values)
        with tf.GradientTape() as tape:
            output = self._forward(inputs, True)
            results = self._measure(inputs, label, sample_weights, output, True)
            loss = self._model().optimizer.scale_loss(results["loss"])
        weights = self._model().trainable_weights
        self._model().optimizer.apply(tape.gradient(loss, [w.value for w in weights]), weights)
        return {name: tf.cast(value, tf.float32) for name, value in results.items()}

    def _evaluate(self, *values):
        return {name: tf.cast(value, tf.float32) for name, value in self._results(*values, False).items()}

    def _predict(self, *inputs):
        found = self._forward(inputs, False)
        return {"output": found} if len(self._labels) == 1 else dict(zip(self._outputs, found))

    def _save(self, path):
        names = [f"state/{index}" for index in range(len(self.state))]
        with tf.control_dependencies(
            [tf.raw_ops.SaveV2(prefix=path, tensor_names=names, shape_and_slices=[""] * len(names), tensors=self.state)]
        ):
            return {"path": tf.identity(path)}

    def _restore(self, path):
        names = [f"state/{index}" for index in range(len(self.state))]
        values = tf.raw_ops.RestoreV2(
            prefix=path, tensor_names=names, shape_and_slices=[""] * len(names), dtypes=[v.dtype for v in self.state]
        )
        assigned = [variable.assign(value) for variable, value in zip(self.state, values)]
        with tf.control_dependencies(assigned):
            return {"path": tf.identity(path)}

    def signatures(self):
        path = tf.TensorSpec([], tf.string, "path")
        concrete = lambda body, *specs: tf.function(named(body, specs)).get_concrete_function(*specs)
        return {
            "train": concrete(self._train, *self._inputs, *self._labels, *self._weights),
            "evaluate": concrete(self._evaluate, *self._inputs, *self._labels, *self._weights),
            "predict": concrete(self._predict, *self._inputs),
            "save": concrete(self._save, path),
            "restore": concrete(self._restore, path),
        }


def named(body, specs):
    """`body` with parameters called as the specs are: a signature's inputs take their names from there."""
    names = ", ".join(spec.name for spec in specs)
    scope = {"body": body}
    exec(f"def call({names}): return body({names})", scope)  # noqa: S102
    return scope["call"]


def output_names(model):
    """A Sequential model has one output, and no names for it."""
    return getattr(model, "output_names", None) or ["output"]


def label_specs(model):
    """Shape and type of each label: whole numbers for sparse losses, else floats shaped as the output."""
    names, outputs = output_names(model), model.outputs
    if isinstance(model.loss, dict):
        losses = [model.loss[name] for name in names]
    else:
        losses = list(model.loss) if isinstance(model.loss, (list, tuple)) else [model.loss] * len(outputs)
    specs = []
    for name, output, loss in zip(names, outputs, losses):
        kind = loss if isinstance(loss, str) else getattr(loss, "name", str(loss))
        shape, dtype = (output.shape[:-1], tf.int32) if "sparse" in kind else (output.shape, tf.float32)
        specs.append(tf.TensorSpec(shape, dtype, "y" if len(outputs) == 1 else "y_" + name))
    return specs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("script", help="Python file that defines `model`, a compiled Keras model")
    parser.add_argument("--out", required=True, help="folder to write the SavedModel to")
    parser.add_argument("--dtype", choices=["float32", "uint8"], help="type of the inputs; the model's own if not given")
    parser.add_argument("--sample-weight", action="store_true", help="take a weight for each record, too")
    options = parser.parse_args()
    sys.path.insert(0, os.path.dirname(os.path.abspath(options.script)))
    found = runpy.run_path(options.script, run_name="stoker_export").get("model")
    if not isinstance(found, keras.Model):
        raise SystemExit(f"{options.script} defines no `model` that is a Keras model")
    trainable = Trainable(found, options.dtype, options.sample_weight)
    tf.saved_model.save(trainable, options.out, signatures=trainable.signatures())
    print(f"wrote {options.out}")


if __name__ == "__main__":
    main()
