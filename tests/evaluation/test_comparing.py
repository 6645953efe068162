"""Systems on the same texts: intervals, McNemar's test, and what cannot be compared."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import f1_score

import zoo
from zoo.answers import ONE, SEVERAL
from zoo.evaluation.comparing import System, _scored
from zoo.evaluation.resampling import interval, mcnemar, resampled
from zoo.evaluation.scores import read_test_split, score
from zoo.runs.run_config import read_config

COLORS = {"red": "a red rose", "blue": "the blue sea", "green": "green grass"}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two quick models of the built-in reviews."""
    folder = tmp_path_factory.mktemp("runs")
    options = {"options": {"embedding_dim": 8}, "epochs": 1, "output": folder, "verbose": 0}
    return zoo.train("svm_bigrams", output=folder, verbose=0), zoo.train("fasttext", **options)


@pytest.fixture(scope="module")
def found(runs):
    return zoo.compare(*runs, resamples=200, most=2, speed=True)


@pytest.mark.parametrize(("first", "second"), [(0, 0), (2, 0), (7, 3), (30, 31), (0, 20)])
def test_mcnemar_is_a_toss_of_the_texts_that_one_has_right(first, second):
    one = np.array([True] * first + [False] * second + [True, False])
    other = np.array([False] * first + [True] * second + [True, False])
    p = min(1, 2 * stats.binom.cdf(min(first, second), first + second, 0.5))
    assert mcnemar(one, other) == (first, second, pytest.approx(p))


def test_resamples_are_those_of_numpy_and_intervals_those_of_scipy():
    values = np.random.default_rng(0).normal(size=(300, 2))
    sums = resampled(values, 2_000, seed=3)
    drawn = np.random.default_rng(3).integers(300, size=(2_000, 300))
    np.testing.assert_allclose(sums, values[drawn].sum(axis=1))
    ours = interval(sums[:, 0] / 300, 0.9)
    theirs = stats.bootstrap(
        (values[:, 0],), np.mean, confidence_level=0.9, method="percentile", rng=5
    ).confidence_interval
    np.testing.assert_allclose(ours, theirs, atol=0.01)


def test_each_metric_of_each_resample_is_that_of_scikit_learn(monkeypatch):
    random, labels = np.random.default_rng(1), ["a", "b", "c"]
    targets, texts = random.integers(3, size=80), 80
    systems = []
    for name in ("one", "other"):
        probabilities = random.dirichlet(np.ones(3), size=texts)
        answers = probabilities.argmax(-1)
        systems.append(System(name, answers, probabilities, ONE.sureness(answers, probabilities)))
    monkeypatch.setattr("zoo.evaluation.resampling.AT_ONCE", 3 * texts)  # in parts
    kept = []
    monkeypatch.setattr(
        "zoo.evaluation.comparing.interval", lambda values, _: kept.append(values) or (0.0, 0.0)
    )
    scores, classes = _scored(ONE, targets, systems, labels, 7, 0.95, seed=2)
    random = np.random.default_rng(2)
    drawn = np.vstack([random.integers(texts, size=(min(3, 7 - i), texts)) for i in (0, 3, 6)])
    f1 = [
        [
            f1_score(targets[rows], one.answers[rows], average="macro", zero_division=0)
            for rows in drawn
        ]
        for one in systems
    ]
    np.testing.assert_allclose(kept[1], f1[0])  # accuracy, and then macro F1
    assert scores["metric"].tolist() == 2 * ["accuracy", "macro_f1", "loss", "calibration_error"]
    own = score(targets, systems[1].probabilities, labels)
    for metric, value in scores[scores["name"] == "other"][["metric", "value"]].values:
        assert value == pytest.approx(own[metric])
    differences = scores["difference"].iloc[4:].to_numpy()
    np.testing.assert_allclose(differences, scores["value"].diff(4).iloc[4:])
    np.testing.assert_allclose(
        classes["f1"].iloc[3:], [own["classes"][label]["f1-score"] for label in labels]
    )


def test_several_labels_have_micro_and_macro_f1_and_exact_match():
    random, labels = np.random.default_rng(1), ["a", "b", "c"]
    targets = (random.random((50, 3)) > 0.5).astype("float32")
    probabilities = random.random((50, 3))
    answers = SEVERAL.decide(probabilities)
    system = System("one", answers, probabilities, SEVERAL.sureness(answers, probabilities))
    scores, _ = _scored(SEVERAL, targets, [system, system], labels, 20, 0.95, seed=0)
    own = score(targets, probabilities, labels, SEVERAL)
    for metric, value in scores[["metric", "value"]].values:
        assert value == pytest.approx(own[metric])
    assert {"micro_f1", "macro_f1", "exact_match", "loss"} < {*scores["metric"]}
    assert not scores["difference"].iloc[5:].any()


