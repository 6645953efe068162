"""Every corpus is described in full, and found in any of its layouts."""

import contextlib
import subprocess
import sys

import pytest

import zoo
from zoo.answers.class_labels import in_label_order
from zoo.cli import commands as cli
from zoo.datasets.catalogue import lookup as catalogue
from zoo.datasets.catalogue import raw_formats as formats

ENTRIES = catalogue.CATALOGUE.values()
OF_THE_PAPERS = (
    "agnews dbpedia yelp_polarity yelp_full yahoo amazon_full yelp2013 yelp2014 yelp2015 imdb_tang "
    "imdb imdb_rating sst_fine sst_binary opener sentube_a sentube_t semeval2013 trec trec_fine "
    "semeval2010 tacred pubmed amazon_hcan newsgroups rt_polarity subj mpqa"
).split()


def test_the_corpora_of_the_papers_are_there():
    assert set(OF_THE_PAPERS) <= set(catalogue.CATALOGUE)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_an_entry_is_complete(entry):
    for attribute in ("title", "citation", "licence", "homepage"):
        assert getattr(entry, attribute)
    assert len(set(entry.labels)) == len(entry.labels) >= 2
    assert set(entry.sizes) <= {"train", "validation", "test", "unlabelled", "all"}
    for split, counts in entry.class_counts.items():
        assert len(counts) == len(entry.labels)
        assert sum(counts) == entry.sizes[split]
    for layout in entry.layouts:
        assert layout.format in {*formats.LINE_FORMATS, *formats.FILE_FORMATS}
        assert "train" in layout.files
        assert set(layout.classes.values()) - {None} == set(entry.labels)
    assert all(url.startswith("http") for url in entry.urls)
    described = catalogue.describe(entry)
    assert all(described.values())


@pytest.mark.parametrize(
    ("name", "classes"),
    [
        ("dbpedia", 14),
        ("yahoo", 10),
        ("imdb_tang", 10),
        ("imdb_rating", 8),
        ("trec", 6),
        ("trec_fine", 50),
        ("semeval2010", 19),
        ("tacred", 42),
        ("pubmed", 8),
        ("newsgroups", 20),
        ("amazon_hcan_category", 10),
    ],
)
def test_published_numbers_of_classes(name, classes):
    assert len(catalogue.CATALOGUE[name].labels) == classes


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("ZOO_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("TFDS_DATA_DIR", str(tmp_path / "prepared"))
    return tmp_path


def touch(root, *names):
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()


@pytest.mark.parametrize(
    ("name", "files", "format"),
    [
        ("imdb", ["train/pos/1_9.txt", "train/neg/1_1.txt", "test/pos/1_9.txt", "test/neg/1_1.txt"],
         "text_file"),
        ("imdb", ["train.jsonl.gz", "test.jsonl.gz", "unsup.jsonl.gz"], "json_line"),
        ("yelp2013", [f"yelp-2013-{s}.txt.ss" for s in ("train", "dev", "test")],
         "user_product_rating"),
        ("imdb_tang", [f"imdb.{s}.txt.ss" for s in ("train", "dev", "test")],
         "user_product_rating"),
        ("tacred", [f"data/json/{s}.json" for s in ("train", "dev", "test")], "relation_objects"),
        ("sentube_t", ["tablets_EN/video_1.json"], "video_comments"),
        ("pubmed", ["pubmed25n0001.xml.gz"], "medline"),
        ("rt_polarity", ["rt-polarity.neg", "rt-polarity.pos"], "text_line"),
    ],
)  # fmt: skip
def test_raw_files_are_found_in_any_layout(name, files, format, root):
    entry = catalogue.CATALOGUE[name]
    folder = root / entry.folders[-1]
    touch(folder, *files)
    raw = catalogue.find_raw_files(entry)
    assert raw.layout.format == format
    assert {path for paths in raw.files.values() for path in paths} == {folder / f for f in files}
    assert catalogue.state(entry) == f"raw files in {folder}"


def test_files_of_another_corpus_in_a_shared_folder_do_not_count(root):
    touch(root / "imdb", "train.jsonl.gz", "test.jsonl.gz")
    assert catalogue.find_raw_files(catalogue.CATALOGUE["imdb_tang"]) is None


def test_incomplete_files_say_what_is_missing(root):
    touch(root / "sst", "train.txt", "dev.txt")
    entry = catalogue.CATALOGUE["sst_fine"]
    with pytest.raises(zoo.UsageError, match="sst lacks test.txt. Get it from https://nlp"):
        catalogue.find_raw_files(entry)
    state = catalogue.state(entry)
    assert state.startswith("incomplete: ") and "sst lacks test.txt" in state


def test_a_fingerprint_changes_with_the_files(root):
    entry = catalogue.CATALOGUE["trec"]
    touch(root / "trec", "train_5500.label", "TREC_10.label")
    first = catalogue.find_raw_files(entry).fingerprint()
    assert catalogue.find_raw_files(entry).fingerprint() == first
    (root / "trec" / "TREC_10.label").write_text("more")
    assert catalogue.find_raw_files(entry).fingerprint() != first


def test_states_of_absent_corpora(root):
    assert catalogue.state(catalogue.CATALOGUE["yahoo"]) == "download"
    assert catalogue.state(catalogue.CATALOGUE["tacred"]).startswith("bring it yourself: https://")


def test_listing_needs_no_tensorflow(root):
    code = (
        "import sys; from zoo.datasets.catalogue import lookup as c; "
        "[c.describe(entry) for entry in c.CATALOGUE.values()]; "
        "assert not {'tensorflow', 'tensorflow_datasets', 'keras'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.fixture
def zoo_datasets(root, monkeypatch, capsys):
    """Runs ``zoo datasets``; gives what it prints."""
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["zoo", "datasets", *arguments])
        with contextlib.suppress(SystemExit):
            cli.main()
        return "".join(capsys.readouterr())

    return run


def test_the_command_lists_and_shows(root, zoo_datasets):
    touch(root / "trec", "train_5500.label", "TREC_10.label")
    listed = zoo_datasets()
    assert [name for name in catalogue.CATALOGUE if f" {name} " not in listed] == []
    assert "raw files" in listed
    shown = zoo_datasets("trec")
    parts = "ABBR, DESC, ENTY", "5,452 train, 500 test", "Li and Roth (2002)", "$ZOO_DATA_DIR"
    assert all(part in shown for part in parts)


def test_the_command_prepares(root, zoo_datasets):
    touch(root / "trec", "train_5500.label", "TREC_10.label")
    for name in ("train_5500.label", "TREC_10.label"):
        (root / "trec" / name).write_text("LOC:city Where is it ?\n")
    assert "trec is in" in zoo_datasets("trec", "--prepare")
    assert "prepared" in zoo_datasets("trec")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["trek"], "zoo: unknown corpus 'trek'. Did you mean 'trec'"),
        (["--prepare"], "zoo: --prepare and --beam need the name of a corpus"),
        (["tacred", "--prepare"], "zoo: TACRED, relations of entities is not here: looked in"),
    ],
)
def test_the_command_refuses(arguments, message, zoo_datasets):
    assert zoo_datasets(*arguments).startswith(message)


def test_labels_that_are_numbers_stand_in_their_order():
    """Prepared records hold class numbers, and so the order of no corpus may change."""
    for entry in catalogue.CATALOGUE.values():
        if all(label.isdecimal() for label in entry.labels):
            assert in_label_order(entry.labels) == list(entry.labels)
