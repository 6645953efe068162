"""A large model teaches a small one."""

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import zoo
from tests.histories import history_of
from zoo import datasets
from zoo.settings import TrainSettings
from zoo.training import teaching
from zoo.training.checkpoints import Checkpoint

FINE, DULL = ("fine", "nice", "lovely", "great"), ("dull", "sad", "awful", "poor")
SMALL = {"embedding_dim": 8, "filters": 2}


def rows(words, numbers):
    """Texts of one good or bad word each."""
    return pd.DataFrame(
        [
            {"text": f"a {word} stay in room {number}", "label": label}
            for number in numbers
            for label, own in (("good", words[0]), ("bad", words[1]))
            for word in own
        ]
    )


MANY, FEW = rows((FINE, DULL), range(20)), rows((FINE[:1], DULL[:1]), range(20, 32))
OTHERS = rows((FINE, DULL), range(40, 60))[["text"]]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ZOO_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def teacher(tmp_path_factory):
    """A run that knows all words."""
    return zoo.train("bow", MANY, output=tmp_path_factory.mktemp("teacher"), verbose=0)


@pytest.fixture
def others(tmp_path):
    path = tmp_path / "others.csv"
    OTHERS.to_csv(path, index=False)
    return path


def learn(teacher, folder, model="cnn_kim", data=FEW, **settings):
    given = {"options": SMALL, "learning_rate": 1e-2, "epochs": 4, "keep": "last", "verbose": 0}
    if model == "bow":
        given = {}
    return zoo.train(model, data, teacher=teacher, output=folder, **given | settings)


@pytest.mark.parametrize("model", ["cnn_kim", "bow"])
def test_a_pupil_knows_words_that_its_own_texts_lack(teacher, others, tmp_path, model):
    told = ["a lovely stay", "an awful stay", "a great room", "a poor room"]
    run = learn(teacher, tmp_path / "runs", model, unlabelled=others, variations=0)
    found = list(zoo.predict(run, told)["label"])
    assert found == list(zoo.predict(teacher, told)["label"]) == ["good", "bad"] * 2
    config = json.loads((run / "config.json").read_text("utf-8"))
    assert config["teacher"] == str(teacher) and config["texts"]["train"] < len(FEW)
    assert not (run / "checkpoint").exists()
    assert zoo.evaluate(run)["texts"] == config["texts"]["test"]


def test_a_pupil_is_about_as_sure_as_its_teacher(teacher, others, tmp_path):
    run = learn(teacher, tmp_path / "runs", unlabelled=others, epochs=50)
    texts = list(OTHERS["text"])
    found, expected = (zoo.load(one).predict(texts, verbose=0) for one in (run, teacher))
    own, its = (np.abs(np.diff(np.log(one))).mean() for one in (found, expected))
    assert 0.6 < own / its < 1.6  # a quarter, where its temperature stays


def test_its_answers_are_kept_by_content(teacher, others, tmp_path, monkeypatch):
    first = learn(teacher, tmp_path / "runs", unlabelled=others, variations=10)
    monkeypatch.setattr(teaching, "probabilities_of", lambda *_: pytest.fail("asked again"))
    second = learn(teacher, tmp_path / "runs", unlabelled=others, variations=10)
    assert history_of(first) == history_of(second)
    answers = [(run / "predictions.csv").read_text("utf-8") for run in (first, second)]
    assert answers[0] == answers[1]


