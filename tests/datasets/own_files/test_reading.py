"""Anybody's own files: right rows, or one clear message."""

import gzip
import logging
import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import train_test_split

import zoo
from zoo.answers.class_labels import in_label_order
from zoo.datasets import column_of, composed, read_texts
from zoo.datasets.corpus import Corpus, Split, targets_of
from zoo.datasets.own_files import text_files
from zoo.datasets.own_files.reading import (
    is_path,
    load_files,
    read_labelled,
    short_name,
    stream_texts,
)
from zoo.datasets.vectors.word2vec import cache_folder
from zoo.filesystem.paths import expanded

ROWS = [["one, two", "x"], ['say "hi"', "y"]]
FRAME = pd.DataFrame(ROWS, columns=["text", "label"])
LINES = {"orient": "records", "lines": True}


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def rows(split):
    """Lines of a table of columns text and label, one class after the other."""
    return "text,label\n" + "".join(f"{split} {i},{'xy'[i % 2]}\n" for i in range(4))


@pytest.fixture
def log(caplog):
    caplog.set_level(logging.INFO, "zoo")
    return caplog


@pytest.mark.parametrize(
    ("name", "save"),
    [
        ("a.csv", lambda path: FRAME.to_csv(path, index=False)),
        ("a.csv.gz", lambda path: FRAME.to_csv(path, index=False)),
        ("a.csv", lambda path: FRAME.to_csv(path, index=False, sep=";")),
        ("a.csv.gz", lambda path: FRAME.to_csv(path, index=False, sep="|")),
        ("a.csv", lambda path: FRAME.to_csv(path, index=False, sep="\t")),
        ("a.tsv", lambda path: FRAME.to_csv(path, index=False, sep="\t")),
        ("a.tsv.gz", lambda path: FRAME.to_csv(path, index=False, sep="\t")),
        ("a.jsonl", lambda path: FRAME.to_json(path, **LINES)),
        ("a.ndjson.gz", lambda path: FRAME.to_json(path, **LINES)),
        ("a.json", lambda path: FRAME.to_json(path, orient="records")),
        ("a.jsonl", lambda path: FRAME.to_json(path, orient="records", indent=2)),
        ("a.json.gz", lambda path: FRAME.to_json(path, orient="records", lines=True)),
        ("a.parquet", FRAME.to_parquet),
    ],
)
def test_tables_that_pandas_writes(tmp_path, name, save, log):
    path = tmp_path / name
    save(path)
    corpus = load_files(path)
    assert corpus.name == "a"
    assert corpus.labels == ["x", "y"]
    assert corpus.train.targets.tolist() == [0, 1]
    assert corpus.frame("train").to_numpy().tolist() == ROWS
    assert corpus.columns == {"text_column": "text", "label_column": "label"}
    assert read_texts(path) == [text for text, _ in ROWS]
    assert not log.messages


@pytest.mark.parametrize(
    ("header", "text", "label"),
    [
        ("label,text", 1, 0),
        ("Review,Stars", 0, 1),
        ("Id,Category,Content", 2, 1),
        ("text,review,class,label", 0, 3),
        ("Y,anything", 1, 0),
        ("TWEET,anything", 0, 1),
    ],
)
def test_columns_are_guessed_and_announced(tmp_path, header, text, label, log):
    names = header.split(",")
    cells = [f"cell {i}" for i in range(len(names))]
    path = write(tmp_path / "a.csv", f"{header}\n{','.join(cells)}\n")
    assert read_labelled(path)[["text", "label"]].to_numpy().tolist() == [
        [cells[text], cells[label]]
    ]
    found = f"texts are in {names[text]!r}, labels in {names[label]!r}"
    options = "text_column (--text-column), label_column (--label-column)"
    announced = f"{path}: {found}; choose others with {options}"
    assert log.messages == ([] if "text" in names else [announced])


@pytest.mark.parametrize(
    ("header", "columns", "message"),
    [
        ("a,b", {}, r"has the texts. Choose one with text_column \(--text-column\): 'a', 'b'"),
        ("title,body,label", {}, "texts.*: 'title', 'body', 'label'.*or name it 'text'"),
        ("text,a,b", {}, r"the labels. Choose one with label_column \(--label-column\): 'text'"),
        ("txt,label,a", {"text_column": "text"}, "'text'. Did you mean 'txt'.*--text-column"),
        ("text,lable,a", {"label_column": "label"}, "Did you mean 'lable'.*all files have.*-l"),
        ("text,label,text", {}, "two columns 'text': rename one"),
        ("a  b,label,c", {"text_column": "x"}, "unknown column of .*'x'. Allowed: a b, label, c."),
        ("text", {}, "which column has the labels"),
    ],
)
def test_unclear_columns_are_refused(tmp_path, header, columns, message):
    path = write(tmp_path / "a.csv", f"{header}\n{','.join('x' for _ in header.split(','))}\n")
    with pytest.raises(zoo.UsageError, match=message):
        load_files(path, **columns)


def test_the_index_that_pandas_writes_holds_no_labels(tmp_path):
    pd.DataFrame({"text": ["a", "b"]}, index=[3, 1]).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(zoo.UsageError, match="which column has the labels"):
        load_files(tmp_path / "a.parquet")


def test_splits_may_be_packed(tmp_path):
    for name in ("train.csv", "TEST.CSV.GZ"):
        content = rows(name).encode()
        write(tmp_path / name, content if name == "train.csv" else gzip.compress(content))
    assert list(load_files(tmp_path).test) == [f"TEST.CSV.GZ {i}" for i in range(4)]


def test_chosen_columns_hold_for_every_split(tmp_path, log):
    train = write(tmp_path / "train.csv", "Id,Review,Stars\n1,good,5\n2,bad,1\n")
    test = write(tmp_path / "test.csv", "Stars,Review,text,label\n5,nice,no,no\n1,poor,no,no\n")
    corpus = load_files(train, test=test)
    assert corpus.frame("test").to_numpy().tolist() == [["nice", "5"], ["poor", "1"]]
    assert corpus.columns == {"text_column": "Review", "label_column": "Stars"}
    assert len(log.messages) == 1
    again = load_files(train, test=test, **corpus.columns)
    assert again.frame("train").equals(corpus.frame("train"))
    assert len(log.messages) == 1
    with pytest.raises(zoo.UsageError, match="unknown column of .*train.csv: 'text'"):
        load_files(train, test=test, text_column="text")


