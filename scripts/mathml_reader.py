"""Reading a formula from left to right: symbols, subscripts, superscripts, roots.

Commands that take arguments are registered by `mathml_commands`.
"""

import re
import unicodedata
from collections.abc import Callable

from mathml_pieces import (
    BIG,
    CLOSING,
    CUT,
    OPENING,
    THIN_SPACE,
    FormulaError,
    Piece,
    decomposed,
    operator,
    raised_or_lowered,
    root,
    row,
    signed,
    space_between,
)
from mathml_symbols import COMBINING, FUNCTIONS, LIMITS, SPACES, SYMBOLS

_LETTERS = re.compile(r"[^\W\d_]|[ℓ∂∇∞∅⊤⊥∎ℏ]")
_OF_SOMETHING = LIMITS | {"ln", "log", "exp", "cos", "sin"}
_ENDS = frozenset({"}", r"\right", r"\end", "&", r"\\"})
_TOKEN = re.compile(
    r"\\[a-zA-Z]+|\\.|\d{1,3}(?:,\d{3})+(?!\d)|\d*\.\d+|\d+|[a-zA-Z]{2,}|\s+|.", re.DOTALL
)


class Reader:
    """Reads tokens; every method leaves its own tokens behind."""

    def __init__(self, source: str) -> None:
        self._tokens: list[str] = _TOKEN.findall(decomposed(source))
        self._at = 0

    def whole(self) -> list[str]:
        """Return the parts of all of the formula."""
        self._check_ends()
        parts = self.parts()
        if self.peek():
            raise FormulaError(f"{self.peek()!r} closes nothing.")
        if not parts:
            raise FormulaError("it is empty.")
        return parts

    def _check_ends(self) -> None:
        visible = [part for part in self._tokens if not part.isspace()]
        if len(visible) > 1 and visible[-1] in CUT and visible[-2] not in {"_", "^"}:
            raise FormulaError(f"it is cut off after {visible[-1]!r}.")
        if len(visible) > 1 and visible[-1].lstrip("\\") in _OF_SOMETHING:
            raise FormulaError(f"what {visible[-1]!r} is of stands outside.")
        if visible[:1] == ["·"] and len(visible) > 1:
            raise FormulaError("a point before a formula belongs outside.")
        # [0, 1) is an interval: which bracket closes does not matter, but one must.
        depth = 0
        for part in self._tokens:
            depth += (part in OPENING) - (part in CLOSING)
            if depth < 0:
                break
        if depth:
            raise FormulaError("its brackets do not match.")

    def peek(self, ahead: int = 0) -> str:
        """Return a part without taking it, or nothing at the end."""
        at = self._at + ahead
        return self._tokens[at] if at < len(self._tokens) else ""

    def skip(self, *, spaces_only: bool = True) -> str:
        """Pass over spaces, or over the part that comes; return what was passed."""
        start = self._at
        while self.peek().isspace():
            self._at += 1
        if not spaces_only:
            if not self.peek():
                raise FormulaError("it ends where more is expected.")
            self._at += 1
            return self._tokens[self._at - 1]
        return "".join(self._tokens[start : self._at])

    def take(self) -> str:
        """Return the next part that is no space."""
        return self.skip(spaces_only=False)

    def take_raw(self) -> str:
        """Return what stands between braces as it is."""
        self.close("{")
        start = self._at
        while self.peek() != "}":
            if self.peek() in {"", "{"}:
                raise FormulaError("'}' is missing.")
            self._at += 1
        self._at += 1
        return "".join(self._tokens[start : self._at - 1]).replace("∑", "Σ").replace("∏", "Π")

    def close(self, end: str) -> None:
        """Take a part that must come now."""
        self.skip()
        if self.peek() != end:
            before = f" before {self.peek()!r}" if self.peek() else ""
            raise FormulaError(f"{end!r} is missing{before}.")
        self._at += 1

    def until(self, *ends: str) -> str:
        """Return all that comes before one of the ends, or before something that closes a group."""
        return row(self.parts(*ends))

    def parts(self, *ends: str) -> list[str]:
        """Return the parts of what comes before an end, with the spaces between them."""
        found: list[str] = []
        depth = 0  # ")" ends a root only if no bracket was opened within it
        while True:
            spaced = self.skip()
            if self.peek() in {"", *_ENDS} or (self.peek() in ends and not depth):
                return found
            depth += (self.peek() == "(") - (self.peek() == ")")
            if spaced and self.peek() == "|" and self.peek(1).isspace():
                self._tokens[self._at] = "∣"  # "given that", not an absolute value
            part = self._scripted()
            part = signed(found[-1], part) if found else part
            space = space_between(found[-1], part, spaced=bool(spaced)) if found else ""
            found += [space, part] if space else [part]

    def argument(self) -> str:
        """Return what belongs to a command, a subscript or a superscript: a group, or one token."""
        part = self.take()
        if part == "{":
            content = self.until()
            self.close("}")
            return content
        if part in OPENING:  # it would be raised or lowered alone
            raise FormulaError(f"what begins with {part!r} belongs into braces there.")
        if len(part) > 1 and part.isalnum():  # x^12 is x to the one, then two
            self._tokens[self._at : self._at] = list(part[1:])
            part = part[0]
        return self.atom(part).mathml

    def atom(self, part: str) -> Piece:
        """Return what starts with this part, without its scripts."""
        if part == "{":  # it would vanish, and a set would lose its braces
            raise FormulaError(r"a brace that belongs to no command is written \{ or \}.")
        if part.startswith("\\"):
            return self._command(part[1:])
        if part[-1].isdigit() or unicodedata.category(part[0]) == "No":
            return Piece(f"<mn>{part}</mn>")
        if len(part) > 1:
            return self._word(part)
        return Piece(self._root(part)) if part in "√∛" else self.symbol(part)

    def symbol(self, char: str) -> Piece:
        """Return one letter, with its accents, or one operator."""
        if char in '*_^#%$~"`}&':
            hint = " A product is ·, a star is ^*." if char == "*" else ""
            raise FormulaError(f"{char!r} has no meaning there.{hint}")
        if char in BIG:
            return Piece(f"<mo>{char}</mo>", limits=True)
        if _LETTERS.fullmatch(char):
            return Piece(self._accented(f"<mi>{char}</mi>"))
        if not char.isascii() and unicodedata.category(char) not in {"Sm", "Po", "So", "Ps", "Pe"}:
            raise FormulaError(f"{char!r} is not a mathematical symbol.")
        return Piece(operator("−" if char == "-" else char))

    def _word(self, word: str) -> Piece:
        if word in LIMITS:
            style = 'movablelimits="true" form="prefix" lspace="0.167em" rspace="0"'
            mathml = f"<mo {style}>{word}</mo>"
            return Piece(mathml, limits=True, function=True)
        if word in FUNCTIONS:
            return Piece(f"<mi>{word}</mi>", function=True)
        if len(word) > 3:
            raise FormulaError(rf"write the word {word!r} as \text{{{word}}}.")
        self._tokens[self._at : self._at] = list(word[1:])
        return self.symbol(word[0])

    def _scripted(self) -> str:
        piece = self.atom(self.take())
        below, above = self._scripts()
        names = "munder mover munderover" if piece.limits else "msub msup msubsup"
        tag = names.split()[2 if below and above else 0 if below else 1]
        mathml = piece.mathml
        if below or above:
            mathml = f"<{tag}>{mathml}{below}{above}</{tag}>"
        if piece.function:
            self.skip()
            following = self.peek()[:1]
            mathml += THIN_SPACE if following.isalnum() or following in {*r"\√|‖"} else ""
        return mathml

    def _scripts(self) -> tuple[str, str]:
        below: list[str] = []
        above: list[str] = []
        signs: list[str] = []
        while True:
            part = self.peek()
            if part in {"'", "′", "″"}:
                self._at += 1
                above.append(f"<mo>{'″' if part == '″' else '′'}</mo>")
            elif part in {"^", "_"}:
                self._at += 1
                signs.append(part)
                (above if part == "^" else below).append(self._script(part))
            elif kind := raised_or_lowered(part):
                signs.append("^" if kind == "<super>" else "_")
                (above if kind == "<super>" else below).append(self._run(kind))
            else:
                break
        if len(set(signs)) < len(signs):
            raise FormulaError("there are two subscripts or two superscripts; use braces.")
        return row(below) if below else "", row(above) if above else ""

    def _script(self, sign: str) -> str:
        star = next((s for s in ("*", "{*}") if self._comes(s)), "")
        if sign == "^" and star:
            self._at += len(star)
            return "<mo>*</mo>"
        if self.peek() in {"−", "-", "+"} and self.peek(1)[:1].isalnum():
            raise FormulaError(f"what begins with {self.peek()!r} belongs into braces there.")
        return self.argument()

    def _comes(self, text: str) -> bool:
        return "".join(self._tokens[self._at : self._at + len(text)]) == text

    def _run(self, kind: str) -> str:
        start = self._at
        while raised_or_lowered(self.peek()) == kind:
            self._at += 1
        plain = unicodedata.normalize("NFKD", "".join(self._tokens[start : self._at]))
        return Reader(plain).until()

    def _accented(self, letter: str) -> str:
        while (mark := COMBINING.get(self.peek())) is not None:
            self._at += 1
            letter = f'<mover accent="true">{letter}<mo stretchy="false">{mark}</mo></mover>'
        return letter

    def _root(self, sign: str) -> str:
        self.skip()
        if self.peek() == "(":  # the bar of the root stands for the brackets
            self._at += 1
            content = self.until(")")
            self.close(")")
        elif self.peek().lstrip("\\") in {*FUNCTIONS, *LIMITS, *BIG, "sum", "prod", *"|‖"}:
            raise FormulaError(f"a root over {self.peek()!r} alone: put brackets around all of it.")
        else:
            # √w_i is the root of w_i.
            content = self.argument() if self.peek() == "{" else self._scripted()
        return root(content, "<mn>3</mn>" if sign == "∛" else "")

    def _command(self, name: str) -> Piece:
        if name in SYMBOLS:
            char = SYMBOLS[name]
            return Piece(f"<mi>{char}</mi>") if char in "ΣΠ*" else self.symbol(char)
        if name in FUNCTIONS or name in LIMITS:
            return self._word(name)
        if name in SPACES:
            return Piece(f'<mspace width="{SPACES[name]}em"></mspace>')
        if name in "%#":  # as operators they would stand apart from what they count
            return Piece(f'<mi mathvariant="normal">{name}</mi>')
        if name in "{}|":
            return Piece(operator("‖" if name == "|" else name))
        if name not in COMMANDS:
            raise FormulaError(rf"the command \{name} is not known.")
        return COMMANDS[name](self, name)


COMMANDS: dict[str, Callable[[Reader, str], Piece]] = {}
