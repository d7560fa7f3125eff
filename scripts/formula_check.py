"""Mathematics that Markdown would spoil, or that was not marked as a formula, fails the build.

Markdown takes `*…*` and `_…_` for emphasis and `{…}` for attributes. So every formula stands
between dollars, and what looks like one elsewhere is a fault.
"""

import re
from collections.abc import Iterator
from typing import Any

from formulas import pieces, typeset
from mathml import FormulaError

_LEFT_ALONE = re.compile(
    r"^ *::: .*\n(?: +\S.*\n?)*"  # what is taken from docstrings
    r"|!\[[^\]]*(?=\])|\]\([^)\s]*\)|</?[a-z][^<>]*>|https?://\S+"  # where a link leads, tags
    r"|\{#[\w-]+\}|\{ [.:\w][^{}]* \}",  # names of headings, attributes of pictures
    re.MULTILINE,
)
_EMPHASIS = re.compile(r"\*\*|^ *[*] |(?<![\w*])\*(?=\S)([^*\n]+)(?<=\S)\*(?![\w*(])", re.MULTILINE)
_SYMBOL = (
    r"\u0370-\u03ff\u2200-\u220d\u220f-\u22ff⟨⟩⌈⌉⌊⌋√∛‖ℓℝ½¼¾⅛±²³¹ᵀᵢⱼ𝓜𝒲𝒦"  # letters, operators, not ∎
    r"\u0302-\u0304\u2070-\u209c"  # hats and bars, what is raised or lowered
)
_MATHEMATICS = re.compile(rf"[{_SYMBOL}*{{}}]|\w[_^][\w(]|(?<=[^\s>|]\s)[<=>](?=\s)")
_RENDERED = re.compile(rf"<em [^>]+>|<em>[^<]*[{_SYMBOL}=][^<]*</em>|[\w)]<em>|</em>[\w(]|\$")
_DESCRIBED = re.compile(r"\A# .*\$.*|!\[[^\]]*\$[^\]]*\]|^    .*\$.+\$.*$", re.MULTILINE)
_NOT_TEXT = re.compile(r"<(pre|code|script|style|math|svg)\b.*?</\1>", re.DOTALL)


def faults(page: str) -> Iterator[str]:
    """Yield what is wrong with the mathematics of a page, a sentence each.

    >>> list(faults("It is at most $2R^*(1 − R^*)$."))
    []
    >>> list(faults("It is at most 2R*(1 − R*)."))
    ["Mathematics outside of $…$: 'It is at most 2R*(1 − R*).'"]
    """
    if found := _DESCRIBED.search(page):
        yield f"A formula in the description of a picture, a title or code: {found[0]!r}"
    text = []
    for piece in pieces(page):
        if piece.kind in {"inline", "display"}:
            try:
                typeset(piece)
            except FormulaError as error:
                yield str(error)
        elif piece.kind == "stray":
            yield r"A $ begins no formula; one that means a dollar is written \$."
        text.append(piece.content if piece.kind == "text" else "\u00a0")
    plain = _EMPHASIS.sub(r"\1", _LEFT_ALONE.sub("\u00a0", "".join(text)))
    for line in plain.splitlines():
        if found := _MATHEMATICS.search(line):
            around = line[max(0, found.start() - 20) : found.end() + 20].strip()
            yield f"Mathematics outside of $…$: {around!r}"


def rendered_faults(html: str) -> Iterator[str]:
    """Yield emphasis that was part of a formula, and dollars that were left over.

    >>> list(rendered_faults("<p>at most 2R<em>(1 − R</em>)</p>"))
    ["Emphasis or a dollar inside a formula: 'p>at most 2R<em>(1 − R</em>)</p>'"]
    """
    for found in _RENDERED.finditer(_NOT_TEXT.sub("", html)):
        around = found.string[max(0, found.start() - 10) : found.end() + 15]
        yield f"Emphasis or a dollar inside a formula: {around.strip()!r}"


def on_page_markdown(markdown: str, page: Any, **_: Any) -> None:
    """Refuse a page with faults (called by MkDocs)."""
    _refuse(page, faults(markdown))


def on_page_content(html: str, page: Any, **_: Any) -> None:
    """Refuse a page that was rendered with faults, docstrings too (called by MkDocs)."""
    _refuse(page, rendered_faults(html))


def _refuse(page: Any, found: Iterator[str]) -> None:
    for fault in found:
        raise ValueError(f"docs/{page.file.src_uri}: {fault}")
