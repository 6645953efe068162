"""What files of fewer bits cost, beside the whole model."""

import pandas as pd
import pytest

from benchmarks import fewer_bits
from zoo import datasets


def test_the_report_has_means_and_the_largest_change():
    rows = pd.DataFrame(
        {"model": "act", "corpus": corpus, "file": "onnx, int8", "megabytes": 4.0}
        | {"accuracy": accuracy, "other": 1.0, "moved": moved}
        for corpus, accuracy, moved in (("A", 80.0, 0.01), ("B", 70.0, 0.03))
    )
    text = fewer_bits.report(rows)
    assert "| act | onnx, int8 | 4.0 | 75.0 | 1.0 % | 0.03 |" in text
    assert "100 labels a class" in text and "A and B, test texts" in text


@pytest.mark.long
def test_each_file_answers_as_the_model_does(tmp_path, monkeypatch):
    corpus = datasets.load("sample").split(0)
    frames = corpus.frame("train"), corpus.frame("test")[:40]
    monkeypatch.setattr(fewer_bits, "read", lambda _: frames)
    monkeypatch.setattr(fewer_bits, "LABELS", "20")
    rows = pd.DataFrame(fewer_bits.measured("cnn_kim", "trec", tmp_path)).set_index("file")
    assert list(rows.index) == [
        form if bits is None else f"{form}, {bits}" for form, bits in fewer_bits.EXPORTS
    ]
    assert rows["moved"]["onnx"] < 1e-4 and rows["moved"]["savedmodel"] < 1e-3
    assert rows["moved"].max() < 0.2 and rows["other"]["onnx"] == 0
    assert rows["megabytes"]["onnx, int8"] <= rows["megabytes"]["onnx"]
