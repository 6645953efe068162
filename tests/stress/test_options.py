"""Every model with any legal options works, and illegal values of options are refused by name."""

import keras
import numpy as np
import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

import zoo
from zoo.layers.entity_positions import join_roles

NAMES = zoo.list_models()
every_model = pytest.mark.parametrize("name", NAMES)
WORDS = 50  # of the vocabulary

# What no option can have, by what its default is like.
ANYTHING = (
    st.text(max_size=5)
    | st.binary(max_size=3)
    | st.lists(st.integers(), max_size=2)
    | st.dictionaries(st.text(max_size=2), st.none(), max_size=1)
    | st.complex_numbers()
    | st.builds(object)
    | st.sampled_from((int, len, ..., float("nan"), float("inf"), -float("inf")))
)
# Legal ones are small, so that thousands of models are built in minutes.
SOME = (
    *(None, False, True, -1, 0, 1, 2, 3, 5, 8, -0.5, 0.0, 1e-9, 0.3, 0.9, 1.0, 1.5, 7.0, "", "no"),
    *((), (0,), (1,), (2, 5), [3, 1, 4], (1.5,), (True,)),
)


def legal(values):
    """Of an option with these values."""
    return st.sampled_from(values.choices or [one for one in SOME if values.has(one)])


def illegal(values):
    chosen = st.sampled_from([one for one in SOME if not values.has(one)])
    anything = ANYTHING | st.integers() | st.floats() | st.lists(st.integers(-1, 1), max_size=2)
    return chosen | anything.filter(lambda value: not values.has(value))


def defaults(name):
    return zoo.registry.import_model(name)[0].option_defaults()


def allowed(name):
    return zoo.registry.import_model(name)[0].option_values()


def class_name(name):
    return zoo.registry.import_model(name)[0].__name__.lower()


@st.composite
def legal_options(draw, name):
    """Values of all options, that go together as their documentation says."""
    found = {option: draw(legal(allowed(name)[option])) for option in defaults(name)}
    found["vocabulary_size"] = WORDS
    if "num_heads" in found:
        found["embedding_dim"] = 2 * found["num_heads"] * draw(st.integers(1, 3))
    if found.get("position") == "sinusoidal":
        found["embedding_dim"] *= 2
    if found.get("entities") and found["position_dim"] is not None:
        found["position_dim"] *= 2
    if not (zoo.registry.import_model(name)[0].single_words and found["train_embeddings"]):
        found["subwords"] = 0
    if "small_units" in found:
        found["units"] += found["small_units"]
    if class_name(name) == "bagofngrams":
        if found["solver"] is None and found["weighting"] in ("tfidf", "log_tfidf"):
            found["weighting"] = "count"
        if found["solver"] in ("naive_bayes", "nb_svm"):
            found["train_embeddings"] = True
        if found["solver"] is None or not found["train_embeddings"]:
            found["clusters"] = None
        if found["solver"] not in ("logistic", "svm") or not found["train_embeddings"]:
            found["vectors"] = False
        if found["vectors"]:
            found["clusters"] = None
    if class_name(name) == "barnescnn":
        found["max_words"] += max(found["windows"])
    return found


def random_ids(model, seed, batch=4, words=8, sentences=3):
    """Texts of random lengths, some without a word; longer than some models' limits."""
    rng = np.random.default_rng(seed)
    shape = (batch, sentences, words) if model.hierarchical else (batch, words)
    ids = rng.integers(1, WORDS, shape)
    if model.entities:
        ids = join_roles(ids, rng.integers(0, 4, shape))
    return np.where(np.arange(words) < rng.integers(0, words + 1, (*shape[:-1], 1)), ids, 0)


@every_model
@settings(max_examples=5, phases=(Phase.explicit, Phase.reuse, Phase.generate))
@given(data=st.data())
def test_any_legal_options_make_a_model(name, data, cases, tmp_path_factory):
    """It gives numbers, trains a step, and is the same once saved and loaded in safe mode."""
    options = data.draw(legal_options(name))
    classes, seed = data.draw(st.integers(2, 5)), data.draw(st.integers(0, 99))
    cases("legal options: build, step, save, load")
    model = zoo.build(name, classes, **options)
    for option, value in options.items():
        if option == "embedding_dim" and options.get("solver") and model.train_embeddings:
            value = classes  # of a linear model: each word has a weight for each class
        given = getattr(model, option)
        assert given == (tuple(value) if option == "windows" else value), option
    ids = random_ids(model, seed)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=model.logits)
    model.compile(keras.optimizers.SGD(0.01), loss, run_eagerly=True)
    assert np.isfinite(model.train_on_batch(ids, np.arange(len(ids)) % classes))
    answers = keras.ops.convert_to_numpy(model(ids, training=False))
    assert answers.shape == (len(ids), classes) and np.isfinite(answers).all()
    if not model.logits:
        np.testing.assert_allclose(answers.sum(-1), 1, atol=1e-5)
    path = tmp_path_factory.mktemp("models") / "model.keras"
    model.save(path)
    loaded = keras.saving.load_model(path, safe_mode=True)
    path.unlink()
    assert loaded.get_config() == model.get_config()
    np.testing.assert_array_equal(loaded(ids, training=False), answers)


@every_model
@settings(max_examples=40)
@given(data=st.data())
def test_illegal_values_are_refused_by_the_name_of_the_option(name, data, cases):
    option = data.draw(st.sampled_from(sorted(defaults(name))))
    value = data.draw(illegal(allowed(name)[option]))
    cases("illegal options: refused by name")
    with pytest.raises(zoo.UsageError, match=option) as caught:
        zoo.build(name, 2, **{option: value})
    assert str(caught.value).startswith(name) and len(str(caught.value)) < 1000


@settings(max_examples=200)
@given(name=st.sampled_from(NAMES), classes=illegal(allowed("act")["num_classes"]))
def test_illegal_numbers_of_classes_are_refused(name, classes, cases):
    cases("illegal options: refused by name")
    with pytest.raises(zoo.UsageError, match="num_classes must be"):
        zoo.build(name, classes)


@settings(max_examples=200)
@given(name=st.sampled_from(NAMES), option=st.text(), value=ANYTHING)
def test_unknown_names_are_refused(name, option, value, cases):
    assume(option not in (*defaults(name), *NAMES, "name", "num_classes", "preset"))
    cases("unknown names: refused with what there is")
    with pytest.raises(zoo.UsageError, match="unknown option"):
        zoo.build(name, 2, **{option: value})
    for unknown in (option, value):
        with pytest.raises(zoo.UsageError, match="unknown preset"):
            zoo.build(name, 2, preset=unknown)
        with pytest.raises(zoo.UsageError, match="unknown model"):
            zoo.build(unknown, 2)


NOT_DIVIDED = st.tuples(st.integers(1, 12), st.integers(1, 12)).filter(
    lambda pair: pair[0] % pair[1]
)


@settings(max_examples=100)
@given(name=st.sampled_from([n for n in NAMES if "num_heads" in defaults(n)]), sizes=NOT_DIVIDED)
def test_heads_that_do_not_divide_are_refused(name, sizes, cases):
    cases("illegal options: refused by name")
    width, heads = sizes
    with pytest.raises(zoo.UsageError, match=r"num_heads must divide embedding_dim|an even embedd"):
        zoo.build(name, 2, num_heads=heads, embedding_dim=width)
