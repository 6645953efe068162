"""What tests of several forms to ship have in common."""

import shutil

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
