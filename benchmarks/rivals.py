"""What the models are measured against: plain Keras forms of them, and what users might pick.

The plain forms are what one writes first from a paper: the same arithmetic with the same weights
(``tests/test_benchmarks.py`` copies them over), on padded batches.
"""

import os
import tempfile
from pathlib import Path

import keras
from keras import layers, ops
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import zoo
from benchmarks.measure import preprocessor_of
from zoo.layers import GlobalAttention, PairwiseAttention, RelativePositionAttention
from zoo.models.attcnn import ATTCNN
from zoo.models.ssan import SSAN
from zoo.runs.onnx_model import OnnxClassifier
from zoo.shipping.onnx_file import write_of_texts


def attend(query, key, value, heads, mask):
    """Dot-product attention over heads."""

    def split(x):
        return ops.transpose(
            ops.reshape(x, (-1, ops.shape(x)[1], heads, x.shape[-1] // heads)), (0, 2, 1, 3)
        )

    query, key, value = split(query), split(key), split(value)
    scores = ops.matmul(query, ops.transpose(key, (0, 1, 3, 2))) / query.shape[-1] ** 0.5
    scores = ops.where(mask[:, None, None, :], scores, -1e30)
    outputs = ops.transpose(ops.matmul(ops.softmax(scores), value), (0, 2, 1, 3))
    return ops.reshape(outputs, (-1, ops.shape(outputs)[1], heads * query.shape[-1]))


class HANLevel(layers.Layer):
    """A level of HAN."""

    def __init__(self, units, attention_dim, **kwargs):
        super().__init__(**kwargs)
        self.gru = layers.Bidirectional(layers.GRU(units, return_sequences=True))
        self.hidden = layers.Dense(attention_dim, activation="tanh")
        self.context = layers.Dense(1, use_bias=False)

    def build(self, shape):
        self.gru.build(shape)
        states = (*shape[:-1], 2 * self.gru.forward_layer.units)
        self.hidden.build(states)
        self.context.build((*shape[:-1], self.hidden.units))

    def call(self, inputs, mask):
        states = self.gru(inputs, mask=mask)
        scores = ops.where(mask[..., None], self.context(self.hidden(states)), -1e30)
        return ops.sum(ops.softmax(scores, axis=1) * states, axis=1)


class Query(layers.Layer):
    """HCAN's learned target."""

    def build(self, shape):
        self.target = self.add_weight(shape=(1, 1, shape[-1]), name="target")

    def call(self, inputs):
        return ops.tile(self.target, (ops.shape(inputs)[0], 1, 1))


class HCANLevel(layers.Layer):
    """A level of HCAN: eight convolutions of their own."""

    def __init__(self, dim, num_heads, max_length, dropout=0.1, **kwargs):
        super().__init__(**kwargs)
        self.num_heads = num_heads
        self.positions = layers.Embedding(max_length, dim)
        self.drop = layers.Dropout(dropout)
        self.convolutions = [
            layers.Conv1D(dim, 3, padding="same", activation=activation)
            for activation in ("elu", "elu", "elu", "elu", "elu", "tanh", "elu", "elu")
        ]
        self.norm = layers.LayerNormalization(epsilon=1e-12)
        self.query = Query()

    def build(self, shape):
        self.positions.build((None,))
        for part in (*self.convolutions, self.norm, self.query):
            part.build(shape)

    def call(self, inputs, mask, training=None):
        inputs = inputs + self.positions(ops.arange(ops.shape(inputs)[1]))
        inputs = ops.where(mask[..., None], self.drop(inputs, training=training), 0.0)
        first, second = (
            attend(*(convolve(inputs) for convolve in three), self.num_heads, mask)
            for three in (self.convolutions[:3], self.convolutions[3:6])
        )
        outputs = ops.where(mask[..., None], self.norm(first * second), 0.0)
        key, value = (convolve(outputs) for convolve in self.convolutions[6:])
        return attend(self.query(outputs), key, value, self.num_heads, mask)[:, 0]


class Hierarchical(keras.Model):
    """A level over words, for one sentence after the other or for all at once, and one over them.

    Args:
        one_by_one: True is ``TimeDistributed``, a loop over the sentences.
    """

    def __init__(self, num_classes, embed, words, sentences, one_by_one, **kwargs):
        super().__init__(**kwargs)
        self.embed, self.words, self.sentences = embed, words, sentences
        self.one_by_one = one_by_one
        self.classify = layers.Dense(num_classes, activation="softmax")
        if one_by_one:
            ids = keras.Input((None,), dtype="int64")
            encoder = keras.Model(ids, words(embed(ids), mask=ids != 0))
            self.each = layers.TimeDistributed(encoder)

    def call(self, ids, training=None):
        mask = ids != 0
        if self.one_by_one:
            vectors = self.each(ids, training=training)
        else:
            batch, sentences, words = ops.shape(ids)
            flat = ops.reshape(ids, (-1, words))
            vectors = self.words(self.embed(flat), mask=flat != 0)
            vectors = ops.reshape(vectors, (batch, sentences, vectors.shape[-1]))
        return self.classify(self.sentences(vectors, mask=ops.any(mask, axis=-1)))


def plain_han(like, one_by_one=True):
    """HAN with ``TimeDistributed`` over the sentences, of the sizes of ours."""
    levels = [HANLevel(like.units, like.attention_dim) for _ in range(2)]
    embed = layers.Embedding(like.vocabulary_size, like.embedding_dim)
    return Hierarchical(like.num_classes, embed, *levels, one_by_one)


def plain_hcan(like, one_by_one=False):
    """HCAN with a convolution for each of Q, K and V."""
    levels = [
        HCANLevel(like.embedding_dim, like.num_heads, length, like.dropout)
        for length in (like.max_words, like.max_sentences)
    ]
    embed = layers.Embedding(like.vocabulary_size, like.embedding_dim)
    return Hierarchical(like.num_classes, embed, *levels, one_by_one)


class ACTHead(layers.Layer):
    """A head of ACT: query, convolution, and its filters as values."""

    def __init__(self, dim, filters, kernel_size, **kwargs):
        super().__init__(**kwargs)
        self.kernel_size = kernel_size
        self.query = layers.Dense(dim, use_bias=False)
        self.convolve = layers.Conv1D(filters, kernel_size, activation="gelu")

    def build(self, shape):
        self.query.build(shape)
        self.convolve.build((*shape[:-1], self.query.units))

    def call(self, inputs, mask):
        query = ops.pad(self.query(inputs), [[0, 0], [0, self.kernel_size - 1], [0, 0]])
        matches = self.convolve(query)
        values = ops.transpose(ops.reshape(self.convolve.kernel, (-1, self.convolve.filters)))
        largest = ops.max(ops.where(mask[..., None], matches, -1e30), axis=1)
        return ops.matmul(matches, values), ops.matmul(largest, values)


class PlainACT(keras.Model):
    """ACT with one layer of Keras for each head's query and filters."""

    def __init__(self, like, **kwargs):
        super().__init__(**kwargs)
        dim = like.embedding_dim
        self.embed = layers.Embedding(like.vocabulary_size, dim)
        self.drop_words = layers.Dropout(like.word_dropout, noise_shape=(None, None, 1))
        self.heads = [
            [
                ACTHead(dim // like.num_heads, like.filters, like.kernel_size)
                for _ in range(like.num_heads)
            ]
            for _ in range(like.num_layers)
        ]
        self.outputs_ = [layers.Dense(dim, use_bias=False) for _ in range(like.num_layers)]
        self.norms = [layers.LayerNormalization(epsilon=1e-3) for _ in range(like.num_layers)]
        self.positions = layers.Embedding(like.max_words, like.position_dim)
        self.attention = GlobalAttention(like.attention_dim)
        self.hidden = layers.Dense(like.hidden_dim, activation="gelu")
        self.drop = layers.Dropout(like.dropout)
        self.classify = layers.Dense(like.num_classes, activation="softmax")

    def call(self, ids, training=None):
        mask = ids != 0
        words = self.drop_words(self.embed(ids), training=training)
        for heads, output, norm in zip(self.heads, self.outputs_, self.norms, strict=True):
            inside = ops.where(mask[..., None], words, 0.0)
            local, overall = zip(*(head(inside, mask) for head in heads), strict=True)
            words = norm(words + output(ops.concatenate(local, axis=-1)))
            overall = output(ops.concatenate(overall, axis=-1))
        positions = self.positions(ops.arange(ops.shape(ids)[1]))
        document = self.attention(words, overall, positions, mask=mask)
        return self.classify(self.drop(self.hidden(document), training=training))


class PairedAttention(PairwiseAttention):
    """ATT-CNN's attention as Equation 5 is written: ``tanh(W [x_i ; x_j])`` of all pairs."""

    def score_pairs(self, inputs, training=None):
        batch, length, dim = ops.shape(inputs)
        first = ops.broadcast_to(inputs[:, :, None], (batch, length, length, dim))
        second = ops.broadcast_to(inputs[:, None], (batch, length, length, dim))
        kernel = ops.concatenate([self.query_kernel, self.key_kernel])
        hidden = ops.tanh(ops.matmul(ops.concatenate([first, second], axis=-1), kernel))
        return ops.matmul(hidden, self.context)[..., 0]


class PlainPairwise(PairwiseAttention):
    """The same with W split, ``tanh(U x_i + V x_j)`` of all pairs at once."""

    def score_pairs(self, inputs, training=None):
        query = ops.matmul(inputs, self.query_kernel)[:, :, None]
        key = ops.matmul(inputs, self.key_kernel)[:, None, :]
        return ops.matmul(ops.tanh(query + key), self.context)[..., 0]


class PlainRelative(RelativePositionAttention):
    """Shaw et al. 2018 as they write it: ``k_j + a_(j-i)`` for each pair, [length, length, dim]."""

    def call(self, inputs, mask=None, training=None, return_attention_scores=False):
        batch, length, dim = ops.shape(inputs)
        shape = (batch, length, self.num_heads, dim // self.num_heads)
        query, key, value = (
            ops.reshape(x, shape) for x in ops.split(self.projection(inputs), 3, axis=-1)
        )
        positions = ops.arange(length)
        furthest = self.max_distance
        rows = ops.clip(positions[None] - positions[:, None], -furthest, furthest) + furthest
        keys = key[:, None] + ops.take(self.key_offsets, rows, axis=0)[None, :, :, None]
        scores = ops.einsum("bihd,bijhd->bhij", query, keys) * shape[-1] ** -0.5
        if mask is not None:
            scores = ops.where(mask[:, None, None, :], scores, -1e30)
        weights = ops.softmax(scores)
        values = value[:, None] + ops.take(self.value_offsets, rows, axis=0)[None, :, :, None]
        outputs = ops.einsum("bhij,bijhd->bihd", weights, values)
        outputs = self.output_projection(ops.reshape(outputs, (batch, length, dim)))
        outputs = self.drop(outputs, training=training)
        return (outputs, weights) if return_attention_scores else outputs


class PlainSSAN(SSAN):
    """SSAN over the plain form of its attention."""

    def attention_layer(self, max_distance):
        return PlainRelative(
            1, self.embedding_dim, max_distance, "relu", dropout=self.attention_dropout
        )


def plain_ssan(like):
    """SSAN of the sizes of ours."""
    return PlainSSAN.from_config(like.get_config())


def plain_attcnn(like, form=PlainPairwise):
    """ATT-CNN of the sizes of ours, over a plain form of its attention."""
    plain = ATTCNN.from_config(like.get_config())
    plain.attention = form(like.attention_dim, like.decay)
    return plain


def keras_transformer(like, num_layers=3, num_heads=6):
    """A Transformer of ``keras.layers.MultiHeadAttention``, as wide as ours."""
    dim = like.embedding_dim
    ids = keras.Input((None,), dtype="int64")
    mask = ids != 0
    words = layers.Embedding(like.vocabulary_size, dim)(ids)
    positions = ops.cumsum(ops.ones_like(ids), axis=1) - 1
    words = words + layers.Embedding(like.max_words, dim)(positions)
    for _ in range(num_layers):
        attention = layers.MultiHeadAttention(num_heads, dim // num_heads, dropout=0.1)
        words = layers.LayerNormalization()(
            words + attention(words, words, attention_mask=mask[:, None, :])
        )
        hidden = layers.Dense(dim)(layers.Dense(4 * dim, activation="gelu")(words))
        words = layers.LayerNormalization()(words + layers.Dropout(0.1)(hidden))
    document = layers.GlobalAveragePooling1D()(words, mask=mask)
    return keras.Model(ids, layers.Dense(like.num_classes, activation="softmax")(document))


class BagOfWords:
    """TF-IDF and logistic regression of scikit-learn, from texts."""

    def __init__(self, like, texts, targets):
        self.model = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(texts, targets)

    def predict(self, texts):
        """Probabilities."""
        return self.model.predict_proba(texts)


class FastText:
    """The zoo's ``fasttext``, from texts: its ids are of n-grams."""

    def __init__(self, like, texts, targets):
        preprocessor = preprocessor_of(zoo.build("fasttext", 2, vocabulary_size=2), texts)
        size = preprocessor.vocabulary_size
        self.model = zoo.build("fasttext", like.num_classes, vocabulary_size=size)
        self.model.preprocessor = preprocessor

    def predict(self, texts):
        """Probabilities."""
        return self.model.predict(texts, verbose=0)


class OnnxFile:
    """Ours, too: its ``model.onnx`` in onnxruntime, from texts, with as many threads."""

    def __init__(self, like, texts, targets):
        like.preprocessor = preprocessor_of(like, texts)
        like.labels = [str(number) for number in range(like.num_classes)]
        with tempfile.TemporaryDirectory() as folder:
            write_of_texts(like, path := Path(folder) / "model.onnx")
            self.model = OnnxClassifier(path)

    def predict(self, texts):
        """Probabilities."""
        return self.model.predict(texts)


FROM_TEXTS = (BagOfWords, FastText, OnnxFile)


class DistilBERT:
    """An encoder of DistilBERT's shape with random weights, on PyTorch."""

    def __init__(self, like):
        import torch
        from transformers import DistilBertConfig, DistilBertForSequenceClassification

        if threads := os.environ.get("TF_NUM_INTRAOP_THREADS"):
            torch.set_num_threads(int(threads))  # as many of an operation as ours has
        config = DistilBertConfig(num_labels=like.num_classes)
        self.model = DistilBertForSequenceClassification(config).eval()

    def predict_on_batch(self, ids):
        """Scores, of ids ``[batch, words]`` as a NumPy array."""
        import torch

        with torch.inference_mode():
            ids = torch.from_numpy(ids)
            return self.model(ids, attention_mask=(ids != 0).long()).logits.numpy()


def torch_han(like):
    """HAN on PyTorch, where cuDNN computes the GRUs; documents have no padding."""
    from torch import nn

    class Level(nn.Module):
        def __init__(self, dim):
            super().__init__()
            self.gru = nn.GRU(dim, like.units, batch_first=True, bidirectional=True)
            self.hidden = nn.Linear(2 * like.units, like.attention_dim)
            self.context = nn.Linear(like.attention_dim, 1, bias=False)

        def forward(self, inputs):
            states, _ = self.gru(inputs)
            weights = self.context(self.hidden(states).tanh()).softmax(1)
            return (weights * states).sum(1)

    class HAN(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(like.vocabulary_size, like.embedding_dim)
            self.words = Level(like.embedding_dim)
            self.sentences = Level(2 * like.units)
            self.classify = nn.Linear(2 * like.units, like.num_classes)

        def forward(self, ids):
            vectors = self.words(self.embed(ids.flatten(0, 1)))
            return self.classify(self.sentences(vectors.unflatten(0, ids.shape[:2])))

    return HAN()


def torch_lstm(like):
    """The LSTM of SSAN's paper on PyTorch, where cuDNN computes it; texts have no padding."""
    from torch import nn

    class LSTM(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(like.vocabulary_size, like.embedding_dim)
            self.embed.weight.requires_grad = like.train_embeddings
            self.lstm = nn.LSTM(like.embedding_dim, like.units, batch_first=True)
            self.drop = nn.Dropout(like.dropout)
            self.classify = nn.Linear(like.units, like.num_classes)

        def forward(self, ids):
            _, (last, _) = self.lstm(self.drop(self.embed(ids)))
            return self.classify(last[0])

    return LSTM()
