"""Sparse matrices that lie about themselves, and everything public that reads one.

Run as a script it tries them all and prints what went wrong: a crash must not end the tests.
"""

import faulthandler
import re
import sys
import warnings

import numpy as np
from scipy import sparse
from sklearn.base import is_regressor
from sklearn.utils import get_tags

import surelearn
from surelearn import checks, kernels
from surelearn.app.registry import find_learners
from surelearn.base.fingerprint import data_fingerprint, fingerprint
from surelearn.optimizers.separability import no_finite_minimum

EMPTY = {"NaN", "no rows", "no columns"}  # broken for a learner only
FORMATS = ("bsr", "coo", "csc", "dia", "dok", "lil")


def _with(X, *, flags=False, **parts):
    """Return a copy with other arrays, put in behind SciPy's back."""
    made = X.copy()
    for name, value in parts.items():
        setattr(made, name, value)
    if flags:
        made.has_sorted_indices = made.has_canonical_format = True
    return made


def _backwards(X):
    """Return the entries of each row from last to first."""
    order = np.concatenate(
        [np.arange(b - 1, a - 1, -1) for a, b in zip(X.indptr[:-1], X.indptr[1:], strict=True)]
    ).astype(np.int64)
    return _with(X, data=X.data[order], indices=X.indices[order], flags=True)


def _in_halves(X):
    """Return each entry in two parts."""
    data, indices = np.repeat(X.data / 2.0, 2), np.repeat(X.indices, 2)
    return _with(X, data=data, indices=indices, indptr=2 * X.indptr, flags=True)


def _read_only(X):
    made = X.copy()
    for part in (made.data, made.indices, made.indptr):
        part.flags.writeable = False
    return made


def _changed(array, place, value, dtype=None):
    other = array.astype(array.dtype if dtype is None else dtype)
    other[place] = value
    return other


def equal_to(X):
    """Return matrices that say the same as a canonical one, each by its name."""
    junk = {"data": np.append(X.data, np.nan), "indices": np.append(X.indices, 10**6)}
    found = {
        "unsorted": _backwards(X),
        "in halves": _in_halves(X),
        "with more behind": _with(X, **junk),
        "64 bits": _with(X, indices=X.indices.astype("i8"), indptr=X.indptr.astype("i8")),
        "32 and 64 bits": _with(X, indptr=X.indptr.astype("i8")),
        "unsigned": _with(X, indices=X.indices.astype("u4"), indptr=X.indptr.astype("u8")),
        "swapped bytes": _with(X, indices=X.indices.astype(">i4"), data=X.data.astype(">f8")),
        "strided": _with(X, indices=np.repeat(X.indices, 2)[::2]),
        "lists": _with(X, indices=X.indices.tolist()),
        "read-only": _read_only(X),
        "objects": _with(X, data=X.data.astype(object)),
        "a matrix": sparse.csr_matrix(X),
    }
    for kind in ("f2", "f4", "i1", "i8"):
        found[kind] = _with(X, data=X.data.astype(kind))
    for kind in FORMATS:
        found[kind] = X.asformat(kind)
    turned, pairs = X.tocsc(), _in_halves(X).tocoo()
    found["csc unsorted"] = _backwards(turned)
    found["csc in halves"] = _in_halves(turned)
    pairs.has_canonical_format = True
    found["coo in halves"] = pairs
    return found


