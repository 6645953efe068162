"""Linear models are scikit-learn's, in Keras."""

import numpy as np
import pytest
from gensim.models import KeyedVectors
from scipy.sparse import csr_matrix, hstack
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import zoo
from tests.kinds import long_unless, slow_unless
from zoo.datasets import Preprocessor, Split
from zoo.models import _linear as linear

WORDS = "good bad room staff not very clean dirty never again the a was".split()


def texts(count, seed):
    random = np.random.default_rng(seed)
    return [" ".join(random.choice(WORDS, random.integers(1, 12))) for _ in range(count)]


def corpus(classes, count=200, seed=0):
    """Texts, and classes that words and pairs of them make likelier."""
    found = texts(count, seed)
    scores = np.array([[len(t.split()), 8 * ("good" in t), 9 * ("not " in t)] for t in found])
    noise = np.random.default_rng(seed).normal(size=scores.shape)
    return Split(found, (scores + noise)[:, :classes].argmax(-1))


def analyze(longest):
    def ngrams(text):
        words = text.split()
        return [
            " ".join(words[i : i + n])
            for n in range(1, longest + 1)
            for i in range(len(words) - n + 1)
        ]

    return ngrams


RIVALS = {
    "bow": (CountVectorizer, LogisticRegression(max_iter=1000)),
    "bow_tfidf": (TfidfVectorizer, LogisticRegression(max_iter=1000)),
    "ngrams": (CountVectorizer, LogisticRegression(max_iter=1000)),
    "ngrams_tfidf": (TfidfVectorizer, LogisticRegression(max_iter=1000)),
    "naive_bayes": (TfidfVectorizer, MultinomialNB()),
    "logistic_l1": (
        TfidfVectorizer,
        OneVsRestClassifier(LogisticRegression(l1_ratio=1, solver="liblinear")),
    ),
    "svm_unigrams": (TfidfVectorizer, LinearSVC()),
    "svm_bigrams": (TfidfVectorizer, LinearSVC()),
}


def test_a_solver_that_does_not_converge_is_told_once(caplog, recwarn):
    counts = np.random.default_rng(0).integers(0, 9, (45, 100)).astype("float64")
    counts = np.concatenate([counts, counts])  # the same texts have several classes
    linear.solved(csr_matrix(counts), np.arange(90) * 7 % 3, "nb_svm", 1.0)
    told = "The solver has not converged: the weights are those of its last pass"
    assert caplog.messages == [told] and not recwarn


def solved(name, split, **options):
    limits = zoo.build(name, 2, vocabulary_size=2)
    preprocessor = Preprocessor.fit(
        split, limits.max_words, min_count=3, max_vocabulary=10_000, ngrams=limits.ngrams
    )
    model = zoo.build(
        name, int(max(split.targets)) + 1, vocabulary_size=preprocessor.vocabulary_size, **options
    )
    model.preprocessor = preprocessor
    assert model.solves
    model.solve(split)
    return model


@pytest.mark.parametrize("classes", [long_unless(False, 2), 3])
@pytest.mark.parametrize("name", [slow_unless("ngrams" not in name, name) for name in RIVALS])
def test_it_is_what_scikit_learn_finds(name, classes):
    split, new = corpus(classes), texts(50, seed=1)
    model = solved(name, split)
    vectorizer, estimator = RIVALS[name]
    own = model.preprocessor.vocabulary
    rival = make_pipeline(vectorizer(analyzer=analyze(model.ngrams), vocabulary=own), estimator)
    rival.fit(list(split), split.targets)
    answers = model.predict(new, verbose=0)
    if hasattr(rival, "predict_proba") and name != "logistic_l1":
        np.testing.assert_allclose(answers, rival.predict_proba(new), atol=1e-4)
    else:
        scores = rival.decision_function(new)
        scores = np.stack([0 * scores, scores], -1) if classes == 2 else scores
        odds = np.exp(scores)
        np.testing.assert_allclose(answers, odds / odds.sum(-1, keepdims=True), atol=1e-3)


@pytest.mark.parametrize(
    ("name", "estimator"),
    [
        ("bow", LogisticRegression(C=0.1, max_iter=1000)),
        ("svm_unigrams", LinearSVC(C=0.1)),
        ("naive_bayes", MultinomialNB(alpha=0.1)),
        (
            "logistic_l1",
            OneVsRestClassifier(LogisticRegression(l1_ratio=1, C=0.1, solver="liblinear")),
        ),
    ],
)
def test_the_strength_is_scikit_learns(name, estimator):
    split = corpus(3)
    model = solved(name, split, strength=0.1)
    vectorizer, _ = RIVALS[name]
    counts = vectorizer(
        analyzer=analyze(model.ngrams), vocabulary=model.preprocessor.vocabulary
    ).fit_transform(list(split))
    estimator.fit(counts, split.targets)
    said = model.predict(list(split), verbose=0).argmax(-1)
    assert (said == estimator.predict(counts)).mean() > 0.99


@pytest.mark.parametrize(("classes", "strength"), [(2, 1.0), (3, 1.0), (3, 0.1)])
def test_nb_svm(classes, strength):
    split, new = corpus(classes), texts(50, seed=1)
    model = solved("nb_svm", split, strength=strength)
    vectorizer = CountVectorizer(
        analyzer=analyze(3), vocabulary=model.preprocessor.vocabulary, binary=True
    )
    features, scores = vectorizer.transform(split).toarray(), []
    for one in range(classes):
        p, q = (
            1 + features[split.targets.astype(int) == one].sum(0),
            1 + features[split.targets != one].sum(0),
        )
        ratio = np.log(p / p.sum()) - np.log(q / q.sum())
        svm = LinearSVC(C=strength).fit(features * ratio, split.targets == one)
        drawn = 0.5 * np.abs(svm.coef_[0]).mean() + 0.5 * svm.coef_[0]
        scores.append(vectorizer.transform(new).toarray() @ (ratio * drawn) + svm.intercept_[0])
    scores = np.stack(scores, -1)
    if classes == 2:
        scores[:, 0] = 0
    odds = np.exp(scores)
    found = model.predict(new, verbose=0)
    np.testing.assert_allclose(found, odds / odds.sum(-1, keepdims=True), atol=1e-3)


