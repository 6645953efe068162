"""Which weights a model starts with, by itself and by name."""

import gzip
import json
import logging

import gensim.downloader
import numpy as np
import pandas as pd
import pytest

import zoo
from tests.weights.folders import write_folder
from zoo.registry import create
from zoo.runs.run_config import read_config
from zoo.settings import from_keywords
from zoo.weights.sources import automatic

ENGLISH = ["The room was clean, and we would come again.", "It is not what I paid for!"] * 4
GERMAN = ["Das Zimmer war sauber, wir kommen gern wieder.", "Dafür habe ich nicht bezahlt!"] * 4
CHINESE = ["房间很干净 我们 还会再来", "这不是 我 付钱 买的 东西"] * 4


@pytest.fixture
def by_itself(monkeypatch):
    """What "auto" stands for, for a model, its settings and texts."""
    monkeypatch.setattr("zoo.datasets.vectors.english.ENOUGH", 0.8)

    def find(name="attcnn", texts=ENGLISH, **settings):
        settings = from_keywords({"model": name} | settings)
        model = create(name, 2, settings.preset, **settings.options)
        return automatic(model, settings, texts, "hcan")

    return find


def test_english_texts_start_with_english_words(by_itself, caplog):
    caplog.set_level(logging.INFO, "zoo")
    assert by_itself() == "english"
    assert "know 100% of the running words: training starts with them" in caplog.text


def test_so_does_a_solver_that_reads_word_vectors_beside_ngrams(by_itself):
    assert by_itself("svm_vectors") == "english"
    assert by_itself("svm_vectors", texts=GERMAN) == "none"


@pytest.mark.parametrize("texts", [GERMAN, CHINESE, ["7 8 9x"], [""]])
def test_other_texts_start_at_random(texts, by_itself, caplog):
    caplog.set_level(logging.INFO, "zoo")
    assert by_itself(texts=texts) == "none"
    assert "too few to start with them" in caplog.text


@pytest.mark.parametrize(
    "given",
    [
        {"name": "svm_bigrams"},  # whose table is of the solver's weights
        {"name": "char_cnn"},
        {"name": "fasttext"},  # which has vectors of pairs, too
        {"name": "leam", "preset": "wang2018"},  # whose vectors nobody publishes by that name
        {"name": "cnn_kim", "preset": "kim2014"},  # which would have to be fetched
    ],
)
def test_what_the_table_does_not_fit_starts_at_random(given, by_itself):
    assert by_itself(**given) == "none"


def test_a_paper_starts_as_it_did(by_itself, tmp_path, monkeypatch, caplog):
    assert by_itself("hcan", preset="gao2018") == "word2vec"
    caplog.set_level(logging.INFO, "zoo")
    monkeypatch.setattr(gensim.downloader, "BASE_DIR", str(tmp_path))
    assert by_itself("cnn_kim", preset="kim2014") == "none"
    assert "--weights word2vec-google-news-300 fetches them" in caplog.text
    write_published(tmp_path, "word2vec-google-news-300", binary=True)
    assert by_itself("cnn_kim", preset="kim2014") == "word2vec-google-news-300"


def test_bert_starts_with_minilm_where_that_is_installed(by_itself, monkeypatch, caplog, tmp_path):
    caplog.set_level(logging.INFO, "zoo")
    monkeypatch.setattr("zoo.weights.sources.is_here", lambda name: name == "minilm")
    folder = write_folder(tmp_path / "bert")  # of 6 layers, 2 heads and 10 positions
    monkeypatch.setattr("zoo.weights.sources.find_weights", lambda _: folder)
    assert by_itself("bert") == "minilm"
    assert "training starts with those of MiniLM" in caplog.text
    assert by_itself("bert", texts=GERMAN) == "none"
    assert by_itself("bert", options={"max_words": 5, "num_layers": 3}) == "minilm"
    for other in ({"num_heads": 8}, {"max_words": 11}, {"num_layers": 7}):
        assert by_itself("bert", options=other) == "english"
    monkeypatch.setattr("zoo.weights.sources.is_here", lambda _: False)
    assert by_itself("bert") == "english"
    assert "MiniLM knows more (--weights minilm)" in caplog.text


