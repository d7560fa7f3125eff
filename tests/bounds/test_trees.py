"""Trees: exact counts, codes that satisfy Kraft, certificates that hold, codes that cheat."""

import itertools
import math

import numpy as np
import pytest

from surelearn.bounds import inversions, trees
from surelearn.evaluate.coverage import Coverage, simulate_coverage

LEAVES = [{"label": 0}, {"label": 1}]


def boolean_trees(n_nodes, n_features):
    """Yield every labelled tree of exactly `n_nodes` nodes as the tuple of its truth values."""
    inputs = list(itertools.product([0, 1], repeat=n_features))
    if n_nodes == 1:
        yield from (tuple([label] * len(inputs)) for label in (0, 1))
    for left_nodes in range(1, n_nodes - 1, 2):
        left = list(boolean_trees(left_nodes, n_features))
        right = list(boolean_trees(n_nodes - 1 - left_nodes, n_features))
        for feature, a, b in itertools.product(range(n_features), left, right):
            yield tuple((b if x[feature] else a)[i] for i, x in enumerate(inputs))


@pytest.mark.parametrize(
    ("n_features", "n_nodes", "functions", "labelled"),
    [(2, 1, 2, 2), (2, 3, 6, 8), (2, 5, 14, 64), (2, 7, 16, 640), (3, 3, 8, 12), (3, 5, 32, 144)],
)
def test_the_count_of_labelled_trees_is_exact(n_features, n_nodes, functions, labelled):
    every = list(boolean_trees(n_nodes, n_features))
    count = math.exp(trees.log_labelled_trees(n_nodes=n_nodes, n_features=n_features))
    assert (len(set(every)), len(every), round(count)) == (functions, labelled, labelled)


def test_the_textbook_count_is_never_below_the_exact_one():
    for n_nodes, n_features in itertools.product(range(1, 202, 10), [1, 2, 3, 50, 10**6]):
        inputs = {"n_nodes": n_nodes, "n_features": n_features, "n": 1000, "delta": 0.05}
        assert trees.bounded_size(**inputs).bound >= trees.bounded_size_exact(**inputs).bound


def test_an_even_number_of_nodes_is_refused():
    with pytest.raises(ValueError, match="n_nodes"):
        trees.log_labelled_trees(n_nodes=4, n_features=2)


@pytest.mark.parametrize(
    ("errors", "n_nodes", "n", "expected"),
    [(0.3, 1, 20, 0.7982), (0.05, 7, 20, 0.9064), (0.3, 1, 1000, 0.3705), (0.05, 7, 1000, 0.1711)],
)
def test_structural_risk_chooses_the_small_tree_on_few_rows(errors, n_nodes, n, expected):
    penalty = trees.structural_risk_penalty(n_nodes=n_nodes, n_features=10, n=n, delta=0.05)
    assert errors + penalty.bound == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize(("n_nodes", "bits"), [(1, 9), (3, 19), (7, 37)])
def test_the_textbook_code_has_its_tabulated_lengths(n_nodes, bits):
    assert trees.code_length_boolean(n_nodes=n_nodes, n_features=10) == bits


def test_the_textbook_code_satisfies_kraft():
    total = math.fsum(
        math.exp(
            trees.log_labelled_trees(n_nodes=n_nodes, n_features=2)
            - trees.code_length_boolean(n_nodes=n_nodes, n_features=2) * math.log(2)
        )
        for n_nodes in range(1, 200, 2)
    )
    assert total == pytest.approx(0.01588, abs=5e-6)


@pytest.mark.parametrize(
    ("bits", "most_nodes", "expected"),
    [
        (lambda n: (n + 1) * math.ceil(math.log2(2 + 3)), 199, 0.03349),  # an end marker
        (lambda n: n * math.ceil(math.log2(2 + 2)), 199, 0.94365),  # pre-order needs none
        (lambda n: n + (n - 1) / 2 * math.log2(2) + (n + 1) / 2, 1999, 0.982),  # fractions of bits
    ],
)
def test_shorter_codes_than_the_textbooks_satisfy_kraft_too(bits, most_nodes, expected):
    total = math.fsum(
        math.exp(trees.log_labelled_trees(n_nodes=n, n_features=2) - bits(n) * math.log(2))
        for n in range(1, most_nodes + 1, 2)
    )
    assert total == pytest.approx(expected, abs=5e-4 if most_nodes > 199 else 5e-6)
    static = trees.code_length_static(n_leaves=4, n_features=2, n_cuts=1, n_classes=2)
    assert static == pytest.approx(7 + 3 + 4)  # the last of the three, for seven nodes


