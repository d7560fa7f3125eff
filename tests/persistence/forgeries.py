"""Forged model files: every kind of model, changed in one place or two under a hash that fits.

`python -m persistence.forgeries SEED N` (with `tests` on the path) forges N files and prints each
that did not end in a sentence; the tests run it with few, and under `slow` with thousands.
"""

import copy
import inspect
import io
import json
import struct
import sys
import tempfile
import traceback
import warnings
import zipfile
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from surelearn import checks, impurities, kernels, losses
from surelearn.app.registry import find_bandits, find_experts, find_learners
from surelearn.base import fingerprint
from surelearn.base.online.conservative import Conservative
from surelearn.certificate import BoundViolatedError
from surelearn.evaluate._linear_run import model_of
from surelearn.learners.decompositions.matrix_completion import MatrixCompletion
from surelearn.learners.encoders.table_encoder import TableEncoder
from surelearn.learners.ensembles.adaboost_classifier import AdaBoostClassifier
from surelearn.learners.ensembles.gradient_boosting_classifier import GradientBoostingClassifier
from surelearn.learners.experts._voting import VotingGame
from surelearn.learners.experts.aggregating_algorithm import AggregatingAlgorithm
from surelearn.learners.experts.doubling import Doubling
from surelearn.learners.experts.hedge import Hedge
from surelearn.learners.kernelized.budgeted_kernel_perceptron import BudgetedKernelPerceptron
from surelearn.learners.kernelized.kernel_logistic_regression import KernelLogisticRegression
from surelearn.learners.kernelized.kernel_pegasos import KernelPegasos
from surelearn.learners.kernelized.kernel_perceptron import KernelPerceptron
from surelearn.learners.kernelized.kernel_ridge import KernelRidge
from surelearn.learners.kernelized.support_vector_classifier import SupportVectorClassifier
from surelearn.learners.linear.online_gradient_descent import OnlineGradientDescentRegressor
from surelearn.learners.linear.perceptron import Perceptron
from surelearn.learners.linear.ridge_regression import RidgeRegression
from surelearn.learners.linear.schedules import FixedRate
from surelearn.learners.linear.voted_perceptron import VotedPerceptron
from surelearn.learners.mixtures.gaussian_mixture import GaussianMixture
from surelearn.learners.neighbors.nearest_neighbors_classifier import NearestNeighborsClassifier
from surelearn.learners.trees._cut_back_tree import CutBackTree
from surelearn.learners.trees.c45_classifier import C45Classifier
from surelearn.learners.trees.cart_classifier import CARTClassifier
from surelearn.learners.trees.cart_regressor import CARTRegressor
from surelearn.learners.trees.node_tests import IntervalTest, SetTest
from surelearn.learners.trees.tree_predictor import TreeNode, TreePredictor
from surelearn.persistence import archive
from surelearn.persistence.model_files import ModelFileError, load_model, save_model

FORMAT_1 = Path(__file__).parents[1] / "fixtures" / "format_1" / "models.zip"
MIXED = pa.table(
    {
        "size": [1.0, None, 3.0, 4.0, 2.5, 0.5, 2.0, 3.5],
        "colour": pa.array(["red", "blue", None, "red", "blue", "red", "green", "blue"]),
    }
)
LABELS = np.array(["no", "no", "yes", "yes", "yes", "no", "no", "yes"])
NUMBERS = [0, -1, 1, 2, 31, 2**31, 2**62, -(2**62), np.nan, np.inf, -np.inf, 1e308, 5e-324]
TYPES = ["f4", "i4", "i1", "u1", "?", "U5", "S3", "c16", ">f8", ">i8", "u8", "f8", "i8", "M8[s]"]
DEEP = "three thousand lists in each other"
JUNK = [
    *[None, True, -1, 0, 1, 10**30, 1.5, -1e308, "", "x", "gower", [], {}, [[]], {"a": 1}],
    *[{"$tuple": []}, {"$float": "nan"}, {"$float": "x"}, {"$dict": []}, {"$dict": [[[], 1]]}],
    *[{"$array": 0}, {"$array": -1}, {"$array": 10**9}, {"$array": True}, {"$array": "0"}],
    *[{"$scalar": "U999999999", "value": "x"}, {"$scalar": "<i8", "value": "x"}, {"$dtype": "O"}],
    *[{"$objects": [1, 2], "shape": [10**9, 10**9]}, {"$slice": [1]}, {"$sequence": "u", "of": []}],
    *[{"$object": "Perceptron", "version": 1, "state": {}}, {"$object": "tree", "state": {}}],
    *[{"$object": "Perceptron", "version": 1, "state": {"predict": 1}}],
    *[{"$record": "row-reader", "version": 1, "fields": {"n_features": 10**12, "names": None}}],
    *[
        {"$object": "kernels.Sum", "version": 1, "state": {"first": 1, "second": 2}},
        {"$numbers": 3},
    ],
    *[{"$csr": [{"$tuple": []}] * 3, "shape": [2, 10**12], "matrix": False}],
]


