"""Decision trees: how many there are, how long their description is, and what that certifies.

Cut points on a grid fixed beforehand are certified by `grid_occam`, cut points learnt from the
sample by `compression_hybrid` (values of named rows) or `threshold_growth` (any real numbers). The
remaining theorems are about trees over 0-1 features, as textbooks state them.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from surelearn import _arguments
from surelearn.bounds import inversions, pac, vc
from surelearn.bounds._guarantee import Guarantee, theorem
from surelearn.bounds._special import log_choose_above
from surelearn.bounds._tree_code import Feature, Tree, TreeCode

_RISK = "the risk of the tree"
_INDEPENDENT = {"independent": "the rows are independent and have the law of future rows"}
_SCHEMA = {
    **_INDEPENDENT,
    "fixed_before": "features, classes and depth limit were fixed before the data were seen",
}


def log_labelled_trees(*, n_nodes: int, n_features: int) -> float:
    """Return ln of the number of binary trees with `n_nodes` nodes over 0-1 features, two labels.

    Catalan(s) shapes, a feature for each of the s = (n_nodes - 1) / 2 splits, a label for each
    of the s + 1 leaves.

    Examples
    --------
    >>> round(math.exp(log_labelled_trees(n_nodes=7, n_features=2)))
    640
    """
    splits = _n_splits(n_nodes)
    n_features = _arguments.count("n_features", n_features, at_least=1)
    log_shapes = log_choose_above(2 * splits, splits) - math.log(splits + 1)
    return log_shapes + splits * math.log(n_features) + (splits + 1) * math.log(2.0)


def log_boolean_functions(*, n_features: int) -> float:
    """Return ln of the number 2^(2^d) of functions of d 0-1 features: all are trees.

    Examples
    --------
    >>> round(math.exp(log_boolean_functions(n_features=2)))
    16
    """
    return 2.0 ** _arguments.count("n_features", n_features, at_least=1, at_most=1000) * math.log(
        2.0
    )


@theorem
def all_boolean_functions(*, n_features: int, n: int, delta: float) -> Guarantee:
    """Bound the excess risk of fitting an unrestricted tree to 0-1 features.

    Vacuous unless n is several times 2^d: without a limit on its size a tree can be anything.

    Examples
    --------
    >>> round(all_boolean_functions(n_features=4, n=1000, delta=0.05).bound, 6)
    0.171926
    """
    return _empirical_risk_minimiser(
        log_boolean_functions(n_features=n_features), n, delta, "all functions of the features"
    )


@theorem
def bounded_size(*, n_nodes: int, n_features: int, n: int, delta: float) -> Guarantee:
    """Bound the excess risk of the best fitting tree of `n_nodes` nodes: at most (2 e d)^N trees.

    Examples
    --------
    >>> round(bounded_size(n_nodes=7, n_features=10, n=1000, delta=0.05).bound, 6)
    0.251631
    """
    n_nodes = 2 * _n_splits(n_nodes) + 1
    n_features = _arguments.count("n_features", n_features, at_least=1)
    log_trees = n_nodes * (1.0 + math.log(2.0 * n_features))
    return _empirical_risk_minimiser(log_trees, n, delta, f"trees of {n_nodes} nodes")


@theorem
def bounded_size_exact(*, n_nodes: int, n_features: int, n: int, delta: float) -> Guarantee:
    """Bound the excess risk of the best fitting tree of `n_nodes` nodes by their exact number.

    Examples
    --------
    >>> round(bounded_size_exact(n_nodes=7, n_features=10, n=1000, delta=0.05).bound, 6)
    0.173082
    """
    log_trees = log_labelled_trees(n_nodes=n_nodes, n_features=n_features)
    return _empirical_risk_minimiser(log_trees, n, delta, f"trees of {n_nodes} nodes")


def code_length_boolean(*, n_nodes: int, n_features: int) -> int:
    """Return the length in bits of the textbook code of a tree over 0-1 features.

    Examples
    --------
    >>> code_length_boolean(n_nodes=7, n_features=10)
    37
    """
    n_nodes = 2 * _n_splits(n_nodes) + 1
    symbols = _arguments.count("n_features", n_features, at_least=1) + 3
    return (n_nodes + 1) * (symbols - 1).bit_length() + 2 * (n_nodes.bit_length() - 1) + 1


@theorem(realised=("n_nodes",))
def structural_risk_penalty(*, n_nodes: int, n_features: int, n: int, delta: float) -> Guarantee:
    """Bound the distance between risk and training error, for trees of every size at once.

    Adding it to the training error and minimising is structural risk minimisation.

    Examples
    --------
    >>> penalty = structural_risk_penalty(n_nodes=7, n_features=10, n=1000, delta=0.05)
    >>> round(0.05 + penalty.bound, 6)
    0.17111
    """
    bits = code_length_boolean(n_nodes=n_nodes, n_features=n_features)
    return replace(
        pac.occam_hoeffding(n=n, bits=bits, delta=delta),
        quantity="|risk - training error| of the tree",
        assumes={
            **_INDEPENDENT,
            "fixed_before": "two classes and 0-1 features, fixed before the data were seen",
        },
    )


def code_length_static(*, n_leaves: int, n_features: int, n_cuts: int, n_classes: int) -> float:
    """Return the bits of a binary tree when every split names one of d features and G cut points.

    Examples
    --------
    >>> code_length_static(n_leaves=4, n_features=8, n_cuts=256, n_classes=2)
    44.0
    """
    n_leaves = _arguments.count("n_leaves", n_leaves, at_least=1)
    tests = _arguments.count("n_features", n_features, at_least=1) * _arguments.count(
        "n_cuts", n_cuts, at_least=1
    )
    label = math.log2(_arguments.count("n_classes", n_classes, at_least=1))
    return (2 * n_leaves - 1) + (n_leaves - 1) * math.log2(tests) + n_leaves * label


def code_length(
    *,
    tree: Tree,
    features: Sequence[Feature],
    n_classes: int,
    multiway: bool = False,
    missing: bool = False,
    learnt_cuts: bool = False,
    max_depth: int | None = None,
) -> float:
    """Return the bits of a tree in a prefix code that never pays for a test it cannot make.

    A feature is ("numeric", number of cut points) or ("categorical", number of categories). A leaf
    is {"label": 1}; a split is {"feature": 0, "cut": 2, "children": [at most, above]} for the third
    cut point, {"feature": 1, "left": [0, 3], "children": [in, out]} for a set of categories that
    contains the smallest, or {"feature": 1, "children": [one for each]} if `multiway`. `missing`
    pays for a learnt default branch at every split. With `learnt_cuts` the numeric cut points are
    left out, and what remains is `structure_bits` of the theorems below.

    Examples
    --------
    >>> leaf = {"label": 0}
    >>> four = {"feature": 1, "children": [leaf, leaf, leaf, leaf]}
    >>> tree = {"feature": 0, "cut": 1, "children": [leaf, four]}
    >>> features = [("numeric", 3), ("categorical", 4), ("numeric", 1)]
    >>> round(code_length(tree=tree, features=features, n_classes=2, multiway=True), 4)
    16.7549
    """
    return TreeCode(
        features=features,
        n_classes=n_classes,
        multiway=multiway,
        missing=missing,
        learnt_cuts=learnt_cuts,
        max_depth=max_depth,
    ).bits(tree)


@theorem(realised=("errors", "bits"))
def grid_occam(*, errors: int, n: int, bits: float, delta: float) -> Guarantee:
    """Bound the risk of a tree from its training errors and its code length on a fixed grid.

    How the tree was grown and pruned does not matter; `bits` comes from `code_length` or
    `code_length_static`.

    Examples
    --------
    >>> round(grid_occam(errors=23, n=569, bits=49.72, delta=0.05).bound, 3)
    0.148
    """
    return replace(
        pac.occam(errors=errors, n=n, bits=bits, delta=delta),
        quantity=_RISK,
        assumes={**_SCHEMA, "cut_points": "so were the cut points, and the code"},
    )


@theorem(realised=("errors_outside", "n_named", "structure_bits", "n_numeric_splits"))
def compression_hybrid(
    *,
    errors_outside: int,
    n: int,
    n_named: int,
    structure_bits: float,
    n_numeric_splits: int,
    delta: float,
) -> Guarantee:
    """Bound the risk of a tree whose every numeric cut is the value of a training row.

    `n_named` distinct rows give the cuts, `errors_outside` counts errors on the others,
    `structure_bits` comes from `code_length`. A midpoint names two rows: count its split
    twice, or deploy the tree with its cuts moved down to the sample value.

    Examples
    --------
    >>> round(compression_hybrid(errors_outside=23, n=569, n_named=3, structure_bits=25.72,
    ...                          n_numeric_splits=3, delta=0.05).bound, 3)
    0.154
    """
    n = _arguments.count("n", n, at_least=1)
    splits = _arguments.count("n_numeric_splits", n_numeric_splits)
    others = n - _arguments.count("n_named", n_named, at_most=min(n, splits))
    errors = _arguments.count("errors_outside", errors_outside, at_most=others)
    bits = _arguments.non_negative("structure_bits", structure_bits) + splits * math.log2(n)
    return Guarantee(
        quantity=_RISK,
        bound=inversions.binomial_upper_at_log_level(errors, others, _log_level(delta, bits)),
        assumes={**_SCHEMA, "cut_points": "every numeric cut point is the value of a named row"},
        reference="surelearn theory pages; sharpens Littlestone and Warmuth (1986)",
        confidence=_arguments.confidence_from(delta),
        validity="fixed-n",
        trivial=1.0,
    )


@theorem(realised=("errors", "structure_bits", "n_numeric_splits"))
def threshold_growth(
    *, errors: int, n: int, structure_bits: float, n_numeric_splits: int, delta: float
) -> Guarantee:
    """Bound the risk of a tree with any real cut points, found in any way.

    The cut points are paid for by the (m + 1)^s patterns they make on m rows, the rest by
    `structure_bits` from `code_length`.

    Examples
    --------
    >>> round(threshold_growth(errors=23, n=569, structure_bits=25.72, n_numeric_splits=3,
    ...                        delta=0.05).bound, 3)
    0.172
    """
    n = _arguments.count("n", n, at_least=1)
    errors = _arguments.count("errors", errors, at_most=n)
    splits = _arguments.count("n_numeric_splits", n_numeric_splits)
    log_level = _log_level(delta, _arguments.non_negative("structure_bits", structure_bits))

    def log_growth(m: int) -> float:
        return vc.log_growth_tree_thresholds(n=m, n_thresholds=splits)

    return Guarantee(
        quantity=_RISK,
        bound=vc.moment_root(log_growth, n, errors, log_level),
        assumes=_SCHEMA,
        reference="surelearn theory pages; sharpens Vapnik and Chervonenkis (1971)",
        confidence=_arguments.confidence_from(delta),
        validity="fixed-n",
        trivial=1.0,
    )


def _empirical_risk_minimiser(log_size: float, n: int, delta: float, rules: str) -> Guarantee:
    # With equal weights on all rules structural risk minimisation is minimising the errors.
    return replace(
        pac.structural_risk(n=n, bits=log_size / math.log(2.0), delta=delta),
        quantity="the risk of the tree minus the least risk in the class",
        assumes={
            **_INDEPENDENT,
            "fewest_errors": f"the tree has the fewest training errors among {rules}",
        },
    )


def _n_splits(n_nodes: int) -> int:
    n_nodes = _arguments.count("n_nodes", n_nodes, at_least=1)
    if n_nodes % 2 == 0:
        raise _arguments.refuse(
            "n_nodes", n_nodes, "odd: a binary tree has one more leaf than splits"
        )
    return n_nodes // 2


def _log_level(delta: float, bits: float) -> float:
    return math.log(_arguments.open_fraction("delta", delta)) - bits * math.log(2.0)
