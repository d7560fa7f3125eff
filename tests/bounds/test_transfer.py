"""A bound on a risk carried to another model by the rows on which the two differ."""

import math

import numpy as np
import pytest
from scipy import stats

from surelearn.bounds import inversions, regions, transfer


def test_it_adds_the_share_of_rows_on_which_the_models_may_differ():
    found = transfer.unlabelled(risk=0.06, risk_delta=0.05, disagreements=40, n=2000, delta=0.1)
    plain = 0.06 + stats.beta.isf(0.05, 41, 1960)  # Clopper and Pearson, from the statement
    assert found.bound == pytest.approx(plain, rel=1e-7)
    assert found.bound >= plain
    assert found.confidence == pytest.approx(0.9)


def test_models_that_never_differed_still_cost_what_n_rows_cannot_exclude():
    found = transfer.unlabelled(risk=0.06, risk_delta=0.05, disagreements=0, n=2000, delta=0.1)
    assert found.bound == pytest.approx(0.06 + 1.0 - 0.05 ** (1 / 2000), rel=1e-7)


def test_with_labels_it_adds_the_difference_of_the_two_risks():
    counts = {"only_new_wrong": 2, "only_old_wrong": 10, "n": 1000}
    found = transfer.labelled(risk=0.06, risk_delta=0.05, delta=0.1, **counts)
    more = regions.error_difference(only_first_wrong=2, only_second_wrong=10, n=1000, delta=0.05)
    assert found.bound == pytest.approx(0.06 + more.bound, rel=1e-6)
    assert found.bound < 0.06
    nothing_is_below_zero = transfer.labelled(
        risk=0.001, risk_delta=0.05, only_new_wrong=0, only_old_wrong=400, n=1000, delta=0.1
    )
    assert nothing_is_below_zero.bound == 0.0


def test_labels_are_never_worth_less_than_the_number_of_differences():
    for new, old in ((0, 0), (5, 0), (0, 12), (7, 9)):
        common = {"risk": 0.1, "risk_delta": 0.02, "n": 400, "delta": 0.1}
        number = transfer.unlabelled(disagreements=new + old, **common).bound
        labels = transfer.labelled(only_new_wrong=new, only_old_wrong=old, **common).bound
        assert labels - 0.1 <= 1.01 * (number - 0.1)  # which is how far it is searched


@pytest.mark.parametrize("delta", [0.05, 0.04])
def test_a_delta_that_the_old_bound_has_spent_is_refused(delta):
    with pytest.raises(ValueError, match="delta"):
        transfer.unlabelled(risk=0.1, risk_delta=0.05, disagreements=0, n=9, delta=delta)


def test_the_two_failure_probabilities_never_add_up_to_more_than_delta():
    for spent, rest in ((0.05, 0.05), (0.1, 0.2), (1e-9, 0.3), (0.07, 0.01)):
        left = transfer._rest(spent + rest, spent)
        assert left > 0.0
        assert math.fsum((left, spent)) <= spent + rest


@pytest.mark.parametrize(("risk", "differ"), [(0.05, 0.02), (0.2, 0.3), (0.01, 0.001)])
def test_it_fails_no_more_often_than_delta_where_every_difference_is_an_error(risk, differ):
    """The worst case: the new model errs where the old one does and wherever they differ."""
    rng, n, delta = np.random.default_rng(0), 300, 0.1
    errors, apart = rng.binomial(n, risk, 4000), rng.binomial(n, differ, 4000)
    old = np.array([inversions.binomial_upper(k, n, delta) for k in range(n + 1)])
    new = np.array(
        [
            transfer.unlabelled(
                risk=0.0, risk_delta=delta, disagreements=k, n=n, delta=2 * delta
            ).bound
            for k in range(n + 1)
        ]
    )
    missed = int((old[errors] + new[apart] < risk + differ).sum())
    assert stats.binomtest(missed, 4000, 2 * delta, alternative="greater").pvalue > 1e-4


def test_rows_that_made_the_new_model_break_it():
    """A model that copies the old one on these rows, and errs on all others, does not differ."""
    found = transfer.unlabelled(risk=0.05, risk_delta=0.01, disagreements=0, n=500, delta=0.05)
    assert not found.allows(1.0)
