"""What a classification tree can state of its risk from its training rows alone.

How the cut points are found decides which theorem of `surelearn.bounds.trees` is used, before the
data are seen: on a grid given to the learner `grid_occam`, at values of training rows
`compression_hybrid`, anywhere else `threshold_growth`.
"""

import math
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from surelearn._typing import Indices, Mask, Matrix, Vector
from surelearn.base.classifier import risk_certificate
from surelearn.base.drawn_rows import drawn_independently
from surelearn.base.seal import refuse_changed
from surelearn.base.tables import table
from surelearn.bounds import Guarantee, trees
from surelearn.certificate import Certificate, Evidence, assumed, checked, violated
from surelearn.learners.trees import _arrivals, _walk
from surelearn.learners.trees._code import CodeLengths, Grid, TreeCode
from surelearn.learners.trees._pruning.structural_risk import Fronts, Prices
from surelearn.learners.trees._tree import Tree

NO_DEFAULTS, NAMED_DEFAULTS = math.log2(16 / 15), 4.0
"""The bits that say whether the code names the branches of rows without an answer."""


class CertifiedTree(Protocol):
    """What certificates read of a fitted classification tree; see `TreeClassifier`."""

    tree_: Tree
    categories_: table.Categories
    classes_: NDArray[Any]
    n_training_rows_: int
    training_errors_: int
    correct_: Indices
    missing_: Mask
    rare_: Mask
    named_: Indices | None
    grid_: Grid


class Recollection(NamedTuple):
    """What a fitted tree keeps of its training rows, weightless ones included."""

    training_errors: int
    correct: Indices
    missing: Mask
    rare: Mask


def recollect(
    tree: Tree, X: Matrix, labels: Indices, weights: Vector, categories: table.Categories
) -> Recollection:
    """Return what certificates need to know of the training rows."""
    missing = np.isnan(X.min(axis=0))
    if missing.any() or not (weights == 1.0).all():
        correct = _arrivals.count_correct(tree, X, labels)
    else:  # every row went whole to one leaf, and weighs one
        correct = tree.value.max(axis=1).astype(np.int64)
    errors = certified_errors(tree, correct, len(X))
    if missing.any() and tree.spreads:
        shares = np.zeros((len(X), tree.value.shape[1]))
        _walk.spread_rows(X, tree.questions(X.shape[1]), tree.shares(), shares)
        errors = int(np.count_nonzero(shares.argmax(axis=1) != labels))
    return Recollection(errors, correct, missing, table.columns_with_rare_categories(X, categories))


def certified_errors(tree: Tree, correct: Indices, n_rows: int) -> int:
    """Return the training errors; a row that is divided among leaves counts as one."""
    return n_rows - int(correct[tree.is_leaf].sum())


def certify_risk(model: CertifiedTree, *, delta: float) -> Certificate:
    """State the risk of a tree by its training errors and the length of its description."""
    refuse_changed(model)
    tree, lengths = model.tree_, _code_lengths(model)
    errors = certified_errors(tree, model.correct_, model.n_training_rows_)
    guarantee = _risk_bound(
        model,
        errors,
        _preamble(model) + lengths.bits(tree),
        int(lengths.cut.sum()),
        delta=delta,
    )
    divided = errors - model.training_errors_  # among leaves, that answer together what is right
    return risk_certificate(model, guarantee, _evidence(model, guarantee), n_divided=divided)


def close_for_least_bound(model: CertifiedTree, *, delta: float) -> Mask:
    """Return the nodes to close so that the certificate of what is left is smallest."""
    lengths, preamble = _code_lengths(model), _preamble(model)
    cuts = lengths.cut.astype(np.int64)
    prices = Prices(lengths.leaf, lengths.split, cuts, _cut_price(model))

    def bound(errors: int, bits: float, n_cuts: int) -> float:
        return _risk_bound(model, errors, preamble + bits, n_cuts, delta=delta).bound

    return Fronts(model.tree_, model.correct_, prices).best(model.n_training_rows_, bound)[1]


def _code_lengths(model: CertifiedTree) -> CodeLengths:
    """Return what each node costs in the code that describes the tree."""
    code = TreeCode(
        n_categories=table.n_categories(model.categories_),
        n_classes=len(model.classes_),
        multiway=model.tree_.spreads,
        defaults=bool(model.missing_.any()) and not model.tree_.spreads,
        grid=model.grid_,
    )
    return code.lengths(model.tree_)


def _preamble(model: CertifiedTree) -> float:
    """Return the bits in front of the tree, which say whether default branches are named.

    If not, a row without an answer counts as an error, and a tree that divides such rows has no
    default branch to name.
    """
    if model.tree_.spreads:
        return 0.0
    return NAMED_DEFAULTS if model.missing_.any() else NO_DEFAULTS


def _risk_bound(
    model: CertifiedTree, errors: int, bits: float, cuts: int, *, delta: float
) -> Guarantee:
    """Return the bound that fits how this learner finds its cut points."""
    n = model.n_training_rows_
    if model.grid_ is not None or all(known is not None for known in model.categories_):
        return trees.grid_occam(errors=errors, n=n, bits=bits, delta=delta)
    if model.named_ is None:
        return trees.threshold_growth(
            errors=errors, n=n, structure_bits=bits, n_numeric_splits=cuts, delta=delta
        )
    named = min(cuts, len(np.unique(model.named_[model.named_ >= 0])))
    return trees.compression_hybrid(
        errors_outside=min(errors, n - named),
        n=n,
        n_named=named,
        structure_bits=bits,
        n_numeric_splits=cuts,
        delta=delta,
    )


def _cut_price(model: CertifiedTree) -> float:
    """Return about how many bits a learnt cut point is worth in the bound."""
    if model.grid_ is not None:
        return 0.0
    return math.log2(model.n_training_rows_ * (1.2 if model.named_ is None else 1.0))


def _evidence(model: CertifiedTree, guarantee: Guarantee) -> dict[str, Evidence]:
    """Return what is known of each assumption of the theorem."""
    evidence = {
        "independent": drawn_independently(model),
        "fixed_before": _schema_evidence(model),
    }
    if "cut_points" in guarantee.assumes:
        evidence["cut_points"] = _cut_points_evidence(model)
    return evidence


def _schema_evidence(model: CertifiedTree) -> Evidence:
    """Say whether the categories can have been known: one seen once tells of others unseen."""
    names = table.column_names(model)
    asked = np.unique(model.tree_.feature[~model.tree_.is_leaf])
    open_ended = [names[place] for place in asked if model.rare_[place]]
    if open_ended:
        return violated(
            f"column {open_ended[0]!r} has categories that a single training row has, so there "
            "are likely others: the schema was not known beforehand"
        )
    words = [
        name for name, known in zip(names, model.categories_, strict=True) if known is not None
    ]
    schema = "that the columns and classes were not chosen by looking at these rows"
    if words:
        schema += f"; the categories of {', '.join(words)} were read off these rows"
    return assumed(schema)


def _cut_points_evidence(model: CertifiedTree) -> Evidence:
    """Say where the cut points come from: training rows, a grid, or nowhere."""
    tree, grid = model.tree_, model.grid_
    if model.named_ is not None:
        return checked("each cut is the value of the training row it names")
    if grid is None:
        return assumed("no column is numeric: no cut point; the code is the schema's")
    for node in np.flatnonzero(~np.isnan(tree.threshold)):
        if tree.threshold[node] not in grid[tree.feature[node]]:
            return violated(f"{tree.threshold[node]:g} is a cut point outside the grid")
    return assumed("the grid was given to the constructor; every cut point is on it")
