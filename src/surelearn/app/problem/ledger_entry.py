"""The entry of a run in a ledger: which look at its table it is, and who remembers the others."""

from typing import Any, Literal, NamedTuple, TypeAlias

from surelearn.certificate import Evidence, assumed, violated
from surelearn.evaluate.ledger import Standing

Memory: TypeAlias = Literal["kept", "damaged", "none"]
"""Whether a ledger remembers earlier looks, and whether all of it could be read."""

OF_PARTS = ", nor are looks at small parts of a large table"
"""What a ledger cannot tell, since it keeps a few rows of each table; older ones did not say so."""

_SEEN = {
    "kept": f"in the ledger; what was asked elsewhere is not seen{OF_PARTS}",
    "damaged": "in the ledger, some lines of which cannot be read",
}


class Entry(NamedTuple):
    """Which look at a table a run is.

    Parameters
    ----------
    standing
        Its place among all looks at the table, and whether the rules cover it.
    memory
        Whether the others are remembered.
    """

    standing: Standing
    memory: Memory

    def evidence(self, looks: int) -> Evidence:
        """Return what is known of whether the model was chosen by the rows held out.

        Examples
        --------
        >>> known = Entry(Standing(number=2, before=1, allowed=True), "kept").evidence(looks=3)
        >>> known.text  # doctest: +ELLIPSIS
        'look 2 of 3 at this table in the ledger; what was asked elsewhere is not seen, nor ...'
        """
        number, before, allowed = self.standing
        if not allowed:
            several = "one look" if before == 1 else f"{before:,} looks"
            return violated(
                f"{several} at this table came before, and no rule fixed beforehand covers another "
                "one: certify on fresh rows, or plan with --looks before the first look"
            )
        if self.memory == "none":
            return assumed("no ledger was kept, so that earlier looks at this table are not seen")
        return assumed(f"look {number} of {looks} at this table {_SEEN[self.memory]}")

    def stored(self) -> dict[str, Any]:
        """Return what a certificate keeps of it."""
        return {"memory": self.memory, **self.standing._asdict()}

    @classmethod
    def read(cls, stored: Any) -> "Entry":
        """Return the entry that a certificate keeps; one of a time without ledgers keeps none."""
        if stored is None:
            return NOT_KEPT
        if set(stored) != {"memory", *Standing._fields}:
            raise ValueError("an entry of a ledger lacks something, or holds something else")
        numbers = [stored[name] for name in Standing._fields]
        if stored["memory"] not in {*_SEEN, "none"} or list(map(type, numbers)) != [int, int, bool]:
            raise ValueError(f"the entry {stored!r} is of no ledger")
        standing = Standing(*numbers)
        if standing.number < 1 or standing.before != standing.number - 1:
            raise ValueError(f"the entry {stored!r} does not count the looks before it")
        return cls(standing, stored["memory"])


NOT_KEPT = Entry(Standing(number=1, before=0, allowed=True), "none")
"""Of a run that no ledger knows of."""
