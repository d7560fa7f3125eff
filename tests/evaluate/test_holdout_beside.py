"""Claims beside the certificate of a hold-out."""

import numpy as np
import pytest

from surelearn import Holdout, Perceptron, claims
from surelearn.bounds import rates
from surelearn.evaluate._claims_beside import Origin
from surelearn.evaluate.audit import verdict_of
from surelearn.evaluate.holdout import Quantile
from surelearn.evaluate.ledger import forget


class Cut:
    """A rule with scores: the first column, cut at a place."""

    classes_ = np.array([0, 1])

    def __init__(self, place=0.0):
        self.place = place

    def predict(self, X):
        return (np.asarray(X)[:, 0] > self.place).astype(int)

    def decision_function(self, X):
        return np.asarray(X)[:, 0] - self.place


class Blind:
    """A rule that does not say which classes it knows."""

    def predict(self, X):
        return np.ones(len(X), dtype=int)


class Numbers:
    def predict(self, X):
        return np.asarray(X)[:, 0]


def rows(n=400, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    return np.column_stack([2.0 * y - 1.0 + rng.normal(size=n), np.arange(n)]), y


def test_all_that_is_expected_shares_delta_once_more():
    X, y = rows()
    held_out = Holdout(X, y, delta=0.1, claims=True)
    answers = held_out.answer(Cut())
    assert answers.certificate == Holdout(X, y, delta=0.1, claims=True).certify(Cut())
    names = [outcome.claim.name for outcome in answers.claims]
    assert names[:2] == ["sensitivity", "specificity"]
    assert "difference" not in names  # there is no baseline
    assert sum(o.certificate.delta for o in answers.claims) <= 0.1 + 1e-12
    assert [entry.delta_spent for entry in held_out.ledger] == [0.1, 0.1]


def test_claims_that_were_asked_for_are_those_of_the_theorem():
    X, y = rows()
    answers = Holdout(X, y, claims=[claims.Sensitivity()]).answer(Cut())
    hits = int((Cut().predict(X)[y == 1] == 1).sum())
    bound = rates.sensitivity(true_positives=hits, n_positive=int(y.sum()), delta=0.05).bound
    assert [o.certificate.bound for o in answers.claims] == [bound]
    assert answers.claims[0].certificate.subject == "this fitted model"


def test_targets_are_tried_in_their_order():
    X, y = rows()
    asked = ["sensitivity>=0.5", "specificity>=0.999", "ppv>=0.1"]
    answers = Holdout(X, y, claims=asked).answer(Cut())
    assert [o.verdict for o in answers.claims] == ["proved", "refuted", "not tried"]
    assert verdict_of(answers.claims) == "refuted"


def test_of_a_model_that_fails_the_gate_nothing_else_is_told():
    X, y = rows()
    gate = Holdout(X, y, mode="gate", n_models=2, target=0.22, claims=True)
    assert gate.answer(Cut(3.0)).claims == ()
    assert gate.answer(Cut()).claims


def test_other_claims_about_the_same_rows_are_another_look():
    X, y = rows()
    assert Holdout(X, y, claims=["sensitivity"]).certify(Cut()).status == "valid"
    again = Holdout(X, y, claims=["specificity"]).answer(Cut())
    assert again.certificate.status == "void"
    assert again.claims == ()


def test_another_baseline_is_another_look():
    """Whoever compares with twenty and shows the worst of them has chosen it by these rows."""
    X, y = rows()
    asked = [
        Holdout(X, y, claims=["difference"], baseline=Cut(place)).answer(Cut()).certificate.status
        for place in (0.5, 1.0, 0.5)
    ]
    assert asked == ["valid", "void", "valid"]


@pytest.mark.parametrize("claim", ["auc", "sensitivity"])
def test_rows_drawn_again_by_order_or_seed_are_another_look(claim):
    """The area goes by the order of rows, and one row of each group is drawn by it and the seed."""
    X, y = rows()
    groups = np.arange(len(y)) // 4 if claim == "sensitivity" else None
    options = {"claims": [claim], "groups": groups}
    assert Holdout(X, y, **options).certify(Cut()).status == "valid"
    order = np.random.default_rng(1).permutation(len(y))
    shuffled = {**options, "groups": None if groups is None else groups[order]}
    assert Holdout(X[order], y[order], **shuffled).certify(Cut()).status == "void"
    again = Holdout(X, y, random_state=1, **options).certify(Cut()).status
    assert again == ("valid" if groups is None else "void")


class Ranked(Cut):
    """Its answers go by each row, its scores by the rank of a row among those asked with it."""

    def decision_function(self, X):
        return np.argsort(np.argsort(np.asarray(X)[:, 0])) / max(1, len(X) - 1)


class AboveMedian:
    def predict(self, X):
        first = np.asarray(X)[:, 0]
        return (first > np.median(first)).astype(int)


def test_scores_and_baselines_that_depend_on_other_rows_are_refused():
    X, y = rows()
    with pytest.raises(ValueError, match="Ranked does not answer each row by itself"):
        Holdout(X, y, claims=["roc"]).certify(Ranked())
    with pytest.raises(ValueError, match="AboveMedian does not answer each row by itself"):
        Holdout(X, y, claims=["difference"], baseline=AboveMedian()).certify(Cut())
    assert Holdout(X, y, claims=["sensitivity"]).certify(Cut()).status == "valid"  # no look yet


def test_no_more_is_said_than_is_known_of_both_models():
    X, y = rows()
    fresh = np.random.default_rng(2).normal(size=(300, 2))
    model = Perceptron().fit(fresh, (fresh[:, 0] > 0).astype(int))
    for baseline, statuses in ((None, ["by-construction", "checked"]), (Cut(), ["assumed"] * 2)):
        forget()
        found = Holdout(X, y, claims=["error"], baseline=baseline).answer(model).claims[0]
        known = {p.key: p.status for p in found.certificate.preconditions}
        assert [known["row_by_row"], known["unseen"]] == statuses
    held_out = Holdout(X, y, claims=["difference"], baseline=Perceptron().fit(X, y))
    with pytest.raises(ValueError, match="also stand in the training data"):
        held_out.certify(Cut())


def test_numbers_and_another_model():
    X, _ = rows()
    y = X[:, 0] + np.random.default_rng(1).normal(scale=0.1, size=len(X))
    held_out = Holdout(X, y, loss=Quantile(0.1), claims=True, baseline=Blind())
    assert [o.claim.name for o in held_out.answer(Numbers()).claims] == [
        "closer-than-baseline",
        "error-quantile",
    ]


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        ({"claims": "sensitivity"}, "claims must be True, or a list"),
        ({"claims": [3]}, "claims must be claims"),
        ({"claims": ["sensitivty"]}, "sensitivity"),
        ({"positive": 1}, "for claims"),
        ({"claims": True, "baseline": 3}, "another fitted model"),
        ({"claims": True, "loss": lambda a, b: np.abs(a - b)}, "left out unless"),
    ],
)
def test_what_is_no_claim_is_refused(rules, told):
    X, y = rows(40)
    with pytest.raises((TypeError, ValueError), match=told):
        Holdout(X, y, **rules)


