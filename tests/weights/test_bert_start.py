"""A bert of zoo that starts with the encoder of a BERT."""

import keras
import numpy as np
import pytest
from sklearn.linear_model import Ridge

import zoo
from tests.reference import as_float64, gelu, softmax
from tests.weights.folders import PIECES, random_arrays, write_folder
from zoo.datasets import Preprocessor
from zoo.weights.bert_format import read_bert
from zoo.weights.bert_start import bert_options, fill_bert, further_words

WORDS = ["goods", "the", "badly", "film", "a", "zebra", "n't"]
TEXTS = ["The goods badly!", "A zebra film", "film"]


def started(folder, **options):
    """A model that starts with the weights of a folder."""
    encoder = read_bert(folder)
    preprocessor = Preprocessor(WORDS, encoder.positions - 1)
    model = zoo.build(
        "bert", 3, vocabulary_size=preprocessor.vocabulary_size, **bert_options(encoder, **options)
    )
    model.preprocessor = preprocessor
    fill_bert(model, encoder)
    return model


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_folder(tmp_path_factory.mktemp("weights") / "bert")


@pytest.fixture(scope="module")
def model(folder):
    return started(folder)


def normalised(x, arrays, name):
    x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-12)
    return x * arrays[f"{name}.weight"] + arrays[f"{name}.bias"]


def bert(words, arrays, layers=6, heads=2):
    """Devlin et al. 2019, of one text: ``[pieces, dim]`` vectors without positions, in float64."""
    arrays = {name: array.astype("float64") for name, array in arrays.items()}

    def dense(x, name):
        return x @ arrays[f"{name}.weight"].T + arrays[f"{name}.bias"]

    places = arrays["embeddings.position_embeddings.weight"][: len(words)]
    x = words + places + arrays["embeddings.token_type_embeddings.weight"][0]
    x = normalised(x, arrays, "embeddings.LayerNorm")
    for number in range(layers):
        own = f"encoder.layer.{number}"
        query, key, value = (
            np.stack(np.split(dense(x, f"{own}.attention.self.{name}"), heads, axis=-1))
            for name in ("query", "key", "value")
        )
        weights = softmax(query @ key.transpose(0, 2, 1) / np.sqrt(query.shape[-1]))
        read = np.concatenate(list(weights @ value), axis=-1)
        read = dense(read, f"{own}.attention.output.dense") + x
        x = normalised(read, arrays, f"{own}.attention.output.LayerNorm")
        hidden = gelu(dense(x, f"{own}.intermediate.dense"))
        x = normalised(dense(hidden, f"{own}.output.dense") + x, arrays, f"{own}.output.LayerNorm")
    return x


def words_of(text, arrays):
    """The vector of ``[CLS]``, and the mean ones of words that the tokenizer knows or not."""
    table = arrays["embeddings.word_embeddings.weight"]
    split = {"goods": ["good", "##s"], "badly": ["bad", "##ly"], "zebra": ["[UNK]"]}
    rows = [[PIECES.index(piece) for piece in split.get(word, [word])] for word in text.split()]
    rows = [[PIECES.index("[CLS]")], *rows]
    return np.array([table[row].mean(axis=0) for row in rows])


@pytest.mark.parametrize("layers", [6, 3, 2])
def test_the_equations_of_bert(folder, layers):
    model, arrays = started(folder, num_layers=layers), random_arrays()
    text = "the goods zebra film badly a"
    mean = bert(words_of(text, arrays), arrays, layers).mean(axis=0)
    kernel, bias = map(as_float64, model.classify.weights)
    np.testing.assert_allclose(
        model.predict([text], verbose=0)[0], softmax(mean @ kernel + bias), atol=1e-5
    )


def test_the_weights_tell_texts_apart(model):
    answers = model.predict(TEXTS, verbose=0)  # else other tests of them could not fail
    assert np.abs(np.diff(answers, axis=0)).max(axis=1).min() > 1e-3


def test_words_of_several_pieces_look_as_their_pieces_do(folder, monkeypatch):
    monkeypatch.setattr("zoo.weights.bert_words.ENOUGH", 0)
    arrays, table = random_arrays(), random_arrays()["embeddings.word_embeddings.weight"]

    def looks(*pieces):
        rows = [PIECES.index(piece) for piece in ("[CLS]", *pieces)]
        return bert(table[rows].astype("float64"), arrays, layers=3)[1:].mean(axis=0)

    whole = ["good", "bad", "film", "not", "the"]
    ridge = Ridge(1.0).fit(
        [looks(piece) for piece in whole], table[[PIECES.index(piece) for piece in whole]]
    )
    found = started(folder).embed.embeddings.numpy()[2:]
    for word, pieces in {"goods": ["good", "##s"], "badly": ["bad", "##ly"]}.items():
        expected = ridge.predict([looks(*pieces)])[0]
        np.testing.assert_allclose(found[WORDS.index(word)], expected, atol=1e-4)
    for word, piece in {"film": "film", "zebra": "[UNK]", "n't": "not"}.items():
        np.testing.assert_array_equal(found[WORDS.index(word)], table[PIECES.index(piece)])


