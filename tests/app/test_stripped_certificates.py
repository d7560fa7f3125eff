"""Certificates that were stripped of assumptions, or given other words for them, are found."""

import json

import numpy as np
import pytest
from sklearn.ensemble import VotingClassifier
from sklearn.linear_model import LogisticRegression as Logistic
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from surelearn import Holdout, Perceptron
from surelearn.app.verify import not_checked, verify_certificate
from surelearn.certificate import Certificate
from surelearn.datasets.worlds import Noisy
from surelearn.evaluate.ledger import forget

pytestmark = pytest.mark.usefixtures("no_figures")

X, Y = Noisy(3, 0.1).draw(200, seed=0)
SINCE = ("row_by_row", "not_chosen_by_them", "copies")


class Own(Perceptron):
    """A learner of a user."""


def issued(model, seed, X=None):
    rows, labels = Noisy(3, 0.1).draw(120, seed=seed)
    rows = rows if X is None else X(rows)
    return json.loads(Holdout(rows, labels).certify(model).to_json())


def split_off(seed, rows):
    _, _, held_out = Holdout.split(rows, np.arange(len(rows)) % 2, seed=seed, copies="independent")
    return json.loads(held_out.certify(Perceptron(max_iter=3).fit(X, Y)).to_json())


def holds(content):
    found = verify_certificate(Certificate.from_json(json.dumps(content)))
    return all(finding.holds for finding in found)


def stripped(content, *keys):
    kept = [p for p in content["preconditions"] if p["key"] not in keys]
    return content | {"preconditions": kept}


def told(content):
    return " ".join(not_checked(Certificate.from_json(json.dumps(content))))


FITTED = {
    "ours": lambda: Perceptron(max_iter=3).fit(X, Y),
    "peer": lambda: Logistic().fit(X, Y),
    "subclass": lambda: Own(max_iter=3).fit(X, Y),
    "pipeline": lambda: make_pipeline(StandardScaler(), Perceptron(max_iter=3)).fit(X, Y),
    "vote": lambda: VotingClassifier([("a", Perceptron()), ("b", Logistic())]).fit(X, Y),
}


@pytest.mark.parametrize("name", FITTED)
def test_genuine_words_for_what_is_assumed_pass(name):
    place = 5000 + list(FITTED).index(name)
    assert holds(issued(FITTED[name](), place))
    assert holds(issued(FITTED[name](), 100 + place, lambda rows: np.float32(rows).astype(float)))


def test_genuine_words_for_copies_pass():
    rows = Noisy(3, 0.1).draw(300, seed=7001)[0]
    twins = Noisy(3, 0.1).draw(300, seed=7002)[0]
    for one in (rows, np.vstack([rows, twins, twins]), np.vstack([twins, np.float32(twins)])):
        forget()  # another hold-out of mostly the same table would be a second question
        assert holds(split_off(1, one))


@pytest.mark.parametrize("key", ["unseen", "blind_split", "not_chosen_by_them", "independent"])
def test_other_words_for_what_is_assumed_are_found(key):
    content = issued(FITTED["peer"](), 6000)
    for condition in content["preconditions"]:
        if condition["key"] == key:
            assert condition["status"] == "assumed"
            condition["evidence"] = "an auditor has verified it"
    assert not holds(content)


def test_a_stripped_certificate_is_found_and_an_older_number_is_told():
    rows = Noisy(3, 0.1).draw(300, seed=7003)[0]
    for content in (issued(FITTED["peer"](), 6001), split_off(2, rows)):
        assert holds(content)
        assert "older version" not in told(content)
        bare = stripped(content, *SINCE)
        assert not holds(bare)
        older = told(bare | {"schema": 2})
        assert "Made by an older version of surelearn, or changed to look like it" in older
        assert "it does not list that each row is answered by itself" in older
        assert "that the model was not chosen by these rows" in older


def test_a_certificate_older_than_keys_lists_what_its_phrases_say():
    content = stripped(split_off(3, Noisy(3, 0.1).draw(300, seed=7004)[0]), *SINCE)
    for condition in content["preconditions"]:
        del condition["key"]
    older, *_ = not_checked(Certificate.from_json(json.dumps(content | {"schema": 1})))
    assert "it does not list that each row is answered by itself" in older
    assert "no row of the hold-out is a copy of a row left for training" in older
    assert "no row of the hold-out was used for training" not in older


def test_the_number_alone_says_that_nothing_was_fixed():
    content = issued(FITTED["ours"](), 6002) | {"schema": 2}
    assert "what it must list was not fixed then" in told(content)
