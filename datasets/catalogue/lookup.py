"""The corpora by name, and where their raw files and prepared copies are."""

import hashlib
import os
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from zoo.datasets.catalogue.corpora import CATALOGUE, Entry, Layout
from zoo.errors import UsageError, unknown
from zoo.filesystem.paths import expanded

VERSION = "1.0.3"  # of prepared copies; when it changes, all corpora are prepared again


@dataclass(frozen=True)
class RawFiles:
    """The raw files of a corpus where they were found: paths by split, under ``folder``."""

    layout: Layout
    folder: Path
    files: Mapping[str, tuple[Path, ...]]

    def fingerprint(self) -> str:
        """A fingerprint that changes with the names, sizes and dates of the files."""
        facts = [
            (split, str(path.relative_to(self.folder)), stat.st_size, stat.st_mtime_ns)
            for split, paths in self.files.items()
            for path in paths
            for stat in [path.stat()]
        ]
        return _digest(str((self.layout, sorted(facts))))


def _digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def find_entry(name: str) -> Entry:
    """An entry of the catalogue.

    Raises:
        UsageError: for an unknown name, with the nearest matches.
    """
    if name == "sample":
        raise UsageError("the corpus 'sample' is generated: it has no files and no source")
    if name not in CATALOGUE:
        raise unknown("corpus", name, CATALOGUE)
    return CATALOGUE[name]


def folders(entry: Entry) -> list[Path]:
    """Folders that may have the raw files of a corpus; none if ``ZOO_DATA_DIR`` is not set."""
    root = os.environ.get("ZOO_DATA_DIR")
    return [expanded(root) / name for name in folder_names(entry)] if root else []


def folder_names(entry: Entry) -> list[str]:
    """Names that the folder of a corpus may have."""
    return list(dict.fromkeys([entry.name, *entry.folders]))


def find_raw_files(entry: Entry) -> RawFiles | None:
    """The raw files of a corpus under ``$ZOO_DATA_DIR``; None where there are none.

    Raises:
        UsageError: if the files of a folder are not complete.
    """
    for folder in folders(entry):
        if raw := raw_files_in(folder, entry):
            return raw
    return None


def raw_files_in(folder: Path, entry: Entry) -> RawFiles | None:
    """The raw files of a corpus in a folder; None where there is none of them.

    Raises:
        UsageError: if only some of them are there.
    """
    incomplete = []
    for layout in entry.layouts:
        found, lacking = defaultdict(tuple), []
        for split, patterns in layout.files.items():
            for pattern in patterns:
                if paths := sorted(folder.glob(pattern)):
                    found[split] += tuple(paths)
                elif split != "unlabelled":
                    lacking.append(pattern)
        if not lacking:
            return RawFiles(layout, folder, dict(found))
        if found:
            incomplete.append(" and ".join(lacking))
    if incomplete:
        raise UsageError(
            f"{entry.title} is not complete: {folder} lacks {', or '.join(incomplete)}. Get it "
            f"from {entry.homepage}"
        )
    return None


def data_dir() -> Path:
    """The folder in which TensorFlow Datasets keeps prepared corpora: ``TFDS_DATA_DIR``."""
    return expanded(os.environ.get("TFDS_DATA_DIR") or "~/tensorflow_datasets")


def config_name(entry: Entry, raw: RawFiles | None) -> str:
    """Names the prepared copy of these raw files, or of the download if there are none."""
    return f"{entry.name}-{raw.fingerprint() if raw else _digest(str(entry.urls))}"


def prepared_copies(entry: Entry) -> list[str]:
    """Config names of the finished copies of a corpus, the newest last."""
    pattern = f"zoo_corpus/{entry.name}-*/{VERSION}/dataset_info.json"
    found = sorted(data_dir().glob(pattern), key=lambda path: path.stat().st_mtime)
    return [path.parent.parent.name for path in found]


def locate(entry: Entry) -> tuple[str, RawFiles | None]:
    """Which files of a corpus there are, determined before anything slow begins.

    Returns:
        The name of its prepared copy, which may not exist yet, and its raw files. These are None if
        they must be downloaded, or if only the prepared copy is left.

    Raises:
        UsageError: if there are no files, and none can be downloaded.
    """
    raw = find_raw_files(entry)
    copies = prepared_copies(entry)
    if raw is None and copies:
        return copies[-1], None
    if raw is None:
        _check_download(entry)
    return config_name(entry, raw), raw


def _check_download(entry):
    """Checks quickly that a download is possible, as TFDS would try for minutes without network."""
    import requests

    if not entry.urls:
        raise absent(entry, "has no public address")
    try:
        requests.head(entry.urls[0], timeout=5)
    except requests.RequestException as error:
        raise absent(entry, f"cannot be downloaded ({type(error).__name__})") from None


def absent(entry: Entry, reason: str) -> UsageError:
    """The error for a corpus that is not on this machine, and is not available for ``reason``."""
    wanted = ", ".join(_patterns(entry.layouts[0]))
    looked = ", ".join(map(str, folders(entry)))
    looked = f"looked in {looked}" if looked else "ZOO_DATA_DIR is not set"
    return UsageError(
        f"{entry.title} is not here: {looked}; and it {reason}. Get it from "
        f"{entry.homepage} and put its files ({wanted}) into $ZOO_DATA_DIR/{entry.name}, or try "
        "--data sample, which needs no files"
    )


def _patterns(layout):
    return [pattern for patterns in layout.files.values() for pattern in patterns]


def state(entry: Entry) -> str:
    """The state of a corpus: prepared, raw files, incomplete, to download, or to bring yourself."""
    try:
        raw = find_raw_files(entry)
    except UsageError as error:
        return f"incomplete: {error}"
    copies = prepared_copies(entry)
    if (config_name(entry, raw) in copies) if raw else copies:
        return "prepared"
    if raw:
        return f"raw files in {raw.folder}"
    return "download" if entry.urls else f"bring it yourself: {entry.homepage}"


def describe(entry: Entry) -> dict[str, str]:
    """What the catalogue knows about a corpus, as texts by their titles."""
    sizes = ", ".join(f"{size:,} {split}" for split, size in entry.sizes.items())
    looked = ", ".join(f"$ZOO_DATA_DIR/{name}" for name in folder_names(entry))
    layouts = (", ".join(_patterns(layout)) for layout in entry.layouts)
    return {
        "title": entry.title,
        "classes": f"{len(entry.labels)}: {', '.join(entry.labels)}",
        "texts": sizes,
        "where": state(entry),
        "files": f"{'; or '.join(layouts)}; in {looked}",
        "homepage": entry.homepage,
        "download": ", ".join(entry.urls) or "none: bring the files yourself",
        "licence": entry.licence,
        "citation": entry.citation,
        "made so": entry.recipe or "as published",
    }
