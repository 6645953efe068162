"""The factory."""

import subprocess
import sys

import keras
import pytest

import zoo


def test_names_are_listed_by_pattern():
    assert {"act", "hcan"} <= set(zoo.list_models())
    assert len(zoo.list_models("hcan*")) == 8
    assert zoo.list_models("nothing*") == []


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


def test_impossible_values_name_the_option():
    with pytest.raises(ValueError, match=r"num_heads must divide .*num_heads=7"):
        zoo.build("hcan", 2, num_heads=7)
    with pytest.raises(ValueError, match=r"num_heads must divide .*num_heads=7"):
        zoo.build("act", 2, num_heads=7)


def test_a_user_can_register_a_model():
    @zoo.register_model("mean_of_words")
    class MeanOfWords(zoo.TextClassifier):
        """A mean."""

        def call(self, ids, training=None):
            return self.classify(keras.ops.mean(self.embed(ids), axis=1))

    try:
        assert "mean_of_words" in zoo.list_models("mean*")
        assert zoo.build("mean_of_words", num_classes=2).built
        with pytest.raises(zoo.UsageError, match="'mean_of_words' is taken by"):
            zoo.register_model("mean_of_words")(zoo.TextClassifier)
    finally:
        zoo.registry._registered.pop("mean_of_words")


def test_listing_and_refusing_a_name_import_no_tensorflow():
    code = (
        "import sys, zoo, zoo.cli; zoo.list_models()\n"
        "try: zoo.build('hcam', 2)\n"
        "except zoo.UsageError: pass\n"
        "assert not {'tensorflow', 'keras', 'pandas'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
