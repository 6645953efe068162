"""The values that options of models may have, by name: the same in every model.

What only a model knows, such as whether heads divide a width, its constructor checks.
"""

import math
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, NamedTuple

from zoo.errors import UsageError


class Values(NamedTuple):
    """A kind of values.

    Attributes:
        what: it in words.
        has: whether a value is one of them.
    """

    what: str
    has: Callable[[Any], bool]


def is_whole(value: Any, least: int) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and value >= least


def is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def at_least(least: int) -> Values:
    return Values(f"a whole number of at least {least}", lambda value: is_whole(value, least))


SIZE = at_least(1)
ABOVE_ZERO = Values("a number above 0", lambda value: is_number(value) and value > 0)
WEIGHT = Values("a number of at least 0", lambda value: is_number(value) and value >= 0)
SHARE = Values("a number from 0 to 1", lambda value: is_number(value) and 0 <= value <= 1)
RATE = Values("at least 0 and below 1", lambda value: is_number(value) and 0 <= value < 1)
FLAG = Values("True or False", lambda value: isinstance(value, bool))
NAME = Values("a name", lambda value: isinstance(value, str))
SUBWORDS = Values(
    "0, or a whole number of at least 2", lambda value: is_whole(value, 0) and value != 1
)
WINDOWS = Values(
    "a list of whole numbers of at least 1",
    lambda value: (
        isinstance(value, list | tuple)
        and len(value) > 0
        and all(is_whole(size, 1) for size in value)
    ),
)

VALUES = {
    "activation": NAME,
    "attention_dim": SIZE,
    "attention_dropout": RATE,
    "attentive": FLAG,
    "bidirectional": FLAG,
    "block_words": SIZE,
    "center_rate": SHARE,
    "center_weight": WEIGHT,
    "class_penalty": WEIGHT,
    "clusters": SIZE,
    "decay": SHARE,
    "depth": SIZE,
    "dropout": RATE,
    "embedding_dim": SIZE,
    "embedding_dropout": RATE,
    "embedding_range": ABOVE_ZERO,
    "entities": FLAG,
    "entity_vectors": FLAG,
    "feed_forward_dim": SIZE,
    "filters": SIZE,
    "gamma": WEIGHT,
    "global_representation": FLAG,
    "hidden_dim": SIZE,
    "kernel_size": SIZE,
    "logits": FLAG,
    "max_distance": at_least(0),
    "max_norm": ABOVE_ZERO,
    "max_sentences": SIZE,
    "max_words": SIZE,
    "ngrams": SIZE,
    "norm_epsilon": ABOVE_ZERO,
    "num_classes": at_least(2),
    "num_contexts": SIZE,
    "num_heads": SIZE,
    "num_layers": SIZE,
    "output_dropout": RATE,
    "passes": SIZE,
    "pooling": NAME,
    "position": NAME,
    "position_dim": SIZE,
    "project_values": FLAG,
    "radius": at_least(0),
    "sentence": NAME,
    "small_units": SIZE,
    "solver": NAME,
    "step_size": ABOVE_ZERO,
    "steps": SIZE,
    "strength": ABOVE_ZERO,
    "subwords": SUBWORDS,
    "target": FLAG,
    "temperature": ABOVE_ZERO,
    "train_embeddings": FLAG,
    "two_attentions": FLAG,
    "units": SIZE,
    "vocabulary_size": at_least(2),  # padding and the unknown word
    "weighting": NAME,
    "windows": WINDOWS,
    "word_dropout": RATE,
    "word_positions": FLAG,
}
OR_NONE = ("max_norm", "max_sentences", "position_dim")  # as is each whose default is None


def checked(model: str, options: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    """Checks values of options; those of a name that the table lacks are any.

    Args:
        model: its name, for the message.
        options: the values.
        defaults: those of the model's class, of each option that has one.

    Returns:
        The options; NumPy's numbers become Python's, which Keras and JSON know.

    Raises:
        UsageError: for a value that its option cannot have.
    """
    for option, value in options.items():
        default = defaults.get(option)
        none = option in OR_NONE or (option in defaults and default is None)
        if option not in VALUES or (value is None and none):
            continue
        what, has = VALUES[option]
        # A user's own model may mean something else by the name: its default tells.
        if not has(value) and (default is None or has(default)):
            what += ", or None" if none else ""
            raise UsageError(f"{model}: {option} must be {what}: got {value!r}")
    both = defaults | options
    if defaults.get("max_sentences", 0) is None and both["max_sentences"] is not None:
        raise UsageError(
            f"{model}: max_sentences must be None, as it does not read sentence by sentence: got "
            f"{both['max_sentences']}"
        )
    width = both.get("position_dim")
    if both.get("entities") and is_whole(width, 1) and width % 2:
        raise UsageError(
            f"{model}: position_dim must be even, as each entity has half of it: got {width}"
        )
    return {option: plain(value) for option, value in options.items()}


def plain(value):
    if isinstance(value, int | float) or not isinstance(value, Real):
        return value
    return int(value) if isinstance(value, Integral) else float(value)
