"""What a training leaves behind, and what is made of it."""

import contextlib
import copy
import csv
import json
import os
import pickle
import platform
import subprocess
import sys
import tracemalloc
from pathlib import Path

import keras
import numpy as np
import pandas as pd
import pytest
import tensorflow as tf
from scipy.special import softmax

import zoo
from zoo.answers import probabilities_of
from zoo.evaluation.calibration import expected_calibration_error
from zoo.evaluation.prediction import predict
from zoo.evaluation.report import read_mistakes
from zoo.evaluation.scores import read_test_split
from zoo.filesystem.atomic_files import NODE, whole, write_json
from zoo.filesystem.folder_locks import alone, scratch
from zoo.registry import name_of
from zoo.runs.run_config import read_config
from zoo.runs.run_folder import new_run, read_scores
from zoo.shipping.model_card import model_card
from zoo.shipping.saving import write_model
from zoo.text_inputs import is_text

TEXTS = [
    "A good, nice stay 7! Really good!",
    "A BAD sad stay. Really bad!",
    "",
    "unseen wörds — only 🙂",
    "good " * 300,
]

SERVE = """
import sys
import tracemalloc
sys.modules["zoo"] = None  # importing it fails
import json, tensorflow as tf
model = tf.saved_model.load(sys.argv[1])
served = model.serve(tf.constant(json.loads(sys.argv[2])))
print(json.dumps({
    "probabilities": served["probabilities"].numpy().tolist(),
    "label": [label.decode() for label in served["label"].numpy()],
    "labels": [label.decode() for label in served["labels"].numpy()[0]],
}))
"""


def test_the_folder_is_complete(trained):
    names = (
        "config.json confusion_matrix.png history.csv labels.txt learning_curves.png metrics.json "
        "mistakes.csv model.keras predictions.csv saved_model sureness.csv sureness.png "
        "vocabulary.txt"
    )
    assert sorted(path.name for path in trained.iterdir()) == names.split()
    assert trained.name.startswith("hcan-my reviews-2")
    assert list(trained.parent.iterdir()) == [trained]
    assert (trained / "labels.txt").read_text() == "bad one\ngood one\n"
    config = json.loads((trained / "config.json").read_text())
    assert config["seed"] == 0
    assert {"python", "tensorflow", "keras", "attention-zoo"} <= set(config["versions"])
    rows = list(csv.DictReader((trained / "history.csv").open()))
    assert len(rows) == config["epochs"] == 4


def test_metrics_are_of_the_test_split(trained):
    metrics = json.loads((trained / "metrics.json").read_text())
    assert metrics["accuracy"] == 1  # two words tell the classes apart
    assert metrics["texts"] == 12
    assert metrics["classes"]["good one"]["support"] == 6
    assert {"macro_f1", "loss", "parameters", "seconds", "temperature"} <= set(metrics)
    for name in ("calibration_error", "calibration_error_before"):
        assert 0 <= metrics[name] < 0.2
    model, test = zoo.load(trained), read_test_split(read_config(trained))
    probabilities = probabilities_of(model, test)
    before = softmax(np.log(probabilities) * metrics["temperature"], axis=-1)
    error = expected_calibration_error(before, test.targets)
    assert metrics["calibration_error_before"] == pytest.approx(error, abs=1e-4)
    assert metrics["temperature"] == 1  # all validation texts are answered right, and surely
    assert metrics["calibration_error"] == pytest.approx(error, abs=1e-4)
    again = zoo.evaluate(trained)
    for name in ("loss", "calibration_error"):
        assert again[name] == pytest.approx(metrics[name], abs=1e-5)


def test_evaluate_reads_another_file(trained, tmp_path):
    path = tmp_path / "other.csv"
    path.write_text("".join(["review,stars\n", *(f'"{text}",good one\n' for text in TEXTS[:2])]))
    assert zoo.evaluate(trained, str(path))["accuracy"] == 0.5
    path.write_text("review,stars\ngood,five\n")
    with pytest.raises(zoo.UsageError, match="label in .*other.csv, line 2: 'five'"):
        zoo.evaluate(trained, str(path))


