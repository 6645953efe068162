"""Texts to word ids in ONNX, as plain onnxruntime runs it, without extensions.

ONNX has no replacement of regular expressions. So texts become characters, and these become
numbers, all in one row. A clean-up decides by each character and its neighbours where words are
cut. A word is recognized by a sum over its characters, of 64 bits.
"""

from collections.abc import Sequence

import numpy as np

from zoo.datasets.text.clean_ups import CLEAN_UPS, DOTS, VERSION
from zoo.datasets.text.html_entities import CHARACTERS, ENTITY, LONGEST, NUMBER
from zoo.errors import UsageError
from zoo.shipping.onnx_characters import (
    CASE,
    CASED,
    END,
    ENDS,
    FIRST,
    IGNORED,
    LETTER,
    LINE_END,
    OTHERS,
    SIGMA,
    SIGMAS,
    SIGN,
    SPACE,
    Characters,
)
from zoo.shipping.onnx_graph import Graph, Value

BEFORE, AFTER = 1, 3  # characters that a clean-up looks at before and after each character
NO_CHARACTER = f"&#[xX]?0*[1-9a-fA-F][0-9a-fA-F]{{{LONGEST},}};"  # too many digits
DIGITS = {f"{number:x}": number for number in range(16)} | {f"{n:X}": n for n in range(10, 16)}
TOKENS = {"mark": 0, "pad_value": "", "mincharnum": 1}  # of onnxruntime's Tokenizer
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789_ABCDEFGHIJKLMNOPQRSTUVWXYZ"  # RE2's \w
UNKNOWN = 1  # the id


def check(preprocessor) -> None:
    """Refuses a preprocessor whose texts this graph would not read as TensorFlow does.

    Raises:
        UsageError: naming the options that help.
    """
    reason = None
    if preprocessor.clean_up not in CUTS:
        known = ", ".join(CUTS)
        reason = f"the clean-up {preprocessor.clean_up!r}: train with --clean-up of {known}"
    elif preprocessor.version != VERSION:
        reason = f"texts of version {preprocessor.version} of the rules: train it again"
    if reason is not None:
        raise UsageError(f"ONNX cannot hold {reason}; or export word ids with --ids")


def word_ids(graph: Graph, texts: Value, preprocessor, spans: bool = False) -> list[Value]:
    """``[batch]`` strings to ``[batch, (sentences,) words]`` int64 ids, padded with 0.

    With ``spans``, two more values of the same shape: the number of the character with which each
    word starts in its text, and the number of the character after its last one. Both are 0 where
    there is no word.
    """
    check(preprocessor)
    characters = Characters.of(preprocessor.clean_up, preprocessor.vocabulary)
    symbols, *own = _symbols(graph, texts, characters, spans)
    row = Row(graph, characters, symbols)
    cuts, breaks = CUTS[preprocessor.clean_up](row)
    words = Words(row, cuts, breaks, preprocessor, own)
    return words.in_sentences() if preprocessor.max_sentences is not None else words.in_texts()


def _symbols(graph, texts, characters, spans):
    """``[batch]`` strings to their symbols in one row, with END around each text.

    With ``spans``, also where the character of each symbol starts in its text, and where it ends.
    """
    single = graph.Tokenizer(texts, separators=[""], **TOKENS)
    some = graph.RegexFullMatch(texts, pattern=f"(?s).*{ENTITY}.*")
    names = _any_of(name[1:] for name in CHARACTERS)
    known = f"(?s){NUMBER}|&(?:{names})|."
    tokens = graph.when(
        graph.ReduceMax(some.int64(), keepdims=0) > 0,
        lambda: graph.Tokenizer(texts, tokenexp=known, **TOKENS),
        single,
    )
    nothing = len(characters.pairs)  # the place of padding
    keys = {**characters.places, "": nothing}
    places = graph.LabelEncoder(
        tokens, keys_strings=[*keys], values_int64s=[*keys.values()], default_int64=-1
    )
    lacking = graph.Reshape(places, [-1]) < 0
    places = graph.when(
        graph.ReduceMax(graph.Concat(lacking.int64(), [0], axis=0), keepdims=0) > 0,
        lambda: _filled(graph, tokens, places, lacking.where(), characters),
        places,
    )
    end = int(np.flatnonzero(characters.pairs[:, 0] == END)[0])
    ends = graph.Expand([[end]], graph.Concat(graph.Shape(texts), [1], axis=0))
    places = graph.Concat(ends, places, axis=1)
    if characters.case.any():
        places = _with_sigmas(graph, graph.Reshape(places, [-1]), characters)
    pairs = np.concatenate([characters.pairs, [[0, 0]]])
    found = graph.Reshape(graph.Gather(pairs, places), [-1])
    symbols = [graph.Concat(graph.Compress(found, found > 0), [END], axis=0)]
    if spans:
        some = graph.Concat(ends < 0, ~(tokens == ""), axis=1)
        number = graph.Reshape(some, [-1]).int64().sums(exclusive=True)
        number = graph.Reshape(graph.Expand(graph.Unsqueeze(number, [1]), [1, 2]), [-1])
        number = graph.Concat(graph.Compress(number, found > 0), [0], axis=0)
        symbols += [one[number] for one in _spans(graph, single, tokens)]
    return symbols


