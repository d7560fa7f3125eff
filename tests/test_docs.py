"""The documentation keeps its promises: links lead somewhere, code runs, pages are listed."""

import pathlib
import re
from dataclasses import fields
from operator import attrgetter

import pytest

import surelearn
from surelearn import Certificate, LedgerEntry, Precondition
from surelearn.report import Candidate, Report

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
    assert pages == set(re.findall(r"\(([\w-]+\.md)\)", index))


def test_every_name_of_the_course_is_one_of_the_library():
    page = (ROOT / "docs" / "syllabus.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ")]
    names = re.findall(r"`([\w.]+)`", "".join(rows))
    assert len(names) > 100
    for name in names:
        assert attrgetter(name)(surelearn) is not None


def test_every_snippet_is_spelt_so_that_it_is_included():
    lines = [line for page in PAGES for line in page.read_text(encoding="utf-8").splitlines()]
    snippets = [line for line in lines if line.startswith("--8")]
    assert snippets
    assert all(re.fullmatch(r'--8<-- "\S+"', line) for line in snippets)


@pytest.mark.parametrize("content", [Certificate, LedgerEntry, Precondition, Report, Candidate])
def test_every_field_of_the_files_is_explained(content):
    page = (ROOT / "docs" / "certificate-file.md").read_text(encoding="utf-8")
    assert all(f"`{field.name}`" in page for field in fields(content))


def test_the_readme_is_short_and_names_the_two_commands():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text.count("\n") < 120
    assert "make demo" in text
    assert "make test" in text
