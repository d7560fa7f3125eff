"""Forged numbers of the certificates of ensembles are found by the certificate alone."""

import json

import numpy as np
import pytest

from surelearn import AdaBoostClassifier, BaggingClassifier, CARTClassifier, RandomForestClassifier
from surelearn.app.verifying.alone import check_alone
from surelearn.certificate import Certificate

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 3))
y = (X[:, 0] + 0.3 * RNG.normal(size=200) > 0).astype(int)
FOREST = RandomForestClassifier(4).fit(X, y).certificates()[0]
BAGGED = (
    BaggingClassifier(CARTClassifier(max_depth=2), 4, voting="hard").fit(X, y).certificates()[0]
)
MARGINS = AdaBoostClassifier(n_estimators=3).fit(X, y).certificates()[3]


def holds(content):
    try:
        certificate = Certificate.from_json(json.dumps(content))
    except (TypeError, ValueError):
        return False
    return all(finding.holds for finding in check_alone(certificate))


@pytest.mark.parametrize("certificate", [FOREST, BAGGED, MARGINS], ids=lambda c: c.method)
def test_what_was_issued_holds_and_a_larger_sample_does_not(certificate):
    content = json.loads(certificate.to_json())
    assert holds(content)
    content["n"] *= 4
    assert not holds(content)


def test_margins_give_what_was_observed():
    content = json.loads(MARGINS.to_json())
    assert not holds({**content, "observed": content["observed"] / 2.0})
    assert not holds({**content, "observed": 0.0})


@pytest.mark.parametrize("certificate", [FOREST, BAGGED], ids=["forest", "bagging"])
@pytest.mark.parametrize("name", ["tandem_losses", "tandem_sizes"])
@pytest.mark.parametrize("pair", [(0, 1), (2, 0)])
def test_pairs_are_tested_alike_both_ways(certificate, name, pair):
    content = json.loads(certificate.to_json())
    row = content["reproduce"]["inputs"][name][pair[0]]
    row[pair[1]] = row[pair[1]] / 2 if name == "tandem_losses" else row[pair[1]] - 1
    assert not holds(content)
