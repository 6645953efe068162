"""The rivals of the benchmarks do our models' arithmetic, and operations are counted rightly."""

import jax
import jax.numpy as jnp
import numpy as np
import pandas as pd
import pytest
import tensorflow as tf

import zoo
from benchmarks import gpu, gpu_report, measure, profile, rivals
from benchmarks.measure import Documents, operations
from zoo.layers import PairwiseAttention

DOCUMENTS = np.array([[[2, 3, 4, 5], [6, 7, 0, 0]], [[8, 9, 2, 0], [0, 0, 0, 0]]])
TEXTS = np.array([[2, 3, 4, 5, 6], [7, 8, 9, 0, 0]])


def copy_level_of_han(ours, plain):
    plain.gru.set_weights(ours.encoder.get_weights())
    by_name = {weight.name: weight.numpy() for weight in ours.summary.weights}
    plain.hidden.set_weights([by_name["kernel"], by_name["bias"]])
    plain.context.set_weights([by_name["context"]])


def copy_level_of_hcan(ours, plain):
    plain.positions.set_weights(ours.positions.get_weights())
    plain.norm.set_weights(ours.norm.get_weights())
    plain.query.set_weights([ours.summary.target.numpy()])
    kernels, biases = [], []
    for part, count in ((ours.attention, 3), (ours.parallel, 3), (ours.summary, 2)):
        kernel, bias = part.projection.get_weights()
        kernels += np.split(kernel, count, axis=1)
        biases += np.split(bias, count)
    for convolution, kernel, bias in zip(plain.convolutions, kernels, biases, strict=True):
        convolution.set_weights([kernel.reshape(3, -1, kernel.shape[-1]), bias])


@pytest.mark.parametrize(
    ("name", "options", "build", "copy"),
    [
        ("han", {"units": 3, "attention_dim": 4}, rivals.plain_han, copy_level_of_han),
        ("hcan", {"num_heads": 2}, rivals.plain_hcan, copy_level_of_hcan),
    ],
)
@pytest.mark.parametrize("one_by_one", [True, False])
@pytest.mark.filterwarnings("ignore:.*was passed an input with a mask:UserWarning")  # of rivals
@pytest.mark.slow
def test_plain_hierarchical_forms(name, options, build, copy, one_by_one):
    ours = zoo.build(name, 3, vocabulary_size=10, embedding_dim=6, **options)
    plain = build(ours, one_by_one)
    plain(DOCUMENTS)
    assert plain.count_params() == ours.count_params()
    plain.embed.set_weights(ours.embed.get_weights())
    plain.classify.set_weights(ours.classify.get_weights())
    copy(ours.words.layer, plain.words)
    copy(ours.sentences, plain.sentences)
    np.testing.assert_allclose(plain(DOCUMENTS), ours(DOCUMENTS), atol=1e-5)
    plain.compile("sgd", "sparse_categorical_crossentropy", run_eagerly=True)
    assert np.isfinite(plain.train_on_batch(DOCUMENTS, np.array([0, 2])))


@pytest.mark.slow
def test_plain_act():
    ours = zoo.build(
        "act", 3, vocabulary_size=10, embedding_dim=6, num_heads=2, filters=4, max_words=8
    )
    plain = rivals.PlainACT(ours)
    plain(TEXTS)
    assert plain.count_params() == ours.count_params() - 3 * ours.hidden_dim  # the centres
    for name in ("embed", "positions", "attention", "hidden", "classify"):
        getattr(plain, name).set_weights(getattr(ours, name).get_weights())
    for i, layer in enumerate(ours.convolutions):
        plain.norms[i].set_weights(ours.norms[i].get_weights())
        plain.outputs_[i].set_weights([layer.output_kernel.numpy().reshape(-1, 6)])
        for j, head in enumerate(plain.heads[i]):
            head.query.set_weights([layer.query_kernel.numpy()[:, 3 * j : 3 * j + 3]])
            kernel = layer.filter_kernel.numpy()[j].reshape(3, 3, 4)
            head.convolve.set_weights([kernel, layer.bias.numpy()[4 * j : 4 * j + 4]])
    np.testing.assert_allclose(plain(TEXTS), ours(TEXTS), atol=1e-5)


