"""Nearest neighbours on parts: lists merged over parts are those of all rows, ties and all."""

import numpy as np
import pyarrow as pa
import pytest

from scale.conftest import written
from surelearn import NearestNeighborsClassifier, NearestNeighborsRegressor, scale
from surelearn.learners.neighbors import _parted_index
from surelearn.persistence.model_files import ModelFileError, save_model

RNG = np.random.default_rng(0)
GRID = RNG.integers(0, 4, size=(150, 2)).astype(float)  # ties everywhere
LABELS = np.array(["no", "yes", "perhaps"])[RNG.integers(0, 3, 150)]
QUERIES = np.concatenate([RNG.integers(0, 4, size=(70, 2)), RNG.normal(size=(20, 2))])


def both(make, y, folder, X=GRID):
    """Return a learner of parts and one of the same rows in memory."""
    return make().fit(written(folder, X, y)), make().fit(named(X), y)


def named(X):
    """Return rows with the names of their columns."""
    return pa.table({f"x{j}": column for j, column in enumerate(X.T)})


@pytest.mark.parametrize("ties", ["all", "first"])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("n_queries", [90, 7], ids=["indexed", "scanned"])
def test_votes_are_those_of_all_rows(ties, weights, n_queries, tmp_path, two_processes):
    def make():
        return NearestNeighborsClassifier(n_neighbors=20, ties=ties, weights=weights)

    (found, whole), asked = both(make, LABELS, tmp_path), named(QUERIES[:n_queries])
    assert np.array_equal(found.predict_proba(asked), whole.predict_proba(asked))
    for k in (1, 16, 17, 150):  # a part has 16 rows
        for mine, theirs in zip(
            found.kneighbors(asked, k), whole.kneighbors(asked, k), strict=True
        ):
            assert np.array_equal(mine, theirs)
    with scale.on(two_processes):
        assert np.array_equal(found.predict(asked), whole.predict(asked))
    labels = LABELS[:n_queries]
    assert np.array_equal(
        found.errors_over_k(asked, labels, [1, 9]), whole.errors_over_k(asked, labels, [1, 9])
    )


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "cosine"])
def test_means_are_those_of_all_rows(metric, tmp_path, monkeypatch):
    monkeypatch.setattr(_parted_index, "_CELLS", 40)  # few queries at once
    X, y = RNG.normal(size=(120, 3)), RNG.normal(size=120)
    X[5:100:7] = X[3]  # copies

    def make():
        return NearestNeighborsRegressor(n_neighbors="schedule", metric=metric)

    found, whole = both(make, y, tmp_path, X)
    asked = named(np.concatenate([X[:10], RNG.normal(size=(90, 3))]))
    assert found.n_neighbors_ == whole.n_neighbors_
    assert np.array_equal(found.predict(asked), whole.predict(asked))
    assert np.array_equal(found.training_rows_, whole.training_rows_)


def test_nothing_is_certified_and_nothing_is_stored(tmp_path):
    found, whole = both(NearestNeighborsClassifier, LABELS, tmp_path)
    assert found.certificates() == ()
    assert len(whole.certificates()) == 1
    with pytest.raises(ModelFileError, match="cannot be stored"):
        save_model(found, tmp_path / "model.surelearn", schema={}, metadata={})
    save_model(whole, tmp_path / "model.surelearn", schema={}, metadata={})
    with pytest.raises(ValueError, match="own neighbours are not looked for"):
        found.kneighbors()


def test_rows_that_changed_since_are_named(tmp_path):
    found, _ = both(NearestNeighborsClassifier, LABELS, tmp_path)
    written(tmp_path, GRID + 1.0, LABELS)
    with pytest.raises(scale.PartError, match=r"row group 0 of .* has changed"):
        found.predict(named(QUERIES))


@pytest.mark.parametrize(
    ("learner", "sentence"),
    [
        (NearestNeighborsClassifier(metric="gower"), "metric='gower' scales"),
        (NearestNeighborsClassifier(ties="random"), "ties='first'"),
        (NearestNeighborsClassifier(n_neighbors="cross-validation"), "'schedule'"),
        (NearestNeighborsClassifier(n_neighbors=81), "n_samples = 80"),
        (NearestNeighborsClassifier(metric="cosine"), "no direction"),
        (NearestNeighborsRegressor(weights="loud"), "weights"),
    ],
)
def test_what_parts_cannot_do_is_refused(learner, sentence, tmp_path):
    X, y = np.arange(80.0)[:, np.newaxis], np.repeat([0, 1], 40)
    with pytest.raises(ValueError, match=sentence):
        learner.fit(written(tmp_path, X, y))
    assert not hasattr(learner, "targets_")


def test_weights_are_refused_and_tiny_blocks_are_not(tmp_path):
    X, y = np.linspace(0.0, 1e-150, 80)[:, np.newaxis], np.repeat([0, 1], 40)
    with pytest.raises(ValueError, match="squares would vanish"):
        NearestNeighborsClassifier().fit(written(tmp_path, X, y))
    with pytest.raises(ValueError, match="know no weights"):
        NearestNeighborsClassifier().fit(written(tmp_path, X, y, np.ones(80)))
    X[70:] = 1.0  # the last part alone can be told apart, as in memory
    found, whole = both(NearestNeighborsClassifier, y, tmp_path, X)
    asked = named(np.array([[0.3]]))
    assert np.array_equal(found.kneighbors(asked)[1], whole.kneighbors(asked)[1])