def _spans(graph, single, tokens):
    """Where each token starts in its text, and where it ends, counted in characters.

    A reference is a token of several characters: from its ``&`` to the next ``;``.

    Args:
        single: ``[batch, most]`` characters, padded with "".
        tokens: ``[batch, most]`` characters and references, padded with "".
    """
    row, tokens = graph.Reshape(single, [-1]), graph.Reshape(tokens, [-1])
    begins = graph.RegexFullMatch(tokens, pattern="(?s)&.*").where()
    is_reference = graph.RegexFullMatch(tokens[begins], pattern="(?s)&.+")
    starts = graph.Compress((row == "&").where(), is_reference)
    semicolon = row == ";"
    stops = semicolon.where()[semicolon.int64().sums(exclusive=True)[starts]]
    steps = graph.Expand([0], graph.Shape(row) + 1)
    steps = graph.ScatterElements(steps, starts + 1, graph.Expand([1], graph.Shape(starts)))
    steps = graph.ScatterElements(steps, stops + 1, graph.Expand([-1], graph.Shape(stops)))
    character = ~(row == "")
    first = (character & ~(steps.sums()[:-1] > 0)).where()
    before = character.int64().sums(exclusive=True)[first]
    every = graph.ReduceSum(character.int64(), keepdims=1)
    length = graph.Concat(before[1:], every, axis=0) - before
    start = graph.Mod(first, graph.Max(graph.Shape(single)[1:], 1))
    # The last entry is for symbols that belong to no character, such as END around texts.
    start, length = (graph.Concat(one, [0], axis=0) for one in (start, length))
    return start, start + length


def _with_sigmas(graph, places, characters):
    """Places in one row, where a capital sigma that ends a word gets the place of the final one."""
    capital, last = (characters.places[one] for one in ("\u03a3", SIGMAS[1]))

    def changed():
        case = np.append(characters.case, IGNORED)  # padding is ignored
        counted = ~(graph.Gather(case, places) == IGNORED)
        number = counted.int64().sums()  # from 1 on
        cased = graph.Gather(np.isin(case, [CASE, SIGMA]), places[counted.where()])
        cased = graph.Concat(cased, np.array([False]), axis=0)
        final = cased[number - 2] & ~cased[number]
        return graph.Where((places == capital) & final, last, places)

    some = graph.ReduceMax((places == capital).int64(), keepdims=0) > 0
    return graph.when(some, changed, places)


def _any_of(words):
    """An expression for any of the words, none of which is a prefix of another.

    Common prefixes are written once.
    """
    tree = {}
    for word in words:
        node = tree
        for character in word:
            node = node.setdefault(character, {})

    def expression(node):
        ways = [character + expression(further) for character, further in node.items()]
        return f"(?:{'|'.join(ways)})" if len(ways) > 1 else "".join(ways)

    return expression(tree)