def test_splits_may_name_their_columns_otherwise(tmp_path):
    train = write(tmp_path / "train.csv", "Id,Review,Stars\n1,good,5\n2,bad,1\n")
    test = write(tmp_path / "test.csv", "sentiment,Text\n5,nice\n")
    corpus = load_files(train, test=test)
    assert corpus.columns == {"text_column": "Review", "label_column": "Stars"}
    for again in (corpus, load_files(train, test=test, **corpus.columns)):  # as a run reads it
        assert again.frame("test").to_numpy().tolist() == [["nice", "5"]]
    write(tmp_path / "test.csv", "id,text\n5,nice\n")  # to be labelled, as Kaggle's are
    with pytest.raises(zoo.UsageError, match="test.csv: which column has the labels"):
        load_files(train, test=test)


@pytest.mark.parametrize("dev", ["dev", "valid", "validation", "val"])
def test_a_folder_of_split_files(tmp_path, dev, log):
    write(tmp_path / "train.csv", rows("train"))
    write(tmp_path / f"{dev}.csv.gz", gzip.compress(rows("dev").encode()))
    write(tmp_path / "test.tsv", rows("test").replace(",", "\t"))
    write(tmp_path / "README.md", "")
    corpus = load_files(tmp_path)
    assert corpus.train.texts[0] == "train 0"
    assert corpus.validation.texts[0] == "dev 0"
    assert corpus.test.texts[0] == "test 0"
    assert log.messages == [f"{tmp_path}: 1 left out: README.md"]
    own = write(tmp_path / "elsewhere" / "test.csv", rows("own"))
    assert load_files(tmp_path, test=own).test.texts[0] == "own 0"
    with pytest.raises(
        zoo.UsageError, match="has several splits: give one of .*train.csv, .*(?:dev|val)"
    ):
        read_labelled(tmp_path)
    write(tmp_path / "train.jsonl", "")
    with pytest.raises(zoo.UsageError, match="one train split, train.csv and train.jsonl: keep"):
        load_files(tmp_path)


def test_folders_of_class_folders(tmp_path, log):
    for split in ("", "train/", "dev/", "test/"):
        folder = tmp_path / (split or "plain/")
        write(folder / "very good" / "1.txt", f"{split} good\r\nstay\n")
        write(folder / "bad" / "2.txt", f"{split} bad")
        write(folder / "bad" / "1.txt", b"\xef\xbb\xbfworse")
        write(folder / ".hidden" / "1.txt", "")
    write(tmp_path / "plain" / "bad" / "3.doc", "")
    (tmp_path / "plain" / "neutral").mkdir()
    plain = load_files(tmp_path / "plain")
    assert plain.name == "plain"
    assert plain.labels == ["bad", "very good"]
    assert plain.frame("train").to_numpy().tolist() == [
        ["worse", "bad"],
        ["bad", "bad"],
        ["good\r\nstay", "very good"],
    ]
    assert log.messages == [f"{tmp_path / 'plain'}: 2 left out: neutral, bad/3.doc"]
    splits = load_files(tmp_path)
    assert splits.test.texts[1] == "test/ bad"
    assert splits.validation.texts[1] == "dev/ bad"
    mixed = load_files(
        write(tmp_path / "a.csv", "review,stars\na,bad\nb,very good\n"), test=tmp_path / "test"
    )
    assert mixed.test.targets.tolist() == [0, 0, 1]
    write(tmp_path / "plain" / "bad" / "4.txt", b"a\nb\xff\n")
    with pytest.raises(zoo.UsageError, match="bad/4.txt: the byte 0xff in line 2 of the text is"):
        load_files(tmp_path / "plain")
    load_files(tmp_path / "plain", on_bad_row="skip")
    assert f"{tmp_path / 'plain'}: 1 row skipped: 1 not UTF-8 (bad/4.txt)" in log.messages


def test_a_glob(tmp_path, monkeypatch, log):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "own" / "1.csv", "review,stars\na,x\n")
    write(tmp_path / "own" / "2.csv", "stars,review\ny,b\nz\n")
    corpus = load_files("own/*.csv", on_bad_row="skip")
    assert corpus.name == "own"
    assert corpus.frame("train").to_numpy().tolist() == [["a", "x"], ["b", "y"]]
    assert [re.sub("; choose.*", "", message) for message in log.messages] == [
        "own/1.csv: texts are in 'review', labels in 'stars'",
        "own/2.csv: 1 row skipped: 1 ragged (line 3)",
    ]
    write(tmp_path / "own" / "3.csv", "text,stars\na,x\n")
    with pytest.raises(zoo.UsageError, match="unknown column of own/3.csv: 'review'"):
        load_files("own/*.csv", on_bad_row="skip")
    with pytest.raises(zoo.UsageError, match=r"no file matches own/\*.tsv"):
        load_files("own/*.tsv")


def test_paths_and_their_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkdir("own.files")
    for data in ("a.csv", "no/a.parquet", "a.jsonl.gz", "a*", "own.files"):
        assert is_path(data)
    for data in ("sample", "a", "a.gz", "a.parquet.gz"):
        assert not is_path(data)
    names = {"own.files": "own.files", "a/my reviews.csv.gz": "my reviews", "a/**/[ab]*.csv": "a"}
    assert {path: short_name(path) for path in names} == names
    assert short_name(".") == tmp_path.name


def test_a_missing_file_says_what_is_there(tmp_path):
    write(tmp_path / "reviews.csv", "text,label\n")
    with pytest.raises(zoo.UsageError, match=r"no such file: .*review.csv. In .*: reviews.csv"):
        load_files(tmp_path / "review.csv")


def test_texts_that_swallow_rows_are_told(tmp_path, log):
    """In TSV, where writers mostly do not quote."""
    path = write(tmp_path / "a.tsv", 'id\ttext\n1\t"Great\n2\tBad"\n3\tok\n')
    assert len(read_texts(path)) == 2
    assert "1 of the texts have lines that look like rows (line 2)" in log.text


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".json"])
def test_a_table_is_opened_once(tmp_path, monkeypatch, suffix):
    """It may be large, or on a slow disk."""
    opened, path = [], tmp_path / f"a{suffix}"
    if suffix in (".csv", ".tsv"):
        FRAME.to_csv(path, index=False, sep="," if suffix == ".csv" else "\t")
    else:
        FRAME.to_json(path, orient="records", lines=suffix == ".jsonl")

    def counting(*args):
        opened.append(args)
        return open(*args)

    monkeypatch.setattr(text_files, "open", counting, raising=False)
    assert load_files(path).frame("train").to_numpy().tolist() == ROWS
    assert len(opened) == 1


