"""Rows that are asked again, or stand on both sides: no certificate that it happens to is false."""

from concurrent.futures import ThreadPoolExecutor
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from scipy import sparse, stats
from sklearn.neighbors import KNeighborsClassifier

from surelearn import Holdout, Quantile
from surelearn.app.problem.split import split
from surelearn.base.row_identity import RowSet, row_hashes
from surelearn.bounds.concentration import clopper_pearson
from surelearn.evaluate._holdout_claims import ClassErrorRate, Groups, claim_about
from surelearn.evaluate.ledger import forget

LEVEL = 1e-4  # of the binomial tests below: how often a correct library fails one
DELTA = 0.1


class Rule:
    """A fixed linear rule; its exact risk in the world is known."""

    def __init__(self, weights):
        self.weights = np.asarray(weights, dtype=float)

    def predict(self, X):
        return np.where(X @ self.weights > 0, 1.0, -1.0)


def assert_at_most_delta(n_false, n):
    assert stats.binomtest(n_false, n, DELTA, alternative="greater").pvalue > LEVEL, (n_false, n)


def memorise(X, y):
    return KNeighborsClassifier(n_neighbors=1, algorithm="brute").fit(X, y)


def test_a_table_with_every_row_twice_is_certified_truly(repetitions):
    """Labels are noise, so every model errs on half of new rows; memory hides it."""
    rng = np.random.default_rng(0)
    n_false = 0
    for seed in range(repetitions // 10):
        X = np.repeat(rng.normal(size=(80, 2)), 2, axis=0)
        y = np.repeat(rng.integers(2, size=80), 2)
        X_train, y_train, held_out = Holdout.split(X, y, fraction=0.3, seed=seed, delta=DELTA)
        certificate = held_out.certify(memorise(X_train, y_train))
        n_false += certificate.status == "valid" and certificate.bound < 0.5
    assert_at_most_delta(n_false, repetitions // 10)


def test_the_best_of_twenty_models_on_one_hold_out_is_certified_truly(repetitions):
    rng = np.random.default_rng(1)
    n_false = 0
    for _ in range(repetitions // 10):
        X, y = rng.normal(size=(100, 8)), rng.choice([-1.0, 1.0], 100)  # every rule has risk 1/2
        rules = [Rule(rng.normal(size=8)) for _ in range(20)]
        issued = [Holdout(X, y, delta=DELTA).certify(rule) for rule in rules]
        assert [c.status for c in issued].count("void") == 19
        n_false += min(c.bound for c in issued if c.status != "void") < 0.5
    assert_at_most_delta(n_false, repetitions // 10)


def test_a_gate_after_open_looks_at_the_same_rows_is_void():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(200, 20)), rng.choice([-1.0, 1.0], 200)  # labels are pure noise
    rules = [Rule(rng.normal(size=20)) for _ in range(200)]
    look = Holdout(X, y, mode="open")
    kept = sum(np.sign(0.5 - look.score(r)) * r.predict(X) for r in rules)

    class Vote:
        def predict(self, X):  # noqa: ARG002
            return np.where(kept > 0, 1.0, -1.0)

    gate = Holdout(X, y, delta=0.05, mode="gate", n_models=5, target=0.45)
    assert gate.certify(Vote()).status == "void"


def test_a_class_that_nobody_announced_is_not_charged_beyond_delta():
    X = np.arange(120.0)[:, np.newaxis]

    class Always:
        def predict(self, X):
            return np.ones(len(X))

    held_out = Holdout(X, np.arange(120) % 2, by_class=[1], delta=0.05)
    held_out.answer(Always())
    spent = [entry.delta_spent for entry in held_out.ledger]
    assert sum(spent[1:]) <= 0.05


def fixed(seed, n=60):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 3)), rng.choice([-1.0, 1.0], n)


A, B, C = (Rule(np.eye(3)[k]) for k in range(3))


@pytest.mark.parametrize(
    "again",
    [
        lambda X, y: (X, y),
        lambda X, y: (X[::-1], y[::-1]),
        lambda X, y: (X.tolist(), list(y)),
        lambda X, y: (np.asfortranarray(X), y.astype(int)),
        lambda X, y: (X.astype(np.float32), y),
        lambda X, y: (X[:-1], y[:-1]),
        lambda X, y: (np.vstack([X, X[:1] + 1.0]), np.append(y, 1.0)),
        lambda X, y: (X[: len(X) // 2], y[: len(X) // 2]),
    ],
)
def test_the_same_rows_in_another_object_are_known(again):
    X, y = fixed(0)
    assert Holdout(X, y).certify(A).status != "void"
    X, y = again(X, y)
    void = Holdout(np.asarray(X), y).certify(B)
    assert void.status == "void"
    assert np.isnan(void.observed)
    assert "1 look at these rows" in void.claim
    assert Holdout(*fixed(1)).certify(B).status != "void"


def test_the_same_model_by_the_same_rules_gets_the_same_certificate():
    X, y = fixed(0)
    first = Holdout(X, y, mode="family", n_models=3).certify(A)
    Holdout(X, y, mode="family", n_models=3).certify(B)
    assert Holdout(X, y, mode="family", n_models=3).certify(A) == first
    assert Holdout(X, y, mode="family", n_models=4).certify(A).status == "void"


def test_models_of_a_family_count_together_whoever_asks():
    X, y = fixed(0)
    rules = {"mode": "family", "n_models": 2}
    issued = [Holdout(X, y, **rules).certify(model) for model in (A, B, C)]
    assert [c.status == "void" for c in issued] == [False, False, True]
    assert [c.family.query for c in issued[:2]] == [1, 2]
    evidence = [p.evidence for c in issued for p in c.preconditions if "chosen" in p.key]
    assert evidence[1].startswith("question 2 of 2 to a hold-out of these rows in this process")


@pytest.mark.parametrize(
    "rules",
    [
        {"delta": 0.1},
        {"mode": "family", "n_models": 2},
        {"mode": "gate", "n_models": 2, "target": 0.9},
        {"by_class": True},
        {"groups": np.arange(60) // 2},
        {"loss": lambda y, p: 0.5 * (y != p)},
    ],
)
def test_other_rules_after_an_answer_are_void(rules):
    X, y = fixed(0)
    Holdout(X, y).certify(A)
    assert Holdout(X, y, **rules).certify(A).status == "void"


def test_a_gate_that_was_passed_stays_locked_for_others():
    X = np.random.default_rng(0).normal(size=(400, 3))
    rules = {"mode": "gate", "n_models": 5, "target": 0.3}
    y = A.predict(X)
    assert Holdout(X, y, **rules).certify(B).status == "void"  # it failed
    passed = Holdout(X, y, **rules).certify(A)
    assert (passed.status, passed.family.query) == ("valid", 2)
    assert Holdout(X, y, **rules).certify(Rule([1.0, 0.01, 0.0])).status == "void"
    assert Holdout(X, y, **rules).certify(A) == passed


def test_another_split_of_the_same_table_is_another_look_at_it():
    X, y = fixed(0, n=200)
    for seed, status in ((0, True), (1, False), (0, True)):
        _, _, held_out = Holdout.split(X, y, seed=seed)
        assert (held_out.certify(A if seed == 0 else B).status != "void") is status


@pytest.mark.parametrize("times", [2, 3])
def test_rows_that_are_repeated_are_known(times):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(80, 2)), rng.choice([-1.0, 1.0], 80)
    Holdout(X, y).certify(Rule([1.0, 0.0]))
    again = Holdout(np.tile(X, (times, 1)), np.tile(y, times), allow_duplicates=True)
    assert again.certify(Rule([0.0, 1.0])).status == "void"
    some = rng.permutation(80)[:53]
    partly = Holdout(np.concatenate([X, X[some]]), np.concatenate([y, y[some]]))
    assert partly.certify(Rule([1.0, 1.0])).status == "void"


@pytest.mark.parametrize("n_categories", [20, 100, 300, 3000])
def test_independent_draws_of_categories_are_not_taken_for_each_other(n_categories):
    rng = np.random.default_rng(4)
    for _ in range(20):
        first, other = (
            RowSet.of(rng.integers(n_categories, size=n).astype(np.uint64)) for n in (300, 450)
        )
        assert not first.is_mostly(other)


def test_rows_of_few_categories_are_not_taken_for_rows_asked_before():
    """Independent draws of a table of categories coincide: that alone voids nothing."""
    rng = np.random.default_rng(0)
    issued = []
    for _ in range(30):
        X = rng.integers(12, size=(100, 2)).astype(float)
        issued.append(Holdout(X, rng.choice([-1.0, 1.0], 100)).certify(Rule(rng.normal(size=2))))
    assert [c.status for c in issued].count("void") == 0


def test_questions_at_the_same_moment_stand_one_after_the_other():
    X, y = fixed(0)
    models = [Rule(np.random.default_rng(k).normal(size=3)) for k in range(12)]
    with ThreadPoolExecutor(6) as pool:
        issued = list(pool.map(lambda model: Holdout(X, y).certify(model), models))
    assert [c.status for c in issued].count("void") == 11


class TestCopies:
    def test_all_rows_distinct_is_the_plain_split_and_it_is_said(self):
        X, y = fixed(0, n=100)
        _, _, held_out = Holdout.split(X, y, seed=0)
        certificate = held_out.certify(A)
        assert certificate.method == "concentration.clopper_pearson"
        by_key = {p.key: (p.status, p.evidence) for p in certificate.preconditions}
        assert by_key["copies"] == (
            "checked",
            (
                "all 100 rows are distinct; none is one of the other side with fractions rounded "
                "to single or half precision"
            ),
        )

    @pytest.mark.parametrize("fraction", [0.05, 0.25, 0.333, 0.5, 0.9])
    @pytest.mark.parametrize("n", [7, 50, 101])
    def test_the_command_holds_out_the_same_rows(self, n, fraction):
        X, y = fixed(n, n=n)
        _, _, held_out = Holdout.split(X, y, fraction=fraction, seed=3)
        rows = split(n, holdout=fraction, seed=3).holdout
        assert np.array_equal(held_out.X, X[rows])
        assert np.array_equal(held_out.y, y[rows])

    @pytest.mark.parametrize(
        "kind", ["array", "float32", "frame", "sparse", "coo", "list", "missing"]
    )
    def test_copies_stay_together_in_tables_of_any_kind(self, kind):
        X, y = fixed(0, n=40)
        X = np.repeat(np.round(X, 1), 2, axis=0).astype(np.float32)
        X[::2][X[::2] == 0.0] = -0.0
        if kind == "missing":
            X[:, 0] = np.nan
        given = {
            "float32": lambda: X.astype(np.float32),
            "frame": lambda: pd.DataFrame({"a": X[:, 0], "b": X[:, 1].astype(str), "c": X[:, 2]}),
            "sparse": lambda: sparse.csr_array(X),
            "coo": lambda: sparse.coo_array(X),
            "list": X.tolist,
        }.get(kind, lambda: X.astype(float))()
        train, _, held_out = Holdout.split(given, np.repeat(y, 2), seed=0, fraction=0.4)
        sides = [set(row_hashes(part).tolist()) for part in (train, held_out.X)]
        assert not sides[0] & sides[1]
        assert held_out._groups.of_copies

    def test_copies_count_as_one_and_the_claim_says_so(self):
        X, y = fixed(0, n=100)
        _, _, held_out = Holdout.split(np.repeat(X, 3, axis=0), np.repeat(y, 3), seed=0)
        certificate = held_out.certify(A)
        assert (certificate.n, certificate.method) == (20, "concentration.clopper_pearson")
        assert "where copies of a row count as one" in certificate.claim
        by_key = {p.key: (p.status, p.evidence) for p in certificate.preconditions}
        assert by_key["copies"][1].startswith("100 of 300 rows are distinct")
        status, drawn = by_key["independent"]
        assert (status, drawn.partition(";")[0]) == ("assumed", "one of the copies of each row")
        certificate.verify()

    def test_a_few_copies_cost_no_more_than_their_rows(self):
        """One copied row made it a bet on means: 36.6% on iris instead of 23.9%."""
        X, y = fixed(0, n=100)
        rules = {"seed": 0, "fraction": 0.3, "by_class": True}
        _, _, held_out = Holdout.split(np.vstack([X, X[:1]]), np.append(y, y[0]), **rules)
        answers = held_out.answer(A)
        for c in (answers.certificate, *answers.by_class.values()):
            errors = round(c.observed * c.n)
            assert (
                c.bound
                == clopper_pearson(errors=errors, n=c.n, delta=c.reproduce["inputs"]["delta"]).bound
            )

    @pytest.mark.parametrize("law", [(0.3, 0.3, 0.3), (0.0, 0.5, 1.0), (0.9, 0.1, 0.1)])
    def test_one_of_the_copies_errs_as_they_do_on_average(self, law, repetitions):
        """Rows with one, two or three copies err with other probabilities; each row counts once."""
        rng, n_false, n_sets = np.random.default_rng(0), 0, 40
        for _ in range(repetitions):
            sizes = rng.integers(1, 4, n_sets)
            places = np.repeat(np.arange(n_sets), sizes)
            wrong = rng.random(len(places)) < np.asarray(law)[sizes - 1][places]
            claim = claim_about("zero_one", Groups(places, of_copies=True), random_state=0)
            found = claim.bound(wrong, np.zeros_like(wrong), delta=DELTA)
            n_false += found.guarantee.bound < np.mean(law)
        assert_at_most_delta(n_false, repetitions)

    def test_of_the_copies_of_a_class_one_is_drawn_wherever_they_stand(self):
        """The first of each was counted: where answers differ, a sorted table has the right one."""
        groups = Groups(np.repeat(np.arange(200), 2), of_copies=True)
        wrong = np.tile([0, 1], 200)
        found = ClassErrorRate(0, groups, 0).bound(np.zeros_like(wrong), wrong, delta=DELTA)
        assert found.n == 200
        assert abs(found.observed - 0.5) < 0.15

    def test_drawing_others_of_the_copies_is_another_look(self):
        X, _ = fixed(0, n=60)
        rows, labels = np.repeat(X, 2, axis=0), np.tile([1, -1], 60)
        forget()
        asked = [
            Holdout.split(rows, labels, seed=0, random_state=seed)[2].certify(A).status
            for seed in (0, 1)
        ]
        assert asked[1] == "void"

    def test_copies_that_differ_in_their_label_stay_together_too(self):
        X, y = fixed(0, n=50)
        train, _, held_out = Holdout.split(np.vstack([X, X]), np.append(y, -y), seed=0)
        assert not set(map(tuple, train)) & set(map(tuple, held_out.X))

    def test_copies_may_be_called_independent_draws_and_it_is_said(self):
        X, y = fixed(0, n=60)
        both = Holdout.split(np.repeat(X, 2, axis=0), np.repeat(y, 2), seed=0, copies="independent")
        certificate = both[2].certify(memorise(*both[:2]))
        by_key = {p.key: p for p in certificate.preconditions}
        assert by_key["unseen"].status == by_key["copies"].status == "assumed"
        assert "of 24 held-out rows coincide with training rows" in by_key["unseen"].evidence
        with pytest.raises(ValueError, match="copies"):
            Holdout.split(X, y, seed=0, copies="apart")

    def test_each_class_and_the_size_of_errors_count_distinct_rows(self):
        X, y = fixed(0, n=100)
        X, y = np.repeat(X, 2, axis=0), np.repeat(y, 2)
        _, _, held_out = Holdout.split(X, y, seed=0, by_class=True)
        answers = held_out.answer(A)
        assert sum(c.n for c in answers.by_class.values()) == answers.certificate.n == 20
        forget()
        rules = {"fraction": 0.5, "loss": Quantile(0.1), "delta": 0.1}
        _, _, held_out = Holdout.split(X, X[:, 0], seed=0, **rules)
        certificate = held_out.certify(Ridge())
        assert certificate.n == 50
        assert "where copies of a row count as one" in certificate.claim

    def test_whole_groups_are_held_out_if_they_are_named(self):
        X, y = fixed(0, n=90)
        groups = np.arange(90) // 3
        _, _, held_out = Holdout.split(X, y, seed=0, groups=groups)
        certificate = held_out.certify(A)
        assert certificate.n == 6
        assert "on average over groups" in certificate.claim

    @pytest.mark.parametrize(
        ("X", "message"),
        [(np.zeros((1, 2)), "two rows"), (np.ones((9, 2)), "copies of one row")],
    )
    def test_what_cannot_be_split_is_refused(self, X, message):
        with pytest.raises(ValueError, match=message):
            Holdout.split(X, np.zeros(len(X)), seed=0)


class Ridge:
    def predict(self, X):
        return 0.9 * X[:, 0]


SETTINGS = ModuleType("settings")  # what a model reads in a module of the user


class ReadsSettings:
    """A model whose answers depend on what its fingerprint does not see."""

    def predict(self, X):
        return X[:, 0] > SETTINGS.threshold


def test_a_model_that_answers_otherwise_is_another_question():
    X = np.random.default_rng(0).normal(size=(100, 1))
    y, model = X[:, 0] > 0.5, ReadsSettings()
    held_out = Holdout(X, y)
    SETTINGS.threshold = 0.0
    assert held_out.certify(model).observed > 0.0
    assert held_out.certify(model).status != "void"
    SETTINGS.threshold = 0.5
    with pytest.raises(ValueError, match="answered all 1 questions"):
        held_out.certify(model)
    assert Holdout(X, y).certify(model).status == "void"


def test_a_part_chosen_by_the_errors_is_another_question():
    X = np.random.default_rng(0).normal(size=(100, 8))
    rule = Rule(np.ones(8))
    y = np.where(np.arange(100) % 4 == 0, -1.0, 1.0) * rule.predict(X)
    assert Holdout(X, y).certify(rule).observed == 0.25
    right = np.arange(100) % 4 > 0
    assert Holdout(X[right], y[right]).certify(rule).status == "void"
    assert Holdout(X[::-1], y[::-1]).certify(rule).observed == 0.25  # the same question