def test_evaluate_reads_the_columns_that_it_is_told(trained, tmp_path):
    (tmp_path / "own.csv").write_text(
        "text,review,stars\na bad stay,a good stay,good one\na good stay,a bad stay,bad one\n"
    )
    columns = {"label_column": "stars"}
    for column, accuracy in (("review", 1), ("text", 0)):
        scores = zoo.evaluate(trained, str(tmp_path / "own.csv"), text_column=column, **columns)
        assert scores["accuracy"] == accuracy


def test_evaluate_finds_well_known_columns_where_the_runs_are_not(trained, tmp_path):
    (tmp_path / "own.csv").write_text("label,text\ngood one,a good stay\nbad one,a bad stay\n")
    assert zoo.evaluate(trained, str(tmp_path / "own.csv"))["accuracy"] == 1


def test_the_loaded_model_takes_texts_and_ids(trained):
    model = zoo.load(trained)
    assert list(model.labels) == ["bad one", "good one"]
    from_texts = model.predict(TEXTS, verbose=0)
    ids = np.asarray(model.preprocessor(TEXTS))
    np.testing.assert_allclose(model.predict(ids, verbose=0), from_texts, atol=1e-6)
    in_batches = model.predict(TEXTS, batch_size=1, verbose=0)
    np.testing.assert_allclose(in_batches, from_texts, atol=1e-6)
    with pytest.raises(ValueError, match="a list of texts is needed"):
        model.predict("one text")
    with pytest.raises(zoo.UsageError, match=r"write \[text\]"):
        next(predict(model, "one text"))
    table = pd.DataFrame({"id": ["1", "2"], "text": TEXTS[:2]})
    for answer in (model.predict, model.explain, lambda texts: next(predict(model, texts))):
        with pytest.raises(zoo.UsageError, match=r"as in table\['text'\]: got DataFrame of .*2, 2"):
            answer(table)
    np.testing.assert_allclose(model.predict(table["text"], verbose=0), from_texts[:2], atol=1e-6)
    with pytest.raises(ValueError, match="no steps with texts"):
        model.predict(TEXTS, steps=1)
    targets = np.array([1, 0])
    how = {"metrics": ["accuracy"], "run_eagerly": True}
    model.compile("adam", "sparse_categorical_crossentropy", **how)
    assert model.evaluate(TEXTS[:2], targets, verbose=0)[1] == 1
    model.fit(TEXTS[:2], targets, validation_data=(TEXTS[:2], targets), verbose=0)


def test_a_copy_answers_alike(trained):
    """Also one that another process gets, by a pickle."""
    model = zoo.load(trained)
    expected = model.predict(TEXTS, verbose=0)
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.predict(TEXTS, verbose=0), expected)
        assert other.labels == model.labels


def tuned(trained):
    """A model that was trained on, in Python."""
    model = zoo.load(trained)
    model.compile("adam", "sparse_categorical_crossentropy", run_eagerly=True)
    model.fit(["a good stay", "a bad one"], [0, 1], verbose=0)
    return model, model.predict(TEXTS, verbose=0)


@pytest.mark.filterwarnings("error::UserWarning")
def test_a_fine_tuned_model_keeps_its_words_and_labels(trained, tmp_path):
    """In a .keras file, which Keras loads in safe mode, compiled as it was."""
    model, expected = tuned(trained)
    model.save(tmp_path / "tuned.keras")
    for load in (zoo.load, keras.models.load_model):
        loaded = load(tmp_path / "tuned.keras")
        assert loaded.labels == ["bad one", "good one"]
        assert loaded.preprocessor.get_config() == model.preprocessor.get_config()
        np.testing.assert_allclose(loaded.predict(TEXTS, verbose=0), expected, atol=1e-6)
        for one, other in zip(loaded.get_weights(), model.get_weights(), strict=True):
            np.testing.assert_array_equal(one, other)
    assert loaded.compiled and int(loaded.optimizer.iterations) == 1
    assert loaded.get_compile_config()["loss"] == "sparse_categorical_crossentropy"
    model.preprocessor = model.labels = None
    model.save(tmp_path / "bare.keras")
    assert zoo.load(tmp_path / "bare.keras").labels is None


def test_hdf5_has_no_room_for_words(trained, tmp_path):
    model = zoo.load(trained)
    with pytest.raises(zoo.UsageError, match=r"tuned.h5: HDF5 has no room .*\.keras"):
        model.save(tmp_path / "tuned.h5")
    assert not list(tmp_path.iterdir())
    model.save_weights(tmp_path / "tuned.weights.h5")


