"""Formulas as MathML, which browsers draw by themselves: no script, no font, no network.

The source is LaTeX in which Unicode symbols may stand for their commands, so that `≤`, `δ`, `√(x)`
and `x₁²` read well in a terminal. Anything unknown or unbalanced is refused with a sentence.
"""

from functools import cache

import mathml_commands  # noqa: F401 - registers the commands
from mathml_pieces import FormulaError, lines
from mathml_reader import Reader

__all__ = ["FormulaError", "to_mathml"]


_SHORT = 12  # parts that are kept on one line


@cache
def to_mathml(source: str, *, display: bool = False) -> str:
    """Return the formula as a `math` element, or several: a line may break between them.

    What cannot be read is refused.

    >>> to_mathml("n ≤ 2")
    '<math><mrow><mi>n</mi><mo>≤</mo><mn>2</mn></mrow></math>'
    """
    try:
        parts = Reader(source).whole()
    except FormulaError as error:
        raise FormulaError(f"The formula {source.strip()!r} cannot be typeset: {error}") from None
    if display:
        return f'<math display="block"><mrow>{"".join(parts)}</mrow></math>'
    rows = lines(parts) if len(parts) > _SHORT else [f"<mrow>{''.join(parts)}</mrow>"]
    return "<wbr/>".join(f"<math>{content}</math>" for content in rows)
