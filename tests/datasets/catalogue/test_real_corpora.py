"""The corpora under ``ZOO_DATA_DIR`` load from their raw files with the published sizes."""

import numpy as np
import pytest

from tests.kinds import slow_unless
from zoo import datasets
from zoo.datasets.catalogue import lookup as catalogue

SPLITS = {
    "agnews": (None, None, 7_600),
    "imdb": (25_000, None, 25_000),
    "imdb_rating": (25_000, None, 25_000),
    "sst_fine": (8_544, 1_101, 2_210),
    "sst_binary": (6_920, 872, 1_821),
    "sst_fine_phrases": (159_274, 1_101, 2_210),
    "sst_binary_phrases": (77_616, 872, 1_821),
    "semeval2013": (6_021, 890, 2_376),
    "sentube_a": (3_381, 225, 903),
    "trec": (5_452, None, 500),
    "trec_fine": (5_452, None, 500),
    "semeval2010": (8_000, None, 2_717),
    "newsgroups": (11_314, None, 7_532),
    "rt_polarity": (10_662, None, None),
    "subj": (10_000, None, None),
    "mpqa": (10_606, None, None),
}
COUNTS = {
    ("agnews", "test"): [1_900] * 4,
    ("imdb", "train"): [12_500] * 2,
    ("imdb", "test"): [12_500] * 2,
    ("sst_fine", "test"): [279, 633, 389, 510, 399],
    ("sst_binary", "test"): [912, 909],
    ("trec", "train"): [86, 1_162, 1_250, 1_223, 835, 896],
    ("rt_polarity", "train"): [5_331, 5_331],
    ("subj", "train"): [5_000, 5_000],
    ("mpqa", "train"): [7_294, 3_312],
}


pytestmark = pytest.mark.long

TELLING = {"positive": "excellent|wonderful|great|love", "negative": "worst|bad|boring|awful|hate"}
TELLING |= {"subjective": "film|movie|comedy", "objective": "his|her|he|they"}


@pytest.mark.parametrize(
    "name", [slow_unless("phrases" not in n and "imdb" not in n, n) for n in SPLITS]
)
def test_published_sizes(name, caplog, real_data):
    if catalogue.find_raw_files(catalogue.CATALOGUE[name]) is None:
        pytest.skip(f"{name} is not in ZOO_DATA_DIR")
    corpus = datasets.load(name)
    for split, size in zip(("train", "validation", "test"), SPLITS[name], strict=True):
        part = getattr(corpus, split)
        if size is not None:
            assert len(part) == size
        else:
            assert part is None or (name, split) == ("agnews", "train")
        if (name, split) in COUNTS:
            assert np.bincount(part.targets).tolist() == COUNTS[name, split]
    if name.startswith("imdb"):
        assert len(corpus.unlabelled) == 50_000
    if name != "agnews":  # whose training file may be a sample
        assert "published" not in caplog.text
    assert set(corpus.train.targets) == set(range(len(corpus.labels)))
    assert next(iter(corpus.train)).strip()


@pytest.mark.parametrize(
    "name", ["imdb", "sst_binary", "semeval2013", "sentube_a", "rt_polarity", "subj", "mpqa"]
)
def test_classes_are_not_swapped(name, real_data):
    """A class has more of its own telling words than the others have."""
    if catalogue.find_raw_files(catalogue.CATALOGUE[name]) is None:
        pytest.skip(f"{name} is not in ZOO_DATA_DIR")
    corpus = datasets.load(name)
    frame = corpus.frame("train")
    if name == "imdb":  # of published sizes; a slow test has them of all
        assert (len(frame), len(corpus.test), len(corpus.unlabelled)) == (25_000, 25_000, 50_000)
    for label in set(frame["label"]) & TELLING.keys():
        has = frame["text"].str.lower().str.contains(rf"\b(?:{TELLING[label]})\b")
        shares = has.groupby(frame["label"]).mean()
        assert shares.idxmax() == label
