"""The papers' tables: rows are kept, systems are compared text by text."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import zoo
from benchmarks import claims, reproduce
from benchmarks.claims import MEAN, Claim, by_chance, difference, packed, rights_of, verdict
from benchmarks.corpus_statistics import REPEATS, StatisticsTable
from benchmarks.costs import Cost, CostTable
from benchmarks.reproduce import KEY, TABLES, table_of
from benchmarks.table import System, Table, as_files
from zoo import datasets
from zoo.registry import find_recipe, import_model


@pytest.mark.parametrize("name", TABLES)
def test_every_table_can_be_run(name):
    table = table_of(name)
    assert set(table.corpora) <= set(datasets.CATALOGUE)
    plan = table.plan(list(table.corpora), None)
    assert plan and len(set(plan)) == len(plan)


@pytest.mark.parametrize("name", [name for name in TABLES if isinstance(table_of(name), Table)])
def test_every_system_can_be_trained(name):
    table = table_of(name)
    names = [system.name for system in table.systems]
    assert len(set(names)) == len(names)
    for system in map(table.system, names):
        cls, _ = import_model(system.model)
        assert system.train.get("preset") in (None, *cls.presets)
        find_recipe(system.model, system.train.get("recipe", "default"))
        assert len(system.paper) in (0, len(table.corpora))
        assert len(system.elsewhere) in (0, len(table.elsewhere))
    for name, data in table.shown:
        assert table.system(name).paper[list(table.corpora).index(data)] is not None
    for claim in table.claims:
        assert {claim.better, claim.worse} <= set(names)
        assert set(claim.corpora or ()) <= {*table.corpora, MEAN}


def test_an_unknown_table():
    with pytest.raises(zoo.UsageError, match="Did you mean 'attcnn1'"):
        table_of("attcnn")


@given(st.lists(st.lists(st.booleans(), min_size=13, max_size=13), min_size=1, max_size=4))
def test_right_answers_are_kept_by_text(right):
    rows = pd.DataFrame({"right": [packed(one) for one in right], "texts": 13})
    np.testing.assert_allclose(rights_of(rows), np.mean(right, axis=0))


def test_a_difference_of_paired_texts():
    random = np.random.default_rng(0)
    right = random.random(500) < 0.8
    better = right | (random.random(500) < 0.5)
    points = 100 * (better.astype(float) - right)
    mean, low, high = difference(points)
    assert mean == pytest.approx(100 * (better.mean() - right.mean()))
    assert 0 < low < mean < high and verdict(low, high) == "confirmed"
    assert verdict(*difference(-points)[1:]) == "contrary"
    assert verdict(*difference(100 * (right.astype(float) - right[::-1]))[1:]) == "not confirmed"
    # As wide as the normal approximation of paired differences says.
    spread = 100 * (better.astype(float) - right).std() / np.sqrt(500)
    assert high - low == pytest.approx(2 * 1.96 * spread, rel=0.1)


def test_a_difference_of_several_corpora():
    """Each counts the same, however many texts it has, and the mean is surer than each of them."""
    random = np.random.default_rng(0)
    points = [100 * random.choice([-1.0, 0, 1], size, p=(0.1, 0.7, 0.2)) for size in (400, 900)]
    mean, low, high = difference(*points)
    assert mean == pytest.approx((points[0].mean() + points[1].mean()) / 2)
    spread = 0.5 * np.sqrt(sum(one.var() / len(one) for one in points))
    assert high - low == pytest.approx(2 * 1.96 * spread, rel=0.1)


def claims_table(asked, corpora, rows):
    return "\n".join(claims.as_table(list(claims.judged(asked, corpora, rows)), corpora))


def test_a_claim_is_tested_on_each_corpus_and_on_their_mean():
    rows = pd.DataFrame(
        {"system": system, "data": data, "right": packed(np.array(right, bool)), "texts": 4}
        | {"seed": 0, "old": False}
        for data in ("a", "b")
        for system, right in (("A", [1, 1, 1, 1]), ("B", [0, 0, 0, 0]))
    )
    corpora = {"a": "first", "b": "second"}
    two = [Claim("A beats B", "A", "B"), Claim("so on the mean", "A", "B", (MEAN,))]
    text = claims_table(two, corpora, rows)
    assert "The paper's claims, 2 tested on a corpus: 2 confirmed." in text
    assert "The paper's claims, 2 tested on the mean of the corpora: 2 confirmed." in text
    for place in ("A beats B | first", "A beats B | second", "A beats B | mean of 2"):
        assert f"| {place} | 1 | +100.0 | +100.0 to +100.0 | confirmed |" in text
    text = claims_table(two, corpora, rows[rows["data"] == "a"])
    assert "first" in text and "mean" not in text  # of all the corpora, or there is none
    assert "earlier" not in text
    asked = Claim("A beats B, we ask", "A", "B", ("a",), ours=True)
    text = claims_table([*two, asked], corpora, rows)
    assert "The paper's claims, 2 tested on a corpus" in text
    assert "Our questions, 1 tested on a corpus: 1 confirmed." in text
    rows.loc[0, "old"] = True
    text = claims_table(two, corpora, rows)
    assert text.count("confirmed, with earlier settings") == 3  # on that corpus, and on the means


def test_systems_are_compared_by_the_seeds_that_both_have():
    """As a seed draws the training texts, too."""
    right = {("A", 0): 1, ("B", 0): 1, ("B", 1): 0}
    rows = pd.DataFrame(
        {"system": system, "data": "a", "right": packed(np.full(4, one, bool)), "texts": 4}
        | {"seed": seed, "old": False}
        for (system, seed), one in right.items()
    )
    claim = [Claim("A beats B", "A", "B")]
    assert "| A beats B | first | 1 | +0.0 |" in claims_table(claim, {"a": "first"}, rows)
    rows.loc[0, "seed"] = 2  # there is none
    assert "first" not in claims_table(claim, {"a": "first"}, rows)


def test_rows_of_other_settings_are_outdated():
    table = Table("T", SAMPLE, [System("Bow", "bow", train={"min_count": 5})], {}, [], [])
    rows = pd.DataFrame({"system": ["Bow", "Bow", "Gone"], "settings": [table.settings("Bow")] * 3})
    rows["data"] = "sample"
    rows.loc[1, "settings"] = Table("T", SAMPLE, [System("Bow", "bow")], {}, [], []).settings("Bow")
    assert table.outdated(rows).tolist() == [False, True, True]
    there = {"sample": {"clean_up": "tweets"}}
    other = Table("T", SAMPLE, table.systems, {}, [], [], train_on=there)
    assert other.outdated(rows).all() and "tweets" in other.settings("Bow", "sample")


def row(table, system, seed, right):
    return {
        "system": system,
        "data": "sample",
        "seed": seed,
        "accuracy": np.mean(right),
        "parameters": 10,
        "seconds": 2.0,
        "settings": table.settings(system),
        "machine": "M",
        "texts": len(right),
        "right": packed(np.array(right, bool)),
        "jobs": 1,
    }


def test_rows_are_run_anew_where_the_table_has_changed(tmp_path, monkeypatch):
    systems = [System("Bow", "bow"), System("CNN", "cnn_kim")]
    before = Table("T", SAMPLE, systems, {}, [], [], seeds=2)
    after = Table("T", SAMPLE, [System("Bow", "ngrams"), systems[1]], {}, [], [], seeds=2)
    rows = pd.DataFrame(
        [row(before, name, seed, [0, 0, 0, 0]) for name in ("Bow", "CNN") for seed in (0, 1)]
    )
    path = tmp_path / "t.csv"
    rows.to_csv(path, index=False)
    told = f"Of earlier settings than those below, {SAMPLE['sample']}: Bow."
    assert told in after.report("t", rows)
    ran = []

    def run_alone(name, one, quick, jobs):
        ran.append(one)
        return row(after, one[0], one[2], [1, 1, 1, 1])

    monkeypatch.setattr(reproduce, "RESULTS", tmp_path)
    monkeypatch.setattr(reproduce, "TABLES", ["t"])
    monkeypatch.setattr(reproduce, "table_of", lambda name: after)
    monkeypatch.setattr(reproduce, "run_alone", run_alone)
    monkeypatch.setattr(reproduce, "tell", lambda part, text: None)
    reproduce.main("t", seeds=1)  # of two
    assert ran == [("Bow", "sample", 0)]
    assert "| Bow | 100.0 |" in path.with_suffix(".md").read_text()  # not with the old one
    reproduce.main("t", seeds=2)
    reproduce.main("t", seeds=2)
    assert ran == [("Bow", "sample", 0), ("Bow", "sample", 1)]
    found = pd.read_csv(path).sort_values(["system", "seed"])
    assert found["accuracy"].tolist() == [1, 1, 0, 0] and not after.outdated(found).any()
    del found["settings"]
    assert after.outdated(found).all()  # as of a former zoo


def seeds_of(accuracies, texts=400, system="A", data="a"):
    """Rows of trainings that answer the first texts rightly, as many as their accuracies say."""
    return pd.DataFrame(
        {"system": system, "data": data, "texts": texts, "seed": seed, "old": False}
        | {"right": packed(np.arange(texts) < texts * one)}
        for seed, one in enumerate(accuracies)
    )


def test_an_interval_holds_what_other_trainings_would_change():
    """As wide as the t-test of two means says, of trainings that hardly leave texts to chance."""
    rows = pd.concat([seeds_of([0.70, 0.80, 0.90]), seeds_of([0.66, 0.76, 0.86], system="B")])
    assert claims.spreads(rows)["a"] == (pytest.approx(10), 4)
    (found,) = claims.judged([Claim("A beats B", "A", "B")], {"a": "first"}, rows)
    assert found["points"] == pytest.approx(4) and found["trainings"] == 3
    half = stats.t.ppf(0.975, 4) * 10 * (2 / 3) ** 0.5
    assert found["high"] - found["low"] == pytest.approx(2 * half, rel=0.05)
    assert found["verdict"] == "not confirmed"
    elsewhere = pd.concat([seeds_of([0.9], data="b"), seeds_of([0.5], system="B", data="b"), rows])
    assert claims.spreads(elsewhere)["b"] == claims.spreads(rows)["a"]  # where none has several
    assert claims.spreads(seeds_of([0.9])) == {}


def test_a_system_that_has_not_learnt_confirms_nothing():
    rows = pd.concat([seeds_of([0.9]), seeds_of([0.5], system="B")])
    claim, corpora = [Claim("A beats B", "A", "B")], {"a": "first"}
    for share, expected in ((0.4, "confirmed"), (0.49, "left out")):
        (found,) = claims.judged(claim, corpora, rows, {"a": share})
        assert found["verdict"] == expected
    assert "left out: at chance" in "".join(claims.as_table([found], corpora))


def test_verdicts_by_chance():
    """Of three seeds of one system, two agree and one is far behind, as it may be."""
    right = {0: np.ones(200), 1: np.ones(200), 2: np.zeros(200)}
    rows = pd.DataFrame(
        {
            "system": "A",
            "data": "d",
            "seed": list(right),
            "right": [packed(one.astype(bool)) for one in right.values()],
            "texts": 200,
        }
    )
    assert by_chance(rows) == (0, 3)
    assert by_chance(rows[:1]) == (0, 0)


def test_the_report():
    table = table_of("ssan2")
    rows = [
        {"system": system, "data": "sst_fine", "seed": seed, "accuracy": np.mean(right)}
        | {
            "parameters": 10,
            "settings": table.settings(system),
            "seconds": 2.0,
            "machine": "M",
            "jobs": 1,
            "texts": 4,
            "right": packed(right),
        }
        for system, right in (
            ("1-Layer SSAN + RPR", [1, 1, 1, 1]),
            ("1-Layer SSAN", [0, 0, 0, 0]),
        )
        for seed in (0, 1)
    ]
    begun = pd.DataFrame(columns=KEY)  # to which the first row is added
    text = table.report("ssan2", pd.concat([begun, pd.DataFrame(rows)], ignore_index=True))
    assert "| 1-Layer SSAN + RPR | 48.1 | 100.0 (0.0) | +51.9 | 84.2 |  |  |" in text
    assert (
        "| relative positions beat none | SST-fine | 2 | +100.0 | +100.0 to +100.0 | confirmed |"
        in (text)
    )
    assert (
        "(of each row: 2; planned: 3), in brackets" in text and "stand in for the paper's" in text
    )


SAMPLE = {"sample": "the sample"}


def test_a_row_of_accuracies():
    bow = System("Bow", "bow", (90.0,))
    table = Table(
        "T", SAMPLE, [bow], {}, [], ["A note."], texts=(200, 100), shown=(("Bow", "sample"),)
    )
    (row,) = table.plan(["sample"], 1)
    found = table.run(*row, True) | dict(zip(KEY, row, strict=True)) | {"jobs": 2}
    rows = pd.DataFrame([found])
    assert found["texts"] == 100 and rights_of(rows).mean() == pytest.approx(found["accuracy"])
    ours = f"{100 * found['accuracy']:.1f}"
    assert f"| Bow | 90.0 | {ours} | " in table.report("t", rows)
    assert "Up to 2 trainings" in table.report("t", rows)
    (shown,) = table.highlighted("results/t.md", rows)
    assert f"| the sample | 90.0 | {ours} | " in shown


def test_seeds_draw_training_texts_and_share_those_of_the_test(tmp_path):
    """Else a bootstrap would pair answers to other texts."""
    table = Table("T", SAMPLE, [], {}, [], [], texts=(50, 30))
    drawn = []
    for seed in (0, 1):
        folder = tmp_path / str(seed)
        folder.mkdir()
        train, others = as_files(table._part("sample", seed), folder)
        drawn.append({"train": train} | others)
    first, second = ({name: pd.read_csv(path) for name, path in one.items()} for one in drawn)
    assert (len(first["train"]), len(first["test"])) == (50, 30)
    assert first["test"].equals(second["test"])
    assert not first["train"].equals(second["train"])
    corpus = datasets.load("sample").split(0)
    for name in ("train", "test"):
        assert set(first[name]["text"]) <= set(corpus.frame(name)["text"])


@pytest.mark.slow
def test_a_row_of_costs():
    system = Cost("CNN", "cnn_barnes", 83_714, 986, 21.1, 0.85)
    table = CostTable("T", SAMPLE, [system], None, 10, ["A note."])
    (row,) = table.plan(["sample"], 1)
    found = table.run(*row, True) | {"system": "CNN"}
    assert min(found[name] for name in ("parameters", "training", "predictions")) > 0
    assert found["memory"] >= 0  # 0 where other tests of this process held more before
    assert "| CNN | 83,714 | " in table.report("t", pd.DataFrame([found]))


def test_a_row_of_counts():
    table = StatisticsTable("T", SAMPLE, {"Yelp": (5, 9, 8.9, 151, 151.6, 1184, 211)}, "han", [])
    (row,) = table.plan(["sample"], 1)
    found = table.run(*row, True)
    assert found["documents"] == 2500 and found["classes"] == 5  # 1,000 of a split, at most
    text = table.report("t", pd.DataFrame([found | {"data": "sample"}]))
    assert "| Yelp (paper) | 5 | 9 | 8.9 | 151 | 151.6 | 1,184 | 211 |" in text
    assert "| the sample | 5 | 2,500 | " in text
    corpus = zoo.datasets.load("sample")
    assert found[REPEATS] == len([text for text in corpus.test if text in set(corpus.train)])


def test_documents_of_both_splits_are_counted(tmp_path, monkeypatch):
    for split, texts in (("train", ["One  a", "two b", "three c"]), ("test", ["one a", "four d"])):
        lines = [f"{text},{i % 2}" for i, text in enumerate(texts)]
        (tmp_path / f"{split}.csv").write_text("\n".join(["text,label", *lines, ""]))
    corpus = zoo.datasets.load(str(tmp_path / "train.csv"), test=str(tmp_path / "test.csv"))
    monkeypatch.setattr("zoo.datasets.load", lambda name: corpus)
    assert StatisticsTable("T", {}, {}, "han", []).run("counts", "x", 0, False)[REPEATS] == 1