def test_a_killed_training_goes_on_without_the_teacher(teacher, others, tmp_path, monkeypatch):
    whole = learn(teacher, tmp_path / "whole", unlabelled=others)

    class Killed(BaseException):
        pass

    end = Checkpoint.on_epoch_end

    def stop(self, epoch, logs=None):
        end(self, epoch, logs)
        if epoch == 0:
            raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(Checkpoint, "on_epoch_end", stop)
        with pytest.raises(Killed):
            learn(teacher, tmp_path / "killed", unlabelled=others)
    (killed,) = (tmp_path / "killed").iterdir()
    monkeypatch.setattr(teaching, "load", lambda *_: pytest.fail("the teacher was asked"))
    zoo.resume(killed, verbose=0)
    assert history_of(killed) == history_of(whole)
    for one, other in zip(
        zoo.load(killed).get_weights(), zoo.load(whole).get_weights(), strict=True
    ):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_a_file_of_answers_teaches_as_well(teacher, others, tmp_path, suffix):
    answers = zoo.predict(teacher, others, probabilities=True)
    path = tmp_path / f"answers{suffix}"
    if suffix == ".csv":
        answers.to_csv(path, index=False)
    else:
        shares = [
            {label: row[f"probability_{label}"] for label in ("good", "bad")}
            for _, row in answers.iterrows()
        ]
        frame = pd.DataFrame({"text": answers["text"], "probabilities": shares})
        if suffix == ".parquet":
            frame = frame.rename(columns={"probabilities": "label"})
            frame.to_parquet(path)
        else:
            frame.to_json(path, orient="records", lines=True)
    corpus = datasets.load(FEW).split(0)
    settings = TrainSettings("bow", FEW, teacher=path)
    found = teaching.taught(corpus, settings, tmp_path)
    size = len(corpus.train)
    assert list(found.train)[size:] == list(OTHERS["text"])
    good = found.labels.index("good")
    np.testing.assert_allclose(
        found.train.targets[size:, good], answers["probability_good"], atol=1e-6
    )
    np.testing.assert_array_equal(found.train.targets[:size], np.eye(2)[corpus.train.targets])


def test_no_text_that_the_pupil_is_judged_by_is_learnt_from(teacher, tmp_path):
    path = tmp_path / "others.csv"
    corpus = datasets.load(FEW).split(0)
    texts = [*corpus.test, *corpus.validation, *corpus.train, "a new text"]
    pd.DataFrame({"text": texts * 2}).to_csv(path, index=False)
    corpus.unlabelled = datasets.read_texts(path)
    settings = TrainSettings("bow", FEW, teacher=teacher, unlabelled=path, variations=30)
    found = list(teaching.taught(corpus, settings, tmp_path).train)
    assert found.count("a new text") == 1
    assert {*found}.isdisjoint([*corpus.test, *corpus.validation])
    assert len(corpus.train) + 20 < len(found) == len({*found}) <= len(corpus.train) + 31


@pytest.mark.parametrize("given", [True, False])
def test_of_long_texts_fewer_are_answered(teacher, others, tmp_path, monkeypatch, given):
    monkeypatch.setattr(teaching, "MOST_WORDS", 60)  # ten texts of six words
    corpus = datasets.load(FEW).split(0)
    corpus.unlabelled = list(OTHERS["text"])
    unlabelled = others if given else None  # or the corpus has them
    settings = TrainSettings("bow", FEW, teacher=teacher, unlabelled=unlabelled)
    found = len(teaching.taught(corpus, settings, tmp_path).train) - len(corpus.train)
    assert found == len(OTHERS) if given else 0 < found <= 10


def test_several_labels_are_taught_with_the_thresholds_of_the_teacher(tmp_path, others):
    several = MANY.assign(label=[[label] if label == "good" else [] for label in MANY["label"]])
    for row in range(3):
        several.loc[row, "label"].append("odd")
    teacher = zoo.train("bow", several, output=tmp_path / "teacher", verbose=0)
    run = learn(teacher, tmp_path / "runs", data=several, unlabelled=others, variations=5)
    assert zoo.load(run).thresholds == zoo.load(teacher).thresholds
    path = tmp_path / "answers.jsonl"
    pd.DataFrame(
        {"text": OTHERS["text"], "label": [{"good": 0.75, "odd": 0.5}] * len(OTHERS)}
    ).to_json(path, orient="records", lines=True)
    corpus = datasets.load(several).split(0)
    found = teaching.taught(corpus, TrainSettings("bow", several, teacher=path), tmp_path)
    np.testing.assert_array_equal(found.train.targets[-1], [0.75, 0.5])


def test_an_hour_is_enough_and_a_second_makes_a_training_shorter(tmp_path):
    steps = {}
    for minutes in (60, 0.01):
        run = zoo.train(
            *("cnn_kim", MANY),
            **{"options": SMALL, "epochs": 3, "minutes": minutes, "output": tmp_path, "verbose": 0},
        )
        steps[minutes] = json.loads((run / "config.json").read_text("utf-8"))["steps"]
    assert steps[0.01] < steps[60]


