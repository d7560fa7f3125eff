"""The documentation keeps its promises: links lead somewhere, code runs, pages are listed."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parent.parent
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")])


def anchors(page):
    text = page.read_text(encoding="utf-8")
    explicit = re.findall(r"\{#([\w-]+)\}", text)
    headings = re.findall(r"^#+ (.+?)(?: \{#.*\})?$", text, flags=re.MULTILINE)
    slugs = [re.sub(r"[^\w\- ]", "", h).strip().lower().replace(" ", "-") for h in headings]
    return {*explicit, *slugs}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_every_relative_link_leads_to_a_file_and_a_heading(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in target or not set("./#") & set(target):
            continue  # another site, or a formula such as E[R](A_S)
        name, _, anchor = target.partition("#")
        file = page if not name else (page.parent / name).resolve()
        assert file.exists(), f"{target} does not exist"
        if anchor and file.suffix == ".md":
            assert anchor in anchors(file), f"{target} has no such heading"


def test_every_theory_page_is_listed():
    index = (ROOT / "docs" / "theory" / "index.md").read_text(encoding="utf-8")
    pages = {p.name for p in (ROOT / "docs" / "theory").glob("*.md")} - {"index.md"}
    assert pages == set(re.findall(r"\((\w+\.md)\)", index))


@pytest.mark.parametrize("page", ["README.md", "docs/tutorial.md"])
def test_the_python_code_on_the_page_runs(page, capsys):
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    exec("\n".join(blocks), {})  # noqa: S102 - the page is ours
    assert "With confidence 95%" in capsys.readouterr().out


def test_the_readme_is_short_and_names_the_two_commands():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text.count("\n") < 120
    assert "make demo" in text
    assert "make test" in text