@pytest.mark.parametrize(
    ("name", "build"),
    [
        ("ssan", rivals.plain_ssan),
        ("attcnn", rivals.plain_attcnn),
        ("attcnn", lambda like: rivals.plain_attcnn(like, rivals.PairedAttention)),
    ],
)
def test_plain_forms_over_all_pairs(name, build):
    ours = zoo.build(name, 3, vocabulary_size=10, embedding_dim=6)
    plain = build(ours)
    plain(TEXTS)
    plain.set_weights(ours.get_weights())
    np.testing.assert_allclose(plain(TEXTS), ours(TEXTS), atol=1e-5)


def gates(weights, order):
    """Keras' kernels and biases of a recurrent layer as PyTorch's, whose gates stand otherwise."""

    def reordered(x):
        parts = np.split(np.asarray(x), len(order), axis=-1)
        return np.concatenate([parts[i] for i in order], axis=-1).T

    kernel, recurrent, bias = weights
    biases = bias if len(bias.shape) == 2 else (bias, np.zeros(bias.shape))
    return [reordered(x) for x in (kernel, recurrent, *biases)]


def copy_to_torch(parameters, arrays):
    import torch

    with torch.no_grad():
        for parameter, array in zip(parameters, arrays, strict=True):
            parameter.copy_(torch.tensor(np.array(array)))


def test_han_of_torch():
    torch = pytest.importorskip("torch", reason="PyTorch comes with make bench")
    ours = zoo.build("han", 3, vocabulary_size=10, embedding_dim=6, units=3, attention_dim=4)
    full = np.where(DOCUMENTS == 0, 9, DOCUMENTS)
    ours(full)
    theirs = rivals.torch_han(ours)
    arrays = [ours.embed.get_weights()[0]]
    for level in (ours.words.layer, ours.sentences):
        weights = level.encoder.get_weights()
        by_name = {weight.name: weight.numpy() for weight in level.summary.weights}
        arrays += [*gates(weights[:3], (1, 0, 2)), *gates(weights[3:], (1, 0, 2))]
        arrays += [by_name["kernel"].T, by_name["bias"], by_name["context"].T.reshape(1, -1)]
    kernel, bias = ours.classify.get_weights()
    copy_to_torch(theirs.parameters(), [*arrays, kernel.T, bias])
    scores = theirs(torch.from_numpy(full)).softmax(-1).detach()
    np.testing.assert_allclose(scores, ours(full), atol=1e-5)


def test_lstm_of_torch():
    torch = pytest.importorskip("torch", reason="PyTorch comes with make bench")
    ours = zoo.build("lstm", 3, vocabulary_size=10, embedding_dim=6, units=3)
    full = np.where(TEXTS == 0, 3, TEXTS)
    ours(full)
    theirs = rivals.torch_lstm(ours).eval()
    kernel, bias = ours.classify.get_weights()
    arrays = gates(ours.encoder.get_weights(), (0, 1, 2, 3))
    copy_to_torch(theirs.parameters(), [ours.embed.get_weights()[0], *arrays, kernel.T, bias])
    scores = theirs(torch.from_numpy(full)).softmax(-1).detach()
    np.testing.assert_allclose(scores, ours(full), atol=1e-5)


@pytest.mark.slow
def test_transformer_of_keras():
    like = zoo.build("act", 3, vocabulary_size=10, embedding_dim=6, max_words=8)
    transformer = rivals.keras_transformer(like)
    more_padding = np.pad(TEXTS, [[0, 0], [0, 2]])
    np.testing.assert_allclose(transformer(TEXTS), transformer(more_padding), atol=1e-5)
    transformer.compile("adamw", "sparse_categorical_crossentropy", jit_compile=False)
    assert np.isfinite(transformer.train_on_batch(TEXTS, np.array([0, 2])))


def counted(function, *shapes):
    return gpu.operations(jax.make_jaxpr(function)(*map(jnp.ones, shapes)).jaxpr)


