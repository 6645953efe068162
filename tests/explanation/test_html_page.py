"""The page of explanations, opened in a browser."""

import base64
import dataclasses
import itertools
import json
import re
import shutil

import numpy as np
import pandas as pd
import pytest

import zoo
from zoo import datasets
from zoo.explanation.explain import Explanations
from zoo.explanation.explanation import Change, Explanation, Word
from zoo.explanation.html_page import page as page_of_runs

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
needs_a_browser = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="needs chromium and chromedriver, of the packages' names"
)


def explanation(text, heads=2, pairs=2, target="yes", seed=0, sentences=()):
    """Of words between spaces, with weights drawn at random."""
    random = np.random.default_rng(seed)
    words, end = [], 0
    for one in text.split():
        start = text.index(one, end)
        end = start + len(one)
        own = tuple(random.random(heads).tolist())
        sentence = text[:start].count(".") if sentences else 0
        weight, added = (sum(own) / heads if heads else None), float(random.normal())
        words.append(Word(one, start, end, sentence, True, weight, own, contribution=added))
    scores = random.random((pairs, len(words), len(words))) if pairs else None
    return Explanation(
        text,
        "no",
        0.75,
        {"no": 0.75, "yes": 0.25},
        tuple(words),
        sentences,
        scores,
        target,
        explained="no",
    )


def page(explanations, **more):
    """Of one run."""
    return page_of_runs({"run": explanations}, **more)


def read(text):
    return json.loads(re.search(r'type="application/json">(.*?)</script>', text, re.DOTALL)[1])


def test_text_stays_text():
    text = "</script><script>alert(1)</script> <b>bold</b> &amp; \u2028 \U0001f600"
    assert read(page([explanation(text)]))["documents"][0]["text"] == text
    assert "<b>" not in page([explanation(text)]).split("application/json")[1].split("</script>")[0]


def test_the_answer_is_the_models_however_close():
    one = Explanation("x", "b", 0.50003, {"a": 0.49997, "b": 0.50003}, (), (), None, "b")
    assert read(page([one]))["documents"][0]["label"] == "b"


@pytest.mark.parametrize("pairs", [0, 1, 16])
def test_a_thousand_documents_are_a_small_page(pairs):
    text = " ".join(f"word{i}" for i in range(40))
    many = [explanation(text, 8, pairs)] * 1000
    text = page(many)
    assert len(text.encode()) < 5_000_000
    data = read(text)
    kept = data["documents"][0]["pairs"]
    assert (kept is None) == (pairs == 0) and len(kept or []) == min(pairs, 1)
    assert data["pairs"] == {0: "all", 1: "all", 16: "mean"}[pairs]


@pytest.mark.slow
def test_a_thousand_news_are_a_small_page(real_data):
    texts = list(itertools.islice(datasets.load("agnews").test, 1000))
    model = zoo.build("hcan", 4, vocabulary_size=20_000, embedding_dim=32, num_heads=4)
    model.preprocessor = datasets.Preprocessor.fit(texts, model.max_words, model.max_sentences)
    model.labels = list("abcd")
    size = len(page(model.explain(texts)).encode())
    assert 1_000_000 < size < 5_000_000


def test_a_row_of_small_weights_is_as_fine_as_one_of_large():
    text = " ".join(f"w{i}" for i in range(500))
    pairs = np.zeros((1, 500, 500))
    pairs[0, 0, 0], pairs[0, 1] = 1.0, np.where(np.arange(500) % 2, 0.0019, 0.0021)
    one = dataclasses.replace(explanation(text), pairs=pairs)
    (document,) = read(page([one]))["documents"]
    ((largest, packed),) = document["pairs"]
    rows = np.frombuffer(base64.b64decode(packed), "uint8").reshape(500, 500) / 255
    np.testing.assert_allclose(rows * np.array(largest)[:, None], pairs[0], rtol=0.01)


def test_cells_without_a_number_are_empty():
    table = pd.DataFrame({"a": [0.5, np.nan, np.inf]})
    text = page([explanation("a b")], tables={"t": table})
    assert [one["rows"] for one in read(text)["tables"]] == [[[0.5], [None], [None]]]


def test_no_documents():
    assert read(page([]))["documents"] == []


def test_a_notebook_shows_a_frame():
    shown = Explanations([explanation("a 'b' c")])._repr_html_()
    assert shown.startswith("<iframe") and "<script" not in shown


@pytest.fixture(scope="module")
def browser():
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for option in ("--headless", "--no-sandbox", "--disable-gpu", "--window-size=900,900"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options, webdriver.ChromeService(DRIVER))
    yield driver
    driver.quit()


