"""Learners that square: sizes within reach change nothing, others are refused in a sentence."""

import pickle
from decimal import Decimal
from fractions import Fraction
from inspect import signature

import numpy as np
import pytest
from scipy import sparse

from surelearn import (
    AdaGrad,
    CategoricalNaiveBayes,
    ForwardStagewiseClassifier,
    ForwardStagewiseRegressor,
    GradientBoostingRegressor,
    KernelPerceptron,
    LogisticRegression,
    MaximumEntropy,
    NearestNeighborsClassifier,
    NormalizedWinnow,
    OnlineGradientDescentRegressor,
    PassiveAggressive,
    PassiveAggressiveRegressor,
    Perceptron,
    PrincipalComponents,
    Winnow,
    checks,
    kernels,
    losses,
)
from surelearn.app.registry import find_learners
from surelearn.certificate._certificate import plain
from surelearn.checks import answer
from surelearn.learners.linear.schedules import (
    FixedRate,
    InverseSquareRootRate,
    StronglyConvexRate,
)

BATCH = {name: cls for name, cls in find_learners().items() if not hasattr(cls, "learn")}
OTHER_CELLS = {"BernoulliMixture", "MaximumEntropy"}  # bits, and features that are not negative
NO_SQUARES = {
    *("AxisAlignedRectangle", "C45Classifier", "CARTClassifier", "CARTRegressor", "FiniteClass"),
    *("CategoricalNaiveBayes", "ID3Classifier"),  # compare, count or look up
    *("AdaBoostClassifier", "BaggingClassifier", "BaggingRegressor"),  # of trees
    *("ForwardStagewiseClassifier", "ForwardStagewiseRegressor"),
    *("GradientBoostingClassifier", "GradientBoostingRegressor"),
    *("RandomForestClassifier", "RandomForestRegressor", "LocallyScaledRegressor"),
    *("Halfspace", "LinearRegression", "LowRankApproximation"),  # scale the columns first
    *("LogisticRegression", "MaximumEntropyQuasiNewton", "RidgeRegression"),  # small is no harm
    "TableEncoder",  # a column too small to vary keeps its scale
}
"""Learners to which small numbers do no harm; a new learner is held to the contrary."""
SQUARING = sorted(set(BATCH) - OTHER_CELLS - NO_SQUARES)
EVERY = pytest.mark.parametrize("name", SQUARING)
SETTING = {"n_components": 2, "n_neighbors": 1, "random_state": 0, "tolerance": 1e-3}


def make(name):
    """Return a learner that is quick and draws the same coins each time."""
    known = signature(BATCH[name]).parameters
    return BATCH[name](**{key: value for key, value in SETTING.items() if key in known})


def test_the_exceptions_are_learners():
    assert set(BATCH) >= OTHER_CELLS | NO_SQUARES
    assert len(SQUARING) >= 9


@pytest.mark.parametrize("name", sorted(set(BATCH) - OTHER_CELLS))
@pytest.mark.parametrize(
    "scale",
    [
        *(1e-300, 1e-170, 1e160),
        *(pytest.param(s, marks=pytest.mark.slow) for s in (1e-120, 1e120, 1e300)),
    ],
)
def test_any_size_is_learnt_or_refused_in_a_sentence(name, scale):
    X, y = rows()
    model = make(name).fit(X, y)
    before, refusal = pickle.dumps(model), None
    try:
        model.fit(X * scale, y)
    except ValueError as error:
        refusal = str(error)
    if refusal is None:
        assert np.isfinite(answer(model, X * scale)).all()
    else:
        assert "escale the" in refusal
        assert pickle.dumps(model) == before


def rows(n=60, d=3):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)) + 1.0
    return X, (X[:, 0] + 0.3 * rng.normal(size=n) > 1.0).astype(int)


@EVERY
@pytest.mark.parametrize("scale", [1e-150, 1e-170, 1e-300])
def test_rows_whose_squares_vanish_are_refused_and_leave_no_mark(name, scale):
    X, y = rows()
    model = make(name).fit(X, y)
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=r"squares would vanish\. Rescale the"):
        model.fit(X * scale, y)
    assert pickle.dumps(model) == before


@EVERY
@pytest.mark.parametrize("scale", [1e160, 1e300])
def test_rows_whose_squares_overflow_are_refused_and_leave_no_mark(name, scale):
    X, y = rows()
    model = make(name).fit(X, y)
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=r"overflow[.;] [Rr]escale the"):
        model.fit(X * scale, y)
    assert pickle.dumps(model) == before


INVARIANT = [n for n in SQUARING if "Neighbor" in n or n == "PrincipalComponents"]


@pytest.mark.parametrize("name", INVARIANT)
@pytest.mark.parametrize("scale", [1e-120, 1e120])
def test_sizes_within_reach_change_nothing(name, scale):
    X, y = rows()
    plain, scaled = make(name).fit(X, y), make(name).fit(X * scale, y)
    if hasattr(plain, "predict"):
        np.testing.assert_allclose(scaled.predict(X * scale), plain.predict(X))
    else:
        np.testing.assert_allclose(scaled.components_, plain.components_, atol=1e-12)


@EVERY
def test_zeros_are_not_too_small(name):
    make(name).fit(np.zeros((6, 3)), [0, 1, 0, 1, 0, 1])


@EVERY
def test_one_small_column_and_small_rows_to_be_judged_are_welcome(name):
    X, y = rows()
    X[:, 2] *= 1e-200
    model = make(name).fit(X, y)
    ask = model.predict if hasattr(model, "predict") else model.transform
    assert np.isfinite(ask(X * 1e-200)).all()


