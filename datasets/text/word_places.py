"""Where the words that a model reads stand in the original text."""

import re
from collections.abc import Sequence

from zoo.datasets.own_files.text_files import well_formed
from zoo.datasets.text.clean_ups import CLEAN_UPS, RULES, VERSION
from zoo.datasets.text.html_entities import decoded
from zoo.datasets.text.tokens import Tokens


def places(
    text: str, words: Sequence[str], clean_up: str = "hcan", version: int = VERSION
) -> list[tuple[int, int]]:
    """The first character of each word in the text, and the one after its last.

    A clean-up lowers characters, leaves some out and separates others, but never changes their
    order, so the characters of the words follow each other in the text. A character that an HTML
    reference such as ``&eacute;`` stands for has the place of the reference.

    Args:
        text: the original.
        words: all words of its clean-up, in order.
        clean_up: its name.
        version: of its rules.

    Returns:
        A start and an end for each word, in order and without overlap. A word of which no
        character is met, as its lower case is not that of its characters, has an empty place.
    """
    rules, text = RULES[version], well_formed(text)
    text, spans = decoded(text) if rules.references else (text, _singles(text))
    text = re.sub(rules.blanks, " ", text)
    for pattern, other in CLEAN_UPS[clean_up].taken_for:
        text = re.sub(pattern, lambda found, other=other: other * len(found[0]), text)  # type: ignore[misc]
    lowered = [(low, span) for span, one in zip(spans, text, strict=True) for low in _lower(one)]
    found, here, gone = [], 0, set()
    for word in words:
        met = []
        for character in _lower(word):  # Python knows some that TensorFlow does not
            there = here
            if character in gone:
                continue
            while there < len(lowered) and lowered[there][0] != character:
                there += 1
            if there < len(lowered):
                met.append(lowered[there][1])
                here = there + 1
            else:
                gone.add(character)  # or long texts would be read to their end each time
        before = found[-1][1] if found else 0
        start = max(met[0][0], before) if met else before
        found.append((start, max(met[-1][1], start) if met else start))
    return found


def _singles(text):
    return [(place, place + 1) for place in range(len(text))]


def _lower(text):
    """In lower case, where a sigma's depends on its place in the word."""
    return text.lower().replace("\u03c2", "\u03c3")


def placed_words(tokens: Tokens) -> list[list[list[tuple[str, int, int]]]]:
    """The words that a model reads, without n-grams, each with its place in its text.

    Args:
        tokens: the tokens of a list of texts.

    Returns:
        For each text its sentences, which are lists of words with their starts and ends; a flat
        model has a single sentence.
    """
    own, placed = tokens.preprocessor, []
    for text, sentences in zip(tokens.texts, tokens.all_words.to_list(), strict=True):
        sentences = [sentences] if own.max_sentences is None else sentences
        sentences = [[word.decode() for word in words] for words in sentences]
        # All words, also those beyond the limits, or else the next sentence would be placed there.
        every = [word for words in sentences for word in words]
        spans = iter(places(text, every, own.clean_up, own.version))
        whole = [[(word, *next(spans)) for word in words] for words in sentences]
        placed.append([words[: own.max_words] for words in whole[: own.max_sentences]])
    return placed
