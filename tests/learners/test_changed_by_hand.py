"""A model that was changed by hand says so: no walk leaves its arrays, and none is endless."""

import dataclasses

import numpy as np
import pytest
from scipy import sparse

from surelearn import (
    AdaBoostClassifier,
    BaggingRegressor,
    BernoulliMixture,
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    CategoricalNaiveBayes,
    CondensedNearestNeighbor,
    ForwardStagewiseRegressor,
    GaussianMixture,
    GaussianNaiveBayes,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    ID3Classifier,
    KernelPerceptron,
    MixedNaiveBayes,
    NearestNeighborsClassifier,
    NearestNeighborsRegressor,
    OnlineGradientDescent,
    OnlineGradientDescentRegressor,
    PassiveAggressive,
    Pegasos,
    Perceptron,
    RandomForestRegressor,
    SupportVectorClassifier,
    kernels,
)

RNG = np.random.default_rng(0)
X = RNG.integers(0, 4, size=(60, 3)).astype(float)
y = (X[:, 0] + X[:, 1] > 3.0).astype(int)
WORDS = X.astype(int).astype(str)
TREES = [
    (CARTClassifier(), X),
    (CARTRegressor(), X),
    (C45Classifier(), X),
    (ID3Classifier(), WORDS),
]
NO_TREE = "are no tree of|was changed after it was fitted"


CHANGES = [
    *[
        (name, value)
        for name in ("feature", "first_child", "n_children")
        for value in (-2, 0, 2**62)
    ],
    *[("first_child", 1), ("n_children", 10**6), ("route_start", 10**6), ("route_start", -1)],
]


@pytest.mark.parametrize(("name", "value"), CHANGES)
@pytest.mark.parametrize(("kind", "rows"), TREES, ids=lambda kind: type(kind).__name__)
def test_no_walk_leaves_a_tree_that_was_written_to(kind, rows, name, value):
    model = kind.fit(rows, y)
    getattr(model.tree_, name)[...] = value
    for ask in (model.predict, model.apply):
        with pytest.raises(ValueError, match=NO_TREE):
            ask(rows)
    for tell in (model.to_text, model.to_dot, model.rules):
        with pytest.raises(ValueError, match=NO_TREE):
            tell()
    with pytest.raises(ValueError, match=NO_TREE):
        model.prune_reduced_error(rows, y)


@pytest.mark.parametrize(
    ("name", "node", "value"),
    [("feature", 0, 2**63 - 1), ("n_children", 0, 2**62), ("n_children", -1, 10**5)],
)
@pytest.mark.parametrize(("kind", "rows"), TREES, ids=lambda kind: type(kind).__name__)
def test_nothing_is_counted_or_pruned_by_a_node_that_was_written_to(kind, rows, name, node, value):
    model = kind.fit(rows, y)
    getattr(model.tree_, name)[node] = value
    for read in (
        lambda: model.feature_importances_,
        model.rules,
        model.pruning_path,
        lambda: model.prune(alpha=0.1),
    ):
        with pytest.raises(ValueError, match=NO_TREE):
            read()


def test_an_answer_that_leads_to_no_child_is_refused():
    model = ID3Classifier().fit(WORDS, y)
    model.tree_.routes[0] = 10**6
    with pytest.raises(ValueError, match=NO_TREE):
        model.predict(WORDS)


@pytest.mark.parametrize(("kind", "rows"), TREES, ids=lambda kind: type(kind).__name__)
def test_a_tree_of_other_columns_is_refused(kind, rows):
    model = kind.fit(rows, y)
    model.n_features_in_, model.categories_ = 1, model.categories_[:1]
    model.tree_ = dataclasses.replace(model.tree_, feature=np.where(model.tree_.is_leaf, -1, 2))
    with pytest.raises(ValueError, match="no tree of 1 columns"):
        model.predict(rows[:, :1])


