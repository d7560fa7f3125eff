"""The ledger of `surelearn certify`: which models of which table were certified, run after run.

A line of JSON for each look at a hold-out, entered before it is answered, in the state folder of
the user (`SURELEARN_STATE`, or where the system keeps such files) and, once there are results,
beside the folder that holds them. A table is recognised by its rows: in another order, in a file of
another format, with a few rows more or fewer, or with rows repeated; with its columns renamed, or
beside new ones that are constant or number the rows. Changed cells, and other columns that were
added or left out in the file, make another table of it, and so do new names of one in parts; what
another user or machine asked is not seen either. Of tables whose rows mostly have copies only all
rows are the same table, and of those with few different rows only all in one order: independent
draws from few categories coincide as much. So "the model was not chosen by these rows" is assumed
at best, and the ledger can only refute it.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from surelearn.app.errors import TableError
from surelearn.app.ledger_files import (
    NAME,
    VERSION,
    Look,
    Pages,
    append,
    locked,
    read_pages,
    state_folder,
)
from surelearn.app.problem.copies import identify, identify_unnamed
from surelearn.app.problem.ledger_entry import NOT_KEPT, Entry
from surelearn.app.problem.problem import Problem
from surelearn.app.tables.parted_file import PartedFile
from surelearn.app.tables.read import TableFile
from surelearn.base import fingerprint
from surelearn.base.row_identity import RowSet
from surelearn.certificate import Certificate
from surelearn.evaluate import ledger as of_process
from surelearn.evaluate.ledger import Question, Standing, decide


class Ledger(Protocol):
    """Remembers looks at tables."""

    def enter(self, look: Look) -> Entry:
        """Enter a look, before it is answered; say where it stands."""
        ...


class ProcessLedger:
    """Remembers as long as the process lives."""

    def enter(self, look: Look) -> Entry:
        """Enter a look in the ledger of this process."""
        looks = int(look.about["looks"])
        rows = [look.rows, *look.also]
        return Entry(of_process.ask(rows, look.question, n_models=looks), "kept")


class NoLedger:
    """Remembers nothing: for a demonstration."""

    def enter(self, look: Look) -> Entry:  # noqa: ARG002 - it is forgotten at once
        """Forget a look."""
        return NOT_KEPT


PROCESS = ProcessLedger()
_HOMELESS = (
    "this user has no home folder for the ledger: set SURELEARN_STATE to a folder that stays, or "
    "only what is beside the results is remembered"
)


def _own_ledger() -> Path | None:
    folder = state_folder()
    return None if folder is None else folder / "ledger.jsonl"


class UserLedger:
    """The ledger of a user, and the one beside a folder of results.

    Parameters
    ----------
    out
        The folder that the results are written to.

    Attributes
    ----------
    troubles
        What could not be read or written, a sentence each.
    """

    def __init__(self, out: Path) -> None:
        own, beside = _own_ledger(), out.absolute().parent / NAME
        self._paths = (beside,) if own is None else (own, beside)
        self._entered: Look | None = None
        self.troubles: list[str] = []

    def enter(self, look: Look) -> Entry:
        """Enter a look in the user's ledger; if that cannot be, beside the results."""
        self.troubles[:] = [_HOMELESS] if len(self._paths) == 1 else []
        for path in self._paths:
            try:
                with locked(path):
                    return self._enter(look, path)
            except OSError as error:
                self._trouble(path, error)
        return Entry(self._stand(look)[0], "none")

    def _enter(self, look: Look, path: Path) -> Entry:
        standing, damaged, known = self._stand(look)
        if standing.allowed:
            self._entered = look
            if not known:
                append(path, look.to_line())
        return Entry(standing, "damaged" if damaged else "kept")

    def _stand(self, look: Look) -> tuple[Standing, bool, bool]:
        """Say where a look stands, whether lines are damaged, and whether it was entered before."""
        earlier, n_damaged = self._earlier([look.rows, *look.also])
        standing = decide(earlier, look.question, n_models=int(look.about["looks"]))
        return standing, n_damaged > 0, look.question in earlier

    def _earlier(self, rows: Sequence[RowSet]) -> tuple[list[Question], int]:
        pages = [self._read(path) for path in self._paths]
        looks = [look for page in pages for look in page.looks if look.is_at(rows)]
        return [look.question for look in looks], sum(page.n_damaged for page in pages)

    def foresee(self, file: TableFile, target: str, *, delta: float, looks: int) -> str:
        """Say before the work begins that another model of this table cannot be certified."""
        earlier, _ = self._earlier([_rows_of(file, target), *_unnamed(file, target)])
        if decide(earlier, Question(name_rules(delta, looks), ""), n_models=looks).allowed:
            return ""
        before = len(dict.fromkeys(earlier))
        several = "one look" if before == 1 else f"{before} looks"
        return (
            f"this table was certified before ({several}: see surelearn ledger), and no plan made "
            "beforehand covers another one. Unless this run gives the same model again, its "
            "certificate will be void. Certify on fresh rows; next time, --looks N plans N models "
            "before the first"
        )

    def answered(self, certificate: Certificate) -> None:
        """Note what was answered, here and beside the results that were written."""
        look = self._entered
        if look is None:
            return
        answer = {"status": certificate.status, "claim": certificate.claim}
        line = {"ledger": VERSION, "table": look.rows.digest, "model": look.question.model}
        for path in self._paths:
            try:
                with locked(path):
                    pages = read_pages(path)
                    if look.question not in [other.question for other in pages.looks]:
                        append(path, look.to_line())
                    if pages.answers.get((look.rows.digest, look.question.model)) != answer:
                        append(path, {**line, "answer": answer})
            except OSError as error:
                self._trouble(path, error)

    def _read(self, path: Path) -> Pages:
        try:
            pages = read_pages(path)
        except OSError as error:
            self._trouble(path, error)
            return Pages((), {}, 1)
        if pages.n_damaged:
            self.troubles.append(f"{pages.n_damaged} lines of the ledger {path} cannot be read")
        return pages

    def _trouble(self, path: Path, error: OSError) -> None:
        self.troubles.append(f"the ledger {path} cannot be kept: {error.strerror or error}")


