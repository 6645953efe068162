"""ATT-CNN and a linear model: trained one after the other, and added up."""

import numpy as np
import pandas as pd
import pytest
import tensorflow as tf

import zoo
from zoo.datasets.corpus import Split

WORDS = ("good", "bad")
SMALL = {"embedding_dim": 8, "filters": 4, "attention_dim": 4}


def texts_and_labels(number=60):
    return (
        [f"a {WORDS[i % 2]} day {i % 7}" for i in range(number)],
        [("yes", "no")[i % 2] for i in range(number)],
    )


def logits(model, texts):
    probabilities = np.asarray(model.predict(texts, verbose=0), "float64")
    return np.log(probabilities[:, 0] / probabilities[:, 1])


@pytest.mark.parametrize("trained", [True, False])
def test_scores_of_both_are_added(trained):
    texts, labels = texts_and_labels()
    model = zoo.build("attcnn_bag", 2, train_embeddings=trained, **SMALL)
    model.fit(texts, labels, epochs=1, verbose=0)
    share = float(model.share)
    assert share > 0
    both = logits(model, texts[:8])
    model.bag.preprocessor = model.preprocessor
    counted = model.bag.predict(texts[:8], verbose=0)
    model.share.assign(0.0)
    alone = logits(model, texts[:8])
    np.testing.assert_allclose(
        both, alone + share * (counted[:, 0] - counted[:, 1]), rtol=1e-4, atol=1e-4
    )
    has_vectors = bool(np.any(model.bag.known.numpy()))
    assert has_vectors is not trained  # the mean of vectors counts where they are fixed


def test_the_machine_learns_what_svm_unigrams_does():
    texts, labels = texts_and_labels()
    model = zoo.build("attcnn_bag", 2, **SMALL)
    model.fit(texts, labels, epochs=1, verbose=0)
    alone = zoo.build("svm_unigrams", 2, weighting="log_tfidf", logits=True)
    alone.preprocessor, alone.labels = model.preprocessor, model.labels
    numbers = np.array([model.labels.index(label) for label in labels])
    alone.make_room(model.vocabulary_size)
    alone.solve(Split(texts, numbers))
    model.bag.preprocessor = model.preprocessor
    np.testing.assert_allclose(
        model.bag.predict(texts, verbose=0), alone.predict(texts, verbose=0), atol=1e-3
    )


@pytest.mark.parametrize("weights", ["none", "vectors.txt"])
def test_a_killed_training_resumes_to_the_same_weights(tmp_path, monkeypatch, weights):
    texts, labels = texts_and_labels(80)
    rows = pd.DataFrame({"text": texts, "label": labels})
    vectors = "".join(
        f"{word} {' '.join(map(str, range(n, n + 8)))}\n" for n, word in enumerate(WORDS)
    )
    (tmp_path / "vectors.txt").write_text(vectors)
    weights = weights if weights == "none" else tmp_path / weights
    more = {"options": SMALL, "epochs": 2, "verbose": 0, "weights": weights}
    whole = zoo.train("attcnn_bag", rows, output=tmp_path / "whole", **more)

    def killed(*_):
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr("zoo.models.attcnn_bag.ATTCNNAndBag.complete", killed)
        with pytest.raises(MemoryError):
            zoo.train("attcnn_bag", rows, output=tmp_path / "killed", **more)
    assert np.any(zoo.load(whole).bag.known) == (weights != "none")
    (run,) = (tmp_path / "killed").iterdir()
    zoo.resume(run, verbose=0)
    one, other = (zoo.load(folder).get_weights() for folder in (whole, run))
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)


def test_texts_may_come_as_a_dataset_and_without_end_leave_the_machine_out(caplog):
    texts, labels = texts_and_labels()
    numbers = np.array([label == "yes" for label in labels], int)
    data = tf.data.Dataset.from_tensor_slices((texts, numbers)).batch(8)
    model = zoo.build("attcnn_bag", 2, **SMALL)
    model.fit(data, epochs=1, verbose=0)
    assert float(model.share) > 0
    other = zoo.build("attcnn_bag", 2, **SMALL)
    other.preprocessor, other.labels = model.preprocessor, model.labels
    other.fit(data.repeat(), steps_per_epoch=2, epochs=1, verbose=0)
    assert float(other.share) == 0 and "a part of it learns from all texts at once" in caplog.text


def test_contributions_are_of_both():
    texts, labels = texts_and_labels()
    model = zoo.build("attcnn_bag", 2, **SMALL)
    model.fit(texts, labels, epochs=1, verbose=0)
    (found,) = model.explain(["a good day 1"])
    first = max(found.words, key=lambda word: word.contribution)
    assert first.text == "good"


def test_several_labels():
    texts, _ = texts_and_labels()
    labels = [["x"], ["y", "z"]] * 30
    model = zoo.build("attcnn_bag", 3, answers="several", **SMALL)
    model.fit(texts, labels, epochs=1, verbose=0)
    assert model.predict(texts[:2], verbose=0).shape == (2, 3)
    assert float(model.share) > 0
