"""Forged numbers of the certificates of ensembles are found by the certificate alone."""

import json
from functools import cache

import numpy as np
import pytest

from surelearn import AdaBoostClassifier, BaggingClassifier, CARTClassifier, RandomForestClassifier
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
