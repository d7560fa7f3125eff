"""What holds for every impurity in `surelearn.impurities`, discovered, never listed."""

import copy
import inspect
import pickle

import numpy as np
import pytest

from surelearn import impurities
from surelearn.impurities import Impurity

IMPURITIES = {
    name: member()
    for name, member in vars(impurities).items()
    if inspect.isclass(member) and issubclass(member, Impurity) and not inspect.isabstract(member)
}
every_impurity = pytest.mark.parametrize("name", IMPURITIES)


def test_the_four_impurities_are_found():
    assert set(IMPURITIES) >= {"Misclassification", "Gini", "Entropy", "SquareRoot"}


@every_impurity
def test_psi_is_symmetric_zero_at_the_ends_and_a_half_in_the_middle(name):
    psi = IMPURITIES[name].psi
    p = np.arange(0, 1025) / 1024  # 1 - p is exact
    assert np.array_equal(psi(p), psi(1 - p))
    assert psi([0.0, 1.0]).tolist() == [0.0, 0.0]
    assert psi(0.5) == pytest.approx(0.5, rel=1e-15)
    assert (psi(p[1:-1]) > 0.0).all()


@every_impurity
def test_psi_is_concave_and_bounds_the_training_error(name):
    p = np.linspace(0.0, 1.0, 2001)
    psi = IMPURITIES[name].psi(p)
    assert np.diff(psi, n=2).max() <= 1e-15
    assert (psi >= np.minimum(p, 1 - p) - 1e-15).all()


@every_impurity
def test_counts_of_two_classes_give_psi_times_the_stated_scale(name):
    impurity = IMPURITIES[name]
    p = np.linspace(0.0, 1.0, 101)
    counts = 37.0 * np.stack([p, 1 - p], axis=-1)
    assert impurity(counts) == pytest.approx(impurity.scale * impurity.psi(p), abs=1e-14)


@every_impurity
def test_it_ignores_the_order_of_classes_absent_classes_and_the_scale_of_the_weights(name):
    impurity = IMPURITIES[name]
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 20, size=(50, 4)).astype(float)
    expected = impurity(counts)
    assert impurity(counts[:, rng.permutation(4)]) == pytest.approx(expected, abs=1e-14)
    assert impurity(0.125 * counts) == pytest.approx(expected, abs=1e-14)
    padded = np.concatenate([counts, np.zeros((50, 2))], axis=1)
    assert impurity(padded) == pytest.approx(expected, abs=1e-14)
    assert [float(impurity(row)) for row in counts] == expected.tolist()


@every_impurity
def test_a_pure_node_and_an_empty_node_have_none(name):
    impurity = IMPURITIES[name]
    assert impurity([[7, 0, 0], [0, 0, 3], [0, 0, 0]]).tolist() == [0.0, 0.0, 0.0]
    assert impurity([4]) == 0.0


@every_impurity
def test_it_is_largest_where_all_classes_are_equally_likely(name):
    impurity = IMPURITIES[name]
    rng = np.random.default_rng(1)
    assert (impurity(rng.random((500, 5))) <= impurity(np.ones(5)) + 1e-14).all()


@every_impurity
def test_no_split_raises_the_mean_impurity(name):
    impurity = IMPURITIES[name]
    rng = np.random.default_rng(2)
    children = rng.integers(0, 12, size=(20_000, 3, 3)).astype(float)
    sizes = children.sum(axis=-1)
    after = (sizes * impurity(children)).sum(axis=-1)
    before = sizes.sum(axis=-1) * impurity(children.sum(axis=-2))
    assert (after <= before + 1e-10).all()
    expected = np.maximum(0.0, before - after) / np.maximum(sizes.sum(axis=-1), 1.0)
    assert impurity.gain(children) == pytest.approx(expected, abs=1e-12)


@every_impurity
def test_a_useless_split_gains_nothing_and_never_less(name):
    impurity = IMPURITIES[name]
    rng = np.random.default_rng(3)
    node = rng.random((500, 4))
    children = node[:, None, :] * rng.random((500, 3))[:, :, None]
    gain = impurity.gain(children)
    assert (gain >= 0.0).all()
    assert gain.max() < 1e-14


@every_impurity
def test_it_survives_pickling_and_its_own_repr(name):
    impurity = IMPURITIES[name]
    assert pickle.loads(pickle.dumps(impurity)) == impurity  # noqa: S301
    assert eval(repr(impurity), dict(vars(impurities))) == copy.deepcopy(impurity)  # noqa: S307
    assert "Examples\n" in inspect.getdoc(type(impurity))


@every_impurity
@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([1, -1], ">= 0"),
        ([1, np.nan], "finite"),
        ([1, np.inf], "finite"),
        ([], "axes"),
        (3, "axes"),
    ],
)
def test_what_is_no_count_is_refused(name, counts, message):
    with pytest.raises(ValueError, match=message):
        IMPURITIES[name](counts)


@every_impurity
@pytest.mark.parametrize("p", [-0.1, 1.1, np.nan])
def test_what_is_no_fraction_is_refused(name, p):
    with pytest.raises(ValueError, match=r"p must lie in \[0, 1\]"):
        IMPURITIES[name].psi([0.5, p])


@every_impurity
def test_inputs_are_left_alone(name):
    counts = np.array([[[3.0, 1.0], [1.0, 3.0]]])
    counts.flags.writeable = False
    IMPURITIES[name](counts)
    IMPURITIES[name].gain(counts)
    assert counts.tolist() == [[[3.0, 1.0], [1.0, 3.0]]]
