"""Every example draws its figure, and the documentation shows it."""

import pathlib
import runpy

import pytest

ROOT = pathlib.Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("plot_*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_it_draws_a_figure_whose_title_is_its_claim(path):
    module = runpy.run_path(str(path))
    claim = module["__doc__"].partition("\n\n")[0].strip().rstrip(".")
    assert " ".join(module["figure"]().get_suptitle().split()) == " ".join(claim.split())


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_its_figure_is_kept_and_shown(path):
    name = path.stem.removeprefix("plot_") + ".svg"
    assert (ROOT / "docs" / "figures" / name).exists()
    pages = (page.read_text(encoding="utf-8") for page in (ROOT / "docs").rglob("*.md"))
    assert any(f"figures/{name}" in page for page in pages)


def test_every_figure_has_its_example():
    drawn = {path.stem.removeprefix("plot_") for path in EXAMPLES}
    assert {path.stem for path in (ROOT / "docs" / "figures").iterdir()} == drawn
