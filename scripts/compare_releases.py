"""Compare two releases: what every learner predicts, keeps and proves on fixed data.

`compare_releases.py write OUT.json` writes all that the surelearn that is imported says;
`compare_releases.py compare OLD.json NEW.json` prints each difference and ends with status 1 if
there is one. Only public names are used, so it runs under both releases.
"""

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone, is_regressor

import surelearn as sl
from release_cases import Case, all_cases, predictions_before
from release_facts import attempt, describe, describe_model, differences
from release_games import games, optimizations, streams
from release_studies import certified, holdouts, online_evaluations, proofs, studies, theorems

TOLERANCE = 1e-12
"""How far numbers may differ, relative to the largest of their array: sums in another order."""


def learners() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield every learner of tables in every way it learns."""
    for case in all_cases():
        yield case.name, lambda case=case: _learnt(case)


def _learnt(case: Case) -> dict[str, Any]:
    """Return what a learner says after it has learnt; one stopped in mid-stream then goes on."""
    model = case.fitted()
    told = describe_model(model, case.asked)
    if case.how == "one":
        said = predictions_before(clone(case.learner), case.X, case.y)
        told["before each row"] = describe(np.array(list(said)))
    if case.how in {"learn", "partial_fit"}:
        X, y = case.more
        told["scores"] = attempt(lambda: describe(np.ravel(_go_on(model, X, y))))
        told["later"] = describe_model(model, case.asked)
    return told


def _go_on(model: Any, X: Any, y: Any) -> Any:
    if hasattr(model, "learn"):
        return model.learn(X, y)
    model.partial_fit(X, y)
    return model.predict(X) if is_regressor(model) else []


PARTS: dict[str, Callable[[], Iterator[tuple[str, Callable[[], Any]]]]] = {
    "learners": learners,
    "proofs": proofs,
    "games": games,
    "streams": streams,
    "optimizers": optimizations,
    "hold-outs": holdouts,
    "online evaluations": online_evaluations,
    "studies": studies,
    "theorems": theorems,
    "certify": certified,
}


def write(out: Path, only: list[str]) -> None:
    """Write what this release says."""
    warnings.simplefilter("ignore")
    content: dict[str, Any] = {"public names": dict.fromkeys(sorted(dir(sl)), "there")}
    for part, records in PARTS.items():
        if only and part not in only:
            continue
        start = time.perf_counter()
        content[part] = {name: attempt(run) for name, run in records()}
        refused = sum(_refused(told) for told in content[part].values())
        seconds = time.perf_counter() - start
        sys.stderr.write(f"{part}: {len(content[part])} runs, {refused} refused, {seconds:.0f} s\n")
    out.write_text(json.dumps(content, indent=0, ensure_ascii=False), encoding="utf-8")


def _refused(told: Any) -> bool:
    return isinstance(told, dict) and set(told) == {"refused"}


def compare(old: Path, new: Path, tolerance: float) -> int:
    """Print each difference by its sort, and return how many there are."""
    before, after = (json.loads(path.read_text(encoding="utf-8")) for path in (old, new))
    found = list(differences(before, after, tolerance=tolerance))
    sorts = {
        "attributes": [line for line in found if " / attributes / " in line],
        "results": [line for line in found if " / attributes / " not in line],
    }
    for name, lines in sorts.items():
        sys.stdout.write(f"{name}: {len(lines)} differences\n")
        sys.stdout.writelines(f"  {line}\n" for line in lines)
    return len(found)


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    writing = commands.add_parser("write", help="write what this release says")
    writing.add_argument("out", type=Path)
    writing.add_argument("--only", action="append", default=[], choices=list(PARTS))
    comparing = commands.add_parser("compare", help="print where two releases differ")
    comparing.add_argument("old", type=Path)
    comparing.add_argument("new", type=Path)
    comparing.add_argument("--tolerance", type=float, default=TOLERANCE)
    given = parser.parse_args()
    if given.command == "write":
        write(given.out, given.only)
        return 0
    return int(compare(given.old, given.new, given.tolerance) > 0)


if __name__ == "__main__":
    raise SystemExit(main())
