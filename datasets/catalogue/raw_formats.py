"""The official file formats of the corpora: from a file to its texts and their raw labels.

A format of lines is a function of a single line, so that byte ranges of a big file can be read in
parallel; a format of whole files is a function of a path. Both return pairs of a text and a label
as written in the file. :func:`read` selects the format by the function's name. Empty lines are left
out.
"""

import csv
import gzip
import itertools
import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from xml.etree import ElementTree

from zoo.datasets.own_files.spreadsheet_cells import LONGEST_CELL
from zoo.errors import UsageError, unknown

Row = tuple[str, str | None]
LINE_FORMATS: dict[str, tuple[Callable[[str, Path], Row | None], tuple[str, ...]]] = {}
FILE_FORMATS: dict[str, Callable[[Path], Iterator[Row]]] = {}


def read(
    name: str,
    path: Path,
    classes: Mapping[str, str | None] | None,
    start: int = 0,
    stop: int | None = None,
) -> Iterator[tuple[int, str, str | None]]:
    """The texts of a file, one after the other; ``.gz`` is unpacked while reading.

    Args:
        name: a name in :data:`LINE_FORMATS` or :data:`FILE_FORMATS`.
        path: the file.
        classes: class names by raw label, None for a label whose texts are left out; None for a
            file without labels.
        start, stop: for a format of lines, the byte range in which the lines begin; by default the
            whole file.

    Yields:
        A position, which is unique in the file for any range; the text; its class name, or None.

    Raises:
        UsageError: for a file that cannot be read, a row that is not in the format, or a label
            that is not one of ``classes``, naming file and line.
    """
    csv.field_size_limit(LONGEST_CELL)
    if name in LINE_FORMATS:
        rows = _read_lines(*LINE_FORMATS[name], path, start, stop)
    else:
        rows = _read_file(FILE_FORMATS[name], path)
    try:
        for position, where, text, label in rows:
            if classes is None:
                yield position, text, None
            elif label not in classes:
                raise unknown(f"label in {where()}:", label, classes)
            elif classes[label] is not None:
                yield position, text, classes[label]
    except (OSError, EOFError, zlib.error) as error:  # a damaged .gz may raise any of these
        raise UsageError(f"cannot read {path}: {error}") from None


def _read_lines(parse, encodings, path, start, stop):
    with _open(path) as file:
        position = 0
        if start:  # a line that begins before this range belongs to the range before
            file.seek(start - 1)
            position = start - 1 + len(file.readline())
        for line in file:
            if stop is not None and position >= stop:
                return

            def where(position=position):
                with _open(path) as file:
                    number = file.read(position).count(b"\n") + 1
                return f"{path}, line {number}"

            try:
                text = _decode(line, encodings).strip("\r\n")
                row = parse(text, path) if text else None
            except (ValueError, csv.Error) as error:
                raise UsageError(f"{where()}: {error}") from None
            if row is not None:
                yield position, where, *row
            position += len(line)


def _read_file(parse, path):
    rows, place = iter(parse(path)), path
    for number in itertools.count():
        try:
            row = next(rows)
        except StopIteration:
            return
        except (ValueError, KeyError, TypeError, AttributeError, ElementTree.ParseError) as error:
            reason = f"no {error}" if isinstance(error, KeyError) else error
            raise UsageError(f"{place}: {reason}") from None
        yield number, lambda number=number: f"{path}, text {number + 1}", *row
        place = f"{path}, after text {number + 1}"


def _open(path):
    return gzip.open(path) if path.suffix == ".gz" else path.open("rb")


def _decode(line, encodings):
    for encoding in encodings[:-1]:
        try:
            return line.decode(encoding)
        except UnicodeDecodeError:
            pass
    return line.decode(encodings[-1])


def line_format(*encodings: str):
    """Registers a function of a line, which is decoded by the first encoding that fits."""

    def register(parse):
        LINE_FORMATS[parse.__name__] = (parse, encodings or ("utf-8-sig",))
        return parse

    return register


def file_format(parse):
    """Registers a function of a whole file."""
    FILE_FORMATS[parse.__name__] = parse
    return parse


def _expect(condition, format, line):
    if not condition:
        raise ValueError(f"expected {format}: got {line[:60]!r}")


