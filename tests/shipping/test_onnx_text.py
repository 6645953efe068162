"""The words that ONNX reads of texts are those of the preprocessor, whatever the texts."""

import random

import numpy as np
import onnxruntime
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper

import zoo
from tests.kinds import long_unless
from tests.stress.test_texts import KINDS, LONG, TEXTS
from zoo.datasets import Preprocessor
from zoo.datasets.own_files.text_files import well_formed
from zoo.shipping.onnx_graph import VERSIONS, Graph, Value
from zoo.shipping.onnx_text import CUTS, word_ids

GREEK = (  # letters, and what is passed over in search of one
    *"\u03a3 \u03c3 \u03c2 \u03b1 A \u24b6 \u02b0 1 &Sigma; &#931;".split(),
    *"' . \u00b7 \u0301 \u00ad :".split(),
)
# What the clean-ups look at, beside what the stress suite has.
MORE = (
    *"a s d m 's're 'll ' '' -- --- - .. ... , ,. .! .\uff0e \uff0e \uff0ea".split(),
    *"\uff0e5 \uff0e. n't n'ts 'sn't".split(),
    *"( ) ` ! ? !! \u3002 \u2019 \u2019s \u24b6 \u00aa \u02bc \u01c5 \u0300 _ 1 \x01".split(),
    *("\n\n.", ".\n", "\f", " '", "' ", " ' "),
)  # fmt: skip
PIECES = st.sampled_from((*KINDS, *MORE)) | st.text(st.characters(), max_size=8)
ANY = (
    TEXTS
    | st.lists(st.sampled_from([*GREEK, " "]), max_size=20).map("".join)
    | st.lists(PIECES, max_size=20).map("".join)
)
SHAPES = [  # clean-up, the most sentences, the longest n-gram
    *((clean_up, None, 1) for clean_up in CUTS),
    *((clean_up, 5, 1) for clean_up in CUTS if clean_up != "characters"),
    ("hcan", None, 2),
    ("characters", None, 3),
]
READ = {  # what the paper's clean-ups are for, and each text's words
    "hcan": [
        ("It isn't 3.5 km, U.S.A.! No...", "it isnt 3.5 km u.s.a. ! no ..."),
        ("R&amp;D &#233;&bogus; \u0130", "r d \u00e9 bogus i\u0307"),
        (
            "\u039f\u0394\u039f\u03a3. \u03a3\u0391\u03a3 \u03a3 1\u03a3 A\u03a3'\u00b7&Sigma;.B",
            "\u03bf\u03b4\u03bf\u03c2 . \u03c3\u03b1\u03c2 \u03c3 1\u03c3 a\u03c3 \u03c3.b",
        ),
        ("", ""),
    ],
    "han": [
        ("It isn\u2019t 'so' -- he'll say: 5.", "it is n't 'so ' -- he 'll say : 5 ."),
        ("a's's 'good room-mate, (x)", "a 's's ' good room-mate , ( x )"),
    ],
    "kim": [("Don't! (It's) \u00e9t\u00e9.", "do n't ! ( it 's ) t")],
    "tokens": [("A  b\tC.d\u3000e", "a b c.d e")],
    "characters": [("Ab\nc", ["a", "b", " ", "c"])],
}


def reader(preprocessor):
    """From texts to ids, by onnxruntime, which must also tell where the words are."""
    graph, names = Graph("text"), ("ids", "starts", "ends")
    found = word_ids(graph, Value(graph, "texts"), preprocessor, spans=True)
    for one, name in zip(found, names, strict=True):
        graph.rename(one, name)
    texts = helper.make_tensor_value_info("texts", TensorProto.STRING, ["batch"])
    outputs = [helper.make_tensor_value_info(name, TensorProto.INT64, None) for name in names]
    made = helper.make_graph(graph.nodes, "texts", [texts], outputs, [*graph.constants.values()])
    versions = [helper.make_opsetid(*pair) for pair in VERSIONS.items()]
    model = helper.make_model(made, opset_imports=versions, ir_version=10)
    session = onnxruntime.InferenceSession(model.SerializeToString())

    def read(texts):
        ids, starts, ends = session.run(None, {"texts": np.array(texts, object)})
        np.testing.assert_array_equal(starts < ends, ids > 0)
        most = [len(text) for text in texts]
        assert (ends.reshape(len(texts), -1).max(axis=1) <= most).all() and starts.min() >= 0
        return ids

    return read


@pytest.fixture(
    scope="module",
    params=[long_unless(shape in SHAPES[:2] + SHAPES[5:6], shape) for shape in SHAPES],
    ids=lambda shape: "-".join(map(str, shape)),
)
def both(request):
    """A preprocessor that knows four of five words of odd texts, and the same in ONNX."""
    clean_up, sentences, ngrams = request.param
    chance = random.Random(1)
    made = [
        "".join(
            chance.choice((*KINDS, *MORE, *GREEK)) + chance.choice(("", " ", ""))
            for _ in range(chance.randint(0, 25))
        )
        for _ in range(500)
    ]
    made = list(map(well_formed, made))
    how = {"clean_up": clean_up, "ngrams": ngrams}
    words = Preprocessor.fit(made, 40, sentences, min_count=1, **how).vocabulary
    words = [word for number, word in enumerate(words) if number % 5]
    words = [word for word in words if "\n" not in word]
    own = Preprocessor(words, 12, sentences, **how)
    return own, reader(own)


@settings(max_examples=60)
@given(texts=st.lists(ANY.map(well_formed), min_size=1, max_size=12))
def test_any_texts(both, texts):
    own, read = both
    np.testing.assert_array_equal(read(texts), own(texts).numpy())


@pytest.mark.parametrize(
    "both", [SHAPES[0], pytest.param(SHAPES[6], marks=pytest.mark.long)], indirect=True
)
def test_long_texts(both):
    own, read = both
    for text in map(well_formed, LONG.values()):
        np.testing.assert_array_equal(read([text, "good"]), own([text, "good"]).numpy())


@pytest.mark.parametrize("clean_up", READ)
def test_known_words(clean_up):
    texts, words = zip(*READ[clean_up], strict=True)
    words = [one.split() if isinstance(one, str) else one for one in words]
    vocabulary = list(dict.fromkeys(word for some in words for word in some))
    read = reader(Preprocessor(vocabulary, clean_up=clean_up))
    for text, own in zip(texts, words, strict=True):
        expected = [vocabulary.index(word) + 2 for word in own] or [0]
        assert read([text]).tolist() == [expected]


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"clean_up": "relations"}, "the clean-up 'relations': train with --clean-up of hcan, han"),
        ({"version": 1}, "version 1 of the rules: train it again; or export word ids with --ids"),
    ],
)
def test_what_onnx_cannot_hold_is_refused(how, message):
    own = Preprocessor(**{"vocabulary": ["a"], **how})
    with pytest.raises(zoo.UsageError, match=f"^ONNX cannot hold .*{message}"):
        reader(own)
