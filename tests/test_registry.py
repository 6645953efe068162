"""The factory."""

import json
import subprocess
import sys
from typing import Literal

import keras
import numpy as np
import pytest

import zoo
from zoo.options import Size
from zoo.registry import READS, create, import_model, outlines
from zoo.runs.model_file import in_float32


@pytest.fixture(autouse=True)
def _models_of_a_test_are_forgotten():
    yield
    for name, (model, _) in list(zoo.registry._registered.items()):
        if model.__module__ == __name__:
            del zoo.registry._registered[name]


def test_names_are_listed_by_pattern():
    assert {"act", "hcan"} <= set(zoo.list_models())
    assert len(zoo.list_models("hcan*")) == 8
    assert zoo.list_models("nothing*") == []


@pytest.mark.parametrize("name", zoo.list_models())
def test_a_model_in_a_line_is_what_is_described(name):
    """Though nothing is imported for it."""
    (found,) = outlines(name)
    about = zoo.describe(name)
    assert found.summary == " ".join(about.summary.split())
    assert found.variant == about.variant
    assert about.reads.split()[0] == found.reads
    assert outlines(name, found.reads) == [found]
    assert not outlines(name, READS[READS.index(found.reads) - 1])


def test_build_needs_nothing_but_a_name_and_the_classes():
    model = zoo.build("hcan", num_classes=5)
    assert model.built
    assert model.hierarchical
    assert model.count_params() > 0


def test_options_win_over_presets():
    model = zoo.build("act", 2, preset="li2021", num_layers=1, vocabulary_size=5)
    assert model.num_layers == 1
    assert model.embedding_dim == 300


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "hcam"}, "unknown model 'hcam'. Did you mean 'hcan'"),
        ({"name": "hcan", "num_head": 2}, "unknown option of hcan 'num_head'. Did you mean 'num_h"),
        ({"name": "act", "preset": "li2012"}, "unknown preset of act 'li2012'. Did you mean 'li20"),
    ],
)
def test_unknown_names_raise_with_the_nearest_matches(arguments, message):
    with pytest.raises(zoo.UsageError, match=message):
        zoo.build(num_classes=2, **arguments)


@pytest.mark.parametrize("name", zoo.list_models())
def test_every_option_tells_its_values(name):
    """So that wrong ones are refused by name, and tests make legal and illegal ones."""
    assert set(zoo.describe(name).options) <= set(import_model(name)[0].option_values())


@pytest.mark.parametrize("name", zoo.list_models())
def test_every_option_has_a_meaning(name):
    about = zoo.describe(name)
    assert set(about.options) <= set(about.meanings)
    assert not any("`" in meaning for meaning in about.meanings.values())  # of Sphinx's marks


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("act", {"num_layers": 0}, "act: num_layers must be a whole number of at least 1: got 0"),
        ("act", {"filters": 1.5}, "filters must be a whole number of at least 1: got 1.5"),
        ("act", {"center_rate": float("nan")}, "center_rate must be a number from 0 to 1: got nan"),
        ("act", {"max_sentences": 5}, "max_sentences must be None, .*: got 5"),
        ("act", {"embedding_dim": 100}, "num_heads=6, embedding_dim=100; the nearest .* is 5"),
        ("act", {"entities": True, "position_dim": 7}, "position_dim must be even, .*: got 7"),
        ("attcnn", {"max_norm": 0}, "max_norm must be a number above 0, or None: got 0"),
        ("nb_svm", {"train_embeddings": False}, "nb_svm counts words: train_embeddings=False leav"),
        ("cnn_kim", {"windows": ()}, r"windows must be a list of whole .*: got \(\)"),
        ("cnn_barnes", {"max_words": 5, "windows": (1, 5)}, "max_words must be above the widest w"),
        ("act", {"max_distance": -1}, "max_distance must be a whole number of at least 0: got -1"),
        ("han", {"max_sentences": None}, "max_sentences must be a whole .* at least 1: got None"),
        ("han", {"pooling": ["max"]}, r"unknown pooling \['max'\].* Allowed: attention, aver"),
        ("han", {"pooling": "maxi"}, "han: unknown pooling 'maxi'. Did you mean 'max'?"),
        ("bow", {"solver": "SVM"}, "unknown solver 'SVM'. Did you mean 'svm'.* nb_svm, None"),
        ("vdcnn", {"depth": True}, "unknown depth True. Allowed: 9, 17, 29, 49"),
        ("leam", {"class_penalty": -1}, "class_penalty must be a number of at least 0: got -1"),
        ("bert", {"vocabulary_size": 1}, "vocabulary_size must be a whole .* at least 2: got 1"),
        ("hcan", {"dropout": 1.0}, "dropout must be at least 0 and below 1: got 1.0"),
        ("hcan", {"target": "no"}, "target must be True or False: got 'no'"),
        ("hcan", {"num_classes": "5"}, "num_classes must be a whole number of at least 2: got '5'"),
        ("lstm", {"units": True}, "units must be a whole number of at least 1: got True"),
        ("ssan_pe", {"embedding_dim": 7}, "an even embedding_dim: got 7"),
        ("act", {"subwords": 1}, "subwords must be 0, or a whole number of at least 2: got 1"),
        ("act", {"subwords": False}, "subwords must be 0, or a whole number of .* 2: got False"),
        ("bow", {"subwords": 9}, "subwords must be 0, as the model has no vectors of words: got 9"),
        ("ssan", {"subwords": 9, "train_embeddings": False}, "subwords must be 0 where train_embe"),
        ("transformer", {"num_heads": 7}, "num_heads must divide embedding_dim: got num_heads=7"),
    ],
)
def test_values_that_an_option_cannot_have_are_refused(name, options, message):
    with pytest.raises(zoo.UsageError, match=message):
        zoo.build(name, **{"num_classes": 2} | options)


