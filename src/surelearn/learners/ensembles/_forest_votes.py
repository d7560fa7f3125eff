"""How the trees of a forest of classes vote, and how they did on rows that they have not seen."""

from typing import Any

import numpy as np

from surelearn._typing import Indices, Mask, Matrix
from surelearn.learners.ensembles import _out_of_bag
from surelearn.learners.ensembles._forest.forest_growth import Tests


def said(model: Any) -> Matrix:
    """Return what each leaf adds to the vote: its shares, or one vote for its heaviest class."""
    leaves: Matrix = model.trees_.leaves
    if model.voting == "soft":
        return leaves
    votes = np.zeros_like(leaves)
    votes[np.arange(len(leaves)), leaves.argmax(axis=1)] = 1.0
    return votes


def ask_outside(model: Any, sample: Any, tests: Tests) -> None:
    """Set what the rows outside the bags say of the trees, of pairs of them, and of the vote."""
    model.out_of_bag_ = None
    outside = tests.outside
    if not len(tests.rows):
        if model.oob_score:
            raise ValueError(
                "oob_score=True needs rows outside the bags: set bootstrap=True, or max_samples "
                "below the number of rows"
            )
        return
    tested: Indices = model._tested()  # noqa: SLF001 - our own learner
    if model.oob_score:
        losses, votes = _losses(model, sample, outside)
        _score(model, votes, outside, sample.targets)
        losses, votes, outside = losses[:, tested], votes[tested], outside[:, tested]
        _keep(model, losses, outside, votes, sample.targets[tested])
    else:
        ask_tested(
            model, sample._replace(X=sample.X[tested], targets=sample.targets[tested]), outside
        )


def ask_tested(model: Any, tested: Any, outside: Mask) -> None:
    """Set what rows outside the bags say, given those that test and no others."""
    model.out_of_bag_ = None
    if len(tested.X):
        losses, votes = _losses(model, tested, outside)
        _keep(model, losses, outside, votes, tested.targets)


def _keep(model: Any, losses: Matrix, outside: Mask, votes: Matrix, labels: Indices) -> None:
    model.out_of_bag_ = _out_of_bag.summarise(losses, outside, votes, labels)
    model.correlation_of_losses_ = _out_of_bag.correlation(losses, outside)


def _losses(model: Any, sample: Any, outside: Mask) -> tuple[Matrix, Matrix]:
    """Return the loss of each tree on the rows outside its bag, and the votes of these trees."""
    leaf_says, labels = said(model), sample.targets
    losses, votes = np.zeros(outside.shape), np.zeros((len(labels), leaf_says.shape[1]))
    reached = model._outside_leaves(sample.X, outside)  # noqa: SLF001 - our own learner
    for tree, (where, leaves) in enumerate(reached):  # in order, whatever the threads did
        losses[tree, where] = 1.0 - leaf_says[leaves, labels[where]]
        votes[where] += leaf_says[leaves]
    return losses, votes


def _score(model: Any, votes: Matrix, outside: Mask, labels: Indices) -> None:
    """Set the out-of-bag votes and their accuracy."""
    n_trees = outside.sum(axis=0)
    asked = n_trees > 0
    model.oob_decision_function_ = np.full(votes.shape, np.nan)
    model.oob_decision_function_[asked] = votes[asked] / n_trees[asked, np.newaxis]
    right = votes[asked].argmax(axis=1) == labels[asked]
    model.oob_score_ = float(right.mean()) if len(right) else float("nan")
