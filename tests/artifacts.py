"""Writes what this release trains, for later releases to load: `make artifacts`.

Two very small models of made-up texts, with the probabilities that they give, go to
``tests/artifacts/VERSION``; ``test_artifacts.py`` loads those of every release.
"""

import json
import random
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path

import zoo
from zoo.answers import probabilities_of

KEPT = ("config.json", "labels.txt", "vocabulary.txt", "model.keras", "metrics.json")
SMALL = {"embedding_dim": 8, "max_words": 20}
MODELS = {
    "act": SMALL | {"num_layers": 1, "num_heads": 2, "filters": 4, "attention_dim": 4,
                    "position_dim": 4, "max_distance": 5, "hidden_dim": 4},
    "hcan": SMALL | {"num_heads": 2, "max_sentences": 4},
}  # fmt: skip
TEXTS = [
    "A good, nice stay. Really good!",
    "bad sad bad",
    "Not bad. Not a good stay, was it?",
    "",
    "unseen wörds — only 🙂",
    "good bad " * 40,
]


def write_data(path):
    rng, rows = random.Random(0), ["text,label"]
    for i in range(200):
        words = [("good", "nice"), ("bad", "sad")][i % 2] + ("a", "stay", "was", "really", "not")
        text = " ".join(rng.choice(words) for _ in range(rng.randrange(3, 12)))
        rows.append(f"{text}. {text[::-1]}!,{('yes', 'no')[i % 2]}")
    path.write_text("\n".join(rows) + "\n", "utf-8")


def pack(path):
    """Compresses a file of Keras, which is mostly HDF5's empty space."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def write_artifact(name, data, folder):
    run = zoo.train(
        *(name, str(data)),
        options=MODELS[name],
        weights="none",  # English words would be a megabyte
        epochs=3,
        output=data.parent / "runs",
        verbose=0,
    )
    folder.mkdir(parents=True)
    for kept in KEPT:
        shutil.copy(run / kept, folder)
    pack(folder / "model.keras")
    config = json.loads((run / "config.json").read_text("utf-8")) | {"data": "data.csv"}
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n", "utf-8")
    rows = probabilities_of(zoo.load(folder), TEXTS).round(7).tolist()
    expected = {"texts": TEXTS, "probabilities": rows}
    text = json.dumps(expected, indent=1, ensure_ascii=False)
    (folder / "expected.json").write_text(text + "\n", "utf-8")


def main(folder):
    if folder.exists():
        sys.exit(f"{folder} is there already: what was released stays as it is")
    with tempfile.TemporaryDirectory() as temporary:
        data = Path(temporary, "data.csv")
        write_data(data)
        for name in MODELS:
            write_artifact(name, data, folder / name)
    sizes = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    print(f"{sizes:,} bytes are in {folder}")


if __name__ == "__main__":
    main(Path(__file__).parent / "artifacts" / (sys.argv[1:] or [zoo.__version__])[0])
