"""Tables of confusions: whole, and of many labels those most confused."""

import numpy as np
from sklearn.metrics import confusion_matrix

from surelearn.app.telling.confusion import MOST_LABELS, confusion_of

HEADS = ("true", "said")


def test_few_labels_are_counted_as_scikit_learn_does_in_the_order_of_numbers():
    rng = np.random.default_rng(0)
    true, said = rng.choice([2, 10, 1], size=(2, 300))
    view = confusion_of(true, said, title="t", heads=HEADS)
    assert [row[0] for row in view.rows] == ["1", "2", "10"]
    counted = [[int(cell) for cell in row[1:]] for row in view.rows]
    assert counted == confusion_matrix(true, said).tolist()
    assert view.note == ""


def test_of_many_labels_the_most_confused_stand_apart_and_no_row_is_lost():
    true = np.repeat(np.arange(40), 50)
    said = true.copy()
    said[true == 7] = 30
    said[(true == 12) & (np.arange(2000) % 2 == 0)] = 39
    said[(true == 20)] = 21
    view = confusion_of(true, said, title="t", heads=HEADS)
    assert len(view.rows) == len(view.header) - 1 == MOST_LABELS
    assert {"7", "30", "12", "39", "20", "21"} <= {row[0] for row in view.rows}
    assert view.rows[-1][0] == "one of 29 others"
    counted = np.array([[int(c.replace(",", "")) for c in row[1:]] for row in view.rows])
    assert counted.sum() == 2000
    names = [row[0] for row in view.rows]
    assert counted[names.index("7"), names.index("30")] == 50
    assert "in the cell that they share, 1,450 of 1,450 answers are right" in view.note


def test_very_many_labels_take_little_memory():
    true = np.arange(100_000)
    assert len(confusion_of(true, true, title="t", heads=HEADS).rows) == MOST_LABELS
