"""Texts that are unlike those that a run learnt from are left to a person."""

import math

import numpy as np
import pandas as pd
import pytest

import zoo
from tests.json_files import change
from zoo.evaluation.familiarity import familiar_to, familiarity, least_familiarity, ranked


def test_the_mean_of_the_logarithms_of_ranks():
    ranks = ranked(["the", "room room", "day", "!"])
    assert ranks == {"the": 1, "day": 2, "!": 3}
    assert familiarity("The day, the NIGHT!", ranks) == pytest.approx(
        -(math.log(2) + math.log(4) + math.log(3)) / 5
    )
    assert familiarity("", ranks) == -math.log(4)


def test_two_in_a_hundred_texts_are_below_the_bound():
    words = [f"w{number}" for number in range(200)]
    random = np.random.default_rng(0)
    texts = [" ".join(random.choice(words[:100], 9)) for _ in range(1000)]
    least = least_familiarity(texts, words)
    below = sum(familiarity(text, ranked(words)) < least for text in texts)
    assert below == 20
    assert least_familiarity(texts[:99], words) is None


def test_unlike_texts_get_a_reason_and_no_label(tmp_path):
    random = np.random.default_rng(0)
    rows = [
        (f"a {word} stay in room {random.integers(9)}", label)
        for _ in range(600)
        for word, label in (("lovely", "good"), ("awful", "bad"))
    ]
    frame = pd.DataFrame(rows, columns=["text", "label"])
    run = zoo.train("bow", frame, output=tmp_path, verbose=0)
    familiar = familiar_to(run)
    assert familiar.knows("a awful stay in room 3")
    assert not familiar.knows("der awful Hund von nebenan")
    texts = ["a lovely stay in room 3", "der awful Hund von nebenan"]
    found = zoo.predict(run, texts, sure=0.5)
    assert found["label"][0] == "good" and pd.isna(found["label"][1])
    assert found["reason"][0] == "" and found["reason"][1].startswith("unlike the texts")
    (run / "vocabulary.txt").write_bytes(b"\xff")
    with pytest.raises(zoo.UsageError, match="is damaged"):
        familiar_to(run)
    change(run / "metrics.json", least_familiarity=None)
    assert familiar_to(run) is None  # as of an earlier release
    (run / "metrics.json").unlink()
    with pytest.raises(zoo.UsageError, match="missing or damaged"):
        familiar_to(run)