def test_names_of_columns_are_told_apart_as_pandas_does(tmp_path):
    path = write(tmp_path / "a.csv", "text,a,a,a.1,a\none,1,2,3,4\n")
    ((row, text),) = stream_texts(path, keep=True)
    assert list(row) == list(pd.read_csv(path).columns)
    assert text == "one" and read_texts(path, "a.1") == ["3"]


def test_a_glob_of_lines(tmp_path):
    for name in "ab":
        write(tmp_path / f"{name}.txt", f"one {name}\n")
    assert read_texts(tmp_path / "*.txt") == read_texts(tmp_path / "*") == ["one a", "one b"]
    write(tmp_path / "c.csv", "text\none c\n")
    with pytest.raises(zoo.UsageError, match="unknown kind of file of .*a.txt"):
        read_texts(tmp_path / "*")


def test_a_column_that_another_split_lacks_is_told(tmp_path, log):
    train = write(tmp_path / "train.csv", "text,clean,label\nA,a,x\nB,b,y\n")
    test = write(tmp_path / "test.csv", "text,label\nC,x\nD,y\n")
    assert load_files(train, test=test, text_column="clean").test.texts.tolist() == ["C", "D"]
    assert f"{test} has no column 'clean': texts are in 'text'" in log.messages


def test_a_first_line_of_blanks_is_no_header(tmp_path):
    path = write(tmp_path / "a.csv", "   \ntext,label\none,x\ntwo,y\n")
    assert read_texts(path) == read_labelled(path)["text"].tolist() == ["one", "two"]


def test_one_class_is_refused(tmp_path):
    with pytest.raises(zoo.UsageError, match="a.csv has one class only, 'x'"):
        load_files(write(tmp_path / "a.csv", "text,label\na,x\nb,x\n"))


def test_a_label_seen_only_in_the_test_split_is_refused(tmp_path):
    train = write(tmp_path / "train.csv", "text,label\na,good\nb,bad\n")
    test = write(tmp_path / "test.csv", "text,label\nc,good\nd,goood\n")
    with pytest.raises(
        zoo.UsageError,
        match="label in .*test.csv, line 3: 'goood'. Did you mean 'good'.*No training text has it",
    ):
        load_files(train, test=test)


def test_accents_written_in_two_ways_are_the_same(tmp_path):
    apart, composed = "cafe\u0301", "caf\u00e9"
    train = write(tmp_path / "train.csv", f"text,label\n{apart} a,{apart}\n{composed} b,bad\n")
    test = write(tmp_path / "test.csv", f"text,label\nc,{composed}\nd,{apart}\n")
    corpus = load_files(train, test=test)
    assert corpus.labels == ["bad", composed]
    assert corpus.train.texts.tolist() == [f"{composed} a", f"{composed} b"]
    assert corpus.test.targets.tolist() == [1, 1]
    of_an_older_run = targets_of(read_labelled(test), [apart, "bad"])
    assert of_an_older_run.tolist() == [0, 0]
    assert of_an_older_run.dtype == "int32"


@pytest.mark.parametrize(
    ("apart", "together"),
    [
        ("e\u0301", "\u00e9"),
        ("s\u0323\u0307", "\u1e69"),
        ("\u304b\u3099", "\u304c"),
        ("\u1112\u1161\u11ab\u1100\u1173\u11af", "\ud55c\uae00"),
        ("\u0627\u0654\u062d", "\u0623\u062d"),  # Arabic
        ("\u0995\u09c7\u09be", "\u0995\u09cb"),  # Bengali
        ("\u09aa\u09dc\u09be", "\u09aa\u09dc\u09be"),  # which NFC would take apart
        ("\u212b", "\u212b"),
        ("plain", "plain"),
        ("q\u0301", "q\u0301"),
    ],
)
def test_what_is_composed(apart, together):
    assert composed(f"a {apart} b") == f"a {together} b"
    assert composed(together) == together


def test_many_accents_take_no_time():
    """A text of a megabyte, of which Unicode's own function would take hours."""
    text = "a" + "\u0301\u0316" * 250_000
    assert composed(text).startswith("\u00e1\u0316")


def test_files_of_a_glob_may_write_accents_of_columns_in_two_ways(tmp_path):
    for suffix, rows in ((".csv", "{}\n1,x\n2,y\n"), (".jsonl", '{{"text": "1", "{}": "x"}}')):
        for number, name in enumerate(("cate\u0301gorie", "cat\u00e9gorie")):
            header = name if suffix == ".jsonl" else f"text,{name}"
            write(tmp_path / f"{number}{suffix}", rows.format(header))
        frame = read_labelled(tmp_path / f"*{suffix}", label_column="cat\u00e9gorie")
        assert set(frame["label"]) == ({"x", "y"} if suffix == ".csv" else {"x"})
        path = tmp_path / f"0{suffix}"
        assert column_of(path, "cat\u00e9gorie") == "cate\u0301gorie"
        assert column_of(path, "x") is None
    both = write(tmp_path / "both.csv", "cate\u0301gorie,cat\u00e9gorie,text\na,b,c\n")
    assert read_labelled(both, label_column="cat\u00e9gorie")["label"].tolist() == ["b"]


def test_labels_that_are_one_number_are_told(tmp_path, log):
    path = write(tmp_path / "a.csv", "text,label\na,1\nb,1.0\nc,2\nd,1.10\ne,1.1\n")
    assert load_files(path).labels == ["1", "1.0", "1.1", "1.10", "2"]
    assert log.messages == [f"{path}: the labels '1' and '1.0' are one number, but classes apart"]
    log.clear()
    load_files(write(path, "text,label\na,1\nb, 01\nc,2\n"))
    assert log.messages == [f"{path}: the labels '01' and '1' are one number, but classes apart"]
    log.clear()
    load_files(csv_of(path, {f"{case}{i}": 1 for i in range(99) for case in "xX"}))
    assert len(log.messages) == 11 and log.messages[-1] == f"{path}: 89 more such labels"


