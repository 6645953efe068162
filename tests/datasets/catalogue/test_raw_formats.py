"""Every official format on made-up rows; malformed ones say where and why."""

import gzip
import itertools
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import zoo
from zoo.datasets.catalogue import raw_formats as formats
from zoo.datasets.text.tokens import split_roles


class AnyLabel(dict):
    """Classes that take every label as it stands."""

    def __contains__(self, label):
        return True

    def __missing__(self, label):
        return label


def rows(path, name, **arguments):
    return [(text, label) for _, text, label in formats.read(name, path, AnyLabel(), **arguments)]


LINES = [
    (
        "csv_row",
        '"3","A ""big"" deal","Shares\\nice, up."\n',
        [('A "big" deal\n\nShares\\nice, up.', "3")],
    ),
    ("csv_row", '"1","Talks",""\n', [("Talks", "1")]),
    ("escaped_csv_row", '"5","One.\\n\\nTwo."\r\n', [("One.\n\nTwo.", "5")]),
    ("escaped_csv_row", '"2","Why?","So.","Best"\r\n', [("Why?\n\nSo.\n\nBest", "2")]),
    (
        "user_product_rating",
        "u1\t\tp9\t\t4\t\tgood food . <sssss> slow\tstaff .\n",
        [("good food .\n\nslow\tstaff .", "4")],
    ),
    (
        "tree",
        "(3 (2 (2 -LRB-) (3 (2 and\\/or) (4 fun))) (2 -RRB-))\n(0 (1 \\*) (2 2\xa01))\n",
        [("( and/or fun )", "3"), ("* 2\xa01", "0")],
    ),
    (
        "tweet",
        '12\t34\t"neutral"\tNo "way" :)\n13\t35\tpositive\tYay\n',
        [('No "way" :)', "neutral"), ("Yay", "positive")],
    ),
    ("tweet", '12\t34\t"neutral"\tNot Available\n', []),
    (
        "json_line",
        '{"text": "Très\\nbon", "label": "pos"}\n\n{"text": "", "label": 0}\n',
        [("Très\nbon", "pos"), ("", "0")],
    ),
    ("rated_json_line", '{"text": "a", "label": "pos", "rating": 9}\n', [("a", "9")]),
    ("product_review", '{"reviewText": "Works.", "overall": 5.0}\n', [("Works.", "5")]),
]


@pytest.mark.parametrize(("name", "content", "expected"), LINES)
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_formats_of_lines(name, content, expected, suffix, tmp_path):
    path = tmp_path / f"file{suffix}"
    content = content.encode()
    path.write_bytes(gzip.compress(content) if suffix else content)
    assert rows(path, name) == expected


def test_labels_from_the_name_of_the_file(tmp_path):
    path = tmp_path / "strneg.txt"
    path.write_bytes("dirty \n\ncafé\n".encode() + "café\n".encode("latin-1"))
    assert rows(path, "text_line") == [(text, "strneg.txt") for text in ("dirty", "café", "café")]
    path = tmp_path / "reviews_Pet_Supplies.json.gz"
    path.write_bytes(gzip.compress(b'{"reviewText": "Woof.", "overall": 1.0}\n'))
    assert rows(path, "review_of_product") == [("Woof.", "Pet_Supplies")]


def test_trec_is_latin_1(tmp_path):
    path = tmp_path / "train.label"
    path.write_bytes("LOC:city Where is Besançon ?\n".encode("latin-1"))
    assert rows(path, "label_and_text") == [("Where is Besançon ?", "LOC:city")]


def test_folders_of_files(tmp_path):
    path = tmp_path / "pos" / "12_9.txt"
    path.parent.mkdir()
    path.write_text("One.<br /><br />Two.")
    assert rows(path, "text_file") == [("One.\n\nTwo.", "pos")]
    assert rows(path, "rated_text_file") == [("One.\n\nTwo.", "9")]
    path = tmp_path / "sci.space" / "60123"
    path.parent.mkdir()
    path.write_bytes(b"From: me@here\nSubject: Orbit\n\nIt is 200\xb0.\n\n-- \nMe\n")
    assert rows(path, "news_file") == [("It is 200°.\n\n-- \nMe\n", "sci.space")]


def test_semeval_2010(tmp_path):
    path = tmp_path / "TRAIN_FILE.TXT"
    path.write_bytes(
        b'1\t"The <e1>cup</e1> has <e2>tea</e2>."\r\nContent-Container(e2,e1)\r\nComment:\r\n\r\n'
        b'2\t""A <e1>cat</e1>" saw "a <e2>dog</e2>.""\r\nOther\r\nComment:\r\n\r\n'
    )
    assert rows(path, "relation_blocks") == [
        ("The <e1>cup</e1> has <e2>tea</e2>.", "Content-Container(e2,e1)"),
        ('"A <e1>cat</e1>" saw "a <e2>dog</e2>."', "Other"),
    ]


