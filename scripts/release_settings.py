"""Learners with settings that change what they keep: kernels, metrics, losses, limits."""

from collections.abc import Callable
from typing import Any

import numpy as np

import surelearn as sl


def _kernels() -> dict[str, Callable[[], Any]]:
    """Return a kernel Perceptron for each kernel and each way to build one from others."""
    k = sl.kernels
    made = {
        "Linear real": k.Linear(),
        "Linear + 1 real": k.Linear() + 1.0,
        "Polynomial real": k.Polynomial(degree=3, offset=0.5),
        "Gaussian real": k.Gaussian(gamma=0.5),
        "Anova bits": k.Anova(),
        "Anova of order 2 bits": k.Anova(order=2),
        "Agreement bits": k.Agreement(),
        "sum, product and power real": 0.5 * k.Gaussian(gamma=2.0) + k.Linear() ** 2,
        "normalised real": (k.Linear() + 1.0).normalised(),
        "exponential real": (0.1 * k.Linear()).exp(),
        "product real": k.Gaussian() * k.Polynomial(),
    }
    cases: dict[str, Callable[[], Any]] = {}
    for name, kernel in made.items():
        for how in ("", " learn"):
            cases[f"KernelPerceptron {name}{how}"] = lambda kernel=kernel: sl.KernelPerceptron(
                kernel=kernel, max_iter=20
            )
    return cases


def _neighbours() -> dict[str, Callable[[], Any]]:
    """Return nearest neighbours with each metric, vote and rule for ties."""
    made: dict[str, dict[str, Any]] = {
        **{m: {"metric": m} for m in ("euclidean", "manhattan", "chebyshev", "cosine")},
        "gower mixed": {"metric": "gower"},
        "gower codes": {"metric": "gower", "categorical_features": [1, 2]},
        "cosine sparse": {"metric": "cosine"},
        "distance real": {"weights": "distance", "n_neighbors": 3},
        "random": {"ties": "random", "random_state": 3},
        "first": {"ties": "first"},
        "schedule real": {"n_neighbors": "schedule"},
        "cross-validation": {"n_neighbors": "cross-validation"},
    }
    cases: dict[str, Callable[[], Any]] = {}
    for cls in (sl.NearestNeighborsClassifier, sl.NearestNeighborsRegressor):
        for name, options in made.items():
            cases[f"{cls.__name__} {name}"] = lambda cls=cls, options=options: cls(**options)
    condensed = sl.CondensedNearestNeighbor
    return {**cases, "CondensedNearestNeighbor cosine": lambda: condensed(metric="cosine")}


def _gradients() -> dict[str, Callable[[], Any]]:
    """Return online gradient descent with each loss and each schedule."""
    classify = (sl.Hinge(), sl.Logistic())
    regress = (sl.Square(), sl.Absolute(), sl.EpsilonInsensitive(epsilon=0.1), sl.Huber())
    schedules = (
        sl.FixedRate(learning_rate=0.1),
        sl.InverseSquareRootRate(learning_rate=0.5),
        sl.StronglyConvexRate(strong_convexity=0.1),
    )
    cases: dict[str, Callable[[], Any]] = {}
    for cls, losses in (
        (sl.OnlineGradientDescent, classify),
        (sl.OnlineGradientDescentRegressor, regress),
        (sl.AdaGrad, classify),
        (sl.AdaGradRegressor, regress),
    ):
        for loss in losses:
            for how in ("real", "real learn"):
                cases[f"{cls.__name__} {loss} {how}"] = lambda c=cls, o=loss: c(loss=o)
    for cls in (sl.OnlineGradientDescent, sl.OnlineGradientDescentRegressor):
        for schedule in schedules:
            for how in ("real", "real learn"):
                cases[f"{cls.__name__} {schedule} {how}"] = lambda c=cls, s=schedule: c(schedule=s)
    return cases