def test_labels_that_are_one_word_or_missing_are_told(tmp_path, log):
    path = write(tmp_path / "a.csv", "text,label\na,Good\nb,good\nc,nan\nd,GOOD\ne,bad\n")
    assert load_files(path).labels == ["GOOD", "Good", "bad", "good", "nan"]
    same = "'GOOD' and 'Good' and 'good'"
    alike = write(tmp_path / "b.csv", "text,label\na,so good\nb,so\u00a0good\nc,so  good\u200b\n")
    assert log.messages == [
        f"{path}: 'nan' is taken for a class: is a label missing there?",
        f"{path}: the labels {same} differ in case or blanks alone, but are classes apart",
    ]
    log.clear()
    load_files(alike)
    assert "differ in case or blanks alone" in log.text


def test_a_number_that_pandas_wrote_for_another_is_told(tmp_path):
    train = write(tmp_path / "a.csv", "text,label\na,0\nb,1\n")
    test = write(tmp_path / "b.csv", "text,label\na,1.0\n")
    with pytest.raises(zoo.UsageError, match="line 2: '1.0' is '1' as pandas writes it"):
        load_files(train, test=test)


def test_columns_are_found_by_composed_names_and_by_none(tmp_path):
    path = write(tmp_path / "a.csv", ",text,cate\u0301gorie\none,two,x\n1,2,y\n")
    frame = read_labelled(path, text_column="", label_column="cat\u00e9gorie")
    assert frame[["text", "label"]].to_numpy().tolist() == [["one", "x"], ["1", "y"]]


def test_texts_in_two_splits_are_reported_and_kept(tmp_path, log):
    train = write(tmp_path / "train.csv", "text,label\na,x\nb,y\nb,x\nc,y\n")
    dev = write(tmp_path / "dev.csv", "text,label\nd,x\nf,y\n")
    test = write(tmp_path / "test.csv", "text,label\ne,x\nb,y\nd,x\n")
    corpus = load_files(train, dev, test)
    assert [len(corpus.train), len(corpus.validation), len(corpus.test)] == [4, 2, 3]
    assert log.messages == [
        f"1 training texts have another label elsewhere ({train}, line 4 has the text of line 3)",
        f"1 test texts are in the train split too ({test}, line 3 has the text of {train}, line 3)",
        "1 test texts are in the validation split too "
        f"({test}, line 4 has the text of {dev}, line 2)",
    ]
    log.clear()
    load_files(write(train, "text,label\na,x\nb,y\na,x\n"), test=dev)
    assert log.messages == [
        f"1 training rows repeat a text ({train}, line 4 has the text of line 2): splits taken of "
        "them may share it"
    ]


def test_splits_are_stratified_seeded_and_leave_given_ones_alone(tmp_path):
    lines = "".join(f"text {i},{'xy'[i % 4 == 0]}\n" for i in range(200))
    train = write(tmp_path / "train.csv", "text,label\n" + lines)
    test = write(tmp_path / "test.csv", "text,label\nof its own,x\n")
    corpus = load_files(train, test=test).split(seed=1)
    again = load_files(train, test=test).split(seed=1)
    assert list(corpus.test) == ["of its own"]
    assert corpus.frame("validation").equals(again.frame("validation"))
    assert corpus.frame("validation")["label"].value_counts().to_dict() == {"x": 15, "y": 5}
    assert not set(corpus.validation) & set(corpus.train)
    assert len(corpus.train) == 180


def csv_of(path, counts):
    """A table of as many texts of each label as told."""
    rows = [f"text {i} of {label},{label}\n" for label in counts for i in range(counts[label])]
    return write(path, "text,label\n" + "".join(rows))


def test_a_class_that_a_split_lacks_is_named(tmp_path, log):
    corpus = load_files(csv_of(tmp_path / "a.csv", {"x": 60, "y": 2})).split()
    for split in ("test", "validation"):
        lacks = "y" not in set(corpus.frame(split)["label"])
        told = f"no {split} texts of 1 of 2 classes, which have few: y"
        assert (told in log.messages) == lacks
    assert "no test texts of 1 of 2 classes, which have few: y" in log.messages


def test_rare_classes_stay_in_training(tmp_path, log):
    counts = {"bad": 100, "fine": 100, "good": 100, "pair": 2, "lonely": 1}
    path = csv_of(tmp_path / "a.csv", counts)
    corpus, again = (load_files(path).split(seed=1) for _ in range(2))
    splits = [corpus.frame(split)["label"].value_counts() for split in ("test", "validation")]
    assert [split["bad"] for split in splits] == [10, 9]
    assert set(corpus.train.targets) == set(range(5))
    assert sum(map(len, (corpus.train, corpus.validation, corpus.test))) == 303
    assert corpus.digest() == again.digest()
    assert any(re.match("no test texts of . of 5 classes.*lonely", line) for line in log.messages)


@pytest.mark.parametrize(
    ("classes", "texts", "sizes"), [(30, 10, (30, 27)), (77, 10, (77, 70)), (1500, 3, (450, 405))]
)
def test_of_many_small_classes_a_split_has_as_many_as_fit(tmp_path, log, classes, texts, sizes):
    path = csv_of(tmp_path / "a.csv", {f"c{i}": texts for i in range(classes)})
    corpus = load_files(path).split()
    for split, size in zip(("test", "validation"), sizes, strict=True):
        numbers = getattr(corpus, split).targets
        assert len(numbers) == len(set(numbers)) == size  # of a class each
    assert np.bincount(corpus.train.targets).min() >= texts - 2
    assert max(map(len, log.messages)) < 120


@given(
    counts=st.lists(st.integers(1, 6), min_size=2, max_size=40),
    large=st.integers(0, 300),
    seed=st.integers(0, 99),
)
@settings(max_examples=60, deadline=None)
def test_two_texts_to_spare_are_enough_for_both_splits(counts, large, seed):
    """And each class keeps a text, whatever their sizes; what is too few is told in one line."""
    numbers = np.repeat(np.arange(len(counts)), [counts[0] + large, *counts[1:]])
    texts = [f"text {i}" for i in range(len(numbers))]
    corpus = Corpus("own", [f"c{i}" for i in range(len(counts))], Split(texts, numbers))
    if len(numbers) < len(counts) + 2:
        with pytest.raises(zoo.UsageError, match="too few rows to take a .* split"):
            corpus.split(seed)
        return
    corpus.split(seed)
    assert set(corpus.train.targets) == set(range(len(counts)))
    splits = (corpus.train, corpus.validation, corpus.test)
    assert all(map(len, splits)) and sorted([*splits[0], *splits[1], *splits[2]]) == sorted(texts)
    for split in splits[1:]:
        assert len(split) <= np.ceil(len(numbers) / 10)
        share = (split.targets == 0).sum() / (counts[0] + large)
        assert large < 50 or share < 0.2  # about a tenth


