"""The names under which runs and audits store something; no reader knows what others would mean.

Each name that any version stored is here.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from surelearn import claims
from surelearn.app.auditing.bundle import Bundle
from surelearn.app.auditing.columns import Roles
from surelearn.claims import Claim
from surelearn.evaluate._claims_beside import as_claim

_FORM = {"decimal", "delimiter", "encoding", "header", "missing", "names", "text"}
_OF_BOTH = {"claims", "delta", "form", "in_parts", "looks", "positive", "task"}
_OF_RUNS = {
    *_OF_BOTH, "categorical", "copies", "cut", "dates", "drop", "group", "holdout", "keep",
    "learners", "rare", "seed", "select", "target", "time", "tried", "widths", "zeros",
}  # fmt: skip
_OF_AUDITS = {*_OF_BOTH, *vars(Roles()), "by_label", "incomplete", "plan"}
_STORED = {
    "audit", "data", "inputs", "ledger", "loss_range", "n_copies", "n_without", "options", "table",
    "versions",
}  # fmt: skip
_ABOUT = {"challengers", "groups", "positive", "threshold"}
_SIZES = "size at "


def unknown_options(options: Mapping[str, Any]) -> Iterator[str]:
    """Yield the options that no run of `surelearn certify` has."""
    yield from _others(options, _OF_RUNS)
    yield from _others(options.get("form", {}), _FORM)


def unknown_to_audits(stored: Mapping[str, Any]) -> Iterator[str]:
    """Yield what no audit stores with a certificate."""
    yield from _others(stored, _STORED)
    yield from _others(stored["options"], _OF_AUDITS)
    yield from _others(stored["options"].get("form", {}), _FORM)


def refuse_unknown_about(bundle: Bundle) -> None:
    """Refuse names that the claims of a file are never about."""
    for certificate in bundle.certificates:
        told = certificate.reproduce["audit"]
        claim, about = as_claim(claims.parse(told["claim"])), told["about"]
        sizes = {name for name in about if name.startswith(_SIZES)}
        known = {*_ABOUT, *sizes} if type(claim).names is not Claim.names else set[str]()
        if unknown := _others(about, known):
            raise ValueError(f"{unknown[0]!r} is nothing that {claim} is about")


def _others(found: Iterable[str], known: set[str]) -> list[str]:
    return sorted(set(found) - known)
