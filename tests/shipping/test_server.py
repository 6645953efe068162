"""``zoo serve``: REST forms, what is refused, requests together, a changed run, and the page."""

import asyncio
import base64
import collections
import contextlib
import http.client
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

import numpy as np
import onnx
import pytest

import zoo
from tests.explanation.test_html_page import browser as browser
from tests.explanation.test_html_page import needs_a_browser
from zoo.runs.onnx_model import NAME
from zoo.shipping import server, slow_clients
from zoo.shipping.batched_answers import BatchedAnswers, Full

uvicorn = pytest.importorskip("uvicorn")
TEXTS = ["A good stay. Really good!", "A bad stay.", ""]
PREDICT = "/v1/models/reviews:predict"


@pytest.fixture(scope="module")
def folder(run_with_onnx):
    return run_with_onnx


@contextlib.contextmanager
def serving(folder, **options):
    """The port of a server in a thread."""
    config = uvicorn.Config(
        server.application(folder, "reviews", **options),
        port=0,
        log_level="warning",
        http=slow_clients.HeadersInTime,
    )
    served = uvicorn.Server(config)
    thread = threading.Thread(target=served.run)
    thread.start()
    while not served.started:
        time.sleep(0.01)
    try:
        yield served.servers[0].sockets[0].getsockname()[1]
    finally:
        served.should_exit = True
        thread.join()


@pytest.fixture(scope="module")
def port(folder):
    with serving(folder) as port:
        yield port


def ask(port, body=None, path=PREDICT, method="POST", **headers):
    """Status and JSON, or text, of an answer."""
    body = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    found = answer.read().decode()
    connection.close()
    is_json = answer.headers["content-type"] == "application/json"
    return answer.status, json.loads(found) if is_json else found


def test_the_forms_of_tensorflow_serving(port, folder):
    expected = zoo.load(folder).answers_to(TEXTS)
    labels = [one["label"] for one in expected]
    by_name = [{"texts": text} for text in TEXTS]
    in_64 = [{"b64": base64.b64encode(text.encode()).decode()} for text in TEXTS]
    for instances in (TEXTS, by_name, in_64):
        status, told = ask(port, {"signature_name": "serve", "instances": instances})
        assert status == 200
        rows = told["predictions"]
        assert [row["label"] for row in rows] == labels
        for row, one in zip(rows, expected, strict=True):
            found = dict(zip(row["labels"], row["probabilities"], strict=True))
            assert found == pytest.approx(one["probabilities"], abs=1e-5)
    for inputs in (TEXTS, {"texts": TEXTS}):
        status, told = ask(port, {"inputs": inputs}, "/v1/models/reviews/versions/1:predict")
        assert (status, told["outputs"]["label"]) == (200, labels)
    status, told = ask(port, path="/v1/models/reviews", method="GET")
    assert told["model_version_status"][0]["state"] == "AVAILABLE"
    status, told = ask(port, path="/v1/models/reviews/metadata", method="GET")
    assert told["zoo"]["labels"] == ["bad one", "good one"]
    assert ask(port, path="/healthz", method="GET") == (200, "ok\n")
    assert 'zoo_requests_total{status="200"}' in ask(port, path="/metrics", method="GET")[1]


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        (b"{", 400, "the body is no JSON"),
        (b"\xff", 400, "the body is no JSON"),
        (b"[" * 100_000, 400, "the body is no JSON"),
        ([], 400, "the body is {"),
        ({"instances": ["a"], "inputs": ["a"]}, 400, "the body is {"),
        ({"instances": "a"}, 400, "texts are a list of one or more strings"),
        ({"instances": []}, 400, "texts are a list of one or more strings"),
        ({"instances": ["a", 3]}, 400, "text 1 is no string"),
        ({"instances": [["a"]]}, 400, "text 0 is no string"),
        ({"instances": [{"b64": "a"}]}, 400, "text 0 is not of base 64"),
        ({"instances": ["a"] * 10_000}, 413, "at most 1,000 texts: got 10,000"),
        ({"instances": ["a" * 100_001]}, 413, "text 0 has 100,001"),
        (b" " * 4_000_001, 413, "at most 4,000,000 bytes"),
    ],
)
def test_what_is_refused(port, body, status, message):
    found, told = ask(port, body)
    assert found == status and message in told["error"]
    assert ask(port, {"instances": ["\ud800 good"]})[0] == 200  # and the server lives


def test_other_addresses_are_not_found(port):
    assert ask(port, {}, "/v1/models/other:predict")[0] == 404
    for path in ("/run/config.json", "/run/..%2fconfig.json", "/none"):
        assert ask(port, path=path, method="GET")[0] == 404
    assert ask(port, method="GET")[0] == 404  # where nothing is asked


