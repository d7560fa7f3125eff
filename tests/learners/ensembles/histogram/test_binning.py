"""Bins are a pure function of a row, heavy values stand alone, and a table of any kind has them."""

import dataclasses

import numpy as np
import pytest
from scipy import sparse

from surelearn.learners.ensembles._histogram.bin_learning import learn_bins
from surelearn.learners.ensembles._histogram.binning import MISSING, Bins
from surelearn.learners.ensembles._histogram.cut_points import cut_points

NUMBERS = np.zeros(3, dtype=np.int64)


@pytest.fixture(name="table", scope="module")
def make_table():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(5000, 3))
    table[:, 1] = np.rint(3.0 * table[:, 1])
    table[rng.random(5000) < 0.1, 2] = np.nan
    return table


def test_a_bin_is_the_number_of_cuts_below_a_cell(table):
    bins = learn_bins(table, NUMBERS)
    codes = bins.encode(table)
    for j in range(3):
        cuts = bins.cuts[bins.first_cut[j] : bins.first_cut[j + 1]]
        expected = np.searchsorted(cuts, table[:, j], side="left")
        expected[np.isnan(table[:, j])] = MISSING
        assert np.array_equal(codes[j], expected)


def test_few_values_have_a_bin_each(table):
    bins = learn_bins(table, NUMBERS)
    n_values = len(np.unique(table[:, 1]))
    assert bins.n_bins[1] == n_values
    assert len(np.unique(bins.encode(table)[1])) == n_values


def test_shares_of_many_values_are_even():
    cuts = cut_points(np.arange(10_000.0), 255)
    counts = np.bincount(np.searchsorted(cuts, np.arange(10_000.0)))
    assert len(counts) == 255
    assert counts.max() - counts.min() <= 1


@pytest.mark.parametrize("most", [2, 3, 16, 255])
def test_heavy_values_stand_alone_among_few_bins(most):
    rng = np.random.default_rng(1)
    values = np.sort(np.append(np.repeat(7.0, 9000), rng.normal(size=4000)))
    cuts = cut_points(values, most)
    assert len(cuts) < most
    assert np.array_equal(cuts, np.unique(cuts))
    sevens = np.searchsorted(cuts, 7.0)
    assert np.array_equal(values[np.searchsorted(cuts, values) == sevens], np.repeat(7.0, 9000))


def test_heavy_values_with_light_ones_between_do_not_make_too_many_bins():
    heavy = np.repeat(np.arange(0.0, 400.0, 2.0), 100)
    values = np.sort(np.append(heavy, np.arange(1.0, 400.0, 2.0)))
    assert 200 <= len(cut_points(values, 255)) < 255


@pytest.mark.parametrize("scale", [1.0, 1e300, 1e-320, 1e-308])
def test_a_cut_separates_neighbours_of_any_size(scale):
    values = np.unique(np.array([-3.0, -2.0, -1.0, 0.0, 1.0, 1.5]) * scale)
    cuts = cut_points(values, 255)
    assert np.array_equal(np.searchsorted(cuts, values), np.arange(len(values)))


def test_neighbouring_floats_are_separated():
    values = np.array([1.0, np.nextafter(1.0, 2.0), np.nextafter(np.nextafter(1.0, 2.0), 2.0)])
    assert np.array_equal(np.searchsorted(cut_points(values, 255), values), [0, 1, 2])


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_threads_do_not_matter(table, n_jobs):
    alone, together = (learn_bins(table, NUMBERS, n_jobs=jobs) for jobs in (1, n_jobs))
    assert np.array_equal(alone.cuts, together.cuts)
    assert np.array_equal(alone.encode(table), together.encode(table, n_jobs=n_jobs))


def test_a_row_alone_has_the_bins_it_has_among_others(table):
    bins = learn_bins(table, NUMBERS)
    whole = bins.encode(table)
    for i in (0, 17, 4999):
        assert np.array_equal(bins.encode(table[i : i + 1])[:, 0], whole[:, i])


