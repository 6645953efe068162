"""What holds for every layer: masks, precision, serialization, training."""

import gc
import inspect

import keras
import numpy as np
import pytest
import tensorflow as tf

from zoo import layers
from zoo.errors import UsageError
from zoo.layers.bidirectional import Bidirectional
from zoo.layers.masking import masked_softmax
from zoo.layers.pairwise_attention import additive_scores

WIDTH = 8
TOKENS = {  # layers that read [batch, length, dim]
    "AttentiveConv": lambda: layers.AttentiveConv(num_heads=2, filters=5),
    "ContextAttention": lambda: layers.ContextAttention(attention_dim=5),
    "ConvMultiHeadAttention": lambda: layers.ConvMultiHeadAttention(num_heads=2, filters=10),
    "GlobalAttention": lambda: layers.GlobalAttention(attention_dim=5, num_contexts=2),
    "MaskedAveragePooling": lambda: layers.MaskedAveragePooling(),
    "MaskedMaxPooling": lambda: layers.MaskedMaxPooling(),
    "NgramPooling": lambda: layers.NgramPooling(filters=5, windows=(2, 3)),
    "PairwiseAttention": lambda: layers.PairwiseAttention(attention_dim=5, decay=0.2),
    "RelativePositionAttention": lambda: layers.RelativePositionAttention(2, 6, max_distance=2),
    "TargetAttention": lambda: layers.TargetAttention(num_heads=2, filters=10),
    "TransformerLayer": lambda: layers.TransformerLayer(2, hidden_dim=5, max_distance=2),
}
POSITIONS = {  # layers that read the length only
    "PositionEmbedding": lambda: layers.PositionEmbedding(max_length=4, dim=3),
    "SinusoidalPositions": lambda: layers.SinusoidalPositions(dim=4),
}
OTHERS = {
    "SentenceEncoder": lambda: layers.SentenceEncoder(layers.TargetAttention(2, filters=10)),
}
CASES = TOKENS | POSITIONS | OTHERS
ROLES = np.array([[0, 1, 3, 2, 0], [0, 0, 0, 2, 0]])
OWN = {  # layers that read something else, and what: shapes of floats, or whole numbers
    "CenterLoss": (lambda: layers.CenterLoss(3, rate=0.2), [(2, 4), np.array([2, 0])]),
    "EntityPositions": (lambda: layers.EntityPositions(2, 3), [ROLES]),
    "PositionAwareAttention": (
        lambda: layers.PositionAwareAttention(7),
        [(2, 5, 4), (2, 4), (2, 5, 6)],
    ),
    "SubwordEmbedding": (lambda: layers.SubwordEmbedding(4, 3, 9, 2), [ROLES]),
}
BUILD = CASES | {name: build for name, (build, _) in OWN.items()}
every_layer = pytest.mark.parametrize("name", CASES)
every_token_layer = pytest.mark.parametrize("name", TOKENS)
in_every_precision = pytest.mark.parametrize(
    "precision", ["float32", "mixed_bfloat16", "mixed_float16"], indirect=True
)


def example(name, batch=3, length=6, seed=0):
    """Random input and mask, with an item that is wholly masked."""
    rng = np.random.default_rng(seed)
    shape = (batch, 2, length) if name == "SentenceEncoder" else (batch, length)
    mask = np.arange(length) < rng.integers(1, length + 1, (*shape[:-1], 1))
    mask[-1] = False
    return rng.normal(size=(*shape, WIDTH)).astype("float32"), mask


def call(layer, inputs, mask, **kwargs):
    if layer.__class__.__name__ not in POSITIONS:
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
    assert {*BUILD} == set(layers.__all__)  # more of these in their own files


def assert_same(got, want, tolerance=0.0):
    """Nested outputs are alike."""
    for x, y in zip(keras.tree.flatten(got), keras.tree.flatten(want), strict=True):
        np.testing.assert_allclose(x, y, atol=tolerance, rtol=tolerance)


@in_every_precision
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


@in_every_precision
@every_layer
def test_wholly_masked_is_finite(name, precision):
    inputs, mask = example(name)
    for output in keras.tree.flatten(call(CASES[name](), inputs, np.zeros_like(mask))):
        assert np.isfinite(output).all()


@pytest.mark.parametrize(
    "name",
    "ContextAttention GlobalAttention MaskedAveragePooling MaskedMaxPooling "
    "NgramPooling TargetAttention".split(),
)
def test_wholly_masked_sums_up_to_zeros(name):
    inputs, mask = example(name)
    assert (call(CASES[name](), inputs, mask)[-1] == 0).all()