def test_bodies_that_come_in_parts_and_too_slowly(port, monkeypatch):
    def endless():
        for _ in range(100):
            yield b" " * 100_000

    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it listens no longer
        connection.request("POST", PREDICT, endless(), encode_chunked=True)
    monkeypatch.setattr(server, "SECONDS", 0.2)
    with socket.create_connection(("127.0.0.1", port), 60) as slow:
        slow.sendall(
            b"POST %s HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{" % PREDICT.encode()
        )
        assert slow.recv(100).startswith(b"HTTP/1.1 408")
    assert ask(port, {"instances": ["good"]})[0] == 200


def test_headers_that_come_too_slowly(port, monkeypatch):
    """Also those of a second request, and of a client that says nothing."""
    monkeypatch.setattr(slow_clients, "SECONDS", 0.3)
    ready = b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"

    def answered(client):
        client.sendall(ready)
        found = b""
        while not found.endswith(b"ok\n"):
            found += (part := client.recv(1000))
            assert part

    for number in range(2):
        with socket.create_connection(("127.0.0.1", port), 60) as slow:
            if number:
                answered(slow)
            started = time.monotonic()
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                for byte in ready:
                    slow.sendall(bytes([byte]))
                    time.sleep(0.05)
            assert time.monotonic() - started < 0.05 * len(ready)
            with contextlib.suppress(ConnectionResetError):
                assert slow.recv(100).startswith(b"HTTP/1.1 408")
    with socket.create_connection(("127.0.0.1", port), 60) as silent:
        assert silent.recv(100).startswith(b"HTTP/1.1 408")
    with socket.create_connection(("127.0.0.1", port), 60) as kept:
        for _ in range(3):  # a connection lives on between requests
            answered(kept)
            time.sleep(0.5)


def test_a_full_queue_refuses_and_loses_nothing(folder, monkeypatch):
    free, predict = threading.Event(), server.load(folder, runtime="onnx").predict_texts

    def slow(self, texts, **_):
        free.wait(30)
        return predict(texts)

    monkeypatch.setattr("zoo.runs.onnx_model.OnnxClassifier.predict_texts", slow)
    found = []
    with serving(folder, most_waiting=4) as port:
        clients = [
            threading.Thread(target=lambda: found.append(ask(port, {"instances": ["good"]})))
            for _ in range(4)
        ]
        for one in clients:
            one.start()
        deadline = time.monotonic() + 30
        while "zoo_waiting_texts 4.0" not in ask(port, path="/metrics", method="GET")[1]:
            assert time.monotonic() < deadline
        status, told = ask(port, {"instances": ["good"]})
        assert (status, told["error"][:19]) == (503, "too many texts wait")
        free.set()
        for one in clients:
            one.join()
    assert [status for status, _ in found] == [200] * 4


def test_what_waits_is_computed_together():
    asked = []

    def answers(texts):
        asked.append(len(texts))
        time.sleep(0.05)
        if "wrong" in texts:
            raise ValueError("wrong")
        return np.array([[float(text)] for text in texts])

    async def run():
        batched = BatchedAnswers(answers, most=100, batch=8, threads=1)
        found = await asyncio.gather(*(batched([str(n), str(-n)]) for n in range(20)))
        assert [one.ravel().tolist() for one in found] == [[n, -n] for n in range(20)]
        assert max(asked) == 8 and len(asked) <= 6
        with pytest.raises(ValueError, match="wrong"):
            await batched(["wrong"])
        assert (await batched(["7"])).tolist() == [[7.0]]  # the next one is answered
        with pytest.raises(Full):
            await batched(["1"] * 101)
        await batched.close()

    asyncio.run(run())


