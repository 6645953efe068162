"""Paragraph Vector infers a text's vector by steps along its objective."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

import zoo
from tests.kinds import long_unless, slow_unless
from tests.models.test_bag import corpus, solved, texts


def objective(document, words, table, noise):
    """The mean over the words of log s(u_w . d) + 5 E log s(-u . d), in float64."""
    return np.log(expit(words @ document)).mean() + 5 * noise @ np.log(expit(-table @ document))


def slope(document, *others):
    """The objective's gradient, by differences."""
    return np.array(
        [
            (objective(document + move, *others) - objective(document - move, *others)) / 2e-6
            for move in 1e-6 * np.eye(len(document))
        ]
    )


@pytest.mark.parametrize(
    ("name", "options"),
    [
        long_unless(False, "paragraph_vector", {"steps": 3}),
        slow_unless(False, "bag_of_means", {"clusters": 2}),
    ],
)
def test_a_seed_is_of_what_gensim_and_scikit_learn_draw(name, options, csv_file):
    rows, found = pd.read_csv(csv_file), []
    settings = {"options": options, "calibrate": False, "keep": "last"}  # else the seed splits
    for seed in (0, 0, 1):
        learner = zoo.Classifier(name, seed=seed, **settings).fit(rows["review"], rows["stars"])
        found.append(learner.predict_proba(["a good stay", "so bad and sad"]))
    np.testing.assert_array_equal(found[0], found[1])
    assert not np.allclose(found[0], found[2], atol=1e-4)


def test_a_documents_vector_climbs_its_objective():
    random = np.random.default_rng(0)
    model = zoo.build("paragraph_vector", 2, vocabulary_size=12, embedding_dim=4)
    table = random.normal(size=(12, 4))
    table[:2] = 0
    noise = np.r_[0, 0, random.dirichlet(np.ones(10))]
    model.embed.embeddings.assign(table)
    model.noise.assign(noise)
    ids = np.array([[2, 5, 5, 7, 0], [3, 1, 4, 0, 0]])  # 1 is the unknown word
    for row, words in zip(np.asarray(model.vectors(ids)), ([2, 5, 5, 7], [3, 4]), strict=True):
        document = np.zeros(4)
        for step in range(20):
            rate = model.step_size * (1 - step / 20)
            document += rate * slope(document, table[words], table, noise)
        np.testing.assert_allclose(row, document, rtol=1e-3)
        ends = (objective(vector, table[words], table, noise) for vector in (0 * row, row))
        assert next(ends) < next(ends)


def test_a_text_without_known_words_is_no_document():
    model = zoo.build("paragraph_vector", 2, vocabulary_size=12)
    assert not np.asarray(model.vectors(np.array([[0, 0], [1, 0]]))).any()


def test_it_learns_what_words_tell():
    split = corpus(2, count=600)
    model = solved("paragraph_vector", split, embedding_dim=16, steps=3)
    new = texts(200, seed=1)
    right = model.predict(new, verbose=0).argmax(-1) == [
        len(text.split()) < 8 * ("good" in text) for text in new
    ]
    assert right.mean() > 0.7
