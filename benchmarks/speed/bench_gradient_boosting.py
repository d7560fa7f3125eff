"""Gradient boosting against XGBoost, LightGBM and scikit-learn: time, CPU time and quality.

Contenders take turns in one process. Peers that are not installed are left out, and it says so.
"""

import argparse
import pathlib
import time

import numpy as np
import pandas as pd
from _timing import machine
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.metrics import log_loss

from surelearn import GradientBoostingClassifier, GradientBoostingRegressor

TREES, LEAVES, RATE, JOBS = 100, 31, 0.1, 2


def peers(kind, trees=TREES):
    """Return learners of the same size, by name."""
    ours = GradientBoostingClassifier if kind == "classes" else GradientBoostingRegressor
    theirs = HistGradientBoostingClassifier if kind == "classes" else HistGradientBoostingRegressor
    found = {
        "surelearn": lambda: ours(n_estimators=trees, n_jobs=JOBS),
        "scikit-learn": lambda: theirs(max_iter=trees, early_stopping=False),
    }
    suffix = "Classifier" if kind == "classes" else "Regressor"
    try:
        import xgboost  # noqa: PLC0415

        found["XGBoost"] = lambda: getattr(xgboost, f"XGB{suffix}")(
            n_estimators=trees,
            max_leaves=LEAVES,
            max_depth=0,
            grow_policy="lossguide",
            learning_rate=RATE,
            tree_method="hist",
            n_jobs=JOBS,
        )
    except ImportError:
        print("XGBoost is not installed")
    try:
        import lightgbm  # noqa: PLC0415

        found["LightGBM"] = lambda: getattr(lightgbm, f"LGBM{suffix}")(
            n_estimators=trees, num_leaves=LEAVES, learning_rate=RATE, n_jobs=JOBS, verbose=-1
        )
    except ImportError:
        print("LightGBM is not installed")
    return found


def clocked(run):
    """Return what a call returns, its wall time and the CPU time of all its threads."""
    wall, cpu = time.perf_counter(), time.process_time()
    made = run()
    return made, time.perf_counter() - wall, time.process_time() - cpu


def race(title, contenders, X, y, *, repeats=3, new=None, quality=None):
    """Print the best wall and CPU time of each contender, relative to ours, and its quality."""
    best = dict.fromkeys(contenders, (np.inf, np.inf))
    models = {}
    for _ in range(repeats):
        for name, make in contenders.items():
            time.sleep(0.3)  # threads of the one before fall asleep
            models[name], wall, cpu = clocked(lambda make=make: make().fit(X, y))
            best[name] = min(best[name][0], wall), min(best[name][1], cpu)
    print(f"\n{title}")
    for name, (wall, cpu) in best.items():
        ours = best["surelearn"]
        told = "" if new is None else f"   {quality(models[name], *new):.4f}"
        print(
            f"   {name:<14} {wall:8.3f} s {wall / ours[0]:6.2f} x   "
            f"CPU {cpu:8.3f} s {cpu / ours[1]:6.2f} x{told}"
        )
    return models


