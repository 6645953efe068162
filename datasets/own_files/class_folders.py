"""Folders of texts: a folder for each class, perhaps within one for each split."""

import glob
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from zoo.datasets.own_files.row_reports import report_left_out
from zoo.datasets.own_files.tables import kind_of
from zoo.datasets.own_files.text_files import open_text, unpacked
from zoo.errors import UsageError
from zoo.filesystem.paths import expanded

SPLITS = {
    "train": ("train", "training"),
    "validation": ("validation", "valid", "val", "dev"),
    "test": ("test",),
}


def short_name(path: str | Path | pd.DataFrame) -> str:
    """The name of a file, a folder or a glob, for people; of a DataFrame "dataframe".

    >>> short_name("own/reviews.csv.gz"), short_name("own/reviews/*.csv")
    ('reviews', 'reviews')
    """
    if isinstance(path, pd.DataFrame):
        return "dataframe"
    path = expanded(str(path).removeprefix("tfds:"))
    while glob.has_magic(path.name) and not path.exists():
        path = path.parent
    name = path.name if path.name not in ("", "..") else path.resolve().name
    return unpacked(name).stem if kind_of(path) or path.is_file() else name


def find_splits(folder: Path) -> dict[str, Path]:
    """The splits in a folder; none where it is a file, or has class folders itself.

    Raises:
        UsageError: where a split is there twice.
    """
    parts_of = children(folder) if folder.is_dir() else []
    found = {}
    for split, names in SPLITS.items():
        parts = [
            path
            for path in parts_of
            if short_name(path).lower() in names
            and (kind_of(path) or (path.is_dir() and any(p.is_dir() for p in children(path))))
        ]
        if len(parts) > 1:
            both = " and ".join(path.name for path in parts)
            raise UsageError(f"{folder} has more than one {split} split, {both}: keep one")
        if parts:
            found[split] = parts[0]
    return found if "train" in found else {}


def read_class_folders(
    folder: Path, labelled: bool = True, encoding: str | None = None
) -> Iterator[tuple[Path, str, tuple[str, str | None]]]:
    """The texts of a folder of class folders; without labels also those beside them.

    Yields:
        ``folder``, the path of the text's file within it, and the text and its label.

    Raises:
        UsageError: for a folder without class folders, or a file that cannot be read.
    """
    if splits := find_splits(folder):
        parts = ", ".join(map(str, splits.values()))
        raise UsageError(f"{folder} has several splits: give one of {parts}")
    inside = [path for one in children(folder) if one.is_dir() for path in children(one)]
    texts = list(filter(_is_text, inside if labelled else [*children(folder), *inside]))
    if not texts:
        files = [path for path in inside if path.is_file() and not kind_of(path)]
        if files and not any(map(kind_of, children(folder))):
            packed = files[0].suffix.lower() == ".gz"
            advice = "unpack them" if packed else "end their names with .txt"
            raise UsageError(f"{files[0]} and its like are no texts: {advice}")
        raise UsageError(
            f"{folder} has no class folders like {folder / 'good' / '1.txt'}, and no train.csv; "
            f'give one of its files, or several as "{folder / "*.csv"}"'
        )
    for path in texts:
        with open_text(path, encoding) as file:
            label = path.parent.name if labelled else None
            yield folder, str(path.relative_to(folder)), (file.read(), label)
    known = {*texts, *(path.parent for path in texts)}  # a class without texts is none
    report_left_out(folder, [path for path in (*children(folder), *inside) if path not in known])


def _is_text(path):
    return path.suffix.lower() == ".txt"


def children(folder: Path) -> list[Path]:
    """The files and folders in a folder, but hidden ones, sorted."""
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as error:
        raise UsageError(f"cannot read {folder}: {error.strerror}") from None
