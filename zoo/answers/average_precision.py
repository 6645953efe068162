"""Average precision, as Keras measures it while a model learns."""

import keras
from keras import ops


@keras.saving.register_keras_serializable("zoo")
class AveragePrecision(keras.metrics.AUC):
    """How well all labels of all texts are put before those that they lack, at any threshold.

    It is the area below precision by recall, 0 to 1, of 200 thresholds.

    Args:
        from_logits: whether a model gives logits.
    """

    def __init__(self, from_logits=False, name="average_precision", dtype=None):
        super().__init__(curve="PR", from_logits=from_logits, name=name, dtype=dtype)

    def update_state(self, y_true, y_pred, sample_weight=None):
        if sample_weight is not None:  # of texts
            sample_weight = ops.reshape(sample_weight, (-1, 1)) + ops.zeros_like(y_pred)
        super().update_state(y_true, y_pred, sample_weight)

    def get_config(self):
        return {"from_logits": self._from_logits, "name": self.name, "dtype": self.dtype}
