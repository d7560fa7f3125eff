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
from surelearn.learners.ensembles._forest import one_tree as single
from surelearn.learners.ensembles._forest.packed_trees import (
    MOST_COLUMNS,
    GrownTree,
    PackedTrees,
    pack_trees,
)
from surelearn.learners.ensembles._forest.tree_growth import MOST_CLASSES
from surelearn.learners.ensembles._forest.walkable import as_grown
from surelearn.learners.ensembles._forest.workspace import BinnedTable, Rules
from surelearn.learners.ensembles._histogram.cut_points import Codes
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
    refuse_too_many(n_categories)
    n_rows = len(sample.X)
    references, todo = references_of(model), range(tests.n_before, model.n_estimators)
    if not todo:
        return None
    make = _binned if model.splitter == "histogram" else _exact
    member = make(model, sample, n_categories, references, workers)

    def tree(place: int) -> GrownTree:
        bag = bag_of(model, place)
        _members.mark_outside(bag, n_rows, tests.rows, tests.outside[place])
        return member(bag, *columns_of(model, place), place)

    return as_grown(pack_trees(workers.map(tree, todo), route_width(n_categories)))


def refuse_too_many(n_categories: Indices) -> None:
    """Refuse more columns than the words of nodes can name, and more categories than bins."""
    if len(n_categories) > MOST_COLUMNS:
        raise ValueError(
            f"{len(n_categories):,} columns are more than the {MOST_COLUMNS:,} that a forest reads"
        )
    if int(n_categories.max()) > _MOST_BINS:
        raise ValueError(
            f"a column has {int(n_categories.max()):,} categories, and a forest reads at most "
            f"{_MOST_BINS:,}: merge rare ones, or leave the column out"
        )


def route_width(n_categories: Indices) -> int:
    """Return the number of words of a set of categories, missing ones included."""
    return int(n_categories.max()) // 64 + 1 if n_categories.any() else 0


def bag_of(model: Any, place: int) -> Bag:
    """Return the rows of a tree, drawn from the number of all rows and the seed alone."""
    n_rows = model.n_training_rows_
    size = _members.count_of("max_samples", model.max_samples, n_rows)
    return _members.draw_bag(model.seed_, place, n_rows, size, bootstrap=model.bootstrap)


def columns_of(model: Any, place: int) -> tuple[Indices, int]:
    """Return the columns that a tree may ask, and how many are drawn at a node."""
    n_features = model.n_features_in_
    n_drawn = n_drawn_of(model.max_features, n_features)
    n_there = n_drawn if model.features == "tree" else n_features
    columns = _members.draw_columns(model.seed_, place, n_features, n_there)
    return columns, min(n_drawn, len(columns))


def references_of(model: Any) -> Indices | None:
    """Return the rows that decide where bins end; None if none do."""
    if model.splitter != "histogram":
        return None
    return binning.reference_rows(model.n_training_rows_, _members.references_of(model.seed_))


Member = Callable[[Bag, Indices, int, int], GrownTree]
"""What grows a tree, given its bag, the columns it may ask, how many are drawn, and its number."""


def _binned(
    model: Any, sample: Any, n_categories: Indices, references: Indices | None, workers: Workers
) -> Member:
    """Return what grows a tree from bins."""
    refuse_other_criteria(model, sample.n_classes)
    bins = binning.find_bins(sample.X, n_categories, references, model.max_bins, workers.size)
    units = None
    if sample.n_classes == 0:
        units = single.target_units(sample.targets, most_weight(model, len(sample.X)))
    codes = bins.encode(sample.X, workers.size)
    return grower_of_bins(model, sample, bins, codes, units)


def most_weight(model: Any, n_rows: int) -> int:
    """Return the largest weight that the rows of a bag may have together."""
    return min(n_rows * 2**16 if model.bootstrap or model.weighted_ else n_rows, 2**31)


def grower_of_bins(
    model: Any, sample: Any, bins: binning.SpannedBins, codes: Codes, units: Any
) -> Member:
    """Return what grows a tree from encoded rows; in a regression `units` are of its targets."""
    numeric = sample.n_classes == 0
    if sample.n_classes > MOST_CLASSES:
        raise ValueError(
            f"y has {sample.n_classes} classes, and trees of bins take {MOST_CLASSES}: set "
            "splitter='exact', or take a regressor if they are numbers"
        )
    table = BinnedTable(
        codes=codes,
        n_bins=bins.n_bins,
        is_category=bins.is_category,
        targets=units.of(sample.targets) if numeric else np.empty(0, dtype=np.int64),
        numbers=sample.targets if numeric else np.empty(0),
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


def refuse_other_criteria(model: Any, n_classes: int) -> None:
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
) -> Member:
    """Return what grows a tree from sorted columns."""
    del references, workers
    return grower_of_rows(model, sample, n_categories)


def grower_of_rows(model: Any, sample: Any, n_categories: Indices) -> Member:
    """Return what grows a tree from sorted columns."""
    n_classes, limits = sample.n_classes, limits_of(model)
    if n_classes:
        criterion = impurities.of(model.criterion).code
    else:
        criterion = errors.code_of(errors.loss_of(model.criterion))
    weighing = _weighing(model, sample)
    width = route_width(n_categories)

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
