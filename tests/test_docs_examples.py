"""The examples of the documentation run, and print what the pages say they print.

On each page the `python` blocks are run in order in one namespace, in an empty folder. A `text`
block right after one is what it prints; an error that is shown there is expected. On pages that
show the command line, `surelearn` commands in `sh` blocks are run too. "..." stands for anything.
"""

import contextlib
import doctest
import io
import pathlib
import re
import shlex
from functools import partial

import matplotlib as mpl
import pytest
from typer.testing import CliRunner

from surelearn.cli import app

ROOT = pathlib.Path(__file__).parent.parent
PAGES = [
    "README.md",
    "docs/tutorial.md",
    "docs/coming-from-scikit-learn.md",
    "docs/coming-from-river.md",
    "docs/syllabus.md",
    "docs/theory/how-the-bounds-compare.md",
    "docs/model-file.md",
    "docs/certificate-file.md",
    "docs/learners/how-to-choose.md",
    *(str(page.relative_to(ROOT)) for page in sorted((ROOT / "docs/how-to").glob("*.md"))),
]
# Commands there read a table of the reader's own.
WITHOUT_COMMANDS = {
    "README.md",
    "docs/coming-from-scikit-learn.md",
    "docs/how-to/certify-a-table.md",
    "docs/model-file.md",
}
SLOW = {"docs/how-to/from-a-laptop-to-a-cluster.md"}  # it starts processes and clusters of its own
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$(?:\s*^```text\n(.*?)^```$)?", re.DOTALL | re.MULTILINE)


def examples(page):
    """Return the blocks of a page that can be run: language, code, what it should print."""
    found = FENCE.findall((ROOT / page).read_text(encoding="utf-8"))
    wanted = {"python"} if page in WITHOUT_COMMANDS else {"python", "sh"}
    return [block for block in found if block[0] in wanted]


def printed_by_python(code, names, *, may_fail):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        try:
            exec(code, names)  # noqa: S102 - the page is ours
        except Exception as error:
            if not may_fail:
                raise
            out.write(f"{type(error).__name__}: {error}")
    return out.getvalue()


def printed_by_commands(code):
    lines = code.replace("\\\n", "").splitlines()
    assert all(line.startswith("surelearn ") for line in lines), code
    run = partial(CliRunner().invoke, app, catch_exceptions=False)
    return "".join(run(shlex.split(line)[1:]).output for line in lines)


def check(shown, printed):
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.OutputChecker().check_output(shown, printed, options), (
        f"the page shows\n{shown}\nbut this was printed:\n{printed}"
    )


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=pytest.mark.slow if page in SLOW else ())
        for page in PAGES
        if examples(page)
    ],
)
def test_the_examples_of_a_page_print_what_it_shows(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    names = {"__name__": "a_page"}
    with mpl.rc_context({"backend": "agg"}):
        for language, code, shown in examples(page):
            if language == "python":
                printed = printed_by_python(code, names, may_fail=bool(shown))
            else:
                printed = printed_by_commands(code)
            if shown:
                check(shown, printed)
