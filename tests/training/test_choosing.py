"""``zoo train auto``, the model without a name, and several seeds."""

import json
import shutil
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zoo
from zoo.runs.run_config import read_config
from zoo.settings import TrainSettings
from zoo.training import candidates, choosing
from zoo.training.choosing import choice

FEW = {"verbose": 0, "weights": "none", "calibrate": False}


@pytest.fixture(autouse=True)
def _few_are_few(monkeypatch):
    monkeypatch.setattr("zoo.recipes.FEW", 100)


def table(texts=60, label=("yes", "no")):
    words = "good", "bad"
    rows = [(f"a {words[i % 2]} day {i % 7}", label[i % 2]) for i in range(texts)]
    return pd.DataFrame(rows, columns=["text", "label"])


@pytest.fixture
def tried(monkeypatch):
    """Sets the models that are tried."""

    def of(*names):
        found = candidates.Candidates("texts of a test", "svm_unigrams", names)
        monkeypatch.setattr(choosing, "candidates", lambda *_: found)

    return of


def row(model, gains):
    return {"model": model, "gains": list(gains)}


@given(st.lists(st.tuples(*[st.booleans()] * 3), min_size=2, max_size=40))
def test_the_first_within_chance_is_chosen(answers):
    columns = np.array(answers, float).T
    rows = [row(name, gains) for name, gains in zip("abc", columns, strict=True)]
    found = choice(rows, "texts").set_index("model")
    (chosen,) = found.index[found["chosen"]]
    assert (found["low"] >= 0).all() and (found["high"] <= 1).all()
    assert (found["low"] <= found["validation"]).all()
    gains = pd.DataFrame({one["model"]: one["gains"] for one in rows})
    best = gains.mean().idxmax()
    for name in "abc":
        difference = gains[best] - gains[name]
        near = difference.mean() <= choosing.NEAR * difference.sem() + 1e-12
        assert near or name != chosen
        if near:
            break
    assert name == chosen


def test_a_sure_difference_decides_and_chance_does_not():
    right, wrong = np.ones(1000), np.zeros(1000)
    many = np.where(np.arange(1000) % 10, right, wrong)
    found = choice([row("small", wrong), row("large", right)], "1,000 texts")
    assert found["chosen"].tolist() == [False, True]
    assert found["why"][1] == "it is the best by 1,000 texts"
    almost = many.copy()
    almost[3] = 0
    found = choice([row("small", almost), row("large", many)], "1,000 texts")
    assert found["chosen"].tolist() == [True, False]
    assert found["why"][0] == (
        "it is smaller or faster than large, the best by 1,000 texts, and the difference may be "
        "chance"
    )


def test_few_texts_are_judged_by_folds(tmp_path, tried, caplog):
    caplog.set_level("INFO", "zoo")
    tried("svm_unigrams", "svm_bigrams")
    run = zoo.train("auto", table(), output=tmp_path, **FEW)
    assert run.parent == tmp_path and run.name.startswith("svm_unigrams-")
    assert "judged by 3 folds of 54 training texts" in caplog.text
    found = pd.read_csv(run / "candidates.csv")
    assert found["model"].tolist() == ["svm_unigrams", "svm_bigrams"]
    assert found["validation"].tolist() == [1, 1] and found["chosen"].tolist() == [True, False]
    assert (found[["parameters", "texts_a_second", "seconds"]] > 0).all(axis=None)
    assert zoo.load(run).classify(["a good day"])[0]["label"] == "yes"
    settings = read_config(run).settings
    assert (settings.model, settings.minutes, settings.seeds) == ("svm_unigrams", None, None)


