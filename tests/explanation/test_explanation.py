"""An explanation in a notebook and in a line."""

import html
import re

from zoo.explanation.explanation import Explanation, Word


def test_an_explanation_shows_itself():
    text = "Not <b>good</b>, \n$5 " + "and so on " * 200
    weights = {"Not": 0.5, "good": 0.25, "$5": 0.0}
    words = [
        Word(one, text.index(one), text.index(one) + len(one), 0, True, weight, (weight,))
        for one, weight in weights.items()
    ]
    one = Explanation(text, "a<b", 0.934, {"a<b": 0.934}, tuple(words), (), None, "c")
    assert str(one).startswith("a<b, 93.4%, wrong: it is c: Not <b>good</b>, $5 and so on and")
    assert str(one).endswith("… (most attended: Not 0.50, good 0.25)") and len(str(one)) < 260
    assert repr(one) == f"<Explanation {one}>"
    shown = one._repr_html_()
    assert shown.startswith("<b>a&lt;b, 93.4%, wrong: it is c</b>")
    assert '<span style="background:rgba(255,165,0,1.00)">Not</span> &lt;b&gt;' in shown
    assert '<span style="background:rgba(255,165,0,0.50)">good</span>&lt;/b&gt;, \n$5 and' in shown
    plain = html.unescape(re.sub("<[^>]*>", "", shown))
    assert plain == f"{one.answer}{text}"
    bare = Explanation(
        "Fine", "a", 1.0, {"a": 1.0}, (Word("Fine", 0, 4, 0, True, None, ()),), (), None
    )
    assert str(bare) == "a, 100.0%: Fine" and "span" not in bare._repr_html_()
    long = Explanation("x" * 10_001, "a", 1.0, {"a": 1.0}, (), (), None)._repr_html_()
    assert "x" * 10_000 + "…" in long and "x" * 10_001 not in long