def test_the_static_code_satisfies_kraft():
    # Static weights of all shapes, tests and labels of L leaves: Catalan(L - 1) 2^-(2L - 1).
    weights = [
        math.exp(
            trees.log_labelled_trees(n_nodes=2 * leaves - 1, n_features=12)
            - trees.code_length_static(n_leaves=leaves, n_features=3, n_cuts=4, n_classes=2)
            * math.log(2)
        )
        for leaves in range(1, 1000)
    ]
    assert 0.98 < math.fsum(weights) <= 1.0


def test_structure_bits_of_the_breast_cancer_tree():
    leaf = {"label": 0}
    stump = {"feature": 3, "children": [leaf, leaf]}
    tree = {"feature": 7, "children": [stump, stump]}
    features = [("numeric", 0)] * 30
    bits = trees.code_length(tree=tree, features=features, n_classes=2, learnt_cuts=True)
    assert bits == pytest.approx(7 + 3 * math.log2(30) + 4)


def enumerate_trees(cell, kinds, *, multiway, depth):
    """Yield every tree below a cell, written as `code_length` reads it."""
    yield from LEAVES
    if depth == 0:
        return
    for feature, left in enumerate(cell):
        for test, parts in possible_tests(kinds[feature], left, multiway=multiway):
            cells = [(*cell[:feature], part, *cell[feature + 1 :]) for part in parts]
            below = [
                list(enumerate_trees(c, kinds, multiway=multiway, depth=depth - 1)) for c in cells
            ]
            for children in itertools.product(*below):
                yield {"feature": feature, **test, "children": list(children)}


def possible_tests(kind, left, *, multiway):
    if kind == "numeric":
        return [({"cut": c}, [left[:i], left[i + 1 :]]) for i, c in enumerate(left)]
    if len(left) < 2:
        return []
    if multiway:
        return [({}, [(value,) for value in left])]
    subsets = [
        (left[0], *rest)
        for size in range(len(left) - 1)
        for rest in itertools.combinations(left[1:], size)
    ]
    return [({"left": list(s)}, [s, tuple(v for v in left if v not in s)]) for s in subsets]


ENUMERATED = [(True, None, 23_938), (True, 1, 18), (False, 1, 22), (True, 2, 1282), (False, 2, 926)]


@pytest.mark.parametrize(
    ("multiway", "depth", "count", "missing"),
    [
        *((*one, True) for one in ENUMERATED),
        pytest.param(*ENUMERATED[0], False, marks=pytest.mark.slow),
        *((*one, False) for one in ENUMERATED[1:]),
    ],
)
def test_the_weights_of_all_trees_sum_to_one(multiway, depth, count, missing):
    features = [("numeric", 2), ("categorical", 3)]
    limit = 10 if depth is None else depth
    every = list(
        enumerate_trees(
            ((0, 1), (0, 1, 2)), ["numeric", "categorical"], multiway=multiway, depth=limit
        )
    )
    settings = {"features": features, "n_classes": 2, "multiway": multiway, "missing": missing}
    bits = [trees.code_length(tree=t, max_depth=depth, **settings) for t in every]
    # A learnt default branch multiplies the trees by the children and divides their weights.
    copies = [default_branches(t) if missing else 1 for t in every]
    assert len(every) == count
    assert math.fsum(c * 2.0**-b for c, b in zip(copies, bits, strict=True)) == pytest.approx(1.0)


def default_branches(tree):
    children = tree.get("children", [])
    return max(len(children), 1) * math.prod(default_branches(child) for child in children)


