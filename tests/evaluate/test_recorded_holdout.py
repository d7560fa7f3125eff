"""A hold-out of recorded predictions: what an audit would state, and the ledger of the process."""

import json

import numpy as np
import pyarrow as pa
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor

import surelearn
from surelearn import Certificate, Holdout, Quantile
from surelearn.app.auditing.bundle import bundle_of, from_json, to_json
from surelearn.app.errors import TableError
from surelearn.app.verify import verify_audit, verify_certificate
from surelearn.evaluate.ledger import forget

RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 2, 400)
SAID = np.where(RNG.random(400) < 0.05, 1 - TRUTH, TRUTH)
OTHER = np.where(RNG.random(400) < 0.1, 1 - TRUTH, TRUTH)


@pytest.fixture(autouse=True)
def _new_process():
    forget()


def holds(certificate):
    read = Certificate.from_json(certificate.to_json())
    return all(finding.holds for finding in verify_certificate(read))


def test_it_states_what_an_audit_of_the_same_rows_states():
    found = Holdout.from_predictions(TRUTH, SAID).certify()
    table = pa.table({"truth": TRUTH, "said": SAID})
    columns = {"truth": "truth", "prediction": "said", "claims": ["error"]}
    assert surelearn.audit(table, **columns).certificate.status == "void"  # another look
    forget()
    expected = surelearn.audit(table, **columns).certificate
    assert (found.bound, found.claim, found.n) == (expected.bound, expected.claim, 400)
    statuses = {p.key: p.status for p in found.preconditions}
    assert statuses == {p.key: p.status for p in expected.preconditions}
    assert set(statuses.values()) == {"assumed"}
    assert holds(found)


def test_one_certificate_of_an_audit_is_verified_by_itself():
    table = pa.table({"truth": TRUTH, "said": SAID})
    columns = {"truth": "truth", "prediction": "said"}
    assert holds(surelearn.audit(table, **columns, claims=["npv"]).certificate)
    forget()
    several = surelearn.audit(table, **columns, claims=["error", "npv"])
    with pytest.raises(TableError, match="give the whole file"):
        holds(several.certificate)


def test_other_predictions_of_the_same_truths_are_another_look():
    first = Holdout.from_predictions(TRUTH, SAID).certify()
    second = Holdout.from_predictions(TRUTH, OTHER).certify()
    assert (first.status, second.status) == ("valid", "void")
    assert "1 look at these truths came before" in str(second)
    again = Holdout.from_predictions(TRUTH, SAID).certify()
    assert again.to_json() == first.to_json()
    assert not holds(second)
    for part in (slice(3, None), slice(None, None, -1), slice(0, 300)):
        assert Holdout.from_predictions(TRUTH[part], OTHER[part]).certify().status == "void"
    assert Holdout.from_predictions(1 - TRUTH, 1 - OTHER).certify().status == "void"


def test_other_claims_of_the_same_rows_are_another_look():
    assert Holdout.from_predictions(TRUTH, SAID).certify().status == "valid"
    more = Holdout.from_predictions(TRUTH, SAID, claims=["accuracy"])
    assert more.certify().status == "void"


def test_a_family_planned_beforehand_shares_delta():
    rules = {"mode": "family", "n_models": 2}
    found = [Holdout.from_predictions(TRUTH, said, **rules).certify() for said in (SAID, OTHER)]
    assert [c.status for c in found] == ["valid", "valid"]
    assert [c.delta for c in found] == [0.025, 0.025]
    assert all(map(holds, found))
    assert Holdout.from_predictions(TRUTH, TRUTH, **rules).certify().status == "void"


@pytest.mark.parametrize("first", ["certificate", "open look", "recorded"])
def test_a_model_and_recorded_predictions_of_the_same_truths_are_two_looks(first):
    rng = np.random.default_rng(5)
    X, said = rng.normal(size=(300, 2)), rng.integers(0, 2, 300)
    truth = (X[:, 0] + rng.normal(size=300) > 0).astype(int)
    model = DummyClassifier().fit(X[:9], truth[:9])
    if first == "certificate":
        assert Holdout(X, truth).certify(model).status == "valid"
    elif first == "open look":
        Holdout(X, truth, mode="open").score(model)
    recorded = Holdout.from_predictions(truth, said).certify()
    if first == "recorded":
        assert recorded.status != "void"
        assert Holdout(X, truth).certify(model).status == "void"
    else:
        assert recorded.status == "void"
        assert recorded.preconditions[-1].status == "violated"


@pytest.mark.parametrize("truths", ["labels drawn once", "a countdown"])
def test_rows_with_the_same_truths_are_other_rows_to_a_hold_out_that_sees_them(truths):
    rng = np.random.default_rng(8)
    y = rng.integers(0, 2, 300) if truths == "labels drawn once" else np.arange(300.0)[::-1]
    rules = {"loss": "zero_one" if truths == "labels drawn once" else Quantile(0.1)}
    model = (DummyClassifier if rules["loss"] == "zero_one" else DummyRegressor)().fit([[0]], y[:1])
    for _ in range(2):  # two experiments of one design, two machines until they fail
        X = y[:, None] + rng.normal(size=(300, 2))
        assert Holdout(X, y, **rules).certify(model).status != "void"


