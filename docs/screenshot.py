"""The picture of a page that ``zoo explain`` writes: ``python -m docs.screenshot [RUN]``.

Without a run, ``hcan`` is trained on the built-in reviews. Chromium draws the page, and has to be
installed.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

import zoo

PICTURE = Path(__file__).parent / "pictures" / "explained.png"
SIZE = 900, 900  # pixels
COLORS = 64  # enough for text on shades of two colours, in a third of the bytes


def main(run: str | None = None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        run = run or zoo.train("hcan", "sample", output=folder)
        page = Path(folder, "explained.html")
        subprocess.run([sys.executable, "-m", "zoo", "explain", run, "--page", page], check=True)
        command = ["chromium", "--headless", "--no-sandbox", "--hide-scrollbars"]
        size = f"--window-size={','.join(map(str, SIZE))}"
        subprocess.run([*command, size, f"--screenshot={PICTURE}", page.as_uri()], check=True)
    Image.open(PICTURE).convert("RGB").quantize(COLORS).save(PICTURE, optimize=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
