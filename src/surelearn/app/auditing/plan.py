"""A plan of an audit: claims, delta and looks, written down before the rows are looked at."""

import hashlib
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from surelearn._wording import nearest
from surelearn.app.errors import TableError
from surelearn.app.tables.sources import first_bytes
from surelearn.certificate import Evidence, assumed

_LARGEST = 2**20  # bytes
_LONG_KEY = re.compile(rb"(?:[^\s.=#,\[\]]*+\s*+\.\s*+){50}")
_KEYS = {"claims", "delta", "looks"}


@dataclass(frozen=True)
class Plan:
    """What was fixed beforehand.

    Attributes
    ----------
    claims
        Claims and targets, as text, in their order.
    delta, looks
        The failure probability, and how many models of these rows share it.
    sha256
        The hash of the file.
    """

    claims: tuple[str, ...]
    delta: float
    looks: int
    sha256: str


def read_plan(path: Path) -> Plan:
    """Read a plan, or say in a sentence what is wrong with it.

    A plan is a TOML file: `claims`, a list of texts, `delta` and `looks`.
    """
    try:
        content = first_bytes(path, _LARGEST + 1)
    except OSError as error:
        raise TableError(f"the plan {path} cannot be read: {error.strerror}") from None
    if len(content) > _LARGEST:
        raise TableError(f"the plan {path} has more than {_LARGEST:,} bytes: it is no plan")
    if _LONG_KEY.search(content):  # the parser would take minutes
        raise TableError(f"the plan {path} has names within names: it is no plan")
    try:
        given: dict[str, Any] = tomllib.loads(content.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise TableError(f"the plan {path} is no TOML: {error}") from None
    if unknown := sorted(set(given) - _KEYS):
        raise TableError(f"the plan {path} has {unknown[0]!r}{nearest(unknown[0], _KEYS)}")
    claims, delta, looks = given.get("claims", []), given.get("delta", 0.05), given.get("looks", 1)
    if not (isinstance(claims, list) and all(isinstance(one, str) for one in claims) and claims):
        raise TableError(f"the plan {path} needs claims, such as claims = ['sensitivity>=0.9']")
    if isinstance(delta, bool) or not isinstance(delta, float) or not 0.0 < delta < 1.0:
        raise TableError(f"delta in the plan {path} must lie between 0 and 1, not {delta!r}")
    if isinstance(looks, bool) or not isinstance(looks, int) or looks < 1:
        raise TableError(f"looks in the plan {path} must be a whole number from 1, not {looks!r}")
    return Plan(tuple(claims), delta, looks, hashlib.sha256(content).hexdigest())


def as_plan(given: Any) -> Plan:
    """Return a plan, which may be given as the path of its file."""
    if isinstance(given, Plan):
        return given
    if not isinstance(given, str | Path):
        raise TypeError(f"plan is the path of a TOML file, no {type(given).__name__}")
    return read_plan(Path(given))


def tell_fixed(sha256: str | None) -> Evidence:
    """Return what is known of whether all was fixed beforehand.

    Examples
    --------
    >>> tell_fixed(None).text
    'no file can show it'
    """
    if sha256 is None:
        return assumed("no file can show it")
    return assumed(
        f"so says the plan with the SHA-256 {sha256}; when it was written no file can show"
    )