@cache
def models():
    """Return a model of every kind, by name, with a table of rows and targets to try it on."""
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, kind in find_learners().items():
            X, y = checks.small_table(kind())
            found[name] = kind().fit(X, y), X, y
        found |= _of_three_classes() | _of_neighbours() | _of_mixed_tables() | _of_games()
        found |= _of_kernels() | _of_parameters() | _of_hand()
    return found


def _of_three_classes():
    X = np.random.default_rng(0).normal(size=(40, 3))
    y = np.array(["blue", "green", "red"])[X.argmax(axis=1)]
    learners = {
        "three classes": Perceptron(max_iter=5).fit(X, y),
        "three votes": VotedPerceptron(max_iter=3).fit(X, y),
        "kernel of kernels": KernelPerceptron(kernel=kernels.Gaussian() + 1, max_iter=5).fit(X, y),
        "sparse support": KernelPerceptron(max_iter=5).fit(sparse.csr_array(X), y),
        "linear model": model_of(Perceptron(max_iter=5).fit(X, y)),
        "pipeline": make_pipeline(StandardScaler(), Perceptron(max_iter=5)).fit(X, y),
        "conservative": Conservative(Perceptron(max_iter=5)).fit(X, y),
        "moved on": Perceptron(max_iter=5).fit(X, y).partial_fit(X, y),
    }
    return {name: (model, X, y) for name, model in learners.items()}


def _of_neighbours():
    X = np.random.default_rng(0).normal(size=(600, 12))
    y = (X[:, 0] > 0.0).astype(int)
    few, thin = X[:, :2], sparse.csr_array(X[:30] * (abs(X[:30]) > 1.0))
    kind = NearestNeighborsClassifier
    return {
        "products": (kind().fit(X, y), X[:5], y[:5]),
        "k-d tree": (kind(ties="random", random_state=0).fit(few, y), few[:5], y[:5]),
        "sparse rows": (kind().fit(thin, y[:30]), thin, y[:30]),
        "chosen k": (kind(n_neighbors="cross-validation").fit(few[:50], y[:50]), few[:5], y[:5]),
        "gower": (kind(n_neighbors=2, metric="gower").fit(MIXED, LABELS), MIXED, LABELS),
    }


def _boosted_trees():
    tree = CARTClassifier(max_depth=1)
    return AdaBoostClassifier(estimator=tree, n_estimators=3).fit(MIXED, LABELS)


def _of_mixed_tables():
    frame, plain = MIXED.to_pandas(), CARTClassifier()
    encode = ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), ["size"]),
            ("words", OneHotEncoder(handle_unknown="ignore"), ["colour"]),
        ]
    )
    matrix = np.outer(np.arange(1.0, 5.0), np.arange(1.0, 4.0))
    matrix[0, 0] = np.nan
    return {
        "categories": (plain.fit(MIXED, LABELS), MIXED, LABELS),
        "grid": (CARTClassifier(thresholds=[1.0, 2.0]).fit(MIXED, LABELS), MIXED, LABELS),
        "boosted stumps": (AdaBoostClassifier().fit(MIXED, LABELS), MIXED, LABELS),
        "boosted trees": (_boosted_trees(), MIXED, LABELS),
        "multiway": (C45Classifier().fit(MIXED, LABELS), MIXED, LABELS),
        "boosted": (
            GradientBoostingClassifier(n_estimators=3, min_samples_leaf=1).fit(MIXED, LABELS),
            MIXED,
            LABELS,
        ),
        "cut back": (CutBackTree(C45Classifier()).fit(MIXED, LABELS), MIXED, LABELS),
        "encoded": (make_pipeline(TableEncoder(), Perceptron()).fit(MIXED, LABELS), MIXED, LABELS),
        "scikit-learn": (make_pipeline(encode, Perceptron()).fit(frame, LABELS), frame, LABELS),
        "entries": (MatrixCompletion().fit(matrix).entries(), [[0, 1], [1, 1]], [1.0, 2.0]),
    }


