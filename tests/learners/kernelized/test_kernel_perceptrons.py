"""Averaged, voted, budgeted kernel Perceptrons and the margin, against their plain selves."""

import numpy as np
import pytest
from scipy import sparse

from reference import budget_perceptron, kernel_perceptron
from surelearn import (
    AveragedKernelPerceptron,
    AveragedPerceptron,
    BudgetedKernelPerceptron,
    KernelPerceptron,
    VotedKernelPerceptron,
    VotedPerceptron,
)
from surelearn.bounds import mistakes_perceptron
from surelearn.datasets.worlds import Noisy, Separable
from surelearn.kernels import Gaussian, Linear, Polynomial, Subsequence
from surelearn.learners.kernelized import budgeted_kernel_perceptron
from surelearn.learners.kernelized._budget_loops import draws
from surelearn.persistence.model_files import load_model, save_model

TEXTS = ["a cat sat", "the dog ran", "cats sit", "dogs run", "my cat", "a dog"] * 4
KINDS = np.tile(["cat", "dog"], 12)
FAMILY = [
    KernelPerceptron(margin=0.3),
    AveragedKernelPerceptron(),
    VotedKernelPerceptron(),
    BudgetedKernelPerceptron(budget=7),
    BudgetedKernelPerceptron(budget=7, removal="random", random_state=3),
]
every_one = pytest.mark.parametrize("model", FAMILY, ids=lambda m: f"{m}"[:60])


def integers(seed, n=60, d=3):
    rng = np.random.default_rng(seed)
    return rng.integers(-5, 6, size=(n, d)).astype(float), rng.choice([-1.0, 1.0], n)


def fresh(model, **changes):
    return type(model)(**model.get_params() | changes)


@pytest.mark.parametrize("seed", range(5))
def test_with_the_linear_kernel_average_and_vote_are_those_of_the_linear_learners(seed):
    X, signs = integers(seed)
    labels = np.array(["a", "b", "c"])[np.random.default_rng(seed).integers(0, 3, len(X))]
    for y in (signs, labels):
        mean = AveragedPerceptron(fit_intercept=False, max_iter=3).fit(X, y)
        ours = AveragedKernelPerceptron(max_iter=3).fit(X, y)
        np.testing.assert_allclose(ours.coef_ @ ours.support_vectors_, mean.coef_, rtol=1e-12)
        vote = VotedPerceptron(fit_intercept=False, max_iter=3).fit(X, y)
        voted = VotedKernelPerceptron(max_iter=3).fit(X, y)
        np.testing.assert_array_equal(voted.decision_function(X), vote.decision_function(X))
        assert [list(s) for s in voted.survived_] == [list(s) for s in vote.survived_]
        for one, other in ((mean, ours), (vote, voted)):
            assert one.n_mistakes_ == other.n_mistakes_


@pytest.mark.parametrize("seed", range(5))
def test_average_and_vote_are_those_of_all_functions_of_the_run(seed):
    X, signs = integers(seed)
    gram = Polynomial(degree=2)(X)
    functions, coef = [], np.zeros(len(X))
    for t in range(len(X)):
        if signs[t] * (coef @ gram[:, t]) <= 0.0:
            coef = coef.copy()
            coef[t] += signs[t]
        functions.append(coef)
    scores = np.array(functions) @ gram
    for cls, expected in (
        (AveragedKernelPerceptron, scores.mean(axis=0)),
        (VotedKernelPerceptron, np.sign(scores).mean(axis=0)),
    ):
        model = cls(kernel=Polynomial(degree=2))
        model.learn(X, signs)
        np.testing.assert_allclose(model.decision_function(X), expected, rtol=1e-9, atol=1e-6)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("budget", [1, 4, 30])
