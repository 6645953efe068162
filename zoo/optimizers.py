"""Keras' Adam, AdamW and Adadelta, faster on TensorFlow.

The same arithmetic as Keras', in one pass over a variable instead of a dozen: every word of a table
moves in every step, also those of no text of the batch. A word that stands twice in a batch has one
gradient, their sum, as in the papers and on JAX; Keras on TensorFlow squares the two by themselves
unless it clips gradients.
"""

import keras
from keras import ops

from zoo.backend import is_mirrored


def _by_tensorflow():
    return keras.backend.backend() == "tensorflow"


class _OfAllDevices:
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


class _OnePassAdam(_OfAllDevices):
    def update_step(self, gradient, variable, learning_rate):
        if not _by_tensorflow() or self.amsgrad:
            super().update_step(gradient, variable, learning_rate)
            return
        from tensorflow.raw_ops import ResourceApplyAdam

        def scalar(number):
            return ops.cast(number, variable.dtype)

        index = self._get_variable_index(variable)
        step = scalar(self.iterations + 1)
        ResourceApplyAdam(
            var=variable.handle,
            m=self._momentums[index].value.handle,
            v=self._velocities[index].value.handle,
            beta1_power=scalar(self.beta_1) ** step,
            beta2_power=scalar(self.beta_2) ** step,
            lr=scalar(learning_rate),
            beta1=scalar(self.beta_1),
            beta2=scalar(self.beta_2),
            epsilon=scalar(self.epsilon),
            grad=ops.convert_to_tensor(gradient, variable.dtype),
        )


@keras.saving.register_keras_serializable("zoo")
class Adam(_OnePassAdam, keras.optimizers.Adam):
    """Kingma and Ba 2014."""


@keras.saving.register_keras_serializable("zoo")
class AdamW(_OnePassAdam, keras.optimizers.AdamW):
    """Loshchilov and Hutter 2019."""


@keras.saving.register_keras_serializable("zoo")
class Adadelta(_OfAllDevices, keras.optimizers.Adadelta):
    """Zeiler 2012."""

    def update_step(self, gradient, variable, learning_rate):
        if not _by_tensorflow():
            super().update_step(gradient, variable, learning_rate)
            return
        from tensorflow.raw_ops import ResourceApplyAdadelta

        def scalar(number):
            return ops.cast(number, variable.dtype)

        index = self._get_variable_index(variable)
        ResourceApplyAdadelta(
            var=variable.handle,
            accum=self._accumulated_grads[index].value.handle,
            accum_update=self._accumulated_delta_vars[index].value.handle,
            lr=scalar(learning_rate),
            rho=scalar(self.rho),
            epsilon=scalar(self.epsilon),
            grad=ops.convert_to_tensor(gradient, variable.dtype),
        )
