"""The same command twice gives the same weights and scores; and a run may be moved."""

import json
import shutil

import numpy as np
import pytest
import tensorflow as tf

import zoo
from tests.histories import history_of


def scores(run):
    return {
        k: v for k, v in json.loads((run / "metrics.json").read_text()).items() if k != "seconds"
    }


@pytest.mark.parametrize("model", ["act", "hcan"])
def test_the_same_command_twice(server, data, cases, tmp_path, model):
    runs = []
    for name in ("first", "second"):
        small = ["--epochs", "2", "--set", "embedding_dim=12", "--set", "num_heads=2"]
        server.run("train", model, "--data", data, *small, "--output", tmp_path / name).well()
        runs += (tmp_path / name).iterdir()
        cases("the same command again")
    one, other = runs
    for weight, same in zip(
        zoo.load(one).get_weights(), zoo.load(other).get_weights(), strict=True
    ):
        np.testing.assert_array_equal(weight, same)
    assert scores(one) == scores(other)
    assert history_of(one) == history_of(other)
    for name in ("predictions.csv", "mistakes.csv", "vocabulary.txt"):
        assert (one / name).read_bytes() == (other / name).read_bytes()


def test_a_run_that_was_moved(server, whole, cases, tmp_path):
    run = shutil.copytree(whole.run, tmp_path / "elsewhere" / "renamed")
    texts = ["good w1 w2", "bad w3"]
    expected = zoo.load(whole.run).predict(texts, verbose=0)
    np.testing.assert_array_equal(zoo.load(run).predict(texts, verbose=0), expected)
    loaded = tf.saved_model.load(run / "saved_model")  # kept, or its variables are gone
    served = loaded.serve(tf.constant(texts))
    np.testing.assert_allclose(served["probabilities"], expected, atol=1e-6)
    answers = server.run("predict", run, *texts).well().out
    assert [json.loads(line)["text"] for line in answers.splitlines()] == texts
    scored = json.loads(server.run("evaluate", run, "--json").well().out)
    assert scored["accuracy"] == scores(whole.run)["accuracy"]
    cases("a run that was moved")


def test_a_training_that_was_moved_goes_on(server, train, whole, same_end, cases, tmp_path):
    first = tmp_path / "first"
    assert server.run(*train, first, folder=first, fatal=whole.touches // 2).killed
    (run,) = first.iterdir()
    moved = run.rename(tmp_path / "moved")
    server.run("train", "--resume", moved).well()
    same_end(moved)
    cases("a run that was moved")


def test_nothing_is_open_to_more_than_the_umask_says(server, train, whole, faults, tmp_path):
    """Neither what is whole, nor what a kill left."""
    umask = 0o077
    arguments = [*train, tmp_path / "runs", "--weights", "word2vec"]
    own = {"umask": umask, "ZOO_CACHE_DIR": str(tmp_path / "cache")}
    server.run(*arguments, folder=tmp_path, fatal=whole.touches, **own)
    server.run(*arguments, **own).well()
    server.run("export", whole.run, "--output", tmp_path / "exported", **own).well()
    server.run("export", whole.run, "--format", "onnx", "--output", tmp_path / "onnx", **own).well()
    server.run("explain", whole.run, "good", "--page", tmp_path / "page.html", **own).well()
    open_to_more = [path for path in tmp_path.rglob("*") if path.stat().st_mode & umask]
    assert open_to_more == []
    faults("strict umask")