def test_a_fine_tuned_model_becomes_a_run_folder(trained, tmp_path, monkeypatch, saved_models):
    model, expected = tuned(trained)
    with saved_models():
        run = zoo.save(model, tmp_path / "runs-tuned")
    assert sorted(path.name for path in run.iterdir()) == [
        *("config.json", "labels.txt", "model.keras", "saved_model", "vocabulary.txt")
    ]
    np.testing.assert_allclose(zoo.load(run).predict(TEXTS, verbose=0), expected, atol=1e-6)
    assert [row["label"] for row in predict(zoo.load(run), TEXTS[:2])] == ["good one", "bad one"]
    answers = tf.saved_model.load(run / "saved_model").signatures["serve"](tf.constant(TEXTS))
    np.testing.assert_allclose(answers["probabilities"], expected, atol=1e-3)
    with pytest.raises(zoo.UsageError, match=r"zoo.save wrote this run, .* no test split"):
        zoo.evaluate(run)
    (tmp_path / "own.csv").write_text("text,label\na good stay,good one\n")
    assert zoo.evaluate(run, str(tmp_path / "own.csv"))["texts"] == 1
    with pytest.raises(zoo.UsageError, match="has ended: there is nothing to continue"):
        zoo.resume(run)
    card = model_card(run, zoo.load(run), run, "savedmodel", None)
    assert card.startswith("# hcan\n") and "bad one, good one" in card and "accuracy" not in card
    before = sorted(tmp_path.iterdir())
    with pytest.raises(zoo.UsageError, match="is there already"):
        zoo.save(model, run)

    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("zoo.shipping.saving.write_model", full)
    with pytest.raises(zoo.UsageError, match="cannot write .*: No space left"):
        zoo.save(model, tmp_path / "another")
    model.labels = None
    with pytest.raises(zoo.UsageError, match=r"needs model\.labels"):
        zoo.save(model, tmp_path / "another")
    assert sorted(tmp_path.iterdir()) == before


def test_the_name_of_a_model_is_that_of_its_variant():
    model = zoo.build("hcan_max", 2, vocabulary_size=5, embedding_dim=8, num_heads=2)
    assert name_of(model) == "hcan_max"
    config = model.get_config() | {"name": "my own"}
    assert name_of(type(model).from_config(config)) == "hcan_max"
    with pytest.raises(zoo.UsageError, match="TextClassifier is not a registered model"):
        name_of(zoo.TextClassifier(2))


def test_surrogates_do_not_stop_a_prediction(trained):
    model = zoo.load(trained)
    texts = [f"good {half} stay" for half in ("\ud800", "\udcff", "\ufffd")] * 20
    rows = list(predict(model, texts))
    assert {row["text"] for row in rows} == {"good \ufffd stay"}
    np.testing.assert_allclose(np.ptp([row["probability"] for row in rows]), 0, atol=1e-6)
    np.testing.assert_allclose(np.ptp(model.predict(texts, verbose=0), axis=0), 0, atol=1e-6)


def test_a_long_text_among_many_takes_the_memory_of_one():
    texts = ["a"] * 1000 + ["b" * 10**6]
    tracemalloc.start()
    assert is_text(texts)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10**6
    assert not is_text([[1, 2]])


def test_no_texts_have_no_answers(trained):
    model = zoo.load(trained)
    assert model.predict([], verbose=0).shape == (0, 2)
    assert list(predict(model, [])) == []
    model.compile("adam", "sparse_categorical_crossentropy")
    for learn in (model.fit, model.evaluate):
        with pytest.raises(ValueError, match="there are no texts"):
            learn([], np.zeros(0, int), verbose=0)


def test_fit_and_evaluate_need_a_target_for_each_text(trained):
    model = zoo.load(trained)
    model.compile("sgd", "sparse_categorical_crossentropy")
    for call in (model.fit, model.evaluate):
        with pytest.raises(ValueError, match="2 texts need as many targets: got 1"):
            call(["a good stay", "a bad one"], [1])