def test_numbers_of_numpy_are_numbers():
    model = zoo.build("hcan", np.int64(2), num_heads=np.int32(2), dropout=np.float32(0.5))
    assert json.dumps([model.num_classes, model.num_heads, model.dropout]) == "[2, 2, 0.5]"


@pytest.mark.parametrize("name", ["cnn_kim", "pa_lstm", "act"])
def test_entities_without_positions(name):
    model = zoo.build(name, 2, entities=True, position_dim=None, vocabulary_size=9)
    plain = zoo.build(name, 2, position_dim=None, vocabulary_size=9)
    plain.set_weights(model.get_weights())
    ids = np.array([[2, 8, 5, 0]])
    marked = 4 * ids + [[0, 1, 2, 0]]
    np.testing.assert_allclose(model(marked), plain(ids), atol=1e-6)


@pytest.mark.parametrize(
    "name", ["act", "act_transformer", "attcnn", "cnn_kim", "cnn_pe", "pa_lstm"]
)
def test_both_entities_share_the_width_of_positions(name):
    model = zoo.build(name, 2, entities=True, position_dim=6, vocabulary_size=9)
    layers = model._flatten_layers()
    (found,) = (layer for layer in layers if isinstance(layer, zoo.layers.EntityPositions))
    assert [table.shape[-1] for table in found.tables] == [3, 3]


def test_a_user_can_register_a_model():
    @zoo.register_model("mean_of_words")
    class MeanOfWords(zoo.TextClassifier):
        """A mean."""

        def __init__(self, num_classes, *, filters=(1, 2), **kwargs):  # no number, as elsewhere
            super().__init__(num_classes, **kwargs)
            self.filters = filters

        def call(self, ids, training=None):
            return self.classify(keras.ops.mean(self.embed(ids), axis=1))

    assert zoo.build("mean_of_words", num_classes=2, filters=(3, 4)).filters == (3, 4)
    assert "mean_of_words" in zoo.list_models("mean*")
    assert zoo.build("mean_of_words", num_classes=2).built
    with pytest.raises(zoo.UsageError, match="'mean_of_words' is taken by"):
        zoo.register_model("mean_of_words")(zoo.TextClassifier)
    with pytest.raises(zoo.UsageError, match="'han' is taken by"):
        zoo.register_model("han")(zoo.TextClassifier)


def test_annotations_tell_the_values_of_options_of_ones_own():
    """Without one an option may have any, whatever other models mean by its name."""

    class Base(zoo.TextClassifier):
        def __init__(self, num_classes, *, pooling="max", dropout=3, subwords="some", **kwargs):
            super().__init__(num_classes, **kwargs)

    class Own(Base):
        def __init__(
            self, num_classes, *, units: Size = 4, kind: Literal["a", "b"] | None = None, **kwargs
        ):
            super().__init__(num_classes, **kwargs)

    class Described(Own):
        def __init__(self, num_classes, *, depth: "of a tree" = 1, **kwargs):  # noqa: F722
            super().__init__(num_classes, **kwargs)

    zoo.register_model("described")(Described)
    create("described", 2, pooling=0, dropout=None, subwords="all", depth=None, kind="b")
    for option, value, told in [
        ("units", 0, "described: units must be a whole number of at least 1: got 0"),
        ("kind", "c", "described: unknown kind 'c'. Allowed: a, b, None"),
        ("embedding_dim", "5", "embedding_dim must be a whole number of at least 1: got '5'"),
    ]:
        with pytest.raises(zoo.UsageError, match=told):
            create("described", 2, **{option: value})
    with pytest.raises(zoo.UsageError, match="unknown kind 'c'"):
        Own(2, kind="c")