@needs_a_browser
def test_the_page_in_a_browser(browser, tmp_path):
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.select import Select

    one = explanation("The room was \U0001f600 good", target="yes")
    other = explanation("bad room", pairs=0, target="no")
    marked = dataclasses.replace(other.words[0], entity=1)
    other = dataclasses.replace(other, words=(marked, *other.words[1:]))
    (tmp_path / "page.html").write_text(page([one, other]), "utf-8")
    browser.get((tmp_path / "page.html").as_uri())
    first, second = browser.find_elements(By.TAG_NAME, "article")
    words = first.find_elements(By.CLASS_NAME, "word")

    def weights(words=words):
        shown = [word.get_attribute("style") for word in words]
        return [float(style.split("--weight:")[1].rstrip(";")) for style in shown]

    def of_largest(values):
        shares = np.asarray(values) / np.max(values)
        return np.where(shares > 0.05, shares, 0)  # what is fainter has no line

    by_head = np.array([word.heads for word in one.words]).T
    assert [word.text for word in words] == ["The", "room", "was", "\U0001f600", "good"]
    assert "no, 75.0 %" in first.text and "wrong: it is yes" in first.text
    assert "right" in second.text
    entity, plain = second.find_elements(By.CLASS_NAME, "word")
    assert entity.get_attribute("title").startswith("first entity")
    assert entity.get_attribute("data-entity") == "1" and not plain.get_attribute("data-entity")
    added = np.array([word.contribution for word in one.words])
    np.testing.assert_allclose(weights(), of_largest(np.abs(added)), atol=0.01)
    sides = [word.get_attribute("data-side") for word in words]
    assert sides == ["against" if number < 0 else None for number in added]
    lines = [word.value_of_css_property("border-bottom-style") for word in words]
    assert lines == ["dotted" if number < 0 else "solid" for number in added]
    words[0].click()
    assert re.search(rf"\u201cThe\u201d speaks .* no: \{'+-'[bool(added[0] < 0)]}\d", first.text)
    words[0].send_keys(Keys.ESCAPE)
    assert "deciding" not in first.text and not browser.find_element(By.ID, "head").is_displayed()

    view = Select(browser.find_element(By.ID, "view"))
    view.select_by_visible_text("attention")
    np.testing.assert_allclose(weights(), of_largest(by_head.mean(0)), atol=0.01)
    assert not any(word.get_attribute("data-side") for word in words)

    head = Select(browser.find_element(By.ID, "head"))
    head.select_by_visible_text("head 2")
    np.testing.assert_allclose(weights(), of_largest(by_head[1]), atol=0.01)

    move = ActionChains(browser).move_to_element
    move(words[3]).perform()
    np.testing.assert_allclose(weights(), of_largest(one.pairs[1, 3]), atol=0.01)
    move(browser.find_element(By.ID, "title")).perform()
    np.testing.assert_allclose(weights(), of_largest(by_head[1]), atol=0.01)
    words[1].click()
    move(words[3]).perform()
    np.testing.assert_allclose(weights(), of_largest(one.pairs[1, 1]), atol=0.01)
    assert "what \u201croom\u201d attends to" in first.text
    head.select_by_visible_text("all heads (mean)")
    np.testing.assert_allclose(weights(), of_largest(one.pairs.mean(0)[1]), atol=0.01)

    words[1].send_keys(Keys.ARROW_RIGHT)
    assert browser.switch_to.active_element == words[2]
    words[2].send_keys(Keys.ENTER)
    np.testing.assert_allclose(weights(), of_largest(one.pairs.mean(0)[2]), atol=0.01)
    words[2].send_keys(Keys.ESCAPE)
    np.testing.assert_allclose(weights(), of_largest(by_head.mean(0)), atol=0.01)

    second.find_elements(By.CLASS_NAME, "word")[0].click()
    assert re.search(r"\u201cbad\u201d: weight 0\.\d+, 0\.\d+, by head", second.text)
    browser.find_element(By.ID, "wrong").click()
    assert first.is_displayed() and not second.is_displayed()

    def colour():
        return browser.find_element(By.TAG_NAME, "body").value_of_css_property("background-color")

    before = colour()
    browser.find_element(By.ID, "theme").click()
    assert colour() != before
    first.find_elements(By.TAG_NAME, "summary")[1].click()
    assert first.find_element(By.TAG_NAME, "canvas").size["width"] > 100
    assert browser.get_log("browser") == []