def test_where_every_class_has_enough_the_rows_are_those_of_scikit_learn():
    """As they always were: runs are resumed and evaluated on them."""
    numbers = np.random.default_rng(0).permutation(np.repeat([0, 1, 2], [60, 30, 11]))
    corpus = Corpus("own", ["a", "b", "c"], Split(range(101), numbers)).split(seed=3)
    rows = np.arange(101)
    rows, test = train_test_split(rows, test_size=11, random_state=3, stratify=numbers)
    rows = np.sort(rows)
    _, validation = train_test_split(rows, test_size=9, random_state=3, stratify=numbers[rows])
    assert [list(corpus.test), list(corpus.validation)] == [sorted(test), sorted(validation)]


def test_where_no_class_has_a_text_to_spare_no_split_can_be_taken(tmp_path, log):
    path = csv_of(tmp_path / "a.csv", dict.fromkeys(range(9), 1))  # as numbers of rows are
    with pytest.raises(zoo.UsageError, match="Are these the labels, or are they in another column"):
        load_files(path).split()
    path = csv_of(tmp_path / "b.csv", dict.fromkeys(range(9), 1) | {"x": 40})
    load_files(path).split()
    told = [line for line in log.messages if "are these the labels" in line]
    assert told[-1].startswith("9 of 10 classes have one training text each")


def test_rare_classes_are_dropped_or_merged_on_request(tmp_path, log):
    train = csv_of(tmp_path / "train.csv", {"x": 9, "y": 8, "pair": 2, "lonely": 1})
    test = csv_of(tmp_path / "test.csv", {"x": 2, "pair": 1, "new": 1})
    dropped = load_files(train, test=test, min_class_size=3)
    assert dropped.labels == ["x", "y"]
    assert (len(dropped.train), dropped.frame("test")["label"].tolist()) == (17, ["x", "x"])
    assert log.messages[:2] == [
        f"{train}: 3 rows of 2 classes with fewer than 3 training texts are left out: pair, lonely",
        f"{test}: 2 rows of 2 classes with fewer than 3 training texts are left out: pair, new",
    ]
    merged = load_files(train, test=test, min_class_size=3, rare_classes="merge")
    assert merged.labels == ["x", "y", "other"]
    assert np.bincount(merged.train.targets).tolist() == [9, 8, 3]
    assert merged.frame("test")["label"].tolist() == ["x", "x", "other", "other"]
    with pytest.raises(zoo.UsageError, match="'new'. Allowed: lonely, pair, x, y"):
        load_files(train, test=test)
    own = csv_of(tmp_path / "own.csv", {"x": 5, "y": 5})  # without a class to merge into
    with pytest.raises(zoo.UsageError, match="unknown label .*'new'. Allowed: x, y"):
        load_files(own, test=test, min_class_size=3, rare_classes="merge")


@pytest.mark.parametrize(
    ("rare", "message"),
    [
        ({"min_class_size": 0}, "min_class_size must be a whole number from 1: got 0"),
        ({"min_class_size": "3"}, "min_class_size must be a whole number from 1: got '3'"),
        ({"min_class_size": 3, "rare_classes": "mrge"}, "Did you mean 'merge'"),
        ({"rare_classes": "merge"}, "rare_classes needs min_class_size of 2 or more"),
        ({"min_class_size": 10}, "no text is of a class with 10 training texts"),
        ({"min_class_size": 9}, "one class only, 'x'"),
    ],
)
def test_no_way_to_deal_with_rare_classes(tmp_path, rare, message):
    path = csv_of(tmp_path / "a.csv", {"x": 9, "y": 8})
    with pytest.raises(zoo.UsageError, match=message):
        load_files(path, **rare)


def test_labels_that_are_numbers_are_in_their_order(tmp_path):
    frame = pd.DataFrame({"text": "a text", "label": [0, 10, 11, 9, 2, 1, 100, -1, -10]})
    frame.to_csv(tmp_path / "a.csv")
    frame.to_json(tmp_path / "b.jsonl", **LINES)
    frame.to_parquet(tmp_path / "c.parquet")
    frame.astype({"label": "category"}).to_parquet(tmp_path / "d.parquet")
    for label in frame["label"]:
        write(tmp_path / "e" / str(label) / "1.txt", "a text")
        write(tmp_path / f"{label}.tsv", f"text\tlabel\na text\t{label}\n")
    for data in ("a.csv", "b.jsonl", "c.parquet", "d.parquet", "e", "*.tsv"):
        assert load_files(tmp_path / data).labels == "-10 -1 0 1 2 9 10 11 100".split()
    frame.iloc[:3].astype({"label": float}).to_parquet(tmp_path / "f.parquet")
    assert load_files(tmp_path / "f.parquet").labels == ["0.0", "10.0", "11.0"]


@pytest.mark.parametrize(
    "ordered",
    [
        ["False", "True"],
        ["10", "9", "none"],  # not all are numbers
        ["1_0", "9"],
        ["10", "9", "nan"],
        ["10", "9", "Infinity"],
        ["-10", "-9", "\N{MINUS SIGN}1", "0", "1"],
        ["01", "1", "1.0", "2", "10"],
        ["07", "+10"],
        ["0.5", "2.5", "10.0"],
        ["1", "9007199254740992", "9007199254740993", "9" * 40],
        ["\uff11", "\uff11\uff10"],
        [],
    ],
)
def test_the_order_of_labels(ordered):
    assert in_label_order(reversed(ordered)) == in_label_order(set(ordered)) == ordered


