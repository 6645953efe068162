"""The command line: one line and exit code 2 for bad input, nothing half-written."""

import csv
import errno
import functools
import gzip
import io
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from unittest import mock

import pandas as pd
import pytest

import zoo
from tests.json_files import change
from tests.kinds import long_unless
from zoo.cli import commands as cli
from zoo.cli import terminal
from zoo.evaluation.scores import _is_known
from zoo.explanation.explanation import Explanation, Word
from zoo.settings import NOT_TUNED, TrainSettings, described


@pytest.fixture(scope="module")
def loaded():
    return functools.cache(zoo.load)


@pytest.fixture(autouse=True)
def _loaded_once(monkeypatch, loaded):
    """Each loading would trace predictions anew, which is most of what a command takes here."""
    for room in ("", ".runs.run_folder", ".evaluation.explaining", ".evaluation.labelling"):
        monkeypatch.setattr(f"zoo{room}.load", loaded)


@pytest.fixture
def run_zoo(monkeypatch, capsys):
    """Runs the command; gives the exit code, standard output and standard error."""
    monkeypatch.delenv("FORCE_COLOR", raising=False)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["zoo", *map(str, arguments)])
        try:
            cli.main()
            code = 0
        except SystemExit as stop:
            code = stop.code or 0
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.fixture
def refusal(run_zoo):
    """Runs a command that is refused; gives what it says."""

    def run(*arguments):
        code, _, err = run_zoo(*arguments)
        assert code == 2
        return err

    return run


@pytest.fixture
def given(monkeypatch):
    """Gives standard input, as bytes."""
    return lambda content: monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


def test_a_backend_that_is_not_there(run_zoo, refusal, monkeypatch):
    monkeypatch.setenv("KERAS_BACKEND", "jxa")
    assert "unknown KERAS_BACKEND 'jxa'. Did you mean 'jax'?" in refusal("list")
    monkeypatch.setenv("KERAS_BACKEND", "jax")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert "is not installed: pip install jax" in run_zoo("list")[2]


def test_standard_output_may_be_closed():
    command = [sys.executable, "-m", "zoo", "list"]
    ended = subprocess.run(["bash", "-c", f"{shlex.join(command)} >&-"], capture_output=True)
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_help_names_every_command(run_zoo):
    code, out, _ = run_zoo("--help")
    assert code == 0
    commands = (
        "train tune evaluate compare predict explain export serve runs list describe datasets"
    )
    for command in commands.split():
        assert command in out