def test_sparse_and_wide_tables_are_looked_at_too():
    X, y = rows()
    with pytest.raises(ValueError, match="vanish"):
        NearestNeighborsClassifier(n_neighbors=1).fit(sparse.csr_array(X * 1e-200), y)
    with pytest.raises(ValueError, match="vanish"):
        PrincipalComponents().fit(X.T * 1e-200)
    with pytest.raises(ValueError, match="overflow"):
        PrincipalComponents().fit(X.T * 1e200)


@pytest.mark.parametrize("learner", [PassiveAggressive, PassiveAggressiveRegressor])
@pytest.mark.parametrize("C", [1e-160, 1e-300, 5e-324])
def test_weights_whose_squares_vanish_have_a_length(learner, C):
    X, y = checks.small_table(learner())
    assert all(c.observed <= c.bound for c in learner(C=C).fit(X, y).certificates()[:2])


@pytest.mark.parametrize(
    ("learner", "name", "value"),
    [
        (MaximumEntropy, "max_iter", np.uint8(255)),  # one more is 0
        (CategoricalNaiveBayes, "smoothing", 10**30),
        (Perceptron, "max_iter", np.int8(3)),
        (PassiveAggressive, "C", np.longdouble(2.0)),
    ],
)
def test_numbers_of_other_types_are_taken_for_what_they_are(learner, name, value):
    X, y = checks.small_table(learner())
    plain = float(value) if value > 2**63 else int(value)
    odd, plain = (learner(**{name: one}).fit(X, y) for one in (value, plain))
    np.testing.assert_array_equal(odd.predict(X), plain.predict(X))
    assert type(getattr(odd, name)) is type(value)


ODD = [np.float16(0.5), np.longdouble(0.5), np.uint8(3), Fraction(1, 2), Decimal("0.5"), 10**30]


@pytest.mark.parametrize("number", ODD, ids=repr)
def test_losses_rates_and_kernels_take_numbers_of_any_type(number):
    X, y = checks.small_table(OnlineGradientDescentRegressor())
    float_of = float(number)
    for loss in (losses.Huber, losses.EpsilonInsensitive):
        (name,) = signature(loss).parameters
        for learner in (OnlineGradientDescentRegressor, GradientBoostingRegressor):
            odd, plain = (learner(loss=loss(**{name: one})) for one in (number, float_of))
            np.testing.assert_array_equal(odd.fit(X, y).predict(X), plain.fit(X, y).predict(X))
    for schedule in (FixedRate, InverseSquareRootRate, StronglyConvexRate):
        (name,) = signature(schedule).parameters
        learner = OnlineGradientDescentRegressor(schedule=schedule(**{name: number})).fit(X, y)
        assert all("bound" in c.to_json() for c in learner.certificates())
    for kernel in (kernels.Gaussian(gamma=number), kernels.Polynomial(offset=number)):
        assert np.isfinite(kernel(X)).all()


@pytest.mark.parametrize("number", [Decimal("NaN"), Decimal("sNaN"), np.timedelta64(1), "x"])
def test_what_is_no_number_makes_no_loss_rate_or_kernel(number):
    for make_one in (
        lambda: losses.Huber(threshold=number),
        lambda: losses.Logistic(base=number),
        lambda: FixedRate(learning_rate=number),
        lambda: kernels.Polynomial(offset=number),
        lambda: kernels.Subsequence(decay=number),
        lambda: PassiveAggressive(C=number).fit(np.eye(2), [0, 1]),
    ):
        with pytest.raises((TypeError, ValueError), match="must be a"):
            make_one()


def test_a_certificate_is_written_with_numbers_of_80_bits():
    X, y = checks.small_table(AdaGrad())
    learner = AdaGrad(limit=np.longdouble(2.0)).fit(X, y)
    twins = AdaGrad(limit=2.0).fit(X, y).certificates()
    assert [c.bound for c in learner.certificates()] == [c.bound for c in twins]
    assert plain({"delta": np.array([0.5], dtype=np.longdouble)}) == {"delta": [0.5]}


def test_weights_beyond_floats_are_refused():
    X, y = checks.small_table(NormalizedWinnow())
    model = NormalizedWinnow(learning_rate=1e300, max_iter=2)
    with pytest.raises(ValueError, match="smaller learning rate"):
        model.fit(X, y)
    assert not hasattr(model, "coef_")
    with pytest.raises(ValueError, match="smaller learning rate"):
        model.learn(X, y)
    model.learn(X[:1], y[:1], classes=y)
    with pytest.raises(ValueError, match="smaller learning rate"):
        [model.learn_one(row, label) for row, label in zip(X, y, strict=True)]


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize(
    ("learner", "parameter"),
    [
        (Winnow(promotion=1e308), "promotion"),
        (ForwardStagewiseClassifier(learning_rate=1e308), "learning_rate=1e"),
        (ForwardStagewiseRegressor(learning_rate=1e308), "learning_rate=1e"),
        (LogisticRegression(C=5e-324), "C=5e-324"),
    ],
)
def test_a_parameter_that_is_too_large_or_small_is_named(learner, parameter):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (60, 3)).astype(float), rng.integers(0, 2, 60)
    with pytest.raises(ValueError, match=parameter):
        learner.fit(X, y)


def test_a_margin_of_any_size_has_a_certificate():
    X, y = np.arange(40.0).reshape(20, 2) % 7, np.arange(20) % 2
    updates, _ = KernelPerceptron(margin=1e308, max_iter=2).fit(X, y).certificates()
    assert updates.bound >= updates.observed
