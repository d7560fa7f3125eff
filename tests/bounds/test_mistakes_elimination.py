"""Mistakes of elimination: known values, exact integers, duality."""

import math

import pytest

from surelearn.bounds import mistakes_boolean, mistakes_elimination


@pytest.mark.parametrize(("n", "k"), [(1, 0), (4, 2), (10, 10)])
def test_conjunctions_have_the_bounds_of_disjunctions(n, k):
    for name in ("conjunction", "monotone_conjunction"):
        dual = name.replace("conjunction", "disjunction")
        inputs = {"n_variables": n, "n_relevant": k}
        found = getattr(mistakes_elimination, name)(**inputs).bound
        assert found == getattr(mistakes_boolean, dual)(**inputs).bound


def test_terms_of_one_literal_have_the_bound_of_disjunctions():
    for n in (1, 3, 20):
        found = mistakes_elimination.k_dnf(n_variables=n, n_literals=1, n_relevant=1).bound
        assert found == mistakes_boolean.disjunction(n_variables=n, n_relevant=1).bound


@pytest.mark.parametrize("name", ["k_dnf", "k_cnf"])
def test_the_bound_is_one_and_the_terms_that_a_row_leaves(name):
    theorem = getattr(mistakes_elimination, name)
    assert theorem(n_variables=10, n_literals=2).bound == 1 + 180 - 45
    assert theorem(n_variables=10, n_literals=2, n_relevant=5).bound == 131.0
    assert theorem(n_variables=2, n_literals=2, n_relevant=3).bound == 1.0
    with pytest.raises(ValueError, match="n_relevant"):
        theorem(n_variables=2, n_literals=2, n_relevant=4)
    for n_literals in (0, 3, 65):
        with pytest.raises(ValueError, match="n_literals"):
            theorem(n_variables=2 if n_literals < 65 else 100, n_literals=n_literals)


def test_integers_that_no_float_equals_are_rounded_upwards():
    for n in (10**6, 10**9, 10**18):
        exact = 1 + math.comb(n, 3) * 7
        assert mistakes_elimination.k_dnf(n_variables=n, n_literals=3).bound >= exact
    with pytest.raises(ValueError, match="beyond what floating-point"):
        mistakes_elimination.k_dnf(n_variables=10**30, n_literals=64)
