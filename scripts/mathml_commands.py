"""Commands of formulas that take arguments: fractions, accents, alphabets, words, brackets."""

import unicodedata
from html import escape

from mathml_pieces import FENCES, FormulaError, Piece, root
from mathml_reader import COMMANDS, Reader
from mathml_symbols import ACCENTS, ALPHABETS, SYMBOLS

_WIDE = {"widehat", "overline", "widetilde"}
_STYLES = {"frac": "", "dfrac": ' displaystyle="true"', "tfrac": ' displaystyle="false"'}
_TABLES = {
    "aligned": ("", ""),
    "matrix": ("", ""),
    "cases": ("<mo>{</mo>", ""),
    "pmatrix": ("<mo>(</mo>", "<mo>)</mo>"),
}


def _fraction(reader: Reader, name: str) -> Piece:
    style = _STYLES[name]
    return Piece(f"<mfrac{style}>{reader.argument()}{reader.argument()}</mfrac>")


def _binomial(reader: Reader, _: str) -> Piece:
    content = f'<mfrac linethickness="0">{reader.argument()}{reader.argument()}</mfrac>'
    return Piece(f"<mrow><mo>(</mo>{content}<mo>)</mo></mrow>")


def _accent(reader: Reader, name: str) -> Piece:
    mark = f'<mo stretchy="{str(name in _WIDE).lower()}">{ACCENTS[name]}</mo>'
    return Piece(f'<mover accent="true">{reader.argument()}{mark}</mover>')


def _alphabet(reader: Reader, name: str) -> Piece:
    letters = "".join(_styled(ALPHABETS[name], char) for char in reader.take_raw())
    return Piece(f"<mi>{letters}</mi>")


def _styled(alphabet: str, char: str) -> str:
    # "LATIN CAPITAL LETTER E" is "MATHEMATICAL DOUBLE-STRUCK CAPITAL E" there, "DIGIT ONE" stays.
    plain = unicodedata.name(char).removeprefix("LATIN ").replace("LETTER ", "")
    for full in (f"MATHEMATICAL {alphabet} {plain}", f"{alphabet} {plain}"):
        try:
            return unicodedata.lookup(full)
        except KeyError:
            continue
    raise FormulaError(f"there is no {char!r} among {alphabet.lower()} letters.")


def _upright(reader: Reader, name: str) -> Piece:
    text = escape(reader.take_raw()).replace(" ", "\u00a0")
    if name == "text":
        return Piece(f"<mtext>{text}</mtext>")
    return Piece(f'<mi mathvariant="normal">{text}</mi>', function=name == "operatorname")


def _bracket(reader: Reader) -> str:
    part = reader.take()
    if part == r"\|":
        return "‖"
    char = SYMBOLS.get(part[1:], part[1:]) if part.startswith("\\") else part
    if char not in set(FENCES + "./"):
        raise FormulaError(f"{part!r} is no bracket.")
    return char


def _large(reader: Reader, name: str) -> Piece:
    size = "1.6em" if name.startswith("B") else "1.2em"
    form = {"l": ' form="prefix"', "r": ' form="postfix"'}.get(name[-1], "")
    sized = f'{form} stretchy="true" minsize="{size}" maxsize="{size}"'
    return Piece(f"<mo{sized}>{_bracket(reader)}</mo>")


def _stretched(reader: Reader, _: str) -> Piece:
    left = _bracket(reader)
    content = reader.until()
    reader.close(r"\right")
    right = _bracket(reader)
    ends = [
        f'<mo form="{form}" stretchy="true">{char}</mo>' if char != "." else ""
        for form, char in (("prefix", left), ("postfix", right))
    ]
    return Piece(f"<mrow>{ends[0]}{content}{ends[1]}</mrow>")


def _square_root(reader: Reader, _: str) -> Piece:
    degree = ""
    if reader.peek() == "[":
        reader.take()
        degree = reader.until("]")
        reader.close("]")
    return Piece(root(reader.argument(), degree))


def _underbrace(reader: Reader, _: str) -> Piece:
    return Piece(f"<munder>{reader.argument()}<mo>⏟</mo></munder>", limits=True)


def _table(reader: Reader, _: str) -> Piece:
    name = reader.take_raw()
    if name not in _TABLES:
        raise FormulaError(f"there is no environment {name!r}.")
    rows = [[]]
    end = "&"
    while end in {"&", r"\\"}:
        rows[-1].append(f"<mtd>{reader.until()}</mtd>")
        end = reader.take()
        if end == r"\\":
            rows.append([])
    if end != r"\end" or reader.take_raw() != name:
        raise FormulaError(rf"\end{{{name}}} is missing.")
    body = "".join(f"<mtr>{''.join(row)}</mtr>" for row in rows)
    left, right = _TABLES[name]
    return Piece(f'<mrow>{left}<mtable class="{name}">{body}</mtable>{right}</mrow>')


COMMANDS.update(
    dict.fromkeys(_STYLES, _fraction)
    | dict.fromkeys(ACCENTS, _accent)
    | dict.fromkeys(ALPHABETS, _alphabet)
    | dict.fromkeys(("text", "mathrm", "operatorname"), _upright)
    | dict.fromkeys(("bigl", "bigr", "Bigl", "Bigr", "big", "Big"), _large)
    | {"binom": _binomial, "sqrt": _square_root, "left": _stretched, "begin": _table}
    | {"underbrace": _underbrace}
)
