"""What tests of several forms to ship have in common."""

import shutil
import socket

import pytest

import zoo
from zoo.shipping import saving


@pytest.fixture(scope="module")
def run_with_onnx(trained, tmp_path_factory):
    """A copy of the run, with its ``model.onnx``."""
    folder = shutil.copytree(trained, tmp_path_factory.mktemp("onnx") / "run")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(saving, "ONNX_PACKAGES", ("tf2onnx", "onnxruntime"))
        saving.write_onnx(folder, zoo.load(folder))
    return folder


@pytest.fixture
def free_port():
    """On which nothing listens, on this machine."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]
