"""What a model must do on JAX. Run by test_jax.py in a process of its own: NAMES FOLDER.

Leaves in FOLDER for each name its ids, its probabilities and the saved model.
"""

import sys
from pathlib import Path

import jax
import keras
import numpy as np

import zoo
from zoo.datasets import Preprocessor
from zoo.explanation.faithfulness import faithfulness
from zoo.layers.pairwise_attention import additive_scores

names, folder = sys.argv[1].split(","), Path(sys.argv[2])
assert keras.backend.backend() == "jax"
rng = np.random.default_rng(0)

for name in names:
    layers = {"num_layers": 2} if name == "act" else {}  # a third would take seconds to compile
    sizes = {"embedding_dim": 24, "vocabulary_size": 50, "max_words": 12}
    model = zoo.build(name, num_classes=3, **sizes, **layers)
    words = 4 * getattr(model, "block_words", 0) or 7  # blocks that attend to blocks
    ids = rng.integers(1, 50, (8, 3, words) if model.hierarchical else (8, words))
    ids = np.where(rng.random(ids.shape) < 0.8, ids, 0)
    if name == "act":
        centers = model.centers.centers
    before = [weight.numpy() for weight in model.trainable_weights]
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    loss = model.fit(ids, np.arange(8) % 3, batch_size=4, epochs=1, verbose=0).history["loss"]
    assert np.isfinite(loss).all(), f"{name}: the loss is {loss}"
    for weight, old in zip(model.trainable_weights, before, strict=True):
        assert not np.array_equal(weight, old), f"{name}: no gradient reached {weight.path}"
    probabilities = model.predict(ids, verbose=0)
    model.save(folder / f"{name}.keras")
    loaded = keras.saving.load_model(folder / f"{name}.keras")
    for weight, same in zip(model.weights, loaded.weights, strict=True):
        np.testing.assert_array_equal(weight, same)
    np.savez(folder / f"{name}.npz", ids=ids, probabilities=probabilities)

if "attcnn" in names:  # whose scores have a gradient of their own
    inputs = [rng.normal(size=size).astype("float32") for size in ((2, 5, 4), (2, 5, 4), (4,))]
    along = rng.normal(size=(2, 5, 5))

    def plain(query, key, context):
        return jax.numpy.tanh(query[:, :, None] + key[:, None]) @ context

    both = [
        jax.grad(lambda *x, scores=scores: (scores(*x) * along).sum(), (0, 1, 2))(*inputs)
        for scores in (additive_scores, plain)
    ]
    for own, expected in zip(*both, strict=True):
        np.testing.assert_allclose(own, expected, atol=1e-4)

if "act" in names:  # its other arithmetic: words of two entities, of letters, and of four times
    assert np.abs(centers.numpy()).max() > 0  # which no gradient moves
    model = zoo.build("act", 3, "relations", vocabulary_size=50, subwords=50, num_layers=1)
    model.compile("adam", "sparse_categorical_crossentropy")
    ids = rng.integers(4, 200, (8, 7))  # the id and what the word is of
    assert np.isfinite(model.fit(ids, np.arange(8) % 3, verbose=0).history["loss"]).all()
    model = zoo.build("act", 3, embedding_dim=24, vocabulary_size=6, max_words=12, num_layers=1)
    model.preprocessor = Preprocessor(list("abcd"), max_words=12)
    model.labels = ["x", "y", "z"]
    explained = model.explain(["a b c d a b c"])
    assert abs(explained[0].error) < 0.05
    found = faithfulness(model, explained, draws=2)
    assert [one.texts for one in found.values()] == [1, 1]