@every_token_layer
def test_integers_are_read_as_floats(name):
    layer, inputs = CASES[name](), np.random.default_rng(0).integers(0, 3, (2, 4, WIDTH))
    assert_same(call(layer, inputs, None), call(layer, inputs.astype("float32"), None))


@every_token_layer
def test_frozen_it_is_loaded_frozen(name, tmp_path):
    inputs = keras.Input((4, WIDTH))
    frozen = CASES[name]()
    outputs = keras.tree.flatten(frozen(inputs))[0]
    frozen.trainable = False
    keras.Model(inputs, keras.layers.Dense(2)(outputs)).save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    assert len(loaded.trainable_variables) == 2  # Dense's


@every_layer
def test_compute_dtype_is_the_policys(name, precision):
    inputs, mask = example(name)
    layer = CASES[name]()
    kwargs = {} if name in POSITIONS else {"mask": mask}
    for output in keras.tree.flatten(layer(inputs, **kwargs)):
        assert keras.backend.standardize_dtype(output.dtype) == layer.compute_dtype


def test_softmax_is_float32_at_least():
    for dtype, wanted in (("bfloat16", "float32"), ("float16", "float32"), ("float64", "float64")):
        weights = masked_softmax(keras.ops.ones((1, 3), dtype), np.ones((1, 3), bool))
        assert keras.backend.standardize_dtype(weights.dtype) == wanted
        np.testing.assert_allclose(keras.ops.sum(weights), 1, atol=1e-6)


@pytest.mark.parametrize("name", BUILD)
def test_every_argument_is_in_the_config(name):
    layer = BUILD[name]()
    assert {*inspect.signature(type(layer)).parameters} - {"kwargs"} <= {*layer.get_config()}


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
    outputs = layer(ids) if name in POSITIONS else layer(ids, mask=ids[..., 0] > 0)
    model = keras.Model(ids, outputs)
    model.save(tmp_path / "layer.keras")
    loaded = keras.saving.load_model(tmp_path / "layer.keras")  # safe mode
    assert_same(loaded(inputs), model(inputs))


def told_shapes(layer, *shapes):
    """The shapes that ``compute_output_shape`` tells, one for each output."""
    told = layer.compute_output_shape(*shapes)
    several = bool(told) and isinstance(told[0], tuple)
    return list(told) if several else [told]


@pytest.mark.parametrize("name", BUILD)
def test_output_shapes_are_told_before_a_call(name):
    """Also where the batch and the length are not known, and by a layer that is not built."""
    build, read = OWN.get(name, (BUILD[name], [(2, 3, 6, 8) if name in OTHERS else (2, 6, WIDTH)]))
    inputs = [np.ones(x, "float32") if isinstance(x, tuple) else x for x in read]
    layer = build()
    told = told_shapes(layer, *[x.shape for x in inputs])
    assert all(type(shape) is tuple for shape in told)
    outputs = keras.tree.flatten(layer(*inputs))
    assert told == [tuple(x.shape) for x in outputs]
    assert told == told_shapes(layer, *[list(x.shape) for x in inputs])
    floats = [x.ndim > 1 and x.dtype == "float32" for x in inputs]
    open_shapes = [
        (*[None] * (x.ndim - is_float), *x.shape[x.ndim - is_float :])
        for x, is_float in zip(inputs, floats, strict=True)
    ]
    told_open = told_shapes(build(), *open_shapes)
    for known, unknown in zip(told, told_open, strict=True):
        assert len(known) == len(unknown)
        assert all(size in (None, wanted) for size, wanted in zip(unknown, known, strict=True))
    if name == "CenterLoss":
        return  # its centres cannot be traced
    symbolic = [
        keras.Input(shape[1:], dtype=str(x.dtype))
        for shape, x in zip(open_shapes, inputs, strict=True)
    ]
    traced = [tuple(x.shape) for x in keras.tree.flatten(build()(*symbolic))]
    assert [len(shape) for shape in traced] == [len(shape) for shape in told_open]
    for known, unknown in zip(told_open, traced, strict=True):
        assert all(size in (None, wanted) for size, wanted in zip(unknown, known, strict=True))


INITIALIZERS = [
    (name, option)
    for name, build in BUILD.items()
    for option in inspect.signature(type(build())).parameters
    if option.endswith("initializer")
]


def call_once(layer):
    name = type(layer).__name__
    _, read = OWN.get(name, (None, [(2, 3, WIDTH)]))
    layer(*[np.ones(x, "float32") if isinstance(x, tuple) else x for x in read])
    return layer