def broken(X):
    """Return matrices that say nothing, each by its name."""
    last, wide = len(X.indices) - 1, X.shape[1]
    found = {
        "a negative index": _with(X, indices=_changed(X.indices, 3, -1)),
        "very negative": _with(X, indices=_changed(X.indices, 0, -(2**31))),
        "an index beyond": _with(X, indices=_changed(X.indices, last, wide)),
        "far beyond": _with(X, indices=_changed(X.indices, 2, 2**31 - 1), flags=True),
        "beyond 32 bits": _with(X, indices=_changed(X.indices, 2, 2**40, "i8")),
        "beyond 63 bits": _with(X, indices=_changed(X.indices, 2, 2**63, "u8")),
        "fewer data": _with(X, data=X.data[:3]),
        "more data": _with(X, data=np.append(X.data, 1.0)),
        "no data": _with(X, data=X.data[:0]),
        "fewer indices": _with(X, indices=X.indices[:3]),
        "a falling indptr": _with(X, indptr=_changed(X.indptr, 2, X.indptr[-1])),
        "a negative indptr": _with(X, indptr=_changed(X.indptr, 1, -5)),
        "an indptr from 1": _with(X, indptr=_changed(X.indptr, 0, 1)),
        "an indptr too far": _with(X, indptr=_changed(X.indptr, -1, 10**7)),
        "an indptr of 64 bits": _with(X, indptr=_changed(X.indptr, -1, 2**60, "i8")),
        "a short indptr": _with(X, indptr=X.indptr[:-2]),
        "a long indptr": _with(X, indptr=np.append(X.indptr, X.indptr[-1])),
        "floats as indices": _with(X, indices=X.indices + 0.5),
        "a square of indices": _with(X, indices=X.indices[:4].reshape(2, 2)),
        "NaN": _with(X, data=_changed(X.data, 1, np.nan)),
        "words": _with(X, data=np.array(["a"] * len(X.data), dtype=object)),
        "no rows": X[:0],
        "no columns": X[:, :0],
        "one dimension": sparse.coo_array(X.toarray()[0]),
    }
    return found | _broken_others(X)


def _broken_others(X):
    """Return broken matrices of the other formats."""
    found, coo, csc = {}, X.tocoo(), X.tocsc()
    for axis, size in enumerate(X.shape):
        for wild in (-1, size, 2**31 - 1):
            coords = list(coo.coords)
            coords[axis] = _changed(coords[axis], 2, wild)
            found[f"coo {axis} {wild}"] = _with(coo, coords=tuple(coords))
    found["csc beyond"] = _with(csc, indices=_changed(csc.indices, 1, 10**9), flags=True)
    found["csc falling"] = _with(csc, indptr=_changed(csc.indptr, 2, 10**9))
    bsr = X.tobsr((1, 1))
    found["bsr beyond"] = _with(bsr, indices=_changed(bsr.indices, 1, 10**9))
    found["bsr short"] = _with(bsr, data=bsr.data[:2])
    found["bsr flat"] = _with(bsr, data=bsr.data.ravel())
    found["bsr empty"] = _with(bsr, data=bsr.data[:, :0, :0])
    dia = X.todia()
    found["dia short"] = _with(dia, data=dia.data[:1])
    for name in ("rows", "data"):
        lil = X.tolil()
        getattr(lil, name)[0] = [*getattr(lil, name)[0], *range(50)]
        found[f"lil {name}"] = lil
    lil = X.tolil()
    lil.rows[0] = [2**40] * len(lil.rows[0])
    found["lil beyond"] = lil
    return found


def readers():
    """Return everything public that reads a table: name -> (table, targets) -> an answer."""
    found = {}
    for name, cls in find_learners().items():
        found[f"{name}.fit"] = _fitted(cls)
        found[f"{name} asked"] = _asked(cls)
        if hasattr(cls, "partial_fit"):
            found[f"{name}.partial_fit"] = _taught(cls)
    perceptron, ridge = surelearn.Perceptron(max_iter=2), surelearn.OnlineRidge()
    for kernel in (kernels.Linear(), kernels.Gaussian(), kernels.Polynomial(degree=2)):
        found[f"{kernel}"] = lambda X, y, k=kernel: k(X)  # noqa: ARG005
        found[f"{kernel} of two"] = lambda X, y, k=kernel: k(np.ones((1, 5)), X)  # noqa: ARG005
    learner = surelearn.NearestNeighborsClassifier(n_neighbors=1)
    found["Holdout"] = lambda X, y: (
        surelearn.Holdout(X, y).certify(perceptron.fit(np.eye(5), [0, 1, 0, 1, 0])).observed
    )
    found["Holdout.split"] = lambda X, y: surelearn.Holdout.split(X, y, seed=0)[0].toarray()
    found["data_fingerprint"] = lambda X, y: data_fingerprint(
        X if X.dtype == np.float64 else X.astype(float), y
    )
    found["cross_validate"] = lambda X, y: np.concatenate(
        [fold.losses for fold in surelearn.cross_validate(learner, X, y).folds]
    )
    found["leave_one_out"] = lambda X, y: surelearn.leave_one_out(learner, X, y).losses
    found["mistakes_curve"] = lambda X, y: surelearn.mistakes_curve(perceptron, X, y).counts
    found["progressive"] = lambda X, y: surelearn.progressive_validate(perceptron, X, y).losses
    found["linear_regret"] = lambda X, y: (
        surelearn.linear_regret(ridge, X, y / 1.0, radius=1.0).learner_losses
    )
    found["online_to_batch"] = lambda X, y: surelearn.online_to_batch(
        perceptron, X, y
    ).average.predict(X)
    found["no_finite_minimum"] = lambda X, y: no_finite_minimum(X, y, 2, fit_intercept=True)
    return found