def test_structures_with_learnt_cuts_satisfy_kraft():
    # Numeric features stay admissible for ever: sum over all structures of depth at most 3.
    def structures(depth):
        yield from LEAVES
        if depth:
            below = list(structures(depth - 1))
            for children in itertools.product(below, repeat=2):
                yield {"feature": 0, "children": list(children)}

    settings = {"features": [("numeric", 0)], "n_classes": 2, "learnt_cuts": True}
    bits = [trees.code_length(tree=t, max_depth=3, **settings) for t in structures(3)]
    assert math.fsum(2.0**-b for b in bits) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        ({"label": 2}, "label"),
        ({"feature": 2, "cut": 0, "children": LEAVES}, "feature"),
        ({"feature": 0, "cut": 2, "children": LEAVES}, "cut"),
        ({"feature": 0, "children": LEAVES}, "cut"),
        ({"feature": 0, "cut": 0, "children": [{"label": 0}]}, "children"),
        ({"feature": 1, "left": [1], "children": LEAVES}, "left"),
        ({"feature": 1, "left": [0, 1, 2], "children": LEAVES}, "left"),
        ({"feature": 1, "left": [0, 7], "children": LEAVES}, "left"),
        (
            {
                "feature": 0,
                "cut": 0,
                "children": [{"feature": 0, "cut": 0, "children": LEAVES}, LEAVES[0]],
            },
            "feature|cut",
        ),
        ({}, "feature"),
    ],
)
def test_a_tree_outside_its_schema_is_refused(tree, message):
    features = [("numeric", 2), ("categorical", 3)]
    with pytest.raises(ValueError, match=message):
        trees.code_length(tree=tree, features=features, n_classes=2)


def test_a_split_below_the_depth_limit_or_of_an_unknown_kind_is_refused():
    split = {"feature": 0, "cut": 0, "children": LEAVES}
    with pytest.raises(ValueError, match="feature"):
        trees.code_length(tree=split, features=[("numeric", 1)], n_classes=2, max_depth=0)
    with pytest.raises(ValueError, match="features"):
        trees.code_length(tree=split, features=[("ordinal", 1)], n_classes=2)


def test_a_chain_of_five_thousand_splits_and_a_thousand_categories_are_coded():
    tree = {"label": 0}
    for cut in range(5000):
        tree = {"feature": 0, "cut": cut, "children": [tree, {"label": 1}]}
    bits = trees.code_length(tree=tree, features=[("numeric", 5000)], n_classes=2)
    # Every split takes the last cut point left; the last left leaf is forced, so are the right.
    assert bits == pytest.approx(5000 + math.lgamma(5001) / math.log(2) + 5001)
    wide = {"feature": 0, "left": [0], "children": LEAVES}
    bits = trees.code_length(tree=wide, features=[("categorical", 3000)], n_classes=2)
    assert bits == pytest.approx(1 + 2999 + 1 + 2)  # the left leaf is forced, the right is not


@pytest.mark.parametrize(
    ("leaves", "errors", "n", "grid", "named", "growth"),
    [(4, 23, 569, 0.148, 0.154, 0.172)],
)
def test_the_three_routes_on_breast_cancer(leaves, errors, n, grid, named, growth):
    structure = (2 * leaves - 1) + (leaves - 1) * math.log2(30) + leaves
    on_grid = trees.code_length_static(n_leaves=leaves, n_features=30, n_cuts=256, n_classes=2)
    certificates = (
        trees.grid_occam(errors=errors, n=n, bits=on_grid, delta=0.05),
        trees.compression_hybrid(
            errors_outside=errors,
            n=n,
            n_named=leaves - 1,
            structure_bits=structure,
            n_numeric_splits=leaves - 1,
            delta=0.05,
        ),
        trees.threshold_growth(
            errors=errors,
            n=n,
            structure_bits=structure,
            n_numeric_splits=leaves - 1,
            delta=0.05,
        ),
    )
    assert [round(c.bound, 3) for c in certificates] == [grid, named, growth]


def test_a_code_of_thousands_of_bits_gives_a_finite_bound():
    bound = trees.grid_occam(errors=500, n=5000, bits=4000, delta=0.05).bound
    exact = inversions.binomial_upper_at_log_level(500, 5000, math.log(0.05) - 4000 * math.log(2))
    assert 0.1 < bound == exact < 1.0


def test_naming_every_row_or_erring_everywhere_certifies_nothing():
    named = {"structure_bits": 5.0, "n_numeric_splits": 4, "delta": 0.1}
    assert trees.compression_hybrid(errors_outside=0, n=4, n_named=4, **named).vacuous
    assert trees.grid_occam(errors=4, n=4, bits=1.0, delta=0.1).bound == 1.0
    with pytest.raises(ValueError, match="n_named"):
        trees.compression_hybrid(errors_outside=0, n=9, n_named=5, **named)


def multinomial_excess(rng, *, repetitions, rows, cells, noise):
    """Return the excess risk of the majority rule on `cells` equiprobable inputs."""
    counts = rng.multinomial(rows, np.full(cells, 1 / cells), repetitions)
    ones = rng.binomial(counts, 1 - noise)
    return (ones * 2 <= counts).mean(axis=1) * (1 - 2 * noise)  # ties go to the wrong label