@needs_a_browser
def test_sentences_and_tables(browser, tmp_path):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.select import Select

    one = explanation("It was. Not bad.", pairs=0, sentences=(0.25, 0.75))
    (tmp_path / "page.html").write_text(page([one] * 20), "utf-8")
    browser.get((tmp_path / "page.html").as_uri())
    assert not browser.find_element(By.CLASS_NAME, "sentence").is_displayed()
    Select(browser.find_element(By.ID, "view")).select_by_visible_text("attention")
    bars = browser.find_element(By.TAG_NAME, "article").find_elements(By.CLASS_NAME, "sentence")
    assert [bar.accessible_name for bar in bars] == ["sentence weight 0.25", "sentence weight 0.75"]
    assert bars[0].size["height"] < bars[1].size["height"]
    assert browser.find_element(By.CLASS_NAME, "text").text.split() == one.text.split()
    said, words, _ = browser.find_elements(By.CSS_SELECTOR, "#tables details")
    said.click()
    assert "side phrase count contribution example" in said.text
    words.click()
    rows = words.find_elements(By.TAG_NAME, "tr")
    assert rows[0].text == "class ngram weight count" and len(rows) == 1 + 4
    assert rows[1].text.startswith("no ") and rows[1].text.endswith(" 20")
    assert browser.get_log("browser") == []


@needs_a_browser
def test_what_the_page_says_of_the_view(browser, tmp_path, monkeypatch):
    """What is shown of pairs, where the whole would be too large, and what each view is worth."""
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.select import Select

    def about(one, view=None, **more):
        (tmp_path / "page.html").write_text(page([one], **more), "utf-8")
        browser.get((tmp_path / "page.html").as_uri())
        select = browser.find_element(By.ID, "view")
        assert select.is_displayed() == (view is not None)
        if view:
            Select(select).select_by_visible_text(view)
        assert browser.get_log("browser") == []
        return " ".join(browser.find_element(By.ID, "legend").text.split())

    one = explanation("not bad at all")  # two attentions of 16 pairs
    for most, told in (
        (32, "what it attends to. A bar"),
        (31, "what it attends to, the mean of all heads"),
        (15, "what it attends to; here that is left out"),
    ):
        monkeypatch.setattr("zoo.explanation.html_page.PAIRS", most)
        assert told in about(one, "attention")
    worth = {"run": {"contributions": "Worth 9.", "attention weights": "Worth 1."}}
    assert "Worth 1. Click" in about(one, "attention", faithful=worth)
    assert "Worth 9. Click" in about(one, "contributions", faithful=worth)
    bare = tuple(dataclasses.replace(word, weight=None, heads=()) for word in one.words)
    bare = dataclasses.replace(one, words=bare, pairs=None)
    told = about(bare)
    assert "speak for the class" in told and "attention" not in told and "struck" not in told
    changed = dataclasses.replace(bare, change=Change((1, 2), "yes"))
    assert "struck through are the fewest" in about(changed)
    text = browser.find_element(By.TAG_NAME, "article").text
    assert "Without the words that are struck through it would be yes." in text
    struck = browser.find_elements(By.CSS_SELECTOR, ".word[data-change]")
    assert [word.text for word in struck] == ["bad", "at"]


@needs_a_browser
def test_two_runs_stand_side_by_side(browser, tmp_path):
    from selenium.webdriver.common.by import By

    runs = {"first": [explanation("bad room"), explanation("a stay")]}
    runs["second"] = [explanation("bad room", heads=0, pairs=0, seed=1), explanation("a stay")]
    worth = {name: {"contributions": f"Worth {name}."} for name in runs}
    (tmp_path / "page.html").write_text(page_of_runs(runs, faithful=worth), "utf-8")
    browser.get((tmp_path / "page.html").as_uri())
    articles = browser.find_elements(By.TAG_NAME, "article")
    assert [one.text.partition(":")[0] for one in articles] == ["first", "second"] * 2
    assert articles[0].location["y"] == articles[1].location["y"] < articles[2].location["y"]
    assert articles[0].location["x"] < articles[1].location["x"]
    legend = browser.find_element(By.ID, "legend").text
    assert "first: Worth first. second: Worth second." in " ".join(legend.split())
    assert browser.get_log("browser") == []


@needs_a_browser
def test_nothing_that_is_shown_is_run(browser, tmp_path):
    from selenium.webdriver.common.by import By

    trap = "<img src=x onerror=window.ran=1><script>window.ran=1</script></script>"
    one = explanation(f"bad {trap} room", target=trap)
    one = dataclasses.replace(one, label=trap, probabilities={trap: 0.75, "yes": 0.25})
    tables = {trap: pd.DataFrame({trap: [trap]})}
    text = page([one] * 20, title=trap, faithful={"run": {"contributions": trap}}, tables=tables)
    (tmp_path / "page.html").write_text(text, "utf-8")
    browser.get((tmp_path / "page.html").as_uri())
    for opened in browser.find_elements(By.TAG_NAME, "summary")[:6]:
        opened.click()
    assert trap in browser.find_element(By.TAG_NAME, "article").text
    assert trap in browser.find_element(By.ID, "tables").text
    assert browser.title == trap
    assert browser.find_elements(By.TAG_NAME, "img") == []
    assert browser.execute_script("return window.ran") is None
    assert browser.get_log("browser") == []
