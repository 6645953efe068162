"""Accuracy by the number of labels: what is drawn, in which order, and what is told of it."""

import numpy as np
import pandas as pd
import pytest

import zoo
from benchmarks import labels, labels_report, labels_systems
from benchmarks.labels import ALL, CORPORA, DRAWS, DRAWS_OF_LARGE, KEY, LABELS, drawn, plan
from benchmarks.labels_goals import Goal, by_factor, everywhere, gap_closed, goals, on_average

TRAIN = pd.DataFrame(
    {"text": [f"text {i}" for i in range(60)], "label": ["a"] * 40 + ["b"] * 17 + ["c"] * 3}
)
TEST = pd.DataFrame({"text": ["a one", "b two", "a three"], "label": ["a", "b", "a"]})


def test_a_draw_has_so_many_texts_of_each_class_and_fewer_are_among_more():
    few, more, other = drawn(TRAIN, "8", 0), drawn(TRAIN, "16", 0), drawn(TRAIN, "8", 1)
    assert few["label"].value_counts().to_dict() == {"a": 8, "b": 8, "c": 3}
    assert set(few["text"]) < set(more["text"]) and set(few["text"]) != set(other["text"])
    assert few.equals(drawn(TRAIN, "8", 0))
    assert len(drawn(TRAIN, ALL, 0)) == len(TRAIN)


def test_the_plan_has_16_and_100_labels_first_and_all_texts_once():
    todo = plan(list(CORPORA), list(LABELS), ["one", "two"], None)
    assert len(set(todo)) == len(todo)
    later = [one[2] not in ("16", "100") for one in todo]
    assert later == sorted(later)
    begun = todo[: 2 * 2 * len(CORPORA)]
    assert {one[1] for one in begun} == set(CORPORA) and {one[3] for one in begun} == {0}
    for name, corpus in CORPORA.items():
        of_all = [one for one in todo if one[1] == name and one[2] == ALL]
        assert len(of_all) == 2
        draws = {one[3] for one in todo if one[1] == name and one[2] == "8"}
        assert len(draws) == (DRAWS_OF_LARGE if corpus.large else DRAWS)
    assert {one[3] for one in plan(["trec"], ["8"], ["one"], 2)} == {0, 1}


class Longest(labels_systems.System):
    """Says "a" of each text, or fails."""

    packages = ("numpy",)

    def fit(self, texts, labels, seed, folder):
        assert (folder / "test.jsonl").exists()
        self.label = sorted(labels)[0]

    def answer(self, texts):
        return [self.label] * len(texts)

    def ship(self, folder):
        (folder / "label").write_text(self.label)


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A corpus and a system of the tests', run in this process; results in a folder of theirs."""
    monkeypatch.setattr(labels, "RESULTS", tmp_path / "labels.csv")
    monkeypatch.setattr(labels, "CORPORA", {"small": labels.Corpus("Small", "small")})
    ran = []

    def trained(system, draw, folders):
        for folder in folders:
            if system == "fails":
                yield None
                continue
            ran.append(draw)
            yield labels_systems.score(Longest(), folder, draw)

    monkeypatch.setattr(labels_systems, "AGAIN", 0)
    systems = {"first": ("First", Longest), "fails": ("Fails", Longest)}
    monkeypatch.setattr(labels, "SYSTEMS", systems)
    monkeypatch.setattr(labels, "trained", trained)
    monkeypatch.setattr(labels, "read", lambda name: (TRAIN, TEST))
    labels.count.cache_clear()
    return ran


def test_it_goes_on_where_it_stopped_and_tells_what_is_there(small, tmp_path, capsys):
    labels.main(labels="8,100,all", draws=1)
    assert small == [0, 0]  # a class has 40 texts at most: 100 labels would be all again
    labels.main(labels="8,all", systems="first")
    assert small == [0, 0, 1, 2, 3, 4]
    labels.main(labels="8,all", systems="first")
    assert len(small) == 6
    rows = pd.read_csv(tmp_path / "labels.csv", dtype={"labels": str})
    assert not rows.duplicated(KEY).any() and set(rows["accuracy"].round(3)) == {0.667}
    assert rows.loc[rows["labels"] == "8", "texts"].eq(19).all()
    text = (tmp_path / "labels.md").read_text("utf-8")
    assert "| First | 66.7 ± 0.0 (5) |" in text and "| First | 66.7 (1) |" in text
    assert "| Fails |  |" in text and "Small 3" in text
    drawing = (tmp_path / "labels.svg").read_text("utf-8")
    assert all(f">{told}</text>" in drawing for told in ("First", "Small", "8"))
    labels.main(labels="8", systems="first", draws=1, anew=True)
    assert small[6:] == [0] and len(labels.load()) == len(rows)


