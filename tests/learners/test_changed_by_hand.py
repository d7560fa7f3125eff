"""A model that was changed by hand says so: no walk leaves its arrays, and none is endless."""

import dataclasses

import numpy as np
import pytest
from scipy import sparse

from surelearn import (
    BaggingRegressor,
    BernoulliMixture,
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    CondensedNearestNeighbor,
    ForwardStagewiseRegressor,
    GaussianMixture,
    GradientBoostingRegressor,
    ID3Classifier,
    KernelPerceptron,
    NearestNeighborsClassifier,
    NearestNeighborsRegressor,
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
