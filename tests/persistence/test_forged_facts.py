"""Numbers in a model file that contradict each other, under a hash that fits: nothing is stated."""

import json

import numpy as np
import pytest

import surelearn
from persistence.forgeries import members_of, packed
from surelearn import kernels
from surelearn.persistence.model_files import ModelFileError, load_model, save_model

X = np.random.default_rng(0).normal(size=(60, 3))
y = X[:, 0] + 0.3 * X[:, 1] > 0.0
RECORD = ("run_", "state", "records", "$tuple", 0, "state")


def forged(model, path, place, number):
    """Return the model of a file in which one number is another."""
    save_model(model, path, schema={}, metadata={})
    members = members_of(path.read_bytes())
    told = json.loads(members["model.json"])
    *way, last = ("model", "state", *place)
    piece = told
    for step in way:
        piece = piece[step]
    assert last in piece
    piece[last] = number
    members["model.json"] = json.dumps(told).encode()
    path.write_bytes(packed(members))
    return load_model(path).model


@pytest.mark.parametrize(
    ("name", "place", "number"),
    [
        ("Perceptron", ("run_", "state", "n_rows"), 10**9),
        ("Perceptron", ("run_", "state", "n_passes"), 1),
        ("Perceptron", ("n_rounds_",), 10**9),
        ("PassiveAggressive", (*RECORD, "n_rounds"), 10**12),
        ("KernelPegasos", (*RECORD, "n_steps"), 10**12),
        ("KernelPerceptron", (*RECORD, "norm"), -1.0),
        ("GaussianNaiveBayes", ("n_training_rows_",), 10**9),
        ("CARTClassifier", ("n_training_rows_",), 40),
    ],
)
def test_counts_of_rows_and_rounds_agree(tmp_path, name, place, number):
    model = getattr(surelearn, name)().fit(X, y)
    with pytest.raises(ModelFileError, match="makes no sense"):
        forged(model, tmp_path / "m", place, number)


def test_votes_follow_from_the_errors_of_their_rounds(tmp_path):
    """Half the errors would have proved a smaller training error, surely."""
    model = surelearn.AdaBoostClassifier(n_estimators=5).fit(X, y)
    save_model(model, tmp_path / "m", schema={}, metadata={})
    assert load_model(tmp_path / "m").model.certificates()
    model.errors_ = model.errors_ / 2.0
    save_model(model, tmp_path / "m", schema={}, metadata={})
    with pytest.raises(ModelFileError, match="makes no sense"):
        load_model(tmp_path / "m")


@pytest.mark.parametrize(
    ("name", "value"),
    [("fit_intercept", False), ("penalize_intercept", True), ("kernel", None), ("C", 2.0)],
)
def test_a_machine_is_that_of_its_settings(tmp_path, name, value):
    """These raised "the minimum was found" from violated to checked."""
    model = surelearn.SupportVectorClassifier(kernel=kernels.Linear()).fit(X, y)
    assert model.certificates()
    found = forged(model, tmp_path / "m", (name,), value)
    assert np.array_equal(found.predict(X), model.predict(X))
    with pytest.raises(ValueError, match="none of its settings"):
        found.certificates()


@pytest.mark.parametrize("settings", [{"fit_intercept": False}, {"penalize_intercept": True}])
@pytest.mark.parametrize("kernel", [None, kernels.Linear(), kernels.Gaussian() + 1])
def test_an_honest_machine_is_not_suspected(tmp_path, kernel, settings):
    model = surelearn.SupportVectorClassifier(kernel=kernel, **settings).fit(X, y)
    save_model(model, tmp_path / "m", schema={}, metadata={})
    found = load_model(tmp_path / "m").model
    assert [one.claim for one in found.certificates()] == [
        one.claim for one in model.certificates()
    ]