def _trees() -> dict[str, Callable[[], Any]]:
    """Return CART on mixed tables and with each way to limit it."""
    cart, number = sl.CARTClassifier, sl.CARTRegressor
    return {
        "CARTClassifier mixed": cart,
        "CARTRegressor mixed": number,
        **{
            f"CARTClassifier {c} real": lambda c=c: cart(criterion=c)
            for c in ("entropy", "misclassification", "sqrt", "gini")
        },
        "CARTClassifier 4 leaves real": lambda: cart(max_leaf_nodes=4),
        "CARTClassifier depth real": lambda: cart(max_depth=2, min_samples_leaf=5),
        "CARTClassifier thresholds real": lambda: cart(thresholds=[-0.5, 0.0, 0.5]),
        "CARTClassifier codes": lambda: cart(categorical_features=[0, 2]),
        "CARTClassifier balanced real": lambda: cart(class_weight="balanced", max_depth=3),
        "CARTClassifier real pruned": cart,
        "CARTRegressor real pruned": number,
        "CARTRegressor absolute real": lambda: number(criterion="absolute_error"),
        "CARTRegressor 5 leaves real": lambda: number(max_leaf_nodes=5),
        "CARTClassifier holes": cart,
        "CARTClassifier mixed pruned": cart,
    }


def _multiway_trees() -> dict[str, Callable[[], Any]]:
    """Return trees with a branch for each category."""
    return {
        "C45Classifier mixed": sl.C45Classifier,
        "C45Classifier unpruned real": lambda: sl.C45Classifier(confidence=None),
        "C45Classifier codes": lambda: sl.C45Classifier(categorical_features="all"),
        "C45Classifier holes": sl.C45Classifier,
        "ID3Classifier codes": sl.ID3Classifier,
    }


def _linear() -> dict[str, Callable[[], Any]]:
    """Return linear learners with settings that change what they keep."""
    return {
        "RidgeRegression alphas real": lambda: sl.RidgeRegression(alphas=[0.1, 1.0, 10.0]),
        "RidgeRegression without constant real": lambda: sl.RidgeRegression(fit_intercept=False),
        "LogisticRegression 0.1 real": lambda: sl.LogisticRegression(C=0.1),
        "LogisticRegression balanced": lambda: sl.LogisticRegression(class_weight="balanced"),
        "Winnow negations": lambda: sl.Winnow(negations=True, threshold=3.0),
        "Winnow negations learn": lambda: sl.Winnow(negations=True, threshold=3.0),
        "NormalizedWinnow one-sided": lambda: sl.NormalizedWinnow(
            balanced=False, learning_rate=0.3
        ),
        "NormalizedWinnow rate learn": lambda: sl.NormalizedWinnow(learning_rate=0.3),
        "Perceptron without constant": lambda: sl.Perceptron(fit_intercept=False),
        "PassiveAggressive mild real learn": lambda: sl.PassiveAggressive(C=0.1),
    }


def _others() -> dict[str, Callable[[], Any]]:
    """Return the learners of other families with settings that change what they keep."""
    bayes = {"smoothing": 0.5, "prior_smoothing": 1.0}
    return {
        "MixedNaiveBayes mixed": sl.MixedNaiveBayes,
        "MixedNaiveBayes codes": lambda: sl.MixedNaiveBayes(categorical_features=[0, 1]),
        "CategoricalNaiveBayes mixed": lambda: sl.CategoricalNaiveBayes(**bayes),
        "GaussianNaiveBayes priors real": lambda: sl.GaussianNaiveBayes(priors=[0.25, 0.75]),
        "GaussianNaiveBayes holes": sl.GaussianNaiveBayes,
        **{
            f"GaussianMixture {kind} real": lambda kind=kind: sl.GaussianMixture(
                n_components=2, covariance_type=kind, random_state=0
            )
            for kind in ("full", "tied", "diag", "spherical")
        },
        "BernoulliMixture bits": lambda: sl.BernoulliMixture(n_components=2, random_state=0),
        "PrincipalComponents 2 real": lambda: sl.PrincipalComponents(n_components=2, whiten=True),
        "PrincipalComponents share real": lambda: sl.PrincipalComponents(
            n_components=0.8, standardize=True
        ),
        "LowRankApproximation 2 real": lambda: sl.LowRankApproximation(rank=2),
        "MatrixCompletion holes": lambda: sl.MatrixCompletion(rank=2),
        "SoftImpute holes": lambda: sl.SoftImpute(regularization=0.5),
        "FiniteClass points": lambda: sl.FiniteClass(hypotheses=np.tri(5, 4, -1).astype(int)),
    }


SETTINGS = {
    **_kernels(),
    **_neighbours(),
    **_gradients(),
    **_trees(),
    **_multiway_trees(),
    **_linear(),
    **_others(),
}
"""Makers of learners by name; the name also says which table it learns, and how."""