def test_list_and_describe(run_zoo):
    assert run_zoo("list", "hcan*")[1].split()[:2] == ["hcan", "hcan_flat"]
    code, out, _ = run_zoo("describe", "act")
    assert code == 0
    assert "Preset li2021: 1,486,405 parameters; embedding_dim=300, word_dropout=0.0" in out
    assert "heads of each layer" in out
    assert "Li et al. 2021" in out
    assert "Reads words." in out and "Recipe default: zoo's own." in out
    assert "Recipe li2021: optimizer=SGD, settings={'momentum': 0.9}, learning_rate=0.01" in out
    assert "Reads characters." in run_zoo("describe", "char_cnn")[1]
    about = " ".join(run_zoo("describe", "nb_svm")[1].split())
    assert "Wang and Manning 2012" in about
    assert "This variant: solver=nb_svm, ngrams=3, weighting=presence." in about
    assert "Reads sentences of words." in run_zoo("describe", "han")[1]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("train zzzz", "unknown model 'zzzz'. Allowed: act, "),
        ("train hcam", "Did you mean 'hcan'"),
        ("train --data nope", "unknown data 'nope'"),
        ("train --data missing.csv", "no such file: missing.csv"),
        ("train --data empty.csv", "empty.csv has no rows"),
        ("train --data 'a b.csv'", r"which column has the texts.*text_column \(--text-column\)"),
        ("train --data good.csv --text-column revew", "Did you mean 'review'"),
        (
            "train --data good.csv --text-column review --label-column stars --test-data test.csv",
            "unknown label in test.csv, line .: 'new'",
        ),
        ("train hcan --set num_headz=2", "Did you mean 'num_heads'"),
        ("train hcan --set num_heads", "--set takes name=value: got 'num_heads'"),
        ("train --epochs 0", "epochs must be a whole number of at least 1: got 0"),
        ("train --max-vocabulary 0", "max_vocabulary must be a whole number of at least 1: got 0"),
        ("train --min-count -5", "min_count must be a whole number of at least 1: got -5"),
        ("train --learning-rate nan", "learning_rate must be a number above 0: got nan"),
        ("train --schedule cosin", "unknown schedule 'cosin'.*Did you mean 'cosine'"),
        ("train --seed -1", "seed must be a whole number from 0 to 4294967295: got -1"),
        ("train hcan --set name=x", "unknown option of hcan 'name'"),
        ("train hcan --set num_classes=3", "unknown option of hcan 'num_classes'"),
        ("train hcan --set vocabulary_size=5", "set max_vocabulary .--max-vocabulary. instead"),
        (f"train --data {'a' * 300}.csv", "File name too long"),
        ("train --process-id 3", "process 3 of 1|several processes need JAX"),
        ("train --processes 0", "processes must be a whole number of at least 1: got 0"),
        (
            "train --data good.csv --text-column stars --label-column stars",
            "the texts and the labels are both in 'stars'",
        ),
        ("train --precision float16", "unknown precision 'float16'. Did you mean"),
        ("train --cache dist", "unknown cache 'dist'. Did you mean 'disk'"),
        (
            "train --unlabelled-data good.csv --weights english",
            "weights must be word2vec .--weights word2vec., got english",
        ),
        ("train hcan --preset x", "unknown preset of hcan 'x'"),
        ("train hcan --recipe gao2081", "unknown recipe of hcan .* Did you mean 'gao2018'"),
        ("train --resume x --epochs 3", "the run's own settings: leave out --epochs"),
        ("train --resume nowhere", "no run in nowhere|unknown run"),
        ("train --devices 9", "devices must be all, or 1, as there is no GPU"),
        ("tune hcam", "Did you mean 'hcan'"),
        ("tune hcan --set vocabulary_size=5", "set max_vocabulary .--max-vocabulary. instead"),
        ("tune hcan --set name=x", "unknown option of hcan 'name'"),
        ("tune bow --data good.csv", "bow is solved at once: there is nothing to tune"),
        ("list 'hcam*'", "unknown model 'hcam\\*'. Did you mean 'hcan"),
        ("train --text-column x", r"text_column \(--text-column\) is for your own files, not"),
        ("train --output good.csv/runs", "cannot write to the output folder good.csv/runs"),
        ("tune cnn_kim --data good.csv --on-bad-row x", "unknown on_bad_row 'x'"),
        ("evaluate nothing", "no run in nothing"),
        (
            "evaluate nothing --label-column x",
            r"label_column \(--label-column\): give data \(--data\)",
        ),
        ("predict nothing text", "no run in nothing"),
        ("explain nothing text", "no run in nothing"),
        ("predict good.csv text", "good.csv is a file: give the run's folder, \\."),
        ("explain good.csv text", "good.csv is a file: give the run's folder"),
        ("predict nothing good.csv", "good.csv is a file, not a text: give it as --file"),
        ("predict nothing 'a b.csv'", "not a text: give it as --file 'a b.csv'"),
        ("predict nothing good.csv test.csv", "good.csv and others are files, not"),
        ("train --data ''", "an empty path"),
        ("train --data good.csv --test-data ''", "an empty path"),
        ("explain nothing no.jsonl", "no.jsonl is a file, not a text: give it as --file"),
        ("train --data data/reviews", "no such file or folder: data/reviews. Check the"),
        ("train --data a.csv.zst", "no such file or folder: a.csv.zst. Check the path."),
        ("train --data AGNEWS", "unknown data 'AGNEWS'. Did you mean 'agnews'"),
        ("explain nothing --text-column x", "--text-column needs --file"),
        ("predict nothing --file - --on-bad-row skip", "--on-bad-row needs --file"),
        ("predict nothing a --ouput x", "'--ouput'. Did you mean '--output'.*put -- be"),
        ("predict nothing a --encoding cp1252", "--encoding needs --file"),
        ("explain nothing --encoding cp1252", "--encoding needs --file"),
        ("explain nothing -sad", "unknown option '-sad'.* put -- before the texts"),
        ("predict nothing --beam --keep-columns", "leave out --keep-columns"),
        ("predict nothing --beam --file -", "--beam needs --file"),
        ("train --data good.csv --encoding latine1", "mean 'latin1'"),
        ("train --encoding cp1252", r"encoding \(--encoding\) is for your own files"),
        ("datasets trec --prepare --beam-option x=1", "--beam-option needs --beam"),
        ("datasets --beam-option x=1", "--beam-option needs --beam"),
        ("predict nothing a --format jsonn", "Did you mean 'jsonl'"),
        ("explain nothing a --most 0", r"most \(--most\) must be at least 1: got 0"),
        ("train ssan --set position=nne", "Did you mean 'none'"),
        ("train ssan --set position=none --recipe x", "unknown recipe of ssan"),
        ("train cnn_kim --set max_norm=None --recipe x", "unknown recipe of cnn"),
        ("export nothing", "no run in nothing"),
        ("predict nothing --beam", "--beam needs --file"),
        ("predict nothing text --output a.csv.gz", "end the name with .jsonl or .csv"),
        ("predict nothing a --output a.xlsx", "end the name with .jsonl or .csv"),
        ("train --percentile 0.005", "from 1 to 100 .*: got 0.005$"),
        ("train --percentile 0.99", r"from 1 to 100 .99, not 0.99.: got 0.99"),
        ("train bow --preset x", "unknown preset of bow 'x': there are none"),
        ("datasets sample", "the corpus 'sample' is generated"),
        ("describe akt", "unknown model 'akt'. Did you mean 'act'"),
    ],
)
def test_bad_input_ends_with_one_line(command, message, run_zoo, csv_file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.csv").write_text(csv_file.read_text())
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "a b.csv").write_text("a,b\ngood,1\n")
    (tmp_path / "test.csv").write_text("review,stars\ngood,good one\nodd,new\n")
    code, out, err = run_zoo(*shlex.split(command))
    assert code == 2
    assert out == ""
    assert err.startswith("zoo: ")
    assert err.count("\n") == 1
    assert re.search(message, err), err
    assert all(path.suffix == ".csv" for path in tmp_path.iterdir())


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_output_folder(run_zoo, tmp_path):
    tmp_path.chmod(0o500)
    code, _, err = run_zoo("train", "--output", tmp_path)
    assert code == 2
    assert "cannot write to the output folder" in err


