"""A certificate carried to another model."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression as ScikitRegression

from surelearn import Certificate, Holdout, Perceptron, RiskMonitor, transfer
from surelearn._wording import percent_outward
from surelearn.app.verify import verify_certificate
from surelearn.base import fingerprint
from surelearn.bounds import inversions
from surelearn.bounds import transfer as theorems
from surelearn.certificate._issue import source
from surelearn.datasets.worlds import Noisy
from surelearn.evaluate.ledger import forget

WORLD = Noisy(3, 0.1)
X, Y = WORLD.draw(300, seed=0)
HELD_X, HELD_Y = WORLD.draw(200, seed=1)
NEW_X, NEW_Y = WORLD.draw(1000, seed=2)


@pytest.fixture(autouse=True)
def _new_process():
    forget()


def old_model():
    return Perceptron(max_iter=3).fit(X, Y)


def refitted():
    return Perceptron(max_iter=3).fit(np.vstack([X, HELD_X]), np.concatenate([Y, HELD_Y]))


def certified(**rules):
    old = old_model()
    return Holdout(HELD_X, HELD_Y, **rules).certify(old), old


def holds(certificate):
    read = Certificate.from_json(certificate.to_json())
    return all(finding.holds for finding in verify_certificate(read))


def test_a_model_refitted_on_all_rows_keeps_a_guarantee_without_any_label():
    certificate, old = certified()
    new = refitted()
    carried = transfer(certificate, old, new, NEW_X)
    k = int((old.predict(NEW_X) != new.predict(NEW_X)).sum())
    assert carried.reproduce["inputs"]["disagreements"] == k > 0
    assert carried.bound == pytest.approx(
        certificate.bound + inversions.binomial_upper(k, 1000, 0.05), rel=1e-6
    )
    assert carried.status == "valid"
    assert carried.delta == pytest.approx(0.1)
    assert "confidence 90%" in carried.claim
    assert carried.reproduce["models"] == [fingerprint(old), fingerprint(new)]
    assert carried.recompute() == carried.bound
    assert holds(carried)
    status = {p.key: p.status for p in carried.preconditions}
    assert status["unseen"] == "checked"
    assert status["carried"] == status["independent"] == "assumed"
    told = next(p for p in carried.preconditions if p.key == "carried")
    assert all(p.name in told.evidence for p in certificate.preconditions)


def test_the_method_of_a_certificate_does_the_same():
    certificate, old = certified()
    one = transfer(certificate, old, refitted(), NEW_X)
    assert certificate.transfer(refitted(), NEW_X, old_model=old).to_json() == one.to_json()


def test_only_labels_of_rows_that_differ_are_looked_at():
    certificate, old = certified()
    new = refitted()
    differ = old.predict(NEW_X) != new.predict(NEW_X)
    some = np.where(differ, NEW_Y, None)
    carried = transfer(certificate, old, new, NEW_X, y=some)
    wrong = [(model.predict(NEW_X) != NEW_Y)[differ] for model in (new, old)]
    assert carried.method == "transfer.labelled"
    assert carried.reproduce["inputs"]["only_new_wrong"] == int((wrong[0] & ~wrong[1]).sum())
    assert carried.reproduce["inputs"]["only_old_wrong"] == int((wrong[1] & ~wrong[0]).sum())
    assert holds(carried)
    forget()
    assert transfer(certificate, old, new, NEW_X).bound > carried.bound
    forget()
    some[np.flatnonzero(differ)[0]] = np.nan
    with pytest.raises(ValueError, match="have no label"):
        transfer(certificate, old, new, NEW_X, y=some)


def test_labels_of_another_kind_are_not_taken_for_errors_of_both_models():
    certificate, old = certified()
    with pytest.raises(ValueError, match="can never be equal"):
        transfer(certificate, old, refitted(), NEW_X, y=NEW_Y.astype(int).astype(str))


def test_the_best_of_several_pays_for_all_of_them():
    certificate, old = certified(mode="family", n_models=4)
    carried = transfer(certificate, old, refitted(), NEW_X)
    assert certificate.delta == pytest.approx(0.0125)
    assert carried.delta == pytest.approx(0.1)
    assert carried.reproduce["inputs"]["risk_delta"] == pytest.approx(0.05)
    assert holds(carried)


def test_another_model_than_the_certified_one_is_refused():
    certificate, old = certified()
    with pytest.raises(ValueError, match="another model"):
        transfer(certificate, refitted(), old, NEW_X)
    old.partial_fit(X[:5], Y[:5])
    with pytest.raises(ValueError, match="refitted or changed"):
        transfer(certificate, old, refitted(), NEW_X)


def test_what_is_said_of_distinct_rows_is_not_carried_to_rows():
    rows, labels = np.vstack([X, X]), np.append(Y, Y)
    train_x, train_y, held_out = Holdout.split(rows, labels, seed=0)
    old = Perceptron(max_iter=3).fit(train_x, train_y)
    with pytest.raises(ValueError, match="about distinct rows"):
        transfer(held_out.certify(old), old, refitted(), NEW_X)


def test_rows_that_a_model_has_learnt_from_are_refused():
    certificate, old = certified()
    with pytest.raises(ValueError, match="200 of these rows also stand in the training data"):
        transfer(certificate, old, refitted(), HELD_X)
    doubled = transfer(certificate, old, refitted(), HELD_X, allow_duplicates=True)
    assert {p.key: p.status for p in doubled.preconditions}["unseen"] == "assumed"


def test_choosing_among_new_models_on_the_same_rows_is_refused():
    certificate, old = certified()
    new = refitted()
    first = transfer(certificate, old, new, NEW_X)
    assert transfer(certificate, old, new, NEW_X).bound == first.bound
    other = Perceptron(max_iter=1).fit(X, Y)
    for rows in (NEW_X, NEW_X[::-1], NEW_X[:900]):
        with pytest.raises(ValueError, match="draw fresh rows"):
            transfer(certificate, old, other, rows)
    with pytest.raises(ValueError, match="by other rules"):
        transfer(certificate, old, new, NEW_X, y=NEW_Y)


def test_what_is_refused_is_no_look():
    certificate, old = certified()
    for wrong in ({"delta": 0.0}, {"delta": 0.97}, {"y": NEW_Y[:9]}):
        with pytest.raises(ValueError, match=r"delta|shape"):
            transfer(certificate, old, refitted(), NEW_X, **wrong)
    with pytest.raises(ValueError, match="zero-one loss is for classifiers"):
        transfer(certificate, old, ScikitRegression().fit(X, Y), NEW_X)
    with pytest.raises(TypeError, match="no method predict"):
        transfer(certificate, old, Perceptron, NEW_X)
    assert transfer(certificate, old, refitted(), NEW_X).status == "valid"


def test_only_an_error_rate_of_a_model_is_carried():
    old = old_model()
    monitor = RiskMonitor().update([0] * 90).certificate()
    by_class = Holdout(HELD_X, HELD_Y, by_class=True).answer(old).by_class
    for other in (monitor, *by_class.values(), *old.certificates()):
        with pytest.raises(ValueError, match="only the error rate"):
            transfer(other, old, refitted(), NEW_X)
    with pytest.raises(TypeError, match="no certificate"):
        transfer(0.05, old, refitted(), NEW_X)
    void = Holdout(HELD_X, HELD_Y).certify(Perceptron(max_iter=1).fit(X, Y))
    with pytest.raises(ValueError, match="void"):
        transfer(void, old, refitted(), NEW_X)


def test_a_certificate_is_carried_once():
    certificate, old = certified()
    new = refitted()
    carried = transfer(certificate, old, new, NEW_X[:500])
    with pytest.raises(ValueError, match="carry the first one"):
        transfer(carried, new, DummyClassifier().fit(X, Y), NEW_X[500:])


def test_a_model_that_answers_rows_together_is_refused():
    class Ranks:
        def predict(self, X):
            return np.asarray(X)[:, 0] > np.median(np.asarray(X)[:, 0])

    certificate, old = certified()
    with pytest.raises(ValueError, match="by itself"):
        transfer(certificate, old, Ranks(), NEW_X)


FORGED_INPUTS = {"risk": 0.01, "risk_delta": 0.01}


def forged(carried, **inputs):
    """Return a certificate whose bound, claim and formula follow from changed inputs."""
    stored = {**carried.reproduce["inputs"], **inputs}
    found = getattr(theorems, carried.method.partition(".")[2])(**stored)
    fields = {**vars(carried), **source(found), "bound": found.bound}
    shown = [percent_outward(bound, "upper") for bound in (carried.bound, found.bound)]
    fields["claim"] = carried.claim.replace(*shown)
    fields["reproduce"] = {**carried.reproduce, "inputs": stored}
    return Certificate(**fields)


@pytest.mark.parametrize("name", FORGED_INPUTS)
def test_a_risk_that_the_stored_certificate_does_not_state_is_found(name):
    certificate, old = certified()
    carried = transfer(certificate, old, refitted(), NEW_X)
    assert holds(forged(carried))
    assert not holds(forged(carried, **{name: FORGED_INPUTS[name]}))


def test_a_changed_certificate_inside_is_found():
    certificate, old = certified()
    carried = transfer(certificate, old, refitted(), NEW_X)

    def with_stored(**changes):
        return Certificate(**{**vars(carried), "reproduce": {**carried.reproduce, **changes}})

    inside = carried.reproduce["certificate"]
    for changes in (
        {"certificate": {**inside, "bound": 0.001}},
        {"certificate": {**inside, "preconditions": inside["preconditions"][:1]}},
        {"certificate": {}},
        {"certificate": []},
        {"models": carried.reproduce["models"][::-1]},
        {"models": []},
        {"model": "0" * 16},
    ):
        assert not holds(with_stored(**changes)), changes
    for key in ("unseen", "not_chosen_by_them", "row_by_row", "carried"):
        kept = tuple(p for p in carried.preconditions if p.key != key)
        assert not holds(Certificate(**{**vars(carried), "preconditions": kept})), key