@line_format()
def csv_row(line: str, path: Path) -> Row:
    """``"3","Title","Description"``: class number first, no header (Zhang et al. 2015)."""
    (row,) = csv.reader([line], strict=True)
    _expect(len(row) > 1, "class,title,text or class,text", line)
    return "\n\n".join(part for part in row[1:] if part), row[0]


@line_format()
def escaped_csv_row(line: str, path: Path) -> Row:
    r""":func:`csv_row` with line breaks written as ``\n``, as all but AG's News have them."""
    text, label = csv_row(line, path)
    return text.replace("\\n", "\n"), label


@line_format()
def user_product_rating(line: str, path: Path) -> Row:
    """``user\\t\\tproduct\\t\\trating\\t\\ttext`` (Tang et al. 2015).

    ``<sssss>`` separates sentences; each sentence becomes a separate paragraph.
    """
    fields = line.split("\t\t", 3)
    _expect(len(fields) == 4, "user, product, rating and text between double tabs", line)
    sentences = (sentence.strip() for sentence in fields[3].split("<sssss>"))
    return "\n\n".join(sentence for sentence in sentences if sentence), fields[2].strip()


ESCAPES = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}


@line_format()
def tree(line: str, path: Path) -> Row:
    """``(3 (2 Very) (3 good))``: the text of a Penn-style tree and its root's label (SST).

    The treebank's escapes of brackets, slashes and stars are undone.
    """
    words = re.findall(r"\(\d ([^ ()]+)\)", line)
    whole = line.startswith("(") and line.count("(") == line.count(")")
    _expect(whole and words, "a tree such as (3 (2 Very) (3 good))", line)
    return _unescaped(words), line[1]


@file_format
def tree_phrases(path: Path) -> Iterator[Row]:
    """A tree per line. A training file also yields each phrase of the trees, but only once.

    Kim 2014 does the same. A phrase has the same label wherever it occurs.
    """
    seen = set()
    with _open(path) as file:
        for line in file:
            if not (line := line.decode().strip()):
                continue
            whole = tree(line, path)
            if not path.name.startswith("train"):
                yield whole
                continue
            phrases = {text: label for text, label in _phrases(line) if text not in seen}
            seen.update(phrases)
            yield from phrases.items()


def _phrases(line):
    """The text and the label of each node of a tree, inner ones first."""
    found, nodes = [], [("", [])]
    for label, word, end in re.findall(r"\((\d)|([^ ()]+)|(\))", line):
        if label:
            nodes.append((label, []))
        elif word:
            nodes[-1][1].append(word)
        elif end:
            label, words = nodes.pop()
            nodes[-1][1].extend(words)
            found.append((_unescaped(words), label))
    return found


def _unescaped(words):
    return " ".join(re.sub(r"\\([/*])", r"\1", ESCAPES.get(word, word)) for word in words)


@line_format("latin-1")
def label_and_text(line: str, path: Path) -> Row:
    """``LOC:city Where is it ?``: the label, a space and the text (TREC; Kim's ``.all`` files)."""
    label, _, text = line.partition(" ")
    _expect(text, "a label, a space and the text", line)
    return text, label


@line_format()
def tweet(line: str, path: Path) -> Row | None:
    """``id\\tid\\t"label"\\ttext``; texts that are no longer available are left out."""
    fields = line.split("\t", 3)
    _expect(len(fields) == 4, "two ids, label and text between tabs", line)
    return None if fields[3] == "Not Available" else (fields[3], fields[2].strip('"'))


@line_format("utf-8-sig", "latin-1")
def text_line(line: str, path: Path) -> Row | None:
    """A text per line; the name of the file is the label (OpeNER, Pang and Lee)."""
    return (line.strip(), path.name.removesuffix(".gz")) if line.strip() else None


def _json_line(line, text, label):
    if not line.strip():
        return None
    row = json.loads(line)
    fits = isinstance(row, dict) and isinstance(row.get(text), str)
    _expect(fits, f'an object like {{"{text}": "..", "{label}": ".."}}', line)
    return row[text], str(row.get(label))


@line_format()
def json_line(line: str, path: Path) -> Row | None:
    """``{"text": "..", "label": ".."}``."""
    return _json_line(line, "text", "label")


@line_format()
def rated_json_line(line: str, path: Path) -> Row | None:
    """``{"text": "..", "rating": 9}``."""
    return _json_line(line, "text", "rating")


