"""How letters are written: each with its accents as one character."""

import re
import unicodedata

WORD = re.compile(r"\S{1,2000}")  # as composing takes time by the square of a length


def composed(text: str) -> str:
    """A text with each letter and its accents as one character, where Unicode has that.

    Some systems, macOS among them, write them as several: the same word would be another one. It
    is Unicode's NFC of each word that NFC makes shorter. The others stay as they are written: NFC
    takes letters of Indian scripts apart that keyboards write as one.

    Example:
        >>> from zoo import datasets
        >>> datasets.composed("cafe\\u0301") == "caf\\u00e9"
        True
    """
    return text if text.isascii() else WORD.sub(_shorter, text)


def _shorter(word):
    found = word[0] if word[0].isascii() else unicodedata.normalize("NFC", word[0])
    return found if len(found) < len(word[0]) else word[0]
