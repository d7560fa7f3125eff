"""Matrix completion and soft-impute against dense references; the catalogue's example exactly."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from reference import matrix_completion as plain
from surelearn import Holdout, MatrixCompletion, SoftImpute

NAN = np.nan
EXAMPLE = np.array([[1, NAN, NAN], [NAN, 2, NAN], [NAN, 6, 9], [NAN, NAN, 3], [4, 4, NAN]])
TRUTH = np.array([[1, 1, 1.5], [2, 2, 3], [6, 6, 9], [2, 2, 3], [4, 4, 6]])


def ratings(m=300, n=250, rank=3, share=0.3, noise=0.0, seed=0):
    rng = np.random.default_rng(seed)
    full = rng.normal(size=(m, rank)) @ rng.normal(size=(rank, n))
    seen = rng.random((m, n)) < share
    return np.where(seen, full + noise * rng.normal(size=(m, n)), NAN), full


@pytest.mark.parametrize("start", ["zeros", "column-means", "global-mean"])
def test_the_example_of_the_catalogue_comes_out_exactly(start):
    model = MatrixCompletion(rank=1, start=start, tolerance=1e-15).fit(EXAMPLE)
    np.testing.assert_allclose(model.completed(), TRUTH, atol=1e-12)
    np.testing.assert_allclose(MatrixCompletion().fit_transform(EXAMPLE), TRUTH, atol=1e-7)


@pytest.mark.parametrize(
    ("start", "once", "fifty"),
    [("zeros", 5.09, 0.0069), ("column-means", 4.19, 0.0342), ("global-mean", 2.41, 0.0068)],
)
def test_one_pass_is_far_off(start, once, fifty):
    for passes, error in ((1, once), (50, fifty)):
        with pytest.warns(ConvergenceWarning, match="raise max_iter"):
            model = MatrixCompletion(start=start, max_iter=passes).fit(EXAMPLE)
        found = np.where(np.isnan(EXAMPLE), model.completed(), EXAMPLE)
        assert np.abs(found - TRUTH).max() == pytest.approx(error, rel=0.01)
        assert model.n_iter_ == passes


def test_every_pass_equals_the_dense_reference():
    X, _ = ratings(40, 30)
    for passes in (1, 2, 7):
        with pytest.warns(ConvergenceWarning):
            model = MatrixCompletion(rank=3, start="zeros", max_iter=passes).fit(X)
        np.testing.assert_allclose(model.completed(), plain.hard_impute(X, 3, passes), atol=1e-9)


def test_a_large_matrix_is_completed_without_being_dense():
    X, full = ratings()
    model = MatrixCompletion(rank=3).fit(X)
    assert model.converged_
    np.testing.assert_allclose(model.completed(), full, atol=1e-5)
    thin = sparse.csr_array(np.nan_to_num(X))
    np.testing.assert_allclose(MatrixCompletion(rank=3).fit(thin).completed(), full, atol=1e-5)
    noisy, _ = ratings(noise=0.1)
    model = MatrixCompletion(rank=3).fit(noisy)
    mean = np.nanmean(noisy)
    dense = plain.hard_impute(noisy, 3, 120, start=mean)
    np.testing.assert_allclose(model.completed(), dense, atol=1e-5)


def test_new_rows_are_filled_from_their_known_entries():
    X, full = ratings()
    model = MatrixCompletion(rank=3).fit(X[:250])
    np.testing.assert_allclose(model.transform(X[250:]), full[250:], atol=1e-5)
    masked = np.ma.masked_invalid(X[250:])
    np.testing.assert_allclose(model.transform(masked), full[250:], atol=1e-5)


@pytest.mark.parametrize("size", [(20, 15), (300, 220)])
def test_soft_impute_reaches_the_optimum_of_the_dense_reference(size):
    X, _ = ratings(*size, noise=0.1, share=0.5)
    model = SoftImpute(regularization=4.0).fit(X)
    dense, objective = plain.soft_impute(X, 4.0, 150)
    assert model.objective_ == pytest.approx(objective, rel=1e-5)
    np.testing.assert_allclose(model.completed(), dense, atol=1e-2)
    assert (np.diff(model.objectives_) <= 1e-9 * objective).all()


def test_the_duality_gap_is_an_upper_bound_on_what_is_left():
    X, _ = ratings(20, 15, noise=0.1)
    _, best = plain.soft_impute(X, 1.0, 3000)
    for passes in (1, 5, 20):
        with pytest.warns(ConvergenceWarning, match="may be undercut"):
            model = SoftImpute(tolerance=1e-14, max_iter=passes).fit(X)
        assert 0.0 <= model.objective_ - best <= model.duality_gap_ + 1e-9


def test_a_high_price_completes_by_zero_and_a_bound_on_the_rank_is_said_if_it_binds():
    X, _ = ratings(20, 15)
    assert SoftImpute(regularization=1e4).fit(X).low_rank_.norm == 0.0
    with pytest.warns(ConvergenceWarning, match="max_rank binds"):
        SoftImpute(regularization=0.1, max_rank=1, max_iter=50).fit(X)


def test_a_holdout_over_entries_certifies_the_clipped_error():
    X, _ = ratings(200, 150, noise=0.1)
    places = np.argwhere(~np.isnan(X))
    held = np.random.default_rng(5).permutation(len(places))[:2000]
    train = X.copy()
    train[tuple(places[held].T)] = NAN
    model = MatrixCompletion(rank=3, tolerance=1e-6).fit(train)

    def clipped(truth, predicted):
        return np.minimum((truth - predicted) ** 2, 1.0)

    holdout = Holdout(places[held], X[tuple(places[held].T)], loss=clipped)
    certificate = holdout.certify(model.entries())
    assert certificate.status == "valid"
    assert 0.01 < certificate.bound < 0.03  # the noise alone costs 0.01


def test_what_cannot_be_completed_is_refused_with_its_place():
    X = EXAMPLE.copy()
    X[3] = NAN
    with pytest.raises(ValueError, match="row 3 of X has no known entry"):
        MatrixCompletion().fit(X)
    X = np.column_stack([EXAMPLE[:, :2], TRUTH[:, 0], np.full(5, NAN)])[:, [0, 1, 3, 2]]
    with pytest.raises(ValueError, match="column 2 of X has no known entry"):
        SoftImpute().fit(X)
    with pytest.raises(ValueError, match="rank=4 is more than"):
        MatrixCompletion(rank=4).fit(EXAMPLE)
    with pytest.raises(ValueError, match="regularization=-1"):
        SoftImpute(regularization=-1.0).fit(EXAMPLE)
    with pytest.raises(ValueError, match="start="):
        MatrixCompletion(start="ones").fit(EXAMPLE)
    with pytest.raises(ValueError, match="outside the matrix"):
        MatrixCompletion().fit(EXAMPLE).entries().predict([[5, 0]])
    for places in ([[0.5, 1]], [[np.nan, 1]]):
        with pytest.raises(ValueError, match="whole numbers"):
            MatrixCompletion().fit(EXAMPLE).entries().predict(places)
    for settings in ({"tolerance": -1.0}, {"max_iter": 0}):
        with pytest.raises(ValueError, match=next(iter(settings))):
            SoftImpute(**settings).fit(EXAMPLE)
    with pytest.raises(ValueError, match="infinity"):
        MatrixCompletion().fit(np.where(np.isnan(EXAMPLE), np.inf, EXAMPLE))


def test_nothing_but_zeros_is_completed_by_zeros():
    X = np.where(np.isnan(EXAMPLE), NAN, 0.0)
    assert (SoftImpute().fit(X).completed() == 0.0).all()  # nothing else has so small a norm
    with pytest.warns(UserWarning, match="not determined"):  # of rank one there is more than 0
        model = MatrixCompletion().fit(X)
    assert (model.completed() == 0.0).all()
    assert model.converged_
