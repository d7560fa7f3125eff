"""The rules whose risk the training rows of a table can bound, and what each class of them costs.

Four classes of rules have a quarter of delta each, whatever the table: affine functions of encoded
columns, naive Bayes rules, trees of yes-or-no questions, and trees with a branch for each category.
Within a class the theorem holds for all rules at once, so any number of settings and learners may
look for one in it. Which columns are used, and as what, is decided on the training rows too; so the
classes are those of all such readings, each with its weight in a code: the number of columns of
each kind, all numbers alike, then which column is of which kind, all orders alike; and for each
column of quantities or dates in words which form it has, all forms alike. An affine rule
also pays for which columns of numbers have missing cells; in the others a missing cell counts as an
error. Proofs: docs/theory/vc.md#moment (structure), docs/theory/trees.md.
"""

import math
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple, get_args

import pyarrow.compute as pc

from surelearn.app.choosing.candidates import check_learners, find_candidates
from surelearn.app.choosing.choice import with_setting
from surelearn.app.errors import TableError
from surelearn.app.problem.cells import Kind, count_distinct
from surelearn.app.problem.feature import Feature, features_of
from surelearn.app.problem.problem import Problem
from surelearn.app.tables import dates, quantities
from surelearn.certificate import Evidence, assumed, violated
from surelearn.evaluate.rule_class import RuleClass
from surelearn.learners.trees._cut_back_tree import CutBackTree
from surelearn.learners.trees.c45_classifier import C45Classifier
from surelearn.learners.trees.cart_classifier import CARTClassifier

_compute: Any = pc

_N_KINDS = len(get_args(Kind)) + 1  # a column may be left out, too
_FORM = "code"
_N_FORMS = len(quantities.FORMS) + len(dates.FORMS) * 2 ** len(dates.PARTS)
_SHARE = 0.25  # of delta, for each of the four classes
_AFFINE = ("LogisticRegression", "AveragedPerceptron")
_NAMES = (*_AFFINE, "MixedNaiveBayes", "CARTClassifier", "C45Classifier")


class Rules(NamedTuple):
    """Where a learner looks for a rule, and the share of delta that is spent there."""

    rules: RuleClass
    share: float


def find_rules(problem: Problem, *, delta: float, names: Sequence[str] = ()) -> dict[str, Rules]:
    """Return the learners whose rules have a bound, each with its class; or say why there is none.

    Parameters
    ----------
    problem
        The problem, whose training part alone is looked at.
    delta
        The probability with which any of the bounds may fail.
    names
        The learners asked for; all that there are if left out.
    """
    _refuse(problem, names)
    share = _SHARE * 2.0 ** -reading_bits(problem)
    if share * delta < sys.float_info.min:
        raise TableError(
            f"to say which columns are used, and as what, takes {reading_bits(problem):,.0f} bits, "
            "more than structural risk can pay for: --drop columns, or --select nested"
        )
    trees: dict[str, Any] = {
        "CARTClassifier": CARTClassifier(max_leaf_nodes=256, min_samples_leaf=5),
        "C45Classifier": C45Classifier(),
    }
    found: dict[str, Rules] = {}
    for name in names or _NAMES:
        if name in trees:
            tree = CutBackTree(trees[name], delta=share * delta)
            found[f"{name} (cut back)"] = Rules(RuleClass(model=tree), share)
            continue
        settings = find_candidates(problem.task, n_rows=0, names=[name])[name]
        for setting, model in settings.items():
            own = RuleClass(model=model)
            rules = _affine(model, problem, share) if name in _AFFINE else Rules(own, share)
            found[with_setting(name, setting)] = rules
    return found


def reading_bits(problem: Problem) -> float:
    """Return the bits that say which column is a feature of which kind, or none.

    The code names how many columns there are of each kind, all such counts alike, then which they
    are: its weights sum to 1 over all readings of a table with so many columns.
    """
    columns = [name for name in problem.schema["columns"] if name != problem.target]
    features = features_of(problem.schema)
    kinds = {feature.source: _letter(feature) for feature in features}
    counts = Counter(kinds.get(name) for name in columns)
    n, n_forms = len(columns), len({feature.source for feature in features if feature.form})
    orders = math.factorial(n) // math.prod(math.factorial(k) for k in counts.values())
    readings = math.comb(n + _N_KINDS - 1, _N_KINDS - 1) * orders
    return math.log2(readings) + n_forms * math.log2(_N_FORMS)


def _letter(feature: Feature) -> str:
    """Return the letter of the code for a column.

    Codes, which only a user can call a column, and quantities or dates in words, which no column
    that a user calls categorical is, share a letter: what was asked for tells which is meant.
    """
    return _FORM if feature.form else feature.kind


def _refuse(problem: Problem, names: Sequence[str]) -> None:
    """Refuse what has no bound from its training rows, in one sentence."""
    if problem.task == "regression":
        raise TableError(
            f"structural risk bounds error rates, and {problem.target!r} is a number: --select "
            "nested, or --task classification"
        )
    if problem.split.kind in {"group", "time"}:
        raise TableError(
            f"structural risk needs rows that are independent draws, and --{problem.split.kind} "
            "says that they are not: --select nested"
        )
    check_learners(names, problem.task)
    unbounded = [name for name in names if name not in _NAMES]
    if unbounded:
        raise TableError(
            f"no theorem bounds {unbounded[0]} from its training rows here, so structural risk "
            f"cannot choose it; there are {', '.join(_NAMES)}"
        )
    _refuse_other_categories(problem)


def _refuse_other_categories(problem: Problem) -> None:
    """Refuse a sample of the training rows that lacks a category which the others have."""
    X, y = problem.training
    for feature in features_of(problem.schema):
        if feature.categories and count_distinct(X.column(feature.name)) < len(feature.categories):
            raise TableError(
                f"column {feature.name!r} has categories that none of the {len(y):,} rows has "
                "which are to prove the bound, so it would be void: --drop "
                f"{feature.name}, or --select nested"
            )


def _affine(model: Any, problem: Problem, share: float) -> Rules:
    """Return the class of affine functions of encoded columns."""
    X, _ = problem.training
    numbers = [X.column(name) for name in problem.features if name not in problem.categorical]
    n_marked = sum(column.null_count > 0 for column in numbers)
    # Which columns have a mark for missing cells is one of so many cases of equal weight: first how
    # many, then which.
    n_cases = (len(numbers) + 1) * math.comb(len(numbers), n_marked)
    rules = RuleClass(
        model=model, affine_features=lambda fitted: fitted[-1].n_features_in_, fixed=_known(problem)
    )
    return Rules(rules, share / n_cases)


def _known(problem: Problem) -> Evidence:
    """Say whether the categories can have been known: one seen once tells of others unseen."""
    X, _ = problem.training
    for name in problem.categorical:
        counts = _compute.value_counts(X.column(name).drop_null()).field("counts")
        if _compute.min(counts).as_py() == 1:
            return violated(
                f"column {name!r} has categories that a single training row has, so there are "
                "likely others: the features were not known beforehand"
            )
    return assumed()