def test_bad_input_is_refused_before_tensorflow_is_imported():
    code = (
        "import sys, zoo\n"
        "for given in ({'data': 'missing.csv'}, {'epochs': 0}, {'epoch': 1}, {'schedule': 'x'}):\n"
        "    try:\n"
        "        zoo.train('cnn_kim', **given)\n"
        "    except zoo.UsageError:\n"
        "        continue\n"
        "    sys.exit('not refused')\n"
        "sys.exit('tensorflow' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_predict_from_arguments_files_and_standard_input(
    run_zoo, trained, tmp_path, monkeypatch, given
):
    code, out, _ = run_zoo("predict", trained, "a good stay", "bad, sad")
    rows = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [row["label"] for row in rows] == ["good one", "bad one"]
    monkeypatch.chdir(tmp_path)
    Path("texts.csv").write_text('id,review\n1,"a good stay"\n\n2,"bad, sad"\n')
    Path("texts.txt").write_text("a good stay\nbad, sad\n")
    Path("folder").mkdir()
    for name, text in (("1.txt", "a good stay"), ("2.txt", "bad, sad")):
        Path("folder", name).write_text(text)
    surest = [row["probability"] for row in rows]
    csv_out = 'text,label,probability\na good stay,good one,{}\n"bad, sad",bad one,{}\n'
    asked = ("predict", trained, "a good stay", "bad, sad", "--format", "csv")
    assert run_zoo(*asked)[1] == csv_out.format(*surest)
    for name, first, second in (("texts.csv", 2, 4), ("texts.txt", 1, 2)):
        csv_out = f"""file,line,text,label,probability
{name},{first},a good stay,good one,{surest[0]}
{name},{second},"bad, sad",bad one,{surest[1]}
"""
        asked = ("predict", trained, "--file", name, "--format", "csv", "--no-keep-columns")
        assert run_zoo(*asked)[1] == csv_out
    found = run_zoo("predict", trained, "--file", "folder")[1].splitlines()
    files = [str(Path("folder", name)) for name in ("1.txt", "2.txt")]
    assert [json.loads(line).pop("file") for line in found] == files
    Path("empty.txt").write_text("")
    asked = ("predict", trained, "--file", "empty.txt", "--format", "csv")
    assert run_zoo(*asked)[1] == "text,label,probability\n"
    (tmp_path / "texts.txt").write_bytes("\ufeffa good stay\r\nbad, sad".encode())
    with (tmp_path / "texts.txt").open(newline="\n") as stdin:  # as Python's own
        monkeypatch.setattr(sys, "stdin", stdin)
        assert run_zoo("predict", trained)[1] == out
    given("cafe\u0301".encode())
    assert json.loads(run_zoo("predict", trained)[1])["text"] == "caf\u00e9"


def test_texts_come_from_one_source_and_the_runs_own_column(run_zoo, refusal, trained, tmp_path):
    """Of a file with two columns that may be meant it takes that of the training."""
    path = tmp_path / "texts.csv"
    path.write_text("text,review\nbad,a good stay\n")
    alone = ("--no-keep-columns", "--format", "jsonl")
    code, out, _ = run_zoo("predict", trained, "--file", path, *alone)
    assert code == 0 and json.loads(out)["text"] == "a good stay"
    (tmp_path / "no name.csv").write_text(",review\nbad,a good stay\n")
    asked = ("--file", tmp_path / "no name.csv", "--text-column=", *alone)
    code, out, _ = run_zoo("predict", trained, *asked)
    assert code == 0 and json.loads(out)["text"] == "bad"
    code, out, _ = run_zoo("predict", trained, "--file", tmp_path / "te*.csv", *alone)
    assert code == 0 and json.loads(out)["text"] == "a good stay"
    for options in (
        ["--text-column", "review"],
        ["--beam-option", "x=1"],
        ["--safe-csv"],
        ["--beam", "--format", "csv", "--file", path],
    ):
        code, _, err = run_zoo("predict", trained, *options)
        assert (code == 2 and " needs --" in err) or "leave out --format" in err
    for more in (["--file", path], ["--mistakes"]):
        command = "explain" if more == ["--mistakes"] else "predict"
        assert "texts come from one place" in refusal(command, trained, "a text", *more)


CLASSES = ["probability_bad one", "probability_good one"]


def saved(folder, suffix, frame):
    path = folder / f"mine{suffix}"
    if suffix == ".parquet":
        frame.to_parquet(path)
    elif suffix in (".csv", ".tsv"):
        frame.to_csv(path, sep="," if suffix == ".csv" else "\t", index=False)
    else:
        frame.to_json(path, orient="records", lines=suffix == ".jsonl")
    return path


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".json", ".parquet"])
def test_answers_stand_beside_all_columns_of_a_table(run_zoo, trained, tmp_path, suffix):
    frame = pd.DataFrame(
        {
            "id": ["007", "b", "c"],
            "review": [" a good, nice stay", "a bad,\n sad stay", ""],
            "=price": ["3,50", "-4", "=1+1"],
        }
    )
    path = saved(tmp_path, suffix, frame)
    out = tmp_path / "out.csv"
    assert run_zoo("predict", trained, "--file", path, "--probabilities", "--output", out)[0] == 0
    found = pd.read_csv(out, dtype=str, keep_default_na=False)
    assert found.columns.tolist() == [*frame.columns, "label", "probability", *CLASSES]
    assert found[frame.columns].equals(frame)
    assert found["label"].tolist()[:2] == ["good one", "bad one"]
    assert found[CLASSES].astype(float).sum(axis=1).to_numpy() == pytest.approx(1)
    surest = found[CLASSES].astype(float).max(axis=1).to_numpy()
    assert surest == pytest.approx(found["probability"].astype(float))
    asked = ("predict", trained, "--file", path, "--format")
    answers = [json.loads(line) for line in run_zoo(*asked, "jsonl")[1].splitlines()]
    wanted = frame.to_dict("records")
    assert [{name: row[name] for name in frame.columns} for row in answers] == wanted
    assert list(answers[0]) == [*frame.columns, "label", "probability", "probabilities"]
    default = "csv" if suffix in (".csv", ".tsv") else "jsonl"
    assert run_zoo(*asked[:-1])[1] == run_zoo(*asked, default)[1]
    safe = run_zoo(*asked, "csv", "--safe-csv")[1]
    assert '"\'=price"' in safe and '"\'=1+1"' in safe and '"\'-4"' in safe
    in_python = zoo.predict(trained, path, probabilities=True).astype(str)
    assert in_python.iloc[:, :4].equals(found.iloc[:, :4])
    of_frame = zoo.predict(zoo.load(trained), frame.set_index("id"), text_column="review")
    assert of_frame.index.tolist() == frame["id"].tolist()
    assert of_frame["label"].tolist() == found["label"].tolist()


