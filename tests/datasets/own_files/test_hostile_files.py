"""A folder of hostile files: each gives exactly the right rows, or one clear line."""

import bz2
import codecs
import csv
import gzip
import io
import json
import logging
import lzma
import re
import resource
import time

import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import zoo
from zoo.datasets import composed, read_texts
from zoo.datasets.own_files import reading as files
from zoo.datasets.own_files import separated_values as separated

COLUMNS = ["text", "label"]
HEADER = "text,label\n"
GOOD = "one,x\ntwo,y\n"
ROWS = [["one", "x"], ["two", "y"]]
ARRAY = '[{"text": "one", "label": "x"}, {"label": "y", "text": "two"}]'


def parquet(**columns):
    file = io.BytesIO()
    pyarrow.parquet.write_table(pa.table(columns), file)
    return file.getvalue()


RIGHT = {  # name: content, rows
    "mark.csv": (codecs.BOM_UTF8 + (HEADER + GOOD).encode(), ROWS),
    "windows.csv": ((HEADER + GOOD).replace("\n", "\r\n"), ROWS),
    "old-mac.csv": ((HEADER + GOOD).replace("\n", "\r"), ROWS),
    "no-line-end.csv": ((HEADER + GOOD).rstrip(), ROWS),
    "blank-lines.csv": ("\n" + HEADER + "\none,x\n\n   \ntwo,y\n\n", ROWS),
    "utf-16.csv": ((HEADER + GOOD).encode("utf-16"), ROWS),
    "big-endian.tsv": (codecs.BOM_UTF16_BE + "text\tlabel\none\tx".encode("utf-16-be"), ROWS[:1]),
    "array.jsonl": (ARRAY, ROWS),
    "array.json.gz": (gzip.compress(ARRAY.encode()), ROWS),
    "pretty.jsonl": (json.dumps(json.loads(ARRAY), indent=2), ROWS),
    "pretty.json": ("\n " + json.dumps(json.loads(ARRAY), indent="\t").replace("\n", "\r\n"), ROWS),
    "one-array-mark.json": (ARRAY.encode("utf-16"), ROWS),
    "one-a-line.json": ('{"text": "one", "label": "x"}\n{"text": "two", "label": "y"}', ROWS),
    "one-object.jsonl": ('{"text": "one", "label": "x", "spans": [{"start": 0}]}', ROWS[:1]),
    "utf-32.jsonl": ('{"text": "one", "label": "x"}'.encode("utf-32"), ROWS[:1]),
    "emoji.csv": (HEADER + "👩‍👩‍👧 🙂,🙂\n", [["👩‍👩‍👧 🙂", "🙂"]]),
    "right-to-left.csv": (HEADER + '"שלום, עולם",טוב\n', [["שלום, עולם", "טוב"]]),
    "numbers.csv": (HEADER + "3.0,1\n1e5,-2.50\n", [["3.0", "1"], ["1e5", "-2.50"]]),
    "numbers.jsonl": (
        '{"text": 3.0, "label": 1}\n{"text": 1e5, "label": true}',
        [["3.0", "1"], ["1e5", "True"]],
    ),
    "numbers.parquet": (parquet(text=["one", "two"], label=[1, 20]), [["one", "1"], ["two", "20"]]),
    "booleans.csv": (HEADER + "one,True\n", [["one", "True"]]),  # as pandas writes them
    "booleans.parquet": (parquet(text=["one"], label=[True]), [["one", "True"]]),
    "halves.parquet": (
        parquet(text=["one", "two"], label=pa.array([0.1, 2.0], pa.float32())),
        [["one", "0.1"], ["two", "2.0"]],
    ),
    "categories.parquet": (
        parquet(**{"text": ["one", "two"], "label": pa.array(["x", "y"]).dictionary_encode()}),
        ROWS,
    ),
    "no-value.csv": (HEADER + "NA,null\nnan,None\n", [["NA", "null"], ["nan", "None"]]),
    "words.csv": (
        HEADER + "one,very good\ntwo,  not bad \n",
        [["one", "very good"], ["two", "not bad"]],
    ),
    "a path with spaces/عربي 🙂.CSV": (HEADER + GOOD, ROWS),
    "lines.csv": (
        HEADER + '"one\n\nmore",x\n"a ""quote""\r\n, too",y\n',
        [["one\n\nmore", "x"], ['a "quote"\r\n, too', "y"]],
    ),
    "quotes-inside.csv": (HEADER + "a 5\" disk,x\nit's,y\n", [['a 5" disk', "x"], ["it's", "y"]]),
    "gzip.csv.gz": (gzip.compress((HEADER + GOOD).encode()), ROWS),
    "bad-elsewhere.csv": (b"id,text,label\n\xff,one,x\n\0,two,y\n", ROWS),
    "same-names-elsewhere.csv": ("id,text,id,label\n1,one,2,x\n3,two,4,y\n", ROWS),
    "reviews [1].csv": (HEADER + GOOD, ROWS),
}
REFUSED = {  # name: content, message
    "empty.csv": ("", "empty.csv has no rows"),
    "empty.jsonl.gz": (gzip.compress(b"\n\n"), "empty.jsonl.gz has no rows"),
    "header-only.csv": (HEADER, "header-only.csv has no rows"),
    "no-rows.parquet": (parquet(text=pa.array([], "string"), label=[]), "parquet has no rows"),
    "same-names.csv": ("text,text,label\na,b,x\n", "same-names.csv has two columns 'text': rename"),
    "zeros.csv": ((HEADER + GOOD).encode("utf-16-le"), "zeros.csv, line 1: NUL bytes in the head"),
    "cut.csv": ((HEADER + GOOD).encode("utf-16")[:-1], "cut.csv is not the UTF-16.*as UTF-8"),
    "header.csv": (b"text,label,\xe9\none,x,\n", "line 1, the header: the byte 0xe9 is not UTF-8"),
    "quote.csv": ('"text,label\none,x\n', "quote.csv, line 1, the header: a quote opens here"),
    "not-gzip.csv.gz": (HEADER + GOOD, "not-gzip.csv.gz is not gzip, or cut off"),
    "cut.csv.gz": (gzip.compress((HEADER + GOOD).encode())[:-9], "cut.csv.gz is not gzip, or cut"),
    "gzip.csv": (gzip.compress(b"a"), "gzip.csv is compressed with gzip: add .gz to its name"),
    "not.parquet": (HEADER + GOOD, "not.parquet is not Parquet, or damaged"),
    "cut.parquet": (parquet(text=["a"], label=["x"])[:-20], "cut.parquet is not Parquet, or dam"),
    "lists.parquet": (parquet(text=[["a"]], label=["x"]), "column 'text' holds list<.*of texts"),
    "parquet.csv": (parquet(text=["a"], label=["x"]), "parquet.csv is Parquet: end its name with"),
    "excel.csv": (b"PK\x03\x04\x14\0\x06\0", "excel.csv is an Excel workbook or a zip archive"),
    "commas.tsv": ("text,label\na,x\n", "line 1: columns are not separated by tabs: name it .csv"),
    "no-header.csv": ("long " * 300 + ",x\n", "no-header.csv, line 1: .* is no header: name the"),
    "lines-in-header.csv": ('"te\nxt",label,more\na,x,\n', "texts.*: 'te xt', 'label', 'more'"),
    "json.csv": ('{"text": "a"}\n', "json.csv looks like JSON: name it .json, or .jsonl"),
    "cells.json": ('["text", "label"]', "cells.json, row 1: not an object like"),
    "arrays.jsonl": ('["text"]\n["a"]\n', "arrays.jsonl, line 1: not an object like"),
    "brackets.jsonl": ("[" * 100_000, "brackets.jsonl, row 1: not JSON: too many brackets"),
    "cut.json": (ARRAY[:-9], "cut.json, row 2: not JSON: .* \\(line 1, character 54"),
    "no-comma.json": ('[\n{"text": "a"}\n{', "row 1: .* Expecting ',' .*line 3, character 1"),
    "open.json": ('[{"text": "a"}', "open.json, row 1: not JSON: Expecting ',' or one ']'"),
    "two.json": (ARRAY + "[]", "two.json, row 2: not JSON: .*or one ']' at the end"),
    "within.json": ('{"v": 1, "data": ' + ARRAY + "}", "rows in 'data': give that list alone"),
    "within.jsonl": (
        json.dumps({"v": 1, "data": json.loads(ARRAY)}, indent=1),
        "within.jsonl is one object, with rows in 'data': give that list alone",
    ),
    "columns.json": (
        '{"text": {"0": "a", "1": "b"}, "label": {"0": "x"}}',
        'columns.json is one object, not one for each text: .*orient="records"',
    ),
    "spread.jsonl": (
        '{\n"text": "a"\n}\n{\n"text": "b"\n}\n',
        "spread.jsonl has objects of several lines: write an array of objects, or one object a",
    ),
    "excel.xlsx": (b"PK\x03\x04", "excel.xlsx is of a kind that is not read: save it as CSV"),
    "list.json": ("[]", "list.json has no rows"),
    "a.csv.zip": (b"PK\x03\x04", "a.csv.zip is of a kind that is not read: unpack it, or pack it"),
    "doc.docx": (b"PK\x03\x04", "unknown kind of file of .*docx: '.docx'.*Allowed: .csv, .tsv"),
    "bzip2.csv": (bz2.compress(b"a"), "bzip2.csv is compressed with bzip2: unpack it"),
    "xz.csv": (lzma.compress(b"a"), "xz.csv is compressed with xz: unpack it"),
    "packed/good/1.txt.gz": (b"", "packed/good/1.txt.gz and its like are no texts: unpack them"),
    "folder/good/1": ("", "folder/good/1 and its like are no texts: end their names with .txt"),
    "no folders/in.it": ("", "folders has no class folders like .*1.txt, and no train.csv"),
}
BAD_LINES = {  # name: line 3 of a table, of which the others are ROWS; message, report
    "bad-utf-8.csv": (b"b\xffd,y", "the byte 0xff is not UTF-8: .*--on-bad-row skip", "not UTF-8"),
    "nul.csv": (b"b\0d,y", "NUL bytes in the text", "with NUL bytes"),
    "unbalanced.csv": (b'"bad,y', "a quote opens here and is not", "with an unbalanced quote"),
    "inner-quotes.csv": (b'"so "bad" it is",y', "double the quotes", "with an unbalanced quote"),
    "mixed-tabs.csv": (b"bad\ty", "1 columns where the header has 2; a text that cont", "ragged"),
    "no-label.csv": (b"bad, ", "no label; or leave bad rows out", "without a label"),
    "label-of-lines.csv": (b'bad,"x\ny"', r"a .* lines: 'x\\ny'", "with a label of many lines"),
}
SOME_BAD = {
    name: (
        HEADER.encode() + b"one,x\n" + line + b"\ntwo,y\n",
        f"{name}, line 3: .*{message}",
        f"1 row skipped: 1 {report} (line 3)",
    )
    for name, (line, message, report) in BAD_LINES.items()
}
SOME_BAD |= {  # name: content, message, report; the good rows are ROWS
    "unbalanced-twice.csv": (
        HEADER + '"bad,y\none,x\n"a ""lot"" worse,y\ntwo,y\n',
        "unbalanced-twice.csv, line 2: a quote opens here and is not closed",
        "2 rows skipped: 2 with an unbalanced quote (lines 2, 4)",
    ),
    "no-text.tsv": (
        "text\tlabel\none\tx\n \ty\ntwo\ty\n",
        "no-text.tsv, line 3: no text",
        "1 row skipped: 1 without a text (line 3)",
    ),
    "not-json.jsonl": (
        '{"text": "one", "label": "x"}\n{"text": "bad"\n{"label": "y", "text": "two"}\n',
        "not-json.jsonl, line 2: not JSON: Expecting ',' delimiter at character",
        "1 row skipped: 1 not JSON (line 2)",
    ),
    "odd-values.ndjson": (
        '{"text": "one", "label": "x"}\n{"text": ["bad"], "label": "y"}\n'
        '{"label": "y"}\n{"label": "y", "text": "two"}\n',
        "odd-values.ndjson, line 2: a list instead of a text",
        "1 with a value that is no text (line 2), 1 without a text (line 3)",
    ),
    "half-a-character.jsonl": (
        '{"text": "one", "label": "x"}\n{"text": "\\ud83d", "label": "y"}\n'
        '{"label": "y", "text": "two"}\n',
        r"half-a-character.jsonl, line 2: half a character, \\ud83d",
        "1 row skipped: 1 not UTF-8 (line 2)",
    ),
    "nan.jsonl": (
        '{"text": "one", "label": "x"}\n{"text": "?", "label": NaN}\n'
        '{"text": "two", "label": "y"}\n',
        "nan.jsonl, line 2: no label",
        "1 row skipped: 1 without a label (line 2)",
    ),
    "missing.parquet": (
        parquet(text=["one", None, "two"], label=["x", "y", "y"]),
        "missing.parquet, row 2: no text",
        "1 row skipped: 1 without a text (row 2)",
    ),
    "bad-utf-8.parquet": (
        parquet(text=pa.array([b"one", b"\xff", b"two"]).view(pa.string()), label=["x", "x", "y"]),
        "bad-utf-8.parquet, row 2: the byte 0xff is not UTF-8",
        "1 row skipped: 1 not UTF-8 (row 2)",
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile files")
    for name, (content, *_) in (RIGHT | REFUSED | SOME_BAD).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def refusal(path, **options):
    with pytest.raises(zoo.UsageError) as error:
        files.read_labelled(path, **options)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("on_bad_row", files.ON_BAD_ROW)
@pytest.mark.parametrize("name", RIGHT)
def test_right_rows(folder, name, on_bad_row, caplog):
    frame = files.read_labelled(folder / name, on_bad_row=on_bad_row)
    assert frame[COLUMNS].to_numpy().tolist() == RIGHT[name][1]
    assert not caplog.messages


@pytest.mark.parametrize("on_bad_row", files.ON_BAD_ROW)
@pytest.mark.parametrize("name", REFUSED)
def test_one_line_of_refusal(folder, name, on_bad_row):
    path = folder / name.split("/")[0]
    assert re.search(REFUSED[name][1], refusal(path, on_bad_row=on_bad_row))


@pytest.mark.parametrize("name", SOME_BAD)
def test_bad_rows_are_refused_or_reported(folder, name, caplog):
    _, message, report = SOME_BAD[name]
    assert re.search(message, refusal(folder / name))
    frame = files.read_labelled(folder / name, on_bad_row="skip")
    assert frame[COLUMNS].to_numpy().tolist() == ROWS
    assert len(caplog.messages) == 1
    assert caplog.messages[0].startswith(f"{folder / name}: ")
    assert report in caplog.messages[0]


def test_a_line_of_50_megabytes(tmp_path):
    path = tmp_path / "long.csv"
    long = "word, " * 8_700_000
    path.write_text(f'{HEADER}"{long}",x\ntwo,y\n')
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter()
    frame = files.read_labelled(path)
    assert frame["text"].tolist() == [long.strip(), "two"]
    assert time.perf_counter() - start < 60
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1_500_000  # KB


def test_an_unbalanced_quote_in_a_large_file(tmp_path, caplog):
    path = tmp_path / "large.csv"
    rows = "".join(f"text {i},x\n" for i in range(20_000))
    path.write_text(f'{HEADER}{rows}"opens here,x\n{rows}')
    assert "line 20002: a quote opens here" in refusal(path)
    assert len(files.read_labelled(path, on_bad_row="skip")) == 40_000
    path.write_text(f'{HEADER}{rows}"opens here,x\n{rows}{rows}and closes",x\n')
    files.read_labelled(path)  # as the rules of CSV say
    assert "have lines that look like rows (line 20002): is a quote unbalanced?" in caplog.text


def test_tsv_without_quoting(tmp_path, caplog):
    path = tmp_path / "raw.tsv"
    path.write_text('id\tlabel\ttext\n1\t"x"\t"so" it is\n2\t"y"\t"say ""hi"""\n3\t"x"\t"open\n')
    rows = [['"so" it is', "x"], ['say "hi"', "y"], ['"open', "x"]]
    assert files.read_labelled(path)[COLUMNS].to_numpy().tolist() == rows
    assert caplog.messages == [
        f"{path}: 2 rows with quotes that do not balance are read as they stand (first: line 2)"
    ]
    path.write_text('text\tlabel\n"a\nb" c\tx\n')
    assert "raw.tsv, line 2: a quote opens here" in refusal(path)


def test_quotes_that_never_close_take_bounded_time(tmp_path, monkeypatch):
    monkeypatch.setattr(separated, "MOST_REREAD", 100_000)
    path = tmp_path / "quotes.csv"
    path.write_text(HEADER + 'a""","b\n' * 1000)
    message = "quotes.csv, line [0-9]+: too many unbalanced quotes to read on"
    assert re.search(message, refusal(path, on_bad_row="skip"))
    assert "quotes.csv, line 2: a quote opens here" in refusal(path)


def test_fewer_than_half_are_refused(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(HEADER + 'one,x\n"b\nad",y,z\n,y\ntwo,y\nbad,\n')
    assert refusal(path, on_bad_row="skip") == (
        f"only 2 rows are left of {path}: 3 rows skipped: 1 ragged (line 3), "
        "1 without a text (line 5), 1 without a label (line 7)"
    )
    path.write_text(HEADER + "a,\n" * 5)
    assert refusal(path, on_bad_row="skip").endswith("5 without a label (lines 2, 3, 4, ..)")
    assert "unknown on_bad_row 'skipp'. Did you mean 'skip'?" in refusal(path, on_bad_row="skipp")


kinds = st.sampled_from(["good", "ragged", "without a label", "without a text", "NUL", "not UTF-8"])
LINES = {
    "good": b"one,x\n",
    "ragged": b"a,b,c\n",
    "without a label": b"a,\n",
    "without a text": b" ,x\n",
    "NUL": b"a\0,x\n",
    "not UTF-8": b"\xe9,x\n",
}


@given(st.lists(kinds, min_size=1))
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nothing_is_dropped_in_silence(tmp_path, rows):
    path = tmp_path / "a.csv"
    path.write_bytes(HEADER.encode() + b"".join(LINES[row] for row in rows))
    messages = []
    handler = logging.Handler()
    handler.emit = lambda record: messages.append(record.getMessage())
    logging.getLogger("zoo").addHandler(handler)
    try:
        kept = len(files.read_labelled(path, on_bad_row="skip"))
    except zoo.UsageError as error:
        messages.append(str(error))
        kept = int(re.search(r"only (\d+)", str(error))[1])
    finally:
        logging.getLogger("zoo").removeHandler(handler)
    skipped = sum(int(n) for text in messages for n in re.findall(r"(\d+) rows? skipped", text))
    assert kept == rows.count("good")
    assert kept + skipped == len(rows)
    for kind in set(rows) - {"good"}:
        assert re.search(rf"\b{rows.count(kind)} (with )?{kind}", messages[0])


unicode = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
text = unicode.filter(str.strip)
label = text.filter(lambda value: not re.search(r"[\r\n]", value.strip()))


@given(st.lists(st.tuples(text, label), min_size=1), st.sampled_from(files.SUFFIXES), st.booleans())
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_table_is_read_back(tmp_path, rows, suffix, ascii_only):
    path = tmp_path / f"a{suffix}"
    if suffix in (".csv", ".tsv"):
        with path.open("w", encoding="utf-8", newline="") as file:
            separator = "," if suffix == ".csv" else "\t"
            csv.writer(file, delimiter=separator).writerows([("text", "label"), *rows])
    elif suffix == ".parquet":
        texts, labels = map(list, zip(*rows, strict=True))
        path.write_bytes(parquet(text=texts, label=labels))
    else:
        objects = ({"label": label, "text": text} for text, label in rows)
        lines = (json.dumps(row, ensure_ascii=ascii_only) + "\n" for row in objects)
        path.write_text("".join(lines), "utf-8")
    want = [[composed(text.strip()), composed(label.strip())] for text, label in rows]
    assert files.read_labelled(path)[COLUMNS].to_numpy().tolist() == want
    assert read_texts(path) == [text for text, _ in want]
    kept = [row for row, _ in files.stream_texts(path, keep=True)]
    assert kept == [{"text": text, "label": label} for text, label in rows]