def _filled(graph, tokens, places, lacking, characters):
    """Places of all tokens: characters that are not distinguished get the place of their class.

    Args:
        tokens: ``[batch, most]`` characters and references.
        places: the places of the tokens; -1 for such characters and for numbered references.
        lacking: where the places are -1, counted over all tokens in one row.
        characters: the characters of the clean-up.
    """
    few = graph.Reshape(tokens, [-1])[lacking]
    found = graph.value(np.array(characters.others[SIGN]))
    for kind in OTHERS:
        own = graph.RegexFullMatch(few, pattern=characters.ranges[kind])
        found = graph.Where(own, characters.others[kind], found)
    found = graph.Expand(found, graph.Shape(few))
    numbered = graph.RegexFullMatch(few, pattern=NUMBER)
    found = graph.when(
        graph.ReduceMax(numbered.int64(), keepdims=0) > 0,
        lambda: graph.Where(numbered, _numbered(graph, few, characters), found),
        found,
    )
    filled = graph.ScatterElements(graph.Reshape(places, [-1]), lacking, found)
    return graph.Reshape(filled, graph.Shape(places))


def _numbered(graph, references, characters):
    """The place of each numbered reference's character; any other token gets an arbitrary place."""
    long = graph.RegexFullMatch(references, pattern=NO_CHARACTER)
    references = graph.Where(long, ["&#xFFFFFF;"], references)
    base = graph.Where(graph.RegexFullMatch(references, pattern="&#[xX].*"), 16, 10)
    references = graph.Concat(references, ["&#1;"], axis=0)  # so that at least one is not 0
    digits = graph.Tokenizer(references, tokenexp="[1-9a-fA-F][0-9a-fA-F]*", **TOKENS)
    digits = graph.Slice(digits, [0], [1], [1])
    digits = graph.Tokenizer(graph.Reshape(digits, [-1]), separators=[""], **TOKENS)[:-1]
    digits = graph.LabelEncoder(
        digits, keys_strings=[*DIGITS], values_int64s=[*DIGITS.values()], default_int64=-1
    )
    digits = graph.Pad(digits, [0, 0, 0, LONGEST], -1)
    code = base * 0
    for place in range(LONGEST):
        digit = graph.Gather(digits, place, axis=1)
        code = graph.Where(digit < 0, code, code * base + digit)
    code = graph.Min(code, 0x110000)
    block = graph.Gather(characters.blocks, graph.Div(code, 256))
    place = graph.Gather(characters.of_blocks.reshape(-1), block * 256 + graph.Mod(code, 256))
    return place.int64()


class Row:
    """The symbols of all texts in one row, and questions about each, answered by booleans."""

    def __init__(self, graph: Graph, characters: Characters, symbols: Value):
        self.graph, self.characters, self.symbols = graph, characters, symbols
        padded = graph.Pad(symbols, [BEFORE, AFTER], END)
        self.shifted = {0: symbols}
        for place in range(-BEFORE, AFTER + 1):
            if place:
                self.shifted[place] = padded[BEFORE + place : (place - AFTER) or None]
        self.never = symbols < 0
        self.spaces = characters.are("", END, SPACE, LINE_END)

    def has(self, which: str | np.ndarray, place: int = 0) -> Value:
        """Whether the symbol ``place`` steps to the right is one of the characters or symbols."""
        which = self.characters.are(which) if isinstance(which, str) else which
        return self.graph.Gather(which, self.shifted[place])

    def spells(self, word: str, place: int = 0) -> Value:
        """Whether a word begins ``place`` steps to the right."""
        found = self.has(word[0], place)
        for number, character in enumerate(word[1:], start=place + 1):
            found = found & self.has(character, number)
        return found

    def after(self, flags: Value, places: int = 1) -> Value:
        """Whether the flag is true so many places before it."""
        padded = self.graph.Concat(np.zeros(places, bool), flags, axis=0)
        return padded[:-places]

    def before(self, flags: Value, places: int = 1) -> Value:
        """Whether the flag is true so many places after it."""
        padded = self.graph.Concat(flags, np.zeros(places, bool), axis=0)
        return padded[places:]

    def runs(self, which: str | np.ndarray, end: Value) -> Value:
        """Where runs of the characters start for which ``end`` is true at the last character."""
        own = self.has(which)
        starts = (own & ~self.has(which, -1)).where()
        ends = (own & ~self.has(which, 1)).where()
        return self.marked(starts, end[ends])

    def marked(self, places: Value, true: Value) -> Value:
        """Flags with the values ``true`` at the places, and false everywhere else."""
        return self.graph.ScatterElements(self.never, places, true)

    def every_second(self, found: Value, overlaps: Value) -> Value:
        """Matches from left to right, without those that overlap with the match before them.

        Args:
            found: where an expression would match.
            overlaps: which of these begin inside a match that would stand before them.
        """

        def not_overlapped():
            places = found.where()
            alone = ~overlaps[places]
            starts = alone.where()
            number = self.graph.Range(0, self.graph.Squeeze(self.graph.Shape(places)), 1)
            number = number - starts[alone.int64().sums() - 1]
            return self.marked(places, self.graph.Mod(number, 2) == 0)

        some = self.graph.ReduceMax((found & overlaps).int64(), keepdims=0) > 0
        return self.graph.when(some, not_overlapped, found)

    def is_space(self, cuts: Value, place: int = 1) -> Value:
        """Whether a space follows, or a cut between words, which counts as a space."""
        return self.has(self.spaces, place) | self.before(cuts, place)


