"""The base class of all models."""

import inspect
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import keras
import numpy as np

from zoo.answers import KINDS, ONE, probabilities_of, told
from zoo.backend import call_once, in_threads, prediction_threads, readable
from zoo.backend.keras_private import is_saving, is_validation
from zoo.datasets.text.character_ngrams import character_ngrams
from zoo.datasets.text.given_texts import check_texts, is_texts
from zoo.datasets.text.text_tensors import text_tensor
from zoo.datasets.text_streams import as_dataset, holds_texts, keeps_order, told_in_a_line, watched
from zoo.errors import UsageError, unknown
from zoo.explanation.attention import Attention as Attention  # which models give
from zoo.first_fit import compile_by_default, make_ready
from zoo.fit_at_once import fit_at_once
from zoo.input_checks import (
    check_batch_size,
    check_ids,
    check_lengths,
    check_preprocessor,
    only_one,
)
from zoo.layers import SubwordEmbedding
from zoo.layers.call_order import recorded_calls
from zoo.layers.entity_positions import part_roles
from zoo.layers.frozen import freeze_within
from zoo.layers.masking import word_mask as word_mask  # which models read with
from zoo.layers.types import Shape, Tensor
from zoo.options import Classes, Positive, Size, Values, at_least, check_values, declared_values
from zoo.progress import progress
from zoo.text_inputs import as_keras_reads, is_text, preprocessor_of, split_off
from zoo.words_and_labels import ModelOfTexts

if TYPE_CHECKING:
    import pandas as pd

    from zoo.datasets.corpus import Split
    from zoo.datasets.text.preprocessor import Preprocessor
    from zoo.explanation.explain import Explanations

NO_SENTENCES = Values("None, as it does not read sentence by sentence", lambda x: x is None)


class Head(keras.layers.Dense):
    """The last layer of a model. Called with texts, it gives the model's answers to them."""

    of_texts: Callable[[Sequence[str]], list[dict[str, Any]]] | None = None  # what gives them

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        if self.of_texts is not None and is_texts(inputs):
            return self.of_texts(inputs)
        return super().__call__(inputs, *args, **kwargs)

    def quantize(self, mode: str | None = None, **options: Any) -> None:
        """Keras' own method would skip this class, because its name is not Dense."""
        super().quantize(mode, **options | {"type_check": False})


