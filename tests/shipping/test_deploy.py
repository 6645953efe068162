"""What the documentation shows to deploy a run with: its steps are run, without TensorFlow."""

import contextlib
import json
import re
import shlex
import shutil
import subprocess
import time
import venv
from pathlib import Path

import pytest

import zoo
from tests.shipping.test_server import ask

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "docs" / "deploy"
SHIPPING = (ROOT / "docs" / "shipping.md").read_text("utf-8")
TEXTS = ["A good stay.", '"Bad, bad &amp; worse!"', "Bad \u00e9t\u00e9 \U0001f600", ""]


def steps(instruction):
    """What follows an instruction in the Dockerfile, of each line."""
    return re.findall(rf"^{instruction} (.*)", (DEPLOY / "Dockerfile").read_text("utf-8"), re.M)


def run(*command, **options):
    ended = subprocess.run([*map(str, command)], capture_output=True, text=True, **options)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.mark.slow
def test_the_steps_of_the_dockerfile(run_with_onnx, tmp_path, free_port):
    """In a fresh environment in place of the image."""
    for copied in steps("COPY"):
        *sources, target = copied.split()
        target = tmp_path / target.lstrip("/")
        for source in sources:
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, target, symlinks=True)
            else:
                shutil.copy(ROOT / source, target)
    venv.create(tmp_path / "venv", with_pip=True)
    binaries = tmp_path / "venv" / "bin"
    for command in steps("RUN"):
        program, *arguments = shlex.split(command.replace("/src", str(tmp_path / "src")))
        step = [binaries / program, *arguments]
        ended = subprocess.run(step, cwd=tmp_path, capture_output=True, text=True)
        if "No matching distribution found" in ended.stderr:
            pytest.skip("packages of the Dockerfile are not at hand: no PyPI")
        assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "tensorflow" not in run(binaries / "pip", "list")
    nobody = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}
    (entry,) = steps("ENTRYPOINT")
    program, *arguments = json.loads(entry)
    arguments[arguments.index("/model")] = str(run_with_onnx)
    arguments[arguments.index("0.0.0.0")] = "127.0.0.1"
    command = [binaries / program, *arguments, "--port", str(free_port)]
    process = subprocess.Popen(command, env=nobody, cwd=tmp_path)
    expected = [one["label"] for one in zoo.load(run_with_onnx).answers_to(TEXTS)]
    try:
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                _, told = ask(free_port, {"instances": TEXTS}, "/v1/models/model:predict")
                break
            time.sleep(0.1)
        assert [row["label"] for row in told["predictions"]] == expected
        resident = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process.pid}/status").read_text())
        assert int(resident[1]) < 200_000  # kB
    finally:
        process.terminate()
        process.wait(60)
    answers = run(binaries / "zoo", "predict", run_with_onnx, *TEXTS[:3], env=nobody)
    assert [json.loads(line)["label"] for line in answers.splitlines()] == expected[:3]


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd-analyze")
def test_the_unit_of_systemd(tmp_path):
    unit = (DEPLOY / "zoo.service").read_text("utf-8")
    (tmp_path / "zoo.service").write_text(unit.replace("/opt/zoo/bin/zoo ", "/bin/true "), "utf-8")
    run("systemd-analyze", "verify", tmp_path / "zoo.service")


def test_the_manifest_of_kubernetes():
    """Its probes, ports and labels are those of the server and of each other."""
    yaml = pytest.importorskip("yaml")
    deployment, service = yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text("utf-8"))
    pod = deployment["spec"]["template"]
    (container,) = pod["spec"]["containers"]
    (port,) = container["ports"]
    assert steps("EXPOSE") == [str(port["containerPort"])] == ["8501"]
    for probe in ("readinessProbe", "livenessProbe"):
        assert container[probe]["httpGet"] == {"path": "/healthz", "port": port["name"]}
    (mount,), (volume,) = container["volumeMounts"], pod["spec"]["volumes"]
    assert mount["mountPath"] in steps("ENTRYPOINT")[0] and mount["name"] == volume["name"]
    own = pod["metadata"]["labels"]
    assert own == deployment["spec"]["selector"]["matchLabels"] == service["spec"]["selector"]
    assert service["spec"]["ports"][0]["targetPort"] == port["name"]


@pytest.mark.slow
def test_node_says_the_same(run_with_onnx, tmp_path):
    if not (shutil.which("node") and shutil.which("npm")):
        pytest.skip("Node is not installed")
    (install,) = re.findall(r"^(npm install .*)", SHIPPING, re.M)
    ended = subprocess.run(shlex.split(install), cwd=tmp_path, capture_output=True, text=True)
    if ended.returncode:
        pytest.skip(f"npm cannot install onnxruntime-node: {ended.stderr[-300:]}")
    (code,) = re.findall(r"```javascript\n(.*?)```", SHIPPING, re.S)
    (tmp_path / "label.mjs").write_text(code, "utf-8")
    shutil.copy(run_with_onnx / "model.onnx", tmp_path)
    texts = [text for text in TEXTS * 10 if "\n" not in text]
    found = run("node", "label.mjs", input="\n".join([*texts, ""]), cwd=tmp_path)
    expected = [one["label"] for one in zoo.load(run_with_onnx).answers_to(texts)]
    assert found.splitlines() == expected