Cuts = tuple[Value, Value | None]  # symbols before which words are cut; those that end a line


def _tokens_cuts(row) -> Cuts:
    return row.never, None


def _hcan_cuts(row) -> Cuts:
    """Marks are separate words, and so are dots, unless they are inside a word."""
    ends, dot = row.has(ENDS), row.has(".")
    dot_before, dot_behind = row.has(".", -1), row.has(".", 1)
    last = dot & (row.has(row.spaces, 1) & ~dot_before)
    starts = ends | last | (dot & dot_behind & ~dot_before)
    stops = ends | last | (dot & dot_before & ~dot_behind)
    return _other_dots(row, starts | row.after(stops)), None


def _other_dots(row, cuts):
    """Dots of other scripts are cut off unless a letter that has case, or a digit, follows."""
    which = row.characters.of_class(CASED)
    dots = row.has(DOTS)

    def cut():
        free = dots & ~(row.has(which, 1) & ~row.before(cuts)) & ~row.has(DOTS, 1)
        return cuts | row.runs(DOTS, free) | row.after(free)

    return row.graph.when(row.graph.ReduceMax(dots.int64(), keepdims=0) > 0, cut, cuts)


def _han_cuts(row) -> Cuts:
    """The steps are those of :func:`zoo.datasets.text.clean_ups._han`, in the same order."""
    characters, quote = row.characters, row.has("'")
    letters = characters.are(LETTERS)
    cuts = row.spells("n't") & ~row.has(letters, 3)

    short = _one_of(row, "s d m".split()) & ~(row.has(letters, 2) & ~row.before(cuts, 2))
    long = _one_of(row, "re ve ll".split()) & ~(row.has(letters, 3) & ~row.before(cuts, 3))
    short, long = (
        quote & row.has(characters.of_class(CASED, LETTER), -1) & one for one in (short, long)
    )
    cuts = cuts | row.every_second(short | long, row.after(short, 2) | row.after(long, 3))

    word = row.has(letters, 1) & row.has(letters, 2) & row.has(letters, 3)
    word = word & ~row.before(cuts, 2) & ~row.before(cuts, 3)
    other = ~row.has("srvldm", 1) & ~row.has(characters.are("", END), 1)
    opening = quote & (row.has(row.spaces, -1) | cuts) & (other | word)
    cuts = cuts | row.after(row.every_second(opening, row.after(opening, 2)))

    cuts = cuts | (quote & row.is_space(cuts))

    kept = characters.of_class(*OTHERS) | characters.are(f".,'{DOTS}-") | row.spaces
    sign, dash = row.has(~kept), row.has("-")
    starts = sign | (dash & row.has("-", 1) & ~row.has("-", -1))
    stops = sign | (dash & row.has("-", -1) & ~row.has("-", 1))
    cuts = cuts | starts | row.after(stops)

    space = row.is_space(cuts)
    cuts = cuts | (row.has(",") & space) | row.runs(".", space)
    return _other_dots(row, cuts), None


def _one_of(row, words):
    """Whether one of the words begins right after it."""
    found = row.spells(words[0], 1)
    for word in words[1:]:
        found = found | row.spells(word, 1)
    return found


def _kim_cuts(row) -> Cuts:
    """Dots and the marks of other scripts are not words, but end sentences."""
    marks, dots = row.has(",!()?"), f".{DOTS}"
    short = row.has("'") & _one_of(row, "s ve re d ll".split())
    cuts = row.spells("n't") | short | marks | row.after(marks)
    space = row.is_space(cuts)
    last = (row.has(".") & ~row.has(".", 1)) | (row.has(DOTS) & ~row.has(DOTS, 1))
    others = ENDS.replace("!", "").replace("?", "")
    last = last & space  # the match consumes the space, even one that stands for a cut
    cuts, ends = cuts & ~row.after(last), last | row.has(others)
    row.spaces = row.spaces | row.characters.are(f"{dots}{others}")
    return cuts, ends