def test_a_model_without_classes_must_be_asked_for_claims_by_name():
    X, y = rows()
    with pytest.raises(ValueError, match="knows its classes"):
        Holdout(X, y, claims=True).certify(Blind())
    assert Holdout(X, y, claims=["specificity"]).answer(Blind()).claims


def test_a_claim_that_rows_cannot_show_is_refused_before_it_is_a_look():
    X, y = rows()
    with pytest.raises(ValueError, match="no column of groups"):
        Holdout(X, y, claims=["worst-group"]).certify(Cut())
    assert Holdout(X, y).certify(Cut()).status == "valid"


def test_which_claims_are_expected_does_not_depend_on_what_was_asked_before():
    def expected(**given):
        return Origin("rows", (), "multiclass", scores=False, **given).expected

    before = expected(baseline=True)
    assert "difference" in before
    assert "difference" not in expected(baseline=False)
    assert expected(baseline=True) == before


def test_a_row_of_a_third_label_that_is_not_called_positive_is_no_alarm():
    """It was counted as one: a specificity of 1 was refuted by rows that were not called so."""
    X, y = rows()
    y[(y == 0) & (np.arange(len(y)) % 3 == 0)] = 2
    said = Cut(0.5).predict(X)
    asked = ["specificity>=0.5", "sensitivity>=0.3", "ppv>=0.3", "npv>=0.5", "roc", "error"]
    outcomes = Holdout(X, y, claims=asked, positive=1).answer(Cut(0.5)).claims
    found = {o.claim.name: o.certificate for o in outcomes if o.certificate is not None}
    seen = {name: certificate.observed for name, certificate in found.items()}
    assert [o.verdict for o in outcomes[:4]] == ["proved"] * 4
    named = [o.certificate.observed for o in outcomes[:4]]
    assert named == [
        np.mean(said[y != 1] == 0),
        np.mean(said[y == 1] == 1),
        np.mean(y[said == 1] == 1),
        np.mean(y[said == 0] != 1),
    ]
    assert seen["error"] == np.mean(said != y)
    assert {c.reproduce["holdout"]["third"] for c in found.values()} == {
        int(((y == 2) & (said == 0)).sum())
    }


def test_rows_of_two_labels_store_no_third():
    X, y = rows()
    found = Holdout(X, y, claims=["specificity"]).answer(Cut()).claims[0].certificate
    assert "third" not in found.reproduce["holdout"]
