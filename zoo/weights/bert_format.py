"""Encoders of BERT's shape, read from folders in Hugging Face's format; without PyTorch."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from zoo.errors import UsageError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

INSTALL = "pip install 'attention-zoo[minilm]'"
ALLOWED = {  # of config.json; what is not there is the first of them
    "model_type": ("bert",),
    "position_embedding_type": ("absolute",),
    "hidden_act": ("gelu",),
    "is_decoder": (False,),
}
SIZES = (
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "intermediate_size",
    "max_position_embeddings",
)
OLDER = {"LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"}


@dataclass(frozen=True)
class BertEncoder:
    """The encoder of a BERT, as a folder has it.

    Attributes:
        folder: where it was read.
        layers, heads: how many of each.
        dim: width of a vector.
        feed_forward_dim: inner width of the feed-forward networks.
        positions: rows of the table of positions.
        epsilon: of all normalisations.
        arrays: float32, by PyTorch's names without ``bert.``; a matrix is ``[outputs, inputs]``.
        tokenizer: splits words into pieces, whose ids are rows of the table of pieces.
    """

    folder: Path
    layers: int
    heads: int
    dim: int
    feed_forward_dim: int
    positions: int
    epsilon: float
    arrays: dict[str, np.ndarray]
    tokenizer: "Tokenizer"

    def pieces(self, words: Sequence[str]) -> list[list[int]]:
        """Ids of each word's pieces, without ``[CLS]`` and ``[SEP]``; at least one, the unknown."""
        unknown = [self.tokenizer.token_to_id(self.tokenizer.model.unk_token)]
        found = self.tokenizer.encode_batch(list(words), add_special_tokens=False)
        return [one.ids or unknown for one in found]

    @property
    def piece_vectors(self) -> np.ndarray:
        """The vector of each piece, ``[pieces, dim]`` float32."""
        return self.arrays["embeddings.word_embeddings.weight"]

    def word_vectors(self, words: Sequence[str]) -> np.ndarray:
        """``[words, dim]`` float32: the mean of the vectors of each word's pieces."""
        vectors = np.empty((len(words), self.dim), "float32")
        for row, pieces in enumerate(self.pieces(words)):
            vectors[row] = self.piece_vectors[pieces].mean(axis=0)
        return vectors

    def whole_words(self) -> list[str]:
        """Pieces that begin a word, in the order of the vocabulary."""
        ids = self.tokenizer.get_vocab(with_added_tokens=False)
        inner = self.tokenizer.model.continuing_subword_prefix
        return [piece for piece in sorted(ids, key=ids.get) if not piece.startswith(inner)]


def read_bert(folder: str | Path) -> BertEncoder:
    """Reads ``config.json``, ``model.safetensors`` and ``tokenizer.json`` or ``vocab.txt``.

    Weights may have names with or without ``bert.``, and be of 16 bits. Those of heads, of the
    pooler and of pre-training are left out.

    Args:
        folder: as ``save_pretrained`` of transformers writes it, and the hub has it.

    Raises:
        UsageError: for a file that is missing or damaged, or an encoder of another shape; and
            where tokenizers or safetensors are not installed.

    Source:
        Devlin et al. 2019, BERT; the format is that of Hugging Face's transformers.

    Example:
        >>> encoder = read_bert("all-MiniLM-L6-v2")  # doctest: +SKIP
        >>> encoder.layers, encoder.word_vectors(["good"]).shape  # doctest: +SKIP
        (6, (1, 384))
    """
    folder = Path(folder)
    try:
        import safetensors  # noqa: F401
        import tokenizers  # noqa: F401
    except ImportError as error:
        raise UsageError(f"pretrained weights need {error.name}: {INSTALL}") from None
    if not folder.is_dir():
        raise UsageError(f"there is no folder {folder}")
    config = _read_config(folder / "config.json")
    sizes = {name: config[name] for name in SIZES}
    arrays = _read_arrays(folder / "model.safetensors")
    arrays = _checked(arrays, config, folder / "model.safetensors")
    tokenizer = _read_tokenizer(folder)
    rows = len(arrays["embeddings.word_embeddings.weight"])
    if max(tokenizer.get_vocab().values(), default=rows) >= rows:
        raise UsageError(
            f"{folder}: its vocabulary has {tokenizer.get_vocab_size()} pieces and its table "
            f"{rows} rows: they are of two models"
        )
    dim, layers, heads, feed_forward_dim, positions = sizes.values()
    epsilon = float(config.get("layer_norm_eps", 1e-12))
    return BertEncoder(
        *(folder, layers, heads, dim, feed_forward_dim, positions, epsilon, arrays, tokenizer)
    )


def _read_json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise UsageError(
            f"{path.parent} has no {path.name}: a folder with weights has config.json, "
            "model.safetensors and tokenizer.json or vocab.txt"
        ) from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} is damaged: {_line(error)}") from None
    if not isinstance(value, dict):
        raise UsageError(f"{path} is damaged: it has {type(value).__name__}, not names and values")
    return value


