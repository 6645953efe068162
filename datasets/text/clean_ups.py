"""Clean-ups of papers: which words and sentences a text has.

A new clean-up is a further entry of :data:`CLEAN_UPS`.
"""

import re
from dataclasses import dataclass, field
from string import ascii_lowercase

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
DOTS = "2024 FE52 FF0E"  # those outside ASCII: one dot leader, small and fullwidth full stop


def _class(ranges):
    """Characters between the brackets of a regular expression, from ranges of code points."""
    return re.sub("[0-9A-F]+", lambda code: chr(int(code[0], 16)), ranges).replace(" ", "")


ENDS, DOTS = _class(TERMINALS), _class(DOTS)
# Unicode's blanks outside of ASCII's, and characters that would end a text or a sentence. RE2 and
# Python both read this expression.
BLANKS = r"[\x00\x0b\x1f\x85\xa0" "\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"

END = "\x1f"  # between sentences
CONTROL = r"[\x01-\x04]"
# Marks of entities, each with a control character that stands for it where words are split.
MARKS = {"<e1>": "\x01", "</e1>": "\x02", "<e2>": "\x03", "</e2>": "\x04"}

# Pairs of a regular expression, in RE2's syntax unless stated otherwise, and its replacement.
Pairs = list[tuple[str, str]]


@dataclass(frozen=True)
class Rules:
    """What all clean-ups have in common.

    Attributes:
        references: whether HTML character references are decoded, before anything else.
        blanks: an expression for what then becomes a space, before texts become lower case.
        sentence_ends: replacements after the clean-up, which put :data:`END` between sentences.
    """

    references: bool
    blanks: str
    sentence_ends: Pairs


def _sentence_ends(marks):
    """Replacements by which a sentence ends after its mark or marks, and at an empty line."""
    return [
        (rf"(?:^|\s)([{marks}]+(?:\s+[{marks}]+)*)(?:\s+|$)", r" \1" + END),
        (r"\s*\n\s*\n\s*", END),
    ]


RULES = {  # by version: a model keeps the rules with which it was trained
    # Sentences end only at . ! ?; HTML character references and Unicode's blanks are not known.
    1: Rules(False, r"[\x00\x1f]", _sentence_ends(".!?")),
    # Sentences end at each sentence terminal of Unicode, which is a separate word.
    2: Rules(True, BLANKS, _sentence_ends("." + ENDS + DOTS)),
}
VERSION = 2


@dataclass(frozen=True)
class CleanUp:
    """How a paper's texts become words.

    Attributes:
        replacements: replacements in lower-case text, by the version of the rules. A mark becomes a
            separate word; a dot inside a word stays there (3.5, u.s).
        taken_for: pairs of a regular expression of Python and the character that replaces each
            character that it matches: where letters of words differ from those of the text.
        by_character: whether each character is a word, spaces too; else spaces separate words.
        marks_entities: whether texts mark two entities, ``<e1>this</e1>`` and ``<e2>that</e2>``.
    """

    replacements: dict[int, Pairs]
    taken_for: Pairs = field(default_factory=list)
    by_character: bool = False
    marks_entities: bool = False


APOSTROPHE, LINE_END = ("\u2019", "'"), (r"[\r\n]", " ")
# A dot of another script, followed neither by a letter that has case nor by a digit.
_DOT = rf"([{DOTS}]+)([^\p{{N}}\p{{Lu}}\p{{Ll}}{DOTS}]|$)", r" \1 \2"


def _hcan(ends, dots):
    """HCAN's Section 4.3: letters, digits and . ! ? are kept.

    Apostrophes are removed ("doesnt", as in its examples); everything else becomes a space.
    """
    return [
        (r"['\x{2019}]", ""),
        (rf"[^\p{{L}}\p{{M}}\p{{N}}.{ends}{dots}\n ]", " "),
        (rf"[{ends}]|\.(?:\.+|\s|$)", r" \0 "),
    ]