def tacred(**changes):
    row = {
        "token": ["Ada", "Lane", "leads", "Acme", "."],
        "subj_start": 3,
        "subj_end": 3,
        "subj_type": "ORGANIZATION",
        "obj_start": 0,
        "obj_end": 1,
        "obj_type": "PERSON",
        "relation": "org:top_members/employees",
    }
    return json.dumps([{**row, **changes}])


def test_tacred(tmp_path):
    path = tmp_path / "dev.json"
    path.write_text(tacred())
    assert rows(path, "relation_objects") == [
        (
            "<e2> OBJ-PERSON OBJ-PERSON </e2> leads <e1> SUBJ-ORGANIZATION </e1> .",
            "org:top_members/employees",
        )
    ]


def test_types_of_tacred_stay_one_word(tmp_path):
    path = tmp_path / "dev.json"
    path.write_text(tacred(obj_type="STATE_OR_PROVINCE"))
    ((text, _),) = rows(path, "relation_objects")
    (words,) = split_roles([text])[0].to_list()
    assert [word.decode() for word in words] == [
        *["obj-state-or-province"] * 2, "leads", "subj-organization", "."
    ]  # fmt: skip


def test_sentube(tmp_path):
    comments = [
        {"text": "slow car", "annotation": {"negative-product": "1"}},
        {"text": "nice clip", "annotation": {"positive-video": "1"}},
        {"text": "fast but ugly", "annotation": {"negative-product": "1", "positive-product": "1"}},
        {"text": "first"},
    ]
    path = tmp_path / "video.json"
    path.write_text(json.dumps({"video_id": "x", "comments": comments}))
    assert rows(path, "video_comments") == [
        ("slow car", "negative"),
        ("fast but ugly", "negative"),
        ("fast but ugly", "positive"),
    ]


def article(abstract, *headings):
    mesh = "".join(
        f"<MeshHeading><DescriptorName>Liver</DescriptorName>"
        f"<QualifierName>{heading}</QualifierName></MeshHeading>"
        for heading in headings
    )
    return (
        f"<PubmedArticle><MedlineCitation><Article><Abstract>{abstract}</Abstract></Article>"
        f"<MeshHeadingList>{mesh}</MeshHeadingList></MedlineCitation></PubmedArticle>"
    )


def test_pubmed(tmp_path):
    path = tmp_path / "pubmed99n0001.xml.gz"
    articles = [
        article("<AbstractText>We <i>cut</i> it.</AbstractText>", "surgery", "surgery", "history"),
        article(
            '<AbstractText Label="AIM">A.</AbstractText><AbstractText>B.</AbstractText>', "genetics"
        ),
        article("<AbstractText>Two subjects.</AbstractText>", "surgery", "genetics"),
        article("<AbstractText>None.</AbstractText>", "history"),
        article("", "genetics"),
        article("", "genetics").replace(
            "<MeshH", "<OtherAbstract><AbstractText>Otro.</AbstractText></OtherAbstract><MeshH"
        ),
    ]
    path.write_bytes(
        gzip.compress(f"<PubmedArticleSet>{''.join(articles)}</PubmedArticleSet>".encode())
    )
    assert rows(path, "medline") == [("We cut it.", "surgery"), ("A.\n\nB.", "genetics")]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("csv_row", '"1","a","b"\n"2"\n', "line 2: expected class,title,text or class,text: got"),
        ("csv_row", '"1","a\n', "line 1: unexpected end of data"),
        ("csv_row", b'"1","\xff"\n', "line 1: 'utf-8' codec can't decode byte 0xff"),
        ("user_product_rating", "u\tp\t4\ttext\n", "line 1: expected user, product, rating and"),
        ("tree", "(3 (2 Very) (3 good)\n", "line 1: expected a tree such as"),
        ("tree", "(3 (2 a) (3 b))\n\nplain\n", "line 3: expected a tree such as"),
        ("label_and_text", "LOC:city\n", "line 1: expected a label, a space and the text"),
        ("tweet", "1\t2\tpositive\n", "line 1: expected two ids, label and text between tabs"),
        ("json_line", '{"text": "a"', "line 1: "),
        ("json_line", '["a", "b"]\n', 'line 1: expected an object like {"text": "..", "label"'),
        ("json_line", '{"label": "a"}\n', 'line 1: expected an object like {"text": "..", "label"'),
        ("relation_blocks", "1\tno marks\n", "line 1: expected a number, a tab and a sentence"),
        ("relation_blocks", '1\t"<e1>a</e1> <e2>b</e2>"\n', "line 2: expected the relation of the"),
        ("relation_objects", "[{", "Expecting property name"),
        ("relation_objects", tacred(subj_end=9), "subj_start 3 and subj_end 9 of 5 words"),
        ("relation_objects", '[{"token": ["a"]}]', "no 'subj_start'"),
        ("relation_objects", f"{tacred()[:-1]}, {{}}]", "after text 1: no 'token'"),
        ("video_comments", "{}", "no 'comments'"),
        ("video_comments", '{"comments": ["x"]}', "'str' object has no attribute 'get'"),
        ("medline", "<PubmedArticleSet><Pub", "unclosed token"),
        ("text_file", b"\xff\xfe", "'utf-8' codec can't decode byte 0xff"),
    ],
)
def test_malformed_rows_say_where_and_why(name, content, message, tmp_path):
    path = tmp_path / "file.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(zoo.UsageError, match=re.escape(message)) as caught:
        rows(path, name)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_unknown_labels_say_where_and_what_is_allowed(tmp_path):
    path = tmp_path / "train.csv"
    path.write_text('"1","a"\n"3","b"\n')
    with pytest.raises(zoo.UsageError, match=r"train.csv, line 2: '3'\. Allowed: 1, 2\."):
        list(formats.read("csv_row", path, {"1": "bad", "2": "good"}))


