"""Bytes, text, numbers and dates are never equal: answers of another kind are refused."""

import numpy as np
import pytest

import surelearn as sl
from surelearn import Holdout
from surelearn.base.labels import refuse_unlike

TEXT = np.array(["no", "yes"] * 60)
BYTES = TEXT.astype("S")
DATES = np.array(["2020-01-01", "2020-01-02"] * 60, dtype="M8[D]")
MIXED = np.array([b"no", "yes"] * 60, dtype=object)
X = np.arange(120.0)[:, None]


class Answering:
    """Answer what it was given, by the number of the row."""

    def __init__(self, answers):
        self.answers = answers

    def predict(self, X):
        return self.answers[X[:, 0].astype(int)]


UNLIKE = {
    "text and bytes": (TEXT, BYTES),
    "bytes and text": (BYTES, TEXT),
    "bytes in objects": (BYTES.astype(object), TEXT),
    "text and bytes in objects": (TEXT, BYTES.astype(object)),
    "both in one column": (MIXED, TEXT),
    "both in the answers": (BYTES, MIXED),
    "dates and text": (DATES, DATES.astype(str)),
    "numbers in objects": (np.array([0, 1] * 60, dtype=object), TEXT.astype(object)),
}


@pytest.mark.parametrize("unlike", UNLIKE)
@pytest.mark.parametrize("issuer", ["certify", "score", "from_predictions", "record", "losses"])
def test_labels_and_answers_of_unlike_kinds_are_refused(unlike, issuer):
    truth, answers = UNLIKE[unlike]
    ask = {
        "certify": lambda: Holdout(X, truth).certify(Answering(answers)),
        "score": lambda: Holdout(X, truth, mode="open").score(Answering(answers)),
        "from_predictions": lambda: Holdout.from_predictions(truth, answers),
        "record": lambda: sl.claims.record(truth, answers),
        "losses": lambda: refuse_unlike(truth, answers, ("labels", "predictions")),
    }
    with pytest.raises(ValueError, match=r"never be equal|never equal|and bytes|no pred"):
        ask[issuer]()


@pytest.mark.parametrize(
    ("truth", "answers"),
    [
        (BYTES, BYTES),
        (BYTES, BYTES.astype(object)),
        (TEXT, TEXT.astype(object)),
        (np.array([0, 1] * 60), np.array([0.0, 1.0] * 60)),
        (np.array([0, 1] * 60), np.array([False, True] * 60, dtype=object)),
        (DATES, DATES.astype(object)),
    ],
    ids=str,
)
def test_labels_of_one_kind_in_any_dress_are_compared(truth, answers):
    assert Holdout(X, truth, allow_duplicates=True).certify(Answering(answers)).observed == 0.0


def test_records_are_no_labels():
    with pytest.raises(ValueError, match="not labels"):
        Holdout(X, BYTES.astype("S4").view("V4")).certify(Answering(BYTES))