def world(n, d, seed=0, *, classes=2):
    """Return rows, and labels that depend on them additively, by products and by chance."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(np.float32)
    score = X[:, :10] @ np.linspace(1.0, 0.1, 10) + X[:, 0] * X[:, 1] + np.sin(3.0 * X[:, 2])
    score = score + 1.5 * rng.normal(size=n)
    if classes == 2:
        return X, (score > 0.0).astype(int)
    return X, np.digitize(score, np.quantile(score, np.arange(1, classes) / classes))


def loss(model, X, y):
    return log_loss(y, model.predict_proba(X))


def rmse(model, X, y):
    return float(np.sqrt(np.mean((y - model.predict(X)) ** 2)))


def codes(frame):
    """Return a frame in which words are numbers: what all contenders read."""
    made = {
        name: pd.factorize(column, sort=True)[0] if column.dtype.kind not in "biuf" else column
        for name, column in frame.items()
    }
    return pd.DataFrame(made).to_numpy(dtype=np.float64)


def real(title, X, y, kind, quality, splits=5):
    """Race on one split, and compare quality over several."""
    order = [np.random.default_rng(seed).permutation(len(y)) for seed in range(splits)]
    cut = int(0.75 * len(y))
    train, test = order[0][:cut], order[0][cut:]
    race(title, peers(kind), X[train], y[train], new=(X[test], y[test]), quality=quality)
    means = {}
    for name, make in peers(kind).items():
        found = []
        for rows in order:
            model = make().fit(X[rows[:cut]], y[rows[:cut]])
            found.append(quality(model, X[rows[cut:]], y[rows[cut:]]))
        means[name] = np.mean(found)
    print(f"   mean over {splits} splits: " + ", ".join(f"{n} {m:.4f}" for n, m in means.items()))


def natively(frame, y, splits=5):
    """Race on words as categories with missing cells, which all contenders read by themselves."""
    words = frame.select_dtypes(exclude="number").columns
    rng = np.random.default_rng(0)
    table = frame.astype(dict.fromkeys(words, "category"))
    table = table.mask(rng.random(table.shape) < 0.05)  # one cell in twenty
    contenders = peers("classes")
    contenders["scikit-learn"] = lambda: HistGradientBoostingClassifier(
        max_iter=TREES, early_stopping=False, categorical_features="from_dtype"
    )
    if "XGBoost" in contenders:
        plain = contenders["XGBoost"]
        contenders["XGBoost"] = lambda: plain().set_params(enable_categorical=True)
    cut = int(0.75 * len(y))
    orders = [np.random.default_rng(seed).permutation(len(y)) for seed in range(splits)]
    train, test = orders[0][:cut], orders[0][cut:]
    new = table.iloc[test], y[test]
    race("categories and gaps", contenders, table.iloc[train], y[train], new=new, quality=loss)
    means = {
        name: np.mean(
            [
                loss(make().fit(table.iloc[o[:cut]], y[o[:cut]]), table.iloc[o[cut:]], y[o[cut:]])
                for o in orders
            ]
        )
        for name, make in contenders.items()
    }
    print(f"   mean over {splits} splits: " + ", ".join(f"{n} {m:.4f}" for n, m in means.items()))


def prediction(models, X):
    print(f"\nprediction of {len(X):,} rows")
    ours = None
    for name, model in models.items():
        call = model.predict_proba
        call(X[:1000])
        _, wall, cpu = min((clocked(lambda c=call: c(X)) for _ in range(2)), key=lambda r: r[2])
        ours = ours or (wall, cpu)
        print(
            f"   {name:<14} {wall:8.3f} s {wall / ours[0]:6.2f} x   "
            f"CPU {cpu:8.3f} s {cpu / ours[1]:6.2f} x"
        )


def status(field):
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(field))


def memory(n, d, trees=3):
    """Print the peak of resident memory above a table in single precision."""
    X, y = world(20_000, d)
    GradientBoostingClassifier(n_estimators=2).fit(X, y)
    X, y = np.empty((n, d), dtype=np.float32), np.empty(n, dtype=np.int64)
    for block in np.array_split(np.arange(n), 50):
        X[block], y[block] = world(len(block), d, seed=int(block[0]))
    pathlib.Path("/proc/self/clear_refs").write_text("5")  # forget earlier peaks
    before = status("VmRSS")
    _, wall, cpu = clocked(
        lambda: GradientBoostingClassifier(n_estimators=trees, n_jobs=JOBS).fit(X, y)
    )
    print(f"\nmemory: {n:,} x {d}, {trees} trees: {wall:.1f} s, CPU {cpu:.1f} s, peak")
    print(f"   {(status('VmHWM') - before) / 1e9:.2f} GB beyond the {X.nbytes / 1e9:.1f} GB input")


def linear(sizes, d=50, trees=20):
    print(f"\nCPU time per row and tree, {d} columns")
    for n in sizes:
        X, y = world(n, d)
        _, _, cpu = clocked(lambda X=X, y=y: peers("classes", trees)["surelearn"]().fit(X, y))
        print(f"   {n:>10,}: {cpu / n / trees * 1e9:7.1f} ns")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes")
    parser.add_argument("--data", default="../shared/data", help="folder of adult and diamonds")
    parser.add_argument("--only", default="", help="letters of the parts to run")
    asked = parser.parse_args()
    scale, only = (20 if asked.quick else 1), asked.only or "wadtmpl"
    machine("scikit-learn")
    X, y = world(1_000_000 // scale, 50)
    new = world(100_000 // scale, 50, seed=1)
    n = 200_000 // scale
    if "w" in only:
        models = race(
            f"log loss, {n:,} x 50", peers("classes"), X[:n], y[:n], new=new, quality=loss
        )
        if "p" in only:
            prediction(models, X)
    data = pathlib.Path(asked.data)
    if "a" in only and (data / "adult.csv").exists():
        table = pd.read_csv(data / "adult.csv")
        labels = pd.factorize(table[table.columns[-1]], sort=True)[0]
        real("adult", codes(table[table.columns[:-1]]), labels, "classes", loss)
        natively(table[table.columns[:-1]], labels)
    if "d" in only and (data / "diamonds.csv").exists():
        table = pd.read_csv(data / "diamonds.csv")
        price = table.pop("price").to_numpy(dtype=np.float64)
        real("diamonds", codes(table), price, "numbers", rmse)
    if "t" in only:
        tens = world(50_000 // scale, 20, classes=10)
        held = world(20_000 // scale, 20, seed=1, classes=10)
        few = peers("classes", 30)
        race(
            "ten classes, 30 rounds",
            few,
            *tens,
            repeats=2,
            new=held,
            quality=loss,
        )
    if "m" in only:
        title = f"{len(X):,} x 50, 20 trees"
        race(title, peers("classes", 20), X, y, repeats=2, new=new, quality=loss)
    if "l" in only:
        linear([n // scale for n in (100_000, 200_000, 400_000, 800_000)])
        memory(10_000_000 // scale, 50)


if __name__ == "__main__":
    main()
