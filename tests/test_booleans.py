"""Boolean functions on all inputs: truth tables, De Morgan, normal forms, refusals."""

import itertools

import numpy as np
import pytest

from surelearn import booleans as b

ROWS = {n: np.array(list(itertools.product([0, 1], repeat=n))).reshape(2**n, n) for n in range(5)}


@pytest.mark.parametrize("n", ROWS)
def test_all_functions_have_the_truth_tables_of_python(n):
    np.testing.assert_array_equal(b.assignments(n), ROWS[n])
    rows = ROWS[n].tolist()
    assert b.truth_table(b.conjunction, n).tolist() == [int(all(row)) for row in rows]
    assert b.truth_table(b.disjunction, n).tolist() == [int(any(row)) for row in rows]
    assert b.truth_table(b.parity, n).tolist() == [sum(row) % 2 for row in rows]
    for k in range(n + 2):
        found = b.truth_table(lambda X, k=k: b.threshold(X, at_least=k), n)
        assert found.tolist() == [int(sum(row) >= k) for row in rows]


def test_de_morgan_holds_on_all_three_bit_inputs():
    X = ROWS[3]
    np.testing.assert_array_equal(b.negation(b.conjunction(X)), b.disjunction(b.negation(X)))
    np.testing.assert_array_equal(b.negation(b.disjunction(X)), b.conjunction(b.negation(X)))
    np.testing.assert_array_equal(b.conjunction(X), X.prod(axis=1))  # and is a product
    np.testing.assert_array_equal(b.disjunction(X), np.sign(X.sum(axis=1)))  # sign(0) = 0


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_both_normal_forms_of_every_function_are_that_function(n):
    for values in itertools.product([0, 1], repeat=2**n):
        for form in (b.disjunctive_normal_form, b.conjunctive_normal_form):
            formula = form(values)
            np.testing.assert_array_equal(formula.holds(ROWS[n]), np.array(values) == 1)
            assert str(formula)


def test_an_empty_formula_is_a_constant_and_says_so():
    assert str(b.disjunctive_normal_form([0, 0])) == "false"
    assert str(b.conjunctive_normal_form([1, 1])) == "true"
    assert str(b.NormalForm("disjunctive", ((), (0,)), 1)) == "true"
    assert str(b.NormalForm("conjunctive", ((), (0,)), 1)) == "false"
    assert str(b.NormalForm("conjunctive", ((0, 3), (1,)), 2)) == "(x0 or not x1) and x1"


@pytest.mark.parametrize("bits", [[0, 2], [0.5], ["0", "1"], [np.nan], [-1, 1]])
def test_what_is_no_bit_is_refused(bits):
    with pytest.raises(ValueError, match="0 and 1"):
        b.disjunction(bits)


def test_tables_and_formulas_that_are_none_are_refused():
    with pytest.raises(ValueError, match="n_variables"):
        b.truth_table(b.parity, 40)
    with pytest.raises(ValueError, match="one bit for each"):
        b.truth_table(lambda X: X, 2)
    with pytest.raises(ValueError, match="truth table"):
        b.disjunctive_normal_form([0, 1, 1])
    with pytest.raises(ValueError, match="truth table"):
        b.disjunctive_normal_form([])
    with pytest.raises(ValueError, match="literal 4"):
        b.NormalForm("disjunctive", ((4,),), 2)
    with pytest.raises(ValueError, match="column for each"):
        b.NormalForm("disjunctive", ((0,),), 2).holds([[1, 0, 1]])
    with pytest.raises(ValueError, match="kind="):
        b.NormalForm("dnf", ((0,),), 2)
