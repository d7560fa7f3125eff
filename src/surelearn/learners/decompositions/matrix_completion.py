"""Matrix completion: fill in, keep the nearest matrix of rank k, fill in again.

    Z ← the best rank-k approximation of (X where it is known, Z elsewhere)

One pass is far off; at a fixed point Z depends on the known entries and, where they leave a choice,
on the start. Mazumder, Hastie and Tibshirani (2010) call it hard-impute.
"""

from typing import cast

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from surelearn import _arguments
from surelearn._stored import holds
from surelearn.base.fitting import at_one_moment, check_iterations, warn
from surelearn.learners.decompositions._completion import Completer, KnownEntries, Start
from surelearn.learners.decompositions._low_rank import LowRank


@at_one_moment
@holds(
    changes_="float[changes]",
)
class MatrixCompletion(Completer):
    """Complete a matrix by the one of rank k that its known entries lead to.

    Where other matrices of this rank have the same known entries, a warning says so, and
    `determined_` tells which entries could be different.

    Parameters
    ----------
    rank
        The rank k of the completion.
    start
        What fills the unknown entries at first: "global-mean", "column-means" or "zeros". The
        problem has several solutions, and the start decides which is found.
    tolerance
        Stop when a pass moves the completion by less than this share of its norm.
    max_iter
        The most passes; a warning says if they were not enough.
    random_state
        Of the vectors that a large matrix is first multiplied with.

    Attributes
    ----------
    low_rank_
        The completion: left vectors, singular values, right vectors.
    changes_, n_iter_, converged_
        The relative change of each pass, their number, and whether the last was small enough.
    residual_
        The root mean squared difference to the known entries.
    determined_
        For each entry whether the known ones determine it: no small change of the completion within
        its rank keeps them all and changes this one. Exact for rank one, else up to first order.

    Examples
    --------
    >>> nan = np.nan
    >>> X = [[1.0, nan, nan], [nan, 2, nan], [nan, 6, 9], [nan, nan, 3], [4, 4, nan]]
    >>> MatrixCompletion(rank=1).fit_transform(X).round(6).tolist()[1:3]
    [[2.0, 2.0, 3.0], [6.0, 6.0, 9.0]]
    >>> MatrixCompletion(rank=1).fit(X).determined_.all()
    np.True_
    """

    def __init__(
        self,
        *,
        rank: int = 1,
        start: Start = "global-mean",
        tolerance: float = 1e-10,
        max_iter: int = 5000,
        random_state: int | None = 0,
    ) -> None:
        self.rank = rank
        self.start = start
        self.tolerance = tolerance
        self.max_iter = max_iter
        self.random_state = random_state

    def _complete(self, known: KnownEntries) -> LowRank:
        check_iterations(self)
        _arguments.at_least_one("rank", self.rank)
        if self.rank > min(known.shape):
            raise ValueError(
                f"rank={self.rank} is more than a matrix of shape {known.shape} can have; choose "
                f"at most {min(known.shape)}"
            )
        guess, changes = known.start(cast("Start", self.start)), list[float]()
        while not changes or (changes[-1] > self.tolerance and len(changes) < self.max_iter):
            known.fill(guess)
            simpler = known.decompose(self.rank, self.random_state)
            changes.append(simpler.distance(guess) / max(simpler.norm, np.finfo(np.float64).tiny))
            guess = simpler
        known.fill(guess)
        self._report(changes, float(np.sqrt(np.mean(known.rest.data**2))))
        return guess

    def _report(self, changes: list[float], residual: float) -> None:
        self.changes_, self.n_iter_ = np.array(changes), len(changes)
        self.converged_, self.residual_ = changes[-1] <= self.tolerance, residual
        if not self.converged_:
            warn(
                f"the completion still moved by {changes[-1]:.1e} of its norm in the last of "
                f"{self.n_iter_} passes; raise max_iter or tolerance, or lower rank",
                ConvergenceWarning,
            )