CUTS = {
    "hcan": _hcan_cuts,
    "han": _han_cuts,
    "kim": _kim_cuts,
    "tokens": _tokens_cuts,
    "characters": _tokens_cuts,
}


class Words:
    """The words of a row, in order: the text of each, its place there, and its id.

    Args:
        row: the symbols.
        cuts, breaks: what the clean-up returns for the row: cuts between words, and line ends.
        preprocessor: the model's preprocessor.
        spans: where the character of each symbol starts in its text and where it ends, or nothing.
    """

    def __init__(
        self, row: Row, cuts: Value, breaks: Value | None, preprocessor, spans: Sequence[Value]
    ):
        graph = self.graph = row.graph
        self.row, self.cuts, self.breaks, self.preprocessor = row, cuts, breaks, preprocessor
        if CLEAN_UPS[preprocessor.clean_up].by_character:
            inside = ~row.has(row.characters.are("", END))
            starts = inside
        else:
            inside = ~row.has(row.spaces)
            starts = inside & (row.has(row.spaces, -1) | cuts)
        self.inside, number = inside, starts.int64().sums()
        length = graph.Shape(row.symbols)
        self.starts = starts.where()
        self.bounds = graph.Concat(self.starts, length - 1, axis=0)
        ends = row.has(row.characters.are("", END)).where()
        self.before = number[ends]  # how many words are before each text, and in all texts
        self.text = (row.has(row.characters.are("", END)).int64().sums() - 1)[self.starts]
        self.number = graph.Range(0, graph.Squeeze(graph.Shape(self.starts)), 1)
        self.place = self.number - self.before[self.text]
        place = graph.Range(0, graph.Squeeze(length), 1) - self.bounds[number - 1]
        self.sums = self._sums(graph, place)
        self.spans = []
        if spans:
            last = (inside & (row.before(starts) | ~row.before(inside))).where()
            self.spans = [one[at] for one, at in zip(spans, (self.starts, last), strict=True)]

    def _sums(self, graph, place):
        """A number of 64 bits for each word, by which it is recognized."""
        words = self.preprocessor.vocabulary
        self.numbers = WordNumbers(self.row.characters, words, self.preprocessor.ngrams)
        place = graph.Clip(place, 0, len(self.numbers.of_places) - 1)
        terms = graph.Gather(self.numbers.of_symbols, self.row.symbols)
        terms = terms * graph.Gather(self.numbers.of_places, place)
        terms = graph.Where(self.inside, terms, 0)
        return self.between(terms)

    def between(self, terms: Value) -> Value:
        """Sums of the characters' numbers from each word's start to the start of the next word."""
        sums = terms.sums(exclusive=True)[self.bounds]
        return sums[1:] - sums[:-1]

    def ids(self, sums: Value) -> Value:
        numbers = self.numbers.of_words
        return self.graph.LabelEncoder(
            sums,
            keys_int64s=[*numbers],
            values_int64s=[*numbers.values()],
            default_int64=UNKNOWN,
        )

    def in_texts(self) -> list[Value]:
        """``[batch, words]`` ids, with n-grams after the words, and their spans."""
        graph, most = self.graph, self.preprocessor.max_words
        lengths = graph.Min(self.before[1:] - self.before[:-1], most)
        texts, places, sums, firsts, lasts = [], [], [], [], []
        behind = lengths * 0
        for size in range(1, self.preprocessor.ngrams + 1):
            kept = (self.place + (size - 1) < lengths[self.text]).where()
            total = self.sums[kept] * self.numbers.of_order[0] + self.numbers.of_ngrams[size]
            for order in range(1, size):
                total = total + self.sums[kept + order] * self.numbers.of_order[order]
            texts.append(self.text[kept])
            places.append(self.place[kept] + behind[self.text[kept]])
            sums.append(total)
            firsts.append(kept)
            lasts.append(kept + (size - 1))
            behind = behind + graph.Max(lengths - (size - 1), 0)
        texts, places, sums, *ends = (
            one[0] if len(one) == 1 else graph.Concat(*one, axis=0)
            for one in (texts, places, sums, firsts, lasts)
        )
        sizes = [graph.Shape(lengths), self.most(behind)]
        return self.filled(sizes, [texts, places], sums, ends)

    def in_sentences(self) -> list[Value]:
        """``[batch, sentences, words]`` ids, and their spans."""
        graph, own, row = self.graph, self.preprocessor, self.row
        marks = row.has(row.characters.are(f".{ENDS}{DOTS}"))
        marks = self.between((self.inside & ~marks).int64()) == 0
        follows = row.after(marks) & (self.place > 0)
        line_end = row.has(row.characters.are("", LINE_END))
        lines = line_end.int64()
        if self.breaks is not None:
            lines = lines + self.breaks.int64() * 2
            line_end = line_end | self.breaks
        lines = self.between(lines)  # line ends after each word
        lines = graph.Concat([0], lines, axis=0)[:-1]
        # The line end before a mark has become a space before empty lines are searched for.
        lost = row.after(line_end) & ~self.cuts
        lines = lines - (lost[self.starts] & marks & ~follows).int64()
        new = (follows & ~marks) | (lines > 1) | (self.place == 0)
        number = new.int64().sums() - 1
        place = self.number - new.where()[number]
        sentence = number - number[self.before[:-1][self.text]]
        kept = ((sentence < own.max_sentences) & (place < own.max_words)).where()
        total = self.sums * self.numbers.of_order[0] + self.numbers.of_ngrams[1]
        sentence, place = sentence[kept], place[kept]
        sizes = [graph.Shape(self.before) - 1, self.most(sentence + 1), self.most(place + 1)]
        return self.filled(sizes, [self.text[kept], sentence, place], total[kept], [kept, kept])

    def most(self, sizes: Value) -> Value:
        """The largest of the sizes, at least 1, as a tensor of one axis."""
        return self.graph.ReduceMax(self.graph.Concat([1], sizes, axis=0), keepdims=1)

    def filled(
        self,
        sizes: Sequence[Value],
        places: Sequence[Value],
        sums: Value,
        ends: Sequence[Value],
    ) -> list[Value]:
        """Ids and spans at their places, and 0 elsewhere.

        Args:
            sizes: the sizes of the axes.
            places: the places along each axis.
            sums: the numbers of the words or n-grams.
            ends: the first and the last word of each n-gram.
        """
        graph, flat, size = self.graph, places[0], sizes[0]
        for more, place in zip(sizes[1:], places[1:], strict=True):
            flat, size = flat * more + place, size * more
        empty = graph.Expand([0], size)
        shape = graph.Concat(*sizes, axis=0)
        own = [one[end] for one, end in zip(self.spans, ends, strict=False)]
        return [
            graph.Reshape(graph.ScatterElements(empty, flat, one), shape)
            for one in (self.ids(sums), *own)
        ]


