"""A ``bert`` of zoo that starts with the encoder of a BERT, over words in place of their pieces."""

from typing import TYPE_CHECKING, Any

import numpy as np
from keras import ops

from zoo import recipes
from zoo.datasets.vectors.english import english_words
from zoo.errors import UsageError
from zoo.models._linear import solved
from zoo.progress import progress
from zoo.weights.bert_format import BertEncoder, read_bert
from zoo.weights.bert_words import fill_words
from zoo.weights.start import Start
from zoo.weights.weights_folder import find_weights

# For fine-tuning, unless the user gives another. Chosen beside a rate of 3e-4 on held-out training
# texts of TREC and OpeNER, 16 a class.
LEARNING_RATE = 1e-4
# Three times as many were no better on held-out training texts of TREC, of which it had all others.
# Half of the 1,000 that many classes take were a point worse for Banking77, 16 a class.
TRAINING_STEPS = 500
# By default, so that a SavedModel has less than 40 MB: two bytes a number, or one where training
# leaves the vectors as they are.
MOST_WORDS, MOST_FIXED_WORDS = 20_000, 38_000
# The inverse of the regularisation of the first last layer, chosen on held-out training texts. With
# a weak one the layer is sure of its texts at once, and little is left for the encoder to learn.
# Of 77 classes, an unsure one learnt too little in 10 passes.
STRENGTH, STRENGTH_OF_MANY = 0.1, 10.0
LONGEST = 256  # words of a text, by default; twice as many need twice the time and memory
AT_ONCE = 16  # texts that it reads; more of long ones would take more memory than training does
MOST_READ = 2_000  # texts that it learns from; of long ones these take a minute
FREQUENT = 1000  # English words; an encoder for English has most of them as a single piece

if TYPE_CHECKING:
    from zoo.datasets.corpus import Corpus
    from zoo.models.bert import BERT


class BertWeights(Start):
    """The encoder of a BERT.

    Args:
        weights, model, options: see :class:`zoo.weights.start.Start`.
        corpus: that is learnt from; None where it is not known.

    Raises:
        UsageError: for another model, for files that are not there or of another shape, and for
            options that do not fit.
    """

    def __init__(self, weights, model, options, corpus=None):
        super().__init__(weights, model, options)
        self.corpus = corpus
        if not model.reads_bert_weights:
            raise UsageError(f"{weights} is for bert, and not for {model.name}: try english")
        self.encoder = read_bert(find_weights(weights))
        if corpus is not None and len(corpus.train) < recipes.FEW:
            # So nearly twice as many words have vectors; trained ones are no better.
            options = {"train_embeddings": False} | options
        self.options = bert_options(self.encoder, **options)
        self.most = MOST_WORDS if options.get("train_embeddings", True) else MOST_FIXED_WORDS

    def words(self, preprocessor, room):
        return further_words(self.encoder)

    def fill(self, model):
        fill_bert(model, self.encoder)
        model.learning_rate, model.training_steps = LEARNING_RATE, TRAINING_STEPS
        if self.corpus is not None:
            fill_head(model, self.corpus)


def bert_options(encoder: BertEncoder, **own: Any) -> dict[str, Any]:
    """Options of a ``bert`` that an encoder fits, with the user's own among them.

    Args:
        encoder: the weights.
        own: the user's options: ``num_layers`` may be fewer than the encoder has, which are then
            its lower ones; ``max_words``, by default at most :data:`LONGEST`, less than it has
            positions. The other sizes are its own.

    Raises:
        UsageError: for an option that does not fit.
    """
    fixed = {
        "embedding_dim": encoder.dim,
        "num_heads": encoder.heads,
        "feed_forward_dim": encoder.feed_forward_dim,
        "norm_epsilon": encoder.epsilon,
        "start_vector": True,
    }
    most = {"num_layers": encoder.layers, "max_words": encoder.positions - 1}
    for name, value in fixed.items():
        if own.get(name, value) != value:
            raise UsageError(
                f"{name} must be {value}, as in the weights, or left out: got {own[name]!r}"
            )
    for name, value in most.items():
        if type(count := own.get(name, value)) is not int or not 1 <= count <= value:
            raise UsageError(
                f"{name} must be 1 to {value}, as the weights have no more: got {count!r}"
            )
    if own.get("subwords"):
        raise UsageError("subwords must be 0, as the weights have none")
    return fixed | most | {"max_words": min(LONGEST, most["max_words"])} | own


