"""The README's commands and Python work as they stand there."""

import json
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import nbformat
import pytest
from jupyter_client.manager import start_new_kernel
from nbclient import NotebookClient

import zoo
from tests.environment import REAL_DATA
from tests.kinds import file
from zoo.datasets.catalogue import sample

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
SHIPPING = (ROOT / "docs" / "shipping.md").read_text("utf-8")


def blocks(language, text=README):
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, csv_file):
    """A fresh checkout: links to the project's files, and room for runs of its own."""
    if (ROOT / ".venv").is_dir():
        shell("make .venv/bin/zoo", ROOT)  # where it is old, make would install the checkout
    path = tmp_path_factory.mktemp("checkout")
    for entry in ROOT.iterdir():
        if entry.name not in ("runs", ".git"):
            (path / entry.name).symlink_to(entry)
    for name in ("reviews.csv", "new.csv"):
        (path / name).write_text(csv_file.read_text())
    (path / "empty.csv").write_text("")
    (path / "other.csv").write_text("review,stars\ngood,five\n")
    return path


def shell(command, folder):
    """Runs as from a user's shell, also where make runs the tests."""
    environment = {name: os.environ[name] for name in os.environ if not name.startswith("MAKE")}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-ec", command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )


@pytest.mark.long
@pytest.mark.skipif(not (ROOT / ".venv").is_dir(), reason="make has made no .venv")
def test_the_shell_commands_work(folder, tmp_path, monkeypatch):
    shown = "".join(blocks("sh"))
    assert "make test" in shown
    if REAL_DATA:  # minutes in full: one epoch of some of it here
        some = folder / "some" / "ag_news"
        some.mkdir(parents=True)
        for path in Path(REAL_DATA, "ag_news").iterdir():
            lines = path.read_text("utf-8").splitlines(keepends=True)
            (some / path.name).write_text("".join(lines[:200]), "utf-8")
        monkeypatch.setenv("ZOO_DATA_DIR", str(some.parent))
        monkeypatch.setenv("TFDS_DATA_DIR", str(tmp_path))
        shown = shown.replace("DATA=agnews", "DATA=agnews ARGS='--epochs 1 --set num_layers=1'")
    else:
        shown = shown.replace("make train MODEL=act DATA=agnews\n", "")
    result = shell(shown.replace("make test", ""), folder)
    assert result.returncode == 0, result.stdout + result.stderr
    runs = sorted((folder / "runs").iterdir())
    assert len(runs) == 3 + bool(REAL_DATA)
    (sample,) = (run for run in runs if run.name.startswith("hcan-sample"))
    metrics = json.loads((sample / "metrics.json").read_text("utf-8"))
    assert metrics["accuracy"] >= 0.9
    answers = (folder / "labelled.csv").read_text("utf-8").splitlines()
    assert len(answers) == len((folder / "new.csv").read_text().splitlines())


@pytest.mark.long
def test_shipping_works(folder, trained):
    """But for what it exports, which test_export does."""
    pytest.importorskip("apache_beam")
    shown = re.sub("^zoo export .*", "", "".join(blocks("sh", SHIPPING)), flags=re.MULTILINE)
    shown = shown.replace("--beam ", "--beam --beam-option direct_num_workers=1 ")
    (folder / "trained").symlink_to(trained)  # a name without a blank
    result = shell(f"RUN=trained\n{shown}", folder)
    assert result.returncode == 0, result.stdout + result.stderr
    rows = [line for path in folder.glob("labels/*") for line in path.read_text().splitlines()]
    assert len(rows) == len((folder / "reviews.csv").read_text().splitlines()) - 1


@pytest.mark.long
@pytest.mark.parametrize("command", re.findall(r"^\$ (.*)", "".join(blocks("console")), re.M))
def test_bad_input_ends_as_shown(command, folder):
    result = shell(command, folder)
    assert result.returncode == 2
    (line,) = [line for line in result.stderr.splitlines() if not line.startswith("make: ***")]
    assert line.startswith("zoo: ")


SMALLER = {"train": 700, "validation": 100, "test": 100}  # texts of the sample, in Python


@pytest.mark.long
def test_the_python_works(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    for split, size in SMALLER.items():
        monkeypatch.setitem(sample.SIZES, split, size)
    names = {}
    for block in blocks("python"):
        exec(block, names)
    assert {"good", "bad"} & set(capsys.readouterr().out.splitlines())


def test_the_table_has_every_model_beside_its_file():
    rows = re.findall(r"^\| \[\w+\]\(zoo/models/(\w+)\.py\) \| (.*?) \|", README, re.MULTILINE)
    told = {name: path for path, names in rows for name in re.findall(r"`(\w+)`", names)}
    assert told == {name: file(name) for name in zoo.list_models()}


@pytest.fixture(scope="module")
def kernel():
    """One for all notebooks, as each would import TensorFlow."""
    manager, client = start_new_kernel()
    yield manager
    client.stop_channels()
    manager.shutdown_kernel()


NOTEBOOKS = pytest.mark.parametrize(
    "notebook", sorted(ROOT.glob("notebooks/*.ipynb")), ids=lambda notebook: notebook.stem
)


@NOTEBOOKS
def test_notebooks_are_kept_with_what_they_show(notebook):
    """Quiet, small, of a model that has learnt something, and of no machine in particular."""
    cells = nbformat.read(notebook, as_version=4).cells
    outputs = [cell.outputs for cell in cells if cell.cell_type == "code"]
    shown = json.dumps(outputs)
    assert sum(map(bool, outputs)) >= 2 and len(shown) < 50_000
    assert not re.search(r"/(?:home|root|tmp|work|Users)/|\bWARNING|\b[IWE]0000|retracing", shown)
    found = re.findall(r"val_accuracy: (0\.\d+|1\.0+)", shown)
    assert not found or max(map(float, found)) > 0.9


@pytest.mark.long
@NOTEBOOKS
def test_notebooks_run(notebook, kernel, tmp_path):
    cells = nbformat.read(notebook, as_version=4)
    before = f"""
        %reset -f
        import os
        import zoo
        from zoo.training import train as training
        from zoo.datasets.catalogue import sample
        os.chdir({str(tmp_path)!r})
        sample.SIZES.update({SMALLER!r})
        zoo.train = lambda *args, own=training.train, **more: own(*args, **more | dict(epochs=1))
    """
    cells.cells.insert(0, nbformat.v4.new_code_cell(textwrap.dedent(before)))
    NotebookClient(cells, km=kernel, timeout=300).execute()