def test_what_texts_cannot_take_is_refused(trained):
    model = zoo.load(trained)
    model.compile("sgd", "sparse_categorical_crossentropy", run_eagerly=True)
    texts, targets, weights = ["a good stay", "a bad one"], [1, 0], np.ones(2)
    for size in (0, -1):
        for call in (model.fit, model.evaluate, lambda x, y, **size: model.predict(x, **size)):
            with pytest.raises(ValueError, match=f"batch_size must be at least 1: got {size}"):
                call(texts, targets, batch_size=size)
    with pytest.raises(ValueError, match="2 texts need as many weights: got 1"):
        model.fit(texts, targets, sample_weight=weights[:1])
    with pytest.raises(ValueError, match="sample_weight or class_weight, not both"):
        model.fit(texts, targets, sample_weight=weights, class_weight={0: 1.0, 1: 2.0})
    with pytest.raises(ValueError, match="validation_split must leave some of the 2 texts"):
        model.fit(texts, targets, validation_split=0.1 / 2**60)
    with pytest.raises(ValueError, match="texts to learn from need targets"):
        model.fit(texts, targets, validation_data=(texts,))
    model.fit(texts, targets, validation_data=[texts, targets], verbose=0)


def test_texts_without_a_preprocessor_are_refused():
    model = zoo.build("act", 2, vocabulary_size=5, embedding_dim=6)
    with pytest.raises(ValueError, match="texts need a preprocessor"):
        model.predict(["a"])


@pytest.mark.long
def test_the_saved_model_answers_where_zoo_is_not(trained):
    answer = subprocess.run(
        [sys.executable, "-c", SERVE, str(trained / "saved_model"), json.dumps(TEXTS)],
        check=True,
        capture_output=True,
    )
    served = json.loads(answer.stdout)
    predicted = list(predict(zoo.load(trained), TEXTS))
    assert served["labels"] == ["bad one", "good one"]
    assert served["label"] == [row["label"] for row in predicted]
    want = [list(row["probabilities"].values()) for row in predicted]
    np.testing.assert_allclose(served["probabilities"], want, atol=1e-3)


def test_prediction_keeps_the_order_and_streams(trained):
    texts = (text for text in TEXTS * 3)
    rows = predict(zoo.load(trained), texts, chunk=2)
    first = next(rows)
    assert next(texts) == TEXTS[2]  # only a chunk was read
    assert first["text"] == TEXTS[0]
    assert first["label"] == "good one"
    assert first["probability"] == pytest.approx(max(first["probabilities"].values()))


def test_precision_is_only_of_the_training(csv_file, tmp_path):
    run = zoo.train(
        "fasttext",
        str(csv_file),
        options={"embedding_dim": 12},
        epochs=1,
        precision="mixed_bfloat16",
        output=tmp_path,
        verbose=0,
    )
    assert keras.config.dtype_policy().name == "float32"
    assert zoo.load(run).compute_dtype == "float32"
    assert json.loads((run / "config.json").read_text())["precision"] == "mixed_bfloat16"


def test_two_runs_at_once_have_two_folders(tmp_path):
    with new_run(tmp_path, "a-b") as first, new_run(tmp_path, "a-b") as second:
        assert first != second
    assert sorted(tmp_path.iterdir()) == sorted([first, second])


def test_a_link_to_nowhere_is_no_output_folder(tmp_path):
    (tmp_path / "runs").symlink_to(tmp_path / "unmounted" / "runs")
    for output in (tmp_path / "runs", tmp_path / "runs" / "more"):
        with (
            pytest.raises(zoo.UsageError, match="cannot write to the output folder"),
            new_run(output, "a-b"),
        ):
            pass


def test_a_file_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    done, path = [], tmp_path / "a.txt"
    fsync, replace = os.fsync, Path.replace

    def synced(handle):
        done.append("written")
        fsync(handle)

    def renamed(self, target):
        done.append("named")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", renamed)
    with whole(path) as partial:
        partial.write_text("x", "utf-8")
    assert done == ["written", "named"] and path.read_text("utf-8") == "x"


