"""Exports answer as the model does, whatever the format."""

import contextlib
import hashlib
import io
import json
import os
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import onnx
import pytest
import tensorflow as tf

import zoo
from tests.json_files import change
from tests.kinds import KINDS, long_unless, slow_unless
from zoo.answers import probabilities_of
from zoo.cli import commands as cli
from zoo.cli.terminal import size_of
from zoo.datasets import Preprocessor, load
from zoo.datasets.text.clean_ups import CLEAN_UPS, VERSION
from zoo.explanation.attention import word_weights
from zoo.shipping import formats as export
from zoo.shipping.model_card import Agreement, model_card

TEXTS = ["A good stay. Really good!", "A bad stay.", "Bad? Never. It was good.", "", "?!"]
IDS = ["onnx-ids", "litert"]  # forms without strings
SHIPPING = (Path(__file__).parents[2] / "docs" / "shipping.md").read_text("utf-8")


def writer(format):
    """The function that writes a form of a format."""
    for package in export.FORMATS[format.removesuffix("-ids")][1]:
        pytest.importorskip(package)
    return export._write_onnx_of_ids if format == "onnx-ids" else export.FORMATS[format][0]


def runner(format, folder):
    """From ids to a dictionary of outputs, as a user would open it."""
    if format == "onnx-ids":
        import onnxruntime

        session = onnxruntime.InferenceSession(folder / "model.onnx")
        names = [output.name for output in session.get_outputs()]
        return lambda ids: dict(zip(names, session.run(names, {"ids": ids}), strict=True))
    from ai_edge_litert.interpreter import Interpreter

    signature = Interpreter(str(folder / "model.tflite")).get_signature_runner()
    size = signature.get_input_details()["ids"]["shape_signature"]
    if size[0] == -1:
        return lambda ids: signature(ids=ids)

    def run(ids):  # one text at a time, padded
        room = [(0, n - m) for n, m in zip(size[1:], ids.shape[1:], strict=True)]
        ids = np.pad(ids, [(0, 0), *room])
        rows = [signature(ids=row[None]) for row in ids]
        return {name: np.concatenate([row[name] for row in rows]) for name in rows[0]}

    return run


def small_model(name):
    """With its words, and weights that give answers apart from one half."""
    sentences = 6 if zoo.describe(name).hierarchical else None
    layers = {"num_layers": 1} if name == "act" else {}
    ngrams = zoo.describe(name).options.get("ngrams", 1)
    preprocessor = Preprocessor.fit(TEXTS, 20, sentences, min_count=1, ngrams=ngrams)
    limits = {"max_words": 20} | ({"max_sentences": 6} if sentences else {})
    size = preprocessor.vocabulary_size
    model = zoo.build(
        name, num_classes=2, vocabulary_size=size, embedding_dim=24, **limits, **layers
    )
    for weight in model.trainable_weights:
        weight.assign(1.5 * weight)
    model.preprocessor, model.labels = preprocessor, ["bad", "good"]
    return model


def test_the_card_tells_of_attention_where_there_is_some(trained, tmp_path, monkeypatch):
    monkeypatch.setattr("zoo.shipping.model_card.word_weights", lambda model, ids: None)
    card = model_card(trained, zoo.load(trained), tmp_path, "savedmodel", None)
    assert "## Limits" in card and "Attention shows" not in card