def test_a_slow_system_runs_where_few_texts_are_drawn(small, monkeypatch):
    monkeypatch.setattr(labels, "SLOW", {"first": (20, 0)})
    labels.main(labels="8,16,all", systems="first", draws=1)
    assert labels.load()["labels"].tolist() == ["8"]


def test_names_that_are_not_known(small):
    with pytest.raises(zoo.UsageError, match="number of labels.*17"):
        labels.main(labels="17")
    with pytest.raises(zoo.UsageError, match="Did you mean 'first'"):
        labels.main(systems="frist")


def test_a_mean_over_corpora_is_of_systems_that_have_all_of_them():
    rows = pd.DataFrame(
        {"system": system, "corpus": corpus, "labels": "8", "draw": draw}
        | {"accuracy": accuracy + 0.02 * draw}
        for system, corpus, accuracy in (("A", "x", 0.5), ("A", "y", 0.7), ("B", "x", 0.9))
        for draw in range(2)
    )
    found = "\n".join(labels_report.means(rows, {"A": "A", "B": "B"}, "accuracy"))
    half = np.sqrt(2) * 12.706 * np.std([50, 52], ddof=1) / np.sqrt(2) / 2
    assert f"| A | 61.0 ± {half:.1f} (2) |" in found and "| B |  |" in found
    assert "8 (2 corpora)" in found


def test_a_system_runs_in_a_process_of_its_own(tmp_path, capsys):
    """The linear one, whose library zoo needs itself."""
    for split, frame in (("train", TRAIN), ("test", TEST)):
        frame.to_json(tmp_path / f"{split}.jsonl", orient="records", lines=True)
    found, broken = labels.trained("svm_words", 3, [tmp_path, tmp_path / "none"])
    assert found["tested"] == 3 and found["texts"] == 60 and 0 <= found["accuracy"] <= 1
    assert found["megabytes"] > 0 and "scikit-learn" in found["versions"] and broken is None
    assert list(labels.trained("no such system", 0, [tmp_path])) == [None]
    assert "no such system failed" in capsys.readouterr().err


def test_means_beside_the_reference_are_over_the_corpora_and_draws_of_both():
    systems = {"zoo_attcnn": "ours", "other": "theirs", "third": "not measured"}
    rows = [("zoo_attcnn", "trec", 0.5), ("zoo_attcnn", "imdb", 0.9), ("other", "trec", 0.7)]
    frame = pd.DataFrame(rows, columns=["system", "corpus", "accuracy"])
    frame = frame.assign(labels="16", draw=0)
    second = frame[frame["system"] == "other"].assign(draw=1, accuracy=0.1)  # of one of them
    frame = pd.concat([frame, second])
    frame = pd.concat([frame, frame[frame["system"] == "other"].assign(labels="100")])
    assert list(labels_report.beside(frame, systems, "accuracy")) == [
        "| accuracy | 16 | ours | corpora |",
        "|---|--:|--:|--:|",
        "| theirs | 70.0 | 50.0 | 1 |",
    ]