def test_shares_of_other_nodes_are_refused():
    holes = X.copy()
    holes[::5, 0] = np.nan
    model = C45Classifier().fit(holes, y)
    assert model.tree_.spreads
    model.tree_ = dataclasses.replace(model.tree_, value=model.tree_.value[:1])
    with pytest.raises(ValueError, match=NO_TREE):
        model.predict(holes)


def test_nodes_that_share_a_child_are_no_tree():
    model = CARTClassifier(max_depth=2).fit(X, y)
    inner = np.flatnonzero(~model.tree_.is_leaf)
    assert len(inner) == 3
    model.tree_.first_child[inner[1]] = model.tree_.first_child[inner[2]]
    with pytest.raises(ValueError, match=NO_TREE):
        model.predict(X)


@pytest.mark.parametrize(
    "model",
    [NearestNeighborsClassifier(), NearestNeighborsRegressor(), CondensedNearestNeighbor()],
    ids=lambda kind: type(kind).__name__,
)
def test_neighbours_are_not_sought_among_rows_of_another_width(model):
    model.fit(X, y)
    model.n_features_in_ = 7
    with pytest.raises(ValueError, match="index holds no rows of 7 features"):
        model.predict(np.zeros((2, 7)))


@pytest.mark.parametrize("n", [40, 600])
def test_an_index_in_pieces_is_refused(n):
    rows = np.random.default_rng(1).normal(size=(n, 2))
    model = NearestNeighborsClassifier().fit(rows, rows[:, 0] > 0.0)
    index = model.index_
    parts = {"columns": index.columns[:, :, :1], "numbers": index.numbers[:, :1]}
    if hasattr(index, "boxes"):
        parts["boxes"] = index.boxes[:1]
    for name, part in parts.items():
        model.index_ = dataclasses.replace(index, **{name: part})
        with pytest.raises(ValueError, match=r"[Ff]it it again"):
            model.predict(rows)


@pytest.mark.parametrize(
    ("model", "held"),
    [
        (NearestNeighborsClassifier(), lambda model: model.index_.X),
        (SupportVectorClassifier(), lambda model: model.support_vectors_),
        (KernelPerceptron(kernel=kernels.Gaussian()), lambda model: model.states_[0].support[0]),
    ],
    ids=lambda kind: type(kind).__name__,
)
@pytest.mark.parametrize("name", ["indices", "indptr"])
def test_sparse_rows_that_a_model_keeps_are_looked_at(model, held, name):
    rows = sparse.csr_array(X)
    model.fit(rows, y)
    getattr(held(model), name)[1:] = 2**30
    with pytest.raises(ValueError, match="sparse matrix is broken"):
        model.predict(rows)


@pytest.mark.parametrize("name", ["weights_", "means_"])
@pytest.mark.parametrize("shape", ["full", "tied", "diag", "spherical"])
def test_components_of_a_mixture_belong_together(shape, name):
    for change in (lambda a: a[:1], lambda a: a[..., :-1], lambda _: None, lambda a: a.tolist()):
        model = GaussianMixture(n_components=2, covariance_type=shape, random_state=0).fit(X)
        setattr(model, name, change(getattr(model, name)))
        for ask in (model.predict, model.score, model.bic):
            with pytest.raises(ValueError, match="do not belong together"):
                ask(X)
        with pytest.raises(ValueError, match="do not belong together"):
            model.sample()


@pytest.mark.parametrize("name", ["weights_", "probabilities_"])
def test_so_do_those_of_bits(name):
    model = BernoulliMixture(n_components=2, random_state=0).fit((X > 1.0).astype(float))
    setattr(model, name, getattr(model, name)[:1])
    for ask in (model.predict, model.score):
        with pytest.raises(ValueError, match="do not belong together"):
            ask(X > 1.0)


def test_means_of_whole_numbers_are_welcome():
    model = GaussianMixture(n_components=2, random_state=0).fit(X)
    model.means_ = np.array([[0, 0, 0], [3, 3, 3]])
    assert model.predict([[0.0, 0.0, 0.0], [3.0, 3.0, 3.0]]).tolist() == [0, 1]