def _han(dots):
    """HAN's Section 3.3, CoreNLP: all marks are kept; "do n't" and "it 's" are two words each."""
    return [
        (r"\x{2019}", "'"),
        (r"n't\b", " n't"),
        (r"([\p{L}\p{N}])'(s|re|ve|ll|d|m)\b", r"\1 '\2"),
        (r"(^|\s)'([^srvldm]|\w\w\w)", r"\1' \2"),
        (r"'(\s|$)", r" '\1"),
        (rf"[^\p{{L}}\p{{M}}\p{{N}}\s.,'{dots}-]|--+", r" \0 "),
        (r"(?:\.+|,)(?:\s|$)", r" \0 "),
    ]


HAN = {1: _han(""), 2: [*_han(DOTS), _DOT]}

EMOTICONS = (  # with eyes before the mouth, hearts, and faces that look straight at the reader
    r"[<>]?[:;=][-'o^]?(?:[()\[\]{}|/\\*@]+|[dpox3]\b)|<+/?3+|\^[_.-]*\^|-_+-"
)


def _runs(characters, most):
    """Replacements that shorten longer runs of one of the characters to the first ``most``."""
    groups = [f"({re.escape(one) * most}){re.escape(one)}+" for one in characters]
    for first in range(0, len(groups), 9):  # more groups cannot be named
        nine = groups[first : first + 9]
        kept = "".join(f"\\{number}" for number, _ in enumerate(nine, start=1))
        yield "|".join(nine), kept


def _tweets(version):
    """Tweets as the authors of SSAN's corpora read them (Barnes et al. 2017).

    A user name becomes the word "@", a web address "http" or "www"; an emoticon is a word. Where a
    letter or a mark is repeated, the first two are kept ("soooo" is "soo"), and the first three of
    dots and of w. Everything else is as in HAN's clean-up.
    """
    apostrophe, *clitics, (signs, apart), ends = HAN[version][:7]
    return [
        (r"\b(http)s?://\S*", r" \1 "),
        (r"\b(www)\.\S*", r" \1 "),
        (r"(^|\W)@\w+", r"\1 @ "),
        *_runs(ascii_lowercase.replace("w", "") + "!?()", 2),
        *_runs("w.", 3),
        apostrophe,
        *clitics,
        (rf"{EMOTICONS}|\.\.+|{signs}", apart),
        ends,
        *HAN[version][7:],
    ]


def _kim(others):
    """Kim's clean_str, also for ATT-CNN's corpora: letters, digits and ( ) , ! ? ' ` are kept."""
    return [
        (rf"[^A-Za-z0-9(),!?'`\n {others}]", " "),
        (r"n't|'(?:s|ve|re|d|ll)", r" \0"),
        (r"[,!()?]", r" \0 "),
    ]


KIM_ENDS = [  # dots and the marks of other scripts are removed, but a sentence ends there
    (rf"(?:\.+|[{DOTS}]+)(?:\s|$)|[{ENDS.removeprefix(_class('0021 003F'))}]", "\n\n"),
    (rf"[.{DOTS}]", " "),
]
CLEAN_UPS = {
    "hcan": CleanUp({1: _hcan("!?", ""), 2: [*_hcan(ENDS, DOTS), _DOT]}),
    "han": CleanUp(HAN, [APOSTROPHE]),
    "kim": CleanUp({1: _kim(""), 2: [*_kim(f".{ENDS}{DOTS}"), *KIM_ENDS]}),
    "tweets": CleanUp({version: _tweets(version) for version in HAN}, [APOSTROPHE]),
    # For texts that are already tokenized, as SSAN's SST and SenTube: spaces separate the words.
    "tokens": CleanUp({1: [], 2: []}),
    # CNN-char and VDCNN: each character is a word, spaces too. Line ends become spaces, as a
    # vocabulary file has one word per line.
    "characters": CleanUp({1: [LINE_END], 2: [LINE_END]}, [LINE_END], by_character=True),
    # For texts with two marked entities: HAN's clean-up without the marks. Each mark becomes two
    # spaces, as a rule may match one of them together with a quote that follows.
    "relations": CleanUp(
        {version: [(CONTROL, " "), (r"</?e[12]>", "  "), *own] for version, own in HAN.items()},
        [("(?i)</?e[12]>", " "), APOSTROPHE],
        marks_entities=True,
    ),
}