@pytest.fixture
def measured():
    """Two corpora, and a third one that only one system was measured on."""
    found = {
        "zoo_attcnn": {"trec": 0.70, "imdb": 0.80, "agnews": 0.1},
        "svm_words": {"trec": 0.65, "imdb": 0.81},
        "minilm": {"trec": 0.60, "imdb": 0.84},
        "zoo_bert": {"trec": 0.80, "imdb": 0.90},
        "zoo_attcnn_varied": {"trec": 0.76, "imdb": 0.84},
    }
    rows = [
        {"system": system, "corpus": corpus, "labels": "16", "draw": draw, "accuracy": score}
        for system, scores in found.items()
        for corpus, score in scores.items()
        for draw in range(1 + (system == "svm_words"))
    ]
    frame = pd.DataFrame(rows).assign(megabytes=1.0)
    frame = frame.assign(texts_a_second=[100.0 * (i + 1) for i in range(len(rows))])
    frame.loc[frame["draw"] == 1, "accuracy"] = 0.99  # of a draw that no other system has
    return frame


NAMES = {name: name for name in (*CORPORA, *labels_systems.SYSTEMS)}


@pytest.mark.parametrize(
    ("judge", "verdict"),
    [
        (
            everywhere("zoo_attcnn", ("svm_words", "minilm")),
            (False, "on 1 of 2 corpora; behind on imdb 4.0 (minilm)"),
        ),
        (
            everywhere("zoo_attcnn", ("svm_words",)),
            (False, "on 1 of 2 corpora; behind on imdb 1.0"),
        ),
        (everywhere("zoo_attcnn", ("svm_words",), 1.5), (True, "on 2 of 2 corpora")),
        (everywhere("zoo_attcnn", ("fasttext",)), None),
        (on_average("zoo_attcnn", "minilm"), (True, "75.0 beside 72.0, 2 corpora")),
        (on_average("zoo_attcnn", "zoo_bert", 9), (False, "75.0 beside 85.0, 2 corpora")),
        (on_average("zoo_auto", "zoo_bert"), None),
        (
            gap_closed("zoo_attcnn_varied", "zoo_attcnn", "zoo_bert", 0.5),
            (True, "80.0 between 75.0 and 85.0, 2 corpora"),
        ),
        (
            gap_closed("zoo_attcnn_varied", "zoo_attcnn", "zoo_bert", 0.6),
            (False, "80.0 between 75.0 and 85.0, 2 corpora"),
        ),
        (gap_closed("zoo_auto", "zoo_attcnn", "zoo_bert", 0.6), None),
        (by_factor("zoo_bert", "minilm", "texts_a_second", 1.2), (True, "1.2 times, 2 corpora")),
        (by_factor("zoo_bert", "minilm", "texts_a_second", 1.3), (False, "1.2 times, 2 corpora")),
    ],
)
def test_an_aim_is_judged_on_the_corpora_and_draws_of_both(judge, verdict, measured):
    assert judge(measured, NAMES, NAMES) == verdict


def test_aims_that_were_measured_are_told_as_reached_or_missed(measured, monkeypatch):
    text = "\n".join(goals(measured, NAMES, NAMES))
    assert "| attcnn on average above frozen MiniLM | 16 | yes | 75.0 beside 72.0" in text
    assert "| bert above frozen MiniLM on every corpus | 16 | yes | on 2 of 2 corpora |" in text
    assert "| 100 |" not in text and "auto" not in text
    twice = Goal("twice", ("16",), by_factor("zoo_bert", "minilm", "texts_a_second", 2), "Tried.")
    monkeypatch.setattr("benchmarks.labels_goals.GOALS", (twice,))
    assert list(goals(measured, NAMES, NAMES))[-1].endswith(" no | 1.2 times, 2 corpora. Tried. |")


def test_a_teacher_and_what_it_teaches_are_compared_where_all_were_measured(measured):
    pupil = measured[measured["system"] == "zoo_bert"].assign(system="zoo_attcnn_taught")
    pupil = pupil[pupil["corpus"] == "trec"].assign(accuracy=0.7, megabytes=8.0)
    lines = list(labels_report.taught(pd.concat([measured, pupil]), NAMES))
    assert "| 16 | zoo_attcnn_taught | 70.0 | 1 | " in lines[3] and lines[3].endswith(" | 8 |")
    assert lines[2].startswith("| 16 | zoo_bert | 80.0 | 1 | ")
    assert [line.split(" | ")[1] for line in lines[2:]] == list(labels_report.TAUGHT)
    assert len(list(labels_report.taught(measured, NAMES))) == 2  # nobody is taught