@pytest.mark.parametrize("batches", [1, 3])
def test_operations_of_act(batches):
    """Of each word and text, and of each batch: filters by the output's weights, positions."""
    model = zoo.build(
        "act", 3, vocabulary_size=9, embedding_dim=6, num_heads=2, filters=4, num_layers=1,
        attention_dim=5, position_dim=7, hidden_dim=8,
    )  # fmt: skip
    ids = tf.ragged.constant([[2, 3, 4], [5], [6, 7]], dtype="int64")
    convolution = 6 * 6 + 2 * 9 * 4 + 2 * 4 * 6
    attention = 6 * 5 + 5 + 6 + 6  # its score, and what it adds up
    of_text = 2 * 4 * 6 + 6 * 8 + 8 * 3
    of_batch = 2 * 9 * 4 * 6 + 2 * 7 * 5  # of two words on average
    wanted = 2 * (6 * (convolution + attention) + 3 * of_text + batches * of_batch)
    got = Documents.operations_of_ids(model, ids, batches)
    assert got == pytest.approx(wanted)


def test_operations_in_loops():
    """ATT-CNN's scores of pairs are computed a word at a time."""
    counts = [
        operations(form(5), tf.TensorSpec((2, 7, 4)))
        for form in (PairwiseAttention, rivals.PlainPairwise)
    ]
    words, pairs = 2 * 7, 2 * 7 * 7
    assert counts[0] == counts[1] == 2 * (2 * words * 4 * 5 + pairs * 5 + pairs * 4)


