"""The base class of all models."""

import inspect
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import keras
import numpy as np
from keras import ops

from zoo.arrays import check_class_names, check_ids, check_targets, is_sparse, only_one
from zoo.datasets.subwords import character_ngrams
from zoo.errors import UsageError
from zoo.layers import SubwordEmbedding
from zoo.layers.entity_positions import ROLES
from zoo.layers.frozen import freeze_within
from zoo.progress import progress

if TYPE_CHECKING:
    from zoo.datasets import Preprocessor
    from zoo.datasets.corpus import Split
    from zoo.explanation import Explanations


class TextClassifier(keras.Model):
    """Word ids to class probabilities.

    A model reads ids ``[batch, words]``, or ``[batch, sentences, words]`` where it is
    ``hierarchical``; 0 is padding, 1 an unknown word. It gives ``[batch, num_classes]`` float32
    probabilities (or logits). Padding never changes them.

    A subclass stores each option of its constructor under its own name, from where
    :meth:`get_config` reads it, and defines ``call(ids, training=None)``.

    With a :class:`zoo.datasets.Preprocessor` as its ``preprocessor``, ``fit``, ``evaluate`` and
    ``predict`` take texts as well as ids. ``labels`` are the names of the classes, if known.

    Args:
        num_classes: number of classes, at least 2.
        vocabulary_size: rows of the word table, padding and the unknown word included.
        embedding_dim: width of a word vector.
        max_words: the most words of a text (of a sentence where hierarchical) that the model is
            meant for: the preprocessor cuts there, and position tables have as many rows.
        max_sentences: the same for sentences; None for flat models.
        embedding_range: word vectors start uniformly within plus and minus this.
        train_embeddings: whether training changes the word vectors.
        subwords: rows of a table of character n-grams, which are added to the word vectors; 0 for
            none. See :class:`zoo.layers.SubwordEmbedding`; :func:`zoo.train` makes them part of
            the word vectors when training has ended.
        logits: True gives logits instead of probabilities.
    """

    presets: dict[str, dict[str, Any]] = {}
    recipes: dict[str, Any] = {}  # zoo.recipes.Recipe of papers, by the names of their presets
    learning_rate = 1e-3  # of zoo.train, unless told otherwise
    sentence_groups = 0  # of a batch, which only some read; see zoo.datasets.batches.pack
    ngrams = 1  # words of the longest n-gram that it reads
    entities = False  # whether ids tell which words are in marked entities; some have the option
    single_words = True  # whether each id that it reads is a word's, with a vector of its own
    solves = False  # whether its weights are found at once, by solve, and not by fit
    reads_word_vectors = True  # whether the word table may start as word vectors
    clean_up = "hcan"  # of zoo.train, unless told otherwise
    max_vocabulary = 30_000  # of zoo.train, unless told otherwise

    def __init__(
        self,
        num_classes: int,
        *,
        vocabulary_size: int = 20_000,
        embedding_dim: int = 128,
        max_words: int = 500,
        max_sentences: int | None = None,
        embedding_range: float = 0.05,
        train_embeddings: bool = True,
        subwords: int = 0,
        logits: bool = False,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        if self.dtype_policy != keras.config.dtype_policy():
            raise ValueError(
                f"dtype must be that of Keras, {keras.config.dtype_policy().name}, which all "
                f"layers have: got {self.dtype_policy.name}; call keras.config.set_dtype_policy"
            )
        if keras.backend.backend() == "tensorflow":
            self.jit_compile = False  # of predictions without compile; see there
        self.autocast = False  # which under a mixed policy would make other words of float ids
        if num_classes < 2:
            raise ValueError(f"num_classes must be at least 2: got {num_classes}")
        if subwords and not self.single_words:
            raise ValueError(
                f"subwords must be 0, as there are no vectors of words: got {subwords}"
            )
        if subwords and not train_embeddings:
            raise ValueError(
                f"subwords must be 0 where train_embeddings is False, as they would stay as random "
                f"as they start: got {subwords}"
            )
        self.num_classes = num_classes
        self.vocabulary_size = vocabulary_size
        self.embedding_dim = embedding_dim
        self.max_words = max_words
        self.max_sentences = max_sentences
        self.embedding_range = embedding_range
        self.train_embeddings = train_embeddings
        self.subwords = subwords
        self.logits = logits
        self.labels = None
        table = vocabulary_size, embedding_dim
        start = keras.initializers.RandomUniform(-embedding_range, embedding_range)
        if subwords:
            self.embed = SubwordEmbedding(*table, subwords, initializer=start)
        else:
            self.embed = keras.layers.Embedding(*table, start, trainable=train_embeddings)
        self.preprocessor = None
        self.classify = keras.layers.Dense(
            num_classes, activation=None if logits else "softmax", dtype="float32"
        )

    @property
    def preprocessor(self) -> "Preprocessor | None":
        """A :class:`zoo.datasets.Preprocessor`, or None.

        Raises:
            ValueError: when it is set, for one whose ids the model cannot read.
        """
        return self._preprocessor

    @preprocessor.setter
    def preprocessor(self, preprocessor):
        if preprocessor is not None:
            self._check_preprocessor(preprocessor)
        self._preprocessor = preprocessor
        if self.subwords and preprocessor is not None:
            if not self.embed.built:
                self.embed.build()
            members = np.zeros(self.embed.members.shape, "int32")
            found = character_ngrams(preprocessor.vocabulary, self.subwords, members.shape[1])
            members[: len(found)] = found
            self.embed.members.assign(members)

    def __reduce__(self):
        """Copies and pickles keep preprocessor and labels, which Keras' own file lacks."""
        rebuild, arguments = super().__reduce__()
        return _rebuilt, (rebuild, arguments, self.preprocessor, self.labels and list(self.labels))

    def _check_preprocessor(self, preprocessor):
        if preprocessor.vocabulary_size > self.vocabulary_size:
            raise ValueError(
                f"the preprocessor has {preprocessor.vocabulary_size} ids, but the model a "
                f"vocabulary_size of {self.vocabulary_size}"
            )
        if (preprocessor.max_sentences is not None) != self.hierarchical:
            raise ValueError(
                f"the preprocessor has max_sentences={preprocessor.max_sentences}, the model "
                f"max_sentences={self.max_sentences}: both need a number, or both None"
            )
        for name in ("entities", "ngrams"):
            theirs, own = getattr(preprocessor, name), getattr(self, name)
            if theirs != own:
                raise ValueError(f"the preprocessor has {name}={theirs}, the model {name}={own}")

    @property
    def labels(self) -> list[str] | None:
        """Names of the classes, or None; numbers that are set become names.

        Raises:
            ValueError: when they are set, for another number of them than of classes.
        """
        return self._labels

    @labels.setter
    def labels(self, labels):
        names = None if labels is None else [str(label) for label in labels]
        if names is not None and (isinstance(labels, str) or len(names) != self.num_classes):
            raise ValueError(
                f"labels must be the names of the {self.num_classes} classes: got {labels!r}"
            )
        self._labels = names

    @property
    def hierarchical(self) -> bool:
        """Whether ids are ``[batch, sentences, words]``."""
        return self.max_sentences is not None

    def build(self, input_shape=None):
        """Creates the weights; without it the first call does."""
        shape = (1, 2, 2) if self.hierarchical else (1, 2)
        if keras.backend.backend() == "jax":  # it would compile each operation by itself
            self.compute_output_spec(keras.KerasTensor(shape, "int32"))
        else:
            self.call(ops.zeros(shape, "int32"))
        freeze_within(self)

    def read(self, ids):
        """Word ids and, with ``entities``, the roles of words: see ``EntityPositions``; or None."""
        return (ids // ROLES, ids % ROLES) if self.entities else (ids, None)

    def parameter_count(self) -> int:
        """Trainable parameters without the word table."""
        tables = {id(weight) for weight in self.embed.weights}
        counted = [weight for weight in self.trainable_weights if id(weight) not in tables]
        return sum(math.prod(weight.shape) for weight in counted)

    @classmethod
    def option_defaults(cls) -> dict[str, Any]:
        """Options of the constructor with their defaults, the class's own first."""
        options = {}
        for base in cls.__mro__[: cls.__mro__.index(TextClassifier) + 1]:
            for name, parameter in inspect.signature(base.__init__).parameters.items():
                positional = (  # in a model of one's own
                    parameter.kind == parameter.POSITIONAL_OR_KEYWORD
                    and parameter.default is not parameter.empty
                    and name not in ("num_classes", "name", "dtype", "trainable")
                )
                if parameter.kind == parameter.KEYWORD_ONLY or positional:
                    options.setdefault(name, parameter.default)
        return options

    def get_config(self) -> dict[str, Any]:
        options = {name: getattr(self, name) for name in self.option_defaults()}
        return super().get_config() | {"num_classes": self.num_classes} | options

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """Its layers have the dtype policy that it had, whatever the global one is by now."""
        with dtype_policy(config.get("dtype")):
            return super().from_config(config, custom_objects)

    def compile(self, *args, jit_compile="auto", **kwargs):
        """Keras' compile; "auto" is no XLA on TensorFlow, where it compiles each length anew."""
        if jit_compile == "auto" and keras.backend.backend() == "tensorflow":
            jit_compile = False
        super().compile(*args, jit_compile=jit_compile, **kwargs)

    def fit(self, x=None, y=None, batch_size=None, epochs=1, *, validation_data=None, **kwargs):
        """Keras' fit; ``x`` may be texts, and so may the first of ``validation_data``.

        Targets are numbers of classes, or labels as texts; see :func:`zoo.arrays.check_targets`.
        """
        x = only_one(x)
        y = self._check_targets(y)
        if isinstance(validation_data, tuple | list):
            validation_data = (only_one(validation_data[0]), *validation_data[1:])
            if len(validation_data) > 1:
                targets = self._check_targets(validation_data[1])
                validation_data = (validation_data[0], targets, *validation_data[2:])
            self._check_ids(validation_data[0])
            if is_text(validation_data[0]):
                if len(validation_data) != 2:
                    raise ValueError("validation_data of texts must be (texts, targets)")
                validation_data = self._batches(*validation_data, batch_size)
        else:
            self._check_ids(validation_data)
        if is_text(x):
            if y is None:
                raise ValueError("fit needs targets: the number of a class for each text")
            _refuse(kwargs, "fit", "sample_weight", "validation_split")
            shuffle = kwargs.pop("shuffle", True)
            x, y, batch_size = self._batches(x, y, batch_size, shuffle), None, None
            kwargs["shuffle"] = False  # the batches are, or shall not be
        self._check_ids(x)
        return super().fit(x, y, batch_size, epochs, validation_data=validation_data, **kwargs)

    def evaluate(self, x=None, y=None, batch_size=None, **kwargs):
        """Keras' evaluate; ``x`` may be texts, and targets as in ``fit``."""
        x = only_one(x)
        y = self._check_targets(y)
        self._check_ids(x)
        if is_text(x):
            _refuse(kwargs, "evaluate", "sample_weight")
            x, y, batch_size = self._batches(x, y, batch_size), None, None
        return super().evaluate(x, y, batch_size, **kwargs)

    def predict(self, x, batch_size=None, verbose="auto", **kwargs):
        """Keras' predict; ``x`` may be texts, and then there is nothing else to set."""
        x = only_one(x)
        if not is_text(x):
            self._check_ids(x)
            return super().predict(x, batch_size, verbose, **kwargs)
        kwargs = {name: value for name, value in kwargs.items() if value is not None}
        if kwargs:
            raise ValueError(f"predict takes no {', '.join(kwargs)} with texts")
        return self.predict_texts(x, batch_size, verbose)

    def predict_texts(
        self, texts: Sequence[str], batch_size: int | None = None, verbose: int | str | None = None
    ) -> np.ndarray:
        """Texts of like length are computed together, so that little of it is padding.

        On a CPU each core computes a batch of its own; fastest where TensorFlow was started with
        ``TF_NUM_INTRAOP_THREADS=1`` in the environment.

        Args:
            texts: any sequence of strings, or a split of a corpus.
            batch_size: texts that are computed together; by default 32 where cores compute some
                each, else 128.
            verbose: 0 tells nothing, 1 tells how far it is where it takes long; by default it is
                told where messages of the logger ``zoo`` are. See :func:`zoo.progress.progress`.

        Returns:
            ``[texts, classes]`` float32 probabilities, or logits, in the order of the texts.
        """
        from zoo.threads import in_threads, prediction_threads

        _check_batch_size(batch_size)
        threads = prediction_threads()
        batch_size = batch_size or (32 if threads > 1 else 128)
        probabilities = np.empty((len(texts), self.num_classes), "float32")
        batches = self._need_preprocessor().batches_by_length(
            texts, batch_size, self.sentence_groups
        )
        shown = None if verbose is None else bool(verbose)
        self.make_predict_function()  # one for all threads
        found = in_threads(
            lambda batch: (batch[0], self.predict_on_batch(batch[1])), batches, threads
        )
        told = {"size": lambda item: len(item[0]), "shown": shown}
        for rows, answers in progress(found, "Predicting", len(texts), **told):
            probabilities[rows] = answers[: len(rows)]  # each device of a strategy has all
        return probabilities

    def export(
        self, filepath, format="tf_saved_model", verbose=None, input_signature=None, **kwargs
    ):
        """Keras' export, of ids; ``zoo export`` writes one that reads texts.

        Unless told otherwise, ``serve`` of a SavedModel takes int32 and the preprocessor's int64,
        and its signatures take int32. Give it arrays or tensors: it is traced for each shape, and
        for each list; ``signatures["serve"]`` never is.
        """
        shape = (None,) * (3 if self.hierarchical else 2)
        signature = input_signature or [keras.InputSpec("int32", shape)]
        if format != "tf_saved_model":
            super().export(filepath, format, verbose, signature, **kwargs)
            return
        from zoo.saved_model import export_ids

        also = () if input_signature else ([keras.InputSpec("int64", shape)],)
        export_ids(self, filepath, verbose is not False, signature, also, **kwargs)

    def solve(self, split: "Split", seed: int = 0) -> None:
        """Finds the weights at once on a training split, where a model ``solves``."""
        raise NotImplementedError

    def explain(
        self, texts: Sequence[str], targets: Sequence[str] | None = None, pairs: bool = True
    ) -> "Explanations":
        """Where the model looks in texts; see :func:`zoo.explanation.explain`."""
        from zoo.explanation import explain

        return explain(self, texts, targets, pairs)

    def _maybe_symbolic_build(self, iterator=None, data_batch=None):
        # To build metrics under a strategy, Keras would take a batch out of the training, and
        # average it over devices, whose batches are of different lengths.
        ids = np.ones((1, 1, 1) if self.hierarchical else (1, 1), "int64")
        sparse = is_sparse(getattr(self, "loss", None))
        targets = np.zeros(1, "int64") if sparse else np.zeros((1, self.num_classes), "float32")
        batch = (ids, targets, np.ones(1, "float32"))
        super()._maybe_symbolic_build(data_batch=batch)

    def _need_preprocessor(self):
        if self.preprocessor is None:
            raise UsageError("texts need a preprocessor: set model.preprocessor, or give ids")
        return self.preprocessor

    def _check_targets(self, targets):
        return check_targets(targets, self.num_classes, getattr(self, "loss", None), self.labels)

    def _check_ids(self, ids):
        check_class_names(ids, self.labels)
        if isinstance(ids, np.ndarray) and ids.dtype.kind in "iuf":
            words = self.vocabulary_size * (ROLES if self.entities else 1)
            check_ids(ids, 3 if self.hierarchical else 2, words)

    def _batches(self, texts, targets, batch_size, shuffle=False):
        import tensorflow as tf

        from zoo.datasets.texts import text_dataset

        _check_batch_size(batch_size)
        if not len(texts):
            raise ValueError("there are no texts: the list is empty")
        dataset = text_dataset(texts)
        if targets is not None:
            if len(targets) != len(texts):
                raise ValueError(f"{len(texts)} texts need as many targets: got {len(targets)}")
            targets = tf.data.Dataset.from_tensor_slices(np.asarray(targets))
            dataset = tf.data.Dataset.zip(dataset, targets)
        if shuffle:  # all, as they may be sorted by class
            dataset = dataset.shuffle(len(dataset), seed=0, reshuffle_each_iteration=False)
        return self._need_preprocessor().batches(
            dataset, batch_size or 32, shuffle=shuffle, groups=self.sentence_groups
        )


def _rebuilt(rebuild, arguments, preprocessor, labels):
    model = rebuild(*arguments)
    model.preprocessor, model.labels = preprocessor, labels
    return model


def _refuse(given, method, *names):
    for name in names:
        value = given.get(name)
        if value is not None and not (isinstance(value, int | float) and not value):
            raise ValueError(f"{method} takes no {name} with texts: give ids")


def _check_batch_size(size):
    if size is not None and size < 1:
        raise ValueError(f"batch_size must be at least 1: got {size}")


@contextmanager
def dtype_policy(policy: Any) -> Iterator[None]:
    """Keras' global dtype policy is this one, by its name or its config, in a ``with`` block."""
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy(keras.dtype_policies.get(policy))
    try:
        yield
    finally:
        keras.config.set_dtype_policy(before)


def is_text(x) -> bool:
    """Whether ``x`` is an array, list or column of strings, and not of ids; an empty list is.

    Raises:
        UsageError: for one text, a table of texts, or a dataset of them.
    """
    spec = getattr(x, "element_spec", None)
    spec = spec[0] if isinstance(spec, tuple) else spec
    if getattr(spec, "dtype", None) == "string":
        raise UsageError("a dataset of texts: give model.preprocessor.batches(dataset, 32)")
    if isinstance(x, list | tuple):  # an array of them would be as wide as the longest
        return not x or isinstance(x[0], str | bytes)
    if isinstance(x, str) or (hasattr(x, "__array__") and np.asarray(x).dtype.kind in "OUST"):
        from zoo.datasets.texts import check_texts

        check_texts(x)
        return True
    return False


def word_mask(ids):
    """True where there is a word: ids ``[..., words]`` to a boolean of the same shape."""
    return ops.not_equal(ids, 0)
