"""Encoders of BERT's shape, read from folders in Hugging Face's format."""

import json

import numpy as np
import pytest

import zoo
from tests.weights.folders import PIECES, random_arrays, write_folder
from zoo.weights.bert_format import read_bert


def test_sizes_weights_and_pieces(tmp_path):
    encoder = read_bert(write_folder(tmp_path / "bert"))
    assert (encoder.layers, encoder.heads, encoder.dim) == (6, 2, 8)
    assert (encoder.feed_forward_dim, encoder.positions, encoder.epsilon) == (12, 10, 1e-12)
    arrays = random_arrays()
    del arrays["pooler.dense.weight"]
    assert encoder.arrays.keys() == arrays.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(encoder.arrays[name], array)
    ids = [[PIECES.index(piece) for piece in word.split()] for word in ("good ##s", "[UNK]")]
    assert encoder.pieces(["goods", ""]) == ids
    table = arrays["embeddings.word_embeddings.weight"]
    expected = [table[ids[0]].mean(axis=0), table[1]]
    np.testing.assert_allclose(encoder.word_vectors(["goods", "zebra"]), expected, rtol=1e-6)
    assert encoder.whole_words()[4:] == ["[MASK]", "good", "bad", "film", "a", "not", "!", "the"]


def test_long_words_keep_all_their_pieces(tmp_path):
    encoder = read_bert(write_folder(tmp_path / "bert"))  # whose tokenizer cuts after two
    assert [len(pieces) for pieces in encoder.pieces(["goodsssss", "a"])] == [6, 1]


def test_the_vocabulary_may_be_a_list(tmp_path):
    first = read_bert(write_folder(tmp_path / "first"))
    second = read_bert(write_folder(tmp_path / "second", vocabulary="vocab.txt"))
    words = ["Goods", "badly", "film", "?"]
    assert first.pieces(words) == second.pieces(words)
    assert first.pieces(["GOOD"]) == first.pieces(["good"])
    (tmp_path / "second" / "tokenizer_config.json").write_text('{"do_lower_case": false}')
    assert read_bert(tmp_path / "second").pieces(["GOOD"]) == [[PIECES.index("[UNK]")]]


@pytest.mark.parametrize("form", ["prefix", "older names", "16 bits"])
def test_other_names_and_precision(tmp_path, form):
    arrays = expected = random_arrays()
    if form == "prefix":
        arrays = {f"bert.{name}": array for name, array in arrays.items()}
        arrays["cls.predictions.bias"] = np.zeros(14, "float32")
    elif form == "older names":
        older = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}
        for new, old in older.items():
            arrays = {name.replace(new, old): array for name, array in arrays.items()}
    else:
        arrays = {name: array.astype("float16") for name, array in arrays.items()}
    found = read_bert(write_folder(tmp_path / "bert", arrays)).arrays
    for name, array in found.items():
        assert array.dtype == np.float32
        np.testing.assert_allclose(array, expected[name], rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"model_type": "roberta"}, "model_type must be 'bert', .*: got 'roberta'"),
        ({"model_type": None}, "model_type must be 'bert', .*: got None"),
        ({"position_embedding_type": "relative_key"}, "must be 'absolute', .*: got 'relative_key'"),
        ({"hidden_act": "gelu_new"}, "hidden_act must be 'gelu', .*: got 'gelu_new'"),
        ({"is_decoder": True}, "is_decoder must be False, .*: got True"),
        ({"hidden_size": "8"}, "hidden_size must be a whole number: got '8'"),
        ({"num_hidden_layers": 0}, "num_hidden_layers must be a whole number: got 0"),
        ({"num_attention_heads": 3}, "3 num_attention_heads do not divide hidden_size 8"),
        ({"num_hidden_layers": 7}, "it has no encoder.layer.6.attention"),
        ({"intermediate_size": 13}, r"has shape \(12, 8\), but config.json says \(13, 8\)"),
        ({"layer_norm_eps": 0}, "layer_norm_eps must be above 0: got 0"),
        ({"max_position_embeddings": 1}, "must be at least 2: got 1"),
    ],
)
def test_another_shape_is_told_in_a_line(tmp_path, config, message):
    folder = write_folder(tmp_path / "bert", config=config)
    with pytest.raises(zoo.UsageError, match=message) as raised:
        read_bert(folder)
    assert "\n" not in str(raised.value)


def _without(name):
    return lambda folder: (folder / name).unlink()


def _of(name, text):
    return lambda folder: (folder / name).write_text(text)


def _cut(folder):
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])


def _sharded(folder):
    (folder / "model.safetensors").rename(folder / "model-00001-of-00002.safetensors")
    (folder / "model.safetensors.index.json").write_text("{}")


def _pickled(folder):
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")


def _other_vocabulary(folder):
    (folder / "tokenizer.json").unlink()
    (folder / "vocab.txt").write_text("\n".join([*PIECES, "more"]))


def _no_unknown(folder):
    (folder / "tokenizer.json").unlink()
    (folder / "vocab.txt").write_text("\n".join(piece for piece in PIECES if piece != "[UNK]"))


def _characters(folder):
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    tokenizer["model"] = {"type": "WordLevel", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"}
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (_without("config.json"), "has no config.json: a folder with weights has"),
        (_without("model.safetensors"), "has no model.safetensors: save_pretrained"),
        (_without("tokenizer.json"), "has neither tokenizer.json nor vocab.txt"),
        (_of("config.json", "{"), "config.json is damaged"),
        (_of("config.json", "[]"), "config.json is damaged: it has list"),
        (_of("model.safetensors", "no weights"), "model.safetensors is damaged"),
        (_cut, "model.safetensors is damaged"),
        (_of("tokenizer.json", "{}"), "tokenizer.json is damaged"),
        (_sharded, "but model.safetensors.index.json, which zoo does not read"),
        (_pickled, "but pytorch_model.bin, which zoo does not read"),
        (_other_vocabulary, "has 15 pieces and its table 14 rows"),
        (_no_unknown, r"has no \[UNK\]"),
        (_characters, "must be WordPiece, as BERT's is: got WordLevel"),
    ],
)
def test_a_damaged_folder_is_told_in_a_line(tmp_path, damage, message):
    folder = write_folder(tmp_path / "bert")
    damage(folder)
    with pytest.raises(zoo.UsageError, match=message) as raised:
        read_bert(folder)
    assert "\n" not in str(raised.value)


def test_numbers_that_are_none(tmp_path):
    arrays = random_arrays()
    arrays["embeddings.LayerNorm.bias"][0] = np.nan
    with pytest.raises(
        zoo.UsageError, match="embeddings.LayerNorm.bias has values that are not finite"
    ):
        read_bert(write_folder(tmp_path / "bert", arrays))


def test_no_folder(tmp_path):
    with pytest.raises(zoo.UsageError, match="there is no folder"):
        read_bert(tmp_path / "none")
