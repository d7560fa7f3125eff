"""Rows that repeat others are counted where a certificate takes them for independent draws."""

import numpy as np
import pytest

from surelearn import (
    AxisAlignedRectangle,
    BaggingClassifier,
    C45Classifier,
    CARTClassifier,
    FiniteClass,
    Halfspace,
    ID3Classifier,
    LogisticRegression,
    NearestNeighborsClassifier,
    Perceptron,
    RandomForestClassifier,
    SupportVectorClassifier,
)
from surelearn._jit import fingerprints
from surelearn.base.drawn_rows import independent_rows


def told(model, X, y, **weights):
    return told_of(model.fit(X, y, **weights))


def told_of(fitted):
    return next(
        one.evidence
        for certificate in fitted.certificates()
        for one in certificate.preconditions
        if one.key == "independent"
    )


def first_is_positive(rows):
    return rows[:, 0] > 0.0


def last_is_positive(rows):
    return rows[:, -1] > 0.0


@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(20),
        BaggingClassifier(n_estimators=20),
        CARTClassifier(max_leaf_nodes=3),
        LogisticRegression(),
        NearestNeighborsClassifier(),
        SupportVectorClassifier(),
        Perceptron(),
        AxisAlignedRectangle(),
        FiniteClass(hypotheses=[first_is_positive, last_is_positive]),
        Halfspace(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_copies_among_training_rows_are_told(model):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 2
    assert told(model, X, y) == "cannot be verified from the data"
    twice = told(model, np.tile(X, (2, 1)), np.tile(y, 2))
    assert "; 60 of the 120 rows repeat the features of others" in twice


@pytest.mark.parametrize("learner", [CARTClassifier, C45Classifier])
def test_rows_without_weight_are_no_copies(learner):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 2
    weights = np.repeat([0.0, 1.0], 30)
    assert told(learner(), X, y, sample_weight=weights) == "cannot be verified from the data"


def test_rows_that_prune_a_tree_do_not_hide_the_copies_it_was_grown_from():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 2
    model = CARTClassifier().fit(np.tile(X, (2, 1)), np.tile(y, 2))
    pruned = model.prune_reduced_error(rng.normal(size=(80, 2)), np.arange(80) % 2)
    assert "; 60 of the 120 rows repeat the features of others" in told_of(pruned)


def test_trees_on_words_tell_how_many_rows_repeat_others():
    X = np.array([["red", "small"], ["blue", "small"], ["blue", "large"]] * 5, dtype=object)
    repeated = told(ID3Classifier(), X, [0, 0, 1] * 5)
    assert "; 12 of the 15 rows repeat the features of others" in repeated


def test_of_many_rows_their_number_is_estimated():
    hashes = np.random.default_rng(0).integers(0, 2**64, 50_000, dtype=np.uint64)
    kept = fingerprints.sketch(hashes)
    assert independent_rows(kept, 50_000).text == "cannot be verified from the data"
    n_copies = independent_rows(kept, 100_000).text.partition("about ")[2].partition(" ")[0]
    assert abs(int(n_copies.replace(",", "")) - 50_000) < 3_000
