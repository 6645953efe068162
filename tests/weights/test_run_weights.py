"""A training that starts from the weights of a run."""

import json
import shutil
import zipfile

import numpy as np
import pytest

import zoo
from tests.kinds import KINDS
from zoo.datasets import Preprocessor
from zoo.filesystem.atomic_files import write_json
from zoo.registry import create, import_model
from zoo.runs.run_config import read_config
from zoo.runs.run_folder import write_words
from zoo.training.classifier_of_corpus import rebuild_classifier
from zoo.weights.run_weights import RunWeights, start_from

STILL = {"learning_rate": 1e-9, "epochs": 1, "calibrate": False, "verbose": 0}
CONSTRUCTED = [name for name in KINDS if not import_model(name)[0].solves]


def small(name, classes, words):
    """A model that knows some words of one letter."""
    model = zoo.build(name, classes, embedding_dim=24, vocabulary_size=9)
    sentences = model.max_sentences
    more = {"entities": model.entities, "ngrams": model.ngrams}
    model.preprocessor = Preprocessor(list(words), model.max_words, sentences, "han", **more)
    model.labels = range(classes)
    return model


def rows(model, words):
    """Of the word table."""
    index = {word: row for row, word in enumerate(model.preprocessor.vocabulary, start=2)}
    return np.asarray(model.embed.embeddings)[[index[word] for word in words]]


def others(model):
    """The weights that are not of words."""
    words = {id(weight) for weight in model.embed.weights}
    return [weight for weight in model.weights if id(weight) not in words]


@pytest.mark.parametrize("name", CONSTRUCTED)
def test_layers_and_the_words_that_both_know_are_taken_over(name):
    start, model = small(name, 2, "abc."), small(name, 3, "bda.")
    own = rows(model, "d")
    start_from(model, start)
    np.testing.assert_array_equal(rows(model, "ab."), rows(start, "ab."))
    np.testing.assert_array_equal(rows(model, "d"), own)
    np.testing.assert_array_equal(model.embed.embeddings[:2], start.embed.embeddings[:2])
    for weight, its in zip(others(model), others(start), strict=True):
        if weight.shape == its.shape:
            np.testing.assert_array_equal(weight, its)
        else:
            apart = [(a, b) for a, b in zip(weight.shape, its.shape, strict=True) if a != b]
            assert all(2 * a == 3 * b for a, b in apart), weight.path


def test_classes_of_other_names_start_at_random():
    start, same, other = (small("act", 2, "ab") for _ in range(3))
    other.labels = ["yes", "no"]
    own = other.classify.get_weights()
    for model in (same, other):
        start_from(model, start)
        np.testing.assert_array_equal(model.hidden.kernel, start.hidden.kernel)
    np.testing.assert_array_equal(same.classify.kernel, start.classify.kernel)
    np.testing.assert_array_equal(other.classify.kernel, own[0])


def test_classes_in_another_order_stay_what_they_are():
    """Older runs have numbers in the order of text."""
    start, model = small("act", 3, "ab"), small("act", 3, "ab")
    start.labels, model.labels = ["0", "10", "2"], ["0", "2", "10"]
    start_from(model, start)
    ids = np.array([[2, 3, 2]])
    answers, its = (one.predict_on_batch(ids)[0] for one in (model, start))
    np.testing.assert_allclose(answers, its[[0, 2, 1]], rtol=1e-5)


def test_a_training_that_stands_still_answers_as_the_run(trained, csv_file, tmp_path):
    start = zoo.load(trained)
    columns = {"text_column": "review", "label_column": "stars"}
    run = zoo.train("hcan", csv_file, files=columns, weights=trained, output=tmp_path, **STILL)
    model, texts = zoo.load(run), ["a good stay", "a bad, sad stay. really!", ""]
    scaled = [np.log(one.predict(texts, verbose=0)) for one in (model, start)]
    gaps = [one[:, 0] - one[:, 1] for one in scaled]  # the run is calibrated
    ratio = gaps[0] / gaps[1]
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-3)
    config = json.loads((run / "config.json").read_text("utf-8"))
    assert config["weights"] == str(trained)
    assert config["options"] == {} and config["architecture"]["embedding_dim"] == 16
    assert config["clean_up"] == json.loads((trained / "config.json").read_text())["clean_up"]


def forget_words(path):
    """Leaves the words out of a model's file, as in those that were saved before."""
    with zipfile.ZipFile(path) as archive:
        kept = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in kept.items():
            if not name.startswith("assets/"):
                archive.writestr(name, data)


@pytest.fixture
def begun(monkeypatch, tmp_path):
    """A training as it begins: its classifier."""

    def look(folder, classifier, *others):
        found.append(classifier)
        raise zoo.UsageError("looked at")

    def begin(*given, **more):
        with pytest.raises(zoo.UsageError, match="looked at"):
            zoo.train(*given, output=tmp_path / "runs", **more)
        return found.pop()

    found = []
    monkeypatch.setattr("zoo.training.trainer.fit_to", look)
    return begin


