"""The runs of a folder as a table."""

import shutil

import pandas as pd
import pytest

import zoo
from zoo.runs.run_folder import read_scores


@pytest.fixture(scope="module")
def folder(trained, tmp_path_factory):
    """Runs of several kinds: whole, of ``zoo.save``, killed, and damaged."""
    folder = tmp_path_factory.mktemp("all")
    shutil.copytree(trained, folder / trained.name)
    shutil.copytree(trained, folder / "search" / "small-sample-20250102-030405_2")
    zoo.save(zoo.load(trained), folder / "saved")
    table = pd.DataFrame({"text": ["a good day", "a bad day"] * 30, "label": ["yes", "no"] * 30})
    zoo.train("svm_bigrams", table, output=folder, verbose=0)
    killed = shutil.copytree(trained, folder / "killed")
    (killed / "metrics.json").unlink()
    damaged = shutil.copytree(trained, folder / "damaged")
    (damaged / "metrics.json").write_text("{")
    (folder / "broken").mkdir()
    (folder / "broken" / "config.json").write_text("{")
    (folder / "no run").mkdir()
    return folder


def test_each_run_has_a_row_and_each_that_is_not_whole_a_line(folder, trained, caplog):
    found = zoo.list_runs(folder)
    names = [path.removeprefix(f"{folder}/") for path in found["run"]]
    assert {*names} == {
        trained.name,
        "search/small-sample-20250102-030405_2",
        "saved",
        next(path.name for path in folder.glob("svm*")),
    }
    assert names[-1] == "search/small-sample-20250102-030405_2"  # the oldest
    assert found["date"].iloc[-1] == pd.Timestamp("2025-01-02 03:04:05")
    rows = dict(zip(names, found.to_dict("records"), strict=True))
    own, scores = rows[trained.name], read_scores(trained)
    assert own["accuracy"] == scores["accuracy"] and own["macro_f1"] == scores["macro_f1"]
    assert (own["model"], own["texts"], own["epochs"]) == ("hcan", 97, 4)
    assert own["validation"] > 0.5 and own["megabytes"] > 0 and own["seconds"] > 0
    assert own["options"] == "embedding_dim=16 num_heads=2"
    assert pd.isna(rows["saved"]["accuracy"]) and rows["saved"]["model"] == "hcan"
    told = [record.getMessage() for record in caplog.records]
    assert len([one for one in told if "killed had not begun" in one]) == 1
    assert len([one for one in told if "damaged/metrics.json is missing or damaged" in one]) == 1
    assert len([one for one in told if "broken/config.json is damaged" in one]) == 1


def test_it_is_sorted_filtered_and_written(folder, tmp_path):
    sizes = zoo.list_runs(folder, sort="megabytes")["megabytes"]
    assert sizes.is_monotonic_increasing
    best = zoo.list_runs(folder, sort="accuracy")["accuracy"]
    assert best.dropna().is_monotonic_decreasing
    found = zoo.list_runs(folder, model="hcan*", data="my *.csv", output=tmp_path / "runs.csv")
    assert {*found["model"]} == {"hcan"} and len(found) == 2
    pd.testing.assert_frame_equal(
        pd.read_csv(tmp_path / "runs.csv")[["run", "macro_f1"]], found[["run", "macro_f1"]]
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"model": "hcam"}, "unknown model 'hcam'. Did you mean 'hcan'"),
        ({"data": "nothing"}, "unknown data 'nothing'"),
        ({"model": "svm*", "data": "my*"}, r"no run of the model 'svm\*' is one of the data 'my\*"),
        ({"sort": "acuracy"}, "unknown column 'acuracy'. Did you mean 'accuracy'"),
        ({"output": "runs.json"}, "end the name with .csv, not as runs.json"),
        ({"folder": "nowhere"}, "there is no folder nowhere"),
    ],
)
def test_what_cannot_be_is_told_in_a_line(given, message, folder):
    with pytest.raises(zoo.UsageError, match=message):
        zoo.list_runs(**{"folder": folder} | given)
    with pytest.raises(zoo.UsageError, match="there are no finished runs in"):
        zoo.list_runs(folder / "no run")