@pytest.mark.parametrize(
    ("content", "column"),
    [
        ("text,mood (good|bad|neither)\nfine,good\n", "text"),
        ("text,mood (x;y;z)\nfine,x\n", "text"),
        ("id, text, mood (good|bad)\n1, fine, good\n", "text"),
        ('text,mood (good|bad|so so)\n"fine",good\n', "text"),
        ('"Likes; dislikes\n(any)",label\nfine,good\n', "Likes; dislikes\n(any)"),
        ('"Likes,\n(any)";label\n"fine";good\n', "Likes,\n(any)"),
        ('size 5";text\n6";fine\n', "text"),
    ],
)
def test_the_next_line_tells_which_separator_it_is(tmp_path, content, column):
    assert read_texts(write(tmp_path / "a.csv", content), column) == ["fine"]


def test_so_does_a_next_row_of_many_lines(tmp_path):
    path = write(tmp_path / "a.csv", 'text,mood (good|bad|so so)\n"fine\nstay",good\n')
    assert read_texts(path) == ["fine\nstay"]


@pytest.mark.parametrize(("end", "line"), [("\n", 3), ("\r\n", 3), ("\r", 5)])
def test_a_lone_carriage_return_in_a_text_ends_no_line(tmp_path, end, line):
    path = tmp_path / "a.csv"
    path.write_bytes(end.join(["text,id", '"a\rb\rc",1', "foo,2", ""]).encode())
    assert [where["line"] for where, _ in stream_texts(path)] == [2, line]


def test_an_empty_path_is_not_the_working_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "train.csv", "text,label\ngood,x\nbad,y\n")
    write(tmp_path / "a.txt", "good")
    for read in (load_files, read_labelled, read_texts):
        with pytest.raises(zoo.UsageError, match="an empty path"):
            read("")


