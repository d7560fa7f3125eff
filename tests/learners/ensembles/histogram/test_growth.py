"""Growth equals its plain version, whatever the threads, the flushes and the memory."""

import numpy as np
import pytest

from reference import histogram_tree
from surelearn import _threads
from surelearn._jit import jit
from surelearn.learners.ensembles._histogram import histogram, records, training
from surelearn.learners.ensembles._histogram.bin_learning import learn_bins
from surelearn.learners.ensembles._histogram.grower import CHILD, FEATURE, START, STOP
from surelearn.learners.ensembles._histogram.training import GrowthLimits, TreeGrower

ALONE = _threads.Workers(None, 1)


def make(n=300, d=11, seed=0, *, gaps=True, sets=True):
    """Return codes of numbers and categories, with whole gradients that fill their fields."""
    rng = np.random.default_rng(seed)
    X = np.rint(rng.normal(size=(n, d)) * np.linspace(0.5, 30.0, d))
    n_categories = np.zeros(d, dtype=np.int64)
    if sets:
        X[:, 2] = rng.integers(0, 7, size=n)
        n_categories[2] = 7
    if gaps:
        X[rng.random((n, d)) < 0.1] = np.nan
    bins = learn_bins(X, n_categories)
    fields = records.Fields.of(n)
    signal = np.nan_to_num(X[:, 0]) * 40.0 - 90.0 * np.isin(X[:, 2], (1, 4)) + X[:, 3].clip(-9, 9)
    g = np.rint(np.nan_to_num(signal) * 3.0 + rng.normal(size=n) * 50.0)
    h = np.rint(rng.uniform(1.0, 900.0, size=n))
    g[0], h[0] = fields.gradient, fields.hessian
    return bins, bins.encode(X), g, h


def grown(bins, codes, g, h, limits, *, workers=ALONE, signs=None, **how):
    signs = np.zeros(len(codes), dtype=np.int64) if signs is None else signs
    grower = TreeGrower(codes, bins, limits, signs=signs, workers=workers)
    return grower.grow(g, h, number=0, **how)


@pytest.mark.parametrize(
    "other",
    [
        lambda g: g.astype(np.float32),
        lambda g: np.repeat(g, 2)[::2],
        lambda g: np.lib.stride_tricks.as_strided(g, writeable=False),
    ],
    ids=["single precision", "gaps", "read-only"],
)
def test_slopes_of_a_kind_that_tasks_are_not_compiled_for_are_refused(other):
    bins, codes, g, h = make()
    for slopes in ((other(g), h), (g, other(h))):
        with pytest.raises(TypeError, match="arrays of doubles without gaps"):
            grown(bins, codes, *slopes, GrowthLimits())


def splits_of(tree):
    """Return the splits in the order in which they were made, as the plain version does."""
    facts = tree.facts
    inner = [node for node in range(len(facts)) if facts[node, CHILD] > 0]
    found = []
    for node in sorted(inner, key=lambda node: facts[node, CHILD]):
        sides = [
            np.sort(tree.rows[facts[c, START] : facts[c, STOP]])
            for c in (facts[node, CHILD], facts[node, CHILD] + 1)
        ]
        found.append((facts[node, FEATURE], *sides))
    return found


@pytest.mark.parametrize("seed", [0, *(pytest.param(s, marks=pytest.mark.slow) for s in (1, 2))])
@pytest.mark.parametrize(
    ("l2", "set_l2", "rare"), [(0.0, 0.0, 1), (500.0, 0.0, 1), (500.0, 2000.0, 9), (0.0, 0.0, 40)]
)
def test_a_tree_equals_its_plain_version(seed, l2, set_l2, rare):
    bins, codes, g, h = make(seed=seed)
    limits = GrowthLimits(max_leaves=12, min_rows=5, l2=l2, set_l2=set_l2, rare_rows=rare)
    expected = histogram_tree.grow(
        codes,
        g,
        h,
        bins.n_bins,
        bins.is_categorical,
        max_leaves=12,
        min_rows=5,
        l2=l2,
        set_l2=set_l2,
        rare=rare,
    )
    found = splits_of(grown(bins, codes, g, h, limits))
    assert len(found) == len(expected) == 11
    for (feature, *sides), (other, *others) in zip(found, expected, strict=True):
        assert feature == other
        for side, its in zip(sides, others, strict=True):
            np.testing.assert_array_equal(side, its)


def test_depth_is_limited():
    bins, codes, g, h = make()
    tree = grown(bins, codes, g, h, GrowthLimits(max_leaves=31, min_rows=5, max_depth=2))
    assert len(tree.facts) == 7


def same(one, other):
    for part, its in zip(one, other, strict=True):
        np.testing.assert_array_equal(part, its)


