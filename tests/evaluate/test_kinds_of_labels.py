"""Bytes, text, numbers and dates are never equal: answers of another kind are refused."""

import numpy as np
import pytest

import surelearn as sl
from surelearn import Holdout, claims
from surelearn.base.labels import refuse_unlike
from surelearn.evaluate.ledger import forget
from surelearn.losses import ZeroOne

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


@pytest.mark.parametrize(
    ("truth", "answers"),
    [
        ([1, "1"], np.array(["1"] * 120)),
        ([0.5, "0.5"], np.array(["0.5"] * 120)),
        (["a", "a\0"], np.array(["a"] * 120)),
        (np.array(["a", "nan"] * 60), ["a", float("nan")] * 60),
    ],
    ids=str,
)
def test_lists_are_compared_as_they_are_written(truth, answers):
    """As text, which NumPy makes of them, 60 of the 120 errors were none."""
    forget()

    class Listing(Answering):
        def predict(self, X):
            return self.answers[: len(X)] if len(X) == 120 else [self.answers[int(X[0, 0])]]

    held_out = Holdout(X, truth * 60 if isinstance(truth, list) else truth, mode="open")
    assert held_out.score(Listing(answers)) == 0.5


def test_losses_of_lists_are_those_of_what_is_written():
    assert ZeroOne().value([1, "1", "a"], ["1", "1", "a"]).tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("by_class", [False, True])
@pytest.mark.parametrize("label", [(1,), [1], {1: 2}, frozenset([1])], ids=str)
def test_what_holds_several_values_is_no_label(label, by_class):
    """Compared with a column it was taken for one: after the look was charged, 0 were divided."""
    several = np.empty(120, dtype=object)
    several[:] = [label] * 120
    with pytest.raises(ValueError, match="not labels: make each one text"):
        Holdout(X, several, by_class=by_class)


@pytest.mark.parametrize(
    "groups",
    [
        [float("nan"), "a", "b"],
        [None, "a", "b"],
        [1, "1", "b"],
        np.array([np.nan, 1.0, 2.0]),
        np.array(["NaT", "2020-01-01", "2020-01-02"], dtype="M8[D]"),
        np.ma.array([0, 1, 2], mask=[True, False, False]),
    ],
    ids=str,
)
def test_rows_of_no_group_are_no_group_of_their_own(groups):
    """They were one, or became the group "nan"; or names that cannot be sorted were a traceback."""
    groups = np.ma.repeat(groups, 40) if isinstance(groups, np.ma.MaskedArray) else [*groups] * 40
    for ask in (Holdout, lambda *rows, **rules: Holdout.split(*rows, seed=0, **rules)):
        with pytest.raises(ValueError, match=r"missing for 40 rows|cannot be sorted|40 masked"):
            ask(X, TEXT, groups=groups)


class OfClasses:
    """Says the second class of rows with an odd number, the first of others."""

    def __init__(self, classes):
        self.classes_ = np.array(classes)

    def predict(self, X):
        return self.classes_[(np.asarray(X)[:, 0] % 2).astype(int)]


NUMBERED = np.arange(200.0)[:, np.newaxis]


@pytest.mark.parametrize("positive", ["2", None])
def test_labels_that_only_look_alike_are_not_equal_beside_a_certificate(positive):
    """1 and '1' differ: the certificate counted an error where the claims beside it saw none."""
    forget()
    mixed = np.array([1, "2"] * 100, dtype=object)
    held_out = Holdout(NUMBERED, mixed, claims=["accuracy"], positive=positive)
    with pytest.raises(ValueError, match="different labels that look alike"):
        held_out.answer(OfClasses(["1", "2"]))


@pytest.mark.parametrize("classes", [[0, 1], [0.0, 1.0], [False, True]])
@pytest.mark.parametrize("labels", [[0, 1], [0.0, 1.0], [False, True]])
def test_equal_labels_of_other_types_are_equal_beside_a_certificate(labels, classes):
    forget()
    held_out = Holdout(NUMBERED, np.array(labels * 100, dtype=object), claims=True)
    answers = held_out.answer(OfClasses(classes))
    assert answers.certificate.observed == 0.0
    assert {o.claim.name: o.certificate.observed for o in answers.claims}["sensitivity"] == 1.0


def test_an_audit_tells_numbers_from_text():
    with pytest.raises(ValueError, match="truth holds text and numbers"):
        claims.record(np.array([1, "a"] * 9, dtype=object), ["1", "a"] * 9)
    with pytest.raises(ValueError, match="group holds text and numbers"):
        claims.record(["b", "a"], ["b", "a"], group=np.array([1, "1"], dtype=object))
    with pytest.raises(ValueError, match="truths are numbers and the predictions words"):
        claims.record(np.array([1, 0] * 9, dtype=object), ["1", "0"] * 9)
    found = claims.record(np.array([True, 0] * 9, dtype=object), np.array([1, 0] * 9))
    assert not found.wrong.any()