def test_what_killed_processes_left_is_removed_and_nothing_else(tmp_path, ended):
    host, own = platform.node(), os.getpid()
    left = [f"a-{host}-{ended}-x", f"a-{host}-{own}-earlier"]  # whose number is mine now
    others = [
        f"a-{host}-{os.getppid()}-x",  # runs
        f"a-{host}-1-{ended}-x",  # of a host of such a name
        f"b-{host}-{ended}-x",
        f"a-{host}-notes",
    ]
    for name in left + others:
        (tmp_path / name).mkdir()
    with scratch(tmp_path, "a") as first, scratch(tmp_path, "a") as second:
        assert first.is_dir() and second.is_dir()
        assert {path.name for path in tmp_path.iterdir()} == {first.name, second.name, *others}
    assert {path.name for path in tmp_path.iterdir()} == set(others)


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_is_written_is_whole_or_as_before(tmp_path, kind):
    path = tmp_path / "a.txt"
    for content, fails in (("old", False), ("new", True), ("new", False)):
        before = path.exists()
        with contextlib.suppress(KeyError), whole(path) as partial:
            if kind == "folder":
                partial.mkdir()
            inside = partial / "inside" if kind == "folder" else partial
            inside.write_text(content)
            assert path.exists() == before
            if fails:
                raise KeyError
        inside = path / "inside" if kind == "folder" else path
        assert inside.read_text() == ("old" if fails else content)
        assert list(tmp_path.iterdir()) == [path]


def test_a_file_never_takes_the_place_of_a_folder(tmp_path, monkeypatch):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "thesis.txt").write_text("x")
    monkeypatch.chdir(folder)
    for path in (folder, Path(), Path("..")):
        with pytest.raises(zoo.UsageError, match="it is a folder"), whole(path) as partial:
            partial.write_text("y")
        assert (folder / "thesis.txt").read_text() == "x"
        assert list(tmp_path.iterdir()) == [folder] and len(list(folder.iterdir())) == 1


def test_what_a_killed_process_left_is_removed(tmp_path, ended):
    """But not what a living one is writing."""
    left = tmp_path / f".partial-{NODE}-{ended}-a.txt"
    others = [
        tmp_path / f".partial-{NODE}-{os.getppid()}-a.txt",
        tmp_path / f".partial-{NODE}-{ended}-b.a.txt",
        tmp_path / f".partial-{NODE}-{10**30}-b.txt",
        tmp_path / f".partial-another-{ended}-a.txt",  # of a machine that shares the disk
    ]
    for path in (left, *others):
        path.touch()
    write_json(tmp_path / "a.txt", {})
    assert sorted(tmp_path.iterdir()) == sorted([tmp_path / "a.txt", *others])


def test_tensorflow_can_load_from_the_name_of_a_run(tmp_path):
    with new_run(tmp_path, "hcan-reviews [1]*") as folder:
        assert folder.name.startswith("hcan-reviews _1]_-2")
        (folder / "checkpoint").touch()
        assert tf.io.gfile.glob(str(folder / "check*")) == [str(folder / "checkpoint")]


def test_one_process_at_a_time(tmp_path):
    with new_run(tmp_path, "a-b") as folder:
        with pytest.raises(zoo.UsageError, match="another process works in"), alone(folder):
            pass
        (folder / "written").touch()
    with alone(folder):
        pass
    assert [path.name for path in folder.iterdir()] == ["written"]


def test_words_of_another_run_are_refused(run):
    for name in ("vocabulary.txt", "labels.txt"):
        content = (run / name).read_text("utf-8")
        words = content.splitlines(keepends=True)
        for others in (words[::-1], ["other\n", *words[1:]]):
            (run / name).write_text("".join(others), "utf-8")
            with pytest.raises(zoo.UsageError, match=r"vocabulary.txt or labels.txt is not the mo"):
                zoo.load(run)
        (run / name).write_text(content, "utf-8")


@pytest.mark.parametrize("name", ["metrics.json", "mistakes.csv", "config.json"])
@pytest.mark.parametrize(
    "content", [b"", b"\xff", b"[]", b'{"a": 1}', b"label,predicted\na,b\n", b'{"classes": {}}']
)
def test_what_tells_about_a_run_may_be_damaged(run, name, content):
    (run / name).write_bytes(content)
    read = {"metrics.json": read_scores, "mistakes.csv": read_mistakes, "config.json": zoo.load}
    with pytest.raises(zoo.UsageError, match=rf"{name} is (missing or )?damaged"):
        read[name](run)


def test_what_fails_leaves_nothing(tmp_path):
    def interrupted():
        with new_run(tmp_path, "a-b") as folder:
            (folder / "half").write_text("written")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as error:
        interrupted()
    assert list(tmp_path.iterdir()) == []
    assert "nothing of it is kept" in error.value.__notes__[0]