def test_a_word_may_have_more_pieces_than_a_text_has_words(folder, monkeypatch):
    monkeypatch.setattr("zoo.weights.bert_words.ENOUGH", 0)
    model = started(folder, max_words=1)
    assert np.isfinite(model.predict(TEXTS, verbose=0)).all()


def test_the_same_as_transformers(folder):
    transformers = pytest.importorskip("transformers", reason="transformers is in extra 'bench'")
    torch = pytest.importorskip("torch", reason="PyTorch is in the extra 'bench'")
    theirs = transformers.BertModel.from_pretrained(folder)
    ids = [[PIECES.index(word) for word in "[CLS] the film a good !".split()]]
    with torch.inference_mode():
        expected = theirs.eval()(torch.tensor(ids)).last_hidden_state[0].numpy()
    arrays = random_arrays()
    table = arrays["embeddings.word_embeddings.weight"]
    np.testing.assert_allclose(bert(table[ids[0]], arrays), expected, atol=1e-4)


def test_names_with_a_prefix_start_the_same(folder, model, tmp_path):
    arrays = {f"bert.{name}": array for name, array in random_arrays().items()}
    other = started(write_folder(tmp_path / "bert", arrays))
    for own, its in zip(model.weights, other.weights, strict=True):
        if own is not model.classify.kernel:
            np.testing.assert_array_equal(own, its)


def test_padding_changes_nothing(model):
    together = model.predict(TEXTS, verbose=0)
    alone = np.concatenate([model.predict([text], verbose=0) for text in TEXTS])
    np.testing.assert_allclose(together, alone, atol=1e-6)
    ids = keras.ops.convert_to_numpy(model.preprocessor(TEXTS))
    padded = model.predict(np.pad(ids, [(0, 0), (0, 5)]), verbose=0)
    np.testing.assert_allclose(padded, together, atol=1e-6)
    assert not np.any(model.embed.embeddings[0])


def test_a_saved_model_answers_the_same(model, tmp_path):
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(loaded.predict(TEXTS, verbose=0), model.predict(TEXTS, verbose=0))


def test_fewer_positions(folder, model, tmp_path):
    short = started(folder, max_words=4)
    np.testing.assert_array_equal(short.positions.embeddings, model.positions.embeddings[:5])
    assert model.max_words == 9  # of ten, as the first is of [CLS]
    sizes = {"max_position_embeddings": 300}
    longer = read_bert(write_folder(tmp_path / "longer", random_arrays(**sizes), sizes))
    assert bert_options(longer)["max_words"] == 256
    assert bert_options(longer, max_words=299)["max_words"] == 299


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"embedding_dim": 16}, "embedding_dim must be 8, as in the weights, or left out: got 16"),
        ({"num_heads": 4}, "num_heads must be 2"),
        ({"feed_forward_dim": 3}, "feed_forward_dim must be 12"),
        ({"norm_epsilon": 1e-3}, "norm_epsilon must be 1e-12"),
        ({"num_layers": 7}, "num_layers must be 1 to 6, as the weights have no more: got 7"),
        ({"num_layers": 0}, "num_layers must be 1 to 6"),
        ({"num_layers": "two"}, "num_layers must be 1 to 6, .*: got 'two'"),
        ({"max_words": 10}, "max_words must be 1 to 9"),
        ({"subwords": 5}, "subwords must be 0"),
        ({"start_vector": False}, "start_vector must be True"),
    ],
)
def test_options_that_do_not_fit(folder, options, message):
    with pytest.raises(zoo.UsageError, match=message):
        bert_options(read_bert(folder), **options)


def test_own_options_stay(folder):
    options = bert_options(read_bert(folder), num_layers=3, dropout=0.2, num_heads=2)
    assert options == {
        "embedding_dim": 8,
        "num_layers": 3,
        "num_heads": 2,
        "feed_forward_dim": 12,
        "norm_epsilon": 1e-12,
        "max_words": 9,
        "start_vector": True,
        "dropout": 0.2,
    }


def test_a_model_without_words(folder):
    encoder = read_bert(folder)
    model = zoo.build("bert", 2, **bert_options(encoder))
    with pytest.raises(zoo.UsageError, match="set model.preprocessor"):
        fill_bert(model, encoder)


def test_further_words_are_pieces_and_frequent_english_ones_before(folder, monkeypatch):
    encoder = read_bert(folder)
    own = ["good", "bad", "film", "a", "not", "!", "the"]
    assert further_words(encoder)[-7:] == own and "time" not in further_words(encoder)
    monkeypatch.setattr("zoo.weights.bert_start.FREQUENT", 1)  # as if it knew English
    words = further_words(encoder)
    assert words[0] == "the" and "time" in words and len(words) == len(set(words)) > 50_000
    preprocessor = Preprocessor(["goods"], clean_up="han").extended(words, 4)
    assert preprocessor.vocabulary == ["goods", *words[:3]]
