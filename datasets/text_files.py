"""Text files, plain or in gzip, of any Unicode encoding."""

import codecs
import contextlib
import gzip
import io
import re
import unicodedata
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from zoo.errors import UsageError

ENCODINGS = {  # by the mark at the start of a file, the longest first
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
OTHER_KINDS = {
    b"PK\x03\x04": "an Excel workbook or a zip archive: save it as CSV",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook: save it as CSV",
    b"\x1f\x8b": "compressed with gzip: add .gz to its name",
    b"BZh": "compressed with bzip2: unpack it, or pack it with gzip",
    b"\xfd7zX": "compressed with xz: unpack it, or pack it with gzip",
    b"\x28\xb5\x2f\xfd": "compressed with Zstandard: unpack it, or pack it with gzip",
    b"PAR1": "Parquet: end its name with .parquet",
    b"%PDF": "a PDF: make a table of it first",
}


SURROGATES = re.compile("[\ud800-\udfff]")
WORD = re.compile(r"\S{1,2000}")  # as composing takes time by the square of a length


class Problem(NamedTuple):
    """Why a row cannot be used: in a few words for counts, and in full."""

    kind: str
    message: str


def unpacked(path: str | Path) -> Path:
    """The path without ``.gz`` at its end."""
    path = Path(path)
    return path.with_suffix("") if path.suffix.lower() == ".gz" else path


@contextlib.contextmanager
def open_text(path: Path, file: io.BufferedReader | None = None) -> Iterator[io.TextIOWrapper]:
    """A text file, or a text file in gzip, with its line ends as they are.

    Or what is open already, as standard input is; ``path`` then is its name in messages.

    UTF-8 with or without a mark; UTF-16 and UTF-32 with one. What is not UTF-8 becomes lone
    surrogates, which :func:`undecodable` finds.

    Raises:
        UsageError: also within the ``with`` block, where reading on is impossible.
    """
    opener = gzip.open if path.suffix.lower() == ".gz" else open
    opened = None
    if file is not None:
        opened = contextlib.nullcontext(
            file if hasattr(file, "peek") else io.BufferedReader(io.BytesIO(file.read()))
        )
    with _explained(path), opened or opener(path, "rb") as file:
        start = file.peek(4)[:4]
        for signature, kind in OTHER_KINDS.items():
            if start.startswith(signature):
                if opened:
                    kind = f"{kind.partition(':')[0]}: give it as a file"
                raise UsageError(f"{path} is {kind}")
        marks = (ENCODINGS[mark] for mark in ENCODINGS if start.startswith(mark))
        encoding = next(marks, "utf-8-sig")
        errors = "surrogateescape" if encoding == "utf-8-sig" else "strict"
        if opened and not start:  # asked once more, a terminal would want a second Ctrl-D
            file = io.BytesIO()
        text = io.TextIOWrapper(file, encoding, errors=errors, newline="")
        try:
            yield text
        finally:
            if opened:
                text.detach()  # which would close it


def undecodable(text: str) -> str | None:
    """What in a text was not Unicode, in words; None if all of it is."""
    try:
        text.encode()
        return None
    except UnicodeEncodeError as error:
        code = ord(text[error.start])
        line = text.count("\n", 0, error.start) + 1
        where = f" in line {line} of the text" if line > 1 else ""
        if 0xDC80 <= code <= 0xDCFF:
            byte = f"0x{code - 0xDC00:02x}"
            return f"the byte {byte}{where} is not UTF-8: convert the file, with iconv for one"
        return f"half a character, \\u{code:04x}: write it as UTF-8"


def well_formed(text: str) -> str:
    """A text that UTF-8 can write: U+FFFD for each surrogate, as for bytes that are not UTF-8.

    Files and command lines of other encodings, and JSON cut within a character, bring them.

    Raises:
        UsageError: for what is no string.
    """
    if not isinstance(text, str):
        raise UsageError(f"texts must be strings: got {text!r}")
    return SURROGATES.sub("\ufffd", text)


def composed(text: str) -> str:
    """A text with each letter and its accents as one character, where Unicode has that.

    Some systems, macOS among them, write them as several: the same word would be another one. It
    is Unicode's NFC of each word that NFC makes shorter. The others stay as they are written: NFC
    takes letters of Indian scripts apart that keyboards write as one.
    """
    return text if text.isascii() else WORD.sub(_shorter, text)


def _shorter(word):
    found = word[0] if word[0].isascii() else unicodedata.normalize("NFC", word[0])
    return found if len(found) < len(word[0]) else word[0]


@contextlib.contextmanager
def _explained(path):
    """Turns what reading may raise into one line."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{path} is not the {error.encoding.upper()} that its first bytes say "
            f"({error.reason}): save it as UTF-8"
        ) from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise UsageError(f"{path} is not gzip, or cut off: {error}") from None
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from None
