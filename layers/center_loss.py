"""Centre loss, of ACT's training."""

from typing import Any

import keras
from keras import ops

from zoo.layers.checks import check_sizes
from zoo.layers.initializers import fresh, get_initializer
from zoo.layers.layer import UnmaskedLayer
from zoo.layers.types import InitializerLike, Shape, Tensor


@keras.saving.register_keras_serializable("zoo")
class CenterLoss(UnmaskedLayer):
    """How far the vectors of a class lie from their centre.

    Wen et al. 2016, Equations 2-4: half the squared distance of each vector ``x`` to the centre
    ``c`` of its class, here as a mean over the batch. The centres learn without gradients: in
    training ``c_j`` moves by ``rate * sum (x - c_j) / (1 + n_j)``, with the sum over the ``n_j``
    vectors of class j in the batch; on several devices of TensorFlow, by the mean of what that is
    for the part of each. Centres and loss are float32 under a mixed policy, too.

    Args:
        num_classes: number of classes.
        rate: the paper's alpha; ACT has 0.1 (Section 3.3).
        initializer: of the centres.

    Call arguments:
        inputs: x, ``[batch, dim]``.
        targets: numbers of the classes, ``[batch]`` integers. A vector of no class, as -1, counts
            for nothing but in the size of the batch.
        training: whether the centres move.

    Returns:
        The loss, a scalar.

    Raises:
        ValueError: if a size is below 1.

    Example:
        >>> import keras
        >>> from zoo.layers import CenterLoss
        >>> loss = CenterLoss(num_classes=3)
        >>> float(loss(keras.ops.ones((2, 4)), keras.ops.array([0, 2])))  # centres start at zero
        2.0
    """

    def __init__(
        self,
        num_classes: int,
        rate: float = 0.1,
        initializer: InitializerLike = "zeros",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        check_sizes(num_classes=num_classes)
        self.num_classes = num_classes
        self.rate = rate
        self.initializer = get_initializer(initializer)

    def build(self, input_shape: Shape) -> None:
        self.centers = self.add_weight(
            name="centers",
            shape=(self.num_classes, input_shape[-1]),
            initializer=fresh(self.initializer),
            trainable=False,
            autocast=False,
            aggregation="mean",  # over devices; else those of the first one count
        )

    def call(self, inputs: Tensor, targets: Tensor, training: bool | None = None) -> Tensor:
        inputs = ops.cast(inputs, self.variable_dtype)
        classes = ops.one_hot(targets, self.num_classes, dtype=inputs.dtype)
        centers = ops.convert_to_tensor(self.centers)
        present = ops.sum(classes, axis=-1, keepdims=True)  # 1, or 0 for no class
        differences = present * (inputs - ops.matmul(classes, centers))
        if training:
            moved = ops.matmul(ops.transpose(classes), ops.stop_gradient(differences))
            counts = ops.sum(classes, axis=0)[:, None]
            self.centers.assign(centers + self.rate * moved / (1 + counts))
        return ops.mean(ops.sum(ops.square(differences), axis=-1)) / 2

    def compute_output_shape(self, input_shape: Shape, targets_shape: Shape | None = None) -> Shape:
        return ()