def test_columns_that_are_not_there_are_not_counted():
    model = CARTClassifier().fit(X, y)
    model.n_features_in_ = 10**30
    for tell in (model.to_text, model.to_dot, model.rules, model.dnf):
        with pytest.raises(ValueError, match="fit it again"):
            tell()


@pytest.mark.parametrize(
    "kind",
    [
        CARTRegressor,
        RandomForestRegressor,
        BaggingRegressor,
        GradientBoostingRegressor,
        ForwardStagewiseRegressor,
    ],
)
def test_targets_whose_sums_overflow_are_refused(kind):
    for largest in (1.7e308, 1e306):
        with pytest.raises(ValueError, match="Rescale the targets"):
            kind().fit(X, np.where(y == 1, largest, -largest))


@pytest.mark.parametrize("kind", [CARTRegressor, BaggingRegressor, ForwardStagewiseRegressor])
def test_targets_whose_squares_overflow_are_refused(kind):
    with pytest.raises(ValueError, match=r"squares would overflow\. Rescale the targets"):
        kind().fit(X, np.where(y == 1, 1e160, -1e160))


def test_distances_need_no_squares():
    targets = np.where(X[:, 0] > 1.0, 1e160, -1e160)
    np.testing.assert_array_equal(
        CARTRegressor(criterion="absolute_error").fit(X, targets).predict(X), targets
    )


@pytest.mark.parametrize("kind", [RandomForestRegressor, GradientBoostingRegressor])
def test_trees_of_bins_learn_targets_of_any_size(kind):
    targets = np.where(X[:, 0] > 1.0, 1e160, -1e160)
    assert (
        np.corrcoef(kind(random_state=0).fit(X, targets).predict(X) / 1e160, targets / 1e160)[0, 1]
        > 0.9
    )


def changed(array):
    """Yield an array as somebody might leave it: of other lengths, types or numbers."""
    yield from (array[:0], array[:1], np.concatenate([array, array]), array.tolist(), None)
    if array.dtype.kind == "i":
        yield array.astype(float)
        yield from (np.full_like(array, value) for value in (-2, 10**6, 2**31, 2**62))


@pytest.mark.parametrize("kind", [GradientBoostingRegressor, GradientBoostingClassifier])
@pytest.mark.parametrize("part", ["trees_", "bins_"])
def test_no_walk_leaves_boosted_trees_that_were_changed(kind, part):
    model = kind(n_estimators=3).fit(X, y)
    whole = getattr(model, part)
    told = set()
    for name in whole._holds:
        for array in changed(getattr(whole, name)):
            setattr(model, part, dataclasses.replace(whole, **{name: array}))
            for ask in (model.predict, lambda rows: [*model.staged_predict(rows)]):
                try:
                    ask(X)
                except ValueError as refusal:
                    told.add(f"{name}: {str(refusal)[:12]}")
    assert {line.split(":")[0] for line in told} == set(whole._holds)


def test_boosted_trees_in_a_circle_are_refused():
    model = GradientBoostingRegressor(n_estimators=3).fit(X, y)
    model.trees_.child[model.trees_.child > 0] -= 1
    with pytest.raises(ValueError, match="are no trees of 3 columns"):
        model.predict(X)


@pytest.mark.parametrize("kind", [GaussianNaiveBayes, MixedNaiveBayes, CategoricalNaiveBayes])
def test_factors_of_other_shapes_are_refused(kind):
    rows = WORDS if kind is CategoricalNaiveBayes else X
    model = kind().fit(rows, y)
    first, *others = model.factors_
    names = [name for name in first._holds if isinstance(getattr(first, name), np.ndarray)]
    for name in names:
        for array in changed(getattr(first, name)):
            model.factors_ = (dataclasses.replace(first, **{name: array}), *others)
            with pytest.raises(ValueError, match=r"changed after it was fitted|are not those of"):
                model.predict(rows)