def test_a_model_of_sentences_need_not_be_of_ours():
    """It reads ``[batch, sentences, words]``; only our own read sentences in groups."""

    @zoo.register_model("mean_of_sentences")
    class MeanOfSentences(zoo.TextClassifier):
        def __init__(self, num_classes, *, max_sentences=3, **kwargs):
            super().__init__(num_classes, max_sentences=max_sentences, **kwargs)

        def call(self, ids, training=None):
            return self.classify(keras.ops.mean(self.embed(ids), axis=(1, 2)))

    texts = ["one two. three.", "two"]
    model = zoo.build("mean_of_sentences", 2, vocabulary_size=9)
    model.preprocessor = zoo.datasets.Preprocessor.fit(texts, 4, 3, min_count=1)
    np.testing.assert_allclose(
        model.predict(texts, verbose=0), model(model.preprocessor(texts)), atol=1e-6
    )
    model.compile("sgd", "sparse_categorical_crossentropy")
    model.fit(texts, np.array([0, 1]), verbose=0)


def test_an_option_need_not_be_of_a_keyword_alone():
    """What is rebuilt from the configuration is what was trained."""

    @zoo.register_model("scaled", scale=3.0)
    class Scaled(zoo.TextClassifier):
        def __init__(self, num_classes, scale=1.0, **kwargs):
            super().__init__(num_classes, **kwargs)
            self.scale = scale

        def call(self, ids, training=None):
            return self.classify(self.scale * keras.ops.mean(self.embed(ids), axis=1))

    model = zoo.build("scaled", 2, vocabulary_size=5)
    ids = np.array([[2, 3, 4]])
    np.testing.assert_allclose(in_float32(model)(ids), model(ids))
    assert zoo.describe("scaled").options["scale"] == 3.0


@pytest.mark.parametrize(("given", "kept"), [({"embedding_dim": 4}, "scale"), ({}, "otherwise")])
def test_a_model_that_could_not_be_saved_is_not_trained(csv_file, tmp_path, given, kept):
    """An option that it fixes for its base, or keeps under another name."""

    @zoo.register_model("unsaved")
    class Unsaved(zoo.TextClassifier):
        def __init__(self, num_classes, *, scale=1.0, **kwargs):
            super().__init__(num_classes, **given, **kwargs)
            setattr(self, kept, scale)

        def call(self, ids, training=None):
            return self.classify(keras.ops.mean(self.embed(ids), axis=1))

    with pytest.raises(zoo.UsageError, match="unsaved could not be saved, as its options"):
        zoo.train("unsaved", str(csv_file), output=tmp_path / "runs")
    assert not (tmp_path / "runs").exists()


@pytest.mark.long
def test_models_of_one_name_stand_in_one_graph_under_names_of_their_own():
    one, other = (zoo.build("fasttext", 2, vocabulary_size=9) for _ in range(2))
    other.name = "other"
    ids = keras.Input((None,), dtype="int32")
    both = keras.Model(ids, keras.layers.Average()([one(ids), other(ids)]))
    expected = (one(np.array([[2, 3]])) + other(np.array([[2, 3]]))) / 2
    np.testing.assert_allclose(both(np.array([[2, 3]])), expected, rtol=1e-6)


def test_listing_and_refusing_a_name_import_no_tensorflow():
    code = (
        "import sys, zoo, zoo.cli.commands; zoo.list_models()\n"
        "try: zoo.build('hcam', 2)\n"
        "except zoo.UsageError: pass\n"
        "assert not {'tensorflow', 'keras', 'pandas'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_description_has_what_a_preset_builds():
    """A variant's own options win over the presets of its class."""
    for name in ("act_one_head", "act_no_positions", "cnn_pe", "hcan_flat"):
        for preset, told in zoo.describe(name).presets.items():
            built = create(name, 2, preset).get_config()
            assert told.items() <= built.items()


def test_what_is_imported_at_its_first_use_is_listed():
    assert set(zoo.__all__) <= set(dir(zoo))
