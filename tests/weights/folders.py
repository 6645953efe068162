"""Tiny folders in Hugging Face's format of BERT, with random weights."""

import json

import numpy as np
from safetensors.numpy import save_file
from tokenizers.implementations import BertWordPieceTokenizer

PIECES = "[PAD] [UNK] [CLS] [SEP] [MASK] good bad film a ##s ##ly not ! the".split()
SIZES = {
    "hidden_size": 8,
    "num_hidden_layers": 6,
    "num_attention_heads": 2,
    "intermediate_size": 12,
    "max_position_embeddings": 10,
}
CONFIG = {"model_type": "bert", "hidden_act": "gelu", "layer_norm_eps": 1e-12, "vocab_size": 14}


def random_arrays(seed=0, **sizes):
    """The weights of an encoder by PyTorch's names; none is nearly linear.

    Normalisations and the sums that skip a layer keep texts apart up to the last layer.
    """
    sizes = SIZES | sizes
    dim, hidden = sizes["hidden_size"], sizes["intermediate_size"]
    shapes = {
        "embeddings.word_embeddings.weight": (len(PIECES), dim),
        "embeddings.position_embeddings.weight": (sizes["max_position_embeddings"], dim),
        "embeddings.token_type_embeddings.weight": (2, dim),
        "embeddings.LayerNorm.weight": (dim,),
        "embeddings.LayerNorm.bias": (dim,),
        "pooler.dense.weight": (dim, dim),
    }
    for number in range(sizes["num_hidden_layers"]):
        own = f"encoder.layer.{number}"
        for name, shape in {
            "attention.self.query": (dim, dim),
            "attention.self.key": (dim, dim),
            "attention.self.value": (dim, dim),
            "attention.output.dense": (dim, dim),
            "attention.output.LayerNorm": (dim,),
            "intermediate.dense": (hidden, dim),
            "output.dense": (dim, hidden),
            "output.LayerNorm": (dim,),
        }.items():
            shapes[f"{own}.{name}.weight"] = shape
            shapes[f"{own}.{name}.bias"] = shape[:1]
    rng = np.random.default_rng(seed)
    arrays = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    for name, array in arrays.items():
        if name.endswith("LayerNorm.weight"):
            arrays[name] = 1 + array / 4
        elif "output" in name or "value" in name:
            arrays[name] = array / dim**0.5
    return {name: array.astype("float32") for name, array in arrays.items()}


def write_folder(folder, arrays=None, config=None, vocabulary="tokenizer.json"):
    """Writes the files of a BERT, and gives its folder."""
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps(CONFIG | SIZES | (config or {})))
    save_file(random_arrays() if arrays is None else arrays, folder / "model.safetensors")
    (folder / "vocab.txt").write_text("\n".join(PIECES))
    if vocabulary == "tokenizer.json":
        tokenizer = BertWordPieceTokenizer(str(folder / "vocab.txt"))
        tokenizer.enable_padding(length=30)  # as sentence-transformers keeps it
        tokenizer.enable_truncation(2)
        tokenizer.save(str(folder / "tokenizer.json"))
        (folder / "vocab.txt").unlink()
    return folder