def test_so_are_logarithms_of_fewer_classes():
    model = CategoricalNaiveBayes().fit(WORDS, y)
    first, prior = model.factors_[0], model.log_prior_
    for narrow in (lambda a: a[..., :1], lambda a: a.astype(np.float32), lambda a: a.tolist()):
        model.log_prior_ = prior._replace(finite=narrow(prior.finite))
        with pytest.raises(ValueError, match="not those of its categories and classes"):
            model.predict(WORDS)
        model.log_prior_ = prior
        logs = first.logs._replace(finite=narrow(first.logs.finite))
        model.factors_ = (dataclasses.replace(first, logs=logs),)
        with pytest.raises(ValueError, match="not those of its categories and classes"):
            model.predict(WORDS)
        model.factors_ = (first,)


@pytest.mark.parametrize(
    "kind",
    [
        OnlineGradientDescent,
        OnlineGradientDescentRegressor,
        Pegasos,
        PassiveAggressive,
        Perceptron,
    ],
)
def test_states_of_another_form_are_refused_by_all_who_learn_or_predict(kind):
    model = kind().fit(X, y)
    whole = vars(model)["learnt_"]
    for name, array in whole.states[0]._asdict().items():
        for other in (array[:0], np.concatenate([array, array]), array.astype(np.float32)):
            state = whole.states[0]._replace(**{name: other.copy()})
            # Set where only the learner itself sets it: `tests/contracts` has the door.
            vars(model)["learnt_"] = whole._replace(states=(state,))
            for ask in (model.predict, lambda rows: model.learn(rows, y)):
                with pytest.raises(ValueError, match="was changed by hand"):
                    ask(X)
    vars(model)["learnt_"] = whole._replace(states=())
    with pytest.raises(ValueError, match="was changed by hand"):
        model.predict(X)


@pytest.mark.parametrize("kind", [OnlineGradientDescent, Pegasos, PassiveAggressive, Perceptron])
def test_a_single_row_is_not_learnt_by_an_emptied_state(kind):
    model = kind().partial_fit(X, y)
    whole, rounds = vars(model)["learnt_"], model.n_rounds_
    for name in whole.states[0]._fields:
        if name == "draws":  # no loop reads it for a single row
            continue
        state = whole.states[0]._replace(**{name: getattr(whole.states[0], name)[:0].copy()})
        vars(model)["learnt_"] = whole._replace(states=(state,))
        with pytest.raises(ValueError, match="was changed by hand"):
            model.learn_one(X[0], 1)
        assert model.n_rounds_ == rounds


def test_stumps_that_were_changed_are_refused():
    model = AdaBoostClassifier(n_estimators=3).fit(X, y)
    whole = model.stumps_
    for name in whole._holds:
        for array in (*changed(getattr(whole, name)), getattr(whole, name)[..., :1]):
            model.stumps_ = dataclasses.replace(whole, **{name: array})
            try:
                answers = model.predict(X)
            except ValueError:
                continue
            assert set(answers) <= {0, 1}  # other cuts, in arrays that still fit
    model.stumps_ = dataclasses.replace(whole, answers=whole.answers[:, :1])
    with pytest.raises(ValueError, match="was changed after it was fitted"):
        model.predict(X)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (AdaBoostClassifier, "alphas_"),
        (BaggingRegressor, "estimators_features_"),
        (ForwardStagewiseRegressor, "steps_"),
        (GradientBoostingRegressor, "baseline_"),
    ],
)
def test_numbers_of_members_that_are_not_there_are_refused(kind, name):
    model = kind(n_estimators=3).fit(X, y)
    whole = getattr(model, name)
    for array in (whole.tolist(), whole[:0], None, np.stack([whole] * 2)):
        setattr(model, name, array)
        with pytest.raises(ValueError, match=r"it again|not as many|not those"):
            model.predict(X)


def test_importances_of_changed_trees_are_refused():
    model = GradientBoostingRegressor(n_estimators=3).fit(X, y)
    model.trees_ = dataclasses.replace(model.trees_, gain=model.trees_.gain[:1])
    with pytest.raises(ValueError, match="was changed after it was fitted"):
        _ = model.feature_importances_
