"""What comes from others is read, and never run: models, checkpoints, archives, texts, labels."""

import contextlib
import csv
import io
import itertools
import json
import os
import pickle
import shutil
import stat
import tarfile
import zipfile
from pathlib import Path

import h5py
import keras
import numpy as np
import pytest

import zoo
from tests.json_files import change
from zoo.cli import commands as cli
from zoo.datasets.own_files.spreadsheet_cells import original_cell, safe_cell
from zoo.evaluation.prediction import write_answers
from zoo.filesystem.atomic_files import whole, write_json
from zoo.runs.model_file import check_plain
from zoo.training.checkpoints import Checkpoint

LAMBDA = {
    "module": "keras.layers",
    "class_name": "Lambda",
    "config": {"function": {"class_name": "__lambda__", "config": {"code": "4wA="}}},
    "registered_name": None,
}
OBJECTS = {
    "a Lambda layer": LAMBDA,
    "a class nobody knows": {"class_name": "Nobody", "registered_name": "own>Nobody"},
    "os.system": {"module": "os", "class_name": "system", "config": {"command": "touch it-ran"}},
    "builtins": {"module": "builtins", "class_name": "function", "config": "eval"},
    "a download": {
        "module": "keras.utils",
        "class_name": "function",
        "config": "get_file",
        "registered_name": "get_file",
    },
    "another model of zoo": {"module": "zoo.models.act", "class_name": "ACT", "config": {},
                             "registered_name": "zoo>ACT"},
}  # fmt: skip


