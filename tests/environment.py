"""The tests' own environment: imported first, before anything reads that of the user.

No test sees what the user has: neither the home folder, nor settings in the environment, nor (by a
fixture) ``runs/`` of the working folder. Only real corpora are read where they lie.
"""

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# Under another name, as workers of pytest-xdist inherit what is left of the environment.
REAL_DATA = os.environ.setdefault("REAL_DATA_OF_TESTS", os.environ.get("ZOO_DATA_DIR", ""))
os.environ.setdefault("MPLCONFIGDIR", str(Path("~/.cache/matplotlib").expanduser()))  # slow to make
for name in list(os.environ):
    if name.startswith(("ZOO_", "KERAS_", "TFDS_", "XDG_")):
        del os.environ[name]
HOME = Path(tempfile.mkdtemp(prefix="zoo-tests-"))
atexit.register(shutil.rmtree, HOME, ignore_errors=True)
if backend := os.environ.get("BACKEND_OF_TESTS"):
    os.environ["KERAS_BACKEND"] = backend
os.environ |= {"HOME": str(HOME), "KERAS_HOME": str(HOME / ".keras")}
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


def on_jax(*command):
    """Runs Python, or pytest by it, with Keras on JAX, which is chosen at import."""
    jax = {"KERAS_BACKEND": "jax", "BACKEND_OF_TESTS": "jax"}
    fast = {"XLA_FLAGS": "--xla_backend_optimization_level=0"}  # compiles in half the time
    result = subprocess.run(
        [sys.executable, "-W", "ignore", *command],
        env=os.environ | jax | fast,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, (result.stdout + result.stderr)[-5000:]
