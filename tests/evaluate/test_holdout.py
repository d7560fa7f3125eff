"""The hold-out: coverage, the ledger, what it refuses, and the attacks it withstands."""

import copy

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Binarizer, StandardScaler

from surelearn import Holdout, Perceptron, Quantile, check_certificate
from surelearn.bounds import concentration
from surelearn.certificate import Certificate
from surelearn.datasets.worlds import Noisy
from surelearn.evaluate.coverage import Coverage
from surelearn.evaluate.ledger import forget
from surelearn.losses import ZeroOne

WORLD = Noisy(n_features=4, bayes_risk=0.1)


class Rule:
    """A fixed linear rule; its exact risk in the world is known."""

    def __init__(self, weights):
        self.weights = np.asarray(weights, dtype=float)

    def predict(self, X):
        return np.where(X @ self.weights > 0, 1.0, -1.0)


def test_a_certificate_covers_the_true_risk(repetitions):
    rng = np.random.default_rng(0)
    truths, bounds = [], []
    for _ in range(repetitions):
        rule = Rule(WORLD.direction + 0.3 * rng.normal(size=4))
        X, y = WORLD.draw(100, seed=rng)
        truths.append(WORLD.risk(rule.weights))
        bounds.append(Holdout(X, y, delta=0.1).certify(rule).bound)
    assert not Coverage(np.array(truths), np.array(bounds), 0.1).refuted()


def test_the_best_of_a_family_is_covered_and_the_naive_best_is_not(repetitions):
    rng = np.random.default_rng(1)
    family, naive = [], []
    for _ in range(repetitions // 8):
        X, y = WORLD.draw(100, seed=rng)
        # Twenty rules of equal risk that err at different places.
        rules = [Rule(WORLD.direction + 0.8 * rng.normal(size=4)) for _ in range(20)]
        together = Holdout(X, y, delta=0.05, mode="family", n_models=20)
        best = min(rules, key=lambda rule: together.certify(rule).bound)
        family.append((WORLD.risk(best.weights), together.certify(best).bound))
        forget()  # as one who hides the other nineteen would
        alone = Holdout(X, y, delta=0.05).certify(best)
        naive.append((WORLD.risk(best.weights), alone.bound))
    covered, missed = (Coverage(*np.array(pairs).T, 0.05) for pairs in (family, naive))
    assert not covered.refuted()
    assert missed.miss_rate > covered.miss_rate


def test_adapting_to_scores_defeats_a_union_bound_so_only_fail_may_leak():
    """Boost 200 random rules by their scores: the naive bound for 200 models is false."""
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(200, 20)), rng.choice([-1.0, 1.0], 200)  # labels are pure noise
    rules = [Rule(rng.normal(size=20)) for _ in range(200)]
    answers = Holdout(X, y, mode="open")
    kept = sum(np.sign(0.5 - answers.score(r)) * r.predict(X) for r in rules)

    class Vote:
        def predict(self, rows):
            places = [int(np.flatnonzero((row == X).all(axis=1))[0]) for row in rows]
            return np.where(kept[places] > 0, 1.0, -1.0)

    assert Holdout(X, y, delta=0.05).certify(Vote()).status == "void"  # these rows were looked at
    forget()  # as one who hides the looks would
    naive = Holdout(X, y, delta=0.05, mode="family", n_models=200).certify(Vote())
    assert naive.bound < 0.5  # false: the risk of every rule here is 1/2
    with pytest.raises(ValueError, match="open"):
        answers.certify(Vote())


def test_the_gate_says_only_fail_and_locks_at_the_first_pass():
    X, y = WORLD.draw(400, seed=3)
    gate = Holdout(X, y, mode="gate", n_models=5, target=0.2)
    failed = gate.certify(Rule(-WORLD.direction))
    assert failed.status == "void"
    assert np.isnan(failed.observed)
    content = failed.to_json()
    assert '"errors"' not in content
    assert "did not pass" in failed.claim
    assert Certificate.from_json(content).status == "void"
    passed = gate.certify(Rule(WORLD.direction))
    assert passed.status == "valid"
    assert passed.delta == pytest.approx(0.01)
    with pytest.raises(ValueError, match="locked"):
        gate.certify(Rule(WORLD.direction + 0.1))


def test_once_means_once_but_the_same_model_may_ask_again():
    X, y = WORLD.draw(50, seed=4)
    held_out = Holdout(X, y)
    model = LogisticRegression().fit(*WORLD.draw(50, seed=5))
    first = held_out.certify(model)
    assert held_out.certify(model) is first
    with pytest.raises(ValueError, match="answered all 1"):
        held_out.certify(DummyClassifier().fit(X, y))
    with pytest.raises(ValueError, match="mode='open'"):
        held_out.score(model)
    assert [entry.query for entry in held_out.ledger] == [1]


def test_a_refit_detaches_the_certificate():
    X, y = WORLD.draw(60, seed=6)
    model = Perceptron(max_iter=3).fit(*WORLD.draw(60, seed=7))
    certificate = Holdout(X, y).certify(model)
    check_certificate(certificate, model)
    model.fit(X, y)
    with pytest.raises(ValueError, match="certify it again"):
        check_certificate(certificate, model)


