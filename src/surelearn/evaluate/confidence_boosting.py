"""Confidence boosting: repeat a learner that succeeds now and then, keep the run that tests best.

t = ⌈ln(2/δ) / ln(1/(1−q))⌉ runs, of which each is good with probability q or more
"""

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from surelearn import _arguments
from surelearn._shown import Shown
from surelearn._typing import ArrayLike, Vector
from surelearn.base.chunks import some_rows
from surelearn.bounds.sample_size import plan_restarts
from surelearn.certificate import Certificate
from surelearn.evaluate._task import check_model
from surelearn.evaluate.holdout import Holdout

Samples = Literal["disjoint", "shared"]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ConfidenceBoosting(Shown, drawn_by="certificates.plot_certificates"):
    """Several runs of one learner, and the one with the fewest errors on rows held out.

    Attributes
    ----------
    model
        The run that was chosen; of equal ones the first.
    chosen
        Its place among the runs.
    models
        All runs.
    certificates
        What the hold-out proves of each, all at once.
    success_probability
        What each run was promised to succeed with; the certificates do not rely on it.

    Examples
    --------
    >>> from surelearn.learners.trees.cart_classifier import CARTClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 2))
    >>> learner = CARTClassifier(max_depth=2)
    >>> result = boost_confidence(learner, X, X[:, 0] > 0.1, success_probability=0.5, seed=0)
    >>> result.n_runs, result.certificate.status
    (6, 'valid')
    """

    model: Any
    chosen: int
    models: tuple[Any, ...]
    certificates: tuple[Certificate, ...]
    success_probability: float

    @property
    def n_runs(self) -> int:
        """How many runs there were."""
        return len(self.models)

    @property
    def errors(self) -> Vector:
        """The error of each run on the rows held out."""
        return np.array([certificate.observed for certificate in self.certificates])

    @property
    def certificate(self) -> Certificate:
        """What the hold-out proves of the chosen run; that it was chosen is paid for."""
        return self.certificates[self.chosen]

    def _picture(self) -> tuple[str, Any]:
        named = {f"run {i + 1}": found for i, found in enumerate(self.certificates)}
        named[f"run {self.chosen + 1}, chosen"] = named.pop(f"run {self.chosen + 1}")
        return self._drawn_by, named

    def __str__(self) -> str:
        """Return the choice in sentences, then its certificate."""
        return (
            f"Run {self.chosen + 1} of {self.n_runs} errs least on the rows held out: "
            f"{self.errors[self.chosen]:.4g}; the runs range up to {self.errors.max():.4g}. "
            f"{self.certificate}"
        )


def boost_confidence(
    learner: Any,
    X: Any,
    y: ArrayLike,
    *,
    success_probability: float,
    delta: float = 0.05,
    samples: Samples = "disjoint",
    fraction: float = 0.2,
    seed: int,
) -> ConfidenceBoosting:
    """Run a classifier until one run is good with high probability, and find it on a hold-out.

    If each run has risk at most ε with probability `success_probability` or more, one of them has
    but with probability delta/2; `plan_selection` says how many rows held out then find a run of
    risk at most ε'. The certificate of the chosen run holds whatever the learner does.

    Parameters
    ----------
    learner
        The classifier to copy.
    X, y
        All rows and labels.
    success_probability
        How often a run succeeds, at least; with `delta` it fixes the number of runs beforehand.
    delta
        The probability that the certificate is false.
    samples
        "disjoint": each run learns from rows of its own. "shared": all runs learn from the same
        rows; then the success must be due to their `random_state`.
    fraction, seed
        The share of the rows to hold out, and the seed of the split and of the runs.
    """
    check_model(learner)
    if _arguments.short(samples) not in map(repr, get_args(Samples)):
        raise ValueError(f"samples={_arguments.short(samples)} must be 'disjoint' or 'shared'")
    seed = _arguments.count("seed", seed, at_least=0)
    delta = _arguments.open_fraction("delta", delta)
    n_runs = plan_restarts(success_probability=success_probability, delta=delta / 2.0)
    X_train, y_train, held_out = Holdout.split(
        X, y, fraction=fraction, seed=seed, delta=delta, mode="family", n_models=n_runs
    )
    parts = _parts(len(y_train), n_runs, samples)
    runs = _copies(learner, n_runs, samples, seed)
    models = tuple(
        model.fit(some_rows(X_train, rows), y_train[rows])
        for model, rows in zip(runs, parts, strict=True)
    )
    certificates = tuple(held_out.certify(model) for model in models)
    if withheld := [found for found in certificates if np.isnan(found.observed)]:
        raise ValueError(f"which run is best cannot be told. {withheld[0].claim}")
    chosen = int(np.argmin([certificate.observed for certificate in certificates]))
    return ConfidenceBoosting(
        model=models[chosen],
        chosen=chosen,
        models=models,
        certificates=certificates,
        success_probability=float(success_probability),
    )


def _copies(learner: Any, n_runs: int, samples: Samples, seed: int) -> list[Any]:
    """Return an unfitted copy for each run, with a seed of its own if it takes one."""
    copies: list[Any] = [clone(learner) for _ in range(n_runs)]
    if "random_state" in learner.get_params():
        seeds = np.random.default_rng([seed, n_runs]).integers(2**31, size=n_runs)
        return [copy.set_params(random_state=int(s)) for copy, s in zip(copies, seeds, strict=True)]
    if samples == "shared":
        raise ValueError(
            f"{learner!r} has no random_state, so all runs on the same rows would be the same; "
            "pass samples='disjoint'"
        )
    return copies


def _parts(n: int, n_runs: int, samples: Samples) -> list[NDArray[np.int64]]:
    """Return the rows of each run; they come shuffled."""
    if samples == "shared":
        return [np.arange(n)] * n_runs
    if n < n_runs:
        raise ValueError(
            f"{n_runs} runs on rows of their own need at least as many rows, and {n} are left for "
            "training; raise success_probability or delta, or pass samples='shared'"
        )
    return np.array_split(np.arange(n), n_runs)
