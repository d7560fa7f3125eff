import numpy as np
import pytest

from surelearn import SupportVectorClassifier
from surelearn.kernels import Gaussian, Linear
from surelearn.persistence.model_files import load_model, save_model


def _three_classes(seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(45, 2)) + 4.0 * np.repeat([0, 1, 2], 15)[:, None], np.repeat(
        [0, 1, 2], 15
    )


def test_rows_of_other_classes_are_absent_from_a_pair(tmp_path):
    X, y = _three_classes()
    model = SupportVectorClassifier(kernel=Linear()).fit(X, y)
    save_model(model, tmp_path / "model.surelearn", schema={}, metadata={})
    for each in (model, load_model(tmp_path / "model.surelearn").model):
        for problem, third in enumerate((2, 1, 0)):  # the pairs are 0-1, 0-2 and 1-2
            np.testing.assert_array_equal(each.kkt_classes(problem) == "absent", y == third)
    del model.row_classes_  # as in a file of before
    others = np.setdiff1d(np.arange(len(y)), model.support_)
    assert (model.kkt_classes(0)[others] == "unknown").all()


def test_every_row_is_present_in_a_problem_of_one_class_against_the_rest():
    X, y = _three_classes()
    model = SupportVectorClassifier(kernel=Linear(), multiclass="one-vs-rest").fit(X, y)
    assert not any((model.kkt_classes(problem) == "absent").any() for problem in range(3))


def test_a_row_without_weight_is_absent_on_whichever_side_it_lies():
    X, y = (part[:30] for part in _three_classes())
    y = y.copy()
    y[0], weights = 1, np.ones(30)
    weights[0] = 0.0
    model = SupportVectorClassifier(kernel=Linear()).fit(X, y, weights)
    assert model.decision_function(X[:1])[0] < 0.0  # it is misclassified, and not inside
    assert model.kkt_classes()[0] == "absent"
    assert (model.kkt_classes()[1:] != "absent").all()


@pytest.mark.parametrize("kernel", [Linear(), Gaussian(gamma=0.1)])
def test_distances_are_measured_in_the_kernels_space_with_a_penalised_intercept_too(kernel):
    X, y = (part[:30] for part in _three_classes())
    model = SupportVectorClassifier(kernel=kernel, penalize_intercept=True).fit(X, y)
    coef = model.dual_coef_[0]
    norm = np.sqrt(coef @ kernel(X[model.support_]) @ coef)
    expected = model.decision_function(X) / norm
    np.testing.assert_allclose(model.signed_distance(X), expected, rtol=1e-9)
    assert model.geometric_margin(X, y) == pytest.approx(((2 * y - 1) * expected).min(), rel=1e-9)
