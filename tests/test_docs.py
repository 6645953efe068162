"""The site builds: no broken link, no missing reference, and no other address."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    for package in ("mkdocs", "material", "mkdocstrings", "latex2mathml"):
        pytest.importorskip(package, reason="the site needs attention-zoo[docs]")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return folder


@pytest.mark.long
def test_pages_ask_for_nothing_elsewhere(site):
    """Not one style, script, font or picture is of another address."""
    pages = list(site.rglob("*.html"))
    assert len(pages) > 50
    loaded = re.compile(
        r"""<(?:script|img|source|iframe)[^>]+src=["']?(?:https?:)?//|"""
        r"""<link[^>]+rel=["']?(?:stylesheet|preconnect)[^>]+(?:https?:)?//"""
    )
    assert not [page for page in pages if loaded.search(page.read_text("utf-8"))]


@pytest.mark.long
def test_what_hooks_make_is_in_the_pages(site):
    page = (site / "models" / "hcan.html").read_text("utf-8")
    assert "<svg" in page and "<math" in page and ">li2021<" not in page and ">gao2018<" in page
    assert "KEPT" not in page and "<!-- rows" not in page
