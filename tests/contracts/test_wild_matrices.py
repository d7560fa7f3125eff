"""Whatever a sparse matrix says of itself: the answer about the canonical one, or a sentence."""

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from contracts import wild_matrices
from surelearn import Perceptron, checks
from surelearn._jit.sound_matrices import form_of, sound
from surelearn.app.registry import find_learners
from surelearn.base.fingerprint import data_fingerprint

RIGHT = sparse.csr_array(wild_matrices.TABLE)


def run(step):
    """Try every so manieth pair of reader and matrix in a process of their own, which may crash."""
    script = Path(wild_matrices.__file__)
    done = subprocess.run(  # noqa: S603 - our own script
        [sys.executable, script, str(step)],
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    last = next((line for line in reversed(done.stderr.splitlines()) if " | " in line), "")
    return done.returncode, f"{done.stdout}\nlast tried: {last}\n{done.stderr[-2000:]}"


@pytest.mark.parametrize("step", [187, pytest.param(1, marks=pytest.mark.slow)])
def test_everything_that_reads_a_matrix_gives_the_answer_or_a_sentence(step):
    code, told = run(step)
    assert code == 0, told


@pytest.mark.parametrize("kind", wild_matrices.equal_to(RIGHT))
def test_a_wild_matrix_that_says_the_same_is_the_same(kind):
    X = wild_matrices.equal_to(RIGHT)[kind]
    found = sound(X)
    assert found.has_canonical_format
    assert (found.toarray().astype(float) == wild_matrices.TABLE).all()
    assert data_fingerprint(found.astype(float), [0]) == data_fingerprint(RIGHT, [0])


def test_the_fingerprint_does_not_depend_on_flags():
    loose = wild_matrices.equal_to(RIGHT)["in halves"]
    assert data_fingerprint(loose, [0]) == data_fingerprint(RIGHT, [0])


@pytest.mark.parametrize("kind", wild_matrices.broken(RIGHT))
def test_a_broken_matrix_is_refused_and_stays_as_it_is(kind):
    X = wild_matrices.broken(RIGHT)[kind]
    before = {
        name: np.array(getattr(X, name), dtype=object) for name in vars(X) if name != "_shape"
    }
    if kind in wild_matrices.EMPTY:  # for the learner to judge
        assert sound(X).shape == X.shape
        return
    with pytest.raises(ValueError, match="sparse"):
        sound(X)
    for name, value in before.items():
        assert repr(value) == repr(np.array(getattr(X, name), dtype=object))


@pytest.mark.parametrize("name", ["Perceptron", "RidgeRegression", "LogisticRegression"])
def test_more_columns_than_there_is_memory_for_are_refused(name):
    X = sparse.csr_array((np.ones(2), np.array([0, 1]), np.array([0, 1, 2])), shape=(2, 2**40))
    with pytest.raises(ValueError, match=r"1,099,511,627,776 columns: a weight for each takes"):
        find_learners()[name]().fit(X, [0, 1])


@pytest.mark.parametrize("kind", ["coo", "csc", "dia", "dok"])
def test_more_rows_than_there_is_memory_for_are_refused(kind):
    X = sparse.coo_array((np.ones(1), ([0], [0])), shape=(2**40, 2)).asformat(kind)
    with pytest.raises(ValueError, match=r"1,099,511,627,776 rows: a place for each takes"):
        sound(X)


def test_a_sound_matrix_is_not_copied():
    assert sound(RIGHT) is RIGHT


def test_forms_of_random_rows_equal_those_of_a_plain_look():
    rng, forms = np.random.default_rng(0), set()
    for _ in range(500):
        indptr = np.cumsum(np.append(0, rng.integers(0, 3, size=4))).astype(np.int32)
        indices = rng.integers(rng.choice([-1, 0]), rng.choice([4, 5]), size=indptr[-1] + 1)
        rows = [indices[a:b] for a, b in pairwise(indptr)]
        used = indices[: indptr[-1]]
        expected = 2 if all((np.diff(row) > 0).all() for row in rows) else 1
        if len(used) and (used.min() < 0 or used.max() >= 4):
            expected = 0
        forms.add(expected)
        assert form_of(indices.astype(np.int32), indptr, 4) == expected
    assert forms == {0, 1, 2}


MASKED = np.ma.array(wild_matrices.TABLE, mask=False)
MASKED[3, 2] = np.ma.masked
GAPS = MASKED.filled(np.nan)


@pytest.mark.parametrize("name", find_learners())
def test_a_masked_cell_is_a_missing_one(name):
    cls = find_learners()[name]
    y = wild_matrices.LABELS / 1.0 if checks.is_regressor(cls()) else wild_matrices.LABELS
    found, expected = (
        wild_matrices.outcome(wild_matrices._fitted(cls), X, y) for X in (MASKED, GAPS)
    )
    assert not wild_matrices.differs(found, expected), (found, expected)
    rows = wild_matrices.outcome(wild_matrices._asked(cls), list(MASKED), y)
    whole = wild_matrices.outcome(wild_matrices._asked(cls), GAPS, y)
    assert not wild_matrices.differs(rows, whole), (rows, whole)


@pytest.mark.parametrize("kind", ["i8", "U3", object, "f4", bool])
def test_masks_of_any_type_are_seen(kind):
    plain = np.array([[1, 0], [0, 1]]).astype(kind)
    found = sound(np.ma.array(plain, mask=[[True, False], [False, False]]))
    assert found[0, 0] is None or found[0, 0] != found[0, 0]
    assert found[1, 1] == plain[1, 1]
    assert sound(np.ma.array(plain)).dtype == plain.dtype


def test_one_masked_row_is_refused_by_learn_one():
    model = Perceptron().fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    row = np.ma.array([1.0, 2.0], mask=[True, False])
    for ask in (model.predict_one, lambda x: model.learn_one(x, 1)):
        with pytest.raises(ValueError, match="NaN"):
            ask(row)
