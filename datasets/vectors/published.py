"""Published word vectors, which gensim's downloader fetches once and keeps."""

import logging
from pathlib import Path

from zoo.errors import UsageError

# The word vectors of https://github.com/piskvorky/gensim-data.
PUBLISHED = (
    "word2vec-google-news-300",
    "word2vec-ruscorpora-300",
    "glove-wiki-gigaword-50",
    "glove-wiki-gigaword-100",
    "glove-wiki-gigaword-200",
    "glove-wiki-gigaword-300",
    "glove-twitter-25",
    "glove-twitter-50",
    "glove-twitter-100",
    "glove-twitter-200",
    "fasttext-wiki-news-subwords-300",
    "conceptnet-numberbatch-17-06-300",
)

logger = logging.getLogger("zoo")


def is_binary(name: str) -> bool:
    """Whether vectors are in word2vec's binary format, which the files' names do not show."""
    return name.startswith("word2vec-")


def fetched(name: str) -> Path | None:
    """The file of published vectors if it has been fetched before, else None."""
    from gensim.downloader import BASE_DIR  # $GENSIM_DATA_DIR, or ~/gensim-data

    path = Path(BASE_DIR, name, f"{name}.gz")
    return path if path.exists() else None


def fetch(name: str) -> Path:
    """The file of published vectors, fetched with progress unless it has been before.

    gensim checks its digest. The code that is published with the vectors is not run.

    Raises:
        UsageError: if it cannot be fetched.
    """
    if (path := fetched(name)) is not None:
        return path
    from gensim import downloader

    logger.info("Fetching %s into %s", name, downloader.BASE_DIR)
    downloader.logger.disabled = True  # it would print a stack trace before the error below
    try:
        return Path(downloader.load(name, return_path=True))
    except Exception as error:  # gensim raises no narrower class
        raise UsageError(
            f"cannot fetch {name} ({' '.join(str(error).split())[:100] or type(error).__name__}): "
            f"go online, or put {name}.gz, of github.com/piskvorky/gensim-data, into "
            f"{Path(downloader.BASE_DIR, name)}"
        ) from None
    finally:
        downloader.logger.disabled = False
