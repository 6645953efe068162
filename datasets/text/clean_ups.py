"""Clean-ups of papers: texts to their words and sentences, in TensorFlow's graph."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import tensorflow as tf

from zoo.datasets.text.html_entities import decode
from zoo.datasets.text.text_tensors import text_tensor

# Characters that Unicode 18.0 calls sentence terminals (Sentence_Terminal in its PropList.txt).
# Four others, "." and DOTS, are ambiguous (Sentence_Break=ATerm): they also stand inside of words.
TERMINALS = (
    "0021 003F 0589 061D-061F 06D4 0700-0702 07F9 0837 0839 083D-083E 0964-0965 104A-104B 1362 "
    "1367-1368 166E 1735-1736 17D4-17D5 1803 1809 1944-1945 1AA8-1AAB 1B4E-1B4F 1B5A-1B5B "
    "1B5E-1B5F 1B7D-1B7F 1C3B-1C3C 1C7E-1C7F 203C-203D 2047-2049 2CF9-2CFB 2E2E 2E3C 2E53-2E54 "
    "2E60-2E61 3002 A4FF A60E-A60F A6F3 A6F7 A876-A877 A8CE-A8CF A92F A9C8-A9C9 AA5D-AA5F "
    "AAF0-AAF1 ABEB FE12 FE15-FE16 FE56-FE57 FF01 FF1F FF61 10A56-10A57 10F55-10F59 10F86-10F89 "
    "11047-11048 110BE-110C1 11141-11143 111C5-111C6 111CD 111DE-111DF 11238-11239 1123B-1123C "
    "112A9 113D4-113D5 1144B-1144C 115C2-115C3 115C9-115D7 11641-11642 1173C-1173E 11944 11946 "
    "11A42-11A43 11A9B-11A9C 11C41-11C42 11EF7-11EF8 11F43-11F44 16A6E-16A6F 16AF5 16B37-16B38 "
    "16B44 16D6E-16D6F 16E98 1BC9F 1DA88"
)
DOTS = "2024 FE52 FF0E"  # those that are not ASCII's: one dot leader, small and fullwidth full stop


def _class(ranges):
    """Characters between the brackets of a regular expression, from ranges of code points."""
    return re.sub("[0-9A-F]+", lambda code: chr(int(code[0], 16)), ranges).replace(" ", "")


ENDS, DOTS = _class(TERMINALS), _class(DOTS)
# Unicode's blanks that are none in ASCII, and what would end a text or a sentence; also for Python.
BLANKS = r"[\x00\x0b\x1f\x85\xa0" "\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"

# The version of the rules: a model keeps those with which it was trained.
#   1: sentences end at . ! ? alone; references of HTML and Unicode's blanks are not known.
#   2: sentences end at each sentence terminal of Unicode, which is a word of its own.
VERSION = 2

# Rules of regular expressions and replacements by the name of a clean-up; lower case comes first.
# A mark becomes a word of its own; a dot inside a word stays there (3.5, u.s).
FIRST_CLEAN_UPS = {  # of version 1
    # HCAN's Section 4.3: letters, digits and . ! ? kept. Apostrophes go without a trace ("doesnt",
    # as in its examples), all else becomes a space.
    "hcan": [
        (r"['\x{2019}]", ""),
        (r"[^\p{L}\p{M}\p{N}.!?\n ]", " "),
        (r"[!?]|\.(?:\.+|\s|$)", r" \0 "),
    ],
    # HAN's Section 3.3, CoreNLP: all marks kept, "do n't" and "it 's" are two words each.
    "han": [
        (r"\x{2019}", "'"),
        (r"n't\b", " n't"),
        (r"([\p{L}\p{N}])'(s|re|ve|ll|d|m)\b", r"\1 '\2"),
        (r"(^|\s)'([^srvldm]|\w\w\w)", r"\1' \2"),
        (r"'(\s|$)", r" '\1"),
        (r"[^\p{L}\p{M}\p{N}\s.,'-]|--+", r" \0 "),
        (r"(?:\.+|,)(?:\s|$)", r" \0 "),
    ],
    # Kim's clean_str, which is that of ATT-CNN's corpora: letters, digits and ( ) , ! ? ' ` kept.
    "kim": [
        (r"[^A-Za-z0-9(),!?'`\n ]", " "),
        (r"n't|'(?:s|ve|re|d|ll)", r" \0"),
        (r"[,!()?]", r" \0 "),
    ],
    # Texts that come tokenized, as SST and SemEval of SSAN: the words between the spaces.
    "tokens": [],
    # CNN-char and VDCNN: each character is a word, spaces too. Line ends are spaces, as a
    # vocabulary on disk has a word a line.
    "characters": [(r"[\r\n]", " ")],
}
# A dot of other scripts that no letter with case and no digit follows.
_DOT = rf"([{DOTS}]+)([^\p{{N}}\p{{Lu}}\p{{Ll}}{DOTS}]|$)", r" \1 \2"
CLEAN_UPS = FIRST_CLEAN_UPS | {
    "hcan": [
        (r"['\x{2019}]", ""),
        (rf"[^\p{{L}}\p{{M}}\p{{N}}.{ENDS}{DOTS}\n ]", " "),
        (rf"[{ENDS}]|\.(?:\.+|\s|$)", r" \0 "),
        _DOT,
    ],
    "han": [
        *FIRST_CLEAN_UPS["han"][:5],
        (rf"[^\p{{L}}\p{{M}}\p{{N}}\s.,'{DOTS}-]|--+", r" \0 "),
        FIRST_CLEAN_UPS["han"][6],
        _DOT,
    ],
    # Dots and the marks of other scripts are left out, but a sentence ends there.
    "kim": [
        (rf"[^A-Za-z0-9(),!?'`\n .{ENDS}{DOTS}]", " "),
        *FIRST_CLEAN_UPS["kim"][1:],
        (rf"(?:\.+|[{DOTS}]+)(?:\s|$)|[{ENDS.removeprefix(_class('0021 003F'))}]", "\n\n"),
        (rf"[.{DOTS}]", " "),
    ],
}
CONTROL = r"[\x01-\x04]"
for _rules in (FIRST_CLEAN_UPS, CLEAN_UPS):
    # Of two marked entities, <e1> </e1> and <e2> </e2>: HAN's, without the marks. Two spaces, as a
    # rule may take one for what stands before a quote.
    _rules["relations"] = [(CONTROL, " "), (r"</?e[12]>", "  "), *_rules["han"]]
# The same with each mark as a word, a control character, for who asks which words are in them.
MARKS = {"<e1>": "\x01", "</e1>": "\x02", "<e2>": "\x03", "</e2>": "\x04"}
END = "\x1f"  # between sentences
UTF8 = r"[\x00-\x{D7FF}\x{E000}-\x{10FFFF}]*"  # what is well-formed, of any number of lines


def _sentence_ends(marks):
    """A sentence ends after its mark or marks, and at an empty line."""
    return [
        (rf"(?:^|\s)([{marks}]+(?:\s+[{marks}]+)*)(?:\s+|$)", r" \1" + END),
        (r"\s*\n\s*\n\s*", END),
    ]


@dataclass(frozen=True)
class Rules:
    """How texts become words and sentences; pairs are a regular expression and its replacement.

    Attributes:
        entities: whether references of HTML are decoded, before all.
        blanks: what becomes a space then, before texts are in lower case.
        clean_ups: after lower case, by the name of the clean-up.
        sentence_ends: after that, where :data:`END` stands between sentences.
    """

    entities: bool
    blanks: str
    clean_ups: dict[str, list[tuple[str, str]]]
    sentence_ends: list[tuple[str, str]]


RULES = {
    1: Rules(False, r"[\x00\x1f]", FIRST_CLEAN_UPS, _sentence_ends(".!?")),
    2: Rules(True, BLANKS, CLEAN_UPS, _sentence_ends("." + ENDS + DOTS)),
}


def clean(
    texts: tf.Tensor | Sequence[str], clean_up: str = "hcan", version: int = VERSION
) -> tf.Tensor:
    """A clean-up, ``[batch]`` strings to ``[batch]`` strings of words between spaces."""
    rules = RULES[version]
    return _replace(_lowered(texts, rules), rules.clean_ups[clean_up])


def _lowered(texts, rules):
    texts = _well_formed(text_tensor(texts))
    # TensorFlow's lower case would cut a text at a NUL, and under a Turkish or Azeri locale makes
    # other letters of I and \u0130.
    if rules.entities:
        texts = decode(texts, rules.blanks)
    else:
        texts = tf.strings.regex_replace(texts, rules.blanks, " ")
    texts = _replace(texts, [("I", "i"), ("\u0130", "i\u0307")])
    return tf.strings.lower(texts, "utf-8")


def _well_formed(texts):
    """Bytes that are not UTF-8 become U+FFFD. Most texts have none, which takes a tenth to see."""
    others = tf.where(tf.logical_not(tf.strings.regex_full_match(texts, UTF8)))

    def replaced():
        some = tf.gather_nd(texts, others)
        some = tf.strings.unicode_transcode(some, "UTF-8", "UTF-8", errors="replace")
        return tf.tensor_scatter_nd_update(texts, others, some)

    return tf.cond(tf.size(others) > 0, replaced, lambda: texts)


def split_words(
    texts: tf.Tensor, clean_up: str = "hcan", version: int = VERSION
) -> tf.RaggedTensor:
    """``[batch]`` strings to their words, ragged ``[batch, words]`` strings."""
    texts = clean(texts, clean_up, version)
    if clean_up == "characters":
        return tf.strings.unicode_split(texts, "UTF-8")
    return tf.strings.split(texts)


def split_sentences(
    texts: tf.Tensor, clean_up: str = "hcan", version: int = VERSION
) -> tf.RaggedTensor:
    """``[batch]`` strings to the words of their sentences, ``[batch, sentences, words]``."""
    texts = _replace(clean(texts, clean_up, version), RULES[version].sentence_ends)
    sentences = tf.strings.split(texts, sep=END)
    words = sentences.with_flat_values(tf.strings.split(sentences.flat_values))
    return tf.ragged.boolean_mask(words, words.row_lengths(axis=2) > 0)


def split_roles(
    texts: tf.Tensor, version: int = VERSION
) -> tuple[tf.RaggedTensor, tf.RaggedTensor]:
    """``[batch]`` strings with marked entities to their words and to the role of each.

    Returns:
        ragged ``[batch, words]`` strings, and int64: 1 in the first entity, 2 in the second, 3 in
        both, else 0. An entity is what stands after its first mark, up to the end mark that
        follows, or to the end of the text.
    """
    rules = RULES[version]
    marks = [(mark, f" {character} ") for mark, character in MARKS.items()]
    texts = _replace(_lowered(texts, rules), [(CONTROL, " "), *marks, *rules.clean_ups["han"]])
    words = tf.strings.split(texts).to_tensor()
    found = [tf.cast(tf.equal(words, mark), "int64") for mark in MARKS.values()]

    def inside(start, end):
        begun = tf.cumsum(start, axis=1) > 0
        over = tf.cumsum(tf.where(begun, end, 0), axis=1) > 0
        return tf.cast(tf.logical_and(begun, tf.logical_not(over)), "int64")

    first, second = inside(*found[:2]), inside(*found[2:])
    real = tf.logical_and(tf.not_equal(words, ""), tf.equal(tf.add_n(found), 0))
    return tuple(tf.ragged.boolean_mask(part, real) for part in (words, first + 2 * second))


def with_ngrams(words: tf.RaggedTensor, longest: int) -> tf.RaggedTensor:
    """The words of each text, then its pairs, and so on; ragged ``[batch, words]`` strings."""
    if longest == 1:
        return words
    return tf.strings.ngrams(words, tuple(range(1, longest + 1)), separator=" ")


def _replace(texts, rules):
    for pattern, replacement in rules:
        texts = tf.strings.regex_replace(texts, pattern, replacement)
    return texts