def test_own_columns_of_the_same_name_stay(run_zoo, trained, tmp_path, caplog):
    path = tmp_path / "mine.csv"
    path.write_text("label,id,review,id,probability_bad one\nmine,1,a good stay,2,x\n")
    out = run_zoo("predict", trained, "--file", path, "--probabilities")[1].split("\n")
    names = "label,id,review,id.1,probability_bad one,predicted_label,probability"
    assert out[0] == f"{names},predicted_probability_bad one,probability_good one"
    assert out[1].startswith("mine,1,a good stay,2,x,good one,0.")
    assert "the table has its own 'label' and 'probability_bad one'" in caplog.text
    (tmp_path / "again.csv").write_text("\n".join(out))
    out = run_zoo("predict", trained, "--file", tmp_path / "again.csv")[1]
    assert out.split("\n")[0].endswith(",predicted_label_2,predicted_probability")


def test_order_and_number_of_rows_are_those_of_the_table(run_zoo, trained, tmp_path, caplog):
    """Of more rows than are labelled at once, of several files and other columns."""
    rows = [f"{i},{'good ' * (i % 7)}stay" for i in range(1500)]
    for number, part in enumerate((rows[:3], rows[3:])):
        names = "n,review" if number == 0 else "n,review,more"
        cells = part if number == 0 else [f"{row},x" for row in part]
        (tmp_path / f"{number}.csv").write_text("\n".join([names, *cells, ""]))
    out = run_zoo("predict", trained, "--file", tmp_path / "*.csv")[1]
    found = pd.read_csv(io.StringIO(out))
    assert found["n"].tolist() == list(range(1500))
    assert found["file"].tolist() == [str(tmp_path / f"{i > 2:d}.csv") for i in range(1500)]
    assert found["more"].isna().tolist() == [i < 3 for i in range(1500)]
    (tmp_path / "bad.csv").write_text("n,review\n1,good\n2,a,b\n3,bad\n")
    asked = ("predict", trained, "--file", tmp_path / "bad.csv", "--on-bad-row", "skip")
    lines = run_zoo(*asked)[1].splitlines()
    assert [line[:6] for line in lines] == ["n,revi", "1,good", "3,bad,"]
    assert "1 row skipped: 1 ragged (line 3)" in caplog.text