@pytest.mark.parametrize(("name", "option"), INITIALIZERS)
def test_initializers_are_given_as_to_layers_of_keras(name, option):
    """By name, as an object, or as a configuration; and they are saved."""
    kind, config = type(BUILD[name]()), BUILD[name]().get_config()
    constant = keras.initializers.Constant(0.25)
    written = keras.initializers.serialize(constant)
    for given in (constant, written, lambda shape, dtype=None: keras.ops.full(shape, 0.25, dtype)):
        layer = call_once(kind(**config | {option: given}))
        assert any((np.asarray(weight) == 0.25).all() for weight in layer.weights)
        if not callable(given) or given is constant:
            assert layer.get_config()[option] == written
    layer = kind(**config | {option: "he_normal"})
    assert layer.get_config()[option]["class_name"] == "HeNormal"
    copy = kind.from_config(layer.get_config())
    assert copy.get_config() == layer.get_config()
    plain = {key: value for key, value in config.items() if key != option}  # of an older file
    assert kind.from_config(plain).get_config() == config
    with pytest.raises(UsageError, match="unknown initializer 'he_norml'. Did you mean 'he_normal"):
        kind(**config | {option: "he_norml"})
    with pytest.raises(UsageError, match="an initializer must be a name, .*: got 5"):
        kind(**config | {option: 5})


@pytest.mark.parametrize("name", ["AttentiveConv", "ConvMultiHeadAttention", "TargetAttention"])
def test_joint_kernels_start_each_for_itself(name):
    """Those of a head, or of Q, K and V: Glorot's limit is that of a kernel alone, as large."""
    kind, config = type(BUILD[name]()), BUILD[name]().get_config()
    layer = kind(**config | {"kernel_initializer": "glorot_uniform", "filters": 40, "num_heads": 4})
    call_once(layer)
    if name == "AttentiveConv":
        kernel, rows, columns = layer.filter_kernel, 3 * WIDTH // 4, 40
    else:
        kernel, rows, columns = layer.projection.kernel, 3 * WIDTH, 40
    limit = (6 / (rows + columns)) ** 0.5
    values = np.asarray(kernel)
    assert 0.9 * limit < np.abs(values).max() <= limit
    first, second = np.split(values, 2, axis=0 if name == "AttentiveConv" else -1)
    assert not np.array_equal(first, second)


def test_one_initializer_starts_no_two_weights_alike():
    layer = call_once(layers.PairwiseAttention(5, kernel_initializer=keras.initializers.HeNormal()))
    assert not np.array_equal(layer.query_kernel, layer.key_kernel)


@pytest.mark.parametrize("name", OWN)
def test_serialization_of_other_layers(name, precision):
    build, read = OWN[name]
    layer, inputs = build(), [np.ones(x) if isinstance(x, tuple) else x for x in read]
    wanted = layer(*inputs)
    copy = keras.saving.deserialize_keras_object(keras.saving.serialize_keras_object(layer))
    copy(*inputs)
    copy.set_weights(layer.get_weights())
    assert copy.get_config() == layer.get_config()
    assert keras.ops.all(copy(*inputs) == wanted)
    if name != "CenterLoss":  # which is float32
        assert keras.backend.standardize_dtype(wanted.dtype) == layer.compute_dtype


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("AttentiveConv", (3, 6, 2, 5)),
        ("ConvMultiHeadAttention", (3, 2, 6, 6)),
        ("ContextAttention", (3, 6)),
        ("GlobalAttention", (3, 2, 6)),
        ("PairwiseAttention", (3, 6, 6)),
        ("RelativePositionAttention", (3, 2, 6, 6)),
        ("TargetAttention", (3, 2, 6)),
        ("TransformerLayer", (3, 2, 6, 6)),
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
    while mask.ndim < scores.ndim:  # of each head, each word
        mask = mask[..., None, :]
    mask = np.broadcast_to(mask, shape)
    assert (scores[~mask] == 0).all()
    if name == "PairwiseAttention":  # a word does not attend to itself
        mask = mask & ~np.eye(6, dtype=bool)
    np.testing.assert_allclose(scores.sum(axis=-1), mask.any(axis=-1), atol=1e-6)