def test_runs_are_compared_on_their_test_texts(found, runs):
    assert found.names == [run.name for run in runs] and found.texts == 1000
    told = found.scores.set_index(["name", "metric"])
    for run in runs:
        own = zoo.evaluate(run)
        for metric in ("accuracy", "macro_f1", "loss", "calibration_error"):
            row = told.loc[(run.name, metric)]
            assert row["value"] == pytest.approx(own[metric])
            assert row["low"] < row["high"]
    (test,) = found.tests.to_dict("records")
    accuracies = told["value"].xs("accuracy", level="metric")
    assert accuracies.diff().iloc[1] * 1000 == pytest.approx(
        test["only_other"] - test["only_first"]
    )
    assert (found.systems["megabytes"] > 0).all() and (found.systems["texts_a_second"] > 0).all()
    assert len(found.disagreements) == 2 and found.disagreements["words_of_wrong"].notna().all()
    table = zoo.list_runs(runs[0].parent, sort="accuracy")
    np.testing.assert_allclose(sorted(table["accuracy"]), sorted(accuracies))
    row = found.disagreements.iloc[0]
    answer = zoo.load(dict(zip(found.names, runs, strict=True))[row["right"]])
    assert answer.classify([row["text"]])[0]["label"] == row["label"] != row["answer"]
    assert "Comparison of svm_bigrams" in repr(found)


def test_the_result_is_written_as_data_and_as_a_page(found, tmp_path):
    found.write(tmp_path / "all.json")
    told = json.loads((tmp_path / "all.json").read_text())
    assert told["scores"][0]["difference"] is None and len(told["classes"]) == 10
    found.write(tmp_path / "scores.csv")
    assert len(pd.read_csv(tmp_path / "scores.csv")) == 8
    page = found.page()
    assert "McNemar" in page and page.count('"open":true') == 4
    with pytest.raises(zoo.UsageError, match="all.json is there already"):
        found.write(tmp_path / "all.json")
    with pytest.raises(zoo.UsageError, match=r"kind of output of a.jsn: '.jsn'.*Did you mean"):
        found.write("a.jsn")


def test_a_run_is_compared_with_answers_of_anyone(found, runs, tmp_path):
    first, second = runs
    test = zoo.load(second)
    texts = pd.DataFrame({"text": list(zoo.datasets.load("sample").split().test)})
    whole = zoo.predict(test, texts, probabilities=True)
    answers = {"whole.csv": whole, "short.csv": whole[["label"]]}
    answers["sure.csv"] = pd.read_csv(second / "predictions.csv", dtype=str)
    for name, frame in answers.items():
        frame.to_csv(tmp_path / name, index=False)
    rows = test.classify(list(texts["text"]))
    lines = [json.dumps({"prediction": one["label"]} | one) for one in rows]
    (tmp_path / "whole.jsonl").write_text("\n".join(lines))
    expected = found.scores[found.scores["name"] == second.name].set_index("metric")
    for name, metrics in (("whole.csv", 4), ("short.csv", 2), ("sure.csv", 3), ("whole.jsonl", 4)):
        other = zoo.compare(first, tmp_path / name, resamples=200, most=0)
        scores = other.scores[other.scores["name"] == name].set_index("metric")
        assert len(scores) == metrics and other.disagreements.empty
        for column in ("value", "difference", "difference_low", "difference_high"):
            wanted = expected.loc[scores.index, column]
            np.testing.assert_allclose(scores[column], wanted, atol=1e-3)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["label", "5"], "answers.csv has 1 rows, and there are 1,000 test texts"),
        (["label", "55"], r"answers.csv, line 2: unknown label '55'. Did you mean '5'"),
        (["lable", "5"], "answers.csv: which column has the answers.*--answer-column.*'lable'"),
        (["label,probability", "5,1.5"], "line 2: a probability is a number from 0 to 1: got '1.5"),
        (["label,text", "5,Another"], "line 2: its text is not the test text 1, "),
        (["label,text", "5"], "line 2: 1 columns where the header has 2"),
    ],
)
def test_answers_that_cannot_be_are_told_with_their_line(rows, message, runs, tmp_path):
    (tmp_path / "answers.csv").write_text("\n".join(rows) + "\n")
    with pytest.raises(zoo.UsageError, match=message):
        zoo.compare(runs[0], tmp_path / "answers.csv", resamples=10)
    with pytest.raises(zoo.UsageError, match="no such file: .*other.csv. In .*answers.csv"):
        zoo.compare(runs[0], tmp_path / "other.csv", resamples=10)


