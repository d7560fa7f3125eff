"""Locally scaled regression: widths from errors on other rows, intervals rounded outward."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import Pipeline

from reference.locally_scaled import expected_errors, group_means
from surelearn import (
    CARTRegressor,
    Holdout,
    LocallyScaledRegressor,
    Quantile,
    RidgeRegression,
    TableEncoder,
)
from surelearn.bounds import holdout
from surelearn.learners.ensembles.locally_scaled_regressor import interval_around
from surelearn.persistence.model_files import load_model, save_model


def spread(x):
    return np.where(x > 0.5, 3.0, 0.3)


def world(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 3))
    return X, 5.0 * X[:, 1] + spread(X[:, 0]) * rng.normal(size=n)


@pytest.fixture(scope="module")
def model():
    return LocallyScaledRegressor(RidgeRegression()).fit(*world(800, 0))


class TestFit:
    def test_it_is_the_plain_version(self):
        rng = np.random.default_rng(3)
        X, y = rng.integers(0, 3, size=(60, 1)).astype(float), rng.integers(0, 9, size=60)
        model = LocallyScaledRegressor(CARTRegressor(), width_learner=CARTRegressor(), cv=4)
        model.fit(X, y)
        order = np.random.default_rng(0).permutation(60).tolist()
        parts = [order[part::4] for part in range(4)]
        for x in ([0.0], [1.0], [2.0]):
            plain = expected_errors(X.tolist(), y.tolist(), parts, group_means, group_means, x)
            found = model.predict([x])[0], model.predict_width([x])[0]
            np.testing.assert_allclose(found, plain, rtol=1e-12)

    def test_it_predicts_what_its_regressor_predicts(self, model):
        X, y = world(800, 0)
        alone = RidgeRegression().fit(X, y)
        np.testing.assert_array_equal(model.predict(X), alone.predict(X))

    def test_widths_follow_the_noise(self, model):
        quiet, loud = model.predict_width([[0.1, 0.5, 0.5], [0.9, 0.5, 0.5]])
        assert 0.15 < quiet < 0.4
        assert 1.8 < loud < 3.0

    def test_noise_that_is_alike_everywhere_gives_one_width(self):
        rng = np.random.default_rng(1)
        X = rng.uniform(size=(1000, 3))
        model = LocallyScaledRegressor(RidgeRegression()).fit(X, X[:, 0] + rng.normal(size=1000))
        assert np.ptp(model.predict_width(X)) < 0.4 * model.average_error_

    @pytest.mark.parametrize("unit", [1e-150, 1.0, 1e150])
    def test_units_do_not_matter(self, unit):
        X, y = world(300, 2)
        widths = LocallyScaledRegressor(CARTRegressor(max_leaf_nodes=4, criterion="absolute_error"))
        in_units = widths.fit(X, unit * y).predict_width(X) / unit
        np.testing.assert_allclose(in_units, widths.fit(X, y).predict_width(X), rtol=1e-6)

    def test_without_errors_a_width_is_still_above_0(self):
        X = np.arange(100.0)[:, None]
        model = LocallyScaledRegressor(CARTRegressor()).fit(X, np.ones(100))
        assert model.predict_width(X).tolist() == [0.05] * 100

    def test_tables_with_words_and_missing_cells_are_read(self):
        X, y = world(400, 4)
        loud = X[:, 0] > 0.5
        size = [None if i % 9 == 0 else value for i, value in enumerate(X[:, 1].tolist())]
        table = pa.table({"kind": np.where(loud, "loud", "quiet").tolist(), "size": size})
        inner = Pipeline([("encode", TableEncoder()), ("learn", RidgeRegression())])
        widths = LocallyScaledRegressor(inner).fit(table, y).predict_width(table)
        assert widths[loud].min() > 3.0 * widths[~loud].max()

    def test_many_categories_are_no_obstacle(self):
        y = np.random.default_rng(0).normal(size=1100)
        table = pa.table({"who": [f"w{i}" for i in range(1100)], "x": np.arange(1100.0)})
        inner = Pipeline([("encode", TableEncoder()), ("learn", RidgeRegression())])
        fitted = inner.fit(table, y)
        model = LocallyScaledRegressor(inner).fit_widths(fitted, table, np.abs(y))
        assert model.predict_width(table).min() > 0.0

    def test_learners_of_others_are_taken(self):
        X, y = world(200, 5)
        model = LocallyScaledRegressor(LinearRegression(), width_learner=LinearRegression())
        assert model.fit(X, y).predict_width(X).min() > 0.0

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ({"regressor": "ridge"}, "regressor='ridge' must be a regressor"),
            ({"width_learner": 3}, "width_learner=3 must be a regressor"),
            ({"cv": 1}, "cv=1"),
            ({"cv": 2.5}, "cv=2.5"),
        ],
    )
    def test_nonsense_is_refused_and_changes_nothing(self, model, given, said):
        X, y = world(60, 0)
        before = model.predict_width(X)
        kept = model.get_params(deep=False)
        try:
            with pytest.raises((TypeError, ValueError), match=said):
                model.set_params(**given).fit(X, y)
        finally:
            model.set_params(**kept)
        np.testing.assert_array_equal(model.predict_width(X), before)

    def test_one_row_is_too_few(self):
        with pytest.raises(ValueError, match="two rows at least"):
            LocallyScaledRegressor().fit([[1.0]], [1.0])

    def test_widths_can_be_learnt_for_a_fitted_regressor_which_is_copied(self):
        X, y = world(400, 6)
        ridge = RidgeRegression().fit(X[:200], y[:200])
        errors = y[200:] - ridge.predict(X[200:])
        model = LocallyScaledRegressor().fit_widths(ridge, X[200:], errors)
        said = model.predict(X)
        ridge.fit(X, -y)
        np.testing.assert_array_equal(model.predict(X), said)
        with pytest.raises(ValueError, match="not fitted"):
            LocallyScaledRegressor().fit_widths(RidgeRegression(), X, y)
        with pytest.raises(ValueError, match="NaN"):
            LocallyScaledRegressor().fit_widths(ridge, X, np.full(400, np.nan))

    def test_it_is_stored_and_a_forged_one_is_refused(self, model, tmp_path):
        X, _ = world(50, 0)
        save_model(model, tmp_path / "m", schema={}, metadata={})
        again = load_model(tmp_path / "m").model
        np.testing.assert_array_equal(again.predict_width(X), model.predict_width(X))
        for name, wrong in {
            "average_error_": -1.0,
            "regressor_": "ridge",
            "width_learner_": RidgeRegression().fit(X[:, :1], X[:, 0]),
        }.items():
            forged = LocallyScaledRegressor(RidgeRegression()).fit(*world(60, 0))
            setattr(forged, name, wrong)
            save_model(forged, tmp_path / "f", schema={}, metadata={})
            with pytest.raises(ValueError, match="makes no sense"):
                load_model(tmp_path / "f")


class TestIntervals:
    def test_what_is_so_many_widths_away_lies_inside(self):
        rng = np.random.default_rng(0)
        y, said = rng.normal(size=(2, 2000)) * 10.0 ** rng.integers(-8, 8, size=2000)
        widths = rng.uniform(0.1, 3.0, size=2000)
        residuals = np.nextafter(np.abs(y - said) / widths, np.inf)
        for i in range(2000):
            one, most = slice(i, i + 1), float(residuals[i])
            low, high = map(Fraction, interval_around(said[one], widths[one], n_widths=most)[0])
            assert low <= Fraction(y[i]) <= high

    @pytest.mark.parametrize("n_widths", [0.0, -1.0, np.nan, "2"])
    def test_a_number_of_widths_is_above_0(self, model, n_widths):
        with pytest.raises((TypeError, ValueError), match="n_widths"):
            model.predict_interval([[0.1, 0.2, 0.3]], n_widths=n_widths)

    def test_they_cover_as_often_as_promised_and_are_narrower(self, model):
        """The true share inside is known: the noise is normal, and widths are fixed beforehand."""
        n, draws, delta = 150, 400, 0.05
        grid, _ = world(4000, 9)
        drift = 5.0 * grid[:, 1] - model.predict(grid)
        widths, noise = model.predict_width(grid), spread(grid[:, 0])
        missed, ours, alike = 0, [], []
        for seed in range(draws):
            X, y = world(n, 1000 + seed)
            sizes = np.abs(y - model.predict(X))
            scaled = sizes / model.predict_width(X)
            most = holdout.quantile(residuals=scaled.tolist(), alpha=0.1, delta=delta).bound
            one = holdout.quantile(residuals=sizes.tolist(), alpha=0.1, delta=delta).bound
            inside = stats.norm.cdf((most * widths - drift) / noise)
            inside -= stats.norm.cdf((-most * widths - drift) / noise)
            missed += inside.mean() < 0.9
            ours.append(most * widths.mean())
            alike.append(one)
        assert missed <= stats.binom.ppf(0.999, draws, delta)
        assert np.mean(ours) < 0.75 * np.mean(alike)

    def test_widths_learnt_from_the_rows_held_out_break_it_and_are_refused(self):
        """Trees that know the errors held out make all of them one width long."""
        X, y = world(200, 7)
        zero = RidgeRegression().fit(*world(200, 8))
        tree = CARTRegressor()
        errors = y - zero.predict(X)
        peeking = LocallyScaledRegressor(width_learner=tree).fit_widths(zero, X, errors)
        scaled = np.abs(errors) / peeking.predict_width(X)
        most = holdout.quantile(residuals=scaled.tolist(), alpha=0.1, delta=0.05).bound
        new, true = world(4000, 10)
        low, high = peeking.predict_interval(new, n_widths=most).T
        assert np.mean((low <= true) & (true <= high)) < 0.7
        with pytest.raises(ValueError, match="also stand in the training data"):
            Holdout(X, y, loss=Quantile(0.1), claims=True).answer(peeking)
