"""Parts of formulas as MathML, and the spaces between them."""

import re
import unicodedata
from html import escape
from typing import NamedTuple

BIG = frozenset("∑∏⋃⋂")
OPENING, CLOSING = "([⟨⌊⌈", ")]⟩⌋⌉"
FENCES = OPENING + CLOSING + "|‖{}"
CUT = frozenset("=≤≥<>≠≈∈∉⊂⊆+−·/×∝∼∪∩")  # something must follow these
WORD_SPACE = "<mtext>\u00a0</mtext>"
_RELATIONS = frozenset(f"<mo>{char}</mo>" for char in (*"=≤≥≠≈∈∝∼→⇒⇔", "&lt;", "&gt;"))
_SIGNS = frozenset({"<mo>+</mo>", "<mo>−</mo>"})
_BEFORE_A_SIGN = frozenset({",", ";", ":", "·", "/", "×", "{", "←", "↦"})
_SHORT_TERM = 6  # parts that need no break before what is added to them
_OPEN, _CLOSED = (f'form="{form}" stretchy="false"' for form in ("prefix", "postfix"))
THIN_SPACE = '<mspace width="0.167em"></mspace>'


class FormulaError(ValueError):
    """A formula that cannot be typeset, and why."""


class Piece(NamedTuple):
    """A part of a formula that can carry subscripts and superscripts."""

    mathml: str
    limits: bool = False  # scripts go below and above, as those of a sum
    function: bool = False  # a space separates it from its argument


def operator(char: str) -> str:
    """Return an operator or a bracket that keeps its size."""
    if char in OPENING + CLOSING:
        form = "prefix" if char in OPENING else "postfix"
        return f'<mo form="{form}" stretchy="false">{char}</mo>'
    if char in FENCES:
        return f'<mo lspace="0" rspace="0" stretchy="false">{char}</mo>'
    return f"<mo>{escape(char)}</mo>"


def root(content: str, degree: str = "") -> str:
    """Return a root."""
    return f"<mroot>{content}{degree}</mroot>" if degree else f"<msqrt>{content}</msqrt>"


def space_between(left: str, right: str, *, spaced: bool) -> str:
    """Return the space between two parts: operators have their own, words and functions do not."""
    if left.endswith("</mo>") and "postfix" not in left:
        return ""
    if re.match(r"<mi>[A-Za-z]{2}", right):  # 2 ln x
        return THIN_SPACE
    word = left.endswith("</mtext>") or right.startswith("<mtext>")
    has_space = left.endswith("\u00a0</mtext>") or right.startswith("<mtext>\u00a0")
    operator_after = right.startswith("<mo") and "prefix" not in right
    return WORD_SPACE if word and spaced and not (operator_after or has_space) else ""


def signed(left: str, part: str) -> str:
    """Return a plus or minus as the sign of what follows, if nothing before it can be added to."""
    bare = re.sub("<[^>]*>", "", left) if left.endswith("</mo>") else ""
    begins = left in _RELATIONS or 'form="prefix"' in left or bare in _BEFORE_A_SIGN
    return (
        part.replace("<mo>", '<mo form="prefix">')
        if part in _SIGNS | {"<mo>±</mo>"} and begins
        else part
    )


def lines(parts: list[str]) -> list[str]:
    """Divide a long formula outside of brackets, before relations and signs, for lines to break."""
    found: list[list[str]] = [[]]
    depth = 0
    for part in parts:
        is_term = part in _SIGNS and len(found[-1]) > _SHORT_TERM
        if depth == 0 and found[-1] and (part in _RELATIONS or is_term):
            found.append([])
        # A sign at the beginning would be taken for that of a number, and stand too close.
        found[-1].append(part.replace("<mo>", '<mo form="infix">') if is_term else part)
        depth += part.count(_OPEN) - part.count(_CLOSED)
    return [f"<mrow>{''.join(line)}</mrow>" for line in found]


def decomposed(source: str) -> str:
    """Return a formula with accents as characters of their own, sums and products as operators."""
    # Letters only: ≠ would become = and a stroke.
    letters = (unicodedata.normalize("NFD", c) if c.isalpha() else c for c in source)
    return "".join(letters).replace("µ", "μ").replace("Σ", "∑").replace("Π", "∏")


def raised_or_lowered(part: str) -> str:
    """Return the kind of characters such as ² and ₁, nothing for others."""
    kind = unicodedata.decomposition(part).partition(" ")[0] if len(part) == 1 else ""
    return kind if kind in {"<super>", "<sub>"} else ""


def row(parts: list[str]) -> str:
    """Return the parts as one."""
    return parts[0] if len(parts) == 1 else f"<mrow>{''.join(parts)}</mrow>"
