"""Machines whose features or settings came from their own rows, in every way that is seen."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from sklearn.decomposition import PCA
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

from surelearn.certificate import Certificate
from surelearn.datasets.worlds import Separable
from surelearn.kernels import Gaussian, Linear
from surelearn.learners.kernelized.support_vector_classifier import SupportVectorClassifier

PRICES = {"C": [1.0, 5.0]}
KERNELS = {"kernel": [Linear(), Gaussian(gamma=100.0)]}
NAME = "SupportVectorClassifier"


def tuned_runs() -> Iterator[tuple[str, Callable[[], Iterable[Certificate]]]]:
    """Yield linear machines on scaled rows, within searches, and behind a fitted step."""
    world, machine = Separable(4, 0.1), _machine()
    X, y = world.draw(60, seed=7)
    scaled = [each.fit_transform(X) for each in (StandardScaler(), MinMaxScaler(), RobustScaler())]
    scaled += [MaxAbsScaler().fit_transform(X - 0.1), X / np.linalg.norm(X, axis=0)]
    for table in scaled:
        yield NAME, lambda t=table: _machine().fit(t, y).certificates(radius=99.0)
    for seed, grid in enumerate((PRICES, KERNELS, PRICES | KERNELS)):
        yield NAME, lambda g=grid, s=seed: _chosen(GridSearchCV(machine, g, cv=3), world, s)
    whole = make_pipeline(PCA(3), machine)
    yield NAME, lambda: whole.fit(X, y)[-1].certificates(radius=99.0, within=whole)


def _machine() -> SupportVectorClassifier:
    return SupportVectorClassifier(kernel=Linear(), penalize_intercept=True)


def _chosen(search: Any, world: Any, seed: int) -> Iterable[Certificate]:
    """Return what the best machine states alone, and within its search."""
    best = search.fit(*world.draw(60, seed=30 + seed)).best_estimator_
    return *best.certificates(radius=99.0), *best.certificates(radius=99.0, within=search)
