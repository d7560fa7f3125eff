"""The ledger of this process: which rows were asked about which models, by which rules.

A hold-out is its rows, not the object that holds them: a second `Holdout` on the same rows, in any
order, goes on where the first one stopped, and so does one on a part of them. Rules fixed
beforehand decide what a later question is worth. Nothing is kept but hashes, and nothing outlives
the process: what other processes asked, what was asked about the same rows in another form (scaled,
with another column, with other names for the labels) or by other means than a hold-out, is not
seen. Nor are two bootstrap samples of one table known for what they are, or the few different rows
of one in another order: they agree as independent draws of categories do. A certificate says that
all this is assumed.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from threading import Lock
from typing import NamedTuple

from surelearn._jit.fingerprints import Hashes
from surelearn.base.row_identity import RowSet
from surelearn.certificate import Evidence, assumed, violated
from surelearn.evaluate._asked_rows import AskedRows

__all__ = ["Account", "Question", "Standing", "ask", "decide", "forget", "look"]

_N_INDEXED = 16  # rows by which tables that are nearly the same are found
_OF_PARTS = ", or about small parts of a large hold-out,"


class Question(NamedTuple):
    """A question: the rules it was asked by, and the model it is about.

    Attributes
    ----------
    rules
        A name for all that was fixed beforehand.
    model
        A name for the model and its answers.
    recorded
        Whether answers were recorded, whose rows only their truths tell.

    Examples
    --------
    >>> Question(rules="once at 0.05", model="a1b2").model
    'a1b2'
    """

    rules: str
    model: str
    recorded: bool = False


class Standing(NamedTuple):
    """The place of a question among all that were asked about its rows.

    Attributes
    ----------
    number
        Which question it is, counted from 1.
    before
        How many others were asked before it.
    allowed
        Whether the rules that were fixed beforehand cover it.
    """

    number: int
    before: int
    allowed: bool


class _Ledger:
    """Questions by the rows they were asked about."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.asked: dict[str, list[Question]] = defaultdict(list)
        self.sets: dict[str, RowSet] = {}
        self.places: dict[int, set[str]] = defaultdict(set)
        self.held, self.kept = AskedRows(), set[str]()

    def about(
        self, rows: Iterable[RowSet], held: Hashes | None, truths: Iterable[RowSet] = ()
    ) -> list[Question]:
        """Return the questions asked about these rows, or about rows that are mostly these.

        Truths tell the rows of recorded answers alone: other rows may well have the same, such as
        those of an experiment made again or of a countdown.
        """
        near = {place for one in rows for place in self._near(one)}
        near.update(() if held is None else self.held.near(held))
        alike = {place for one in truths for place in self._near(one)}
        found = [q for place in sorted(near) for q in self.asked[place]]
        found += [q for place in sorted(alike) for q in self.asked[place] if q.recorded]
        return list(dict.fromkeys(found))

    def _near(self, rows: RowSet) -> list[str]:
        found = {rows.digest} & self.sets.keys()
        found.update(*(self.places.get(row, ()) for row in _indexed(rows)))
        return [digest for digest in found if rows.is_mostly(self.sets[digest])]

    def add(self, rows: Sequence[RowSet], question: Question, held: Hashes | None) -> None:
        if held is not None and rows[0].digest not in self.kept:
            self.kept.add(rows[0].digest)
            self.held.add(rows[0].digest, held)
        for one in rows:
            self.sets[one.digest] = one
            self.asked[one.digest].append(question)
            for row in _indexed(one):
                self.places[row].add(one.digest)


def _indexed(rows: RowSet) -> set[int]:
    """Return the rows by which a set of rows is found: some that it has once, some that it has."""
    return {*rows.sketch[:_N_INDEXED], *list(rows.counts)[:_N_INDEXED]}


_ledger = _Ledger()


