"""The gallery of the documentation, written by the build from `examples/plot_*.py`.

`docs/gallery/index.md` has the topics; the comment below each heading names the pages whose figures
belong to it. The build puts the figures there and gives every example a page of its own.
"""

import ast
import re
from collections.abc import Iterable
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
INDEX = "gallery/index.md"
_TOPIC = re.compile(r"<!-- figures of: (.+) -->")


class Example(NamedTuple):
    """One file of `examples`: what it claims, how it shows that, and which pages quote it."""

    name: str
    claim: str
    explanation: str
    pages: tuple[str, ...]

    @property
    def card(self) -> str:
        """Its figure and its claim, both leading to its page."""
        picture = f"![{self.claim}](../figures/{self.name}.svg){{ loading=lazy }}"
        return f"-   [{picture}]({self.name}.md)\n\n    [{self.claim}]({self.name}.md)\n"

    @property
    def page(self) -> str:
        """Its figure, its explanation, the pages that show it, and its source."""
        shown = ", ".join(f"[{_title(page)}](../{page})" for page in self.pages)
        script = f"examples/plot_{self.name}.py"
        return (
            f"# {self.claim}\n\n![{self.claim}](../figures/{self.name}.svg)\n\n"
            f"{self.explanation}\n\nShown in: {shown}. All figures: [gallery](index.md).\n\n"
            f'```python title="{script}"\n--8<-- "{script}"\n```\n'
        )


def read_examples() -> list[Example]:
    """Read all examples without running them: `make figures` has done that."""
    texts = {
        path.relative_to(DOCS).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(DOCS.rglob("*.md"))
    }
    return [_read(path, texts) for path in sorted((ROOT / "examples").glob("plot_*.py"))]


def fill(index: str, examples: Iterable[Example]) -> str:
    """Return the index with the figures of each topic in the place of its comment.

    An example goes to the first topic that names a page which shows it.
    """
    left = list(examples)

    def cards(topic: re.Match[str]) -> str:
        here = [example for example in left if _belongs(example, topic[1].split())]
        left[:] = [example for example in left if example not in here]
        grid = "\n".join(example.card for example in here)
        return f'<div class="grid cards" markdown>\n\n{grid}\n</div>'

    filled = _TOPIC.sub(cards, index)
    if left:
        raise ValueError(
            f"No topic of docs/{INDEX} has examples/plot_{left[0].name}.py. Show its figure on a "
            f"page and name that page below a topic; it is shown on: {', '.join(left[0].pages)}."
        )
    return filled


def on_files(files: Any, config: Any) -> Any:
    """Add the pages of the examples (called by MkDocs)."""
    from mkdocs.structure.files import File  # noqa: PLC0415 - the tests run without MkDocs

    for example in read_examples():
        files.append(File.generated(config, f"gallery/{example.name}.md", content=example.page))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Fill the index (called by MkDocs)."""
    return fill(markdown, read_examples()) if page.file.src_uri == INDEX else markdown


def _read(path: Path, texts: dict[str, str]) -> Example:
    module = ast.parse(path.read_text(encoding="utf-8"))
    drawn = next(f for f in module.body if isinstance(f, ast.FunctionDef) and f.name == "figure")
    claim, _, more = (ast.get_docstring(module) or "").partition("\n\n")
    shows = (ast.get_docstring(drawn) or "").replace("Draw ", "The figure shows ", 1)
    name = path.stem.removeprefix("plot_")
    return Example(
        name=name,
        claim=" ".join(claim.split()).removesuffix("."),
        explanation=f"{more}\n\n{shows}".strip(),
        pages=tuple(page for page, text in texts.items() if f"figures/{name}.svg" in text),
    )


def _belongs(example: Example, patterns: list[str]) -> bool:
    return any(fnmatch(page, pattern) for page in example.pages for pattern in patterns)


def _title(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