def test_fitting_any_function_costs_no_more_than_the_bound(repetitions):
    rng = np.random.default_rng(1)
    excess = multinomial_excess(rng, repetitions=repetitions, rows=60, cells=8, noise=0.3)
    bound = trees.all_boolean_functions(n_features=3, n=60, delta=0.1).bound
    assert not Coverage(excess, np.full(repetitions, bound), 0.1).refuted()


def test_copied_rows_break_the_bound_on_fitting_any_function():
    rng = np.random.default_rng(2)
    excess = multinomial_excess(rng, repetitions=400, rows=10, cells=8, noise=0.2)
    bound = trees.all_boolean_functions(n_features=3, n=2000, delta=0.1).bound  # 200 copies
    assert Coverage(excess, np.full(400, bound), 0.1).refuted()


def best_boolean_stumps(rng, *, repetitions, n, n_features, noise):
    """Return excess risk and training errors of the best tree of 3 nodes; y copies feature 0."""
    X = rng.random((repetitions, n, n_features)) < 0.5
    y = X[:, :, 0] ^ (rng.random((repetitions, n)) < noise)
    agree = np.count_nonzero(y[:, :, None] == X, axis=1)
    errors = np.minimum(agree, n - agree)
    errors[:, 0] = n - agree[:, 0]
    best = errors.argmin(axis=1)
    excess = np.where(best == 0, 0.0, 0.5 - noise)
    return excess, errors.min(axis=1)


@pytest.mark.parametrize("name", ["bounded_size", "bounded_size_exact"])
def test_fitting_the_best_small_tree_costs_no_more_than_the_bound(name, repetitions):
    rng = np.random.default_rng(3)
    excess, _ = best_boolean_stumps(rng, repetitions=repetitions, n=30, n_features=40, noise=0.35)
    bound = getattr(trees, name)(n_nodes=3, n_features=40, n=30, delta=0.1).bound
    assert not Coverage(excess, np.full(repetitions, bound), 0.1).refuted()


@pytest.mark.parametrize("name", ["bounded_size", "bounded_size_exact"])
def test_copied_rows_break_the_bound_on_small_trees(name):
    rng = np.random.default_rng(4)
    excess, _ = best_boolean_stumps(rng, repetitions=400, n=10, n_features=40, noise=0.35)
    bound = getattr(trees, name)(n_nodes=3, n_features=40, n=2000, delta=0.1).bound
    assert Coverage(excess, np.full(400, bound), 0.1).refuted()


def test_the_structural_penalty_covers_the_chosen_tree_and_copies_break_it(repetitions):
    rng = np.random.default_rng(5)
    excess, errors = best_boolean_stumps(
        rng, repetitions=repetitions, n=40, n_features=200, noise=0.4
    )
    gap = np.abs(0.4 + excess - errors / 40)
    honest = trees.structural_risk_penalty(n_nodes=3, n_features=200, n=40, delta=0.1).bound
    copied = trees.structural_risk_penalty(n_nodes=3, n_features=200, n=4000, delta=0.1).bound
    assert not Coverage(gap, np.full(repetitions, honest), 0.1).refuted()
    assert Coverage(gap, np.full(repetitions, copied), 0.1).refuted()


def noise_stumps(rng, *, repetitions, n, n_features, cuts=None):
    """Return the training errors of the best stump when labels are fair coins: its risk is 1/2."""
    X = rng.random((repetitions, n_features, n))
    y = rng.random((repetitions, 1, n)) < 0.5
    if cuts is None:
        signs = np.take_along_axis(np.where(y, 1, -1) + 0 * X, X.argsort(axis=2), axis=2)
        drift = np.cumsum(signs, axis=2)  # ones minus zeros up to each sample value
    else:
        drift = np.stack([np.where(c >= X, np.where(y, 1, -1), 0).sum(axis=2) for c in cuts], 2)
    ones = np.count_nonzero(y, axis=2)[:, :, None]
    left_zero = drift + n - ones  # errors of "0 left, 1 right"
    best = np.minimum(left_zero, n - left_zero).min(axis=(1, 2))
    return best.astype(int)


