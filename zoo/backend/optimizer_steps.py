"""Steps of Keras' optimizers on TensorFlow: in one pass over a variable, and on several devices.

``tests/test_backend.py`` tells for each private name of Keras what it does without our use of it.
"""

from keras import ops

from zoo.backend import backend_name
from zoo.backend.devices import is_mirrored


class Clipped:
    """Clips the sum of the devices' gradients, where Keras would clip each and then sum them up."""

    def _clip_gradients(self, grads):
        if not is_mirrored() or None is self.clipnorm is self.global_clipnorm is self.clipvalue:
            return super()._clip_gradients(grads)
        import tensorflow as tf

        context = tf.distribute.get_replica_context()
        if context is None:
            return super()._clip_gradients(grads)
        grads = [None if grad is None else ops.convert_to_tensor(grad) for grad in grads]
        present = [grad for grad in grads if grad is not None]
        sums = iter(context.all_reduce(tf.distribute.ReduceOp.SUM, present))
        grads = super()._clip_gradients([None if grad is None else next(sums) for grad in grads])
        devices = context.num_replicas_in_sync  # Keras sums up again
        return [None if grad is None else grad / devices for grad in grads]


class OnePassAdam:
    def update_step(self, gradient, variable, learning_rate):
        if backend_name() == "jax" or self.amsgrad:
            super().update_step(gradient, variable, learning_rate)
            return
        from tensorflow.raw_ops import ResourceApplyAdam

        step = ops.cast(self.iterations + 1, variable.dtype)
        _apply(
            ResourceApplyAdam,
            self,
            gradient,
            variable,
            {"m": self._momentums, "v": self._velocities},
            beta1_power=ops.cast(self.beta_1, variable.dtype) ** step,
            beta2_power=ops.cast(self.beta_2, variable.dtype) ** step,
            lr=learning_rate,
            beta1=self.beta_1,
            beta2=self.beta_2,
            epsilon=self.epsilon,
        )


class OnePassAdadelta:
    def update_step(self, gradient, variable, learning_rate):
        if backend_name() == "jax":
            super().update_step(gradient, variable, learning_rate)
            return
        from tensorflow.raw_ops import ResourceApplyAdadelta

        _apply(
            ResourceApplyAdadelta,
            self,
            gradient,
            variable,
            {"accum": self._accumulated_grads, "accum_update": self._accumulated_delta_vars},
            lr=learning_rate,
            rho=self.rho,
            epsilon=self.epsilon,
        )


def _apply(operation, optimizer, gradient, variable, kept, **numbers):
    """A step of TensorFlow's on a variable, with what the optimizer keeps of each variable."""
    index = optimizer._get_variable_index(variable)
    operation(
        var=variable.handle,
        grad=ops.convert_to_tensor(gradient, variable.dtype),
        **{name: of_all[index].value.handle for name, of_all in kept.items()},
        **{name: ops.cast(number, variable.dtype) for name, number in numbers.items()},
    )
