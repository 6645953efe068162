"""What ``pip install`` of a built package gives."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent


def files(folder):
    """What is in a folder, at any depth."""
    suffixes = (".py", ".html", ".md", ".npz", ".typed")
    return {path.relative_to(folder) for path in folder.rglob("*") if path.suffix in suffixes}


def test_a_wheel_has_all_of_zoo(tmp_path):
    """``zoo/layers`` and ``zoo/datasets`` are links to the folders at the top."""
    source, built = tmp_path / "source", tmp_path / "wheel"
    source.mkdir()
    for name in ("setup.cfg", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for name in ("zoo", "layers", "datasets"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, source / name, symlinks=True, ignore=ignored)
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-index", "-q"]
    command += ["--no-build-isolation", "--wheel-dir", built, source]
    subprocess.run(command, check=True, capture_output=True, cwd=tmp_path)
    (wheel,) = built.iterdir()
    installed = set(zipfile.ZipFile(wheel).namelist())
    wanted = {f"zoo/{path}" for path in files(ROOT / "zoo")}
    for folder in ("layers", "datasets"):
        wanted |= {f"zoo/{folder}/{path}" for path in files(ROOT / folder)}
    assert len(wanted) > 100
    assert wanted == {name for name in installed if name.startswith("zoo/")}
