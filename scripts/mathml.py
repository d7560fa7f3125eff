"""Formulas as MathML, which browsers draw by themselves: no script, no font, no network.

The source is LaTeX in which Unicode symbols may stand for their commands, so that `≤`, `δ`, `√(x)`
and `x₁²` read well in a terminal. Anything unknown or unbalanced is refused with a sentence.
"""

from functools import cache

import mathml_commands  # noqa: F401 - registers the commands
from mathml_reader import FormulaError, Reader

__all__ = ["FormulaError", "to_mathml"]


@cache
def to_mathml(source: str, *, display: bool = False) -> str:
    """Return the formula as a `math` element; what cannot be read is refused.

    >>> to_mathml("n ≤ 2")
    '<math><mrow><mi>n</mi><mo>≤</mo><mn>2</mn></mrow></math>'
    """
    try:
        content = Reader(source).whole()
    except FormulaError as error:
        raise FormulaError(f"The formula {source.strip()!r} cannot be typeset: {error}") from None
    block = ' display="block"' if display else ""
    return f"<math{block}>{content}</math>"
