"""Boosting followed round by round."""

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier as PeerAdaBoost

from surelearn import AdaBoostClassifier, Perceptron, trace_boosting
from surelearn.plots.boosting import plot_boosting, plot_margins


def rows(n=300, seed=0):
    """Return rows with two classes that no stump tells apart."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=n) > 0).astype(int)


def test_the_training_error_stays_below_its_bounds_in_every_round():
    model = AdaBoostClassifier(n_estimators=40).fit(*rows())
    trace = trace_boosting(model, *rows(), X_new=rows(seed=1)[0], y_new=rows(seed=1)[1])
    assert (trace.training_error <= trace.bounds).all()
    assert (trace.bounds <= trace.exponential_bounds + 1e-12).all()
    assert len(trace.unseen_error) == len(trace.rounds) == 40
    assert trace.training_error[-1] == np.mean(trace.margins <= 0.0)


def test_where_there_are_no_bounds_none_are_drawn():
    trace = trace_boosting(PeerAdaBoost(n_estimators=5).fit(*rows()), *rows())
    assert trace.bounds is None
    assert trace.margins is None
    assert [line.get_label() for line in plot_boosting(trace).lines] == ["training error"]
    with pytest.raises(ValueError, match="no margins"):
        plot_margins(trace)
    fixed = trace_boosting(AdaBoostClassifier(edge=0.01, n_estimators=5).fit(*rows()), *rows())
    assert fixed.exponential_bounds is None


def test_bounds_of_the_error_by_weight_are_not_drawn_beside_the_share_of_rows():
    X, y = rows()
    right = y == (X[:, 0] > 0)
    model = AdaBoostClassifier(n_estimators=3).fit(X, y, np.where(right, 1.0, 1e-3))
    trace = trace_boosting(model, X, y)
    assert (trace.training_error > model.training_error_bounds_).all()
    assert trace.bounds is trace.exponential_bounds is None


def test_margins_are_drawn_as_the_share_of_rows_at_most():
    trace = trace_boosting(AdaBoostClassifier(n_estimators=5).fit(*rows()), *rows())
    line = plot_margins(trace).lines[0]
    shares = dict(zip(line.get_xdata(), line.get_ydata(), strict=True))
    assert shares[trace.margins.max()] == 1.0


def test_what_is_not_boosted_is_refused():
    with pytest.raises(TypeError, match="staged_predict"):
        trace_boosting(Perceptron().fit(*rows()), *rows())
    with pytest.raises(ValueError, match="both"):
        trace_boosting(AdaBoostClassifier().fit(*rows()), *rows(), X_new=rows()[0])
