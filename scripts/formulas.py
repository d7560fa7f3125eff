r"""Formulas of the documentation: `$…$` in a line, `$$…$$` on a line of its own.

They are typeset by the build, in pages and in docstrings alike, before Markdown sees them: a star,
an underscore, a brace or a bar within a formula means what it means in mathematics. A dollar that
begins no formula is written `\$`.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from mathml import to_mathml

STYLE = "stylesheets/formulas.css"
_PIECES = re.compile(
    r"""
    (?P<block>^(?P<fence>[ ]*(?:`{3,}|~{3,}))[^\n]*\n.*?^(?P=fence)[ ]*$)
    |(?P<code>(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`))
    |(?P<comment><!--.*?-->)
    |(?P<escaped>\\\$)
    |\$\$(?P<display>[^$]+?)\$\$
    |\$(?P<inline>(?:[^$\n]|\n(?![ ]*\n))+?)\$   # within one paragraph
    |(?P<stray>\$)
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_AFTER = re.compile(r"(?:-(?:th|st|nd|rd)\b)?[).,;:!?]+|-(?:th|st|nd|rd)\b")  # belong to it


class Piece(NamedTuple):
    """A part of a page: what it is, its source, and the formula or code without its marks."""

    kind: str
    source: str
    content: str


def pieces(page: str) -> Iterator[Piece]:
    """Divide Markdown into text, code and formulas, in order.

    >>> [piece.kind for piece in pieces("If $n ≤ 2$ call `f(n)`.")]
    ['text', 'inline', 'text', 'code', 'text']
    """
    at = 0
    for match in _PIECES.finditer(page):
        if match.start() > at:
            yield Piece("text", page[at : match.start()], page[at : match.start()])
        kind = next(k for k, found in match.groupdict().items() if found)
        yield Piece(kind, match[0], match[kind])
        at = match.end()
    if at < len(page):
        yield Piece("text", page[at:], page[at:])


def typeset(piece: Piece) -> str:
    """Return the element that shows a formula; one on a line of its own scrolls if it is wide.

    >>> typeset(Piece("inline", "$n$", "n"))
    '<math><mrow><mi>n</mi></mrow></math>'
    """
    if piece.kind == "display":
        return f'<span class="formula">{to_mathml(piece.content, display=True)}</span>'
    return to_mathml(piece.content)


def whole(formula: str, before: str, after: str) -> str:
    """Return a formula with its brackets and stops, which never stand on another line alone.

    >>> whole("<math>n</math>", "(", "),")
    '<span class="whole">(<math>n</math>),</span>'
    """
    if not before + after:
        return formula
    first, *middle = formula.split("<wbr/>")
    if not middle:
        return f'<span class="whole">{before}{first}{after}</span>'
    *middle, last = middle
    ends = (f'<span class="whole">{end}</span>' for end in (before + first, last + after))
    # Within a span: of a paragraph that begins with `math` Markdown would make no paragraph.
    return f"<span>{'<wbr/>'.join([next(ends), *middle, next(ends)])}</span>"


def on_config(config: Any) -> Any:
    """Let Markdown know formulas (called by MkDocs)."""
    config.markdown_extensions.append(_extension())
    config.extra_css.append(STYLE)
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the style of formulas (called by MkDocs)."""
    from mkdocs.structure.files import File  # noqa: PLC0415 - the tests run without MkDocs

    style = (Path(__file__).parent / "formulas.css").read_text(encoding="utf-8")
    files.append(File.generated(config, STYLE, content=style))
    return files


def _stops(piece: Piece, following: Piece) -> str:
    """Return what of the text behind a formula belongs on its line."""
    found = _AFTER.match(following.source) if following.kind == "text" else None
    return found[0] if piece.kind == "inline" and found else ""


def _extension() -> Any:
    from markdown.extensions import Extension  # noqa: PLC0415 - the tests run without Markdown
    from markdown.preprocessors import Preprocessor  # noqa: PLC0415

    class Formulas(Preprocessor):
        """Puts formulas into the stash of finished HTML."""

        def run(self, lines: list[str]) -> list[str]:
            shown: list[str] = []
            after = ""  # stops that were put to the formula before them
            found = list(pieces("\n".join(lines)))
            for piece, following in zip(found, [*found[1:], Piece("text", "", "")], strict=True):
                text = piece.source.removeprefix(after) if piece.kind == "text" else piece.source
                after = _stops(piece, following)
                before = "(" if piece.kind == "inline" and shown and shown[-1][-1:] == "(" else ""
                if before:
                    shown[-1] = shown[-1][:-1]
                shown.append(self._shown(piece, before, after) or text)
            return "".join(shown).split("\n")

        def _shown(self, piece: Piece, before: str, after: str) -> str:
            if piece.kind == "escaped":  # as an entity: a bare dollar is a formula gone wrong
                return self.md.htmlStash.store("&#36;")
            if piece.kind in {"inline", "display"}:
                return self.md.htmlStash.store(whole(typeset(piece), before, after))
            return ""

    class FormulaExtension(Extension):
        """Formulas between dollars."""

        def extendMarkdown(self, md: Any) -> None:  # noqa: N802 - Markdown calls it so
            # After blocks of code (25) were put away, before HTML (20) is looked for.
            md.preprocessors.register(Formulas(md), "formulas", 22)

    return FormulaExtension()
