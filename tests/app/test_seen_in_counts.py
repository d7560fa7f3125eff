"""What was observed is read off the counts, so that a forged estimate is found."""

from dataclasses import replace

import numpy as np
import pytest

from contracts.bound_examples import THEOREMS, example_inputs
from surelearn.app.verifying import seen_in_counts as seen
from surelearn.app.verifying.numbers import check_figures
from surelearn.certificate import certify

KNOWN = [*seen._SHARES, *seen._OTHERS]


def test_every_theorem_of_counts_is_known():
    files = ("rates.", "groups.", "ratios.", "finite_population.")
    theorems = {n for n in THEOREMS if n.startswith(files) and hasattr(THEOREMS[n], "realised")}
    assert theorems == set(KNOWN)


@pytest.mark.parametrize("name", KNOWN)
def test_a_forged_estimate_is_found_and_the_true_one_passes(name):
    guarantee = THEOREMS[name](**example_inputs(name))
    value, n = seen.seen_in_counts(name, guarantee.inputs)
    certificate = certify(guarantee, kind="difference", subject="s", observed=value, n=n)
    observed = next(check_figures(certificate))
    assert observed.holds
    for forged in (replace(certificate, observed=value + 0.01), replace(certificate, n=n + 1)):
        assert not next(check_figures(forged)).holds


@pytest.mark.parametrize("name", [n for n in KNOWN if not n.startswith("finite")])
def test_the_estimate_lies_on_the_right_side_of_its_bound(name):
    guarantee = THEOREMS[name](**example_inputs(name))
    value, _ = seen.seen_in_counts(name, guarantee.inputs)
    assert guarantee.allows(value)


def test_empty_counts_show_nothing():
    nothing = {"true_positives": 0, "false_positives": 0, "false_negatives": 0}
    assert seen.seen_in_counts("rates.f1", nothing) is None
    assert seen.seen_in_counts("rates.sensitivity", {"true_positives": 0, "n_positive": 0}) is None
    empty = {"errors": np.zeros(2), "n_in_groups": np.array([5, 0])}
    assert seen.seen_in_counts("groups.worst_group", empty) is None