def test_the_card_has_the_runs_scores(run, tmp_path, monkeypatch):
    row = {"precision": 0.71, "recall": 0.72, "f1-score": 0.73, "support": 9}
    scores = {"accuracy": 0.61, "macro_f1": 0.62, "loss": 0.63, "calibration_error": 0.064}
    scores |= {"temperature": 1.5, "semeval2010_f1": 0.65}
    change(run / "metrics.json", **scores, classes={"bad one": row, "good one": row})
    card = model_card(run, zoo.load(run), tmp_path / "none", "savedmodel", None)
    assert "accuracy 61.00%, macro F1 62.00%, cross-entropy\n0.630" in card
    assert "off by 6.4% on average" in card
    assert "The official F1 of SemEval-2010 task 8 is 65.00%." in card
    assert "Mark the two entities" not in card
    with monkeypatch.context() as patch:
        patch.setattr("zoo.shipping.model_card.word_weights", lambda model, ids: None)
        model = zoo.load(run)
        model.preprocessor.entities, model.preprocessor.max_sentences = True, None
        card = model_card(run, model, tmp_path / "none", "savedmodel", None)
    assert "- Mark the two entities of a text, as `<e1>this</e1>`" in card
    assert "words, counted on the training split alone" in card
    change(run / "config.json", weights="/glove.txt")
    card = model_card(run, zoo.load(run), tmp_path / "none", "savedmodel", None)
    assert "words, counted on the training split and filled up by those of /glove.txt" in card
    assert "| good one | 0.710 | 0.720 | 0.730 | 9 |" in card
    many = {f"c{i}": row | {"f1-score": i / 1000, "support": i % 999} for i in range(1000)}
    change(run / "metrics.json", classes=many)
    card = model_card(run, zoo.load(run), tmp_path / "none", "savedmodel", None)
    assert card.count("\n| c") == 21 and "c18, c19 and 980 others. The" in card
    assert "the 20 of 1,000 classes with the lowest F1 (2 have no text here); metrics.json" in card
    assert "\n\nMacro F1 is the mean of the classes that texts or answers are of." in card
    odd = run.rename(tmp_path / "hcan-<img src=x>")
    assert "<img" not in model_card(odd, zoo.load(odd), tmp_path / "none", "savedmodel", None)
    agreement = Agreement.of(np.array([[0.9, 0.1], [0.6, 0.4]]), np.array([[0.7, 0.3], [0.4, 0.6]]))
    assert (agreement.texts, agreement.labels) == (2, 0.5)
    assert agreement.largest == pytest.approx(0.2)


def test_no_size_is_told_as_nothing():
    told = {99: "0.1 kB", 22_040: "22.0 kB", 1e5: "0.1 MB", 1_234_567_890: "1,234.6 MB"}
    assert {number: size_of(number) for number in told} == told


def test_what_is_no_number_never_agrees():
    """Its largest would be the first label."""
    said = np.array([[0.9, 0.1], [0.9, 0.1]])
    for wrong in (np.nan, np.inf):
        answers = np.array([[wrong, 0.1], [0.9, 0.1]])
        for one, other in ((said, answers), (answers, said), (answers, answers)):
            agreement = Agreement.of(one, other)
            assert (agreement.labels, agreement.largest) == (0.5, np.inf)
    agreement = Agreement.of(said, np.array([[0.5, 0.5], [0.9, 0.1]]), 1)  # the first is no text
    assert (agreement.texts, agreement.labels) == (1, 1) and agreement.largest == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("number", "kind", "known"),
    [
        (0, "an empty text", []),
        (1, "a text of unknown words", ["a good stay", "a bad stay"]),
        (2, "1 of 2 texts of the test split", ["a good stay", "a bad stay"]),
    ],
)
def test_an_export_that_answers_with_no_number_is_refused(
    trained, tmp_path, monkeypatch, number, kind, known
):
    asked = []

    def write(model, folder, quantize):
        (folder / "model.tflite").write_text("half")

        def answer(texts):
            asked.extend(texts)
            return np.where(np.arange(len(texts))[:, None] == number, np.nan, [[0.5, 0.5]])

        return answer

    monkeypatch.setattr(export, "_test_texts", lambda config: known)
    monkeypatch.setitem(export.FORMATS, "litert", (write, (), ("float16",)))
    with pytest.raises(zoo.UsageError, match=f"^litert-float16 of hcan answers {kind} with NaN"):
        export.export(trained, "litert", "float16", tmp_path / "out")
    assert os.listdir(tmp_path) == []
    empty, unknown, *rest = asked
    assert not set(unknown.split()) & set(zoo.load(trained).preprocessor.vocabulary)
    assert (empty, rest) == ("", known) and unknown


