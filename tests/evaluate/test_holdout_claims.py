"""What a hold-out claims of classes, groups and sizes of errors, all of it inside its ledger."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from surelearn import Holdout, Perceptron, Quantile
from surelearn.bounds import holdout, sequences
from surelearn.certificate import by_construction, checked, joint_delta, violated
from surelearn.evaluate.ledger import forget
from surelearn.losses import ZeroOne


class Sign:
    """The sign of the first column: wrong where a label was flipped."""

    def __init__(self):
        self.asked = []

    def predict(self, X):
        self.asked.append(len(X))
        return np.where(X[:, 0] > 0.0, 1.0, -1.0)


class Rule:
    """A fixed linear rule."""

    def __init__(self, weights):
        self.weights = np.asarray(weights)

    def predict(self, X):
        return np.where(X @ self.weights > 0.0, 1.0, -1.0)


class Always:
    def predict(self, X):
        return np.full(len(X), -1.0)


def flipped(n=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, np.where((X[:, 0] > 0.0) != (rng.random(n) < 0.1), 1.0, -1.0)


class TestClasses:
    def test_each_class_has_a_share_of_delta_and_an_entry_in_the_ledger(self):
        X, y = flipped()
        held_out = Holdout(X, y, delta=0.1, by_class=True)
        answers = held_out.answer(Sign())
        assert [(e.delta_spent, e.query) for e in held_out.ledger] == [(0.1, 1), *[(0.05, 1)] * 2]
        assert [c.family for c in answers.by_class.values()] == list(held_out.ledger[1:])
        wrong = answers.predicted != y
        for label, certificate in answers.by_class.items():
            rows = y == float(label)
            numbers = {"errors": int(wrong[rows].sum()), "n_in_class": int(rows.sum())}
            assert certificate.bound == holdout.class_conditional(**numbers, delta=0.05).bound
            assert "for all 2 classes together" in certificate.claim
            assert certificate.preconditions[1:] == answers.certificate.preconditions[1:]
            certificate.verify()
        with pytest.raises(ValueError, match="answered all 1"):
            held_out.answer(Rule([0.0, 1.0]))

    def test_a_model_asked_about_again_gets_the_same_answers_and_is_not_charged(self):
        X, y = flipped()
        held_out, model = Holdout(X, y, by_class=True), Rule([1.0, 0.0])
        assert held_out.answer(model) is held_out.answer(model)
        assert len(held_out.ledger) == 3

    def test_a_gate_that_fails_says_nothing_of_classes(self):
        X, y = flipped()
        gate = Holdout(X, y, mode="gate", n_models=2, target=0.3, by_class=True)
        assert gate.answer(Rule([-1.0, 0.0])).by_class == {}
        passed = gate.answer(Rule([1.0, 0.0]))
        assert list(passed.by_class) == ["-1.0", "1.0"]
        assert "for all 2 models and all 2 classes together" in passed.by_class["1.0"].claim
        assert sum(e.delta_spent for e in gate.ledger[2:]) == pytest.approx(0.025)

    def test_a_class_that_nobody_announced_has_no_share_and_no_certificate(self):
        X, y = flipped()
        groups = np.arange(len(y)) // 3
        held_out = Holdout(X, y, by_class=[-1.0], groups=groups)
        assert list(held_out.answer(Sign()).by_class) == ["-1.0"]
        forget()
        silent = Holdout(X, y, by_class=[-1.0], groups=groups).answer(Always())
        assert list(silent.by_class) == ["-1.0"]
        assert joint_delta(*silent.by_class.values()) <= 0.05


class TestGroups:
    def test_a_group_is_one_draw_whatever_its_size(self):
        X, y = flipped()
        groups = np.r_[np.zeros(60), np.arange(1, 61)]
        y[:60] *= -1  # the large group is contrary
        certificate = Holdout(X, y, groups=groups).certify(Sign())
        wrong = np.where(X[:, 0] > 0.0, 1.0, -1.0) != y
        rates = [wrong[groups == group].mean() for group in range(61)]
        assert certificate.n == 61
        assert certificate.observed == pytest.approx(np.mean(rates))
        assert certificate.bound == sequences.betting_order_free(losses=rates, delta=0.05).bound
        by_key = {p.key: p for p in certificate.preconditions}
        assert by_key["range"].status == "by-construction"
        assert by_key["same_mean"].evidence.startswith("groups of one population")

    def test_a_loss_of_ones_own_is_averaged_within_groups(self):
        X, y = flipped()
        groups = np.arange(len(y)) // 4
        own = Holdout(X, y, groups=groups, loss=lambda y, p: 0.5 * (y != p)).certify(Sign())
        forget()
        whole = Holdout(X, y, groups=groups).certify(Sign())
        assert own.observed == pytest.approx(whole.observed / 2)
        assert own.preconditions[0].status == "assumed"

    def test_of_a_quantile_one_row_of_each_group_counts(self):
        rng = np.random.default_rng(0)
        X, groups = rng.normal(size=(200, 1)), np.arange(200) // 4
        y = X[:, 0] + rng.normal(size=200)
        model = LinearRegression().fit(X, y)
        options = {"loss": Quantile(alpha=0.1), "groups": groups}
        first, again, void = (
            Holdout(X, y, random_state=seed, **options).answer(model) for seed in (0, 0, 1)
        )
        assert void.certificate.status == "void"  # rows drawn anew are another look
        forget()
        other = Holdout(X, y, random_state=1, **options).answer(model)
        assert first.certificate.n == 50
        assert len(first.predicted) == 200
        assert first.certificate == again.certificate
        assert first.certificate.reproduce["data"] != other.certificate.reproduce["data"]
        assert first.certificate.preconditions[0].evidence.startswith("one row of each group; ")


class OfMaker(Holdout):
    """A hold-out whose maker makes something true."""

    def __init__(self, X, y, evidence, **rules):
        self.made_true = evidence
        super().__init__(X, y, **rules)

    def _made_true(self):
        return self.made_true


class TestEvidence:
    def test_what_the_maker_knows_is_stated_by_its_key(self):
        X, y = flipped()
        known = {"blind_split": by_construction("by a coin"), "independent": checked("by design")}
        certificate = OfMaker(X, y, known).certify(Sign())
        stated = {p.key: (p.status, p.evidence) for p in certificate.preconditions}
        assert stated["blind_split"] == ("by-construction", "by a coin")
        assert stated["independent"] == ("checked", "by design")
        assert stated["unseen"][0] == "assumed"  # nothing was said of it
        assert "untouched" not in stated

    def test_a_violated_assumption_voids_the_certificate_and_asks_no_class(self):
        X, y = flipped()
        held_out = OfMaker(X, y, {"unseen": violated("half of them were")}, by_class=True)
        answers = held_out.answer(Sign())
        assert answers.certificate.status == "void"
        assert answers.by_class == {}

    def test_the_word_of_the_maker_does_not_hide_rows_that_the_model_remembers(self):
        X, y = flipped()
        held_out = OfMaker(X, y, {"unseen": by_construction("surely not")})
        with pytest.raises(ValueError, match="120 of 120 hold-out rows"):
            held_out.certify(Perceptron().fit(X, y))

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"by_class": True, "loss": Quantile(0.1)}, "by_class"),
            ({"by_class": True, "groups": np.arange(120)}, "the classes themselves"),
            ({"groups": np.arange(7)}, "names 7 rows"),
        ],
    )
    def test_what_makes_no_sense_is_refused_before_anything_is_charged(self, options, message):
        with pytest.raises(ValueError, match=message):
            Holdout(*flipped(), **options)

    def test_evidence_about_what_is_not_assumed_is_refused(self):
        with pytest.raises(ValueError, match="independent"):
            OfMaker(*flipped(), {"alpha": checked("")})  # there is none without a quantile


def test_the_zero_one_loss_is_the_same_by_name_and_as_an_object():
    X, y = flipped()
    by_name, as_object = (
        Holdout(X, y, loss=loss).certify(Sign()) for loss in ("zero_one", ZeroOne())
    )
    assert by_name == as_object
    assert as_object.method == "concentration.clopper_pearson"


def test_a_model_predicts_once_for_all_its_certificates():
    X, y = flipped()
    model = Sign()
    Holdout(X, y, by_class=True).answer(model)
    # Once about all rows; then some of them alone, and in another order.
    assert sorted(model.asked) == [1] * 16 + [len(X)] * 2