def test_many_texts_are_judged_by_the_validation_split(tmp_path, tried, caplog):
    """And the chosen run is one that ``zoo.train`` repeats with the settings of its config."""
    caplog.set_level("INFO", "zoo")
    tried("cnn_kim", "svm_unigrams")
    more = {"batch_size": 4, "epochs": 2, "output": tmp_path} | FEW
    run = zoo.train("auto", table(200), **more)
    assert "judged by 18 validation texts" in caplog.text
    assert len([*tmp_path.glob("auto-dataframe-*/runs/*/model.keras")]) == 2
    settings = read_config(run).settings
    assert settings.epochs == 2 and settings.minutes is None
    again = zoo.train(**vars(settings) | {"data": run / "data.jsonl", "output": tmp_path / "b"})
    for one, other in zip(zoo.load(run).get_weights(), zoo.load(again).get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_chosen_model_that_is_solved_learns_from_the_validation_texts_too(tmp_path, tried):
    tried("svm_unigrams")
    run = zoo.train("auto", table(200), output=tmp_path, **FEW)
    (trial,) = tmp_path.glob("auto-*/runs/*")
    assert read_config(trial).texts == {"train": 162, "validation": 18, "test": 20}
    assert read_config(run).texts == {"train": 180, "validation": 0, "test": 20}
    assert pd.read_csv(run / "candidates.csv")["judged"].tolist() == [18]
    moved = run.rename(tmp_path / "moved")
    shutil.rmtree(trial.parents[1])
    assert zoo.evaluate(moved)["accuracy"] == 1  # of texts that are read again


def test_a_kill_at_the_end_leaves_no_run_without_its_candidates(tmp_path, tried, monkeypatch):
    tried("svm_unigrams")
    with monkeypatch.context() as patch:
        patch.setattr(choosing, "new_run", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            zoo.train("auto", table(200), output=tmp_path, **FEW)
    assert not [*tmp_path.glob("svm_unigrams-*")]
    run = zoo.train("auto", table(200), output=tmp_path, **FEW)
    assert (run / "candidates.csv").exists() and [*tmp_path.glob("svm_unigrams-*")] == [run]
    (folder,) = tmp_path.glob("auto-*")
    assert sorted(found.name for found in folder.glob("*/")) == ["runs"]


def test_a_killed_search_loses_the_model_under_way_alone(tmp_path, tried, monkeypatch, caplog):
    caplog.set_level("INFO", "zoo")
    tried("svm_unigrams", "svm_bigrams", "nb_svm")
    train_one, begun = choosing.train_one, []

    def killed(settings, *more):
        begun.append(settings.model)
        if len(begun) == 2:
            (settings.output / "half").mkdir()
            raise MemoryError
        return train_one(settings, *more)

    monkeypatch.setattr(choosing, "train_one", killed)
    with pytest.raises(MemoryError):
        zoo.train("auto", table(), output=tmp_path, **FEW)
    run = zoo.train("auto", table(), output=tmp_path, **FEW)
    assert begun == ["svm_unigrams", "svm_bigrams", "svm_bigrams", "nb_svm"]
    assert not [*tmp_path.glob("auto-*/runs/half")]
    assert len(pd.read_csv(run / "candidates.csv")) == 3
    zoo.train("auto", table(), output=tmp_path, **FEW)
    assert len(begun) == 4 and "All models have been tried before" in caplog.text


def test_models_for_which_there_is_no_time_are_left_out(tmp_path, tried, caplog):
    caplog.set_level("INFO", "zoo")
    tried("svm_unigrams", "svm_bigrams")
    run = zoo.train("auto", table(), output=tmp_path, minutes=1e-6, **FEW)
    assert "svm_bigrams is not tried: the time is over" in caplog.text
    assert len(pd.read_csv(run / "candidates.csv")) == 1


def test_where_time_is_short_some_folds_judge(tmp_path, tried, monkeypatch, caplog):
    caplog.set_level("INFO", "zoo")
    tried("svm_unigrams", "svm_bigrams")
    folds, clock = choosing.answers_of_folds, [0.0]

    def ticking():
        clock[0] += 1e-3
        return clock[0]

    def slow(*given):
        for one in folds(*given):
            clock[0] += 10
            yield one

    monkeypatch.setattr(choosing, "answers_of_folds", slow)
    monkeypatch.setattr(choosing, "time", SimpleNamespace(perf_counter=ticking))
    run = zoo.train("auto", table(), output=tmp_path, minutes=1, **FEW)
    assert "There is time for 1 of 3 folds" in caplog.text
    found = pd.read_csv(run / "candidates.csv")
    assert found["judged"].tolist() == [54, 18] and found["validation"].tolist() == [1, 1]


def test_a_model_that_some_texts_judged_is_compared_on_these():
    whole, nothing = np.tile([1.0, 0.0], 50), np.full(50, np.nan)
    easy = np.r_[np.ones(50), nothing]  # half of them wrong by the other
    hard = np.r_[np.tile([1.0, 0.0], 25), nothing]
    found = choice([row("a", whole), row("b", hard), row("c", easy)], "texts").set_index("model")
    assert found["validation"].tolist() == [0.5, 0.5, 1.0]
    assert found["judged"].tolist() == [100, 50, 50] and found["chosen"]["c"]
    low = np.r_[nothing, np.zeros(50)]
    found = choice([row("a", np.zeros(100)), row("b", low)], "texts")
    assert found["validation"].tolist() == [0, 0] and found["chosen"][0]


def test_what_falls_behind_is_stopped_and_what_fails_left_out(tmp_path, tried, caplog):
    caplog.set_level("INFO", "zoo")
    tried("svm_unigrams", "cnn_kim", "no_such")
    more = {"epochs": 1, "learning_rate": 1e-9, "output": tmp_path} | FEW
    run = zoo.train("auto", table(90), **more)
    assert "cnn_kim is stopped: far behind after" in caplog.text
    assert "no_such is left out: unknown model" in caplog.text
    assert pd.read_csv(run / "candidates.csv")["model"].tolist() == ["svm_unigrams"]


def test_what_there_was_no_time_for_is_tried_when_there_is(tmp_path, tried, monkeypatch):
    """And so is a model whose run is gone; time that was spent counts."""
    tried("svm_unigrams", "svm_bigrams")
    with monkeypatch.context() as patch:
        patch.setattr(choosing._Trials, "left", property(lambda self: 1e-3))
        run = zoo.train("auto", table(), output=tmp_path, devices=1, **FEW)
    assert len(pd.read_csv(run / "candidates.csv")) == 1
    run = zoo.train("auto", table(), output=tmp_path, **FEW)
    found = pd.read_csv(run / "candidates.csv")
    assert found["model"].tolist() == ["svm_unigrams", "svm_bigrams"]
    shutil.rmtree(found["run"][0])
    again = zoo.train("auto", table(), output=tmp_path, **FEW)
    other = pd.read_csv(again / "candidates.csv")
    assert other["run"][0] != found["run"][0] and other["run"][1] == found["run"][1]


def test_several_labels(tmp_path, tried):
    tried("svm_unigrams", "svm_bigrams")
    rows = table().assign(label=[["x"], ["y", "z"]] * 30)
    run = zoo.train("auto", rows, output=tmp_path, **FEW)
    assert pd.read_csv(run / "candidates.csv")["validation"].tolist() == [1, 1]
    assert zoo.load(run).classify(["a bad day"])[0]["label"] == ["y", "z"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"options": {"filters": 3}}, r"options \(--set\) belongs to a model: name the model"),
        ({"preset": "kim2014"}, r"preset \(--preset\) belongs to a model"),
        ({"teacher": "runs/one"}, "auto tries several models, without teacher: name a model"),
        ({"seeds": 3}, "auto tries several models, without seeds: name a model"),
    ],
)
def test_settings_of_one_model_are_refused(tmp_path, settings, message):
    with pytest.raises(zoo.UsageError, match=message):
        zoo.train("auto", table(), output=tmp_path / "runs", **FEW | settings)
    assert not (tmp_path / "runs").exists()


