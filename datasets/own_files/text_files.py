"""Text files, plain or in gzip, of any Unicode encoding."""

import codecs
import contextlib
import encodings.aliases
import gzip
import io
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from zoo.errors import UsageError, unknown
from zoo.letters import composed as composed

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
LIKELY = (  # encodings of old files, the commonest first
    "cp1252 cp1251 cp1250 gb18030 shift_jis euc_kr big5 koi8_r cp1254 cp1253 cp1256 cp1255 euc_jp"
).split()
ASKED = 1_000_000  # bytes of a file whose encoding is guessed
SURROGATES = re.compile("[\ud800-\udfff]")


class Problem(NamedTuple):
    """Why a row cannot be used: in a few words for counts, and in full."""

    kind: str
    message: str


def unpacked(path: str | Path) -> Path:
    """The path without ``.gz`` at its end."""
    path = Path(path)
    return path.with_suffix("") if path.suffix.lower() == ".gz" else path


def check_encoding(name: str | None) -> None:
    """Refuses unknown names of encodings; None stands for UTF-8 or a byte order mark."""
    try:
        if name is not None:
            io.TextIOWrapper(io.BytesIO(), name)
    except (LookupError, TypeError, ValueError):  # unknown, no string, with a NUL
        aliases = encodings.aliases.aliases.items()
        pairs = (pair for pair in aliases if not pair[1].endswith("_codec"))  # base64 and its like
        known = {name for pair in pairs for name in pair if name[0].isalpha()}
        raise unknown("encoding", name, ["utf_8", "utf_16", *LIKELY, *sorted(known)]) from None


@contextlib.contextmanager
def open_text(
    path: Path, encoding: str | None = None, file: BinaryIO | None = None
) -> Iterator[io.TextIOWrapper]:
    """Opens a text file, plain or in gzip, and keeps its line ends.

    An open file such as standard input may be given; ``path`` is then its name in messages.

    The encoding is UTF-8 with or without a byte order mark, or ``encoding``; a byte order mark of
    UTF-16 or UTF-32 also decides. Bytes that are not of that encoding become lone surrogates, which
    :func:`undecodable` finds.

    Raises:
        UsageError: also within the ``with`` block, where reading on is impossible.
    """
    check_encoding(encoding)
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
        of_mark = "utf-8-sig" if start.startswith(codecs.BOM_UTF8) else next(marks, None)
        encoding = of_mark or encoding or "utf-8-sig"
        is_wide = codecs.lookup(encoding).name.startswith(("utf-16", "utf-32"))
        errors = "strict" if is_wide else "surrogateescape"
        if opened and not start:  # asked once more, a terminal would want a second Ctrl-D
            file = io.BytesIO()
        text = io.TextIOWrapper(file, encoding, errors=errors, newline="")
        try:
            yield text
        finally:
            if opened:
                text.detach()  # which would close it


def undecodable(text: str, encoding: str | None = None) -> str | None:
    """Describes what in a text was not of the encoding, by default UTF-8; None if nothing."""
    try:
        text.encode()
        return None
    except UnicodeEncodeError as error:
        code = ord(text[error.start])
        line = text.count("\n", 0, error.start) + 1
        where = f" in line {line} of the text" if line > 1 else ""
        if 0xDC80 <= code <= 0xDCFF:
            byte, name = f"0x{code - 0xDC00:02x}", encoding or "UTF-8"
            return f"the byte {byte}{where} is not {name}: convert the file, with iconv for one"
        return f"half a character, \\u{code:04x}: write it as UTF-8"


def advice_on(path: Path, encoding: str | None) -> str:
    """Advice on a file that is not UTF-8, ", or give .."; "" if none can be given.

    It names the likeliest encoding of the first megabyte. There is no advice if an ``encoding`` was
    given.
    """
    if encoding is not None:
        return ""
    with contextlib.suppress(UsageError, ImportError):
        from charset_normalizer import from_bytes  # which requests needs, too

        opener = gzip.open if path.suffix.lower() == ".gz" else open
        with _explained(path), opener(path, "rb") as file:
            lines = file.read(ASKED).splitlines(keepends=True)
        letters = [line for line in lines if not line.isascii()]
        foreign = [line for line in letters if SURROGATES.search(_as_utf8(line))]
        odd = b"".join(foreign)[: ASKED // 10]
        zeros = b"".join(lines[:100])
        if b"\0" in zeros:  # every other byte of Latin letters
            low = zeros[1::2].count(0) > zeros[::2].count(0)
            return _given("utf-16-le" if low else "utf-16-be")
        if len(foreign) <= len(letters) / 2:  # of UTF-8, but for some faults
            return ""
        found = from_bytes(odd, cp_isolation=LIKELY, threshold=0.5)
        best = min(found, key=lambda one: (one.chaos, -one.coherence, _rank(one)), default=None)
        if best is not None:
            return _given(LIKELY[_rank(best)])
    return ""


def _as_utf8(line):
    return line.decode(errors="surrogateescape")


def _given(encoding):
    return f", or give encoding={encoding!r}, which is likely (--encoding {encoding})"


def _rank(match):
    names = {match.encoding, *match.could_be_from_charset}
    return min(LIKELY.index(name) for name in names if name in LIKELY)


def well_formed(text: str) -> str:
    """A text that UTF-8 can encode: each surrogate becomes U+FFFD, as bytes that are not UTF-8 do.

    Surrogates come from files and command lines in other encodings, and from cut JSON.

    Raises:
        UsageError: for what is no string.
    """
    if not isinstance(text, str):
        raise UsageError(f"texts must be strings: got {text!r}")
    return SURROGATES.sub("\ufffd", text)


@contextlib.contextmanager
def _explained(path):
    """Turns what reading may raise into one line."""
    try:
        yield
    except UnicodeError as error:
        encoding = getattr(error, "encoding", "UTF-16").upper()
        raise UsageError(
            f"{path} is not the {encoding} that its first bytes, or encoding (--encoding), say "
            f"({getattr(error, 'reason', error)}): save it as UTF-8"
        ) from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise UsageError(f"{path} is not gzip, or cut off: {error}") from None
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from None