def test_what_has_ended_is_kept_whatever_comes_after(tmp_path):
    def interrupted():
        with new_run(tmp_path, "a-b") as folder:
            write_json(folder / "model.keras", {})
            write_json(folder / "metrics.json", {})  # the last of a training
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert {path.name for path in tmp_path.glob("*/*")} == {"model.keras", "metrics.json"}


def test_damaged_runs_are_refused(trained, run, tmp_path):
    with pytest.raises(zoo.UsageError, match="no run in|unknown run"):
        zoo.load(tmp_path / "nothing")
    with pytest.raises(zoo.UsageError, match="unknown run .* Did you mean"):
        zoo.load(f"{trained}x")
    for other in (trained.parent, trained / "saved_model"):  # around a run, and inside one
        with pytest.raises(zoo.UsageError, match="no run: it has no config.json. Did") as e:
            zoo.load(other)
        assert str(e.value).endswith(f" Did you mean {trained}?")
    zoo.load(run)  # a run folder may be moved
    (run / "labels.txt").write_text("only one\n")
    with pytest.raises(zoo.UsageError, match="run is damaged: vocabulary.txt or labels.txt"):
        zoo.load(run)
    (run / "model.keras").write_bytes((trained / "model.keras").read_bytes()[:1000])
    for path in (run, run / "model.keras"):
        with pytest.raises(zoo.UsageError, match="run.model.keras is damaged"):
            zoo.load(path)


def test_a_file_alone_is_loaded(tmp_path):
    model, path = zoo.build("ave", 3, vocabulary_size=9), tmp_path / "own.keras"
    model.compile("adam", "sparse_categorical_crossentropy")
    model.save(path)
    loaded, ids = zoo.load(str(path)), np.array([[2, 3, 0]])
    assert (loaded.preprocessor, loaded.labels) == (None, None)
    np.testing.assert_array_equal(loaded.predict(ids, verbose=0), model.predict(ids, verbose=0))
    inputs = keras.Input((3,))
    keras.Model(inputs, keras.layers.Dense(2)(inputs)).save(path)
    with pytest.raises(zoo.UsageError, match="holds .*Functional.* where a registered model is"):
        zoo.load(path)


@pytest.mark.slow
def test_a_file_alone_is_loaded_by_a_new_process(tmp_path):
    zoo.build("ave", 3, vocabulary_size=9).save(tmp_path / "own.keras")
    program = "import zoo; print(zoo.load('own.keras').num_classes)"
    found = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "3"


@pytest.mark.long
def test_on_jax_a_saved_model_is_written_or_missed(trained, tmp_path, monkeypatch, caplog):
    """By a process on TensorFlow, which cannot know models of one's own."""
    model = zoo.load(trained)
    monkeypatch.setattr("keras.backend.backend", lambda: "jax")
    with pytest.raises(zoo.UsageError, match="^no SavedModel: .* is no run: it has no config"):
        write_model(tmp_path, model)
    assert [path.name for path in tmp_path.iterdir()] == ["model.keras"]
    killed = subprocess.CompletedProcess([], -9, stderr="")
    with monkeypatch.context() as patch:
        patch.setattr("subprocess.run", lambda *command, **options: killed)
        with pytest.raises(zoo.UsageError, match="by signal 9$"):
            write_model(tmp_path, model)
    monkeypatch.setattr(type(model), "__module__", "own")
    write_model(tmp_path, model)
    assert "There is no SavedModel: TensorFlow's process does not know hcan" in caplog.text


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("model", 1),
        ("data", 1),
        ("files", []),
        ("seed", "x"),
        ("versions", "0.1.0"),
        ("clean_up", [1]),
        ("clean_up", "hcam"),
    ],
)
def test_damaged_settings_are_refused(name, value, run):
    config = json.loads((run / "config.json").read_text())
    for wrong in (config | {name: value}, {key: config[key] for key in config if key != name}):
        write_json(run / "config.json", wrong)
        with pytest.raises(zoo.UsageError, match="is damaged|unknown clean_up"):
            zoo.load(run)


