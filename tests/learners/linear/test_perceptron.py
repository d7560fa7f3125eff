"""The Perceptron against its plain self, its peer, the catalogue, its theorems, broken worlds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numba import njit
from scipy import sparse
from sklearn.base import clone
from sklearn.callback import ProgressBar
from sklearn.linear_model import Perceptron as PeerPerceptron
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler

from reference import perceptron as plain
from surelearn import Perceptron
from surelearn._jit import rows
from surelearn.base import fingerprint
from surelearn.certificate import Certificate
from surelearn.datasets import adversaries
from surelearn.datasets.real import load
from surelearn.datasets.worlds import Noisy, Separable
from surelearn.evaluate.coverage import Coverage

FX_B = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), np.array([1, 1, -1])


@settings(deadline=None, max_examples=60)
@given(
    hnp.arrays(
        np.int64, st.tuples(st.integers(2, 12), st.integers(1, 4)), elements=st.integers(-5, 5)
    ),
    st.integers(0, 2**12 - 1),
    st.booleans(),
)
def test_it_equals_the_plain_version_exactly_on_integers(X, bits, intercept):
    X = X.astype(float)
    signs = np.where([(bits >> i) & 1 for i in range(len(X))], 1.0, -1.0)
    signs[0], signs[1] = -1.0, 1.0
    scores, w, b, updated = plain.learn(X, signs, intercept)
    for form in (X, sparse.csr_array(X)):
        model = Perceptron(fit_intercept=intercept)
        np.testing.assert_array_equal(model.learn(form, signs), scores)
        np.testing.assert_array_equal(model.coef_[0], w)
        assert model.intercept_[0] == b
        assert model.n_mistakes_ == len(updated)


def test_the_catalogue_run_on_three_points():
    model = Perceptron().fit(*FX_B)
    assert model.coef_.tolist() == [[1.0, 1.0]]
    assert model.intercept_.tolist() == [-3.0]
    assert (model.n_mistakes_, model.n_iter_) == (7, 6)
    assert model.radius_ == pytest.approx(5.0990195)
    assert model.guarantee(margin=0.4714045208).bound == pytest.approx(117.0)


def test_orthonormal_rows_attain_novikoffs_bound():
    model = Perceptron(fit_intercept=False)
    model.learn(np.eye(7), [1, -1] * 3 + [1], classes=[-1, 1])
    assert model.n_mistakes_ == 7
    assert model.guarantee(margin=1 / np.sqrt(7)).bound == pytest.approx(7.0)


@pytest.mark.parametrize("n", [2, 3, 5, 7])
def test_the_exponential_sample_takes_exactly_its_updates(n):
    model = Perceptron(fit_intercept=False, max_iter=10_000).fit(
        *adversaries.exponential_perceptron_sample(n)
    )
    assert model.n_mistakes_ == (4**n - 1) // 3
    np.testing.assert_array_equal(model.coef_[0], 2.0 ** np.arange(n))


def test_it_equals_scikit_learns_perceptron_pass_by_pass():
    X, signs = Noisy(4, 0.1).draw(200, seed=0)
    for max_iter in (1, 5):
        ours = Perceptron(fit_intercept=False, max_iter=max_iter).fit(X, signs)
        peer = PeerPerceptron(fit_intercept=False, shuffle=False, tol=None, max_iter=max_iter)
        np.testing.assert_allclose(ours.coef_, peer.fit(X, signs).coef_, rtol=1e-12)


def test_breast_cancer_mistakes_per_pass_are_the_catalogues():
    table = load("breast_cancer")
    X = StandardScaler().fit_transform(table.X)
    model, counts = Perceptron(fit_intercept=False), []
    for _ in range(5):
        before = getattr(model, "n_mistakes_", 0)
        model.learn(X, table.y)
        counts.append(model.n_mistakes_ - before)
    assert counts == [33, 16, 20, 20, 14]


@pytest.mark.parametrize("margin", [0.02, 0.1, 0.4])
@pytest.mark.parametrize("seed", range(5))
def test_mistakes_never_exceed_novikoff_where_the_margin_is_true(margin, seed):
    X, signs = Separable(6, margin).draw(300, seed=seed)
    model = Perceptron(fit_intercept=False, max_iter=5000).fit(X, signs)
    assert model.guarantee(margin=margin).allows(model.n_mistakes_)
    for certificate in model.certificates():
        assert certificate.status == "valid" or certificate.kind == "mistakes"
        assert certificate.observed <= certificate.bound
        assert certificate.recompute() == certificate.bound


def test_a_flipped_label_breaks_novikoff():
    X, signs = Separable(2, 0.5).draw(200, seed=0)
    signs[::7] *= -1.0
    model = Perceptron(fit_intercept=False, max_iter=50).fit(X, signs)
    assert not model.guarantee(margin=0.5).allows(model.n_mistakes_)
    assert all(c.method != "mistakes.novikoff" for c in model.certificates())
    assert all(c.observed <= c.bound for c in model.certificates())


def test_a_half_step_perceptron_still_satisfies_novikoff_so_equality_tests_are_needed():
    X, signs = Separable(4, 0.2).draw(200, seed=1)
    w, n_mistakes = np.zeros(4), 0
    for x, sign in zip(X, signs, strict=True):
        if sign * (w @ x) <= 0:
            w, n_mistakes = w + 0.5 * sign * x, n_mistakes + 1
    assert n_mistakes <= 1 / 0.2**2


def test_alternating_labels_on_one_point_stay_within_the_any_comparator_bound():
    X, signs = np.ones((100, 1)), np.where(np.arange(100) % 2, -1.0, 1.0)
    model = Perceptron(fit_intercept=False, max_iter=1).fit(X, signs)
    assert model.n_mistakes_ == 100
    assert model.certificates()[0].bound >= 100


def compression_world(n, noise, rng, max_iter):
    world = Noisy(3, noise)
    X, signs = world.draw(n, seed=rng)
    model = Perceptron(fit_intercept=False, max_iter=max_iter).fit(X, signs)
    return world.risk(model.coef_[0]), model


@pytest.mark.parametrize("noise", [0.0, 0.15])
def test_the_compression_certificate_covers_the_risk(noise, repetitions):
    rng = np.random.default_rng(0)
    runs = [compression_world(60, noise, rng, 20) for _ in range(repetitions)]
    bounds = np.array([m.certificates(delta=0.2)[-1].bound for _, m in runs])
    assert not Coverage(np.array([risk for risk, _ in runs]), bounds, 0.2).refuted()


def test_leaving_the_final_errors_out_of_the_set_would_miss():
    from surelearn.bounds import compression  # noqa: PLC0415

    rng = np.random.default_rng(1)
    truths, bounds = [], []
    for _ in range(200):
        world = Noisy(2, 0.45)
        X, signs = world.draw(100, seed=rng)
        model = Perceptron(fit_intercept=False).partial_fit(X[:3], signs[:3], classes=[-1, 1])
        truths.append(world.risk(model.coef_[0]) if model.coef_.any() else 0.5)
        bounds.append(compression.campi_garatti(n_compressed=3, n=100, delta=0.2).bound)
    assert Coverage(np.array(truths), np.array(bounds), 0.2).refuted()


def test_dropping_rows_outside_the_compression_set_leaves_the_model_as_it_is():
    rng = np.random.default_rng(2)
    X = rng.integers(-4, 5, size=(80, 3)).astype(float)
    y = np.array(["a", "b", "c"])[rng.integers(3, size=80)]
    model = Perceptron(max_iter=15).fit(X, y)
    for _ in range(20):
        keep = rng.random(80) < 0.3
        keep[model.compression_set_] = True
        np.testing.assert_array_equal(clone(model).fit(X[keep], y[keep]).coef_, model.coef_)
    outside = np.setdiff1d(np.arange(80), model.compression_set_)
    np.testing.assert_array_equal(model.predict(X[outside]), y[outside])


def test_learning_on_drops_the_certificates_of_the_training_set():
    model = Perceptron().fit(*FX_B)
    assert len(model.certificates()) == 3
    model.learn_one([0.0, 5.0], 1)
    assert model.certificates() == ()


class StopAfterTwoPasses:
    """A callback that stops the run: then the number of passes was not fixed beforehand."""

    def setup(self, estimator, context):  # noqa: ARG002
        self.passes = 0

    def teardown(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context):
        pass

    def on_fit_task_end(self, estimator, context):  # noqa: ARG002
        self.passes += 1
        return self.passes == 2


def test_a_run_stopped_by_a_callback_has_a_void_risk_certificate():
    X, signs = Noisy(3, 0.2).draw(50, seed=3)
    model = Perceptron(max_iter=30).set_callbacks(StopAfterTwoPasses()).fit(X, signs)
    assert model.n_iter_ == 2
    assert model.certificates()[-1].status == "void"
    assert model.certificates()[0].status != "void"


def test_a_progress_bar_is_one_line(capsys):
    X, signs = Noisy(3, 0.2).draw(50, seed=3)
    Perceptron(max_iter=30).set_callbacks(ProgressBar()).fit(X, signs)
    assert "Perceptron" in capsys.readouterr().out


def test_more_classes_run_one_against_the_rest_with_a_certificate_each():
    table = load("iris")
    model = Perceptron(max_iter=100).fit(table.X, table.y)
    assert model.coef_.shape == (3, 4)
    subjects = {c.subject for c in model.certificates() if c.kind == "mistakes"}
    assert len(subjects) == 3
    assert model.n_mistakes_ == sum(r.total_updates for r in model.records_)
    risk = model.certificates()[-1]
    assert Certificate.from_json(risk.to_json()).recompute() == risk.bound


def test_in_more_classes_wrong_predictions_are_at_most_the_binary_mistakes():
    table = load("digits")
    model = Perceptron(fit_intercept=False)
    scores = model.learn(table.X / 16, table.y)
    wrong = model.classes_[scores.argmax(axis=1)] != table.y
    assert wrong.sum() <= model.n_mistakes_ == model.cumulative_loss_
    assert model.score(table.X / 16, table.y) > 0.8


def test_the_guarantee_bounds_the_mistakes_of_all_problems_together():
    model = Perceptron().fit(np.tile(np.eye(50), (3, 1)), np.tile(np.arange(50), 3))
    assert model.n_mistakes_ > model.guarantee(margin=5**-0.5).bound / 50
    assert model.guarantee(margin=5**-0.5).allows(model.n_mistakes_)


def test_entries_of_a_sparse_row_that_come_in_parts_are_added_first():
    split = sparse.csr_array(([3.0, 4.0, 1.0], [0, 0, 0], [0, 2, 3]), shape=(2, 1))
    model = Perceptron(fit_intercept=False).fit(split, [1, 0])
    assert model.radius_ == 7.0
    assert split.nnz == 3


def test_it_works_in_a_grid_search():
    X, signs = Noisy(3, 0.1).draw(120, seed=4)
    search = GridSearchCV(Perceptron(), {"max_iter": [1, 5]}, cv=3).fit(X, signs)
    assert search.best_score_ > 0.7


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_values_that_are_not_numbers_are_refused(bad):
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        Perceptron().fit([[1.0], [bad]], [0, 1])
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        Perceptron().fit(*FX_B).learn_one([bad, 0.0], 1)


@pytest.mark.parametrize("max_iter", [0, -1])
def test_at_least_one_pass_is_needed(max_iter):
    with pytest.raises(ValueError, match="max_iter"):
        Perceptron(max_iter=max_iter).fit(*FX_B)


def test_rows_whose_products_overflow_are_refused_and_nothing_changes():
    model = Perceptron().fit(*FX_B)
    before = fingerprint(model)
    for call in (model.fit, model.learn):
        with pytest.raises(ValueError, match="Rescale"):
            call(1e155 * FX_B[0], FX_B[1])
    assert fingerprint(model) == before
    tiny = Perceptron(fit_intercept=False).fit(1e-140 * FX_B[0], FX_B[1])
    assert all(c.observed <= c.bound for c in tiny.certificates())


def test_classes_named_later_must_be_those_known():
    model = Perceptron().partial_fit(*FX_B, classes=[-1, 1])
    model.partial_fit(*FX_B, classes=[-1, 1])
    with pytest.raises(ValueError, match="label 2"):
        model.partial_fit(*FX_B, classes=[-1, 1, 2])


def test_a_named_series_is_read_by_its_names():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": [1.0, -1.0], "b": [0.0, 0.0]})
    model = Perceptron().fit(frame, ["yes", "no"])
    assert model.predict_one(pd.Series({"b": -9.0, "a": 2.0})) == "yes"


def test_entries_stored_in_many_parts_are_refused_by_their_sum():
    parts = np.full(50, 1e139), np.zeros(50, dtype=np.int32), [0, 50]
    with pytest.raises(ValueError, match=r"norm 5e\+140"):
        Perceptron().learn(sparse.csr_array(parts, shape=(1, 1)), [0], classes=[0, 1])


def test_the_product_and_the_square_of_a_row_are_read_together_as_apart():
    rng = np.random.default_rng(0)
    X, weights = rng.integers(-3, 4, size=(20, 6)).astype(float), np.arange(6.0)

    @njit
    def both(X, t, weights):
        return rows.dot_and_square(X, t, weights)

    for form in (rows.of(X), rows.of(sparse.csr_array(X))):
        for t in range(len(X)):
            expected = X[t] @ weights, X[t] @ X[t]
            assert both(form, t, weights) == rows.dot_and_square(form, t, weights) == expected


def test_mistakes_do_not_depend_on_the_axes():
    rng = np.random.default_rng(0)
    X, signs = rng.normal(size=(60, 4)), rng.choice([-1.0, 1.0], 60)
    turn = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    model, turned = (Perceptron(fit_intercept=False, max_iter=5) for _ in range(2))
    np.testing.assert_allclose(model.learn(X, signs), turned.learn(X @ turn, signs), atol=1e-12)
    assert model.n_mistakes_ == turned.n_mistakes_
    np.testing.assert_allclose(model.coef_ @ turn, turned.coef_, atol=1e-12)


def test_a_score_of_zero_is_the_negative_class():
    model = Perceptron().fit(*FX_B)
    points = [[3.0, 3.0], [1.0, 1.0], [1.0, 2.0]]
    assert model.decision_function(points).tolist() == [3.0, -1.0, 0.0]
    assert model.predict(points).tolist() == [model.classes_[k] for k in (1, 0, 0)]


def test_on_signs_it_is_a_vote_whose_weights_count_right_less_wrong():
    """Additive analogue of the weighted majority (S002-15): coordinates are experts."""
    rng = np.random.default_rng(0)
    X, y = rng.choice([-1.0, 1.0], size=(60, 5)), rng.choice([-1, 1], size=60)
    model = Perceptron(fit_intercept=False)
    scores = model.learn(X, y)
    mistaken = y * scores <= 0.0
    right = (X[mistaken] == y[mistaken, np.newaxis]).sum(axis=0)
    wrong = mistaken.sum() - right
    assert 0 < mistaken.sum() < 60
    np.testing.assert_array_equal(np.ravel(model.coef_), right - wrong)
