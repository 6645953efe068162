"""Each model learns what its paper claims for it, and what the claim says others cannot."""

import keras
import numpy as np
import pytest

import zoo

FILLER = 5  # ids: 0 padding, below FILLER the words that matter, from there on the others
HELD_OUT = 500


class StopWhenLearned(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs):
        self.model.stop_training = logs["accuracy"] > 0.999


def learn(name, ids, targets, learning_rate, batch_size, epochs, **options):
    """Trains on all texts but the last, and gives the model and its accuracy on those."""
    classes, words = int(targets.max()) + 1, int(ids.max()) + 1
    model = zoo.build(name, num_classes=classes, vocabulary_size=words, **options)
    model.compile(
        keras.optimizers.Adam(learning_rate),
        "sparse_categorical_crossentropy",
        metrics=["accuracy"],
        jit_compile=False,
    )
    model.fit(
        ids[:-HELD_OUT],
        targets[:-HELD_OUT],
        batch_size,
        epochs,
        verbose=0,
        callbacks=[StopWhenLearned()],
    )
    found = model.predict(ids[-HELD_OUT:], 256, verbose=0).argmax(axis=-1)
    return model, np.mean(found == targets[-HELD_OUT:])


def order_texts(count, length=8, fillers=20):
    """Two words stand next to each other somewhere; which comes first is the class."""
    random = np.random.default_rng(0)
    ids = random.integers(FILLER, FILLER + fillers, (count, length))
    targets = random.integers(0, 2, count)
    at, text = random.integers(0, length - 1, count), np.arange(count)
    ids[text, at], ids[text, at + 1] = 2 + targets, 3 - targets
    return ids, targets


@pytest.mark.long
def test_relative_order_needs_relative_positions():
    """SSAN: positions as relations between words (Ambartsoumian and Popowich, Section 2.3.3)."""
    options = {"embedding_dim": 32, "dropout": 0.0, "attention_dropout": 0.0}
    ids, targets = order_texts(6500)
    _, accuracy = learn("ssan", ids, targets, 5e-3, 128, 20, max_distance=3, **options)
    assert accuracy > 0.95
    blind, accuracy = learn("ssan_none", ids, targets, 5e-3, 128, 2, **options)
    assert accuracy < 0.6
    shuffled = np.random.default_rng(0).permuted(ids, axis=1)
    np.testing.assert_allclose(
        blind.predict(shuffled, verbose=0), blind.predict(ids, verbose=0), atol=1e-5
    )


def negation_texts(count, words=12, fillers=4):
    """Two sentences: "good" in one, "bad" in the other, and "not" turns the one it stands in.

    The three are further from each other than any window reaches, and "not" is nearer to its
    own word than to the other. All texts have all three words, so that these alone say nothing.
    """
    random = np.random.default_rng(0)
    good, bad, negation = 2, 3, 4
    ids = random.integers(FILLER, FILLER + fillers, (count, 2 * words))
    places = range(4, 2 * words - 4)  # further inside than half a window
    layouts = [
        (turned, other, turns)
        for turned in places
        for other in places
        for turns in places
        if turned // words == turns // words != other // words
        and 6 <= abs(turned - turns) <= 7
        and abs(other - turned) >= 6
        and abs(other - turns) >= 9
    ]
    turned, other, turns = random.choice(layouts, count).T
    targets, text = random.integers(0, 2, count), np.arange(count)
    ids[text, turned] = np.where(targets, bad, good)  # "not bad", and good elsewhere: positive
    ids[text, other] = np.where(targets, good, bad)
    ids[text, turns] = negation
    return ids.reshape(count, 2, words), targets


@pytest.mark.slow
def test_negation_beyond_a_window_needs_attention():
    """ATT-CNN: words far apart (Zhao and Wu, Section 1); HCAN: the same, by self-attention."""
    ids, targets = negation_texts(6500)
    hierarchical = {
        "max_words": ids.shape[2],
        "max_sentences": 2,
        "output_dropout": 0.0,
        "dropout": 0.0,
    }
    _, accuracy = learn(
        "hcan", ids, targets, 3e-3, 64, 14, embedding_dim=32, num_heads=4, **hierarchical
    )
    assert accuracy > 0.95

    ids = ids.reshape(len(ids), -1)
    options = {"embedding_dim": 16, "filters": 16, "max_norm": None, "dropout": 0.0}
    attention = {"attention_dim": 16, "decay": 0.2, "windows": (1,)}  # no window of words helps it
    _, accuracy = learn("attcnn", ids, targets, 5e-3, 128, 30, **attention, **options)
    assert accuracy > 0.95
    _, accuracy = learn("cnn_kim", ids, targets, 1e-2, 128, 10, windows=(3, 4, 5), **options)
    assert accuracy < 0.6


def verdict_texts(count, sentences=6, words=7, fillers=20):
    """Each sentence is "good" or "bad"; the class is that of the one with "verdict", if any.

    A third of the texts have no verdict, which is a class of its own. Gives also the number of
    the decisive sentence, -1 for none.
    """
    random = np.random.default_rng(0)
    ids = random.integers(FILLER, FILLER + fillers, (count, sentences, words))
    opinions = random.integers(0, 2, (count, sentences))
    decisive, text = random.integers(0, sentences, count), np.arange(count)
    ids[:, :, 1] = 2 + opinions
    none = random.random(count) < 1 / 3
    ids[text, decisive, 2] = np.where(none, FILLER, 4)
    ids = random.permuted(ids, axis=2)
    targets = np.where(none, 2, opinions[text, decisive])
    return ids, targets, np.where(none, -1, decisive)


@pytest.mark.long
def test_sentence_weights_find_the_decisive_sentence():
    """HAN: the sentences' weights show what decided (Yang et al. 2016, Section 3.6)."""
    ids, targets, decisive = verdict_texts(2500)
    options = {"units": 8, "attention_dim": 16, "embedding_dim": 16, "output_dropout": 0.0}
    model, accuracy = learn("han", ids, targets, 1e-2, 64, 10, **options)
    assert accuracy > 0.95
    _, attention = model(ids[-HELD_OUT:], training=False, return_attention_scores=True)
    heaviest = keras.ops.convert_to_numpy(attention.sentences)[:, 0].argmax(axis=-1)
    decisive = decisive[-HELD_OUT:]
    assert np.mean((heaviest == decisive)[decisive >= 0]) > 0.9