def test_training_rows_in_the_hold_out_are_refused_when_the_model_can_tell():
    X, y = WORLD.draw(80, seed=8)
    model = Perceptron(max_iter=3).fit(X, y)
    with pytest.raises(ValueError, match="30 of 30 hold-out rows"):
        Holdout(X[:30], y[:30]).certify(model)
    scaled = make_pipeline(StandardScaler(), Perceptron(max_iter=3)).fit(X, y)
    with pytest.raises(ValueError, match="30 of 30 hold-out rows"):
        Holdout(X[:30], y[:30]).certify(scaled)
    allowed = Holdout(X[:30], y[:30], allow_duplicates=True).certify(model)
    assert "30 of them are among" in allowed.preconditions[1].evidence
    silent = Holdout(X[:30], y[:30]).certify(LogisticRegression().fit(X, y))
    assert silent.preconditions[1].status == "assumed"


def test_a_clean_memory_is_proof_only_if_it_is_complete():
    X, y = WORLD.draw(6000, seed=14)
    X_test, y_test = WORLD.draw(50, seed=15)
    small, large = (Perceptron(max_iter=1).fit(X[:n], y[:n]) for n in (1000, 6000))
    rules = {"mode": "family", "n_models": 4}
    held_out = Holdout(X_test, y_test, **rules)
    statuses = [held_out.certify(m).preconditions[1].status for m in (small, large)]
    assert statuses == ["checked", "assumed"]
    piped = make_pipeline(StandardScaler(), Perceptron(max_iter=1)).fit(X[:1000], y[:1000])
    assert held_out.certify(piped).preconditions[1].status == "assumed"
    rough = make_pipeline(Binarizer(), Perceptron(max_iter=1)).fit(X[:1000], y[:1000])
    assert Holdout(X_test, y_test, **rules).certify(rough).status == "valid"
    with pytest.raises(ValueError, match="1 of 1"):
        Holdout([[-0.0, 1.0]], [1]).certify(Perceptron().fit([[0.0, 1.0], [1.0, 0.0]], [1, 0]))


def test_changed_data_and_changed_rules_are_noticed():
    X, y = WORLD.draw(40, seed=16)
    held_out = Holdout(X, y)
    y[:] = 1.0
    with pytest.raises(ValueError, match="changed after it was set up"):
        held_out.certify(Rule(WORLD.direction))
    with pytest.raises(AttributeError):
        held_out.ledger = ()


def test_a_tuned_search_and_a_plain_data_frame_can_be_certified():
    pd = pytest.importorskip("pandas")
    X, y = WORLD.draw(120, seed=17)
    search = GridSearchCV(Perceptron(), {"max_iter": [1, 2]}, cv=2).fit(X[:80], y[:80])
    certificate = Holdout(pd.DataFrame(X[80:]), y[80:]).certify(search)
    check_certificate(certificate, copy.deepcopy(search))


def test_it_says_how_many_points_would_halve_the_slack():
    X, y = WORLD.draw(200, seed=18)
    certificate = Holdout(X, y).certify(Rule(WORLD.direction))
    n = certificate.reproduce["n_to_halve_slack"]
    errors = int(np.ceil(certificate.observed * n - 1e-9))
    halved = concentration.clopper_pearson(errors=errors, n=n, delta=0.05).bound
    assert halved - certificate.observed <= certificate.slack / 2 + 1e-12
    assert f"With {n} held-out rows, the gap" in str(certificate)


def test_split_draws_at_random_and_says_so():
    X, y = WORLD.draw(100, seed=9)
    X_train, y_train, held_out = Holdout.split(X, y, fraction=0.3, seed=0, delta=0.1)
    certificate = held_out.certify(Perceptron(max_iter=2).fit(X_train, y_train))
    assert {p.key: p.status for p in certificate.preconditions} == {
        "independent": "assumed",
        "unseen": "checked",
        "blind_split": "by-construction",
        "copies": "checked",
        "row_by_row": "by-construction",
        "not_chosen_by_them": "assumed",
    }
    assert certificate.n == 30
    assert certificate.delta == 0.1


def test_a_bounded_loss_is_certified_by_betting_and_a_loss_outside_is_refused():
    rng = np.random.default_rng(10)
    X = rng.uniform(size=(200, 1))
    y = X[:, 0] + 0.1 * rng.uniform(-1, 1, 200)
    model = LinearRegression().fit(X[:50], y[:50])
    clipped = Holdout(X[50:], y[50:], loss=lambda y, p: np.minimum(1.0, (y - p) ** 2))
    certificate = clipped.certify(model)
    assert certificate.method == "sequences.betting_order_free"
    assert certificate.observed < certificate.bound < 0.1
    assert certificate.recompute() == certificate.bound
    for bad in (lambda y, p: 100 * np.abs(y - p), lambda y, p: np.abs(y - p)[:3]):
        held_out = Holdout(X[50:], y[50:], loss=bad)
        with pytest.raises(ValueError, match=r"150 values in \[0, 1\]"):
            held_out.certify(model)
        assert len(held_out.ledger) == 1  # the error itself told something about the labels


