"""Forged numbers of the certificates of ensembles are found by the certificate alone."""

import json
from functools import cache

import numpy as np
import pytest

from surelearn import (
    AdaBoostClassifier,
    BaggingClassifier,
    BaggingRegressor,
    C45Classifier,
    CARTClassifier,
    RandomForestClassifier,
)
from surelearn.app.verifying.alone import check_alone
from surelearn.certificate import Certificate

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 3))
y = (X[:, 0] + 0.3 * RNG.normal(size=200) > 0).astype(int)
MAKERS = {
    "forest": lambda: RandomForestClassifier(4),
    "bagging": lambda: BaggingClassifier(CARTClassifier(max_depth=2), 4, voting="hard"),
    "margins": lambda: AdaBoostClassifier(n_estimators=3),
}


@cache
def certificate_of(name):
    place = 3 if name == "margins" else 0
    return MAKERS[name]().fit(X, y).certificates()[place].to_json()


def holds(content):
    try:
        certificate = Certificate.from_json(json.dumps(content))
    except (TypeError, ValueError):
        return False
    return all(finding.holds for finding in check_alone(certificate))


@pytest.mark.parametrize("name", MAKERS)
def test_what_was_issued_holds_and_a_larger_sample_does_not(name):
    content = json.loads(certificate_of(name))
    assert holds(content)
    content["n"] *= 4
    assert not holds(content)


def test_margins_give_what_was_observed():
    content = json.loads(certificate_of("margins"))
    assert not holds({**content, "observed": content["observed"] / 2.0})
    assert not holds({**content, "observed": 0.0})


@pytest.mark.parametrize("ensemble", ["forest", "bagging"])
@pytest.mark.parametrize("name", ["tandem_losses", "tandem_sizes"])
@pytest.mark.parametrize("pair", [(0, 1), (2, 0)])
def test_pairs_are_tested_alike_both_ways(ensemble, name, pair):
    content = json.loads(certificate_of(ensemble))
    row = content["reproduce"]["inputs"][name][pair[0]]
    row[pair[1]] = row[pair[1]] / 2 if name == "tandem_losses" else row[pair[1]] - 1
    assert not holds(content)


BAGGED = {
    "classifier": (BaggingClassifier(n_estimators=4), y),
    "regressor": (BaggingRegressor(n_estimators=4, max_samples=0.3), X[:, 0]),
}


@pytest.mark.parametrize("name", BAGGED)
def test_what_bags_hold_is_passed_and_no_other_share(name):
    """No certificate of bags had ever been passed: nobody had told which there are."""
    model, targets = BAGGED[name]
    certificate = model.fit(X, targets).bags_certificate()
    content = json.loads(certificate.to_json())
    assert holds(content)
    assert not holds({**content, "n": 100})
    assert not holds({**content, "observed": 1.01})
    assert not holds({**content, "observed": 0.001})


def test_an_edge_with_members_of_another_kind_than_stumps_is_passed():
    model = AdaBoostClassifier(estimator=CARTClassifier(max_depth=2), n_estimators=3, edge=0.05)
    content = json.loads(model.fit(X, y).certificates()[0].to_json())
    assert "answers of each member" in json.dumps(content)
    assert holds(content)


def test_a_tree_that_divides_rows_is_passed_and_tells_how_many_it_gets_right():
    """A divided row counts as an error in the bound; nothing told so, and `verify` refused it."""
    gaps = np.where(RNG.random(X.shape) < 0.2, np.nan, X)
    model = C45Classifier().fit(gaps, y)
    (certificate,) = model.certificates()
    assert certificate.observed == model.training_errors_ / len(y)
    content = json.loads(certificate.to_json())
    assert holds(content)
    stored = content["reproduce"]
    assert stored["n_divided"] > 0
    for other in ({}, {"n_divided": stored["n_divided"] + 1}, {"n_divided": -1}):
        kept = {name: told for name, told in stored.items() if name != "n_divided"}
        assert not holds({**content, "reproduce": {**kept, **other}})
