"""The base class of all models."""

import functools
import inspect
import json
import math
import sys
import types
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import keras
import numpy as np
from keras import ops

from zoo.backend import scope_of
from zoo.datasets.text.character_ngrams import character_ngrams
from zoo.errors import UsageError
from zoo.explanation.attention import Attention as Attention  # which models give
from zoo.input_checks import (
    check_class_names,
    check_ids,
    check_target_spec,
    check_targets,
    ignored_class,
    is_sparse,
    only_one,
    wanted_targets,
)
from zoo.layers import SubwordEmbedding
from zoo.layers.entity_positions import ROLES
from zoo.layers.frozen import freeze_within
from zoo.layers.masking import word_mask as word_mask  # which models read with
from zoo.progress import progress

if TYPE_CHECKING:
    from zoo.datasets import Preprocessor
    from zoo.datasets.corpus import Split
    from zoo.explanation.explain import Explanations

ASSET = "texts.json"  # in a .keras file's assets: what a model needs to read texts


class TextClassifier(keras.Model):
    """Word ids to class probabilities.

    A model reads ids ``[batch, words]``, or ``[batch, sentences, words]`` where it is
    ``hierarchical``; 0 is padding, 1 an unknown word. It gives ``[batch, num_classes]`` float32
    probabilities (or logits). Padding never changes them.

    A subclass stores each option of its constructor under its own name, from where
    :meth:`get_config` reads it, and defines ``call(ids, training=None)``.

    With a :class:`zoo.datasets.Preprocessor` as its ``preprocessor``, ``fit``, ``evaluate``,
    ``predict``, their likes for one batch and a call of the model take texts as well as ids, and
    datasets of texts. ``labels`` are the names of the classes, if known. ``save`` keeps both.

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
        self._places = {}  # of layers, by their ids, in the order of the first calls
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

    def save(self, filepath, *args, **kwargs):
        """Keras' save: a ``.keras`` file, which keeps the preprocessor and the labels.

        Raises:
            UsageError: for ``.h5``, which has no room for them.
        """
        if str(filepath).endswith((".h5", ".hdf5")):
            raise UsageError(
                f"{filepath}: HDF5 has no room for the words and the labels of a model: save it as "
                ".keras, by zoo.save as a run folder, or its weights alone as .weights.h5"
            )
        super().save(filepath, *args, **kwargs)

    def save_assets(self, folder):
        """Keras calls it when it saves a model: writes preprocessor and labels."""
        if self.preprocessor is None and self.labels is None:
            return
        own = self.preprocessor
        texts = {
            "preprocessor": own and own.get_config(),
            "vocabulary": own and own.vocabulary,
            "labels": self.labels,
        }
        Path(folder, ASSET).write_text(json.dumps(texts), "utf-8")

    def load_assets(self, folder):
        """Keras calls it when it loads a model: reads what :meth:`save_assets` wrote."""
        path = Path(folder or "", ASSET)
        if folder is None or not path.exists():
            return
        from zoo.datasets import Preprocessor

        texts = json.loads(path.read_text("utf-8"))
        if texts["preprocessor"] is not None:
            self.preprocessor = Preprocessor(texts["vocabulary"], **texts["preprocessor"])
        self.labels = texts["labels"]

    def __reduce__(self):
        """Copies and pickles keep the very preprocessor and the labels."""
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
        with recorded_calls(super().layers) as called:
            if keras.backend.backend() == "jax":  # it would compile each operation by itself
                self.compute_output_spec(keras.KerasTensor(shape, "int32"))
            else:
                self.call(ops.zeros(shape, "int32"))
        self._places = {id(layer): place for place, layer in enumerate(called)}
        freeze_within(self)

    @property
    def layers(self) -> list[keras.layers.Layer]:
        """The layers in the order in which a text passes them; ``classify``, the head, is last.

        One that did not read anything when the model was built stands before the head.
        """
        layers = super().layers
        if of_saving(sys._getframe(1)):  # whose files name layers in the order of their creation
            return layers
        between, head = len(self._places), getattr(self, "classify", None)
        return sorted(
            layers, key=lambda layer: (layer is head, self._places.get(id(layer), between))
        )

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

    def _resolve_auto_jit_compile(self):
        # XLA compiles each length anew. An own compile would keep Keras from saving its arguments.
        return keras.backend.backend() != "tensorflow" and super()._resolve_auto_jit_compile()

    def __call__(self, ids, *args, **kwargs):
        """Probabilities of ids, or of texts: a list, an array or a tensor of strings."""
        return super().__call__(self._ids(ids), *args, **kwargs)

    def fit(self, x=None, y=None, batch_size=None, epochs=1, *, validation_data=None, **kwargs):
        """Keras' fit; ``x`` may be texts, and so may the first of ``validation_data``.

        Lists and columns of texts are read in batches of like length. A tf.data.Dataset, a
        generator or a PyDataset of texts keeps its batches and its order; single texts are put
        into batches of ``batch_size``. Targets are numbers of classes, or labels as texts; see
        :func:`zoo.input_checks.check_targets`.

        Raises:
            ValueError: for texts, ids or targets that are none, and a dataset without end or text.
        """
        x, weights = only_one(x), kwargs.pop("sample_weight", None)
        callbacks = kwargs.get("callbacks")
        split = kwargs.pop("validation_split", None) or 0.0
        y = self._check_targets(y)
        if is_text(x):
            if y is None:
                raise ValueError("fit needs targets: the number of a class for each text")
            if weights is not None and kwargs.get("class_weight") is not None:
                raise ValueError("fit takes sample_weight or class_weight, not both")
            if split and validation_data is None:
                x, y, weights, validation_data = _split((x, y, weights), split)
                split = 0.0
        if isinstance(validation_data, tuple | list):
            validation_data = (only_one(validation_data[0]), *validation_data[1:])
            if len(validation_data) > 1:
                targets = self._check_targets(validation_data[1])
                validation_data = (validation_data[0], targets, *validation_data[2:])
            self._check_ids(validation_data[0])
            if is_text(validation_data[0]):
                if len(validation_data) not in (2, 3):
                    raise ValueError(
                        "validation_data of texts must be (texts, targets), or with weights"
                    )
                size = kwargs.pop("validation_batch_size", None) or batch_size
                validation_data = self._batches(*validation_data[:2], size, *validation_data[2:])
        else:
            size = kwargs.get("validation_batch_size") or batch_size
            validation_data = self._dataset(validation_data, size, True)
            _check_end(validation_data, "validation_steps", kwargs, callbacks)
        if is_text(x):
            shuffle = kwargs.pop("shuffle", True)
            x, y, weights = self._batches(x, y, batch_size, weights, shuffle), None, None
            batch_size = None
            kwargs["shuffle"] = False  # the batches are, or shall not be
        elif y is None:
            x = self._dataset(x, batch_size, True, kwargs.get("shuffle", True))
            _check_end(x, "steps_per_epoch", kwargs, callbacks)
            if is_dataset(x) or isinstance(x, types.GeneratorType):
                kwargs.setdefault("shuffle", False)  # Keras cannot, and would warn of it
        self._check_ids(x)
        kwargs["callbacks"] = _watched(callbacks, x, validation_data)
        if weights is not None or split:
            kwargs |= {"sample_weight": weights, "validation_split": split}
        with self._attempt(kwargs.get("steps_per_epoch")):
            return super().fit(x, y, batch_size, epochs, validation_data=validation_data, **kwargs)

    def evaluate(self, x=None, y=None, batch_size=None, **kwargs):
        """Keras' evaluate; ``x`` may be texts, and targets labels, as in :meth:`fit`."""
        x = only_one(x)
        y = self._check_targets(y)
        self._check_ids(x)
        if is_text(x):
            weights = kwargs.pop("sample_weight", None)
            x, y, batch_size = self._batches(x, y, batch_size, weights), None, None
        elif y is None and not kwargs.get("_use_cached_eval_dataset"):
            x = self._dataset(x, batch_size, True)
            _check_end(x, "steps", kwargs, kwargs.get("callbacks"))
            kwargs["callbacks"] = _watched(kwargs.get("callbacks"), x)
        with self._attempt(kwargs.get("steps")):
            return super().evaluate(x, y, batch_size, **kwargs)

    def predict(self, x, batch_size=None, verbose="auto", **kwargs):
        """Keras' predict; ``x`` may be texts, as in :meth:`fit`, whose order the answers have.

        With a list, an array or a column of texts there is nothing else to set.
        """
        x = only_one(x)
        if not is_text(x):
            self._check_ids(x)
            x = self._dataset(x, batch_size)
            _check_end(x, "steps", kwargs, kwargs.get("callbacks"))
            kwargs["callbacks"] = _watched(kwargs.get("callbacks"), x)
            with self._attempt(kwargs.get("steps")):
                return super().predict(x, batch_size, verbose, **kwargs)
        kwargs = {name: value for name, value in kwargs.items() if value is not None}
        if kwargs:
            raise ValueError(f"predict takes no {', '.join(kwargs)} with texts")
        return self.predict_texts(x, batch_size, verbose)

    def train_on_batch(self, x, y=None, *args, **kwargs):
        """Keras' train_on_batch; ``x`` may be texts."""
        x, y = self._batch(x, y)
        with self._attempt():
            return super().train_on_batch(x, y, *args, **kwargs)

    def test_on_batch(self, x, y=None, *args, **kwargs):
        """Keras' test_on_batch; ``x`` may be texts."""
        x, y = self._batch(x, y)
        with self._attempt():
            return super().test_on_batch(x, y, *args, **kwargs)

    def predict_on_batch(self, x):
        """Keras' predict_on_batch; ``x`` may be texts."""
        return super().predict_on_batch(self._ids(x))

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
        from zoo.backend import in_threads, prediction_threads

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
        from zoo.ids_export import export_ids

        also = () if input_signature else ([keras.InputSpec("int64", shape)],)
        export_ids(self, filepath, verbose is not False, signature, also, **kwargs)

    def solve(self, split: "Split", seed: int = 0) -> None:
        """Finds the weights at once on a training split, where a model ``solves``."""
        raise NotImplementedError

    def explain(
        self, texts: Sequence[str], targets: Sequence[str] | None = None, pairs: bool = True
    ) -> "Explanations":
        """Where the model looks in texts; see :func:`zoo.explanation.explain.explain`."""
        from zoo.explanation.explain import explain

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

    @contextmanager
    def _attempt(self, steps=None):
        """Where Keras reads data: if it fails, the next attempt starts as if there had been none.

        A function of TensorFlow that failed while it was traced would go on to fail, and so would
        metrics and an optimizer whose variables were made in that trace.
        """
        self._build_optimizer()
        fresh = [self._compile_loss, self._compile_metrics] if self.compiled else []
        fresh = [one for one in fresh if one is not None and not one.built]
        held = []  # on JAX a step takes the values out of variables, and puts back what it made
        if keras.backend.backend() == "jax":
            optimizer = getattr(self, "optimizer", None)
            ours = [*self.variables, *self.metrics_variables, *getattr(optimizer, "variables", [])]
            held = [(one, one._value) for one in ours]
        try:
            with warnings.catch_warnings():
                if steps is None:  # the end of a dataset of unknown length, which is none too early
                    warnings.filterwarnings("ignore", "Your input ran out of data")
                yield
        except Exception as error:
            self.train_function = self.test_function = self.predict_function = None
            for one, value in held:
                if one._value is None:
                    one._value = value
            for one in fresh:
                one.built = False
            from zoo.datasets.text_streams import wrong_number

            if isinstance(error, StopIteration):  # on JAX
                raise UsageError("there are no texts: the dataset is empty") from None
            if told := wrong_number(error):
                raise ValueError(told) from None
            raise

    def _build_optimizer(self):
        optimizer = getattr(self, "optimizer", None)
        if self.compiled and self.built and optimizer is not None and not optimizer.built:
            with scope_of(self):
                optimizer.build(self.trainable_variables)

    def get_compile_config(self):
        self._build_optimizer()  # as the loaded one is, or Keras would warn that they differ
        return super().get_compile_config()

    def _ids(self, x):
        """The ids of texts; what is no texts, as it is."""
        from zoo.datasets.text.text_tensors import is_texts, text_tensor

        if not is_texts(x):
            return x
        if isinstance(x, keras.KerasTensor):
            raise UsageError(
                "within a functional model this one reads ids, int32, and no strings: "
                "model.preprocessor(texts) gives them"
            )
        ids = self._need_preprocessor()(text_tensor(x))
        return ids if keras.backend.backend() == "tensorflow" else np.asarray(ids)

    def _batch(self, x, y):
        """Ids and targets of a batch, checked."""
        y = self._check_targets(y)
        ids = self._ids(x)
        if ids is not x and y is None:
            raise ValueError("texts to learn from need targets: the number of a class for each")
        if ids is not x and len(ids) != len(y):
            raise ValueError(f"{len(ids)} texts need as many targets: got {len(y)}")
        self._check_ids(ids)
        return ids, np.asarray(y) if isinstance(y, list | tuple) else y

    def _dataset(self, data, batch_size, learns=False, shuffle=False):
        """What gives texts in any way but as a list, as a dataset of ids; all else as it is."""
        if not (is_dataset(data) or isinstance(data, types.GeneratorType | keras.utils.PyDataset)):
            return data
        if learns:
            check_class_names(data, self.labels)
        from zoo.datasets.batches import batches_in_order
        from zoo.datasets.text_streams import as_dataset, holds_texts, with_classes

        one_pass = isinstance(data, types.GeneratorType)
        data = as_dataset(data, shuffle)
        if one_pass and learns and is_dataset(data) and keras.backend.backend() == "jax":
            raise UsageError(
                "on JAX Keras reads a generator of texts in vain before it learns: give a list, or "
                "a tf.data.Dataset.from_generator"
            )
        if not (is_dataset(data) and hasattr(data, "map") and holds_texts(data)):
            return data
        _check_batch_size(batch_size)
        preprocessor, loss = self._need_preprocessor(), getattr(self, "loss", None)
        data = batches_in_order(preprocessor, data, batch_size, self.sentence_groups)
        if learns:
            spec = data.element_spec
            if not isinstance(spec, tuple) or len(spec) < 2:
                raise UsageError("a dataset to learn from gives (texts, targets): got texts alone")
            if not hasattr(spec[1], "shape"):
                return data
            check_target_spec(spec[1], self.num_classes, loss)
            if is_sparse(loss):
                wanted, ignored = wanted_targets(self.num_classes), ignored_class(loss)
                data = with_classes(data, wanted, self.num_classes, ignored)
        return data

    def _check_targets(self, targets):
        return check_targets(targets, self.num_classes, getattr(self, "loss", None), self.labels)

    def _check_ids(self, ids):
        if isinstance(ids, np.ndarray) and ids.dtype.kind in "iuf":
            words = self.vocabulary_size * (ROLES if self.entities else 1)
            check_ids(ids, 3 if self.hierarchical else 2, words)

    def _batches(self, texts, targets, batch_size, weights=None, shuffle=False):
        import tensorflow as tf

        from zoo.datasets.text.text_tensors import text_dataset

        _check_batch_size(batch_size)
        if not len(texts):
            raise ValueError("there are no texts: the list is empty")
        dataset = text_dataset(texts)
        others = {"targets": targets, "weights": weights}
        others = {name: np.asarray(one) for name, one in others.items() if one is not None}
        for name, one in others.items():
            if len(one) != len(texts):
                raise ValueError(f"{len(texts)} texts need as many {name}: got {len(one)}")
        if others:
            parts = map(tf.data.Dataset.from_tensor_slices, others.values())
            dataset = tf.data.Dataset.zip(dataset, *parts)
        if shuffle:  # all, as they may be sorted by class
            dataset = dataset.shuffle(len(dataset), seed=0, reshuffle_each_iteration=False)
        return self._need_preprocessor().batches(
            dataset, batch_size or 32, shuffle=shuffle, groups=self.sentence_groups
        )