def _read_config(path):
    config = _read_json(path)
    for name, allowed in ALLOWED.items():
        value = config.get(name) if name == "model_type" else config.get(name, allowed[0])
        if value not in allowed:
            raise UsageError(
                f"{path}: {name} must be {' or '.join(map(repr, allowed))}, as zoo's bert has it: "
                f"got {value!r}"
            )
    for name in SIZES:
        if type(value := config.get(name)) is not int or value < 1:
            raise UsageError(f"{path} is damaged: {name} must be a whole number: got {value!r}")
    epsilon = config.get("layer_norm_eps", 1e-12)
    if type(epsilon) not in (int, float) or not 0 < epsilon < 1:
        raise UsageError(f"{path} is damaged: layer_norm_eps must be above 0: got {epsilon!r}")
    dim, heads = config["hidden_size"], config["num_attention_heads"]
    if dim % heads:
        raise UsageError(
            f"{path} is damaged: {heads} num_attention_heads do not divide hidden_size {dim}"
        )
    if config["max_position_embeddings"] < 2:
        raise UsageError(f"{path}: max_position_embeddings must be at least 2: got 1")
    return config


def _read_arrays(path):
    """All arrays by their names, without ``bert.`` where all of the encoder's have it."""
    from safetensors import SafetensorError, safe_open

    if not path.exists():
        others = sorted(
            one.name
            for pattern in ("model.safetensors.index.json", "*.bin", "*.h5", "*.onnx", "*.msgpack")
            for one in path.parent.glob(pattern)
        )
        has = f" but {', '.join(others)}, which zoo does not read" if others else ""
        raise UsageError(
            f"{path.parent} has no {path.name}{has}: save_pretrained of transformers writes it"
        )
    try:
        with safe_open(path, "numpy") as file:
            names = {_plain(name): name for name in file.keys()}  # noqa: SIM118 it is no dict
            return {
                plain: np.asarray(file.get_tensor(name))
                for plain, name in names.items()
                if plain.startswith(("embeddings.", "encoder."))
            }
    except (SafetensorError, OSError, ValueError, TypeError) as error:
        raise UsageError(f"{path} is damaged: {_line(error)}") from None


def _plain(name):
    name = name.removeprefix("bert.")
    for older, newer in OLDER.items():
        name = name.replace(older, newer)
    return name


def _shapes(config):
    """The arrays of an encoder, by their names; None is any size."""
    dim, hidden = config["hidden_size"], config["intermediate_size"]
    shapes = {
        "embeddings.word_embeddings.weight": (None, dim),
        "embeddings.position_embeddings.weight": (config["max_position_embeddings"], dim),
        "embeddings.token_type_embeddings.weight": (None, dim),
        "embeddings.LayerNorm.weight": (dim,),
        "embeddings.LayerNorm.bias": (dim,),
    }
    denses = {f"attention.self.{part}": (dim, dim) for part in ("query", "key", "value")}
    denses |= {"attention.output.dense": (dim, dim), "intermediate.dense": (hidden, dim)}
    denses |= {"output.dense": (dim, hidden)}
    denses |= {f"{part}output.LayerNorm": (dim,) for part in ("attention.", "")}
    for number in range(config["num_hidden_layers"]):
        for name, shape in denses.items():
            shapes[f"encoder.layer.{number}.{name}.weight"] = shape
            shapes[f"encoder.layer.{number}.{name}.bias"] = shape[:1]
    return shapes


def _checked(arrays, config, path):
    """Those of the encoder as float32."""
    found = {}
    for name, shape in _shapes(config).items():
        if name not in arrays:
            raise UsageError(f"{path} is damaged, or of another shape: it has no {name}")
        array = arrays[name]
        same = array.ndim == len(shape) and all(
            size in (None, own) for size, own in zip(shape, array.shape, strict=True)
        )
        if not same:
            told = tuple("any" if size is None else size for size in shape)
            raise UsageError(f"{path}: {name} has shape {array.shape}, but config.json says {told}")
        found[name] = array.astype("float32")
        if not np.isfinite(found[name]).all():
            raise UsageError(f"{path} is damaged: {name} has values that are not finite")
    return found


def _read_tokenizer(folder):
    """The tokenizer of WordPieces, which cuts and pads nothing."""
    from tokenizers import Tokenizer
    from tokenizers.implementations import BertWordPieceTokenizer
    from tokenizers.models import WordPiece

    path = folder / "tokenizer.json"
    try:
        if path.exists():
            tokenizer = Tokenizer.from_file(str(path))
        elif (path := folder / "vocab.txt").exists():
            own = folder / "tokenizer_config.json"
            lower = _read_json(own).get("do_lower_case", True) if own.exists() else True
            tokenizer = BertWordPieceTokenizer(str(path), lowercase=bool(lower))._tokenizer
        else:
            raise UsageError(f"{folder} has neither tokenizer.json nor vocab.txt")
    except UsageError:
        raise
    except Exception as error:  # tokenizers has no class for its errors
        raise UsageError(f"{path} is damaged: {_line(error)}") from None
    if not isinstance(tokenizer.model, WordPiece):
        raise UsageError(
            f"{path}: its model must be WordPiece, as BERT's is: got "
            f"{type(tokenizer.model).__name__}"
        )
    for piece in (tokenizer.model.unk_token, "[CLS]"):
        if tokenizer.token_to_id(piece) is None:
            raise UsageError(f"{path} is damaged: it has no {piece}")
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _line(error):
    return " ".join(str(error).split())[:200]