def test_other_rows_are_not_taken_for_these():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        truth = (rng.random(300) < 0.1).astype(int)
        assert Holdout.from_predictions(truth, np.zeros(300, int)).certify().status == "valid"


def test_two_classes_have_a_certificate_each():
    words = np.where(TRUTH == 1, "ill", "well"), np.where(SAID == 1, "ill", "well")
    found = Holdout.from_predictions(*words, positive="ill", by_class=True).answer()
    assert list(found.by_class) == ["ill", "well"]
    assert [c.method for c in found.by_class.values()] == ["rates.sensitivity", "rates.specificity"]
    assert all(c.delta == pytest.approx(0.05 / 3) for c in found.by_class.values())
    assert found.predicted.tolist() == words[1].tolist()


def test_all_its_certificates_verify_together():
    audited = Holdout.from_predictions(TRUTH, SAID, by_class=True).audit()
    bundle = bundle_of(audited.outcomes, audited.delta)
    assert len(bundle.certificates) == 3
    assert all(finding.holds for finding in verify_audit(from_json(to_json(bundle))))


def test_groups_and_quantiles_are_claimed_as_an_audit_claims_them():
    grouped = Holdout.from_predictions(TRUTH, SAID, groups=np.arange(400) // 4).certify()
    assert grouped.reproduce["audit"]["claim"] == "error-per-cluster"
    truth = RNG.normal(size=200)
    sizes = Holdout.from_predictions(truth, truth + 0.1, loss=Quantile(0.1)).certify()
    assert sizes.bound == pytest.approx(0.1)
    assert holds(grouped)
    assert holds(sizes)


def test_a_gate_is_a_claim_with_a_target():
    audited = Holdout.from_predictions(TRUTH, SAID, claims=["error<=0.1"]).audit()
    assert audited.verdict == "proved"


@pytest.mark.parametrize(
    ("rules", "says"),
    [
        ({"mode": "gate"}, "needs a model"),
        ({"mode": "open"}, "needs a model"),
        ({"n_models": 2}, "mode='family'"),
        ({"n_models": 0, "mode": "family"}, "n_models"),
        ({"delta": 0.0}, "delta"),
        ({"loss": lambda y, p: y != p}, "Quantile"),
        ({"loss": Quantile(0.1), "by_class": True}, "classes"),
        ({"claims": ["error"], "by_class": True}, "leave loss and by_class"),
        ({"claims": ["no-such"]}, "no claim"),
        ({"groups": np.arange(400) // 4, "by_class": True}, "clusters"),
        ({"groups": [1, 2]}, "rows|length|cluster"),
    ],
)
def test_what_makes_no_sense_is_refused_and_is_no_look(rules, says):
    with pytest.raises(ValueError, match=says):
        Holdout.from_predictions(TRUTH, SAID, **rules)
    assert Holdout.from_predictions(TRUTH, OTHER).certify().status == "valid"


@pytest.mark.parametrize(
    ("truth", "said"),
    [
        ([1, 0, 1], [1, 0]),
        ([], []),
        ([1, 0], ["yes", "no"]),
        ([1, 0, 1], [0.3, 0.2, 0.9]),
        ([1, None, 0], [1, 1, 0]),
    ],
)
def test_columns_that_do_not_fit_are_refused(truth, said):
    with pytest.raises((TypeError, ValueError)):
        Holdout.from_predictions(truth, said)


def test_three_classes_have_no_positive_one():
    with pytest.raises(ValueError, match="two classes"):
        Holdout.from_predictions(np.arange(90) % 3, np.arange(90) % 3, by_class=True)


def changed(certificate, **parts):
    content = json.loads(certificate.to_json())
    for path, value in parts.items():
        *folders, last = path.split("__")
        place = content
        for folder in folders:
            place = place[folder]
        place[last] = value
    return Certificate.from_json(json.dumps(content))


def test_a_forged_certificate_is_found():
    honest = Holdout.from_predictions(TRUTH, SAID).certify()
    assert holds(changed(honest))
    for forged in (
        {"bound": 0.01},
        {"claim": honest.claim.replace("95%", "99%")},
        {"reproduce__inputs__errors": 0},
        {"reproduce__audit__n_rows": 4000},
        {"reproduce__audit__delta": 0.01},
        {"reproduce__audit__n_claims": 0},
        {"reproduce__options__delta": 0.01},
        {"reproduce__ledger": {"memory": "process", "number": 2, "before": 0, "allowed": True}},
        {"reproduce__ledger": {"memory": "process"}},
        {"reproduce__ledger": []},
        {"preconditions": json.loads(honest.to_json())["preconditions"][1:]},
    ):
        assert not holds(changed(honest, **forged)), forged