def _rebuilt(rebuild, arguments, preprocessor, labels):
    model = rebuild(*arguments)
    model.preprocessor, model.labels = preprocessor, labels
    return model


def _split(data, share):
    """Texts, targets and weights without the last of them, and these, as Keras has it."""
    from zoo.datasets.text.text_tensors import text_tensor

    texts, *others = data
    texts = text_tensor(texts)
    number = math.floor(len(texts) * (1 - share))
    if not 0 < number < len(texts):
        raise ValueError(
            f"validation_split must leave some of the {len(texts)} texts on both sides: got {share}"
        )
    parts = [texts, *(None if one is None else np.asarray(one) for one in others)]
    first, last = (
        [one if one is None else one[rows] for one in parts]
        for rows in (slice(number), slice(number, None))
    )
    return *first, tuple(one for one in last if one is not None)


class _SomeTexts(keras.callbacks.Callback):
    """Refuses a dataset of unknown length that turns out to be empty, which Keras cannot read."""

    def __init__(self):
        super().__init__()
        self.seen = False

    def _begin(self, *args, **kwargs):
        self.seen = False

    def _batch(self, *args, **kwargs):
        self.seen = True

    def _end(self, *args, **kwargs):
        if not self.seen:
            raise UsageError("there are no texts: the dataset is empty")
        self.seen = True  # the end of an epoch comes after that of its evaluation

    on_epoch_begin = on_test_begin = on_predict_begin = _begin
    on_train_batch_end = on_test_batch_end = on_predict_batch_end = _batch
    on_epoch_end = on_test_end = on_predict_end = _end