def test_cells_of_other_kinds_are_kept(run_zoo, trained, tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text(
        '{"id": 5, "review": "good", "x": [1, {"a": 2.5}], "n": NaN, "big": 1e999}\n'
        '{"review": "bad", "id": "\\udc00", "t": true}\n'
    )
    rows = [json.loads(x) for x in run_zoo("predict", trained, "--file", path)[1].splitlines()]
    kept = {name: value for name, value in rows[0].items() if "label" not in name}
    assert {name: kept[name] for name in ("id", "review", "x", "n", "big")} == {
        "id": 5,
        "review": "good",
        "x": [1, {"a": 2.5}],
        "n": None,
        "big": "1e999",
    }
    assert rows[1]["id"] == "\ufffd" and rows[1]["t"] is True and "x" not in rows[1]
    out = run_zoo("predict", trained, "--file", path, "--format", "csv")[1].splitlines()
    assert out[1].startswith('5,good,"[1, {""a"": 2.5}]",,1e999,,good one,')
    frame = pd.DataFrame({"review": ["good", "bad"], "when": pd.to_datetime(["2020-01-02", None])})
    frame["half"] = pd.array([0.1, None], "float32")
    frame["bytes"] = [b"x", b"\xff"]
    frame.to_parquet(tmp_path / "mine.parquet")
    asked = ("predict", trained, "--file", tmp_path / "mine.parquet")
    rows = [json.loads(x) for x in run_zoo(*asked)[1].splitlines()]
    names = ("when", "half", "bytes")
    assert [rows[0][name] for name in names] == ["2020-01-02 00:00:00", 0.1, "x"]
    assert [rows[1][name] for name in names] == [None, None, "\ufffd"]


def test_a_text_may_begin_with_a_dash(run_zoo, trained, tmp_path, monkeypatch):
    texts = ["-5 stars, bad", "-", "-1", "--- good", "-happy stay", "-:(", "-\u00e9"]
    out = run_zoo("predict", trained, *texts[:3], "--format=jsonl", *texts[3:])[1]
    assert [json.loads(line)["text"] for line in out.splitlines()] == texts
    assert "-5 stars, bad" in run_zoo("explain", trained, "-5 stars, bad")[1]
    assert '"--output"' in run_zoo("predict", trained, "--", "--output")[1]
    assert "unknown run ' -5 x'" not in run_zoo("predict", "-5 x", "text")[2]
    assert "-5 x" in run_zoo("predict", "-5 x", "text")[2]
    monkeypatch.chdir(tmp_path)
    Path("-5 x.csv").write_text("review\ngood\n")
    assert "good one" in run_zoo("predict", trained, "--file", "-5 x.csv")[1]


def test_standard_input_may_be_named(run_zoo, trained, given):
    for command in ("predict", "explain"):
        given("caf\u00e9 good\nbad\n".encode("cp1252"))
        code, out, _ = run_zoo(command, trained, "--file", "-", "--encoding", "cp1252")
        assert code == 0 and "caf\u00e9 good" in out and "bad" in out


def test_paths_may_begin_with_the_home_folder(run_zoo, trained, tmp_path, monkeypatch):
    """Also after an equals sign, where no shell expands it."""
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    home.mkdir()
    elsewhere.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(elsewhere)
    (home / "run").symlink_to(trained)
    (home / "texts.csv").write_text("review,stars\na good stay,good one\n")
    assert zoo.load("~/run").labels == ["bad one", "good one"]
    code, _, err = run_zoo("predict", "~/run", "--file=~/texts.csv", "--output=~/out.csv")
    assert code == 0, err
    assert "good one" in (home / "out.csv").read_text()
    assert "100.00%" in run_zoo("evaluate", "~/run", "--data=~/texts.csv")[1]
    assert run_zoo("explain", "~/run", "--file=~/texts.csv", "--page=~/page.html")[0] == 0
    assert (home / "page.html").exists()
    for command in (["train", "--resume=~/none"], ["export", "~/none"], ["tune", "--output=~/run"]):
        told = run_zoo(*command, *(["--trials=0"] if command[0] == "tune" else []))[2]
        assert f"{home}/none" in told or "trials must be" in told
    folder = run_zoo("train", "svm_bigrams", "--data=~/texts.csv", "--output=./~/runs")
    assert "one class only" in folder[2]
    assert list(elsewhere.iterdir()) == []


def test_standard_input_that_is_no_text_is_refused(run_zoo, trained, given):
    gzipped = gzip.compress(b"good", mtime=0)
    for content, kind in ((gzipped, "compressed with gzip"), (b"PAR1 good", "Parquet")):
        given(content)
        code, out, err = run_zoo("predict", trained)
        assert (code, out) == (2, "")
        assert f"standard input is {kind}: give it as a file" in err


def test_standard_input_may_be_of_another_encoding(run_zoo, trained, given, caplog):
    for content in ("a good stay\nbad, sad\n".encode("utf-16"), b"a good stay\nbad, \xe9 sad\n"):
        given(content)
        code, out, _ = run_zoo("predict", trained)
        assert code == 0
        texts = [json.loads(line)["text"] for line in out.splitlines()]
        assert texts[0] == "a good stay" and texts[1].startswith("bad, ")
    assert "standard input: 1 lines are not UTF-8 (the first: 2)" in caplog.text


@pytest.mark.parametrize("stdin", [io.StringIO("good\n"), io.TextIOWrapper(io.BytesIO(b"good\n"))])
def test_standard_input_may_be_another(run_zoo, trained, monkeypatch, stdin):
    """As tests of other programs and notebooks have it."""
    monkeypatch.setattr(sys, "stdin", stdin)
    code, out, _ = run_zoo("predict", trained)
    assert code == 0 and json.loads(out)["text"] == "good"
    assert not stdin.closed


def test_standard_input_may_be_closed(refusal, trained, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    assert "standard input is closed" in refusal("predict", trained)


def test_bad_rows_of_texts_may_be_left_out(run_zoo, refusal, trained, tmp_path, caplog):
    path = tmp_path / "texts.csv"
    path.write_text("review,stars\ngood,1\nbad,2,3\nfine,1\n")
    for command in ("predict", "explain"):
        code, _, err = run_zoo(command, trained, "--file", path)
        assert code == 2 and "line 3" in err and "--on-bad-row skip" in err
        code, out, _ = run_zoo(command, trained, "--file", path, "--on-bad-row", "skip")
        assert code == 0 and "good" in out and "fine" in out and "1 row skipped" in caplog.text
        assert "needs --file" in run_zoo(command, trained, "a", "--on-bad-row", "skip")[2]
    code, out, _ = run_zoo("explain", trained, "--file", path, "--most", 1)
    assert code == 0 and "good" in out  # what comes after is not read
    path.write_text("review,stars\n" + "bad,2,3\n" * 5 + "good,1\nfine,1\n")
    caplog.clear()
    skip = ("--on-bad-row", "skip")
    assert run_zoo("explain", trained, "--file", path, *skip, "--most", 1)[0] == 0
    assert "5 rows skipped" in caplog.text
    assert "only 2 rows are left" in refusal("predict", trained, "--file", path, *skip)
    assert "unknown on_bad_row" in run_zoo("predict", trained, "--file", "a.txt", skip[0], "x")[2]


def test_the_version(run_zoo):
    assert run_zoo("--version")[:2] == (0, f"zoo {zoo.__version__}\n")


@pytest.mark.parametrize("format", ["jsonl", "csv"])
def test_predict_into_a_file(run_zoo, refusal, trained, tmp_path, monkeypatch, format):
    """Whole, or not there."""
    path, arguments = tmp_path / "answers", ("predict", trained, "=good", "bad", "--format", format)
    expected = run_zoo(*arguments)[1]
    assert run_zoo(*arguments, "--output", path)[0] == 0
    assert path.read_text("utf-8") == expected
    assert "is there already" in refusal(*arguments, "--output", path)
    assert path.read_text("utf-8") == expected
    if format == "csv":
        safe = tmp_path / "safe"
        assert run_zoo(*arguments, "--safe-csv", "--output", safe)[0] == 0
        assert safe.read_text("utf-8").split("\n")[1].startswith('"\'=good",')
        safe.unlink()
    named = tmp_path / f"answers.{format}"  # which tells the format
    assert run_zoo(*arguments[:-2], "--output", named)[0] == 0
    assert named.read_text("utf-8") == expected
    named.unlink()
    path.unlink()

    def fail(model, texts, written):
        yield {"text": "a", "label": "b", "probability": 1.0, "probabilities": {}}
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("zoo.evaluation.prediction.predict", fail)
    assert "No space left on device" in refusal(*arguments, "--output", path)
    assert list(tmp_path.iterdir()) == []


def test_compare(run_zoo, refusal, trained, tmp_path):
    answers = tmp_path / "answers.csv"
    rows = pd.read_csv(trained / "predictions.csv")
    rows.loc[0, "predicted"] = next(one for one in rows["label"] if one != rows.loc[0, "label"])
    rows.to_csv(answers, index=False)
    made = tmp_path / "all.json", tmp_path / "page.html"
    given = "--output", made[0], "--page", made[1], "--resamples", 20, "--speed"
    code, out, _ = run_zoo("compare", trained, answers, *given)
    assert code == 0
    out = " ".join(out.split())
    assert f"A {trained.name}" in out and "B answers.csv" in out and "texts a second" in out
    assert "McNemar's exact test: p = 1." in out and "A is right: " in out and "; B says " in out
    told = json.loads(made[0].read_text())
    assert told["tests"][0]["only_first"] == 1 and "Classes" in made[1].read_text()
    assert "all.json is there already" in refusal("compare", trained, answers, "--out", made[0])
    rows["predicted"] = rows["predicted"].str.replace("good", "goud")
    rows.to_csv(answers, index=False)
    assert "unknown label 'goud one'" in refusal("compare", trained, answers)
    assert "two runs or more" in refusal("compare", trained)
    assert "give a run first" in refusal("compare", answers, trained)


def test_runs(run_zoo, refusal, run, tmp_path):
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "config.json").write_text("{")
    code, out, _ = run_zoo("runs", tmp_path, "--output", tmp_path / "runs.csv")
    assert code == 0 and "test is the accuracy" in out and "runs.csv" in out
    assert re.search(r"run +97 +none +\d", out)
    assert len(pd.read_csv(tmp_path / "runs.csv")) == 1
    assert "Did you mean 'hcan'" in refusal("runs", tmp_path, "--model", "hcam")
    assert "there is no folder" in refusal("runs", tmp_path / "nothing")


def test_explain_mistakes(run_zoo, refusal, run, tmp_path):
    header = "label,predicted,probability,words,text\n"
    (run / "mistakes.csv").write_text(header + 'good one,bad one,0.9,bad,"a bad stay"\n')
    code, out, _ = run_zoo("explain", run, "--mistakes")
    assert code == 0
    assert "bad one, " in out and "wrong: it is good one" in out and "a bad stay" in out
    csv.field_size_limit(131_072)  # where no CSV was read before
    (run / "mistakes.csv").write_text(header + f"good one,bad one,0.9,bad,{'bad ' * 40_000}\n")
    code, out, _ = run_zoo("explain", run, "--mistakes", "--page", tmp_path / "page.html")
    assert code == 0 and "1 text is explained" in out
    (run / "mistakes.csv").write_text(header)
    assert "made no mistakes on its test split" in refusal("explain", run, "--mistakes")


def test_explain_in_the_terminal_and_as_a_page(run_zoo, refusal, trained, tmp_path):
    code, out, _ = run_zoo("explain", trained, "a [good] stay")
    assert code == 0
    assert "good one, " in out and "a [good] stay" in out
    assert re.search(r"(for|against): .*good [+-]\d", out)
    assert "Tried on 1 text: without the words that have most of these contributions" in out
    out = run_zoo("explain", trained, "a [good] stay", "--view", "attention")[1]
    assert "most of these attention weights" in out
    out = run_zoo("explain", trained, "a good stay", "--label", "bad one")[1]
    assert "for and against bad one" in out and re.search(r"against: .*good -\d", out)
    assert "unknown label 'bad'" in refusal("explain", trained, "a good stay", "--label", "bad")
    out = run_zoo("explain", trained, "--glance")[1]
    assert "phrase" in out and "example" in out
    out = run_zoo("explain", trained, "good", "--beside", trained)[1]
    assert out.count(", ") >= 2 and out.count(f"{trained.name}: good one") == 2
    page = tmp_path / "page.html"
    code, out, _ = run_zoo("explain", trained, "--most", 3, "--page", page)
    assert code == 0 and "3 texts are explained in" in out
    assert page.read_text("utf-8").count('"target":') == 3
    assert "Tried on 3 texts" in page.read_text("utf-8")
    (tmp_path / "texts.txt").write_text("a good stay\nbad, sad\n")
    asked = ("explain", trained, "--file", tmp_path / "texts.txt", "--page")
    assert "2 texts" in run_zoo(*asked, tmp_path / "other.html")[1]
    assert "1 text is explained" in run_zoo(*asked, tmp_path / "one.html", "--most", 1)[1]
    assert f"{page} is there already" in refusal(*asked, page)
    assert "there is no folder" in refusal(*asked, tmp_path / "no" / "where" / "page.html")
    code, _, err = run_zoo("explain", trained, "good", "--page", trained / "model.keras")
    assert code == 2 and "--page writes HTML: end its name with .html" in err


def test_evaluate_on_what_was_trained_on_is_told(run_zoo, trained, tmp_path, caplog):
    data = json.loads((trained / "config.json").read_text("utf-8"))["data"]
    assert run_zoo("evaluate", trained, "--data", data)[0] == 0
    assert "was trained on, so that most of these texts are known" in caplog.text
    caplog.clear()
    assert run_zoo("evaluate", trained, "--data", Path(data).with_name("*.csv"))[0] == 0
    assert "was trained on" in caplog.text
    caplog.clear()
    other = shutil.copy(data, tmp_path / "other.csv")
    assert run_zoo("evaluate", trained, "--data", other)[0] == 0
    assert "was trained on" not in caplog.text


@pytest.mark.parametrize("name", ["good/1.txt", "train.csv", "valid.csv", "test.csv", "*.csv"])
def test_which_files_a_run_knows(tmp_path, name):
    for path in ("good/1.txt", "train.csv", "valid.csv", "test.csv"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text("")
    whole = _is_known(tmp_path / name, TrainSettings(data=str(tmp_path / "good")))
    assert whole == (name == "good/1.txt")
    files = {"validation_data": str(tmp_path / "valid.csv"), "text_column": "review"}
    one = _is_known(tmp_path / name, TrainSettings(data=str(tmp_path / "train.csv"), **files))
    assert one == (name in ("train.csv", "valid.csv", "*.csv"))
    splits = _is_known(tmp_path / name, TrainSettings(data=str(tmp_path)))
    assert splits == one
    assert not _is_known(tmp_path / name, TrainSettings())


def test_evaluate_prints_a_table_or_json(run_zoo, trained):
    code, out, _ = run_zoo("evaluate", trained)
    assert code == 0
    assert "Accuracy 100.00%" in out
    assert json.loads(run_zoo("evaluate", trained, "--json")[1])["accuracy"] == 1


@pytest.mark.parametrize(
    "name", [long_unless(n == "ave", n) for n in ("svm_bigrams", "ave", "paragraph_vector")]
)
def test_solved_models_answer_to_the_same_commands(name, run_zoo, csv_file, tmp_path):
    columns = ("--text-column", "review", "--label-column", "stars")
    code, *_ = run_zoo("train", name, "--data", csv_file, *columns, "--output", tmp_path)
    assert code == 0
    (run,) = tmp_path.iterdir()
    assert json.loads(run_zoo("evaluate", run, "--json")[1])["accuracy"] == 1
    rows = run_zoo("predict", run, "a good, nice stay", "a bad, sad stay")[1].splitlines()
    assert [json.loads(row)["label"] for row in rows] == ["good one", "bad one"]
    assert "for: " in run_zoo("explain", run, "a good stay")[1]
    told = run_zoo("explain", run, "a good stay", "--view", "attention")[1]
    assert "this model has no attention" in told
    (one,) = zoo.load(run).explain(["A bad, sad stay."])
    assert [word.text for word in one.words][:3] == ["A", "bad", "sad"]


def test_no_text_commands_the_terminal(capsys, monkeypatch):
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    text = "good \x1b]0;mine\x07\x1b[2Jstay\x9b"
    word = Word("good", 0, 4, sentence=0, known=True, weight=1.0, heads=(1.0,))
    terminal.show(terminal.shaded(Explanation(text, "a\x1b[31mb", 0.9, {}, (word,), (), None)))
    row = {"precision": 1, "recall": 1, "f1-score": 1, "support": 3}
    scores = {"classes": {"a\x1b[31mb": row}, "accuracy": 1, "macro_f1": 1, "loss": 0, "texts": 3}
    terminal.print_scores(scores, "a\x1b[31mb.csv")
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", capsys.readouterr().out)


def test_shading_stands_where_the_words_are():
    told = {"weight": 1.0, "heads": (1.0,), "contribution": 2.0}
    word = Word("good", 5, 9, sentence=0, known=True, **told)
    one = Explanation("bad\r\ngood stay", "yes", 0.9, {"yes": 0.9}, (word,), (), None)
    shown = terminal.shaded(one)
    (span,) = (span for span in shown.spans if "on #" in str(span.style))
    assert shown.plain[span.start : span.end] == "good"


def test_a_path_that_json_cannot_hold_is_refused(run_zoo, csv_file, tmp_path):
    path = tmp_path / "caf\udce9.csv"
    path.write_bytes(csv_file.read_bytes())
    code, _, err = run_zoo("train", "cnn_kim", "--data", path, "--output", tmp_path / "runs")
    assert code == 2 and "not UTF-8" in err and not (tmp_path / "runs").exists()


def test_the_models_on_a_terminal(run_zoo, refusal, monkeypatch):
    names = run_zoo("list")[1].split()
    assert names == zoo.list_models()  # as scripts read them
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr("zoo.cli.models.is_terminal", lambda: True)
    code, out, _ = run_zoo("list")
    assert code == 0 and all(len(line) <= 80 for line in out.splitlines())
    rows = {line.split()[0]: line.split()[-1] for line in out.splitlines() if line.strip()}
    assert rows.keys() > set(names)
    wanted = {"han": "sentences", "act": "words", "vdcnn_17": "characters"}
    assert wanted.items() <= rows.items()
    assert "HAN: Hierarchical Attention Networks for Document Classification" in out
    assert run_zoo("list", "--names")[1].split() == names
    hcan = ("list", "hcan*", "--reads", "sentences")
    assert run_zoo(*hcan, "--names")[1].split() == ["hcan", "hcan_max", "hcan_one", "hcan_one_max"]
    assert re.search(r"\nhcan_max +With target=False. +sentences", run_zoo(*hcan)[1])
    code, _, err = run_zoo("list", "hcan*", "--reads", "characters")
    assert code == 2 and "no model of 'hcan*' reads characters" in err
    assert "'word'. Did you mean 'words'?" in refusal("list", "--reads", "word")
    counts = {name: zoo.describe(name).parameters["default"] for name in ("bow", "bow_tfidf")}
    shown = run_zoo("list", "bow*", "--parameters")[1]
    for name, count in counts.items():
        assert re.search(rf"\n{name} .* words +{count:,}", shown)


def interrupt(*args, **kwargs):
    raise KeyboardInterrupt


PREDICT = "zoo.evaluation.prediction.probabilities_of"
SCORE = "zoo.evaluation.scores.probabilities_of"
WRITE = "zoo.shipping.formats.export_saved_model"
COMPARE = "zoo.evaluation.comparing.probabilities_of"
EXPLAIN = "zoo.explanation.explain._explain"
BUILD = "zoo.training.trainer.build_classifier"
COUNT = "zoo.datasets.vectors.word2vec._train"
TRIAL = "zoo.training.tuning.train"
VECTORS = "--set embedding_dim=4 --weights word2vec --min-count 1"


@pytest.mark.parametrize(
    ("command", "where", "told"),
    [
        ("predict RUN --file CSV --output new.csv", PREDICT, "no --output is written"),
        ("predict RUN good", PREDICT, "starts from the first text"),
        ("evaluate RUN", SCORE, "nothing is written; the same comm"),
        ("explain RUN good --page new.html", EXPLAIN, "no page is written"),
        ("compare RUN RUN --page new.html", COMPARE, "no --output and no page is written"),
        ("export RUN --output new", WRITE, "no export is written"),
        ("train cnn_kim --data CSV", BUILD, "nothing of it is kept"),
        (f"train cnn_kim --data CSV {VECTORS}", COUNT, "word2vec had not"),
        ("tune cnn_kim --data CSV --output new", TRIAL, "0 trials have ended and are"),
        ("describe han", "zoo.describe", "nothing is written"),
    ],
)
def test_ctrl_c_tells_what_it_ended_in_one_line(
    run_zoo, trained, csv_file, tmp_path, monkeypatch, command, where, told
):
    monkeypatch.chdir(tmp_path)
    shutil.copyfile(csv_file, "own.csv")
    files = {"RUN": str(trained), "CSV": "own.csv"}
    monkeypatch.setattr(where, interrupt)
    code, out, err = run_zoo(*(files.get(word, word) for word in command.split()))
    assert code == 130 and not out
    name, last = command.split()[0], err.splitlines()[-1]
    assert last.startswith(f"zoo {name} was interrupted: ") and told in last
    found = {path.name for path in tmp_path.iterdir()}
    assert found == {"own.csv"} | ({"new"} if name == "tune" else set())


def test_ctrl_c_is_not_lost_in_a_garbage_collection():
    before = signal.signal(signal.SIGINT, cli.interrupt)

    class Left:
        def __del__(self):
            signal.raise_signal(signal.SIGINT)

    def leave():
        Left()  # is gone at once, and an exception in its end is dropped
        time.sleep(10)

    try:
        with pytest.raises(KeyboardInterrupt):
            leave()
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.long
def test_tune_prints_the_best(run_zoo, csv_file, tmp_path):
    small = ("--set", "embedding_dim=4", "--set", "filters=2", "--trials", 1, "--epochs", 1)
    search = tmp_path / "search"
    code, out, _ = run_zoo("tune", "cnn_kim", "--data", csv_file, *small, "--output", search)
    assert code == 0 and "Best trials" in out
    (run,) = (search / "runs").iterdir()
    assert str(run) in out and pd.read_csv(search / "trials.csv")["run"].tolist() == [str(run)]
    assert zoo.load(run).labels == ["bad one", "good one"]


def test_a_training_ends_with_what_a_person_reads(run, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    scores = {"calibration_error": 0.02, "calibration_error_before": 0.05, "temperature": 2.0}
    change(run / "metrics.json", **scores)
    row = {"label": "good one", "predicted": "bad one", "probability": "0.93"}
    row |= {"words": "sad stay", "text": "a sad stay"}
    pd.DataFrame([row]).to_csv(run / "mistakes.csv", index=False)
    terminal.print_run(run)
    told = capsys.readouterr().out
    assert re.search(r"good one .* 1\.000 .* 1\.000 .* 1\.000 .* 6 ", told)
    assert "off by 2.0% on average, before 5.0%" in told
    assert "Worst mistakes" in told and re.search("good one .* bad one .* 0.93 .* sad stay", told)
    assert f"are in {run}" in told and f'zoo predict {run} "Your text."' in told


def test_entities_are_shown(capsys):
    """Bold, also where nothing is shaded."""
    words = [Word("the cat", 4, 11, sentence=0, known=True, weight=0.0, heads=(0.0,), entity=1)]
    one = Explanation("<e1>the cat</e1> sees", "yes", 0.9, {"yes": 0.9}, tuple(words), (), None)
    shown = terminal.shaded(one)
    (span,) = (span for span in shown.spans if "italic" in str(span.style))
    assert shown.plain[span.start : span.end] == "the cat"


def test_names_are_printed_as_they_are(capsys):
    row = dict.fromkeys(("precision", "recall", "f1-score", "support"), 1)
    scores = dict.fromkeys(("accuracy", "macro_f1", "loss", "texts"), 1)
    labels = (":bug:", "[bold]C:\\", "[/b]")
    terminal.print_scores(scores | {"classes": dict.fromkeys(labels, row)}, ":bug:/[/x].csv")
    terminal.show(f"in [bold]{terminal.escape(':bug:/a.csv')}[/]")
    out, _ = capsys.readouterr()
    assert out.count(":bug:") == 3 and all(name in out for name in ("[bold]C:\\ ", "[/b]", "[/x]"))


@pytest.mark.long
def test_tensorflow_says_nothing_on_standard_error():
    command = [sys.executable, "-m", "zoo", "describe", "ave"]
    environment = {k: v for k, v in os.environ.items() if k != "TF_CPP_MIN_LOG_LEVEL"}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert "parameters" in ended.stdout
    assert ended.stderr == ""


def sample(one):
    """A setting as the command line has it, and what the training gets of it."""
    if one.types[0] is bool:
        value = not one.default
        return [one.flag if value else one.flag.replace("--", "--no-")], value
    if dict in one.types:
        return [one.flag, "a=1"], {"a": 1}
    value = {int: 7, float: 0.5}.get(one.types[0], "x")
    return [one.flag, value], value


@pytest.mark.parametrize(
    ("command", "where", "lacking", "own"),
    [
        ("train", "zoo.training.train.train", {}, {}),
        (
            "tune",
            "zoo.training.tuning.tune",
            {*NOT_TUNED, "output"},
            {"trials": (["--trials", 2], 2), "output": (["--output", "o"], Path("o"))},
        ),
    ],
)
def test_each_option_reaches_the_training(run_zoo, monkeypatch, command, where, lacking, own):
    reached = mock.Mock(side_effect=zoo.UsageError("looked at"))
    monkeypatch.setattr(where, reached)
    settings = [one for one in described() if one.flag and one.name not in lacking]
    samples = {one.name: sample(one) for one in settings} | own
    options = [part for parts, _ in samples.values() for part in parts]
    for more in ([], options):
        assert "looked at" in run_zoo(command, "act", *more)[2]
    default, given = (call.kwargs for call in reached.call_args_list)
    for name, (_, value) in samples.items():
        assert given[name] == value
    for one in settings:
        assert default[one.name] == ({} if one.name == "options" else one.default)


def test_scores_stand_in_their_columns(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    row = {"precision": 0.1, "recall": 0.2, "f1-score": 0.3, "support": 3}
    scores = {"classes": {"a": row}, "accuracy": 1, "macro_f1": 1, "loss": 0, "texts": 3}
    terminal.print_scores(scores, "Test split")
    assert re.search(r"0\.100 .* 0\.200 .* 0\.300 .* 3 ", capsys.readouterr().out)


def test_nothing_is_shaded_for_a_reason(run_zoo, trained):
    assert "there are no words to weigh" in run_zoo("explain", trained, "")[1]