def test_a_model_without_a_name_is_told(tmp_path, caplog, monkeypatch):
    caplog.set_level("INFO", "zoo")
    monkeypatch.setattr("zoo.datasets.vectors.english.ENOUGH", 0.9)
    known = table().assign(text=["the food was good", "the food was bad"] * 30)
    run = zoo.train(data=known, output=tmp_path, epochs=1, verbose=0)
    assert read_config(run).settings.model == "attcnn"
    assert "attcnn, which is mostly best on texts whose words are mostly known" in caplog.text
    strange = table().assign(text=[f"xq{i % 2} zvw{i % 7}" for i in range(60)])
    run = zoo.train(data=strange, output=tmp_path, verbose=0)
    assert read_config(run).settings.model == "svm_characters"
    marked = table().assign(text="a <e1>man</e1> in a <e2>house</e2>")
    corpus = zoo.datasets.load(marked)
    corpus.clean_up = "relations"
    assert candidates.candidates(corpus, TrainSettings()).usual == "act"


def test_several_seeds_keep_the_run_in_the_middle(tmp_path):
    more = {"batch_size": 4, "epochs": 1, "output": tmp_path, "seed": 5, "seeds": 3} | FEW
    few = {"options": {"embedding_dim": 4, "filters": 2}}
    middle = zoo.train("cnn_kim", table(200), **more | few)
    found = pd.read_csv(middle / "seeds.csv")
    assert found["seed"].tolist() == [5, 6, 7] and len(set(found["run"])) == 3
    of_middle = found[found["run"] == str(middle)].iloc[0]
    assert of_middle["validation"] == found["validation"].median()
    scores = json.loads((middle / "metrics.json").read_text())
    assert of_middle["accuracy"] == scores["accuracy"]
    assert read_config(middle).settings.seed == of_middle["seed"]


def test_a_search_of_another_version_of_the_folder_is_refused_in_a_line(tmp_path, tried):
    tried("svm_unigrams")
    zoo.train("auto", table(), output=tmp_path, **FEW)
    (folder,) = tmp_path.glob("auto-*")
    (folder / "study.log").write_text("no study\n")
    with pytest.raises(zoo.UsageError, match="cannot be read"):
        zoo.train("auto", table(), output=tmp_path, **FEW)
    shutil.rmtree(folder)
    zoo.train("auto", table(), output=tmp_path, **FEW)
