"""Gradients of a model's answers by what goes into it, and compiled functions that call a model."""

import threading
from collections.abc import Callable
from typing import Any

from zoo.backend import backend_name

KEEPING = threading.Lock()


def with_gradient(function: Callable) -> Callable:
    """The function, which also gives the gradient of the sum of its values by its last argument.

    Args:
        function: of tensors, to a tensor; of the backend's operations alone.

    Returns:
        A function of the same arguments, which gives the values and the gradient.
    """
    if backend_name() == "jax":
        import jax

        def on_jax(*others):
            *others, by = others
            values, pull = jax.vjp(lambda by: function(*others, by), by)
            return values, pull(jax.numpy.ones_like(values))[0]

        return on_jax
    import tensorflow as tf

    def on_tensorflow(*others):
        *others, by = others
        with tf.GradientTape() as tape:
            tape.watch(by)
            values = function(*others, by)
        return values, tape.gradient(values, by, unconnected_gradients="zero")

    return on_tensorflow


def in_graph(model, function: Callable, *axes: int) -> Callable:
    """The function of arrays, compiled as the model's ``predict`` is; it may call the model.

    Args:
        model: whose weights it reads; they may change afterwards.
        function: of tensors, to tensors. TensorFlow traces it once; JAX for each shape.
        axes: how many each argument has; arguments are int64.
    """
    if model.run_eagerly:
        return function
    if backend_name() == "tensorflow":
        import tensorflow as tf

        signature = [tf.TensorSpec([None] * number, "int64") for number in axes]
        return tf.function(function, signature, autograph=False)
    import jax
    import keras

    @jax.jit
    def of_values(values: list, *given: Any):
        with keras.StatelessScope(list(zip(model.variables, values, strict=True))):
            return function(*given)

    return lambda *given: of_values([one.value for one in model.variables], *given)


def kept_graph(model, name: str, function: Callable, *axes: int) -> Callable:
    """The same, which the model keeps for the next ones, whatever their threads.

    Args:
        model: see :func:`in_graph`.
        name: of the attribute.
        function, axes: see :func:`in_graph`.
    """
    with KEEPING:
        if name not in vars(model):  # Keras would track what is set as usual
            object.__setattr__(model, name, in_graph(model, function, *axes))
    return vars(model)[name]
