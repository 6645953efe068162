"""``model.keras``, looked at before Keras opens it: loading a model runs nothing that it holds."""

import json
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import keras

from zoo.classifier import TextClassifier
from zoo.errors import UsageError
from zoo.words_and_labels import ASSET

MEMBERS = {"metadata.json", "config.json", "model.weights.h5", f"assets/{ASSET}"}
POLICY = ("keras", "DTypePolicy")  # the only object inside: all options of a model are plain values


def load_model_file(path: Path, models: Iterable[type]):
    """The model of a file, if it is whole, of one of the classes, and holds no other object.

    Keras itself refuses Lambda layers and classes that are not registered. This refuses all that
    zoo never writes, whatever the version of Keras.

    Raises:
        UsageError: for a file that is anything else.
    """
    with zipfile.ZipFile(path) as archive:
        others = set(archive.namelist()) - MEMBERS
        if others:
            raise UsageError(f"{path} holds {', '.join(sorted(map(repr, others)))}: not zoo's file")
        damaged = archive.testzip()  # Keras reads weights also where they are
        if damaged:
            raise UsageError(f"{path} is damaged: {damaged} is not what was written")
        config = json.loads(archive.read("config.json"))
    wanted = {(one.__name__, keras.saving.get_registered_name(one)) for one in models}
    if (config.get("class_name"), config.get("registered_name")) not in wanted:
        model = min(wanted)[1] if len(wanted) == 1 else "a registered model"
        raise UsageError(f"{path} holds {_shown(config)}, where {model} is wanted")
    del config["class_name"]
    config.pop("compile_config", None)  # of a training; it is not read
    check_plain(config, path)
    return keras.saving.load_model(path, compile=False)


def check_plain(value: Any, path: Path) -> None:
    """Refuses descriptions of objects within the options of a model, which Keras would make.

    Raises:
        UsageError: naming the first one.
    """
    if isinstance(value, dict):
        if "class_name" in value and (value.get("module"), value["class_name"]) != POLICY:
            raise UsageError(f"{path} holds {_shown(value)}, which no model of zoo has: not loaded")
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            check_plain(one, path)


def _shown(config):
    names = (config.get("module"), config.get("class_name"), config.get("registered_name"))
    return " ".join(repr(name) for name in names if name)


def in_float32(classifier: TextClassifier) -> TextClassifier:
    """A copy that gives probabilities in float32, whatever the training's precision.

    Character n-grams have become part of the word vectors.
    """
    copy = type(classifier).from_config(
        classifier.get_config() | {"dtype": "float32", "logits": False, "subwords": 0}
    )
    copy.build()
    weights = {id(weight): weight.numpy() for weight in classifier.weights}
    if classifier.subwords:
        first, *others = map(id, classifier.embed.weights)
        weights[first] = classifier.embed.collapsed()
        weights = {which: numbers for which, numbers in weights.items() if which not in others}
    copy.set_weights(list(weights.values()))
    copy.know_what(classifier)
    return copy