@line_format()
def product_review(line: str, path: Path) -> Row | None:
    """``{"reviewText": "..", "overall": 5.0}`` (McAuley); the number of stars is the label."""
    row = _json_line(line, "reviewText", "overall")
    return row and (row[0], row[1].removesuffix(".0"))


@line_format()
def review_of_product(line: str, path: Path) -> Row | None:
    """:func:`product_review` from ``reviews_<Category>.json.gz``; the category is the label."""
    row = _json_line(line, "reviewText", "overall")
    return row and (row[0], path.name.removeprefix("reviews_").partition(".")[0])


def _html_breaks(text):
    return re.sub(r"<br\s*/?>", "\n", text)


@file_format
def text_file(path: Path) -> Iterator[Row]:
    """A single text; the name of its folder is the label (aclImdb)."""
    yield _html_breaks(path.read_text("utf-8")), path.parent.name


@file_format
def rated_text_file(path: Path) -> Iterator[Row]:
    """A single text; the label is part of the file's name, ``ID_RATING.txt`` (aclImdb)."""
    yield _html_breaks(path.read_text("utf-8")), path.stem.partition("_")[2]


@file_format
def news_file(path: Path) -> Iterator[Row]:
    """A posting without its header; the name of its folder is the label (20 Newsgroups)."""
    yield path.read_text("latin-1").partition("\n\n")[2], path.parent.name


@file_format
def relation_blocks(path: Path) -> Iterator[Row]:
    """``1\\t"A <e1>leaf</e1> of a <e2>tree</e2>."``, relation, comment (SemEval-2010 task 8)."""
    with path.open(encoding="utf-8") as file:
        lines = enumerate(map(str.strip, file), start=1)
        for number, line in lines:
            if not line:
                continue
            # Only the outer quotes are removed: the text may contain others.
            text = line.partition("\t")[2].removeprefix('"').removesuffix('"')
            if not ("<e1>" in text and "<e2>" in text):
                raise ValueError(
                    f"line {number}: expected a number, a tab and a sentence with <e1> and <e2>: "
                    f"got {line[:60]!r}"
                )
            _, relation = next(lines, (0, ""))
            if not relation:
                raise ValueError(f"line {number + 1}: expected the relation of the sentence above")
            yield text, relation
            next(lines, None)  # the comment


@file_format
def relation_objects(path: Path) -> Iterator[Row]:
    """A JSON list of objects of tokens and two spans; subject is e1, object is e2 (TACRED).

    Each word of an entity is replaced by the entity's type, such as SUBJ-PERSON (Zhang et al.
    2017). Underscores become hyphens, as the clean-up would take them for marks between words.
    """
    for row in json.loads(path.read_text("utf-8")):
        words = list(row["token"])
        for span in ("subj", "obj"):
            first, last = row[f"{span}_start"], row[f"{span}_end"]
            if not 0 <= first <= last < len(words):
                raise ValueError(
                    f"{span}_start {first} and {span}_end {last} of {len(words)} words"
                )
            masked = f"{span.upper()}-{row[f'{span}_type'].replace('_', '-')}"
            words[first : last + 1] = [masked] * (last + 1 - first)
        for mark, span in (("e1", "subj"), ("e2", "obj")):
            first, last = row[f"{span}_start"], row[f"{span}_end"]
            words[first] = f"<{mark}> {words[first]}"
            words[last] = f"{words[last]} </{mark}>"
        yield " ".join(words), row["relation"]


@file_format
def video_comments(path: Path) -> Iterator[Row]:
    """The comments on a video about a product; one with both labels counts as both (SenTube)."""
    for comment in json.loads(path.read_text("utf-8"))["comments"]:
        for label in ("negative", "positive"):
            if f"{label}-product" in comment.get("annotation", {}):
                yield comment["text"], label


SUBHEADINGS = (
    "metabolism physiology genetics chemistry pathology surgery psychology diagnosis".split()
)


@file_format
def medline(path: Path) -> Iterator[Row]:
    """Abstracts in PubMed's baseline XML that have exactly one of eight MeSH subheadings."""
    with _open(path) as file:
        for _, article in ElementTree.iterparse(file):
            if article.tag != "PubmedArticle":
                continue
            text = "\n\n".join(
                "".join(part.itertext()) for part in article.iterfind(".//Abstract/AbstractText")
            )
            found = {qualifier.text for qualifier in article.iter("QualifierName")}
            found &= set(SUBHEADINGS)
            if text and len(found) == 1:
                yield text, found.pop()
            article.clear()