def test_on_a_fixed_grid_the_best_of_many_stumps_is_covered(repetitions):
    rng = np.random.default_rng(6)
    cuts = np.linspace(0, 1, 9)[1:-1]
    errors = noise_stumps(rng, repetitions=repetitions, n=30, n_features=20, cuts=cuts)
    bits = trees.code_length_static(n_leaves=2, n_features=20, n_cuts=7, n_classes=2)
    bounds = [trees.grid_occam(errors=k, n=30, bits=bits, delta=0.1).bound for k in errors]
    assert not Coverage(np.full(repetitions, 0.5), np.array(bounds), 0.1).refuted()


def test_a_schema_chosen_after_seeing_the_labels_is_refuted():
    rng = np.random.default_rng(7)
    errors = noise_stumps(rng, repetitions=200, n=50, n_features=500)
    # The best feature and cut are chosen first, then coded as if they had been the only ones.
    bits = trees.code_length_static(n_leaves=2, n_features=1, n_cuts=1, n_classes=2)
    bounds = [trees.grid_occam(errors=k, n=50, bits=bits, delta=0.1).bound for k in errors]
    assert Coverage(np.full(200, 0.5), np.array(bounds), 0.1).miss_rate > 0.5


def step_world(rng, n=80):
    """Return the errors of the best cut at a sample value and its true risk; the truth is 0.3."""
    x = np.sort(rng.random(n))
    y = (x > 0.3) ^ (rng.random(n) < 0.1)
    errors = np.cumsum(y) + (n - np.count_nonzero(y)) - np.cumsum(~y)
    best = int(errors.argmin())
    return int(errors[best]), 0.1 + 0.8 * abs(x[best] - 0.3), int(y[best])


def test_cuts_named_by_a_row_are_covered(repetitions):
    def experiment(rng):
        errors, risk, wrong_at_cut = step_world(rng)
        return risk, trees.compression_hybrid(
            errors_outside=errors - wrong_at_cut,
            n=80,
            n_named=1,
            structure_bits=5.0,
            n_numeric_splits=1,
            delta=0.1,
        )

    assert not simulate_coverage(experiment, repetitions=repetitions).refuted()


def test_any_real_cut_is_covered_even_the_worst_consistent_one(repetitions):
    def experiment(rng):
        x = np.sort(rng.random(30))
        position = int(np.searchsorted(x, 0.3))
        # Labels without noise; of all cuts without an error take the one of largest risk.
        ends = np.array([x[position - 1] if position else 0.0, x[min(position, 29)]])
        risk = float(np.abs(ends - 0.3).max())
        return risk, trees.threshold_growth(
            errors=0, n=30, structure_bits=5.0, n_numeric_splits=1, delta=0.5
        )

    assert not simulate_coverage(experiment, repetitions=repetitions).refuted()


@pytest.mark.parametrize("name", ["compression_hybrid", "threshold_growth"])
def test_copied_rows_break_the_certificates_of_learnt_cuts(name):
    def experiment(rng):
        errors, risk, _ = step_world(rng, n=5)
        shared = {"n": 1000, "structure_bits": 5.0, "n_numeric_splits": 1, "delta": 0.1}
        if name == "threshold_growth":
            return risk, trees.threshold_growth(errors=200 * errors, **shared)
        return risk, trees.compression_hybrid(errors_outside=200 * errors, n_named=0, **shared)

    assert simulate_coverage(experiment, repetitions=400).refuted()


def test_cuts_coded_by_their_number_in_the_sample_are_refuted():
    # A million sparse features; each row is non-zero in one of them, and every label is 1. The
    # tree that asks "is this one of the features I have seen?" makes no error and has risk near 1.
    n, n_features = 8, 10**6
    rng = np.random.default_rng(8)
    seen = np.array([len(set(rng.integers(n_features, size=n))) for _ in range(400)])
    risk = 1.0 - seen / n_features
    shape = {"n_leaves": n + 1, "n_classes": 2}
    cheating = trees.code_length_static(**shape, n_features=1, n_cuts=n)  # cuts in the sample
    honest = trees.code_length_static(**shape, n_features=n_features, n_cuts=1)
    naive = trees.grid_occam(errors=0, n=n, bits=cheating, delta=0.05).bound
    named = trees.compression_hybrid(
        errors_outside=0, n=n, n_named=n, structure_bits=honest, n_numeric_splits=n, delta=0.05
    ).bound
    assert Coverage(risk, np.full(400, naive), 0.05).miss_rate == 1.0
    assert not Coverage(risk, np.full(400, named), 0.05).refuted()