def _targets(learner, y):
    return y / 1.0 if is_regressor(learner) else y


def _fitted(cls):
    def fit(X, y):
        model = cls().fit(X, _targets(cls(), y))
        return checks.answer(model, TABLE)

    return fit


def _asked(cls):
    model = []

    def ask(X, y):  # noqa: ARG001
        if not model:
            model.append(cls().fit(TABLE, _targets(cls(), LABELS)))
        return checks.answer(model[0], X)

    return ask


def _taught(cls):
    def teach(X, y):
        model = cls().partial_fit(TABLE, _targets(cls(), LABELS))
        before = fingerprint(model)
        try:
            model.partial_fit(X, _targets(cls(), y))
        except (TypeError, ValueError):
            assert fingerprint(model) == before, "a refused matrix has changed the learner"
            raise
        return checks.answer(model, TABLE)

    return teach


_RNG = np.random.default_rng(5)
TABLE = (_RNG.random((24, 5)) < 0.6).astype(np.float64)
TABLE[:2] = [[1, 1, 1, 1, 0], [0, 1, 1, 0, 1]]  # lines with and without each column
LABELS = (TABLE[:, 0] + TABLE[:, 1] > 1.0).astype(np.int64)


def outcome(read, X, y):
    """Return what a reader answers, or that it says a sentence."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return read(X, y)
    except (TypeError, ValueError) as error:
        return f"refused: {error}"
    except Exception as error:  # noqa: BLE001 - whatever it is, it is told
        return f"{type(error).__name__}: {error}"


def differs(found, expected):
    """Return whether two answers are not the same."""
    if isinstance(found, str) or isinstance(expected, str):
        both = isinstance(found, str) and isinstance(expected, str)
        refused = both and found.startswith("refused") and expected.startswith("refused")
        return not (refused or (both and found == expected))
    return not np.allclose(found, expected, rtol=1e-5, atol=1e-6)


def faults(step):
    """Yield what goes wrong, trying every so manieth pair of a reader and a matrix."""
    right = sparse.csr_array(TABLE)
    same, wrong = equal_to(right), broken(right)
    learners, tried = find_learners(), 0
    reads_gaps = {name for name, cls in learners.items() if get_tags(cls()).input_tags.allow_nan}
    for name, read in readers().items():
        expected = None
        for kind in (*same, *wrong):
            tried += 1
            if tried % step:
                continue
            sys.stderr.write(f"{name} | {kind}\n")  # in case it is the last
            if kind in EMPTY and not name.endswith((".fit", "asked", ".partial_fit")):
                continue
            if kind == "NaN" and re.split("[. ]", name)[0] in reads_gaps:
                continue
            found = outcome(read, (same | wrong)[kind], LABELS)
            if kind in wrong:
                if not str(found).startswith("refused: "):
                    yield f"{name} | {kind}: {found} instead of a refusal"
                continue
            if expected is None:  # many readers are tried on broken matrices only
                expected = outcome(read, right.copy(), LABELS)
            if differs(found, expected):
                yield f"{name} | {kind}: {found} instead of {expected}"


if __name__ == "__main__":
    faulthandler.enable()
    wrong = list(faults(int(sys.argv[1])))
    sys.stdout.write("\n".join(wrong))
    sys.exit(len(wrong) > 0)