def _of_kernels():
    X = np.random.default_rng(0).normal(size=(30, 3))
    y, numbers = np.where(X[:, 0] > 0.0, "yes", "no"), X[:, 0] + X[:, 1]
    three = np.array(["blue", "green", "red"])[X.argmax(axis=1)]
    bits = (X > 0.0).astype(float)
    texts = np.array(["abba", "baba", "", "abc", "ccab", "bb"], dtype=object)
    of_texts, words = kernels.Normalised(kernels.Subsequence(order=2)), LABELS[:6]
    soft = kernels.Gaussian(gamma=0.5)
    mixed = (kernels.Polynomial(degree=2) * soft + 2.0 * kernels.Linear()) ** 2
    return {
        "texts": (KernelPerceptron(kernel=of_texts, max_iter=5).fit(texts, words), texts, words),
        "texts of Pegasos": (KernelPegasos(kernel=of_texts).fit(texts, words), texts, words),
        "budget": (BudgetedKernelPerceptron(budget=3, kernel=soft).fit(X, y), X, y),
        "mixed kernel": (SupportVectorClassifier(kernel=mixed.normalised()).fit(X, y), X, y),
        "three machines": (SupportVectorClassifier(kernel=soft).fit(X, three), X, three),
        "linear machine": (SupportVectorClassifier(kernel=kernels.Linear()).fit(X, y), X, y),
        "precomputed": (SupportVectorClassifier(kernel="precomputed").fit(X @ X.T, y), X @ X.T, y),
        "Anova": (KernelPerceptron(kernel=kernels.Anova(order=2)).fit(bits, y), bits, y),
        "Agreement": (KernelLogisticRegression(kernel=kernels.Agreement()).fit(bits, y), bits, y),
        "kernel path": (KernelRidge(kernel=soft, alpha=[0.1, 1.0]).fit(X, numbers), X, numbers),
        "landmarks": (KernelRidge(kernel=soft, landmarks=5).fit(X, numbers), X, numbers),
    }


def _of_parameters():
    X = np.random.default_rng(0).normal(size=(30, 3))
    y, numbers = np.where(X[:, 0] > 0.0, "yes", "no"), X[:, 0] + X[:, 1]
    kind, descent = NearestNeighborsClassifier, OnlineGradientDescentRegressor
    found = {
        "Manhattan": (kind(metric="manhattan").fit(X, y), X, y),
        "Chebyshev": (kind(metric="chebyshev").fit(X, y), X, y),
        "ridge path": (RidgeRegression(alphas=[0.1, 1.0]).fit(X, numbers), X, numbers),
        "Huber": (descent(loss=losses.Huber()).fit(X, numbers), X, numbers),
        "tube": (descent(loss=losses.EpsilonInsensitive(epsilon=0.1)).fit(X, numbers), X, numbers),
        "fixed rate": (descent(schedule=FixedRate(learning_rate=0.1)).fit(X, numbers), X, numbers),
        "absolute": (CARTRegressor(criterion=losses.Absolute()).fit(X, numbers), X, numbers),
        "entropy": (CARTClassifier(criterion=impurities.Entropy()).fit(X, y), X, y),
        "scaled ranges": (
            make_pipeline(TableEncoder(scaling="min-max"), Perceptron()).fit(MIXED, LABELS),
            MIXED,
            LABELS,
        ),
    }
    for shape in ("tied", "diag", "spherical"):
        mixture = GaussianMixture(n_components=2, covariance_type=shape, random_state=0)
        found[f"{shape} mixture"] = mixture.fit(X), X, None
    return found


def _of_hand():
    inner = TreeNode(IntervalTest("size", (1.0, 3.0)), ("low", "middle", "high"))
    root = TreeNode(SetTest("colour", (["red"], ["blue", "green"])), (inner, "none"))
    full = MIXED.drop_null()
    return {"by hand": (TreePredictor(root), full, LABELS[: len(full)])}


def _of_games():
    found, advice = {}, np.eye(3)[:2].repeat(5, axis=0)
    for name, kind in find_experts().items():
        learner = kind(Hedge()) if kind is Doubling else kind()
        told = issubclass(kind, VotingGame | AggregatingAlgorithm)
        game = (advice, advice[:, 0].copy()) if told else (advice,)
        learner.learn(*game)
        found[name] = learner, *game, *([None] * (2 - len(game)))
    for name, kind in find_bandits().items():
        bandit = kind(n_arms=3)
        bandit.play(np.eye(3).repeat(4, axis=0))
        bandit.select()
        found[name] = bandit, np.eye(3), None
    return found