class WordNumbers:
    """Numbers of 64 bits for symbols, places and orders, and for words, which are made of these."""

    def __init__(self, characters: Characters, vocabulary: Sequence[str], ngrams: int):
        random, whole = np.random.default_rng(0), np.iinfo("int64")

        def odd(size):
            return random.integers(whole.min, whole.max, size) | 1

        joined = ngrams > 1 and any(" " in one for one in vocabulary)
        parts = [_parts(one) if joined else [one] for one in vocabulary]
        longest = max((len(word) for words in parts for word in words), default=1)
        self.of_symbols = odd(FIRST + len(characters.symbols))
        self.of_places, self.of_order, self.of_ngrams = (
            odd(longest + 1),
            odd(ngrams),
            odd(ngrams + 1),
        )
        self.of_words = {}
        for number, words in enumerate(parts, start=2):
            if len(words) <= ngrams:
                self.of_words.setdefault(self._sum(characters, words), number)

    def _sum(self, characters, words):
        total = self.of_ngrams[len(words)]
        with np.errstate(over="ignore"):
            for order, word in zip(self.of_order, words, strict=False):
                symbols = [characters.symbols[one] for one in word]
                terms = self.of_symbols[symbols] * self.of_places[: len(symbols)]
                total = total + terms.sum() * order
        return int(total)


def _parts(ngram):
    """The words of an n-gram; where characters are words, a word may itself be a space."""
    words = ngram.split(" ")
    return words if all(words) else list(ngram[::2])
