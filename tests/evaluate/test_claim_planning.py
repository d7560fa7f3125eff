"""How many rows prove a claim, by exact searches over the printed bound."""

import math
import re

import pytest
from scipy import stats

from surelearn import claims, plan_claim


def proves(target, expect, n, delta):
    """Return whether n rows prove a target, in the plainest way."""
    claim = claims.parse(target).claim
    if claim.name == "f1":
        hits = math.floor(round(expect / (2 - expect) * n, 9))
        counts = {"true_positives": hits, "false_positives": n - hits, "false_negatives": 0}
    else:
        lower = claim.direction == "lower"
        found = (math.floor if lower else math.ceil)(round(expect * n, 9))
        counts = dict(zip(claim.takes, (found, n), strict=True))
    return claims.parse(target).is_met(claim.guarantee(delta=delta, **counts).bound)


@pytest.mark.parametrize(
    ("target", "expect", "delta"),
    [
        ("sensitivity>=0.9", 0.95, 0.05),
        ("specificity>=0.5", 0.8, 0.01),
        ("error<=0.1", 0.03, 0.05),
        ("accuracy>=0.9", 1.0, 0.05),
        ("ppv>=0.3", 0.5, 0.2),
        ("f1>=0.8", 0.9, 0.05),
        ("error<=0.2", 0.0, 0.3),
    ],
)
def test_the_smallest_number_and_that_from_which_on_all_do(target, expect, delta):
    plan = plan_claim(target, expect=expect, delta=delta)
    good = [n for n in range(1, 3 * plan.n_always) if proves(target, expect, n, delta)]
    assert plan.n == good[0]
    assert good[-(3 * plan.n_always - plan.n_always) :][0] == plan.n_always
    assert plan.n_always == 1 or not proves(target, expect, plan.n_always - 1, delta)


def test_known_plans_of_the_field():
    plan = plan_claim("sensitivity>=0.9", expect=0.95, share=0.1)
    assert (plan.n, plan.n_always, plan.rows) == (116, 142, 1333)
    assert [plan_claim(f"error<={r}", expect=0.0).n for r in (0.1, 0.05, 0.01)] == [29, 59, 299]
    assert plan_claim("error<=0.06", expect=0.05).n == 1580


@pytest.mark.parametrize("share", [0.03, 0.5, 0.99])
def test_so_many_rows_have_enough_that_count(share):
    plan = plan_claim("sensitivity>=0.9", expect=0.95, share=share, probability=0.9)
    assert stats.binom.sf(plan.n_always - 1, plan.rows_always, share) >= 0.9
    assert stats.binom.sf(plan.n_always - 1, plan.rows_always - 1, share) < 0.9


@pytest.mark.parametrize(
    ("target", "options", "says"),
    [
        ("sensitivity>=0.9", {"expect": 0.9}, "must be above the target"),
        ("error<=0.1", {"expect": 0.2}, "must be below the target"),
        ("sensitivity", {"expect": 0.9}, "has no value"),
        ("mcc>=0.5", {"expect": 0.9}, "no share of rows"),
        ("accuracy>=0", {"expect": 0.9}, "without any rows"),
        ("accuracy>=0.9", {"expect": 0.95, "share": 0.0}, "no row counts"),
        ("accuracy>=0.9", {"expect": 0.95, "share": 1e-12}, "rows are needed"),
        ("accuracy>=0.9", {"expect": 0.9000001}, "aim lower"),
        ("accuracy>=0.9", {"expect": 0.95, "probability": 1.0}, "probability"),
    ],
)
def test_what_cannot_be_planned_is_refused(target, options, says):
    with pytest.raises(ValueError, match=says):
        plan_claim(target, **options)


@pytest.mark.parametrize(
    ("target", "expect"), [("error<=0.05", 0.03001), ("sensitivity>=0.9", 0.950099)]
)
def test_the_share_that_a_plan_names_proves_its_target(target, expect):
    """It was rounded: with 3.01% of 432 rows wrong nothing is proved that 3.001% prove."""
    plan = plan_claim(target, expect=expect)
    named = float(re.search(r"if ([\d.]+)% is seen", str(plan))[1]) / 100
    assert all(proves(target, named, n, 0.05) for n in range(plan.n_always, plan.n_always + 300))