def _cardinality(data):
    """Of a tf.data.Dataset: -1 has no end, -2 is unknown. None of anything else."""
    return int(data.cardinality()) if is_dataset(data) and callable(data.cardinality) else None


def _watched(callbacks, *data):
    """Callbacks, with one more where a dataset may turn out to be empty."""
    if isinstance(callbacks, keras.callbacks.CallbackList) or -2 not in map(_cardinality, data):
        return callbacks
    callbacks = callbacks or []
    return [_SomeTexts(), *(callbacks if isinstance(callbacks, list | tuple) else [callbacks])]


def _check_end(data, name, given, callbacks):
    """Refuses what would be read for ever."""
    if _cardinality(data) == -1 and given.get(name) is None and not callbacks:
        raise UsageError(f"the dataset has no end: give {name}")


def _check_batch_size(size):
    if size is not None and size < 1:
        raise ValueError(f"batch_size must be at least 1: got {size}")


@contextmanager
def recorded_calls(layers: Iterable[keras.layers.Layer]) -> Iterator[list[keras.layers.Layer]]:
    """The layers that were called in a ``with`` block, in the order of their first calls."""
    called = []

    def record(layer, call, *args, **kwargs):
        if not any(layer is one for one in called):
            called.append(layer)
        return call(*args, **kwargs)

    layers = list(layers)
    for layer in layers:
        layer.call = functools.partial(record, layer, layer.call)
    try:
        yield called
    finally:
        for layer in layers:
            del layer.call


def of_saving(frame: types.FrameType) -> bool:
    """Whether a frame is one of Keras' code that saves and loads models, also as HDF5."""
    return frame.f_globals.get("__name__", "").startswith(("keras.src.saving", "keras.src.legacy"))


@contextmanager
def dtype_policy(policy: Any) -> Iterator[None]:
    """Keras' global dtype policy is this one, by its name or its config, in a ``with`` block."""
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy(keras.dtype_policies.get(policy))
    try:
        yield
    finally:
        keras.config.set_dtype_policy(before)


def is_dataset(x: Any) -> bool:
    """Whether ``x`` is a dataset of TensorFlow, also a distributed one."""
    return hasattr(x, "element_spec") and hasattr(x, "cardinality")


def is_text(x: Any) -> bool:
    """Whether ``x`` is an array, list or column of strings, and not of ids; an empty list is.

    Raises:
        UsageError: for one text, or a table of texts.
    """
    if isinstance(x, list | tuple):  # an array of them would be as wide as the longest
        return not x or isinstance(x[0], str | bytes)
    if isinstance(x, str) or (hasattr(x, "__array__") and np.asarray(x).dtype.kind in "OUST"):
        from zoo.datasets.text.text_tensors import check_texts

        check_texts(x)
        return True
    return False