def test_a_changed_file_is_read_anew(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(server, "LOOKS", 0.05)
    own = shutil.copytree(folder, tmp_path / "run")
    changed = onnx.load(own / NAME)
    about = changed.metadata_props[0]
    about.value = about.value.replace("good one", "better")
    onnx.save(changed, tmp_path / "new.onnx")
    with serving(own) as port:

        def labels():
            return ask(port, path="/v1/models/reviews/metadata", method="GET")[1]["zoo"]["labels"]

        def soon(wanted):
            deadline = time.monotonic() + 30
            while labels() != wanted and time.monotonic() < deadline:
                time.sleep(0.05)
            assert labels() == wanted

        os.replace(tmp_path / "new.onnx", own / NAME)
        soon(["bad one", "better"])
        (tmp_path / "broken.onnx").write_bytes(b"no model")
        os.replace(tmp_path / "broken.onnx", own / NAME)
        time.sleep(0.5)
        assert labels() == ["bad one", "better"]
        assert ask(port, {"instances": ["good"]})[0] == 200
        shutil.copy(folder / NAME, tmp_path / "old.onnx")
        os.replace(tmp_path / "old.onnx", own / NAME)
        soon(["bad one", "good one"])


@contextlib.contextmanager
def command(folder, port):
    """The process of ``zoo serve``, once it answers."""
    own = [sys.executable, "-m", "zoo", "serve", str(folder), "--port", str(port)]
    process = subprocess.Popen([*own, "--name", "reviews"], stdout=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while True:
            with contextlib.suppress(OSError):
                if ask(port, path="/healthz", method="GET")[0] == 200:
                    break
            assert time.monotonic() < deadline and process.poll() is None
            time.sleep(0.1)
        yield process
    finally:
        process.kill()
        process.wait()


def test_the_command_answers_what_it_was_asked_before_it_ends(folder, free_port):
    port = free_port
    with command(folder, port) as process:
        found = []
        body = {"instances": TEXTS * 300}
        clients = [
            threading.Thread(target=lambda: found.append(ask(port, body)[0])) for _ in range(2)
        ]
        for one in clients:
            one.start()
        while not found and "zoo_waiting_texts 0.0" in ask(port, path="/metrics", method="GET")[1]:
            pass
        process.send_signal(signal.SIGTERM)
        for one in clients:
            one.join()
        assert process.wait(60) in (0, -signal.SIGTERM) and set(found) <= {200, 503}
        assert 200 in found


@pytest.mark.long
def test_ends_and_restarts_under_load_lose_no_answer(folder, free_port):
    """Each request gets its own whole answer, or a 503, or an error of the connection."""
    texts = ["good " * number + "stay" for number in range(1, 40)]
    expected = dict(zip(texts, zoo.load(folder).predict(texts, verbose=0).tolist(), strict=True))
    kinds, half, wrong, over = collections.Counter(), [], [], threading.Event()
    ends, ended = (signal.SIGTERM, signal.SIGTERM, signal.SIGKILL, signal.SIGTERM), []

    def client(number):
        chance = random.Random(number)
        while not over.is_set():
            text, asked = chance.choice(texts), len(ended)  # the number of the process
            try:
                status, told = ask(free_port, {"instances": [text]})
            except http.client.IncompleteRead:
                half.append(ends[asked])  # a thread may hear of it when the next process runs
            except (OSError, http.client.HTTPException):
                kinds["no connection"] += 1
                time.sleep(0.01)
            else:
                kinds[status] += 1
                if status == 200 and told["predictions"][0]["probabilities"] != pytest.approx(
                    expected[text], abs=1e-5
                ):
                    wrong.append(told)

    clients = [threading.Thread(target=client, args=[number]) for number in range(16)]
    try:
        for how in ends:
            with command(folder, free_port) as process:
                for one in clients:
                    if not one.ident:
                        one.start()
                answered, until = kinds[200], time.monotonic() + 60
                while kinds[200] < answered + 20 and time.monotonic() < until:
                    time.sleep(0.05)
                assert kinds[200] >= answered + 20
                process.send_signal(how)
                process.wait(60)
            ended.append(how)
    finally:
        over.set()
        for one in clients:
            one.join()
    assert signal.SIGTERM not in half
    assert not wrong and kinds.keys() <= {200, 503, "no connection"}


def test_a_run_without_a_file_is_told(trained):
    with pytest.raises(zoo.UsageError, match="has no model.onnx"):
        server.application(trained)


@needs_a_browser
def test_the_page(browser, folder, tmp_path):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.wait import WebDriverWait

    own = shutil.copytree(folder, tmp_path / "run")
    (own / "model_card.md").write_text("# <b>The card</b>", "utf-8")
    table = tmp_path / "mine.csv"
    table.write_text('id,text,label\n7,"A good, ""nice"" stay",x\n8,A bad stay.,y\n', "utf-8")
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", {
        "behavior": "allow", "downloadPath": str(tmp_path / "down"),
    })  # fmt: skip
    with serving(own) as port:
        browser.get(f"http://127.0.0.1:{port}/")

        def element(name):
            return browser.find_element(By.ID, name)

        wait = WebDriverWait(browser, 60)
        element("text").send_keys("A good stay. Really good!")
        wait.until(lambda _: element("legend").is_displayed())
        (expected,) = zoo.load(own).answers_to(["A good stay. Really good!"])
        assert element("answer").text == f"Answer: {expected['label']}"
        words = element("words").find_elements(By.CLASS_NAME, "word")
        assert [word.text for word in words] == "A good stay. Really good!".split()
        weights = [float(word.get_attribute("style").split(":")[1].strip(" ;")) for word in words]
        assert max(weights) == 1
        element("file").send_keys(str(table))
        wait.until(lambda _: element("start").is_displayed())
        element("start").click()
        wait.until(lambda _: element("download").is_displayed())
        assert element("told").text == "2 rows are labelled."
        element("download").click()
        down = tmp_path / "down" / "mine-labelled.csv"
        wait.until(lambda _: down.exists())
        names, first, second = down.read_text("utf-8").splitlines()
        assert names == "id,text,label,predicted_label,probability"
        assert first.startswith('7,"A good, ""nice"" stay",x,') and second.startswith(
            "8,A bad stay"
        )
        assert "# <b>The card</b>" in element("beside").text
        assert browser.find_element(By.CSS_SELECTOR, "#beside img").get_property("naturalWidth")
        assert [one for one in browser.get_log("browser") if "favicon" not in one["message"]] == []