def test_a_teacher_that_is_named_is_trained_first_on_the_same_texts(tmp_path):
    run = learn("bow", tmp_path / "runs", data=MANY, keep="best", variations=20)
    config = json.loads((run / "config.json").read_text("utf-8"))
    (teacher,) = set((tmp_path / "runs").iterdir()) - {run}
    assert config["teacher"] == str(teacher)
    learnt = json.loads((teacher / "config.json").read_text("utf-8"))
    assert learnt["model"] == "bow" and learnt["teacher"] is None
    assert learnt["texts"] == config["texts"] and learnt["targets"] == config["targets"]
    assert zoo.evaluate(teacher)["texts"] == config["texts"]["test"]


def test_the_column_of_the_unlabelled_texts_is_not_the_teachers(tmp_path, others):
    OTHERS.rename(columns={"text": "remark"}).to_csv(others, index=False)
    given = {"unlabelled": others, "text_column": "remark", "variations": 0}
    run = learn("bow", tmp_path / "runs", "bow", "sample", **given)
    (teacher,) = set((tmp_path / "runs").iterdir()) - {run}
    assert zoo.evaluate(teacher)["texts"] == 1_000


def test_a_teacher_that_is_stopped_tells_how_it_goes_on(tmp_path, monkeypatch):
    end = Checkpoint.on_epoch_end

    def stopped(self, epoch, logs=None):
        end(self, epoch, logs)
        raise KeyboardInterrupt

    monkeypatch.setattr(Checkpoint, "on_epoch_end", stopped)
    with pytest.raises(KeyboardInterrupt) as caught:
        learn("cnn_kim", tmp_path / "runs", data=MANY)
    (teacher,) = (tmp_path / "runs").iterdir()  # nothing of the pupil is kept
    assert f"--resume {teacher}" in caught.value.__notes__[0]


def test_a_folder_with_the_name_of_a_model_is_a_run(teacher, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(teacher, "bow")
    run = learn("bow", "runs", variations=9)
    assert json.loads((run / "config.json").read_text("utf-8"))["teacher"] == str(tmp_path / "bow")


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"options": {"filterz": 3}}, "'filterz'. Did you mean 'filters'"),
        ({"weights": "nowhere.vec"}, "cannot read nowhere.vec"),
        ({"weights": "minilm"}, "minilm is for bert"),
    ],
)
def test_a_mistake_is_told_before_the_teacher_works(
    teacher, tmp_path, monkeypatch, wrong, message, named
):
    monkeypatch.setattr(teaching, "load", lambda *_: pytest.fail("the teacher was asked"))
    with pytest.raises(zoo.UsageError, match=message):
        learn("bow" if named else teacher, tmp_path / "runs", **wrong)
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"teacher": "bov"}, "unknown teacher 'bov'. Did you mean 'bow'"),
        ({"teacher": "./nowhere"}, "no run in nowhere|unknown run"),
        ({"teacher": "nowhere.csv"}, "no such file: .*nowhere.csv"),
        ({"teacher": None, "variations": 5}, "give one"),
        ({"data": FEW.assign(label=["warm", "cold"] * 12)}, "label .* does not know.*warm|cold"),
        ({"variations": 0}, "no text to answer"),
        ({"variations": -1}, "variations must be"),
        ({"minutes": 0}, "minutes must be"),
    ],
)
def test_what_cannot_teach_is_told_in_a_line(teacher, tmp_path, wrong, message):
    with pytest.raises(zoo.UsageError, match=message):
        learn(**{"teacher": teacher, "folder": tmp_path / "runs"} | wrong)
    assert not Path(tmp_path / "runs").exists()


@pytest.mark.parametrize("setting", ["teacher", "weights"])
def test_the_runs_near_a_mistyped_one_are_told(teacher, setting):
    with pytest.raises(zoo.UsageError, match="unknown run .*Did you mean"):
        zoo.train("cnn_kim", FEW, **{setting: f"{teacher}x"}, verbose=0)


def test_a_file_with_other_labels_is_refused(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text('{"text": "a", "label": {"god": 1}}\n', "utf-8")
    with pytest.raises(zoo.UsageError, match="god.*good"):
        learn(path, tmp_path / "runs")