def enter_look(
    ledger: Ledger,
    file: TableFile,
    problem: Problem,
    learner: str,
    options: Mapping[str, Any],
    model: Any,
) -> Entry:
    """Enter the question about a model in a ledger, before the hold-out is asked."""
    split = problem.split_digest
    looks, delta = int(options.get("looks", 1)), float(options["delta"])
    about = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "file": file.name,
        "target": problem.target,
        "learner": learner,
        "looks": looks,
        "delta": delta,
        "options": dict(options),
    }
    about_model = f"{fingerprint(model)} {split}{_other_claims(options)}"
    question = Question(name_rules(delta, looks), about_model)
    rows, also = _rows_of(file, problem.target), _unnamed(file, problem.target)
    return ledger.enter(Look(rows, question, about, also))


def _rows_of(file: TableFile, target: str) -> RowSet:
    """Return what the table is known by; one in parts was looked through before."""
    known = file.rows if isinstance(file, PartedFile) else None
    return identify(file.table, target) if known is None else known


def _unnamed(file: TableFile, target: str) -> tuple[RowSet, ...]:
    """Return what the table is known by where its columns have other names."""
    if isinstance(file, PartedFile):
        return ()
    found = identify_unnamed(file.table, target)
    return () if found is None else (found,)


def _other_claims(options: Mapping[str, Any]) -> str:
    """Return what tells claims that were asked for from others: they are another look."""
    asked = {name: options[name] for name in ("claims", "positive") if name in options}
    if not asked:
        return ""
    return f" {hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:16]}"


def name_rules(delta: float, looks: int) -> str:
    """Return the rules by which models of a table share delta.

    Examples
    --------
    >>> name_rules(0.05, 3)
    'delta 0.05 for 3 looks'
    """
    return f"delta {delta!r} for {looks} looks"


def summarise(path: Path | None = None) -> dict[str, Any]:
    """Return what a ledger holds, table by table: that of the user if none is named.

    A ledger that is named must be there.
    """
    found = _own_ledger() if path is None else path
    if found is None:
        raise TableError(f"there is no ledger to show: {_HOMELESS}. Or name one with --file")
    if path is not None and not path.exists():
        raise TableError(f"there is no ledger {path}")
    try:
        pages = read_pages(found)
    except OSError as error:
        raise TableError(f"{found} cannot be read: {error.strerror or error}") from None
    tables = [_summary(looks, pages) for looks in _by_table(pages.looks)]
    return {"ledger": str(found), "tables": tables, "damaged": pages.n_damaged}


def _summary(looks: Sequence[Look], pages: Pages) -> dict[str, Any]:
    first = looks[0]
    return {
        "file": first.about["file"],
        "target": first.about["target"],
        "table": first.rows.digest,
        "rows": first.rows.n,
        "used": len(looks),
        "planned": first.about["looks"],
        "delta": first.about["delta"],
        "looks": [_told(look, pages) for look in looks],
    }


def _told(look: Look, pages: Pages) -> dict[str, str]:
    answer = pages.answers.get((look.rows.digest, look.question.model), {})
    return {
        "date": look.about["date"],
        "learner": look.about["learner"],
        "model": look.question.model.partition(" ")[0],
        "status": str(answer.get("status", "")),
        "claim": str(answer.get("claim", "")),
    }


def _by_table(looks: Sequence[Look]) -> list[list[Look]]:
    """Return looks by the table they were at, in the order of the ledger; each look once."""
    tables: list[list[Look]] = []
    for look in looks:
        found = next((t for t in tables if t[0].is_at([look.rows, *look.also])), None)
        if found is None:
            tables.append([look])
        elif look.question not in [other.question for other in found]:
            found.append(look)
    return tables
