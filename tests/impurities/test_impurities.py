"""Impurities: the numbers of the catalogue and agreement with scikit-learn's trees."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from surelearn import impurities
from surelearn._jit import jit
from surelearn.impurities import (
    Entropy,
    Gini,
    Misclassification,
    SquareRoot,
    compiled,
    conditional_entropy,
    gain_ratio,
    information_gain,
    split_information,
    variance,
    variance_gain,
)

ORDERED = (Misclassification(), Gini(), Entropy(), SquareRoot())
ROWS = np.reshape(list("SHHWSHHSOHHWRMHWRCNWRCNSOCNSSMHWSCNWRMNWSMNSOMHSOHNWRMHS"), (14, 4))
PLAY = np.array(list("nnyyynynyyyyyn")) == "y"


def children_of(values):
    """Return the class counts of each value of a feature of the weather table."""
    return [[np.sum(values[PLAY] == v), np.sum(values[~PLAY] == v)] for v in np.unique(values)]


WEATHER = [children_of(column) for column in ROWS.T]


def test_the_three_impurities_of_five_three_two():
    counts = [5, 3, 2]
    assert Misclassification()(counts) == 0.5
    assert Gini()(counts) == pytest.approx(0.62, abs=1e-15)
    assert Entropy()(counts) == pytest.approx(1.4854752972, abs=5e-11)
    assert Entropy()(counts) * math.log(2.0) == pytest.approx(1.0296530141, abs=5e-11)


def test_the_training_error_is_blind_to_a_split_that_the_others_see():
    a, b = [[300, 100], [100, 300]], [[200, 400], [200, 0]]
    left = [0.25, 0.25], [0.375, 1 / 3], [0.8112781, 0.6887219]
    for impurity, expected in zip(ORDERED, left, strict=False):
        remaining = impurity([400, 400]) - impurity.gain([a, b])
        assert remaining == pytest.approx(expected, abs=5e-8)


def test_the_min_pathology_of_the_catalogue():
    gains = [impurity.gain([[30, 20], [50, 0]]) / impurity.scale for impurity in ORDERED]
    assert gains == pytest.approx([0.0, 0.08, 0.118226, 0.155051], abs=5e-7)


def test_the_four_functions_are_ordered_with_the_gaps_of_the_catalogue():
    p = np.linspace(0.0, 1.0, 200_001)
    curves = [impurity.psi(p) for impurity in ORDERED]
    gaps = [upper - lower for lower, upper in itertools.pairwise(curves)]
    assert all((gap >= -1e-15).all() for gap in gaps)
    assert [gap.max() for gap in gaps] == pytest.approx([0.125, 0.054525, 0.074925], abs=5e-7)


def test_two_leaves_share_the_training_error_of_the_catalogue():
    leaves = np.array([[3, 2], [7, 3]])
    errors = (leaves.sum(axis=1) * Misclassification()(leaves)).sum()
    assert errors / leaves.sum() == pytest.approx(5 / 15, rel=1e-15)


def test_gini_of_three_tenths():
    assert Gini().psi(0.3) == pytest.approx(0.42, abs=1e-15)


@pytest.mark.parametrize("classes", [2, 3, 10])
def test_the_uniform_law_attains_the_end_of_each_range(classes):
    uniform = np.ones(classes)
    assert Entropy()(uniform) == pytest.approx(math.log2(classes), rel=1e-15)
    assert Gini()(uniform) == pytest.approx(1 - 1 / classes, rel=1e-15)
    assert Misclassification()(uniform) == pytest.approx(1 - 1 / classes, rel=1e-15)
    assert SquareRoot()(uniform) == pytest.approx((classes - 1) / 2, rel=1e-14)


def test_the_gini_example_with_its_digit_corrected():
    table = {"00": (1, 1), "01": (2, 1), "10": (3, 1), "11": (4, 2)}

    def exact(split):
        """Return Gini before and after a split, in rationals."""
        sides = [[table[k] for k in table if k[split] == bit] for bit in "01"]
        counts = [tuple(map(sum, zip(*side, strict=True))) for side in sides]
        gini = [2 * Fraction(a, a + b) * Fraction(b, a + b) for a, b in counts]
        total = sum(a + b for a, b in counts)
        after = sum(g * (a + b) for g, (a, b) in zip(gini, counts, strict=True)) / total
        return counts, Fraction(4, 9) - after

    for split, expected in ((0, Fraction(1, 225)), (1, Fraction(0))):
        counts, gain = exact(split)
        assert gain == expected
        assert Gini().gain(counts) == pytest.approx(float(gain), abs=1e-15)
        assert Misclassification().gain(counts) == pytest.approx(0.0, abs=1e-15)
    assert Gini()([10, 5]) == pytest.approx(4 / 9, rel=1e-15)
    assert Gini()([6, 3]) == pytest.approx(4 / 9)  # printed with 7/9, which would give 22/45


def test_the_weather_table_has_the_entropies_of_the_catalogue():
    assert Entropy()([9, 5]) == pytest.approx(0.9402859587, abs=5e-11)
    assert Gini()([9, 5]) == pytest.approx(0.4591836735, abs=5e-11)
    gains = [information_gain(children) for children in WEATHER]
    assert gains == pytest.approx(
        [0.2467498198, 0.0292225657, 0.1518355014, 0.0481270304], abs=5e-11
    )
    split = [split_information(children) for children in WEATHER]
    assert split == pytest.approx([1.5774062829, 1.5566567075, 1.0, 0.9852281360], abs=5e-11)
    ratios = [gain_ratio(children) for children in WEATHER]
    assert ratios == pytest.approx(
        [0.1564275624, 0.0187726462, 0.1518355014, 0.0488486155], abs=5e-11
    )


def test_gain_is_entropy_minus_conditional_entropy():
    for children in WEATHER:
        assert Entropy()([9, 5]) - conditional_entropy(children) == pytest.approx(
            information_gain(children), abs=1e-14
        )


def test_a_column_of_identifiers_wins_by_gain_but_not_by_gain_ratio():
    identifiers = np.stack([PLAY, ~PLAY], axis=1)
    assert information_gain(identifiers) == pytest.approx(0.9402859587, abs=5e-11)
    assert gain_ratio(identifiers) == pytest.approx(0.2469656698, abs=5e-11)


def test_a_constant_feature_has_no_gain_ratio():
    assert np.isnan(gain_ratio([[9, 5]]))
    assert np.isnan(gain_ratio([[9, 5], [0, 0]]))
    assert information_gain([[9, 5]]) == 0.0


def test_many_splits_are_judged_at_once():
    padded = np.zeros((4, 3, 2))
    for j, children in enumerate(WEATHER):
        padded[j, : len(children)] = children
    for criterion in (information_gain, split_information, gain_ratio, conditional_entropy):
        assert criterion(padded) == pytest.approx([criterion(c) for c in WEATHER], rel=1e-14)


def test_one_child_against_ninety_nine_has_a_high_ratio_and_a_low_gain():
    children = [[1, 0], [49, 50]]
    assert information_gain(children) == pytest.approx(0.0100729, abs=5e-8)
    assert gain_ratio(children) == pytest.approx(0.1246748, abs=5e-8)


@pytest.mark.parametrize(
    ("criterion", "impurity"), [("gini", Gini()), ("entropy", Entropy())], ids=["gini", "entropy"]
)
def test_the_scale_is_that_of_scikit_learn(criterion, impurity):
    rng = np.random.default_rng(0)
    X, y = rng.random((200, 3)), rng.integers(0, 3, 200)
    tree = DecisionTreeClassifier(criterion=criterion, random_state=0).fit(X, y).tree_
    counts = tree.value[:, 0, :] * tree.weighted_n_node_samples[:, None]
    assert tree.impurity == pytest.approx(impurity(counts), abs=1e-12)


def test_the_variance_is_that_of_scikit_learns_regression_tree():
    rng = np.random.default_rng(1)
    X, y, weights = rng.random((200, 1)), rng.standard_normal(200) + 1e3, rng.random(200)
    tree = DecisionTreeRegressor(max_depth=1).fit(X, y, sample_weight=weights).tree_
    left = X[:, 0] <= tree.threshold[0]
    assert variance(y, weights=weights) == pytest.approx(tree.impurity[0], rel=1e-6)
    sizes = [weights[left].sum(), weights[~left].sum()]
    sums = [weights[left] @ y[left], weights[~left] @ y[~left]]
    share = np.array(sizes) / weights.sum()
    expected = tree.impurity[0] - share @ tree.impurity[1:]
    assert variance_gain(sizes, sums) == pytest.approx(expected, rel=1e-4)


def test_the_variance_gain_is_the_drop_in_variance_and_ignores_an_empty_child():
    y = np.array([1.0, 2.0, 3.0, 6.0])
    drop = variance(y) - 0.5 * variance(y[:2]) - 0.5 * variance(y[2:])
    assert variance_gain([2, 2, 0], [3.0, 9.0, 0.0]) == pytest.approx(drop, rel=1e-15)


def test_the_variance_of_values_far_from_zero_does_not_cancel():
    assert variance(np.array([1.0, 2.0, 3.0]) + 2.0**40) == 2 / 3
    assert variance(np.array([4.0, 7.0, 13.0, 16.0]) + 1e9) == 22.5  # by raw moments: -128
    assert variance(np.array([1.0] * 3 + [0.0] * 7)) == pytest.approx(0.21)
    assert variance_gain([1, 1], [2.0**40, 2.0**40 + 2.0]) == 1.0


def test_an_alias_and_the_object_are_the_same_impurity():
    for alias in impurities.ALIASES:
        impurity = impurities.of(alias)
        assert impurities.of(impurity) is impurity
        assert impurity.alias == alias
    with pytest.raises(ValueError, match="criterion='variance' must be one of"):
        impurities.of("variance")


@jit
def impurity_of(code, counts, total, table):
    """What loops of trees do with a node."""
    classes = compiled.ClassSum(0.0, 0.0)
    for k in range(len(counts)):
        classes = compiled.add_class(code, classes, counts[k], total, 1.0, table)
    return compiled.weighted_impurity(code, classes, total, 1.0, table) / total


@pytest.mark.parametrize("alias", impurities.ALIASES)
def test_the_compiled_form_sums_to_the_same_impurity(alias):
    impurity, no_table = impurities.of(alias), np.empty(0, dtype=np.int64)
    for counts in np.random.default_rng(0).gamma(1.0, size=(50, 4)):
        found = impurity_of(impurity.code, counts, counts.sum(), no_table)
        assert found == pytest.approx(impurity(counts), rel=1e-12)
