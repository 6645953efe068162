"""Pictures of a training."""

import pytest

from zoo.evaluation import report


@pytest.mark.parametrize("evaluations", [1, 2, 3, 7, 40])
def test_learning_curves_count_whole_evaluations(evaluations, tmp_path, monkeypatch):
    rows = [f"{epoch},1,0.5,1,0.5\n" for epoch in range(evaluations)]
    columns = "epoch,loss,accuracy,val_loss,val_accuracy\n"
    (tmp_path / "history.csv").write_text(columns + "".join(rows))
    drawn = []
    monkeypatch.setattr(report, "save_figure", lambda figure, path: drawn.append(figure))
    report.draw_learning_curves(tmp_path)
    for axis in drawn[0].axes:
        first, last = axis.get_xlim()
        ticks = [tick for tick in axis.get_xticks() if first <= tick <= last]
        assert ticks and all(tick == round(tick) for tick in ticks)
