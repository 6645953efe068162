"""What holds for every layer: masks, precision, serialization, training."""

import keras
import numpy as np
import pytest

from zoo import layers

WIDTH = 8
TOKENS = {  # layers that read [batch, length, dim]
    "AttentiveConv": lambda: layers.AttentiveConv(num_heads=2, filters=5),
    "ConvMultiHeadAttention": lambda: layers.ConvMultiHeadAttention(num_heads=2, filters=10),
    "GlobalAttention": lambda: layers.GlobalAttention(attention_dim=5),
    "MaskedAveragePooling": lambda: layers.MaskedAveragePooling(),
    "MaskedMaxPooling": lambda: layers.MaskedMaxPooling(),
    "TargetAttention": lambda: layers.TargetAttention(num_heads=2, filters=10),
}
OTHERS = {
    "PositionEmbedding": lambda: layers.PositionEmbedding(max_length=4, dim=3),
    "SentenceEncoder": lambda: layers.SentenceEncoder(layers.TargetAttention(2, filters=10)),
}
CASES = TOKENS | OTHERS
every_layer = pytest.mark.parametrize("name", CASES)
every_token_layer = pytest.mark.parametrize("name", TOKENS)


def example(name, batch=3, length=6, seed=0):
    """Random input and mask, with an item that is wholly masked."""
    rng = np.random.default_rng(seed)
    shape = (batch, 2, length) if name == "SentenceEncoder" else (batch, length)
    mask = np.arange(length) < rng.integers(1, length + 1, (*shape[:-1], 1))
    mask[-1] = False
    return rng.normal(size=(*shape, WIDTH)).astype("float32"), mask


def call(layer, inputs, mask, **kwargs):
    if not isinstance(layer, layers.PositionEmbedding):
        kwargs["mask"] = mask
    return keras.tree.map_structure(
        lambda x: np.asarray(keras.ops.cast(x, "float32")), layer(inputs, **kwargs)
    )


def real(outputs, mask):
    """Outputs at real positions: a sequence is cut to the mask, a vector stays."""
    return [
        x[mask] if x.shape[: mask.ndim] == mask.shape else x for x in keras.tree.flatten(outputs)
    ]


def test_every_layer_is_tested_here():
    assert set(CASES) == set(layers.__all__)


def assert_same(got, want, tolerance=0.0):
    """Nested outputs are alike."""
    for x, y in zip(keras.tree.flatten(got), keras.tree.flatten(want), strict=True):
        np.testing.assert_allclose(x, y, atol=tolerance, rtol=tolerance)


@every_token_layer
def test_what_is_masked_never_matters(name, precision):
    layer = CASES[name]()
    inputs, mask = example(name)
    expected = real(call(layer, inputs, mask), mask)
    noise = np.where(mask[..., None], inputs, 1e3).astype("float32")
    longer = np.pad(noise, [(0, 0), (0, 5), (0, 0)], constant_values=-1e3)
    longer_mask = np.pad(mask, [(0, 0), (0, 5)])
    assert_same(real(call(layer, longer, longer_mask), longer_mask), expected, precision)
    first, alone = mask[:1], mask[:1, : mask[0].sum()]
    assert_same(
        real(call(layer, inputs[:1, : mask[0].sum()], alone), alone),
        real(call(layer, inputs[:1], first), first),
        precision,
    )


@every_layer
def test_wholly_masked_is_finite(name, precision):
    inputs, mask = example(name)
    for output in keras.tree.flatten(call(CASES[name](), inputs, np.zeros_like(mask))):
        assert np.isfinite(output).all()


@pytest.mark.parametrize("name", ["MaskedAveragePooling", "MaskedMaxPooling", "TargetAttention"])
def test_wholly_masked_sums_up_to_zeros(name):
    inputs, mask = example(name)
    assert (call(CASES[name](), inputs, mask)[-1] == 0).all()


@every_layer
def test_compute_dtype_is_the_policys(name, precision):
    inputs, mask = example(name)
    layer = CASES[name]()
    kwargs = {} if name == "PositionEmbedding" else {"mask": mask}
    for output in keras.tree.flatten(layer(inputs, **kwargs)):
        assert keras.backend.standardize_dtype(output.dtype) == layer.compute_dtype


@every_layer
def test_serialization_both_ways(name, tmp_path):
    layer = CASES[name]()
    inputs, mask = example(name)
    expected = call(layer, inputs, mask)
    copy = keras.saving.deserialize_keras_object(keras.saving.serialize_keras_object(layer))
    assert copy.get_config() == layer.get_config()
    call(copy, inputs, mask)
    copy.set_weights(layer.get_weights())
    assert_same(call(copy, inputs, mask), expected)
    ids = keras.Input(inputs.shape[1:])
    outputs = layer(ids) if name == "PositionEmbedding" else layer(ids, mask=ids[..., 0] > 0)
    model = keras.Model(ids, outputs)
    model.save(tmp_path / "layer.keras")
    loaded = keras.saving.load_model(tmp_path / "layer.keras")  # safe mode
    assert_same(loaded(inputs), model(inputs))


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("AttentiveConv", (3, 6, 2, 5)),
        ("ConvMultiHeadAttention", (3, 2, 6, 6)),
        ("GlobalAttention", (3, 6)),
        ("TargetAttention", (3, 2, 6)),
        ("SentenceEncoder", (3, 2, 2, 6)),
    ],
)
def test_scores_are_returned_on_request(name, shape):
    layer = CASES[name]()
    inputs, mask = example(name)
    *outputs, scores = call(layer, inputs, mask, return_attention_scores=True)
    assert scores.shape == shape
    assert_same(outputs, call(layer, inputs, mask))
    if name == "AttentiveConv":
        return  # matches, not weights
    mask = np.broadcast_to(
        mask[:, None, None, :] if name == "ConvMultiHeadAttention"
        else mask[..., None, :] if len(shape) > mask.ndim else mask, shape
    )  # fmt: skip
    assert (scores[~mask] == 0).all()
    np.testing.assert_allclose(scores.sum(axis=-1), mask.any(axis=-1), atol=1e-6)


@pytest.mark.parametrize(
    "build",
    [
        lambda: layers.ConvMultiHeadAttention(num_heads=3, filters=8),
        lambda: layers.TargetAttention(num_heads=0, filters=8),
        lambda: layers.AttentiveConv(num_heads=3, filters=8)(np.zeros((1, 2, 8), "float32")),
    ],
)
def test_heads_must_divide_the_width(build):
    with pytest.raises(ValueError, match=r"num_heads must divide .*: got num_heads=[03], .*=8"):
        build()


def test_unprojected_values_must_be_as_wide():
    with pytest.raises(ValueError, match="got width 8, filters=6"):
        layers.TargetAttention(2, filters=6, project_values=False)(np.zeros((1, 2, 8), "float32"))


def test_positions_beyond_the_table_share_its_last_row():
    positions = np.asarray(layers.PositionEmbedding(3, 2)(np.zeros((1, 5, 1), "float32")))
    np.testing.assert_array_equal(positions[3:], positions[[2, 2]])
    assert len(np.unique(positions, axis=0)) == 3
