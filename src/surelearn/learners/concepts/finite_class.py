"""An explicit class of rules: the one with fewest errors, and how Halving fares on the way.

    minimise   #{i : h(x_i) ≠ y_i}   over   h ∈ H

Its risk is bounded in `surelearn.bounds.pac`; Halving, which predicts by the majority of the rules
that never erred, in `surelearn.bounds.mistakes`.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from surelearn._jit import jit, tables
from surelearn._stored import holds
from surelearn._typing import ArrayLike, Indices, Mask
from surelearn.base.classifier import TwoClassLearner, risk_certificate
from surelearn.base.drawn_rows import drawn_independently
from surelearn.base.fitting import at_one_moment
from surelearn.base.seal import fingerprint_of_fit
from surelearn.bounds import Guarantee, mistakes, pac
from surelearn.certificate import (
    Certificate,
    Evidence,
    assumed,
    by_construction,
    certify,
    checked,
    violated,
)

Rule = Callable[[Any], ArrayLike]


@jit
def _halve(advice: Mask, outcomes: Mask, pool: Mask, run: Indices) -> None:
    """Vote with the pool, then drop the rules that err; a tied vote is positive.

    `pool` changes, and `run`: the number of mistakes, and the row that emptied the pool.
    """
    size = len(pool)
    for t in range(len(outcomes)):
        votes = 0
        for h in range(len(pool)):
            votes += pool[h] and advice[t, h]
        run[0] += (2 * votes >= size) != outcomes[t]
        for h in range(len(pool)):
            if pool[h] and advice[t, h] != outcomes[t]:
                pool[h] = False
                size -= 1
        if size == 0:
            run[1] = t
            break


@at_one_moment
@holds(
    errors_="int[rules]",
    best_="count",
    rule_="bool[points]?",
    pool_="bool[rules]",
    n_mistakes_="count",
    emptied_=int,
)
class FiniteClass(TwoClassLearner):
    """The rule with the fewest training errors in a class listed beforehand.

    Parameters
    ----------
    hypotheses
        The class. Either functions, each of which takes the table of rows (dense) and returns 0 or
        1 for each row; or a table of zeros and ones with a row per rule and a column per point, for
        data of one column: the number of the point, from 0. Left out, the class has a rule for each
        feature that is positive where the feature is, one where it is not, and the two constants.
        The certificates need that it was fixed before the data were seen.

    Attributes
    ----------
    best_, rule_
        The number of the rule with the fewest training errors, the first of several; and the rule
        itself, which predicts: a function or a row of the table, None if the class was left out.
    errors_
        The training errors of each rule.
    pool_
        Which rules are right on every training row.
    n_mistakes_
        The mistakes of Halving on the training rows in the order given, until its pool was empty.
    emptied_
        The row that refuted the last rule of the pool, or -1 if the labels are those of a rule.
    training_errors_, n_training_rows_
        Errors of the best rule; the number of training rows.

    Examples
    --------
    >>> thresholds = [lambda X, c=c: X[:, 0] >= c for c in range(5)]
    >>> model = FiniteClass(hypotheses=thresholds).fit([[0], [1], [2], [3]], [0, 0, 1, 1])
    >>> model.best_, model.errors_.tolist(), model.n_mistakes_
    (2, [2, 1, 0, 1, 2], 1)
    >>> table = [[0, 0, 1], [0, 1, 1], [1, 1, 1]]
    >>> FiniteClass(hypotheses=table).fit([[0], [1], [2]], [0, 1, 1]).best_
    1
    """

    _free_parameters = frozenset({"hypotheses"})  # answers and certificates go by what was fitted

    def __init__(self, *, hypotheses: Sequence[Rule] | ArrayLike | None = None) -> None:
        self.hypotheses = hypotheses

    def guarantee(self) -> Guarantee:
        """Bound the mistakes of Halving, if a rule of the class is right on every row."""
        check_is_fitted(self)
        return mistakes.halving(n_experts=len(self.errors_))

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """State the mistakes of Halving on the training rows and the risk of the best rule.

        The first is void if no rule is right on every row. The second holds for every law: exact
        binomial tails for all rules at once; without training errors it is the realisable bound.

        Parameters
        ----------
        delta
            The probability with which the statement about the risk may fail.
        """
        check_is_fitted(self)
        bits = math.nextafter(math.log2(len(self.errors_)), math.inf)
        n = self.n_training_rows_
        risk = pac.occam(errors=self.training_errors_, n=n, bits=bits, delta=delta)
        done = by_construction("the code does exactly this")
        halving = certify(
            self.guarantee(),
            kind="mistakes",
            subject="Halving on the training rows, in the order given",
            observed=self.n_mistakes_,
            n=n,
            evidence={"realizable": self._consistent(), "vote": done, "update": done},
            reproduce={"model": fingerprint_of_fit(self)},
        )
        listed = "all rules weigh the same; list them beforehand"
        if callable(self.rule_):  # a function may read the rows that are asked with a row
            listed += ", each a function of one row by itself"
        evidence = {
            "independent": drawn_independently(self),
            "code": assumed(listed),
        }
        return halving, risk_certificate(self, risk, evidence)

    def _consistent(self) -> Evidence:
        if self.emptied_ < 0:
            return checked(f"rule {int(self.pool_.argmax())} is right on every row")
        return violated(f"no rule is: row {self.emptied_} refuted the last one of the pool")

    def _solve(self, X: Any, positive: Mask) -> None:
        advice = self._advice(X)
        self.errors_ = np.count_nonzero(advice != positive[:, np.newaxis], axis=0)
        self.best_ = int(self.errors_.argmin())
        self.rule_ = self._chosen()
        self.pool_, run = np.ones(advice.shape[1], dtype=np.bool_), np.array([0, -1])
        _halve(advice, positive, self.pool_, run)
        self.n_mistakes_, self.emptied_ = (int(value) for value in run)

    def _decide(self, X: Any) -> Mask:
        dense = tables.dense(X)
        if self.rule_ is None:
            return _own_rules(dense)[:, self.best_]
        if isinstance(self.rule_, np.ndarray):
            return self.rule_[_points(dense, len(self.rule_))]
        return _answers(self.rule_, self.best_, dense)

    def _chosen(self) -> Any:
        """Return the best rule, so that a change of the class cannot reach it."""
        rules = cast("Any", self.hypotheses)
        if rules is None:
            return None
        return (rules if callable(rules[0]) else _bits("hypotheses", rules, 2))[self.best_]

    def _advice(self, X: Any) -> Mask:
        """Return what each rule says of each row."""
        dense, rules = tables.dense(X), cast("Any", self.hypotheses)
        if rules is None:
            return _own_rules(dense)
        if isinstance(rules, list | tuple) and rules and callable(rules[0]):
            return np.column_stack([_answers(rule, h, dense) for h, rule in enumerate(rules)])
        table = _bits("hypotheses", rules, 2)
        return table[:, _points(dense, table.shape[1])].T

    def __sklearn_tags__(self) -> Tags:
        """Say to scikit-learn that a class listed beforehand fits few data."""
        tags: Any = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    def _check_state(self) -> None:
        super()._check_state()
        if not self.best_ < len(self.errors_):
            raise ValueError("its best rule is none of its class")
        if self.rule_ is None and len(self.errors_) != 2 * self.n_features_in_ + 2:
            raise ValueError("its rules are not those of its features")


def _own_rules(X: Any) -> Mask:
    """Return what the rules of the class say that is used if none is given."""
    signs = X > 0.0
    return np.hstack([signs, ~signs, np.broadcast_to([False, True], (len(X), 2))])


def _answers(rule: Rule, number: int, X: Any) -> Mask:
    answers = _bits(f"the answer of rule {number}", rule(X), 1)
    if len(answers) != len(X):
        raise ValueError(f"rule {number} gives {len(answers)} answers for {len(X)} rows")
    return answers


def _bits(name: str, values: Any, n_dimensions: int) -> Mask:
    try:
        array = np.asarray(values)
    except ValueError:  # rows of several lengths
        array = np.empty(())
    if array.ndim != n_dimensions or 0 in array.shape or not ((array == 0) | (array == 1)).all():
        raise ValueError(f"{name} must be a {n_dimensions}-dimensional array of zeros and ones")
    return array == 1


def _points(X: Any, n_points: int) -> Indices:
    """Return the only column as numbers of points."""
    if X.shape[1] != 1 or not np.isin(X, np.arange(n_points)).all():
        raise ValueError(
            f"with a table of rules, X has one column: the number of the point, 0 to {n_points - 1}"
        )
    return X[:, 0].astype(np.int64)
