"""Anybody's own files: right rows, or one clear message."""

import json

import pytest

import zoo
from zoo import datasets


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", 'label,text\nx,"one, two"\ny,"say ""hi"""\n'),
        ("a.csv", '\ufefflabel,text\r\nx,"one, two"\r\n\r\ny,"say ""hi"""\r\n'),
        ("a.tsv", 'text\tlabel\none, two\tx\n"say ""hi"""\ty\n'),
        ("a.jsonl", '{"text": "one, two", "label": "x"}\n\n{"label": "y", "text": "say \\"hi\\""}'),
    ],
)
def test_rows_are_read(tmp_path, name, content):
    corpus = datasets.load(str(write(tmp_path / name, content)))
    assert corpus.labels == ["x", "y"]
    assert corpus.train[["text", "label"]].to_numpy().tolist() == [
        ["one, two", "x"],
        ['say "hi"', "y"],
    ]


def test_numbers_are_labels_too(tmp_path):
    rows = [{"text": "a", "label": 1}, {"text": "b", "label": 2}]
    path = write(tmp_path / "a.jsonl", "\n".join(map(json.dumps, rows)))
    assert datasets.load(str(path)).labels == ["1", "2"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "", "a.csv has no rows"),
        ("a.csv", "text,label\n", "a.csv has no rows"),
        ("a.csv", "text,label\na,x\nb\n", "a.csv, line 3: 1 columns where the header has 2"),
        ("a.csv", 'text,label\n"a,x\n', "a.csv, line 2: unexpected end of data"),
        ("a.csv", "txt,label\na,x\n", "unknown column of .*'text'. Did you mean 'txt'?.*--text-c"),
        ("a.csv", "text,label\na,x\nb,x\n", "one class only, 'x'"),
        ("a.csv", "text,label\na,x\nb,\n", "a.csv, row 2 of the texts: the label is empty"),
        ("a.csv", b"text,label\n\xff,x\n", "a.csv is not UTF-8"),
        ("a.jsonl", '{"text": "a"\n', "a.jsonl, line 1: not JSON"),
        ("a.jsonl", "[1]\n", "a.jsonl, line 1: not an object"),
        (
            "a.jsonl",
            '{"text": "a", "label": "x"}\n{"label": "y"}\n',
            "row 2 .*: no 'text",
        ),
        ("a.xls", "text", "unknown kind of file .*'.xls'. Did you mean '.csv'|Allowed: .csv"),
    ],
)
def test_bad_files_are_refused_with_a_reason(tmp_path, name, content, message):
    with pytest.raises(zoo.UsageError, match=message):
        datasets.load(str(write(tmp_path / name, content)))


def test_a_missing_file_says_what_is_there(tmp_path):
    write(tmp_path / "reviews.csv", "text,label\n")
    with pytest.raises(zoo.UsageError, match=r"no such file: .*review.csv. In .*: reviews.csv"):
        datasets.load(str(tmp_path / "review.csv"))


def test_an_unknown_corpus_has_a_nearest_match():
    with pytest.raises(zoo.UsageError, match="unknown data 'agnew'. Did you mean 'agnews'"):
        datasets.load("agnew")


def test_a_label_seen_only_in_the_test_split_is_refused(tmp_path):
    train = write(tmp_path / "train.csv", "text,label\na,x\nb,y\n")
    test = write(tmp_path / "test.csv", "text,label\na,x\nb,z\n")
    with pytest.raises(zoo.UsageError, match=r"label in .*test.csv: 'z'.*No training text has it"):
        datasets.load(str(train), test=str(test))


def test_splits_are_stratified_seeded_and_leave_given_ones_alone(tmp_path):
    rows = "".join(f"text {i},{'xy'[i % 4 == 0]}\n" for i in range(200))
    train = write(tmp_path / "train.csv", "text,label\n" + rows)
    test = write(tmp_path / "test.csv", "text,label\nof its own,x\n")
    corpus = datasets.load(str(train), test=str(test)).split(seed=1)
    again = datasets.load(str(train), test=str(test)).split(seed=1)
    assert corpus.test["text"].tolist() == ["of its own"]
    assert corpus.validation.equals(again.validation)
    assert corpus.validation["label"].value_counts().to_dict() == {"x": 15, "y": 5}
    assert not set(corpus.validation["text"]) & set(corpus.train["text"])
    assert len(corpus.train) == 180


def test_too_few_rows_of_a_class_are_refused(tmp_path):
    path = write(tmp_path / "a.csv", "text,label\n" + "a,x\n" * 50 + "b,y\n")
    with pytest.raises(zoo.UsageError, match="too few rows.*the class 'y' has 1"):
        datasets.load(str(path)).split()
