"""Prediction as a pipeline of Apache Beam."""

import json

import pytest

import zoo

pytest.importorskip("apache_beam", reason="Apache Beam is not installed")

from tests.kinds import long_unless, slow_unless
from zoo.datasets import read_texts
from zoo.datasets.catalogue.beam_preparation import pipeline_options
from zoo.evaluation.prediction import predict
from zoo.shipping.beam_prediction import OnnxHandler, SavedModelHandler, _rows, predict_on_beam

LOCAL = ["--direct_running_mode=in_memory"]
SEVERAL = ["--direct_running_mode=multi_processing", "--direct_num_workers=2"]
TEXTS = ["a good stay", "", "a bad, sad stay. really bad!", "nice ü " * 40]


on_every_runner = pytest.mark.parametrize(
    "options",
    [
        long_unless(False, LOCAL, id="in_memory"),
        slow_unless(False, SEVERAL, id="several_processes"),
    ],
)


def answers_in(folder):
    return [json.loads(line) for path in folder.iterdir() for line in path.open()]


@pytest.fixture
def files(tmp_path):
    for number in range(3):
        lines = [f"{text} {number}" for text in TEXTS * 20]
        (tmp_path / f"part {number}.txt").write_text("\n".join(lines), "utf-8")
    return tmp_path / "part *.txt"


@on_every_runner
@pytest.mark.parametrize("runtime", ["keras", "onnx"])
def test_it_answers_as_predict_does(run_with_onnx, files, tmp_path, options, runtime):
    trained = run_with_onnx
    predict_on_beam(trained, files, tmp_path / "answers", options=options, runtime=runtime)
    lines = answers_in(tmp_path / "answers")
    found = {(line.pop("file"), line.pop("line")): line for line in lines}
    assert len(found) == len(lines) == 3 * 20 * len(TEXTS)
    model = zoo.load(trained)
    for path in sorted(tmp_path.glob("part *.txt")):
        for row, expected in enumerate(predict(model, read_texts(path)), start=1):
            answer = found[str(path), row]
            assert answer["text"] == expected["text"]
            assert answer["label"] == expected["label"]
            assert answer["probability"] == pytest.approx(expected["probability"], abs=1e-4)
            assert answer["probabilities"] == pytest.approx(expected["probabilities"], abs=1e-4)


def test_a_worker_keeps_the_order(run_with_onnx):
    saved = SavedModelHandler(str(run_with_onnx / "saved_model"))
    for handler in (saved, OnnxHandler(str(run_with_onnx / "model.onnx"))):
        answers = handler.run_inference(TEXTS, handler.load_model())
        assert [answer["text"] for answer in answers] == TEXTS


def test_options_replace_those_of_their_name():
    def found(*options):
        chosen = pipeline_options(options).get_all_options()
        return chosen["direct_running_mode"], chosen["direct_num_workers"]

    assert found() == found("--temp_location=/tmp") == ("multi_processing", 0)
    assert found("--direct_num_workers=2") == ("multi_processing", 2)
    assert found("--runner=DirectRunner") == ("in_memory", 1)


def test_unknown_options_are_refused(caplog):
    """Those for another program's runner are told: it may know them."""
    wrong = "unknown option of Apache Beam 'direct_num_worker'. Did you mean 'direct_num_workers'"
    for others in ([], ["--runner=DirectRunner"], ["--runner=direct"]):
        with pytest.raises(zoo.UsageError, match=wrong):
            pipeline_options([*others, "--direct_num_worker=2"])
    with pytest.raises(zoo.UsageError, match="'direct-num-workers'. Did you"):
        pipeline_options(["--direct-num-workers=2"])
    assert not caplog.records
    pipeline_options(["--runner=FlinkRunner", "--own_option=2"])
    assert "'own_option'" in caplog.text and "FlinkRunner gets it as it is" in caplog.text


def test_bad_input(trained, files, tmp_path):
    with pytest.raises(zoo.UsageError, match=r"cannot read .*missing.txt"):
        predict_on_beam(trained, tmp_path / "missing.txt", tmp_path / "answers", options=LOCAL)
    assert not (tmp_path / "answers").exists()
    with pytest.raises(zoo.UsageError, match=r"no file matches .*\*\.csv"):
        predict_on_beam(trained, tmp_path / "*.csv", tmp_path / "answers")
    with pytest.raises(zoo.UsageError, match="runner 'FlinkRuner' of Apache Beam: "):
        predict_on_beam(trained, files, tmp_path / "answers", options=["--runner=FlinkRuner"])
    wrong = ["--direct_num_workers=all"]
    with pytest.raises(zoo.UsageError, match="of Apache Beam: .*direct_num_workers.*'all'"):
        predict_on_beam(trained, files, tmp_path / "answers", options=wrong)
    with pytest.raises(zoo.UsageError, match="is there already"):
        predict_on_beam(trained, files, tmp_path)
    with pytest.raises(zoo.UsageError, match="unknown runtime 'onxn'. Did you mean 'onnx'"):
        predict_on_beam(trained, files, tmp_path / "answers", runtime="onxn")
    with pytest.raises(zoo.UsageError, match="has no model.onnx"):
        predict_on_beam(trained, files, tmp_path / "answers", runtime="onnx")
    with pytest.raises(zoo.UsageError, match="no SavedModel in"):
        predict_on_beam(tmp_path, files, tmp_path / "answers")
    with pytest.raises(zoo.UsageError, match=r"for a pattern: .* without \*, \? and \["):
        predict_on_beam(trained, files, tmp_path / "answers[1]")


@pytest.mark.long
def test_parts_without_rows_and_one_column_for_all(trained, tmp_path):
    parts = {"a": "title\ngood\n", "b": "title,text\nbad,no\n", "c": "title\n"}
    for name, content in parts.items():
        (tmp_path / f"{name}.csv").write_text(content)
    predict_on_beam(trained, tmp_path / "[abc].csv", tmp_path / "answers", options=LOCAL)
    texts = [answer["text"] for answer in answers_in(tmp_path / "answers")]
    assert sorted(texts) == ["bad", "good"]
    with pytest.raises(zoo.UsageError, match="has no rows"):
        predict_on_beam(trained, tmp_path / "c.csv", tmp_path / "none", options=LOCAL)


@on_every_runner
def test_rows_that_are_left_out_are_told_once(trained, tmp_path, caplog, options):
    """Also those far from the first."""
    rows = ["text,n", *600 * ["good stay,1"], "ragged", *3 * ["bad stay,2"]]
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(rows))
    predict_on_beam(trained, path, tmp_path / "answers", None, options, on_bad_row="skip")
    assert all(file.name.startswith("labels") for file in (tmp_path / "answers").iterdir())
    assert len(answers_in(tmp_path / "answers")) == 603
    (told,) = [record.getMessage() for record in caplog.records if record.name == "zoo"]
    assert "1 row" in told and "line 602" in told


def test_pieces_of_a_file_are_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr("zoo.shipping.beam_prediction.BATCH", 4)
    path = tmp_path / "texts.txt"
    path.write_text("".join(f"text {i}\n" for i in range(23)))
    found = [row for share in range(2) for row in _rows((str(path), share), 2, None)]
    wanted = [({"file": str(path), "line": i + 1}, f"text {i}") for i in range(23)]
    assert sorted(found, key=lambda row: row[0]["line"]) == wanted