@pytest.mark.parametrize(
    ("name", "estimator", "scores", "tolerance"),
    [
        ("ave", LogisticRegression(max_iter=1000), "predict_log_proba", 1e-3),
        ("svm_average", LinearSVC(), "decision_function", 1e-2),
    ],
)
def test_the_mean_of_fixed_vectors(name, estimator, scores, tolerance):
    split, new = corpus(3), texts(50, seed=1)
    model = solved(name, split, embedding_dim=7)
    table = np.asarray(model.embed.embeddings)
    index = {word: row for row, word in enumerate(model.preprocessor.vocabulary, start=2)}

    def means(some):
        return [np.mean([table[index[word]] for word in text.split()], axis=0) for text in some]

    odds = np.exp(getattr(estimator.fit(means(split), split.targets), scores)(means(new)))
    expected = odds / odds.sum(-1, keepdims=True)
    np.testing.assert_allclose(model.predict(new, verbose=0), expected, atol=tolerance)


@pytest.mark.parametrize("classes", [2, 3])
def test_the_mean_of_word_vectors_stands_beside_ngrams(classes):
    split, new = corpus(classes), [*texts(50, seed=1), "a tidy room", "spotless", "no word", ""]
    vectors = KeyedVectors(7)
    random = np.random.default_rng(0)
    words = [*WORDS[:9], "tidy", "spotless"]  # the last two are in no training text
    vectors.add_vectors(words, random.normal(size=(len(words), 7)).astype("float32"))
    limits = zoo.build("svm_vectors", classes, vocabulary_size=2)
    preprocessor = Preprocessor.fit(split, limits.max_words, min_count=1, ngrams=limits.ngrams)
    told = {"vocabulary": preprocessor.vocabulary, "sublinear_tf": True}
    rival = TfidfVectorizer(analyzer=analyze(2), **told)
    counted = rival.fit_transform(list(split))

    def means(some):
        found = [[vectors[w] for w in text.split() if w in vectors] for text in some]
        return np.array([np.mean(one, axis=0) if one else np.zeros(7) for one in found])

    learnt = means(split)
    centre = learnt.mean(axis=0)
    size = np.sqrt(np.mean(np.sum(np.square(learnt - centre), axis=1)))
    estimator = LogisticRegression(C=5, max_iter=1000)
    estimator.fit(hstack([counted, (learnt - centre) / size]), split.targets)
    asked = hstack([rival.transform(new), (means(new) - centre) / size])
    told = {"solver": "logistic", "strength": 5.0}

    preprocessor = preprocessor.extended(words, 10_000)
    sizes = {"vocabulary_size": preprocessor.vocabulary_size}
    model = zoo.build("svm_vectors", classes, **sizes, **told)
    model.preprocessor = preprocessor
    model.word_vectors = lambda known, room: vectors
    model.solve(split)
    answers = model.predict(new, verbose=0)
    np.testing.assert_allclose(answers, estimator.predict_proba(asked), atol=1e-3)


def test_without_word_vectors_ngrams_alone_count():
    split, new = corpus(3), texts(50, seed=1)
    model = solved("svm_vectors", split)
    assert not model.known.numpy().any()
    answers = solved("svm_bigrams", split, weighting="log_tfidf").predict(new, verbose=0)
    np.testing.assert_allclose(model.predict(new, verbose=0), answers, atol=1e-4)


def test_words_of_a_cluster_share_their_weights():
    split = corpus(3)
    model = solved("bag_of_means", split, clusters=4)
    table = np.asarray(model.embed.embeddings)[2:]
    assert len(np.unique(table, axis=0)) == 4 < len(table)
    alone = solved("bag_of_means", split, clusters=1000)  # as many clusters as words
    bow = solved("bow", split)
    np.testing.assert_allclose(alone.predict(list(split)), bow.predict(list(split)), atol=1e-3)


def test_fasttext_is_trained_as_other_models_are():
    assert not zoo.build("fasttext", 2, vocabulary_size=5).solves


def test_options_are_checked():
    with pytest.raises(zoo.UsageError, match="Did you mean 'tfidf'"):
        zoo.build("bow", 2, weighting="tf-idf")
    with pytest.raises(zoo.UsageError, match="weighting 'tfidf' needs a solver"):
        zoo.build("fasttext", 2, weighting="tfidf")
    for name in ("fasttext", "ave"):  # without a solver, and of fixed vectors
        with pytest.raises(zoo.UsageError, match="clusters are of a solver's weights"):
            zoo.build(name, 2, clusters=10)
    for name in ("fasttext", "nb_svm", "ave"):
        with pytest.raises(zoo.UsageError, match="vectors stand beside n-grams that solver"):
            zoo.build(name, 2, vectors=True)


def test_word_vectors_for_a_model_without_any(csv_file, tmp_path):
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("good 1 2 3\nbad 4 5 6\n")
    for name in ("bow", "paragraph_vector"):
        for embeddings in (str(vectors), "word2vec"):
            with pytest.raises(zoo.UsageError, match=f"{name} has no word vectors"):
                zoo.train(name, str(csv_file), weights=embeddings, output=tmp_path)
    assert not any(tmp_path.glob("*-*"))