def test_a_quantile_certificate_needs_no_bounded_loss(repetitions):
    rng = np.random.default_rng(11)
    covered = []
    for _ in range(repetitions):
        y = rng.standard_cauchy(60)
        held_out = Holdout(np.zeros((60, 1)), y, delta=0.1, loss=Quantile(alpha=0.1))
        bound = held_out.certify(DummyRegressor(strategy="constant", constant=0.0).fit([[0]], [0]))
        covered.append(2 / np.pi * np.arctan(bound.bound))
    # The claim fails when less than 90% of new errors lie below the bound.
    assert not Coverage(np.full(repetitions, 0.9), np.array(covered), 0.1).refuted()
    assert "90% of new examples" in bound.claim


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([[1.0]], [1, 2]), {}, "inconsistent"),
        ((np.zeros((0, 1)), np.zeros(0)), {}, "empty|minimum"),
        (([[1.0]], [np.nan]), {}, "missing labels"),
        (([[1.0]], [1]), {"delta": 0.0}, "delta"),
        (([[1.0]], [1]), {"mode": "twice"}, "mode"),
        (([[1.0]], [1]), {"n_models": 3}, "n_models"),
        (([[1.0]], [1]), {"mode": "gate"}, "target"),
        (([[1.0]], [1]), {"target": 0.1}, "target"),
        (([[1.0]], [1]), {"mode": "gate", "target": np.nan}, "target"),
        (([[1.0]], [1]), {"mode": "gate", "target": "0.1"}, "target"),
        (([[1.0]], [1]), {"loss": None}, "loss"),
        (([[1.0]], np.array([None], dtype=object)), {}, "missing labels"),
        (([[1.0]], [1]), {"loss": "hinge"}, "loss"),
    ],
)
def test_bad_rules_are_refused_by_name(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        Holdout(*arguments, **options)


def test_models_that_do_not_fit_the_question_are_refused():
    X, y = WORLD.draw(30, seed=12)
    with pytest.raises(ValueError, match="zero-one loss is for classifiers"):
        Holdout(X, y).certify(LinearRegression().fit(X, y))
    with pytest.raises(ValueError, match="another kind"):
        Holdout(X, y).certify(DummyClassifier().fit(X, np.where(y > 0, "a", "b")))

    class Wide:
        def predict(self, X):
            return np.zeros((len(X), 2))

    with pytest.raises(ValueError, match="one prediction per row"):
        Holdout(X, y).certify(Wide())


def test_a_split_stratified_on_labels_would_miss():
    """Why stratified hold-outs are not offered: memorising classes exploits the balance."""
    rng = np.random.default_rng(13)
    plain, stratified = [], []
    for _ in range(100):
        y = rng.integers(50, size=400)
        mixed = rng.permutation(400)
        plain.append(_risk_and_bound(y, mixed[:200], mixed[200:]))
        in_train = np.zeros(400, dtype=bool)
        for label in range(50):
            rows = rng.permutation(np.flatnonzero(y == label))
            in_train[rows[: len(rows) // 2]] = True
        stratified.append(_risk_and_bound(y, np.flatnonzero(in_train), np.flatnonzero(~in_train)))
    assert not Coverage(*np.array(plain).T, 0.05).refuted()
    assert Coverage(*np.array(stratified).T, 0.05).refuted()


def _risk_and_bound(y, train, test):
    """Predict the most frequent training label always: its true risk is 49/50."""
    rare = np.bincount(y[train], minlength=50).argmax()
    model = DummyClassifier(strategy="constant", constant=rare).fit(
        np.zeros((len(train), 1)), y[train]
    )
    held_out = Holdout(np.zeros((len(test), 1)), y[test], delta=0.05)
    return 49 / 50, held_out.certify(model).bound


def test_that_a_loss_of_ones_own_is_never_larger_is_assumed_and_so_is_the_law():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    model = Perceptron().fit(X[:40], X[:40, 0] > 0.0)
    held_out = Holdout(X[40:], X[40:, 0] > 0.0, loss=lambda y, p: y != p)
    inside, law, *_ = held_out.certify(model).preconditions
    assert (inside.status, law.status) == ("assumed", "assumed")
    assert "yours to know" in inside.evidence
    assert "one population" in law.evidence


def test_a_loss_made_from_the_zero_one_loss_is_not_called_an_error_rate():
    class Quarter(ZeroOne):
        def __call__(self, y, prediction, /):
            return 0.25 * (np.asarray(y) != prediction)

    class Never:
        def predict(self, X):
            return np.zeros(len(X))

    X, y = np.arange(200.0)[:, np.newaxis], np.ones(200)
    for groups in (None, np.arange(200) // 2):
        certificate = Holdout(X, y, loss=Quarter(), groups=groups).certify(Never())
        assert "errs on" not in certificate.claim
        assert "error rate" not in str([p.evidence for p in certificate.preconditions])


def test_nobody_but_split_can_say_that_it_drew_the_rows():
    held_out = Holdout(np.ones((30, 1)), np.arange(30) % 2)
    with pytest.raises(AttributeError):
        held_out.drawn_at_random = True