def ask(
    rows: Sequence[RowSet],
    question: Question,
    *,
    n_models: int,
    held: Hashes | None = None,
    truths: Sequence[RowSet] = (),
) -> Standing:
    """Enter a question about rows and say where it stands; it is entered before it is answered.

    Parameters
    ----------
    rows
        The rows of the hold-out; and those of the table they were split from, if that is known.
    question
        The rules and the model. The same question again stands where it stood.
    n_models
        How many models the rules allow.
    held
        A hash of each row of the hold-out, the first of `rows`: with them a question about a small
        part of it is recognised, too.
    truths
        By what recorded answers to these rows are known.

    Examples
    --------
    >>> import numpy as np
    >>> rows = [RowSet.of(np.arange(50, dtype=np.uint64))]
    >>> ask(rows, Question("once", "model 1"), n_models=1)
    Standing(number=1, before=0, allowed=True)
    >>> ask(rows, Question("once", "model 2"), n_models=1)
    Standing(number=2, before=1, allowed=False)
    """
    with _ledger.lock:
        standing = decide(_ledger.about(rows, held, truths), question, n_models=n_models)
        if standing.allowed:  # what is not allowed is not answered, so that it costs nothing
            _ledger.add([*rows, *truths], question, held)
        return standing


def look(rows: Sequence[RowSet], question: Question, held: Hashes | None = None) -> None:
    """Enter a look at rows that no certificate pays for; later certificates from them are void."""
    with _ledger.lock:
        _ledger.add(rows, question, held)


def forget() -> None:
    """Start afresh, as a new process would: for simulations and tests, which draw rows anew.

    Certificates of rows that were asked about before are then no better than in a new process: that
    the model was not chosen by these rows is assumed, and here it would be false.

    Examples
    --------
    >>> forget()
    """
    with _ledger.lock:
        for kept in (_ledger.asked, _ledger.sets, _ledger.places, _ledger.kept):
            kept.clear()
        _ledger.held = AskedRows()


def decide(earlier: Sequence[Question], question: Question, *, n_models: int) -> Standing:
    """Say where a question stands after earlier ones: covered if all were asked by its rules.

    Examples
    --------
    >>> first, second = Question("family of 2", "a"), Question("family of 2", "b")
    >>> decide([first], second, n_models=2)
    Standing(number=2, before=1, allowed=True)
    >>> decide([first], Question("once", "b"), n_models=1).allowed
    False
    """
    others = list(dict.fromkeys(earlier))
    if question in others:
        number = others.index(question) + 1
        return Standing(number, number - 1, allowed=True)
    alike = all(other.rules == question.rules for other in others)
    number = len(others) + 1
    return Standing(number, len(others), allowed=alike and number <= n_models)


class Account(NamedTuple):
    """What this process remembers of the rows of a hold-out, asked by its rules.

    Attributes
    ----------
    rows
        The rows of the hold-out; and those of the table they were split from, if that is known.
    rules
        A name for all that was fixed beforehand.
    n_models
        How many models the rules allow.
    held
        A hash of each row of the hold-out.
    truths
        By what recorded answers to these rows are known.
    """

    rows: tuple[RowSet, ...]
    rules: str
    n_models: int
    held: Hashes
    truths: tuple[RowSet, ...] = ()

    def ask(self, model: str) -> tuple[Standing, Evidence]:
        """Enter a question; return where it stands, and whether the rows may have chosen it."""
        question = Question(self.rules, model)
        standing = ask(
            self.rows, question, n_models=self.n_models, held=self.held, truths=self.truths
        )
        if standing.allowed:
            which = f"question {standing.number} of {self.n_models} to a hold-out of these rows"
            unseen = "what was asked elsewhere" + (_OF_PARTS if not _ledger.held.complete else "")
            return standing, assumed(f"{which} in this process; {unseen} is not seen")
        several = "1 look" if standing.before == 1 else f"{standing.before} looks"
        return standing, violated(
            f"{several} at these rows, or most of them, came before in this process, and the rules "
            "do not cover another one: draw fresh rows, or plan mode='family', n_models=K first"
        )

    def look(self, why: str, model: str) -> None:
        """Enter a look that no certificate pays for."""
        look((*self.rows, *self.truths), Question(why, model), self.held)
