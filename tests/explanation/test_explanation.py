"""An explanation in a notebook and in a line."""

import html
import re

import pytest

from zoo.explanation.explanation import Change, Explanation, Word


def test_an_explanation_shows_itself():
    text = "Not <b>good</b>, \n$5 " + "and so on " * 200
    added = {"Not": -0.5, "good": 1.0, "$5": 0.0}
    words = [
        Word(one, text.index(one), text.index(one) + len(one), 0, True, 0.2, (0.2,), 0, number)
        for one, number in added.items()
    ]
    own = {"explained": "a<b", "score": 2.6, "start": 2.2, "change": Change((0, 1), "c")}
    one = Explanation(text, "a<b", 0.934, {"a<b": 0.934}, tuple(words), (), None, "c", **own)
    assert str(one).startswith("a<b, 93.4%, wrong: it is c: Not <b>good</b>, $5 and so on and")
    assert str(one).endswith("\u2026 (for: good +1.00; against: Not -0.50)") and len(str(one)) < 260
    assert repr(one) == f"<Explanation {one}>"
    assert one.shares() == [-0.5, 1, 0] and one.shares("attention") == [1, 1, 1]
    assert one.error == pytest.approx(0.1)
    assert one.changed == "without \u201cNot\u201d, \u201cgood\u201d it is c"
    shown = one._repr_html_()
    assert shown.startswith("<b>a&lt;b, 93.4%, wrong: it is c</b>")
    against = "background:rgba(213,94,0,0.30);border-bottom:2px dotted"
    speaks = "background:rgba(0,114,178,0.60);border-bottom:2px solid"
    assert f'<span style="{against}">Not</span> &lt;b&gt;' in shown
    assert f'<span style="{speaks}">good</span>&lt;/b&gt;, \n$5 and' in shown
    plain = html.unescape(re.sub("<[^>]*>", "", shown))
    assert plain == f"{one.answer}{text}{one.strongest()}"


def test_an_explanation_without_contributions_shows_itself():
    words = (Word("Fine", 0, 4, 0, True, None, ()),)
    bare = Explanation("Fine", "a", 1.0, {"a": 1.0}, words, (), None)
    assert str(bare) == "a, 100.0%: Fine" and "span" not in bare._repr_html_()
    assert bare.error is None and bare.changed == ""
    long = Explanation("x" * 10_001, "a", 1.0, {"a": 1.0}, (), (), None)._repr_html_()
    assert "x" * 10_000 + "\u2026" in long and "x" * 10_001 not in long