@pytest.mark.parametrize("n_workers", [2, 3, 5])
def test_threads_do_not_matter(n_workers):
    bins, codes, g, h = make(n=20_000, d=19)
    g, h = np.random.default_rng(1).normal(size=(2, 20_000))
    h = np.abs(h)
    alone = grown(bins, codes, g, h, GrowthLimits())
    for _ in range(3):
        with _threads.workers(n_workers) as crew:
            same(grown(bins, codes, g, h, GrowthLimits(), workers=crew), alone)


def test_forced_flushes_do_not_matter(monkeypatch):
    bins, codes, g, h = make(n=9000)
    rare = grown(bins, codes, g, h, GrowthLimits())
    fields = records.Fields.of(9000)
    monkeypatch.setattr(records.Fields, "of", lambda *_: fields._replace(rows_added=64))
    same(grown(bins, codes, g, h, GrowthLimits()), rare)
    assert fields.rows_added == 8192
    assert len(rare.facts) == 61


def test_forgotten_histograms_are_counted_again(monkeypatch):
    bins, codes, g, h = make(n=3000)
    whole = grown(bins, codes, g, h, GrowthLimits(min_rows=5))
    monkeypatch.setattr(training, "_MEMORY", 1)
    same(grown(bins, codes, g, h, GrowthLimits(min_rows=5))[1:], whole[1:])


def test_a_tree_of_some_rows_and_columns_sees_no_others():
    bins, codes, g, h = make(n=2000)
    rows = np.arange(0, 2000, 3)
    columns = np.array([3, 7])
    tree = grown(bins, codes, g, h, GrowthLimits(), rows=rows, columns=columns)
    np.testing.assert_array_equal(np.sort(tree.rows), rows)
    assert set(tree.facts[tree.facts[:, CHILD] > 0, FEATURE]) <= {3, 7}


@pytest.mark.parametrize("most", [1, 2])
def test_a_tree_asks_about_few_features(most):
    bins, codes, g, h = make(n=2000)
    tree = grown(bins, codes, g, h, GrowthLimits(most_features=most, min_rows=5))
    asked = set(tree.facts[tree.facts[:, CHILD] > 0, FEATURE].tolist())
    assert len(asked) == most
    assert len(tree.facts) > 5


@jit
def count_words(rows, bounds, table, starts, rows_added, scratch, sums):
    """An entrance to the loop, which has none."""
    histogram.count_words(rows, bounds, table, starts, rows_added, scratch, sums)


@pytest.mark.parametrize("rows_added", [16, 64, 8192])
@pytest.mark.parametrize("words", [(0, 2), (1, 2)])
def test_sums_are_those_of_whole_numbers(rows_added, words):
    bins, codes, _, _ = make(n=700)
    fields, rng = records.Fields.of(700, rows_added), np.random.default_rng(3)
    g = rng.integers(-fields.gradient, fields.gradient + 1, size=700).astype(float)
    h = rng.integers(0, fields.hessian + 1, size=700).astype(float)
    table = records.empty_records(700, 11)
    records.pack_codes(codes, 0, 700, table)
    records.write_gradients(g, h, np.ones(2), 0, 0, 700, table, table.shape[1] - 1)
    starts = np.append(0, np.cumsum(bins.n_bins + 1))
    rows = np.sort(rng.choice(700, 500, replace=False)).astype(np.int32)
    sums = np.full((2, starts[-1]), 7)
    scratch = np.zeros(histogram.SCRATCH, dtype=np.uint64)
    for _ in range(2):  # the second time with the tables that the first one left
        count_words(
            rows, np.array([0, 500, *words]), table, starts, fields.rows_added, scratch, sums
        )
    for j in range(8 * words[0], 11):
        places = np.where(codes[j] == 255, bins.n_bins[j], codes[j])[rows]
        size = bins.n_bins[j] + 1
        own = slice(starts[j], starts[j + 1])
        np.testing.assert_array_equal(sums[0, own], np.bincount(places, g[rows], size))
        np.testing.assert_array_equal(sums[1, own] >> 26, np.bincount(places, h[rows], size))
        np.testing.assert_array_equal(sums[1, own] & (2**26 - 1), np.bincount(places, None, size))


def test_rounding_has_no_bias():
    n = 40_000
    table = records.empty_records(n, 1)
    small = np.full(n, 0.3)
    records.write_gradients(-small, small, np.ones(2), 5, 0, n, table, 1)
    words = table[:, 1].astype(np.int64)
    assert set((words >> 38).tolist()) == {-1, 0}
    assert abs((words >> 38).mean() + 0.3) < 0.01
    assert abs(((words >> 14) & (2**24 - 1)).mean() - 0.3) < 0.01