def colors(path, numbers, labels=("red", "blue", "green")):
    rows = [(f"{COLORS[label]} {i}", label) for i in numbers for label in labels]
    pd.DataFrame(rows, columns=["text", "label"]).to_csv(path, index=False)
    return path


def test_runs_with_other_texts_or_labels_are_refused(runs, tmp_path):
    def train(name, **given):
        return zoo.train("svm_bigrams", tmp_path / name, output=tmp_path, verbose=0, **given)

    colors(tmp_path / "a.csv", range(20))
    colors(tmp_path / "b.csv", range(10, 30))
    colors(tmp_path / "test.csv", range(40, 50))
    colors(tmp_path / "two.csv", range(20), ("red", "blue"))
    a, b = train("a.csv"), train("b.csv")
    with pytest.raises(zoo.UsageError, match="has other labels than svm_bigrams-sample"):
        zoo.compare(runs[0], a)
    with pytest.raises(zoo.UsageError, match=r"other test texts \(text .* another one.*--data"):
        zoo.compare(a, b)
    with pytest.raises(zoo.UsageError, match=r"other test texts \(6 and 30 texts\)"):
        zoo.compare(a, train("a.csv", test_data=tmp_path / "test.csv"))
    with pytest.raises(zoo.UsageError, match="has other labels"):
        zoo.compare(a, train("two.csv"))
    found = zoo.compare(a, b, data=tmp_path / "test.csv", resamples=10)
    assert found.texts == 30 and found.disagreements.empty
    models = zoo.load(a), zoo.load(b)
    same = zoo.compare(*models, data=tmp_path / "test.csv", resamples=10)
    assert same.names == ["svm_bigrams", "svm_bigrams (2)"]
    np.testing.assert_array_equal(same.scores["value"], found.scores["value"])


def test_runs_of_several_labels_are_compared(tmp_path):
    both = [[f"{COLORS['red']} and {COLORS['blue']} {i}", "red; blue"] for i in range(20)]
    one = [[f"{COLORS[label]} {i}", label] for i in range(20) for label in COLORS]
    table = pd.DataFrame(both + one, columns=["text", "label"])
    table.to_csv(tmp_path / "data.csv", index=False)
    given = {"label_separator": ";", "output": tmp_path, "verbose": 0}
    a, b = (zoo.train(name, tmp_path / "data.csv", **given) for name in ("svm_unigrams", "bow"))
    found = zoo.compare(a, b, resamples=20)
    measures = ["micro_f1", "macro_f1", "exact_match", "loss", "calibration_error"]
    assert found.scores["metric"].tolist() == 2 * measures
    rows = zoo.load(b).classify(list(read_test_split(read_config(b))))
    answers = pd.DataFrame({"label": ["; ".join(one["label"]) for one in rows]})
    answers[["label"]].to_csv(tmp_path / "answers.csv", index=False)
    other = zoo.compare(a, tmp_path / "answers.csv", resamples=20)
    np.testing.assert_allclose(other.scores["value"].iloc[5:8], found.scores["value"].iloc[5:8])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((["a"], {}), "two runs or more are compared.*: got 1"),
        ((["a", "b"], {"confidence": 95}), r"\(0.95, not 95\): got 95"),
        ((["a", "b"], {"resamples": 0}), "resamples .* at least 1: got 0"),
        ((["a", "b"], {"most": -1}), "most .* at least 0: got -1"),
        ((["a", "b"], {"page": "a.txt"}), "end its name with .html, not as a.txt"),
        ((["a", "b"], {"label_colum": "a", "data": "sample"}), "argument of zoo.compare 'label_co"),
        ((["a", "b"], {}), "no run in a"),
        ((["a", "b"], {"answer_column": "x"}), "is of a file of answers: there is none"),
        ((["a.csv", "b"], {}), "a.csv is a file of answers: give a run first"),
    ],
)
def test_what_cannot_be_is_told_first(given, message):
    runs, options = given
    with pytest.raises(zoo.UsageError, match=message):
        zoo.compare(*runs, **options)
