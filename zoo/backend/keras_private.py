"""Private names of Keras' models and layers, which it may change, in one place.

``tests/test_backend.py`` tells for each of them what Keras does without our use of it.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import keras

from zoo.backend import backend_name, compiles_each_shape
from zoo.backend.devices import scope_of
from zoo.errors import UsageError

TABLE = "_embeddings"  # the attribute of an Embedding that has its weights


class Model(keras.Model):
    """Keras' model, for batches of many lengths, which may fail and be fitted again.

    A subclass has ``one_text()``: ids, targets and weights of a batch of one text.
    """

    def _resolve_auto_jit_compile(self):
        # XLA compiles each length anew. An own compile would keep Keras from saving its arguments.
        return compiles_each_shape() and super()._resolve_auto_jit_compile()

    def _maybe_symbolic_build(self, iterator=None, data_batch=None):  # under a strategy
        super()._maybe_symbolic_build()

    def _symbolic_build(self, iterator=None, data_batch=None):
        # To build metrics, Keras would take a batch out of the data: on JAX a generator's first is
        # lost; under a strategy it is averaged over devices, whose batches have other lengths.
        super()._symbolic_build(data_batch=self.one_text())

    def jax_state_sync(self, *args: Any, **kwargs: Any) -> None:
        # After the batches of an epoch: without any, Keras would go on, and miss what they make.
        if not (getattr(self, "_jax_state", None) or getattr(self, "_jax_state_synced", True)):
            raise UsageError("there are no texts: the dataset is empty")
        super().jax_state_sync(*args, **kwargs)

    def build_optimizer(self) -> None:
        """Makes the optimizer's variables, where they can be made and are not yet."""
        optimizer = getattr(self, "optimizer", None)
        if self.compiled and self.built and optimizer is not None and not optimizer.built:
            with scope_of(self):
                optimizer.build(self.trainable_variables)

    def get_compile_config(self) -> dict[str, Any]:
        self.build_optimizer()  # as the loaded one is, or Keras would warn that they differ
        return super().get_compile_config()

    @contextmanager
    def may_fail(self) -> Iterator[None]:
        """Where Keras reads data: if it fails, the next attempt starts as if there had been none.

        A function of TensorFlow that failed while it was traced would go on to fail, and so would
        an optimizer whose variables were made in that trace.
        """
        self.build_optimizer()
        held = []  # on JAX a step takes the values out of variables, and puts back what it made
        if backend_name() == "jax":
            optimizer = getattr(self, "optimizer", None)
            ours = [*self.variables, *self.metrics_variables, *getattr(optimizer, "variables", [])]
            held = [(one, one._value) for one in ours]
        try:
            yield
        except Exception:
            self.train_function = self.test_function = self.predict_function = None
            self._jax_state = None
            for one, value in held:
                if one._value is None:
                    one._value = value
            raise


def with_rows(layer: keras.layers.Layer, name: str, rows: int) -> None:
    """Gives a layer a table of zeros, with so many rows, in the place of one of its weights.

    Args:
        layer: that is built, and whose model has not been fitted.
        name: of the attribute.
        rows: of the new one, whose other sizes are those of the old one.
    """
    old = getattr(layer, name)
    layer._tracker.unlock()
    layer._untrack_variable(old)
    new = layer.add_weight(
        name=old.name,
        shape=(rows, *old.shape[1:]),
        initializer="zeros",
        trainable=old.trainable,
        autocast=old._autocast,
    )
    setattr(layer, name, new)
    layer._tracker.lock()


def is_validation(options: dict) -> bool:
    """Whether the options of ``evaluate`` are those of a validation, within ``fit``."""
    return bool(options.get("_use_cached_eval_dataset"))


def is_saving() -> bool:
    """Whether it is Keras, saving or loading a model, that calls who asks."""
    name = sys._getframe(2).f_globals.get("__name__", "")
    return name.startswith(("keras.src.saving", "keras.src.legacy"))


def all_layers(layer: keras.layers.Layer) -> list[keras.layers.Layer]:
    """A layer, those within it, and those within them."""
    return layer._flatten_layers()


def share_of_device(model: keras.Model, loss):
    """A further loss, as a device adds it to its part of the compiled one."""
    return model._aggregate_additional_loss(loss)