def rewrite(path, change=lambda config: config, **more):
    """A model.keras with another description of the model, and more files."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    config = change(json.loads(members["config.json"]))
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in (members | {"config.json": json.dumps(config)} | more).items():
            archive.writestr(name, content)


def everything(folder):
    return sorted(path for path in folder.rglob("*") if "saved_model" not in path.parts)


@pytest.mark.parametrize("kind", OBJECTS)
@pytest.mark.parametrize("where", ["the model", "an option", "a list in an option"])
def test_a_model_file_of_other_objects_is_not_loaded(run, tmp_path, kind, where):
    def change(config):
        if where == "the model":
            return config | OBJECTS[kind]
        inside = OBJECTS[kind] if where == "an option" else [1, {"a": OBJECTS[kind]}]
        return config | {"config": config["config"] | {"dtype": inside}}

    rewrite(run / "model.keras", change)
    before = everything(tmp_path)
    with pytest.raises(zoo.UsageError, match=r"model.keras holds '.*(not loaded|is wanted)"):
        zoo.load(run)
    with pytest.raises(zoo.UsageError):
        zoo.load(run / "model.keras")
    assert everything(tmp_path) == before
    if where != "the model":
        with pytest.raises(zoo.UsageError, match="not loaded"):
            check_plain(change({"config": {}}), run / "config.json")  # of a resumed training


def test_how_a_model_was_compiled_is_not_read(run, tmp_path):
    rewrite(run / "model.keras", lambda config: config | {"compile_config": OBJECTS["os.system"]})
    before = everything(tmp_path)
    zoo.load(run)
    assert everything(tmp_path) == before


@pytest.mark.parametrize("name", ["../evil", "/tmp/zoo-evil", "assets/evil", "a/../../evil"])
def test_a_model_file_with_more_in_it_is_not_unpacked(run, tmp_path, name):
    rewrite(run / "model.keras", **{name: b"evil"})
    before = everything(tmp_path)
    with pytest.raises(zoo.UsageError, match="model.keras holds .*evil.*: not zoo's file"):
        zoo.load(run)
    assert everything(tmp_path) == before and not Path("/tmp/zoo-evil").exists()


@pytest.mark.parametrize("name", ["assets/embed/texts.json", "assets/texts.json/a", "texts.json"])
def test_words_are_in_one_place_alone(run, name):
    rewrite(run / "model.keras", **{name: b"{}"})
    with pytest.raises(zoo.UsageError, match="not zoo's file"):
        zoo.load(run)


GOOD = {"max_words": 9, "max_sentences": 9, "clean_up": "hcan"}


@pytest.mark.parametrize(
    "texts",
    [
        "no JSON",
        [],
        {"preprocessor": GOOD | {"module": "os"}, "vocabulary": ["a"], "labels": None},
        {"preprocessor": GOOD | {"clean_up": LAMBDA}, "vocabulary": ["a"], "labels": None},
        {"preprocessor": GOOD, "vocabulary": ["a", "a"], "labels": None},
        {"preprocessor": GOOD, "vocabulary": ["a"] * 10**5, "labels": None},
        {"preprocessor": None, "vocabulary": None, "labels": ["one"]},
    ],
    ids=str,
)
def test_words_that_are_none_are_refused_in_a_line(run, texts):
    content = texts if isinstance(texts, str) else json.dumps(texts)
    rewrite(run / "model.keras", **{"assets/texts.json": content})
    for path in (run, run / "model.keras"):
        with pytest.raises(zoo.UsageError, match="model.keras is damaged") as told:
            zoo.load(path)
        assert "\n" not in str(told.value)


def test_words_of_another_model_are_refused(run):
    words = {"preprocessor": None, "vocabulary": None, "labels": ["good one", "bad one"]}
    rewrite(run / "model.keras", **{"assets/texts.json": json.dumps(words)})
    assert zoo.load(run).labels == ["bad one", "good one"]  # of labels.txt, where it has no words
    words |= {"preprocessor": GOOD, "vocabulary": ["a"]}
    rewrite(run / "model.keras", **{"assets/texts.json": json.dumps(words)})
    with pytest.raises(zoo.UsageError, match="is damaged: vocabulary.txt or labels.txt"):
        zoo.load(run)


def test_weights_are_not_read_from_other_files(run, tmp_path):
    """HDF5 can point to another file; it would be read as if it were weights."""
    other, weights = tmp_path / "secret.h5", tmp_path / "weights.h5"
    with zipfile.ZipFile(run / "model.keras") as archive:
        weights.write_bytes(archive.read("model.weights.h5"))
    shutil.copy(weights, other)
    with h5py.File(weights, "a") as file:
        name = next(iter(file))
        del file[name]
        file[name] = h5py.ExternalLink(str(other), name)
    rewrite(run / "model.keras", **{"model.weights.h5": weights.read_bytes()})
    with pytest.raises(zoo.UsageError, match="model.keras is damaged|not zoo's file"):
        zoo.load(run)


class Trap:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


@pytest.mark.parametrize("kind", ["array", "arrays", "pickle"])
def test_a_checkpoint_with_a_pickle_is_refused_and_not_run(tmp_path, kind):
    model = zoo.build("cnn_kim", 2, vocabulary_size=4, embedding_dim=2, filters=2)
    model.compile("adam")
    Checkpoint(tmp_path, tmp_path / "history.csv", 1).restore(model)
    state, trap = tmp_path / "state-0.npz", tmp_path / "it ran"
    objects = np.array([Trap(trap)], dtype=object)
    if kind == "arrays":
        np.savez(state, objects)
    elif kind == "array":
        with state.open("wb") as file:
            np.save(file, objects)
    else:
        state.write_bytes(pickle.dumps(Trap(trap)))
    with pytest.raises(zoo.UsageError, match=r"state-0.npz cannot be read"):
        Checkpoint(tmp_path, tmp_path / "history.csv", 1).restore(model)
    assert not trap.exists()


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        *itertools.product(("zip", "tar.gz"), ("../evil", "/tmp/zoo-evil", "a/../../evil", "good")),
        ("link", "link/evil"),
    ],
)
def test_a_downloaded_archive_stays_in_its_folder(tmp_path, kind, name):
    """TensorFlow Datasets unpacks what it downloads for us."""
    from tensorflow_datasets.core.download import extractor, resource

    archive, folder = tmp_path / "a.archive", tmp_path / "below" / "folder"
    if kind == "zip":
        with zipfile.ZipFile(archive, "w") as file:
            file.writestr(name, "evil")
        method = resource.ExtractMethod.ZIP
    else:
        method = resource.ExtractMethod.TAR_GZ
        with tarfile.open(archive, "w:gz") as file:
            if kind == "link":
                member = tarfile.TarInfo("link")
                member.type, member.linkname = tarfile.SYMTYPE, str(tmp_path)
                file.addfile(member)
            member = tarfile.TarInfo(name)
            member.size = 4
            file.addfile(member, io.BytesIO(b"evil"))
    unpacks = extractor.get_extractor()
    with contextlib.suppress(Exception), unpacks.tqdm():  # refused, or left out
        unpacks.extract(archive, method, folder).get()
    left = [path for path in tmp_path.rglob("*") if path.is_file() and path != archive]
    assert all(folder.resolve() in path.resolve().parents for path in left)
    assert not Path("/tmp/zoo-evil").exists()
    assert name != "good" or [path.name for path in left] == ["good"]  # it does unpack


FORMULAS = [
    *"=1+1 +1 -1 @SUM(A1) ＝1 ＠a".split(),
    "\t=1",
    "\r=1",
    "\n=1",
    '=HYPERLINK("http://a")',
]


def test_csv_is_safe_for_a_spreadsheet_where_asked():
    answers = [{"text": text, "label": "-", "probability": 0.5} for text in [*FORMULAS, "a = 1"]]
    for safe in (False, True):
        file = io.StringIO(newline="")
        write_answers(file, answers, "csv", safe)
        file.seek(0)
        texts = [row["text"] for row in csv.DictReader(file)]
        assert texts == [f"'{text}" if safe else text for text in FORMULAS] + ["a = 1"]
        assert (",-," in file.getvalue()) != safe and "0.5" in file.getvalue()
    file = io.StringIO()  # a spreadsheet that separates by semicolons or tabs finds no cell within
    write_answers(file, [answers[0] | {"text": "nice;=1+1;\t=2+2"}], "csv", safe=True)
    for mark in ";\t":
        rows = csv.reader(file.getvalue().split("\n"), delimiter=mark)
        assert not any(cell.startswith("=") for row in rows for cell in row)
    for text in [*FORMULAS, *(f"'{text}" for text in FORMULAS), "", "'", "a", "'a"]:
        assert original_cell(safe_cell(text)) == text


@pytest.mark.long
def test_a_run_whose_tables_are_safe(tmp_path, monkeypatch):
    """Its mistakes are explained as the texts that they were."""
    path = tmp_path / "data.csv"
    with path.open("w", newline="") as file:
        rows = ([f"=word {i % 3}", ("-a", "@b")[i * 7 % 5 % 2]] for i in range(80))
        csv.writer(file).writerows([("text", "label"), *rows])
    options = {"embedding_dim": 4, "filters": 2}
    settings = {"epochs": 1, "output": tmp_path / "runs", "verbose": 0}
    run = zoo.train("cnn_kim", str(path), options=options, safe_csv=True, **settings)
    for name in ("mistakes.csv", "predictions.csv"):
        rows = list(csv.reader((run / name).open(newline="")))
        assert len(rows) > 1
        assert not [cell for row in rows for cell in row if cell.startswith(("=", "-", "@"))]
    from zoo.evaluation.report import read_mistakes

    assert all(row["text"].startswith("=word") for row in read_mistakes(run))


LABELS = ["[/b]", "[bold]not bold", "<script>alert(1)</script>"]


def test_a_card_holds_no_html(run):
    from zoo.shipping.model_card import model_card

    row = json.loads((run / "metrics.json").read_text())["classes"]["good one"]
    change(run / "metrics.json", classes=dict.fromkeys(LABELS, row))
    assert "<script" not in model_card(run, zoo.load(run), run, "savedmodel", None)


@pytest.mark.parametrize("mask", [0o022, 0o027, 0o077])
def test_nothing_is_open_to_more_than_the_umask_says(trained, tmp_path, mask):
    before = os.umask(mask)
    try:
        write_json(tmp_path / "a.json", {})
        with whole(tmp_path / "folder") as partial:
            partial.mkdir()
            np.savez(partial / "a.npz", 1)
            assert not stat.S_IMODE(partial.stat().st_mode) & mask
        zoo.load(trained).save(tmp_path / "model.keras")
        with pytest.raises(SystemExit) as ended:
            cli.app(["predict", str(trained), "a", "--output", str(tmp_path / "answers")])
        assert not ended.value.code
    finally:
        os.umask(before)
    files = list(tmp_path.rglob("*"))
    assert len(files) == 5
    for path in files:
        assert not stat.S_IMODE(path.stat().st_mode) & mask
        assert stat.S_IMODE(path.stat().st_mode) & 0o600


def test_keras_refuses_what_we_rely_on():
    with pytest.raises(Exception, match=r"(?i)lambda|unsafe"):
        keras.saving.deserialize_keras_object(LAMBDA)