@pytest.mark.parametrize(
    "form", [np.asfortranarray, lambda X: np.repeat(X, 2, axis=0)[::2], lambda X: X[::-1][::-1]]
)
def test_the_layout_in_memory_does_not_matter(table, form):
    expected = learn_bins(table, NUMBERS)
    other = form(table)
    other.flags.writeable = False
    assert np.array_equal(learn_bins(other, NUMBERS).cuts, expected.cuts)
    assert np.array_equal(expected.encode(other), expected.encode(table))


def test_single_precision_is_read_exactly(table):
    single = table.astype(np.float32)
    bins = learn_bins(single, NUMBERS)
    assert np.array_equal(bins.encode(single), bins.encode(single.astype(np.float64)))


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_matrix])
def test_sparse_tables_have_the_bins_of_dense_ones(table, kind):
    thin = np.where(np.abs(table) < 1.0, 0.0, table)
    bins = learn_bins(kind(thin), NUMBERS)
    assert np.array_equal(bins.cuts, learn_bins(thin, NUMBERS).cuts)
    assert np.array_equal(bins.encode(kind(thin)), bins.encode(thin))


def test_the_rarest_of_many_categories_share_a_bin():
    codes = np.repeat(np.arange(300.0), np.arange(300, 0, -1))[:, np.newaxis]
    with pytest.warns(UserWarning, match="the 46 rarest categories share one"):
        bins = learn_bins(codes, np.array([300]))
    assert bins.category_bins[:254].tolist() == list(range(254))
    assert set(bins.category_bins[254:].tolist()) == {254}
    assert bins.encode(np.array([[-1.0], [np.nan], [299.0], [300.0]])).tolist() == [
        [MISSING, MISSING, 254, MISSING]
    ]


def test_a_column_of_nothing_but_missing_cells_has_no_cut():
    bins = learn_bins(np.full((4, 1), np.nan), np.array([0]))
    assert bins.n_bins.tolist() == [1]
    assert bins.encode(np.array([[np.nan], [1.0]])).tolist() == [[MISSING, 0]]


def test_cuts_of_many_rows_come_from_a_sample_and_are_the_same_every_time():
    table = np.random.default_rng(2).normal(size=(60_000, 1))
    first, second = (learn_bins(table, np.array([0])) for _ in range(2))
    assert np.array_equal(first.cuts, second.cuts)
    counts = np.bincount(first.encode(table)[0])
    assert 0.7 < counts.min() / counts.mean() < counts.max() / counts.mean() < 1.3


@pytest.mark.parametrize(
    "changes",
    [
        {"first_cut": np.array([0, 9])},
        {"first_cut": np.array([1, 2])},
        {"cuts": np.array([2.0, 1.0])},
        {"cuts": np.arange(255.0), "first_cut": np.array([0, 255])},
        {"category_bins": np.array([255]), "first_category": np.array([0, 1])},
        {"category_bins": np.array([0]), "first_category": np.array([0, 1])},
    ],
)
def test_forged_bins_are_refused(changes):
    honest = Bins(np.array([1.0, 2.0]), np.array([0, 2]), np.empty(0, np.int64), np.array([0, 0]))
    honest._check_state()
    with pytest.raises(ValueError, match=r"its cuts|its categories|both"):
        dataclasses.replace(honest, **changes)._check_state()


def test_codes_have_two_bytes_only_where_one_is_not_enough():
    column = np.random.default_rng(0).permutation(3000.0 * np.arange(1000.0))[:, np.newaxis]
    column[7] = np.nan
    fine = learn_bins(column, NUMBERS[:1], max_bins=4096)
    codes = fine.encode(column, missing=fine.n_bins)[0]
    assert codes.dtype == np.uint16
    assert codes[7] == fine.n_bins[0] == 999
    there = np.delete(np.arange(1000), 7)
    np.testing.assert_array_equal(codes[there], np.argsort(np.argsort(column[there, 0])))
    coarse = learn_bins(column, NUMBERS[:1])
    assert coarse.encode(column, missing=coarse.n_bins).dtype == np.uint8
    np.testing.assert_array_equal(coarse.encode(column)[0][there], coarse.encode(column[there])[0])
