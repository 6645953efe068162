"""How weights start: a factor too many and a model learns, but slower, and no other test tells."""

import keras
import numpy as np
import pytest

import zoo
from zoo import layers
from zoo.registry import create

DIM, HEADS, FILTERS, SIZE = 48, 4, 40, 3


def built(layer):
    keras.utils.set_random_seed(0)
    layer(np.zeros((1, 5, DIM), "float32"))
    return {weight.path.partition("/")[2]: np.asarray(weight) for weight in layer.weights}


def assert_uniform(weights, limit):
    """From -limit to limit, both sides reached, and as spread as it should be."""
    assert -limit <= weights.min() < -0.97 * limit
    assert 0.97 * limit < weights.max() <= limit
    assert weights.std() == pytest.approx(limit / 3**0.5, rel=0.03)


@pytest.mark.parametrize("attentive", [True, False])
def test_attentive_convolution(attentive):
    """Glorot's, of each head alone; what is projected back starts at a tenth of it."""
    weights = built(layers.AttentiveConv(HEADS, FILTERS, SIZE, attentive))
    head, ngram = DIM // HEADS, SIZE * DIM // HEADS
    assert_uniform(weights["query_kernel"], (6 / (DIM + head)) ** 0.5)
    assert_uniform(weights["filters"], (6 / (ngram + FILTERS)) ** 0.5)
    rows = HEADS * (ngram if attentive else FILTERS)
    assert_uniform(weights["output_kernel"], 0.1 * (6 / (rows + DIM)) ** 0.5)


def test_relative_positions():
    """Q, K and V start as three layers of their own would."""
    weights = built(layers.RelativePositionAttention(HEADS, DIM))
    (kernel,) = (one for one in weights.values() if one.shape == (DIM, 3 * DIM))
    assert_uniform(kernel, (6 / (DIM + DIM)) ** 0.5)


@pytest.mark.parametrize("kind", [layers.ConvMultiHeadAttention, layers.TargetAttention])
def test_convolutional_attention(kind):
    """Orthogonal: the columns or rows of each kernel have length 1 and stand upright."""
    weights = built(kind(HEADS, FILTERS, SIZE))
    kernels = [one.reshape(-1, one.shape[-1]) for one in weights.values() if one.ndim > 1]
    assert kernels
    for kernel in kernels:
        kernel = kernel if kernel.shape[0] <= kernel.shape[1] else kernel.T
        np.testing.assert_allclose(kernel @ kernel.T, np.eye(len(kernel)), atol=1e-5)


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize(
    ("kind", "parts"), [(layers.ConvMultiHeadAttention, 3), (layers.TargetAttention, 2)]
)
def test_joint_kernels_start_as_large_as_alone(kind, parts, size):
    weights = built(kind(HEADS, FILTERS, size))
    (kernel,) = (one for one in weights.values() if one.shape == (size * DIM, parts * FILTERS))
    assert np.square(kernel).sum(0).mean() == pytest.approx(1, rel=1e-5)


@pytest.mark.parametrize("name", zoo.list_models())
def test_word_vectors(name):
    """Uniform in the range that the model says, whatever it reads, but where they are solved."""
    model = create(name, 2, vocabulary_size=500)
    if model.solves:
        return
    model.embed.build(None)
    assert_uniform(np.asarray(model.embed.embeddings), model.embedding_range)