def test_a_text_without_a_known_word_is_answered_in_float16(tmp_path):
    """Of a model that divides counts by their norm."""
    pytest.importorskip("ai_edge_litert")
    model = small_model("svm_unigrams")
    expected = model.predict(TEXTS, verbose=0)
    assert expected.std(axis=0).max() > 0.01
    answer = export.FORMATS["litert"][0](model, tmp_path, "float16")
    np.testing.assert_allclose(answer(TEXTS), expected, atol=0.01)
    np.testing.assert_allclose(
        answer(["zzz qqq", ""]), model.predict(["", ""], verbose=0), atol=0.01
    )


@pytest.mark.parametrize(
    "name", [long_unless(False, n) if n == "act" else slow_unless(False, n) for n in KINDS]
)
@pytest.mark.parametrize("format", IDS)
def test_every_kind_of_model_says_the_same(name, format, tmp_path):
    write, model = writer(format), small_model(name)
    write(model, tmp_path, None)
    run = runner(format, tmp_path)
    for texts in (TEXTS, TEXTS[:1], [" ".join(TEXTS) * 2] * 2):  # any number, of any length
        ids = model.preprocessor(texts).numpy().astype("int32")
        answer = run(ids)
        expected = model(ids, training=False)
        np.testing.assert_allclose(answer["probabilities"], expected, atol=1e-5)
        weights = word_weights(model, ids)
        assert ("weights" in answer) == (weights is not None)
        if weights is not None:
            inside = tuple(slice(n) for n in weights.shape)
            np.testing.assert_allclose(answer["weights"][inside], weights, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("format", ["savedmodel", *IDS])
def test_a_model_of_relations_says_the_same(format, tmp_path):
    """It reads of each id what the word is of."""
    write = writer(format)
    texts = ["the <e1>cat</e1> sees a <e2>dog</e2>", "the <e2>cat</e2> sees a <e1>dog</e1>"]
    texts += ["<e2>a <e1>dog</e1></e2> sees", "a good cat"]
    preprocessor = Preprocessor.fit(texts, 20, min_count=1, clean_up="relations", entities=True)
    sizes = {"vocabulary_size": preprocessor.vocabulary_size, "embedding_dim": 24, "max_words": 20}
    model = zoo.build("act", 3, "relations", **sizes)
    for weight in model.trainable_weights:
        weight.assign(3 * weight)
    model.preprocessor, model.labels = preprocessor, ["a", "b", "c"]
    write(model, tmp_path, None)
    ids = preprocessor(texts).numpy().astype("int32")
    if format == "savedmodel":
        served = tf.saved_model.load(tmp_path / "saved_model")
        answer = {**served.serve(tf.constant(texts)), **served.explain(tf.constant(texts))}
    else:
        answer = runner(format, tmp_path)(ids)
    expected = model(ids, training=False).numpy()
    assert np.ptp(expected[:2], axis=0).max() > 0.01  # the marks matter
    np.testing.assert_allclose(
        answer["probabilities"], expected, atol=1e-3 if format == "savedmodel" else 1e-5
    )
    weights = word_weights(model, ids)
    inside = tuple(slice(n) for n in weights.shape)
    np.testing.assert_allclose(
        np.asarray(answer["weights"])[inside],
        weights,
        atol=1e-3 if format == "savedmodel" else 1e-5,
    )


SHOWN = re.findall(r"^zoo export \$RUN (.*)", SHIPPING, re.M)


@pytest.mark.parametrize(
    "shown",
    [
        *(long_unless("savedmodel" in one, one) for one in SHOWN),
        slow_unless(False, "--format litert"),
    ],
)
def test_a_run_is_exported_with_its_card(run, monkeypatch, shown):
    """By the commands that the documentation shows."""
    command = ["export", str(run), *shown.split()]
    cli.app(command, standalone_mode=False)
    (folder,) = (run / "exports").iterdir()
    format = folder.name.partition("-")[0]
    words = re.sub("--(ids|attention)", r"--\1 \1", shown).split()
    assert folder.name == "-".join(words[1::2])
    card = (folder / "model_card.md").read_text("utf-8")
    hashes = dict(re.findall(r"\| (\S+) \| [\d,]+ \| `(\w+)` \|", card))
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert hashes.keys() == files - {"model_card.md"}
    for name, sha256 in hashes.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == sha256
    assert "100.00% get the label" in card and "good one" in card
    assert "Attention shows where the model looked" in card
    (code,) = re.findall(r"```python\n(.*?)```", card, re.S)
    monkeypatch.chdir(folder)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(code, {})
    assert printed.getvalue()
    assert "padded" not in code
    if format == "onnx" and "--ids" not in shown:
        model = zoo.load(folder, runtime="onnx")
        texts = np.array(TEXTS, object)
        labels, probabilities = model.session.run(["label", "probabilities"], {"texts": texts})
        assert labels.tolist() == [answer["label"] for answer in zoo.load(run).answers_to(TEXTS)]
        np.testing.assert_allclose(
            probabilities,
            zoo.load(run).predict(TEXTS, verbose=0),
            atol=1e-2 if "int8" in shown else 1e-3 if "float16" in shown else 1e-5,
        )
        properties = onnx.load(folder / "model.onnx").metadata_props
        told = {one.key: one.value for one in properties}["model_card"]
        assert card.startswith(told) and "## Limits" in told
    elif format != "savedmodel":
        model = zoo.load(run)
        told = json.loads((folder / "preprocessing.json").read_text("utf-8"))
        for name in ("max_sentences", "max_words", "clean_up"):
            assert told[name] == getattr(model.preprocessor, name)
        assert (folder / "vocabulary.txt").read_text("utf-8").split("\n")[0] == (
            model.preprocessor.vocabulary[0]
        )
    with pytest.raises(zoo.UsageError, match="is there already"):
        cli.app(command, standalone_mode=False)


@pytest.mark.long
def test_the_card_tells_the_shape_that_loops_need(csv_file, tmp_path, monkeypatch):
    pytest.importorskip("ai_edge_litert")
    small = {"embedding_dim": 4, "units": 3, "max_words": 9}
    run = zoo.train("lstm", str(csv_file), options=small, epochs=1, output=tmp_path, verbose=0)
    folder = export.export(run, "litert", "none")
    (code,) = re.findall(
        r"```python\n(.*?)```", (folder / "model_card.md").read_text("utf-8"), re.S
    )
    assert "np.ones((1, 9)" in code and "padded with 0 to this shape" in code
    monkeypatch.chdir(folder)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(code, {})
    assert printed.getvalue()


@pytest.mark.long
@pytest.mark.parametrize(
    ("format", "shares"),
    [
        ("savedmodel", {"int8": 0.7}),
        ("litert", {"float16": 0.55, "int8": 0.3}),
        ("onnx", {"float16": 0.6, "int8": 0.4}),
    ],
)
def test_quantized_weights_are_smaller_and_answer_alike(tmp_path, format, shares):
    pytest.importorskip("ai_edge_litert")
    preprocessor = Preprocessor([f"word{i}" for i in range(20_000)], max_words=50)
    model = zoo.build("act", 2, vocabulary_size=preprocessor.vocabulary_size, num_layers=1)
    model.preprocessor, model.labels = preprocessor, ["no", "yes"]
    write = writer(format)
    texts = [f"word{i} word{i + 1} word{7 * i}" for i in range(20)]
    expected, sizes = model.predict(texts, verbose=0), {}
    for how in (None, *shares):
        (folder := tmp_path / f"{how}").mkdir()
        answer = write(model, folder, how)
        np.testing.assert_allclose(answer(texts), expected, atol=1e-3 if how is None else 0.02)
        files = folder.rglob("*")
        sizes[how] = sum(path.stat().st_size for path in files if path.suffix != ".txt")
    for how, share in shares.items():
        assert sizes[how] < share * sizes[None]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--format", "onyx"], "Did you mean 'onnx'"),
        (["--format", "onnx", "--quantize", "int9"], "quantization of onnx 'int9'"),
        (["--format", "litert", "--ids"], "--ids. is for the format onnx: litert takes word ids"),
        (["--attention"], "--attention. is for the format onnx of texts"),
        (["--format", "onnx", "--ids", "--attention"], "is for the format onnx of texts"),
        (["--quantize", "int4"], "Did you mean 'int8'"),
        (["--output", "there"], "there is there already"),
        (["--output", "new [1]"], r"takes .*new \[1\] for a pattern"),
    ],
)
def test_bad_input(trained, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").mkdir()
    with pytest.raises(zoo.UsageError, match=message):
        cli.app(["export", str(trained), *arguments], standalone_mode=False)
    assert os.listdir(tmp_path) == ["there"] and os.listdir("there") == []


def test_where_the_data_are_gone(run, tmp_path):
    change(run / "config.json", data=str(tmp_path / "gone.csv"))
    card = (export.export(run) / "model_card.md").read_text("utf-8")
    assert "not compared with Keras" in card and "# hcan on gone" in card


def test_what_a_format_cannot_hold(trained, tmp_path, monkeypatch):
    def refuse(model, folder, quantize):
        (folder / "half").write_text("half")
        raise NotImplementedError("no such operation: Wobble\n" + 1000 * "and much more\n")

    monkeypatch.setitem(export.FORMATS, "litert", (refuse, (), ()))
    with pytest.raises(zoo.UsageError, match="litert cannot hold hcan: .* operation: Wobble$"):
        export.export(trained, "litert", output=tmp_path / "new")
    assert os.listdir(tmp_path) == []


@pytest.fixture(scope="module")
def news(tmp_path_factory, real_data):
    """A run on AG News, of a pass over it."""
    options = {"num_layers": 1}
    folder = tmp_path_factory.mktemp("news")
    return zoo.train(
        "act", "agnews", options=options, epochs=1, batch_size=128, output=folder, verbose=0
    )


@pytest.mark.slow
@pytest.mark.parametrize("format", ["savedmodel", "onnx", *IDS])
def test_ag_news_gets_the_same_answers(news, tmp_path, format):
    writer(format)  # or its packages are not there
    texts = list(load("agnews").test)
    model = zoo.load(news)
    expected = probabilities_of(model, texts)
    assert expected.max(axis=1).mean() > 0.5  # it has learnt something
    ids = format == "onnx-ids"
    folder = export.export(news, format.removesuffix("-ids"), output=tmp_path / format, ids=ids)
    if format == "onnx":
        answers = zoo.load(folder, runtime="onnx").predict(texts)
        np.testing.assert_allclose(answers, expected, atol=1e-4)
        assert (answers.argmax(-1) == expected.argmax(-1)).all()
        return
    if format == "savedmodel":
        served = tf.saved_model.load(folder / "saved_model")

        def answer(part):
            return served.serve(tf.constant(part))
    else:
        run = runner(format, folder)

        def answer(part):
            return run(model.preprocessor(part).numpy().astype("int32"))

    parts = (texts[start : start + 100] for start in range(0, len(texts), 100))
    answers = np.concatenate([answer(part)["probabilities"] for part in parts])
    np.testing.assert_allclose(answers, expected, atol=1e-3)


@pytest.mark.parametrize("clean_up", CLEAN_UPS)
def test_what_does_it_without_tensorflow_is_told_the_clean_up(clean_up, tmp_path):
    entities = clean_up == "relations"
    model = zoo.build("cnn_kim", 2, vocabulary_size=3, entities=entities)
    model.preprocessor = Preprocessor(["a"], clean_up=clean_up, entities=entities)
    model.labels = ["x", "y"]
    export._write_preprocessing(model, tmp_path)
    told = json.loads((tmp_path / "preprocessing.json").read_text("utf-8"))
    assert told["clean_up"] == clean_up
    assert told["replacements"] == list(map(list, CLEAN_UPS[clean_up].replacements[VERSION]))
    assert told["sentence_ends"] == []
    assert told["example"]["ids"][0] != 0 and told["example"]["words"]


ODD = [
    "",
    " \t\n\v\x85\u2028",
    "It isn\u2019t 3.5&nbsp;KM. R&amp;amp;D &bogus; &#128;&#xD800;&#x110000;&#65; &amp",
    "\u0939\u094b\u091f\u0932\u0964 \u0915\u092e\u0930\u093e\u0964",
    "\u597d\u5403\u3002\u63a8\u8350\uff01\uff1f\uff13\uff0e\uff15\uff0e\u306f\u3044\uff0e",
    "\u039f\u0394\u039f\u03a3 \u0130stanbul \x00a\x1fb\u3000c U.S. end.\v.\n\n\nnext\n.\n",
    "'quoted' -- (so) [UNK] e\u0301 \U0001f600 don't can't! ... 'tis, \u2019s",
    "good " * 30,
]


@pytest.mark.parametrize(
    ("clean_up", "how"),
    [
        *((clean_up, {}) for clean_up in CLEAN_UPS),
        *((clean_up, {"max_sentences": 3}) for clean_up in ("hcan", "han", "kim")),
        ("tokens", {"ngrams": 3}),
        ("han", {"max_sentences": 3, "version": 1}),
    ],
)
def test_the_encoder_that_the_documentation_shows(clean_up, how, tmp_path, monkeypatch):
    """It needs nothing of zoo or TensorFlow, and reads odd texts as the model does."""
    own = Preprocessor(["a"], 20, clean_up=clean_up, **how)
    odd = [text.replace("\v", "") if "version" in how else text for text in ODD]
    words = dict.fromkeys(own.words(odd).flat_values.numpy().tolist())
    vocabulary = [word.decode() for word in words][::2]
    model = SimpleNamespace(
        preprocessor=Preprocessor(vocabulary, 20, clean_up=clean_up, **how),
        labels=["x"],
        thresholds=None,
        hierarchical="max_sentences" in how,
    )
    export._write_preprocessing(model, tmp_path)
    told = json.loads((tmp_path / "preprocessing.json").read_text("utf-8"))
    assert told["text_version"] == model.preprocessor.version
    assert bool(told["sentence_ends"]) == model.hierarchical
    (code,) = re.findall(r"```python\n(import functools.*?)```", SHIPPING, re.S)
    assert "zoo" not in code and "tensorflow" not in code
    monkeypatch.chdir(tmp_path)
    exec(code, names := {})
    np.testing.assert_array_equal(names["ids"](odd), model.preprocessor(odd))
    np.testing.assert_array_equal(names["ids"]([""]), model.preprocessor([""]))


def test_the_card_compares_with_the_model_as_it_was(trained, tmp_path, monkeypatch):
    """Int8 changes the weights of what it writes."""
    before = export.FORMATS["savedmodel"]

    def write(model, folder, quantize):
        model.classify.set_weights([0 * weight for weight in model.classify.get_weights()])
        return before[0](model, folder, quantize)

    monkeypatch.setitem(export.FORMATS, "savedmodel", (write, *before[1:]))
    folder = export.export(trained, output=tmp_path / "out")
    card = (folder / "model_card.md").read_text("utf-8")
    (told,) = re.findall(r"On \d+ texts of the test split, (.*?)% get the label", card)
    assert float(told) < 100


@pytest.mark.parametrize("format", ["savedmodel", "onnx"])
def test_english_vectors_take_a_byte_a_number_and_lose_nothing(format, tmp_path):
    model = zoo.build("cnn_kim", num_classes=2, weights="english", filters=4)
    model.labels, sizes = ["bad", "good"], []
    for name in ("fixed", "trained"):
        (tmp_path / name).mkdir()
        answer = writer(format)(model, tmp_path / name, None)
        expected = model.predict(TEXTS, verbose=0)
        exact = format == "onnx" or name == "fixed"
        np.testing.assert_allclose(answer(TEXTS), expected, atol=1e-5 if exact else 1e-3)
        files = (path for path in (tmp_path / name).rglob("*") if path.is_file())
        sizes.append(sum(path.stat().st_size for path in files))
        row = model.embed.embeddings[5]
        model.embed.embeddings[5].assign(row + 0.1 * np.linspace(-1, 1, len(row)) ** 3)
    saved = model.embed.embeddings.shape[0] * model.embed.embeddings.shape[1]
    assert sizes[1] - sizes[0] > 0.9 * saved * (3 if format == "onnx" else 1)