class TextClassifier(ModelOfTexts):
    """Word ids to class probabilities.

    A model reads ids ``[batch, words]``, or ``[batch, sentences, words]`` where it is
    ``hierarchical``; 0 is padding, 1 an unknown word. It gives ``[batch, num_classes]`` float32
    probabilities (or logits). Padding never changes them.

    A subclass stores each option of its constructor as an attribute of the same name, which
    :meth:`get_config` reads, and defines ``call(ids, training=None)``.

    If the model's ``preprocessor`` is a :class:`zoo.datasets.Preprocessor`, it takes texts as well
    as ids, and datasets of texts, in ``fit``, ``evaluate``, ``predict``, the methods for a single
    batch, and a call. ``labels`` are the names of the classes, if known. ``save`` keeps both.

    Args:
        num_classes: number of classes, at least 2.
        vocabulary_size: rows of the word table, padding and the unknown word included.
        embedding_dim: width of a word vector.
        max_words: the most words of a text (of a sentence if the model is hierarchical). The
            preprocessor cuts longer ones, and position tables have this many rows.
        max_sentences: the most sentences of a text; None for flat models.
        embedding_range: word vectors start uniformly between minus and plus this number.
        train_embeddings: whether training changes the word vectors.
        subwords: rows of a table of character n-grams, whose vectors are added to the word vectors;
            0 for none. See :class:`zoo.layers.SubwordEmbedding`. At the end of a training
            :func:`zoo.train` makes them part of the word vectors.
        logits: True gives logits instead of probabilities.
        answers: "one" label for each text, or "several", which may be none. See
            :mod:`zoo.answers`.

    Example:
        >>> import zoo
        >>> model = zoo.build("cnn_kim", num_classes=2, vocabulary_size=100)
        >>> isinstance(model, zoo.TextClassifier), model.hierarchical
        (True, False)
    """

    presets: dict[str, dict[str, Any]] = {}
    preset_weights: dict[str, str] = {}  # what papers start with, by the names of their presets
    recipes: dict[str, Any] = {}  # zoo.recipes.Recipe of papers, by the names of their presets
    needs: dict[str, tuple[str, ...]] = {}  # options that change nothing without all of these
    learning_rate = 1e-3  # the default of zoo.train
    training_steps = 1500  # about so many by default, enough for most corpora that we tried
    sentence_groups = 0  # in a batch, for models that read them; see zoo.datasets.batches.pack
    ngrams = 1  # words of the longest n-gram that the model reads
    entities = False  # whether ids tell which words are in marked entities; some have the option
    single_words = True  # whether each id is that of a word, which has its own vector
    solves = False  # whether solve computes the weights at once, in place of fit
    grows = False  # whether its first fit makes its tables as large as the vocabulary, by make_room
    reads_bert_weights = False  # whether the model may start with the encoder of a BERT
    reads_word_vectors = True  # whether the word table may start as word vectors
    reads_vectors_apart = False  # whether a solver reads word vectors, by a function word_vectors
    english_dim = 256  # the default of embedding_dim with zoo's English word vectors
    clean_up = "hcan"  # the default of zoo.train
    max_vocabulary = 30_000  # the default of zoo.train

    def __new__(cls, *args, **kwargs):
        # However it is made, as a constructor makes anything of what is none of its choices.
        few = {name: values for name, values in cls.option_values().items() if values.choices}
        check_values(few, kwargs)
        return super().__new__(cls, *args, **kwargs)

    def __init__(
        self,
        num_classes: Classes,
        *,
        vocabulary_size: Annotated[int, at_least(2)] = 20_000,  # padding and the unknown word
        embedding_dim: Size = 128,
        max_words: Size = 500,
        max_sentences: Annotated[int | None, NO_SENTENCES] = None,
        embedding_range: Positive = 0.05,
        train_embeddings: bool = True,
        subwords: Literal[0] | Annotated[int, at_least(2)] = 0,
        logits: bool = False,
        answers: Literal[tuple(KINDS)] = ONE.name,  # type: ignore[valid-type]
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if self.dtype_policy != keras.config.dtype_policy():
            raise ValueError(
                f"dtype must be that of Keras, {keras.config.dtype_policy().name}, which all "
                f"layers have: got {self.dtype_policy.name}; call keras.config.set_dtype_policy"
            )
        self.autocast = False  # autocast would round float ids to those of other words
        if num_classes < 2:
            raise ValueError(f"num_classes must be at least 2: got {num_classes}")
        if subwords and not self.single_words:
            raise ValueError(
                f"subwords must be 0, as the model has no vectors of words: got {subwords}"
            )
        if subwords and not train_embeddings:
            raise ValueError(
                f"subwords must be 0 where train_embeddings is False, as their random "
                f"vectors would never be trained: got {subwords}"
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
        self.answers = answers
        self.labels = None
        self.thresholds = None
        table = vocabulary_size, embedding_dim
        start = keras.initializers.RandomUniform(-embedding_range, embedding_range)
        if subwords:
            self.embed = SubwordEmbedding(*table, subwords, initializer=start)
        else:
            self.embed = keras.layers.Embedding(*table, start, trainable=train_embeddings)
        self.preprocessor = None
        self._places = {}  # of layers, by their ids, in the order of the first calls
        self.classify = Head(
            num_classes, activation=None if logits else self.kind.activation, dtype="float32"
        )
        self.classify.of_texts = self.answers_to

    def accept(self, preprocessor: "Preprocessor") -> None:
        """Checks a new preprocessor, and with ``subwords`` looks up the n-grams of its words."""
        check_preprocessor(self, preprocessor)
        if self.subwords:
            if not self.embed.built:
                self.embed.build()
            members = np.zeros(self.embed.members.shape, "int32")
            found = character_ngrams(preprocessor.vocabulary, self.subwords, members.shape[1])
            members[: len(found)] = found
            self.embed.members.assign(members)

    @property
    def kind(self) -> Any:
        """The kind of the model's answers, which knows loss and metrics; see :mod:`zoo.answers`."""
        return KINDS[self.answers]

    @property
    def hierarchical(self) -> bool:
        """Whether ids are ``[batch, sentences, words]``."""
        return self.max_sentences is not None

    def build(self, input_shape: Shape | None = None) -> None:
        """Creates the weights, which the first call would otherwise do."""
        shape = (1, 2, 2) if self.hierarchical else (1, 2)
        with recorded_calls(super().layers) as places:
            call_once(self, shape)
        self._places = places
        freeze_within(self)

    @property
    def layers(self) -> list[keras.layers.Layer]:
        """The layers in the order in which a text passes them; ``classify``, the head, is last.

        Layers that were not called when the model was built stand before the head.
        """
        layers = super().layers
        if is_saving():  # whose files name layers in the order of their creation
            return layers
        between, head = len(self._places), getattr(self, "classify", None)
        return sorted(
            layers, key=lambda layer: (layer is head, self._places.get(id(layer), between))
        )

    def read(self, ids: Tensor) -> tuple[Tensor, Tensor | None]:
        """Word ids, and the roles of words with ``entities`` (see ``EntityPositions``), or None."""
        return part_roles(ids) if self.entities else (ids, None)

    def parameter_count(self) -> int:
        """Trainable parameters without the word table."""
        tables = {id(weight) for weight in self.embed.weights}
        counted = [weight for weight in self.trainable_weights if id(weight) not in tables]
        return sum(math.prod(weight.shape) for weight in counted)

    @classmethod
    def option_defaults(cls) -> dict[str, Any]:
        """Options of the constructor with their defaults, the class's own first."""
        options = {}
        for constructor in cls._constructors():
            for name, parameter in inspect.signature(constructor).parameters.items():
                positional = (  # in a user's model
                    parameter.kind == parameter.POSITIONAL_OR_KEYWORD
                    and parameter.default is not parameter.empty
                    and name not in ("num_classes", "name", "dtype", "trainable")
                )
                if parameter.kind == parameter.KEYWORD_ONLY or positional:
                    options.setdefault(name, parameter.default)
        return options

    @classmethod
    def option_values(cls) -> dict[str, Values]:
        """The allowed values of options and of ``num_classes``, where annotations tell them.

        An option whose default is not among them may have any value, because it means something
        else than in the base class.
        """
        found, defaults = declared_values(cls._constructors()), cls.option_defaults()
        return {
            name: values
            for name, values in found.items()
            if name not in defaults or values.has(defaults[name])
        }

    @classmethod
    def _constructors(cls):
        return [base.__init__ for base in cls.__mro__[: cls.__mro__.index(TextClassifier) + 1]]

    def get_config(self) -> dict[str, Any]:
        options = {name: getattr(self, name) for name in self.option_defaults()}
        return super().get_config() | {"num_classes": self.num_classes} | options

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None
    ) -> "TextClassifier":
        """The layers keep the dtype policy that the model was saved with."""
        with dtype_policy(config.get("dtype")):
            return super().from_config(config, custom_objects)

    def __call__(self, ids: Any, *args: Any, **kwargs: Any) -> Any:
        """Probabilities of ids, or of texts: a list, an array or a tensor of strings."""
        return super().__call__(self._ids(ids), *args, **kwargs)

    def fit(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        epochs: int = 1,
        *,
        validation_data: Any = None,
        **kwargs: Any,
    ) -> keras.callbacks.History:
        """Keras' fit; ``x`` may be texts, and so may the first of ``validation_data``.

        At the first fit on texts the model counts their words, unless it has a preprocessor, and
        takes the names of its classes from their labels. A model that is not compiled compiles
        itself with zoo's default recipe, at a constant learning rate. A model that is solved at
        once is solved in one epoch; see :func:`zoo.fit_at_once.fit_at_once`.

        Lists and columns of texts are read in batches of similar length. A tf.data.Dataset, a
        generator or a PyDataset of texts keeps its batches and its order; single texts are put
        into batches of ``batch_size``. Targets are numbers of classes, or labels as texts; see
        :func:`zoo.answers.class_numbers.check_targets`.

        Raises:
            ValueError: for invalid texts, ids or targets, and for a dataset without end or text.
        """
        x = make_ready(self, x, y)
        weights, split = kwargs.pop("sample_weight", None), kwargs.pop("validation_split", 0.0)
        if weights is not None and kwargs.get("class_weight") is not None:
            raise ValueError("fit takes sample_weight or class_weight, not both")
        shuffle, size = kwargs.pop("shuffle", True), kwargs.get("validation_batch_size")
        kwargs["class_weight"] = self._numbered(kwargs.get("class_weight"))
        x, y = self._checked(x, y)
        if split and validation_data is None and is_text(x):
            (x, y, weights), validation_data = split_off(split, x, y, weights)
        if validation_data is not None:
            validation_data = _parts(validation_data)
        if self.solves:
            x = as_dataset(x) if y is None else x
            if is_text(x) or holds_texts(x):
                kwargs |= {"validation_split": split, "epochs": epochs, "batch_size": batch_size}
                return fit_at_once(self, x, y, weights, validation_data, **kwargs)
        x, y, weights = as_keras_reads(self, x, y, weights, batch_size, shuffle=shuffle)
        if validation_data is not None:
            *data, others = validation_data
            size = size or batch_size
            x_validation, y_validation = self._checked(*data)
            validation_data = as_keras_reads(self, x_validation, y_validation, others, size)
        kwargs["callbacks"] = watched(
            kwargs.get("callbacks"),
            kwargs,
            steps_per_epoch=x,
            validation_steps=validation_data and validation_data[0],
        )
        kwargs |= {
            "sample_weight": weights,
            "validation_split": split,
            "shuffle": shuffle and not keeps_order(x),
        }
        with self._attempt(kwargs.get("steps_per_epoch")):
            return super().fit(x, y, batch_size, epochs, validation_data=validation_data, **kwargs)

    def evaluate(
        self, x: Any = None, y: Any = None, batch_size: int | None = None, **kwargs: Any
    ) -> float | list[float] | dict[str, float]:
        """Keras' evaluate; ``x`` may be texts, and targets labels, as in :meth:`fit`."""
        if not is_validation(kwargs):  # whose data fit has made
            if not self.compiled:
                compile_by_default(self)
            x, y = self._checked(x, y)
            weights = kwargs.get("sample_weight")
            x, y, kwargs["sample_weight"] = as_keras_reads(self, x, y, weights, batch_size)
            kwargs["callbacks"] = watched(kwargs.get("callbacks"), kwargs, steps=x)
        with self._attempt(kwargs.get("steps")):
            return super().evaluate(x, y, batch_size, **kwargs)

    def predict(
        self, x: Any, batch_size: int | None = None, verbose: int | str = "auto", **kwargs: Any
    ) -> np.ndarray:
        """Keras' predict; ``x`` may be texts, as in :meth:`fit`. Answers have the order of ``x``.

        With a list, an array or a column of texts there are no further arguments.
        """
        x, _ = self._checked(x)
        if is_text(x):
            if given := [name for name, value in kwargs.items() if value is not None]:
                raise ValueError(f"predict takes no {', '.join(given)} with texts")
            return self.predict_texts(x, batch_size, verbose)
        x, *_ = as_keras_reads(self, x, batch_size=batch_size, learns=False)
        kwargs["callbacks"] = watched(kwargs.get("callbacks"), kwargs, steps=x)
        with self._attempt(kwargs.get("steps")):
            return super().predict(x, batch_size, verbose, **kwargs)

    def answers_to(self, texts: Sequence[str]) -> list[dict[str, Any]]:
        """The labels of texts. ``model.classify(texts)`` gives the same.

        Args:
            texts: any sequence of strings.

        Returns:
            A dictionary for each text: the ``text``, its ``label``, the ``probability`` of that
            label, and the ``probabilities`` of all labels.

        Raises:
            UsageError: if a probability is NaN or infinite.

        Example:
            >>> import zoo
            >>> zoo.load(run).classify(["A fine film."])[0]["label"]
            'good'
        """
        check_texts(texts)
        texts = list(texts)
        rows = probabilities_of(self, texts)
        return [told(self, text, row) for text, row in zip(texts, rows, strict=True)]

    def train_on_batch(self, x: Any, y: Any = None, *args: Any, **kwargs: Any) -> Any:
        """Keras' train_on_batch; ``x`` may be texts."""
        x, y = self._batch(x, y)
        with self._attempt():
            return super().train_on_batch(x, y, *args, **kwargs)

    def test_on_batch(self, x: Any, y: Any = None, *args: Any, **kwargs: Any) -> Any:
        """Keras' test_on_batch; ``x`` may be texts."""
        x, y = self._batch(x, y)
        with self._attempt():
            return super().test_on_batch(x, y, *args, **kwargs)

    def predict_on_batch(self, x: Any) -> Any:
        """Keras' predict_on_batch; ``x`` may be texts."""
        return super().predict_on_batch(self._ids(x))

    def predict_texts(
        self, texts: Sequence[str], batch_size: int | None = None, verbose: int | str | None = None
    ) -> np.ndarray:
        """Predicts texts, those of similar length together, so that there is little padding.

        On a CPU each core computes batches on its own, which is fastest if TensorFlow was started
        with ``TF_NUM_INTRAOP_THREADS=1`` in the environment.

        Args:
            texts: any sequence of strings, or a split of a corpus.
            batch_size: texts that are computed together; by default 32 to 128 where several cores
                compute batches, the more the shorter they are, else 128.
            verbose: 0 shows no progress, 1 shows it if the work takes long; by default it is shown
                where messages of the logger ``zoo`` are. See :func:`zoo.progress.progress`.

        Returns:
            ``[texts, classes]`` float32 probabilities, or logits, in the order of the texts.
        """
        check_batch_size(batch_size)
        threads = prediction_threads()
        batch_size = batch_size or (None if threads > 1 else 128)
        probabilities = np.empty((len(texts), self.num_classes), "float32")
        batches = preprocessor_of(self).batches_by_length(texts, batch_size, self.sentence_groups)
        shown = None if verbose is None else bool(verbose)
        self.make_predict_function()  # one for all threads
        found = in_threads(
            lambda batch: (batch[0], self.predict_on_batch(batch[1])), batches, threads
        )
        answered = progress(
            found, "Predicting", len(texts), size=lambda item: len(item[0]), shown=shown
        )
        for rows, answers in answered:
            probabilities[rows] = answers[: len(rows)]  # each device of a strategy has all
        return probabilities

    def export(
        self,
        filepath: str | Path,
        format: str = "tf_saved_model",
        verbose: bool | None = None,
        input_signature: Sequence[Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Keras' export of a model that reads ids; ``zoo export`` writes one that reads texts.

        By default ``serve`` of a SavedModel takes int32 ids and the preprocessor's int64 ids, and
        its signatures take int32. Give ``serve`` arrays or tensors: TensorFlow traces it anew for
        each shape and for each list, but never traces ``signatures["serve"]`` again.
        """
        shape = (None,) * (3 if self.hierarchical else 2)
        signature = input_signature or [keras.InputSpec("int32", shape)]
        if format != "tf_saved_model":
            super().export(filepath, format, verbose, signature, **kwargs)
            return
        from zoo.backend.keras_export import export_ids

        also = () if input_signature else ([keras.InputSpec("int64", shape)],)
        export_ids(self, filepath, verbose is not False, signature, also, **kwargs)

    def solve(self, split: "Split", seed: int = 0) -> None:
        """Computes the weights from a training split, for models that are solved at once."""
        raise NotImplementedError

    def make_room(self, rows: int) -> None:
        """Gives the tables of words ``rows`` rows of zeros, for models with ``grows``."""
        raise NotImplementedError

    def explain(
        self,
        texts: Sequence[str],
        targets: Sequence[str] | None = None,
        pairs: bool = True,
        label: str | None = None,
    ) -> "Explanations":
        """Explains which words decide; see :func:`zoo.explanation.explain.explain`."""
        from zoo.explanation.explain import explain

        return explain(self, texts, targets, pairs, label)

    def corpus_tables(self, texts: Sequence[str]) -> dict[str, "pd.DataFrame"]:
        """Further tables for the page of explanations, by their captions."""
        return {}

    def one_text(self) -> tuple:
        """Ids, targets and weights of a batch with a single text, as the loss takes them."""
        ids = np.ones((1, 1, 1) if self.hierarchical else (1, 1), "int64")
        targets = self.kind.blank(self.num_classes, getattr(self, "loss", None))
        return ids, targets, np.ones(1, "float32")

    @contextmanager
    def _attempt(self, steps=None):
        """Wraps Keras' reading of data; without a number of steps all data are read."""
        with told_in_a_line(steps is None), self.may_fail():
            yield

    def _ids(self, x):
        """The ids of texts; anything else is returned as it is."""
        if not is_texts(x):
            return x
        if isinstance(x, keras.KerasTensor):
            raise UsageError(
                "inside a functional model this model reads int32 ids and no strings: "
                "model.preprocessor(texts) gives the ids"
            )
        ids = preprocessor_of(self)(text_tensor(x))
        return readable(ids)

    def _batch(self, x, y):
        """Ids and targets of a batch, checked."""
        ids = self._ids(x)
        if ids is not x:
            check_lengths(len(ids), y)
        return self._checked(ids, y)

    def _checked(self, x, y=None):
        """Ids or texts, and their targets, or what gives them."""
        x, y = only_one(x), only_one(y)
        y = self.kind.checked(y, self.num_classes, getattr(self, "loss", None), self.labels)
        self._check_ids(x)
        return x, np.asarray(y) if isinstance(y, list | tuple) else y

    def _numbered(self, weights):
        """Weights by the numbers of classes; the keys that are given may also be labels."""
        if not weights or not all(isinstance(one, str) for one in weights):
            return weights
        for label in weights:
            if label not in (self.labels or ()):
                raise unknown("label of class_weight", label, self.labels or ())
        return {self.labels.index(label): weight for label, weight in weights.items()}

    def _check_ids(self, ids):
        if isinstance(ids, np.ndarray) and ids.dtype.kind in "iuf":
            words, _ = self.read(ids)
            check_ids(words, 3 if self.hierarchical else 2, self.vocabulary_size)


def _parts(data):
    """``validation_data`` as texts or ids, or a dataset; targets and weights, or None for each."""
    data = data if isinstance(data, tuple | list) else [data]
    if not 1 <= len(data) <= 3:
        raise ValueError("validation_data must be (texts, targets), or with weights")
    return (*data, None, None)[:3]


@contextmanager
def dtype_policy(policy: Any) -> Iterator[None]:
    """Sets Keras' global dtype policy, by its name or its config, for a ``with`` block."""
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy(keras.dtype_policies.get(policy))
    try:
        yield
    finally:
        keras.config.set_dtype_policy(before)