def test_lines_with_nul_bytes_are_refused(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes("one\ntwo\n".encode("utf-16-le"))
    with pytest.raises(zoo.UsageError, match="a.txt, line 1: NUL bytes: save the file as UTF-8"):
        read_texts(path)


def test_lines_that_may_be_read_wrongly_are_told(tmp_path, caplog):
    path = tmp_path / "a.txt"
    path.write_bytes(b"good\nb\0ad\nday\n")
    assert read_texts(path) == ["good", "bad", "day"]
    assert "1 lines have NUL bytes, which are left out (the first: 2)" in caplog.text
    path.write_bytes(b"good\rbad\rday")
    assert read_texts(path) == ["good\rbad\rday"]
    assert "line 1 has carriage returns, which end no line" in caplog.text


def test_classes_that_a_given_split_lacks_are_told(tmp_path, caplog):
    for name, labels in {"train": "abc", "test": "ab"}.items():
        rows = [f"text {i},{label}" for i in range(20) for label in labels]
        write(tmp_path / f"{name}.csv", "\n".join(["text,label", *rows]))
    load_files(str(tmp_path / "train.csv"), test=str(tmp_path / "test.csv"))
    assert "test.csv has no text of: c" in caplog.text


def test_quotes_after_a_blank_need_not_be_of_a_cell(tmp_path):
    path = write(tmp_path / "a.csv", 'label, text\nx, "Great" he said\ny, "so, so"\n')
    assert read_texts(path) == ['"Great" he said', "so, so"]


def test_names_of_files_may_be_of_any_bytes(tmp_path):
    (tmp_path / "caf\udce9.txt").write_text("good")
    ((where, _),) = stream_texts(tmp_path)
    assert where == {"file": str(tmp_path / "caf\ufffd.txt")}
    inside = tmp_path / "caf\udce9"
    inside.mkdir()
    (inside / "1.txt").write_text("better")
    assert [text for _, text in stream_texts(tmp_path)] == ["good", "better"]


def test_separators_within_quotes_do_not_count(tmp_path):
    path = write(tmp_path / "a.csv", '\n"my text; raw",label\n"one; two",x\n"three",y\n')
    assert read_texts(path, text_column="my text; raw") == ["one; two", "three"]
    path = write(tmp_path / "b.csv", '"my text, raw";"label"\n"one, two";"x"\nthree|four;y\n')
    assert read_texts(path, text_column="my text, raw") == ["one, two", "three|four"]


@pytest.mark.parametrize(
    ("content", "column", "texts"),
    [
        ("Text, raw;Label\none, two;x\nthree;y\n", "Text, raw", ["one, two", "three"]),
        ("Date, time;Text;Label\n1, 2;one, two;x\n", "Text", ["one, two"]),
        ("a; b,label\none; two,x\n", "a; b", ["one; two"]),
        ('label, text\nx, "one, two"\ny, three\n', "text", ["one, two", "three"]),
        ('"label", "text"\n"x", "one, two"\n"y", "three"\n', "text", ["one, two", "three"]),
        ('"label"\t\t"text"\n"x"\t\t"one, two"\n', "text", ["one, two"]),
        ("sep=;\r\ntext;label\r\none, two;x\r\n", "text", ["one, two"]),
        ("\ufeffsep=|\ntext|label\none;two|x\n", "text", ["one;two"]),
    ],
)
def test_which_mark_separates(tmp_path, content, column, texts):
    path = write(tmp_path / "a.csv", content)
    assert read_texts(path, column) == texts
    assert read_labelled(path, column)["text"].tolist() == texts


def test_columns_are_found_by_the_names_that_messages_show(tmp_path):
    long = "What did you like most about your stay, and what could be improved?"
    columns = ["label ", f"{long}\n (1)", "more"]
    frame = pd.DataFrame([["good", "x", ""], ["bad", "y", ""]], columns=columns)
    path = tmp_path / "a.parquet"
    frame.to_parquet(path)
    with pytest.raises(zoo.UsageError) as refused:
        read_texts(path)
    shown = re.search("'(What did.*?)'", str(refused.value))[1]
    assert len(shown) == 60 and read_texts(path, shown) == ["x", "y"]
    with pytest.raises(zoo.UsageError, match="unknown column"):
        read_texts(path, f"{shown} [Food]")  # which another column must not stand for

    assert read_labelled(path, shown)["label"].tolist() == ["good", "bad"]


def test_lines_that_look_like_a_table_are_told(tmp_path, caplog):
    assert len(read_texts(write(tmp_path / "a.txt", 'label,"text"\nx,good\n'))) == 2
    assert "the first looks like a table's: 'label,\"text\"\\n'" in caplog.text
    caplog.clear()
    for line in ("text", "a fine, short review", "so; what"):
        read_texts(write(tmp_path / "b.txt", line))
    assert not caplog.text
    read_texts(write(tmp_path / "c.txt", '{"text": "good"}\n'))
    assert "looks like a table's" in caplog.text


def test_the_only_column_without_a_name_is_told(tmp_path, caplog):
    path = write(tmp_path / "a.csv", "good room\nbad room\n")
    assert read_texts(path) == ["bad room"]
    assert "'good room', is taken for the name of the only column" in caplog.text
    caplog.clear()
    assert read_texts(write(tmp_path / "b.csv", "text\nbad room\n")) == ["bad room"]
    assert read_texts(write(tmp_path / "c.jsonl", '{"phrase": "bad room"}\n')) == ["bad room"]
    assert "is taken for" not in caplog.text


def test_json_is_told_where_it_breaks_off(tmp_path):
    path = write(tmp_path / "a.jsonl", '{"text": "a", "label": \n')
    with pytest.raises(zoo.UsageError, match="line 1: not JSON: Expecting value at character 25"):
        load_files(path)


@pytest.mark.parametrize(
    ("name", "content", "texts"),
    [
        ("a.csv", "id,review\n1,one\n2,\n3, two \n", ["one", "", "two"]),
        ("a.csv", "anything\none\n\n", ["one"]),
        ("a.csv", "label,anything\nx,one\n", ["one"]),
        (
            "a.jsonl",
            '{"text": "one"}\n{"id": 2}\n{"text": null}\n{"text": 3}',
            ["one", "", "", "3"],
        ),
        ("a.txt", "one\n\n two\r\nthree", ["one", "", " two", "three"]),
        ("a.txt", b"one\n\xff\n\xc3\xa9\n", ["one", "\ufffd", "é"]),
        ("a.txt", "one\rmore\r\ntwo", ["one\rmore", "two"]),
        ("a.txt", "one\u2028\nzwei 🙂".encode("utf-16"), ["one\u2028", "zwei 🙂"]),
        ("a.txt.gz", gzip.compress(b"one\ntwo", mtime=0), ["one", "two"]),
        ("a.txt", "cafe\u0301", ["caf\u00e9"]),
        ("a.csv", "text\ncafe\u0301\n", ["caf\u00e9"]),
    ],
)
def test_texts_to_label_keep_their_number(tmp_path, name, content, texts):
    assert read_texts(write(tmp_path / name, content)) == texts


def test_texts_to_label_announce_what_is_odd(tmp_path, log):
    path = write(tmp_path / "a.csv", "id,Review\n1,one\n")
    assert read_texts(path) == ["one"]
    assert log.messages == [
        f"{path}: texts are in 'Review'; choose others with text_column (--text-column)"
    ]
    log.clear()
    path = write(tmp_path / "a.txt", b"one\n\xff\n")
    read_texts(path)
    assert log.messages[0].startswith(f"{path}: 1 lines are not UTF-8 (the first: 2)")
    path = write(tmp_path / "a.csv", "id,text\n1,one\n2\n")
    with pytest.raises(zoo.UsageError, match="line 3: 1 columns where the .* quoted; or leave"):
        read_texts(path)
    log.clear()
    assert read_texts(path, on_bad_row="skip") == ["one"]
    assert log.messages == [f"{path}: 1 row skipped: 1 ragged (line 3)"]
    path.write_text(path.read_text() + "3\n")
    with pytest.raises(zoo.UsageError, match="only 1 row is left of .*2 ragged"):
        read_texts(path, on_bad_row="skip")
    with pytest.raises(zoo.UsageError, match="no such file: .*nothing.csv"):
        read_texts(tmp_path / "nothing.csv")
    with pytest.raises(zoo.UsageError, match="cannot read .*nothing.txt: No such file"):
        read_texts(tmp_path / "nothing.txt")


def test_files_of_a_folder_are_texts_without_labels(tmp_path, log):
    folder = tmp_path / "letters"
    write(folder / "b.txt", "two\nlines")
    write(folder / "a.txt", "first")
    write(folder / "c.pdf", "no text")
    assert read_texts(folder) == ["first", "two\nlines"]
    assert log.messages == [f"{folder}: 1 left out: c.pdf"]
    write(folder / "old" / "x.txt", "second")
    assert read_texts(folder) == ["first", "two\nlines", "second"]
    (folder / "old" / "x.txt").unlink()
    with pytest.raises(zoo.UsageError, match="has no class folders"):
        load_files(folder)


def test_lines_and_folders_have_no_columns(tmp_path):
    write(tmp_path / "a.txt", "one\ntwo")
    for path in (tmp_path / "a.txt", tmp_path):
        with pytest.raises(zoo.UsageError, match="has no columns: leave out 'review'"):
            read_texts(path, "review")
    for column in ("text_column", "label_column"):
        with pytest.raises(zoo.UsageError, match="has no columns: leave out 'review'"):
            load_files(tmp_path, **{column: "review"})


def test_columns_are_those_of_the_split_that_is_a_table(tmp_path):
    for label in ("bad", "good"):
        write(tmp_path / "all" / label / "1.txt", f"a {label} stay")
    write(tmp_path / "own.csv", "review,stars\na stay,good\n")
    columns = {"text_column": "review", "label_column": "stars"}
    corpus = load_files(tmp_path / "all", validation=tmp_path / "own.csv", **columns)
    assert list(corpus.validation) == ["a stay"]


def test_rows_of_a_large_parquet_file_are_counted_on(tmp_path):
    texts = [f"text {i}" for i in range(2000)]
    texts[1499] = None
    path = tmp_path / "a.parquet"
    pd.DataFrame({"text": texts, "label": ["x", "y"] * 1000}).to_parquet(path)
    with pytest.raises(zoo.UsageError, match="row 1500"):
        load_files(path)


def test_keys_of_later_json_lines_are_columns_too(tmp_path):
    rows = '{"text": "no label"}\n' + '{"text": "a", "label": "x"}\n{"text": "b", "label": "y"}\n'
    corpus = load_files(write(tmp_path / "a.jsonl", rows), on_bad_row="skip")
    assert list(corpus.train) == ["a", "b"]


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1252", "L’hôtel était très bien … 5 €"),
        ("cp1252", "café très agréable"),
        ("cp1251", "Очень хороший отель"),
        ("koi8_r", "Очень хороший отель"),
        ("gb18030", "这个酒店非常好，服务员很友好"),
        ("shift_jis", "このホテルはとても良かったです"),
        ("utf-16-le", "plain"),
        ("utf-16-be", "plain"),
    ],
)
@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl", "a.json", "a.txt.gz", "a/x/1.txt"])
def test_old_encodings_are_named_and_read(tmp_path, name, encoding, text):
    """Of the whole file, or of a text beside others in ASCII."""
    if name.startswith("a.json"):
        content = f'[{{"text": "{text}", "label": "x"}}]'
        content = content if name == "a.json" else content[1:-1]
    else:
        separator = "\t" if name == "a.tsv" else ","
        header = f"text{separator}label\n" if name in ("a.csv", "a.tsv") else ""
        content = f"{header}{text}{separator}x\n" if header else text
    content = content.encode(encoding)
    path = write(tmp_path / name, gzip.compress(content) if name.endswith(".gz") else content)
    data = tmp_path / "a" if name == "a/x/1.txt" else path
    assert read_texts(data, encoding=encoding) == [text]
    if name == "a.txt.gz":
        return
    assert read_labelled(data, encoding=encoding)["text"].tolist() == [text]
    with pytest.raises(zoo.UsageError) as refused:
        read_labelled(data)
    assert "\n" not in str(refused.value)
    if not encoding.startswith("utf-16") or name in ("a.csv", "a.tsv"):
        assert f"encoding={encoding!r}" in str(refused.value)
        assert f"--encoding {encoding}" in str(refused.value)