def test_labels_are_renamed_left_out_or_ignored(tmp_path):
    path = tmp_path / "file.tsv"
    path.write_text("1\t2\tneg\ta\n1\t2\tobjective\tb\n1\t2\tpos\tc\n")
    classes = {"neg": "bad", "pos": "good", "objective": None}
    found = formats.read("tweet", path, classes)
    assert [row[1:] for row in found] == [("a", "bad"), ("c", "good")]
    assert [row[1:] for row in formats.read("tweet", path, None)] == [
        (text, None) for text in "abc"
    ]


@pytest.mark.parametrize("content", [b"\x1f\x8b\x08\x00oops", b"not gzip"])
def test_a_damaged_gz_file(content, tmp_path):
    path = tmp_path / "train.jsonl.gz"
    path.write_bytes(content)
    with pytest.raises(zoo.UsageError, match="cannot read .*train.jsonl.gz"):
        rows(path, "json_line")


words = st.text(st.characters(codec="utf-8", exclude_characters='\n\r"'), min_size=1, max_size=20)


@given(
    texts=st.lists(words, max_size=20),
    cuts=st.lists(st.integers(0, 400), max_size=6),
    newline=st.sampled_from(["\n", "\r\n"]),
)
def test_byte_ranges_together_give_every_line_once(texts, cuts, newline, tmp_path_factory):
    path = Path(tmp_path_factory.mktemp("ranges")) / "train.csv"
    content = "".join(f'"{i}","{text}"{newline}' for i, text in enumerate(texts))
    path.write_bytes(content.encode())
    whole = list(formats.read("csv_row", path, AnyLabel()))
    size = path.stat().st_size
    edges = [0, *sorted(cut % (size + 1) for cut in cuts), None]
    pieces = [
        row
        for start, stop in itertools.pairwise(edges)
        for row in formats.read("csv_row", path, AnyLabel(), start, stop)
    ]
    assert pieces == whole
    assert [label for _, _, label in whole] == [str(i) for i in range(len(texts))]
    assert len({position for position, _, _ in whole}) == len(texts)


def test_trees_to_train_on_give_each_phrase_once(tmp_path):
    trees = "(3 (2 (2 -LRB-) (3 (2 so) (4 fun))) (2 (2 so) (2 -RRB-)))\n\n(3 (2 so) (4 fun))\n"
    for name in ("train.txt", "dev.txt"):
        (tmp_path / name).write_text(trees)
    classes = {str(label): str(label) for label in range(5)}
    rows, whole = (
        [row[1:] for row in formats.read("tree_phrases", tmp_path / name, classes)]
        for name in ("train.txt", "dev.txt")
    )
    assert whole == [("( so fun so )", "3"), ("so fun", "3")]
    assert len(rows) == 8
    assert dict(rows) == {
        "(": "2", ")": "2", "( so fun": "2", "( so fun so )": "3",
        "fun": "4", "so": "2", "so )": "2", "so fun": "3",
    }  # fmt: skip
