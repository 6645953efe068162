"""The types of layers' arguments and outputs."""

from collections.abc import Callable
from typing import Any

import keras

Tensor = Any  # of the backend, or a keras.KerasTensor while Keras traces a call
Shape = tuple[Any, ...]  # sizes, None where one is not known
InitializerLike = str | dict[str, Any] | Callable[..., Any] | keras.initializers.Initializer
ActivationLike = str | dict[str, Any] | Callable[..., Any]
