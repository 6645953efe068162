"""A setting of a training stands in one place, which the rest is made of."""

import dataclasses
import inspect
import json

import pytest
import typer

import zoo
from zoo.cli.commands import app
from zoo.recipes import Recipe
from zoo.runs.run_config import FORMAT, RunConfig, read_config
from zoo.settings import NOT_TUNED, Group, TrainSettings, described, from_keywords, names

COMMANDS = typer.main.get_command(app).commands


@pytest.mark.parametrize(
    ("function", "lacking"),
    [
        (zoo.train, set()),
        (zoo.tune, {*NOT_TUNED}),
        (zoo.resume, {*names()} - {*names(Group.MACHINE)}),
    ],
)
def test_functions_show_their_settings(function, lacking):
    shown = inspect.signature(function).parameters
    assert {*names()} - shown.keys() == lacking
    for name in {*names()} - lacking - {"model", "data", "output", "verbose"}:
        assert f"\n        {name}: " in function.__doc__
        default = None if name == "options" else getattr(TrainSettings(), name)
        assert shown[name].default == default
    assert "{settings}" not in function.__doc__


@pytest.mark.parametrize(("command", "lacking"), [("train", set()), ("tune", {*NOT_TUNED})])
def test_commands_have_an_option_for_each(command, lacking):
    options = {name: one for one in COMMANDS[command].params for name in one.opts}
    wanted = [one for one in described() if one.flag and one.name not in lacking]
    assert {one.flag for one in wanted} <= options.keys()
    for one in wanted:
        assert one.name == "output" or one.help[1:] in options[one.flag].help


def test_a_run_tells_all_of_its_settings(tmp_path):
    settings = TrainSettings(
        "act", str(tmp_path / "x.csv"), text_column="t", test_data="/t.csv", min_class_size=3,
        options={"filters": 3}, epochs=4, batch_size=8, learning_rate=0.1, schedule="cosine",
        class_weights=True, clean_up="han", keep="best", devices=1,
    )  # fmt: skip
    own = {"epochs": 4, "batch_size": 8, "learning_rate": 0.1, "keep": "best"}
    recipe = Recipe(**own, steps=9, evaluate_every=8)
    config = RunConfig(
        settings, {"python": "3"}, {"name": "act"}, 2, "ab", recipe=recipe, texts={"train": 9}
    )
    config.write(tmp_path)
    assert read_config(tmp_path) == config
    told = json.loads((tmp_path / "config.json").read_text())
    assert told["files"] == {"text_column": "t", "test": "/t.csv", "min_class_size": 3}
    (tmp_path / "config.json").write_text(json.dumps(told | {"format": FORMAT + 1}))
    with pytest.raises(zoo.UsageError, match=f"has format {FORMAT + 1}, this release reads 1 to"):
        read_config(tmp_path)
    del told["calibrate"]
    (tmp_path / "config.json").write_text(json.dumps(told))
    assert read_config(tmp_path).lacking == ("calibrate",)  # which only its training would need


def test_a_file_without_a_format_is_of_the_first(tmp_path):
    told = {"model": "act", "data": None, "files": {}, "seed": 0, "versions": {}}
    (tmp_path / "config.json").write_text(json.dumps(told))
    config = read_config(tmp_path)
    assert (config.settings.clean_up, config.text_version) == ("hcan", 1)
    assert config.label_order == "as text" and config.words is config.targets is None


def test_settings_are_told_under_either_name():
    files = {"text_column": "t", "validation": "v.csv"}
    given = from_keywords({"model": "act", "files": files, "options": None})
    assert given == TrainSettings("act", text_column="t", validation_data="v.csv")
    assert given.files == files
    for verbose in (0, 1, 2, "auto", True, False):  # as Keras takes it
        from_keywords({"verbose": verbose}).check()
    with pytest.raises(dataclasses.FrozenInstanceError):
        given.epochs = 3
