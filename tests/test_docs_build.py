"""What the build adds to the documentation: the gallery, the benchmarks, the pictures."""

import pathlib
import re

import pytest
from PIL import Image

import gallery
import no_network
import screenshots

ROOT = pathlib.Path(__file__).parent.parent
DOCS = ROOT / "docs"
INDEX = (DOCS / gallery.INDEX).read_text(encoding="utf-8")
EXAMPLES = gallery.read_examples()


def test_every_example_is_in_the_gallery_once_with_its_figure_and_claim():
    filled = gallery.fill(INDEX, EXAMPLES)
    scripts = sorted(path.stem for path in (ROOT / "examples").glob("plot_*.py"))
    assert [f"plot_{example.name}" for example in EXAMPLES] == scripts
    for example in EXAMPLES:
        assert filled.count(f"(../figures/{example.name}.svg)") == 1
        assert filled.count(f"\n    [{example.claim}]({example.name}.md)\n") == 1


def test_every_topic_of_the_gallery_has_a_figure():
    filled = gallery.fill(INDEX, EXAMPLES)
    topics = re.split(r"^## ", filled, flags=re.MULTILINE)[1:]
    assert len(topics) == INDEX.count("\n## ")
    assert all(".svg)" in topic for topic in topics)


def test_every_page_that_a_topic_names_exists():
    pages = [page.relative_to(DOCS) for page in DOCS.rglob("*.md")]
    patterns = " ".join(re.findall(r"<!-- figures of: (.+) -->", INDEX)).split()
    assert [p for p in patterns if not any(page.match(p) for page in pages)] == []


def test_an_example_of_no_topic_is_refused_with_a_sentence():
    example = gallery.Example("a_claim", "A claim", "It shows.", ("nowhere.md",))
    with pytest.raises(ValueError, match=r"examples/plot_a_claim\.py.*shown on: nowhere\.md"):
        gallery.fill(INDEX, [example])


def test_the_page_of_an_example_has_claim_figure_explanation_places_and_source():
    examples = {example.name: example for example in EXAMPLES}
    page = examples["exact_inversion_beats_hoeffding"].page
    assert page.startswith("# Exact inversion of the binomial needs a fraction of the test points")
    assert "](../figures/exact_inversion_beats_hoeffding.svg)" in page
    assert "The figure shows four bounds on the same observed error rate" in page
    assert "[A mean from n observations](../theory/concentration.md)" in page
    assert '--8<-- "examples/plot_exact_inversion_beats_hoeffding.py"' in page


def test_what_an_example_says_below_its_claim_is_its_explanation(tmp_path):
    path = tmp_path / "plot_a_claim.py"
    path.write_text('"""A claim\nin two lines.\n\nWhy.\n"""\ndef figure():\n    """Draw it."""\n')
    example = gallery._read(path, {"a.md": "![](figures/a_claim.svg)", "b.md": ""})
    assert example == ("a_claim", "A claim in two lines", "Why.\n\nThe figure shows it.", ("a.md",))


def test_the_benchmarks_page_includes_all_results_below_their_title():
    page = (DOCS / "benchmarks.md").read_text(encoding="utf-8")
    (first,) = re.findall(r'^--8<-- "benchmarks/RESULTS\.md:(\d+):"$', page, flags=re.MULTILINE)
    lines = (ROOT / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("# ")
    assert not any(lines[1 : int(first) - 1])
    assert not any(line.startswith("# ") for line in lines[1:])
    assert not re.search(r"\]\((?!https?:)", "\n".join(lines)), "a link would lead elsewhere"


@pytest.mark.parametrize("page", ["gallery/index.md", "benchmarks.md"])
def test_what_is_built_can_be_reached(page):
    assert f": {page}\n" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert f"({page})" in (DOCS / "index.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "text",
    [
        '<script src="https://elsewhere.org/a.js"></script>',
        "<link rel=stylesheet href=//elsewhere.org/a.css>",
        '<img alt="a" src="http://elsewhere.org/a.png">',
        '@font-face { src: url("https://elsewhere.org/a.woff2") }',
        "@import 'https://elsewhere.org/a.css';",
    ],
)
def test_what_loads_from_another_host_is_found(text):
    assert no_network.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        '<a href="https://elsewhere.org">a link waits for its reader</a>',
        '<svg xmlns="http://www.w3.org/2000/svg">',
        '<script src="../assets/a.js"></script><img src="a.png">',
        "a { background: url(data:image/png;base64,iVBO) }",
    ],
)
def test_what_stays_at_home_is_left_alone(text):
    assert no_network.loads(text) == []


def test_the_terminal_is_drawn_with_its_colours_and_no_font_from_the_network():
    drawing = screenshots.draw_terminal("\x1b[1;32mvalid\x1b[0m certificate\n")
    assert re.search(r"<text[^>]*>valid</text>", drawing)
    assert "surelearn&#160;demo" in drawing
    assert "font-weight: bold" in drawing
    assert "@font-face" not in drawing
    assert no_network.loads(drawing) == []


def test_the_readme_shows_the_pictures_and_they_are_small():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"docs/screenshots/([\w.]+)", readme))
    assert shown == {path.name for path in screenshots.TARGET.iterdir()}
    assert shown == {"terminal.svg", *(f"{name}.png" for name in screenshots.SCREENS)}
    for name in shown:
        assert (screenshots.TARGET / name).stat().st_size < 250_000
    for name, (width, height) in screenshots.SCREENS.items():
        with Image.open(screenshots.TARGET / f"{name}.png") as picture:
            assert picture.width / picture.height == pytest.approx(width / height, rel=0.01)
    assert no_network.loads((screenshots.TARGET / "terminal.svg").read_text()) == []
