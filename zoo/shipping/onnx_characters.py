"""What a clean-up makes of each character, for graphs that read texts character by character.

The answers come from TensorFlow itself, so that graphs have the same version of Unicode.
"""

import functools
import re
import sys
from dataclasses import dataclass

import numpy as np
import tensorflow as tf

from zoo.datasets.text.clean_ups import BLANKS, CLEAN_UPS, DOTS
from zoo.datasets.text.clean_ups import ENDS as RANGES
from zoo.datasets.text.html_entities import CHARACTERS, WINDOWS

# Symbols are the numbers that a graph uses for characters. These are for whole classes of
# characters; from FIRST on each symbol is for one character that the graph must distinguish.
NOTHING, END, SPACE, LINE_END, CASED, LETTER, MARK, SIGN = range(8)
OTHERS = {  # classes of characters that need not be distinguished, as expressions of RE2
    CASED: r"[\p{N}\p{Lu}\p{Ll}]",
    LETTER: r"[\p{Lt}\p{Lm}\p{Lo}]",
    MARK: r"\p{M}",
}
FIRST = 8  # the first symbol of a single character
CASE, IGNORED, SIGMA = 1, 2, 3  # SIGMA is the capital letter, which has case, too
SIGMAS = "\u03c3\u03c2"  # the small letters: inside a word, and at its end
LAST = chr(sys.maxunicode)  # a character of no class
NO_LETTER = (LAST, SIGN)
ASSIGNED = (range(0xD800), range(0xE000, 0x32400), range(0xE0000, 0xE0200))  # letters are in these
ENDS = "".join(re.findall(f"[{RANGES}]", "".join(map(chr, range(sys.maxunicode)))))
FREQUENT = re.compile("[\0-\u017f\u2000-\u206f]")  # these are looked up before all others
APART = frozenset([*map(chr, range(128)), *ENDS, *DOTS])  # these are always distinguished
KIM = "abcdefghijklmnopqrstuvwxyz0123456789(),!?'`"


@functools.cache
def _every_character():
    """For each character that may be a letter, its lower case and the class of that."""
    codes = np.concatenate([np.array(codes, "int32") for codes in ASSIGNED])
    texts = tf.strings.unicode_encode(codes[:, None], "UTF-8")
    lowered = tf.strings.regex_replace(texts, "\u0130", "i\u0307")  # as zoo.datasets.text.tokens
    lowered = tf.strings.lower(lowered, "utf-8")
    classes = np.full(len(codes), SIGN)
    for symbol, pattern in OTHERS.items():
        classes[tf.strings.regex_full_match(lowered, pattern).numpy()] = symbol
    texts = [chr(code) for code in codes]
    lowered = [one.decode() for one in lowered.numpy()]
    lowered[0] = "\0"  # TensorFlow would end a text here; blanks are replaced before that
    return dict(zip(texts, zip(lowered, classes.tolist(), strict=True), strict=True))


@functools.cache
def _case():
    """Which characters have case, and which are skipped in the search for one that has."""
    characters = list(_every_character())
    after = tf.strings.join(["A\u03a3", tf.constant(characters)])
    found = [tf.strings.lower(tf.strings.join([after, end]), "utf-8").numpy() for end in ("", "A")]
    small = [[one.decode()[1:2] == SIGMAS[0] for one in some] for some in found]
    return {
        one: CASE if has else IGNORED
        for one, has, may in zip(characters, *small, strict=True)
        if may
    } | {"\u03a3": SIGMA}


