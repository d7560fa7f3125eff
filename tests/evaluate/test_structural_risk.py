"""Structural risk: choices of the catalogue, and certificates that cover, on pure noise too."""

import math

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB

from surelearn import check_certificate
from surelearn.bounds import pac, vc
from surelearn.datasets.worlds import FiniteTable, Noisy
from surelearn.evaluate.coverage import Coverage
from surelearn.evaluate.rule_class import FittedRule
from surelearn.evaluate.structural_risk import RuleClass, minimize_structural_risk, take_smallest
from surelearn.learners.neighbors.nearest_neighbors_classifier import NearestNeighborsClassifier


class Wrong:
    """Errs on a given number of the rows, whose labels are all 1."""

    def __init__(self, errors):
        self.errors = errors

    def fit(self, X, y):
        self.fitted_ = len(y), X.shape
        return self

    def predict(self, X):
        return (np.arange(len(X)) >= self.errors).astype(int)


class Table:
    """The rule with fewest errors among those constant on blocks of points of a finite domain."""

    def __init__(self, width, size):
        self.width, self.size = width, size

    def fit(self, X, y):
        votes = np.zeros(math.ceil(self.size / self.width))
        np.add.at(votes, X[:, 0] // self.width, 2 * y - 1)
        self.labels_ = (votes > 0).astype(int)
        return self

    def predict(self, X):
        return self.labels_[X[:, 0] // self.width]


@pytest.mark.parametrize(
    ("n", "errors", "criterion", "chosen"),
    [(20, (6, 1), (0.7982, 0.9064), "small"), (1000, (300, 50), (0.3705, 0.1711), "large")],
)
def test_the_textbook_criterion_chooses_as_in_the_catalogue(n, errors, criterion, chosen):
    classes = {
        "small": RuleClass(model=Wrong(errors[0]), bits=9),
        "large": RuleClass(model=Wrong(errors[1]), bits=lambda model: 37.0 + 0 * model.errors),
    }
    X, y = np.zeros((n, 1)), np.ones(n, dtype=int)
    result = minimize_structural_risk(classes, X, y, criterion="square-root")
    np.testing.assert_allclose(result.criterion, criterion, atol=5e-5)
    assert result.chosen == chosen
    exact = pac.occam(
        errors=errors[chosen == "large"], n=n, bits=[9, 37][chosen == "large"], delta=0.05
    )
    assert result.certificate.bound == exact.bound
    result.certificate.verify()


def ladder(size, widths):
    return {
        str(w): RuleClass(model=Table(w, size), n_hypotheses=2 ** math.ceil(size / w))
        for w in widths
    }


@pytest.mark.parametrize("repetitions", [80, pytest.param(4000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("positive", ["noise", "blocks"])
def test_the_certificate_of_the_choice_covers_its_risk(positive, repetitions):
    size, rng = 32, np.random.default_rng(0)
    chance = {"noise": np.full(size, 0.5), "blocks": np.where(np.arange(size) < 16, 0.1, 0.9)}
    world = FiniteTable((1 / size,) * size, tuple(chance[positive]))
    truths, bounds, chosen = [], [], []
    for _ in range(repetitions // 2):
        points, y = world.draw(120, seed=rng)
        X = points[:, np.newaxis]
        result = minimize_structural_risk(ladder(size, (32, 16, 4, 1)), X, y, delta=0.1)
        truths.append(world.risk(result.model.predict(np.arange(size)[:, np.newaxis])))
        bounds.append(result.certificate.bound)
        chosen.append(result.chosen)
    assert not Coverage(np.array(truths), np.array(bounds), 0.1).refuted()
    assert max(chosen, key=chosen.count) == ("32" if positive == "noise" else "16")


@pytest.mark.parametrize("repetitions", [112, pytest.param(4000, marks=pytest.mark.slow)])
def test_taking_each_bound_at_full_delta_would_not_be_paid_for(repetitions):
    # Many constant classes on pure noise: the best of them at delta each is too good to be true.
    rng = np.random.default_rng(1)
    naive, paid = [], []
    X, y = np.zeros((40, 1)), np.ones(40, dtype=int)
    for _ in range(repetitions // 16):
        models = [Wrong(int(k)) for k in rng.binomial(40, 0.5, size=30)]
        classes = {str(i): RuleClass(model=m, n_hypotheses=1) for i, m in enumerate(models)}
        equal = np.full(30, 1 / 30)
        paid.append(
            minimize_structural_risk(classes, X, y, delta=0.1, weights=equal).certificate.bound
        )
        least = min(m.errors for m in models)
        naive.append(pac.occam(errors=least, n=40, bits=0.0, delta=0.1).bound)
    truths = np.full(len(paid), 0.5)
    assert not Coverage(truths, np.array(paid), 0.1).refuted()
    assert Coverage(truths, np.array(naive), 0.1).refuted()


def test_the_shares_of_delta_sum_to_one_and_later_classes_get_less():
    X, y = Noisy(n_features=2, bayes_risk=0.1).draw(300, seed=0)
    y = y > 0
    classes = {f"d={d}": RuleClass(model=GaussianNB(), vc_dimension=d) for d in (2, 3, 4)}
    result = minimize_structural_risk(classes, X, y, delta=0.06)
    shares = np.array([1 / 2, 1 / 6, 1 / 12]) * 4 / 3
    assert shares.sum() == pytest.approx(1.0)
    errors = round(result.training_errors[0] * 300)
    expected = [
        vc.moment(errors=errors, n=300, vc_dimension=d, delta=0.06 * w).bound
        for d, w in zip((2, 3, 4), shares, strict=True)
    ]
    np.testing.assert_allclose(result.bounds, expected)
    assert result.certificate.delta == 0.06
    assert "choice among 3 classes" in result.certificate.claim
    assert "is chosen among 3 classes" in str(result)
    result.certificate.verify()
    check_certificate(result.certificate, result.model)
    np.testing.assert_allclose(result.penalties, result.bounds - result.training_errors)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_affine_rules_are_priced_by_the_number_of_their_features(n_classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = np.digitize(X[:, 0] + 0.2 * rng.normal(size=400), np.linspace(-0.5, 0.5, n_classes)[1:])
    rules = {
        "told": RuleClass(model=LogisticRegression(), affine_features=2),
        "asked": RuleClass(
            model=LogisticRegression(), affine_features=lambda model: model.n_features_in_
        ),
    }
    result = minimize_structural_risk(rules, X, y, delta=0.1, weights=[0.5, 0.5])
    counts = {"errors": round(result.training_errors[0] * 400), "n": 400, "dimension": 2}
    expected = (
        vc.linear(**counts, delta=0.05)
        if n_classes == 2
        else vc.linear_multiclass(**counts, n_classes=3, delta=0.05)
    )
    np.testing.assert_array_equal(result.bounds, [expected.bound] * 2)
    result.certificate.verify()


def test_a_class_that_was_not_fixed_beforehand_is_never_chosen():
    X, y = Noisy(n_features=2, bayes_risk=0.1).draw(300, seed=0)
    broken = RuleClass(model=GaussianNB(), vc_dimension=2, fixed=("violated", "it was not"))
    sound = RuleClass(model=GaussianNB(), vc_dimension=9)
    result = minimize_structural_risk({"broken": broken, "sound": sound}, X, y)
    assert result.chosen == "sound"
    assert result.bounds[0] == math.inf
    with pytest.raises(ValueError, match="no class is bounded"):
        minimize_structural_risk({"broken": broken}, X, y)


def test_learners_that_bound_their_own_risk_are_asked():
    X, y = Noisy(n_features=2, bayes_risk=0.05).draw(400, seed=0)
    models = {f"k={k}": NearestNeighborsClassifier(n_neighbors=k, ties="first") for k in (1, 5)}
    result = minimize_structural_risk(models, X, y)
    own = [
        m.fit(X, y).certificates(delta=0.05 * w)[0]
        for m, w in zip(models.values(), (0.75, 0.25), strict=True)
    ]
    np.testing.assert_allclose(result.bounds, [c.bound for c in own])
    assert result.certificate.method == "neighbors.leave_one_out"


@pytest.mark.parametrize(
    ("classes", "changes", "message"),
    [
        ({}, {}, "number of classes"),
        ({"a": DummyClassifier()}, {}, "DummyClassifier does not bound its own risk"),
        ({"a": LinearRegression()}, {}, "zero-one loss is for classifiers"),
        (ladder(4, (4, 1)), {"weights": [0.7, 0.7]}, "sum to at most 1"),
        (ladder(4, (4, 1)), {"weights": [1.0]}, "2 numbers > 0"),
        (ladder(4, (4, 1)), {"criterion": "aic"}, "'bound' or 'square-root'"),
        (ladder(4, (4, 1)), {"delta": 1.0}, "delta"),
        ({"a": RuleClass(model=Wrong(1), bits=3), **ladder(4, (4,))}, {}, "in one code"),
        (
            {"a": RuleClass(model=GaussianNB(), vc_dimension=2)},
            {"criterion": "square-root"},
            "needs classes with",
        ),
        (
            {"a": NearestNeighborsClassifier(n_neighbors="cross-validation")},
            {},
            "no class is bounded",
        ),
    ],
)
def test_bad_input_is_refused(classes, changes, message):
    X, y = np.array([[0], [1], [2], [3]] * 5), np.array([0, 0, 1, 1] * 5)
    with pytest.raises(ValueError, match=message):
        minimize_structural_risk(classes, X, y, **changes)


@pytest.mark.parametrize("answers", [(0, 1), (1, 1)])
@pytest.mark.parametrize("n_bits", [0, 0.5])
def test_lengths_that_no_code_has_are_refused(n_bits, answers):
    """Two classes of 0 bits each were both certified at the whole delta."""
    X, y = np.zeros((40, 1)), np.array([0] * 5 + [1] * 35)
    classes = {
        f"class {k}": RuleClass(model=DummyClassifier(strategy="constant", constant=c), bits=n_bits)
        for k, c in enumerate(answers)
    }
    with pytest.raises(ValueError, match="Kraft"):
        minimize_structural_risk(classes, X, y)


@pytest.mark.parametrize(("answers", "shared"), [((1, 1), True), ((0, 1), False)])
def test_classes_may_share_a_rule_whose_length_is_read_off_the_model(answers, shared):
    X, y = np.zeros((40, 1)), np.array([0] * 5 + [1] * 35)
    classes = {
        f"class {k}": RuleClass(
            model=DummyClassifier(strategy="constant", constant=c), bits=lambda _: 0.0
        )
        for k, c in enumerate(answers)
    }
    if shared:
        assert minimize_structural_risk(classes, X, y).certificate.status == "valid"
    else:
        with pytest.raises(ValueError, match="no lengths in one code"):
            minimize_structural_risk(classes, X, y)


def test_two_prices_for_one_class_are_refused():
    with pytest.raises(ValueError, match="not several"):
        RuleClass(model=GaussianNB(), bits=3.0, vc_dimension=2)


@pytest.mark.parametrize(
    ("shares", "deltas"), [((1.0, 1.0), (0.05, 0.05)), ((0.5, 0.5), (0.05, 0.5)), ((), ())]
)
def test_rules_whose_bounds_do_not_hold_together_are_refused(shares, deltas):
    """The certificate said that the choice was paid for, whatever each class had spent."""
    rules, X, y = RuleClass(model=DummyClassifier(), n_hypotheses=2), np.zeros((60, 1)), [0, 1] * 30
    spent = enumerate(zip(shares, deltas, strict=True))
    fitted = {f"class {i}": FittedRule.of(rules, *each, X, y) for i, each in spent}
    with pytest.raises(ValueError, match=r"sum to at most 1|number of classes"):
        take_smallest(fitted, delta=0.05)