@pytest.mark.parametrize(
    "build",
    [
        lambda: layers.ConvMultiHeadAttention(num_heads=3, filters=8),
        lambda: layers.TargetAttention(num_heads=3, filters=8),
        lambda: layers.RelativePositionAttention(num_heads=3, dim=8),
        lambda: layers.AttentiveConv(num_heads=3, filters=8)(np.zeros((1, 2, 8), "float32")),
    ],
)
def test_heads_must_divide_the_width(build):
    with pytest.raises(ValueError, match="num_heads must divide .*: got num_heads=3, .*=8"):
        build()


@pytest.mark.parametrize("name", BUILD)
def test_sizes_are_whole_numbers_above_zero(name):
    layer = BUILD[name]()
    config = layer.get_config()
    for size in (key for key, value in config.items() if type(value) is int):
        for wrong in (-1, 1.5) if size == "max_distance" else (0, -1, 1.5):
            with pytest.raises(ValueError, match=f"{size} must .*{wrong}"):
                type(layer)(**config | {size: wrong})
    if name == "NgramPooling":
        for windows, message in (((), "at least one width"), ((3, 0), "least 1: got 0")):
            with pytest.raises(ValueError, match=message):
                layers.NgramPooling(windows=windows)


def test_unprojected_values_must_be_as_wide():
    with pytest.raises(ValueError, match="got width 8, filters=6"):
        layers.TargetAttention(2, filters=6, project_values=False)(np.zeros((1, 2, 8), "float32"))


@pytest.mark.parametrize("decay", [-0.1, 1.5])
def test_decay_is_a_share(decay):
    with pytest.raises(ValueError, match=f"decay must be between 0 and 1: got {decay}"):
        layers.PairwiseAttention(decay=decay)


def slope(function, variable, direction, step=1e-6):
    """The central difference of ``function`` along ``direction``."""
    start = variable.numpy()
    variable.assign(start + step * direction)
    above = float(function())
    variable.assign(start - step * direction)
    below = float(function())
    variable.assign(start)
    return (above - below) / (2 * step)