@dataclass(frozen=True)
class Characters:
    """The symbols of a clean-up and a vocabulary.

    Attributes:
        symbols: the symbol of each character that is distinguished.
        pairs: ``[pairs, 2]`` int64, the symbols that a character of a text may become; the second
            one is mostly NOTHING.
        case: for each pair CASE, IGNORED, SIGMA or 0, by which the form of a sigma is chosen if
            words of the vocabulary have a sigma.
        places: the row in ``pairs`` of each character and of each named reference of HTML.
        others: the row in ``pairs`` of characters that are not in ``places``, by their class.
        ranges: an expression of RE2 for the characters of each class.
        blocks, of_blocks: rows in ``pairs`` of numbered references: ``of_blocks[blocks[code //
            256], code % 256]``; codes from 0x110000 on are no characters.
    """

    symbols: dict[str, int]
    pairs: np.ndarray
    case: np.ndarray
    places: dict[str, int]
    others: dict[int, int]
    ranges: dict[int, str]
    blocks: np.ndarray
    of_blocks: np.ndarray

    @classmethod
    def of(cls, clean_up: str, vocabulary: list[str]) -> "Characters":
        """The characters in words of the vocabulary, and those that the clean-up looks at."""
        return cls._of(clean_up, frozenset("".join(vocabulary)) - APART)

    @classmethod
    @functools.lru_cache(maxsize=8)  # it takes a second, and most models share it
    def _of(cls, clean_up, further):
        apart = APART | further
        blank, cleaned = re.compile(BLANKS), _CLEANED[clean_up]
        case = _case() if apart & set(SIGMAS) else {}  # without a sigma no word depends on case
        every = {one: (one, SIGN) for one in apart} | _every_character()
        symbols = {one: number for number, one in enumerate(sorted(apart), start=FIRST)}

        def plain(character, kind):  # the symbol of a lower-case character
            for pattern, other in CLEAN_UPS[clean_up].taken_for:
                character = re.sub(pattern, other, character)
            return cleaned(character, symbols.get(character, kind), kind)

        def found(character):
            character = " " if blank.match(character) else character
            lowered, kind = every.get(character, (character, SIGN))
            if len(lowered) == 1:
                return (plain(lowered, kind),)
            return tuple(plain(one, every[one][1]) for one in lowered)

        def read_as(characters):
            symbols = tuple(symbol for one in characters for symbol in found(one))
            return symbols, case.get(characters[0], 0)

        defaults = {kind: ((cleaned(LAST, kind, kind),), 0) for kind in (*OTHERS, SIGN)}
        of_codes = {one: read_as(one) for one in every}
        read = {
            one: had
            for one, had in of_codes.items()
            if had != defaults[every[one][1]] or FREQUENT.match(one)
        }
        read |= {name: read_as(characters) for name, characters in CHARACTERS.items()}
        pairs = sorted({*read.values(), *defaults.values(), ((END,), 0)})
        place = {pair: number for number, pair in enumerate(pairs)}
        by_code = np.full(0x110100, place[read_as("\ufffd")], "int32")
        by_code[0:0xD800] = by_code[0xE000:0x110000] = place[defaults[SIGN]]
        by_code[list(map(ord, of_codes))] = [place[had] for had in of_codes.values()]
        by_code[128:160] = [place[read_as(chr(other))] for other in WINDOWS]
        of_blocks, blocks = np.unique(by_code.reshape(-1, 256), axis=0, return_inverse=True)
        return cls(
            symbols,
            np.array([(*pair, NOTHING)[:2] for pair, _ in pairs], "int64"),
            np.array([case for _, case in pairs]),
            {one: place[had] for one, had in read.items()},
            {kind: place[had] for kind, had in defaults.items()},
            {kind: _ranges(every, kind) for kind in OTHERS},
            blocks.reshape(-1).astype("int64"),
            of_blocks,
        )

    def are(self, characters: str, *classes: int) -> np.ndarray:
        """Booleans for all symbols: which are one of the characters, or one of the classes."""
        found = np.zeros(FIRST + len(self.symbols), bool)
        found[[*(self.symbols[one] for one in characters), *classes]] = True
        return found

    def of_class(self, *classes: int) -> np.ndarray:
        """Booleans for all symbols: which are of the classes, distinguished characters included."""
        every, own = _every_character(), self.are("", *classes)
        for character, symbol in self.symbols.items():
            own[symbol] |= every.get(character, NO_LETTER)[1] in classes
        return own


def _ranges(every, kind):
    """An expression of RE2 for the characters whose lower case is of the class ``kind``."""
    codes = sorted(ord(one) for one, (_, own) in every.items() if own == kind)
    runs = np.split(codes, np.flatnonzero(np.diff(codes) > 1) + 1)
    return "[" + "".join(f"\\x{{{run[0]:x}}}-\\x{{{run[-1]:x}}}" for run in runs) + "]"


def _hcan(character, symbol, kind):
    if character in "'\u2019":
        return NOTHING
    if character == "\n":
        return LINE_END
    return symbol if kind != SIGN or character in f".{ENDS}{DOTS}" else SPACE


def _kim(character, symbol, kind):
    if character == "\n":
        return LINE_END
    return symbol if character in f"{KIM}.{ENDS}{DOTS}" else SPACE


def _words(character, symbol, kind):
    return LINE_END if character == "\n" else SPACE if character in " \t\r\f\v" else symbol


def _characters(character, symbol, kind):
    return symbol


_CLEANED = {"hcan": _hcan, "han": _words, "kim": _kim, "tokens": _words, "characters": _characters}
