"""Plots of mixtures: ellipses that hold what they say, and the ascent of EM as it was."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba

from surelearn.learners.mixtures.bernoulli_mixture import BernoulliMixture
from surelearn.learners.mixtures.gaussian_mixture import GaussianMixture
from surelearn.plots import style
from surelearn.plots.likelihood import plot_likelihood
from surelearn.plots.mixture_ellipses import plot_mixture_ellipses


def rows():
    rng = np.random.default_rng(0)
    return rng.normal(size=(300, 3)) @ rng.normal(size=(3, 3)) + np.repeat([0.0, 9.0], 150)[:, None]


@pytest.mark.parametrize("covariance_type", ["full", "tied", "diag", "spherical"])
def test_each_ellipse_holds_its_share_of_the_component(covariance_type):
    model = GaussianMixture(n_components=2, covariance_type=covariance_type, random_state=0)
    model.fit(rows())
    drawn, labels = model.sample(20_000)
    ax = plot_mixture_ellipses(model, features=(2, 0), shares=(0.5, 0.9))
    assert len(ax.patches) == 4
    for i, ellipse in enumerate(ax.patches):
        inside = (
            ellipse.get_patch_transform().inverted().transform(drawn[labels == i // 2][:, [2, 0]])
        )
        held = np.mean((inside**2).sum(axis=1) <= 1.0)
        assert held == pytest.approx((0.5, 0.9)[i % 2], abs=0.02)


def test_rows_have_the_colour_of_their_component_and_axes_their_names():
    frame = pd.DataFrame(rows(), columns=["a", "b", "c"])
    model = GaussianMixture(n_components=2, random_state=0).fit(frame)
    ax = plot_mixture_ellipses(model, frame, features=(0, 2))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("a", "c")
    (dots,) = ax.collections
    np.testing.assert_allclose(dots.get_offsets(), frame.to_numpy()[:, [0, 2]])
    edge = ax.patches[0].get_edgecolor()[:3]
    first = model.predict(frame) == 0
    assert (dots.get_facecolors()[first, :3] == edge).all()


def test_an_empty_component_is_not_drawn_and_one_feature_is_refused():
    model = GaussianMixture(n_components=2, random_state=0).fit(np.ones((5, 2)))
    assert len(plot_mixture_ellipses(model, shares=(0.5,)).patches) == 1
    with pytest.raises(ValueError, match="two features"):
        plot_mixture_ellipses(GaussianMixture().fit([[0.0], [1.0]]))


def test_the_ascent_is_drawn_as_it_was():
    X = (rows() > 0.0).astype(float)
    model = BernoulliMixture(n_components=2, random_state=0).fit(X)
    ax = plot_likelihood(model, label="bits")
    curve, end = ax.lines
    np.testing.assert_array_equal(curve.get_ydata(), model.log_likelihoods_)
    assert (end.get_marker(), ax.get_legend().get_texts()[0].get_text()) == ("o", "bits")
    assert to_rgba(curve.get_color()) == to_rgba(style.OBSERVED)
    assert plot_likelihood(model, ax=ax) is ax
    assert len(ax.lines) == 4