def test_labels_and_words_may_be_others(trained, tmp_path, begun):
    lines = [f"a {word} chair of {wood},{word}" for word in ("good", "bad") for wood in "xyz"]
    lines += [f"a nice table of {wood},table" for wood in "xyz"]
    data = tmp_path / "chairs.csv"
    data.write_text("\n".join(["text,label", *5 * lines]) + "\n", "utf-8")
    model, start = begun("hcan", data, weights=trained, min_count=1), zoo.load(trained)
    assert model.labels == ["bad", "good", "table"]
    both = ["good", "bad", "nice"]
    np.testing.assert_array_equal(rows(model, both), rows(start, both))
    lacking = set(start.preprocessor.vocabulary) - set(model.preprocessor.vocabulary)
    assert not lacking and "chair" in model.preprocessor.vocabulary


def test_a_run_keeps_the_version_of_its_rules(trained, csv_file, tmp_path, begun):
    """Also in what starts from it or goes on; runs that do not tell have the first."""
    config = json.loads((trained / "config.json").read_text("utf-8"))
    assert config["text_version"] == zoo.load(trained).preprocessor.version == 2
    old = shutil.copytree(trained, tmp_path / "old")
    forget_words(old / "model.keras")  # which files of then lack, too
    del config["text_version"], config["format"]  # as before there was one
    write_json(old / "config.json", config)
    assert zoo.load(old).preprocessor.version == 1
    assert rebuild_classifier(old, read_config(old)).preprocessor.version == 1  # as to resume
    files = {"text_column": "review", "label_column": "stars"}
    assert begun("hcan", csv_file, files=files, weights=old).preprocessor.version == 1
    for wrong in (3, "2", None):
        write_json(old / "config.json", config | {"text_version": wrong})
        with pytest.raises(zoo.UsageError, match="old is damaged: version must be 1 or 2: got"):
            zoo.load(old)


def test_words_of_the_run_can_be_left_out_and_options_that_keep_shapes_differ(
    trained, csv_file, begun
):
    columns = {"text_column": "review", "label_column": "stars"}
    own = {"files": columns, "max_vocabulary": 4, "options": {"dropout": 0.5}}
    model = begun("hcan", csv_file, weights=trained, **own)
    assert len(model.preprocessor.vocabulary) == 4 and model.dropout == 0.5


def test_options_of_the_run_that_change_nothing_are_not_told(csv_file, tmp_path, begun, caplog):
    start, run = small("act", 2, "abcdefg"), tmp_path / "run"
    run.mkdir()
    write_words(run, start)
    start.save(run / "model.keras")
    config = {"model": "act", "data": "", "files": {}, "seed": 0, "versions": {}}
    write_json(run / "config.json", config | {"clean_up": "han", "text_version": 2})
    columns = {"text_column": "review", "label_column": "stars"}
    begun("act", csv_file, weights=run, files=columns)
    assert "changes nothing" not in caplog.text


@pytest.mark.parametrize(
    ("model", "given", "message"),
    [
        ("act", {}, "the run to start from has the model hcan, not act: train hcan"),
        ("hcan", {"preset": "gao2018"}, "leave out preset"),
        ("hcan", {"clean_up": "han", "percentile": 90}, "leave out clean_up, percentile"),
        ("hcan", {"embeddings": "word2vec"}, "embeddings is called weights now: leave out one"),
        ("hcan", {"options": {"embedding_dim": 24}}, "other shapes: embedding_dim=24, not 16$"),
        (
            "hcan",
            {"options": {"two_attentions": False}},
            "other shapes: two_attentions=False, not True$",
        ),
        ("hcan", {"options": {"max_words": 7}}, "other shapes: max_words=7, not 100$"),
    ],
)
def test_what_the_run_decides_is_refused(model, given, message, trained, csv_file, tmp_path):
    columns = {"text_column": "review", "label_column": "stars"}
    with pytest.raises(zoo.UsageError, match=message):
        zoo.train(model, csv_file, files=columns, weights=trained, output=tmp_path, **given)
    assert not any(tmp_path.iterdir())


def test_texts_that_need_another_clean_up_are_refused(trained):
    model = create("hcan", 2)
    with pytest.raises(zoo.UsageError, match="need the clean-up relations, .* has hcan"):
        RunWeights(trained, model, {}, clean_up="relations")


def test_what_is_no_run_is_refused(csv_file, tmp_path):
    with pytest.raises(zoo.UsageError, match="cannot read .*none: No such file"):
        zoo.train("hcan", csv_file, weights=tmp_path / "none", output=tmp_path)
    with pytest.raises(zoo.UsageError, match="weights must be auto, none, .* or a path"):
        zoo.train("hcan", csv_file, weights={}, output=tmp_path)
