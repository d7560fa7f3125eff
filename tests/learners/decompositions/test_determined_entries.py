"""A completion says which of its entries the known ones determine, and which it has chosen."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from reference import determined_entries as plain
from surelearn import (
    AlternatingLeastSquares,
    MatrixCompletion,
    RankOneCompletion,
    SoftImpute,
    complete_rank_one,
)
from surelearn.learners.decompositions import _freedom
from surelearn.persistence.model_files import load_model, save_model

NAN = np.nan
EXAMPLE = np.array([[1, NAN, NAN], [NAN, 2, NAN], [NAN, 6, 9], [NAN, NAN, 3], [4, 4, NAN]])
TRUTH = np.array([[1, 1, 1.5], [2, 2, 3], [6, 6, 9], [2, 2, 3], [4, 4, 6]])
TWO_PARTS = np.array([[1, 2, NAN, NAN], [2, NAN, NAN, NAN], [NAN, NAN, 3, 1.0]])
COMPLETERS = (MatrixCompletion, AlternatingLeastSquares)


def table(m, n, rank, share, seed):
    rng = np.random.default_rng(seed)
    full = rng.normal(size=(m, rank)) @ rng.normal(size=(rank, n))
    seen = rng.random((m, n)) < share
    seen[np.arange(m), np.arange(m) % n] = seen[np.arange(n) % m, np.arange(n)] = True
    return np.where(seen, full, NAN), full


def fitted(model, X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X)


@pytest.mark.parametrize("learner", COMPLETERS)
def test_a_pattern_in_two_parts_is_not_filled_without_a_word(learner):
    with pytest.warns(UserWarning, match="entries of 3 of 3 rows are not determined"):
        model = learner(rank=1).fit(TWO_PARTS)
    np.testing.assert_array_equal(model.determined_, plain.connected(TWO_PARTS))


@pytest.mark.parametrize("learner", COMPLETERS)
def test_a_row_with_fewer_entries_than_the_rank_is_open(learner):
    X, _ = table(12, 10, 2, 1.0, 0)
    X[4, 1:] = NAN
    with pytest.warns(UserWarning, match="of 1 of 12 rows are not determined.*rank 2"):
        model = learner(rank=2).fit(X)
    expected = np.ones(X.shape, dtype=bool)
    expected[4, 1:] = False
    np.testing.assert_array_equal(model.determined_, expected)
    with pytest.warns(UserWarning, match="1 of 12 rows know too few entries"):
        model.transform(X)


@pytest.mark.parametrize("learner", COMPLETERS)
def test_a_pattern_that_determines_everything_is_completed_without_a_warning(learner):
    model = learner(rank=1).fit(EXAMPLE)
    assert model.determined_.all()
    X, full = table(30, 20, 2, 0.6, 1)
    model = learner(rank=2).fit(X)
    assert model.determined_.all()
    np.testing.assert_allclose(model.completed(), full, atol=1e-6)


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("seed", range(6))
def test_the_mask_equals_the_definition(rank, seed):
    X, _ = table(7, 6, rank, 0.25 + 0.1 * rank, seed)
    model = fitted(AlternatingLeastSquares(rank=rank, max_iter=300), X)
    expected = plain.determined(~np.isnan(X), model.low_rank_.left, model.low_rank_.right)
    np.testing.assert_array_equal(model.determined_, expected)
    if rank == 1:
        np.testing.assert_array_equal(expected, plain.connected(X))


@pytest.mark.parametrize("share", [0.12, 0.5])
def test_the_iteration_for_large_matrices_says_what_the_decomposition_says(share, monkeypatch):
    X, _ = table(40, 30, 2, share, 3)
    known = sparse.csr_array(np.where(np.isnan(X), 0.0, X))
    sides = [np.random.default_rng(4).normal(size=(size, 2)) for size in X.shape]
    whole = _freedom.freedom_of_rank(known, *sides).determined()
    monkeypatch.setattr(_freedom, "_DENSE", 0)
    np.testing.assert_array_equal(_freedom.freedom_of_rank(known, *sides).determined(), whole)
    assert whole.all() == (share == 0.5)


def test_another_completion_differs_exactly_where_it_may():
    X, full = table(6, 5, 1, 0.3, 2)
    first, second = (
        fitted(MatrixCompletion(start=start, tolerance=1e-13, max_iter=20_000), X)
        for start in ("column-means", "global-mean")
    )
    sure = first.determined_
    assert 0 < np.count_nonzero(sure) < sure.size
    np.testing.assert_allclose(first.completed()[sure], full[sure], atol=1e-6)
    assert np.abs(first.completed() - second.completed())[~sure].max() > 1e-3


def test_a_zero_makes_a_row_or_a_column_zero_and_joins_nothing():
    X = np.array([[0, 1.0, NAN], [NAN, NAN, 2.0], [NAN, 3.0, NAN]])
    model = fitted(MatrixCompletion(rank=1), X)
    expected = [[True, True, False], [True, False, True], [True, True, False]]
    assert model.determined_.tolist() == expected
    found = complete_rank_one(X)
    assert found.determined.tolist() == expected
    assert found.matrix[:, 0].tolist() == [0.0, 0.0, 0.0]
    silent = complete_rank_one([[0.0, 0.0], [0.0, NAN]])
    assert silent.determined.tolist() == [[True, True], [True, False]]


def test_soft_impute_says_where_completions_of_the_same_price_differ():
    with pytest.warns(UserWarning, match="other completions may have the same price"):
        model = SoftImpute(regularization=0.1).fit([[1.0, NAN], [NAN, 1.0]])
    assert model.determined_.tolist() == [[True, False], [False, True]]
    for other in (0.0, 0.5, 0.9):  # the same misfit, the same sum of singular values
        rival = np.array([[0.9, other], [other, 0.9]])
        price = 0.01 + 0.1 * np.linalg.svd(rival, compute_uv=False).sum()
        assert price == pytest.approx(model.objective_, rel=1e-6)
    X, _ = table(20, 15, 2, 0.6, 5)
    assert SoftImpute(regularization=0.5).fit(X).determined_.all()
    blocks = np.full((12, 10), NAN)
    blocks[:6, :5], blocks[6:, 5:] = table(6, 5, 1, 1.0, 6)[1], table(6, 5, 1, 1.0, 7)[1]
    model = fitted(SoftImpute(regularization=0.1), blocks)
    np.testing.assert_array_equal(model.determined_, ~np.isnan(blocks))
    with pytest.warns(ConvergenceWarning):
        assert not SoftImpute(max_iter=1, tolerance=0.0).fit(EXAMPLE).determined_.any()


def test_soft_impute_asks_large_misfits_for_their_first_vectors_only(monkeypatch):
    X, _ = table(60, 50, 2, 0.5, 8)
    whole = SoftImpute(regularization=2.0).fit(X)
    monkeypatch.setattr("surelearn.learners.decompositions._completion._DENSE", 0)
    thin = SoftImpute(regularization=2.0).fit(X)
    np.testing.assert_array_equal(whole.determined_, thin.determined_)


def test_alternating_least_squares_equals_its_plain_version():
    X, _ = table(12, 9, 2, 0.7, 9)
    start = np.linalg.qr(np.random.RandomState(0).standard_normal((9, 2)))[0]
    for sweeps in (1, 5):
        with pytest.warns(ConvergenceWarning, match="sweeps"):
            model = AlternatingLeastSquares(rank=2, max_iter=sweeps).fit(X)
        dense = plain.alternating_least_squares(X, 2, start, sweeps)
        np.testing.assert_allclose(model.completed(), dense, atol=1e-8)


def test_its_price_never_rises_and_ends_where_soft_impute_ends():
    X, _ = table(30, 20, 3, 0.6, 10)
    X += 0.1 * np.random.default_rng(0).normal(size=X.shape)
    convex = SoftImpute(regularization=2.0, tolerance=1e-9).fit(X)
    model = AlternatingLeastSquares(rank=10, regularization=2.0).fit(X)
    assert (np.diff(model.objectives_) <= 1e-9 * model.objectives_[0]).all()
    assert model.objectives_[-1] == pytest.approx(convex.objective_, rel=1e-6)
    np.testing.assert_allclose(model.completed(), convex.completed(), atol=1e-3)
    assert len(model.low_rank_.values) < 10


def test_the_example_of_the_catalogue_is_propagated_exactly():
    found = complete_rank_one(EXAMPLE)
    assert isinstance(found, RankOneCompletion)
    np.testing.assert_array_equal(found.matrix, TRUTH)
    assert found.unique
    assert found.n_parts == 1
    model = AlternatingLeastSquares(rank=1, tolerance=1e-14).fit(EXAMPLE)
    np.testing.assert_allclose(model.completed(), TRUTH, rtol=1e-9)
    assert complete_rank_one(TWO_PARTS).n_parts == 2


def test_every_way_of_writing_what_is_known_is_propagated_alike():
    thin = sparse.csr_array(np.nan_to_num(EXAMPLE))
    masked = np.ma.masked_invalid(EXAMPLE)
    for X in (thin, masked, EXAMPLE.astype(np.float32)):
        np.testing.assert_array_equal(complete_rank_one(X).matrix, TRUTH)


def test_entries_around_a_cycle_must_agree():
    with pytest.raises(ValueError, match=r"entry \(1, 1\) is 5, .* make it 4: rank one allows no"):
        complete_rank_one([[1.0, 2.0], [2.0, 5.0]])
    with pytest.raises(ValueError, match=r"entry \(1, 1\) is 0"):
        complete_rank_one([[1.0, 2.0], [2.0, 0.0]])
    steep = np.full((9, 9), NAN)
    steep[np.arange(9), np.arange(9)], steep[np.arange(8), np.arange(1, 9)] = 1e-70, 1e70
    with pytest.raises(ValueError, match="range of floats"):
        complete_rank_one(steep)
    with pytest.raises(ValueError, match="row 0 of X has no known entry"):
        complete_rank_one([[NAN, NAN], [1.0, 2.0]])


def test_what_is_determined_is_stored_with_the_model(tmp_path):
    model = fitted(MatrixCompletion(rank=1), TWO_PARTS)
    save_model(model, tmp_path / "model", schema={}, metadata={})
    loaded = load_model(tmp_path / "model").model
    np.testing.assert_array_equal(loaded.determined_, model.determined_)
    del model.freedom_
    with pytest.raises(AttributeError, match="fit it again"):
        _ = model.determined_


def test_an_entry_between_a_row_of_zeros_and_an_unknown_column_is_zero():
    found = complete_rank_one([[NAN, 0.0], [0.0, 0.0], [NAN, 1.0]])
    np.testing.assert_array_equal(found.matrix, [[0.0, 0.0], [0.0, 0.0], [NAN, 1.0]])
    np.testing.assert_array_equal(found.determined, ~np.isnan(found.matrix))


def test_a_determined_entry_beyond_floats_is_refused():
    with pytest.raises(ValueError, match="beyond floats"):
        complete_rank_one([[1e-120, 1e120], [1e120, NAN]])