def further_words(encoder: BertEncoder) -> list[str]:
    """Words that a vocabulary may be filled up with, in lower case, the most frequent first.

    Where the encoder knows English they are frequent English words; then, or else, those that are
    one of its pieces, in the order of its vocabulary. Those that a clean-up would not leave as they
    are, are passed over by :meth:`zoo.datasets.Preprocessor.extended`.
    """
    whole = dict.fromkeys(map(str.lower, encoder.whole_words()))
    english = english_words()
    known = sum(word in whole for word in english[:FREQUENT])
    return list(dict.fromkeys([*(english if known > FREQUENT / 2 else []), *whole]))


def fill_bert(classifier: "BERT", encoder: BertEncoder) -> None:
    """Gives a built ``bert`` the weights of an encoder; its last layer stays as it is.

    For its words see :func:`zoo.weights.bert_words.fill_words`. Before the first one stands
    ``[CLS]``; there is no ``[SEP]`` after the last. The vector of the first segment, in which all
    words are, is part of the positions'.

    Args:
        classifier: with the options of :func:`bert_options` and with its preprocessor.
        encoder: the weights.

    Raises:
        UsageError: if it has no preprocessor.
    """
    if classifier.preprocessor is None:
        raise UsageError("weights need a vocabulary: set model.preprocessor first")
    arrays = encoder.arrays
    classifier.start.embeddings.assign(encoder.word_vectors(["[CLS]"]))
    positions = arrays["embeddings.position_embeddings.weight"][: classifier.max_words + 1]
    segment = arrays["embeddings.token_type_embeddings.weight"][0]
    classifier.positions.embeddings.assign(positions + segment)
    fill_layers(classifier, arrays)
    fill_words(classifier, encoder)


def fill_head(classifier: "BERT", corpus: "Corpus") -> None:
    """Gives the last layer what logistic regression on the encoder's vectors has.

    Else the first steps, of a last layer that knows nothing, would change what the encoder knows.
    Of many texts it reads some, drawn by chance.

    Args:
        classifier: with the weights of an encoder.
        corpus: in splits.

    Source:
        Kumar et al. 2022, "Fine-Tuning can Distort Pretrained Features and Underperform
        Out-of-Distribution", Section 4: linear probing, then fine-tuning.
    """
    train = corpus.judged("train")
    train = train.take(np.random.default_rng(0).permutation(len(train)) < MOST_READ)
    if 0 in corpus.kind.counts(train.targets, classifier.num_classes):
        return  # the encoder would know nothing of these texts
    texts = list(train)
    parts = [texts[start : start + AT_ONCE] for start in range(0, len(texts), AT_ONCE)]
    parts = progress(parts, "Reading texts for the last layer", len(parts), "batches")
    read = (np.asarray(classifier.preprocessor(part)) for part in parts)  # JAX takes no tensors
    vectors = [ops.convert_to_numpy(classifier.document(ids)[0]) for ids in read]
    vectors = np.concatenate(vectors).astype("float32")  # of 16 bits, where training has these
    scale = 1 / np.sqrt(np.square(vectors).sum(axis=-1).mean())
    many = classifier.num_classes >= recipes.MANY_CLASSES
    strength = STRENGTH_OF_MANY if many else STRENGTH
    kernel, bias = corpus.kind.solved(
        lambda numbers: solved(scale * vectors, numbers, "logistic", strength), train.targets
    )
    classifier.classify.set_weights([scale * kernel, bias])


def fill_layers(classifier: "BERT", arrays: dict[str, np.ndarray]) -> None:
    """Gives a built ``bert`` the first normalisation and the layers of an encoder.

    Args:
        classifier: as wide as the encoder; the lower layers, if it has fewer.
        arrays: by PyTorch's names; see :class:`zoo.weights.bert_format.BertEncoder`.
    """
    _assign(classifier.norm, arrays, "embeddings.LayerNorm")
    for number, layer in enumerate(classifier.encoder):
        own = f"encoder.layer.{number}"
        inner = [f"{own}.attention.self.{name}" for name in ("query", "key", "value")]
        _assign(layer.attention.projection, arrays, *inner)
        _assign(layer.attention.output_projection, arrays, f"{own}.attention.output.dense")
        _assign(layer.attention_norm, arrays, f"{own}.attention.output.LayerNorm")
        _assign(layer.hidden, arrays, f"{own}.intermediate.dense")
        _assign(layer.output_projection, arrays, f"{own}.output.dense")
        _assign(layer.output_norm, arrays, f"{own}.output.LayerNorm")


def _assign(layer, arrays, *names):
    """Gives a layer of Keras the weights of PyTorch's, side by side if they are several."""
    weights = np.concatenate([arrays[f"{name}.weight"].T for name in names], axis=-1)
    layer.set_weights([weights, np.concatenate([arrays[f"{name}.bias"] for name in names])])
