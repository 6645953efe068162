"""TensorFlow without its remarks."""

import contextlib
import importlib.util
import logging
import os
import sys
from importlib.abc import MetaPathFinder


def quiet_tensorflow() -> None:
    """Shows our own messages and hides TensorFlow's; to be called before it is imported.

    Who sets ``TF_CPP_MIN_LOG_LEVEL`` to another than 3 sees what that lets through.
    """
    logging.basicConfig(format="%(message)s", level=logging.WARNING)
    logging.getLogger("zoo").setLevel(logging.INFO)
    for name in ("absl", "tensorflow"):  # TensorFlow Datasets speaks through the first
        logging.getLogger(name).setLevel(logging.ERROR)
    wanted = os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3") == "3"
    if wanted and not any(isinstance(finder, _QuietImport) for finder in sys.meta_path):
        sys.meta_path.insert(0, _QuietImport())  # what the import says, no setting hides


class _QuietImport(MetaPathFinder):
    """Imports TensorFlow with standard error shut."""

    def find_spec(self, name, path=None, target=None):
        if name != "tensorflow":
            return None
        sys.meta_path.remove(self)
        if (spec := importlib.util.find_spec(name)) is not None:
            load = spec.loader.exec_module

            def quietly(module):
                with _shut_standard_error():
                    load(module)

            spec.loader.exec_module = quietly
        return spec


@contextlib.contextmanager
def _shut_standard_error():
    """Also that of C++, which is file descriptor 2."""
    try:
        kept = os.dup(2)
    except OSError:  # there is none
        yield
        return
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