@cache
def originals():
    """Return the members of each model's file, by name; some of format 1 among them."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m"
        for name, (model, _, _) in models().items():
            save_model(model, path, schema={}, metadata={})
            found[name] = members_of(path.read_bytes())
    with zipfile.ZipFile(FORMAT_1) as old:
        for name in old.namelist():
            if name.endswith(".surelearn"):
                found[f"format 1: {name}"] = members_of(old.read(name))
    return found


def members_of(content):
    """Return what an archive holds, without its hash."""
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        return {name: file.read(name) for name in file.namelist() if name != "sha256"}


def packed(members, *, compression=zipfile.ZIP_STORED):
    """Return an archive whose hash fits what it holds."""
    members = dict(members)
    members["sha256"] = archive.digest(members)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as file:
        for name, data in members.items():
            file.writestr(name, data)
    return buffer.getvalue()


def forged(members, rng):
    """Return the bytes of a file that differs from an original in one place or two."""
    members = dict(members)
    for _ in range(rng.integers(1, 3)):
        how = rng.random()
        arrays = [name for name in members if name.endswith(".npy")]
        if how < 0.1:
            return damaged(packed(members), rng)
        if how < 0.55 and arrays:
            name = arrays[rng.integers(len(arrays))]
            members[name] = _other_array(members[name], rng)
        else:
            told = json.loads(members["model.json"])
            text = json.dumps(_other_json(told, rng))
            members["model.json"] = text.replace(f'"{DEEP}"', "[" * 3000 + "]" * 3000).encode()
            if DEEP in text:  # Python cannot read it any more
                break
    return packed(members)


def damaged(content, rng):
    """Return the bytes of an archive that is cut short, added to, or flipped somewhere."""
    how, place = rng.integers(4), int(rng.integers(len(content)))
    if how == 0:
        return content[:place]
    if how == 1:
        return content[:place] + rng.bytes(7) + content[place:]
    if how == 2:
        return content + rng.bytes(30)
    return content[:place] + bytes([content[place] ^ (1 << rng.integers(8))]) + content[place + 1 :]


def _other_array(data, rng):
    try:
        array = np.load(io.BytesIO(data), allow_pickle=False)
    except (ValueError, TypeError, MemoryError):  # it was forged before
        return data
    how = rng.integers(9)
    if how == 0:
        return data[: rng.integers(len(data))]
    if how == 1:
        return _with_header(data, rng)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            array = _CHANGES[how - 2](array, rng)
        except (ValueError, ArithmeticError, LookupError, TypeError, RuntimeError, MemoryError):
            return data
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def _with_header(data, rng):
    """Say another shape than there is data for."""
    shape = [(10**12,), (-1,), (2**62, 2**62), (0, 10**12), (3, True), "x"][rng.integers(6)]
    kind = TYPES[rng.integers(len(TYPES))]
    text = f"{{'descr': {kind!r}, 'fortran_order': False, 'shape': {shape!r}, }}".ljust(117) + "\n"
    length = struct.unpack("<H", data[8:10])[0]
    return data[:8] + struct.pack("<H", len(text)) + text.encode() + data[10 + length :]


def _one_value(array, rng):
    array = array.copy()
    array.flat[rng.integers(array.size)] = NUMBERS[rng.integers(len(NUMBERS))]
    return array


def _all_values(array, rng):
    return np.full_like(array, NUMBERS[rng.integers(len(NUMBERS))])


def _other_shape(array, rng):
    shapes = [array.ravel(), array[np.newaxis], array.T, array[..., np.newaxis], array.ravel()[:0]]
    return [*shapes, array.ravel()[0]][rng.integers(6)]


_CHANGES = [
    _one_value,
    _all_values,
    _other_shape,
    lambda array, rng: array.astype(TYPES[rng.integers(len(TYPES))]),
    lambda array, rng: array[: rng.integers(len(array))],
    lambda array, _: np.concatenate([array, array]),
    lambda array, rng: rng.permutation(array, axis=int(rng.integers(array.ndim))),
]


def _other_json(told, rng):
    """Return a description with another piece somewhere."""
    places = list(_places(told, ()))
    path = places[rng.integers(len(places))]
    other = copy.deepcopy(told)
    parent = other
    for key in path[:-1]:
        parent = parent[key]
    how, key = rng.integers(6), path[-1]
    if how == 0:
        del parent[key]
    elif how == 1 and isinstance(parent[key], str):
        parent[key] = _names()[rng.integers(len(_names()))]
    elif how == 2:
        elsewhere = told
        for step in places[rng.integers(len(places))]:
            elsewhere = elsewhere[step]
        parent[key] = copy.deepcopy(elsewhere)
    elif how == 3 and isinstance(parent, dict):
        parent[["predict", "extra_", "__class__", "__dict__", "x"][rng.integers(5)]] = parent[key]
    elif how == 4 and rng.random() < 0.1:
        parent[key] = DEEP
    else:
        parent[key] = JUNK[rng.integers(len(JUNK))]
    return other


def _places(piece, path):
    items = piece.items() if isinstance(piece, dict) else enumerate(piece)
    for key, value in items:
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from _places(value, (*path, key))


@cache
def _names():
    text = b" ".join(members["model.json"] for members in originals().values()).decode()
    pieces = text.split('"$object": "' if '"$object": "' in text else '"$object":"')[1:]
    return sorted({piece.split('"')[0] for piece in pieces} | {"os.system", "tree", "learnt"})


def try_out(model, X, y):
    """Use a model in every way it offers; what it refuses with a sentence is well refused."""
    first = None if y is None else y[0]
    one = X[0] if isinstance(X, np.ndarray) else X
    uses = {"predict_one": (one,), "learn_one": (one, first), "partial_fit": (X, y)}
    uses |= {"learn": (X,) if y is None else (X, y), "play": (X,)}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for name, arguments in (_ways_to_ask(model, X, y) | uses).items():
            try:
                use = getattr(model, name, None)
                if callable(use):
                    use(*arguments)
            except (ValueError, BoundViolatedError):
                pass
            except TypeError as error:  # scikit-learn's own sentence, of labels that are bytes
                if "represented as bytes" not in str(error):
                    raise
        fingerprint(model)
        with tempfile.TemporaryDirectory() as folder, suppress(ModelFileError):
            save_model(model, Path(folder) / "m", schema={}, metadata={})


def _ways_to_ask(model, X, y):
    """Return the public methods that need nothing, or rows, or rows and targets."""
    found, known = {}, {"X": X, "y": y}
    for name, method in inspect.getmembers(type(model), inspect.isfunction):
        asked = list(inspect.signature(method).parameters.values())[1:]
        needed = [p.name for p in asked if p.default is p.empty]  # whatever another's method needs
        changes = name.startswith(("_", "set_", "get_", "fit", "partial_fit", "learn"))
        if not changes and known.keys() >= set(needed):
            found[name] = tuple(known[place] for place in needed)
    return found | {"__repr__": ()}


def _rows_for(model):
    """Return rows and targets of the kind that a model has learnt from."""
    labels = np.asarray(getattr(model, "classes_", [0.0, 1.0])).ravel()
    rows = np.zeros((len(labels), max(1, int(getattr(model, "n_features_in_", 1)))))
    rows[:1] = 1.0
    return rows, labels


def run(seed, n, forge=forged):
    """Forge n files; return what did not end in a sentence, as text."""
    rng, names = np.random.default_rng(seed), sorted(originals())
    found, n_loaded = [], 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m"
        for t in range(n):
            name = names[rng.integers(len(names))]
            path.write_bytes(forge(originals()[name], rng))
            print(f"{seed} {t} {name}", file=sys.stderr)  # noqa: T201 - the last one, if it crashes
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    model = load_model(path).model
            except ModelFileError:
                continue
            except Exception:  # noqa: BLE001 - that is what is looked for
                found.append(f"{seed} {t} {name}: load\n{traceback.format_exc()}")
                continue
            n_loaded += 1
            try:
                try_out(model, *(models()[name][1:] if name in models() else _rows_for(model)))
            except Exception:  # noqa: BLE001
                found.append(f"{seed} {t} {name}: use\n{traceback.format_exc()}")
    return found, n_loaded


if __name__ == "__main__":
    faults, n_used = run(int(sys.argv[1]), int(sys.argv[2]))
    print("\n".join(faults))  # noqa: T201
    print(f"{len(faults)} faults; {n_used} forgeries were loaded and used")  # noqa: T201
    sys.exit(bool(faults))
