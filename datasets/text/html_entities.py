"""Character references of HTML, ``&eacute;``, ``&#233;`` or ``&#xE9;``, to the characters."""

import functools
import re
from html.entities import html5

import numpy as np
import tensorflow as tf

# For RE2, which finds what begins with one character fastest, and for Python.
ENTITY = "&(?:#[0-9]+|#[xX][0-9a-fA-F]+|[a-zA-Z][a-zA-Z0-9]*);"
NUMBER = "&#(?:[0-9]+|[xX][0-9a-fA-F]+);"
CHARACTERS = {f"&{name}": value for name, value in html5.items() if name.endswith(";")}
# HTML reads the numbers of Latin 1's control characters as those of Windows, as browsers do.
WINDOWS = [ord(bytes([code]).decode("cp1252", "ignore") or chr(code)) for code in range(128, 160)]
BETWEEN = "\x1f"
LONGEST = 7  # digits of a code point; more are none


def decode(texts: tf.Tensor, blanks: str) -> tf.Tensor:
    """``[batch]`` strings of UTF-8 with their references decoded, each once; in a graph, too.

    Named ones are those of HTML 5 that end in ``;``; an unknown name stays as it is. A number that
    is no character gives U+FFFD.

    Args:
        texts: the strings.
        blanks: a regular expression of what becomes a space, also where a reference stands for it;
            U+001F must be one.
    """
    texts = tf.strings.regex_replace(texts, blanks, " ")
    marked = tf.strings.regex_replace(texts, ENTITY, f"{BETWEEN}\\0{BETWEEN}")
    found = tf.where(tf.strings.length(marked) != tf.strings.length(texts))
    return tf.cond(
        tf.size(found) > 0, lambda: _decode_some(texts, marked, found, blanks), lambda: texts
    )


_STRINGS = tf.TensorSpec([None], tf.string)
_PLACES = tf.TensorSpec([None, 1], tf.int64)


# One function, so that a SavedModel has its names once, whatever calls it. Autograph would look for
# Python's control flow, of which there is none, for a second.
@tf.function(
    input_signature=[_STRINGS, _STRINGS, _PLACES, tf.TensorSpec([], tf.string)], autograph=False
)
def _decode_some(texts, marked, found, blanks):
    parts = tf.strings.split(tf.gather_nd(marked, found), sep=BETWEEN)
    flat = _named(parts.flat_values)
    numbers = tf.where(tf.strings.regex_full_match(flat, NUMBER))
    flat = tf.tensor_scatter_nd_update(flat, numbers, _numbered(tf.gather_nd(flat, numbers)))
    decoded = tf.strings.reduce_join(parts.with_flat_values(flat), axis=-1)
    decoded = tf.strings.regex_replace(decoded, blanks, " ")
    return tf.tensor_scatter_nd_update(texts, found, decoded)


@functools.cache
def _named_characters():
    """Hashes of the named references, in order, and their characters.

    Of 62 bits: that an unknown name has one of theirs, too, is not to be expected.
    """
    with tf.init_scope():
        hashes = _hashes(tf.constant(list(CHARACTERS))).numpy()
    order = hashes.argsort()
    return hashes[order], np.array([*CHARACTERS.values()], object)[order]


def _hashes(strings):
    return tf.strings.to_hash_bucket_fast(strings, 2**62)


def _named(parts):
    """Strings, with the character in place of each that is a named reference."""
    known, characters = _named_characters()  # constants: a table would be a file of a SavedModel
    known, hashes = tf.constant(known), _hashes(parts)
    places = tf.minimum(tf.searchsorted(known, hashes), len(characters) - 1)
    return tf.where(tf.gather(known, places) == hashes, tf.gather(characters, places), parts)


def _numbered(references):
    """The characters of numbered references."""
    digits = tf.strings.regex_replace(references, "&#[xX]?0*|;", "")
    digits = tf.where(tf.strings.length(digits) > LONGEST, LONGEST * "9", digits)
    digits = tf.strings.substr(tf.strings.join([LONGEST * "0", digits]), -LONGEST, LONGEST)
    codes = tf.cast(tf.io.decode_raw(digits, "uint8", fixed_length=LONGEST), "int32")
    codes = codes % 16 + tf.where(codes > ord("9"), 9, 0)  # 0 to 9 are 48 to 57; A 65, a 97
    bases = tf.where(tf.strings.regex_full_match(references, "&#[xX].*"), 16, 10)
    code = tf.reduce_sum(codes * bases[:, None] ** tf.range(LONGEST)[::-1], axis=1)
    of_windows = tf.gather(WINDOWS, tf.clip_by_value(code - 128, 0, len(WINDOWS) - 1))
    code = tf.where((code >= 128) & (code < 160), of_windows, code)
    return tf.strings.unicode_encode(code[:, None], "UTF-8", errors="replace")


def decoded(text: str) -> tuple[str, list[tuple[int, int]]]:
    """What :func:`decode` makes of a text, in Python, and where each character of it stood.

    Returns:
        The decoded text; and for each of its characters the place of its first character in
        ``text``, and of the one after its last: of a reference, that of the whole.

    Example:
        >>> decoded("a&gt;b")
        ('a>b', [(0, 1), (1, 5), (5, 6)])
    """
    pieces, places, here = [], [], 0
    for found in re.finditer(ENTITY, text):
        value = _character(found[0])
        if value is None:
            continue
        start, end = found.span()
        pieces += [text[here:start], value]
        places += [(place, place + 1) for place in range(here, start)]
        places += [(start, end)] * len(value)
        here = end
    places += [(place, place + 1) for place in range(here, len(text))]
    return "".join([*pieces, text[here:]]), places


def _character(reference):
    """The characters of a reference; None for an unknown name."""
    if reference[1] != "#":
        return CHARACTERS.get(reference)
    base = 16 if reference[2] in "xX" else 10
    digits = reference[2:-1].lstrip("xX").lstrip("0") or "0"
    code = int(digits, base) if len(digits) <= LONGEST else -1
    if 128 <= code < 160:
        code = WINDOWS[code - 128]
    return chr(code) if 0 <= code < 0xD800 or 0xE000 <= code < 0x110000 else "\ufffd"
