"""Every example draws its figure, and the documentation shows it."""

import pathlib
import runpy

import pytest

ROOT = pathlib.Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("plot_*.py"))
SLOW = {  # simulations of seconds; `make figures` draws them, too
    "plot_a_consistent_learner_overtakes_an_inconsistent_one",
    "plot_a_forests_variance_falls_with_its_size_and_its_bias_does_not",
    "plot_a_price_on_the_weights_trades_variance_for_bias",
}
FIGURES = ROOT / "docs" / "figures"


def words_of(figure):
    """Return what labels and legends say: a figure that is kept says it too, or it is of old."""
    texts = []
    for ax in figure.axes:
        legend = ax.get_legend()
        texts += [ax.xaxis.label, ax.yaxis.label, *(legend.get_texts() if legend else ())]
    return [text.get_text() for text in texts if text.get_visible() and text.get_text()]


@pytest.mark.parametrize(
    "path",
    [pytest.param(p, marks=pytest.mark.slow if p.stem in SLOW else ()) for p in EXAMPLES],
    ids=lambda p: p.stem,
)
def test_it_draws_a_figure_whose_title_is_its_claim(path):
    module = runpy.run_path(str(path))
    claim = module["__doc__"].partition("\n\n")[0].strip().rstrip(".")
    figure = module["figure"]()
    assert " ".join(figure.get_suptitle().split()) == " ".join(claim.split())
    kept = (FIGURES / (path.stem.removeprefix("plot_") + ".svg")).read_text(encoding="utf-8")
    assert [words for words in words_of(figure) if f"<!-- {words} -->" not in kept] == []


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_its_figure_is_kept_and_shown(path):
    name = path.stem.removeprefix("plot_") + ".svg"
    assert (FIGURES / name).exists()
    pages = (page.read_text(encoding="utf-8") for page in (ROOT / "docs").rglob("*.md"))
    assert any(f"figures/{name}" in page for page in pages)


def test_every_figure_has_its_example():
    drawn = {path.stem.removeprefix("plot_") for path in EXAMPLES}
    assert {path.stem for path in FIGURES.iterdir()} == drawn
