"""What `certify` chooses against what scikit-learn fits by hand, on the same rows of real tables.

Needs a directory with the tables. For each table and seed, `certify` splits the rows and chooses on
the training part; scikit-learn's histogram gradient boosting, random forest and logistic or ridge
regression then learn from the same training rows with their defaults, encoded as their users would,
and all are tested on the same held-out rows: errors for classes, mean absolute errors for numbers.
"""

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from surelearn.app.certify import certify_table
from surelearn.app.tables.read import read_table_file

TABLES = {  # the target, the last column if there is no name, and what would give it away
    "adult.csv": ("income", ()),
    "breast-cancer.csv": (None, ()),
    "diamonds.csv": ("price", ()),
    "mammography.csv": (None, ()),
    "penguins.csv": ("species", ()),
    "phoneme.csv": (None, ()),
    "titanic.csv": ("survived", ("alive",)),
    "vote.arff": ("Class", ()),
}


def peers(task):
    """Return scikit-learn's learners for a task, each behind what it needs to read mixed tables."""
    words = make_column_selector(dtype_exclude="number")
    numbers = make_column_selector(dtype_include="number")
    codes = make_column_transformer(
        (OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1), words),
        (SimpleImputer(keep_empty_features=True), numbers),
    )
    wide = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), words),
        (make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler()), numbers),
    )
    if task == "regression":
        boosting, forest, linear = HistGradientBoostingRegressor, RandomForestRegressor, Ridge()
    else:
        boosting, forest = HistGradientBoostingClassifier, RandomForestClassifier
        linear = LogisticRegression(max_iter=1000)
    return {
        "boosting": make_pipeline(codes, boosting(random_state=0)),
        "forest": make_pipeline(codes, forest(random_state=0, n_jobs=-1)),
        "linear": make_pipeline(wide, linear),
    }


def frame(table):
    """Return features as scikit-learn's users would have them: words are strings, gaps NaN."""
    found = table.to_pandas()
    words = found.select_dtypes(exclude="number").columns
    return found.astype(dict.fromkeys(words, object)).fillna(dict.fromkeys(words, "?"))


def judge(path, seed):
    """Return the loss of each contender on the rows held out, what was chosen, and how long."""
    target, given_away = TABLES[path.name]
    file = read_table_file(path, header=None if target else False)
    start = time.perf_counter()
    run = certify_table(
        file, target=target or file.table.column_names[-1], seed=seed, drop=given_away
    )
    seconds = time.perf_counter() - start
    (X, y), (new, truth) = run.problem.training, run.problem.held_out
    answers = {"certify": run.model.predict(new)}
    for name, peer in peers(run.problem.task).items():
        answers[name] = peer.fit(frame(X), y).predict(frame(new))
    if run.problem.task == "regression":
        losses = {name: np.abs(found - truth).mean() for name, found in answers.items()}
    else:  # half an error more, so that none is 0
        losses = {name: ((f != truth).sum() + 0.5) / len(truth) for name, f in answers.items()}
    return losses, run.name, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="with the tables")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=0, help="seed")
    parser.add_argument("--tables", nargs="*", default=sorted(TABLES))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    ratios = []
    for name in options.tables:
        seeds = range(options.first, options.first + options.seeds)
        found = [judge(options.folder / name, seed) for seed in seeds]
        means = pd.DataFrame([losses for losses, _, _ in found]).mean()
        ratios.append(means["certify"] / means.drop("certify").min())
        told = "  ".join(f"{who} {value:.4g}" for who, value in means.items())
        chosen = "; ".join(sorted({chosen for _, chosen, _ in found}))
        longest = max(seconds for *_, seconds in found)
        print(f"{name:<18} {told}  to the best {ratios[-1]:.3f}  {longest:.0f} s  {chosen}")
    print(f"geometric mean of the ratios {np.exp(np.mean(np.log(ratios))):.3f}")


if __name__ == "__main__":
    main()
