"""What each theorem reads from the run or the data: a reviewed table, changed only on purpose.

Plots and reports call a bound "before the run" if it reads nothing from it, so a theorem that
forgets to declare an input would claim to have been known beforehand.
"""

import json
from pathlib import Path

import pytest

from surelearn import bounds
from surelearn.bounds._guarantee import theorem

REVIEWED = json.loads(Path(__file__).with_name("realised.json").read_text(encoding="utf-8"))


def declared() -> dict[str, list[str]]:
    """Return the realised inputs of every theorem; planners declare none and are left out."""
    names = (name for name, find in bounds.theorems().items() if hasattr(find, "realised"))
    return {name: sorted(bounds.realised(name)) for name in names}


def test_every_theorem_reads_from_the_run_what_was_reviewed():
    found = declared()
    assert len(found) > 200
    assert found == REVIEWED


def test_an_unknown_theorem_reads_nothing_silently():
    with pytest.raises(ValueError, match="unknown"):
        bounds.realised("regret.nonsense")


def test_a_theorem_cannot_declare_an_input_it_does_not_have():
    with pytest.raises(TypeError, match="has no input total"):

        @theorem(realised=("total",))
        def bound(*, n: int) -> bounds.Guarantee:
            raise NotImplementedError
