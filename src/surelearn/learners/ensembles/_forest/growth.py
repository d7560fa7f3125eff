"""All trees of a forest, one task each: from a checked table and a learner's parameters."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from surelearn import _arguments, impurities
from surelearn._threads import Workers
from surelearn._typing import Indices, Mask, Vector
from surelearn.impurities.compiled import GINI
from surelearn.learners.ensembles import _members
from surelearn.learners.ensembles._forest import bins as binning
from surelearn.learners.ensembles._forest import trees as single
from surelearn.learners.ensembles._forest.packed_trees import GrownTree, PackedTrees, pack_trees
from surelearn.learners.ensembles._forest.workspace import BinnedTable, Rules
from surelearn.learners.ensembles._members import Bag
from surelearn.learners.trees._binary import errors
from surelearn.learners.trees._binary.cart import grow_cart
from surelearn.learners.trees._binary.gains import SQUARED_ERROR
from surelearn.learners.trees._binary.growth import DrawnColumns
from surelearn.learners.trees._binary.limits import GrowthLimits

_DEEPEST = 2**31
_CHOICES = {"splitter": ("histogram", "exact"), "features": ("split", "tree")}
_MOST_BINS = binning.SMALL


class Tests(NamedTuple):
    """Which rows test trees.

    Attributes
    ----------
    n_before
        The number of trees that are there already.
    rows
        The rows that test.
    outside
        For each tree which of these are outside its bag.
    """

    n_before: int
    rows: Indices
    outside: Mask


def check_parameters(model: Any) -> None:
    """Refuse parameters of a forest that mean nothing, by name."""
    _arguments.at_least_one("n_estimators", model.n_estimators)
    for name, known in _CHOICES.items():
        if getattr(model, name) not in known:
            raise ValueError(
                f"{name}={getattr(model, name)!r} must be {' or '.join(map(repr, known))}"
            )
    if not isinstance(model.max_bins, int | np.integer) or not 2 <= model.max_bins <= _MOST_BINS:
        raise ValueError(f"max_bins={model.max_bins!r} must be a whole number, 2 to {_MOST_BINS}")
    limits_of(model)  # it refuses others
    _arguments.jobs("n_jobs", model.n_jobs)
    for name in ("bootstrap", "warm_start", "oob_score"):
        _arguments.flag(name, getattr(model, name))


def limits_of(model: Any) -> GrowthLimits:
    """Return the limits of growth that the parameters set."""
    return GrowthLimits(
        max_depth=model.max_depth,
        min_samples_split=model.min_samples_split,
        min_samples_leaf=model.min_samples_leaf,
        min_weight_fraction_leaf=model.min_weight_fraction_leaf,
    )


def n_drawn_of(max_features: Any, n_features: int) -> int:
    """Return how many columns are drawn.

    Examples
    --------
    >>> n_drawn_of("sqrt", 20), n_drawn_of("log2", 20), n_drawn_of(1 / 3, 20), n_drawn_of(None, 20)
    (4, 5, 6, 20)
    """
    if isinstance(max_features, str):
        if max_features == "sqrt":
            return max(1, int(np.sqrt(n_features)))
        if max_features == "log2":
            return min(n_features, int(np.log2(n_features)) + 1)
        raise ValueError(
            f"max_features={max_features!r} must be 'sqrt', 'log2', a whole number, a share or None"
        )
    return _members.count_of("max_features", max_features, n_features)


def grow(
    model: Any, sample: Any, n_categories: Indices, tests: Tests, workers: Workers
) -> PackedTrees | None:
    """Return the trees that a forest lacks, None if none; write which rows they have not seen."""
    if int(n_categories.max()) > _MOST_BINS:
        raise ValueError(
            f"a column has {int(n_categories.max()):,} categories, and a forest reads at most "
            f"{_MOST_BINS:,}: merge rare ones, or leave the column out"
        )
    n_rows, n_features = sample.X.shape
    references, todo = references_of(model), range(tests.n_before, model.n_estimators)
    if not todo:
        return None
    make = _binned if model.splitter == "histogram" else _exact
    member = make(model, sample, n_categories, references, workers)
    size = _members.count_of("max_samples", model.max_samples, n_rows)
    per_tree = model.features == "tree"
    n_drawn = n_drawn_of(model.max_features, n_features)

    def tree(place: int) -> GrownTree:
        bag = _members.draw_bag(model.seed_, place, n_rows, size, bootstrap=model.bootstrap)
        _members.mark_outside(bag, n_rows, tests.rows, tests.outside[place])
        columns = _members.draw_columns(
            model.seed_, place, n_features, n_drawn if per_tree else n_features
        )
        return member(bag, columns, min(n_drawn, len(columns)), place)

    width = int(n_categories.max()) // 64 + 1 if n_categories.any() else 0
    return pack_trees(workers.map(tree, todo), width)


def references_of(model: Any) -> Indices | None:
    """Return the rows that decide where bins end; None if none do."""
    if model.splitter != "histogram":
        return None
    return binning.reference_rows(model.n_training_rows_, _members.references_of(model.seed_))


_Member = Callable[[Bag, Indices, int, int], GrownTree]


def _binned(
    model: Any, sample: Any, n_categories: Indices, references: Indices | None, workers: Workers
) -> _Member:
    """Return what grows a tree from bins."""
    _refuse_other_criteria(model, sample.n_classes)
    bins = binning.find_bins(sample.X, n_categories, references, model.max_bins, workers.size)
    regression = sample.n_classes == 0
    most = len(sample.X) * 2**16 if model.bootstrap or model.weighted_ else len(sample.X)
    table = BinnedTable(
        codes=bins.encode(sample.X, workers.size),
        n_bins=bins.n_bins,
        is_category=bins.is_category,
        targets=single.whole_targets(sample.targets, min(most, 2**31))
        if regression
        else np.empty(0, dtype=np.int64),
        numbers=sample.targets if regression else np.empty(0),
    )
    weighing = _weighing(model, sample)

    def member(bag: Bag, columns: Indices, n_drawn: int, place: int) -> GrownTree:
        items, total = single.items_of(weighing, bag)
        rules = Rules(
            n_classes=sample.n_classes,
            n_drawn=n_drawn,
            max_depth=_DEEPEST if model.max_depth is None else int(model.max_depth),
            min_samples_split=int(model.min_samples_split),
            min_samples_leaf=int(model.min_samples_leaf),
            min_weight_leaf=int(np.ceil(float(model.min_weight_fraction_leaf) * total)),
        )
        state = _members.growth_state(model.seed_, place)
        return single.grow_binned((bins, table), items, columns, rules, state)

    return member


def _refuse_other_criteria(model: Any, n_classes: int) -> None:
    """Refuse what trees of bins do not optimise."""
    if n_classes:
        if impurities.of(model.criterion).code != GINI:
            raise ValueError(
                f"criterion={model.criterion!r} needs splitter='exact'; trees of bins take 'gini'"
            )
    elif errors.code_of(errors.loss_of(model.criterion)) != SQUARED_ERROR:
        raise ValueError(
            f"criterion={model.criterion!r} needs splitter='exact'; trees of bins take "
            "'squared_error'"
        )


def _exact(
    model: Any, sample: Any, n_categories: Indices, references: Indices | None, workers: Workers
) -> _Member:
    """Return what grows a tree from sorted columns."""
    del references, workers
    n_classes, limits = sample.n_classes, limits_of(model)
    if n_classes:
        criterion = impurities.of(model.criterion).code
    else:
        criterion = errors.code_of(errors.loss_of(model.criterion))
    weighing = _weighing(model, sample)
    width = int(n_categories.max()) // 64 + 1 if n_categories.any() else 0

    def member(bag: Bag, columns: Indices, n_drawn: int, place: int) -> GrownTree:
        tree = grow_cart(
            sample.X[np.ix_(bag.rows, columns)],
            n_categories[columns],
            sample.targets[bag.rows],
            single.bag_weights(weighing, bag),
            n_classes=n_classes,
            criterion=criterion,
            limits=limits,
            drawn=DrawnColumns(n_drawn, _members.growth_state(model.seed_, place)),
        )
        return single.of_cart(tree, columns, len(n_categories), n_classes, width)

    return member


def _weighing(model: Any, sample: Any) -> single.Weighing:
    """Return how much the rows of bags count."""
    return single.Weighing(
        sample.targets if sample.n_classes else None,
        sample.weights if model.weighted_ else None,
        _class_weights(model, sample.n_classes),
    )


def _class_weights(model: Any, n_classes: int) -> Callable[[Indices, Indices], Vector] | None:
    """Return what balances the classes within a bag, if that was asked for."""
    if not n_classes or not isinstance(model.class_weight, str):
        return None
    if model.class_weight != "balanced_subsample":
        return None

    def balance(labels: Indices, times: Indices) -> Vector:
        counts = np.bincount(labels, weights=times, minlength=n_classes)
        share = times.sum() / (np.count_nonzero(counts) * np.maximum(counts, 1.0))
        return share[labels]

    return balance
