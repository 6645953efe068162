"""What ``make dist`` builds, and what ``pip install`` of it gives."""

import csv
import json
import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

import zoo

ROOT = Path(__file__).parent.parent
PROJECT = ("setup.cfg", "pyproject.toml", "MANIFEST.in", "README.md", "LICENSE", "NOTICE")


def files(folder):
    """What is in a folder, at any depth."""
    suffixes = (".py", ".html", ".md", ".npz", ".typed")
    return {path.relative_to(folder) for path in folder.rglob("*") if path.suffix in suffixes}


def installed_files():
    """``zoo/layers`` and ``zoo/datasets`` are links to the folders at the top."""
    wanted = {f"zoo/{path}" for path in files(ROOT / "zoo")}
    for folder in ("layers", "datasets"):
        wanted |= {f"zoo/{folder}/{path}" for path in files(ROOT / folder)}
    assert len(wanted) > 100 and "zoo/datasets/vectors/english.npz" in wanted
    return wanted


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    """A wheel and a source archive, built from a copy without what was built before."""
    source, built = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("dist")
    for name in PROJECT:
        shutil.copy(ROOT / name, source)
    for name in ("zoo", "layers", "datasets"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, source / name, symlinks=True, ignore=ignored)
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", built, source]
    subprocess.run(command, check=True, capture_output=True, cwd=built)
    return built


@pytest.mark.long
def test_a_wheel_has_all_of_zoo(dist):
    (wheel,) = dist.glob("*.whl")
    assert f"-{zoo.__version__}-" in wheel.name
    names = zipfile.ZipFile(wheel).namelist()
    assert installed_files() == {name for name in names if name.startswith("zoo/")}


@pytest.mark.long
def test_a_source_archive_has_all_of_zoo(dist):
    """The wheel was built of it, too."""
    (archive,) = dist.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        names = {name.partition("/")[2] for name in opened.getnames()}
    assert installed_files() <= names
    assert {"LICENSE", "NOTICE"} <= names and not [name for name in names if "tests/" in name]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["*.whl", "*.tar.gz"])
def test_an_empty_environment_trains(kind, dist, tmp_path):
    """Without the repository, with the English word vectors; it needs PyPI, or a mirror."""
    venv.create(tmp_path / "empty", with_pip=True)
    binaries = tmp_path / "empty" / "bin"
    (built,) = dist.glob(kind)
    subprocess.run([binaries / "pip", "install", "--quiet", built], check=True, cwd=tmp_path)
    with (tmp_path / "some.csv").open("w", newline="") as file:
        rows = [("I like this hotel.", "good"), ("It was a bad stay.", "bad")] * 20
        csv.writer(file).writerows([("text", "label"), *rows])
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [binaries / "zoo", "train", "attcnn", "--data", "some.csv", "--epochs", "2"]
    result = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    (run,) = (tmp_path / "runs").iterdir()
    assert (run / "model.onnx").exists()
    assert json.loads((run / "config.json").read_text("utf-8"))["weights"] == "english"
