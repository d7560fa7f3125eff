"""Kernels over conjunctions: exact on bits, and beyond the range of doubles."""

import itertools
import math

import numpy as np
import pytest
from scipy import special

from surelearn.kernels import Agreement, Anova

A, B = np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])
BITS = np.array(list(itertools.product([0, 1], repeat=4)))


def conjunctions(bits, *, negated):
    """Return the truth value of every conjunction of bits (and of negated bits) on each row."""
    signs = (None, 1, 0) if negated else (None, 1)
    return np.array(
        [
            [all(s is None or s == b for s, b in zip(term, row, strict=True)) for row in bits]
            for term in itertools.product(signs, repeat=bits.shape[1])
        ]
    ).T.astype(float)


def test_anova_counts_sets_of_features():
    assert Anova()(A, B).item() == 36.0 == 1 + 3 + 8 + 24


def test_anova_on_bits_is_the_inner_product_of_all_monotone_conjunctions():
    explicit = conjunctions(BITS, negated=False)
    assert explicit.shape[1] == 16
    assert np.array_equal(Anova()(BITS), explicit @ explicit.T)


def test_agreement_is_the_inner_product_of_all_conjunctions():
    explicit = conjunctions(BITS, negated=True)
    assert explicit.shape[1] == 81
    assert np.array_equal(Agreement()(BITS), explicit @ explicit.T)


def test_powers_of_two_are_exact_up_to_the_largest_double():
    points = np.tril(np.ones((1023, 1023)))
    expected = [float(2**k) for k in range(1, 1024)]
    assert Anova()(points[-1:], points)[0].tolist() == expected
    assert Agreement()(points[-1:], points)[0].tolist() == expected


def test_beyond_it_there_are_logarithms_and_cosines():
    rng = np.random.default_rng(0)
    points = (rng.random((6, 3000)) < 0.5).astype(float)
    common = points @ points.T
    agreements = (points[:, None, :] == points[None, :, :]).sum(axis=2)
    assert np.array_equal(Anova().log2(points), common)
    assert np.array_equal(Agreement().log2(points, points.copy()), agreements)
    assert np.array_equal(Agreement().normalised()(points), np.exp2(agreements - 3000.0))
    for kernel in (Anova(), Agreement()):
        with pytest.raises(ValueError, match="normalised"):
            kernel(points)
    near = points[:1].repeat(3, axis=0)
    near[1, 0] = 1 - near[1, 0]
    assert Anova().normalised()(near)[0] == pytest.approx([1.0, math.sqrt(0.5), 1.0], rel=1e-12)


def test_the_cosine_of_many_real_features_does_not_overflow():
    rng = np.random.default_rng(1)
    points = 10.0 * rng.standard_normal((5, 1000))
    gram = Anova().normalised()(np.concatenate([points, points + 1e-3]))
    assert (np.diag(gram) == 1.0).all()
    assert (np.diag(gram, 5) > 0.99).all()
    few = points[:, :20]
    raw = Anova()(few)
    lengths = np.sqrt(np.outer(np.diag(raw), np.diag(raw)))
    assert Anova().normalised()(few) * lengths == pytest.approx(raw, rel=1e-9)


@pytest.mark.parametrize("order", [1, 2, 3, 5])
def test_one_order_keeps_the_sets_of_that_size(order):
    rng = np.random.default_rng(2)
    x, z = rng.standard_normal((6, 4)), rng.standard_normal((5, 4))
    sets = itertools.combinations(range(4), order)
    expected = sum(
        (x[:, s].prod(axis=1)[:, None] * z[:, s].prod(axis=1) for s in map(list, sets)), 0.0
    )
    assert Anova(order=order)(x, z) == pytest.approx(expected * np.ones((6, 5)), abs=1e-13)
    common = BITS @ BITS.T
    assert np.array_equal(Anova(order=order)(BITS), special.comb(common, order))


def test_all_orders_add_up_to_the_whole():
    parts = Anova(order=1) + Anova(order=2) + Anova(order=3) + Anova(order=4) + 1.0
    rng = np.random.default_rng(3)
    x = rng.standard_normal((8, 4))
    assert parts(x) == pytest.approx(Anova()(x), rel=1e-12)


def test_only_bits_agree():
    with pytest.raises(ValueError, match="only 0 and 1"):
        Agreement()([[0.0, 2.0]])
    with pytest.raises(ValueError, match="only 0 and 1"):
        Anova().log2([[0.0, 2.0]])
    with pytest.raises(ValueError, match="not a power of two"):
        Anova(order=2).log2([[0, 1]])
    with pytest.raises(ValueError, match="order=0"):
        Anova(order=0)


@pytest.mark.parametrize("order", [3, 2**31, 10**30])
def test_no_set_is_larger_than_all_features(order):
    assert Anova(order=order)(A, B) == 0.0