def test_decay_and_drop_is_the_plain_version(monkeypatch, seed, budget):
    monkeypatch.setattr(budgeted_kernel_perceptron, "_BLOCK", 7)
    X, signs = integers(seed, 120)
    kernel = Linear() + 1
    model = BudgetedKernelPerceptron(budget=budget, kernel=kernel, decay=0.25)
    scores = model.learn(X, signs)
    plain, coef, removed = budget_perceptron.decay_and_drop(kernel(X), signs, budget, 0.25)
    np.testing.assert_array_equal(np.flatnonzero(signs * scores <= 0.0), plain)
    held = np.flatnonzero(coef)
    np.testing.assert_allclose(model.decision_function(X), coef @ kernel(X), rtol=1e-12, atol=1e-9)
    assert len(model.support_vectors_) == len(held) <= budget
    assert model.states_[0].sums[1] >= removed.sum() * (1 - 1e-12)
    assert model.states_[0].sums[0] >= np.sqrt(coef @ kernel(X) @ coef) * (1 - 1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_random_removal_is_the_plain_version_with_the_same_draws(seed):
    X, signs = integers(seed, 200)
    model = BudgetedKernelPerceptron(budget=6, removal="random", random_state=seed)
    model.learn(X, signs)
    start = int(model.states_[0].seed[0])
    coef, slots, n_dropped, n_mistakes = np.zeros(len(X)), [], 0, 0
    for t, sign in enumerate(signs):
        if sign * (coef @ (X @ X[t])) <= 0.0:
            n_mistakes += 1
            if len(slots) < 6:
                slots.append(t)
            else:
                place = int(draws(start, n_dropped, 1, 6)[0])
                coef[slots[place]], slots[place], n_dropped = 0.0, t, n_dropped + 1
            coef[t] = sign
    assert (model.n_mistakes_, model.states_[0].counts[2]) == (n_mistakes, n_dropped)
    np.testing.assert_allclose(model.coef_ @ model.support_vectors_, [coef @ X], atol=1e-12)


def test_draws_are_uniform():
    counts = np.bincount(draws(17, 0, 70_000, 7).astype(int), minlength=7)
    assert ((counts - 10_000) ** 2).sum() / 10_000 < 22.5  # chi-squared, 6 degrees, level 0.001


@pytest.mark.parametrize("margin", [0.0, 0.5, 3.0])
def test_the_margin_is_the_plain_rule_and_its_updates_stay_below_their_bound(margin):
    for world in (Separable(4, 0.1), Noisy(4, 0.1)):
        X, y = world.draw(150, seed=1)
        model = KernelPerceptron(margin=margin, max_iter=20).fit(X, y)
        signs, gram = np.where(y == y.max(), 1.0, -1.0), X @ X.T
        counts = np.zeros(len(X))
        for _ in range(model.n_iter_):
            for t in range(len(X)):
                counts[t] += signs[t] * ((counts * signs) @ gram[:, t]) <= margin
        expected = (signs * counts)[counts > 0]
        np.testing.assert_array_equal(model.coef_[0], expected)
        for certificate in model.certificates()[:-1]:
            assert certificate.status != "void"
            assert certificate.observed == counts.sum() <= certificate.bound
            assert certificate.recompute() == certificate.bound
        assert np.sum(signs * model.decision_function(X) <= 0.0) <= len(X)


def test_a_larger_margin_separates_by_more():
    X, y = Separable(4, 0.1).draw(200, seed=2)
    found = [KernelPerceptron(margin=m).fit(X, y) for m in (0.0, 20.0)]
    achieved = [
        (np.where(y == y.max(), 1, -1) * m.decision_function(X)).min() / m.norms_[0] for m in found
    ]
    assert achieved[1] > achieved[0] > 0.0
    gap = [m.guarantee(margin=0.1).bound for m in found]
    assert gap[1] == pytest.approx((found[1].radius_ ** 2 + 40.0) / 0.01)
    assert found[1].n_mistakes_ <= gap[1]


@every_one
def test_strings_are_learnt_and_stored(model, tmp_path):
    kernel = Subsequence(order=2).normalised()
    learner = fresh(model, kernel=kernel).fit(TEXTS, KINDS)
    assert np.mean(learner.predict(TEXTS) == KINDS) > 0.6
    assert learner.predict_one("cat") in {"cat", "dog"}
    stream = fresh(model, kernel=kernel)
    stream.learn(TEXTS[:5], KINDS[:5])
    for text, kind in zip(TEXTS[5:], KINDS[5:], strict=True):
        stream.learn_one(text, kind)
    whole = fresh(model, kernel=kernel)
    whole.learn(TEXTS, KINDS)
    np.testing.assert_allclose(
        stream.decision_function(TEXTS), whole.decision_function(TEXTS), rtol=1e-9, atol=1e-12
    )
    save_model(stream, tmp_path / "m", schema={}, metadata={})
    loaded = load_model(tmp_path / "m").model
    np.testing.assert_array_equal(loaded.decision_function(TEXTS), stream.decision_function(TEXTS))
    loaded.learn_one("a cat", "dog")
    stream.learn_one("a cat", "dog")
    np.testing.assert_array_equal(loaded.coef_, stream.coef_)


@every_one
def test_sparse_rows_are_as_dense_ones_and_blocks_do_not_matter(model):
    X, signs = integers(3, 90)
    dense = fresh(model, kernel=Linear()).fit(X, signs)
    spare = fresh(model, kernel=Linear()).fit(sparse.csr_array(X), signs)
    np.testing.assert_array_equal(spare.coef_, dense.coef_)
    whole, parts = fresh(model, kernel=Linear()), fresh(model, kernel=Linear())
    scores = whole.learn(X, signs)
    cut = [parts.learn(X[:40], signs[:40]), parts.learn(X[40:41], signs[40:41])]
    for t in range(41, 60):
        parts.learn_one(X[t], signs[t])
    cut.append(parts.learn(sparse.csr_array(X[60:]), signs[60:]))
    np.testing.assert_allclose(np.concatenate(cut)[41:], scores[60:], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(parts.decision_function(X), whole.decision_function(X), atol=1e-9)


@every_one
def test_mistakes_stay_below_every_bound_issued(model):
    for seed in range(3):
        for world in (Separable(4, 0.1), Noisy(4, 0.2)):
            X, y = world.draw(120, seed=seed)
            for kernel in (Linear(), Gaussian(gamma=0.3)):
                learner = fresh(model, kernel=kernel, max_iter=4).fit(X, y)
                for certificate in learner.certificates():
                    assert certificate.status in {"valid", "vacuous"}
                    if certificate.kind == "mistakes":
                        assert certificate.observed <= certificate.bound


def test_a_fading_budget_survives_orthogonal_rows_and_its_bound_holds():
    X = np.tile(np.eye(40), (5, 1))
    y = np.tile([0, 1], 100)
    model = BudgetedKernelPerceptron(budget=60, max_iter=1).fit(X, y)
    bound = model.guarantee(norm=np.sqrt(40.0))
    assert model.n_mistakes_ <= bound.bound
    small = BudgetedKernelPerceptron(budget=10, max_iter=1).fit(X, y)
    assert small.n_mistakes_ == 200  # every row was forgotten before it came again
    assert small.guarantee(norm=np.sqrt(40.0)).bound == np.inf


def test_random_removal_states_its_bound_on_average_and_not_of_one_run():
    X, y = Separable(4, 0.1).draw(120, seed=0)
    model = BudgetedKernelPerceptron(budget=50, removal="random", random_state=0).fit(X, y)
    guarantee = model.guarantee(norm=2.0, hinge_loss=5.0)
    assert guarantee.confidence is None
    assert guarantee.bound == (
        mistakes_perceptron.budget_random_removal(
            radius=model.radius_, norm=2.0, hinge_loss=5.0, budget=50
        ).bound
    )
    assert {c.method for c in model.certificates()} == {"mistakes_perceptron.budget_realised"}


@pytest.mark.parametrize(
    "settings",
    [
        {"budget": 0},
        {"budget": -1},
        {"budget": 2.5},
        {"removal": "oldest"},
        {"decay": 0.0},
        {"decay": 1.0},
        {"kernel": "rbf"},
    ],
)
def test_bad_parameters_are_refused_by_name(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        BudgetedKernelPerceptron(**settings).fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(ValueError, match="margin"):
        KernelPerceptron(margin=-1.0).fit([[1.0], [2.0]], [0, 1])


def test_one_row_at_a_time_a_stream_never_grows_beyond_its_budget():
    rng = np.random.default_rng(0)
    model = BudgetedKernelPerceptron(budget=5, kernel=Gaussian())
    model.learn(rng.normal(size=(3, 2)), [0, 1, 2])
    for x, label in zip(rng.normal(size=(300, 2)), rng.integers(0, 3, 300), strict=True):
        model.learn_one(x, label)
        assert model.support_vectors_.shape[0] <= 15
        assert (np.count_nonzero(model.coef_, axis=1) <= 5).all()
    assert model.n_rounds_ == 303


def test_the_plain_kernel_perceptron_is_the_one_without_a_limit():
    X, signs = integers(8, 50)
    scores, _ = kernel_perceptron.learn(X @ X.T, signs)
    model = BudgetedKernelPerceptron(budget=50, removal="random", random_state=0)
    np.testing.assert_array_equal(model.learn(X, signs), scores)


@pytest.mark.parametrize("budget", [0, -1, 1.5, 10**12, 10**30])
def test_a_budget_that_no_memory_holds_is_refused_like_none(budget):
    with pytest.raises(ValueError, match=r"budget=.* must be an integer >= 1 and <= 10000000"):
        BudgetedKernelPerceptron(budget=budget).fit([[0.0], [1.0]], [0, 1])