def test_words_are_prepared_as_told(csv_file, tmp_path, caplog):
    """Clean-up, limits and word vectors of a file, frozen, are those of the loaded model."""
    caplog.set_level("INFO", "zoo")
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("good, 1 2 3 4\nBad 5 6 7 8\nDull 9 9 9 9\nso so 7 7 7 7\n")
    run = zoo.train(
        "cnn_kim",
        str(csv_file),
        options={"train_embeddings": False, "filters": 4},
        clean_up="tokens",
        percentile=50,
        cache="disk",
        weights=str(vectors),
        epochs=1,
        output=tmp_path / "runs",
        verbose=0,
    )
    model = zoo.load(run)
    row = model.preprocessor.vocabulary.index("good,") + 2
    np.testing.assert_array_equal(model.embed.embeddings[row], [1, 2, 3, 4])
    assert model.preprocessor.vocabulary[-1] == "dull"  # which no training text has
    assert "words of the vocabulary come from the weights" in caplog.text
    np.testing.assert_array_equal(model.embed.embeddings[-1], [9, 9, 9, 9])
    assert not np.allclose(*model.predict(["dull", "never seen"]))
    assert model.preprocessor.clean_up == "tokens"
    assert model.max_words == model.preprocessor.max_words == 7
    config = json.loads((run / "config.json").read_text())
    assert config["weights"] == str(vectors)
    assert config["files"] == {"text_column": "review", "label_column": "stars"}


def test_word_vectors_of_another_width_are_refused(csv_file, tmp_path):
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("good 1 2 3 4\n")
    with pytest.raises(zoo.UsageError, match="embedding_dim is 8, but the vectors .* 4 wide"):
        zoo.train(
            "cnn_kim",
            str(csv_file),
            options={"embedding_dim": 8},
            weights=str(vectors),
            output=tmp_path / "runs",
        )
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("name", ["cnn_kim", "hcan"])
def test_probabilities_come_in_the_order_of_the_texts(name):
    """Though texts of like length are computed together."""
    texts = [("good bad. " * (7 * i % 300)).strip() for i in range(300)]
    model = zoo.build(name, 3, embedding_dim=8)
    limits = (model.max_words, model.max_sentences)
    model.preprocessor = zoo.datasets.Preprocessor(["good", "bad"], *limits)
    expected = model.predict(np.asarray(model.preprocessor(texts[:40])), verbose=0)
    np.testing.assert_allclose(probabilities_of(model, texts)[:40], expected, atol=1e-6)


def test_machines_of_one_domain_have_names_of_their_own(tmp_path):
    """In what they are writing."""
    code = (
        "import platform; platform.node = lambda: {!r}; "
        "from zoo.filesystem.atomic_files import NODE; print(NODE)"
    )
    names = [f"ip-10-0-0-{i}.ap-southeast-1.compute.internal" for i in (1, 2)]
    ran = [
        subprocess.run([sys.executable, "-c", code.format(name)], capture_output=True, check=True)
        for name in names
    ]
    assert ran[0].stdout != ran[1].stdout


def test_only_what_the_disk_says_is_an_error_of_writing(tmp_path):
    """Else a device's memory would be taken for the disk's."""
    with pytest.raises(RuntimeError, match="RESOURCE_EXHAUSTED"), whole(tmp_path / "a"):
        raise RuntimeError("RESOURCE_EXHAUSTED")


@pytest.mark.parametrize("name", ["a", "old-a", "my-old-a"])
def test_half_a_folder_never_gets_its_name(tmp_path, name):
    def write():
        with whole(tmp_path / name) as partial:
            partial.mkdir()
            raise OSError("no room")

    with pytest.raises(zoo.UsageError, match="no room"):
        write()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("left_by", ["a killed process", "a failure"])
def test_a_folder_that_was_moved_away_comes_back(tmp_path, monkeypatch, ended, left_by):
    path, replace = tmp_path / "a", Path.replace
    path.mkdir()
    (path / "inside").write_text("complete")
    if left_by == "a killed process":
        path.replace(tmp_path / f".old-{NODE}-{ended}-a")
        error = KeyError
    else:
        error = zoo.UsageError

        def fails_at_last(self, target):
            if ".old-" not in self.name + target.name:
                raise OSError("no")
            return replace(self, target)

        monkeypatch.setattr(Path, "replace", fails_at_last)

    def write():
        with whole(path) as partial:
            partial.mkdir()
            if left_by == "a killed process":
                raise KeyError

    with pytest.raises(error):
        write()
    assert (path / "inside").read_text() == "complete"
    assert list(tmp_path.iterdir()) == [path]