def test_a_few_bad_bytes_are_of_no_other_encoding(tmp_path):
    lines = "".join(f"caf\u00e9 {i},x\n" for i in range(9)).encode()
    path = write(tmp_path / "a.csv", b"text,label\n" + lines + b"caf\xe9,x\n")
    with pytest.raises(zoo.UsageError, match="line 11: the byte 0xe9 is not UTF-8") as refused:
        read_labelled(path)
    assert "--encoding" not in str(refused.value)


@pytest.mark.parametrize("orient", ["columns", "index", "split", "table", "values"])
def test_other_forms_of_json_say_what_is_read(tmp_path, orient):
    for suffix in (".json", ".jsonl"):
        FRAME.to_json(tmp_path / f"a{suffix}", orient=orient)
        with pytest.raises(zoo.UsageError, match="one object|not an object like") as refused:
            load_files(tmp_path / f"a{suffix}")
        assert "\n" not in str(refused.value)


def test_rows_of_an_array_are_told_by_number(tmp_path, log):
    objects = (
        '{"text": "a", "label": "x"}, {"text": "b"}, 5, {"text": "c", "label": "y"}, {"text": ""}'
    )
    path = write(tmp_path / "a.json", f"[{objects}".replace(', {"text": ""}', "]"))
    with pytest.raises(zoo.UsageError, match="a.json, row 2: no label; or leave bad rows out"):
        load_files(path)
    load_files(path, on_bad_row="skip")
    assert (
        f"{path}: 2 rows skipped: 1 without a label (row 2), 1 not an object (row 3)"
        in log.messages
    )
    assert [where["line"] for where, _ in stream_texts(path, on_bad_row="skip")] == [1, 2, 4]


def test_an_encoding_is_checked_and_a_mark_comes_first(tmp_path, log):
    path = write(tmp_path / "a.csv", "text,label\ncafé,x\n".encode("utf-8-sig"))
    assert read_texts(path, encoding="cp1252") == ["café"]
    for name in ("cp1225", "base64", "\0", ""):
        with pytest.raises(zoo.UsageError, match="unknown encoding .* Allowed: utf_8, utf_16"):
            read_texts(path, encoding=name)
    with pytest.raises(zoo.UsageError, match="Did you mean 'latin1'"):
        read_texts(path, encoding="latine1")
    write(path, b"text,label\ncaf\x81,x\n")
    with pytest.raises(zoo.UsageError, match="line 2: the byte 0x81 is not cp1252: convert"):
        read_texts(path, encoding="cp1252")
    write(path, b"text,label\ncaf\xe9,x\n")
    with pytest.raises(zoo.UsageError, match="only 0 rows are left of .*--encoding cp1252"):
        read_labelled(path, on_bad_row="skip")
    with pytest.raises(zoo.UsageError, match="a.csv is not the UTF-16.*first bytes, or encoding"):
        read_texts(path, encoding="utf-16")


def test_a_dataframe_is_a_table():
    frame = pd.DataFrame({"n": [1, 2, 3], "Review": [" cafe\u0301", 5, "c"], "stars": [1, 2, 1]})
    corpus = load_files(frame)
    assert corpus.name == "dataframe" and corpus.labels == ["1", "2"]
    assert list(corpus.train) == ["café", "5", "c"]
    assert corpus.columns == {"text_column": "Review", "label_column": "stars"}
    frame.loc[2, "stars"] = None
    with pytest.raises(zoo.UsageError, match="the DataFrame, row 3: no label; or leave"):
        read_labelled(frame)
    assert read_labelled(frame, on_bad_row="skip")["label"].tolist() == ["1.0", "2.0"]
    with pytest.raises(zoo.UsageError, match="unknown column of the DataFrame: 'reviw'"):
        read_labelled(frame, text_column="reviw")
    for odd in (pd.DataFrame({"text": [], "label": []}), pd.DataFrame()):
        with pytest.raises(zoo.UsageError, match="the DataFrame"):
            read_labelled(odd)


def test_the_home_folder_is_a_tilde(tmp_path, monkeypatch):
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(tmp_path)
    path = write(home / "own" / "a.csv", "text,label\na,x\nb,y\n")
    for data in ("~/own/a.csv", "~/own/*.csv", home / "own/a.csv", Path("~/own/a.csv")):
        assert is_path(data) and len(load_files(data).train) == 2
    assert len(load_files(path, test="~/own/a.csv").test) == 2
    assert short_name("~") == "home"
    write(tmp_path / "~" / "a.csv", "text,label\nin a folder of that name,x\n")
    assert read_texts("./~/a.csv") == ["in a folder of that name"]
    with pytest.raises(zoo.UsageError, match=f"no such file: {home}/b.csv"):
        read_texts("~/b.csv")
    assert expanded("~nobody-of-that-name/x") == Path("~nobody-of-that-name/x")
    monkeypatch.setenv("ZOO_CACHE_DIR", "~/cache")
    assert cache_folder() == home / "cache" / "word2vec"
