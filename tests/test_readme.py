"""The commands and the Python of README, site and notebooks work as they stand there."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import nbformat
import pytest
import typer
from jupyter_client.manager import start_new_kernel
from nbclient import NotebookClient

import zoo
from tests.kinds import file
from zoo.cli.commands import app

ROOT = Path(__file__).parent.parent
PAGES = {
    str(path.relative_to(ROOT)): path.read_text("utf-8")
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
}
TEXTS, LABELS = ["A good stay.", "A bad stay.", "Really good!"] * 5, ["good", "bad", "good"] * 5


def blocks(language, page):
    """The code of a page: what is run is marked as of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", PAGES[page], re.DOTALL | re.MULTILINE)


def pages_with(language):
    return pytest.mark.parametrize("page", [page for page in PAGES if blocks(language, page)])


def fill(folder, csv_file):
    """The files that pages speak of."""
    for name in ("reviews.csv", "new.csv"):
        (folder / name).write_text(csv_file.read_text())
    (folder / "empty.csv").write_text("")
    (folder / "other.csv").write_text("review,stars\ngood,five\n")
    rows = [f"{text},{label}" for text, label in zip(TEXTS, LABELS, strict=True)]
    (folder / "few.csv").write_text("\n".join(["text,label", *rows]) + "\n")
    several = [row.replace(",bad", ",bad;stay") for row in rows]
    (folder / "asked.csv").write_text("\n".join(["text,label", *several]) + "\n")


def shell(command, folder):
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    }
    return subprocess.run(
        ["bash", "-ec", command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )


@pytest.mark.long
@pages_with("sh")
def test_the_shell_commands_work(page, tmp_path, csv_file, run_with_onnx):
    """``RUN`` and ``OTHER`` are runs in ``RUNS``. What pages export, test_formats exports."""
    fill(tmp_path, csv_file)
    for name in ("runs/first", "runs/second"):
        shutil.copytree(run_with_onnx, tmp_path / name)  # a name without a blank
    shown = "".join(blocks("sh", page))
    shown = re.sub("^zoo export .*", "", shown, flags=re.MULTILINE)
    if "--beam " in shown:
        pytest.importorskip("apache_beam")
        shown = shown.replace("--beam ", "--beam --beam-option direct_num_workers=1 ")
    result = shell(f"RUN=runs/first OTHER=runs/second RUNS=runs\n{shown}", tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr
    rows = len((tmp_path / "new.csv").read_text().splitlines())
    for answers in (*tmp_path.glob("labelled.csv"), *tmp_path.glob("answers.csv")):
        assert len(answers.read_text("utf-8").splitlines()) == rows
    if "--output labels" in shown:
        parts = [path.read_text().splitlines() for path in tmp_path.glob("labels/*")]
        assert sum(map(len, parts)) == rows - 1


@pytest.mark.parametrize("page", PAGES)
def test_every_command_that_a_page_shows_has_its_options(page):
    """Also those that are not run here: they take minutes, a network or several machines."""
    code = "".join(re.findall(r"^```\w*\n(.*?)^```", PAGES[page], re.DOTALL | re.MULTILINE))
    lines = re.findall(r"^(?:KERAS_BACKEND=jax )?(zoo .*)", code.replace("\\\n", " "), re.MULTILINE)
    commands = typer.main.get_command(app).commands
    for line in lines + re.findall(r"`(zoo [a-z][^`]*)`", PAGES[page]):
        _, name, *arguments = shlex.split(line)
        options = {option for one in commands[name].params for option in one.opts}
        assert {one for one in arguments if one.startswith("--")} <= options, line


@pytest.mark.long
@pytest.mark.parametrize(
    "command",
    [
        command
        for page in PAGES
        for command in re.findall(r"^\$ (.*)", "".join(blocks("console", page)), re.M)
    ],
)
def test_bad_input_ends_as_shown(command, tmp_path, csv_file):
    fill(tmp_path, csv_file)
    result = shell(command, tmp_path)
    assert result.returncode == 2
    (line,) = result.stderr.splitlines()
    assert line.startswith("zoo: ")


SMALLER = {"train": 700, "validation": 100, "test": 100}  # texts of the sample, in Python


@pytest.mark.long
@pages_with("python")
def test_the_python_works(page, tmp_path, capsys):
    if page == "docs/shipping.md":
        pytest.skip("it is tested in tests/shipping, beside what it needs")
    names = {"texts": TEXTS, "labels": LABELS, "unlabelled": TEXTS, "zoo": zoo}
    for block in blocks("python", page):
        exec(block, names)
    if page == "README.md":
        assert {"good", "bad"} & set(capsys.readouterr().out.splitlines())


def test_the_table_has_every_model_beside_its_file():
    table = (ROOT / "docs" / "models" / "index.md").read_text("utf-8")
    rows = re.findall(r"^\| \[[\w-]+\]\(\w+\.md\) \| `(\w+)\.py` \| (.*?) \|", table, re.MULTILINE)
    told = {name: path for path, names in rows for name in re.findall(r"`(\w+)`", names)}
    assert told == {name: file(name) for name in zoo.list_models()}


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_what_is_linked_is_there(page):
    """Of the site's pages ``make docs`` checks it."""
    links = re.findall(r"\]\(([^)#:]+)\)", (ROOT / page).read_text("utf-8"))
    assert links and not [link for link in links if not (ROOT / link).exists()]


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
        from zoo.shipping import saving
        saving.write_served = lambda *_: None  # it takes seconds each
        os.chdir({str(tmp_path)!r})
        sample.SIZES.update({SMALLER!r})
        zoo.train = lambda *args, own=training.train, **more: own(*args, **more | dict(epochs=1))
    """
    cells.cells.insert(0, nbformat.v4.new_code_cell(textwrap.dedent(before)))
    NotebookClient(cells, km=kernel, timeout=300).execute()