def test_unlabelled_texts_are_for_word2vec(by_itself):
    assert by_itself(unlabelled="more.txt") == "word2vec"


def write_published(folder, name, binary):
    """A file as gensim's downloader leaves it, with a module that must not be run."""
    (folder / name).mkdir()
    (folder / name / "__init__.py").write_text("raise SystemExit('this was run')")
    with gzip.open(folder / name / f"{name}.gz", "wb") as file:
        file.write(b"2 3\n")
        for word, row in (("clean", [1, 2, 3]), ("zebra", [0, 1, 0])):
            numbers = np.array(row, "<f4").tobytes() if binary else b"%d %d %d\n" % tuple(row)
            file.write(word.encode() + b" " + numbers)


@pytest.mark.parametrize("name", ["word2vec-google-news-300", "glove-twitter-25"])
def test_published_vectors_are_read_and_what_lies_beside_them_is_not_run(
    name, tmp_path, monkeypatch, csv_file
):
    monkeypatch.setattr(gensim.downloader, "BASE_DIR", str(tmp_path))
    write_published(tmp_path, name, binary=name.startswith("word2vec"))
    model = zoo.build("cnn_kim", 2, weights=name, filters=3)
    assert model.preprocessor.vocabulary == ["clean", "zebra"]
    np.testing.assert_array_equal(model.embed.embeddings[2], [1, 2, 3])


def test_what_cannot_be_fetched_ends_in_a_line(tmp_path, monkeypatch, capfd):
    def offline(*_, **__):
        raise OSError("no route")

    monkeypatch.setattr(gensim.downloader, "BASE_DIR", str(tmp_path))
    monkeypatch.setattr(gensim.downloader, "urlopen", offline)
    with pytest.raises(zoo.UsageError, match="cannot fetch glove-twitter-25 .*: go online, or put"):
        zoo.build("cnn_kim", 2, weights="glove-twitter-25")
    assert not "".join(capfd.readouterr())


def test_a_training_starts_with_english_words_by_itself(tmp_path, monkeypatch):
    monkeypatch.setattr("zoo.datasets.vectors.english.ENOUGH", 0.8)
    rows = {"text": [*ENGLISH, *ENGLISH[:2]] * 3, "label": ["good", "bad"] * 15}
    run = zoo.train(
        "cnn_kim", pd.DataFrame(rows), options={"filters": 3}, epochs=1, output=tmp_path, verbose=0
    )
    model, settings = zoo.load(run), read_config(run).settings
    assert settings.weights == "english" and settings.max_vocabulary == 16_000
    assert len(model.preprocessor.vocabulary) == 16_000 and model.embedding_dim == 256
    assert (run / "model.keras").stat().st_size < 20e6


@pytest.mark.parametrize(
    ("told", "weights"),
    [
        ({"embeddings": None, "start_from": None}, "none"),
        ({"embeddings": "word2vec", "start_from": None}, "word2vec"),
        ({"embeddings": None, "start_from": "/runs/one"}, "/runs/one"),
    ],
)
def test_runs_of_before_tell_their_weights(told, weights, trained, tmp_path):
    config = json.loads((trained / "config.json").read_text("utf-8"))
    del config["weights"]
    (tmp_path / "config.json").write_text(json.dumps(config | {"format": 2} | told))
    assert read_config(tmp_path).settings.weights == weights


@pytest.mark.parametrize("name", ["embeddings", "start_from"])
def test_names_of_before_work_and_tell_the_new_one(name, caplog):
    assert from_keywords({name: "word2vec"}).weights == "word2vec"
    assert f"{name} is called weights now: write weights='word2vec' (--weights" in caplog.text
    assert from_keywords({name: None, "weights": "english"}).weights == "english"
    with pytest.raises(zoo.UsageError, match=f"{name} is called weights now: leave out one"):
        from_keywords({name: "a", "weights": "b"})
