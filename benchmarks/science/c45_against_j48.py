"""C4.5 against Weka's J48 on the same folds: error, size of the tree, table by table.

Needs Java and Weka (Debian: `apt-get install --no-install-recommends weka`), and a directory with
vote.arff, contact-lenses.arff, breast-cancer.csv and adult.csv.
"""

import argparse
import re
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.io import arff
from sklearn.model_selection import StratifiedKFold

from surelearn import C45Classifier

_WEKA = ["java", "-Xmx2g", "-cp", "/usr/share/java/weka.jar", "weka.classifiers.trees.J48"]


def read(path):
    """Return a table whose last column is the label; missing cells are None or NaN."""
    if path.suffix == ".arff":
        frame = pd.DataFrame(arff.loadarff(path)[0])
        text = frame.select_dtypes(object)
        frame[text.columns] = text.apply(lambda column: column.str.decode("utf-8"))
        return frame.replace({"?": None})
    header = 0 if path.stem == "adult" else None
    frame = pd.read_csv(path, header=header, na_values="?", quotechar="'", skipinitialspace=True)
    frame.columns = [f"c{name}" for name in frame.columns]
    if header is None:  # numbers between quotes are categories
        frame = frame.astype(object).where(frame.isna(), frame.astype(str))
    return frame


def write(frame, whole, path):
    """Write rows in Weka's format, with the categories of the whole table."""
    lines, cells = ["@relation table"], frame.astype(object)
    for name in whole.columns:
        if pd.api.types.is_numeric_dtype(whole[name]):
            lines.append(f"@attribute {name!r} numeric")
        else:
            words = ",".join(f"'{word}'" for word in sorted(whole[name].dropna().unique()))
            lines.append(f"@attribute {name!r} {{{words}}}")
            cells[name] = "'" + cells[name].astype(str) + "'"
    cells = cells.where(frame.notna(), "?").astype(str)
    path.write_text("\n".join([*lines, "@data", *cells.agg(",".join, axis=1)]) + "\n")


def judge(train, test, whole):
    """Return the errors of J48 with its defaults, the size of its tree, and its own clock."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in ("train.arff", "test.arff")]
        for frame, path in zip((train, test), paths, strict=True):
            write(frame, whole, path)
        said = subprocess.run(  # noqa: S603
            [*_WEKA, "-t", paths[0], "-T", paths[1]], capture_output=True, text=True, check=True
        ).stdout
    errors = re.findall(r"Incorrectly Classified Instances\s+(\d+)", said)[-1]
    size = re.search(r"Size of the tree :\s+(\d+)", said)[1]
    seconds = re.search(r"Time taken to build model: ([\d.]+)", said)[1]
    return int(errors), int(size), float(seconds)


def ours(train, test):
    """Return our errors on the test rows, the size of the tree, and the seconds it took to fit."""
    start = time.perf_counter()
    model = C45Classifier().fit(train.iloc[:, :-1], train.iloc[:, -1])
    seconds = time.perf_counter() - start
    wrong = model.predict(test.iloc[:, :-1]) != test.iloc[:, -1].to_numpy()
    return int(wrong.sum()), model.n_nodes_, seconds


def compare(title, frame, *, seed):
    """Print both mean errors over ten folds, with standard errors; the median sizes and times."""
    folds = StratifiedKFold(10, shuffle=True, random_state=seed)
    rates, rest = [], []
    for train, test in folds.split(frame, frame.iloc[:, -1]):
        pair = frame.iloc[train], frame.iloc[test]
        found = np.array([ours(*pair), judge(*pair, frame)])
        rates.append(found[:, 0] / len(test))
        rest.append(found[:, 1:])
    mean, spread = np.mean(rates, axis=0), np.std(rates, axis=0, ddof=1) / np.sqrt(10)
    told = [
        f"{name} {mean[i]:.4f} ± {spread[i]:.4f} ({size:.1f} nodes, {seconds:.3f} s)"
        for i, (name, (size, seconds)) in enumerate(
            zip(("ours", "J48"), np.median(rest, axis=0), strict=True)
        )
    ]
    print(
        f"{title:<20} n={len(frame):<6} {told[0]}   {told[1]}"
        f"   apart {abs(mean[0] - mean[1]) / max(spread[1], 1e-12):.2f} standard errors",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the tables are")
    parser.add_argument("--quick", action="store_true", help="without adult")
    given = parser.parse_args()
    names = ["vote.arff", "contact-lenses.arff", "breast-cancer.csv", "adult.csv"]
    for name in names[: 3 if given.quick else 4]:
        for seed in (0, 1, 2) if name != "adult.csv" else (0,):
            compare(name, read(given.folder / name), seed=seed)


if __name__ == "__main__":
    main()