def test_ratios_and_rates():
    seconds = {"a": np.array([4.0, 6.0, 8.0]), "b": np.full(3, 2.0)}
    assert measure.ratio(seconds, "a", "b") == 3
    calls = []
    seconds = measure.interleaved(
        {"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, 2
    )
    assert calls == ["a", "b"] * 3  # a round of warm-up
    assert [len(one) for one in seconds.values()] == [2, 2]
    assert (
        operations(lambda x, training: x @ x @ x @ x @ x, tf.TensorSpec((2048, 2048)))
        == measure.GEMM
    )


def test_operations_on_a_gpu():
    assert counted(jnp.matmul, (2, 3), (3, 5)) == 2 * 2 * 3 * 5

    def loss(x, y):
        return jnp.sum(jnp.matmul(x, y) ** 2)

    assert counted(jax.grad(loss, (0, 1)), (2, 3), (3, 5)) == 3 * 2 * 2 * 3 * 5

    def loop(x, y):
        return jax.lax.scan(lambda x, _: (x @ y, None), x, length=7)[0]

    assert counted(jax.jit(loop), (2, 3), (3, 3)) == 7 * 2 * 2 * 3 * 3

    def convolve(x, y):
        return jax.lax.conv_general_dilated(
            x, y, (1,), "SAME", dimension_numbers=("NWC", "WIO", "NWC")
        )

    assert counted(convolve, (2, 9, 4), (3, 4, 5)) == 2 * 2 * 9 * 5 * 3 * 4

    def square(x, y):
        return jnp.sum(convolve(x, y) ** 2)

    thrice = counted(jax.grad(square, (0, 1)), (2, 9, 4), (3, 4, 5))
    assert thrice == 3 * counted(convolve, (2, 9, 4), (3, 4, 5))


def test_what_a_gpu_is_measured_with(monkeypatch):
    monkeypatch.setattr(zoo, "list_models", lambda: ["bow", "char_cnn", "cnn_kim", "hcan"])
    assert gpu.trained_models() == ["cnn_kim", "hcan"]


def test_a_step_on_a_gpu_is_timed_without_the_start(monkeypatch):
    """Which takes a second here, and a step ten milliseconds."""
    clock, taken = [0.0], []

    def fit(steps):
        taken.append(steps)
        clock[0] += 1 + 0.01 * steps

    monkeypatch.setattr(gpu.time, "perf_counter", lambda: clock[0])
    assert gpu.step_seconds(fit, 1000) == pytest.approx(0.01)
    assert max(taken) <= 1000


def test_the_report_of_a_gpu_keeps_rows_until_they_are_measured_anew(monkeypatch, tmp_path):
    monkeypatch.setattr(gpu_report, "RESULTS", tmp_path / "gpu.md")
    monkeypatch.setattr(gpu_report, "KEPT", tmp_path / "gpu.json")

    def run(card, *rows):
        report = gpu_report.Report({"on": card}, keep=True)
        for model, precision, speed in rows:
            found = {"model": model, "precision": precision, "steps/s": speed}
            report.add(gpu_report.MODELS, found)
        return [line for line in (tmp_path / "gpu.md").read_text().splitlines() if "|" in line]

    run("H100", ("han", "float32", "1"), ("hcan", "float32", "2"))
    again = run("H200", ("hcan", "float32", "3"), ("hcan", "bfloat16", "4"))
    of_models = ["| a | han | float32 | 1 |", "| b | hcan | float32 | 3 |"]
    of_models.append("| b | hcan | bfloat16 | 4 |")
    assert [line for line in again if "float" in line] == of_models
    assert [line for line in again if "| H" in line] == ["| a | H100 |", "| b | H200 |"]
    anew = run("L4", ("han", "float32", "5"))
    assert [line for line in anew if "float" in line] == [
        "| c | han | float32 | 5 |",
        *of_models[1:],
    ]
    assert [line for line in anew if "| H" in line] == ["| b | H200 |"]
    assert "| d | han | bfloat16 | 6 |" in run("A100", ("han", "bfloat16", "6"))  # a was another
    gpu_report.Report({"on": "Xeon"}, keep=False).add(gpu_report.MODELS, {"model": "han"})
    assert "Xeon" not in (tmp_path / "gpu.md").read_text()


def test_kernels_of_a_profile():
    matrix = tf.ones((300, 300))
    sums = tf.function(lambda: tf.reduce_sum(matrix + 1.0), jit_compile=True)
    product = tf.function(lambda: tf.linalg.norm(tf.matmul(matrix, matrix)))
    found = profile.kernel_times(lambda: (product(), sums()))
    assert any(kind.endswith("MatMul") for kind in found) and "XLA's kernels" in found
    assert not any(kind.startswith("_") for kind in found)


def test_latency_is_the_median_and_the_99th_percentile_of_warm_calls(monkeypatch):
    """Of 100 calls, the first ten thrown away: 1 to 100 ms in some order."""
    clock = [0.0]
    taken = iter([9.0] * 10 + list(np.random.default_rng(0).permutation(np.arange(1, 101)) / 1e3))

    def call():
        clock[0] += next(taken)

    monkeypatch.setattr(measure.time, "perf_counter", lambda: clock[0])
    p50, p99 = measure.latency(call, 100)
    assert p50 == pytest.approx(50.5)
    assert p99 == pytest.approx(99, abs=1)


def test_the_words_that_decide_a_built_in_review_are_known():
    from benchmarks.explanations import deciding_words

    review = (
        "It was the room that was fairly bad. But none of that mattered in the end. We found the "
        "bar rather good. That was soon forgotten! The lobby was not dirty at all."
    )
    found = [review[place:].partition(" ")[0] for place in sorted(deciding_words(review))]
    assert found == ["not", "dirty", "at", "all."]


def test_the_report_of_explanations_tells_what_is_missed_and_what_was_not_measured():
    from benchmarks.explanations_report import NAMES, report

    own = {view: {"comprehensiveness": 40, "sufficiency": 5, "seconds": 0.01} for view in NAMES}
    own["random"] = {"comprehensiveness": 4, "sufficiency": 20}
    own["lime"] |= {"comprehensiveness": 50, "seconds": 1}
    own["contributions"] |= {"low": 30, "high": 40, "seconds together": 0.01}
    own["contributions"] |= {"rest": 0.1, "difference": 3}
    own["model"] = {"texts": 40, "accuracy": 0.9}
    rows = [("act", "trec", view, *one) for view, told in own.items() for one in told.items()]
    frame = pd.DataFrame(rows, columns=["model", "corpus", "view", "measure", "value"])
    text = report(frame, ("act", "han"), {"trec": 3000}, 1000)
    assert "- `act`, trec: 80.0% of the best and 10.0 points below LIME" in text
    assert "Not measured: `han` on trec." in text and "| 100 | 100 | 0.100 | 3.00 |" in text
