"""Clean-ups of papers: texts to their words and sentences, in TensorFlow's graph."""

from collections.abc import Sequence

import tensorflow as tf

from zoo.datasets.texts import text_tensor

# Rules of regular expressions and replacements by the name of a clean-up; lower case comes first.
# A mark becomes a word of its own; a dot inside a word stays there (3.5, u.s).
CLEAN_UPS = {
    # HCAN's Section 4.3: letters, digits and . ! ? kept. Apostrophes go without a trace ("doesnt",
    # as in its examples), all else becomes a space.
    "hcan": [
        (r"['\x{2019}]", ""),
        (r"[^\p{L}\p{M}\p{N}.!?\n]", " "),
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
        (r"[^A-Za-z0-9(),!?'`\n]", " "),
        (r"n't|'(?:s|ve|re|d|ll)", r" \0"),
        (r"[,!()?]", r" \0 "),
    ],
    # Texts that come tokenized, as SST and SemEval of SSAN: the words between the spaces.
    "tokens": [],
    # Of two marked entities, <e1> </e1> and <e2> </e2>: HAN's, without the marks.
    "relations": [],
    # CNN-char and VDCNN: each character is a word, spaces too. Line ends are spaces, as a
    # vocabulary on disk has a word a line.
    "characters": [(r"[\r\n]", " ")],
}
CONTROL = r"[\x01-\x04]"
# Two spaces, as a rule may take one for what stands before a quote.
CLEAN_UPS["relations"] = [(CONTROL, " "), (r"</?e[12]>", "  "), *CLEAN_UPS["han"]]
# The same with each mark as a word, a control character, for who asks which words are in them.
MARKS = {"<e1>": "\x01", "</e1>": "\x02", "<e2>": "\x03", "</e2>": "\x04"}
END = "\x1f"  # between sentences
# A sentence ends after its mark or marks, and at an empty line.
SENTENCE_ENDS = [
    (r"(?:^|\s)([.!?]+(?:\s+[.!?]+)*)(?:\s+|$)", r" \1" + END),
    (r"\s*\n\s*\n\s*", END),
]


def clean(texts: tf.Tensor | Sequence[str], clean_up: str = "hcan") -> tf.Tensor:
    """A clean-up, ``[batch]`` strings to ``[batch]`` strings of words between spaces."""
    texts = tf.strings.unicode_transcode(text_tensor(texts), "UTF-8", "UTF-8", errors="replace")
    # TensorFlow's lower case would cut a text at a NUL, and under a Turkish or Azeri locale makes
    # other letters of I and \u0130.
    texts = _replace(texts, [(r"[\x00\x1f]", " "), ("I", "i"), ("\u0130", "i\u0307")])
    return _replace(tf.strings.lower(texts, "utf-8"), CLEAN_UPS[clean_up])


def split_words(texts: tf.Tensor, clean_up: str = "hcan") -> tf.RaggedTensor:
    """``[batch]`` strings to their words, ragged ``[batch, words]`` strings."""
    if clean_up == "characters":
        return tf.strings.unicode_split(clean(texts, clean_up), "UTF-8")
    return tf.strings.split(clean(texts, clean_up))


def split_sentences(texts: tf.Tensor, clean_up: str = "hcan") -> tf.RaggedTensor:
    """``[batch]`` strings to the words of their sentences, ``[batch, sentences, words]``."""
    sentences = tf.strings.split(_replace(clean(texts, clean_up), SENTENCE_ENDS), sep=END)
    words = sentences.with_flat_values(tf.strings.split(sentences.flat_values))
    return tf.ragged.boolean_mask(words, words.row_lengths(axis=2) > 0)


def split_roles(texts: tf.Tensor) -> tuple[tf.RaggedTensor, tf.RaggedTensor]:
    """``[batch]`` strings with marked entities to their words and to the role of each.

    Returns:
        ragged ``[batch, words]`` strings, and int64: 1 in the first entity, 2 in the second, 3 in
        both, else 0. An entity is what stands after its first mark, up to the end mark that
        follows, or to the end of the text.
    """
    marks = [(mark, f" {character} ") for mark, character in MARKS.items()]
    texts = clean(tf.strings.regex_replace(text_tensor(texts), CONTROL, " "), "tokens")
    words = tf.strings.split(_replace(texts, [*marks, *CLEAN_UPS["han"]])).to_tensor()
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