def assert_slopes(function, variables, rng):
    """The gradients of a function of float64 are its slopes, each along a random direction."""
    with tf.GradientTape() as tape:
        result = function()
    assert result.dtype == tf.float64
    gradients = [tf.convert_to_tensor(x) for x in tape.gradient(result, variables)]
    for variable, gradient in zip(variables, gradients, strict=True):
        direction = rng.normal(size=variable.shape)
        want = float(tf.reduce_sum(gradient * direction))
        np.testing.assert_allclose(slope(function, variable, direction), want, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("name", sorted({*CASES} - {"SinusoidalPositions"}))
def test_gradients_are_finite_differences(name):
    """In float64, for the inputs and every weight, each in a random direction."""
    keras.config.set_dtype_policy("float64")
    try:
        layer = CASES[name]()
        rng = np.random.default_rng(1)
        inputs, mask = example(name)
        inputs = tf.Variable(inputs.astype("float64"))
        call(layer, inputs, mask)
        for weight in layer.weights:
            weight.assign(rng.normal(size=weight.shape))
        kwargs = {} if name in POSITIONS else {"mask": mask}
        kept = [  # of each output: random shares of what is real
            np.where(mask[..., None], share, 0) if share.shape[: mask.ndim] == mask.shape else share
            for output in keras.tree.flatten(layer(inputs, **kwargs))
            for share in [rng.normal(size=output.shape)]
        ]

        def total():
            outputs = keras.tree.flatten(layer(inputs, **kwargs))
            return sum(tf.reduce_sum(x * y) for x, y in zip(outputs, kept, strict=True))

        variables = [weight.value for weight in layer.trainable_weights]
        if name not in POSITIONS:
            variables.append(inputs)
        assert_slopes(total, variables, rng)
    finally:
        keras.config.set_dtype_policy("float32")


@pytest.mark.parametrize("name", OWN)
def test_gradients_of_other_layers_are_finite_differences(name):
    """Of each weight, and of what is read if it is floats."""
    build, read = OWN[name]
    keras.config.set_dtype_policy("float64")
    try:
        layer, rng = build(), np.random.default_rng(0)
        inputs = [tf.Variable(rng.normal(size=x)) if isinstance(x, tuple) else x for x in read]
        layer(*inputs)
        if name == "SubwordEmbedding":
            layer.members.assign(rng.integers(0, 9, layer.members.shape))
        for weight in layer.trainable_weights:
            weight.assign(rng.normal(size=weight.shape))
        kept = rng.normal(size=layer(*inputs).shape)
        variables = [weight.value for weight in layer.trainable_weights]
        variables += [x for x in inputs if isinstance(x, tf.Variable)]
        assert variables
        assert_slopes(lambda: tf.reduce_sum(layer(*inputs) * kept), variables, rng)
    finally:
        keras.config.set_dtype_policy("float32")


@keras.saving.register_keras_serializable("test")
class ManyDirections(keras.Model):
    """Encoders made one after the other, with addresses that become free in between."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.encoders = []
        for number in range(150):
            self.encoders.append(Bidirectional(keras.layers.GRU(1)))
            if number % 3 == 0:
                gc.collect()

    def call(self, inputs):
        return self.encoders[-1](inputs)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.build... was called on layer:UserWarning")  # all but one
def test_encoders_of_both_directions_load_as_they_are(tmp_path):
    gc.freeze()  # collecting is fast without all else
    try:
        model = ManyDirections()
        inputs = np.random.default_rng(0).normal(size=(2, 3, 1)).astype("float32")
        wanted = model(inputs)
        model.save(tmp_path / "model.keras")
        loaded = keras.saving.load_model(tmp_path / "model.keras")
    finally:
        gc.unfreeze()
    np.testing.assert_array_equal(loaded(inputs), wanted)


def test_pairwise_scores_of_huge_inputs_are_finite():
    """Its exponentials overflow nowhere, and where one of the two is far from zero or both are on
    one side it is still tanh: beyond 40 they are cut, so that 100 and -50 would cancel out.
    """
    query = np.array([[[100.0], [-100.0], [3.0]]], "float32")
    key = np.array([[[100.0], [-100.0], [-2.0]]], "float32")
    query, key, context = (tf.Variable(x) for x in (query, key, np.float32([2.0])))
    with tf.GradientTape() as tape:
        scores = additive_scores(query, key, context)
    wanted = 2 * np.tanh(query.numpy() + key.numpy()[:, None, :, 0])
    np.testing.assert_allclose(scores, wanted, atol=1e-5)
    for gradient in tape.gradient(scores, [query, key, context]):
        assert np.isfinite(gradient).all()


@pytest.mark.parametrize("length", [1, 6, 32, 33])
def test_pairs_are_trained_on_what_is_predicted(length):
    """In training they are computed by XLA, in blocks: the same outputs, and tanh's gradients."""
    inputs = tf.random.stateless_normal((2, length, 4), (0, length))
    mask = tf.sequence_mask([length, (length + 1) // 2], length)
    layer = layers.PairwiseAttention(attention_dim=5, decay=0.2)
    layer.build(inputs.shape)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(inputs)
        trained = layer(inputs, mask=mask, training=True)
        query, key = (
            tf.matmul(inputs, x)[:, :, None] for x in (layer.query_kernel, layer.key_kernel)
        )
        pairs = tf.tanh(query + tf.transpose(key, (0, 2, 1, 3)))
        plain = tf.tensordot(pairs, layer.context.value[:, 0], 1)
        scores = layer.score_pairs(inputs, training=True)
    np.testing.assert_allclose(trained, layer(inputs, mask=mask), atol=1e-5)
    np.testing.assert_allclose(scores, plain, atol=1e-5)
    of = [inputs, *(weight.value for weight in layer.trainable_weights)]
    along = tf.random.stateless_normal(plain.shape, (1, length))
    got, want = (tape.gradient(y, of, output_gradients=along) for y in (scores, plain))
    for ours, plain_one in zip(got, want, strict=True):
        np.testing.assert_allclose(ours, plain_one, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", [layers.GlobalAttention, layers.PositionAwareAttention])
def test_of_several_inputs_the_first_ones_own_mask_counts(kind):
    """Keras then gives it under another name."""
    ids, overall = keras.Input([None], dtype="int32"), keras.Input([6])
    words = keras.layers.Embedding(9, 6, mask_zero=True)(ids)
    model = keras.Model([ids, overall], kind(5)(words, overall))
    few = np.random.default_rng(0).integers(1, 9, (2, 4))
    padded = np.pad(few, [(0, 0), (0, 3)])
    summary = np.ones((2, 6), "float32")
    expected = model.predict([few, summary], verbose=0)
    np.testing.assert_allclose(model.predict([padded, summary], verbose=0), expected, atol=1e-6)


def test_a_sentence_is_there_where_any_of_its_words_is():
    mask = np.array([[[True, False], [False, True], [True, True], [False, False]]])
    layer = layers.SentenceEncoder(layers.TargetAttention(2, filters=10))
    found = layer.compute_mask(None, mask)
    np.testing.assert_array_equal(found, [[True, True, True, False]])
    assert layer.compute_mask(None, None) is None
